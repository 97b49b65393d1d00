"""Which random tensors the value of a term depends on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from derivations.kernel.definition import applies
from derivations.kernel.errors import Refused
from derivations.kernel.linear import consistent
from derivations.language.statement import Definition
from derivations.language.term import Derivative, Entry, Expectation, Term, guard

if TYPE_CHECKING:
    from derivations.kernel.scope import Scope


def random_names(t: Term, scope: Scope, bound: Iterable[str] = ()) -> frozenset[str]:
    """The random tensors that the value of a term depends on (an expectation depends on none).

    Of a symbol that is defined by cases those count that can apply to an entry in the term: a start that is a number is
    not random, whatever the steps that follow it are.  Behind that all cases of a symbol count.  `bound` are variables
    of the term that mean others than those of the scope with the same names, as every binder in the term does.
    """
    random = scope.theory.random
    found: set[str] = set()
    seen: set[str] = set()
    unknown = frozenset(bound)
    stack: list[tuple[Term, frozenset[str] | None]] = [(t, unknown)]  # None: behind a definition, nothing is known
    while stack:
        top, own = stack.pop()
        if isinstance(top, Expectation):
            continue
        if isinstance(top, (Entry, Derivative)):
            if top.name in random:
                found.add(top.name)
            rows = scope.theory.definitions.get(top.name, ())
            if own is not None and isinstance(top, Entry):
                stack += [(d.body, None) for d in rows if _may_apply(d, top, scope, own)]
            elif top.name not in seen:
                seen.add(top.name)
                stack += [(d.body, None) for d in rows]
        for k, child in enumerate(top.children):
            stack.append((child, None if own is None else own | frozenset(top.binding(k)[0])))
    return frozenset(found)


def _may_apply(d: Definition, entry: Entry, scope: Scope, bound: frozenset[str]) -> bool:
    """Whether a definition can apply to an entry under the facts of a scope, as far as that is seen."""
    if entry.free & bound or entry.free - set(scope.variables):
        return True  # an index of a binder: nothing is known of it, whatever the scope says of its name
    try:
        applied = applies(d, entry)
    except Refused:
        return True
    return applied is not None and consistent(guard(*scope.facts, *applied[0]))
