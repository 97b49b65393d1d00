"""Rules of maxima over an index."""

from __future__ import annotations

from derivations.kernel import maximum
from derivations.kernel.errors import Refused
from derivations.kernel.rules.requirements import must_agree, must_be, must_number_parts
from derivations.kernel.rules.table import rule
from derivations.kernel.scope import Scope
from derivations.kernel.sign import inhabited, nonnegative
from derivations.language.substitution import rename_apart
from derivations.language.term import Add, Max, Mul, Term, product_of


@rule(extended=True)
def max_congr(
    before: Term,
    after: Term,
    scope: Scope,
    forth: tuple[tuple[maximum.Branch, ...], ...],
    converse: tuple[tuple[maximum.Branch, ...], ...],
) -> None:
    """Two maxima with the same values: `forth` finds each value of the first in the second.

    Refuses when a value is not answered for all indices, or is answered by another value.
    """
    must_be("max_congr", before, Max, "a maximum")
    first, second = maximum.pieces(before, scope), maximum.pieces(after, scope)
    maximum.check("max_congr", first, second, forth, scope)
    maximum.check("max_congr", second, first, converse, scope)


@rule()
def max_add(before: Term, after: Term, scope: Scope, terms: tuple[int, ...]) -> None:
    """max(j, c + f) = c + max(j, f) where c does not depend on j and the range is not empty."""
    must_be("max_add", before, Max, "max(j, c + f)")
    top: Max = rename_apart(before, scope.variables)  # type: ignore[assignment]
    if not isinstance(top.body, Add):
        raise Refused("max_add", "a sum under the maximum", str(top.body))
    must_number_parts("max_add", terms, len(top.body.args))
    out = [top.body.args[k] for k in terms]
    rest = [t for k, t in enumerate(top.body.args) if k not in terms]
    if any(top.var in t.free for t in out):
        raise Refused("max_add", f"terms without {top.var}", str(Add(out)))
    if not inhabited(top, scope):
        raise Refused("max_add", "a range that is not empty", str(top.guard))
    must_agree("max_add", Add((*out, Max(top.var, top.guard, Add(rest) if len(rest) != 1 else rest[0]))), after)


@rule()
def max_mul(before: Term, after: Term, scope: Scope, factors: tuple[int, ...]) -> None:
    """max(j, c f) = c max(j, f) where c >= 0 does not depend on j."""
    must_be("max_mul", before, Max, "max(j, c f)")
    top: Max = rename_apart(before, scope.variables)  # type: ignore[assignment]
    if not isinstance(top.body, Mul):
        raise Refused("max_mul", "a product under the maximum", str(top.body))
    must_number_parts("max_mul", factors, len(top.body.args))
    out = [top.body.args[k] for k in factors]
    for c in out:
        if top.var in c.free:
            raise Refused("max_mul", f"factors without {top.var}", str(c))
        if not nonnegative(c, scope):
            raise Refused("max_mul", f"{c} >= 0", "it is neither visible nor assumed")
    rest = [t for k, t in enumerate(top.body.args) if k not in factors]
    must_agree("max_mul", Mul((*out, Max(top.var, top.guard, product_of(rest)))), after)
