"""Rules of finite sums."""

from __future__ import annotations

from derivations.kernel import ring as ring_laws
from derivations.kernel.errors import Refused
from derivations.kernel.linear import bounded, consistent, entails, equal_indices, equivalent
from derivations.kernel.rules.requirements import must_agree, must_be, must_number_parts
from derivations.kernel.rules.table import rule
from derivations.kernel.scope import Scope
from derivations.language.substitution import rename_apart, substitute
from derivations.language.term import (
    ZERO,
    Add,
    Bracket,
    Constraint,
    Index,
    IndexValue,
    Lambda,
    Max,
    Mul,
    Sum,
    Term,
    at_least,
    constraint,
    guard,
    guard_free,
    guard_substitute,
    permuted,
    product_of,
    within,
)


@rule()
def sum_add_distrib(before: Term, after: Term, scope: Scope) -> None:
    """The sum of a sum is the sum of the sums."""
    must_be("sum_add_distrib", before, Sum, "sum(j, a + b)")
    total: Sum = before  # type: ignore[assignment]
    must_be("sum_add_distrib", total.body, Add, "a sum of terms under the sum")
    must_agree("sum_add_distrib", Add(Sum(total.var, total.guard, t) for t in total.body.children), after)


@rule()
def mul_sum(before: Term, after: Term, scope: Scope, factors: tuple[int, ...]) -> None:
    """Pull factors that do not depend on the index out of a sum.

    Refuses when a factor depends on the index of the sum.
    """
    must_be("mul_sum", before, Sum, "sum(j, a * f[j])")
    total: Sum = before  # type: ignore[assignment]
    must_be("mul_sum", total.body, Mul, "a product under the sum")
    parts = total.body.children
    must_number_parts("mul_sum", factors, len(parts))
    for k in factors:
        if total.var in parts[k].free:
            raise Refused("mul_sum", f"a factor without {total.var}", str(parts[k]))
    pulled = [parts[k] for k in factors]
    rest = [p for k, p in enumerate(parts) if k not in factors]
    must_agree("mul_sum", Mul([*pulled, Sum(total.var, total.guard, product_of(rest))]), after)


@rule()
def sum_comm(before: Term, after: Term, scope: Scope) -> None:
    """Exchange two finite sums (Fubini), with ranges that describe the same pairs of indices.

    Refuses when the ranges differ, or when a range does not bound its index.
    """
    for side in (before, after):
        must_be("sum_comm", side, Sum, "sum(i, sum(j, f))")
        must_be("sum_comm", side.children[0], Sum, "sum(i, sum(j, f))")
    outer: Sum = before  # type: ignore[assignment]
    inner: Sum = outer.body  # type: ignore[assignment]
    new_outer: Sum = after  # type: ignore[assignment]
    new_inner: Sum = new_outer.body  # type: ignore[assignment]
    if {outer.var, inner.var} != {new_outer.var, new_inner.var} or outer.var == inner.var:
        raise Refused("sum_comm", f"the two indices {outer.var}, {inner.var}", f"{new_outer.var}, {new_inner.var}")
    if inner.var in guard_free(outer.guard) or new_inner.var in guard_free(new_outer.guard):
        raise Refused("sum_comm", "an outer range without the inner index", str(after))
    if {outer.var, inner.var} & set(scope.variables):
        raise Refused("sum_comm", "bound variables distinct from those in scope", str(before))
    pairs, new_pairs = guard(*outer.guard, *inner.guard), guard(*new_outer.guard, *new_inner.guard)
    if not equivalent(scope.facts, pairs, new_pairs):
        raise Refused("sum_comm", f"the pairs with {pairs}", f"those with {new_pairs}")
    for s in (new_outer, new_inner):
        if not bounded(s.var, s.guard):
            raise Refused("sum_comm", f"a range that bounds {s.var}", str(s))
    must_agree("sum_comm", inner.body, new_inner.body)


@rule()
def sum_congr_range(before: Term, after: Term, scope: Scope) -> None:
    """Describe the range of a sum or maximum by other constraints that hold for the same indices."""
    old, new = before, after
    if not (isinstance(old, (Sum, Max)) and isinstance(new, (Sum, Max)) and type(old) is type(new)):
        raise Refused("sum_congr_range", "two sums", f"{before} and {after}")
    if old.var != new.var or old.var in scope.variables:
        raise Refused("sum_congr_range", "the same bound index, distinct from those in scope", f"{old.var}, {new.var}")
    if not equivalent(scope.facts, old.guard, new.guard):
        raise Refused("sum_congr_range", f"the indices with {old.guard}", f"those with {new.guard}")
    if not bounded(new.var, new.guard):
        raise Refused("sum_congr_range", f"a range that bounds {new.var}", str(new))
    must_agree("sum_congr_range", old.body, new.body)


