"""How cells, statements and printed values are named in findings, and where these stand."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from derivations.documents.model.document import Place
from derivations.documents.model.finding import Finding

from .cells import Prepared
from .outputs import Outcome, Shown
from .printed import Token

MERGED = 12
"""Printed pieces of one statement, in a document whose outputs have lines, from which on they are one item."""


def place_of(p: Prepared, line: int) -> Place:
    """The place in the document of a line of a cell."""
    text = p.block.text
    own, first = text.origins[min(max(line, 1), len(text.origins)) - 1]
    return Place(text.path, text.cell, own, first)


def at_statement(kind: str, status: str, p: Prepared, line: int, **more: Any) -> Finding:
    """A finding at a statement of a cell."""
    source = p.source(line).strip()
    last = place_of(p, line + source.count("\n")).line
    return Finding(kind, status, place_of(p, line), last, source, **more)


def at_output(status: str, p: Prepared, line: int, shown: Shown, start: int, end: int, **more: Any) -> Finding:
    """A finding about what a statement prints: in a notebook at the statement, elsewhere at the printed line."""
    if p.block.text.cell is not None:
        return at_statement("output", status, p, line, **more)
    source = shown.text[start:end] if end > start else shown.text[start:].split("\n")[0].strip()
    return Finding("output", status, shown.locate(start), shown.locate(max(end - 1, start)).line, source, **more)


def is_constant(p: Prepared, line: int) -> bool:
    """Whether a statement prints only words that it says itself."""
    s = p.statement(line)
    call = s.value if isinstance(s, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "print":
        return False
    return all(isinstance(a, ast.Constant) and isinstance(a.value, str) for a in call.args)


def is_assertion(s: ast.stmt) -> bool:
    """An `assert`, or a call of a library's assertion."""
    if isinstance(s, ast.Assert):
        return True
    call = s.value if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) else None
    if call is None:
        return False
    f = call.func
    name = f.attr if isinstance(f, ast.Attribute) else f.id if isinstance(f, ast.Name) else ""
    return name.startswith("assert")


def says_nothing(p: Prepared, o: Outcome) -> bool:
    """A title, or a line that is printed as it stands in the code."""
    values = any(t.numbers or t.text in ("True", "False") for t in o.run)
    return not values or (is_constant(p, o.line) and o.state == "same")


def described(run: Sequence[Token]) -> str:
    """What kind of values a text holds, in words."""
    parts = []
    for k, t in enumerate(run):
        if t.kind == "array" and t.shape is not None and t.shape:
            shape = t.shape[1:] if t.shape[0] == 1 and len(t.shape) > 1 else t.shape
            if k and run[k - 1].text == "torch.Size":
                parts.append(f"the shape {' × '.join(n.text for n in t.numbers)}")
            elif t.shape == (1,):
                parts.append(t.numbers[0].text)
            else:
                parts.append(f"an array of {' × '.join(map(str, shape))} numbers" if t.numbers else "an empty array")
        elif t.numbers:
            parts.append(t.numbers[0].text if len(t.numbers) == 1 else f"{len(t.numbers)} numbers")
        elif t.text in ("True", "False"):
            parts.append(t.text)
    return ", ".join(parts[:6]) + (", …" if len(parts) > 6 else "") if parts else "words"


def short(text: str) -> str:
    """Text on one line of at most a hundred characters."""
    text = " ".join(text.split())
    return text if len(text) <= 100 else text[:99] + "…"


_WORST = {"differs": 3, "unclear": 2, "same": 1, "absent": 0}


def merged(outcomes: Sequence[Outcome], in_notebook: bool) -> list[Outcome]:
    """One outcome for each statement in a notebook; elsewhere one for each printed piece, unless there are many."""
    count: dict[int, int] = {}
    for o in outcomes:
        count[o.line] = count.get(o.line, 0) + 1
    found: list[Outcome] = []
    first: dict[int, int] = {}
    for o in outcomes:
        if not in_notebook and count[o.line] <= MERGED:
            found.append(o)
        elif o.line not in first:
            first[o.line] = len(found)
            found.append(o)
        else:
            k = first[o.line]
            found[k].merged += 1
            if _WORST[o.state] > _WORST[found[k].state]:
                o.merged = found[k].merged
                found[k] = o
    return found
