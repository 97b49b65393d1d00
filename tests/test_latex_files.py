"""LaTeX files: environments, macros, further files, code, words, and the place of everything."""

from pathlib import Path

import pytest
from derivations.reports.model import validate
from derivations.reports.run import check

from derivations.documents import read, read_text
from derivations.documents.model.document import Code, Heading, HtmlComment, Prose
from derivations.latex.syntax.macro_definitions import Macros, matching_braces
from derivations.latex.syntax.reader import read_equation


def spans(source: str) -> list[str]:
    return [s.source for s in read_text(source, "a.tex").spans]


def items(path: Path) -> list[dict]:
    report, errors = check.check_documents([path], device="cpu", numbers=False)
    assert not errors
    validate(report)
    return [i for d in report["documents"] for i in d["items"]]


MATH = [
    (r"a $x_i$ b \(y\) c \[z\] d $$w$$ e", ["x_i", "y", "z", "w"]),
    (r"$a \text{ if $b$ } c$ and $d$", [r"a \text{ if $b$ } c", "d"]),
    (r"it costs \$5, not \$6; $x$", ["x"]),
    ("\\[a \\\\[2pt] b\\]", ["a \\\\[2pt] b"]),
    ("% $c$\n$d$ 50\\% $e$", ["d", "e"]),
    (r"\verb|$x$| and \texttt{a\_b} and $y$", ["y"]),
    ("\\begin{verbatim}\n$x$ % y\n\\end{verbatim}\n$z$", ["z"]),
    ("\\begin{comment}\n$x$\n\\end{comment}\n$z$", ["z"]),
    (r"\iffalse $x$ \ifx a b $y$ \fi $z$ \fi $w$", ["w"]),
    (r"\footnote{Here $a = b$.} $c$ \caption{With $d$}", ["c", "a = b", "d"]),
    (r"\href{http://x_y}{$a$} \textcolor{red}{$b$} \label{eq:$}", ["a", "b"]),
    ("\\begin{tabular}{l|c}\n$a$ & $b$ \\\\\n\\end{tabular}", ["a", "b"]),
    ("\\begin{theorem}[Name]\nLet $a$.\n\\end{theorem}", ["a"]),
    ("\\begin{IEEEeqnarray}{rCl}\na &=& b\n\\end{IEEEeqnarray}", ["\na &=& b\n"]),
    ("\\begin{algorithm}\n$s = s + x$\n\\end{algorithm}$z$", ["z"]),
    ("\\begin{tikzpicture}\n\\node {$x$};\n\\end{tikzpicture}$z$", ["z"]),
]


@pytest.mark.parametrize(("source", "found"), MATH, ids=[m[0][:30] for m in MATH])
def test_mathematics_of_a_text(source: str, found: list[str]) -> None:
    assert spans(source) == found


ENVIRONMENTS = [
    "equation", "equation*", "align", "align*", "gather", "gather*", "multline", "multline*", "flalign", "eqnarray",
    "eqnarray*", "displaymath", "math",
]  # fmt: skip


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_environments_are_read_whole(name: str) -> None:
    body = "a &= b \\label{eq:1}" if name.startswith(("align", "flalign")) else "a = b \\label{eq:1}"
    source = f"Then\n\\begin{{{name}}}\n  {body}\n\\end{{{name}}}\nholds."
    (span,) = read_text(source, "a.tex").spans
    assert (span.place.line, span.place.column, span.display) == (2, 1, True)
    assert [r.chain.links[0][0] for r in read_equation(span.source)] == ["="]


@pytest.mark.parametrize(
    ("source", "relations"),
    [
        (r"\begin{equation}\begin{split} a &= b \\ &= c \end{split}\end{equation}", 2),
        (r"\begin{alignat}{2} a &= b &\qquad c &= d \end{alignat}", 2),
        (r"\begin{subequations}\begin{align} a &= b \\ c &= d \end{align}\end{subequations}", 2),
        (r"\begin{dmath} a = b = c \end{dmath}", 2),
    ],
)
def test_layered_environments(source: str, relations: int) -> None:
    (text,) = spans(source)
    assert sum(len(r.chain.links) for r in read_equation(text)) == relations


