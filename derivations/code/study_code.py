"""Code against equations: which code speaks of which symbol, and whether it computes it.

A link is an explicit `<!-- check: NAME = LATEX -->`, the same name up to spelling, or a comment that cites the equation.
A refutation needs an exact and only link, or one slip between a function and the equation beside it, shapes that fit,
every input named in the document, and that it is false under every reading that the document leaves open; everything else
stays undecided.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from derivations.code.backward_passes import findings_of_backward_passes
from derivations.code.citations import numbered_symbols
from derivations.code.compare.document_symbols import Symbols, Target
from derivations.code.compare.recurrence_steps import step_of
from derivations.code.compare.spelling import spelled
from derivations.code.explicit_links import Explicit
from derivations.code.judged_values import judge_candidate, matrices_as_written
from derivations.code.judgement_context import (
    Candidate,
    Context,
    Judged,
    Lifting,
    Readings,
    finding_at,
    finding_of,
    is_replaced,
)
from derivations.code.lifted_functions import (
    numbers_taken_by_default,
    ways_called_otherwise,
    ways_to_lift,
    ways_with_said_axes,
)
from derivations.code.linked_symbols import candidates_of, explicit_target, functions_with_name, links_inside, target_of
from derivations.code.matching import is_input, spells, uses
from derivations.code.program import is_state, lifted
from derivations.code.self_checks import findings_of_self_checks
from derivations.code.slips_beside import refuted_by_slip
from derivations.code.unlinked_functions import (
    ONLY_PROVED,
    candidates_beside,
    findings_of_unlinked_functions,
    methods_of,
)
from derivations.code.unread_functions import open_lines, reason, unread_names
from derivations.code.verdicts_in_place import undecide
from derivations.documents.model.document import INTERNAL, Document, Place
from derivations.documents.model.finding import Finding, bug
from derivations.language.statement import Statement
from derivations.lifting.interpreter.interpret import Record
from derivations.lifting.operations.all_operations import BY_NAME
from derivations.lifting.symbolic.arrays import Array
from derivations.lifting.values.python_values import Class, Function
from derivations.notes import Note
from derivations.study.equation_walk import Decide

_LOOSE = {
    "initials": "different, but only the first letters of the name say what it computes",
    "mentioned": "different, but the words that name the equation may say another thing of it",
}
"""Links that tell what a function may compute, and why nothing is refuted by them."""
_RANK = {"proved": 4, "undecided": 2, "refuted": 3, "skipped": 1}


ONE_ONLY = "proved of one sequence, but not with the batch that is spoken of"
OF_ROW = "right if the argument is one row of the matrix with that letter, and wrong for the whole matrix"
LED = "right if the arguments have a leading axis more than the equation, and wrong without it"


def study_code(
    document: Document,
    findings: Sequence[Finding],
    decide: Decide,
    links: Sequence[Explicit] = (),
    readings: Readings | None = None,
    called: Sequence[tuple[str, str, int]] = (),
    aliases: Mapping[str, str] | None = None,
    named_sizes: frozenset[str] = frozenset(),
    said: Sequence[tuple[tuple[str, ...], str, int]] = (),
    signs_at: Callable[[int, Finding], Sequence[Statement]] | None = None,
) -> list[Finding]:
    """One finding for each value of the code that is linked to a definition.

    `aliases` gives names of the code that stand for another one: what a submission calls otherwise.
    `named_sizes` are the lengths that the document has a name for, `signs_at` tells what the text says of signs.
    """
    if not any(b.is_python for b in document.code):
        return []
    symbols = Symbols.of(document, findings, called, named_sizes, said)
    program = lifted(document, symbols.is_given)
    numbered = numbered_symbols(document, findings, symbols)
    hypotheses = [f for f in findings if f.kind == "hypothesis" and f.code == "hypothesis"]
    unread = unread_names(findings)
    known = Context(document, program, symbols, decide, links, readings, aliases or {}, numbered, hypotheses, unread)
    return findings_of_code(replace(known, signs_at=signs_at, open_lines=open_lines(findings)))


def findings_of_code(context: Context) -> list[Finding]:
    """The findings about all values of the code, in the order of their places."""
    made, broken = judge_records(context)
    is_turned = any(j.transposed for j in made)
    is_misfit = any(
        (j.finding.code == "shape-conflict" or j.needs_axis) and j.candidate.link == "explicit" for j in made
    )
    if is_turned or is_misfit:
        seen = frozenset[str]().union(*(matrices_as_written(context, j) for j in made))
        if seen:  # a document has one layout
            context = replace(context, as_written=seen)
            made, broken = judge_records(context)
        elif is_turned and any(j.status == "refuted" for j in made):
            context = replace(context, transposed=True)
            made, broken = judge_records(context)
    unread = list(findings_of_unread_equations(context, {id(j.candidate.record) for j in made}))
    judged = frozenset(j.candidate.target.stem for j in made)
    checks = [*findings_of_self_checks(context), *findings_of_backward_passes(context)]
    settled = [*settle(context, made), *unread, *findings_of_links_without_code(context, judged), *checks, *broken]
    return [*settled, *findings_of_unlinked_functions(context, made, settled)]


def findings_of_links_without_code(context: Context, judged: Collection[str]) -> Iterator[Finding]:
    """A finding for each link of the author that no value of the code was judged by; `judged` are the symbols of all others.

    A link whose equation is not read has a finding of its own.
    """
    for link in context.links:
        if link.stem not in judged and (reason := why_not_linked(context, link)) is not None:
            text = context.document.blocks[link.block].text
            line, column = text.origins[0]
            place = Place(text.path, text.cell, line, column)
            yield Finding(
                "code",
                "undecided",
                place,
                line,
                f"{link.name} = {link.latex}",
                name=link.name,
                code="unlinked-input",
                reason=reason,
            )


def why_not_linked(context: Context, link: Explicit) -> str | None:
    """Why no value of the code belongs to a link; None where its equation is not read, which is said elsewhere."""
    later = [r for r in context.program.interpreter.records if r.block > link.block]
    has_value = any(context.aliases.get(r.name, r.name) == link.name for r in later)
    blocks = [n for n in context.program.trees if n > link.block]
    inside = functions_with_name(context, link, min(blocks)) if blocks and not has_value else []
    if len(inside) > 1:
        return f"several functions after this comment give a value to {link.name}"
    if not has_value and not inside:
        return f"no code after this comment gives a value to {link.name}"
    return None if target_of(context, link) is None else f"no value of {link.name} after this comment is computed"


def findings_of_unread_equations(context: Context, judged: Collection[int]) -> Iterator[Finding]:
    """A finding for each function that nothing was said of and whose equation was not read."""
    for r in context.program.interpreter.records:
        name = context.aliases.get(r.name, r.name)
        unread = context.unread.get(spelled(name)) if isinstance(r.value, (Function, Class)) else None
        if unread is not None and id(r) not in judged and not context.symbols.named(name):
            yield finding_at(context, r, "undecided", *reason(name, unread))


def judge_records(context: Context) -> tuple[list[Judged], list[Finding]]:
    """What becomes of all values of the code, and a finding for each value that an error of ours kept from a verdict."""
    made: list[Judged] = []
    broken: list[Finding] = []
    records = [r for r in context.program.interpreter.records if not context.program.is_only_used(r)]
    for record in (r for own in records for r in (own, *methods_of(own))):
        try:
            made += judge_record(context, record)
        except Exception as error:  # noqa: BLE001 - a bug of ours costs one value, and is reported as what it is
            broken.append(finding_at(context, record, "skipped", INTERNAL, bug(error)))
    return made, broken


def judge_record(context: Context, record: Record) -> list[Judged]:
    """What becomes of a value of the code: of a function as a whole, and of the names inside it."""
    if isinstance(record.value, (Function, Class)):
        return judge_function(context, record)
    found = [j for c in candidates_of(context, record) if (j := judge_candidate(context, c)) is not None]
    return [j for j in found if j.candidate.link not in ONLY_PROVED or j.status == "proved"]


def settle(context: Context, made: Sequence[Judged]) -> list[Finding]:
    """A name agrees if any of its values proves the equation; one finding for each place."""
    candidates = (j.candidate for j in made if j.status == "proved")
    proved = {(c.record.name, c.record.function, c.part) for c in candidates}
    right = [j.candidate.record for j in made if j.status == "proved" and j.candidate.link != "guess"]
    best: dict[tuple[Place, str, int], Finding] = {}
    for record, part, f in ((j.candidate.record, j.candidate.part, j.finding) for j in made):
        if f.status == "refuted" and (record.name, record.function, part) in proved:
            continue
        if f.code in ("constant", "uninitialised") and is_replaced(context, record):
            continue
        if f.status == "refuted" and any(uses(r, record) for r in right):
            f.status, f.code, f.decision = "undecided", "other-value", None
            f.reason = "the name holds another value than in the equation, but what is computed from it agrees"
        if f.status == "refuted" and is_loop_state(context, record):
            f.status, f.code, f.decision = "undecided", "other-value", None
            f.reason = "a state that the loop hands on, of which the function returns something else"
        key = (f.place, record.name, part)
        if key not in best or _RANK[f.status] > _RANK[best[key].status]:
            best[key] = f
    return list(best.values())


def is_loop_state(context: Context, record: Record) -> bool:
    """Whether a name inside a function gets new values in a loop, and is not what the function returns."""
    if record.function is None or record.block not in context.program.trees:
        return False
    function = context.program.function_around(record.block, record.node)
    return function is not None and is_state(function, record.name, record.node)


def judge_function(context: Context, record: Record) -> list[Judged]:
    """A function against its symbol, and the names inside it against theirs."""
    is_method = isinstance(record.value, Class) and record.value.method is not None
    inner = not is_method and has_names_inside(context, record)
    linked = [] if is_method else links_inside(context, record)
    targets = candidates_of(context, record) or ([] if linked else candidates_beside(context, record))
    if not targets and not inner and not linked:
        return []
    if context.program.is_unfinished(record.block, record.node):
        unfinished = "skipped", "unfinished", "the code is not finished"
        return [Judged(c, finding_of(context, c, *unfinished)) for c in targets[:1]]
    compared = [j for c in targets if (j := judge_as(context, c)) is not None]
    made = [j for j in compared if j.candidate.link not in ONLY_PROVED or is_proved_whole(context, j, targets)]
    if not made and (wrong := refuted_by_slip(context, compared)) is not None:
        made = [wrong]
    found = judge_inside(context, record) if inner else []
    for link, target in ((x, target_of(context, x)) for x in linked):
        found += judge_linked_inside(context, record, link, target) if target is not None else []
    if any(j.status == "proved" for j in found):
        made = [j for j in made if j.candidate.link != "initials" or j.status != "skipped"]
    return [*made, *found]


def judge_as(context: Context, c: Candidate) -> Judged | None:
    """What becomes of a function as the value of one symbol, in all ways to lift it."""
    ways = ways_to_lift(context, c.record, c.target)
    outcome = best_way(judge_in_ways(context, c, ways))
    if outcome is None or outcome.status != "proved":
        otherwise = ways_called_otherwise(context, c.record, c.target, ways)
        outcome = judge_called_otherwise(context, c, otherwise) or outcome
    if outcome is not None and outcome.status == "proved":
        outcome = with_said_axes(context, outcome)
    elif outcome is not None and (led := judged_with_said_axes(context, c)) is not None:
        outcome = led
    if outcome is not None and outcome.status == "proved" and (used := outcome.candidate.lifting) is not None:
        say_defaults(outcome, numbers_taken_by_default(context, c.record, c.target, used))
    if outcome is not None and c.link in _LOOSE and outcome.status == "refuted":
        undecide(outcome.finding, "ambiguous", _LOOSE[c.link])
    return outcome


def say_defaults(proved: Judged, values: Mapping[str, str]) -> None:
    """State the defaults under which a function computes what an equation says; where only the proof links the two, nothing
    is proved: at another value it computes something else."""
    f = proved.finding
    if values and proved.candidate.link in ONLY_PROVED:
        defaults = " and ".join(f"{n} is {v}" for n, v in values.items())
        undecide(f, "ambiguous", f"right where {defaults}, which a call may say otherwise")
    f.assumptions = (*f.assumptions, *(Note("default-value", pair, place=f.place) for pair in values.items()))


def is_proved_whole(context: Context, judged: Judged, targets: Sequence[Candidate]) -> bool:
    """Whether all values that a function returns are proved to be one of several symbols, but for those it is given."""
    c = judged.candidate
    if judged.status != "proved" or c.lifting is None:
        return judged.status == "proved"
    scope = c.lifting.interpreter.scope
    others = [
        k for k, v in enumerate(c.lifting.values) if k != c.part and not (isinstance(v, Array) and is_input(v, scope))
    ]
    return all(any(_is_part(context, t, k) for t in targets) for k in others)


def _is_part(context: Context, c: Candidate, part: int) -> bool:
    judged = judge_as(context, replace(c, part=part))
    return judged is not None and judged.status == "proved"


def judge_in_ways(context: Context, c: Candidate, ways: Iterable[Lifting]) -> Iterator[tuple[Lifting, Judged | None]]:
    """What becomes of a candidate in each of several ways to lift it."""
    for way in ways:
        yield way, judge_candidate(context, replace(c, lifting=way.returning(c.part)))


def judge_called_otherwise(context: Context, c: Candidate, ways: Sequence[Lifting]) -> Judged | None:
    """What becomes of a function some of whose parameters no symbol is called after, with the shapes of those that are left.

    None where none of these shapes fits.  What only some shapes that fit prove is not proved, and an error is one for all.
    """
    groups: dict[tuple[tuple[str, str], ...], list[Lifting]] = {}
    for way in ways:
        groups.setdefault(tuple(way.called.items()), []).append(way)
    judged = [j for own in groups.values() if (j := best_way(judge_in_ways(context, c, own))) is not None]
    fitting = [j for j in judged if j.finding.code not in ("not-comparable", "shape-conflict", "vacuous")]
    proved = [j for j in fitting if j.status == "proved"]
    if proved and len(proved) < len(fitting):
        undecide(
            proved[0].finding, "ambiguous", "proved for some shapes of parameters of which the document says nothing"
        )
    outcome = proved[0] if proved else min(fitting, key=lambda j: j.status == "refuted", default=None)
    made = next((n for way in ways for n in way.called if _says_function(n)), None)
    if outcome is not None and outcome.status == "refuted" and made is not None:
        undecide(outcome.finding, "ambiguous", f"different, but {made} is called as a function of something")
    return outcome


def _says_function(name: str) -> bool:
    """Whether a name says that it is a function of something: `log_h`, `x_norm`."""
    parts = [p for p in name.split("_") if p]
    return len(parts) > 1 and any(f"{library}.{p}" in BY_NAME for p in parts for library in ("torch", "numpy"))


def with_said_axes(context: Context, proved: Judged) -> Judged:
    """The worse of what is proved of one sequence and what holds with the leading axes that the document gives."""
    c = proved.candidate
    called = c.lifting.called if c.lifting is not None else {}
    ways, of_parameters = ways_with_said_axes(context, c.record, c.target, called)
    found = best_way(judge_in_ways(context, c, ways))
    return proved if found is None else _worse(proved, found, of_parameters)


def judged_with_said_axes(context: Context, c: Candidate) -> Judged | None:
    """What becomes of a function with the leading axes that the document surely gives its parameters, where it is lifted."""
    ways, is_sure = ways_with_said_axes(context, c.record, c.target)
    found = best_way(judge_in_ways(context, c, ways)) if is_sure else None
    return None if found is None or found.status == "skipped" or found.finding.code == "not-comparable" else found


def _worse(proved: Judged, batched: Judged, of_parameters: bool) -> Judged:
    """The verdict that counts where the second one is about leading axes; a refutation needs that these are said."""
    if batched.status == "proved" or (batched.status == "refuted" and of_parameters):
        return proved if batched.status == "proved" else batched
    f, why = batched.finding, batched.finding.reason or "another value comes out"
    undecide(proved.finding, f.code or "ambiguous", f"{ONE_ONLY}: {why}")
    return proved


def has_names_inside(context: Context, record: Record) -> bool:
    stored = {n.id for n in ast.walk(record.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return any(spells(s, t.stem) and t.stem not in context.by_stem for s in stored for t in context.symbols.targets)


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
    if any(j.status != "proved" for j in found.values()):
        proved = {k: j for k, j in found.items() if j.status == "proved"}
        steps = judge_values_inside(context, _steps_inside(context, record), proved)
        found |= {k: j for k, j in steps.items() if j.status == "proved"}
    best = _best_of_libraries(found)
    ways, of_parameters = ways_with_said_axes(context, record, None)
    batched = _best_of_libraries(judge_values_inside(context, ways, {}))
    seen = {(r.name, r.node.lineno) for w in ways for r in w.interpreter.records}
    for key, judged in best.items():
        if judged.status == "proved" and key in batched:
            best[key] = _worse(judged, batched[key], of_parameters)
        elif judged.status == "refuted" and key in batched:
            best[key] = batched[key]  # it was wrong for an argument without the axes that a call gives it
        elif judged.status == "proved" and ways and of_parameters and key not in seen:
            undecide(judged.finding, "not-lifted", f"{ONE_ONLY}: the code before it is not lifted")
    return list(beside_what_is_proved(context, best))


def _steps_inside(context: Context, record: Record) -> Iterator[Lifting]:
    """The ways to lift a function as one step of a recurrence that gives one of the names inside of it."""
    stored = {n.id for n in ast.walk(record.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for target in context.symbols.targets:
        if any(spells(n, target.stem) for n in stored) and step_of(context.symbols, target, opened=False) is not None:
            yield from (w for w in ways_to_lift(context, record, target) if w.places)


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
    for line, judged in _by_line(context, ways, target).items():
        best = best_way(judged)
        if best is None:
            continue
        with_batch = best_way(_by_line(context, batched, target).get(line, ())) if best.status == "proved" else None
        best = best if with_batch is None else _worse(best, with_batch, of_parameters)
        if best.status != "refuted" or line == last:
            found.append(best)
    return found or list(_not_lifted(context, record, target, ways))


def _by_line(
    context: Context, ways: Iterable[Lifting], target: Target
) -> dict[int, list[tuple[Lifting, Judged | None]]]:
    """What becomes, in each way to lift a function, of the values that a link of the author speaks of, by their lines."""
    found: dict[int, list[tuple[Lifting, Judged | None]]] = {}
    for way in ways:
        for inner in way.interpreter.records:
            if inner.function is not None and explicit_target(context, inner) is target:
                own = replace(way, value=inner.value, problem=None, missing=())
                judged = judge_candidate(context, Candidate(inner, target, "explicit", lifting=own))
                found.setdefault(inner.node.lineno, []).append((way, judged))
    return found


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


def _best_of_libraries(found: Mapping[tuple[str, int, str], Judged]) -> dict[tuple[str, int], Judged]:
    """What became of values by name and line: wrong only when it is wrong for arrays of each library."""
    best: dict[tuple[str, int], Judged] = {}
    for (name, line, _), judged in found.items():
        old = best.get((name, line))
        if old is None or old.status == "refuted" or judged.status == "proved":
            best[name, line] = judged
    return best


def judge_values_inside(
    context: Context, ways: Iterable[Lifting], known: Mapping[tuple[str, int, str], Judged]
) -> dict[tuple[str, int, str], Judged]:
    """What becomes of each value of a name inside a function, by name, line and library; what is proved already is not
    looked at again."""
    found: dict[tuple[str, int, str], list[tuple[Lifting, Judged]]] = {}
    proved = dict(known)
    for way in ways:
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
                if c.link in ("name", "guess") and not spells(inner.name, c.target.stem):
                    continue
                judged = judge_candidate(context, replace(c, lifting=own))
                before = found.setdefault(key, [])
                if judged is not None and judged.status == "proved" and why_guessed(way, before) is None:
                    proved[key] = judged
                elif judged is not None:
                    before.append((way, judged))
    open_keys = [key for key in found if key not in proved]
    return proved | {key: j for key in open_keys if (j := _most_telling(found[key])) is not None}


def _most_telling(found: Sequence[tuple[Lifting, Judged]]) -> Judged | None:
    """What counts most where no sure way to lift a function proves it; a guess that does stands against an error."""
    sure = [j for w, j in found if j.status != "proved" and not w.row]
    most = max(sure, key=lambda j: _RANK[j.status], default=None)
    guessed = next(((w, j) for w, j in found if j.status == "proved"), None)
    if guessed is None or (most is not None and not _is_wrong(most)):
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
    return LED if way.led and any(map(_is_wrong, plain)) else None


def _is_wrong(judged: Judged) -> bool:
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
    is_doubted = chosen is None or (_is_wrong(chosen) and not chosen.as_written)
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


def _fills(record: Record) -> bool:
    """Whether a statement writes into an array that was made ready before."""
    stores = [n for n in ast.walk(record.node) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    return any(isinstance(n, ast.Name) and n.id == record.name for s in stores for n in ast.walk(s.value))


__all__ = ["study_code"]
