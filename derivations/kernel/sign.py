"""Signs: a conservative decision whether a term is positive, non-negative or non-zero everywhere in a scope.

The answer "no" means "not found".  The sum of non-negative terms is positive when one term is positive at a witness
index; witnesses are tried among 0, the bounds in the guard, and the index variables in scope.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from derivations.kernel.errors import Refused
from derivations.kernel.finiteness import chosen, finite
from derivations.kernel.linear import consistent, entails, entails_all
from derivations.kernel.ring import polynomial, same
from derivations.kernel.scope import Obligation, Scope
from derivations.language.statement import Definition
from derivations.language.substitution import (
    Capture,
    alpha_equal,
    bound_variables,
    canonical,
    fresh,
    own_indices,
    rename_apart,
    substitute,
    subterms,
)
from derivations.language.term import (
    Add,
    Apply,
    Bracket,
    Case,
    Choice,
    Entry,
    Guard,
    Index,
    IndexValue,
    Max,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    at_least,
    guard,
    guard_substitute,
    negative,
)

MAX_DEPTH = 60
MAX_PLACES = 24
"""Indices that are tried as the place of a term in a maximum or sum."""
MAX_FACTORS = 4
"""Most factors of a product whose order is not looked at when it is compared with what is assumed."""
POSITIVE, NONNEGATIVE = 2, 1


def positive(term: Term, scope: Scope) -> bool:
    """Whether `term > 0` wherever the scope's facts hold."""
    return _sign(term, scope, MAX_DEPTH) == POSITIVE


def nonnegative(term: Term, scope: Scope) -> bool:
    """Whether `term >= 0` wherever the scope's facts hold."""
    return _sign(term, scope, MAX_DEPTH) >= NONNEGATIVE


def nonzero(term: Term, scope: Scope) -> bool:
    """Whether `term != 0` wherever the scope's facts hold."""
    return _nonzero(term, scope, MAX_DEPTH)


def invertible(t: Term, scope: Scope) -> bool:
    """Whether the matrix of which `t` is an entry of the inverse is assumed to be invertible, with finite entries."""
    if not isinstance(t, Entry) or not t.is_inverse or not finite(t, scope.theory):
        return False
    known = Entry(t.name, (0, 0), t.args, t.sizes)
    return any(o.kind == "invertible" and covers(o, known, scope) for o in scope.assumed)


def _nonzero(t: Term, scope: Scope, fuel: int) -> bool:
    if fuel <= 0:
        return False
    if isinstance(t, Number):
        return bool(t.value != 0)
    if isinstance(t, Mul):
        return all(_nonzero(a, scope, fuel - 1) for a in t.args)
    if isinstance(t, Pow) and isinstance(t.exponent, Number) and t.exponent.value.q == 1:
        # a power that has no value counts as 0, so the root of a negative number is zero
        return _nonzero(t.base, scope, fuel - 1) or _sign(t, scope, fuel - 1) == POSITIVE
    if _sign(t, scope, fuel - 1) == POSITIVE or _sign(negative(t), scope, fuel - 1) == POSITIVE:
        return True
    if isinstance(t, IndexValue):
        return not consistent(guard(*scope.facts, at_least(t.index, 0), at_least(0, t.index)))
    if isinstance(t, Entry):
        unfolded = unfold(t, scope)
        if unfolded is not None and _nonzero(unfolded, scope, fuel - 1):
            return True
    return any(o.kind in ("nonzero", "positive") and covers(o, t, scope) for o in scope.assumed)


def _sign(t: Term, scope: Scope, fuel: int) -> int:
    """POSITIVE, NONNEGATIVE, or 0 for "not found": what is visible, or what is assumed of the term as a whole.

    It rests on the theory, the variables, the facts and what is assumed alone, and is looked for once for all of these:
    what was found with less fuel is found, and what was not found with as much is not.
    """
    if fuel <= 0:
        return 0
    memo: dict[object, tuple[int, int]] = scope.theory.memo.setdefault("signs", {})
    key = t, scope.variables, scope.facts, scope.assumed
    known = memo.get(key)
    if known is not None and (known[0] == POSITIVE or known[1] >= fuel):
        return known[0]
    found = _looked_for(t, scope, fuel)
    memo[key] = found, fuel
    return found


