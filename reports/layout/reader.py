"""Read LaTeX into a layout tree.

The reader accepts everything: what it does not know becomes `Unknown`, is shown as it was typed and is listed in
`problems`. It expands no macro, runs nothing, and stops at counted limits.

Source of the syntax: D. E. Knuth, The TeXbook (1986), chapters 16 to 18; the amsmath User's Guide.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from derivations.latex.syntax.symbols import CHARACTERS, COMMANDS, UNICODE, Kind, Symbol

from .tree import (
    ALIGNED,
    CASES,
    CENTRED,
    MATRICES,
    Accent,
    Atom,
    Classed,
    Delimiter,
    Fenced,
    Fraction,
    Layout,
    Node,
    Number,
    Phantom,
    Root,
    Row,
    Scripts,
    Space,
    Stack,
    Style,
    Table,
    Unknown,
    Words,
)

LENGTH_LIMIT = 20_000
"""Longest formula that is laid out, in characters; a longer one is shown as typed."""
DEPTH_LIMIT = 40
"""Deepest nesting that is laid out."""


_PLAIN = frozenset({"equation", "math", "displaymath", "document", "center"})
_WITH_ARGUMENT = frozenset({"alignat", "alignedat", "xalignat", "subarray"})

_TEXT_FONTS = {
    "text": "",
    "textrm": "",
    "textnormal": "",
    "textup": "",
    "mbox": "",
    "hbox": "",
    "textbf": "bold",
    "textit": "italic",
    "emph": "italic",
    "textsl": "italic",
    "texttt": "monospace",
    "textsf": "sans-serif",
    "textsc": "",
}
_BODY_ONLY = frozenset(
    {"boxed", "fbox", "ensuremath", "smash", "mathclap", "mathllap", "mathrlap", "cancel", "mathinner", "mathord"}
)
_DROP_FIRST = frozenset({"textcolor", "colorbox", "href"})
_CLASSES = {"mathop": Kind.OP, "mathrel": Kind.REL, "mathbin": Kind.BIN, "mathpunct": Kind.PUNCT}
_SIDES = {"mathopen": Kind.OPEN, "mathclose": Kind.CLOSE}
_FRACTIONS = {
    "frac": ("", True),
    "dfrac": ("display", True),
    "cfrac": ("display", True),
    "tfrac": ("text", True),
    "binom": ("", False),
    "dbinom": ("display", False),
    "tbinom": ("text", False),
}
_BIG = {"big": 1.2, "Big": 1.8, "bigg": 2.4, "Bigg": 3.0}
_SIZED = {name + side: size for name, size in _BIG.items() for side in ("", "l", "r", "m")}
_ARROWS = {"xrightarrow": "→", "xleftarrow": "←", "xRightarrow": "⇒", "xmapsto": "↦", "xlongequal": "="}
_UNITS = {"em": 1.0, "ex": 0.43, "pt": 0.1, "mu": 1 / 18, "cm": 2.845, "mm": 0.2845, "in": 7.227, "px": 0.1}
_TEXT_ESCAPES = {"textasciitilde": "~", "textbackslash": "\\", "textendash": "–", "textemdash": "—", "quad": "\u2003"}
_OVER = frozenset({"over", "atop", "choose"})
_LINE_ENDS = frozenset({"\\", "newline", "cr"})

_FLAT = re.compile(r"\{([^{}\\&%^_'’′]*)\}")
_FLAT_DEPTH = 3
"""More levels than there are in such a group."""
_SPACE = re.compile(r"(?:\s|%[^\n]*\n?)*")
_COMMAND = re.compile(r"\\(?:[A-Za-z]+|.)", re.DOTALL)
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_NAME = re.compile(r"[A-Za-z0-9 \-]*")
_WORD = re.compile(r"[A-Za-z]+")
_TEXT_PIECE = re.compile(r"\\[A-Za-z]+\s*|\\.|[{}\\]|[^\\{}]+", re.DOTALL)
_LENGTH = re.compile(r"\s*+(-?(?:\d++(?:\.\d++)?|\.\d++))\s*+(em|ex|pt|mu|cm|mm|in|px)")
_ROW_OPTION = re.compile(r"\*?(?:\[\s*+-?(?:\d++(?:\.\d++)?|\.\d++)\s*+[a-z]{2}\s*+\])?")
_VERTICAL = re.compile(r"\[[tbclr]\]")
_OUTER = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))


class _TooDeep(Exception):
    """Nesting beyond the limit."""


@lru_cache(maxsize=1024)
def read_layout(latex: str) -> Layout:
    r"""Lay out a formula, with or without its outer dollar signs. Never fails: see `Layout.problems`.

    >>> read_layout(r"\frac{a}{b}").problems
    ()
    >>> read_layout(r"a \foo").problems
    ('unknown command \\foo',)
    """
    text = latex.strip()
    for left, right in _OUTER:
        if text.startswith(left) and text.endswith(right) and len(text) >= len(left) + len(right):
            text = text[len(left) : len(text) - len(right)].strip()
            break
    if len(text) > LENGTH_LIMIT:
        return Layout(Row((Unknown(text),)), (f"longer than {LENGTH_LIMIT} characters",))
    parser = _Parser(text)
    try:
        root = parser.everything()
    except _TooDeep:
        return Layout(Row((Unknown(text),)), (f"nested deeper than {DEPTH_LIMIT} levels",))
    return Layout(root, tuple(parser.problems))


class _Parser:
    """Recursive descent over the characters. Every method starts at `pos` and moves it past what it has read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0
        self.depth = 0
        self.font = ""
        self.closers: list[str] = []
        self.problems: list[str] = []

    def everything(self) -> Row:
        rows = self.rows()
        return rows[0][0] if len(rows) == 1 and len(rows[0]) == 1 else Row((Table("lines", tuple(rows)),))

    # characters

    def problem(self, text: str, node: Node) -> Node:
        if text not in self.problems:
            self.problems.append(text)
        return node

    def skip(self) -> None:
        character = self.text[self.pos : self.pos + 1]
        if character.isspace() or character == "%":
            match = _SPACE.match(self.text, self.pos)
            self.pos = match.end() if match else self.pos

    def peek(self) -> str:
        """The next character after white space and comments, or the empty string at the end."""
        self.skip()
        return self.text[self.pos : self.pos + 1]

    def command(self) -> str:
        """The command that starts here, with its backslash; else the empty string. Does not move."""
        if self.text[self.pos : self.pos + 1] != "\\":
            return ""
        match = _COMMAND.match(self.text, self.pos)
        return match.group() if match else ""

    def take_command(self) -> str:
        name = self.command()
        self.pos += len(name)
        return name[1:]

    def braced(self) -> str:
        """The raw text of a braced argument, without the braces; a single character where there are none."""
        if self.peek() != "{":
            if not self.peek():
                return ""
            raw = self.command() or self.text[self.pos]
            self.pos += len(raw)
            return raw
        level, start, position = 0, self.pos + 1, self.pos
        while position < len(self.text):
            character = self.text[position]
            if character == "\\":
                position += 1
            elif character == "{":
                level += 1
            elif character == "}":
                level -= 1
                if level == 0:
                    self.pos = position + 1
                    return self.text[start:position]
            position += 1
        self.problem("{ without its partner", Unknown("{"))
        self.pos = len(self.text)
        return self.text[start:]

    def optional(self) -> str | None:
        """The raw text of an optional argument in square brackets, or None."""
        if self.peek() != "[":
            return None
        end = self.text.find("]", self.pos)
        if end < 0:
            return None
        raw = self.text[self.pos + 1 : end]
        self.pos = end + 1
        return raw

    def inner(self, raw: str, font: str | None = None) -> Row:
        """Lay out raw text that was taken out, at the present depth."""
        parser = _Parser(raw)
        parser.depth = self.depth + 1
        if parser.depth > DEPTH_LIMIT:
            raise _TooDeep
        parser.font = self.font if font is None else font
        row = parser.everything()
        for problem in parser.problems:
            self.problem(problem, row)
        return row

    # rows and groups

    def rows(self) -> list[tuple[Row, ...]]:
        """Cells and lines up to the sign that closes what is open; a last line that is empty is dropped."""
        rows: list[tuple[Row, ...]] = []
        cells: list[Row] = []
        while True:
            cells.append(self.row())
            if self.text.startswith("&", self.pos):
                self.pos += 1
                continue
            rows.append(tuple(cells))
            cells = []
            if self.command()[1:] not in _LINE_ENDS:
                break
            self.take_command()
            match = _ROW_OPTION.match(self.text, self.pos)
            self.pos = match.end() if match else self.pos
        if len(rows) > 1 and not any(cell.items for cell in rows[-1]):
            rows.pop()
        return rows

    def at_end(self) -> bool:
        """Whether a row ends here: at the end of the text, of a cell or a line, or at what closes something open."""
        following = self.peek()
        if not following:
            return True
        if following not in "\\}&":
            return False
        name = self.command()[1:]
        if following == "}" or name in {"end", "right", "middle"}:
            return (following if following == "}" else name.replace("middle", "right")) in self.closers
        return (following == "&" or name in _LINE_ENDS) and self.closers[-1:] != ["}"]

    def row(self) -> Row:
        """Items up to the end of the row. A closing sign without a partner is shown and noted."""
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise _TooDeep
        font = self.font
        items: list[Node] = []
        while not self.at_end():
            name = self.command()[1:]
            switch = COMMANDS.get(name)
            if name in _OVER:
                self.take_command()
                items = [Fraction(Row(tuple(items)), self.row(), line=name == "over")]
                break
            if name in {"end", "right", "middle"} or name in _LINE_ENDS or self.text[self.pos] in "}&":
                stray = self.command() or self.text[self.pos]
                self.pos += len(stray)
                items.append(self.problem(f"{stray} out of place", Unknown(stray)))
            elif switch is not None and switch.kind is Kind.SWITCH:
                self.take_command()
                if switch.text in {"display", "text", "script-size"}:
                    items.append(Style(switch.text, self.row()))
                    break
                self.font = switch.text
            else:
                node = self.scripted()
                if node is not None:
                    items.append(node)
        self.font = font
        self.depth -= 1
        return Row(tuple(items))

    def group(self) -> Row:
        """A braced group; the opening brace is next."""
        flat = _FLAT.match(self.text, self.pos)
        if (
            flat is not None
            and self.depth < DEPTH_LIMIT - _FLAT_DEPTH
            and (row := _flat(flat[1], self.font)) is not None
        ):
            self.pos = flat.end()
            return row
        self.pos += 1
        self.closers.append("}")
        row = self.row()
        self.closers.pop()
        if self.peek() == "}":
            self.pos += 1
        else:
            self.problem("{ without its partner", row)
        return row

    def argument(self, font: str | None = None) -> Node:
        """One argument: a group, or the single thing that follows."""
        before = self.font
        if font is not None:
            self.font = font
        try:
            following = self.peek()
            if following == "{":
                return self.group()
            if not following or following in "}&" or self.command()[1:] in {"end", "right", "middle", *_LINE_ENDS}:
                return self.problem("a missing argument", Row(()))
            if following in "^_":
                self.pos += 1
                return self.problem(f"{following} where an argument is due", Unknown(following))
            if following.isdigit():
                self.pos += 1
                return Number(following, self.font)
            self.depth += 1
            if self.depth > DEPTH_LIMIT:
                raise _TooDeep
            node = self.single()
            self.depth -= 1
            return node if node is not None else Row(())
        finally:
            self.font = before

    # one item

    def scripted(self) -> Node | None:
        """One item with the scripts and primes that follow it; None for what is dropped."""
        base: Node | None = Row(()) if self.peek() in {"^", "_", "'", "’"} else self.nucleus()
        if base is None:
            return None
        limits: bool | None = None
        sub: Node | None = None
        sup: Node | None = None
        primes = 0
        while True:
            following = self.peek()
            if self.command() in {"\\limits", "\\nolimits", "\\displaylimits"}:
                limits = {"limits": True, "nolimits": False}.get(self.take_command())
            elif following in {"'", "’", "′"} and following:
                self.pos += 1
                primes += 1
            elif following == "_" or following == "^":
                self.pos += 1
                if (sub if following == "_" else sup) is not None:
                    base = self.problem(f"a double {following}", Scripts(base, sub, sup, primes, limits))
                    sub, sup, primes, limits = None, None, 0, None
                if following == "_":
                    sub = self.argument()
                else:
                    sup = self.argument()
            else:
                break
        if sub is None and sup is None and not primes:
            return base
        return Scripts(base, sub, sup, primes, limits)

    def nucleus(self) -> Node | None:
        """An item without scripts. Letters in an alphabet of their own make one name."""
        if self.font not in {"", "normal"}:
            self.skip()
            match = _WORD.match(self.text, self.pos)
            if match:
                self.pos = match.end()
                return Atom(match.group(), Kind.ORD, match.group(), self.font, letter=True)
        return self.single()

    def single(self) -> Node | None:
        """One character, number, group or command with its arguments."""
        character = self.peek()
        if character == "{":
            return self.group()
        if character == "\\":
            if len(self.text) == self.pos + 1:
                self.pos += 1
                return self.problem("a backslash at the end", Unknown("\\"))
            return self.by_command()
        match = _NUMBER.match(self.text, self.pos)
        if match:
            self.pos = match.end()
            return Number(match.group(), self.font)
        self.pos += 1
        if character == "~":
            return Space(1 / 3)
        row = CHARACTERS.get(character) or UNICODE.get(character)
        if row is not None:
            return _atom(row, self.font)
        if character.isalpha():
            return Atom(character, Kind.ORD, character, self.font, letter=True)
        if character in "#$^_&%" or unicodedata.category(character)[0] in "CZ":
            return self.problem(f"the character {character!r}", Unknown(character))
        return Atom(character, Kind.ORD, character, self.font)

    def by_command(self) -> Node | None:
        start = self.pos
        name = self.take_command()
        row = COMMANDS.get(name)
        if row is not None:
            return self.by_row(row)
        if name in _FRACTIONS:
            style, line = _FRACTIONS[name]
            top = self.argument()
            return Fraction(top, self.argument(), style, line)
        if name == "sqrt":
            index = self.optional()
            return Root(self.argument(), None if index is None else self.inner(index))
        if name == "left":
            return self.fenced()
        if name == "begin":
            return self.environment(start)
        if name in _SIZED:
            atom = self.delimiter()
            return Delimiter(atom, _SIZED[name], name)
        if name in _TEXT_FONTS:
            return self.words(self.braced(), _TEXT_FONTS[name])
        if name == "operatorname":
            return self.operator()
        if name in _CLASSES or name in _SIDES:
            kind = _CLASSES.get(name) or _SIDES[name]
            return Classed(self.argument(), kind, limits=name == "mathop")
        if name in {"overset", "stackrel", "underset"}:
            mark = self.argument()
            base = self.argument()
            return Stack(base, None, mark) if name == "underset" else Stack(base, mark, None)
        if name in _ARROWS:
            below = self.optional()
            arrow = Atom(_ARROWS[name], Kind.REL, UNICODE[_ARROWS[name]].tex if name != "xlongequal" else "=")
            return Stack(arrow, self.argument(), None if below is None else self.inner(below))
        if name == "substack":
            return Table("substack", tuple(self.sub_parser(self.braced()).rows()))
        if name in {"hspace", "mspace", "hskip", "kern", "mkern", "mskip"}:
            return self.length(name == "hspace" or name == "mspace")
        if name in _BODY_ONLY:
            return self.argument()
        if name in _DROP_FIRST:
            self.optional()
            self.braced()
            return self.argument()
        if name in {"phantom", "hphantom", "vphantom"}:
            body = self.argument()
            return None if name == "vphantom" else Phantom(body)
        if name == "not":
            return self.negated()
        if name == "pmod":
            words = Words(("mod ",))
            return Row((Space(1.0), _atom(CHARACTERS["("]), words, self.argument(), _atom(CHARACTERS[")"])))
        return self.problem(f"unknown command \\{name}", Unknown(self.text[start : self.pos]))

    def by_row(self, row: Symbol) -> Node | None:
        if row.kind is Kind.FONT:
            return self.in_font(row.text)
        if row.kind is Kind.SWITCH:
            # As an argument by itself it switches nothing.
            return None
        if row.kind is Kind.ACCENT:
            return Accent(row, self.argument())
        if row.kind is Kind.SPACE:
            return Space(row.em)
        if row.kind is Kind.LAYOUT:
            for _ in range(row.arguments):
                if self.text[self.pos : self.pos + 1] == "*":
                    self.pos += 1
                self.optional()
                self.braced()
            return None
        return _atom(row, self.font)

    def in_font(self, font: str) -> Node:
        both = {self.font, font} == {"bold", "bold-italic"} or (self.font == "bold-italic" and font == "upright")
        body = self.argument("bold" if both else font)
        return body.items[0] if isinstance(body, Row) and len(body.items) == 1 else body

    def sub_parser(self, raw: str) -> _Parser:
        parser = _Parser(raw)
        parser.depth = self.depth + 1
        parser.problems = self.problems
        return parser

    def operator(self) -> Node:
        limits = self.text[self.pos : self.pos + 1] == "*"
        self.pos += limits
        raw = self.braced().replace("\\,", " ").replace("\\_", "_").replace("\\ ", " ").strip()
        if _NAME.fullmatch(raw.replace("_", "")):
            return Atom(raw, Kind.FUNCTION, raw, "upright", limits=limits)
        return Classed(self.inner(raw, "upright"), Kind.FUNCTION, limits)

    def negated(self) -> Node:
        node = self.argument()
        if isinstance(node, Atom) and len(node.text) == 1:
            text = unicodedata.normalize("NFC", node.text + "\u0338")
            row = UNICODE.get(text)
            return Atom(text, node.kind, row.tex if row else f"\\not{node.tex}", node.font)
        return self.problem("\\not before something that is no symbol", node)

    def length(self, braced: bool) -> Node | None:
        if self.text[self.pos : self.pos + 1] == "*":
            self.pos += 1
        raw = self.braced() if braced else self.text[self.pos : self.pos + 20]
        match = _LENGTH.match(raw)
        if match is None:
            return self.problem("a length that is not understood", Space(0.0))
        if not braced:
            self.pos += match.end()
        return Space(max(-2.0, min(8.0, float(match.group(1)) * _UNITS[match.group(2)])))

    def words(self, raw: str, font: str) -> Node:
        """Text with formulas between dollar signs; other commands of text mode become what they print, or stay."""
        parts: list[str | Row] = []
        for number, piece in enumerate(re.split(r"(?<!\\)\$", raw)):
            if number % 2:
                parts.append(self.inner(piece, ""))
            elif piece:
                parts.append(self.plain(piece))
        return Words(tuple(parts), font)

    def plain(self, raw: str) -> str:
        """What text mode prints: braces group, escaped signs and spaces are themselves."""
        written = []
        for piece in _TEXT_PIECE.findall(raw):
            name = piece[1:].rstrip() if piece[0] == "\\" else ""
            row = COMMANDS.get(name)
            if piece in {"{", "}"} or name in _TEXT_FONTS:
                continue
            if name in _TEXT_ESCAPES:
                written.append(_TEXT_ESCAPES[name])
            elif row is not None and row.kind is Kind.SPACE:
                written.append(" ")
            elif row is not None and row.kind in {Kind.ORD, Kind.OPEN, Kind.CLOSE} and len(name) == 1:
                written.append(row.text)
            else:
                if name:
                    self.problem(f"unknown command \\{name} in text", Words(()))
                written.append(piece.replace("~", "\u00a0"))
        return "".join(written)

    # delimiters and environments

    def delimiter(self) -> Atom | None:
        """A delimiter after `\\left`, `\\right`, `\\middle` or `\\big`; None for a dot."""
        character = self.peek()
        if character == "\\":
            row = COMMANDS.get(self.command()[1:])
            if row is not None and row.kind in {Kind.OPEN, Kind.CLOSE, Kind.FENCE, Kind.REL, Kind.ORD}:
                self.take_command()
                return _atom(row)
        elif character == ".":
            self.pos += 1
            return None
        elif character and character not in "{}&^_":
            self.pos += 1
            row = CHARACTERS.get(character) or UNICODE.get(character)
            return _atom(row) if row else Atom(character, Kind.FENCE, character)
        self.problem("a missing delimiter", Row(()))
        return None

    def fenced(self) -> Node:
        left = self.delimiter()
        self.closers.append("right")
        items: list[Node] = []
        while True:
            rows = self.rows()
            items += rows[0][0].items if len(rows) == 1 and len(rows[0]) == 1 else [Table("lines", tuple(rows))]
            if self.command() != "\\middle":
                break
            self.take_command()
            items.append(Delimiter(self.delimiter(), 0.0, "middle"))
        self.closers.pop()
        if self.command() != "\\right":
            return self.problem("\\left without \\right", Fenced(left, tuple(items), None))
        self.take_command()
        return Fenced(left, tuple(items), self.delimiter())

    def environment(self, start: int) -> Node:
        written = self.braced()
        name = written.rstrip("*").strip()
        if _VERTICAL.match(self.text, self.pos):
            self.optional()
        columns = self.braced() if name == "array" or name in _WITH_ARGUMENT else ""
        self.closers.append("end")
        rows = self.rows()
        self.closers.pop()
        if self.command() == "\\end":
            self.take_command()
            closing = self.braced()
            if closing != written:
                self.problem(f"\\begin{{{written}}} ended by \\end{{{closing}}}", Row(()))
        else:
            self.problem(f"\\begin{{{written}}} without \\end", Row(()))
        if name in _PLAIN:
            return rows[0][0] if len(rows) == 1 and len(rows[0]) == 1 else Table("lines", tuple(rows))
        if name == "array" or any(name in known for known in (ALIGNED, CENTRED, MATRICES, CASES)):
            return Table(name, tuple(rows), "".join(c for c in columns if c in "lcr") if name == "array" else "")
        return self.problem(f"unknown environment {written}", Unknown(self.text[start : self.pos]))


@lru_cache(maxsize=4096)
def _flat(text: str, font: str) -> Row | None:
    """A group without commands, scripts or groups inside, of which there are many; None where it has a problem."""
    parser = _Parser(text)
    parser.font = font
    row = parser.row()
    return None if parser.problems else row


def _atom(row: Symbol, font: str = "") -> Atom:
    return Atom(row.text, row.kind, row.tex, font, row.letter, row.limits)
