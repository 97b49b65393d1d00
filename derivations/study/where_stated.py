"""Values that the text only states: which definitions these are, where they are stated, and where they hold."""

from __future__ import annotations

from collections.abc import Iterator

from derivations.documents.model.document import Document, MathSpan
from derivations.language.statement import Definition, Theory
from derivations.language.substitution import subterms, term_sizes
from derivations.language.term import Case as ByCases
from derivations.language.term import Entry, IndexValue, Mul, Number, Pow, Term
from derivations.study.equation_walk import Key, Walk


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


def is_in_units(t: Term, theory: Theory) -> bool:
    """Whether a term is so many times a given number: the `4 J` of an energy in units of J."""
    factors = t.children if isinstance(t, Mul) else (t,)
    names = [f for f in factors if isinstance(f, Entry)]
    return len(names) == 1 and all(
        isinstance(f, Number) or (isinstance(f, Entry) and f.name in theory.tensors and not f.indices and not f.args)
        for f in factors
    )


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
