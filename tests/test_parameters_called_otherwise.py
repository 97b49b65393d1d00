r"""Functions whose parameters have no symbol's name, and functions for one step of a recurrence."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_documents

AFFINE = r"For $x \in \mathbb{R}^n$, $W \in \mathbb{R}^{m \times n}$ and $b \in \mathbb{R}^m$ let $$y = W x + b$$"
TWO = r"For $x, a, b \in \mathbb{R}^n$ let $$y_i = a_i x_i + b_i$$"
SCALED = r"For $x, g \in \mathbb{R}^n$ $$\text{RMS}(x; g) = g \odot x / \sqrt{\frac{1}{n} \sum_i x_i^2}$$"
NORM = r"For $x, \gamma, \beta \in \mathbb{R}^n$ and $\mu = \frac{1}{n} \sum_i x_i$ $$\text{Norm}(x; \gamma, \beta)_i = \gamma_i (x_i - \mu) + \beta_i$$"
MOMENTUM = (
    r"Let $\theta_t, g_t \in \mathbb{R}^n$. $$\begin{aligned} b_t &= \mu\, b_{t-1} + g_t, \\ \theta_t &= \theta_{t-1} - \eta\, b_t \end{aligned}$$ "
    r"with $b_0 = 0$."
)
ADAM = (
    r"Let $x_t, g_t \in \mathbb{R}^n$ and $\eta > 0$. $$m_t = \beta_1 m_{t-1} + (1 - \beta_1) g_t, \qquad m_0 = 0$$ "
    r"$$\hat{m}_t = \frac{m_t}{1 - \beta_1^t}$$"
)
STATE = (
    r"The state $S_t \in \mathbb{R}^{d \times d}$ starts at $S_0 = 0$ and is updated by $$S_t = \lambda S_{t-1} + k_t v_t^\top$$ "
    r"with $k_t, v_t \in \mathbb{R}^d$, and the output is $$o_t = S_t^\top q_t$$"
)
CASES = {
    "a matrix and a vector": (AFFINE, "y", ["def y(x, weight, bias):", "    return weight @ x + bias"], "proved"),
    "without the vector": (AFFINE, "y", ["def y(x, weight, bias):", "    return weight @ x - bias"], "refuted"),
    "two vectors, of which nothing tells which is which": (TWO, "y", ["def y(x, p, q):", "    return p * x + q"], "undecided"),
    "two vectors with words": (TWO, "y", ["def y(x, scale, shift):", "    return scale * x + shift"], "proved"),
    "two vectors with words, taken for each other": (TWO, "y", ["def y(x, scale, shift):", "    return shift * x + scale"], "refuted"),
    "the argument that is left": (SCALED, "", ["def rms(x, weight):", "    return weight * x / (x ** 2).mean(-1).sqrt()"], "proved"),
    "the argument that is left, not used well": (
        SCALED,
        "",
        ["def rms(x, weight):", "    return weight + x / (x ** 2).mean(-1).sqrt()"],
        "refuted",
    ),
    "arguments in their order": (NORM, "", ["def norm(x, weight, bias):", "    return weight * (x - x.mean()) + bias"], "proved"),
    "arguments whose words are against it": (
        NORM,
        "",
        ["def norm(x, shift, scale):", "    return shift * (x - x.mean()) + scale"],
        "skipped",
    ),
    "one step": (
        MOMENTUM,
        r"\theta_t",
        ["def f(theta, g, b, lr, mu):", "    b = mu * b + g", "    theta = theta - lr * b", "    return theta, b"],
        "proved",
    ),
    "one step with damping": (
        MOMENTUM,
        r"\theta_t",
        ["def f(theta, g, b, lr, mu):", "    b = mu * b + (1 - mu) * g", "    return theta - lr * b"],
        "refuted",
    ),
    "a number with an index, and the number of the step": (
        ADAM,
        r"\hat{m}_t",
        ["def f(g, m, t, beta1=0.9):", "    m = beta1 * m + (1 - beta1) * g", "    return m / (1 - beta1**t)"],
        "proved",
    ),
    "the number of the step as a factor": (
        ADAM,
        r"\hat{m}_t",
        ["def f(g, m, t, beta1=0.9):", "    m = beta1 * m + (1 - beta1) * g", "    return m / (1 - beta1 * t)"],
        "refuted",
    ),
    "a state that the step changes": (
        STATE,
        "o_t",
        ["def f(S, q, k, v, decay):", "    S = decay * S + torch.outer(k, v)", "    return S.T @ q"],
        "proved",
    ),
    "a state that is read before the step": (
        STATE,
        "o_t",
        ["def f(S, q, k, v, decay):", "    o = S.T @ q", "    S = decay * S + torch.outer(k, v)", "    return o"],
        "refuted",
    ),
    "a state after the step": (STATE, "o_t", ["def f(S, q):", "    return S.T @ q"], "proved"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_functions_are_judged_for_what_their_parameters_may_be(tmp_path: Path, name: str) -> None:
    text, symbol, lines, status = CASES[name]
    called = lines[0].removeprefix("def ").partition("(")[0]
    path = tmp_path / "lesson.md"
    code = "```python\nimport torch\n" + "\n".join(lines) + "\n```\n"
    link = f"<!-- check: {called} = {symbol} -->\n" if symbol else ""
    path.write_text(f"{text}\n\n{link}{code}", encoding="utf-8")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    items = [i for i in made["documents"][0]["items"] if i["kind"] == "code" and i["source"].startswith("def ")]
    assert [i["status"] for i in items] == [status], items
