"""Equations between sums of products as rewriting rules: `M inverse(M) = I`, `Q^T Q = I`, `A^k A = A^(k+1)`.

The largest monomial of the left side is looked for in the monomials of a normal form, as part of their products.  Where
it is found, it is the whole left side less the other monomials, and the kernel replaces the left side.  Every match is a
proposal: the two forms are normalised and compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, permutations, product
from typing import Any

from flint import fmpq

from derivations.kernel.linear import consistent, entails_all
from derivations.kernel.proof import Chain, Step
from derivations.kernel.scope import Path, Scope, put
from derivations.kernel.sign import invertible, match
from derivations.language.statement import Statement
from derivations.language.substitution import (
    Capture,
    alpha_equal,
    bound_variables,
    canonical,
    fresh,
    rename_apart,
    substitute,
    subterms,
)
from derivations.language.term import (
    ZERO,
    Add,
    Apply,
    Bracket,
    Entry,
    Guard,
    Index,
    Lambda,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    equal,
    guard,
    guard_free,
    guard_substitute,
    inverse,
    within,
)
from derivations.provers.hypotheses import is_symmetry
from derivations.provers.normal import Normaliser
from derivations.provers.trace import Trace, reverse

MAX_TURNED = 24
"""Forms that are looked at with some entries of symmetric matrices turned."""
MAX_REWRITES = 40
"""Rewriting steps in one term."""
MAX_MATCHES = 200
"""Ways to match a monomial that are tried."""


@dataclass(frozen=True)
class Flat:
    """A monomial: its number, the bound indices of its sums, its factors."""

    number: fmpq
    binders: tuple[tuple[str, Guard], ...]
    factors: tuple[Term, ...]


@dataclass(frozen=True)
class Rewriting:
    """`left = right` for all `variables` within `facts`, by a rule of the kernel; `leading` is the largest monomial of
    the left side's normal form, `rest` are the others."""

    left: Term
    right: Term
    variables: tuple[str, ...]
    facts: Guard
    leading: Flat
    rest: Term
    rule: str
    args: Callable[[dict[str, Index], Scope], dict[str, Any] | None]
    """What the kernel is told at values of the variables in a scope; None where the rule cannot be used."""

    @cached_property
    def heads(self) -> frozenset[str]:
        """The tensors without which it never applies."""
        return frozenset(h for f in self.leading.factors for h in f.heads)


def rewrite(term: Term, scope: Scope, normaliser: Normaliser, trace: Trace) -> Term:
    """The normal form of a term in which no rewriting applies any more."""
    seen = {canonical(term)}
    for _ in range(MAX_REWRITES):
        rules = [*inverses(term, scope, normaliser), *given(scope, normaliser)]
        inner = Trace()
        changed = _once(term, scope, rules, normaliser, inner) if rules else None
        if changed is None and rules:
            changed = _once_turned(term, scope, rules, normaliser, inner)
        if changed is None:
            return turned(term, scope, normaliser, trace)
        result, rest = normaliser.start(changed, scope)
        if canonical(result) in seen:
            return term
        seen.add(canonical(result))
        trace.then(inner)
        trace.then(rest)
        term = result
    return term


# --- inverses of symmetric matrices ---------------------------------------------------------------------------------


def symmetry(matrix: Term, scope: Scope, normaliser: Normaliser) -> Statement | None:
    """That the inverse of a matrix is symmetric, for one that is; to be shown."""
    if not isinstance(matrix, Entry) or not matrix.is_inverse or matrix.free:
        return None
    names: list[str] = []
    for hint in ("x", "y"):
        names.append(fresh(hint, {*scope.variables, *names, *bound_variables(matrix)}))
    x, y = map(Index.var, names)
    (given_,), (length,) = matrix.args, matrix.sizes
    facts = guard(*(c for v in names for c in within(v, 0, length)))
    inside = Scope(scope.theory, tuple(names), facts, scope.hypotheses)
    body = rename_apart(given_.body, names)
    sides = [substitute(body, dict(zip(given_.params, at, strict=True))) for at in ((x, y), (y, x))]
    first, second = (turned(normaliser.start(s, inside)[0], inside, normaliser, Trace()) for s in sides)
    if not alpha_equal(first, second):
        return None
    return Statement(inverse(given_, length, x, y), "=", inverse(given_, length, y, x), tuple(names), facts)


