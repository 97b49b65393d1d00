"""An interpreter of the Python syntax tree over symbolic arrays.

No code of a document is ever executed: there is no exec, eval or import here, and a call is either a row of the
operation table, a function whose syntax tree is in the document, or refused.  Work is counted; loops over symbolic
ranges run one generic round (`loops`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import Any

from derivations.kernel.linear import consistent
from derivations.language.term import Capture, Entry, Index, Number, TermError, guard
from derivations.lifting.interpreter import built_in, calls, python_methods
from derivations.lifting.interpreter.effects_of_code import effects
from derivations.lifting.loops import rounds
from derivations.lifting.loops.containers import flat
from derivations.lifting.loops.folds import Folds
from derivations.lifting.loops.generic_round import Loop, as_append, conjunction, stored_names
from derivations.lifting.loops.sequences import Rows, SoFar
from derivations.lifting.operations import elementwise
from derivations.lifting.operations.indexing import Slice, subscript
from derivations.lifting.operations.number_types import require_fit
from derivations.lifting.operations.table import (
    INFINITY,
    Stacked,
    Struct,
    Text,
    Unlifted,
    Value,
    array,
    describe,
    integer,
)
from derivations.lifting.symbolic.arrays import Array, in_memory, index_truth, places, scalar, truth
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.symbolic.sizes import Required
from derivations.lifting.symbolic.truth_values import FALSE, TRUE, Condition, Test, all_of, negated
from derivations.lifting.values.layers import Layer
from derivations.lifting.values.python_values import (
    CONTINUE,
    Accumulator,
    Carried,
    Changed,
    Class,
    Continue,
    Env,
    Function,
    Growing,
    Instance,
    Members,
    Module,
    Pending,
    Range,
    Return,
    Settings,
    carried,
)
from derivations.lifting.values.records import items as packed
from derivations.notes import Note

MAX_CALLS = 24
"""Nesting of calls of the document's own functions."""
KNOWN_MODULES = {
    "np": "numpy",
    "numpy": "numpy",
    "torch": "torch",
    "F": "torch.nn.functional",
    "nn": "torch.nn",
    "math": "math",
}
"""Names that documents use without importing them."""
JOINED = {"numpy.c_": "numpy.column_stack", "numpy.r_": "numpy.concatenate"}
"""Objects of NumPy whose subscripts are joined."""
_SIGNS: Mapping[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
}
_COMPARISONS: Mapping[type[ast.AST], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


@dataclass(frozen=True)
class Record:
    """A value that was given a name: what a document's equation can be compared with."""

    name: str
    value: Value
    node: ast.stmt
    block: int
    function: str | None = None
    known: Mapping[str, Index] = field(default_factory=dict)
    """What was known about sizes when the name got its value."""
    required: tuple[Required, ...] = ()
    assumptions: tuple[Note, ...] = ()


def depends_on_data(test: Value) -> bool:
    """Whether a truth value is one that numbers of the data decide."""
    return isinstance(test, Array) and not test.rank and isinstance(truth(test.entry), Test)


def only_names(s: ast.stmt) -> bool:
    """Whether a statement only gives names to values, or returns one."""
    if isinstance(s, ast.If):
        return all(map(only_names, [*s.body, *s.orelse]))
    if isinstance(s, (ast.Assign, ast.AnnAssign)):
        targets = s.targets if isinstance(s, ast.Assign) else [s.target]
        return all(isinstance(t, ast.Name) for t in targets)
    return isinstance(s, (ast.Return, ast.Pass))


@dataclass
class Interpreter:
    """Runs statements over symbolic values; `size_names` are names whose whole numbers are sizes."""

    scope: Scope = field(default_factory=Scope)
    module: Env = field(default_factory=Env)
    size_names: frozenset[str] = frozenset()
    records: list[Record] = field(default_factory=list)
    asserted: list[ast.Assert] = field(default_factory=list)
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
    versions: dict[str, int] = field(default_factory=dict)
    """How often each name of the module was given a value."""
    patched: set[str] = field(default_factory=set)
    """Libraries in which the code sets something to something else."""
    opaque: bool = False
    """Whether the code may have given any name any value, also the usual names of libraries and Python's own."""
    check_library: Callable[[str], None] | None = None
    """Refuses a name of a library (`torch.softmax`, `torch.Tensor.sum`) under which the process has something else."""

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
                changed = [n for n, (v, before) in held.items() if _content(v) != before]
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
        return {n: (v, _content(v)) for n, v in found.items() if isinstance(v, (Instance, list, dict))}

    def block_of(self, body: Sequence[ast.stmt], env: Env) -> Return | Continue | None:
        """A list of statements."""
        for k, statement in enumerate(body):
            if isinstance(statement, ast.If):
                outcome, done = self.branch(statement, body[k + 1 :], env)
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
                self.augment(s, env)
        elif isinstance(s, ast.Return):
            if len(self.loops) > self.base:
                raise NotLifted("return inside a loop over a symbolic range")
            return Return(None if s.value is None else self.value(s.value, env))
        elif isinstance(s, ast.For):
            return rounds.run_for(self, s, env)
        elif isinstance(s, ast.While):
            return rounds.run_while(self, s, env)
        elif isinstance(s, ast.If):
            outcome, _ = self.branch(s, (), env)
            return outcome
        elif isinstance(s, ast.FunctionDef):
            self.bind_name(s.name, calls.function(self, s, env), env, s)
        elif isinstance(s, ast.ClassDef):
            self.bind_name(s.name, calls.make_class(self, s, env), env, s)
        elif isinstance(s, (ast.Import, ast.ImportFrom)):
            self.imported(s, env)
        elif isinstance(s, ast.Expr):
            if not isinstance(s.value, ast.Constant):
                self.value(s.value, env)
        elif isinstance(s, ast.Assert):
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
            raise NotLifted("the code raises an exception here", code="unfinished" if _unfinished(s) else "not-lifted")
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

    # --- branches ---------------------------------------------------------------------------------------------------

    def branch(self, s: ast.If, rest: Sequence[ast.stmt], env: Env) -> tuple[Return | Continue | None, bool]:
        """An `if`, with the statements that follow it; whether those are done already."""
        if _stops(s) and not self.path and not self.loops:
            try:
                goes_on = self.decide(self.value(s.test, env)) is False
            except NotLifted:
                goes_on = True
                self.scope.assume(Note("goes-on", (ast.unparse(s.test),)))
            if goes_on:
                return None, False
        try:
            test = self.value(s.test, env)
            if depends_on_data(test):
                return self.branch_on_data(test, s, rest, env)
            known = self.decide(test)
        except NotLifted as problem:
            raise self.placed(problem, s) from None
        if isinstance(known, bool):
            return self.block_of(s.body if known else s.orelse, env), False
        before = dict(env.names)
        yes, yes_names = self.arm(s.body, known, env, before)
        no, no_names = self.arm([*s.orelse, *(rest if yes is not None else ())], negated(known), env, before)
        if yes is None and no is None:
            env.names = self.merged(known, yes_names, no_names)
            return None, False
        if isinstance(yes, Continue) and not isinstance(no, Return):
            env.names = self.merged(known, yes_names, no_names)
            return None, True
        if isinstance(yes, Return) and isinstance(no, Return):
            return Return(self.either(known, yes.value, no.value)), True
        raise self.placed(NotLifted("branches that end in different ways"), s)

    def branch_on_data(
        self, test: Array, s: ast.If, rest: Sequence[ast.stmt], env: Env
    ) -> tuple[Return | Continue | None, bool]:
        """An `if` on a number of the data: both ways return a value, or both only give names to values."""
        before, ways, names = dict(env.names), [], []
        for body in (s.body, s.orelse):
            if not all(map(only_names, body)):
                raise NotLifted("a decision by values of data")
            env.names = dict(before)
            ways.append(self.undisturbed(lambda b=body: self.block_of(b, env), env, env))  # type: ignore[misc]
            names.append(env.names)
        yes, no = ways
        done = isinstance(yes, Return) and no is None
        if done:
            no = self.undisturbed(lambda: self.block_of(rest, env), env, env, objects=False)
        if isinstance(yes, Return) and isinstance(no, Return):
            return Return(elementwise.where(self.scope, test, yes.value, no.value)), done
        if yes is not None or no is not None:
            raise NotLifted("branches that end in different ways")
        env.names = {
            name: a if (a := names[0].get(name)) is (b := names[1].get(name)) else self.joined(test, a, b)
            for name in {**names[0], **names[1]}
        }
        return None, False

    def arm(
        self, body: Sequence[ast.stmt], when: Condition, env: Env, before: dict[str, Value]
    ) -> tuple[Return | Continue | None, dict[str, Value]]:
        env.names = dict(before)
        self.path.append(when)
        facts = len(self.scope.facts)
        possible = [g for g in when if consistent(guard(*self.scope.known, *g))]  # t != 0 is t > 0 where t >= 0
        self.scope.facts += possible[0] if len(possible) == 1 else ()
        try:
            outcome = self.block_of(body, env)
        finally:
            self.path.pop()
            del self.scope.facts[facts:]
        return outcome, env.names

    def merged(self, when: Condition, yes: dict[str, Value], no: dict[str, Value]) -> dict[str, Value]:
        names = {}
        for name in {**yes, **no}:
            a, b = yes.get(name), no.get(name)
            names[name] = a if a is b else self.either(when, a, b)
        return names

    def either(self, when: Condition, a: Value, b: Value) -> Value:
        """`a` where the condition holds, else `b`."""
        return self.joined(scalar(when), a, b)

    def joined(self, test: Array, a: Value, b: Value) -> Value:
        try:
            return elementwise.where(self.scope, test, a, b)
        except NotLifted as problem:
            return Unlifted(NotLifted(f"two branches give values that cannot be joined ({problem.reason})"))

    def decided(self, test: ast.expr, env: Env) -> bool | Condition:
        """Whether a test holds: known, or a condition on the indices of loops."""
        return self.decide(self.value(test, env))

    def decide(self, value: Value) -> bool | Condition:
        if value is None or isinstance(value, (bool, str, tuple, list, dict)):
            return bool(value)
        if isinstance(value, (Function, Class, Instance, Module, Layer)):
            return True
        a = array(value)
        if a.rank:
            raise NotLifted("a decision by the entries of an array")
        if isinstance(a.entry, Index):
            i = self.scope.sizes.resolve(a.entry)
            if i.is_constant:
                return i.const != 0
            if i.sizes and not i.free and all(c > 0 for _, c in i.terms) and i.const >= 0:
                return True
        if isinstance(a.entry, Number):
            return bool(a.entry.value != 0)
        known = index_truth(a.entry)
        if known in (TRUE, FALSE):
            return known == TRUE
        if not any(c.free for g in known for c in g):
            raise NotLifted("a decision by sizes: the code does different things at different sizes")
        return known

    # --- names ------------------------------------------------------------------------------------------------------

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
            owner = self.value(target.value, env)
            if not isinstance(owner, Instance):
                raise NotLifted("an attribute is set on something that is no object of the document")
            if owner.born != self.now:
                raise Changed(owner)
            self.christen(target.attr, value)
            owner.attributes[target.attr] = value
        elif isinstance(target, ast.Subscript):
            self.write(target, value, env, additive=False, statement=s)
        else:
            raise NotLifted(f"an assignment to {type(target).__name__.lower()}")

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
        return value

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
        return any(inner.token is a.token for v in held for inner in _inside(v, seen))

    def augment(self, s: ast.AugAssign, env: Env) -> None:
        sign = _SIGNS.get(type(s.op))
        if sign is None:
            if isinstance(s.op, ast.MatMult):
                sign = "@"
            else:
                raise NotLifted("an update with this operator")
        if isinstance(s.target, ast.Name):
            name = s.target.id
            where = env.find(name) or env
            old = where.names.get(name)
            if isinstance(old, Accumulator) and sign in ("+", "-"):
                addend = self.value(s.value, env)
                rounds.accumulate(self, old, addend, negative=sign == "-")
                return
            old = self.value(ast.copy_location(ast.Name(name, ast.Load()), s), env)
            lent = isinstance(old, Array) and any(id(old.token) in e.borrowed for e in rounds.chain(env))
            if isinstance(old, Array) and in_memory(old) and (lent or self.shared(old, name, env)):
                raise NotLifted(f"{name} is changed in place, and another name shares its memory")
            if isinstance(old, list) and sign == "+":
                python_methods.extend(self, old, self.value(s.value, env))
                return
            made = self.binary(sign, old, self.value(s.value, env))
            if isinstance(old, Array) and in_memory(old) and isinstance(made, Array):
                if made.rank != old.rank or not all(map(self.scope.sizes.same, made.shape, old.shape)):
                    raise NotLifted(f"{name} would get another shape in place", code="shape-conflict")
                if old.rank:
                    require_fit(old, made)
            self.bind_name(name, made, env, s)
        elif isinstance(s.target, ast.Subscript):
            value = self.value(s.value, env)
            if sign in ("+", "-"):
                value = value if sign == "+" else elementwise.negative(self.scope, value)
                self.write(s.target, value, env, additive=True, statement=s)
            else:
                read = ast.copy_location(ast.Subscript(s.target.value, s.target.slice, ast.Load()), s)
                self.write(s.target, self.binary(sign, self.value(read, env), value), env, additive=False, statement=s)
        else:
            owner = self.value(s.target.value, env)
            if not isinstance(owner, Instance) or s.target.attr not in owner.attributes:
                raise NotLifted("an update of an attribute")
            if owner.born != self.now:
                raise Changed(owner)
            old = owner.attributes[s.target.attr]
            if (
                isinstance(old, Array)
                and in_memory(old)
                and (self.loops or self.shared(old, s.target.attr, env, owner))
            ):
                raise NotLifted(f"{s.target.attr} is changed in place, and another name may share its memory")
            owner.attributes[s.target.attr] = self.binary(sign, old, self.value(s.value, env))

    def write(self, target: ast.Subscript, value: Value, env: Env, *, additive: bool, statement: ast.stmt) -> None:
        """`a[items] = value`, also `a[i][j] = value`."""
        rounds.write(self, target, value, env, additive=additive, statement=statement)

    # --- expressions ------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr, env: Env) -> Value:
        """The value of an expression; a refusal gets the place of the innermost expression."""
        self.scope.spend()
        try:
            return self._value(node, env)
        except NotLifted as problem:
            raise self.placed(problem, node) from None

    def _value(self, node: ast.expr, env: Env) -> Value:
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise NotLifted(f"the expression {type(node).__name__} is not taken over")
        return handler(self, node, env)

    def name(self, node: ast.Name, env: Env) -> Value:
        where = env.find(node.id)
        if where is None:
            scope: Env | None = env
            while scope is not None:
                if node.id in scope.local:
                    raise NotLifted(f"the name {node.id} is read before it has a value", code="undefined-name")
                scope = scope.parent
            if env.outermost.complete:
                raise NotLifted(f"the name {node.id} has no value here", code="undefined-name")
            if self.opaque:
                raise NotLifted(f"the name {node.id} may have been given any value before", code="undefined-name")
            if node.id in KNOWN_MODULES:
                return Module(KNOWN_MODULES[node.id])
            if node.id in built_in.NAMES:
                return Module(f"builtins.{node.id}")
            raise NotLifted(f"the name {node.id} has no value here", code="undefined-name")
        found = where.names[node.id]
        if isinstance(found, Unlifted):
            if isinstance(found.problem, Carried):
                raise carried(found.problem.name)
            raise NotLifted(found.problem.reason, code=found.problem.code)
        if isinstance(found, (Accumulator, Growing, Pending)):
            raise carried(node.id)
        if isinstance(found, Rows) and found.listed:
            return found.whole()
        if isinstance(found, Rows):
            raise NotLifted(f"{node.id} is read as a whole in the loop that fills it", code="loop-carried")
        return found

    def constant(self, node: ast.Constant, env: Env) -> Value:
        v = node.value
        if isinstance(v, bool) or v is None or isinstance(v, str) or v is Ellipsis:
            return v
        if isinstance(v, int):
            return scalar(v)
        if isinstance(v, float):
            if v in (float("inf"), float("-inf")):
                return INFINITY
            return scalar(Number(Fraction(repr(v))))
        raise NotLifted(f"the constant {v!r}")

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
        if sign in ("&", "|"):
            return elementwise.bitwise(self.scope, sign, a, b)
        if sign == "+" and all(isinstance(v, Array) and v.rank for v in (a, b)):
            a, b = elementwise.additive_mask(self.scope, a), elementwise.additive_mask(self.scope, b)
        return elementwise.binary(self.scope, sign, a, b)

    def operator(self, node: ast.BinOp, env: Env) -> Value:
        a, b = self.value(node.left, env), self.value(node.right, env)
        if isinstance(node.op, ast.Add):  # x + 1e-8: a guard against a division by zero
            a, b = self.scope.guarding(a), self.scope.guarding(b)
        sign = "@" if isinstance(node.op, ast.MatMult) else _SIGNS.get(type(node.op))
        if sign is None:
            raise NotLifted("this operator")
        return self.binary(sign, a, b)

    def unary(self, node: ast.UnaryOp, env: Env) -> Value:
        v = self.value(node.operand, env)
        if isinstance(node.op, ast.USub):
            return elementwise.negative(self.scope, v)
        if isinstance(node.op, ast.Not):
            known = self.decide(v)
            return (not known) if isinstance(known, bool) else scalar(negated(known))
        if isinstance(node.op, ast.Invert):
            return elementwise.invert(self.scope, v)
        return v

    def boolean(self, node: ast.BoolOp, env: Env) -> Value:
        conjunctive = isinstance(node.op, ast.And)
        found: list[Condition] = []
        last: Value = conjunctive
        for part in node.values:
            last = self.value(part, env) if not found else self.undisturbed(lambda p=part: self.value(p, env), env)  # type: ignore[misc]
            if (found or part is not node.values[-1]) and not _is_truth(last):
                self.sure(last)  # what comes out is one of the values, and not only whether they hold
                if found:
                    raise NotLifted("and, or of values of which a condition on indices takes one")
            if part is node.values[-1] and not found:
                return last
            known = self.decide(last)
            if isinstance(known, bool):
                if known is not conjunctive:
                    return last
            else:
                found.append(known)
        if not found:
            return last
        return scalar(conjunction(found) if conjunctive else tuple(g for c in found for g in c))

    def comparison(self, node: ast.Compare, env: Env) -> Value:
        left, results = self.value(node.left, env), []
        for o, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.value(right_node, env)
            results.append(self.compared(o, left, right))
            left = right
        if len(results) == 1:
            return results[0]
        if all(isinstance(r, bool) for r in results):
            return all(results)
        if any(array(r).rank for r in results):
            raise NotLifted("a chain of comparisons of arrays, which is an error")
        return scalar(reduce(all_of, (truth(array(r).entry) for r in results)))

    def compared(self, o: ast.cmpop, a: Value, b: Value) -> Value:
        plain = (type(None), bool, str, Module, Function, Class, Instance)
        if isinstance(o, (ast.Is, ast.IsNot)):
            if all(isinstance(v, (Array, str, tuple)) for v in (a, b)):
                raise NotLifted("whether two values are one object")
            same = a is b or (isinstance(a, (bool, Module)) and a == b)
            return same if isinstance(o, ast.Is) else not same
        if isinstance(o, (ast.In, ast.NotIn)):
            known = isinstance(b, (tuple, list)) and all(isinstance(v, (str, type(None))) for v in b)
            if isinstance(a, str) and (known or isinstance(b, (str, dict))):
                return (a in b) is isinstance(o, ast.In)
            raise NotLifted("a test of membership")
        if any(isinstance(v, Text) or (isinstance(v, Module) and v.path.startswith("tensor.")) for v in (a, b)):
            raise NotLifted("a decision by text, a device or a type of numbers")
        sign = _COMPARISONS[type(o)]
        if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)) and sign in ("==", "!="):
            return self.same_lengths(a, b) is (sign == "==")
        if isinstance(a, plain) or isinstance(b, plain):
            if any(isinstance(v, Instance) for v in (a, b)) and a is not b and a is not None and b is not None:
                raise NotLifted("whether two objects are equal")
            if sign in ("==", "!=") and not (isinstance(a, Array) or isinstance(b, Array)):
                return (a == b) is (sign == "==")
            if a is None or b is None:
                return sign == "!="
        made = elementwise.compare(self.scope, sign, a, b)
        if not made.rank and made.entry in (TRUE, FALSE):
            return made.entry == TRUE
        return made

    def same_lengths(self, a: Sequence[Value], b: Sequence[Value]) -> bool:
        """Whether two shapes are the same; refused where that depends on their sizes."""
        if len(a) != len(b):
            return False
        gaps = [self.scope.sizes.resolve(integer(x) - integer(y)) for x, y in zip(a, b, strict=True)]
        if any(g.is_constant and g.const for g in gaps):
            return False
        if any(g is not Index() for g in gaps):
            raise NotLifted("a decision by sizes: the code does different things at different sizes")
        return True

    def conditional(self, node: ast.IfExp, env: Env) -> Value:
        test = self.value(node.test, env)
        known = True if depends_on_data(test) else self.decide(test)
        if isinstance(known, bool) and not depends_on_data(test):
            return self.value(node.body if known else node.orelse, env)
        yes, no = (self.undisturbed(lambda e=e: self.value(e, env), env) for e in (node.body, node.orelse))  # type: ignore[misc]
        return elementwise.where(self.scope, test if isinstance(known, bool) else scalar(known), yes, no)

    def undisturbed(self, run: Callable[[], Value], env: Env, own: Env | None = None, objects: bool = True) -> Value:
        """What a piece of code gives that may not run at all; refused when it changes anything but the names of `own`.

        With `objects`, what these names held before must not change either.
        """
        scopes = [e for e in (*rounds.chain(env), *self.frames) if e is not own]
        kept = [*own.names.values()] if own is not None and objects else []
        before = _held(scopes, kept)
        made = run()
        if before != _held(scopes, kept):
            raise NotLifted("something is changed where a test decides whether it is")
        return made

    def sure(self, value: Value) -> bool:
        """Whether a value holds, where that is known."""
        known = self.decide(value)
        if not isinstance(known, bool):
            raise NotLifted("and, or of values of which a condition on indices takes one")
        return known

    def supposed(self, s: ast.Assert, env: Env) -> None:
        """What a function asserts holds where it returns; one that is seen to stop there is refused."""
        if not self.depth:
            return
        try:
            known = self.decide(self.value(s.test, env))
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

    def indexed(self, node: ast.Subscript, env: Env) -> Value:
        if self.loops and isinstance(node.value, ast.Name):
            own = rounds.own_entry(self, node, env)
            if own is not None:
                return own
        base = self.value(node.value, env)
        items = self.items(node.slice, env)
        return self.part(base, items)

    def part(self, base: Value, items: Value) -> Value:
        if isinstance(base, Module) and base.path in JOINED:
            values = list(items) if isinstance(items, tuple) else [items]
            return calls.operation(self, JOINED[base.path], [[array(v) for v in values]], {})
        base = base.items if isinstance(base, Struct) else packed(base) or base
        if isinstance(base, Settings) and isinstance(items, str):
            return base.entry(self.scope, items)
        if isinstance(base, dict):
            if isinstance(items, str) and items in base:
                if isinstance(base[items], Unlifted):
                    raise base[items].problem
                return base[items]
            raise NotLifted("a key that the dictionary does not have")
        if isinstance(base, (tuple, list)):
            if isinstance(items, Slice):
                cut = [None if v is None else integer(v) for v in (items.lower, items.upper, items.step)]
                if any(c is not None and not c.is_constant for c in cut):
                    raise NotLifted("a part of a list with symbolic bounds")
                return base[slice(*(None if c is None else c.const for c in cut))]
            i = self.scope.sizes.resolve(integer(items, "a position"))
            if i.is_constant:
                if not -len(base) <= i.const < len(base):
                    raise NotLifted("a position outside the list", code="shape-conflict")
                return base[i.const]
            return self.part(calls.language_operation(self, "torch.stack", [list(base)], {}), items)
        if isinstance(base, Stacked):
            return subscript(self.scope, base.array, items)
        if isinstance(base, Layer):
            return base.member(self, items)
        return subscript(self.scope, array(base), items)

    def attribute(self, node: ast.Attribute, env: Env) -> Value:
        return calls.attribute(self, self.value(node.value, env), node.attr, node.value)

    def call(self, node: ast.Call, env: Env) -> Value:
        return calls.call(self, node, env)

    def comprehension(self, node: ast.expr, env: Env) -> Value:
        return rounds.comprehension(self, node, env)

    def anonymous(self, node: ast.Lambda, env: Env) -> Value:
        return calls.function(self, node, env)


