"""Values that the text states: in which case they hold, in which part of the text, and when a second one is another setting."""

from __future__ import annotations

from collections.abc import Iterator

from derivations.documents.facts.sentence_patterns import OTHERWISE, STRONG_CASE
from derivations.documents.model.document import MARK
from derivations.study.equation_walk import Item, is_number
from derivations.study.names_and_conditions import case_in_words
from derivations.study.state import Study


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