DEFINITIONS = [
    (r"\newcommand{\R}{\mathbb{R}}", r"\R^n", r"\mathbb{R}^n"),
    (r"\newcommand\R{\mathbb{R}}", r"\R", r"\mathbb{R}"),
    (r"\newcommand*{\norm}[1]{\|#1\|}", r"\norm{x}", r"\|x\|"),
    (r"\renewcommand{\vec}[1]{\mathbf{#1}}", r"\vec x", r"\mathbf{x}"),
    (r"\newcommand{\q}[2][i]{q_{#1}^{#2}}", r"\q{2} + \q[j]{3}", r"q_{i}^{2} + q_{j}^{3}"),
    (r"\def\vx{{\bm{x}}}", r"\vx_i", r"{\bm{x}}_i"),
    (r"\DeclareMathOperator{\sm}{softmax}", r"\sm(x)", r"\operatorname{softmax}(x)"),
    (r"\DeclareMathOperator*{\argmax}{arg\,max}", r"\argmax x", r"\operatorname*{arg\,max} x"),
    (r"\DeclarePairedDelimiter{\abs}{\lvert}{\rvert}", r"\abs{x}", r"\lvert x\rvert "),
    (r"\NewDocumentCommand{\h}{O{1} m}{h_{#1}(#2)}", r"\h{x}", "h_{1}(x)"),
    (r"\let\eps\varepsilon", r"\eps + 1", r"\varepsilon  + 1"),
    (r"\let\old\vec \renewcommand{\vec}[1]{\old{\mathbf{#1}}}", r"\vec{x}", r"\vec{x}"),
    ("\\newcommand{\\A}{% a comment\n  \\mathbf{A}\\xspace}", r"\A", r"\mathbf{A}"),
]


@pytest.mark.parametrize(("definition", "use", "expanded"), DEFINITIONS, ids=[d[0][:34] for d in DEFINITIONS])
def test_macros_of_the_preamble(definition: str, use: str, expanded: str) -> None:
    from derivations.latex.syntax.lexer import expand_macros

    document = read_text(f"{definition}\n\\begin{{document}}\n${use}$\n\\end{{document}}", "a.tex")
    assert [s.source for s in document.spans] == [use]
    assert expand_macros(use, document.macros_at(0)) == expanded


def test_a_macro_means_what_it_means_at_its_place() -> None:
    document = read_text("\\newcommand{\\x}{a}\n$\\x$\n\n\\renewcommand{\\x}{b}\n\n$\\x$ $\\y$\n\n\\def\\y{c}", "a.tex")
    bodies = [document.macros_at(k)["x"].body for k in range(2)]
    assert bodies == ["a", "b"]
    assert (
        document.macros_at(0)["y"].body == "c"
    )  # defined later, known before: MathJax would refuse it, a person would not


def test_macros_of_a_notebook_reach_later_cells() -> None:
    document = read_text("$$\\newcommand{\\R}{\\mathbb{R}}$$\n\nLet $x \\in \\R$.", "a.md")
    assert document.macros_at(1)["R"].body == "\\mathbb{R}"


def test_macros_that_begin_and_end_displays() -> None:
    source = "\\def\\be{\\begin{equation}}\\def\\ee{\\end{equation}}\n\\be a = b \\ee then \\be c = d \\ee"
    document = read_text(source, "a.tex")
    assert [s.source for s in document.spans] == ["\\be a = b \\ee", "\\be c = d \\ee"]
    assert [len(read_equation(s.source, document.macros_at(s.index))) for s in document.spans] == [1, 1]


def test_every_character_of_a_span_is_where_it_says() -> None:
    source = (
        "\\title{T $t$}\n\\begin{document}\n\\section{S $s$}\nThe \\emph{word} $a % x\n + b$ and\n\\begin{align}\n a &= b \\\\ % c\n"
        " &= c\n\\end{align}\n\\footnote{see $d$}\n\\item $e$ \\end{document}"
    )
    lines = source.split("\n")
    document = read_text(source, "a.tex")
    assert len(document.spans) == 6
    for span in document.spans:
        for offset, character in enumerate(span.source):
            place = span.locate(offset)
            if character not in "\n ":
                assert lines[place.line - 1][place.column - 1] == character


def test_words_are_those_of_the_text() -> None:
    source = (
        "\\section*{The weights}\n\\noindent By~\\eqref{eq:a} \\cite[p.~3]{b}, the \\emph{rows} of ``$A$'' sum to\\ one"
        " \\texttt{attn\\_w}.\n\n\\begin{itemize}\n\\item One \\& two\\footnote{Note.}\n\\item Three\n\\end{itemize}"
    )
    document = read_text(source, "a.tex")
    assert isinstance(document.blocks[0], Heading)
    words = [" ".join(b.words.split()) for b in document.blocks if isinstance(b, Prose)]
    assert words == [
        'By \\eqref{eq:a} , the rows of "⟦0⟧" sum to one `attn_w`.',
        "One & two",
        "Note.",
        "Three",
    ]


def test_sections_nest() -> None:
    document = read_text("\\title{T}\\section{A}x\n\n\\subsection{B}y\n\n\\section{C}z", "a.tex")
    assert [b.section for b in document.blocks if isinstance(b, Prose)] == [("T", "A"), ("T", "A", "B"), ("T", "C")]
    assert document.title == "T"