def exchanges(forms: Sequence[Term], scope: Scope) -> Iterator[list[Statement]]:
    """For two matrices that are assumed to be invertible and a matrix P in some normal forms with as many rows as the one and
    columns as the other: that `inverse(M) P = P inverse(N)`, and that `P^T inverse(M) = inverse(N) P^T`; to be shown."""
    subjects = [o.subject for o in scope.assumed if o.kind == "invertible" and not o.variables]
    found = dict.fromkeys(t for t in subjects if isinstance(t, Entry) and t.is_inverse and not t.free)
    entries = [t for form in forms for t in subterms(form) if isinstance(t, Entry) and not t.args]
    names = dict.fromkeys(t.name for t in entries if len(t.indices) == 2)  # a matrix has two indices
    for (m, n), name in product(permutations(found, 2), names):
        (height,), (width,) = m.sizes, n.sizes
        shape = scope.theory.shape(name)
        if shape == (height, width):
            yield [_exchange(m, n, name, False, left) for left in (True, False)]
        if shape == (width, height):
            yield [_exchange(m, n, name, True, left) for left in (True, False)]


def _exchange(m: Entry, n: Entry, name: str, transposed: bool, left: bool) -> Statement:
    """That the inverse of M times P is P times the inverse of N, from the left or from the right of P^T."""
    taken = {*bound_variables(m), *bound_variables(n)}
    i, j, c = (Index.var(fresh(hint, taken)) for hint in "ijc")
    (height,), (width,) = m.sizes, n.sizes

    def total(length: Index, *factors: Term) -> Term:
        (bound,) = c.free
        return Sum(bound, within(bound, 0, length), Mul(factors))

    def between(row: Index, column: Index) -> Entry:
        return Entry(name, (column, row) if transposed else (row, column))

    def entry(of: Entry, row: Index, column: Index) -> Entry:
        return Entry(of.name, (row, column) if left else (column, row), of.args, of.sizes)

    variables = tuple(min(v.free) for v in (i, j))
    facts = guard(*within(variables[0], 0, height), *within(variables[1], 0, width))
    first = total(height, entry(m, i, c), between(c, j))
    return Statement(first, "=", total(width, between(i, c), entry(n, c, j)), variables, facts)


def turned(term: Term, scope: Scope, normaliser: Normaliser, trace: Trace) -> Term:
    """The normal form with entries of symmetric matrices, and of their inverses, turned where that gives the smaller text."""
    laws = [(k, h) for k, h in enumerate(scope.hypotheses) if is_symmetry(h)]
    for _ in range(MAX_REWRITES if laws else 0):
        best = min(_turns(term, scope, laws, normaliser), key=lambda row: _length(row[0]), default=None)
        if best is None or _length(best[0]) >= _length(term):
            return term
        trace.then(best[1])
        term = best[0]
    return term


def turned_into(first: Term, second: Term, scope: Scope, normaliser: Normaliser) -> Trace | None:
    """Steps from one normal form to another one that has the same entries, some of symmetric matrices turned: where several
    have to be turned at once, none by itself gives a smaller text."""
    laws = [(k, h) for k, h in enumerate(scope.hypotheses) if is_symmetry(h)]
    if not laws or _entries_of(first) != _entries_of(second):
        return None
    seen, todo = {canonical(first)}, [(first, Trace())]
    while todo and len(seen) < MAX_TURNED:
        term, trace = todo.pop(0)
        for other, steps in _turns(term, scope, laws, normaliser):
            if canonical(other) in seen:
                continue
            seen.add(canonical(other))
            whole = Trace()
            whole.then(trace)
            whole.then(steps)
            if alpha_equal(other, second):
                return whole
            todo.append((other, whole))
    return None


def _entries_of(term: Term) -> Counter[str]:
    """How often each array occurs in a term."""
    return Counter(t.name for t in subterms(term) if isinstance(t, Entry))


def _once_turned(term: Term, scope: Scope, rules: list[Rewriting], normaliser: Normaliser, trace: Trace) -> Term | None:
    """The term with one rewriting done after an entry of a symmetric matrix is turned: `sum(c; H[c, i] inverse(H)[c, j])`."""
    inverted = {t.args[0].body for t in subterms(term) if isinstance(t, Entry) and t.is_inverse}
    heads = {b.name for b in inverted if isinstance(b, Entry)}
    laws = [(k, h) for k, h in enumerate(scope.hypotheses) if is_symmetry(h) and h.left.name in heads]  # type: ignore[attr-defined]
    for other, steps in _turns(term, scope, laws, normaliser) if laws else ():
        inner = Trace()
        changed = _once(other, scope, rules, normaliser, inner)
        if changed is not None:
            trace.then(steps)
            trace.then(inner)
            return changed
    return None


