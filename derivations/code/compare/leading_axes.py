"""Definitions of a document at a place of leading axes that only the code has: one sequence of a batch, one head.

A definition that calls itself cannot be put in.  So each symbol that rests on an input with leading axes is defined anew,
with the place along these axes as its first indices: `h_t = a_t h_{t-1} + u_t` becomes `h_{b,t} = a_{b,t} h_{b,t-1} + u_{b,t}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from derivations.code.compare.aligned_axes import batch_variable
from derivations.code.compare.document_symbols import NotComparable
from derivations.code.compare.labels import renamed_labels
from derivations.language.statement import Definition, Theory
from derivations.language.substitution import rename_apart, substitute
from derivations.language.term import Entry, Index, Lambda

LED = "#led"
"""What the names of symbols with leading axes end in."""


def resting_on(theory: Theory, head: str, inputs: Mapping[str, Lambda]) -> list[str]:
    """The defined symbols under `head`, itself included, that rest on one of the inputs."""
    found: set[str] = set()
    grown = True
    reached = _reached(theory, head)
    while grown:
        known = found | inputs.keys()
        new = {h for h in reached - found if any(not d.body.heads.isdisjoint(known) for d in theory.definitions[h])}
        found |= new
        grown = bool(new)
    return sorted(found)


def _reached(theory: Theory, head: str) -> set[str]:
    seen: set[str] = set()
    todo = [head]
    while todo:
        h = todo.pop()
        if h in theory.definitions and h not in seen:
            seen.add(h)
            todo += [x for d in theory.definitions[h] for x in d.body.heads]
    return seen


def led_definitions(
    theory: Theory, head: str, inputs: Mapping[str, Lambda], leading: Sequence[Index]
) -> dict[str, tuple[Definition, ...]]:
    """The definitions under `head` that rest on `inputs`, with as many leading indices as there are lengths in `leading`.

    `inputs` are given symbols as their entries at the place `b0, b1, …` of the leading axes.  Raises `NotComparable`
    where one of them is a function of arrays.
    """
    heads = resting_on(theory, head, inputs)
    places = tuple(batch_variable(k) for k in range(len(leading)))
    put = dict(inputs)
    for h in heads:
        rows = theory.definitions[h]
        if any(d.tensors or d.shape is None for d in rows):
            raise NotComparable("a function of arrays that rests on an array with leading axes")
        params = tuple(f"p{k}" for k in range(len(rows[0].indices)))
        put[h] = Lambda(params, Entry(h + LED, [*map(Index.var, places), *map(Index.var, params)]))
    found: dict[str, tuple[Definition, ...]] = {}
    for h in heads:
        found[h + LED] = tuple(_led(d, h + LED, put, places, leading) for d in theory.definitions[h])
    return found


def _led(
    d: Definition, name: str, put: Mapping[str, Lambda], places: Sequence[str], leading: Sequence[Index]
) -> Definition:
    body = substitute(rename_apart(d.body, {*places, *d.variables}), tensors=dict(put))
    body = renamed_labels(body, put)
    indices = (*map(Index.var, places), *d.indices)
    return replace(d, name=name, indices=indices, body=body, shape=(*leading, *(d.shape or ())))
