"""Code against equations: which code speaks of which symbol, and whether it computes it.

A link is an explicit `<!-- check: NAME = LATEX -->`, the same name up to spelling, or a comment that cites the equation.
A refutation needs an exact and only link, or one slip between a function and the equation beside it, shapes that fit,
every input named in the document, and that it is false under every reading that the document leaves open; everything else
stays undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from derivations.code.backward_passes import findings_of_backward_passes
from derivations.code.best_ways import RANK, best_called_otherwise, best_way, judge_in_ways, worse_of_two
from derivations.code.citations import numbered_symbols
from derivations.code.compare.document_symbols import Symbols
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
from derivations.code.linked_symbols import (
    candidates_of,
    functions_with_name,
    links_inside,
    target_of,
)
from derivations.code.matching import is_input, uses
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
from derivations.code.values_inside import (
    LOOSE,
    has_names_inside,
    judge_inside,
    judge_linked_inside,
    judge_members_inside,
    with_members,
)
from derivations.code.verdicts_in_place import undecide
from derivations.documents.facts.prose import Supposed
from derivations.documents.model.document import INTERNAL, Document, Place
from derivations.documents.model.finding import Finding, bug
from derivations.language.statement import Statement
from derivations.lifting.interpreter.interpret import Record
from derivations.lifting.symbolic.arrays import Array
from derivations.lifting.values.python_values import Class, Function
from derivations.notes import Note
from derivations.study.equation_walk import Decide


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
    supposed_at: Callable[[Finding, Statement], Supposed] | None = None,
) -> list[Finding]:
    """One finding for each value of the code that is linked to a definition.

    `aliases` gives names of the code that stand for another one: what a submission calls otherwise.
    `named_sizes` are the lengths that the document has a name for, `signs_at` tells what the text says of signs, and
    `supposed_at` what else it says of given arrays.
    """
    if not any(b.is_python for b in document.code):
        return []
    symbols = Symbols.of(document, findings, called, named_sizes, said)
    program = lifted(document, symbols.is_given)
    numbered = numbered_symbols(document, findings, symbols)
    hypotheses = [f for f in findings if f.kind == "hypothesis" and f.code == "hypothesis"]
    unread = unread_names(findings)
    known = Context(document, program, symbols, decide, links, readings, aliases or {}, numbered, hypotheses, unread)
    return findings_of_code(replace(known, signs_at=signs_at, supposed_at=supposed_at, open_lines=open_lines(findings)))


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
        if key not in best or RANK[f.status] > RANK[best[key].status]:
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
    is_run = isinstance(record.value, Function) or (isinstance(record.value, Class) and record.value.entry is not None)
    inner = is_run and has_names_inside(context, record)
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
    found = with_members(found, judge_members_inside(context, record)) if inner else found
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
    if outcome is not None and c.link in LOOSE and outcome.status == "refuted":
        undecide(outcome.finding, "ambiguous", LOOSE[c.link])
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


def judge_called_otherwise(context: Context, c: Candidate, ways: Sequence[Lifting]) -> Judged | None:
    """What becomes of a function some of whose parameters no symbol is called after, with the shapes of those that are left.

    None where none of these shapes fits.  What only some shapes that fit prove is not proved, and an error is one for all.
    """
    return best_called_otherwise(judge_in_ways(context, c, ways))


def with_said_axes(context: Context, proved: Judged) -> Judged:
    """The worse of what is proved of one sequence and what holds with the leading axes that the document gives."""
    c = proved.candidate
    called = c.lifting.called if c.lifting is not None else {}
    ways, of_parameters = ways_with_said_axes(context, c.record, c.target, called)
    found = best_way(judge_in_ways(context, c, ways))
    return proved if found is None else worse_of_two(proved, found, of_parameters)


def judged_with_said_axes(context: Context, c: Candidate) -> Judged | None:
    """What becomes of a function with the leading axes that the document surely gives its parameters, where it is lifted."""
    ways, is_sure = ways_with_said_axes(context, c.record, c.target)
    found = best_way(judge_in_ways(context, c, ways)) if is_sure else None
    return None if found is None or found.status == "skipped" or found.finding.code == "not-comparable" else found


__all__ = ["study_code"]
