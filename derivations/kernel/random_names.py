"""Which random tensors the value of a term depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derivations.kernel.definition import applies
from derivations.kernel.errors import Refused
from derivations.kernel.linear import consistent
from derivations.language.statement import Definition
from derivations.language.term import Derivative, Entry, Expectation, Term, guard

if TYPE_CHECKING:
    from derivations.kernel.scope import Scope


def random_names(t: Term, scope: Scope) -> frozenset[str]:
    """The random tensors that the value of a term depends on (an expectation depends on none).

    Of a symbol that is defined by cases those count that can apply to an entry in the term: a start that is a number is
    not random, whatever the steps that follow it are.  Behind that all cases of a symbol count.
    """
    random = scope.theory.random
    found: set[str] = set()
    seen: set[str] = set()
    stack = [(t, True)]
    while stack:
        top, is_own = stack.pop()
        if isinstance(top, Expectation):
            continue
        if isinstance(top, (Entry, Derivative)):
            if top.name in random:
                found.add(top.name)
            rows = scope.theory.definitions.get(top.name, ())
            if is_own and isinstance(top, Entry):
                stack += [(d.body, False) for d in rows if _may_apply(d, top, scope)]
            elif top.name not in seen:
                seen.add(top.name)
                stack += [(d.body, False) for d in rows]
        stack += [(child, is_own) for child in top.children]
    return frozenset(found)


def _may_apply(d: Definition, entry: Entry, scope: Scope) -> bool:
    """Whether a definition can apply to an entry under the facts of a scope, as far as that is seen."""
    if entry.free - set(scope.variables):
        return True  # an index that is bound further up in the term: nothing is known of it
    try:
        applied = applies(d, entry)
    except Refused:
        return True
    return applied is not None and consistent(guard(*scope.facts, *applied[0]))
