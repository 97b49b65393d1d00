"""What becomes of a printed output: right, wrong, or a difference from which nothing follows, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from derivations.documents.model.finding import Finding
from derivations.provers.decide import Refuted
from derivations.provers.refute import Counterexample

from .cells import Prepared
from .lineage import RANDOM, Lineage
from .outputs import Compared, Outcome, Shown, run_tokens
from .printed import Difference, masked
from .process import Run
from .several_runs import Runs, segments
from .wording import at_output, described, short

FAR_APART = 0.01
"""A difference, relative to the largest entry, that no arithmetic on another machine explains."""
CONFIRMING = 4
"""Digits of random numbers that agree, from which on the random numbers of the document are those of this machine."""


class Judge:
    """Decides the outcomes of one document; `doubt` says why a statement's values may not be the document's."""

    def __init__(
        self,
        runs: Runs,
        compared: Mapping[int, Compared],
        doubt: Callable[[Prepared, int], str | None],
    ) -> None:
        self.runs, self.compared, self.doubt = runs, compared, doubt
        self.lineage = Lineage(runs.prepared, runs.ordered is not None)

    def judged(self, p: Prepared, shown: Shown, o: Outcome) -> Finding:
        """The finding about one printed output."""
        notes = [f"in the order of the {o.order}"] if o.order != "document" else []
        if o.merged > 1:
            notes.append(f"printed {o.merged} times")
        read = f"{short(p.source(o.line))} prints {described(o.run)}"

        def made(status: str, code: str | None = None, reason: str | None = None) -> Finding:
            more: dict[str, Any] = {"read": read, "code": code, "reason": reason, "notes": tuple(notes)}
            return at_output(status, p, o.line, shown, o.start, o.end, **more)

        d = o.difference
        if o.state == "same":
            return made("holds")
        if d is None:
            return made("undecided", "not-comparable", "what the code prints has another form")
        text = f"the document shows {d.printed}, the code gives {d.computed}"
        doubt = self.doubt(p, o.line)
        if doubt is not None:
            return made("undecided", "depends", f"{text}; but {doubt}")
        if o.state == "unclear":
            why = o.note or ("rounding errors may explain it" if d.noise else "the value behind the text is not known")
            return made("undecided", "last-digit" if d.noise else "text-differs", f"{text}; {why}")
        is_far = self.is_far_apart(p, o)
        random = None if is_far else self.randomness(p, o)
        if random is not None:
            return made(*random)
        by_chance = _is_discrete(o) and not is_far
        explained = self.lineage.explanation(p, o.line, _relative(d), by_chance)
        if explained is not None:
            return made("undecided", explained[0], f"{text}; {explained[1]}")
        out_of_order = self.runs.ordered is not None
        where = "in the order of the document and in that of the execution counts" if out_of_order else "when it is run"
        finding = made("wrong", "stale-output" if out_of_order else "wrong-output", f"{text}, {where}")
        finding.decision = Refuted(Counterexample({}, {}, {}, d.computed, d.printed, "digits"))
        finding.replayed = True
        return finding

    def randomness(self, p: Prepared, o: Outcome) -> tuple[str, str, str] | None:
        """Why a difference may come from random numbers or the clock; None when the output depends on neither."""
        plain, other = self.runs.plain, self.runs.otherwise()
        if _same_values(plain, other, p, o.segment):
            return None
        if o.difference is not None and o.difference.kind == "shape" and _same_shapes(plain, other, p, o.segment):
            return None
        if not _same_values(plain, self.runs.later(), p, o.segment):
            words = (
                "it depends on random numbers without a seed, or on the clock: its form was compared, not its values"
            )
            return "skipped", "unseeded-random", words
        if self.is_confirmed(p, o):
            return None
        words = "it depends on seeded random numbers, which other versions of the libraries may draw otherwise"
        return "undecided", "seeded-random", f"{words}: the seed does not give here what the document shows"

    def is_confirmed(self, p: Prepared, o: Outcome) -> bool:
        """Whether the random numbers behind an output are those that the document had.

        They are, when an earlier output of random numbers agrees digit by digit, and other random numbers from there on
        do not change this one.
        """
        if not self.lineage.draws_are_stable(p):
            return False
        for q in reversed(self.runs.runnable):
            found = self.compared.get(q.cell.id)
            if found is None or q.cell.id > p.cell.id:
                continue
            for earlier in found.outcomes:
                if earlier is o or earlier.state != "same" or earlier.order != "document" or not _is_telling(earlier):
                    continue
                if q is p and (earlier.line >= o.line or self.draws_between(p, earlier.line, o.line)):
                    continue
                if _same_values(self.runs.plain, self.runs.otherwise(), q, earlier.segment):
                    continue  # no random number shows in it
                return q is p or _same_values(self.runs.plain, self.runs.reseeded_after(q), p, o.segment)
        return False

    def is_far_apart(self, p: Prepared, o: Outcome) -> bool:
        """Whether values that the document says are close differ by far, whichever random numbers are drawn."""
        d = o.difference
        if (
            d is None
            or (d.kind, d.printed, d.computed) != ("truth", "True", "False")
            or "allclose" not in p.source(o.line)
        ):
            return False
        pieces = [segments(run, p)[o.segment : o.segment + 1] for run in (self.runs.plain, self.runs.otherwise())]
        return all(s and s[0]["apart"] and min(s[0]["apart"]) >= FAR_APART for s in pieces)

    def draws_between(self, p: Prepared, first: int, last: int) -> bool:
        """Whether random numbers may be drawn by the lines of a cell from `first` up to `last`."""
        return any(RANDOM.search(line) for line in p.cell.source.split("\n")[first - 1 : last])


def _same_values(one: Run, other: Run, p: Prepared, segment: int) -> bool:
    """Whether a piece of output is the same in two runs, the values behind it in full precision."""
    a, b = segments(one, p), segments(other, p)
    if len(a) != len(b) or segment >= len(a):
        return False
    if masked(a[segment]["text"]) != masked(b[segment]["text"]):
        return False
    values = [[(r[2], r[4]) for r in s[segment]["values"]] for s in (a, b)]
    return _nearly(values[0], values[1])


def _nearly(a: Any, b: Any) -> bool:
    """Equality up to the noise of arithmetic that is not deterministic."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(_nearly(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, float):
        return a == b or abs(a - b) <= 1e-6 * max(abs(a), abs(b))
    return bool(a == b)


