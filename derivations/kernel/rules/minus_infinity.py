"""Rules of minus infinity."""

from __future__ import annotations

from derivations.kernel.errors import Refused
from derivations.kernel.finiteness import finite
from derivations.kernel.rules.requirements import must_agree, must_be
from derivations.kernel.rules.table import rule
from derivations.kernel.scope import Scope
from derivations.kernel.sign import positive
from derivations.language.term import ZERO, Add, Apply, Mul, NegInfinity, Term


@rule(extended=True)
def exp_bot(before: Term, after: Term, scope: Scope) -> None:
    """exp(-oo) = 0."""
    if not (isinstance(before, Apply) and before.function == "exp" and isinstance(before.arg, NegInfinity)):
        raise Refused("exp_bot", "exp(-oo)", str(before))
    must_agree("exp_bot", ZERO, after)


@rule(extended=True)
def bot_add(before: Term, after: Term, scope: Scope) -> None:
    """-oo + r = -oo for real r.

    Refuses when another summand may be minus infinity in a place where the sum is not defined, or is not real.
    """
    must_be("bot_add", before, Add, "-oo + r")
    others = [t for t in before.children if not isinstance(t, NegInfinity)]
    if len(others) == len(before.children):
        raise Refused("bot_add", "a summand -oo", str(before))
    for t in others:
        if not finite(t, scope.theory, scope.facts):
            raise Refused("bot_add", "real summands beside -oo", str(t))
    must_agree("bot_add", NegInfinity(), after)


@rule(extended=True)
def bot_mul(before: Term, after: Term, scope: Scope) -> None:
    """c * (-oo) = -oo for c > 0.

    Refuses when another factor is not visibly positive.
    """
    must_be("bot_mul", before, Mul, "c * (-oo)")
    others = [t for t in before.children if not isinstance(t, NegInfinity)]
    if len(others) != len(before.children) - 1:
        raise Refused("bot_mul", "one factor -oo", str(before))
    for t in others:
        if not (finite(t, scope.theory, scope.facts) and positive(t, scope)):
            raise Refused("bot_mul", "positive factors beside -oo", str(t))
    must_agree("bot_mul", NegInfinity(), after)
