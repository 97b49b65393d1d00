r"""What short notes leave unsaid: layers above names without parentheses, functions whose values are vectors, words below names."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_documents

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

FORWARD = r"Forward pass of layer $l$: $$ z^{[l]} = W^{[l]} a^{[l-1]} + b^{[l]}, \qquad a^{[l]} = g(z^{[l]}) $$"
CASES = (
    r"Let $S \in \mathbb{R}^{n \times n}$ and $$ A_{ij} = \begin{cases} S_{ij} & j \le i \\ 0 & j > i \end{cases} $$ "
)
DOCUMENTS = {
    "layers in brackets": (
        FORWARD,
        ["z[l, i] := sum(c: 0 <= c < r; W[l, i, c]*a[l - 1, c]) + b[l, i]", "a[l, i] := g_z[l, i]"],
    ),
    "layers without": (
        r"Let $$ a^l = W^l z^{l-1} + b^l, \qquad z^l = h(a^l) . $$",
        ["a[l, i] := sum(c: 0 <= c < r; W[l, i, c]*z[l - 1, c]) + b[l, i]", "z[l, i] := h_a[l, i]"],
    ),
    "powers of one name": (r"For numbers $x$ let $$ y = x^n + x^{n-1} . $$", ["y := x^n + x^(n - 1)"]),
    "states of a system": (
        r"With a state $x(t) \in \mathbb{R}^n$ and an input $u(t) \in \mathbb{R}^p$ $$ y(t) = C x(t) + D u(t) . $$",
        ["y(t)[i] := sum(c: 0 <= c < n; C[i, c]*x(t)[c]) + sum(c1: 0 <= c1 < p; D[i, c1]*u(t)[c1])"],
    ),
    "features": (
        r"For features $\phi(x) \in \mathbb{R}^M$ and $w \in \mathbb{R}^M$ $$ y = w^\top \phi(x), \qquad v_k = w_k \phi_k(x) . $$",
        ["y := sum(c: 0 <= c < M; w[c]*phi(x)[c])", "v[k] := w[k]*phi(x)[k]"],
    ),
    "features of members": (
        r"$$ s_i = \sum_{j=1}^N \phi(q_i)^\top \phi(k_j) $$",
        ["s[i] := sum(j: 0 <= j < N; sum(c: 0 <= c < r; phi_q[i, c]*phi_k[j, c]))"],
    ),
    "a gradient behind a fraction": (
        r"For $A, Y \in \mathbb{R}^{k \times m}$ let $$ dZ = A - Y, \qquad G = \frac{1}{m}dZ . $$",
        ["dZ[i, j] := A[i, j] - Y[i, j]", "G[i, j] := 1*dZ[i, j]/m"],
    ),
    "a word of many letters": (
        r"$$ E_{train} = \frac{1}{n} \sum_i e_i $$",
        ["E_train := 1*sum(i: 0 <= i < n; e[i])/n"],
    ),
    "four indices": (
        r"$$ A_{ijk} = \sum_l B_{ijkl} c_l $$",
        ["A[i, j, k] := sum(l: 0 <= l < n; B[i, j, k, l]*c[l])"],
    ),
    "three indices without commas": (r"$$ y_{bsd} = 2 x_{bsd} $$", ["y[b, s, d] := 2*x[b, s, d]"]),
    "an activation by its argument": (
        r"Tokens are $x \in \mathbb{R}^C$. $$ f(x) = x \cdot \sigma(x), \qquad g(x) = x (1 + \tanh(x + x^3)) $$",
        ["f(x) := x*sigma(x)", "g(x) := x*(1 + tanh(x + x^3))"],
    ),
    "phrases": (
        r"$$ \text{Context Relevance} = \frac{\text{Relevant sentences}}{\text{All sentences}} $$",
        ["Context_Relevance := Relevant_sentences/All_sentences"],
    ),
    "runs of capitals": (
        r"$$ \text{Precision} = \frac{TP}{TP + FP}, \qquad \text{Recall} = \frac{TP}{TP + FN} $$",
        ["Precision := TP/(TP + FP)", "Recall := TP/(TP + FN)"],
    ),
    "products of capitals": (
        r"$$ S = QK, \qquad y = Q x $$",
        ["S[i, j] := sum(c: 0 <= c < d; Q[i, c]*K[c, j])", "y[i] := sum(c: 0 <= c < d; Q[i, c]*x[c])"],
    ),
    "a length elsewhere": (
        r"With $X \in \mathbb{R}^{T \times C}$ $$ V = X W . $$" + "\n\n## Loss\n\n" + r"$$ p = \sum_{j=1}^V e^{z_j} $$",
        ["V[i, j] := sum(c: 0 <= c < C; X[i, c]*W[c, j])", "p := sum(j: 0 <= j < V; exp(z[j]))"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_definitions_of_terse_notes_are_read(text: str, expected: list[str], tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(text)
    made, errors = check_documents([path], numbers=False)
    assert not errors
    assert [i["read"] for d in made["documents"] for i in d["items"] if i["status"] == "defined"] == expected


CLAIMS = {
    "a condition in the lead": (CASES + r"The rest drops out, so for $j \le i$ $$ A_{ij} = S_{ij} . $$", "proved"),
    "a masked term that drops out": (
        CASES + r"The masked terms drop out, so for $j \le i$ $$ A_{ij} = S_{ij} + 0 . $$",
        "proved",
    ),
    "digits below a labelled name": (
        r"Let $S \in \mathbb{R}^{n \times n}$ and $$ A^{\mathrm{c}}_{ij} = 2 S_{ij} . $$ So $$ A^{\mathrm{c}}_{11} = 2 S_{11} . $$",
        "proved",
    ),
    "an identity that is supposed": (
        r"Let $V \in \mathbb{R}^{p \times p}$ be given with $V^\top V = V V^\top = I$.",
        "skipped",
    ),
    "the equilibrium condition": (
        r"The loss vanishes in the equilibrium condition $V_{p,q} = 0$. In general $$ V_{p,q} = - V_{q,p} . $$",
        "skipped",
    ),
    "an order of derivatives": (
        r"For $c > 0$ let $$ d = \sqrt{c}, \quad e = \cos(c), \quad f = d + e . $$ Then $$ \frac{\partial f}{\partial c} = "
        r"\frac{\partial f}{\partial d} \frac{\partial d}{\partial c} + \frac{\partial f}{\partial e} \frac{\partial d}{\partial c} . $$",
        "refuted",
    ),
    "other lengths in one factor": (
        r"Let $A \in \mathbb{R}^{n \times h d_v}$ and $W \in \mathbb{R}^{h d_k \times m}$. $$ Y = A W $$",
        "unread",
    ),
}


@pytest.mark.parametrize(("text", "expected"), CLAIMS.values(), ids=CLAIMS)
def test_claims_of_terse_notes(text: str, expected: str) -> None:
    found = study(read_text(text, "x.md"), decide=decide)
    assert found[-1].status == expected


def test_a_declared_value_is_no_claim() -> None:
    found = study(read_text(r"Features are $\phi(x) \in \mathbb{R}^M$.", "x.md"), decide=decide)
    assert [(f.status, f.code) for f in found] == [("skipped", "declaration")]
