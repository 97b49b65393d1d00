"""Proofs as data: what a prover proposes and the kernel replays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from flint import fmpq

from derivations.kernel.errors import Refused
from derivations.kernel.scope import Path
from derivations.language.statement import Definition, Law, Statement, Tensor, Theory
from derivations.language.term import TERM_KINDS, Constraint, Index, Lambda, Term


@dataclass(frozen=True)
class Step:
    """At `path`, `before` becomes `after` by `rule` with `args`; with `back` the rule leads from `after` to `before`.

    `args` values are indices, constraints, guards, terms, integers, strings, mappings of names to indices, or chains
    of steps (for side conditions).
    """

    rule: str
    path: Path
    before: Term
    after: Term
    args: dict[str, Any] = field(default_factory=dict)
    back: bool = False


Chain = tuple[Step, ...]


class Proof:
    """One of the nodes below."""


@dataclass(frozen=True)
class Meet(Proof):
    """`left = ... = m` and `right = ... = m` for alpha-equal ends."""

    left: Chain
    right: Chain


@dataclass(frozen=True)
class Split(Proof):
    """Case distinction: `holds` under the constraint, one of `fails` under each alternative of its negation."""

    on: Constraint
    holds: Proof
    fails: tuple[Proof, ...]


@dataclass(frozen=True)
class Raise(Proof):
    """From `exp(left) <= exp(right)` to `left <= right`, and for the other relations: exp is strictly increasing."""

    rest: Proof


@dataclass(frozen=True)
class SignSplit(Proof):
    """Case distinction on a value: `above` where `on` > 0, `otherwise` where -`on` >= 0."""

    on: Term
    above: Proof
    otherwise: Proof


@dataclass(frozen=True)
class Clear(Proof):
    """From `left * factor = right * factor` with `factor != 0` to `left = right`."""

    factor: Term
    rest: Proof


@dataclass(frozen=True)
class Induct(Proof):
    """Induction on an index variable: `base` where it equals `start`, `step` above, from the statement one below.

    The statement one below stands at the end of the hypotheses: for the same values of the other indices, then (where
    there are others) for all values of them.  An order relation is there as the sign of the difference.
    """

    var: str
    start: Index
    base: Proof
    step: Proof


@dataclass(frozen=True)
class Have(Proof):
    """A lemma about its own indices, defined wherever it speaks, then a proof in which it is the last hypothesis."""

    lemma: Statement
    why: Proof
    rest: Proof


@dataclass(frozen=True)
class Sign(Proof):
    """`left < right` (or `<=`) because `right - left`, rewritten by `steps`, is visibly positive (non-negative)."""

    steps: Chain


@dataclass(frozen=True)
class Compute(Proof):
    """`left != right` (or `<`, `<=`) because both sides are numbers, and rigorous values of theirs tell."""


_NODES = (Meet, Split, Raise, SignSplit, Clear, Induct, Have, Sign, Compute, Step, Statement, Lambda)
_PARTS = (Theory, Tensor, Law, Definition)
_LEAVES = frozenset((*TERM_KINDS, Index, Constraint, int, bool, str, fmpq, type(None)))


def require_plain(*given: Proof | Statement | Theory) -> None:
    """Refuses objects of other classes in a proof, a statement or a theory: what is read twice must be the same twice.

    Errors: Refused for a subclass of a number, a text, a tuple, a dictionary, a term or a node, and for lists.  Terms
    are not looked into: their parts were checked when they were built.
    """
    stack: list[Any] = list(given)
    while stack:
        top = stack.pop()
        kind = type(top)
        if kind in _LEAVES:
            continue
        if kind is tuple:
            stack.extend(top)
        elif kind in (dict, MappingProxyType):
            stack.extend(top)
            stack.extend(top.values())
        elif kind in _NODES or kind in _PARTS:
            stack.extend(getattr(top, f.name) for f in fields(top))
        else:
            raise Refused("replay", "a proof of plain tuples, dictionaries, numbers, texts and terms", kind.__name__)


def steps_of(proof: Proof) -> Iterator[Step]:
    """All steps of a proof, in order, with those of side conditions."""
    if isinstance(proof, Meet):
        for step in (*proof.left, *proof.right):
            yield from _with_side_conditions(step)
    elif isinstance(proof, Split):
        yield from steps_of(proof.holds)
        for other in proof.fails:
            yield from steps_of(other)
    elif isinstance(proof, SignSplit):
        yield from steps_of(proof.above)
        yield from steps_of(proof.otherwise)
    elif isinstance(proof, Induct):
        yield from steps_of(proof.base)
        yield from steps_of(proof.step)
    elif isinstance(proof, Have):
        yield from steps_of(proof.why)
        yield from steps_of(proof.rest)
    elif isinstance(proof, (Clear, Raise)):
        yield from steps_of(proof.rest)
    elif isinstance(proof, Sign):
        for step in proof.steps:
            yield from _with_side_conditions(step)


def _with_side_conditions(step: Step) -> Iterator[Step]:
    yield step
    for value in step.args.values():
        if isinstance(value, (tuple, list)):
            for inner in value:
                if isinstance(inner, Step):
                    yield from _with_side_conditions(inner)
