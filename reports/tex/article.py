r"""The LaTeX report: an article made from the JSON alone.

Every string of a document goes through `escape`; formulas are rebuilt by `formulas` from what we know, or shown as
text. The result needs article, amsmath, amssymb, booktabs, hyperref and xcolor, and no shell.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import decades
from ..escape import tex, tex_verbatim
from ..layout.reader import read_layout
from ..model import ReportError, validate
from ..snippet import write_snippet
from ..verdict_words import (
    assumed,
    baseline_words,
    count_words,
    headline,
    kind_words,
    known_items,
    place_words,
    scope_words,
    side_words,
    sizes_words,
    verdict,
)
from .formulas import Unprintable, write_tex_math

PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{amsmath}
\usepackage{amssymb}
\usepackage{booktabs}
\usepackage{xcolor}
\usepackage[hidelinks,unicode]{hyperref}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\definecolor{good}{HTML}{1D6B3E}
\definecolor{bad}{HTML}{A61C22}
\definecolor{warn}{HTML}{8A5200}
\definecolor{cool}{HTML}{3A5A80}
\definecolor{soft}{HTML}{565B64}
\setlength{\textwidth}{6.3in}
\setlength{\textheight}{9in}
\setlength{\oddsidemargin}{0.1in}
\setlength{\topmargin}{-0.4in}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt plus 1pt}
\setlength{\emergencystretch}{3em}
\setcounter{MaxMatrixCols}{20}
\allowdisplaybreaks
\newcommand{\verdict}[4]{\par\bigskip\textcolor{#1}{\rule[0.5ex]{1.2em}{1.5pt}\ \textbf{#2}}%
  \quad\textcolor{soft}{#3\hfill #4}\par\nopagebreak}
\newcommand{\labelled}[1]{\textcolor{soft}{\footnotesize #1}\quad}
\newcommand{\closing}{\par\nopagebreak}
\newcommand{\codestyle}{\raggedright\footnotesize\setlength{\parskip}{1pt}}
\makeatletter
\renewcommand{\@listi}{\setlength{\topsep}{2pt}\setlength{\parsep}{0pt}\setlength{\leftmargin}{\leftmargini}}
\let\@listI\@listi
\@listi
\@beginparpenalty=10000
\postdisplaypenalty=5000
\makeatother
\setlength{\partopsep}{0pt}
\newcommand{\longreason}[1]{\parbox{0.45\linewidth}{\raggedleft #1}}
\newcommand{\errorbound}[4]{\makebox[7em][l]{\rlap{\hspace*{#3}\rule[0.5ex]{#4}{0.4pt}}%
  \rlap{\hspace*{#2}\rule[-0.2ex]{0.8pt}{1.6ex}}\rlap{\hspace*{#1}\kern-0.25em\textcolor{cool}{$\bullet$}}}}
\newsavebox{\piece}
\newlength{\room}
\newcommand{\smaller}[2]{\ifdim\wd\piece>\room\sbox{\piece}{#1$\displaystyle #2$}\fi}
\newcommand{\fitted}[2]{\sbox{\piece}{$\displaystyle #1$}\smaller{\small}{#1}\smaller{\footnotesize}{#1}%
  \smaller{\scriptsize}{#1}\smaller{\tiny}{#1}\ifdim\wd\piece>\room{\scriptsize #2}\else\usebox{\piece}\fi\hskip0.3em\relax}
\newcommand{\stepreason}[1]{\hfill\penalty0\hskip1em\null\nobreak\hfill{\footnotesize\textcolor{soft}{#1}}\par}
\newcommand{\widestep}[3]{\par\setlength{\room}{\linewidth}\addtolength{\room}{-3em}%
  {\raggedright\hangindent=2.7em\hangafter=1\hspace*{1em}\makebox[1.7em][l]{$#1$}#2\stepreason{#3}}}
\newcommand{\step}[4]{\par\setlength{\room}{\linewidth}\addtolength{\room}{-3em}\sbox{\piece}{$\displaystyle #2$}%
  \ifdim\wd\piece>\room\widestep{#1}{#4}{#3}%
  \else\hspace*{1em}\makebox[1.7em][l]{$#1$}$\displaystyle #2$\stepreason{#3}\fi}
"""

