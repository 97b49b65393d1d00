"""What the parameters of a function, and the states and fields of its object, are bound to before it is run: arrays of the
shapes of the symbols that they are called after."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace

from derivations.code.compare.code_side import EACH
from derivations.code.compare.document_symbols import Target
from derivations.code.compare.recurrence_steps import Step, step_of
from derivations.code.judgement_context import Context, Way, heads_of
from derivations.code.kept_states import counted_on, states_of
from derivations.code.matching import (
    head_of,
    index_parameter,
    is_generator,
    length_by_default,
    matched_names,
)
from derivations.code.parameter_bundles import Bundle, bundles_in, with_names_for_members
from derivations.code.parameter_names import may_be_called, roles_in
from derivations.code.program import names_used_as_sizes
from derivations.language.term import Index, within
from derivations.latex.syntax.letters import is_upper
from derivations.lifting.interpreter.calls import GENERATOR
from derivations.lifting.interpreter.held_values import arrays_in
from derivations.lifting.interpreter.interpret import Interpreter
from derivations.lifting.operations.table import Unlifted, Value
from derivations.lifting.symbolic.arrays import Array, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.values.python_values import Class, Function, Instance, Module
from derivations.notes import Note

STEPS = {"step": True, "late step": False, "batch step": True, "batch late step": False}
"""The modes of one step of a recurrence: whether the states that it needs are those before it."""


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
    numbers = [n for n in numbers_by_default(f) if n in names and _is_number_of(context, n, block, target, way)]
    loose = {n: scope.given((), n, "parameter") for n in names if n in way.numbers and n not in numbers}
    drawing = {n: Module(GENERATOR) for n in names if n not in f.defaults and is_generator(f.node, n)}
    bundles = {n: b for n, b in bundles_of(context, f, target, block).items() if n in names}
    inside = [m for b in bundles.values() for m in b.members]
    required = [n for n in names if (n not in f.defaults and n not in drawing) or n in numbers]
    known_states = [] if not given else _states_with_symbols(context, f, given[0], target, block, step)
    required = [*(n for n in required if n not in bundles), *inside, *known_states]
    tensors = target.definitions[0].tensors if target is not None else ()
    matched = matched_names(required, [t.name for t in tensors])
    sizes = context.symbols.size_names()
    own_parts = {n: Bundle("attribute", ()) for n in object_of(f, given)}
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
    of_object = {n: _partner(context, n, block, under, way) for n in numbers_by_default(f.owner) if given}
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


def numbers_by_default(value: Value, *, whole: bool = False) -> list[str]:
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


def fields_without_default(value: Value) -> list[str]:
    """The fields that an object of a class of fields is always made with."""
    has_maker = isinstance(value, Class) and isinstance(value.member("__init__"), Function)
    fields = value.fields or () if isinstance(value, Class) and not has_maker else ()
    return [f.name for f in fields if not f.has_default]


def object_of(f: Function, given: Sequence[Value]) -> list[str]:
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
    fields = fields_without_default(owner.cls) if isinstance(owner, Instance) else []
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


def bundles_of(context: Context, value: Value, target: Target | None, block: int) -> dict[str, Bundle]:
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
    whole = numbers_by_default(maker, whole=True)
    numbers = [n for n in whole if _is_number_of(context, n, interpreter.block, target, way)]
    numbers += [n for n in numbers_by_default(maker) if n in way.numbers and n not in numbers]
    made: dict[str, Value] = {n: scope.given((), n, "parameter") for n in numbers}
    for n, listed in lists_by_default(context, value, target).items():
        made[n] = tuple(scope.given((), m, "parameter") for m in listed)
    return made


def lists_by_default(context: Context, value: Value, target: Target | None) -> dict[str, tuple[str, ...]]:
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
    """Whether a parameter is a number that the equation rests on, which a call may give any value; without an equation, one
    that the document has."""
    if target is None:
        named = _partner(context, name, block, frozenset(), way)
        return named is not None and not named[1]
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
