"""Values that the text states: in which case they hold, in which part of the text, and when a second one is another setting."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from derivations.documents.facts.sentence_patterns import OTHERWISE, STRONG_CASE
from derivations.documents.model.document import CLOSE, MARK, OPEN, Document, MathSpan
from derivations.documents.model.finding import Finding
from derivations.language.term import Case as ByCases
from derivations.language.term import (
    Definition,
    Entry,
    IndexValue,
    Mul,
    Number,
    Pow,
    Term,
    Theory,
    subterms,
    term_sizes,
)
from derivations.latex.syntax.surface import Node
from derivations.study.equation_walk import Item, Key, Walk, is_number
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


# --- where a value is stated ----------------------------------------------------------------------------------------


def is_worked(row: Definition) -> bool:
    """Whether a definition is nothing but numbers for one thing: `n_1 = 8`, a matrix of two rows.

    What is so for every index, a mask of zeros or a matrix of ones, is a definition like others.
    """
    fixed = all(n.is_constant for n in row.shape or ()) or not any(i.free for i in row.indices)
    return fixed and not row.condition and not row.tensors and _by_place(row.body) and is_closed(row.body)


def is_closed(t: Term) -> bool:
    """Whether a term is reckoned from numbers alone."""
    return not t.heads and not term_sizes(t)


def is_stated(t: Term) -> bool:
    """Whether a term is a number as such, or an array of them: `3`, `-1/2`, `\\sqrt 2`; `3 \\cdot 4` is reckoned."""
    parts = list(subterms(t))
    plain = all(isinstance(u, Number | IndexValue | Pow | Mul | ByCases) for u in parts)
    products = (u for u in parts if isinstance(u, Mul))
    return plain and is_closed(t) and all(sum(isinstance(c, Number) for c in u.children) < 2 for u in products)


def _by_place(t: Term) -> bool:
    """Whether the cases of a term tell places of an array by their numbers."""
    cases = (u for u in subterms(t) if isinstance(u, ByCases))
    return all(c.relation == "==" and len(c.index.free) == 1 for u in cases for g, _ in u.branches for c in g)


def rows_of(theory: Theory, entry: Entry) -> list[Definition]:
    """The definitions of a name that may give an entry its value."""
    return [d for d in theory.definitions.get(entry.name, ()) if not d.apart(entry)]


def stated_at(walk: Walk, entry: Entry) -> Iterator[Key]:
    """The relations that state a value of an entry, or state it once more."""
    for key, finding in walk.findings.items():
        made = finding.definition
        if made is not None and made.name == entry.name and not made.apart(entry):
            yield key
    for key in walk.restated.get(entry.name, ()):
        lefts = (s.left for s in walk.findings[key].statements)
        if any(isinstance(t, Entry) and not _are_apart(t, entry) for t in lefts):
            yield key


def _are_apart(one: Entry, other: Entry) -> bool:
    pairs = zip(one.indices, other.indices, strict=False)
    return any(a.is_constant and b.is_constant and a is not b for a, b in pairs)


def holds_at(document: Document, said: MathSpan, used: MathSpan) -> bool:
    """Whether a value that one formula states holds for another: in its section, item or example, and below."""
    one, other = document.block_of(said), document.block_of(used)
    return all(
        inner[: len(outer)] == outer for outer, inner in ((one.section, other.section), (one.scope, other.scope))
    )


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