_COLOURS = {"proved": "good", "holds": "cool", "agrees": "cool", "refuted": "bad", "wrong": "bad", "undecided": "warn"}
_ROWS = 24
"""Rows of a table, which is never broken between pages."""
_DRAWN = 7.0
"""Width in em of the picture beside a table of checks."""
_LINE, _MEASURED = 34.0, 700.0
"""Widths of a formula in em: what surely fits on a line, and what TeX can measure (at most 16383 pt)."""
_SHORT = 60
"""Characters of a formula that is never wider than the page."""
_BRACKET = re.compile(r"\\[A-Za-z]+|\\.|[{}+-]")
_CHUNK = re.compile(r"[^}+\-) ]{0,40}[}+\-) ]?")
_CODE_KINDS = frozenset({"code", "output", "assertion"})
_INLINE = re.compile(r"(`[^`\n]+`|(?<![\\$])\$(?=[^\s$])[^$\n]*[^\s$\\]\$(?!\d)|(?<![\\$])\$[^\s$\\]\$(?!\d))")


def write_tex(report: Mapping[str, Any]) -> str:
    """The report as one LaTeX document: the same report gives the same text.

    Raises ReportError where the report does not follow the schema.
    """
    validate(report)
    items = [item for document in report["documents"] for item in document["items"]]
    counts = count_words(items)
    lines = [
        PREAMBLE,
        r"\title{Derivation report}",
        f"\\author{{{tex(report['tool']['name'])} {tex(report['tool']['version'])}}}",
        r"\date{}",
        r"\begin{document}",
        r"\maketitle",
        f"\\textbf{{{tex(headline(items)[1])}}}",
        "",
        tex(", ".join(counts)) + ("." if counts else ""),
    ]
    for number, document in enumerate(report["documents"], start=1):
        lines += _document(document, number, known_items(report, document["path"]), alone=len(report["documents"]) == 1)
    lines += _baseline(report)
    lines += _checks(report["run"])
    return "\n".join([*lines, r"\end{document}", ""])


