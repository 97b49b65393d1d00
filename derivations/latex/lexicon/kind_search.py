r"""How many axes the given names of a document have, found by a search: the whole document decides, letters decide nothing.

How a name is written tells the least: its indices, a bold font, a transpose sign.  What stands around it tells more: `b` in
`W x + b` has the axes of `W x`, and x stands behind a matrix, where nobody writes a number.  So each name has options, the
usual one is free, and a relation that has no meaning under the options chosen, or an odd one, has a price.  The search
changes the names that meet in a relation, as long as the sum of all prices goes down.

It sees axes alone: no lengths, no values, and not whether a relation is true.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import combinations, product
from math import prod

from derivations.latex.lexicon.name_roles import Names, uses
from derivations.latex.lexicon.occurrences import Evidence
from derivations.latex.lexicon.written_names import Form, Written, form, is_of_form
from derivations.latex.syntax.letters import EULER, FAMILY, is_upper, rows_of_identity
from derivations.latex.syntax.notation import ELEMENTARY
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Chain,
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
    bare,
)

NO_MEANING = 6
"""The price of a relation, or a part of one, that has no meaning."""
DEAR = 4
"""The price of a capital without an index that is no matrix, and of a number with a transpose sign."""
ODD = 3
"""The price of what is seldom written: a number behind a matrix, a norm of a number."""
UNUSUAL = 1
"""The price of what is sometimes written: the exponential of a vector."""
MAX_WORK = 100_000
"""Most looks at the price of a relation in one search."""
MAX_TOGETHER = 400
"""Most combinations of options of one relation that are tried together."""
IDENTITY = "I"
VALUE = "()"
"""Ends the key of the values of a function."""
_OF_ENTRIES = ELEMENTARY | {"sign", "relu", "sigmoid", "silu", "softplus"}
_OF_MATRICES = frozenset({"tr", "det"})
_EQUATIONS = frozenset({"=", "equiv", "approx", "!=", "gets"})
_ORDERS = frozenset({"<", ">", "<=", ">="})


@dataclass(frozen=True, slots=True)
class Kind:
    """How many axes something has; `turned` is a vector with a transpose sign. No rank is any rank."""

    rank: int | None
    turned: bool = False
    name: str = ""
    """The name that it is, where it is one alone."""
    product: bool = False
    """Whether it is a product of two matrices."""
    member: object = None
    """The indices of a capital that has some, where it is one alone, or a product of such."""
    outer: bool = False
    """Whether it is a product of two members with the same indices, `Q_h K_h^T`, that is an array of numbers for vectors."""


ANY, NUMBER, OUTER = Kind(None), Kind(0), Kind(None, outer=True)


@dataclass(frozen=True, slots=True)
class Option:
    """How many axes a name has; those of the family `x_k` where `x` beside it is a thing of its own."""

    rank: int
    family: int | None = None
    price: int = 0

    def of(self, slots: int, is_member: bool) -> int | None:
        """The axes that are left where so many indices are written; None where there are not so many."""
        rank = self.family if is_member and self.family is not None else self.rank
        return rank - slots if rank >= slots else None


@dataclass(frozen=True, slots=True)
class Question:
    """A name whose axes are asked for: its options, the usual one first."""

    stem: str
    options: tuple[Option, ...]
    form: Form | None = None
    """How the members of a family of that letter are written, where they may be apart from what has no index."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: axes of names, and names that are taken for two, with the form of the one that is a family."""

    ranks: Mapping[str, int]
    apart: Mapping[str, Form]
    defined: Mapping[str, int]
    """The axes of names that equations define: what is tried first where a recurrence gives no rank of its own."""


@dataclass(slots=True)
class _Relation:
    chain: Chain
    touched: tuple[str, ...] = ()
    known: dict[tuple[Option, ...], int] = field(default_factory=dict)


