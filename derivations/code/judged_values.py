"""One value of the code against one equation: compared as it stands, then under the assumptions that are left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from derivations.code.compare.bare_sizes import free_sizes
from derivations.code.compare.code_side import Links
from derivations.code.compare.document_symbols import NotComparable
from derivations.code.compare.statement import Comparison, compare
from derivations.code.decisions import decide_at_lengths, decide_comparison
from derivations.code.judgement_context import Candidate, Context, finding_of, heads_of, loose_sizes_of
from derivations.code.matching import (
    is_input,
)
from derivations.code.why_not_refuted import agrees_without_guards, is_constant, why_not_refuted
from derivations.documents.model.finding import Finding
from derivations.language.term import (
    Index,
    TermError,
)
from derivations.lifting.operations.table import Stacked, Unlifted
from derivations.lifting.symbolic.arrays import Array, NotLifted, Scope

MAX_ASSIGNMENTS = 6
"""How many ways to name the parameters of layers are tried."""


def judge_candidate(context: Context, c: Candidate) -> Finding | None:
    """The finding of one candidate; None when the two do not speak of the same thing."""
    value, scope = c.record.value, context.program.interpreter.scope
    links = Links()
    if c.lifting is not None:
        value, scope = c.lifting.value, c.lifting.interpreter.scope
        links = Links(c.lifting.parameters, c.lifting.each)
        if c.lifting.problem is not None:
            p = c.lifting.problem
            where = f" ({context.program.place(c.record.block, p.line, p.column)})" if p.line else ""
            return finding_of(context, c, "skipped", p.code, f"{p.reason}{where}")
    else:
        scope = replace(scope, sizes=replace(scope.sizes, known=dict(c.record.known), required=list(c.record.required)))
    if isinstance(value, Unlifted):
        p = value.problem
        where = f" ({context.program.place(c.record.block, p.line, p.column)})" if p.line else ""
        return finding_of(context, c, "skipped", p.code, f"{p.reason}{where}")
    if c.lifting is None and context.program.is_unfinished(c.record.block, c.record.node):
        return finding_of(context, c, "skipped", "unfinished", "the code is not finished")
    if isinstance(value, Stacked):
        value = value.array
    if not isinstance(value, Array) or is_input(value, scope):
        return None
    return compare_and_decide(context, c, value, scope, links)


def compare_and_decide(context: Context, c: Candidate, value: Array, scope: Scope, links: Links) -> Finding | None:
    """Compare, and where that does not prove it, compare under the modelling assumptions that are left."""
    try:
        made = compare(value, scope, context.symbols, c.target, c.record.block, links)
    except NotComparable as problem:
        if c.link == "name" and c.lifting is None:
            return None
        return finding_of(context, c, "undecided", "not-comparable", str(problem))
    except NotLifted as problem:
        return finding_of(context, c, "undecided", problem.code, problem.reason)
    except TermError as problem:
        return finding_of(context, c, "undecided", "too-large", str(problem))
    f = decide_comparison(context, c, made, scope)
    if f.status != "proved" and (free := free_sizes(f)) and decide_at_lengths(context, f, free):
        return f
    if f.status == "proved":
        return f
    if made.fixed:
        at_sizes = decide_at_written_sizes(context, c, value, scope, links)
        if at_sizes is not None:
            return at_sizes
    others = []
    for assumed, other in comparisons_under_assumptions(context, c, value, scope, links):
        g = decide_comparison(context, c, other, scope, assumed)
        if g.status == "proved":
            return g
        others.append(g)
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
        if reason is None and (made.forced or context.transposed):
            flipped = decide_transposed(context, c, value, scope, links)
            if flipped is not None:
                return flipped
        if reason is not None:
            f.status, f.code, f.reason, f.decision = "undecided", reason[0], reason[1], None
        else:
            f.code = "code-differs"
    return f


def decide_at_written_sizes(context: Context, c: Candidate, value: Array, scope: Scope, links: Links) -> Finding | None:
    """Proved at the sizes that the code writes out, for all inputs of these sizes."""
    sizes = scope.sizes
    known = {s: Index.of(v) for s, v in sizes.concrete.items() if s not in sizes.known}
    fixed = replace(scope, sizes=replace(sizes, known={**sizes.known, **known}))
    try:
        made = compare(value, fixed, context.symbols, c.target, c.record.block, links)
    except (NotComparable, NotLifted, TermError):
        return None
    f = decide_comparison(context, c, made, fixed)
    if f.status != "proved":
        return None
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
    if f.status != "proved":
        return None
    context.transposed = True
    return f


def comparisons_under_assumptions(
    context: Context, c: Candidate, value: Array, scope: Scope, links: Links
) -> Iterator[tuple[list[str], Comparison]]:
    """Comparisons under assumptions: what the equation lacks is zero, a bare size is a width."""
    heads = heads_of(value, scope)
    lacking = {
        h: i
        for h, i in scope.inputs.items()
        if h in heads and i.origin in ("eps", "bias") and equation_lacks(context, c, i.name)
    }
    d = c.target.definitions[0]
    widths: list[int | None] = [None]
    if loose_sizes_of(context, c.target):
        widths = [*(k for k, t in enumerate(d.tensors) if t.shape), None]
    for width in widths:
        for zero in [{}, lacking] if lacking else [{}]:
            if width is None and not zero:
                continue
            said = [f"{i.name} = 0: the equation has none" for i in zero.values()]
            try:
                made = compare(value, scope, context.symbols, c.target, c.record.block, links, zero, width)
            except (NotComparable, NotLifted, TermError):
                continue
            yield said, made
    for guess in assignments_of_parameters(context, c, value, scope, links):
        try:
            made = compare(value, scope, context.symbols, c.target, c.record.block, links, assigned=guess)
        except (NotComparable, NotLifted, TermError):
            continue
        yield [f"{scope.inputs[h].name} is {name}" for h, name in guess.items()], made
    try:
        made = compare(value, scope, context.symbols, c.target, c.record.block, links, mixed=True)
    except (NotComparable, NotLifted, TermError):
        return
    if made.packed:
        yield ["the columns of all heads alternate"], made


def assignments_of_parameters(
    context: Context, c: Candidate, value: Array, scope: Scope, links: Links
) -> Iterator[dict[str, str]]:
    """What the parameters of layers may be, that the document calls otherwise: those of its tensors that are left."""
    heads = heads_of(value, scope)
    own = [i for h, i in scope.inputs.items() if h in heads and h not in links.parameters]
    under = context.symbols.under(c.target.head)
    partners = {i.head: context.symbols.partner(i.name, c.record.block, under, i.origin) for i in own if i.name}
    joined = {i.head: context.symbols.joined(i.name, i.origin, under) for i in own if partners.get(i.head) is None}
    own = [i for i in own if not joined.get(i.head)]
    taken = {p[0] for p in partners.values() if p is not None} | {h for one in joined.values() for h in one}
    lost = [i for i in own if partners.get(i.head) is None and i.origin in ("layer", "bias", "trained")]
    named = context.symbols.in_order(c.target.head)
    left = [h for h in named if h not in taken]
    if not lost or len(lost) > len(left) or len(lost) < len([i for i in own if partners.get(i.head) is None]):
        return
    count = 0
    for chosen in permutations(left, len(lost)):
        pairs = list(zip(lost, chosen, strict=True))
        if all(len(context.symbols.theory.tensors[h].shape) == len(i.shape) for i, h in pairs):
            yield {i.head: h for i, h in pairs}
            count += 1
            if count >= MAX_ASSIGNMENTS:
                return


def equation_lacks(context: Context, c: Candidate, name: str) -> bool:
    """Whether the equation knows nothing of an input."""
    partner = context.symbols.partner(name, c.record.block)
    return partner is None or partner[0] not in context.symbols.given_of(c.target.head)
