"""What must be defined for a statement to mean something: computed from the statement as written, definitions unfolded.

The kernel computes the list on every replay; a proof cannot leave anything out.  Rewritten forms play no part: in
`0 * (1/x)` the division counts, although the product is 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from derivations.kernel.definition import applies, covered, descent, sizes_of
from derivations.kernel.errors import Refused
from derivations.kernel.finiteness import finite
from derivations.kernel.linear import bounded, consistent, entails, entails_all
from derivations.kernel.scope import Obligation, Scope
from derivations.kernel.sign import inhabited, integral, invertible, nonnegative, nonzero, positive, unfold
from derivations.language.statement import Statement, Theory
from derivations.language.substitution import bound_variables, canonical, rename_apart, substitute
from derivations.language.term import (
    ZERO,
    Add,
    Apply,
    Case,
    Choice,
    Derivative,
    Entry,
    Expectation,
    Guard,
    Index,
    Max,
    Mul,
    NegInfinity,
    Number,
    Pow,
    Sum,
    Term,
    TermError,
    at_least,
    guard,
    guard_free,
    guard_substitute,
    less,
    listed,
    negative,
)

MAX_OBLIGATIONS = 400
MAX_VISITS = 20_000
MAX_KNOWN = 16


_known: dict[tuple[object, ...], tuple[Theory, tuple[Obligation, ...]]] = {}


def obligations(statement: Statement, scope: Scope) -> tuple[Obligation, ...]:
    """All obligations of both sides, those that are visibly met left out.

    The search for a proof and the check of it ask for the same ones: the last answers are kept.
    """
    place = scope.variables, scope.facts, scope.hypotheses, scope.assumed
    key = (id(scope.theory), statement.left, statement.right, *place)
    if key in _known and _known[key][0] is scope.theory:
        return _known[key][1]
    if len(_known) >= MAX_KNOWN:
        _known.clear()
    found = _obligations(statement, scope)
    _known[key] = scope.theory, found
    return found


def _obligations(statement: Statement, scope: Scope) -> tuple[Obligation, ...]:
    walker = _Walker()
    found: dict[tuple[object, ...], Obligation] = {}
    sides = (walker.walk(rename_apart(side, scope.variables), scope) for side in (statement.left, statement.right))
    for o, where in chain(*sides, _variances(scope)):
        if not met(o, where):
            if len(found) > MAX_OBLIGATIONS:
                raise Refused("obligations", f"at most {MAX_OBLIGATIONS} of them", "more")
            o = _without_idle_variables(o)
            found.setdefault((o.kind, o.variables, o.facts, canonical(o.subject), o.goal, o.every_outcome), o)
    # of constraints on indices and sizes the strongest are enough
    kept = list(found.values())
    for o in found.values():
        if o.kind == "in range":
            others = [k for k in kept if k is not o and k.kind == o.kind and set(k.facts) <= set(o.facts)]
            if entails_all(guard(*o.facts, *(c for k in others for c in k.goal)), o.goal):
                kept.remove(o)
    return tuple(kept)


def _variances(scope: Scope) -> Iterator[tuple[Obligation, Scope]]:
    """That the variances of the random tensors are not negative."""
    anywhere = replace(scope, variables=(), facts=())
    for t in scope.theory.tensors.values():
        if t.law is not None and t.law.variance is not None:
            yield Obligation("nonnegative", (), (), t.law.variance), anywhere


def assume(scope: Scope, owed: tuple[Obligation, ...]) -> Scope:
    """The scope in which a proof may use the obligations of its statement: a theorem claims nothing where they fail.

    Constraints on the statement's own indices and sizes become facts; the others may be called upon.
    """
    facts = [
        c
        for o in owed
        if set(o.facts) <= set(scope.facts) and set(o.variables) <= set(scope.variables)
        for c in o.goal
        if c.free <= set(scope.variables)
    ]
    known = guard(*scope.facts, *facts)
    if consistent(scope.facts) and not consistent(known):
        raise Refused("obligations", "indices and sizes at which the statement is defined", "; ".join(map(str, owed)))
    return replace(scope, facts=known, assumed=(*scope.assumed, *owed, *_of_factors(owed, scope)))


def _of_factors(owed: tuple[Obligation, ...], scope: Scope) -> list[Obligation]:
    """A product that is not zero has no factor zero; a positive one with one factor of unknown sign has it positive.

    What is said of a defined symbol is said of its right side.
    """
    found: list[Obligation] = []
    pending = list(owed)
    while pending:
        o = pending.pop()
        if o.kind in ("positive", "nonzero") and isinstance(o.subject, Pow) and isinstance(o.subject.exponent, Number):
            if o.subject.exponent.value > 0:  # a positive power is zero where its base is
                found.append(replace(o, kind="nonzero", subject=o.subject.base))
                pending.append(found[-1])
        factors = o.subject.args if isinstance(o.subject, Mul) else ()
        there = replace(scope, variables=o.variables, facts=o.facts, assumed=(), hypotheses=())
        if isinstance(o.subject, Entry) and o.kind in ("positive", "nonzero"):
            body = unfold(o.subject, there)
            if body is not None and isinstance(body, (Entry, Mul, Pow)):
                found.append(replace(o, subject=body))
                pending.append(found[-1])
        for k, factor in enumerate(factors):
            others = [f for j, f in enumerate(factors) if j != k]
            if o.kind == "positive" and all(positive(f, there) for f in others):
                found.append(replace(o, subject=factor))
                pending.append(found[-1])
            elif o.kind in ("positive", "nonzero"):
                found.append(replace(o, kind="nonzero", subject=factor))
                pending.append(found[-1])
    return found


def _without_idle_variables(o: Obligation) -> Obligation:
    """Drop variables that the subject does not mention, where a value for them certainly exists."""
    for v in o.variables:
        about_term = o.kind not in ("in range", "condition")  # for these the goal says it all
        if (about_term and v in o.subject.free) or v in guard_free(o.goal):
            continue
        rest = tuple(c for c in o.facts if v not in c.free)
        about = tuple(c for c in o.facts if v in c.free)
        values = [Index()]
        for c in about:
            k = c.index.coefficient(v)
            if abs(k) == 1:
                values.append((c.index - k * Index.var(v)) * -k)
        if not about or any(entails_all(rest, guard_substitute(about, {v: e})) for e in values):
            o = replace(o, variables=tuple(x for x in o.variables if x != v), facts=rest)
    return o


def met(o: Obligation, scope: Scope) -> bool:
    """Whether an obligation is visibly met in its scope."""
    if not consistent(scope.facts):
        return True
    if o.kind in ("in range", "condition"):
        return entails_all(scope.facts, o.goal)
    tests = {"nonzero": nonzero, "positive": positive, "nonnegative": nonnegative, "invertible": invertible}
    return tests[o.kind](o.subject, scope)


class _Walker:
    def __init__(self) -> None:
        self.visits = 0
        self.smooth = 0
        self.averaged = 0
        self.within: set[str] = set()
        self.seen: set[tuple[Term, Guard, tuple[Obligation, ...], bool, bool, frozenset[str]]] = set()

    def walk(self, t: Term, scope: Scope) -> Iterator[tuple[Obligation, Scope]]:
        key = (t, scope.facts, scope.assumed, self.smooth > 0, self.averaged > 0, frozenset(self.within))
        if key in self.seen:
            return
        self.seen.add(key)
        self.visits += 1
        if self.visits > MAX_VISITS:
            raise Refused(
                "obligations", f"at most {MAX_VISITS} places to look at", "more; use fewer nested definitions"
            )

        def owe(kind: str, subject: Term, goal: Guard = ()) -> tuple[Obligation, Scope]:
            about = self.averaged > 0 and scope.theory.depends(subject, scope.theory.random)
            return Obligation(kind, scope.variables, scope.facts, subject, goal, about), scope

        yield from (owe("positive", factor) for factor in _beside_infinity(t, scope))
        if isinstance(t, Expectation):
            self.averaged += 1
            yield from self.walk(t.body, scope.inside(t, 0))
            self.averaged -= 1
            return
        if isinstance(t, Derivative):
            if t.name in scope.theory.definitions:
                raise Refused("obligations", "a derivative by a given tensor", f"{t.name} is defined")
            self.smooth += 1
            yield from self.walk(t.body, scope.inside(t, 0))
            self.smooth -= 1
            return
        if self.smooth:
            yield from (owe("nonzero", value) for value in _ties(t))
        if isinstance(t, Pow):
            kind = _needed(t, scope)
            if kind == "nonnegative" and self.smooth:
                kind = "positive"
            if kind:
                yield owe(kind, t.base)
        elif isinstance(t, Apply) and t.function == "log":
            yield owe("positive", t.arg)
        elif isinstance(t, (Sum, Max)):
            if not bounded(t.var, t.guard):
                raise Refused("obligations", f"a range that bounds {t.var}", str(t))
            if isinstance(t, Max) and not inhabited(t, scope):
                yield owe("condition", t, _not_empty(t))
        elif isinstance(t, Entry):
            shape = scope.theory.shape(t.name)
            if t.is_inverse:
                yield _invertible(t, scope), scope
                inside = guard(*(c for i in t.indices for c in (at_least(i, 0), less(i, t.sizes[0]))))
                goal = tuple(c for c in inside if not entails(scope.facts, c))
                if goal:
                    yield owe("in range", t, goal)
            if shape is not None and not t.sizes and not t.args and len(shape) == len(t.indices):
                inside = guard(
                    *(c for i, n in zip(t.indices, shape, strict=True) for c in (at_least(i, 0), less(i, n)))
                )
                goal = tuple(c for c in inside if not entails(scope.facts, c))
                if goal:
                    yield owe("in range", t, goal)
            small = tuple(c for c in sizes_of(t) if not entails(scope.facts, c))
            if small:
                yield owe("condition", t, small)
            if t.name in scope.theory.definitions:
                body = unfold(t, scope)
                if body is not None:
                    yield from self.walk(body, scope)
                else:
                    missing = _missing(t, scope)
                    if missing:
                        yield owe("condition", t, missing)
                    if t.name not in self.within:
                        for entry, here in self.reached(t, scope):
                            for known, below in _bodies(entry, here):
                                there = here.given(known)
                                if consistent(there.facts):
                                    yield from self.walk(below, there)
                        self.within.discard(t.name)
                return  # what is put for its parameters is looked at where the definition uses it
        for k, child in enumerate(t.children):
            yield from self.walk(child, scope.inside(t, k))

    def reached(self, t: Entry, scope: Scope) -> Iterator[tuple[Entry, Scope]]:
        """The entries whose right sides the value of `t` rests on: itself, and under recursion all that it leads to."""
        found = descent(scope.theory.definitions[t.name])
        if found is None:
            yield t, scope
            return
        self.within.add(t.name)
        place, staying = found
        top = t.indices[place]
        if not entails(scope.facts, at_least(top, 0)):
            yield t, scope
        taken = {*scope.variables, *t.free}
        fresh = {k: _fresh(k, taken) for k in range(len(t.indices)) if k not in staying}
        u = Index.var(fresh[place])
        # the entries that this one leads to are in range, because each of them owes it where it is used
        shape = scope.theory.shape(t.name)
        ranges = [
            c
            for k, name in fresh.items()
            if shape is not None and len(shape) == len(t.indices) and not t.sizes and not t.args
            for c in (at_least(Index.var(name), 0), less(Index.var(name), shape[k]))
        ]
        inside = replace(
            scope,
            variables=(*scope.variables, *fresh.values()),
            facts=guard(*scope.facts, at_least(u, 0), at_least(top, u), *ranges),
        )
        indices = tuple(Index.var(fresh[k]) if k in fresh else i for k, i in enumerate(t.indices))
        yield Entry(t.name, indices, t.args, t.sizes), inside


def _invertible(t: Entry, scope: Scope) -> Obligation:
    """That the matrix of an inverse is invertible: said of the indices and facts that it depends on."""
    reached = set(t.args[0].free)
    while more := {v for c in scope.facts if c.free & reached for v in c.free} - reached:
        reached |= more
    variables = tuple(v for v in scope.variables if v in reached)
    facts = tuple(c for c in scope.facts if c.free & reached)
    return Obligation("invertible", variables, facts, Entry(t.name, (0, 0), t.args, t.sizes))


def _fresh(k: int, taken: set[str]) -> str:
    """An index name that is not in use."""
    name = f"r{k}"
    while name in taken:
        name += "_"
    return name


def _not_empty(t: Max) -> Guard:
    """The constraints that make an interval non-empty; false when the range is not one."""
    lows = [c.index - Index.var(t.var) for c in t.guard if c.relation == ">=" and c.index.coefficient(t.var) == 1]
    highs = [c.index + Index.var(t.var) for c in t.guard if c.relation == ">=" and c.index.coefficient(t.var) == -1]
    if len(lows) == len(highs) == 1 and len(t.guard) == 2 and t.var not in lows[0].free | highs[0].free:
        return guard(at_least(highs[0] + lows[0], 0))
    return guard(at_least(Index((), -1), 0))


def _beside_infinity(t: Term, scope: Scope) -> list[Term]:
    """The factors that must be positive because the one beside them may be minus infinity.

    Refuses where no condition helps: minus infinity in a sum over an index, a power, a function other than exp, a
    derivative, a mean, the test of a case distinction, or twice in a product.
    """
    if isinstance(t, (Add, Max, Case, NegInfinity)) or finite(t, scope.theory):
        return []
    if isinstance(t, Entry) and t.name in scope.theory.definitions:
        return []  # its right side is looked at
    looked_at = t.children[:1] if isinstance(t, Choice) else t.children
    infinite = [k for k, c in enumerate(looked_at) if not finite(c, scope.theory, scope.inside(t, k).facts)]
    if isinstance(t, Mul) and len(infinite) <= 1:
        others = [c for k, c in enumerate(t.children) if infinite and k != infinite[0]]
        for c in others:
            if nonnegative(negative(c), scope):
                raise Refused("obligations", f"positive factors beside {t.children[infinite[0]]}", str(c))
        return others
    if infinite:
        raise Refused("obligations", "finite real values", f"{looked_at[infinite[0]]} may be minus infinity in {t}")
    return []


def _ties(t: Term) -> list[Term]:
    """Values where a term has no derivative when one of them is 0."""
    if isinstance(t, Choice):
        return [t.test]
    if isinstance(t, Apply) and t.function == "abs":
        return [t.arg]
    if isinstance(t, Max):
        values = listed(t)
        if values is None or len(values) != 2:
            raise Refused("obligations", "differentiable functions under a derivative", str(t))
        return [v for v in values if v is not ZERO][:1] if ZERO in values else [values[0] - values[1]]
    return []


def _needed(t: Pow, scope: Scope) -> str:
    """What a power needs of its base; "" when nothing."""
    if not isinstance(t.exponent, Number):
        exponent = integral(t.exponent)
        if exponent is None:
            return "positive"
        return "" if entails(scope.facts, at_least(exponent, 0)) else "nonzero"
    if t.exponent.value.q == 1:
        return "nonzero" if t.exponent.value < 0 else ""
    return "positive" if t.exponent.value < 0 else "nonnegative"


def _missing(t: Entry, scope: Scope) -> Guard:
    """What makes some definition apply at this entry; () when one always does.

    Refuses when several definitions share the name and none is known to apply: that is no single condition.
    """
    found = (applies(d, t) for d in scope.theory.definitions[t.name])
    choices = [place[0] for place in found if place is not None]
    if covered(guard(*scope.facts, *sizes_of(t)), choices):  # that they are sizes is owed apart from this
        return ()
    if len(choices) > 1:
        raise Refused("obligations", f"indices at which one of the definitions of {t.name} is known to apply", str(t))
    return choices[0] if choices else guard(at_least(Index((), -1), 0))


def _bodies(t: Entry, scope: Scope) -> Iterator[tuple[Guard, Term]]:
    """The right sides that an entry may stand for, each with the condition under which it does."""
    for d in scope.theory.definitions[t.name]:
        place = applies(d, t)
        if place is not None:
            known, mapping = place
            sizes = dict(zip(d.sizes, t.sizes, strict=True))
            tensors = {p.name: given for p, given in zip(d.tensors, t.args, strict=True)}
            away = frozenset(scope.variables) | t.free | bound_variables(t)
            try:
                body = substitute(rename_apart(d.body, away), mapping, sizes, tensors)
            except TermError as error:
                raise Refused("obligations", f"a right side of {t.name} that can be looked at", str(error)) from None
            yield known, body
