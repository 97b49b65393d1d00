"""MathML and LaTeX of formulas: every row of the table of symbols, well-formed output, no crash on anything."""

import random
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from derivations.reports.html.mathml import letter, write_mathml
from derivations.reports.layout.reader import DEPTH_LIMIT, LENGTH_LIMIT, read_layout
from derivations.reports.tex.article import PREAMBLE
from derivations.reports.tex.formulas import FALLBACKS, Unprintable, write_tex_math

from derivations.latex.syntax.symbols import ALL, CHARACTERS, COMMANDS, TYPED, UNICODE, Kind, Symbol


def used(row: Symbol) -> str:
    """The symbol of a row where it can stand."""
    if row.kind in {Kind.ACCENT, Kind.FONT} or row.arguments:
        return f"a {row.tex}{{x}} b"
    return f"a {row.tex} b"


def body(latex: str, *, display: bool = True) -> ET.Element:
    """The presentation markup of a formula, parsed."""
    root = ET.fromstring(write_mathml(latex, display=display))
    assert root.tag == "math"
    return root[0][0]


def text(latex: str) -> str:
    return "".join(body(latex).itertext())


@pytest.mark.parametrize("row", [*ALL, *TYPED], ids=lambda row: row.tex)
def test_every_symbol_is_written(row: Symbol) -> None:
    assert read_layout(used(row)).problems == ()
    shown = text(used(row))
    assert row.tex.startswith("\\") is (row in COMMANDS.values())
    assert "\\" not in shown.replace(row.text, "")
    if row.kind not in {Kind.SPACE, Kind.FONT, Kind.SWITCH, Kind.LAYOUT, Kind.ACCENT}:
        assert row.text in shown
    assert write_tex_math(used(row))


def test_names_are_unique_and_fallbacks_are_rows() -> None:
    assert len(ALL) == len(COMMANDS)
    assert len(TYPED) == len(CHARACTERS)
    assert set(FALLBACKS) <= set(COMMANDS)


# A typed prime or apostrophe is a superscript, its command a sign on the line.
TYPED_ALIKE = [character for character in UNICODE if character not in {"′", "’"}]


@pytest.mark.parametrize("character", TYPED_ALIKE, ids=lambda character: f"U+{ord(character):04X}")
def test_typed_unicode_is_its_command(character: str) -> None:
    row = UNICODE[character]
    assert write_tex_math(f"a{character}b") == write_tex_math(f"a {row.tex} b")


ALPHABETS = [
    ("mathbf", "Q", "𝐐"),
    ("boldsymbol", "Q", "𝑸"),
    ("mathbb", "R", "ℝ"),
    ("mathbb", "1", "𝟙"),
    ("mathcal", "L", "ℒ"),
    ("mathfrak", "H", "ℌ"),
    ("mathsf", "x", "𝗑"),
    ("mathtt", "x", "𝚡"),
    ("boldsymbol", "\\alpha", "𝜶"),
    ("boldsymbol", "\\epsilon", "𝝐"),
    ("mathbf", "\\Sigma", "𝚺"),
    ("mathbf", "\\Lambda", "𝚲"),
    ("mathbf", "1", "𝟏"),
]


@pytest.mark.parametrize(("font", "name", "expected"), ALPHABETS)
def test_alphabets_are_unicode_letters(font: str, name: str, expected: str) -> None:
    assert text(f"\\{font}{{{name}}}") == expected


@pytest.mark.parametrize("font", [row.name for row in ALL if row.kind is Kind.FONT and row.text != "normal"])
def test_no_alphabet_looks_like_plain_letters(font: str) -> None:
    assert write_mathml(f"\\{font}{{Q}}").partition("<annotation")[0] != write_mathml("Q").partition("<annotation")[0]
    element = body(f"\\{font}{{Q}}")
    assert (element.text, element.get("mathvariant")) != ("Q", None)


