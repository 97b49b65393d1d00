"""In Jupyter: `%load_ext derivations`, then `%%check` over Markdown or LaTeX, and `check_notebook()` for the notebook.

Both give a result that shows itself: the claims with their verdicts, as HTML with MathML where that is shown, as text
elsewhere.  Nothing of the checked text is executed.
"""

from __future__ import annotations

import html
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from derivations.provers.decide import Decision


class Shell(Protocol):
    """What is needed of an IPython shell."""

    user_ns: dict[str, Any]

    def register_magic_function(self, function: Any, magic_kind: str, magic_name: str) -> None: ...


class Checked:
    """The report of a check; `report` is the JSON data (REPORT_SCHEMA)."""

    def __init__(self, report: Mapping[str, Any], errors: list[str]) -> None:
        self.report, self.errors = report, errors

    def __str__(self) -> str:
        from derivations.reports.plain.terminal import summary

        return "\n".join([*self.errors, str(summary(self.report))])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from derivations.reports.html.pages import fragment

        return str(fragment(self.report, self.errors))


def check_text(text: str, *, line: str = "", first: int = 1) -> Checked:
    """Check Markdown, or LaTeX where the text has no `$` and no Markdown heading; `line` holds `tex` or `md` to say which.

    `first` is the line of the cell that the text begins in.

    Errors: ValueError for another word.
    """
    kind = line.strip() or ("tex" if "$" not in text and "\\" in text else "md")
    if kind not in ("md", "tex"):
        raise ValueError(f"%%check: needed md or tex, found {kind!r}")
    before = "\n" * (first - 1 + len(text) - len(text.lstrip("\n")))
    text = text.strip("\n")
    if kind == "tex" and "\\begin{" not in text and "$" not in text:
        before, text = before[1:], f"\\[\n{text}\n\\]"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"cell.{kind}"
        path.write_text(f"{before}{text}\n", encoding="utf-8")
        checked = _check(path)
    for document in checked.report["documents"]:
        document["path"], document["sha256"] = "this cell", None
    errors = [error.replace(str(path), "this cell") for error in checked.errors]
    checked.report["run"]["errors"] = errors
    return Checked(checked.report, errors)


def check_notebook(path: str | Path | None = None) -> Checked:
    """Check a notebook as it was saved; without a path the one that this kernel belongs to, where the server says which.

    Errors: ValueError where that is not known.
    """
    found = path or _this_notebook({})
    if found is None:
        raise ValueError(
            "needed the path of the notebook, which this server does not say: check_notebook('lesson.ipynb')"
        )
    return _check(Path(found))


def _check(path: Path) -> Checked:
    from derivations.reports.run.check import check_documents

    report, errors = check_documents([path])
    return Checked(report, errors)


def _this_notebook(names: Mapping[str, Any]) -> str | None:
    """The path that Visual Studio Code puts into the kernel's names, or Jupyter Server into its environment."""
    found = names.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME")
    return str(found) if found and str(found).endswith(".ipynb") and Path(found).is_file() else None


def load(shell: Shell) -> None:
    """What `%load_ext derivations` does: the magic `%%check`, and the name `check_notebook`."""

    def check(line: str, cell: str) -> Checked:
        """Check the Markdown or LaTeX of this cell; `%%check tex` says which."""
        return check_text(cell, line=line, first=2)

    def of_this_kernel(path: str | Path | None = None) -> Checked:
        """`derivations.jupyter.check_notebook`, which knows this kernel's notebook."""
        return check_notebook(path or _this_notebook(shell.user_ns))

    shell.register_magic_function(check, "cell", "check")
    shell.user_ns["check_notebook"] = of_this_kernel
    if (formatter := getattr(shell, "display_formatter", None)) is not None:
        from derivations.api import describe
        from derivations.provers.decide import Refuted, Undecided

        for kind in (Refuted, Undecided):
            formatter.formatters["text/html"].for_type(kind, shown)
            formatter.formatters["text/plain"].for_type(
                kind, lambda decision, pretty, _: pretty.text(describe(decision))
            )


def shown(decision: Decision) -> str:
    """What `derivations.decide` did not prove, as HTML: the reason, or where it fails, with the inputs as matrices."""
    from derivations.provers.decide import Refuted
    from derivations.reports.html.mathml import write_mathml

    if not isinstance(decision, Refuted):
        return f"<p><b>? undecided</b> {html.escape(getattr(decision, 'reason', ''))}</p>"
    found = decision.counterexample
    places = [f"{_name(name)} = {value}" for name, value in (*found.sizes.items(), *found.at.items())]
    places += [f"{_name(name)} = {_matrix(value)}" for name, value in found.inputs.items()]
    fails = write_mathml(",\\; ".join(places), display=False) if places else "every place"
    sides = "".join(
        f"<tr><td>{name} side</td><td>{html.escape(value)}</td></tr>"
        for name, value in (("left", found.left), ("right", found.right))
    )
    return f"<p><b>✗ refuted</b></p><table><tr><td>fails at</td><td>{fails}</td></tr>{sides}</table>"


def _name(name: str) -> str:
    return name if len(name) == 1 else "\\mathrm{" + name.replace("_", "\\_") + "}"


def _matrix(value: Any) -> str:
    """Inputs as LaTeX: numbers, rows, and matrices; anything else as it is printed."""
    if isinstance(value, str):
        return value
    rows = [row if isinstance(row, list) else [row] for row in value] if isinstance(value, list) else []
    if not rows or any(not isinstance(cell, str) for row in rows for cell in row):
        return "\\text{" + re.sub(r"[\\{}$']", "", str(value)) + "}"
    lines = (" & ".join(row) for row in (rows if isinstance(value[0], list) else [value]))
    return "\\begin{pmatrix} " + r" \\ ".join(lines) + " \\end{pmatrix}"
