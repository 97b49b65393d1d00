"""Functions and classes of a document, run on symbolic parameters of the shapes that the document gives."""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from derivations.code.bound_parameters import (
    STEPS,
    bind_parameters,
    bundles_of,
    fields_without_default,
    lists_by_default,
    numbers_by_default,
    numbers_of_object,
    object_of,
    put_in_states,
    states_used,
)
from derivations.code.compare.document_symbols import Target, member_index
from derivations.code.compare.recurrence_steps import step_of
from derivations.code.judgement_context import Context, Lifting, Way, heads_of
from derivations.code.kept_states import states_of
from derivations.code.matching import (
    is_generator,
    is_settings,
    length_by_default,
    matched_names,
    same_name,
)
from derivations.code.parameter_names import MAX_ASSIGNMENTS
from derivations.code.said_axes import said_axes
from derivations.language.term import Index, Number
from derivations.lifting.interpreter.calls import GENERATOR, call_function, instantiate
from derivations.lifting.interpreter.held_values import arrays_in
from derivations.lifting.interpreter.interpret import Interpreter, Record
from derivations.lifting.interpreter.library import libraries
from derivations.lifting.operations.table import Struct, Unlifted, Value
from derivations.lifting.symbolic.arrays import Array, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.values.python_values import Class, Function, Module, Settings

MODES = (
    "plain",
    "declared",
    "batch first",
    "batch matrices",
    "column",
    "side by side",
    "each",
    "row",
    "step",
    "late step",
    "batch step",
    "batch late step",
)
"""As the equation has them, with the lengths that the document declares, with a leading axis, vectors as columns, heads
in one matrix, one member of a family, one row of a matrix, the members that one step of a recurrence uses, and those that
it uses before it changes them."""


def ways_to_lift(
    context: Context,
    record: Record,
    target: Target | None,
    given: bool = False,
    free: frozenset[str] = frozenset(),
) -> list[Lifting]:
    """The function on symbolic parameters: as declared, with a leading axis, vectors as columns.

    What is computed of the names in `free` inside of it is put to any value.
    """
    found: list[Lifting] = []
    for library in libraries_of(context, record):
        own: list[Lifting] = []
        for mode in MODES:
            if mode == "column" and all(w.problem is not None for w in own):
                two = Way("batch matrices", library, given, 2, free=free)
                own += _lifted(context, record, target, (two, Way("batch all", library, given, free=free)))
            own += _lifted(context, record, target, [Way(mode, library, given, free=free)])
        found += own
    return found


