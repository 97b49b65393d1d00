"""Calls and attributes: rows of the operation table, the document's own functions and classes, a few built-ins."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from derivations.language.term import Entry, NegInfinity
from derivations.lifting.interpreter import built_in, python_methods
from derivations.lifting.loops import rounds
from derivations.lifting.loops.generic_round import Loop, abstracted
from derivations.lifting.operations import all_operations, making
from derivations.lifting.operations.indexing import subscript
from derivations.lifting.operations.number_types import cast, named_type, require_fit, type_of
from derivations.lifting.operations.shaping import product, swap, transposed
from derivations.lifting.operations.table import INFINITY, Stacked, Struct, Text, Unlifted, Value, array, describe
from derivations.lifting.symbolic.arrays import Array, constant_of, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.values import layers
from derivations.lifting.values.layers import Layer
from derivations.lifting.values.python_values import (
    Bound,
    Class,
    Env,
    Function,
    Instance,
    Method,
    Module,
    Return,
    Settings,
    Super,
)
from derivations.lifting.values.records import (
    NAMED,
    PLAIN,
    SIMPLE,
    fields,
    filled_in,
    is_dataclass,
    named_tuple,
    replaced,
)

if TYPE_CHECKING:
    from derivations.lifting.interpreter.interpret import Interpreter

NO_EFFECT = frozenset(
    {
        "builtins.print",
        "torch.manual_seed",
        "numpy.random.seed",
        "random.seed",
        "torch.set_printoptions",
        "torch.cuda.manual_seed",
    }
    | {"numpy.set_printoptions", "warnings.filterwarnings", "torch.set_default_dtype", "super.nothing"}
    | {"torch.random.manual_seed", "torch.cuda.manual_seed_all", "IPython.display.display"}
)
"""Calls that change no value that is computed with."""
SMALL_NAMES = frozenset({"eps", "epsilon", "eps_", "variance_epsilon"})
"""Parameters that guard against a division by zero."""
CONSTANTS: Mapping[str, Value] = {
    "numpy.inf": INFINITY,
    "torch.inf": INFINITY,
    "math.inf": INFINITY,
    "numpy.Inf": INFINITY,
    "numpy.newaxis": None,
    "numpy.NINF": scalar(NegInfinity()),
}
SAME_MODULE = frozenset({"eval", "train", "to", "cuda", "cpu", "float", "double", "requires_grad_"})
"""Methods of modules and layers that return the module."""
CASTS = frozenset({".astype", ".to", ".type", ".type_as", "numpy.asarray", "numpy.ascontiguousarray"})
MOVES = frozenset({"unsqueeze", "squeeze", "t", "transpose", "swapaxes", "swapdims"})
"""Methods in place that give an array other axes."""
PI = frozenset({"math.pi", "numpy.pi", "torch.pi"})
_CANONICAL = (("jax.numpy", "numpy"), ("torch.functional", "torch"), ("torch.special", "torch"))


def canonical(path: str) -> str:
    """One name for modules that are known by several."""
    for other, name in _CANONICAL:
        if path == other or path.startswith(other + "."):
            return name + path[len(other) :]
    return path


def is_modelled(path: str) -> bool:
    """Whether a dotted name of a library is, or holds, something that the tables speak of."""
    names = (*all_operations.BY_NAME, *(f"torch.nn.{k}" for k in layers.LAYERS), *CONSTANTS, *PI)
    classes = ("torch.Tensor", "numpy.ndarray", "torch.nn.Module")
    return any(n == path or n.startswith(f"{path}.") for n in names) or path.startswith(classes)


def operation(i: Interpreter, name: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    i.scope.spend()
    library = next((v.library for v in given if isinstance(v, Array) and v.library), i.scope.library)
    if (library if name.startswith(".") else name.split(".")[0]) in i.patched:
        raise NotLifted(f"the code gives names of the library another meaning, so {name} is not followed")
    result = all_operations.call(i.scope, name, [_plain(v) for v in given], {k: _plain(v) for k, v in named.items()})
    kinds = [*given[1:], *named.values()] if name in CASTS else [named.get("dtype")]
    for kind in filter(None, map(_number_type, kinds)):
        if isinstance(result, Array):
            result = cast(i.scope, result, kind)
    return result


def _number_type(kind: Value) -> str | None:
    """The type of numbers that an argument names: a dtype, its name, or an array of that type."""
    if isinstance(kind, Array) and kind.rank:
        return type_of(kind)
    text = kind.path if isinstance(kind, Module) else kind
    return named_type(text) if isinstance(text, str) else None


def language_operation(i: Interpreter, name: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """An operation that Python itself writes (`@`, `abs`, `sum`): its result is of the library of its arguments."""
    result = operation(i, name, given, named)
    items = [x for v in given for x in (v if isinstance(v, (list, tuple)) else (v,))]
    library = next((v.library for v in items if isinstance(v, Array) and v.library), "")
    return replace(result, library=library) if isinstance(result, Array) else result


def _plain(v: Value) -> Value:
    if isinstance(v, Unlifted):
        raise v.problem
    return v


# --- attributes -----------------------------------------------------------------------------------------------------


def attribute(i: Interpreter, base: Value, name: str, node: ast.expr) -> Value:
    if isinstance(base, Module):
        path = canonical(f"{base.path}.{name}")
        if i.check_library is not None:
            i.check_library(f"{base.path}.{name}")
        if path in CONSTANTS:
            return CONSTANTS[path]
        if path in PI:
            return i.scope.constant("pi")
        return Module(path)
    if isinstance(base, Array):
        return _array_attribute(i, base, name, node)
    if isinstance(base, Struct):
        if name in base.parts and base.parts[name] is not None:
            return base.parts[name]
        raise NotLifted(f"the part {name} of a result")
    if isinstance(base, Instance):
        if name in base.attributes:
            found = base.attributes[name]
            if isinstance(found, Unlifted):
                raise found.problem
            return found
        member = base.cls.member(name)
        if isinstance(member, Function):
            return Bound(member, base)
        if member is not None:
            return member
        if base.cls.packed and name == "_replace":
            return Bound(Module("dataclasses.replace"), base)
        if _is_module(base.cls):
            return Bound(Module(f"module.{name}"), base)
        raise NotLifted(f"the object has no attribute {name}", code="undefined-name")
    if isinstance(base, Super):
        for parent in base.owner.bases:
            if isinstance(parent, Class) and parent.member(name) is not None:
                return Bound(parent.member(name), base.instance)
        if any(not isinstance(parent, Class) for parent in base.owner.bases) and _is_module(base.owner):
            return Bound(Module(f"module.{name}"), base.instance)
        return Module("super.nothing")
    if isinstance(base, Layer):
        return Bound(Module(f"module.{name}"), base) if name in SAME_MODULE else base.attribute(i, name)
    if isinstance(base, Settings):
        return base.entry(i.scope, name)
    if isinstance(base, Class):
        member = base.member(name)
        if member is not None:
            return member
    if isinstance(base, (list, tuple, dict, str, Text, Stacked)):
        return Method(base, name, node)
    raise NotLifted(f"the attribute {name} of {describe(base)}")


def _array_attribute(i: Interpreter, a: Array, name: str, node: ast.expr) -> Value:
    if name == "T":
        return transposed(i.scope, a)
    if name == "mT":
        return swap(i.scope, a, scalar(-1), scalar(-2))
    if name == "shape":
        return tuple(scalar(s) for s in i.scope.shape(a))
    if name == "ndim":
        return scalar(a.rank)
    if name == "size" and a.library == "numpy":
        return scalar(product(i.scope.shape(a)))
    if name in ("data", "real"):
        return a
    if name == "dtype":
        return Module(f"tensor.{type_of(a)}")
    if name == "device":
        return Module("tensor.device")
    return Method(a, name, node)


def _is_module(cls: Class) -> bool:
    return any(isinstance(b, Module) or (isinstance(b, Class) and _is_module(b)) for b in cls.bases)


# --- functions and classes ------------------------------------------------------------------------------------------


def function(i: Interpreter, node: ast.FunctionDef | ast.Lambda, env: Env, owner: Class | None = None) -> Function:
    """A function value; decorators are not applied, defaults are values of the scope it is made in."""
    if isinstance(node, ast.FunctionDef) and i.unfinished is not None and i.unfinished(i.block, node):
        problem = i.placed(NotLifted(f"{node.name} is not finished", code="unfinished"), node)
        return Function(node.name, node, env, {"*": Unlifted(problem)})
    if (
        isinstance(node, ast.FunctionDef)
        and node.decorator_list
        and not all(map(_harmless_decorator, node.decorator_list))
    ):
        problem = i.placed(NotLifted("a decorator may change what the function does"), node.decorator_list[0])
        return Function(node.name, node, env, {"*": Unlifted(problem)})
    defaults: dict[str, Value] = {}
    a = node.args
    plain = [*a.posonlyargs, *a.args]
    pairs = [*zip(plain[len(plain) - len(a.defaults) :], a.defaults, strict=True)]
    pairs += [(k, d) for k, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None]
    for arg, default in pairs:
        try:
            defaults[arg.arg] = i.value(default, env)
        except NotLifted as problem:
            defaults[arg.arg] = Unlifted(problem)
    return Function(node.name if isinstance(node, ast.FunctionDef) else "lambda", node, env, defaults, owner)


def _harmless_decorator(d: ast.expr) -> bool:
    """Decorators that only switch gradients off or mark a method."""
    text = ast.unparse(d)
    return text in ("staticmethod", "torch.no_grad()", "torch.inference_mode()", "torch.jit.script", "property_")


def make_class(i: Interpreter, node: ast.ClassDef, env: Env) -> Class:
    members = Env(parent=env)
    bases = []
    for b in node.bases:
        try:
            bases.append(i.value(b, env))
        except NotLifted as problem:
            bases.append(Unlifted(problem))
    made = Class(node.name, node, members, tuple(bases))
    data = is_dataclass(node, lambda e: i.value(e, env)) if node.decorator_list else False
    if (node.decorator_list and not data) or node.keywords:
        raise NotLifted("a class with decorators or keywords")
    made.packed = Module(NAMED) in bases
    if data or made.packed:
        made.fields = fields(made, node, lambda e: i.value(e, env))
    for s in node.body:
        if isinstance(s, ast.FunctionDef):
            members.names[s.name] = function(i, s, env, made)
        elif isinstance(s, ast.Assign) and all(isinstance(t, ast.Name) for t in s.targets):
            for t in s.targets:
                members.names[t.id] = i.value(s.value, members)  # type: ignore[attr-defined]
    return made


def arguments(i: Interpreter, f: Function, given: Sequence[Value], named: Mapping[str, Value]) -> dict[str, Value]:
    """The parameters of a call; what is missing takes its default."""
    a = f.node.args
    plain = [x.arg for x in (*a.posonlyargs, *a.args)]
    if "*" in f.defaults:
        raise f.defaults["*"].problem
    bound: dict[str, Value] = dict(zip(plain, given, strict=False))
    rest = list(given[len(plain) :])
    if a.vararg is not None:
        bound[a.vararg.arg] = tuple(rest)
    elif rest:
        raise NotLifted(f"{f.name} is called with too many arguments")
    extra: dict[str, Value] = {}
    for k, v in named.items():
        if k in plain or k in [x.arg for x in a.kwonlyargs]:
            if k in bound:
                raise NotLifted(f"{f.name} is given {k} twice")
            bound[k] = v
        elif a.kwarg is not None:
            extra[k] = v
        else:
            raise NotLifted(f"{f.name} has no parameter {k}")
    if a.kwarg is not None:
        bound[a.kwarg.arg] = extra
    for name in [*plain, *(x.arg for x in a.kwonlyargs)]:
        if name not in bound:
            if name not in f.defaults:
                raise NotLifted(f"{f.name} needs the argument {name}")
            default = f.defaults[name]
            bound[name] = i.scope.guarding(default, is_default=True) if name in SMALL_NAMES else default
    return bound


def own_names(node: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """The names that a function stores: they are its own, also before they have a value."""
    return frozenset() if isinstance(node, ast.Lambda) else names_stored(node.body)


def names_stored(body: Sequence[ast.stmt]) -> frozenset[str]:
    """The names to which statements give or take a value, in the scope that they stand in."""
    found: set[str] = set()
    outside: set[str] = set()
    todo: list[ast.AST] = list(body)
    while todo:
        n = todo.pop()
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load):
            found.add(n.id)
        elif isinstance(n, (ast.FunctionDef, ast.ClassDef)):
            found.add(n.name)
            continue
        elif isinstance(n, ast.alias):
            found.add((n.asname or n.name).split(".")[0])
        elif isinstance(n, (ast.Global, ast.Nonlocal)):
            outside |= set(n.names)
        elif isinstance(n, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and n.name is not None:
            found.add(n.name)
        elif isinstance(n, ast.MatchMapping) and n.rest is not None:
            found.add(n.rest)
        if isinstance(n, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):  # a scope of its own
            found |= {x.target.id for x in ast.walk(n) if isinstance(x, ast.NamedExpr)}
        elif not isinstance(n, ast.Lambda):
            todo += ast.iter_child_nodes(n)
    return frozenset(found - outside)


def call_function(
    i: Interpreter, f: Function, given: Sequence[Value], named: Mapping[str, Value], *, lend: bool = True
) -> Value:
    """Run a function of the document on symbolic values."""
    from derivations.lifting.interpreter.interpret import MAX_CALLS

    if i.depth >= MAX_CALLS:
        raise NotLifted(f"calls nested deeper than {MAX_CALLS}", code="work-limit")
    bound = arguments(i, f, given, named)
    for name, v in bound.items():
        i.christen(name, v)
        if (number := constant_of(v)) is not None:
            i.numbers_given.setdefault(name, set()).add(number)
    tokens = frozenset(id(v.token) for v in bound.values() if isinstance(v, Array)) if lend else frozenset()
    env = Env(bound, f.env, tokens, f.owner, local=own_names(f.node))
    base = i.base
    i.depth, i.base = i.depth + 1, len(i.loops)
    i.frames.append(env)
    try:
        if isinstance(f.node, ast.Lambda):
            return i.value(f.node.body, env)
        result = i.block_of(f.node.body, env)
        return result.value if isinstance(result, Return) else None
    finally:
        i.depth, i.base = i.depth - 1, base
        i.frames.pop()


GENERATOR = "rng"
"""What a source of random numbers is called in the table of operations."""


def instantiate(i: Interpreter, cls: Class, given: Sequence[Value], named: Mapping[str, Value]) -> Instance:
    made = Instance(cls, {}, i.now)
    maker = cls.member("__init__")
    if isinstance(maker, Function):
        call_function(i, maker, [made, *given], named)
    elif cls.fields is not None:
        made = filled_in(cls, given, named, lambda factory: apply(i, factory, [], {}))
        made.born = i.now
        after = cls.member("__post_init__")
        if isinstance(after, Function):
            call_function(i, after, [made], {})
    elif given or named:
        raise NotLifted(f"{cls.name} is made with arguments, but has no __init__")
    return made


# --- calls ----------------------------------------------------------------------------------------------------------


def call(i: Interpreter, node: ast.Call, env: Env) -> Value:
    callee = i.value(node.func, env)
    if isinstance(callee, Module) and (callee.path in NO_EFFECT or callee.path.startswith("matplotlib.")):
        for a in (*node.args, *(k.value for k in node.keywords)):
            i.passed_over(a, env)
        return None
    if isinstance(callee, Module) and callee.path == "builtins.super":
        return _super(env)
    given: list[Value] = []
    for a in node.args:
        if isinstance(a, ast.Starred):
            v = i.value(a.value, env)
            if not isinstance(v, (tuple, list)):
                raise NotLifted("* on something that is no list")
            given += v
        else:
            given.append(i.value(a, env))
    named: dict[str, Value] = {}
    for k in node.keywords:
        if k.arg is None:
            v = i.value(k.value, env)
            if not isinstance(v, dict):
                raise NotLifted("** on something that is no dictionary")
            named.update(v)
        else:
            named[k.arg] = i.value(k.value, env)
    if callee == Module("numpy.fill_diagonal") and len(given) == 2 and not named:
        return _in_place(i, Method(array(given[0]), "fill_diagonal_", node.args[0]), given[1:], {}, env)
    if isinstance(callee, Method) and isinstance(callee.receiver, Array):
        return array_method(i, callee, given, named, env)
    if isinstance(callee, Method) and isinstance(node.func, ast.Attribute):
        return python_methods.method(i, callee, given, named)
    return apply(i, callee, given, named)


def apply(i: Interpreter, callee: Value, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """The result of calling a value."""
    if isinstance(callee, Function):
        return call_function(i, callee, given, named)
    if isinstance(callee, Bound):
        if isinstance(callee.function, Function):
            static = any(ast.unparse(d) == "staticmethod" for d in getattr(callee.function.node, "decorator_list", ()))
            return call_function(i, callee.function, given if static else [callee.instance, *given], named)
        if callee.function == Module("dataclasses.replace"):
            return replaced([callee.instance, *given], named)
        return _module_method(i, callee, given)
    if isinstance(callee, Class):
        return instantiate(i, callee, given, named)
    if isinstance(callee, Instance):
        for name in ("__call__", "forward"):
            member = callee.cls.member(name)
            if isinstance(member, Function):
                return call_function(i, member, [callee, *given], named)
        raise NotLifted(f"an object of {callee.cls.name} is called, but has no forward")
    if isinstance(callee, Layer):
        return callee.apply(i, given)
    if isinstance(callee, Method):
        return python_methods.method(i, callee, given, named)
    if isinstance(callee, Module):
        return _module_call(i, callee.path, given, named)
    raise NotLifted(f"{describe(callee)} is called")


def _module_call(i: Interpreter, path: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    if path.startswith("torch.nn.init."):
        return _started(i, given)
    if path in NO_EFFECT:
        return None
    kind = path.removeprefix("torch.nn.")
    if path.startswith("torch.nn.") and kind in layers.LAYERS:
        return layers.make(i, kind, given, named)
    if path.startswith("builtins."):
        return built_in.call(i, path.removeprefix("builtins."), given, named)
    if path in ("numpy.random.default_rng", "numpy.random.RandomState", "torch.Generator"):
        return Module(GENERATOR)
    if path == PLAIN:
        return named_tuple(given, named)
    if path == SIMPLE and not given:
        return Instance(Class("SimpleNamespace", _NO_CLASS, Env()), dict(named), i.now)
    if path == "dataclasses.replace":
        return replaced(given, named)
    if path == "numpy.apply_along_axis":
        words = dict(zip(("func1d", "axis", "arr"), given, strict=False))
        if len(given) > 3 or words.keys() & named.keys() or {*words, *named} != {"func1d", "axis", "arr"}:
            raise NotLifted("apply_along_axis is read with a function, an axis and an array")
        words |= named
        return _along(i, words["func1d"], words["axis"], words["arr"])
    if path.startswith("rng.") and path.removeprefix("rng.") in ("randn", "rand"):
        path = f"numpy.random.{path.removeprefix('rng.')}"
    return operation(i, path, given, named)


def _started(i: Interpreter, given: Sequence[Value]) -> Value:
    """`nn.init.zeros_(weight)`: what weights start from is not read; any other array would change."""
    a = given[0] if given else None
    head = a.entry.name if isinstance(a, Array) and isinstance(a.entry, Entry) else ""
    known = i.scope.inputs.get(head)
    if (
        isinstance(a, Array)
        and head != making.UNINITIALISED
        and (known is None or known.origin not in ("layer", "random"))
    ):
        raise NotLifted("an array that is no parameter of a layer gets new numbers")
    return a


_NO_CLASS = ast.ClassDef(name="SimpleNamespace", bases=[], keywords=[], body=[], decorator_list=[])


def _along(i: Interpreter, f: Value, axis: Value, x: Value) -> Value:
    """numpy.apply_along_axis for a matrix: the function sees one row or column, for a generic position."""
    a = array(x)
    k = i.scope.axis(a, axis)
    if a.rank != 2:
        raise NotLifted("apply_along_axis on an array that is no matrix")
    other = a if k == 1 else transposed(i.scope, a)
    v = i.scope.variable("i")
    loop = Loop(min(v.free), i.scope.sizes.resolve(other.shape[0]))
    i.loops.append(loop)
    i.bodies.append([])
    known = len(i.scope.facts)
    i.scope.facts += loop.range
    try:
        row = array(apply(i, f, [subscript(i.scope, other, scalar(v))], {}))
    finally:
        i.loops.pop()
        i.bodies.pop()
        del i.scope.facts[known:]
    made = abstracted(i.scope, row, loop)
    return transposed(i.scope, made) if k == 0 and made.rank == 2 else made


def _super(env: Env) -> Super:
    scope: Env | None = env
    while scope is not None:
        own = next(iter(scope.names.values()), None)
        if scope.owner is not None and isinstance(own, Instance):
            return Super(own, scope.owner)
        scope = scope.parent
    raise NotLifted("super() outside a method")


def _module_method(i: Interpreter, callee: Bound, given: Sequence[Value]) -> Value:
    """Methods that every torch.nn.Module has."""
    name = callee.function.path.removeprefix("module.") if isinstance(callee.function, Module) else ""
    if name in SAME_MODULE:
        return callee.instance
    if name == "register_buffer" and len(given) >= 2 and isinstance(given[0], str):
        i.christen(given[0], given[1])
        callee.instance.attributes[given[0]] = given[1]
        return None
    if name == "register_parameter" and len(given) >= 2 and isinstance(given[0], str):
        i.christen(given[0], given[1])
        callee.instance.attributes[given[0]] = given[1]
        return None
    if name in ("__init__", "apply", "post_init"):  # apply sets what weights start from
        return None
    raise NotLifted(f"the method {name} of a module")


def array_method(i: Interpreter, m: Method, given: Sequence[Value], named: Mapping[str, Value], env: Env) -> Value:
    a = m.receiver
    assert_array(a)
    library = a.library or i.scope.library
    if i.check_library is not None:
        i.check_library(f"torch.Tensor.{m.name}" if library == "torch" else f"numpy.ndarray.{m.name}")
    if m.name.endswith("_") and not m.name.endswith("__") and m.name != "requires_grad_":
        return _in_place(i, m, given, named, env)
    if m.name == "size" and not given and not named and library == "numpy":
        raise NotLifted("size of a NumPy array is no method")
    if f".{m.name}" not in all_operations.BY_NAME:
        raise NotLifted(f"the method {m.name} is not in the table", code="unknown-operation")
    return operation(i, f".{m.name}", [a if a.library else replace(a, library=library), *given], named)


def assert_array(a: Value) -> None:
    if not isinstance(a, Array):
        raise NotLifted("needed an array")


def _in_place(i: Interpreter, m: Method, given: Sequence[Value], named: Mapping[str, Value], env: Env) -> Value:
    """`x.masked_fill_(...)`: the result takes the place of the variable."""
    a: Any = m.receiver if m.receiver.library else replace(m.receiver, library=i.scope.library)
    if not isinstance(m.node, ast.Name):
        raise NotLifted(f"{m.name} on something that is no variable")
    name = m.node.id
    where = env.find(name)
    if where is None or a.view or i.loops or i.path or i.shared(a, name, env):
        raise NotLifted(f"{name} is changed in place, where another name may share its memory")
    if any(id(a.token) in e.borrowed for e in rounds.chain(env)):
        raise NotLifted(f"the function changes its argument {name} in place")
    if m.name in ("zero_", "fill_", "copy_"):
        new = scalar(0) if m.name == "zero_" else given[0]
        made: Any = i.scope.elementwise("fill", lambda _, v: v, a, array(new))
        if len(given) != (m.name != "zero_") or named or made.rank != a.rank:
            raise NotLifted(f"{m.name} with other arguments than what is filled in")
    elif f".{m.name[:-1]}" in all_operations.BY_NAME:
        made = operation(i, f".{m.name[:-1]}", [a, *given], named)
    else:
        raise NotLifted(f"the method {m.name} is not in the table", code="unknown-operation")
    if m.name[:-1] not in MOVES and (made.rank != a.rank or not all(map(i.scope.sizes.same, made.shape, a.shape))):
        raise NotLifted(f"{m.name} gives an array of another shape", code="shape-conflict")
    require_fit(a, made)
    made = replace(made, token=a.token, numbers="whole" if a.whole else a.numbers)
    where.names[name] = made
    return made


def is_harmless_context(i: Interpreter, item: ast.withitem, env: Env) -> bool:
    """`with torch.no_grad():` and the like."""
    return item.optional_vars is None and ast.unparse(item.context_expr) in (
        "torch.no_grad()",
        "torch.inference_mode()",
        "torch.set_grad_enabled(False)",
        "np.errstate(divide='ignore')",
        "np.printoptions(precision=3)",
    )
