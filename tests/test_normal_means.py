r"""Means of exponentials, sines and cosines of what is linear in normal variables, and what a normal law does not tell."""

from __future__ import annotations

import json

import pytest
import sympy
from flint import fmpq
from studied import statuses

from derivations.api import Random, expectation, state
from derivations.kernel import certificate
from derivations.kernel.errors import KernelError
from derivations.kernel.proof import Meet, Step
from derivations.kernel.replay import replay
from derivations.language.degrees import degree
from derivations.language.statement import Definition, Law, Statement, Tensor, Theory
from derivations.language.term import ONE, ZERO, Apply, Entry, Expectation, Index, Lambda, Mul, Number, Pow, at_least
from derivations.provers.decide import Proved, Refuted, decide

DRAWN = r"Let $\omega \sim \mathcal{N}(0, I_d)$ and $u, x, y \in \mathbb{R}^d$. Then "
PROVED = {
    "an exponential": r"$$\mathbb{E}[e^{\omega^\top u}] = e^{\|u\|^2/2}$$",
    "a cosine": r"$$\mathbb{E}[\cos(\omega^\top u)] = e^{-\|u\|^2/2}$$",
    "a sine": r"$$\mathbb{E}[\sin(\omega^\top u)] = 0$$",
    "positive random features": r"$$\mathbb{E}[e^{\omega^\top x - \|x\|^2/2} e^{\omega^\top y - \|y\|^2/2}] = e^{x^\top y}$$",
    "a difference": r"$$\mathbb{E}[\cos(\omega^\top (x - y))] = e^{-\|x - y\|^2/2}$$",
    "a variance": r"$$\operatorname{Var}(\cos(\omega^\top u)) = \frac{1}{2} (1 - e^{-\|u\|^2})^2$$",
}
REFUTED = {
    "an exponential without its half": r"$$\mathbb{E}[e^{\omega^\top u}] = e^{\|u\|^2}$$",
    "a variance without a square": r"$$\operatorname{Var}(\cos(\omega^\top u)) = \frac{1}{2} (1 - e^{-\|u\|^2})$$",
}
z = Entry("z")
NORMAL = Theory({"z": Tensor("z", (), Law(ZERO, ONE, normal=True)), "a": Tensor("a")})
OTHER = Theory({"z": Tensor("z", (), Law(ZERO, ONE)), "a": Tensor("a")})
MEAN = Statement(Expectation(Apply("exp", z)), "=", Apply("exp", Number(fmpq(1, 2))))


@pytest.mark.parametrize("name", PROVED)
def test_is_proved(name: str) -> None:
    assert statuses(DRAWN + PROVED[name]) == ["skipped", "proved"]


@pytest.mark.parametrize("name", REFUTED)
def test_is_refuted(name: str) -> None:
    assert statuses(DRAWN + REFUTED[name]) == ["skipped", "refuted"]


def test_a_drawn_vector_with_covariances() -> None:
    text = (
        r"Let $\mu, u \in \mathbb{R}^n$, $\Sigma \in \mathbb{R}^{n \times n}$ and $x \sim \mathcal{N}(\mu, \Sigma)$. "
        r"$$\mathbb{E}[e^{u^\top x}] = e^{u^\top \mu + \frac{1}{2} u^\top \Sigma u}$$"
    )
    assert statuses(text) == ["skipped", "proved"]


def test_the_law_is_told_in_the_certificate() -> None:
    decision = decide(MEAN, NORMAL)
    assert isinstance(decision, Proved)
    assert "independent and normally distributed" in decision.theorem.assumptions[0].text
    data = json.loads(json.dumps(certificate.write(decision.theorem)))
    assert certificate.read(data).rules == decision.theorem.rules


def test_of_another_law_with_these_moments_nothing_is_proved() -> None:
    assert not isinstance(decide(MEAN, OTHER), Proved)
    step = Step(
        "expect_normal", (), MEAN.left, MEAN.right, {"tensor": "z", "coefficients": Lambda((), ONE), "rest": ZERO}
    )
    with pytest.raises(KernelError, match="a normal tensor"):
        replay(OTHER, MEAN, Meet((step,), ()))


def test_coefficients_are_not_random() -> None:
    squared = Expectation(Apply("exp", Mul((z, z))))
    said = Statement(squared, "=", Apply("exp", Number(fmpq(1, 2))))
    step = Step("expect_normal", (), squared, said.right, {"tensor": "z", "coefficients": Lambda((), z), "rest": ZERO})
    with pytest.raises(KernelError, match="not random"):
        replay(NORMAL, said, Meet((step,), ()))


def test_higher_moments_are_not_refuted_by_two_outcomes() -> None:
    fourth = Statement(Expectation(Pow(z, 4)), "=", Number(3))
    assert not isinstance(decide(fourth, NORMAL), Refuted)
    second = Statement(Expectation(Pow(z, 2)), "=", Number(3))
    assert isinstance(decide(second, NORMAL), Refuted)


def test_sympy_symbols_are_normal() -> None:
    w, c = sympy.symbols("w c", real=True)
    statement, theory = state(
        expectation(sympy.exp(c * w)), sympy.exp(c**2 / 2), given=[Random(w, mean=0, variance=1, normal=True)]
    )
    assert isinstance(decide(statement, theory), Proved)


def test_degrees() -> None:
    t = Index.var("t")
    x = Entry("x", (t,))
    rows = (
        Definition("x", (Index.of(0),), ZERO),
        Definition("x", (t + 1,), Entry("a") * x + z, (at_least(t, 0),)),
    )
    theory = Theory(NORMAL.tensors, {"x": rows})
    names = frozenset({"z"})
    assert degree(Pow(x, 2), names, theory) == 2
    assert degree(Apply("exp", z), names, theory) is None
    grown = (rows[0], Definition("x", (t + 1,), x * z, (at_least(t, 0),)))
    assert degree(x, names, Theory(NORMAL.tensors, {"x": grown})) is None