def ways_called_otherwise(context: Context, record: Record, target: Target, tried: Sequence[Lifting]) -> list[Lifting]:
    """The function with the shapes of symbols of the equation for parameters that have no symbol's name: `weight` for $g$.

    Only symbols that no other parameter is called after are left for them.  Ways that make no lengths equal come first.
    """
    missing = next((w.missing for w in tried if w.missing), ())
    entry = entry_of(record.value)
    if not isinstance(entry, ast.FunctionDef):
        return []
    step = step_of(context.symbols, target)
    steps = (("step", step), ("late step", step_of(context.symbols, target, opened=False)))
    counted = {v for d in target.definitions for i in d.indices for v in i.free}  # the t of a step is no other number
    under = context.symbols.under(target.head)
    inside = [m for b in bundles_of(context, record.value, target, record.block).values() for m in b.members]
    if isinstance(record.value, Class) and record.value.entry is not None:
        inside += [*states_of(record.value.entry), *numbers_by_default(record.value)]
        inside += [m for own in lists_by_default(context, record.value, target).values() for m in own]
    named = [*(a.arg for a in ast.walk(entry.args) if isinstance(a, ast.arg)), *inside]
    partners = {n: context.symbols.partner(n, record.block, under) for n in named}
    entries = {n: t for n in partners if (t := context.symbols.numbered_entry(n, target.head)) is not None}
    taken = {p[0] for p in partners.values() if p is not None} | {t.name for t in entries.values()}
    stored = {n.id for n in ast.walk(entry) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    taken |= {p[0] for n in stored if (p := context.symbols.partner(n, record.block, under)) is not None}
    missing = tuple(n for n in missing if n not in counted and n not in entries)
    numbers = [n for n in numbers_by_default(record.value) if partners.get(n) is None and n not in entries]
    found: list[Lifting] = []
    for library in libraries_of(context, record):
        for lost in filter(None, dict.fromkeys(((*missing, *numbers), missing))):
            left = context.symbols.left_for(len(lost), target.head, taken)
            for mode in ("plain", "batch first", "batch matrices"):
                shapes = list(_shapes(context, lost, left))
                found += _lifted(context, record, target, (Way(mode, library, called=c) for c in shapes))
                hot = [(c, n) for c in shapes for n in c if len(context.symbols.shape(c[n])) > 1]
                if hot and all(w.problem is not None for w in found):
                    one_less = (Way(mode, library, called=c, rows=frozenset({n})) for c, n in hot[:MAX_ASSIGNMENTS])
                    found += _lifted(context, record, target, one_less)
            for mode, one in steps:
                own = [h for h in left if h in one.reached] if one is not None else []
                if one is not None:
                    found += _lifted(
                        context, record, target, (Way(mode, library, called=c) for c in _shapes(context, lost, own))
                    )
            if any(w.problem is None for w in found):
                break
    labels = context.symbols.labels_under(target.head)
    made = [w for w in found if w.problem is None and all(_picks(w, n) for n, h in w.called.items() if h in labels)]
    return sorted(made, key=lambda w: w.forced)


def _picks(way: Lifting, name: str) -> bool:
    """Whether a function takes a parameter for positions on an axis, as the labels of an equation are."""
    scope = way.interpreter.scope
    return any(scope.inputs[h].name == name for h in scope.labels)


def number_without_name(context: Context, record: Record, target: Target) -> str | None:
    """A given number that an equation writes and that nothing of a function or its object is called after, where these have
    numbers by default that no symbol is called after: `lr=0.1` beside $\\eta$."""
    value, under = record.value, context.symbols.under(target.head)
    defaults = [*numbers_by_default(value), *(numbers_by_default(value.entry) if isinstance(value, Class) else ())]
    partners = {n: context.symbols.partner(n, record.block, under) for n in defaults}
    unnamed = [n for n in defaults if partners[n] is None and context.symbols.numbered_entry(n, target.head) is None]
    nodes = [n for n in (record.node, getattr(value, "node", None)) if n is not None]
    named = {a.arg for node in nodes for a in ast.walk(node) if isinstance(a, ast.arg)}
    had = {p[0] for n in named if (p := context.symbols.partner(n, record.block, under)) is not None}
    starts = context.symbols.starts_under(target.head)
    written = (h for h in context.symbols.written_in(target.head) if h not in starts)
    numbers = [h for h in written if h in context.symbols.theory.tensors and not context.symbols.shape(h)]
    return next((h.split("#")[0] for h in numbers if h not in had), None) if unnamed else None


def _shapes(context: Context, missing: Sequence[str], left: Sequence[str]) -> Iterable[Mapping[str, str]]:
    """Symbols that are left for parameters, one way for each choice of their shapes."""
    found: dict[tuple[tuple[Index, ...], ...], dict[str, str]] = {}
    for chosen in itertools.islice(itertools.permutations(left, len(missing)), MAX_ASSIGNMENTS):
        key = tuple(map(context.symbols.shape, chosen))
        found.setdefault(key, dict(zip(missing, chosen, strict=True)))
    return found.values()


def ways_with_said_axes(
    context: Context, record: Record, target: Target | None, called: Mapping[str, str] | None = None
) -> tuple[list[Lifting], bool]:
    """The function with the leading axes that the document gives its parameters, and whether that is sure.

    `called` says which symbols parameters are that have no symbol's name.

    There are none where the parameters have as many axes as in the equation, or more after its own ones.  What is only
    said of names inside the function tells how many leading axes there are, but not of which parameters.
    """
    entry = entry_of(record.value)
    if not isinstance(entry, ast.FunctionDef) or record.block not in context.program.blocks:
        return [], False
    said = said_axes(context.program, record, entry, context.program.interpreter.module.names)
    otherwise = called or {}
    own = {n: _called_axes(context, entry, n, target, record.block) for n in said.parameters}
    own |= {n: tuple(map(str, context.symbols.shape(h))) for n, h in otherwise.items() if n in own}
    more = {n: said.leading(n, axes) for n, axes in own.items() if axes is not None}
    sure = all(said.is_sure(n, own[n] or ()) for n, k in more.items() if k)
    for_parameters: list[Lifting] = []
    for_names: list[Lifting] = []
    for library in libraries_of(context, record) if said else ():
        told = [Way(mode, library, more=more, called=otherwise) for mode in ("said", "said declared")]
        for_parameters += _lifted(context, record, target, told if any(more.values()) else ())
        plain = lift_way(context, record, target, Way("plain", library, called=otherwise)) if said.inside else None
        extra = {
            count - inner.value.rank
            for inner in (plain.interpreter.records if plain is not None else ())
            if isinstance(inner.value, Array)
            and (count := said.inside.get((inner.name, inner.node.lineno))) is not None
        }
        if len(extra) == 1 and (leading := min(extra)) > 0:
            modes = ("batch first", "batch matrices", "batch all")
            all_ways = [Way(m, library, leading=leading, called=otherwise) for m in modes]
            for_names += _lifted(context, record, target, all_ways)
    return (for_parameters, sure) if for_parameters else (for_names, False)


def _called_axes(
    context: Context, entry: ast.FunctionDef, name: str, target: Target | None, block: int
) -> tuple[str, ...] | None:
    """What the equation calls the axes of a parameter; None for a parameter that it does not have."""
    arguments = [*entry.args.posonlyargs, *entry.args.args, *entry.args.kwonlyargs]
    tensors = target.definitions[0].tensors if target is not None else ()
    matched = matched_names([a.arg for a in arguments if a.arg != "self"], [t.name for t in tensors])
    if name in matched:
        tensor = tensors[matched[name]]
        return tuple(map(str, context.symbols.declared_shape(tensor) or tensor.shape))
    under = context.symbols.under(target.head) if target is not None else frozenset()
    partner = context.symbols.partner(name, block, under)
    return None if partner is None else tuple(map(str, partner[1]))


def libraries_of(context: Context, record: Record) -> Iterable[str]:
    """The libraries that the parameters of a function may be arrays of."""
    block = context.program.trees.get(record.block)
    return libraries(record.value, block, context.program.interpreter.scope.library)


def _lifted(context: Context, record: Record, target: Target | None, ways: Iterable[Way]) -> list[Lifting]:
    """The function in each of the ways that there are for it."""
    return [made for way in ways if (made := lift_way(context, record, target, way)) is not None]


def lift_way(context: Context, record: Record, target: Target | None, way: Way) -> Lifting | None:
    """A function run in one way; None where it is no other one than the plain way, or does not fit."""
    made = _run(context, record, target, way)
    if made is None:
        return None
    mode = way.mode
    each, row = mode in ("each", "row"), mode == "row"
    packed, declared = mode == "side by side", mode == "declared"
    led = mode.startswith("batch")
    return replace(
        made,
        packed=packed,
        each=each,
        row=row,
        led=led,
        declared=declared,
        library=way.library,
        called=way.called,
        way=way,
    )


def numbers_taken_by_default(context: Context, record: Record, target: Target, lifting: Lifting) -> dict[str, str]:
    """The numbers of a function that the equation lacks and that a lifting has put to their defaults, with these values.

    Only those on which what is computed depends, where that can be told: the function is lifted with any number for each.
    Where it cannot be lifted so, as with `if tau == 1`, all that its code reads.
    """
    maker = record.value.member("__init__") if isinstance(record.value, Class) else record.value
    numbers = numbers_by_default(record.value)
    if not numbers or lifting.way is None or not isinstance(maker, Function):
        return {}
    loose = lift_way(context, record, target, replace(lifting.way, numbers=frozenset(numbers)))
    if loose is None or loose.problem is not None or len(loose.values) != len(lifting.values):
        used = {n.id for n in ast.walk(maker.node) if isinstance(n, ast.Name)}
    else:
        used = _inputs_used(loose)
    return {n: str(maker.defaults[n].entry) for n in numbers if n in used - _inputs_used(lifting)}


def _inputs_used(lifting: Lifting) -> set[str]:
    """The names of the inputs on which what a function returns depends."""
    scope = lifting.interpreter.scope
    arrays = [a for v in lifting.values or (lifting.value,) for a in arrays_in(v, set())]
    return {scope.inputs[h].name for a in arrays for h in heads_of(a, scope) if h in scope.inputs}


def interpreter_for(context: Context, record: Record, library: str) -> Interpreter:
    """An interpreter of its own for a function, where the program has all its values."""
    base = context.program.interpreter
    scope = Scope(copy.deepcopy(base.scope.sizes), dict(base.scope.inputs), library)
    scope.names, scope.folds = base.scope.names, dict(base.scope.folds)
    interpreter = Interpreter(scope, base.module, base.size_names, block=record.block)
    interpreter.unfinished = base.unfinished
    interpreter.tracing = record.name
    return interpreter


def _run(context: Context, record: Record, target: Target | None, way: Way) -> Lifting | None:
    mode, value = way.mode, record.value
    interpreter = interpreter_for(context, record, way.library)
    scope = interpreter.scope
    interpreter.is_given, interpreter.given_inside = context.symbols.may_be_given, way.given
    try:
        function, given = entry_point(interpreter, value, numbers_of_object(context, interpreter, value, target, way))
    except NotLifted as problem:
        return Lifting(interpreter, None, {}, problem) if mode == "plain" else None
    started = {f"{n}.{state}" for n in object_of(function, given) for state in states_of(function)}
    interpreter.records = [r for r in interpreter.records if r.name not in started and not _is_number(r.value)]
    interpreter.free_inside = way.free
    late = rebound_global(context, function)
    if late is not None:
        several = NotLifted(f"{late} is given several values: which one {function.name} reads depends on the call")
        return Lifting(interpreter, None, {}, several) if mode == "plain" else None
    if mode.endswith("declared") and (target is None or not context.symbols.ties_lengths(target)):
        return None
    if mode in ("each", "row") and (target is None or member_index(target) is None):
        names = [a.arg for a in function.node.args.args] if mode == "each" and target is not None else []
        if target is None or not any(context.symbols.member_of_rule(n, target) for n in names):
            return None
    step = step_of(context.symbols, target, opened=STEPS[mode]) if mode in STEPS and target is not None else None
    bound, parameters, missing, changed, places = bind_parameters(
        context, interpreter, function, given, target, way, step
    )
    if mode != "plain" and not changed:
        return None
    if mode.startswith("batch") and not fits_calls(context, record.name, function, bound):
        return None
    axes = {s for v in bound.values() for a in arrays_in(v, set()) for s in a.shape}
    fields = [n for n in fields_without_default(value) if n in bound] if given else []
    kept = {n: bound.pop(n, None) for n in dict.fromkeys((*states_of(function), *fields))} if given else {}
    first_call, any_value = put_in_states(interpreter, given, kept)
    try:
        result = call_function(interpreter, function, given, bound, lend=False)
    except NotLifted as problem:
        failed = interpreter.placed(problem, function.node)
        return Lifting(interpreter, None, parameters, failed, tuple(missing), places=places)
    except Exception as error:  # noqa: BLE001 - a bug of ours costs one function, and is reported as what it is
        bug = NotLifted(f"internal error in lifting: {error!r}", code="internal")
        failed = interpreter.placed(bug, function.node)
        return Lifting(interpreter, None, parameters, failed, tuple(missing), places=places)
    if isinstance(result, Struct):
        result = result.items
    values: tuple[Value, ...] = ()
    if isinstance(result, (tuple, list)) and result:
        values, result = tuple(result), result[0]
    names = [t.name for t in target.definitions[0].tensors] if target is not None else []
    by_position = sum(not any(same_name(scope.inputs[h].name, n) for n in names) for h in parameters) > 1
    forced = len({scope.sizes.resolve(s) for s in axes}) < len(axes)
    shared = (*missing, *states_used(scope, values or (result,), any_value)), by_position
    made = Lifting(interpreter, result, parameters, None, *shared, forced=forced, places=places, values=values)
    return replace(made, first_call=first_call)


def _is_number(value: Value) -> bool:
    """Whether an object is made with a number under a name, `self.m = 0.0`: it is nothing that is computed."""
    return isinstance(value, Array) and not value.rank and isinstance(value.entry, Number)


def entry_point(
    interpreter: Interpreter, value: Value, numbers: Mapping[str, Value] | None = None
) -> tuple[Function, list[Value]]:
    """A function, or the forward of an object that is made with symbolic sizes, and with the `numbers` of an equation."""
    if isinstance(value, Function):
        return value, []
    maker = value.member("__init__")
    named: dict[str, Value] = {}
    if isinstance(maker, Function):
        a = maker.node.args
        for arg in [*a.args[1:], *a.kwonlyargs]:
            length = length_by_default(maker, arg.arg)
            if length is not None:
                named[arg.arg] = scalar(interpreter.scope.sizes.name(arg.arg, length))
            elif is_generator(maker.node, arg.arg):
                named[arg.arg] = Module(GENERATOR)
            elif arg.arg not in maker.defaults:
                settings = is_settings(maker.node, arg.arg)
                named[arg.arg] = Settings() if settings else scalar(interpreter.scope.sizes.name(arg.arg))
    for n in fields_without_default(value):
        named[n] = Unlifted(NotLifted(f"the document gives no shape for the field {n}"))
    made = instantiate(interpreter, value, [], {**named, **(numbers or {})})
    if value.entry is None:
        raise NotLifted(f"{value.name} has no {value.method or 'forward'}")
    return value.entry, [made]


def entry_of(value: Value) -> ast.AST | None:
    """The code of a function, or of what an object of a class does when it is called."""
    if isinstance(value, Function):
        return value.node
    return value.entry.node if isinstance(value, Class) and value.entry is not None else None


def fits_calls(context: Context, name: str, f: Function, bound: Mapping[str, Value]) -> bool:
    """Whether parameters have as many axes as where the document calls the function; True when that is not known."""
    known = context.program.interpreter.module.names
    plain = [a.arg for a in (*f.node.args.posonlyargs, *f.node.args.args) if a.arg != "self"]
    for tree in context.program.trees.values():
        for n in ast.walk(tree):
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == name:
                pairs = [*zip(plain, n.args, strict=False), *((k.arg or "", k.value) for k in n.keywords)]
                ranks = [
                    (own.rank, value.rank)
                    for parameter, given in pairs
                    if isinstance(given, ast.Name)
                    and isinstance(own := bound.get(parameter), Array)
                    and isinstance(value := known.get(given.id), Array)
                ]
                if ranks:
                    return all(a == b for a, b in ranks)
    return True


def rebound_global(context: Context, f: Function) -> str | None:
    """A global of the module that a function reads and that has several values."""
    base = context.program.interpreter
    stored = {n.id for n in ast.walk(f.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own = {a.arg for a in ast.walk(f.node) if isinstance(a, ast.arg)} | stored
    for n in ast.walk(f.node):
        if isinstance(n, ast.Name) and n.id not in own and base.versions.get(n.id, 0) > 1:
            if not isinstance(base.module.names.get(n.id), Module):
                return n.id
    return None