STRUCTURES = [
    (r"\frac12", "mfrac", ["mn", "mn"]),
    (r"x_i^2", "msubsup", ["mi", "mi", "mn"]),
    (r"x_i", "msub", ["mi", "mi"]),
    (r"x'", "mrow", ["mi", "mo"]),
    (r"x'_i", "msub", ["mrow", "mi"]),
    (r"x^{\top}", "msup", ["mi", "mi"]),
    (r"\sqrt{x}", "msqrt", ["mi"]),
    (r"\sqrt[3]{x}", "mroot", ["mi", "mn"]),
    (r"\sum_{i=1}^n", "munderover", ["mo", "mrow", "mi"]),
    (r"\sum\nolimits_i", "msub", ["mo", "mi"]),
    (r"\max_i", "munder", ["mi", "mi"]),
    (r"\operatorname*{softmax}_j", "munder", ["mi", "mi"]),
    (r"\operatorname{softmax}_j", "msub", ["mi", "mi"]),
    (r"\mathrm{softmax}", "mi", []),
    (r"\hat{x}", "mover", ["mi", "mo"]),
    (r"\underbrace{x}_{n}", "munder", ["munder", "mi"]),
    (r"\overset{a}{=}", "mover", ["mo", "mi"]),
    (r"\begin{aligned} a &= b \\ &= c \end{aligned}", "mtable", ["mtr", "mtr"]),
    (r"\begin{bmatrix} a & b \end{bmatrix}", "mrow", ["mo", "mtable", "mo"]),
    (r"\begin{cases} a & b \end{cases}", "mrow", ["mo", "mtable"]),
    (r"\left( x \right)", "mrow", ["mo", "mi", "mo"]),
    (r"\left. x \right|", "mrow", ["mi", "mo"]),
    (r"\phantom{x}", "mphantom", ["mi"]),
    (r"\text{if $x$}", "mrow", ["mtext", "mi"]),
    (r"a \\ b", "mtable", ["mtr", "mtr"]),
    (r"a \over b", "mfrac", ["mi", "mi"]),
    (r"\not=", "mo", []),
    (r"\color{red} x", "mi", []),
    (r"\textcolor{red}{x} \label{e} \nonumber", "mi", []),
    (r"$$x$$", "mi", []),
]


@pytest.mark.parametrize(("latex", "tag", "children"), STRUCTURES)
def test_structures(latex: str, tag: str, children: list[str]) -> None:
    assert read_layout(latex).problems == ()
    element = body(latex)
    assert (element.tag, [child.tag for child in element]) == (tag, children)
    assert write_tex_math(latex)


def test_limits_are_beside_in_a_line() -> None:
    assert body(r"\sum_i", display=False).tag == "msub"


OPERATORS = [
    ("a - b", "<mo>−</mo>"),
    ("-b", "<mo>−</mo>"),
    ("a = -b", '<mo>=</mo><mo lspace="0" rspace="0">−</mo>'),
    ("a , b", "<mo>,</mo>"),
    ("x_{a+b}", '<mo lspace="0" rspace="0">+</mo>'),
    ("x_{a,b}", '<mo rspace="0">,</mo>'),
    (r"\sum a", '<mo lspace="0">∑</mo>'),
    (r"x \sum a", "<mo>∑</mo>"),
    (r"x = \sum a", '<mo>=</mo><mo lspace="0">∑</mo>'),
    (r"x \mapsto \sum a", '<mo stretchy="false" lspace="0.2778em" rspace="0.2778em">↦</mo><mo lspace="0">∑</mo>'),
    (r"a \cdot b", '<mo lspace="0.2222em" rspace="0.2222em">⋅</mo>'),
    (r"a, \quad b", "<mo>,</mo>"),
    (r"\begin{aligned} a &= b \end{aligned}", "<mo>=</mo>"),
    (r"\begin{aligned} a &- b \end{aligned}", '<mo lspace="0.2222em" rspace="0.2222em">−</mo>'),
    (r"f(x)", '<mo stretchy="false">(</mo><mo stretchy="false">)</mo>'),
    (r"\exp\left(x\right)", '<mo stretchy="false">(</mo><mo stretchy="false">)</mo>'),
    (r"\exp\left(x^2\right)", "<mo>(</mo><mo>)</mo>"),
    (r"\exp\left(-x^2\right)", '<mo>(</mo><mo lspace="0" rspace="0">−</mo><mo>)</mo>'),
    (r"\left(a - x^2\right)", "<mo>(</mo><mo>−</mo><mo>)</mo>"),
    (r"|x|", '<mo stretchy="false" lspace="0" rspace="0">|</mo>' * 2),
]
"""Operators with the attributes that they need beside the dictionary of browsers."""


@pytest.mark.parametrize(("latex", "expected"), OPERATORS)
def test_operators_have_the_space_of_tex(latex: str, expected: str) -> None:
    assert "".join(re.findall("<mo[ >].*?</mo>", write_mathml(latex))) == expected
    assert [x for x in body(latex).iter("mspace") if x.get("width") != "1em"] == []


def test_space_between_what_is_no_operator_is_written() -> None:
    widths = [x.get("width") for x in body(r"\sin x \frac{a}{b}").iter("mspace")]
    assert widths == ["0.1667em", "0.1667em"]


