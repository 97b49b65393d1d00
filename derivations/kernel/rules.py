"""The rules.  Each says when `before` may be replaced by `after`; it raises `Refused` or returns.

A rule is used at a position, under the scope of that position (so rewriting inside a sum is the sum's congruence).
Rules marked `extended` also hold where a value may be minus infinity; all others need finite reals on both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from derivations.kernel import maximum
from derivations.kernel import ring as ring_laws
from derivations.kernel.definition import instance
from derivations.kernel.errors import KernelError, Refused
from derivations.kernel.finiteness import finite
from derivations.kernel.linear import bounded, consistent, entails, entails_all, equal_indices, equivalent
from derivations.kernel.scope import Scope
from derivations.kernel.sign import inhabited, invertible, nonnegative, nonzero, positive
from derivations.kernel.smoothness import smooth
from derivations.language.term import (
    ONE,
    ZERO,
    Add,
    Apply,
    Bracket,
    Case,
    Choice,
    Constraint,
    Derivative,
    Entry,
    Expectation,
    Guard,
    Index,
    IndexValue,
    Lambda,
    Max,
    Mul,
    NegInfinity,
    Number,
    Pow,
    Sum,
    Term,
    alpha_equal,
    at_least,
    bound_variables,
    constraint,
    equal,
    fresh,
    guard,
    guard_free,
    guard_substitute,
    less,
    listed,
    permuted,
    product_of,
    rename_apart,
    substitute,
    within,
)

Check = Callable[..., None]


@dataclass(frozen=True)
class Rule:
    """A row of the rule table."""

    name: str
    check: Check
    extended: bool
    says: str
    """The first line of the rule's docstring."""


RULES: dict[str, Rule] = {}


def _rule(extended: bool = False) -> Callable[[Check], Check]:
    def register(check: Check) -> Check:
        name = check.__name__.rstrip("_")
        RULES[name] = Rule(name, check, extended, (check.__doc__ or "").strip().splitlines()[0])
        return check

    return register


def apply(name: str, before: Term, after: Term, scope: Scope, args: Mapping[str, Any]) -> None:
    """Check one use of a rule; raises `Refused`."""
    rule = RULES.get(name)
    if rule is None:
        raise Refused(name, "a rule of the kernel", f"no rule is called {name!r}")
    if not rule.extended:
        for side in (before, after):
            if not finite(side, scope.theory, scope.facts):
                raise Refused(name, "finite real values", f"{side} may be minus infinity")
    try:
        rule.check(before, after, scope, **args)
    except KernelError:
        raise
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
        raise Refused(name, "the arguments of the rule", f"{type(error).__name__}: {error}") from error


def _is(rule: str, term: Term, kind: type[Term], what: str) -> None:
    if not isinstance(term, kind):
        raise Refused(rule, what, str(term))


def _same(rule: str, computed: Term, after: Term) -> None:
    if not alpha_equal(computed, after):
        raise Refused(rule, str(computed), str(after))


def _numbers(rule: str, chosen: tuple[int, ...], count: int) -> None:
    """Refuses numbers that are not those of different parts."""
    if any(type(k) is not int or not 0 <= k < count for k in chosen) or len(set(chosen)) != len(chosen):
        raise Refused(rule, f"different numbers below {count}", str(chosen))


# --- names, polynomials, definitions, hypotheses --------------------------------------------------------------------


@_rule(extended=True)
def alpha(before: Term, after: Term, scope: Scope) -> None:
    """Rename bound indices.

    Refuses when the two sides differ in more than the names of bound indices.
    """
    _same("alpha", before, after)


@_rule()
def ring(before: Term, after: Term, scope: Scope) -> None:
    """Equal as polynomials: ring laws, exp(a + b) = exp a exp b, [g][h] = [g and h] (see `ring.py`).

    Refuses when the polynomials differ, or beyond the counted limits.
    """
    left, right = (ring_laws.polynomial(t, scope.theory, scope.facts) for t in (before, after))
    if left != right:
        raise Refused("ring", f"a polynomial equal to {before}", str(after))


@_rule(extended=True)
def unfold(before: Term, after: Term, scope: Scope) -> None:
    """Put the right side of its definition for a defined symbol.

    Refuses when no definition matches the entry, or when its condition is not known here.
    """
    _is("unfold", before, Entry, "an entry of a defined symbol")
    entry: Entry = before  # type: ignore[assignment]
    found = "no definition of that name and shape"
    for definition in scope.theory.definitions.get(entry.name, ()):
        matched = instance(definition, entry, scope.variables, scope.facts)
        if matched is None:
            continue
        body, condition = matched
        if not entails_all(scope.facts, condition):
            found = f"its condition {', '.join(map(str, condition))} is not known here"
            continue
        if alpha_equal(body, after):
            return
        found = f"its right side is {body}, not {after}"
    raise Refused("unfold", f"a definition of {entry.name} that gives {after}", found)


@_rule(extended=True)
def hypothesis(before: Term, after: Term, scope: Scope, number: int, at: Mapping[str, Index]) -> None:
    """Use a hypothesis at given indices.

    Refuses when there is no such hypothesis, when its condition is not known here, or when it says something else.
    """
    if not 0 <= number < len(scope.hypotheses):
        raise Refused("hypothesis", f"a number below {len(scope.hypotheses)}", str(number))
    given = scope.hypotheses[number]
    if given.relation != "=":
        raise Refused("hypothesis", "an equation", str(given))
    if set(at) != set(given.indices):
        raise Refused("hypothesis", f"a value for each of {', '.join(given.indices)}", ", ".join(at))
    if not entails_all(scope.facts, guard_substitute(given.guard, at)):
        raise Refused("hypothesis", f"{given.guard} at {dict(at)}", "not known here")
    _same("hypothesis", substitute(rename_apart(given.left, scope.variables), at), before)
    _same("hypothesis", substitute(rename_apart(given.right, scope.variables), at), after)


@_rule(extended=True)
def index_eq(before: Term, after: Term, scope: Scope, var: str, value: Index) -> None:
    """Replace an index by one that is equal here.

    Refuses when the equality does not follow from the constraints in scope, or when the index is bound inside.
    """
    if not equal_indices(scope.facts, Index.var(var), value):
        raise Refused("index_eq", f"{var} = {value}", "it does not follow here")
    _same("index_eq", substitute(rename_apart(before, {var, *value.free}), {var: value}), after)


# --- sums -----------------------------------------------------------------------------------------------------------


