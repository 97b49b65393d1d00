"""Claims about names of which only a habit says that they are matrices: read once more with these as numbers.

`e^{A + B} = e^A e^B` is false of matrices whose exponential is taken entry by entry, and true of numbers.  Where nothing
declares A and B, no word calls them matrices and no sign is written that only matrices have, both readings are
admissible: what is refuted under one of them alone is not refuted.  A reading is admissible where it understands
everything that the first one understands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from derivations.documents.facts.directives import Declaration
from derivations.latex.lexicon.settled_kinds import Settled, names_in, settled_by, written_as_arrays
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.syntax.surface import walk
from derivations.study.equation_walk import Item, Key
from derivations.study.state import Study
from derivations.study.verdict import all_heads, withheld

ReadAgain = Callable[[Sequence[Declaration], frozenset[Key]], Study]
"""Studies a document once more with further declarations, and decides only the relations of these keys."""
MAX_READINGS = 6
"""Most further readings of one document; beyond them a claim about names of unsettled kind is not refuted."""
_OF_ARRAYS = re.compile(
    r"\b(?:(?:sub)?matri(?:x|ces|z|zen|ci)|matrice|matrizes|tensors?|linear (?:maps?|operators?|transformations?|layers?))\b|"
    r"矩阵|矩陣|行列",
    re.IGNORECASE,
)
"""Words of a text whose capitals are matrices."""


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
        other = _read_as_numbers(study, stems, frozenset(keys), read_again) if count < MAX_READINGS else None
        for key in keys:
            found = other.main.findings.get(key) if other is not None else None
            if count < MAX_READINGS and (found is None or found.status not in ("proved", "undecided")):
                continue
            study.main.findings[key] = withheld(refuted[key], "ambiguous", _reason(study, stems))
            changed = True
    return changed


def unsettled_names(study: Study) -> dict[str, str]:
    """The given names whose axes only a habit tells: by their names inside."""
    nodes = [n for item in study.items for n in walk(item.reading.chain)]
    shown = frozenset(written_as_arrays(study.names, nodes))
    said = frozenset(_said_to_be_arrays(study))
    table = study.table
    symbols: list[Symbol] = [*table.replaced, *table.symbols.values()]
    return {s.head: s.stem for s in symbols if settled_by(table, s, shown, said) is Settled.HABIT}


def _said_to_be_arrays(study: Study) -> Iterator[str]:
    """The names in formulas whose paragraph, headings or title speak of matrices."""
    of_title = _OF_ARRAYS.search(study.document.title) is not None
    for item in study.items:
        if of_title or _speaks_of_arrays(item):
            yield from names_in(study.names, (item.reading.chain,))


def _speaks_of_arrays(item: Item) -> bool:
    return any(map(_OF_ARRAYS.search, (item.context.paragraph, *item.section)))


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


def _reason(study: Study, stems: Sequence[str]) -> str:
    names = ", ".join(study.text.latex.get(stem, stem) for stem in stems)
    are = f"{names} is an array" if len(stems) == 1 else f"{names} are arrays"
    return f"false where {are}, but not for numbers, and nothing tells which; the comment `{names}: scalar`, or a shape, does"
