"""An `if` statement: both of its ways are run where the test is not known, and their values are joined."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from derivations.kernel.linear import consistent
from derivations.language.term import guard
from derivations.lifting.interpreter.decisions import decide, depends_on_data, undisturbed
from derivations.lifting.operations import elementwise
from derivations.lifting.operations.table import Unlifted, Value
from derivations.lifting.symbolic.arrays import Array, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.truth_values import Condition, negated
from derivations.lifting.values.python_values import Continue, Env, Return
from derivations.notes import Note

if TYPE_CHECKING:
    from derivations.lifting.interpreter.interpret import Interpreter


def branch(i: Interpreter, s: ast.If, rest: Sequence[ast.stmt], env: Env) -> tuple[Return | Continue | None, bool]:
    """An `if`, with the statements that follow it; whether those are done already."""
    if _is_check(s) and not i.path and not i.loops:
        try:
            goes_on = decide(i, i.value(s.test, env)) is False
        except NotLifted:
            goes_on = True
            i.scope.assume(Note("goes-on", (ast.unparse(s.test),)))
        if goes_on:
            return None, False
    try:
        test = i.value(s.test, env)
        if depends_on_data(test):
            return _branch_on_data(i, test, s, rest, env)
        known = decide(i, test)
    except NotLifted as problem:
        raise i.placed(problem, s) from None
    if isinstance(known, bool):
        return i.block_of(s.body if known else s.orelse, env), False
    before = dict(env.names)
    yes, yes_names = _run_arm(i, s.body, known, env, before)
    no, no_names = _run_arm(i, [*s.orelse, *(rest if yes is not None else ())], negated(known), env, before)
    if yes is None and no is None:
        env.names = _merge(i, known, yes_names, no_names)
        return None, False
    if isinstance(yes, Continue) and not isinstance(no, Return):
        env.names = _merge(i, known, yes_names, no_names)
        return None, True
    if isinstance(yes, Return) and isinstance(no, Return):
        return Return(_either(i, known, yes.value, no.value)), True
    raise i.placed(NotLifted("branches that end in different ways"), s)


def _branch_on_data(
    i: Interpreter, test: Array, s: ast.If, rest: Sequence[ast.stmt], env: Env
) -> tuple[Return | Continue | None, bool]:
    """An `if` on a number of the data: both ways return a value, or both only give names to values."""
    before, ways, names = dict(env.names), [], []
    for body in (s.body, s.orelse):
        if not all(map(only_names, body)):
            raise NotLifted("a decision by values of data")
        env.names = dict(before)
        ways.append(undisturbed(i, lambda b=body: i.block_of(b, env), env, env))  # type: ignore[misc]
        names.append(env.names)
    yes, no = ways
    done = isinstance(yes, Return) and no is None
    if done:
        no = undisturbed(i, lambda: i.block_of(rest, env), env, env, objects=False)
    if isinstance(yes, Return) and isinstance(no, Return):
        return Return(elementwise.where(i.scope, test, yes.value, no.value)), done
    if yes is not None or no is not None:
        raise NotLifted("branches that end in different ways")
    env.names = {
        name: a if (a := names[0].get(name)) is (b := names[1].get(name)) else _join(i, test, a, b)
        for name in {**names[0], **names[1]}
    }
    return None, False


def _run_arm(
    i: Interpreter, body: Sequence[ast.stmt], when: Condition, env: Env, before: dict[str, Value]
) -> tuple[Return | Continue | None, dict[str, Value]]:
    env.names = dict(before)
    i.path.append(when)
    facts = len(i.scope.facts)
    possible = [g for g in when if consistent(guard(*i.scope.known, *g))]  # t != 0 is t > 0 where t >= 0
    i.scope.facts += possible[0] if len(possible) == 1 else ()
    try:
        outcome = i.block_of(body, env)
    finally:
        i.path.pop()
        del i.scope.facts[facts:]
    return outcome, env.names


def _merge(i: Interpreter, when: Condition, yes: dict[str, Value], no: dict[str, Value]) -> dict[str, Value]:
    names = {}
    for name in {**yes, **no}:
        a, b = yes.get(name), no.get(name)
        names[name] = a if a is b else _either(i, when, a, b)
    return names


def _either(i: Interpreter, when: Condition, a: Value, b: Value) -> Value:
    """`a` where the condition holds, else `b`."""
    return _join(i, scalar(when), a, b)


def _join(i: Interpreter, test: Array, a: Value, b: Value) -> Value:
    try:
        return elementwise.where(i.scope, test, a, b)
    except NotLifted as problem:
        return Unlifted(NotLifted(f"two branches give values that cannot be joined ({problem.reason})"))


def only_names(s: ast.stmt) -> bool:
    """Whether a statement only gives names to values, or returns one."""
    if isinstance(s, ast.If):
        return all(map(only_names, [*s.body, *s.orelse]))
    if isinstance(s, (ast.Assign, ast.AnnAssign)):
        targets = s.targets if isinstance(s, ast.Assign) else [s.target]
        return all(isinstance(t, ast.Name) for t in targets)
    return isinstance(s, (ast.Return, ast.Pass))


def _is_check(s: ast.If) -> bool:
    """`if n != m: raise ValueError(...)`: where the code goes on, the test is false."""
    changes = any(isinstance(n, (ast.NamedExpr, ast.Await)) for n in ast.walk(s.test))
    only = len(s.body) == 1 and isinstance(s.body[0], ast.Raise) and not s.orelse
    return only and not changes and not is_unfinished(s.body[0])


def is_unfinished(s: ast.stmt) -> bool:
    return any(isinstance(n, ast.Name) and n.id == "NotImplementedError" for n in ast.walk(s))
