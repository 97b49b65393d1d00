"""What authors write wrong at one place of a formula, and what could stand there instead: the rows of near misses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from derivations.kernel.sign import integral
from derivations.language.statement import Statement, Theory
from derivations.language.substitution import canonical, fresh, own_indices, substitute, subterms, term_sizes
from derivations.language.term import (
    HALF,
    ONE,
    Add,
    Apply,
    Bracket,
    Choice,
    Constraint,
    Derivative,
    Entry,
    Guard,
    Index,
    IndexValue,
    Lambda,
    Max,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    TermError,
    constraint,
    guard,
    guard_substitute,
    within,
)

MAX_FACTORS = 6
"""Factors of a statement that are tried where they may be forgotten."""
MAX_LENGTHS = 4
"""Lengths of a statement that are tried as factors."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What can stand at a place of a statement: index variables, lengths and names."""

    theory: Theory
    variables: tuple[str, ...]
    lengths: tuple[str, ...]
    heads: tuple[str, ...]
    factors_written: tuple[Term, ...] = ()
    """What stands as a factor somewhere in the statement."""

    def inside(self, bound: tuple[str, ...]) -> Scope:
        """The scope under a binder."""
        return replace(self, variables=(*self.variables, *bound)) if bound else self

    def factors(self, of: Term) -> Iterator[Term]:
        """Factors of a term that are forgotten, or written once too often; none that takes a length out of it."""
        yield from (Number(2), Number(Fraction(1, 2)))
        for name in self.lengths:
            size = IndexValue(Index.size(name))
            power = _power_of(size, of)
            if power != 1:
                yield Pow(size, -1)
            if power != -1:
                yield size
            if power != Fraction(1, 2):
                yield Pow(Pow(size, HALF), -1)
            if power != Fraction(-1, 2):
                yield Pow(size, HALF)


def _power_of(base: Term, t: Term) -> Fraction:
    """The power in which a term has another one as a factor."""
    if t is base:
        return Fraction(1)
    if isinstance(t, Mul):
        return sum((_power_of(base, factor) for factor in t.args), Fraction(0))
    if isinstance(t, Pow) and isinstance(t.exponent, Number):
        return _power_of(base, t.base) * Fraction(int(t.exponent.value.p), int(t.exponent.value.q))
    return Fraction(0)


@dataclass(frozen=True, slots=True)
class Slip:
    """A row: a name, words for what should stand there, and the terms that could."""

    name: str
    words: str
    at: Callable[[Term, Scope], Iterator[Term]] | None = None
    """What could stand at one place of a side, in place of a term."""
    whole: Callable[[Statement, Theory], Iterator[Statement]] | None = None
    """Statements that differ from one in more than one place of its right side."""
    on_left: bool = True
    """Whether it is tried on the left side too; a factor there is the inverse one on the right."""
    of_indices: bool = False
    """Whether it is about places: nobody defines a name anew by one."""
    of_order: bool = False
    """Whether it is tried on inequalities: a factor that is small enough makes any of them true."""
    of_size: bool = False
    """Whether it says how large a side is: some number always fits one that is a number."""
    tells: bool = True
    """Whether it hardly ever makes a theorem of a statement by accident."""


def mirrored(s: Statement) -> Statement:
    """The same two sides with the other one on the right; what it says does not count."""
    return replace(s, left=s.right, right=s.left)


def once(t: Term, scope: Scope, change: Callable[[Term, Scope], Iterator[Term]]) -> Iterator[Term]:
    """The term with one of its places changed; what a derivative is taken of stays, and what is chosen by a sign."""
    yield from change(t, scope)
    for k, child in enumerate(() if isinstance(t, Derivative | Choice) else t.children):
        for new in once(child, scope.inside(t.binding(k)[0]), change):
            try:
                yield t.with_children([*t.children[:k], new, *t.children[k + 1 :]])
            except TermError:
                continue


