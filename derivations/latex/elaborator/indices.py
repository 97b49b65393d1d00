"""Index variables, index expressions and conditions of one equation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from derivations.language.substitution import substitute
from derivations.language.term import (
    Constraint,
    Guard,
    Index,
    IndexValue,
    Term,
    at_least,
    equal,
    guard_substitute,
    label,
    less,
    quotient,
    remainder,
)
from derivations.latex.elaborator.rounded_quotients import counts_places, rounded
from derivations.latex.lexicon.arrays import Arithmetic, Dim, ListShape, NotUnderstood
from derivations.latex.lexicon.symbol_table import Labels, Symbol, Table
from derivations.latex.syntax.letters import letter, unworded
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Label,
    Listed,
    Literal,
    Mark,
    Name,
    Node,
    Prefix,
    Scripted,
    Span,
    Words,
    walk,
)
from derivations.notes import Note


@dataclass(slots=True, eq=False)
class Variable:
    """An index variable in scope: its name inside, the number its written values start from, the axis it runs over."""

    name: str
    base: int | None
    dim: Dim
    explicit: bool = False
    bound: bool = False
    natural: bool = False
    """It stands in exponents only: a natural number that no axis bounds."""
    member: bool = False
    """It runs over a set that has a name: its places count the members, but are not what these are."""

    def written(self, default: int) -> Index:
        return Index.var(self.name) + (default if self.base is None else self.base)


Scope = Mapping[str, Variable]


@dataclass(slots=True)
class Choice:
    """A point where the document leaves several readings open; `settled` when the text decides it.

    The first option is the usual one, unless the text makes them `even`: then nothing is proved under one of them.
    """

    key: tuple[object, ...]
    options: tuple[str, ...]
    taken: str
    settled: bool
    even: bool = False


def ranges_of(sub: Node | None) -> tuple[Node, ...]:
    """What stands below a sum, one range or condition each: `i,j=1` is `i=1` and `j=1`, `i,j,i<j` ends with a condition."""
    found: list[Node] = []
    for part in sub.items if isinstance(sub, Listed) else () if sub is None else (sub,):
        if not (isinstance(part, Chain) and isinstance(part.first, Listed) and len(part.links) == 1):
            found.append(part)
            continue
        *earlier, last = part.first.items
        if part.links[0][0] in ("=", "in"):
            found += [replace(part, first=c, span=c.span) for c in part.first.items]
        elif letter(last) in [letter(c) for c in earlier]:
            found += [*earlier, replace(part, first=last)]
        else:
            found.append(part)
    return tuple(found)


class Indices(Arithmetic):
    """Scope, integers and choice points of one equation."""

    def __init__(
        self,
        table: Table,
        span_key: object = 0,
        forced: Mapping[tuple[object, ...], str] | None = None,
        axis_words: str | None = None,
    ) -> None:
        Arithmetic.__init__(self, table.sizes)
        self.table, self.span_key, self.forced, self.axis_words = table, span_key, forced or {}, axis_words
        self.declared_axis: str | None = None
        """The axis of the softmax of a matrix, `row` or `column`, where the author declares it."""
        self.declared_letter: str | None = None
        """The index of the softmax of an entry, where the author declares it."""
        self.free: dict[str, Variable] = {}
        self.taken: list[Choice] = []
        self.used: dict[str, Symbol] = {}
        self.overlay: dict[str, Symbol] = {}
        self.affine: list[tuple[Index, Dim]] = []
        self.supposed: list[Constraint] = []
        """Ranges that begin at a letter have an end that is not before them: i <= t, of a sum from i + 1 to t."""
        self.has_numbered_place = False
        """Whether a number stands in a subscript: the first of an axis, or the second."""
        self.numbers_from_other_base = False
        self.direct: set[str] = set()
        self.sizes_used: set[str] = set()
        self.sizes_as_numbers: set[str] = set()
        """Sizes that occur as numbers, as in a scale, not only as lengths."""
        self.readings: list[Note] = []
        self.side: list[Constraint] = []
        """What the notation supposes of sizes: that d is even where a list ends at d/2."""
        self.label_ranges: dict[str, Dim] = {}
        """The axes that labels lie on, by what stands for their lengths until these are known."""
        self.conditions: tuple[Constraint, ...] = ()
        """What the equation says of its indices: `for all j \\le i`."""
        self.stated: tuple[Span, tuple[Dim, ...]] | None = None
        """The shape that is declared for the value of the function that stands at this place."""
        self.list_shape: ListShape | None = None
        """The shape that is stated for the list which stands at a place."""
        self.list_words: str | None = None
        self.from_zero: frozenset[str] = frozenset()
        """Letters that count from 0 here, as the i of `a_{2i}` and `a_{2i+1}` does."""
        self.ranges: dict[str, tuple[int, Dim]] | None = None
        """The ranges of letters that hold here; None: all that are stated."""
        """What the words around say that the members of a list are: `rows`, `columns`, or `one after the other`."""
        self.expected: int | None = None
        self.entries_of_matrix = False
        """The left side is an entry `S_{ij}`: a product of two rows is rather their dot product."""
        self.numbers_only = False
        """What is read now is the argument of a function of numbers, such as the sine."""
        self.outside: frozenset[str] = frozenset()
        """The index letters that the whole equation has outside of sums that do not name their index."""
        self.outside_sums: frozenset[str] = frozenset()
        """The letters that the whole equation has outside of sums over ranges that speak of them."""
        self.differentiated: tuple[Fraction, ...] = ()
        """The derivatives that the whole equation writes."""
        self.names_derivative = False
        """The equation gives a derivative a name: `G = \\frac{\\partial L}{\\partial O}`."""
        self.mean: tuple[Node, Dim] | None = None
        """A sum, and how many terms it has, as the quotient says that it is a mean."""
        self.gradients_are_given = False
        """A gradient of a loss is a given tensor where nothing says how the loss depends on the variable."""
        self.length_of_laws: str | None = None
        """The length that the whole equation writes beside normal laws."""
        self.stems: frozenset[str] = frozenset()
        """The names that the whole equation uses, where it writes a derivative."""

    def new_dim(self, *what: object) -> Dim:
        """An unknown size that is the same one when the equation is read again."""
        return self.table.memo.setdefault((self.span_key, *what), Dim("n"))

    def size(self, stem: str) -> Index:
        """A size of the document that this equation speaks of."""
        self.sizes_used.add(stem)
        return self.table.size(stem)

    def free_variable(self, name: str) -> Variable:
        found = self.free.get(name)
        if found is None and name in self.table.names.random:
            raise NotUnderstood("unknown-notation", f"the random quantity {name} as an index")
        if found is None:
            ranges = self.table.ranges if self.ranges is None else self.ranges
            base, dim = ranges.get(name, (0 if name in self.from_zero else None, self.new_dim("free", name)))
            found = self.free[name] = Variable(self.fresh(name), base, dim)
            if name in ranges:
                self.direct.add(found.name)
        return found

    def declare_free(self, node: Node, bound: frozenset[str] = frozenset()) -> None:
        """Make variables of all letters that occur in index slots and that nothing binds."""
        if isinstance(node, Big):
            own = frozenset(self.bound_letters(node.sub))
            known = self.table.names.index_letters - self.table.names.sizes - bound
            for limit, inside in ((node.sup, bound), (node.sub, bound | own)):
                if limit is not None:
                    self.declare_free(limit, inside)
                    letters = {c for m in walk(limit) if (c := letter(m)) is not None}
                    for c in sorted(known & letters - inside):
                        self.free_variable(c)  # \sum_{s=t}^{T-1}, where t is an index elsewhere
            self.declare_free(node.body, bound | own)
            return
        if isinstance(node, Label):
            for c in (c for m in walk(node) if (c := letter(m)) is not None):
                if c not in bound and c not in self.table.names.sizes:
                    self.free_variable(c)
            return
        if isinstance(node, Scripted) or (isinstance(node, Name) and self.table.names.fixed):
            w = self.table.names.written(node)
            if w is None and isinstance(node, Name):
                return
            slots = w.slots if w is not None else self.table.names.generic_slots(node)[0]  # type: ignore[arg-type]
            for s in slots:
                if s.node is None:
                    continue
                for m in walk(s.node):
                    c = letter(m)
                    if c is not None and c not in bound and c not in self.table.names.sizes:
                        self.free_variable(c)
        for c in self._compared_indices(node):
            if c not in bound:
                self.free_variable(c)
        for part in self._arguments_of_maps(node):
            self.declare_letters(part, bound)
        for part in node.parts:
            self.declare_free(part, bound)

    def count_as_used(self, *sides: Node) -> None:
        """Count the free letters of a statement from where the first name counts that has them as its index, also where a
        bound or a sum of letters stands before it."""
        for n in (n for side in sides for n in walk(side) if isinstance(n, Scripted)):
            w = self.table.names.written(n)
            for slot in w.slots if w is not None else ():
                variable = self.free.get(letter(slot.node) or "")
                if w is not None and variable is not None and variable.base is None:
                    symbol = self.table.symbols.get(w.stem)
                    variable.base = self.table.names.base(w.stem) if symbol is None else symbol.base

    def _compared_indices(self, node: Node) -> Iterator[str]:
        """The letters of an indicator that compares indices: the k and the y of `[k = y]`, where `p_k` and `p_y` occur."""
        if not isinstance(node, Enclosed) or node.kind != "[]" or not isinstance(node.content, Chain):
            return
        sides = [letter(n) for n in (node.content.first, *(n for _, n in node.content.links)) if n is not None]
        if len(sides) > 1 and all(c in self.table.names.index_letters - self.table.names.sizes for c in sides):
            yield from (c for c in sides if c is not None)

    def _arguments_of_maps(self, node: Node) -> Iterator[Node]:
        """What the functions of indices of a product are applied to, `i + w` in `g(i + w)`."""
        for name, after in pairwise(node.items) if isinstance(node, Adjacent) else ():
            w = self.table.names.written(name) if isinstance(name, Name) else None
            if w is not None and w.stem in self.table.names.index_maps and isinstance(after, Enclosed):
                known = self.table.find(w)
                if known is not None and known.defined and known.call is not None:
                    yield after

    def declare_letters(self, node: Node, bound: frozenset[str] = frozenset()) -> None:
        """Make variables of all letters of an index expression or a condition, sizes and bound ones apart."""
        for m in walk(node):
            c = letter(m)
            if c is not None and c not in self.table.names.sizes and c not in bound:
                self.free_variable(c)

    @staticmethod
    def bound_letters(sub: Node | None) -> Iterator[str]:
        for part in ranges_of(sub):
            if isinstance(part, Chain):
                found = letter(part.first)
                between = letter(part.links[0][1]) if part.links else None
                if between is not None and (found is None or len(part.links) > 1):
                    found = between  # 1 <= j <= n, m < j <= n
                if found is not None:
                    yield found
            elif (found := letter(part)) is not None:
                yield found

    def written_index(self, node: Node, scope: Scope) -> Index:
        """The written value of an index expression; `NotUnderstood` when it is not affine in letters and sizes."""
        if isinstance(node, Label):
            return self.label_index(node, scope)
        c = letter(node)
        if c is not None and c in scope:
            return scope[c].written(self.table.names.document_base)
        if isinstance(node, Literal) and node.text.isdigit():
            return Index((), int(node.text))
        if isinstance(node, Name | Scripted):
            w = self.table.names.written(node)
            if w is not None and not w.slots and not w.transposed and w.power is None:
                if c is not None and c in self.free:
                    return self.free[c].written(self.table.names.document_base)
                if self.table.is_size(w) or w.stem in self.table.names.sizes:
                    return self.size(w.stem)
        if isinstance(node, Prefix) and node.operator in "+-":
            inner = self.written_index(node.operand, scope)
            return -inner if node.operator == "-" else inner
        if isinstance(node, Infix) and node.operator in ("+", "-"):
            left, right = self.written_index(node.left, scope), self.written_index(node.right, scope)
            return left + right if node.operator == "+" else left - right
        if isinstance(node, Enclosed) and node.kind == "()" and node.content is not None:
            return self.written_index(node.content, scope)
        if isinstance(node, Infix) and node.operator == "mod":
            divisor = self.written_index(node.right, scope)
            if counts_places(divisor):
                return remainder(self.written_index(node.left, scope), divisor)
        if isinstance(node, Enclosed) and node.kind in ("floor", "ceil"):
            return rounded(self, node, scope)
        halved = self.part_of_size(node)
        if halved is not None:
            return halved
        parts = node.items if isinstance(node, Adjacent) else ()
        if isinstance(node, Infix) and node.operator in ("cdot", "times", "ast"):
            parts = (node.left, node.right)
        if len(parts) == 2:
            left, right = self.written_index(parts[0], scope), self.written_index(parts[1], scope)
            if left.is_constant:
                return left.const * right
            if right.is_constant:
                return right.const * left
            if not (left.free and right.free):  # the length of a flattened axis, the place h w of a block of width w
                return left * right
        raise NotUnderstood("unknown-notation", "this index is not a letter, a number or a sum of them", node.span)

    def label_stem(self, node: Label) -> str:
        """The name of the family that a label belongs to."""
        w = self.table.names.written(node.name)
        return node.name.base if w is None else w.stem

    def label_index(self, node: Label, scope: Scope) -> Index:
        """The written value of a label, whose range is put in by `with_ranges` once the lengths of axes are known."""
        if (law := self.law_of_label(node, scope)) is not None:
            return law
        stem = self.label_stem(node)
        family = self.table.labels.get(stem)
        if family is None:
            family = self.table.labels[stem] = Labels(tuple(Dim("n") for _ in node.places), Dim("K"))
        if len(family.places) != len(node.places):
            raise NotUnderstood("shape-conflict", f"{stem} has {len(family.places)} indices elsewhere", node.span)
        if (own := self._function_of(node)) is not None:
            for one, other in zip(family.places, own.dims, strict=True):
                self.sizes.soft(one, other)
        start = self.table.names.document_base
        at = [self.place_on(p, start, d, scope) for p, d in zip(node.places, family.places, strict=True)]
        length = f"range of {stem}"
        self.label_ranges[length] = family.values
        return label(stem, at, Index.size(length)) + (start if family.base is None else family.base)

    def _function_of(self, node: Label) -> Symbol | None:
        """The function of indices that an equation defines and that a label is a value of."""
        symbol = self.table.find_stem(self.label_stem(node)) if node.is_call else None
        if symbol is None or not symbol.defined or symbol.call is None or len(symbol.dims) != len(node.places):
            return None
        return symbol

    def law_of_label(self, node: Label, scope: Scope) -> Index | None:
        """The written value of a function of indices as its definition gives it: `floor(h / r)` of `g(h)`."""
        symbol = self._function_of(node)
        rows = self.table.theory.definitions.get(symbol.head, ()) if symbol is not None else ()
        if symbol is None or len(rows) != 1 or rows[0].condition:
            return None
        letters, body = rows[0].variables, rows[0].body
        if not isinstance(body, IndexValue) or rows[0].indices != tuple(map(Index.var, letters)):
            return None
        at = [self.place_on(p, symbol.base, self.new_dim("place", p.span), scope) for p in node.places]
        self.used[symbol.stem] = symbol
        return body.index.substitute(dict(zip(letters, at, strict=True)))

    def with_ranges(self, t: Term) -> Term:
        """The term with the lengths of the axes on which labels lie."""
        return substitute(t, sizes=self._lengths()) if self.label_ranges else t

    def guard_with_ranges(self, conditions: Guard) -> Guard:
        return guard_substitute(conditions, {}, self._lengths()) if self.label_ranges else conditions

    def _lengths(self) -> dict[str, Index]:
        return {name: self.sizes.index(dim) for name, dim in self.label_ranges.items()}

    def part_of_size(self, node: Node) -> Index | None:
        """`d/2` for a size d that 2 divides, which the notation supposes, and `d/H` after "H divides d"."""
        if isinstance(node, Fraction):
            above, below = node.above, node.below
        elif isinstance(node, Infix) and node.operator == "/":
            above, below = node.left, node.right
        else:
            return None
        w = self.table.names.written(above)
        if w is None or not (self.table.is_size(w) or w.stem in self.table.names.sizes):
            return None
        by = self.table.names.written(below)
        if by is not None and not w.slots and not by.slots and by.stem in self.table.divisors.get(w.stem, ()):
            size, divisor = self.size(w.stem), self.size(by.stem)
            part = Index.size(self.table.part_name(w.stem, by.stem))
            self.side.append(equal(part * divisor, size))
            return part
        if w.slots or not isinstance(below, Literal) or not below.text.isdecimal() or int(below.text) < 1:
            return None
        size, number = self.size(w.stem), int(below.text)
        whole = equal(remainder(size, number), 0)
        self.table.whole_parts[whole] = None
        self.side.append(whole)
        return quotient(size, number)

    def place_on(self, node: Node, base: int, dim: Dim, scope: Scope) -> Index:
        """The position (from 0) of a written index on an axis, unifying the axis with the range of the letter."""
        c = letter(node)
        variable = None if c is None else scope.get(c) or self.free.get(c)
        if variable is not None:
            if variable.base is None:
                variable.base = base
            if variable.base == base:
                self.direct.add(variable.name)
                steps = dim if dim.around is None else dim.around[0]
                if variable.explicit or not self._in_both(variable, steps):
                    (self.sizes.soft if variable.explicit else self.sizes.unify)(variable.dim, steps)
        if dim.around is not None:
            base -= dim.around[1]
        written = self.written_index(node, {**self.free, **scope})
        if isinstance(node, Literal):
            self.has_numbered_place = True
            base = 1 - base if self.numbers_from_other_base else base
        position = written - base
        family = self.table.labels.get(self.label_stem(node)) if isinstance(node, Label) else None
        if isinstance(node, Label) and family is not None and self.law_of_label(node, scope) is None:
            if family.base is None:
                family.base = base
            position = written - family.base  # labels from 0 tell the classes of an axis that counts from 1 as well
            self.sizes.unify(family.values, dim, node.span)
        elif variable is None and not position.is_constant and position.free:
            self.affine.append((position, dim))
        if position.is_constant and position.const < 0:
            raise NotUnderstood(
                "shape-conflict", f"indices start from {base} here, but {written} is written", node.span
            )
        return position

    def _in_both(self, variable: Variable, dim: Dim) -> bool:
        """Let a letter run over the shorter of two axes, where one has so many places more: `v_0, ..., v_T` beside T steps."""
        if variable.bound or not (self.sizes.is_known(variable.dim) and self.sizes.is_known(dim)):
            return False
        more = self.sizes.index(dim) - self.sizes.index(variable.dim)
        if not more.is_constant or more.const == 0:
            return False
        if more.const < 0:
            variable.dim = dim
        return True

    def range_on(self, node: Node, base: int, dim: Dim, scope: Scope) -> tuple[Index, Index] | None:
        """The first position and the length of `1:t`, `<t` or `\\le t` on an axis; None for a single place.

        Both ends count, as in books whose indices start from 1; from 0 it is not said whether the end counts.
        """
        if isinstance(node, Infix) and node.operator == "slice":
            if base != 1 or isinstance(node.left, Mark) or isinstance(node.right, Mark):
                raise NotUnderstood("ambiguous", "a slice of an axis: whether its end counts is not said", node.span)
            first = self.place_on(node.left, base, dim, scope)
            return first, self.place_on(node.right, base, dim, scope) + 1 - first
        if isinstance(node, Chain) and node.first is None and len(node.links) == 1 and node.links[0][0] in ("<", "<="):
            relation, end = node.links[0]
            return Index(), self.place_on(end, base, dim, scope) + (1 if relation == "<=" else 0)
        return None

    def constraints(self, node: Node, scope: Scope) -> list[Constraint]:
        """The index relations of a condition: `j <= i`, `1 \\le t \\le T`; raises `NotUnderstood` for anything else."""
        if isinstance(node, Enclosed) and node.content is not None:
            return self.constraints(node.content, scope)
        parity = self.parity(node, scope)
        if parity is not None:
            return [parity]
        if isinstance(node, Adjacent):  # the words before or after: `if j <= i`
            rest = [p for p in node.items if not isinstance(p, Words)]
            if len(rest) == 1 and len(rest) < len(node.items):
                return self.constraints(rest[0], scope)
        if isinstance(node, Listed):
            return [c for p in node.items for c in self.constraints(p, scope)]
        if not isinstance(node, Chain) or node.first is None or not node.links:
            raise NotUnderstood("unknown-notation", "this condition is not a relation between indices", node.span)
        found: list[Constraint] = []
        distance = self._distance(node, scope)
        if distance is not None:
            return distance
        left = self.written_index(unworded(node.first), scope)
        left_node: Node | None = None
        for relation, right_node in node.links:
            right = self.written_index(unworded(right_node), scope)
            same = None
            if relation == "=":
                same = self._same_place(node.first if left_node is None else left_node, right_node, scope)
            left_node = right_node
            if relation == "<=":
                found.append(at_least(right, left))
            elif relation == ">=":
                found.append(at_least(left, right))
            elif relation == "<":
                found.append(less(left, right))
            elif relation == ">":
                found.append(less(right, left))
            elif relation == "=":
                found.append(same or equal(left, right))
            else:
                raise NotUnderstood(
                    "unknown-notation", f"a condition with the relation {relation} is not read", node.span
                )
            left = right
        return found

    def _same_place(self, left: Node, right: Node, scope: Scope) -> Constraint | None:
        """A letter or a label that is equal to a label: it lies on its axis, wherever both count from."""
        left, right = unworded(left), unworded(right)
        for one, other in ((left, right), (right, left)):
            if not isinstance(one, Label) or self.law_of_label(one, scope) is not None:
                continue
            family = self.table.labels[self.label_stem(one)]
            c = letter(other)
            variable = None if c is None else scope.get(c) or self.free.get(c)
            if variable is not None:
                if variable.base is None:
                    variable.base = self.table.names.document_base if family.base is None else family.base
                self.direct.add(variable.name)
                self.sizes.soft(variable.dim, family.values)
                return equal(Index.var(variable.name), self._place_of(one, scope))
            if isinstance(other, Label):
                self.sizes.soft(self.table.labels[self.label_stem(other)].values, family.values)
                return equal(self._place_of(one, scope), self._place_of(other, scope))
        return None

    def _place_of(self, node: Label, scope: Scope) -> Index:
        """The position, from 0, that a label gives."""
        base = self.table.labels[self.label_stem(node)].base
        return self.label_index(node, scope) - (self.table.names.document_base if base is None else base)

    def _distance(self, node: Chain, scope: Scope) -> list[Constraint] | None:
        """`|i - j| <= w`: both differences are at most w."""
        first = unworded(node.first) if node.first is not None else None
        if not isinstance(first, Enclosed) or first.kind != "||" or first.content is None or len(node.links) != 1:
            return None
        relation, right_node = node.links[0]
        if relation not in ("<", "<="):
            return None
        inside, right = self.written_index(first.content, scope), self.written_index(right_node, scope)
        both = (inside, inside * -1)
        return [less(d, right) if relation == "<" else at_least(right, d) for d in both]

    def parity(self, node: Node, scope: Scope) -> Constraint | None:
        """`if i is even`, `i odd`."""
        if not isinstance(node, Adjacent):
            return None
        said = " ".join(n.text if isinstance(n, Words) else n.base if isinstance(n, Name) else "?" for n in node.items)
        found = re.search(r"\b(even|odd)\b", said)
        letters = [n for n in node.items if isinstance(n, Name) and letter(n) is not None and len(n.base) == 1]
        if found is None or len(letters) != 1 or re.search(r"\bnot\b", said):
            return None
        return equal(remainder(self.written_index(letters[0], scope), 2), int(found.group(1) == "odd"))

    def choose(
        self, what: str, node: Node, options: tuple[str, ...], settled: str | None = None, *, even: bool = False
    ) -> str:
        """The reading at a choice point: settled by the text, forced from outside, or the first option."""
        key = (self.span_key, what, node.span)
        taken = settled or self.forced.get(key) or options[0]
        self.taken.append(Choice(key, options, taken, settled is not None, even and settled is None))
        return taken
