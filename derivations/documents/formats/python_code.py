"""Reads Python source as data: comments, whether text is Python at all, what it may print. Nothing is executed.

IPython's own lines (``%magic``, ``!command``, ``name?``) are not Python; they are replaced by ``pass`` of their own
indentation before parsing, so that every other line keeps its number and columns.
"""

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterable, Iterator

from ..model.document import Comment, Text

_ESCAPED_LINE = re.compile(r"^([ \t]*)(?:[%!].*|\?{1,2}[\w.]+|[\w.]+\?{1,2}[ \t]*)$", re.MULTILINE)
_ESCAPED_VALUE = re.compile(r"^([ \t]*[A-Za-z_][\w, ]*=[ \t]*)[%!].*$", re.MULTILINE)
_LINE_BREAK_INSIDE = re.compile(r"multi-line|never closed|unterminated triple-quoted", re.IGNORECASE)

# Words that occur in the printed form of arrays and tensors (torch.Tensor.__repr__, numpy.ndarray.__repr__).
_VALUE_WORDS = frozenset(
    [
        "tensor",
        "array",
        "torch",
        "Size",
        "Parameter",
        "containing",
        "dtype",
        "device",
        "cuda",
        "grad_fn",
        "requires_grad",
        "size",
        "True",
        "False",
        "None",
        "nan",
        "inf",
        "e",
        "E",
        "j",
        "float16",
        "float32",
        "float64",
        "bfloat16",
        "int8",
        "uint8",
        "int16",
        "int32",
        "int64",
        "bool",
        "complex64",
        "complex128",
        "object",
        "cpu",
    ]
)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d*)?j?")
_WORD = re.compile(r"[^\W\d]\w*")
_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|<[^<>\n]*>")


_IS_RUN = ("__name__ == '__main__'", "'__main__' == __name__")


class NotPython(Exception):
    """Text that does not parse as Python; `line` is 1-based, `open_ended` when more lines could still complete it."""

    def __init__(self, message: str, line: int, open_ended: bool) -> None:
        super().__init__(message)
        self.line = line
        self.open_ended = open_ended


def without_escapes(source: str) -> str:
    """`source` with IPython's own lines replaced by ``pass``; a cell magic replaces the whole cell.

    >>> without_escapes("%time x = 1\\ny = !ls")
    'pass\\ny = 0'
    """
    if source.lstrip().startswith("%%") and not source.lstrip().startswith(("%%time", "%%capture")):
        return "pass" + "\n" * source.count("\n")
    return _ESCAPED_VALUE.sub(r"\g<1>0", _ESCAPED_LINE.sub(r"\1pass", source))


def parse(source: str) -> ast.Module:
    """The syntax tree of `source`, IPython's own lines left out.

    Errors: NotPython when it does not parse, or is nested deeper than the parser allows.
    """
    error: SyntaxError | None = None
    for text in (source, without_escapes(source)):
        if error is not None and text == source:
            break
        try:
            with warnings.catch_warnings():
                # Odd escapes in somebody's strings are not for us to report.
                warnings.simplefilter("ignore")
                return ast.parse(text)
        except SyntaxError as caught:
            error = caught
        except (ValueError, RecursionError, MemoryError) as caught:
            raise NotPython(
                f"the code is too deeply nested or holds a forbidden character ({caught})", 1, False
            ) from None
    assert_error = error or SyntaxError("invalid syntax")
    message = assert_error.msg or "invalid syntax"
    raise NotPython(message, assert_error.lineno or 1, bool(_LINE_BREAK_INSIDE.search(message)))


def as_program(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a file that is run: those under `if __name__ == "__main__"` are statements like others."""
    for statement in body:
        if isinstance(statement, ast.If) and ast.unparse(statement.test) in _IS_RUN and not statement.orelse:
            yield from as_program(statement.body)
        else:
            yield statement


def tokens(source: str) -> Iterator[tokenize.TokenInfo]:
    """The tokens of `source` up to the first place that is not Python.

    Errors: NotPython there.
    """
    try:
        yield from tokenize.generate_tokens(io.StringIO(source).readline)
    except (tokenize.TokenError, SyntaxError) as caught:
        line = caught.lineno if isinstance(caught, SyntaxError) else caught.args[1][0]
        raise NotPython(str(caught.args[0]), line or 1, False) from None


def read_comments(text: Text) -> tuple[tuple[Comment, ...], NotPython | None]:
    """The comments of a code block with their places, and what stopped the reading early, if anything did.

    >>> read_comments(Text.of_lines([("x = '#'  # one", 4, 1)], "a.md", None))[0]
    (Comment(text=' one', place=Place(path='a.md', cell=None, line=4, column=10), alone=False),)
    """
    source = text.text
    try:
        parse(source)
    except NotPython:
        pass
    else:
        # Only a source with IPython lines needs them masked; a "%" may also continue an expression.
        return _comments(text, source)
    masked = without_escapes(source)
    return _comments(text, masked)


def _comments(text: Text, source: str) -> tuple[tuple[Comment, ...], NotPython | None]:
    found, stopped = [], None
    try:
        for token in tokens(source):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                origin = text.origins[row - 1]
                place = text.locate(0)
                found.append(
                    Comment(
                        token.string[1:],
                        type(place)(place.path, place.cell, origin[0], origin[1] + column),
                        not token.line[:column].strip(),
                    )
                )
    except NotPython as caught:
        stopped = caught
    return tuple(found), stopped


def bound_names(tree: ast.AST) -> set[str]:
    """All names that the code assigns, imports, defines or takes as parameters."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.arg):
            names.add(node.arg)
    return names


def string_pieces(tree: ast.AST) -> set[str]:
    """The lines of the string constants of the code, f-strings' fixed parts included, of three characters or more."""
    pieces: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            pieces.update(line.strip() for line in node.value.splitlines() if len(line.strip()) >= 3)
    return pieces


def is_value_text(text: str) -> bool:
    """Whether `text` is made of numbers, brackets and the words that arrays are printed with.

    >>> is_value_text("tensor([[1., 0.], [0.5, -inf]])"), is_value_text("see [1] for more")
    (True, False)
    """
    bare = _QUOTED.sub(" 0 ", text)
    bare, count = _NUMBER.subn(" ", bare)
    words = _WORD.findall(bare)
    if any(word not in _VALUE_WORDS for word in words):
        return False
    rest = _WORD.sub(" ", bare)
    if set(rest) - set(" \t\n[](){},.:=-+*|;…<>/"):
        return False
    return count > 0 or any(word in {"True", "False", "None", "nan", "inf"} for word in words)
