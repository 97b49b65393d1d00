"""Sums over adjacent ranges joined: sum(1 <= j < n, f[j]) + f[0] is sum(j < n, f[j]), and so is a sum cut in two.

Each join is found by cutting the longer sum again: the steps of that cut, read backwards, are its proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from derivations.kernel.linear import entails, equal_indices
from derivations.kernel.scope import Scope
from derivations.language.substitution import alpha_equal, rename_apart, substitute, subterms
from derivations.language.term import Add, Constraint, Entry, Index, Mul, Number, Sum, Term, at_least, halved, within
from derivations.provers import powers
from derivations.provers.summation_ranges import intervals
from derivations.provers.sums import sum_core
from derivations.provers.trace import Trace, reverse

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser

Part = tuple[list[Term], Sum, Index, Index]
"""The factors beside a sum, the sum, its bounds (low <= index < high)."""


def join(normaliser: Normaliser, t: Add, scope: Scope, trace: Trace) -> Term:
    """One join in a sum of monomials; the same term when there is none."""
    parts = {k: p for k, m in enumerate(t.args) if (p := _part(m)) is not None}
    for k, (outside, total, low, high) in parts.items():
        for j, m in enumerate(t.args):
            if j == k or not _alike(t.args[k], m):
                continue
            for longer, on in _longer(parts.get(j), outside, total, low, high, scope):
                inner = Trace()
                cut = _cut(normaliser, longer, on, scope, inner)
                product = Mul((*outside, cut)) if outside else cut
                if not _is(normaliser, product, Add((t.args[k], m)), scope):
                    continue
                rest = [a for n, a in enumerate(t.args) if n not in (j, k)]
                shaped = Add((product, *rest)) if rest else product
                trace.step("ring", t, shaped)
                place = (*((0,) if rest else ()), *((len(outside),) if outside else ()))
                for step in reverse(inner.chain(place)):
                    trace.at(step)
                joined = Mul((*outside, longer)) if outside else longer
                return Add((joined, *rest)) if rest else joined
    return t


def _part(m: Term) -> Part | None:
    factors = list(m.args) if isinstance(m, Mul) else [m]
    sums = [f for f in factors if isinstance(f, Sum)]
    if len(sums) != 1:
        return None
    for low, high in intervals(sums[0]):
        if not (high - low).is_constant:
            return [f for f in factors if f is not sums[0]], sums[0], low, high
    return None


def _alike(a: Term, b: Term) -> bool:
    """A quick test whether one monomial may be a term of the other's sum."""
    more = a.heads - b.heads  # g^(t - j) is 1 at j = t
    return b.heads <= a.heads and (not more or more <= frozenset().union(*powers.symbolic_bases(a)))


def _longer(
    other: Part | None, outside: list[Term], total: Sum, low: Index, high: Index, scope: Scope
) -> Iterator[tuple[Sum, Constraint]]:
    """Sums that are cut into this one and something else, with the place of the cut."""
    v = Index.var(total.var)
    if other is not None:
        if len(other[0]) == len(outside) and other[2] is high and entails(scope.facts, at_least(other[3], high)):
            if entails(scope.facts, at_least(high, low)):
                yield Sum(total.var, within(total.var, low, other[3]), total.body), at_least(v, high)
            return
        if _goes_on(other, outside, high):
            end = high + other[3]
            whole = halved(high) if high is other[3] else None
            end = whole if whole is not None and equal_indices(scope.facts, end, whole) else end
            yield Sum(total.var, within(total.var, low, end), total.body), at_least(v, high)
            return
        if not any(isinstance(f, Sum) for f in (total.body.args if isinstance(total.body, Mul) else (total.body,))):
            return
    if entails(scope.facts, at_least(high, low)):
        yield Sum(total.var, within(total.var, low - 1, high), total.body), at_least(v, low)
        yield Sum(total.var, within(total.var, low, high + 1), total.body), at_least(v, high)


def _goes_on(other: Part, outside: list[Term], high: Index) -> bool:
    """Whether a sum over j' = j - h from 0 on is the rest of one that ends at h: it reads entries at j' + h."""
    if len(other[0]) != len(outside) or other[2] is not Index() or not high.sizes or high.free:
        return False
    place = Index.var(other[1].var) + high
    return any(isinstance(u, Entry) and place in u.indices for u in subterms(other[1].body))


def _cut(normaliser: Normaliser, longer: Sum, on: Constraint, scope: Scope, trace: Trace) -> Term:
    pieces = [Sum(longer.var, (*longer.guard, c), longer.body) for c in (on, *on.negations())]
    trace.step("sum_split", longer, Add(pieces), on=on)
    new = []
    for k, piece in enumerate(pieces):
        inner = Trace()
        found, _ = sum_core(normaliser, piece, False, scope, inner)
        trace.below(k, inner)
        new.append(found)
    return Add(new)


def _is(normaliser: Normaliser, one: Term, other: Term, scope: Scope) -> bool:
    return alpha_equal(normaliser.expand(one, scope), normaliser.expand(other, scope))