CODE = [
    ("\\begin{lstlisting}[language=Python, caption={A}]\nx = 1  # 5 %\n\\end{lstlisting}", "python", "x = 1  # 5 %"),
    ("\\begin{minted}[fontsize=\\small]{python}\ny = '$a$'\n\\end{minted}", "python", "y = '$a$'"),
    ("\\begin{verbatim}\nplain\n\\end{verbatim}", None, "plain"),
]


@pytest.mark.parametrize(("source", "language", "text"), CODE)
def test_listings_are_code(source: str, language: str | None, text: str) -> None:
    (block,) = read_text(source, "a.tex").blocks
    assert isinstance(block, Code)
    assert (block.language, block.text.text, block.place.line, block.place.column) == (language, text, 2, 1)


def test_declarations_stand_in_comments() -> None:
    document = read_text("% derivations: Q: (n, d)\nText % derivations: off\n% only words\nmore", "a.tex")
    comments = [b for b in document.blocks if isinstance(b, HtmlComment)]
    assert [(c.text.text, c.place.line, c.place.column) for c in comments] == [
        (" derivations: Q: (n, d)", 1, 2),
        (" derivations: off", 2, 7),
    ]


PROBLEMS = [
    ("$a = b\n\n$c$", "unclosed-math", 1, ["c"]),
    ("x\n\\[a = b\n\n$c$", "unclosed-math", 2, ["c"]),
    ("\\begin{align} a = b\n\n$c$", "unclosed-math", 1, ["c"]),
    ("\\begin{lstlisting}\n$c$", "unclosed-fence", 1, ["c"]),
    ("\\iffalse $c$", "unclosed-conditional", 1, ["c"]),
    ("\\input{other} $c$", "input-missing", 1, ["c"]),
    ("\\begin{algorithmic}\n$s = s + 1$\n\\end{algorithmic} $c$", "pseudo-code", 1, ["c"]),
]


@pytest.mark.parametrize(("source", "code", "line", "found"), PROBLEMS)
def test_what_is_not_read_is_said_and_the_rest_is_read(source: str, code: str, line: int, found: list[str]) -> None:
    document = read_text(source, "a.tex")
    assert [(p.code, p.place.line) for p in document.problems] == [(code, line)]
    assert [s.source for s in document.spans] == found


# --- further files --------------------------------------------------------------------------------------------------


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".tex")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "main.tex"


def test_files_are_read_where_they_are_named(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main="\\usepackage{own}\\input{macros}\\begin{document}\n$a$ \\input{parts/one} $c$ \\include{two}\\end{document}",
        macros="\\newcommand{\\R}{\\mathbb{R}} $not here$",
        parts__one="\\section{One}\n$b \\in \\R$\n\\input{parts/deep}",
        parts__deep="$e$",
        two="$d$",
    )
    (tmp_path / "own.sty").write_text("\\newcommand{\\own}{x}")
    document = read(main)
    assert [(s.source, Path(s.place.path).name, s.place.line) for s in document.spans] == [
        ("a", "main.tex", 2),
        ("b \\in \\R", "one.tex", 2),
        ("e", "deep.tex", 1),
        ("c", "main.tex", 2),
        ("d", "two.tex", 1),
    ]
    assert set(document.macros_at(0)) == {"R", "own"}
    assert document.problems == ()
    assert [Path(p).name for p in document.files] == ["one.tex", "deep.tex", "two.tex"]


@pytest.mark.parametrize(
    ("name", "code"),
    [("../outside", "input-outside"), ("/etc/hostname", "input-outside"), ("main", "input-cycle"), ("gone", "input-missing"),
     ("ring", "input-cycle"), ("link", "input-outside"), ("bytes", "encoding"), ("itself", "input-missing"),
     ("x" * 6000, "input-missing"), ("folder", "input-missing")],
)  # fmt: skip
def test_files_that_are_refused(name: str, code: str, tmp_path: Path) -> None:
    folder = tmp_path / "doc"
    main = write(folder, main=f"\\input{{{name}}} $x$", ring="\\input{ring}")
    (tmp_path / "outside.tex").write_text("$secret$")
    (folder / "link.tex").symlink_to(tmp_path / "outside.tex")
    (folder / "itself.tex").symlink_to("itself.tex")
    (folder / "folder.tex").mkdir()
    (folder / "bytes.tex").write_bytes(b"\xff\xfe")
    document = read(main)
    assert [p.code for p in document.problems] == [code]
    assert [s.source for s in document.spans] == ["x"]


def test_files_of_one_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    main = write(tmp_path / "week1", main="\\input{../macros}\\begin{document}$a \\in \\R$\\end{document}")
    (tmp_path / "macros.tex").write_text("\\newcommand{\\R}{\\mathbb{R}}")
    document = read(main)
    assert document.problems == ()
    assert "R" in document.macros_at(0)


