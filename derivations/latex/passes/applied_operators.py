r"""Operators that are written before what they are applied to: `T v = r + \gamma P v` for any v, and then `T (v + c)`, `T w`.

A matrix is written so, too.  What tells an operator is that an equation says what it makes of any argument, with a sum or
a function of it on the right; an equation that holds for one v alone, `A v = \lambda v`, says nothing of the kind.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from derivations.latex.passes.short_forms import joined, mapped_readings
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Infix,
    Name,
    Node,
    Reading,
    Scripted,
    bare,
    walk,
)


def with_applied_operators(readings: Sequence[Reading], of_any: Collection[int]) -> list[Reading]:
    """The readings with parentheses around what operators are applied to; those numbered `of_any` speak of any argument."""
    told = (_operator(readings[k].chain) for k in of_any)
    found = {bare(name) for name in told if name is not None} - set(_left_alone(readings))
    if not found:
        return list(readings)

    def applied(name: Node, after: Node) -> Node | None:
        is_operand = isinstance(after, Name | Scripted) or (isinstance(after, Enclosed) and after.kind == "[]")
        if not is_operand or not isinstance(name, Name | Scripted) or bare(name) not in found:
            return None
        content = after.content if isinstance(after, Enclosed) else after
        return Adjacent((name.span[0], after.span[1]), (name, Enclosed(after.span, "()", content)))

    return mapped_readings(readings, lambda node: joined(node, applied))


def _operator(chain: Chain) -> Node | None:
    """The operator of which an equation says what it makes of a letter, with more than a multiple of it on the right."""
    first = chain.first
    if not isinstance(first, Adjacent) or len(first.items) != 2 or not chain.links or chain.links[0][0] != "=":
        return None
    name, argument = first.items
    base = name.base if isinstance(name, Scripted) and name.sup is None else name
    own, right = letter(argument), chain.links[0][1]
    if not isinstance(base, Name) or not base.base[:1].isupper() or own is None or not isinstance(right, Infix):
        return None
    names = [bare(n) for n in walk(right)]
    return name if any(letter(n) == own for n in walk(right)) and bare(name) not in names else None


def _left_alone(readings: Sequence[Reading]) -> Iterable[object]:
    """What equations give a value, and what is declared as a member of a set: matrices, not operators."""
    for r in readings:
        if r.chain.first is not None and r.chain.links and r.chain.links[0][0] in ("=", "equiv", "in"):
            yield bare(r.chain.first)
