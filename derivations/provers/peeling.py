"""The first value of a recursive symbol taken out of a sum: `sum(s <= t; A^(t-s) f_s) = f_t + sum(s < t; A^(t-s) f_s)`."""

from __future__ import annotations

from collections.abc import Iterator

from derivations.kernel.definition import descent
from derivations.kernel.linear import consistent, entails
from derivations.kernel.proof import Step
from derivations.kernel.scope import Path, Scope, put
from derivations.kernel.sign import integral
from derivations.language.substitution import rename_apart, substitute, subterms
from derivations.language.term import (
    Add,
    Constraint,
    Entry,
    Guard,
    Index,
    Mul,
    Pow,
    Sum,
    Term,
    at_least,
    guard,
    guard_substitute,
)
from derivations.provers.normal import Normaliser
from derivations.provers.summation_ranges import minimal_range
from derivations.provers.trace import Trace

MAX_ROUNDS = 4
"""Rounds of normalising after that."""
MAX_REFLECTED = 4
"""Sums of one monomial that are taken from their other ends."""
MAX_CUT = 3
"""Most values by which one of two sums is longer."""
MAX_PEELED = 4
"""Sums of one term from which a value is taken."""


def peeled(term: Term, scope: Scope, normaliser: Normaliser) -> Iterator[tuple[Term, Trace]]:
    """The normal form with the first value taken out of one sum over a recursive symbol, and out of all such sums."""
    found = list(_sums(term, scope, ()))[:MAX_PEELED]
    choices = [[row] for row in found] + ([found] if len(found) > 1 else [])
    for chosen in choices:
        trace, result = Trace(), term
        for path, sum_, on in chosen:
            parts = [Sum(sum_.var, guard(*sum_.guard, c), sum_.body) for c in (on, *on.negations())]
            trace.at(Step("sum_split", path, sum_, Add(parts), {"on": on}))
            result = put(result, path, Add(parts))
        for _ in range(MAX_ROUNDS):  # what is cut in one round may be unfolded and joined in the next
            after, rest = normaliser.start(result, scope)
            trace.then(rest)
            if after is result:
                break
            result = after
        yield aligned(result, scope, normaliser, trace), trace


def reflected(term: Term, scope: Scope, normaliser: Normaliser) -> Iterator[tuple[Term, Trace]]:
    """The normal form with one sum over a recursive symbol taken from its other end: `sum(s <= t; f[t - s] g[s])`."""
    monomials = term.args if isinstance(term, Add) else (term,)
    for k, m in enumerate(monomials):
        for path, sum_, last in list(_ends(m, ()))[:MAX_REFLECTED]:
            first = _first(sum_)
            recursive = any(scope.theory.recursive(h) for h in sum_.body.heads)
            if first is None or sum_.var in (first + last).free or not recursive:
                continue
            there = first + last - Index.var(sum_.var)
            range_ = guard_substitute(sum_.guard, {sum_.var: there})
            body = substitute(rename_apart(sum_.body, {sum_.var}), {sum_.var: there})
            place = (k, *path) if isinstance(term, Add) else path
            trace, turned = Trace(), Sum(sum_.var, range_, body)
            trace.at(Step("sum_bij", place, sum_, turned, {"sign": -1, "shift": first + last}))
            after, rest = normaliser.start(put(term, place, turned), scope)
            trace.then(rest)
            yield after, trace


def turned(term: Term, trace: Trace) -> Term:
    """A term with its sums of falling powers taken from their other ends: `\\sum_{i<n} b^{n-1-i}` as one of rising powers."""
    for path, sum_ in list(_outermost(term, ())):
        first, last = _first(sum_), next((end for _, t, end in _ends(sum_, ()) if t is sum_), None)
        exponents = [e for u in subterms(sum_.body) if isinstance(u, Pow) and (e := integral(u.exponent)) is not None]
        falls = [e.coefficient(sum_.var) < 0 for e in exponents if sum_.var in e.free]
        if first is None or last is None or sum_.var in (first + last).free or not falls or not all(falls):
            continue
        there = first + last - Index.var(sum_.var)
        range_ = guard_substitute(sum_.guard, {sum_.var: there})
        other = Sum(sum_.var, range_, substitute(rename_apart(sum_.body, {sum_.var}), {sum_.var: there}))
        trace.at(Step("sum_bij", path, sum_, other, {"sign": -1, "shift": first + last}))
        term = put(term, path, other)
    return term


def from_zero(term: Term, scope: Scope, trace: Trace) -> Term:
    """A term with its sums of powers that begin at another index taken from 0: `\\sum_{t \\le k < n} b^{k - t}`."""
    for path, sum_ in list(_outermost(term, ())):
        plain = Sum(sum_.var, minimal_range(sum_.var, sum_.guard, scope.facts), sum_.body)
        low = _first(plain)
        exponents = [e for u in subterms(sum_.body) if isinstance(u, Pow) and (e := integral(u.exponent)) is not None]
        if low is None or not low.free or not any(sum_.var in e.free for e in exponents):
            continue
        moved = {sum_.var: Index.var(sum_.var) + low}
        body = substitute(rename_apart(sum_.body, {sum_.var, *low.free}), moved)
        other = Sum(sum_.var, guard_substitute(plain.guard, moved), body)
        if plain is not sum_:
            trace.at(Step("sum_congr_range", path, sum_, plain))
        trace.at(Step("sum_bij", path, plain, other, {"sign": 1, "shift": low}))
        term = put(term, path, other)
    return term


def _outermost(term: Term, path: Path) -> Iterator[tuple[Path, Sum]]:
    """The sums of a term that stand in no other one."""
    if isinstance(term, Sum):
        yield path, term
        return
    for k, child in enumerate(term.children):
        yield from _outermost(child, (*path, k))


