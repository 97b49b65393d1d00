"""Cases that are no facts, names that sections declare anew, and reasons that are not what a sentence claims."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_documents

LENGTHS = (
    "A layer has $H$ heads and $G$ groups, and $C(n, m) = 2 n m$.\n\n{0}\n\n$$a = C(n, H)$$\n\n$$b = C(n, G)$$\n\n"
    "We find $b = a$.\n"
)
BUFFER = (
    "The buffer starts at $u_0 = 0$ and follows\n\n$$u_t = \\mu u_{{t-1}} + g_t$$\n\n"
    "For a constant gradient, $g_i = g$, this is $u_t = \\frac{{1 - \\mu^t}}{{1 - \\mu}} g$.\n\n"
    "We define $s_t = \\mu s_{{t-1}} + g_t^2$ with $s_0 = 0$.\n\nThen $s_t = {0}$.\n"
)
WALK = (
    "Let $W \\in \\mathbb{{R}}^{{n \\times n}}$ be a symmetric matrix with entries $W_{{ij}} > 0$, and let "
    "$$d_i = \\sum_{{j=1}}^n W_{{ij}}, \\qquad P_{{ij}} = \\frac{{W_{{ij}}}}{{d_i}}$$\n\n{0}\n"
)
SCATTER = (
    "Let $x_1, \\dots, x_N \\in \\mathbb{R}^D$ be points with mean $$m = \\frac{1}{N} \\sum_{n=1}^N x_n$$ and "
    "$$S = \\frac{1}{N} \\sum_{n=1}^N (x_n - m)(x_n - m)^\\top$$\n\nStack the points as the rows of "
    "$A \\in \\mathbb{R}^{N \\times D}$.\n\nFor $u \\in \\mathbb{R}^D$ let $V(u) = u^\\top S u$. Then "
    "$$V(u) = \\frac{1}{N} \\sum_{n=1}^N (u^\\top (x_n - m))^2$$\n"
)
SECTIONS = (
    "# A\n\nWith $w, x \\in \\mathbb{R}^p$ let $a = w^\\top x$.\n\n# B\n\nFrom now on $x \\in \\mathbb{R}^d$, and "
    "$$C = I - \\frac{1}{d} \\mathbf{1} \\mathbf{1}^\\top, \\qquad \\bar x = \\frac{1}{d} \\sum_{j=1}^d x_j$$\n\n"
    "with $\\mathbf{1} \\in \\mathbb{R}^d$. Then $$C x = x - \\bar x \\mathbf{1}$$\n\n# C\n\n"
    "$$z = 2 C x$$\n\nHere $$z = 2 x - 2 \\bar x \\mathbf{1}$$\n"
)
CONVEX = (
    "Let $H \\in \\mathbb{R}^{d \\times d}$ be symmetric with eigenvalues between $\\mu$ and $L$, $0 < \\mu \\le L$. "
    "$$f(x) = \\tfrac{1}{2} x^\\top H x$$\n\nThen "
    "$$f(y) \\ge f(x) + \\nabla f(x)^\\top (y - x) + \\tfrac{\\mu}{2} \\|y - x\\|^2$$\n"
)
DESCENT = (
    "Let $H \\in \\mathbb{R}^{d \\times d}$ be symmetric and $x \\in \\mathbb{R}^d$. $$f(x) = \\tfrac{1}{2} x^\\top H x$$\n\n"
    "Descent computes $$x_{k+1} = x_k - \\alpha \\nabla f(x_k)$$\n\nThen $$f(x_{k+1}) - f(x_k) = "
    "-\\alpha \\|\\nabla f(x_k)\\|^2 + \\tfrac{\\alpha^2}{2} \\nabla f(x_k)^\\top H \\nabla f(x_k)$$\n"
)
LOSS = (
    "Let $z \\in \\mathbb{R}^K$ be logits and $y \\in \\{1, \\dots, K\\}$ the label, one example per row of the code.\n\n"
    "$$p_k = \\frac{e^{z_k}}{\\sum_{j=1}^K e^{z_j}}$$\n\n$$\\text{CE} = -\\log p_y \\tag{2}$$\n\n```python\nimport torch\n"
    "def CE(z, y):  # eq. (2)\n    p = torch.softmax(z, dim=DIM)\n    return -torch.log(p[torch.arange(len(y)), y])\n```\n"
)


def last_status(tmp_path: Path, text: str, kind: tuple[str, ...] = ("claim", "prose", "step")) -> str:
    """The status of the last item of these kinds."""
    path = tmp_path / "a.md"
    path.write_text(text)
    made, errors = check_documents([path], numbers=False)
    assert not errors
    items = [i for d in made["documents"] for i in d["items"] if i["kind"] in kind]
    return str(max(items, key=lambda i: (i["where"]["line"], i["where"]["column"]))["status"])


@pytest.mark.parametrize(
    ("said", "proved"),
    [
        ("Setting $G = H$ gives ordinary attention.", False),
        ("$G = H$ is ordinary attention.", False),
        ("Here $G = H$.", True),
    ],
)
def test_case_of_a_length_is_no_fact(tmp_path: Path, said: str, proved: bool) -> None:
    assert (last_status(tmp_path, LENGTHS.format(said)) == "proved") is proved


def test_one_value_for_all_members_is_a_case(tmp_path: Path) -> None:
    assert last_status(tmp_path, BUFFER.format("\\frac{1 - \\mu^t}{1 - \\mu} g^2")) != "proved"
    assert last_status(tmp_path, BUFFER.format("\\sum_{i=1}^t \\mu^{t-i} g_i^2")) == "proved"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Since $W$ is symmetric, $P$ is symmetric too.", "refuted"),
        ("Since $W$ is symmetric, the rows of $P$ sum to one.", "proved"),
    ],
)
def test_reason_is_not_what_a_sentence_claims(tmp_path: Path, sentence: str, expected: str) -> None:
    assert last_status(tmp_path, WALK.format(sentence)) == expected


def test_rows_of_a_matrix_do_not_turn_vectors(tmp_path: Path) -> None:
    assert last_status(tmp_path, SCATTER) == "proved"


def test_section_goes_on_with_the_space_of_the_one_before(tmp_path: Path) -> None:
    assert last_status(tmp_path, SECTIONS) == "proved"


def test_numbers_that_eigenvalues_lie_between(tmp_path: Path) -> None:
    assert last_status(tmp_path, CONVEX) == "undecided"


def test_gradients_at_several_points(tmp_path: Path) -> None:
    assert last_status(tmp_path, DESCENT) == "proved"


@pytest.mark.parametrize(("dim", "expected"), [("-1", "proved"), ("0", "refuted")])
def test_class_of_an_index_is_given_to_code(tmp_path: Path, dim: str, expected: str) -> None:
    path = tmp_path / "a.md"
    path.write_text(LOSS.replace("DIM", dim))
    made, _ = check_documents([path], numbers=False)
    items = [i for d in made["documents"] for i in d["items"] if i["kind"] == "code"]
    assert [i["status"] for i in items if i["source"].startswith("def ")] == [expected]
    assert expected == "proved" or all(i["status"] != "proved" for i in items)
