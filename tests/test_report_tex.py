"""The LaTeX report: nothing of a document becomes a command, and it compiles."""

import json
import re
import shutil
from pathlib import Path

import pytest
from derivations.reports.escape import clean, tex, tex_verbatim
from derivations.reports.model import SCHEMA, ReportError, read_report
from derivations.reports.tex import article as tex_report
from derivations.reports.tex.article import compile_pdf, formula, prose, write_tex

from derivations.latex.syntax.symbols import COMMANDS

GOLDEN = Path(__file__).with_name("data") / "report.json"

ATTACKS = [
    r"\input{/etc/passwd}",
    r"\immediate\write18{ls}",
    r"\catcode`\@=11",
    r"\def\x{\x\x}\x",
    r"\end{document}",
    r"\begin{verbatim} x \end{verbatim}",
    r"x \] \input{a} \[",
    "}} \\input a",
    "{{{",
    "^^5cinput{a}",
    "100% of #1 & $x_1$ ~ \\",
    "a\n\n\\par b",
    "$\\foo$ and `\\bar{}`",
    "\\text{\\input{a}}",
    "\\text{a} $ \\input{b} $",
    "\\mathbf{\\csname input\\endcsname a}",
    "\\operatorname{x}{}\\input{a}",
    "\\begin{array}{@{\\input{a}}c} x \\end{array}",
    "\\hspace{1em\\input{a}}",
    "\\left\\input{a} x \\right)",
    "\x00\x1b\ud800\u202e é ∑ 𝒜 😀 ⊤ Ω ħ",
    "a \\\\[1em] [b]",
    "--- '' `` ,, << >> ?` !`",
]
"""Strings that would do something, or break the run, if they reached TeX as they are."""

OURS = frozenset(
    re.findall(r"\\([A-Za-z]+)", Path(tex_report.__file__).read_text(encoding="utf-8"))
    + re.findall(r"\\([A-Za-z]+)", Path(tex_report.__file__).with_name("formulas.py").read_text(encoding="utf-8"))
    + re.findall(r"\\([A-Za-z]+)", Path(tex_report.__file__).parent.with_name("escape.py").read_text(encoding="utf-8"))
)
BUILT_LIST = """
mathrm mathbf mathit boldsymbol mathbb mathcal mathfrak mathsf mathtt textbf textit texttt textsf frac dfrac tfrac
binom dbinom tbinom mathop mathrel mathbin mathopen mathclose mathpunct displaystyle textstyle scriptstyle middle not
begin end big bigl bigr bigm Big Bigl Bigr Bigm bigg biggl biggr biggm Bigg Biggl Biggr Biggm
"""
BUILT = frozenset(BUILT_LIST.split())
"""Commands whose names the writer puts together."""


def attacked(attack: str) -> dict:
    report = read_report(GOLDEN)
    document = report["documents"][0]
    document["path"] = document["title"] = attack
    for item in document["items"]:
        for key in ("source", "read", "reason", "suggestion"):
            item[key] = attack
        item["notes"] = [attack]
        item["steps"] = [{"relation": attack, "term": attack, "reason": attack, "rule": attack}] * 2
        item["assumptions"] = [{"text": attack, "origin": "document", "where": None}]
        if item["counterexample"] is not None:
            item["counterexample"] |= {"left": attack, "right": attack}
            item["counterexample"]["inputs"] = {attack: [[attack]], "x": {attack: attack}, "y": [[[attack]]]}
            item["counterexample"]["at"] = item["counterexample"]["sizes"] = {attack: 1}
    for check in report["run"]["checks"]:
        check |= {"document": attack, "item": attack, "backend": attack, "device": attack, "dtype": attack}
    report["run"] |= {"skipped": [{"what": attack, "reason": attack}]}
    return report


@pytest.mark.parametrize("attack", ATTACKS)
def test_only_commands_that_we_write(attack: str) -> None:
    written = write_tex(attacked(attack))
    commands = set(re.findall(r"\\([A-Za-z]+)", written.replace("\\\\", "\\relax ")))
    assert commands <= OURS | BUILT | set(COMMANDS)
    assert commands.isdisjoint({"input", "write", "immediate", "catcode", "csname", "def", "include", "openin", "read"})
    assert written.count(r"\begin{document}") == written.count(r"\end{document}") == 1
    assert "^^" not in written
    plain = written.replace("\\\\", "").replace("\\{", "").replace("\\}", "")
    assert plain.count("{") == plain.count("}")
    # Every percent sign of the body is escaped: those of the preamble end a line on purpose.
    body = written[written.index(r"\begin{document}") :]
    assert re.findall(r"(?<!\\)[%#]", body) == []
    assert body.isascii() or not re.search("[\x00-\x08\x0e-\x1f\ud800-\udfff\u202e]", body)