@_rule()
def sum_add_distrib(before: Term, after: Term, scope: Scope) -> None:
    """The sum of a sum is the sum of the sums."""
    _is("sum_add_distrib", before, Sum, "sum(j, a + b)")
    total: Sum = before  # type: ignore[assignment]
    _is("sum_add_distrib", total.body, Add, "a sum of terms under the sum")
    _same("sum_add_distrib", Add(Sum(total.var, total.guard, t) for t in total.body.children), after)


@_rule()
def mul_sum(before: Term, after: Term, scope: Scope, factors: tuple[int, ...]) -> None:
    """Pull factors that do not depend on the index out of a sum.

    Refuses when a factor depends on the index of the sum.
    """
    _is("mul_sum", before, Sum, "sum(j, a * f[j])")
    total: Sum = before  # type: ignore[assignment]
    _is("mul_sum", total.body, Mul, "a product under the sum")
    parts = total.body.children
    _numbers("mul_sum", factors, len(parts))
    for k in factors:
        if total.var in parts[k].free:
            raise Refused("mul_sum", f"a factor without {total.var}", str(parts[k]))
    pulled = [parts[k] for k in factors]
    rest = [p for k, p in enumerate(parts) if k not in factors]
    _same("mul_sum", Mul([*pulled, Sum(total.var, total.guard, product_of(rest))]), after)


@_rule()
def sum_comm(before: Term, after: Term, scope: Scope) -> None:
    """Exchange two finite sums (Fubini), with ranges that describe the same pairs of indices.

    Refuses when the ranges differ, or when a range does not bound its index.
    """
    for side in (before, after):
        _is("sum_comm", side, Sum, "sum(i, sum(j, f))")
        _is("sum_comm", side.children[0], Sum, "sum(i, sum(j, f))")
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
    _same("sum_comm", inner.body, new_inner.body)


@_rule()
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
    _same("sum_congr_range", old.body, new.body)


@_rule()
def sum_ite(before: Term, after: Term, scope: Scope, factor: int) -> None:
    """A bracket under a sum becomes part of its range: sum(j, [g] f) = sum(j with g, f)."""
    _is("sum_ite", before, Sum, "sum(j, [g] * f)")
    total: Sum = before  # type: ignore[assignment]
    parts = total.body.args if isinstance(total.body, Mul) else (total.body,)
    if not 0 <= factor < len(parts) or not isinstance(parts[factor], Bracket):
        raise Refused("sum_ite", f"a bracket as factor {factor}", str(total.body))
    bracket: Bracket = parts[factor]  # type: ignore[assignment]
    rest = [p for k, p in enumerate(parts) if k != factor]
    _same("sum_ite", Sum(total.var, (*total.guard, *bracket.condition), product_of(rest)), after)


@_rule()
def sum_empty(before: Term, after: Term, scope: Scope) -> None:
    """A sum over an empty range is 0."""
    _is("sum_empty", before, Sum, "a sum")
    total: Sum = before  # type: ignore[assignment]
    apart: Sum = rename_apart(total, scope.variables)  # type: ignore[assignment]
    if consistent(guard(*scope.facts, *apart.guard)):
        raise Refused("sum_empty", "a range without indices", str(total.guard))
    _same("sum_empty", ZERO, after)


@_rule()
def sum_zero(before: Term, after: Term, scope: Scope) -> None:
    """A sum of zeros is 0."""
    _is("sum_zero", before, Sum, "sum(j, 0)")
    _same("sum_zero", before.children[0], ZERO)
    _same("sum_zero", ZERO, after)


@_rule()
def sum_ite_eq(before: Term, after: Term, scope: Scope, value: Index) -> None:
    """Delta elimination: a sum whose range fixes its index to `value` is [value in range] times the term there.

    Refuses when the range does not fix the index.
    """
    _is("sum_ite_eq", before, Sum, "a sum")
    total: Sum = rename_apart(before, {*scope.variables, *value.free})  # type: ignore[assignment]
    if total.var in value.free:
        raise Refused("sum_ite_eq", f"a value without {total.var}", str(value))
    if not equal_indices(guard(*scope.facts, *total.guard), Index.var(total.var), value):
        raise Refused("sum_ite_eq", f"a range that fixes {total.var} to {value}", str(total.guard))
    there = {total.var: value}
    _same("sum_ite_eq", Mul((Bracket(guard_substitute(total.guard, there)), substitute(total.body, there))), after)


@_rule()
def sum_split(before: Term, after: Term, scope: Scope, on: Constraint) -> None:
    """Split the range of a sum by a constraint."""
    _is("sum_split", before, Sum, "a sum")
    total: Sum = before  # type: ignore[assignment]
    pieces = [Sum(total.var, (*total.guard, c), total.body) for c in (on, *on.negations())]
    _same("sum_split", Add(pieces), after)


@_rule()
def sum_bij(before: Term, after: Term, scope: Scope, sign: int, shift: Index) -> None:
    """Reindex a sum by j = sign*j' + shift with sign 1 or -1."""
    _is("sum_bij", before, Sum, "a sum")
    total: Sum = before  # type: ignore[assignment]
    if sign not in (1, -1) or total.var in shift.free:
        raise Refused("sum_bij", f"a shift without {total.var} and a sign", f"{sign}, {shift}")
    apart: Sum = rename_apart(total, shift.free)  # type: ignore[assignment]
    moved = {apart.var: sign * Index.var(apart.var) + shift}
    _same("sum_bij", Sum(apart.var, guard_substitute(apart.guard, moved), substitute(apart.body, moved)), after)


@_rule()
def sum_perm(before: Term, after: Term, scope: Scope, name: str, length: Index, inverse: bool) -> None:
    """Reindex a sum by a permutation: sum(j, f[j]) = sum(j, f[pi(j)]) over the same range.

    Refuses when the permuted range is not described by the new constraints.
    """
    _is("sum_perm", before, Sum, "a sum")
    _is("sum_perm", after, Sum, "a sum")
    total: Sum = before  # type: ignore[assignment]
    new: Sum = after  # type: ignore[assignment]
    if total.var != new.var or total.var in scope.variables or total.var in length.free:
        raise Refused("sum_perm", "the same bound index, distinct from those in scope", f"{total.var}, {new.var}")
    moved = {total.var: permuted(name, length, Index.var(total.var), inverse=inverse)}
    if not equivalent(scope.facts, guard_substitute(total.guard, moved), new.guard):
        raise Refused("sum_perm", f"the indices with {guard_substitute(total.guard, moved)}", f"those with {new.guard}")
    if not bounded(new.var, new.guard):
        raise Refused("sum_perm", f"a range that bounds {new.var}", str(new))
    _same("sum_perm", substitute(total.body, moved), new.body)


