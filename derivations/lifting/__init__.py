"""Code as mathematics: torch and NumPy source is lifted to terms with symbolic sizes, without being run.

>>> lifted = lift("def scores(Q, K):\\n    return Q @ K.T", "scores", {"Q": ("n", "d"), "K": ("m", "d")})
>>> print(lifted.entry, [str(s) for s in lifted.shape])
sum(k1: 0 <= k1 < d; Q[x0, k1]*K[x1, k1]) ['n', 'm']
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from derivations.language.statement import Definition, Statement, Tensor, Theory
from derivations.language.substitution import substitute
from derivations.language.term import Entry, Guard, Index, Lambda, Term, guard, within
from derivations.lifting.interpreter.calls import call_function, instantiate
from derivations.lifting.interpreter.interpret import Interpreter
from derivations.lifting.interpreter.library import libraries, named
from derivations.lifting.interpreter.live_functions import Process
from derivations.lifting.loops.folds import moved, reached
from derivations.lifting.operations.table import Struct, Unlifted, Value, array
from derivations.lifting.settled_entries import finish, finished_folds
from derivations.lifting.symbolic.arrays import Array as Array
from derivations.lifting.symbolic.arrays import place_name, places, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted as NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.values.python_values import Class, Function
from derivations.lifting.values.records import items
from derivations.provers.decide import Decision, Proved, Refuted, Undecided, decide

Shape = Sequence[str | int]
"""Sizes by name or number; the name of a size alone, for a whole-number parameter, is given as a string."""


@dataclass(frozen=True)
class Lifted:
    """What code computes: the entry at the place `x0`, `x1`, ... of an array of this shape.

    `assumptions` are readings of the code (a mask fill as minus infinity, equal sizes); `inputs` the tensors that the
    entry speaks of; `definitions` are the families of loops that it rests on: what is handed from round to round.
    """

    entry: Term
    shape: tuple[Index, ...]
    assumptions: tuple[str, ...]
    inputs: tuple[Tensor, ...]
    definitions: Mapping[str, tuple[Definition, ...]] = field(default_factory=dict)
    facts: Guard = ()
    """What holds of sizes that stand for a number of blocks."""

    def at(self, names: Sequence[str]) -> Term:
        """The entry at index variables of these names."""
        return substitute(self.entry, {place_name(k): Index.var(n) for k, n in enumerate(names)})


def lift(
    code: str | Callable[..., Any], name: str | None = None, shapes: Mapping[str, Shape | str] | None = None
) -> Lifted:
    """Lift a function, or the variable `name` of straight-line code.

    `shapes` gives the shapes of the parameters: `{"Q": ("n", "d")}`; `"h"` alone is a whole number.  The code is read,
    never run.  Raises `NotLifted` with a place for whatever is not taken over.
    """
    scope = Scope()
    return _lifted(scope, _first(_run(scope, code, name, dict(shapes or {}))))


def equivalent(f: str | Callable[..., Any], g: str | Callable[..., Any], /, **shapes: Shape | str) -> Decision:
    """Prove or refute that two functions compute the same array for all sizes and all real inputs.

    Blocks need not divide an axis: the last one may be shorter.  Where only blocks that divide it can be followed, that is
    among what the proof assumes.

    >>> def a(x): return x.sum(0)
    >>> def b(x): return sum(row for row in x)
    >>> type(equivalent(a, b, x=("n", "d"))).__name__
    'Proved'
    """
    try:
        general, blocks = _compared(f, g, shapes, tails=True)
    except NotLifted:
        general, blocks = None, True
    if general is not None and (not isinstance(general, Undecided) or not blocks):
        return general
    try:
        found, _ = _compared(f, g, shapes, tails=False)
    except NotLifted:
        if general is None:
            raise
        return general
    return general if general is not None and isinstance(found, Undecided) else found


def _compared(
    f: str | Callable[..., Any], g: str | Callable[..., Any], shapes: Mapping[str, Shape | str], *, tails: bool
) -> tuple[Decision, bool]:
    """The decision, and whether the code goes through blocks that are only supposed to divide an axis (or may not)."""
    scope = Scope(tails=tails, exact=True)
    inputs = _inputs(scope, shapes)
    one, two = (array(_only(_run(scope, code, None, shapes, inputs))) for code in (f, g))
    if one.rank != two.rank:
        raise NotLifted(f"the results have {one.rank} and {two.rank} axes", code="shape-conflict")
    for a, b in zip(one.shape, two.shape, strict=True):
        scope.sizes.require(a, b, "the results")
    left = _lifted(scope, one)
    right = _lifted(scope, two, left.definitions)
    names = [f"i{k}" for k in range(len(left.shape))]
    bounds = [c for n, s in zip(names, left.shape, strict=True) for c in within(n, 0, s)]
    statement = Statement(left.at(names), "=", right.at(names), tuple(names), guard(*bounds, *left.facts, *right.facts))
    tensors = {t.name: t for t in (*left.inputs, *right.inputs)}
    decision = decide(statement, Theory(tensors, {**left.definitions, **right.definitions}))
    if isinstance(decision, Proved):  # what the code supposes of sizes, and how parts of it were read
        pinned = [r for r in scope.sizes.required if r.pins]
        if pinned:
            return Undecided(f"the two are the same only where {pinned[0]}", code="vacuous"), False
        notes = (*(r.note for r in scope.sizes.required), *scope.assumptions)
        said = [n.text for n in notes if not n.is_internal]
        decision = replace(decision, assumes=tuple(dict.fromkeys([*decision.assumes, *said])))
    if isinstance(decision, Refuted):
        made_up = {s for count in scope.blocks.values() for s in count.sizes}
        witness = decision.counterexample
        sizes = {k: v for k, v in witness.sizes.items() if k not in made_up}
        decision = replace(decision, counterexample=replace(witness, sizes=sizes))
    return decision, bool(scope.blocks or scope.minima)


def _inputs(scope: Scope, shapes: Mapping[str, Shape | str]) -> dict[str, Value]:
    """A symbolic value for each parameter."""
    made: dict[str, Value] = {}
    for name, shape in shapes.items():
        if isinstance(shape, str):
            made[name] = scalar(scope.sizes.name(shape))
        else:
            sizes = [Index.of(s) if isinstance(s, int) else scope.sizes.name(s) for s in shape]
            made[name] = replace(scope.given(sizes, name, "parameter"), library="")  # that of the code that uses it
    return made


def _run(
    scope: Scope,
    code: str | Callable[..., Any],
    name: str | None,
    shapes: Mapping[str, Shape | str],
    inputs: Mapping[str, Value] | None = None,
) -> Value:
    given = dict(inputs) if inputs is not None else _inputs(scope, shapes)
    interpreter = Interpreter(scope)
    if not isinstance(code, str):
        function = Process(interpreter).function(code)
        used = libraries(function, None, scope.library)
        if len(used) == 1:
            (scope.library,) = used
        return call_function(interpreter, function, [], _own(function, given), lend=False)
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotLifted(f"the code does not parse: {error}", getattr(error, "lineno", 0) or 0) from None
    named_by_code = named(tree, None)
    if len(named_by_code) == 1:
        (scope.library,) = named_by_code
    if name is None:
        functions = [s.name for s in tree.body if isinstance(s, (ast.FunctionDef, ast.ClassDef))]
        name = functions[-1] if functions else None
    interpreter.module.names.update(given)
    interpreter.run(tree.body)
    found = interpreter.module.names.get(name or "")
    if name is None or found is None:
        raise NotLifted(f"the code defines no {name or 'function'}", code="undefined-name")
    if isinstance(found, Class):
        made, forward = instantiate(interpreter, found, [], {}), found.member("forward")
        if not isinstance(forward, Function):
            raise NotLifted(f"{name} has no forward")
        return call_function(interpreter, forward, [made], _own(forward, given), lend=False)
    if isinstance(found, Unlifted):
        raise found.problem
    if isinstance(found, Function):
        found = call_function(interpreter, found, [], _own(found, given), lend=False)
    return found


def _own(function: Function, given: Mapping[str, Value]) -> dict[str, Value]:
    a = function.node.args
    return {x.arg: given[x.arg] for x in (*a.posonlyargs, *a.args, *a.kwonlyargs) if x.arg in given}


def _only(value: Value) -> Value:
    """The one result; several are refused, for a verdict on the first of them says nothing of the others."""
    value = value.items if isinstance(value, Struct) else items(value) or value
    if isinstance(value, tuple) and len(value) > 1:
        raise NotLifted(f"the function returns {len(value)} values: one array is compared with one array")
    return value[0] if isinstance(value, tuple) and value else value


def _first(value: Value) -> Value:
    """The first of several results."""
    if isinstance(value, Struct):
        value = value.items
    return value[0] if isinstance(value, tuple) and value else value


def _lifted(scope: Scope, value: Value, taken: Iterable[str] = ()) -> Lifted:
    a = finish(scope, array(value))
    entry = a.real(places(a.rank))
    folds = finished_folds(scope, entry)
    heads = reached(scope, entry.heads)
    names: dict[str, Lambda] = {}
    tensors = []
    used: set[str] = set()
    for head, given in scope.inputs.items():
        name = given.name or "input"
        while name in used:
            name += "_"
        used.add(name)
        params = tuple(f"p{k}" for k in range(len(given.shape)))
        names[head] = Lambda(params, Entry(name, map(Index.var, params)))
        if head in heads:
            tensors.append(Tensor(name, tuple(map(scope.sizes.resolve, given.shape)), constant=given.constant))
    assumptions = tuple(n.text for n in (*scope.assumptions, *(r.note for r in scope.sizes.required)))
    entry, definitions = moved(entry, folds, {}, names, taken)
    facts = tuple(map(scope.settled, scope.sizes.facts))
    return Lifted(entry, a.shape, assumptions, tuple(tensors), definitions, facts)


__all__ = ["Array", "Entry", "Lifted", "NotLifted", "equivalent", "lift"]
