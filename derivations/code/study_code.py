"""Code against equations: which code speaks of which symbol, and whether it computes it.

A link is an explicit `<!-- check: NAME = LATEX -->`, the same name up to spelling, or a comment that cites the equation.
A refutation needs an exact and only link, shapes that fit, every input named in the document, and that it is false
under every reading that the document leaves open; everything else stays undecided.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations

from derivations.code.compare.bare_sizes import bare_sizes, free_sizes, put, scaled, written_sizes
from derivations.code.compare.named_functions import unknown_functions
from derivations.code.compare.spelling import spelled
from derivations.code.compare.statement import (
    EACH,
    Comparison,
    Links,
    NotComparable,
    Symbols,
    Target,
    blocks_places,
    compare,
    has_minus_infinity,
    loose_sizes,
    member_index,
    shown_in,
    with_definitions_put_in,
)
from derivations.code.matching import (
    head_of,
    index_parameter,
    is_input,
    is_settings,
    length_by_default,
    matched_names,
    same_name,
    sizes_of_inputs,
    spells,
    uses,
    written_numbers,
)
from derivations.code.program import Explicit, Program, is_state, lifted, names_used_as_sizes
from derivations.code.unread_functions import reason, unread_names
from derivations.code.verdicts_in_place import decide_all, undecide
from derivations.documents.model.code_replay import Replay
from derivations.documents.model.document import Document, Place
from derivations.documents.model.finding import Finding
from derivations.language.term import (
    ZERO,
    Apply,
    Index,
    Lambda,
    Number,
    TermError,
    at_least,
    guard,
    substitute,
    subterms,
    term_sizes,
    within,
)
from derivations.lifting.interpreter.calls import call_function, instantiate
from derivations.lifting.interpreter.interpret import Interpreter, Record
from derivations.lifting.interpreter.library import libraries
from derivations.lifting.loops.folds import reached
from derivations.lifting.operations.table import Stacked, Struct, Unlifted, Value
from derivations.lifting.settled_entries import finish
from derivations.lifting.symbolic.arrays import Array, Input, NotLifted, Scope, places, scalar
from derivations.lifting.values.python_values import Class, Function, Module, Settings
from derivations.notes import Note
from derivations.study.equation_walk import Decide
from derivations.study.vacuity import emptied_by

CITED = re.compile(
    r"\b(?:eq|eqs|eqn|equation|formula|gl|式|公式)\.?\s*+[(（]?\s*+(\d+(?:\.\d+)*[a-z]?)\s*+[)）]?", re.IGNORECASE
)
Readings = Callable[[Finding], Iterable[Sequence[Finding]]]
"""The findings of the document under other readings that it leaves open, for a definition."""


MAX_ASSIGNMENTS = 6
"""How many ways to name the parameters of layers are tried."""


@dataclass
class Candidate:
    """A value of the code and the symbol that it may compute."""

    record: Record
    target: Target
    link: str
    function: Function | None = None
    """Set when the record is a function; its parameters become inputs."""
    lifting: Lifting | None = None


@dataclass
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
    declared: bool = False
    """The parameters have the lengths of the document's arrays of the same names, which the equation lets be any."""
    library: str = ""
    """What the parameters are taken to be arrays of."""


@dataclass
class Outcome:
    """What became of one candidate; the better of several ways to read the shapes of parameters."""

    finding: Finding
    rank: int = field(default=0)


GUARDS = frozenset({"epsilon"})
"""Names of small numbers that guard quotients, in the spelling of `spelled`."""
_RANK = {"proved": 4, "undecided": 2, "refuted": 3, "skipped": 1}


def study_code(
    document: Document,
    findings: Sequence[Finding],
    decide: Decide,
    links: Sequence[Explicit] = (),
    readings: Readings | None = None,
    called: Sequence[tuple[str, str, int]] = (),
    aliases: Mapping[str, str] | None = None,
) -> list[Finding]:
    """One finding for each value of the code that is linked to a definition.

    `aliases` gives names of the code that stand for another one: what a submission calls otherwise.
    """
    if not any(b.is_python for b in document.code):
        return []
    symbols = Symbols.of(document, findings, called)
    program = lifted(document, symbols.is_given)
    return CodeStudy(document, symbols, findings, program, decide, links, readings, aliases or {}).findings()