def in_all_places(t: Term, scope: Scope, change: Callable[[Term, Scope], Iterator[Term]]) -> Iterator[Term]:
    """The term with one thing changed that it takes a function of for several indices: the scores of a softmax, which
    stand above and below."""
    places: dict[Term, dict[Term, tuple[str, ...]]] = {}
    for u in subterms(t):
        if isinstance(u, Apply) and (own := _variables(u.arg)):
            general = {v: Index.var(f"@{k}") for k, v in enumerate(own)}
            places.setdefault(canonical(substitute(u.arg, general)), {})[u.arg] = own
    for same in (found for found in places.values() if len(found) > 1):
        (first, own), *_ = same.items()
        for new in once(first, replace(scope, variables=own), change):
            if not new.free <= set(own):
                continue
            names = ({v: Index.var(w) for v, w in zip(own, others, strict=True)} for others in same.values())
            with suppress(TermError):  # a change that makes no term is none
                yield rewrite(t, dict(zip(same, (substitute(new, n) for n in names), strict=True)).get)


def _variables(t: Term) -> tuple[str, ...]:
    """The free variables of a term in the order in which they stand in it."""
    inside = (v for u in subterms(t) for index in own_indices(u) for v in sorted(index.free))
    return tuple(dict.fromkeys(v for v in inside if v in t.free))


# --- changes at one place -------------------------------------------------------------------------------------------


def _other_sign(t: Term, scope: Scope) -> Iterator[Term]:
    if isinstance(t, Add):
        for k, part in enumerate(t.args):
            yield Add((*t.args[:k], _negated(part), *t.args[k + 1 :]))
    elif isinstance(t, Apply):
        yield Apply(t.function, _negated(t.arg))
    elif isinstance(t, Pow) and isinstance(t.exponent, Number):
        yield Pow(t.base, Number(-t.exponent.value))
    else:
        yield _negated(t)


def _negated(t: Term) -> Term:
    """Minus a term, without a second sign before it."""
    if isinstance(t, Number):
        return Number(-t.value)
    if isinstance(t, Mul) and isinstance(t.args[0], Number):
        rest = t.args[1:] if t.args[0].value == -1 else (Number(-t.args[0].value), *t.args[1:])
        return rest[0] if len(rest) == 1 else Mul(rest)
    return Mul((Number(-1), t))


def _other_indices(t: Term, scope: Scope) -> Iterator[Term]:
    """Two indices exchanged, or another letter for one of them."""
    if not isinstance(t, Entry):
        return
    for a in range(len(t.indices)):
        for b in range(a):
            at = list(t.indices)
            at[a], at[b] = at[b], at[a]
            yield Entry(t.name, at, t.args, t.sizes)
    for a, index in enumerate(t.indices):
        if len(index.free) == 1 and index is Index.var(min(index.free)):
            for v in scope.variables:
                if v not in index.free:
                    yield Entry(t.name, (*t.indices[:a], Index.var(v), *t.indices[a + 1 :]), t.args, t.sizes)


def _other_bound(t: Term, scope: Scope) -> Iterator[Term]:
    """A range, or a condition, that begins or ends one place beside."""
    if isinstance(t, Sum | Max):
        for conditions in _beside(t.guard):
            yield type(t)(t.var, conditions, t.body)
    elif isinstance(t, Bracket) and len(t.condition) == 1:
        for conditions in _beside(t.condition):
            yield Bracket(conditions)


def _beside(conditions: tuple[Constraint, ...]) -> Iterator[tuple[Constraint, ...]]:
    """Conditions with one bound moved; the bounds of an array that is written out are its extent."""
    fixed = all(c.free and not c.index.sizes and len(c.free) == 1 for c in conditions)
    for k, c in enumerate(() if fixed else conditions):
        for step in (1, -1) if c.relation == ">=" else ():
            yield (*conditions[:k], constraint(c.index + step), *conditions[k + 1 :])


