"""Why a difference between code and equation is not believed to be an error of the code."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from derivations.code.compare.code_side import Links
from derivations.code.compare.document_symbols import NotComparable, Symbols
from derivations.code.compare.named_functions import unknown_functions
from derivations.code.compare.spelling import logarithm_of, spelled, times_the_logarithm
from derivations.code.compare.statement import Comparison, compare
from derivations.code.compare.unfolded_definitions import blocks_places, has_minus_infinity, with_definitions_put_in
from derivations.code.judgement_context import Candidate, Context, Way, finding_of, heads_of, is_replaced
from derivations.code.lifted_functions import lift_way
from derivations.code.matching import is_input
from derivations.code.program import names_returned
from derivations.code.verdicts_in_place import decide_all
from derivations.documents.model.finding import Finding
from derivations.language.statement import Statement, Theory
from derivations.language.substitution import labels_of, own_indices, substitute, subterms
from derivations.language.term import (
    UNKNOWN,
    ZERO,
    Apply,
    Bracket,
    Case,
    Constraint,
    Entry,
    Index,
    Lambda,
    Max,
    Sum,
    Term,
    TermError,
    equal,
    guard,
    remainder,
)
from derivations.latex.syntax.letters import FAMILY
from derivations.lifting.operations.table import Stacked
from derivations.lifting.settled_entries import finish
from derivations.lifting.symbolic.arrays import Array, places
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.values.python_values import Class, Function
from derivations.notes import KINDS, Note
from derivations.study.where_stated import is_stated

GUARDS = frozenset({"epsilon"})
"""Names of small numbers that guard quotients, in the spelling of `spelled`."""
MAX_INDICES = 3
"""Indices of an equation that are tried from the other of 0 and 1."""


Why = tuple[str, str]
"""A code, and what stands against the error in words."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A difference between a value of the code and an equation, and all that was compared."""

    context: Context
    candidate: Candidate
    made: Comparison
    scope: Scope
    links: Links
    meant: tuple[Statement, ...]
    """The statements with the definitions of the document put in."""

    @property
    def is_linked(self) -> bool:
        """Whether a comment links code and equation, and not a name."""
        return self.candidate.link == "explicit"

    @property
    def is_function(self) -> bool:
        return self.candidate.record.function is not None


def why_not_refuted(
    context: Context, c: Candidate, made: Comparison, scope: Scope, links: Links
) -> tuple[str, str] | None:
    """Why a difference is not believed to be an error; None when it is one."""
    meant = tuple(with_definitions_put_in(s, made.theory) for s in made.statements)
    compared = Compared(context, c, made, scope, links, meant)
    return next((why for doubt in DOUBTS if (why := doubt(compared)) is not None), None)


def matrices_of(statements: Iterable[Statement], theory: Theory) -> frozenset[str]:
    """The arrays with two axes of which the code computes a value."""
    heads = {h for s in statements for h in s.right.heads}
    return frozenset(h for h in heads if len(theory.shape(h) or ()) == 2)


def are_as_written(context: Context, c: Candidate, made: Comparison) -> bool:
    """Whether the author says what a value is, and other code of the document has the axes of all matrices that it is
    computed from as the document does.

    A misfit of lengths is then none of a layout, and a value that differs where all lengths are equal is wrong.
    """
    used = matrices_of(made.statements, made.theory)
    return c.link == "explicit" and bool(used) and used <= context.as_written


def _other_sizes(d: Compared) -> Why | None:
    if d.made.misfit and not are_as_written(d.context, d.candidate, d.made):
        return "shape-conflict", "the shapes of code and equation agree only for equal sizes"
    if d.made.forced and d.made.leading and not d.is_linked:
        return (
            "shape-conflict",
            "different, but an input has more axes in the code, and the others fit only at some sizes",
        )
    if d.made.equated and d.is_function and not d.is_linked:
        return "vacuous", f"different, but code and equation are compared only where {d.made.equated}"
    return None


def rounds_lengths(context: Context) -> bool:
    """Whether a document rounds numbers itself: it speaks of all lengths then, also of those that have no whole half."""
    return any("floor" in s.source or "ceil" in s.source for s in context.document.spans)


