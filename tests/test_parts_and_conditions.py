"""Rows, columns and unit vectors named in sentences; conditions on numbers; systems of equations; mixed index bases."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.documents.facts.fact import FactKind, Found, Sentence
from derivations.documents.facts.kinds.collect import ROWS as FACTS
from derivations.latex.syntax.lexer import on_left_side
from derivations.latex.syntax.reader import read_equation
from derivations.provers.decide import decide
from derivations.study.claims import study


def found_in(sentence: str, kind: FactKind, value: object = None) -> list[Found]:
    """The names and the values of the facts of a kind in a sentence."""
    rows = (row for row in FACTS if row.kind is kind)
    found = [one for row in rows for one in row.read(Sentence(sentence, sentence, {}))]
    return [one for one in found if value in (None, one[1])]


def statuses(text: str) -> list[str]:
    found = study(read_text(text.replace("$$ ", "$$\n\n").replace(" $$", "\n\n$$"), "x.md"), decide=decide)
    return [f.status for f in found if f.kind not in ("shape", "prose") and f.code != "hypothesis"]


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("⟦1⟧ and ⟦2⟧ are the rows of ⟦3⟧ and ⟦4⟧", [("row", (3, 4), (1, 2))]),
        ("Let the rows of ⟦1⟧ and ⟦2⟧ be ⟦3⟧.", [("row", (1, 2), (3,))]),
        ("Let ⟦1⟧ be the columns of ⟦2⟧ and ⟦3⟧ the rows of ⟦4⟧.", [("column", (2,), (1,)), ("row", (4,), (3,))]),
        ("stored as the columns ⟦2⟧ of ⟦3⟧", [("column", (3,), (2,))]),
        ("where ⟦1⟧ is the ⟦2⟧-th column of ⟦3⟧", [("column", (3,), (1,))]),
        ("⟦1⟧ has the rows ⟦2⟧", [("row", (1,), (2,))]),
        ("Write ⟦1⟧ for column ⟦2⟧ of ⟦3⟧ and", [("column", (3,), (1,))]),
        (
            "its results are the rows ⟦1⟧ of ⟦2⟧ (queries) and ⟦3⟧ of ⟦4⟧ (keys)",
            [("row", (2,), (1,)), ("row", (4,), (3,))],
        ),
        ("The values are the rows of ⟦1⟧.", [("row", (1,), ())]),
        ("the rows of the table are long", []),
    ],
)
def test_parts_of_matrices(sentence: str, found: list[tuple[str, tuple[int, ...], tuple[int, ...]]]) -> None:
    said = found_in(sentence, FactKind.PARTS)
    assert [(value[0], value[1:], names) for names, value in said if isinstance(value, tuple)] == found


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Write ⟦1⟧ for the ⟦2⟧-th unit vector of ⟦3⟧", [1]),
        ("⟦1⟧ is the standard basis vector", [1]),
        ("a unit vector ⟦1⟧", []),
    ],
)
def test_unit_vectors(sentence: str, found: list[int]) -> None:
    assert [n for names, _ in found_in(sentence, FactKind.VECTOR, "basis vector") for n in names] == found


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("For even ⟦1⟧ the last half", [1]),
        ("an even dimension ⟦1⟧", [1]),
        ("where ⟦1⟧ is even.", [1]),
        ("⟦1⟧, ⟦2⟧ even, and", [2]),
        ("⟦1⟧ is even larger than ⟦2⟧", []),
        ("This holds even for ⟦1⟧", []),
    ],
)
def test_even_numbers(sentence: str, found: list[int]) -> None:
    assert [n for names, _ in found_in(sentence, FactKind.DIVISIBLE, "2") for n in names] == found


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("let ⟦1⟧ be the vector of ones.", [(1, 1)]),
        ("⟦1⟧ denotes the ⟦2⟧-dimensional vector of all ones", [(1, 1)]),
        ("the all-ones vector ⟦1⟧", [(1, 1)]),
        ("⟦1⟧ is a column vector of zeros", [(1, 0)]),
        ("⟦1⟧ is a vector whose entries are all one", [(1, 1)]),
        ("⟦1⟧ the lower triangular matrix of ones", []),
        ("⟦1⟧ is a vector with mean one", []),
    ],
)
def test_constant_vectors(sentence: str, found: list[tuple[int, int]]) -> None:
    assert [(names[0], value) for names, value in found_in(sentence, FactKind.CONSTANT)] == found


ROWS = r"Let the rows of $K \in \mathbb{R}^{T \times d}$ and $V \in \mathbb{R}^{T \times d}$ be $k_t^\top, v_t^\top$. "
COLUMNS = r"The columns of $X \in \mathbb{R}^{d \times N}$ are $x_1, \ldots, x_N$, and $\xi \in \mathbb{R}^d$. "
LOSS = (
    r"Let $x \in \mathbb{R}^D$, $W \in \mathbb{R}^{K \times D}$, $a = W x$, "
    r"$p_k = \frac{e^{a_k}}{\sum_{l=1}^K e^{a_l}}$ and $J = -\log p_c$. Write $e_c$ for the $c$-th unit vector. "
)
RMS = r"For $x \in \mathbb{R}^d$ let $$r(x) = \sqrt{\frac{1}{d} \sum_{i=1}^d x_i^2}.$$ "
TABLE = (
    r"The table $P \in \mathbb{R}^{n \times m}$ (rows and columns counted from $0$) has rows of $\sum_{c=0}^{m-1} P_{p,c}^2$. "
    r"For $X \in \mathbb{R}^{n \times d}$ put $$Y_{ij} = \sum_{k \le i} X_{kj}.$$ "
)
HALVES = (
    r"Let $d$ be even and $w_k = 10000^{-k/d}$ for $k = 0, \dots, d/2 - 1$. Put $$p_{s,k} = \sin(s w_k),$$ "
    r"$$p_{s,k+d/2} = \cos(s w_k).$$ "
)
PAIRS = (
    r"For even $d$ and $i = 0, \dots, d/2 - 1$ the rows $p_s \in \mathbb{R}^d$ have $$p_{s,2i} = \sin(s w_i),$$ "
    r"$$p_{s,2i+1} = \cos(s w_i).$$ "
)
TURNED = (
    r"With $\theta_i = 10000^{-2i/d}$ for $i = 0, \dots, d/2 - 1$ and $x \in \mathbb{R}^d$ let "
    r"$$\text{rope}(x, m)_i = x_i \cos(m\theta_i) - x_{i+d/2} \sin(m\theta_i),$$ "
    r"$$\text{rope}(x, m)_{i+d/2} = x_{i+d/2} \cos(m\theta_i) + x_i \sin(m\theta_i).$$ "
)
PLANE = (
    r"Let $$R(t) = \begin{pmatrix} \cos t & -\sin t \\ \sin t & \cos t \end{pmatrix},$$ $q, k \in \mathbb{R}^2$ and "
    r"$$a = R(m)\, q,$$ $$b = R(n)\, k.$$ Written out for $q = (q_0, q_1)^\top$, $k = (k_0, k_1)^\top$: "
)
BOLD = (
    r"The tokens are the columns of $\mathbf{X}$, and $$\mathbf{Q} = \boldsymbol\Omega_q \mathbf{X}$$ "
    r"$$\mathbf{K} = \boldsymbol\Omega_k \mathbf{X}.$$ "
)
ONES = (
    r"The values are the rows of $V \in \mathbb{R}^{T \times c}$. With $A \in \mathbb{R}^{T \times T}$ and the triangle of "
    r"ones $L$ ($L_{ti} = 1$ if $i \leq t$, otherwise $0$) put $$N = L \odot A.$$ "
)
MAPPED = (
    r"Queries and keys $q_i, k_i \in \mathbb{R}^{d}$ and values $v_i \in \mathbb{R}^{c}$ are columns, $\phi$ maps to vectors: "
    r"$$S_t = \sum_{i=1}^{t} v_i\, \phi(k_i)^\top,$$ $$z_t = \sum_{i=1}^{t} \phi(k_i).$$ "
)
CENTRED = r"Let $h, e \in \mathbb{R}^H$, where $e$ is the vector of ones. $$\Pi = I - \frac{1}{H} e e^\top$$ "
COUNTS = (
    r"There are $J$ heads with $V \in \mathbb{R}^{D \times r}$. Count the parameters when $r = D/J$. "
    "\n\nSolution. "
)
ENTROPIES = r"For $p, q$ with positive entries let $$H(p) = -\sum_i p_i \log p_i$$ $$H(p, q) = -\sum_i p_i \log q_i$$ "
GATED = (
    r"Let $X \in \mathbb{R}^{n \times d}$ with $$U = X A$$ $$V = X B$$ where $\sigma$ is a non-linearity. "
    r"$$Z_t = \sigma(U_t) \odot V_t$$ "
)
ACTIVATED = r"Let $x \in \mathbb{R}$, and let $\kappa$ be a pointwise function. "
DOCUMENTS = {
    "a function that the text speaks of by its name": (
        GATED + r"$$Z_t = V_t \odot \sigma(U_t)$$",
        ["defined"] * 3 + ["proved"],
    ),
    "which is no factor": (
        GATED + r"$$\sigma(3 U_t) \odot V_t = 3 \sigma(U_t) \odot V_t$$",
        ["defined"] * 3 + ["refuted"],
    ),
    "a function in words, of a sum": (ACTIVATED + r"$$\kappa(x + 1) = \kappa(1 + x)$$", ["proved"]),
    "it need not be linear": (ACTIVATED + r"$$\kappa(x + 1) - \kappa(x) = \kappa(1)$$", ["refuted"]),
    "gain and bias are vectors": (
        r"With $$\mu = \frac{1}{d}\sum_{i=1}^d x_i$$ $$\sigma^2 = \frac1d \sum_{i=1}^d (x_i-\mu)^2$$ let "
        r"$$y = \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta.$$ "
        r"$$y_i = \gamma_i \frac{x_i - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta_i$$",
        ["defined"] * 3 + ["proved"],
    ),
    "one letter for functions of one and of two arguments": (
        ENTROPIES + r"$$\sum_i p_i \log \frac{p_i}{q_i} = H(p, q) - H(p)$$",
        ["defined"] * 2 + ["proved"],
    ),
    "which are not the same": (ENTROPIES + r"$$H(p, q) = H(p)$$", ["defined"] * 2 + ["refuted"]),
    "the vector of ones": (
        CENTRED + r"$$\Pi e = 0$$ $$\Pi^2 = \Pi$$ $$\Pi h = h$$",
        ["defined", "proved", "proved", "refuted"],
    ),
    "what the section supposes of lengths": (COUNTS + r"$$c = 3JDr + JrD = 4D^2$$", ["skipped", "defined", "proved"]),
    "what is false whatever it supposes": (COUNTS + r"$$c = 3JDr + JrD = 3D^2$$", ["skipped", "defined", "undecided"]),
    "what a name is, in words": (
        r"Let $x \in \mathbb{R}^n$, and $m$ is the largest entry. $$\sum_{i=1}^n x_i = m$$",
        ["undecided"],
    ),
    "values of a function that are vectors": (
        MAPPED + r"$$z_t^\top \phi(q_t) = \sum_{i=1}^t \phi(k_i)^\top \phi(q_t)$$",
        ["defined"] * 2 + ["proved"],
    ),
    "their recurrence, for t > 1": (
        MAPPED + r"$$S_t = S_{t-1} + v_t \phi(k_t)^\top \quad (t > 1)$$",
        ["defined"] * 2 + ["proved"],
    ),
    "their recurrence, with a factor that is not there": (
        MAPPED + r"$$S_t \phi(q_t) = 2 \sum_{i=1}^t v_i \phi(k_i)^\top \phi(q_t)$$",
        ["defined"] * 2 + ["refuted"],
    ),
    "what a function is, said by an equation only": (
        MAPPED + r"$$\phi(q_i)^\top \phi(k_j) = e^{q_i^\top k_j}$$",
        ["defined"] * 2 + ["undecided"],
    ),
    "a function with a stated range": (
        r"Let $x_1, \dots, x_n \in \mathbb{R}^d$, $W \in \mathbb{R}^{c \times r}$ and $\psi: \mathbb{R}^d \to \mathbb{R}^r$. "
        r"$$y_i = W \psi(x_i)$$ $$\sum_{i=1}^n y_i = W \sum_{i=1}^n \psi(x_i)$$",
        ["skipped", "defined", "proved"],
    ),
    "a derivative of such values": (
        MAPPED + r"$$\frac{\partial (z_t^\top z_t)}{\partial k_t} = 0$$",
        ["defined", "defined", "undecided"],
    ),
    "a derivative of what is not understood": (
        r"Let $x \in \mathbb{R}^n$. $$z = \strange{x}$$ $$\frac{\partial (z^\top z)}{\partial x_i} = 0$$ "
        r"$$\frac{\partial (x^\top x)}{\partial x_i} = 2 x_i$$",
        ["unread", "undecided", "proved"],
    ),
    "entries that are named after they were used": (
        PLANE + r"$$a^\top b = (q_0 k_0 + q_1 k_1) \cos(m-n) + (q_0 k_1 - q_1 k_0) \sin(m-n)$$",
        ["defined"] * 5 + ["proved"],
    ),
    "the same with a wrong sign": (
        PLANE + r"$$a^\top b = (q_0 k_0 + q_1 k_1) \cos(m-n) + (q_1 k_0 - q_0 k_1) \sin(m-n)$$",
        ["defined"] * 5 + ["refuted"],
    ),
    "Greek capitals are matrices": (
        BOLD + r"$$\mathbf{K}^T \mathbf{Q} = \mathbf{X}^T \boldsymbol\Omega_k^T \boldsymbol\Omega_q \mathbf{X}$$",
        ["defined"] * 2 + ["proved"],
    ),
    "Greek capitals do not commute": (
        BOLD + r"$$\mathbf{K}^T \mathbf{Q} = \mathbf{X}^T \boldsymbol\Omega_q^T \boldsymbol\Omega_k \mathbf{X}$$",
        ["defined"] * 2 + ["refuted"],
    ),
    "one here, otherwise zero": (
        ONES + r"$$\sum_{i=1}^T N_{ti} v_i = \sum_{i=1}^t A_{ti} v_i$$",
        ["defined"] * 2 + ["proved"],
    ),
    "norm of two halves": (HALVES + r"$$\|p_s\|^2 = d/2$$", ["defined"] * 3 + ["proved"]),
    "product of two halves": (
        HALVES + r"$$p_s \cdot p_t = \sum_{k=0}^{d/2-1} \cos((s-t) w_k)$$",
        ["defined"] * 3 + ["proved"],
    ),
    "product of two halves, wrong sign": (
        HALVES + r"$$p_s \cdot p_t = \sum_{k=0}^{d/2-1} \cos((s+t) w_k)$$",
        ["defined"] * 3 + ["refuted"],
    ),
    "norm of pairs, for an even length": (PAIRS + r"$$\|p_s\|^2 = \frac d2$$", ["defined"] * 2 + ["proved"]),
    "a function by halves keeps lengths": (
        TURNED + r"$$\|\text{rope}(x, m)\| = \|x\|$$",
        ["defined"] * 3 + ["proved"],
    ),
    "a function by halves, its last half": (
        TURNED + r"$$\text{rope}(x, 0)_{i+d/2} = x_i$$",
        ["defined"] * 3 + ["refuted"],
    ),
    "outer products of rows": (ROWS + r"$$K^\top V = \sum_{t=1}^T k_t v_t^\top$$", ["proved"]),
    "the outer product the wrong way round": (
        ROWS + r"$$S_t = \sum_{j=1}^t k_j v_j^\top$$ In one step $$S_t = S_{t-1} + v_t k_t^\top.$$",
        ["defined", "undecided"],
    ),
    "a decayed sum is another one": (
        ROWS + r"$$S_t = \sum_{j=1}^t k_j v_j^\top$$ With a decay $$S_t = \gamma S_{t-1} + k_t v_t^\top.$$",
        ["defined", "defined"],
    ),
    "columns": (COLUMNS + r"$$\sum_{i=1}^N (x_i^\top \xi)^2 = \xi^\top X X^\top \xi$$", ["proved"]),
    "a unit vector": (LOSS + r"$$\frac{\partial J}{\partial a} = p - e_c$$", ["defined"] * 3 + ["proved"]),
    "a unit vector with the wrong sign": (
        LOSS + r"$$\frac{\partial J}{\partial a} = p + e_c$$",
        ["defined"] * 3 + ["refuted"],
    ),
    "a positive factor": (RMS + r"For every $c > 0$ $$r(c x) = c\, r(x).$$", ["defined", "proved"]),
    "a positive factor, said after": (
        RMS + r"We have $r(c x) = c\, r(x)$ for $c > 0$.",
        ["defined", "proved"],
    ),
    "a positive factor, in the formula": (RMS + r"$$r(c x) = c\, r(x), \qquad c > 0$$", ["defined", "proved"]),
    "a negative factor": (RMS + r"For every $c < 0$ $$r(c x) = c\, r(x).$$", ["defined", "refuted"]),
    "a constant is any number": (
        RMS + r"Adding a constant $b$ changes nothing: $$r(x + b) = r(x)$$",
        ["defined", "refuted"],
    ),
    "the first row is called one": (
        TABLE + r"Its first row is $Y_{1,:} = X_{1,:}$.",
        ["defined", "undecided"],
    ),
    "an equation that is not read says what a name is": (
        r"Let $M \in \mathbb{R}^{n \times n}$ with $$M_{ij} \sqsubseteq } = 1$$ Then $$\sum_{j=1}^n M_{ij} = 1.$$",
        ["unread", "undecided"],
    ),
}


def test_a_function_is_called_by_its_name_where_it_is_defined() -> None:
    text = r"Here $\text{mix}(\cdot)$ is" + "\n\n" + r"$$\text{mix}(x, y)_i = x_i + y_i$$"
    found = study(read_text(text, "x.md"), decide=decide)
    assert [f.name for f in found if f.status == "defined"] == ["mix"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_statuses(name: str) -> None:
    text, expected = DOCUMENTS[name]
    assert statuses(text) == expected


@pytest.mark.parametrize(
    ("source", "count"),
    [
        (r"\begin{cases} a_i = \sin(i) \\ b_i = \cos(i) \end{cases}", 2),
        (r"\left\{\begin{array}{l} a_i = \sin(i) \\ b_i = \cos(i) \end{array}\right.", 2),
        (r"\left\{\begin{aligned} a_i &= \sin(i) \\ b_i &= \cos(i) \end{aligned}\right.", 2),
        (r"\begin{cases} a_i = \sin(i) & i \text{ even} \\ b_i = \cos(i) & \text{otherwise} \end{cases}", 2),
        (r"f(i) = \begin{cases} 1 & i = 0 \\ 0 & i = 1 \end{cases}", 1),
        (r"\begin{cases} 1 & i = 0 \\ 0 & i = 1 \end{cases}", 1),
        (r"\begin{pmatrix} a = b \\ c = d \end{pmatrix}", 1),
    ],
)
def test_systems_are_rows(source: str, count: int) -> None:
    assert len(read_equation(source, {})) == count


def test_a_list_of_indices_may_begin_with_a_word() -> None:
    text = r"$P_{pos,\,2i} = \sin(i\, pos)$ and $P_{pos,2i+1} = \cos(i\, pos)$ and $P_{pos,2i}^2 + P_{pos,2i+1}^2 = 1$"
    assert statuses(text) == ["defined", "defined", "proved"]


@pytest.mark.parametrize(
    ("name", "source", "found"),
    [
        (r"\text{PE}", r"\begin{cases} \text{PE}_{i} = 1 } \end{cases}", True),
        ("M", "a + M = b", True),
        ("M", "a = M", False),
        ("M", r"a = b \\ M = {", True),
    ],
)
def test_names_of_left_sides(name: str, source: str, found: bool) -> None:
    assert on_left_side(name, source) is found


HEADS = (
    r"Let $X \in \mathbb{R}^{n \times D}$ and $C_r \in \mathbb{R}^{D \times p}$ for $r = 1, \ldots, R$, and "
    r"$U \in \mathbb{R}^{Rp \times D}$. $$H_r = X C_r$$ "
)
SCORES = r"Scores $s_1, \ldots, s_N$ are given, and $1 \le n < N$. "
BLOCKS = {
    "a row of matrices times a matrix": (
        HEADS + r"$$Y = \operatorname{Concat}(H_1, \ldots, H_R) U$$ $$Y = [H_1, \ldots, H_R] U$$ "
        r"$$Y = [H_1 \;\; H_2 \;\; \cdots \;\; H_R] U$$ $$Y = \begin{bmatrix} H_1 & \cdots & H_R \end{bmatrix} U$$",
        ["defined", "defined", "proved", "proved", "proved"],
    ),
    "the blocks of the other factor": (
        HEADS + r"$$Y = [H_1, \ldots, H_R] U$$ Cut $U$ into $R$ blocks $U_1, \ldots, U_R$ of $p$ rows each. Then "
        r"$$Y = \sum_{r=1}^R H_r U_r$$",
        ["defined", "defined", "proved"],
    ),
    "the blocks in the wrong place": (
        HEADS + r"$$Y = [H_1, \ldots, H_R] U$$ Cut $U$ into $R$ blocks $U_1, \ldots, U_R$ of $p$ rows each. Then "
        r"$$Y = \sum_{r=1}^R H_1 U_r$$",
        ["defined", "defined", "refuted"],
    ),
    "two parts of a sum": (
        SCORES + r"$$a = \max_{1 \le i \le n} s_i$$ $$b = \max_{n < i \le N} s_i$$ "
        r"$$\sum_{i=1}^N e^{s_i} = e^a \sum_{i=1}^n e^{s_i - a} + e^b \sum_{i=n+1}^N e^{s_i - b}$$",
        ["defined", "defined", "proved"],
    ),
    "one entry of a family in another section": (
        "# Inputs\n\nThe inputs are $x^{(i)} \\in \\mathbb{R}^d$ for $i = 1, \\dots, n$, with the scores "
        r"$$\omega_{ij} = \sum_{a} x^{(i)}_{a} x^{(j)}_{a}$$"
        "\n\n# Weights\n\nWith $q^{(i)}, k^{(i)} \\in \\mathbb{R}^d$ the scores of the second one are "
        r"$$\omega_{2j} = \sum_{a} q^{(2)}_{a} k^{(j)}_{a}$$",
        ["defined", "defined"],
    ),
    "one entry of a family": (
        SCORES
        + r"$$c_j = \sum_{i=1}^j s_i$$ Let $u = \sum_{i=1}^n s_i$ and $t = \sum_{i=n+1}^N s_i$. Then $$c_N = t + u$$ and $$c_N = t - u.$$",
        ["defined", "defined", "defined", "proved", "refuted"],
    ),
    "a size that the text gives": (
        r"Let $X \in \mathbb{R}^{n \times D}$. With $R$ heads of width $p = D / R$ there are $$3 R D p + R p D = 4 D^2$$ numbers.",
        ["defined", "proved"],
    ),
    "a mean in angle brackets": (
        r"Let $Z = \sum_{i=1}^N e^{-\beta E_i}$ and $p_i = e^{-\beta E_i} / Z$ and $\langle E \rangle = \sum_{i=1}^N p_i E_i$. "
        r"$$\frac{\partial \log Z}{\partial \beta} = -\langle E \rangle$$",
        ["defined", "defined", "defined", "proved"],
    ),
    "a number for some of the heads": (
        r"For $n$ tokens of width $d$ these are $M = 2nd$ numbers. If $g$ of the $h$ heads keep theirs, these are "
        r"$M_g = 2 n g \frac{d}{h}$, so that $$\frac{M_g}{M} = \frac{g}{h}.$$",
        ["defined", "defined", "proved"],
    ),
    "means and variances in the plural": (
        r"Let $q_1, \ldots, q_d$ and $k_1, \ldots, k_d$ be i.i.d. with means zero and variances one. "
        r"$$\operatorname{Var}(q^\top k) = d$$ $$\operatorname{Var}\left(\frac{q^\top k}{\sqrt{d}}\right) = \frac{1}{d}$$",
        ["proved", "refuted"],
    ),
    "frequencies": (
        r"Let $\omega_i = 10000^{-2i/d}$ for $i = 0, \ldots, d/2 - 1$. "
        r"$$\omega_i = \exp\left(-\frac{2i}{d} \log 10000\right)$$ $$\omega_i = 100^{-2i/d}$$",
        ["defined", "proved", "refuted"],
    ),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_and_lengths(name: str) -> None:
    text, expected = BLOCKS[name]
    assert statuses(text) == expected


SMOOTH = (
    r"For $z \in \mathbb{R}^N$ and $\beta > 0$ let $$m = \max_j z_j$$ and "
    r"$$L = \frac{1}{\beta} \log \sum_{i=1}^N e^{\beta z_i}$$ "
)


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        (r"$$L \le m + \frac{1}{\beta} \log N$$", "proved"),
        (r"$$\sum_{i=1}^N e^{\beta z_i} \le N e^{\beta m}$$", "proved"),
        (r"$$L \le m$$", "refuted"),
        (r"$$L \le m - \frac{1}{\beta} \log N$$", "refuted"),
    ],
)
def test_bounds_of_the_smooth_maximum(claim: str, status: str) -> None:
    assert statuses(SMOOTH + "Then " + claim)[2:] == [status]


def test_a_range_from_zero_is_that_of_the_name_before_it() -> None:
    text = (
        r"Let $u_1, \ldots, u_T$ be numbers and $g_j = \gamma^j$, $j = 0, 1, \ldots$ be weights. "
        r"$$y_t = \sum_{s=1}^t g_{t-s} u_s$$ $$y_t = \sum_{s=1}^t \gamma^{t-s} u_s$$"
    )
    assert statuses(text) == ["defined", "defined", "proved"]


FOR_ALL = [
    (r"C_{ij} = 0 \quad \forall j > i", "proved"),
    (r"C_{ij} = S_{ij} \quad \forall\, i \ge j", "proved"),
    (r"C_{ij} = 0, \quad \forall i < j", "proved"),
    (r"C_{ij} = 0 \quad \forall j \le i", "refuted"),
    (r"C_{ij} = 0 \quad \forall i, j", "refuted"),
    (r"C_{ii} = S_{ii} \quad \forall i", "proved"),
]


@pytest.mark.parametrize(("claim", "status"), FOR_ALL)
def test_what_is_said_for_all_is_said_where_the_condition_holds(claim: str, status: str) -> None:
    text = (
        "Let $S \\in \\mathbb{R}^{n \\times n}$ and\n\n"
        "$$C_{ij} = \\begin{cases} S_{ij} & j \\le i \\\\ 0 & \\text{otherwise.} \\end{cases}$$\n\n"
        f"Then\n\n$${claim}$$\n"
    )
    assert [f.status for f in study(read_text(text, "x.md"), decide=decide)] == ["defined", status]


RANGES = [
    (r"\sum_{j=i+1}^{t} s_j = \sum_{j=1}^{t} s_j - \sum_{j=1}^{i} s_j", "proved"),
    (r"\sum_{j=i}^{t} s_j = \sum_{j=1}^{t} s_j - \sum_{j=1}^{i} s_j", "refuted"),
    (r"\sum_{j=i+1}^{t} s_j = \sum_{j=1}^{i} s_j - \sum_{j=1}^{t} s_j", "refuted"),
]


@pytest.mark.parametrize("said", ["", r" and $1 \le i \le t \le n$"])
@pytest.mark.parametrize(("claim", "status"), RANGES)
def test_a_range_supposes_that_it_does_not_end_before_it_begins(claim: str, status: str, said: str) -> None:
    text = f"Let $s \\in \\mathbb{{R}}^n${said}. Then\n\n$${claim}$$\n"
    assert statuses(text)[-1] == status
