"""Functions linked to the symbol that their docstring begins with, and what the defaults of their parameters are."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_documents

SOFTMAX = "For scores $z \\in \\mathbb{R}^n$ let\n\n$$p_i = \\frac{\\exp(z_i)}{\\sum_{j=1}^n \\exp(z_j)}$$\n"
HEATED = SOFTMAX.replace("\\exp(z_i)", "\\exp(z_i / \\tau)").replace("\\exp(z_j)", "\\exp(z_j / \\tau)")
BODY = "    return torch.softmax(scores{more}, dim=-1)"
BATCH = (
    "A batch $X \\in \\mathbb{R}^{N \\times D}$ has an example in each row.\n\n$$P_{nk} = \\frac{e^{Z_{nk}}}{\\sum_{c=1}^K e^{Z_{nc}}}$$\n\n"
    "$$R_{nk} = P_{nk} \\Big(G_{nk} - \\sum_{c=1}^K P_{nc} G_{nc}\\Big)$$\n"
)
ROWS = 'def weights(Z):\n    """P, row by row."""\n    e = np.exp(Z)\n    return e / e.sum(axis=1, keepdims=True)\n\n'
CASES = {
    "the symbol and its inputs": (SOFTMAX, 'def weights(scores):\n    """p for the scores."""\n' + BODY.format(more=""), "proved"),
    "another value": (HEATED, 'def weights(scores, tau=1.0):\n    """p for each row."""\n' + BODY.format(more=" * tau"), "refuted"),
    "a formula": (SOFTMAX, 'def weights(scores):\n    r"""$p$ of the scores."""\n' + BODY.format(more=""), "proved"),
    "changed in words": (SOFTMAX, 'def weights(scores):\n    """p without the sum."""\n' + "    return torch.exp(scores)", "skipped"),
    "the gradient of it": (SOFTMAX, 'def weights(scores):\n    """The gradient of p."""\n' + "    return torch.exp(scores)", "skipped"),
    "an article": (SOFTMAX.replace("p_i", "a_i"), 'def weights(scores):\n    """a sum of exponentials"""\n    return torch.exp(scores)', "skipped"),
    "a default that decides a branch": (
        SOFTMAX,
        "def weights(scores, tau=1.0):\n    if tau == 1.0:\n        return torch.softmax(scores, dim=-1)\n    return scores",
        "skipped",
    ),
    "a default that only fits by chance": (SOFTMAX, "def weights(scores, tau=1.0):\n" + BODY.format(more=" * tau"), "skipped"),
    "along the other axis": (BATCH, ROWS + 'def back(P, G):\n    """R"""\n    return P * (G - (P * G).sum(axis=0, keepdims=True))', "refuted"),
    "along the axis of the equation": (BATCH, ROWS + 'def back(P, G):\n    """R"""\n    return P * (G - (P * G).sum(axis=1, keepdims=True))', "proved"),
}  # fmt: skip


def last_function(path: Path) -> dict[str, object]:
    """The item of the last function of a document."""
    made, errors = check_documents([path], numbers=False)
    assert not errors
    items = [i for d in made["documents"] for i in d["items"] if i["kind"] == "code"]
    return [i for i in items if i["source"].startswith("def ")][-1]


@pytest.mark.parametrize("name", CASES)
def test_a_docstring_that_begins_with_a_symbol_links_the_function(name: str, tmp_path: Path) -> None:
    text, code, expected = CASES[name]
    path = tmp_path / "page.md"
    path.write_text(f"{text}\n```python\nimport numpy as np\nimport torch\n\n{code}\n```\n")
    assert last_function(path)["status"] == expected


def test_a_default_that_the_equation_lacks_is_stated(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(
        f"{SOFTMAX}\n```python\nimport torch\n\ndef p(z, tau=1.0):\n    return torch.softmax(z * tau, dim=-1)\n```\n"
    )
    found = last_function(path)
    assert found["status"] == "proved"
    assert [a["kind"] for a in found["assumptions"]] == ["default-value"]


@pytest.mark.parametrize("name", ["right", "wrong"])
def test_the_one_equation_of_a_docstring_is_what_a_function_computes(name: str, tmp_path: Path) -> None:
    total = "torch.exp(x).sum()" if name == "right" else "torch.exp(x).mean()"
    path = tmp_path / "page.py"
    path.write_text(
        f'import torch\n\n\ndef weights(x):\n    r"""$$ y_i = \\frac{{e^{{x_i}}}}{{\\sum_j e^{{x_j}}}} $$"""\n    return torch.exp(x) / {total}\n'
    )
    assert last_function(path)["status"] == ("proved" if name == "right" else "refuted")
