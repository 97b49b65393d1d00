"""Where a step takes place: the variables bound on the way, the constraints known there, and what may be assumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from derivations.kernel.errors import Refused
from derivations.kernel.finiteness import finite
from derivations.language.statement import Statement, Theory
from derivations.language.term import (
    ZERO,
    Choice,
    Derivative,
    Entry,
    Expectation,
    Guard,
    Number,
    Term,
    guard,
    guard_free,
    negative,
)

Path = tuple[int, ...]


@dataclass(frozen=True)
class Obligation:
    """Something that must hold for a statement to be meaningful: `kind` of `subject` wherever `facts` hold.

    Kinds: "nonzero", "positive", "nonnegative" (of a term); "invertible" (of the matrix that the subject, an entry of
    an inverse, inverts); "in range" and "condition" (constraints in `goal`).
    `variables` are the index variables in scope, universally quantified.  What is owed inside an expectation must hold
    in `every_outcome` of the random tensors; anything else is about the outcome at hand, and no use inside of one.
    """

    kind: str
    variables: tuple[str, ...]
    facts: Guard
    subject: Term
    goal: Guard = ()
    every_outcome: bool = False

    def __str__(self) -> str:
        what = {
            "nonzero": f"{self.subject} != 0",
            "positive": f"{self.subject} > 0",
            "nonnegative": f"{self.subject} >= 0",
            "invertible": f"{_inverted(self.subject)} is invertible",
        }.get(self.kind, ", ".join(map(str, self.goal)))
        where = [str(c) for c in self.facts if c.free]
        where = [v for v in self.variables if v not in guard_free(self.facts)] + where
        what += f" for all {', '.join(where)}" if where else ""
        return what + (" in every outcome" if self.every_outcome else "")


def _inverted(subject: Term) -> str:
    """The matrix of an entry of an inverse, in words."""
    if not isinstance(subject, Entry) or not subject.is_inverse:
        return str(subject)
    return str(subject).removeprefix("inverse(").removesuffix(")[0, 0]")


@dataclass(frozen=True)
class Scope:
    """The place of a step: theory, index variables in scope, facts about them, hypotheses, assumed obligations."""

    theory: Theory
    variables: tuple[str, ...]
    facts: Guard
    hypotheses: tuple[Statement, ...] = ()
    assumed: tuple[Obligation, ...] = ()
    lemmas: frozenset[int] = frozenset()
    """The numbers of the hypotheses that are lemmas: what was shown of them holds in every outcome."""

    def inside(self, term: Term, child: int) -> Scope:
        """The scope inside child number `child` of `term`."""
        if isinstance(term, Derivative):
            if term.name in self.theory.constants:
                raise Refused("scope", "a derivative by what is given", f"one by {term.name}, which is a number")
            # inside, only what holds in a neighbourhood: no hypotheses, no "x >= 0"
            return self.nearby(term.name)
        if isinstance(term, Expectation):
            return self.any_outcome()
        if isinstance(term, Choice) and child > 0:
            return self.where_sign(term.test, child == 1)
        bound, known = term.binding(child)
        here = self
        if isinstance(term, Entry):
            here = here.nearby() if term.name in self.theory.differentiating else here
            here = here.any_outcome() if term.name in self.theory.averaging else here
        return here.inside_binder(bound, known)

    def inside_binder(self, bound: tuple[str, ...], known: Guard) -> Scope:
        if not bound and not known:
            return self
        clash = [v for v in bound if v in self.variables]
        if clash:
            raise Refused("scope", "bound variables distinct from those in scope (rename first)", f"{clash[0]} twice")
        return replace(self, variables=self.variables + bound, facts=guard(*self.facts, *known))

    def where_sign(self, value: Term, above: bool) -> Scope:
        """The scope where a value is positive, or where it is not.

        Of a random value nothing is known: inside an expectation it has all of its values.
        """
        if self.theory.random and self.theory.depends(value, self.theory.random):
            return self
        known = Obligation("positive", (), (), value) if above else Obligation("nonnegative", (), (), negative(value))
        return replace(self, assumed=(*self.assumed, known))

    def nearby(self, name: str | None = None) -> Scope:
        """The scope with what holds for all nearby values of a tensor (None: of all tensors) too.

        That is what does not depend on it, and signs other than 0 of what is continuous.
        """
        from derivations.kernel.smoothness import stable

        return replace(self, hypotheses=(), assumed=stable(self, name)) if self.assumed or self.hypotheses else self

    def any_outcome(self) -> Scope:
        """The scope inside an expectation: without what is known of the random values at hand.

        A hypothesis that is no use there leaves its place to an empty one, so that the numbers of the others stay.
        """
        from derivations.kernel.random_names import random_names

        random = self.theory.random
        if not random:
            return self

        def fixed(bound: tuple[str, ...], *terms: Term) -> bool:
            return not any(random_names(t, self, bound) for t in terms)

        assumed = tuple(o for o in self.assumed if o.every_outcome or fixed(o.variables, o.subject))
        known = tuple(
            h if k in self.lemmas or fixed(h.indices, h.left, h.right) else _NOTHING
            for k, h in enumerate(self.hypotheses)
        )
        return replace(self, hypotheses=known, assumed=assumed)

    def given(self, known: Guard) -> Scope:
        """The same scope with more facts."""
        return replace(self, facts=guard(*self.facts, *known))


_NOTHING = Statement(ZERO, "=", ZERO)


def top_scope(theory: Theory, statement: Statement, assumed: tuple[Obligation, ...] = ()) -> Scope:
    """The scope of both sides of a statement."""
    loose = guard_free(statement.guard) - set(statement.indices)
    if loose:
        raise Refused("statement", "conditions on its own indices", f"{min(loose)} is not one of them")
    if len(set(statement.indices)) != len(statement.indices):
        raise Refused("statement", "distinct indices", ", ".join(statement.indices))
    loose = (statement.left.free | statement.right.free) - set(statement.indices)
    if loose:
        raise Refused("statement", "both sides without other free indices", f"{min(loose)} is free")
    for h in statement.hypotheses:
        if h.hypotheses:
            raise Refused("statement", "hypotheses without hypotheses of their own", str(h))
        loose = (h.left.free | h.right.free | guard_free(h.guard)) - set(h.indices)
        if loose:
            raise Refused("statement", "hypotheses about their own indices", f"{min(loose)} in {h}")
        for side in (h.left, h.right):
            if not finite(side, theory, h.guard):
                raise Refused("statement", "hypotheses about real numbers", f"{side} may be minus infinity")
    given = tuple(o for h in statement.hypotheses for o in order_facts(h, theory))
    return Scope(theory, statement.indices, statement.guard, statement.hypotheses, (*assumed, *given))


def order_facts(h: Statement, theory: Theory) -> list[Obligation]:
    """A hypothesis a <= b, a < b or a != b as the sign of b - a; with a number a >= 0 also the sign of b itself.

    Of a != 0 also that a is not 0.

    Nothing where a side may be minus infinity: a difference has no sign there.
    """
    kind = {"<=": "nonnegative", "<": "positive", "!=": "nonzero"}.get(h.relation)
    if kind is None or not (finite(h.left, theory, h.guard) and finite(h.right, theory, h.guard)):
        return []
    found = [Obligation(kind, h.indices, h.guard, h.right - h.left)]
    if isinstance(h.left, Number):
        if h.relation == "!=" and h.left.value == 0:
            found.append(Obligation("nonzero", h.indices, h.guard, h.right))
        elif h.relation != "!=" and h.left.value >= 0:
            sign = "positive" if h.relation == "<" or h.left.value > 0 else "nonnegative"
            found.append(Obligation(sign, h.indices, h.guard, h.right))
    if isinstance(h.right, Number) and h.right.value == 0 and h.relation == "!=":
        found.append(Obligation("nonzero", h.indices, h.guard, h.left))
    return found


def locate(root: Term, path: Path, scope: Scope) -> tuple[Term, Scope]:
    """The subterm at a position, and the scope there."""
    term = root
    for child in path:
        children = term.children
        if not 0 <= child < len(children):
            raise Refused("position", f"a child number below {len(children)}", f"{child} in {term}")
        scope = scope.inside(term, child)
        term = children[child]
    return term, scope


def put(root: Term, path: Path, new: Term) -> Term:
    """`root` with the subterm at `path` replaced."""
    if not path:
        return new
    children: Sequence[Term] = root.children
    child = path[0]
    return root.with_children([*children[:child], put(children[child], path[1:], new), *children[child + 1 :]])