def shorten(normaliser: Normaliser, t: Add, scope: Scope, trace: Trace) -> Term:
    """sum(j < n, f[j]) - f[0] as sum(1 <= j < n, f[j]); the same term when nothing is taken away at an end."""
    for k, m in enumerate(t.args):
        part = _part(m)
        if part is None:
            continue
        outside, total, low, high = part
        if not entails(scope.facts, at_least(high - 1, low)):
            continue
        v = Index.var(total.var)
        for end, on in ((low, at_least(v, low + 1)), (high - 1, at_least(v, high - 1))):
            body = substitute(rename_apart(total.body, {total.var, *end.free}), {total.var: end})
            taken, _ = normaliser.norm(Mul((Number(-1), *outside, body)), scope)
            if any(alpha_equal(taken, a) for a in t.args):
                return _with_cut(normaliser, t, k, part, on, scope, trace)
        for on in _taken_away(t, k, part, scope):
            inner = Trace()
            after = _with_cut(normaliser, t, k, part, on, scope, inner)
            left = normaliser.expand(after, scope)
            if len(left.args if isinstance(left, Add) else (left,)) < len(t.args):
                trace.then(inner)
                return after
        for j, first, last in _moved(t, k, part, scope):
            inner = Trace()
            after = _with_cut(normaliser, t, k, part, first, scope, inner)
            further = Trace()
            after = _with_cut(normaliser, after, j, _part(t.args[j]) or part, last, scope, further)  # type: ignore[arg-type]
            left = normaliser.expand(after, scope)
            if len(_sums(left)) < len(_sums(t)):
                trace.then(inner)
                trace.then(further)
                return after
    return t


def _sums(t: Term) -> list[Term]:
    """The monomials with a sum."""
    return [a for a in (t.args if isinstance(t, Add) else (t,)) if _part(a) is not None]


def _moved(t: Add, k: int, part: Part, scope: Scope) -> Iterator[tuple[int, Constraint, Constraint]]:
    """Where to cut two sums of the same summands, of which one goes from further on and further: sum(j < n, f[j]) -
    sum(1 <= j <= n, f[j])."""
    _, total, low, high = part
    v, whole = Index.var(total.var), Sum(total.var, (), total.body)
    for j, m in enumerate(t.args):
        other = _part(m) if j != k else None
        if other is None or not alpha_equal(Sum(other[1].var, (), other[1].body), whole):
            continue
        ahead, more = other[2] - low, other[3] - high
        if not (ahead.is_constant and more.is_constant and ahead.const > 0 and more.const > 0):
            continue
        if entails(scope.facts, at_least(high, other[2])):
            yield j, at_least(v, other[2]), at_least(Index.var(other[1].var), high)


def _with_cut(normaliser: Normaliser, t: Add, k: int, part: Part, on: Constraint, scope: Scope, trace: Trace) -> Term:
    """A sum of monomials in which the sum of number k is written in two parts."""
    outside, total, _, _ = part
    inner = Trace()
    cut = _cut(normaliser, total, on, scope, inner)
    new = Mul((*outside, cut)) if outside else cut
    shaped = Trace()
    shaped.step("ring", t.args[k], Mul((*outside, total)) if outside else total)
    if outside:
        shaped.below(len(outside), inner)
    else:
        shaped.then(inner)
    trace.below(k, shaped)
    return t.with_children([*t.args[:k], new, *t.args[k + 1 :]])


def _taken_away(t: Add, k: int, part: Part, scope: Scope) -> Iterator[Constraint]:
    """Where to cut a sum of which another monomial takes away an end: sum(j < n, f[j]) - sum(i < j < n, f[j])."""
    _, total, low, high = part
    v, whole = Index.var(total.var), Sum(total.var, (), total.body)
    for j, m in enumerate(t.args):
        other = _part(m) if j != k else None
        if other is None or not alpha_equal(Sum(other[1].var, (), other[1].body), whole):
            continue
        if other[3] is high and entails(scope.facts, at_least(other[2], low)):
            yield at_least(v, other[2])
        elif other[2] is low and entails(scope.facts, at_least(high, other[3])):
            yield at_least(v, other[3])


def cut_longer(normaliser: Normaliser, terms: Sequence[Term], scope: Scope) -> list[tuple[Term, Trace]] | None:
    """Terms in which sums that go further than another one of the same summands are cut there: sum(j < t, f[j]) as
    sum(j < t - 1, f[j]) + f[t - 1] beside sum(j < t - 1, f[j]); None where there are no such two."""
    found: list[tuple[Sum, Index, Index]] = []
    for s in {u for t in terms for u in subterms(t) if isinstance(u, Sum) and u.free <= set(scope.variables)}:
        found += [(s, low, high) for low, high in intervals(s)]
    shorter: dict[Sum, Index] = {}
    for long, low, high in found:
        for short, first, end in found:
            less = high - shorter.get(long, high)
            if first is low and (high - end).is_constant and (high - end).const > less.const:
                if alpha_equal(Sum(long.var, (), long.body), Sum(short.var, (), short.body)):
                    if entails(scope.facts, at_least(end, low)):
                        shorter[long] = end
    if not shorter:
        return None
    apart = normaliser.without_joins()
    made = []
    for t in terms:
        trace = Trace()
        new = _cut_all(normaliser, t, shorter, scope, trace)
        result, rest = apart.start(new, scope)
        trace.then(rest)
        made.append((result, trace))
    return made


def _cut_all(normaliser: Normaliser, t: Term, shorter: Mapping[Sum, Index], scope: Scope, trace: Trace) -> Term:
    if isinstance(t, Sum) and t in shorter:
        return _cut(normaliser, t, at_least(Index.var(t.var), shorter[t]), scope, trace)
    new = list(t.children)
    for k, child in enumerate(new):
        below = Trace()
        new[k] = _cut_all(normaliser, child, shorter, scope.inside(t, k), below)
        trace.below(k, below)
    return t.with_children(new) if new else t
