r"""Labels: positions on an axis that are data, as the class `y_n` of example n in `P_{n, y_n}`."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_documents

from derivations.documents import read_text
from derivations.kernel.linear import consistent, entails
from derivations.language.inputs import Inputs
from derivations.language.term import Entry, Index, at_least, equal, guard, label, less
from derivations.latex.passes.labels_in_subscripts import with_labels
from derivations.latex.syntax.reader import read_equation
from derivations.latex.syntax.surface import Label, walk_reading
from derivations.latex.writer import Style, write_latex
from derivations.provers.decide import decide
from derivations.study.claims import study

n, m, i, K, N = Index.var("n"), Index.var("m"), Index.var("i"), Index.size("K"), Index.size("N")
y = label("y", (n,), K)


def last(text: str) -> tuple[str, str]:
    """Status and code of the last item of a document."""
    found = study(read_text(text, "labels.md"), decide=decide)[-1]
    return found.status, found.code or ""


# --- the kernel's facts ----------------------------------------------------------------------------------------------


def test_a_label_lies_on_its_axis() -> None:
    assert entails((), at_least(y, 0)) and entails((), less(y, K))
    assert not entails((), less(y + 1, K)) and not entails((), at_least(y, 1))
    assert entails(guard(equal(n, m)), equal(y, label("y", (m,), K)))
    assert not entails((), equal(y, label("y", (m,), K)))
    assert not entails(guard(equal(y, label("y", (m,), K))), equal(n, m))
    assert not entails(guard(equal(n, m)), equal(y, label("z", (m,), K)))


def test_an_axis_that_may_be_empty_says_nothing_of_a_label() -> None:
    on_less = label("y", (n,), K - 1)
    assert consistent(guard(equal(K, 1), at_least(on_less, 0)))
    assert not entails((), less(on_less, K - 1))
    assert entails(guard(at_least(K, 2)), less(on_less, K - 1))
    assert Inputs({"K": 1}).choose("label", "y", 0, (3,)) == 0


@pytest.mark.parametrize("k", [1, 2, 5])
def test_values_of_labels_lie_on_the_axis(k: int) -> None:
    inputs = Inputs({"K": k})
    values = {y.evaluate({"n": at}, inputs.sizes, inputs.choose) for at in range(-3, 40)}
    assert values <= set(range(k)) and (k == 1 or len(values) > 1)
    given = Inputs({"K": 5}, {"y": [4, 0, 7]})
    assert [y.evaluate({"n": at}, given.sizes, given.choose) for at in (0, 1)] == [4, 0]


def test_a_label_is_written_with_its_indices() -> None:
    assert write_latex(Entry("Z", (n, y)), Style(bases={"Z": 1})) == "Z_{n, y_{n}}"
    assert str(Entry("Z", (n, y))) == "Z[n, y(n)]"


# --- which names are labels ------------------------------------------------------------------------------------------


def labels_in(*formulas: str) -> set[str]:
    readings = [r for f in formulas for r in read_equation(f, {})]
    return {x.name.base for r in with_labels(readings) for x in walk_reading(r) if isinstance(x, Label)}


LABELS = {
    "a place that letters take elsewhere": (r"P_{nk} = e^{Z_{nk}}", r"L = \sum_{n=1}^N \log P_{n, y_n}"),
    "side by side": (r"P_{nk} = e^{Z_{nk}}", r"L = \sum_{n=1}^N \log P_{n y_n}"),
    "a stated shape": (r"E \in \mathbb{R}^{V \times d}", r"x_t = E_{y_t}"),
    "a stated range": (r"y_n \in \{1, \dots, K\}", r"r_{nk} = \mathbb{1}[y_n = k]"),
    "superscripts": (r"z^{(i)}_k = 1", r"\ell^{(i)} = - z^{(i)}_{y^{(i)}}"),
}
NO_LABELS = {
    "the mean of a random variable": (r"\mu_1 = 0", r"\mathbb{E}[X_i] = \mu_{X_i}", r"\sum_i X_i = S"),
    "a length": (r"x_{ij} = 1", r"s = \sqrt{d_k} \sum_{k=1}^{n} x_{k d_k}"),
    "an end of a sum": (r"x_{ij} = 1", r"s_i = \sum_{t=1}^{T_i} x_{i t}", r"e_i = x_{i, T_i}"),
    "a gradient": (r"g = \sum_i \nabla_{x_i} f",),
    "numbers": (r"y_n \in \{-1, 1\}", r"m_n = y_n s_n"),
    "no letter that is an index": (r"h_t = f(h_{t-1})", r"c = h_{T_x}"),
}


@pytest.mark.parametrize("name", LABELS)
def test_names_that_say_which_entry_is_meant(name: str) -> None:
    assert labels_in(*LABELS[name]) == {"y"}


@pytest.mark.parametrize("name", NO_LABELS)
def test_names_below_names_that_are_no_labels(name: str) -> None:
    assert labels_in(*NO_LABELS[name]) == set()


# --- documents -------------------------------------------------------------------------------------------------------

ENTROPY = (
    r"Let $Z \in \mathbb{R}^{N \times K}$ be the logits and $y_n \in \{1, \dots, K\}$ the label of example $n$. "
    r"$$P_{nk} = \frac{e^{Z_{nk}}}{\sum_{l=1}^K e^{Z_{nl}}}$$ $$L = -\frac{1}{N} \sum_{n=1}^N \log P_{n, y_n}$$ "
)
MIXTURE = (
    r"Let $x_1, \dots, x_n \in \mathbb{R}^d$ have assignments $z_i \in \{1, \dots, K\}$ and centres $\mu_1, \dots, \mu_K \in "
    r"\mathbb{R}^d$. $$J = \sum_{i=1}^n \| x_i - \mu_{z_i} \|^2$$ With $r_{ik} = \mathbb{1}[z_i = k]$, "
)
TOKENS = (
    r"Let $E \in \mathbb{R}^{V \times d}$, $W \in \mathbb{R}^{r \times d}$ and $w_t$ the token at position $t$. $$x_t = E_{w_t}$$ "
    r"$$q_t = W x_t$$ "
)
FROM_ZERO = r"For logits $z \in \mathbb{R}^{n \times C}$ and targets $t_i \in \{0, \dots, C-1\}$ let $$m_i = \sum_{j \neq t_i} \max(0, 1 + z_{ij} - z_{i t_i}) .$$ "
PROVED = {
    "the loss with the softmax put in": ENTROPY
    + r"$$L = \frac{1}{N} \sum_{n=1}^N \Big( \log \sum_{l=1}^K e^{Z_{nl}} - Z_{n, y_n} \Big)$$",
    "its gradient": ENTROPY
    + r"$$\frac{\partial L}{\partial Z_{nk}} = \frac{1}{N} \left( P_{nk} - \mathbb{1}[k = y_n] \right)$$",
    "one-hot rows": ENTROPY
    + r"With $Y_{nk} = \mathbb{1}[y_n = k]$, $$L = -\frac{1}{N} \sum_{n=1}^N \sum_{k=1}^K Y_{nk} \log P_{nk} .$$",
    "a sum over assignments": MIXTURE + r"$$J = \sum_{i=1}^n \sum_{k=1}^K r_{ik} \| x_i - \mu_k \|^2 .$$",
    "all sizes together": MIXTURE + r"$$\sum_{k=1}^K \sum_{i=1}^n r_{ik} = n .$$",
    "a row of a matrix": TOKENS + r"$$q_t = W E_{w_t}$$",
    "all others": FROM_ZERO + r"$$m_i = \sum_{j=0}^{C-1} \max(0, 1 + z_{ij} - z_{i t_i}) - 1$$",
}
REFUTED = {
    "the sign of a gradient": ENTROPY
    + r"Therefore $$\frac{\partial L}{\partial Z_{nk}} = \frac{1}{N} \left( \mathbb{1}[k = y_n] - P_{nk} \right) .$$",
    "one too many": FROM_ZERO + r"Therefore $$m_i = \sum_{j=0}^{C-1} \max(0, 1 + z_{ij} - z_{i t_i}) .$$",
    "a cluster of its own": MIXTURE + r"it follows that $$\sum_{k=1}^K \sum_{i=1}^n r_{ik} = K .$$",
}


@pytest.mark.parametrize("name", PROVED)
def test_statements_about_labels_are_proved(name: str) -> None:
    assert last(PROVED[name])[0] == "proved"


@pytest.mark.parametrize("name", REFUTED)
def test_false_statements_about_labels_are_refuted(name: str) -> None:
    assert last(REFUTED[name])[0] == "refuted"


def test_labels_from_zero_tell_the_classes_of_an_axis_that_counts_from_one() -> None:
    text = (
        r"For $k = 1, \ldots, K$ and $Z \in \mathbb{R}^{N \times K}$ let $$P_{nk} = \frac{e^{Z_{nk}}}{\sum_{j=1}^K e^{Z_{nj}}} .$$ The labels "
        r"are $y_n \in \{0, \dots, K-1\}$. $$\ell_n = -\log P_{n y_n}$$ $$\frac{\partial \ell_n}{\partial Z_{nk}} = P_{nk} - \mathbb{1}[k = y_n]$$"
    )
    assert last(text)[0] == "proved"


# --- code ------------------------------------------------------------------------------------------------------------

CODE = "\n\n```python\nimport torch\nimport torch.nn.functional as F\n\n{}\n```\n"
LOSS = (
    r"Let $z \in \mathbb{R}^{N \times K}$ and $y_n \in \{1, \dots, K\}$. "
    r"$$L = \frac{1}{N} \sum_{n=1}^N \Big( \log \sum_{k=1}^K e^{z_{nk}} - z_{n, y_n} \Big)$$"
)
HOT = (
    r"Let $z, Y \in \mathbb{R}^{N \times K}$ and $p_{nk} = \frac{e^{z_{nk}}}{\sum_{j} e^{z_{nj}}}$. "
    r"$$L = -\frac{1}{N} \sum_{n=1}^N \sum_{k=1}^K Y_{nk} \log p_{nk}$$"
)
EACH = r"Let $z \in \mathbb{R}^{T \times K}$ and $c_t \in \{1, \dots, K\}$. $$\ell_t = \log \sum_{k=1}^K e^{z_{tk}} - z_{t,c_t}$$"
CODES = {
    "cross_entropy": (LOSS, "def L(z, y):\n    return F.cross_entropy(z, y)", "proved"),
    "the sum": (LOSS, "def L(z, y):\n    return F.cross_entropy(z, y, reduction='sum')", "refuted"),
    "gather": (LOSS, "def L(z, y):\n    return -z.log_softmax(1).gather(1, y[:, None]).mean()", "proved"),
    "fancy index": (LOSS, "def L(z, y):\n    return -z.log_softmax(1)[torch.arange(len(z)), y].mean()", "proved"),
    "one_hot": (LOSS, "def L(z, y):\n    return -(F.one_hot(y, z.shape[1]) * z.log_softmax(1)).sum(1).mean()", "proved"),
    "the other sign": (LOSS, "def L(z, y):\n    return z.log_softmax(1).gather(1, y[:, None]).mean()", "refuted"),
    "the only labels": (LOSS, "def L(z, targets):\n    return F.nll_loss(F.log_softmax(z, -1), targets)", "proved"),
    "one-hot rows": (HOT, "def L(z, labels):\n    return F.nll_loss(F.log_softmax(z, -1), labels)", "proved"),
    "probabilities": (HOT, "def L(z, Y):\n    return F.cross_entropy(z, Y)", "proved"),
    "a batch": (EACH, "def ell(z, c):\n    B, T, K = z.shape\n    return z.logsumexp(-1) - z.gather(-1, c[..., None])[..., 0]", "proved"),
    "a batch, the wrong sign": (EACH, "def ell(z, c):\n    B, T, K = z.shape\n    return z.logsumexp(-1) + z.gather(-1, c[..., None])[..., 0]", "refuted"),
    "rows of a matrix": (TOKENS, "def q(E, W, tokens):\n    return E[tokens] @ W.T", "proved"),
}  # fmt: skip


def status_of_code(text: str, path: Path) -> str:
    """The status of the last item of a document with its code."""
    path.write_text(text)
    made, errors = check_documents([path], numbers=False)
    assert not errors
    return str(made["documents"][0]["items"][-1]["status"])


@pytest.mark.parametrize("name", CODES)
def test_code_that_picks_by_labels(name: str, tmp_path: Path) -> None:
    text, code, status = CODES[name]
    assert status_of_code(text + CODE.format(code), tmp_path / "labels.md") == status


def test_two_ways_to_pick_are_proved_equal(tmp_path: Path) -> None:
    code = (
        "z, y = torch.randn(6, 4), torch.randint(0, 4, (6,))\n"
        "assert torch.allclose(F.cross_entropy(z, y), -z.log_softmax(1).gather(1, y[:, None]).mean())"
    )
    assert status_of_code(CODE.format(code), tmp_path / "labels.md") == "proved"
