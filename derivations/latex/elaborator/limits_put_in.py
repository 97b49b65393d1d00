r"""An expression at the values of its one variable: `\left[ x^3 - x^2 \right]_0^2`, `\left. x^2 \right|_{x = 3}`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derivations.latex.lexicon.arrays import Array, minus, plus
from derivations.latex.passes.short_forms import mapped
from derivations.latex.syntax.letters import EULER, letter
from derivations.latex.syntax.surface import Chain, Enclosed, Literal, Name, Node, Prefix, Scripted, walk

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator
    from derivations.latex.elaborator.indices import Scope


def between_limits(e: Elaborator, node: Scripted, scope: Scope) -> Array | None:
    r"""`[F]_a^b`, the difference of F at b and at a; None for a node that is not so.

    The lower limit is a number, and F a number that depends on one letter of which nothing is known.
    """
    base, low, high = node.base, node.sub, node.sup
    if not isinstance(base, Enclosed) or base.kind != "[]" or base.content is None or low is None or high is None:
        return None
    if not _is_number(low) or isinstance(base.content, Name | Literal | Scripted | Chain):
        return None
    variable = _variable(e, base.content, scope)
    if variable is None or e.value(base.content, scope).rank:
        return None
    upper, lower = (e.value(_at(base.content, variable, limit), scope) for limit in (high, low))
    if upper.rank or lower.rank:
        return None
    return Array((), lambda _: plus(upper.at(()), minus(lower.at(()))), span=node.span)


def at_value(e: Elaborator, node: Scripted, scope: Scope) -> Array | None:
    r"""`\left. F \right|_{x = 3}`, the value of F at a value of a letter; None for a node that is not so."""
    base, below = node.base, node.sub
    if not isinstance(base, Enclosed) or base.kind != ".|" or base.content is None or node.sup is not None:
        return None
    if not isinstance(below, Chain) or len(below.links) != 1 or below.links[0][0] != "=":
        return None
    variable = letter(below.first)
    if variable is None or _variable(e, base.content, scope, variable) != variable:
        return None
    found = e.value(_at(base.content, variable, below.links[0][1]), scope)
    return None if found.rank else found


def _is_number(node: Node) -> bool:
    return isinstance(node.operand if isinstance(node, Prefix) else node, Literal)


def _variable(e: Elaborator, content: Node, scope: Scope, said: str = "") -> str | None:
    """The one letter without scripts of an expression that stands for any number; `said` is one that is said to vary."""
    found: set[str] = set()
    for n in walk(content):
        w = e.table.names.written(n) if isinstance(n, Name | Scripted) else None
        if w is None or (w.stem == EULER and e.table.names.powers_of_e):
            continue
        known = e.table.find_stem(w.stem)
        if known is not None and (known.defined or known.dims):
            continue
        taken = w.stem in scope or w.stem in e.overlay or (w.stem in e.free and w.stem != said)
        if w.slots or taken or e.table.is_size(w):
            return None
        found.add(w.stem)
    return found.pop() if len(found) == 1 else None


def _at(content: Node, variable: str, value: Node) -> Node:
    """An expression with a value for each occurrence of a letter."""
    inside = value if isinstance(value, Literal | Name) else Enclosed(value.span, "()", value)
    return mapped(content, lambda n: inside if isinstance(n, Name) and letter(n) == variable else n)
