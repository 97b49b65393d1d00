"""Terms: immutable, hash-consed expressions over indexed real tensors.

Integers and reals are kept apart: indices live in `index.py` and are canonical from birth.  A `Term` is a real number:
it is kept exactly as it was written, and nothing is simplified on construction, so that a proof can say what it did.

Scope.  `Sum`, `Max` and `Lambda` bind index variables (see `substitution.py`).  `children`, `with_children` and
`binding` give every traversal (kernel, evaluator, writers) the same view.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar
from weakref import WeakValueDictionary

from flint import fmpq

from derivations.language.index import (
    Atom as Atom,
)
from derivations.language.index import (
    Constraint as Constraint,
)
from derivations.language.index import (
    Guard as Guard,
)
from derivations.language.index import (
    Index as Index,
)
from derivations.language.index import (
    TermError as TermError,
)
from derivations.language.index import (
    at_least as at_least,
)
from derivations.language.index import (
    atoms as atoms,
)
from derivations.language.index import (
    constraint as constraint,
)
from derivations.language.index import (
    equal as equal,
)
from derivations.language.index import (
    flattened as flattened,
)
from derivations.language.index import (
    guard as guard,
)
from derivations.language.index import (
    guard_free as guard_free,
)
from derivations.language.index import (
    guard_substitute as guard_substitute,
)
from derivations.language.index import (
    halved as halved,
)
from derivations.language.index import (
    label as label,
)
from derivations.language.index import (
    less as less,
)
from derivations.language.index import (
    permuted as permuted,
)
from derivations.language.index import (
    quotient as quotient,
)
from derivations.language.index import (
    remainder as remainder,
)
from derivations.language.index import (
    within as within,
)
from derivations.language.index import (
    write_guard as write_guard,
)
from derivations.language.index import (
    write_name as write_name,
)

MAX_DEPTH = 120
"""Deepest term that may be built; recursive traversals stay far below Python's own limit."""
MAX_BITS = 100_000
"""Longest numerator or denominator of a number."""
MAX_NODES = 200_000
"""Largest term (as a tree) that may be built."""


class Term:
    """A real number (scores may also be minus infinity).  Equal structure is the same object."""

    __slots__ = ("__weakref__", "_canonical", "_text", "depth", "free", "heads", "nodes")
    _table: ClassVar[WeakValueDictionary[tuple[object, ...], Term]] = WeakValueDictionary()
    fields: ClassVar[tuple[str, ...]] = ()

    free: frozenset[str]
    """Free index variables."""
    heads: frozenset[str]
    """Names of the tensors and defined symbols that occur."""
    nodes: int
    depth: int
    _canonical: Term | None
    _text: str | None

    def __reduce__(self) -> tuple[Callable[..., Term], tuple[object, ...]]:
        return type(self), tuple(getattr(self, f) for f in self.fields)

    @property
    def children(self) -> tuple[Term, ...]:
        """The real subterms, in the order that proof positions count them."""
        return ()

    def with_children(self, children: Sequence[Term]) -> Term:
        """The same node over other children."""
        return self

    def binding(self, child: int) -> tuple[tuple[str, ...], Guard]:
        """Variables bound, and constraints known to hold, inside child number `child`."""
        return (), ()

    # arithmetic sugar for building terms; it builds what it is told and simplifies nothing
    def __add__(self, other: Term | int) -> Term:
        return Add((self, number(other)))

    def __radd__(self, other: int) -> Term:
        return Add((number(other), self))

    def __neg__(self) -> Term:
        return Mul((number(-1), self))

    def __sub__(self, other: Term | int) -> Term:
        return Add((self, Mul((number(-1), number(other)))))

    def __rsub__(self, other: int) -> Term:
        return Add((number(other), Mul((number(-1), self))))

    def __mul__(self, other: Term | int) -> Term:
        return Mul((self, number(other)))

    def __rmul__(self, other: int) -> Term:
        return Mul((number(other), self))

    def __truediv__(self, other: Term | int) -> Term:
        return Mul((self, Pow(number(other), number(-1))))

    def __rtruediv__(self, other: int) -> Term:
        return Mul((number(other), Pow(self, number(-1))))

    def __pow__(self, exponent: Term | int) -> Term:
        return Pow(self, number(exponent))

    def __str__(self) -> str:
        if self._text is None:
            from derivations.language.text import write

            self._text = write(self)
        return self._text

    def __repr__(self) -> str:
        return f"<{self}>"


