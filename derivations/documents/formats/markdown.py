"""Markdown (also Quarto, MyST, Jekyll): paragraphs with their mathematics, headings, code and outputs, directives.

A directive such as ``{note}`` or a Pandoc ``:::`` division is a container: what it holds is read as if it stood outside.

Sources: the CommonMark specification 0.31; the kramdown syntax page (a heading underlined with dashes has one line); the
Quarto, MyST and Docusaurus guides for ``{python}``, directives and ``:::``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from derivations.documents.formats.mathspans import Found, environment_end, is_environment, scan
from derivations.documents.formats.python_code import read_comments
from derivations.documents.formats.sessions import is_session, read_session
from derivations.documents.formats.text_mode_commands import SCOPES
from derivations.documents.model.document import Builder, MathSpan, Text

Line = tuple[str, int, int]
"""Text, 1-based line, 1-based column of its first character."""

OUTPUT_FENCES = frozenset({"output", "text-output", "stdout", "console-output"})
CONTAINERS = frozenset(
    """note warning tip important hint caution attention danger error seealso admonition dropdown margin sidebar topic
    exercise solution exercise-start exercise-end solution-start solution-end proof card cards grid grid-item
    grid-item-card tab-set tab-item figure epigraph pull-quote highlights compound container details aside definition
    theorem lemma proposition corollary remark example axiom conjecture property observation assumption criterion abstract
    keypoints objectives info versionadded deprecated glossary list-table table todo blockquote""".split()  # noqa: SIM905
)
"""Directives whose content is prose with mathematics; those that begin with ``prf:`` are added to them."""
CODE_DIRECTIVES = frozenset({"code", "code-block", "code-cell", "sourcecode"})
"""Directives whose first argument is the language of the code that they hold."""

_FENCE = re.compile(r"^(\s*)(`{3,}(?=[^`]*$)|~{3,}|:{3,})\s*(.*)$")
_OPTION = re.compile(r"^\s*:[\w-]+:")
_DIRECTIVE = re.compile(r"\{([\w:+-]+)\}\s*(.*)$|([A-Za-z][\w-]*)(?:\[[^\]]*\])?(?:\s+(.*))?$")
_HEADING = re.compile(r"^\s{0,3}(#{1,6})(?:\s++(.*)$|([^#\s].*)$|$)")
_UNDERLINE = re.compile(r"^ {0,3}(={2,}|-{2,})\s*$")
_ITEM = re.compile(r"^(\s*)(?:[-*+]|\d{1,9}[.)])\s+")
_NUMBERED_TITLE = re.compile(r"\*\*((?:Exercise|Example|Problem|Question|Task)\s+\d[^*]*)\*\*(?!\*)")
LOWEST_LEVEL = 7
"""The level of a title that is no heading of Markdown's: below all of these."""
_QUOTE = re.compile(r"^(?:\s{0,3}+>\s?+)++")
_BEGIN = re.compile(r"\\begin\{([A-Za-z]+\*?)\}")
_COMMENT_LINE = re.compile(r"^%+(?=\s*(?:derivations|check)\s*:)")
_HIGHLIGHT = re.compile(r"^\s*\{%-?\s*(?:end)?(highlight|raw)(?:\s++(\w++))?[^%]*+%\}\s*+$")
_ATTRIBUTES = re.compile(r"^\s*\{:[^}]*\}\s*$")
_SINGLE_DOLLAR = re.compile(r"(?<!\\)\$")
_MAX_OPEN = 400
"""Lines over which an open display may run before its paragraph ends all the same."""


def read_markdown(lines: Sequence[Line], builder: Builder, *, indented_code: bool = False) -> None:
    """Add the blocks of a Markdown text without its header.

    `indented_code` takes lines with four spaces of indentation, outside lists, as code, as CommonMark does.
    """
    _Reader(lines, builder, indented_code).read()


