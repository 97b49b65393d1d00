"""What counts where a value of the code was judged in several ways to lift it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from derivations.code.judged_values import judge_candidate
from derivations.code.judgement_context import Candidate, Context, Judged, Lifting
from derivations.code.verdicts_in_place import undecide
from derivations.lifting.operations.all_operations import BY_NAME

RANK = {"proved": 4, "undecided": 2, "refuted": 3, "skipped": 1}


ONE_ONLY = "proved of one sequence, but not with the batch that is spoken of"


OF_ROW = "right if the argument is one row of the matrix with that letter, and wrong for the whole matrix"


LED = "right if the arguments have a leading axis more than the equation, and wrong without it"


def judge_in_ways(context: Context, c: Candidate, ways: Iterable[Lifting]) -> Iterator[tuple[Lifting, Judged | None]]:
    """What becomes of a candidate in each of several ways to lift it."""
    for way in ways:
        yield way, judge_candidate(context, replace(c, lifting=way.returning(c.part)))


def best_called_otherwise(made: Iterable[tuple[Lifting, Judged | None]]) -> Judged | None:
    """What counts of a value some of whose parameters no symbol is called after."""
    groups: dict[tuple[tuple[str, str], ...], list[tuple[Lifting, Judged | None]]] = {}
    for way, j in made:
        groups.setdefault(tuple(way.called.items()), []).append((way, j))
    judged = [j for own in groups.values() if (j := best_way(own)) is not None]
    fitting = [j for j in judged if j.finding.code not in ("not-comparable", "shape-conflict", "vacuous")]
    proved = [j for j in fitting if j.status == "proved"]
    if proved and len(proved) < len(fitting):
        undecide(
            proved[0].finding, "ambiguous", "proved for some shapes of parameters of which the document says nothing"
        )
    outcome = proved[0] if proved else min(fitting, key=lambda j: j.status == "refuted", default=None)
    named = next((n for called in groups for n, _ in called if _says_function(n)), None)
    if outcome is not None and outcome.status == "refuted" and named is not None:
        undecide(outcome.finding, "ambiguous", f"different, but {named} is called as a function of something")
    return outcome


def _says_function(name: str) -> bool:
    """Whether a name says that it is a function of something: `log_h`, `x_norm`."""
    parts = [p for p in name.split("_") if p]
    return len(parts) > 1 and any(f"{library}.{p}" in BY_NAME for p in parts for library in ("torch", "numpy"))


def worse_of_two(proved: Judged, batched: Judged, of_parameters: bool) -> Judged:
    """The verdict that counts where the second one is about leading axes; a refutation needs that these are said."""
    if batched.status == "proved" or (batched.status == "refuted" and of_parameters):
        return proved if batched.status == "proved" else batched
    f, why = batched.finding, batched.finding.reason or "another value comes out"
    undecide(proved.finding, f.code or "ambiguous", f"{ONE_ONLY}: {why}")
    return proved


def best_of_libraries(found: Mapping[tuple[str, int, str], Judged]) -> dict[tuple[str, int], Judged]:
    """What became of values by name and line: wrong only when it is wrong for arrays of each library."""
    best: dict[tuple[str, int], Judged] = {}
    for (name, line, _), judged in found.items():
        old = best.get((name, line))
        if old is None or old.status == "refuted" or judged.status == "proved":
            best[name, line] = judged
    return best


def most_telling(found: Sequence[tuple[Lifting, Judged]]) -> Judged | None:
    """What counts most where no sure way to lift a function proves it; a guess that does stands against an error."""
    sure = [j for w, j in found if j.status != "proved" and not w.row]
    most = max(sure, key=lambda j: RANK[j.status], default=None)
    guessed = next(((w, j) for w, j in found if j.status == "proved"), None)
    if guessed is None or (most is not None and not is_wrong(most)):
        return most
    way, judged = guessed
    undecide(judged.finding, "ambiguous", why_guessed(way, found) or LED)
    return judged


def why_guessed(way: Lifting, others: Iterable[tuple[Lifting, Judged]]) -> str | None:
    """Why what a way to lift a function proves is not proved: its parameters are others than in the equation.

    A leading axis of which nothing is said is no guess unless the code is wrong without it.
    """
    if way.row:
        return OF_ROW
    plain = (j for w, j in others if w.library == way.library and not (w.led or w.row or w.each))
    return LED if way.led and any(map(is_wrong, plain)) else None


def is_wrong(judged: Judged) -> bool:
    """Whether code that runs gives something else than the equation, or has the axes of its equation only by chance."""
    misfits = judged.status == "undecided" and judged.finding.code == "shape-conflict"
    return judged.status == "refuted" or misfits


def best_way(made: Iterable[tuple[Lifting, Judged | None]]) -> Judged | None:
    """Proved if any way of reading the parameters proves it; refuted only if the first one that lifts does.

    Heads side by side are as good a way as the first one: it has to be refuted as well.  Ways in which the sizes of
    the parameters fit come first.
    """
    found: list[tuple[Lifting, Judged]] = []
    guessed: Judged | None = None
    for way, judged in made:
        if judged is not None and judged.status == "proved":
            why = why_guessed(way, found)
            if why is None:
                return judged
            undecide(judged.finding, "ambiguous", why)
            guessed = guessed or replace(judged, needs_axis=way.led)
        elif judged is not None and not way.row:
            found.append((way, judged))
    chosen = _best_unproved(found)
    is_doubted = chosen is None or (is_wrong(chosen) and not chosen.as_written)
    return guessed if guessed is not None and is_doubted else chosen


def _best_unproved(found: Sequence[tuple[Lifting, Judged]]) -> Judged | None:
    """What counts where no way of reading the parameters proves it."""
    if not found:
        return None
    if found[0][1].status == "refuted":  # wrong only at the lengths that the document gives
        found = [x for x in found if x[0].declared and x[0].library == found[0][0].library] or found
    kinds = list(dict.fromkeys(w.library for w, _ in found))
    if len(kinds) > 1:  # wrong only when it is wrong for arrays of each library
        each = [_best_unproved([(w, j) for w, j in found if w.library == kind]) for kind in kinds]
        return min((j for j in each if j is not None), key=lambda j: j.status == "refuted")
    lifted_ones = sorted(((w, j) for w, j in found if j.status != "skipped"), key=lambda x: x[0].forced)
    for way, j in lifted_ones:
        if way.packed and j.status == "undecided" and j.finding.code != "not-comparable":
            return j
    for way, j in lifted_ones:
        if way.places and lifted_ones[0][1].finding.code in ("not-comparable", "shape-conflict", "vacuous"):
            return j
    for way, j in lifted_ones:
        if way.each and lifted_ones[0][1].finding.code == "not-comparable":
            return j
    return (lifted_ones or found)[0][1]
