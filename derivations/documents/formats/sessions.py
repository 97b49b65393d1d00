"""Sessions at Python's prompt in fenced blocks: `>>> x = np.arange(3)`, and below what was shown.

Source: the documentation of `doctest`, "How are Docstring Examples Recognized?".
"""

from __future__ import annotations

import doctest
from collections.abc import Iterator, Sequence

from derivations.documents.formats.python_code import read_comments
from derivations.documents.model.document import Builder

Line = tuple[str, int, int]
"""Text, line and column of its first character, as in `markdown`."""
LANGUAGES = frozenset({None, "python", "py", "python3", "ipython", "pycon", "pycon3", "python-repl", "doctest", "repl"})
"""What such blocks are called."""
_PROMPT = 4
"""Characters of `>>> ` and of `... `."""


def is_session(lines: Sequence[Line], language: str | None) -> bool:
    """Whether a fenced block is a session: its first line that is not empty begins with the prompt.

    >>> is_session([(">>> x", 1, 1)], "python"), is_session([("x >>> 1", 1, 1)], "python")
    (True, False)
    """
    first = next((text for text, _, _ in lines if text.strip()), "")
    return language in LANGUAGES and first.lstrip().startswith(">>> ")


def examples_of(lines: Sequence[Line]) -> Iterator[tuple[list[Line], list[Line]]]:
    """The code of a session with what it shows: all statements up to the next one that shows something, without those
    that its author marks ``# doctest: +SKIP``.

    Errors: ValueError where the prompts are not those of a session.

    >>> session = [(">>> x = 2", 1, 1), (">>> x + 1", 2, 1), ("3", 3, 1)]
    >>> list(examples_of(session))
    [([('x = 2', 1, 5), ('x + 1', 2, 5)], [('3', 3, 1)])]
    """
    code: list[Line] = []
    for example in doctest.DocTestParser().get_examples("\n".join(text for text, _, _ in lines)):
        if example.options.get(doctest.SKIP):
            continue
        count = example.source.count("\n")
        for k, source in enumerate(example.source.split("\n")[:count], start=example.lineno):
            text, number, column = lines[k]
            width = min(example.indent + _PROMPT, len(text))
            code.append((source, number, column + width))
        if example.want:
            shown = example.want.split("\n")[:-1]
            start = example.lineno + count
            yield code, [(t, lines[start + k][1], lines[start + k][2] + example.indent) for k, t in enumerate(shown)]
            code = []
    if code:
        yield code, []


def read_session(lines: Sequence[Line], builder: Builder) -> int | None:
    """Add the statements of a session, each with what it shows; returns the index of the last block of code."""
    last = None
    try:
        examples = [*examples_of(lines)]
    except ValueError as error:
        builder.problem("not-python", f"needed a session: {error}", builder.text(lines).locate(0))
        return None
    for code, shown in examples:
        text = builder.text(code)
        last = builder.code(text, "python", read_comments(text)[0])
        if shown:
            builder.output(builder.text(shown), last, "text")
    return last


def without_examples(lines: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """The lines of a docstring with empty ones in place of its examples, and the examples, as one session.

    >>> without_examples([("The sum.", 1, 1), (">>> 1 + 1", 2, 1), ("2", 3, 1)])
    ([('The sum.', 1, 1), ('', 2, 1), ('', 3, 1)], [('>>> 1 + 1', 2, 1), ('2', 3, 1)])
    """
    try:
        examples = doctest.DocTestParser().get_examples("\n".join(text for text, _, _ in lines))
    except ValueError:
        return list(lines), []
    own: set[int] = set()
    for example in examples:
        count = example.source.count("\n") + example.want.count("\n")
        own |= set(range(example.lineno, example.lineno + count))
    prose = [("", number, column) if k in own else (t, number, column) for k, (t, number, column) in enumerate(lines)]
    return prose, [line for k, line in enumerate(lines) if k in own]
