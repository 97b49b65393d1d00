"""Conditions on values: `cases` and indicators whose conditions compare numbers, `x > 0`, and not indices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

from derivations.language.statement import Statement
from derivations.language.term import ONE, ZERO, Bracket, Case, Guard, Term, by_sign, guard
from derivations.latex.lexicon.arrays import Array, NotUnderstood, minus, plus
from derivations.latex.syntax.letters import unworded
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Infix,
    Listed,
    Name,
    Node,
    Scripted,
    Span,
    Words,
    outline,
)

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator
    from derivations.latex.elaborator.indices import Scope

SIGNS = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1), "=": (0,), "!=": (-1, 1)}
"""The signs of `left - right` where a comparison holds."""
MAX_COMPARED = 5
"""Different pairs of values that the conditions of one `cases` may compare."""


@dataclass(frozen=True)
class Compared:
    """One comparison: the signs of a difference where it holds; `pair` tells which difference it is."""

    left: Node
    right: Node
    signs: tuple[int, ...]
    pair: tuple[str, str]


@dataclass(frozen=True)
class Condition:
    """A comparison, constraints on indices, or several conditions of which all (any) must hold."""

    compared: Compared | None = None
    indices: Guard = ()
    parts: tuple[Condition, ...] = ()
    any: bool = False

    def comparisons(self) -> Iterator[Compared]:
        if self.compared is not None:
            yield self.compared
        for p in self.parts:
            yield from p.comparisons()

    def holds(self, signs: dict[tuple[str, str], int]) -> bool:
        """Whether it holds where the differences have these signs (constraints on indices count as false)."""
        if self.compared is not None:
            return signs[self.compared.pair] in self.compared.signs
        if self.parts:
            return (any if self.any else all)(p.holds(signs) for p in self.parts)
        return False

    def choose(self, yes: Term, no: Term, differences: dict[tuple[str, str], Term]) -> Term:
        """`yes` where it holds, else `no`."""
        if self.compared is not None:
            return by_sign(
                differences[self.compared.pair], *(yes if s in self.compared.signs else no for s in (1, 0, -1))
            )
        if self.indices:
            return Case([(self.indices, yes)], no)
        for p in reversed(self.parts):
            if self.any:
                no = p.choose(yes, no, differences)
            else:
                yes = p.choose(yes, no, differences)
        return no if self.any else yes


def read_condition(e: Elaborator, node: Node, scope: Scope) -> Condition:
    """A condition on indices or on values; raises `NotUnderstood` for anything else."""
    try:
        return Condition(indices=guard(*e.constraints(node, scope)))
    except NotUnderstood:
        found = _of_values(e, node, scope)
        if found is None:
            raise
        return found


def _of_values(e: Elaborator, node: Node, scope: Scope) -> Condition | None:
    if isinstance(node, Enclosed) and node.content is not None and node.kind in ("()", "[]", "{}"):
        return _of_values(e, node.content, scope)
    if isinstance(node, Adjacent):
        rest = [p for p in node.items if not isinstance(p, Words)]
        return _of_values(e, rest[0], scope) if len(rest) == 1 and len(rest) < len(node.items) else None
    if isinstance(node, Listed) or (isinstance(node, Infix) and node.operator in ("and", "or")):
        parts = tuple(read_condition(e, p, scope) for p in node.parts)
        return Condition(parts=parts, any=isinstance(node, Infix) and node.operator == "or")
    if not isinstance(node, Chain) or node.first is None or not node.links:
        return None
    found = []
    left = unworded(node.first)
    for relation, right in node.links:
        if relation not in SIGNS:
            return None
        right = unworded(right)
        found.append(Condition(_compared(left, relation, right)))
        left = right
    return found[0] if len(found) == 1 else Condition(parts=tuple(found))


def _compared(left: Node, relation: str, right: Node) -> Compared:
    one, other = outline(left), outline(right)
    if one <= other:
        return Compared(left, right, SIGNS[relation], (one, other))
    return Compared(right, left, tuple(-s for s in SIGNS[relation]), (other, one))


def _differences(
    e: Elaborator, conditions: Sequence[Condition], scope: Scope
) -> tuple[list[tuple[str, str]], list[Array]]:
    """The values that conditions compare: each pair, and the arrays of both."""
    pairs = {c.pair: c for condition in conditions for c in condition.comparisons()}
    if len(pairs) > MAX_COMPARED:
        raise NotUnderstood("unknown-notation", f"more than {MAX_COMPARED} comparisons in one case distinction", None)
    return list(pairs), [e.value(side, scope) for c in pairs.values() for side in (c.left, c.right)]


def _terms(pairs: Sequence[tuple[str, str]], sides: Sequence[Term]) -> dict[tuple[str, str], Term]:
    return {p: _difference(sides[2 * k], sides[2 * k + 1]) for k, p in enumerate(pairs)}


def _difference(left: Term, right: Term) -> Term:
    return left if right is ZERO else minus(right) if left is ZERO else plus(left, minus(right))


def by_values(e: Elaborator, rows: Sequence[tuple[Condition | None, Array]], scope: Scope, span: Span) -> Array:
    """A distinction by conditions on values, None for what is left; arrays are compared and chosen entry by entry."""
    named = [(c, v) for c, v in rows if c is not None]
    rest = [v for c, v in rows if c is None]
    conditions = [c for c, _ in named]
    pairs, sides = _differences(e, conditions, scope)
    if not rest and not _everything(conditions, pairs):
        raise NotUnderstood("unknown-notation", "these cases do not visibly cover everything", span)
    otherwise = rest[-1] if rest else named.pop()[1]

    def chosen(terms: Sequence[Term]) -> Term:
        differences = _terms(pairs, terms[: len(sides)])
        *some, result = terms[len(sides) :]
        for (condition, _), value in zip(reversed(named), reversed(some), strict=True):
            result = condition.choose(value, result, differences)
        return result

    return e.broadcast([*sides, *(v for _, v in named), otherwise], chosen, span, scalars=True)


def _everything(conditions: Sequence[Condition], pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether some condition holds whatever signs the compared differences have."""
    return all(
        any(c.holds(dict(zip(pairs, signs, strict=True))) for c in conditions)
        for signs in product((-1, 0, 1), repeat=len(pairs))
    )


