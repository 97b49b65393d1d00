"""Equations of words, completed: wherever two of them overlap, their difference is a new one (Knuth and Bendix 1970; in the form
of Buchberger for polynomials that do not commute, Mora 1986).

Each equation remembers which of the known ones it is the sum of.  So a polynomial that is reduced to nothing is a sum of known
equations, each between two words.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from flint import fmpq

from derivations.language.term import Index, IndexValue
from derivations.provers.words_of_matrices import (
    MAX_MONOMIALS,
    UNIT,
    Chain,
    Coefficient,
    Letters,
    Monomial,
    NoWords,
    Polynomial,
    Word,
    add_to,
    add_word,
    inverted,
    product,
    times,
)

MAX_RULES = 40
"""Most equations of words that are kept."""
MAX_OVERLAPS = 400
"""Most overlaps of two of them that are looked at."""
MAX_LETTERS = 12
"""Longest word at an overlap."""
MAX_REDUCTIONS = 400
"""Most reductions of one polynomial."""
MAX_USES = 60
"""Most known equations that a proof is made of."""

Part = tuple[Coefficient, Word, int, Word]
"""A known equation, by its number, times a coefficient and the words before and after it."""


@dataclass(frozen=True)
class Rule:
    """`leading + rest = 0`, and the known equations that it is the sum of."""

    leading: Word
    rest: Polynomial
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Use:
    """A known equation in the place where a proof has it."""

    monomial: Monomial
    left: Index | None
    before: Word
    known: int
    after: Word
    right: Index | None
    closed: bool


class Completion:
    """The rules that known equations of words make, each `difference = 0` by its number."""

    def __init__(self, letters: Letters, known: Sequence[Polynomial]) -> None:
        self.letters = letters
        self.rules: list[Rule] = []
        self.queue: list[tuple[int, int, Polynomial, tuple[Part, ...]]] = []
        self.order = count()
        self.is_cut = False
        """Whether something was given up for its size."""
        for k, difference in enumerate(known):
            self._push(difference, (({UNIT: fmpq(1)}, (), k, ()),))

    def prove(self, goal: Mapping[Monomial, fmpq]) -> list[tuple[fmpq, Use]] | None:
        """The known equations whose sum a polynomial is; None where it is none, `NoWords` where the search had to stop."""
        if not goal:
            return []
        for _ in range(MAX_OVERLAPS):
            if not self.queue or len(self.rules) > MAX_RULES:
                break
            if self._add_rule(heapq.heappop(self.queue)):
                found = self._reduced_goal(goal)
                if found is not None:
                    return found
        if self.queue or self.is_cut:
            raise NoWords
        return None

    def _push(self, difference: Polynomial, parts: tuple[Part, ...]) -> None:
        longest = max(map(len, difference), default=0)
        heapq.heappush(self.queue, (longest, next(self.order), difference, parts))

    def _add_rule(self, row: tuple[int, int, Polynomial, tuple[Part, ...]]) -> bool:
        """Reduce a difference by the rules, and make one more of what is left."""
        difference, parts = self._reduced({w: dict(c) for w, c in row[2].items()}, list(row[3]))
        if not difference:
            return False
        leading = max(difference, key=_weight)
        by = inverted(difference.pop(leading))
        if by is None or not leading:
            return False
        made = Rule(
            leading,
            {w: times(by, c) for w, c in difference.items()},
            tuple((times(by, c), p, k, s) for c, p, k, s in parts),
        )
        self.rules.append(made)
        for other in self.rules:
            self._overlaps(made, other)
            if other is not made:
                self._overlaps(other, made)
        return True

    def _overlaps(self, one: Rule, two: Rule) -> None:
        """The differences where the end of one leading word is the beginning of the other, or one is a part of the other."""
        a, b = one.leading, two.leading
        for k in range(1, min(len(a), len(b)) + (one is not two)):
            if k < max(len(a), len(b)) and a[-k:] == b[:k]:
                if len(a) + len(b) - k > MAX_LETTERS:
                    self.is_cut = True
                else:
                    self._difference(one, (), b[k:], two, a[:-k], ())
        if one is not two:
            for k in range(len(a) - len(b) + 1):
                if a[k : k + len(b)] == b:
                    self._difference(one, (), (), two, a[:k], a[k + len(b) :])

    def _difference(self, one: Rule, p: Word, s: Word, two: Rule, q: Word, t: Word) -> None:
        total: Polynomial = {}
        minus: Coefficient = {UNIT: fmpq(-1)}
        for w, c in one.rest.items():
            add_word(total, p + w + s, c)
        for w, c in two.rest.items():
            add_word(total, q + w + t, times(minus, c))
        parts = [(c, p + a, k, b + s) for c, a, k, b in one.parts]
        parts += [(times(minus, c), q + a, k, b + t) for c, a, k, b in two.parts]
        if len(parts) > MAX_USES:
            self.is_cut = True
        elif total:
            self._push(total, tuple(parts))

    def _reduced(self, difference: Polynomial, parts: list[Part]) -> tuple[Polynomial, list[Part]]:
        """A difference in which no leading word occurs, and what it is made of; nothing where it is given up."""
        for _ in range(MAX_REDUCTIONS):
            found = self._first_match(difference)
            if found is None:
                return difference, parts
            word, rule, place = found
            before, after = word[:place], word[place + len(rule.leading) :]
            minus = times({UNIT: fmpq(-1)}, difference.pop(word))
            for w, c in rule.rest.items():
                add_word(difference, before + w + after, times(minus, c))
            parts += [(times(minus, c), before + p, k, s + after) for c, p, k, s in rule.parts]
            if len(parts) > MAX_USES or len(difference) > MAX_MONOMIALS:
                break
        self.is_cut = True
        return {}, []

    def _first_match(self, difference: Polynomial) -> tuple[Word, Rule, int] | None:
        for word in sorted(difference, key=_weight, reverse=True):
            for rule, place in self._matches(word):
                return word, rule, place
        return None

    def _matches(self, word: Word) -> Iterator[tuple[Rule, int]]:
        for rule in self.rules:
            n = len(rule.leading)
            for k in range(len(word) - n + 1):
                if word[k : k + n] == rule.leading:
                    yield rule, k

    def _reduced_goal(self, goal: Mapping[Monomial, fmpq]) -> list[tuple[fmpq, Use]] | None:
        """The known equations that reduce the goal to nothing."""
        left, uses = dict(goal), dict[Use, fmpq]()
        for _ in range(MAX_REDUCTIONS):
            if not left:
                return [(k, use) for use, k in uses.items() if k]
            found = next((f for m in sorted(left, key=_size, reverse=True) for f in self._in_monomial(m)), None)
            if found is None or len(left) > MAX_MONOMIALS or len(uses) > 2 * MAX_USES:
                return None
            m, others, chain, rule, place = found
            number = left.pop(m)
            before, after = chain.word[:place], chain.word[place + len(rule.leading) :]
            for w, c in rule.rest.items():
                new = self._with_word(chain, before + w + after)
                for n, k in c.items():
                    add_to(left, product(product((m[0], others), n), new), -number * k)
            for c, p, known, s in rule.parts:
                for n, k in c.items():
                    monomial = product((m[0], others), n)
                    use = Use(monomial, chain.left, before + p, known, s + after, chain.right, chain.closed)
                    uses[use] = uses.get(use, fmpq(0)) + number * k
        return None

    def _with_word(self, chain: Chain, word: Word) -> Monomial:
        """A chain with another word; the trace of the identity is a length."""
        if chain.closed and not word:
            return ((self.letters.number(IndexValue(self.letters.lengths(chain.word[0])[0])), fmpq(1)),), ()
        return (), (self.letters.turned_right(Chain(chain.left, word, chain.right, chain.closed)),)

    def _in_monomial(self, m: Monomial) -> Iterator[tuple[Monomial, tuple[Chain, ...], Chain, Rule, int]]:
        for k, chain in enumerate(m[1]):
            others = (*m[1][:k], *m[1][k + 1 :])
            words = [chain, Chain(chain.right, self.letters.reversed(chain.word), chain.left, chain.closed)]
            if chain.closed:
                words = [
                    Chain(None, c.word[j:] + c.word[:j], None, closed=True) for c in words for j in range(len(c.word))
                ]
            for c in words:
                for rule, place in self._matches(c.word):
                    if not (c.closed and place):
                        yield m, others, c, rule, place


def _weight(word: Word) -> tuple[int, Word]:
    return len(word), word


def _size(m: Monomial) -> tuple[int, str]:
    return max((len(c.word) for c in m[1]), default=0), str(m)