def _length(term: Term) -> tuple[int, str]:
    """The order in which terms are simpler: the shorter text, else the first."""
    text = str(canonical(term))
    return len(text), text


def _turns(
    term: Term, scope: Scope, laws: list[tuple[int, Statement]], normaliser: Normaliser
) -> Iterator[tuple[Term, Trace]]:
    """The term with one entry of a symmetric matrix turned, normalised, for each such entry."""
    for path, entry, here in _entries_at(term, scope, (), frozenset(h.left.name for _, h in laws)):  # type: ignore[attr-defined]
        for number, h in laws:
            if h.left.name != entry.name:  # type: ignore[attr-defined]
                continue
            at = {min(i.free): k for i, k in zip(h.left.indices, entry.indices, strict=True)}  # type: ignore[attr-defined]
            before, after = (substitute(rename_apart(t, here.variables), at) for t in (h.left, h.right))
            first, steps = normaliser.start(before, here)
            if not alpha_equal(first, entry) or not entails_all(here.facts, guard_substitute(h.guard, at)):
                continue
            trace, inner = Trace(), Trace()
            if first is not entry:
                inner.step("alpha", entry, first)
            for step in reverse(steps.chain()):
                inner.at(step)
            inner.step("hypothesis", before, after, number=number, at=at)
            for step in inner.chain(path):
                trace.at(step)
            result, rest = normaliser.start(put(term, path, after), scope)
            trace.then(rest)
            yield result, trace


def _entries_at(term: Term, scope: Scope, path: Path, names: frozenset[str]) -> Iterator[tuple[Path, Entry, Scope]]:
    if isinstance(term, Entry) and term.name in names:
        yield path, term, scope
    if isinstance(term, Entry):
        return
    for k, child in enumerate(term.children):
        yield from _entries_at(child, scope.inside(term, k), (*path, k), names)


# --- rewriting ------------------------------------------------------------------------------------------------------


def _once(term: Term, scope: Scope, rules: list[Rewriting], normaliser: Normaliser, trace: Trace) -> Term | None:
    """The term with one rewriting done in one of its monomials, or in one inside a function or a power, or None."""
    monomials = term.args if isinstance(term, Add) else (term,)
    for k, m in enumerate(monomials):
        for rule in rules:
            inner = Trace()
            new = _in_monomial(m, scope, rule, normaliser, inner)
            if new is None:
                continue
            if not isinstance(term, Add):
                trace.then(inner)
                return new
            trace.below(k, inner)
            return term.with_children([*monomials[:k], new, *monomials[k + 1 :]])
    heads = frozenset.intersection(*(rule.heads for rule in rules))
    return _inside(term, scope, rules, heads, normaliser, trace)


def _inside(
    term: Term, scope: Scope, rules: list[Rewriting], heads: frozenset[str], normaliser: Normaliser, trace: Trace
) -> Term | None:
    """The term with one rewriting done in the argument of a function or the base of a power, or None."""
    if isinstance(term, Entry) or not heads <= term.heads:
        return None
    for k, child in enumerate(term.children):
        inner = Trace()
        here = scope.inside(term, k)
        if isinstance(term, Apply) or (isinstance(term, Pow) and k == 0):
            new = _once(child, here, rules, normaliser, inner)
        else:
            new = _inside(child, here, rules, heads, normaliser, inner)
        if new is not None:
            trace.below(k, inner)
            return term.with_children([*term.children[:k], new, *term.children[k + 1 :]])
    return None


# --- the rules ------------------------------------------------------------------------------------------------------


def inverses(term: Term, scope: Scope, normaliser: Normaliser) -> Iterator[Rewriting]:
    """M inverse(M) = I and inverse(M) M = I for the inverses in a term."""
    for entry in _inverted(term, scope):
        if known_invertible(entry, scope, normaliser) is None:
            continue
        for right in (True, False):
            made = _of_inverse(entry, right, scope, normaliser)
            if made is not None:
                yield made


def _inverted(term: Term, scope: Scope) -> list[Entry]:
    """One entry of each inverse that depends on nothing bound in the term."""
    found: dict[Term, Entry] = {}
    for t in subterms(term):
        if isinstance(t, Entry) and t.is_inverse and t.args[0].free <= set(scope.variables):
            corner = Entry(t.name, (0, 0), t.args, t.sizes)
            found.setdefault(canonical(corner), corner)
    return list(found.values())


