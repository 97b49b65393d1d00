"""Code that the words of the text name, the numbers it is called with, and the state that one of its steps is given."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_documents

GATE = (
    r"With $W \in \mathbb{R}^{h \times d}$, $x \in \mathbb{R}^d$ and $b \in \mathbb{R}^h$ the update gate is "
    r"$$z_i = \tanh\left(\sum_{j=1}^d W_{ij} x_j + b_i\right)$$"
)
WINDOW = r"Token $i$ sees itself and the $w - 1$ tokens before it: $$M_{ij} = \mathbb{1}[0 \le i - j < w]$$"
STATE = (
    r"With $W \in \mathbb{R}^{d \times p}$ and $U \in \mathbb{R}^{p \times p}$, inputs $x_t \in \mathbb{R}^d$ and vectors "
    r"$s_t \in \mathbb{R}^p$, the gate is $$g_t = \tanh(x_t W + s_{t-1} U)$$"
)
STEP = "def gate(x, s, W, U):\n    g = np.tanh(x @ W + s @ U)   # g_t\n"
BAND = "def band(T, w):\n    i = np.arange(T)\n    d = i[:, None] - i[None, :]\n    return (d >= 0) & (d {} w)\nT = 5\nM = band(T, 3)"
STEPS = (
    r"The numbers $\beta_1, \dots, \beta_T$ lie in $(0, 1)$. Let $$\alpha_t = 1 - \beta_t$$ $$\bar\alpha_t = \prod_{s=1}^t \alpha_s$$ "
    r"with $\bar\alpha_0 = 1$."
)
PRODUCTS = "beta = np.linspace(0.1, 0.2, 9)\nalpha = 1.0 - beta\nalpha_bar = np.cumprod({})"
NOISY = (
    STEPS
    + r" With $x_0, \epsilon \in \mathbb{R}^D$ let $$x_t = \sqrt{\bar\alpha_t}\, x_0 + \sqrt{1 - \bar\alpha_t}\, \epsilon$$"
    "\n\n" + r"<!-- check: noisy = \sqrt{\bar\alpha_t}\, x_0 + \sqrt{1 - \bar\alpha_t}\, \epsilon -->"
)
ONE_STEP = (
    "def noisy(x_0, alpha_bar_t, epsilon):\n    return np.sqrt(alpha_bar_t) * x_0 {} np.sqrt(1 - alpha_bar_t) * epsilon"
)
SPREAD = STEPS + "\n\n" + r"<!-- check: spread = \frac{1 - \bar\alpha_{t-1}}{1 - \bar\alpha_t} \beta_t -->"
RATIO = "def spread(beta_t, alpha_bar_t, alpha_bar_tm1):\n    return beta_t * (1 - alpha_bar_{}) / (1 - alpha_bar_{})"
SCALE = (
    r"For $u, w \in \mathbb{R}^d$ and a temperature $\tau > 0$ let $$S = \frac{\sum_{c=1}^d u_c w_c}{\tau} .$$ "
    r"It is learned as $\tau = e^{-\theta}$."
)
SCORE = "def score(u, w, theta):\n    S = np.exp({}theta) * (u @ w)\n    return S"
CASES = {
    "products without the one over nothing": (STEPS, PRODUCTS.format("alpha"), "proved"),
    "the members of one step": (NOISY, ONE_STEP.format("+"), "proved"),
    "with a wrong sign": (NOISY, ONE_STEP.format("-"), "refuted"),
    "numbers of a step and of the one before": (SPREAD, RATIO.format("tm1", "t"), "proved"),
    "a fraction upside down": (SPREAD, RATIO.format("t", "tm1"), "refuted"),
    "a number as another equation says": (SCALE, SCORE.format(""), "proved"),
    "and otherwise": (SCALE, SCORE.format("-"), "refuted"),
    "a function of that name": (GATE, "def update_gate(x, W, b):\n    return np.tanh(W @ x + b)", "proved"),
    "a number in a call": (WINDOW, BAND.format("<"), "proved"),
    "one too many in the window": (WINDOW, BAND.format("<="), "refuted"),
    "a state that is given anew": (STATE, STEP + "    s = 0.5 * s + g\n    return g, s", "proved"),
    "members that may be those of another step": (STATE, STEP + "    return g", "undecided"),
}


@pytest.mark.parametrize(("text", "code", "expected"), CASES.values(), ids=list(CASES))
def test_code(text: str, code: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text(f"{text}\n\n```python\nimport numpy as np\n\n{code}\n```\n", encoding="utf-8")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    found = [i for d in made["documents"] for i in d["items"] if i["kind"] == "code"]
    assert {i["status"] for i in found} - {"skipped"} == {expected}
