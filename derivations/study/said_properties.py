"""Counterexamples that have the properties in words: for a claim about a symmetric matrix a symmetric one.

A word such as `orthogonal` near a name may be about that name, about another one, or deny something.  Whichever is meant,
a claim that fails for arrays which have every property that the words may give them is false: the question which reading is
right need not be answered.  What is supposed may say more than the word, so a diagonal matrix with positive entries serves
for a positive definite one; it serves for a counterexample only, and never for a proof.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from derivations.language.statement import Statement, Theory
from derivations.language.term import ONE, ZERO, Bracket, Entry, Index, Lambda, equal, guard, inverse, sum_over, within
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.study.array_kinds import of_matrix, of_sign, of_vector
from derivations.study.verdict import Case, Verdict, decide_again, heads_below

MAX_TRIES = 3
"""Kinds of examples that are looked for: symmetric ones, then diagonal ones."""
_NO_VECTOR = re.compile(r"triangular|singular|invertible|inverse|idempotent|commut|positive.*definite", re.IGNORECASE)
"""What no vector is; it may be a projection of another one, or symmetric around its middle."""
_ONLY_SQUARE = re.compile(
    rf"symmetric|diagonal|projection|rotation|identity|unitary|{_NO_VECTOR.pattern}", re.IGNORECASE
)
"""What no matrix of another shape is."""

Supposed = tuple[Statement, ...]


def is_of_other_shape(symbol: Symbol, said: str, theory: Theory) -> bool:
    """Whether nothing of the shape of a name can be what a word says, which then speaks of something else: perhaps of
    another name of the claim, so that it is a word about each of these."""
    shape = theory.shape(symbol.head)
    if shape is None or len(shape) not in (1, 2):
        return False
    if len(shape) == 1:
        return _NO_VECTOR.match(said) is not None
    return not _is_square(shape) and _ONLY_SQUARE.match(said) is not None


def given_below(case: Case, verdict: Verdict) -> list[Symbol]:
    """The given arrays and numbers that a verdict speaks of."""
    heads = heads_below(case, verdict)
    symbols = case.known.table.symbols.values()
    return [s for s in symbols if s.head in heads and not s.defined and s.parameters is None]


def is_assured(symbol: Symbol, said: str, verdict: Verdict, theory: Theory) -> bool:
    """Whether everything that is supposed of a verdict's statements makes a given name what a word says."""
    return any(
        all(h in s.hypotheses for s in verdict.statements for h in way) for way in examples_of(symbol, (said,), theory)
    )


def with_said_properties(case: Case, verdict: Verdict) -> Verdict | None:
    """A refutation where each given name has every property that the words give to it or to another one; None where none
    is found."""
    properties, given = case.known.properties, given_below(case, verdict)
    words = dict.fromkeys(w for s in given for w in properties.get(s.stem, ()))
    called = []
    for symbol in (s for s in given if s.dims or properties.get(s.stem)):
        if own := tuple(w for w in words if not is_of_other_shape(symbol, w, case.theory)):
            called.append((symbol, own))
    if not called:
        return None
    ways = [list(examples_of(symbol, own, case.theory)) for symbol, own in called]
    if not all(ways):
        return None
    for k in range(min(MAX_TRIES, max(map(len, ways)))):
        supposed = [h for own in ways for h in own[min(k, len(own) - 1)]]
        statements = [
            replace(s, hypotheses=(*s.hypotheses, *(h for h in supposed if h not in s.hypotheses)))
            for s in verdict.statements
        ]
        tried = decide_again(case, verdict, statements)
        if tried.is_refuted:
            return tried
    return None


# --- what is supposed for a word ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Example:
    """A row: what is supposed of a name so that it is all that `words` matches, nothing for another shape.

    Where only some words call for it, one of them must be `among` those that are said.
    """

    words: re.Pattern[str]
    supposed: Callable[[str, Sequence[Index]], Iterator[Statement]]
    among: re.Pattern[str] = re.compile("")

    def fits(self, said: Sequence[str]) -> bool:
        """Whether it may be an example for some of the words."""
        return any(self.words.fullmatch(w) for w in said) and any(self.among.match(w) for w in said)


def examples_of(symbol: Symbol, said: Sequence[str], theory: Theory) -> Iterator[Supposed]:
    """What may be supposed of a name so that all the words are true of it, the least first."""
    shape = theory.shape(symbol.head)
    if shape is None:
        return
    fitting = [e for e in EXAMPLES if e.fits(said)]
    single = [(e,) for e in fitting if all(e.words.fullmatch(w) for w in said)]
    for row in (*single, *combinations(fitting, 2)):
        if all(any(e.words.fullmatch(w) for e in row) for w in said):
            parts = [tuple(e.supposed(symbol.head, shape)) for e in row]
            if all(parts):
                yield tuple(dict.fromkeys(h for part in parts for h in part))


def _is_square(shape: Sequence[Index]) -> bool:
    return len(shape) == 2 and shape[0] is shape[1]