def known_invertible(entry: Entry, scope: Scope, normaliser: Normaliser) -> tuple[Entry, Chain] | None:
    """Entry (0, 0) of an inverse, and steps inside of it to one whose matrix is assumed to be invertible; None when none is.

    Both matrices get the same names for their row and column, so that no step has to rename these from outside.
    """
    corner = Entry(entry.name, (0, 0), entry.args, entry.sizes)
    if invertible(corner, scope):
        return corner, ()
    for o in scope.assumed:
        if o.kind != "invertible" or not set(o.variables) <= set(scope.variables):
            continue
        if not entails_all(scope.facts, o.facts) or not isinstance(o.subject, Entry):
            continue
        taken = {*scope.variables, *(v for t in (corner, o.subject) for v in (*t.free, *bound_variables(t)))}
        row = fresh("a", taken)
        names = (row, fresh("b", {*taken, row}))
        start, end = (_with_names(t, names, scope) for t in (corner, o.subject))
        own, lead = _normal_inside(start, scope, normaliser)
        normal, steps = _normal_inside(end, scope, normaliser)
        if alpha_equal(own, normal):
            trace = Trace()
            trace.then(lead)
            inner = Trace()
            inner.step("alpha", own.children[0], normal.children[0])
            trace.below(0, inner)
            return start, (*trace.chain(), *reverse(steps.chain()))
    return None


def of_invertible(
    matrix: Entry, row: Index, column: Index, right: bool, scope: Scope, normaliser: Normaliser
) -> dict[str, Any] | None:
    """The arguments of `mul_inv_matrix` in a scope; None where the matrix is not known to be invertible.

    The steps to a matrix that is assumed to be so are found anew in each scope, as they may bind no name that it binds.
    """
    known = known_invertible(matrix, scope, normaliser)
    if known is None:
        return None
    corner, because = known
    args: dict[str, Any] = {"matrix": corner, "row": row, "column": column, "right": right}
    return {**args, "because": because} if because else args


def _with_names(corner: Entry, names: tuple[str, str], scope: Scope) -> Entry:
    """An entry of an inverse, with these names for the row and the column of the matrix."""
    (given_,) = corner.args
    at = dict(zip(given_.params, map(Index.var, names), strict=True))
    body = substitute(rename_apart(given_.body, (*scope.variables, *names)), at)
    return Entry(corner.name, corner.indices, (Lambda(names, body),), corner.sizes)


def _normal_inside(corner: Entry, scope: Scope, normaliser: Normaliser) -> tuple[Term, Trace]:
    """An entry of an inverse with the matrix in normal form, and the steps, all of them inside of the matrix."""
    body, steps = normaliser.start(corner.children[0], scope.inside(corner, 0))
    trace = Trace()
    trace.below(0, steps)
    return corner.with_children((body,)), trace


def multiplied(matrix: Entry, row: Index, column: Index, right: bool, avoid: frozenset[str]) -> Sum:
    """sum(c, M[row, c] * inverse(M)[c, column]), or with the inverse as the left factor."""
    (given_,), (length,) = matrix.args, matrix.sizes
    taken = {*avoid, *matrix.free, *row.free, *column.free, *bound_variables(given_.body), *given_.params}
    c = fresh("c", taken)
    body = rename_apart(given_.body, {*taken, c})
    here = Index.var(c)
    ends = (row, here) if right else (here, column)
    factor = substitute(body, dict(zip(given_.params, ends, strict=True)))
    own = Lambda(given_.params, given_.body)
    inverted = inverse(own, length, *((here, column) if right else (row, here)))
    return Sum(c, within(c, 0, length), Mul((factor, inverted) if right else (inverted, factor)))


def _of_inverse(matrix: Entry, right: bool, scope: Scope, normaliser: Normaliser) -> Rewriting | None:
    names: list[str] = []
    for hint in ("x", "y"):
        names.append(fresh(hint, {*scope.variables, *matrix.free, *names, *bound_variables(matrix)}))
    row, column = map(Index.var, names)
    length = matrix.sizes[0]
    facts = guard(*(c for v in names for c in within(v, 0, length)))
    left = multiplied(matrix, row, column, right, frozenset((*scope.variables, *names)))
    after = Bracket((equal(row, column),))

    def args(at: dict[str, Index], here: Scope) -> dict[str, Any] | None:
        return of_invertible(matrix, at[names[0]], at[names[1]], right, here, normaliser)

    return _rewriting(left, after, tuple(names), facts, "mul_inv_matrix", args, scope, normaliser)