@pytest.mark.parametrize("attacks", [ATTACKS[:12], ATTACKS[12:]], ids=["first", "second"])
def test_attacks_compile_to_harmless_text(attacks: list[str], tmp_path: Path) -> None:
    if shutil.which("latexmk") is None:
        pytest.skip("latexmk is not installed")
    report = attacked(attacks[0])
    report["documents"] += [attacked(attack)["documents"][0] for attack in attacks[1:]]
    for status in report["summary"]:
        report["summary"][status] *= len(attacks)
    path = tmp_path / "report.tex"
    path.write_text(write_tex(report), encoding="utf-8")
    pdf = compile_pdf(path)
    assert pdf is not None
    assert pdf.is_file()


def test_sample_compiles(tmp_path: Path) -> None:
    if shutil.which("latexmk") is None:
        pytest.skip("latexmk is not installed")
    path = tmp_path / "report.tex"
    path.write_text(write_tex(read_report(GOLDEN)), encoding="utf-8")
    assert compile_pdf(path) == path.with_suffix(".pdf").resolve()


WIDE = {
    "factors": r" \cdot ".join([r"\frac{\exp(Q_{ic} K_{jc})}{\sum_{k=1}^{n} \exp(Q_{ic} K_{kc})}"] * 9),
    "terms": " + ".join(f"a_{{{k}}}" for k in range(90)),
    "one fraction": r"\frac{" + " + ".join(f"x_{{{k}}}" for k in range(40)) + "}{n}",
    "one fraction, in no size": r"\frac{" + " + ".join(f"x_{{{k}}}" for k in range(400)) + "}{n}",
    "5,000 tokens": " + ".join(f"x_{{{k}}}" for k in range(1250)),
    "nested": r"\exp\left(" * 12 + " + ".join("abcdefghijklmnop" * 6) + r"\right)" * 12,
}
"""Terms that are wider than a page, in an increasing order of trouble."""


@pytest.mark.parametrize("what", WIDE)
def test_wide_steps_stay_on_the_page(what: str, tmp_path: Path) -> None:
    if shutil.which("latexmk") is None:
        pytest.skip("latexmk is not installed")
    report = read_report(GOLDEN)
    items = report["documents"][0]["items"]
    item = next(i for i in items if i["id"] == "eq-3")
    item["steps"] = [{"relation": "=", "term": WIDE[what], "reason": "a reason " * 9, "rule": "ring"}]
    item["source"] = WIDE[what]
    report["documents"][0]["title"] = "注意力的计算步骤" * 9
    found = next(i for i in items if i["id"] == "eq-4")["counterexample"]
    found["inputs"]["q"] = "independent entries: -2 with probability 1/2, 2 with probability 1/2; " * 3
    path = tmp_path / "report.tex"
    path.write_text(write_tex(report), encoding="utf-8")
    assert compile_pdf(path) is not None
    log = path.with_suffix(".log").read_text(encoding="utf-8", errors="replace")
    widths = [float(width) for width in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]
    assert [width for width in widths if width > 10] == []


@pytest.mark.parametrize("source", ["y" + "+y" * 2500, "\\frac{1}{" * 60 + "x" + "}" * 60, "z" * 3000])
def test_text_without_spaces_stays_on_the_page(source: str, tmp_path: Path) -> None:
    if shutil.which("latexmk") is None:
        pytest.skip("latexmk is not installed")
    report = read_report(GOLDEN)
    item = next(i for i in report["documents"][0]["items"] if i["status"] == "unread")
    item["source"] = source
    path = tmp_path / "report.tex"
    path.write_text(write_tex(report), encoding="utf-8")
    assert compile_pdf(path) is not None
    log = path.with_suffix(".log").read_text(encoding="utf-8", errors="replace")
    assert [width for width in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log) if float(width) > 10] == []


def test_the_examples_compile_without_a_wide_box_or_an_undefined_reference(tmp_path: Path) -> None:
    if shutil.which("latexmk") is None:
        pytest.skip("latexmk is not installed")
    known = json.loads(GOLDEN.with_name("examples.json").read_text(encoding="utf-8"))
    report = {**known, "schema": SCHEMA, "tool": {"name": "derivations", "version": "0"}, "run": {"checks": []}}
    path = tmp_path / "report.tex"
    path.write_text(write_tex(report), encoding="utf-8")
    assert compile_pdf(path) is not None
    log = path.with_suffix(".log").read_text(encoding="utf-8", errors="replace")
    boxes = [float(excess) for excess in re.findall(r"Overfull \\[hv]box \(([\d.]+)pt", log)]
    assert [excess for excess in boxes if excess > 10] == []
    assert "undefined" not in log.lower() and "Missing character" not in log


def test_many_checks_stay_on_their_pages(tmp_path: Path) -> None:
    if shutil.which("latexmk") is None:
        pytest.skip("latexmk is not installed")
    report = read_report(GOLDEN)
    report["run"]["checks"] = report["run"]["checks"][:1] * 200
    path = tmp_path / "report.tex"
    path.write_text(write_tex(report), encoding="utf-8")
    assert compile_pdf(path) is not None
    assert "Overfull" not in path.with_suffix(".log").read_text(encoding="utf-8", errors="replace")