def compile_pdf(path: str | Path, *, timeout: float = 180.0) -> Path | None:
    """Compile a written report with latexmk and return the path of the PDF, or None where latexmk is not installed.

    No shell, no configuration file of anybody's, no file outside the folder. Raises ReportError with the first errors
    of the log where the compilation fails or takes longer than `timeout` seconds.
    """
    program = shutil.which("latexmk")
    if program is None:
        return None
    source = Path(path).resolve()
    command = [program, "-norc", "-no-shell-escape", "-pdf", "-interaction=nonstopmode", "-halt-on-error", "-quiet"]
    environment = {**os.environ, "openin_any": "p", "openout_any": "p", "shell_escape": "f"}
    try:
        done = subprocess.run(
            [*command, source.name],
            cwd=source.parent,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ReportError(f"{source}: latexmk did not finish within {timeout:g} s") from error
    pdf = source.with_suffix(".pdf")
    if done.returncode != 0 or not pdf.is_file():
        log = source.with_suffix(".log")
        text = (
            log.read_text(encoding="utf-8", errors="replace") if log.is_file() else done.stderr.decode(errors="replace")
        )
        found = [line for line in text.splitlines() if line.startswith(("!", "l."))][:4]
        raise ReportError(f"{source}: latexmk failed: {'; '.join(found) or f'exit status {done.returncode}'}")
    return pdf


def formula(latex: str) -> str:
    """A displayed formula, broken where it is wide; text in typewriter where it cannot be rebuilt or measured by TeX."""
    try:
        written = write_tex_math(latex)
    except Unprintable:
        return _code(latex)
    room = read_layout(latex).width
    if room > _MEASURED:
        return _code(latex)
    return f"\\[ {written} \\]" if room < _LINE else _step("", latex, "")


def prose(text: str) -> str:
    """A sentence, with its `code` and its formulas."""
    written = []
    for number, piece in enumerate(_INLINE.split(text)):
        if number % 2 == 0:
            written.append(tex(piece))
        elif piece[0] == "`":
            written.append(tex_verbatim(piece[1:-1]))
        else:
            written.append(_inline(piece[1:-1]))
    return "".join(written)


def _inline(latex: str) -> str:
    try:
        return f"${write_tex_math(latex)}$"
    except Unprintable:
        return tex_verbatim(latex)


def _code(text: str) -> str:
    """Lines of code, each of which may break at its spaces."""
    lines = [f"\\hspace*{{1em}}{tex_verbatim(line)}" for line in text.splitlines() if line.strip()]
    first, middle, last = lines[:1], lines[1:-1], lines[1:][-1:]  # no line stands alone on its page
    written = "\\closing ".join(filter(None, [*first, "\\par ".join(middle), *last])) or "(empty)"
    return f"{{\\codestyle {written}\\par}}"


def _document(document: Mapping[str, Any], number: int, known: frozenset[str], *, alone: bool) -> list[str]:
    """A document of a report with its items; `alone` where its counts are said already."""
    by_id = {item["id"]: item for item in document["items"]}
    title = tex(document["title"] or document["path"]).replace("]}{[U+", "]}\\allowbreak{}{[U+")
    lines = ["", f"\\section{{{title}}}", tex_verbatim(document["path"])]
    lines += [] if alone else [r"\closing", tex(headline(document["items"])[1])]
    lines.append(r"\closing")
    aside = []
    for item in document["items"]:
        if item["status"] in {"unread", "skipped"}:
            aside.append(item)
        else:
            lines += _item(item, by_id, number, known=item["id"] in known)
    if aside:
        lines += ["", r"\subsection*{Not read or skipped}"]
    for item in aside:
        code = f" ({tex_verbatim(item['code'])})" if item["code"] else ""
        lines.append(f"\\textbf{{{tex(place_words(item['where']))}}}, {verdict(item).words.lower()}:")
        lines.append(f"{prose(item['reason'] or '')}{code}\n\n{_code(item['source'])}\n")
    rows = document.get("declarations", ())
    if rows:
        lines += ["", r"\subsection*{Declared by the author}", r"\begin{itemize}\setlength{\itemsep}{0pt}"]
        for row in rows:
            fault = f": {tex(row['fault'])}" if row["fault"] else ""
            lines.append(f"\\item {tex(place_words(row['where']))}: {tex_verbatim(row['text'])}{fault}")
        lines.append(r"\end{itemize}")
    return lines


def _item(item: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]], number: int, *, known: bool) -> list[str]:
    scope = scope_words(item["scope"])
    kind = ", ".join(x for x in (kind_words(item), scope, "known from the baseline" if known else "") if x)
    colour = _COLOURS.get(item["status"], "soft")
    place = tex(f"{item['id']}, {place_words(item['where'])}")
    anchor = f"\\hypertarget{{d{number}/{item['id']}}}{{}}"
    lines = ["", f"{anchor}\\verdict{{{colour}}}{{{tex(verdict(item).words)}}}{{{tex(kind)}}}{{{place}}}"]
    if item.get("listing"):
        lines.append(_code(item["listing"]))
    elif item["kind"] in _CODE_KINDS:
        lines.append(_code(item["source"]))
    elif item["kind"] == "prose":
        lines += [prose(item["source"]), ""]
    else:
        lines.append(formula(item["source"]))
    if item["read"] is not None:
        lines += [
            r"\closing",
            f"{{\\raggedright\\labelled{{read as}}{{\\footnotesize {tex_verbatim(item['read'])}}}\\par}}",
        ]
    if item["reason"]:
        lines += ["", prose(item["reason"])]
    if item["counterexample"] is not None:
        lines += _counterexample(item, by_id)
    if item["suggestion"]:
        suggestion = item["suggestion"]
        lines += [r"\closing", f"\\emph{{{prose(suggestion[:1].upper() + suggestion[1:])}}}"]
    if item["assumptions"]:
        lines += ["", r"\labelled{assuming}", r"\begin{itemize}\setlength{\itemsep}{0pt}"]
        for text, words in assumed(item["assumptions"]):
            lines.append(f"\\item {prose(text)} \\textcolor{{soft}}{{({tex(words)})}}")
        lines.append(r"\end{itemize}")
    if item["steps"]:
        lines += ["", r"\labelled{derivation}\nopagebreak"]
        for step in item["steps"]:
            rule = f" ({tex_verbatim(step['rule'])})" if step["rule"] else ""
            box = "\\longreason" if len(step["reason"] + (step["rule"] or "")) > 45 else "\\mbox"
            lines.append(_step(step["relation"], step["term"], f"{box}{{{prose(step['reason'])}{rule}}}"))
            lines += [r"\closing"] if step is item["steps"][0] else []
        if item["proof"] is not None:
            certificate = tex_verbatim(item["proof"]["certificate"][:16])
            lines += [r"\closing", f"\\labelled{{certificate}}{{\\footnotesize {certificate}\\ldots}}"]
    lines += [f"\\closing\n\\labelled{{note}}{prose(note)}" for note in item["notes"]]
    if item["depends_on"]:
        links = ", ".join(f"\\hyperlink{{d{number}/{name}}}{{{tex(name)}}}" for name in item["depends_on"])
        lines += [r"\closing", f"\\labelled{{rests on}}{{\\footnotesize {links}}}"]
    return lines


