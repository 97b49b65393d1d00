"""What the text says is not assumed: each document says a fact in its own way, or says it of something else."""

from fractions import Fraction

import pytest
from derivations.reports.run.check import check_documents

from derivations.kernel.scope import top_scope
from derivations.kernel.sign import positive
from derivations.language.statement import Statement, Tensor, Theory
from derivations.language.term import Apply, Entry, Number, Term, number

X = Entry("x", ())
HALF = r"$$ \frac{a T}{T} = a $$"

SAID = {
    "let": "Let $T > 0$ be a temperature and $a$ a logit. Then\n\n" + HALF,
    "a positive temperature": "We divide logits by a positive temperature $T$. For a logit $a$ we have\n\n" + HALF,
    "is strictly positive": "The temperature $T$ is assumed to be strictly positive. For a logit $a$,\n\n" + HALF,
    "where, after the formula": "For a logit $a$ we have\n\n" + HALF + "\n\nwhere $T > 0$ is the temperature.\n",
    "in a list after the formula": "We have\n\n"
    + HALF
    + "\n\nwhere\n\n- $a$ is a logit,\n- $T$ is a positive temperature.\n",
    "in a table of symbols": "| symbol | meaning |\n|---|---|\n| $a$ | a logit |\n| $T$ | temperature, positive |\n\nWe have\n\n"
    + HALF,
    "a table at the end": "# Scaling\n\nWe have\n\n"
    + HALF
    + "\n\n# Notation\n\n| symbol | meaning |\n|---|---|\n| $a$ | logit |\n| $T > 0$ | temperature |\n",
    "in plain letters": "Logits $a$ are divided by the temperature T > 0 of the model. We have\n\n" + HALF,
    "greater than zero": "The temperature $T$ must be greater than zero. For a logit $a$,\n\n" + HALF,
    "nonzero": "Let $T$ be a non-zero real number. For every $a$ we have\n\n" + HALF,
    "cannot be zero": "The divisor $T$ cannot be zero. For every number $a$ we have\n\n" + HALF,
    "in an earlier section": "# Setup\n\nThroughout, $T > 0$.\n\n# Scaling\n\nFor a logit $a$,\n\n" + HALF,
    "between zero and one": "The rate $T$ lies strictly between 0 and 1. For every number $a$ we have\n\n" + HALF,
    "an open interval": r"Let $T \in (0, 1)$ be a rate. For every number $a$ we have" + "\n\n" + HALF,
    "positive reals": r"Let $T \in \mathbb{R}_{>0}$. For every number $a$ we have" + "\n\n" + HALF,
    "different from zero in the formula": r"$$ \frac{a T}{T} = a \quad \text{for } T \neq 0 $$",
    "in parentheses": r"$$ \frac{a T}{T} = a \quad (T > 0) $$",
    "fixed and not zero": "Fix $T \\neq 0$. For every number $a$ we have\n\n" + HALF,
    "which is positive": "The temperature $T$, which is positive, cancels:\n\n" + HALF,
    "a thing that must be positive": "Here $T$ is a hyperparameter that must be positive, and $a$ a logit.\n\n" + HALF,
    "a positive thing": "Here $T$ denotes a positive smoothing strength, and $a$ is a number.\n\n" + HALF,
    "a bandwidth below a root": r"The bandwidth $\sigma$ is positive, and $x$ is a number. Then $$ \frac{x}{\sqrt{\sigma^2}} = \frac{x}{\sigma}. $$",
    "positive entries": r"Let $v \in \mathbb{R}^n$ be a vector with positive entries. Then $$ \sum_{i=1}^n \frac{v_i x_i}{v_i} = \sum_{i=1}^n x_i. $$",
    "a small constant": r"Let $x \in \mathbb{R}^d$ and"
    "\n\n"
    r"$$ s = \sqrt{\frac{1}{d} \sum_{j=1}^d x_j^2 + \epsilon}, \qquad y_i = \frac{x_i}{s}, $$"
    "\n\n"
    r"where $\epsilon$ is a small positive constant. Then $$ s y_i = x_i. $$",
    "logarithms to base 2": r"All logarithms are taken to base 2. For every number $x$ we have $$ \log 2^x = x. $$",
    "natural logarithms": r"The natural logarithm is written $\log$. For every number $x$ we have $$ \log e^x = x. $$",
    "queries and keys of norm one": r"The queries $q \in \mathbb{R}^d$ and keys $k \in \mathbb{R}^d$ are unit vectors. Then "
    r"$$ \sum_{i=1}^d (q_i - k_i)^2 = 2 - 2 \sum_{i=1}^d q_i k_i. $$",
    "widths of heads": r"A model of width $d$ has $H$ heads. Each has width $d_h = d / H$, so that together they have "
    r"$$ \sum_{h=1}^{H} d_h = d $$ columns.",
    "a unit vector": r"Let $u \in \mathbb{R}^n$ be a unit vector and $P = I - u u^\top$. Then $$ P u = 0. $$",
    "unit norm, said later": r"For $u \in \mathbb{R}^n$ put $P = I - u u^\top$. Then $$ P P = P, $$ because $u$ has unit norm.",
    "normalised to length one": r"The vectors $q \in \mathbb{R}^d$ are normalised to unit length. Then $$ \sum_{i=1}^d q_i^2 = 1. $$",
    "orthogonal": r"Let $R \in \mathbb{R}^{d \times d}$ be an orthogonal matrix and $q, k \in \mathbb{R}^d$. Then "
    r"$$ (R q)^\top (R k) = q^\top k. $$",
    "a rotation": r"Let $q, k \in \mathbb{R}^d$. A rotation matrix $R \in \mathbb{R}^{d \times d}$ keeps products: "
    r"$$ (R q)^\top (R k) = q^\top k. $$",
    "a distribution": r"Let $p \in \mathbb{R}^n$ be a probability distribution. Then "
    r"$$ \sum_{i=1}^n p_i (x_i + c) = \sum_{i=1}^n p_i x_i + c. $$",
    "rows that sum to one": r"Let $A \in \mathbb{R}^{n \times n}$ be row-stochastic. Then "
    r"$$ \sum_{j=1}^n A_{ij} (x_j + c) = \sum_{j=1}^n A_{ij} x_j + c. $$",
    "H divides d": r"Let $x \in \mathbb{R}^d$, where $H$ divides $d$. Then $$ \sum_{j=1}^{d/H} H = d. $$",
    "a multiple": r"Let $x \in \mathbb{R}^d$, where $d$ is a multiple of $H$. Then $$ \sum_{j=1}^{d/H} H = d. $$",
    "divisible": r"Let $x \in \mathbb{R}^d$ with $d$ divisible by $H$. Then $$ \sum_{j=1}^{d/H} H = d. $$",
    "even": r"Let $x \in \mathbb{R}^d$ with $d$ even. Then $$ \sum_{j=1}^{d/2} 2 = d. $$",
}
"""Documents whose last claim must be proved without an assumption."""