def _matrix(*kinds: str) -> Callable[[str, Sequence[Index]], Iterator[Statement]]:
    def supposed(head: str, shape: Sequence[Index]) -> Iterator[Statement]:
        if len(shape) == 2:
            for kind in kinds:
                yield from of_matrix(kind, head, shape)

    return supposed


def _vector(kind: str) -> Callable[[str, Sequence[Index]], Iterator[Statement]]:
    def supposed(head: str, shape: Sequence[Index]) -> Iterator[Statement]:
        if len(shape) == 1:
            yield from of_vector(kind, head, ("i",), shape)

    return supposed


def _orthogonal(head: str, shape: Sequence[Index]) -> Iterator[Statement]:
    """Orthonormal columns and rows: which of them are meant of a matrix that is not square is not said."""
    if len(shape) == 2:
        found = (h for kind in ("orthonormal columns", "orthonormal rows") for h in of_matrix(kind, head, shape))
        yield from dict.fromkeys(found)


def _zeros_beside_diagonal(head: str, shape: Sequence[Index]) -> Iterator[Statement]:
    i, j = Index.var("i"), Index.var("j")
    inside = guard(*within("i", 0, shape[0]), *within("j", 0, shape[1]))
    yield Statement(Entry(head, (i, j)), "=", Bracket((equal(i, j),)) * Entry(head, (i, i)), ("i", "j"), inside)


def _positive_diagonal(head: str, shape: Sequence[Index]) -> Iterator[Statement]:
    """A square matrix with zeros beside its diagonal, and positive numbers on it."""
    if _is_square(shape):
        i = Index.var("i")
        yield from _zeros_beside_diagonal(head, shape)
        yield Statement(ZERO, "<", Entry(head, (i, i)), ("i",), guard(*within("i", 0, shape[0])))


def _invertible(head: str, shape: Sequence[Index]) -> Iterator[Statement]:
    """A square matrix with an inverse: an entry of that is what it is, which it is not where there is none."""
    if _is_square(shape):
        whole = Lambda(("a", "b"), Entry(head, (Index.var("a"), Index.var("b"))))
        corner = inverse(whole, shape[0], 0, 0)
        yield Statement(corner, "=", corner)


def _doubly_stochastic(head: str, shape: Sequence[Index]) -> Iterator[Statement]:
    if _is_square(shape):
        found = (h for kind in ("row-stochastic", "column-stochastic") for h in of_matrix(kind, head, shape))
        yield from dict.fromkeys(found)


def _positive(head: str, shape: Sequence[Index]) -> Iterator[Statement]:
    """Positive numbers; a matrix that is called positive may be a positive definite one."""
    if len(shape) < 2:
        yield of_sign("> 0", head, ("i",)[: len(shape)], shape)


def _zeros_and_ones(head: str, shape: Sequence[Index]) -> Iterator[Statement]:
    """A square matrix with zeros beside its diagonal, and zeros and ones on it: an orthogonal projection."""
    if _is_square(shape):
        entry = Entry(head, (Index.var("i"), Index.var("i")))
        yield from _zeros_beside_diagonal(head, shape)
        yield Statement(entry * entry, "=", entry, ("i",), guard(*within("i", 0, shape[0])))


def _one_hot(head: str, shape: Sequence[Index]) -> Iterator[Statement]:
    if len(shape) == 1:
        entry = Entry(head, (Index.var("i"),))
        yield Statement(entry * entry, "=", entry, ("i",), guard(*within("i", 0, shape[0])))
        yield Statement(sum_over("i", 0, shape[0], entry), "=", ONE)


EXAMPLES: tuple[Example, ...] = (
    Example(re.compile(r"symmetric"), _matrix("symmetric")),
    Example(re.compile(r"(?:zero|empty)[- ]diagonal"), _matrix("zero diagonal")),
    Example(re.compile(r"stochastic"), _doubly_stochastic),
    Example(
        re.compile(r"projection|idempotent|symmetric|diagonal"),
        _zeros_and_ones,
        among=re.compile(r"projection|idempotent"),
    ),
    Example(
        re.compile(r"orthogonal|orthonormal|unitary|invertible|inverse"), _orthogonal, among=re.compile(r"orth|unitary")
    ),
    Example(re.compile(r"invertible|inverse|non-?singular"), _invertible),
    Example(
        re.compile(
            r"positive[- ].*definite|non-?negative|symmetric|diagonal|triangular|invertible|inverse|non-?singular"
        ),
        _positive_diagonal,
    ),
    Example(re.compile(r"positive|non-?negative"), _positive),
    Example(re.compile(r"unit (?:vectors?|norm|length)"), _vector("unit vector")),
    Example(re.compile(r"stochastic|non-?negative"), _vector("distribution")),
    Example(re.compile(r"one-hot|basis vectors?|unit (?:vectors?|norm|length)"), _one_hot),
)
"""Examples of what words say, those that suppose least first."""
