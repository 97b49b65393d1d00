"""What several families of rules require of their terms; each refuses with the name of the rule."""

from __future__ import annotations

from derivations.kernel import ring as ring_laws
from derivations.kernel.errors import Refused
from derivations.kernel.scope import Scope
from derivations.language.substitution import alpha_equal
from derivations.language.term import Apply, Number, Pow, Term


def must_be(rule: str, term: Term, kind: type[Term], what: str) -> None:
    if not isinstance(term, kind):
        raise Refused(rule, what, str(term))


def must_agree(rule: str, computed: Term, after: Term) -> None:
    if not alpha_equal(computed, after):
        raise Refused(rule, str(computed), str(after))


def must_number_parts(rule: str, chosen: tuple[int, ...], count: int) -> None:
    """Refuses numbers that are not those of different parts."""
    if any(type(k) is not int or not 0 <= k < count for k in chosen) or len(set(chosen)) != len(chosen):
        raise Refused(rule, f"different numbers below {count}", str(chosen))


def base_and_exponent(t: Term) -> tuple[Term, int]:
    if isinstance(t, Pow) and isinstance(t.exponent, Number) and t.exponent.value.q == 1:
        return t.base, int(t.exponent.value.p)
    return t, 1


def inside_absolute_value(rule: str, t: Term) -> Term:
    if not (isinstance(t, Apply) and t.function == "abs"):
        raise Refused(rule, "|x|", str(t))
    return t.arg


def must_be_equal_polynomials(rule: str, left: Term, right: Term, scope: Scope) -> None:
    if not ring_laws.same(left, right, scope.theory, scope.facts):
        raise Refused(rule, str(left), str(right))


def sine(x: Term) -> Term:
    return Apply("sin", x)


def cosine(x: Term) -> Term:
    return Apply("cos", x)