class _Reader:
    """The lines of a text, the paragraph under construction, and the directives that are open."""

    def __init__(self, lines: Sequence[Line], builder: Builder, indented_code: bool) -> None:
        self.lines, self.builder, self.indented_code = lines, builder, indented_code
        self.paragraph: list[Line] = []
        self.item = False
        """Whether the paragraph is a list item."""
        self.in_list = False
        """Whether indentation continues a list item."""
        self.last_code: int | None = None
        self.containers: list[tuple[str, str | None]] = []
        """The marks of the divisions that are open, each with what it is a scope of."""

    def flush(self) -> None:
        if self.paragraph and not self.item:
            self.numbered_title()
        if self.paragraph:
            _paragraph(self.paragraph, self.builder)
            self.paragraph = []
        self.item = False

    def numbered_title(self) -> None:
        """Take `**Exercise 2 (quadratics).**` at the start of a paragraph for a heading of the lowest level."""
        text, number, column = self.paragraph[0]
        title = _NUMBERED_TITLE.match(text)
        if title is None:
            return
        before, rest = self.paragraph, text[title.end() :]
        self.heading([(title.group(1).rstrip(" .:"), number, column + title.start(1))], LOWEST_LEVEL)
        own = [(rest.lstrip(), number, column + len(text) - len(rest.lstrip()))] if rest.strip() else []
        self.paragraph = [*own, *before[1:]]

    def read(self) -> None:
        k = 0
        while k < len(self.lines):
            k = self.line(k)
        self.flush()

    def line(self, k: int) -> int:
        """Read a line, or the block that it begins; returns the next line."""
        text, number, column = self.lines[k]
        in_comment, in_display = _open_comment(self.paragraph), _open_display(self.paragraph)
        fence = _FENCE.match(text)
        if fence and not in_comment:
            self.flush()
            return self.fenced(k, fence)
        text, number, column = _unquoted(self.lines[k])
        if not text.strip() and (not in_display or self.forgotten(k)):
            self.flush()
            return k + 1
        if not in_display and (after := self.special(k, text, number, column)) is not None:
            return after
        heading = _HEADING.match(text)
        # A display never holds a heading: where one seems to, the display was not closed, and the rest is still read.
        if heading and not in_comment and (_without_closing(heading.group(2) or "") or not in_display):
            self.flush()
            title = _without_closing(heading.group(2)) if heading.group(2) is not None else heading.group(3) or ""
            at = text.find(title) if title else len(text)
            self.heading([(title, number, column + at)], len(heading.group(1)))
            return k + 1
        item = _ITEM.match(text)
        if item and not in_display:
            self.flush()
            text, column = text[item.end() :], column + item.end()
            self.item = self.in_list = True
            self.builder.open_item(len(item.group(1)))
        elif not in_display and not self.paragraph and not text[:1].isspace():
            self.in_list = False
            self.builder.close_items()
        if text.strip() or self.paragraph:
            self.paragraph.append((text, number, column))
        return k + 1

    def forgotten(self, k: int) -> bool:
        """Whether nobody closed the display that is open at the blank line k: inline mathematics follows, or a display
        that begins and ends on its own line."""
        if not "".join(t for t, _, _ in self.paragraph).count("$$") % 2:
            return False
        for text, _, _ in self.lines[k : k + _MAX_OPEN]:
            before, mark, _ = text.partition("$$")
            if _SINGLE_DOLLAR.search(before):
                return True
            if mark:
                return text.count("$$") % 2 == 0
        return True

    def special(self, k: int, text: str, number: int, column: int) -> int | None:
        """Underlined headings, indented code, comment lines, and the marks of Jekyll; None for any other line."""
        underline = _UNDERLINE.match(text)
        if underline and self.paragraph:
            if not self.item and (underline.group(1)[0] == "=" or len(self.paragraph) == 1):
                lines, self.paragraph = self.paragraph, []
                self.heading(
                    [(t.strip(), n, c + len(t) - len(t.lstrip())) for t, n, c in lines], 1 + (text.strip()[0] == "-")
                )
            else:
                self.flush()
            return k + 1
        if self.indented_code and not self.paragraph and not self.in_list and text.startswith(("    ", "\t")):
            return self.indented(k)
        comment = _COMMENT_LINE.match(text)
        if comment:
            self.builder.html_comment(self.builder.text([(text[comment.end() :], number, column + comment.end())]))
            return k + 1
        liquid = _HIGHLIGHT.match(text)
        if liquid:
            self.flush()
            return self.highlighted(k, liquid.group(2)) if liquid.group(1) == "highlight" else k + 1
        return k + 1 if _ATTRIBUTES.match(text) else None

    def heading(self, lines: Sequence[Line], level: int) -> None:
        self.in_list = False
        piece = self.builder.text(lines)
        self.builder.heading(piece, level, _spans(piece, self.builder))

    def indented(self, k: int) -> int:
        body: list[Line] = []
        while k < len(self.lines):
            text, number, column = _unquoted(self.lines[k])
            if text.strip() and not text.startswith(("    ", "\t")):
                break
            width = 1 if text.startswith("\t") else min(4, len(text))
            body.append((text[width:], number, column + width))
            k += 1
        while body and not body[-1][0].strip():
            body.pop()
        self.code(body, None)
        return k

    def highlighted(self, k: int, language: str | None) -> int:
        """Jekyll: ``{% highlight python %}`` up to ``{% endhighlight %}``."""
        if language is None:
            return k + 1
        end = k + 1
        while end < len(self.lines) and "endhighlight" not in self.lines[end][0]:
            end += 1
        self.code(self.lines[k + 1 : end], language.lower())
        return end + 1

    def code(self, body: Sequence[Line], language: str | None) -> None:
        if not body:
            return
        if is_session(body, language):
            last = read_session(body, self.builder)
            self.last_code = self.last_code if last is None else last
            return
        text = self.builder.text(body)
        if language in OUTPUT_FENCES and self.last_code is not None:
            self.builder.output(text, self.last_code, "text")
            return
        language = "python" if language in ("py", "ipython", "ipython3", "python3") else language
        self.last_code = self.builder.code(text, language, read_comments(text)[0] if language == "python" else ())

    def fenced(self, k: int, fence: re.Match[str]) -> int:
        """A fenced block or a directive; returns the next line."""
        mark, info = fence.group(2), fence.group(3).strip()
        if not info and self.containers and mark.startswith(self.containers[-1][0]):
            if (kind := self.containers.pop()[1]) is not None:
                self.flush()
                self.builder.close_scope(kind)
            return k + 1
        directive = _DIRECTIVE.match(info) if mark[0] == ":" or info.startswith("{") else None
        name, title = "", ""
        if directive is not None:
            name = (directive.group(1) or directive.group(3)).lower()
            title = directive.group(2) or directive.group(4) or ""
        is_code = name == "math" or name in CODE_DIRECTIVES
        if (mark[0] == ":" and not is_code) or name in CONTAINERS or name.startswith("prf:"):
            return self.container(k, mark, info, name, title)
        return self.closed(k, fence, name, title)

    def container(self, k: int, mark: str, info: str, name: str, title: str) -> int:
        if not info:  # the end of a division that nothing opened
            return k + 1
        if name == "prf:algorithm":
            place = self.builder.text([self.lines[k]]).locate(0)
            self.builder.problem("pseudo-code", "the steps of an algorithm are updates, not equations: not read", place)
            return self.closed(k, _FENCE.match(self.lines[k][0]), "text", "")
        base = name.removeprefix("prf:")
        self.containers.append((mark, kind := SCOPES.get(base)))
        if kind is not None:
            self.builder.open_scope(kind, goes_on=base == "solution")
        text, number, column = self.lines[k]
        if title and not title.startswith("{"):
            _paragraph([(title, number, column + text.rfind(title))], self.builder)
        k += 1
        while k < len(self.lines) and _OPTION.match(self.lines[k][0]):
            k += 1
        if k < len(self.lines) and self.lines[k][0].strip() == "---":
            end = next((m for m in range(k + 1, min(k + 50, len(self.lines))) if self.lines[m][0].strip() == "---"), k)
            k = end + 1
        return k

    def closed(self, k: int, fence: re.Match[str] | None, name: str, title: str) -> int:
        """A block whose content is code or a formula."""
        if fence is None:
            raise ValueError("a fence is needed, found another line")
        lines, builder = self.lines, self.builder
        mark, info = fence.group(2), fence.group(3).strip()
        end = k + 1
        while end < len(lines):
            closing = _FENCE.match(lines[end][0])
            if closing and closing.group(2).startswith(mark) and not closing.group(3):
                break
            end += 1
        width = len(fence.group(1))
        # CommonMark 4.5: as much indentation as the opening fence has is no part of the content.
        margins = [min(width, len(t) - len(t.lstrip())) for t, _, _ in lines[k + 1 : end]]
        body = [(t[m:], n, c + m) for (t, n, c), m in zip(lines[k + 1 : end], margins, strict=True)]
        after = end + 1
        if end >= len(lines):
            place = builder.text([lines[k]]).locate(0)
            builder.problem("unclosed-fence", f"needed a closing {mark}, found the end of the document", place)
            after = len(lines)
        words = info.strip("{} ").split()
        language = words[0].split(",")[0].strip(".}").lower() if words else None
        if name in CODE_DIRECTIVES:
            language = title.split()[0].lower() if title else ("python" if name == "code-cell" else None)
        if name in CODE_DIRECTIVES or language == "math":
            while info.startswith("{") and body and _OPTION.match(body[0][0]):
                body = body[1:]
        if name == "code-cell" and body and body[0][0].strip() == "---":
            stop = next((m for m in range(1, len(body)) if body[m][0].strip() == "---"), 0)
            body = body[stop + 1 :]
        if language == "math":
            text = builder.text(body) if body else None
            if text is not None and text.text.strip():
                whole = Found(True, f"{mark}math", 0, 0, len(text.text), len(text.text))
                builder.prose(text, builder.spans(_rows([whole]), text))
            return after
        self.code(body, language)
        return after