@_rule()
def sum_axis(before: Term, after: Term, scope: Scope, heads: Index, width: Index) -> None:
    """Split a flattened axis: sum(c < h*w, f[c]) = sum(a < h, sum(b < w, f[a*w + b])).

    Refuses when the range is not 0 <= c < heads*width, or when heads or width may be negative or zero.
    """
    _is("sum_axis", before, Sum, "a sum")
    _is("sum_axis", after, Sum, "a sum of sums")
    _is("sum_axis", after.children[0], Sum, "a sum of sums")
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
    _same("sum_axis", substitute(apart, {total.var: place}), inner.body)


@_rule(extended=True)
def index_congr(before: Term, after: Term, scope: Scope) -> None:
    """Write the indices of an entry by others that are equal here.

    Refuses when the equality does not follow from the constraints in scope.
    """
    if isinstance(before, Entry) and isinstance(after, Entry) and not before.args and not after.args:
        pairs = [*zip(before.indices, after.indices, strict=False), *zip(before.sizes, after.sizes, strict=False)]
        same = before.name == after.name and len(before.indices) == len(after.indices)
        same = same and len(before.sizes) == len(after.sizes)
    elif isinstance(before, IndexValue) and isinstance(after, IndexValue):
        pairs, same = [(before.index, after.index)], True
    else:
        raise Refused("index_congr", "two entries of one tensor", f"{before} and {after}")
    if not same or not all(equal_indices(scope.facts, i, j) for i, j in pairs):
        raise Refused("index_congr", f"indices equal to those of {before}", str(after))


@_rule()
def sum_const(before: Term, after: Term, scope: Scope, low: Index, high: Index) -> None:
    """A sum of a constant over low <= j < high is (high - low) times the constant, when high >= low.

    Refuses when the body depends on the index, or when the range is not that interval.
    """
    _is("sum_const", before, Sum, "sum(j, c)")
    total: Sum = rename_apart(before, scope.variables)  # type: ignore[assignment]
    j = Index.var(total.var)
    if total.var in total.body.free or total.var in low.free or total.var in high.free:
        raise Refused("sum_const", f"a term and bounds without {total.var}", str(total))
    if not equivalent(scope.facts, total.guard, guard(at_least(j, low), constraint(high - j - 1))):
        raise Refused("sum_const", f"the range {low} <= {j} < {high}", str(total.guard))
    if not entails(scope.facts, at_least(high, low)):
        raise Refused("sum_const", f"{high} >= {low}", "it does not follow here")
    _same("sum_const", Mul((IndexValue(high - low), total.body)), after)


@_rule()
def telescope(before: Term, after: Term, scope: Scope, low: Index, high: Index, total: Lambda) -> None:
    """A sum of differences: where F(j + 1) - F(j) is the term, sum(low <= j < high) is F(high) - F(low), for high >= low.

    Refuses when the difference is not the term as a polynomial, or when the range is not that interval.
    """
    _is("telescope", before, Sum, "sum(j, F(j + 1) - F(j))")
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
    _same("telescope", at(high) - at(low), after)


# --- maxima ---------------------------------------------------------------------------------------------------------


@_rule(extended=True)
def max_congr(
    before: Term,
    after: Term,
    scope: Scope,
    forth: tuple[tuple[maximum.Branch, ...], ...],
    converse: tuple[tuple[maximum.Branch, ...], ...],
) -> None:
    """Two maxima with the same values: `forth` finds each value of the first in the second.

    Refuses when a value is not answered for all indices, or is answered by another value.
    """
    _is("max_congr", before, Max, "a maximum")
    first, second = maximum.pieces(before, scope), maximum.pieces(after, scope)
    maximum.check("max_congr", first, second, forth, scope)
    maximum.check("max_congr", second, first, converse, scope)


@_rule()
def max_add(before: Term, after: Term, scope: Scope, terms: tuple[int, ...]) -> None:
    """max(j, c + f) = c + max(j, f) where c does not depend on j and the range is not empty."""
    _is("max_add", before, Max, "max(j, c + f)")
    top: Max = rename_apart(before, scope.variables)  # type: ignore[assignment]
    if not isinstance(top.body, Add):
        raise Refused("max_add", "a sum under the maximum", str(top.body))
    _numbers("max_add", terms, len(top.body.args))
    out = [top.body.args[k] for k in terms]
    rest = [t for k, t in enumerate(top.body.args) if k not in terms]
    if any(top.var in t.free for t in out):
        raise Refused("max_add", f"terms without {top.var}", str(Add(out)))
    if not inhabited(top, scope):
        raise Refused("max_add", "a range that is not empty", str(top.guard))
    _same("max_add", Add((*out, Max(top.var, top.guard, Add(rest) if len(rest) != 1 else rest[0]))), after)


@_rule()
def max_mul(before: Term, after: Term, scope: Scope, factors: tuple[int, ...]) -> None:
    """max(j, c f) = c max(j, f) where c >= 0 does not depend on j."""
    _is("max_mul", before, Max, "max(j, c f)")
    top: Max = rename_apart(before, scope.variables)  # type: ignore[assignment]
    if not isinstance(top.body, Mul):
        raise Refused("max_mul", "a product under the maximum", str(top.body))
    _numbers("max_mul", factors, len(top.body.args))
    out = [top.body.args[k] for k in factors]
    for c in out:
        if top.var in c.free:
            raise Refused("max_mul", f"factors without {top.var}", str(c))
        if not nonnegative(c, scope):
            raise Refused("max_mul", f"{c} >= 0", "it is neither visible nor assumed")
    rest = [t for k, t in enumerate(top.body.args) if k not in factors]
    _same("max_mul", Mul((*out, Max(top.var, top.guard, product_of(rest)))), after)


# --- brackets and cases ---------------------------------------------------------------------------------------------


@_rule()
def bracket_congr(before: Term, after: Term, scope: Scope) -> None:
    """Write a bracket by other constraints that hold for the same indices; 1 when they always hold, 0 when never."""
    _is("bracket_congr", before, Bracket, "a bracket")
    old: Guard = before.condition  # type: ignore[attr-defined]
    if after is ONE:
        if not entails_all(scope.facts, old):
            raise Refused("bracket_congr", f"{before} = 1", "it does not follow here")
    elif after is ZERO:
        if consistent(guard(*scope.facts, *old)):
            raise Refused("bracket_congr", f"{before} = 0", "it does not follow here")
    else:
        _is("bracket_congr", after, Bracket, "a bracket")
        if not equivalent(scope.facts, old, after.condition):  # type: ignore[attr-defined]
            raise Refused("bracket_congr", f"the indices with {before}", f"those with {after}")


