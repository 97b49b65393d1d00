"""What is known of a document before its code is judged, and the pieces that judgements hand on."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from derivations.code.citations import Numbered
from derivations.code.compare.document_symbols import Symbols, Target, loose_sizes
from derivations.code.explicit_links import Explicit
from derivations.code.program import Program
from derivations.documents.facts.prose import Supposed
from derivations.documents.model.document import Document
from derivations.documents.model.finding import Finding
from derivations.language.statement import Statement
from derivations.language.term import Index
from derivations.lifting.interpreter.interpret import Interpreter, Record
from derivations.lifting.loops.folds import reached
from derivations.lifting.operations.table import Value
from derivations.lifting.settled_entries import finish
from derivations.lifting.symbolic.arrays import Array, places
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.values.python_values import Function
from derivations.study.equation_walk import Decide


@dataclass(frozen=True)
class Candidate:
    """A value of the code and the symbol that it may compute."""

    record: Record
    target: Target
    link: str
    function: Function | None = None
    """Set when the record is a function; its parameters become inputs."""
    lifting: Lifting | None = None
    part: int = 0
    """Which of several values that a function returns is meant."""


@dataclass(frozen=True)
class Way:
    """How the parameters of a function are made arrays."""

    mode: str
    library: str
    """What they are taken to be arrays of."""
    given: bool = False
    """Whether names inside the function that the document takes as given are inputs."""
    leading: int = 1
    """How many leading axes the modes with a batch add."""
    more: Mapping[str, int] = field(default_factory=dict)
    """How many leading axes each parameter has, where the document says so."""
    called: Mapping[str, str] = field(default_factory=dict)
    """Which symbol a parameter is taken for that has no symbol's name: its shape is that of the symbol."""
    rows: frozenset[str] = frozenset()
    """Those of them that have one axis less: the classes where the equation has one-hot rows."""
    free: frozenset[str] = frozenset()
    """The names inside the function that are inputs, whatever they are computed from."""
    numbers: frozenset[str] = frozenset()
    """The numbers with a default that are any number here, though the equation has none."""


@dataclass(frozen=True)
class Lifting:
    """A function run on symbolic parameters."""

    interpreter: Interpreter
    value: Value
    parameters: Mapping[str, int]
    """Code head -> number of the definition's tensor."""
    problem: NotLifted | None = None
    missing: tuple[str, ...] = ()
    positional: bool = False
    """Several parameters are matched with the equation's by position alone."""
    packed: bool = False
    """Matrices of all heads are taken as one matrix."""
    forced: bool = False
    """The code makes sizes of its parameters equal that the document keeps apart."""
    each: bool = False
    """One member of the equation's family is computed."""
    row: bool = False
    """A parameter with the small letter of a matrix is taken for one of its rows."""
    led: bool = False
    """Parameters have leading axes that the equation lacks, of which the document says nothing."""
    declared: bool = False
    """The parameters have the lengths of the document's arrays of the same names, which the equation lets be any."""
    library: str = ""
    """What the parameters are taken to be arrays of."""
    places: Mapping[str, Index] = field(default_factory=dict)
    """One step of a recurrence is computed: the place of the member of each family that the code is given."""
    called: Mapping[str, str] = field(default_factory=dict)
    """Which symbols parameters have the shapes of that no symbol is called after."""
    values: tuple[Value, ...] = ()
    """All values that the function returns, where they are several; `value` is the first."""
    first_call: str = ""
    """A state of the object that is what it is when the object is made."""
    way: Way | None = None
    """How its parameters were made arrays; None where that failed before it was run."""

    def returning(self, part: int) -> Lifting:
        """The same of another of the values that are returned; the same where they are not so many."""
        return replace(self, value=self.values[part]) if 0 < part < len(self.values) else self


Readings = Callable[[Finding], Iterable[Sequence[Finding]]]
"""The findings of the document under other readings that it leaves open, for a definition."""


@dataclass(frozen=True)
class Context:
    """What is known of a document before its code is judged."""

    document: Document
    program: Program
    symbols: Symbols
    decide: Decide
    links: Sequence[Explicit]
    readings: Readings | None
    aliases: Mapping[str, str]
    """Names of the code that stand for another one: what a submission calls otherwise."""
    numbered: Numbered
    """The symbols that equations with a written number are about."""
    hypotheses: Sequence[Finding]
    unread: Mapping[str, Finding]
    """The equations that were not read, by the spelling of the name at their left."""
    open_lines: Sequence[tuple[str, Finding]] = ()
    """The equations that are not read or that change something, each with the spelling of the name at its left."""
    signs_at: Callable[[int, Finding], Sequence[Statement]] | None = None
    """What the text says of the signs in a finding, where a formula stands."""
    supposed_at: Callable[[Finding, Statement], Supposed] | None = None
    """What the text says of the given arrays that a statement about a symbol rests on, where the symbol is defined."""
    transposed: bool = False
    """Whether some code was seen to keep every matrix transposed."""
    as_written: frozenset[str] = frozenset()
    """The matrices of which some code was seen to have the axes in the order of the document."""
    proved_inside: frozenset[tuple[str, str]] = frozenset()
    """The names inside of the function at hand that are proved, each with its symbol."""

    @property
    def by_stem(self) -> Mapping[str, Explicit]:
        """The links of the author, by the name that their equation has in the prepared document."""
        return {x.stem: x for x in self.links}


@dataclass(frozen=True)
class Judged:
    """What became of one candidate."""

    candidate: Candidate
    finding: Finding
    transposed: bool = False
    """Whether it is right for code that keeps every matrix transposed."""
    needs_axis: bool = False
    """Whether it is right if the arguments have a leading axis of which the document says nothing."""
    as_written: bool = False
    """Whether all matrices that it is computed from have the axes of the document in other code."""

    @property
    def status(self) -> str:
        """The status of the finding."""
        return self.finding.status


def finding_of(context: Context, c: Candidate, status: str, code: str | None, reason: str | None) -> Finding:
    target = c.target.finding
    f = finding_at(context, c.record, status, code, reason)
    f.theory = context.symbols.theory
    f.display, f.bases, f.styles = dict(target.display), dict(target.bases), dict(target.styles)
    f.depends_on = (target.position,)
    return f


def finding_at(context: Context, record: Record, status: str, code: str | None, reason: str | None) -> Finding:
    """A finding about a value of the code."""
    node = record.node
    place = context.program.place(record.block, node.lineno, node.col_offset + 1)
    last = node.lineno if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else node.end_lineno or node.lineno
    end, source = context.program.place(record.block, last).line, context.program.source(record.block, node)
    listing = context.program.listing(record.block, node)
    return Finding("code", status, place, end, source, name=record.name, code=code, reason=reason, listing=listing)


def heads_of(value: Array, scope: Scope) -> frozenset[str]:
    """What a value of the code rests on."""
    return reached(scope, finish(scope, value).real(places(value.rank)).heads)


def loose_sizes_of(context: Context, target: Target) -> list[str]:
    return loose_sizes(target.definitions[0], context.symbols.sizes_given(target.head))


def is_replaced(context: Context, record: Record) -> bool:
    """Whether the name gets another value later: the array was only made ready."""
    where = (record.block, record.node.lineno)
    return any(
        r.name == record.name and r.function == record.function and (r.block, r.node.lineno) > where
        for r in context.program.interpreter.records
    )