def search_kinds(
    names: Names,
    chains: Iterable[Chain],
    declared: Mapping[str, tuple[int, int]],
    defined: Collection[str],
    numbers: Collection[str] = (),
) -> Found:
    """The number of axes of each name that nothing declares, where the document tells another one than is usual.

    `declared` are the names whose axes are stated, with the number of indices beside which they are; `defined` those that
    stand on the left of an equation: they have the axes of its right side, whatever is usual; `numbers` those that are given
    and are only ever set to numbers.
    """
    relations = [_Relation(c) for c in chains if any(r in _EQUATIONS | _ORDERS for r, _ in c.links)]
    questions = {q.stem: q for q in _questions(names, [r.chain for r in relations], declared, defined, numbers)}
    reading = _Reading(names, {s: axes for s, (axes, _) in declared.items()}, [r.chain for r in relations])
    questions |= {q.stem: q for q in reading.values()}
    reading.questions = questions
    reading.chosen = {q.stem: min(q.options, key=lambda o: o.price) for q in questions.values()}
    for r in relations:
        reading.cost(r)
        r.touched = tuple(sorted(reading.touched & questions.keys()))
    relations = [r for r in relations if r.touched]
    search = _Search(reading, questions, relations)
    search.run()
    return search.found(defined)


def _questions(
    names: Names,
    chains: Iterable[Chain],
    declared: Mapping[str, tuple[int, int]],
    defined: Collection[str],
    numbers: Collection[str],
) -> Iterator[Question]:
    """The names of relations that may have more or fewer axes than usual."""
    seen: dict[str, dict[Form, Written]] = {}
    for chain in chains:
        for w in uses(names, chain):
            seen.setdefault(w.stem, {}).setdefault(form(w), w)
    apart = names.sizes | names.index_letters | names.functions | names.maps | names.said_functions | names.bound
    apart |= names.random | names.sets | names.applied
    for stem, forms in seen.items():
        if stem in apart:
            continue
        w = next(iter(forms.values()))
        own = _form_of_members(list(forms)) if not w.bold else None
        if own is not None and is_upper(stem) and own[0] > 1:
            own = None  # the entries of a matrix
        if stem in declared:
            axes, slots = declared[stem]
            if own is not None and not is_upper(stem):
                yield Question(stem, tuple(_apart_of_declared(axes, slots, own)), own)
        else:
            written = max(count for count, _ in forms)
            options = tuple(_options(names, w, written, stem in defined, own))
            if written == 0 and stem + FAMILY in declared:
                options = tuple(_as_a_member(options, *declared[stem + FAMILY]))
            is_number = stem in numbers and written == 0 and all(o.rank or o.family is not None for o in options)
            yield Question(stem, (*options, Option(0)) if is_number else options, own)


def _form_of_members(forms: Sequence[Form]) -> Form | None:
    """How the members of a family are written beside a thing without an index, where one form tells them."""
    above = [f for f in forms if f[1]]
    members = above or [f for f in forms if f[0]]
    lowest = min(members, default=None)
    is_one = lowest is not None and (bool(above) or len(members) == 1)
    return lowest if is_one and len(forms) > len(above or members) else None


def _apart_of_declared(axes: int, slots: int, own: Form) -> Iterator[Option]:
    yield Option(axes)
    if slots:
        yield Option(axes - slots, axes, UNUSUAL)
    else:
        yield Option(axes, axes + own[0], UNUSUAL)


def _as_a_member(options: Sequence[Option], axes: int, slots: int) -> Iterator[Option]:
    r"""The options of x beside declared `x_t \in \mathbb{R}^d`: it has the axes of one of them at no price."""
    member = axes - slots
    yield from (o if o.rank == member else replace(o, price=max(o.price, UNUSUAL)) for o in options)
    if all(o.rank != member or o.price for o in options):
        yield Option(member)


def _options(names: Names, w: Written, written: int, is_defined: bool, own: Form | None) -> Iterator[Option]:
    """The options of a name that is written with so many indices, or fewer."""
    e = names.evidence.get(w.stem, Evidence())
    usual = names.rank(w)
    yield Option(usual)
    if is_defined:
        yield from (Option(rank) for rank in range(written, written + 3) if rank != usual)
    least = max(e.slots, e.shown_slots + 1)
    if usual > least and is_upper(w.stem) and not is_defined:  # a capital without an index is a matrix by habit
        yield from (Option(rank, price=DEAR if e.bare else ODD) for rank in range(least, usual))
    may_be_vector = not (w.bold or w.stem in names.matrices or e.numbers or w.stem in names.divisors)
    if may_be_vector and e.vector_slots < 0 and not is_upper(w.stem) and not is_defined:
        yield Option(e.slots + 1, price=UNUSUAL)
    is_capital = is_upper(w.stem) and e.slots == written == 1 and not (is_defined or e.numbers)
    if is_capital and usual == 1 and not e.bare:
        yield from (Option(rank, price=UNUSUAL) for rank in (3, 2))  # W^{(l)}: a family of matrices, or of vectors
    elif is_capital and usual == 2:
        yield Option(3, price=UNUSUAL)  # Q_h of a head
    if own is not None:
        yield from (Option(k, own[0] + k, UNUSUAL) for k in ((0, 1) if may_be_vector else (0,)))


