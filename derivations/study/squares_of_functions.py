r"""Functions that an equation gives by their square: `\sigma(x)^2 = \frac{1}{d} \sum_i (x_i - \mu(x))^2`."""

from __future__ import annotations

from dataclasses import replace

from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.equations import left_side
from derivations.latex.syntax.surface import Adjacent, Enclosed, Literal, Node, Root, Scripted
from derivations.notes import Note
from derivations.study.defining import definition_or_claim
from derivations.study.equation_walk import Item, Key
from derivations.study.state import Study


def defined_by_square(study: Study, item: Item, key: Key, e: Elaborator, left: Node, right: Node) -> bool:
    """Define a function that nothing else defines as the non-negative root of the right side; False where it is none."""
    call = _squared_call(left)
    side = None if call is None else left_side(e, call)
    if call is None or side is None or not side.parameters or side.slots:
        return False
    known = study.table.find(side.written)
    if known is None and study.table.later is not None and study.table.later(side.stem):
        return False
    if known is not None:
        return False
    definition_or_claim(study, item, key, e, side, call, Root(right.span, right, None))
    finding = study.walk.findings.get(key)
    if finding is not None and finding.status == "defined":
        note = Note("root-of-square", (side.stem,), place=finding.place)
        study.walk.findings[key] = replace(finding, assumptions=(*finding.assumptions, note))
    return True


def _squared_call(node: Node) -> Adjacent | None:
    """The `f(x)` of `f(x)^2`."""
    if not isinstance(node, Adjacent) or len(node.items) != 2:
        return None
    head, after = node.items
    if not isinstance(after, Scripted) or after.sub is not None or not isinstance(after.base, Enclosed):
        return None
    is_square = isinstance(after.sup, Literal) and after.sup.text == "2" and after.base.kind == "()"
    return replace(node, span=(head.span[0], after.base.span[1]), items=(head, after.base)) if is_square else None
