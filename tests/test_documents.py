"""Readers of documents: blocks, mathematics, comments and their exact places."""

import json
from pathlib import Path

import pytest

from derivations.documents import read, read_text
from derivations.documents.formats.mathspans import scan
from derivations.documents.model.document import (
    Code,
    Document,
    DocumentError,
    Heading,
    HtmlComment,
    Output,
    Prose,
    Text,
)

INLINE = [
    (r"From $5 to $6, `$x$` or \$; but $a_i$ and \[b\].", ["a_i", "b"]),
    (r"broken $\frac{a}{b$ and $c = d$.", [r"\frac{a}{b", "c = d"]),
    (r"$a \text{ if $b$}$ x", [r"a \text{ if $b$}"]),
    ("spaces as Jupyter allows: $ a = b $ and $c$", [" a = b ", "c"]),
    ("costs $ 5 and $ 6", []),
    ("$20,000 and $30,000", []),
    ("$5 and $6 and $x$", ["x"]),
    ("$a$$b$", ["a", "b"]),
    ("$$$$ $z$", ["z"]),
    (r"\(p\) and \\(q\\) and \\[r\\]", ["p", "q", "r"]),
    ('<a title="$x$">$y$</a>, but $x<y and $a>b$', ["y", "a>b"]),
    (r"\begin{align}a\begin{align}b\end{align}\end{align}", [r"\begin{align}a\begin{align}b\end{align}\end{align}"]),
    (r"\begin{itemize}\item $k$\end{itemize}", ["k"]),
    ("<!-- $h$ --> $s$", ["s"]),
]


@pytest.mark.parametrize(("text", "sources"), INLINE, ids=[text[:24] for text, _ in INLINE])
def test_mathematics_in_a_paragraph(text: str, sources: list[str]) -> None:
    assert [text[span.inner : span.inner_end] for span in scan(text).spans] == sources


# Markdown -> (class, text, line, column) of every block, and (source, line, column) of every span.
BLOCKS = [
    (
        "# Title\n\nLet $$\na\n= b\n- c\n$$ be.\n",
        [(Heading, "Title", 1, 3), (Prose, "Let $$\na\n= b\n- c\n$$ be.", 3, 1)],
        [("\na\n= b\n- c\n", 4, 1)],
    ),
    ("> quoted $x$\n> more $y$\n", [(Prose, "quoted $x$\nmore $y$", 1, 3)], [("x", 1, 11), ("y", 2, 9)]),
    ("- item $a$\n- next $b$\n", [(Prose, "item $a$", 1, 3), (Prose, "next $b$", 2, 3)], [("a", 1, 9), ("b", 2, 9)]),
    ("$$\n\na = b\n\n$$\n", [(Prose, "$$\n\na = b\n\n$$", 1, 1)], [("\n\na = b\n\n", 3, 1)]),
    (
        "<!-- check: A = B -->\n```python\nA = 1\n```\n",
        [(HtmlComment, " check: A = B ", 1, 5), (Code, "A = 1", 3, 1)],
        [],
    ),
    ("- step\n  ```python\n  z = 3\n  ```\n", [(Prose, "step", 1, 3), (Code, "z = 3", 3, 3)], []),
    ("```math\na = b\n```\n", [(Prose, "a = b", 2, 1)], [("a = b", 2, 1)]),
    ("```{math}\n:label: e\nc = d\n```\n", [(Prose, "c = d", 3, 1)], [("c = d", 3, 1)]),
    ("~~~py\nprint(1)\n~~~\n\n```output\n1\n```\n", [(Code, "print(1)", 2, 1), (Output, "1", 6, 1)], []),
    ("```not``` a fence, $v$\n", [(Prose, "```not``` a fence, $v$", 1, 1)], [("v", 1, 21)]),
    ("---\ntitle: T\n---\nText $w$\n", [(Prose, "Text $w$", 4, 1)], [("w", 4, 7)]),
]


