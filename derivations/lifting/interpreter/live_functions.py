"""Functions of the running process, as they are when they are lifted.

The source of a function says what it does only where it is the source of the code that runs, and its names are what they
are by now: after `a += 1`, `globals()["a"] = 2`, `torch.softmax = mine` or `f = wrapper(f)` a module holds something else
than its assignments say.  So the source of one function is compared with its code object, and every other name is looked up
in the process.  Nothing is run.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import inspect
import math
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from derivations.language.term import NegInfinity, Number
from derivations.lifting.interpreter import built_in, calls
from derivations.lifting.operations.all_operations import BY_NAME
from derivations.lifting.operations.table import INFINITY, Unlifted, Value
from derivations.lifting.symbolic.arrays import scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.values import layers, records
from derivations.lifting.values.python_values import Class, Env, Field, Function, Module

if TYPE_CHECKING:
    from derivations.lifting.interpreter.interpret import Interpreter

_FUTURE = 0
for _name in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _name).compiler_flag
MAX_PARTS = 4096
"""Numbers in the lists and dictionaries around a function; more are refused."""
_GRADIENTS = frozenset({"no_grad", "inference_mode", "enable_grad", "set_grad_enabled"})
"""Contexts of torch that change no number."""
_GENERATED = frozenset({"_fields", "_field_defaults", "_make", "_replace", "_asdict", "_abc_impl"})
"""Attributes that Python itself adds to a class."""


@dataclass(eq=False)
class Surroundings(Env):
    """The names that a function of the process sees: its closure, its module and Python's own, as they are now."""

    process: Process | None = None
    cells: dict[str, Any] = field(default_factory=dict)
    module: dict[str, Any] = field(default_factory=dict)

    def holds(self, name: str) -> bool:
        if name not in self.names and self.process is not None:
            found = self.process.look_up(name, self)
            if found is not None:
                self.names[name] = found[0]
        return name in self.names


