r"""Python files: the docstrings and comments that hold mathematics, and the code; nothing is imported or executed.

Each function or class with mathematics is a part of its own: its docstring, the comments and the strings that stand alone
inside it, and its source.  The names of one docstring say nothing about those of another, as a reader of the file would take
it.  What the file says outside of them is a part with the code of the whole file, in the order of the lines.

Docstrings are read as Markdown with the roles and directives of reStructuredText for mathematics; one without these, in the
notation of code, is translated (`plain_notation`).  Sources: the Python Language Reference, section 2.4; the Sphinx
documentation, "Math support in Sphinx".
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from derivations.documents.formats.markdown import Line, read_markdown
from derivations.documents.formats.plain_notation import equations_in
from derivations.documents.formats.python_code import NotPython, parse, read_comments
from derivations.documents.formats.sessions import examples_of, read_session, without_examples
from derivations.documents.model.document import Builder, Comment

MATHEMATICS = re.compile(r"\$[^$\s]|\$\$[^$]+\$\$|\\\(|\\\[|\\begin\{|:math:`|\.\. math::|\{math\}`|derivations:")
"""What a text with mathematics, or a declaration, holds."""
_DIRECTIVE = re.compile(r"^(\s*)\.\. math::\s*(.*)$")
_DECLARATION = re.compile(r"^\s*(?:derivations|check)\s*:")
_STRING = re.compile(r"""(?P<prefix>[rRbBuUfF]{0,2})(?P<quote>\"{3}|'{3}|"|')""")

_ESCAPED = re.compile(r"(?:\\\\)+")
_COMMAND = re.compile(r"(?<!\\)(\\+)[A-Za-z]")

_Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def read_python(text: str, builder: Builder) -> list[Builder]:
    """The parts of a Python file, each with its blocks; `builder` takes what is said about the file as a whole.

    A file that does not parse is one problem, and its comments are read all the same.
    """
    parts: list[Builder] = []
    lines = [(line, k, 1) for k, line in enumerate(text.split("\n"), 1)]
    whole = builder.text(lines)
    try:
        tree = parse(text)
    except NotPython as error:
        place = replace(whole.locate(0), line=max(error.line, 1))
        builder.problem("not-python", f"needed Python, found: {error}", place)
        tree = ast.Module([], [])
    comments = _Comments(read_comments(whole)[0], lines)
    scopes = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    scopes.sort(key=lambda n: n.lineno)
    left: list[Line] = []  # examples of functions that say nothing in formulas
    for scope in (*scopes, tree):  # comments inside a function are its own
        part = Builder(builder.path, commands=builder.commands)
        docstring, examples = without_examples(_docstring(scope, text))
        if scope is tree:
            examples += left
        is_checked = scope is tree and bool(parts) and (bool(examples) or _has_checks(tree))
        _part(scope, docstring, examples, len(lines), text, part, comments, scopes, tree, is_checked)
        if part.blocks and scope is tree:
            parts.insert(0, part)
        elif part.blocks:
            parts.append(part)
        else:
            left += examples
    return parts


def has_mathematics(lines: Sequence[str]) -> bool:
    """Whether the lines of a docstring have formulas, or equations in the notation of code.

    >>> has_mathematics(["The loss.", "", "    loss = sum(x) / n"]), has_mathematics(["Makes a model.", "", "    eps = 1e-5"])
    (True, False)
    """
    return MATHEMATICS.search("\n".join(lines)) is not None or bool(equations_in(lines))


class _Comments:
    """The comments of a file: runs of lines that stand alone, and which of them became prose."""

    def __init__(self, found: tuple[Comment, ...], lines: list[Line]) -> None:
        self.found, self.lines = found, lines
        self.alone = {c.place.line: c for c in found if c.alone}
        self.taken: set[int] = set()

    def runs(self, first: int, last: int) -> list[list[Comment]]:
        """Runs of comment lines between two lines, each of one indentation."""
        runs: list[list[Comment]] = []
        for line in range(first, last + 1):
            comment = self.alone.get(line)
            if comment is None or line in self.taken:
                continue
            before = runs[-1][-1] if runs else None
            if before is not None and before.place.line == line - 1 and before.place.column == comment.place.column:
                runs[-1].append(comment)
            else:
                runs.append([comment])
        return runs


def _part(
    scope: _Scope,
    docstring: list[Line],
    examples: list[Line],
    length: int,
    text: str,
    builder: Builder,
    comments: _Comments,
    scopes: list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef],
    tree: ast.Module,
    is_checked: bool,
) -> None:
    """One scope: its documentation in the order of the lines, then its source when it is a function.

    A file that has mathematics in its functions, and checks that are run, is a part also where it says nothing itself.
    """
    first, last = (1, length) if isinstance(scope, ast.Module) else (scope.lineno, scope.end_lineno or scope.lineno)
    quoted: set[int] = set()
    inner = [s for s in scopes if s is not scope and first <= s.lineno and (s.end_lineno or s.lineno) <= last]
    hidden = {k for s in inner for k in range(s.lineno, (s.end_lineno or s.lineno) + 1)}
    pieces: list[tuple[int, list[Line]]] = []
    if docstring and has_mathematics([t for t, _, _ in docstring]):
        pieces.append((docstring[0][1], docstring))
    for string in _strings_alone(scope):
        said = _string_lines(string, text)
        if said and MATHEMATICS.search("\n".join(t for t, _, _ in said)):
            pieces.append((string.lineno, said))
            quoted |= _lines_of(string)
    for run in comments.runs(first, last):
        own = [c for c in run if c.place.line not in hidden]
        words = "\n".join(c.text for c in own)
        if own and MATHEMATICS.search(words):
            comments.taken |= {c.place.line for c in own}
            pieces.append((own[0].place.line, [_comment_line(c) for c in own]))
    if not pieces and not is_checked:
        return
    if not isinstance(scope, ast.Module):
        builder.heading(builder.text([(scope.name, scope.lineno, scope.col_offset + 1)]), 1, ())
    pieces.sort(key=lambda p: p[0])
    if isinstance(scope, ast.Module):
        if docstring:
            quoted |= _lines_of(scope.body[0])
        _add_file(pieces, quoted, text, builder, comments)
        read_session(examples, builder)
        return
    for _, lines in pieces:
        _read_lines(lines, builder)
    if isinstance(scope, ast.FunctionDef | ast.ClassDef):
        _add_source(scope, examples, text, builder, comments, tree)
        read_session(examples, builder)