def _known(cls: type[Term], *values: object) -> Term | None:
    """The term with these parts, where it is there already."""
    return Term._table.get((cls, *values))


def _intern(
    cls: type[Term], values: tuple[object, ...], free: frozenset[str], below: Sequence[Term], known_as: object = None
) -> Term:
    key = (cls, *values) if known_as is None else (cls, known_as)
    found = Term._table.get(key)
    if found is None:
        if any(isinstance(v, str) and type(v) is not str for v in values):
            raise TermError(f"needed plain names in a term, found {values!r:.80}")
        found = object.__new__(cls)
        for name, value in zip(cls.fields, values, strict=True):
            setattr(found, name, value)
        found.free = free
        found.nodes = 1 + sum(t.nodes for t in below)
        found.depth = 1 + max((t.depth for t in below), default=0)
        if found.depth > MAX_DEPTH:
            raise TermError(f"the term is nested more than {MAX_DEPTH} levels deep; split it by definitions")
        if found.nodes > MAX_NODES:
            raise TermError(f"the term has more than {MAX_NODES} nodes; split it by definitions")
        found.heads = frozenset().union(*(t.heads for t in below)) if below else frozenset()
        found._canonical = found._text = None
        Term._table[key] = found
    return found


def _union(terms: Iterable[Term]) -> frozenset[str]:
    return frozenset().union(*(t.free for t in terms))


class Number(Term):
    """A rational number."""

    __slots__ = ("value",)
    fields = ("value",)
    value: fmpq

    def __new__(cls, value: fmpq | int | Fraction) -> Number:
        if isinstance(value, Fraction):
            value = fmpq(value.numerator, value.denominator)
        exact = fmpq(value)
        # whole numbers in the key: the hash of a fmpq needs the import system, which is gone when the table is cleared
        key = int(exact.p), int(exact.q)
        if max(key[0].bit_length(), key[1].bit_length()) > MAX_BITS:
            raise TermError(f"a number of more than {MAX_BITS} bits; write it as a power")
        return _intern(cls, (exact,), frozenset(), (), key)  # type: ignore[return-value]


def number(value: Term | int | Fraction | fmpq) -> Term:
    return value if isinstance(value, Term) else Number(value)


class IndexValue(Term):
    """An index or a size used as a number: the `i` of `1/(i + 1)`, the `d` of `sqrt(d)`."""

    __slots__ = ("index",)
    fields = ("index",)
    index: Index

    def __new__(cls, index: Index) -> IndexValue:
        return _intern(cls, (index,), index.free, ())  # type: ignore[return-value]


class NegInfinity(Term):
    """Minus infinity, allowed in scores only."""

    __slots__ = ()

    def __new__(cls) -> NegInfinity:
        return _intern(cls, (), frozenset(), ())  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class Lambda:
    """A tensor given by its entries: `Lambda(("a", "b"), K[b, a])` is the transpose of K."""

    params: tuple[str, ...]
    body: Term

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", tuple(self.params))
        if any(type(p) is not str for p in self.params):
            raise TermError(f"needed names as the indices of a tensor given by its entries, found {self.params!r:.80}")
        if len(set(self.params)) != len(self.params):
            raise TermError(
                f"the indices of a tensor given by its entries must be distinct, found {', '.join(self.params)}"
            )

    @property
    def free(self) -> frozenset[str]:
        return self.body.free - frozenset(self.params)


INVERSE = "matrix inverse"
"""The head of entries of the inverse of a square matrix: no tensor and no definition may have this name."""
UNKNOWN = "any "
"""Starts the heads of functions of arrays of which nothing is known, `any f`: no tensor and no definition has such a name."""
FACTORIAL, BINOMIAL = UNKNOWN + "factorial", UNKNOWN + "binom"
"""The heads of `n!` and of binomial coefficients, of whose values at names nothing is used."""
DETERMINANT = UNKNOWN + "det"
"""The head of determinants of square matrices; that of a matrix without rows is 1."""
NABLA = "nabla "
"""Begins, after `UNKNOWN`, the name of the gradient of a function of which nothing is known; twice for the second one."""


