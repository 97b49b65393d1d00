"""Deciding a comparison of code and equation, and once more where lengths or numbers of the two are the same."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace

from derivations.code.compare.bare_sizes import bare_sizes, numbers_of, put, scaled, written_sizes
from derivations.code.compare.document_symbols import Target
from derivations.code.compare.spelling import spelled
from derivations.code.compare.statement import Comparison, shown_in
from derivations.code.compare.unfolded_definitions import has_minus_infinity, with_definitions_put_in
from derivations.code.judgement_context import Candidate, Context, finding_of
from derivations.code.linked_symbols import names_stored
from derivations.code.matching import same_name, sizes_of_inputs
from derivations.code.verdicts_in_place import decide_all, undecide
from derivations.documents.model.code_replay import Replay
from derivations.documents.model.finding import Finding
from derivations.language.statement import Statement
from derivations.language.substitution import Capture, substitute, subterms, term_sizes
from derivations.language.term import Constraint, Entry, Index, Lambda, Number, Term, at_least, guard
from derivations.lifting.symbolic.arrays import Array, constant_of
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.values.python_values import Function
from derivations.notes import Note
from derivations.provers.decide import Refuted
from derivations.provers.refute import refute
from derivations.study.discharging import discharged
from derivations.study.vacuity import emptied_by
from derivations.study.verdict import Verdict

DENSE = frozenset({"invertible"})
"""Properties that matrices have arbitrarily near to any matrix."""


def decide_comparison(
    context: Context, c: Candidate, made: Comparison, scope: Scope, extra: Sequence[Note] = ()
) -> Finding:
    f = finding_of(context, c, "undecided", None, None)
    f.statements, f.theory = tuple(made.statements), made.theory
    if c.record.function is None:
        function = isinstance(c.record.value, Function)
        line = c.record.node.lineno
        f.replay = Replay(c.record.name, function, c.record.block, line, made.bindings, made.sizes, made.places)
    decide_all(f, context.decide)
    extra = list(extra)
    if f.status == "undecided" and f.code == "undefined":
        extra += decide_at_larger_sizes(context, f)
    if f.status == "undecided" and f.code == "search-ended":
        whole = f.statements
        f.statements = tuple(with_definitions_put_in(s, made.theory) for s in whole)
        decide_all(f, context.decide)
        if f.status != "proved":
            f.statements = whole
    if f.status != "proved":
        own = [i.name for i in scope.inputs.values() if i.origin == "parameter"]
        extra += decide_at_values(context, f, own)
    if f.status != "proved":
        extra += decide_at_scales(context, f, {spelled(n): size for n, size in made.sizes.items()})
    if f.status == "undecided" and f.code == "ambiguous" and c.lifting is None:
        extra += decide_at_numbers(context, f)
    if f.status == "refuted":
        extra += decide_at_step_before(context, c, f)
    if f.status == "refuted" and context.signs_at is not None:
        _decide_under_signs(context, c, f)
    if f.status == "refuted" and context.supposed_at is not None:
        _decide_as_supposed(context, c, f)
    if f.status == "proved" and context.signs_at is not None:
        proved = Verdict(f.status, f.statements, f.statement, f.decision)
        proved = discharged(proved, context.signs_at(c.target.finding.span, f), f.theory, context.decide)
        f.statements, f.statement, f.decision = proved.statements, proved.statement, proved.decision
    equated = made.equated if c.lifting is not None or made.misfit else None
    if f.status == "proved" and (empty := made.pinned or equated or emptied_by(f.decision)):
        undecide(f, "vacuous", f"code and equation are compared only where {empty}")
    place = f.place
    notes = [replace(n, place=place) for n in (*assumptions_of(c, made, scope), *extra)]
    under = context.symbols.findings_under(c.target)
    readings = [n for x in under for n in x.assumptions]
    f.assumptions = tuple(dict.fromkeys([*notes, *readings]))
    f.notes = tuple(made.notes)
    return f


def _decide_under_signs(context: Context, c: Candidate, f: Finding) -> None:
    """Decide again for inputs that have the signs which the text gives them: "with c > 0"."""
    signs = context.signs_at(c.target.finding.span, f) if context.signs_at is not None else ()
    if signs:
        f.statements = tuple(
            replace(s, hypotheses=(*s.hypotheses, *(h for h in signs if h not in s.hypotheses))) for s in f.statements
        )
        decide_all(f, context.decide)


def _decide_as_supposed(context: Context, c: Candidate, f: Finding) -> None:
    """Decide again for matrices of the kind that the text says they are; a word about them that is not read stands against
    an error."""
    statement = f.statement or next(iter(f.statements), None)
    if statement is None or context.supposed_at is None:
        return
    target = replace(c.target.finding, theory=f.theory)
    supposed = context.supposed_at(target, statement)
    more = [h for h in supposed.hypotheses if not all(h in s.hypotheses for s in f.statements)]
    word = supposed.unread
    if word is not None and word[1].lower() in DENSE:
        word = None  # near a matrix where two continuous values differ there are such ones
    is_about_matrix = word is not None and len(f.theory.shape(word[0]) or ()) == 2
    if more or is_about_matrix:
        tries = supposed.examples if is_about_matrix else ((),)
        wrong = next(filter(None, (_refuted_under(f, (*more, *example)) for example in tries)), None)
        if wrong is not None:  # no proof is looked for of what is seen to be false
            f.statements, f.statement, f.decision = wrong
            return
    if more:
        f.statements = tuple(_under(f.statements, more))
        decide_all(f, context.decide)
    if f.status == "refuted" and word is not None and is_about_matrix:
        undecide(
            f, "property-not-read", f"different in general, but the text calls {word[0]} {word[1]}, which is not read"
        )


def _under(statements: Sequence[Statement], more: Sequence[Statement]) -> Iterator[Statement]:
    """The statements with more hypotheses."""
    yield from (replace(s, hypotheses=tuple(dict.fromkeys((*s.hypotheses, *more)))) for s in statements)


def _refuted_under(f: Finding, more: Sequence[Statement]) -> tuple[tuple[Statement, ...], Statement, Refuted] | None:
    """The statements of a finding under more hypotheses, the first that is false then, and where."""
    under = tuple(_under(f.statements, more))
    return next(((under, s, Refuted(w)) for s in under if (w := refute(s, f.theory)) is not None), None)


def decide_at_values(context: Context, f: Finding, own: Sequence[str]) -> list[Note]:
    """Decide again where a number of the equation has the value that the code gives to a name spelled like it.

    `own` are the parameters of the function that is compared: a number of their name is none of the module.
    """
    unfolded = [with_definitions_put_in(s, f.theory) for s in f.statements]
    if later := _later_definitions(context, unfolded, f):
        return _decide_at_definitions(context, f, unfolded, later)
    found: dict[str, tuple[str, Number]] = {}
    for n in dict.fromkeys(n for s in unfolded for n in bare_sizes(s, f.theory) if n in f.theory.tensors):
        for name, value in context.program.interpreter.module.names.items():
            number = value.entry if isinstance(value, Array) and not value.rank else None
            if isinstance(number, Number) and same_name(name, n) and not any(same_name(p, n) for p in own):
                found[n] = name, number
    if not found:
        return []
    put_in = {n: Lambda((), value) for n, (_, value) in found.items()}
    f.statements = tuple(
        replace(s, left=substitute(s.left, tensors=put_in), right=substitute(s.right, tensors=put_in)) for s in unfolded
    )
    decide_all(f, context.decide)
    return [Note("value-of-name", (n, str(value), name)) for n, (name, value) in found.items()]


def _later_definitions(context: Context, unfolded: Sequence[Statement], f: Finding) -> dict[str, Target]:
    r"""The numbers of the equation that another equation says to be made of what the code has: the \tau of
    `\tau = e^{-\theta}`, where the code has \theta."""
    of_code = frozenset[str]().union(*(s.right.heads for s in unfolded))
    found: dict[str, Target] = {}
    for n in dict.fromkeys(n for s in unfolded for n in bare_sizes(s, f.theory) if n in f.theory.tensors):
        for target in context.symbols.targets:
            own = target.definitions[0]
            is_version = target.head.split("#")[0] == n and target.head != n and not own.indices and not own.tensors
            if is_version and own.body.heads and own.body.heads <= of_code:
                found[n] = target
    return found


def _decide_at_definitions(
    context: Context, f: Finding, unfolded: Sequence[Statement], later: Mapping[str, Target]
) -> list[Note]:
    """Decide again with numbers of the equation as other equations say them to be; that they are is no reason to refute."""
    put_in = {n: Lambda((), target.definitions[0].body) for n, target in later.items()}
    before = f.statements, f.statement
    f.statements = tuple(replace(s, left=substitute(s.left, tensors=put_in)) for s in unfolded)
    decide_all(f, context.decide)
    if f.status == "proved":
        return [Note("version-of-line", (n, str(t.finding.place.line))) for n, t in later.items()]
    f.statements, f.statement = before
    undecide(f, "ambiguous", f"another equation says what {' and '.join(later)} is, and which one is meant is not said")
    return []


def decide_at_scales(context: Context, f: Finding, of_code: Mapping[str, Index]) -> list[Note]:
    """Decide again where a size of the equation that is no axis is the number of products that it scales, or a size of the
    code that has its name; `of_code` are these, by their names as they are spelled.
    """
    whole = f.statements
    unfolded = [with_definitions_put_in(s, f.theory) for s in whole]
    bare = {n: [w for s in unfolded for w in scaled(s.left, n)] for s in unfolded for n in bare_sizes(s, f.theory)}
    settled = {n: found[0] for n, found in bare.items() if len(set(found)) == 1}
    if not bare:
        return []
    called_so = {n: of_code[spelled(n)] for n in bare if spelled(n) in of_code}
    if len(called_so) == len(bare):
        f.statements = tuple(put(s, called_so, f.theory) for s in unfolded)
        decide_all(f, context.decide)
        return [Note("equal-size", (n, w)) for n, w in called_so.items()]
    before = f.statement, f.status, f.code, f.reason, f.decision
    if len(settled) == len(bare):
        f.statements = tuple(put(s, settled, f.theory) for s in unfolded)
        decide_all(f, context.decide)
        if f.status == "proved" or (f.status == "refuted" and before[1] == "refuted"):
            return [Note("scale", (n, w)) for n, w in settled.items()]
    (name, *others) = bare
    guessed: Index | None = None
    for number in written_sizes(unfolded) if not others else ():
        f.statements = tuple(put(s, {name: number}, f.theory) for s in unfolded)
        decide_all(f, context.decide)
        if f.status == "proved" and same_name(str(number), name):
            return [Note("equal-size", (name, number))]
        if f.status == "proved" and guessed is None:
            guessed = number
    f.statements = whole
    f.statement, f.status, f.code, f.reason, f.decision = before
    if guessed is not None:
        undecide(f, "ambiguous", f"proved if {name} = {guessed}, which only the proof says")
    elif f.status == "refuted":
        f.status, f.code, f.decision = "undecided", "ambiguous", None
        f.reason = f"the equation uses the size {next(iter(bare))} that is the length of no axis"
    return []


def decide_at_numbers(context: Context, f: Finding) -> list[Note]:
    """Decide again where numbers of the equation that are no axis are what the code has under their names: the only ones
    that a call gives to a parameter, or the module to a variable."""
    unfolded = [with_definitions_put_in(s, f.theory) for s in f.statements]
    bare = {n for s in unfolded for n in bare_sizes(s, f.theory)}
    interpreter = context.program.interpreter
    module, given, sizes = interpreter.module.names, interpreter.numbers_given, interpreter.scope.sizes
    found: dict[str, set[Number]] = {}
    for name in bare:
        own = [constant_of(v, sizes.resolve) for called, v in module.items() if same_name(called, name)]
        own += [v for called, values in given.items() if same_name(called, name) for v in values]
        found[name] = {v for v in own if v is not None}
    if not bare or any(len(values) != 1 or next(iter(values)).value.q != 1 for values in found.values()):
        return []
    numbers = {n: Index.of(int(values.pop().value)) for n, values in found.items()}
    before = f.statements, f.statement, f.status, f.code, f.reason, f.decision
    f.statements = tuple(put(s, numbers, f.theory) for s in unfolded)
    decide_all(f, context.decide)
    if f.status in ("proved", "refuted"):
        return [Note("equal-size", (n, str(i))) for n, i in sorted(numbers.items())]
    f.statements, f.statement, f.status, f.code, f.reason, f.decision = before
    return []


def decide_at_step_before(context: Context, c: Candidate, f: Finding) -> list[Note]:
    r"""Decide again where an input of the code is the member of a family that the equation is about: the state that one step
    is given, and gives anew, is $h_{t-1}$, where $i_t$ is made of no other one.

    Code that gives the name no new value may as well compute all members at once, with the wrong ones.
    """
    put_in: dict[str, Lambda] = {}
    notes: list[Note] = []
    settled = c.lifting.places.keys() if c.lifting is not None else ()
    for head in sorted({h for s in f.statements for h in s.right.heads if h not in settled}):
        away = _steps_away(c.target, head)
        if away is None or not away.const:
            continue
        params = tuple(f"p{k}" for k in range(len(f.theory.shape(head) or ())))
        first, *rest = map(Index.var, params)
        put_in[head] = Lambda(params, Entry(head, (first + away, *rest)))
        notes.append(Note("called-otherwise", (head, f"the member {-away.const} before")))
    if not put_in:
        return []
    before = f.statements, f.statement
    try:
        moved = [replace(s, right=substitute(s.right, tensors=put_in)) for s in f.statements]
        f.statements = tuple(replace(s, guard=guard(*s.guard, *_in_range(s.right, put_in))) for s in moved)
        decide_all(f, context.decide)
    except Capture:
        f.statements = before[0]
    around = context.program.function_around(c.record.block, c.record.node)
    stored = names_stored(context, around) if around is not None else set()
    is_state = all(any(spelled(n) == spelled(head) for n in stored) for head in put_in)
    if f.status == "refuted" or (f.status == "proved" and is_state):
        return notes
    f.statements, f.statement, f.decision = before[0], before[1], None
    undecide(f, "ambiguous", "different, but which member of a family the code is given is not known")
    return []


def _in_range(t: Term, heads: Container[str]) -> Iterator[Constraint]:
    """That the members of families that a term has are not before the first one."""
    for u in subterms(t):
        if isinstance(u, Entry) and u.name in heads and u.indices[0].const < 0:
            yield at_least(u.indices[0], 0)


def _steps_away(target: Target, symbol: str) -> Index | None:
    """How far the members of a family that an equation uses are from the one that it tells: -1 for $h_{t-1}$ in $i_t$; None
    where there is not just one."""
    found = {
        t.indices[0] - d.indices[0]
        for d in target.definitions
        for t in subterms(d.body)
        if isinstance(t, Entry) and t.name == symbol and t.indices and d.indices
    }
    return next(iter(found)) if len(found) == 1 and all(i.is_constant for i in found) else None


def decide_at_larger_sizes(context: Context, f: Finding) -> list[Note]:
    """Decide for sizes of at least 2, where a side is undefined at size 1 (a variance with n - 1)."""
    moved, said = [], set()
    for s in f.statements:
        sizes = sorted(term_sizes(s.left) | term_sizes(s.right) | {n for c in s.guard for n in c.index.sizes})
        said |= set(sizes)
        moved.append(replace(s, guard=guard(*s.guard, *(at_least(Index.size(n), 2) for n in sizes))))
    before = f.statements, f.statement, f.code, f.reason, f.decision
    f.statements = tuple(moved)
    decide_all(f, context.decide)
    if f.status == "undecided":
        f.statements, f.statement, f.code, f.reason, f.decision = before
        return []
    return [Note("size-at-least", (n, "2")) for n in sorted(said)]


def decide_at_lengths(context: Context, f: Finding, free: list[str]) -> bool:
    """Decide again where a number that the code is given, such as `head_dim`, is the length of an axis.

    False when the code differs from the equation whatever that number is.
    """
    before = f.statements, f.statement, f.status, f.code, f.reason, f.decision
    whole = f.statements
    shapes = [f.theory.shape(h) or () for s in whole for h in sorted(s.right.heads)]
    names = list(dict.fromkeys(i for shape in shapes for i in reversed(shape) if len(i.terms) == 1))
    numbers = frozenset(n for s in whole for n in numbers_of(s, f.theory))
    told = [i for i in names if i.sizes <= numbers]
    found = [f.status]
    for size in names if len(free) == 1 else ():
        f.statements = tuple(put(s, {free[0]: size}, f.theory) for s in whole)
        decide_all(f, context.decide)
        found.append(f.status)
        if f.status == "proved" and told == [size]:
            f.assumptions = (*f.assumptions, Note("equal-size", (free[0], size), place=f.place))
            return True
    f.statements, f.statement, f.status, f.code, f.reason, f.decision = before
    if len(free) == 1 and set(found) == {"refuted"}:
        return False
    f.status, f.code, f.decision = "undecided", "ambiguous", None
    f.reason = "the code is given a number that may be one of its sizes"
    return True


def assumptions_of(c: Candidate, made: Comparison, scope: Scope) -> list[Note]:
    """The assumptions of lifting that concern this value."""
    masked = any(has_minus_infinity(s.right) for s in made.statements)
    said = c.record.assumptions if c.lifting is None else tuple(scope.assumptions)
    found = [n for n in said if masked or not n.row.masks]
    required = c.record.required if c.lifting is None else tuple(scope.sizes.required)
    used = sizes_of_inputs(made, scope)
    found += [r.note for r in required if r.sizes & used and not any("~" in s for s in r.sizes)]
    return [*dict.fromkeys([*map(shown_in, found), *made.assumptions])]
