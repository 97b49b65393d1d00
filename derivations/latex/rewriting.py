r"""Short forms written out: `Q, K = XA, XB` is two equations, `A = [a_{ij}]` defines entries, `x^{<t>}` is `x^{(t)}`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace

from derivations.latex.names import letter
from derivations.latex.surface import Adjacent, Chain, Enclosed, Listed, Literal, Mark, Name, Node, Reading, Scripted


def written_out(reading: Reading) -> Iterator[Reading]:
    """The equations that one reading stands for, without short forms."""
    chain = mapped(reading.chain, _form)
    if not isinstance(chain, Chain):
        raise TypeError(f"a chain is needed, found {type(chain).__name__}")
    if chain is not reading.chain:
        reading = replace(reading, chain=chain)
    together = _together(chain)
    if together is not None:
        yield from (replace(reading, chain=c) for c in together)
        return
    entries = _entries(chain)
    if entries is not None:
        yield from (replace(reading, chain=c) for c in entries)
        return
    yield reading


def mapped(node: Node, change: Callable[[Node], Node]) -> Node:
    """The tree with `change` applied to every node, innermost first."""
    changed: dict[str, object] = {}
    for f in fields(node):
        value = getattr(node, f.name)
        if isinstance(value, Node):
            new: object = mapped(value, change)
        elif isinstance(value, tuple) and f.name != "span":
            new = _tuple(value, change)
        else:
            continue
        if new is not value:
            changed[f.name] = new
    return change(replace(node, **changed) if changed else node)  # type: ignore[arg-type]


def _tuple(values: tuple[object, ...], change: Callable[[Node], Node]) -> tuple[object, ...]:
    new = tuple(
        mapped(v, change) if isinstance(v, Node) else _tuple(v, change) if isinstance(v, tuple) else v for v in values
    )
    return values if all(a is b for a, b in zip(values, new, strict=True)) else new


def _form(node: Node) -> Node:
    if not isinstance(node, Scripted):
        return node
    index = _in_angles(node.sup)
    if index is not None:
        return replace(node, sup=index)
    return _sequence(node)


def _in_angles(node: Node | None) -> Node | None:
    """`<t>`, `<t, s>`, `\\langle t \\rangle` above a name: an index in parentheses."""
    if isinstance(node, Enclosed) and node.kind == "langle":
        return replace(node, kind="()")
    parts = node.items if isinstance(node, Listed) else (node,)
    first, last = parts[0], parts[-1]
    if not isinstance(first, Chain) or first.first is not None or not first.links or first.links[0][0] != "<":
        return None
    if len(parts) == 1:
        closed = len(first.links) == 2 and first.links[1][0] == ">" and _is_missing(first.links[1][1])
        return Enclosed(first.span, "()", first.links[0][1]) if closed else None
    if len(first.links) != 1 or not isinstance(last, Chain) or last.first is None or len(last.links) != 1:
        return None
    if last.links[0][0] != ">" or not _is_missing(last.links[0][1]):
        return None
    span = (first.span[0], last.span[1])
    items = (first.links[0][1], *(p for p in parts[1:-1] if p is not None), last.first)
    return Enclosed(span, "()", Listed(span, items))


def _is_missing(node: Node) -> bool:
    return isinstance(node, Mark) and node.kind == "missing"


def _sequence(node: Scripted) -> Node:
    """`\\{x_i\\}_{i=1}^{n}` is the list of `x_1` to `x_n`."""
    inner, limits = node.base, node.sub
    if not isinstance(inner, Enclosed) or inner.kind not in ("{}", "()") or node.sup is None:
        return node
    member = inner.content
    if not isinstance(member, Scripted) or not isinstance(limits, Chain) or len(limits.links) != 1:
        return node
    c, (relation, start) = letter(limits.first), limits.links[0]
    place = member.sub if letter(member.sub) == c else None
    if c is None or place is None or relation != "=" or not isinstance(start, Literal):
        return node
    dots = Mark(node.span, "dots")
    items = (replace(member, sub=start), dots, replace(member, sub=node.sup))
    return Enclosed(node.span, "()", Listed(node.span, items))


def _together(chain: Chain) -> list[Chain] | None:
    """`Q, K, V = XA, XB, XC`."""
    if not isinstance(chain.first, Listed) or len(chain.links) != 1 or chain.links[0][0] != "=":
        return None
    left, right = chain.first.items, chain.links[0][1]
    if not isinstance(right, Listed) or len(right.items) != len(left):
        return None
    if any(isinstance(n, Mark | Chain) for n in (*left, *right.items)):
        return None
    return [Chain((a.span[0], b.span[1]), a, (("=", b),)) for a, b in zip(left, right.items, strict=True)]


def _entries(chain: Chain) -> list[Chain] | None:
    """`A = [a_{ij}]`, `A = (a_{ij}) \\in \\mathbb{R}^{n \\times n}`."""
    if not isinstance(chain.first, Name) or not chain.links or chain.links[0][0] != "=":
        return None
    right = chain.links[0][1]
    if not isinstance(right, Enclosed) or right.kind not in ("()", "[]"):
        return None
    entry = right.content
    if not isinstance(entry, Scripted) or not isinstance(entry.base, Name) or entry.sup is not None:
        return None
    letters = entry.sub.items if isinstance(entry.sub, Adjacent | Listed) else (entry.sub,)
    if entry.base.base == chain.first.base or not all(letter(n) is not None for n in letters):
        return None
    left = Scripted(chain.first.span, chain.first, entry.sub, None)
    found = [replace(chain, first=left, links=(("=", entry),))]
    if len(chain.links) > 1:
        found.append(replace(chain, links=chain.links[1:]))
    return found
