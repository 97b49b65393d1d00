"""Functions and classes of a document, run on symbolic parameters of the shapes that the document gives."""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from derivations.code.compare.code_side import EACH
from derivations.code.compare.document_symbols import Target, member_index
from derivations.code.compare.recurrence_steps import Step, step_of
from derivations.code.judgement_context import Context, Lifting, Way, heads_of
from derivations.code.kept_states import counted_on, states_of
from derivations.code.matching import (
    head_of,
    index_parameter,
    is_generator,
    is_settings,
    length_by_default,
    matched_names,
    same_name,
)
from derivations.code.parameter_bundles import Bundle, bundles_in, with_names_for_members
from derivations.code.parameter_names import MAX_ASSIGNMENTS, may_be_called, roles_in
from derivations.code.program import names_used_as_sizes
from derivations.code.said_axes import said_axes
from derivations.language.term import Index, Number, within
from derivations.latex.syntax.letters import is_upper
from derivations.lifting.interpreter.calls import GENERATOR, call_function, instantiate
from derivations.lifting.interpreter.held_values import arrays_in
from derivations.lifting.interpreter.interpret import Interpreter, Record
from derivations.lifting.interpreter.library import libraries
from derivations.lifting.operations.table import Struct, Unlifted, Value
from derivations.lifting.symbolic.arrays import Array, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.values.python_values import Class, Function, Instance, Module, Settings
from derivations.notes import Note

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
STEPS = {"step": True, "late step": False, "batch step": True, "batch late step": False}
"""The modes of one step of a recurrence: whether the states that it needs are those before it."""
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
    inside = [m for b in _bundles(context, record.value, target, record.block).values() for m in b.members]
    if isinstance(record.value, Class) and record.value.entry is not None:
        inside += [*states_of(record.value.entry), *_numbers_by_default(record.value)]
        inside += [m for own in _lists_by_default(context, record.value, target).values() for m in own]
    named = [*(a.arg for a in ast.walk(entry.args) if isinstance(a, ast.arg)), *inside]
    partners = {n: context.symbols.partner(n, record.block, under) for n in named}
    entries = {n: t for n in partners if (t := context.symbols.numbered_entry(n, target.head)) is not None}
    taken = {p[0] for p in partners.values() if p is not None} | {t.name for t in entries.values()}
    stored = {n.id for n in ast.walk(entry) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    taken |= {p[0] for n in stored if (p := context.symbols.partner(n, record.block, under)) is not None}
    missing = tuple(n for n in missing if n not in counted and n not in entries)
    numbers = [n for n in _numbers_by_default(record.value) if partners.get(n) is None and n not in entries]
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
    defaults = [*_numbers_by_default(value), *(_numbers_by_default(value.entry) if isinstance(value, Class) else ())]
    partners = {n: context.symbols.partner(n, record.block, under) for n in defaults}
    unnamed = [n for n in defaults if partners[n] is None and context.symbols.numbered_entry(n, target.head) is None]
    nodes = [n for n in (record.node, getattr(value, "node", None)) if n is not None]
    named = {a.arg for node in nodes for a in ast.walk(node) if isinstance(a, ast.arg)}
    had = {p[0] for n in named if (p := context.symbols.partner(n, record.block, under)) is not None}
    starts = context.symbols.starts_under(target.head)
    written = (h for h in context.symbols.written_in(target.head) if h not in starts)
    numbers = [h for h in written if h in context.symbols.theory.tensors and not context.symbols.shape(h)]
    return next((h.split("#")[0] for h in numbers if h not in had), None) if unnamed else None


def _numbers_by_default(value: Value, *, whole: bool = False) -> list[str]:
    """The parameters of a function that are numbers, and no lengths, where the call does not say otherwise: `lr=1e-3`.

    With `whole`, also `alpha=16`, which is no length where nothing is made with it.
    """
    maker = value.member("__init__") if isinstance(value, Class) else value
    if not isinstance(maker, Function):
        return []
    used = names_used_as_sizes(maker.node)
    defaults = maker.defaults.items()
    return [
        n
        for n, d in defaults
        if n not in used and isinstance(d, Array) and not d.rank and (whole or not isinstance(d.entry, Index))
    ]


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
    numbers = _numbers_by_default(record.value)
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
    started = {f"{n}.{state}" for n in _object_of(function, given) for state in states_of(function)}
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
    fields = [n for n in _fields_without_default(value) if n in bound] if given else []
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
    for n in _fields_without_default(value):
        named[n] = Unlifted(NotLifted(f"the document gives no shape for the field {n}"))
    made = instantiate(interpreter, value, [], {**named, **(numbers or {})})
    if value.entry is None:
        raise NotLifted(f"{value.name} has no {value.method or 'forward'}")
    return value.entry, [made]


def _fields_without_default(value: Value) -> list[str]:
    """The fields that an object of a class of fields is always made with."""
    has_maker = isinstance(value, Class) and isinstance(value.member("__init__"), Function)
    fields = value.fields or () if isinstance(value, Class) and not has_maker else ()
    return [f.name for f in fields if not f.has_default]


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


def bind_parameters(
    context: Context,
    interpreter: Interpreter,
    f: Function,
    given: Sequence[Value],
    target: Target | None,
    way: Way,
    step: Step | None = None,
) -> tuple[dict[str, Value], dict[str, int], list[str], bool, dict[str, Index]]:
    """A symbolic value for each parameter, which of them are the definition's own, which the document does not name,
    whether the way makes a difference, and the places of the members that a step is given."""
    scope, mode, block = interpreter.scope, way.mode, interpreter.block
    a = f.node.args
    names = [x.arg for x in (*a.posonlyargs, *a.args)][len(given) :] + [x.arg for x in a.kwonlyargs]
    under = context.symbols.under(target.head) if target is not None else frozenset()
    numbers = [n for n in _numbers_by_default(f) if n in names and _is_number_of(context, n, block, target, way)]
    loose = {n: scope.given((), n, "parameter") for n in names if n in way.numbers and n not in numbers}
    drawing = {n: Module(GENERATOR) for n in names if n not in f.defaults and is_generator(f.node, n)}
    bundles = {n: b for n, b in _bundles(context, f, target, block).items() if n in names}
    inside = [m for b in bundles.values() for m in b.members]
    required = [n for n in names if (n not in f.defaults and n not in drawing) or n in numbers]
    known_states = [] if not given else _states_with_symbols(context, f, given[0], target, block, step)
    required = [*(n for n in required if n not in bundles), *inside, *known_states]
    tensors = target.definitions[0].tensors if target is not None else ()
    matched = matched_names(required, [t.name for t in tensors])
    sizes = context.symbols.size_names()
    own_parts = {n: Bundle("attribute", ()) for n in _object_of(f, given)}
    tree = with_names_for_members(f, {**bundles, **own_parts})
    used = names_used_as_sizes(with_names_for_members(f, bundles) if bundles else f.node)
    lengths = {n: k for n in names if n in used and (k := length_by_default(f, n)) is not None}
    bound: dict[str, Value] = {n: scalar(scope.sizes.name(n, k)) for n, k in lengths.items()} | drawing | loose
    own: dict[str, int] = {}
    missing: list[str] = []
    changed = False
    first = True
    told = context.symbols.sizes_given(target.head) if target is not None else frozenset()
    shared: dict[tuple[Index, bool], Index] = {}

    def axis(size: Index, argument: bool) -> Index:
        """The size of an axis: parameters have equal ones where the document gives them equal ones."""
        if len(size.terms) != 1 or len(size.sizes) != 1:
            return scope.sizes.fresh("n")
        key = (size, argument and not size.sizes <= told)
        if key not in shared:
            shared[key] = scope.sizes.fresh("n")
        return shared[key]

    member = index_parameter(f, required) if mode == "each" else None
    partners = {n: _partner(context, n, block, under, way) for n in required if n not in matched}
    rest = [k for k in range(len(tensors)) if k not in matched.values()]
    unnamed = [n for n in partners if partners[n] is None and n not in sizes and n not in used]
    if target is not None and len(rest) == len(unnamed):  # by elimination, or in their order
        roles = roles_in(context.symbols, target)
        pairs = dict(zip(unnamed, rest, strict=True))
        if len(pairs) == 1 or all(may_be_called(n, tensors[k].name, roles) for n, k in pairs.items()):
            matched |= pairs
    of_object = {n: _partner(context, n, block, under, way) for n in _numbers_by_default(f.owner) if given}
    given_symbols = {p[0] for p in (*partners.values(), *of_object.values()) if p is not None}
    places = step.places(given_symbols) if step is not None else {}
    is_late = not STEPS.get(mode, True) and bool(way.free)
    opened = step_of(context.symbols, target) if is_late and target is not None else None
    others = opened.places(given_symbols) if opened is not None else {}
    given_places: dict[str, Index] = {}
    leads: list[Index] = []
    indices = {v for t in ((target,) if target is not None else context.symbols.targets) for v in t.index_names}
    for name in required:
        is_counter = step is not None and name == step.index and (partners.get(name) or (name,))[0] not in under
        if is_counter and step is not None and target is not None:
            bound[name], changed = _number_of_step(tree, name, step, target, given), True
            continue
        if name == member and target is not None:
            scope.facts += within(EACH, 0, axis(target.shape[0], False))
            bound[name], changed = scalar(Index.var(EACH)), True
            continue
        shape: tuple[Index, ...] | None = None
        is_index = False
        partner = None
        if name in matched:
            shape = tensors[matched[name]].shape
            if mode.endswith("declared"):
                shape = context.symbols.declared_shape(tensors[matched[name]]) or shape
        else:
            partner = partners[name]
            shape = None if partner is None else partner[1]
            if partner is None and target is not None and mode == "each" and member is None:
                of_rule = context.symbols.member_of_rule(name, target)
                shape, changed = (of_rule[2], True) if of_rule is not None else (None, changed)
            if shape is None and target is not None and context.symbols.numbered_entry(name, target.head) is not None:
                shape = ()
            is_index = shape is None and step is None and name in indices
            shape = () if is_index else shape
        if not shape and not is_index:
            if name in sizes or name in used:
                bound[name] = scalar(scope.sizes.name(name))
                continue
        if shape is None:
            missing.append(name)
            bound[name] = Unlifted(NotLifted(f"the document gives no shape for the parameter {name}"))
            continue
        axes = [axis(s, name in matched) for s in shape]
        changed = changed or (mode == "declared" and name in matched and shape is not tensors[matched[name]].shape)
        if mode in ("each", "row") and member is None and target is not None and partner is not None:
            if is_row(target, name, *partner) if mode == "row" else is_family(target, *partner):
                axes, changed = axes[1:], True
        is_member = partner is not None and partner[0] in (own_places := {**others, **places})
        if is_member and partner is not None:
            given_places[partner[0]] = own_places[partner[0]]
            axes, changed = axes[1:], True
        if mode == "side by side" and len(shape) == 3 and name not in matched:
            axes, changed = [axes[1], scope.sizes.fresh("n")], True
        if mode == "column" and len(axes) == 1:
            axes, changed = [*axes, Index.of(1)], True
        if mode in STEPS and way.mode.startswith("batch"):
            more = int(is_member)
        else:
            more = _leading_axes(way, name, len(shape), first, is_index)
        if more:
            own_lead = leads[:more] if is_index else []  # there is one class for each row that is given
            leads = own_lead or [scope.sizes.fresh("b") for _ in range(more)]
            axes, changed = [*leads, *axes], True
        first = False
        made = scope.given(axes, name, "parameter")
        bound[name] = made
        if name in matched:
            own[head_of(made)] = matched[name]
    for name, bundle in bundles.items():
        bound[name] = bundle.made_of([bound.pop(m) for m in bundle.members])
    return bound, own, missing, changed, given_places


def _object_of(f: Function, given: Sequence[Value]) -> list[str]:
    """What a method calls its object."""
    return [a.arg for a in f.node.args.args[:1]] if given else []


def _states_with_symbols(
    context: Context, f: Function, owner: Value, target: Target | None, block: int, step: Step | None
) -> list[str]:
    """The states of an object that symbols are called after, or that count the steps."""
    attributes = owner.attributes if isinstance(owner, Instance) else {}
    under = context.symbols.under(target.head) if target is not None else frozenset()
    named = {a.arg for a in ast.walk(f.node.args) if isinstance(a, ast.arg)}
    states = [n for n in states_of(f) if n not in named and isinstance(attributes.get(n, ""), (Array, type(None)))]
    fields = _fields_without_default(owner.cls) if isinstance(owner, Instance) else []
    states += [n for n in fields if n not in named and n not in states]
    is_count = step.index if step is not None else None
    return [n for n in states if n == is_count or context.symbols.partner(n, block, under) is not None]


def _number_of_step(tree: ast.AST, name: str, step: Step, target: Target, given: Sequence[Value]) -> Value:
    """The number of the step that a function computes, or the number before it where the function raises it."""
    base = target.finding.bases.get(f"{target.stem}@0", target.finding.bases.get(target.stem, 1))
    number = step.place.substitute({step.index: Index.var(EACH)}) + base
    start = given[0].attributes.get(name) if given and isinstance(given[0], Instance) else None
    if isinstance(start, Array) and isinstance(start.entry, Index) and start.entry.is_constant:
        return scalar(number - base - step.place.const + start.entry)  # as often raised as there were steps
    raised = counted_on(tree, name)
    if raised is None:
        return Unlifted(NotLifted(f"the number {name} of the step gets another value"))
    return scalar(number - raised)


def _bundles(context: Context, value: Value, target: Target | None, block: int) -> dict[str, Bundle]:
    """The parameters of a function that hold several arrays, and that no symbol is called after.

    One with a default is the numbers that it holds by default, where each of them is a number of the equation.
    """
    f = value.entry if isinstance(value, Class) else value
    if not isinstance(f, Function):
        return {}
    under = context.symbols.under(target.head) if target is not None else frozenset()
    names = [a.arg for a in ast.walk(f.node.args) if isinstance(a, ast.arg) and a.arg != "self"]
    names = [n for n in names if context.symbols.partner(n, block, under) is None]
    found = bundles_in(f, names, context.program.interpreter.module.names.get)
    plain = Way("plain", "")
    kept = {}
    for n, b in found.items():
        listed = numbers_in_list(context, n, len(b.members), target) if b.kind == "tuple" else ()
        is_listed = bool(listed) and not any(context.symbols.partner(m, block, under) for m in b.members)
        own = replace(b, members=listed) if is_listed else b
        default = f.defaults.get(n)
        is_of_numbers = isinstance(default, (tuple, list)) and b.kind == "tuple" and len(default) == len(b.members)
        if n not in f.defaults or (
            is_of_numbers and all(_is_number_of(context, m, block, target, plain) for m in own.members)
        ):
            kept[n] = own
    for n in (n for n in names if n not in kept):
        default = f.defaults.get(n)
        if listed := numbers_in_list(context, n, _count_of_numbers(default), target):
            kept[n] = Bundle("tuple", listed)
    return kept


def numbers_in_list(context: Context, name: str, count: int, target: Target | None) -> tuple[str, ...]:
    """What the numbers of an equation are called that a list holds: `beta1`, `beta2` for `betas`; none of another list."""
    for stem in dict.fromkeys((name, name.removesuffix("s"))) if target is not None and count else ():
        called = tuple(f"{stem}{k}" for k in range(1, count + 1))
        if target is not None and all(context.symbols.numbered_entry(n, target.head) is not None for n in called):
            return called
    return ()


def _count_of_numbers(value: Value) -> int:
    """How many numbers a list holds; none of anything else."""
    is_list = isinstance(value, (tuple, list)) and all(isinstance(v, Array) and not v.rank for v in value)
    return len(value) if is_list else 0


def numbers_of_object(
    context: Context, interpreter: Interpreter, value: Value, target: Target | None, way: Way
) -> dict[str, Value]:
    """What an object is made with that is a number of the equation: any number, and not the one that is usual."""
    maker = value.member("__init__") if isinstance(value, Class) else None
    if not isinstance(maker, Function) or target is None:
        return {}
    scope = interpreter.scope
    whole = _numbers_by_default(maker, whole=True)
    numbers = [n for n in whole if _is_number_of(context, n, interpreter.block, target, way)]
    numbers += [n for n in _numbers_by_default(maker) if n in way.numbers and n not in numbers]
    made: dict[str, Value] = {n: scope.given((), n, "parameter") for n in numbers}
    for n, listed in _lists_by_default(context, value, target).items():
        made[n] = tuple(scope.given((), m, "parameter") for m in listed)
    return made


def _lists_by_default(context: Context, value: Value, target: Target | None) -> dict[str, tuple[str, ...]]:
    """The lists that an object is made with whose numbers are numbers of the equation, and what these are called."""
    maker = value.member("__init__") if isinstance(value, Class) else None
    defaults = maker.defaults.items() if isinstance(maker, Function) else ()
    found = {n: numbers_in_list(context, n, _count_of_numbers(d), target) for n, d in defaults}
    return {n: listed for n, listed in found.items() if listed}


def put_in_states(
    interpreter: Interpreter, given: Sequence[Value], kept: Mapping[str, Value]
) -> tuple[str, dict[str, str]]:
    """Give an object the states that it may have at a call: those that are known, and for other arrays any value.

    One that is None until the first call is what that call has made it, an assumption.

    What is no array is what it is at the first call: the name of one such state, and the inputs that stand for any value.
    """
    first_call = ""
    any_value: dict[str, str] = {}
    owner = given[0] if given else None
    if not isinstance(owner, Instance):
        return first_call, any_value
    for name, value in kept.items():
        before = owner.attributes.get(name)
        if value is None and isinstance(before, Array):
            value = interpreter.scope.given(before.shape, name, "parameter")
            any_value[head_of(value)] = name
        if value is not None:
            if before is None and name in owner.attributes:
                interpreter.scope.assume(Note("later-call", (name,)))
            owner.attributes[name] = value
        elif name in owner.attributes:
            first_call = first_call or name
            interpreter.scope.assume(Note("first-call", (name,)))
    return first_call, any_value


def states_used(scope: Scope, values: Sequence[Value], any_value: Mapping[str, str]) -> list[str]:
    """The states, of which nothing is known, that a value rests on."""
    arrays = [a for v in values for a in arrays_in(v, set())] if any_value else []
    used = frozenset[str]().union(*(heads_of(a, scope) for a in arrays))
    return [name for head, name in any_value.items() if head in used]


def _partner(
    context: Context, name: str, block: int, under: frozenset[str], way: Way
) -> tuple[str, tuple[Index, ...]] | None:
    """The symbol that a parameter stands for, and its shape."""
    if name in way.called:
        shape = context.symbols.shape(way.called[name])
        return way.called[name], shape[:-1] if name in way.rows else shape
    return context.symbols.partner(name, block, under)


def _is_number_of(context: Context, name: str, block: int, target: Target | None, way: Way) -> bool:
    """Whether a parameter is a number that the equation rests on, which a call may give any value."""
    if target is None:
        return False
    under = context.symbols.under(target.head)
    partner = _partner(context, name, block, under, way)
    if partner is None:
        return context.symbols.numbered_entry(name, target.head) is not None
    return partner[0] in under and not partner[1]


def is_family(target: Target, head: str, shape: tuple[Index, ...]) -> bool:
    """Whether a name is that of a family which has a member for each one of a symbol: $W_i^Q$ for $\\text{head}_i$, so that
    code for one head may call its matrix `W_Q`.

    The entries $S_{ij}$ of a matrix, and its rows $x_i$ for the capital X, are no members: a function of the name is one of
    the matrix.
    """
    style = target.finding.styles.get(head, "")
    is_written = style[:1] not in ("", ":") and set(style[1:]) == {":"}
    return is_written and shape[0] is target.shape[0] and (len(shape) > 2 or not is_upper(head))


def is_row(target: Target, name: str, head: str, shape: tuple[Index, ...]) -> bool:
    """Whether a parameter may be a row of a matrix of which a symbol has a row for each one: `x` for the capital X."""
    return len(shape) == 2 and shape[0] is target.shape[0] and is_upper(head) and not is_upper(name)


def _leading_axes(way: Way, name: str, rank: int, first: bool, is_index: bool = False) -> int:
    """How many leading axes a parameter gets that has `rank` axes in the equation; positions get those of all others."""
    if way.mode.startswith("said"):
        return way.more.get(name, max(way.more.values(), default=0) if is_index else 0)
    get_some = {"batch first": first and rank > 0, "batch matrices": rank > 1, "batch all": rank > 0}
    return way.leading if way.mode in get_some and (is_index or get_some[way.mode]) else 0