def with_whole_parts(made: Comparison) -> tuple[Comparison, Sequence[Note]] | None:
    """The comparison where halves and groups of lengths are whole: nobody thinks of d/2 pairs of an odd number of features.

    None where no length is cut into parts.
    """
    parts = list(dict.fromkeys(p for s in made.statements for p in _rounded_down(s)))
    exact = [equal(remainder(whole, by), 0) for whole, by in parts]
    statements = [replace(s, guard=guard(*s.guard, *exact)) for s in made.statements]
    said = [Note("divided-size", (str(by), str(whole))) for whole, by in parts]
    return (replace(made, statements=statements), said) if parts else None


def _uneven_parts(d: Compared) -> Why | None:
    whole = with_whole_parts(d.made)
    if whole is None:
        return None
    f = finding_of(d.context, d.candidate, "undecided", None, None)
    f.theory, f.statements = d.made.theory, tuple(whole[0].statements)
    decide_all(f, d.context.decide)
    return None if f.status == "refuted" else ("ambiguous", "different only where parts of a length are not whole")


def _rounded_down(s: Statement) -> Iterator[tuple[Index, Index]]:
    """The quotients of lengths in a statement that are rounded down."""
    indices = [i for side in (s.left, s.right) for t in subterms(side) for i in own_indices(t)]
    for atom in (a for i in (*indices, *(c.index for c in s.guard)) for a, _ in i.terms):
        if atom.kind == "quotient" and not any(i.free for i in atom.args):
            yield atom.args[0], atom.args[1]


def _other_base(d: Compared) -> Why | None:
    if agrees_from_other_base(d.context, d.candidate, d.made):
        return "ambiguous", "different as read, but the same where an index counts from the other of 0 and 1"
    return None


def _order_of_indices(d: Compared) -> Why | None:
    notes = [n for n in d.candidate.target.finding.assumptions if n.kind == "order-of-indices"]
    if notes and agrees_in_another_order(d.context, d.candidate, d.made):
        return "ambiguous", "different as read, but the same with the indices of the equation in another order"
    return None


def _computes_something(side: Term, theory: Theory) -> bool:
    """Whether a side of an equation is more than a name; a recurrence gives its name a value though it is not put in."""
    own = theory.definitions.get(side.name, ()) if isinstance(side, Entry) else ()
    return not isinstance(side, Entry) or any(not isinstance(x.body, Entry) for x in own)


def _nothing_computed(d: Compared) -> Why | None:
    if not d.is_linked and not any(_computes_something(s.left, d.made.theory) for s in d.meant):
        return "ambiguous", "different, but the equation only names a value again: there is nothing in it to compute"
    return None


def _unknown_function(d: Compared) -> Why | None:
    strange = [*unknown_functions(list(d.meant)), *(name for s in d.meant for name in _calls_without_value(s))]
    if strange:
        return "ambiguous", f"different in general, but the document does not say what the function {strange[0]} is"
    return None


def _changed_argument(d: Compared) -> Why | None:
    if not d.is_linked and _changes_its_argument(d.candidate, d.made):
        return "ambiguous", f"different, but {d.candidate.record.name} is an argument there, which the code changes"
    return None


def _two_things(d: Compared) -> Why | None:
    told_apart = [stem for s in d.made.statements for stem in _stems_of_two(s, d.made.theory)]
    if told_apart:
        return "ambiguous", f"different, but {told_apart[0]} stands for two things in the document"
    return None


def _absent_input(d: Compared) -> Why | None:
    absent = absent_array(d.context, d.candidate, d.made, d.scope)
    if absent is not None:
        return "unlinked-input", f"different, but the code has nothing that is called {absent}"
    reached = (t for s in d.meant for t in d.made.theory.reached(s.left))
    picked = {n for t in reached for n in labels_of(t)} - {n for s in d.made.statements for n in labels_of(s.right)}
    if picked and d.candidate.lifting is None:
        return "unlinked-input", f"different, but the code may write numbers for {min(picked).split('#')[0]}"
    made_of = given_made_of_others(d.context, d.candidate, d.scope)
    if made_of is not None:
        return "unlinked-input", f"different, but the code computes {made_of}, which the equation takes as given"
    return None