def _other_factor(t: Term, scope: Scope) -> Iterator[Term]:
    if isinstance(t, Add):
        for k, part in enumerate(t.args):
            for factor in scope.factors(part):
                yield Add((*t.args[:k], Mul((factor, part)), *t.args[k + 1 :]))
    elif isinstance(t, Apply):
        for factor in scope.factors(t.arg):
            yield Apply(t.function, Mul((factor, t.arg)))
    elif isinstance(t, Entry) and len(t.args) == 1 and not t.args[0].params:
        for factor in scope.factors(t.args[0].body):
            yield Entry(t.name, t.indices, (Lambda((), Mul((factor, t.args[0].body))),), t.sizes)
    elif isinstance(t, Mul):
        for factor in scope.factors(t):
            yield Mul((*t.args, factor))


def factors_written(s: Statement) -> tuple[Term, ...]:
    """The factors of products in a statement that mean something everywhere in it: `\\|k\\|^2` in `(1 - b \\|k\\|^2) s`."""
    products = (u for side in (s.right, s.left) for u in subterms(side) if isinstance(u, Mul))
    named = (f for u in products for f in u.args if f.heads and f.free <= {*s.indices} and not isinstance(f, Add))
    return tuple(dict.fromkeys(named))[:MAX_FACTORS]


def _forgotten_factor(t: Term, scope: Scope) -> Iterator[Term]:
    """A factor that stands elsewhere in the statement, and is missing in one term of a sum."""
    if not isinstance(t, Add):
        return
    for k, part in enumerate(t.args):
        own = part.args if isinstance(part, Mul) else (part,)
        for factor in scope.factors_written:
            if factor not in own:
                yield Add((*t.args[:k], Mul((*own, factor)), *t.args[k + 1 :]))


def _left_out(t: Term, scope: Scope) -> Iterator[Term]:
    """A factor or a term too many."""
    if isinstance(t, Add | Mul) and len(t.args) > 1:
        for k in range(len(t.args)):
            rest = (*t.args[:k], *t.args[k + 1 :])
            yield rest[0] if len(rest) == 1 else type(t)(rest)


def _other_number(t: Term, scope: Scope) -> Iterator[Term]:
    if isinstance(t, Number):
        for value in (t.value + 1, t.value - 1, t.value * 2, t.value / 2):
            if value:
                yield Number(value)


def _other_distance(t: Term, scope: Scope) -> Iterator[Term]:
    """A power of a distance of two indices, of numbers or matrices, that is one more or less: it is the same from whatever
    number they count."""
    if isinstance(t, Pow):
        steps = integral(t.exponent)
        if steps is not None and _is_distance(steps):
            yield from (Pow(t.base, IndexValue(steps + 1)), Pow(t.base, IndexValue(steps - 1)))
    elif isinstance(t, Entry) and scope.theory.recursive(t.name):
        for a, steps in enumerate(t.indices):
            for step in (1, -1) if _is_distance(steps) else ():
                yield Entry(t.name, (*t.indices[:a], steps + step, *t.indices[a + 1 :]), t.args, t.sizes)


def _is_distance(index: Index) -> bool:
    return bool(index.free) and not index.sizes and sum(c for _, c in index.terms) == 0


def _other_place(t: Term, scope: Scope) -> Iterator[Term]:
    """An index that is one more or one less: counting from another number does as much."""
    if isinstance(t, IndexValue):
        yield from (IndexValue(t.index + 1), IndexValue(t.index - 1))
    elif isinstance(t, Entry):
        for a, index in enumerate(t.indices):
            for step in (1, -1) if index.free and index is not Index.var(min(index.free)) else ():
                yield Entry(t.name, (*t.indices[:a], index + step, *t.indices[a + 1 :]), t.args, t.sizes)


def _other_power(t: Term, scope: Scope) -> Iterator[Term]:
    """A square or a root that is missing or too much, or an exponent that is one more or less: `u^a` for `u^(a - 1)`."""
    if isinstance(t, Entry | Apply | Sum | Add | IndexValue):
        yield Pow(t, 2)
        yield Pow(t, HALF)
    elif isinstance(t, Pow) and isinstance(t.exponent, Number):
        yield t.base
        yield Pow(t.base, Number(t.exponent.value * 2))
    elif isinstance(t, Pow):
        yield from (Pow(t.base, Add((t.exponent, Number(k)))) for k in (-1, 1))


