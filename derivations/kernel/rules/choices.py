"""Rules of case distinctions on values."""

from __future__ import annotations

from derivations.kernel import ring as ring_laws
from derivations.kernel.errors import Refused
from derivations.kernel.finiteness import finite
from derivations.kernel.rules.requirements import inside_absolute_value, must_agree, must_be, must_be_equal_polynomials
from derivations.kernel.rules.table import rule
from derivations.kernel.scope import Scope
from derivations.kernel.sign import nonnegative, positive
from derivations.language.term import ONE, ZERO, Add, Apply, Choice, Max, Mul, Number, Pow, Term, listed


def _choice(rule: str, t: Term) -> Choice:
    must_be(rule, t, Choice, "a case distinction on the sign of a value")
    return t  # type: ignore[return-value]


@rule(extended=True)
def choice_value(before: Term, after: Term, scope: Scope, form: Term) -> None:
    """(a if x > 0 else b) is a where x > 0, and b where x <= 0.

    `form` is a term equal to x, or to -x, whose sign is visible or assumed.  Refuses when it is not.
    """
    choice = _choice("choice_value", before)
    for side in (form, choice.test):
        if not finite(side, scope.theory, scope.facts) or not side.free <= set(scope.variables):
            raise Refused("choice_value", "finite real values of what is in scope", str(side))
    if positive(form, scope) and ring_laws.same(form, choice.test, scope.theory, scope.facts):
        must_agree("choice_value", choice.above, after)
        return
    if not nonnegative(form, scope):
        raise Refused("choice_value", f"{form} >= 0", "it is neither visible nor assumed")
    must_be_equal_polynomials("choice_value", form, Mul((Number(-1), choice.test)), scope)
    must_agree("choice_value", choice.otherwise, after)


@rule()
def choice_bracket(before: Term, after: Term, scope: Scope) -> None:
    """(a if x > 0 else b) = [x > 0] a + (1 - [x > 0]) b."""
    choice = _choice("choice_bracket", before)
    must_agree("choice_bracket", bracketed(choice), after)


def bracketed(t: Choice) -> Term:
    """A case distinction on a value with an indicator."""
    test = Choice(t.test, ONE, ZERO)
    return Add((Mul((test, t.above)), Mul((Add((ONE, Mul((Number(-1), test)))), t.otherwise))))


@rule()
def choice_scale(before: Term, after: Term, scope: Scope, factor: Term) -> None:
    """(a if c x > 0 else b) = (a if x > 0 else b) for c > 0."""
    old, new = _choice("choice_scale", before), _choice("choice_scale", after)
    must_agree("choice_scale", old.above, new.above)
    must_agree("choice_scale", old.otherwise, new.otherwise)
    must_be_equal_polynomials("choice_scale", old.test, Mul((factor, new.test)), scope)
    if not positive(factor, scope):
        raise Refused("choice_scale", f"{factor} > 0", "it is neither visible nor assumed")


@rule()
def choice_neg(before: Term, after: Term, scope: Scope) -> None:
    """x [-x > 0] = x (1 - [x > 0])."""
    must_be("choice_neg", before, Mul, "x * [-x > 0]")
    if len(before.children) != 2:
        raise Refused("choice_neg", "two factors", str(before))
    value, choice = before.children[0], _choice("choice_neg", before.children[1])
    if choice.above is not ONE or choice.otherwise is not ZERO:
        raise Refused("choice_neg", "the values 1 and 0", str(choice))
    must_be_equal_polynomials("choice_neg", choice.test, Mul((Number(-1), value)), scope)
    must_agree("choice_neg", Mul((value, Add((ONE, Mul((Number(-1), Choice(value, ONE, ZERO))))))), after)


@rule()
def max_choice(before: Term, after: Term, scope: Scope) -> None:
    """max(a, b) = (a if a - b > 0 else b), and so on for more values."""
    must_be("max_choice", before, Max, "a maximum")
    found = listed(before)  # type: ignore[arg-type]
    if found is None:
        raise Refused("max_choice", "a maximum of listed values", str(before))
    must_agree("max_choice", largest(found), after)


def largest(values: list[Term]) -> Term:
    """The largest of some values by comparing each with the largest of those after it."""
    top = values[-1]
    for v in reversed(values[:-1]):
        if ZERO in (v, top):
            other = top if v is ZERO else v
            top = Choice(other, other, ZERO)
        else:
            top = Choice(v - top, v, top)
    return top


@rule()
def abs_choice(before: Term, after: Term, scope: Scope) -> None:
    """|x| = (x if x > 0 else -x)."""
    inner = inside_absolute_value("abs_choice", before)
    must_agree("abs_choice", Choice(inner, inner, -inner), after)


@rule(extended=True)
def apply_choice(before: Term, after: Term, scope: Scope, child: int) -> None:
    """Move a case distinction on a value outwards: f(a if x > 0 else b) = f(a) if x > 0 else f(b).

    Refuses where f is not a function of this value alone: under a sum, a derivative, an expectation.
    """
    children = before.children
    if not isinstance(before, (Add, Mul, Pow, Apply)) or not 0 <= child < len(children):
        raise Refused("apply_choice", "a sum, product, power or function", str(before))
    choice = _choice("apply_choice", children[child])

    def around(value: Term) -> Term:
        return before.with_children([*children[:child], value, *children[child + 1 :]])

    must_agree("apply_choice", Choice(choice.test, around(choice.above), around(choice.otherwise)), after)
