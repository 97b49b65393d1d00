r"""`\sum_{k=0}^{\infty} \gamma^k`: geometric series are written `\frac{1}{1 - \gamma}`, for a ratio between -1 and 1.

The terms are a number that does not depend on the index, times powers whose exponents are the index and a number, perhaps
times the index itself: `\sum_{n=1}^{\infty} n (1 - a)^{n-1} a`.

Source: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 3.6.10; Knopp, Theory and Application of Infinite
Series (1951), sec. 20.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain as chained

from derivations.latex.passes.short_forms import mapped, mapped_readings
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Literal,
    Mark,
    Node,
    Operator,
    Prefix,
    Reading,
    Scripted,
    walk,
)

SERIES = "geometric series"
"""Name of the operator that a sum is written by: it is applied to the closed form and to the ratio of the terms."""


def with_geometric_series(readings: Sequence[Reading]) -> list[Reading]:
    """The readings with the sums of geometric series, each with the condition under which it converges."""
    found: list[Reading] = []
    for r in readings:
        ratios: list[Node] = []

        def closed(node: Node, ratios: list[Node] = ratios) -> Node:
            made = _closed(node)
            if made is None:
                return node
            ratios.append(made[1])
            return made[0]

        (changed,) = mapped_readings([r], closed)
        between = tuple(_between(n) for n in {str(mapped(n, _without_place)): n for n in ratios}.values())
        found.append(replace(changed, conditions=(*changed.conditions, *between)) if between else r)
    return found


def _without_place(node: Node) -> Node:
    return replace(node, span=(0, 0))


def _between(ratio: Node) -> Node:
    """`-1 < r < 1`."""
    one = Literal(ratio.span, "1")
    return Chain(ratio.span, Prefix(ratio.span, "-", one), (("<", ratio), ("<", one)))


def _closed(node: Node) -> tuple[Node, Node] | None:
    """The sum of a series, and the ratio of its terms."""
    if not isinstance(node, Big) or node.name != "sum" or not isinstance(node.sup, Mark) or node.sup.kind != "infinity":
        return None
    if not isinstance(node.sub, Chain) or [relation for relation, _ in node.sub.links] != ["="]:
        return None
    k, first = letter(node.sub.first), node.sub.links[0][1]
    if k is None or not isinstance(first, Literal) or not first.text.isdigit():
        return None
    start, span = int(first.text), node.span
    fixed: list[Node] = []
    ratio: list[Node] = []
    counted = 0
    for factor, sign in _factors(node.body, 1):
        if letter(factor) == k and sign > 0:
            counted += 1
        elif not _speaks_of(factor, k):
            fixed.append(factor if sign > 0 else Fraction(span, Literal(span, "1"), factor))
        elif sign > 0 and (power := _power(factor, k)) is not None:
            base, shift = power
            ratio.append(base)
            if start + shift:
                exponent = Literal(span, str(abs(start + shift)))
                fixed.append(Scripted(span, base, None, exponent if start + shift > 0 else Prefix(span, "-", exponent)))
        else:
            return None
    if not ratio or counted > 1:
        return None
    q = ratio[0] if len(ratio) == 1 else Enclosed(span, "()", Adjacent(span, tuple(ratio)))
    rest: Node = Infix(span, "-", Literal(span, "1"), q)
    if counted:  # the sum over k >= a of k q^(k - a) is (a - (a - 1) q) / (1 - q)^2
        less = Adjacent(span, (Literal(span, str(abs(start - 1))), q))
        above: Node = Infix(span, "+" if start == 0 else "-", Literal(span, str(start)), less)
        fixed.append(Enclosed(span, "()", above))
        rest = Scripted(span, Enclosed(span, "()", rest), None, Literal(span, "2"))
    numerator = Literal(span, "1") if not fixed else fixed[0] if len(fixed) == 1 else Adjacent(span, tuple(fixed))
    return Operator(span, SERIES, None, None, (Fraction(span, numerator, rest), q)), q


def _factors(node: Node, sign: int) -> list[tuple[Node, int]]:
    """The factors of a product, each with 1, or -1 below a fraction bar."""
    if isinstance(node, Adjacent):
        return list(chained.from_iterable(_factors(n, sign) for n in node.items))
    if isinstance(node, Infix) and node.operator in ("cdot", "times"):
        return [*_factors(node.left, sign), *_factors(node.right, sign)]
    if isinstance(node, Fraction):
        return [*_factors(node.above, sign), *_factors(node.below, -sign)]
    return [(node, sign)]


def _power(factor: Node, k: str) -> tuple[Node, int] | None:
    """The base of a power and what its exponent has beside the index: `(1 - a)^{k - 1}`."""
    if not isinstance(factor, Scripted) or factor.sup is None or _speaks_of(factor.base, k):
        return None
    if factor.sub is not None and _speaks_of(factor.sub, k):
        return None
    base = factor.base if factor.sub is None else replace(factor, sup=None)
    sup = factor.sup
    if letter(sup) == k:
        return base, 0
    if isinstance(sup, Infix) and sup.operator in ("+", "-") and letter(sup.left) == k:
        if isinstance(sup.right, Literal) and sup.right.text.isdigit():
            return base, int(sup.right.text) * (1 if sup.operator == "+" else -1)
    return None


def _speaks_of(node: Node, k: str) -> bool:
    return any(letter(n) == k for n in walk(node))
