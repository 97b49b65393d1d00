"""Rules of brackets and of cases of conditions on indices."""

from __future__ import annotations

from derivations.kernel.errors import Refused
from derivations.kernel.linear import consistent, entails_all, equal_indices, equivalent
from derivations.kernel.rules.requirements import must_agree, must_be, must_number_parts
from derivations.kernel.rules.table import rule
from derivations.kernel.scope import Scope
from derivations.language.substitution import rename_apart, substitute
from derivations.language.term import ONE, ZERO, Add, Bracket, Case, Guard, Index, Mul, Number, Term, guard


@rule()
def bracket_congr(before: Term, after: Term, scope: Scope) -> None:
    """Write a bracket by other constraints that hold for the same indices; 1 when they always hold, 0 when never."""
    must_be("bracket_congr", before, Bracket, "a bracket")
    old: Guard = before.condition  # type: ignore[attr-defined]
    if after is ONE:
        if not entails_all(scope.facts, old):
            raise Refused("bracket_congr", f"{before} = 1", "it does not follow here")
    elif after is ZERO:
        if consistent(guard(*scope.facts, *old)):
            raise Refused("bracket_congr", f"{before} = 0", "it does not follow here")
    else:
        must_be("bracket_congr", after, Bracket, "a bracket")
        if not equivalent(scope.facts, old, after.condition):  # type: ignore[attr-defined]
            raise Refused("bracket_congr", f"the indices with {before}", f"those with {after}")


@rule()
def ite_subst(before: Term, after: Term, scope: Scope, factor: int, var: str, value: Index) -> None:
    """Under a bracket that fixes an index, use its value: [i = e] f[i] = [i = e] f[e].

    Refuses when the bracket does not fix the index.
    """
    must_be("ite_subst", before, Mul, "[i = e] * f[i]")
    parts = before.children
    if not 0 <= factor < len(parts) or not isinstance(parts[factor], Bracket):
        raise Refused("ite_subst", f"a bracket as factor {factor}", str(before))
    known = guard(*scope.facts, *parts[factor].condition)  # type: ignore[attr-defined]
    if not equal_indices(known, Index.var(var), value):
        raise Refused("ite_subst", f"a bracket that fixes {var} to {value}", str(parts[factor]))
    new = [
        p if k == factor else substitute(rename_apart(p, {var, *value.free}), {var: value}) for k, p in enumerate(parts)
    ]
    must_agree("ite_subst", Mul(new), after)


@rule(extended=True)
def if_pos(before: Term, after: Term, scope: Scope, branch: int) -> None:
    """Choose the branch of a case distinction whose condition holds here (and no earlier one does)."""
    must_be("if_pos", before, Case, "a case distinction")
    case: Case = before  # type: ignore[assignment]
    must_number_parts("if_pos", (branch,), len(case.children))
    for condition, _ in case.branches[:branch]:
        if consistent(guard(*scope.facts, *condition)):
            raise Refused("if_pos", f"not ({', '.join(map(str, condition))})", "it does not follow here")
    if branch < len(case.branches):
        if not entails_all(scope.facts, case.branches[branch][0]):
            raise Refused("if_pos", f"{case.branches[branch][0]}", "it does not follow here")
    must_agree("if_pos", case.children[branch], after)


@rule()
def if_bracket(before: Term, after: Term, scope: Scope) -> None:
    """A case distinction with two branches as [g] a + (1 - [g]) b."""
    must_be("if_bracket", before, Case, "a case distinction")
    case: Case = before  # type: ignore[assignment]
    if len(case.branches) != 1:
        raise Refused("if_bracket", "one condition", str(before))
    (condition, value), other = case.branches[0], case.otherwise
    test = Bracket(condition)
    must_agree("if_bracket", Add((Mul((test, value)), Mul((Add((ONE, Mul((Number(-1), test)))), other)))), after)


@rule(extended=True)
def apply_ite(before: Term, after: Term, scope: Scope, child: int) -> None:
    """Move a case distinction outwards: f(a if g else b) = f(a) if g else f(b).

    Refuses under a binder of an index that the condition mentions.
    """
    children = before.children
    if not 0 <= child < len(children) or not isinstance(children[child], Case):
        raise Refused("apply_ite", f"a case distinction as child {child}", str(before))
    case: Case = children[child]  # type: ignore[assignment]
    bound, known = before.binding(child)
    if bound or known:
        raise Refused("apply_ite", "a position that binds no index", str(before))

    def around(value: Term) -> Term:
        return before.with_children([*children[:child], value, *children[child + 1 :]])

    must_agree("apply_ite", Case([(g, around(t)) for g, t in case.branches], around(case.otherwise)), after)
