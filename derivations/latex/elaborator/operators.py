"""Operators with a name and arguments: `exp`, `softmax`, `max`, `tr`, `det`, `diag` and the like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from derivations.language.term import MINUS_ONE, ONE, ZERO, Apply, Bracket, Pow, Term, by_sign, equal, exp, number
from derivations.latex.elaborator import counting
from derivations.latex.elaborator.array_functions import largest
from derivations.latex.elaborator.determinants import determinant
from derivations.latex.elaborator.entropies import known_of_lists
from derivations.latex.elaborator.expectations import moment
from derivations.latex.elaborator.indices import Scope
from derivations.latex.elaborator.normal_laws import DRAWN, drawn_vector, known_of_laws
from derivations.latex.lexicon import arrays
from derivations.latex.lexicon.arrays import Array, NotUnderstood, elementwise, plus, quotient, times
from derivations.latex.lexicon.kind_search import IDENTITY
from derivations.latex.passes.geometric_series import SERIES
from derivations.latex.passes.known_divergences import DIVERGENCE, ENTROPY, LAW
from derivations.latex.syntax.notation import TRIGONOMETRIC
from derivations.latex.syntax.surface import Adjacent, Enclosed, Infix, Listed, Literal, Name, Node, Operator, Scripted
from derivations.notes import Note

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator


OUT_OF_SCOPE = frozenset({"lim", "argmax", "arg", "int", "bigcup", "prod"})
"""Operators of mathematics that is not read."""


def _half_of_exponentials(sign: Term) -> Callable[[Term], Term]:
    """(exp t + exp(-t)) / 2, or with the sign -1 the hyperbolic sine."""
    return lambda t: quotient(plus(exp(t), times(sign, exp(arrays.minus(t)))), number(2))


def _tangent(t: Term) -> Term:
    """sin t / cos t."""
    return quotient(Apply("sin", t), Apply("cos", t))


ELEMENTWISE: dict[str, Callable[[Term], Term]] = {
    **{name: arrays.applied(name) for name in ("exp", "log", "sin", "cos", "tanh")},
    "cosh": _half_of_exponentials(ONE),
    "tan": _tangent,
    "sinh": _half_of_exponentials(MINUS_ONE),
}
"""Functions of one number, which are taken entry by entry of an array, as terms."""


def _before_arrays(e: Elaborator, node: Operator) -> Adjacent | None:
    r"""`\cos\varphi\, I` as the product of a number and a matrix: what stands without parentheses ends before an array.

    None where nothing tells that an array follows numbers.
    """
    (inner,) = node.arguments
    if not node.bare or not isinstance(inner, Adjacent):
        return None
    ranks = [_axes_of_name(e, n) for n in inner.items]
    k = next((k for k, rank in enumerate(ranks) if rank), 0)
    if k == 0 or None in ranks[:k]:
        return None
    lead = inner.items[0] if k == 1 else Adjacent((inner.items[0].span[0], inner.items[k - 1].span[1]), inner.items[:k])
    head = replace(node, span=(node.span[0], lead.span[1]), arguments=(lead,))
    return Adjacent(node.span, (head, *inner.items[k:]))


def _axes_of_name(e: Elaborator, node: Node) -> int | None:
    """The axes of a number or of a name that the text says something of; None for anything else."""
    if isinstance(node, Literal):
        return 0
    w = e.table.names.written(node) if isinstance(node, Name | Scripted) else None
    if w is None or w.power is not None:
        return None
    symbol = e.overlay.get(w.stem) or e.table.find(w)  # a parameter, or else a name of the text
    if symbol is not None:
        return len(symbol.dims) - len(w.slots) if symbol.parameters is None else None
    if w.stem in e.table.declared:
        return len(e.table.declared[w.stem].dims) - len(w.slots)
    return 2 if w.stem == IDENTITY and not w.slots else 0 if not w.slots and not w.bold else None


def operator(e: Elaborator, node: Operator, scope: Scope) -> Array:
    """The value of an operator at its arguments."""
    if node.name in OUT_OF_SCOPE:
        raise NotUnderstood("out-of-scope", f"{node.name} is outside of what is read", node.span)
    if not node.arguments:
        raise NotUnderstood("missing-argument", f"{node.name} is given no argument", node.span)
    if node.name == "softmax":
        from derivations.latex.elaborator.softmax import softmax

        return softmax(e, node, scope)
    if node.name == "Concat":
        from derivations.latex.elaborator.stacks import concatenated

        return concatenated(e, node, scope)
    if node.name in ("E", "Var", "Cov"):
        return moment(e, node, scope)
    if node.name in ("max", "min") and node.sub is None and node.sup is None:
        return largest(e, node, scope)
    if node.name == SERIES:
        closed, ratio = node.arguments
        if e.value(ratio, scope).rank:
            raise NotUnderstood("out-of-scope", "an infinite sum of arrays", node.span)
        e.readings.append(Note("geometric-series"))
        return e.value(closed, scope)
    if node.name == DRAWN:
        return drawn_vector(e, node, scope)
    if node.name in (DIVERGENCE, ENTROPY):
        are_laws = isinstance(node.arguments[0], Operator) and node.arguments[0].name == LAW
        return (known_of_laws if are_laws else known_of_lists)(e, node, scope)
    if node.name in counting.OPERATORS:
        return counting.count(e, node, scope)
    if node.name == "diag" and len(node.arguments) > 1:  # diag(d_1, …, d_n)
        listed = Enclosed(node.span, "()", Listed(node.span, node.arguments))
        return operator(e, replace(node, arguments=(listed,)), scope)
    shorter = _before_parentheses(e, node)
    if shorter is not None:
        return e.value(shorter, scope)
    if len(node.arguments) != 1:
        raise NotUnderstood("unknown-notation", f"{node.name} with {len(node.arguments)} arguments", node.span)
    if node.name in ELEMENTWISE and node.sub is None:
        apart = _before_arrays(e, node)
        if apart is not None:
            return e.value(apart, scope)
        inner = (e.number if node.name in TRIGONOMETRIC else e.value)(node.arguments[0], scope)
        found = elementwise(ELEMENTWISE[node.name], inner)
        if node.sup is not None and found.rank:
            return _power_of_entries(e, found, node)
        return found if node.sup is None else e.raised(found, node.sup, scope, node.span)
    if node.name == "log" and isinstance(node.sub, Literal) and node.sub.text.isdigit() and int(node.sub.text) > 1:
        base = arrays.applied("log")(number(int(node.sub.text)))
        return elementwise(lambda t: quotient(t, base), operator(e, replace(node, sub=None), scope))
    if node.name == "relu" and node.sub is None and node.sup is None:
        zero = Literal(node.span, "0")
        return largest(e, replace(node, name="max", arguments=(zero, *node.arguments)), scope)
    if node.name == "sign" and node.sub is None and node.sup is None:
        return elementwise(lambda t: by_sign(t, ONE, ZERO, MINUS_ONE), e.value(node.arguments[0], scope))
    if node.name in _BY_FORMULA and node.sub is None and node.sup is None:
        return elementwise(_BY_FORMULA[node.name], e.value(node.arguments[0], scope))
    if node.name == "tr":
        inner = e.value(node.arguments[0], scope)
        if inner.rank != 2:
            raise NotUnderstood("shape-conflict", "a trace needs a matrix", node.span)
        e.sizes.unify(inner.shape[0], inner.shape[1], node.span)
        return Array((), lambda _: e.sum_axis(inner.shape[0], "r", lambda r: inner.at((r, r))), span=node.span)
    if node.name == "det" and node.sub is None:
        found = determinant(e, e.value(node.arguments[0], scope), node.span)
        return found if node.sup is None else e.raised(found, node.sup, scope, node.span)
    if node.name == "rowsum" and node.sub is None and node.sup is None:
        inner = e.value(node.arguments[0], scope)
        if inner.rank != 2:
            raise NotUnderstood("shape-conflict", "sums of rows need a matrix", node.span)
        tall, wide = inner.shape
        return Array(
            (tall,),
            lambda at: e.sum_axis(wide, "c", lambda c: inner.at((at[0], c))),
            "column",
            node.span,
            across=True,
        )
    if node.name == "diag":
        inner = e.value(node.arguments[0], scope)
        if inner.rank != 1:
            raise NotUnderstood("unknown-notation", "diag of a matrix is not read", node.span)
        shape = (inner.shape[0], inner.shape[0])
        found = Array(shape, lambda at: times(Bracket((equal(at[0], at[1]),)), inner.at((at[0],))), span=node.span)
        return replace(found, diagonal=True)
    raise NotUnderstood("unknown-notation", f"the operator {node.name} is not read", node.span)


def _before_parentheses(e: Elaborator, node: Operator) -> Node | None:
    r"""`\det A (1 + t)` as the product of `\det A` and the parentheses, where they may as well be in the argument.

    A determinant is taken of a matrix, so a sum of numbers stands behind it; of `\log x (1 + y)` both is tried.
    """
    whole = node.arguments[0] if node.bare and len(node.arguments) == 1 else None
    if (
        node.name not in ("det", *ELEMENTWISE)
        or not isinstance(whole, Adjacent)
        or len(whole.items) != len(("x", "()"))
    ):
        return None
    first, last = whole.items
    w = e.table.names.written(first) if isinstance(first, Name | Scripted) else None
    symbol = (e.overlay.get(w.stem) or e.table.find(w)) if w is not None else None
    is_sum = isinstance(last, Enclosed) and last.kind == "()" and isinstance(last.content, Infix)
    if w is None or symbol is None or symbol.parameters is not None or symbol.call is not None or not is_sum:
        return None
    options = ("with the parentheses", "before the parentheses")
    if e.choose("argument", node, options[::-1] if node.name == "det" else options) != options[1]:
        return None
    return Adjacent(node.span, (replace(node, arguments=(first,)), last))


def _power_of_entries(e: Elaborator, found: Array, node: Operator) -> Array:
    r"""`\tanh^2(a)` of a vector: the function is taken entry by entry, and so is its power."""
    if not isinstance(node.sup, Literal) or not node.sup.text.isdigit():
        raise NotUnderstood("unknown-notation", "a power of an array is not read", node.span)
    power = int(node.sup.text)
    e.readings.append(Note("power-of-entries"))
    return elementwise(lambda t: Pow(t, power), found)


def _logistic(t: Term) -> Term:
    return Pow(plus(number(1), exp(arrays.minus(t))), -1)


_BY_FORMULA: dict[str, Callable[[Term], Term]] = {
    "sigmoid": _logistic,
    "silu": lambda t: times(t, _logistic(t)),
    "softplus": lambda t: arrays.applied("log")(plus(number(1), exp(t))),
}
"""Functions that are taken entry by entry, by what they are.

Sources: S. Elfwing, E. Uchibe, K. Doya, Neural Networks 107 (2018), for the sigmoid linear unit.
"""
