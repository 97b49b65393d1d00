r"""LaTeX to tokens: spaces, comments and layout dropped, `\text` taken as words, macros expanded, all work counted.

Offsets of tokens always refer to the source that was given; what comes out of a macro carries the place of its call.

Sources: D. E. Knuth, The TeXbook (1986), chapters 7, 8 and 20; American Mathematical Society, User's Guide for the
amsmath Package.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from derivations.latex.syntax.customary_macros import CUSTOMARY
from derivations.latex.syntax.symbols import COMMANDS, UNICODE, Kind

MAX_LENGTH = 20_000
"""Longest equation that is read, in characters, also after macros are expanded."""
MAX_TOKENS = 6_000
MAX_EXPANSIONS = 500
WIDE_RUN = 1.0
"""How many em several spaces side by side are together that stand for a wide one: `a = 1\\;\\;\\;\\; b = 2`."""
WIDE = 0.5
"""Horizontal space, in em, from which on it separates statements."""


class ReadError(ValueError):
    """LaTeX that was not understood: a one-line `message`, the `offset` in the source and a stable `code`.

    Codes: `unbalanced-braces`, `unbalanced-environment`, `unknown-command`, `unknown-environment`, `missing-argument`,
    `unexpected-token`, `double-script`, `too-deep`, `too-large`.  `command` is the name of the command that stands there.
    """

    def __init__(self, message: str, offset: int, code: str, command: str = "") -> None:
        self.message, self.offset, self.code, self.command = message, offset, code, command
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Token:
    r"""One token.

    `kind` is `command` (`text` without backslash), `letter`, `number`, `sign` (one character), `words` (the argument of
    `\text`, with its `font`), `begin` and `end` (of the environment `text`), `row` (`\\`), `space` (wide), `tag`,
    `label`.  `role` is `left` or `right` after `\left`, `\right` and their `\bigl` kin.
    """

    kind: str
    text: str
    start: int
    end: int
    role: str = ""
    font: str = ""

    def shown(self) -> str:
        """The token as a message names it."""
        if self.kind == "command":
            return f"'\\{self.text}'"
        if self.kind in ("begin", "end"):
            return f"'\\{self.kind}{{{self.text}}}'"
        return {"row": r"'\\'", "space": "a wide space"}.get(self.kind, f"{self.text!r}")


@dataclass(frozen=True, slots=True)
class Macro:
    r"""`\newcommand{\name}[arguments][default]{body}`."""

    arguments: int
    body: str
    default: str | None = None


TEXT_FONTS: dict[str, str] = {
    "text": "roman",
    "textrm": "roman",
    "textnormal": "roman",
    "textup": "roman",
    "textit": "roman",
    "emph": "roman",
    "mbox": "roman",
    "hbox": "roman",
    "textbf": "bold",
    "textsf": "sans",
    "texttt": "typewriter",
    "textsc": "roman",
    "intertext": "roman",
    "shortintertext": "roman",
}
"""Commands whose argument is text."""
DELIMITER_ROLES: dict[str, str] = {"left": "left", "right": "right", "middle": "middle"} | {
    f"{size}{side}": role
    for size in ("big", "Big", "bigg", "Bigg")
    for side, role in (("", ""), ("l", "left"), ("r", "right"), ("m", ""))
}
"""Commands before a delimiter."""
TRANSPARENT = frozenset(
    {
        "limits",
        "nolimits",
        "displaylimits",
        "ensuremath",
        "smash",
        "mathrel",
        "mathbin",
        "mathord",
        "mathopen",
        "mathclose",
        "mathpunct",
        "mathinner",
        "boxed",
        "fbox",
        "cancel",
        "bcancel",
        "xcancel",
        "mathstrut",
        "hbox",
        "vcenter",
    }
)
"""Commands that change nothing but looks; their argument stays."""
DROPPED: dict[str, int] = {
    "phantom": 1,
    "hphantom": 1,
    "vphantom": 1,
    "vspace": 1,
    "mspace": 1,
    "eqref": 1,
    "ref": 1,
    "cite": 1,
    "footnote": 1,
    "textcolor": 1,
    "colorbox": 1,
    "fcolorbox": 2,
    "definecolor": 3,
    "resizebox": 2,
    "scalebox": 1,
    "raisebox": 1,
    "class": 1,
    "cssId": 1,
    "style": 1,
    "bbox": 0,
}
"""Commands dropped with so many arguments (what follows them stays), beyond the layout rows of the symbol table."""
COLUMNS = frozenset({"array", "alignat", "alignedat", "tabular", "subarray"})
"""Environments with an argument."""

_TOKEN = re.compile(
    r"(?P<space>[\s~]+)|(?P<comment>%[^\n]*)|\\(?P<command>[A-Za-z]+|.)"
    r"|(?P<number>[0-9]+(?:(?:\{,\}|\\,)[0-9]{3}(?![0-9]))*(?:\.[0-9]+)?|\.[0-9]+)|(?P<dots>\.\.\.)|(?P<char>[^\\])",
    re.DOTALL,
)
_GROUPING = re.compile(r"\{,\}|\\,")
"""What stands between groups of three digits."""
_ROW = re.compile(r"\*?(?:\s*\[\s*-?[0-9.]+\s*(?:pt|em|ex|mm|cm|in|mu|px)\s*\])?")
_NAME = re.compile(r"\s*\{\s*([A-Za-z]+)\*?\s*\}")
_OPTIONAL = re.compile(r"\s*\[[^\]\n]{0,40}\]")
_LENGTH = re.compile(r"\s*+\{?\s*+(-?[0-9.]++)\s*+(pt|em|ex|mm|cm|in|mu|px)\s*+\}?")
_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)
_ALIGNED_AT = re.compile(r"\s*\[[tbc]\]")
_COMMAND = re.compile(r"\\(?:([A-Za-z]+)|.)", re.DOTALL)
_EM = {"pt": 0.1, "em": 1.0, "ex": 0.43, "mm": 0.28, "cm": 2.8, "in": 7.2, "mu": 1 / 18, "px": 0.075}
_TYPED = {"·": "cdot", "√": "sqrt", "•": "bullet", "‖": "Vert", "∆": "Delta", "〈": "langle", "〉": "rangle"}
_PRIMES = {"′": "'", "’": "'", "″": "''"}
_OVER = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "bar", "\u0307": "dot", "\u20d7": "vec"}
"""Marks that are typed after the letter that they stand over."""
_SUPER = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱⁿᵀ", "0123456789+-=()inT", strict=True))
_SUB = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼᵣᵤᵥ", "0123456789+-=()aeoxhklmnpstijruv", strict=True))
_UNICODE_FONTS = (
    ("DOUBLE-STRUCK", "mathbb"),
    ("SCRIPT", "mathcal"),
    ("FRAKTUR", "mathfrak"),
    ("BOLD", "mathbf"),
    ("SANS-SERIF", "mathsf"),
    ("MONOSPACE", "mathtt"),
)


ESCAPED = frozenset("_[]*")
"""Signs that Markdown takes for its own unless a backslash stands before them."""
_SCRIPT = re.compile(r"\s*+(?:\{|[A-Za-z0-9](?![A-Za-z0-9_\\]|\\_)|[A-Za-z0-9](?=\\[A-Za-z])|\\[A-Za-z]+)")
"""What makes `\\_` a subscript, `h\\_t`, and no part of a word, `d\\_model`."""


def tokenize(source: str, macros: Mapping[str, Macro] | None = None) -> list[Token]:
    """The tokens of a piece of mathematics.

    Raises `ReadError` (`too-large`, `unbalanced-braces`, `missing-argument`).

    >>> [t.text for t in tokenize("A_{ij} % entry")]
    ['A', '_', '{', 'i', 'j', '}']
    """
    if len(source) > MAX_LENGTH:
        raise ReadError(
            f"needed at most {MAX_LENGTH} characters, found {len(source)}; split the equation", 0, "too-large"
        )
    if "\\newcommand" in source or "\\def" in source or "\\DeclareMath" in source or "\\renewcommand" in source:
        own, source = take_macros(source)
        macros = {**(macros or {}), **own}
    usual = CUSTOMARY.keys() & {m.group(1) for m in _COMMAND.finditer(source)}
    if usual:
        macros = {**{name: Macro(*CUSTOMARY[name]) for name in usual}, **(macros or {})}
    if not macros:
        return _Lexer(source).run()
    expanded, starts, ends = _expand(source, macros)
    tokens = _Lexer(expanded, starts, ends).run()
    return [Token(t.kind, t.text, starts[t.start], ends[t.end - 1], t.role, t.font) for t in tokens]


_ARITHMETIC = frozenset({"+", "-", "*", "/", "times", "cdot", "div", "frac", "dfrac", "tfrac"})
"""What tells a number with groups of digits from a list: with a list nothing is reckoned."""


def _with_thousands(tokens: list[Token]) -> list[Token]:
    r"""Groups of three digits after commas as one number in a reckoning; in brackets and scripts they are a list.

    >>> [t.text for t in tokenize("1,820 + 209 = x_{1,200}")]
    ['1820', '+', '209', '=', 'x', '_', '{', '1', ',', '200', '}']
    >>> [t.text for t in tokenize("d = 64,128")]
    ['d', '=', '64', ',', '128']
    """
    if not any(_is_group(tokens, k) for k in range(len(tokens))) or _ARITHMETIC.isdisjoint(t.text for t in tokens):
        return tokens
    found: list[Token] = []
    lists: list[bool] = []
    k = 0
    while k < len(tokens):
        t = tokens[k]
        if t.text in ("{", "(", "["):
            lists.append(t.kind == "command" or t.text != "{" or (k > 0 and tokens[k - 1].text in ("_", "^")))
        elif t.text in ("}", ")", "]") and lists:
            lists.pop()
        while not any(lists) and _is_group(tokens, k):
            t = replace(t, text=t.text + tokens[k + 2].text, end=tokens[k + 2].end)
            k += 2
        found.append(t)
        k += 1
    return found


def _is_group(tokens: Sequence[Token], k: int) -> bool:
    """Whether a number of at most three digits, or a group after one, is followed by a comma and three digits."""
    number, comma, group = (*tokens[k : k + 3], *[None] * 3)[:3]
    if number is None or comma is None or group is None or number.kind != "number" or group.kind != "number":
        return False
    whole = group.text.partition(".")[0]
    is_first = len(number.text) <= 3 and number.text.isdigit() and not number.text.startswith("0")
    is_beside = number.end == comma.start and comma.end == group.start
    after_group = k > 1 and _is_group(tokens, k - 2)
    return comma.text == "," and is_beside and len(whole) == 3 and (after_group or is_first)


class _Lexer:
    def __init__(self, source: str, starts: Sequence[int] = (), ends: Sequence[int] = ()) -> None:
        self.source, self.starts, self.ends = source, starts, ends
        self.tokens: list[Token] = []
        self.role: str | None = None
        self.last_script = ""
        self.spaces = 0, 0.0
        """Where the last space ended, and how wide the spaces are together that end there."""

    def error(self, message: str, at: int, code: str) -> ReadError:
        if self.starts:
            at = self.starts[min(at, len(self.starts) - 1)]
        return ReadError(message, at, code)

    def run(self) -> list[Token]:
        source, at = self.source, 0
        while (match := _TOKEN.match(source, at)) is not None:
            start, at = match.start(), match.end()
            kind = match.lastgroup
            if kind == "command":
                at = self.command(match.group("command"), start, at)
            elif kind == "number":
                self.add("number", _GROUPING.sub("", match.group()), start, at)
            elif kind == "dots":
                self.add("command", "ldots", start, at)
            elif kind == "comment" and self.is_percent(match):
                at = start + 1
                self.add("command", "%", start, at)
            elif kind == "char" and not self.ends_mathematics(start):
                self.character(match.group(), start)
            if len(self.tokens) > MAX_TOKENS:
                message = f"needed at most {MAX_TOKENS} tokens, found more; split the equation"
                raise self.error(message, start, "too-large")
        if source[at:]:  # only a backslash at the very end matches nothing
            raise self.error("needed a command after the backslash, found the end", at, "missing-argument")
        return _with_thousands(self.tokens)

    def is_percent(self, comment: re.Match[str]) -> bool:
        """Whether `%` right after a number is a percent sign, as in Markdown, where few know that it begins a comment.

        Before words it begins one; comments of LaTeX files are gone by now.
        """
        number = self.tokens[-1] if self.tokens else None
        if number is None or number.kind != "number" or number.end != comment.start():
            return False
        script = len(self.tokens) > 1 and self.tokens[-2].text in ("_", "^")
        return not script and not comment.group()[1:].lstrip()[:1].isalpha()

    def add(self, kind: str, text: str, start: int, end: int, font: str = "") -> None:
        role, self.role = self.role or "", None
        self.tokens.append(Token(kind, text, start, end, role, font))

    def command(self, name: str, start: int, at: int) -> int:
        """One command; returns where to go on."""
        source = self.source
        if name in ("\\", "newline", "cr", "tabularnewline"):
            if name == "\\" and (match := _ROW.match(source, at)) is not None:
                at = match.end()
            self.add("row", "\\\\", start, at)
            return at
        if name == "vert":  # the sign itself
            self.add("sign", "|", start, at)
            return at
        if name in TEXT_FONTS:
            return self.words(name, start, at)
        if name in ("begin", "end"):
            return self.environment(name, start, at)
        if name in DELIMITER_ROLES:
            self.role = DELIMITER_ROLES[name]
            return at
        if self.is_script_of_space(name):
            self.add("sign", "{", start, start)
            self.add("sign", "}", at, at)
            return at
        if name in TRANSPARENT or name.isspace():
            return at
        if name in ESCAPED and (name != "_" or _SCRIPT.match(source, at) is not None):
            self.add("sign", name, start, at)
            return at
        if name in ("tag", "label"):
            stop = self.argument(at + (source[at : at + 1] == "*"))
            self.add(name, source[at:stop].strip("*{} \n"), start, stop)
            return stop
        if name in ("hspace", "hskip", "kern", "mkern", "mskip"):
            match = _LENGTH.match(source, at + (source[at : at + 1] == "*"))
            if match is None:
                raise self.error(f"needed a length after \\{name}", start, "missing-argument")
            if float(match.group(1).strip(".") or 0) * _EM[match.group(2)] >= WIDE:
                self.add("space", name, start, match.end())
            return match.end()
        if name in DROPPED:
            return self.skip(at, DROPPED[name])
        row = COMMANDS.get(name)
        if row is not None and row.kind is Kind.LAYOUT:
            return self.skip(at, row.arguments)
        if row is not None and row.kind is Kind.SPACE:
            before, run = self.spaces
            run = row.em if self.source[before:start].strip() else run + row.em
            if row.em >= WIDE or run >= WIDE_RUN:
                self.add("space", name, start, at)
                run = 0.0
            self.spaces = at, run
            return at
        if row is not None and row.kind is Kind.SWITCH and row.text in ("display", "text", "script-size"):
            return at
        if name in ("operatorname", "DeclareMathOperator") and source[at : at + 1] == "*":
            at += 1
        self.add("command", name, start, at)
        return at

    def is_script_of_space(self, name: str) -> bool:
        r"""Whether a command is a space that a script takes: in `1^\ x` the exponent is empty."""
        row = COMMANDS.get(name)
        after = bool(self.tokens) and self.tokens[-1].kind == "sign" and self.tokens[-1].text in ("_", "^")
        return after and (name.isspace() or (row is not None and row.kind is Kind.SPACE))

    def skip(self, at: int, arguments: int) -> int:
        if (match := _OPTIONAL.match(self.source, at)) is not None:
            at = match.end()
        for _ in range(arguments):
            at = self.argument(at)
        return at

    def argument(self, at: int) -> int:
        """The end of the group (or single token) that starts at `at`."""
        source = self.source
        while at < len(source) and source[at].isspace():
            at += 1
        if at >= len(source):
            raise self.error("needed an argument, found the end", at, "missing-argument")
        if source[at] != "{":
            match = _TOKEN.match(source, at)
            return match.end() if match is not None else at + 1
        end = _group_end(source, at)
        if end is None:
            raise self.error("needed a closing '}' for this '{', found the end", at, "unbalanced-braces")
        return end

    def environment(self, kind: str, start: int, at: int) -> int:
        match = _NAME.match(self.source, at)
        if match is None:
            raise self.error(f"needed the name of an environment in braces after \\{kind}", start, "missing-argument")
        name, at = match.group(1), match.end()
        if kind == "begin":
            if (optional := _ALIGNED_AT.match(self.source, at)) is not None:
                at = optional.end()
            if name in COLUMNS:
                at = self.argument(at)
        self.add(kind, name, start, at)
        return at

    def words(self, name: str, start: int, at: int) -> int:
        r"""`\text{...}`: words, and the mathematics between dollar signs inside it."""
        source = self.source
        stop = self.argument(at)
        first = source.find("{", at)
        if first < 0 or first >= stop:
            inner, first = source[at:stop].strip(), at - 1
            if not inner.isalnum():
                raise self.error(f"needed words in braces after \\{name}, found {inner!r}", start, "missing-argument")
        else:
            inner = source[first + 1 : stop - 1]
        font = TEXT_FONTS[name]
        pieces = re.split(r"(?<!\\)\$", inner)
        if inner.strip() in ("%", "\\%"):
            self.add("command", "%", start, stop)
            return stop
        if len(pieces) == 1:
            self.add("words", plain_text(inner), start, stop, font)
            return stop
        offset = first + 1
        for k, piece in enumerate(pieces):
            if k % 2 == 0 and plain_text(piece):
                self.add("words", plain_text(piece), offset, offset + len(piece), font)
            elif k % 2 == 1:
                inside = _Lexer(piece)
                self.tokens += [
                    Token(t.kind, t.text, t.start + offset, t.end + offset, t.role, t.font) for t in inside.run()
                ]
            offset += len(piece) + 1
        return stop

    def ends_mathematics(self, at: int) -> bool:
        """Whether a dollar sign opens or closes the mathematics of a box: all that stands in its braces."""
        opens = bool(self.tokens) and self.tokens[-1].text == "{"
        return self.source[at] == "$" and (opens or self.source[at + 1 :].lstrip()[:1] == "}")

    def character(self, c: str, start: int) -> None:
        if c.isascii():
            self.add("letter" if c.isalpha() else "sign", c, start, start + 1)
        elif c in _SUPER or c in _SUB:
            self.small(c, start)
        elif c in _PRIMES:
            for sign in _PRIMES[c]:
                self.add("sign", sign, start, start + 1)
        elif c in _OVER and self.tokens and self.tokens[-1].kind in ("letter", "command"):
            self.tokens.insert(-1, Token("command", _OVER[c], self.tokens[-1].start, self.tokens[-1].start))
        elif c == "⊤" and self.tokens and self.tokens[-1].text not in ("^", "{"):  # x⊤
            self.add("sign", "^", start, start)
            self.add("command", UNICODE[c].name, start, start + 1)
        elif c in _TYPED or c in UNICODE:
            self.add("command", _TYPED.get(c) or UNICODE[c].name, start, start + 1)
        elif (over := _OVER.get(unicodedata.normalize("NFD", c)[-1])) is not None and c.isalpha():  # ŷ
            self.add("command", over, start, start)
            self.add("letter", unicodedata.normalize("NFD", c)[0], start, start + 1)
        elif unicodedata.name(c, "").startswith("VULGAR FRACTION"):
            self.add("command", "frac", start, start)
            for number in unicodedata.normalize("NFKC", c).split("⁄"):
                self.add("number", number, start, start + 1)
        else:
            plain = unicodedata.normalize("NFKC", c)
            if len(plain) == 1 and plain != c and (plain.isascii() or plain in UNICODE):
                name = unicodedata.name(c, "")
                font = next((f for word, f in _UNICODE_FONTS if word in name), None)
                if font is not None:
                    self.add("command", font, start, start)
                if plain in UNICODE:
                    self.add("command", UNICODE[plain].name, start, start + 1)
                else:
                    self.add(
                        "letter" if plain.isalpha() else "number" if plain.isdigit() else "sign",
                        plain,
                        start,
                        start + 1,
                    )
            elif c in "−–":
                self.add("sign", "-", start, start + 1)
            elif c.isalpha():
                self.add("letter", c, start, start + 1)
            else:
                self.add("sign", c, start, start + 1)

    def small(self, c: str, start: int) -> None:
        """Unicode sub- and superscripts: a run of them is one script."""
        mark, text = ("^", _SUPER[c]) if c in _SUPER else ("_", _SUB[c])
        kind = "letter" if text.isalpha() else "number" if text.isdigit() else "sign"
        if self.tokens and self.tokens[-1].text == "}" and self.last_script == f"{mark}{start}":
            self.tokens.pop()
        else:
            self.add("sign", mark, start, start)
            self.add("sign", "{", start, start)
        self.add(kind, text, start, start + 1)
        self.add("sign", "}", start + 1, start + 1)
        self.last_script = f"{mark}{start + 1}"


def plain_text(text: str) -> str:
    r"""The words of a text argument: escapes resolved, other commands dropped, white space joined.

    >>> plain_text(r" attn\_weights,~for \emph{all} ")
    'attn_weights, for all'
    """
    text = re.sub(r"\\([_&%#${}])", r"\1", text.replace("~", " "))
    text = re.sub(r"\\(?:[A-Za-z]+\*?|.)", " ", text)
    return " ".join(text.replace("{", "").replace("}", "").split())


def on_left_side(name: str, source: str) -> bool:
    """Whether a name occurs before the equals sign of a row of a formula, which need not be well-formed."""
    try:
        wanted, tokens = _kinds_and_texts(name), _kinds_and_texts(source)
    except ReadError:
        return name in source
    start = 0
    for k, t in enumerate(tokens):
        if t[0] == "row":
            start = k + 1
        elif t == ("sign", "="):
            row = tokens[start:k]
            if any(row[j : j + len(wanted)] == wanted for j in range(len(row))):
                return True
    return False


@lru_cache(maxsize=1_000)
def _kinds_and_texts(source: str) -> tuple[tuple[str, str], ...]:
    """The tokens of a formula without their places; the same formula is asked about each of many names."""
    return tuple((t.kind, t.text) for t in tokenize(source))


def _group_end(source: str, at: int) -> int | None:
    """The end of the group that opens at `at`."""
    depth = 0
    for match in _BRACES.finditer(source, at):
        if match.group() == "{":
            depth += 1
        elif match.group() == "}":
            depth -= 1
            if depth == 0:
                return match.end()
    return None


# --- macros ---------------------------------------------------------------------------------------------------------

_DEFINITION = re.compile(
    r"\\(?:(?P<new>(?:re)?newcommand|providecommand)\*?\s*+\{?\s*+\\(?P<name>[A-Za-z]++)\s*+\}?"
    r"(?:\s*+\[(?P<count>[0-9])\])?(?:\s*+\[(?P<default>[^\]]{0,200})\])?"
    r"|DeclareMathOperator(?P<star>\*?)\s*+\{?\s*+\\(?P<operator>[A-Za-z]++)\s*+\}?"
    r"|def\s*+\\(?P<defined>[A-Za-z]++)\s*+(?P<parameters>(?:#[0-9])*+))\s*+(?=\{)"
)


def take_macros(source: str) -> tuple[dict[str, Macro], str]:
    r"""The macros that a text defines, and the text with their definitions blanked out (places stay right).

    Understands `\newcommand`, `\renewcommand`, `\providecommand`, `\DeclareMathOperator` and simple `\def`.

    >>> take_macros(r"\newcommand{\R}{\mathbb{R}} x \in \R")[0]
    {'R': Macro(arguments=0, body='\\mathbb{R}', default=None)}
    """
    found: dict[str, Macro] = {}
    parts: list[str] = []
    done = 0
    for match in _DEFINITION.finditer(source):
        if match.start() < done:
            continue
        end = _group_end(source, match.end())
        if end is None:
            raise ReadError(
                "needed a closing '}' for this definition, found the end", match.start(), "unbalanced-braces"
            )
        body = source[match.end() + 1 : end - 1]
        if match.group("operator"):
            found[match.group("operator")] = Macro(0, rf"\operatorname{{{body}}}")
        elif match.group("defined"):
            found[match.group("defined")] = Macro(len(match.group("parameters")) // 2, body)
        else:
            found[match.group("name")] = Macro(int(match.group("count") or 0), body, match.group("default"))
        parts += [source[done : match.start()], re.sub(r"[^\n]", " ", source[match.start() : end])]
        done = end
    return found, "".join([*parts, source[done:]])


def expand_macros(source: str, macros: Mapping[str, Macro]) -> str:
    r"""The source with all macros expanded; raises `ReadError` (`too-large`, `missing-argument`).

    >>> expand_macros(r"\R^n", {"R": Macro(0, r"\mathbb{R}")})
    '\\mathbb{R}^n'
    """
    return _expand(source, macros)[0] if macros and "\\" in source else source


def _expand(source: str, macros: Mapping[str, Macro]) -> tuple[str, list[int], list[int]]:
    """The source with all macros expanded, and where each character (start, end) came from."""
    text, starts, ends = source, list(range(len(source))), list(range(1, len(source) + 1))
    at, count = 0, 0
    while (call := next((m for m in _COMMAND.finditer(text, at) if m.group(1) in macros), None)) is not None:
        name, begin, stop = call.group(1), call.start(), call.end()
        macro = macros[name]
        place = starts[begin]
        count += 1
        if count > MAX_EXPANSIONS or len(text) > MAX_LENGTH:
            message = f"needed at most {MAX_EXPANSIONS} macro expansions, found more at \\{name}; is it recursive?"
            raise ReadError(message, place, "too-large")
        arguments: list[str] = []
        if macro.default is not None and macro.arguments:
            optional = re.compile(r"\s*\[([^\]]*)\]").match(text, stop)
            arguments.append(macro.default if optional is None else optional.group(1))
            stop = stop if optional is None else optional.end()
        while len(arguments) < macro.arguments:
            while stop < len(text) and text[stop].isspace():
                stop += 1
            end = _group_end(text, stop) if text[stop : stop + 1] == "{" else None
            token = _TOKEN.match(text, stop)
            if token is None or (end is None and text[stop] in "{}"):
                raise ReadError(
                    f"\\{name} needs {macro.arguments} arguments, found {len(arguments)}", place, "missing-argument"
                )
            arguments.append(text[stop + 1 : end - 1] if end is not None else token.group())
            stop = end if end is not None else token.end()

        def put(match: re.Match[str], given: list[str] = arguments) -> str:
            k = int(match.group(1)) - 1
            return given[k] if 0 <= k < len(given) else ""

        body = re.sub(r"#([0-9])", put, macro.body)
        if body[-1:].isalpha() and text[stop : stop + 1].isalpha():
            body += " "  # the end of the call's name ended a command; it must go on doing so
        final = ends[stop - 1]
        text = text[:begin] + body + text[stop:]
        starts = starts[:begin] + [place] * len(body) + starts[stop:]
        ends = ends[:begin] + [final] * len(body) + ends[stop:]
        at = begin
    if len(text) > MAX_LENGTH:
        raise ReadError(f"needed at most {MAX_LENGTH} characters, found more after expanding macros", 0, "too-large")
    return text, starts, ends
