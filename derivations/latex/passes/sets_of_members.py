r"""`\sum_{k \in \mathcal{N}(i)} a_{ik}`: sets that go with a member of something else are written `\mathcal{N}_i` then.

A name before parentheses is read so where a sum runs over it; `|\mathcal{N}(i)|` and `k \in \mathcal{N}(i)` follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from derivations.latex.passes.short_forms import joined, mapped_readings
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import Adjacent, Big, Chain, Enclosed, Listed, Name, Node, Reading, Scripted, walk

_Key = tuple[str, str]
"""A letter and its font."""


def with_sets(readings: Sequence[Reading]) -> list[Reading]:
    """The readings with `\\mathcal{N}_i` for the sets `\\mathcal{N}(i)` that sums run over."""
    found = {key for r in readings for n in walk(r.chain) if isinstance(n, Big) for key in _run_over(n)}
    if not found:
        return list(readings)
    change = _as_family(found)
    return mapped_readings(readings, change)


def _run_over(node: Big) -> Iterator[_Key]:
    if isinstance(node.sub, Chain) and [relation for relation, _ in node.sub.links] == ["in"]:
        right = node.sub.links[0][1]
        if isinstance(right, Adjacent) and len(right.items) == 2 and _places(right.items[1]) is not None:
            if isinstance(name := right.items[0], Name) and not name.accents:
                yield name.base, name.font


def _places(node: Node) -> Node | None:
    """The letters in parentheses, `(i)` or `(i, j)`."""
    content = node.content if isinstance(node, Enclosed) and node.kind == "()" else None
    items = content.items if isinstance(content, Listed) else (content,)
    return content if content is not None and all(letter(n) is not None for n in items) else None


def _as_family(found: set[_Key]) -> Callable[[Node], Node]:
    def family(name: Node, after: Node) -> Node | None:
        places = _places(after)
        if not isinstance(name, Name) or (name.base, name.font) not in found or places is None:
            return None
        return Scripted((name.span[0], after.span[1]), name, places, None)

    return lambda node: joined(node, family)
