r"""Memberships: `x \in \mathbb{R}^n` declares a shape, `Q K^\top \in \mathbb{R}^{n \times m}` claims one.

A stated number is a worked size, here and nowhere else.  A name that an equation has defined may come back as another
thing.  So a claim about a shape is refuted only where stated shapes alone give another one, without a guess, and where no
row of `SHAPE_DOUBTS` tells that the line may speak of other things.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from derivations.documents.facts.declarations import sizes_of, space
from derivations.documents.facts.role_words import Part, parts_said
from derivations.documents.model.finding import Finding
from derivations.language.statement import Statement
from derivations.language.substitution import subterms
from derivations.language.term import Entry, Index, IndexValue
from derivations.latex.elaborator.joined_lists import shape_of_list
from derivations.latex.elaborator.stated_shapes import Unsettled, axes_of
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import Adjacent, Enclosed, Listed, Name, Node, Scripted
from derivations.study.equation_walk import Item, Key, is_real
from derivations.study.findings_of_relations import finding_of
from derivations.study.names_and_conditions import dependences_of, elaborator_for, readings_of
from derivations.study.shape_conflicts import StatedReading
from derivations.study.state import Study
from derivations.study.verdict import decide_statements, with_verdict, withheld


def judge_membership(study: Study, item: Item, key: Key, left: Node, right: Node) -> None:
    """A declaration, or a claim about the shape of an expression."""
    exponent = space(right)
    if exponent is None:
        _in_another_set(study, left, right)
        return
    lead = item.reading.chain.first
    if key[2] == 1 and lead is not None and isinstance(left, Enclosed):  # X = (x_1, …, x_n) in R^{d x n}
        left = lead
    w = study.names.written(left)
    if isinstance(left, Listed):
        return
    if w is not None:
        symbol = study.table.symbols.get(w.stem)
        if symbol is None or not symbol.defined:
            return
    e = elaborator_for(study, item)
    declared = sizes_of(e, exponent)
    e.declare_free(left)
    if declared is not None:
        shape_of_list(e, left, tuple(map(study.table.sizes.declared, declared[0])))
    value = e.value(left, {})
    if declared is None:
        raise NotUnderstood("unknown-notation", "this shape is not read", right.span)
    sizes, _ = declared
    study.walk.uses[key] = dependences_of(study, e)
    if value.rank != len(sizes):
        finding = finding_of(study, item, key, "shape", "unread", left, right)
        finding.code = "shape-conflict"
        finding.reason = f"the expression has {value.rank} axes, the stated shape {len(sizes)}"
        study.walk.findings[key] = finding
        return
    known = []
    for d, s in zip(value.shape, sizes, strict=True):
        if study.table.sizes.is_known(d):
            known.append(Statement(IndexValue(study.table.sizes.index(d)), "=", IndexValue(s)))
        else:
            study.table.sizes.unify(d, study.table.sizes.declared(s), left.span)
    if not study.walk.build:
        return
    finding = finding_of(study, item, key, "shape", "undecided", left, right)
    finding.theory, finding.statements = study.table.view(), tuple(known)
    finding.assumptions = readings_of(study, item, e)
    general = [s for s in known if not _is_worked(s)]
    tells_nothing = all(s.left == s.right for s in known)
    if not known or (
        tells_nothing and (_is_value_of_given(study, left) or _is_told_here_alone(study, left, len(sizes)))
    ):
        finding.status, finding.code, finding.reason = "skipped", "declaration", "it only names sizes"
    elif study.walk.only is None or study.walk.only == key:
        verdict = decide_statements(general or known, finding.theory, study.decide)
        worked = len(general) < len(known) and (verdict.status == "proved" or not general)
        finding = with_verdict(finding, replace(verdict, assumptions=finding.assumptions))
        if worked:
            finding = replace(finding, status="skipped", code="size", decision=None, reason="a worked size")
        elif finding.status == "refuted":
            finding.code = "shape-conflict"
            finding = _doubted(Membership.of(study, item, key, left, sizes), finding)
    study.walk.findings[key] = finding


def _is_value_of_given(study: Study, left: Node) -> bool:
    r"""Whether it is `\phi(x)` for a function that nothing defines: who states its shape declares what the values are."""
    head = left.items[0] if isinstance(left, Adjacent) and len(left.items) == 2 else None
    w = None if head is None else study.names.written(head)
    return w is not None and w.stem in study.names.maps and w.stem not in study.table.symbols


def _is_told_here_alone(study: Study, left: Node, rank: int) -> bool:
    """Whether a name is made of arrays of which nothing says how long they are, so that its own shape tells that."""
    w = study.names.written(left)
    symbol = study.table.symbols.get(w.stem) if w is not None and not w.transposed else None
    if symbol is None or not symbol.defined or symbol.stem not in study.table.declared:
        return False
    axes = range(len(symbol.dims) - rank, len(symbol.dims))
    return all(_is_of_undeclared(study, symbol.head, axis, frozenset()) for axis in axes)


def _is_of_undeclared(study: Study, head: str, axis: int, seen: frozenset[str]) -> bool:
    """Whether an axis of a name is one of given arrays without a stated shape, and of nothing else."""
    definitions = study.table.theory.definitions.get(head, ())
    if not definitions:
        told = {
            *study.table.declared,
            *study.table.rows,
            *study.table.columns,
        }  # a row is as long as its matrix is wide
        return not any(s.head == head and s.stem in told for s in study.table.symbols.values())
    found: set[tuple[str, int]] = set()
    for d in definitions:
        place = d.indices[axis] if axis < len(d.indices) else None
        if place is None or not place.free or head in seen:
            return False
        entries = (u for u in subterms(d.body) if isinstance(u, Entry))
        found |= {(u.name, k) for u in entries for k, index in enumerate(u.indices) if index is place}
    return bool(found) and all(_is_of_undeclared(study, name, k, seen | {head}) for name, k in found)


def _in_another_set(study: Study, left: Node, right: Node) -> None:
    """What is in no space of shapes: nothing to judge where it introduces names, else `NotUnderstood`."""
    if isinstance(right, Scripted | Name) and is_real(right):
        return
    if isinstance(right, Enclosed) or letter(left) is not None or isinstance(left, Listed):
        return
    if study.names.written(left) is not None:
        return
    raise NotUnderstood("unknown-notation", "a membership in this set is not read", right.span)


def _is_worked(s: Statement) -> bool:
    """A length that is put to a number: `d = 20`, of an example or an experiment."""
    sides = [side.index for side in (s.left, s.right) if isinstance(side, IndexValue)]
    return len(sides) == 2 and sides[0].is_constant is not sides[1].is_constant


@dataclass(frozen=True, slots=True)
class Membership:
    """A claim about a shape that is false as the document is read, and what stated shapes alone say of it."""

    study: Study
    item: Item
    key: Key
    left: Node
    sizes: tuple[Index, ...]
    reading: StatedReading
    axes: tuple[Index, ...] | None
    """The axes of the left side by stated shapes alone, None where they do not tell."""

    @classmethod
    def of(cls, study: Study, item: Item, key: Key, left: Node, sizes: tuple[Index, ...]) -> Membership:
        reading = StatedReading(study, study.walk.findings, but=item)
        reader = reading.reader(study.document.block_of(item.span))
        try:
            ways = reader.ways(left)
        except Unsettled:
            ways = ()
        axes = axes_of(ways) if ways and not reader.clashes else None
        return cls(study, item, key, left, sizes, reading, axes)

    @property
    def defined_at(self) -> Key | None:
        """Where an equation defines the name that the left side is."""
        w = self.study.names.written(self.left)
        symbol = self.study.table.symbols.get(w.stem) if w is not None else None
        return None if symbol is None else self.study.walk.origins.get(symbol.head)


@dataclass(frozen=True, slots=True)
class ShapeDoubt:
    """A row: where `test` gives the arguments of `sentence`, a refuted claim about a shape is undecided.

    In the document `needed` the row alone keeps the last membership from being refuted; in `silent` it is refuted.
    """

    name: str
    sentence: str
    test: Callable[[Membership], tuple[str, ...] | None]
    needed: str
    silent: str


def _may_be_another(m: Membership) -> tuple[str, str] | None:
    """A name that an equation defines, in a line that does not follow from it: it may be introduced again."""
    made = m.defined_at
    w = m.study.names.written(m.left)
    if made is None or w is None or m.key[2] > 0:
        return None
    before = f"{m.item.context.before} {m.item.reading.lead}"
    parts, document = parts_said(before), m.study.document
    if Part.CONCLUDED in parts:
        return None
    origin = document.spans[made[0]]
    together = document.block_of(origin) is document.block_of(m.item.span)
    introduces = not parts.isdisjoint(
        {Part.LET, Part.BESIDE, Part.SITUATION, Part.SUPPOSED, Part.DESCRIBED, Part.UNIVERSAL}
    )
    return None if together and not introduces else (w.stem, str(origin.place.line))


def _is_not_claimed(m: Membership) -> tuple[()] | None:
    is_of_product = m.study.names.written(m.left) is None
    return None if m.reading.is_claimed(m.item, is_of_product=is_of_product) else ()


def _speaks_of_equal_lengths(m: Membership) -> tuple[()] | None:
    return () if m.reading.calls_lengths_equal() else None


def _is_not_settled(m: Membership) -> tuple[str] | None:
    """A name without a stated shape, with more than one, or with one in another place alone."""
    if m.axes is not None:
        return None
    block, stated = m.study.document.block_of(m.item.span), m.reading.stated
    written = [w for w in uses(m.study.names, m.left) if (w.stem, w.bold) in stated.shapes]
    several = next((w.stem for w in written if stated.at(w, block) is None), None)
    return (
        "not every shape in it is stated" if several is None else f"{several} has other shapes, or in other places",
    )


def _has_second_name(m: Membership) -> tuple[str, str] | None:
    """Two lengths that nothing keeps apart may be two names of one."""
    pairs = [(a, b) for a, b in zip(m.axes or (), m.sizes, strict=False) if a is not b]
    stated = {n for each in m.reading.stated.shapes.values() for s in each for n in s.axes}
    known = [(a, b) for a, b in pairs if b in stated or b.is_constant]
    if any(m.reading.stated.compare(a, b) is False for a, b in known):
        return None
    return (str(pairs[0][1]), str(pairs[0][0])) if pairs else None


def _fits_what_is_stated(m: Membership) -> tuple[()] | None:
    """The shapes that are stated give this one: another line has made another thing of a name."""
    return () if m.axes == m.sizes else None


_SCORES = r"Let $Q \in \mathbb{R}^{n \times d}$ and $K \in \mathbb{R}^{m \times d}$. "

_ROW = "Let $u \\in \\mathbb{R}^{1 \\times k}$. Put $$X = 2 u.$$\n\n"

_DEFINED = _SCORES + "Let $$S = Q K^\\top$$ with $S \\in \\mathbb{R}^{n \\times m}$.\n\n"

SHAPE_DOUBTS: tuple[ShapeDoubt, ...] = (
    ShapeDoubt(
        name="a shape that stated ones give",
        sentence="another shape by the definitions of its names, but the one that their stated shapes give",
        test=_fits_what_is_stated,
        needed=_ROW + "Suppose $X \\in \\mathbb{R}^{n \\times p}$. Then $X^\\top X \\in \\mathbb{R}^{p \\times p}$.",
        silent=_SCORES + "Then $Q^\\top Q \\in \\mathbb{R}^{m \\times m}$.",
    ),
    ShapeDoubt(
        name="a name that comes back",
        sentence="another shape than in line {1}, but nothing says that it is the same {0}",
        test=_may_be_another,
        needed=_DEFINED + "The noise $S \\in \\mathbb{R}^{m \\times d}$ is drawn anew.",
        silent=_DEFINED + "Hence $S \\in \\mathbb{R}^{m \\times d}$.",
    ),
    ShapeDoubt(
        name="not claimed",
        sentence="another shape, but the words around it do not claim this one",
        test=_is_not_claimed,
        needed=_SCORES + r"If $Q K^\top \in \mathbb{R}^{n \times d}$, the layers fit.",
        silent=_SCORES + r"Then $Q K^\top \in \mathbb{R}^{n \times d}$, and the layers fit.",
    ),
    ShapeDoubt(
        name="lengths that words call equal",
        sentence="another shape, unless lengths are equal that the text calls equal",
        test=_speaks_of_equal_lengths,
        needed=_SCORES + "Both lengths are the same here.\n\nThen $Q K^\\top \\in \\mathbb{R}^{n \\times d}$.",
        silent=_SCORES + "Both lengths are large here.\n\nThen $Q K^\\top \\in \\mathbb{R}^{n \\times d}$.",
    ),
    ShapeDoubt(
        name="a shape that is not settled",
        sentence="another shape, but {}",
        test=_is_not_settled,
        needed=_SCORES
        + "\n\nNow let $K \\in \\mathbb{R}^{d \\times d}$. Then $Q K^\\top \\in \\mathbb{R}^{n \\times d}$.",
        silent=_SCORES + "\n\nLet $V \\in \\mathbb{R}^{d \\times d}$. Then $Q K^\\top \\in \\mathbb{R}^{n \\times d}$.",
    ),
    ShapeDoubt(
        name="a second name of a length",
        sentence="another shape, unless {} is a second name for {}",
        test=_has_second_name,
        needed=_SCORES + r"Then $Q K^\top \in \mathbb{R}^{n \times k}$.",
        silent=_SCORES + r"Then $Q K^\top \in \mathbb{R}^{n \times d}$.",
    ),
)
"""The rows, in the order in which they are asked."""


def _doubted(membership: Membership, finding: Finding) -> Finding:
    """A refuted claim about a shape, or what the first reason not to believe it makes of it."""
    for doubt in SHAPE_DOUBTS:
        if (found := doubt.test(membership)) is not None:
            return withheld(finding, "ambiguous", doubt.sentence.format(*found))
    return finding
