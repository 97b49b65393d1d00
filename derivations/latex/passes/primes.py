r"""Derivatives written with a prime: `\sigma'(x)` beside an equation for `\sigma(x)`.

A prime is a derivative where the name without it is a function of one number that an equation defines, or that is called
with and without a prime, and where the
primed name is applied to single letters only, so that the derivative can be written by that letter: d sigma(x) / dx; two primes
differentiate twice.  So is the prime of `\tanh'(x)`.  A derivative at a number, `\sigma'(0)`, is a gradient at a point.
Anything else with a prime (`x' = x + c`, `S'_{ij}`) is a name of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from derivations.latex.passes.named_functions import Letter
from derivations.latex.passes.short_forms import mapped
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Fraction,
    Literal,
    Mark,
    Name,
    Node,
    Operator,
    Reading,
    Scripted,
    walk,
)

Head = tuple[str, str, tuple[str, ...]]
"""A name by its letter, font and accents."""


def with_primes(readings: Sequence[Reading], known: Collection[Letter] = ()) -> list[Reading]:
    """The readings with primes of functions as derivatives: of those that are defined here, or `known` by their names."""
    said = {(base, font, ()) for base, font, primes in known if not primes}
    functions = (set(_defined(readings)) | set(_called(readings)) | said) - set(_otherwise(readings))

    def changed(node: Node) -> Node:
        if isinstance(node, Operator):
            return _of_named(node)
        if not isinstance(node, Adjacent):
            return node
        items: list[Node] = []
        for item in node.items:
            name = items[-1] if items else None
            is_primed = isinstance(name, Name) and bool(name.primes) and _head(name) in functions
            if is_primed and isinstance(name, Name) and _letter(item) is not None:
                items[-1] = _derivative(name, item)
            elif is_primed and isinstance(name, Name) and _is_number(item):
                items[-1:] = [_gradient_sign(name), replace(name, primes=0), item]
            else:
                items.append(item)
        if tuple(items) == node.items:
            return node
        return items[0] if len(items) == 1 else replace(node, items=tuple(items))

    return [replace(r, chain=_chain(r.chain, mapped(r.chain, changed))) for r in readings]


def _of_named(node: Operator) -> Node:
    r"""`\\tanh'(a)`: the derivative of a function that needs no definition."""
    letter = node.arguments[0] if len(node.arguments) == 1 else None
    primed = isinstance(node.sup, Mark) and node.sup.kind == "prime" and node.sub is None
    if not primed or not isinstance(letter, Name) or letter.primes:
        return node
    sign = Name(node.span, "partial")
    call = replace(node, sup=None)
    return Fraction(node.span, Adjacent(node.span, (sign, call)), Adjacent(node.span, (sign, letter)))


def _chain(old: Chain, new: Node) -> Chain:
    return new if isinstance(new, Chain) else old


def defined_functions(readings: Sequence[Reading]) -> Iterator[Letter]:
    """The functions of one letter that equations define, without accents."""
    return ((base, font, 0) for base, font, accents in _defined(readings) if not accents)


def _defined(readings: Sequence[Reading]) -> Iterator[Head]:
    """Functions of one letter on the left side of an equation."""
    for r in readings:
        first = r.chain.first
        if isinstance(first, Adjacent) and len(first.items) == 2 and r.chain.links and r.chain.links[0][0] == "=":
            name, argument = first.items
            if isinstance(name, Name) and not name.primes and _letter(argument) is not None:
                yield _head(name)


def _called(readings: Sequence[Reading]) -> Iterator[Head]:
    r"""Functions that are called with and without a prime, `x \sigma'(x)` beside `\sigma(x)`, and not defined with one."""
    own: tuple[set[Head], set[Head]] = set(), set()
    given: set[Head] = set()
    for r in readings:
        for n in walk(r.chain):
            for name, argument in zip(n.items, n.items[1:], strict=False) if isinstance(n, Adjacent) else ():
                if isinstance(name, Name) and _letter(argument) is not None:
                    own[bool(name.primes)].add(_head(name))
                    if n is r.chain.first and r.chain.links and name.primes:
                        given.add(_head(name))
    yield from own[0] & own[1] - given


def _otherwise(readings: Sequence[Reading]) -> Iterator[Head]:
    """Names that stand with a prime where it is no derivative by a letter."""
    for r in readings:
        nodes = [n for side in (r.chain, *r.conditions) for n in walk(side)]
        called = {
            id(name)
            for n in nodes
            if isinstance(n, Adjacent)
            for name, argument in zip(n.items, n.items[1:], strict=False)
            if _letter(argument) is not None or _is_number(argument)
        }
        yield from (
            _head(n) for n in nodes if isinstance(n, Name) and n.primes and (n.primes > 2 or id(n) not in called)
        )


def _head(name: Name) -> Head:
    return name.base, name.font, name.accents


def _letter(node: Node) -> Name | None:
    """The x of `(x)`."""
    content = node.content if isinstance(node, Enclosed) and node.kind == "()" else None
    return content if isinstance(content, Name) and not content.primes else None


def _is_number(node: Node) -> bool:
    """`(0)`: where a derivative may be taken at."""
    content = node.content if isinstance(node, Enclosed) and node.kind == "()" else None
    return content is not None and all(isinstance(n, Literal) or n.parts for n in walk(content))


def _gradient_sign(name: Name) -> Node:
    r"""`\\nabla` for one prime, `\\nabla^2` for two."""
    sign = Name(name.span, "nabla")
    return sign if name.primes == 1 else Scripted(name.span, sign, None, Literal(name.span, str(name.primes)))


def _derivative(name: Name, argument: Node) -> Node:
    span = (name.span[0], argument.span[1])
    sign, letter = Name(span, "partial"), _letter(argument)
    call: Node = Adjacent(span, (replace(name, primes=0), argument))
    for _ in range(name.primes):
        call = Fraction(span, Adjacent(span, (sign, call)), Adjacent(span, (sign, letter or sign)))
    return call