def _looked_for(t: Term, scope: Scope, fuel: int) -> int:
    found = _visible(t, scope, fuel - 1)
    for o in sorted(scope.assumed, key=lambda o: o.kind == "nonzero"):
        if found == POSITIVE:
            break
        level = {"positive": POSITIVE, "nonnegative": NONNEGATIVE}.get(o.kind, 0)
        if o.kind == "nonzero" and found == NONNEGATIVE:
            level = POSITIVE  # not negative and not zero
        if level > found and (covers(o, t, scope) or (o.kind == "nonzero" and covers(o, negative(t), scope))):
            found = level
    return found


def _visible(t: Term, scope: Scope, fuel: int) -> int:
    if isinstance(t, Number):
        return POSITIVE if t.value > 0 else NONNEGATIVE if t.value == 0 else 0
    if isinstance(t, IndexValue):
        if entails(scope.facts, at_least(t.index, 1)):
            return POSITIVE
        return NONNEGATIVE if entails(scope.facts, at_least(t.index, 0)) else 0
    if isinstance(t, Apply):
        real = finite(t.arg, scope.theory, scope.facts)
        if t.function == "exp":
            return POSITIVE if real else NONNEGATIVE  # exp(-oo) = 0
        if t.function == "log":
            return POSITIVE if real and _sign(t.arg - 1, scope, fuel - 1) == POSITIVE else 0  # log(x) > 0 where x > 1
        return NONNEGATIVE if t.function == "abs" and real else 0
    if isinstance(t, Mul):
        return _product(t.args, scope, fuel)
    if isinstance(t, Add):
        whole = integral(t)  # t - 1 where t >= 2
        found = 0 if whole is None else _visible(IndexValue(whole), scope, fuel)
        return found or _total(t, scope, fuel)
    if isinstance(t, Pow):
        return _power(t, scope, fuel)
    if isinstance(t, Bracket):
        return POSITIVE if entails_all(scope.facts, t.condition) else NONNEGATIVE
    if isinstance(t, Case):
        return _case(t, scope, fuel)
    if isinstance(t, Choice):
        return _choice(t, scope, fuel)
    if isinstance(t, Sum):
        return _sum(t, scope, fuel)
    if isinstance(t, Max):
        top: Max = _apart(t, scope)  # type: ignore[assignment]
        # a maximum over nothing has the value 0
        return min(_sign(top.body, scope.inside(top, 0), fuel), POSITIVE if inhabited(top, scope) else NONNEGATIVE)
    if isinstance(t, Entry):
        if scope.theory.is_constant(t):
            return POSITIVE  # pi
        unfolded = unfold(t, scope)
        return _recursive(t, scope, fuel) if unfolded is None else _sign(unfolded, scope, fuel)
    return 0