def _power_moved(t: Term, scope: Scope) -> Iterator[Term]:
    r"""The power of a sum for the sum of powers: `(1 - b)^t` for `1 - b^t`, `(\sum_i x_i)^2` for `\sum_i x_i^2`."""
    if isinstance(t, Pow) and isinstance(t.base, Add):
        yield Add([_raised(part, t.exponent) for part in t.base.args])
    if isinstance(t, Pow) and isinstance(t.base, Sum) and not t.exponent.free & {t.base.var}:
        yield Sum(t.base.var, t.base.guard, Pow(t.base.body, t.exponent))
    if isinstance(t, Sum) and isinstance(t.body, Pow) and t.var not in t.body.exponent.free:
        yield Pow(Sum(t.var, t.guard, t.body.base), t.body.exponent)
    powers = [u for part in t.args for u in subterms(part) if isinstance(u, Pow)] if isinstance(t, Add) else []
    for exponent in dict.fromkeys(u.exponent for u in powers):
        bases = [_lowered(part, exponent) for part in t.children]
        known = [b for b in bases if b is not None]
        if len(known) == len(bases):
            yield Pow(Add(known), exponent)


def _raised(part: Term, exponent: Term) -> Term:
    """A summand to a power, with its sign in front: `-b` as `-b^t`."""
    first, *others = part.args if isinstance(part, Mul) else (part,)
    if isinstance(first, Number) and first.value == -1 and others:
        return Mul((first, Pow(Mul(others) if len(others) > 1 else others[0], exponent)))
    return part if part is ONE else Pow(part, exponent)


def _lowered(part: Term, exponent: Term) -> Term | None:
    """What a summand is a power of, with its sign in front; 1 is one of itself."""
    first, *others = part.args if isinstance(part, Mul) else (part,)
    if isinstance(first, Number) and first.value == -1 and len(others) == 1:
        base = _lowered(others[0], exponent)
        return None if base is None else Mul((first, base))
    if part is ONE:
        return ONE
    return part.base if isinstance(part, Pow) and part.exponent is exponent else None


def _upside_down(t: Term, scope: Scope) -> Iterator[Term]:
    """A fraction, or one factor of a product, with what is above and what is below exchanged."""
    if not isinstance(t, Mul):
        return
    turned = [_inverted(f) for f in t.args]
    below = [f for f in t.args if isinstance(f, Pow) and isinstance(f.exponent, Number) and f.exponent.value < 0]
    above = [f for f in t.args if not isinstance(f, Number) and f not in below]
    if below and above:
        yield Mul(turned)
    for k, f in enumerate(t.args):
        if len(above) + len(below) > 1 and turned[k] is not f:
            yield Mul((*t.args[:k], turned[k], *t.args[k + 1 :]))


def _inverted(f: Term) -> Term:
    """The inverse of a factor; numbers stay."""
    if isinstance(f, Number):
        return f
    if isinstance(f, Pow) and isinstance(f.exponent, Number):
        return f.base if f.exponent.value == -1 else Pow(f.base, Number(-f.exponent.value))
    return Pow(f, -1)


def _other_name(t: Term, scope: Scope) -> Iterator[Term]:
    """Another name of the statement with the same axes."""
    if not isinstance(t, Entry) or t.args or t.sizes:
        return
    shape = scope.theory.shape(t.name)
    for head in scope.heads:
        if head != t.name and shape is not None and scope.theory.shape(head) == shape and not _is_function(head, scope):
            yield Entry(head, t.indices)


def _is_function(head: str, scope: Scope) -> bool:
    return any(d.tensors or d.sizes for d in scope.theory.definitions.get(head, ()))


_TWINS = {"sin": "cos", "cos": "sin"}


def _other_length(t: Term, scope: Scope) -> Iterator[Term]:
    """Another length of the statement as a number: n under a root where d is meant."""
    if isinstance(t, IndexValue) and len(t.index.sizes) == 1 and t.index is Index.size(min(t.index.sizes)):
        yield from (IndexValue(Index.size(name)) for name in scope.lengths if name not in t.index.sizes)


def _other_function(t: Term, scope: Scope) -> Iterator[Term]:
    if isinstance(t, Apply) and t.function in _TWINS:
        yield Apply(_TWINS[t.function], t.arg)


