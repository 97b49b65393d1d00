"""Function-style definitions that use names defined from their own parameters."""

from __future__ import annotations

from dataclasses import replace

from derivations.kernel.definition import instance
from derivations.language.statement import Definition, Theory
from derivations.language.term import Entry, Lambda, Term

LIMIT = 20
"""Unfolding steps along one path."""


def closed(definition: Definition, theory: Theory) -> Definition:
    """The definition with every symbol unfolded that was defined from a parameter of the same name.

    `LayerNorm(x) = (x - mu) / sigma`, where mu is the mean of x, means the mean of the argument.
    """
    parameters = {t.name for t in definition.tensors}
    if not parameters:
        return definition
    body = _unfold(definition.body, theory, parameters, LIMIT)
    return definition if body is definition.body else replace(definition, body=body)


def depends(head: str, theory: Theory, parameters: set[str], seen: frozenset[str] = frozenset()) -> bool:
    """Whether a defined symbol speaks of one of the names, directly or through other definitions."""
    for d in theory.definitions.get(head, ()):
        own = {t.name for t in d.tensors}
        heads = d.body.heads - own
        if heads & parameters or any(
            h not in seen and depends(h, theory, parameters, seen | {head}) for h in heads - parameters
        ):
            return True
    return False


def _unfold(t: Term, theory: Theory, parameters: set[str], limit: int) -> Term:
    if t.heads.isdisjoint(theory.definitions) or not limit:
        return t
    if isinstance(t, Entry) and t.name not in parameters and depends(t.name, theory, parameters):
        for d in theory.definitions[t.name]:
            found = instance(d, t, t.free)
            if found is not None:
                return _unfold(found[0], theory, parameters, limit - 1)
    if isinstance(t, Entry) and t.args:
        lambdas = [Lambda(a.params, _unfold(a.body, theory, parameters, limit)) for a in t.args]
        return Entry(t.name, t.indices, lambdas, t.sizes)
    if not t.children:
        return t
    return t.with_children([_unfold(c, theory, parameters, limit) for c in t.children])