def _recursive(t: Entry, scope: Scope, fuel: int) -> int:
    """The sign that all right sides of a recursive symbol have where its smaller entries have it."""
    from derivations.kernel.definition import applies, covered, descent

    theory = scope.theory
    places = tuple(f"r{k}" for k in range(len(t.indices)))
    if not theory.recursive(t.name) or any(
        isinstance(o.subject, Entry) and o.subject.name == t.name and o.variables == places for o in scope.assumed
    ):
        return 0
    found_descent = descent(theory.definitions[t.name])
    if found_descent is None:
        return 0
    place, staying = found_descent
    # every entry that this one leads to must be one that is defined
    taken, others, top = {*scope.variables, *t.free}, [], t.indices[place]
    for k in range(len(t.indices)):
        others.append(Index.var(fresh(f"u{k}", taken)))
        taken |= others[k].free
    u = others[place]
    generic = [i if k in staying and k != place else others[k] for k, i in enumerate(t.indices)]
    reach = guard(*scope.facts, at_least(u, 0), at_least(top, u))
    try:
        rows = [applies(d, Entry(t.name, generic, t.args, t.sizes)) for d in theory.definitions[t.name]]
    except Refused:
        return 0
    if not entails(scope.facts, at_least(top, 0)) or not covered(reach, [row[0] for row in rows if row is not None]):
        return 0
    for level, kind in ((POSITIVE, "positive"), (NONNEGATIVE, "nonnegative")):
        found = []
        for d in theory.definitions[t.name]:
            smaller = Obligation(kind, places, (), Entry(t.name, map(Index.var, places), t.args, t.sizes))
            found.append(_sign(*_row(d, t, place, scope, smaller), fuel))
        if min(found) >= level:
            rows = [applies(d, t) for d in theory.definitions[t.name]]  # of this entry itself, some may not apply
            here = [f for f, r in zip(found, rows, strict=True) if r and consistent(guard(*scope.facts, *r[0]))]
            return max(level, min(here, default=level))
    return 0


def _row(d: Definition, t: Entry, place: int, scope: Scope, smaller: Obligation) -> tuple[Term, Scope]:
    """A right side of a recursive symbol, at any entry that the entry `t` leads to, and what is known there."""
    taken = {*scope.variables, *t.free}
    at: dict[str, Index] = {}
    for v in d.variables:
        at[v] = Index.var(fresh(v, taken))
        taken |= at[v].free
    sizes = dict(zip(d.sizes, t.sizes, strict=True))
    given = {p.name: a for p, a in zip(d.tensors, t.args, strict=True)}
    reached = at_least(t.indices[place], d.indices[place].substitute(at, sizes))
    there = replace(
        scope,
        variables=(*scope.variables, *(v for i in at.values() for v in i.free)),
        facts=guard(*scope.facts, *guard_substitute(d.condition, at, sizes), reached),
        assumed=(*scope.assumed, smaller),
    )
    away = frozenset(taken) | bound_variables(t)
    return substitute(rename_apart(d.body, away), at, sizes, given), there


def _total(t: Add, scope: Scope, fuel: int) -> int:
    """The sign of a sum: of its parts, or of the differences that single parts make with one another."""
    if _above_tangent(t, scope, fuel):
        return NONNEGATIVE
    signs = {k: _sign(a, scope, fuel) for k, a in enumerate(t.args)}
    for k in [k for k, s in signs.items() if not s]:
        if k not in signs:
            continue
        partner = next((j for j, s in signs.items() if j != k and _difference(t.args[j], t.args[k], scope, fuel)), None)
        if partner is not None:
            del signs[k], signs[partner]
    if 0 in signs.values():
        return 0
    return POSITIVE if POSITIVE in signs.values() else NONNEGATIVE


def _above_tangent(t: Add, scope: Scope, fuel: int) -> bool:
    """Whether a sum is `c (exp x - x - 1)` or, where x > 0, `c (x - 1 - log x)`, with a number c > 0: a convex function
    lies above its tangent."""
    for k, part in enumerate(t.args):
        factors = part.args if isinstance(part, Mul) else (part,)
        c, *rest = factors if isinstance(factors[0], Number) else (Number(1), *factors)
        if not isinstance(c, Number) or len(rest) != 1 or not isinstance(rest[0], Apply):
            continue
        f = rest[0]
        is_exp, is_log = f.function == "exp" and c.value > 0, f.function == "log" and c.value < 0
        if not (is_exp or is_log) or not finite(f.arg, scope.theory, scope.facts):
            continue
        line = f.arg + 1 if is_exp else f.arg - 1
        others = Add((*t.args[:k], *t.args[k + 1 :], Mul((c, line))))
        try:
            if not polynomial(others, scope.theory, scope.facts) and (
                is_exp or _sign(f.arg, scope, fuel - 1) == POSITIVE
            ):
                return True
        except Refused:
            continue
    return False


