"""Whether a value counts as true: known, or a condition on the indices of loops; and code that may not run at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from derivations.language.term import Index, Number
from derivations.lifting.interpreter.held_values import held_in
from derivations.lifting.loops import rounds
from derivations.lifting.operations.table import Value, array, integer
from derivations.lifting.symbolic.arrays import Array, index_truth, truth
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.truth_values import FALSE, TRUE, Condition, Test
from derivations.lifting.values.layers import Layer
from derivations.lifting.values.python_values import Class, Env, Function, Instance, Module

if TYPE_CHECKING:
    from derivations.lifting.interpreter.interpret import Interpreter


def decide(i: Interpreter, value: Value) -> bool | Condition:
    """Whether a value counts as true; refused where data or sizes decide."""
    if value is None or isinstance(value, (bool, str, tuple, list, dict)):
        return bool(value)
    if isinstance(value, (Function, Class, Instance, Module, Layer)):
        return True
    a = array(value)
    if a.rank:
        raise NotLifted("a decision by the entries of an array")
    if isinstance(a.entry, Index):
        whole = i.scope.sizes.resolve(a.entry)
        if whole.is_constant:
            return whole.const != 0
        if whole.sizes and not whole.free and all(c > 0 for _, c in whole.terms) and whole.const >= 0:
            return True
    if isinstance(a.entry, Number):
        return bool(a.entry.value != 0)
    known = index_truth(a.entry)
    if known in (TRUE, FALSE):
        return known == TRUE
    if not any(c.free for g in known for c in g):
        raise NotLifted("a decision by sizes: the code does different things at different sizes")
    return known


def have_same_lengths(i: Interpreter, a: Sequence[Value], b: Sequence[Value]) -> bool:
    """Whether two shapes are the same; refused where that depends on their sizes."""
    if len(a) != len(b):
        return False
    gaps = [i.scope.sizes.resolve(integer(x) - integer(y)) for x, y in zip(a, b, strict=True)]
    if any(g.is_constant and g.const for g in gaps):
        return False
    if any(g is not Index() for g in gaps):
        raise NotLifted("a decision by sizes: the code does different things at different sizes")
    return True


def undisturbed(
    i: Interpreter, run: Callable[[], Value], env: Env, own: Env | None = None, objects: bool = True
) -> Value:
    """What a piece of code gives that may not run at all; refused when it changes anything but the names of `own`.

    With `objects`, what these names held before must not change either.
    """
    scopes = [e for e in (*rounds.chain(env), *i.frames) if e is not own]
    kept = [*own.names.values()] if own is not None and objects else []
    before = held_in(scopes, kept)
    made = run()
    if before != held_in(scopes, kept):
        raise NotLifted("something is changed where a test decides whether it is")
    return made


def require_known(i: Interpreter, value: Value) -> bool:
    """Whether a value holds, where that is known."""
    known = decide(i, value)
    if not isinstance(known, bool):
        raise NotLifted("and, or of values of which a condition on indices takes one")
    return known


def depends_on_data(test: Value) -> bool:
    """Whether a truth value is one that numbers of the data decide."""
    return isinstance(test, Array) and not test.rank and isinstance(truth(test.entry), Test)