@_rule()
def ite_subst(before: Term, after: Term, scope: Scope, factor: int, var: str, value: Index) -> None:
    """Under a bracket that fixes an index, use its value: [i = e] f[i] = [i = e] f[e].

    Refuses when the bracket does not fix the index.
    """
    _is("ite_subst", before, Mul, "[i = e] * f[i]")
    parts = before.children
    if not 0 <= factor < len(parts) or not isinstance(parts[factor], Bracket):
        raise Refused("ite_subst", f"a bracket as factor {factor}", str(before))
    known = guard(*scope.facts, *parts[factor].condition)  # type: ignore[attr-defined]
    if not equal_indices(known, Index.var(var), value):
        raise Refused("ite_subst", f"a bracket that fixes {var} to {value}", str(parts[factor]))
    new = [
        p if k == factor else substitute(rename_apart(p, {var, *value.free}), {var: value}) for k, p in enumerate(parts)
    ]
    _same("ite_subst", Mul(new), after)


@_rule(extended=True)
def if_pos(before: Term, after: Term, scope: Scope, branch: int) -> None:
    """Choose the branch of a case distinction whose condition holds here (and no earlier one does)."""
    _is("if_pos", before, Case, "a case distinction")
    case: Case = before  # type: ignore[assignment]
    _numbers("if_pos", (branch,), len(case.children))
    for condition, _ in case.branches[:branch]:
        if consistent(guard(*scope.facts, *condition)):
            raise Refused("if_pos", f"not ({', '.join(map(str, condition))})", "it does not follow here")
    if branch < len(case.branches):
        if not entails_all(scope.facts, case.branches[branch][0]):
            raise Refused("if_pos", f"{case.branches[branch][0]}", "it does not follow here")
    _same("if_pos", case.children[branch], after)


@_rule()
def if_bracket(before: Term, after: Term, scope: Scope) -> None:
    """A case distinction with two branches as [g] a + (1 - [g]) b."""
    _is("if_bracket", before, Case, "a case distinction")
    case: Case = before  # type: ignore[assignment]
    if len(case.branches) != 1:
        raise Refused("if_bracket", "one condition", str(before))
    (condition, value), other = case.branches[0], case.otherwise
    test = Bracket(condition)
    _same("if_bracket", Add((Mul((test, value)), Mul((Add((ONE, Mul((Number(-1), test)))), other)))), after)


@_rule(extended=True)
def apply_ite(before: Term, after: Term, scope: Scope, child: int) -> None:
    """Move a case distinction outwards: f(a if g else b) = f(a) if g else f(b).

    Refuses under a binder of an index that the condition mentions.
    """
    children = before.children
    if not 0 <= child < len(children) or not isinstance(children[child], Case):
        raise Refused("apply_ite", f"a case distinction as child {child}", str(before))
    case: Case = children[child]  # type: ignore[assignment]
    bound, known = before.binding(child)
    if bound or known:
        raise Refused("apply_ite", "a position that binds no index", str(before))

    def around(value: Term) -> Term:
        return before.with_children([*children[:child], value, *children[child + 1 :]])

    _same("apply_ite", Case([(g, around(t)) for g, t in case.branches], around(case.otherwise)), after)


# --- case distinctions on values ------------------------------------------------------------------------------------


def _choice(rule: str, t: Term) -> Choice:
    _is(rule, t, Choice, "a case distinction on the sign of a value")
    return t  # type: ignore[return-value]


@_rule(extended=True)
def choice_value(before: Term, after: Term, scope: Scope, form: Term) -> None:
    """(a if x > 0 else b) is a where x > 0, and b where x <= 0.

    `form` is a term equal to x, or to -x, whose sign is visible or assumed.  Refuses when it is not.
    """
    choice = _choice("choice_value", before)
    for side in (form, choice.test):
        if not finite(side, scope.theory, scope.facts) or not side.free <= set(scope.variables):
            raise Refused("choice_value", "finite real values of what is in scope", str(side))
    if positive(form, scope) and ring_laws.same(form, choice.test, scope.theory, scope.facts):
        _same("choice_value", choice.above, after)
        return
    if not nonnegative(form, scope):
        raise Refused("choice_value", f"{form} >= 0", "it is neither visible nor assumed")
    _equal_polynomials("choice_value", form, Mul((Number(-1), choice.test)), scope)
    _same("choice_value", choice.otherwise, after)


@_rule()
def choice_bracket(before: Term, after: Term, scope: Scope) -> None:
    """(a if x > 0 else b) = [x > 0] a + (1 - [x > 0]) b."""
    choice = _choice("choice_bracket", before)
    _same("choice_bracket", bracketed(choice), after)


def bracketed(t: Choice) -> Term:
    """A case distinction on a value with an indicator."""
    test = Choice(t.test, ONE, ZERO)
    return Add((Mul((test, t.above)), Mul((Add((ONE, Mul((Number(-1), test)))), t.otherwise))))


@_rule()
def choice_scale(before: Term, after: Term, scope: Scope, factor: Term) -> None:
    """(a if c x > 0 else b) = (a if x > 0 else b) for c > 0."""
    old, new = _choice("choice_scale", before), _choice("choice_scale", after)
    _same("choice_scale", old.above, new.above)
    _same("choice_scale", old.otherwise, new.otherwise)
    _equal_polynomials("choice_scale", old.test, Mul((factor, new.test)), scope)
    if not positive(factor, scope):
        raise Refused("choice_scale", f"{factor} > 0", "it is neither visible nor assumed")


@_rule()
def choice_neg(before: Term, after: Term, scope: Scope) -> None:
    """x [-x > 0] = x (1 - [x > 0])."""
    _is("choice_neg", before, Mul, "x * [-x > 0]")
    if len(before.children) != 2:
        raise Refused("choice_neg", "two factors", str(before))
    value, choice = before.children[0], _choice("choice_neg", before.children[1])
    if choice.above is not ONE or choice.otherwise is not ZERO:
        raise Refused("choice_neg", "the values 1 and 0", str(choice))
    _equal_polynomials("choice_neg", choice.test, Mul((Number(-1), value)), scope)
    _same("choice_neg", Mul((value, Add((ONE, Mul((Number(-1), Choice(value, ONE, ZERO))))))), after)


@_rule()
def max_choice(before: Term, after: Term, scope: Scope) -> None:
    """max(a, b) = (a if a - b > 0 else b), and so on for more values."""
    _is("max_choice", before, Max, "a maximum")
    found = listed(before)  # type: ignore[arg-type]
    if found is None:
        raise Refused("max_choice", "a maximum of listed values", str(before))
    _same("max_choice", largest(found), after)