def _difference(large: Term, rest: Term, scope: Scope, fuel: int) -> bool:
    """Whether `large + rest >= 0`: a maximum and one of its terms, a sum of non-negative terms and one of them,
    exp x - c with c <= 1 and x >= 0."""
    if isinstance(large, Apply) and large.function == "exp" and isinstance(rest, Number) and rest.value >= -1:
        return _sign(large.arg, scope, fuel) >= NONNEGATIVE
    if (
        not isinstance(large, (Max, Sum))
        or not finite(large, scope.theory, scope.facts)
        or not finite(rest, scope.theory, scope.facts)
    ):
        return False
    whole: Max | Sum = _apart(large, scope)  # type: ignore[assignment]
    if isinstance(whole, Sum) and not _sign(whole.body, scope.inside(whole, 0), fuel):
        return False
    places = dict.fromkeys(i for u in subterms(rest) for i in own_indices(u) if i.free <= set(scope.variables))
    branches = [c for g, _ in whole.body.branches for c in g] if isinstance(whole.body, Case) else []
    for place in [*places, *witnesses(whole.var, (*whole.guard, *branches), scope)][:MAX_PLACES]:
        if whole.var in place.free or not entails_all(scope.facts, guard_substitute(whole.guard, {whole.var: place})):
            continue
        try:
            there = chosen(substitute(whole.body, {whole.var: place}), scope.facts)
            if not polynomial(Add((there, rest)), scope.theory, scope.facts):
                return True
        except (Capture, Refused):
            continue
    return False


def _case(t: Case, scope: Scope, fuel: int) -> int:
    """The smallest sign of the branches that can be reached here."""
    found = []
    for k, child in enumerate(t.children):
        inside = scope.inside(t, k)
        if consistent(inside.facts):
            found.append(_sign(child, inside, fuel))
        if k < len(t.branches) and entails_all(scope.facts, t.branches[k][0]):
            break
    return min(found, default=POSITIVE)


def _choice(t: Choice, scope: Scope, fuel: int) -> int:
    """The smallest sign of the branches that can be reached here."""
    found = []
    if _sign(negative(t.test), scope, fuel) < NONNEGATIVE:
        found.append(_sign(t.above, scope.inside(t, 1), fuel))
    if _sign(t.test, scope, fuel) < POSITIVE:
        found.append(_sign(t.otherwise, scope.inside(t, 2), fuel))
    return min(found, default=POSITIVE)


def _product(args: tuple[Term, ...], scope: Scope, fuel: int) -> int:
    lowest = POSITIVE
    negative = sum(isinstance(a, Number) and a.value < 0 for a in args) % 2 == 1
    for a in args:
        if isinstance(a, Number) and a.value < 0:
            continue
        s = _opposite(a, scope, fuel) if negative and isinstance(a, Max) else 0
        if s:
            negative = False
        else:
            s = _sign(a, scope, fuel)
        if not s:
            return 0
        lowest = min(lowest, s)
    return 0 if negative else lowest


def _opposite(t: Max, scope: Scope, fuel: int) -> int:
    """The sign of `-max(j, f)`: that of -f where it is the same for all j, as the maximum is one of these values.

    A maximum over nothing is 0, and nothing is said where a value may be minus infinity.
    """
    top: Max = _apart(t, scope)  # type: ignore[assignment]
    inside = scope.inside(top, 0)
    if not finite(top.body, scope.theory, inside.facts) or not finite(top, scope.theory, scope.facts):
        return 0
    return min(_sign(negative(top.body), inside, fuel), POSITIVE if inhabited(top, scope) else NONNEGATIVE)


def _power(t: Pow, scope: Scope, fuel: int) -> int:
    if not finite(t, scope.theory, scope.facts):
        return 0
    base = _sign(t.base, scope, fuel)
    if base == POSITIVE:
        return POSITIVE
    if isinstance(t.exponent, Number):
        if t.exponent.value.q == 1 and int(t.exponent.value.p) % 2 == 0:
            return POSITIVE if _nonzero(t.base, scope, fuel) else NONNEGATIVE
        if base:
            return base if t.exponent.value >= 0 else NONNEGATIVE
    return 0


