r"""Names that a document gives to a known function: `\sigma(QK^\top)` where the text says that $\sigma$ is the softmax."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from derivations.latex.passes.short_forms import joined, mapped
from derivations.latex.syntax.surface import Adjacent, Chain, Enclosed, Listed, Name, Node, Operator, Reading, Scripted

Letter = tuple[str, str, int]
"""A name without its scripts: letter, font, primes."""


def head(node: Node | None) -> Letter | None:
    r"""The name of `\sigma`, `\sigma_{row}` and `\sigma(\cdot)`."""
    if isinstance(node, Adjacent) and len(node.items) == 2 and isinstance(node.items[1], Enclosed):
        node = node.items[0]
    name = node.base if isinstance(node, Scripted) else node
    return (name.base, name.font, name.primes) if isinstance(name, Name) else None


def names_function(chain: Chain, function: str) -> Letter | None:
    r"""The name that `\sigma = \text{softmax}` or `\sigma = \text{row-softmax}` gives to a function."""
    if len(chain.links) != 1 or chain.links[0][0] not in ("=", "equiv") or not isinstance(chain.first, Name):
        return None
    right = chain.links[0][1]
    known = isinstance(right, Operator) and right.name == function and not right.arguments
    worded = isinstance(right, Name) and function in right.base.lower().split("-")
    return head(chain.first) if known or worded else None


def with_function(readings: Iterable[Reading], names: Collection[Letter], function: str) -> Iterator[Reading]:
    """The readings with every call of one of the names as a call of the function."""

    def change(node: Node) -> Node:
        return joined(node, lambda name, after: _call(name, after, function) if head(name) in names else None)

    for r in readings:
        chain = mapped(r.chain, change) if names else r.chain
        yield replace(r, chain=chain) if isinstance(chain, Chain) and chain is not r.chain else r


def _call(name: Node, after: Node, function: str) -> Node | None:
    """`name(x)` as a call, with what is written above and below it: `name(x)_i` is an entry of the value."""
    inner = after.base if isinstance(after, Scripted) else after
    if not isinstance(inner, Enclosed) or inner.kind not in ("()", "[]") or inner.content is None:
        return None
    span = (name.span[0], inner.span[1])
    arguments = inner.content.items if isinstance(inner.content, Listed) else (inner.content,)
    sub, sup = (name.sub, name.sup) if isinstance(name, Scripted) else (None, None)
    call = Operator(span, function, sub, sup, arguments)
    return replace(after, span=(span[0], after.span[1]), base=call) if isinstance(after, Scripted) else call