def _step(relation: str, term: str, reason: str) -> str:
    try:
        sign = write_tex_math(relation)
    except Unprintable:
        sign = f"\\text{{{tex(relation)}}}"
    try:
        if read_layout(term).width > _MEASURED:
            raise Unprintable("a formula that is too wide")
        written = write_tex_math(term)
    except Unprintable:
        return f"\\widestep{{{sign}}}{{{_breakable(term)}}}{{{reason}}}"
    wide = len(written) > _SHORT
    parts = "".join(f"\\fitted{{{part}}}{{{_breakable(part)}}}" for part in _pieces(written) if wide)
    return f"\\step{{{sign}}}{{{written}}}{{{reason}}}{{{parts}}}"


def _pieces(formula: str) -> list[str]:
    r"""The terms and factors between which a formula that is wider than the page may be broken.

    >>> _pieces(r"a+\frac{b+c}{d}\cdot \left(e-f\right)")
    ['a', '+\\frac{b+c}{d}', '\\cdot \\left(e-f\\right)']
    """
    depth, start, parts = 0, 0, []
    for match in _BRACKET.finditer(formula):
        token = match.group()
        if token in ("{", "\\left", "\\begin"):
            depth += 1
        elif token in ("}", "\\right", "\\end"):
            depth -= 1
        elif token in ("+", "-", "\\cdot") and depth == 0 and formula[start : match.start()].strip():
            parts.append(formula[start : match.start()])
            start = match.start()
    return [*parts, formula[start:]]


def _breakable(formula: str) -> str:
    """A formula that is too wide in any size, as it is written, with places at which a line may end."""
    return r"\allowbreak{}".join(tex_verbatim(part) for part in _CHUNK.findall(formula) if part)


def _counterexample(item: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]]) -> list[str]:
    found = item["counterexample"]
    sizes = f" with {sizes_words(found['sizes'])}" if found["sizes"] else ""
    lines = ["", f"\\labelled{{counterexample}}{tex(sizes)}"]
    said = {name: value for name, value in found["inputs"].items() if isinstance(value, str) and " " in value}
    lines += [f"\\par $ {_name(name)} $: {tex(value)}" for name, value in said.items()]
    inputs = [f"{_name(name)} = {_value(value)}" for name, value in found["inputs"].items() if name not in said]
    if len(inputs) <= 4:
        inputs = [" \\qquad ".join(inputs)] if inputs else []
    lines += [f"\\[ {each} \\]" for each in inputs]
    where = f" at {sizes_words(found['at'])}" if found["at"] else ""
    left, right = side_words(found["kind"])
    if found["left"] is not None or found["right"] is not None:
        sides = (found["left"] or "not known", found["right"] or "not known")
        lines.append(f"{left}{tex(where)}: \\textbf{{{tex(sides[0])}}}, {right}: \\textbf{{{tex(sides[1])}}}")
    snippet = write_snippet(item, by_id)
    return [*lines, "", f"\\labelled{{{tex(snippet.title)}}}", r"\closing", _code(snippet.code)]