NOT_SAID = {
    "another name": "Let $c$ be positive. For a number $a$ we have\n\n" + HALF,
    "need not be": "The number $T$ need not be positive. For a number $a$ we have\n\n" + HALF,
    "denied": "It is not a positive number $T$ that we divide by. For a number $a$ we have\n\n" + HALF,
    "taken back in another section": "# One\n\nLet $T > 0$.\n\n# Two\n\nFor any real number $T$ we have\n\n" + HALF,
    "introduced anew": "# One\n\nLet $T$ be positive.\n\n# Two\n\nLet $T$ be a real number. For every $a$ we have\n\n"
    + HALF,
    "may be negative": "# One\n\nLet $T$ be positive.\n\n# Two\n\nHere $T$ may be negative. For every $a$ we have\n\n"
    + HALF,
    "a later section": "# One\n\nFor a number $a$ we have\n\n"
    + HALF
    + "\n\n# Two\n\nNow let $T > 0$ be a temperature.\n",
    "under if, in another paragraph": "If $T$ is positive, we speak of cooling.\n\nFor a number $a$ we have\n\n" + HALF,
    "nonnegative is not enough": "Let $T$ be nonnegative. For a number $a$ we have\n\n" + HALF,
    "a question": "Is the number $T$ positive? For a number $a$ we have\n\n" + HALF,
    "a conclusion": "For a number $a$ we have\n\n" + HALF + "\n\nHence $T$ is positive.\n",
    "positive with respect to": "The derivative of the loss with respect to $T$ is positive. For a number $a$ we have\n\n"
    + HALF,
    "one case of two": "Return $T$ where $T$ is positive, and 0 elsewhere. For a number $a$ we have\n\n" + HALF,
    "positive when": "The function is positive when $T$ grows. For a number $a$ we have\n\n" + HALF,
    "a positive change makes": "A positive change makes $T$ larger. For a number $a$ we have\n\n" + HALF,
    "if and only if": "It grows if and only if $T > 0$. For a number $a$ we have\n\n" + HALF,
    "for positive in another section": "# One\n\nFor positive $T$ it grows.\n\n# Two\n\nFor a number $a$ we have\n\n"
    + HALF,
    "plain letters under if": "It returns x if T > 0 and `y` else. For a number $a$ we have\n\n" + HALF,
    "both signs": "For positive $T$ it grows.\n\nFor negative $T$ it falls.\n\nFor a number $a$ we have\n\n" + HALF,
    "a positive integer beside it": "Let $c$ be a positive integer and $T$ a real number. For every $a$ we have\n\n"
    + HALF,
    "positive definite": r"Let $T$ be a positive definite matrix of the text, and $T$ a number. We have"
    + "\n\n"
    + HALF,
    "a positive example": "A positive example $T$ is drawn. For a number $a$ we have\n\n" + HALF,
}
"""Documents whose last claim must still assume that it does not divide by zero."""

