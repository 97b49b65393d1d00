"""Definition, claim, step, new version or hypothesis: what each relation of a document is, decided in document order.

The document is walked twice.  The first walk only unifies shapes, so that a size learned late is known early; the
second builds terms, admits definitions and decides claims.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from derivations.documents.declarations import (
    axis_words,
    declare,
    members,
    rows_named,
    shared_lists,
    sizes_of,
    space,
    speaks_of_rows,
)
from derivations.documents.finding import Finding, Note
from derivations.documents.model import Context, Document, MathSpan, Place, sentences
from derivations.kernel.definition import admit, instance
from derivations.kernel.errors import NotConservative
from derivations.language.term import Constraint, Entry, Index, IndexValue, Statement, TermError, Theory, less
from derivations.latex.arrays import NotUnderstood
from derivations.latex.elaborate import Choice, Elaborator
from derivations.latex.equations import (
    LeftSide,
    Pending,
    compare,
    define,
    definition,
    left_side,
    letters_first,
    statements,
)
from derivations.latex.names import Names, Written, letter, uses
from derivations.latex.reader import ReadError, read_equation
from derivations.latex.spelling import spelled
from derivations.latex.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Infix,
    Listed,
    Literal,
    Mark,
    Name,
    Node,
    Prefix,
    Reading,
    Scripted,
    Words,
    walk,
)
from derivations.latex.table import Symbol, Table
from derivations.provers.decide import Decision, Proved, Refuted, Undecided

Decide = Callable[[Statement, Theory], Decision]

OUT_OF_SCOPE = frozenset(
    [
        "approx",
        "propto",
        "sim",
        "to",
        "implies",
        "iff",
        "mapsto",
        "ll",
        "gg",
        "perp",
        "subset",
        "notin",
        "lessapprox",
        "gtrapprox",
        "cong",
    ]
)
"""Relations that state nothing that is decided here."""
CLAIMED = {"=": "=", "equiv": "=", "<=": "<=", ">=": ">=", "<": "<", ">": ">"}
MAX_READINGS = 8
"""Readings tried before a refutation is believed."""

_QUALIFIERS = frozenset(
    [
        "causal",
        "masked",
        "scaled",
        "unscaled",
        "unnormalised",
        "unnormalized",
        "normalised",
        "normalized",
        "multi-head",
        "multihead",
        "modified",
        "new",
        "improved",
        "relative",
        "alternative",
        "simplified",
        "corrected",
        "trainable",
        "trained",
        "weighted",
        "stable",
    ]
)
_ANEW = re.compile(
    r"\bnow (?:compute|define|write|consider)|\bredefin|\bfrom (?:here|now) on\b|\binstead\b", re.IGNORECASE
)
_SUPPOSED = re.compile(
    r"\b(?:assum\w*|suppos\w*|such that|provided|given that|given|let|requir\w*|constraints?|subject to|impos\w*|if|"
    r"when|whenever|where|with|unless)\b[^.;:]*$",
    re.IGNORECASE,
)
_STRONGLY_SUPPOSED = re.compile(
    r"\b(?:assum\w*|suppos\w*|such that|provided that|given that|requir\w*|subject to|impos\w*|if|unless)\b[^.;:]*$",
    re.IGNORECASE,
)
_DENIED_BEFORE = re.compile(
    r"\b(?:not true|is false|is wrong|mistake|mistaken\w*|incorrect\w*|wrongly|fails?|does not hold|do not have|erroneous\w*|"
    r"would be wrong|not the case)\b",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"^\W*(?:which |this |that |it )?(?:is|are|was|would be) (?:wrong|false|incorrect|not true|a mistake)",
    re.IGNORECASE,
)
_CODE_NAME = re.compile(r"`([A-Za-z_][\w.]*)`\s*[=:]?\s*$")
_SAID_AFTER = re.compile(r"^\s*,?\s*(?:for|if|when|whenever|for all|for every)\s+⟦(\d+)⟧", re.IGNORECASE)
_ZERO_ELSEWHERE = re.compile(
    r"\b(?:zero|0|vanish\w*)\b[^.]{0,30}\b(?:all other|otherwise|elsewhere|everywhere else|the rest)\b", re.IGNORECASE
)
_PROPERTIES = re.compile(
    r"\b(?:permutation|permuted|orthogonal|orthonormal|symmetric|diagonal|invertible|inverse|unitary|projection|positive|"
    r"non-?negative|unit (?:vectors?|norm|length|variance)|one-hot|independent|zero[- ]mean|identity|uniform|constant|sorted|distinct|rotation|"
    r"stochastic|triangular|random|idempotent|singular|centred|centered|sums? to)\b",
    re.IGNORECASE,
)
"""Properties of given tensors that words may state and that are not read: a claim about such a tensor is not refuted."""
_CONDITION_WORDS = re.compile(r"\b(?:if|for|when|unless|provided|assuming|given|where|such that)\b", re.IGNORECASE)

Key = tuple[int, int, int]
"""A relation of the document: span, reading, link."""


@dataclass(slots=True)
class Item:
    """One reading of one span."""

    span: MathSpan
    number: int
    reading: Reading
    section: tuple[str, ...]
    context: Context
    before: Node | None
    """The last right side of the row above, for a row that begins with its relation sign."""


@dataclass(slots=True)
class _Walk:
    """What one walk over the document keeps."""

    build: bool
    forced: Mapping[tuple[object, ...], str] = field(default_factory=dict)
    only: Key | None = None
    findings: dict[Key, Finding] = field(default_factory=dict)
    choices: dict[Key, list[Choice]] = field(default_factory=dict)
    origins: dict[str, Key] = field(default_factory=dict)
    uses: dict[Key, set[Key]] = field(default_factory=dict)
    hypotheses: list[tuple[Key, Statement]] = field(default_factory=list)
    busy: set[Key] = field(default_factory=set)
    introduced: dict[str, int] = field(default_factory=dict)
    clock: int = 0


def study(document: Document, *, decide: Decide, macros: Mapping[str, object] | None = None) -> list[Finding]:
    """One finding for each definition, claim, step, hypothesis, shape statement and unread equation, in document order.

    `decide(statement, theory)` settles claims; nothing of the document is executed.
    """
    return _Study(document, decide).findings()


class _Study:
    def __init__(self, document: Document, decide: Decide) -> None:
        self.document, self.decide = document, decide
        self.items: list[Item] = []
        self.unread: dict[Key, Finding] = {}
        self._read()
        self.names = Names([i.reading for i in self.items])
        self.lefts: dict[str, list[tuple[Item, int]]] = {}
        self._collect_lefts()
        self.outcomes: dict[Key, str] = {}
        self.properties = self._collect_properties()
        self.table = Table(self.names)
        self.walk = _Walk(build=False)

    # --- reading ----------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        for span in self.document.spans:
            context = self.document.context(span)
            section = self.document.block_of(span).section
            try:
                readings = read_equation(span.source)
            except ReadError as error:
                if span.display or "=" in span.source:
                    self._not_read(span, error)
                continue
            before: Node | None = None
            for number, reading in enumerate(_continued([spelled(r) for r in readings])):
                chain = reading.chain
                self.items.append(Item(span, number, reading, section, context, before))
                before = chain.links[-1][1] if chain.links else chain.first

    def _not_read(self, span: MathSpan, error: ReadError) -> None:
        place = span.locate(min(max(error.offset, 0), len(span.source)))
        key = (span.index, 0, 0)
        self.unread[key] = Finding(
            "claim",
            "unread",
            place,
            span.text.origins[-1][0],
            span.source.strip(),
            span.index,
            code=error.code,
            reason=error.message,
        )

    def _collect_lefts(self) -> None:
        scratch = Table(self.names)
        for item in self.items:
            chain = item.reading.chain
            if chain.first is None or not chain.links or chain.links[0][0] not in ("=", "equiv"):
                continue
            if isinstance(chain.links[0][1], Listed):
                continue
            left = left_side(Elaborator(scratch), chain.first)
            if left is not None:
                self.lefts.setdefault(left.stem, []).append((item, 0))

    def _collect_properties(self) -> dict[str, str]:
        """Words about given names that are not read: `let P be a permutation matrix`."""
        found: dict[str, str] = {}
        by_span: dict[int, list[Item]] = {}
        for item in self.items:
            by_span.setdefault(item.span.index, []).append(item)
        for paragraph in dict.fromkeys(i.context.paragraph for i in self.items):
            for sentence in sentences(paragraph):
                for word, number in _near_properties(sentence):
                    for item in by_span.get(number, ()):
                        chain = item.reading.chain
                        if chain.first is None or any(relation != "in" for relation, _ in chain.links):
                            continue
                        for node in members(chain.first):
                            w = self.names.written(node)
                            if w is not None:
                                found.setdefault(w.stem, word)
        return found

    # --- walks --------------------------------------------------------------------------------------------------------

    def findings(self) -> list[Finding]:
        self._declare()
        self._run(_Walk(build=False))
        given = {k: s for k, s in self.table.symbols.items() if not s.defined and s.parameters is None}
        self._second = given
        main = self._run(_Walk(build=True))
        for key, finding in main.findings.items():
            if finding.status == "refuted":
                self._other_readings(key, finding, main)
        ordered = sorted({**self.unread, **main.findings}.items())
        positions = {key: n for n, (key, _) in enumerate(ordered)}
        for key, finding in ordered:
            finding.position = positions[key]
            finding.depends_on = tuple(
                sorted(positions[k] for k in main.uses.get(key, ()) if k in positions and k != key)
            )
        return [f for _, f in ordered]

    def _declare(self) -> None:
        table = self.table
        table.rows_are_vectors = any(speaks_of_rows(i.context.paragraph) for i in self.items)
        ranges = [i for i in self.items if i.reading.chain.links and isinstance(i.reading.chain.links[0][1], Listed)]
        for item in ranges:
            declare(table, item.reading.chain)
        for item in self.items:
            for condition in item.reading.conditions:
                if isinstance(condition, Chain):
                    declare(table, condition)
        for item in self.items:
            declare(table, item.reading.chain)
        first = {i.span.index: i.reading.chain.first for i in reversed(self.items)}
        for paragraph in dict.fromkeys(i.context.paragraph for i in self.items):
            for matrix, row in rows_named(paragraph):
                whole = self._bare_stem(first.get(matrix))
                part = self._bare_stem(next(members(first.get(row)), None))
                if whole is not None and part is not None and whole != part:
                    table.rows[part] = whole
        for item in self.items:
            for node in walk(item.reading.chain):
                shared_lists(self.names, table, node)

    def _bare_stem(self, node: Node | None) -> str | None:
        w = self.names.written(node) if node is not None else None
        return None if w is None else w.stem

    def _run(self, walk_state: _Walk) -> _Walk:
        table = self.table
        given = getattr(self, "_second", {}) if walk_state.build else {}
        table.symbols = dict(given)
        table.heads = {s.head for s in given.values()}
        table.theory = Theory()
        table.display = {}
        self.walk = walk_state
        for item in self.items:
            self._item(item)
        return walk_state

    def _other_readings(self, key: Key, finding: Finding, main: _Walk) -> None:
        """Refuted means: under every reading that the document leaves open."""
        keys, todo = {key}, [key]
        while todo:
            for k in main.uses.get(todo.pop(), ()):
                if k not in keys:
                    keys.add(k)
                    todo.append(k)
        open_points = {c.key: c for k in keys for c in main.choices.get(k, ()) if not c.settled}
        if not open_points:
            return
        points = list(open_points.values())
        alternatives = list(itertools.product(*(c.options for c in points)))[1:MAX_READINGS]
        for taken in alternatives:
            forced = {c.key: option for c, option in zip(points, taken, strict=True)}
            other = self._run(_Walk(build=True, forced=forced, only=key)).findings.get(key)
            if other is None or other.status != "refuted":
                said = "; ".join(f"{c.key[1]}: {option}" for c, option in zip(points, taken, strict=True))
                finding.status, finding.code = "undecided", "ambiguous"
                finding.reason = f"false as read, but not under another reading that the document leaves open ({said})"
                return

    # --- one equation ---------------------------------------------------------------------------------------------------

    def _item(self, item: Item) -> None:
        chain = item.reading.chain
        first = chain.first if chain.first is not None else item.before
        if not chain.links:
            return
        left = first
        for link, (relation, right) in enumerate(chain.links):
            key = (item.span.index, item.number, link)
            if key not in self.walk.findings and key not in self.walk.busy:
                self._link(item, key, left, relation, right, link == 0 and chain.first is not None)
            left = right

    def _link(self, item: Item, key: Key, left: Node | None, relation: str, right: Node, leads: bool) -> None:
        self.walk.busy.add(key)
        mark = self.table.sizes.mark()
        try:
            if left is None:
                raise NotUnderstood("unknown-notation", "a relation without a left side", right.span)
            self._relation(item, key, left, relation, right, leads)
        except NotUnderstood as problem:
            self.table.sizes.undo(mark)
            self._note_unread(item, key, left, right, problem)
        except TermError as problem:
            self.table.sizes.undo(mark)
            self._note_unread(item, key, left, right, NotUnderstood("too-large", str(problem), right.span))
        finally:
            self.walk.busy.discard(key)

    def _relation(self, item: Item, key: Key, left: Node, relation: str, right: Node, leads: bool) -> None:
        chain = item.reading.chain
        if relation == "in":
            self._membership(item, key, left, right)
            return
        if relation == "gets":
            self._skip(item, key, left, right, "update", "an assignment of a program variable")
            return
        if relation in OUT_OF_SCOPE:
            raise NotUnderstood(
                "out-of-scope", f"the relation {relation} states nothing that is decided here", right.span
            )
        if relation == "!=":
            raise NotUnderstood("unknown-notation", "an inequality of values (≠) is not decided yet", right.span)
        if relation not in CLAIMED:
            raise NotUnderstood("unknown-notation", f"the relation {relation} is not read", right.span)
        if isinstance(right, Listed) and leads:  # i = 1, …, n is a range, taken over already
            if letter(left) is not None:
                return
            raise NotUnderstood("unknown-notation", "a list of values is not read", right.span)
        e = self._elaborator(item)
        if CLAIMED[relation] != "=" and self._is_range(e, left, right):
            return
        if leads and CLAIMED[relation] == "=":
            w = self.names.written(left)
            if w is not None and self.table.is_size(w):
                self._skip(item, key, left, right, "size", "a stated size")
                return
            defined = left_side(e, left)
            if defined is not None and chain.first is left:
                self._definition_or_claim(item, key, e, defined, left, right)
                return
        kind = "claim" if leads else "step"
        self._claim(item, key, e, kind, left, CLAIMED[relation], right)

    def _is_range(self, e: Elaborator, left: Node, right: Node) -> bool:
        """Whether both sides of an inequality are indices or sizes: a range, not a claim."""
        letters = {c for side in (left, right) for n in walk(side) if (c := letter(n)) is not None}
        for c in letters & (self.names.index_letters | set("ijt")):
            e.free_variable(c)
        try:
            e.written_index(left, e.free)
            e.written_index(right, e.free)
        except NotUnderstood:
            return False
        return True

    def _elaborator(self, item: Item) -> Elaborator:
        self.table.later = lambda stem: self._define_later(stem, item)
        return Elaborator(self.table, (item.span.index, item.number), self.walk.forced, axis_words(item.context))

    def _define_later(self, stem: str, item: Item) -> bool:
        """Take the first later definition of `stem` in the section of `item`."""
        if stem in self.table.declared:
            return False
        for other, link in self.lefts.get(stem, ()):
            key = (other.span.index, other.number, link)
            if (other.span.index, other.number) <= (item.span.index, item.number) or other.section != item.section:
                continue
            if key in self.walk.busy or key in self.walk.findings:
                continue
            first = other.reading.chain.first
            if first is None:
                continue
            keep = self.table.later
            relation, right = other.reading.chain.links[link]
            self._link(other, key, first, relation, right, True)
            self.table.later = keep
            return stem in self.table.symbols
        return False

    # --- definitions ------------------------------------------------------------------------------------------------------

    def _definition_or_claim(
        self, item: Item, key: Key, e: Elaborator, left: LeftSide, node: Node, right: Node
    ) -> None:
        known = self.table.symbols.get(left.stem)
        count = len(left.written.slots)
        itself = any(w.stem == left.stem and len(w.slots) == count for w in uses(self.names, right))
        if known is not None and not known.defined and not left.slots and left.parameters is None and _is_number(right):
            self._skip(item, key, node, right, "special-case", "a special value of a given quantity")
            return
        if known is None or not known.defined:
            if itself and left.parameters is None:
                self._skip(item, key, node, right, "update", f"{left.stem} is written in terms of itself")
                return
            self._define(item, key, e, left, node, right, None)
            return
        if known.parameters is None and left.parameters is None and known.call == left.call:
            further = self._further_case(item, key, e, left, node, right, known)
            if further:
                return
            e = self._elaborator(item)
        if self._is_more_general(e, left, known):
            note = f"{left.stem} was defined before for fewer indices; from here on this definition holds"
            self._define(item, key, e, left, node, right, None, note)
            return
        e = self._elaborator(item)
        outcome = self.outcomes.get(key)
        if outcome != "version":
            mark = self.table.sizes.mark()
            problem: NotUnderstood | None = None
            try:
                self._claim(item, key, e, "claim", node, "=", right)
            except NotUnderstood as found:
                self.table.sizes.undo(mark)
                problem = found
            finding = self.walk.findings.get(key)
            if not self.walk.build or (finding is not None and finding.status == "proved") or outcome == "claim":
                self.outcomes_if_main(key, "claim")
                if problem is not None:
                    raise problem
                return
            if finding is not None and finding.code in ("denied", "rounded-number"):
                return
            if itself and left.parameters is None:
                self._skip(item, key, node, right, "update", f"{left.stem} is written in terms of itself")
                return
            reason = self._new_version(item, left, known, right)
            if reason is None:
                self.outcomes_if_main(key, "claim")
                if problem is not None:
                    raise problem
                return
            note = f"a new version of {left.stem}: {reason}"
            self.outcomes_if_main(key, "version")
        else:
            note = f"a new version of {left.stem}"
        self._define(item, key, self._elaborator(item), left, node, right, None, note)

    def outcomes_if_main(self, key: Key, outcome: str) -> None:
        if self.walk.build and self.walk.only is None:
            self.outcomes[key] = outcome

    def _further_case(
        self, item: Item, key: Key, e: Elaborator, left: LeftSide, node: Node, right: Node, known: Symbol
    ) -> bool:
        """Another entry pattern of a symbol that is defined entry by entry: 2j and 2j + 1."""
        if len(left.slots) != known.slots or not left.slots:
            return False
        letters_first(e, left)
        mark = self.table.sizes.mark()
        try:
            patterns = [None if s.node is None else e.written_index(s.node, e.free) for s in left.slots]
        except NotUnderstood:
            return False
        if not self.walk.build:
            self.table.sizes.undo(mark)
            return (
                all(p is not None for p in patterns)
                and any(p.is_constant or p.const for p in patterns if p is not None)
                and (self.walk.introduced.get(left.stem, 0) == self.walk.clock)
            )
        for extra in ((), self._beyond(e, left, known)):
            try:
                self._define(item, key, e, left, node, right, known, extra=extra)
            except (NotUnderstood, _Refusal):
                self.table.sizes.undo(mark)
                e = self._elaborator(item)
                continue
            return True
        return False

    def _beyond(self, e: Elaborator, left: LeftSide, known: Symbol) -> tuple[Constraint, ...]:
        """`\\omega_{2T}` after `\\omega_{21}` and `\\omega_{22}`: T lies beyond the numbers before it."""
        found: list[Constraint] = []
        for k, slot in enumerate(left.slots):
            if slot.node is None:
                continue
            at = e.written_index(slot.node, e.free) - known.base
            earlier = [d.indices[k] for d in self.table.theory.definitions.get(known.head, ()) if k < len(d.indices)]
            if at.sizes and not at.free and earlier and all(i.is_constant for i in earlier):
                found.append(less(Index.of(max(i.const for i in earlier)), at))
        return tuple(found)

    def _is_more_general(self, e: Elaborator, left: LeftSide, known: Symbol) -> bool:
        """Whether the left side covers entries that no earlier definition of the name covers."""
        if known.parameters is not None or left.parameters is not None or known.call != left.call:
            return (known.parameters is None) != (left.parameters is None) or known.call != left.call
        if len(left.slots) != known.slots and left.slots and known.slots:
            return len(known.dims) < len(left.slots)
        if not self.walk.build:
            return False
        definitions = self.table.theory.definitions.get(known.head, ())
        letters_first(e, left)
        try:
            at = [None if s.node is None else e.written_index(s.node, e.free) - known.base for s in left.slots]
        except NotUnderstood:
            return False
        for d in definitions:
            filled = [p if a is None else a for a, p in itertools.zip_longest(at, d.indices)]
            if len(filled) == len(d.indices) and instance(d, Entry(known.head, filled), ()) is not None:  # type: ignore[arg-type]
                return False
        return True

    def _define(
        self,
        item: Item,
        key: Key,
        e: Elaborator,
        left: LeftSide,
        node: Node,
        right: Node,
        known: Symbol | None,
        note: str | None = None,
        extra: tuple[Constraint, ...] = (),
    ) -> None:
        """Elaborate and admit a definition; raises `NotUnderstood`, or `_Refusal` for a further case that overlaps."""
        table, state = self.table, self.walk
        letters_first(e, left)
        conditions, unclear = self._conditions(item, e)
        if unclear:
            raise NotUnderstood("unknown-notation", f"the condition is not read: {unclear}", node.span)
        head = known.head if known is not None else ""
        if left.stem in state.introduced and known is None:
            table.declared.pop(left.stem, None)
        pending = define(e, left, right, [*conditions, *extra], head, known)
        symbol = pending.symbol
        if (conditions or extra) and pending.body.rank == 0 and _ZERO_ELSEWHERE.search(item.context.after):
            pending.complete_with_zero()
            e.readings.append((f"{left.stem} is zero elsewhere", "document"))
        earlier = table.symbols.get(left.stem)
        if known is None:
            symbol.head = table.new_head(left.stem) if earlier is None or earlier.head else left.stem
        dependences = self._dependences(e)
        finding = None
        if state.build:
            finding = self._admit(item, key, e, pending, node, right, known)
        self._introduce(e)
        symbol.defined = True
        table.symbols[left.stem] = symbol
        state.clock += 1
        state.introduced[left.stem] = state.clock
        state.origins[symbol.head] = key
        state.uses[key] = dependences
        state.choices[key] = e.taken
        if finding is not None:
            if note:
                finding.notes = (*finding.notes, note)
            finding.theory = table.view()
            state.findings[key] = finding

    def _admit(
        self, item: Item, key: Key, e: Elaborator, pending: Pending, node: Node, right: Node, known: Symbol | None
    ) -> Finding:
        symbol = pending.symbol
        made = definition(e, pending)
        made = self._closed(made, pending)
        earlier = self.table.symbols.get(symbol.stem)
        if known is None and earlier is not None and not earlier.defined:
            pass  # a given name that is defined after its use: the new head is another symbol
        try:
            self.table.put(made, admit)
        except NotConservative as refusal:
            if known is not None:
                raise _Refusal(str(refusal)) from refusal
            raise NotUnderstood("not-conservative", str(refusal), node.span) from refusal
        self.table.display[symbol.head] = self._display(item, node)
        finding = self._finding(item, key, "definition", "defined", node, right)
        finding.name, finding.definition = symbol.head, made
        finding.assumptions = self._readings(item, e)
        return finding

    def _closed(self, made: object, pending: Pending) -> object:
        """A function-style definition may not hide its parameters inside other definitions: those are unfolded."""
        from derivations.documents.unfolding import closed

        return closed(made, self.table.view())  # type: ignore[arg-type]

    def _new_version(self, item: Item, left: LeftSide, known: Symbol, right: Node) -> str | None:
        """Why an unproved repetition of a left side defines something new; None when it is a claim."""
        since = self.walk.introduced.get(left.stem, 0)
        own = {p.stem for p in left.parameters or ()}
        for w in uses(self.names, right):
            if w.stem == left.stem or w.stem in own or self.table.is_size(w):
                continue
            if self.walk.introduced.get(w.stem, 0) > since:
                return f"its right side uses {w.stem}, introduced since"
        origin = self.walk.origins.get(known.head)
        old = next((i for i in self.items if origin and (i.span.index, i.number) == origin[:2]), None)
        if old is None:
            return None
        code, old_code = _code_name(item), _code_name(old)
        if code is not None and old_code is not None and code != old_code:
            return f"the text calls it {code}, not {old_code}"
        words, old_words = _words(item.context.before), _words(old.context.before)
        named = sorted((words - old_words) & _QUALIFIERS)
        if named:
            return f"the text speaks of another object ({named[0]})"
        if _ANEW.search(item.context.before):
            return "the text starts anew"
        return None

    # --- claims ------------------------------------------------------------------------------------------------------------

    def _claim(self, item: Item, key: Key, e: Elaborator, kind: str, left: Node, relation: str, right: Node) -> None:
        state = self.walk
        left_name = left_side(e, left)
        if left_name is not None:
            letters_first(e, left_name)
            for v in e.free.values():
                if letter(left) is None and v.base is not None and left_name.stem not in self.table.symbols:
                    v.base = None
        e.declare_free(left)
        e.declare_free(right)
        conditions, unclear = self._conditions(item, e)
        if relation == "=" and left_name is not None and self._names_rank(left_name) == 0:
            e.expected = 0
        a, b = e.value(left, {}), e.value(right, {})
        compared = compare(e, a, relation, b, conditions, right)
        state.choices[key] = e.taken
        state.uses[key] = self._dependences(e)
        self._introduce(e)
        if not state.build:
            return
        finding = self._finding(item, key, kind, "undecided", left, right)
        finding.statements = tuple(statements(e, compared))
        finding.theory = self.table.view()
        finding.assumptions = self._readings(item, e)
        state.findings[key] = finding
        if state.only is None or state.only == key:
            self._settle(item, key, finding, unclear, left, right)

    def _introduce(self, e: Elaborator) -> None:
        """Given names that occur for the first time."""
        for symbol in e.used.values():
            if not symbol.defined and symbol.stem not in self.walk.introduced:
                self.walk.clock += 1
                self.walk.introduced[symbol.stem] = self.walk.clock

    def _names_rank(self, left: LeftSide) -> int | None:
        symbol = self.table.symbols.get(left.stem)
        return None if symbol is None else len(symbol.dims) - len(left.slots)

    def _settle(self, item: Item, key: Key, finding: Finding, unclear: str, left: Node, right: Node) -> None:
        """Decide the statements of a claim, and what an unproved one is."""
        hypotheses = self._relevant(finding)
        _decide_all(finding, self.decide)
        if finding.status != "proved" and hypotheses:
            plain = finding.statements
            finding.statements = tuple(
                Statement(s.left, s.relation, s.right, s.indices, s.guard, tuple(h for _, h in hypotheses))
                for s in plain
            )
            _decide_all(finding, self.decide)
            self.walk.uses[key] |= {k for k, _ in hypotheses}
        if finding.status == "proved":
            return
        said = self._unread_property(finding)
        if finding.status == "refuted" and said is not None:
            _undecide(
                finding,
                "property-not-read",
                f"false in general, but the text calls {said[0]} {said[1]}, which is not read",
            )
            return
        if unclear:
            _undecide(finding, "condition-not-read", f"a condition is not read: {unclear}")
        elif any(isinstance(n, Literal) and "." in n.text for side in (left, right) for n in walk(side)):
            _undecide(finding, "rounded-number", "it has rounded decimal numbers")
        elif _DENIED_BEFORE.search(item.context.before) or _DENIED_AFTER.search(item.context.after):
            finding.status, finding.code, finding.reason = "skipped", "denied", "the text itself says that it is false"
        elif (
            finding.kind == "claim"
            and finding.status in ("refuted", "undecided")
            and self._is_hypothesis(item, finding)
        ):
            finding.kind, finding.status, finding.decision = "hypothesis", "skipped", None
            finding.code, finding.reason = "hypothesis", "taken as given from here on"
            self.walk.hypotheses += [(key, s) for s in finding.statements]
        elif finding.status == "refuted":
            finding.code = "false-claim"

    def _is_hypothesis(self, item: Item, finding: Finding) -> bool:
        """Introduced as a supposition, or a constraint on names that nothing defines or declares."""
        context = item.context.before
        if len(item.reading.chain.links) > 1 or finding.statement is None:
            return False
        if _STRONGLY_SUPPOSED.search(context):
            return True
        heads = {h for s in finding.statements for h in (*s.left.heads, *s.right.heads)}
        heads -= set()
        defined = heads & set(finding.theory.definitions)
        if defined or not heads:
            return False
        if _SUPPOSED.search(context):
            return True
        return not any(
            self.table.symbols[s].stem in self.table.declared
            for s in self.table.symbols
            if self.table.symbols[s].head in heads
        )

    def _unread_property(self, finding: Finding) -> tuple[str, str] | None:
        """A given tensor of a claim about which the text says something that is not read."""
        heads = {h for s in finding.statements for h in _all_heads(s, finding.theory)}
        for symbol in self.table.symbols.values():
            if symbol.head in heads and not symbol.defined and symbol.stem in self.properties:
                return symbol.stem, self.properties[symbol.stem]
        return None

    def _relevant(self, finding: Finding) -> list[tuple[Key, Statement]]:
        heads = {h for s in finding.statements for h in _all_heads(s, finding.theory)}
        return [(k, h) for k, h in self.walk.hypotheses if heads & {*h.left.heads, *h.right.heads}]

    # --- memberships ------------------------------------------------------------------------------------------------------------

    def _membership(self, item: Item, key: Key, left: Node, right: Node) -> None:
        """A declaration, or a claim about the shape of an expression."""
        exponent = space(right)
        if exponent is None:
            if isinstance(right, Scripted | Name) and space(right) is None and _is_real(right):
                return
            if isinstance(right, Enclosed) or letter(left) is not None or isinstance(left, Listed):
                return
            w = self.names.written(left)
            if w is not None:
                return
            raise NotUnderstood("unknown-notation", "a membership in this set is not read", right.span)
        w = self.names.written(left)
        if isinstance(left, Listed):
            return
        if w is not None:
            symbol = self.table.symbols.get(w.stem)
            if symbol is None or not symbol.defined:
                return
        e = self._elaborator(item)
        declared = sizes_of(e, exponent)
        e.declare_free(left)
        value = e.value(left, {})
        if declared is None:
            raise NotUnderstood("unknown-notation", "this shape is not read", right.span)
        sizes, orient = declared
        self.walk.uses[key] = self._dependences(e)
        if value.rank != len(sizes):
            finding = self._finding(item, key, "shape", "unread", left, right)
            finding.code = "shape-conflict"
            finding.reason = f"the expression has {value.rank} axes, the stated shape {len(sizes)}"
            self.walk.findings[key] = finding
            return
        known = []
        for d, s in zip(value.shape, sizes, strict=True):
            if self.table.sizes.is_known(d):
                known.append((self.table.sizes.index(d), s))
            else:
                self.table.sizes.unify(d, self.table.sizes.declared(s), left.span)
        if not self.walk.build:
            return
        finding = self._finding(item, key, "shape", "undecided", left, right)
        finding.theory = self.table.view()
        finding.assumptions = self._readings(item, e)
        finding.statements = tuple(Statement(IndexValue(a), "=", IndexValue(b)) for a, b in known)
        self.walk.findings[key] = finding
        if known and (self.walk.only is None or self.walk.only == key):
            _decide_all(finding, self.decide)
            if finding.status == "refuted":
                finding.code = "shape-conflict"
        elif not known:
            finding.status, finding.code, finding.reason = "skipped", "declaration", "it only names sizes"

    # --- findings ----------------------------------------------------------------------------------------------------------------

    def _conditions(self, item: Item, e: Elaborator) -> tuple[list[Constraint], str]:
        """The index conditions written after an equation, and the first one that is not understood."""
        found: list[Constraint] = []
        unclear = ""
        for node in (*item.reading.conditions, *self._said_after(item)):
            if _is_remark(node):
                continue
            if isinstance(node, Chain) and node.links and isinstance(node.links[0][1], Listed):
                continue  # a range
            try:
                e.declare_letters(node)
                found += e.constraints(node, e.free)
            except NotUnderstood:
                text = item.span.source[node.span[0] : node.span[1]]
                if isinstance(node, Words | Name) and not _CONDITION_WORDS.search(text):
                    continue
                unclear = unclear or text
        return found, unclear

    def _said_after(self, item: Item) -> Iterator[Node]:
        """A condition in the words after an equation: `$B_{ij} = 0$ for $j \\leq i$`."""
        said = _SAID_AFTER.match(item.context.after)
        if said is None:
            return
        other = [i for i in self.items if i.span.index == int(said.group(1))]
        if len(other) == 1 and other[0].reading.chain.links:
            chain = other[0].reading.chain
            if all(relation in ("<=", "<", ">=", ">") for relation, _ in chain.links):
                yield chain

    def _dependences(self, e: Elaborator) -> set[Key]:
        heads = {s.head for s in e.used.values() if s.defined}
        return {self.walk.origins[h] for h in heads if h in self.walk.origins}

    def _readings(self, item: Item, e: Elaborator) -> tuple[Note, ...]:
        notes = [Note(text, origin, item.span.place) for text, origin in dict.fromkeys(e.readings)]
        if not self.names.base_is_stated and any(v.base is not None for v in e.free.values()):
            base = self.names.document_base
            if self._has_constant_index(item.reading.chain):
                notes.append(Note(f"written indices start from {base}", "reading", item.span.place))
        return tuple(notes)

    def _has_constant_index(self, chain: Chain) -> bool:
        for n in walk(chain):
            w = self.names.written(n) if isinstance(n, Scripted) else None
            if w is not None and any(isinstance(s.node, Literal) for s in w.slots):
                return True
        return False

    def _finding(self, item: Item, key: Key, kind: str, status: str, left: Node, right: Node) -> Finding:
        step = kind == "step" or key[2] > 0
        source = item.span.source
        start = left.span[1] if step else left.span[0]
        if step and not left.span[1] <= right.span[0]:
            start = right.span[0]
        place, end = self._place(item, right if step else left), item.span.locate(max(right.span[1] - 1, 0))
        return Finding(
            kind,
            status,
            place,
            end.line,
            _balanced(source, start, right.span[1]),
            item.span.index,
            display=self._displays(),
            bases={s.head: s.base for s in self.table.symbols.values()},
            styles={s.head: s.styles for s in self.table.symbols.values()},
            code_name=_code_name(item),
        )

    def _place(self, item: Item, node: Node) -> Place:
        return item.span.locate(min(node.span[0], len(item.span.source)))

    def _displays(self) -> Mapping[str, str]:
        return dict(self.table.display)

    def _display(self, item: Item, node: Node) -> str:
        return _balanced(item.span.source, *node.span)

    def _note_unread(self, item: Item, key: Key, left: Node | None, right: Node, problem: NotUnderstood) -> None:
        if not self.walk.build:
            return
        finding = self._finding(item, key, "claim" if key[2] == 0 else "step", "unread", left or right, right)
        offender = problem.span or right.span
        finding.place = self._place(item, left) if left is not None and key[2] == 0 else self._place(item, right)
        finding.code = problem.code
        token = _balanced(item.span.source, *offender)
        place = item.span.locate(min(offender[0], len(item.span.source)))
        finding.reason = f"{problem.message}: {token!r} at line {place.line}, column {place.column}"
        self.walk.findings[key] = finding

    def _skip(self, item: Item, key: Key, left: Node, right: Node, code: str, reason: str) -> None:
        if self.walk.build:
            finding = self._finding(item, key, "hypothesis", "skipped", left, right)
            finding.code, finding.reason = code, reason
            self.walk.findings[key] = finding


def _continued(readings: list[Reading]) -> list[Reading]:
    """Rows that begin with a sign and have no relation continue the row before."""
    rows: list[Reading] = []
    for r in readings:
        chain = r.chain
        if rows and not chain.links and chain.first is not None and r.row > rows[-1].row and rows[-1].chain.links:
            *links, (relation, right) = rows[-1].chain.links
            whole = _appended(right, chain.first)
            if whole is not None:
                joined = replace(rows[-1].chain, links=(*links, (relation, whole)))
                rows[-1] = replace(rows[-1], chain=joined, row=r.row, conditions=(*rows[-1].conditions, *r.conditions))
                continue
        rows.append(r)
    return rows


def _appended(left: Node, more: Node) -> Node | None:
    """`left + a - b` from a row `+ a - b`, None when the row does not begin with a sign."""
    if isinstance(more, Prefix) and more.operator in ("+", "-"):
        return Infix((left.span[0], more.span[1]), more.operator, left, more.operand)
    if isinstance(more, Infix) and more.operator in ("+", "-"):
        start = _appended(left, more.left)
        return None if start is None else Infix((left.span[0], more.span[1]), more.operator, start, more.right)
    return None


class _Refusal(Exception):
    """A further case of a definition that overlaps the ones before."""


def _decide_all(finding: Finding, decide: Decide) -> None:
    """Decide every statement of a finding; one refuted refutes, all proved prove."""
    decisions = [(s, decide(s, finding.theory)) for s in finding.statements]
    order: list[tuple[type, str]] = [(Refuted, "refuted"), (Undecided, "undecided"), (Proved, "proved")]
    for outcome, status in order:
        for s, d in decisions:
            if isinstance(d, outcome):
                finding.statement, finding.decision, finding.status = s, d, status
                if isinstance(d, Undecided):
                    finding.code, finding.reason = d.code, d.reason
                return


def _undecide(finding: Finding, code: str, reason: str) -> None:
    finding.status, finding.code, finding.reason = "undecided", code, reason
    finding.decision = Undecided(reason, finding.statement, code)


def _all_heads(s: Statement, theory: Theory) -> Iterator[str]:
    seen: set[str] = set()
    todo = [*s.left.heads, *s.right.heads]
    while todo:
        head = todo.pop()
        if head not in seen:
            seen.add(head)
            yield head
            for d in theory.definitions.get(head, ()):
                todo += d.body.heads


def _near_properties(sentence: str) -> Iterator[tuple[str, int]]:
    """Property words, each with the formula that stands nearest to it."""
    for word in _PROPERTIES.finditer(sentence):
        near = [
            (min(abs(word.start() - m.end()), abs(m.start() - word.end())), int(m.group(1)))
            for m in re.finditer(r"⟦(\d+)⟧", sentence)
        ]
        for distance, number in sorted(near)[:2]:
            if distance <= 40:
                yield word.group(0).lower(), number


def _balanced(source: str, start: int, end: int) -> str:
    """A piece of the source, with the closing braces that belong to it."""
    text = source[start:end]
    while text.count("{") > text.count("}") and source[end : end + 1] == "}":
        end += 1
        text = source[start:end]
    return text.strip(" \n&")


def _code_name(item: Item) -> str | None:
    found = _CODE_NAME.search(item.context.before.replace("*", ""))
    return found.group(1) if found else None


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z][a-z-]*", text.lower()))


def _is_number(node: Node) -> bool:
    return all(isinstance(n, Literal) or n.parts for n in walk(node)) and not isinstance(node, Listed)


def _is_real(node: Node) -> bool:
    base = node.base if isinstance(node, Scripted) else node
    return isinstance(base, Name) and base.font == "blackboard"


def _is_remark(node: Node) -> bool:
    """Words without a condition: `(variance)`, `\\forall i`, `where`."""
    if isinstance(node, Name | Mark):
        return True
    if isinstance(node, Words):
        rest = re.sub(r"^\W*(?:where|with|and)\W*$", "", node.text.strip(), flags=re.IGNORECASE)
        return not rest or node.text.strip().startswith("(") or not _CONDITION_WORDS.search(rest)
    if isinstance(node, Enclosed):
        return node.content is None or not isinstance(node.content, Chain) or not node.content.links
    if isinstance(node, Chain):
        return (not node.links and (node.first is None or _is_remark(node.first))) or any(
            r == "in" for r, _ in node.links
        )
    if isinstance(node, Adjacent):
        return all(isinstance(n, Mark | Words) or letter(n) is not None for n in node.items)
    return False


__all__ = ["Item", "Written", "study"]
