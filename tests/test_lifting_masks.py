"""Writes through masks: of positions, of data, of both, alone and beside other subscripts; what is written stays a choice."""

from __future__ import annotations

import pytest

from derivations.lifting import NotLifted, equivalent
from derivations.provers.decide import Proved, Refuted

X = {"x": ("n", "d")}


def body(*lines: str, args: str = "x") -> str:
    return f"def f({args}):\n" + "\n".join(f"    {line}" for line in lines)


def written(mask: str, value: str, sign: str = "=") -> str:
    return body("y = x.clone()", f"y[{mask}] {sign} {value}", "return y")


SAME = [
    ("a bound", written("y < 0", "0"), body("return torch.relu(x)")),
    ("by a name", body("y = x.clone()", "m = x < 0", "y[m] = 0", "return y"), body("return torch.where(x < 0, 0.0, x)")),
    ("both kinds", written("(x > 0) & (torch.arange(x.shape[1]) > 0)", "1"),
     body("return torch.where((x > 0) & (torch.arange(x.shape[1]) > 0), 1.0, x)")),
    ("an addition", written("x > 0", "2", "+="), body("return torch.where(x > 0, x + 2, x)")),
    ("a difference", written("x > 0", "2", "-="), body("return torch.where(x > 0, x - 2, x)")),
    ("rows", written("x[:, 0] > 0", "5"), body("return torch.where(x[:, :1] > 0, 5.0, x)")),
    ("a column of rows", written("x[:, 0] > 0, 0", "5"),
     body("return torch.where((x[:, :1] > 0) & (torch.arange(x.shape[1]) == 0), 5.0, x)")),
    ("the other way round", written("~(x > 0)", "1"), body("return torch.where(x > 0, x, 1.0)")),
    ("NumPy", "import numpy as np\n" + body("y = x.copy()", "y[y < 0] = 0", "return y"),
     "import numpy as np\n" + body("return np.maximum(x, 0)")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "one", "two"), SAME, ids=[r[0] for r in SAME])
def test_a_write_through_a_mask_is_a_choice(name: str, one: str, two: str) -> None:
    assert isinstance(equivalent(one, two, **X), Proved)
    assert isinstance(equivalent(one, body("return x"), **X), Refuted)


REFUSED = [
    ("as many numbers as the mask has places", body("y = x.clone()", "y[x > 0] = v", "return y", args="x, v")),
    ("the same of positions", body("y = x.clone()", "y[torch.arange(x.shape[0]) > 0] = v", "return y", args="x, v")),
    ("in a loop", body("y = x.clone()", "for k in range(x.shape[0]):", "    y[x > k] = 0", "return y")),
    ("minus infinity", written("x > 0", "float('-inf')")),
]


@pytest.mark.parametrize(("name", "code"), REFUSED, ids=[r[0] for r in REFUSED])
def test_a_write_that_is_not_followed_is_refused(name: str, code: str) -> None:
    with pytest.raises(NotLifted):
        equivalent(code, code, x=("n",), v=("m",))
