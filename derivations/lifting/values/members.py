"""Lists of symbolic length whose members are layers or objects: `nn.ModuleList([Head(d, d_k) for _ in range(h)])`.

One member is made for a generic position; its parameters get that position as a first axis, so that every member has
parameters of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from derivations.language.substitution import substitute
from derivations.language.term import Entry, Index, Lambda, Term
from derivations.lifting.loops.generic_round import Loop
from derivations.lifting.operations.table import Value
from derivations.lifting.symbolic.arrays import Array, put
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.values.layers import Layer
from derivations.lifting.values.python_values import Instance, Members


def made_of(scope: Scope, value: Value, loop: Loop, before: Collection[str]) -> Members:
    """The members of a list, from the one at a generic position; inputs that are not in `before` are its own."""
    here = Index.var(loop.variable)
    own: dict[str, Lambda] = {}
    for head, given in scope.inputs.items():
        if head not in before and given.origin != "constant":
            if any(loop.variable in s.free for s in given.shape):
                raise NotLifted("members of a list with parameters of different sizes")
            params = tuple(f"p{k}" for k in range(len(given.shape)))
            own[head] = Lambda(params, Entry(head, [here, *map(Index.var, params)]))
            given.shape = (loop.size, *given.shape)

    def with_axis(a: Array) -> Array:
        return replace(a, entry=substitute(a.entry, tensors=own)) if isinstance(a.entry, Term) else a

    return Members(mapped(value, with_axis), loop)


def member(found: Members, k: Index) -> Value:
    """The member at a position; nothing can be changed in it."""
    at = {found.loop.variable: k}
    return mapped(found.template, lambda a: replace(a, entry=put(a.entry, at)))


def mapped(value: Value, change: Callable[[Array], Array]) -> Value:
    """The same value with every array in it changed."""
    if isinstance(value, Array):
        return change(value)
    if isinstance(value, Instance):
        parts = {name: mapped(v, change) for name, v in value.attributes.items()}
        return Instance(value.cls, parts, (-1, -1))
    if isinstance(value, Layer):
        parameters = {name: change(a) for name, a in value.parameters.items()}
        return Layer(value.kind, parameters, {name: mapped(v, change) for name, v in value.settings.items()})
    if isinstance(value, (list, tuple)):
        return type(value)(mapped(v, change) for v in value)
    if isinstance(value, dict):
        return {name: mapped(v, change) for name, v in value.items()}
    return value
