r"""Shapes of expressions from stated shapes alone: what fits under every way to stand that a document leaves open.

The elaborator guesses shapes where an author states none.  Here nothing is guessed: an expression has a shape when all its
names have one, and else none at all (`Unsettled`).  A vector stands as a column or as a row, each time that it is written
without a transpose sign; products and sums keep every way in which they fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from derivations.language.term import Index
from derivations.latex.lexicon.name_roles import Names
from derivations.latex.lexicon.written_names import Written
from derivations.latex.syntax.notation import ELEMENTARY
from derivations.latex.syntax.surface import (
    Adjacent,
    Enclosed,
    Fraction,
    Infix,
    Literal,
    Name,
    Node,
    Operator,
    Prefix,
    Root,
    Scripted,
    walk,
)

ONE = Index.of(1)
SCALAR = ((ONE, ONE),)
ENTRYWISE = ELEMENTARY | {"softmax", "relu", "sigmoid", "sign", "silu", "softplus"}
"""Operators whose value has the shape of their argument."""
PRODUCTS = frozenset({"cdot", "@"})

Ways = tuple[tuple[Index, Index], ...]
"""The ways in which a value may stand, as rows and columns, the usual one first."""
ANY: Ways = ()
"""What stands after a clash: it fits everything, so that the rest of the expression is looked at, too."""
Compare = Callable[[Index, Index], bool | None]
"""Whether two lengths are the same; None when the document does not tell."""


class Unsettled(Exception):
    """An expression of which not every shape is stated."""


@dataclass(frozen=True, slots=True)
class Clash:
    """Two lengths that meet and differ: `one` and `other` are the parts that they are axes of."""

    one: Node
    other: Node
    shapes: tuple[tuple[Index, ...], tuple[Index, ...]]
    lengths: tuple[Index, Index]


@dataclass(slots=True)
class ShapeReader:
    """Reads expressions over stated shapes.

    `stated` gives the axes of a name (none for a number) and how it stands, None where no line settles it.
    `turned` is an occurrence of a name that is read as if it were transposed, `all_turned` turns every matrix.
    """

    names: Names
    stated: Callable[[Written], tuple[tuple[Index, ...], str] | None]
    compare: Compare
    rows_are_open: bool = False
    """Whether a transposed vector may be a column: the document has vectors as rows."""
    turned: Node | None = None
    all_turned: bool = False
    exchanged: tuple[Node, Node] | None = None
    """Two factors that stand beside each other, and are read in the other order."""
    rank: Callable[[Written], int | None] = lambda _: None
    """How many axes a name has as it is read, whose lengths no line states."""
    clashes: list[Clash] = field(default_factory=list)

    def ways(self, node: Node) -> Ways:
        """The ways in which an expression may stand; raises `Unsettled`, and notes what clashes."""
        if isinstance(node, Scripted) and node.sup is not None and self._speaks_of_length(node.sup):
            raise Unsettled  # x^T, where T is the number of steps
        w = self.names.written(node) if isinstance(node, Name | Scripted) else None
        if w is not None:
            return self._name(w, turned=self.turned is not None and node == self.turned)
        match node:
            case Literal():
                return SCALAR
            case Enclosed(kind="[]", content=Adjacent()):
                raise Unsettled  # [A B] may be two blocks side by side
            case Enclosed(kind="()" | "[]" | "{}", content=Node() as content):
                return self.ways(content)
            case Enclosed(kind="norm", content=Node() as content):
                self.ways(content)
                return SCALAR
            case Scripted(base=Enclosed(kind="norm", content=Node() as content)):
                self.ways(content)
                return SCALAR
            case Adjacent(items=(Scripted(base=Name(base="nabla"), sub=Name() | Scripted() as by, sup=None), *rest)):
                return self._gradient(rest, by)
            case Fraction(
                above=Adjacent(items=(Name(base="partial"), *rest)),
                below=Adjacent(items=(Name(base="partial"), Name() | Scripted() as by)),
            ):
                return self._gradient(rest, by)
            case Scripted(base=Enclosed() as base):
                slots, transposed, power = self.names.generic_slots(node)
                if slots or not transposed or power is not None:
                    raise Unsettled
                return _turn(self.ways(base))
            case Prefix(operator="-" | "+", operand=operand):
                return self.ways(operand)
            case Adjacent(items=items):
                return self._product(items)
            case Infix(operator="+" | "-" | "odot" as sign, left=left, right=right):
                return self._entrywise(left, right, sign)
            case Infix(operator=sign, left=left, right=right) if sign in PRODUCTS:
                return self._product((left, right), dotted=sign == "cdot")
            case Infix(operator="/", left=above, right=below) | Fraction(above=above, below=below):
                self._number(below)
                return self.ways(above)
            case Root(radicand=inner):
                self._number(inner)
                return SCALAR
            case Operator(name=name, arguments=(argument,), bare=False, sup=None) if name in ENTRYWISE:
                return self.ways(argument)
            case Operator(name="tr" | "det", arguments=(argument,), bare=False, sup=None):
                self.ways(argument)
                return SCALAR
        raise Unsettled

    def _gradient(self, of: Sequence[Node], by: Node) -> Ways:
        """The gradient of a number, which has the shape of what it is taken by."""
        w = self.names.written(of[0]) if of and isinstance(of[0], Name | Scripted) else None
        is_call = len(of) == 1 or (len(of) == 2 and isinstance(of[1], Enclosed) and of[1].kind == "()")
        if w is None or not is_call or w.slots or w.power is not None or w.transposed:
            raise Unsettled
        if self.rank(w) is None and self.stated(w) is None:
            return self.ways(by)  # a loss, of which the document says no more
        if self.rank(w) != 0:
            raise Unsettled
        return self.ways(by)

    def relation(self, left: Node, right: Node) -> None:
        """Look at both sides of an equation; raises `Unsettled`, and notes what clashes."""
        a, b = self.ways(left), self.ways(right)
        if not a or not b:
            return
        if _axes(a) != _axes(b):
            raise Unsettled  # a batch against one vector, a number for all entries: no two lengths meet
        self._meet(left, right, a, b, sums=True)

    def _speaks_of_length(self, script: Node) -> bool:
        named = (self.names.written(n) for n in walk(script) if isinstance(n, Name))
        return any(w is not None and w.stem in self.names.sizes for w in named)

    def _number(self, node: Node) -> None:
        if self.ways(node) != SCALAR:
            raise Unsettled

    def _name(self, w: Written, turned: bool) -> Ways:
        found = self.stated(w)
        if found is None or (w.power is not None and not _is_numeric(w.power)):
            raise Unsettled
        axes, orient = found
        is_square = len(axes) == 2 and axes[0] is axes[1]
        if w.power is not None and axes and not is_square:  # a power, or the inverse, of a square matrix has its shape
            raise Unsettled
        if len(axes) > 2:
            raise Unsettled
        transposed = w.transposed is not turned
        if not axes:
            return SCALAR
        if len(axes) == 2:
            ways: Ways = ((axes[0], axes[1]),)
            return _turn(ways) if transposed is not self.all_turned else ways
        column, row = (axes[0], ONE), (ONE, axes[0])
        if orient == "row":
            column, row = row, column  # what is declared as a row stands as one, and transposed as a column
        if transposed:
            return (row, column) if self.rows_are_open or orient == "row" else (row,)
        return (column, row)

    def _product(self, items: Sequence[Node], *, dotted: bool = False) -> Ways:
        items = self._in_order(items)
        each = [self.ways(n) for n in items]
        if dotted and _axes(each[0]) == _axes(each[1]) == 1:
            self._meet(items[0], items[1], each[0], each[1], sums=True)
            return SCALAR
        if dotted and _axes(each[0]) == _axes(each[1]) == 2 and each[0] == each[1]:
            raise Unsettled  # it may be meant entry by entry
        result, so_far = each[0], items[0]
        for node, ways in zip(items[1:], each[1:], strict=True):
            if not result or not ways:
                return ANY
            whole = Adjacent((so_far.span[0], node.span[1]), (so_far, node))
            result = self._meet(so_far, node, result, ways, sums=False)
            so_far = whole
        return result

    def _in_order(self, items: Sequence[Node]) -> Sequence[Node]:
        for k, pair in enumerate(pairwise(items)):
            if pair == self.exchanged:
                return (*items[:k], pair[1], pair[0], *items[k + 2 :])
        return items

    def _entrywise(self, left: Node, right: Node, sign: str) -> Ways:
        if sign == "+":  # b in W x + b has the axes of W x
            for one, other in ((left, right), (right, left)):
                w = self.names.written(one) if isinstance(one, Name | Scripted) else None
                if w is not None and not w.transposed and w.power is None and self.stated(w) is None:
                    ways = self.ways(other)
                    if ways and self.rank(w) == _axes(ways):
                        return ways
        a, b = self.ways(left), self.ways(right)
        return self._meet(left, right, a, b, sums=True) if a and b else ANY

    def _meet(self, one: Node, other: Node, a: Ways, b: Ways, *, sums: bool) -> Ways:
        """The ways in which a product or a sum may stand; none, and a clash, where it cannot."""
        if a == SCALAR or b == SCALAR:
            return b if a == SCALAR else a
        found: list[tuple[Index, Index]] = []
        apart: list[tuple[Index, Index]] = []
        told = True
        for x in a:
            for y in b:
                for pairs, value in _added(x, y) if sums else (([(x[1], y[0])], (x[0], y[1])),):
                    same = [self._same(p, q) for p, q in pairs]
                    if all(same):
                        found.append(value)
                    elif None in same:
                        told = False
                    else:
                        apart += [p for p, s in zip(pairs, same, strict=True) if not s and ONE not in p]
        if found:
            if len({len(axes_of((way,))) for way in found}) > 1:
                raise Unsettled  # x y may be a number or a matrix
            return tuple(dict.fromkeys(found))
        if not told or not apart:
            raise Unsettled
        self.clashes.append(Clash(one, other, (axes_of(a), axes_of(b)), apart[0]))
        return ANY

    def _same(self, a: Index, b: Index) -> bool | None:
        if a is b:
            return True
        return False if ONE in (a, b) else self.compare(a, b)


def _is_numeric(node: Node) -> bool:
    """Whether a power is a number, `1/4`, and so no transpose and no label."""
    return all(isinstance(n, Literal) or n.parts for n in walk(node))


def _turn(ways: Ways) -> Ways:
    return tuple((columns, rows) for rows, columns in ways)


def axes_of(ways: Ways) -> tuple[Index, ...]:
    """The axes of a value; one for a vector, however it stands."""
    rows, columns = ways[0]
    return tuple(n for n in (rows, columns) if n is not ONE) if ONE in (rows, columns) else (rows, columns)


def _axes(ways: Ways) -> int | None:
    """How many axes a value has; None where it clashes."""
    return len(axes_of(ways)) if ways else None


def _added(
    x: tuple[Index, Index], y: tuple[Index, Index]
) -> Iterator[tuple[list[tuple[Index, Index]], tuple[Index, Index]]]:
    """The lengths that must be the same for a sum of two values, and how it stands: a vector is added to every line."""
    if ONE not in x and ONE not in y:
        yield [(x[0], y[0]), (x[1], y[1])], x
    elif ONE in x and ONE in y:
        yield [(axes_of((x,))[0], axes_of((y,))[0])], x
    else:
        matrix, vector = (y, x) if ONE in x else (x, y)
        (length,) = axes_of((vector,))
        yield [(matrix[1], length)], matrix
        yield [(matrix[0], length)], matrix