def _own_number(d: Compared) -> Why | None:
    own = number_of_its_own(d.context, d.candidate)
    if own is not None:
        return "ambiguous", f"different, but {own[0]} is called with a value of its own for {own[1]}"
    return None


def _of_itself(d: Compared) -> Why | None:
    """`y[0] = 0.99` for a y that the code draws: it sets an entry of what it is given, and computes nothing of y."""
    if not d.links.places and any(d.candidate.target.head in s.right.heads for s in d.made.statements):
        return "ambiguous", f"different, but the code only changes a {d.candidate.record.name} that it is given"
    return None


def _idle_parameter(d: Compared) -> Why | None:
    r"""`f(A, B) = \\sum_i \\|a_i - b_i\\|^2`: what the right side has to do with A and B the document does not say."""
    for row in d.made.theory.definitions.get(d.candidate.target.head, ()):
        idle = [t.name for t in row.tensors if t.name not in row.body.heads]
        if idle:
            return "ambiguous", f"different, but the equation does not say how it depends on {idle[0]}"
    return None


def _unlinked_input(d: Compared) -> Why | None:
    if d.made.unlinked:
        return "unlinked-input", f"different in general, but the document does not say what {d.made.unlinked[0]} is"
    return None


def _other_version(d: Compared) -> Why | None:
    c, symbols = d.candidate, d.context.symbols
    if c.link != "name":
        return None
    values = [r for r in d.context.program.interpreter.records if r.name == c.record.name and r.function is None]
    if len(values) > 1 and c.target.block > c.record.block:
        return "ambiguous", f"different, but {c.record.name} has several values, and its equation stands after this one"
    if c.lifting is not None and _is_of_earlier_version(d.context, c):
        return "ambiguous", f"different, but the document gives {c.record.name} another meaning before the code"
    versions = {t.head for t in symbols.named(c.record.name) if t.stem not in d.context.by_stem}
    if c.lifting is None and len(versions) > 1:
        return "ambiguous", f"the document gives {c.record.name} several meanings"
    return None


def _other_below(d: Compared) -> Why | None:
    changed = _changed_since(d.context, d.candidate)
    if changed is None:
        return None
    stem = d.candidate.target.stem
    return "ambiguous", f"different, but {changed} may be another thing before the code than where {stem} is defined"


def _guessed_sign(d: Compared) -> Why | None:
    """A sign below the equation that some authors use for another thing."""
    findings = d.context.symbols.findings_under(d.candidate.target)
    if not d.is_linked and any(KINDS[n.kind].guess for f in findings for n in f.assumptions):
        return "ambiguous", "different, but a sign of the equation is read as some authors do not mean it"
    return None


def _guessed_deviation(d: Compared) -> Why | None:
    r"""`logvar` for a $\sigma$, which is the deviation as a rule, and the variance of some authors."""
    for note in d.made.assumptions:
        if note.kind == "holds-logarithm":
            name, symbol = map(str, note.arguments)
            if times_the_logarithm(logarithm_of(name) or "", symbol) < 1:
                return "ambiguous", f"different if {symbol} is a standard deviation, which the document does not say"
    return None


def _picks_from_batch(d: Compared) -> Why | None:
    """`z[y]` picks from the first axis: of an array with a leading axis that nobody speaks of it picks other things."""
    lifting = d.candidate.lifting
    if lifting is None or not lifting.led or not d.scope.labels:
        return None
    if not isinstance(d.candidate.record.value, (Function, Class)):
        return "ambiguous", "different with a leading axis, from which the code picks by its positions"
    plain = lift_way(
        d.context, d.candidate.record, d.candidate.target, Way("plain", lifting.library, called=lifting.called)
    )
    if plain is None or plain.problem is not None:
        return None  # the code needs the leading axis
    return (
        "ambiguous",
        "different with a leading axis more than the equation, from which the code picks by its positions",
    )


