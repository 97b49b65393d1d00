"""Every slip makes a theorem of a claim that has it, and accidents are told from slips."""

from __future__ import annotations

from functools import partial

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study import judging
from derivations.study.claims import study
from derivations.study.near_misses import NearMiss, near_miss
from derivations.study.slips import SLIPS

SOFTMAX = r"For $S \in \mathbb{R}^{n \times m}$ let $$A_{ij} = \frac{e^{S_{ij}}}{\sum_{k=1}^{m} e^{S_{ik}}}.$$ Then "
MATRICES = r"For $Q, K \in \mathbb{R}^{n \times d}$ let $$S = Q K^\top.$$ Then "
FALSE = {
    "other-axis": SOFTMAX + r"$$\sum_{i=1}^{n} A_{ij} = 1.$$",
    "summed-axis": SOFTMAX + r"Let $V \in \mathbb{R}^{m \times p}$. Then $$\sum_{j=1}^{m} A_{ij} V_{jc} = "
    r"\sum_{j=1}^{m} \frac{e^{S_{ij}}}{\sum_{k=1}^{n} e^{S_{kj}}} V_{jc}.$$",
    "swapped-arguments": (
        r"For $x, y \in \mathbb{R}^n$ let $$f(x, y) = \sum_i x_i (y_i + 1).$$ For $a, b \in \mathbb{R}^n$, "
        r"$$\sum_i a_i b_i + \sum_i b_i = f(a, b).$$"
    ),
    "transposed": r"For $A \in \mathbb{R}^{n \times n}$ and $x, y \in \mathbb{R}^n$ we have $$x^\top A y = y^\top A x.$$",
    "exchanged-indices": MATRICES + r"$$2 \sum_c Q_{ic} K_{jc} = \sum_c K_{ic} Q_{jc} + \sum_c K_{ic} Q_{jc}.$$",
    "exchanged-names": r"For positive numbers $u, v$ and numbers $a, b$ let $$w = \frac{1}{1/u + 1/v} .$$ "
    r"Then $$w \left(\frac{a}{u} + \frac{b}{v}\right) = \frac{u a + v b}{u + v}.$$",
    "direction": r"For numbers $a$ and $b$ we have $$a^2 + b^2 \le a^2.$$",
    "bound-index": SOFTMAX + r"$$A_{ij} = \frac{e^{S_{ij}}}{\sum_{k=1}^{m} e^{S_{ij}}}.$$",
    "scale": r"For numbers $a$ and $b$ we have $$(a + b)^2 - (a - b)^2 = 2 a b.$$",
    "sign": r"For numbers $a$ and $b$ we have $$(a + b)(a - b) = a^2 + b^2.$$",
    "index": MATRICES + r"$$2 S_{ij} = \sum_c 2 Q_{ic} K_{ic}.$$",
    "bound": r"For $x \in \mathbb{R}^n$ let $$s = \sum_{k=1}^n x_k^2.$$ Then $$s + 1 = 1 + \sum_{k=1}^{n-1} x_k x_k.$$",
    "factor": r"For numbers $a$ and $b$ we have $$(a + b)^2 = a^2 + a b + b^2.$$",
    "left-out": r"For numbers $a$ and $b$ we have $$(a + b)^2 = a^2 + 2 a b + b^2 + a.$$",
    "power": r"For a number $a$ we have $$(a + 1)^2 - 2 a - 1 = a.$$",
    "power-inside": r"For a number $a$ we have $$\sum_{k=0}^{n-1} (1 - a) a^k = (1 - a)^n.$$",
    "number": r"For a number $a$ we have $$(a + 1)^2 - a^2 = 3 a + 1.$$",
    "distance": (
        r"Let $k_t \in \mathbb{R}^d$ for $t = 1, \dots, n$. With $s_0 = 0$ let $$s_t = \gamma s_{t-1} + k_t.$$ "
        r"Then $$s_t = \sum_{j=1}^t \gamma^{t-j+1} k_j.$$"
    ),
    "place": r"For a whole number $n$ we have $$\sum_{k=1}^{n} k = \frac{(n - 1)(n + 1)}{2}.$$",
    "length": (
        r"For $q \in \mathbb{R}^{n \times d}$ let $$S_{ij} = \frac{1}{\sqrt{d}} \sum_c q_{ic} q_{jc}.$$ Then "
        r"$$2 S_{ij} = \frac{2}{\sqrt{n}} \sum_c q_{ic} q_{jc}.$$"
    ),
    "forgotten": (
        r"Let $k, w \in \mathbb{R}^d$ and $$u = w + b (c - w^\top k) k.$$ Then "
        r"$$u^\top k = (1 - b \|k\|^2) w^\top k + b c .$$"
    ),
    "upside-down": r"For positive numbers $a$, $b$ and $x$ we have $$\frac{a x}{b x} = \frac{b}{a}.$$",
    "function": r"For a number $a$ we have $$\sin(2 a) = 2 \sin(a) \sin(a).$$",
}
ACCIDENTS = {
    "numbers alone": r"So $$3 \cdot 4 = 24.$$",
    "a definition with another number": r"Let $x \in \mathbb{R}$ and $$y = 3 x.$$ Now $$y = 4 x.$$",
    "a number that some factor always fits": (
        r"For numbers $m$ and $s$ let $$x = m.$$ Then $$e^{-(x - m)^2 / s^2} = \frac{1}{2}.$$"
    ),
    "a condition": r"For $A \in \mathbb{R}^{n \times n}$ it may be that $$A A^\top = A^\top A.$$",
    "a length that is taken out": r"For $y \in \mathbb{R}^N$ let $$s = \sum_i y_i^2.$$ Then $$s = N s.$$",
}


def found(text: str, monkeypatch: pytest.MonkeyPatch) -> NearMiss | None:
    """The near miss of the last claim, whatever part it plays."""
    seen = []

    def doubted(case: judging.Case, verdict: judging.Verdict) -> judging.Verdict:
        seen.append((verdict.statement, case.theory))
        return verdict

    monkeypatch.setattr(judging, "doubted", doubted)
    study(read_text(text, "x.md"), decide=decide)
    statement, theory = seen[-1]
    return near_miss(statement, theory, partial(decide, refuting=False))


def test_every_slip_has_a_row() -> None:
    assert FALSE.keys() == {slip.name for slip in SLIPS} - {"name"}


@pytest.mark.parametrize("name", FALSE)
def test_a_slip_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    miss = found(FALSE[name], monkeypatch)
    assert miss is not None
    assert miss.slip.name == name
    assert miss.tells == (miss.slip.tells and not miss.restates)


@pytest.mark.parametrize("text", ACCIDENTS.values(), ids=ACCIDENTS)
def test_an_accident_tells_nothing(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    miss = found(text, monkeypatch)
    assert miss is None or not miss.tells
