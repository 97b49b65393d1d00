"""One value of the code against one equation: compared as it stands, then under the assumptions that are left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from derivations.code.compare.bare_sizes import arguments_of_bare_sizes, free_sizes
from derivations.code.compare.code_side import Links
from derivations.code.compare.document_symbols import NotComparable
from derivations.code.compare.recurrence_steps import start_of, step_of
from derivations.code.compare.statement import Comparison, compare
from derivations.code.decisions import decide_at_lengths, decide_comparison
from derivations.code.judgement_context import Candidate, Context, Judged, finding_of, heads_of, loose_sizes_of
from derivations.code.matching import is_input
from derivations.code.parameter_names import MAX_COMPARED, admissible_assignments, called, settling
from derivations.code.verdicts_in_place import undecide
from derivations.code.why_not_refuted import (
    agrees_without_guards,
    are_as_written,
    is_constant,
    matrices_of,
    rounds_lengths,
    why_not_refuted,
    with_whole_parts,
)
from derivations.documents.model.finding import Finding
from derivations.language.term import Index, TermError
from derivations.lifting.operations.table import Stacked, Unlifted, Value
from derivations.lifting.symbolic.arrays import Array
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.notes import Note


def judge_candidate(context: Context, c: Candidate) -> Judged | None:
    """What becomes of one candidate; None when the two do not speak of the same thing."""
    if c.lifting is not None and c.lifting.problem is not None:
        p = c.lifting.problem
        where = f" ({context.program.place(c.record.block, p.line, p.column)})" if p.line else ""
        return Judged(c, finding_of(context, c, "skipped", p.code, f"{p.reason}{where}"))
    value, scope, links = _lifted_value(context, c)
    if isinstance(value, Unlifted):
        p = value.problem
        where = f" ({context.program.place(c.record.block, p.line, p.column)})" if p.line else ""
        return Judged(c, finding_of(context, c, "skipped", p.code, f"{p.reason}{where}"))
    if c.lifting is None and context.program.is_unfinished(c.record.block, c.record.node):
        return Judged(c, finding_of(context, c, "skipped", "unfinished", "the code is not finished"))
    if isinstance(value, Stacked):
        value = value.array
    if not isinstance(value, Array) or is_input(value, scope):
        return None
    return compare_and_decide(context, c, value, scope, links)


def _lifted_value(context: Context, c: Candidate) -> tuple[Value, Scope, Links]:
    """The value of a candidate, what is known of its inputs, and which of these are the equation's own."""
    if c.lifting is not None:
        return (
            c.lifting.value,
            c.lifting.interpreter.scope,
            Links(c.lifting.parameters, c.lifting.each, c.lifting.places, c.lifting.led),
        )
    scope = context.program.interpreter.scope
    known, required = dict(c.record.known), list(c.record.required)
    return c.record.value, replace(scope, sizes=replace(scope.sizes, known=known, required=required)), Links()


def matrices_as_written(context: Context, judged: Judged) -> frozenset[str]:
    """The matrices whose axes a value has in the order of the document, as its proof shows: with the transposes of all of
    them there is none."""
    f = judged.finding
    if f.status != "proved" or judged.transposed:
        return frozenset()
    found = matrices_of(f.statements, f.theory)
    value, scope, links = _lifted_value(context, judged.candidate)
    value = value.array if isinstance(value, Stacked) else value
    if not found or not isinstance(value, Array):
        return frozenset()
    is_turned = decide_transposed(context, judged.candidate, value, scope, links) is not None
    return frozenset() if is_turned else found


def compare_with_start(context: Context, c: Candidate, value: Array, scope: Scope, links: Links) -> Comparison:
    """The comparison of a value; one that has no start of a recurrence is compared with the members after it.

    Raises as `compare` does.
    """
    given = value, scope, context.symbols, c.target, c.record.block, links
    skipped = 0 if links.places else start_of(c.target)
    try:
        made = compare(*given)
    except NotLifted:
        if not skipped:
            raise
        made = None
    if made is None or (skipped and made.forced):
        try:
            without = compare(*given, skipped=skipped)
        except (NotLifted, NotComparable):
            without = None
        if without is not None and (made is None or not without.forced):
            return without
    return made if made is not None else compare(*given)