def _unread_below(d: Compared) -> Why | None:
    unread = {name for name, f in d.context.open_lines if f.code != "special-case"}
    cases = {name for name, f in d.context.open_lines if f.code == "special-case"}
    # of what it uses the code takes any value, and not that of a case
    used = {h for s in d.made.statements for h in s.right.heads}
    given = sorted(d.context.symbols.given_of(d.candidate.target.head))
    told = next((h for h in given if spelled(h) in unread or (h not in used and spelled(h) in cases)), None)
    return (
        None
        if told is None
        else ("property-not-read", f"different, but {told} is taken as given, and an equation says more of it")
    )


def _written_sizes(d: Compared) -> Why | None:
    if d.made.fixed:
        return "fixed-sizes", "different in general, but the code writes numbers that may be its sizes"
    return None


def _parameters_not_matched(d: Compared) -> Why | None:
    lifting = d.candidate.lifting
    if lifting is not None and lifting.positional:
        return "ambiguous", "the parameters are matched with the equation's by their position only"
    if lifting is not None and lifting.missing:
        return "unlinked-input", f"the document does not say what {lifting.missing[0]} is"
    if lifting is not None and lifting.first_call:
        return "ambiguous", f"different where {lifting.first_call} is what it is when the object is made"
    return None


def _other_section(d: Compared) -> Why | None:
    c = d.candidate
    if d.is_linked or not _is_elsewhere(d.context, c):
        return None
    if all(is_stated(definition.body) for definition in c.target.definitions):
        return "ambiguous", f"different, but the document only states numbers for {c.target.stem}, in another section"
    if c.link == "name" and d.is_function and not is_made_of_proved(d.context, c):
        return (
            "ambiguous",
            f"different, but {c.record.name} is a name inside of a function, and the equation is elsewhere",
        )
    return None


def _few_entries(d: Compared) -> Why | None:
    """`x_0 = a`, `x_1 = b` beside an array x of a hundred points: they have the letter in common, and no more."""
    c = d.candidate
    value = c.record.value if c.lifting is None else c.lifting.value
    rows = [definition.indices for definition in c.target.definitions]
    if d.is_linked or not isinstance(value, Array) or not all(r and all(i.is_constant for i in r) for r in rows):
        return None
    length, stated = value.shape[0] if value.shape else None, len({r[0].const for r in rows})
    if length is None or not length.is_constant or length.const <= stated:
        return None
    return (
        "not-comparable",
        f"different, but {stated} entries of {c.target.stem} are stated, and the code has {length.const}",
    )


def _masked_places(d: Compared) -> Why | None:
    masked = any(has_minus_infinity(s.right) for s in d.made.statements)
    if masked and not any(blocks_places(e.body) for e in d.context.symbols.definitions_under(d.candidate.target.head)):
        return "masked", "the code blocks places that the equation does not speak of"
    return None


def _guessed_order(d: Compared) -> Why | None:
    if d.made.reordered:
        return "ambiguous", "different, but the order of the axes is only taken from the names of their sizes"
    return None


def _supposed_inputs(d: Compared) -> Why | None:
    heads = d.context.symbols.given_of(d.candidate.target.head)
    for h in d.context.hypotheses:
        if h.statement is not None and (h.statement.left.heads | h.statement.right.heads) & heads:
            if h.statement.relation == "=":
                return "ambiguous", "different in general; the document supposes more about its inputs"
    return None


def _other_reading(d: Compared) -> Why | None:
    if d.context.readings is not None:
        for findings in d.context.readings(d.candidate.target.finding):
            if agrees_otherwise(d.context, d.candidate, findings, d.scope, d.links):
                return "ambiguous", "different as read, but not under another reading that the document leaves open"
    return None


def _stage_of_result(d: Compared) -> Why | None:
    """A name inside of a function whose result gets that name outside: `gamma = np.exp(w)`, then `return gamma / gamma.sum()`.

    What the symbol is, the function returns; inside the name holds a stage of it.
    """
    record, program = d.candidate.record, d.context.program
    function = program.function_around(record.block, record.node) if record.function is not None else None
    if function is None or record.name in names_returned(function):
        return None
    for tree in program.trees.values():
        for s in (s for s in tree.body if isinstance(s, ast.Assign)):
            called = s.value.func if isinstance(s.value, ast.Call) else None
            is_result = isinstance(called, ast.Name) and called.id == function.name
            if is_result and any(isinstance(t, ast.Name) and t.id == record.name for t in s.targets):
                return "ambiguous", f"different, but {function.name} goes on from there to what is called {record.name}"
    return None