def _other_arguments(t: Term, scope: Scope) -> Iterator[Term]:
    if isinstance(t, Entry) and len(t.args) == 2:
        yield Entry(t.name, t.indices, t.args[::-1], t.sizes)


# --- changes of a whole statement -----------------------------------------------------------------------------------


def _other_axis(s: Statement, theory: Theory) -> Iterator[Statement]:
    """A sum over one index of an entry becomes the sum over its other index."""
    body = s.right
    if not (isinstance(body, Sum) and isinstance(body.body, Entry)):
        return
    entry = body.body
    shape = theory.shape(entry.name)
    for k, at in enumerate(entry.indices):
        if len(at.free) == 1 and at is Index.var(min(at.free)) and min(at.free) in s.indices:
            var = min(at.free)
            position = next((p for p, i in enumerate(entry.indices) if i is Index.var(body.var)), None)
            if position is None or shape is None or len(shape) != len(entry.indices):
                continue
            free = tuple(body.var if v == var else v for v in s.indices)
            conditions = tuple(c for c in s.guard if var not in c.free)
            right = Sum(var, within(var, 0, shape[k]), entry)
            if var in s.left.free:
                continue  # the other side would speak of an index that nothing runs over
            yield replace(s, right=right, indices=free, guard=guard(*conditions, *within(body.var, 0, shape[position])))


def _normalised_otherwise(s: Statement, theory: Theory) -> Iterator[Statement]:
    """A sum inside of the right side runs over another axis of its terms: the rows of a softmax for its columns."""
    ranges = {v: tuple(c for c in s.guard if v in c.free) for v in s.indices}
    yield from (replace(s, right=right) for right in _other_sums(s.right, ranges))


def _other_sums(t: Term, ranges: Mapping[str, Guard]) -> Iterator[Term]:
    """The term with one sum over another index of its body, at the place where the first one was fixed."""
    if isinstance(t, Sum):
        fixed = [v for v in ranges if v not in t.body.free]
        for v in (v for v in ranges if v in t.body.free and all(c.free == {v} for c in ranges[v])):
            for w in fixed:
                with suppress(TermError):  # a change that makes no term is none
                    body = substitute(substitute(t.body, {t.var: Index.var(w)}), {v: Index.var(t.var)})
                    yield Sum(t.var, guard_substitute(ranges[v], {v: Index.var(t.var)}), body)
    inside = {**ranges, t.var: t.guard} if isinstance(t, Sum | Max) else ranges
    for k, child in enumerate(() if isinstance(t, Derivative | Choice) else t.children):
        for new in _other_sums(child, inside):
            with suppress(TermError):
                yield t.with_children([*t.children[:k], new, *t.children[k + 1 :]])


def _transposed(s: Statement, theory: Theory) -> Iterator[Statement]:
    """All entries of one matrix with their indices exchanged."""
    for head in sorted(s.right.heads):

        def change(t: Term, head: str = head) -> Term | None:
            if isinstance(t, Entry) and t.name == head and len(t.indices) == 2:
                return Entry(t.name, t.indices[::-1], t.args, t.sizes)
            return None

        yield replace(s, right=rewrite(s.right, change))


def _exchanged(s: Statement, theory: Theory) -> Iterator[Statement]:
    """Two free indices exchanged."""
    for a in range(len(s.indices)):
        for b in range(a + 1, len(s.indices)):
            i, j = s.indices[a], s.indices[b]
            between = fresh(f"{i}0", s.right.free | set(s.indices))
            try:
                one = substitute(s.right, {i: Index.var(between)})
                two = substitute(one, {j: Index.var(i)})
                yield replace(s, right=substitute(two, {between: Index.var(j)}))
            except TermError:
                continue


