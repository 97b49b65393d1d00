"""Printed text against values: what is right to its last digit, what is not, and what cannot be told."""

import pytest
from derivations.numeric.running.outputs import Shown, compare_cell
from derivations.numeric.running.printed import tokens

from derivations.documents.model.document import Text


def segment(
    text: str, *values: tuple[str, list[float], float, str], line: int = 1, kind: str = "stream"
) -> dict[str, object]:
    records = [[text.index(t), len(t), v, p, k] for t, v, p, k in values]
    return {"line": line, "text": text, "kind": kind, "values": records}


def shown(text: str) -> Shown:
    return Shown(
        text, ((0, Text.of_lines([(line, k, 1) for k, line in enumerate(text.split("\n"), 1)], "a.md", None)),)
    )


F32, F64 = 1.2e-7, 2.3e-16
STATES = [
    # the document's text, what the run printed, the values behind it, the state
    ("tensor([0.9544, 1.4950])", "tensor([0.9544, 1.4950])", [0.95442, 1.49498], F32, "same"),
    ("tensor([0.9544, 1.4950])", "tensor([0.9544, 1.4951])", [0.95442, 1.495051], F32, "same"),  # on the edge
    ("tensor([0.9544, 1.4950])", "tensor([0.9544, 1.4952])", [0.95442, 1.49520], F32, "differs"),
    ("tensor([0.954, 1.495])", "tensor([0.9544, 1.4950])", [0.95442, 1.49498], F32, "same"),  # rounded by hand
    ("tensor([1., 1.])", "tensor([1.0000, 1.0000])", [0.9999999, 1.0000001], F32, "same"),
    ("tensor([1., 1.])", "tensor([1.1000, 1.0000])", [1.1, 1.0], F32, "differs"),
    ("tensor([[1, 2], [3, 4]])", "tensor([1, 2, 3, 4])", [1, 2, 3, 4], 0.0, "differs"),  # another shape
    ("[[0. 1.]\n [0.84 0.54]]", "[[0.     1.    ]\n [0.8415 0.5403]]", [0, 1, 0.8415, 0.5403], F64, "same"),
    ("[[0.   1.  ]\n [0.09 0.995]]", "[[0.    1.   ]\n [0.095 0.995]]", [0, 1, 0.095, 0.995], F64, "differs"),
    ("torch.Size([6, 2])", "torch.Size([6, 2])", [6, 2], 0.0, "same"),
    ("torch.Size([6, 2])", "torch.Size([6, 3])", [6, 3], 0.0, "differs"),
    ("2", "8", [8], 0.0, "differs"),
    ("-4.44e-16", "0.0", [0.0], F64, "unclear"),  # rounding errors
    ("2.4771e-14", "2.4771e-14", [2.47712e-14], F32, "same"),
    ("tensor([0.5], grad_fn=<Mm0>)", "tensor([0.5], grad_fn=<MmBackward0>)", [0.5], F32, "same"),
    ("tensor([0.5], device='cuda:0')", "tensor([0.5])", [0.5], F32, "same"),
    ("1.0", "np.float64(1.0)", [1.0], F64, "same"),
    ("tensor([0.1, 0.2", "tensor([0.1, 0.2, 0.3])", [0.1, 0.2, 0.3], F32, "same"),  # the document is cut
    ("tensor([0.1, ..., 0.3])", "tensor([0.1, 0.2, 0.3])", [0.1, 0.2, 0.3], F32, "same"),
    ("tensor([0.1, ..., 0.4])", "tensor([0.1, 0.2, 0.3])", [0.1, 0.2, 0.3], F32, "differs"),
    ("tensor([nan, -inf])", "tensor([nan, -inf])", [float("nan"), float("-inf")], F32, "same"),
    ("tensor([nan])", "tensor([0.5])", [0.5], F32, "differs"),
]


@pytest.mark.parametrize(("text", "run", "values", "precision", "state"), STATES)
def test_a_value(text: str, run: str, values: list[float], precision: float, state: str) -> None:
    found = compare_cell(shown(text), [segment(run, (run, values, precision, "number"))])
    assert [o.state for o in found.outcomes] == [state]
    assert found.left_over is None


UNKNOWN = [
    ("torch version: 2.9.0", "torch version: 2.13.0"),
    ("took 1.52 s", "took 0.01 s"),
    ("built 2024-01-02", "built 2025-03-04"),
]


@pytest.mark.parametrize(("text", "run"), UNKNOWN)
def test_text_alone_is_never_wrong(text: str, run: str) -> None:
    found = compare_cell(shown(text), [segment(run)])
    assert all(o.state != "differs" for o in found.outcomes)


def test_a_truth_value_that_is_known() -> None:
    known = segment("close: True", ("True", [], 0.0, "truth"))
    assert [o.state for o in compare_cell(shown("close: False"), [known]).outcomes] == ["differs"]
    assert [o.state for o in compare_cell(shown("close: False"), [segment("close: True")]).outcomes] != ["differs"]


def test_a_truth_value_among_others() -> None:
    run = [segment("True\n", ("True", [], 0.0, "truth")), segment("False\n", ("False", [], 0.0, "truth"), line=2)]
    assert [o.state for o in compare_cell(shown("True\nTrue"), run).outcomes] == ["same", "differs"]


def test_pieces_find_their_place_among_other_lines() -> None:
    run = [
        segment("a: [1 2]\n", ("[1 2]", [1, 2], 0.0, "number")),
        segment("b: [3 5]\n", ("[3 5]", [3, 5], 0.0, "number"), line=2),
    ]
    text = "Downloading 17 files\na: [1 2]\nb: [3 4]"
    found = compare_cell(shown(text), run)
    assert [(o.state, text[o.start :].split()[0]) for o in found.outcomes] == [("same", "a:"), ("unclear", "b:")]
    named = [run[0], segment("scores: [3 5]\n", ("[3 5]", [3, 5], 0.0, "number"), line=2)]
    found = compare_cell(shown(text.replace("b:", "scores:")), named)
    assert [o.state for o in found.outcomes] == ["same", "differs"]


def test_tokens_know_shapes() -> None:
    found = [t for t in tokens("A: array([[1., 2.],\n       [3., 4.]]) and (4, 4)") if t.kind == "array"]
    assert [t.shape for t in found] == [(1, 2, 2), (2,)]
