"""Sums of products of matrices as polynomials in words: `sum(c; sum(e; A[i, c] B[e, c] W[e, j]))` is `A B' W`, from i to j.

Letters are matrices and vectors, told apart by numbers, that of a transposed matrix is negative.  A monomial is a product of
numbers and of chains: a word between two indices, between vectors, or closed to a trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from flint import fmpq

from derivations.kernel.scope import Scope
from derivations.language.substitution import canonical, fresh
from derivations.language.term import (
    Add,
    Bracket,
    Entry,
    Guard,
    Index,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    equal,
    guard,
    within,
)
from derivations.provers.contraction import flattened_monomial

MAX_MONOMIALS = 200
"""Most monomials of one polynomial."""

Word = tuple[int, ...]
"""Letters by their numbers; that of a transposed matrix is negative."""
Scalars = tuple[tuple[int, fmpq], ...]
"""Numbers that are multiplied, by their numbers, with their powers."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A word between two indices; without an index a vector is the end, and a word that is closed is a trace."""

    left: Index | None
    word: Word
    right: Index | None
    closed: bool = False


Monomial = tuple[Scalars, tuple[Chain, ...]]
Coefficient = dict[Monomial, fmpq]
Polynomial = dict[Word, Coefficient]
"""Of words between the same two indices."""
UNIT: Monomial = ((), ())
"""The monomial 1."""


class NoWords(Exception):
    """A term that is no polynomial in words, or a search among words that had to stop."""


# --- arithmetic -----------------------------------------------------------------------------------------------------


def _key(c: Chain) -> tuple[str, str, Word]:
    return str(c.left or ""), str(c.right or ""), c.word


def in_order(chains: Iterable[Chain]) -> tuple[Chain, ...]:
    """Chains in the one order in which a monomial has them."""
    return tuple(sorted(chains, key=lambda c: (c.closed, *_key(c))))


def add_to(total: dict[Monomial, fmpq], m: Monomial, k: fmpq) -> None:
    """Add k times a monomial to a sum, in place."""
    value = total.get(m, fmpq(0)) + k
    if value:
        total[m] = value
    else:
        total.pop(m, None)


def times(a: Coefficient, b: Coefficient) -> Coefficient:
    """The product of two coefficients."""
    found: Coefficient = {}
    for m, k in a.items():
        for n, j in b.items():
            add_to(found, product(m, n), k * j)
    return found


def product(m: Monomial, n: Monomial) -> Monomial:
    """The product of two monomials."""
    powers = dict(m[0])
    for k, p in n[0]:
        powers[k] = powers.get(k, fmpq(0)) + p
    return tuple(sorted((k, p) for k, p in powers.items() if p)), in_order((*m[1], *n[1]))


def inverted(c: Coefficient) -> Coefficient | None:
    """One over a coefficient that is a product of numbers; None for another one."""
    if len(c) != 1:
        return None
    ((scalars, chains), number), *_ = c.items()
    return None if chains else {(tuple((k, -p) for k, p in scalars), ()): 1 / number}


def add_word(total: Polynomial, word: Word, c: Coefficient) -> None:
    """Add a coefficient times a word to a polynomial, in place."""
    own = total.setdefault(word, {})
    for m, k in c.items():
        add_to(own, m, k)
    if not own:
        del total[word]


# --- reading and writing --------------------------------------------------------------------------------------------


