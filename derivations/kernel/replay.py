"""Replay: the only place where a `Theorem` is made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from derivations.kernel import rules
from derivations.kernel.definition import check
from derivations.kernel.errors import Refused
from derivations.kernel.finiteness import finite
from derivations.kernel.linear import bounded, consistent, entails
from derivations.kernel.numbers import certain
from derivations.kernel.obligation import assume, obligations
from derivations.kernel.proof import (
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
    require_plain,
    steps_of,
)
from derivations.kernel.random_names import random_names
from derivations.kernel.scope import Scope, locate, order_facts, put, top_scope
from derivations.kernel.sign import nonnegative, nonzero, positive
from derivations.kernel.theorem import Assumption, Theorem
from derivations.language.statement import Law, Statement, Tensor, Theory
from derivations.language.substitution import alpha_equal, rename_apart, substitute, subterms
from derivations.language.term import (
    Apply,
    Derivative,
    Expectation,
    Index,
    Max,
    Mul,
    Sum,
    Term,
    at_least,
    equal,
    guard,
    guard_free,
    guard_substitute,
    negative,
)

MAX_STEPS = 20_000

_checked: dict[int, Theory] = {}


def replay(theory: Theory, statement: Statement, proof: Proof) -> Theorem:
    """Check a proof and return its theorem.

    Re-admits the definitions, computes what must be defined, and replays every step.  Obligations that are not
    visibly met become assumptions of the theorem.  Raises `Refused` (with the number of the step) or `NotConservative`.
    """
    require_plain(proof, statement)
    if _checked.get(id(theory)) is not theory:
        require_plain(theory)
        check(theory)
        if len(_checked) > 64:
            _checked.clear()
        _checked[id(theory)] = theory
    scope = top_scope(theory, statement)
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
    laws = _used_laws(theory, statement, steps)
    assumptions += [Assumption(_law(t, len(laws) == 1), "document", t) for t in laws]
    return Theorem(statement, theory, tuple(assumptions), proof, tuple(sorted({s.rule for s in steps})))


def _laws(theory: Theory, statement: Statement, scope: Scope) -> None:
    """Means and variances are not random themselves, and no hypothesis ties random entries."""
    for t in theory.tensors.values():
        for moment in (t.law.mean, t.law.variance) if t.law is not None else ():
            if moment is None:
                continue
            _well_bounded(moment, "statement")
            inside = any(isinstance(u, (Expectation, Derivative)) for u in theory.reached(moment))
            if moment.free or inside or theory.depends(moment, theory.random):
                raise Refused("statement", f"a mean and a variance of {t.name} that are numbers", str(moment))
        spread = t.law.variance if t.law is not None else None
        if spread is not None and positive(negative(spread), scope):
            raise Refused("statement", f"a variance of {t.name} that is not negative", str(spread))
    for h in statement.hypotheses:
        for side in (h.left, h.right):
            _well_bounded(side, "statement")
            tied = random_names(side, scope, h.indices)
            if tied:
                raise Refused("statement", "hypotheses about expectations only", f"{h} about {min(tied)}")


def _used_laws(theory: Theory, statement: Statement, steps: list[Step]) -> list[Tensor]:
    """The random tensors that the statement, a hypothesis or a step about expectations depends on."""
    terms = [side for s in (statement, *statement.hypotheses) for side in (s.left, s.right)]
    terms += [t for s in steps if s.rule.startswith("expect_") for t in (s.before, s.after)]
    names = (n for n in sorted(theory.random) if any(theory.depends(t, frozenset((n,))) for t in terms))
    return [theory.tensors[n] for n in names]


def _law(t: Tensor, alone: bool) -> str:
    """What is assumed of a random tensor, `alone` or beside others; that its entries are independent only tells something
    where their moments are given, as no rule takes the entries of one tensor apart otherwise."""
    law = t.law or Law()
    known = [f"{what} {m}" for what, m in (("mean", law.mean), ("variance", law.variance)) if m is not None]
    if known:
        kind = "independent and normally distributed" if law.normal else "independent"
        return f"the entries of {t.name} are {kind} with {' and '.join(known)}"
    return f"{t.name} is random" if alone else f"{t.name} is random, and independent of the other random tensors"


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


def inductive_step(var: str, start: Index, left: Term, relation: str, right: Term, scope: Scope) -> Scope:
    """The scope above the start of an induction, with the statement one below as the last hypotheses.

    Refuses when the variable has values below the start, when the place below may leave what is known here, or when
    a hypothesis speaks of the variable.
    """
    here = Index.var(var)
    if var not in scope.variables:
        raise Refused("induction", "an index variable of the statement", var)
    if not start.free <= set(scope.variables) - {var}:
        raise Refused("induction", f"a start without {var} and new indices", str(start))
    if not entails(scope.facts, at_least(here, start)):
        raise Refused("induction", f"{var} >= {start}", "not known here")
    above = scope.given((at_least(here, start + 1),))
    below = {var: here - 1}
    if not consistent(above.facts):
        return above
    for c in guard_substitute(scope.facts, below):
        if not entails(above.facts, c):
            raise Refused(
                "induction", f"{c} where {var} >= {start + 1}", "not known: the place below may not be in range"
            )
    for h in scope.hypotheses:
        if var in (h.left.free | h.right.free | guard_free(h.guard)) - set(h.indices):
            raise Refused("induction", f"hypotheses that do not speak of {var}", str(h))
    others = tuple(v for v in scope.variables if v != var)
    first, second = (substitute(rename_apart(side, scope.variables), below) for side in (left, right))
    same = Statement(first, relation, second)
    all_ = Statement(first, relation, second, others, guard_substitute(scope.facts, below))
    # the statement below for all other indices: only where the start is one number for all of them, and where nothing
    # is known that holds for the present ones alone
    alone = any((h.left.free | h.right.free | guard_free(h.guard)) - set(h.indices) for h in scope.hypotheses) or any(
        (o.subject.free | guard_free(o.goal + o.facts)) - set(o.variables) for o in scope.assumed
    )
    known = (same, all_) if others and not start.free and not alone else (same,)
    assumed = _without(var, scope).assumed
    signs = tuple(o for h in known for o in order_facts(h, scope.theory))
    return replace(above, hypotheses=(*scope.hypotheses, *known), assumed=(*assumed, *signs))


def _without(var: str, scope: Scope) -> Scope:
    """The scope without what is assumed of the present value of an index: at another one it need not hold."""
    kept = (o for o in scope.assumed if var not in (o.subject.free | guard_free(o.goal + o.facts)) - set(o.variables))
    return replace(scope, assumed=tuple(kept))


def lemma_scope(lemma: Statement, scope: Scope) -> Scope:
    """The scope in which a lemma is shown: its own indices, and what is known without those of the statement.

    Refuses a lemma with hypotheses, with other free indices, or that may be undefined somewhere.
    """
    loose = (lemma.left.free | lemma.right.free | guard_free(lemma.guard)) - set(lemma.indices)
    if loose or lemma.hypotheses or len(set(lemma.indices)) != len(lemma.indices):
        raise Refused("lemma", "a statement about its own indices, without hypotheses", str(lemma))
    if any((h.left.free | h.right.free | guard_free(h.guard)) - set(h.indices) for h in scope.hypotheses):
        raise Refused("lemma", "a place outside of inductions", str(lemma))
    known = scope.any_outcome()  # the lemma may be called upon inside an expectation
    closed = tuple(o for o in known.assumed if not (o.subject.free | guard_free(o.goal + o.facts)) - set(o.variables))
    there = Scope(scope.theory, lemma.indices, lemma.guard, known.hypotheses, closed, known.lemmas)
    owed = obligations(lemma, there)
    if owed:
        raise Refused("lemma", f"a lemma that is defined everywhere: {owed[0]}", str(lemma))
    return there


def with_lemma(lemma: Statement, scope: Scope) -> Scope:
    """The scope with the lemma as its last hypothesis; as it was shown without what is known of the outcome at hand, it holds
    in every one."""
    return replace(
        scope,
        hypotheses=(*scope.hypotheses, lemma),
        assumed=(*scope.assumed, *order_facts(lemma, scope.theory)),
        lemmas=scope.lemmas | {len(scope.hypotheses)},
    )


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
    elif isinstance(proof, SignSplit):
        _well_bounded(proof.on, "signs")
        loose = proof.on.free - set(scope.variables)
        if loose:
            raise Refused("signs", "a value without new free indices", f"{min(loose)} in {proof.on}")
        if not finite(proof.on, scope.theory, scope.facts):
            raise Refused("signs", "finite real values", f"{proof.on} may be minus infinity")
        _prove(proof.above, left, relation, right, scope.where_sign(proof.on, True))
        _prove(proof.otherwise, left, relation, right, scope.where_sign(proof.on, False))
    elif isinstance(proof, Induct):
        above = inductive_step(proof.var, proof.start, left, relation, right, scope)
        start = _without(proof.var, scope).given((equal(Index.var(proof.var), proof.start),))
        _prove(proof.base, left, relation, right, start)
        _prove(proof.step, left, relation, right, above)
    elif isinstance(proof, Have):
        lemma = proof.lemma
        _prove(proof.why, lemma.left, lemma.relation, lemma.right, lemma_scope(lemma, scope))
        _prove(proof.rest, left, relation, right, with_lemma(lemma, scope))
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
            if not finite(side, scope.theory, scope.facts):
                raise Refused("clear", "finite real values", f"{side} may be minus infinity")
        if relation == "=" and not nonzero(proof.factor, scope):
            raise Refused("clear", f"{proof.factor} != 0", "it is neither visible nor assumed")
        if relation != "=" and not positive(proof.factor, scope):
            raise Refused("clear", f"{proof.factor} > 0", "it is neither visible nor assumed")
        _prove(proof.rest, Mul((left, proof.factor)), relation, Mul((right, proof.factor)), scope)
    elif isinstance(proof, Raise):
        for side in (left, right):
            if not finite(side, scope.theory, scope.facts):
                raise Refused("raise", "finite real values", f"{side} may be minus infinity")
        _prove(proof.rest, Apply("exp", left), relation, Apply("exp", right), scope)
    elif isinstance(proof, Sign):
        for side in (left, right):
            if not finite(side, scope.theory, scope.facts):
                raise Refused("sign", "finite real values", f"{side} may be minus infinity")
        difference = run(right - left, proof.steps, scope)
        test = {"<": positive, "<=": nonnegative, "!=": nonzero}.get(relation)
        if test is None or not test(difference, scope):
            raise Refused("sign", f"{difference} to be visibly {relation} 0 from the right", "not visible")
    elif isinstance(proof, Compute):
        if not certain(left, relation, right, scope.theory):
            raise Refused("compute", "two numbers whose values tell", f"{left} {relation} {right}")
    else:
        raise Refused("replay", "a proof", type(proof).__name__)
