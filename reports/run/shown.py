"""A finding as a reader is shown it: every component of an identity of arrays, and no condition that compares numbers."""

from __future__ import annotations

from derivations.documents.model.finding import Finding
from derivations.language.statement import Statement
from derivations.language.term import ONE, ZERO, Bracket, Case, Constraint, Guard, Term
from derivations.latex.writer import Style, write_latex

MAX_COMPONENTS = 9
"""Most components of an identity that a report writes out: those of a matrix of three rows and columns."""


def text_of(f: Finding, most: int) -> str:
    """The canonical text of what a finding says, of at most so many nodes."""
    if f.definition is not None:
        return str(f.definition) if f.definition.body.nodes <= most else ""
    shown, more = _components(f, most)
    words = "; ".join(plain_text(s, is_nearly=f.is_nearly) for s in shown)
    return f"{words}; and {more} more components" if more and shown else words


def latex_of(f: Finding, style: Style, most: int) -> str | None:
    """The same in the notation of the document."""
    if f.definition is not None:
        return write_latex(f.definition, style) if f.definition.body.nodes <= most else None
    shown, more = _components(f, most)
    if not shown:
        return None
    words = r",\quad ".join(_written(s, style, is_nearly=f.is_nearly) for s in shown)
    return rf"{words} \quad \text{{and {more} more components}}" if more else words


def plain_text(s: Statement, *, is_nearly: bool) -> str:
    """A statement as text; of numbers that are nearly equal it says no more."""
    return f"{s.left} \u2248 {s.right}" if is_nearly else str(s)


def _written(s: Statement, style: Style, *, is_nearly: bool) -> str:
    return (
        rf"{write_latex(s.left, style)} \approx {write_latex(s.right, style)}" if is_nearly else write_latex(s, style)
    )


def _components(f: Finding, most: int) -> tuple[list[Statement], int]:
    """The statements that are written out, and how many there are besides.

    Of what is refuted it is the one that is false.
    """
    if f.statement is None:
        return [], 0
    alone = f.status in ("refuted", "wrong") or len(f.statements) < 2 or f.statement not in f.statements
    every = [f.statement] if alone else list(f.statements)
    nodes = sum(s.left.nodes + s.right.nodes for s in every)
    if len(every) > MAX_COMPONENTS or nodes > most:
        one = f.statement
        return ([tidied(one)] if one.left.nodes + one.right.nodes <= most else []), len(every) - 1
    return [tidied(s) for s in every], 0


def tidied(s: Statement) -> Statement:
    """A statement whose choices between numbers are made: `cases(a if 0 = 1; else b)` is b."""
    return Statement(_tidied(s.left), s.relation, _tidied(s.right), s.indices, s.guard, s.hypotheses)


def _tidied(t: Term) -> Term:
    children = [_tidied(c) for c in t.children]
    if any(a is not b for a, b in zip(children, t.children, strict=True)):
        t = t.with_children(children)
    if isinstance(t, Bracket) and all(map(_compares_numbers, t.condition)):
        return ONE if all(map(_holds, t.condition)) else ZERO
    if not isinstance(t, Case):
        return t
    kept: list[tuple[Guard, Term]] = []
    for branch, value in t.branches:
        if any(_compares_numbers(c) and not _holds(c) for c in branch):
            continue
        left = tuple(c for c in branch if not _compares_numbers(c))
        if not left:
            return Case(kept, value) if kept else value
        kept.append((left, value))
    return Case(kept, t.otherwise) if kept else t.otherwise


def _compares_numbers(c: Constraint) -> bool:
    return c.index.is_constant


def _holds(c: Constraint) -> bool:
    return c.holds({}, {})
