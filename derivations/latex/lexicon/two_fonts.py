r"""One letter in two fonts: the numbers `v_1, v_2` beside the vectors `\mathbf{v}_1, \mathbf{v}_2`.

A small letter with an index in italics is an entry of the bold one without an index, as long as no bold one has an index
too.  Where both have as many indices they are two names: the bold ones are a family of vectors, and an entry of one of them
has an index more.  Authors who write one name in both fonts are known by their italic ones, which are vectors as well.

Without an index, a small letter in italics is usually the vector of the indexed ones.  It is a number beside them where it
scales the identity, stands in a cell of a matrix, or where sums of it and of numbers are multiplied: (3 - x)(2 - x);
beside a bold one also where it is an entry or the norm of that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from derivations.latex.lexicon.vectors_beside_weights import vectors
from derivations.latex.syntax.letters import is_upper
from derivations.latex.syntax.notation import ELEMENTARY
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Listed,
    Literal,
    Matrix,
    Name,
    Node,
    Operator,
    Prefix,
    Scripted,
    walk,
)

if TYPE_CHECKING:
    from derivations.latex.lexicon.name_roles import Names
    from derivations.latex.lexicon.written_names import Written

_OF_ARRAYS = frozenset({"softmax", "diag", "Concat"})
"""Operators whose argument is a vector."""


def families_beside_numbers(names: Names, nodes: Sequence[Node]) -> dict[str, int]:
    """The names whose bold ones with indices are other things than the italic ones with as many, and how many these are."""
    bold: dict[str, set[int]] = defaultdict(set)
    plain: dict[str, set[int]] = defaultdict(set)
    for node in nodes:
        w = names.written(node) if isinstance(node, Scripted) else None
        if w is not None and w.slots and not is_upper(w.stem) and all(s.style == "d" for s in w.slots):
            if w.bold:
                bold[w.stem].add(len(w.slots))
            elif not w.font:
                plain[w.stem].add(len(w.slots))
    both = {stem: max(counts) for stem, counts in bold.items() if counts & plain[stem]}
    vectors_too = {w.stem for w in (*_vectors(names, nodes), *_in_dots(names, nodes, set(both))) if not w.bold}
    return {stem: count for stem, count in both.items() if stem not in vectors_too}


def numbers_beside_arrays(names: Names, nodes: Sequence[Node]) -> set[str]:
    """The names that are numbers in italics without an index, and arrays in bold, or families with an index."""
    written = [w for n in nodes if isinstance(n, Name | Scripted) and (w := names.written(n)) is not None]
    bold = {w.stem for w in written if w.bold and not is_upper(w.stem)}
    others = bold | {w.stem for w in written if w.slots and not is_upper(w.stem)}
    found: set[str] = set()
    for node in nodes if others else ():
        if isinstance(node, Matrix):
            blocks = len(node.rows) == 1 or all(len(row) == 1 for row in node.rows)
            here = {stem for cell in node.parts for stem in _bare(names, cell)}
            found |= here & bold if blocks else here
        elif isinstance(node, Adjacent):
            for factor, after in pairwise(node.items):
                found |= _bare(names, factor) if _is_identity(after) else set()
            sums = [_bare(names, n) for n in node.items if _has_number(n)]
            found |= sums[0].intersection(*sums[1:]) if len(sums) > 1 else set()
        elif isinstance(node, Scripted):
            found |= (
                _bare(names, node.base) & bold if isinstance(node.sup, Literal) and node.sup.text.isdigit() else set()
            )
        elif isinstance(node, Chain) and node.first is not None:
            listed = node.first.items if isinstance(node.first, Listed) else (node.first,)
            is_real = any(r == "in" and isinstance(n, Name) and n.font == "blackboard" for r, n in node.links)
            found |= {stem for n in listed for stem in _bare(names, n) & bold} if is_real else set()
            found |= set(_beside_bold(names, [node.first, *(n for r, n in node.links if r in ("=", "equiv"))]))
    found &= others - names.sizes - names.index_letters
    vectors_too = {w.stem for w in _vectors(names, nodes) if not w.bold and not w.slots} if found else set()
    return found - vectors_too


def _bare(names: Names, node: Node) -> set[str]:
    """The small letters without an index of which an expression is made by sums, products and functions of numbers."""
    if isinstance(node, Name | Scripted):
        w = names.written(node)
        plain = w is not None and not (w.slots or w.bold or w.font or w.transposed or is_upper(w.stem))
        return {w.stem} if w is not None and plain else set()
    if isinstance(node, Operator) and node.name in ELEMENTARY:
        return {stem for argument in node.arguments for stem in _bare(names, argument)}
    if isinstance(node, Infix | Adjacent | Prefix | Fraction) or (isinstance(node, Enclosed) and node.kind == "()"):
        return {stem for part in node.parts for stem in _bare(names, part)}
    return set()


def _beside_bold(names: Names, sides: Sequence[Node]) -> Iterator[str]:
    r"""x and r in `\mathbf{x} = (x, y)` and in `r = \|\mathbf{r}\|`."""
    for side in sides:
        w = names.written(side) if isinstance(side, Name) else None
        if w is None:
            continue
        for other in sides:
            base = other.base if isinstance(other, Scripted) else other
            content = base.content if isinstance(base, Enclosed) else base
            listed = content.parts if isinstance(content, Listed | Matrix) else ()
            normed = content if isinstance(base, Enclosed) and base.kind == "norm" and not w.bold else None
            inner = names.written(normed) if normed is not None else None
            if w.bold and any(w.stem in _bare(names, n) for n in listed):
                yield w.stem
            elif inner is not None and inner.bold and inner.stem == w.stem:
                yield w.stem


def _is_identity(node: Node) -> bool:
    base = node.base if isinstance(node, Scripted) else node
    return isinstance(base, Name) and base.base == "I"


def _has_number(node: Node) -> bool:
    """`(3 - x)`."""
    inner = node.content if isinstance(node, Enclosed) and node.kind == "()" else None
    return (
        isinstance(inner, Infix) and inner.operator in ("+", "-") and any(isinstance(n, Literal) for n in inner.parts)
    )


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
        if isinstance(node, Scripted) and isinstance(node.base, Enclosed | Operator) and node.sub is not None:
            yield from (w for n in walk(node.base) if (w := names.written(n)) is not None)
        inner: Node | None = None
        if isinstance(node, Enclosed) and node.kind in ("norm", "langle"):
            inner = node.content
        elif isinstance(node, Operator) and node.name in _OF_ARRAYS:
            yield from (w for n in node.arguments if (w := names.written(n)) is not None)
        elif isinstance(node, Chain) and any(_is_of_vectors(r, n) for r, n in node.links[:1]):
            inner = node.first
        elif isinstance(node, Adjacent) and _is_product_with_matrix(names, node):
            yield from (w for w in map(names.written, node.items[1:]) if w is not None)
        if isinstance(node, Chain) and node.first is not None:
            sides = [node.first, *(n for r, n in node.links if r in ("=", "equiv"))]
            if any(_is_product_with_matrix(names, n) for n in sides):
                yield from (w for w in map(names.written, sides) if w is not None)
        for part in walk(inner) if inner is not None else ():
            if (w := names.written(part)) is not None:
                yield w
    yield from (w for w, _ in vectors(names, nodes))


def _is_product_with_matrix(names: Names, node: Node) -> bool:
    """`A x`: a number stands before a matrix."""
    factors = [names.written(n) for n in node.items] if isinstance(node, Adjacent) else []
    return any(
        one is not None and after is not None and is_upper(one.stem) and not is_upper(after.stem)
        for one, after in pairwise(factors)
    )


def _is_of_vectors(relation: str, right: Node) -> bool:
    r"""`\in \mathbb{R}^d`."""
    return relation == "in" and isinstance(right, Scripted) and right.sup is not None and not isinstance(right, Listed)