def _exchanged_names(s: Statement, theory: Theory) -> Iterator[Statement]:
    """Two numbers exchanged: the weights in `(u a + v b) / (u + v)`; of vectors, an author may have the transpose."""
    scope = Scope(theory, (), (), ())
    heads = [h for h in sorted(s.right.heads) if theory.shape(h) == () and not _is_function(h, scope)]
    for one, other in combinations(heads[:MAX_FACTORS], 2):
        put = {one: other, other: one}

        def change(t: Term, put: Mapping[str, str] = put) -> Term | None:
            return Entry(put[t.name], ()) if isinstance(t, Entry) and t.name in put and not t.args else None

        yield replace(s, right=rewrite(s.right, change))


def _whole_side(s: Statement, theory: Theory) -> Iterator[Statement]:
    """A factor of the whole side, or its sign."""
    lengths = sorted(term_sizes(s.left) | term_sizes(s.right))[:MAX_LENGTHS]
    for factor in (Number(-1), *Scope(theory, (), tuple(lengths), ()).factors(s.right)):
        yield replace(s, right=Mul((factor, s.right)))


def _other_direction(s: Statement, theory: Theory) -> Iterator[Statement]:
    if s.relation in ("<", "<="):
        yield mirrored(s)


def _slipped_everywhere(s: Statement, theory: Theory) -> Iterator[Statement]:
    """A bound index for a free one throughout a sum."""
    for new in once(s.right, Scope(theory, s.indices, (), ()), _bound_for_free):
        yield replace(s, right=new)


def _bound_for_free(t: Term, scope: Scope) -> Iterator[Term]:
    if isinstance(t, Sum):
        for free in sorted(t.body.free - {t.var}):
            if free in scope.variables:
                try:
                    yield Sum(t.var, t.guard, substitute(t.body, {free: Index.var(t.var)}))
                except TermError:
                    continue


def rewrite(term: Term, change: Callable[[Term], Term | None]) -> Term:
    """The term with every subterm that `change` knows replaced, outermost first."""
    new = change(term)
    if new is not None:
        return new
    children = term.children
    return term.with_children([rewrite(c, change) for c in children]) if children else term


EQUAL = Slip("equal", "an equation", tells=False)
LENGTH = Slip("length", "another length", at=_other_length)
TRANSPOSED = Slip("transposed", "the two indices exchanged", whole=_transposed, of_indices=True, of_order=True)
NAME = Slip("name", "another name", at=_other_name, tells=False)
SLIPS: tuple[Slip, ...] = (
    Slip("other-axis", "the sum over the other index", whole=_other_axis, of_indices=True, of_order=True),
    Slip("summed-axis", "the sum over the other axis", whole=_normalised_otherwise, of_indices=True, of_order=True),
    Slip("swapped-arguments", "the arguments in the other order", at=_other_arguments, of_indices=True, of_order=True),
    TRANSPOSED,
    Slip("exchanged-indices", "the free indices exchanged", whole=_exchanged, of_indices=True, of_order=True),
    Slip("direction", "the other direction", whole=_other_direction, on_left=False, of_order=True),
    Slip("bound-index", "the index of the sum in that place", whole=_slipped_everywhere, of_indices=True),
    Slip("power-inside", "the power on the other side of the sum", at=_power_moved),
    Slip("scale", "another factor", whole=_whole_side, on_left=False, of_size=True),
    Slip("sign", "the other sign", at=_other_sign),
    Slip("index", "another index", at=_other_indices, of_indices=True, of_order=True),
    LENGTH,
    Slip("bound", "another bound", at=_other_bound, of_order=True),
    Slip("factor", "another factor", at=_other_factor, on_left=False, of_size=True),
    Slip("distance", "one step more or less", at=_other_distance),
    Slip("place", "one place beside", at=_other_place, tells=False),
    Slip("left-out", "one part less", at=_left_out, tells=False),
    Slip("power", "another power", at=_other_power),
    Slip("upside-down", "the fraction upside down", at=_upside_down, on_left=False, of_size=True),
    Slip("exchanged-names", "the two numbers exchanged", whole=_exchanged_names, of_order=True),
    Slip("number", "another number", at=_other_number, of_size=True),
    Slip("function", "the other function", at=_other_function),
    Slip("forgotten", "one factor more", at=_forgotten_factor, on_left=False),
    NAME,
)
"""What authors write wrong, the likeliest first."""
