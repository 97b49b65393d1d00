"""Equations between products of matrices and inverses: a proof is found among words, and told to the kernel in sums.

What is known of the letters are equations of words: `M W = I` and `W M = I` where W is the inverse of M, `Q' Q = I` and
`A' = A` where the hypotheses say so, and what a matrix that keeps its name is defined as.  They are completed; a difference
of two sides that is reduced to nothing is a sum of known equations, and this sum is the proof.  It finds Woodbury's identity,
and moves factors through inverses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from derivations.kernel.linear import consistent
from derivations.kernel.proof import Meet, Proof, Step
from derivations.kernel.scope import Path, Scope, put
from derivations.kernel.sign import unfold
from derivations.language.statement import Statement
from derivations.language.substitution import bound_variables, fresh, rename_apart, substitute
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
from derivations.provers.completed_words import MAX_USES, Completion, Use
from derivations.provers.contraction import known_invertible, multiplied, of_invertible
from derivations.provers.normal import Normaliser
from derivations.provers.trace import Trace, reverse
from derivations.provers.words_of_matrices import Letters, NoWords, Polynomial, add_to, add_word


@dataclass(frozen=True)
class Known:
    """An equation of two entries for all x and y: what it says of words, and how the kernel is told."""

    difference: Polynomial
    sides: Callable[[Index, Index, frozenset[str]], tuple[Term, Term]]
    rule: str
    args: Callable[[Index, Index, Scope], dict[str, Any] | None]


def by_words(left: Term, right: Term, scope: Scope, normaliser: Normaliser) -> Proof | None:
    """A proof that two terms are equal, by equations of words.

    None where these do not make them equal; raises `NoWords` where a term is no word, or the search had to stop.
    """
    sides = []
    for term in (left, right):
        trace = Trace()
        opened = trace.step("alpha", term, rename_apart(term, scope.variables))
        normal, steps = normaliser.start(opened, scope)
        trace.then(steps)
        sides.append((normal, trace))
    (first, one), (second, two) = sides
    equations = _Equations(scope, normaliser)
    goal = equations.letters.polynomial(first)
    for m, k in equations.letters.polynomial(second).items():
        add_to(goal, m, -k)
    equations.collect()
    uses = Completion(equations.letters, [k.difference for k in equations.known]).prove(goal)
    if uses is None:
        return None
    steps_to = equations.told(first, second, uses) if len(uses) <= MAX_USES else None
    if steps_to is None:
        raise NoWords
    return Meet((*one.chain(), *steps_to.chain()), two.chain())


class _Equations:
    """What is known of the letters of two sides, as equations of words and of entries."""

    def __init__(self, scope: Scope, normaliser: Normaliser) -> None:
        self.scope, self.normaliser, self.letters = scope, normaliser, Letters(scope)
        self.known: list[Known] = []

    def collect(self) -> None:
        """Take what hypotheses, inverses and definitions say of the letters that are met, and of those that come up in it."""
        for k, h in enumerate(self.scope.hypotheses):
            if h.relation == "=" and len(h.indices) == 2:
                self._take(self._of_hypothesis(k, h))
        done = 0
        while done < len(self.letters.entries):  # an inverse may have another one in its matrix
            letter = self.letters.entries[done]
            done += 1
            if letter.is_inverse:
                for right in (True, False):
                    self._take(self._of_inverse(letter, right))
            elif letter.name in self.normaliser.folded and len(letter.indices) == 2:
                self._take(self._of_definition(letter))

    def _take(self, known: Known | None) -> None:
        """A known equation, and what it says of transposed products."""
        if known is None:
            return
        turned = {self.letters.reversed(w): c for w, c in known.difference.items()}
        self.known += (
            known,
            Known(
                turned,
                lambda x, y, avoid: known.sides(y, x, avoid),
                known.rule,
                lambda x, y, here: known.args(y, x, here),
            ),
        )

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
        lengths = self.letters.lengths(self.letters.letter(corner))

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
                for (scalars, chains), k in self.letters.polynomial(normal).items():
                    between = [c for c in chains if {c.left, c.right} == {x, y}]
                    if len(between) != 1 or any(
                        e is x or e is y for c in chains for e in (c.left, c.right) if c not in between
                    ):
                        return None
                    (c,) = between
                    word = c.word if c.left is x else self.letters.reversed(c.word)
                    others = tuple(o for o in chains if o is not c)
                    add_word(total, word, {(scalars, others): k * factor})
        except NoWords:
            return None
        return Known(total, sides, rule, args) if total else None

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
        letters, known = self.letters, self.known[use.known]
        taken = set(self.scope.variables) | {v for c in (use.left, use.right) if c is not None for v in c.free}
        taken |= {v for t in (*letters.entries, *letters.numbers) for v in _bound(t)}
        factors: list[Term] = [Number(number)]
        for k, power in use.monomial[0]:
            factors.append(letters.numbers[k] if power == 1 else Pow(letters.numbers[k], Number(power)))
        factors += [letters.term(c, taken) for c in use.monomial[1]]
        binders: list[tuple[str, Index]] = []
        before, after = (
            ((), use.after + use.before) if use.closed else (use.before, use.after)
        )  # a trace begins anywhere
        x = letters.along(before, use.left, True, factors, binders, taken)
        if use.closed:
            name = fresh("c", taken)
            taken.add(name)
            around = after or next(w for w in known.difference if w)
            binders.append((name, letters.lengths(around[-1])[-1]))
            x = Index.var(name)
        y = letters.along(after, x if use.closed else use.right, False, factors, binders, taken)
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
