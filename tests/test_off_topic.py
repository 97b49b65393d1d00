r"""Chapters about other things: nothing is called wrong, and there is little to read."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.plain.terminal import summary
from derivations.reports.run import check

CHAPTERS = {
    "optimisers": r"""# How weights move

Plain descent takes $\theta_{t+1} = \theta_t - \eta \nabla_\theta L(\theta_t)$. Momentum keeps a velocity,
$$v_{t+1} = \mu v_t - \eta g_t, \qquad \theta_{t+1} = \theta_t + v_{t+1}.$$
Adam keeps two averages:
$$m_t = \beta_1 m_{t-1} + (1 - \beta_1) g_t$$
$$v_t = \beta_2 v_{t-1} + (1 - \beta_2) g_t^2$$
$$\hat m_t = \frac{m_t}{1 - \beta_1^t}, \quad \hat v_t = \frac{v_t}{1 - \beta_2^t}$$
$$\theta_t = \theta_{t-1} - \eta \frac{\hat m_t}{\sqrt{\hat v_t} + \epsilon}$$
With $\beta_1 = 0.9$ the first step has $m_1 = 0.1 g_1$ and $\hat m_1 = g_1$. The rate decays like
$$\eta_t = \eta_0 \cdot \min\left(\frac{1}{\sqrt{t}}, \frac{t}{T_{warm}}\right), \qquad \eta_t \approx \eta_0 / \sqrt{t}.$$

```python
for step in range(1000):
    loss = model(x).mean()
    loss.backward()
    optimizer.step()
    lr = 0.1 * 0.99 ** step
```
""",
    "convolution": r"""# Sliding windows

A discrete convolution of an image $I$ with a kernel $K$ is
$$(I * K)(i, j) = \sum_m \sum_n I(i - m, j - n) K(m, n)$$
and libraries compute the cross-correlation
$$S(i, j) = \sum_m \sum_n I(i + m, j + n) K(m, n).$$
The output has side $o = \lfloor (i + 2p - k) / s \rfloor + 1$; for $i = 32, k = 5, p = 2, s = 1$ we get $o = 32$.
A layer with $C_{in} = 3$ and $C_{out} = 64$ has $64 \cdot (3 \cdot 5 \cdot 5 + 1) = 4864$ parameters.
The receptive field grows as $r_l = r_{l-1} + (k_l - 1) \prod_{i=1}^{l-1} s_i$.

```python
conv = nn.Conv2d(3, 64, kernel_size=5, padding=2)
y = conv(torch.randn(1, 3, 32, 32))
print(y.shape)
```
""",
    "tokenisation": r"""# Words in pieces

Byte-pair encoding merges the most frequent pair, $(a^*, b^*) = \arg\max_{(a,b)} \mathrm{count}(a, b)$, until $|V| = 32000$.
A unigram model gives a segmentation the probability $P(x) = \prod_{i=1}^{M} p(x_i)$ with $\sum_{x \in V} p(x) = 1$, and picks
$$x^* = \arg\max_{x \in S(X)} P(x).$$
Compression is measured in bytes per token, e.g. $4.1$ for English; a text of $10^6$ bytes has about $2.4 \times 10^5$ tokens.

```python
ids = tokenizer.encode("low lower lowest")
assert tokenizer.decode(ids) == "low lower lowest"
```
""",
    "scaling": r"""# Bigger models

The loss follows power laws, $L(N) = (N_c / N)^{\alpha_N}$ with $\alpha_N \approx 0.076$, and jointly
$$L(N, D) = E + \frac{A}{N^\alpha} + \frac{B}{D^\beta}.$$
Training costs $C \approx 6 N D$ operations, so the best size grows as $N_{opt} \propto C^{a}$, $D_{opt} \propto C^{b}$ with $a + b = 1$ and $a = \frac{\beta}{\alpha + \beta}$.
For $C = 5.76 \times 10^{23}$ one finds $N = 70 \cdot 10^9$ and $D = 1.4 \cdot 10^{12}$, about 20 tokens for each parameter.
""",
    "history": r"""# Where it came from

In 1943 a neuron was a threshold, $y = 1$ if $\sum_i w_i x_i \ge \theta$ and $y = 0$ otherwise. The perceptron rule of 1958 is
$w \leftarrow w + \eta (t - y) x$. Hopfield's energy of 1982 is
$$E = -\frac{1}{2} \sum_{i \ne j} w_{ij} s_i s_j - \sum_i b_i s_i, \qquad \Delta E \le 0.$$
Backpropagation spread in 1986, with the delta rule $\Delta w_{ij} = \eta \delta_j o_i$, and long short-term memory in 1997:
$$c_t = f_t \odot c_{t-1} + i_t \odot \tilde c_t, \qquad h_t = o_t \odot \tanh(c_t).$$
""",
}


@pytest.mark.parametrize("name", CHAPTERS)
def test_nothing_is_wrong_and_little_is_said(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.md"
    path.write_text(CHAPTERS[name], encoding="utf-8")
    report, errors = check.check_documents([path], device="cpu", numbers=False)
    assert not errors
    assert not [i["source"] for i in report["documents"][0]["items"] if i["status"] in ("refuted", "wrong")]
    about = summary(report, colour=False).split("\n\n")[0].splitlines()
    assert len(about) <= 7, about  # an undecided claim has three lines
