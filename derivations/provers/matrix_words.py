"""Equations between products of matrices and inverses: a proof is found among words, and told to the kernel in sums.

A sum over indices that two entries share is a word: `sum(c; sum(e; A[i, c] B[e, c] W[e, j]))` is `A B' W`, from i to j.  What
is known of the letters are equations of words: `M W = I` and `W M = I` where W is the inverse of M, `Q' Q = I` and `A' = A`
where the hypotheses say so.  They are completed (Knuth and Bendix 1970, in the form of Buchberger for polynomials that do not
commute: Mora 1986): wherever two of them overlap, their difference is a new one.  Each remembers which of the known ones
it is made of.  So a difference that is reduced to nothing is a sum of known equations, each between two words; this sum is the
proof.  It finds Woodbury's identity, and moves factors through inverses.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from flint import fmpq

from derivations.kernel.linear import consistent
from derivations.kernel.proof import Meet, Proof, Step
from derivations.kernel.scope import Path, Scope, put
from derivations.kernel.sign import unfold
from derivations.language.statement import Statement
from derivations.language.substitution import bound_variables, canonical, fresh, rename_apart, substitute
from derivations.language.term import (
    Add,
    Bracket,
    Entry,
    Guard,
    Index,
    IndexValue,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    equal,
    guard,
    within,
)
from derivations.provers.contraction import flattened_monomial, known_invertible, multiplied, of_invertible
from derivations.provers.normal import Normaliser
from derivations.provers.trace import Trace, reverse

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
MAX_MONOMIALS = 200

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


class NoWords(Exception):
    """A term that is no polynomial in words."""


@dataclass(frozen=True)
class Known:
    """An equation of two entries for all x and y: what it says of words, and how the kernel is told."""

    difference: Polynomial
    sides: Callable[[Index, Index, frozenset[str]], tuple[Term, Term]]
    rule: str
    args: Callable[[Index, Index, Scope], dict[str, Any] | None]


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


def by_words(left: Term, right: Term, scope: Scope, normaliser: Normaliser) -> Proof | None:
    """A proof that two terms are equal, by equations of words; None where none is found, `NoWords` where they are no words."""
    sides = []
    for term in (left, right):
        trace = Trace()
        opened = trace.step("alpha", term, rename_apart(term, scope.variables))
        normal, steps = normaliser.start(opened, scope)
        trace.then(steps)
        sides.append((normal, trace))
    (first, one), (second, two) = sides
    search = _Search(scope, normaliser)
    goal = search.reader.polynomial(first)
    for m, k in search.reader.polynomial(second).items():
        _add(goal, m, -k)
    uses = search.prove(goal)
    if uses is None or len(uses) > MAX_USES:
        return None
    steps_to = search.told(first, second, uses)
    return None if steps_to is None else Meet((*one.chain(), *steps_to.chain()), two.chain())


# --- reading terms as words -----------------------------------------------------------------------------------------


@dataclass
class _Reader:
    """Letters and numbers of the terms that are read, in the order in which they are met."""

    scope: Scope
    letters: list[Entry] = field(default_factory=list)
    numbers: list[Term] = field(default_factory=list)
    letter_of: dict[Term, int] = field(default_factory=dict)
    number_of: dict[Term, int] = field(default_factory=dict)

    def letter(self, entry: Entry) -> int:
        """The number of a matrix or a vector, from 1 on."""
        corner = Entry(entry.name, (0,) * len(entry.indices), entry.args, entry.sizes)
        key = canonical(corner)
        if key not in self.letter_of:
            self.letters.append(corner)
            self.letter_of[key] = len(self.letters)
        return self.letter_of[key]

    def number(self, term: Term) -> int:
        """The number of what is multiplied and is no entry of a word."""
        k = self.number_of.setdefault(canonical(term), len(self.numbers))
        if k == len(self.numbers):
            self.numbers.append(term)
        return k

    def lengths(self, letter: int) -> tuple[Index, ...]:
        """The lengths of the axes of a letter, as it stands."""
        entry = self.letters[abs(letter) - 1]
        shape = (entry.sizes[0],) * 2 if entry.is_inverse else self.scope.theory.shape(entry.name)
        if shape is None or len(shape) != len(entry.indices):
            raise NoWords
        return tuple(shape) if letter > 0 else tuple(shape[::-1])

    def entry(self, letter: int, at: tuple[Index, ...]) -> Entry:
        """An entry of a letter as it stands."""
        corner = self.letters[abs(letter) - 1]
        return Entry(corner.name, at if letter > 0 else at[::-1], corner.args, corner.sizes)

    def is_vector(self, letter: int) -> bool:
        return len(self.letters[abs(letter) - 1].indices) == 1

    def polynomial(self, term: Term) -> dict[Monomial, fmpq]:
        """A normal form as a sum of products of words."""
        found: dict[Monomial, fmpq] = {}
        parts = term.args if isinstance(term, Add) else (term,)
        if len(parts) > MAX_MONOMIALS:
            raise NoWords
        for part in parts:
            number, monomial = self._monomial(part)
            _add(found, monomial, number)
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
        return flat.number, (own, _sorted(self.turned_right(c) for c in chains))

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


def _key(c: Chain) -> tuple[str, str, Word]:
    return str(c.left or ""), str(c.right or ""), c.word


def _sorted(chains: Iterable[Chain]) -> tuple[Chain, ...]:
    return tuple(sorted(chains, key=lambda c: (c.closed, *_key(c))))


def _add(total: dict[Monomial, fmpq], m: Monomial, k: fmpq) -> None:
    value = total.get(m, fmpq(0)) + k
    if value:
        total[m] = value
    else:
        total.pop(m, None)


def _times(a: Coefficient, b: Coefficient) -> Coefficient:
    found: Coefficient = {}
    for m, k in a.items():
        for n, j in b.items():
            _add(found, _product(m, n), k * j)
    return found


def _product(m: Monomial, n: Monomial) -> Monomial:
    powers = dict(m[0])
    for k, p in n[0]:
        powers[k] = powers.get(k, fmpq(0)) + p
    return tuple(sorted((k, p) for k, p in powers.items() if p)), _sorted((*m[1], *n[1]))


_UNIT: Monomial = ((), ())


def _inverted(c: Coefficient) -> Coefficient | None:
    """One over a coefficient that is a product of numbers; None for another one."""
    if len(c) != 1:
        return None
    ((scalars, chains), number), *_ = c.items()
    return None if chains else {(tuple((k, -p) for k, p in scalars), ()): 1 / number}


# --- the search among words -----------------------------------------------------------------------------------------


class _Search:
    """Known equations, the rules that are made of them, and the goal."""

    def __init__(self, scope: Scope, normaliser: Normaliser) -> None:
        self.scope, self.normaliser, self.reader = scope, normaliser, _Reader(scope)
        self.known: list[Known] = []
        self.rules: list[Rule] = []
        self.queue: list[tuple[int, int, Polynomial, tuple[Part, ...]]] = []
        self.order = count()
        self.inverses: set[int] = set()

    def prove(self, goal: dict[Monomial, fmpq]) -> list[tuple[fmpq, Use]] | None:
        """The known equations whose sum the goal is."""
        if not goal:
            return []
        for k, h in enumerate(self.scope.hypotheses):
            if h.relation == "=" and len(h.indices) == 2:
                self._take(self._of_hypothesis(k, h))
        done = 0
        while done < len(self.reader.letters):  # an inverse may have another one in its matrix
            letter = self.reader.letters[done]
            done += 1
            if letter.is_inverse:
                for right in (True, False):
                    self._take(self._of_inverse(letter, right))
            elif letter.name in self.normaliser.folded and len(letter.indices) == 2:
                self._take(self._of_definition(letter))
        if not self.known:
            return None
        for _ in range(MAX_OVERLAPS):
            if not self.queue or len(self.rules) > MAX_RULES:
                return self._reduced_goal(goal)
            if self._add_rule(heapq.heappop(self.queue)):
                found = self._reduced_goal(goal)
                if found is not None:
                    return found
        return None

    def _take(self, known: Known | None) -> None:
        """A known equation, and what it says of transposed products."""
        if known is None:
            return
        number = len(self.known)
        self.known.append(known)
        turned = {self.reader.reversed(w): c for w, c in known.difference.items()}
        self.known.append(
            Known(
                turned,
                lambda x, y, avoid: known.sides(y, x, avoid),
                known.rule,
                lambda x, y, here: known.args(y, x, here),
            )
        )
        for k, difference in ((number, known.difference), (number + 1, turned)):
            self._push(difference, (({_UNIT: fmpq(1)}, (), k, ()),))

    def _push(self, difference: Polynomial, parts: tuple[Part, ...]) -> None:
        longest = max(map(len, difference), default=0)
        heapq.heappush(self.queue, (longest, next(self.order), difference, parts))

    def _add_rule(self, row: tuple[int, int, Polynomial, tuple[Part, ...]]) -> bool:
        """Reduce a difference by the rules, and make one more of what is left."""
        difference, parts = self._reduced({w: dict(c) for w, c in row[2].items()}, list(row[3]))
        if not difference:
            return False
        leading = max(difference, key=_weight)
        by = _inverted(difference.pop(leading))
        if by is None or not leading:
            return False
        made = Rule(
            leading,
            {w: _times(by, c) for w, c in difference.items()},
            tuple((_times(by, c), p, k, s) for c, p, k, s in parts),
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
            if k < max(len(a), len(b)) and a[-k:] == b[:k] and len(a) + len(b) - k <= MAX_LETTERS:
                self._difference(one, (), b[k:], two, a[:-k], ())
        if one is not two:
            for k in range(len(a) - len(b) + 1):
                if a[k : k + len(b)] == b:
                    self._difference(one, (), (), two, a[:k], a[k + len(b) :])

    def _difference(self, one: Rule, p: Word, s: Word, two: Rule, q: Word, t: Word) -> None:
        total: Polynomial = {}
        minus: Coefficient = {_UNIT: fmpq(-1)}
        for w, c in one.rest.items():
            _add_word(total, p + w + s, c)
        for w, c in two.rest.items():
            _add_word(total, q + w + t, _times(minus, c))
        parts = [(c, p + a, k, b + s) for c, a, k, b in one.parts]
        parts += [(_times(minus, c), q + a, k, b + t) for c, a, k, b in two.parts]
        if total and len(parts) <= MAX_USES:
            self._push(total, tuple(parts))

    def _reduced(self, difference: Polynomial, parts: list[Part]) -> tuple[Polynomial, list[Part]]:
        """A difference in which no leading word occurs, and what it is made of."""
        for _ in range(MAX_REDUCTIONS):
            found = self._first_match(difference)
            if found is None:
                return difference, parts
            word, rule, place = found
            before, after = word[:place], word[place + len(rule.leading) :]
            minus = _times({_UNIT: fmpq(-1)}, difference.pop(word))
            for w, c in rule.rest.items():
                _add_word(difference, before + w + after, _times(minus, c))
            parts += [(_times(minus, c), before + p, k, s + after) for c, p, k, s in rule.parts]
            if len(parts) > MAX_USES or len(difference) > MAX_MONOMIALS:
                return {}, []
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

    # --- the goal ---------------------------------------------------------------------------------------------------

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
                    _add(left, _product(_product((m[0], others), n), new), -number * k)
            for c, p, known, s in rule.parts:
                for n, k in c.items():
                    monomial = _product((m[0], others), n)
                    use = Use(monomial, chain.left, before + p, known, s + after, chain.right, chain.closed)
                    uses[use] = uses.get(use, fmpq(0)) + number * k
        return None

    def _with_word(self, chain: Chain, word: Word) -> Monomial:
        """A chain with another word; the trace of the identity is a length."""
        if chain.closed and not word:
            return ((self.reader.number(IndexValue(self.reader.lengths(chain.word[0])[0])), fmpq(1)),), ()
        return (), (self.reader.turned_right(Chain(chain.left, word, chain.right, chain.closed)),)

    def _in_monomial(self, m: Monomial) -> Iterator[tuple[Monomial, tuple[Chain, ...], Chain, Rule, int]]:
        for k, chain in enumerate(m[1]):
            others = (*m[1][:k], *m[1][k + 1 :])
            words = [chain, Chain(chain.right, self.reader.reversed(chain.word), chain.left, chain.closed)]
            if chain.closed:
                words = [
                    Chain(None, c.word[j:] + c.word[:j], None, closed=True) for c in words for j in range(len(c.word))
                ]
            for c in words:
                for rule, place in self._matches(c.word):
                    if not (c.closed and place):
                        yield m, others, c, rule, place

    # --- known equations --------------------------------------------------------------------------------------------

    def _of_inverse(self, corner: Entry, right: bool) -> Known | None:
        if corner.args[0].free - set(self.scope.variables):
            return None
        if known_invertible(corner, self.scope, self.normaliser) is None:
            return None

        def sides(x: Index, y: Index, avoid: frozenset[str]) -> tuple[Term, Term]:
            return multiplied(corner, x, y, right, avoid), Bracket((equal(x, y),))

        def args(x: Index, y: Index, here: Scope) -> dict[str, Any] | None:
            return of_invertible(corner, x, y, right, here, self.normaliser)

        return self._known(sides, (corner.sizes[0], corner.sizes[0]), "mul_inv_matrix", args)

    def _of_hypothesis(self, number: int, h: Statement) -> Known | None:
        a, b = h.indices
        bounds = [n for v in h.indices if (n := _length(v, h.guard)) is not None]
        if len(bounds) != 2 or h.guard != guard(*within(a, 0, bounds[0]), *within(b, 0, bounds[1])):
            return None

        def sides(x: Index, y: Index, avoid: frozenset[str]) -> tuple[Term, Term]:
            at = {a: x, b: y}
            taken = {*avoid, *x.free, *y.free}
            return substitute(rename_apart(h.left, taken), at), substitute(rename_apart(h.right, taken), at)

        def args(x: Index, y: Index, _: Scope) -> dict[str, Any]:
            return {"number": number, "at": {a: x, b: y}}

        return self._known(sides, (bounds[0], bounds[1]), "hypothesis", args)

    def _of_definition(self, corner: Entry) -> Known | None:
        """What a matrix that stays folded is defined as."""
        lengths = self.reader.lengths(self.reader.letter(corner))

        def sides(x: Index, y: Index, avoid: frozenset[str]) -> tuple[Term, Term]:
            here = Entry(corner.name, (x, y))
            body = unfold(here, self.scope)
            return here, rename_apart(here if body is None else body, {*avoid, *x.free, *y.free})

        return self._known(sides, (lengths[0], lengths[1]), "unfold", lambda _x, _y, _here: {})

    def _known(
        self,
        sides: Callable[[Index, Index, frozenset[str]], tuple[Term, Term]],
        lengths: tuple[Index, Index],
        rule: str,
        args: Callable[[Index, Index, Scope], dict[str, Any] | None],
    ) -> Known | None:
        """An equation of entries as one of words; None where it is none."""
        taken = set(self.scope.variables)
        names = []
        for hint in ("x", "y"):
            names.append(fresh(hint, taken))
            taken.add(names[-1])
        x, y = map(Index.var, names)
        inside = self.scope.inside_binder(
            tuple(names), guard(*within(names[0], 0, lengths[0]), *within(names[1], 0, lengths[1]))
        )
        if not consistent(inside.facts):
            return None
        total: Polynomial = {}
        try:
            for side, factor in zip(sides(x, y, frozenset(taken)), (fmpq(1), fmpq(-1)), strict=True):
                normal, _ = self.normaliser.start(side, inside)
                for (scalars, chains), k in self.reader.polynomial(normal).items():
                    between = [c for c in chains if {c.left, c.right} == {x, y}]
                    if len(between) != 1 or any(
                        e is x or e is y for c in chains for e in (c.left, c.right) if c not in between
                    ):
                        return None
                    (c,) = between
                    word = c.word if c.left is x else self.reader.reversed(c.word)
                    others = tuple(o for o in chains if o is not c)
                    _add_word(total, word, {(scalars, others): k * factor})
        except NoWords:
            return None
        return Known(total, sides, rule, args) if total else None

    # --- the steps --------------------------------------------------------------------------------------------------

    def told(self, first: Term, second: Term, uses: list[tuple[fmpq, Use]]) -> Trace | None:
        """Steps from one normal form to another by known equations in their places."""
        rows = []
        for number, use in uses:
            row = self._placed(number, use)
            if row is None:
                return None
            rows.append(row)
        parts: list[Term] = [second]
        for before, _, after in rows:
            parts += [before, Mul((Number(-1), after))]
        start = Add(parts) if len(parts) > 1 else second
        if rename_apart(start, self.scope.variables) is not start:
            return None
        trace = Trace()
        trace.step("ring", first, start)
        for place, (_, steps, after) in enumerate(rows):
            trace.below(2 * place + 1, steps)
            parts[2 * place + 1] = after
        if rows:
            trace.step("ring", Add(parts), second)
        return trace

    def _placed(self, number: fmpq, use: Use) -> tuple[Term, Trace, Term] | None:
        """Both sides of a known equation in its place, in normal form, and the steps from one to the other."""
        reader, known = self.reader, self.known[use.known]
        taken = set(self.scope.variables) | {v for c in (use.left, use.right) if c is not None for v in c.free}
        taken |= {v for t in (*reader.letters, *reader.numbers) for v in _bound(t)}
        factors: list[Term] = [Number(number)]
        for k, power in use.monomial[0]:
            factors.append(reader.numbers[k] if power == 1 else Pow(reader.numbers[k], Number(power)))
        factors += [self._term(c, taken) for c in use.monomial[1]]
        binders: list[tuple[str, Index]] = []
        before, after = (
            ((), use.after + use.before) if use.closed else (use.before, use.after)
        )  # a trace begins anywhere
        x = self._along(before, use.left, True, factors, binders, taken)
        if use.closed:
            name = fresh("c", taken)
            taken.add(name)
            around = after or next(w for w in known.difference if w)
            binders.append((name, reader.lengths(around[-1])[-1]))
            x = Index.var(name)
        y = self._along(after, x if use.closed else use.right, False, factors, binders, taken)
        if x is None or y is None:
            return None
        avoid = frozenset(taken | {v for f in factors for v in (*bound_variables(f), *f.free)})
        here = self.scope
        for v, n in binders:
            here = here.inside_binder((v,), guard(*within(v, 0, n)))
        left, right = known.sides(x, y, avoid)
        told = known.args(x, y, here)
        if told is None:
            return None
        whole: Term = Mul((*factors, left))
        path: Path = (len(factors),)
        for v, n in reversed(binders):
            whole, path = Sum(v, guard(*within(v, 0, n)), whole), (0, *path)
        if rename_apart(whole, self.scope.variables) is not whole:
            return None
        replaced = put(whole, path, right)
        one, lead = self.normaliser.start(whole, self.scope)
        two, rest = self.normaliser.start(replaced, self.scope)
        trace = Trace()
        for step in reverse(lead.chain()):
            trace.at(step)
        trace.at(Step(known.rule, path, left, right, told))
        trace.then(rest)
        return one, trace, two

    def _along(
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
        letters = word if is_before else self.reader.reversed(word)
        for letter in letters:
            lengths = self.reader.lengths(letter)
            name = fresh("c", taken)
            taken.add(name)
            there = Index.var(name)
            if here is None:
                if len(lengths) != 1:
                    return None
                factors.append(self.reader.entry(letter, (there,)))
            elif len(lengths) != 2:
                return None
            else:
                factors.append(self.reader.entry(letter, (here, there)))
            binders.append((name, lengths[-1]))
            here = there
        return here

    def _term(self, chain: Chain, taken: set[str]) -> Term:
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
            binders.append((name, self.reader.lengths(word[0])[0]))
            here = self._along(word[:-1], start, True, factors, binders, taken)
            factors.append(self.reader.entry(word[-1], (here, start)))  # type: ignore[arg-type]
        elif chain.right is None:
            here = self._along(word[:-1], chain.left, True, factors, binders, taken)
            factors.append(self.reader.entry(word[-1], (here,)))  # type: ignore[arg-type]
        elif len(word) == 1 and chain.left is None:
            factors.append(self.reader.entry(word[0], (chain.right,)))
        else:
            here = self._along(word[:-1], chain.left, True, factors, binders, taken)
            factors.append(self.reader.entry(word[-1], (here, chain.right)))  # type: ignore[arg-type]
        whole: Term = Mul(factors) if len(factors) > 1 else factors[0]
        for v, n in reversed(binders):
            whole = Sum(v, guard(*within(v, 0, n)), whole)
        return whole


def _bound(t: Term) -> frozenset[str]:
    """The names that a term binds, those of the matrices in it among them."""
    params = (p for a in t.args for p in a.params) if isinstance(t, Entry) else ()
    return frozenset((*bound_variables(t), *params))


def _length(v: str, given: Guard) -> Index | None:
    """The n of `0 <= v < n`."""
    for c in given:
        upper = c.index + Index.var(v) + 1
        if c.index.coefficient(v) == -1 and upper.free.isdisjoint({v}) and c.relation == ">=":
            return upper
    return None


def _add_word(total: Polynomial, word: Word, c: Coefficient) -> None:
    own = total.setdefault(word, {})
    for m, k in c.items():
        _add(own, m, k)
    if not own:
        del total[word]


def _weight(word: Word) -> tuple[int, Word]:
    return len(word), word


def _size(m: Monomial) -> tuple[int, str]:
    return max((len(c.word) for c in m[1]), default=0), str(m)
