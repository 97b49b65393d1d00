"""Proofs of statements: normal forms, cleared denominators, case distinctions.

Every proposal is replayed by the kernel; what the kernel refuses is no proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from derivations.kernel.definition import descent, instance
from derivations.kernel.errors import KernelError, Refused
from derivations.kernel.finiteness import finite
from derivations.kernel.linear import consistent, entails, equal_indices, project
from derivations.kernel.numbers import certain
from derivations.kernel.obligation import assume, obligations
from derivations.kernel.proof import (
    Chain,
    Clear,
    Compute,
    Have,
    Induct,
    Meet,
    Proof,
    Raise,
    Sign,
    SignSplit,
    Split,
    Step,
)
from derivations.kernel.replay import inductive_step, lemma_scope, replay, with_lemma
from derivations.kernel.scope import Scope, top_scope
from derivations.kernel.sign import integral, nonnegative, nonzero, positive, unfold
from derivations.kernel.theorem import Theorem
from derivations.language.term import (
    ONE,
    ZERO,
    Add,
    Apply,
    Bracket,
    Case,
    Constraint,
    Entry,
    Index,
    Max,
    Mul,
    Number,
    Pow,
    Statement,
    Sum,
    Term,
    TermError,
    Theory,
    alpha_equal,
    at_least,
    canonical,
    equal,
    guard,
    rename_apart,
    substitute,
    subterms,
)
from derivations.provers import choices
from derivations.provers.combining import combined
from derivations.provers.contraction import rewrite, symmetry
from derivations.provers.fractions import denominators, distribute, factors, monomials
from derivations.provers.hypotheses import use, use_normal
from derivations.provers.joining import cut_longer
from derivations.provers.matrix_powers import closed_form as vector_form
from derivations.provers.matrix_powers import lemmas as powers
from derivations.provers.multiplying import MAX_MULTIPLIED, Multiplier, cancelled, multipliers
from derivations.provers.multiplying import lemma as times
from derivations.provers.normal import Normaliser, OutOfWork, block_widths
from derivations.provers.order import Test, find_form
from derivations.provers.peeling import cut_as, peeled, reflected, turned
from derivations.provers.recurrence import (
    closed_form,
    for_all_lengths,
    general_statements,
    lengths_of_recursions,
    recursive_symbols,
)
from derivations.provers.refute import differs
from derivations.provers.trace import Trace, reverse

FOLDED_WORK = 2_000
"""Counted work of an attempt that leaves definitions folded."""
MAX_ROUNDS = 4
"""Rounds of using hypotheses and normalising."""
MAX_PRODUCTS = 8
"""Most products of both sides with matrices that are multiplied again."""
MAX_INDUCTIONS = 2
"""Products that are shown by induction."""
MAX_SPLITS = 3
"""Depth of nested case distinctions."""
MAX_SIGNS = 5
"""Depth of nested case distinctions on values."""


class NotFound(Exception):
    """No proof was found; `reason` says how the search ended and `residue` what was left to show."""

    def __init__(self, reason: str, residue: Statement | None = None) -> None:
        self.reason, self.residue = reason, residue
        super().__init__(reason)


def find_proof(statement: Statement, theory: Theory, work: int = 200_000) -> Theorem:
    """A theorem for the statement; raises `NotFound`, or `Refused` for a statement without meaning."""
    scope = top_scope(theory, statement)
    scope = assume(scope, obligations(statement, scope))
    widths = block_widths(u for side in (statement.left, statement.right) for u in theory.reached(side))
    short = _folded(statement, theory, scope, widths, min(work, FOLDED_WORK))
    if short is not None:
        return short
    normaliser = Normaliser(theory, work, widths=widths)
    sides = statement.left, statement.right
    try:
        try:
            proof = _Search(normaliser, statement).prove(*sides, scope, MAX_SPLITS)
        except NotFound:
            chosen = choices.occur(theory, sides)
            if not (chosen or normaliser.radicands) or differs(statement, theory):
                raise
            again = Normaliser(theory, min(normaliser.work, work // 4), widths=widths)
            again.choices, again.radicands = chosen, normaliser.radicands  # what was seen late is known from the start
            proof = _Search(again, statement).prove(*sides, scope, MAX_SPLITS)
    except OutOfWork:
        raise NotFound("the search ended: its counted work is used up") from None
    except TermError as error:
        raise NotFound(f"the search ended: {error}") from None
    try:
        return replay(theory, statement, proof)
    except KernelError as refusal:
        raise NotFound(f"the kernel refused the proof that was found: {refusal}") from refusal


def _folded(statement: Statement, theory: Theory, scope: Scope, widths: frozenset[Index], work: int) -> Theorem | None:
    """A theorem that unfolds few definitions, the shorter proof: those that one side alone names, those that no other
    name in the statement rests on, or those of all names in it, and never what is behind these."""
    sides = statement.left, statement.right
    reached = frozenset(u.name for side in sides for u in theory.reached(side) if isinstance(u, Entry))
    defined = reached & theory.definitions.keys()
    if any(map(theory.recursive, defined)):
        return None
    left, right = (side.heads & defined for side in sides)
    named = left | right
    bodies = [d.body for name in named for d in theory.definitions[name]]
    below = frozenset(u.name for body in bodies for u in theory.reached(body) if isinstance(u, Entry))
    for opened in dict.fromkeys((left ^ right, named - below, named)):
        if opened == defined or not opened:
            continue
        normaliser = Normaliser(theory, work, widths=widths, folded=defined - opened)
        search = _Search(normaliser, statement)
        try:
            if statement.relation != "=":
                return replay(theory, statement, search.order(*sides, scope, 0))
            first, one = search.side(sides[0], scope)
            second, two = search.side(sides[1], scope)
            if alpha_equal(first, second):
                return replay(theory, statement, Meet(one.chain(), two.chain()))
        except (NotFound, OutOfWork, TermError, KernelError):
            pass
    return None


Product = tuple[Multiplier, Term, Term, Scope, Statement]
"""A matrix, the two sides that it multiplies, their scope, and what is said of the products."""


class _Search:
    def __init__(self, normaliser: Normaliser, statement: Statement) -> None:
        self.normaliser, self.statement = normaliser, statement
        self.relation = statement.relation
        self.inducting = False
        self.raising = False
        self.signs = MAX_SIGNS if normaliser.choices else 0

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
                    return self.induction(var, start, left, right, scope, splits)
                except (NotFound, Refused):
                    continue
                finally:
                    self.inducting = False
            for maxima in (False, True):
                by_lemmas = self.with_closed_forms(left, right, scope, splits, maxima)
                if by_lemmas is not None:
                    return by_lemmas
            for attempt in (self.with_powers, self.generalised):
                found = attempt(left, right, scope, splits)
                if found is not None:
                    return found
            found = self.at_all_lengths(left, right, scope, lengths_of_recursions(left, right, scope))
            if found is not None:
                return found
        try:
            return self.direct(left, right, scope, splits)
        except NotFound:
            found = self.multiplied(left, right, scope) or self.with_symmetry(left, right, scope)
            found = found or self.of_one_function(left, right, scope) or self.of_sums_of_powers(left, right, scope)
            if found is None:
                raise
            return found

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

    def with_symmetry(self, left: Term, right: Term, scope: Scope) -> Proof | None:
        """A proof from lemmas that the inverses of symmetric matrices are symmetric."""
        if self.relation != "=" or not any(isinstance(t, Entry) and t.is_inverse for t in _reached(left, right, scope)):
            return None
        shown: list[tuple[Statement, Proof]] = []
        inside = scope
        for o in scope.assumed:
            said = symmetry(o.subject, scope, self.normaliser) if o.kind == "invertible" else None
            try:
                there = None if said is None else lemma_scope(said, inside)
            except Refused:
                continue
            why = None if said is None or there is None else self.multiplied(said.left, said.right, there)
            if said is not None and why is not None:
                shown.append((said, why))
                inside = with_lemma(said, inside)
        if not shown:
            return None
        try:
            return _having(shown, self.direct(left, right, inside, 0))
        except NotFound:
            proof = self.multiplied(left, right, inside)
            return None if proof is None else _having(shown, proof)

    def multiplied(self, left: Term, right: Term, scope: Scope) -> Proof | None:
        """A proof from both sides times a matrix whose inverse occurs; products are tried first, then their products."""
        if self.relation != "=" or not any(isinstance(t, Entry) and t.is_inverse for t in _reached(left, right, scope)):
            return None
        pending: list[tuple[Term, Term, Scope, tuple[Product, ...]]] = [(left, right, scope, ())]
        tried: set[tuple[Term, Term]] = set()
        for one, other, here, so_far in pending:
            first, second = (self.side(t, here)[0] for t in (one, other))
            for m in multipliers(first, second, here):
                said = times(m, one, other, here)
                try:
                    there = lemma_scope(said, here)
                except Refused:
                    continue
                ends = canonical(self.side(said.left, there)[0]), canonical(self.side(said.right, there)[0])
                if ends in tried:
                    continue
                tried.add(ends)
                steps = (*so_far, (m, one, other, here, said))
                try:
                    why = self.direct(said.left, said.right, there, 0)
                except NotFound:
                    if len(steps) < MAX_MULTIPLIED and len(pending) < MAX_PRODUCTS:
                        pending.append((said.left, said.right, there, steps))
                    continue
                return self.divided(steps, why)
        if not recursive_symbols(scope.theory, [left, right]):
            return None
        for one, other, here, so_far in pending[1 : 1 + MAX_INDUCTIONS]:
            shown = self.with_powers(one, other, here, 0)
            if shown is not None:
                return self.divided(so_far, shown)
        return None

    def divided(self, steps: Sequence[Product], why: Proof) -> Proof | None:
        """From a proof about a product back to what was multiplied."""
        for m, left, right, scope, said in reversed(steps):
            rest = cancelled(m, left, right, with_lemma(said, scope), self.normaliser)
            if rest is None:
                return None
            why = Have(said, why, rest)
        return why

    def with_closed_forms(
        self, left: Term, right: Term, scope: Scope, splits: int, maxima: bool = False
    ) -> Proof | None:
        """Recursive symbols put in closed form first, each form a lemma that is shown by induction; running maxima stay
        as they are unless `maxima`, because what is relative to them needs no more."""
        self.inducting = True
        try:
            lemmas, inside = self.closed_forms(left, right, scope, maxima)
            if not lemmas or (maxima and not any(isinstance(lemma.right, Max) for lemma, _ in lemmas)):
                return None
            proof = self.with_lemmas(left, right, inside, splits)
        except (NotFound, Refused):
            return None
        finally:
            self.inducting = False
        return _having(lemmas, proof)

    def closed_forms(
        self, left: Term, right: Term, scope: Scope, maxima: bool = False, but: str = ""
    ) -> tuple[list[tuple[Statement, Proof]], Scope]:
        """Lemmas for the recursive symbols under two terms, all `but` one, and the scope that has them."""
        lemmas: list[tuple[Statement, Proof]] = []
        sizes = guard(*(c for c in scope.facts if not c.free))
        for name in recursive_symbols(scope.theory, [left, right]):
            known = tuple(s for s, _ in lemmas)
            lemma = None if name == but else closed_form(name, scope.theory, self.normaliser, known, sizes)
            if lemma is None and name != but:
                lemma = vector_form(name, scope.theory, self.normaliser)
            if lemma is not None and isinstance(lemma.right, Max) and not maxima:
                continue
            if lemma is None or (alpha_equal(lemma.left, left) and alpha_equal(lemma.right, right)):
                continue
            there = lemma_scope(lemma, scope)
            place = descent(scope.theory.definitions[name])
            index = lemma.left.indices[place[0]]  # type: ignore[attr-defined, index]
            starts = [i for v, i in inductions(lemma.left, lemma.right, there) if Index.var(v) is index]
            for start in starts[:1]:
                search = _Search(self.normaliser, lemma)
                search.inducting = True
                why = search.induction(min(index.free), start, lemma.left, lemma.right, there, 1)
                lemmas.append((lemma, why))
                scope = with_lemma(lemma, scope)
        return lemmas, scope

    def with_powers(self, left: Term, right: Term, scope: Scope, splits: int) -> Proof | None:
        """A proof from what is known of the powers of matrices."""
        shown: list[tuple[Statement, Proof]] = []
        inside = scope
        self.inducting = True
        try:
            for said, var in powers(recursive_symbols(scope.theory, [left, right]), scope.theory):
                search = _Search(self.normaliser, said)
                search.inducting = True
                try:
                    there = lemma_scope(said, inside)
                    why = search.induction(var, Index(), said.left, said.right, there, 0)
                except (NotFound, Refused):
                    continue
                shown.append((said, why))
                inside = with_lemma(said, inside)
            return _having(shown, self.by_induction(left, right, inside, splits)) if shown else None
        except (NotFound, Refused):
            return None
        finally:
            self.inducting = False

    def of_sums_of_powers(self, left: Term, right: Term, scope: Scope) -> Proof | None:
        """A claim about a sum of powers, `\\sum_{i<t} b^{t-1-i}`, by induction over what it ends at."""
        ends = () if self.inducting or self.relation != "=" else ends_of_sums_of_powers(left, right)
        one, two = Trace(), Trace()
        sides = (turned(left, one), turned(right, two)) if ends else (left, right)
        if sides != (left, right):
            said = Statement(sides[0], "=", sides[1], scope.variables, scope.facts)
            try:
                why = self.prove(*sides, lemma_scope(said, scope), 0)
            except (NotFound, Refused):
                return None
            at = {v: Index.var(v) for v in scope.variables}
            used = Step("hypothesis", (), *sides, {"number": len(scope.hypotheses), "at": at})
            return Have(said, why, Meet((*one.chain(), used), two.chain()))
        loose = (v for v in scope.variables if any(v in end.free for end in ends))
        for var, start in ((v, start) for v in loose for start in _starts(v, scope)):
            self.inducting = True
            try:
                return self.induction(var, start, left, right, scope, 0)
            except (NotFound, Refused):
                continue
            finally:
                self.inducting = False
        names = dict.fromkeys(name for end in ends for name in sorted(end.sizes))
        return self.at_all_lengths(left, right, scope, names) if names else None

    def by_induction(self, left: Term, right: Term, scope: Scope, splits: int) -> Proof:
        """A direct proof, or one by induction over any index."""
        try:
            return self.direct(left, right, scope, 0)
        except NotFound as end:
            for var, start in inductions(left, right, scope):
                try:
                    return self.induction(var, start, left, right, scope, splits)
                except (NotFound, Refused):
                    continue
            raise end

    def generalised(self, left: Term, right: Term, scope: Scope, splits: int) -> Proof | None:
        """A claim about the last value of a recursive symbol, shown for all values: `M[n] = f(n)` from `M[t] = f(t)`."""
        if self.relation != "=":
            return None
        for lemma, var, name in general_statements(left, right, scope):
            self.inducting = True
            try:
                lemmas, inside = self.closed_forms(left, right, scope, but=name)
                there = lemma_scope(lemma, inside)
                search = _Search(self.normaliser, lemma)
                search.inducting = True
                start = next(i for v, i in inductions(lemma.left, lemma.right, there) if v == var)
                why = search.induction(var, start, lemma.left, lemma.right, there, 1)
                proof = self.direct(left, right, with_lemma(lemma, inside), splits)
            except (NotFound, Refused, StopIteration):
                continue
            finally:
                self.inducting = False
            return _having([*lemmas, (lemma, why)], proof)
        return None

    def at_all_lengths(self, left: Term, right: Term, scope: Scope, names: Iterable[str]) -> Proof | None:
        """A claim about a size, one of these, shown for all numbers up to it."""
        if self.relation != "=":
            return None
        for said, var, last in for_all_lengths(left, right, scope, names):
            self.inducting = True
            try:
                there = lemma_scope(said, scope)
                why = self.induction(var, Index(), said.left, said.right, there, 0)
            except (NotFound, Refused):
                continue
            finally:
                self.inducting = False
            at = {v: last if v == var else Index.var(v) for v in said.indices}
            used = Step("hypothesis", (), left, right, {"number": len(scope.hypotheses), "at": at})
            return Have(said, why, Meet((used,), ()))
        return None

    def with_lemmas(self, left: Term, right: Term, scope: Scope, splits: int) -> Proof:
        """A direct proof, or an induction, in a scope whose last hypotheses are lemmas."""
        for var, start in inductions(left, right, scope):
            try:
                return self.direct(left, right, scope, 0)
            except NotFound:
                return self.induction(var, start, left, right, scope, splits)
        return self.direct(left, right, scope, splits)

    def induction(self, var: str, start: Index, left: Term, right: Term, scope: Scope, splits: int) -> Proof:
        """`var = start`, then the step from the place below."""
        above = inductive_step(var, start, left, self.relation, right, scope)
        base = self.prove(left, right, scope.given((equal(Index.var(var), start),)), splits)
        try:
            return Induct(var, start, base, self.prove(left, right, above, splits))
        except NotFound:
            step = self.by_difference(left, right, above, len(scope.hypotheses))
            if step is None:
                raise
            return Induct(var, start, base, step)

    def by_difference(self, left: Term, right: Term, scope: Scope, number: int) -> Proof | None:
        """The step of an induction from `left - left below + right below`, where the left side is a sum."""
        if self.relation != "=" or len(scope.hypotheses) <= number or isinstance(left, Entry):
            return None
        below = scope.hypotheses[number]
        trace, inner = Trace(), Trace()
        start = Add((below.left, Add((left, Mul((Number(-1), below.left))))))
        if rename_apart(start, scope.variables) is not start or below.indices:
            return None
        trace.step("ring", left, start)
        inner.step("hypothesis", below.left, below.right, number=number, at={})
        trace.below(0, inner)
        first = start.with_children([below.right, start.args[1]])
        second, other = self.side(right, scope)
        for _ in range(MAX_ROUNDS):  # sums that are cut in the first round may be unfolded in the next
            after, rest = self.side(first, scope)
            trace.then(rest)
            if alpha_equal(after, second):
                return Meet(trace.chain(), other.chain())
            if after is first:
                break
            first = after
        return self.clear(left, right, first, second, trace, other, scope)

    def direct(self, left: Term, right: Term, scope: Scope, splits: int) -> Proof:
        if self.relation in ("<", "<=", "!="):
            return self.order(left, right, scope, splits)
        first, first_trace = self.side(left, scope)
        second, second_trace = self.side(right, scope)
        if alpha_equal(first, second):
            return Meet(first_trace.chain(), second_trace.chain())
        by_equations = combined(first, second, scope) if scope.hypotheses else None
        if by_equations is not None:
            return Meet((*first_trace.chain(), *by_equations.chain()), second_trace.chain())
        cleared = self.clear(left, right, first, second, first_trace, second_trace, scope)
        if cleared is not None:
            return cleared
        for one, two in self.peeled(first, second, scope):
            return Meet((*first_trace.chain(), *one.chain()), (*second_trace.chain(), *two.chain()))
        by_sign = self.by_sign(left, right, (first, second), scope, splits)
        if by_sign is not None:
            return by_sign
        if splits:
            for on in self.candidates(first, second, left, right, scope):
                split = self.split(left, right, scope, on, splits)
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

    def order(self, left: Term, right: Term, scope: Scope, splits: int) -> Proof:
        test = {"<": positive, "<=": nonnegative, "!=": nonzero}[self.relation]
        difference = right - left
        if test(difference, scope):
            return Sign(())
        if certain(left, self.relation, right, scope.theory):
            return Compute()
        normal, trace = self.side(difference, scope)
        if test(normal, scope):
            return Sign(trace.chain())
        if left is ZERO and test(right, scope):
            whole = Trace()
            whole.step("ring", difference, right)
            return Sign(whole.chain())
        for form in choices.beside_assumed(self.normaliser, normal, scope):
            if test(form, scope):
                trace.step("ring", normal, form)
                return Sign(trace.chain())
        if self.relation != "!=":
            formed = find_form(normal, scope, self.normaliser, test)
            if formed is not None:
                trace.then(formed[1])
                return Sign(trace.chain())
            cleared = self.clear_order(left, right, normal, scope, test)
            if cleared is not None:
                return cleared
            raised = self.raised(left, right, normal, scope)
            if raised is not None:
                return raised
        by_sign = self.by_sign(left, right, (normal,), scope, splits)
        if by_sign is not None:
            return by_sign
        if splits:
            for on in self.candidates(normal, ONE, left, right, scope):
                split = self.split(left, right, scope, on, splits)
                if split is not None:
                    return split
        raise NotFound(
            "the sign of the difference is not visible", replace(self.statement, left=Number(0), right=normal)
        )

    def raised(self, left: Term, right: Term, normal: Term, scope: Scope) -> Proof | None:
        """A comparison with logarithms by its exponentials, denominators cleared first."""
        if self.raising or not any(
            isinstance(f, Apply) and f.function == "log" for m in monomials(normal) for f in factors(m)
        ):
            return None
        pieces = [b if p == 1 else Pow(b, p) for b, p in denominators(normal).items()]
        if not all(positive(b, scope) for b in pieces):
            return None
        factor = None if not pieces else pieces[0] if len(pieces) == 1 else Mul(pieces)
        sides = [side if factor is None else self.side(Mul((side, factor)), scope)[0] for side in (left, right)]
        scaled = [side if factor is None else Mul((side, factor)) for side in (left, right)]
        if not all(finite(side, scope.theory, scope.facts) for side in sides):
            return None
        self.raising = True
        try:
            rest = Raise(self.order(Apply("exp", scaled[0]), Apply("exp", scaled[1]), scope, 0))
        except NotFound:
            return None
        finally:
            self.raising = False
        return rest if factor is None else Clear(factor, rest)

    def side(self, term: Term, scope: Scope) -> tuple[Term, Trace]:
        """The normal form of one side, with indices that the facts fix replaced by their values first."""
        trace = Trace()
        term = trace.step("alpha", term, rename_apart(term, scope.variables))
        for var, value in fixed(scope):
            if var in term.free:
                after = substitute(rename_apart(term, {var, *value.free}), {var: value})
                term = trace.step("index_eq", term, after, var=var, value=value)
        term = use(term, scope, trace)
        result, rest = self.normaliser.start(term, scope)
        trace.then(rest)
        for _ in range(MAX_ROUNDS):  # unfolding brings up entries that hypotheses speak of
            used = use(result, scope, trace)
            if used is result:
                break
            result, rest = self.normaliser.start(used, scope)
            trace.then(rest)
        result = use_normal(result, scope, self.normaliser, trace)
        return rewrite(result, scope, self.normaliser, trace), trace

    def clear_order(self, left: Term, right: Term, normal: Term, scope: Scope, test: Test) -> Proof | None:
        """Both sides times the positive denominators of their difference, compared again."""
        wanted = denominators(normal)
        pieces = [b if p == 1 else Pow(b, p) for b, p in wanted.items() if positive(b, scope)]
        if not pieces:
            return None
        factor = pieces[0] if len(pieces) == 1 else Mul(pieces)
        difference = Mul((right, factor)) - Mul((left, factor))
        # the difference is normalised before it is multiplied out, so that each monomial is cancelled on its own
        trace = Trace()
        trace.step("ring", difference, Mul((right - left, factor)))
        inner = Trace()
        _, steps = self.side(right - left, scope)
        inner.then(steps)
        trace.below(0, inner)
        result = distribute(self.normaliser, Mul((normal, factor)), normal, pieces, scope, trace)
        if test(result, scope):
            return Clear(factor, Sign(trace.chain()))
        formed = find_form(result, scope, self.normaliser, test)
        if formed is None:
            return None
        trace.then(formed[1])
        return Clear(factor, Sign(trace.chain()))

    # --- denominators -----------------------------------------------------------------------------------------------

    def clear(
        self, left: Term, right: Term, first: Term, second: Term, one: Trace, two: Trace, scope: Scope
    ) -> Proof | None:
        """Multiply both sides by the denominators of their normal forms and compare again."""
        wanted = denominators(first, second)
        if not any(isinstance(t, Add | Pow) for t in (first, second, *wanted)):
            return None
        forms = [self.normaliser.assumed_form(b, scope) for b in wanted]
        known = [form for form in forms if form is not None]
        if len(known) < len(forms):
            return None
        folded, because = [form for form, _ in known], [steps for _, steps in known]
        pieces = [b if p == 1 else Pow(b, p) for b, p in wanted.items()]
        powers = [b if p == 1 else Pow(b, p) for b, p in zip(folded, wanted.values(), strict=True)]
        factor = powers[0] if len(powers) == 1 else Mul(powers)
        ends = []
        for normal, trace in ((first, one), (second, two)):
            whole = Trace()
            whole.below(0, trace)
            self.unfolded(because, list(wanted.values()), whole)
            product = Mul((normal, pieces[0] if len(pieces) == 1 else Mul(pieces)))
            ends.append((distribute(self.normaliser, product, normal, pieces, scope, whole), whole))
        if not alpha_equal(ends[0][0], ends[1][0]):
            cut = cut_longer(self.normaliser, [end for end, _ in ends], scope)
            if cut is None or not alpha_equal(cut[0][0], cut[1][0]):
                return None
            for (_, whole), (_, steps) in zip(ends, cut, strict=True):
                whole.then(steps)
        return Clear(factor, Meet(ends[0][1].chain(), ends[1][1].chain()))

    @staticmethod
    def unfolded(because: Sequence[Chain], powers: Sequence[int], trace: Trace) -> None:
        """Steps from the assumed forms of the denominators to their normal forms, in the second factor of a product."""
        for k, (steps, power) in enumerate(zip(because, powers, strict=True)):
            inner = Trace()
            for step in reverse(steps):
                inner.at(step)
            for place in ([0] if power > 1 else []) + ([k] if len(powers) > 1 else []):
                outer = Trace()
                outer.below(place, inner)
                inner = outer
            trace.below(1, inner)

    # --- case distinctions ------------------------------------------------------------------------------------------

    def candidates(self, first: Term, second: Term, left: Term, right: Term, scope: Scope) -> list[Constraint]:
        """Constraints on free indices that the two sides depend on."""
        found: dict[Constraint, None] = {}
        free = set(scope.variables)
        for side in (first, second, left, right):
            for t in subterms(side):
                conditions: list[Constraint] = []
                if isinstance(t, Bracket):
                    conditions = list(t.condition)
                elif isinstance(t, Case):
                    conditions = [c for g, _ in t.branches for c in g]
                elif isinstance(t, Sum) and t.guard:
                    conditions = self.between(t)
                for c in conditions:
                    if c.free <= free and c.free and not self.known(c, scope):
                        found.setdefault(c)
        for t in subterms(Mul((left, right))):
            if isinstance(t, Entry) and t.name in scope.theory.definitions:
                for d in scope.theory.definitions[t.name]:
                    for u in subterms(d.body):
                        if isinstance(u, (Bracket, Case)) and len(t.indices) == len(d.indices):
                            mapping = {
                                v: i
                                for p, i in zip(d.indices, t.indices, strict=True)
                                for v in p.free
                                if p is Index.var(v)
                            }
                            rows = u.condition if isinstance(u, Bracket) else [c for g, _ in u.branches for c in g]
                            for c in rows:
                                if c.free <= set(mapping):
                                    c = c.substitute(mapping)
                                    if c.free and c.free <= free and not self.known(c, scope):
                                        found.setdefault(c)
        return list(found)[:6]

    def between(self, t: Sum) -> list[Constraint]:
        """Comparisons of two bounds of one sum."""
        return [c for c in project(t.guard, [t.var]) if c.free]

    def known(self, c: Constraint, scope: Scope) -> bool:
        return entails(scope.facts, c) or not consistent(guard(*scope.facts, c))

    def by_sign(self, left: Term, right: Term, normal: tuple[Term, ...], scope: Scope, splits: int) -> Proof | None:
        """A case distinction on the sign of a value that the normal forms ask for."""
        on = choices.undecided(normal, scope) if self.signs else None
        if on is None:
            return None
        self.signs -= 1
        try:
            above, otherwise = (self.prove(left, right, scope.where_sign(on, side), splits) for side in (True, False))
        except NotFound:
            return None
        finally:
            self.signs += 1
        return SignSplit(on, above, otherwise)

    def split(self, left: Term, right: Term, scope: Scope, on: Constraint, splits: int) -> Proof | None:
        try:
            holds = self.prove(left, right, scope.given((on,)), splits - 1)
            fails = tuple(self.prove(left, right, scope.given((c,)), splits - 1) for c in on.negations())
        except NotFound:
            return None
        return Split(on, holds, fails)


def _reached(left: Term, right: Term, scope: Scope) -> Iterator[Term]:
    """The terms that two sides rest on, through definitions too."""
    for side in (left, right):
        yield from scope.theory.reached(side)


def _having(lemmas: Sequence[tuple[Statement, Proof]], proof: Proof) -> Proof:
    """A proof that rests on lemmas, in their order."""
    for lemma, why in reversed(lemmas):
        proof = Have(lemma, why, proof)
    return proof


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


def ends_of_sums_of_powers(left: Term, right: Term) -> list[Index]:
    """Where sums end whose terms have powers with exponents that depend on what is summed over."""
    found: list[Index] = []
    for t in (u for side in (left, right) for u in subterms(side) if isinstance(u, Sum)):
        exponents = [e for u in subterms(t.body) if isinstance(u, Pow) and (e := integral(u.exponent)) is not None]
        bounds = [c.index for c in t.guard if t.var in c.free and c.relation == ">="]
        found += bounds if any(t.var in e.free for e in exponents) else []
    return found


def _starts(var: str, scope: Scope) -> Iterator[Index]:
    """The tight bounds below an index that the facts of a scope give, in terms of the other ones."""
    for c in scope.facts:
        if c.index.coefficient(var) == 1 and c.relation == ">=":
            start = Index.var(var) - c.index
            if not entails(scope.facts, at_least(Index.var(var), start + 1)) and start.free <= set(scope.variables) - {
                var
            }:
                yield start


def inductions(left: Term, right: Term, scope: Scope) -> list[tuple[str, Index]]:
    """Index variables at which a recursive definition is used, each with a bound below that the facts give."""
    found: dict[tuple[str, Index], None] = {}
    pending, seen = [left, right], set[str]()
    while pending:
        for t in subterms(pending.pop()):
            if not isinstance(t, Entry) or t.name not in scope.theory.definitions:
                continue
            definitions = scope.theory.definitions[t.name]
            place = descent(definitions)
            if place is None:
                if t.name not in seen:
                    seen.add(t.name)
                    bodies = (instance(d, t, scope.variables, scope.facts) for d in definitions)
                    pending += [body[0] for body in bodies if body is not None]
                continue
            for var in sorted(t.indices[place[0]].free & set(scope.variables)):
                found |= dict.fromkeys((var, start) for start in _starts(var, scope))
    return sorted(found, key=lambda row: (not row[1].is_constant, row[0], str(row[1])))[:4]


def fixed(scope: Scope) -> list[tuple[str, Index]]:
    """Index variables that the facts of a scope fix to a value without them (each resolved by earlier ones only)."""
    found: list[tuple[str, Index]] = []
    gone: set[str] = set()
    for var in reversed(scope.variables):
        for c in scope.facts:
            k = c.index.coefficient(var)
            if abs(k) != 1:
                continue
            value = (c.index - k * Index.var(var)) * -k
            if value.free & gone or var in value.free:
                continue
            if any(scope.variables.index(v) > scope.variables.index(var) for v in value.free):
                continue
            if c.relation == "==" or equal_indices(scope.facts, Index.var(var), value):
                found.append((var, value))
                gone.add(var)
                break
    return found