def compare_and_decide(context: Context, c: Candidate, value: Array, scope: Scope, links: Links) -> Judged | None:
    """Compare, and where that does not prove it, compare under the modelling assumptions that are left."""
    try:
        made = compare_with_start(context, c, value, scope, links)
    except NotComparable as problem:
        if c.link == "name" and c.lifting is None:
            return None
        if c.lifting is not None and c.lifting.called:  # the axes of a parameter are told by what it is called
            for guesses in guesses_about(context, c, value, scope, links):
                tried = [decide_comparison(context, c, g.comparison, scope, g.assumed) for g in guesses]
                if tried and all(g.status == "proved" for g in tried):
                    return Judged(c, tried[0])
        return Judged(c, finding_of(context, c, "undecided", "not-comparable", str(problem)))
    except NotLifted as problem:
        return Judged(c, finding_of(context, c, "undecided", problem.code, problem.reason))
    except TermError as problem:
        return Judged(c, finding_of(context, c, "undecided", "too-large", str(problem)))
    f = decide_comparison(context, c, made, scope)
    if f.status != "proved" and (free := free_sizes(f)) and decide_at_lengths(context, f, free):
        return Judged(c, f)
    if f.status == "proved":
        return Judged(c, f)
    whole = with_whole_parts(made) if f.status == "refuted" and not rounds_lengths(context) else None
    if whole is not None:
        even = decide_comparison(context, c, whole[0], scope, whole[1])
        if even.status == "proved":
            return Judged(c, even)
    if made.fixed:
        at_sizes = decide_at_written_sizes(context, c, value, scope, links)
        if at_sizes is not None and at_sizes.status == "proved":
            return Judged(c, at_sizes)
        if at_sizes is not None and at_sizes.status == f.status == "refuted":  # whatever lengths the numbers stand for
            f, made = at_sizes, replace(made, fixed=False)
    others: list[Finding] = []
    for guesses in guesses_about(context, c, value, scope, links):
        tried = [decide_comparison(context, c, g.comparison, scope, g.assumed) for g in guesses]
        proved = [k for k, g in enumerate(tried) if g.status == "proved"]
        if tried and len(proved) == len(tried):
            return Judged(c, tried[0])
        if proved:
            undecide(f, "ambiguous", guesses[proved[0]].as_condition())
            return Judged(c, f)
        others += tried
        if (
            f.status == "refuted"
            and guesses[:1]
            and guesses[0].is_complete
            and all(g.status == "refuted" for g in tried)
        ):
            f, made = tried[0], guesses[0].comparison  # whatever the parameters are called
    vacuous = next((g for g in others if g.code == "vacuous"), None)
    if vacuous is not None:
        return Judged(c, vacuous)
    if f.status == "refuted":
        reason = why_not_refuted(context, c, made, scope, links)
        if loose_sizes_of(context, c.target):
            reason = "ambiguous", "the equation uses a size that none of its arguments has"
        if any(g.status != "refuted" for g in others):
            reason = "ambiguous", "different, but perhaps only by what the equation leaves out"
        if agrees_without_guards(context, c, made):
            reason = "ambiguous", "different only by where the small number stands that guards a quotient"
        if is_constant(context, c, value, scope):
            reason = "constant", "the code gives constants: a placeholder, or a mask in another form"
        if reason is None and (made.forced or context.transposed) and not are_as_written(context, c, made):
            flipped = decide_transposed(context, c, value, scope, links)
            if flipped is not None and not context.as_written:
                return Judged(c, flipped, transposed=True)
            if flipped is not None:
                reason = (
                    "ambiguous",
                    "right for the transposes of all matrices, but other code here has them as the document",
                )
        if reason is not None:
            f.status, f.code, f.reason, f.decision = "undecided", reason[0], reason[1], None
        else:
            f.code = "code-differs"
    return Judged(c, f, as_written=f.status == "refuted" and are_as_written(context, c, made))


def decide_at_written_sizes(context: Context, c: Candidate, value: Array, scope: Scope, links: Links) -> Finding | None:
    """What holds at the sizes that the code writes out, for all inputs of these sizes."""
    sizes = scope.sizes
    known = {s: Index.of(v) for s, v in sizes.concrete.items() if s not in sizes.known}
    fixed = replace(scope, sizes=replace(sizes, known={**sizes.known, **known}))
    try:
        made = compare(value, fixed, context.symbols, c.target, c.record.block, links)
    except (NotComparable, NotLifted, TermError):
        return None
    if made.equated:  # two lengths that are one number: nothing tells which of them the code means
        return None
    f = decide_comparison(context, c, made, fixed)
    if f.status == "proved":
        f.notes = (*f.notes, "proved for all inputs at the sizes that the code writes out")
    return f


def decide_transposed(context: Context, c: Candidate, value: Array, scope: Scope, links: Links) -> Finding | None:
    """Proved when the code keeps every matrix transposed: tokens in rows instead of columns.

    That is believed where the shapes do not fit otherwise, or other code of the document is seen to do so: a
    softmax along the wrong axis is the right one of the transpose.
    """
    try:
        made = compare(value, scope, context.symbols, c.target, c.record.block, links, flip=True)
    except (NotComparable, NotLifted, TermError):
        return None
    if made.misfit:
        return None
    f = decide_comparison(context, c, made, scope)
    return f if f.status == "proved" else None


@dataclass(frozen=True)
class Guess:
    """A comparison under an assumption; `settled` says what would make it more than a guess."""

    assumed: tuple[Note, ...]
    comparison: Comparison
    settled: str = ""
    is_complete: bool = False
    """Whether all symbols of the equation are taken for something that the code has."""

    def as_condition(self) -> str:
        """Why nothing is proved where only this one of several guesses is right."""
        condition = f"proved if {' and '.join(n.text for n in self.assumed)}, which only the proof says"
        return f"{condition}: {self.settled}" if self.settled else condition


