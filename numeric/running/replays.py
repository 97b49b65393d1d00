"""Counterexamples about code: what the process needs to replay them, and what follows from the values that come back."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import fmpq

from derivations.documents.model.code_replay import Replay
from derivations.documents.model.finding import Finding
from derivations.language.extended_reals import Indeterminate, WorkLimit, ball
from derivations.language.inputs import Inputs
from derivations.language.meaning import evaluate
from derivations.language.substitution import substitute
from derivations.language.term import Index, Lambda
from derivations.provers.decide import Refuted
from derivations.provers.refute import Counterexample

from .cells import Prepared, loaded, stored

ENTRY_LIMIT = 4096
CLOSE = 1e-6
"""Relative difference up to which a value of the code, in double precision, is the one that was computed for it."""


class NotReplayable(Exception):
    """A counterexample that cannot be fed to the code; the message says why."""


def replay_jobs(findings: Sequence[Finding], prepared: Sequence[Prepared]) -> list[dict[str, Any]]:
    """What is to be replayed: one row for each refutation about code; those that cannot be are noted as such."""
    rows = []
    for k, f in enumerate(findings):
        if f.kind != "code" or f.status != "refuted" or not isinstance(f.decision, Refuted):
            continue
        try:
            rows.append({"id": str(k), **_job(f, f.decision.counterexample, prepared)})
        except (NotReplayable, Indeterminate, WorkLimit, ValueError, ArithmeticError) as reason:
            f.notes = (*f.notes, f"not replayed in the code: {reason}")
    return rows


def job_of(f: Finding, prepared: Sequence[Prepared]) -> dict[str, Any] | None:
    """What a replay of one refutation needs; None when it cannot be replayed."""
    if not isinstance(f.decision, Refuted):
        return None
    try:
        return _job(f, f.decision.counterexample, prepared)
    except (NotReplayable, Indeterminate, WorkLimit, ValueError, ArithmeticError):
        return None


def take_replays(findings: Sequence[Finding], found: Mapping[str, Any]) -> None:
    """Mark what the code confirms; where it gives the equation's value instead, nothing is refuted."""
    for k, f in enumerate(findings):
        answer = found.get(str(k))
        if not isinstance(answer, dict) or not isinstance(f.decision, Refuted):
            continue
        if "value" not in answer:
            f.notes = (*f.notes, f"not replayed in the code: {answer.get('error')}")
            continue
        value = float(answer["value"])
        witness = f.decision.counterexample
        left, right = _number(witness.left), _number(witness.right)
        if left is None or right is None:
            f.notes = (*f.notes, f"replayed in the code: {value:.10g}")
        elif _close(value, right, left):
            f.replayed = True
        elif _close(value, left, right):
            f.status, f.code, f.decision, f.suggestion = "undecided", "not-confirmed", None, None
            f.reason = f"read as differing from the equation, but the code itself gives its value there, {value:.10g}"
        else:
            f.notes = (*f.notes, f"replayed in the code with another result: {value:.10g}")


def _number(text: str) -> float | None:
    try:
        return float(Fraction(text.rstrip("….")))
    except (ValueError, ZeroDivisionError):
        return None


def _close(value: float, wanted: float, other: float) -> bool:
    """Whether a value is the wanted one; small terms that were left out (eps) may part them, far less than the other."""
    return math.isfinite(value) and abs(value - wanted) <= max(
        CLOSE * max(1.0, abs(wanted)), 1e-3 * abs(wanted - other)
    )


def _job(f: Finding, witness: Counterexample, prepared: Sequence[Prepared]) -> dict[str, Any]:
    replay = f.replay
    if replay is None or witness.kind != "values":
        raise NotReplayable("the value stands inside a function, or is no value at a point")
    if f.statement is None or f.statement not in f.statements:
        raise NotReplayable("the decisive statement is not known")
    place = replay.places[f.statements.index(f.statement)]
    at = [i.evaluate(dict(witness.at), dict(witness.sizes)) for i in _evaluable(place, witness)]
    inputs = Inputs(witness.sizes, {name: _exact(value) for name, value in witness.inputs.items()})
    arrays: dict[str, Any] = {}
    call: dict[str, Any] | None = {} if replay.function else None
    for b in replay.bindings:
        if not b.name.isidentifier():
            raise NotReplayable("an input of the code has no name")
        shape = [i.evaluate({}, dict(witness.sizes)) for i in _evaluable(b.shape, witness)]
        if math.prod(shape) > ENTRY_LIMIT:
            raise NotReplayable("the inputs are too large")
        nested = _array(b.value, shape, f, inputs, dict(witness.at))
        if call is not None and b.parameter:
            call[b.name] = nested
        else:
            arrays[b.name] = nested
    sizes = {
        name: i.evaluate({}, dict(witness.sizes)) for name, i in replay.sizes.items() if i.sizes <= witness.sizes.keys()
    }
    steps, function = _steps(replay, prepared, {*arrays, *sizes})
    numbers: dict[str, int] = {}
    if function is not None and call is not None:
        for name in _required(function):
            if name not in call:
                if name not in sizes:
                    raise NotReplayable(f"no value is known for the parameter {name}")
                numbers[name] = sizes[name]
        own = {a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}
        call = {name: nested for name, nested in call.items() if name in own}
    return {
        "steps": steps,
        "arrays": arrays,
        "sizes": {name: value for name, value in sizes.items() if name.isidentifier()},
        "call": call,
        "numbers": numbers,
        "result": replay.name,
        "at": at,
        "library": _library(prepared, steps),
    }


