"""Terms with definitions put in, and what stands in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from derivations.kernel.definition import instance
from derivations.language.statement import Statement, Theory
from derivations.language.substitution import subterms
from derivations.language.term import Bracket, Case, Entry, Guard, Lambda, NegInfinity, Sum, Term, TermError

MAX_UNFOLDED = 40
"""Definitions that are put in below one another."""


def unfolded(t: Term, theory: Theory, stop: frozenset[str]) -> Term:
    """The term with definitions put in, down to the symbols in `stop`.

    A recurrence is put in once at a place that is no number, and step by step at one that is.  The term itself where that
    is nested too deep: the hundredth state of a recurrence.
    """
    try:
        return _unfolded(t, theory, stop, MAX_UNFOLDED)
    except TermError:
        return t


def _unfolded(t: Term, theory: Theory, stop: frozenset[str], limit: int) -> Term:
    if not limit or t.heads.isdisjoint(theory.definitions.keys() - stop):
        return t
    if isinstance(t, Entry) and t.name in theory.definitions and t.name not in stop:
        is_step = bool(t.indices) and all(i.is_constant and i.const >= 0 for i in t.indices)
        below = stop if is_step else stop | {t.name}
        cases: list[tuple[Guard, Term]] = []
        for d in theory.definitions[t.name]:
            found = instance(d, t, t.free)
            if found is None:
                continue
            body = _unfolded(found[0], theory, below, limit - 1)
            if not found[1]:
                return Case(cases, body) if cases else body
            cases.append((found[1], body))
        if len(cases) > 1 and _complete([g for g, _ in cases]):
            return Case(cases[:-1], cases[-1][1])
        return t
    if isinstance(t, Entry) and t.args:
        lambdas = [Lambda(a.params, _unfolded(a.body, theory, stop, limit)) for a in t.args]
        return Entry(t.name, t.indices, lambdas, t.sizes)
    return t.with_children([_unfolded(c, theory, stop, limit) for c in t.children]) if t.children else t


def _complete(guards: Sequence[Guard]) -> bool:
    """Whether single conditions cover all indices: j <= i and i < j."""
    last = guards[-1]
    return len(last) == 1 and any(len(g) == 1 and last[0].negations() == (g[0],) for g in guards[:-1])


def with_definitions_put_in(s: Statement, theory: Theory) -> Statement:
    """The statement with the left side unfolded, definitions by cases joined."""
    return replace(s, left=unfolded(s.left, theory, frozenset()))


def blocks_places(t: Term) -> bool:
    """Whether a definition leaves out places: minus infinity, a bracket, a sum up to another index."""
    if has_minus_infinity(t) or any(isinstance(x, Bracket) for x in subterms(t)):
        return True
    return any(len(c.free) > 1 for x in subterms(t) if isinstance(x, Sum) for c in x.guard)


def has_minus_infinity(t: Term) -> bool:
    return any(isinstance(x, NegInfinity) for x in subterms(t))