def given(scope: Scope, normaliser: Normaliser) -> Iterator[Rewriting]:
    """The hypotheses about all places whose left side is a sum of products."""
    for number, h in enumerate(scope.hypotheses):
        if h.relation != "=" or not h.indices or isinstance(h.left, (Entry, Number)):
            continue
        made = _of_hypothesis(number, h, scope, normaliser)
        if made is not None:
            yield made


def _of_hypothesis(number: int, h: Statement, scope: Scope, normaliser: Normaliser) -> Rewriting | None:
    renamed: dict[str, Index] = {}
    taken = {*scope.variables, *h.indices, *(v for t in (h.left, h.right) for v in (*bound_variables(t), *t.free))}
    for v in h.indices:
        name = fresh(v, taken)
        taken.add(name)
        renamed[v] = Index.var(name)
    names = tuple(min(i.free) for i in renamed.values())
    left, right = (substitute(rename_apart(t, taken), renamed) for t in (h.left, h.right))

    def args(at: dict[str, Index], _: Scope) -> dict[str, Any]:
        return {"number": number, "at": {v: at[min(i.free)] for v, i in renamed.items()}}

    facts = guard_substitute(h.guard, renamed)
    return _rewriting(left, right, names, facts, "hypothesis", args, scope, normaliser)


def _rewriting(
    left: Term,
    right: Term,
    names: tuple[str, ...],
    facts: Guard,
    rule: str,
    args: Callable[[dict[str, Index], Scope], dict[str, Any] | None],
    scope: Scope,
    normaliser: Normaliser,
) -> Rewriting | None:
    inside = scope.inside_binder(names, facts)
    if not consistent(inside.facts):
        return None
    normal, _ = normaliser.start(left, inside)
    monomials = list(normal.args) if isinstance(normal, Add) else [normal]
    flat = [flattened_monomial(m, frozenset((*inside.variables,))) for m in monomials]
    largest = max(range(len(flat)), key=lambda k: (len(_entries(flat[k])), len(flat[k].binders), -k))
    leading = flat[largest]
    if not leading.binders or not set(names) <= {v for f in leading.factors for v in f.free}:
        return None
    others = [m for k, m in enumerate(monomials) if k != largest]
    rest = ZERO if not others else others[0] if len(others) == 1 else Add(others)
    return Rewriting(left, right, names, facts, leading, rest, rule, args)


def _entries(m: Flat) -> list[Term]:
    """The factors that the sums of a monomial tie together."""
    bound = {v for v, _ in m.binders}
    return [f for f in m.factors if f.free & bound]


# --- monomials ------------------------------------------------------------------------------------------------------


def flattened_monomial(m: Term, avoid: frozenset[str]) -> Flat:
    """A monomial of a normal form with its sums opened, their indices distinct and none of `avoid`."""
    taken = set(avoid | m.free | bound_variables(m))
    value, binders, factors = fmpq(1), list[tuple[str, Guard]](), list[Term]()
    pending = [m]
    while pending:
        t = pending.pop(0)
        if isinstance(t, Number):
            value *= t.value
        elif isinstance(t, Mul):
            pending = [*t.args, *pending]
        elif isinstance(t, Pow) and isinstance(t.exponent, Number) and t.exponent.value.q == 1 and _few(t):
            pending = [t.base] * int(t.exponent.value.p) + pending
        elif isinstance(t, Sum):
            new = fresh(t.var, {*taken, *bound_variables(t.body), *t.body.free - {t.var}})
            taken.add(new)
            at = {t.var: Index.var(new)}
            binders.append((new, guard_substitute(t.guard, at)))
            pending.insert(0, substitute(rename_apart(t.body, {new}), at))
        else:
            factors.append(t)
    return Flat(value, tuple(binders), tuple(factors))


def _few(t: Pow) -> bool:
    return isinstance(t.base, Entry) and 2 <= t.exponent.value <= 6  # type: ignore[attr-defined]


