r"""Equations without a meaning that one change makes theorems: $\nabla_x \ell = W (p - y)$, where $W^\top (p - y)$ is it.

That shapes do not fit may come of a wrong reading.  Where the equation is proved, as it is read, with one name transposed or
two factors exchanged, the reading is right, and the equation is not: both lengths are stated, and nothing says that they
are equal.  A derivative by a matrix may be written as the transpose of what it is here; so the transpose of a whole side is
such a change only where another line shows, or words say, which of them is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, islice, pairwise

from derivations.documents.model.finding import Finding
from derivations.language.statement import Statement
from derivations.language.term import Index, IndexValue
from derivations.latex.elaborator.derivatives import is_derivative, is_gradient
from derivations.latex.elaborator.equations import left_side
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.passes.short_forms import mapped
from derivations.latex.syntax.surface import Adjacent, Enclosed, Infix, Mark, Name, Node, Scripted, walk
from derivations.latex.syntax.surface_writer import write_surface
from derivations.provers.decide import Refuted
from derivations.study.equation_walk import Item, Key
from derivations.study.findings_of_relations import finding_of
from derivations.study.names_and_conditions import elaborator_for
from derivations.study.state import Study

MAX_CHANGES = 24
"""Most changes of one equation that are tried."""
_LAYOUT = re.compile(
    r"\b(?:same shape|(?:has|have|takes?|in) the shape of|denominator[- ]layout|shaped like)\b", re.IGNORECASE
)
"""Words for the convention that a derivative has the shape of what it is taken by."""

Read = Callable[[Node], None]
"""What reads an equation with another right side."""


def judge_shape_slip(
    study: Study,
    item: Item,
    key: Key,
    left: Node,
    right: Node,
    problem: NotUnderstood,
    read: Read,
    forget: Callable[[], None],
) -> bool:
    """Refute an equation whose shapes do not fit, and which one change makes a theorem; whether there was such a change."""
    if problem.lengths is None or not study.walk.build or not all(map(_is_stated, problem.lengths)):
        return False
    made = left_side(elaborator_for(study, item), left)
    if made is not None and ((s := study.table.find(made.written)) is None or not s.defined):
        return False  # it may define what stands at the left
    a, b = problem.lengths
    statement = Statement(IndexValue(a), "=", IndexValue(b))
    for changed in _changes(study, left, right):
        mark = study.table.sizes.mark()
        try:
            read(changed)
            found = study.walk.findings.pop(key, None)
        except NotUnderstood:
            found = None
        finally:
            study.table.sizes.undo(mark)
            forget()
        if found is not None and found.status == "proved":
            decision = study.decide(statement, study.table.view())
            if not isinstance(decision, Refuted):
                return False
            witness = replace(
                decision.counterexample, kind="shape", left=f"an axis of length {a}", right=f"one of length {b}"
            )
            finding = finding_of(study, item, key, found.kind, "refuted", left, right)
            meant = f"{write_surface(left)} = {write_surface(changed)}"
            study.walk.findings[key] = replace(
                finding,
                code="shape",
                statement=statement,
                statements=(statement,),
                theory=study.table.view(),
                decision=replace(decision, counterexample=witness),
                reason=problem.message,
                suggestion=f"did you mean ${meant}$? (proved)",
            )
            return True
    return False


def _is_stated(length: Index) -> bool:
    """Whether a length is one that the document names."""
    return bool(length.sizes) and not length.const and len(length.terms) == 1


def _changes(study: Study, left: Node, right: Node) -> Iterator[Node]:
    """The right side with one change."""
    yield from islice(chain(_transposed(study, right), _exchanged(right), _whole(study, left, right)), MAX_CHANGES)


def _transposed(study: Study, right: Node) -> Iterator[Node]:
    """One name transposed in one place, or wherever it stands."""
    places: dict[str, list[Node]] = {}
    for node in walk(right):
        w = study.names.written(node) if isinstance(node, Name | Scripted) else None
        if w is not None and (w.power is None) and (w.transposed or _is_array(study, w.stem, len(w.slots))):
            if not any(node is part for other in places.values() for o in other for part in walk(o)):
                places.setdefault(w.stem, []).append(node)
    for nodes in places.values():
        for node in nodes:
            yield _with(right, {id(node): _turned(node)})
        if len(nodes) > 1:
            yield _with(right, {id(n): _turned(n) for n in nodes})


def _is_array(study: Study, stem: str, slots: int) -> bool:
    symbol = study.table.symbols.get(stem)
    return symbol is not None and symbol.parameters is None and len(symbol.dims) - slots == 2


def _turned(node: Node) -> Node:
    """A name with the sign of a transpose, or without it."""
    top = Mark(node.span, "top")
    if not isinstance(node, Scripted):
        return Scripted(node.span, node, None, top)
    if node.sup is None:
        return replace(node, sup=top)
    return replace(node, sup=None) if node.sub is not None else node.base


def _exchanged(right: Node) -> Iterator[Node]:
    """Two factors that stand beside each other, in the other order."""
    for node in walk(right):
        if isinstance(node, Adjacent):
            for k, (one, other) in enumerate(pairwise(node.items)):
                items = (*node.items[:k], other, one, *node.items[k + 2 :])
                yield _with(right, {id(node): replace(node, items=items)})


def _whole(study: Study, left: Node, right: Node) -> Iterator[Node]:
    """The transpose of the whole side, where a derivative by a matrix has the shape of that matrix."""
    head = left.items[0] if isinstance(left, Adjacent) else left
    if (is_derivative(left) or is_derivative(head) or is_gradient(head)) and not _layout_is_told(study):
        return
    whole = Scripted(right.span, Enclosed(right.span, "()", right), None, Mark(right.span, "top"))
    if not isinstance(right, Infix) or right.operator not in ("+", "-"):
        yield whole


def _layout_is_told(study: Study) -> bool:
    """Whether words, or a line that is proved, tell which of two transposes a derivative by a matrix is."""
    if any(map(_LAYOUT.search, study.document.texts())):
        return True
    return any(map(_shows_layout, study.walk.findings.values()))


def _shows_layout(finding: Finding) -> bool:
    s = finding.statement
    if finding.status != "proved" or s is None or len(s.indices) != 2 or r"\partial" not in finding.source:
        return False
    return len(frozenset[str]().union(*(c.index.sizes for c in s.guard))) > 1


def _with(root: Node, put: dict[int, Node]) -> Node:
    """A tree with other nodes in the places of some."""
    return mapped(root, lambda n: put.get(id(n), n))
