r"""What documents say once and mean throughout: accents for gradients, ranges, where indices start, what a letter counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_documents

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

LAYER = (
    r"On this sheet tokens are **columns**."
    "\n\n"
    r"Let $X \in \mathbb{R}^{d \times n}$ with columns $x_1, \ldots, x_n$, let $W_Q, W_K \in \mathbb{R}^{p \times d}$ and "
    r"$W_V \in \mathbb{R}^{e \times d}$. The layer is $$\begin{aligned} Q &= W_Q X, \\ K &= W_K X, \\ V &= W_V X, \\ "
    r"S &= \tfrac{1}{\sqrt{p}} K^\top Q, \\ P &= \operatorname{softmax}(S) \qquad \text{(each column is a distribution)}, \\ "
    r"Y &= V P . \end{aligned}$$ A scalar error $E$ depends on $Y$ alone. For every matrix $M$ above, "
    r"$\bar{M} = \frac{\partial E}{\partial M}$. Lower-case letters with an index are columns: $p_j$ belongs to $P$. "
)
ROTATION = (
    r"Let $$\rho(\varphi) = \begin{pmatrix} \cos\varphi & -\sin\varphi \\ \sin\varphi & \cos\varphi \end{pmatrix}, \qquad "
    r"J = \begin{pmatrix} 0 & -1 \\ 1 & 0 \end{pmatrix} .$$ "
)
PAIRS = (
    r"Let $d$ be even and $x \in \mathbb{R}^d$. The frequencies are $$\theta_i = 10000^{-2i/d}, \qquad i = 0, \ldots, d/2 - 1.$$ "
    r"$$\begin{aligned} \text{rope}(x, p)_{2i} &= x_{2i} \cos(p \theta_i) - x_{2i+1} \sin(p \theta_i) \\ "
    r"\text{rope}(x, p)_{2i+1} &= x_{2i} \sin(p \theta_i) + x_{2i+1} \cos(p \theta_i) \end{aligned}$$ "
)
GROUPS = (
    r"There are $H$ query heads and $G$ heads of keys and values; $r = H / G$ query heads share one. With "
    r"$Q \in \mathbb{R}^{H \times T \times d}$, $K, V \in \mathbb{R}^{G \times S \times d}$ and $g(h) = \lfloor h / r \rfloor$, "
    r"$h = 0, \ldots, H - 1$, $$P_{h,t,s} = \frac{\exp(\sum_{c} Q_{h,t,c} K_{g(h),s,c})}{\sum_{u} \exp(\sum_{c} Q_{h,t,c} K_{g(h),u,c})} .$$ "
)
DEVIATION = r"For $x \in \mathbb{R}^N$ let $$m = \frac{1}{N} \sum_{n=1}^{N} x_n, \qquad s^2 = \frac{1}{N} \sum_{n=1}^{N} (x_n - m)^2, \quad s > 0 .$$ "
KERNEL = (
    r"$\phi\colon \mathbb{R}^{d} \to \mathbb{R}_{>0}^{r}$ is a feature map and $\kappa(\mathbf{q}, \mathbf{k}) = \phi(\mathbf{q})^\top \phi(\mathbf{k})$. "
    r"For $\mathbf{q}_i, \mathbf{k}_j \in \mathbb{R}^d$ and $\mathbf{v}_j \in \mathbb{R}^e$ let "
    r"$$\mathbf{o}_i = \frac{\sum_{j=1}^{N} \kappa(\mathbf{q}_i, \mathbf{k}_j) \mathbf{v}_j}{\sum_{j=1}^{N} \kappa(\mathbf{q}_i, \mathbf{k}_j)} .$$ "
)

CASES = {
    "gradients by an accent": (
        LAYER
        + r"Then $$\bar{V} = \bar{Y} P^\top, \qquad \bar{P} = V^\top \bar{Y}, \qquad \bar{Q} = \tfrac{1}{\sqrt{p}} K \bar{S} .$$",
        ["proved", "proved", "proved"],
    ),
    "a gradient by an accent, transposed wrongly": (
        LAYER + r"Then $$\bar{W}_Q = \tfrac{1}{\sqrt{p}} K \bar{S}^\top X^\top .$$",
        ["refuted [false-claim]"],
    ),
    "the axis that a remark beside the softmax says": (
        LAYER + r"So $\mathbf{1}^\top P = \mathbf{1}^\top$ and $\|P\|_F^2 \le 1$.",
        ["proved", "refuted [false-claim]"],
    ),
    "a cosine before a matrix": (
        ROTATION + r"Then $\rho(\varphi) = \cos\varphi\, I + \sin\varphi\, J$.",
        ["proved"],
    ),
    "the square of an index": (
        r"For $T$ steps $$\sum_{t=1}^{T} t^2 = \frac{T (T + 1) (2 T + 1)}{6}, \qquad \sum_{t=1}^{T} t^2 = \frac{T (T + 1)}{2} .$$",
        ["proved", "refuted [false-claim]"],
    ),
    "a share beside one minus it": (
        r"Let $t, \pi \in \mathbb{R}^C$ and $\tilde{t}_c = (1 - \varepsilon) t_c + \frac{\varepsilon}{C}$. Put "
        r"$$\mathcal{J}_\varepsilon = -\sum_{c=1}^{C} \tilde{t}_c \log \pi_c .$$ Then "
        r"$$\mathcal{J}_\varepsilon = -(1 - \varepsilon) \sum_{c=1}^{C} t_c \log \pi_c - \frac{\varepsilon}{C} \sum_{c=1}^{C} \log \pi_c .$$",
        ["proved"],
    ),
    "the sign of the sine of a rotary product": (
        PAIRS
        + r"For $q, k \in \mathbb{R}^d$ so $$\text{rope}(q, p)^\top \text{rope}(k, s) = \sum_{i=0}^{d/2-1} \left[ (q_{2i} k_{2i} + q_{2i+1} k_{2i+1}) "
        r"\cos((p-s)\theta_i) + (q_{2i} k_{2i+1} - q_{2i+1} k_{2i}) \sin((s-p)\theta_i) \right]$$",
        ["refuted [false-claim]"],
    ),
    "a function of indices": (GROUPS + r"Each row sums to one, so $\sum_{s} P_{h,t,s} = 1$.", ["proved"]),
    "a map at parameters and at members": (
        KERNEL + r"Then $$\mathbf{o}_i = \frac{\sum_{j=1}^{N} \mathbf{v}_j \phi(\mathbf{k}_j)^\top \phi(\mathbf{q}_i)}"
        r"{\sum_{j=1}^{N} \phi(\mathbf{k}_j)^\top \phi(\mathbf{q}_i)} .$$",
        ["proved"],
    ),
    "the derivative of a root of which the square is defined": (
        DEVIATION + r"Then $$\frac{\partial s}{\partial x_k} = \frac{x_k - m}{N s} .$$",
        ["proved"],
    ),
    "the derivative of a root, without its factor": (
        DEVIATION + r"Then $$\frac{\partial s}{\partial x_k} = \frac{x_k - m}{s} .$$",
        ["refuted [false-claim]"],
    ),
    "a shift of what is defined at every place": (
        r"Let $d$ be even and $\omega_k = 10000^{-2k/d}$ for $k = 0, \ldots, d/2-1$. Position $p$ has the row $$\mathrm{PE}_{p,2k} = "
        r"\sin(p \omega_k), \qquad \mathrm{PE}_{p,2k+1} = \cos(p \omega_k) .$$"
        "\n\n```python\nplt.imshow(PE)\n```\n\n"
        r"A step is a rotation: $$\mathrm{PE}_{p+\delta,2k} = \mathrm{PE}_{p,2k} \cos(\delta \omega_k) + \mathrm{PE}_{p,2k+1} "
        r"\sin(\delta \omega_k), \qquad \mathrm{PE}_{p+\delta,2k+1} = \mathrm{PE}_{p,2k+1} \cos(\delta \omega_k) + "
        r"\mathrm{PE}_{p,2k} \sin(\delta \omega_k) .$$",
        ["proved", "refuted [false-claim]"],
    ),
    "a matrix for each shift": (
        r"Let $d$ be even and $\omega_k = 10000^{-2k/d}$ for $k = 0, \ldots, d/2-1$. Position $p$ has the row $$\mathrm{PE}_{p,2k} = "
        r"\sin(p \omega_k), \qquad \mathrm{PE}_{p,2k+1} = \cos(p \omega_k) .$$ "
        r"There is a matrix $M_\delta \in \mathbb{R}^{d \times d}$ with $\mathrm{PE}_{p+\delta} = \mathrm{PE}_p M_\delta$.",
        ["skipped [update]"],
    ),
    "a step of an approximation": (
        r"Let $c, \lambda \in \mathbb{R}$ and $$w_t = c e^{-\lambda t} .$$ Its Euler step of length $\eta$ is "
        r"$$w_{t+\eta} = w_t - \eta \lambda w_t .$$",
        ["skipped [update]"],
    ),
    "a negative number of which the square is defined": (
        r"For $x \in \mathbb{R}^N$ let $s < 0$ with $$s^2 = \frac{1}{N} \sum_{n=1}^{N} x_n^2 .$$ Then $|s| = s$ and $|s| = -s$.",
        ["skipped [hypothesis]", "refuted [false-claim]", "proved"],
    ),
    "a number below minus one, of which the square is defined": (
        r"For $x \in \mathbb{R}^N$ let $s < -1$ with $$s^2 = \frac{1}{N} \sum_{n=1}^{N} x_n^2 .$$ Then $|s| = s$ and $|s| = -s$.",
        ["skipped [hypothesis]", "undecided [search-ended]", "proved"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_verdicts(name: str) -> None:
    text, expected = CASES[name]
    found = study(read_text(text, "x.md"), decide=decide)
    assert [f.status + (f" [{f.code}]" if f.code else "") for f in found][-len(expected) :] == expected


def test_a_number_below_is_no_index_where_the_name_stands_without_one_above() -> None:
    text = (
        r"$$m_t = \beta_1 m_{t-1} + (1 - \beta_1) g_t, \qquad m_0 = 0, \qquad \hat{m}_t = \frac{m_t}{1 - \beta_1^t}$$"
    )
    assert "m_hat[t] := m[t + 1]/(1 - beta[0]^(t + 1))" in _definitions(text)


@pytest.mark.parametrize("condition", [r"0 \le i - j < w", r"i - w < j \le i", r"j \le i < j + w"])
def test_what_is_compared_with_two_indices_is_a_length(condition: str) -> None:
    text = rf"Let $$A_{{ij}} = \begin{{cases}} 1 & {condition} \\ 0 & \text{{else}} \end{{cases}}$$"
    assert _definitions(text) == ["A[i, j] := cases(1 if j <= i < j + w; else 0)"]


def test_a_condition_on_two_entries_makes_no_definition() -> None:
    text = r"Let $G_{ij} = 1$ if $u_i = u_j$ and $j \le i$, else $0$. Let $M_{ij} = 0$ if $j \le i$ and $M_{ij} = 1$ if $j > i$."
    assert _definitions(text) == ["M[i, j] := 0  where j <= i", "M[i, j] := 1  where i < j"]


def test_claims_suppose_of_lengths_what_the_definitions_below_them_do() -> None:
    text = (
        r"For $0 \le i < C/2$ let $$E_{t, 2i} = \sin(t / 10000^{2i/C}), \qquad E_{t, 2i+1} = \cos(t / 10000^{2i/C}).$$ "
        r"$$\sum_{c=0}^{C-1} E_{tc}^2 = \frac{C}{2}$$"
    )
    claim = study(read_text(text, "x.md"), decide=decide)[-1]
    assert claim.status == "proved"
    assert "2*floor((C)/(2)) = C" in str(claim.statement)


def test_code_is_judged_with_the_axes_that_its_docstring_gives(tmp_path: Path) -> None:
    text = (
        r"For $h_1, \ldots, h_T \in \mathbb{R}^D$ and $m_t \in \{0, 1\}$ let $$\bar{h} = \frac{\sum_{t=1}^{T} m_t h_t}{\sum_{t=1}^{T} m_t}$$"
        "\n\n"
        r"<!-- check: masked_mean = \bar{h} -->"
        '\n```python\ndef masked_mean(h, m):\n    """h: (B, T, D), m: (B, T)"""\n    m = m.unsqueeze(-1).float()\n'
        "    return (h * m).sum(dim=1) / m.sum(dim=1)\n```\n"
    )
    (tmp_path / "x.md").write_text(text)
    made, _ = check_documents([tmp_path / "x.md"], numbers=False)
    assert [i["status"] for i in made["documents"][0]["items"] if i["source"].startswith("def")] == ["proved"]


def _definitions(text: str) -> list[str]:
    return [str(f.definition) for f in study(read_text(text, "x.md"), decide=decide) if f.definition is not None]


def test_a_length_stays_one_beside_columns_with_its_letter() -> None:
    assert "S[i, j] := sum(c: 0 <= c < p; (1*K[c, i]/sqrt(p))*Q[c, j])" in _definitions(LAYER)


def test_every_second_place_is_one_index_and_tells_the_length() -> None:
    assert _definitions(PAIRS)[1].startswith("rope(x, p)[2*i] := x[2*i]*cos(p*theta[i])")


def test_a_range_of_a_later_section_does_not_hold_before_it() -> None:
    text = (
        "# One\n\n"
        r"Let $A \in \mathbb{R}^{2H \times 2W}$ and $$\text{pool}(A)_{i,j} = \frac{1}{4} (A_{2i,2j} + A_{2i+1,2j} + A_{2i,2j+1} + A_{2i+1,2j+1}) .$$"
        "\n\n# Two\n\n"
        r"For $i = 1, \ldots, d$ let $u_i = i^2$."
    )
    found = _definitions(text)[0]
    assert found.startswith("pool(A)[i, j] := (1/4)*(A[2*i, 2*j] + A[2*i + 1, 2*j]")


def test_code_is_refuted_only_for_inputs_with_the_stated_signs(tmp_path: Path) -> None:
    text = (
        r"With $c > 0$ and $g \in \mathbb{R}^n$ let $$\text{clip}(g) = g \cdot \min\left(1, \frac{c}{\lVert g \rVert}\right) .$$"
        "\n\n"
        r"<!-- check: clip_torch = \text{clip}(g) -->"
        "\n```python\nimport torch\ndef clip_torch(g, c):\n    return g / torch.clamp(g.norm() / c, min=1.0)\n```\n"
    )
    (tmp_path / "x.md").write_text(text)
    made, _ = check_documents([tmp_path / "x.md"], numbers=False)
    items = made["documents"][0]["items"]
    assert [i["status"] for i in items if i["source"].startswith("def")] == ["undecided"]


def test_a_function_may_be_defined_between_two_bounds() -> None:
    text = (
        r"With $a, b \in \mathbb{R}$ let $$\eta(t) = a + \tfrac{1}{2} b \Bigl(1 + \cos\frac{t}{T}\Bigr), \qquad 0 \le t \le T,$$ so that $\eta(0) = a + b$, and "
        r"$\eta(0) = a$."
    )
    assert [f.status for f in study(read_text(text, "x.md"), decide=decide)][-3:] == ["defined", "proved", "refuted"]
    parts = r"Let $f(x) = x$ for $0 \le x \le 1$ and $f(x) = 2 - x$ for $1 \le x \le 2$. Then $f(2) = 0$."
    assert "refuted" not in [f.status for f in study(read_text(parts, "x.md"), decide=decide)]


@pytest.mark.parametrize(("diagonal", "status"), [(1, "proved"), (0, "refuted"), (2, "refuted")])
def test_indices_that_an_equation_compares_count_from_one_number(tmp_path: Path, diagonal: int, status: str) -> None:
    text = (
        r"Let $$M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}$$"
        f"\n\n<!-- check: A = M -->\n```python\nimport torch\nn = 5\nA = torch.triu(torch.full((n, n), float('-inf')), diagonal={diagonal})\n```\n"
    )
    (tmp_path / "x.md").write_text(text)
    made, _ = check_documents([tmp_path / "x.md"], numbers=False)
    assert next(i["status"] for i in made["documents"][0]["items"] if i["source"].startswith("A = ")) == status


def test_functions_in_plain_letters_stand_before_what_they_are_applied_to() -> None:
    text = (
        r"For $\alpha > 0$, $x, y > 0$ and $\lambda \in \mathbb{R}^n$ with positive entries we have "
        r"$$log\prod_i(\lambda_i+\alpha) = \sum_i log(\lambda_i + \alpha), \qquad log\, x + log\, y = log\, xy, \qquad 2 log x = log x^2 .$$"
    )
    found = study(read_text(text, "x.md"), decide=decide)
    assert [f.status for f in found][-3:] == ["proved", "proved", "proved"]


def test_a_stack_that_grows_is_no_array_of_one_shape() -> None:
    text = (
        r"Let $k_1, \ldots, k_T, q \in \mathbb{R}^d$. The cache grows by a row, "
        r"$$\mathcal{K}_t = \begin{bmatrix} \mathcal{K}_{t-1} \\ k_t^\top \end{bmatrix}.$$ Products of it are updated: "
        r"$$\mathcal{K}_t^\top \mathcal{K}_t = \mathcal{K}_{t-1}^\top \mathcal{K}_{t-1} + k_t k_t^\top$$ "
        r"Let $$Z_t = \sum_{s=1}^{t} e^{q^\top k_s}.$$"
    )
    found = study(read_text(text, "x.md"), decide=decide)
    assert "refuted" not in [f.status for f in found]
    assert found[-1].status == "defined"
    assert str(found[-1].definition) == "Z[t] := sum(s: 0 <= s <= t; exp(sum(c: 0 <= c < d; q[c]*k[s, c])))"