@dataclass
class Letters:
    """Letters and numbers of the terms that are read, in the order in which they are met."""

    scope: Scope
    entries: list[Entry] = field(default_factory=list)
    """The entry of each letter at the places 0."""
    numbers: list[Term] = field(default_factory=list)
    letter_of: dict[Term, int] = field(default_factory=dict)
    number_of: dict[Term, int] = field(default_factory=dict)

    def letter(self, entry: Entry) -> int:
        """The number of a matrix or a vector, from 1 on."""
        corner = Entry(entry.name, (0,) * len(entry.indices), entry.args, entry.sizes)
        key = canonical(corner)
        if key not in self.letter_of:
            self.entries.append(corner)
            self.letter_of[key] = len(self.entries)
        return self.letter_of[key]

    def number(self, term: Term) -> int:
        """The number of what is multiplied and is no entry of a word."""
        k = self.number_of.setdefault(canonical(term), len(self.numbers))
        if k == len(self.numbers):
            self.numbers.append(term)
        return k

    def lengths(self, letter: int) -> tuple[Index, ...]:
        """The lengths of the axes of a letter, as it stands."""
        entry = self.entries[abs(letter) - 1]
        shape = (entry.sizes[0],) * 2 if entry.is_inverse else self.scope.theory.shape(entry.name)
        if shape is None or len(shape) != len(entry.indices):
            raise NoWords
        return tuple(shape) if letter > 0 else tuple(shape[::-1])

    def entry(self, letter: int, at: tuple[Index, ...]) -> Entry:
        """An entry of a letter as it stands."""
        corner = self.entries[abs(letter) - 1]
        return Entry(corner.name, at if letter > 0 else at[::-1], corner.args, corner.sizes)

    def is_vector(self, letter: int) -> bool:
        """Whether a letter is a vector, which ends a word."""
        return len(self.entries[abs(letter) - 1].indices) == 1

    def polynomial(self, term: Term) -> dict[Monomial, fmpq]:
        """A normal form as a sum of products of words."""
        found: dict[Monomial, fmpq] = {}
        parts = term.args if isinstance(term, Add) else (term,)
        if len(parts) > MAX_MONOMIALS:
            raise NoWords
        for part in parts:
            number, monomial = self._monomial(part)
            add_to(found, monomial, number)
        return found

    def _monomial(self, m: Term) -> tuple[fmpq, Monomial]:
        flat = flattened_monomial(m, frozenset(self.scope.variables) | m.free)
        ranges = dict(flat.binders)
        letters: list[tuple[int, tuple[Index, ...]]] = []
        scalars: dict[int, fmpq] = {}
        chains: list[Chain] = []
        for f in flat.factors:
            if isinstance(f, Entry) and f.indices and len(f.indices) <= 2 and (not f.args or f.is_inverse):
                if not (f.is_inverse and f.args[0].free & ranges.keys()):
                    letters.append((self.letter(f), f.indices))
                    continue
            if f.free & ranges.keys():
                raise NoWords
            ends = _ends_of_delta(f)
            if ends is not None:
                chains.append(Chain(ends[0], (), ends[1]))
                continue
            base, power = (
                (f.base, f.exponent.value) if isinstance(f, Pow) and isinstance(f.exponent, Number) else (f, 1)
            )
            k = self.number(base)
            scalars[k] = scalars.get(k, fmpq(0)) + power
        chains += self._chains(letters, ranges)
        own = tuple(sorted((k, p) for k, p in scalars.items() if p))
        return flat.number, (own, in_order(self.turned_right(c) for c in chains))

    def _chains(self, letters: list[tuple[int, tuple[Index, ...]]], ranges: Mapping[str, Guard]) -> Iterator[Chain]:
        """The chains that entries are made to by the indices which two of them share."""
        at: dict[str, list[tuple[int, int]]] = {}
        for k, (letter, indices) in enumerate(letters):
            for place, (i, n) in enumerate(zip(indices, self.lengths(letter), strict=True)):
                bound = i.free & ranges.keys()
                if not bound:
                    continue
                v = min(bound)
                if i is not Index.var(v) or ranges[v] != guard(*within(v, 0, n)):
                    raise NoWords
                at.setdefault(v, []).append((k, place))
        if at.keys() != ranges.keys() or any(len(found) != 2 for found in at.values()):
            raise NoWords
        other = {pair[0]: pair[1] for pair in at.values()} | {pair[1]: pair[0] for pair in at.values()}
        left = set(range(len(letters)))
        starts = [(k, p) for k, (_, indices) in enumerate(letters) for p in range(len(indices)) if (k, p) not in other]
        vectors = [(k, -1) for k, (_, indices) in enumerate(letters) if len(indices) == 1]
        for k, place in (*starts, *vectors, *((k, 0) for k in range(len(letters)))):
            if k not in left:
                continue
            yield self._followed(k, place, letters, other, left)

    def _followed(
        self,
        k: int,
        place: int,
        letters: list[tuple[int, tuple[Index, ...]]],
        other: Mapping[tuple[int, int], tuple[int, int]],
        left: set[int],
    ) -> Chain:
        """The chain that begins at a place of an entry: at its free index, or at a vector (place -1)."""
        first = letters[k][1][place] if place >= 0 and (k, place) not in other else None
        closed = place >= 0 and (k, place) in other
        word: list[int] = []
        while True:
            left.discard(k)
            letter, indices = letters[k]
            if len(indices) == 1:
                word.append(letter)
                if place >= 0 and len(word) == 1 and first is not None:  # v[i]: from the vector to its index
                    return Chain(None, (letter,), first)
                if place >= 0:
                    return Chain(first, tuple(word), None)
                out = 0
            else:
                word.append(letter if place == 0 else -letter)
                out = 1 - place
            if (k, out) not in other:
                return Chain(first, tuple(word), indices[out])
            k, place = other[k, out]
            if k not in left:
                if not closed:
                    raise NoWords
                return Chain(None, tuple(word), None, closed=True)

    def reversed(self, word: Word) -> Word:
        """The word of the transposed product."""
        return tuple(x if self.is_vector(x) else -x for x in reversed(word))

    def turned_right(self, c: Chain) -> Chain:
        """The same chain read in the one of its directions that comes first."""
        back = self.reversed(c.word)
        if c.closed:
            rotations = [w[k:] + w[:k] for w in (c.word, back) for k in range(len(w))]
            return Chain(None, min(rotations), None, closed=True)
        return min((c, Chain(c.right, back, c.left)), key=_key)

    def along(
        self,
        word: Word,
        end: Index | None,
        is_before: bool,
        factors: list[Term],
        binders: list[tuple[str, Index]],
        taken: set[str],
    ) -> Index | None:
        """The factors of a word from one of its ends to the equation, and the index at which it meets that."""
        here = end
        letters = word if is_before else self.reversed(word)
        for letter in letters:
            lengths = self.lengths(letter)
            name = fresh("c", taken)
            taken.add(name)
            there = Index.var(name)
            if here is None:
                if len(lengths) != 1:
                    return None
                factors.append(self.entry(letter, (there,)))
            elif len(lengths) != 2:
                return None
            else:
                factors.append(self.entry(letter, (here, there)))
            binders.append((name, lengths[-1]))
            here = there
        return here

    def term(self, chain: Chain, taken: set[str]) -> Term:
        """A chain as a term."""
        factors: list[Term] = []
        binders: list[tuple[str, Index]] = []
        if not chain.word:
            return Bracket((equal(chain.left, chain.right),))  # type: ignore[arg-type]
        word = chain.word
        if chain.closed:
            name = fresh("c", taken)
            taken.add(name)
            start = Index.var(name)
            binders.append((name, self.lengths(word[0])[0]))
            here = self.along(word[:-1], start, True, factors, binders, taken)
            factors.append(self.entry(word[-1], (here, start)))  # type: ignore[arg-type]
        elif chain.right is None:
            here = self.along(word[:-1], chain.left, True, factors, binders, taken)
            factors.append(self.entry(word[-1], (here,)))  # type: ignore[arg-type]
        elif len(word) == 1 and chain.left is None:
            factors.append(self.entry(word[0], (chain.right,)))
        else:
            here = self.along(word[:-1], chain.left, True, factors, binders, taken)
            factors.append(self.entry(word[-1], (here, chain.right)))  # type: ignore[arg-type]
        whole: Term = Mul(factors) if len(factors) > 1 else factors[0]
        for v, n in reversed(binders):
            whole = Sum(v, guard(*within(v, 0, n)), whole)
        return whole


def _ends_of_delta(f: Term) -> tuple[Index, Index] | None:
    """The two indices of `[i = j]`."""
    if not isinstance(f, Bracket) or len(f.condition) != 1 or f.condition[0].relation != "==":
        return None
    index = f.condition[0].index
    terms = {v: index.coefficient(v) for v in index.free}
    if len(terms) != 2 or sorted(terms.values()) != [-1, 1] or index.const or index.sizes:
        return None
    a, b = sorted(terms)
    return Index.var(a), Index.var(b)
