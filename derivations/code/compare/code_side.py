"""The code's side of a comparison: the entry of its value, what that rests on, and sizes with names of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from derivations.code.compare.document_symbols import NotComparable, Target, member_index, step_index
from derivations.language.statement import Definition
from derivations.language.substitution import labels_of, substitute, term_sizes
from derivations.language.term import ZERO, Index, IndexValue, Lambda, Term, label
from derivations.lifting.settled_entries import finish, finished_folds
from derivations.lifting.symbolic.arrays import Array, places, put, real
from derivations.lifting.symbolic.scope import Input, Scope


@dataclass
class Links:
    """What the inputs of a lifted function are: parameters of the definition, or symbols of the document."""

    parameters: Mapping[str, int] = field(default_factory=dict)
    """Code head -> number of the tensor parameter of the definition."""
    each: bool = False
    """Whether the code computes one member of the target, which is a family: head_i for a given i."""
    places: Mapping[str, Index] = field(default_factory=dict)
    """The place of the member of each family that code for one step of a recurrence is given."""
    led: bool = False
    """Whether these members have a leading axis in the code: one step of several sequences."""


EACH = "each~"
"""The index of the member that code computes."""


@dataclass(frozen=True)
class CodeSide:
    """An entry of the code's value; each of its sizes is marked, so that none is taken for one of the document."""

    entry: Term
    folds: Mapping[str, tuple[Definition, ...]]
    inputs: Mapping[str, Input]
    """What the entry rests on, by the names that the lifted code has for it."""
    shapes: Mapping[str, tuple[Index, ...]]
    shape: tuple[Index, ...]
    sizes: frozenset[str]
    mark: Mapping[str, Index]
    member: str | None
    """The index of the family's member that the code computes."""
    labels: Mapping[str, Index] = field(default_factory=dict)
    """The inputs that are positions on an axis, and its length."""

    @property
    def bodies(self) -> list[Definition]:
        """The rules of the loops that the entry rests on."""
        return [x for rows in self.folds.values() for x in rows]


def code_side(value: Array, scope: Scope, target: Target, links: Links, zero: frozenset[str]) -> CodeSide:
    """The code's side for a value; inputs in `zero` are put to zero.  Raises `NotComparable` or `NotLifted`."""
    a = finish(scope, value)
    entry = a.real(places(a.rank))
    folds = finished_folds(scope, entry)
    member = member_index(target, 1) if links.each else step_index(target) if links.places else None
    if (links.each or links.places) and member is None:
        raise NotComparable("the equation is no family with one rule for all members")
    if member is not None:
        entry = real(put(entry, {EACH: Index.var(member)}))
    if zero:
        nothing = {h: _constant_zero(scope.inputs[h]) for h in zero}
        entry = substitute(entry, tensors=nothing)
        folds = {h: tuple(replace(x, body=substitute(x.body, tensors=nothing)) for x in r) for h, r in folds.items()}
    labels = {h: scope.sizes.resolve(length) for h, length in scope.labels.items()}
    as_numbers = {h: _as_numbers(h, scope.inputs[h], length) for h, length in labels.items()}
    entry = substitute(entry, tensors=as_numbers)
    folds = {h: tuple(replace(x, body=substitute(x.body, tensors=as_numbers)) for x in r) for h, r in folds.items()}
    bodies = [x for rows in folds.values() for x in rows]
    sizes = term_sizes(entry) | {s for i in a.shape for s in i.sizes}
    sizes |= {s for x in bodies for s in term_sizes(x.body) | {n for i in x.shape or () for n in i.sizes}}
    used = {name for t in (entry, *(x.body for x in bodies)) for name in labels_of(t)}
    heads = entry.heads.union(used, *(x.body.heads for x in bodies))
    inputs = {h: i for h, i in scope.inputs.items() if h in heads}
    shapes = {h: tuple(scope.sizes.resolve(s) for s in i.shape) for h, i in inputs.items()}
    sizes |= {s for shape in shapes.values() for i in shape for s in i.sizes}
    mark = {s: Index.size(f"{s}'") for s in sizes}
    shape = tuple(s.substitute({}, mark) for s in a.shape)
    shapes = {h: tuple(i.substitute({}, mark) for i in s) for h, s in shapes.items()}
    labels = {h: length.substitute({}, mark) for h, length in labels.items() if h in used}
    return CodeSide(entry, folds, inputs, shapes, shape, frozenset(sizes), mark, member, labels)


def _as_numbers(head: str, given: Input, length: Index) -> Lambda:
    """Positions where they stand as numbers."""
    params = tuple(f"p{k}" for k in range(len(given.shape)))
    return Lambda(params, IndexValue(label(head, map(Index.var, params), length)))


def _constant_zero(given: Input) -> Lambda:
    return Lambda(tuple(f"p{k}" for k in range(len(given.shape))), ZERO)