@rule()
def sum_ite(before: Term, after: Term, scope: Scope, factor: int) -> None:
    """A bracket under a sum becomes part of its range: sum(j, [g] f) = sum(j with g, f)."""
    must_be("sum_ite", before, Sum, "sum(j, [g] * f)")
    total: Sum = before  # type: ignore[assignment]
    parts = total.body.args if isinstance(total.body, Mul) else (total.body,)
    if not 0 <= factor < len(parts) or not isinstance(parts[factor], Bracket):
        raise Refused("sum_ite", f"a bracket as factor {factor}", str(total.body))
    bracket: Bracket = parts[factor]  # type: ignore[assignment]
    rest = [p for k, p in enumerate(parts) if k != factor]
    must_agree("sum_ite", Sum(total.var, (*total.guard, *bracket.condition), product_of(rest)), after)


@rule()
def sum_empty(before: Term, after: Term, scope: Scope) -> None:
    """A sum over an empty range is 0."""
    must_be("sum_empty", before, Sum, "a sum")
    total: Sum = before  # type: ignore[assignment]
    apart: Sum = rename_apart(total, scope.variables)  # type: ignore[assignment]
    if consistent(guard(*scope.facts, *apart.guard)):
        raise Refused("sum_empty", "a range without indices", str(total.guard))
    must_agree("sum_empty", ZERO, after)


@rule()
def sum_zero(before: Term, after: Term, scope: Scope) -> None:
    """A sum of zeros is 0."""
    must_be("sum_zero", before, Sum, "sum(j, 0)")
    must_agree("sum_zero", before.children[0], ZERO)
    must_agree("sum_zero", ZERO, after)


@rule()
def sum_ite_eq(before: Term, after: Term, scope: Scope, value: Index) -> None:
    """Delta elimination: a sum whose range fixes its index to `value` is [value in range] times the term there.

    Refuses when the range does not fix the index.
    """
    must_be("sum_ite_eq", before, Sum, "a sum")
    total: Sum = rename_apart(before, {*scope.variables, *value.free})  # type: ignore[assignment]
    if total.var in value.free:
        raise Refused("sum_ite_eq", f"a value without {total.var}", str(value))
    if not equal_indices(guard(*scope.facts, *total.guard), Index.var(total.var), value):
        raise Refused("sum_ite_eq", f"a range that fixes {total.var} to {value}", str(total.guard))
    there = {total.var: value}
    must_agree("sum_ite_eq", Mul((Bracket(guard_substitute(total.guard, there)), substitute(total.body, there))), after)


@rule()
def sum_split(before: Term, after: Term, scope: Scope, on: Constraint) -> None:
    """Split the range of a sum by a constraint."""
    must_be("sum_split", before, Sum, "a sum")
    total: Sum = before  # type: ignore[assignment]
    pieces = [Sum(total.var, (*total.guard, c), total.body) for c in (on, *on.negations())]
    must_agree("sum_split", Add(pieces), after)


@rule()
def sum_bij(before: Term, after: Term, scope: Scope, sign: int, shift: Index) -> None:
    """Reindex a sum by j = sign*j' + shift with sign 1 or -1."""
    must_be("sum_bij", before, Sum, "a sum")
    total: Sum = before  # type: ignore[assignment]
    if sign not in (1, -1) or total.var in shift.free:
        raise Refused("sum_bij", f"a shift without {total.var} and a sign", f"{sign}, {shift}")
    apart: Sum = rename_apart(total, shift.free)  # type: ignore[assignment]
    moved = {apart.var: sign * Index.var(apart.var) + shift}
    must_agree("sum_bij", Sum(apart.var, guard_substitute(apart.guard, moved), substitute(apart.body, moved)), after)


@rule()
def sum_perm(before: Term, after: Term, scope: Scope, name: str, length: Index, inverse: bool) -> None:
    """Reindex a sum by a permutation: sum(j, f[j]) = sum(j, f[pi(j)]) over the same range.

    Refuses when the permuted range is not described by the new constraints.
    """
    must_be("sum_perm", before, Sum, "a sum")
    must_be("sum_perm", after, Sum, "a sum")
    total: Sum = before  # type: ignore[assignment]
    new: Sum = after  # type: ignore[assignment]
    if total.var != new.var or total.var in scope.variables or total.var in length.free:
        raise Refused("sum_perm", "the same bound index, distinct from those in scope", f"{total.var}, {new.var}")
    moved = {total.var: permuted(name, length, Index.var(total.var), inverse=inverse)}
    if not equivalent(scope.facts, guard_substitute(total.guard, moved), new.guard):
        raise Refused("sum_perm", f"the indices with {guard_substitute(total.guard, moved)}", f"those with {new.guard}")
    if not bounded(new.var, new.guard):
        raise Refused("sum_perm", f"a range that bounds {new.var}", str(new))
    must_agree("sum_perm", substitute(total.body, moved), new.body)


