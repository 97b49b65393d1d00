"""Minus infinity has a sort: which terms may have the value -oo.

Scores may be minus infinity, nothing else.  A term is *finite* where -oo does not occur in it outside of `exp`; of a
defined symbol this is computed once, from all of its definitions (`extended_symbols`).  Constraints known at a place
tell which case of a definition can apply there, so `S[i, j]` of a masked S is finite where j <= i is known.

Every judgement and rule that is about real numbers asks `finite` first; the answer "no" means "not found".
"""

from __future__ import annotations

from derivations.kernel.definition import applies
from derivations.kernel.errors import Refused
from derivations.kernel.linear import consistent, entails_all
from derivations.language.statement import Theory
from derivations.language.substitution import rename_apart, substitute
from derivations.language.term import (
    Apply,
    Bracket,
    Case,
    Entry,
    Guard,
    Index,
    IndexValue,
    Max,
    NegInfinity,
    Number,
    Term,
    guard,
    guard_free,
    guard_substitute,
)


def finite(term: Term, theory: Theory, facts: Guard | None = None, within: frozenset[str] = frozenset()) -> bool:
    """Whether the value is certainly a real number: minus infinity occurs only under exp.

    `facts` tell which case of a definition can apply.  `within` are recursive definitions that are being looked at:
    finite where their right sides are, from below.
    """
    if isinstance(term, (Number, IndexValue, Bracket)):
        return True
    if facts is None and not within:
        memo = theory.memo.setdefault("finite terms", {})
        found = memo.get(term)
        if found is None:
            found = memo[term] = _finite(term, theory, None, within)
        return bool(found)
    return _finite(term, theory, facts, within)


def _finite(term: Term, theory: Theory, facts: Guard | None, within: frozenset[str]) -> bool:
    if isinstance(term, NegInfinity):
        return False
    if isinstance(term, Apply) and term.function == "exp":
        return True
    if isinstance(term, Entry):
        if not all(_finite_child(term, k, c, theory, facts, within) for k, c in enumerate(term.children)):
            return False
        if term.name in within or term.name not in theory.definitions:
            return True
        memo = theory.memo.setdefault("finite", {})
        found = memo.get(term.name)
        if found is None:
            inner = within | {term.name}
            found = all(finite(d.body, theory, None, inner) for d in theory.definitions[term.name])
            memo[term.name] = found  # no other symbol leads back to this one, so `within` says nothing of it
        if found or facts is None:
            return bool(found)
        here = theory.memo.setdefault("finite here", {})
        if (term, facts) not in here:
            here[term, facts] = _finite_here(term, theory, facts)
        return bool(here[term, facts])
    if isinstance(term, Max) and facts is not None and not finite(term, theory, None, within):
        return _finite_maximum(term, theory, facts, within)
    for k, child in enumerate(term.children):
        if not _finite_child(term, k, child, theory, facts, within):
            return False
        if isinstance(term, Case) and _last_reached(term, k, facts):
            break
    return True


def _finite_child(term: Term, k: int, child: Term, theory: Theory, facts: Guard | None, within: frozenset[str]) -> bool:
    """Whether a child is finite wherever it is evaluated."""
    if finite(child, theory, None, within):
        return True
    if facts is None:
        return False
    here = guard(*facts, *term.binding(k)[1])
    if isinstance(term, Case) and not consistent(here):
        return True
    return _apart(term, k, facts) and finite(child, theory, here, within)


def _last_reached(t: Case, branch: int, facts: Guard | None) -> bool:
    """Whether a branch applies wherever no earlier one does, so that no later one is reached."""
    return branch < len(t.branches) and entails_all(facts or (), t.branches[branch][0])


def _apart(term: Term, child: int, facts: Guard) -> bool:
    """Whether the names that a term binds are none of those that the facts speak of."""
    return not guard_free(facts) & set(term.binding(child)[0])


def _finite_here(entry: Entry, theory: Theory, facts: Guard) -> bool:
    """Whether the right side of each definition that can apply to an entry is finite there."""
    for d in theory.definitions[entry.name]:
        try:
            found = applies(d, entry)
        except Refused:
            return False
        if found is None:
            continue
        condition, mapping = found
        here = guard(*facts, *condition)
        if not consistent(here):
            continue
        if d.tensors or d.sizes:
            return False
        body = substitute(rename_apart(d.body, {*d.variables, *guard_free(here), *entry.free}), mapping)
        if not _finite_step(body, theory, here, entry.name):
            return False
    return True


def _finite_step(body: Term, theory: Theory, facts: Guard, name: str) -> bool:
    """A right side without a look at its own symbol again, which may be minus infinite there."""
    if isinstance(body, Entry) and body.name == name:
        return False
    if isinstance(body, Max):
        return _finite_maximum(body, theory, facts, frozenset(), name)
    if isinstance(body, Case):
        for k, child in enumerate(body.children):
            here = guard(*facts, *body.binding(k)[1])
            if consistent(here) and not _finite_step(child, theory, here, name):
                return False
            if _last_reached(body, k, facts):
                break
        return True
    return name not in body.heads and finite(body, theory, facts)


def _finite_maximum(top: Max, theory: Theory, facts: Guard, within: frozenset[str], name: str | None = None) -> bool:
    """A maximum is finite where one of its values is."""
    own: Max = rename_apart(top, guard_free(facts))  # type: ignore[assignment]
    for c in own.guard:
        k = c.index.coefficient(own.var)
        if abs(k) != 1:
            continue
        at = {own.var: (c.index - k * Index.var(own.var)) * -k}
        if own.var in at[own.var].free or not entails_all(facts, guard_substitute(own.guard, at)):
            continue
        body = chosen(substitute(rename_apart(own.body, at[own.var].free), at), facts)
        if name is not None and name in body.heads:
            continue
        if finite(body, theory, facts, within):
            return True
    return False


def chosen(t: Term, facts: Guard) -> Term:
    """The branch of `cases` that the facts choose."""
    if isinstance(t, Case):
        for condition, branch in t.branches:
            if entails_all(facts, condition):
                return branch
            if consistent(guard(*facts, *condition)):
                return t
        return t.otherwise
    return t


def extended_symbols(theory: Theory) -> frozenset[str]:
    """The defined symbols whose entries may be minus infinity somewhere."""
    return frozenset(n for n, rows in theory.definitions.items() if not all(finite(d.body, theory) for d in rows))
