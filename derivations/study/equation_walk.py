"""The equations of a document in order, and what one walk over them keeps."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from derivations.documents.facts.sentence_patterns import CODE_NAME, CONDITION_WORDS
from derivations.documents.model.document import Context, Document, Given, MathSpan
from derivations.documents.model.finding import Finding
from derivations.language.statement import Statement, Theory
from derivations.language.term import Constraint, Index, Term
from derivations.latex.elaborator.indices import Choice
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import (
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
from derivations.provers.decide import Decision, Refuted, Undecided

Decide = Callable[[Statement, Theory], Decision]

Key = tuple[int, int, int]
"""A relation of the document: span, reading, link."""
SUPPOSED_BESIDE = -1
"""The link of a condition that is written beside an equation: `a = b` for `c > 0`."""


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
    above: int | None = None
    """The number of the reading that it goes on from, where that stands in its column and not right before it."""


@dataclass(frozen=True, slots=True)
class PutIn:
    """What one relation puts in: entries of a given name, or a length; with the words of the author for it."""

    key: Key
    words: str
    head: str | None
    """The given name; None for a length."""
    entries: Mapping[tuple[int, ...], Term]
    """The number at each place; the one at the place without coordinates, of an array, is that of all places."""
    sizes: Mapping[str, Index]
    holds_on: bool = False
    """It holds from there on: an array of numbers for a name that the definitions before it use."""


@dataclass(frozen=True, slots=True)
class SaidOfLengths:
    """What is said of sizes, `1 \\le n < N`."""

    constraint: Constraint
    within: str | None
    """The paragraph that it is limited to."""
    section: object
    is_case: bool = False
    """Whether it tells one case, as `setting $G = H$` does: it holds in its paragraph at most."""


@dataclass(slots=True)
class Walk:
    """What one walk over the document keeps."""

    build: bool
    forced: Mapping[tuple[object, ...], str] = field(default_factory=dict)
    only: Key | None = None
    findings: dict[Key, Finding] = field(default_factory=dict)
    choices: dict[Key, list[Choice]] = field(default_factory=dict)
    conflicts: set[Key] = field(default_factory=set)
    """The relations whose shapes do not fit."""
    owed: set[Key] = field(default_factory=set)
    """The relations that need lengths to be the same which are written differently."""
    equated: dict[Key, int] = field(default_factory=dict)
    """How many unknown lengths each relation puts to others."""
    origins: dict[str, Key] = field(default_factory=dict)
    stems: dict[str, str] = field(default_factory=dict)
    """The names that the heads of `origins` stand for."""
    uses: dict[Key, set[Key]] = field(default_factory=dict)
    hypotheses: list[tuple[Key, Statement, str | None]] = field(default_factory=list)
    """Statements taken as given, each with the paragraph, or the mark of the formula before it, that it is limited to (None:
    the rest of the document)."""
    lengths: list[SaidOfLengths] = field(default_factory=list)
    busy: set[Key] = field(default_factory=set)
    introduced: dict[str, int] = field(default_factory=dict)
    loose: dict[str, str] = field(default_factory=dict)
    """Heads of new versions that only names which nothing defines tell from the version before, with its head."""
    written_out: set[str] = field(default_factory=set)
    """States whose step was written out, as other names in it depend on the state before."""
    scaled: set[str] = field(default_factory=set)
    """Names whose definition uses a size as a number."""
    versions: dict[str, list[Symbol]] = field(default_factory=dict)
    """What names stood for before a later equation defined them anew."""
    given: dict[str, Symbol] = field(default_factory=dict)
    """Given names that an equation of a later section defines."""
    special: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Given names whose entries are set to numbers, `y_t = 1`, each with the section in which they are."""
    related: set[str] = field(default_factory=set)
    """Given names of which an equation relates the values at two places, `x_{t-1} = a x_t`."""
    restated: dict[str, list[Key]] = field(default_factory=dict)
    """The relations that state the number once more that a name has, by its head."""
    rules: dict[Key, str] = field(default_factory=dict)
    """The rule that told the role of each relation."""
    guessed: dict[Key, Finding] = field(default_factory=dict)
    """What is refuted but for a guess of how many axes a name has."""
    put_in: list[PutIn] = field(default_factory=list)
    """The numbers that the text puts in for given names and lengths."""
    rounded: set[str] = field(default_factory=set)
    """Names whose values the text prints with decimals, for what it puts in."""
    clock: int = 0
    at: tuple[int, int] = (-1, -1)
    """The equation that the walk has come to; a definition that it needs is looked for after it."""

    @property
    def misfits(self) -> set[Key]:
        """The relations whose shapes do not fit, or only where lengths are the same that are written differently."""
        return self.conflicts | self.owed


class Refusal(Exception):
    """A further case of a definition that overlaps the ones before."""


def continued(readings: list[Reading]) -> list[Reading]:
    """Rows that begin with a sign and have no relation continue the row before."""
    rows: list[Reading] = []
    for r in readings:
        chain = r.chain
        if rows and not chain.links and chain.first is not None and r.row > rows[-1].row and rows[-1].chain.links:
            *links, (relation, right) = rows[-1].chain.links
            whole = appended(right, chain.first)
            if whole is not None:
                joined = replace(rows[-1].chain, links=(*links, (relation, whole)))
                rows[-1] = replace(rows[-1], chain=joined, row=r.row, conditions=(*rows[-1].conditions, *r.conditions))
                continue
        rows.append(r)
    return rows