def largest(values: list[Term]) -> Term:
    """The largest of some values by comparing each with the largest of those after it."""
    top = values[-1]
    for v in reversed(values[:-1]):
        if ZERO in (v, top):
            other = top if v is ZERO else v
            top = Choice(other, other, ZERO)
        else:
            top = Choice(v - top, v, top)
    return top


@_rule()
def abs_choice(before: Term, after: Term, scope: Scope) -> None:
    """|x| = (x if x > 0 else -x)."""
    inner = _size("abs_choice", before)
    _same("abs_choice", Choice(inner, inner, -inner), after)


@_rule(extended=True)
def apply_choice(before: Term, after: Term, scope: Scope, child: int) -> None:
    """Move a case distinction on a value outwards: f(a if x > 0 else b) = f(a) if x > 0 else f(b).

    Refuses where f is not a function of this value alone: under a sum, a derivative, an expectation.
    """
    children = before.children
    if not isinstance(before, (Add, Mul, Pow, Apply)) or not 0 <= child < len(children):
        raise Refused("apply_choice", "a sum, product, power or function", str(before))
    choice = _choice("apply_choice", children[child])

    def around(value: Term) -> Term:
        return before.with_children([*children[:child], value, *children[child + 1 :]])

    _same("apply_choice", Choice(choice.test, around(choice.above), around(choice.otherwise)), after)


# --- minus infinity -------------------------------------------------------------------------------------------------


@_rule(extended=True)
def exp_bot(before: Term, after: Term, scope: Scope) -> None:
    """exp(-oo) = 0."""
    if not (isinstance(before, Apply) and before.function == "exp" and isinstance(before.arg, NegInfinity)):
        raise Refused("exp_bot", "exp(-oo)", str(before))
    _same("exp_bot", ZERO, after)


@_rule(extended=True)
def bot_add(before: Term, after: Term, scope: Scope) -> None:
    """-oo + r = -oo for real r.

    Refuses when another summand may be minus infinity in a place where the sum is not defined, or is not real.
    """
    _is("bot_add", before, Add, "-oo + r")
    others = [t for t in before.children if not isinstance(t, NegInfinity)]
    if len(others) == len(before.children):
        raise Refused("bot_add", "a summand -oo", str(before))
    for t in others:
        if not finite(t, scope.theory, scope.facts):
            raise Refused("bot_add", "real summands beside -oo", str(t))
    _same("bot_add", NegInfinity(), after)


@_rule(extended=True)
def bot_mul(before: Term, after: Term, scope: Scope) -> None:
    """c * (-oo) = -oo for c > 0.

    Refuses when another factor is not visibly positive.
    """
    _is("bot_mul", before, Mul, "c * (-oo)")
    others = [t for t in before.children if not isinstance(t, NegInfinity)]
    if len(others) != len(before.children) - 1:
        raise Refused("bot_mul", "one factor -oo", str(before))
    for t in others:
        if not (finite(t, scope.theory, scope.facts) and positive(t, scope)):
            raise Refused("bot_mul", "positive factors beside -oo", str(t))
    _same("bot_mul", NegInfinity(), after)


# --- quotients, roots, logarithms -----------------------------------------------------------------------------------


@_rule()
def mul_inv_cancel(
    before: Term,
    after: Term,
    scope: Scope,
    above: int,
    below: int,
    because: tuple[Any, ...] = (),
    beside: Term | None = None,
) -> None:
    """D * D^-1 = 1 for D != 0 (also D^p * D^-q = D^(p-q)).

    `because` is a chain of steps from D (or from D * `beside`) to a term that is visibly non-zero or assumed so.
    Refuses when the two factors do not fit, or when D != 0 is not known here.
    """
    from derivations.kernel.replay import run

    _is("mul_inv_cancel", before, Mul, "D * D^-1")
    parts = before.children
    _numbers("mul_inv_cancel", (above, below), len(parts))
    base, p = _power(parts[above])
    other, q = _power(parts[below])
    if p <= 0 or q >= 0 or not alpha_equal(base, other):
        raise Refused("mul_inv_cancel", "D^p and D^-q with the same D", f"{parts[above]} and {parts[below]}")
    witness = base if beside is None else Mul((base, beside))
    if because:
        witness = run(witness, because, scope)
    if not nonzero(witness, scope):
        raise Refused("mul_inv_cancel", f"{witness} != 0", "it is neither visible nor assumed")
    rest = [t for k, t in enumerate(parts) if k not in (above, below)]
    if p + q:
        rest.append(base if p + q == 1 else Pow(base, p + q))
    _same("mul_inv_cancel", product_of(rest), after)


@_rule()
def mul_inv_matrix(
    before: Term,
    after: Term,
    scope: Scope,
    matrix: Entry,
    row: Index,
    column: Index,
    right: bool,
    because: tuple[Any, ...] = (),
) -> None:
    """sum(c, M[x, c] * inverse(M)[c, y]) = [x = y] for an invertible M; also for inverse(M) times M.

    `matrix` is any entry of inverse(M), `right` says that the inverse is the right factor, `because` is a chain of
    steps from entry (0, 0) of inverse(M) to one of a matrix that is assumed to be invertible.
    Refuses when the sum is another one, when x or y may be out of range, or when M is not known to be invertible.
    """
    from derivations.kernel.replay import run

    if not isinstance(matrix, Entry) or not matrix.is_inverse:
        raise Refused("mul_inv_matrix", "an entry of the inverse of a square matrix", str(matrix))
    (given,), (length,) = matrix.args, matrix.sizes
    if not entails_all(scope.facts, guard(*within_index(row, length), *within_index(column, length))):
        raise Refused("mul_inv_matrix", f"0 <= {row} < {length} and 0 <= {column} < {length}", "not known here")
    corner: Term = Entry(matrix.name, (0, 0), matrix.args, matrix.sizes)
    if any(not step.path for step in because):  # one entry equal to another says nothing of two matrices
        raise Refused("mul_inv_matrix", "steps inside of the matrix", "a step on an entry of its inverse")
    if because:
        corner = run(corner, because, scope)
    if not invertible(corner, scope):
        raise Refused("mul_inv_matrix", "a matrix that is assumed to be invertible", str(corner))
    free = {*scope.variables, *matrix.free, *row.free, *column.free, *bound_variables(given.body), *given.params}
    c = fresh("c", free)
    body = rename_apart(given.body, {*free, c})

    def at(i: Index, j: Index) -> Term:
        return substitute(body, dict(zip(given.params, (i, j), strict=True)))

    def inverted(i: Index, j: Index) -> Term:
        return Entry(matrix.name, (i, j), matrix.args, matrix.sizes)

    here = Index.var(c)
    factors = (at(row, here), inverted(here, column)) if right else (inverted(row, here), at(here, column))
    _same("mul_inv_matrix", Sum(c, within(c, 0, length), Mul(factors)), before)
    _same("mul_inv_matrix", Bracket((equal(row, column),)), after)


