"""Proofs of statements: normal forms, cleared denominators, case distinctions.

Every proposal is replayed by the kernel; what the kernel refuses is no proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from derivations.kernel.errors import KernelError, Refused
from derivations.kernel.linear import consistent
from derivations.kernel.obligation import assume, obligations
from derivations.kernel.proof import Have, Meet, Proof, Step
from derivations.kernel.replay import lemma_scope, replay, with_lemma
from derivations.kernel.scope import Scope, top_scope
from derivations.kernel.sign import unfold
from derivations.kernel.theorem import Theorem
from derivations.language.statement import Statement, Theory
from derivations.language.substitution import alpha_equal, rename_apart
from derivations.language.term import Apply, Entry, Index, Number, Pow, Term, TermError
from derivations.provers import choices, powers, symmetric_definitions
from derivations.provers.cancelling import written_below
from derivations.provers.change_of_index import block_widths
from derivations.provers.clearing import clear
from derivations.provers.combining import combined
from derivations.provers.comparisons import compare
from derivations.provers.contraction import turned_into
from derivations.provers.determinants import with_determinants
from derivations.provers.distinctions import candidates, split_by_sign, split_on
from derivations.provers.inductions import (
    at_all_lengths,
    generalised,
    having,
    induction,
    inductions,
    of_sums_of_powers,
    with_closed_forms,
    with_powers,
)
from derivations.provers.lowered_powers import by_lowered_powers
from derivations.provers.matrix_words import by_words
from derivations.provers.moments import with_moments
from derivations.provers.multiplied_sides import multiplied, with_exchange, with_symmetry
from derivations.provers.normal import Normaliser, OutOfWork
from derivations.provers.normal_sides import normal_side
from derivations.provers.not_found import NotFound
from derivations.provers.past_derivatives import with_past_derivatives
from derivations.provers.peeling import cut_as, peeled, reflected
from derivations.provers.recurrence import lengths_of_recursions, recursive_symbols
from derivations.provers.refute import differs, has_inverse
from derivations.provers.small_inverses import with_entries
from derivations.provers.termwise import termwise
from derivations.provers.trace import Trace
from derivations.provers.weights import bounds, known_weights
from derivations.provers.words_of_matrices import NoWords

WORDS_WORK = 60_000
"""Counted work of a search among words of matrices: most of it is spent where a proof was found, to tell it."""
FOLDED_WORK = 2_000
"""Counted work of an attempt that leaves definitions folded."""
MAX_SPLITS = 3
"""Depth of nested case distinctions."""
MAX_SIGNS = 5
"""Depth of nested case distinctions on values."""


def find_proof(statement: Statement, theory: Theory, work: int = 200_000) -> Theorem:
    """A theorem for the statement; raises `NotFound`, or `Refused` for a statement without meaning."""
    scope = top_scope(theory, statement)
    scope = assume(scope, obligations(statement, scope))
    widths = block_widths(u for side in (statement.left, statement.right) for u in theory.reached(side))
    short = _folded(statement, theory, scope, widths, min(work, FOLDED_WORK))
    is_of_words = False
    if short is None and statement.relation == "=" and has_inverse(statement, theory):
        short, is_of_words = _of_words(statement, theory, scope, widths)
    if short is not None:
        return short
    work = work // 4 if is_of_words else work
    normaliser = Normaliser(theory, work, widths=widths)
    sides = statement.left, statement.right
    try:
        try:
            proof = Search(normaliser, statement).prove(*sides, scope, MAX_SPLITS)
        except NotFound:
            whatever = _whatever_bases_are(statement, theory, scope, min(normaliser.work, work // 4))
            whatever = whatever or _of_weights(statement, theory, scope, widths, min(normaliser.work, work // 4))
            if whatever is not None:
                return whatever
            chosen = choices.occur(theory, sides)
            more = chosen or normaliser.radicands or normaliser.met != normaliser.written_out
            if not more or differs(statement, theory):
                raise
            again = Normaliser(theory, min(normaliser.work, work // 4), widths=widths)
            again.choices, again.radicands = chosen, normaliser.radicands  # what was seen late is known from the start
            again.written_out = normaliser.met
            proof = Search(again, statement).prove(*sides, scope, MAX_SPLITS)
    except OutOfWork:
        raise NotFound("the search ended: its counted work is used up", is_spent=True) from None
    except TermError as error:
        raise NotFound(f"the search ended: {error}") from None
    try:
        return replay(theory, statement, proof)
    except KernelError as refusal:
        raise NotFound(f"the kernel refused the proof that was found: {refusal}") from refusal


def _folded(statement: Statement, theory: Theory, scope: Scope, widths: frozenset[Index], work: int) -> Theorem | None:
    """A theorem that unfolds few definitions, the shorter proof: those that one side alone names, those that no other
    name in the statement rests on, or those of all names in it, and never what is behind these.  Where some are recursive,
    those that only one side rests on, whatever the others are."""
    sides = statement.left, statement.right
    behind = [frozenset(u.name for u in theory.reached(side) if isinstance(u, Entry)) for side in sides]
    defined = (behind[0] | behind[1]) & theory.definitions.keys()
    left, right = (side.heads & defined for side in sides)
    named = left | right
    bodies = [d.body for name in named for d in theory.definitions[name]]
    below = frozenset(u.name for body in bodies for u in theory.reached(body) if isinstance(u, Entry))
    recursive = frozenset(filter(theory.recursive, defined))
    of_one_side = (behind[0] ^ behind[1]) & defined
    for opened in (of_one_side,) if recursive else dict.fromkeys((left ^ right, named - below, named)):
        if opened == defined or not opened or opened & recursive:
            continue
        normaliser = Normaliser(theory, work, widths=widths, folded=defined - opened)
        search = Search(normaliser, statement)
        try:
            if statement.relation != "=":
                return replay(theory, statement, compare(search, *sides, scope, 0))
            first, one = normal_side(normaliser, sides[0], scope)
            second, two = normal_side(normaliser, sides[1], scope)
            if alpha_equal(first, second):
                return replay(theory, statement, Meet(one.chain(), two.chain()))
        except (NotFound, OutOfWork, TermError, KernelError):
            pass
    return None


def _of_words(
    statement: Statement, theory: Theory, scope: Scope, widths: frozenset[Index]
) -> tuple[Theorem | None, bool]:
    """A theorem about products of matrices and inverses, found among words.

    First the matrices that have no inverse in them keep their names, of which it is used what they are made of and that they
    are symmetric; then everything is unfolded.  With it whether both sides are made of words alone, and no inverse is of a matrix
    of a known size: then hardly anything else finds a proof.
    """
    is_of_words = False
    sides = statement.left, statement.right

    def prove(said: Statement, there: Scope) -> Proof:
        try:
            return Search(Normaliser(theory, FOLDED_WORK, widths=widths), said).direct(said.left, said.right, there, 0)
        except OutOfWork:
            raise NotFound("the counted work of a lemma is used up") from None

    entries = [t for side in sides for t in theory.reached(side) if isinstance(t, Entry)]
    matrices = {n for n in {t.name for t in entries} & theory.definitions.keys() if len(theory.shape(n) or ()) == 2}
    kept = frozenset(n for n in matrices if not any(u.is_inverse for u in _under(n, theory)))
    for folded in dict.fromkeys((kept, frozenset[str]())):
        try:
            lemmas = [s for s in symmetric_definitions.symmetries(sides, theory) if s.left.heads & folded]
            found, inside = symmetric_definitions.shown(lemmas, scope, prove) if lemmas else ([], scope)
            normaliser = Normaliser(theory, WORDS_WORK, widths=widths, folded=folded)
            proof = by_words(*sides, inside, normaliser)
            if proof is not None:
                return replay(theory, statement, having(found, proof) if found else proof), True
            is_of_words = not any(t.is_inverse and t.sizes[0].is_constant for t in entries)
        except (NoWords, NotFound, OutOfWork, TermError, KernelError):
            continue
    return None, is_of_words


def _under(name: str, theory: Theory) -> Iterator[Entry]:
    """The entries that the definitions of a name rest on."""
    bodies = (d.body for d in theory.definitions[name])
    return (u for body in bodies for u in theory.reached(body) if isinstance(u, Entry) and u.name != name)


def _whatever_bases_are(statement: Statement, theory: Theory, scope: Scope, work: int) -> Theorem | None:
    """A theorem that holds whatever the bases of powers stand for: `sum(i < t; f^i)` where f is the value of a function."""
    sides = statement.left, statement.right
    bases = frozenset(h for side in sides for heads in powers.symbolic_bases(side) for h in heads)
    folded = frozenset(h for h in bases & theory.definitions.keys() if not theory.recursive(h))
    if not folded:
        return None
    try:
        search = Search(Normaliser(theory, work, folded=folded), statement)
        return replay(theory, statement, search.prove(*sides, scope, 0))
    except (NotFound, OutOfWork, TermError, KernelError):
        return None


def _of_weights(
    statement: Statement, theory: Theory, scope: Scope, widths: frozenset[Index], work: int
) -> Theorem | None:
    """A theorem about an order that holds of any weights that sum to one, where those of the statement are such weights."""
    if statement.relation not in ("<", "<="):
        return None
    try:
        shown = known_weights(Search(Normaliser(theory, work, widths=widths), statement), scope)
        inside = reduce(lambda there, lemma: with_lemma(lemma[0], there), shown, scope)
        folded = frozenset(said.right.name for said, _ in shown if isinstance(said.right, Entry))
        search = Search(Normaliser(theory, work, widths=widths, folded=folded), statement)
        bounded = bounds(search, inside)
        if not shown and not bounded:
            return None
        inside = reduce(lambda there, lemma: with_lemma(lemma[0], there), bounded, inside)
        proof = search.direct(statement.left, statement.right, inside, 0)
        return replay(theory, statement, having((*shown, *bounded), proof))
    except (NotFound, OutOfWork, TermError, KernelError):
        return None


class Search:
    """The search for one proof: the statement, and what is under way."""

    def __init__(self, normaliser: Normaliser, statement: Statement) -> None:
        self.normaliser, self.statement = normaliser, statement
        normaliser.written_below = tuple(dict.fromkeys(written_below(statement)))
        self.relation = statement.relation
        self.inducting = False
        self.raising = False
        self.squared = 0
        self.summed = 0
        self.signs = MAX_SIGNS if normaliser.choices else 0

    def for_lemma(self, lemma: Statement) -> Search:
        """The search for a proof of a lemma by induction, inside of which no other induction is tried."""
        made = Search(self.normaliser, lemma)
        made.inducting, made.summed, made.squared = True, self.summed, self.squared
        return made

    def prove(self, left: Term, right: Term, scope: Scope, splits: int) -> Proof:
        """A proof by normal forms, clearing and case distinctions; where the statement uses recursion, by induction."""
        if not consistent(scope.facts):
            return Meet((), ())
        if not self.inducting and recursive_symbols(scope.theory, [left, right]):
            try:
                return self.direct(left, right, scope, 0)
            except NotFound:
                pass
            for var, start in inductions(left, right, scope):
                self.inducting = True
                try:
                    return induction(self, var, start, left, right, scope, splits)
                except (NotFound, Refused):
                    continue
                finally:
                    self.inducting = False
            for maxima in (False, True):
                by_lemmas = with_closed_forms(self, left, right, scope, splits, maxima)
                if by_lemmas is not None:
                    return by_lemmas
            for attempt in (with_past_derivatives, with_powers, with_moments, generalised):
                found = attempt(self, left, right, scope, splits)
                if found is not None:
                    return found
            found = self.of_what_is_named(left, right, scope, splits)
            if found is not None:
                return found
            found = at_all_lengths(self, left, right, scope, lengths_of_recursions(left, right, scope))
            if found is not None:
                return found
        try:
            return self.direct(left, right, scope, splits)
        except NotFound:
            found = multiplied(self, left, right, scope) or with_symmetry(self, left, right, scope)
            found = found or with_exchange(self, left, right, scope) or with_entries(self, left, right, scope)
            found = found or self.of_one_function(left, right, scope) or of_sums_of_powers(self, left, right, scope)
            found = found or termwise(self, left, right, scope) or with_determinants(self, left, right, scope)
            if found is None:
                raise
            return found

    def of_what_is_named(self, left: Term, right: Term, scope: Scope, splits: int) -> Proof | None:
        """A proof of an order from a lemma about the recursive symbol that a name stands for, `P_t = p_{t+1}`: what holds of
        the step before is known of the symbol then."""
        first, second = _opened(left, scope)[0], _opened(right, scope)[0]
        if self.inducting or self.relation not in ("<", "<=") or (first is left and second is right):
            return None
        said = Statement(first, self.relation, second, scope.variables, scope.facts)
        try:
            why = Search(self.normaliser, said).prove(first, second, lemma_scope(said, scope), splits)
            return having([(said, why)], self.direct(left, right, with_lemma(said, scope), 0))
        except (NotFound, Refused):
            return None

    def of_one_function(self, left: Term, right: Term, scope: Scope) -> Proof | None:
        """A proof that two roots or two values of a function are equal, from a lemma that what is inside is equal."""
        if self.relation != "=":
            return None
        (first, one), (second, two) = (_opened(t, scope) for t in (left, right))
        if not _of_one_function(first, second):
            return None
        a, b = first.children[0], second.children[0]
        said = Statement(a, "=", b, scope.variables, scope.facts)
        try:
            why = self.direct(a, b, lemma_scope(said, scope), 0)
        except (NotFound, Refused):
            return None
        at = {v: Index.var(v) for v in scope.variables}
        used = Step("hypothesis", (0,), a, b, {"number": len(scope.hypotheses), "at": at})
        return Have(said, why, Meet((*one.chain(), used), two.chain()))

    def direct(self, left: Term, right: Term, scope: Scope, splits: int) -> Proof:
        if self.relation in ("<", "<=", "!="):
            return compare(self, left, right, scope, splits)
        first, first_trace = normal_side(self.normaliser, left, scope)
        second, second_trace = normal_side(self.normaliser, right, scope)
        if alpha_equal(first, second):
            return Meet(first_trace.chain(), second_trace.chain())
        by_equations = combined(first, second, scope) if scope.hypotheses else None
        if by_equations is not None:
            return Meet((*first_trace.chain(), *by_equations.chain()), second_trace.chain())
        turned = turned_into(first, second, scope, self.normaliser) if scope.hypotheses else None
        if turned is not None:
            return Meet((*first_trace.chain(), *turned.chain()), second_trace.chain())
        cleared = clear(self.normaliser, first, second, first_trace, second_trace, scope)
        if cleared is not None:
            return cleared
        for one, two in self.peeled(first, second, scope):
            return Meet((*first_trace.chain(), *one.chain()), (*second_trace.chain(), *two.chain()))
        lowered = by_lowered_powers(first, second, scope, self.normaliser) if self.normaliser.symbolic_powers else None
        if lowered is not None:
            return Meet((*first_trace.chain(), *lowered[0].chain()), (*second_trace.chain(), *lowered[1].chain()))
        by_sign = split_by_sign(self, left, right, (first, second), scope, splits)
        if by_sign is not None:
            return by_sign
        if splits:
            for on in candidates(first, second, left, right, scope):
                split = split_on(self, left, right, scope, on, splits)
                if split is not None:
                    return split
        raise NotFound("the two sides have different normal forms", replace(self.statement, left=first, right=second))

    def peeled(self, first: Term, second: Term, scope: Scope) -> Iterator[tuple[Trace, Trace]]:
        """Steps that make two normal forms equal when the first value is taken out of a sum in one of them, or when
        one of its sums is taken from the other end."""
        if not recursive_symbols(scope.theory, [first, second]):
            return
        for change in (peeled, reflected):
            for result, trace in change(first, scope, self.normaliser):
                if alpha_equal(result, second):
                    yield trace, Trace()
            for result, trace in change(second, scope, self.normaliser):
                if alpha_equal(first, result):
                    yield Trace(), trace
        if self.inducting:
            for result, trace in cut_as(second, first, scope, self.normaliser):
                if alpha_equal(first, result):
                    yield Trace(), trace


def _opened(term: Term, scope: Scope) -> tuple[Term, Trace]:
    """A term with the definitions of its head unfolded, so that the function or power that it is can be seen."""
    trace = Trace()
    term = trace.step("alpha", term, rename_apart(term, scope.variables))
    while isinstance(term, Entry) and (body := unfold(term, scope)) is not None:
        term = trace.step("unfold", term, rename_apart(body, scope.variables))
    return term, trace


def _of_one_function(first: Term, second: Term) -> bool:
    """Whether two terms are the same root, or values of the same function."""
    if isinstance(first, Pow) and isinstance(second, Pow) and isinstance(first.exponent, Number):
        return first.exponent.value.q != 1 and first.exponent is second.exponent
    return isinstance(first, Apply) and isinstance(second, Apply) and first.function == second.function