def _sum(t: Sum, scope: Scope, fuel: int) -> int:
    t = _apart(t, scope)  # type: ignore[assignment]
    inside = scope.inside(t, 0)
    body = _sign(t.body, inside, fuel)
    if not body:
        return 0
    for witness in witnesses(t.var, t.guard, scope):
        if not entails_all(scope.facts, guard_substitute(t.guard, {t.var: witness})):
            continue
        if body == POSITIVE:
            return POSITIVE
        try:
            there = substitute(t.body, {t.var: witness})
        except Capture:
            continue
        if _sign(there, scope, fuel) == POSITIVE:
            return POSITIVE
    return NONNEGATIVE


def witnesses(var: str, conditions: Guard, scope: Scope) -> Iterator[Index]:
    """Indices that may lie in a range: 0, its bounds, the variables in scope."""
    yield Index()
    for c in conditions:
        k = c.index.coefficient(var)
        if abs(k) == 1:
            yield (c.index - k * Index.var(var)) * -k
    for name in scope.variables:
        yield Index.var(name)


def inhabited(t: Max | Sum, scope: Scope) -> bool:
    """Whether an index in the range is visible."""
    return any(
        t.var not in w.free and entails_all(scope.facts, guard_substitute(t.guard, {t.var: w}))
        for w in witnesses(t.var, t.guard, scope)
    )


def _apart(t: Term, scope: Scope) -> Term:
    return rename_apart(t, scope.variables) if any(v in scope.variables for v in t.binding(0)[0]) else t


def integral(t: Term) -> Index | None:
    """A term as an index expression, so a whole number: `t - 1 - j`, also as a sum; None when it is not one."""
    if isinstance(t, IndexValue):
        return t.index
    if isinstance(t, Number):
        return Index.of(int(t.value.p)) if t.value.q == 1 else None
    if isinstance(t, Add):
        total = Index()
        for a in t.args:
            part = integral(a)
            if part is None:
                return None
            total = total + part
        return total
    if isinstance(t, Mul) and len(t.args) == 2 and isinstance(t.args[0], Number) and t.args[0].value.q == 1:
        inner = integral(t.args[1])
        return None if inner is None else int(t.args[0].value.p) * inner
    return None


def unfold(t: Entry, scope: Scope) -> Term | None:
    """The body of the definition that matches the entry, or None when there is none or its condition is not known.

    Recursive definitions stay folded: how often to unfold one is for a proof to say.
    """
    from derivations.kernel.definition import instance

    if scope.theory.recursive(t.name):
        return None
    for definition in scope.theory.definitions.get(t.name, ()):
        found = instance(definition, t, scope.variables, scope.facts)
        if found is not None:
            body, condition = found
            if entails_all(scope.facts, condition):
                return body
    return None


def covers(o: Obligation, t: Term, scope: Scope) -> bool:
    """Whether an assumed obligation, at some values of its variables, speaks about `t` in this scope."""
    if isinstance(t, Add) and isinstance(o.subject, Add):
        return any(_same_sum(o, t, at, scope) for at in _places(o, t))
    if isinstance(t, Mul) and isinstance(o.subject, Mul) and len(t.args) == len(o.subject.args) <= MAX_FACTORS:
        return any(_covers_in_order(replace(o, subject=Mul(f)), t, scope) for f in permutations(o.subject.args))
    return _covers_in_order(o, t, scope)


