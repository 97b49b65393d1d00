r"""Means whose subscript draws their names: `\mathbb{E}_{x \sim p}[f(x)]`."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study


def statuses(text: str) -> list[str]:
    found = study(read_text(text, "x.md"), decide=decide)
    return [f.status if f.code is None else f"{f.status} [{f.code}]" for f in found if f.kind not in ("shape", "prose")]


RETURN = r"$$J(\theta) = \mathbb{E}_{\tau \sim \pi_\theta}[R(\tau)]$$ "
BOUND = r"$$B(\theta, \phi) = \mathbb{E}_{q_\phi(z \mid x)}[\log p_\theta(x, z) - \log q_\phi(z \mid x)]$$ "
DATA = r"For $x \in \mathbb{R}^d$ and $w \in \mathbb{R}^d$ let the data be drawn from $D$. "
PAIRS = r"\mathbb{E}_{(x, y) \sim D}"
DOCUMENTS = {
    "linear": (r"$$\mathbb{E}_{x \sim p}[2 f(x) + 3] = 2 \mathbb{E}_{x \sim p}[f(x)] + 3$$", ["proved"]),
    "not linear like this": (
        r"$$\mathbb{E}_{x \sim p}[3 f(x)] = 2 \mathbb{E}_{x \sim p}[f(x)]$$",
        ["refuted [false-claim]"],
    ),
    "a letter without braces": (r"$$\mathbb E_{x \sim p} [a x] = a \mathbb E_{x \sim p} [x]$$", ["proved"]),
    "no law named": (r"$$\mathbb{E}_x[f(x) + g(x)] = \mathbb{E}_x[f(x)] + \mathbb{E}_x[g(x)]$$", ["proved"]),
    "the law tells what is drawn": (r"$$\mathbb{E}_{p(x)}[a x + b] = a \mathbb{E}_{p(x)}[x] + b$$", ["proved"]),
    "two laws of one name": (
        r"$$\mathbb{E}_{x \sim p}[f(x)] - \mathbb{E}_{x \sim q}[f(x)] = 0$$",
        ["undecided [ambiguous]"],
    ),
    "a variance": (
        r"$$\operatorname{Var}_{x \sim p}[a f(x)] = a^2 \operatorname{Var}_{x \sim p}[f(x)]$$",
        ["proved"],
    ),
    "a variance without its square": (
        r"$$\operatorname{Var}_{x \sim p}[a f(x)] = a \operatorname{Var}_{x \sim p}[f(x)]$$",
        ["refuted [false-claim]"],
    ),
    "two draws are independent": (
        r"$$\mathbb{E}_{x \sim p, y \sim q}[x y] = \mathbb{E}_{x \sim p}[x] \mathbb{E}_{y \sim q}[y]$$",
        ["proved"],
    ),
    "names drawn together are not": (
        rf"$${PAIRS}[x y] = {PAIRS}[x] {PAIRS}[y]$$",
        ["undecided [ambiguous]"],
    ),
    "names without a law are drawn together": (
        r"$$\mathbb{E}_{x, y}[x y] = \mathbb{E}_{x, y}[x] \mathbb{E}_{x, y}[y]$$",
        ["undecided [ambiguous]"],
    ),
    "a mean of means": (
        r"$$\mathbb{E}_{x \sim p} \mathbb{E}_{z \sim q}[2 h(x, z)] = 2 \mathbb{E}_{x \sim p} \mathbb{E}_{z \sim q}[h(x, z)]$$",
        ["proved"],
    ),
    "a mean of what is drawn outside of it": (
        r"$$\mathbb{E}_{x \sim p}[g(x) \mathbb{E}_{z \sim q}[h(x, z)]] = \mathbb{E}_{x \sim p} \mathbb{E}_{z \sim q}[g(x) h(x, z)]$$",
        ["unread [ambiguous]"],
    ),
    "a name that is defined by what is drawn": (
        r"$$y = x + 1$$ $$\mathbb{E}_{x \sim p}[x + y] = \mathbb{E}_{x \sim p}[x] + y$$",
        ["defined", "unread [ambiguous]"],
    ),
    "a law that depends on a parameter": (
        RETURN + r"$$2 J(\theta) = \mathbb{E}_{\tau \sim \pi_\theta}[2 R(\tau)]$$",
        ["defined", "proved"],
    ),
    "its mean depends on the parameter too": (
        RETURN + r"$$\nabla_\theta J(\theta) = 0$$",
        ["defined", "undecided [search-ended]"],
    ),
    "a bound of two parts": (
        BOUND
        + r"$$B(\theta, \phi) = \mathbb{E}_{q_\phi(z \mid x)}[\log p_\theta(x, z)] - \mathbb{E}_{q_\phi(z \mid x)}[\log q_\phi(z \mid x)]$$",
        ["defined", "proved"],
    ),
    "a bound of two parts with another sign": (
        BOUND
        + r"$$B(\theta, \phi) = \mathbb{E}_{q_\phi(z \mid x)}[\log p_\theta(x, z)] + \mathbb{E}_{q_\phi(z \mid x)}[\log q_\phi(z \mid x)]$$",
        ["defined", "undecided [ambiguous]"],
    ),
    "the gradient of a risk": (
        DATA + rf"$$\nabla_w {PAIRS}[(w^\top x - y)^2] = 2 {PAIRS}[(w^\top x - y) x]$$",
        ["proved"],
    ),
    "the gradient of a risk without its factor": (
        DATA + rf"$$\nabla_w {PAIRS}[(w^\top x - y)^2] = {PAIRS}[(w^\top x - y) x]$$",
        ["undecided [search-ended]"],
    ),
    "nothing is drawn in it": (r"$$\mathbb{E}_{x \sim p}[c] = c$$", ["unread [unknown-notation]"]),
    "means under two laws": (
        r"$$\mathbb{E}_{x \sim p}[x] = a$$ $$\mathbb{E}_{x \sim q}[x] = b$$ $$\mathbb{E}_{x \sim p}[2 x] = 2 b$$",
        ["undecided [ambiguous]"] * 3,
    ),
    "weights of importance": (
        r"$$\mathbb{E}_{x \sim p}[f(x)] = \mathbb{E}_{x \sim q}\left[\frac{p(x)}{q(x)} f(x)\right]$$",
        ["undecided [ambiguous]"],
    ),
    "a condition": (r"$$\mathbb{E}_{x \sim p}[f(x) \mid y] = \mathbb{E}_{x \sim p}[f(x)]$$", ["unread [out-of-scope]"]),
}


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_statuses(text: str, expected: list[str]) -> None:
    assert statuses(text) == expected
