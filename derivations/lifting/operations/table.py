"""What a row of the operation tables is, and how the arguments of a call are bound to it.

Adding an operation is adding one row; its `examples` are compared with the real operation by the test over all rows.
The names in examples stand for inputs of these shapes: x, z (n, m); y (m, p); u, v (m,); s (n, n); b (q, n, m);
c (q, m, p); h (q, m); t (n,), whole numbers from 0 to m - 1.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from derivations.language.term import Index
from derivations.lifting.symbolic.arrays import Array, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope

Value = Any
"""A value of the interpreter: an `Array` (numbers are arrays of rank 0), or None, bool, str, tuple, list, dict, ..."""

IGNORED = frozenset(
    {"dtype", "device", "requires_grad", "generator", "layout", "pin_memory", "memory_format", "non_blocking"}
    | {"copy", "optimize", "training", "stacklevel", "_stacklevel"}
)
"""Arguments that do not change which real numbers come out (casts round; rounding is not modelled here)."""
HARMLESS: Mapping[str, tuple[Value, ...]] = {"order": ("C", None), "inplace": (False,), "out": (None,)}
"""Arguments that change nothing when they have one of these values."""
ALIASES = {
    "axis": "dim",
    "keepdims": "keepdim",
    "input": "x",
    "a": "x",
    "tensor": "x",
    "other": "y",
    "size": "shape",
    "negative_slope": "slope",
    "axes": "dims",
    "num": "steps",
    "a_min": "min",
    "a_max": "max",
    "split_size_or_sections": "sizes",
    "indices_or_sections": "chunks",
}


@dataclass(frozen=True)
class Op:
    """One operation: its names, its arguments, what it means, where it is defined, and its source.

    Names are dotted (`torch.softmax`, `numpy.exp`), those of methods begin with a dot.  Arguments are written as in a
    signature: `dim=None`, `*shape`; `**sizes` takes all other named arguments.
    """

    names: tuple[str, ...]
    args: tuple[str, ...]
    build: Callable[..., Value]
    examples: tuple[str, ...] = ()
    source: str = ""
    defined: str = ""
    """Where it is defined, when that is not everywhere."""


def op(names: str, args: str, build: Callable[..., Value], *examples: str, source: str = "", defined: str = "") -> Op:
    """A row from text: names and arguments are separated by spaces."""
    return Op(tuple(names.split()), tuple(args.split()), build, examples, source or names.split()[0], defined)


@dataclass
class Struct:
    """A result with named parts: `x.max(dim=0).values`."""

    parts: Mapping[str, Value]

    @property
    def items(self) -> tuple[Value, ...]:
        return tuple(self.parts.values())


@dataclass(eq=False)
class Stacked:
    """A list of symbolic length: the array of its elements along a new first axis."""

    array: Array


class Text:
    """Text that is put together while the code runs: what it says is not followed."""


class Infinity:
    """Plus infinity; only its negative is a score."""


INFINITY = Infinity()


@dataclass(eq=False)
class Unlifted:
    """A value that could not be taken over; using it raises the reason."""

    problem: NotLifted
    names: frozenset[str] = field(default_factory=frozenset)


def bind(row: Op, given: Sequence[Value], named: Mapping[str, Value]) -> dict[str, Value]:
    """The arguments of a call by parameter; refuses arguments that the row does not know."""
    bound: dict[str, Value] = {}
    rest = list(given)
    free = next((a[2:] for a in row.args if a.startswith("**") and a != "**"), None)
    known = {a.split("=")[0] for a in row.args}
    named = {(k if k in known or free is not None else ALIASES.get(k, k)): v for k, v in named.items()}
    if "**" in row.args:
        return {"x": given[0] if given else None}
    for arg in row.args:
        name, _, default = arg.partition("=")
        if arg.startswith("**"):
            bound[arg[2:]], named = dict(named), {}
        elif name.startswith("*"):
            name = name[1:]
            packed = rest[0] if len(rest) == 1 and isinstance(rest[0], (tuple, list, Struct)) else rest
            bound[name] = (
                named.pop(name) if name in named else list(packed.items if isinstance(packed, Struct) else packed)
            )
            rest = []
        elif rest:
            bound[name] = rest.pop(0)
        elif name in named:
            bound[name] = named.pop(name)
        elif default:
            value = ast.literal_eval(default)
            bound[name] = scalar(value) if isinstance(value, int) and not isinstance(value, bool) else value
        else:
            raise NotLifted(f"{row.names[0]} needs the argument {name}")
    unknown = [k for k in named if k not in IGNORED and not (k in HARMLESS and named[k] in HARMLESS[k])]
    if rest or unknown:
        raise NotLifted(
            f"{row.names[0]} is called with {'the argument ' + unknown[0] if unknown else 'too many arguments'}"
        )
    return bound


def integer(value: Value, what: str = "an integer") -> Index:
    """An integer or a size."""
    if isinstance(value, bool):
        return Index.of(int(value))
    if isinstance(value, int):
        return Index.of(value)
    if isinstance(value, Index):
        return value
    if isinstance(value, Array) and value.rank == 0 and isinstance(value.entry, Index):
        return value.entry
    raise NotLifted(f"needed {what}, found {describe(value)}")


def constant(value: Value, what: str = "a known integer") -> int:
    i = integer(value, what)
    if not i.is_constant:
        raise NotLifted(f"needed {what}, found {i}")
    return i.const


def array(value: Value) -> Array:
    """A value as an array."""
    if isinstance(value, Array):
        return value
    if isinstance(value, Stacked):
        return value.array
    if isinstance(value, Unlifted):
        raise value.problem
    if isinstance(value, bool):
        return scalar(((),) if value else ())
    if isinstance(value, Infinity):
        raise NotLifted("plus infinity is not a real number")
    raise NotLifted(f"needed an array or a number, found {describe(value)}")


def describe(value: Value) -> str:
    if isinstance(value, Array):
        return f"an array of shape ({', '.join(map(str, value.shape))})" if value.rank else str(value.entry)
    if isinstance(value, Unlifted):
        return f"a value that was not taken over ({value.problem.reason})"
    return f"{value!r}" if isinstance(value, str | bool | None) else f"a {type(value).__name__}"


def dims(scope: Scope, a: Array, value: Value) -> list[int]:
    """Axis numbers from None (all), one number, or a tuple."""
    if value is None:
        return list(range(a.rank))
    found = [scope.axis(a, v) for v in value] if isinstance(value, (tuple, list)) else [scope.axis(a, value)]
    if len(set(found)) != len(found):
        raise NotLifted("an axis is named twice", code="shape-conflict")
    return sorted(found)
