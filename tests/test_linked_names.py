"""Comments that link a name of the code to an equation: names inside functions, equations of one entry, links in vain."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_documents

SHAPES = "Let $x, h \\in \\mathbb{R}^{B \\times F}$, $r \\in \\mathbb{R}^B$ and $g, u \\in \\mathbb{R}^F$.\n\n"


def report(tmp_path: Path, text: str) -> list[dict]:
    path = tmp_path / "lesson.md"
    path.write_text(text, encoding="utf-8")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    items: list[dict] = made["documents"][0]["items"]
    return [i for i in items if i["kind"] == "code"]


def linked(equation: str, *lines: str) -> str:
    return f"<!-- check: {equation} -->\n```python\nimport numpy as np\n" + "\n".join(lines) + "\n```\n\n"


SUM = r"s = \sum_{b=1}^{B} x_{bf} h_{bf}"
"""An equation of one entry of s."""
INSIDE = [
    ("a local name", linked(SUM, "def f(x, h):", "    s = (x * h).sum(axis=0)", "    return s"), [("proved", None)]),
    ("a wrong factor", linked(SUM, "def f(x, h):", "    s = 2 * (x * h).sum(axis=0)", "    return s"), [("refuted", "code-differs")]),
    ("a method", linked(SUM, "class F:", "    def forward(self, x, h):", "        s = (x * h).sum(axis=0)", "        return s"), [("proved", None)]),
    ("in two steps", linked(SUM, "def f(x, h):", "    s = x * h", "    s = s.sum(axis=0)", "    return s"), [("undecided", "not-comparable"), ("proved", None)]),
    ("only the last value can be wrong", linked(SUM, "def f(x, h):", "    s = (x + h).sum(axis=0)", "    s = magic(s)", "    return s"), [("skipped", "undefined-name")]),
    ("in two functions", linked(SUM, "def f(x, h):", "    s = x.sum()", "    return s", "def e(x, h):", "    s = h.sum()", "    return s"), [("undecided", "unlinked-input"), ("skipped", "unlinked"), ("skipped", "unlinked")]),
    ("in a later block", linked(SUM, "y = 1") + "```python\ndef f(x, h):\n    s = x.sum()\n    return s\n```\n", [("undecided", "unlinked-input"), ("skipped", "unlinked")]),
    ("code that is not lifted", linked(SUM, "def f(x, h):", "    s = magic(x)", "    return s"), [("skipped", "undefined-name")]),
    ("nothing is computed", linked("s = x", "def f(x):", "    s = x", "    return s"), [("undecided", "unlinked-input"), ("skipped", "unlinked")]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), INSIDE, ids=[r[0] for r in INSIDE])
def test_names_inside_functions(tmp_path: Path, name: str, text: str, expected: list[tuple[str, str | None]]) -> None:
    assert [(i["status"], i["code"]) for i in report(tmp_path, SHAPES + text)] == expected


ENTRIES = [
    ("one index", r"s = \sum_f x_{bf}", "x.sum(axis=1)", "proved", None),
    ("two indices in the order of a name", r"s = r_b x_{bf}", "r[:, None] * x", "proved", "b, f"),
    ("an index in an exponent", r"s = e^{x_{bf}} r_b", "r[:, None] * np.exp(x)", "proved", "b, f"),
    ("an index in a condition of a sum", r"s = \sum_{k \neq f} g_k u_f", "g.sum() * u - g * u", "proved", None),
    ("a guessed order", r"s = g_i u_j", "g[:, None] * u[None, :]", "proved", "i, j"),
    ("the other order", r"s = g_i u_j", "u[:, None] * g[None, :]", "undecided", "i, j"),
    ("wrong in both orders", r"s = g_i u_j", "u[:, None] + g[None, :]", "refuted", "i, j"),
    ("no index is free", r"s = \sum_{b} \sum_f x_{bf}", "x.sum()", "proved", None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "equation", "code", "status", "order"), ENTRIES, ids=[r[0] for r in ENTRIES])
def test_equations_of_one_entry(
    tmp_path: Path, name: str, equation: str, code: str, status: str, order: str | None
) -> None:
    (item,) = report(tmp_path, SHAPES + linked(equation, "def f(x, r, g, u):", f"    s = {code}", "    return s"))
    orders = [a["text"] for a in item["assumptions"] if a["kind"] == "order-of-indices"]
    assert item["status"] == status
    assert orders == ([] if order is None else [f"the axes of what the code computes stand in the order {order}"])


def test_what_stands_twice_is_summed_over_where_the_text_says_so(tmp_path: Path) -> None:
    text = (
        "Repeated indices are summed. "
        + SHAPES
        + linked("s = x_{ij} g_j", "def f(x, g):", "    s = x @ g", "    return s")
    )
    assert [i["status"] for i in report(tmp_path, text)] == ["proved"]


COLUMNS = linked(r"s = \sum_b x_{bf}", "def f(x):", "    s = x.sum(axis=-1)", "    return s")
LAYOUTS = [
    ("nothing tells the layout", COLUMNS, ["undecided"]),
    ("other code has the rows of the document", linked("t = x g", "def e(x, g):", "    t = x @ g", "    return t") + COLUMNS, ["proved", "refuted"]),
    ("other code has them without a leading axis", linked("t = x g", "def e(x, g):", "    t = x @ g", "    return t") + COLUMNS.replace("-1", "1"), ["proved", "refuted"]),
    ("nothing tells a leading axis", COLUMNS.replace("-1", "1"), ["undecided"]),
    ("other code has them in any layout", linked("t = x_{bf}^2", "def e(x):", "    t = x ** 2", "    return t") + COLUMNS, ["proved", "undecided"]),
    ("other code has another matrix", linked("t = h g", "def e(h, g):", "    t = h @ g", "    return t") + COLUMNS, ["proved", "undecided"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), LAYOUTS, ids=[r[0] for r in LAYOUTS])
def test_the_layout_of_a_matrix_is_that_of_other_code(
    tmp_path: Path, name: str, text: str, expected: list[str]
) -> None:
    assert [i["status"] for i in report(tmp_path, SHAPES + text)] == expected


ROWS = (
    "Let $S \\in \\mathbb{R}^{n \\times m}$ and $$A_{ij} = \\frac{e^{S_{ij}}}{\\sum_{k=1}^m e^{S_{ik}}}.$$\n\n"
    "```python\nimport numpy as np\ndef @:\n    return np.exp(#) / np.exp(#).sum(%)\n```\n"
)
AXES = [
    ("each row", "A(S)", "axis=-1, keepdims=True", "proved"),
    ("each column", "A(S)", "axis=0, keepdims=True", "refuted"),
    ("each column of each matrix of a batch", "A(S)", "axis=-2, keepdims=True", "refuted"),
    ("each row, or column of each matrix of a batch", "A(S)", "axis=1, keepdims=True", "proved"),
    ("all entries", "A(S)", "", "refuted"),
    ("a small letter may be a row", "A(s)", "", "undecided"),
    ("a small letter may be a row, or columns are meant", "A(s)", "axis=0, keepdims=True", "undecided"),
    ("a small letter, and no row either", "A(s)", "axis=0, keepdims=True) + (1", "refuted"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "head", "axis", "status"), AXES, ids=[r[0] for r in AXES])
def test_the_argument_with_the_name_of_a_matrix_is_the_matrix(
    tmp_path: Path, name: str, head: str, axis: str, status: str
) -> None:
    text = ROWS.replace("@", head).replace("#", head[2]).replace("%", axis)
    assert [i["status"] for i in report(tmp_path, text)] == [status]


MEAN = "Let $S \\in \\mathbb{R}^{n \\times m}$ and $$c_j = \\frac1n \\sum_{i=1}^n S_{ij}.$$\n\n```python\ndef f(S):\n"
MEANS = [
    ("the first axis", "    c = S.mean(axis=0)\n    return c", ["proved"]),
    ("the second axis", "    c = S.mean(axis=1)\n    return c", ["undecided"]),
    ("the second axis of three", "    b, n, m = S.shape\n    c = S.mean(axis=1)\n    return c", ["proved"]),
]


@pytest.mark.parametrize(("name", "lines", "statuses"), MEANS, ids=[r[0] for r in MEANS])
def test_a_leading_axis_needs_a_reason_where_code_is_wrong_without_it(
    tmp_path: Path, name: str, lines: str, statuses: list[str]
) -> None:
    inside = [i for i in report(tmp_path, f"{MEAN}{lines}\n```\n") if not i["source"].startswith("def")]
    whole = report(
        tmp_path,
        f"{MEAN}{lines}\n```\n".replace("def f", "def c").replace("c = ", "r = ").replace("return c", "return r"),
    )
    assert [i["status"] for i in inside] == [i["status"] for i in whole] == statuses


LAYERS = "For $x \\in \\mathbb{{R}}^{{n \\times d}}$, ${0} \\in \\mathbb{{R}}^{{d \\times m}}$ let $$\\text{{out}} = x {0}.$$\n\n"
NAMES = [
    ("W^{[1]}", "W1"), ("W^{(1)}", "W1"), ("W^{(1)}", "W_1"), ("W_1", "w1"), ("W^{1}", "W1"), ("W^Q", "Wq"), ("W^Q", "W_q"),
    ("W_Q", "w_q"), ("W_q", "W_query"), ("W_{\\text{out}}", "Wout"), ("\\hat{W}", "W_hat"), ("\\mathbf{W}^{(q)}", "Wq"),
]  # fmt: skip


@pytest.mark.parametrize(("latex", "code"), NAMES)
def test_how_code_writes_names_with_marks(tmp_path: Path, latex: str, code: str) -> None:
    text = LAYERS.format(latex) + f"```python\ndef out(x, {code}):\n    return x @ {code}\n```\n"
    assert [i["status"] for i in report(tmp_path, text)] == ["proved"]
