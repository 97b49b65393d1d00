"""Which formulas look the same, so that a report shows one of them."""

from __future__ import annotations

import pytest
from derivations.reports.layout.same_look import alike

SAME = [
    ("x", "x"),
    ("A_{ij} = e^{x}.", r"A_{ij} := \,e^x"),
    (r"a \coloneqq b,", "a = b"),
    (r"f\left(x\right)", r"f\bigl(x\bigr)"),
    (r"\displaystyle \frac{a}{b}", r"\frac ab"),
    (r"{a} + {b}", "a+b"),
    (r"\sqrt{d}", r"\sqrt d"),
    (r"\begin{pmatrix} a & b \end{pmatrix}", r"\begin{pmatrix}a&b\end{pmatrix}"),
    (r"\hat{x}'", r"\hat x'"),
]
DIFFERENT = [
    ("A_{ij}", "A_i j"),
    ("x", r"\mathbf{x}"),
    (r"\mathbb{1}", "1"),
    ("a - b", "a + b"),
    (r"\frac{a}{b}", r"\binom{a}{b}"),
    (r"\frac{ab}{c}", r"\frac{a}{bc}"),
    (r"\sqrt{ab}", r"\sqrt{a}b"),
    (r"\sum_j x_j", r"\sum_{j=1}^{n} x_j"),
    ("f(x)", "f[x]"),
    ("x'", "x"),
    (r"\hat{x}", r"\tilde{x}"),
    ("a : b", "a b"),
    ("a \\\\ b", "a b"),
    ("{ab}_c", "a_{bc}"),
    ("x^2", "x_2"),
    (r"\text{if } x", r"\text{of } x"),
    (r"\foo x", r"\bar x"),
    ("", "x"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_same(one: str, other: str) -> None:
    assert alike(one, other)
    assert alike(other, one)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different(one: str, other: str) -> None:
    assert not alike(one, other)
    assert not alike(other, one)
