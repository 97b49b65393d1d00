"""What facts give for a statement: hypotheses about its given names, where their scope covers the place of the statement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import product

from derivations.documents.facts.fact import Fact, FactKind, Strength
from derivations.documents.facts.kinds import sign
from derivations.language.listed_arrays import entries_of, leaves, spelled_out
from derivations.language.statement import Statement, Theory
from derivations.language.substitution import substitute, subterms
from derivations.language.term import (
    ONE,
    Add,
    Entry,
    Index,
    Lambda,
    Mul,
    Number,
    Term,
    guard,
    guard_substitute,
    sum_over,
    within,
)
from derivations.latex.lexicon.arrays import Dim
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.syntax.function_names import places_of_law, plain_stem
from derivations.study.array_kinds import of_matrix, of_sign, of_vector
from derivations.study.differing_arrays import of_some_entry
from derivations.study.facts_of_names import About


@dataclass(frozen=True, slots=True)
class Spot:
    """The place of a statement: its section, its paragraph, and the number of its formula."""

    section: tuple[str, ...]
    block: int
    formula: int


# --- which facts hold at a place ------------------------------------------------------------------------------------


def holding(facts: Iterable[About], spot: Spot) -> Iterator[About]:
    """The facts about one name that hold at a place: those said nearest, until one takes back what was said before.

    A name that is introduced again in another section starts anew there.
    """
    taken: set[str] = set()
    only: tuple[str, ...] | None = None
    for group in _from_near_to_far(facts, spot):
        here = group[0].fact.scope.section
        if only is not None and here != only:
            continue
        new = [a for a in group if a.fact.value != sign.ANY]
        for a in new:
            if _side(a.fact) not in taken:
                yield a
        taken |= {_side(a.fact) for a in new}
        back = [a for a in group if a.fact.value == sign.ANY]
        if any(a.fact.strength is Strength.SAID for a in back) and (not new or _last(group) in back):
            return
        only = here if back else only


def _from_near_to_far(facts: Iterable[About], spot: Spot) -> Iterator[list[About]]:
    """The facts that cover a place, one paragraph after the other: its own, those before backwards, those after."""
    blocks: dict[int, list[About]] = {}
    for a in facts:
        if a.fact.scope.covers(spot.section, spot.block, spot.formula):
            blocks.setdefault(a.fact.scope.block, []).append(a)
    for block in sorted(blocks, key=lambda b: (b > spot.block, abs(b - spot.block))):
        yield blocks[block]


def _last(group: list[About]) -> About:
    return max(group, key=lambda a: a.fact.scope.since)


def _side(fact: Fact) -> str:
    """What a fact speaks of: the lower bound, the upper bound, the kind."""
    if fact.kind is not FactKind.SIGN:
        return fact.kind
    relation = str(fact.value).split(" ")[0]
    return {">": "lower", ">=": "lower", "<": "upper", "<=": "upper"}.get(relation, relation)


# --- hypotheses -----------------------------------------------------------------------------------------------------


def hypotheses_of(about: About, symbol: Symbol, size: Callable[[Dim], Index]) -> Iterator[Statement]:
    """What a fact says of a given name, as statements about its entries."""
    fact, axes = about.fact, [size(d) for d in symbol.dims]
    if about.ends is not None:  # said of a list with dots: of these members alone
        if about.among is None or about.slots != 1 or not axes:
            return
        low, high = (n - symbol.base for n in about.among)
        if not low.is_constant or low.const < 0:
            return
        if (low, high) != (Index.of(0), axes[0]):
            yield from (
                _of_members_between(low, high, s, symbol.head)
                for s in hypotheses_of(replace(about, ends=None), symbol, size)
            )
            return
    places = tuple(f"i{k}" for k in range(len(axes)))
    if fact.kind is FactKind.SIGN:
        stated = of_sign(str(fact.value), symbol.head, places, axes)
        if symbol.diagonal and not about.slots:  # the entries beside its diagonal are 0
            on_diagonal = {places[1]: Index.var(places[0])}
            left, right = (substitute(side, on_diagonal) for side in (stated.left, stated.right))
            yield replace(
                stated, left=left, right=right, indices=places[:1], guard=guard(*within(places[0], 0, axes[0]))
            )
            return
        yield of_some_entry(stated, stated.indices[about.slots :])
    elif fact.kind is FactKind.VECTOR and len(axes) == about.slots + 1:
        yield from of_vector(str(fact.value), symbol.head, places, axes)
    elif (
        fact.kind is FactKind.MATRIX
        and len(axes) == 2
        and about.slots in ((0, 2) if fact.value == "zero diagonal" else (0,))
    ):
        yield from of_matrix(str(fact.value), symbol.head, axes)


def _of_members_between(low: Index, high: Index, s: Statement, head: str) -> Statement:
    """A statement about all members of a family, made one about those from one place on and before another."""
    entries = (t for side in (s.left, s.right) for t in subterms(side) if isinstance(t, Entry) and t.name == head)
    members = {v for t in entries for v in s.indices if t.indices[0] is Index.var(v)}
    if high is low + 1:
        at = dict.fromkeys(members, low)
        indices, known = tuple(v for v in s.indices if v not in members), guard_substitute(s.guard, at)
        return replace(s, left=substitute(s.left, at), right=substitute(s.right, at), indices=indices, guard=known)
    return replace(s, guard=guard(*s.guard, *(c for v in sorted(members) for c in within(v, low, high))))


def hypotheses_of_entries(
    about: About, symbol: Symbol, size: Callable[[Dim], Index], theory: Theory
) -> list[Statement]:
    """What a fact says of an array of a few entries, written out entry by entry, in terms of given names.

    Of `A = [[a, b], [c, d]]`, which is symmetric, `b = c`.  Nothing where two numbers would have to be equal that are not:
    then the words are wrong, or about something else.
    """
    extents = tuple(n.const for n in map(size, symbol.dims) if n.is_constant)
    if len(extents) != len(symbol.dims) or not extents:
        return []
    entries = entries_of(symbol.head, extents, theory)
    if entries is None or not theory.random.isdisjoint(h for t in entries.values() for h in t.heads):
        return []
    found: dict[tuple[str, frozenset[str]], Statement] = {}
    for h in hypotheses_of(about, symbol, size):
        for at in product(range(max(extents)), repeat=len(h.indices)):
            place = {v: Index.of(k) for v, k in zip(h.indices, at, strict=True)}
            if not all(c.holds({}, {}) for c in guard_substitute(h.guard, place)):
                continue
            left, right = (spelled_out(substitute(side, place), theory) for side in (h.left, h.right))
            if left is None or right is None or (isinstance(left, Number) and isinstance(right, Number)):
                if left is right and left is not None:
                    continue
                return []
            if h.relation == "=" and isinstance(right, Entry) and not isinstance(left, Entry):
                left, right = right, left
            if left is not right:
                sides = _in_order(left), _in_order(right)
                same = (h.relation, frozenset(sides)) if h.relation == "=" else (str(sides), frozenset())
                found.setdefault(same, Statement(left, h.relation, right))
    return list(found.values())


def _in_order(t: Term) -> str:
    """A term of sums and products with its parts in one order: `b a` is `a b`."""
    parts = sorted(map(_in_order, t.children)) if isinstance(t, Add | Mul) else []
    return f"{type(t).__name__}({', '.join(parts)})" if parts else str(t)


def given_of_entries(
    known: Mapping[str, tuple[About, ...]],
    symbols: Iterable[Symbol],
    heads: AbstractSet[str],
    spot: Spot,
    size: Callable[[Dim], Index],
    theory: Theory,
) -> Iterator[tuple[Fact, Statement]]:
    """What the facts that hold at a place say of the entries of small arrays, each with its fact.

    An array that is written out gives its entries to what speaks of them alone too, in the section of the fact: the same
    letters elsewhere may be others.
    """
    for symbol in symbols:
        if symbol.parameters is not None or symbol.stem not in known:
            continue
        of_array = symbol.head in heads
        if not of_array and (not symbol.defined or heads.isdisjoint(leaves(symbol.head, theory) or ())):
            continue
        for about in holding(known[symbol.stem], spot):
            if of_array or about.fact.scope.section == spot.section:
                yield from ((about.fact, s) for s in hypotheses_of_entries(about, symbol, size, theory))


def given_by_facts(
    known: Mapping[str, tuple[About, ...]],
    symbols: Iterable[Symbol],
    spot: Spot,
    size: Callable[[Dim], Index],
) -> Iterator[tuple[Fact, Statement]]:
    """What the facts that hold at a place say of given names, each with its fact."""
    for symbol in symbols:
        if not symbol.defined and symbol.parameters is None:
            for about in holding(known.get(symbol.stem, ()), spot):
                yield from ((about.fact, s) for s in hypotheses_of(about, symbol, size))


def given_by_notation(symbols: Iterable[Symbol], size: Callable[[Dim], Index]) -> Iterator[Statement]:
    r"""What the notation says of laws that nothing defines, where a text writes conditions, `p(y \mid x)`: their values are not
    negative, and sum to 1 over all that is before the bar."""
    laws = [(s, places) for s in symbols if (places := places_of_law(s.stem)) and len(places) == len(s.dims)]
    conditional = {plain_stem(s.stem) for s, places in laws if "b" in places}
    for symbol, written in laws:
        if symbol.defined or plain_stem(symbol.stem) not in conditional:
            continue
        axes = [size(d) for d in symbol.dims]
        letters = tuple(f"i{k}" for k in range(len(axes)))
        yield of_sign(">= 0", symbol.head, letters, axes)
        total: Term = Entry(symbol.head, tuple(map(Index.var, letters)))
        for place, axis, how in reversed(list(zip(letters, axes, written, strict=True))):
            total = sum_over(place, 0, axis, total) if how == "a" else total
        below = [(place, axis) for place, axis, how in zip(letters, axes, written, strict=True) if how == "b"]
        ranges = guard(*(c for place, axis in below for c in within(place, 0, axis)))
        yield Statement(total, "=", ONE, tuple(place for place, _ in below), ranges)


def given_of_members(
    known: Mapping[str, tuple[About, ...]],
    symbols: Iterable[Symbol],
    heads: AbstractSet[str],
    spot: Spot,
    size: Callable[[Dim], Index],
    theory: Theory,
) -> Iterator[tuple[Fact, Statement]]:
    """What the facts say of a matrix that lists the members of a given family, `W = [w_1, \\dots, w_D]`, said of these."""
    for symbol in symbols:
        members = _of_members(symbol, theory) if symbol.defined and symbol.stem in known else None
        if members is None or heads.isdisjoint({symbol.head, *members.body.heads}):
            continue
        for about in holding(known[symbol.stem], spot):
            for s in hypotheses_of(about, symbol, size):
                left, right = (substitute(t, tensors={symbol.head: members}) for t in (s.left, s.right))
                yield about.fact, Statement(left, s.relation, right, s.indices, s.guard)


def _of_members(symbol: Symbol, theory: Theory) -> Lambda | None:
    """The entries of a matrix that lists a family, each an entry of the family; None for another symbol."""
    rows = theory.definitions.get(symbol.head, ())
    if len(rows) != 1 or rows[0].tensors or rows[0].sizes or rows[0].condition:
        return None
    (d,) = rows
    body = d.body
    if (
        not isinstance(body, Entry)
        or body.name not in theory.tensors
        or body.args
        or len(d.variables) != len(d.indices)
    ):
        return None
    own = {Index.var(v) for v in d.variables}
    return Lambda(d.variables, body) if set(body.indices) == own and len(body.indices) == len(own) else None


def takes_back(facts: Iterable[About], since: Spot, spot: Spot) -> bool:
    """Whether a sign that was supposed at a formula is taken back before a place, or its name introduced anew there."""
    for a in facts:
        scope = a.fact.scope
        between = since.formula < scope.since <= spot.formula and scope.covers(spot.section, spot.block, spot.formula)
        anew = a.fact.strength is Strength.SAID or scope.section != since.section
        if a.fact.value == sign.ANY and between and anew:
            return True
    return False