@rule()
def sum_axis(before: Term, after: Term, scope: Scope, heads: Index, width: Index) -> None:
    """Split a flattened axis: sum(c < h*w, f[c]) = sum(a < h, sum(b < w, f[a*w + b])).

    Refuses when the range is not 0 <= c < heads*width, or when heads or width may be negative or zero.
    """
    must_be("sum_axis", before, Sum, "a sum")
    must_be("sum_axis", after, Sum, "a sum of sums")
    must_be("sum_axis", after.children[0], Sum, "a sum of sums")
    total: Sum = rename_apart(before, scope.variables)  # type: ignore[assignment]
    outer: Sum = after  # type: ignore[assignment]
    inner: Sum = outer.body  # type: ignore[assignment]
    if total.var in heads.free | width.free or outer.var == inner.var or {outer.var, inner.var} & set(scope.variables):
        raise Refused("sum_axis", "two new indices, and lengths without the old one", str(after))
    if not (entails(scope.facts, at_least(width, 1)) and entails(scope.facts, at_least(heads, 0))):
        raise Refused("sum_axis", f"{heads} >= 0 and {width} >= 1", "it does not follow here")
    if not equivalent(scope.facts, total.guard, within(total.var, 0, heads * width)):
        raise Refused("sum_axis", f"the range 0 <= {total.var} < {heads * width}", str(total.guard))
    if outer.guard != within(outer.var, 0, heads) or inner.guard != within(inner.var, 0, width):
        raise Refused("sum_axis", f"ranges below {heads} and {width}", f"{outer.guard} and {inner.guard}")
    apart = rename_apart(total.body, {*scope.variables, total.var, outer.var, inner.var})
    place = Index.var(outer.var) * width + Index.var(inner.var)
    must_agree("sum_axis", substitute(apart, {total.var: place}), inner.body)


@rule()
def sum_const(before: Term, after: Term, scope: Scope, low: Index, high: Index) -> None:
    """A sum of a constant over low <= j < high is (high - low) times the constant, when high >= low.

    Refuses when the body depends on the index, or when the range is not that interval.
    """
    must_be("sum_const", before, Sum, "sum(j, c)")
    total: Sum = rename_apart(before, scope.variables)  # type: ignore[assignment]
    j = Index.var(total.var)
    if total.var in total.body.free or total.var in low.free or total.var in high.free:
        raise Refused("sum_const", f"a term and bounds without {total.var}", str(total))
    if not equivalent(scope.facts, total.guard, guard(at_least(j, low), constraint(high - j - 1))):
        raise Refused("sum_const", f"the range {low} <= {j} < {high}", str(total.guard))
    if not entails(scope.facts, at_least(high, low)):
        raise Refused("sum_const", f"{high} >= {low}", "it does not follow here")
    must_agree("sum_const", Mul((IndexValue(high - low), total.body)), after)


@rule()
def telescope(before: Term, after: Term, scope: Scope, low: Index, high: Index, total: Lambda) -> None:
    """A sum of differences: where F(j + 1) - F(j) is the term, sum(low <= j < high) is F(high) - F(low), for high >= low.

    Refuses when the difference is not the term as a polynomial, or when the range is not that interval.
    """
    must_be("telescope", before, Sum, "sum(j, F(j + 1) - F(j))")
    t: Sum = rename_apart(before, scope.variables)  # type: ignore[assignment]
    j = Index.var(t.var)
    if len(total.params) != 1 or not total.body.free <= {*scope.variables, *total.params}:
        raise Refused("telescope", "F as a term in one index", str(total))
    if t.var in low.free or t.var in high.free:
        raise Refused("telescope", f"bounds without {t.var}", f"{low}, {high}")
    if not equivalent(scope.facts, t.guard, guard(at_least(j, low), constraint(high - j - 1))):
        raise Refused("telescope", f"the range {low} <= {j} < {high}", str(t.guard))
    if not entails(scope.facts, at_least(high, low)):
        raise Refused("telescope", f"{high} >= {low}", "it does not follow here")

    def at(place: Index) -> Term:
        return substitute(rename_apart(total.body, {*scope.variables, t.var, *total.params}), {total.params[0]: place})

    if not ring_laws.same(at(j + 1) - at(j), t.body, scope.theory, scope.facts):
        raise Refused("telescope", f"F({j} + 1) - F({j}) to be {t.body}", str(total))
    must_agree("telescope", at(high) - at(low), after)