class Entry(Term):
    """An entry of a tensor, a scalar (no indices), or an instance of a defined symbol.

    `A[i, j]`, `sigma`, `A(K, Q)[i, j]`: `args` are the tensors put for the definition's tensor parameters, `sizes`
    the sizes put for its size parameters (both empty for plain tensors).  The entries of the inverse of an n by n
    matrix are written with the head `INVERSE`, the matrix as the argument and n as the size (see `inverse`).  The value
    of a function of which nothing is known has a head that starts with `UNKNOWN`, the arrays it is applied to as the
    arguments, and the lengths of all of their axes, in order, as the sizes: it depends on the entries within them alone.
    """

    __slots__ = ("args", "indices", "name", "sizes")
    fields = ("name", "indices", "args", "sizes")
    name: str
    indices: tuple[Index, ...]
    args: tuple[Lambda, ...]
    sizes: tuple[Index, ...]

    def __new__(
        cls,
        name: str,
        indices: Iterable[Index | int] = (),
        args: Iterable[Lambda] = (),
        sizes: Iterable[Index | int] = (),
    ) -> Entry:
        at = tuple([i if isinstance(i, Index) else Index.of(i) for i in indices])
        tensors = tuple(args)
        extents = tuple(Index.of(s) for s in sizes) if sizes else ()
        if known := _known(cls, name, at, tensors, extents):
            return known  # type: ignore[return-value]
        if any(type(t) is not Lambda for t in tensors):
            raise TermError(f"needed tensors given by their entries in {name}, found others")
        free = frozenset().union(*(i.free for i in at), *(i.free for i in extents), *(t.free for t in tensors))
        made = _intern(cls, (name, at, tensors, extents), free, tuple(t.body for t in tensors))
        if name not in made.heads:
            made.heads = made.heads | {name}
        return made  # type: ignore[return-value]

    @property
    def children(self) -> tuple[Term, ...]:
        return tuple(t.body for t in self.args)

    def with_children(self, children: Sequence[Term]) -> Term:
        lambdas = [Lambda(old.params, body) for old, body in zip(self.args, children, strict=True)]
        return Entry(self.name, self.indices, lambdas, self.sizes)

    def binding(self, child: int) -> tuple[tuple[str, ...], Guard]:
        params = self.args[child].params
        if self.is_inverse:
            return params, guard(*(c for p in params for c in within(p, 0, self.sizes[0])))
        if self.is_unknown:
            return params, guard(
                *(c for p, n in zip(params, self.lengths[child], strict=True) for c in within(p, 0, n))
            )
        return params, ()

    @property
    def is_inverse(self) -> bool:
        """Whether this is an entry of the inverse of a matrix."""
        ranks = len(self.indices), len(self.args), len(self.sizes)
        return self.name == INVERSE and ranks == (2, 1, 1) and len(self.args[0].params) == 2

    @property
    def is_unknown(self) -> bool:
        """Whether this is a value of a function of arrays of which nothing is known."""
        return self.name.startswith(UNKNOWN) and len(self.sizes) == sum(len(a.params) for a in self.args)

    @property
    def lengths(self) -> tuple[tuple[Index, ...], ...]:
        """The lengths of the axes of each argument of a function of which nothing is known."""
        rest = iter(self.sizes)
        return tuple(tuple(next(rest) for _ in a.params) for a in self.args)


class Add(Term):
    """A sum of finitely many written terms."""

    __slots__ = ("args",)
    fields = ("args",)
    args: tuple[Term, ...]

    def __new__(cls, args: Iterable[Term]) -> Add:
        args = tuple(args)
        return _known(cls, args) or _intern(cls, (args,), _union(args), args)  # type: ignore[return-value]

    @property
    def children(self) -> tuple[Term, ...]:
        return self.args

    def with_children(self, children: Sequence[Term]) -> Term:
        return Add(children)


class Mul(Term):
    """A product of finitely many written factors (`a/b` is `Mul(a, Pow(b, -1))`)."""

    __slots__ = ("args",)
    fields = ("args",)
    args: tuple[Term, ...]

    def __new__(cls, args: Iterable[Term]) -> Mul:
        args = tuple(args)
        return _known(cls, args) or _intern(cls, (args,), _union(args), args)  # type: ignore[return-value]

    @property
    def children(self) -> tuple[Term, ...]:
        return self.args

    def with_children(self, children: Sequence[Term]) -> Term:
        return Mul(children)


class Pow(Term):
    """A power.  Exponent an integer number: any base (base non-zero for a negative one); else base > 0 (0 allowed for
    positive rational exponents)."""

    __slots__ = ("base", "exponent")
    fields = ("base", "exponent")
    base: Term
    exponent: Term

    def __new__(cls, base: Term, exponent: Term | int | Fraction) -> Pow:
        power = number(exponent)
        return _known(cls, base, power) or _intern(cls, (base, power), base.free | power.free, (base, power))  # type: ignore[return-value]

    @property
    def children(self) -> tuple[Term, ...]:
        return self.base, self.exponent

    def with_children(self, children: Sequence[Term]) -> Term:
        return Pow(children[0], children[1])


