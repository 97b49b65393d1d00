"""Integers: indices in canonical polynomial form, constraints on them, and conjunctions of constraints.

An `Index` is a sum of integer multiples of atoms.  An atom is an index variable, a size (at least 1), a product of
these (`h*w`, the offset of head `h` in a flattened axis), a permutation of an axis at an index, its inverse, a label
(an unknown position on an axis, as the class `y(n)` of example n), or a quotient `e // w` rounded down.  The form is
canonical from birth: `i + 1 - 1` *is* `i`, `pi^-1(pi(i))` *is* `i`, and `(h*w + c) // w` *is* `h + c // w`.

A permutation `pi` of an axis of length `n` is a bijection of all integers that maps 0, ..., n-1 to themselves (and
fixes everything else); so the laws above need no side condition.  A label on an axis of length `K` is a function of
all integers whose values are among 0, ..., K-1, and 0 where K is not positive.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, ClassVar
from weakref import WeakValueDictionary

MAX_BITS = 4_000
"""Longest number that is added to an index, once something was multiplied."""
MAX_FACTORS = 6
"""Factors of one product of indices and sizes."""

Choose = Callable[[str, str, int, tuple[int, ...]], int]
"""(kind of the atom, name, length of the axis, places) -> position: how `Index.evaluate` asks for permutations and labels."""


class TermError(ValueError):
    """A term or index that cannot be built: too deep, too large, or ill-formed."""


_PLAIN = re.compile(r"[^\W\d][\w'#]*")
"""Names that cannot be taken for a number, an operator or a bracket."""
WORDS = frozenset({"if", "else", "true", "oo", "for", "with", "given", "where"})
"""What the text of a term says in words."""
APPLIED = frozenset({"sum", "max", "cases", "E", "sqrt", "inverse", "floor"})
"""What stands before a parenthesis in the text of a term with a meaning of its own."""


@lru_cache(maxsize=8192)
def write_name(name: str, *, applied: bool = False, exact: bool = False) -> str:
    """The text of a name, in quotes where it could be taken for something else; `applied` before a parenthesis.

    In an `exact` text all that is not ASCII is escaped too, because letters of different scripts look alike.

    >>> write_name("W_q"), write_name("0"), write_name("sum", applied=True)
    ('W_q', '"0"', '"sum"')
    """
    plain = _PLAIN.fullmatch(name) and (name[0] == "_" or name[0].isalpha()) and (name.isascii() or not exact)
    if plain and name not in WORDS and not (applied and name in APPLIED):
        return name
    return json.dumps(name, ensure_ascii=exact)


class Atom:
    """An integer unknown; equal structure is the same object.

    Kinds: "index" (a variable), "size" (at least 1), "product" (of the atoms in `args`), "perm" and "inverse"
    (`args` are the position and the length of the axis), "label" (`args` are the places, then the length of the axis that
    the value lies on), "quotient" (`args[0] // args[1]`, divisor at least 1).
    """

    __slots__ = ("__weakref__", "args", "free", "key", "kind", "name")
    _table: ClassVar[WeakValueDictionary[tuple[str, str, tuple[Index, ...]], Atom]] = WeakValueDictionary()
    kind: str
    name: str
    args: tuple[Index, ...]
    key: tuple[str, str, tuple[str, ...]]
    """What atoms are ordered by."""
    free: frozenset[str]

    def __new__(cls, kind: str, name: str, args: tuple[Index, ...] = ()) -> Atom:
        found = cls._table.get((kind, name, args))
        if found is None:
            found = object.__new__(cls)
            found.kind, found.name, found.args = kind, name, args
            found.key = (kind, name, tuple(map(str, args)) if args else ())
            found.free = frozenset((name,)) if kind == "index" else frozenset().union(*(a.free for a in args))
            cls._table[kind, name, args] = found
        return found

    def __lt__(self, other: Atom) -> bool:
        return self.key < other.key

    def __reduce__(self) -> tuple[type[Atom], tuple[str, str, tuple[Index, ...]]]:
        return Atom, (self.kind, self.name, self.args)

    @property
    def sizes(self) -> frozenset[str]:
        if self.kind == "size":
            return frozenset((self.name,))
        return frozenset().union(*(a.sizes for a in self.args)) if self.args else frozenset()

    def substitute(self, indices: Mapping[str, Index], sizes: Mapping[str, Index]) -> Index | None:
        """What the atom becomes; None when it stays."""
        if not self.args:
            return (indices if self.kind == "index" else sizes).get(self.name)
        new = tuple(a.substitute(indices, sizes) for a in self.args)
        return None if new == self.args else _rebuild(self, new)

    def evaluate(self, indices: Mapping[str, int], sizes: Mapping[str, int], choose: Choose | None) -> int:
        if not self.args:
            return (indices if self.kind == "index" else sizes)[self.name]
        values = [a.evaluate(indices, sizes, choose) for a in self.args]
        if self.kind == "product":
            return math.prod(values)
        if self.kind == "quotient":
            return values[0] // values[1]
        if choose is None:
            raise KeyError(self.name)
        return choose(self.kind, self.name, values[-1], tuple(values[:-1]))

    def __str__(self) -> str:
        if self.kind == "product":
            return "*".join(map(str, self.args))
        if self.kind == "perm":
            return f"{write_name(self.name, applied=True)}({self.args[0]})"
        if self.kind == "inverse":
            return f"{write_name(self.name, applied=True)}^-1({self.args[0]})"
        if self.kind == "label":
            return f"{write_name(self.name, applied=True)}({', '.join(map(str, self.args[:-1]))})"
        if self.kind == "quotient":
            return f"floor(({self.args[0]})/({self.args[1]}))"
        return write_name(self.name)


class Index:
    """An integer, as the canonical form `sum(coefficient * atom) + constant`.

    >>> i, n = Index.var("i"), Index.size("n")
    >>> str(2 * i - n + 1), (i + 1 - 1) is i
    ('2*i - n + 1', True)
    >>> h, w = Index.var("h"), Index.size("w")
    >>> str((h + 1) * w), quotient(h * w, w) is h
    ('h*w + w', True)
    """

    __slots__ = ("__weakref__", "const", "free", "plain", "terms")
    _table: ClassVar[WeakValueDictionary[tuple[tuple[tuple[Atom, int], ...], int], Index]] = WeakValueDictionary()
    terms: tuple[tuple[Atom, int], ...]
    const: int
    free: frozenset[str]
    plain: bool
    """Whether all atoms are index variables and sizes."""

    def __new__(cls, terms: Iterable[tuple[Atom, int]] = (), const: int = 0) -> Index:
        collected: dict[Atom, int] = {}
        for atom, coefficient in terms:
            collected[atom] = collected.get(atom, 0) + coefficient
        kept = [(a, c) for a, c in collected.items() if c]
        if len(kept) > 1:
            kept.sort(key=_by_atom)
        return cls._ordered(tuple(kept), const)

    @classmethod
    def _ordered(cls, terms: tuple[tuple[Atom, int], ...], const: int) -> Index:
        """The index with these terms, which are in order, with different atoms, and none times zero."""
        key = (terms, const)
        found = cls._table.get(key)
        if found is None:
            if type(const) is not int or any(type(c) is not int for _, c in terms):
                raise TermError(f"needed whole numbers in an index, found {const!r} and {[c for _, c in terms]!r}")
            found = object.__new__(cls)
            found.terms, found.const = terms, const
            found.plain = not any(a.args for a, _ in terms)
            found.free = frozenset().union(*(a.free for a, _ in terms)) if terms else frozenset()
            cls._table[key] = found
        return found

    @staticmethod
    def var(name: str) -> Index:
        found = _VARIABLES.get(name)
        if found is None:
            found = _VARIABLES[name] = Index(((Atom("index", name), 1),))
        return found

    @staticmethod
    def size(name: str) -> Index:
        found = _SIZES.get(name)
        if found is None:
            found = _SIZES[name] = Index(((Atom("size", name), 1),))
        return found

    @staticmethod
    def of(value: Index | int) -> Index:
        if isinstance(value, Index):
            return value
        if type(value) is not int:
            raise TypeError(f"needed an index or a whole number, found {value!r}")
        return Index((), value)

    def __reduce__(self) -> tuple[type[Index], tuple[tuple[tuple[Atom, int], ...], int]]:
        return Index, (self.terms, self.const)

    def __add__(self, other: Index | int) -> Index:
        if isinstance(other, int):
            return Index._ordered(self.terms, self.const + other) if other else self
        if not other.terms:
            return Index._ordered(self.terms, self.const + other.const) if other.const else self
        if not self.terms:
            return Index._ordered(other.terms, self.const + other.const) if self.const else other
        return Index(self.terms + other.terms, self.const + other.const)

    __radd__ = __add__

    def __neg__(self) -> Index:
        return Index._ordered(tuple([(a, -c) for a, c in self.terms]), -self.const)

    def __sub__(self, other: Index | int) -> Index:
        if isinstance(other, int):
            return Index._ordered(self.terms, self.const - other) if other else self
        if not other.terms:
            return Index._ordered(self.terms, self.const - other.const) if other.const else self
        if self is other:
            return NOTHING
        return Index((*self.terms, *[(a, -c) for a, c in other.terms]), self.const - other.const)

    def __rsub__(self, other: int) -> Index:
        return (-self) + other

    def __mul__(self, factor: Index | int) -> Index:
        if isinstance(factor, Index):
            if not factor.terms:
                return self * factor.const
            if not self.terms:
                return factor * self.const
            products = [
                (_product(a, b), c * k) for a, c in (*self.terms, (None, self.const))
                for b, k in (*factor.terms, (None, factor.const)) if a or b
            ]  # fmt: skip
            return Index(((a, c) for a, c in products if a is not None), self.const * factor.const)
        if factor.bit_length() + self.const.bit_length() > MAX_BITS:
            raise TermError(f"needed an index with a number of at most {MAX_BITS} bits, found a longer one")
        if not factor:
            return NOTHING
        return Index._ordered(tuple([(a, factor * c) for a, c in self.terms]), factor * self.const)

    __rmul__ = __mul__

    def coefficient(self, name: str) -> int:
        """The coefficient of the index variable `name` on its own (not inside other atoms)."""
        return next((c for a, c in self.terms if a.kind == "index" and a.name == name), 0)

    def linear_in(self, name: str) -> bool:
        """Whether the variable occurs on its own only."""
        return self.plain or not any(a.args and name in a.free for a, _ in self.terms)

    @property
    def sizes(self) -> frozenset[str]:
        return frozenset().union(*(a.sizes for a, _ in self.terms)) if self.terms else frozenset()

    @property
    def is_constant(self) -> bool:
        return not self.terms

    def substitute(self, indices: Mapping[str, Index], sizes: Mapping[str, Index] | None = None) -> Index:
        terms: list[tuple[Atom, int]] = []
        const = self.const
        changed = False
        for atom, coefficient in self.terms:
            new = atom.substitute(indices, sizes or {})
            if new is None:
                terms.append((atom, coefficient))
                continue
            changed = True
            terms += new.terms if coefficient == 1 else [(a, coefficient * c) for a, c in new.terms]
            const += coefficient * new.const
        return Index(terms, const) if changed else self

    def evaluate(self, indices: Mapping[str, int], sizes: Mapping[str, int], choose: Choose | None = None) -> int:
        if self.plain:
            total = self.const
            for a, c in self.terms:
                total += c * (indices if a.kind == "index" else sizes)[a.name]
            return total
        return self.const + sum(c * a.evaluate(indices, sizes, choose) for a, c in self.terms)

    def __str__(self) -> str:
        return write_index(self)

    def __repr__(self) -> str:
        return f"Index({self})"


def write_index(index: Index, spell: Callable[[Atom], str] = str) -> str:
    """The text of an index, with atoms as `spell` writes them."""
    if not index.terms:
        return str(index.const)
    parts = []
    # variables before sizes, positive before negative: `j + 1`, `n - 1`, `i - j`
    for atom, c in sorted(index.terms, key=lambda t: (t[1] < 0, t[0].key)):
        parts.append((c < 0, spell(atom) if abs(c) == 1 else f"{abs(c)}*{spell(atom)}"))
    if index.const:
        parts.append((index.const < 0, str(abs(index.const))))
    text = ("-" if parts[0][0] else "") + parts[0][1]
    return text + "".join(f" {'-' if minus else '+'} {word}" for minus, word in parts[1:])


NOTHING = Index()
"""The index 0."""

_VARIABLES: dict[str, Index] = {}
_SIZES: dict[str, Index] = {}
"""Single variables and sizes, which are asked for all the time."""


def _by_atom(row: tuple[Atom, int]) -> tuple[str, str, tuple[str, ...]]:
    return row[0].key


def _product(a: Atom | None, b: Atom | None) -> Atom | None:
    """The atom of a product; None for the product of nothing."""
    if a is None or b is None:
        return a or b
    factors = [
        *(a.args if a.kind == "product" else (Index(((a, 1),)),)),
        *(b.args if b.kind == "product" else (Index(((b, 1),)),)),
    ]
    if len(factors) > MAX_FACTORS:
        raise TermError(f"an index multiplies more than {MAX_FACTORS} indices and sizes")
    return Atom("product", "", tuple(sorted(factors, key=str)))


def _rebuild(atom: Atom, args: tuple[Index, ...]) -> Index:
    if atom.kind == "product":
        total = Index((), 1)
        for a in args:
            total = total * a
        return total
    if atom.kind == "quotient":
        return quotient(args[0], args[1])
    if atom.kind == "label":
        return label(atom.name, args[:-1], args[-1])
    return permuted(atom.name, args[1], args[0], inverse=atom.kind == "inverse")


def permuted(name: str, length: Index, position: Index, *, inverse: bool = False) -> Index:
    """`name(position)` for a permutation of an axis of this length, or its inverse.

    >>> n, i = Index.size("n"), Index.var("i")
    >>> str(permuted("pi", n, i)), permuted("pi", n, permuted("pi", n, i, inverse=True)) is i
    ('pi(i)', True)
    """
    kind, other = ("inverse", "perm") if inverse else ("perm", "inverse")
    if len(position.terms) == 1 and not position.const:
        ((atom, c),) = position.terms
        if c == 1 and atom.kind == other and atom.name == name and atom.args[1] is length:
            return atom.args[0]
    return Index(((Atom(kind, name, (position, length)), 1),))


def label(name: str, places: Iterable[Index], length: Index) -> Index:
    """`name(places)`: an unknown position on an axis of this length.

    >>> n, K = Index.var("n"), Index.size("K")
    >>> str(label("y", [n], K) + 1)
    'y(n) + 1'
    """
    return Index(((Atom("label", name, (*places, length)), 1),))


def with_labels(index: Index, change: Callable[[Atom], Index]) -> Index:
    """The index with each of its labels changed; the arguments of a label are changed before it."""
    if index.plain:
        return index
    total = Index((), index.const)
    for atom, k in index.terms:
        if not atom.args:
            total = total + Index(((atom, k),))
            continue
        new = _rebuild(atom, tuple(with_labels(a, change) for a in atom.args))
        is_label = atom.kind == "label" and len(new.terms) == 1
        total = total + k * (change(new.terms[0][0]) if is_label else new)
    return total


def quotient(value: Index, divisor: Index | int) -> Index:
    """`value // divisor`, rounded down; the divisor is a positive constant or a product of sizes.

    >>> c, w = Index.var("c"), Index.size("w")
    >>> str(quotient(c, w)), str(quotient(6 * c + 3, 2))
    ('floor((c)/(w))', '3*c + 1')
    """
    by = Index.of(divisor)
    if by.is_constant:
        if by.const <= 0:
            raise TermError(f"needed a positive divisor, found {by}")
        k = by.const
        whole = Index(((a, c // k) for a, c in value.terms if c % k == 0), value.const // k)
        rest = Index(((a, c) for a, c in value.terms if c % k), value.const % k)
        return whole if rest.is_constant else whole + Index(((Atom("quotient", "", (rest, by)), 1),))
    sizes = _factors(by)
    if by.const or len(by.terms) != 1 or by.terms[0][1] != 1 or any(a.kind != "size" for a in sizes):
        raise TermError(f"needed a size as the divisor, found {by}")
    whole, rest = Index(), Index((), value.const)
    for atom, c in value.terms:
        left = _factors(Index(((atom, 1),)))
        if all(left.count(s) >= sizes.count(s) for s in sizes):
            for s in sizes:
                left.remove(s)
            part = Index((), c)
            for a in left:
                part = part * Index(((a, 1),))
            whole = whole + part
        else:
            rest = rest + Index(((atom, c),))
    if rest.is_constant and rest.const == 0:
        return whole
    return whole + Index(((Atom("quotient", "", (rest, by)), 1),))


def remainder(value: Index, divisor: Index | int) -> Index:
    """`value mod divisor`, between 0 and the divisor: `value - divisor * (value // divisor)`."""
    return value - Index.of(divisor) * quotient(value, divisor)


def halved(half: Index) -> Index | None:
    """The d of `d // 2`, and None for another index.

    >>> str(halved(quotient(Index.size("d"), 2))), halved(Index.size("d"))
    ('d', None)
    """
    if len(half.terms) != 1 or half.const:
        return None
    ((atom, k),) = half.terms
    if k != 1 or atom.kind != "quotient" or atom.args[1] is not Index.of(2):
        return None
    return atom.args[0]


def _factors(i: Index) -> list[Atom]:
    ((atom, _),) = i.terms[:1] or (((Atom("size", ""), 0)),)
    return [a.terms[0][0] for a in atom.args] if atom.kind == "product" else [atom]


def flattened(pattern: Index) -> tuple[str, str, Index]:
    """(h, c, w) of the pattern `h*w + c`, with index variables h, c and a size (or number) w.

    >>> h, c, w = Index.var("h"), Index.var("c"), Index.size("w")
    >>> flattened(h * w + c) == ("h", "c", w)
    True
    """
    if len(pattern.terms) == 2 and not pattern.const:
        for (a, k), (b, m) in (pattern.terms, pattern.terms[::-1]):
            if a.kind == "index" and k == 1 and b.kind == "product" and m == 1 and len(b.args) == 2:
                for high, width in (b.args, b.args[::-1]):
                    if high.terms[0][0].kind == "index" and width.terms[0][0].kind == "size":
                        if high.terms[0][0].name != a.name:
                            return high.terms[0][0].name, a.name, width
    raise TermError(f"needed the form head*width + channel, found {pattern}")


def atoms(index: Index) -> Iterator[Atom]:
    """All atoms, those inside other atoms too."""
    for a, _ in index.terms:
        yield a
        for inner in a.args:
            yield from atoms(inner)


class Constraint:
    """`index >= 0` (`relation=">="`) or `index == 0` (`relation="=="`) over the integers; build with `at_least`, `less`, …

    Equal structure is the same object.
    """

    __slots__ = ("__weakref__", "index", "key", "relation")
    _table: ClassVar[WeakValueDictionary[tuple[Index, str], Constraint]] = WeakValueDictionary()
    index: Index
    relation: str
    key: tuple[object, ...]
    """What constraints are ordered by."""

    def __new__(cls, index: Index, relation: str = ">=") -> Constraint:
        found = cls._table.get((index, relation))
        if found is None:
            found = object.__new__(cls)
            found.index, found.relation = index, relation
            found.key = (relation, tuple((a.key, k) for a, k in index.terms), index.const)
            cls._table[index, relation] = found
        return found

    def __reduce__(self) -> tuple[type[Constraint], tuple[Index, str]]:
        return Constraint, (self.index, self.relation)

    def __repr__(self) -> str:
        return f"Constraint({self})"

    def substitute(self, indices: Mapping[str, Index], sizes: Mapping[str, Index] | None = None) -> Constraint:
        return constraint(self.index.substitute(indices, sizes), self.relation)

    def holds(self, indices: Mapping[str, int], sizes: Mapping[str, int], choose: Choose | None = None) -> bool:
        value = self.index.evaluate(indices, sizes, choose)
        return value >= 0 if self.relation == ">=" else value == 0

    @property
    def free(self) -> frozenset[str]:
        return self.index.free

    def negations(self) -> tuple[Constraint, ...]:
        """The alternatives of the negation (one for `>=`, two for `==`)."""
        if self.relation == ">=":
            return (constraint(-self.index - 1),)
        return (constraint(self.index - 1), constraint(-self.index - 1))

    def __str__(self) -> str:
        return write_constraint(self)


def write_constraint(c: Constraint, spell: Callable[[Atom], str] = str) -> str:
    """The text of a constraint, with atoms as `spell` writes them."""
    left = Index(((a, k) for a, k in c.index.terms if k > 0), max(c.index.const, 0))
    right = Index(((a, -k) for a, k in c.index.terms if k < 0), max(-c.index.const, 0))
    if c.relation == "==":
        return f"{write_index(left, spell)} = {write_index(right, spell)}"
    if left.const == 0 and right.const == 1 and right.terms:  # a >= b + 1 reads better as b < a
        return f"{write_index(right - 1, spell)} < {write_index(left, spell)}"
    return f"{write_index(right, spell)} <= {write_index(left, spell)}"


Guard = tuple[Constraint, ...]
"""A conjunction of constraints, sorted and without repetition; `()` is true."""


def constraint(index: Index, relation: str = ">=") -> Constraint:
    """The canonical constraint: coefficients divided by their gcd (tightened over the integers), signs of `==` fixed."""
    divisor = math.gcd(*(c for _, c in index.terms)) if index.terms else 1
    if divisor > 1:
        if relation == ">=":
            index = Index(((a, c // divisor) for a, c in index.terms), index.const // divisor)
        elif index.const % divisor == 0:
            index = Index(((a, c // divisor) for a, c in index.terms), index.const // divisor)
    if relation == "==" and index.terms and index.terms[0][1] < 0:
        index = -index
    return Constraint(index, relation)


def _difference(left: Index | int, right: Index | int, less: int = 0) -> Index:
    """`left - right - less`."""
    left, right = Index.of(left), Index.of(right)
    if not right.terms:
        return left - (right.const + less)
    return Index((*left.terms, *((a, -c) for a, c in right.terms)), left.const - right.const - less)


def at_least(left: Index | int, right: Index | int) -> Constraint:
    """`left >= right`."""
    return constraint(_difference(left, right))


def less(left: Index | int, right: Index | int) -> Constraint:
    """`left < right`."""
    return constraint(_difference(right, left, 1))


def equal(left: Index | int, right: Index | int) -> Constraint:
    """`left == right`."""
    return constraint(_difference(left, right), "==")


def guard(*constraints: Constraint) -> Guard:
    """The conjunction, sorted, repetitions dropped, trivially true parts kept out."""
    kept = {c for c in constraints if c.index.terms or not c.holds({}, {})}
    return tuple(sorted(kept, key=_constraint_key)) if len(kept) > 1 else tuple(kept)


def within(var: str, low: Index | int, high: Index | int) -> Guard:
    """`low <= var < high`."""
    v = Index.var(var)
    return guard(at_least(v, low), less(v, high))


def _constraint_key(c: Constraint) -> Any:
    return c.key


def guard_free(conditions: Guard) -> frozenset[str]:
    return frozenset().union(*(c.free for c in conditions)) if conditions else frozenset()


def guard_substitute(
    conditions: Guard, indices: Mapping[str, Index], sizes: Mapping[str, Index] | None = None
) -> Guard:
    return guard(*(c.substitute(indices, sizes) for c in conditions))


def write_guard(conditions: Guard, first: str | None = None, spell: Callable[[Atom], str] = str) -> str:
    """Text of a conjunction; the two bounds of one variable are joined (those of `first` before the others).

    >>> write_guard(within("j", 0, Index.size("n")))
    '0 <= j < n'
    """
    left = list(conditions)
    texts: list[str] = []
    for v in sorted(guard_free(conditions), key=lambda name: (name != first, name)):
        lower = [c for c in left if c.relation == ">=" and c.index.coefficient(v) == 1]
        upper = [c for c in left if c.relation == ">=" and c.index.coefficient(v) == -1]
        if len(lower) == len(upper) == 1 and lower[0] is not upper[0]:
            low = -(lower[0].index - Index.var(v))
            high = upper[0].index + Index.var(v)
            exclusive = high.const == -1 and high.terms
            below = f"< {write_index(high + 1, spell)}" if exclusive else f"<= {write_index(high, spell)}"
            texts.append(f"{write_index(low, spell)} <= {write_index(Index.var(v), spell)} {below}")
            left = [c for c in left if c is not lower[0] and c is not upper[0]]
    return ", ".join([*texts, *(write_constraint(c, spell) for c in left)]) or "true"
