"""Markdown of Quarto, MyST and Jekyll, macros of a site's configuration, Python files."""

from pathlib import Path

import pytest
from derivations.reports.model import validate
from derivations.reports.run import check

from derivations.documents import read, read_text
from derivations.documents.formats.site_macros import CONFIGURATIONS, macros_of_script, macros_of_text, read_yaml
from derivations.documents.model.document import Code, Heading, HtmlComment, Output, Prose

NAMES = {Heading: "heading", Prose: "prose", Code: "code", HtmlComment: "comment", Output: "output"}

# text, (class, text, line, column) of the blocks, sources of the spans
BLOCKS = [
    ("Title\n=====\n\nText $x$\n", [("heading", "Title", 1, 1), ("prose", "Text $x$", 4, 1)], ["x"]),
    ("Part $x$\n---\nText\n", [("heading", "Part $x$", 1, 1), ("prose", "Text", 3, 1)], ["x"]),
    ("Two\nlines\n---\nText\n", [("prose", "Two\nlines", 1, 1), ("prose", "Text", 4, 1)], []),
    ("- item\n---\nText\n", [("prose", "item", 1, 3), ("prose", "Text", 3, 1)], []),
    ("$$\na\n==\nb\n$$\n", [("prose", "$$\na\n==\nb\n$$", 1, 1)], ["\na\n==\nb\n"]),
    ("Text\n\n    x = '$a$'\n\n    y = 2\n\nMore $b$\n", [("prose", "Text", 1, 1), ("code", "x = '$a$'\n\ny = 2", 3, 5), ("prose", "More $b$", 7, 1)], ["b"]),
    ("> On\n>\n>     x = 1\n>\n> More $b$\n", [("prose", "On", 1, 3), ("code", "x = 1", 3, 7), ("prose", "More $b$", 5, 3)], ["b"]),
    ("> One\n>\n> > $$a$$\n>> two\n", [("prose", "One", 1, 3), ("prose", "$$a$$\ntwo", 3, 5)], ["a"]),
    ("1. One\n\n    $$ a $$\n", [("prose", "One", 1, 4), ("prose", "    $$ a $$", 3, 1)], [" a "]),
    ("```{note} On $x$\n:class: tip\nThen $y$.\n```\nAnd $z$\n", [("prose", "On $x$", 1, 11), ("prose", "Then $y$.", 3, 1), ("prose", "And $z$", 5, 1)], ["x", "y", "z"]),
    ("````{prf:theorem}\n---\nlabel: t\n---\n```python\na = 1\n```\n$y$\n````\n$z$\n", [("code", "a = 1", 6, 1), ("prose", "$y$", 8, 1), ("prose", "$z$", 10, 1)], ["y", "z"]),
    (":::{math}\n:label: e\na = b\n:::\n", [("prose", "a = b", 3, 1)], ["a = b"]),
    ("::: {.callout-note}\n## In\n$a$\n\n:::: {.column}\n$b$\n::::\n:::\n$c$\n", [("heading", "In", 2, 4), ("prose", "$a$", 3, 1), ("prose", "$b$", 6, 1), ("prose", "$c$", 9, 1)], ["a", "b", "c"]),
    (":::tip Hint\nUse $a$\n:::\n", [("prose", "Hint", 1, 8), ("prose", "Use $a$", 2, 1)], ["a"]),
    ("```{code-cell} ipython3\n:tags: [x]\nprint(1)\n```\n", [("code", "print(1)", 3, 1)], []),
    ("```{code-block} python\nx = 1\n```\n", [("code", "x = 1", 2, 1)], []),
    ("```{python}\n#| echo: false\nx = 1\n```\n", [("code", "#| echo: false\nx = 1", 2, 1)], []),
    ("```{.python .numberLines}\nx = 1\n```\n", [("code", "x = 1", 2, 1)], []),
    ("{% highlight python %}\nx = 1\n{% endhighlight %}\n$a$\n", [("code", "x = 1", 2, 1), ("prose", "$a$", 4, 1)], ["a"]),
    ("{% raw %}\n$$ a_{{i}} $$\n{% endraw %}\n{: .note}\n", [("prose", "$$ a_{{i}} $$", 2, 1)], [" a_{{i}} "]),
    ("+++\ntitle = 'x'\n+++\nText\n", [("prose", "Text", 4, 1)], []),
    ("% derivations: off\n% of sales\n", [("comment", " derivations: off", 1, 2), ("prose", "% of sales", 2, 1)], []),
    ("Inline {math}`a = b` and $`c = d`$.\n", [("prose", "Inline {math}`a = b` and $`c = d`$.", 1, 1)], ["a = b", "c = d"]),
    ("By \\\\( a \\\\) and\n\\\\[ b \\\\]\n", [("prose", "By \\\\( a \\\\) and\n\\\\[ b \\\\]", 1, 1)], [" a ", " b "]),
]  # fmt: skip