@pytest.mark.parametrize(("source", "blocks", "spans"), BLOCKS, ids=[row[0][:20] for row in BLOCKS])
def test_blocks_and_places(
    source: str, blocks: list[tuple[type, str, int, int]], spans: list[tuple[str, int, int]]
) -> None:
    document = read_text(source, "a.md")
    found = [(type(b), b.text.text, b.place.line, b.place.column) for b in document.blocks]
    assert found == blocks
    assert [(s.source, s.place.line, s.place.column) for s in document.spans] == spans
    assert [s.index for s in document.spans] == list(range(len(document.spans)))
    assert document.problems == ()


def test_every_character_of_a_span_is_where_it_says() -> None:
    source = "One\n\n> Let $a +\n> b$ and\n> $$\n> c\n> $$\n"
    lines = source.split("\n")
    document = read_text(source, "a.md")
    assert len(document.spans) == 2
    for span in document.spans:
        for offset, character in enumerate(span.source):
            place = span.locate(offset)
            if character != "\n":
                assert lines[place.line - 1][place.column - 1] == character


UNCLOSED = [
    ("$$ a = b\n\n# Next\n\n$d$\n", "unclosed-math", "a.md:1:1", ["d"]),
    ("\\begin{align}\na &= b\n\n```python\nx = 1\n```\n$d$\n", "unclosed-math", "a.md:1:1", ["d"]),
    ("text\n\n```\nx\n", "unclosed-fence", "a.md:3:1", []),
]


@pytest.mark.parametrize(("source", "code", "place", "sources"), UNCLOSED)
def test_what_is_not_closed_is_reported_and_the_rest_is_read(
    source: str, code: str, place: str, sources: list[str]
) -> None:
    document = read_text(source, "a.md")
    assert [(p.code, str(p.place)) for p in document.problems] == [(code, place)]
    assert [s.source for s in document.spans] == sources
    assert ("```python" in source) == any(isinstance(b, Code) and b.language == "python" for b in document.blocks)


def test_words_around_a_span() -> None:
    document = read_text("Let $A$ be causal. We write\n\n$$ x = y $$\n\nwhere $y$ is a size. More.\n", "a.md")
    first, equation, _ = document.spans
    assert document.context(first).before == "Let"
    assert document.context(equation).before == "We write"
    assert document.context(equation).after == "where ⟦2⟧ is a size."


# One lesson twice: cells of a notebook, and what a transcript of it shows.
CELLS = [
    ("markdown", "# Weights\n\nThe scores are\n\\begin{align}\n  s_{ij} &= q_i k_j\n\\end{align}\nfor all $i$.", []),
    ("code", "import torch\n\nq = torch.ones(3)\n\n# a last word", []),
    ("markdown", "## Sums", []),
    ("code", "print(f'{q.shape=}')\nq", ["q.shape=torch.Size([3])\n", "tensor([1., 1., 1.])"]),
    ("markdown", "Each row sums to $1$.", []),
    (
        "code",
        "class M:\n    def f(self):  # one\n\n        #two\n        return q\n    \nM().f()",
        ["tensor([1., 1., 1.])"],
    ),
    ("code", "print('\\nTrue values for q')\nprint(q)", ["\nTrue values for q\ntensor([1., 1., 1.])\n"]),
    ("markdown", "The end, `q` $= 1$.", []),
]


def _notebook() -> str:
    cells = []
    for count, (kind, source, outputs) in enumerate(CELLS, 1):
        cell: dict[str, object] = {"cell_type": kind, "metadata": {}, "source": source.splitlines(keepends=True)}
        if kind == "code":
            cell["execution_count"] = count
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": text} for text in outputs]
        cells.append(cell)
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


def _transcript() -> str:
    parts = []
    for count, (kind, source, outputs) in enumerate(CELLS, 1):
        parts += [f"In [{count}]:\n{source}" if kind == "code" else source, *outputs]
    return "\n\n".join(parts) + "\n"


def _content(document: Document) -> dict[str, list[str]]:
    printed = "\n".join(b.text.text for b in document.blocks if isinstance(b, Output))
    return {
        "prose": [b.words for b in document.blocks if isinstance(b, Prose | Heading)],
        "mathematics": [s.source for s in document.spans],
        "code": [b.text.text for b in document.code],
        "comments": [c.text for c in document.comments],
        "printed": [line.rstrip() for line in printed.split("\n") if line.strip()],
    }