class CodeStudy:
    """Links and comparisons of one document."""

    def __init__(
        self,
        document: Document,
        symbols: Symbols,
        findings: Sequence[Finding],
        program: Program,
        decide: Decide,
        links: Sequence[Explicit],
        readings: Readings | None,
        aliases: Mapping[str, str],
    ) -> None:
        self.aliases = aliases
        self.document, self.program, self.decide, self.links = document, program, decide, links
        self.symbols = symbols
        self.readings = readings
        self.numbers = written_numbers(document)
        self.hypotheses = [f for f in findings if f.kind == "hypothesis" and f.code == "hypothesis"]
        self.by_stem = {x.stem: x for x in links}
        self.unread = unread_names(findings)
        self.transposed = False
        """Whether some code was seen to keep every matrix transposed."""

    def findings(self) -> list[Finding]:
        made = [found for record in self.program.interpreter.records for found in self.judged(record)]
        if self.transposed and any(f.status == "refuted" for _, f in made):
            made = [found for record in self.program.interpreter.records for found in self.judged(record)]
        unread = self.of_unread_equations({id(c.record) for c, _ in made})
        return [*self.settled(made), *unread, *self.of_links_without_code()]

    def of_links_without_code(self) -> Iterator[Finding]:
        """A finding for each link of the author after which no code gives a value to its name."""
        records = self.program.interpreter.records
        for link in self.links:
            if not any(self.aliases.get(r.name, r.name) == link.name and r.block > link.block for r in records):
                text = self.document.blocks[link.block].text
                line, column = text.origins[0]
                reason = f"no code after this comment gives a value to {link.name}"
                place = Place(text.path, text.cell, line, column)
                yield Finding(
                    "code",
                    "undecided",
                    place,
                    line,
                    f"{link.name} = {link.latex}",
                    name=link.name,
                    code="unlinked-input",
                    reason=reason,
                )

    def of_unread_equations(self, judged: Collection[int]) -> Iterator[Finding]:
        """A finding for each function that nothing was said of and whose equation was not read."""
        for r in self.program.interpreter.records:
            name = self.aliases.get(r.name, r.name)
            unread = self.unread.get(spelled(name)) if isinstance(r.value, (Function, Class)) else None
            if unread is not None and id(r) not in judged and not self.symbols.named(name):
                yield self.found(r, "undecided", *reason(name, unread))

    def judged(self, record: Record) -> list[tuple[Candidate, Finding]]:
        if isinstance(record.value, (Function, Class)):
            return self.function(record)
        found = [(c, f) for c in self.candidates(record) if (f := self.judge(c)) is not None]
        return [(c, f) for c, f in found if c.link != "guess" or f.status == "proved"]

    def settled(self, made: Sequence[tuple[Candidate, Finding]]) -> list[Finding]:
        """A name agrees if any of its values proves the equation; one finding for each place."""
        proved = {(c.record.name, c.record.function) for c, f in made if f.status == "proved"}
        right = [c.record for c, f in made if f.status == "proved" and c.link != "guess"]
        best: dict[tuple[Place, str], Finding] = {}
        for c, f in made:
            if f.status == "refuted" and (c.record.name, c.record.function) in proved:
                continue
            if f.code in ("constant", "uninitialised") and self.is_replaced(c.record):
                continue
            if f.status == "refuted" and any(uses(r, c.record) for r in right):
                f.status, f.code, f.decision = "undecided", "other-value", None
                f.reason = "the name holds another value than in the equation, but what is computed from it agrees"
            if f.status == "refuted" and self.is_state(c.record):
                f.status, f.code, f.decision = "undecided", "other-value", None
                f.reason = "a state that the loop hands on, of which the function returns something else"
            key = (f.place, c.record.name)
            if key not in best or _RANK[f.status] > _RANK[best[key].status]:
                best[key] = f
        return list(best.values())

    def is_state(self, record: Record) -> bool:
        """Whether a name inside a function gets new values in a loop, and is not what the function returns."""
        tree = self.program.trees.get(record.block)
        for f in ast.walk(tree) if record.function is not None and tree is not None else ():
            if isinstance(f, ast.FunctionDef) and any(n is record.node for n in ast.walk(f)):
                return is_state(f, record.name, record.node)
        return False

    def is_replaced(self, record: Record) -> bool:
        """Whether the name gets another value later: the array was only made ready."""
        where = (record.block, record.node.lineno)
        return any(
            r.name == record.name and r.function == record.function and (r.block, r.node.lineno) > where
            for r in self.program.interpreter.records
        )

    # --- links ------------------------------------------------------------------------------------------------------

    def candidates(self, record: Record) -> list[Candidate]:
        """The symbols that a value may compute: an explicit link alone, else a cited number, else the name."""
        explicit = self.explicit(record)
        if explicit is not None:
            return [Candidate(record, explicit, "explicit")]
        name = self.aliases.get(record.name, record.name)
        named = [t for t in self.symbols.named(name) if t.stem not in self.by_stem]
        cited = self.cited(record)
        if cited:
            return [Candidate(record, t, "cited") for t in cited]
        if not named and isinstance(record.value, (Function, Class)):
            return [Candidate(record, t, "initials") for t in self.symbols.by_initials(name)]
        if not named:
            return [Candidate(record, t, "guess") for t in self.symbols.loosely(name)]
        exact = [t for t in named if name in (t.stem, t.finding.code_name)]
        if len(name) == 1 and not exact:
            return []  # q is not Q
        stems = {t.stem for t in named}
        if len(stems) > 1:
            return []
        return [Candidate(record, t, "name") for t in self.nearest(named, record.block)]

    def nearest(self, named: Sequence[Target], block: int) -> list[Target]:
        """The versions of a symbol, the last one before the code first."""
        return sorted(named, key=lambda t: (t.block > block, abs(block - t.block)))

    def explicit(self, record: Record) -> Target | None:
        name = self.aliases.get(record.name, record.name)
        found = [x for x in self.links if x.name == name and x.block < record.block]
        if not found or record.function is not None:
            return None
        stem = max(found, key=lambda x: x.block).stem
        return next((t for t in self.symbols.targets if t.stem == stem), None)

    def cited(self, record: Record) -> list[Target]:
        for comment in self.program.comments(record.block, record.node):
            for number in CITED.findall(comment.text):
                found = [t for t in self.symbols.targets if self.numbers.get(t.finding.span) == number]
                if len(found) == 1:
                    return found
        return []

    # --- functions --------------------------------------------------------------------------------------------------

    def function(self, record: Record) -> list[tuple[Candidate, Finding]]:
        """A function against its symbol, and the names inside it against theirs."""
        targets = self.candidates(record)
        inner = self.names_inside(record)
        if not targets and not inner:
            return []
        if self.program.is_unfinished(record.block, record.node):
            return [(c, self.finding(c, "skipped", "unfinished", "the code is not finished")) for c in targets[:1]]
        made: list[tuple[Candidate, Finding]] = []
        for c in targets:
            outcome = self.best((way, self.judge(replace(c, lifting=way))) for way in self.ways(record, c.target))
            if outcome is not None and c.link == "initials" and outcome.status == "refuted":
                outcome.status, outcome.code, outcome.decision = "undecided", "ambiguous", None
                outcome.reason = "different, but only the first letters of the name say what it computes"
            if outcome is not None:
                made.append((c, outcome))
        found = self.inside(record) if inner else []
        if any(f.status == "proved" for _, f in found):
            made = [(c, f) for c, f in made if c.link != "initials" or f.status != "skipped"]
        return [*made, *found]

    def names_inside(self, record: Record) -> bool:
        stored = {n.id for n in ast.walk(record.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        return any(spells(s, t.stem) and t.stem not in self.by_stem for s in stored for t in self.symbols.targets)

    def inside(self, record: Record) -> list[tuple[Candidate, Finding]]:
        """The values of the names inside a function, for parameters that the document names.

        What the equation takes as given is tried as given first: `queries @ keys.T` for $q_i^\\top k_j$, whatever the
        queries are computed from.
        """
        found: dict[tuple[str, int, str], tuple[Candidate, Finding]] = {}
        ways = self.ways(record, None, given=True)
        if any(
            i.origin == "computed" and h not in self.inputs for w in ways for h, i in w.interpreter.scope.inputs.items()
        ):
            found = {k: (c, f) for k, (c, f) in self.values_inside(ways, found).items() if f.status == "proved"}
            ways = self.ways(record, None)
        found = self.values_inside(ways, found)
        best: dict[tuple[str, int], tuple[Candidate, Finding]] = {}
        for (name, line, _), (c, f) in found.items():  # wrong only when it is wrong for arrays of each library
            old = best.get((name, line))
            if old is None or old[1].status == "refuted" or f.status == "proved":
                best[name, line] = (c, f)
        return list(best.values())

    @property
    def inputs(self) -> Mapping[str, Input]:
        return self.program.interpreter.scope.inputs

    def values_inside(
        self, ways: Iterable[Lifting], known: Mapping[tuple[str, int, str], tuple[Candidate, Finding]]
    ) -> dict[tuple[str, int, str], tuple[Candidate, Finding]]:
        """The best finding for each value of a name inside a function, by name, line and library; what is proved already
        is not looked at again."""
        found = dict(known)
        for way in ways:
            records = way.interpreter.records
            for k, inner in enumerate(records):
                if inner.function is None or isinstance(inner.value, (Function, Class)):
                    continue
                key = (inner.name, inner.node.lineno, way.library)
                if key in found and found[key][1].status == "proved":
                    continue
                if any(r.name == inner.name and _fills(r) for r in records[k + 1 :]):
                    continue
                for c in self.candidates(inner):
                    if c.link in ("name", "guess") and not spells(inner.name, c.target.stem):
                        continue
                    judged = self.judge(replace(c, lifting=replace(way, value=inner.value, problem=None, missing=())))
                    if judged is None:
                        continue
                    if key not in found or _RANK[judged.status] > _RANK[found[key][1].status]:
                        found[key] = (c, judged)
        return found

    def best(self, made: Iterable[tuple[Lifting, Finding | None]]) -> Finding | None:
        """Proved if any way of reading the parameters proves it; refuted only if the first one that lifts does.

        Heads side by side are as good a way as the first one: it has to be refuted as well.  Ways in which the sizes of
        the parameters fit come first.
        """
        found: list[tuple[Lifting, Finding]] = []
        for way, f in made:
            if f is not None and f.status == "proved":
                return f
            if f is not None:
                found.append((way, f))
        if not found:
            return None
        if found[0][1].status == "refuted":  # wrong only at the lengths that the document gives
            found = [x for x in found if x[0].declared and x[0].library == found[0][0].library] or found
        kinds = list(dict.fromkeys(w.library for w, _ in found))
        if len(kinds) > 1:  # wrong only when it is wrong for arrays of each library
            each = [self.best((w, f) for w, f in found if w.library == kind) for kind in kinds]
            return min((f for f in each if f is not None), key=lambda f: f.status == "refuted")
        lifted_ones = sorted(((w, f) for w, f in found if f.status != "skipped"), key=lambda x: x[0].forced)
        for way, f in lifted_ones:
            if way.packed and f.status == "undecided" and f.code != "not-comparable":
                return f
        for way, f in lifted_ones:
            if way.each and lifted_ones[0][1].code == "not-comparable":
                return f
        return (lifted_ones or found)[0][1]

    def ways(self, record: Record, target: Target | None, given: bool = False) -> list[Lifting]:
        """The function on symbolic parameters: as declared, with a leading axis, vectors as columns."""
        found: list[Lifting] = []
        block = self.program.trees.get(record.block)
        for library in libraries(record.value, block, self.program.interpreter.scope.library):
            own: list[Lifting] = []
            for mode in (
                "plain",
                "declared",
                "batch first",
                "batch all",
                "batch two",
                "column",
                "side by side",
                "each",
            ):
                if mode == "batch two" and any(w.problem is None for w in own):
                    continue
                way = self.run(record, target, mode, library, given)
                if way is not None:
                    way.packed, way.each, way.library = mode == "side by side", mode == "each", library
                    way.declared = mode == "declared"
                    own.append(way)
            found += own
        return found

    def run(self, record: Record, target: Target | None, mode: str, library: str, taken: bool) -> Lifting | None:
        base = self.program.interpreter
        scope = Scope(copy.deepcopy(base.scope.sizes), dict(base.scope.inputs), library)
        scope.names, scope.folds = base.scope.names, dict(base.scope.folds)
        interpreter = Interpreter(scope, base.module, base.size_names, block=record.block)
        interpreter.unfinished = base.unfinished
        value = record.value
        interpreter.tracing = record.name
        interpreter.is_given, interpreter.given_inside = self.symbols.may_be_given, taken
        try:
            function, given = self.entry_point(interpreter, value)
        except NotLifted as problem:
            return Lifting(interpreter, None, {}, problem) if mode == "plain" else None
        late = self.rebound(function)
        if late is not None:
            several = NotLifted(f"{late} is given several values: which one {function.name} reads depends on the call")
            return Lifting(interpreter, None, {}, several) if mode == "plain" else None
        if mode == "declared" and (target is None or not self.symbols.ties_lengths(target)):
            return None
        if mode == "each" and (target is None or member_index(target) is None):
            return None
        bound, parameters, missing, changed = self.parameters(interpreter, function, given, target, mode, record.block)
        if mode != "plain" and not changed:
            return None
        if mode.startswith("batch") and not self.fits_calls(record.name, function, bound):
            return None
        axes = {s for v in bound.values() if isinstance(v, Array) for s in v.shape}
        try:
            result = call_function(interpreter, function, given, bound, lend=False)
        except NotLifted as problem:
            return Lifting(interpreter, None, parameters, interpreter.placed(problem, function.node), tuple(missing))
        except Exception as error:  # noqa: BLE001 - a bug of ours costs one function, and is reported as what it is
            bug = NotLifted(f"internal error in lifting: {error!r}", code="internal")
            return Lifting(interpreter, None, parameters, interpreter.placed(bug, function.node), tuple(missing))
        if isinstance(result, Struct):
            result = result.items
        if isinstance(result, (tuple, list)) and result:
            result = result[0]
        names = [t.name for t in target.definitions[0].tensors] if target is not None else []
        by_position = len(parameters) > 1 and not any(same_name(p, n) for p in bound for n in names)
        forced = len({scope.sizes.resolve(s) for s in axes}) < len(axes)
        return Lifting(interpreter, result, parameters, None, tuple(missing), by_position, forced=forced)

    def entry_point(self, interpreter: Interpreter, value: Value) -> tuple[Function, list[Value]]:
        """A function, or the forward of an object that is made with symbolic sizes."""
        if isinstance(value, Function):
            return value, []
        maker = value.member("__init__")
        named: dict[str, Value] = {}
        if isinstance(maker, Function):
            a = maker.node.args
            for arg in [*a.args[1:], *a.kwonlyargs]:
                length = length_by_default(maker, arg.arg)
                if length is not None:
                    named[arg.arg] = scalar(interpreter.scope.sizes.name(arg.arg, length))
                elif arg.arg not in maker.defaults:
                    settings = is_settings(maker.node, arg.arg)
                    named[arg.arg] = Settings() if settings else scalar(interpreter.scope.sizes.name(arg.arg))
        made = instantiate(interpreter, value, [], named)
        for method in ("forward", "__call__"):
            member = value.member(method)
            if isinstance(member, Function):
                return member, [made]
        raise NotLifted(f"{value.name} has no forward")

    def fits_calls(self, name: str, f: Function, bound: Mapping[str, Value]) -> bool:
        """Whether parameters have as many axes as where the document calls the function; True when that is not known."""
        known = self.program.interpreter.module.names
        plain = [a.arg for a in (*f.node.args.posonlyargs, *f.node.args.args) if a.arg != "self"]
        for tree in self.program.trees.values():
            for n in ast.walk(tree):
                if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == name:
                    pairs = [*zip(plain, n.args, strict=False), *((k.arg or "", k.value) for k in n.keywords)]
                    ranks = [
                        (own.rank, value.rank)
                        for parameter, given in pairs
                        if isinstance(given, ast.Name)
                        and isinstance(own := bound.get(parameter), Array)
                        and isinstance(value := known.get(given.id), Array)
                    ]
                    if ranks:
                        return all(a == b for a, b in ranks)
        return True

    def rebound(self, f: Function) -> str | None:
        """A global of the module that a function reads and that has several values."""
        base = self.program.interpreter
        stored = {n.id for n in ast.walk(f.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        own = {a.arg for a in ast.walk(f.node) if isinstance(a, ast.arg)} | stored
        for n in ast.walk(f.node):
            if isinstance(n, ast.Name) and n.id not in own and base.versions.get(n.id, 0) > 1:
                if not isinstance(base.module.names.get(n.id), Module):
                    return n.id
        return None

    def parameters(
        self,
        interpreter: Interpreter,
        f: Function,
        given: Sequence[Value],
        target: Target | None,
        mode: str,
        block: int,
    ) -> tuple[dict[str, Value], dict[str, int], list[str], bool]:
        """A symbolic value for each parameter, and which of them are the definition's own."""
        scope = interpreter.scope
        a = f.node.args
        names = [x.arg for x in (*a.posonlyargs, *a.args)][len(given) :] + [x.arg for x in a.kwonlyargs]
        required = [n for n in names if n not in f.defaults]
        tensors = target.definitions[0].tensors if target is not None else ()
        matched = matched_names(required, [t.name for t in tensors])
        sizes = self.symbols.size_names()
        used = names_used_as_sizes(f.node)
        lengths = {n: k for n in names if n in used and (k := length_by_default(f, n)) is not None}
        bound: dict[str, Value] = {n: scalar(scope.sizes.name(n, k)) for n, k in lengths.items()}
        own: dict[str, int] = {}
        missing: list[str] = []
        changed = False
        first = True
        told = self.symbols.sizes_given(target.head) if target is not None else frozenset()
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
        for name in required:
            if name == member and target is not None:
                scope.facts += within(EACH, 0, axis(target.shape[0], False))
                bound[name], changed = scalar(Index.var(EACH)), True
                continue
            shape: tuple[Index, ...] | None = None
            if name in matched:
                shape = tensors[matched[name]].shape
                if mode == "declared":
                    shape = self.symbols.declared_shape(tensors[matched[name]]) or shape
            else:
                under = self.symbols.under(target.head) if target is not None else frozenset()
                partner = self.symbols.partner(name, block, under)
                shape = None if partner is None else partner[1]
            if not shape:
                if name in sizes or name in used:
                    bound[name] = scalar(scope.sizes.name(name))
                    continue
            if shape is None:
                missing.append(name)
                bound[name] = Unlifted(NotLifted(f"the document gives no shape for the parameter {name}"))
                continue
            axes = [axis(s, name in matched) for s in shape]
            changed = changed or (mode == "declared" and name in matched and shape is not tensors[matched[name]].shape)
            if mode == "each" and member is None and target is not None and len(shape) > 1:
                if shape[0] is target.shape[0]:
                    axes, changed = axes[1:], True
            if mode == "side by side" and len(shape) == 3 and name not in matched:
                axes, changed = [axes[1], scope.sizes.fresh("n")], True
            if mode == "column" and len(axes) == 1:
                axes, changed = [*axes, Index.of(1)], True
            if axes and ((mode == "batch first" and first) or (mode == "batch all" and len(shape) > 1)):
                axes, changed = [scope.sizes.fresh("b"), *axes], True
            if mode == "batch two" and len(shape) > 1:
                axes, changed = [scope.sizes.fresh("b"), scope.sizes.fresh("b"), *axes], True
            first = False
            made = scope.given(axes, name, "parameter")
            bound[name] = made
            if name in matched:
                own[head_of(made)] = matched[name]
        return bound, own, missing, changed

    # --- judgement --------------------------------------------------------------------------------------------------

    def judge(self, c: Candidate) -> Finding | None:
        """The finding of one candidate; None when the two do not speak of the same thing."""
        value, scope = c.record.value, self.program.interpreter.scope
        links = Links()
        if c.lifting is not None:
            value, scope = c.lifting.value, c.lifting.interpreter.scope
            links = Links(c.lifting.parameters, c.lifting.each)
            if c.lifting.problem is not None:
                p = c.lifting.problem
                where = f" ({self.program.place(c.record.block, p.line, p.column)})" if p.line else ""
                return self.finding(c, "skipped", p.code, f"{p.reason}{where}")
        else:
            scope = replace(
                scope, sizes=replace(scope.sizes, known=dict(c.record.known), required=list(c.record.required))
            )
        if isinstance(value, Unlifted):
            p = value.problem
            where = f" ({self.program.place(c.record.block, p.line, p.column)})" if p.line else ""
            return self.finding(c, "skipped", p.code, f"{p.reason}{where}")
        if c.lifting is None and self.program.is_unfinished(c.record.block, c.record.node):
            return self.finding(c, "skipped", "unfinished", "the code is not finished")
        if isinstance(value, Stacked):
            value = value.array
        if not isinstance(value, Array) or is_input(value, scope):
            return None
        return self.compared(c, value, scope, links)

    def compared(self, c: Candidate, value: Array, scope: Scope, links: Links) -> Finding | None:
        """Compare, and where that does not prove it, compare under the modelling assumptions that are left."""
        try:
            made = compare(value, scope, self.symbols, c.target, c.record.block, links)
        except NotComparable as problem:
            if c.link == "name" and c.lifting is None:
                return None
            return self.finding(c, "undecided", "not-comparable", str(problem))
        except NotLifted as problem:
            return self.finding(c, "undecided", problem.code, problem.reason)
        except TermError as problem:
            return self.finding(c, "undecided", "too-large", str(problem))
        f = self.decided(c, made, scope)
        if f.status != "proved" and (free := free_sizes(f)) and self.depends_on_sizes(f, free):
            return f
        if f.status == "proved":
            return f
        if made.fixed:
            at_sizes = self.at_fixed_sizes(c, value, scope, links)
            if at_sizes is not None:
                return at_sizes
        others = []
        for assumed, other in self.models(c, value, scope, links):
            g = self.decided(c, other, scope, assumed)
            if g.status == "proved":
                return g
            others.append(g)
        if f.status == "refuted":
            reason = self.why_not_refuted(c, made, scope, links)
            if self.loose(c.target):
                reason = "ambiguous", "the equation uses a size that none of its arguments has"
            if any(g.status != "refuted" for g in others):
                reason = "ambiguous", "different, but perhaps only by what the equation leaves out"
            if self.agrees_without_guards(c, made):
                reason = "ambiguous", "different only by where the small number stands that guards a quotient"
            if self.is_constant(c, value, scope):
                reason = "constant", "the code gives constants: a placeholder, or a mask in another form"
            if reason is None and (made.forced or self.transposed):
                flipped = self.flipped(c, value, scope, links)
                if flipped is not None:
                    return flipped
            if reason is not None:
                f.status, f.code, f.reason, f.decision = "undecided", reason[0], reason[1], None
            else:
                f.code = "code-differs"
        return f

    def agrees_without_guards(self, c: Candidate, made: Comparison) -> bool:
        """Whether code and equation are the same for a small guard of zero: they add it at different places."""
        unfolded = [with_definitions_put_in(s, made.theory) for s in made.statements]
        heads = {h for s in unfolded for t in (s.left, s.right) for h in t.heads}
        nothing = {h: Lambda((), ZERO) for h in heads if made.theory.shape(h) == () and spelled(h) in GUARDS}
        if not nothing:
            return False
        f = self.finding(c, "undecided", None, None)
        f.theory = made.theory
        f.statements = tuple(
            replace(s, left=substitute(s.left, tensors=nothing), right=substitute(s.right, tensors=nothing))
            for s in unfolded
        )
        decide_all(f, self.decide)
        return f.status == "proved"

    def depends_on_sizes(self, f: Finding, free: list[str]) -> bool:
        """Decide again where a number that the code is given, such as `head_dim`, is the length of an axis.

        False when the code differs from the equation whatever that number is.
        """
        before = f.statements, f.statement, f.status, f.code, f.reason, f.decision
        whole = f.statements
        shapes = [f.theory.shape(h) or () for s in whole for h in sorted(s.right.heads)]
        names = list(dict.fromkeys(i for shape in shapes for i in reversed(shape) if len(i.terms) == 1))
        found = [f.status]
        for size in names if len(free) == 1 else ():
            f.statements = tuple(put(s, {free[0]: size}, f.theory) for s in whole)
            decide_all(f, self.decide)
            found.append(f.status)
            if f.status == "proved":
                f.assumptions = (*f.assumptions, Note("equal-size", (free[0], size), place=f.place))
                return True
        f.statements, f.statement, f.status, f.code, f.reason, f.decision = before
        if len(free) == 1 and set(found) == {"refuted"}:
            return False
        f.status, f.code, f.decision = "undecided", "ambiguous", None
        f.reason = "the code is given a number that may be one of its sizes"
        return True

    def at_fixed_sizes(self, c: Candidate, value: Array, scope: Scope, links: Links) -> Finding | None:
        """Proved at the sizes that the code writes out, for all inputs of these sizes."""
        sizes = scope.sizes
        known = {s: Index.of(v) for s, v in sizes.concrete.items() if s not in sizes.known}
        fixed = replace(scope, sizes=replace(sizes, known={**sizes.known, **known}))
        try:
            made = compare(value, fixed, self.symbols, c.target, c.record.block, links)
        except (NotComparable, NotLifted, TermError):
            return None
        f = self.decided(c, made, fixed)
        if f.status != "proved":
            return None
        f.notes = (*f.notes, "proved for all inputs at the sizes that the code writes out")
        return f

    def flipped(self, c: Candidate, value: Array, scope: Scope, links: Links) -> Finding | None:
        """Proved when the code keeps every matrix transposed: tokens in rows instead of columns.

        That is believed where the shapes do not fit otherwise, or other code of the document is seen to do so: a
        softmax along the wrong axis is the right one of the transpose.
        """
        try:
            made = compare(value, scope, self.symbols, c.target, c.record.block, links, flip=True)
        except (NotComparable, NotLifted, TermError):
            return None
        if made.misfit:
            return None
        f = self.decided(c, made, scope)
        if f.status != "proved":
            return None
        self.transposed = True
        return f

    def models(self, c: Candidate, value: Array, scope: Scope, links: Links) -> Iterator[tuple[list[Note], Comparison]]:
        """Comparisons under assumptions: what the equation lacks is zero, a bare size is a width."""
        heads = self.heads(value, scope)
        lacking = {
            h: i
            for h, i in scope.inputs.items()
            if h in heads and i.origin in ("eps", "bias") and self.lacks(c, i.name)
        }
        d = c.target.definitions[0]
        widths: list[int | None] = [None]
        if self.loose(c.target):
            widths = [*(k for k, t in enumerate(d.tensors) if t.shape), None]
        for width in widths:
            for zero in [{}, lacking] if lacking else [{}]:
                if width is None and not zero:
                    continue
                said = [Note("lacking", (i.name,)) for i in zero.values()]
                try:
                    made = compare(value, scope, self.symbols, c.target, c.record.block, links, zero, width)
                except (NotComparable, NotLifted, TermError):
                    continue
                yield said, made
        for guess in self.assignments(c, value, scope, links):
            try:
                made = compare(value, scope, self.symbols, c.target, c.record.block, links, assigned=guess)
            except (NotComparable, NotLifted, TermError):
                continue
            yield [Note("called-otherwise", (scope.inputs[h].name, name)) for h, name in guess.items()], made
        try:
            made = compare(value, scope, self.symbols, c.target, c.record.block, links, mixed=True)
        except (NotComparable, NotLifted, TermError):
            return
        if made.packed:
            yield [Note("heads-alternate")], made

    def assignments(self, c: Candidate, value: Array, scope: Scope, links: Links) -> Iterator[dict[str, str]]:
        """What the parameters of layers may be, that the document calls otherwise: those of its tensors that are left."""
        heads = self.heads(value, scope)
        own = [i for h, i in scope.inputs.items() if h in heads and h not in links.parameters]
        under = self.symbols.under(c.target.head)
        partners = {i.head: self.symbols.partner(i.name, c.record.block, under, i.origin) for i in own if i.name}
        joined = {i.head: self.symbols.joined(i.name, i.origin, under) for i in own if partners.get(i.head) is None}
        own = [i for i in own if not joined.get(i.head)]
        taken = {p[0] for p in partners.values() if p is not None} | {h for one in joined.values() for h in one}
        lost = [i for i in own if partners.get(i.head) is None and i.origin in ("layer", "bias", "trained")]
        named = self.symbols.in_order(c.target.head)
        left = [h for h in named if h not in taken]
        if not lost or len(lost) > len(left) or len(lost) < len([i for i in own if partners.get(i.head) is None]):
            return
        count = 0
        for chosen in permutations(left, len(lost)):
            pairs = list(zip(lost, chosen, strict=True))
            if all(len(self.symbols.theory.tensors[h].shape) == len(i.shape) for i, h in pairs):
                yield {i.head: h for i, h in pairs}
                count += 1
                if count >= MAX_ASSIGNMENTS:
                    return

    def heads(self, value: Array, scope: Scope) -> frozenset[str]:
        """What a value of the code rests on."""
        return reached(scope, finish(scope, value).real(places(value.rank)).heads)

    def is_constant(self, c: Candidate, value: Array, scope: Scope) -> bool:
        """Whether a value rests on no input, while the equation does, or is filled with one number only."""
        if not self.heads(value, scope).isdisjoint(scope.inputs):
            return False
        entry = finish(scope, value).real(places(value.rank))
        if any(isinstance(t, Apply) for t in subterms(entry)):
            return False  # sines of positions are no placeholder
        filled = value.rank and entry.free
        return not filled or bool(self.symbols.given_of(c.target.head)) or self.is_replaced(c.record)

    def loose(self, target: Target) -> list[str]:
        return loose_sizes(target.definitions[0], self.symbols.sizes_given(target.head))

    def decided(self, c: Candidate, made: Comparison, scope: Scope, extra: Sequence[Note] = ()) -> Finding:
        f = self.finding(c, "undecided", None, None)
        f.statements, f.theory = tuple(made.statements), made.theory
        if c.record.function is None:
            function = isinstance(c.record.value, Function)
            line = c.record.node.lineno
            f.replay = Replay(c.record.name, function, c.record.block, line, made.bindings, made.sizes, made.places)
        decide_all(f, self.decide)
        extra = list(extra)
        if f.status == "undecided" and f.code == "undefined":
            extra += self.larger(f)
        if f.status == "undecided" and f.code == "search-ended":
            whole = f.statements
            f.statements = tuple(with_definitions_put_in(s, made.theory) for s in whole)
            decide_all(f, self.decide)
            if f.status != "proved":
                f.statements = whole
        if f.status != "proved":
            extra += self.at_values(f)
        if f.status != "proved":
            extra += self.scales(f)
        if f.status == "proved" and (empty := made.pinned or emptied_by(f.decision)):
            undecide(f, "vacuous", f"code and equation are compared only where {empty}")
        place = f.place
        notes = [replace(n, place=place) for n in (*self.assumed(c, made, scope), *extra)]
        under = self.symbols.findings_under(c.target)
        readings = [n for x in under for n in x.assumptions]
        f.assumptions = tuple(dict.fromkeys([*notes, *readings]))
        f.notes = tuple(made.notes)
        return f

    def at_values(self, f: Finding) -> list[Note]:
        """Decide again where a number of the equation has the value that the code gives to a name spelled like it."""
        unfolded = [with_definitions_put_in(s, f.theory) for s in f.statements]
        found: dict[str, tuple[str, Number]] = {}
        for n in dict.fromkeys(n for s in unfolded for n in bare_sizes(s, f.theory) if n in f.theory.tensors):
            for name, value in self.program.interpreter.module.names.items():
                number = value.entry if isinstance(value, Array) and not value.rank else None
                if isinstance(number, Number) and same_name(name, n):
                    found[n] = name, number
        if not found:
            return []
        put_in = {n: Lambda((), value) for n, (_, value) in found.items()}
        f.statements = tuple(
            replace(s, left=substitute(s.left, tensors=put_in), right=substitute(s.right, tensors=put_in))
            for s in unfolded
        )
        decide_all(f, self.decide)
        return [Note("value-of-name", (n, str(value), name)) for n, (name, value) in found.items()]

    def scales(self, f: Finding) -> list[Note]:
        """Decide again where a size of the equation that is no axis is the number of products that it scales."""
        whole = f.statements
        unfolded = [with_definitions_put_in(s, f.theory) for s in whole]
        bare = {n: [w for s in unfolded for w in scaled(s.left, n)] for s in unfolded for n in bare_sizes(s, f.theory)}
        settled = {n: found[0] for n, found in bare.items() if len(set(found)) == 1}
        if not bare:
            return []
        before = f.statement, f.status, f.code, f.reason, f.decision
        if len(settled) == len(bare):
            f.statements = tuple(put(s, settled, f.theory) for s in unfolded)
            decide_all(f, self.decide)
            if f.status != "undecided":
                return [Note("equal-size", (n, w)) for n, w in settled.items()]
        (name, *others) = bare
        for number in written_sizes(unfolded) if not others else ():
            f.statements = tuple(put(s, {name: number}, f.theory) for s in unfolded)
            decide_all(f, self.decide)
            if f.status == "proved":
                return [Note("equal-size", (name, number))]
        f.statements = whole
        f.statement, f.status, f.code, f.reason, f.decision = before
        if f.status == "refuted":
            f.status, f.code, f.decision = "undecided", "ambiguous", None
            f.reason = f"the equation uses the size {next(iter(bare))} that is the length of no axis"
        return []

    def larger(self, f: Finding) -> list[Note]:
        """Decide for sizes of at least 2, where a side is undefined at size 1 (a variance with n - 1)."""
        moved, said = [], set()
        for s in f.statements:
            sizes = sorted(term_sizes(s.left) | term_sizes(s.right) | {n for c in s.guard for n in c.index.sizes})
            said |= set(sizes)
            moved.append(replace(s, guard=guard(*s.guard, *(at_least(Index.size(n), 2) for n in sizes))))
        before = f.statements, f.statement, f.code, f.reason, f.decision
        f.statements = tuple(moved)
        decide_all(f, self.decide)
        if f.status == "undecided":
            f.statements, f.statement, f.code, f.reason, f.decision = before
            return []
        return [Note("size-at-least", (n, "2")) for n in sorted(said)]

    def assumed(self, c: Candidate, made: Comparison, scope: Scope) -> list[Note]:
        """The assumptions of lifting that concern this value."""
        masked = any(has_minus_infinity(s.right) for s in made.statements)
        said = c.record.assumptions if c.lifting is None else tuple(scope.assumptions)
        found = [n for n in said if masked or not n.row.masks]
        required = c.record.required if c.lifting is None else tuple(scope.sizes.required)
        used = sizes_of_inputs(made, scope)
        found += [r.note for r in required if r.sizes & used and not any("~" in s for s in r.sizes)]
        return [*dict.fromkeys([*map(shown_in, found), *made.assumptions])]

    def lacks(self, c: Candidate, name: str) -> bool:
        """Whether the equation knows nothing of an input."""
        partner = self.symbols.partner(name, c.record.block)
        return partner is None or partner[0] not in self.symbols.given_of(c.target.head)

    def why_not_refuted(self, c: Candidate, made: Comparison, scope: Scope, links: Links) -> tuple[str, str] | None:
        """Why a difference is not believed to be an error; None when it is one."""
        if made.misfit:
            return "shape-conflict", "the shapes of code and equation agree only for equal sizes"
        strange = unknown_functions([with_definitions_put_in(s, made.theory) for s in made.statements])
        if strange:
            return "ambiguous", f"different in general, but the document does not say what the function {strange[0]} is"
        absent = self.absent(c, made, scope)
        if absent is not None:
            return "unlinked-input", f"different, but the code has nothing that is called {absent}"
        made_of = self.made_of_others(c, scope)
        if made_of is not None:
            return "unlinked-input", f"different, but the code computes {made_of}, which the equation takes as given"
        own = self.number_of_its_own(c)
        if own is not None:
            return "ambiguous", f"different, but {own[0]} is called with a value of its own for {own[1]}"
        if made.unlinked:
            return "unlinked-input", f"different in general, but the document does not say what {made.unlinked[0]} is"
        if c.link == "name" and c.lifting is None:
            versions = {t.head for t in self.symbols.named(c.record.name) if t.stem not in self.by_stem}
            if len(versions) > 1:
                return "ambiguous", f"the document gives {c.record.name} several meanings"
        if made.fixed:
            return "fixed-sizes", "different in general, but the code writes numbers that may be its sizes"
        if c.lifting is not None and c.lifting.positional:
            return "ambiguous", "the parameters are matched with the equation's by their position only"
        if c.lifting is not None and c.lifting.missing:
            return "unlinked-input", f"the document does not say what {c.lifting.missing[0]} is"
        masked = any(has_minus_infinity(s.right) for s in made.statements)
        if masked and not any(blocks_places(d.body) for d in self.symbols.definitions_under(c.target.head)):
            return "masked", "the code blocks places that the equation does not speak of"
        if made.reordered:
            return "ambiguous", "different, but the order of the axes is only taken from the names of their sizes"
        heads = self.symbols.given_of(c.target.head)
        for h in self.hypotheses:
            if h.statement is not None and (h.statement.left.heads | h.statement.right.heads) & heads:
                if h.statement.relation == "=":
                    return "ambiguous", "different in general; the document supposes more about its inputs"
        if self.readings is not None:
            for findings in self.readings(c.target.finding):
                if self.agrees_otherwise(c, findings, scope, links):
                    return "ambiguous", "different as read, but not under another reading that the document leaves open"
        return None

    def made_of_others(self, c: Candidate, scope: Scope) -> str | None:
        """A name of the code that the equation takes as given, but that the code computes from something else."""
        under = self.symbols.under(c.target.head)
        given = self.symbols.given_of(c.target.head) | (self.symbols.supposed & under)
        for name, value in self.program.interpreter.module.names.items():
            if c.lifting is None and isinstance(value, Array) and value.rank and not is_input(value, scope):
                partner = self.symbols.partner(name, c.record.block, under)
                base = name.rpartition("_")[0]  # x_T is a member of the family x
                member = partner is None and any(h.split("#")[0] == base for h in given)
                if ((partner is not None and partner[0] in given) or member) and name != c.record.name:
                    return name
        return None

    def number_of_its_own(self, c: Candidate) -> tuple[str, str] | None:
        """A function that a statement calls, and a parameter of it that is a number of the equation: tau = 1 by default.

        The variable tau of the program, if there is one, says nothing of the equation then.
        """
        given = {h for h in self.symbols.given_of(c.target.head) if self.symbols.theory.shape(h) == ()}
        for call in (n for n in ast.walk(c.record.node) if isinstance(n, ast.Call)) if given else ():
            called = (
                self.program.interpreter.module.names.get(call.func.id) if isinstance(call.func, ast.Name) else None
            )
            if c.lifting is not None or not isinstance(called, Function):
                continue
            names = [a.arg for a in (*called.node.args.posonlyargs, *called.node.args.args)]
            passed: dict[str | None, ast.expr] = dict(zip(names, call.args, strict=False))
            passed.update((k.arg, k.value) for k in call.keywords)
            for name in (*names, *(a.arg for a in called.node.args.kwonlyargs)):
                partner = self.symbols.partner(name, c.record.block, frozenset(given))
                value = passed.get(name)
                if (
                    partner is not None
                    and partner[0] in given
                    and not (isinstance(value, ast.Name) and value.id == name)
                ):
                    return called.name, name
        return None

    def absent(self, c: Candidate, made: Comparison, scope: Scope) -> str | None:
        """An array that the equation speaks of and that the code does not have at all, not only fails to use."""
        used = frozenset(h for s in made.statements for h in s.right.heads)
        names = {*self.program.interpreter.module.names, *(i.name for i in scope.inputs.values())}
        if isinstance(c.record.value, Function):
            names |= {a.arg for a in ast.walk(c.record.value.node) if isinstance(a, ast.arg)}
        under = self.symbols.under(c.target.head)
        had = {p[0] for n in names if n and (p := self.symbols.partner(n, c.record.block, under)) is not None}
        had |= {
            p[0] for i in scope.inputs.values() if (p := self.symbols.partner(i.name, c.record.block, under, i.origin))
        }
        had |= {m[0] for n in names if n and (m := self.symbols.given_member(n)) is not None}
        tensors = self.symbols.theory.tensors
        for h in sorted(self.symbols.under(c.target.head, used | had)):
            if h in tensors and tensors[h].shape:
                return h.split("#")[0]
        return None

    def agrees_otherwise(self, c: Candidate, findings: Sequence[Finding], scope: Scope, links: Links) -> bool:
        """Whether the code is not refuted under another reading of the document."""
        symbols = Symbols.of(self.document, findings, self.symbols.called)
        target = next((t for t in symbols.targets if t.head == c.target.head), None)
        value = c.lifting.value if c.lifting is not None else c.record.value
        if target is None:
            return True
        try:
            made = compare(value, scope, symbols, target, c.record.block, links)
        except (NotComparable, NotLifted, TermError):
            return True
        f = self.finding(c, "undecided", None, None)
        f.statements, f.theory = tuple(made.statements), made.theory
        decide_all(f, self.decide)
        return f.status != "refuted"

    def finding(self, c: Candidate, status: str, code: str | None, reason: str | None) -> Finding:
        target = c.target.finding
        f = self.found(c.record, status, code, reason)
        f.theory = self.symbols.theory
        f.display, f.bases, f.styles = dict(target.display), dict(target.bases), dict(target.styles)
        f.depends_on = (target.position,)
        return f

    def found(self, record: Record, status: str, code: str | None, reason: str | None) -> Finding:
        """A finding about a value of the code."""
        node = record.node
        place = self.program.place(record.block, node.lineno, node.col_offset + 1)
        last = node.lineno if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else node.end_lineno or node.lineno
        end, source = self.program.place(record.block, last).line, self.program.source(record.block, node)
        listing = self.program.listing(record.block, node)
        return Finding("code", status, place, end, source, name=record.name, code=code, reason=reason, listing=listing)


def _fills(record: Record) -> bool:
    """Whether a statement writes into an array that was made ready before."""
    stores = [n for n in ast.walk(record.node) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    return any(isinstance(n, ast.Name) and n.id == record.name for s in stores for n in ast.walk(s.value))


__all__ = ["study_code"]
