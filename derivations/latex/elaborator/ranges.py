r"""Sums and maxima over named indices: `\sum_{j=1}^n`, `\max_{j \leq i}`, `\sum_{i,j}`, `\sum_{j=1, j \neq i}^n`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from derivations.language.term import (
    Bracket,
    Case,
    Constraint,
    Index,
    Max,
    NegInfinity,
    Sum,
    Term,
    at_least,
    equal,
    guard,
    less,
    number,
)
from derivations.latex.elaborator.array_functions import members_of
from derivations.latex.elaborator.big_products import product_of_factors
from derivations.latex.elaborator.indices import Scope, Variable, ranges_of
from derivations.latex.lexicon import arrays
from derivations.latex.lexicon.arrays import Array, At, NotUnderstood, plus, times
from derivations.latex.passes.pairs import both_below, pair_below
from derivations.latex.syntax.letters import letter, letter_node
from derivations.latex.syntax.surface import Big, Chain, Mark, Node

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator

Limits = Callable[[Scope], tuple[list[Constraint], Constraint | None]]
"""The further conditions on a bound variable, and what it must not satisfy, where its axis is known."""


def over_ranges(e: Elaborator, node: Big, scope: Scope) -> Array:
    """A sum or a maximum over the indices below it; a later condition on one of them limits all of it."""
    binders: list[Node] = []
    conditions: list[tuple[str, Node]] = []
    bound: set[str] = set()
    for part in ranges_of(_below(e, node)):
        names = list(e.bound_letters(part))
        if not names:
            raise NotUnderstood("unknown-notation", f"the range of this {node.name} is not read", part.span)
        if names[0] in bound:
            conditions.append((names[0], part))
        else:
            binders.append(part)
        bound.add(names[0])
    shared = all(_is_from(part) for part in binders)
    tops = [node.sup if shared or k == len(binders) - 1 else None for k in range(len(binders))]
    return _bind(e, node, list(zip(binders, tops, strict=True)), conditions, scope)


def _below(e: Elaborator, node: Big) -> Node | None:
    r"""What stands below the sign; whether `\sum_{i<j} A_{ij}` runs over j too is open where nothing else has a j."""
    pair = pair_below(node)
    if pair is None or any(letter(n) in e.outside_sums for n in pair):
        return node.sub
    one, other = (letter(n) for n in pair)
    both = e.choose(f"the {node.name} over {one}", node, ("of one index", f"of {one} and {other}"))
    return node.sub if both == "of one index" else both_below(node)


def _is_from(part: Node) -> bool:
    """`i` or `i = 1`: a range that goes up to the limit above the sign, which several of them share."""
    return letter(part) is not None or (isinstance(part, Chain) and [r for r, _ in part.links] == ["="])


@dataclass(slots=True)
class _Range:
    """A bound variable with the positions it runs over."""

    variable: Variable
    high: Index | None = None
    beyond: Index | None = None
    """The written value it starts from, where that is neither 0 nor 1."""


def _bind(
    e: Elaborator,
    node: Big,
    parts: Sequence[tuple[Node, Node | None]],
    conditions: list[tuple[str, Node]],
    scope: Scope,
) -> Array:
    part, top = parts[0]
    c = next(iter(e.bound_letters(part)))
    members = members_of(e, node, part, c)
    if members is not None:
        part = letter_node(part.span, c)
    low, limits = _limits(e, part, c, scope)
    own = _range(e, node, part, top, low, scope)
    variable, high = own.variable, own.high
    if members is not None:
        variable.member = True
        e.sizes.unify(variable.dim, members[0], part.span)
    inner: dict[str, Variable] = {**scope, c: variable}
    further = [limits]
    if len(parts) == 1:
        further += [_limit(e, condition, name) for name, condition in conditions]
    body = _bind(e, node, parts[1:], conditions, inner) if len(parts) > 1 else e.value(node.body, inner)
    last = {**e.free, **scope}.get(letter(top) or "")
    if last is not None and last.dim.root().around is None and variable.dim.root().around is None:
        e.sizes.soft(last.dim, variable.dim)  # \sum_{j=1}^i x_j: i counts what j does

    def at(where: At) -> Term:
        start = variable.base if variable.base is not None else e.table.names.document_base
        v = Index.var(variable.name)
        bounds: list[Constraint] = [at_least(v, 0)]
        if own.beyond is not None:
            bounds.append(at_least(v + start, own.beyond))
        end = e.sizes.index(variable.dim) if high is None else high + 1 - start
        bounds.append(less(v, end))
        term = body.at(where)
        if node.name == "prod":
            first = Index() if own.beyond is None else own.beyond - start
            for limited in further:
                inside, excluded = limited(inner)
                term = _limited_factor(term, inside, excluded)
            return product_of_factors(e, variable.name, first, end, term, node.span)
        if members is not None:
            term = times(members[1](inner), term)
        for limited in further:
            inside, excluded = limited(inner)
            bounds += inside
            if excluded is not None and node.name == "sum":
                term = times(plus(number(1), arrays.minus(Bracket((excluded,)))), term)
            elif excluded is not None:
                term = Case([(guard(excluded), NegInfinity())], term)
        kind = Sum if node.name == "sum" else Max
        return kind(variable.name, guard(*bounds), term)

    return Array(body.shape, at, body.orient, node.span)


def _limited_factor(factor: Term, inside: Sequence[Constraint], excluded: Constraint | None) -> Term:
    """A factor that counts where the conditions hold: elsewhere it is 1."""
    if excluded is not None:
        factor = Case([(guard(excluded), number(1))], factor)
    return Case([(guard(*inside), factor)], number(1)) if inside else factor


def _range(e: Elaborator, node: Big, part: Node, top: Node | None, low: Index | None, scope: Scope) -> _Range:
    """The positions of a bound variable from `low` to what is written above."""
    names = e.table.names
    excluding = isinstance(part, Chain) and len(part.links) == 1 and part.links[0][0] == "!="
    base = names.document_base if excluding else None
    base = low.const if low is not None and low.is_constant and low.const in (0, 1) else base
    _, dim = e.table.ranges.get(letter(part) or "", (None, None))
    variable = Variable(e.fresh(next(iter(e.bound_letters(part)))), base, e.new_dim("bound", part.span), bound=True)
    own = _Range(variable)
    if low is None and dim is not None:
        e.sizes.soft(variable.dim, dim)
    if e.mean is not None and e.mean[0] is node:
        e.sizes.soft(variable.dim, e.mean[1])
    if top is None:
        if low is not None and base is None:  # \sum_{j=2}: all but the first
            if not low.is_constant:
                raise NotUnderstood("ambiguous", "where this range ends is not said", part.span)
            own.beyond = low
        return own
    if isinstance(top, Mark) and top.kind == "infinity":
        raise NotUnderstood("out-of-scope", "an infinite sum", node.span)
    high = e.written_index(top, {**e.free, **scope})
    variable.explicit = True
    if low is None and not isinstance(part, Chain) and high.terms and not high.free:  # \sum_j^N: N terms
        variable.base = base = names.document_base
        high = high + (base - 1)
    if high.terms and not high.free and base is not None:
        e.sizes.unify(variable.dim, e.sizes.declared(high + 1 - base))
    elif base is None and low is not None:  # from t + 1 on
        known = {v.base for v in (*e.free.values(), *scope.values()) if v.name in low.free and v.base is not None}
        variable.base = known.pop() if len(known) == 1 else names.document_base
        own.beyond = low
    elif base is None:
        raise NotUnderstood("unknown-notation", "a sum that starts elsewhere than at 0 or 1", node.span)
    if low is not None and not low.is_constant and (low.free | high.free) <= {v.name for v in e.free.values()}:
        e.supposed.append(at_least(high + 1, low))
    own.high = high
    return own


def _limits(e: Elaborator, part: Node, c: str, scope: Scope) -> tuple[Index | None, Limits]:
    """The lower limit when it is written, and the further conditions on the variable."""
    if not isinstance(part, Chain):
        return None, lambda _: ([], None)
    if letter(part.first) == c and len(part.links) == 1 and part.links[0][0] == "=":
        low = e.written_index(part.links[0][1], {**e.free, **scope})
        if low.is_constant and low.const < 0:
            raise NotUnderstood("shape-conflict", f"no axis has a place {low}", part.span)
        return low, lambda _: ([], None)
    return None, _limit(e, part, c)


def _limit(e: Elaborator, part: Node, c: str) -> Limits:
    r"""`j \neq i`, `i < j`: a condition on a bound variable."""
    if not isinstance(part, Chain) or any(r not in ("<=", "<", ">=", ">", "!=") for r, _ in part.links):
        raise NotUnderstood("unknown-notation", "this range is not read", part.span)
    if all(r != "!=" for r, _ in part.links):
        return lambda inner: (e.constraints(part, {**e.free, **inner}), None)
    if len(part.links) != 1 or letter(part.first) != c:
        raise NotUnderstood("unknown-notation", "this range is not read", part.span)
    other = part.links[0][1]

    def excluded(inner: Scope) -> tuple[list[Constraint], Constraint | None]:
        left = inner[c].written(e.table.names.document_base)
        return [], equal(left, e.written_index(other, {**e.free, **inner}))

    return excluded