@pytest.mark.parametrize(("source", "blocks", "spans"), BLOCKS, ids=[b[0][:24] for b in BLOCKS])
def test_blocks(source: str, blocks: list[tuple[str, str, int, int]], spans: list[str]) -> None:
    document = read_text(source, "a.md")
    found = [(NAMES[type(b)], b.text.text, b.place.line, b.place.column) for b in document.blocks]
    assert found == blocks
    assert [s.source for s in document.spans] == spans
    assert document.problems == ()
    assert {b.language for b in document.code} <= {None, "python"}


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("Query: $q^{(i)} = x^{(i)}\\,W_q $", ["q^{(i)} = x^{(i)}\\,W_q "]),
        ("the width $ d $ and $ n$ of $x $", [" d ", "x "]),
        ("it costs $5 or $ 6 $ more", []),
        ("set $HOME and my_var $PATH", []),
        ("from $ 5 to x = $ 6", []),
        ("the price $x and the cost y_1 $ of it", []),
    ],
)
def test_inner_spaces(text: str, spans: list[str]) -> None:
    assert [s.source for s in read_text(text, "a.md").spans] == spans


# --- macros of a site -----------------------------------------------------------------------------------------------

MYST = "project:\n  math:\n    '\\R': '\\mathbb{R}'\n    '\\vec':\n      macro: '\\mathbf{#1}'\n      title: x\n"
BOOK = 'sphinx:\n  config:\n    mathjax3_config:\n      tex:\n        macros:\n          N: "\\\\mathbb{N}"  # c\n          abs: ["\\\\lvert#1\\\\rvert", 1]\n'
PAGE = (
    "<script>window.MathJax = { tex: { macros: { RR: '{\\\\bf R}', bold: ['{\\\\bf #1}', 1], 'x1': 'n' } } };</script>"
)


def test_macros_of_configurations() -> None:
    assert {k: (m.arguments, m.body) for k, m in macros_of_text(MYST).items()} == {
        "R": (0, "\\mathbb{R}"),
        "vec": (1, "\\mathbf{#1}"),
    }
    assert {k: (m.arguments, m.body) for k, m in macros_of_text(BOOK).items()} == {
        "N": (0, "\\mathbb{N}"),
        "abs": (1, "\\lvert#1\\rvert"),
    }
    assert {k: m.body for k, m in macros_of_script(PAGE).items()} == {"RR": "{\\bf R}", "bold": "{\\bf #1}"}


