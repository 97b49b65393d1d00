"""Case distinctions on values: branches whose condition is known, positive factors left out, signs to distinguish.

A normal form has them as atoms, or (see `Normaliser.choices`) as `[x > 0] (a - b) + b`, with the bracket as an atom.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flint import fmpq

from derivations.kernel import ring
from derivations.kernel.finiteness import finite
from derivations.kernel.rules.choices import bracketed, largest
from derivations.kernel.scope import Scope
from derivations.kernel.sign import nonnegative, positive
from derivations.language.statement import Theory
from derivations.language.substitution import alpha_equal, subterms
from derivations.language.term import (
    MINUS_ONE,
    ONE,
    ZERO,
    Add,
    Apply,
    Choice,
    Max,
    Mul,
    Number,
    Pow,
    Term,
    listed,
    product_of,
)
from derivations.provers.trace import Trace

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser

MAX_ASSUMED = 8
"""Assumed signs that are looked at for the sign of a value."""


def normalise(n: Normaliser, t: Choice, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
    """The branch that is known to hold, else the normal form of both."""
    test, steps = n.norm(t.test, scope)
    trace.below(0, steps)
    t = Choice(test, t.above, t.otherwise)
    form = known_sign(n, test, scope)
    if form is not None:
        return n.more(_chosen(t, form, scope, trace), scope, trace)
    scaled = _scaled(t, scope, trace)
    if scaled is not t:
        return n.more(scaled, scope, trace)
    new = n.children(t, scope, trace)
    if not finite(new, n.theory, scope.facts):
        return new, trace
    n.spend(new.nodes)
    if n.choices and not is_bracket(new):
        return n.polynomial(trace.step("choice_bracket", new, bracketed(new)), scope, trace)  # type: ignore[arg-type]
    return n.polynomial(new, scope, trace)


def is_bracket(t: Term) -> bool:
    """Whether a term is `[x > 0]`."""
    return isinstance(t, Choice) and t.above is ONE and t.otherwise is ZERO


def _chosen(t: Choice, form: Term, scope: Scope, trace: Trace) -> Term:
    above = ring.same(form, t.test, scope.theory, scope.facts) and positive(form, scope)
    return trace.step("choice_value", t, t.above if above else t.otherwise, form=form)


def known_sign(n: Normaliser, value: Term, scope: Scope) -> Term | None:
    """A form of a value that is visibly positive, or of its negative that is visibly not negative; None when unknown."""
    n.spend(1 + value.nodes // 4)
    if not finite(value, n.theory, scope.facts):
        return None
    if positive(value, scope):
        return value
    opposite = n.expand(Mul((MINUS_ONE, value)), scope)
    if nonnegative(opposite, scope):
        return opposite
    form = _product_form(value, scope)
    if form is not None:
        return form
    for test, target in ((positive, value), (nonnegative, opposite)):
        for form in beside_assumed(n, target, scope):
            if test(form, scope):
                return form
    return None


def _product_form(value: Term, scope: Scope) -> Term | None:
    """A product of factors of known signs as one of factors that are not negative, up to its sign."""
    if not isinstance(value, Mul):
        return None
    forms: list[Term] = []
    negative = False
    for f in value.args:
        if nonnegative(f, scope):
            forms.append(f)
            continue
        opposite = Number(-f.value) if isinstance(f, Number) else Mul((MINUS_ONE, f))
        if not nonnegative(opposite, scope):
            return None
        forms.append(opposite)
        negative = not negative
    form = Mul(forms)
    return form if negative or positive(form, scope) else None


def beside_assumed(n: Normaliser, value: Term, scope: Scope) -> Iterator[Term]:
    """A value as a positive multiple of something with an assumed sign, and a rest."""
    if not finite(value, n.theory, scope.facts):
        return
    local = [o for o in scope.assumed if o.kind in ("positive", "nonnegative") and not o.variables and not o.facts]
    p, originals = ring.named_polynomial(value, n.theory, scope.facts)
    for o in local[-MAX_ASSUMED:]:
        if not finite(o.subject, n.theory, scope.facts):
            continue
        q = ring.polynomial(o.subject, n.theory, scope.facts)
        ratios = {p[m] / c for m, c in q.items() if m in p and m is not ring.UNIT and p[m] / c > 0}
        for ratio in sorted(ratios):
            rest = n.printed(ring.add(p, ring.scale(q, -ratio)), scope, originals)
            yield Add((Mul((Number(ratio), o.subject)), rest))


def _scaled(t: Choice, scope: Scope, trace: Trace) -> Term:
    """The same distinction on the value without its positive factors."""
    parts = t.test.args if isinstance(t.test, Add) else (t.test,)
    rows = [list(p.args) if isinstance(p, Mul) else [p] for p in parts]
    shared = [
        f
        for f in rows[0]
        if not isinstance(f, Number) and all(any(alpha_equal(f, g) for g in row) for row in rows) and positive(f, scope)
    ]
    if not shared:
        return t
    for row in rows:
        for f in shared:
            row.remove(next(g for g in row if alpha_equal(f, g)))
    rest = [product_of(row) for row in rows]
    after = Choice(rest[0] if len(rest) == 1 else Add(rest), t.above, t.otherwise)
    return trace.step("choice_scale", t, after, factor=product_of(shared))


def around(t: Term, child: int, choice: Choice) -> Term:
    """The same case distinction with the rest of a term in both of its branches."""
    above, otherwise = (
        t.with_children([*t.children[:child], value, *t.children[child + 1 :]]) for value in choice.children[1:]
    )
    return Choice(choice.test, above, otherwise)


def as_choice(t: Term) -> tuple[str, Term] | None:
    """A maximum of listed values, or an absolute value, as a case distinction, and the rule that says so."""
    if isinstance(t, Max):
        values = listed(t)
        return None if values is None else ("max_choice", largest(values))
    if isinstance(t, Apply) and t.function == "abs":
        return "abs_choice", Choice(t.arg, t.arg, -t.arg)
    return None


def settled(n: Normaliser, t: Term, scope: Scope) -> tuple[str, Term] | None:
    """What `as_choice` gives, where all are wanted or where the values that are assumed positive here decide it."""
    found = as_choice(t) if n.choices or any(not o.variables and o.kind != "nonzero" for o in scope.assumed) else None
    if found is None or not finite(t, n.theory, scope.facts):
        return None
    choice: Choice = found[1]  # type: ignore[assignment]
    if not n.choices and known_sign(n, n.norm(choice.test, scope)[0], scope) is None:
        return None
    return found


def simplify(n: Normaliser, m: Term, scope: Scope, trace: Trace) -> Term:
    """A monomial without brackets whose value is known, or that another one decides, and without x [-x > 0]; the same
    term when there is none."""
    factors = list(m.args) if isinstance(m, Mul) else [m]
    brackets = {k: f for k, f in enumerate(factors) if isinstance(f, Choice) and is_bracket(f)}
    for k, f in brackets.items():
        form = known_sign(n, f.test, scope)
        if form is not None:
            inner = Trace()
            value = _chosen(f, form, scope, inner)
            if len(factors) == 1:
                trace.then(inner)
                return value
            trace.below(k, inner)
            return m.with_children([*factors[:k], value, *factors[k + 1 :]])
    for i, first in brackets.items():
        inside = scope.where_sign(first.test, True)
        for k, second in brackets.items():
            form = known_sign(n, second.test, inside) if i != k else None
            if form is not None:
                rest = [f for j, f in enumerate(factors) if j not in (i, k)]
                both = Choice(first.test, second, ZERO)
                trace.step("ring", m, Mul((bracketed(both), *rest)))
                inner = Trace()
                inner.step("choice_bracket", bracketed(both), both, back=True)
                value = _chosen(second, form, inside, decided := Trace())
                inner.below(1, decided)
                trace.below(0, inner)
                return Mul((Choice(first.test, value, ZERO), *rest))
    for k, f in brackets.items():
        after = _turned(n, m, f, [g for j, g in enumerate(factors) if j != k], scope, trace)
        if after is not m:
            return after
    return m


def _placed(child: int, inner: Trace) -> Trace:
    outer = Trace()
    outer.below(child, inner)
    return outer


def _turned(n: Normaliser, m: Term, choice: Choice, factors: list[Term], scope: Scope, trace: Trace) -> Term:
    """x [-x > 0] as x - x [x > 0], for the x whose first coefficient is positive, or that is known not to be positive.

    x is looked for by its largest part.
    """
    value = n.expand(Mul((MINUS_ONE, choice.test)), scope)
    parts = list(value.args) if isinstance(value, Add) else [value]
    if _coefficient(parts[0]) < 0 and not nonnegative(choice.test, scope) and _product_form(value, scope) is None:
        return m
    lead = max(parts, key=lambda p: (sum(e for _, e in _powers(p)), parts.index(p)))
    rest = _without(factors, lead)
    if rest is None:
        return m
    front = Mul((Number(1 / _coefficient(lead)), *rest))
    others = Mul((MINUS_ONE, front, Add(p for p in parts if p is not lead), choice))
    pair = Mul((value, choice))
    trace.step("ring", m, Add((Mul((front, pair)), others)))
    turned = Mul((value, Add((ONE, Mul((MINUS_ONE, Choice(value, ONE, ZERO)))))))
    inner = Trace()
    inner.step("choice_neg", pair, turned)
    trace.below(0, _placed(1, inner))
    return Add((Mul((front, turned)), others))


def _coefficient(t: Term) -> fmpq:
    first = t.args[0] if isinstance(t, Mul) else t
    return first.value if isinstance(first, Number) else fmpq(1)


def _powers(t: Term) -> list[tuple[Term, int]]:
    """The factors of a monomial with whole exponents, its number left out."""
    found = []
    for f in t.args if isinstance(t, Mul) else (t,):
        if isinstance(f, Pow) and isinstance(f.exponent, Number) and f.exponent.value.q == 1:
            found.append((f.base, int(f.exponent.value.p)))
        elif not isinstance(f, Number):
            found.append((f, 1))
    return found


def _without(factors: list[Term], lead: Term) -> list[Term] | None:
    """A product divided by a monomial; None when it does not contain it."""
    left = [row for f in factors for row in (_powers(f) or [(f, 1)])]
    for base, power in _powers(lead):
        place = next((j for j, (b, e) in enumerate(left) if alpha_equal(b, base) and e >= power > 0), None)
        if place is None:
            return None
        left[place] = (base, left[place][1] - power)
    return [b if e == 1 else Pow(b, e) for b, e in left if e]


def occur(theory: Theory, terms: tuple[Term, ...]) -> bool:
    """Whether terms rest on case distinctions on values, or on what can be written as one."""
    return any(isinstance(u, Choice) or as_choice(u) is not None for t in terms for u in theory.reached(t))


def undecided(terms: tuple[Term, ...], scope: Scope) -> Term | None:
    """A value in scope whose sign is asked for: the smallest one that asks for no other."""
    in_scope = set(scope.variables)
    found = {
        u.test
        for t in terms
        for u in subterms(t)
        if isinstance(u, Choice)
        and u.test.free <= in_scope
        and not any(isinstance(v, Choice) for v in subterms(u.test))
        and not scope.theory.depends(u.test, scope.theory.random)
    }
    return min(found, key=lambda t: (t.nodes, str(t)), default=None)