def test_a_notebook_and_its_transcript_say_the_same() -> None:
    notebook = _content(read_text(_notebook(), "a.ipynb"))
    assert notebook == _content(read_text(_transcript(), "a.txt"))
    assert notebook["comments"] == [" a last word", " one", "two"]
    assert len(notebook["mathematics"]) == 4


def test_places_in_a_notebook_count_cells_and_lines_within_the_cell() -> None:
    document = read_text(_notebook(), "a.ipynb")
    assert [(s.place.cell, s.place.line) for s in document.spans] == [(1, 4), (1, 7), (5, 1), (8, 1)]
    assert [(c.place.cell, c.place.line, c.place.column, c.alone) for c in document.comments] == [
        (2, 5, 1, True),
        (6, 2, 19, False),
        (6, 4, 9, True),
    ]
    assert str(document.spans[0].place) == "a.ipynb: cell 1:4:1"


def test_code_in_another_language_is_said_once() -> None:
    cells = [
        {"cell_type": "markdown", "source": "$y = 2 x$"},
        *({"cell_type": "code", "source": f"y <- {k} * x", "outputs": []} for k in (2, 3)),
    ]
    notebook = {"cells": cells, "metadata": {"language_info": {"name": "R"}}, "nbformat": 4}
    document = read_text(json.dumps(notebook), "a.ipynb")
    assert [(p.code, p.place.cell, p.message) for p in document.problems] == [
        ("not-python", 2, "needed code in Python, found a notebook in r")
    ]
    assert len(document.spans) == 1


BAD = [
    ("a.md", b"\xff\xfe#", "needed UTF-8 text, found another byte at offset 0"),
    ("a.md", b"one\ntwo\x00", "a.md:2: needed text, found a NUL byte"),
    ("a.ipynb", b'{"cells": [\n}', "a.ipynb:2:1: needed a notebook in JSON"),
    ("a.ipynb", b"[1]", "needed a notebook with a list of cells, found other JSON"),
    ("a.ipynb", b"[" * 100_000, "nested too deeply"),
    ("a.ipynb", b'{"x": ' + b"1" * 5000 + b"}", "found a number that is too long"),
    (
        "a.ipynb",
        b'{"cells": [{"cell_type": "markdown", "source": "\\u0000"}]}',
        "a.ipynb: cell 1: needed text, found a NUL",
    ),
    ("a.docx", b"", "needed a file that ends in .ipynb, .md"),
]


@pytest.mark.parametrize(("name", "data", "message"), BAD, ids=[row[2][:30] for row in BAD])
def test_a_document_that_cannot_be_read_says_why(name: str, data: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DocumentError) as caught:
        read(tmp_path / name)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


ODD_NOTEBOOKS = [
    ({"cells": [{"cell_type": "markdown", "source": "\ud800 $x$"}]}, ["\ufffd $x$"]),
    ({"cells": [{"cell_type": "heading", "level": "two", "source": "T"}]}, ["T"]),
    ({"worksheets": [{"cells": None}]}, []),
    ({"cells": [None, {"cell_type": "code", "source": "x", "outputs": {}, "metadata": None}]}, ["x"]),
]


@pytest.mark.parametrize(("notebook", "texts"), ODD_NOTEBOOKS)
def test_an_odd_notebook_is_read_as_far_as_it_goes(notebook: dict[str, object], texts: list[str]) -> None:
    document = read_text(json.dumps(notebook), "a.ipynb")
    assert [block.text.text for block in document.blocks] == texts
    assert all(block.place.column == 1 for block in document.blocks)


def test_a_missing_document_says_so(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"gone\.md: needed a file, found none of that name"):
        read(tmp_path / "gone.md")


def test_a_text_needs_a_line_and_an_offset_inside() -> None:
    with pytest.raises(ValueError, match="at least one line is needed"):
        Text.of_lines([], "a.md", None)
    with pytest.raises(ValueError, match="an offset from 0 to 1 is needed, found 2"):
        Text.of_lines([("a", 1, 1)], "a.md", None).locate(2)