DOUBTS: tuple[Callable[[Compared], Why | None], ...] = (
    _other_sizes,
    _uneven_parts,
    _other_base,
    _order_of_indices,
    _nothing_computed,
    _unknown_function,
    _changed_argument,
    _stage_of_result,
    _two_things,
    _absent_input,
    _own_number,
    _of_itself,
    _idle_parameter,
    _unlinked_input,
    _other_version,
    _other_below,
    _guessed_sign,
    _guessed_deviation,
    _picks_from_batch,
    _unread_below,
    _written_sizes,
    _parameters_not_matched,
    _other_section,
    _few_entries,
    _masked_places,
    _guessed_order,
    _supposed_inputs,
    _other_reading,
)
"""What may stand against an error of the code, in the order in which it is asked."""


def _is_elsewhere(context: Context, c: Candidate) -> bool:
    """Whether code and equation stand in two sections, of which none is a part of the other."""
    one, other = (context.document.blocks[n].section for n in (c.record.block, c.target.block))
    return any(a != b for a, b in zip(one, other, strict=False))


def is_made_of_proved(context: Context, c: Candidate) -> bool:
    """Whether a value that a function returns is computed from all arrays of its equation, some of which the function was
    proved to compute itself, and the others of which are its parameters.

    The function then follows the equations of the document, wherever these stand, and the name is the symbol's.
    """
    function = context.program.function_around(c.record.block, c.record.node)
    if function is None or c.record.name not in names_returned(function):
        return False
    tensors = context.symbols.theory.shape
    heads = {h for d in c.target.definitions for h in d.body.heads if tensors(h)}
    loaded = {n.id for n in ast.walk(c.record.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    parameters = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    own = {h for name, h in context.proved_inside if name in loaded}
    given = {h for h in heads if h.split("#")[0] in loaded & parameters}
    return bool(own & heads) and heads <= own | given


def _is_of_earlier_version(context: Context, c: Candidate) -> bool:
    """Whether a later equation, before the code, gives the name that a function is called by another meaning."""
    targets = [t for t in context.symbols.named(c.record.name) if t.stem not in context.by_stem]
    before = [t for t in targets if t.block <= c.record.block]
    return bool(before) and max(before, key=lambda t: t.finding.position).head != c.target.head


def _changed_since(context: Context, c: Candidate) -> str | None:
    """A name below an equation that another equation, up to the code, defines anew, or may: one that is not read."""
    symbols = context.symbols
    below = [t for t in symbols.targets if t.head in symbols.under(c.target.head) and t.head != c.target.head]
    for own in below:
        same = [t for t in symbols.targets if t.stem == own.stem and own.block < t.block <= c.record.block]
        here = [f for name, f in context.open_lines if name == spelled(own.stem)]
        if same or any(own.finding.span < f.span < c.target.finding.span for f in here):
            return own.stem
    return None


def _changes_its_argument(c: Candidate, made: Comparison) -> bool:
    """Whether a function computes a name from an argument of the same name, `Z = Z - Z.max()`; no recurrence is meant."""
    head = c.target.head
    defined = made.theory.definitions.get(head, ())
    is_recurrence = any(head in d.body.heads for d in defined)
    return c.record.function is not None and not is_recurrence and any(head in s.right.heads for s in made.statements)


def _stems_of_two(s: Statement, theory: Theory) -> list[str]:
    """Names of which the equation, down to its definitions, has one version and the code another."""
    below = {t.name for t in theory.reached(s.left) if isinstance(t, Entry)}
    one, other = ({h.split("#")[0].removesuffix(FAMILY): h for h in sorted(heads)} for heads in (below, s.right.heads))
    return sorted(stem for stem in one.keys() & other.keys() if one[stem] != other[stem])


def _calls_without_value(s: Statement) -> list[str]:
    """Functions that an equation calls where no definition gives their value, and that the code does not have."""
    calls = {t.name for t in subterms(s.left) if isinstance(t, Entry) and t.is_unknown}
    return sorted(name.removeprefix(UNKNOWN) for name in calls - s.right.heads)


def agrees_from_other_base(context: Context, c: Candidate, made: Comparison) -> bool:
    """Whether code and an equation of numbers alone, `sin(pos / 10000^{i/d})`, are the same where indices count from the
    other of 0 and 1.

    Indices that the equation compares, `j <= i`, count from the same one of them.
    """
    unfolded = [with_definitions_put_in(s, made.theory) for s in made.statements]
    if len(unfolded) != 1 or unfolded[0].left.heads or len(unfolded[0].indices) > MAX_INDICES:
        return False
    (s,) = unfolded
    together = [c.index.free & {*s.indices} for t in subterms(s.left) for c in _conditions(t)]
    for shift in (-1, 1):
        for count in range(1, len(s.indices) + 1):
            for some in itertools.combinations(s.indices, count):
                if any(0 < len(compared & {*some}) < len(compared) for compared in together):
                    continue
                f = finding_of(context, c, "undecided", None, None)
                f.theory = made.theory
                f.statements = (replace(s, left=substitute(s.left, {v: Index.var(v) + shift for v in some})),)
                decide_all(f, context.decide)
                if f.status == "proved":
                    return True
    return False


def _conditions(t: Term) -> Iterator[Constraint]:
    """The conditions that a term compares indices by."""
    if isinstance(t, Bracket):
        yield from t.condition
    elif isinstance(t, Case):
        yield from (c for g, _ in t.branches for c in g)
    elif isinstance(t, Sum | Max):
        yield from t.guard


def agrees_in_another_order(context: Context, c: Candidate, made: Comparison) -> bool:
    """Whether code and an equation of one entry are the same with the axes of the result in another order."""
    statements = [with_definitions_put_in(s, made.theory) for s in made.statements]
    for s in statements if len(statements) == 1 and len(statements[0].indices) <= MAX_INDICES else ():
        for order in itertools.permutations(s.indices):
            f = finding_of(context, c, "undecided", None, None)
            turned = {v: Index.var(w) for v, w in zip(s.indices, order, strict=True)}
            f.theory, f.statements = made.theory, (replace(s, left=substitute(s.left, turned)),)
            decide_all(f, context.decide)
            if f.status == "proved":
                return True
    return False


def given_made_of_others(context: Context, c: Candidate, scope: Scope) -> str | None:
    """A name of the code that the equation takes as given, but that the code computes from something else."""
    under = context.symbols.under(c.target.head)
    given = context.symbols.given_of(c.target.head) | (context.symbols.supposed & under)
    for name, value in context.program.interpreter.module.names.items():
        if c.lifting is None and isinstance(value, Array) and value.rank and not is_input(value, scope):
            partner = context.symbols.partner(name, c.record.block, under)
            base = name.rpartition("_")[0]  # x_T is a member of the family x
            member = partner is None and any(h.split("#")[0] == base for h in given)
            if ((partner is not None and partner[0] in given) or member) and name != c.record.name:
                return name
    return None


def number_of_its_own(context: Context, c: Candidate) -> tuple[str, str] | None:
    """A function that a statement calls, and a parameter of it that is a number of the equation: tau = 1 by default.

    The variable tau of the program, if there is one, says nothing of the equation then.
    """
    given = {h for h in context.symbols.given_of(c.target.head) if context.symbols.theory.shape(h) == ()}
    for call in (n for n in ast.walk(c.record.node) if isinstance(n, ast.Call)) if given else ():
        called = context.program.interpreter.module.names.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if c.lifting is not None or not isinstance(called, Function):
            continue
        names = [a.arg for a in (*called.node.args.posonlyargs, *called.node.args.args)]
        passed: dict[str | None, ast.expr] = dict(zip(names, call.args, strict=False))
        passed.update((k.arg, k.value) for k in call.keywords)
        for name in (*names, *(a.arg for a in called.node.args.kwonlyargs)):
            partner = context.symbols.partner(name, c.record.block, frozenset(given))
            value = passed.get(name)
            if partner is not None and partner[0] in given and not (isinstance(value, ast.Name) and value.id == name):
                return called.name, name
    return None


def absent_array(context: Context, c: Candidate, made: Comparison, scope: Scope) -> str | None:
    """An array that the equation speaks of and that the code does not have at all, not only fails to use."""
    used = frozenset(h for s in made.statements for h in s.right.heads)
    names = {*context.program.interpreter.module.names, *(i.name for i in scope.inputs.values())}
    if isinstance(c.record.value, Function):
        names |= {a.arg for a in ast.walk(c.record.value.node) if isinstance(a, ast.arg)}
    under = context.symbols.under(c.target.head)
    had = {p[0] for n in names if n and (p := context.symbols.partner(n, c.record.block, under)) is not None}
    had |= {
        p[0] for i in scope.inputs.values() if (p := context.symbols.partner(i.name, c.record.block, under, i.origin))
    }
    had |= {m[0] for n in names if n and (m := context.symbols.given_member(n)) is not None}
    tensors = context.symbols.theory.tensors
    arrays = {h for h, t in tensors.items() if t.shape}
    has_others = not used & arrays <= under  # what the code has under the name of a step need not be made of the same
    starts = context.symbols.starts_under(c.target.head) if c.lifting is not None and c.lifting.places else frozenset()
    for h in sorted(context.symbols.under(c.target.head, (used if has_others else used | had) - {c.target.head})):
        if h in arrays and h not in had and h not in starts:
            return h.split("#")[0]
    return None


def agrees_otherwise(context: Context, c: Candidate, findings: Sequence[Finding], scope: Scope, links: Links) -> bool:
    """Whether the code is not refuted under another reading of the document."""
    symbols = Symbols.of(
        context.document, findings, context.symbols.called, context.symbols.named_sizes, context.symbols.said
    )
    target = next((t for t in symbols.targets if t.head == c.target.head), None)
    value = c.lifting.value if c.lifting is not None else c.record.value
    value = value.array if isinstance(value, Stacked) else value
    if target is None:
        return True
    try:
        made = compare(value, scope, symbols, target, c.record.block, links)
    except (NotComparable, NotLifted, TermError):
        return True
    f = finding_of(context, c, "undecided", None, None)
    f.statements, f.theory = tuple(made.statements), made.theory
    decide_all(f, context.decide)
    return f.status != "refuted"


def agrees_without_guards(context: Context, c: Candidate, made: Comparison) -> bool:
    """Whether code and equation are the same for a small guard of zero: they add it at different places."""
    unfolded = [with_definitions_put_in(s, made.theory) for s in made.statements]
    heads = {h for s in unfolded for t in (s.left, s.right) for h in t.heads}
    nothing = {h: Lambda((), ZERO) for h in heads if made.theory.shape(h) == () and spelled(h) in GUARDS}
    if not nothing:
        return False
    f = finding_of(context, c, "undecided", None, None)
    f.theory = made.theory
    f.statements = tuple(
        replace(s, left=substitute(s.left, tensors=nothing), right=substitute(s.right, tensors=nothing))
        for s in unfolded
    )
    decide_all(f, context.decide)
    return f.status == "proved"


def is_constant(context: Context, c: Candidate, value: Array, scope: Scope) -> bool:
    """Whether a value rests on no input, while the equation does, is filled with one number only, or is of written lengths.

    An array of written lengths is a worked example: others have other numbers.
    """
    if not heads_of(value, scope).isdisjoint(scope.inputs):
        return False
    entry = finish(scope, value).real(places(value.rank))
    if any(isinstance(t, Apply) for t in subterms(entry)):
        return False  # sines of positions are no placeholder
    is_worked = value.rank > 0 and all(n.is_constant for n in c.target.shape)
    filled = value.rank and entry.free and not is_worked
    return not filled or bool(context.symbols.given_of(c.target.head)) or is_replaced(context, c.record)
