"""Proofs by induction: over an index of the statement, of lemmas on closed forms and powers, and of claims made more general."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from derivations.kernel.definition import descent, instance
from derivations.kernel.errors import Refused
from derivations.kernel.linear import entails
from derivations.kernel.proof import Have, Induct, Meet, Proof, Step
from derivations.kernel.replay import inductive_step, lemma_scope, with_lemma
from derivations.kernel.scope import Scope
from derivations.kernel.sign import integral
from derivations.language.statement import Statement
from derivations.language.substitution import (
    alpha_equal,
    bound_variables,
    fresh,
    rename_apart,
    substitute,
    subterms,
    term_sizes,
)
from derivations.language.term import (
    Add,
    Apply,
    Entry,
    Index,
    IndexValue,
    Max,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    TermError,
    at_least,
    equal,
    guard,
    guard_substitute,
)
from derivations.provers.clearing import clear
from derivations.provers.matrix_powers import closed_form as vector_form
from derivations.provers.matrix_powers import lemmas as powers
from derivations.provers.normal_sides import MAX_ROUNDS, normal_side
from derivations.provers.not_found import NotFound
from derivations.provers.peeling import from_zero, turned
from derivations.provers.recurrence import closed_form, for_all_lengths, general_statements, recursive_symbols
from derivations.provers.running_products import exponential_forms, logarithms
from derivations.provers.trace import Trace

if TYPE_CHECKING:
    from derivations.provers.prove import Search


def with_closed_forms(
    search: Search, left: Term, right: Term, scope: Scope, splits: int, maxima: bool = False
) -> Proof | None:
    """Recursive symbols put in closed form first, each form a lemma that is shown by induction; running maxima stay
    as they are unless `maxima`, because what is relative to them needs no more."""
    search.inducting = True
    try:
        lemmas, inside = _closed_forms(search, left, right, scope, maxima)
        if not lemmas or (maxima and not any(isinstance(lemma.right, Max) for lemma, _ in lemmas)):
            return None
        try:
            proof = _with_lemmas(search, left, right, inside, splits)
        except NotFound:
            search.inducting = False
            proof = _of_forms(search, left, right, inside)
    except (NotFound, Refused):
        return None
    finally:
        search.inducting = False
    return having(lemmas, proof)


def _of_forms(search: Search, left: Term, right: Term, scope: Scope) -> Proof:
    """A proof from a lemma about the normal forms of both sides, where these have sums of powers and no recursion left."""
    first, one = normal_side(search.normaliser, left, scope)
    second, two = normal_side(search.normaliser, right, scope)
    ends = ends_of_sums_of_powers(first, second) if search.relation == "=" else ()
    if not ends or recursive_symbols(scope.theory, [first, second]):
        raise NotFound("no sums of powers are left")
    said = Statement(first, "=", second, scope.variables, scope.facts)
    why = search.prove(first, second, lemma_scope(said, scope), 0)
    at = {v: Index.var(v) for v in scope.variables}
    used = Step("hypothesis", (), first, second, {"number": len(scope.hypotheses), "at": at})
    return Have(said, why, Meet((*one.chain(), used), two.chain()))


def _closed_forms(
    search: Search, left: Term, right: Term, scope: Scope, maxima: bool = False, but: str = ""
) -> tuple[list[tuple[Statement, Proof]], Scope]:
    """Lemmas for the recursive symbols under two terms, all `but` one, and the scope that has them."""
    lemmas: list[tuple[Statement, Proof]] = []
    sizes = guard(*(c for c in scope.facts if not c.free))
    for name in recursive_symbols(scope.theory, [left, right]):
        known = tuple(s for s, _ in lemmas)
        lemma = None if name == but else closed_form(name, scope.theory, search.normaliser, known, sizes)
        if lemma is None and name != but:
            lemma = vector_form(name, scope.theory, search.normaliser)
        if lemma is not None and isinstance(lemma.right, Max) and not maxima:
            continue
        if lemma is None and name != but:
            for said, var in exponential_forms(name, [left, right], scope):
                lemmas.append((said, _exponential(search, said, var, lemma_scope(said, scope))))
                scope = with_lemma(said, scope)
        if lemma is None or (alpha_equal(lemma.left, left) and alpha_equal(lemma.right, right)):
            continue
        there = lemma_scope(lemma, scope)
        place = descent(scope.theory.definitions[name])
        index = lemma.left.indices[place[0]]  # type: ignore[attr-defined, index]
        starts = [i for v, i in inductions(lemma.left, lemma.right, there) if Index.var(v) is index]
        for start in starts[:1]:
            own = search.for_lemma(lemma)
            why = induction(own, min(index.free), start, lemma.left, lemma.right, there, 1)
            lemmas.append((lemma, why))
            scope = with_lemma(lemma, scope)
    return lemmas, scope


def _exponential(search: Search, said: Statement, var: str, scope: Scope) -> Proof:
    """A proof of `P[m] = exp(s[m])`: by induction for the logarithms."""
    below = logarithms(said)
    there = lemma_scope(below, scope)
    why = induction(search.for_lemma(below), var, Index(), below.left, below.right, there, 1)
    trace, inner = Trace(), Trace()
    trace.step("exp_log", said.left, Apply("exp", below.left), back=True)
    at = {v: Index.var(v) for v in below.indices}
    inner.step("hypothesis", below.left, below.right, number=len(scope.hypotheses), at=at)
    trace.below(0, inner)
    return Have(below, why, Meet(trace.chain(), ()))


def with_powers(search: Search, left: Term, right: Term, scope: Scope, splits: int) -> Proof | None:
    """A proof from what is known of the powers of matrices."""
    shown: list[tuple[Statement, Proof]] = []
    inside = scope
    search.inducting = True
    try:
        for said, var in powers(recursive_symbols(scope.theory, [left, right]), scope.theory):
            own = search.for_lemma(said)
            try:
                there = lemma_scope(said, inside)
                why = induction(own, var, Index(), said.left, said.right, there, 0)
            except (NotFound, Refused):
                continue
            shown.append((said, why))
            inside = with_lemma(said, inside)
        return having(shown, direct_or_by_induction(search, left, right, inside, splits)) if shown else None
    except (NotFound, Refused):
        return None
    finally:
        search.inducting = False


def of_sums_of_powers(search: Search, left: Term, right: Term, scope: Scope) -> Proof | None:
    """A claim about a sum of powers, `\\sum_{i<t} b^{t-1-i}`, by induction over what it ends at."""
    ends = () if search.inducting or search.relation != "=" else ends_of_sums_of_powers(left, right)
    one, two = Trace(), Trace()
    sides = (left, right)
    if ends:
        sides = turned(from_zero(left, scope, one), one), turned(from_zero(right, scope, two), two)
    if sides != (left, right):
        said = Statement(sides[0], "=", sides[1], scope.variables, scope.facts)
        try:
            why = search.prove(*sides, lemma_scope(said, scope), 0)
        except (NotFound, Refused):
            return None
        at = {v: Index.var(v) for v in scope.variables}
        used = Step("hypothesis", (), *sides, {"number": len(scope.hypotheses), "at": at})
        return Have(said, why, Meet((*one.chain(), used), two.chain()))
    loose = (v for v in scope.variables if any(v in end.free for end in ends))
    for var, start in ((v, start) for v in loose for start in _starts(v, scope)):
        search.inducting = True
        try:
            return induction(search, var, start, left, right, scope, 0)
        except (NotFound, Refused):
            continue
        finally:
            search.inducting = False
    names = dict.fromkeys(name for end in ends for name in sorted(end.sizes))
    found = at_all_lengths(search, left, right, scope, names) if names else None
    return found or _at_all_distances(search, left, right, scope, ends)


def _at_all_distances(search: Search, left: Term, right: Term, scope: Scope, ends: Sequence[Index]) -> Proof | None:
    """A claim about sums of `T - t` powers, for an index or a length t, shown for sums of any number of powers."""
    used = {*scope.variables, *(v for x in (left, right) for v in (*x.free, *bound_variables(x), *term_sizes(x)))}
    m = fresh("m", used)
    for end in ends:
        summed = [v for v in end.free if v not in scope.variables]
        atom = next((a for a, k in end.terms if k == -1 and a.name not in summed and a.kind in ("index", "size")), None)
        if len(summed) != 1 or end.coefficient(summed[0]) != -1 or atom is None or not end.sizes - {atom.name}:
            continue
        count = end + Index.var(summed[0]) + Index(((atom, 1),)) + 1  # of the powers, and t
        at = {atom.name: count - Index.var(m)}
        by_index = atom.kind == "index"
        free, sizes = (at, {}) if by_index else ({}, at)
        sides = [substitute(rename_apart(x, {m}), free, sizes=sizes) for x in (left, right)]
        facts, from_none = guard_substitute(scope.facts, free, sizes), at_least(Index.var(m), 0)
        if entails(facts, from_none):  # from no power on, whatever more is known of how many there are
            facts = guard(*(c for c in facts if m not in c.free), from_none)
        said = Statement(sides[0], "=", sides[1], (*(v for v in scope.variables if v not in free), m), facts)
        try:
            why = search.prove(said.left, said.right, lemma_scope(said, scope), 0)
        except (NotFound, Refused, TermError):
            continue
        places = {v: count - Index(((atom, 1),)) if v == m else Index.var(v) for v in said.indices}
        step = Step("hypothesis", (), left, right, {"number": len(scope.hypotheses), "at": places})
        return Have(said, why, Meet((step,), ()))
    return None


def direct_or_by_induction(search: Search, left: Term, right: Term, scope: Scope, splits: int) -> Proof:
    """A direct proof, or one by induction over any index."""
    try:
        return search.direct(left, right, scope, 0)
    except NotFound as end:
        for var, start in inductions(left, right, scope):
            try:
                return induction(search, var, start, left, right, scope, splits)
            except (NotFound, Refused):
                continue
        raise end


def generalised(search: Search, left: Term, right: Term, scope: Scope, splits: int) -> Proof | None:
    """A claim about the last value of a recursive symbol, shown for all values: `M[n] = f(n)` from `M[t] = f(t)`."""
    if search.relation != "=":
        return None
    for lemma, var, name in general_statements(left, right, scope):
        search.inducting = True
        try:
            lemmas, inside = _closed_forms(search, left, right, scope, but=name)
            there = lemma_scope(lemma, inside)
            own = search.for_lemma(lemma)
            start = next(i for v, i in inductions(lemma.left, lemma.right, there) if v == var)
            why = induction(own, var, start, lemma.left, lemma.right, there, 1)
            proof = search.direct(left, right, with_lemma(lemma, inside), splits)
        except (NotFound, Refused, StopIteration):
            continue
        finally:
            search.inducting = False
        return having([*lemmas, (lemma, why)], proof)
    return None


def at_all_lengths(search: Search, left: Term, right: Term, scope: Scope, names: Iterable[str]) -> Proof | None:
    """A claim about a size, one of these, shown for all numbers up to it."""
    if search.relation != "=":
        return None
    for said, var, last in for_all_lengths(left, right, scope, names):
        search.inducting = True
        try:
            there = lemma_scope(said, scope)
            why = induction(search, var, Index(), said.left, said.right, there, 0)
        except (NotFound, Refused):
            continue
        finally:
            search.inducting = False
        at = {v: last if v == var else Index.var(v) for v in said.indices}
        used = Step("hypothesis", (), left, right, {"number": len(scope.hypotheses), "at": at})
        return Have(said, why, Meet((used,), ()))
    return None


def _with_lemmas(search: Search, left: Term, right: Term, scope: Scope, splits: int) -> Proof:
    """A direct proof, or an induction, in a scope whose last hypotheses are lemmas."""
    for var, start in inductions(left, right, scope):
        try:
            return search.direct(left, right, scope, 0)
        except NotFound:
            return induction(search, var, start, left, right, scope, splits)
    return search.direct(left, right, scope, splits)


def induction(search: Search, var: str, start: Index, left: Term, right: Term, scope: Scope, splits: int) -> Proof:
    """`var = start`, then the step from the place below."""
    above = inductive_step(var, start, left, search.relation, right, scope)
    base = search.prove(left, right, scope.given((equal(Index.var(var), start),)), splits)
    try:
        return Induct(var, start, base, search.prove(left, right, above, splits))
    except NotFound:
        step = _by_difference(search, left, right, above, len(scope.hypotheses))
        if step is None:
            raise
        return Induct(var, start, base, step)


def _by_difference(search: Search, left: Term, right: Term, scope: Scope, number: int) -> Proof | None:
    """The step of an induction from `left - left below + right below`, where the left side is a sum."""
    if search.relation != "=" or len(scope.hypotheses) <= number or isinstance(left, Entry):
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
    second, other = normal_side(search.normaliser, right, scope)
    for _ in range(MAX_ROUNDS):  # sums that are cut in the first round may be unfolded in the next
        after, rest = normal_side(search.normaliser, first, scope)
        trace.then(rest)
        if alpha_equal(after, second):
            return Meet(trace.chain(), other.chain())
        if after is first:
            break
        first = after
    return clear(search.normaliser, first, second, trace, other, scope)


def having(lemmas: Sequence[tuple[Statement, Proof]], proof: Proof) -> Proof:
    """A proof that rests on lemmas, in their order."""
    for lemma, why in reversed(lemmas):
        proof = Have(lemma, why, proof)
    return proof


def ends_of_sums_of_powers(left: Term, right: Term) -> list[Index]:
    """Where sums end whose terms have powers with exponents that depend on what is summed over, `b^i` or `exp(s i)`."""
    found: list[Index] = []
    for t in (u for side in (left, right) for u in subterms(side) if isinstance(u, Sum)):
        powers = (u for u in subterms(t.body) if isinstance(u, Pow))
        exponents = [e.free for u in powers if (e := integral(u.exponent)) is not None]
        exponents += [_counted_in(u.arg) for u in subterms(t.body) if isinstance(u, Apply) and u.function == "exp"]
        bounds = [c.index for c in t.guard if t.var in c.free and c.relation == ">="]
        found += bounds if any(t.var in free for free in exponents) else []
    return found


def _counted_in(exponent: Term) -> frozenset[str]:
    """The indices that an exponent is linear in: the r of `-s r`, and none of `-s x[r]`."""
    parts = exponent.args if isinstance(exponent, Mul) else (exponent,)
    return frozenset(v for t in parts if isinstance(t, IndexValue) for v in t.index.free)


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
