"""Whether everything in a term is defined at given inputs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from flint import fmpq

from derivations.language.extended_reals import NEG_INF, sign
from derivations.language.term import Apply, Case, Choice, Entry, Expectation, Index, Lambda, Max, Mul, Pow, Sum, Term

if TYPE_CHECKING:
    from derivations.language.meaning import Evaluator


def is_defined(e: Evaluator, t: Term, env: dict[str, int]) -> bool:
    """Whether a term is defined, by its kind; what is below it is asked of the evaluator, which remembers."""
    if isinstance(t, Case):
        return e.defined(e.branch(t, env), env)
    if isinstance(t, Choice):
        if not e.defined(t.test, env) or e.value(t.test, env) is NEG_INF:
            return False
        return e.defined(e.branch(t, env), env)
    if isinstance(t, (Sum, Max)):
        places = list(e.range(t.var, t.guard, env))
        if isinstance(t, Max) and not places:
            return False
        if not all(e.defined(t.body, {**env, t.var: v}) for v in places):
            return False
        return isinstance(t, Max) or all(e.value(t.body, {**env, t.var: v}) is not NEG_INF for v in places)
    if isinstance(t, Entry):
        return _is_entry_defined(e, t, env)
    if isinstance(t, Expectation):
        return all(found for _, found in e.outcomes(lambda inner: inner.defined(t.body, dict(env))))
    if not all(e.defined(c, env) for c in t.children):
        return False
    if isinstance(t, Pow):
        base, exponent = e.value(t.base, env), e.value(t.exponent, env)
        if base is NEG_INF or exponent is NEG_INF:
            return False
        if isinstance(exponent, fmpq) and exponent.q == 1:
            return exponent >= 0 or sign(base) != 0
        return sign(base) > 0 or (sign(base) == 0 and sign(exponent) > 0)
    if isinstance(t, Apply):
        x = e.value(t.arg, env)
        if x is NEG_INF:
            return t.function == "exp"
        return t.function != "log" or sign(x) > 0
    if isinstance(t, Mul):
        parts = [e.value(a, env) for a in t.args]
        infinite = sum(p is NEG_INF for p in parts)
        return not infinite or (infinite == 1 and all(sign(p) > 0 for p in parts if p is not NEG_INF))
    return True


def _is_entry_defined(e: Evaluator, t: Entry, env: dict[str, int]) -> bool:
    shape = e.theory.shape(t.name)
    if shape is not None and not t.args and not t.sizes and len(shape) == len(t.indices):
        for index, size in zip(t.indices, shape, strict=True):
            if not 0 <= e.at(index, env) < size.evaluate({}, e.inputs.sizes):
                return False
    if any(e.at(s, env) < 1 for s in t.sizes):
        return False
    definition = e.definition(t, env)
    if definition is not None:
        body, inner = definition
        return e.defined(body, inner)
    if t.is_inverse:
        return _is_inverse_defined(e, t, env)
    if t.is_unknown:
        return all(_is_argument_defined(e, a, n, env) for a, n in zip(t.args, t.lengths, strict=True))
    return t.name not in e.theory.definitions


def _is_argument_defined(e: Evaluator, a: Lambda, lengths: Sequence[Index], env: dict[str, int]) -> bool:
    """Whether the entries of an array that a function of which nothing is known is applied to are defined."""
    places = product(*(range(e.at(n, env)) for n in lengths))
    return all(e.defined(a.body, {**env, **dict(zip(a.params, at, strict=True))}) for at in places)


def _is_inverse_defined(e: Evaluator, t: Entry, env: dict[str, int]) -> bool:
    """Whether all entries of a matrix are defined, it is invertible, and the indices are in range."""
    matrix, n = t.args[0], e.at(t.sizes[0], env)
    if n < 1 or not all(0 <= e.at(i, env) < n for i in t.indices):
        return False
    places = ({**env, **dict(zip(matrix.params, at, strict=True))} for at in product(range(n), repeat=2))
    return all(e.defined(matrix.body, there) for there in places) and e.inverse(t, env) is not None