class _Search:
    def __init__(self, reading: _Reading, questions: Mapping[str, Question], relations: Sequence[_Relation]) -> None:
        self.reading, self.questions, self.relations = reading, questions, relations
        self.of_name: dict[str, list[_Relation]] = {}
        for r in relations:
            for stem in r.touched:
                self.of_name.setdefault(stem, []).append(r)
        self.chosen = reading.chosen
        self.tried: set[int] = set()
        """The relations that no change made cheaper since the names around them were changed."""
        self.work = 0

    def run(self) -> None:
        """Change names as long as that lowers the cost, the dearest relations first."""
        while self.work < MAX_WORK and (change := self._improvement()) is not None:
            self.chosen |= change
            around = {t for s in change for r in self.of_name[s] for t in r.touched}
            self.tried -= {id(r) for t in around for r in self.of_name[t]}

    def _improvement(self) -> dict[str, Option] | None:
        """The change of the names of one relation that lowers the cost most; None where no relation has one."""
        dear = sorted(
            (r for r in self.relations if id(r) not in self.tried and self._cost(r)), key=self._cost, reverse=True
        )
        for r in dear:
            changes = list(self._changes(r))
            best, place = max(((self._gain(change), -k) for k, change in enumerate(changes)), default=(0, 0))
            if best > 0:
                return changes[-place]
            self.tried.add(id(r))
            if self.work > MAX_WORK:
                break
        return None

    def _changes(self, r: _Relation) -> Iterator[dict[str, Option]]:
        """Other options for the names of a relation: for all of them together, or for two where they are many; and for all that
        may be families of matrices."""
        options = {s: self.questions[s].options for s in r.touched}
        together = len(r.touched) if prod(map(len, options.values())) <= MAX_TOGETHER else 2
        for count in range(1, together + 1):
            for stems in combinations(r.touched, count):
                others = [[o for o in options[s] if o != self.chosen[s]] for s in stems]
                yield from (dict(zip(stems, chosen, strict=True)) for chosen in product(*others))
        families = {s: o for s, own in options.items() for o in own if o.rank == 3 and o.price == UNUSUAL}
        if len(families) > together:
            yield families

    def _gain(self, change: Mapping[str, Option]) -> int:
        """By how much a change lowers the cost."""
        touched = {id(r): r for s in change for r in self.of_name[s]}.values()
        self.work += len(touched)
        kept = {s: self.chosen[s] for s in change}
        before = sum(map(self._cost, touched)) + sum(o.price for o in kept.values())
        self.chosen |= change
        after = sum(map(self._cost, touched)) + sum(o.price for o in change.values())
        self.chosen |= kept
        return before - after

    def _cost(self, r: _Relation) -> int:
        key = tuple(self.chosen[s] for s in r.touched)
        if key not in r.known:
            r.known[key] = self.reading.cost(r)
        return r.known[key]

    def found(self, defined: Collection[str]) -> Found:
        """What is chosen for each name."""
        ranks: dict[str, int] = {}
        apart: dict[str, Form] = {}
        made: dict[str, int] = {}
        for stem in self.of_name:
            q, best = self.questions[stem], self.chosen[stem]
            if best.family is not None and q.form is not None:
                apart[stem] = q.form
            elif best != q.options[0] and (stem not in defined or stem.endswith(FAMILY)):
                ranks[stem] = best.rank
            elif stem in defined:
                made[stem] = best.rank
        return Found(ranks, apart, made)