def test_a_file_that_is_closed_to_us_costs_no_more_than_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main = write(tmp_path, main="\\input{other} $x$", other="$y$")
    read_bytes = Path.read_bytes

    def closed(self: Path) -> bytes:
        if self.name == "other.tex":
            raise PermissionError(13, "Permission denied", str(self))
        return read_bytes(self)

    monkeypatch.setattr(Path, "read_bytes", closed)
    document = read(main)
    assert [(p.code, p.message) for p in document.problems] == [
        ("input-missing", "needed the file 'other.tex', found: Permission denied")
    ]
    assert [s.source for s in document.spans] == ["x"]


def test_text_alone_reads_no_files() -> None:
    assert [p.code for p in read_text("\\input{/etc/hostname}", "a.tex").problems] == ["input-missing"]


def test_a_report_has_a_part_for_each_file(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main="\\title{T}\\begin{document}$$a = b + c$$\n\\input{one}\n$$ a = b - c $$\\end{document}",
        one="\n\nHence\n$$a = c + b$$",
    )
    report, errors = check.check_documents([main], device="cpu", numbers=False)
    validate(report)
    assert not errors
    found = [(Path(d["path"]).name, i["where"]["line"], i["status"]) for d in report["documents"] for i in d["items"]]
    assert found == [("main.tex", 1, "defined"), ("main.tex", 3, "refuted"), ("one.tex", 4, "proved")]
    assert "uses eq-1 of" in report["documents"][1]["items"][0]["notes"][-1]


# --- end to end -----------------------------------------------------------------------------------------------------

PAPER = r"""
\documentclass{article}
\usepackage{amsmath}
\newcommand{\R}{\mathbb{R}}
\newcommand{\mat}[1]{\boldsymbol{#1}}
\newcommand{\Q}{\mat{Q}}
\newcommand{\K}{\mat{K}}
\DeclareMathOperator{\softmax}{softmax}
\begin{document}
\section{Weights}
Let $\Q, \K \in \R^{n \times d}$. The scores and weights are
\begin{align}
  S_{ij} &= \frac{1}{\sqrt{d}} \sum_{c=1}^{d} \Q_{ic} \K_{jc}, \label{eq:s} \\
  P_{ij} &= \frac{\exp(S_{ij})}{\sum_{k=1}^{n} \exp(S_{ik})}. % the weights
\end{align}
Each row of $P$ sums to one. Also
\begin{equation}
\begin{split}
  \sum_{j=1}^{n} P_{ij} &= 1
\end{split}
\end{equation}
but $\sum_{i=1}^{n} P_{ij} = 1$.
\end{document}
"""


def test_a_paper_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "paper.tex"
    path.write_text(PAPER.lstrip("\n"))
    found = [(i["kind"], i["where"]["line"], i["status"]) for i in items(path)]
    assert ("definition", 12, "defined") in found
    assert ("definition", 13, "defined") in found
    assert ("prose", 15, "proved") in found
    assert ("claim", 18, "proved") in found
    assert ("claim", 21, "refuted") in found
    proved = next(i for i in items(path) if i["where"]["line"] == 18 and i["status"] == "proved")
    assert proved["steps"]
    assert not any("\\Q" in s["term"] or "\\mat" in s["term"] for s in proved["steps"])


# --- bounds ---------------------------------------------------------------------------------------------------------

LARGE = [
    "{" * 200_000,
    "$" * 200_001,
    "\\[" * 100_000,
    "$$a" * 50_001,
    "\\begin{align}" * 20_000,
    "\\footnote{" * 20_000,
    "\\section{" * 20_000,
    "\\verb|" * 50_000,
    "\\iffalse" * 5_000,
    "\\def\\a{" * 20_000,
    "\\newcommand{\\a}{b} $x$ " * 5_000,
    "\\begin{equation}a = b\\end{equation}\n" * 10_000,
    "%" * 100_000 + "\n% derivations: x" * 5_000,
]


@pytest.mark.parametrize("source", LARGE, ids=[s[:20] for s in LARGE])
def test_large_and_broken_files_take_bounded_time(source: str) -> None:
    """Quadratic work would take minutes here; the speed itself is measured in benchmarks."""
    assert read_text(source, "a.tex").format == "latex"


def test_matching_braces_ignore_escaped_ones() -> None:
    assert matching_braces(r"\{ { \} } }") == {3: 8}


def test_definitions_that_are_not_read_are_left_alone() -> None:
    macros = Macros()
    for text in (r"\def\a#1.{b}", r"\newcommand{\a", r"\newcommand{\a@b}{c}", r"\NewDocumentCommand{\a}{s m}{x}"):
        macros.take(text, matching_braces(text), 0)
    assert macros.known == {}