class Process:
    """The values of the running process as values of an interpreter."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.made: dict[int, tuple[Any, Value]] = {}
        """By identity, with the object itself, which keeps its identity from being given away."""
        self.parts = 0
        self.library = _by_identity()
        interpreter.check_library = require_own

    def function(self, f: Callable[..., Any]) -> Function:
        """A function made by `def`; refuses what is wrapped, bound, or not what its source says."""
        found = self.value(_without_gradient_mode(f))
        if isinstance(found, Unlifted):
            raise found.problem
        if not isinstance(found, Function):
            raise NotLifted(f"needed a function made by def, found {_kind(f)}")
        return found

    def look_up(self, name: str, around: Surroundings) -> tuple[Value] | None:
        if name in around.cells:
            try:
                return (self.value(around.cells[name].cell_contents, name),)
            except ValueError:  # a cell that is not filled yet
                return None
        if name in around.module:
            return (self.value(around.module[name], name),)
        found = vars(builtins).get(name, self)
        return None if found is self else (self.value(found, name),)

    def value(self, v: Any, name: str = "") -> Value:
        """What the interpreter takes a value for; `Unlifted` for one that it does not know."""
        if id(v) not in self.made:
            try:
                made = self._value(v)
            except NotLifted as problem:
                said = f"{name} is now {_kind(v)}" if name else _kind(v)
                made = Unlifted(NotLifted(f"{said}: {problem.reason}", code=problem.code))
            self.made[id(v)] = (v, made)
        return self.made[id(v)][1]

    def _value(self, v: Any) -> Value:
        self.parts += 1
        if self.parts > MAX_PARTS:
            raise NotLifted("too many numbers around the function", code="too-large")
        kind = type(v)
        if v is None or kind in (bool, str):
            return v
        if kind is int:
            return scalar(v)
        if kind is float:
            return self._float(v)
        if kind in (tuple, list):
            return kind([self._part(x) for x in v])
        if kind is dict and all(type(k) is str for k in v):
            return {k: self._part(x) for k, x in v.items()}
        if isinstance(v, ModuleType):
            if sys.modules.get(v.__name__) is not v:
                raise NotLifted(f"it is not the module {v.__name__} that is imported")
            return Module(calls.canonical(v.__name__))
        if id(v) in self.library:
            return Module(calls.canonical(self.library[id(v)]))
        if kind.__module__ == "torch" and kind.__name__ == "dtype":
            return Module(str(v))
        if isinstance(v, FunctionType):
            return self._function(v)
        if isinstance(v, type):
            return self._class(v)
        raise NotLifted("only numbers, text, lists of these, functions, classes and modules around a function are read")

    def _part(self, v: Any) -> Value:
        found = self.value(v)
        if isinstance(found, Unlifted):
            raise found.problem
        return found

    def _float(self, v: float) -> Value:
        if math.isnan(v):
            raise NotLifted("it is not a number")
        if math.isinf(v):
            return INFINITY if v > 0 else scalar(NegInfinity())
        return self.interpreter.scope.constant("pi") if v == math.pi else scalar(Number(Fraction(repr(v))))

    # --- functions --------------------------------------------------------------------------------------------------

    def _function(self, f: FunctionType, owner: Class | None = None) -> Function:
        node = source_of(f)
        cells = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))
        env = Surroundings(complete=True, process=self, cells=cells, module=f.__globals__)
        made = Function(node.name, node, env, {}, owner)
        self.made[id(f)] = (f, made)  # a function may use its own name
        plain = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
        given = f.__defaults__ or ()
        defaults = {**dict(zip(plain[len(plain) - len(given) :], given, strict=True)), **(f.__kwdefaults__ or {})}
        made.defaults = {k: self.value(v, f"the default of {k}") for k, v in defaults.items()}
        return made

    # --- classes ----------------------------------------------------------------------------------------------------

    def _class(self, cls: type) -> Class:
        """A class whose methods are what its source says; what its body computes is what its attributes are now."""
        node = _class_source(cls)
        module = getattr(sys.modules.get(cls.__module__), "__dict__", {})
        env = Surroundings(complete=True, process=self, module=module)
        made = calls.make_class(self.interpreter, node, env)
        self.made[id(cls)] = (cls, made)
        written = {n for s in node.body for n in _named_by(s)}
        for name, v in vars(cls).items():
            if isinstance(v, staticmethod):
                v = v.__func__
            if isinstance(v, FunctionType) and name in written:
                made.members.names[name] = self._function(v, made)
            elif name in written and name in made.members.names:
                made.members.names[name] = self.value(v, f"{cls.__name__}.{name}")
            elif not name.startswith("__") and name not in _GENERATED and name not in written:
                raise NotLifted(f"its attribute {name} is not in its source")
            elif isinstance(v, FunctionType) and made.fields is None:
                raise NotLifted(f"its method {name} is not in its source")
        gone = [n for n in written if n in made.members.names and n not in vars(cls)]
        if gone:
            raise NotLifted(f"its attribute {gone[0]} was deleted")
        if made.fields is not None:
            made.fields = [self._field(f, cls) for f in made.fields]
        return made

    def _field(self, f: Field, cls: type) -> Field:
        """A field with the default that it was made with."""
        own = getattr(cls, "__dataclass_fields__", {}).get(f.name)
        defaults = getattr(cls, "_field_defaults", {})
        if f.factory is not None or not f.has_default:
            return f
        if own is None and f.name not in defaults:
            raise NotLifted(f"the field {f.name} is not in its source")
        value = self.value(own.default if own is not None else defaults[f.name], f"the field {f.name}")
        return Field(f.name, value, has_default=True)


def _named_by(s: ast.stmt) -> list[str]:
    if isinstance(s, (ast.FunctionDef, ast.ClassDef)):
        return [s.name]
    if isinstance(s, ast.Assign):
        return [t.id for t in s.targets if isinstance(t, ast.Name)]
    return [s.target.id] if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name) else []


def _kind(v: Any) -> str:
    name = getattr(v, "__qualname__", None) or getattr(v, "__name__", None)
    return f"a {type(v).__name__}" + (f" ({name})" if isinstance(name, str) else "")


# --- the source of what runs ----------------------------------------------------------------------------------------


def source_of(f: FunctionType) -> ast.FunctionDef:
    """The definition whose code a function runs; refuses one that has no source, or another one by now."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(f.__code__)))
        lines, _ = inspect.findsource(f.__code__)
        compiled = _compiled("".join(lines), f.__code__.co_flags & _FUTURE)
    except (OSError, TypeError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotLifted(f"the source of {f.__qualname__} cannot be read: {error}") from None
    node = tree.body[0] if len(tree.body) == 1 else None
    if not isinstance(node, ast.FunctionDef):
        raise NotLifted("needed a function made by def")
    if not any(same_code(c, f.__code__) for c in compiled if c.co_firstlineno == f.__code__.co_firstlineno):
        raise NotLifted(
            f"what runs as {f.__qualname__} is not what its source says at line {f.__code__.co_firstlineno}: "
            "the file was changed, or the code was rewritten, after it was imported"
        )
    return node


@lru_cache(maxsize=64)
def _compiled(text: str, flags: int) -> tuple[CodeType, ...]:
    """The code of all functions of a file: compiled, never run."""
    found = [compile(text, "<source>", "exec", flags=flags, dont_inherit=True)]
    for code in found:
        found += [c for c in code.co_consts if isinstance(c, CodeType)]
    return tuple(found)


def same_code(a: CodeType, b: CodeType) -> bool:
    """Whether two code objects do the same, wherever they stand.

    >>> f, g, h = (lambda x: x + 1), (lambda x: x + 1), (lambda x: x + 2)
    >>> same_code(f.__code__, g.__code__), same_code(f.__code__, h.__code__)
    (True, False)
    """
    for name in ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount", "co_name"):
        if getattr(a, name) != getattr(b, name):
            return False
    if (a.co_kwonlyargcount, a.co_posonlyargcount) != (b.co_kwonlyargcount, b.co_posonlyargcount):
        return False
    if a.co_flags != b.co_flags:
        return False
    return len(a.co_consts) == len(b.co_consts) and all(map(_same_constant, a.co_consts, b.co_consts))


def _same_constant(a: Any, b: Any) -> bool:
    if isinstance(a, CodeType) and isinstance(b, CodeType):
        return same_code(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same_constant, a, b))
    return type(a) is type(b) and repr(a) == repr(b)  # 0.0 is not -0.0, 1 is not True


