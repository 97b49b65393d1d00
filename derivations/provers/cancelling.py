"""Factors that cancel because they are not zero: visibly, by assumption, or beside one that is assumed not to be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from flint import fmpq

from derivations.kernel import ring
from derivations.kernel.errors import Refused
from derivations.kernel.linear import entails_all
from derivations.kernel.proof import Chain
from derivations.kernel.scope import Scope
from derivations.kernel.sign import nonzero
from derivations.language.statement import Statement
from derivations.language.substitution import alpha_equal, rename_apart, subterms
from derivations.language.term import ONE, Add, IndexValue, Mul, Number, Pow, Term, product_of
from derivations.provers.monomials import base_and_power, denominators, is_root
from derivations.provers.trace import Trace, reverse

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser


def cancel(n: Normaliser, m: Mul, scope: Scope, trace: Trace) -> Term:
    for below, f in enumerate(m.args):
        if not (isinstance(f, Pow) and isinstance(f.exponent, Number) and f.exponent.value < 0):
            continue
        if f.exponent.value.q != 1:
            continue
        for above, g in enumerate(m.args):
            base, p = base_and_power(g)
            if above == below or p <= 0 or not alpha_equal(base, f.base):
                continue
            because = _nonzero_because(n, base, scope)
            args: dict[str, Any] = {"because": because} if because else {}
            if because is None:
                found = _nonzero_beside(n, base, scope)
                if found is None:
                    continue
                args = {"beside": found[0], "because": found[1]}
            rest = [t for k, t in enumerate(m.args) if k not in (above, below)]
            total = p + int(f.exponent.value.p)
            if total:
                rest.append(base if total == 1 else Pow(base, total))
            after = ONE if not rest else rest[0] if len(rest) == 1 else Mul(rest)
            return trace.step("mul_inv_cancel", m, after, above=above, below=below, **args)
    return m


def _nonzero_because(n: Normaliser, t: Term, scope: Scope) -> Chain | None:
    """() when t != 0 is visible or assumed; steps to an assumed term; None when it is not known."""
    found = assumed_form(n, t, scope)
    return None if found is None else found[1]


def assumed_form(n: Normaliser, t: Term, scope: Scope) -> tuple[Term, Chain] | None:
    """The form of t that is visibly non-zero or assumed to be, and the steps from t to it."""
    if nonzero(t, scope):
        return t, ()
    for o in scope.assumed:
        if o.kind in ("nonzero", "positive") and set(o.variables) <= set(scope.variables):
            if o.subject not in n.assuming and entails_all(scope.facts, o.facts):
                start = rename_apart(o.subject, scope.variables)
                normal, steps = _assumed_normal(n, o.subject, start, scope)
                if isinstance(normal, Pow) and is_root(normal) and normal.exponent.value.p == 1:  # type: ignore[attr-defined]
                    start = Pow(start, Number(1 / normal.exponent.value))  # type: ignore[attr-defined]
                    normal, steps = _assumed_normal(n, o.subject, start, scope)
                if alpha_equal(normal, t):
                    back = reverse(steps.chain())
                    if normal is not t:
                        lead = Trace()
                        lead.step("alpha", t, normal)
                        back = (*lead.chain(), *back)
                    return start, back
                multiple = _multiple(t, normal, scope)
                if multiple is not None:
                    lead, below = Trace(), Trace()
                    lead.step("ring", t, Mul((multiple, normal)))
                    for step in reverse(steps.chain()):
                        below.at(step)
                    lead.below(1, below)
                    return Mul((multiple, start)), lead.chain()
    for written in n.written_below if isinstance(t, Add) else ():
        if written.free <= set(scope.variables) and written not in n.assuming and nonzero(written, scope):
            normal, steps = _assumed_normal(n, written, written, scope)
            if normal is t:
                return written, reverse(steps.chain())
    return None


def written_below(statement: Statement) -> Iterator[Term]:
    """The sums that stand below fractions in a statement, and the powers of sums."""
    for side in (statement.left, statement.right):
        for u in subterms(side):
            if isinstance(u, Pow) and isinstance(u.exponent, Number) and u.exponent.value < 0:
                inner = u.base.base if isinstance(u.base, Pow) else u.base
                if isinstance(inner, Add) and inner.free <= set(statement.indices):
                    yield u.base


def _multiple(t: Term, normal: Term, scope: Scope) -> Term | None:
    """What `normal` was multiplied by to give `t`: a number, as a denominator has another sign than what is assumed, and
    the lengths that `normal` is divided by, n of a variance; None when `t` is no such multiple."""
    if not isinstance(t, Add) or not isinstance(normal, Add):
        return None
    below = {b: p for b, p in denominators(normal).items() if isinstance(b, IndexValue)}
    lengths = [b if p == 1 else Pow(b, p) for b, p in below.items()]
    for factors in ([], lengths) if lengths else ([],):
        try:
            number = _ratio(t, Mul((*factors, normal)), scope)
        except Refused:
            return None
        if number is not None:
            return product_of([*([] if number == 1 else [Number(number)]), *factors])
    return None


def _ratio(t: Term, other: Term, scope: Scope) -> fmpq | None:
    """The number by which another term is multiplied to give `t`; None when there is none."""
    wanted, found = (ring.polynomial(x, scope.theory, scope.facts) for x in (t, other))
    if not found or found.keys() != wanted.keys():
        return None
    place = next(iter(found))
    number = wanted[place] / found[place]
    return number if ring.scale(found, number) == wanted else None


def _assumed_normal(n: Normaliser, subject: Term, start: Term, scope: Scope) -> tuple[Term, Trace]:
    """The normal form of what is assumed, which is not called upon for itself."""
    n.assuming.add(subject)
    try:
        return n.norm(start, scope)
    finally:
        n.assuming.remove(subject)


def _nonzero_beside(n: Normaliser, t: Term, scope: Scope) -> tuple[Term, Chain] | None:
    """(e, steps from t*e to a term that is assumed non-zero): then t != 0 too."""
    for o in scope.assumed:
        if o.kind not in ("nonzero", "positive") or not set(o.variables) <= set(scope.variables):
            continue
        if o.subject in n.assuming or not entails_all(scope.facts, o.facts):
            continue
        normal, steps = _assumed_normal(n, o.subject, rename_apart(o.subject, scope.variables), scope)
        parts = list(normal.args) if isinstance(normal, Mul) else []
        place = next((k for k, p in enumerate(parts) if alpha_equal(p, t)), None)
        if place is None:
            continue
        beside = product_of([p for k, p in enumerate(parts) if k != place])
        lead = Trace()
        lead.step("ring", Mul((t, beside)), normal)
        return beside, (*lead.chain(), *reverse(steps.chain()))
    return None
