"""What a document is: blocks in order, each with its exact place, and the mathematics inside its prose.

Nothing here interprets mathematics or runs code; the readers beside this file fill these classes in.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from derivations.documents.model.languages import in_english, language_of
from derivations.latex.syntax.lexer import Macro
from derivations.latex.syntax.macro_definitions import Macros, matching_braces

if TYPE_CHECKING:
    from derivations.documents.facts.directives import Declaration

OPEN, CLOSE = "⟦", "⟧"
MAX_SENTENCE = 4_000
"""How many characters of the words before and after a formula are looked at."""
MARK = re.compile(f"{OPEN}(\\d+){CLOSE}")
"""What stands for a formula in the words of a block, with its index."""
_AFTER_STOP = re.compile(
    r"(?:\\end\{[^{}]*+\}|\\(?:label|tag\*?)\{[^{}]*+\}|\\(?:nonumber|notag|qedhere)|\\[,;:! \\])$"
)
"""What may stand between the last sign of a formula and its end."""
MAX_ENDING = 100
"""Most characters of one such command."""
_MARK_WITHOUT_STOP = re.compile(f"{OPEN}(\\d+){CLOSE}(?![.])")


INTERNAL = "internal"
"""The code of an item that could not be studied because of a bug of ours."""


class DocumentError(Exception):
    """A document that cannot be read at all; the message is one line that says where, what was needed and found."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A position in a document.

    `cell` is 1-based over all cells of a notebook, None elsewhere; `line` is 1-based in the file, in a notebook within
    the cell; `column` is 1-based, in characters.
    """

    path: str
    cell: int | None
    line: int
    column: int

    def __str__(self) -> str:
        """
        >>> str(Place("lesson.md", None, 12, 5)), str(Place("lesson.ipynb", 3, 2, 1))
        ('lesson.md:12:5', 'lesson.ipynb: cell 3:2:1')
        """
        cell = "" if self.cell is None else f" cell {self.cell}:"
        return f"{self.path}:{cell}{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Text:
    """Text taken from a document, with the line and column that each of its lines came from.

    The lines need not be contiguous in the document: markers of block quotes and lists are left out.
    """

    text: str
    starts: tuple[int, ...]
    origins: tuple[tuple[int, int], ...]
    path: str
    cell: int | None

    @classmethod
    def of_lines(cls, lines: Iterable[tuple[str, int, int]], path: str, cell: int | None) -> "Text":
        """Join `lines`, each with the line and column of its first character.

        >>> Text.of_lines([("a", 3, 1), ("bc", 4, 3)], "x.md", None).locate(3)
        Place(path='x.md', cell=None, line=4, column=4)
        """
        parts, starts, origins, offset = [], [], [], 0
        for text, line, column in lines:
            parts.append(text)
            starts.append(offset)
            origins.append((line, column))
            offset += len(text) + 1
        if not parts:
            raise ValueError("at least one line is needed, found none")
        return cls("\n".join(parts), tuple(starts), tuple(origins), path, cell)

    def locate(self, offset: int) -> Place:
        """The place of the character at `offset`, 0 ≤ offset ≤ len(text).

        Errors: ValueError for an offset outside the text.
        """
        if not 0 <= offset <= len(self.text):
            raise ValueError(f"an offset from 0 to {len(self.text)} is needed, found {offset}")
        row = bisect_right(self.starts, offset) - 1
        line, column = self.origins[row]
        return Place(self.path, self.cell, line, column + offset - self.starts[row])

    def piece(self, start: int, end: int) -> "Text":
        """The text from `start` to `end`, still knowing its places."""
        first = bisect_right(self.starts, start) - 1
        last = bisect_right(self.starts, max(start, end)) - 1
        line, column = self.origins[first]
        starts = (0, *(s - start for s in self.starts[first + 1 : last + 1]))
        origins = ((line, column + start - self.starts[first]), *self.origins[first + 1 : last + 1])
        return Text(self.text[start:end], starts, origins, self.path, self.cell)


@dataclass(frozen=True, slots=True)
class MathSpan:
    """One piece of mathematics inside prose.

    `text` holds the LaTeX between the delimiters; of an environment that stands without ``$$`` it is the whole
    ``\\begin{…}…\\end{…}``. `start` and `end` are offsets into the block's text, delimiters included. `index` counts
    the spans of the document from 0; placeholders in prose carry it.
    """

    index: int
    display: bool
    delimiter: str
    text: Text
    start: int
    end: int

    @property
    def source(self) -> str:
        """The LaTeX as written."""
        return self.text.text

    @property
    def place(self) -> Place:
        """Where the first character of the LaTeX that is not white space stands."""
        source = self.text.text
        return self.text.locate(len(source) - len(source.lstrip()))

    @property
    def ends_sentence(self) -> bool:
        """Whether its last sign is a full stop: `x = 1 . \\end{equation}`."""
        source = self.source.rstrip()
        while (found := _AFTER_STOP.search(source, max(0, len(source) - MAX_ENDING))) is not None:
            source = source[: found.start()].rstrip()
        return source.endswith(".") and not source.endswith("..")

    def locate(self, offset: int) -> Place:
        """The place of the character at `offset` of `source`."""
        return self.text.locate(offset)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment of a code block, without its ``#``; `alone` when nothing else stands on its line."""

    text: str
    place: Place
    alone: bool


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a document that could not be read, while the rest could; `code` is a short stable name."""

    code: str
    message: str
    place: Place


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a document.

    `section` lists the headings it stands under, outermost first; `scope` the items of lists, examples and exercises
    that it stands in, each of them numbered.
    """

    index: int
    text: Text
    section: tuple[str, ...]
    cell_tags: tuple[str, ...]
    scope: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def place(self) -> Place:
        """Where the block's text starts."""
        return self.text.locate(0)

    @property
    def end_line(self) -> int:
        """The line of the block's last character."""
        return self.text.origins[-1][0]


