"""From what an author wrote to arrays with index semantics.

One `Elaborator` reads one equation against the `Table` of its document.  Written index values keep the base of the
document (1 for `x_1, …, x_n`); positions inside start from 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction as Rational

from derivations.language.term import (
    HALF,
    MINUS_ONE,
    ONE,
    ZERO,
    Bracket,
    Entry,
    Index,
    IndexValue,
    NegInfinity,
    Number,
    Pow,
    Term,
    by_sign,
    equal,
    exp,
    number,
)
from derivations.latex.elaborator import counting, derivatives, matrices
from derivations.latex.elaborator.array_functions import count_members, largest, moment, norm, rational, square_of
from derivations.latex.elaborator.branches import cases
from derivations.latex.elaborator.conditions import indicator, is_indicator
from derivations.latex.elaborator.determinants import between_bars, determinant
from derivations.latex.elaborator.indices import Indices, Scope
from derivations.latex.elaborator.limits_put_in import at_value, between_limits
from derivations.latex.lexicon import arrays
from derivations.latex.lexicon.arrays import (
    Array,
    At,
    Dim,
    NotUnderstood,
    Part,
    elementwise,
    places,
    plus,
    quotient,
    scalar,
    times,
)
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.lexicon.unknown_functions import arguments_of
from derivations.latex.lexicon.written_names import EULER, Slot, Written
from derivations.latex.passes.differential_relations import DIFFERENTIAL
from derivations.latex.passes.means import count_below, count_of
from derivations.latex.syntax.letters import ALONE, GREEK, is_upper, letter
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
    Words,
    starts_with_digit,
    walk,
)
from derivations.notes import Note

QUOTIENT = "the whole product below"
"""How `a/b c` is read unless another reading is asked for; the other one is (a/b) c."""
POWERS_OF_ENTRIES = frozenset({number(2), number(-1), HALF, Number(Rational(-1, 2))})
"""Powers of vectors that are taken entry by entry; another one is rather the number of a layer or of a step."""
OUT_OF_SCOPE = frozenset({"lim", "argmax", "arg", "int", "bigcup", "prod"})
"""Operators of mathematics that is not read."""
ELEMENTWISE = frozenset({"exp", "log", "sin", "cos", "tanh"})


class Elaborator(Indices):
    """Reads the expressions of one equation.

    `choices` are options forced from outside by key; `axis_words` is the axis that the words around say (`row`,
    `column`).  After reading, `taken` holds the choice points met, `used` the stems used.
    """

    # --- scope ----------------------------------------------------------------------------------------------

    # --- integers -------------------------------------------------------------------------------------------

    # --- choices --------------------------------------------------------------------------------------------

    # --- expressions ----------------------------------------------------------------------------------------

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
            return self.product(node, scope)
        if isinstance(node, Prefix) and node.operator in "+-":
            if isinstance(node.operand, Mark) and node.operand.kind == "infinity" and node.operator == "-":
                return scalar(NegInfinity(), node.span)
            inner = self.value(node.operand, scope)
            return inner if node.operator == "+" else elementwise(arrays.minus, inner)
        if isinstance(node, Infix):
            return self.infix(node, scope)
        if isinstance(node, Fraction) and derivatives.is_derivative(node):
            return derivatives.derivative(self, node, scope)
        if isinstance(node, Fraction):
            above = self.averaged(count_below(node), node.above, scope)
            return self.divide(above, self.value(node.below, scope), node.span)
        if isinstance(node, Root):
            return self.root(node, scope)
        if isinstance(node, Operator):
            return self.operator(node, scope)
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
        return self.occurrence(w, scope)

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

    def occurrence(self, w: Written, scope: Scope) -> Array:
        """A name with its scripts."""
        if w.stem not in self.overlay and self.table.is_size(w):
            size = self.size(w.stem)
            self.sizes_as_numbers.add(w.stem)
            found = Array((), lambda _: IndexValue(size), span=w.span)
        elif w.stem == EULER and w.power is not None and not w.slots and self._is_exponential(w):
            exponent = self.value(w.power, scope)
            return elementwise(exp, exponent)
        elif w.stem == EULER and w.power is None and not w.slots and self._is_number_e(w):
            found = Array((), lambda _: exp(ONE), span=w.span)
        elif w.stem in ("I",) and self._identity(w):
            side = self.new_dim("identity", w.span)
            for s in w.slots:
                if s.node is not None:
                    self.sizes.unify(side, self.sizes.declared(self.written_index(s.node, {})), w.span)
            found = Array((side, side), lambda at: Bracket((equal(at[0], at[1]),)), span=w.span)
        elif w.stem == "delta" and self._kronecker(w):
            a, b = (self.written_index(s.node, {**self.free, **scope}) for s in w.slots if s.node is not None)
            same = equal(a, b)
            found = Array((), lambda _: Bracket((same,)), span=w.span)
        elif (square := square_of(self, w)) is not None:
            whole = self.entries(square, w, scope)
            found = elementwise(lambda t: Pow(t, HALF), whole)
        else:
            symbol = self.lookup(self.as_angle(w))
            if symbol.parameters is not None:
                found = self.own_instance(symbol, w, scope)
            else:
                found = self.entries(symbol, w, scope)
        if w.transposed:
            found = arrays.transpose(found)
        if w.power is not None:
            if found.rank == 2 and not found.diagonal:
                self.check_power(w, w.power)
            found = self.raised(found, w.power, scope, w.span)
        return found

    def check_power(self, w: Written, power: Node) -> None:
        """A power of a name that is one matrix: `W^l` may be the matrix of layer l, `W^2` beside `W^1` that of layer 2.

        A capital that is a factor elsewhere counts as one.  Whether it is a number after all is asked where it would matter.
        """
        known, evidence = self.table.find(w), self.table.names.evidence[w.stem]
        sure = known is not None and (known.defined or known.exact)
        letters = {c for n in walk(power) if isinstance(n, Name) and (c := letter(n)) is not None}
        if letters:
            one = sure and w.stem in self.table.names.unscripted and not letters & {"l", "ell"}
        else:
            one = sure or w.bold or evidence.transposed or evidence.slots >= 2
            one = one or w.stem in (self.table.names.factors | self.table.names.matrices) - self.table.names.numbered
        if not one:
            raise NotUnderstood("unknown-notation", f"whether {w.stem} is one matrix is not said", w.span)

    def as_angle(self, w: Written) -> Written:
        """A bare Greek letter where only a number can stand, of which the document also has indexed ones."""
        if not self.numbers_only or w.slots or w.bold or w.transposed or w.stem not in GREEK or w.stem in self.overlay:
            return w
        known = self.table.find(w)
        guessed = known is None or not (known.defined or known.exact)
        if guessed and w.stem not in self.table.declared and self.table.names.evidence[w.stem].slots:
            return replace(w, stem=w.stem + ALONE)
        return w

    def number(self, node: Node, scope: Scope) -> Array:
        """The value of the argument of a function of numbers."""
        outer, self.numbers_only = self.numbers_only, True
        try:
            return self.value(node, scope)
        finally:
            self.numbers_only = outer

    def own_instance(self, symbol: Symbol, w: Written, scope: Scope) -> Array:
        """A function that is written without its arguments once it is defined: `\\xi` for `\\xi(t, y)`."""
        from derivations.latex.elaborator.calls import instance

        values: list[Array] = []
        for p in symbol.parameters or ():
            known = self.table.find_stem(p.head)
            if known is None or known.parameters is not None:
                raise NotUnderstood("unknown-notation", f"{w.stem} is a function and needs its arguments", w.span)
            self.used[known.stem] = known
            values.append(self.whole(known, w.span))
        return instance(self, symbol, w.slots, values, scope, w.span)

    def whole(self, symbol: Symbol, span: Span) -> Array:
        """All of a symbol, without indices."""
        return Array(symbol.dims, lambda at: Entry(symbol.head, at), symbol.orient, span)

    def _is_exponential(self, w: Written) -> bool:
        """`e^x`, unless the document has a number of its own called e."""
        known = self.table.find(w)
        return known is None or bool(known.dims)

    def _is_number_e(self, w: Written) -> bool:
        """The e of `\\log_2 e`, in a document that writes powers of e and gives no other meaning to the letter."""
        free = w.stem in self.free or w.stem in self.table.declared
        return self.table.names.powers_of_e and self.table.find(w) is None and not free

    def _identity(self, w: Written) -> bool:
        known = self.table.find(w) is not None or w.stem in self.table.declared
        return not known and (len(w.slots) == 0 or self._is_length(w))

    def _is_length(self, w: Written) -> bool:
        """`I_n`: the identity with so many rows, where n is a size."""
        inner = self.table.names.written(w.slots[0].node) if len(w.slots) == 1 and w.slots[0].node is not None else None
        return inner is not None and w.slots[0].style == "d" and self.table.is_size(inner)

    def _kronecker(self, w: Written) -> bool:
        """`\\delta_{ij}`, unless the document has a matrix of its own called delta."""
        if len(w.slots) != 2 or any(s.node is None for s in w.slots):
            return False
        known, declared = self.table.find(w), self.table.declared.get(w.stem)
        return (known is None or (known.exact and len(known.dims) < 2)) and (declared is None or len(declared.dims) < 2)

    def entries(self, symbol: Symbol, w: Written, scope: Scope) -> Array:
        """The part of a symbol that its written indices pick out."""
        parts = self.parts(w.slots, symbol.dims, symbol.base, scope)
        shape = tuple(p.axis for p in parts if p.axis is not None)

        def at(where: At) -> Term:
            return Entry(symbol.head, places(parts, where))

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
            return self.occurrence(w, scope)
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
        return self.with_scripts(self.value(base_node, scope), slots, transposed, power, scope, node.span)

    def with_scripts(
        self, found: Array, slots: tuple[Slot, ...], transposed: bool, power: Node | None, scope: Scope, span: Span
    ) -> Array:
        """Indices, a transpose sign or a power on something that is not a name."""
        if slots:
            if len(slots) > found.rank:
                raise NotUnderstood("shape-conflict", f"{len(slots)} indices on an array of rank {found.rank}", span)
            parts = self.parts(slots, found.shape, self.table.names.document_base, scope)
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
        raise NotUnderstood("unknown-notation", f"brackets {node.kind} with this content are not read", node.span)

    def _one_after_the_other(self, node: Chain, scope: Scope) -> Array:
        r"""`[a \| b]`: vectors one after the other."""
        from derivations.latex.elaborator.joined_lists import in_blocks

        values = [self.value(n, scope) for n in node.parts]
        if any(v.rank != 1 for v in values):
            raise NotUnderstood("unknown-notation", "only vectors are read one after the other", node.span)
        return replace(in_blocks(self, values, 0, node.span), orient="column")

    # --- products -------------------------------------------------------------------------------------------

    def product(self, node: Adjacent, scope: Scope) -> Array:
        factors: list[Array] = []
        items = list(node.items)
        head: Node | None = None
        while items:
            before, head = head, items.pop(0)
            if isinstance(before, Literal) and starts_with_digit(head):
                raise NotUnderstood("unknown-notation", "two numbers beside each other are no product", head.span)
            if items and (angle := self.angle(head, items[0])) is not None:
                items.pop(0)
                head = angle
            after = items[0] if items else None
            if derivatives.is_operator(head) and isinstance(head, Fraction) and items:
                body = items[0] if len(items) == 1 else Adjacent(node.span, tuple(items))
                factors.append(derivatives.derivative(self, head, scope, body))
                break
            if derivatives.is_gradient(head) and items:
                factors.append(derivatives.gradient(self, head, items, scope))
                continue
            if after is not None and (bracket := self.indicator(head, after, scope)) is not None:
                items.pop(0)
                factors.append(bracket)
                continue
            w = self.table.names.written(head)
            inner = after.base if isinstance(after, Scripted) else after
            if w is not None and isinstance(inner, Enclosed) and inner.kind == "()" and self.is_function(w, inner):
                items.pop(0)
                found = self.call(w, inner, scope)
                if isinstance(after, Scripted):
                    slots, transposed, power = self.table.names.generic_slots(after)
                    found = self.with_scripts(found, slots, transposed, power, scope, after.span)
                factors.append(found)
                continue
            if w is not None and isinstance(inner, Enclosed) and inner.kind == "()":
                self.no_argument(w, inner, scope)
            count = count_of(before, head)
            factors.append(self.factor(head, scope) if count is None else self.averaged(count, head, scope))
        return self.multiply(factors, node)

    def no_argument(self, w: Written, inner: Enclosed, scope: Scope) -> None:
        """What stands before a bound letter or a number in parentheses, `p(x)`, may be applied to it, as may an entry before
        what it is computed from: `p_i(2z)` for a p that depends on z."""
        symbol = self.table.find(w)
        number = inner.content.parts if isinstance(inner.content, Fraction) else (inner.content,)
        if letter(inner.content) in scope or all(isinstance(n, Literal) for n in number):  # Y_i(0), p(1/2)
            raise NotUnderstood("ambiguous", f"whether {w.stem} is applied to this or multiplied by it", inner.span)
        if symbol is None or not symbol.defined or not w.slots or inner.content is None:
            return
        names = [n for n in uses(self.table.names, inner.content) if n.stem not in self.free]
        whole = [n for n in names if not n.slots and n.stem in symbol.speaks_of and self.lookup(n).dims]
        if whole and all(n.stem in symbol.speaks_of or self.table.is_size(n) for n in names):
            needed = f"whether {w.stem} is applied to {whole[0].stem} or multiplied by it is not said"
            raise NotUnderstood("ambiguous", needed, inner.span)

    def averaged(self, count: Node | None, node: Node, scope: Scope) -> Array:
        """A sum of which a quotient says how many terms it has, where nothing else says so."""
        w = self.table.names.written(count) if count is not None else None
        if w is not None and self.table.is_size(w):
            self.mean = node, self.sizes.declared(self.size(w.stem))
        return self.value(node, scope)

    def factor(self, node: Node, scope: Scope) -> Array:
        """A factor of a product of several: there `[H_1, …, H_r]` is a block matrix, on its own a stack."""
        found = self.value(node, scope)
        row = node.rows[0] if isinstance(node, Matrix) and len(node.rows) == 1 else ()
        if isinstance(node, Enclosed) and node.kind == "[]" and isinstance(node.content, Listed):
            row = node.content.items
        if found.rank == 3 and any(isinstance(n, Mark) for n in row):
            from derivations.latex.elaborator.joined_lists import along_last

            return along_last(self, found, node.span)
        return found

    def angle(self, head: Node, after: Node) -> Node | None:
        r"""`\cos (m - n) \theta` is the cosine of an angle: positions in the parentheses, and a Greek letter after them."""
        base = after.base if isinstance(after, Scripted) else after
        if not (isinstance(head, Operator) and head.name in ("sin", "cos") and len(head.arguments) == 1):
            return None
        if head.bare or not isinstance(base, Name) or base.base not in GREEK:
            return None
        (inner,) = head.arguments
        letters = [n for n in walk(inner) if not n.parts]
        if not isinstance(inner, Infix) or inner.operator not in ("+", "-"):
            return None
        if not all(isinstance(n, Literal) or ((c := letter(n)) is not None and c not in GREEK) for n in letters):
            return None
        if self.choose("angle", head, ("the whole angle", "the parentheses alone")) != "the whole angle":
            return None
        whole = Adjacent((inner.span[0], after.span[1]), (Enclosed(inner.span, "()", inner), after))
        return replace(head, span=(head.span[0], after.span[1]), arguments=(whole,))

    def indicator(self, head: Node, after: Node, scope: Scope) -> Array | None:
        """`\\mathbb{I}(j \\le i)`, `\\mathbf{1}[j \\le i]`."""
        if not isinstance(head, Name) or head.base not in ("I", "1") or not isinstance(after, Enclosed):
            return None
        if not isinstance(after.content, Chain):
            return None
        return indicator(self, after.content, scope)

    def is_function(self, w: Written, arguments: Enclosed) -> bool:
        content = arguments.content
        nodes, signs = arguments_of(arguments)
        if signs and self.table.names.overloaded(w.stem, len(nodes), signs) in self.table.names.functions:
            return True
        symbol = self.overlay.get(w.stem) or self.table.function(w, nodes)
        names = self.table.names
        member = bool(w.slots) and w.stem in names.members_applied and w.stem not in self.table.declared
        if symbol is not None:
            called = symbol.parameters is not None or symbol.call is not None
            return called or (member and not symbol.defined and w.stem not in self.overlay)
        if w.stem in names.functions | names.maps | names.said_functions or isinstance(content, Listed):
            return True
        if w.slots and isinstance(content, Infix) and content.operator in ("+", "-"):
            return False  # a_i (v_i - c)
        declared = w.stem in self.table.declared or w.stem in self.table.rows or self.table.is_size(w)
        if declared or w.stem in self.free or (is_upper(w.stem) and "_" in w.stem):
            return False
        if letter(content) in names.index_letters:
            return True  # p(i): nobody puts an index alone in parentheses to multiply by it
        return not names.evidence[w.stem].alone or (member if w.slots else w.stem in names.applied)

    def multiply(self, factors: list[Array], node: Node) -> Array:
        """A product of things written side by side, from the left."""
        result = factors[0]
        for k, nxt in enumerate(factors[1:], start=2):
            result = self.pair(result, nxt, node, last=k == len(factors))
        return result

    def pair(self, a: Array, b: Array, node: Node, *, last: bool = True, dotted: bool = False) -> Array:
        span = node.span
        if a.rank == 0 and b.rank == 0:
            return Array((), lambda _: times(a.at(()), b.at(())), span=span)
        if a.rank == 0:
            return self.scale(a, b, span)
        if b.rank == 0:
            return self.scale(b, a, span)
        if a.rank == 1 and b.rank == 1:
            return self.vectors(a, b, node, last=last, dotted=dotted)
        from derivations.latex.elaborator.written_matrices import with_one_row

        if {a.rank, b.rank} == {1, 2} and (made := with_one_row(self, a, b, span)) is not None:
            return made
        if a.rank == 1 and a.orient == "column" and b.rank == 2:
            raise NotUnderstood("shape-conflict", "a column times a matrix", span)
        if b.rank == 1 and b.lying and a.rank == 2 and b.orient == "row":
            raise NotUnderstood("shape-conflict", "a matrix times a row", span)
        return self.contract(a, b, span)

    def vectors(self, a: Array, b: Array, node: Node, *, last: bool, dotted: bool) -> Array:
        span = node.span
        if dotted:
            return self.dot(a, b, span)
        if a.lying and not b.lying:
            if _is_product_of_lists(node) and self.choose("list", node, ("columns", "rows"), even=True) == "rows":
                raise NotUnderstood("ambiguous", "a column times a row, where lists are rows", span)
            return self.dot(a, b, span)
        if a.orient == "row" and b.orient == "transposed":  # rows are declared: the transposed one stands upright
            return self.dot(a, b, span)
        if a.orient == "column" and b.lying:
            return self.outer(a, b, span)
        if a.orient == "plain" and b.orient in ("transposed", "column"):
            if self.expected is not None and last:
                settled = "dot" if self.expected == 0 else "outer" if self.expected == 2 else None
            else:
                settled = None
            rows = self.table.rows_are_vectors or self.entries_of_matrix
            options = ("dot", "outer") if rows or b.orient == "column" else ("outer", "dot")
            lengths = [self.sizes.index(d) for d in (a.shape[0], b.shape[0]) if self.sizes.is_known(d)]
            if len(lengths) == 2 and lengths[0] is not lengths[1] and all(n.plain for n in lengths):
                settled = settled or "outer"
            if self.table.tokens_stated:
                settled = settled or options[0]
            taken = self.choose("vectors", node, options, settled)
            return self.dot(a, b, span) if taken == "dot" else self.outer(a, b, span)
        raise NotUnderstood("ambiguous", "a product of two vectors that is neither a dot nor an outer product", span)

    def infix(self, node: Infix, scope: Scope) -> Array:
        op = node.operator
        if op in self.table.entrywise and op not in ("+", "-", "/"):
            node, op = replace(node, operator="odot"), "odot"
        if op in ("+", "-"):
            parts = [(sign, self.value(n, scope)) for sign, n in _summands(node)]
            if {p.rank for _, p in parts} == {0, 2}:
                parts = [
                    (sign, p if p.rank else self.beside_matrix(n, p, scope))
                    for (sign, p), (_, n) in zip(parts, _summands(node), strict=True)
                ]
            if {p.rank for _, p in parts} == {1, 2}:
                whole = next(p for _, p in parts if p.rank == 2)
                parts = [(sign, p if p.rank == 2 else self.along(p, whole, node)) for sign, p in parts]
            signed = [elementwise(arrays.minus, p) if sign else p for sign, p in parts]
            mixed = len({p.rank for p in signed}) > 1
            if mixed:
                self.readings.append(Note("number-to-entries"))
            return self.broadcast(signed, lambda terms: plus(*terms), node.span, scalars=True)
        if op in ("cdot", "times", "ast", "@"):
            a, b = self.value(node.left, scope), self.value(node.right, scope)
            if op == "ast" and a.rank == b.rank == 1 and a.lying == b.lying:
                self.readings.append(Note("star-of-entries"))
                return self.broadcast([a, b], lambda t: times(*t), node.span, scalars=False)
            if op == "cdot" and a.rank == b.rank == 0 and self.may_be_vectors(node.left, node.right):
                if self.choose("dot", node, ("of numbers", "of vectors"), even=True) == "of vectors":
                    raise NotUnderstood("ambiguous", "nothing says that these are vectors", node.span)
            return self.pair(a, b, node, dotted=op == "cdot" and a.rank == b.rank == 1)
        if op == "/":
            below = node.right
            if isinstance(below, Adjacent) and _is_product(below):
                if self.choose("quotient", node, (QUOTIENT, "its first factor below")) != QUOTIENT:
                    first = Infix((node.span[0], below.items[0].span[1]), "/", node.left, below.items[0])
                    return self.value(Adjacent(node.span, (Enclosed(first.span, "()", first), *below.items[1:])), scope)
            above = self.averaged(count_below(node), node.left, scope)
            return self.divide(above, self.value(below, scope), node.span)
        if op == "odot":
            a, b = self.value(node.left, scope), self.value(node.right, scope)
            return self.broadcast([a, b], lambda t: times(*t), node.span, scalars=False)
        if op == "otimes":
            a, b = self.value(node.left, scope), self.value(node.right, scope)
            if a.rank == b.rank == 1:
                self.readings.append(Note("outer-product"))
                return self.outer(a, b, node.span)
        raise NotUnderstood("unknown-notation", f"the operator {op} is not read", node.span)

    def may_be_vectors(self, left: Node, right: Node) -> bool:
        r"""Whether nothing tells if names are numbers or vectors: one of them stands in dots alone, `q_i \cdot k_j`."""
        one = left.items[-1] if isinstance(left, Adjacent) else left
        other = right.items[0] if isinstance(right, Adjacent) else right
        return any(map(self._is_untold, (one, other)))

    def _is_untold(self, node: Node) -> bool:
        w = self.table.names.written(node)
        symbol = None if w is None else self.table.find(w)
        told = symbol is None or symbol.defined or symbol.stem in self.table.declared
        return not told and w is not None and w.stem in self.table.names.in_dots_alone

    def along(self, vector: Array, matrix: Array, node: Infix) -> Array:
        """A vector that is added to a matrix: `x W + b`, the same in every row; in every column where the lengths say so."""
        length, rows, columns = (self.sizes.index(s) for s in (vector.shape[0], *matrix.shape))
        settled = None
        if rows is not columns and length in (rows, columns):
            settled = "row" if length is columns else "column"
        if vector.across:
            settled = "column"
        which = self.choose("added vector", node, ("row", "column"), settled)
        self.readings.append(Note("vector-to-lines", (which,)))
        own = -1 if which == "row" else 0
        self.sizes.unify(vector.shape[0], matrix.shape[own], node.span)
        return Array(matrix.shape, lambda at: vector.at((at[own],)), matrix.orient, vector.span)

    def beside_matrix(self, node: Node, found: Array, scope: Scope) -> Array:
        r"""`p p^\top` in `\mathrm{diag}(p) - p p^\top`: a matrix too, where it can be one."""
        outer, self.expected = self.expected, 2
        taken = len(self.taken)
        try:
            again = self.value(node, scope)
        except NotUnderstood:
            again = found
        finally:
            self.expected = outer
        if again.rank != 2:
            del self.taken[taken:]
            return found
        places = {c.key for c in self.taken[taken:]}
        self.taken = [c for k, c in enumerate(self.taken) if k >= taken or c.key not in places]
        return again

    def divide(self, a: Array, b: Array, span: Span) -> Array:
        if b.rank == a.rank == 1:
            self.readings.append(Note("quotient-of-entries"))
            return self.broadcast([a, b], lambda t: quotient(*t), span, scalars=False)
        if b.rank:
            raise NotUnderstood("unknown-notation", "a division by an array is not read", span)
        return Array(a.shape, lambda at: quotient(a.at(at), b.at(())), a.orient, span)

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

    # --- operators ------------------------------------------------------------------------------------------

    def operator(self, node: Operator, scope: Scope) -> Array:
        if node.name in OUT_OF_SCOPE:
            raise NotUnderstood("out-of-scope", f"{node.name} is outside of what is read", node.span)
        if not node.arguments:
            raise NotUnderstood("missing-argument", f"{node.name} is given no argument", node.span)
        if node.name == "softmax":
            from derivations.latex.elaborator.softmax import softmax

            return softmax(self, node, scope)
        if node.name == "Concat":
            from derivations.latex.elaborator.stacks import concatenated

            return concatenated(self, node, scope)
        if node.name in ("E", "Var", "Cov"):
            return moment(self, node, scope)
        if node.name in ("max", "min") and node.sub is None and node.sup is None:
            return largest(self, node, scope)
        if node.name in counting.OPERATORS:
            return counting.count(self, node, scope)
        if len(node.arguments) != 1:
            raise NotUnderstood("unknown-notation", f"{node.name} with {len(node.arguments)} arguments", node.span)
        if node.name in ELEMENTWISE and node.sub is None:
            inner = (self.number if node.name in ("sin", "cos") else self.value)(node.arguments[0], scope)
            found = elementwise(arrays.applied(node.name), inner)
            if node.sup is not None and found.rank:
                raise NotUnderstood("unknown-notation", "a power of an array is not read", node.span)
            return found if node.sup is None else self.raised(found, node.sup, scope, node.span)
        if node.name == "log" and isinstance(node.sub, Literal) and node.sub.text.isdigit() and int(node.sub.text) > 1:
            base = arrays.applied("log")(number(int(node.sub.text)))
            return elementwise(lambda t: quotient(t, base), self.operator(replace(node, sub=None), scope))
        if node.name == "relu" and node.sub is None and node.sup is None:
            zero = Literal(node.span, "0")
            return largest(self, replace(node, name="max", arguments=(zero, *node.arguments)), scope)
        if node.name == "sign" and node.sub is None and node.sup is None:
            return elementwise(lambda t: by_sign(t, ONE, ZERO, MINUS_ONE), self.value(node.arguments[0], scope))
        if node.name == "sigmoid" and node.sub is None and node.sup is None:
            return elementwise(_logistic, self.value(node.arguments[0], scope))
        if node.name == "tr":
            inner = self.value(node.arguments[0], scope)
            if inner.rank != 2:
                raise NotUnderstood("shape-conflict", "a trace needs a matrix", node.span)
            self.sizes.unify(inner.shape[0], inner.shape[1], node.span)
            return Array((), lambda _: self.sum_axis(inner.shape[0], "r", lambda r: inner.at((r, r))), span=node.span)
        if node.name == "det" and node.sub is None:
            found = determinant(self, self.value(node.arguments[0], scope), node.span)
            return found if node.sup is None else self.raised(found, node.sup, scope, node.span)
        if node.name == "rowsum" and node.sub is None and node.sup is None:
            inner = self.value(node.arguments[0], scope)
            if inner.rank != 2:
                raise NotUnderstood("shape-conflict", "sums of rows need a matrix", node.span)
            tall, wide = inner.shape
            return Array(
                (tall,),
                lambda at: self.sum_axis(wide, "c", lambda c: inner.at((at[0], c))),
                "column",
                node.span,
                across=True,
            )
        if node.name == "diag":
            inner = self.value(node.arguments[0], scope)
            if inner.rank != 1:
                raise NotUnderstood("unknown-notation", "diag of a matrix is not read", node.span)
            shape = (inner.shape[0], inner.shape[0])
            found = Array(shape, lambda at: times(Bracket((equal(at[0], at[1]),)), inner.at((at[0],))), span=node.span)
            return replace(found, diagonal=True)
        raise NotUnderstood("unknown-notation", f"the operator {node.name} is not read", node.span)

    def big(self, node: Big, scope: Scope) -> Array:
        if node.name == "min":
            opposite = replace(node, name="max", body=Prefix(node.body.span, "-", node.body))
            return elementwise(arrays.minus, self.big(opposite, scope))
        if node.name not in ("sum", "max"):
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

    # --- calls ----------------------------------------------------------------------------------------------

    def call(self, w: Written, arguments: Enclosed, scope: Scope) -> Array:
        """A name followed by arguments: an instance of a definition, or a name indexed by members of families."""
        from derivations.latex.elaborator.calls import call

        return call(self, w, arguments, scope)


def _logistic(t: Term) -> Term:
    return Pow(plus(number(1), exp(arrays.minus(t))), -1)


def _is_product(node: Adjacent) -> bool:
    """Several factors, and no call `f(x)`."""
    first, second = node.items[0], node.items[1]
    call = isinstance(second, Enclosed) and not isinstance(first, Literal)
    return not call and not any(isinstance(n, Words | Mark) for n in node.items)


def _summands(node: Node, minus: bool = False) -> Iterator[tuple[bool, Node]]:
    if isinstance(node, Infix) and node.operator in ("+", "-"):
        yield from _summands(node.left, minus)
        yield from _summands(node.right, minus != (node.operator == "-"))
        return
    yield minus, node


def _is_product_of_lists(node: Node) -> bool:
    r"""`[1, 0, 1]^\top [1, 2, 3]`: nothing says whether lists are rows or columns."""
    if not isinstance(node, Adjacent):
        return False
    factors = [n.base if isinstance(n, Scripted) else n for n in node.items]
    return all(isinstance(n, Enclosed) and n.kind == "[]" and isinstance(n.content, Listed) for n in factors)
