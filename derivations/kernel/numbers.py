"""Numbers against numbers: sides without indices, sizes and given tensors have values, which balls can tell apart."""

from __future__ import annotations

from flint import fmpq

from derivations.kernel.linear import bounded
from derivations.language.extended_reals import NEG_INF, PRECISION, Indeterminate, WorkLimit, ball, precise
from derivations.language.inputs import Inputs
from derivations.language.meaning import Evaluator
from derivations.language.statement import Theory
from derivations.language.substitution import own_indices, term_sizes
from derivations.language.term import FUNCTIONS, Apply, Derivative, Entry, Expectation, Max, Sum, Term, TermError, atoms

WORK = 20_000
"""Operations counted for one comparison."""


def closed(term: Term, theory: Theory) -> bool:
    """Whether a term, with the definitions it rests on, leaves nothing to be given: it is a number."""
    if term.free or term_sizes(term):
        return False
    for t in theory.reached(term):
        if isinstance(t, (Derivative, Expectation)) or any(term_sizes(t)):
            return False
        if isinstance(t, Apply) and t.function not in FUNCTIONS:
            return False
        if isinstance(t, (Sum, Max)) and not bounded(t.var, t.guard):
            return False
        if theory.is_constant(t):
            continue
        if isinstance(t, Entry) and (t.name not in theory.definitions or t.args or t.sizes):
            return False
        rows = theory.definitions[t.name] if isinstance(t, Entry) else ()
        chosen = (i for d in rows for i in (*d.indices, *(c.index for c in d.condition)))  # which one applies
        if any(a.kind in ("perm", "inverse", "label") or a.sizes for i in (*own_indices(t), *chosen) for a in atoms(i)):
            return False
    return True


def certain(left: Term, relation: str, right: Term, theory: Theory) -> bool:
    """Whether `left relation right` (`<`, `<=` or `!=`) holds for two numbers that are defined: by their exact values
    where these are rational, else by balls that do not meet."""
    if relation not in ("<", "<=", "!=") or not (closed(left, theory) and closed(right, theory)):
        return False
    evaluator = Evaluator(theory, Inputs({}))
    evaluator.work = WORK
    try:
        with precise(PRECISION):
            if not (evaluator.defined(left, {}) and evaluator.defined(right, {})):
                return False
            a, b = evaluator.value(left, {}), evaluator.value(right, {})
            if a is NEG_INF or b is NEG_INF:
                return False
            if isinstance(a, fmpq) and isinstance(b, fmpq):
                return bool({"<": a < b, "<=": a <= b, "!=": a != b}[relation])
            x, y = ball(a), ball(b)
            return not x.overlaps(y) if relation == "!=" else bool(x < y)
    except (Indeterminate, WorkLimit, KeyError, TermError):
        return False