def within_index(i: Index, length: Index) -> Guard:
    """That an index lies on an axis of this length."""
    return guard(at_least(i, 0), less(i, length))


def _power(t: Term) -> tuple[Term, int]:
    if isinstance(t, Pow) and isinstance(t.exponent, Number) and t.exponent.value.q == 1:
        return t.base, int(t.exponent.value.p)
    return t, 1


@_rule()
def sq_sqrt(before: Term, after: Term, scope: Scope) -> None:
    """(x^q)^k = x^(qk) for a rational q, an integer k and x >= 0.

    At x = 0 both sides are 0, because a power that has no value there counts as 0.
    """
    if not (isinstance(before, Pow) and isinstance(before.base, Pow)):
        raise Refused("sq_sqrt", "(x^q)^k", str(before))
    inner, k, q = before.base.base, before.exponent, before.base.exponent
    if not (isinstance(k, Number) and isinstance(q, Number) and k.value.q == 1):
        raise Refused("sq_sqrt", "a rational and an integer as exponents", str(before))
    if k.value == 0 or q.value == 0:
        raise Refused("sq_sqrt", "exponents other than 0", str(before))
    if not nonnegative(inner, scope):
        raise Refused("sq_sqrt", f"{inner} >= 0", "it is neither visible nor assumed")
    total = q.value * k.value
    _same("sq_sqrt", inner if total == 1 else Pow(inner, Number(total)), after)


def _root(rule: str, t: Term) -> tuple[Term, Number]:
    """Radicand and exponent of x^q for a rational q that is no integer."""
    if not (isinstance(t, Pow) and isinstance(t.exponent, Number) and t.exponent.value.q != 1):
        raise Refused(rule, "x^q for a rational q that is no integer", str(t))
    return t.base, t.exponent


@_rule()
def root_mul(before: Term, after: Term, scope: Scope) -> None:
    """(a b ...)^q = a^q b^q ... for a rational q that is no integer and non-negative factors."""
    inner, q = _root("root_mul", before)
    _is("root_mul", inner, Mul, "a product under the root")
    for factor in inner.children:
        if not nonnegative(factor, scope):
            raise Refused("root_mul", f"{factor} >= 0", "it is neither visible nor assumed")
    _same("root_mul", Mul(Pow(f, q) for f in inner.children), after)


@_rule()
def root_even(before: Term, after: Term, scope: Scope) -> None:
    """(x^p)^q = |x|^(pq) for an even p and a rational q that is no integer."""
    inner, q = _root("root_even", before)
    base, p = _power(inner)
    if p % 2 or p == 0:
        raise Refused("root_even", "an even power under the root", str(before))
    total = q.value * p
    size = Apply("abs", base)
    _same("root_even", size if total == 1 else Pow(size, Number(total)), after)


# --- absolute values ------------------------------------------------------------------------------------------------


def _size(rule: str, t: Term) -> Term:
    if not (isinstance(t, Apply) and t.function == "abs"):
        raise Refused(rule, "|x|", str(t))
    return t.arg


@_rule()
def abs_value(before: Term, after: Term, scope: Scope, sign: int) -> None:
    """|x| = x for x >= 0 (sign 1), |x| = -x for -x >= 0 (sign -1)."""
    inner = _size("abs_value", before)
    if sign not in (1, -1):
        raise Refused("abs_value", "a sign 1 or -1", str(sign))
    if sign == -1:
        _equal_polynomials("abs_value", after, Mul((Number(-1), inner)), scope)
    else:
        _same("abs_value", inner, after)
    if not nonnegative(after, scope):
        raise Refused("abs_value", f"{after} >= 0", "it is neither visible nor assumed")


@_rule()
def abs_mul(before: Term, after: Term, scope: Scope) -> None:
    """|a b ...| = |a| |b| ..., and |x^k| = |x|^k for an integer k."""
    inner = _size("abs_mul", before)
    if isinstance(inner, Mul):
        _same("abs_mul", Mul(Apply("abs", f) for f in inner.args), after)
        return
    base, k = _power(inner)
    if k in (0, 1):
        raise Refused("abs_mul", "the absolute value of a product or of a power", str(before))
    _same("abs_mul", Pow(Apply("abs", base), k), after)


@_rule()
def abs_even(before: Term, after: Term, scope: Scope) -> None:
    """|x|^p = x^p for an even p."""
    base, p = _power(before)
    inner = _size("abs_even", base)
    if p % 2 or p == 0:
        raise Refused("abs_even", "an even power of |x|", str(before))
    _same("abs_even", Pow(inner, p), after)


@_rule()
def pow_add(before: Term, after: Term, scope: Scope, first: Index, second: Index) -> None:
    """b^(e + f) = b^e * b^f for natural exponents, or for b > 0.

    Refuses when the exponent is not the sum of the two, and when an exponent may be negative and b may not be positive.
    """
    _is("pow_add", before, Pow, "b^(e + f)")
    base, exponent = before.children
    _equal_polynomials("pow_add", exponent, IndexValue(first + second), scope)
    for part in (first, second):
        if not entails(scope.facts, at_least(part, 0)) and not positive(base, scope):
            raise Refused("pow_add", f"{part} >= 0 or {base} > 0", "neither is visible or assumed")
    _is("pow_add", after, Mul, "b^e * b^f")
    if len(after.children) != 2:
        raise Refused("pow_add", "two factors", str(after))
    for factor, part in zip(after.children, (first, second), strict=True):
        own, power = factor.children if isinstance(factor, Pow) else (factor, ONE)
        _same("pow_add", base, own)
        _equal_polynomials("pow_add", power, IndexValue(part), scope)


@_rule()
def pow_exp(before: Term, after: Term, scope: Scope) -> None:
    """b^e = exp(e log b) for b > 0."""
    _is("pow_exp", before, Pow, "b^e")
    base, exponent = before.children
    if not positive(base, scope):
        raise Refused("pow_exp", f"{base} > 0", "it is neither visible nor assumed")
    _same("pow_exp", Apply("exp", Mul((exponent, Apply("log", base)))), after)


@_rule()
def log_exp(before: Term, after: Term, scope: Scope) -> None:
    """log(exp x) = x."""
    inner = before.arg if isinstance(before, Apply) and before.function == "log" else None
    if not (isinstance(inner, Apply) and inner.function == "exp"):
        raise Refused("log_exp", "log(exp x)", str(before))
    _same("log_exp", inner.arg, after)


