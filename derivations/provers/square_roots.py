"""Powers of roots whose radicand is seen not to be negative, or has a form that is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from derivations.kernel.linear import entails_all
from derivations.kernel.scope import Scope
from derivations.kernel.sign import match, nonnegative
from derivations.language.substitution import Capture, alpha_equal, canonical, rename_apart, substitute
from derivations.language.term import Index, Number, Pow, Term
from derivations.provers.trace import Trace, reverse

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser


def square_root(n: Normaliser, f: Pow, scope: Scope, trace: Trace) -> Term:
    inner = f.base
    if (
        isinstance(inner, Pow)
        and isinstance(inner.exponent, Number)
        and isinstance(f.exponent, Number)
        and f.exponent.value.q == 1
        and inner.exponent.value.q != 1
    ):
        total = inner.exponent.value * f.exponent.value
        after = inner.base if total == 1 else Pow(inner.base, Number(total))
        if nonnegative(inner.base, scope):
            return trace.step("sq_sqrt", f, after)
        return _assumed_root(n, f, inner, total, scope, trace)
    return f


def _assumed_root(n: Normaliser, f: Pow, inner: Pow, total: object, scope: Scope, trace: Trace) -> Term:
    """The same for a radicand whose sign is known before it is unfolded: from there, and back again."""
    found = unfolded_radicand(n, inner.base, scope)
    if found is None:
        return f
    start, normal, steps = found
    back, forth = Trace(), Trace()
    back.step("alpha", inner.base, normal)
    for step in reverse(steps.chain()):
        back.at(step)
    folded = Pow(Pow(start, inner.exponent), f.exponent)
    below = Trace()
    below.below(0, back)
    trace.below(0, below)
    after = trace.step("sq_sqrt", folded, start if total == 1 else Pow(start, Number(total)))  # type: ignore[arg-type]
    if total == 1:
        trace.then(steps)
        return normal
    forth.then(steps)
    trace.below(0, forth)
    return Pow(normal, after.exponent)  # type: ignore[attr-defined]


def unfolded_radicand(n: Normaliser, radicand: Term, scope: Scope) -> tuple[Term, Term, Trace] | None:
    """A term without a negative value of which a radicand is the normal form, that form, and the steps to it."""
    for start in _starts(n, radicand, scope):
        if start in n.rooting:
            continue
        n.rooting.add(start)
        try:
            normal, steps = n.norm(start, scope)
        finally:
            n.rooting.remove(start)
        if alpha_equal(normal, radicand):
            return start, normal, steps
    return None


def _starts(n: Normaliser, radicand: Term, scope: Scope) -> Iterator[Term]:
    """Terms without a negative value of which a radicand may be the normal form: assumed ones, and those seen before."""
    for o in scope.assumed:
        for subject in (o.subject, o.subject.base) if isinstance(o.subject, Pow) else (o.subject,):
            if subject is radicand or not set(o.variables) <= set(scope.variables):
                continue
            start = rename_apart(subject, scope.variables)
            if entails_all(scope.facts, o.facts) and nonnegative(start, scope):
                yield start
    for normal, start in list(n.radicands.items()):
        at: dict[str, Index] = {}
        if not match(canonical(normal), canonical(radicand), normal.free, at) or not start.free <= set(at):
            continue
        try:
            here = substitute(rename_apart(start, {*scope.variables, *(v for i in at.values() for v in i.free)}), at)
        except Capture:
            continue
        if here.free <= set(scope.variables) and nonnegative(here, scope):
            yield here
