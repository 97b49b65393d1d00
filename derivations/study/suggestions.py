"""Did you mean …?  Small edits of a refuted statement; the first that is proved is suggested.

One row per edit: its name, the words shown, and a function from a statement to the edited statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from derivations.kernel.errors import KernelError
from derivations.language.term import (
    HALF,
    Add,
    Bracket,
    Entry,
    Index,
    IndexValue,
    Mul,
    Number,
    Pow,
    Statement,
    Sum,
    Term,
    TermError,
    Theory,
    constraint,
    fresh,
    guard,
    guard_substitute,
    less,
    substitute,
    subterms,
    within,
)
from derivations.provers.decide import Decision, Proved

MAX_TRIED = 40
"""Edited statements that are decided for one refutation."""


@dataclass(frozen=True)
class Edit:
    """A row: what is changed, in words, and how."""

    name: str
    words: str
    apply: Callable[[Statement, Theory], Iterator[Statement]]


def suggest(
    statement: Statement, theory: Theory, decide: Callable[[Statement, Theory], Decision]
) -> tuple[Edit, Statement] | None:
    """The first edit that gives a proved statement, with that statement."""
    tried = 0
    seen = {str(statement)}
    for edit in EDITS if statement.relation != "!=" else (EQUAL,):  # what differs somewhere is no correction
        for candidate in edit.apply(statement, theory):
            text = str(candidate)
            if text in seen or _trivial(candidate):
                continue
            seen.add(text)
            tried += 1
            if tried > MAX_TRIED:
                return None
            try:
                decision = decide(candidate, theory)
            except (KernelError, TermError):
                continue
            if isinstance(decision, Proved):
                return edit, candidate
    return None


def _trivial(s: Statement) -> bool:
    return s.left is s.right


def rewrite(term: Term, change: Callable[[Term], Term | None]) -> Term:
    """The term with every subterm that `change` knows replaced, outermost first."""
    new = change(term)
    if new is not None:
        return new
    children = term.children
    return term.with_children([rewrite(c, change) for c in children]) if children else term


def _other_axis(s: Statement, theory: Theory) -> Iterator[Statement]:
    """A sum over one index of an entry becomes the sum over its other index."""
    body = s.left
    if not (isinstance(body, Sum) and isinstance(body.body, Entry)):
        return
    entry = body.body
    shape = theory.shape(entry.name)
    for k, at in enumerate(entry.indices):
        if len(at.free) == 1 and at is Index.var(min(at.free)) and min(at.free) in s.indices:
            var = min(at.free)
            position = next((p for p, i in enumerate(entry.indices) if i is Index.var(body.var)), None)
            if position is None or shape is None or len(shape) != len(entry.indices):
                continue
            free = tuple(body.var if v == var else v for v in s.indices)
            conditions = tuple(c for c in s.guard if var not in c.free)
            left = Sum(var, within(var, 0, shape[k]), entry)
            yield replace(s, left=left, indices=free, guard=guard(*conditions, *within(body.var, 0, shape[position])))


def _swap_arguments(s: Statement, _: Theory) -> Iterator[Statement]:
    def swapped(t: Term) -> Term | None:
        if isinstance(t, Entry) and len(t.args) == 2:
            return Entry(t.name, t.indices, t.args[::-1], t.sizes)
        return None

    yield replace(s, right=rewrite(s.right, swapped))
    yield replace(s, left=rewrite(s.left, swapped))


def _swap_indices(s: Statement, theory: Theory) -> Iterator[Statement]:
    heads = sorted({t.name for t in subterms(s.right) if isinstance(t, Entry) and len(t.indices) == 2})
    for head in heads:

        def transposed(t: Term, head: str = head) -> Term | None:
            if isinstance(t, Entry) and t.name == head:
                return Entry(t.name, t.indices[::-1], t.args, t.sizes)
            return None

        yield replace(s, right=rewrite(s.right, transposed))
        shape = theory.shape(head)
        if shape is not None and len(shape) == 2:
            yield replace(s, left=rewrite(s.left, transposed))


def _exchange_free(s: Statement, _: Theory) -> Iterator[Statement]:
    """Two free indices exchanged on the right side."""
    for a in range(len(s.indices)):
        for b in range(a + 1, len(s.indices)):
            i, j = s.indices[a], s.indices[b]
            between = fresh(f"{i}0", s.right.free | set(s.indices))
            try:
                one = substitute(s.right, {i: Index.var(between)})
                two = substitute(one, {j: Index.var(i)})
                yield replace(s, right=substitute(two, {between: Index.var(j)}))
            except TermError:
                continue


def _strictness(s: Statement, _: Theory) -> Iterator[Statement]:
    def flipped(step: int) -> Callable[[Term], Term | None]:
        def change(t: Term) -> Term | None:
            if isinstance(t, Bracket) and len(t.condition) == 1 and t.condition[0].relation == ">=":
                return Bracket((constraint(t.condition[0].index + step),))
            return None

        return change

    for step in (1, -1):
        yield replace(s, right=rewrite(s.right, flipped(step)))
        yield replace(s, left=rewrite(s.left, flipped(step)))
    for c in s.guard:
        if len(c.free) == 2 and c.relation == ">=":
            strict = tuple(less(0, c.index) if x is c else x for x in s.guard)
            yield replace(s, guard=guard(*strict))


def _scale(s: Statement, _: Theory) -> Iterator[Statement]:
    """A missing or surplus factor sqrt(d) or d, for each size that occurs."""
    from derivations.language.term import term_sizes

    for name in sorted(term_sizes(s.left) | term_sizes(s.right)):
        size = IndexValue(Index.size(name))
        for factor in (Pow(size, HALF), Pow(Pow(size, HALF), -1), size, Pow(size, -1)):
            yield replace(s, right=Mul((s.right, factor)))


def _sign(s: Statement, _: Theory) -> Iterator[Statement]:
    yield replace(s, right=Mul((Number(-1), s.right)))
    if isinstance(s.right, Add):
        for k, part in enumerate(s.right.args):
            flipped = Mul((Number(-1), part))
            yield replace(s, right=Add((*s.right.args[:k], flipped, *s.right.args[k + 1 :])))


def _bound_index(s: Statement, _: Theory) -> Iterator[Statement]:
    """A bound index put for a free one inside a sum on the right (an index slip)."""
    for t in subterms(s.right):
        if isinstance(t, Sum):
            for free in sorted(t.body.free - {t.var}):
                if free in s.indices:
                    try:
                        body = substitute(t.body, {free: Index.var(t.var)})
                    except TermError:
                        continue
                    slip = Sum(t.var, guard_substitute(t.guard, {}), body)
                    old = t

                    def change(x: Term, old: Term = old, slip: Term = slip) -> Term | None:
                        return slip if x is old else None

                    yield replace(s, right=rewrite(s.right, change))


EQUAL = Edit("equal", "an equation", lambda s, _: iter((replace(s, relation="="),)))

EDITS: tuple[Edit, ...] = (
    Edit("other-axis", "the sum over the other index", _other_axis),
    Edit("swapped-arguments", "the arguments in the other order", _swap_arguments),
    Edit("swapped-indices", "the two indices exchanged", _swap_indices),
    Edit("exchanged-indices", "the free indices exchanged", _exchange_free),
    Edit("strictness", "< and <= exchanged", _strictness),
    Edit("scale", "another factor", _scale),
    Edit("sign", "the other sign", _sign),
    Edit("bound-index", "the index of the sum in that place", _bound_index),
)