def are_beside(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two places stand in different items of one list, or in different examples.

    >>> are_beside(("item 1",), ("item 2",)), are_beside(("item 1",), ("item 1", "item 2")), are_beside((), ("item 1",))
    (True, False, False)
    """
    return any(a != b for a, b in zip(one, other, strict=False))


def without_marks(text: str) -> str:
    """Text of the author, in which nothing looks like the mark of a formula."""
    return text.replace(OPEN, "[").replace(CLOSE, "]")


_RUN = re.compile(r"\s{2,}")


def with_single_spaces(words: str) -> str:
    """Words in which a line break, or else a space, stands for each run of white space.

    Comments and indentation leave runs of any length, and patterns that allow white space in several places in a row take
    a power of that length to fail. So no sentence is looked at without this.

    >>> with_single_spaces("rows   of\\n   a matrix")
    'rows of\\na matrix'
    """
    return _RUN.sub(lambda run: "\n" if "\n" in run.group() else " ", words)


def _placeholders(block: "Prose | Heading") -> str:
    parts, done = [], 0
    text = without_marks(block.text.text)
    for span in block.spans:
        parts += [text[done : span.start], f"{OPEN}{span.index}{CLOSE}"]
        done = span.end
    return "".join([*parts, text[done:]])


@dataclass(frozen=True, slots=True)
class Prose(Block):
    """A paragraph, list item or table, with its mathematics. HTML comments inside it are blanked out."""

    spans: tuple[MathSpan, ...]

    @property
    def words(self) -> str:
        """The text with every span replaced by ``⟦index⟧``."""
        return _placeholders(self)


@dataclass(frozen=True, slots=True)
class Given(Prose):
    """A supposition that a comment declares; the sentences of its neighbours are none of its own."""


@dataclass(frozen=True, slots=True)
class Linked(Prose):
    """An equation that a comment links to a name of the code, which stands on its left as the code writes it."""


@dataclass(frozen=True, slots=True)
class Heading(Block):
    """A heading; `section` ends with the heading itself."""

    level: int
    spans: tuple[MathSpan, ...]

    @property
    def words(self) -> str:
        """The text with every span replaced by ``⟦index⟧``."""
        return _placeholders(self)


@dataclass(frozen=True, slots=True)
class Code(Block):
    """A code block. `language` is in lower case, None when the document does not say.

    `execution_count` is None where there is no count; `executed` tells a cell that was run from one that was not, and is
    None where the format cannot say.  `cell_id` is the identifier of a notebook's cell, that of an assignment first.
    """

    language: str | None
    execution_count: int | None
    executed: bool | None
    comments: tuple[Comment, ...]
    cell_id: str = ""
    subject: str = ""
    """The function or class that a part of a Python file is about; what else stands there is what it calls."""

    @property
    def is_python(self) -> bool:
        """Whether the code is Python."""
        return self.language == "python"


@dataclass(frozen=True, slots=True)
class Output(Block):
    """What the code block `of` (its index among the blocks) printed.

    `kind` is ``stream``, ``stderr``, ``result``, ``display`` or ``error`` in a notebook, ``text`` where the format does not
    say.
    In a notebook the output stands nowhere in the cell; its place is the last line of the cell's code.
    """

    of: int
    kind: str


@dataclass(frozen=True, slots=True)
class HtmlComment(Block):
    """The content of an HTML comment, a candidate for a declaration."""


@dataclass(frozen=True, slots=True)
class Context:
    """The words around a span, spans replaced by ``⟦index⟧``.

    `before` is the sentence so far, or the last sentence of the paragraph before when the span starts its own; `after`
    is the rest of the sentence, or the first sentence of the next paragraph. `paragraph` is the whole paragraph.
    """

    before: str
    after: str
    paragraph: str
    section: tuple[str, ...]


@dataclass(frozen=True)
class Document:
    """A document as read: blocks in document order.

    `format` is ``notebook``, ``markdown``, ``latex``, ``python`` or ``transcript``; `front_matter` is the text of a YAML
    header, unparsed.  `macros` holds what the author's commands mean from a span on; `files` the further files that the
    document takes in, each with the hash of its bytes.
    """

    path: str
    sha256: str
    title: str
    format: str
    blocks: tuple[Block, ...]
    problems: tuple[Problem, ...] = ()
    front_matter: str = ""
    macros: tuple[tuple[int, Mapping[str, Macro]], ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    declarations: tuple["Declaration", ...] = ()
    """What the author tells the checker in comments and in the project file."""
    chapters: Mapping[str, str] = field(default_factory=dict)
    """The titles of the chapters that are read together, by path; empty for a document of its own."""
    parts: tuple["Document", ...] = ()
    """Documents of their own inside one file, as the docstrings of a Python file are; the file itself has no blocks then."""

    def macros_at(self, span: int) -> Mapping[str, Macro]:
        """The author's commands as they stand at a span; a command that is only defined later is known before, too."""
        starts, tables = self._macro_tables
        return tables[bisect_right(starts, span)]

    @cached_property
    def _macro_tables(self) -> tuple[list[int], list[Mapping[str, Macro]]]:
        first: dict[str, Macro] = {}
        for _, known in reversed(self.macros):
            first.update(known)
        return [start for start, _ in self.macros], [first, *({**first, **known} for _, known in self.macros)]

    @cached_property
    def _read_order(self) -> dict[str, tuple[list[tuple[int, int, int]], list[int]]]:
        """For each file the places where its blocks start, and the number of blocks of the document before each."""
        found: dict[str, tuple[list[tuple[int, int, int]], list[int]]] = {}
        for block in self.blocks:
            place = block.place
            starts, indices = found.setdefault(place.path, ([], []))
            at = (place.cell or 0, place.line, place.column)
            if not starts or at > starts[-1]:
                starts.append(at)
                indices.append(block.index)
        return found

    def order(self, place: Place) -> tuple[int, int, int, int]:
        """What places are sorted by, over all files of the document.

        >>> document = Document("a.md", "", "", "markdown", ())
        >>> document.order(Place("a.md", None, 3, 1)) < document.order(Place("a.md", None, 3, 2))
        True
        """
        if not self.files:
            return (0, place.cell or 0, place.line, place.column)
        starts, indices = self._read_order.get(place.path, ([], []))
        k = bisect_right(starts, (place.cell or 0, place.line, place.column)) - 1
        return (indices[k] if k >= 0 else -1, 0, place.line, place.column)

    @cached_property
    def spans(self) -> tuple[MathSpan, ...]:
        """All mathematics, in document order; ``spans[k].index == k``."""
        return tuple(span for block in self.blocks if isinstance(block, Prose | Heading) for span in block.spans)

    @cached_property
    def _owner(self) -> dict[int, int]:
        return {
            span.index: block.index
            for block in self.blocks
            if isinstance(block, Prose | Heading)
            for span in block.spans
        }

    @cached_property
    def code(self) -> tuple[Code, ...]:
        """The code blocks."""
        return tuple(block for block in self.blocks if isinstance(block, Code))

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        """The comments of all code blocks."""
        return tuple(comment for block in self.code for comment in block.comments)

    def block_of(self, span: MathSpan) -> Prose | Heading:
        """The block that holds `span`.

        Errors: ValueError for a span of another document.
        """
        block = self.blocks[self._owner[span.index]] if span.index in self._owner else None
        if not isinstance(block, Prose | Heading) or self.spans[span.index] != span:
            raise ValueError(f"a span of {self.path} is needed, found one of {span.text.path}")
        return block

    def outputs_of(self, code: Code) -> tuple[Output, ...]:
        """What `code` printed, in order."""
        return tuple(block for block in self.blocks if isinstance(block, Output) and block.of == code.index)

    def context(self, span: MathSpan) -> Context:
        """The words around `span`; of a sentence longer than `MAX_SENTENCE` characters the nearest ones."""
        block = self.block_of(span)
        words, marks = self._words[block.index]
        start, end = marks[span.index]
        left, right = words[max(0, start - MAX_SENTENCE) : start], words[end : end + MAX_SENTENCE]
        before, after = sentences(left)[-1:], sentences(right)[:1]
        lead, trail = "".join(before).strip(), "".join(after).strip()
        if not lead or left.rstrip().endswith((".", "!", "?")):
            lead = (sentences(self._before(block)) or [""])[-1].strip() if not left.strip() else ""
        is_last = bool(trail) and not span.display and not trail.strip(".!?")  # its sentence ends with it
        if not is_last and not trail.strip(".,;:"):
            trail = (sentences(self._neighbour(block, 1)) or [""])[0].strip() if not right.strip(" .,;:\n") else ""
        return Context(lead, trail, words, block.section)

    def sentences_before(self, span: MathSpan, count: int) -> str:
        """The last sentences before `span` in its paragraph, or in the one before when the span starts its own."""
        block = self.block_of(span)
        words, marks = self._words[block.index]
        left = words[: marks[span.index][0]]
        return " ".join(sentences(left if left.strip() else self._neighbour(block, -1))[-count:])

    def words_above(self, span: MathSpan) -> Iterator[str]:
        """The words of the prose before the block of `span`, in its section and in those around it."""
        own = self.block_of(span)
        for block in self.blocks[: own.index]:
            if block.index in self._words and own.section[: len(block.section)] == block.section:
                yield self._words[block.index][0]

    @cached_property
    def language(self) -> str:
        """The language of the prose, by its frequent words or its letters."""
        return language_of(" ".join(MARK.sub(" ", b.words) for b in self.blocks if isinstance(b, Prose | Heading)))

    @cached_property
    def _words(self) -> dict[int, tuple[str, dict[int, tuple[int, int]]]]:
        """By block: its words with single spaces, those of the table of languages in English, and where in them the mark of
        each span stands."""
        found = {}
        for block in self.blocks:
            if isinstance(block, Prose | Heading):
                words = in_english(with_single_spaces(block.words), self.language)
                marks = {int(m.group(1)): m.span() for m in MARK.finditer(words)}
                found[block.index] = words, marks
        return found

    def texts(self) -> Iterator[str]:
        """The words of each block of prose and each heading, also of those without mathematics."""
        return (words for words, _ in self._words.values())

    def last_sentence(self, block: Prose) -> str:
        """The last sentence of a block of prose."""
        return (sentences(self._words[block.index][0]) or [""])[-1].strip()

    def in_table(self, span: MathSpan) -> bool:
        """Whether a formula stands in a row of a table, `| $T = 1$ | standard |`."""
        text = self.block_of(span).text.text
        row = text[text.rfind("\n", 0, span.start) + 1 : span.start].lstrip()
        return row.startswith("|")

    def paragraph(self, span: MathSpan) -> str:
        """The words of the block of `span`, with the full stop that a formula ends in after its mark."""
        index = self.block_of(span).index
        if index not in self._paragraphs:
            self._paragraphs[index] = self.with_stops(self._words[index][0])
        return self._paragraphs[index]

    @cached_property
    def _paragraphs(self) -> dict[int, str]:
        return {}

    def with_stops(self, words: str) -> str:
        """Words with the full stop that a formula ends in after its mark."""

        def ends(match: re.Match[str]) -> str:
            return match.group(0) + ("." if self.spans[int(match.group(1))].ends_sentence else "")

        return _MARK_WITHOUT_STOP.sub(ends, words)

    def _before(self, block: Block) -> str:
        """The words of the prose before `block`; before an item of a list, the words that lead to the list and end in a colon."""
        position = block.index - 1
        while position >= 0 and are_beside(self.blocks[position].scope, block.scope):
            position -= 1
        if position < block.index - 1 and position >= 0:
            first = self.blocks[position + 1]
            lead = self._neighbour(first, -1)
            if lead.rstrip().endswith(":"):
                return lead
        return self._neighbour(block, -1)

    def _neighbour(self, block: Block, step: int) -> str:
        """The words of the prose block next to `block`, empty when something else stands there (comments aside)."""
        position = block.index + step
        while 0 <= position < len(self.blocks) and isinstance(self.blocks[position], HtmlComment | Given):
            position += step
        other = self.blocks[position] if 0 <= position < len(self.blocks) else None
        if not isinstance(other, Prose):
            return ""
        words, _ = self._words[other.index]
        return words[-MAX_SENTENCE:] if step < 0 else words[:MAX_SENTENCE]


_LONGEST_WORD = 40
_ABBREVIATIONS = (
    "e.g",
    "i.e",
    "cf",
    "eq",
    "eqs",
    "fig",
    "sec",
    "resp",
    "vs",
    "al",
    "w.r.t",
    "etc",
    "no",
    "i.i.d",
    "r.v",
    "r.v.s",
    "a.k.a",
    "s.t",
    "def",
    "thm",
    "prop",
    "ch",
    "dr",
    "approx",
)


def sentences(text: str) -> list[str]:
    """Cut `text` into sentences: at ``. ! ?`` before white space, but not after an abbreviation or a single letter.

    >>> sentences("Let A be given, cf. eq. 3. Its rows sum to 1! Why?")
    ['Let A be given, cf. eq. 3.', ' Its rows sum to 1!', ' Why?']
    """
    parts, start = [], 0
    for at, character in enumerate(text):
        if character not in ".!?。！？" or (character in ".!?" and at + 1 < len(text) and not text[at + 1].isspace()):
            continue
        word = text[max(start, at - _LONGEST_WORD) : at].split()[-1:] if character == "." else []
        stem = word[0].lstrip("(").lower() if word else ""
        if stem in _ABBREVIATIONS or (len(stem) == 1 and stem.isalpha()):
            continue
        parts.append(text[start : at + 1])
        start = at + 1
    if text[start:].strip():
        parts.append(text[start:])
    return parts


@dataclass(slots=True)
class Builder:
    """Collects the blocks of one document; the readers use it, so that indices and sections are set in one place."""

    path: str
    blocks: list[Block] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    span_count: int = 0
    cell: int | None = None
    cell_tags: tuple[str, ...] = ()
    cell_id: str = ""
    macros: list[tuple[int, Mapping[str, Macro]]] = field(default_factory=list)
    commands: Macros = field(default_factory=Macros)
    """The author's commands as they now stand."""
    _headings: list[tuple[int, str]] = field(default_factory=list)
    _scopes: list[tuple[str, int]] = field(default_factory=list)
    """What is open now: an item with its indentation, or an example with the number of what is open around it."""
    _scope_count: int = 0
    _closed: str = ""
    """The example or exercise that was closed last, in this section."""

    def note_commands(self) -> None:
        """From the next span on, the author's commands are what they now are."""
        if self.macros and self.macros[-1][0] == self.span_count:
            self.macros.pop()
        self.macros.append((self.span_count, dict(self.commands.known)))

    @property
    def section(self) -> tuple[str, ...]:
        """The headings that now apply, outermost first."""
        return tuple(title for _, title in self._headings)

    @property
    def scope(self) -> tuple[str, ...]:
        """The items and examples that are open now."""
        return tuple(name for name, _ in self._scopes)

    def open_item(self, indentation: int) -> None:
        """Begin an item of a list, which ends the items that are not left of it."""
        while self._scopes and self._scopes[-1][1] >= indentation >= 0:
            self._scopes.pop()
        self.open_scope("item", indentation)

    def next_item(self) -> None:
        """Begin the next item of the innermost list that is open."""
        if any(name.startswith("list ") for name, _ in self._scopes):
            while not self._scopes[-1][0].startswith("list "):
                self._scopes.pop()
            self.open_scope("item")

    def open_scope(self, kind: str, indentation: int = -1, *, goes_on: bool = False) -> None:
        """Begin an example, an exercise or an item; a solution goes on with the exercise before it."""
        self._scope_count += 1
        again = goes_on and self._closed.startswith(f"{kind} ")
        self._scopes.append((self._closed if again else f"{kind} {self._scope_count}", indentation))

    def close_items(self) -> None:
        """End the list that is open."""
        while self._scopes and self._scopes[-1][1] >= 0:
            self._scopes.pop()

    def close_scope(self, kind: str) -> None:
        """End the innermost example or exercise of this kind, and what is open in it."""
        if any(name.startswith(f"{kind} ") for name, _ in self._scopes):
            while not (closed := self._scopes.pop()[0]).startswith(f"{kind} "):
                pass
            self._closed = closed

    def text(self, lines: Sequence[tuple[str, int, int]]) -> Text:
        """A text of this document and cell."""
        return Text.of_lines(lines, self.path, self.cell)

    def spans(self, found: Iterable[tuple[bool, str, int, int, int, int]], text: Text) -> tuple[MathSpan, ...]:
        """Number the spans `found` in `text`: display, delimiter, start, source start, source end, end."""
        spans = []
        for display, delimiter, start, inner, inner_end, end in found:
            spans.append(MathSpan(self.span_count, display, delimiter, text.piece(inner, inner_end), start, end))
            self.span_count += 1
            source = text.text[inner:inner_end]
            if "\\" in source and self.commands.take(source, matching_braces(source), 0):
                self.note_commands()
        return tuple(spans)

    def prose(self, text: Text, spans: tuple[MathSpan, ...]) -> None:
        """Add a paragraph."""
        self.blocks.append(Prose(len(self.blocks), text, self.section, self.cell_tags, spans, scope=self.scope))

    def heading(self, text: Text, level: int, spans: tuple[MathSpan, ...]) -> None:
        """Add a heading and put what follows under it."""
        self._scopes.clear()
        self._closed = ""
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self._headings.append((level, " ".join(text.text.split())))
        self.blocks.append(Heading(len(self.blocks), text, self.section, self.cell_tags, level, spans))

    def code(
        self,
        text: Text,
        language: str | None,
        comments: tuple[Comment, ...] = (),
        execution_count: int | None = None,
        executed: bool | None = None,
        subject: str = "",
    ) -> int:
        """Add a code block; returns its index."""
        index = len(self.blocks)
        own = self.section, self.cell_tags, language, execution_count, executed, comments, self.cell_id
        self.blocks.append(Code(index, text, *own, subject))
        return index

    def output(self, text: Text, of: int, kind: str) -> None:
        """Add an output of the code block `of`."""
        self.blocks.append(Output(len(self.blocks), text, self.section, self.cell_tags, of, kind))

    def html_comment(self, text: Text) -> None:
        """Add an HTML comment."""
        self.blocks.append(HtmlComment(len(self.blocks), text, self.section, self.cell_tags))

    def problem(self, code: str, message: str, place: Place) -> None:
        """Note something that could not be read."""
        self.problems.append(Problem(code, message, place))
