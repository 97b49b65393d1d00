"""An interpreter of the Python syntax tree over symbolic arrays.

No code of a document is ever executed: there is no exec, eval or import here, and a call is either a row of the
operation table, a function whose syntax tree is in the document, or refused.  Work is counted; loops over symbolic
ranges run one generic round (`loops`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from derivations.language.substitution import Capture
from derivations.language.term import Entry, Index, Number, TermError
from derivations.lifting.interpreter import built_in, calls
from derivations.lifting.interpreter.augmented_assignments import augment
from derivations.lifting.interpreter.branches import branch, is_unfinished
from derivations.lifting.interpreter.decisions import decide
from derivations.lifting.interpreter.effects_of_code import effects
from derivations.lifting.interpreter.expressions import evaluate
from derivations.lifting.interpreter.held_values import arrays_in, contents
from derivations.lifting.interpreter.self_checks import Compared, check_in
from derivations.lifting.loops import rounds
from derivations.lifting.loops.containers import flat
from derivations.lifting.loops.folds import Folds
from derivations.lifting.loops.generic_round import Loop, as_append, stored_names
from derivations.lifting.loops.sequences import Rows, SoFar
from derivations.lifting.operations import elementwise
from derivations.lifting.operations.indexing import Slice, subscript
from derivations.lifting.operations.table import Struct, Text, Unlifted, Value, array, describe, integer
from derivations.lifting.symbolic.arrays import Array, places, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.symbolic.sizes import Required
from derivations.lifting.symbolic.truth_values import TRUE, Condition
from derivations.lifting.values.layers import Layer
from derivations.lifting.values.python_values import (
    CONTINUE,
    Accumulator,
    Changed,
    Continue,
    Env,
    Growing,
    Instance,
    Members,
    Module,
    Pending,
    Range,
    Return,
    carried,
)
from derivations.lifting.values.records import items as packed
from derivations.notes import Note

MAX_CALLS = 24
"""Nesting of calls of the document's own functions."""


@dataclass(frozen=True)
class Record:
    """A value that was given a name, as `m` or `self.m`: what a document's equation can be compared with."""

    name: str
    value: Value
    node: ast.stmt
    block: int
    function: str | None = None
    known: Mapping[str, Index] = field(default_factory=dict)
    """What was known about sizes when the name got its value."""
    required: tuple[Required, ...] = ()
    assumptions: tuple[Note, ...] = ()


