"""Backward passes by hand: what `backward` gives is the gradient of what `forward` computes.

For any gradient of what comes after, each value of `backward` must be the sum over the entries of the output of that
gradient times the derivative of the entry by the input.  A subclass of `torch.autograd.Function` says that by itself;
another class with these two methods, or two functions such as `norm_forward` and `norm_backward`, are only refuted where
they call what they are given a gradient.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from derivations.code.compare.statement import shown_in
from derivations.code.judgement_context import Context, finding_at
from derivations.code.lifted_functions import entry_point, interpreter_for, libraries_of
from derivations.code.matching import head_of, is_input
from derivations.code.said_axes import said_axes
from derivations.code.self_checks import statement_of
from derivations.code.unlinked_functions import has_part_of_its_own
from derivations.code.verdicts_in_place import decide_all, undecide
from derivations.documents.model.finding import Finding
from derivations.language.statement import Statement
from derivations.language.substitution import rename_apart, substitute, subterms
from derivations.language.term import Derivative, Entry, Index, Max, Mul, Number, Term, TermError, sum_over
from derivations.lifting.interpreter.calls import call_function, instantiate
from derivations.lifting.interpreter.held_values import arrays_in
from derivations.lifting.interpreter.interpret import Interpreter, Record
from derivations.lifting.operations.table import Struct, Value
from derivations.lifting.settled_checks import SelfCheck, Side, side_of
from derivations.lifting.symbolic.arrays import Array, places
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.values.python_values import Class, Env, Function, Instance, Module
from derivations.study.vacuity import emptied_by

FUNCTION = "torch.autograd.Function"
RANKS = (2, 1)
"""How many axes an input may have of which the document says nothing; what holds must hold with each that fits."""
MAX_CHOICES = 16
"""Most choices of the numbers of axes of all inputs that are looked at."""
_CONTEXT = """
class Context:
    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors
    def mark_non_differentiable(self, *tensors):
        pass
    def set_materialize_grads(self, value):
        pass
