"""The study of one document: what is known of its text, and the state of the walk over its equations."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from derivations.documents.model.document import Document
from derivations.documents.model.finding import Finding
from derivations.latex.lexicon.differentiated_symbols import known as with_twins
from derivations.latex.lexicon.name_roles import Names
from derivations.latex.lexicon.symbol_table import Declared, Symbol, Table
from derivations.latex.syntax.surface import Chain, Fraction, Node
from derivations.study.equation_walk import Decide, Item, Key, Walk, as_meant, code_name, words_before
from derivations.study.known_text import Text
from derivations.study.verdict import Case, Verdict

Spoken = tuple[tuple[Fraction, ...], frozenset[str], frozenset[str], frozenset[str]]
"""The derivatives that an equation writes, its index letters outside of sums, its letters outside of their ranges."""
Link = Callable[["Study", Item, Key, Node | None, str, Node, bool], None]
"""Study one relation: its equation, its key, its sides; the last is whether it leads its chain."""


class Study:
    """The study of one document: what is known before its equations are walked over, and the state of the walk.

    Its formulas and the facts of its text are read; names, index letters, sizes and recurrences are told apart; declared
    shapes and laws are bound to the names.  Then the document is walked over twice, equation by equation: the first walk
    only unifies shapes, so that a size learned late is known early; the second builds terms, admits definitions and
    decides claims.  What is claimed about an equation that is not understood is withheld, and what is proved or refuted is
    tried under the other readings that the document leaves open.
    """

    def __init__(self, text: Text, table: Table, decide: Decide, link: Link) -> None:
        self.text, self.table = text, table
        self.link = link
        """How one relation is studied: a name that is defined later asks for it."""
        self.decide: Decide = lambda statement, theory: as_meant(decide(with_twins(statement, theory), theory))
        self.defined: Callable[[Finding], object] | None = None
        """Who is told each definition as soon as it is there."""
        self.wanted: frozenset[Key] | None = None
        """The only relations that are decided, where the others are of no interest."""
        self.walk = self.main = Walk(build=False)
        """What the walk that is under way keeps, and what the one that counts has kept."""
        self.refuted: dict[Key, tuple[Case, Verdict]] = {}
        """What the walk that is under way refutes."""
        self.refuted_in_main: Mapping[Key, tuple[Case, Verdict]] = {}
        """What the one that counts has refuted."""
        self.stated: dict[str, Declared] = {}
        """What is declared before the first equation."""
        self.second: dict[str, Symbol] = {}
        """The given names, with their shapes, that the first walk leaves to the second."""
        self.outcomes: dict[Key, str] = {}
        """Whether a left side that is written again was found to be a claim or a new version."""
        self.given_gradients = False
        """Whether the relation that is read now takes gradients of a loss as given tensors."""
        self.spoken: dict[int, tuple[Chain, Spoken]] = {}
        """What equations write of derivatives and free letters, by their identity, each with the equation."""
        self.taken_heads: frozenset[str] = frozenset()
        """Names inside that another study of the same document has."""
        self.introduced_before: dict[str, int] = {}
        """When names came up in the study of the whole document, for one of a section."""
        self.heads: frozenset[str] = frozenset()
        """Names inside of this one."""
        self.parts: dict[Key, Study] = {}
        """The studies of single sections from which findings were taken over."""

    @property
    def document(self) -> Document:
        """The document that is studied."""
        return self.text.said.document

    @property
    def items(self) -> list[Item]:
        """Its equations in order."""
        return self.text.said.items

    @property
    def names(self) -> Names:
        """Its names."""
        return self.text.names

    def ordered(self) -> list[Finding]:
        """The findings in document order, each with the numbers of those that it depends on."""
        main = self.main
        ordered = sorted({**self.text.unread, **main.findings}.items())
        positions = {key: n for n, (key, _) in enumerate(ordered)}
        for key, finding in ordered:
            finding.position = positions[key]
            finding.depends_on = tuple(
                sorted(positions[k] for k in main.uses.get(key, ()) if k in positions and k != key)
            )
        return [f for _, f in ordered]

    def called_in_code(self) -> list[tuple[str, str, int]]:
        """Code names that the text puts beside a symbol (`inputs`: $x_i$): (code name, stem, block)."""
        found = []
        for item in self.items:
            name, first = code_name(item), item.reading.chain.first
            w = self.names.written(first) if name is not None and first is not None else None
            if name is not None and w is not None:
                found.append((name, w.stem, self.document.block_of(item.span).index))
        return found

    def said_of_symbols(self) -> list[tuple[tuple[str, ...], str, int]]:
        """Words that stand before a symbol (`the update gate $z_t$`): (words, stem, block)."""
        found = []
        for item in self.items:
            first = item.reading.chain.first
            w = self.names.written(first) if first is not None else None
            words = words_before(item)
            if w is not None and words:
                found.append((words, w.stem, self.document.block_of(item.span).index))
        return found

    def named_sizes(self) -> frozenset[str]:
        """The lengths that the document has a name for: they stand in a stated shape or range."""
        named = [d.root().known for d in self.table.sizes.named.values()]
        return frozenset(s for size in named if size is not None for s in size.sizes)
