"""Claims: statements decided, hypotheses told apart, shapes compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from derivations.documents.facts.declarations import sizes_of, space
from derivations.documents.facts.sentence_patterns import (
    ASIDE,
    CONCLUDES,
    CONDITION,
    DENIED_AFTER,
    DENIED_BEFORE,
    LETTERS_BEFORE,
    LOCAL,
    SATISFIES,
    SCENARIO,
    SPECIAL,
    STRONGLY_SUPPOSED,
    SUPPOSED,
)
from derivations.documents.model.document import MARK, Given
from derivations.documents.model.finding import Finding
from derivations.kernel.linear import entails
from derivations.kernel.scope import Obligation
from derivations.language.term import (
    Add,
    Bracket,
    Constraint,
    Entry,
    Index,
    IndexValue,
    Mul,
    Number,
    Statement,
    Sum,
    Term,
    Theory,
    equal,
    guard,
    guard_substitute,
    less,
    substitute,
    subterms,
)
from derivations.latex.elaborator.conditions import comparisons, under_conditions
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.equations import LeftSide, compare, left_side, letters_first, statements
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import Enclosed, Listed, Literal, Name, Node, Scripted, walk
from derivations.notes import Note
from derivations.provers.decide import Proved, Refuted
from derivations.provers.instance import by_instance
from derivations.provers.refute import all_sizes, anywhere
from derivations.study.decimals import compare_decimals
from derivations.study.doubts.about_refutations import Doubts, all_heads, decide_all, undecide
from derivations.study.equation_walk import SUPPOSED_BESIDE, Item, Key, is_number, is_real
from derivations.study.vacuity import emptied_by


class Judging(Doubts):
    """Claims, steps, hypotheses and memberships."""

    def _claim(self, item: Item, key: Key, e: Elaborator, kind: str, left: Node, relation: str, right: Node) -> None:
        """A claim; that it speaks of an example of a fixed length says nothing of the length elsewhere."""
        sizes = self.table.sizes
        mark = sizes.mark()
        self._judged(item, key, e, kind, left, relation, right)
        if any(
            (known := d.root().known) is not None and known.is_constant and known.const > 1 for d in sizes.trail[mark:]
        ):
            sizes.undo(mark)

    def _judged(self, item: Item, key: Key, e: Elaborator, kind: str, left: Node, relation: str, right: Node) -> None:
        state = self.walk
        left_name = left_side(e, left)
        if left_name is not None:
            letters_first(e, left_name)
            for v in e.free.values():
                if letter(left) is None and v.base is not None and left_name.stem not in self.table.symbols:
                    v.base = None
        e.declare_free(left)
        e.declare_free(right)
        conditions, values, unclear = self._conditions(item, e)
        if relation == "=" and left_name is not None and self._names_rank(left_name) == 0:
            e.expected = 0
        a, b = e.value(left, {}), e.value(right, {})
        compared = compare(e, a, relation, b, conditions, right)
        supposed = [c for chain in values for c in comparisons(e, chain, {})]
        state.choices[key] = e.taken
        state.uses[key] = self._dependences(e)
        self._introduce(e)
        if not state.build:
            return
        finding = self._finding(item, key, kind, "undecided", left, right)
        finding.statements = tuple(under_conditions(s, supposed) for s in statements(e, compared))
        compared_letters = [said for said in self._compared(item) if {*said[:2]} <= set(e.free)]
        for i, j, sign in compared_letters:
            finding.statements = tuple(_with_letters(finding.statements, e, i, j, sign))
        finding.theory = self.table.view()
        signs = {"!=": "\u2260", "=": "="}
        said = (Note("letters-compared", (i, signs[sign], j), place=item.span.place) for i, j, sign in compared_letters)
        finding.assumptions = (*self._readings(item, e), *said)
        state.findings[key] = finding
        if (state.only is None or state.only == key) and (self.wanted is None or key in self.wanted):
            self._settle(item, key, finding, unclear, left, right, e.supposed)
            if (
                finding.status == "refuted"
                and e.has_numbered_place
                and self._true_from_other_base(item, finding, left, relation, right)
            ):
                undecide(
                    finding,
                    "ambiguous",
                    "false as read, but true if the numbered positions count from the other of 0 and 1",
                )

    def _true_from_other_base(self, item: Item, finding: Finding, left: Node, relation: str, right: Node) -> bool:
        """Whether a refuted claim is true where `X_1` is the other one of the first and the second row of X.

        A document may count the columns of one table from 0 and call the first row of another X_1.
        """
        if self.names.stated_base is not None:
            return False
        mark, e = self.table.sizes.mark(), self._elaborator(item)
        e.numbers_from_other_base = True
        try:
            e.declare_free(left)
            e.declare_free(right)
            conditions, values, _ = self._conditions(item, e)
            read = compare(e, e.value(left, {}), relation, e.value(right, {}), conditions, right)
            supposed = [c for chain in values for c in comparisons(e, chain, {})]
            other = [under_conditions(s, supposed) for s in statements(e, read)]
            return all(isinstance(self.decide(s, finding.theory), Proved) for s in other)
        except NotUnderstood:
            return False
        finally:
            self.table.sizes.undo(mark)

    def _rests_on_unsaid_sums(self, item: Item, key: Key) -> bool:
        """Whether the equation or a definition that it uses was read by the summation convention, which nothing states."""
        if self.convention_is_stated or not self.summed:
            return False
        return any(k[:2] in self.summed for k in (key, *self.walk.uses.get(key, ())))

    def _said_of_lengths(self, item: Item, wide: bool = False) -> list[Constraint]:
        """What the text says of lengths, for a paragraph; with `wide` also what another one of the section supposes."""
        here = (None, item.context.paragraph)
        return [c for c, limited, section in self.walk.lengths if limited in here or (wide and section == item.section)]

    def _lengths_of(self, item: Item, finding: Finding, wide: bool = False) -> list[Constraint]:
        """What the text says of the lengths that a finding speaks of."""
        sizes = {n for s in finding.statements for n in all_sizes(s, finding.theory)}
        return [c for c in self._said_of_lengths(item, wide) if c.index.sizes & sizes]

    def _with_lengths(self, item: Item, s: Statement, theory: Theory, wide: bool = False) -> Statement:
        """A statement for the lengths that the text allows."""
        said = self._said_of_lengths(item, wide)
        if not said:
            return s
        sizes = all_sizes(s, theory)
        if not any(all_heads(s, theory)):  # numbers only: p = D / R is put in for D
            for c in said:
                if (found := _solved(c)) is not None and found[0] in sizes:
                    put = {found[0]: found[1]}
                    left, right = (substitute(t, None, put) for t in (s.left, s.right))
                    s = replace(s, left=left, right=right, guard=guard_substitute(s.guard, {}, put))
            sizes = all_sizes(s, theory)
        known = [c for c in said if c.index.sizes <= sizes and not entails(s.guard, c)]
        return replace(s, guard=guard(*s.guard, *known)) if known else s

    def _decide_in_lengths(self, item: Item, finding: Finding) -> None:
        """Decide again for the lengths that the text allows; what the section supposes only where that proves the claim."""
        for wide in (False, True):
            in_lengths = tuple(self._with_lengths(item, s, finding.theory, wide) for s in finding.statements)
            if in_lengths == finding.statements or (wide and finding.status != "refuted"):
                continue
            notes = (Note("length", (str(c),), place=item.span.place) for c in self._lengths_of(item, finding, wide))
            tried = replace(finding, statements=in_lengths, assumptions=(*finding.assumptions, *notes))
            decide_all(tried, self.decide)
            if not wide or tried.status == "proved":
                finding.statements, finding.statement = tried.statements, tried.statement
                finding.status, finding.decision = tried.status, tried.decision
                finding.code, finding.reason, finding.assumptions = tried.code, tried.reason, tried.assumptions

    def _names_rank(self, left: LeftSide) -> int | None:
        symbol = self.table.symbols.get(left.stem)
        return None if symbol is None else len(symbol.dims) - len(left.slots)

    def _decide_in_ranges(self, item: Item, finding: Finding, supposed: Sequence[Constraint]) -> None:
        """Decide again where no sum that begins at a letter ends before it: i <= t, of a sum from i + 1 to t."""
        within = tuple(
            replace(s, guard=guard(*s.guard, *(c for c in supposed if not entails(s.guard, c))))
            for s in finding.statements
        )
        if within == finding.statements:
            return
        notes = (Note("range", (str(c),), place=item.span.place) for c in dict.fromkeys(supposed))
        tried = replace(finding, statements=within, assumptions=(*finding.assumptions, *notes))
        decide_all(tried, self.decide)
        if tried.status == "proved" or finding.status == "refuted":
            finding.statements, finding.statement = tried.statements, tried.statement
            finding.status, finding.decision = tried.status, tried.decision
            finding.code, finding.reason, finding.assumptions = tried.code, tried.reason, tried.assumptions

    def _settle(
        self,
        item: Item,
        key: Key,
        finding: Finding,
        unclear: str,
        left: Node,
        right: Node,
        supposed: Sequence[Constraint] = (),
    ) -> None:
        """Decide the statements of a claim, and what an unproved one is."""
        hypotheses = self._relevant(item, finding)
        conditional = any(s.hypotheses for s in finding.statements)
        if any(s.relation == "!=" for s in finding.statements):
            self._settle_difference(item, key, finding, unclear)
            return
        decide_all(finding, self.decide)
        if finding.status != "proved":
            self._decide_in_lengths(item, finding)
        if finding.status != "proved" and supposed:
            self._decide_in_ranges(item, finding, supposed)
        if finding.status != "proved" and hypotheses:
            plain = finding.statements
            finding.statements = tuple(
                replace(s, hypotheses=(*s.hypotheses, *(h for _, h in hypotheses if h not in s.hypotheses)))
                for s in plain
            )
            decide_all(finding, self.decide)
            self.walk.uses[key] |= {k for k, _ in hypotheses}
            declared = {shape_of(h) for k, h in hypotheses if self._is_declared(k[0])}
            if finding.status == "proved" and any(shape_of(s) in declared for s in plain):
                undecide(finding, "declared", "a comment declares it as given, which proves nothing")
                return
        if finding.status == "proved":
            self._discharge(key, finding, hypotheses)
            only = emptied_by(finding.decision)
            if only:
                undecide(finding, "vacuous", f"everything in it is defined only where {only}")
            return
        shaky = self._shaky(finding)
        if finding.status == "refuted" and shaky is not None:
            undecide(finding, "ambiguous", f"false as read, but how many axes {shaky} has is only a guess")
        if finding.status == "refuted" and self._true_of_earlier_version(item, finding):
            if finding.status == "proved":
                return
            undecide(finding, "ambiguous", "false as read, but true of a version that was defined earlier")
        if finding.status == "refuted" and self._number_is_length(finding):
            return
        length = self._unsaid_length(finding) if finding.status == "refuted" else None
        if length is not None:
            undecide(finding, "ambiguous", f"false as read, but true if a length that is not said is {length}")
        summed = self._may_be_summed(left, right)
        if finding.status == "refuted" and summed and self._unlisted(finding) is None:
            undecide(
                finding,
                "ambiguous",
                f"false for each {summed}, but {summed} stands on one side only: perhaps a sum is meant",
            )
        if finding.status == "refuted" and self._rests_on_unsaid_sums(item, key):
            undecide(
                finding, "ambiguous", "false as read, but that an index that stands twice is summed over is not said"
            )
        said = self._unread_property(finding)
        if finding.status == "refuted" and said is not None and self._with_rows_that_sum_to_one(finding, said):
            said = None
            if finding.status == "proved":
                return
        if finding.status == "refuted" and said is not None and self._spells_out(item, finding, said):
            self._take_as_given(item, key, finding)
            return
        if finding.status == "refuted" and said is not None:
            undecide(
                finding,
                "property-not-read",
                f"false in general, but the text calls {said[0]} {said[1]}, which is not read",
            )
            return
        if finding.status == "refuted" and self._with_targets_that_sum_to_one(finding):
            return
        if unclear:
            undecide(finding, "condition-not-read", f"a condition is not read: {unclear}")
        elif any(isinstance(n, Literal) and "." in n.text for side in (left, right) for n in walk(side)):
            undecide(finding, "rounded-number", "it has rounded decimal numbers")
            found = compare_decimals(finding.statements, finding.theory, right)
            if found is not None:
                finding.status, finding.statement, finding.decision = found.status, found.statement, found.decision
                finding.code = "false-claim" if found.status == "refuted" else None
                finding.reason = f"compared to the {found.digits} printed decimals"
        elif item.span.display and CONDITION.search(item.context.before):
            finding.status, finding.code, finding.reason = "skipped", "condition", "a condition of its sentence"
        elif DENIED_BEFORE.search(item.context.before) or DENIED_AFTER.search(item.context.after):
            finding.status, finding.code, finding.reason = "skipped", "denied", "the text itself says that it is false"
        elif (
            finding.kind in ("claim", "step")
            and finding.status in ("refuted", "undecided")
            and not conditional
            and self._is_hypothesis(item, finding)
        ):
            self._take_as_given(item, key, finding)
        elif finding.status == "refuted" and not conditional and self._constrains_given(item, finding):
            self._take_as_given(item, key, finding, here=True)
        elif finding.status == "refuted" and STRONGLY_SUPPOSED.search(item.context.before.rstrip(" :")):
            undecide(
                finding, "condition-not-read", "false in general, but the sentence supposes something that is not read"
            )
        elif finding.status == "refuted" and not item.span.display and SPECIAL.search(item.context.before):
            undecide(finding, "special-case", "false in general, but the sentence speaks of a special case")
        elif finding.status == "refuted" and (stem := self._special_value(item, finding)) is not None:
            undecide(finding, "special-case", f"false in general, but the sentence gives {stem} a special value")
        elif finding.status == "refuted" and (own := self._perhaps_outer(finding, left, right)) is not None:
            undecide(
                finding, "ambiguous", f"false as read, but {own} may be a row, and its product with itself a matrix"
            )
        elif finding.status == "refuted" and (guess := self._guessed(key, finding)) is not None:
            undecide(finding, "ambiguous", f"false as read: {guess}")
        elif finding.status == "refuted" and (missing := self._missing(finding)) is not None:
            undecide(finding, "ambiguous", f"false as read, but {missing} is not stated")
        elif finding.status == "refuted" and (function := self._perhaps_of_values(finding)) is not None:
            undecide(finding, "ambiguous", f"false for some vectors as values of {function}, but not all may be")
        elif finding.status == "refuted" and (several := self._perhaps_dependent(item, finding)) is not None:
            undecide(finding, "ambiguous", f"false for independent {several}, but nothing says that they are")
        elif finding.status == "refuted" and (special := self._set_to_numbers(item, finding)) is not None:
            undecide(finding, "special-case", f"false in general, but entries of {special} are set to numbers here")
        elif (
            finding.status == "refuted" and is_number(right) != is_number(left) and not self._speaks_of_tensors(finding)
        ):
            undecide(finding, "special-case", "false in general, but stated numbers are put for the sizes here")
        elif finding.status == "refuted" and (named := self._unlisted(finding)) is not None:
            undecide(finding, "property-not-read", f"false for some sets, but what {named} has for members is not said")
        elif finding.status == "refuted" and (unknown := self._unknown_side(finding)) is not None:
            undecide(finding, "ambiguous", f"nothing says what the function {unknown} is")
        elif finding.status == "refuted" and (pair := self._one_class(finding, left, right)) is not None:
            undecide(finding, "ambiguous", f"nothing says how {pair[0]} and {pair[1]} are related")
        elif finding.status == "refuted" and (pair := self._of_one_letter(finding)) is not None:
            undecide(finding, "ambiguous", f"nothing says how {pair[0]} and {pair[1]} are related")
        elif finding.status == "refuted" and (pair := self._unrelated(finding)) is not None:
            undecide(finding, "ambiguous", f"nothing says how {pair[0]} and {pair[1]} are related")
        elif finding.status == "refuted" and (loose := self._constrained(finding)) is not None:
            undecide(finding, "ambiguous", f"false for some {loose}, but it may say what {loose} is: nothing else does")
        elif finding.status == "refuted":
            finding.code = "false-claim"

    def _discharge(self, key: Key, finding: Finding, hypotheses: Sequence[tuple[Key, Statement]]) -> None:
        """Meet what a theorem owes by what the text says of signs: after "a temperature T > 0" nothing assumes T != 0."""
        signs = [h for _, h in hypotheses if h.relation != "="]
        if not signs or not _owed(finding):
            return
        given = tuple(
            replace(s, hypotheses=(*s.hypotheses, *(h for h in signs if h not in s.hypotheses)))
            for s in finding.statements
        )
        tried = replace(finding, statements=given)
        decide_all(tried, self.decide)
        if tried.status == "proved" and len(_owed(tried)) < len(_owed(finding)):
            finding.statements, finding.statement, finding.decision = tried.statements, tried.statement, tried.decision
            self.walk.uses[key] |= {k for k, h in hypotheses if h in signs}

    def _take_as_given(self, item: Item, key: Key, finding: Finding, here: bool = False) -> None:
        """A hypothesis from here on; in its paragraph only, where the words say so or `here` is set."""
        finding.kind, finding.status, finding.decision = "hypothesis", "skipped", None
        finding.code, finding.reason = "hypothesis", "taken as given from here on"
        limited = item.context.paragraph if here or LOCAL.search(item.context.before) else None
        self.walk.hypotheses += [(key, replace(s, hypotheses=()), limited) for s in finding.statements]

    @staticmethod
    def _constrains_given(item: Item, finding: Finding) -> bool:
        """Whether a sum or a product of entries of given names is set to a number: `\\sum_i y_i = 1`, `n - m = 0`."""
        if CONCLUDES.search(item.context.before):
            return False
        known = {*finding.theory.definitions, *finding.theory.random}
        for s in finding.statements:
            sides = (s.left, s.right)
            if s.relation != "=" or not known.isdisjoint(all_heads(s, finding.theory)):
                return False
            if sum(bool(side.heads) for side in sides) != 1:
                return False
            if not all(isinstance(t, _POLYNOMIAL) for side in sides for t in subterms(side)):
                return False
        return bool(finding.statements)

    @staticmethod
    def _spells_out(item: Item, finding: Finding, said: tuple[str, str]) -> bool:
        """Whether an equation says in signs what the words before it say: `U is orthogonal, that is $U U^\\top = I$`."""
        heads = {h for s in finding.statements for h in all_heads(s, finding.theory)}
        if len(heads) != 1 or not heads.isdisjoint(finding.theory.definitions) or len(item.reading.chain.links) != 1:
            return False
        plain = all(s.relation == "=" and not s.hypotheses for s in finding.statements)
        known = said[1] in ("symmetric", "idempotent") or all(
            not s.left.heads or not s.right.heads for s in finding.statements
        )
        return plain and known and said[1] in item.context.before.lower()

    def _settle_difference(self, item: Item, key: Key, finding: Finding, unclear: str) -> None:
        """`A \\neq B`: different wherever they are compared, or else not equal in general, which an instance shows."""
        if unclear:
            undecide(finding, "condition-not-read", f"a condition is not read: {unclear}")
            return
        if all(_is_given(t, finding.theory) for s in finding.statements for t in (s.left, s.right)):
            finding.kind, finding.status = "hypothesis", "skipped"
            finding.code, finding.reason = "hypothesis", "taken as given from here on"
            self.walk.hypotheses += [(key, s, None) for s in finding.statements]
            return
        equal = []
        for s in finding.statements:
            decision = self.decide(s, finding.theory)
            if isinstance(decision, Proved):
                finding.statement, finding.decision, finding.status = s, decision, "proved"
                return
            equal.append(replace(s, relation="="))
        for s in finding.statements:
            shown = by_instance(s, finding.theory)
            if shown is not None:
                finding.statement, finding.decision, finding.status = s, Proved(shown[0]), "proved"
                said = Note("differ-at", (shown[1].place(),), place=item.span.place)
                finding.assumptions = (*finding.assumptions, said)
                finding.instance = dict(shown[1].sizes)
                finding.read = f"not for all inputs: {replace(s, relation='=')}"
                return
        finding.statement = finding.statements[0]
        undecide(finding, "search-ended", "no inputs were found at which the two sides certainly differ")
        if all(isinstance(self.decide(s, finding.theory), Proved) for s in equal):
            witness = anywhere(equal[0], finding.theory)
            if witness is not None:
                finding.status, finding.code, finding.decision = "refuted", "false-claim", Refuted(witness)
                finding.reason = "the two sides are equal for all sizes and inputs"

    def _is_hypothesis(self, item: Item, finding: Finding) -> bool:
        """Introduced as a supposition, or a constraint on names that nothing defines or declares."""
        if self._is_declared(item.span.index):
            return True
        context = f"{item.context.before} {item.reading.lead}"  # `…, \\text{with } \\sigma^2 = T`
        if any(self._compared(item)):
            context = LETTERS_BEFORE.sub("", context)  # "if i = j" supposes nothing but that
        heads = {h for s in finding.statements for h in (*s.left.heads, *s.right.heads)}
        if heads.isdisjoint(finding.theory.definitions) and any(s.relation != "=" for s in finding.statements):
            return True  # a bound on given quantities
        if finding.kind == "step" or len(item.reading.chain.links) > 1 or finding.statement is None:
            return False
        weak = SUPPOSED.search(context)
        concluded = CONCLUDES.search(context) is not None
        if (STRONGLY_SUPPOSED.search(context) and not concluded) or SATISFIES.search(context.rstrip(" :")):
            return True
        apart = item.span.display and ASIDE.search(context) is not None
        if weak is not None and not apart and not concluded:
            return True
        if not item.span.display and finding.status == "refuted" and SCENARIO.search(context):
            return True
        defined = heads & set(finding.theory.definitions)
        if defined or not heads or heads & finding.theory.random or _is_identity(finding):
            return False
        return not any(
            self.table.symbols[s].stem in self.table.declared
            for s in self.table.symbols
            if self.table.symbols[s].head in heads
        )

    def _is_declared(self, span: int) -> bool:
        """Whether a formula stands in a comment that declares what is given."""
        spans = self.document.spans
        return 0 <= span < len(spans) and isinstance(self.document.block_of(spans[span]), Given)

    def _speaks_of_tensors(self, finding: Finding) -> bool:
        statement = finding.statement
        return statement is None or any(all_heads(statement, finding.theory))

    def _relevant(self, item: Item, finding: Finding) -> list[tuple[Key, Statement]]:
        heads = {h for s in finding.statements for h in all_heads(s, finding.theory)}
        own = [(s.left, s.relation, s.right) for s in finding.statements]
        return [
            (k, h)
            for k, h, limited in self.walk.hypotheses
            if heads & {*h.left.heads, *h.right.heads}
            and (limited in (None, item.context.paragraph) or _in_sentence(limited, item))
            and not (k[2] == SUPPOSED_BESIDE and (h.left, h.relation, h.right) in own)  # the condition itself
        ]

    def _declared_sizes(self) -> set[str]:
        """The sizes that stand in a stated shape of a name."""
        dims = [d.root().known for declared in self.table.declared.values() for d in declared.dims]
        return {s for d in dims if d is not None for s in d.sizes}

    def _membership(self, item: Item, key: Key, left: Node, right: Node) -> None:
        """A declaration, or a claim about the shape of an expression."""
        exponent = space(right)
        if exponent is None:
            if isinstance(right, Scripted | Name) and space(right) is None and is_real(right):
                return
            if isinstance(right, Enclosed) or letter(left) is not None or isinstance(left, Listed):
                return
            w = self.names.written(left)
            if w is not None:
                return
            raise NotUnderstood("unknown-notation", "a membership in this set is not read", right.span)
        lead = item.reading.chain.first
        if key[2] == 1 and lead is not None and isinstance(left, Enclosed):  # X = (x_1, …, x_n) in R^{d x n}
            left = lead
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
        sizes, _ = declared
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
            decide_all(finding, self.decide)
            if finding.status == "refuted":
                finding.code = "shape-conflict"
                loose = sorted(s for a, b in known for s in a.sizes ^ b.sizes if s not in self._declared_sizes())
                if loose:
                    undecide(
                        finding, "ambiguous", f"another shape, unless {loose[0]} is a second name for a stated size"
                    )
        elif not known:
            finding.status, finding.code, finding.reason = "skipped", "declaration", "it only names sizes"


def _in_sentence(mark: str, item: Item) -> bool:
    """Whether the formula with this mark, a special value, stands in the sentence before an equation."""
    return MARK.fullmatch(mark) is not None and mark in item.context.before


def _with_letters(found: tuple[Statement, ...], e: Elaborator, a: str, b: str, sign: str) -> Iterator[Statement]:
    """Each statement below and above the diagonal of two indices, or on it."""
    i, j = e.written_index(Name((0, 0), a), e.free), e.written_index(Name((0, 0), b), e.free)
    for s in found:
        if not i.free | j.free <= set(s.indices):
            yield s
        elif sign == "=":
            yield replace(s, guard=guard(*s.guard, equal(i, j)))
        else:
            yield replace(s, guard=guard(*s.guard, less(i, j)))
            yield replace(s, guard=guard(*s.guard, less(j, i)))


def _owed(finding: Finding) -> list[Obligation]:
    """What the decisive theorem of a finding assumes, so that everything in it is defined."""
    if not isinstance(finding.decision, Proved):
        return []
    return [a.condition for a in finding.decision.theorem.assumptions if isinstance(a.condition, Obligation)]


def _is_identity(finding: Finding) -> bool:
    """Whether an equation transforms an expression: `(a + b)^2 = a^2 + 2ab + b^2`, both sides compound, of the same names.

    It constrains nothing that the other side could tell, as `\\sum_i y_i = 1` and `S_{ij} = S_{ji}` do.
    """
    return all(
        s.relation == "="
        and not s.hypotheses
        and s.left.heads == s.right.heads
        and bool(s.left.heads)
        and not isinstance(s.left, Entry)
        and not isinstance(s.right, Entry)
        for s in finding.statements
    )


_POLYNOMIAL = (Number, IndexValue, Entry, Add, Mul, Sum, Bracket)
"""What sums and products of entries are made of."""


def _is_given(t: Term, theory: Theory) -> bool:
    """A number, or an entry of something that is given, with nothing done to it."""
    return isinstance(t, Number) or (isinstance(t, Entry) and t.name not in theory.definitions)


def shape_of(s: Statement) -> str:
    """A statement without its hypotheses, as text that does not depend on the letters of its free indices."""
    text = f"{s.left} {s.relation} {s.right}"
    order = sorted(s.indices, key=lambda v: found.start() if (found := re.search(rf"\b{re.escape(v)}\b", text)) else 0)
    for k, v in enumerate(order):
        text = re.sub(rf"\b{re.escape(v)}\b", f"?{k}", text)
    left, _, right = text.partition(f" {s.relation} ")
    return " = ".join(sorted((left, right))) if s.relation == "=" else text


def _solved(c: Constraint) -> tuple[str, Index] | None:
    """The size that an equation gives, and its value: D and R p of `R p = D`."""
    for atom, k in c.index.terms if c.relation == "==" else ():
        if atom.kind == "size" and abs(k) == 1:
            value = (c.index - k * Index.size(atom.name)) * -k
            if atom.name not in value.sizes:
                return atom.name, value
    return None