@dataclass
class Interpreter:
    """Runs statements over symbolic values; `size_names` are names whose whole numbers are sizes."""

    scope: Scope = field(default_factory=Scope)
    module: Env = field(default_factory=Env)
    size_names: frozenset[str] = frozenset()
    records: list[Record] = field(default_factory=list)
    asserted: list[ast.Assert] = field(default_factory=list)
    checks: list[Compared] = field(default_factory=list)
    """The results that statements of the module compare, where both are followed."""
    tracing: str | None = None
    block: int = 0
    depth: int = 0
    frames: list[Env] = field(default_factory=list)
    """The names of the functions that run."""
    path: list[Condition] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    bodies: list[list[ast.stmt]] = field(default_factory=list)
    folds: list[Folds] = field(default_factory=list)
    """What the loops that are open hand from round to round."""
    base: int = 0
    """Loops that were open when the function that runs was called."""
    unfinished: Callable[[int, ast.AST], bool] | None = None
    """Whether a function (block, definition) is an exercise that is not solved; calling it is refused."""
    is_given: Callable[[str, int, int], bool] | None = None
    """Whether a variable (name, number of axes, block) of the module is an input, whatever it is computed from."""
    given_inside: bool = False
    """Whether that holds of the variables of the function that is looked at, too."""
    free_inside: frozenset[str] = frozenset()
    """The names of the function that is looked at, and of attributes, that are inputs, whatever it computes them from."""
    numbers_given: dict[str, set[Number]] = field(default_factory=dict)
    """The numbers that calls of functions of the document give to their parameters, by the names of these."""
    versions: dict[str, int] = field(default_factory=dict)
    """How often each name of the module was given a value."""
    patched: set[str] = field(default_factory=set)
    """Libraries in which the code sets something to something else."""
    opaque: bool = False
    """Whether the code may have given any name any value, also the usual names of libraries and Python's own."""
    check_library: Callable[[str], None] | None = None
    """Refuses a name of a library (`torch.softmax`, `torch.Tensor.sum`) under which the process has something else."""

    def __post_init__(self) -> None:
        self.scope.rounds = lambda: self.loops

    @property
    def now(self) -> tuple[int, int]:
        """How many loops and branches are open."""
        return len(self.loops), len(self.path)

    # --- statements -------------------------------------------------------------------------------------------------

    def run(self, body: Sequence[ast.stmt]) -> list[NotLifted]:
        """Module level: a statement that is refused leaves its names without a value, and the rest goes on."""
        problems = []
        for statement in body:
            problem: NotLifted | None = None
            held = self.mutable(statement)
            try:
                self.execute(statement, self.module)
            except NotLifted as found:
                problem = found
            except Exception as error:  # noqa: BLE001 - a bug of ours costs one statement, and is reported as what it is
                problem = self.placed(NotLifted(f"internal error in lifting: {error!r}", code="internal"), statement)
            if problem is not None:
                problems.append(problem)
                self.scope.facts.clear()
                self.path, self.loops, self.bodies, self.folds, self.depth, self.base = [], [], [], [], 0, 0
                self.frames = []
                changed = [n for n, (v, before) in held.items() if contents(v) != before]
                changed += self.perhaps_changed(statement, problem)
                stored = [n for n in stored_names([statement]) if not isinstance(self.module.names.get(n), Module)]
                for name in dict.fromkeys([*stored, *sorted(calls.names_stored([statement])), *changed]):
                    self.module.names[name] = Unlifted(problem)
                    self.versions[name] = self.versions.get(name, 0) + 1
                    self.records.append(Record(name, Unlifted(problem), statement, self.block))
        return problems

    def perhaps_changed(self, statement: ast.stmt, problem: NotLifted) -> list[str]:
        """The names that a statement may change which was not followed; what it sets in a library is refused from then on."""
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            return []
        made = effects([statement], self.module.names.get)
        modelled = [p for p in map(calls.canonical, made.libraries) if calls.is_modelled(p)]
        self.patched |= {p.split(".")[0] for p in modelled}
        if not made.everything:
            return sorted(made.names)
        self.opaque = True
        if made.everywhere:
            self.patched |= {"torch", "numpy"}
        return list(self.module.names)

    def mutable(self, statement: ast.stmt) -> dict[str, tuple[Value, list[int]]]:
        """The objects, lists and dictionaries that a statement names, and what they hold: it may fail half-way."""
        names = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)} & self.module.names.keys()
        found = {n: self.module.names[n] for n in names}
        return {n: (v, contents(v)) for n, v in found.items() if isinstance(v, (Instance, list, dict))}

    def block_of(self, body: Sequence[ast.stmt], env: Env) -> Return | Continue | None:
        """A list of statements."""
        for k, statement in enumerate(body):
            if isinstance(statement, ast.If):
                outcome, done = branch(self, statement, body[k + 1 :], env)
                if outcome is not None or done:
                    return outcome
                continue
            result = self.execute(statement, env)
            if result is not None:
                return result
        return None

    def execute(self, statement: ast.stmt, env: Env) -> Return | Continue | None:
        """One statement; a refusal gets the statement's place."""
        self.scope.spend()
        try:
            return self._execute(statement, env)
        except NotLifted as problem:
            raise self.placed(problem, statement) from None
        except Capture as problem:
            raise self.placed(NotLifted(f"names of indices clash: {problem}"), statement) from None
        except TermError as problem:
            raise self.placed(NotLifted(str(problem), code="too-large"), statement) from None
        except RecursionError:
            raise self.placed(NotLifted("nested too deeply", code="too-large"), statement) from None

    def placed(self, problem: NotLifted, node: ast.AST) -> NotLifted:
        if not problem.line:
            problem.line = getattr(node, "lineno", 0)
            problem.column = getattr(node, "col_offset", -1) + 1
        return problem

    def _execute(self, s: ast.stmt, env: Env) -> Return | Continue | None:
        if isinstance(s, ast.Expr) and self.loops and rounds.append(self, s, env):
            return None
        if isinstance(s, ast.Assign) and self.loops and rounds.join(self, s, env):
            return None
        if isinstance(s, ast.Assign):
            addend = None if not self.loops else rounds.addition(self, s, env)
            if addend is None:
                value = self.value(s.value, env)
                for t in s.targets:
                    self.assign(t, value, env, s)
        elif isinstance(s, ast.AnnAssign):
            if s.value is not None:
                self.assign(s.target, self.value(s.value, env), env, s)
        elif isinstance(s, ast.AugAssign):
            joined = as_append(s) if self.loops else None
            if joined is None or not rounds.append(self, joined, env):
                augment(self, s, env)
        elif isinstance(s, ast.Return):
            if len(self.loops) > self.base:
                raise NotLifted("return inside a loop over a symbolic range")
            return Return(None if s.value is None else self.value(s.value, env))
        elif isinstance(s, ast.For):
            return rounds.run_for(self, s, env)
        elif isinstance(s, ast.While):
            return rounds.run_while(self, s, env)
        elif isinstance(s, ast.If):
            outcome, _ = branch(self, s, (), env)
            return outcome
        elif isinstance(s, ast.FunctionDef):
            self.bind_name(s.name, calls.function(self, s, env), env, s)
        elif isinstance(s, ast.ClassDef):
            self.bind_name(s.name, calls.make_class(self, s, env), env, s)
        elif isinstance(s, (ast.Import, ast.ImportFrom)):
            self.imported(s, env)
        elif isinstance(s, ast.Expr):
            if not isinstance(s.value, ast.Constant) and not (self.at_top(env) and check_in(self, s)):
                self.value(s.value, env)
        elif isinstance(s, ast.Assert):
            if not (self.at_top(env) and check_in(self, s)):
                self.passed_over(s.test, env)
            self.supposed(s, env)
            self.asserted.append(s)
        elif isinstance(s, ast.With):
            if not all(calls.is_harmless_context(self, item, env) for item in s.items):
                raise NotLifted("a with statement")
            return self.block_of(s.body, env)
        elif isinstance(s, ast.Continue):
            return CONTINUE
        elif isinstance(s, ast.Raise):
            raise NotLifted(
                "the code raises an exception here", code="unfinished" if is_unfinished(s) else "not-lifted"
            )
        elif isinstance(s, ast.Pass):
            pass
        elif isinstance(s, ast.Delete):
            for t in s.targets:
                if not isinstance(t, ast.Name):
                    raise NotLifted("a part of something is deleted")
                env.names.pop(t.id, None)
        else:
            raise NotLifted(f"the statement {type(s).__name__.lower()} is not taken over")
        return None

    def at_top(self, env: Env) -> bool:
        """Whether a statement is one of the module, in no loop and no branch."""
        return env is self.module and not (self.depth or self.loops or self.path)

    def imported(self, s: ast.Import | ast.ImportFrom, env: Env) -> None:
        if any(a.name == "*" for a in s.names):
            raise NotLifted("an import of all names of a module, which may give any name another value")
        for a in s.names:
            if isinstance(s, ast.Import):
                name, path = (a.asname, a.name) if a.asname else (a.name.split(".")[0], a.name.split(".")[0])
            else:
                name, path = a.asname or a.name, f"{s.module or '.'}.{a.name}"
            env.names[str(name)] = Module(calls.canonical(path))
            if path.split(".")[0] in ("torch", "numpy") and not self.versions.get("import"):
                self.scope.library = path.split(".")[0]
            if path.split(".")[0] == "torch":
                self.scope.library = "torch"
                self.versions["import"] = 1

    def decided(self, test: ast.expr, env: Env) -> bool | Condition:
        """Whether a test holds: known, or a condition on the indices of loops."""
        return decide(self, self.value(test, env))

    def assign(self, target: ast.expr, value: Value, env: Env, s: ast.stmt) -> None:
        if isinstance(target, ast.Name):
            if isinstance(s, (ast.Assign, ast.AnnAssign)) and self._is_size(target.id, s, env):
                value = self.named_size(target.id, value)
            if target.id in calls.SMALL_NAMES:
                value = self.scope.guarding(value)
            self.bind_name(target.id, value, env, s)
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = self.unpacked(value, len(target.elts))
            self.check_swap(target.elts, parts, env)
            for t, v in zip(target.elts, parts, strict=True):
                self.assign(t, v, env, s)
        elif isinstance(target, ast.Attribute):
            value = self.set_attribute(self.value(target.value, env), target.attr, value)
            is_copy = isinstance(getattr(s, "value", None), ast.Name)  # `self.pe = pe` is no new value
            if not self.at_top(env) and not is_copy:
                self.record(ast.unparse(target), value, s, env)
        elif isinstance(target, ast.Subscript):
            self.write(target, value, env, additive=False, statement=s)
        else:
            raise NotLifted(f"an assignment to {type(target).__name__.lower()}")

    def set_attribute(self, owner: Value, name: str, value: Value) -> Value:
        """Give an attribute of an object of the document a value; what it holds then."""
        if not isinstance(owner, Instance):
            raise NotLifted("an attribute is set on something that is no object of the document")
        if owner.born != self.now:
            raise Changed(owner)
        value = self.as_free(name, value)
        self.christen(name, value)
        owner.attributes[name] = value
        return value

    def check_swap(self, targets: Sequence[ast.expr], values: Sequence[Value], env: Env) -> None:
        """Refuse `x[0], x[1] = x[1], x[0]`: the values are views, and the second one has changed by then."""
        for t in targets[:-1]:
            base: ast.expr = t
            while isinstance(base, ast.Subscript):
                base = base.value
            where = env.find(base.id) if isinstance(base, ast.Name) and base is not t else None
            held = None if where is None or not isinstance(base, ast.Name) else where.names[base.id]
            memory = getattr(getattr(held, "before", held), "token", None)
            for v in values:
                if isinstance(v, Array) and v.view and v.token is memory and (v.rank or v.library != "numpy"):
                    raise NotLifted("a part of an array is read after another part of it is written")

    def _is_size(self, name: str, s: ast.stmt, env: Env) -> bool:
        return env is self.module and name in self.size_names

    def named_size(self, name: str, value: Value) -> Value:
        """A whole number that the code uses as a size becomes a symbol."""
        if isinstance(value, Array) and value.rank == 0 and isinstance(value.entry, Index) and value.entry.is_constant:
            if value.entry.const > 1:
                own = name if name not in self.scope.sizes.named else f"{name}~{self.versions.get(name, 0) + 1}"
                return scalar(self.scope.sizes.name(own, value.entry.const))
        return value

    def bind_name(self, name: str, value: Value, env: Env, s: ast.stmt) -> None:
        old = env.names.get(name)
        if isinstance(old, (Pending, Accumulator, Growing)) and old.level <= len(self.loops) and self.loops:
            raise carried(name)
        if isinstance(old, Rows) and self.loops:
            raise NotLifted(f"{name} gets a new value in the loop that fills it", code="loop-carried")
        if any(isinstance(v, SoFar) for v in flat(value).values()):
            raise NotLifted(f"{name} is another name for a list that grows", code="loop-carried")
        value = self.as_given(name, value, env)
        if isinstance(value, Array):
            for folds in self.folds:
                value = folds.known(value)
        self.christen(name, value)
        env.names[name] = value
        if env is self.module:
            self.versions[name] = self.versions.get(name, 0) + 1
        self.record(name, value, s, env)

    def as_given(self, name: str, value: Value, env: Env) -> Value:
        """The value of a variable; an input where the document takes the name as given, whatever is computed."""
        inside = self.given_inside and self.depth == 1
        if (env is self.module or inside) and self.is_given is not None and isinstance(value, Array) and not self.loops:
            if value.rank and value.kind == "real" and not self.is_input(value):
                if self.is_given(name, value.rank, self.block):
                    return self.scope.given(self.scope.shape(value), origin="computed")
        return self.as_free(name, value)

    def as_free(self, name: str, value: Value) -> Value:
        """The value of a name in the function that is looked at; an input where the name is free."""
        if name not in self.free_inside or self.depth != 1 or not isinstance(value, Array) or value.kind != "real":
            return value
        is_whole = not (self.loops or self.path) and not self.is_input(value)
        return self.scope.given(self.scope.shape(value), origin="computed") if is_whole else value

    def record(self, name: str, value: Value, s: ast.stmt, env: Env) -> None:
        if (env is self.module or self.tracing is not None) and self.depth <= (0 if self.tracing is None else 1):
            if not self.loops and not self.path:
                sizes = self.scope.sizes
                required, assumed = tuple(sizes.required), tuple(self.scope.assumptions)
                self.records.append(
                    Record(name, value, s, self.block, self.tracing, dict(sizes.known), required, assumed)
                )

    def christen(self, name: str, value: Value) -> None:
        """An input takes the name of the variable that holds it first."""
        if isinstance(value, Layer) and isinstance(value.settings.get("layers"), Members):
            value = value.settings["layers"]
        if isinstance(value, Members):
            value = value.template
        if isinstance(value, Layer):
            for part, a in value.parameters.items():
                self.christen(name if part == "weight" else f"{name}.{part}", a)
        if isinstance(value, Array):
            head = getattr(value.entry, "name", None)
            given = self.scope.inputs.get(head) if isinstance(head, str) else None
            if given is not None and not given.name:
                given.name, given.block = name, self.block

    def is_input(self, a: Array) -> bool:
        """Whether an array is a bare input."""
        head = getattr(a.entry, "name", None)
        return isinstance(head, str) and head in self.scope.inputs and a.entry is Entry(head, places(a.rank))

    def unpacked(self, value: Value, count: int) -> list[Value]:
        value = value.items if isinstance(value, Struct) else packed(value) or value
        if isinstance(value, (tuple, list)):
            if len(value) != count:
                raise NotLifted(f"{len(value)} values are unpacked into {count} names", code="shape-conflict")
            return list(value)
        a = array(value)
        if a.rank:
            self.scope.sizes.require(a.shape[0], Index.of(count), "unpacking")
            return [subscript(self.scope, a, scalar(k)) for k in range(count)]
        raise NotLifted(f"{describe(value)} is unpacked")

    def shared(self, a: Array, name: str, env: Env, owner: Instance | None = None) -> bool:
        """Whether the memory of an array is also reached by another name, or by another attribute of its owner."""
        seen = {id(owner)}
        todo: list[tuple[str, Value]] = []
        for start in (env, *self.frames):
            scope: Env | None = start
            while scope is not None:
                todo += list(scope.names.items())
                scope = scope.parent
        held = [v for n, v in todo if not (n == name and isinstance(v, Array))]
        if owner is not None:
            held += [v for n, v in owner.attributes.items() if n != name]
        return any(inner.token is a.token for v in held for inner in arrays_in(v, seen))

    def write(self, target: ast.Subscript, value: Value, env: Env, *, additive: bool, statement: ast.stmt) -> None:
        """`a[items] = value`, also `a[i][j] = value`."""
        rounds.write(self, target, value, env, additive=additive, statement=statement)

    def value(self, node: ast.expr, env: Env) -> Value:
        """The value of an expression; a refusal gets the place of the innermost expression."""
        self.scope.spend()
        try:
            return evaluate(self, node, env)
        except NotLifted as problem:
            raise self.placed(problem, node) from None

    def beside(self, v: Value, other: Value) -> Value:
        """An operand beside another one: NumPy takes a list of numbers beside an array for an array."""
        if isinstance(v, (tuple, list)) and isinstance(other, Array) and "numpy" in (other.library, self.scope.library):
            return calls.operation(self, "numpy.array", [list(v)], {})
        return v

    def binary(self, sign: str, a: Value, b: Value) -> Value:
        if sign == "@":
            return calls.language_operation(self, "torch.matmul", [a, b], {})
        if isinstance(a, (str, Text)) or isinstance(b, (str, Text)):
            known = sign == "+" and isinstance(a, str) and isinstance(b, str)
            return a + b if known else Text() if sign in ("+", "%", "*") else _refuse("text")
        if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)) and sign == "+":
            return [*a, *b] if isinstance(a, list) else (*a, *b)
        if isinstance(a, (tuple, list)) and sign == "*":
            k = integer(b)
            if not k.is_constant or not 0 <= k.const <= 256:
                raise NotLifted("a list repeated")
            return type(a)(list(a) * k.const)
        a, b = self.beside(a, b), self.beside(b, a)
        if sign in ("&", "|"):
            return elementwise.bitwise(self.scope, sign, a, b)
        if sign == "+" and all(isinstance(v, Array) and v.rank for v in (a, b)):
            a, b = elementwise.additive_mask(self.scope, a), elementwise.additive_mask(self.scope, b)
        return elementwise.binary(self.scope, sign, a, b)

    def supposed(self, s: ast.Assert, env: Env) -> None:
        """What a function asserts holds where it returns; one that is seen to stop there is refused."""
        if not self.depth:
            return
        try:
            known = decide(self, self.value(s.test, env))
        except NotLifted:
            known = TRUE
        if known is False:
            raise NotLifted("the code stops at this assertion")
        if known is not True and self.scope.exact:
            self.scope.assume(Note("assertion-holds", (ast.unparse(s),)))

    def passed_over(self, node: ast.expr, env: Env) -> None:
        """Code whose value says nothing, such as what is printed: it is followed where it may change something."""

        def find(name: str) -> Value:
            where = env.find(name)
            return None if where is None else where.names[name]

        if effects([node], find):
            self.value(node, env)

    def items(self, node: ast.expr, env: Env) -> Value:
        """What stands in a subscript."""
        if isinstance(node, ast.Tuple):
            return tuple(self.items(e, env) for e in node.elts)
        if isinstance(node, ast.Slice):
            return Slice(*(None if p is None else self.value(p, env) for p in (node.lower, node.upper, node.step)))
        found = self.value(node, env)
        return array(built_in.listed(self, found)) if isinstance(found, Range) else found


def _refuse(what: str) -> Value:
    raise NotLifted(f"an operation on {what}")
