"""Equations between determinants: products are taken apart, and `det(I + U V)` is turned into the smaller `det(I + V U)`.

The matrix of a determinant is read as a sum of words of matrices.  One word is a product; the identity and a word, or two
vectors, are turned round; an invertible matrix and a word are taken for `A (I + A^-1 U V)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from flint import fmpq

from derivations.kernel.errors import KernelError
from derivations.kernel.proof import Meet, Proof
from derivations.kernel.rules.determinants import added_to_identity, at, determinant, product_of_matrices
from derivations.kernel.scope import Scope
from derivations.kernel.sign import invertible
from derivations.language.substitution import alpha_equal, rename_apart, subterms
from derivations.language.term import (
    DETERMINANT,
    ONE,
    Entry,
    Index,
    IndexValue,
    Lambda,
    Mul,
    Number,
    Pow,
    Term,
    inverse,
    product_of,
)
from derivations.provers.matrix_words import by_words
from derivations.provers.normal import Normaliser, OutOfWork
from derivations.provers.not_found import NotFound
from derivations.provers.trace import Trace, reverse
from derivations.provers.words_of_matrices import Chain, Letters, Monomial, NoWords, Word

if TYPE_CHECKING:
    from derivations.provers.prove import Search

MAX_DEPTH = 6


def with_determinants(search: Search, left: Term, right: Term, scope: Scope) -> Proof | None:
    """A proof that two terms are equal once their determinants are taken apart and turned round."""
    if search.relation != "=" or not any(_is_determinant(u) for t in (left, right) for u in subterms(t)):
        return None
    sides = []
    try:
        for term in (left, right):
            trace = Trace()
            opened = trace.step("alpha", term, rename_apart(term, scope.variables))
            sides.append((_worked(opened, search.normaliser, scope, trace), trace))
    except (OutOfWork, KernelError):
        return None
    (first, one), (second, two) = sides
    if not one and not two:
        return None
    try:
        proof = search.direct(first, second, scope, 0)
    except NotFound:
        return None
    return Meet((*one.chain(), *proof.left), (*two.chain(), *proof.right)) if isinstance(proof, Meet) else None


def _is_determinant(t: Term) -> bool:
    return isinstance(t, Entry) and t.name == DETERMINANT and len(t.args) == 1 and t.sizes[0] is t.sizes[1]


def _worked(t: Term, n: Normaliser, scope: Scope, trace: Trace) -> Term:
    """A term with every determinant in it worked out."""
    if _is_determinant(t):
        return _determinant(t, n, scope, trace, MAX_DEPTH)  # type: ignore[arg-type]
    new = list(t.children)
    for k, child in enumerate(new):
        inner = Trace()
        new[k] = _worked(child, n, scope.inside(t, k), inner)
        trace.below(k, inner)
    return t.with_children(new) if new else t


def _determinant(t: Entry, n: Normaliser, scope: Scope, trace: Trace, depth: int) -> Term:
    """A determinant as numbers and determinants of single matrices; the same term where its matrix is no sum of words."""
    if depth <= 0:
        return t
    (matrix,), size = t.args, t.sizes[0]
    inside = scope.inside(t, 0)
    t = trace.step("alpha", t, t.with_children([rename_apart(matrix.body, inside.variables)]))  # type: ignore[assignment]
    (matrix,) = t.args
    row, column = map(Index.var, matrix.params)
    try:
        normal, _ = n.norm(matrix.body, inside)
        letters = Letters(inside)
        parts = letters.polynomial(normal)
    except (NoWords, KernelError):
        return t
    for target, rest in _Forms(n, scope, letters, row, column, size).of(parts):
        inner = Trace()
        made = determinant(target, size)
        if not _same_matrix(t, made, n, scope, inner):
            continue
        trace.then(inner)
        return rest(made, trace, depth)
    return t


def _same_matrix(t: Entry, made: Entry, n: Normaliser, scope: Scope, trace: Trace) -> bool:
    """Whether a determinant is that of the same matrix as another one; the steps that lead there."""
    (matrix,), inside = t.args, scope.inside(t, 0)
    wanted = at(made.args[0], *map(Index.var, matrix.params))
    below = Trace()
    first, one = n.norm(matrix.body, inside)
    second, two = n.norm(rename_apart(wanted, inside.variables), inside)
    if alpha_equal(first, second):
        below.then(one)
        below.step("alpha", first, second)
        for step in reverse(two.chain()):
            below.at(step)
    else:
        try:
            proof = by_words(matrix.body, rename_apart(wanted, inside.variables), inside, n)
        except (NoWords, NotFound, OutOfWork, KernelError):
            return False
        if not isinstance(proof, Meet):
            return False
        for step in (*proof.left, *reverse(proof.right)):
            below.at(step)
    trace.below(0, below)
    trace.step("alpha", t.with_children([rename_apart(wanted, inside.variables)]), made)
    return True


Rest = Callable[[Term, Trace, int], Term]
"""What is made of a determinant in a form: the term that its steps lead to."""
Part = tuple[Term, tuple[Chain, ...]]
"""A factor, and what stands between a row and a column: a word, or two that end in vectors."""


class _Forms:
    """The forms of one matrix, each with what is made of its determinant."""

    def __init__(self, n: Normaliser, scope: Scope, letters: Letters, row: Index, column: Index, size: Index) -> None:
        self.n, self.scope, self.letters, self.size = n, scope, letters, size
        self.row, self.column = row, column

    def of(self, parts: Mapping[Monomial, fmpq]) -> Iterator[tuple[Lambda, Rest]]:
        read = [self._part(m, k) for m, k in parts.items()]
        known = [p for p in read if p is not None]
        if len(known) < len(read):
            return
        if len(known) == 1:
            yield from self._of_word(*known[0])
        if len(known) != len(("A", "U V")):
            return
        for (factor, chains), (other, more) in (known, known[::-1]):
            if len(chains) != 1:
                continue
            word = self._word(chains[0])
            if word == ():
                yield from self._added(factor, other, more)
            elif word is not None and len(word) == 1 and factor is ONE:
                yield from self._beside(word[0], other, more)

    def _part(self, m: Monomial, k: fmpq) -> Part | None:
        scalars, chains = m
        ends = (self.row, self.column)
        between = tuple(c for c in chains if c.left in ends or c.right in ends)
        numbers = [Number(k)] if k != 1 else []
        powers = [self.letters.numbers[j] if p == 1 else Pow(self.letters.numbers[j], Number(p)) for j, p in scalars]
        others = [self.letters.term(c, set(self.scope.variables)) for c in chains if c not in between]
        return (product_of([*numbers, *powers, *others]), between) if between else None

    def _word(self, c: Chain) -> Word | None:
        """The word from the row to the column."""
        if c.left is self.row and c.right is self.column:
            return c.word
        return self.letters.reversed(c.word) if c.left is self.column and c.right is self.row else None

    def _to_vector(self, c: Chain, start: Index) -> Word | None:
        """The word from an index to a vector."""
        if c.left is start and c.right is None:
            return c.word
        return self.letters.reversed(c.word) if c.right is start and c.left is None else None

    def _matrix(self, word: Word, factor: Term = ONE) -> Lambda:
        row, column = Index.var("i"), Index.var("j")
        body = self.letters.term(Chain(row, word, column), {"i", "j", *self.scope.variables})
        return Lambda(("i", "j"), body if factor is ONE else Mul((factor, body)))

    def _of_word(self, factor: Term, chains: tuple[Chain, ...]) -> Iterator[tuple[Lambda, Rest]]:
        """c A B ... of square matrices."""
        word = self._word(chains[0]) if len(chains) == 1 else None
        if word is None or any(self.letters.lengths(x)[1] is not self.size for x in word):
            return
        if factor is ONE and len(word) == 1 and word[0] > 0:
            return
        yield self._matrix(word, factor), lambda t, trace, _depth: self._apart(t, factor, word, trace)

    def _apart(self, t: Term, factor: Term, word: Word, trace: Trace) -> Term:
        """det(c A B ...) as c^n det A det B ..., with transposed matrices turned."""
        plain = self._matrix(word)
        if factor is not ONE:
            whole = determinant(plain, self.size)
            scaled = Mul((Pow(factor, IndexValue(self.size)), whole))
            trace.step("det_scale", t, scaled, factor=factor, matrix=plain)
            below = Trace()
            plainly = self._apart(whole, ONE, word, below)
            trace.below(1, below)
            return scaled.with_children([scaled.children[0], plainly])
        if not word:
            return trace.step("det_identity", t, ONE)
        if len(word) > 1:
            left, right = self._matrix(word[:1]), self._matrix(word[1:])
            both = Mul((determinant(left, self.size), determinant(right, self.size)))
            made = determinant(product_of_matrices(left, right, self.size), self.size)
            if alpha_equal(t, made):
                trace.step("alpha", t, made)
            elif isinstance(t, Entry) and not _same_matrix(t, made, self.n, self.scope, trace):
                raise NotFound("the matrix of a determinant is another one")
            trace.step("det_product", made, both, left=left, right=right)
            parts = list(both.children)
            for k, own in enumerate((word[:1], word[1:])):
                of_part = Trace()
                parts[k] = self._apart(parts[k], ONE, own, of_part)
                trace.below(k, of_part)
            return both.with_children(parts)
        if word[0] < 0:
            turned = self._matrix((-word[0],))
            return trace.step("det_transpose", t, determinant(turned, self.size), matrix=turned)
        return t

    def _added(self, factor: Term, other: Term, chains: tuple[Chain, ...]) -> Iterator[tuple[Lambda, Rest]]:
        """c I + d U V as c (I + (d / c) U V)."""
        scale = other if factor is ONE else product_of([other, Pow(factor, -1)])
        for left, right, inner in self._split(scale, chains):
            sum_ = added_to_identity(product_of_matrices(left, right, inner))

            def rest(
                t: Term,
                trace: Trace,
                depth: int,
                left: Lambda = left,
                right: Lambda = right,
                inner: Index = inner,
                sum_: Lambda = sum_,
            ) -> Term:
                if factor is ONE:
                    return self._exchanged(t, left, right, inner, trace, depth)
                whole = determinant(sum_, self.size)
                scaled = Mul((Pow(factor, IndexValue(self.size)), whole))
                trace.step("det_scale", t, scaled, factor=factor, matrix=sum_)
                below = Trace()
                made = self._exchanged(whole, left, right, inner, below, depth)
                trace.below(1, below)
                return scaled.with_children([scaled.children[0], made])

            yield (sum_ if factor is ONE else Lambda(sum_.params, Mul((factor, sum_.body)))), rest

    def _split(self, factor: Term, chains: tuple[Chain, ...]) -> Iterator[tuple[Lambda, Lambda, Index]]:
        """The ways in which c U V is a product of two matrices with fewer columns in between, or with lengths in order."""
        if len(chains) == 1:
            word = self._word(chains[0])
            for k in range(1, len(word or ())):
                inner = self.letters.lengths(word[k - 1])[1]  # type: ignore[index]
                if (not inner.is_constant, str(inner)) < (not self.size.is_constant, str(self.size)):
                    yield self._matrix(word[:k], factor), self._matrix(word[k:]), inner  # type: ignore[index]
            return
        by_end = {c.left or c.right: c for c in chains}
        if len(chains) != 2 or by_end.keys() != {self.row, self.column}:
            return
        up, across = (self._to_vector(by_end[i], i) for i in (self.row, self.column))
        if up is None or across is None:
            return
        used = {"i", "j", *self.scope.variables}
        column = self.letters.term(Chain(Index.var("i"), up, None), set(used))
        line = self.letters.term(Chain(Index.var("j"), across, None), set(used))
        body = column if factor is ONE else Mul((factor, column))
        yield Lambda(("i", "j"), body), Lambda(("i", "j"), line), Index.of(1)

    def _exchanged(self, t: Term, left: Lambda, right: Lambda, inner: Index, trace: Trace, depth: int) -> Term:
        after = determinant(added_to_identity(product_of_matrices(right, left, self.size)), inner)
        trace.step("det_exchange", t, after, left=left, right=right, inner=inner)
        if inner is Index.of(1):
            return trace.step("det_one", after, at(after.args[0], Index.of(0), Index.of(0)))
        return _determinant(after, self.n, self.scope, trace, depth - 1)

    def _beside(self, letter: int, other: Term, chains: tuple[Chain, ...]) -> Iterator[tuple[Lambda, Rest]]:
        """A + c U V as A (I + c A^-1 U V) for an invertible A."""
        matrix = self._matrix((letter,))
        if not invertible(inverse(matrix, self.size, 0, 0), self.scope):
            return
        inverted = Lambda(("i", "j"), inverse(matrix, self.size, Index.var("i"), Index.var("j")))
        word = self._word(chains[0]) if len(chains) == 1 else None
        if word is not None:
            added = self._matrix(word, other)
        else:
            pairs = list(self._split(other, chains))
            if len(pairs) != 1:
                return
            added = Lambda(("i", "j"), Mul((pairs[0][0].body, pairs[0][1].body)))
        sum_ = added_to_identity(product_of_matrices(inverted, added, self.size))

        def rest(t: Term, trace: Trace, depth: int) -> Term:
            both = Mul((determinant(matrix, self.size), determinant(sum_, self.size)))
            trace.step("det_product", t, both, left=matrix, right=sum_)
            below = Trace()
            second = _determinant(both.children[1], self.n, self.scope, below, depth - 1)  # type: ignore[arg-type]
            trace.below(1, below)
            return both.with_children([both.children[0], second])

        yield product_of_matrices(matrix, sum_, self.size), rest
