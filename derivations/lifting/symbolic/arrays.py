"""Symbolic arrays: a shape of sizes, and the entry at a place as a term, an integer or a condition.

The entry of an array of rank r is built eagerly over the place variables `x0`, ..., `x{r-1}`; nothing is delayed, so a
term that grows too large is refused where it grows.  Sizes are symbols.  What an operation requires of them is unified
in `Sizes`, and equalities that code alone imposes are kept, so that a verdict can say under which sizes it holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from derivations.language.term import (
    ONE,
    ZERO,
    Add,
    Apply,
    Atom,
    Bracket,
    Capture,
    Case,
    Choice,
    Constraint,
    Definition,
    Guard,
    Index,
    IndexValue,
    Max,
    Mul,
    NegInfinity,
    Number,
    Pow,
    Sum,
    Term,
    TermError,
    at_least,
    by_sign,
    equal,
    guard,
    guard_substitute,
    less,
    number,
    rename_apart,
    substitute,
)
from derivations.language.term import (
    Entry as TensorEntry,
)
from derivations.lifting.symbolic.clipped import both_bounds, over_range, without
from derivations.lifting.symbolic.number_ranges import is_short
from derivations.notes import Note

MAX_DISJUNCTS = 16
"""Alternatives of one condition; more are refused."""

SMALL = Number(Fraction(1, 1000)).value
"""Constants up to this size that are added, or called eps, guard against a division by zero."""
MINUS_ONE = Number(-1)
KEEP_WHOLE = frozenset(
    {"+", "-", "*", "//", "%", "**", "where", "maximum", "minimum", "clamp", "sign", "mask"}
    | {"abs", "relu", "square", "fill"}
)
"""Operations on entries that give whole numbers for whole numbers."""
KEEP_TRUTH = frozenset({"where", "maximum", "minimum", "mask", "fill"})
"""Operations on entries that give truth values for truth values."""
COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
Condition = tuple[Guard, ...]
"""A disjunction of conjunctions of constraints on indices: `((),)` is true, `()` is false."""
TRUE: Condition = ((),)
FALSE: Condition = ()


@dataclass(frozen=True)
class Test:
    """A truth value that depends on data: a tree of case distinctions whose ends are 1 (true) and 0 (false)."""

    term: Term


Truth = Condition | Test
Entry = Term | Index | Condition | Test
"""What stands at a place: a real number, an integer, or a truth value."""


class NotLifted(Exception):
    """Code whose meaning is not taken over; `line` and `column` are 1-based in its block, 0 while they are not known."""

    def __init__(self, reason: str, line: int = 0, column: int = 0, code: str = "not-lifted") -> None:
        self.reason, self.line, self.column, self.code = reason, line, column, code
        super().__init__(reason)

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.reason}" if self.line else self.reason


# --- conditions -----------------------------------------------------------------------------------------------------


def condition(*conjunctions: Iterable[Constraint]) -> Condition:
    """A disjunction without false parts and repetitions.

    >>> from derivations.language.term import at_least
    >>> condition([at_least(0, 1)]), condition([at_least(1, 0)])
    ((), ((),))
    """
    found: list[Guard] = []
    for conjunction in conjunctions:
        g = guard(*conjunction)
        if g not in found and not any(c.index.is_constant for c in g):
            found.append(g)
    if () in found:
        return TRUE
    if len(found) > MAX_DISJUNCTS:
        raise NotLifted(f"a condition with more than {MAX_DISJUNCTS} alternatives")
    return tuple(found)


def both(a: Condition, b: Condition) -> Condition:
    return condition(*((*g, *h) for g in a for h in b))


def either(a: Condition, b: Condition) -> Condition:
    return condition(*a, *b)


def negated(a: Condition) -> Condition:
    result = TRUE
    for g in a:
        result = both(result, condition(*((n,) for c in g for n in c.negations())))
    return result


def all_of(a: Truth, b: Truth) -> Truth:
    """Both of two truth values, of data too."""
    if isinstance(a, Test) or isinstance(b, Test):
        return Test(selected(a, selected(b, ONE, ZERO), ZERO))
    return both(a, b)


def any_of(a: Truth, b: Truth) -> Truth:
    """One of two truth values, of data too."""
    if isinstance(a, Test) or isinstance(b, Test):
        return Test(selected(a, ONE, selected(b, ONE, ZERO)))
    return either(a, b)


def opposite(a: Truth) -> Truth:
    """The other truth value, of data too."""
    return Test(selected(a, ZERO, ONE)) if isinstance(a, Test) else negated(a)


def selected(when: Truth, yes: Term, no: Term) -> Term:
    """`yes` where a truth value holds, else `no`."""
    if not isinstance(when, Test):
        return chosen(when, yes, no)
    if isinstance(yes, NegInfinity) or isinstance(no, NegInfinity):
        raise NotLifted("a mask that depends on values of data")
    return _selected(when.term, yes, no)


def _selected(tree: Term, yes: Term, no: Term) -> Term:
    if isinstance(tree, Choice):
        return Choice(tree.test, _selected(tree.above, yes, no), _selected(tree.otherwise, yes, no))
    if isinstance(tree, Case):
        rows = [(g, _selected(b, yes, no)) for g, b in tree.branches]
        return Case(rows, _selected(tree.otherwise, yes, no))
    if isinstance(tree, Bracket):
        return Case([(tree.condition, yes)], no)
    return yes if tree is ONE else no


def chosen(when: Condition, yes: Term, no: Term) -> Term:
    """`yes` where the condition holds, else `no`."""
    if when == TRUE or yes is no:
        return yes
    if when == FALSE:
        return no
    if len(when) == 1 and yes is ONE and no is ZERO:
        return Bracket(when[0])
    if isinstance(yes, NegInfinity) or (yes is ZERO and not isinstance(no, NegInfinity)):
        other = negated(when)  # scores stay first, as equations write masks
        if len(other) <= len(when):
            return (
                chosen(other, no, yes)
                if not isinstance(no, NegInfinity) and no is not ZERO
                else Case([(g, no) for g in other], yes)
            )
    return Case([(g, yes) for g in when], no)


def pieces(t: Term) -> list[tuple[Condition, Number]] | None:
    """The values of a term that takes finitely many known values, each with its condition; None for any other term."""
    if isinstance(t, Number):
        return [(TRUE, t)]
    if isinstance(t, Bracket):
        return [((t.condition,), Number(1)), (negated((t.condition,)), Number(0))]
    if isinstance(t, Case):
        rest, found = TRUE, []
        for g, branch in [*t.branches, ((), t.otherwise)]:
            inner = pieces(branch)
            if inner is None:
                return None
            here = both(rest, (g,))
            found += [(both(here, c), v) for c, v in inner]
            rest = both(rest, negated((g,)))
        return [(c, v) for c, v in found if c != FALSE]
    if isinstance(t, Add | Mul):
        total: list[tuple[Condition, Any]] = [(TRUE, int(isinstance(t, Mul)))]
        for part in t.args:
            inner = pieces(part)
            if inner is None:
                return None
            times = isinstance(t, Mul)
            total = [(both(c, d), v * w.value if times else v + w.value) for c, v in total for d, w in inner]
            total = [(c, v) for c, v in total if c != FALSE]
            if len(total) > MAX_DISJUNCTS:
                return None
        return [(c, Number(v)) for c, v in total]
    return None


def as_index(t: Term) -> Index | None:
    """The integer that a term is, when it is one by form."""
    if isinstance(t, IndexValue):
        return t.index
    if isinstance(t, Number):
        return Index.of(int(t.value.p)) if t.value.q == 1 else None
    if isinstance(t, Add):
        parts = [as_index(a) for a in t.args]
        if None not in parts:
            return sum((p for p in parts if p is not None), Index())
    if isinstance(t, Mul):
        total = Index.of(1)
        for a in t.args:
            part = as_index(a)
            if part is None:
                return None
            total = total * part
        return total
    return None


# --- arrays ---------------------------------------------------------------------------------------------------------


def place_name(k: int) -> str:
    """The variable of axis k in the entry of an array."""
    return f"x{k}"


def places(rank: int) -> tuple[Index, ...]:
    return tuple(Index.var(place_name(k)) for k in range(rank))


@dataclass(frozen=True, eq=False)
class Array:
    """`entry` over the place variables; `kind` is real, int or bool.

    `token` stands for the memory behind the array: views share it, and writing in place into shared memory is refused.
    `library` says whose defaults its methods follow.
    """

    shape: tuple[Index, ...]
    entry: Entry
    token: object = field(default_factory=object)
    view: bool = False
    library: str = ""
    numbers: str = ""
    """The type of numbers that the memory keeps, where that is told: `whole`, `short` (whole, of fewer than 32 bits or
    without a sign, so that arithmetic wraps) or `real`."""

    @property
    def whole(self) -> bool:
        """Whether the memory keeps whole numbers only, and cuts what is written into it."""
        return self.numbers in ("whole", "short") or (not self.numbers and self.kind != "real")

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def kind(self) -> str:
        return "real" if isinstance(self.entry, Term) else "int" if isinstance(self.entry, Index) else "bool"

    def at(self, place: Sequence[Index | int]) -> Entry:
        """The entry at a place."""
        if len(place) != self.rank:
            raise NotLifted(f"needed {self.rank} indices, found {len(place)}")
        return put(self.entry, {place_name(k): Index.of(i) for k, i in enumerate(place)})

    def real(self, place: Sequence[Index | int]) -> Term:
        """The entry at a place as a real number: truth values count as 1 and 0."""
        return real(self.at(place))


def in_memory(a: Array) -> bool:
    """Whether `a += 1` writes into memory that other names may share; numbers of Python have none."""
    return bool(a.rank or a.library)


def put(entry: Entry, indices: dict[str, Index]) -> Entry:
    """The entry with indices put for variables."""
    if isinstance(entry, Index):
        return entry.substitute(indices)
    if isinstance(entry, tuple):
        return condition(*(guard_substitute(g, indices) for g in entry))
    if isinstance(entry, Test):
        return Test(put(entry.term, indices))  # type: ignore[arg-type]
    try:
        return substitute(entry, indices)
    except Capture:
        away = frozenset().union(*(i.free for i in indices.values()))
        return substitute(rename_apart(entry, away), indices)


def put_sizes(entry: Entry, sizes: dict[str, Index]) -> Entry:
    """The entry with other sizes."""
    if isinstance(entry, Index):
        return entry.substitute({}, sizes)
    if isinstance(entry, tuple):
        return condition(*(guard_substitute(g, {}, sizes) for g in entry))
    if isinstance(entry, Test):
        return Test(substitute(entry.term, sizes=sizes))
    return substitute(entry, sizes=sizes)


def real(entry: Entry) -> Term:
    if isinstance(entry, Term):
        return entry
    if isinstance(entry, Index):
        return number(entry.const) if entry.is_constant else IndexValue(entry)
    return selected(entry, ONE, ZERO)


def truth(entry: Entry) -> Truth:
    """The entry as a truth value: numbers are true when they are not zero."""
    if isinstance(entry, (tuple, Test)):
        return entry
    if isinstance(entry, Index):
        return negated(condition((equal(entry, 0),)))
    known = pieces(entry)
    if known is None:
        return Test(by_sign(entry, ONE, ZERO, ONE))
    return condition(*(g for c, v in known if v.value != 0 for g in c))


def as_truth(made: Array, *arrays: Array) -> Array:
    """What is made of truth values alone, and keeps them."""
    if made.kind == "bool" or not arrays or any(a.kind != "bool" for a in arrays):
        return made
    return replace(made, entry=truth(made.entry), numbers="")


def index_truth(entry: Entry) -> Condition:
    """The entry as a condition on indices."""
    known = truth(entry)
    if isinstance(known, Test):
        raise NotLifted("a condition on values of data, which is not a condition on indices")
    return known


def scalar(value: Entry | int | float) -> Array:
    """A number as an array of rank 0."""
    return Array((), Index.of(value) if isinstance(value, int) else value)  # type: ignore[arg-type]


# --- terms that are built -------------------------------------------------------------------------------------------


def times(*factors: Term) -> Term:
    kept = [f for f in factors if f is not ONE]
    return kept[0] if len(kept) == 1 else Mul(kept) if kept else ONE


def plus(*parts: Term) -> Term:
    kept = [p for p in parts if p is not ZERO]
    return kept[0] if len(kept) == 1 else Add(kept) if kept else ZERO


def minus(t: Term) -> Term:
    if isinstance(t, Number):
        return Number(-t.value)
    if isinstance(t, Mul) and len(t.args) == 2 and t.args[0] is MINUS_ONE:
        return t.args[1]
    return Mul((MINUS_ONE, t))


def divided(above: Term, below: Term) -> Term:
    if isinstance(above, Number) and isinstance(below, Number) and below.value != 0:
        return Number(above.value / below.value)
    return times(above, Pow(below, Number(-1)))


def raised(base: Term, exponent: Term) -> Term:
    if isinstance(base, Number) and isinstance(exponent, Number) and exponent.value.q == 1:
        if abs(int(exponent.value.p)) <= 64 and (base.value != 0 or exponent.value > 0):
            return Number(base.value ** int(exponent.value.p))
    return Pow(base, exponent)


def applied(function: str) -> Callable[[Term], Term]:
    return lambda t: Apply(function, t)


def is_minus_infinity(t: Term) -> bool:
    return isinstance(t, NegInfinity)


# --- sizes ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Required:
    """What an operation needs of a size: `name = value`, or that `value` divides it."""

    name: str
    value: Index
    divides: bool = False
    given: bool = False
    """Whether it is the number that the code itself gives to the size."""

    @property
    def pins(self) -> bool:
        """Whether the size can only be one number, which nothing gives it."""
        return self.value.is_constant and not self.divides and not self.given

    @property
    def equates(self) -> bool:
        """Whether it says that two sizes are the same."""
        return not self.divides and len(self.value.sizes) == 1 and self.value is Index.size(min(self.value.sizes))

    @property
    def sizes(self) -> frozenset[str]:
        """The sizes that it speaks of."""
        return self.value.sizes | {self.name}

    @property
    def note(self) -> Note:
        """What code supposes by it."""
        size = Index.size(self.name)
        return Note("divided-size", (self.value, size)) if self.divides else Note("equal-size", (size, self.value))

    def __str__(self) -> str:
        return self.note.text


@dataclass
class Sizes:
    """Sizes made so far, and what is known about them."""

    known: dict[str, Index] = field(default_factory=dict)
    """Size symbols that turned out to be something else."""
    named: set[str] = field(default_factory=set)
    """Sizes that the author named; the others are preferred for elimination."""
    concrete: dict[str, int] = field(default_factory=dict)
    """The numbers that code gives to sizes."""
    facts: list[Constraint] = field(default_factory=list)
    """What sizes satisfy that were made up for a number of blocks."""
    required: list[Required] = field(default_factory=list)
    """What operations imposed on sizes."""
    count: int = 0

    def fresh(self, hint: str = "n") -> Index:
        self.count += 1
        return Index.size(f"{hint}~{self.count}")

    def name(self, name: str, value: int | None = None) -> Index:
        """The size that the code calls `name`."""
        self.named.add(name)
        if value is not None:
            self.concrete[name] = value
        return self.resolve(Index.size(name))

    def resolve(self, i: Index) -> Index:
        while self.known and i.sizes & self.known.keys():
            i = i.substitute({}, self.known)
        return i

    def same(self, a: Index, b: Index) -> bool:
        return self.resolve(a) is self.resolve(b)

    def require(self, a: Index, b: Index, what: str) -> Index:
        """Make two sizes equal; refuses when they cannot be."""
        a, b = self.resolve(a), self.resolve(b)
        if a is b:
            return a
        difference = _without_common_factor(a - b)
        if difference.is_constant:
            raise NotLifted(f"{what}: the sizes {a} and {b} differ", code="shape-conflict")
        candidates = [
            (t.name, c) for t, c in difference.terms if t.kind == "size" and abs(c) == 1 and not _inside(difference, t)
        ]
        if not candidates and self.fixed(difference):
            return self.require(a, b, what)
        if not candidates or any(t.free for t, _ in difference.terms):
            raise NotLifted(f"{what}: needed equal sizes, found {a} and {b}", code="shape-conflict")
        name, c = min(candidates, key=lambda nc: (nc[0] in self.named, "~" not in nc[0], -len(nc[0])))
        rest = difference - c * Index.size(name)
        value = -c * rest
        if value.is_constant and value.const < 1:
            raise NotLifted(f"{what}: needed equal sizes, found {a} and {b}", code="shape-conflict")
        if name in self.named:
            self.required.append(Required(name, value))
        if name in self.concrete:
            (other, k) = (next(iter(value.sizes)), 1) if len(value.terms) == 1 and not value.const else ("", 0)
            if k and other not in self.concrete and value is Index.size(other):
                self.concrete[other] = self.concrete[name]
        self.known[name] = value
        return self.resolve(b)

    def fixed(self, i: Index) -> bool:
        """Give the sizes in `i` the numbers that the code gave them; False when there are none, or `i` is not zero."""
        if i.free or not i.sizes or not i.sizes <= self.concrete.keys() or i.evaluate({}, self.concrete):
            return False
        for name in sorted(i.sizes):
            self.known[name] = Index.of(self.concrete[name])
            self.required.append(Required(name, Index.of(self.concrete[name]), given=True))
        return True

    def divided(self, total: Index, by: Index, what: str) -> Index:
        """`total / by` for sizes that divide; a size that must be a product becomes one."""
        total, by = self.resolve(total), self.resolve(by)
        if by.is_constant and by.const < 1:
            raise NotLifted(f"{what}: needed parts of a positive length, found {by}", code="shape-conflict")
        if by.is_constant and by.const == 1:
            return total
        if by.is_constant and total.is_constant:
            if total.const % by.const:
                raise NotLifted(f"{what}: {by} does not divide {total}", code="shape-conflict")
            return Index.of(total.const // by.const)
        exact = exact_quotient(total, by)
        if exact is not None:
            return exact
        if by.is_constant and total.sizes <= self.concrete.keys() and not total.free:
            if self.fixed(total - total.evaluate({}, self.concrete)):
                return self.divided(self.resolve(total), by, what)
        if len(total.terms) != 1 or total.const or len(by.terms) > 1 or (by.terms and by.const):
            raise NotLifted(f"{what}: {total} divided by {by} is not read")
        parts, whole = factors(total), by
        for d in factors(by):
            if d in parts:
                parts.remove(d)
                by = exact_quotient(by, Index(((d, 1),))) or by
        for s in sorted(parts, key=lambda a: "~" not in a.name):  # what code does not name is cut first
            if s.kind == "size":
                part = self.fresh("w")
                self.required.append(Required(s.name, by, divides=True))
                self.known[s.name] = by * part
                if s.name in self.concrete and by.is_constant:
                    self.concrete[next(iter(part.sizes))] = self.concrete[s.name] // by.const
                elif s.name in self.concrete and by.sizes <= self.concrete.keys():
                    below = by.evaluate({}, self.concrete)
                    self.concrete[next(iter(part.sizes))] = self.concrete[s.name] // max(below, 1)
                return self.divided(self.resolve(total), self.resolve(whole), what)
        raise NotLifted(f"{what}: {total} divided by {by} is not read")


def factors(i: Index) -> list[Atom]:
    """The factors of a monomial."""
    found = []
    for a, _ in i.terms[:1]:
        found += [x.terms[0][0] for x in a.args] if a.kind == "product" else [a]
    return found


def exact_quotient(total: Index, by: Index) -> Index | None:
    """The polynomial quotient, when there is one."""
    if by.is_constant:
        if not by.const or total.const % by.const or any(c % by.const for _, c in total.terms):
            return None
        return Index(((a, c // by.const) for a, c in total.terms), total.const // by.const)
    if len(by.terms) != 1 or by.const or total.const:
        return None
    below, k = factors(by), by.terms[0][1]
    result = Index()
    for a, c in total.terms:
        above = factors(Index(((a, 1),)))
        if c % k or any(above.count(s) < below.count(s) for s in below):
            return None
        for s in below:
            above.remove(s)
        part = Index.of(c // k)
        for x in above:
            part = part * Index(((x, 1),))
        result = result + part
    return result


def _without_common_factor(i: Index) -> Index:
    """`h*w - h*d` becomes `w - d`: sizes are not zero."""
    if not i.terms:
        return i
    common = [a for a in factors(Index((i.terms[0],))) if a.kind == "size" and not i.const]
    for s in common:
        reduced = exact_quotient(i, Index(((s, 1),)))
        if reduced is not None and not reduced.is_constant:
            i = reduced
    divisor = math.gcd(*(c for _, c in i.terms), i.const)
    return Index(((a, c // divisor) for a, c in i.terms), i.const // divisor) if divisor > 1 else i


def _inside(i: Index, atom: Atom) -> bool:
    """Whether a size occurs inside another atom too."""
    return any(a.args and atom.name in a.sizes for a, _ in i.terms)


# --- making arrays --------------------------------------------------------------------------------------------------


@dataclass
class Input:
    """A tensor that code is given: random, literal data, or a parameter.  `name` is the variable that first held it."""

    head: str
    shape: tuple[Index, ...]
    name: str = ""
    origin: str = "data"
    values: Any = None
    """The literal numbers, as nested tuples, when the code writes them."""
    block: int = -1
    """The block of the document whose code made it; -1 while it has no name."""
    initial: int | None = None
    """The number that all entries of a trained parameter start with."""


@dataclass
class Scope:
    """What one lifting shares: sizes, inputs, fresh names, assumptions, and a limit of counted work."""

    sizes: Sizes = field(default_factory=Sizes)
    inputs: dict[str, Input] = field(default_factory=dict)
    library: str = "torch"
    assumptions: list[Note] = field(default_factory=list)
    facts: list[Constraint] = field(default_factory=list)
    """Ranges of the loops that are open, and conditions on their indices."""
    folds: dict[str, tuple[Definition, ...]] = field(default_factory=dict)
    """What loops hand from round to round, by the number of rounds."""
    minima: dict[str, tuple[Index, Index]] = field(default_factory=dict)
    """Variables that stand for the smaller of two numbers while a round runs."""
    blocks: dict[tuple[Index, Index], Index] = field(default_factory=dict)
    """How many blocks of a length cover an axis of a length, the last of which may be shorter."""
    tails: bool = False
    """Whether blocks need not divide an axis."""
    exact: bool = False
    """Whether numbers that code writes are these numbers; else data are any data, as equations speak of them."""
    work: int = 20_000
    names: int = 0

    @property
    def known(self) -> Guard:
        """What is known of sizes and of the loops that are open."""
        rows = map(self.settled, (*self.facts, *self.sizes.facts))
        return guard(*(x for c in rows for x in (both_bounds(c, self.minima) if self.minima else (c,))))

    def smaller(self, a: Index, b: Index) -> Index:
        """The smaller of two whole numbers, as a variable."""
        found = next((v for v, pair in self.minima.items() if pair in ((a, b), (b, a))), None)
        if found is None:
            found = f"min~{len(self.minima) + 1}"
            self.minima[found] = (a, b)
        return Index.var(found)

    def blocks_of(self, length: Index, width: Index) -> Index:
        """How many blocks of this width cover a length: the number T with (T - 1)*width < length <= T*width."""
        length, width = self.sizes.resolve(length), self.sizes.resolve(width)
        if (length, width) not in self.blocks:
            count = self.blocks[length, width] = self.sizes.fresh("blocks")
            self.sizes.facts += [at_least(count * width, length), less(count * width - width, length)]
        return self.blocks[length, width]

    def spend(self, amount: int = 1) -> None:
        self.work -= amount
        if self.work < 0:
            raise NotLifted("the counted work of lifting is used up", code="work-limit")

    def settled(self, c: Constraint) -> Constraint:
        """A constraint with what is known of its sizes by now."""
        return Constraint(self.sizes.resolve(c.index), c.relation) if c.index.sizes & self.sizes.known.keys() else c

    def variable(self, stem: str = "k") -> Index:
        self.names += 1
        return Index.var(f"{stem}{self.names}")

    def given(
        self,
        shape: Sequence[Index],
        name: str = "",
        origin: str = "data",
        values: Any = None,
        initial: int | None = None,
    ) -> Array:
        """A fresh tensor of unknown entries."""
        head = f"{name or 'input'}~{len(self.inputs) + 1}"
        shape = tuple(self.sizes.resolve(s) for s in shape)
        self.inputs[head] = Input(head, shape, name, origin, values, initial=initial)
        return Array(shape, TensorEntry(head, places(len(shape))), library=self.library)

    def constant(self, name: str) -> Array:
        """A number of mathematics, such as pi, as an input that equations may speak of, too."""
        found = next((g for g in self.inputs.values() if g.origin == "constant" and g.name == name), None)
        return self.given((), name, "constant") if found is None else Array((), TensorEntry(found.head, ()))

    def guarding(self, value: Any, name: str = "eps") -> Any:
        """A small positive constant that guards against a division by zero: an input, which an equation may lack."""
        if self.exact:
            return value
        if isinstance(value, Array) and isinstance(value.entry, Number) and 0 < value.entry.value <= SMALL:
            found = next((g for g in self.inputs.values() if g.origin == "eps" and g.name == name), None)
            if found is None:
                return self.given((), name, "eps", value.entry.value)
            if found.values == value.entry.value:  # another small number is not the same one
                return scalar(TensorEntry(found.head, ()))
        return value

    def assume(self, note: Note) -> None:
        if note not in self.assumptions:
            self.assumptions.append(note)

    def make(
        self, shape: Sequence[Index], entry: Callable[[tuple[Index, ...]], Entry], like: Array | None = None
    ) -> Array:
        """An array from its entries; memory of its own."""
        self.spend()
        shape = tuple(self.sizes.resolve(s) for s in shape)
        try:
            made = entry(places(len(shape)))
        except TermError as error:
            raise NotLifted(str(error), code="too-large") from None
        if like is None:
            return Array(shape, made)
        numbers = like.numbers
        if numbers != "short" and like.whole and isinstance(made, Term):
            numbers = "whole"
        return Array(shape, made, library=like.library, numbers=numbers)

    def look(self, a: Array, shape: Sequence[Index], entry: Callable[[tuple[Index, ...]], Entry]) -> Array:
        """A view into the same memory."""
        made = self.make(shape, entry, a)
        return replace(made, token=a.token, view=True)

    def shape(self, a: Array) -> tuple[Index, ...]:
        return tuple(self.sizes.resolve(s) for s in a.shape)

    def without_minima(self, a: Array) -> Array:
        """The array without variables that stand for the smaller of two numbers."""
        if not self.minima or not isinstance(a.entry, Term):
            return a
        return replace(a, entry=without(a.entry, self.minima))

    def total(self, size: Index, body: Callable[[Index], Term]) -> Term:
        """The sum of `body` over an axis."""
        size = self.sizes.resolve(size)
        if size.is_constant and size.const == 1:
            return body(Index.of(0))
        return over_range(Sum, self.variable(), size, body, self.minima)

    def largest(self, size: Index, body: Callable[[Index], Term]) -> Term:
        size = self.sizes.resolve(size)
        if size.is_constant and size.const == 1:
            return body(Index.of(0))
        return over_range(Max, self.variable(), size, body, self.minima)

    def axis(self, a: Array, k: Any, extra: int = 0) -> int:
        """A non-negative axis number."""
        if isinstance(k, Array) and k.rank == 0 and isinstance(k.entry, Index):
            k = k.entry
        if isinstance(k, Index) and k.is_constant:
            k = k.const
        rank = a.rank + extra
        if not isinstance(k, int) or isinstance(k, bool) or not -rank <= k < rank:
            raise NotLifted(f"needed an axis from {-rank} to {rank - 1}, found {k}", code="shape-conflict")
        return k % rank

    def broadcast(self, shapes: Sequence[tuple[Index, ...]], what: str) -> tuple[Index, ...]:
        """The common shape; axes of size 1 are repeated, other sizes are made equal."""
        rank = max((len(s) for s in shapes), default=0)
        result: list[Index] = []
        one = Index.of(1)
        for k in range(rank):
            found = one
            for s in shapes:
                j = k - (rank - len(s))
                if j < 0:
                    continue
                size = self.sizes.resolve(s[j])
                if size is one:
                    continue
                found = size if found is one else self.sizes.require(found, size, what)
            result.append(found)
        return tuple(self.sizes.resolve(s) for s in result)

    def spread(self, a: Array, at: Sequence[Index]) -> Entry:
        """The entry of `a` at a place of a shape it is broadcast to."""
        own = at[len(at) - a.rank :]
        one = Index.of(1)
        return a.at([Index.of(0) if self.sizes.resolve(s) is one else i for s, i in zip(a.shape, own, strict=True)])

    def elementwise(self, what: str, combine: Callable[..., Entry], *arrays: Array) -> Array:
        shape = self.broadcast([a.shape for a in arrays], what)
        library = next((a.library for a in arrays if a.library), "")
        made = self.make(shape, lambda at: combine(*(self.spread(a, at) for a in arrays)))
        keeps = what in KEEP_WHOLE and made.kind == "real" and all(a.whole for a in arrays)
        floating = made.kind == "int" and any(a.numbers == "real" for a in arrays)
        if any(a.numbers == "short" for a in arrays) and all(a.whole for a in arrays):
            return replace(made, library=library, numbers=self._short(what, made, arrays))
        return replace(made, library=library, numbers="whole" if keeps else "real" if floating else "")

    def _short(self, what: str, made: Array, arrays: Sequence[Array]) -> str:
        """The type of a result of numbers of few bits; refuses what may wrap."""
        if what in COMPARISONS and all(is_short(a.entry) or a.numbers == "short" for a in arrays):
            return ""
        if what not in KEEP_WHOLE and what not in COMPARISONS:
            return ""
        if any(a.numbers != "short" and a.kind != "bool" and a.rank for a in arrays):
            return "whole" if what in KEEP_WHOLE else ""  # both are taken to the longer type
        if what in COMPARISONS or not is_short(made.entry):
            raise NotLifted("whole numbers of fewer than 32 bits, or without a sign, that may wrap")
        return "short"
