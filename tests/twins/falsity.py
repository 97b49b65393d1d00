"""Whether a statement is false where another one is true: both are evaluated at random small inputs, without the engine."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import Any

from plain_evaluator import (
    BOTTOM,
    Circular,
    Evaluator,
    Frame,
    Inputs,
    Near,
    Overlap,
    Unclear,
    Undefined,
    compare,
    minus,
    near,
    plus,
    times,
)

from derivations.language.statement import Statement, Theory
from derivations.language.term import Derivative, Entry, Number, Sum, Term

PALETTES = (
    tuple(map(Fraction, (1, 2, 3, Fraction(1, 2), Fraction(3, 2)))),
    tuple(map(Fraction, (-2, -1, Fraction(1, 2), 1, 3, Fraction(-3, 2)))),
    tuple(map(Fraction, (0, 1, -1, 2))),
)
SIZES = ((2, 3, 4, 5), (3, 2, 5, 4), (1, 2, 3, 2), (4, 2, 3, 6), (2, 4, 4, 2), (3, 3, 2, 1))
BOX = range(6)
TRIALS = 9
PLACES = 5
"""Index values tried at one choice of inputs."""
MAX_PLACES = 4_000
CLOSE, CLEAR = 1e-4, 1e-3
"""Relative differences that rounding and differences in place of derivatives explain, and that they do not."""
STEP = Fraction(1, 4096)
"""How far a number is moved for a derivative."""


class Sizes(dict[str, int]):
    """Small sizes, drawn when they are asked for: names that come one after the other get unequal ones."""

    def __init__(self, trial: int) -> None:
        self.pool = SIZES[trial % len(SIZES)]

    def __missing__(self, name: str) -> int:
        self[name] = self.pool[len(self) % len(self.pool)]
        return self[name]


class WithDerivatives(Evaluator):
    """Values at some inputs, where derivatives are central differences."""

    def _value(self, t: Term, env: Mapping[str, int], frame: Frame) -> Any:
        if not isinstance(t, Derivative):
            return super()._value(t, env, frame)
        if frame.tensors or t.name in self.theory.definitions:
            raise Unclear("a derivative by what is no given number")
        place = tuple(self.index(i, env, frame) for i in t.at)
        middle = self.inputs.entry(t.name, place)
        ends = []
        for moved in (plus(middle, STEP), plus(middle, -STEP)):
            inputs = replace(self.inputs, drawn={**self.inputs.drawn, (t.name, place): moved})
            ends.append(WithDerivatives(self.theory, inputs, in_range=True).value(t.body, env, frame))
        if BOTTOM in ends:
            raise Undefined("a derivative where the value is -oo")
        return times(minus(*ends), 1 / (2 * STEP))


@dataclass(frozen=True)
class Claimed:
    """Statements with what is known where they stand."""

    statements: tuple[Statement, ...]
    theory: Theory


@dataclass
class Outcome:
    """What evaluation says of a changed claim: `false` at `witness`, else how often both claims had values."""

    false: bool = False
    witness: str = ""
    compared: int = 0
    control: int = 0
    """Places at which the original came out false: its inputs are none that the document allows."""
    why: str = ""


def judge(changed: Claimed, original: Claimed, seed: str) -> Outcome:
    """Look for inputs at which the original is true and the changed claim is not."""
    outcome = Outcome()
    for trial in range(TRIALS):
        inputs = Inputs(Sizes(trial), PALETTES[trial % len(PALETTES)], f"{seed}|{trial}")
        rng = random.Random(f"{seed}|{trial}")
        try:
            before = WithDerivatives(original.theory, inputs, in_range=True)
            after = WithDerivatives(changed.theory, inputs, in_range=True)
            if not all(_made_true(h, e) for e, c in ((before, original), (after, changed)) for h in _given(c)):
                outcome.why = outcome.why or "no inputs that meet the hypotheses"
                continue
            if not _all_hold(original, before, rng, outcome):
                continue
            where = _counterexample(changed, after, rng, outcome)
        except (Unclear, Undefined) as reason:
            outcome.why = str(reason)
            continue
        if where is not None:
            outcome.false, outcome.witness = True, f"{dict(inputs.sizes)} {where}"
            return outcome
    return outcome


def _given(claimed: Claimed) -> list[Statement]:
    return list(dict.fromkeys(h for s in claimed.statements for h in s.hypotheses))


def _places(s: Statement, at: Evaluator, rng: random.Random) -> list[dict[str, int]]:
    places = list(islice(at.assignments(s.indices, s.guard, BOX), MAX_PLACES))
    return rng.sample(places, min(PLACES, len(places)))


def _sides(s: Statement, at: Evaluator, env: Mapping[str, int]) -> tuple[Any, Any]:
    return at.value(s.left, env), at.value(s.right, env)


def _all_hold(claimed: Claimed, at: Evaluator, rng: random.Random, outcome: Outcome) -> bool:
    """Whether the original is defined and true wherever it was tried."""
    tried = 0
    for s in claimed.statements:
        for env in _places(s, at, rng):
            try:
                left, right = _sides(s, at, env)
                if not related(left, s.relation, right):
                    outcome.control += 1
                    return False
                tried += 1
            except (Circular, Overlap, Undefined, Unclear) as reason:
                outcome.why = str(reason)
    return tried > 0


def _counterexample(claimed: Claimed, at: Evaluator, rng: random.Random, outcome: Outcome) -> str | None:
    for s in claimed.statements:
        for env in _places(s, at, rng):
            try:
                left, right = _sides(s, at, env)
                true = related(left, s.relation, right)
            except (Circular, Overlap, Undefined, Unclear) as reason:
                outcome.why = str(reason)
                continue
            outcome.compared += 1
            if not true:
                return f"{env}: {_shown(left)} {s.relation} {_shown(right)}"
    return None


def related(left: Any, relation: str, right: Any) -> bool:
    """Whether `left relation right`; `Unclear` where the two are neither as good as equal nor clearly apart.

    >>> related(Fraction(1, 3), "=", Near(0.33333333, 1e-9)), related(Fraction(1), "<", Fraction(1))
    (True, False)
    """
    if left is BOTTOM or right is BOTTOM or relation == "!=":
        return compare(left, relation, right)
    difference = near(minus(right, left))
    scale = max(1.0, abs(near(left).value), abs(near(right).value))
    if difference.error > CLOSE * scale or CLOSE * scale < abs(difference.value) < CLEAR * scale:
        raise Unclear("too close to tell")
    if abs(difference.value) <= CLOSE * scale:
        if relation == "<" and not (isinstance(left, Fraction) and left == right):
            raise Unclear("too close to tell")
        return relation != "<"
    return relation != "=" and difference.value > 0


def _shown(value: Any) -> str:
    return f"{value.value:.6g}" if isinstance(value, Near) else str(value)


def _made_true(h: Statement, at: Evaluator) -> bool:
    """Change drawn entries so that a hypothesis holds, where it says how: `sum_j y_j = 1`, `S_ij = S_ji`, `0 < c`."""
    for env in _all_places(h, at):
        _adjust(h, at, env)
    at.known.clear()
    try:
        return all(related(*_parts(h, at, env)) for env in _all_places(h, at))
    except Undefined:
        return False
    finally:
        at.known.clear()


def _parts(h: Statement, at: Evaluator, env: Mapping[str, int]) -> tuple[Any, str, Any]:
    left, right = _sides(h, at, env)
    return left, h.relation, right


def _all_places(h: Statement, at: Evaluator) -> Iterator[dict[str, int]]:
    return islice(at.assignments(h.indices, h.guard, BOX), 200)


def _adjust(h: Statement, at: Evaluator, env: Mapping[str, int]) -> None:
    at.known.clear()
    try:
        left, right = _sides(h, at, env)
        if compare(left, h.relation, right):
            return
    except (Undefined, Unclear):
        return
    ends = (h.left, h.right), (h.right, h.left)
    for side, other in ends:
        if h.relation == "=" and isinstance(side, Entry) and _is_drawn(side, at):
            value = at.value(other, env)
            if value is not BOTTOM:
                _put(side, at, env, value)
                return
    if h.relation == "=" and isinstance(h.left, Sum) and isinstance(h.right, Number):
        body = h.left.body
        rows = list(at.places(h.left, env, at.top))
        if isinstance(body, Entry) and _is_drawn(body, at) and rows and isinstance(left, Fraction):
            _put(body, at, rows[-1], at.value(body, rows[-1]) + right - left)
    if h.relation in ("<", "<=", "!=") and isinstance(h.right, Entry) and _is_drawn(h.right, at):
        value = at.value(h.left, env)
        if isinstance(value, Fraction):
            _put(h.right, at, env, value + Fraction(3, 2))


def _is_drawn(t: Entry, at: Evaluator) -> bool:
    return not t.args and t.name not in at.theory.definitions


def _put(t: Entry, at: Evaluator, env: Mapping[str, int], value: Fraction | Near) -> None:
    place: Sequence[int] = [at.index(i, env, at.top) for i in (*t.indices, *t.sizes)]
    at.inputs.drawn[(t.name, tuple(place))] = value
