"""Claims about names of which only a habit says that they are matrices: read once more with these as numbers.

`e^{A + B} = e^A e^B` is false of matrices whose exponential is taken entry by entry, and true of numbers.  Where nothing
declares A and B, no word calls them matrices and no sign is written that only matrices have, both readings are
admissible: what is refuted under one of them alone is not refuted.  A reading is admissible where it understands
everything that the first one understands.

No other direction needs a second reading.  A number is an array of one entry, in which every product is the product, every
norm the absolute value and every function its own entry: what is proved of arrays holds of numbers, and what is false of
numbers is false of some arrays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from derivations.documents.facts.directives import Declaration
from derivations.latex.lexicon.settled_kinds import Settled, after_arrays, names_in, settled_by, written_as_arrays
from derivations.latex.syntax.surface import walk
from derivations.study.equation_walk import Key
from derivations.study.state import Study
from derivations.study.verdict import all_heads, withheld

ReadAgain = Callable[[Sequence[Declaration], frozenset[Key]], Study]
"""Studies a document once more with further declarations, and decides only the relations of these keys."""
MAX_READINGS = 6
"""Most further readings of one document; beyond them nothing is refuted about names of unsettled kind."""
_OF_ARRAYS = re.compile(
    r"\b(?:(?:sub)?matri(?:x|ces|z|zen|ci)|matrice|matrizes|tensors?|linear (?:maps?|operators?|transformations?|layers?))\b|"
    r"矩阵|矩陣|行列",
    re.IGNORECASE,
)
"""Words of a text whose capitals are matrices."""
_OF_VECTORS = re.compile(
    r"\b(?:vectors?|vektor(?:en)?|vecteurs?|vectores|vetor(?:es)?|vettor[ei])\b|向量|ベクトル", re.IGNORECASE
)
"""Words of a text in which small letters are vectors."""


def withhold_where_kinds_differ(study: Study, read_again: ReadAgain) -> bool:
    """Withhold each refutation that does not hold in another admissible reading; whether there was one."""
    refuted = {
        key: f
        for key, f in study.main.findings.items()
        if f.status == "refuted" and f.code == "false-claim" and f.kind != "prose"
    }
    loose = unsettled_names(study) if refuted else {}
    groups: dict[tuple[str, ...], list[Key]] = {}
    for key, f in refuted.items():
        heads = {h for s in f.statements for h in all_heads(s, f.theory)}
        if own := tuple(sorted(loose[h] for h in heads & loose.keys())):
            groups.setdefault(own, []).append(key)
    changed = False
    for count, (stems, keys) in enumerate(groups.items()):
        if count < MAX_READINGS:
            other, reason = _read_as_numbers(study, stems, frozenset(keys), read_again), _NOT_OF_NUMBERS
            keys = [k for k in keys if other is not None and _is_proved(other, k)]
        else:
            reason = _NOT_TRIED
        for key in keys:
            said = reason.format(", ".join(study.text.latex.get(stem, stem) for stem in stems))
            study.main.findings[key] = withheld(refuted[key], "ambiguous", said)
            changed = True
    return changed


_NOT_OF_NUMBERS = (
    "false where {0} may be any array, but not where it is a number, and nothing tells which; the comment `{0}: scalar`, or "
    "a shape, does"
)
_NOT_TRIED = (
    "false where {0} may be any array, and nothing tells that it is one; the comment `{0}: scalar`, or a shape, does"
)


def unsettled_names(study: Study) -> dict[str, str]:
    """The given names whose axes only a habit tells: by their names inside."""
    nodes = [n for item in study.items for n in walk(item.reading.chain)]
    shown = frozenset(written_as_arrays(study.names, nodes))
    of_matrices = frozenset(_names_beside(study, _OF_ARRAYS))
    of_vectors = of_matrices | frozenset(_names_beside(study, _OF_VECTORS))
    found: dict[str, str] = {}
    for s in (*study.table.replaced, *study.table.symbols.values()):
        said = of_vectors if len(s.dims) == 1 else of_matrices
        if settled_by(study.table, s, shown, said) is Settled.HABIT:
            found[s.head] = s.stem
    arrays = {s.stem for s in study.table.symbols.values() if s.dims} - set(found.values())
    settled = after_arrays(study.names, nodes, arrays)
    return {head: stem for head, stem in found.items() if stem not in settled}


def _names_beside(study: Study, words: re.Pattern[str]) -> Iterator[str]:
    """The names in formulas whose paragraph, sentence, headings or title have such words."""
    of_title = words.search(study.document.title) is not None
    for item in study.items:
        if of_title or any(map(words.search, (item.context.paragraph, item.context.before, *item.section))):
            yield from names_in(study.names, (item.reading.chain,))


def _is_proved(other: Study, key: Key) -> bool:
    """Whether a relation is proved in another reading."""
    found = other.main.findings.get(key)
    return found is not None and found.status == "proved"


def _read_as_numbers(study: Study, stems: Sequence[str], keys: frozenset[Key], read_again: ReadAgain) -> Study | None:
    """The study of the document with these names as numbers; None where it understands less."""
    place = study.items[0].span.place
    said = [
        Declaration("name", f"{latex}: scalar", place, latex, "scalar")
        for latex in (study.text.latex.get(stem) for stem in stems)
        if latex is not None
    ]
    other = read_again(said, keys)
    unread = {k for k, f in study.main.findings.items() if f.status == "unread"}
    more = any(f.status == "unread" and k not in unread for k, f in other.main.findings.items())
    return None if more or len(said) < len(stems) else other
