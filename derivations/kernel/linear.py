"""Linear integer constraints: entailment by Fourier-Motzkin elimination with integer tightening.

Sound for "inconsistent" (every derived constraint follows over the integers), incomplete for it: the answer "not
entailed" may mean "not found within the limit".  Sizes are at least 1; that fact is added for every size that occurs.

Atoms other than variables and sizes are unknowns of their own, for which facts are added (`_complete`): a permutation
of an axis keeps positions in it and is injective; a label lies on its axis; a quotient q = e // w satisfies
0 <= e - w*q < w; what is non-negative stays so when multiplied by a size.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache

from derivations.language.term import Atom, Constraint, Guard, Index, atoms, constraint, equal, guard, less, permuted

LIMIT = 400
"""Constraints kept during one elimination; beyond it the answer is "not found"."""
MAX_FACTS = 60
"""Facts after completion; beyond it no more are added."""
ROUNDS = 3
"""Rounds of completion."""


@lru_cache(maxsize=50_000)
def consistent(facts: Guard) -> bool:
    """False only if no integers satisfy `facts` (and sizes are positive)."""
    if all(c.index.plain for c in facts):
        return _eliminate(_with_sizes(facts))
    return _eliminate(_with_sizes(_complete(facts)))


@lru_cache(maxsize=50_000)
def entails(facts: Guard, goal: Constraint) -> bool:
    """Whether every integer point of `facts` satisfies `goal`.

    >>> from derivations.language.term import at_least, less, within
    >>> i, j, n = Index.var("i"), Index.var("j"), Index.size("n")
    >>> entails(guard(*within("i", 0, n), at_least(i, j)), less(j, n))
    True
    """
    if goal.index.is_constant:
        return goal.holds({}, {})
    if goal in facts:
        return True
    related = _related(facts, goal)
    return all(not consistent(guard(*related, negated)) for negated in goal.negations())


def entails_all(facts: Guard, goals: Iterable[Constraint]) -> bool:
    return all(entails(facts, goal) for goal in goals)


def equivalent(facts: Guard, left: Guard, right: Guard) -> bool:
    """Whether `left` and `right` hold at the same integer points of `facts`."""
    if left == right:
        return True
    return entails_all(guard(*facts, *left), right) and entails_all(guard(*facts, *right), left)


def equal_indices(facts: Guard, left: Index, right: Index) -> bool:
    """Whether the two integers are equal wherever `facts` hold."""
    return left is right or entails(facts, constraint(left - right, "=="))


def bounded(var: str, conditions: Guard) -> bool:
    """Whether `conditions` bound `var` from below and from above (for fixed values of everything else)."""
    signs = set()
    for c in conditions:
        k = c.index.coefficient(var)
        if not c.index.linear_in(var):
            continue
        if k and c.relation == "==":
            return True
        signs.add((k > 0) - (k < 0))
    return {1, -1} <= signs


def _related(facts: Guard, goal: Constraint) -> Guard:
    """The facts that share unknowns with the goal, directly or through others."""
    reached = set(atoms(goal.index))
    left = [(c, set(atoms(c.index))) for c in facts]
    kept: list[Constraint] = []
    grown = True
    while grown:
        grown = False
        rest = []
        for c, own in left:
            if not own or not own.isdisjoint(reached):
                kept.append(c)
                reached |= own
                grown = True
            else:
                rest.append((c, own))
        left = rest
    return guard(*kept)


def _with_sizes(facts: Iterable[Constraint]) -> list[Constraint]:
    facts = list(facts)
    sizes = {a for c in facts for a in atoms(c.index) if a.kind == "size"}
    return [*facts, *(Constraint(Index(((a, 1),), -1)) for a in sorted(sizes))]


def _complete(facts: Guard) -> Guard:
    """The facts with what they imply about permutations, labels, quotients and products."""
    known = dict.fromkeys(facts)
    for _ in range(ROUNDS):
        found = [c for c in _implied(tuple(known)) if c not in known and (c.index.terms or not c.holds({}, {}))]
        if not found or len(known) + len(found) > MAX_FACTS:
            break
        known.update(dict.fromkeys(found))
    return tuple(known)


def _implied(facts: Guard) -> Iterable[Constraint]:
    present = {a for c in facts for a in atoms(c.index) if a.args}
    for a in sorted(present):
        if a.kind == "quotient":
            value, divisor = a.args
            rest = value - Index(((a, 1),)) * divisor
            yield constraint(rest)
            yield constraint(divisor - 1 - rest)
            if _follows(facts, constraint(value)) and _follows(facts, less(value, divisor)):
                yield equal(Index(((a, 1),)), Index())
        elif a.kind in ("perm", "inverse"):
            yield from _permutation(a, facts)
        elif a.kind == "label":
            yield from _label(a, facts)
    sized = [(x, w) for a in sorted(present) if a.kind == "product" for x, w in _split(a)]
    for x, w in dict.fromkeys(sized):
        own = (constraint(Index(((x, 1),), -1)),) if x.kind == "size" else ()
        for c in (*facts, *own):
            if any(a == x for a, _ in c.index.terms):
                yield constraint(c.index * Index(((w, 1),)), c.relation)


def _split(product: Atom) -> Iterable[tuple[Atom, Atom]]:
    """(factor, another factor that is a size): a fact about the first may be multiplied by the second."""
    factors = [a.terms[0][0] for a in product.args]
    for k, w in enumerate(factors):
        if w.kind == "size":
            yield from ((x, w) for j, x in enumerate(factors) if j != k)


def _permutation(a: Atom, facts: Guard) -> Iterable[Constraint]:
    """Positions stay in the axis, in both directions; p(e) = r means e = p^-1(r); equal positions have equal images."""
    position, length = a.args
    image = Index(((a, 1),))
    for one, other in ((position, image), (image, position)):
        inside = (constraint(one), less(one, length))
        if all(_follows(facts, c) for c in inside):
            yield from (constraint(other), less(other, length))
    for c in facts:
        k = next((k for b, k in c.index.terms if b == a), 0)
        if c.relation == "==" and abs(k) == 1:
            value = (c.index - k * image) * -k
            yield equal(position, permuted(a.name, length, value, inverse=a.kind == "perm"))
    for b in sorted({b for c in facts for b in atoms(c.index) if b.kind == a.kind and b.name == a.name and b != a}):
        if b.args[1] is length and _follows(facts, equal(position, b.args[0])):
            yield equal(image, Index(((b, 1),)))


def _label(a: Atom, facts: Guard) -> Iterable[Constraint]:
    """The value lies on the axis, where that has a place; equal places have equal labels."""
    *places, length = a.args
    value = Index(((a, 1),))
    if _follows(facts, constraint(length - 1)):
        yield from (constraint(value), less(value, length))
    for b in sorted({b for c in facts for b in atoms(c.index) if b.kind == a.kind and b.name == a.name and b != a}):
        if len(b.args) == len(a.args) and b.args[-1] is length:
            if all(_follows(facts, equal(p, q)) for p, q in zip(places, b.args, strict=False)):
                yield equal(value, Index(((b, 1),)))


def _follows(facts: Guard, goal: Constraint) -> bool:
    """Entailment without completion."""
    if goal.index.is_constant:
        return goal.holds({}, {})
    return goal in facts or all(not _eliminate(_with_sizes((*facts, c))) for c in goal.negations())


def _eliminate(facts: list[Constraint]) -> bool:
    """True when no contradiction was derived."""
    # equations first: substitute where a coefficient is 1 or -1, else check divisibility and use both inequalities
    pending = list(facts)
    while True:
        solved = None
        for c in pending:
            if c.relation != "==":
                continue
            if c.index.is_constant:
                if c.index.const:
                    return False
                continue
            unit = next(((a, k) for a, k in c.index.terms if abs(k) == 1), None)
            if unit is not None:
                solved = (c, unit)
                break
        if solved is None:
            break
        c, (atom, k) = solved
        value = Index(((a, -k * m) for a, m in c.index.terms if a != atom), -k * c.index.const)
        pending = [_put(other, atom, value) for other in pending if other is not c]
    rows: set[Constraint] = set()
    for c in pending:
        if c.relation == "==":
            if not c.index.is_constant and _indivisible(c):
                return False
            rows.add(constraint(c.index))
            rows.add(constraint(-c.index))
        else:
            rows.add(c)
    while True:
        constants = [c for c in rows if c.index.is_constant]
        if any(c.index.const < 0 for c in constants):
            return False
        rows.difference_update(constants)
        rows = _strongest(rows)
        if not rows:
            return True
        tight = _tight(rows)
        if tight is not None:
            atom, value = tight
            rows = {_put(c, atom, value) for c in rows}
            continue
        atom = _cheapest(rows)
        lower, upper, rest = [], [], set()
        for c in rows:
            k = dict(c.index.terms).get(atom, 0)
            if k > 0:
                lower.append((c, k))
            elif k < 0:
                upper.append((c, -k))
            else:
                rest.add(c)
        if len(lower) * len(upper) + len(rest) > LIMIT:
            return True
        for low, a in lower:
            for high, b in upper:
                rest.add(constraint(b * low.index + a * high.index))
        rows = rest


def _tight(rows: set[Constraint]) -> tuple[Atom, Index] | None:
    """An unknown and its value, from two inequalities that say e = 0 (elimination alone would forget parities)."""
    by_terms = {c.index.terms: c.index for c in rows}
    for terms, index in by_terms.items():
        other = by_terms.get(tuple((a, -k) for a, k in terms))
        if other is not None and other.const == -index.const:
            unit = next(((a, k) for a, k in terms if abs(k) == 1), None)
            if unit is not None:
                atom, k = unit
                return atom, Index(((a, -k * m) for a, m in terms if a is not atom), -k * index.const)
    return None


def _put(c: Constraint, atom: Atom, value: Index) -> Constraint:
    k = dict(c.index.terms).get(atom, 0)
    if not k:
        return c
    rest = Index(((a, m) for a, m in c.index.terms if a != atom), c.index.const)
    return constraint(rest + k * value, c.relation)


def _indivisible(c: Constraint) -> bool:
    """No integer solution because the gcd of the coefficients does not divide the constant."""
    divisor = math.gcd(*(k for _, k in c.index.terms))
    return divisor > 1 and c.index.const % divisor != 0


def _strongest(rows: set[Constraint]) -> set[Constraint]:
    """Of rows with the same coefficients only the tightest."""
    best: dict[tuple[tuple[Atom, int], ...], Constraint] = {}
    for c in rows:
        old = best.get(c.index.terms)
        if old is None or c.index.const < old.index.const:
            best[c.index.terms] = c
    return set(best.values())


def _cheapest(rows: set[Constraint]) -> Atom:
    """The unknown whose elimination makes the fewest new rows."""
    counts: dict[Atom, list[int]] = {}
    for c in rows:
        for a, k in c.index.terms:
            counts.setdefault(a, [0, 0])[k > 0] += 1
    return min(counts, key=lambda a: (counts[a][0] * counts[a][1], a))


def project(facts: Guard, eliminated: Iterable[str]) -> Guard:
    """Constraints that follow from `facts` and do not mention the index variables `eliminated` (for provers only)."""
    rows = set()
    gone = set(eliminated)
    facts = tuple(c for c in facts if all(c.index.linear_in(v) for v in gone))
    for c in facts:
        if c.relation == "==":
            rows |= {constraint(c.index), constraint(-c.index)}
        else:
            rows.add(c)
    for name in sorted(gone):
        lower, upper, rest = [], [], set()
        for c in rows:
            k = c.index.coefficient(name)
            if k > 0:
                lower.append((c, k))
            elif k < 0:
                upper.append((c, -k))
            else:
                rest.add(c)
        for low, a in lower:
            for high, b in upper:
                rest.add(constraint(b * low.index + a * high.index))
        rows = _strongest(rest)
    return guard(*rows)