def _in_monomial(m: Term, scope: Scope, rule: Rewriting, normaliser: Normaliser, trace: Trace) -> Term | None:
    """The monomial with one instance of the rule's left side replaced, and the steps to it; None when there is none."""
    if not rule.heads <= m.heads:
        return None
    avoid = frozenset((*scope.variables, *rule.variables, *bound_variables(rule.left), *bound_variables(rule.rest)))
    target = flattened_monomial(m, avoid)
    for used, mapping in _matches(rule, target):
        found = _placed(m, target, used, mapping, scope, rule, normaliser, trace)
        if found is not None:
            return found
    return None


def _matches(rule: Rewriting, target: Flat) -> Iterator[tuple[tuple[int, ...], dict[str, Index]]]:
    """Factors of the target that the factors of the leading monomial may be, and the values of all its indices."""
    own = frozenset((*rule.variables, *(v for v, _ in rule.leading.binders)))
    pattern = sorted(rule.leading.factors, key=lambda f: -len(f.children))
    tried = count()

    def assign(
        k: int, used: tuple[int, ...], at: dict[str, Index]
    ) -> Iterator[tuple[tuple[int, ...], dict[str, Index]]]:
        if next(tried) > MAX_MATCHES:
            return
        if k == len(pattern):
            yield used, at
            return
        for place, factor in enumerate(target.factors):
            if place in used:
                continue
            here = dict(at)
            if match(canonical(pattern[k]), canonical(factor), own, here):
                yield from assign(k + 1, (*used, place), here)

    for used, at in assign(0, (), {}):
        if set(at) >= own and _same(pattern, used, at, target) and _closed(rule, used, at, target):
            yield used, at


def _same(pattern: list[Term], used: tuple[int, ...], at: dict[str, Index], target: Flat) -> bool:
    try:
        pairs = ((substitute(p, at), target.factors[k]) for p, k in zip(pattern, used, strict=True))
        return all(alpha_equal(a, b) for a, b in pairs)
    except Capture:
        return False


def _closed(rule: Rewriting, used: tuple[int, ...], at: dict[str, Index], target: Flat) -> bool:
    """Whether the sums of the leading monomial are sums of the target over nothing else."""
    ranges = dict(target.binders)
    consumed = []
    for w, condition in rule.leading.binders:
        v = min(at[w].free, default="")
        if at[w] is not Index.var(v) or v not in ranges or v in consumed:
            return False
        if guard_substitute(condition, at) != ranges[v]:
            return False
        consumed.append(v)
    outside = {v for k, f in enumerate(target.factors) if k not in used for v in f.free}
    outside |= {v for w, g in target.binders if w not in consumed for v in guard_free(g)}
    outside |= {v for w in rule.variables for v in at[w].free}
    return outside.isdisjoint(consumed)


def _placed(
    m: Term,
    target: Flat,
    used: tuple[int, ...],
    at: dict[str, Index],
    scope: Scope,
    rule: Rewriting,
    normaliser: Normaliser,
    trace: Trace,
) -> Term | None:
    """The monomial with the left side of a rule in it, shown to be equal, then with the right side."""
    consumed = {min(at[w].free) for w, _ in rule.leading.binders}
    binders = [row for row in target.binders if row[0] not in consumed]
    known = guard(*scope.facts, *(c for _, g in binders for c in g))
    values = {v: at[v] for v in rule.variables}
    if not entails_all(known, guard_substitute(rule.facts, values)):
        return None
    avoid = {*scope.variables, *(v for v, _ in target.binders), *(v for i in values.values() for v in i.free)}
    left, right, rest = (substitute(rename_apart(t, avoid), values) for t in (rule.left, rule.right, rule.rest))
    factors = [f for k, f in enumerate(target.factors) if k not in used]
    inner: Term = left if rest is ZERO else Add((left, Mul((Number(-1), rest))))
    here = scope
    for v, condition in binders:
        here = here.inside_binder((v,), condition)
    told = rule.args(values, here)
    if told is None:
        return None
    whole: Term = Mul((Number(target.number / rule.leading.number), *factors, inner))
    path: Path = (len(factors) + 1,) if rest is ZERO else (len(factors) + 1, 0)
    for v, condition in reversed(binders):
        whole, path = Sum(v, condition, whole), (0, *path)
    if rename_apart(whole, scope.variables) is not whole:
        return None
    normal, steps = normaliser.start(whole, scope)
    if not alpha_equal(normal, m):
        return None
    if normal is not m:
        trace.step("alpha", m, normal)
    for step in reverse(steps.chain()):
        trace.at(step)
    trace.at(Step(rule.rule, path, left, right, told))
    return put(whole, path, right)
