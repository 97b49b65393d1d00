r"""Sizes that stand in a statement without being the length of any axis: a bare $\sqrt{d_k}$, a number given to code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from derivations.code.compare.document_symbols import Symbols, Target
from derivations.code.compare.unfolded_definitions import unfolded
from derivations.documents.model.finding import Finding
from derivations.language.statement import Statement, Theory
from derivations.language.substitution import substitute, subterms, term_sizes
from derivations.language.term import Index, IndexValue, Lambda, Mul, Number, Sum, Term, guard

MAX_TRIED = 4
"""How many sizes of the code are tried for one of the equation."""


def free_sizes(f: Finding) -> list[str]:
    """Sizes that the code uses as numbers, and that neither its inputs nor the equation have."""
    known = {n for s in f.statements for n in term_sizes(unfolded(s.left, f.theory, frozenset()))}
    heads = {h for s in f.statements for h in s.right.heads}
    shapes = [f.theory.shape(h) or () for h in heads]
    known |= {n for shape in shapes for i in shape for n in i.sizes}
    known |= {n for s in f.statements for c in s.guard for n in c.index.sizes}
    return sorted({n for s in f.statements for n in term_sizes(s.right)} - known) if heads else []


def bare_sizes(s: Statement, theory: Theory) -> list[str]:
    """Sizes and numbers of the equation's side that are no axis of its tensors and mean nothing to the code."""
    shapes = [theory.shape(h) or () for h in s.left.heads | s.right.heads]
    known = {n for shape in shapes for i in shape for n in i.sizes} | term_sizes(s.right)
    known |= {n for c in s.guard for n in c.index.sizes}
    numbers = {h for h in s.left.heads - s.right.heads if h in theory.tensors and theory.shape(h) == ()}
    return sorted((term_sizes(s.left) - known) | numbers)


def scaled(t: Term, size: str) -> list[Index]:
    """The numbers of terms of the sums that `size` scales: `d` for sum(c < d; ...) / sqrt(size)."""
    found: list[Index] = []
    for part in subterms(t):
        if not isinstance(part, Mul):
            continue
        if any((not a.heads and size in term_sizes(a)) or a.heads == {size} for a in part.args):
            found += [length for a in part.args if isinstance(a, Sum) for length in _length(a)]
    return list(dict.fromkeys(found))


def arguments_of_bare_sizes(target: Target, bare: Sequence[str], symbols: Symbols) -> list[int]:
    r"""The arguments of a function of whose width a bare size may speak: $\sqrt{d_k}$ in an equation of Q, K and V.

    A size that scales a sum is its number of terms, which may be the width of no argument; otherwise its index may name the
    argument; otherwise it is any.
    """
    definition = target.definitions[0]
    found = [k for k, t in enumerate(definition.tensors) if t.shape] if bare else []
    body = unfolded(definition.body, symbols.theory, frozenset())
    if lengths := {length for name in bare for length in scaled(body, name)}:
        return [k for k in found if definition.tensors[k].shape[-1] in lengths]
    named = [k for k in found if {n.rpartition("_")[2].lower() for n in bare} == {definition.tensors[k].name.lower()}]
    return named or found


def numbers_of(s: Statement, theory: Theory) -> frozenset[str]:
    """The sizes that the equation's side of a statement uses as numbers, other than as ranges of sums."""
    left = unfolded(s.left, theory, frozenset())
    return frozenset(n for t in subterms(left) if isinstance(t, IndexValue) for n in t.index.sizes)


def _length(s: Sum) -> Iterator[Index]:
    """The length of the range of a sum that starts at 0 and is told by one condition."""
    own = Index.var(s.var)
    upper = [c.index + own + 1 for c in s.guard if c.relation == ">=" and (c.index + own).free.isdisjoint({s.var})]
    if len(upper) == 1 and len(s.guard) == 2:
        yield upper[0]


def written_sizes(statements: Sequence[Statement]) -> list[Index]:
    """The sizes that the code's side uses as numbers, and the whole numbers that stand there and not in the equation."""
    right = [t for s in statements for t in subterms(s.right)]
    left = {t for s in statements for t in subterms(s.left)}
    found = [t.index for t in right if isinstance(t, IndexValue) and t.index.sizes and not t.index.free]
    whole = [t.value for t in right if isinstance(t, Number) and t not in left and t.value.q == 1 and t.value > 1]
    return list(dict.fromkeys([*found, *(Index.of(int(v.p)) for v in whole)]))[:MAX_TRIED]


def put(s: Statement, sizes: dict[str, Index], theory: Theory) -> Statement:
    """The statement at given sizes; a number of the equation that has such a name is that size, too."""
    numbers = {n: Lambda((), IndexValue(i)) for n, i in sizes.items() if n in theory.tensors}
    sizes = {n: i for n, i in sizes.items() if n not in numbers}
    left, right = substitute(s.left, sizes=sizes, tensors=numbers), substitute(s.right, sizes=sizes)
    return replace(s, left=left, right=right, guard=guard(*(c.substitute({}, sizes) for c in s.guard)))


__all__ = ["arguments_of_bare_sizes", "bare_sizes", "free_sizes", "numbers_of", "put", "scaled", "written_sizes"]
