"""Matrices of the code that hold several matrices of the equation side by side: all heads, or queries, keys and values."""

from __future__ import annotations

from collections.abc import Sequence

from derivations.code.compare.document_symbols import NotComparable
from derivations.code.compare.spelling import spelled
from derivations.language.substitution import substitute
from derivations.language.term import Case, Entry, Guard, Index, Lambda, Term, equal, guard, quotient
from derivations.lifting.symbolic.sizes import Sizes, exact_quotient, factors

HEADS = frozenset({"h", "heads", "nheads", "nhead", "numheads", "numattentionheads", "nh"})
"""What code calls the number of heads, in the spelling of `spelled`."""


def side_by_side(sizes: Sizes, name: str, code: Sequence[Index], wanted: Sequence[Index], mixed: bool) -> Lambda:
    """A matrix of the code whose columns are the columns of the matrices of all heads, one head after the other.

    With `mixed` the columns are those of all heads for the first channel, then for the second one.
    """
    heads, width, total = wanted[0], wanted[2], sizes.resolve(code[1])
    sizes.require(code[0], wanted[1], f"{name} and its columns")
    for atom in factors(total):
        if len(factors(total)) == 2 and spelled(atom.name.rstrip("'")) in {*HEADS, spelled(str(heads))}:
            sizes.require(Index(((atom, 1),)), heads, f"the heads of {name}")
    sizes.require(total, heads * width, f"{name} and its columns")
    by = sizes.resolve(heads if mixed else width)
    column = Index.var("p1")
    whole, rest = quotient(column, by), column - by * quotient(column, by)
    return Lambda(
        ("p0", "p1"), Entry(name, [rest, Index.var("p0"), whole] if mixed else [whole, Index.var("p0"), rest])
    )


def joined_matrices(
    sizes: Sizes, parts: Sequence[tuple[str, tuple[Index, ...]]], code: Sequence[Index], mixed: bool
) -> Lambda:
    """A matrix of the code whose columns are those of several matrices, one after the other, each with all its heads."""
    total = sizes.resolve(code[1])
    whole = exact_quotient(total, Index.of(len(parts)))
    if whole is None:
        raise NotComparable(f"{total} columns are not those of {len(parts)} matrices")
    cases: list[tuple[Guard, Term]] = []
    for k, (name, shape) in enumerate(parts):
        if len(shape) == 3:
            one = side_by_side(sizes, name, (code[0], whole), shape, mixed)
        else:
            for a, b in zip((code[0], whole), shape, strict=True):
                sizes.require(a, b, name)
            one = Lambda(("p0", "p1"), Entry(name, [Index.var("p0"), Index.var("p1")]))
        column = Index.var("p1")
        there = substitute(one.body, {"p1": column - k * sizes.resolve(whole)})
        cases.append((guard(equal(_part(sizes, column, whole, shape, mixed), k)), there))
    return Lambda(("p0", "p1"), Case(cases[:-1], cases[-1][1]))


def _part(sizes: Sizes, column: Index, whole: Index, shape: Sequence[Index], mixed: bool) -> Index:
    """In which of several matrices a column lies; by heads where they have some, as the code cuts it."""
    if len(shape) != 3:
        return quotient(column, sizes.resolve(whole))
    inner, outer = (shape[0], shape[2]) if mixed else (shape[2], shape[0])
    return quotient(quotient(column, sizes.resolve(inner)), sizes.resolve(outer))
