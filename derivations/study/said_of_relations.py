"""What the role of a relation is told from: the words around it, and what it says of what is given."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from derivations.documents.facts.lists_of_items import formulas_in_head, lead_of_list, names_case
from derivations.documents.facts.role_words import Part, parts_said
from derivations.documents.facts.sentence_patterns import (
    DENIED_AFTER,
    DENIED_BEFORE,
    FOR_SOME,
    FRONTED,
    HAS_SOLUTION,
    LETTERS_BEFORE,
    NAMED_EQUATION,
    ORDINAL_AFTER,
)
from derivations.documents.model.document import CLOSE, MARK, OPEN, Heading
from derivations.language.listed_arrays import leaves
from derivations.language.statement import Statement, Theory
from derivations.language.substitution import subterms, term_sizes
from derivations.language.term import (
    BINOMIAL,
    DETERMINANT,
    FACTORIAL,
    FUNCTIONS,
    INVERSE,
    Add,
    Apply,
    Bracket,
    Entry,
    IndexValue,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    negative,
)
from derivations.language.term import Case as ByCases
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.normal_laws import is_identity
from derivations.latex.syntax.surface import Listed, Literal, Node, walk
from derivations.study.equation_walk import is_declared
from derivations.study.verdict import Case, all_heads, heads_of_law

A_CLAIM = "a claim"
"""The name of the rule that nothing but a claim falls under."""
ABSOLUTE = "abs"
"""The absolute value, as a function of terms."""


@dataclass(frozen=True, slots=True)
class Said:
    """What the roles are told from: the words around a relation, and what it says of what is given."""

    parts: frozenset[Part]
    before: str
    """The words of the sentence before it, without letters that are only compared: "if i = j" supposes nothing more."""
    statements: tuple[Statement, ...]
    is_commented: bool
    """It stands in a comment that declares what is given."""
    is_conditional: bool
    is_display: bool
    is_alone: bool
    """One relation, not a step of a chain."""
    ends_in_constant: bool
    """The last side of its chain is a number, or the identity: `U^\\top U = U U^\\top = I` compares all of them with it."""
    is_main: bool
    """The sentence begins with a clause or a phrase beside it, and ends with it: it is what the sentence says."""
    is_step_of_claim: bool
    """It goes on from a relation that is a claim: `a = b = 1` says of b what it says of a."""
    is_of_numbers: bool
    """It compares numbers, without any name: no words make it a supposition."""
    is_of_exact_numbers: bool
    """It compares numbers that are written without a decimal point: nearly equal is not what is said of `5/19`."""
    is_of_defined: bool
    """It says of names that are defined what follows from their definitions or does not, of given ones nothing more."""
    is_given: bool
    """It speaks of given names only, or of arrays that are nothing but their entries."""
    is_of_introduced: Callable[[], bool]
    """Whether its sentence says, before it, what arrays the names in it are, and nothing before that speaks of them."""
    leaves: Mapping[str, frozenset[str]]
    """The given names that such a name stands for; of a given one itself."""
    below: Callable[[Term], frozenset[str]]
    """The given names that a side depends on."""
    puts_number: bool
    """It says that a number is the value of a name whose definition depends on what is given."""
    is_of_some: bool
    """Words after it say for which places it holds."""
    is_noun: bool
    """The sentence speaks of it as an equation, and does not say that it holds."""
    is_denied: bool
    is_asked: bool
    """The sentence after it ends with a question mark."""
    is_ordinal: bool
    """It ends in the number of an ordinal: `9/9 = 100`th."""
    is_title: bool
    """It stands in a heading."""
    in_table: bool
    heads_item: bool
    """It heads an item of a list, or a paragraph, that no words of a conclusion lead to."""
    is_one_of_cases: bool
    """It heads an item, and one that heads another item of the list excludes it."""

    @classmethod
    def of(cls, case: Case) -> Said:
        context, reading = case.item.context, case.item.reading
        before = f"{context.before} {_lead_in_display(case)}"  # `…, \\text{with } \\sigma^2 = T`
        if case.compares_letters:
            before = LETTERS_BEFORE.sub("", before)
        named = {h for s in case.statements for side in (s.left, s.right) for h in _given(side)}
        heads = named - case.theory.constants
        own = {h: found for h in heads if (found := leaves(h, case.theory)) is not None}
        lead = case.known.walk.rules.get((*case.key[:2], 0)) if case.kind == "step" else None
        return cls(
            parts=parts_said(before) | ({Part.UNIVERSAL} if _is_of_all(case) else set()),
            before=before,
            statements=case.statements,
            is_commented=is_declared(case.known.document, case.item.span.index),
            is_conditional=case.is_conditional,
            is_display=case.item.span.display,
            is_alone=case.kind != "step" and len(reading.chain.links) == 1,
            ends_in_constant=len(reading.chain.links) > 1 and _is_constant(reading.chain.links[-1][1]),
            is_main=FRONTED.search(before) is not None and _ENDED.match(context.after) is not None,
            is_step_of_claim=lead is not None and lead == A_CLAIM,
            is_of_numbers=not heads and not any(s.indices or s.hypotheses or _has_letters(s) for s in case.statements),
            is_of_exact_numbers=not named and not any(map(_has_letters, case.statements)) and not _has_decimals(case),
            is_of_defined=_is_of_defined(case, frozenset(own)),
            is_given=(
                len(own) == len(heads)
                and any(own.values())
                and heads.isdisjoint({*case.theory.random, FACTORIAL, BINOMIAL, DETERMINANT})
            ),
            is_of_introduced=lambda: _is_of_introduced(case),
            leaves=own | dict.fromkeys(named - heads, frozenset()),
            below=lambda side: _given_below(side, case.theory),
            puts_number=not reading.conditions and all(_puts_number(s, case.theory) for s in case.statements),
            is_title=isinstance(case.known.document.block_of(case.item.span), Heading),
            in_table=case.known.document.in_table(case.item.span),
            heads_item=_heads_item(case),
            is_one_of_cases=names_case(
                case.known.document,
                case.item.span,
                case.item.reading.chain,
                lambda number: [i.reading.chain for i in case.known.formulas.get(number, ())],
            ),
            is_ordinal=(
                ORDINAL_AFTER.match(context.after) is not None
                and case.right is reading.chain.links[-1][1]
                and isinstance(case.right, Literal)
            ),
            is_asked=_ASKED.match(context.after) is not None or _answers_question(case),
            is_of_some=FOR_SOME.match(context.after) is not None,
            is_noun=bool(NAMED_EQUATION.search(context.before) and HAS_SOLUTION.match(context.after)),
            is_denied=bool(DENIED_BEFORE.search(context.before) or DENIED_AFTER.search(context.after)),
        )

    @property
    def is_equation(self) -> bool:
        return all(s.relation == "=" for s in self.statements)

    @property
    def is_settled(self) -> bool:
        """Whether it is an equation on a line of its own about what equations define: nothing is left to be solved for."""
        return self.is_display and self.is_equation and self.is_of_defined

    @property
    def is_identity(self) -> bool:
        """Whether it transforms an expression: `(a + b)^2 = a^2 + 2ab + b^2`, both sides compound, of the same names."""
        return not self.ends_in_constant and all(_transforms(s) for s in self.statements)

    @property
    def is_bare_bound(self) -> bool:
        """An inequality between given things and numbers with nothing done to them: `T > 0`, `a_i < b_i`."""
        return not self.is_equation and all(_is_bare(side) for s in self.statements for side in (s.left, s.right))

    @property
    def is_bound(self) -> bool:
        """An inequality of different names: `w^\\top x < b`."""
        return not self.is_equation and all(self._of(s.left) != self._of(s.right) for s in self.statements)

    def _of(self, side: Term) -> frozenset[str]:
        """The given names in a side."""
        return frozenset(leaf for h in _given(side) for leaf in self.leaves.get(h, (h,)))

    @property
    def restricts(self) -> bool:
        r"""An algebraic equation whose sides do not have the same names: `A x = b`, `\sum_i y_i = 1`; it is no identity."""
        return all(
            s.relation == "=" and self._of(s.left) != self._of(s.right) and all(map(_is_algebraic, (s.left, s.right)))
            for s in self.statements
        )

    @property
    def is_of_different_names(self) -> bool:
        """Whether the sides have no given name in common, down to the first definitions; a number has none."""
        return all(
            (one := self.below(s.left)).isdisjoint(other := self.below(s.right)) and one | other
            for s in self.statements
        )

    @property
    def sets_value(self) -> bool:
        """Whether one side is a number or a given thing that the other side does not have: `A x = b`, `f(1) = 2`."""
        return all(
            any(
                _is_bare(one) and one.heads.isdisjoint(other.heads)
                for one, other in ((s.left, s.right), (s.right, s.left))
            )
            for s in self.statements
        )

    @property
    def is_valued(self) -> bool:
        """Whether one side is a number."""
        return all(bool(_given(s.left)) != bool(_given(s.right)) for s in self.statements)

    @property
    def is_property(self) -> bool:
        """An algebraic equation of one name, which stands alone on one side: `P P = P`, `S_{ij} = S_{ji}`."""
        return all(
            s.relation == "="
            and s.left.heads == s.right.heads
            and len(s.left.heads) == 1
            and (_is_entry(s.left) or _is_entry(s.right))
            and all(map(_is_algebraic, (s.left, s.right)))
            for s in self.statements
        )

    @property
    def only_counts(self) -> bool:
        r"""A sum over a range of what depends on nothing but indices and lengths: `\sum_{i=1}^n i`."""
        return all(
            not s.left.heads | s.right.heads
            and any(isinstance(t, Sum) for side in (s.left, s.right) for t in subterms(side))
            for s in self.statements
        )

    @property
    def is_symmetry(self) -> bool:
        """Entries of one name with their indices exchanged, perhaps with the other sign: `S_{ij} = S_{ji}`."""
        return self.is_property and all(
            _is_entry(s.left) and (_is_entry(s.right) or _is_entry(negative(s.right))) for s in self.statements
        )


def _has_decimals(case: Case) -> bool:
    """Whether a number of a relation is written with a decimal point."""
    return any(isinstance(n, Literal) and "." in n.text for side in (case.left, case.right) for n in walk(side))


def _is_of_introduced(case: Case) -> bool:
    """Whether the sentence of a relation is the first to speak of its names, and has said in what set each lies."""
    known = case.known
    names = {w.stem for side in (case.left, case.right) for w in uses(known.names, side)} - known.names.index_letters
    names -= known.names.sizes
    before = [int(number) for number in MARK.findall(case.item.context.before)]
    declared: set[str] = set()
    for number in before:
        for item in known.formulas.get(number, ()):
            chain = item.reading.chain
            if chain.first is not None and chain.links and chain.links[0][0] == "in":
                declared |= {w.stem for w in uses(known.names, chain.first)}
    return (
        bool(names)
        and names <= declared
        and not any(
            w.stem in names
            for number, items in known.formulas.items()
            if number < min(before)
            for item in items
            for w in uses(known.names, item.reading.chain)
        )
    )


def _answers_question(case: Case) -> bool:
    """Whether a display stands right after a question that asks whether something is so, with no words between."""
    item = case.item
    if not item.span.display or re.sub(r"[⟦⟧\d\W]", "", item.context.before):
        return False
    before = MARK.sub("", case.known.document.sentences_before(item.span, 2)).strip()
    last = max(before.rfind(end, 0, len(before) - 1) for end in ".!?:]")  # `[!question]` heads a callout
    return before.endswith("?") and _YES_OR_NO.match(before[last + 1 :].strip(" *_>\n")) is not None


_OF_ALL = re.compile(
    r"\s?,?\s?for\s(?:all|every|any|each)\s(?:(?:real|possible)\s)?⟦(\d+)⟧\s?(?:[.,;)]|$)", re.IGNORECASE
)
"""Words after a relation that it is said of everything: no condition follows on what it is said of."""


def _is_of_all(case: Case) -> bool:
    """Whether words after a relation say it of everything, and not only of all places of an array: "for every i"."""
    said = _OF_ALL.match(case.item.context.after)
    if said is None:
        return False
    named = [item.reading.chain.first for item in case.known.formulas.get(int(said.group(1)), ())]
    places = {i for s in case.statements for i in s.indices}
    return not any(node is not None and letter(node) in places for node in named)


def _lead_in_display(case: Case) -> str:
    """The words in a display before a relation, or the conclusion that began before it: `\\text{then } a = b, \\quad c = d`."""
    own = case.item.reading.lead
    if parts_said(own):
        return own
    leads = [i.reading.lead for i in case.known.formulas.get(case.item.span.index, ()) if i.number < case.item.number]
    concluded = [lead for lead in leads if Part.CONCLUDED in parts_said(lead)]
    return f"{concluded[-1]} {own}" if concluded else own


def _heads_item(case: Case) -> bool:
    """Whether a relation heads an item or a paragraph, and the words before do not say that it follows or always holds."""
    document, span = case.known.document, case.item.span
    block = document.block_of(span)
    if span.index not in formulas_in_head(block):
        return False
    own = block.words.partition(f"{OPEN}{span.index}{CLOSE}")[0]
    lead = lead_of_list(document, span)
    return parts_said(lead).isdisjoint(_CLAIMING) and parts_said(own).isdisjoint(_CLAIMING)


_CLAIMING = frozenset({Part.CONCLUDED, Part.UNIVERSAL})


def _given(t: Term) -> frozenset[str]:
    """The names in a term, those of functions that nothing defines too; to invert a matrix is no name."""
    return t.heads - {INVERSE} | {
        u.function for u in subterms(t) if isinstance(u, Apply) and u.function not in FUNCTIONS
    }


_ENDED = re.compile(r"[\s,;]*(?:$|(?:where|with|for|here|which|in which)\b|[A-Z⟦])")
"""What stands after the main clause of a sentence: nothing, or a clause or a phrase beside it."""
_YES_OR_NO = re.compile(r"(?:is|are|was|were|does|do|did|can|could)\b", re.IGNORECASE)
_ASKED = re.compile(r"^[^.!;:]*\?")
_SUBJECT = re.compile(
    r"⟦(\d+)⟧\s+(?!(?:it|they|this|these)\s)(?:[a-z]+\s+)?(?:satisf(?:y|ies|ied)|obey(?:s|ed)?|fulfill?(?:s|ed)?)\b[^.;:]*$"
)
_FOR_EVERY = re.compile(
    r"\bfor\s+(?:all|every|any|each)\s+(?:(?!⟦)[a-z]+\s+){0,3}⟦(\d+)⟧(?:\s*(?:,|and)\s*⟦(\d+)⟧)?", re.IGNORECASE
)


def _is_constant(side: Node) -> bool:
    """A number, or the identity."""
    return isinstance(side, Literal) or is_identity(side)


def _is_of_defined(case: Case, given: frozenset[str]) -> bool:
    """Whether statements speak of what is defined, and the given names in them are no more than what it depends on.

    `f(x) = 0` may pick out an x: of a function it says something where both sides have the same names, `f(2x) = 4 f(x)`,
    and where the sentence is about every x.
    """
    subject = _SUBJECT.search(case.item.context.before)
    for item in case.known.formulas.get(int(subject.group(1)), ()) if subject is not None else ():
        first = item.reading.chain.first
        named = case.known.names.written(first) if first is not None else None
        if named is not None and ((symbol := case.known.table.find(named)) is None or not symbol.defined):
            return False
    picked = given - set(_said_of_every(case))
    return all(_says_of_defined(s, given, picked, case.theory) for s in case.statements)


def _said_of_every(case: Case) -> Iterator[str]:
    """The names of which the sentence says "for all x" before a relation."""
    numbers = {int(n) for m in _FOR_EVERY.finditer(case.item.context.before) for n in m.groups() if n is not None}
    for item in (i for n in numbers for i in case.known.formulas.get(n, ())):
        first = item.reading.chain.first
        for node in first.items if isinstance(first, Listed) else (first,):
            named = case.known.names.written(node) if node is not None else None
            symbol = case.known.table.find(named) if named is not None else None
            if symbol is not None:
                yield symbol.head


def _says_of_defined(s: Statement, given: frozenset[str], picked: frozenset[str], theory: Theory) -> bool:
    left, right = _given(s.left), _given(s.right)
    known = (left | right) - given
    below, todo = set[str](), list(known)
    while todo:
        head = todo.pop()
        for d in theory.definitions.get(head, ()):
            new = d.body.heads - {t.name for t in d.tensors} - below
            below |= new
            todo += new
        below |= heads_of_law(head, theory)
    return bool(known) and (left == right or (left | right) & picked <= below)


def _has_letters(s: Statement) -> bool:
    return any(side.free or term_sizes(side) for side in (s.left, s.right))


def _given_below(t: Term, theory: Theory) -> frozenset[str]:
    below = frozenset(all_heads(Statement(t, "=", t), theory)) - theory.definitions.keys() | _given(t) - t.heads
    return below - theory.constants


def _puts_number(s: Statement, theory: Theory) -> bool:
    """Whether a statement sets a name, or an entry of it, to a number, and the name depends on something given."""
    name, number = s.left, s.right
    if s.relation != "=" or not isinstance(name, Entry) or name.args or number.heads or term_sizes(number):
        return False
    if name.name not in theory.definitions or any(len(c.index.free) > 1 for c in s.guard):
        return False  # of all entries below a diagonal it says something general
    below = [d for h in all_heads(s, theory) for d in theory.definitions.get(h, ())]
    return any(term_sizes(d.body) or not d.body.heads <= theory.definitions.keys() for d in below)


def _is_bare(t: Term) -> bool:
    return isinstance(t, Number | IndexValue) or _is_entry(t)


def _is_entry(t: Term) -> bool:
    """An entry of something that has a name; that of an inverse is computed."""
    return isinstance(t, Entry) and t.name != INVERSE


def _is_algebraic(t: Term) -> bool:
    """Sums, products, quotients, powers, roots and absolute values of entries, numbers and given functions at numbers."""
    return all(
        isinstance(u, Number | IndexValue | Entry | Add | Mul | Sum | Bracket | ByCases)
        or (isinstance(u, Pow) and isinstance(u.exponent, Number))
        or (isinstance(u, Apply) and u.function == ABSOLUTE)
        or (isinstance(u, Apply) and u.function not in FUNCTIONS and not u.heads)
        for u in subterms(t)
    )


def _transforms(s: Statement) -> bool:
    if s.hypotheses or _is_entry(s.left) or _is_entry(s.right):
        return False
    return bool(_given(s.left)) and _given(s.left) == _given(s.right)