def _unquoted(line: Line) -> Line:
    """A line without the marks of the block quotations that it stands in."""
    text, number, column = line
    quote = _QUOTE.match(text)
    return (text[quote.end() :], number, column + quote.end()) if quote else line


def front_matter(lines: Sequence[Line]) -> tuple[str, int]:
    """The YAML or TOML header of a text (empty when there is none), and the number of lines that it takes."""
    mark = lines[0][0].strip() if lines else ""
    if mark in ("---", "+++"):
        for k in range(1, min(len(lines), _MAX_OPEN)):
            if lines[k][0].strip() in (mark, "..."):
                return "\n".join(t for t, _, _ in lines[1:k]), k + 1
    return "", 0


def _without_closing(title: str) -> str:
    """The words of a heading without the number signs that may close it."""
    return title.rstrip().rstrip("#").rstrip()


def _open_comment(paragraph: Sequence[Line]) -> bool:
    """Whether an HTML comment is still open at the end of the paragraph."""
    text = "\n".join(t for t, _, _ in paragraph[-_MAX_OPEN:])
    return text.rfind("<!--") > text.rfind("-->")


def _open_display(paragraph: Sequence[Line]) -> bool:
    """Whether a display, an environment or an HTML comment is still open at the end of the paragraph."""
    if not paragraph or len(paragraph) > _MAX_OPEN:
        return False
    text = "\n".join(t for t, _, _ in paragraph)
    if text.count("$$") % 2 or text.rfind("<!--") > text.rfind("-->"):
        return True
    if text.rfind("\\[") > text.rfind("\\]"):
        return True
    for match in _BEGIN.finditer(text):
        if is_environment(match.group(1)) and environment_end(text, match.group(1), match.end()) is None:
            return True
    return False


