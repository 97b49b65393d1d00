"""Inequalities: bring a difference into a form whose sign the kernel sees.

Each proposal is a term that equals the difference and is visibly non-negative: sums over one range combined under one
sum, common factors taken out, exp(a) - exp(b) as exp(b) (exp(a - b) - 1), and products of what the hypotheses say is
non-negative.  A proposal counts when its normal form is that of the difference; the kernel replays both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement, islice, product

from derivations.kernel.finiteness import finite
from derivations.kernel.scope import Scope
from derivations.kernel.sign import nonnegative, positive
from derivations.language.substitution import alpha_equal, canonical, rename_apart, substitute, subterms
from derivations.language.term import (
    ONE,
    Add,
    Apply,
    Index,
    IndexValue,
    Max,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    guard_substitute,
    product_of,
    within,
)
from derivations.provers import divergences, squares, weights
from derivations.provers.normal import Normaliser
from derivations.provers.normal_sides import normal_side
from derivations.provers.trace import Trace, reverse

MAX_PROPOSALS = 40
MAX_INSTANCES = 24

Test = Callable[[Term, Scope], bool]


def find_form(normal: Term, scope: Scope, normaliser: Normaliser, test: Test) -> tuple[Term, Trace] | None:
    """A term equal to `normal` that passes the test, with the steps that lead there; None when no proposal does."""
    for proposal in islice(_proposals(normal, scope, normaliser), MAX_PROPOSALS):
        if not test(proposal, scope):
            continue
        back, trace = normaliser.start(proposal, scope)
        if not alpha_equal(back, normal) and scope.hypotheses:
            back, trace = normal_side(normaliser, proposal, scope)
        if not alpha_equal(back, normal):
            continue
        whole = Trace()
        whole.step("alpha", normal, back)
        for step in reverse(trace.chain()):
            whole.at(step)
        return proposal, whole
    return None


def _proposals(normal: Term, scope: Scope, normaliser: Normaliser) -> Iterator[Term]:
    parts = list(normal.args) if isinstance(normal, Add) else [normal]
    yield from _products(normal, scope, normaliser)
    whole = combined(parts, scope, normaliser)
    if whole is not None:
        yield whole
    factored = _factored(parts, scope, normaliser)
    if factored is not None:
        yield factored
    yield from _complements(parts)
    if scope.hypotheses:
        yield from weights.all_but_one(parts, scope)
        yield from weights.spread(parts, scope)
        yield from weights.about_mean(parts, scope)
    yield from squares.centred(parts, scope)
    yield from squares.crossed(parts, scope)
    yield from squares.off_diagonal(parts, scope)
    for form, rest in squares.beside_products(parts, scope) if scope.hypotheses else ():
        yield Add((form, normal_side(normaliser, rest, scope)[0]))
    yield from divergences.above_tangents(parts, scope)
    for shaped in (squares.factored(parts, scope), combined(parts, scope, normaliser, squares.factored)):
        if shaped is not None:
            yield shaped


def _complements(parts: list[Term]) -> Iterator[Term]:
    """`1 - x y` as `(1 - x) + x (1 - y)`: a product of numbers between 0 and 1 is one of them."""
    numbers = [p for p in parts if isinstance(p, Number)]
    products = [p for p in parts if isinstance(p, Mul)]
    if len(parts) != 2 or len(numbers) != 1 or len(products) != 1:
        return
    (whole,), (taken,) = numbers, products
    first, *factors = taken.args
    if not isinstance(first, Number) or first.value != -whole.value or len(factors) < 2:
        return
    before: list[Term] = [whole] if whole.value != 1 else []
    summands: list[Term] = []
    for f in factors:
        summands.append(product_of([*before, 1 - f]))
        before.append(f)
    yield Add(summands)


def _split(part: Term) -> tuple[list[Term], Sum] | None:
    """The factors beside the one sum of a monomial."""
    factors = list(part.args) if isinstance(part, Mul) else [part]
    sums = [f for f in factors if isinstance(f, Sum)]
    if len(sums) != 1:
        return None
    return [f for f in factors if f is not sums[0]], sums[0]


def combined(
    parts: list[Term],
    scope: Scope,
    normaliser: Normaliser,
    shape: Callable[[list[Term], Scope], Term | None] | None = None,
) -> Term | None:
    """Monomials with sums over the same range as one sum, its body factored."""
    groups: dict[Term, list[tuple[list[Term], Sum]]] = {}
    rest: list[Term] = []
    for p in parts:
        found = _split(p)
        if found is None:
            rest.append(p)
        else:
            groups.setdefault(canonical(Sum(found[1].var, found[1].guard, ONE)), []).append(found)
    rest = _constants(rest, groups)
    if not groups or all(len(g) == 1 for g in groups.values()):
        return None
    total: list[Term] = list(rest)
    for rows in groups.values():
        var, condition = rows[0][1].var, rows[0][1].guard
        taken = frozenset(scope.variables).union(*(f.free for fs, _ in rows for f in fs))
        apart = rename_apart(Sum(var, condition, ONE), taken)
        var, condition = apart.var, apart.guard  # type: ignore[attr-defined]
        bodies = []
        for factors, s in rows:
            body = substitute(rename_apart(s.body, {var}), {s.var: Index.var(var)}) if s.var != var else s.body
            bodies.append(Mul([*factors, body]) if factors else body)
        inside = scope.inside(apart, 0)
        whole, _ = normaliser.start(Add(bodies), inside)
        below = list(whole.args) if isinstance(whole, Add) else [whole]
        shaped = (_factored(below, inside, normaliser) if shape is None else shape(below, inside)) or whole
        total.append(Sum(var, guard_substitute(condition, {}), shaped))
    return total[0] if len(total) == 1 else Add(total)


def _constants(parts: list[Term], groups: dict[Term, list[tuple[list[Term], Sum]]]) -> list[Term]:
    """The parts that are no n-fold of a constant, n the length of the range of a group: those join it as sums."""
    left: list[Term] = []
    for p in parts:
        factors = list(p.args) if isinstance(p, Mul) else [p]
        for rows in groups.values():
            var, condition = rows[0][1].var, rows[0][1].guard
            length = next(
                (f for f in factors if isinstance(f, IndexValue) and condition == within(var, 0, f.index)), None
            )
            if length is not None:
                rows.append(([f for f in factors if f is not length], Sum(var, condition, ONE)))
                break
        else:
            left.append(p)
    return left


def _factored(parts: list[Term], scope: Scope, normaliser: Normaliser) -> Term | None:
    """The common factors of the monomials in front; differences of exponentials as exp(b) (exp(a - b) - 1)."""
    if len(parts) < 2:
        return None
    rows = [list(p.args) if isinstance(p, Mul) else [p] for p in parts]
    common: list[Term] = []
    for f in list(rows[0]):
        if isinstance(f, Number):
            continue
        if all(any(alpha_equal(f, g) for g in row) for row in rows):
            common.append(f)
            for row in rows:
                row.remove(next(g for g in row if alpha_equal(f, g)))
    left = [product_of(row) for row in rows]
    inner: Term | None = Add(left) if common else None
    if len(parts) == 2:
        power = _exponentials(left, scope, normaliser)
        if power is not None:
            inner = power
    if inner is None:
        return None
    return Mul([*common, inner]) if common else inner


def _exponentials(parts: list[Term], scope: Scope, normaliser: Normaliser) -> Term | None:
    """exp(a) - exp(b) as exp(b) (exp(q) - 1), with q = a - b in a visibly non-negative form."""
    for one, other in (parts, parts[::-1]):
        factors = list(other.args) if isinstance(other, Mul) else [other]
        if not (isinstance(factors[0], Number) and factors[0].value == -1 and len(factors) == 2):
            continue
        below = factors[1]
        if not (isinstance(below, Apply) and below.function == "exp") or not positive(one, scope):
            continue
        high, low = one.arg if isinstance(one, Apply) and one.function == "exp" else Apply("log", one), below.arg
        difference, _ = normaliser.start(high - low, scope)
        if nonnegative(difference, scope):
            form: Term = difference
        else:
            found = find_form(difference, scope, normaliser, nonnegative)
            if found is None:
                continue
            form = found[0]
        return Mul((Apply("exp", low), Add((Apply("exp", form), Number(-1)))))
    return None


def _products(normal: Term, scope: Scope, normaliser: Normaliser) -> Iterator[Term]:
    """Products of up to two facts that are assumed non-negative, over the denominators of the difference."""
    facts: list[Term] = []
    for o in scope.assumed:
        if o.kind not in ("positive", "nonnegative"):
            continue
        for values in islice(product(scope.variables, repeat=len(o.variables)), MAX_INSTANCES):
            at = {v: Index.var(w) for v, w in zip(o.variables, values, strict=True)}
            facts.append(substitute(rename_apart(o.subject, scope.variables), at))
    for top in subterms(normal):
        if isinstance(top, Max) and top.free <= set(scope.variables):
            own: Max = rename_apart(top, scope.variables)  # type: ignore[assignment]
            each = [substitute(own.body, {own.var: Index.var(w)}) for w in scope.variables]
            facts += [own - v for v in each] + [own + v for v in each if nonnegative(v, scope)]
    facts = list(dict.fromkeys(facts))[:MAX_INSTANCES]
    if not facts:
        return
    parts = list(normal.args) if isinstance(normal, Add) else [normal]
    below = [f for p in parts for f in (p.args if isinstance(p, Mul) else (p,)) if isinstance(f, Pow)]
    below = [f for f in dict.fromkeys(below) if isinstance(f.exponent, Number) and f.exponent.value < 0]
    wanted = _heads(normal)
    for count in (1, 2):
        for chosen in combinations_with_replacement(facts, count):
            if not wanted <= frozenset().union(*(_heads(f) for f in chosen)) | frozenset().union(*map(_heads, below)):
                continue
            for under in ([], *([b] for b in below), below):
                candidate = product_of([*chosen, *under])
                if finite(candidate, scope.theory, scope.facts) and alpha_equal(
                    normaliser.start(candidate, scope)[0], normal
                ):
                    yield candidate
                    return


def _heads(t: Term) -> frozenset[str]:
    return t.heads
