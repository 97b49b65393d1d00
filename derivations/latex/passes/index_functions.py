r"""Functions whose values are indices: the group `g(h) = \lfloor h / r \rfloor` of a head, in `K_{g(h), s}`.

Below a name such a function is written out, with what it is applied to in the place of its letter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from derivations.latex.passes.short_forms import mapped, mapped_readings
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import Adjacent, Chain, Enclosed, Infix, Name, Node, Reading, Scripted, walk

_Key = tuple[str, str]
"""A letter and its font."""


def with_index_functions(readings: Sequence[Reading]) -> list[Reading]:
    """The readings with functions of indices written out below names."""
    defined = dict(d for r in readings for d in _defined(r.chain))
    if not defined:
        return list(readings)

    def written_out(node: Node) -> Node:
        if not isinstance(node, Adjacent) or len(node.items) != 2:
            return node
        name, argument = node.items
        rule = defined.get((name.base, name.font)) if isinstance(name, Name) and not name.accents else None
        if rule is None or not isinstance(argument, Enclosed) or argument.kind != "()" or argument.content is None:
            return node
        own, body = rule
        put: Mapping[str, Node] = {own: argument.content}
        return Enclosed(node.span, "()", mapped(body, lambda n: put.get(letter(n) or "", n)))

    def below(node: Node) -> Node:
        return replace(node, sub=mapped(node.sub, written_out)) if isinstance(node, Scripted) and node.sub else node

    return mapped_readings(readings, below)


def _defined(chain: Chain) -> Iterator[tuple[_Key, tuple[str, Node]]]:
    """A function of one letter that an equation defines by a rounded quotient or a remainder."""
    first = chain.first
    if not isinstance(first, Adjacent) or len(first.items) != 2 or [r for r, _ in chain.links][:1] != ["="]:
        return
    name, argument = first.items
    own = letter(argument.content) if isinstance(argument, Enclosed) and argument.kind == "()" else None
    body = chain.links[0][1]
    if isinstance(name, Name) and not name.accents and not name.primes and own is not None and _is_whole(body):
        yield (name.base, name.font), (own, body)


def _is_whole(node: Node) -> bool:
    rounded = any(isinstance(n, Enclosed) and n.kind in ("floor", "ceil") for n in walk(node))
    return rounded or any(isinstance(n, Infix) and n.operator == "mod" for n in walk(node))
