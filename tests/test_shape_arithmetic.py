"""Products of shapes are read as what they say of matrices, products of numbers as numbers."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study


def last(text: str) -> str:
    found = study(read_text(text, "x.md"), decide=decide)[-1]
    return f"{found.kind} {found.status}" + (f" [{found.code}]" if found.code else "")


_DECLARED = r"Let $W \in \mathbb{R}^{p \times q}$ and $V \in \mathbb{R}^{q \times s}$. "
OPEN = "shape undecided [ambiguous]"
WRONG = "shape refuted [shape-conflict]"

DOCUMENTS = {
    "a product": (r"The result has $(d \times r) \times (r \times k) = d \times k$ entries.", "shape proved"),
    "side by side": (r"The shapes are $(2 \times 3)(3 \times 4) = 2 \times 4$.", "shape proved"),
    "a dot": (r"The shapes are $(2 \times 3) \cdot (3 \times 4) = (2 \times 4)$.", "shape proved"),
    "an at sign and an arrow": (r"We have $(n \times d) @ (d \times m) \to n \times m$.", "shape proved"),
    "a transposed shape": (r"We have $(n \times d) \times (m \times d)^\top = n \times m$.", "shape proved"),
    "a batch": (r"We have $(B \times n \times d) \times (d \times m) \to B \times n \times m$.", "shape proved"),
    "a chain": (r"$$(a \times b)(b \times c)(c \times e) = (a \times c)(c \times e) = a \times e$$", "shape proved"),
    "a wrong result": (r"The shapes are $(2 \times 3)(3 \times 4) = 3 \times 4$.", WRONG),
    "wrong inner lengths": (r"The shapes are $(2 \times 3)(5 \times 4) = 2 \times 4$.", WRONG),
    "declared lengths": (_DECLARED + r"The product has $(p \times q)(q \times s) = q \times s$.", WRONG),
    "lengths that nothing declares": (r"The product has $(p \times q)(q \times s) = q \times s$.", OPEN),
    "another operation": (r"The shapes are $(8 \times 8)(3 \times 3) = 6 \times 6$.", OPEN),
    "a transpose that is left out": (_DECLARED + r"We have $(p \times q) \times (s \times q) = p \times s$.", OPEN),
    "not claimed": (r"If $(2 \times 3)(3 \times 4) = 3 \times 4$ were true, we could add.", OPEN),
    "numbers": (r"There are $3 \times 4 = 12$ entries.", "claim proved"),
    "wrong numbers": (r"There are $3 \times 4 = 13$ entries.", "claim refuted [false-claim]"),
    "a number of parameters": (r"There are $d \times k = d k$ parameters.", "claim proved"),
    "products of numbers": (r"There are $(2 \times 3) \times (3 \times 4) = 72$ of them.", "claim proved"),
    "a true product of numbers": (
        r"There are $(6 \times 2) \times (3 \times 1) = 4 \times 9$ of them.",
        "claim proved",
    ),
    "another order of numbers": (r"There are $(a \times b) (c \times e) = (a \times c) (b \times e)$.", "claim proved"),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_products_of_shapes_and_of_numbers(name: str) -> None:
    text, expected = DOCUMENTS[name]
    assert last(text) == expected


def test_cross_products_of_vectors_are_no_shapes() -> None:
    assert not last(r"Let $u, v, w \in \mathbb{R}^3$. Then $(u \times v)(v \times w) = u \times w$.").startswith(
        "shape"
    )
