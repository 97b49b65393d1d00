r"""Lines that are drawn to set the vectors of a matrix apart: `[v_1 | \cdots | v_d]`, and bars above and below columns."""

from __future__ import annotations

from collections.abc import Sequence

from derivations.latex.syntax.lexer import Token
from derivations.latex.syntax.notation import MARKS

Cell = list[Token]

_UPRIGHT = frozenset({"|", "vert", "mid", "lvert", "rvert", "uparrow", "downarrow"})
_DASHES = frozenset("-\u2013\u2014")
_LYING = _DASHES | {"leftarrow", "rightarrow", "longleftarrow", "longrightarrow"}
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


def parts_between_bars(tokens: Sequence[Token], start: int) -> tuple[list[Cell], int] | None:
    r"""What stands between the bars of `[v_1 | \cdots | v_d]`, from after the bracket on, and where that ends.

    None unless dots stand between two bars alone: other bars are absolute values, or conditions.
    """
    cells: list[Cell] = [[]]
    depth = 0
    for k in range(start, len(tokens)):
        t = tokens[k]
        plain = t.kind == "sign"
        if depth == 0 and (t.role == "right" or (plain and t.text in _CLOSING)):
            found = len(cells) > 2 and all(cells) and any(_is_dots(c) for c in cells[1:-1])
            return (cells, k) if found else None
        depth += t.kind == "begin" or t.role == "left" or (plain and t.text in _OPENING)
        depth -= t.kind == "end" or t.role == "right" or (plain and t.text in _CLOSING)
        if depth == 0 and not t.role and (plain or t.kind == "command") and t.text in ("|", "vert", "mid"):
            cells.append([])
        elif depth == 0 and plain and t.text in ",;":
            return None
        else:
            cells[-1].append(t)
    return None


def without_lines(rows: Sequence[Sequence[Cell]]) -> list[list[Cell]] | None:
    """The rows of a matrix without the lines above and below its columns, or beside its rows; None where it has none."""
    rows = [[_without_space(cell) for cell in row] for row in rows]
    if len(rows) == 3 and all(_are_lines(rows[k], _UPRIGHT) for k in (0, 2)):
        return [list(rows[1])]
    inner: list[list[Cell]] = []
    for row in rows:
        if len(row) == 3 and all(_is_line(row[k], _LYING) for k in (0, 2)):
            inner.append([row[1]])
        elif any(map(_is_dots, row)) and all(_is_dots(c) or not c for c in row):
            inner.append([next(c for c in row if c)])
        else:
            return None
    return inner if any(len(row) == 3 and row[0] and _is_line(row[0], _LYING) for row in rows) else None


def _are_lines(row: Sequence[Cell], signs: frozenset[str]) -> bool:
    """Lines, and nothing or dots where the row between has dots."""
    return any(_is_line(c, signs) for c in row) and all(not c or _is_line(c, signs) or _is_dots(c) for c in row)


def _is_line(cell: Cell, signs: frozenset[str]) -> bool:
    """`|`; `---` of several signs, also as words."""
    text = "".join(t.text for t in cell).strip()
    return text in signs or ("-" in signs and bool(text) and set(text) <= _DASHES)


def _without_space(cell: Cell) -> Cell:
    inner = [t for t in cell if t.kind != "space"]
    return [] if [t.text for t in inner] == ["{", "}"] else inner


def _is_dots(cell: Cell) -> bool:
    return len(cell) == 1 and cell[0].kind == "command" and MARKS.get(cell[0].text) == "dots"