@_rule()
def exp_log(before: Term, after: Term, scope: Scope) -> None:
    """exp(log x) = x for x > 0."""
    inner = before.arg if isinstance(before, Apply) and before.function == "exp" else None
    if not (isinstance(inner, Apply) and inner.function == "log"):
        raise Refused("exp_log", "exp(log x)", str(before))
    if not positive(inner.arg, scope):
        raise Refused("exp_log", f"{inner.arg} > 0", "it is neither visible nor assumed")
    _same("exp_log", inner.arg, after)


@_rule()
def log_mul(before: Term, after: Term, scope: Scope) -> None:
    """log(a b ...) = log a + log b + ... for positive factors."""
    inner = before.arg if isinstance(before, Apply) and before.function == "log" else None
    if not isinstance(inner, Mul):
        raise Refused("log_mul", "the log of a product", str(before))
    for factor in inner.args:
        if not positive(factor, scope):
            raise Refused("log_mul", f"{factor} > 0", "it is neither visible nor assumed")
    _same("log_mul", Add(Apply("log", f) for f in inner.args), after)


@_rule()
def log_inv(before: Term, after: Term, scope: Scope) -> None:
    """log(a^k) = k log a for a > 0 and an integer k."""
    inner = before.arg if isinstance(before, Apply) and before.function == "log" else None
    if not (isinstance(inner, Pow) and isinstance(inner.exponent, Number)):
        raise Refused("log_inv", "the log of a power", str(before))
    if not positive(inner.base, scope):
        raise Refused("log_inv", f"{inner.base} > 0", "it is neither visible nor assumed")
    _same("log_inv", Mul((inner.exponent, Apply("log", inner.base))), after)


# --- sine and cosine ------------------------------------------------------------------------------------------------


def _angle(rule: str, before: Term, function: str) -> Term:
    if not (isinstance(before, Apply) and before.function == function):
        raise Refused(rule, f"{function}(x)", str(before))
    return before.arg


def _equal_polynomials(rule: str, left: Term, right: Term, scope: Scope) -> None:
    if not ring_laws.same(left, right, scope.theory, scope.facts):
        raise Refused(rule, str(left), str(right))


@_rule()
def sin_add(before: Term, after: Term, scope: Scope, first: Term, rest: Term) -> None:
    """sin(a + b) = sin a cos b + cos a sin b.

    Refuses when the angle is not `first + rest`.
    """
    _equal_polynomials("sin_add", Add((first, rest)), _angle("sin_add", before, "sin"), scope)
    _same("sin_add", Add((Mul((_sin(first), _cos(rest))), Mul((_cos(first), _sin(rest))))), after)


@_rule()
def cos_add(before: Term, after: Term, scope: Scope, first: Term, rest: Term) -> None:
    """cos(a + b) = cos a cos b - sin a sin b.

    Refuses when the angle is not `first + rest`.
    """
    _equal_polynomials("cos_add", Add((first, rest)), _angle("cos_add", before, "cos"), scope)
    _same("cos_add", Add((Mul((_cos(first), _cos(rest))), Mul((Number(-1), _sin(first), _sin(rest))))), after)


@_rule()
def sin_neg(before: Term, after: Term, scope: Scope, angle: Term) -> None:
    """sin(-x) = -sin x."""
    _equal_polynomials("sin_neg", Mul((Number(-1), angle)), _angle("sin_neg", before, "sin"), scope)
    _same("sin_neg", Mul((Number(-1), _sin(angle))), after)


@_rule()
def cos_neg(before: Term, after: Term, scope: Scope, angle: Term) -> None:
    """cos(-x) = cos x."""
    _equal_polynomials("cos_neg", Mul((Number(-1), angle)), _angle("cos_neg", before, "cos"), scope)
    _same("cos_neg", _cos(angle), after)


@_rule()
def cos_sq(before: Term, after: Term, scope: Scope) -> None:
    """cos(x)^2 = 1 - sin(x)^2."""
    if not (isinstance(before, Pow) and before.exponent is Number(2)):
        raise Refused("cos_sq", "cos(x)^2", str(before))
    angle = _angle("cos_sq", before.base, "cos")
    _same("cos_sq", Add((ONE, Mul((Number(-1), Pow(_sin(angle), 2))))), after)


@_rule()
def trig_zero(before: Term, after: Term, scope: Scope) -> None:
    """sin 0 = 0 and cos 0 = 1."""
    if not (isinstance(before, Apply) and before.function in ("sin", "cos") and before.arg is ZERO):
        raise Refused("trig_zero", "sin 0 or cos 0", str(before))
    _same("trig_zero", ZERO if before.function == "sin" else ONE, after)


def _sin(x: Term) -> Term:
    return Apply("sin", x)


def _cos(x: Term) -> Term:
    return Apply("cos", x)


# --- derivatives ----------------------------------------------------------------------------------------------------


@_rule()
def deriv(before: Term, after: Term, scope: Scope) -> None:
    """One law of differentiation: of a constant, an entry, a sum, a product, a power, exp, log, sin, cos, tanh.

    Refuses where the law needs a base other than 0 or a positive argument that is not visible, and for functions
    without a law here.
    """
    _is("deriv", before, Derivative, "a derivative")
    _same("deriv", differentiate(before, scope), after)  # type: ignore[arg-type]


def differentiate(d: Derivative, scope: Scope) -> Term:
    """The derivative by one law (for provers; the rule compares with it)."""
    found = _by_one_law(d, scope)
    # with parts that have no derivative the laws fail: x = f f f for the cube root f, and 3 f^2 df/dx is 0 at 0
    if not smooth(d.body, scope.inside(d, 0), d.name):
        raise Refused("deriv", "parts that can be differentiated here", str(d.body))
    return found