def _class_source(cls: type) -> ast.ClassDef:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError, SyntaxError, ValueError) as error:
        raise NotLifted(f"its source cannot be read: {error}") from None
    node = tree.body[0] if len(tree.body) == 1 else None
    if not isinstance(node, ast.ClassDef) or node.name != cls.__name__ or type(cls) is not type:
        raise NotLifted("needed a class made by class, without a metaclass")
    bases = [b.__name__ for b in cls.__bases__ if b is not object]
    written = [ast.unparse(b).split(".")[-1] for b in node.bases]
    if bases != [b for b in written if b != "object"] and not (bases == ["tuple"] and written == ["NamedTuple"]):
        raise NotLifted("its bases are not those of its source")
    return node


def _without_gradient_mode(f: Any) -> Any:
    """The function inside `@torch.no_grad()`, which changes no number; any other wrapper is what runs."""
    code = getattr(f, "__code__", None)
    while code is not None and code.co_name == "decorate_context" and _inside(code.co_filename, "torch"):
        cells = dict(zip(code.co_freevars, f.__closure__ or (), strict=True))
        context = getattr(cells["ctx_factory"].cell_contents, "__self__", None) if "ctx_factory" in cells else None
        mode = type(context)
        if mode.__module__ != "torch.autograd.grad_mode" or mode.__name__ not in _GRADIENTS or "func" not in cells:
            break
        f = cells["func"].cell_contents
        code = getattr(f, "__code__", None)
    return f


# --- libraries ------------------------------------------------------------------------------------------------------


def _by_identity() -> dict[int, str]:
    """What the tables speak of, by the identity of the object that the process has under that name."""
    names = [n for n in BY_NAME if not n.startswith((".", "rng.", "builtins."))]
    names += [f"torch.nn.{k}" for k in layers.LAYERS] + [f"builtins.{n}" for n in built_in.NAMES]
    names += ["torch.nn.Module", "torch.Tensor", "numpy.ndarray", *calls.NO_EFFECT]
    names += [records.DATACLASS, records.FIELD, records.NAMED, records.PLAIN, records.SIMPLE, "dataclasses.replace"]
    found: dict[int, str] = {}
    for name in names:
        v = _resolved(name)
        if v is not None and _is_own(name, v):
            found.setdefault(id(v), name)
    return found


def _resolved(path: str) -> Any:
    """The object of a dotted name in the process; None where its library is not imported."""
    root, *rest = path.split(".")
    v: Any = sys.modules.get(root)
    for name in rest:
        v = getattr(v, name, None)
    return v


def require_own(path: str) -> None:
    """Refuse what a library has under a name by now, when it is not the library's own."""
    v = _resolved(path)
    if v is not None and callable(v) and not _is_own(path, v):
        raise NotLifted(f"{path} is now {_kind(v)}, not what the library makes it")


def _is_own(path: str, v: Any) -> bool:
    """Whether an object is what a library itself has under a name."""
    parts = path.split(".")
    made = getattr(v, "__func__", v)
    if isinstance(made, FunctionType) and not _inside(made.__code__.co_filename, parts[0]):
        return False
    if isinstance(v, type) and v.__module__.split(".")[0] not in (parts[0], "builtins"):
        return False
    name = getattr(v, "__name__", None)
    row = BY_NAME.get(path)
    known = {parts[-1], "_".join(parts[-2:]), *(n.split(".")[-1] for n in (row.names if row is not None else ()))}
    return isinstance(name, str) and name.strip("_").replace("_", "") in {n.strip("_").replace("_", "") for n in known}


def _inside(filename: str, library: str) -> bool:
    """Whether a file is one of a library that is imported."""
    module = sys.modules.get(library)
    spec = getattr(module, "__spec__", None)
    origin = getattr(spec, "origin", None)
    if not isinstance(origin, str):
        return False
    home, file = Path(origin), Path(filename)
    return file == home or (home.name == "__init__.py" and home.parent in file.parents)


__all__ = ["Process", "Surroundings", "require_own", "same_code", "source_of"]
