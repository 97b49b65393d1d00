"""Lengths that the text gives in terms of others: `H = G r` after `r = H / G`, put in wherever they stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from derivations.language.statement import Definition, Law, Statement, Tensor, Theory
from derivations.language.substitution import substitute
from derivations.language.term import Atom, Constraint, Index, equal, guard_substitute

_Put = Mapping[str, Index]
"""Lengths, and what they are."""


def solved(c: Constraint) -> tuple[str, Index] | None:
    """The size that an equation gives, and its value: D and R p of `R p = D`, d of `d h = e h`."""
    if c.relation != "==":
        return None
    c = _without_common_factors(c)
    for atom, k in c.index.terms:
        if atom.kind == "size" and abs(k) == 1:
            value = (c.index - k * Index.size(atom.name)) * -k
            if atom.name not in value.sizes:
                return atom.name, value
    return None


def _without_common_factors(c: Constraint) -> Constraint:
    """An equation of two products without the lengths that both have: these are not 0."""
    if len(c.index.terms) != 2 or c.index.const:
        return c
    (one, k), (other, m) = c.index.terms
    if {k, m} != {1, -1}:
        return c
    left, right = Counter(_factors(one)), Counter(_factors(other))
    common = left & right
    if not common or any(a.kind != "size" for a in common):
        return c
    return equal(_product(left - common), _product(right - common))


def _factors(a: Atom) -> list[Atom]:
    return [i.terms[0][0] for i in a.args] if a.kind == "product" else [a]


def _product(factors: Counter[Atom]) -> Index:
    found = Index((), 1)
    for a in factors.elements():
        found = found * Index(((a, 1),))
    return found


def lengths_given(said: Iterable[Constraint]) -> dict[str, Index]:
    """The lengths that equations give as products and sums of others, the first equations before later ones.

    What is given is a length as well: at least 1.  An equation that puts a length to a number, or that these leave nothing
    to give, says nothing here.
    """
    put: dict[str, Index] = {}
    for c in said:
        found = _given(c, put)
        if found is not None:
            put = {n: i.substitute({}, dict((found,))) for n, i in put.items()}
            put[found[0]] = found[1]
    return put


def _given(c: Constraint, put: _Put) -> tuple[str, Index] | None:
    found = solved(c.substitute({}, put))
    if found is None or not found[1].terms or found[1].const < 0 or any(k < 0 for _, k in found[1].terms):
        return None
    return found


def without_contradicted(said: Sequence[Constraint]) -> list[Constraint]:
    """The relations between lengths, without the equations that those before make false, or true for a number only.

    `d = e h` for h heads leaves no room for the `d = e` of another part, which is said of one head.
    """
    put: dict[str, Index] = {}
    kept: list[Constraint] = []
    for c in said:
        if c.relation == "==" and put:
            new = c.substitute({}, put)
            is_true = not new.index.terms and not new.index.const
            if not is_true and _given(c, put) is None and solved(c) is not None:
                continue
        kept.append(c)
        if c.relation == "==" and (found := _given(c, put)) is not None:
            put = {n: i.substitute({}, dict((found,))) for n, i in put.items()}
            put[found[0]] = found[1]
    return kept


def put_in_statement(s: Statement, put: _Put) -> Statement:
    """A statement with lengths put in; what it supposes as well."""
    return replace(
        s,
        left=substitute(s.left, None, put),
        right=substitute(s.right, None, put),
        guard=guard_substitute(s.guard, {}, put),
        hypotheses=tuple(put_in_statement(h, put) for h in s.hypotheses),
    )


def put_in_theory(theory: Theory, put: _Put) -> Theory | None:
    """The given names and the definitions with lengths put in; None where a definition has a parameter of such a name."""
    names = {*put, *(n for i in put.values() for n in i.sizes)}
    if any(not names.isdisjoint(d.sizes) for rows in theory.definitions.values() for d in rows):
        return None
    tensors = {n: _tensor(t, put) for n, t in theory.tensors.items()}
    return Theory(tensors, {n: tuple(_definition(d, put) for d in rows) for n, rows in theory.definitions.items()})


def _tensor(t: Tensor, put: _Put) -> Tensor:
    mean, variance = (t.law.mean, t.law.variance) if t.law is not None else (None, None)
    mean, variance = (None if m is None else substitute(m, None, put) for m in (mean, variance))
    law = None if t.law is None else Law(mean, variance, t.law.normal)
    return replace(t, shape=tuple(i.substitute({}, put) for i in t.shape), law=law)


def _definition(d: Definition, put: _Put) -> Definition:
    return replace(
        d,
        indices=tuple(i.substitute({}, put) for i in d.indices),
        body=substitute(d.body, None, put),
        condition=guard_substitute(d.condition, {}, put),
        tensors=tuple(_tensor(t, put) for t in d.tensors),
        shape=None if d.shape is None else tuple(i.substitute({}, put) for i in d.shape),
    )