def appended(left: Node, more: Node) -> Node | None:
    """`left + a - b` from a row `+ a - b`, None when the row does not begin with a sign."""
    if isinstance(more, Prefix) and more.operator in ("+", "-"):
        return Infix((left.span[0], more.span[1]), more.operator, left, more.operand)
    if isinstance(more, Infix) and more.operator in ("+", "-"):
        start = appended(left, more.left)
        return None if start is None else Infix((left.span[0], more.span[1]), more.operator, start, more.right)
    return None


def balanced(source: str, start: int, end: int) -> str:
    """A piece of the source, with the closing braces that belong to it."""
    text = source[start:end]
    while text.count("{") > text.count("}") and source[end : end + 1] == "}":
        end += 1
        text = source[start:end]
    return re.sub(r"^(?:\s|&|\\\\)+", "", text).rstrip(" \n&")


def sentence_context(document: Document, span: MathSpan) -> Context:
    """The words around a formula, where a full stop inside the formula before it ends a sentence too."""
    context = document.context(span)
    before = document.with_stops(context.before)
    stop = max((m.end() for m in re.finditer(r"⟦\d+⟧[.](?=\s|$)", before)), default=0)
    if before[stop:].strip():
        before = before[stop:].strip()
    after = "" if span.ends_sentence and context.after[:1] not in ",;" else context.after
    return Context(before, after or context.after, document.paragraph(span), context.section)


def is_declared(document: Document, span: int) -> bool:
    """Whether a formula stands in a comment that declares what is given."""
    spans = document.spans
    return 0 <= span < len(spans) and isinstance(document.block_of(spans[span]), Given)


def code_name(item: Item) -> str | None:
    found = CODE_NAME.search(item.context.before.replace("*", ""))
    return found.group(1) if found else None


def words_before(item: Item) -> tuple[str, ...]:
    """The last words before a formula, that may say what it is: `a log-variance`, `The update gate is`."""
    words = item.context.before[-MOST_BEFORE:].replace("*", "").rstrip(" :,\n").split()
    if words and words[-1] in _COPULAS:
        words.pop()
    found: list[str] = []
    while words and len(found) < MOST_WORDS and (word := words.pop().lstrip("(")).replace("-", "").isalpha():
        found = [*word.lower().split("-"), *found]
    return tuple(found)


MOST_BEFORE, MOST_WORDS = 100, 4
"""How far back the words before a formula are looked at, and how many of them."""
_COPULAS = frozenset({"is", "are", "reads", "equals", "becomes"})


def is_number(node: Node) -> bool:
    return all(isinstance(n, Literal) or n.parts for n in walk(node)) and not isinstance(node, Listed)


def is_real(node: Node) -> bool:
    base = node.base if isinstance(node, Scripted) else node
    return isinstance(base, Name) and base.font == "blackboard"


def is_remark(node: Node) -> bool:
    """Words without a condition: `(variance)`, `\\forall i`, `where`."""
    if isinstance(node, Name | Mark):
        return True
    if isinstance(node, Words):
        rest = re.sub(r"^\W*(?:where|with|and)\W*$", "", node.text.strip(), flags=re.IGNORECASE)
        if is_comment(rest):
            return True
        return not rest or node.text.strip().startswith("(") or not CONDITION_WORDS.search(rest)
    if isinstance(node, Enclosed):
        return node.content is None or not isinstance(node.content, Chain) or not node.content.links
    if isinstance(node, Chain):
        return (not node.links and (node.first is None or is_remark(node.first))) or any(
            r == "in" for r, _ in node.links
        )
    if isinstance(node, Adjacent):
        if isinstance(node.items[0], Words) and is_comment(node.items[0].text):
            return True
        return all(isinstance(n, Mark | Words) or letter(n) is not None for n in node.items)
    return False


def remark(item: Item) -> str | None:
    r"""The words in upright type beside an equation that give it a name: `&& \mathrm{Gaussian}`, `\text{(boxcar)}`."""
    for node in reversed(item.reading.conditions):
        if isinstance(node, Name) and len(node.base) > 2:
            return node.base
        if isinstance(node, Words) and is_remark(node) and node.text.strip(" ()"):
            return node.text.strip(" ()")
    return None


_HEDGING = frozenset(
    {"only", "valid", "holds", "true", "and", "or", "but", "here", "defined", "equal", "this", "is", "are"}
)


def is_comment(text: str) -> bool:
    """Words beside an equation that tell what it is: `; context vector for the output`."""
    if re.match(r"\s*(?:;|//|#|%)", text):
        return True
    before = CONDITION_WORDS.split(text, maxsplit=1)[0]
    words = re.findall(r"[A-Za-z-]+", before.lower())
    return len(words) > 1 and _HEDGING.isdisjoint(words)


def as_meant(decision: Decision) -> Decision:
    """What is false only where a length is 1 is not called false of a document, which may not have meant it."""
    if isinstance(decision, Refuted) and decision.only:
        return Undecided(f"false where {decision.only}, and not found to be false where no length is 1")
    return decision