"""
"""What the first argument of the methods of a `torch.autograd.Function` does."""


@dataclass(frozen=True)
class Gradient:
    """A value of a backward pass, and the input of the forward pass by which it is the gradient."""

    name: str
    by: Array
    value: Array


@dataclass(frozen=True)
class Passes:
    """Both passes on symbolic inputs."""

    interpreter: Interpreter
    output: Array
    upstream: Array
    gradients: Sequence[Gradient]
    unknown: str = ""
    """What the backward pass computes besides, which is compared with nothing."""


@dataclass(frozen=True)
class Pair:
    """A forward pass and its backward pass; they share an object of `owner`, or what the first returns beside its value."""

    record: Record
    forward: Function
    backward: Function
    source: Record
    """The forward pass, or the class of both."""
    owner: Class | None = None

    @property
    def is_asked(self) -> bool:
        """Whether the program itself says that the one is the gradient of the other."""
        return self.owner is not None and Module(FUNCTION) in self.owner.bases

    @property
    def is_given_a_gradient(self) -> bool:
        """Whether the backward pass calls what it is given a gradient."""
        names = self.given
        return len(names) == 1 and "grad" in names[0].lower()

    @property
    def inputs(self) -> list[str]:
        """The parameters of the forward pass, but for those with a value of their own."""
        own = [n for n in _parameters(self.forward) if n not in self.forward.defaults]
        return own if self.owner is None else own[1:]

    @property
    def given(self) -> list[str]:
        """The parameters of the backward pass that are gradients."""
        own = [n for n in _parameters(self.backward) if n not in self.backward.defaults]
        return own[:1] if self.owner is None else own[1:]


def pairs_in(context: Context) -> Iterator[Pair]:
    """The backward passes of a program, each with its forward pass."""
    records = [
        r for r in context.program.interpreter.records if r.function is None and r.block in context.program.blocks
    ]
    functions = {r.name: r for r in records if isinstance(r.value, Function)}
    for r in (r for r in records if not (context.program.is_only_used(r) or has_part_of_its_own(context, r))):
        if isinstance(r.value, Class):
            forward, backward = r.value.member("forward"), r.value.member("backward")
            owner, name, source = r.value, f"{r.name}.backward", r
        else:
            source = functions.get(r.name.replace("backward", "forward"), r)
            forward, backward, owner, name = source.value, r.value, None, r.name
        if isinstance(forward, Function) and isinstance(backward, Function) and forward is not backward:
            if isinstance(backward.node, ast.FunctionDef):
                yield Pair(replace(r, name=name, node=backward.node), forward, backward, source, owner)


def findings_of_backward_passes(context: Context) -> Iterator[Finding]:
    """A finding for each backward pass of the document that is compared with the derivative of its forward pass."""
    for pair in pairs_in(context):
        if (found := _judged(context, pair)) is not None:
            yield found


@dataclass(frozen=True)
class Outcome:
    """What becomes of a pair with some numbers of axes of its inputs."""

    ranks: tuple[int, ...]
    of_output: int
    finding: Finding | None
    """None where the gradients do not have the axes of the inputs."""

    def hides(self, other: Outcome) -> bool:
        """Whether inputs with fewer axes give an output with as many, and there the gradients do not fit: a sum over the
        other axes may be missing."""
        return (
            self.finding is None
            and self.of_output == other.of_output
            and all(a <= b for a, b in zip(self.ranks, other.ranks, strict=True))
        )


def _judged(context: Context, pair: Pair) -> Finding | None:
    """What becomes of a backward pass; None where nothing can be said and nobody asked."""
    outcomes: list[Outcome] = []
    problem = NotLifted("nothing is given back")
    known = _ranks_said(context, pair)
    every = itertools.product(*([known[n]] if n in known else RANKS for n in pair.inputs))
    choices = list(itertools.islice(every, MAX_CHOICES))
    for library in libraries_of(context, pair.record):
        for ranks in choices:
            try:
                outcomes.append(_outcome(context, pair, library, ranks))
            except NotLifted as refused:
                problem = refused
            except TermError:
                problem = NotLifted("the derivative is too large")
        if outcomes:
            break
    found = [o for o in outcomes if o.finding is not None]
    if not found:
        return finding_at(context, pair.record, "skipped", problem.code, problem.reason) if pair.is_asked else None
    worst = next((o for o in found if o.finding is not None and o.finding.status != "proved"), found[0])
    finding = worst.finding
    if finding is None:
        return None
    if finding.status == "refuted" and any(o.finding is not None and o.finding.status == "proved" for o in found):
        undecide(
            finding, "ambiguous", "wrong for some numbers of axes of the inputs, of which the document says nothing"
        )
    if finding.status == "proved" and any(o.hides(f) for o in outcomes for f in found):
        undecide(finding, "ambiguous", "right only where all inputs have the axes of the output, which nothing says")
    if finding.status == "refuted" and not (pair.is_asked or pair.is_given_a_gradient):
        undecide(finding, "ambiguous", "not the gradient of forward, but nothing says that it is given a gradient")
    return finding if pair.is_asked or finding.status in ("proved", "refuted") else None


def _ranks_said(context: Context, pair: Pair) -> dict[str, int]:
    """How many axes the inputs have of which the document, the docstrings or the calls say something."""
    node = pair.forward.node
    found: dict[str, int] = {}
    if isinstance(node, ast.FunctionDef):
        names = context.program.interpreter.module.names
        said = said_axes(context.program, pair.source, node, names).parameters
        found = {n: len(axes) for n, axes in said.items() if axes}
    for n in pair.inputs:
        partner = context.symbols.partner(n, pair.record.block)
        if partner is not None and n not in found:
            found[n] = len(partner[1])
    return found


def _outcome(context: Context, pair: Pair, library: str, ranks: tuple[int, ...]) -> Outcome:
    """Raises `NotLifted` where the forward pass is not lifted with these numbers of axes, or the backward pass at all."""
    made = run_passes(context, pair, library, dict(zip(pair.inputs, ranks, strict=True)))
    fits = all(g.value.rank == g.by.rank for g in made.gradients)
    return Outcome(ranks, made.output.rank, _decided(context, pair, made) if fits else None)


def _parameters(f: Function) -> list[str]:
    a = f.node.args
    return [x.arg for x in (*a.posonlyargs, *a.args)]


def run_passes(context: Context, pair: Pair, library: str, ranks: Mapping[str, int]) -> Passes:
    """Both passes on symbolic inputs, and for each input its gradient.

    Raises `NotLifted` where a pass is not lifted, or gives no array.
    """
    interpreter = interpreter_for(context, pair.record, library)
    owner: Instance | None = None
    if pair.owner is not None and pair.is_asked:
        owner = _context_of(interpreter)
    elif pair.owner is not None:
        given = entry_point(interpreter, replace(pair.owner, method="forward"))[1]
        owner = next(v for v in given if isinstance(v, Instance))
        _with_any_arrays(interpreter, owner)
    first = [] if owner is None else [owner]
    inputs = {n: _input(context, interpreter, n, ranks[n], pair.record.block) for n in pair.inputs}
    output, kept = _parted(call_function(interpreter, pair.forward, first, inputs, lend=False))
    if not isinstance(output, Array) or len(pair.given) != 1:
        raise NotLifted("needed one array from forward, and one gradient that backward is given")
    upstream = interpreter.scope.given(interpreter.scope.shape(output), pair.given[0], "parameter")
    held = dict(owner.attributes) if owner is not None else {}
    own = [n for n in _parameters(pair.backward) if n not in pair.backward.defaults]
    rest = own[1:] if owner is None else []
    if len(rest) == 1 < len(kept):
        kept = [tuple(kept)]
    if owner is None and len(rest) != len(kept):
        raise NotLifted("backward is given something else than what forward gives beside its value")
    shared = dict(zip(rest, kept, strict=True)) if owner is None else {}
    result, more = _parted(
        call_function(interpreter, pair.backward, first, {pair.given[0]: upstream, **shared}, lend=False)
    )
    values = (result, *more)
    if len(values) > len(pair.inputs):
        raise NotLifted(f"backward gives {len(values)} values, forward is given {len(pair.inputs)}")
    pairs = zip(pair.inputs, values, strict=False)
    found = [Gradient(n, inputs[n], v) for n, v in pairs if isinstance(v, Array)]
    unknown = ""
    if owner is not None:
        arrays = {n: v for n, v in held.items() if isinstance(v, Array) and is_input(v, interpreter.scope)}
        found += _attributes(owner, {n: v for n, v in arrays.items() if all(v is not x for x in inputs.values())})
        unknown = _not_compared(owner, held, found)
    if not found:
        raise NotLifted("backward gives no array")
    return Passes(interpreter, output, upstream, found, unknown)


def _with_any_arrays(interpreter: Interpreter, owner: Instance) -> None:
    """Let the arrays that an object is made with be any arrays of their shapes: they are what it starts from."""
    for name, value in owner.attributes.items():
        if isinstance(value, Array) and value.rank and value.kind == "real":
            if not is_input(value, interpreter.scope):
                owner.attributes[name] = interpreter.scope.given(interpreter.scope.shape(value), name, "parameter")


def _not_compared(owner: Instance, before: Mapping[str, Value], found: Sequence[Gradient]) -> str:
    """The first attribute to which the backward pass gives an array that is no gradient which is compared."""
    known = {id(a) for v in before.values() for a in arrays_in(v, set())} | {id(g.value) for g in found}
    for name, value in owner.attributes.items():
        if any(id(a) not in known for a in arrays_in(value, set())):
            return name
    return ""


def _context_of(interpreter: Interpreter) -> Instance:
    """The object in which the two methods of a `torch.autograd.Function` keep what they share."""
    env = Env(parent=interpreter.module)
    interpreter.block_of(ast.parse(_CONTEXT).body, env)
    cls = env.names["Context"]
    if not isinstance(cls, Class):
        raise NotLifted("the context of an autograd function")
    return instantiate(interpreter, cls, [], {})


def _input(context: Context, interpreter: Interpreter, name: str, rank: int, block: int) -> Array:
    """An array for a parameter of forward: equal lengths where the symbol of its name has equal ones."""
    partner = context.symbols.partner(name, block)
    axes = partner[1] if partner is not None and len(partner[1]) == rank else [None] * rank
    lengths: dict[Index | None, Index] = {}
    sizes = interpreter.scope.sizes
    shape = [lengths.setdefault(s, sizes.fresh("n")) if s is not None else sizes.fresh("n") for s in axes]
    return interpreter.scope.given(shape, name, "parameter")


def _parted(value: Value) -> tuple[Value, list[Value]]:
    """The first of the values that a function returns, and the others."""
    value = value.items if isinstance(value, Struct) else value
    return (value[0], list(value[1:])) if isinstance(value, (tuple, list)) and value else (value, [])


def _attributes(owner: Instance, held: Mapping[str, Array]) -> Iterator[Gradient]:
    """The gradients that an object keeps beside its arrays: `self.dW` for `self.W`."""
    for name, by in held.items():
        for kept in (f"d{name}", f"d_{name}", f"grad_{name}", f"{name}_grad"):
            value = owner.attributes.get(kept)
            if isinstance(value, Array):
                yield Gradient(name, by, value)


def _decided(context: Context, pair: Pair, made: Passes) -> Finding:
    """The statements that the values of a backward pass are gradients, decided together."""
    f = finding_at(context, pair.record, "undecided", None, None)
    scope = made.interpreter.scope
    output = side_of(scope, made.output)
    equal = len(scope.sizes.required)
    values = {g.name: _value(made, g) for g in made.gradients}
    is_forced = len(scope.sizes.required) > equal
    if output.folds or any(v.folds for v in values.values()):
        raise NotLifted("a pass has a loop, of which no derivative is taken")
    inputs = (made.upstream, *(g.by for g in made.gradients))
    heads = output.heads.union(*(v.heads for v in values.values()), map(head_of, inputs))
    shapes = {h: tuple(map(scope.sizes.resolve, x.shape)) for h, x in scope.inputs.items() if h in heads}
    statements: list[Statement] = []
    entry = output.entry
    if any(isinstance(t, Max) for t in subterms(entry)):  # what changes nothing is no part of the derivative
        other = _without_largest(entry)
        trial = finding_at(context, pair.record, "undecided", None, None)
        shift, trial.theory, _ = statement_of(scope, SelfCheck(output, replace(output, entry=other), shapes, ()))
        trial.statements = (shift,)
        decide_all(trial, context.decide)
        if trial.status == "proved":
            statements, entry = [shift], other
    for gradient in made.gradients:
        inner = replace(output, entry=_at_places_of_its_own(entry, len(output.shape)))
        statement, f.theory, names = statement_of(scope, SelfCheck(values[gradient.name], inner, shapes, ()))
        after, by = names[head_of(made.upstream)], names[head_of(gradient.by)]
        statements.append(with_derivative(statement, after, by, f.theory.tensors[after].shape))
    f.statements = tuple(statements)
    decide_all(f, context.decide)
    of = ", ".join(g.name for g in made.gradients)
    f.notes = (f"compared with the gradient of forward by {of}, for any gradient of what comes after",)
    f.assumptions = tuple(dict.fromkeys(map(shown_in, scope.assumptions)))
    if f.status == "refuted":
        f.code = "code-differs"
    elif f.status == "proved":
        _doubt_proof(f, made, is_forced)
    return f


def _doubt_proof(f: Finding, made: Passes, is_forced: bool) -> None:
    """Withhold a proof of less than is said."""
    if is_forced:
        undecide(f, "shape-conflict", "a gradient has the axes of its input only where two lengths are equal")
    elif fixed := emptied_by(f.decision):
        undecide(f, "vacuous", f"right only where {fixed}")
    elif made.unknown:
        undecide(f, "ambiguous", f"what is returned is right, but nothing says what {made.unknown} is to be")


def _without_largest(t: Term) -> Term:
    """A term with 0 in the place of each largest entry."""
    if isinstance(t, Max):
        return Number(0)
    return t.with_children([_without_largest(c) for c in t.children]) if t.children else t


def _value(made: Passes, gradient: Gradient) -> Side:
    """A value of a backward pass, with the axes of the input."""
    scope = made.interpreter.scope
    for a, b in zip(scope.shape(gradient.value), scope.shape(gradient.by), strict=True):
        scope.sizes.require(a, b, f"{gradient.name} and its gradient")
    return side_of(scope, gradient.value)


def _at_places_of_its_own(entry: Term, rank: int) -> Term:
    at = {str(p): Index.var(r) for p, r in zip(places(rank), _letters(rank), strict=True)}
    return substitute(rename_apart(entry, set(_letters(rank))), at)


def _letters(rank: int) -> list[str]:
    """What the axes of an output are called."""
    return [f"r{k}" for k in range(rank)]


def with_derivative(s: Statement, after: str, by: str, shape: Sequence[Index]) -> Statement:
    """The statement that its left side is the sum over all entries of the right one, each times what comes after it and
    differentiated by the entry of an input."""
    letters = _letters(len(shape))
    rate = Derivative(by, [Index.var(v) for v in s.indices], s.right)
    total: Term = Mul((Entry(after, [*map(Index.var, letters)]), rate))
    for r, size in zip(reversed(letters), reversed(shape), strict=True):
        total = sum_over(r, 0, size, total)
    return replace(s, right=total)


__all__ = ["findings_of_backward_passes"]
