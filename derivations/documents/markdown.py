"""Markdown (also Quarto, MyST, Jekyll): paragraphs with their mathematics, headings, fenced code and outputs.

Sources: the CommonMark specification 0.31; the Quarto and MyST guides for ``{python}`` and directive fences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from derivations.documents.mathspans import Found, environment_end, is_environment, scan
from derivations.documents.model import Builder, MathSpan, Text
from derivations.documents.python_code import read_comments

Line = tuple[str, int, int]
"""Text, 1-based line, 1-based column of its first character."""

OUTPUT_FENCES = frozenset({"output", "text-output", "stdout", "console-output"})
_FENCE = re.compile(r"^(\s*)(`{3,}(?=[^`]*$)|~{3,})\s*(.*)$")
_OPTION = re.compile(r"^\s*:[\w-]+:")
_HEADING = re.compile(r"^\s{0,3}(#{1,6})(?:\s+(.*?)\s*#*\s*$|([^#\s].*)$|$)")
_ITEM = re.compile(r"^(\s*)(?:[-*+]|\d{1,9}[.)])\s+")
_QUOTE = re.compile(r"^\s{0,3}>\s?")
_BEGIN = re.compile(r"\\begin\{([A-Za-z]+\*?)\}")
_MAX_OPEN = 400
"""Lines over which an open display may run before its paragraph ends all the same."""


def read_markdown(lines: Sequence[Line], builder: Builder) -> str:
    """Add the blocks of a Markdown text; returns its YAML header (empty when there is none)."""
    front, start = _front_matter(lines)
    k = start
    last_code: int | None = None
    paragraph: list[Line] = []

    def flush() -> None:
        if paragraph:
            _paragraph(paragraph, builder)
            paragraph.clear()

    while k < len(lines):
        text, number, column = lines[k]
        fence = _FENCE.match(text)
        if fence and not _open_comment(paragraph):
            flush()
            last_code, k = _fenced(lines, k, fence, builder, last_code)
            continue
        quote = _QUOTE.match(text)
        if quote:
            text, column = text[quote.end() :], column + quote.end()
        if not text.strip() and not _open_display(paragraph):
            flush()
            k += 1
            continue
        heading = _HEADING.match(text)
        # A display never holds a heading: where one seems to, the display was not closed, and the rest is still read.
        if heading and not _open_comment(paragraph) and (heading.group(2) or not _open_display(paragraph)):
            flush()
            title = heading.group(2) if heading.group(2) is not None else heading.group(3) or ""
            at = text.find(title) if title else len(text)
            piece = builder.text([(title, number, column + at)])
            builder.heading(piece, len(heading.group(1)), _spans(piece, builder))
            k += 1
            continue
        item = _ITEM.match(text)
        if item and not _open_display(paragraph):
            flush()
            text, column = text[item.end() :], column + item.end()
        if text.strip() or paragraph:
            paragraph.append((text, number, column))
        k += 1
    flush()
    return front


def _front_matter(lines: Sequence[Line]) -> tuple[str, int]:
    if lines and lines[0][0].strip() == "---":
        for k in range(1, min(len(lines), _MAX_OPEN)):
            if lines[k][0].strip() in ("---", "..."):
                return "\n".join(t for t, _, _ in lines[1:k]), k + 1
    return "", 0


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


def _fenced(
    lines: Sequence[Line], k: int, fence: re.Match[str], builder: Builder, last_code: int | None
) -> tuple[int | None, int]:
    """A fenced block; returns the index of the last code block and the next line."""
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
    if not body:
        return last_code, after
    language = info.strip("{} ").split()[0].split(",")[0].lower() if info.strip("{} ") else None
    if language == "math":
        while info.startswith("{") and len(body) > 1 and _OPTION.match(body[0][0]):
            body = body[1:]
        text = builder.text(body)
        if text.text.strip():
            whole = Found(True, "```math", 0, 0, len(text.text), len(text.text))
            builder.prose(text, builder.spans(_rows([whole]), text))
        return last_code, after
    text = builder.text(body)
    if language in OUTPUT_FENCES and last_code is not None:
        builder.output(text, last_code, "text")
        return last_code, after
    comments = read_comments(text)[0] if language in ("python", "py", "ipython", "python3") else ()
    return builder.code(text, "python" if language in ("py", "ipython", "python3") else language, comments), after


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