def test_a_failed_run_says_what_latex_said(tmp_path: Path) -> None:
    if shutil.which("latexmk") is None:
        pytest.skip("latexmk is not installed")
    path = tmp_path / "broken.tex"
    path.write_text("\\documentclass{article}\\begin{document}\\nothing\\end{document}", encoding="utf-8")
    with pytest.raises(ReportError, match="latexmk failed: ! Undefined control sequence"):
        compile_pdf(path)


def test_without_latexmk_there_is_no_pdf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert compile_pdf(tmp_path / "report.tex") is None


def test_what_the_sample_says() -> None:
    written = write_tex(read_report(GOLDEN))
    for words in (
        "10 claims, 7 decided, 2 of them false.",
        r"\verdict{good}{Proved}{claim, all sizes}{eq-3, line 14}",
        r"\verdict{bad}{Refuted}{claim}{eq-4, line 18}",
        r"\verdict{cool}{Agrees numerically}",
        r"\step{=}{1}{\longreason{a quotient of equal terms that are not zero (\texttt{div\_self})}}",
        r"left side at j = 0: \textbf{1.1224593312018546}, right side: \textbf{1}",
        r"softmax runs over the last index \textcolor{soft}{(a reading that was chosen)}",
        r"eq-2 & torch & cpu & float32 & d = 16, n = 64 & $1.1\times 10^{-7}$ & $2.2\times 10^{-6}$ & \errorbound",
        r"CUDA: no device was found",
    ):
        assert words in written


def test_same_report_gives_the_same_text() -> None:
    assert write_tex(read_report(GOLDEN)) == write_tex(read_report(GOLDEN))


ESCAPED = [
    ("a_b", r"a\_b"),
    ("50%", r"50\%"),
    ("\\", r"\textbackslash{}"),
    ("≤", r"\ensuremath{\leq}"),
    ("α", r"\ensuremath{\alpha}"),
    ("é", "é"),
    ("x²₁", r"x\ensuremath{^2}\ensuremath{_1}"),
    ("😀", "{[U+1F600]}"),
    ("\x00", r"\textbf{?}"),
]


@pytest.mark.parametrize(("text", "expected"), ESCAPED)
def test_escape(text: str, expected: str) -> None:
    assert tex(text) == expected


def test_verbatim_keeps_spaces_and_ligatures_apart() -> None:
    assert tex_verbatim("a  --b") == r"\texttt{a\ \ {-}{-}b}"
    assert clean("a\ud800") == "a\ufffd"


def test_formulas_not_understood_are_text() -> None:
    assert formula(r"\foo x") == (r"{\codestyle \hspace*{1em}\texttt{\textbackslash{}foo\ x}\par}")
    assert formula("x") == r"\[ x \]"
    assert prose(r"a $\foo$ b") == r"a \texttt{\textbackslash{}foo} b"


def test_errors_and_bounds_are_drawn() -> None:
    report = read_report(GOLDEN)
    check = report["run"]["checks"][0]
    pairs = [(1e-8, 1e-6), (0.0, 1e-6), (None, 1e-6), (1e-8, None)]
    report["run"]["checks"] = [{**check, "error": error, "bound": bound} for error, bound in pairs]
    text = write_tex(report)
    drawn = re.findall(r"\\errorbound\{([\d.]+)em\}\{([\d.]+)em\}\{([\d.]+)em\}\{([\d.]+)em\}", text)
    assert drawn == [("1.75", "5.25", "1.75", "3.50"), ("0.00", "5.25", "0.00", "5.25")]
    assert "$10^{-9}$ to $10^{-5}$" in text


def test_what_closes_an_item_stays_with_it() -> None:
    report = read_report(GOLDEN)
    item = report["documents"][0]["items"][0]
    item |= {"suggestion": "did you mean $x$?", "notes": ["a note"], "depends_on": ["eq-9"]}
    written = write_tex(report)
    for words in (r"\emph{Did you mean $x$?}", r"\labelled{note}a note", r"\labelled{rests on}"):
        assert written.partition(words)[0].rstrip().endswith(r"\closing")


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("a", r"\hspace*{1em}\texttt{a}"),
        ("a\nb", r"\hspace*{1em}\texttt{a}\closing \hspace*{1em}\texttt{b}"),
        ("a\nb\nc", r"\hspace*{1em}\texttt{a}\closing \hspace*{1em}\texttt{b}\closing \hspace*{1em}\texttt{c}"),
        ("", "(empty)"),
    ],
)
def test_no_line_of_code_stands_alone(code: str, written: str) -> None:
    assert tex_report._code(code) == rf"{{\codestyle {written}\par}}"


def test_what_a_verdict_says_is_not_said_again() -> None:
    assert r"{Defined}{}{" in write_tex(read_report(GOLDEN))
