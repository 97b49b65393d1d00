r"""Distinctions by cases: a value for each condition, and one for what is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derivations.language.term import Case, guard
from derivations.latex.elaborator.conditions import Condition, by_values, read_condition
from derivations.latex.lexicon.arrays import Array, NotUnderstood
from derivations.latex.syntax.letters import unworded
from derivations.latex.syntax.notation import OTHERWISE
from derivations.latex.syntax.surface import Adjacent, Cases, Chain, Name, Node, Words, bare

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator
    from derivations.latex.elaborator.indices import Scope

Row = tuple[Node, Node | None]
OPPOSITE = {"=": "!=", "<=": ">", "<": ">=", ">=": "<", ">": "<="}


def cases(e: Elaborator, node: Cases, scope: Scope) -> Array:
    """The number that the conditions pick out; raises `NotUnderstood`."""
    inner = {**e.free, **scope}
    rows: list[tuple[Condition | None, Array]] = []
    for value, condition in _with_rest(node.rows):
        found = e.value(value, scope)
        last = condition is None or _says_otherwise(condition)
        rows.append((None if last else read_condition(e, condition, inner), found))  # type: ignore[arg-type]
    if any(c is not None and not c.indices for c, _ in rows):
        return by_values(e, rows, scope, node.span)
    for value, found in zip((v for v, _ in node.rows), (v for _, v in rows), strict=True):
        if found.rank:
            raise NotUnderstood("unknown-notation", "cases between arrays are not read", value.span)
    branches = [(c.indices, v) for c, v in rows if c is not None]
    rest = next((v for c, v in reversed(rows) if c is None), None)
    if rest is None:
        last_guard = branches[-1][0]
        before = [g for g, _ in branches[:-1]]
        opposite = [n for g in before for c in g for n in c.negations()] if len(before) == 1 else []
        if not before or len(before[0]) != 1 or len(opposite) != 1 or guard(*opposite) != last_guard:
            raise NotUnderstood("unknown-notation", "these cases do not visibly cover everything", node.span)
        rest = branches.pop()[1]
    left = rest
    return Array((), lambda _: Case([(g, v.at(())) for g, v in branches], left.at(())), span=node.span)


def _with_rest(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """The rows; of two with opposite conditions, `i = j` and `i \\neq j`, the second condition is what is left."""
    if len(rows) != 2:
        return rows
    one, two = (_relation(condition) for _, condition in rows)
    if one is None or two is None or {one[0], one[2]} != {two[0], two[2]}:
        return rows
    same = OPPOSITE.get(two[1]) == one[1] or OPPOSITE.get(one[1]) == two[1]
    if not same or (one[0] != two[0] and not {one[1], two[1]} <= {"=", "!="}):
        return rows
    first, second = rows if one[1] in ("=", "<", "<=") else rows[::-1]
    return (first, (second[0], None))


def _relation(condition: Node | None) -> tuple[object, str, object] | None:
    """`if i = j` as its two sides and its relation, without places in the source."""
    if isinstance(condition, Adjacent):
        rest = [n for n in condition.items if not isinstance(n, Words)]
        condition = rest[0] if len(rest) == 1 else None
    if not isinstance(condition, Chain) or condition.first is None or len(condition.links) != 1:
        return None
    relation, right = condition.links[0]
    return bare(unworded(condition.first)), relation, bare(unworded(right))


def _says_otherwise(node: Node) -> bool:
    text = node.text if isinstance(node, Words) else node.base if isinstance(node, Name) else ""
    return " ".join(text.split()).strip(" .,;").lower() in OTHERWISE
