"""Rows of an alignment that go on with several equations, each in its own column, and results of rounded numbers."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.latex.syntax.reader import read_equation
from derivations.provers.decide import decide
from derivations.study.claims import study

COLUMNS = r"$$\begin{align*} P &= \frac{20}{50} & R &= \frac{30}{50}\\ &= \frac{2}{5} & &= \frac{%s}{5} \end{align*}$$"


def test_each_column_goes_on_with_its_equation() -> None:
    right, wrong = (study(read_text(COLUMNS % n, "x.md"), decide=decide) for n in (3, 4))
    assert [f.status for f in right if f.kind == "step"] == ["proved", "proved"]
    assert [f.status for f in wrong if f.kind == "step"] == ["proved", "refuted"]


def test_a_chain_that_goes_on_across_a_mark_is_one() -> None:
    readings = read_equation(r"\begin{align} a &= b && = c \\ &= d && = e \end{align}")
    assert [len(r.chain.links) for r in readings] == [2, 2]


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        (r"0.811 - 0.6887 = 0.1226", "undecided"),
        (r"16.5249 \times 0.0914 = 1.5105217", "undecided"),
        (r"42.8897 - 15.4688 = 27.3919057", "refuted"),
        (r"0.4 - 0.1 \cdot (-0.205) = 0.3795", "refuted"),
        (r"0.811 - 0.6887 = 0.122", "holds"),
    ],
)
def test_a_result_with_more_places_was_not_found_from_rounded_numbers(claim: str, status: str) -> None:
    (found,) = study(read_text(f"So ${claim}$.", "x.md"), decide=decide)
    assert found.status == status


@pytest.mark.parametrize("sign", [":=", r"\colon=", r"\coloneqq", "="])
def test_a_mark_before_any_sign_of_definition_is_no_end(sign: str) -> None:
    readings = read_equation(rf"\begin{{align}} a_k &{sign} b_k, \\ c_k &{sign} 2 a_k \end{{align}}")
    assert [(r.chain.first is not None, [s for s, _ in r.chain.links]) for r in readings] == [(True, ["="])] * 2