FUNCTIONS = frozenset({"exp", "log", "sin", "cos", "tanh", "abs"})
"""Functions with a meaning; any other name in `Apply` is an opaque real function of one real."""
DERIVED = "'"
"""Ends the name of the derivative of an opaque function: `phi'`, and `phi''` for the second one."""


class Apply(Term):
    """A function of one real number: `exp(x)`, or an opaque elementwise `phi(x)`."""

    __slots__ = ("arg", "function")
    fields = ("function", "arg")
    function: str
    arg: Term

    def __new__(cls, function: str, arg: Term) -> Apply:
        return _intern(cls, (function, arg), arg.free, (arg,))  # type: ignore[return-value]

    @property
    def children(self) -> tuple[Term, ...]:
        return (self.arg,)

    def with_children(self, children: Sequence[Term]) -> Term:
        return Apply(self.function, children[0])


class Bracket(Term):
    """Iverson bracket: 1 where all constraints hold, else 0.  Kronecker's delta is `Bracket((i == j,))`."""

    __slots__ = ("condition",)
    fields = ("condition",)
    condition: Guard

    def __new__(cls, condition: Iterable[Constraint]) -> Bracket:
        known = guard(*condition)
        return _intern(cls, (known,), guard_free(known), ())  # type: ignore[return-value]


class Case(Term):
    """The value of the first branch whose guard holds, else `otherwise`; the other branches are not evaluated."""

    __slots__ = ("branches", "otherwise")
    fields = ("branches", "otherwise")
    branches: tuple[tuple[Guard, Term], ...]
    otherwise: Term

    def __new__(cls, branches: Iterable[tuple[Guard, Term]], otherwise: Term) -> Case:
        known = tuple((guard(*g), t) for g, t in branches)
        below = (*(t for _, t in known), otherwise)
        free = _union(below).union(*(guard_free(g) for g, _ in known))
        return _intern(cls, (known, otherwise), free, below)  # type: ignore[return-value]

    @property
    def children(self) -> tuple[Term, ...]:
        return (*(t for _, t in self.branches), self.otherwise)

    def with_children(self, children: Sequence[Term]) -> Term:
        return Case(tuple((g, t) for (g, _), t in zip(self.branches, children, strict=False)), children[-1])

    def binding(self, child: int) -> tuple[tuple[str, ...], Guard]:
        known: list[Constraint] = []
        for earlier, _ in self.branches[:child]:
            if len(earlier) == 1 and len(earlier[0].negations()) == 1:
                known += earlier[0].negations()
        if child < len(self.branches):
            known += self.branches[child][0]
        return (), guard(*known)


class Choice(Term):
    """`above` where `test` > 0, else `otherwise`; the other one is not evaluated.  `Choice(x, 1, 0)` is [x > 0]."""

    __slots__ = ("above", "otherwise", "test")
    fields = ("test", "above", "otherwise")
    test: Term
    above: Term
    otherwise: Term

    def __new__(cls, test: Term, above: Term, otherwise: Term) -> Choice:
        below = (test, above, otherwise)
        return _intern(cls, below, _union(below), below)  # type: ignore[return-value]

    @property
    def children(self) -> tuple[Term, ...]:
        return self.test, self.above, self.otherwise

    def with_children(self, children: Sequence[Term]) -> Term:
        return Choice(*children)


class Binder(Term):
    """A term that binds one index variable: a sum or a maximum."""

    __slots__ = ("body", "guard", "var")
    fields = ("var", "guard", "body")
    var: str
    guard: Guard
    body: Term

    def __new__(cls, var: str, condition: Iterable[Constraint], body: Term) -> Binder:
        ranges = guard(*condition)
        if known := _known(cls, var, ranges, body):
            return known  # type: ignore[return-value]
        free = (body.free | guard_free(ranges)) - {var}
        return _intern(cls, (var, ranges, body), free, (body,))  # type: ignore[return-value]

    @property
    def children(self) -> tuple[Term, ...]:
        return (self.body,)

    def with_children(self, children: Sequence[Term]) -> Term:
        return type(self)(self.var, self.guard, children[0])

    def binding(self, child: int) -> tuple[tuple[str, ...], Guard]:
        return (self.var,), self.guard


