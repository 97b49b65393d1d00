r"""The sign of a gradient as a name, `\nabla_t`, and as what is applied to functions."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study


def statuses(text: str) -> list[str]:
    return [f.status for f in study(read_text(text, "x.md"), decide=decide)]


MOMENTUM = r"""With the gradient $\nabla_%(t)s$ of step $%(t)s$ put
$$%(u)s_0 = 0, \qquad %(u)s_%(t)s = \rho %(u)s_{%(t)s-1} + \nabla_%(t)s .$$ Unrolled,
$$%(u)s_%(t)s = \sum_{i=1}^{%(t)s} \rho^{%(t)s-i%(more)s} \nabla_i .$$
"""


@pytest.mark.parametrize(("t", "u"), [("t", "u"), ("k", "v"), ("n", "m")])
def test_a_sign_that_is_never_applied_is_a_name(t: str, u: str) -> None:
    assert statuses(MOMENTUM % {"t": t, "u": u, "more": ""}) == ["defined", "defined", "proved"]
    assert statuses(MOMENTUM % {"t": t, "u": u, "more": "+1"})[-1] == "refuted"


APPLIED = {
    "to a function": r"Let $f(x) = x^\top x$ for $x \in \mathbb{R}^n$. $$\nabla_x f(x) = 2 x$$ We write $\nabla$ for gradients.",
    "its last use alone": r"Let $f(x) = x^\top x$ for $x \in \mathbb{R}^n$. $$\nabla f(x) = 2 x$$",
}


@pytest.mark.parametrize("name", APPLIED)
def test_a_sign_that_is_applied_stays_a_sign(name: str) -> None:
    assert "proved" in statuses(APPLIED[name])


def test_a_divergence_is_no_product_with_a_name() -> None:
    assert "defined" not in statuses(r"$$w = \nabla \cdot v$$")
