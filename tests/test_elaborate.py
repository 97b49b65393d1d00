"""Index semantics: what each way of writing means, one row per way."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.documents.model.finding import Finding
from derivations.language.statement import Statement, Theory
from derivations.provers.decide import Decision, Undecided, decide
from derivations.study.claims import study


def undecided(statement: Statement, theory: Theory) -> Decision:
    """Decides nothing: these tests are about reading."""
    return Undecided("not asked")


def read(text: str) -> list[Finding]:
    return study(read_text(text, "x.md"), decide=undecided)


def meaning(text: str) -> str:
    """The last definition or statement of a document, as text."""
    finding = read(text)[-1]
    assert finding.status != "unread", finding.reason
    return str(finding.definition or finding.statement or finding.statements[0])


QK = r"With $Q \in \mathbb{R}^{n \times d}$, $K \in \mathbb{R}^{m \times d}$ and $V \in \mathbb{R}^{m \times v}$, "
X = r"With $x \in \mathbb{R}^n$ and $A \in \mathbb{R}^{n \times n}$, "

MEANINGS = {
    "run-together indices": (
        r"$$S_{ij} = \sum_{c=1}^{d} Q_{ic} K_{jc}$$",
        "S[i, j] := sum(c: 0 <= c < d; Q[i, c]*K[j, c])",
    ),
    "matrix product": (QK + r"put $$S = Q K^\top.$$", "S[i, j] := sum(c: 0 <= c < d; Q[i, c]*K[j, c])"),
    "transposed other way": (QK + r"put $$S = K Q^\top.$$", "S[i, j] := sum(c: 0 <= c < d; K[i, c]*Q[j, c])"),
    "rows": (
        r"$$s_{ij} = \mathbf{Q}_{i,:} \cdot \mathbf{K}_{j,:}$$",
        "s[i, j] := sum(c: 0 <= c < d; Q[i, c]*K[j, c])",
    ),
    "family and component": (
        r"$$\omega_{ij} = \sum_a x^{(i)}_a x^{(j)}_a$$",
        "omega[i, j] := sum(a: 0 <= a < d; x[i, a]*x[j, a])",
    ),
    "constant and letter": (
        r"$$\omega_{ij} = \sum_a x^{(i)}_a x^{(j)}_a$$ $$\omega_{2i} = \sum_a x^{(2)}_a x^{(i)}_a$$",
        "omega[1, i] = sum(a: 0 <= a < d; x[1, a]*x[i, a])  for i with 0 <= i < n",
    ),
    "column vectors": (r"$$s_i = \mathbf{q}^\top \mathbf{k}_i$$", "s[i] := sum(c: 0 <= c < d; q[c]*k[i, c])"),
    "row vectors": (
        r"With $q_i, k_i \in \mathbb{R}^{1 \times d}$, $$s_{ij} = \frac{q_i k_j^\top}{\sqrt{d}}.$$",
        "s[i, j] := sum(c: 0 <= c < d; q[i, c]*k[j, c])/sqrt(d)",
    ),
    "sum to the index": (
        r"$$z_i = \frac{1}{i} \sum_{j=1}^{i} x_j$$",
        "z[i] := 1*sum(j: 0 <= j <= i; x[j])/(i + 1)",
    ),
    "sum without limits": (
        r"With $A \in \mathbb{R}^{n \times m}$, $$r_i = \sum_j A_{ij}.$$",
        "r[i] := sum(j: 0 <= j < m; A[i, j])",
    ),
    "sum without the first": (X + r"$$y = \sum_{j=2} x_j$$", "y := sum(j: j < n, 1 <= j, 0 <= j; x[j])"),
    "two indices with one range": (
        X + r"$$y = \sum_{i,j=1}^{n-1} A_{ij}$$",
        "y := sum(i: 0 <= i <= n - 2; sum(j: 0 <= j <= n - 2; A[i, j]))",
    ),
    "two indices with one end": (
        X + r"$$y = \sum_{i=1,j=1}^{n-1} A_{ij}$$",
        "y := sum(i: 0 <= i <= n - 2; sum(j: 0 <= j <= n - 2; A[i, j]))",
    ),
    "a range and what is left out": (
        X + r"$$y_i = \sum_{j=1, j \neq i}^{n} x_j$$",
        "y[i] := sum(j: 0 <= j < n; (1 - [i = j])*x[j])",
    ),
    "two indices and a condition": (
        X + r"$$y = \sum_{i,j, i<j} x_i x_j$$",
        "y := sum(i: 0 <= i < n; sum(j: i < j, j < n, 0 <= j; x[i]*x[j]))",
    ),
    "maximum without one": (
        X + r"$$y_i = \max_{j \neq i} x_j$$",
        "y[i] := max(j: 0 <= j < n; cases(-oo if i = j; else x[j]))",
    ),
    "indices from zero": (
        r"$$r_i = \sum_{j=0}^{m-1} A_{ij} + A_{i0}$$",
        "r[i] := sum(j: 0 <= j < m; A[i, j]) + A[i, 0]",
    ),
    "softmax of an entry": (
        r"$$\alpha_{ij} = \text{softmax}_j(s_{ij})$$",
        "alpha[i, j] := exp(s[i, j])/sum(r: 0 <= r < n; exp(s[i, r]))",
    ),
    "softmax with the axis as an argument": (
        r"$$\alpha_{2j} = \text{softmax}(s_{2j} / \sqrt{d_{out}}, j)$$",
        "alpha[1, j] := exp(s[1, j]/sqrt(d_out))/sum(r: 0 <= r < n; exp(s[1, r]/sqrt(d_out)))",
    ),
    "softmax down the columns": (
        r"With $S \in \mathbb{R}^{n \times m}$ and a softmax over each column, $$A = \text{softmax}(S).$$",
        "A[i, j] := exp(S[i, j])/sum(r: 0 <= r < n; exp(S[r, j]))",
    ),
    "indicator": (r"$$M_{ij} = \mathbb{I}(j \leq i) S_{ij}$$", "M[i, j] := [j <= i]*S[i, j]"),
    "cases": (
        r"$$M_{ij} = \begin{cases} 0 & \text{if } j \leq i \\ -\infty & \text{if } j > i \end{cases}$$",
        "M[i, j] := cases(0 if j <= i; else -oo)",
    ),
    "condition in words": (r"Let $B_{ij} = 0$ for $j \leq i$.", "B[i, j] := 0  where j <= i"),
    "even and odd channels": (
        r"$$p_{i, 2j} = \sin(i / 10000^{2j/d}), \quad p_{i, 2j+1} = \cos(i / 10000^{2j/d})$$",
        "p[i, 2*j + 1] := cos(i/10000^(2*j/d))",
    ),
    "labels": (r"$$Q = X W_q, \quad K = X W_k$$", "K[i, j] := sum(c: 0 <= c < d; X[i, c]*W_k[c, j])"),
    "prime": (QK + r"put $Q' = Q / \sqrt{d}$.", "Q_prime[i, j] := Q[i, j]/sqrt(d)"),
    "function": (
        r"$$f(Q, K) = Q K^\top$$" + "\n\n" + r"$$B = f(K, Q)$$",
        "B[i, j] := f(K, Q)[i, j]",
    ),
    "name with arguments of a family": (
        r"With $\mathbf{q} \in \mathbb{R}^d$ and $\mathbf{k}_i \in \mathbb{R}^d$, $$a(\mathbf{q}, \mathbf{k}_i) = \mathbf{q}^\top \mathbf{k}_i.$$",
        "a[i] := sum(c: 0 <= c < d; q[c]*k[i, c])",
    ),
    "ones": (
        r"With $A \in \mathbb{R}^{n \times m}$, $$r = A \mathbf{1}.$$",
        "r[i] := sum(c: 0 <= c < m; A[i, c]*1)",
    ),
    "list with dots": (
        r"With $x_i \in \mathbb{R}^{d}$, $$X = \begin{bmatrix} x_1 \\ x_2 \\ \vdots \\ x_n \end{bmatrix}.$$",
        "X[j, a] := x[j, a]",
    ),
    "norm": (r"With $\mathbf{x} \in \mathbb{R}^d$, $$s = \|\mathbf{x}\|^2.$$", "s := sum(c: 0 <= c < d; x[c]^2)"),
    "spelled with letters": (
        r"$$Attention(Q,K,V)=softmax(QK^T)V$$",
        "Attention(Q, K, V)[i, j] := sum(c: 0 <= c < m; (exp(sum(c2: 0 <= c2 < d; Q[i, c2]*K[c, c2]))"
        "/sum(r: 0 <= r < m; exp(sum(c1: 0 <= c1 < d; Q[i, c1]*K[r, c1]))))*V[c, j])",
    ),
}


@pytest.mark.parametrize("name", MEANINGS)
def test_meaning(name: str) -> None:
    text, expected = MEANINGS[name]
    assert meaning(text) == expected


UNREAD = {
    "more indices than axes": (
        QK + r"$S = QK^\top$ and $$y_i = S_{ijk}.$$",
        "shape-conflict",
        "S has 2 axes, but 3 indices are written here",
    ),
    "inner sizes": (
        r"With $A \in \mathbb{R}^{n \times d}$, $B \in \mathbb{R}^{e \times m}$, $$C = A B.$$",
        "shape-conflict",
        "one has d and the other e",
    ),
    "limit": (r"$$y = \lim_{t \to 0} x$$", "out-of-scope", "lim"),
    "approximation": (r"$$y \approx 2x$$", "out-of-scope", "approx"),
    "a row and a column": (X + r"$$x^\top = x$$", "shape-conflict", "a row stands against a column"),
    "a row and a product": (X + r"put $y = A x$. $$y^\top = A x$$", "shape-conflict", "a row stands against a column"),
    "no end": (X + r"$$y_i = \sum_{j=i} x_j$$", "ambiguous", "where this range ends is not said"),
    "before the first": (X + r"$$y = \sum_{j=-1}^{n} x_j$$", "shape-conflict", "no axis has a place -1"),
    "free on the right": (r"$$y_i = a_i b_j$$", "not-conservative", "j is free on the right side"),
    "unknown function": (
        r"With $x \in \mathbb{R}^d$, $$y = \text{layer}(x).$$",
        "unknown-notation",
        "nothing defines the function layer",
    ),
    "product of unknowns": (
        r"With $A \in \mathbb{R}^{n \times m}$, $$y = x / A.$$",
        "unknown-notation",
        "a division by an array",
    ),
}


@pytest.mark.parametrize("name", UNREAD)
def test_unread(name: str) -> None:
    text, code, words = UNREAD[name]
    finding = read(text)[-1]
    assert (finding.status, finding.code) == ("unread", code)
    assert finding.reason is not None and words in finding.reason and "line 1, column" in finding.reason


def test_a_definition_that_comes_later_speaks_of_the_argument() -> None:
    g, mu = read(r"$$g(\mathbf{x}) = \mathbf{x} - \mu$$ with $\mu = \frac{1}{d} \sum_{i=1}^{d} x_i$.")
    assert str(mu.definition) == "mu := 1*sum(i: 0 <= i < d; x[i])/d"
    assert str(g.definition) == "g(x)[i] := x[i] - 1*sum(i: 0 <= i < d; x[i])/d"


def test_one_failing_equation_does_not_poison_the_rest() -> None:
    found = read(QK + r"$$S = Q V^\top$$" + "\n\n" + r"$$S = Q K^\top$$")
    assert [f.status for f in found] == ["undecided", "defined"]
    assert str(found[1].definition) == "S[i, j] := sum(c: 0 <= c < d; Q[i, c]*K[j, c])"


def test_readings_are_printed() -> None:
    found = read(QK + r"$S = QK^\top$, $A = \text{softmax}(S)$.")
    assert [(n.text, n.origin) for n in found[-1].assumptions] == [
        ("the softmax normalises over the last index", "reading")
    ]


def test_display_and_styles_follow_the_document() -> None:
    found = read(r"$$\tilde{A}_{ij} = \mathbf{Q}_{i,:} \cdot \mathbf{K}_{j,:} / \sqrt{d_k} + x^{(i)}_j$$")[-1]
    assert found.display["A_tilde"] == r"\tilde{A}" and found.display["Q"] == r"\mathbf{Q}"
    assert found.styles["x"] == "ud" and found.styles["Q"] == "d:" and found.bases["x"] == 1


class TestThingsInSubscripts:
    """Letters below names that nothing binds: labels where an equation would say one thing twice, else indices."""

    @staticmethod
    def heads(text: str) -> set[str]:
        found = study(read_text(text, "x.md"), decide=decide)
        return {f.name for f in found if f.name is not None}

    def test_equations_that_differ_in_such_letters_alone(self) -> None:
        rows = r"p_{L,M} &= p_L \times p_M \\ p_{R,M} &= p_R \times p_M \\ p_{L,F} &= p_L \times p_F"
        assert self.heads(rf"$$ \begin{{align}} {rows} \end{{align}} $$") == {"p_L_M", "p_R_M", "p_L_F"}

    def test_one_name_with_another_letter_on_the_right(self) -> None:
        assert {h.split("#")[0] for h in self.heads(r"$$ T_C = \frac{5}{9} (T_F - 32) $$")} == {"T_C"}

    @pytest.mark.parametrize(
        "text",
        [
            r"For $t = 1, \dots, n$ let $x_t = 2 y_t$. Then $$x_s = 2 y_s$$",
            r"Let $x_t = 2 y_t$. Then $$x_s = 2 y_s$$ $$\sum_{t=1}^n x_t = 2 \sum_{t=1}^n y_t$$",
            r"For $x \in \mathbb{R}^n$ let $x_i = 2 y_i$ and, for each $j$, $x_j = 2 y_j$.",
        ],
    )
    def test_what_runs_is_an_index(self, text: str) -> None:
        assert not self.heads(text) & {"x_t", "x_s", "x_i", "x_j"}

    def test_the_argument_of_a_sine_is_no_index(self) -> None:
        rotation = r"\begin{pmatrix} \cos \theta & -\sin \theta \\ \sin \theta & \cos \theta \end{pmatrix}"
        assert self.heads(rf"The angle $\theta$ with $0 \le \theta < 7$ gives $$ R_\theta = {rotation} $$") == {
            "R_theta"
        }
        turned = rotation.replace(r"\theta", r"m\theta")
        assert self.heads(rf"$$ R_m = {turned} $$") == {"R"}

    def test_what_a_derivative_is_taken_by_is_no_index(self) -> None:
        text = r"Let $p_\theta(x) = 2 \theta x$. Then $$\frac{\partial}{\partial \theta} p_\theta(x) = 2 x$$"
        assert self.heads(text) == {"p_theta"}


@pytest.mark.parametrize(
    ("body", "is_column"),
    [
        (r"\left(\begin{array}{c} n \\ k \end{array}\right) p^k (1-p)^{n-k}", False),
        (r"\left(\begin{array}{c}{n} \\ {k}\end{array}\right) \times p^{k}", False),
        (r"\sum_{k=0}^n \begin{pmatrix} n \\ k \end{pmatrix}", False),
        (r"2 \left(\begin{array}{c} n \\ k \end{array}\right)", True),
        (r"\begin{pmatrix} n \\ k \end{pmatrix} p^2", True),
    ],
)
def test_a_column_of_two_is_a_binomial_coefficient_beside_its_powers(body: str, is_column: bool) -> None:
    (found,) = study(read_text(f"$$ y = {body} $$", "x.md"), decide=decide)
    assert found.status == "defined" and ("binom(" not in str(found.definition)) is is_column