class Sum(Binder):
    """The sum of `body` over all integers `var` that satisfy `guard` (which must bound `var` on both sides)."""

    __slots__ = ()


class Max(Binder):
    """The largest `body` over all integers `var` that satisfy `guard` (at least one must)."""

    __slots__ = ()


class Expectation(Term):
    """The expected value of `body` over the random tensors that occur in it (see `Law`)."""

    __slots__ = ("body",)
    fields = ("body",)
    body: Term

    def __new__(cls, body: Term) -> Expectation:
        return _intern(cls, (body,), body.free, (body,))  # type: ignore[return-value]

    @property
    def children(self) -> tuple[Term, ...]:
        return (self.body,)

    def with_children(self, children: Sequence[Term]) -> Term:
        return Expectation(children[0])


class Derivative(Term):
    """The partial derivative of `body` with respect to the entry `name[at]` of a given tensor.

    The body is differentiated for a variable position, which then becomes `at`: d/dX[p] of X[i] is [i = p].
    """

    __slots__ = ("at", "body", "name")
    fields = ("name", "at", "body")
    name: str
    at: tuple[Index, ...]
    body: Term

    def __new__(cls, name: str, at: Iterable[Index | int], body: Term) -> Derivative:
        place = tuple(Index.of(i) for i in at)
        free = body.free.union(*(i.free for i in place))
        made = _intern(cls, (name, place, body), free, (body,))
        if name not in made.heads:
            made.heads = made.heads | {name}
        return made  # type: ignore[return-value]

    @property
    def children(self) -> tuple[Term, ...]:
        return (self.body,)

    def with_children(self, children: Sequence[Term]) -> Term:
        return Derivative(self.name, self.at, children[0])


TERM_KINDS: tuple[type[Term], ...] = (
    Number,
    IndexValue,
    NegInfinity,
    Entry,
    Add,
    Mul,
    Pow,
    Apply,
    Bracket,
    Case,
    Choice,
    Sum,
    Max,
    Expectation,
    Derivative,
)
"""All kinds of terms; a subclass of one is none."""

ZERO, ONE, MINUS_ONE, HALF = Number(0), Number(1), Number(-1), Number(Fraction(1, 2))


def sqrt(term: Term) -> Term:
    return Pow(term, HALF)


def exp(term: Term) -> Term:
    return Apply("exp", term)


def delta(left: Index, right: Index) -> Term:
    return Bracket((equal(left, right),))


def inverse(matrix: Lambda, length: Index, i: Index | int, j: Index | int) -> Entry:
    """Entry (i, j) of the inverse of the square matrix with these entries; unspecified when there is none.

    >>> a, b, n = Index.var("a"), Index.var("b"), Index.size("n")
    >>> str(inverse(Lambda(("a", "b"), Entry("M", (a, b))), n, a, b))
    'inverse(M)[a, b]'
    """
    return Entry(INVERSE, (i, j), (matrix,), (length,))


def listed(t: Max) -> list[Term] | None:
    """The values of a maximum over their numbers; None when it is another maximum."""
    here, body = Index.var(t.var), t.body
    if not isinstance(body, Case) or t.guard != within(t.var, 0, len(body.children)):
        return None
    numbered = all(g == (equal(here, k),) for k, (g, _) in enumerate(body.branches))
    return list(body.children) if numbered and not any(t.var in c.free for c in body.children) else None


def negative(t: Term) -> Term:
    """-t, with the sign in every summand."""
    if isinstance(t, Add):
        return Add(map(negative, t.args))
    if isinstance(t, Number):
        return Number(-t.value)
    if isinstance(t, Mul) and t.args and isinstance(t.args[0], Number):
        number_ = [Number(-t.args[0].value)] if t.args[0].value != -1 else []
        return product_of([*number_, *t.args[1:]])
    return -t


def by_sign(value: Term, above: Term, zero: Term, below: Term) -> Term:
    """`above` where `value` > 0, `zero` where it is 0, `below` where it is negative."""
    if zero is below:
        return Choice(value, above, below)
    under = Choice(negative(value), below, zero)
    return under if zero is above else Choice(value, above, under)


def sum_over(var: str, low: Index | int, high: Index | int, body: Term) -> Sum:
    """`sum(body, low <= var < high)`."""
    return Sum(var, within(var, low, high), body)


def product_of(factors: Sequence[Term]) -> Term:
    """The product of some factors: 1 of none, the factor itself of one."""
    return ONE if not factors else factors[0] if len(factors) == 1 else Mul(factors)