def indicator(e: Elaborator, node: Node, scope: Scope) -> Array:
    r"""1 where a condition holds, else 0: `\mathbb{1}[x > 0]`, entry by entry where arrays are compared."""
    condition = read_condition(e, node, {**e.free, **scope})
    if condition.indices:
        return Array((), lambda _: Bracket(condition.indices), span=node.span)
    pairs, sides = _differences(e, [condition], scope)
    one: Callable[[Sequence[Term]], Term] = lambda terms: condition.choose(ONE, ZERO, _terms(pairs, terms))  # noqa: E731
    return e.broadcast(sides, one, node.span, scalars=True)


def comparisons(e: Elaborator, chain: Chain, scope: Scope) -> list[tuple[Array, str, Array]]:
    """The comparisons of numbers that a condition on a whole equation makes; raises `NotUnderstood`."""
    sides = [e.value(unworded(n), scope) for n in (chain.first, *(n for _, n in chain.links)) if n is not None]
    if any(v.rank for v in sides) or len(sides) <= len(chain.links):
        raise NotUnderstood("unknown-notation", "a condition that compares arrays is not read", chain.span)
    return [(a, relation, b) for a, (relation, _), b in zip(sides, chain.links, sides[1:], strict=False)]


def under_conditions(s: Statement, supposed: Sequence[tuple[Array, str, Array]]) -> Statement:
    """A statement that is claimed only where some comparisons hold.

    Those without free indices are hypotheses; where others do not hold the statement is made true.
    """
    for a, relation, b in supposed:
        left, right = a.at(()), b.at(())
        if left.free | right.free:
            difference = _difference(left, right)
            fails = ZERO, ONE if s.relation in ("<", "!=") else ZERO
            one, other = (
                by_sign(difference, *(side if sign in SIGNS[relation] else value for sign in (1, 0, -1)))
                for side, value in zip((s.left, s.right), fails, strict=True)
            )
            s = replace(s, left=one, right=other)
            continue
        if relation in (">", ">="):
            left, right, relation = right, left, "<" if relation == ">" else "<="
        s = replace(s, hypotheses=(*s.hypotheses, Statement(left, relation, right)))
    return s


def is_indicator(node: Scripted) -> bool:
    r"""`\mathbb{1}_{x > 0}`."""
    one = isinstance(node.base, Name) and node.base.base in ("1", "I") and node.base.font in ("bold", "blackboard")
    return one and node.sup is None and isinstance(node.sub, Chain) and node.sub.first is not None
