"""What it means that an array is of a kind, as statements about its entries: symmetric, orthogonal, a distribution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from derivations.language.statement import Statement
from derivations.language.term import (
    ONE,
    ZERO,
    Bracket,
    Entry,
    Index,
    Number,
    equal,
    guard,
    less,
    negative,
    sum_over,
    within,
)


def of_sign(value: str, head: str, places: tuple[str, ...], axes: Sequence[Index]) -> Statement:
    """That every entry compares with a number: `value` is `> 0`, `<= 1`."""
    relation, bound = value.split(" ")
    entry, number = Entry(head, tuple(map(Index.var, places))), Number(Fraction(bound))
    ranges = guard(*(c for v, n in zip(places, axes, strict=True) for c in within(v, 0, n)))
    if relation in ("<", "<="):
        return Statement(entry, relation, number, places, ranges)
    return Statement(number, {">": "<", ">=": "<="}.get(relation, relation), entry, places, ranges)


def of_vector(value: str, head: str, places: tuple[str, ...], axes: Sequence[Index]) -> Iterator[Statement]:
    """That what the last axis of an array lists is a unit vector, a distribution; nothing for another kind."""
    *rows, c = places
    entry = Entry(head, tuple(map(Index.var, places)))
    ranges = guard(*(b for v, n in zip(rows, axes, strict=False) for b in within(v, 0, n)))
    if value == "unit vector":
        yield Statement(sum_over(c, 0, axes[-1], entry * entry), "=", ONE, tuple(rows), ranges)
    if value == "orthonormal" and len(rows) == 1:
        other = Entry(head, (Index.var("j"), Index.var(c)))
        both = guard(*within(rows[0], 0, axes[0]), *within("j", 0, axes[0]))
        same = Bracket(guard(equal(Index.var(rows[0]), Index.var("j"))))
        yield Statement(sum_over(c, 0, axes[-1], entry * other), "=", same, (rows[0], "j"), both)
    if value == "distribution" or (value == "one-hot" and rows):  # a single one-hot vector is defined as such
        yield of_sign(">= 0", head, places, axes)
        yield Statement(sum_over(c, 0, axes[-1], entry), "=", ONE, tuple(rows), ranges)


def of_matrix(value: str, head: str, axes: Sequence[Index]) -> Iterator[Statement]:
    """That a matrix is symmetric, orthogonal, triangular, stochastic; nothing for a kind that its shape excludes."""
    i, j, c = map(Index.var, ("i", "j", "c"))
    n, m = axes
    columns = guard(*within("i", 0, m), *within("j", 0, m))
    same, is_orthogonal = Bracket(guard(equal(i, j))), value == "orthogonal" and n is m
    if is_orthogonal or value == "orthonormal columns":
        yield Statement(sum_over("c", 0, n, Entry(head, (c, i)) * Entry(head, (c, j))), "=", same, ("i", "j"), columns)
    if is_orthogonal or value == "orthonormal rows":
        rows = guard(*within("i", 0, n), *within("j", 0, n))
        yield Statement(sum_over("c", 0, m, Entry(head, (i, c)) * Entry(head, (j, c))), "=", same, ("i", "j"), rows)
    if value == "symmetric" and n is m:
        yield Statement(Entry(head, (j, i)), "=", Entry(head, (i, j)), ("i", "j"), columns)
    if value == "antisymmetric" and n is m:
        yield Statement(Entry(head, (j, i)), "=", negative(Entry(head, (i, j))), ("i", "j"), columns)
    if value == "zero diagonal" and n is m:
        yield Statement(Entry(head, (i, i)), "=", ZERO, ("i",), guard(*within("i", 0, n)))
    within_shape = guard(*within("i", 0, n), *within("j", 0, m))
    if value == "diagonal" and n is m:
        yield Statement(Entry(head, (i, j)), "=", same * Entry(head, (i, i)), ("i", "j"), within_shape)
        return
    for zero in {"diagonal": (less(i, j), less(j, i)), "lower": (less(i, j),), "upper": (less(j, i),)}.get(value, ()):
        yield Statement(Entry(head, (i, j)), "=", ZERO, ("i", "j"), guard(*within_shape, zero))
    if value == "row-stochastic":
        yield of_sign(">= 0", head, ("i", "j"), axes)
    if value in {"row-stochastic", "rows sum to one"}:
        yield Statement(sum_over("j", 0, m, Entry(head, (i, j))), "=", ONE, ("i",), within("i", 0, n))
    if value == "column-stochastic":
        yield of_sign(">= 0", head, ("i", "j"), axes)
        yield Statement(sum_over("i", 0, n, Entry(head, (i, j))), "=", ONE, ("j",), within("j", 0, m))