def _by_one_law(d: Derivative, scope: Scope) -> Term:
    body = d.body

    def inner(t: Term) -> Term:
        return Derivative(d.name, d.at, t)

    if d.name in scope.theory.definitions:  # y := exp(z) would give dy/dy = 1, and 0 once y is unfolded
        raise Refused("deriv", "a given tensor to differentiate by", f"{d.name}, which is defined")
    if not scope.theory.depends(body, frozenset((d.name,))):
        return ZERO
    if isinstance(body, Entry) and body.name == d.name and not body.args and len(body.indices) == len(d.at):
        return Bracket(constraint(i - j, "==") for i, j in zip(body.indices, d.at, strict=True))
    if isinstance(body, Add):
        return Add(inner(t) for t in body.args)
    if isinstance(body, Mul):
        parts = body.args
        return Add(Mul((*parts[:k], inner(t), *parts[k + 1 :])) for k, t in enumerate(parts))
    if isinstance(body, Sum):
        apart: Sum = rename_apart(body, frozenset(scope.variables).union(*(i.free for i in d.at)))  # type: ignore[assignment]
        return Sum(apart.var, apart.guard, inner(apart.body))
    if isinstance(body, Case):
        return Case([(g, inner(t)) for g, t in body.branches], inner(body.otherwise))
    if isinstance(body, Choice):
        if not nonzero(body.test, scope):
            raise Refused("deriv", f"{body.test} != 0", "it is neither visible nor assumed")
        return Choice(body.test, inner(body.above), inner(body.otherwise))
    if isinstance(body, Pow) and isinstance(body.exponent, Number):
        q = body.exponent.value
        if not (q.q == 1 and q >= 1):
            test, needed = (nonzero, "!= 0") if q.q == 1 else (positive, "> 0")
            if not test(body.base, scope):
                raise Refused("deriv", f"{body.base} {needed}", "it is neither visible nor assumed")
        return Mul((Number(q), Pow(body.base, Number(q - 1)), inner(body.base)))
    if isinstance(body, Apply):
        x = body.arg
        outer: dict[str, Term] = {
            "exp": body,
            "log": Pow(x, -1),
            "sin": _cos(x),
            "cos": Mul((Number(-1), _sin(x))),
            "tanh": Add((ONE, Mul((Number(-1), Pow(body, 2))))),
        }
        if body.function in outer:
            if body.function == "log" and not positive(x, scope):
                raise Refused("deriv", f"{x} > 0", "it is neither visible nor assumed")
            return Mul((outer[body.function], inner(x)))
    raise Refused("deriv", "a sum, product, power, exp, log, sin, cos or tanh (unfold definitions first)", str(body))


# --- expectation ----------------------------------------------------------------------------------------------------


def _expected(rule: str, t: Term) -> Term:
    _is(rule, t, Expectation, "an expectation")
    return t.children[0]


@_rule()
def expect_add(before: Term, after: Term, scope: Scope) -> None:
    """E(a + b) = E(a) + E(b), also for a sum over an index."""
    body = _expected("expect_add", before)
    if isinstance(body, Sum):
        _same("expect_add", Sum(body.var, body.guard, Expectation(body.body)), after)
    else:
        _is("expect_add", body, Add, "the expectation of a sum")
        _same("expect_add", Add(Expectation(t) for t in body.children), after)


@_rule()
def expect_mul(before: Term, after: Term, scope: Scope, factors: tuple[int, ...]) -> None:
    """E(c x) = c E(x) for factors that are not random (also E(c) = c).

    Refuses when a factor depends on a random tensor.
    """
    body = _expected("expect_mul", before)
    parts = body.args if isinstance(body, Mul) else (body,)
    _numbers("expect_mul", factors, len(parts))
    for k in factors:
        if random_names(parts[k], scope):
            raise Refused("expect_mul", "a factor that is not random", str(parts[k]))
    rest = [t for k, t in enumerate(parts) if k not in factors]
    pulled = [parts[k] for k in factors]
    _same("expect_mul", product_of([*pulled, *([Expectation(product_of(rest))] if rest else [])]), after)


@_rule()
def expect_indep(before: Term, after: Term, scope: Scope, factors: tuple[int, ...]) -> None:
    """E(x y) = E(x) E(y) for x and y that depend on different random tensors (which are independent).

    Refuses when one random tensor occurs on both sides.
    """
    body = _expected("expect_indep", before)
    _is("expect_indep", body, Mul, "the expectation of a product")
    _numbers("expect_indep", factors, len(body.children))
    one = [t for k, t in enumerate(body.children) if k in factors]
    other = [t for k, t in enumerate(body.children) if k not in factors]
    if not one or not other:
        raise Refused("expect_indep", "two groups of factors", str(factors))
    shared = random_names(product_of(one), scope) & random_names(product_of(other), scope)
    if shared:
        raise Refused("expect_indep", "factors with different random tensors", f"{min(shared)} in both")
    _same("expect_indep", Mul((Expectation(product_of(one)), Expectation(product_of(other)))), after)


@_rule()
def expect_moment(before: Term, after: Term, scope: Scope) -> None:
    """E(x[i]) = mean, E(x[i]^2) = variance + mean^2, E(x[i] x[j]) = [i = j] variance + mean^2.

    Refuses when the mean or variance of the tensor is not given.
    """
    body = _expected("expect_moment", before)
    squared = isinstance(body, Pow) and body.exponent is Number(2)
    entries = (body.base,) * 2 if isinstance(body, Pow) and squared else body.args if isinstance(body, Mul) else (body,)
    first = entries[0]
    if len(entries) > 2 or not isinstance(first, Entry) or first.args or first.sizes:
        raise Refused("expect_moment", "one or two entries of a random tensor", str(body))
    tensor = scope.theory.tensors.get(first.name)
    if tensor is None or tensor.law is None or len(tensor.shape) != len(first.indices):
        raise Refused("expect_moment", "entries of a random tensor", first.name)
    mean, variance = tensor.law.mean, tensor.law.variance
    if mean is None:
        raise Refused("expect_moment", f"the mean of {first.name}", "it is not given")
    if len(entries) == 1:
        _same("expect_moment", mean, after)
        return
    second = entries[1]
    if variance is None:
        raise Refused("expect_moment", f"the variance of {first.name}", "it is not given")
    if not isinstance(second, Entry) or (second.name, second.args, second.sizes) != (first.name, (), ()):
        raise Refused("expect_moment", "two entries of one random tensor", str(body))
    if len(second.indices) != len(first.indices):
        raise Refused("expect_moment", "two entries of one random tensor", str(body))
    equal_places = Bracket(constraint(i - j, "==") for i, j in zip(first.indices, second.indices, strict=True))
    _same("expect_moment", Add((Mul((equal_places, variance)), Pow(mean, 2))), after)


def random_names(t: Term, scope: Scope) -> frozenset[str]:
    """The random tensors that the value of a term depends on (an expectation depends on none)."""
    random = scope.theory.random
    found: set[str] = set()
    seen: set[str] = set()
    stack = [t]
    while stack:
        top = stack.pop()
        if isinstance(top, Expectation):
            continue
        if isinstance(top, (Entry, Derivative)):
            if top.name in random:
                found.add(top.name)
            if top.name not in seen:
                seen.add(top.name)
                stack += [d.body for d in scope.theory.definitions.get(top.name, ())]
        stack += top.children
    return frozenset(found)
