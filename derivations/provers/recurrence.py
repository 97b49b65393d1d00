"""Closed forms of linear recurrences: `S_t = a_t S_(t-1) + b_t` where `a_t` is a ratio `A_(t-1) / A_t`.

Then `S_t = (A_b S_b + sum of A_j b_j over b < j <= t) / A_t`.  Sums, running means, the running denominator and output of
a softmax and linear attention are of this form.  What is found here is a proposal: a lemma, to be shown by induction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from derivations.kernel.definition import descent
from derivations.kernel.errors import KernelError
from derivations.kernel.linear import consistent, entails_all
from derivations.kernel.maximum import pieces
from derivations.kernel.scope import Scope
from derivations.kernel.sign import nonzero
from derivations.language.statement import Definition, Statement, Theory
from derivations.language.substitution import (
    alpha_equal,
    bound_variables,
    fresh,
    rename_apart,
    substitute,
    subterms,
    term_sizes,
)
from derivations.language.term import (
    ONE,
    ZERO,
    Add,
    Apply,
    Entry,
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
    guard,
    guard_substitute,
    less,
    product_of,
)
from derivations.provers.hypotheses import use
from derivations.provers.normal import Normaliser, OutOfWork
from derivations.provers.trace import Trace


def recursive_symbols(theory: Theory, terms: list[Term]) -> list[str]:
    """Recursive symbols that the terms rest on, those first that others are built from."""
    found: list[str] = []
    seen: set[str] = set()

    def visit(head: str) -> None:
        if head in seen:
            return
        seen.add(head)
        for d in theory.definitions.get(head, ()):
            for h in sorted(d.body.heads):
                visit(h)
        if theory.recursive(head):
            found.append(head)

    for t in terms:
        for h in sorted(t.heads):
            visit(h)
    return found


def closed_form(
    name: str, theory: Theory, normaliser: Normaliser, known: tuple[Statement, ...], sizes: Guard = ()
) -> Statement | None:
    """The closed form of a recursive symbol as a statement about all its indices, or None when it is not of this kind.

    `sizes` is what is known of sizes alone: it becomes a condition of the statement.
    """
    definitions = theory.definitions[name]
    try:
        found = descent(definitions)
    except KernelError:
        return None
    if found is None:
        return None
    place, staying = found
    if len(staying) != len(definitions[0].indices) - 1:
        return None
    steps = [d for d in definitions if name in d.body.heads]
    starts = [d for d in definitions if name not in d.body.heads and not d.indices[place].free]
    if len(steps) != 1 or len(starts) != 1 or len(definitions) != 2:
        return None
    step, base = steps[0], starts[0]
    if not step.indices[place].plain or len(step.indices[place].free) != 1:
        return None
    normaliser = Normaliser(theory, normaliser.work, unroll=False, widths=normaliser.widths)
    for late in (0, 1) if base.body is ZERO else (0,):
        try:
            solved = _solve(name, place, step, base, theory, normaliser, known, late, sizes)
        except (OutOfWork, KernelError, TermError):
            return None
        if solved is not None:
            return solved
    return None


def _solve(
    name: str,
    place: int,
    step: Definition,
    base: Definition,
    theory: Theory,
    normaliser: Normaliser,
    known: tuple[Statement, ...],
    late: int,
    sizes: Guard,
) -> Statement | None:
    """The closed form from the start, or (`late`) from the place after a start at 0: `e^{m_0}` need not be a number."""
    (own,) = step.indices[place].free
    shift = step.indices[place] - Index.var(own)
    t, here = own, Index.var(own)
    start = base.indices[place]
    # in terms of the index itself: S[t] where the pattern was S[t + shift]
    body = substitute(rename_apart(step.body, step.variables), {own: here - shift})
    condition = guard_substitute(step.condition, {own: here - shift})
    variables = step.variables
    ranges = guard(*_ranges(step, place, here), *sizes)
    facts = guard(*condition, *ranges, at_least(here, start + 1 + late))
    scope = Scope(theory, variables, facts, known)
    if not entails_all(facts, condition):
        return None
    body, _ = normaliser.start(use(body, scope, Trace()), scope)
    if isinstance(body, Max):
        return _running_maximum(name, place, step, base, body, scope, (t, start), ranges)
    parts = body.args if isinstance(body, Add) else (body,)
    factors: list[Term] = []
    rest: list[Term] = []
    for part in parts:
        if name not in part.heads:
            rest.append(part)
            continue
        pieces = list(part.args) if isinstance(part, Mul) else [part]
        selves = [p for p in pieces if isinstance(p, Entry) and p.name == name]
        others = [p for p in pieces if not (isinstance(p, Entry) and p.name == name)]
        if len(selves) != 1 or any(name in p.heads for p in others) or selves[0].indices[place] is not here - 1:
            return None
        factors.append(_product(others))
    if not factors:
        return None
    factor, _ = normaliser.start(Add(factors) if len(factors) > 1 else factors[0], scope)
    indices = tuple(here if k == place else i for k, i in enumerate(step.indices))
    left = Entry(name, indices, (), tuple(Index.size(s) for s in step.sizes))
    known_here = guard(*ranges, at_least(here, start + late))
    taken = {*variables, *(v for u in subterms(body) for v in u.free)}
    j = fresh(t, taken)
    renaming = dict(zip(base.variables, (Index.var(v) for v in variables if v != t), strict=True))
    first = use(substitute(rename_apart(base.body, {*base.variables, *variables}), renaming), scope, Trace())
    if t not in factor.free and factor is not ONE:
        return _geometric(
            left, factor, rest, first, (t, start, j), Scope(theory, variables, known_here, known), normaliser
        )
    weight = _weight(factor, t)
    below = substitute(weight, {t: here - 1})
    ratio, _ = normaliser.start(Mul((factor, weight, Pow(below, -1))), scope)
    if ratio is not ONE:  # (1 - 1/t) t / (t - 1) is seen to be 1 where the denominator is on the other side
        sides = (normaliser.start(side, scope)[0] for side in (_times(factor, weight), below))
        if not nonzero(below, scope) or not alpha_equal(*sides):
            return None
    added = _times(Add(rest) if len(rest) > 1 else rest[0], weight) if rest else ZERO
    added, _ = normaliser.start(added, scope)
    summed = Sum(
        j, (at_least(Index.var(j), start + 1), at_least(here, Index.var(j))), substitute(added, {t: Index.var(j)})
    )
    first = ZERO if late else _product([substitute(weight, {t: start}), first])
    total: Term = (Add((first, summed)) if first is not ZERO else summed) if rest else first
    there = Scope(theory, tuple(v for v in variables if v != t), guard(*_ranges(step, place, start), *sizes), known)
    if (
        rest
        and not late
        and alpha_equal(*(normaliser.start(x, there)[0] for x in (first, substitute(added, {t: start}))))
    ):
        total = Sum(j, (at_least(Index.var(j), start), at_least(here, Index.var(j))), summed.body)
    right = _product([total, Pow(weight, -1)]) if weight is not ONE else total
    right, _ = normaliser.start(right, Scope(theory, variables, known_here, known))
    return Statement(left, "=", right, variables, known_here)


def _running_maximum(
    name: str,
    place: int,
    step: Definition,
    base: Definition,
    body: Max,
    scope: Scope,
    at: tuple[str, Index],
    ranges: Guard,
) -> Statement | None:
    """`m_t = max(m_(t-1), b_t)` from minus infinity: the maximum of all `b_j` so far."""
    t, start = at
    here = Index.var(t)
    values = [p for p in pieces(body, scope) if consistent(guard(*scope.facts, *p.guard))]
    own = [p for p in values if name in p.value.heads]
    others = [p for p in values if name not in p.value.heads]
    if not isinstance(base.body, NegInfinity) or len(own) != 1 or len(others) != 1:
        return None
    (before,), (other,) = own, others
    if not isinstance(before.value, Entry) or before.value.name != name or before.value.indices[place] is not here - 1:
        return None
    if any(v in other.value.free for v in other.binders):
        return None
    indices = tuple(here if k == place else i for k, i in enumerate(step.indices))
    left = Entry(name, indices, (), tuple(Index.size(s) for s in step.sizes))
    if before.value.indices != tuple(i - 1 if k == place else i for k, i in enumerate(indices)):
        return None
    j = fresh(t, {*scope.variables, *other.value.free, *bound_variables(other.value)})
    there = Index.var(j)
    range_ = (at_least(there, start + 1), at_least(here, there))
    right = Max(j, range_, substitute(other.value, {t: there}))
    return Statement(left, "=", right, step.variables, guard(*ranges, at_least(here, start + 1)))


def _geometric(
    left: Entry,
    factor: Term,
    rest: list[Term],
    first: Term,
    at: tuple[str, Index, str],
    scope: Scope,
    normaliser: Normaliser,
) -> Statement:
    """`S_t = g S_(t-1) + b_t` with g the same everywhere: `g^(t - s) S_s + sum(s < j <= t; g^(t - j) b_j)`."""
    t, start, j = at
    here, there = Index.var(t), Index.var(j)
    parts: list[Term] = [Mul((Pow(factor, IndexValue(here - start)), first))]
    if rest:
        added = substitute(Add(rest) if len(rest) > 1 else rest[0], {t: there})
        parts.append(
            Sum(
                j,
                (at_least(there, start + 1), at_least(here, there)),
                Mul((Pow(factor, IndexValue(here - there)), added)),
            )
        )
    right, _ = normaliser.start(Add(parts) if len(parts) > 1 else parts[0], scope)
    return Statement(left, "=", right, scope.variables, scope.facts)


def _ranges(step: Definition, place: int, here: Index) -> Guard:
    """What the shape says about the indices; without a shape, nothing."""
    if step.shape is None or len(step.shape) != len(step.indices):
        return ()
    rows = []
    for k, (i, n) in enumerate(zip(step.indices, step.shape, strict=True)):
        index = here if k == place else i
        if index.plain and index.free:
            rows += [at_least(index, 0), less(index, n)]
    return guard(*rows)


def _weight(factor: Term, t: str) -> Term:
    """`A_t` of a factor `A_(t-1) / A_t`: its denominators, and what its exponents subtract at `t`."""
    found: list[Term] = []
    if isinstance(factor, Add):  # 1 - 1/t: over one denominator
        for m in factor.args:
            for f in m.args if isinstance(m, Mul) else (m,):
                if isinstance(f, Pow) and isinstance(f.exponent, Number) and f.exponent.value < 0:
                    below = Pow(f.base, Number(-f.exponent.value)) if f.exponent.value != -1 else f.base
                    if below not in found:
                        found.append(below)
        return _product(found)
    for f in factor.args if isinstance(factor, Mul) else (factor,):
        if isinstance(f, Pow) and isinstance(f.exponent, Number) and f.exponent.value < 0:
            found.append(Pow(f.base, Number(-f.exponent.value)))
        elif isinstance(f, Apply) and f.function == "exp":
            terms = f.arg.args if isinstance(f.arg, Add) else (f.arg,)
            at = [a for a in terms if not any(Index.var(t) - 1 is i for u in subterms(a) for i in _indices(u))]
            if at:
                found.append(Apply("exp", Mul((Number(-1), Add(at) if len(at) > 1 else at[0]))))
    return _product(found)


def _times(factor: Term, weight: Term) -> Term:
    """The product of a sum and a weight, with denominators that are factors of the weight cancelled."""
    rows = []
    for m in factor.args if isinstance(factor, Add) else (factor,):
        left = list(weight.args) if isinstance(weight, Mul) else [weight]
        parts = list(m.args) if isinstance(m, Mul) else [m]
        for f in parts[:]:
            if isinstance(f, Pow) and f.exponent == Number(-1) and f.base in left:
                left.remove(f.base)
                parts.remove(f)
        rows.append(_product([*parts, *left]))
    return Add(rows) if len(rows) > 1 else rows[0]


def _indices(u: Term) -> tuple[Index, ...]:
    return u.indices if isinstance(u, Entry) else ()


def _product(factors: list[Term]) -> Term:
    return product_of([f for f in factors if f is not ONE])


def general_statements(left: Term, right: Term, scope: Scope) -> Iterator[tuple[Statement, str, str]]:
    """What a claim about `M[n]` may say of all `M[t]`: the size n is t everywhere, the entry alone on the left; with the
    new index and the symbol."""
    for side, other in ((left, right), (right, left)):
        factors = list(side.args) if isinstance(side, Mul) else [side]
        for k, e in enumerate(factors):
            if not isinstance(e, Entry) or not scope.theory.recursive(e.name) or e.args or e.sizes:
                continue
            found = descent(scope.theory.definitions[e.name])
            last = e.indices[found[0]] if found is not None else None
            if found is None or last is None or len(last.terms) != 1 or last.terms[0][1] != 1 or last.free:
                continue
            (atom, _), name = last.terms[0], last.terms[0][0].name
            if atom.kind != "size":
                continue
            t = fresh("t", {*scope.variables, *(v for x in (left, right) for v in (*x.free, *bound_variables(x)))})
            here = Index.var(t)
            at = {name: here - last.const}
            rest = [_inverse(f) for j, f in enumerate(factors) if j != k]
            try:
                sides = [substitute(x, sizes=at) for x in (e, _product([other, *rest]))]
            except TermError:
                continue
            for first in (0, 1):
                range_ = guard(*scope.facts, at_least(here, first), at_least(last, here))
                yield Statement(sides[0], "=", sides[1], (*scope.variables, t), range_), t, e.name


def lengths_of_recursions(left: Term, right: Term, scope: Scope) -> dict[str, None]:
    """Sizes at which a recursive symbol is used: the last power of a sum of powers."""
    sizes: dict[str, None] = {}
    for e in (u for side in (left, right) for u in subterms(side) if isinstance(u, Entry)):
        place = descent(scope.theory.definitions[e.name]) if scope.theory.recursive(e.name) and not e.args else None
        if place is not None:
            sizes |= dict.fromkeys(sorted(e.indices[place[0]].sizes))
    return sizes


def for_all_lengths(
    left: Term, right: Term, scope: Scope, names: Iterable[str]
) -> Iterator[tuple[Statement, str, Index]]:
    """What a claim about one of these sizes says of all numbers up to it: `f(n) = g(n)` as `f(t) = g(t)`, with t and the size."""
    for name in names:
        taken = {*scope.variables, *(v for x in (left, right) for v in (*x.free, *bound_variables(x), *term_sizes(x)))}
        t = fresh("t", taken)
        here, last = Index.var(t), Index.size(name)
        try:
            sides = [substitute(rename_apart(x, {t}), sizes={name: here}) for x in (left, right)]
        except TermError:
            continue
        range_ = guard(*scope.facts, at_least(here, 0), at_least(last, here))
        yield Statement(sides[0], "=", sides[1], (*scope.variables, t), range_), t, last


def _inverse(t: Term) -> Term:
    if isinstance(t, Pow) and isinstance(t.exponent, Number) and t.exponent.value == -1:
        return t.base
    return Pow(t, -1)
