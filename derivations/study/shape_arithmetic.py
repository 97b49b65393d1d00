r"""Arithmetic of shapes: `(d \times r) \times (r \times k) = d \times k` says of matrices what `r = r` says of their lengths.

A product of shapes in parentheses that is compared with a shape is such a statement, unless it is a true one about numbers.
It is proved where the inner lengths agree and the outer ones are the result's.  It is refuted only where one of the two
fails and the other holds: where both fail, another operation may be meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod

from derivations.language.statement import Statement
from derivations.language.term import Index, IndexValue, TermError
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.syntax.surface import Node
from derivations.study.equation_walk import Item, Key
from derivations.study.findings_of_relations import finding_of
from derivations.study.names_and_conditions import elaborator_for
from derivations.study.shape_conflicts import StatedReading
from derivations.study.shape_products import factors_of
from derivations.study.state import Study
from derivations.study.verdict import decide_statements, with_verdict, withheld

Shape = tuple[Index, ...]
SIGNS = frozenset({"=", "to", "implies"})
"""The relations between a product of shapes and the shape of the result."""


@dataclass(frozen=True, slots=True)
class _Side:
    """The shapes that are multiplied on one side of a relation; one shape where nothing is."""

    factors: tuple[Shape, ...]

    @property
    def inner(self) -> list[tuple[Index, Index]]:
        """The lengths that must be the same for the products to be defined."""
        found = [(a[-1], b[-2]) for a, b in pairwise(self.factors)]
        stacks = [s[:-2] for s in self.factors if len(s) > 2]
        return [*found, *(pair for a, b in pairwise(stacks) for pair in zip(a, b, strict=False))]

    @property
    def outer(self) -> Shape:
        """The shape of the result."""
        stack = next((s[:-2] for s in self.factors if len(s) > 2), ())
        return (*stack, self.factors[0][-2], self.factors[-1][-1])

    @property
    def count(self) -> Index:
        """The product of all lengths, as numbers."""
        return prod((n for s in self.factors for n in s), start=Index.of(1))


def judge_shape_arithmetic(study: Study, item: Item, key: Key, left: Node, relation: str, right: Node) -> bool:
    """Judge a relation between products of shapes; False where it is none, or a true one between numbers."""
    sides = [factors_of(study.names, n) for n in (left, right)]
    if relation not in SIGNS or not all(sides) or max(map(len, sides)) < 2:
        return False
    e = elaborator_for(study, item)
    try:
        a, b = (_Side(tuple(_lengths(e, *factor) for factor in side)) for side in sides)
        same_number = relation == "=" and a.count is b.count
    except (NotUnderstood, TermError):
        return False
    inner, outer = [*a.inner, *b.inner], list(zip(a.outer, b.outer, strict=False))
    fits = all(p is q for p, q in (*inner, *outer)) and len(a.outer) == len(b.outer)
    if same_number and not fits:
        return False
    if not study.walk.build:
        return True
    said = tuple(Statement(IndexValue(p), "=", IndexValue(q)) for p, q in (*inner, *outer))
    finding = finding_of(study, item, key, "shape", "undecided", left, right)
    finding.theory, finding.statements = study.table.view(), said
    if len(a.outer) == len(b.outer):
        finding = with_verdict(finding, decide_statements(said, finding.theory, study.decide))
    reason = None if fits else _why_open(StatedReading(study, study.walk.findings, but=item), item, a, b)
    if reason is not None or finding.status not in ("proved", "refuted"):
        finding = withheld(finding, "ambiguous", reason or "the shapes have different numbers of axes")
    elif finding.status == "refuted":
        finding = replace(finding, code="shape-conflict")
    study.walk.findings[key] = finding
    return True


def _lengths(e: Elaborator, factor: Sequence[Node], transposed: bool) -> Shape:
    found = tuple(_length(e, n) for n in factor)
    return (*found[:-2], found[-1], found[-2]) if transposed else found


def _length(e: Elaborator, node: Node) -> Index:
    """A length as written; a plain name is one, because it stands in a shape."""
    w = e.table.names.written(node)
    if w is None or w.slots or w.transposed or w.power is not None:
        return e.written_index(node, {})
    known = e.table.symbols.get(w.stem) or e.table.declared.get(w.stem)
    if known is not None and known.dims:
        raise NotUnderstood("shape-conflict", f"{w.stem} is no length", node.span)  # a cross product of vectors
    return Index.size(w.stem)


def _why_open(reading: StatedReading, item: Item, a: _Side, b: _Side) -> str | None:
    """Why a relation that does not fit is not refuted."""
    if not reading.is_claimed(item):
        return "the shapes do not fit, but the words around it do not claim that they do"
    inner, outer = [*a.inner, *b.inner], list(zip(a.outer, b.outer, strict=False))
    if any(p is not q for p, q in inner) and _fits_transposed(a, b):
        return "the shapes do not fit, but would with a transposed factor"
    wrong = [[(p, q) for p, q in pairs if p is not q] for pairs in (inner, outer)]
    if all(wrong):
        return "neither the inner lengths agree nor the outer ones: it may be no product of matrices"
    stated = {n for each in reading.stated.shapes.values() for s in each for n in s.axes}
    for p, q in (*wrong[0], *wrong[1]):
        if not all(n.is_constant or n in stated for n in (p, q)) or reading.stated.compare(p, q) is not False:
            return f"the shapes do not fit, unless {p} is {q}"
    return None


def _fits_transposed(a: _Side, b: _Side) -> bool:
    """Whether a transposed factor on one of the sides makes the two fit."""
    for side, other in ((a, b), (b, a)):
        for k, shape in enumerate(side.factors if len(side.factors) > 1 else ()):
            turned = _Side((*side.factors[:k], (*shape[:-2], shape[-1], shape[-2]), *side.factors[k + 1 :]))
            if turned.outer == other.outer and all(p is q for p, q in (*turned.inner, *other.inner)):
                return True
    return False
