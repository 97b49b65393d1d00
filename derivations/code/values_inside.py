"""The values of names inside a function: those that a comment or a link of the author speaks of, and those with the name of
a symbol."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from derivations.code.best_ways import (
    ONE_ONLY,
    RANK,
    best_called_otherwise,
    best_of_libraries,
    best_way,
    most_telling,
    why_guessed,
    worse_of_two,
)
from derivations.code.compare.document_symbols import Target
from derivations.code.compare.recurrence_steps import step_of
from derivations.code.explicit_links import Explicit
from derivations.code.judged_values import judge_candidate
from derivations.code.judgement_context import Candidate, Context, Judged, Lifting, finding_of
from derivations.code.lifted_functions import (
    number_without_name,
    ways_called_otherwise,
    ways_to_lift,
    ways_with_said_axes,
)
from derivations.code.linked_symbols import candidates_of, cited_inside, explicit_target
from derivations.code.matching import names_given, names_member
from derivations.code.unlinked_functions import ONLY_PROVED
from derivations.code.verdicts_in_place import undecide
from derivations.lifting.interpreter.interpret import Record
from derivations.lifting.values.python_values import Class, Function

LOOSE = {
    "initials": "different, but only the first letters of the name say what it computes",
    "mentioned": "different, but the words that name the equation may say another thing of it",
}
"""Links that tell what a function may compute, and why nothing is refuted by them."""


Spot = tuple[int, str]
"""The line of a value and the name that it is given to: one line may give several."""
CITED = ("cited", "mentioned", "several")
"""Links by the number of an equation in a comment."""


def has_names_inside(context: Context, record: Record) -> bool:
    """Whether a function gives a value to the name of a symbol, or a comment inside of it cites an equation."""
    own = [t for t in context.symbols.targets if t.stem not in context.by_stem]
    stored = names_given(record.node)
    return any(names_member(n, t) for n in stored for t in own) or bool(cited_inside(context, record))


def judge_inside(context: Context, record: Record) -> list[Judged]:
    """The values of the names inside a function, for parameters that the document names.

    What the equation takes as given is tried as given first: `queries @ keys.T` for $q_i^\\top k_j$, whatever the
    queries are computed from.
    """
    found: dict[tuple[str, int, str], Judged] = {}
    ways = ways_to_lift(context, record, None, given=True)
    if any(
        i.origin == "computed" and h not in context.program.interpreter.scope.inputs
        for w in ways
        for h, i in w.interpreter.scope.inputs.items()
    ):
        found = {k: j for k, j in judge_values_inside(context, ways, found).items() if j.status == "proved"}
        ways = ways_to_lift(context, record, None)
    found = judge_values_inside(context, ways, found)
    best = best_of_libraries(found)
    ways, of_parameters = ways_with_said_axes(context, record, None)
    batched = best_of_libraries(judge_values_inside(context, ways, {}))
    seen = {(r.name, r.node.lineno) for w in ways for r in w.interpreter.records}
    for key, judged in best.items():
        if judged.status == "proved" and key in batched:
            best[key] = worse_of_two(judged, batched[key], of_parameters)
        elif judged.status == "refuted" and key in batched:
            best[key] = batched[key]  # it was wrong for an argument without the axes that a call gives it
        elif judged.status == "proved" and ways and of_parameters and key not in seen:
            undecide(judged.finding, "not-lifted", f"{ONE_ONLY}: the code before it is not lifted")
    return list(beside_what_is_proved(context, best))


def beside_what_is_proved(context: Context, best: Mapping[tuple[str, int], Judged]) -> Iterator[Judged]:
    """The values of names inside a function, those that are not decided judged again beside those that are proved."""
    proved = {(name, j.candidate.target.head) for (name, _), j in best.items() if j.status == "proved"}
    beside = replace(context, proved_inside=frozenset(proved))
    for judged in best.values():
        again = judge_candidate(beside, judged.candidate) if proved and judged.finding.code == "ambiguous" else None
        yield judged if again is None or again.status != "refuted" else again


def judge_linked_inside(context: Context, record: Record, link: Explicit, target: Target) -> list[Judged]:
    """The values that a function gives to the name of a link, for the parameters that the equation has.

    What is proved of one of them counts; an error is one of the last of them only.
    """
    ways = ways_to_lift(context, record, target)
    batched, of_parameters = ways_with_said_axes(context, record, target)
    last = last_store(record, link.name)
    found: list[Judged] = []
    for spot, judged in _by_spot(context, ways, target).items():
        best = best_way(judged)
        if best is None:
            continue
        with_batch = best_way(_by_spot(context, batched, target).get(spot, ())) if best.status == "proved" else None
        best = best if with_batch is None else worse_of_two(best, with_batch, of_parameters)
        if best.status != "refuted" or spot[0] == last:
            found.append(best)
    return found or list(_not_lifted(context, record, target, ways))


def _by_spot(
    context: Context, ways: Iterable[Lifting], target: Target, link: str = "explicit"
) -> dict[Spot, list[tuple[Lifting, Judged | None]]]:
    """What becomes, in each way to lift a function, of the values that a link of the author speaks of, by line and name;
    with `link` "inside", of those beside which a comment cites the equation, and of those with the name of the symbol."""
    found: dict[Spot, list[tuple[Lifting, Judged | None]]] = {}
    for way in ways:
        for inner in way.interpreter.records:
            if inner.function is None or isinstance(inner.value, (Function, Class)):
                continue
            own = replace(way, value=inner.value, problem=None, missing=())
            linked = explicit_target(context, inner)
            if link == "explicit":
                meant = [Candidate(inner, target, link)] if linked is target else []
            else:
                own_ones = [c for c in candidates_of(context, inner) if c.target is target]
                meant = [
                    c for c in own_ones if c.link in CITED or (c.link == "name" and names_member(inner.name, target))
                ]
            for c in meant:
                judged = judge_candidate(context, replace(c, lifting=own))
                found.setdefault((inner.node.lineno, inner.name), []).append((way, judged))
    return found


def judge_members_inside(context: Context, record: Record) -> list[Judged]:
    """The values inside a function beside which a comment cites an equation, and those with the name of what a step of a
    recurrence gives, for the parameters that the equation has.

    What is computed from another symbol is taken as it is, whatever the function makes that from.
    """
    found: dict[Spot, Judged] = {}
    cited = {t.head for t in cited_inside(context, record)}
    stored = names_given(record.node)
    for target in context.symbols.targets:
        is_step = any(names_member(n, target) for n in stored) and step_of(context.symbols, target, opened=False)
        if target.head not in cited and not is_step:
            continue
        free = frozenset(n for n in stored if _is_made_of(context, target, n))
        ways = ways_to_lift(context, record, target, free=free)
        if target.head not in cited:
            ways = [w for w in ways if w.places]
        best = {spot: best_way(made) for spot, made in _by_spot(context, ways, target, "inside").items()}
        if target.head in cited and (not best or any(j is None or j.status != "proved" for j in best.values())):
            otherwise = ways_called_otherwise(context, record, target, ways)
            for spot, made in _by_spot(context, otherwise, target, "inside").items():
                own = best.get(spot)
                best[spot] = own if own is not None and own.status == "proved" else best_called_otherwise(made) or own
        for spot, j in best.items():
            old = found.get(spot)
            if j is not None and (old is None or RANK[j.status] > RANK[old.status]):
                found[spot] = j
    found = {k: j for k, j in found.items() if j.candidate.link not in ONLY_PROVED or j.status == "proved"}
    for j in (j for j in found.values() if j.status == "refuted"):
        if (number := number_without_name(context, record, j.candidate.target)) is not None:
            undecide(j.finding, "unlinked-input", f"different, but what the code calls {number} is not known")
    _doubt_members(found)
    for j in found.values():
        taken = sorted(_names_read(j) & _free_names(j))
        if taken:
            j.finding.notes = (
                *j.finding.notes,
                f"{', '.join(taken)}: taken as any value, whatever the code makes it of",
            )
    return list(found.values())


def _names_read(j: Judged) -> set[str]:
    """The names, and those of attributes, that the statement of a value reads."""
    loads = (n for n in ast.walk(j.candidate.record.node) if isinstance(n, (ast.Name, ast.Attribute)))
    return {n.id if isinstance(n, ast.Name) else n.attr for n in loads if isinstance(n.ctx, ast.Load)}


def _free_names(j: Judged) -> frozenset[str]:
    """The names that were put to any value where a value was judged."""
    way = j.candidate.lifting.way if j.candidate.lifting is not None else None
    return way.free if way is not None else frozenset()


def _doubt_members(found: Mapping[Spot, Judged]) -> None:
    """Leave open what differs by a link that is not sure, and what is computed from another value that differs."""
    is_about_steps = any(j.status == "proved" for j in found.values())
    wrong = {spot: j for spot, j in found.items() if j.status == "refuted"}
    for (line, _), j in wrong.items():
        link, used = j.candidate.link, _names_read(j) - _free_names(j)
        before = next(
            (name for k, name in wrong if k < line and name.rpartition(".")[2] in used),
            None,
        )
        if link in LOOSE:
            undecide(j.finding, "ambiguous", LOOSE[link])
        elif link == "name" and not is_about_steps:
            undecide(j.finding, "ambiguous", "different, but no other value of this function is one of the document")
        elif before is not None:
            undecide(j.finding, "other-value", f"different, but it is computed from {before}, which differs already")


def _is_made_of(context: Context, target: Target, name: str) -> bool:
    """Whether the equation of a symbol writes another symbol of a name: its line takes that as it is."""
    written = context.symbols.written_in(target.head)
    others = (t for t in context.symbols.targets if t.head in written and t.stem != target.stem)
    return any(names_member(name, t) for t in others)


def with_members(found: Sequence[Judged], more: Sequence[Judged]) -> list[Judged]:
    """The values inside a function, each as its comment or the step that it is of has it, unless it is proved without."""
    others = {_spot(j): j for j in more}
    kept = [
        j
        for j in found
        if (other := others.get(_spot(j))) is None
        or j.status == "proved"
        or other.status == "skipped"
        or (other.candidate.link == "name" and other.status == "undecided" and j.status != "refuted")
    ]
    settled = set(map(_spot, kept))
    return [*kept, *(j for spot, j in others.items() if spot not in settled)]


def _spot(j: Judged) -> Spot:
    return j.candidate.record.node.lineno, j.candidate.record.name


def last_store(record: Record, name: str) -> int:
    """The line on which a function gives a value to a name for the last time."""
    stores = [n for n in ast.walk(record.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return max((n.lineno for n in stores if n.id == name), default=0)


def _not_lifted(context: Context, record: Record, target: Target, ways: Iterable[Lifting]) -> Iterator[Judged]:
    """Why a function gives no value to a name that is linked to a symbol, where its code cannot be lifted."""
    problem = next((w.problem for w in ways if w.problem is not None), None)
    if problem is not None:
        where = f" ({context.program.place(record.block, problem.line, problem.column)})" if problem.line else ""
        c = Candidate(record, target, "explicit")
        yield Judged(c, finding_of(context, c, "skipped", problem.code, f"{problem.reason}{where}"))


def judge_values_inside(
    context: Context, ways: Iterable[Lifting], known: Mapping[tuple[str, int, str], Judged]
) -> dict[tuple[str, int, str], Judged]:
    """What becomes of each value of a name inside a function, by name, line and library; what is proved already is not
    looked at again."""
    found: dict[tuple[str, int, str], list[tuple[Lifting, Judged]]] = {}
    proved = dict(known)
    run = list(ways)
    through = {w.library for w in run if w.problem is None}
    fitting = [
        w for w in run if w.problem is None or w.library not in through
    ]  # others have other shapes than the code
    for way in fitting:
        records = way.interpreter.records
        for k, inner in enumerate(records):
            if inner.function is None or isinstance(inner.value, (Function, Class)):
                continue
            if explicit_target(context, inner) is not None:
                continue
            key = (inner.name, inner.node.lineno, way.library)
            if key in proved:
                continue
            if any(r.name == inner.name and _fills(r) for r in records[k + 1 :]):
                continue
            own = replace(way, value=inner.value, problem=None, missing=())
            for c in candidates_of(context, inner):
                if c.link in ("name", "guess") and not names_member(inner.name, c.target):
                    continue
                judged = judge_candidate(context, replace(c, lifting=own))
                before = found.setdefault(key, [])
                if judged is not None and judged.status == "proved" and why_guessed(way, before) is None:
                    proved[key] = judged
                elif judged is not None:
                    before.append((way, judged))
    open_keys = [key for key in found if key not in proved]
    return proved | {key: j for key in open_keys if (j := most_telling(found[key])) is not None}


def _fills(record: Record) -> bool:
    """Whether a statement writes into an array that was made ready before."""
    stores = [n for n in ast.walk(record.node) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    return any(isinstance(n, ast.Name) and n.id == record.name for s in stores for n in ast.walk(s.value))