def _name(name: str) -> str:
    return f"\\mathit{{{tex(name)}}}" if len(name) > 1 else (name if name.isascii() and name.isalpha() else tex(name))


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        pairs = " \\\\ ".join(f"\\text{{{tex(str(key))}}} & {_value(part)}" for key, part in value.items())
        return f"\\begin{{array}}{{ll}}{pairs}\\end{{array}}"
    if not isinstance(value, list):
        match = re.fullmatch(r"(-?)(\d+)/(\d+)", str(value))
        return f"{match[1]}\\tfrac{{{match[2]}}}{{{match[3]}}}" if match else f"\\text{{{tex(str(value))}}}"
    if any(isinstance(part, list) for row in value if isinstance(row, list) for part in row):
        return "\\bigl(" + ",\\ ".join(map(_value, value)) + "\\bigr)"
    rows: Sequence[Sequence[Any]] = [row if isinstance(row, list) else [row] for row in value]
    body = " \\\\ ".join(" & ".join(map(_value, row)) for row in rows)
    return f"\\begin{{bmatrix}}{body}\\end{{bmatrix}}"


def _baseline(report: Mapping[str, Any]) -> list[str]:
    words = baseline_words(report)
    if words is None:
        return []
    lines = ["", r"\section*{Baseline}", tex(words[0])]
    if words[1]:
        rows = [f"\\item {_breakable(line)}" for line in words[1]]
        lines += [r"\begin{itemize}\setlength{\itemsep}{0pt}", *rows, r"\end{itemize}"]
    return lines


def _checks(run: Mapping[str, Any]) -> list[str]:
    lines = ["", r"\section*{Numerical cross-check}"]
    if run["checks"]:
        by_document: dict[str, list[Mapping[str, Any]]] = {}
        for check in run["checks"]:
            by_document.setdefault(check.get("document", ""), []).append(check)
        for path, checks in by_document.items():
            lines += ["", tex_verbatim(path) + r"\par\nopagebreak"] if len(by_document) > 1 else []
            for start in range(0, len(checks), _ROWS):
                lines += _check_table(checks[start : start + _ROWS])
        drawn = "On the right the error is a dot and its bound a stroke, among the powers of ten."
        lines += ["", f"The bounds are derived, not chosen. {drawn} Agreement of numbers is no proof."]
    else:
        lines.append("Nothing was evaluated numerically.")
    skipped = [row for row in run.get("skipped") or [] if isinstance(row, Mapping)]
    if skipped:
        lines += ["", r"\subsection*{What was not tried}", r"\begin{itemize}"]
        several = len({row["document"] for row in skipped if "document" in row}) > 1
        for row in skipped:
            of = f" of {tex_verbatim(row['document'])}" if several and "document" in row else ""
            lines.append(f"\\item {prose(str(row.get('what')))}{of}: {prose(str(row.get('reason')))}")
        lines.append(r"\end{itemize}")
    return lines


def _check_table(checks: Sequence[Mapping[str, Any]]) -> list[str]:
    found = decades.span(checks)
    said = "" if found is None else f" $10^{{{found[0]}}}$ to $10^{{{found[1]}}}$"
    lines = [r"{\footnotesize\begin{tabular}{@{}llllp{10em}rrl@{}}", r"\toprule"]
    lines += [rf"Item & Backend & Device & Type & Sizes & Error & Bound &{said} \\", r"\midrule"]
    for check in checks:
        words = [check[key] for key in ("item", "backend", "device", "dtype")] + [sizes_words(check["sizes"])]
        numbers = [_scientific(check["error"]), _scientific(check["bound"])]
        lines.append(" & ".join([*map(tex, words), *numbers, _drawn(check, found)]) + r" \\")
    return [*lines, r"\bottomrule", r"\end{tabular}}", ""]


def _drawn(check: Mapping[str, Any], span: tuple[int, int] | None) -> str:
    """The error as a dot and its bound as a stroke, among the powers of ten from left to right."""
    if span is None or not (decades.known(check) and decades.drawn(check["bound"])):
        return ""
    error, bound = (
        _DRAWN * (decades.at(check[key], *span) - span[0]) / (span[1] - span[0]) for key in ("error", "bound")
    )
    return f"\\errorbound{{{error:.2f}em}}{{{bound:.2f}em}}{{{min(error, bound):.2f}em}}{{{abs(bound - error):.2f}em}}"


def _scientific(value: float | None) -> str:
    if value is None:
        return "--"
    if value == 0:
        return "$0$"
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"${mantissa}\\times 10^{{{int(exponent)}}}$"
