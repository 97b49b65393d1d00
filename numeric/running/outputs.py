"""What one cell printed, compared with what the document shows: one outcome for each statement that printed something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from derivations.documents.model.document import Document, Output, Place, Text

from .cells import Prepared
from .printed import Difference, Token, compare_token, masked, tokens, with_values

COMPARED = frozenset({"stream", "result", "display", "text"})
"""Kinds of output that the code prints; `stderr` and `error` are not compared."""


@dataclass(frozen=True)
class Shown:
    """What a document shows below a code block: its outputs joined, each place still known."""

    text: str
    parts: tuple[tuple[int, Text], ...]

    def locate(self, offset: int) -> Place:
        start, part = max((p for p in self.parts if p[0] <= offset), key=lambda p: p[0], default=self.parts[0])
        return part.locate(min(max(offset - start, 0), len(part.text)))


def shown_below(document: Document, prepared: Prepared) -> Shown | None:
    """The outputs of a code block that can be compared; None when there are none."""
    parts: list[tuple[int, Text]] = []
    texts: list[str] = []
    at = 0
    for output in document.outputs_of(prepared.block):
        if isinstance(output, Output) and output.kind in COMPARED and masked(output.text.text).strip():
            parts.append((at, output.text))
            texts.append(output.text.text)
            at += len(output.text.text) + 1
    return Shown("\n".join(texts), tuple(parts)) if parts else None


@dataclass
class Outcome:
    """One printed piece: the line of its statement in the cell, where the document shows it, and whether it is right.

    `state`: `same`, `differs` (a known value lies outside the printed digits), `unclear` (it differs, but nothing
    follows from that), `absent` (not found among what the document shows).
    """

    line: int
    state: str
    segment: int
    start: int = 0
    end: int = 0
    difference: Difference | None = None
    printed: tuple[Token, ...] = ()
    run: tuple[Token, ...] = ()
    order: str = "document"
    note: str = ""
    merged: int = 1


@dataclass
class Compared:
    """All outcomes of a cell, and the first place of what the document shows that nothing printed accounts for."""

    outcomes: list[Outcome] = field(default_factory=list)
    left_over: int | None = None

    @property
    def clean(self) -> bool:
        return self.left_over is None and all(o.state == "same" for o in self.outcomes)


def run_tokens(segments: Sequence[Mapping[str, Any]]) -> list[tuple[int, Token]]:
    """The tokens of all that a cell printed, each with the number of its segment and the values behind it."""
    text, starts, records = "", [], []
    for s in segments:
        starts.append(len(text))
        records += [(r[0] + len(text), *r[1:]) for r in s["values"]]
        text += s["text"]
    found = with_values(tokens(text), records)
    return [(max(k for k, start in enumerate(starts) if start <= t.start), t) for t in found]


def compare_cell(shown: Shown, segments: Sequence[Mapping[str, Any]]) -> Compared:
    """Compare what a cell printed with what the document shows."""
    printed = tokens(shown.text)
    whole = run_tokens(segments)
    plain = [k for k, s in enumerate(segments) if s["kind"] == "stream"]
    for chosen in (whole, [(k, t) for k, t in whole if k in plain]):
        found = _aligned(printed, chosen)
        if found is not None:
            return found
    return _searched(printed, whole)


def _aligned(printed: Sequence[Token], run: Sequence[tuple[int, Token]]) -> Compared | None:
    """Token against token, when the words are the same up to the end of the one that is shorter."""
    count = min(len(printed), len(run))
    if not count or not all(correspond(printed[k], run[k][1]) for k in range(count)):
        return None
    cut = printed[-1].cut
    if len(printed) < len(run) and not cut and run[count][0] == run[count - 1][0]:
        return None  # the document stops inside of what one statement printed
    outcomes = []
    for segment in dict.fromkeys(k for k, _ in run[:count]):
        places = [n for n in range(count) if run[n][0] == segment]
        outcomes.append(outcome_of(segment, [printed[n] for n in places], [run[n][1] for n in places]))
    if len(printed) != len(run) and not cut and any(o.state != "same" for o in outcomes):
        return None  # something is left out on one side: the places may not correspond
    left = printed[count].start if len(printed) > len(run) else None
    return Compared(outcomes, left)


def outcome_of(segment: int, printed: Sequence[Token], run: Sequence[Token]) -> Outcome:
    """What becomes of a piece of output whose tokens have those of the document beside them."""
    differences = [d for a, b in zip(printed, run, strict=True) if (d := _difference(a, b)) is not None]
    state = "same"
    if differences:
        differences.sort(key=lambda d: (d.noise, d.kind == "text"))
        first = differences[0]
        state = "unclear" if first.noise or first.kind == "text" else "differs"
    return Outcome(
        0,
        state,
        segment,
        printed[0].start,
        printed[-1].end,
        differences[0] if differences else None,
        tuple(printed),
        tuple(run),
    )


def correspond(printed: Token, run: Token) -> bool:
    """Whether two tokens are of one form: the same words, or truth values of which the run knows its own."""
    return printed.key == run.key or (run.truth and printed.text in ("True", "False"))


def _difference(printed: Token, run: Token) -> Difference | None:
    """The first difference between two tokens of one form."""
    if run.truth and printed.text != run.text:
        return Difference("truth", printed.text, run.text, printed.start)
    return compare_token(printed, run)


def _searched(printed: Sequence[Token], run: Sequence[tuple[int, Token]]) -> Compared:
    """Each segment by itself, in order, where its words occur among those of the document."""
    found = Compared()
    at, used = 0, [False] * len(printed)
    for segment in dict.fromkeys(k for k, _ in run):
        own = [t for k, t in run if k == segment]
        if not any(t.numbers or t.text in ("True", "False") for t in own):
            continue
        best = _best(printed, own, at, segment)
        if best is None:
            truth = _truth(printed, own, at, segment)
            if truth is None:
                found.outcomes.append(Outcome(0, "absent", segment, run=tuple(own)))
                continue
            best = truth
        outcome, start = best
        for n in range(start, start + len(own)):
            used[n] = True
        at = start + len(own)
        found.outcomes.append(outcome)
    # Words alone (titles, warnings, progress) are no statement about values.
    left = [t for n, t in enumerate(printed) if not used[n] and t.numbers]
    found.left_over = left[0].start if left else None
    return found


def _best(printed: Sequence[Token], own: Sequence[Token], at: int, segment: int) -> tuple[Outcome, int] | None:
    """The first place from `at` where a segment is right; else the only place that its own words lead to."""
    keys = [t.key for t in own]
    places = [n for n in range(at, len(printed) - len(own) + 1) if [t.key for t in printed[n : n + len(own)]] == keys]
    tried = [(outcome_of(segment, printed[n : n + len(own)], own), n) for n in places]
    for outcome, n in tried:
        if outcome.state == "same":
            return outcome, n
    labels = [
        t for t in own if t.kind == "word" and len(t.text) >= 3 and t.text not in ("tensor", "array", "torch.Size")
    ]
    if len(tried) == 1:
        outcome, n = tried[0]
        if not labels and outcome.state == "differs":
            outcome = replace(outcome, state="unclear")
        return outcome, n
    return None


def _truth(printed: Sequence[Token], own: Sequence[Token], at: int, segment: int) -> tuple[Outcome, int] | None:
    """The only place where a segment differs in a truth value that the run knows, and in nothing else."""
    if not any(t.truth for t in own):
        return None
    found = []
    for n in range(at, len(printed) - len(own) + 1):
        there = printed[n : n + len(own)]
        if all(correspond(a, b) for a, b in zip(there, own, strict=True)):
            found.append((n, there))
    if len(found) != 1:
        return None
    n, there = found[0]
    if len(own) != len(printed) and not any(t.kind == "word" and len(t.text) >= 3 and not t.truth for t in own):
        return None
    outcome = outcome_of(segment, there, own)
    return (outcome, n) if any(b.truth and a.text != b.text for a, b in zip(there, own, strict=True)) else None
