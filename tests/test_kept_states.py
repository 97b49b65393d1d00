"""Values that methods give to attributes, and to names with the index of their symbol: steps of recurrences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from derivations.reports.run.check import check_documents

HEAVY_BALL = (
    "The buffer starts at $b_0 = 0$ and follows $$b_t = \\mu b_{t-1} + g_t \\qquad (5.1)$$\n\n"
    "```python\nimport numpy as np\nclass HeavyBall:\n    def __init__(self, lr=0.1, mu=0.9):\n"
    "        self.lr, self.mu = lr, mu\n        self.b = None\n    def step(self, theta, g):\n"
    "        if self.b is None:\n            self.b = np.zeros_like(theta)\n"
    "        self.b = self.mu * self.b {sign} g  # (5.1)\n        return theta - self.lr * self.b\n```\n"
)
ADAM = (
    "$$m_t = \\beta_1 m_{t-1} + (1 - \\beta_1) g_t \\qquad (2)$$\n\n"
    "$$v_t = \\beta_2 v_{t-1} + (1 - \\beta_2) g_t^2 \\qquad (3)$$\n\n"
    "$$\\hat{v}_t = \\frac{v_t}{1 - \\beta_2^t} \\qquad (5)$$\n\n"
    "```python\nclass Adam:\n    def __init__(self, beta1=0.9, beta2=0.999):\n"
    "        self.beta1, self.beta2 = beta1, beta2\n        self.m = self.v = 0.0\n        self.t = 0\n"
    "    def delta(self, g):\n        self.t += 1\n        self.m = self.beta1 * self.m + (1 - self.beta1) * g  # (2)\n"
    "        self.v = self.beta2 * self.v + (1 - self.beta{which}) * g ** 2  # (3)\n"
    "        v_hat = self.v / (1 - self.beta2 ** self.t)  # (5)\n        return self.m / v_hat\n```\n"
)
GRU = (
    "Let $x_t \\in \\mathbb{R}^d$, $v_t \\in \\mathbb{R}^n$ and $\\sigma(a) = 1/(1+e^{-a})$.\n\n"
    "$$\\begin{aligned}\nz_t &= \\sigma(W_z x_t + U_z v_{t-1} + b_z) \\\\\n"
    "\\tilde{v}_t &= \\tanh(W_v x_t + U_v v_{t-1} + b_v) \\\\\n"
    "v_t &= (1 - z_t) \\odot \\tilde{v}_t + z_t \\odot v_{t-1}\n\\end{aligned}$$\n\n"
    "```python\nimport torch\nfrom torch import nn\nclass GRUCell(nn.Module):\n    def __init__(self, d, n):\n"
    '        super().__init__()\n        for k in "zv":\n'
    '            setattr(self, f"W_{k}", nn.Parameter(torch.randn(n, d)))\n'
    '            setattr(self, f"U_{k}", nn.Parameter(torch.randn(n, n)))\n'
    '            setattr(self, f"b_{k}", nn.Parameter(torch.randn(n)))\n'
    "    def forward(self, x, v):  # x: (B, d), v: (B, n)\n"
    "        z_t = torch.sigmoid(x @ self.W_z.T + v @ self.U_z.T + self.b_z)\n"
    "        v_tilde = torch.tanh(x @ self.W_v.T + {inside} @ self.U_v.T + self.b_v)\n"
    "        v_t = (1 - z_t) * v_tilde + z_t * v\n        return v_t\n```\n"
)
FILTER = (
    "Let $F, P, Q \\in \\mathbb{R}^{n \\times n}$ and $x \\in \\mathbb{R}^n$.\n\n"
    "$$\\bar{x} = F x, \\qquad \\bar{P} = F P F^\\top + Q$$\n\n"
    "```python\nfrom dataclasses import dataclass\nimport numpy as np\n@dataclass\nclass Filter:\n    F: np.ndarray\n"
    "    Q: np.ndarray\n    def predict(self, x, P):\n        x_bar = self.F @ x\n"
    "        P_bar = self.F @ P @ self.F{turned} + self.Q\n        return x_bar, P_bar\n```\n"
)


def codes(tmp_path: Path, text: str) -> list[tuple[int, str]]:
    """The line and the status of what is said of code, but for functions of which nothing is known."""
    path = tmp_path / "a.md"
    path.write_text(text)
    made, errors = check_documents([path], numbers=False)
    assert not errors
    items: list[dict[str, Any]] = [i for d in made["documents"] for i in d["items"]]
    return sorted((i["where"]["line"], i["status"]) for i in items if i["kind"] == "code" and i["status"] != "skipped")


@pytest.mark.parametrize(("sign", "expected"), [("+", "proved"), ("-", "refuted")])
def test_state_that_is_none_at_first(tmp_path: Path, sign: str, expected: str) -> None:
    found = codes(tmp_path, HEAVY_BALL.replace("{sign}", sign))
    assert [status for line, status in found if line == 12] == [expected]


def test_line_is_judged_by_what_it_is_given(tmp_path: Path) -> None:
    """One wrong line is one finding: the line after it is right for the state that it is given."""
    assert codes(tmp_path, ADAM.replace("{which}", "2")) == [(15, "proved"), (16, "proved"), (17, "proved")]
    assert codes(tmp_path, ADAM.replace("{which}", "1")) == [(15, "proved"), (16, "refuted"), (17, "proved")]


def test_members_of_a_step_with_a_batch(tmp_path: Path) -> None:
    found = codes(tmp_path, GRU.replace("{inside}", "v"))
    assert {status for _, status in found} == {"proved"} and len(found) >= 3


def test_member_that_differs_and_what_is_computed_from_it(tmp_path: Path) -> None:
    found = dict(codes(tmp_path, GRU.replace("{inside}", "(z_t * v)")))
    assert found[20] == "proved" and found[21] == "refuted" and found[22] != "refuted"


@pytest.mark.parametrize(("turned", "expected"), [(".T", "proved"), ("", "refuted")])
def test_fields_of_a_dataclass_are_arrays(tmp_path: Path, turned: str, expected: str) -> None:
    found = dict(codes(tmp_path, FILTER.replace("{turned}", turned)))
    assert found[13] == "proved" and found[14] in {expected, "undecided"}
    assert turned == "" or found[14] == "proved"


def test_number_that_nothing_is_called_after(tmp_path: Path) -> None:
    """What the code calls the step size is not known: a value by default is none of the equation's."""
    step = "        theta = theta - self.lr * self.b\n        return theta\n"
    text = HEAVY_BALL.replace("        return theta - self.lr * self.b\n", step).replace("{sign}", "+")
    found = codes(tmp_path, "$$\\theta_t = \\theta_{t-1} - \\eta b_t$$\n\n" + text)
    assert all(status != "refuted" for _, status in found) and (14, "proved") in found


def test_each_value_of_one_line(tmp_path: Path) -> None:
    """A right value does not hide a wrong one beside it, and one with a name is no value of the other equation."""
    text = (
        "With $m_0 = 0$ and $v_0 = 0$ let $$m_t = a m_{t-1} + g_t, \\qquad v_t = a v_{t-1} + g_t^2 \\tag{5}$$\n\n"
        "```python\nclass Opt:\n    def __init__(self, a=0.9):\n        self.a = a\n        self.m = self.v = 0.0\n"
        "    def step(self, g):\n        self.m, self.v = self.a * self.m + g, self.a * self.v + 2 * g ** 2  # (5)\n"
        "        return self.m / self.v\n```\n"
    )
    assert codes(tmp_path, text) == [(9, "proved"), (9, "refuted")]
