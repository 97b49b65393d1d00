"""Function-style definitions that use names defined from their own parameters."""

from __future__ import annotations

from dataclasses import replace

from derivations.kernel.definition import descent, instance
from derivations.kernel.linear import entails_all
from derivations.language.statement import Definition, Theory
from derivations.language.term import Entry, Lambda, Term, at_least, guard

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


def calls_of_itself_put_in(made: Definition, theory: Theory) -> Definition:
    """The definition with the functions put in that it calls with its own name: `v_t = \\sigma(U v_{t-1})`.

    A state is one of the states before it, not of a function of them that may be of all its arguments.
    """
    if made.name not in made.body.heads or made.name in {t.name for t in made.tensors}:
        return made
    body = _calls_put_in(made.body, theory, made.name, LIMIT)
    return made if body is made.body else replace(made, body=body)


def _calls_put_in(t: Term, theory: Theory, name: str, limit: int) -> Term:
    if name not in t.heads or not limit:
        return t
    if isinstance(t, Entry) and any(name in a.body.heads for a in t.args):
        found = (instance(d, t, t.free) for d in theory.definitions.get(t.name, ()))
        body = next((f[0] for f in found if f is not None and not f[1]), None)
        return t if body is None else _calls_put_in(body, theory, name, limit - 1)
    return t.with_children([_calls_put_in(c, theory, name, limit) for c in t.children]) if t.children else t


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


def by_steps(t: Term, at: Entry, theory: Theory) -> Term | None:
    """A term in which states are written by their steps back to the one that it is differentiated by.

    None where that does not end, as the distance of the two is a letter, and where a step need not be the one that holds:
    of the entry that something is differentiated by it is known only that it exists.
    """
    found = descent(theory.definitions[at.name])
    return _stepped(t, at, found[0], theory, LIMIT) if found is not None else None


def _stepped(t: Term, at: Entry, place: int, theory: Theory, limit: int) -> Term | None:
    is_there = isinstance(t, Entry) and t.name == at.name and t.indices[place] is at.indices[place]
    if is_there or not theory.depends(t, frozenset((at.name,))):
        return t
    if isinstance(t, Entry) and t.name in theory.definitions:
        exists = guard(at_least(at.indices[place], 0))
        found = (instance(d, t, t.free) for d in theory.definitions[t.name]) if limit else ()
        body = next((f[0] for f in found if f is not None and entails_all(exists, f[1])), None)
        return _stepped(body, at, place, theory, limit - 1) if body is not None else None
    if not t.children or isinstance(t, Entry):
        return None
    children = [_stepped(c, at, place, theory, limit) for c in t.children]
    return t.with_children([c for c in children if c is not None]) if None not in children else None
