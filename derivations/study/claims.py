"""Definition, claim, step, new version or hypothesis: what each relation of a document is, decided in document order.

The document is walked twice.  The first walk only unifies shapes, so that a size learned late is known early; the
second builds terms, admits definitions and decides claims.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from derivations.documents.facts.distributions import from_chain, from_relation, is_known
from derivations.documents.facts.sentence_patterns import LOCAL
from derivations.documents.model.document import INTERNAL, Document
from derivations.documents.model.finding import Finding, bug
from derivations.language.term import (
    Entry,
    Law,
    Statement,
    TermError,
    Theory,
    at_least,
    equal,
    less,
)
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.equations import LeftSide, left_side
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.lexicon.name_roles import Form, uses
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.passes.entries import named_rows, naming
from derivations.latex.passes.named_functions import names_function
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.lexer import Macro
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Listed,
    Literal,
    Mark,
    Matrix,
    Name,
    Node,
    Scripted,
    bare,
    differences,
    walk,
)
from derivations.notes import Note
from derivations.study import sections
from derivations.study.equation_walk import Decide, Item, Key, Walk, code_name, is_declared, is_number
from derivations.study.gradients import Gradients
from derivations.study.judging import judge_claim, judge_membership
from derivations.study.open_equations import withhold_about_open_names
from derivations.study.shape_conflicts import judge_shapes
from derivations.study.verdict import all_heads, withheld
from derivations.study.written_conditions import different

MAX_NAMES = 600
"""Most names with a meaning in one document: what is known of all of them goes along with every statement."""
OUT_OF_SCOPE = frozenset(
    """approx propto sim to implies iff mapsto ll gg perp subset notin lessapprox gtrapprox cong""".split()  # noqa: SIM905
)
"""Relations that state nothing that is decided here."""
CLAIMED = {"=": "=", "equiv": "=", "<=": "<=", ">=": ">=", "<": "<", ">": ">", "!=": "!="}
CONFLICTS = frozenset({"shape-conflict", "ambiguous"})
MIN_CONFLICTS = 3
"""Conflicts of shapes in one document that make another reading of its names worth a try."""
USUAL = frozenset({"I", "delta", "e", "pi", "i"})
"""Names that have a meaning of their own where nothing defines them."""
MAX_VERSIONS = 3
"""Versions of one name before its last that a relation is tried with."""
MAX_READINGS = 8
"""Readings tried before a refutation is believed."""


def study(document: Document, *, decide: Decide, macros: Mapping[str, Macro] | None = None) -> list[Finding]:
    """One finding for each definition, claim, step, hypothesis, shape statement and unread equation, in document order.

    `decide(statement, theory)` settles claims; nothing of the document is executed.
    """
    return understood(document, decide, macros)[1]


def understood(
    document: Document,
    decide: Decide,
    macros: Mapping[str, Macro] | None = None,
    defined: Callable[[Finding], object] | None = None,
) -> tuple[Study, list[Finding]]:
    """The study of a document and its findings; `defined` is told each definition while the rest is still decided.

    When several shapes conflict, names that are written in two ways are tried as two names: `x_j` of one row, and later
    `x_{ij}` of a batch.  So are `a` and `a_m` where an equation gives `a_m` in terms of `a`, when something is not
    understood.  That reading counts when less is not understood and no less is proved; it refutes nothing about these
    names.  What is then not understood is looked for in readings of single sections, which refute nothing either.
    """
    chosen, findings = _chosen(document, decide, macros, defined)
    if _read_by_sections(chosen, lambda part: Study(document, decide, macros, chosen.apart, part, chosen.facts)):
        findings = chosen.ordered()
    if judge_shapes(chosen, chosen.main.findings):
        findings = chosen.ordered()
    return chosen, findings


def _read_by_sections(study: Study, make: Callable[[frozenset[int]], Study]) -> bool:
    """Take over what a reading of single sections understands and that of the whole document does not."""
    open_keys = {k for k, f in study.main.findings.items() if f.status == "unread"}
    changed = False
    tried = 0
    for part, keys in sections.parts(study.names, study.items, dict(study.main.findings)):
        if not keys & open_keys or tried >= sections.MAX_PARTS:
            continue
        tried += 1
        other = make(part)
        other.wanted = keys & open_keys
        other.taken_heads = study.heads | {h for p in study.parts.values() for h in p.heads}
        other.findings()
        for key in keys & open_keys:
            found = other.main.findings.get(key)
            if found is not None and found.status in ("undecided", "refuted"):
                open_keys.discard(key)  # it is read, and that is all
            if found is None or found.status not in ("proved", "defined"):
                continue
            if found.status == "proved" and any(s.hypotheses for s in found.statements):
                continue  # what is supposed in the section may be what was not understood
            found.assumptions = (*found.assumptions, Note("names-of-section", place=found.place))
            study.main.findings[key], study.parts[key] = found, other
            study.main.uses[key] = other.main.uses.get(key, set())
            open_keys.discard(key)
            changed = True
    return changed


def _chosen(
    document: Document,
    decide: Decide,
    macros: Mapping[str, Macro] | None,
    defined: Callable[[Finding], object] | None,
) -> tuple[Study, list[Finding]]:
    """The study of the whole document, in the one or the other reading."""
    study = Study(document, decide, macros)
    study.defined = defined
    findings = study.findings()
    apart: dict[str, Form] = {}
    if any(f.status == "unread" for f in findings):
        apart.update(study.names.in_terms_of_bare(i.reading.chain for i in study.items))
    if sum(f.status == "unread" and f.code in CONFLICTS for f in findings) >= MIN_CONFLICTS:
        apart.update(study.names.two_ways(n for i in study.items for n in walk(i.reading.chain)))
    if not apart:
        return study, findings
    other = Study(document, decide, macros, apart, facts=study.facts)
    found = other.findings()
    fewer = sum(f.status == "unread" for f in found) < sum(f.status == "unread" for f in findings)
    kept = sum(f.status == "proved" for f in found) >= sum(f.status == "proved" for f in findings)
    return (other, found) if fewer and kept and _idle(found) <= _idle(findings) else (study, findings)


def _idle(findings: list[Finding]) -> int:
    """Functions that do not depend on an argument: `f(\\mathbf z)_i = e^{z_i}` with the z of the right side another name."""
    made = (f.definition for f in findings if f.definition is not None)
    return sum(any(t.name not in d.body.heads for t in d.tensors) for d in made)


class Study(Gradients):
    """Two walks over a document."""

    taken_heads: frozenset[str] | set[str] = frozenset()
    """Names inside that another study of the same document has."""
    heads: set[str]
    """Names inside of this one."""

    @cached_property
    def parts(self) -> dict[Key, Study]:
        """The studies of single sections from which findings were taken over."""
        return {}

    def findings(self) -> list[Finding]:
        self._declare()
        self.stated = dict(self.table.declared)
        first = self._run(Walk(build=False))
        given = {k: s for k, s in self.table.symbols.items() if not s.defined and s.parameters is None}
        self._second = {**first.given, **given}
        main = self.main = self._run(Walk(build=True))
        withhold_about_open_names(self, main)
        for key, finding in main.findings.items():
            if finding.status in ("refuted", "proved"):
                self._other_readings(key, finding, main)
        self.heads = set(self.table.heads)
        return self.ordered()

    def ordered(self) -> list[Finding]:
        """The findings in document order, each with the numbers of those that it depends on."""
        main = self.main
        ordered = sorted({**self.unread, **main.findings}.items())
        positions = {key: n for n, (key, _) in enumerate(ordered)}
        for key, finding in ordered:
            finding.position = positions[key]
            finding.depends_on = tuple(
                sorted(positions[k] for k in main.uses.get(key, ()) if k in positions and k != key)
            )
        return [f for _, f in ordered]

    def _run(self, walk_state: Walk) -> Walk:
        table = self.table
        given = getattr(self, "_second", {}) if walk_state.build else {}
        table.settled = walk_state.build
        table.symbols, table.declared = dict(given), dict(self.stated)
        table.heads = {s.head for s in given.values()} | self.taken_heads
        table.theory = Theory()
        table.display, table.bases, table.styles, table.laws = {}, {}, {}, {}
        table.twins, table.powers, table.gradients, table.values, table.replaced = {}, {}, {}, {}, []
        self.walk = walk_state
        table.laws.update((stem, Law()) for stem in self.names.random)
        for stated in self.stated_laws:
            try:
                self._take_law(stated, None)
            except NotUnderstood:
                continue  # said in words that are not read: nothing is known then
        for item in self.items:
            walk_state.at = (item.span.index, item.number)
            self._item(item)
        return walk_state

    def called_in_code(self) -> list[tuple[str, str, int]]:
        """Code names that the text puts beside a symbol (`inputs`: $x_i$): (code name, stem, block)."""
        found = []
        for item in self.items:
            name, first = code_name(item), item.reading.chain.first
            w = self.names.written(first) if name is not None and first is not None else None
            if name is not None and w is not None:
                found.append((name, w.stem, self.document.block_of(item.span).index))
        return found

    def named_sizes(self) -> frozenset[str]:
        """The lengths that the document has a name for: they stand in a stated shape or range."""
        named = [d.root().known for d in self.table.sizes.named.values()]
        return frozenset(s for size in named if size is not None for s in size.sizes)

    def other_readings(self, finding: Finding) -> Iterator[list[Finding]]:
        """The findings under each other reading that the document leaves open for one finding of `findings()`."""
        key = next((k for k, f in self.main.findings.items() if f is finding), None)
        if key in self.parts:
            yield from self.parts[key].other_readings(finding)
        elif key is not None:
            for _, walk_state in self._alternatives(key, self.main):
                yield [f for _, f in sorted(walk_state.findings.items())]

    def signs_at(self, span: int, finding: Finding) -> list[Statement]:
        """What the text says, where a formula stands, of the signs of given numbers that a finding speaks of."""
        item = next(iter(self._places().of_span.get(span, ())), None)
        if item is None:
            return []
        heads = {h for s in finding.statements for h in all_heads(s, finding.theory)}
        supposed = [
            (k, h) for k, h, limited in self.main.hypotheses if limited is None and self._still_holds(item, k, h)
        ]
        given = [h for _, h in (*supposed, *self._given_by_facts(item, finding.statements, finding.theory))]
        numbers = [h for h in given if h.relation != "=" and not h.indices and heads & {*h.left.heads, *h.right.heads}]
        return list(dict.fromkeys(numbers))

    def _alternatives(self, key: Key, main: Walk, *, even: bool = False) -> Iterator[tuple[str, Walk]]:
        keys, todo = {key}, [key]
        while todo:
            for k in main.uses.get(todo.pop(), ()):
                if k not in keys:
                    keys.add(k)
                    todo.append(k)
        choices = (c for k in keys for c in main.choices.get(k, ()) if not c.settled and (c.even or not even))
        points = list({c.key: c for c in choices}.values())
        for taken in itertools.islice(itertools.product(*(c.options for c in points)), 1, MAX_READINGS):
            forced = {c.key: option for c, option in zip(points, taken, strict=True)}
            said = "; ".join(f"{c.key[1]}: {option}" for c, option in zip(points, taken, strict=True))
            yield said, self._run(Walk(build=True, forced=forced, only=key))

    def _other_readings(self, key: Key, finding: Finding, main: Walk) -> None:
        """Refuted means: under every reading that the document leaves open; proved: under those that are as good."""
        proved = finding.status == "proved"
        for said, walk_state in self._alternatives(key, main, even=proved):
            other = walk_state.findings.get(key)
            if other is not None and other.status == "unread" and other.code == "shape-conflict":
                continue  # nobody can have meant what has no shape
            if proved and (other is None or other.status != "proved"):
                reason = f"proved as read, but not under a reading that is as good ({said})"
                main.findings[key] = withheld(finding, "ambiguous", reason)
                return
            if not proved and (other is None or other.status != "refuted"):
                reason = f"false as read, but not under another reading that the document leaves open ({said})"
                main.findings[key] = replace(finding, status="undecided", code="ambiguous", reason=reason)
                return

    def _item(self, item: Item) -> None:
        chain = item.reading.chain
        first = chain.first if chain.first is not None else item.before
        if not chain.links:
            return
        left = first
        if first is not None and self._is_worked(chain):
            self._skip(
                item, (item.span.index, item.number, 0), first, chain.links[-1][1], "special-case", "stated numbers"
            )
            return
        if self._is_law(item, chain):
            return
        if first is not None and chain.first is first and names_function(chain, "softmax") is not None:
            key = (item.span.index, item.number, 0)
            self._skip(item, key, first, chain.links[0][1], "declaration", "a name for the softmax")
            return
        for link in self._named_between(item):  # y = f(x) = ... names the function f first
            key = (item.span.index, item.number, link)
            if key not in self.walk.findings and key not in self.walk.busy:
                before = chain.links[link - 1][1] if link else item.before
                self._link(item, key, before, "=", chain.links[link][1], True)
        named = self._names_for_one_thing(chain)
        for link, (relation, right) in enumerate(chain.links):
            key = (item.span.index, item.number, link)
            if link and named:
                self._skip(item, key, left or right, right, "hypothesis", "taken as given: several names for one thing")
                continue
            if key not in self.walk.findings and key not in self.walk.busy:
                self._link(item, key, left, relation, right, link == 0 and chain.first is not None)
            lead = self.walk.findings.get((item.span.index, item.number, 0))
            own = self.walk.findings.get(key)
            after_law = any(r == "sim" for r, _ in chain.links[:link])
            if (
                lead is not None
                and lead.status == "skipped"
                and link
                and not after_law
                and own is not None
                and own.status == "refuted"
            ):
                self._skip(item, key, left or right, right, lead.code or "special-case", lead.reason or "")
            left = right

    def _named_between(self, item: Item) -> list[int]:
        """Links whose left side, inside a chain, is a call of a function that nothing defines."""
        links = item.reading.chain.links
        found = []
        for link in range(len(links)):
            middle = links[link - 1][1] if link else item.before if item.reading.chain.first is None else None
            if middle is not None and links[link][0] == "=" and (not link or links[link - 1][0] == "="):
                side = left_side(self._elaborator(item), middle) if isinstance(middle, Adjacent) else None
                named = side is not None and (side.parameters or any(kind == "member" for kind, _ in side.call or ()))
                if side is not None and named and side.stem not in self.table.symbols:
                    own = (i for i, _ in self.lefts.get(side.stem, ()) if i.reading.chain.first is not None)
                    if next(own, None) is None and not self.table.is_size(side.written):
                        found.append(link)
        return found

    def _is_law(self, item: Item, chain: Chain) -> bool:
        """`E[u_i] = E[w_i] = 0` for names about which nothing is known yet: a hypothesis."""
        stated = from_chain(self.names, chain)
        if stated is None or chain.first is None:
            return False
        for s in stated:
            symbol, law = self.table.symbols.get(s.stem), self.table.laws.get(s.stem)
            if (symbol is not None and symbol.defined) or is_known(law, s.kind):
                return False
            if symbol is not None and self._speaks_of(s.value, symbol):
                return False  # E[X] = \\mu_X, where \\mu_X is defined as E[X]
        key, last = (item.span.index, item.number, 0), chain.links[-1][1]
        try:
            for s in stated:
                self._take_law(s, item)
        except NotUnderstood as problem:  # the value of the moment is not read: nothing is known then
            self._note_unread(item, key, chain.first, last, problem)
            return True
        self._skip(item, key, chain.first, last, "hypothesis", "taken as given: a mean or a variance")
        return True

    def _speaks_of(self, value: Node | int, symbol: Symbol) -> bool:
        """Whether the definition of a name in a value goes back to a given name."""
        used = [] if isinstance(value, int) else [self.table.find(w) for w in uses(self.names, value)]
        heads = [s.head for s in used if s is not None and s.defined and s.parameters is None]
        return any(self.table.theory.depends(Entry(h), frozenset((symbol.head,))) for h in heads)

    def _is_worked(self, chain: Chain) -> bool:
        """`H = W = 32`: bare names that are given a number."""
        sides = [chain.first, *(n for _, n in chain.links)]
        if any(relation != "=" for relation, _ in chain.links) or not isinstance(sides[-1], Literal) or len(sides) < 3:
            return False
        bare = [self.names.written(n) if n is not None else None for n in sides[:-1]]
        return all(w is not None and not w.slots for w in bare)

    def _names_for_one_thing(self, chain: Chain) -> bool:
        """`x = query = key = value`: bare names of which nothing is known."""
        sides = [n for _, n in chain.links]
        if len(sides) < 2 or any(relation != "=" for relation, _ in chain.links):
            return False
        written = [self.names.written(n) for n in sides]
        if is_number(sides[-1]) or (isinstance(sides[-1], Name) and sides[-1].base in ("1", "0")):  # w = b = 1
            written.pop()
        if any(w is None or w.slots or w.transposed or w.power is not None for w in written):
            return False
        known = [self.table.find(w) for w in written if w is not None]
        return not any(s is not None and s.defined for s in known)

    def _link(self, item: Item, key: Key, left: Node | None, relation: str, right: Node, leads: bool) -> None:
        self.walk.busy.add(key)
        mark = self.table.sizes.mark()
        try:
            if len(self.table.symbols) > MAX_NAMES:
                raise NotUnderstood(
                    "too-large", f"needed at most {MAX_NAMES} names in a document, found more", right.span
                )
            if left is None:
                code = "unknown-notation" if item.span.display else "out-of-scope"  # all entries are $\\ge 0$
                raise NotUnderstood(code, "a relation without a left side", right.span)
            self._relation(item, key, left, relation, right, leads)
        except NotUnderstood as problem:
            self.table.sizes.undo(mark)
            if left is None or not (
                self._with_given_gradients(item, key, left, relation, right, leads, problem)
                or self._as_before(item, key, left, relation, right, leads, problem)
            ):
                self._note_unread(item, key, left, right, problem)
        except TermError as problem:
            self.table.sizes.undo(mark)
            self._note_unread(item, key, left, right, NotUnderstood("too-large", str(problem), right.span))
        except (RecursionError, MemoryError) as problem:
            self.table.sizes.undo(mark)
            message = f"needed a statement that fits into memory, found {type(problem).__name__}"
            self._note_unread(item, key, left, right, NotUnderstood("too-large", message, right.span))
        except Exception as problem:  # noqa: BLE001 - a bug of ours costs one statement, and is reported as what it is
            self.table.sizes.undo(mark)
            self._note_unread(item, key, left, right, NotUnderstood(INTERNAL, bug(problem), right.span))
        finally:
            self.walk.busy.discard(key)

    def _as_before(
        self, item: Item, key: Key, left: Node, relation: str, right: Node, leads: bool, problem: NotUnderstood
    ) -> bool:
        """Read a relation with a name as it stood before its last definition; that refutes nothing."""
        if problem.code in ("out-of-scope", "too-large"):
            return False
        stems = dict.fromkeys(w.stem for side in (left, right) for w in uses(self.names, side))
        for stem in (s for s in stems if s in self.walk.versions):
            for old in self.walk.versions[stem][: -MAX_VERSIONS - 1 : -1]:
                now, mark = self.table.symbols.get(stem), self.table.sizes.mark()
                self.table.symbols[stem] = old
                try:
                    self._relation(item, key, left, relation, right, leads)
                except (NotUnderstood, TermError, RecursionError):
                    self.table.sizes.undo(mark)
                    continue
                finally:
                    if self.table.symbols.get(stem) is old and now is not None:
                        self.table.symbols[stem] = now
                self._say_version(key, stem, old)
                return True
        return False

    def _say_version(self, key: Key, stem: str, old: Symbol) -> None:
        finding = self.walk.findings.get(key)
        if finding is None:
            return
        made = self.walk.findings.get(self.walk.origins.get(old.head, key))
        note = Note("given-before", (stem,), place=finding.place)
        if made is not None and made is not finding:
            note = Note("version-of-line", (stem, str(made.place.line)), place=finding.place)
        finding.assumptions = (*finding.assumptions, note)
        if finding.status == "refuted":
            self.walk.findings[key] = withheld(finding, "ambiguous", f"false as read, with {note.text}")

    def _relation(self, item: Item, key: Key, left: Node, relation: str, right: Node, leads: bool) -> None:
        chain = item.reading.chain
        if relation == "in":
            lead = self.walk.findings.get((*key[:2], 0)) if key[2] else None
            if lead is not None and lead.status == "unread":
                self._skip(item, key, left, right, "declaration", "what it is about is not read")
                return
            judge_membership(self, item, key, left, right)
            return
        if relation == "gets" and not (leads and self._is_first_assignment(left, right)):
            self._skip(item, key, left, right, "update", "an assignment of a program variable")
            return
        if relation == "gets":
            relation = "="
        stated = from_relation(self.names, left, right) if relation == "sim" else None
        if stated is not None:
            before = dict(self.table.laws)
            try:
                for s in stated:
                    self._take_law(s, item)
            except NotUnderstood:
                self.table.laws = before  # a mean without its variance would say too much
                raise
            self._skip(item, key, left, right, "hypothesis", "taken as given: a distribution")
            return
        if relation in ("to", "implies") and key[2] and item.reading.chain.links[key[2] - 1][0] == "sim":
            return  # what follows is claimed of these distributions
        if leads and relation == "=" and self._names_members(left, right):
            self._skip(item, key, left, right, "declaration", "it names the members")
            return
        if relation == "=" and self._names_entries(item, key, left, right):
            return
        if relation in OUT_OF_SCOPE:
            raise NotUnderstood(
                "out-of-scope", f"the relation {relation} states nothing that is decided here", right.span
            )
        if relation == "!=" and different(chain) is not None:
            return  # a condition on indices for what follows
        if relation == "colon" and isinstance(right, Chain | Enclosed):
            self._skip(item, key, left, right, "declaration", "it says of what kind something is")
            return
        if leads and relation == "=" and _is_set(right):
            self._skip(item, key, left, right, "declaration", "it names a set")
            return
        if relation not in CLAIMED:
            raise NotUnderstood("unknown-notation", f"the relation {relation} is not read", right.span)
        self._compared_sides(item, key, left, CLAIMED[relation], right, leads)

    def _compared_sides(self, item: Item, key: Key, left: Node, relation: str, right: Node, leads: bool) -> None:
        """An equation or an inequality: a range, a stated size, a definition, or a claim."""
        chain = item.reading.chain
        if isinstance(right, Listed) and leads:  # i = 1, …, n is a range, taken over already
            if letter(left) is not None:
                return
            raise NotUnderstood("unknown-notation", "a list of values is not read", right.span)
        e = self._elaborator(item)
        if relation != "=" and self._is_range(e, left, right):
            self._take_lengths(item, e, left, relation, right)
            return
        c = letter(left)
        if c is not None and c in self.names.index_letters | set("ijt") and self._is_range(e, left, right):
            return  # i = j: a special index
        e = self._elaborator(item)
        if leads and relation == "=" and not is_declared(self.document, item.span.index):
            w = self.names.written(left)
            if w is not None and self.table.is_size(w):
                self._take_lengths(item, e, left, "=", right)
                self._skip(item, key, left, right, "size", "a stated size")
                return
            defined = left_side(e, left)
            if defined is not None and (
                chain.first is left or ((defined.parameters or defined.call) and key[2] in self._named_between(item))
            ):
                self._definition_or_claim(item, key, e, defined, left, right)
                return
        if leads and relation == "=" and (own := self._named_whole(item, e, left, right)) is not None:
            self._define(item, key, e, own, right, left, None, "its right side gives the left side a name")
            if key in self.walk.findings:
                self._show_whole(item, key, left, right)
            return
        if not leads and relation == "=" and (own := self._named_entries(item, right)) is not None:
            self._define(item, key, e, own, right, left, None, "the step gives the entries a name")
            if key in self.walk.findings:
                self._show_whole(item, key, left, right)
            return
        if not leads and relation == "=" and (named := self._named_part(left, right)) is not None:
            name, part = named
            own = left_side(e, name)
            if own is not None:
                self._define(item, key, e, own, name, part, None, "the step gives this part a name")
                if key in self.walk.findings:
                    self._show_whole(item, key, left, right)
                return
        after_arrow = key[2] > 0 and chain.links[key[2] - 1][0] in ("to", "implies")
        kind = "claim" if leads or after_arrow else "step"
        judge_claim(self, item, key, e, kind, left, relation, right)

    def _show_whole(self, item: Item, key: Key, left: Node, right: Node) -> None:
        """Let the definition that a relation makes show the whole relation."""
        shown = self._finding(item, key, "definition", "defined", left, right)
        made = self.walk.findings[key]
        made.source, made.place, made.end_line = shown.source, shown.place, shown.end_line

    def _named_whole(self, item: Item, e: Elaborator, left: Node, right: Node) -> LeftSide | None:
        r"""A name that nobody has used or declared before for something that is no name: S in `Q K^\\top = S`."""
        base = right.base if isinstance(right, Scripted) else right
        own = left_side(e, right) if isinstance(base, Name) else None
        if own is None or left_side(e, left) is not None or isinstance(left, Literal) or is_number(left):
            return None
        known = {*self.walk.introduced, *self.table.declared, *self.names.index_letters, *self.names.random}
        if own.stem in known | USUAL or not own.stem[0].isalpha():
            return None
        if self.table.is_size(own.written) or any(w.stem == own.stem for w in uses(self.names, left)):
            return None
        if own.stem not in self.with_named_entries and self._is_defined_here(item, own.stem):
            return None
        written = list(uses(self.names, left))
        left_names = (self.table.find(w) for w in written)
        defined = any(s is not None and s.defined for s in left_names)
        return own if defined or any(w.stem in self.with_named_entries for w in written) else None

    def _is_defined_here(self, item: Item, stem: str) -> bool:
        """Whether an equation of the same section has the name on its left side."""
        return any(other.section == item.section for other, _ in self.lefts.get(stem, ()))

    def _named_entries(self, item: Item, node: Node) -> LeftSide | None:
        """A name that nobody has used before for the entries of a matrix, written out as `s_{11}`, `s_{12}`, ..."""
        if not isinstance(node, Matrix) or len(node.rows) < 2 or len(node.rows[0]) < 2:
            return None
        places = [(n, f"{i}{j}") for i, row in enumerate(node.rows, 1) for j, n in enumerate(row, 1)]
        written = [self.names.written(n) for n, _ in places]
        first = written[0]
        if first is None or first.stem in {*self.walk.introduced, *self.table.declared}:
            return None
        own = (f for k, f in self.walk.findings.items() if k[:2] == (item.span.index, item.number))
        if any(f.status == "refuted" for f in own) or self._is_defined_here(item, first.stem):
            return None
        for w, (_, place) in zip(written, places, strict=True):
            slots = () if w is None else w.slots
            numbers = [s.node.text for s in slots if isinstance(s.node, Literal)]
            if w is None or w.stem != first.stem or len(numbers) != len(slots) or "".join(numbers) != place:
                return None
        return LeftSide(replace(first, slots=()), ())

    def _named_part(self, left: Node, right: Node) -> tuple[Node, Node] | None:
        """A name that is new in a step, and the part that it stands for: Z in `a = e^{s_i} / \\sum_k e^{s_k} = e^{s_i} / Z`."""
        pairs = differences(left, right)
        if not pairs or len({(bare(part), bare(name)) for part, name in pairs}) != 1:
            return None
        part, name = pairs[0]
        w = self.names.written(name)
        if w is None or w.power is not None or w.transposed or isinstance(part, Name | Scripted | Literal):
            return None
        unknown = w.stem not in {*self.table.symbols, *self.table.declared, *self.lefts, *self.names.index_letters}
        return (name, part) if unknown and not self.table.is_size(w) else None

    def _is_first_assignment(self, left: Node, right: Node) -> bool:
        r"""`Q \\leftarrow W X` of a name that gets no other value: it defines the name."""
        own = self.names.written(left)
        if own is None or own.transposed or own.power is not None:
            return False
        if any((i.span.index, i.number) < self.walk.at for i, _ in self.lefts.get(own.stem, ())):
            return False
        if any(w.stem == own.stem for w in uses(self.names, right)):
            return False
        given = [
            i
            for i in self.items
            for r, _ in i.reading.chain.links[:1]
            if r == "gets" and i.reading.chain.first is not None
        ]
        same = [i for i in given if (w := self.names.written(i.reading.chain.first or left)) and w.stem == own.stem]
        return len(same) == 1

    def _names_entries(self, item: Item, key: Key, left: Node, right: Node) -> bool:
        """A matrix of which an equation says how its entries are called: small letters are defined as its entries."""
        chain = item.reading.chain
        sides = [left, chain.first, *(n for _, n in chain.links)]
        whole = next((n for n in sides if isinstance(n, Name) and named_rows(n, right) is not None), None)
        if whole is None:
            return False
        pair = naming(whole, self.entry_names)
        e = self._elaborator(item)
        own = None if pair is None else left_side(e, pair[0])
        if pair is None or own is None or own.stem in {*self.walk.introduced, *self.table.symbols}:
            if whole is not left:
                return False  # said again, it is a claim
            self._skip(item, key, left, right, "declaration", "it names the entries")
            return True
        self._define(item, key, e, own, pair[0], pair[1], None, "the entries have names of their own")
        if key in self.walk.findings:
            self._show_whole(item, key, left, right)
        return True

    def _names_members(self, left: Node, right: Node) -> bool:
        """`x = \\{x_i\\}_{i=1}^n`."""
        own = self.names.written(left)
        content = right.content if isinstance(right, Enclosed) else None
        if own is None or own.slots or not isinstance(content, Listed):
            return False
        if not any(isinstance(n, Mark) and n.span == content.span for n in content.items):
            return False  # a list as such defines a stack
        members = [self.names.written(n) for n in content.items if not isinstance(n, Mark)]
        return all(m is not None and m.stem == own.stem and len(m.slots) == 1 for m in members)

    def _take_lengths(self, item: Item, e: Elaborator, left: Node, relation: str, right: Node) -> None:
        """`n < N`, `p = D / R` for sizes is taken as given from here on; after "if" or "when", in its paragraph."""
        divided = (right.above, right.below) if isinstance(right, Fraction) else None
        if isinstance(right, Infix) and right.operator == "/":
            divided = (right.left, right.right)
        try:
            a = e.written_index(left, e.free)
            if divided is not None and relation == "=":
                a, right = a * e.written_index(divided[1], e.free), divided[0]
            b = e.written_index(right, e.free)
        except (NotUnderstood, TermError):
            return
        if a.free or b.free or relation == "!=" or not a.sizes or not b.sizes:
            return
        small, large = (a, b) if relation in ("<", "<=") else (b, a)
        constraint = less(small, large) if relation in ("<", ">") else at_least(large, small)
        self.walk.lengths.append(
            (
                equal(a, b) if relation == "=" else constraint,
                item.context.paragraph if LOCAL.search(item.context.before) else None,
                item.section,
            )
        )

    def _is_range(self, e: Elaborator, left: Node, right: Node) -> bool:
        """Whether both sides of an inequality are indices or sizes: a range, not a claim."""
        letters = {c for side in (left, right) for n in walk(side) if (c := letter(n)) is not None}
        for c in (letters & (self.names.index_letters | set("ijt"))) - self.names.sizes:
            e.free_variable(c)
        try:
            e.written_index(left, e.free)
            e.written_index(right, e.free)
        except NotUnderstood:
            return False
        return True


def _is_set(node: Node) -> bool:
    r"""`\{W, b\}`, `\{h_1, …, h_N\}`."""
    content = node.content if isinstance(node, Enclosed) and node.kind == "{}" else None
    if not isinstance(content, Listed):
        return False
    return all(isinstance(n, Name | Scripted) or (isinstance(n, Mark) and n.kind == "dots") for n in content.items)
