"""Docstrings with equations in the notation of code."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_documents

from derivations.documents.formats.plain_notation import equations_in, latex_of_equation

EQUATIONS = {
    "f(x) = 1 / (1 + exp(-x))": r"f(x) = \frac{1}{1 + \exp(-x)}",
    "loss = mean(square(y_true - y_pred))": r"\mathrm{loss} = \mathrm{mean}((y_{\mathrm{true}} - y_{\mathrm{pred}})^{2})",
    "y = x @ W.T + b": r"y = x \, W^\top + b",
    "y = W x + b.": "y = W \\, x + b",
    "h_t = tanh(W_h h_{t-1} + U x_t)": r"h_t = \tanh(W_h \, h_{t - 1} + U \, x_t)",
    "S[i, j] = q[i] * k[j] / sqrt(d)": r"S_{i,j} = \frac{q_i \, k_j}{\sqrt{d}}",
    "alpha_bar = 1 - beta^2": r"\bar{\alpha} = 1 - \beta^{2}",
    "kl = -0.5 * (1 + logvar)": r"\mathrm{kl} = (-0.5) \, (1 + \mathrm{logvar})",
    "d = a - (b + c)": "d = a - (b + c)",
    "p = torch.exp(z) / np.sum(torch.exp(z))": r"p = \frac{\exp(z)}{\mathrm{sum}(\exp(z))}",
    "update := grad + 1e-4 * param": r"\mathrm{update} = \mathrm{grad} + 0.0001 \, \mathrm{param}",
}
PROSE = [
    "eps = 1e-5",
    "y = the output of the layer",
    "where x = y",
    "m = nn.Linear(20, 30)",
    "x = torch.randn(2, 3) + 1",
    "model = Model()",
    "out = layer(x)",
    "mode = 'full'",
    "dim = None",
    "a == b + c",
    "x <= y + 1",
    "(a + b) = c",
    "f(2) = x + 1",
    "x = y[1:] + 2",
    "y = f(x, dim=1) + 2",
]


@pytest.mark.parametrize(("text", "latex"), EQUATIONS.items())
def test_an_equation_is_written_in_latex(text: str, latex: str) -> None:
    assert latex_of_equation(text) == latex


@pytest.mark.parametrize("text", PROSE)
def test_anything_else_is_prose(text: str) -> None:
    assert latex_of_equation(text) is None


def test_a_run_of_lines_is_read_as_a_whole() -> None:
    assert equations_in(["y = x + 1", "holds for all x."]) == []
    assert equations_in(["y = x", "    + 1", "z = 2 * y"]) == [(0, 2, "y = x + 1"), (2, 3, r"z = 2 \, y")]


@pytest.mark.parametrize("title", ["Example::", "Args:", "Shape:", "Returns:", ">>> f(2)"])
def test_what_shows_a_use_is_no_equation(title: str) -> None:
    assert equations_in([title, "", "    y = x + 1"]) == []


CELL = '''
import torch


def cell(x, h, W, U, V):
    """One step of a gated unit.

        z = sigmoid(W x + U h)
        h' = (1 - z) * h + z * tanh(V x)

    Args:
        x: the input
    """
    z = torch.sigmoid(W @ x + U @ h)
    return (1 - z) * h + z * {}(V @ x)


def gate(x):
    """The input times its logistic value.

        gate(x) = x * sigmoid(x)
    """
    return x / (1 {} torch.exp(-x))
'''


@pytest.mark.parametrize(("function", "sign", "status"), [("torch.tanh", "+", "proved"), ("torch.sin", "-", "refuted")])
def test_code_is_compared_with_its_docstring(tmp_path: Path, function: str, sign: str, status: str) -> None:
    path = tmp_path / "cells.py"
    path.write_text(CELL.format(function, sign), encoding="utf-8")
    report, errors = check_documents([path], numbers=False)
    items = [i for i in report["documents"][0]["items"] if i["source"].startswith("def ")]
    assert not errors
    assert [i["status"] for i in items] == [status, status]