def _has_checks(tree: ast.Module) -> bool:
    """Whether a file asserts something when it is run."""
    outside = (s for s in tree.body if not isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef))
    return any(isinstance(n, ast.Assert) for s in outside for n in ast.walk(s))


def _comment_line(comment: Comment) -> Line:
    text = comment.text
    width = 1 if text.startswith(" ") else 0
    return text[width:], comment.place.line, comment.place.column + 1 + width


def _docstring(scope: _Scope, text: str) -> list[Line]:
    """The lines of a docstring, none where the scope has no docstring."""
    opening = next(iter(scope.body), None)
    return _string_lines(opening, text) if opening is not None and _is_string_alone(opening) else []


def _strings_alone(scope: _Scope) -> Iterator[ast.stmt]:
    """The strings that stand alone in a scope after its docstring, as authors write what they say between pieces of code."""
    todo: list[ast.stmt] = [*scope.body[1:]] if scope.body and _is_string_alone(scope.body[0]) else [*scope.body]
    while todo:
        statement = todo.pop(0)
        if _is_string_alone(statement):
            yield statement
        elif not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            todo[:0] = [s for s in ast.iter_child_nodes(statement) if isinstance(s, ast.stmt)]


def _is_string_alone(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _lines_of(statement: ast.stmt) -> set[int]:
    return set(range(statement.lineno, (statement.end_lineno or statement.lineno) + 1))


def _string_lines(statement: ast.stmt, text: str) -> list[Line]:
    """The lines of a string as they stand in the file, without indentation; escaped backslashes become single ones."""
    node = statement.value if isinstance(statement, ast.Expr) else None
    if node is None or node.end_lineno is None or node.end_col_offset is None:
        return []
    source = text.split("\n")[node.lineno - 1 : node.end_lineno]
    start = len(source[0].encode()[: node.col_offset].decode())
    end = len(source[-1].encode()[: node.end_col_offset].decode())
    opened = _STRING.match(source[0], start)
    if opened is None:
        return []
    source[-1] = source[-1][: end - len(opened.group("quote"))]
    raw = "r" in opened.group("prefix").lower() or _as_written("\n".join(source))
    margins = [len(t) - len(t.lstrip()) for t in source[1:] if t.strip()]
    margin = min(margins, default=0)
    lines: list[Line] = []
    for k, t in enumerate(source):
        cut = opened.end() if k == 0 else min(margin, len(t) - len(t.lstrip()))
        # a space in place of the first of two backslashes keeps every other character in its column
        content = t[cut:] if raw else _ESCAPED.sub(lambda m: " " * (len(m.group()) // 2) + m.group()[::2], t[cut:])
        lines.append((content, node.lineno + k, cut + 1))
    while lines and not lines[-1][0].strip():
        lines.pop()
    return lines


def _as_written(text: str) -> bool:
    r"""Whether the commands of a string have one backslash each: `\\` then ends a row, as the author reads the file."""
    runs = [len(m.group(1)) for m in _COMMAND.finditer(text)]
    return sum(n % 2 for n in runs) > len(runs) / 2


def _read_lines(lines: list[Line], builder: Builder) -> None:
    """Read documentation; ``.. math::`` becomes a fenced formula, a declaration a comment."""
    if MATHEMATICS.search("\n".join(t for t, _, _ in lines)) is None:
        lines = _with_plain_equations(lines)
    out: list[Line] = []
    k = 0
    while k < len(lines):
        text, number, column = lines[k]
        if _DECLARATION.match(text):
            read_markdown(out, builder)
            out = []
            builder.html_comment(builder.text([(text, number, column)]))
            k += 1
            continue
        directive = _DIRECTIVE.match(text)
        if directive is None:
            out.append((text, number, column))
            k += 1
            continue
        width = len(directive.group(1))
        out += [("", number, column), ("```math", number, column)]
        if directive.group(2):
            out.append((directive.group(2), number, column + directive.start(2)))
        k += 1
        while k < len(lines) and (not lines[k][0].strip() or len(lines[k][0]) - len(lines[k][0].lstrip()) > width):
            if lines[k][0].strip() and not re.match(r"\s*:\w+:", lines[k][0]):
                out.append(lines[k])
            k += 1
        out.append(("```", number, column))
    read_markdown(out, builder)


def _with_plain_equations(lines: list[Line]) -> list[Line]:
    """Documentation in which equations in the notation of code stand as fenced formulas."""
    out: list[Line] = []
    done = 0
    for start, end, latex in equations_in([t for t, _, _ in lines]):
        text, number, column = lines[start]
        at = column + len(text) - len(text.lstrip())
        out += [*lines[done:start], ("", number, at), ("```math", number, at), (latex, number, at), ("```", number, at)]
        done = end
    return [*out, *lines[done:]]


def _add_file(
    pieces: list[tuple[int, list[Line]]], quoted: set[int], text: str, builder: Builder, comments: _Comments
) -> None:
    """What a file says, and the code between, as the cells of a notebook stand between its texts; `quoted` are the lines of
    its strings."""
    all_lines = text.split("\n")
    said = quoted | {number for _, lines in pieces for _, number, _ in lines}
    start = 1
    for first, lines in [*pieces, (len(all_lines) + 1, [])]:
        code = [(all_lines[k - 1], k, 1) for k in range(start, first) if k not in said]
        while code and not code[-1][0].strip():
            code.pop()
        if any(line.strip() and not line.lstrip().startswith("#") for line, _, _ in code):
            block = builder.text(code)
            found = [c for c in read_comments(block)[0] if c.place.line not in comments.taken]
            builder.code(block, "python", tuple(found))
        if lines:
            _read_lines(lines, builder)
            start = max(number for _, number, _ in lines) + 1


def _add_source(
    scope: ast.FunctionDef | ast.ClassDef,
    examples: Sequence[Line],
    text: str,
    builder: Builder,
    comments: _Comments,
    tree: ast.Module,
) -> None:
    """The source of a function without its indentation, after what it and its examples may use of the file: imports,
    functions, constants."""
    all_lines = text.split("\n")
    before = _used_by(scope, tree, _names_in(examples))
    body = [(all_lines[k - 1], k, 1) for n in before for k in range(n.lineno, (n.end_lineno or n.lineno) + 1)]
    margin = scope.col_offset
    for k in range(scope.lineno, (scope.end_lineno or scope.lineno) + 1):
        line = all_lines[k - 1]
        cut = min(margin, len(line) - len(line.lstrip()))
        body.append((line[cut:], k, cut + 1))
    block = builder.text(body)
    found = [c for c in read_comments(block)[0] if c.place.line not in comments.taken]
    builder.code(block, "python", tuple(found), subject=scope.name)


def _names_in(examples: Sequence[Line]) -> set[str]:
    """The names that the code of examples has."""
    found: set[str] = set()
    for code, _ in examples_of(examples):
        try:
            found |= {n.id for n in ast.walk(parse("\n".join(t for t, _, _ in code))) if isinstance(n, ast.Name)}
        except NotPython:
            continue
    return found


def _used_by(scope: ast.FunctionDef | ast.ClassDef, tree: ast.Module, more: set[str]) -> list[ast.stmt]:
    """The imports of a file, and its functions and constants that a function or class uses, also through one another, and
    those of `more` names."""
    made: dict[str, ast.stmt] = {
        s.name: s for s in tree.body if isinstance(s, ast.FunctionDef) and not s.decorator_list
    }
    for s in tree.body:
        if isinstance(s, ast.Assign) and isinstance(s.value, ast.Constant):
            made |= {t.id: s for t in s.targets if isinstance(t, ast.Name)}
    used = more & made.keys()
    todo: list[ast.AST] = [scope, *(made[n] for n in used)]
    while todo:
        names = {n.id for n in ast.walk(todo.pop()) if isinstance(n, ast.Name)} & made.keys() - used
        used |= names
        todo += [made[n] for n in names]
    kept = {id(made[n]) for n in used if made[n] is not scope}
    return [s for s in tree.body if isinstance(s, ast.Import | ast.ImportFrom) or id(s) in kept]