def _same_shapes(one: Run, other: Run, p: Prepared, segment: int) -> bool:
    """Whether the arrays of a piece of output have the same shapes in two runs."""
    shapes = [
        [t.shape for k, t in run_tokens(segments(run, p)) if k == segment and t.kind == "array"] for run in (one, other)
    ]
    return shapes[0] == shapes[1]


def _relative(d: Difference) -> float | None:
    """The size of a difference between two numbers beside the larger of them."""
    try:
        a, b = float(d.printed), float(d.computed)
    except ValueError:
        return None
    return abs(a - b) / max(abs(a), abs(b)) if a or b else 0.0


def _is_discrete(o: Outcome) -> bool:
    """Whether an output holds only whole numbers and truth values, which agree by chance."""
    numbers = [n for t in o.run for n in t.numbers]
    return all(n.exact is not None and n.exact == int(n.exact) if _finite(n.exact) else True for n in numbers)


def _finite(value: float | None) -> bool:
    return value is not None and abs(value) < 1e300


def _is_telling(o: Outcome) -> bool:
    """Whether an output shows enough digits for an agreement to be no chance."""
    digits: Sequence[str] = [n.text.partition(".")[2] for t in o.printed for n in t.numbers if n.pointed]
    return sum(len(text.rstrip("0")) for text in digits) >= CONFIRMING
