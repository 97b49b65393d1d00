"""Definitions, admitted only as conservative extensions: they name something and assert nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from derivations.kernel.errors import NotConservative, Refused
from derivations.kernel.linear import bounded, consistent, entails_all
from derivations.language.statement import Definition, Theory
from derivations.language.substitution import bound_variables, fresh, rename_apart, substitute, subterms
from derivations.language.term import (
    INVERSE,
    UNKNOWN,
    Constraint,
    Derivative,
    Entry,
    Expectation,
    Guard,
    Index,
    Lambda,
    Max,
    Sum,
    Term,
    TermError,
    at_least,
    equal,
    flattened,
    guard,
    guard_free,
    guard_substitute,
    less,
    quotient,
    remainder,
)


def admit(theory: Theory, definition: Definition) -> Theory:
    """The theory with one more definition.

    Refuses (`NotConservative`) when the head is a declared tensor or already defined by an overlapping pattern, when
    a pattern variable occurs twice, when the right side has a free variable that the left side does not bind, or when
    the definition would be circular.
    """
    name = definition.name
    if INVERSE in (name, *(t.name for t in definition.tensors)):
        raise NotConservative(name, "the inverse of a matrix has a meaning; nothing else may have its name")
    _not_unknown(name, *(t.name for t in definition.tensors))
    if name in theory.tensors:
        raise NotConservative(name, f"{name} is a given tensor; a defined symbol must be new")
    variables = definition.variables
    if len(set(variables)) != len(variables):
        raise NotConservative(name, "an index variable occurs twice on the left side; use distinct variables")
    for index in definition.indices:
        if not index.plain:
            _flattened(definition, index)
            continue
        if len(index.free) > 1:
            raise NotConservative(name, f"the index {index} on the left side combines variables; use one in each place")
        if index.sizes and index.free:
            raise NotConservative(name, f"the index {index} on the left side mixes a variable and a size")
    _fixed_lengths(name, definition.shape or (), *(t.shape for t in definition.tensors))
    for t in subterms(definition.body):
        if isinstance(t, (Sum, Max)) and not bounded(t.var, t.guard):
            raise NotConservative(name, f"a sum or maximum on the right side needs a range that bounds {t.var}: {t}")
    free = (definition.body.free | guard_free(definition.condition)) - set(variables)
    if free:
        raise NotConservative(name, f"{min(free)} is free on the right side, but not an index on the left side")
    if len(set(definition.sizes)) != len(definition.sizes):
        raise NotConservative(name, "its size parameters need names of their own")
    own = {t.name for t in definition.tensors}
    if len(own) != len(definition.tensors) or name in own:
        raise NotConservative(name, "its tensor parameters need names of their own")
    if own & theory.constants or any(t.constant is not None for t in definition.tensors):
        raise NotConservative(name, "a parameter is given, and cannot be a number such as pi")
    if any(isinstance(t, Entry) and t.name in own and (t.args or t.sizes) for t in subterms(definition.body)):
        raise NotConservative(name, "a tensor parameter is applied to tensors on the right side")
    earlier = theory.definitions.get(name, ())
    for other in earlier:
        if len(other.tensors) != len(definition.tensors) or len(other.sizes) != len(definition.sizes):
            raise NotConservative(name, "it is already defined with other parameters")
        if not _disjoint(other, definition):
            raise NotConservative(name, f"it is already defined ({other}) and the two left sides overlap")
    _well_founded(name, (*earlier, definition))
    _no_cycle(theory, definition.body, name, {t.name for t in definition.tensors})
    return replace(theory, definitions={**theory.definitions, name: (*earlier, definition)})


def _not_unknown(*names: str) -> None:
    """Nothing is said of a function of which nothing is known: neither a definition nor a shape."""
    taken = [name for name in names if name.startswith(UNKNOWN)]
    if taken:
        raise NotConservative(taken[0], f"names that start with {UNKNOWN.strip()!r} are those of unknown functions")


def _flattened(definition: Definition, index: Index) -> None:
    """A pattern `h*w + c` needs the condition 0 <= c < w, so that every position has one head and one channel."""
    try:
        _, low, width = flattened(index)
    except TermError as error:
        raise NotConservative(definition.name, str(error)) from None
    c = Index.var(low)
    if not entails_all(definition.condition, (at_least(c, 0), less(c, width))):
        raise NotConservative(definition.name, f"the pattern {index} needs the condition 0 <= {low} < {width}")


def _fixed_lengths(name: str, *shapes: tuple[Index, ...]) -> None:
    if any(i.free for shape in shapes for i in shape):
        raise NotConservative(
            name, "the length of an axis is made of sizes and numbers, and depends on no index variable"
        )


def check(theory: Theory) -> None:
    """Re-admits every definition of a theory in an order that exists when none is circular; raises `NotConservative`."""
    if INVERSE in theory.tensors:
        raise NotConservative(INVERSE, "the inverse of a matrix has a meaning; nothing else may have its name")
    _not_unknown(*theory.tensors)
    for tensor in theory.tensors.values():
        _fixed_lengths(tensor.name, tensor.shape)
    built = Theory(theory.tensors, {})
    for definitions in theory.definitions.values():
        for d in definitions:
            built = admit(built, d)
    for name, definitions in theory.definitions.items():
        for d in definitions:
            _no_cycle(theory, d.body, name, {t.name for t in d.tensors})


def _no_cycle(theory: Theory, body: Term, name: str, parameters: Iterable[str]) -> None:
    shadowed = set(parameters) | {name}  # its own name there is the recursion that `_well_founded` looks at
    seen: set[str] = set()
    stack = [h for h in body.heads if h not in shadowed]
    while stack:
        head = stack.pop()
        if head == name:
            raise NotConservative(name, f"its right side uses {name} itself through other definitions")
        if head in seen:
            continue
        seen.add(head)
        for d in theory.definitions.get(head, ()):
            own = {t.name for t in d.tensors}
            stack.extend(h for h in d.body.heads if h not in own)


def descent(definitions: tuple[Definition, ...]) -> tuple[int, frozenset[int]] | None:
    """For recursive definitions, the place of an index that is natural and smaller at each use of the symbol on its own
    right sides, and the places whose index stays the same there; None when no right side uses the symbol.

    Raises `NotConservative` when there is no such place.
    """
    name = definitions[0].name
    own = [d for d in definitions if name in d.body.heads and name not in {t.name for t in d.tensors}]
    if not own:
        return None
    rank = len(own[0].indices)
    falling, staying = set(range(rank)), set(range(rank))
    for d in own:
        for entry, facts in _uses(name, rename_apart(d.body, d.variables), d.condition):
            if entry is None or not _passes_on(d, entry) or len(entry.indices) != rank or len(d.indices) != rank:
                raise NotConservative(
                    name, "its right side uses it as a function of tensors, or under a derivative or mean"
                )
            if entry.sizes != tuple(Index.size(s) for s in d.sizes):
                raise NotConservative(name, f"its right side uses {name} itself with other sizes")
            for k, (pattern, index) in enumerate(zip(d.indices, entry.indices, strict=True)):
                if not entails_all(facts, (at_least(index, 0), less(index, pattern))):
                    falling.discard(k)
                if index is not pattern:
                    staying.discard(k)
    if not falling:
        raise NotConservative(
            name, f"its right side uses {name} itself, and no index of it is smaller there and natural"
        )
    return min(falling), frozenset(staying)


def _passes_on(d: Definition, entry: Entry) -> bool:
    """Whether an entry on the right side of a definition is applied to what the definition is applied to."""
    if len(d.tensors) != len(entry.args):
        return False
    return all(
        a.body == Entry(t.name, map(Index.var, a.params)) and len(a.params) == len(t.shape)
        for t, a in zip(d.tensors, entry.args, strict=True)
    )


def _uses(name: str, t: Term, facts: Guard) -> Iterator[tuple[Entry | None, Guard]]:
    """The entries of a symbol in a term, with the constraints known there; None for one that cannot be looked at."""
    if name not in t.heads:
        return
    applied = isinstance(t, Entry) and t.args and name != t.name and not t.is_unknown  # a definition may look anywhere
    if isinstance(t, (Derivative, Expectation)) or applied:
        yield None, facts
        return
    if isinstance(t, Entry) and t.name == name:
        yield t, facts
    for k, child in enumerate(t.children):
        yield from _uses(name, child, guard(*facts, *t.binding(k)[1]))


def _well_founded(name: str, definitions: tuple[Definition, ...]) -> None:
    """Refuses recursion that does not descend, and a symbol without indices on its own right side."""
    if descent(definitions) is not None and not all(d.indices for d in definitions):
        raise NotConservative(name, f"its right side uses {name} itself")


def _disjoint(a: Definition, b: Definition) -> bool:
    """Whether no entry matches both left sides (or their conditions exclude one another)."""
    if len(a.indices) != len(b.indices):
        return True  # another number of indices is another symbol
    if any(p.is_constant and q.is_constant and p is not q for p, q in zip(a.indices, b.indices, strict=True)):
        return True  # x_1 and x_2
    return _excluded(a, b)


@lru_cache(maxsize=8192)
def _excluded(a: Definition, b: Definition) -> bool:
    """Whether the two patterns, or their conditions, exclude one another."""
    taken = {*a.variables, *b.variables, *guard_free(a.condition), *guard_free(b.condition)}
    renaming = {}
    for v in b.variables:
        renaming[v] = Index.var(fresh(v, taken))
        taken |= renaming[v].free
    # one entry gives both definitions the same sizes, place by place: the names of their parameters mean nothing
    used = {s for d in (a, b) for i in (*d.indices, *(c.index for c in d.condition)) for s in i.sizes} | {
        *a.sizes,
        *b.sizes,
    }
    given = []
    for k in range(len(a.sizes)):
        given.append(Index.size(fresh(f"s{k}", used)))
        used |= given[-1].sizes
    first, second = dict(zip(a.sizes, given, strict=True)), dict(zip(b.sizes, given, strict=True))
    facts: list[Constraint] = [
        *guard_substitute(a.condition, {}, first),
        *guard_substitute(b.condition, renaming, second),
    ]
    facts += [
        equal(p.substitute({}, first), q.substitute(renaming, second))
        for p, q in zip(a.indices, b.indices, strict=True)
    ]
    facts = [c for c in facts if not (c.index.is_constant and c.holds({}, {}))]
    if any(c.index.is_constant for c in facts):
        return True
    return not consistent(guard(*facts))


def instance(
    definition: Definition, entry: Entry, avoid: Iterable[str], facts: Guard = ()
) -> tuple[Term, Guard] | None:
    """The right side (bound variables apart from `avoid`) and the condition at `entry`; None when it does not match.

    `facts` help to see the head and the channel of a flattened position.
    """
    if entry.name != definition.name or len(entry.indices) != len(definition.indices):
        return None
    if len(entry.args) != len(definition.tensors) or len(entry.sizes) != len(definition.sizes):
        return None
    if definition.apart(entry):
        return None
    if not entails_all(facts, sizes_of(entry)):
        return None
    mapping: dict[str, Index] = {}
    for pattern, index in zip(definition.indices, entry.indices, strict=True):
        if not pattern.plain:
            found = _unflatten(pattern, index, dict(zip(definition.sizes, entry.sizes, strict=True)), facts)
            if found is None:
                return None
            mapping.update(found)
            continue
        if not pattern.free:
            if index is not pattern.substitute({}, dict(zip(definition.sizes, entry.sizes, strict=True))):
                return None
            continue
        (v,) = pattern.free
        k = pattern.coefficient(v)
        rest = index - (pattern - k * Index.var(v))
        if any(c % k for _, c in rest.terms) or rest.const % k:
            return None
        mapping[v] = Index(((a, c // k) for a, c in rest.terms), rest.const // k)
    sizes = dict(zip(definition.sizes, entry.sizes, strict=True))
    tensors: dict[str, Lambda] = {}
    for parameter, given in zip(definition.tensors, entry.args, strict=True):
        if len(given.params) != len(parameter.shape):
            return None
        tensors[parameter.name] = given
    away = frozenset(avoid) | entry.free | bound_variables(entry)
    body = rename_apart(definition.body, away)
    try:
        return substitute(body, mapping, sizes, tensors), guard_substitute(definition.condition, mapping, sizes)
    except TermError:  # i // m for a length that is no size
        return None


def sizes_of(entry: Entry) -> Guard:
    """That what is put for the size parameters of a definition are sizes: at least 1."""
    return guard(*(at_least(s, 1) for s in entry.sizes))


def applies(d: Definition, t: Entry) -> tuple[Guard, dict[str, Index]] | None:
    """The condition on the indices of an entry under which a definition applies, and the values of its variables;
    None when it never applies.

    Refuses a length of a flattened axis that is no size: heads and channels cannot be told apart there.
    """
    if len(d.indices) != len(t.indices) or len(d.tensors) != len(t.args) or len(d.sizes) != len(t.sizes):
        return None
    sizes = dict(zip(d.sizes, t.sizes, strict=True))
    found: list[Constraint] = []
    mapping: dict[str, Index] = {}
    try:
        for pattern, i in zip(d.indices, t.indices, strict=True):
            p = pattern.substitute({}, sizes)
            if not p.free:
                found.append(equal(i, p))
            elif not pattern.plain:
                high, low, length = flattened(pattern)
                width = length.substitute({}, sizes)
                mapping[high], mapping[low] = quotient(i, width), remainder(i, width)
            else:
                (v,) = p.free
                k = p.coefficient(v)
                rest = (i - (p - k * Index.var(v))) * (1 if k > 0 else -1)
                found.append(equal(remainder(rest, abs(k)), 0))
                mapping[v] = quotient(rest, abs(k))
        return guard(*found, *sizes_of(t), *guard_substitute(d.condition, mapping, sizes)), mapping
    except TermError as error:
        raise Refused(
            "definition", f"places at which the definition of {d.name} can be looked at", str(error)
        ) from None


def covered(facts: Guard, choices: list[Guard]) -> bool:
    """Whether at every point of `facts` one of the conjunctions holds."""
    if not consistent(facts):
        return True
    if not choices:
        return False
    known = list(facts)
    for c in choices[0]:
        if not all(covered(guard(*known, n), choices[1:]) for n in c.negations()):
            return False
        known.append(c)
    return True


def _unflatten(pattern: Index, index: Index, sizes: dict[str, Index], facts: Guard) -> dict[str, Index] | None:
    """The head and the channel of `index` under the pattern h*w + c."""
    high, low, width = flattened(pattern)
    by = width.substitute({}, sizes)
    if len(by.terms) != 1 or by.const or by.terms[0][1] != 1 or by.terms[0][0].kind != "size":
        return None
    head = quotient(index, by)
    plain = Index(((a, c) for a, c in head.terms if not (a.kind == "quotient" and a.args[1] is by)), head.const)
    channel = index - plain * by
    if entails_all(facts, (at_least(channel, 0), less(channel, by))):
        head = plain
    return {high: head, low: index - head * by}


def is_defined(theory: Theory, term: Term) -> bool:
    """Whether a defined symbol occurs."""
    return any(isinstance(t, Entry) and t.name in theory.definitions for t in subterms(term))
