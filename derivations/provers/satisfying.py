"""Inputs that satisfy hypotheses exactly: drawn entries are adjusted, or else looked for among simple fractions."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any

from flint import fmpq

from derivations.language.extended_reals import Indeterminate, Value, WorkLimit
from derivations.language.inputs import Inputs
from derivations.language.statement import Statement, Theory
from derivations.language.substitution import subterms
from derivations.language.term import Bracket, Entry, Guard, Index, Mul, Number, Pow, Sum, Term
from derivations.provers.kept_values import KeptValues, Place

SIMPLE = tuple(fmpq(p, q) for p, q in ((0, 1), (1, 1), (-1, 1), (3, 5), (-4, 5), (4, 5), (-3, 5), (1, 2), (2, 1)))
"""Values that are tried where equations tie entries together; with 3/5 and 4/5 there are rows of length 1 among them."""
MAX_TIED = 12
"""Most entries that equations tie together and that are looked for one by one."""
MAX_LOOKS = 1_500
"""Hypotheses that are looked at in one search, over all inputs together."""
LOOKS = 250
"""Those for one draw of inputs."""
MAX_SPENT_ON_HYPOTHESES = 200_000
"""Operations of one search for inputs that satisfy hypotheses, over all draws together."""
MAX_IN_VAIN = 100_000
"""Those until the first inputs are found: of 845 searches that found some, 844 took less than a quarter of it."""


@dataclass
class Budget:
    """How many hypotheses may still be looked at, and how many operations that may take."""

    looks: int = MAX_LOOKS
    work: int = MAX_IN_VAIN


@dataclass
class Draw(Inputs):
    """Inputs whose entries are drawn when first asked for, and remembered."""

    values: tuple[fmpq, ...] = (fmpq(0), fmpq(1))
    drawn: dict[tuple[str, tuple[int, ...]], fmpq] = field(default_factory=dict)
    ranges: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    labels: dict[tuple[str, tuple[int, ...]], int] = field(default_factory=dict)
    """The labels that were asked for."""

    def label(self, name: str, length: int, places: tuple[int, ...]) -> int:
        found = self.labels[name, places] = super().label(name, length, places)
        return found

    def entry(self, name: str, at: Any) -> fmpq:
        key = (name, tuple(at))
        found = self.drawn.get(key)
        if found is None:
            limits = self.ranges.get(name)
            if any(k < 0 for k in at) or (limits and any(k >= n for k, n in zip(at, limits, strict=False))):
                return self.unspecified(name, at)
            digest = hashlib.sha256(f"{self.seed}|{key}".encode()).digest()
            found = self.drawn[key] = self.values[int.from_bytes(digest[:4], "big") % len(self.values)]
        return found


def assignments(names: tuple[str, ...], condition: Guard, sizes: Mapping[str, int]) -> Iterator[dict[str, int]]:
    top = max([*sizes.values(), 2])
    for values in islice(product(range(top + 1), repeat=len(names)), 5_000):
        at = dict(zip(names, values, strict=True))
        try:
            if all(c.holds(at, sizes) for c in condition):
                yield at
        except KeyError:
            return  # a condition about a permutation or a label, which only inputs decide


Instance = tuple[Statement, dict[str, int]]
"""A hypothesis, and values of its indices."""


def satisfy(statement: Statement, theory: Theory, draw: Draw, budget: Budget) -> bool:
    """Adjust entries until every hypothesis holds exactly; False when that fails."""
    instances = [(h, at) for h in statement.hypotheses for at in assignments(h.indices, h.guard, draw.sizes)]
    if statement.hypotheses and not instances:
        return all(not h.indices for h in statement.hypotheses) is False
    adjusted: set[Place] = set()
    values = KeptValues(theory, draw, draw.drawn, budget.work)
    explicit = [(h, at) for h, at in instances if _names_entries(h, statement, theory)]
    try:
        ordered = _in_order(explicit, values, draw)
        if ordered is None:  # a symmetry: what goes round in a circle is solved as any other
            explicit = [(h, at) for h, at in explicit if not theory.depends(h.right, h.left.heads)]
            ordered = _in_order(explicit, values, draw) or []
        instances = [row for row in instances if row not in explicit]
        _into_orthonormal(statement.hypotheses, theory, draw)
        _into_bounds(instances, draw)
        drawn = dict(draw.drawn)
        adapted = all(_true(h, values, at) or _solve(h, values, draw, at, adjusted) for h, at in instances)
        if not adapted or not all(_true(h, values, at) for h, at in instances):
            draw.drawn.clear()
            draw.drawn.update(drawn)
            scaled = all(_true(h, values, at) or _scale(h, values, draw, at) for h, at in instances)
            if not scaled or not all(_true(h, values, at) for h, at in instances):
                draw.drawn.clear()
                draw.drawn.update(drawn)
                if not _looked_for(instances, values, draw, budget):
                    return False
        for place, (h, at) in ordered:
            draw.drawn[place] = values.at_place(h.right, at)
        return all(_true(h, values, at) for h, at in instances)
    except (Indeterminate, WorkLimit, KeyError):
        return False
    finally:
        budget.work = values.left


def _into_orthonormal(hypotheses: Sequence[Statement], theory: Theory, draw: Draw) -> None:
    """Make matrices of which hypotheses say so such that their columns, or rows, have length one and are orthogonal: parts of
    the identity, with another sign, in another order, or with two directions turned."""
    for number, (name, axis) in enumerate(filter(None, map(_orthonormal_along, hypotheses))):
        shape = draw.ranges.get(name, ())
        if name not in theory.tensors or len(shape) != 2 or shape[axis] < shape[1 - axis]:
            continue
        way = (hashlib.sha256(f"{draw.seed}|{name}".encode()).digest()[0] + number) % 3
        for r in range(shape[axis]):
            for c in range(shape[1 - axis]):
                value = fmpq(int(r == c))
                if way == 1:
                    value = fmpq(-int(r == shape[axis] - 1 - c))
                elif way == 2 and r < 2 and c < 2 <= shape[axis]:
                    value = fmpq(3, 5) if r == c else fmpq(4 if r else -4, 5)
                draw.drawn[name, (r, c) if axis == 0 else (c, r)] = value


def _orthonormal_along(h: Statement) -> tuple[str, int] | None:
    """The matrix and the axis summed over of `sum(c; M[c, i] M[c, j]) = [i = j]`; None for another statement."""
    total, same = h.left, h.right
    product = total.body.args if isinstance(total, Sum) and isinstance(total.body, Mul) else ()
    if h.relation != "=" or not isinstance(same, Bracket) or len(product) != 2 or len(h.indices) != 2:
        return None
    one, other = product
    if not (isinstance(one, Entry) and isinstance(other, Entry)) or one.name != other.name or one.args or other.args:
        return None
    summed = Index.var(total.var)  # type: ignore[attr-defined]
    axes = [k for k in range(len(one.indices)) if one.indices[k] is summed and other.indices[k] is summed]
    rest = {one.indices[1 - axes[0]], other.indices[1 - axes[0]]} if len(axes) == 1 and len(one.indices) == 2 else set()
    return (one.name, axes[0]) if rest == set(map(Index.var, h.indices)) else None


_BETWEEN = tuple(fmpq(p, q) for p, q in ((1, 2), (1, 4), (3, 4), (1, 3), (2, 3), (1, 5), (4, 5), (1, 8), (7, 8)))
"""Where in a bounded interval the entries are put that were drawn outside of it."""


def _into_bounds(instances: Sequence[Instance], draw: Draw) -> None:
    """Put the entries that hypotheses bound by numbers, `0 < b_i < 1`, between these bounds."""
    low: dict[Place, fmpq] = {}
    high: dict[Place, fmpq] = {}
    strict: dict[Place, bool] = {}
    for h, at in instances:
        for entry, number, bounds in ((h.left, h.right, high), (h.right, h.left, low)):
            if h.relation not in ("<", "<=") or not isinstance(entry, Entry) or not isinstance(number, Number):
                continue
            if entry.args or entry.name not in draw.ranges:
                continue
            place = entry.name, tuple(i.evaluate(at, draw.sizes) for i in entry.indices)
            inner = min if bounds is high else max
            bounds[place] = inner(bounds.get(place, number.value), number.value)
            strict[place] = strict.get(place, False) or h.relation == "<"
    for n, place in enumerate(strict):
        value, least, most = draw.entry(*place), low.get(place), high.get(place)
        inside = (least is None or value > least) and (most is None or value < most)
        if inside or (not strict[place] and value in (least, most)):
            continue
        if least is not None and most is not None:
            draw.drawn[place] = least + (most - least) * _BETWEEN[n % len(_BETWEEN)]
        elif least is not None:
            draw.drawn[place] = least + abs(value - least) + (value == least)
        elif most is not None:
            draw.drawn[place] = most - abs(value - most) - (value == most)


def has_unknown_functions(hypotheses: Sequence[Statement], theory: Theory) -> bool:
    """Whether a hypothesis rests on an unknown function of entries: no equation is solved for what stands inside one."""
    reached = (t for h in hypotheses for side in (h.left, h.right) for t in theory.reached(side))
    return any(isinstance(t, Entry) and t.is_unknown and t.args for t in reached)


def _names_entries(h: Statement, statement: Statement, theory: Theory) -> bool:
    """`y[i] = t` for a given y of which only this hypothesis speaks: the entries are the values of t, also irrational; t may
    have other entries of y."""
    if h.relation != "=" or not isinstance(h.left, Entry) or h.left.name in theory.definitions or h.left.args:
        return False
    others = [t for g in statement.hypotheses if g is not h for t in (g.left, g.right)]
    names = frozenset((h.left.name,))
    plain = len(set(h.left.indices)) == len(h.left.indices) and all(i.free for i in h.left.indices)
    return plain and not any(theory.depends(t, names) for t in others)


def _in_order(rows: Sequence[Instance], values: KeptValues, draw: Draw) -> list[tuple[Place, Instance]] | None:
    """Equations that name entries, with these, so that each comes after those that name what it reads: `x[t - 1] = f(x[t])`
    from the last one on.  None where they go round in a circle."""
    named: dict[Place, Instance] = {}
    for h, at in rows:
        entry: Entry = h.left  # type: ignore[assignment]
        named[entry.name, tuple(i.evaluate(at, draw.sizes) for i in entry.indices)] = h, at
    if len(named) < len(rows):
        return None
    reads = {place: set(_read_by(h.right, values, draw, at)) & named.keys() for place, (h, at) in named.items()}
    ordered: list[tuple[Place, Instance]] = []
    while reads:
        ready = [place for place, own in reads.items() if own.isdisjoint(reads)]
        if not ready:
            return None
        ordered += [(place, named[place]) for place in ready]
        for place in ready:
            del reads[place]
    return ordered


def _read_by(t: Term, values: KeptValues, draw: Draw, at: dict[str, int]) -> list[Place]:
    """The entries that a term reads."""
    before = dict(draw.drawn)
    draw.drawn.clear()
    values.at_place(t, at)
    used = list(draw.drawn)
    draw.drawn.update(before)
    return used


def _true(h: Statement, values: KeptValues, at: dict[str, int]) -> bool:
    left, right = values.at_place(h.left, at), values.at_place(h.right, at)
    if not (isinstance(left, fmpq) and isinstance(right, fmpq)):
        return False
    return bool({"=": left == right, "<=": left <= right, "<": left < right, "!=": left != right}[h.relation])


def _solve(h: Statement, values: KeptValues, draw: Draw, at: dict[str, int], adjusted: set[Place]) -> bool:
    """Change one entry, in which the hypothesis is affine, so that it holds."""
    if h.relation != "=":
        return False

    def residual() -> Value:
        return values.at_place(h.left, at) - values.at_place(h.right, at)

    candidates = _entries(h, values, draw, at)
    for key in candidates:
        if key in adjusted:
            continue
        old = draw.drawn[key]
        samples = []
        for value in (fmpq(0), fmpq(1), fmpq(2)):
            draw.drawn[key] = value
            samples.append(residual())
        if all(isinstance(s, fmpq) for s in samples) and samples[2] - samples[1] == samples[1] - samples[0] != 0:
            draw.drawn[key] = -samples[0] / (samples[1] - samples[0])
            adjusted.add(key)
            return True
        draw.drawn[key] = old
    return False


def _scale(h: Statement, values: KeptValues, draw: Draw, at: dict[str, int]) -> bool:
    """Scale all entries of a side so that it is a number that is given: weights that stay positive sum to one then."""
    if h.relation != "=" or h.right.heads:
        return False
    keys = _entries(h, values, draw, at)
    left, right = values.at_place(h.left, at), values.at_place(h.right, at)
    if not (isinstance(left, fmpq) and isinstance(right, fmpq)) or not left or not right:
        return False
    for key in keys:
        draw.drawn[key] = draw.drawn[key] * right / left
    return _true(h, values, at)


def _entries(h: Statement, values: KeptValues, draw: Draw, at: dict[str, int]) -> list[Place]:
    """The entries that the two sides read here, those of a bare left side first."""
    before = dict(draw.drawn)
    draw.drawn.clear()
    values.at_place(h.left, at)
    values.at_place(h.right, at)
    used = list(draw.drawn)
    draw.drawn.update(before)
    return used


# --- equations that tie several entries together --------------------------------------------------------------------


def _looked_for(instances: Sequence[Instance], values: KeptValues, draw: Draw, budget: Budget) -> bool:
    """Give the entries of hypotheses simple values, one after the other, each equation its last one: `a^2 + c^2 = 1`."""
    if not any(h.relation == "=" for h, _ in instances):
        return False
    instances = sorted(instances, key=lambda row: _has_root(row[0]))  # |u|^2 = 1 tells what |u| = 1 only checks then
    read = [_entries(h, values, draw, at) for h, at in instances]
    tied = dict.fromkeys(key for keys in read for key in keys)
    if len(tied) > MAX_TIED:
        return False
    for key in tied:
        draw.drawn.pop(key, None)
    looks = min(LOOKS, budget.looks)
    search = _Search(list(zip(instances, map(tuple, read), strict=True)), values, draw, looks)
    found = search.extend(0, frozenset())
    budget.looks -= looks - search.looks
    return found


def _has_root(h: Statement) -> bool:
    """Whether an equation has a root in it, so that it cannot be solved for an entry."""
    powers = (t for side in (h.left, h.right) for t in subterms(side) if isinstance(t, Pow))
    return any(isinstance(t.exponent, Number) and t.exponent.value.q != 1 for t in powers)


@dataclass
class _Search:
    """A search through the values of a few entries, hypothesis by hypothesis."""

    rows: list[tuple[Instance, tuple[Place, ...]]]
    kept: KeptValues
    draw: Draw
    looks: int

    def extend(self, place: int, fixed: frozenset[Place]) -> bool:
        """Whether the hypotheses from a place on can be met by the entries that are not fixed yet."""
        if place == len(self.rows):
            return True
        if self.looks <= 0:
            return False
        self.looks -= 1
        (h, at), keys = self.rows[place]
        loose = [k for k in keys if k not in fixed]
        if not loose:
            return _true(h, self.kept, at) and self.extend(place + 1, fixed)
        key = loose[0]
        if len(loose) > 1 or h.relation != "=":
            values, then = self._simple(key), place
        else:
            values, then = self._roots(h, at, key), place + 1
        for value in values:
            self.draw.drawn[key] = value
            if self.extend(then, fixed | {key}):
                return True
        return False

    def _simple(self, key: Place) -> list[fmpq]:
        """The simple values in an order of the draw's own."""
        return sorted(SIMPLE, key=lambda v: self._place_of(key, v))

    def _roots(self, h: Statement, at: dict[str, int], key: Place) -> list[fmpq]:
        """The rational values of an entry at which an equation holds that is at most quadratic in it."""
        samples = []
        for value in (fmpq(0), fmpq(1), fmpq(-1), fmpq(2)):
            self.draw.drawn[key] = value
            samples.append(self.kept.at_place(h.left, at) - self.kept.at_place(h.right, at))
        zero, one, below, two = samples
        if not all(isinstance(s, fmpq) for s in samples):
            return []
        square, slope = (one + below) / 2 - zero, (one - below) / 2
        if two != 4 * square + 2 * slope + zero:
            return []
        if not square:
            return [-zero / slope] if slope else self._simple(key) if not zero else []
        root = _exact_root(slope * slope - 4 * square * zero)
        found = [] if root is None else [(sign * root - slope) / (2 * square) for sign in (1, -1)]
        return sorted(set(found), key=lambda v: self._place_of(key, v))

    def _place_of(self, key: Place, value: fmpq) -> bytes:
        """What orders values, in a way of the draw's own."""
        return hashlib.sha256(f"{self.draw.seed}|{key}|{value}".encode()).digest()


def _exact_root(value: fmpq) -> fmpq | None:
    """The square root of a fraction where that is a fraction."""
    if value < 0:
        return None
    p, q = math.isqrt(int(value.p)), math.isqrt(int(value.q))
    return fmpq(p, q) if p * p == value.p and q * q == value.q else None
