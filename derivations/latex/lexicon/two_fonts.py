r"""One letter in two fonts: the numbers `v_1, v_2` beside the vectors `\mathbf{v}_1, \mathbf{v}_2`.

A small letter with an index in italics is an entry of the bold one without an index, as long as no bold one has an index
too.  Where both have as many indices they are two names: the bold ones are a family of vectors, and an entry of one of them
has an index more.  Authors who write one name in both fonts are known by their italic ones, which are vectors as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from derivations.latex.lexicon.vectors_beside_weights import vectors
from derivations.latex.syntax.letters import is_upper
from derivations.latex.syntax.surface import Chain, Enclosed, Infix, Listed, Node, Operator, Scripted, walk

if TYPE_CHECKING:
    from derivations.latex.lexicon.name_roles import Names, Written

_OF_ARRAYS = frozenset({"softmax", "diag", "Concat"})
"""Operators whose argument is a vector."""


def families_beside_numbers(names: Names, nodes: Sequence[Node]) -> dict[str, int]:
    """The names whose bold ones with indices are other things than the italic ones with as many, and how many these are."""
    bold: dict[str, set[int]] = defaultdict(set)
    plain: dict[str, set[int]] = defaultdict(set)
    for node in nodes:
        w = names.written(node) if isinstance(node, Scripted) else None
        if w is not None and w.slots and not is_upper(w.stem):
            if w.bold:
                bold[w.stem].add(len(w.slots))
            elif not w.font:
                plain[w.stem].add(len(w.slots))
    both = {stem: max(counts) for stem, counts in bold.items() if counts & plain[stem]}
    vectors_too = {w.stem for w in (*_vectors(names, nodes), *_in_dots(names, nodes, set(both))) if not w.bold}
    return {stem: count for stem, count in both.items() if stem not in vectors_too}


def _in_dots(names: Names, nodes: Sequence[Node], stems: set[str]) -> Iterator[Written]:
    r"""The names of `q_i \cdot k_j` that both have a bold form: numbers are not multiplied so."""
    for node in nodes:
        if stems and isinstance(node, Infix) and node.operator == "cdot":
            pair = [w for w in map(names.written, node.parts) if w is not None and w.slots and w.stem in stems]
            yield from pair if len(pair) == 2 else ()


def _vectors(names: Names, nodes: Sequence[Node]) -> Iterator[Written]:
    """The names that are written or declared as vectors in each of their places."""
    for node in nodes:
        w = names.written(node) if isinstance(node, Scripted) else None
        if w is not None and w.transposed:
            yield w
        inner: Node | None = None
        if isinstance(node, Enclosed) and node.kind in ("norm", "langle"):
            inner = node.content
        elif isinstance(node, Operator) and node.name in _OF_ARRAYS:
            yield from (w for n in node.arguments if (w := names.written(n)) is not None)
        elif isinstance(node, Chain) and any(_is_of_vectors(r, n) for r, n in node.links[:1]):
            inner = node.first
        for part in walk(inner) if inner is not None else ():
            if (w := names.written(part)) is not None:
                yield w
    yield from (w for w, _ in vectors(names, nodes))


def _is_of_vectors(relation: str, right: Node) -> bool:
    r"""`\in \mathbb{R}^d`."""
    return relation == "in" and isinstance(right, Scripted) and right.sup is not None and not isinstance(right, Listed)