OTHERS = {
    "a unit vector of another name": r"Let $u, w \in \mathbb{R}^n$ where $w$ is a unit vector, and $P = I - u u^\top$. Then $$ P u = 0. $$",
    "near a unit vector": r"Let $u \in \mathbb{R}^n$ and $P = I - u u^\top$. We do not assume that $u$ is a unit vector. Then $$ P u = 0. $$",
    "the gradient is a unit vector": r"Let $u \in \mathbb{R}^n$ and $P = I - u u^\top$, where the gradient of $u$ is a unit vector. "
    r"Then $$ P u = 0. $$",
    "if it is a unit vector": r"If $u \in \mathbb{R}^n$ is a unit vector, it is called a direction."
    "\n\n"
    r"Let $P = I - u u^\top$. Then $$ P u = 0. $$",
    "orthogonal to": r"Let $R \in \mathbb{R}^{d \times d}$, $q, k \in \mathbb{R}^d$, where $q$ is orthogonal to $k$. Then "
    r"$$ (R q)^\top (R k) = q^\top k. $$",
    "probabilities, one by one": r"Let $p_1, \ldots, p_n$ be probabilities. Then "
    r"$$ \sum_{i=1}^n p_i (x_i + c) = \sum_{i=1}^n p_i x_i + c. $$",
    "not a distribution": r"Let $p \in \mathbb{R}^n$ be no probability distribution. Then "
    r"$$ \sum_{i=1}^n p_i (x_i + c) = \sum_{i=1}^n p_i x_i + c. $$",
    "another base": r"All logarithms are taken to base 2. For every number $x$ we have $$ \log e^x = x. $$",
    "H divides another length": r"Let $x \in \mathbb{R}^d$ and $y \in \mathbb{R}^m$, where $H$ divides $m$. Then $$ \sum_{j=1}^{d/H} H = d. $$",
    "H need not divide": r"Let $x \in \mathbb{R}^d$, where $H$ need not divide $d$. Then $$ \sum_{j=1}^{d/H} H = d. $$",
    "not necessary that H divides": r"Let $x \in \mathbb{R}^d$. It is not necessary that $H$ divides $d$. Then $$ \sum_{j=1}^{d/H} H = d. $$",
}
"""Documents whose last claim must not be proved."""


def last_claim(text: str, tmp_path):  # type: ignore[no-untyped-def]
    path = tmp_path / "a.md"
    path.write_text(text + "\n", encoding="utf-8")
    report, errors = check_documents([path], device="cpu", numbers=False)
    assert not errors
    items = report["documents"][0]["items"]
    return ([i for i in items if i["kind"] in ("claim", "step")] or items)[-1]


@pytest.mark.parametrize("name", SAID)
def test_what_is_said_is_not_assumed(name: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    claim = last_claim(SAID[name], tmp_path)
    assert (claim["status"], claim["strength"]) == ("proved", "unconditional"), claim["assumptions"] or claim["reason"]


@pytest.mark.parametrize("name", NOT_SAID)
def test_what_is_not_said_is_assumed(name: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    claim = last_claim(NOT_SAID[name], tmp_path)
    assert claim["status"] != "proved" or any(a["text"].startswith("T != 0") for a in claim["assumptions"]), claim[
        "read"
    ]


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_said_of_something_else_proves_nothing(name: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    assert last_claim(OTHERS[name], tmp_path)["status"] != "proved"


@pytest.mark.parametrize(
    ("argument", "known"),
    [(Number(2), True), (Number(1), False), (number(Fraction(1, 2)), False), (Number(0), False), (X, False)],
)
def test_a_logarithm_is_positive_above_one(argument: Term, known: bool) -> None:
    scope = top_scope(Theory({"x": Tensor("x", ())}), Statement(X, "=", X))
    assert positive(Apply("log", argument), scope) is known