def guesses_about(
    context: Context, c: Candidate, value: Array, scope: Scope, links: Links
) -> Iterator[Sequence[Guess]]:
    """Comparisons under assumptions: what the equation lacks is zero, a bare size is a width, a parameter is a symbol.

    Guesses that exclude each other come together: what only some of them prove is not proved.
    """

    def guess(assumed: Sequence[Note], settled: str = "", is_complete: bool = False, **how: Any) -> Iterator[Guess]:
        try:
            made = compare(value, scope, context.symbols, c.target, c.record.block, links, **how)
        except (NotComparable, NotLifted, TermError):
            return
        yield Guess(tuple(assumed), made, settled, is_complete)

    heads = heads_of(value, scope)
    lacking = {
        h: i
        for h, i in scope.inputs.items()
        if h in heads and i.origin in ("eps", "bias") and equation_lacks(context, c, i.name)
    }
    widths: Sequence[int | None] = arguments_of_bare_sizes(c.target, loose_sizes_of(context, c.target), context.symbols)
    for zero in [{}, lacking] if lacking else [{}]:
        said = [Note("lacking", (i.name,)) for i in zero.values()]
        yield [g for w in widths for g in guess(said, zero=zero, loose=w)]
        if zero:
            yield [*guess(said, zero=zero)]
    assignments, are_all = assignments_of_parameters(context, c, value, scope, links)
    yield _with_fitting_shapes(
        [
            g
            for names in assignments
            for g in guess(
                [Note("called-otherwise", (called(scope.inputs[h]), name)) for h, name in names.items()],
                settling({called(scope.inputs[h]): name for h, name in names.items()}),
                are_all,
                assigned=names,
            )
        ]
    )
    yield [g for g in guess([Note("heads-alternate")], mixed=True) if g.comparison.packed]


def _with_fitting_shapes(guesses: Sequence[Guess]) -> Sequence[Guess]:
    """The guesses in which all shapes fit as the document has them, where there are some."""
    made = [(g, g.comparison) for g in guesses]
    return [g for g, x in made if not (x.equated or x.pinned or x.misfit or x.reordered)] or guesses


def assignments_of_parameters(
    context: Context, c: Candidate, value: Array, scope: Scope, links: Links
) -> tuple[Sequence[dict[str, str]], bool]:
    """What parameters of layers and functions may be, that the document calls otherwise: those of its tensors that are
    left; and whether each of these is then taken for a parameter of the function."""
    heads = heads_of(value, scope)
    own = [i for h, i in scope.inputs.items() if h in heads and h not in links.parameters]
    under = context.symbols.under(c.target.head)
    partners = {i.head: context.symbols.partner(i.name, c.record.block, under, i.origin) for i in own if i.name}
    joined = {i.head: context.symbols.joined(i.name, i.origin, under) for i in own if partners.get(i.head) is None}
    own = [i for i in own if not joined.get(i.head)]
    taken = {p[0] for p in partners.values() if p is not None} | {h for one in joined.values() for h in one}
    entries = {i.head: t for i in own if not i.shape and (t := context.symbols.numbered_entry(i.name, c.target.head))}
    taken |= {t.name for t in entries.values()}
    unnamed = [i for i in own if partners.get(i.head) is None and i.head not in entries]
    is_called = c.lifting is not None and bool(c.lifting.called)
    lost = [i for i in unnamed if i.origin in ("layer", "bias") or (is_called and i.origin == "parameter")]
    labels = context.symbols.labels_under(c.target.head)  # they are matched with what the code picks by
    left = context.symbols.left_for(len(lost), c.target.head, taken | labels.keys())
    if links.places and (step := step_of(context.symbols, c.target)) is not None:
        left = [h for h in left if h in step.reached]
    if not lost or len(lost) > len(left) or len(lost) < len(unnamed):
        return [], False
    shaped = c.lifting.called if c.lifting is not None else {}
    found = admissible_assignments(context.symbols, c.target, lost, left, context.program, c.record.block, shaped)
    is_told = c.link in ("explicit", "cited") or any(p is not None for p in partners.values()) or bool(links.parameters)
    is_whole = len(lost) == len(left) and not any(h in context.symbols.theory.definitions for h in left)
    is_whole &= not context.symbols.may_stand_for_others(len(lost), c.target.head, taken | labels.keys())
    return (found if len(found) <= MAX_COMPARED else []), is_called and is_told and is_whole


def equation_lacks(context: Context, c: Candidate, name: str) -> bool:
    """Whether the equation knows nothing of an input."""
    partner = context.symbols.partner(name, c.record.block)
    return partner is None or partner[0] not in context.symbols.given_of(c.target.head)