def _content(value: Value) -> list[int]:
    """What an object holds, by identity."""
    inner = value.attributes if isinstance(value, Instance) else value
    return [id(v) for v in (inner.values() if isinstance(inner, dict) else inner)]


def _stops(s: ast.If) -> bool:
    """`if n != m: raise ValueError(...)`: where the code goes on, the test is false."""
    changes = any(isinstance(n, (ast.NamedExpr, ast.Await)) for n in ast.walk(s.test))
    only = len(s.body) == 1 and isinstance(s.body[0], ast.Raise) and not s.orelse
    return only and not changes and not _unfinished(s.body[0])


def _unfinished(s: ast.stmt) -> bool:
    return any(isinstance(n, ast.Name) and n.id == "NotImplementedError" for n in ast.walk(s))


def _refuse(what: str) -> Value:
    raise NotLifted(f"an operation on {what}")


def _inside(value: Value, seen: set[int]) -> Iterable[Array]:
    """The arrays that a value reaches."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, Array):
        yield value
    elif isinstance(value, Pending):
        yield value.before
    elif isinstance(value, Rows):
        yield value.before
    elif isinstance(value, Growing):
        yield from _inside(value.items, seen)
    elif isinstance(value, (tuple, list)):
        for v in value:
            yield from _inside(v, seen)
    elif isinstance(value, dict):
        for v in value.values():
            yield from _inside(v, seen)
    elif isinstance(value, Struct):
        for v in value.items:
            yield from _inside(v, seen)
    elif isinstance(value, Instance):
        yield from _inside(value.attributes, seen)
    elif isinstance(value, (Stacked,)):
        yield value.array


def _tuple(i: Interpreter, node: Any, env: Env) -> Value:
    return tuple(v for e in node.elts for v in _element(i, e, env))


def _list(i: Interpreter, node: Any, env: Env) -> Value:
    return [v for e in node.elts for v in _element(i, e, env)]


def _element(i: Interpreter, e: ast.expr, env: Env) -> list[Value]:
    if isinstance(e, ast.Starred):
        v = i.value(e.value, env)
        if not isinstance(v, (tuple, list)):
            raise NotLifted("* on something that is no list")
        return list(v)
    return [i.value(e, env)]


def _dict(i: Interpreter, node: Any, env: Env) -> Value:
    made: dict[str, Value] = {}
    for k, v in zip(node.keys, node.values, strict=True):
        if not isinstance(k, ast.Constant) or not isinstance(k.value, str):
            raise NotLifted("a dictionary whose keys are not text")
        made[k.value] = i.value(v, env)
    return made


def _text(i: Interpreter, node: Any, env: Env) -> Value:
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            i.passed_over(part.value, env)
    return Text()


def _is_truth(value: Value) -> bool:
    """Whether a value is a truth value itself, so that it and whether it holds are one."""
    return isinstance(value, bool) or (isinstance(value, Array) and value.kind == "bool")


def _held(scopes: Iterable[Env], kept: Sequence[Value] = ()) -> list[list[int]]:
    """What names of scopes hold, and what the lists, dictionaries and objects in them hold, by identity."""
    seen: set[int] = set()
    found: list[list[int]] = []
    todo: list[Value] = [*kept]
    for e in scopes:
        if id(e) not in seen:
            seen.add(id(e))
            found.append([id(v) for v in e.names.values()])
            todo += e.names.values()
    while todo:
        v = todo.pop()
        if id(v) not in seen and isinstance(v, (list, tuple, dict, Instance, Pending, Accumulator, Growing, Rows)):
            seen.add(id(v))
            inner = _inner(v)
            found.append([id(x) for x in inner])
            todo += inner
    return found


def _inner(v: Value) -> list[Value]:
    if isinstance(v, Pending):
        return [*v.writes]
    if isinstance(v, Accumulator):
        return [*v.terms]
    if isinstance(v, Growing):
        return [*v.items]
    if isinstance(v, Rows):
        return [v.written]
    inner = v.attributes if isinstance(v, Instance) else v
    return [*inner.values()] if isinstance(inner, dict) else [*inner]


def _walrus(i: Interpreter, node: Any, env: Env) -> Value:
    value = i.value(node.value, env)
    while env.inner and env.parent is not None:
        env = env.parent
    i.bind_name(node.target.id, value, env, ast.copy_location(ast.Expr(node), node))
    return value


_HANDLERS: Mapping[type[ast.expr], Callable[[Interpreter, Any, Env], Value]] = {
    ast.Name: Interpreter.name,
    ast.Constant: Interpreter.constant,
    ast.BinOp: Interpreter.operator,
    ast.UnaryOp: Interpreter.unary,
    ast.BoolOp: Interpreter.boolean,
    ast.Compare: Interpreter.comparison,
    ast.IfExp: Interpreter.conditional,
    ast.Subscript: Interpreter.indexed,
    ast.Attribute: Interpreter.attribute,
    ast.Call: Interpreter.call,
    ast.ListComp: Interpreter.comprehension,
    ast.GeneratorExp: Interpreter.comprehension,
    ast.Lambda: Interpreter.anonymous,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Dict: _dict,
    ast.JoinedStr: _text,
    ast.NamedExpr: _walrus,
}
