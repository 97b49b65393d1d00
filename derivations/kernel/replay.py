"""Replay: the only place where a `Theorem` is made."""

from __future__ import annotations

from collections.abc import Iterable

from derivations.kernel import rules
from derivations.kernel.definition import check
from derivations.kernel.errors import Refused
from derivations.kernel.linear import bounded, consistent
from derivations.kernel.obligation import assume, obligations
from derivations.kernel.proof import Clear, Meet, Proof, Sign, Split, Step, steps_of
from derivations.kernel.ring import finite
from derivations.kernel.scope import Scope, locate, put, top_scope
from derivations.kernel.sign import nonnegative, nonzero, positive
from derivations.kernel.theorem import Assumption, Theorem
from derivations.language.term import Max, Mul, Statement, Sum, Term, Theory, alpha_equal, guard, subterms

MAX_STEPS = 20_000

_checked: dict[int, Theory] = {}


def replay(theory: Theory, statement: Statement, proof: Proof) -> Theorem:
    """Check a proof and return its theorem.

    Re-admits the definitions, computes what must be defined, and replays every step.  Obligations that are not
    visibly met become assumptions of the theorem.  Raises `Refused` (with the number of the step) or `NotConservative`.
    """
    if _checked.get(id(theory)) is not theory:
        check(theory)
        if len(_checked) > 64:
            _checked.clear()
        _checked[id(theory)] = theory
    scope = top_scope(theory, statement)
    loose = (statement.left.free | statement.right.free) - set(statement.indices)
    if loose:
        raise Refused("statement", "both sides without other free indices", f"{min(loose)} is free")
    steps = list(steps_of(proof))
    if len(steps) > MAX_STEPS:
        raise Refused("replay", f"at most {MAX_STEPS} steps", str(len(steps)))
    _laws(theory, statement, scope)
    open_ = obligations(statement, scope)
    _prove(proof, statement.left, statement.relation, statement.right, assume(scope, open_))
    assumptions = [Assumption(str(o), "definedness", o) for o in open_]
    used = {s.args.get("number") for s in steps if s.rule == "hypothesis"}
    assumptions += [
        Assumption(str(h), "document", h)
        for k, h in enumerate(statement.hypotheses)
        if k in used or h.relation != "="  # the sign checks may call upon these anywhere
    ]
    assumptions += [Assumption(law, "document", statement) for law in _used_laws(theory, statement)]
    return Theorem(statement, theory, tuple(assumptions), proof, tuple(sorted({s.rule for s in steps})))


def _laws(theory: Theory, statement: Statement, scope: Scope) -> None:
    """Means and variances are not random themselves, and no hypothesis ties random entries."""
    for t in theory.tensors.values():
        for moment in (t.law.mean, t.law.variance) if t.law is not None else ():
            if moment is not None and (moment.free or rules.random_names(moment, scope)):
                raise Refused("statement", f"a mean and a variance of {t.name} that are numbers", str(moment))
    for h in statement.hypotheses:
        for side in (h.left, h.right):
            tied = rules.random_names(side, scope)
            if tied:
                raise Refused("statement", "hypotheses about expectations only", f"{h} about {min(tied)}")


def _used_laws(theory: Theory, statement: Statement) -> list[str]:
    """What is assumed of the random tensors that the statement depends on."""
    found = []
    for name in sorted(theory.random):
        if any(theory.depends(t, frozenset((name,))) for t in (statement.left, statement.right)):
            law = theory.tensors[name].law
            known = [f"{what} {t}" for what, t in (("mean", law.mean), ("variance", law.variance)) if t is not None]  # type: ignore[union-attr]
            found.append(f"the entries of {name} are independent" + (f" with {' and '.join(known)}" if known else ""))
    return found


def run(start: Term, steps: Iterable[Step], scope: Scope) -> Term:
    """The term that a chain of steps leads to; raises `Refused` at the first step that is not right."""
    term = start
    for number, step in enumerate(steps, 1):
        where = f"step {number}, position {'.'.join(map(str, step.path)) or 'top'}"
        try:
            before, here = locate(term, step.path, scope)
            if before is not step.before:
                raise Refused(step.rule, f"the term {step.before}", str(before))
            if step.back:
                rules.apply(step.rule, step.after, step.before, here, step.args)
            else:
                rules.apply(step.rule, step.before, step.after, here, step.args)
            _well_bounded(step.after, step.rule)
            loose = step.after.free - step.before.free - set(here.variables)
            if loose:
                raise Refused(step.rule, "no new free index", f"{min(loose)} appears")
        except Refused as refusal:
            raise refusal.at(where) from None
        term = put(term, step.path, step.after)
    return term


def _well_bounded(term: Term, rule: str) -> None:
    """Sums without bounds have no value; none may enter a proof."""
    for t in subterms(term):
        if isinstance(t, (Sum, Max)) and not bounded(t.var, t.guard):
            raise Refused(rule, f"a range that bounds {t.var}", str(t))


def _prove(proof: Proof, left: Term, relation: str, right: Term, scope: Scope) -> None:
    if isinstance(proof, Split):
        _prove(proof.holds, left, relation, right, scope.given((proof.on,)))
        alternatives = proof.on.negations()
        loose = proof.on.free - set(scope.variables)
        if loose:
            raise Refused("split", "a condition on indices in scope", f"{min(loose)} in {proof.on}")
        if len(proof.fails) != len(alternatives):
            raise Refused("split", f"{len(alternatives)} other cases", str(len(proof.fails)))
        for other, rest in zip(alternatives, proof.fails, strict=True):
            _prove(rest, left, relation, right, scope.given((other,)))
    elif not consistent(guard(*scope.facts)):
        return  # this case is empty: nothing is claimed about it
    elif isinstance(proof, Meet):
        if relation not in ("=", "<="):
            raise Refused("meet", "an equation (or <=)", relation)
        first, second = run(left, proof.left, scope), run(right, proof.right, scope)
        if not alpha_equal(first, second):
            raise Refused("meet", f"both sides to end in one term: {first}", str(second))
    elif isinstance(proof, Clear):
        if relation not in ("=", "<=", "<"):
            raise Refused("clear", "an equation or an order relation", relation)
        _well_bounded(proof.factor, "clear")
        rules_scope_free = proof.factor.free - set(scope.variables)
        if rules_scope_free:
            raise Refused("clear", "a factor without new free indices", str(proof.factor))
        for side in (left, right, proof.factor):
            if not finite(side, scope.theory):
                raise Refused("clear", "finite real values", f"{side} may be minus infinity")
        if relation == "=" and not nonzero(proof.factor, scope):
            raise Refused("clear", f"{proof.factor} != 0", "it is neither visible nor assumed")
        if relation != "=" and not positive(proof.factor, scope):
            raise Refused("clear", f"{proof.factor} > 0", "it is neither visible nor assumed")
        _prove(proof.rest, Mul((left, proof.factor)), relation, Mul((right, proof.factor)), scope)
    elif isinstance(proof, Sign):
        for side in (left, right):
            if not finite(side, scope.theory):
                raise Refused("sign", "finite real values", f"{side} may be minus infinity")
        difference = run(right - left, proof.steps, scope)
        test = {"<": positive, "<=": nonnegative, "!=": nonzero}.get(relation)
        if test is None or not test(difference, scope):
            raise Refused("sign", f"{difference} to be visibly {relation} 0 from the right", "not visible")
    else:
        raise Refused("replay", "a proof", type(proof).__name__)