def _paragraph(lines: Sequence[Line], builder: Builder) -> None:
    text = builder.text(lines)
    found = scan(text.text)
    for start, end in found.comments:
        if end > start:
            builder.html_comment(text.piece(start, end))
    for delimiter, offset in found.unclosed:
        builder.problem(
            "unclosed-math", f"needed the end of {delimiter}, found the end of its paragraph", text.locate(offset)
        )
    blanked = _blank(text, [(s - 4, e + 3) for s, e in found.comments])
    if blanked.text.strip():
        builder.prose(blanked, builder.spans(_rows(found.spans), text))


def _blank(text: Text, pieces: Sequence[tuple[int, int]]) -> Text:
    """The text with HTML comments as spaces, so that offsets stay."""
    characters = list(text.text)
    for start, end in pieces:
        for k in range(max(start, 0), min(end, len(characters))):
            if characters[k] != "\n":
                characters[k] = " "
    return Text("".join(characters), text.starts, text.origins, text.path, text.cell)


def _spans(text: Text, builder: Builder) -> tuple[MathSpan, ...]:
    return builder.spans(_rows(scan(text.text).spans), text)


def _rows(found: Sequence[Found]) -> list[tuple[bool, str, int, int, int, int]]:
    return [(f.display, f.delimiter, f.start, f.inner, f.inner_end, f.end) for f in found]
