r"""The number pi: where it is one, what sine and cosine are at its multiples, and what is not proved of a letter pi."""

from __future__ import annotations

import json

import pytest
import sympy
from flint import fmpq
from studied import statuses

from derivations.api import state
from derivations.kernel import certificate
from derivations.kernel.definition import admit
from derivations.kernel.errors import BadCertificate, NotConservative
from derivations.kernel.rules.trigonometry import value_at
from derivations.language.inputs import Inputs
from derivations.language.meaning import evaluate
from derivations.language.statement import Definition, Tensor, Theory
from derivations.language.sympy_form import BridgeError
from derivations.language.term import Apply, Entry, Mul, Number, TermError
from derivations.provers.decide import Proved, decide

CIRCLE = Entry("pi")
NUMBERS = Theory({"pi": Tensor("pi", constant="pi")})
SCHEDULE = (
    r"The learning rate is $$\eta(t) = \eta_{\min} + \frac{1}{2}(\eta_{\max} - \eta_{\min})"
    r"\left(1 + \cos\left(\frac{\pi t}{T}\right)\right).$$ "
)
CASES = {
    "values": (
        r"$$\cos(\pi) = -1, \qquad \sin(\pi/6) = \frac{1}{2}, \qquad \cos\frac{5\pi}{4} = -\frac{1}{\sqrt{2}}$$",
        ["proved"] * 3,
    ),
    "a quarter of a turn": (
        r"For all $x$, $$\sin(x + \pi/2) = \cos(x), \quad \cos(\pi - x) = -\cos x$$",
        ["proved"] * 2,
    ),
    "whole turns": (r"For all $x$, $$\sin(x + 2\pi) = \sin(x)$$", ["proved"]),
    "the ends of a schedule": (
        SCHEDULE + r"$$\eta(0) = \eta_{\max}, \qquad \eta(T) = \eta_{\min}$$",
        ["defined", "proved", "proved"],
    ),
    "a wrong slope of a schedule": (
        SCHEDULE + r"$$\eta'(t) = -\frac{\pi}{T} (\eta_{\max} - \eta_{\min}) \sin\frac{\pi t}{T}$$",
        ["defined", "refuted"],
    ),
    "a logarithm": (r"For $\sigma > 0$, $$\log(2 \pi \sigma^2) = \log(2\pi) + 2 \log \sigma$$", ["skipped", "proved"]),
    "a wrong value": (r"So $$\cos(\pi) = 1.$$", ["refuted"]),
    "a tangent": (r"$$\tan(\pi/4) = 1, \qquad \frac{d}{dx} \tan x = 1 + \tan^2 x$$", ["proved"] * 2),
    "a letter that may be a probability": (r"The variance is never negative, $\pi (1 - \pi) \ge 0$.", ["undecided"]),
}


@pytest.mark.parametrize("name", CASES)
def test_verdicts(name: str) -> None:
    text, expected = CASES[name]
    assert statuses(text) == expected


@pytest.mark.parametrize("function", ["sin", "cos"])
def test_values_are_those_of_the_functions(function: str) -> None:
    found = {}
    for k in range(-30, 31):
        value = value_at(function, fmpq(k, 12))
        if value is not None:
            found[k] = value
            angle = Mul((Number(fmpq(k, 12)), CIRCLE))
            difference = evaluate(Apply(function, angle) - value, NUMBERS, Inputs({}), {})
            assert abs(float(difference)) < 1e-12
    assert len(found) == 41  # multiples of pi/6 and of pi/4


def test_a_certificate_says_that_it_is_the_number() -> None:
    a = sympy.Symbol("a", real=True)
    statement, theory = state(sympy.log(2 * sympy.pi * a), sympy.log(2 * sympy.pi) + sympy.log(a), given=[a > 0])
    decision = decide(statement, theory)
    assert isinstance(decision, Proved)
    data = json.loads(json.dumps(certificate.write(decision.theorem)))
    assert ["pi", [], "pi"] in data["tensors"]
    assert "pi is the number pi" in certificate.describe(certificate.read(data))
    data["tensors"] = [["pi", []] if t[0] == "pi" else t for t in data["tensors"]]
    with pytest.raises(BadCertificate):  # of a letter that may be negative it is not proved
        certificate.read(data)


def test_a_symbol_of_that_name_stands_beside_no_number() -> None:
    with pytest.raises(BridgeError, match="another name"):
        state(sympy.Symbol("pi", real=True) + sympy.pi, sympy.pi)


def test_it_has_no_axes_and_no_other_value() -> None:
    with pytest.raises(TermError, match="without axes"):
        Tensor("pi", constant="tau")


def test_a_parameter_is_no_number() -> None:
    for parameter in (Tensor("pi"), Tensor("x", constant="pi")):
        body = Entry(parameter.name) + 1
        with pytest.raises(NotConservative, match="cannot be a number"):
            admit(NUMBERS, Definition("f", (), body, tensors=(parameter,)))


SCHEDULE = (
    r"For $0 \le t \le T$, $$\eta_t = \eta_{\min} + \frac12 (\eta_{\max} - \eta_{\min}) \left(1 + \cos\frac{\pi t}{T}\right).$$ "
    r"It starts at $\eta_0 = \eta_{\max}$, ends at $\eta_T = \eta_{\min}$, and halfway it is $\eta_{T/2} = "
)


@pytest.mark.parametrize(
    ("half", "status"),
    [(r"\frac{\eta_{\max} + \eta_{\min}}{2}", "proved"), (r"\frac{\eta_{\max} - \eta_{\min}}{2}", "refuted")],
)
def test_the_last_place_of_a_schedule_may_be_named(half: str, status: str) -> None:
    assert statuses(SCHEDULE + half + "$.") == ["defined", "proved", "proved", status]