@pytest.mark.parametrize("name", [c for c in CONFIGURATIONS if c.endswith(".yml")])
def test_configurations_beside_a_document(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(MYST)
    path = tmp_path / "a.md"
    path.write_text("Let $x \\in \\R$.")
    assert read(path).macros_at(0)["R"].body == "\\mathbb{R}"
    assert read_text(path.read_text(), "a.md").macros == ()


def test_macros_of_a_header_and_of_a_page() -> None:
    assert "R" in read_text("---\nmath:\n  '\\R': '\\mathbb{R}'\n---\n$\\R$", "a.md").macros_at(0)
    assert "RR" in read_text(PAGE + "\n\n$\\RR$", "a.md").macros_at(0)


@pytest.mark.parametrize(
    "text",
    ["a: &x\n  b\n", "- a\n- b: c\n", "a: |\n  macros:\n    R: x\n", "? a\n: b\n", ": :\n", "a: [", "macros: 3", "\tmacros:\n\tR: 'x"],
)  # fmt: skip
def test_other_yaml_is_passed_over(text: str) -> None:
    assert isinstance(read_yaml(text), dict)
    assert macros_of_text(text) == {} or "R" in macros_of_text(text)


@pytest.mark.parametrize("content", [b"\xff", b"math: " * 300_000, b"macros: {" * 1000])
def test_configurations_that_cannot_be_read_give_nothing(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "myst.yml").write_bytes(content)
    (tmp_path / "a.md").write_text("$x$")
    assert read(tmp_path / "a.md").macros == ()


# --- Python files ---------------------------------------------------------------------------------------------------

MODULE = r'''
"""Weights: $w_i = \exp(x_i)$."""

import numpy as np

# The total is $s = \sum_{i=1}^n w_i$,
# and not its mean.
LIMIT = 3  # $5

def double(x):
    """The double of the numbers, escaped: :math:`y_i = \\alpha x_i`.

    .. math::
        :label: e

        z_i = y_i + y_i

        \\\\ z_i = 2 y_i
    """
    return 2 * x


class Layer:
    r"""
    .. math:: h_i = \tanh(x_i)
    """

    def plain(self):
        """Nothing here."""
        # derivations: h: (n)
        return 1  # the $ sign
'''


@pytest.mark.parametrize(
    ("docstring", "source"),
    [
        (r'"""$$\begin{align} a &= \frac{b}{c} \\ &= d \end{align}$$"""', r"\begin{align} a &= \frac{b}{c} \\ &= d \end{align}"),
        (r'"""$$\\begin{align} a &= \\frac{b}{c} \\\\ &= d \\end{align}$$"""', r"\begin{align} a &= \frac{b}{c} \\ &= d \end{align}"),
    ],
)  # fmt: skip
def test_backslashes_of_a_docstring(docstring: str, source: str) -> None:
    """As the file shows them where commands have one backslash, else as Python reads them."""
    (part,) = read_text(f"def f():\n    {docstring}\n", "a.py").parts
    assert [" ".join(s.source.split()) for s in part.spans] == [source]


def test_docstrings_and_comments_are_parts() -> None:
    document = read_text(MODULE.lstrip("\n"), "a.py")
    assert document.format == "python"
    assert document.blocks == ()
    sources = [[" ".join(s.source.split()) for s in part.spans] for part in document.parts]
    assert sources == [
        ["w_i = \\exp(x_i)", "s = \\sum_{i=1}^n w_i"],
        ["y_i = \\alpha x_i", "z_i = y_i + y_i \\\\ z_i = 2 y_i"],
        ["h_i = \\tanh(x_i)"],
        [],
    ]
    assert [part.title for part in document.parts] == ["", "double", "Layer", "plain"]
    assert [len(part.code) for part in document.parts] == [2, 1, 1, 1]


def test_places_in_a_python_file() -> None:
    source = MODULE.lstrip("\n")
    lines = source.split("\n")
    for part in read_text(source, "a.py").parts:
        for span in part.spans:
            for offset, character in enumerate(span.source):
                place = span.locate(offset)
                if not character.isspace():
                    assert lines[place.line - 1][place.column - 1] == character
        for code in part.code:
            place = code.text.locate(len(code.text.text) - 1)
            assert lines[place.line - 1][place.column - 1] == code.text.text[-1]


def test_a_file_that_is_not_python() -> None:
    document = read_text("def f(:\n# but $a = b$\n", "a.py")
    assert [p.code for p in document.problems] == ["not-python"]
    assert [s.source for part in document.parts for s in part.spans] == ["a = b"]


def test_names_of_two_functions_are_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        'def f(x):\n    """The value $y = x + 1$; then $y - 1 = x$."""\n\ndef g(x):\n    """The value $y = x + 2$."""\n'
    )
    report, errors = check.check_documents([path], device="cpu", numbers=False)
    validate(report)
    assert not errors
    found = [(i["id"], i["where"]["line"], i["status"]) for i in report["documents"][0]["items"] if i["kind"] != "code"]
    assert found == [("eq-1", 2, "defined"), ("eq-2", 2, "proved"), ("eq-3", 5, "defined")]
