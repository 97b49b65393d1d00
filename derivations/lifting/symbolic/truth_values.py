"""Truth values: conditions on indices as disjunctions, tests of data as trees of cases, and terms that are chosen by them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from derivations.language.term import (
    ONE,
    ZERO,
    Add,
    Bracket,
    Case,
    Choice,
    Constraint,
    Guard,
    Mul,
    NegInfinity,
    Number,
    Term,
    guard,
)
from derivations.lifting.symbolic.not_lifted import NotLifted

MAX_DISJUNCTS = 16
"""Alternatives of one condition; more are refused."""
Condition = tuple[Guard, ...]
"""A disjunction of conjunctions of constraints on indices: `((),)` is true, `()` is false."""
TRUE: Condition = ((),)
FALSE: Condition = ()


@dataclass(frozen=True)
class Test:
    """A truth value that depends on data: a tree of case distinctions whose ends are 1 (true) and 0 (false)."""

    term: Term


Truth = Condition | Test


def condition(*conjunctions: Iterable[Constraint]) -> Condition:
    """A disjunction without false parts and repetitions.

    >>> from derivations.language.term import at_least
    >>> condition([at_least(0, 1)]), condition([at_least(1, 0)])
    ((), ((),))
    """
    found: list[Guard] = []
    for conjunction in conjunctions:
        g = guard(*conjunction)
        if g not in found and not any(c.index.is_constant for c in g):
            found.append(g)
    if () in found:
        return TRUE
    if len(found) > MAX_DISJUNCTS:
        raise NotLifted(f"a condition with more than {MAX_DISJUNCTS} alternatives")
    return tuple(found)


def both(a: Condition, b: Condition) -> Condition:
    return condition(*((*g, *h) for g in a for h in b))


def either(a: Condition, b: Condition) -> Condition:
    return condition(*a, *b)


def negated(a: Condition) -> Condition:
    result = TRUE
    for g in a:
        result = both(result, condition(*((n,) for c in g for n in c.negations())))
    return result


def all_of(a: Truth, b: Truth) -> Truth:
    """Both of two truth values, of data too."""
    if isinstance(a, Test) or isinstance(b, Test):
        return Test(selected(a, selected(b, ONE, ZERO), ZERO))
    return both(a, b)


def any_of(a: Truth, b: Truth) -> Truth:
    """One of two truth values, of data too."""
    if isinstance(a, Test) or isinstance(b, Test):
        return Test(selected(a, ONE, selected(b, ONE, ZERO)))
    return either(a, b)


def opposite(a: Truth) -> Truth:
    """The other truth value, of data too."""
    return Test(selected(a, ZERO, ONE)) if isinstance(a, Test) else negated(a)


def selected(when: Truth, yes: Term, no: Term) -> Term:
    """`yes` where a truth value holds, else `no`."""
    if not isinstance(when, Test):
        return chosen(when, yes, no)
    if isinstance(yes, NegInfinity) or isinstance(no, NegInfinity):
        raise NotLifted("a mask that depends on values of data")
    return _selected(when.term, yes, no)


def _selected(tree: Term, yes: Term, no: Term) -> Term:
    if isinstance(tree, Choice):
        return Choice(tree.test, _selected(tree.above, yes, no), _selected(tree.otherwise, yes, no))
    if isinstance(tree, Case):
        rows = [(g, _selected(b, yes, no)) for g, b in tree.branches]
        return Case(rows, _selected(tree.otherwise, yes, no))
    if isinstance(tree, Bracket):
        return Case([(tree.condition, yes)], no)
    return yes if tree is ONE else no


def chosen(when: Condition, yes: Term, no: Term) -> Term:
    """`yes` where the condition holds, else `no`."""
    if when == TRUE or yes is no:
        return yes
    if when == FALSE:
        return no
    if len(when) == 1 and yes is ONE and no is ZERO:
        return Bracket(when[0])
    if isinstance(yes, NegInfinity) or (yes is ZERO and not isinstance(no, NegInfinity)):
        other = negated(when)  # scores stay first, as equations write masks
        if len(other) <= len(when):
            return (
                chosen(other, no, yes)
                if not isinstance(no, NegInfinity) and no is not ZERO
                else Case([(g, no) for g in other], yes)
            )
    return Case([(g, yes) for g in when], no)


def pieces(t: Term) -> list[tuple[Condition, Number]] | None:
    """The values of a term that takes finitely many known values, each with its condition; None for any other term."""
    if isinstance(t, Number):
        return [(TRUE, t)]
    if isinstance(t, Bracket):
        return [((t.condition,), Number(1)), (negated((t.condition,)), Number(0))]
    if isinstance(t, Case):
        rest, found = TRUE, []
        for g, branch in [*t.branches, ((), t.otherwise)]:
            inner = pieces(branch)
            if inner is None:
                return None
            here = both(rest, (g,))
            found += [(both(here, c), v) for c, v in inner]
            rest = both(rest, negated((g,)))
        return [(c, v) for c, v in found if c != FALSE]
    if isinstance(t, Add | Mul):
        total: list[tuple[Condition, Any]] = [(TRUE, int(isinstance(t, Mul)))]
        for part in t.args:
            inner = pieces(part)
            if inner is None:
                return None
            times = isinstance(t, Mul)
            total = [(both(c, d), v * w.value if times else v + w.value) for c, v in total for d, w in inner]
            total = [(c, v) for c, v in total if c != FALSE]
            if len(total) > MAX_DISJUNCTS:
                return None
        return [(c, Number(v)) for c, v in total]
    return None
