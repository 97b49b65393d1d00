"""In Jupyter: `%load_ext derivations`, then `%%check` over Markdown or LaTeX, and `check_notebook()` for the notebook.

Both give a result that shows itself: the claims with their verdicts, as HTML with MathML where that is shown, as text
elsewhere.  Nothing of the checked text is executed.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol


class Shell(Protocol):
    """What is needed of an IPython shell."""

    user_ns: dict[str, Any]

    def register_magic_function(self, function: Any, magic_kind: str, magic_name: str) -> None: ...


class Checked:
    """The report of a check; `report` is the JSON data (REPORT_SCHEMA)."""

    def __init__(self, report: Mapping[str, Any], errors: list[str]) -> None:
        self.report, self.errors = report, errors

    def __str__(self) -> str:
        from derivations.reports.terminal import summary

        return "\n".join([*self.errors, str(summary(self.report))])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from derivations.reports.html import fragment

        return str(fragment(self.report, self.errors))


def check_text(text: str, *, line: str = "") -> Checked:
    """Check Markdown, or LaTeX where the text has no `$` and no Markdown heading; `line` holds `tex` or `md` to say which.

    Errors: ValueError for another word.
    """
    kind = line.strip() or ("tex" if "$" not in text and "\\" in text else "md")
    if kind not in ("md", "tex"):
        raise ValueError(f"%%check: needed md or tex, found {kind!r}")
    if kind == "tex" and "\\begin{" not in text and "$" not in text:
        text = f"\\[\n{text.strip()}\n\\]\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"cell.{kind}"
        path.write_text(text, encoding="utf-8")
        checked = _check(path)
    for document in checked.report["documents"]:
        document["path"], document["sha256"] = "this cell", None
    return checked


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
    from derivations.reports.check import check_documents

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
        return check_text(cell, line=line)

    def of_this_kernel(path: str | Path | None = None) -> Checked:
        """`derivations.jupyter.check_notebook`, which knows this kernel's notebook."""
        return check_notebook(path or _this_notebook(shell.user_ns))

    shell.register_magic_function(check, "cell", "check")
    shell.user_ns["check_notebook"] = of_this_kernel