def _covers_in_order(o: Obligation, t: Term, scope: Scope) -> bool:
    """The same, with the factors of products in the order in which they stand."""
    mapping: dict[str, Index] = {}
    if not match(canonical(o.subject), canonical(t), frozenset(o.variables), mapping):
        return False
    for v in o.variables:
        mapping.setdefault(v, Index.var(v))
    if not frozenset().union(*(i.free for i in mapping.values())) <= t.free | set(scope.variables):
        return False
    try:
        if not alpha_equal(substitute(rename_apart(o.subject, scope.variables), mapping), t):
            return False
    except Capture:
        return False
    return entails_all(scope.facts, guard_substitute(o.facts, mapping))


def _places(o: Obligation, t: Add) -> Iterator[dict[str, Index]]:
    """Values of an obligation's variables at which its entries are entries of `t`."""
    inside = [u for u in subterms(t) if isinstance(u, Entry)]
    rows: list[dict[str, Index]] = [{}]
    for pattern in (u for u in subterms(o.subject) if isinstance(u, Entry) and u.indices and not u.args):
        longer = []
        for row in rows:
            for u in inside:
                at = dict(row)
                if (
                    u.name == pattern.name
                    and len(u.indices) == len(pattern.indices)
                    and all(
                        match_index(p, q, frozenset(o.variables), at)
                        for p, q in zip(pattern.indices, u.indices, strict=True)
                    )
                ):
                    longer.append(at)
        rows = longer[:MAX_PLACES]
    yield from rows


def _same_sum(o: Obligation, t: Add, at: dict[str, Index], scope: Scope) -> bool:
    """Whether the obligation's subject there is `t`, up to the order of its terms."""
    values = {v: at.get(v, Index.var(v)) for v in o.variables}
    try:
        there = substitute(rename_apart(o.subject, scope.variables), values)
        if not there.free <= t.free | set(scope.variables):
            return False
        return same(there, t, scope.theory) and entails_all(scope.facts, guard_substitute(o.facts, values))
    except (Capture, Refused):
        return False


def match(pattern: Term, target: Term, variables: frozenset[str], mapping: dict[str, Index]) -> bool:
    """First-order matching of index variables (a proposal; the caller checks the instance)."""
    if type(pattern) is not type(target):
        return False
    if pattern is target and variables.isdisjoint(pattern.free):
        return True
    if isinstance(pattern, Entry) and isinstance(target, Entry):
        if pattern.name != target.name or len(pattern.indices) != len(target.indices):
            return False
        pairs = zip(pattern.indices, target.indices, strict=True)
        if not all(match_index(p, q, variables, mapping) for p, q in pairs):
            return False
    elif isinstance(pattern, IndexValue) and isinstance(target, IndexValue):
        return match_index(pattern.index, target.index, variables, mapping)
    below = pattern.children, target.children
    return len(below[0]) == len(below[1]) and all(match(p, q, variables, mapping) for p, q in zip(*below, strict=True))


def match_index(pattern: Index, target: Index, variables: frozenset[str], mapping: dict[str, Index]) -> bool:
    open_ = [v for v in pattern.free if v in variables and v not in mapping]
    if not open_:
        return pattern.substitute(mapping) is target
    if len(open_) > 1:
        return True  # decided later, when other places have fixed one of them
    v = open_[0]
    k = pattern.coefficient(v)
    if not pattern.linear_in(v) or not k:
        return _match_atom(pattern, target, variables, mapping)
    rest = target - (pattern - k * Index.var(v)).substitute(mapping)
    if any(c % k for _, c in rest.terms) or rest.const % k:
        return False
    mapping[v] = Index(((a, c // k) for a, c in rest.terms), rest.const // k)
    return True


def _match_atom(pattern: Index, target: Index, variables: frozenset[str], mapping: dict[str, Index]) -> bool:
    """`pi(v)` against `pi(e)`; anything else is decided later."""
    if len(pattern.terms) == len(target.terms) == 1 and pattern.const == target.const:
        (a, c), (b, k) = pattern.terms[0], target.terms[0]
        if c == k and a.kind == b.kind and a.name == b.name and len(a.args) == len(b.args) and a.kind != "product":
            return all(match_index(p, q, variables, mapping) for p, q in zip(a.args, b.args, strict=True))
    return True