def _first(t: Sum) -> Index | None:
    """The first value of the index of a sum, where one constraint says it."""
    lows = [Index.var(t.var) - c.index for c in t.guard if c.relation == ">=" and c.index.coefficient(t.var) == 1]
    return lows[0] if len(lows) == 1 and t.var not in lows[0].free else None


def aligned(term: Term, scope: Scope, normaliser: Normaliser, trace: Trace) -> Term:
    """Sums that differ in their last values only, with opposite signs, as those values."""
    for _ in range(MAX_ROUNDS):
        shorter = next(_cut(term, scope, normaliser), None)
        if shorter is None:
            return term
        term, rest = shorter
        trace.then(rest)
    return term


def _cut(term: Term, scope: Scope, normaliser: Normaliser) -> Iterator[tuple[Term, Trace]]:
    """Each way to cut a sum of one monomial where a sum of another one ends, if that leaves less."""
    monomials = term.args if isinstance(term, Add) else ()
    ends = [(k, *row) for k, m in enumerate(monomials) for row in _ends(m, ())]
    for k, path, sum_, last in ends:
        for j, _, _, other in ends:
            if j == k or not (last - other).is_constant or not 1 <= (last - other).const <= MAX_CUT:
                continue
            on = at_least(other, Index.var(sum_.var))
            if not other.free <= {*scope.variables, *term.free} or len(on.negations()) != 1:
                continue
            trace, inner = Trace(), Trace()
            pieces = _split(monomials[k], path, sum_, on, inner)
            trace.below(k, inner)
            after, rest = normaliser.start(term.with_children([*monomials[:k], pieces, *monomials[k + 1 :]]), scope)
            trace.then(rest)
            if after.nodes < term.nodes:
                yield after, trace


def cut_as(term: Term, other: Term, scope: Scope, normaliser: Normaliser) -> Iterator[tuple[Term, Trace]]:
    """The normal form with a sum cut where a sum of another term ends, a few places earlier."""
    monomials = term.args if isinstance(term, Add) else (term,)
    there = [last for m in (other.args if isinstance(other, Add) else (other,)) for _, _, last in _ends(m, ())]
    tried: set[tuple[int, Path, Constraint]] = set()
    for k, m in enumerate(monomials):
        for path, sum_, last in _ends(m, ()):
            for end in there:
                on = at_least(end, Index.var(sum_.var))
                if not (last - end).is_constant or not 1 <= (last - end).const <= MAX_CUT:
                    continue
                if (k, path, on) in tried or not end.free <= set(scope.variables) or len(on.negations()) != 1:
                    continue
                tried.add((k, path, on))
                trace, inner = Trace(), Trace()
                pieces = _split(m, path, sum_, on, inner)
                trace.below(k, inner) if isinstance(term, Add) else trace.then(inner)
                whole = (
                    term.with_children([*monomials[:k], pieces, *monomials[k + 1 :]])
                    if isinstance(term, Add)
                    else pieces
                )
                after, rest = normaliser.start(whole, scope)
                trace.then(rest)
                yield after, trace


def _split(m: Term, path: Path, sum_: Sum, on: Constraint, trace: Trace) -> Term:
    """A monomial as two, one of its sums cut in two."""
    parts: Term = Add([Sum(sum_.var, guard(*sum_.guard, c), sum_.body) for c in (on, *on.negations())])
    trace.at(Step("sum_split", path, sum_, parts, {"on": on}))
    m = put(m, path, parts)
    while path:
        *above, k = path
        path = tuple(above)
        parent = m
        for child in path:
            parent = parent.children[child]
        both = [put(parent, (k,), piece) for piece in parent.children[k].children]
        rule = "sum_add_distrib" if isinstance(parent, Sum) else "ring"
        trace.at(Step(rule, path, parent, Add(both)))
        m = put(m, path, Add(both))
    return m


def _ends(t: Term, path: Path) -> Iterator[tuple[Path, Sum, Index]]:
    """The sums of a monomial with the last values of their indices."""
    if isinstance(t, Sum):
        for c in t.guard:
            if c.relation == ">=" and c.index.coefficient(t.var) == -1:
                yield path, t, c.index + Index.var(t.var)
        yield from _ends(t.body, (*path, 0))
    elif isinstance(t, Mul):
        for k, f in enumerate(t.args):
            yield from _ends(f, (*path, k))


def _sums(term: Term, scope: Scope, path: Path) -> Iterator[tuple[Path, Sum, Constraint]]:
    """The outermost sums that reach the first value of a recursive symbol at one end, and the condition for the rest."""
    if isinstance(term, Sum):
        on = _before_first(term, scope)
        if on is not None:
            yield path, term, on
            return
    for k, child in enumerate(term.children):
        yield from _sums(child, scope.inside(term, k), (*path, k))


def _before_first(t: Sum, scope: Scope) -> Constraint | None:
    known = scope.inside(t, 0).facts
    for e in subterms(t.body):
        if not isinstance(e, Entry) or not scope.theory.recursive(e.name) or e.args:
            continue
        place = descent(scope.theory.definitions[e.name])
        at = e.indices[place[0]] if place is not None else Index()
        if abs(at.coefficient(t.var)) != 1 or not at.free <= {t.var, *scope.variables}:
            continue
        later = at_least(at, 1)
        if entails(known, at_least(at, 0)) and not entails(known, later) and _is_reached(t.guard, later, scope):
            return later
    return None


def _is_reached(range_: Guard, later: Constraint, scope: Scope) -> bool:
    """Whether the first value is taken: the other part of the range is not known to be empty."""
    return len(later.negations()) == 1 and consistent(guard(*scope.facts, *range_, *later.negations()))
