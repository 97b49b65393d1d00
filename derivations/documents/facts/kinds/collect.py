"""All facts of a document, collected once, before any formula gets a meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from derivations.documents.facts.fact import (
    GIVING,
    Fact,
    FactKind,
    Found,
    Name,
    Row,
    Scope,
    Sentence,
    Strength,
    Value,
    numbers_in,
)
from derivations.documents.facts.kinds import (
    convention,
    count,
    decomposition,
    divisibility,
    function,
    law,
    matrix,
    property,
    rows_and_columns,
    shape,
    sign,
    vector,
)
from derivations.documents.facts.lists_of_items import names_case
from derivations.documents.facts.sentence_patterns import LOCAL
from derivations.documents.model.document import MAX_SENTENCE, Document, MathSpan, Prose, sentences
from derivations.latex.syntax.letters import letters_in
from derivations.latex.syntax.surface import Chain, Listed, Node, Reading, Scripted

ROWS: tuple[Row, ...] = (
    *sign.ROWS,
    *count.ROWS,
    *divisibility.ROWS,
    *vector.ROWS,
    *matrix.ROWS,
    *function.ROWS,
    *law.ROWS,
    *shape.ROWS,
    *rows_and_columns.ROWS,
    *convention.ROWS,
    *property.ROWS,
)
"""Every way to say a fact, kind by kind."""
_SYMBOLS = re.compile(r"\b(?:notations?|symbols?|nomenclature|glossary|conventions|list of)\b", re.IGNORECASE)
"""Words of a heading under which names are explained for the whole document."""
_ORDER = frozenset({"<", "<=", ">", ">="})
"""Relations that say what a letter runs over."""
_FOR = re.compile(r"\bfor\s+(?:[a-z-]+\s+){0,4}$", re.IGNORECASE)
"""Right before a name: what is said of it holds in the section."""


def collect_facts(
    document: Document, readings: Mapping[int, Sequence[Reading]], spans: Sequence[MathSpan] | None = None
) -> tuple[Fact, ...]:
    """The facts that a document states, in its order; `readings` are those of its formulas, by their numbers.

    With `spans`, those of the paragraphs around these formulas alone.
    """
    chosen = document.spans if spans is None else spans
    found: list[Fact] = []
    for span, sentence in sentences_of(document, chosen):
        said = [_fact(document, readings, span, sentence.text, row, one) for row in ROWS for one in row.read(sentence)]
        found += _without_words_of_others(said, sentence)
    for span in chosen:
        found += _facts_of_formula(document, span, readings)
    if spans is None:
        found += _said_without_formulas(document, readings)
    return tuple(dict.fromkeys(found))


def _said_without_formulas(document: Document, readings: Mapping[int, Sequence[Reading]]) -> Iterator[Fact]:
    """What paragraphs without formulas say that holds throughout: "On this sheet tokens are columns"."""
    rows = [row for row in ROWS if row.kind in (FactKind.TOKENS, FactKind.CONVENTION)]
    for block in document.blocks:
        if not isinstance(block, Prose) or block.spans:
            continue
        after = next((s for s in document.spans if document.block_of(s).index > block.index), None)
        for text in sentences(block.text.text) if after is not None else ():
            sentence = Sentence(text.strip()[:MAX_SENTENCE], block.text.text, {})
            for row in rows:
                for one in row.read(sentence):
                    yield _fact(document, readings, after, sentence.text, row, one)  # type: ignore[arg-type]


def _without_words_of_others(said: Sequence[Fact], sentence: Sentence) -> Iterator[Fact]:
    """The facts of a sentence, but not those about unread words that are read of other names: "a diagonal $D$ and $A$"."""
    read: dict[str, list[Fact]] = {}
    for f in said:
        if f.kind is FactKind.MATRIX:
            read.setdefault(str(f.value).split(" ")[0], []).append(f)
    words = re.findall(r"[a-z]+", sentence.text.lower())
    for f in said:
        others = read.get(str(f.value), []) if f.kind is FactKind.PROPERTY else []
        if not others or len(others) < words.count(str(f.value)) or any(set(f.names) & set(o.names) for o in others):
            yield f


def sentences_of(document: Document, spans: Sequence[MathSpan]) -> Iterator[tuple[MathSpan, Sentence]]:
    """The sentences of the paragraphs around formulas, each with the first formula of its paragraph."""
    sources = {s.index: s.source for s in spans}
    seen: set[int] = set()
    for span in spans:
        block = document.block_of(span)
        if block.index not in seen:
            seen.add(block.index)
            paragraph = document.paragraph(span)
            lead = document.context(span).before.strip()
            if lead and lead not in paragraph and not numbers_in(lead):  # a paragraph without formulas before a display
                yield span, Sentence(lead[:MAX_SENTENCE], lead, sources)
            yield from ((span, Sentence(text, paragraph, sources)) for text in _pieces(paragraph))


def _pieces(paragraph: str) -> Iterator[str]:
    """The sentences of a paragraph; each row of a table is one."""
    for sentence in sentences(paragraph):
        lines = sentence.split("\n")
        rows = [line.strip() for line in lines if line.lstrip().startswith("|")]
        # some patterns look for two words of a sentence in any order: what is much longer is no sentence
        yield from (row[:MAX_SENTENCE] for row in rows or [sentence.strip()])


def _fact(
    document: Document, readings: Mapping[int, Sequence[Reading]], span: MathSpan, text: str, row: Row, found: Found
) -> Fact:
    names, value = found
    since = min(numbers_in(text), default=span.index)
    first = next((n for n in names if isinstance(n, int)), since)
    before = text[: text.find(f"⟦{first}⟧")] if f"⟦{first}⟧" in text else ""
    if row.kind not in GIVING:
        before = ""
    return _made(document, readings, span, since, before, (row.kind, names, value, row.strength))


def _made(
    document: Document,
    readings: Mapping[int, Sequence[Reading]],
    span: MathSpan,
    since: int,
    before: str,
    row: tuple[FactKind, tuple[Name, ...], Value, Strength],
) -> Fact:
    """A fact that is said after certain words: under "if" in its paragraph, under "for" in its section, but in its paragraph
    where the sentence has spoken of the name before: `C + C^T; for symmetric C: 2 C`."""
    kind, names, value, strength = row
    block = document.block_of(span)
    within = _FOR.search(before) is not None
    local = LOCAL.search(before) is not None or (within and _is_spoken_of(names, before, readings))
    everywhere = any(map(_SYMBOLS.search, block.section[-1:]))
    scope = Scope(block.section, block.index, since, local, within, everywhere)
    return Fact(kind, names, value, scope, span.place, Strength.SUPPOSED if local else strength)


def _is_spoken_of(names: tuple[Name, ...], before: str, readings: Mapping[int, Sequence[Reading]]) -> bool:
    """Whether a formula that is a name, or a list of names, has one that occurs in the formulas of the words before it."""
    said = [r.chain.first for n in names if isinstance(n, int) for r in readings.get(n, ())]
    own = {letter for node in said if node is not None for letter in _own_letters(node)}
    earlier = (letters_in(r.chain) for n in numbers_in(before) for r in readings.get(n, ()))
    return any(not own.isdisjoint(letters) for letters in earlier)


def _own_letters(node: Node) -> set[str]:
    """The letters of a name or of a list of names, without those below and above them."""
    if isinstance(node, Listed):
        return {letter for n in node.items for letter in _own_letters(n)}
    return _own_letters(node.base) if isinstance(node, Scripted) else letters_in(node)


def _facts_of_formula(document: Document, span: MathSpan, readings: Mapping[int, Sequence[Reading]]) -> Iterator[Fact]:
    """The signs that a formula states by itself, `T > 0`, the lengths in a space, and the factors of a decomposition."""
    for reading in (r for r in readings.get(span.index, ()) if r.chain.first is not None):
        chain = reading.chain
        for length in count.lengths_of_formula(chain):
            yield _made(
                document, readings, span, span.index, "", (FactKind.COUNT, (length,), "dimension", Strength.SAID)
            )
        for deviations, positive in sign.signs_of_laws(chain):
            yield _made(
                document, readings, span, span.index, "", (FactKind.SIGN, deviations, positive, Strength.IMPLIED)
            )
        if _names_case(document, span, chain, readings):
            continue
        context = document.context(span)
        heading = " ".join(document.block_of(span).section[-1:])
        for names, value in decomposition.of_formula(chain, context.before, context.after, heading):
            kind = FactKind.SIGN if value == decomposition.NOT_NEGATIVE else FactKind.MATRIX
            yield _made(document, readings, span, span.index, context.before, (kind, names, value, Strength.SAID))
        if _is_of_some(reading):
            continue
        for names, value in sign.signs_of_formula(chain):
            before = document.context(span).before
            if names and not sign.is_claimed(before):  # asked, denied or concluded
                yield _made(document, readings, span, span.index, before, (FactKind.SIGN, names, value, Strength.SAID))


def _is_of_some(reading: Reading) -> bool:
    r"""Whether a relation is said of some members alone, `w_i > 0, 1 \le i \le m`: that is a hypothesis about these."""
    chain = reading.chain
    sides = [n for n in (chain.first, *(n for _, n in chain.links)) if isinstance(n, Scripted) and n.sub is not None]
    below = {c for n in sides if n.sub is not None for c in letters_in(n.sub)}
    ranges = (c for c in reading.conditions if isinstance(c, Chain) and _ORDER.intersection(r for r, _ in c.links))
    return any(below & letters_in(c) for c in ranges)


def _names_case(document: Document, span: MathSpan, chain: Chain, readings: Mapping[int, Sequence[Reading]]) -> bool:
    """Whether a formula names the case of an item, in which alone it holds."""
    return names_case(document, span, chain, lambda number: [r.chain for r in readings.get(number, ())])
