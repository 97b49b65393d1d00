"""Running products of positive factors: `P[0] = 1`, `P[k+1] = P[k] f(k)` is the exponential of a sum of logarithms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from derivations.kernel.definition import descent, instance
from derivations.kernel.errors import Refused
from derivations.kernel.scope import Scope
from derivations.kernel.sign import positive
from derivations.language.statement import Definition, Statement
from derivations.language.substitution import bound_variables, fresh, rename_apart, subterms, term_sizes
from derivations.language.term import ONE, Add, Apply, Entry, Index, Mul, Sum, Term, at_least, guard, less, product_of
from derivations.provers.trace import Trace

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser


def exponential_forms(name: str, terms: Sequence[Term], scope: Scope) -> Iterator[tuple[Statement, str]]:
    """For each use of a running product: all its values up to there as exponentials, and the index that counts factors."""
    rows = scope.theory.definitions[name]
    place = _place(rows)
    if place is None:
        return
    seen: set[tuple[Entry, Index]] = set()
    for t in _uses(name, terms, scope):
        last = t.indices[place]
        if (t, last) in seen or (t.free | last.free) - set(scope.variables):
            continue
        seen.add((t, last))
        found = _of(t, place, rows, scope, [*terms, t])
        if found is not None:
            yield found


def logarithms(said: Statement) -> Statement:
    """`log P[m] = s[m]`, for `P[m] = exp(s[m])`."""
    (total,) = said.right.children
    return replace(said, left=Apply("log", said.left), right=total)


def log_of_running_product(n: Normaliser, t: Apply, scope: Scope, trace: Trace) -> Term:
    """`log P[k+1]` as `log P[k] + log f(k)`, before the product of the two is multiplied out."""
    arg = t.arg
    if not isinstance(arg, Entry) or not n.theory.recursive(arg.name) or _place(n.theory.definitions[arg.name]) is None:
        return t
    body = n.unrolled(arg, scope)
    factors = body.args if isinstance(body, Mul) else ()
    if body is None or not factors or not all(positive(f, scope) for f in factors):
        return t
    inner = Trace()
    body = inner.step("unfold", arg, rename_apart(body, scope.variables))
    trace.below(0, inner)
    return trace.step("log_mul", Apply("log", body), Add(Apply("log", f) for f in body.children))


def _place(rows: Sequence[Definition]) -> int | None:
    """Where the number of factors stands, in a symbol that is a running product."""
    if len(rows) != 2 or rows[0].body is not ONE:
        return None
    try:
        found = descent(tuple(rows))
    except Refused:
        return None
    return found[0] if found is not None and rows[0].indices[found[0]] == Index() else None


def _of(
    t: Entry, place: int, rows: Sequence[Definition], scope: Scope, terms: Sequence[Term]
) -> tuple[Statement, str] | None:
    taken = {*scope.variables, *(v for x in terms for v in (*x.free, *bound_variables(x), *term_sizes(x)))}
    m = fresh("m", taken)
    k = fresh("k", {*taken, m})
    here, at, last = Index.var(m), Index.var(k), t.indices[place]
    below = guard(at_least(at, 0), less(at, last))
    inside = scope.given(below)
    found = instance(rows[1], _with(t, place, at + 1), {*scope.variables, m, k}, inside.facts)
    factors = found[0].args if found is not None and isinstance(found[0], Mul) else ()
    rest = [f for f in factors if not (isinstance(f, Entry) and f.name == t.name)]
    if len(rest) + 1 != len(factors) or any(t.name in f.heads for f in rest):
        return None
    factor = product_of(rest)
    there = Scope(scope.theory, (*scope.variables, k), inside.facts, scope.hypotheses, scope.assumed)
    if not positive(factor, there):
        return None
    total = Sum(k, guard(at_least(at, 0), less(at, here)), Apply("log", factor))
    range_ = guard(*scope.facts, at_least(here, 0), at_least(last, here))
    return Statement(_with(t, place, here), "=", Apply("exp", total), (*scope.variables, m), range_), m


def _with(t: Entry, place: int, index: Index) -> Entry:
    return Entry(t.name, (*t.indices[:place], index, *t.indices[place + 1 :]), t.args, t.sizes)


def _uses(name: str, terms: Sequence[Term], scope: Scope) -> Iterator[Entry]:
    """The entries of a symbol in terms, and in what defined symbols in them stand for."""
    pending, seen = list(terms), set[str]()
    while pending:
        for t in subterms(pending.pop()):
            if not isinstance(t, Entry):
                continue
            if t.name == name:
                yield t
            elif t.name in scope.theory.definitions and t.name not in seen and not scope.theory.recursive(t.name):
                seen.add(t.name)
                bodies = (instance(d, t, scope.variables, scope.facts) for d in scope.theory.definitions[t.name])
                pending += [body[0] for body in bodies if body is not None]
