r"""Primes and letters that are transpose signs: `(X'X)^{-1} X'y`, `(B^t B)^{-1} B^t y`, as statisticians and economists write.

They are where the text says so, where parentheses have a prime, `(y - X b)'`, or where something stands beside itself with
one, `X'X`: neither a derivative nor a new name is written like that.  A call, `f'(x)`, stays a derivative.

A letter is one where it stands above names and parentheses alone in the whole document, and such a product with the same thing
without it is inverted, `(B^t B)^{-1}`: no power is written so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from derivations.latex.passes.short_forms import mapped
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Infix,
    Mark,
    Name,
    Node,
    Prefix,
    Reading,
    Scripted,
    bare,
    walk,
    walk_reading,
)

PRODUCTS = ("cdot", "times")


def with_transposes(readings: Sequence[Reading], *, are_stated: bool) -> list[Reading]:
    """The readings with primes as transpose signs, where a document writes them so."""
    nodes = [n for r in readings for n in walk(r.chain)]
    if not are_stated and not any(map(_shows_transpose, nodes)):
        return list(readings)
    called = {id(n) for n in _called(nodes)}

    def changed(node: Node) -> Node:
        match node:
            case Scripted(base=Name(primes=1) as name, sup=None) if id(name) not in called:
                return replace(node, base=replace(name, primes=0), sup=Mark(name.span, "top"))
            case Scripted(base=Scripted(sub=None, sup=Mark(kind="top")) as turned, sup=None):
                return replace(node, base=turned.base, sup=turned.sup)  # its base was changed before
            case Name(primes=1) if id(node) not in called:
                return Scripted(node.span, replace(node, primes=0), None, Mark(node.span, "top"))
            case Scripted(base=Enclosed(), sup=Mark(kind="prime")):
                return replace(node, sup=Mark(node.span, "top"))
            case _:
                return node

    chains = (mapped(r.chain, changed) for r in readings)
    return [
        replace(r, chain=chain) if isinstance(chain, Chain) else r for r, chain in zip(readings, chains, strict=True)
    ]


def with_letter_of_transposes(readings: Sequence[Reading]) -> list[Reading]:
    """The readings with a letter as the transpose sign, where a document writes it so."""
    nodes = [n for r in readings for n in walk_reading(r)]
    inverses = [
        n for n in nodes if isinstance(n, Scripted) and isinstance(n.base, Enclosed) and isinstance(n.sup, Prefix)
    ]
    for c in sorted({c for n in inverses for m in walk(n.base) for c in _beside_itself(m)}):
        signs = {id(n.sup) for n in nodes if isinstance(n, Scripted) and letter(n.sup) == c}
        if any(letter(n) == c and id(n) not in signs for n in nodes):
            continue

        def changed(node: Node, c: str = c) -> Node:
            if isinstance(node, Scripted) and node.sup is not None and letter(node.sup) == c:
                return replace(node, sup=Mark(node.sup.span, "top"))
            return node

        chains = (mapped(r.chain, changed) for r in readings)
        return [replace(r, chain=n) if isinstance(n, Chain) else r for r, n in zip(readings, chains, strict=True)]
    return list(readings)


def _beside_itself(node: Node) -> Iterator[str]:
    """The letters above something that stands beside the same thing without it."""
    items = node.parts if isinstance(node, Infix) and node.operator in PRODUCTS else ()
    for pair in pairwise(node.items if isinstance(node, Adjacent) else items):
        for a, b in (pair, pair[::-1]):
            if isinstance(a, Scripted) and (c := letter(a.sup)) is not None:
                plain = a.base if a.sub is None else replace(a, sup=None)
                if bare(plain) == bare(b):
                    yield c


def _shows_transpose(node: Node) -> bool:
    """Whether a prime can only be a transpose sign: `(y - X b)'`, `X'X`."""
    if isinstance(node, Scripted):
        return isinstance(node.base, Enclosed) and isinstance(node.sup, Mark) and node.sup.kind == "prime"
    items = node.parts if isinstance(node, Infix) and node.operator in PRODUCTS else ()
    pairs = pairwise(node.items if isinstance(node, Adjacent) else items)
    return any(_without_prime(a) == bare(b) for a, b in pairs)


def _without_prime(node: Node) -> object:
    """A name with a prime as it is without it; None for anything else."""
    if isinstance(node, Scripted) and isinstance(node.base, Name) and node.base.primes == 1:
        return bare(replace(node, base=replace(node.base, primes=0)))
    return bare(replace(node, primes=0)) if isinstance(node, Name) and node.primes == 1 else None


def _called(nodes: Iterable[Node]) -> Iterator[Name]:
    """The names with a prime that are applied to a single name: `f'(x)`."""
    for n in nodes:
        for head, after in pairwise(n.items) if isinstance(n, Adjacent) else ():
            content = after.content if isinstance(after, Enclosed) and after.kind == "()" else None
            if isinstance(head, Name) and isinstance(content, Name):
                yield head