def test_brackets_of_a_label_are_text() -> None:
    assert "<mrow><mtext>(</mtext><mi>i</mi><mtext>)</mtext></mrow>" in write_mathml("x^{(i)}")
    assert "mtext" not in write_mathml("x^{(i)(j)} + f(x)")


def test_limits_that_are_asked_for_are_not_moved() -> None:
    assert '<munder><mo lspace="0" movablelimits="false">∑' in write_mathml(r"\sum\limits_i x", display=False)
    assert "movablelimits" not in write_mathml(r"\sum\limits_i x")


TOLERATED = [
    ("}", "} out of place"),
    ("{", "{ without its partner"),
    ("a & b } c", "} out of place"),
    (r"\left( x", r"\left without \right"),
    (r"x \right)", r"\right out of place"),
    (r"\begin{aligned} x", r"\begin{aligned} without \end"),
    (r"\begin{aligned} x \end{align}", r"\begin{aligned} ended by \end{align}"),
    (r"\end{aligned}", r"\end out of place"),
    (r"\begin{tikzpicture} x \end{tikzpicture}", "unknown environment tikzpicture"),
    (r"\frac{a}", "a missing argument"),
    (r"x^", "a missing argument"),
    (r"x_i_j", "a double _"),
    (r"x^^a", "^ where an argument is due"),
    (r"\foo", r"unknown command \foo"),
    ("\\", "a backslash at the end"),
    ("#", "the character '#'"),
    (r"\hspace{much}", "a length that is not understood"),
    (r"\text{\foo}", r"unknown command \foo in text"),
    ("{" * 100 + "x" + "}" * 100, f"nested deeper than {DEPTH_LIMIT} levels"),
    (r"\hat" * 200 + "x", f"nested deeper than {DEPTH_LIMIT} levels"),
    (r"\text{$" * 100, "{ without its partner"),
    ("x" * (LENGTH_LIMIT + 1), f"longer than {LENGTH_LIMIT} characters"),
]


@pytest.mark.parametrize(("latex", "problem"), TOLERATED, ids=[row[1] for row in TOLERATED])
def test_anything_is_shown_and_what_is_wrong_is_said(latex: str, problem: str) -> None:
    assert problem in read_layout(latex).problems
    ET.fromstring(write_mathml(latex))
    with pytest.raises(Unprintable):
        write_tex_math(latex)


def test_unknown_commands_are_shown_as_typed() -> None:
    assert r"\foo" in text(r"a + \foo{x}")


def test_source_is_kept_and_escaped() -> None:
    root = ET.fromstring(write_mathml('a < "b" & c'))
    assert root.get("alttext") == 'a < "b" & c'
    assert root[0][1].text == 'a < "b" & c'


PIECES = [
    *(row.tex for row in ALL), *"{}[]()&^_'#$%~|<>", "\\\\", "\\left(", "\\right)", "\\frac", "\\sqrt",
    "\\begin{aligned}", "\\end{aligned}", "\\begin{pmatrix}", "\\end{pmatrix}", "\\text{", "\\mathbf{", "\\over",
    "\\middle|", "\\not", " ", "\x00", "é", "𝒜", "12", "x",
]  # fmt: skip


def test_any_sequence_of_pieces_is_well_formed() -> None:
    source = random.Random(20260501)
    rebuilt = 0
    for _ in range(400):
        latex = "".join(source.choice(PIECES) for _ in range(source.randint(1, 25)))
        ET.fromstring(write_mathml(latex))
        try:
            again = write_tex_math(latex)
        except Unprintable:
            continue
        rebuilt += 1
        assert read_layout(again).problems == (), latex
        assert again.count("{") - again.count("\\{") == again.count("}") - again.count("\\}")
    assert rebuilt > 5


def test_letters_without_an_alphabet_stay() -> None:
    assert letter("é", "bold") == "é"
    assert letter("+", "bold") == "+"


def test_every_symbol_compiles(tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    lines = [f"${write_tex_math(used(row))}$" for row in ALL]
    lines += [f"\\[{write_tex_math(latex)}\\]" for latex, _, _ in STRUCTURES]
    source = tmp_path / "symbols.tex"
    source.write_text("\n\n".join([PREAMBLE + "\\begin{document}", *lines, "\\end{document}"]), encoding="utf-8")
    command = ["pdflatex", "-no-shell-escape", "-interaction=nonstopmode", source.name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert [line for line in done.stdout.splitlines() if line.startswith("!")] == []
    assert done.returncode == 0
