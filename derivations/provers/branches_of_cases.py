"""Written case distinctions: branches that are known, and minus infinity, which is moved outwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derivations.kernel.finiteness import finite
from derivations.kernel.linear import consistent, entails_all
from derivations.kernel.scope import Scope
from derivations.kernel.sign import positive
from derivations.language.term import ONE, Add, Bracket, Case, Choice, Mul, NegInfinity, Number, Term, guard
from derivations.provers import choices
from derivations.provers.trace import Trace

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser


def chosen_branch(t: Case, scope: Scope) -> int | None:
    for k, (condition, _) in enumerate(t.branches):
        if entails_all(scope.facts, condition):
            return k
        if consistent(guard(*scope.facts, *condition)):
            return None
    return len(t.branches)


def as_brackets(t: Case, trace: Trace) -> Term:
    (condition, value), other = t.branches[0], t.otherwise
    test = Bracket(condition)
    return trace.step("if_bracket", t, Add((Mul((test, value)), Mul((Add((ONE, Mul((Number(-1), test)))), other)))))


def move_outwards(n: Normaliser, t: Term, scope: Scope, trace: Trace) -> Term:
    """Move a case distinction that may be -oo outwards."""
    for k, child in enumerate(t.children):
        if isinstance(child, Choice) and not finite(child, n.theory, scope.facts):
            return trace.step("apply_choice", t, choices.around(t, k, child), child=k)
        if isinstance(child, Case) and not finite(child, n.theory, scope.facts):
            children = t.children

            def around(value: Term, k: int = k, children: tuple[Term, ...] = children) -> Term:
                return t.with_children([*children[:k], value, *children[k + 1 :]])

            after = Case([(g, around(b)) for g, b in child.branches], around(child.otherwise))
            return trace.step("apply_ite", t, after, child=k)
    return t


def with_minus_infinity(n: Normaliser, t: Term, scope: Scope, trace: Trace) -> Term:
    if isinstance(t, (Add, Mul)) and any(isinstance(a, NegInfinity) for a in t.args):
        others = [a for a in t.args if not isinstance(a, NegInfinity)]
        if all(finite(a, n.theory, scope.facts) for a in others):
            if isinstance(t, Add):
                return trace.step("bot_add", t, NegInfinity())
            if len(others) == len(t.args) - 1 and all(positive(a, scope) for a in others):
                return trace.step("bot_mul", t, NegInfinity())
    return t
