r"""Matrices that are written in a line: `[a, b; c, d]` and `\operatorname{diag}(1, 100)`."""

from __future__ import annotations

from collections.abc import Sequence

from derivations.latex.syntax.surface import Listed, Literal, Matrix, Node


def rows_of(content: Listed) -> tuple[tuple[Node, ...], ...]:
    """The rows of `[a, b; c, d]`; none where they are not of one length."""
    if len(content.separator) != len(content.items) - 1 or set(content.separator) != {",", ";"}:
        return ()
    rows: list[list[Node]] = [[content.items[0]]]
    for sign, item in zip(content.separator, content.items[1:], strict=True):
        if sign == ";":
            rows.append([])
        rows[-1].append(item)
    return tuple(map(tuple, rows)) if len({len(r) for r in rows}) == 1 else ()


def diagonal(span: tuple[int, int], entries: Sequence[Node]) -> Matrix:
    r"""`\operatorname{diag}(1, 100)`, written out."""
    zero = Literal(span, "0")
    rows = tuple(tuple(e if j == k else zero for j in range(len(entries))) for k, e in enumerate(entries))
    return Matrix(span, "pmatrix", rows)