class _Reading:
    """The price of a relation under given numbers of axes."""

    def __init__(self, names: Names, declared: Mapping[str, int], chains: Sequence[Chain]) -> None:
        self.names, self.declared = names, declared
        self.questions: Mapping[str, Question] = {}
        self.chosen: dict[str, Option] = {}
        self.functions = dict(self._functions(chains))
        self.touched: set[str] = set()
        self.price = 0

    def _functions(self, chains: Sequence[Chain]) -> Iterator[tuple[str, Node]]:
        """The functions of one argument that equations define, with their parameters."""
        for chain in reversed(chains):
            first = chain.first
            if isinstance(first, Adjacent) and len(first.items) == 2 and chain.links and chain.links[0][0] == "=":
                head, after = first.items
                if self._is_call(head, after) and isinstance(after, Enclosed) and after.content is not None:
                    w = self.names.written(head)
                    if w is not None and not w.slots and self.names.written(after.content) is not None:
                        yield w.stem, after.content

    def values(self) -> Iterator[Question]:
        """The axes of the values of these functions."""
        return (Question(stem + VALUE, tuple(map(Option, range(3)))) for stem in self.functions)

    def cost(self, r: _Relation) -> int:
        """What a relation costs, and which names that depends on (`touched`)."""
        self.touched, self.price = set(), 0
        left = None if r.chain.first is None else self.of(r.chain.first)
        for relation, node in r.chain.links:
            right = self.of(node)
            if left is not None and relation in _EQUATIONS | _ORDERS and not _is_zero(node):
                if self._defines_function(r.chain) and left.rank != right.rank and None not in (left.rank, right.rank):
                    self.price += NO_MEANING  # what it is defined to be tells the axes of its values
                self._same(left, right)
                if relation in _ORDERS and (left.rank or right.rank):
                    self.price += ODD
            left = right
        return self.price

    def _defines_function(self, chain: Chain) -> bool:
        first = chain.first
        if not isinstance(first, Adjacent) or len(first.items) != 2 or not self._is_call(*first.items):
            return False
        w = self.names.written(first.items[0])
        return w is not None and w.stem in self.functions

    def of(self, node: Node) -> Kind:
        """The kind of an expression."""
        match node:
            case Literal():
                return NUMBER
            case Name():
                return self._name(node)
            case Scripted():
                return self._scripted(node)
            case Adjacent(items=items):
                return self._product(items)
            case Enclosed():
                return self._enclosed(node)
            case Prefix(operator=operator, operand=operand):
                return self.of(operand) if operator in ("+", "-", "pm", "mp") else ANY
            case Infix():
                return self._infix(node)
            case Fraction(above=above, below=below):
                return self._quotient(above, below)
            case Root(radicand=radicand):
                return self._entry_of(self.of(radicand), ODD)
            case Operator():
                return self._operator(node)
            case Big(name=name, body=body):
                return self.of(body) if name in ("sum", "prod", "int") else ANY
            case _:
                return ANY

    def _name(self, node: Name | Scripted) -> Kind:
        w = self.names.written(node)
        if w is None or w.stem in self.names.random or w.stem in self.names.fixed:
            return ANY
        names = self.names
        if (
            w.stem == IDENTITY
            or rows_of_identity(w.stem) is not None
            or w.stem in names.functions | names.maps | names.said_functions | names.sets | names.applied
        ):
            return ANY
        if not w.slots and w.stem in names.sizes | names.index_letters | names.bound:
            return NUMBER
        if w.stem in self.chosen:
            self.touched.add(w.stem)
            option = self.chosen[w.stem]
        elif w.stem in self.declared:
            option = Option(self.declared[w.stem])
        else:
            return ANY
        e = names.evidence.get(w.stem)
        if not w.slots and w.bold and e is not None and e.slots:
            return ANY  # a vector beside a family of that letter
        if e is not None and 0 < len(w.slots) < e.slots and not is_upper(w.stem) and not w.bold:
            return ANY  # x_j of one row, beside x_{ij} of a batch
        question = self.questions.get(w.stem)
        is_member = question is not None and question.form is not None and is_of_form(w, question.form)
        rank = option.of(sum(1 for s in w.slots if s.node is not None), is_member)
        member = tuple(bare(s.node) for s in w.slots) if w.slots and is_upper(w.stem) else None
        return ANY if rank is None else self._raised(w, Kind(rank, name=w.stem, member=member))

    def _raised(self, w: Written, kind: Kind) -> Kind:
        """A name with what stands above it."""
        rank = kind.rank
        if w.transposed:
            self.price += DEAR if rank == 0 else 0
            return Kind(rank, turned=True, name=kind.name, member=kind.member)
        if w.power is not None and rank == 1:
            self.price += ODD
            return Kind(1)
        return kind if w.power is None else Kind(rank)  # a power of a number stands behind a matrix like any factor

    def _scripted(self, node: Scripted) -> Kind:
        if isinstance(node.base, Name) and node.base.base == EULER and node.sub is None and node.sup is not None:
            return self._entry_of(self.of(node.sup), UNUSUAL)
        if isinstance(node.base, Name):
            return self._name(node)
        slots, transposed, _ = self.names.generic_slots(node)
        kind = self.of(node.base)
        if kind.rank is None or slots:
            return ANY
        return Kind(kind.rank, turned=transposed)

    def _product(self, items: Sequence[Node]) -> Kind:
        found: Kind | None = None
        k, order = 0, 0
        while k < len(items):
            if (more := _order(items[k])) and k + 1 < len(items):
                order, k = more, k + 1
                continue
            if k + 1 < len(items) and self._is_call(items[k], items[k + 1]):
                kind, k = self._call(items[k], items[k + 1], order), k + 2
            else:
                kind, k = (ANY if order else self.of(items[k])), k + 1
            order = 0
            found = kind if found is None else self._times(found, kind)
        return found or ANY

    def _call(self, head: Node, after: Node, order: int) -> Kind:
        """The value of a function, or its derivative of some order."""
        inner = after.base if isinstance(after, Scripted) else after
        content = inner.content if isinstance(inner, Enclosed) else None
        w = self.names.written(head)
        if content is None or w is None:
            return ANY
        argument, parameter = self.of(content), self.functions.get(w.stem)
        if parameter is None or w.slots:
            return ANY
        own, value = self.of(parameter), self.chosen.get(w.stem + VALUE)
        if own.rank is not None and argument.rank is not None and own.rank != argument.rank:
            self.price += ODD if own.rank else UNUSUAL  # a function of numbers is taken entry by entry
        if value is None or own.rank is None or isinstance(after, Scripted):
            return ANY
        self.touched.add(w.stem + VALUE)
        of_entries = argument.rank if own.rank == value.rank == 0 and not order else 0
        return Kind(value.rank + order * own.rank + (of_entries or 0))

    def _is_call(self, head: Node, after: Node) -> bool:
        inner = after.base if isinstance(after, Scripted) else after
        if not isinstance(inner, Enclosed) or inner.kind != "()":
            return False
        w = self.names.written(head)
        names = self.names
        return w is not None and w.stem in names.functions | names.maps | names.said_functions | names.applied

    def _times(self, a: Kind, b: Kind, scalar: bool = False) -> Kind:
        """A product of two things side by side; `scalar`: with a dot between them."""
        if a.rank is None or b.rank is None:
            return ANY
        if a.rank == 0:
            self.price += ODD if b.rank and is_upper(a.name) and not scalar else 0
            return Kind(b.rank, b.turned)
        if b.rank == 0:
            if b.name and not scalar:
                self.price += ODD if a.rank == 2 else UNUSUAL
            return Kind(a.rank, a.turned)
        if a.rank > 2 or b.rank > 2:
            return ANY
        if a.rank == 2 or b.rank == 2:
            member = a.member if a.member == b.member else None
            if member is not None and a.rank != b.rank:  # softmax(Q_h K_h^T) V_h with matrices and a vector
                self.price += ODD
            return (
                Kind(2, product=True, member=member) if a.rank == b.rank else Kind(1, (a if a.rank == 1 else b).turned)
            )
        if a.turned and not b.turned:
            return NUMBER
        if b.turned and not a.turned:  # a number where vectors are rows, else a matrix
            return OUTER if a.member is not None and a.member == b.member else ANY
        self.price += 0 if scalar else ODD
        return NUMBER if scalar else ANY

    def _infix(self, node: Infix) -> Kind:
        if node.operator == "/":
            return self._quotient(node.left, node.right)
        a, b = self.of(node.left), self.of(node.right)
        if node.operator in ("+", "-", "pm", "mp"):
            return self._sum(a, b)
        if node.operator in ("cdot", "times", "ast", "@"):
            return self._times(a, b, scalar=node.operator == "cdot")
        if node.operator == "odot":
            self.price += ODD if 0 in (a.rank, b.rank) else 0
            return self._same(a, b)
        return ANY

    def _sum(self, a: Kind, b: Kind) -> Kind:
        """Two things that are added: `X W + b` adds the vector to every row."""
        if a.product and b.rank == 1 and not b.turned:
            self.price += UNUSUAL
            return a
        return self._same(a, b)

    def _same(self, a: Kind, b: Kind) -> Kind:
        """Two things that are equal, or of one kind."""
        if a.rank is None or b.rank is None:
            return OUTER if a.outer or b.outer else ANY
        if a.rank != b.rank:
            self.price += NO_MEANING if a.rank and b.rank else ODD
        return a if a.rank >= b.rank else b

    def _quotient(self, above: Node, below: Node) -> Kind:
        if _is_derivative(above):
            return ANY
        a, b = self.of(above), self.of(below)
        self.price += NO_MEANING if b.rank and (a.rank == 0 or b.rank > 1) else ODD if b.rank else 0
        return a

    def _entry_of(self, kind: Kind, price: int) -> Kind:
        self.price += price if kind.rank else 0
        return Kind(kind.rank)

    def _enclosed(self, node: Enclosed) -> Kind:
        if node.content is None:
            return ANY
        kind = self.of(node.content)
        if node.kind == "norm":
            self.price += ODD if kind.rank == 0 else 0
            return NUMBER
        if node.kind == "||":
            return NUMBER
        if node.kind in ("()", "[]", "{}"):
            return Kind(kind.rank, kind.turned, outer=kind.outer)
        return NUMBER if node.kind in ("floor", "ceil", "langle") else ANY

    def _operator(self, node: Operator) -> Kind:
        apart = self._before_array(node)
        if apart is not None:
            return apart
        kinds = [self.of(n) for n in node.arguments]
        if len(kinds) != 1:
            return ANY
        kind = kinds[0]
        if node.name in _OF_ENTRIES:
            return self._entry_of(kind, UNUSUAL)
        if node.name in _OF_MATRICES:
            self.price += NO_MEANING if kind.rank in (0, 1) else 0
            return NUMBER
        if node.name == "softmax" and kind.outer:  # scores of matrices, each of one head
            self.price += DEAR
        if node.name == "softmax":
            return Kind(kind.rank, member=kind.member) if kind.rank else ANY  # of an entry: over all of its row
        return ANY

    def _before_array(self, node: Operator) -> Kind | None:
        r"""`\cos\theta \, x` with a number and a vector: without parentheses the argument ends before the vector."""
        whole = node.arguments[0] if node.bare and len(node.arguments) == 1 else None
        if node.name not in _OF_ENTRIES or not isinstance(whole, Adjacent):
            return None
        before = self.price
        kinds = [self.of(n) for n in whole.items]
        ends = next((k for k, kind in enumerate(kinds) if kind.rank), 0)
        if not ends or any(kind.rank is None for kind in kinds[:ends]):
            self.price = before
            return None
        return reduce(self._times, kinds[ends:], NUMBER)


def _order(node: Node) -> int:
    r"""How often is differentiated: 1 for `\nabla`, 2 for `\nabla^2`, 0 for anything else."""
    base = node.base if isinstance(node, Scripted) else node
    if not isinstance(base, Name) or base.base != "nabla":
        return 0
    power = node.sup if isinstance(node, Scripted) else None
    return int(power.text) if isinstance(power, Literal) and power.text.isdigit() else 1


def _is_zero(node: Node) -> bool:
    return isinstance(node, Literal) and node.text == "0"


def _is_derivative(above: Node) -> bool:
    """Whether a fraction is written as a derivative."""
    first = above.items[0] if isinstance(above, Adjacent) else above
    first = first.base if isinstance(first, Scripted) else first
    return isinstance(first, Name) and (first.base in ("partial", "d", "nabla"))
