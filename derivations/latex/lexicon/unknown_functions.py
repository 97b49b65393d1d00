r"""What the document shows of the values of functions that nothing defines: numbers, vectors, or perhaps matrices.

`P(A \mid B)`, `\log p(x)`, `1 - P(A)`, `\min_\theta L(\theta)` are numbers; `\lVert f(x) - y \rVert` and `f(x)_i` take
`f(x)` for a vector; what something is multiplied by, `R(\theta) x`, may be a matrix.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from derivations.latex.syntax.function_names import arguments_of
from derivations.latex.syntax.letters import is_upper
from derivations.latex.syntax.notation import TRIGONOMETRIC
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Literal,
    Matrix,
    Name,
    Node,
    Operator,
    Prefix,
    Scripted,
    walk,
)

_OF_NUMBERS = TRIGONOMETRIC | {"log", "exp"}
_EXTREMA = frozenset({"max", "min", "arg", "argmax", "argmin"})
_SUMS = frozenset({"+", "-"})


@dataclass(frozen=True, slots=True)
class ShownValues:
    """Names before parentheses whose values are numbers, and those whose values are vectors."""

    numbers: frozenset[str] = frozenset()
    vectors: frozenset[str] = frozenset()
    members: frozenset[str] = frozenset()
    """Names to whose members functions are applied: `s` in `V(s_{t+1})`."""
    factors: frozenset[str] = frozenset()
    """Names whose values something is multiplied by: they may be matrices."""
    varied: frozenset[str] = frozenset()
    """Names that are applied to one thing here and to another there, `V(s)` beside `V(s_{t+1})`."""
    beside: frozenset[str] = frozenset()
    """Names whose values are added to, or compared with, what may be an array."""
    numbered_above: frozenset[str] = frozenset()
    """The names among the members that have their index above, in parentheses: `x^{(r)}` in `m(x^{(r)})`."""


@dataclass(frozen=True, slots=True)
class _Call:
    stem: str
    parenthesis: Enclosed
    scripted: bool
    """Something stands at the closing parenthesis: an index, or the sign of a transpose."""


def shown_values(trees: Sequence[Node], stem_of: Callable[[Node], str | None]) -> ShownValues:
    """What the relations of a document show of the values of the names that stand before parentheses."""
    nodes = [n for tree in trees for n in walk(tree)]
    numbers: set[str] = set()
    vectors: set[str] = set()
    members: set[str] = set()
    above: set[str] = set()
    forms: dict[str, set[tuple[object, ...]]] = defaultdict(set)
    for n in nodes:
        if isinstance(n, Adjacent):
            for call in _calls(n, stem_of):
                arguments, signs = arguments_of(call.parenthesis)
                own = [(a, s) for a in arguments if isinstance(a, Scripted) and (s := stem_of(a)) is not None]
                members |= {s for _, s in own}
                above |= {s for a, s in own if a.sub is None and isinstance(a.sup, Enclosed) and a.sup.kind == "()"}
                forms[call.stem].add((len(arguments), signs, *(_form(a, stem_of) for a in arguments)))
                numbers |= {call.stem} if "|" in signs else set()
                vectors |= {call.stem} if call.scripted else set()
            numbers |= _differentiated(n, stem_of)
        numbers |= {c.stem for part in _places_of_numbers(n) for c in _terms(part, stem_of)}
        if isinstance(n, Enclosed) and n.kind in ("norm", "||") and n.content is not None:
            vectors |= {c.stem for c in _terms(n.content, stem_of)}
    numbers |= _only_arguments(nodes, stem_of)
    numbers |= {
        c.stem for n in nodes if isinstance(n, Chain) and _is_ordered(n) for t in _sum(n) for c in _inside(t, stem_of)
    }
    numbers -= vectors
    varied = frozenset(stem for stem, own in forms.items() if len(own) > 1)
    factors = frozenset(s for n in nodes if isinstance(n, Adjacent) for s in _factors(n, numbers, stem_of)) - numbers
    sums = [_sum(n) for n in nodes if isinstance(n, Infix | Chain)]
    for _ in range(len(sums)):  # what is added to a number is a number
        found = {
            c.stem
            for parts in sums
            if any(_is_number(p, numbers, stem_of) for p in parts)
            for p in parts
            if (c := _only_call(p, stem_of)) is not None
        } - vectors
        if found <= numbers:
            break
        numbers |= found
    beside = {
        c.stem
        for parts in sums
        if any(not _is_apart(p, numbers, stem_of) and not any(_inside(p, stem_of)) for p in parts)
        for p in parts
        for c in _inside(p, stem_of)
    }
    return ShownValues(
        frozenset(numbers),
        frozenset(vectors),
        frozenset(members),
        factors,
        varied,
        frozenset(beside - numbers),
        frozenset(above),
    )


def _is_ordered(n: Chain) -> bool:
    """Whether sides are compared by size, as numbers alone are."""
    return all(r in ("<", "<=", ">", ">=", "=") for r, _ in n.links) and any(r != "=" for r, _ in n.links)


def _inside(n: Node, stem_of: Callable[[Node], str | None]) -> Iterator[_Call]:
    """The calls that are factors of a term."""
    if isinstance(n, Big) and n.name == "sum":
        yield from _inside(n.body, stem_of)
    elif isinstance(n, Adjacent):
        yield from _calls(n, stem_of)


def _is_apart(n: Node, numbers: set[str], stem_of: Callable[[Node], str | None]) -> bool:
    """Whether a term is a number, as a norm is, and a product that ends in one."""
    base = n.base if isinstance(n, Scripted) else n
    if isinstance(base, Enclosed) and base.kind in ("norm", "||"):
        return True
    if isinstance(n, Adjacent):
        return _is_apart(n.items[-1], numbers, stem_of)
    if isinstance(n, Big) and n.name == "sum":
        return _is_apart(n.body, numbers, stem_of)
    return _is_number(n, numbers, stem_of)


def _factors(n: Adjacent, numbers: set[str], stem_of: Callable[[Node], str | None]) -> Iterator[str]:
    """The names whose values stand before another factor, or after one that is a capital."""
    for k, after in enumerate(n.items[1:], start=1):
        inner = after.base if isinstance(after, Scripted) else after
        stem = stem_of(n.items[k - 1])
        if stem is None or not isinstance(inner, Enclosed) or inner.kind != "()":
            continue
        called = k + 2 < len(n.items) and isinstance(n.items[k + 2], Enclosed)
        right = n.items[k + 1] if k + 1 < len(n.items) else None
        number = called and right is not None and stem_of(right) in numbers
        if isinstance(right, Name | Scripted | Matrix) and not number:
            yield stem
        left = n.items[k - 2] if k > 1 else None
        if (name := stem_of(left) if left is not None else None) is not None and is_upper(name):
            yield stem


def _form(argument: Node, stem_of: Callable[[Node], str | None]) -> tuple[object, ...]:
    """What tells arguments apart that index a family of values: the name, and whether it has scripts."""
    return stem_of(argument), isinstance(argument, Scripted), None if stem_of(argument) is not None else argument.span


def _calls(n: Adjacent, stem_of: Callable[[Node], str | None]) -> Iterator[_Call]:
    for head, after in zip(n.items, n.items[1:], strict=False):
        inner = after.base if isinstance(after, Scripted) else after
        stem = stem_of(head)
        if stem is not None and isinstance(inner, Enclosed) and inner.kind == "()" and inner.content is not None:
            marked = isinstance(after, Scripted) and (after.sub is not None or not isinstance(after.sup, Literal))
            yield _Call(stem, inner, marked)


def _places_of_numbers(n: Node) -> Iterator[Node]:
    """The parts of a node that are numbers, whatever stands there."""
    if isinstance(n, Fraction):
        yield n.below
    if isinstance(n, Infix) and n.operator == "/":
        yield n.right
    if isinstance(n, Operator) and n.name in _OF_NUMBERS | _EXTREMA:
        yield from n.arguments
    if isinstance(n, Big) and n.name in _EXTREMA:
        yield n.body


def _differentiated(n: Adjacent, stem_of: Callable[[Node], str | None]) -> set[str]:
    r"""What a gradient is taken of, `\nabla_\theta L(\theta)`, is a number."""
    first = n.items[0].base if isinstance(n.items[0], Scripted) else n.items[0]
    if not isinstance(first, Name) or first.base != "nabla":
        return set()
    rest = n.items[1] if len(n.items) == 2 else Adjacent(n.span, n.items[1:])
    call = _only_call(rest, stem_of)
    return set() if call is None else {call.stem}


def _only_arguments(nodes: Sequence[Node], stem_of: Callable[[Node], str | None]) -> set[str]:
    """Functions whose values only go into other functions: whatever they are, numbers can stand for them."""
    inside: dict[str, set[int]] = defaultdict(set)
    found: dict[str, set[int]] = defaultdict(set)
    for n in nodes:
        for call in _calls(n, stem_of) if isinstance(n, Adjacent) else ():
            found[call.stem].add(id(call.parenthesis))
            for a in arguments_of(call.parenthesis)[0]:
                inner = _only_call(a, stem_of) if isinstance(a, Adjacent) and len(a.items) == 2 else None
                if inner is not None:
                    inside[inner.stem].add(id(inner.parenthesis))
    return {stem for stem, own in found.items() if own == inside[stem]}


def _sum(n: Infix | Chain) -> tuple[Node, ...]:
    """The terms of a sum, or of all sides of an equation."""
    if isinstance(n, Chain):
        sides = [n.first, *(side for r, side in n.links if r in ("=", "<", "<=", ">", ">="))]
        return tuple(t for side in sides if side is not None for t in _terms_of(side))
    return tuple(_terms_of(n)) if n.operator in _SUMS else ()


def _terms_of(n: Node) -> Iterator[Node]:
    if isinstance(n, Infix) and n.operator in _SUMS:
        yield from _terms_of(n.left)
        yield from _terms_of(n.right)
    elif isinstance(n, Prefix) and n.operator in _SUMS:
        yield from _terms_of(n.operand)
    else:
        yield n


def _terms(n: Node, stem_of: Callable[[Node], str | None]) -> Iterable[_Call]:
    """The calls that are terms of a sum."""
    return [c for t in _terms_of(n) if (c := _only_call(t, stem_of)) is not None]


def _only_call(n: Node, stem_of: Callable[[Node], str | None]) -> _Call | None:
    """The call that a node is, alone, after numbers, or summed."""
    if isinstance(n, Big) and n.name == "sum":
        return _only_call(n.body, stem_of)
    if not isinstance(n, Adjacent) or len(n.items) < 2:
        return None
    if isinstance(n.items[-1], Big) and all(map(_is_scale, n.items[:-1])):
        return _only_call(n.items[-1], stem_of)
    if not all(map(_is_scale, n.items[:-2])):
        return None
    last = Adjacent(n.span, n.items[-2:])
    return next(iter(_calls(last, stem_of)), None)


def _is_scale(n: Node) -> bool:
    """`2`, or a fraction of numbers: `1/n`."""
    return isinstance(n, Literal) or (isinstance(n, Fraction) and isinstance(n.above, Literal))


def _is_number(n: Node, numbers: set[str], stem_of: Callable[[Node], str | None]) -> bool:
    if isinstance(n, Literal):
        return True
    if isinstance(n, Operator) and n.name in _OF_NUMBERS:
        return bool(n.arguments) and all(_is_number(a, numbers, stem_of) for a in n.arguments)
    call = _only_call(n, stem_of)
    return call is not None and call.stem in numbers and not call.scripted