def _evaluable(indices: Sequence[Index], witness: Counterexample) -> Iterator[Index]:
    for i in indices:
        if not i.sizes <= witness.sizes.keys():
            raise NotReplayable("a size of the code is not settled by the counterexample")
        yield i


def _exact(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_exact(v) for v in value]
    if isinstance(value, str):
        exact = Fraction(value)
        return fmpq(exact.numerator, exact.denominator)
    return value


def _array(
    value: Lambda,
    shape: Sequence[int],
    f: Finding,
    inputs: Inputs,
    indices: Mapping[str, int],
    at: tuple[int, ...] = (),
) -> Any:
    """The entries of an input of the code, as nested lists; it may be the member of a family at one of the indices."""
    if len(at) < len(shape):
        return [_array(value, shape, f, inputs, indices, (*at, k)) for k in range(shape[len(at)])]
    body = substitute(value.body, indices={p: Index.of(k) for p, k in zip(value.params, at, strict=True)})
    return float(ball(evaluate(body, f.theory, inputs, indices)).mid())


def _required(function: ast.FunctionDef) -> list[str]:
    a = function.args
    names = [x.arg for x in (*a.posonlyargs, *a.args)]
    required = names[: len(names) - len(a.defaults)]
    return required + [x.arg for x, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is None]


def _steps(replay: Replay, prepared: Sequence[Prepared], bound: set[str]) -> tuple[list[str], ast.FunctionDef | None]:
    """The statements that the value is made of, in order, without those that only make the inputs."""
    flat: list[tuple[Prepared, ast.stmt]] = []
    for p in prepared:
        if p.skipped is not None or p.block.index > replay.block:
            continue
        for s in p.statements:
            if p.block.index == replay.block and s.lineno > replay.line:
                break
            flat.append((p, s))
    if not flat or flat[-1][0].block.index != replay.block:
        raise NotReplayable("its statement is not run")
    target = flat[-1][1]
    if replay.function and (not isinstance(target, ast.FunctionDef) or target.name != replay.name):
        raise NotReplayable("it is a method")
    if not target.lineno <= replay.line <= (target.end_lineno or target.lineno):
        raise NotReplayable("its statement is not at the top of a cell")
    chosen = [flat[-1]]
    needed = (loaded(target) | (stored(target) if isinstance(target, ast.AugAssign) else set())) - bound
    for p, s in reversed(flat[:-1]):
        if stored(s) & needed:
            chosen.append((p, s))
            needed |= loaded(s) - bound
    sources = [_source(p, s) for p, s in reversed(chosen)]
    return sources, target if isinstance(target, ast.FunctionDef) else None


def _source(p: Prepared, s: ast.stmt) -> str:
    first = min([s.lineno, *(d.lineno for d in getattr(s, "decorator_list", ()))])
    lines = p.cell.source.split("\n")[first - 1 : s.end_lineno]
    if first == s.lineno and s.col_offset:
        return ast.get_source_segment(p.cell.source, s) or ""
    # a semicolon may put another statement on the last line
    return ast.get_source_segment(p.cell.source, s) or "\n".join(lines) if first == s.lineno else "\n".join(lines)


def _library(prepared: Sequence[Prepared], steps: Sequence[str]) -> str:
    """Which library the inputs belong to: the one whose name the statements use, torch where both or none are."""
    names: dict[str, set[str]] = {"torch": set(), "numpy": set()}
    for p in prepared:
        for s in p.statements:
            if isinstance(s, ast.Import):
                for a in s.names:
                    head = a.name.partition(".")[0]
                    if head in names:
                        names[head].add(a.asname or head)
            elif isinstance(s, ast.ImportFrom) and s.module and s.module.partition(".")[0] in names:
                names[s.module.partition(".")[0]] |= {a.asname or a.name for a in s.names}
    used = loaded(ast.parse("\n".join(steps)))
    if names["numpy"] & used and not names["torch"] & used:
        return "numpy"
    return "torch" if names["torch"] else "numpy"
