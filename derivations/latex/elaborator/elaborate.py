"""From what an author wrote to arrays with index semantics.

One `Elaborator` reads one equation against the `Table` of its document.  Written index values keep the base of the
document (1 for `x_1, …, x_n`); positions inside start from 0.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as Rational

from derivations.language.term import (
    HALF,
    Bracket,
    Index,
    IndexValue,
    NegInfinity,
    Number,
    Pow,
    Term,
    equal,
    number,
)
from derivations.latex.elaborator import derivatives, matrices
from derivations.latex.elaborator.array_functions import count_members, norm, rational
from derivations.latex.elaborator.branches import cases
from derivations.latex.elaborator.conditions import indicator, is_indicator
from derivations.latex.elaborator.determinants import between_bars, determinant
from derivations.latex.elaborator.expectations import drawn_entry
from derivations.latex.elaborator.indices import Indices, Scope
from derivations.latex.elaborator.infix_operators import divide, infix
from derivations.latex.elaborator.limits_put_in import at_value, between_limits
from derivations.latex.elaborator.names_in_expressions import occurrence
from derivations.latex.elaborator.operators import OUT_OF_SCOPE, operator
from derivations.latex.elaborator.products import averaged, product
from derivations.latex.elaborator.rounded_quotients import rounded_number
from derivations.latex.lexicon import arrays
from derivations.latex.lexicon.arrays import Array, At, Dim, NotUnderstood, Part, elementwise, places, scalar, times
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.lexicon.written_names import Slot, Written
from derivations.latex.passes.differential_relations import DIFFERENTIAL
from derivations.latex.passes.means import count_below
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Cases,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Listed,
    Literal,
    Mark,
    Matrix,
    Name,
    Node,
    Operator,
    Prefix,
    Root,
    Scripted,
    Span,
)
from derivations.notes import Note

POWERS_OF_ENTRIES = frozenset({number(2), number(-1), HALF, Number(Rational(-1, 2))})
"""Powers of vectors that are taken entry by entry; another one is rather the number of a layer or of a step."""


class Elaborator(Indices):
    """Reads the expressions of one equation.

    `choices` are options forced from outside by key; `axis_words` is the axis that the words around say (`row`,
    `column`).  After reading, `taken` holds the choice points met, `used` the stems used.
    """

    def value(self, node: Node, scope: Scope) -> Array:
        """The array that an expression is; raises `NotUnderstood`."""
        if isinstance(node, Literal):
            return scalar(Number(Rational(node.text)), node.span)
        if isinstance(node, Name):
            return self.name(node, scope)
        if isinstance(node, Scripted):
            return self.scripted(node, scope)
        if isinstance(node, Enclosed):
            return self.enclosed(node, scope)
        if isinstance(node, Adjacent):
            return product(self, node, scope)
        if isinstance(node, Prefix) and node.operator in "+-":
            if isinstance(node.operand, Mark) and node.operand.kind == "infinity" and node.operator == "-":
                return scalar(NegInfinity(), node.span)
            inner = self.value(node.operand, scope)
            return inner if node.operator == "+" else elementwise(arrays.minus, inner)
        if isinstance(node, Infix):
            return infix(self, node, scope)
        if isinstance(node, Fraction) and derivatives.is_derivative(node):
            return derivatives.derivative(self, node, scope)
        if isinstance(node, Fraction):
            above = averaged(self, count_below(node), node.above, scope)
            return divide(self, above, self.value(node.below, scope), node)
        if isinstance(node, Root):
            return self.root(node, scope)
        if isinstance(node, Operator):
            return operator(self, node, scope)
        if isinstance(node, Big):
            return self.big(node, scope)
        if isinstance(node, Cases):
            return cases(self, node, scope)
        if isinstance(node, Matrix):
            return self.matrix(node, scope)
        if isinstance(node, Mark) and node.kind in ("nabla", "partial"):
            raise NotUnderstood("unknown-notation", "derivatives are not read", node.span)
        if isinstance(node, Mark) and node.kind == DIFFERENTIAL:
            raise NotUnderstood("unknown-notation", "a differential outside of a derivative is not read", node.span)
        if isinstance(node, Mark) and node.kind == "infinity":
            raise NotUnderstood("out-of-scope", "an infinite value other than a score of -\\infty", node.span)
        if isinstance(node, Mark) and node.kind in ("empty", "missing"):
            raise NotUnderstood("missing-argument", "needed an expression, found nothing", node.span)
        what = type(node).__name__.lower()
        raise NotUnderstood("unknown-notation", f"{what} is not read at this place", node.span)

    def number_of(self, node: Node, scope: Scope) -> Term:
        """The value of a scalar expression."""
        found = self.value(node, scope)
        if found.rank:
            raise NotUnderstood("shape-conflict", "a number is needed here, but this has axes", node.span)
        return found.at(())

    def name(self, node: Name, scope: Scope) -> Array:
        if node.base in ("partial", "nabla"):
            raise NotUnderstood("unknown-notation", "derivatives are not read yet", node.span)
        c = letter(node)
        if c is not None and node.font in ("", "roman"):
            variable = scope.get(c) or self.free.get(c)
            if variable is not None:
                if variable.member:
                    raise NotUnderstood("ambiguous", f"which numbers the values of {c} are is not said", node.span)
                default = self.table.names.document_base
                return Array((), lambda _: IndexValue(variable.written(default)), span=node.span)
            if c in self.table.names.imaginary:
                raise NotUnderstood("out-of-scope", "complex numbers", node.span)
        if node.base in ("0", "1") and node.font in ("bold", "blackboard"):
            return Array((self.new_dim("ones", node.span),), lambda _: number(int(node.base)), span=node.span)
        w = self.table.names.written(node)
        if w is None:
            raise NotUnderstood("unknown-notation", f"the symbol {node.base} is not known", node.span)
        return occurrence(self, w, scope)

    def lookup(self, w: Written) -> Symbol:
        found = self.overlay.get(w.stem)
        if found is None:
            found = self.table.symbol(w)
            self.used[found.stem] = found
        elif len(w.slots) > len(found.dims):
            raise NotUnderstood(
                "shape-conflict", f"{w.stem} has {len(found.dims)} axes, too few for its indices", w.span
            )
        return found

    def number(self, node: Node, scope: Scope) -> Array:
        """The value of the argument of a function of numbers."""
        outer, self.numbers_only = self.numbers_only, True
        try:
            return self.value(node, scope)
        finally:
            self.numbers_only = outer

    def entries(self, symbol: Symbol, w: Written, scope: Scope) -> Array:
        """The part of a symbol that its written indices pick out."""
        parts = self.parts(w.slots, symbol.dims, symbol.base, scope)
        shape = tuple(p.axis for p in parts if p.axis is not None)

        def at(where: At) -> Term:
            return drawn_entry(self, symbol.head, places(parts, where))

        diagonal = (
            symbol.diagonal and len(shape) == 2 and all(p.axis is d for p, d in zip(parts, symbol.dims, strict=True))
        )
        return Array(shape, at, symbol.orient if len(shape) == 1 else "plain", w.span, diagonal)

    def parts(self, slots: tuple[Slot, ...], dims: tuple[Dim, ...], base: int, scope: Scope) -> list[Part]:
        """What each slot picks out of its axis: a position, a range of positions, or all of it."""
        found = []
        for slot, dim in zip(slots, dims, strict=False):
            if slot.node is None:
                found.append(Part(Index(), dim))
                continue
            piece = self.range_on(slot.node, base, dim, scope)
            if piece is None:
                found.append(Part(self.place_on(slot.node, base, dim, scope), None))
            else:
                first, length = piece
                found.append(Part(first, self.sizes.declared(length)))
        return found + [Part(Index(), d) for d in dims[len(found) :]]

    def raised(self, base: Array, exponent: Node, scope: Scope, span: Span) -> Array:
        if isinstance(exponent, Mark):
            raise NotUnderstood("unknown-notation", f"the superscript {exponent.kind} is not read", exponent.span)
        if base.rank == 2 and not base.diagonal:
            return matrices.power(self, base, exponent, scope, span)
        power = rational(self.number_of(exponent, scope))
        if base.diagonal and base.rank == 2:

            def at(where: At) -> Term:
                return times(Bracket((equal(where[0], where[1]),)), Pow(base.at((where[0], where[0])), power))

            return Array(base.shape, at, span=span, diagonal=True)
        if base.rank > 1 or (base.rank and power not in POWERS_OF_ENTRIES):
            raise NotUnderstood("unknown-notation", "a power of an array is not read", span)
        if base.rank:
            self.readings.append(Note("power-of-entries"))
        return elementwise(lambda t: Pow(t, power), replace(base, span=span))

    def scripted(self, node: Scripted, scope: Scope) -> Array:
        if is_indicator(node):
            return indicator(self, node.sub, scope)  # type: ignore[arg-type]
        w = self.table.names.written(node)
        if w is not None:
            return occurrence(self, w, scope)
        if isinstance(node.base, Name) and node.base.base == "1" and node.base.font == "bold":
            below = None if node.sub is None else self.written_index(node.sub, {**self.free, **scope})
            if below is not None and below.free:  # \mathbf{1}_h beside x_{bh}: an entry
                return Array((), lambda _: number(1), span=node.span)
            size = self.new_dim("ones", node.span) if below is None else self.sizes.declared(below)
            ones = Array((size,), lambda _: number(1), span=node.span)
            return arrays.transpose(ones) if node.sup is not None else ones
        if (found := between_limits(self, node, scope) or at_value(self, node, scope)) is not None:
            return found
        slots, transposed, power = self.table.names.generic_slots(node)
        base_node = node.base
        if isinstance(base_node, Enclosed) and base_node.kind == "norm":
            return norm(self, base_node, power, scope, node.span, node.sub)
        if isinstance(base_node, Enclosed) and base_node.kind == "||" and base_node.content is not None and slots:
            sizes = elementwise(arrays.applied("abs"), self.value(base_node.content, scope))
            return self.with_scripts(sizes, slots, transposed, power, scope, node.span)
        if power is not None and not transposed and (inside := self._power_inside(base_node, node, power)) is not None:
            base_node, power = inside, None
        value = self.value(base_node, scope)
        if transposed and power is None and not slots and self.is_power(node.sup, value):
            transposed, power = False, node.sup
        return self.with_scripts(value, slots, transposed, power, scope, node.span)

    def is_power(self, above: Node | None, value: Array) -> bool:
        """Whether the T above a number is an exponent, in a document that has a number T: `(1 - b)^T` after T steps."""
        if value.rank or not isinstance(above, Name) or above.base != "T" or above.font or above.accents:
            return False
        return above.base in self.table.names.sizes or above.base in self.free

    def _power_inside(self, base: Node, node: Scripted, power: Node) -> Node | None:
        r"""`\log (1 - p)^{1 - y}` where the power belongs to what the logarithm is taken of."""
        if not isinstance(base, Operator) or base.name not in ("log", "ln") or base.bare or len(base.arguments) != 1:
            return None
        options = ("of the logarithm", "of what it is taken of")
        if self.choose("power", node, options, even=not isinstance(power, Literal)) == options[0]:
            return None
        argument = Enclosed(node.span, "()", base.arguments[0])
        return replace(base, arguments=(Scripted(node.span, argument, None, power),))

    def with_scripts(
        self,
        found: Array,
        slots: tuple[Slot, ...],
        transposed: bool,
        power: Node | None,
        scope: Scope,
        span: Span,
        base: int | None = None,
    ) -> Array:
        """Indices, a transpose sign or a power on something that is not a name; `base` where its indices start."""
        if slots:
            if len(slots) > found.rank:
                raise NotUnderstood("shape-conflict", f"{len(slots)} indices on an array of rank {found.rank}", span)
            parts = self.parts(slots, found.shape, self.table.names.document_base if base is None else base, scope)
            inner = found

            def at(where: At) -> Term:
                return inner.at(places(parts, where))

            shape = tuple(p.axis for p in parts if p.axis is not None)
            found = Array(shape, at, "row" if inner.rank == 2 and len(shape) == 1 else "plain", span)
        if transposed:
            found = arrays.transpose(found)
        if power is not None:
            found = self.raised(found, power, scope, span)
        return found

    def enclosed(self, node: Enclosed, scope: Scope) -> Array:
        if node.content is None:
            raise NotUnderstood("unknown-notation", "empty brackets", node.span)
        if node.kind == "norm":
            return norm(self, node, None, scope, node.span)
        if node.kind == "langle" and isinstance(node.content, Listed) and len(node.content.items) == 2:
            a, b = (self.value(n, scope) for n in node.content.items)
            return self.dot(a, b, node.span)
        if node.kind == "||":
            w = self.table.names.written(node.content)
            if w is not None and w.stem in self.table.names.sets and w.stem not in self.overlay:
                return count_members(self, w, node.span)
            inner = self.value(node.content, scope)
            if inner.rank:
                return between_bars(self, node.content, inner, node.span)
            return elementwise(arrays.applied("abs"), inner)
        if node.kind in ("()", "[]") and isinstance(node.content, Listed):
            from derivations.latex.elaborator.stacks import listed

            return listed(self, node.content.items, scope, node)
        if node.kind in ("()", "[]", "{}") and not isinstance(node.content, Chain | Listed):
            return self.value(node.content, scope)
        if node.kind in ("()", "[]") and isinstance(node.content, Chain) and node.content.first is not None:
            if all(relation == "parallel" for relation, _ in node.content.links):
                return self._one_after_the_other(node.content, scope)
        if node.kind == "[]" and isinstance(node.content, Chain):  # [j <= i] is 1 where it holds
            return indicator(self, node.content, scope)
        if node.kind in ("floor", "ceil"):
            return rounded_number(self, node, scope)
        raise NotUnderstood("unknown-notation", f"brackets {node.kind} with this content are not read", node.span)

    def _one_after_the_other(self, node: Chain, scope: Scope) -> Array:
        r"""`[a \| b]`: vectors one after the other."""
        from derivations.latex.elaborator.joined_lists import in_blocks

        values = [self.value(n, scope) for n in node.parts]
        if any(v.rank != 1 for v in values):
            raise NotUnderstood("unknown-notation", "only vectors are read one after the other", node.span)
        return replace(in_blocks(self, values, 0, node.span), orient="column")

    def root(self, node: Root, scope: Scope) -> Array:
        inner = self.value(node.radicand, scope)
        degree = Rational(2)
        if node.degree is not None:
            found = self.number_of(node.degree, scope)
            if not isinstance(found, Number) or found.value <= 0:
                raise NotUnderstood("unknown-notation", "a root of this degree is not read", node.span)
            degree = Rational(int(found.value.p), int(found.value.q))
        exponent = Number(1 / degree)
        return elementwise(lambda t: Pow(t, exponent), inner)

    def big(self, node: Big, scope: Scope) -> Array:
        if node.name == "min":
            opposite = replace(node, name="max", body=Prefix(node.body.span, "-", node.body))
            return elementwise(arrays.minus, self.big(opposite, scope))
        if node.name not in ("sum", "max") and (node.name != "prod" or node.sub is None):
            code = "out-of-scope" if node.name in OUT_OF_SCOPE else "unknown-notation"
            raise NotUnderstood(code, f"{node.name} is not read", node.span)
        if node.sub is None:
            from derivations.latex.elaborator.sums_without_index import unnamed

            return unnamed(self, node, scope)
        from derivations.latex.elaborator.ranges import over_ranges
        from derivations.latex.elaborator.sums_without_index import of_rows

        return of_rows(self, node, scope) or over_ranges(self, node, scope)

    def matrix(self, node: Matrix, scope: Scope) -> Array:
        if any(isinstance(n, Mark) for n in node.parts):
            from derivations.latex.elaborator.stacks import stack

            return stack(self, node, scope)
        from derivations.latex.elaborator.written_matrices import of_cells

        if node.kind == "Vmatrix":
            raise NotUnderstood("unknown-notation", "a norm of a matrix that is written out is not read", node.span)
        found = of_cells(self, node, scope)
        return determinant(self, found, node.span) if node.kind == "vmatrix" else found

    def call(self, w: Written, arguments: Enclosed, scope: Scope) -> Array:
        """A name followed by arguments: an instance of a definition, or a name indexed by members of families."""
        from derivations.latex.elaborator.calls import call

        return call(self, w, arguments, scope)
