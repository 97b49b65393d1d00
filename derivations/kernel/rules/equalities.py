"""Rules of equality: bound names, polynomials, definitions, hypotheses, equal indices."""

from __future__ import annotations

from collections.abc import Mapping

from derivations.kernel import ring as ring_laws
from derivations.kernel.definition import instance
from derivations.kernel.errors import Refused
from derivations.kernel.linear import entails_all, equal_indices
from derivations.kernel.rules.requirements import must_agree, must_be
from derivations.kernel.rules.table import rule
from derivations.kernel.scope import Scope
from derivations.language.substitution import alpha_equal, rename_apart, substitute
from derivations.language.term import Entry, Index, IndexValue, Term, guard_substitute


@rule(extended=True)
def alpha(before: Term, after: Term, scope: Scope) -> None:
    """Rename bound indices.

    Refuses when the two sides differ in more than the names of bound indices.
    """
    must_agree("alpha", before, after)


@rule()
def ring(before: Term, after: Term, scope: Scope) -> None:
    """Equal as polynomials: ring laws, exp(a + b) = exp a exp b, [g][h] = [g and h] (see `ring.py`).

    Refuses when the polynomials differ, or beyond the counted limits.
    """
    left, right = (ring_laws.polynomial(t, scope.theory, scope.facts) for t in (before, after))
    if left != right:
        raise Refused("ring", f"a polynomial equal to {before}", str(after))


@rule(extended=True)
def unfold(before: Term, after: Term, scope: Scope) -> None:
    """Put the right side of its definition for a defined symbol.

    Refuses when no definition matches the entry, or when its condition is not known here.
    """
    must_be("unfold", before, Entry, "an entry of a defined symbol")
    entry: Entry = before  # type: ignore[assignment]
    found = "no definition of that name and shape"
    for definition in scope.theory.definitions.get(entry.name, ()):
        matched = instance(definition, entry, scope.variables, scope.facts)
        if matched is None:
            continue
        body, condition = matched
        if not entails_all(scope.facts, condition):
            found = f"its condition {', '.join(map(str, condition))} is not known here"
            continue
        if alpha_equal(body, after):
            return
        found = f"its right side is {body}, not {after}"
    raise Refused("unfold", f"a definition of {entry.name} that gives {after}", found)


@rule(extended=True)
def hypothesis(before: Term, after: Term, scope: Scope, number: int, at: Mapping[str, Index]) -> None:
    """Use a hypothesis at given indices.

    Refuses when there is no such hypothesis, when its condition is not known here, or when it says something else.
    """
    if not 0 <= number < len(scope.hypotheses):
        raise Refused("hypothesis", f"a number below {len(scope.hypotheses)}", str(number))
    given = scope.hypotheses[number]
    if given.relation != "=":
        raise Refused("hypothesis", "an equation", str(given))
    if set(at) != set(given.indices):
        raise Refused("hypothesis", f"a value for each of {', '.join(given.indices)}", ", ".join(at))
    if not entails_all(scope.facts, guard_substitute(given.guard, at)):
        raise Refused("hypothesis", f"{given.guard} at {dict(at)}", "not known here")
    must_agree("hypothesis", substitute(rename_apart(given.left, scope.variables), at), before)
    must_agree("hypothesis", substitute(rename_apart(given.right, scope.variables), at), after)


@rule(extended=True)
def index_eq(before: Term, after: Term, scope: Scope, var: str, value: Index) -> None:
    """Replace an index by one that is equal here.

    Refuses when the equality does not follow from the constraints in scope, or when the index is bound inside.
    """
    if not equal_indices(scope.facts, Index.var(var), value):
        raise Refused("index_eq", f"{var} = {value}", "it does not follow here")
    must_agree("index_eq", substitute(rename_apart(before, {var, *value.free}), {var: value}), after)


@rule(extended=True)
def index_congr(before: Term, after: Term, scope: Scope) -> None:
    """Write the indices of an entry by others that are equal here.

    Refuses when the equality does not follow from the constraints in scope.
    """
    if isinstance(before, Entry) and isinstance(after, Entry) and not before.args and not after.args:
        pairs = [*zip(before.indices, after.indices, strict=False), *zip(before.sizes, after.sizes, strict=False)]
        same = before.name == after.name and len(before.indices) == len(after.indices)
        same = same and len(before.sizes) == len(after.sizes)
    elif isinstance(before, IndexValue) and isinstance(after, IndexValue):
        pairs, same = [(before.index, after.index)], True
    else:
        raise Refused("index_congr", "two entries of one tensor", f"{before} and {after}")
    if not same or not all(equal_indices(scope.facts, i, j) for i, j in pairs):
        raise Refused("index_congr", f"indices equal to those of {before}", str(after))
