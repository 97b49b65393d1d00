"""Values of the interpreter that are no arrays: modules, functions, classes, objects, ranges, and their scopes."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from derivations.language.term import Index
from derivations.lifting.loops.generic_round import Loop, Written
from derivations.lifting.operations.table import Value
from derivations.lifting.symbolic.arrays import Array, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope


@dataclass(frozen=True)
class Module:
    """A dotted name that was imported, or something inside it: `torch.nn.functional.softmax`."""

    path: str


@dataclass(eq=False)
class Env:
    """Names and values of one function call, class or module."""

    names: dict[str, Value] = field(default_factory=dict)
    parent: Env | None = None
    borrowed: frozenset[int] = frozenset()
    """Memory that belongs to the caller: writing into it is refused."""
    owner: Class | None = None
    """The class whose method is called."""
    complete: bool = False
    """Whether no name has a value that is not found here, not even the usual names of libraries."""
    local: frozenset[str] = frozenset()
    """The names that a function stores, which are its own from its first line on."""
    inner: bool = False
    """Whether it is the scope of a comprehension, whose walruses store into the one around."""

    def holds(self, name: str) -> bool:
        return name in self.names

    def find(self, name: str) -> Env | None:
        env: Env | None = self
        while env is not None and not env.holds(name):
            env = None if name in env.local else env.parent
        return env

    @property
    def outermost(self) -> Env:
        env = self
        while env.parent is not None:
            env = env.parent
        return env


@dataclass(eq=False)
class Function:
    """A `def` or `lambda` of the document with the scope it was made in."""

    name: str
    node: ast.FunctionDef | ast.Lambda
    env: Env
    defaults: Mapping[str, Value] = field(default_factory=dict)
    owner: Class | None = None


@dataclass(frozen=True, eq=False)
class Field:
    """A field of a class that only has fields, with what it is when the class is not given it."""

    name: str
    default: Value = None
    factory: Value = None
    has_default: bool = False


@dataclass(eq=False)
class Class:
    """A class of the document."""

    name: str
    node: ast.ClassDef
    members: Env
    bases: tuple[Value, ...] = ()
    fields: list[Field] | None = None
    """Set when its arguments are its fields."""
    packed: bool = False
    """Whether its objects are tuples."""
    method: str | None = None
    """The method that is looked at in its place; None: what its objects do when they are called."""

    @property
    def entry(self) -> Function | None:
        """The method that is looked at, or what the objects do when they are called."""
        names = ("forward", "__call__") if self.method is None else (self.method,)
        return next((m for n in names if isinstance(m := self.member(n), Function)), None)

    def member(self, name: str) -> Value:
        if name in self.members.names:
            return self.members.names[name]
        for base in self.bases:
            if isinstance(base, Class):
                found = base.member(name)
                if found is not None:
                    return found
        return None


@dataclass(eq=False)
class Instance:
    """An object of a class of the document."""

    cls: Class
    attributes: dict[str, Value] = field(default_factory=dict)
    born: tuple[int, int] = (0, 0)
    """How many loops and branches were open when it was made: it is changed there only."""


@dataclass(frozen=True, eq=False)
class Bound:
    """A method with its object, or `super()`'s view of one."""

    function: Value
    instance: Value


@dataclass(frozen=True, eq=False)
class Method:
    """A method of an array, a list or text, before the call."""

    receiver: Value
    name: str
    node: ast.expr | None = None


@dataclass(eq=False)
class Settings:
    """A configuration that a class is given: every entry (`config.n_embd`, `cfg["emb_dim"]`) is a size of that name."""

    def entry(self, scope: Scope, name: str) -> Array:
        return scalar(scope.sizes.name(name))


@dataclass(frozen=True)
class Super:
    """`super()` inside a method."""

    instance: Instance
    owner: Class


@dataclass(frozen=True)
class Range:
    """`range(low, high, step)`; `width` instead of `step` where that is a symbol."""

    low: Index
    high: Index
    step: int = 1
    width: Index | None = None


@dataclass(frozen=True, eq=False)
class Pairs:
    """`enumerate(x)` and `zip(x, y)`: several iterables at once; None stands for the position."""

    parts: tuple[Value, ...]
    start: int = 0


@dataclass(eq=False)
class Members:
    """A list of layers or objects, one for each round of a loop: the one of a generic round."""

    template: Value
    loop: Loop


@dataclass(eq=False)
class Pending:
    """An array that a loop writes into."""

    before: Array
    writes: list[Written] = field(default_factory=list)
    level: int = 0


@dataclass(eq=False)
class Accumulator:
    """A number or array that a loop adds to."""

    before: Value
    terms: list[Array] = field(default_factory=list)
    level: int = 0


@dataclass(eq=False)
class Bag:
    """The values of a comprehension over several symbolic ranges, or with a condition: it can only be added up."""

    array: Array
    loops: tuple[Loop, ...]
    filtered: bool = False


@dataclass(eq=False)
class Growing:
    """A list that a loop appends to."""

    before: list[Value]
    items: list[Value] = field(default_factory=list)
    level: int = 0


@dataclass
class Return:
    """The end of a function call."""

    value: Value


class Continue:
    """The end of one round of a loop."""


CONTINUE = Continue()


class Carried(NotLifted):
    """A name whose value one round of a loop hands to the next was read."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"the loop carries {name} from one round to the next, in a way that is not taken over", code="loop-carried"
        )


class Changed(Carried):
    """An object that was made before a loop, or before one of its branches, is changed inside."""

    def __init__(self, owner: Instance) -> None:
        super().__init__(f"an object of {owner.cls.name}")
        self.owner = owner


def carried(name: str) -> Carried:
    return Carried(name)
