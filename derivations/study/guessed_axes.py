"""Refutations that rest on a guess of axes: read once more with the name as two, or as one.

`y_i` beside `y` is an entry of a vector y, or a thing of its own.  Where nothing tells which, both readings are admissible,
and what is refuted under both is refuted: how many axes y has does not matter then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from derivations.latex.lexicon.written_names import Form
from derivations.latex.syntax.letters import FAMILY, letter
from derivations.latex.syntax.surface import walk
from derivations.study.equation_walk import Key
from derivations.study.state import Study
from derivations.study.verdict import all_heads

ReadApart = Callable[[Mapping[str, Form], frozenset[Key]], Study]
"""Studies a document once more, with these names taken for two, and decides only the relations of these keys."""
MAX_READINGS = 4
"""Most further readings of one document."""
_WITH_ONE_INDEX: Form = (1, False)


def confirm_where_axes_do_not_matter(study: Study, read_apart: ReadApart) -> bool:
    """Refute what is false in each reading of the names whose axes are a guess; whether there was such a claim."""
    groups: dict[frozenset[str], list[Key]] = {}
    for key, refuted in study.main.guessed.items():
        if not _is_open(study, key):
            continue  # it was tried as a claim, and is none
        heads = {h for s in refuted.statements for h in all_heads(s, refuted.theory)}
        guessed = _guessed_stems(study, heads)
        if guessed:
            groups.setdefault(guessed, []).append(key)
    changed = False
    for stems, keys in list(groups.items())[:MAX_READINGS]:
        apart = {**study.text.apart} if study.text.apart else {}
        for stem in stems:
            if apart.pop(stem, None) is None:
                apart[stem] = _WITH_ONE_INDEX
        other = read_apart(apart, frozenset(keys))
        for key in keys:
            found = other.main.findings.get(key)
            if found is not None and (
                (key in other.main.guessed and _is_open(other, key))
                or found.status == "refuted"
                or (found.status == "unread" and found.code == "shape-conflict")
            ):
                study.main.findings[key] = study.main.guessed[key]
                changed = True
    return changed


def _is_open(study: Study, key: Key) -> bool:
    """Whether a relation was left undecided."""
    found = study.main.findings.get(key)
    return found is not None and found.status == "undecided"


def _guessed_stems(study: Study, heads: set[str]) -> frozenset[str]:
    """The names of a claim whose axes are a guess; none where it is a guess that another reading does not settle."""
    found: set[str] = set()
    for symbol in study.table.symbols.values():
        if symbol.head not in heads or symbol.defined or symbol.exact or symbol.stem in study.table.laws:
            continue
        stem = symbol.stem.removesuffix(FAMILY)
        if study.names.shaky(symbol.stem):
            evidence = study.names.evidence.get(stem)
            is_told = stem in (study.text.apart or {}) and symbol.stem.endswith(FAMILY)
            if not is_told and (evidence is None or not evidence.bare or not _counts(study, stem)):
                return frozenset()  # R_m alone, or x_A beside x_B
            found.add(stem)
    return frozenset(found)


def _counts(study: Study, stem: str) -> bool:
    """Whether what stands below a name is an index: a sum of the document runs over it."""
    nodes = (n for i in study.items for n in walk(i.reading.chain))
    written = (w for w in map(study.names.written, nodes) if w is not None and w.stem == stem)
    below = [s.node for w in written for s in w.slots]
    return any(letter(n) in study.names.bound for n in below)
