"""Values that the text states: those of a case that words tell, and a second one for a name that has one."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from derivations.documents.facts.sentence_patterns import OTHERWISE, STRONG_CASE
from derivations.documents.model.document import CLOSE, MARK, OPEN
from derivations.documents.model.finding import Finding
from derivations.language.term import Entry
from derivations.latex.syntax.surface import Node
from derivations.study.equation_walk import Item, is_number
from derivations.study.names_and_conditions import case_in_words
from derivations.study.state import Study
from derivations.study.where_stated import is_stated, rows_of, stated_at


def is_case_in_words(study: Study, item: Item, stem: str) -> bool:
    """Whether a number is the value of a name in a case that words tell: `$y_{ij} = 1$ for positive pairs`.

    "If the pair is positive" tells a case by itself; "for momentum" does where the sentence gives the name another
    value, for something else.
    """
    said = case_in_words(study, item)
    if said is None or OTHERWISE.match(item.context.after):
        return False
    if STRONG_CASE.match(said):
        return True
    return any(case_in_words(study, other) is not None for other in _values_beside(study, item, stem))


def _values_beside(study: Study, item: Item, stem: str) -> Iterator[Item]:
    """The other equations of a sentence that give a name a number."""
    for number in MARK.findall(f"{item.context.before} {item.context.after}"):
        for other in study.text.places.of_span.get(int(number), ()):
            chain = other.reading.chain
            w = study.names.written(chain.first) if chain.first is not None else None
            if (
                w is not None
                and w.stem == stem
                and [r for r, _ in chain.links] == ["="]
                and is_number(chain.links[0][1])
            ):
                yield other


# --- another number for a name --------------------------------------------------------------------------------------


class Again(StrEnum):
    """What a number is for a name of which the text has stated one."""

    CONFLICT = "conflict"
    """The same sentence or display states another one."""
    SETTING = "another number is stated for it here"


def stated_again(study: Study, item: Item, left: Entry | None, head: str, right: Node) -> Again | None:
    """What a number says of a name whose value so far is only a stated number; None where that is not so."""
    if not is_number(right):
        return None
    theory = study.table.theory
    rows = rows_of(theory, left) if left is not None else list(theory.definitions.get(head, ()))
    if not rows or not all(is_stated(d.body) and not d.tensors for d in rows):
        return None
    keys = stated_at(study.walk, left) if left is not None else [study.walk.origins[head]]
    beside = any(k[0] == item.span.index or f"{OPEN}{k[0]}{CLOSE}" in item.context.before for k in keys)
    return Again.CONFLICT if beside else Again.SETTING


def entry_stated(finding: Finding | None) -> Entry | None:
    """The entry that a relation states a number of: its left side."""
    lefts = [s.left for s in finding.statements] if finding is not None else []
    return lefts[0] if len(lefts) == 1 and isinstance(lefts[0], Entry) else None
