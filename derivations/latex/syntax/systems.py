r"""Systems of equations: a brace, `cases` or an array that holds nothing but rows with a relation each.

`\begin{cases} a_i = b_i \\ c_i = d_i \end{cases}` states two equations; `f(x) = \begin{cases} ... \end{cases}` states one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from derivations.latex.syntax.cursor import begins_relation, is_sign, relation_of, step_of, top_level
from derivations.latex.syntax.lexer import Token
from derivations.latex.syntax.notation import ROW_ENVIRONMENTS

SYSTEMS = frozenset({"cases", "dcases", "rcases", "drcases", "array"})
_BESIDE = frozenset({"space", "tag", "label", "mark", "column"})


def opened(tokens: list[Token]) -> list[Token]:
    """The rows of a system as rows of the formula; other formulas as they are."""
    core = [k for k, t in enumerate(tokens) if t.kind not in _BESIDE]
    while core and tokens[core[-1]].kind == "sign" and tokens[core[-1]].text in ",.;" and not tokens[core[-1]].role:
        core.pop()
    if len(core) < 4:
        return tokens
    first, last = core[0], core[-1]
    if tokens[first].role == "left" and tokens[first].text in ("{", "lbrace", ".") and tokens[last].role == "right":
        first, last = core[1], core[-2]
    elif tokens[first].role or tokens[last].role:
        return tokens
    if tokens[first].kind != "begin" or tokens[last].kind != "end" or not _one_environment(tokens[first : last + 1]):
        return tokens
    kind = tokens[first].text
    if tokens[last].text != kind or kind not in SYSTEMS | ROW_ENVIRONMENTS:
        return tokens
    rows = _rows(tokens[first + 1 : last])
    if not rows or not all(any(relation_of(t) is not None for t in top_level(row)) for row in rows):
        return tokens
    if kind in ("cases", "dcases", "rcases", "drcases") and not all(_equates(row) for row in rows):
        return tokens
    beside = [t for t in (*tokens[: core[0]], *tokens[core[-1] + 1 :]) if t.kind in ("tag", "label")]
    found: list[Token] = []
    for k, row in enumerate(rows):
        if k:
            found.append(Token("row", r"\\", row[0].start, row[0].start))
        found += _spread(row)
    return found + beside


def _one_environment(tokens: Sequence[Token]) -> bool:
    """Whether the environment that begins first ends last."""
    depth = 0
    for k, t in enumerate(tokens):
        depth += {"begin": 1, "end": -1}.get(t.kind, 0)
        if depth == 0:
            return k == len(tokens) - 1
    return False


def _rows(tokens: Sequence[Token]) -> list[list[Token]]:
    rows: list[list[Token]] = [[]]
    depth = 0
    for t in tokens:
        depth += step_of(t)
        if t.kind == "row" and depth == 0:
            rows.append([])
        else:
            rows[-1].append(t)
    return [row for row in rows if any(t.kind not in _BESIDE for t in row)]


def _equates(row: Sequence[Token]) -> bool:
    """Whether the first cell of a row has an equals sign; what follows may be a condition."""
    top = top_level(row)
    for k, t in enumerate(top):
        if relation_of(t) == "=":
            return True
        if is_sign(t, "&") and not (begins_relation(top, k + 1) and relation_of(top[k + 1]) in ("=", None)):
            return False
    return False


def _spread(row: Sequence[Token]) -> list[Token]:
    """Cells side by side: an alignment mark before a relation is one, any other separates."""
    found: list[Token] = []
    depth = 0
    for k, t in enumerate(row):
        depth += step_of(t)
        if not (is_sign(t, "&") and depth == 0 and not t.role):
            found.append(t)
            continue
        after = list(islice((u for u in islice(row, k + 1, None) if u.kind not in _BESIDE), 2))
        before = next((u for u in reversed(found) if u.kind not in _BESIDE), None)
        aligned = relation_of(before) is not None or begins_relation(after)
        found.append(replace(t, kind="mark" if aligned else "space"))
    return found
