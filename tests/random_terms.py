"""Random theories, places and terms that lean to what goes wrong: masks of -oo, values 0, empty ranges, jumps, size 1.

And their text: `source` writes a term, an index or a definition as the Python that builds it, `smaller` shrinks a term
while it still fails.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction

from derivations.kernel.definition import admit
from derivations.kernel.errors import KernelError
from derivations.language.statement import Definition, Law, Tensor, Theory
from derivations.language.term import (
    HALF,
    ONE,
    ZERO,
    Add,
    Apply,
    Bracket,
    Case,
    Choice,
    Constraint,
    Entry,
    Guard,
    Index,
    IndexValue,
    Lambda,
    Max,
    Mul,
    NegInfinity,
    Number,
    Pow,
    Sum,
    Term,
    TermError,
    at_least,
    equal,
    exp,
    guard,
    label,
    less,
    permuted,
    quotient,
    remainder,
    within,
)

N, M = Index.size("n"), Index.size("m")
BOTTOM = NegInfinity()
PALETTES = (
    tuple(map(Fraction, (0, 1, -1, 2))),
    tuple(map(Fraction, (0, 0, 1))),
    tuple(map(Fraction, (1, 2, 3, Fraction(1, 2)))),
    tuple(map(Fraction, (-2, Fraction(-1, 2), Fraction(1, 3), 1, 3))),
)
"""What entries are drawn from: mixed, mostly 0, positive, never 0."""

Rng = random.Random


def var(name: str) -> Index:
    return Index.var(name)


class Maker:
    """Random parts of terms over a theory; index variables in scope are passed along."""

    def __init__(self, seed: object) -> None:
        self.rng = Rng(str(seed))
        self.count = 0
        self.extra: tuple[Term, ...] = ()
        """Terms that are to occur now and then."""

    def fresh(self) -> str:
        """A name for a bound index: now and then one that hides another."""
        if self.chance(0.1):
            return self.rng.choice("ijkt")
        self.count += 1
        return f"k{self.count}"

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    # --- integers -----------------------------------------------------------------------------------------------

    def index(self, names: Sequence[str], odd: float = 0.1) -> Index:
        rng = self.rng
        if not names or self.chance(0.12):
            return rng.choice((Index.of(0), Index.of(1), N - 1, N, Index.of(-1), M - 1))
        i = var(rng.choice(names))
        kind = rng.random()
        if kind < 0.7 - odd:
            return i
        if kind < 0.9 - odd:
            return i + rng.choice((-1, 1, 1, 2)) if self.chance(0.8) else N - 1 - i
        if kind < 1 - odd:
            return var(rng.choice(names)) - i
        return rng.choice(
            (
                quotient(i, 2),
                quotient(i, M),
                remainder(i, M),
                remainder(i, 2),
                permuted("pi", N, i),
                permuted("pi", N, i, inverse=True),
                label("lab", (i,), M),
                label("cls", (i, var(rng.choice(names))), N),
                i * M + var(rng.choice(names)),
                i * var(rng.choice(names)),
                2 * i,
            )
        )

    def constraint(self, names: Sequence[str], odd: float = 0.1) -> Constraint:
        build = self.rng.choice((at_least, less, at_least, less, equal))
        return build(self.index(names, odd), self.index(names, odd))

    def condition(self, names: Sequence[str], odd: float = 0.1) -> Guard:
        return guard(*(self.constraint(names, odd) for _ in range(self.rng.choice((1, 1, 1, 2)))))

    def range(self, name: str, names: Sequence[str]) -> Guard:
        """A range that bounds `name`; it may be empty."""
        rng, here = self.rng, var(name)
        low = rng.choice((Index.of(0), Index.of(0), Index.of(0), self.index(names, 0), Index.of(1)))
        high = rng.choice((N, N, N, M, self.index(names, 0), self.index(names, 0) + 1, Index.of(2), N - 1))
        more = (self.constraint((name, *names)),) if self.chance(0.2) else ()
        if self.chance(0.05):
            return guard(equal(here, self.index(names, 0)))
        return guard(at_least(here, low), less(here, high), *more)

    def mask(self, i: str, j: str) -> Guard:
        """Where a score is kept: causal, strictly causal, banded, diagonal, all, none, random."""
        a, b, one = var(i), var(j), Index.of(1)
        return self.rng.choice(
            (
                guard(at_least(a, b)),
                guard(less(b, a)),
                guard(at_least(a, b), at_least(b, a - 1)),
                guard(equal(a, b)),
                guard(less(b, N)),
                guard(at_least(one, N)),
                guard(less(a, b)),
                guard(at_least(a, one), at_least(b, one)),
                self.condition((i, j)),
            )
        )

    # --- terms --------------------------------------------------------------------------------------------------

    def number(self) -> Number:
        return Number(self.rng.choice((0, 0, 1, 1, 2, -1, -2, Fraction(1, 2), Fraction(-1, 2), 3)))

    def entry(self, theory: Theory, names: Sequence[str]) -> Term:
        """An entry of a given tensor or of a defined symbol."""
        options: list[tuple[str, int, int, int]] = [(t.name, len(t.shape), 0, 0) for t in theory.tensors.values()]
        for rows in theory.definitions.values():
            d = rows[0]
            options += [(d.name, len(d.indices), len(d.tensors), len(d.sizes))] * 2
        name, rank, tensors, sizes = self.rng.choice(options)
        args = []
        for _ in range(tensors):
            p = self.rng.choice(names) if names and self.chance(0.3) else self.fresh()
            args.append(Lambda((p,), self.leaf(theory, (*names, p))))
        extents = [self.rng.choice((N, M, Index.of(1), Index.of(2), N - 1, N + 1)) for _ in range(sizes)]
        return Entry(name, [self.index(names, 0.05) for _ in range(rank)], args, extents)

    def leaf(self, theory: Theory, names: Sequence[str]) -> Term:
        known = [t for t in self.extra if t.free <= set(names)]
        if known and self.chance(0.3):
            return self.rng.choice(known)
        kind = self.rng.random()
        if kind < 0.2:
            return self.number()
        if kind < 0.3:
            return IndexValue(self.index(names))
        if kind < 0.36:
            return BOTTOM
        if kind < 0.44:
            return Bracket(self.condition(names))
        return self.entry(theory, names)

    def term(self, theory: Theory, names: Sequence[str], depth: int) -> Term:
        if depth <= 0 or self.chance(0.12):
            return self.leaf(theory, names)
        rng = self.rng
        below = lambda *more: self.term(theory, (*names, *more), depth - 1)  # noqa: E731 - short for what follows
        kind = rng.randrange(20)
        if kind < 3:
            return Add([below() for _ in range(rng.choice((2, 2, 3)))])
        if kind < 6:
            return Mul([below() for _ in range(rng.choice((2, 2, 3)))])
        if kind < 8:
            power = rng.choice((-1, -1, -1, 2, 2, 3, -2, 0, Fraction(1, 2), Fraction(-1, 2), Fraction(3, 2)))
            return Pow(below(), below() if self.chance(0.08) else Number(power))
        if kind < 11:
            return exp(below())
        if kind < 13:
            return Apply(rng.choice(("log", "abs", "abs", "sin", "tanh", "phi")), below())
        if kind < 14:
            return Case([(self.condition(names), below()) for _ in range(rng.choice((1, 1, 2)))], below())
        if kind < 15:
            return Choice(below(), below(), below())
        if kind < 18:
            k = self.fresh()
            return rng.choice((Sum, Sum, Max))(k, self.range(k, names), below(k))
        return self.interesting(theory, names, depth - 1)

    def interesting(self, theory: Theory, names: Sequence[str], depth: int) -> Term:
        """Forms that people write about attention."""
        k, other_name = self.fresh(), self.fresh()
        score = self.score(theory, names)
        inside = self.score(theory, (*names, k))
        total = Sum(k, self.range(k, names), exp(inside))
        if score.free & set(names) and self.chance(0.5):  # the same score in numerator and denominator
            j = self.rng.choice(sorted(score.free & set(names)))
            total = Sum(k, within(k, 0, N), exp(_renamed(score, j, k)))
        other = self.term(theory, names, depth - 1)
        top = Max(other_name, self.range(other_name, names), self.score(theory, (*names, other_name)))
        forms: tuple[Callable[[], Term], ...] = (
            lambda: exp(score),
            lambda: exp(score) / total,
            lambda: Apply("log", total),
            lambda: Apply("log", exp(score) / total),
            lambda: ONE / score,
            lambda: exp(score - top),
            lambda: exp(other * score),
            lambda: Bracket(self.condition(names)) * score,
            lambda: Bracket(self.condition(names)) * other,
            lambda: Bracket(self.condition(names)) / other,
            lambda: score - score,
            lambda: top - score,
            lambda: Pow(total, self.rng.choice((-1, HALF, Number(-2)))),
            lambda: ONE + (-1) * (exp(score) / total),
            lambda: Mul((ZERO, score)),
            lambda: Choice(score, other, ZERO),
            lambda: Choice(other, ONE / other, other),
            lambda: total - exp(score),
            lambda: abs_of(score) + other,
        )
        return self.rng.choice(forms)()

    def score(self, theory: Theory, names: Sequence[str]) -> Term:
        kind = self.rng.random()
        one = self.entry(theory, names)
        if kind < 0.5:
            return one
        if kind < 0.6:
            return Case(((self.condition(names), one),), BOTTOM)
        if kind < 0.7:
            return one + Bracket(self.condition(names)) * BOTTOM
        if kind < 0.8:
            return self.entry(theory, names) * one
        if kind < 0.9:
            return one + Case(((self.condition(names), ZERO),), BOTTOM)
        return self.leaf(theory, names)

    # --- theories -----------------------------------------------------------------------------------------------

    def theory(self) -> Theory:
        tensors = [Tensor("x", (N, N)), Tensor("v", (N,)), Tensor("y"), Tensor("z")]
        if self.chance(0.25):
            tensors.append(Tensor("q", (N,), Law(ZERO, ONE)))
        theory = Theory({t.name: t for t in tensors})
        groups = [self.scores, self.weights, self.recursion, self.patterns, self.functions, self.plain]
        for group in self.rng.sample(groups, self.rng.choice((2, 3, 4))):
            for d in group(theory):
                try:
                    theory = admit(theory, d)
                except (KernelError, TermError):
                    break  # not conservative; what refuses it is not the matter here
        return theory

    def scores(self, theory: Theory) -> Iterator[Definition]:
        i, j = "i", "j"
        x = Entry("x", (var(i), var(j)))
        kept = self.mask(i, j)
        body = self.rng.choice(
            (
                Case(((kept, x),), BOTTOM),
                Case(((kept, BOTTOM),), x),
                x + Case(((kept, ZERO),), BOTTOM),
                x + (ONE - Bracket(kept)) * BOTTOM,
                Choice(x, x, BOTTOM),
                BOTTOM,
                Case(((kept, ZERO),), BOTTOM),
                Case(((kept, Entry("y") * x),), BOTTOM),
            )
        )
        yield Definition("S", (var(i), var(j)), body, self.somewhere((i, j)), shape=self.shape(2))

    def weights(self, theory: Theory) -> Iterator[Definition]:
        name = "S" if "S" in theory.definitions else "x"
        at = lambda j: exp(Entry(name, (var("i"), var(j))))  # noqa: E731
        total = Sum("k", self.range("k", ("i",)), at("k"))
        yield Definition("Z", (var("i"),), total, shape=self.shape(1))
        yield Definition("W", (var("i"), var("j")), at("j") / Entry("Z", (var("i"),)), self.somewhere(("i",)))

    def recursion(self, theory: Theory) -> Iterator[Definition]:
        t = var("t")
        start = Index.of(self.rng.choice((0, 0, 0, 1)))
        step = Index.of(self.rng.choice((1, 1, 1, 2)))
        own = Entry("R", (t - step,))
        v = self.term(theory, ("t",), 1)
        body = self.rng.choice(
            (
                own + v,
                own * v,
                exp(own) + v,
                Max("r", within("r", 0, 2), Case(((guard(equal(var("r"), 0)), own),), v)),
                Case(((self.condition(("t",)), own),), v),
                own + exp(v),
                own * exp(v),
                own,
                Choice(own, v, own),
                Sum("r", guard(at_least(var("r"), 0), less(var("r"), t)), Entry("R", (var("r"),))) + v,
            )
        )
        first = self.rng.choice((ZERO, ONE, BOTTOM, Entry("y"), exp(Entry("y")), self.term(theory, (), 1)))
        yield Definition("R", (start,), first)
        if step.const == 2 and self.chance(0.7):
            yield Definition("R", (start + 1,), first)
        yield Definition("R", (t,), body, guard(at_least(t, start + step)))

    def patterns(self, theory: Theory) -> Iterator[Definition]:
        i, c = var("i"), var("c")
        kind = self.rng.randrange(3)
        one, other = self.term(theory, ("i",), 1), self.term(theory, ("i",), 1)
        if kind == 0:
            yield Definition("P", (2 * i,), one)
            yield Definition("P", (2 * i + self.rng.choice((1, 1, 3)),), other)
        elif kind == 1:
            inside = guard(at_least(c, 0), less(c, M))
            yield Definition("P", (i * M + c,), self.term(theory, ("i", "c"), 1), inside)
        else:
            on = self.constraint(("i",))
            yield Definition("P", (i,), one, guard(on))
            for negated in on.negations():
                yield Definition("P", (i,), other, guard(negated))

    def functions(self, theory: Theory) -> Iterator[Definition]:
        i = var("i")
        n, given = Index.size("n"), Tensor("X", (N,))
        body = Sum("k", within("k", 0, n), exp(Entry("X", (var("k"),)))) if self.chance(0.5) else exp(Entry("X", (i,)))
        first = exp(Entry("X", (i,))) if self.chance(0.7) else self.term(theory, ("i",), 1)
        yield Definition("F", (i,), first * Pow(body, self.rng.choice((1, -1))), (), (given,), ("n",))
        yield Definition("H", (i,), self.term(theory, ("i",), 1), self.somewhere(("i",)), (), ("m",))

    def plain(self, theory: Theory) -> Iterator[Definition]:
        yield Definition("A", (), self.term(theory, (), 2))
        yield Definition("B", (var("i"),), self.term(theory, ("i",), 2), self.somewhere(("i",)), shape=self.shape(1))
        yield Definition("C", (var("i"), var("j")), self.term(theory, ("i", "j"), 2))

    def somewhere(self, names: Sequence[str]) -> Guard:
        return self.condition(names, 0) if self.chance(0.2) else ()

    def shape(self, rank: int) -> tuple[Index, ...] | None:
        return (N,) * rank if self.chance(0.5) else None

    # --- places -------------------------------------------------------------------------------------------------

    def place(self) -> tuple[tuple[str, ...], Guard]:
        """Index variables in scope and facts about them."""
        names = ("i", "j", "l")[: self.rng.choice((0, 1, 2, 2, 3))]
        facts: list[Constraint] = []
        for v in names:
            facts += within(v, 0, self.rng.choice((N, N, N, M))) if self.chance(0.8) else ()
        facts += [self.constraint(names) for _ in range(self.rng.choice((0, 0, 1, 1, 2)))]
        if self.chance(0.15):
            facts.append(at_least(N, 2))
        return names, guard(*facts)


def abs_of(t: Term) -> Term:
    return Apply("abs", t)


def _renamed(t: Term, old: str, new: str) -> Term:
    from derivations.language.substitution import rename_apart, substitute

    return substitute(rename_apart(t, {new}), {old: var(new)})


# --- texts ------------------------------------------------------------------------------------------------------


def source(value: object) -> str:
    """The Python that builds a term, an index, a constraint, a definition, or a tuple or mapping of such."""
    if isinstance(value, Index):
        return _index_source(value)
    if isinstance(value, Constraint):
        return f"Constraint({source(value.index)}, {value.relation!r})"
    if isinstance(value, Number):
        return f"Number({int(value.value.p)})" if value.value.q == 1 else f"Number(Fraction({str(value.value)!r}))"
    if isinstance(value, Term):
        return f"{type(value).__name__}({', '.join(source(getattr(value, f)) for f in value.fields)})"
    if is_dataclass(value):
        return f"{type(value).__name__}({', '.join(source(getattr(value, f.name)) for f in fields(value))})"
    if isinstance(value, tuple):
        return f"({', '.join(map(source, value))}{',' if len(value) == 1 else ''})"
    if hasattr(value, "items"):
        return "{" + ", ".join(f"{k!r}: {source(v)}" for k, v in value.items()) + "}"
    return repr(value)


def _index_source(value: Index) -> str:
    parts = [f"{k} * {_atom_source(a)}" if k != 1 else _atom_source(a) for a, k in value.terms]
    if value.const or not parts:
        parts.append(f"Index.of({value.const})" if not parts else str(value.const))
    return " + ".join(parts)


def _atom_source(a: object) -> str:
    kind, name = a.kind, a.name  # type: ignore[attr-defined]
    args = [f"({source(x)})" for x in a.args]  # type: ignore[attr-defined]
    if kind == "index":
        return f"Index.var({name!r})"
    if kind == "size":
        return f"Index.size({name!r})"
    if kind == "product":
        return " * ".join(args)
    if kind == "quotient":
        return f"quotient({args[0]}, {args[1]})"
    if kind == "label":
        return f"label({name!r}, ({', '.join(args[:-1])},), {args[-1]})"
    return f"permuted({name!r}, {args[1]}, {args[0]}, inverse={kind == 'inverse'})"


def smaller(t: Term, fails: Callable[[Term], bool], tries: int = 300) -> Term:
    """A smaller term that still fails."""
    while tries > 0:
        for candidate in sorted(set(_candidates(t)), key=lambda u: (u.nodes, str(u))):
            if candidate.nodes >= t.nodes:
                continue
            tries -= 1
            if tries <= 0:
                return t
            if candidate.free <= t.free and fails(candidate):
                t = candidate
                break
        else:
            return t
    return t


def _candidates(t: Term) -> Iterator[Term]:
    yield from t.children
    if t.nodes > 1:
        yield from (ONE, ZERO)
    if isinstance(t, (Add, Mul)) and len(t.args) > 1:
        yield from (type(t)(t.args[:k] + t.args[k + 1 :]) for k in range(len(t.args)))
    children = t.children
    for k, child in enumerate(children):
        for c in _candidates(child):
            try:
                yield t.with_children([*children[:k], c, *children[k + 1 :]])
            except TermError:
                continue
