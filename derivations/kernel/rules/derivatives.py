"""The rule of derivatives."""

from __future__ import annotations

from derivations.kernel.errors import Refused
from derivations.kernel.rules.requirements import cosine, must_agree, must_be, sine
from derivations.kernel.rules.table import rule
from derivations.kernel.scope import Scope
from derivations.kernel.sign import nonzero, positive
from derivations.kernel.smoothness import smooth
from derivations.language.substitution import rename_apart
from derivations.language.term import (
    DERIVED,
    FUNCTIONS,
    ONE,
    ZERO,
    Add,
    Apply,
    Bracket,
    Case,
    Choice,
    Derivative,
    Entry,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    constraint,
)


@rule()
def deriv(before: Term, after: Term, scope: Scope) -> None:
    """One law of differentiation: of a constant, an entry, a sum, a product, a power, exp, log, sin, cos, tanh, phi.

    The derivative of an unknown function phi of one number is the unknown function `phi'`.  Refuses where the law needs
    a base other than 0 or a positive argument that is not visible, and for functions without a law here.
    """
    must_be("deriv", before, Derivative, "a derivative")
    must_agree("deriv", differentiate(before, scope), after)  # type: ignore[arg-type]


def differentiate(d: Derivative, scope: Scope) -> Term:
    """The derivative by one law (for provers; the rule compares with it)."""
    found = _by_one_law(d, scope)
    # with parts that have no derivative the laws fail: x = f f f for the cube root f, and 3 f^2 df/dx is 0 at 0
    if not smooth(d.body, scope.inside(d, 0), d.name):
        raise Refused("deriv", "parts that can be differentiated here", str(d.body))
    return found


def _by_one_law(d: Derivative, scope: Scope) -> Term:
    body = d.body

    def inner(t: Term) -> Term:
        return Derivative(d.name, d.at, t)

    if d.name in scope.theory.definitions:  # y := exp(z) would give dy/dy = 1, and 0 once y is unfolded
        raise Refused("deriv", "a given tensor to differentiate by", f"{d.name}, which is defined")
    if d.name in scope.theory.constants:
        raise Refused("deriv", "a given tensor to differentiate by", f"{d.name}, which is a number")
    if not scope.theory.depends(body, frozenset((d.name,))):
        return ZERO
    if isinstance(body, Entry) and body.name == d.name and not body.args and len(body.indices) == len(d.at):
        return Bracket(constraint(i - j, "==") for i, j in zip(body.indices, d.at, strict=True))
    if isinstance(body, Add):
        return Add(inner(t) for t in body.args)
    if isinstance(body, Mul):
        parts = body.args
        return Add(Mul((*parts[:k], inner(t), *parts[k + 1 :])) for k, t in enumerate(parts))
    if isinstance(body, Sum):
        apart: Sum = rename_apart(body, frozenset(scope.variables).union(*(i.free for i in d.at)))  # type: ignore[assignment]
        return Sum(apart.var, apart.guard, inner(apart.body))
    if isinstance(body, Case):
        return Case([(g, inner(t)) for g, t in body.branches], inner(body.otherwise))
    if isinstance(body, Choice):
        if not nonzero(body.test, scope):
            raise Refused("deriv", f"{body.test} != 0", "it is neither visible nor assumed")
        return Choice(body.test, inner(body.above), inner(body.otherwise))
    if isinstance(body, Pow) and isinstance(body.exponent, Number):
        q = body.exponent.value
        if not (q.q == 1 and q >= 1):
            test, needed = (nonzero, "!= 0") if q.q == 1 else (positive, "> 0")
            if not test(body.base, scope):
                raise Refused("deriv", f"{body.base} {needed}", "it is neither visible nor assumed")
        return Mul((Number(q), Pow(body.base, Number(q - 1)), inner(body.base)))
    if isinstance(body, Pow):
        base, exponent = body.base, body.exponent
        if not positive(base, scope):
            raise Refused("deriv", f"{base} > 0", "it is neither visible nor assumed")
        by_base = Mul((exponent, Pow(base, Add((exponent, Number(-1)))), inner(base)))
        return Add((by_base, Mul((body, Apply("log", base), inner(exponent)))))
    if isinstance(body, Apply):
        x = body.arg
        if body.function not in FUNCTIONS:
            return Mul((Apply(body.function + DERIVED, x), inner(x)))
        outer: dict[str, Term] = {
            "exp": body,
            "log": Pow(x, -1),
            "sin": cosine(x),
            "cos": Mul((Number(-1), sine(x))),
            "tanh": Add((ONE, Mul((Number(-1), Pow(body, 2))))),
        }
        if body.function in outer:
            if body.function == "log" and not positive(x, scope):
                raise Refused("deriv", f"{x} > 0", "it is neither visible nor assumed")
            return Mul((outer[body.function], inner(x)))
    raise Refused("deriv", "a sum, product, power, exp, log, sin, cos or tanh (unfold definitions first)", str(body))
