"""Plain-text transcripts of notebooks: prose, `In [n]:` blocks, and what they printed.

The transcript does not mark where a cell's code ends.  The code is the longest run of paragraphs that parses; of these,
a paragraph that reads as a printed value is output when the code before it prints something.
"""

from __future__ import annotations

import ast
import re

from derivations.documents.formats.markdown import Line, front_matter, read_markdown
from derivations.documents.formats.python_code import NotPython, is_value_text, parse, read_comments, string_pieces
from derivations.documents.model.document import Builder

_MAX_OPEN = 200
"""Paragraphs that a block or an open bracket may run over before they are no code."""
_PROMPT = re.compile(r"^In \[(\d+|None| |\*)?\]:\s*$")


def is_transcript(text: str) -> bool:
    """Whether a line is the prompt of a cell."""
    return any(_PROMPT.match(line) for line in text.split("\n"))


def read_transcript(lines: list[Line], builder: Builder) -> None:
    """Add the blocks of a transcript."""
    prompts = [k for k, (text, _, _) in enumerate(lines) if _PROMPT.match(text)]
    start = front_matter(lines)[1]
    read_markdown(lines[start : prompts[0]] if prompts else lines[start:], builder)
    for position, start in enumerate(prompts):
        end = prompts[position + 1] if position + 1 < len(prompts) else len(lines)
        _cell(lines, start, end, builder)


def _cell(lines: list[Line], start: int, end: int, builder: Builder) -> None:
    prompt = _PROMPT.match(lines[start][0])
    label = prompt.group(1) if prompt else None
    count = int(label) if label and label.isdigit() else None
    body = _trim(lines[start + 1 : end])
    if not body:
        return
    paragraphs = _paragraphs(body)
    code_end = _code_end(paragraphs)
    code = [line for p in paragraphs[:code_end] for line in p]
    rest = paragraphs[code_end:]
    if not code:
        read_markdown([line for p in rest for line in p], builder)
        return
    block = builder.text(_trim(code))
    index = builder.code(block, "python", read_comments(block)[0], count, count is not None)
    printed = 0
    speaks = _speaks(block.text)
    while printed < len(rest) and speaks and _is_output(rest[printed], block.text, printed):
        printed += 1
    output = [line for p in rest[:printed] for line in p]
    if output:
        builder.output(builder.text(_trim(output)), index, "text")
    read_markdown([line for p in rest[printed:] for line in p], builder)


def _trim(lines: list[Line]) -> list[Line]:
    while lines and not lines[0][0].strip():
        lines = lines[1:]
    while lines and not lines[-1][0].strip():
        lines = lines[:-1]
    return lines


def _paragraphs(lines: list[Line]) -> list[list[Line]]:
    """Runs of lines, each with the blank lines that follow it."""
    found: list[list[Line]] = [[]]
    blank = False
    for line in lines:
        if blank and line[0].strip():
            found.append([])
        blank = not line[0].strip()
        found[-1].append(line)
    return found


def _code_end(paragraphs: list[list[Line]]) -> int:
    """The number of paragraphs that are code.

    Each run of paragraphs that no block or bracket holds together is parsed once, so the time is linear in the cell.
    """
    best = start = 0
    pieces: set[str] = set()
    for k in range(1, len(paragraphs) + 1):
        if k - start > _MAX_OPEN:
            break
        following = paragraphs[k][0][0] if k < len(paragraphs) else ""
        if following[:1].isspace():
            continue
        own = "\n".join(t for p in paragraphs[start:k] for t, _, _ in p)
        try:
            tree = parse(own)
        except NotPython as error:
            if error.open_ended:
                continue
            break
        if best and (_reads_as_text(own) or _is_printed(own, pieces)):
            break
        pieces |= string_pieces(tree)
        best = start = k
    return best


def _is_printed(text: str, pieces: set[str]) -> bool:
    """Whether a paragraph that parses starts with a text that the code before it prints: ``x.shape=torch.Size([2])``."""
    first = text.lstrip().split("\n")[0]
    return not text[:1].isspace() and "print(" not in text and any(first.startswith(piece) for piece in pieces)


def _reads_as_text(text: str) -> bool:
    """A paragraph that parses, but is a printed value or prose rather than code."""
    if is_value_text(text):
        return True
    if text[:1].isspace():
        return False
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    if all(line.lstrip().startswith("#") for line in text.split("\n") if line.strip()):
        # headings of the prose that follows: '## Title'; comments of code have no capital heading level
        return bool(re.match(r"^#{2,6} \S", text))
    return (
        bool(tree.body)
        and all(isinstance(s, ast.Expr) and isinstance(s.value, (ast.Name, ast.Constant, ast.Tuple)) for s in tree.body)
        and len(text.split()) <= 3
        and not re.match(r"^[A-Za-z_][\w.]*$", text.strip())
    )


def _speaks(source: str) -> bool:
    """Whether the code prints, or ends in an expression."""
    try:
        tree = parse(source)
    except NotPython:
        return True
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        return True
    return any(
        isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in ("print", "display", "help")
        for n in ast.walk(tree)
    )


def _is_output(paragraph: list[Line], source: str, position: int) -> bool:
    text = "\n".join(t for t, _, _ in paragraph)
    if "$" in text or "\\begin" in text or re.match(r"^(#{1,6}\s|[-*] |`)", text):
        return False
    values = [line for line in text.split("\n") if not re.match(r"^[\w ]{1,40}:\s*$", line)]
    if values and is_value_text("\n".join(values)):
        return True
    try:
        pieces = string_pieces(parse(source))
    except NotPython:
        pieces = set()
    first = text.strip().split("\n")[0]
    if any(piece.split("{")[0].strip() and first.startswith(piece.split("{")[0].strip()) for piece in pieces):
        return True
    return bool(
        re.match(
            r"^(tensor|array|torch\.Size|Parameter|Traceback|\[|\(|\{|[A-Za-z_]+Error|<(class|function|bound|matplotlib|Figure|Axes))",
            first,
        )
    ) or (position == 0 and bool(re.match(r"^[A-Z]\w*\(", first)))
