"""What verdicts rest on: each kind of note is made by a document, and nothing decides by the words of a message."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from derivations.reports.run.check import check_documents

from derivations.language.index import Index
from derivations.notes import KINDS, ORIGINS, Note

ROOT = Path(__file__).resolve().parent.parent
SOFTMAX = r"For $z \in \mathbb{R}^C$ let $$p_i = \frac{e^{z_i}}{\sum_{k=1}^C e^{z_k}}.$$ "
LOSS = SOFTMAX + r"For targets $y \in \mathbb{R}^C$ let the cross-entropy be $$L = -\sum_{i=1}^C y_i \log p_i.$$ "
VECTORS = r"For $a, b, c \in \mathbb{R}^d$: $$u = \frac{a}{b}, \quad v = a^2, \quad w = a * c$$ "
MATRIX = r"Let $x \in \mathbb{R}^n$ and $A \in \mathbb{R}^{n \times m}$. "
ROWS = r"Let $S \in \mathbb{R}^{n \times m}$. $$A_{ij} = \frac{e^{S_{ij}}}{\sum_{k=1}^m e^{S_{ik}}}$$ "
GRADIENTS = r"$$u_j = x_j^2$$ $$y_j = u_j \gamma_j$$ We are given $\frac{dL}{dy_j}$, or $dy_j$. "
SHAPES = (
    r"Let $Q \in \mathbb{R}^{n \times d}$, $K \in \mathbb{R}^{m \times d}$ and $V \in \mathbb{R}^{m \times v}$. "
    r"The softmax acts on each row. "
)
ATTENTION = SHAPES + r"$$\text{Attention}(Q, K, V) = \text{softmax}\left(\frac{QK^\top}{\sqrt{d}}\right) V$$ "
FILLED = "def attention(Q, K, V):\n    s = Q @ K.T / Q.shape[1] ** 0.5\n    {}\n    return torch.softmax(s{}, -1) @ V"
MASKED = (
    r"Let $Q, K \in \mathbb{R}^{n \times d}$ and $V \in \mathbb{R}^{n \times v}$. The mask is $M_{ij} = 0$ if $j \le i$ and "
    r"$M_{ij} = -\infty$ if $j > i$. The softmax acts on each row. "
    r"$$\text{Attention}(Q, K, V) = \text{softmax}\left(\frac{QK^\top}{\sqrt{d}} + M\right) V$$ "
)
HEAD = (
    "class Attention(torch.nn.Module):\n    def __init__(self, {0}):\n        super().__init__()\n        {1}\n"
    "    def forward(self, q, k, v):\n        return {2} @ v"
)
NORM = (
    r"For $x \in \mathbb{R}^d$ with $\mu = \frac1d \sum_{i=1}^d x_i$ and $\sigma^2 = \frac1d \sum_{i=1}^d (x_i - \mu)^2$ "
    r"$$\text{norm}(x)_i = \frac{x_i - \mu}{\sqrt{\sigma^2}}$$ "
)
MULTI = (
    r"For $X \in \mathbb{R}^{T\times D}$ and $i = 1, \ldots, h$ let $W^Q_i, W^K_i, W^V_i \in \mathbb{R}^{D\times d}$ and "
    r"$$\begin{aligned}\mathrm{head}_i &= \mathrm{softmax}\left(\frac{XW^Q_i (XW^K_i)^T}{\sqrt{d}}\right) XW^V_i \\ "
    r"\mathrm{MultiHead}(X) &= \mathrm{Concat}(\mathrm{head}_1, \ldots, \mathrm{head}_h)W^O\end{aligned}$$ | "
    r"The arguments of the program hold the matrices side by side, $d$ columns for each head."
)
SPLIT = (
    "def multi_head(X, W_q, W_k, W_v, W_o, h):\n    T = X.shape[0]\n    w = W_q.shape[1] // h\n"
    "    q, k, v = ((X @ W).{} for W in (W_q, W_k, W_v))\n    a = (q @ k.transpose(1, 2) / w ** 0.5).softmax(-1)\n"
    "    return (a @ v).transpose(0, 1).reshape(T, -1) @ W_o\n"
)

# The document that makes a note of the kind, and the code in it.
DOCUMENTS: dict[str, tuple[str, str]] = {
    "primed": (r"Let $x \in \mathbb{R}^d$, $m = \sum_{i=1}^d x_i$ and $x'_i = 2 x_i$. $$m' = 2 m$$", ""),
    "power-of-entries": (VECTORS + r"$$\sum_{i=1}^d v_i = \|a\|^2$$", ""),
    "quotient-of-entries": (VECTORS, ""),
    "star-of-entries": (VECTORS, ""),
    "mean-of-entries": (r"The layer takes each row $x \in \mathbb{R}^d$: $$y = \frac{x}{\sqrt{\mathrm{Var}[x] + \epsilon}}$$", ""),
    "covariance-matrix": (
        r"Let $B \in \mathbb{R}^{m \times n}$ and $\operatorname{Cov}(z) = I_n$. With $y = B z$, $$\operatorname{Var}(y) = B B^\top$$",
        "",
    ),
    "function-at-number": (r"Let $\mathbf{u} \in \mathbb{R}^n$ and $s(u) = \max(0, u)$. Then $s(3) = 3$.", ""),
    "common-deviation": (
        r"Let $u$ and $v$ be random variables. Then $\operatorname{Var}(u - v) = \operatorname{Var}(u) + \operatorname{Var}(v) "
        r"- \operatorname{Cov}(u, v)$.",
        "",
    ),
    "given-condition": (
        r"Let $a \in \mathbb{R}$ and let $\operatorname{Var}(z) = 1$. Then $$\operatorname{Var}(a z \mid a) = a^2$$",
        "",
    ),
    "number-to-entries": (MATRIX + r"$$y = x + 1$$", ""),
    "vector-times-lines": (MATRIX + r"Let $b \in \mathbb{R}^m$. $$B = b \odot A$$", ""),
    "quotient-of-lines": (MATRIX + r"Let $b \in \mathbb{R}^m$. $$B = \frac{A}{b}$$", ""),
    "vector-to-lines": (MATRIX + r"Let $b \in \mathbb{R}^m$. $$B = A + b$$", ""),
    "outer-product": (r"Let $a, b \in \mathbb{R}^d$. $$W = a \otimes b$$", ""),
    "operator-index": (r"$$p_i = \frac{e^{x_i}}{\sum e^{x_j}}$$", ""),
    "sum-of-entries": (MATRIX + r"$$s = \sum_i x$$", ""),
    "sum-of-lines": (MATRIX + r"$$B = A - \sum_j A$$", ""),
    "order-of-indices": (r"Let $x \in \mathbb{R}^{n \times d}$. | <!-- check: s = x_{ij}^2 -->", "def f(x):\n    s = x ** 2\n    return s"),
    "summation-convention": (r"Repeated indices are summed. $$O^{ib} = A^{ij} V^{jb}$$ Then $$\frac{\partial O^{ib}}{\partial V^{mc}} = A^{im} \delta^b_c$$ Also $$O^{ib} = \sum_j A^{ij} V^{jb}$$", ""),
    "softmax-axis": (r"Let $S \in \mathbb{R}^{n \times m}$. $$A = \mathrm{softmax}(S)$$", ""),
    "softmax-index": (r"$$\alpha_{ij} = \text{softmax}(q_i^\top k_j) \quad \forall j \le i$$", ""),
    "softmax-range": (r"$$\alpha_{ij} = \text{softmax}(q_i^\top k_j) \quad \forall j \le i$$", ""),
    "entries-by-custom": (r"Let $B \in \mathbb{R}^{n \times n}$. Then $$\operatorname{tr} B = \sum_{i=1}^n b_{ii}.$$", ""),
    "members": (r"$$a_{ij} = \frac{e^{s_{ij}}}{\sum_{k \in \mathcal{N}_i} e^{s_{ik}}}$$", ""),
    "closed-form-of-laws": (
        r"Let $s, t > 0$. $$D = \mathrm{KL}(\mathcal{N}(m, s^2) \,\|\, \mathcal{N}(n, t^2))$$",
        "",
    ),
    "new-variable": (
        r"Let $\sigma_j > 0$ and $\rho_j = \log \sigma_j^2$ for $j = 1, \dots, k$. $$D = \sum_{j=1}^k \sigma_j^2$$ Then "
        r"$$\frac{\partial D}{\partial \rho_j} = e^{\rho_j} .$$",
        "",
    ),
    "formula-of-lists": (
        r"Let $p, q \in \mathbb{R}^n$ be probability vectors with positive entries. The entropy is $H(p)$. "
        r"$$H(p, q) = H(p) + \mathrm{KL}(p \,\|\, q)$$",
        "",
    ),
    "any-function-of-entries": (MATRIX + r"$$h = \sigma(A^\top x)$$ Then $$h_j = \sigma\Big(\sum_i A_{ij} x_i\Big).$$", ""),
    "gradient-worked-out": (
        r"For $x \in \mathbb{R}^d$ let $$f(x) = \sum_{i=1}^d x_i^2.$$ Then $$\nabla f(2 x) = 4 x.$$",
        "",
    ),
    "running-product": (r"Let $$L = \prod_{i=1}^n p_i.$$ Then $$2 L = 2 \prod_{i=1}^n p_i.$$", ""),
    "root-of-square": (NORM + r"Then $$\frac{x_i}{\sigma} = \frac{x_i}{\sqrt{\sigma^2}}$$", ""),
    "function-of-entries": (MATRIX + r"Let $$\sigma(z) = \frac{1}{1+e^{-z}}.$$ $$y = \sigma(x)$$", ""),
    "argument-is-number": (r"Let $x \in \mathbb{R}^n$. $$\sigma(x) = \frac{1}{1 + e^{-x}}$$ $$y = \sigma(x)$$", ""),
    "any-function-of-arrays": (r"The advantage is $$A(s, a) = Q(s, a) - V(s).$$ $$Q(s, a) = A(s, a) + V(s)$$", ""),
    "geometric-series": (r"For $0 < r < 1$ we have $$\sum_{k=0}^{\infty} r^k = \frac{1}{1 - r}$$", ""),
    "customary-function": (r"For a number $z$ we have $$\sigma(z) = 1 - \sigma(-z)$$", ""),
    "any-function": (
        r"Queries and keys $q_i, k_i \in \mathbb{R}^{d}$ are columns, $\phi$ maps to vectors: $$z_t = \sum_{i=1}^{t} \phi(k_i).$$ "
        r"$$z_t^\top \phi(q_t) = \sum_{i=1}^t \phi(k_i)^\top \phi(q_t)$$",
        "",
    ),
    "start-value": (
        r"Let $k_t \in \mathbb{R}^d$ and $v_t \in \mathbb{R}^m$ for $t = 1, \dots, n$. $$S_t = S_{t-1} + k_t v_t^\top$$ "
        r"$$S_t = \sum_{s=1}^t k_s v_s^\top$$",
        "",
    ),
    "zero-elsewhere": (
        r"With $A \in \mathbb{R}^{T \times T}$ and the triangle of ones $L$ ($L_{ti} = 1$ if $i \leq t$, otherwise $0$) put $$N = L \odot A.$$",
        "",
    ),
    "on-domain": (r"$$\eta(t) = a + b \cos(t / T), \qquad 0 \le t \le T,$$ so that $\eta(0) = a + b$.", ""),
    "index-base": (r"Let $A \in \mathbb{R}^{n \times 2}$. $$s_i = A_{i1} + A_{i2}$$", ""),
    "names-of-section": (
        r"## One token | A token $x_i \in \mathbb{R}^d$ has the query $$q_i = W x_i$$ | ## All tokens | Now the tokens are the rows of "
        r"$X \in \mathbb{R}^{n \times d}$ and $W \in \mathbb{R}^{d \times k}$. $$Q = X W$$ $$Q_{ij} = \sum_{c=1}^d X_{ic} W_{cj}$$",
        "",
    ),
    "version-of-line": (
        LOSS + r"| ## Batches | Now write $X \in \mathbb{R}^{B \times C}$ for a batch. $$L = -\frac{1}{B} \sum_{b=1}^B \sum_{i=1}^C X_{bi}$$ | "
        r"## Gradient | $$\frac{\partial L}{\partial z_j} = \sum_{i=1}^C y_i (p_j - \delta_{ij})$$",
        "",
    ),
    "given-before": (
        SOFTMAX + r"| ## The last layer | The scores are $$z = Wh + b$$ with $h \in \mathbb{R}^d$. | ## Logarithms | "
        r"$$\log p_i = z_i - \log \sum_{k=1}^C e^{z_k}$$",
        "",
    ),
    "number-is-length": (
        r"The entries of $q$ and $k$ are independent with mean 0 and variance 1. $$\operatorname{Var}(q^\top k) = d$$", ""
    ),
    "loss-through": (r"Let $$y_i = x_i^2$$ and a scalar loss $L$ that depends on $y$ only. $$\frac{\partial L}{\partial x_i} = 2 x_i \frac{\partial L}{\partial y_i}$$", ""),
    "named-gradient": (GRADIENTS + r"$$\frac{dL}{d\gamma_j} = dy_j u_j$$", ""),
    "stated-gradient": (r"The prediction is $Y = X W$ with $X \in \mathbb{R}^{n \times d}$ and $W \in \mathbb{R}^{d \times k}$. $$\frac{\partial L}{\partial Y} = Y$$ $$\frac{\partial L}{\partial W} = X^\top \frac{\partial L}{\partial Y}$$", ""),
    "declared": ("<!-- derivations: S: (n, m) --> | " + r"$$A = S^\top$$", ""),
    "put-in": (r"Let $s = \sum_{i=1}^n x_i$. For $n = 2$ and $x = (1, 2)$ we have $s = 3$.", ""),
    "length": (
        r"There are $J$ heads with $V \in \mathbb{R}^{D \times r}$. Count the parameters when $r = D/J$. | Solution. $$c = 3JDr + JrD = 4D^2$$",
        "",
    ),
    "letters-compared": (SOFTMAX + r"For $i \neq j$ we have $$\frac{\partial p_j}{\partial z_i} = -p_i p_j$$", ""),
    "range": (r"Let $s \in \mathbb{R}^n$. Then $$\sum_{j=i+1}^{t} s_j = \sum_{j=1}^{t} s_j - \sum_{j=1}^{i} s_j$$", ""),
    "rows-sum-to-one": (
        r"Let $A \in \mathbb{R}^{n \times m}$ be weights whose rows sum to one, and $$B = 2 A.$$ Then $$\sum_j B_{ij} = 2$$",
        "",
    ),
    "target-sums-to-one": (LOSS + r"$$\frac{\partial L}{\partial z_i} = p_i - y_i$$", ""),
    "targets-sum-to-one": (
        r"For $Z, Y \in \mathbb{R}^{B \times C}$ let $$P = \mathrm{softmax}(Z)$$ and let the cross-entropy be "
        r"$$L = -\frac{1}{B} \sum_{b=1}^B \sum_{i=1}^C Y_{bi} \log P_{bi}.$$ $$\nabla_Z L = \frac{1}{B} (P - Y)$$",
        "",
    ),
    "differ-at": (ROWS + r"In general $$\sum_{i=1}^{n} A_{ij} \neq 1.$$", ""),
    "nearest-array": (ROWS + "The rows sum to one.", ""),
    "sum-runs-over": (ROWS + "These weights sum to one.", ""),
    "dropout-off": (
        ATTENTION,
        HEAD.format("p=0.1", "self.drop = torch.nn.Dropout(p)", "self.drop(torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1))"),
    ),
    "mask-fill": (MASKED, FILLED.format("s = s.masked_fill(torch.ones_like(s).triu(1) == 1, -1e9)", "")),
    "added-mask": (MASKED, FILLED.format("m = torch.ones_like(s).triu(1) * -1e9", " + m")),
    "squeezed": (MATRIX + "$$y = 2 x$$ ", "def y(x):\n    return (2 * x).squeeze()"),
    "goes-on": (ATTENTION, FILLED.format("if Q.shape[1] > K.shape[0]:\n        raise ValueError('wide')", "")),
    "equal-size": (
        ATTENTION,
        HEAD.format("head_dim", "self.scale = head_dim ** -0.5", "torch.softmax(q @ k.mT * self.scale, -1)"),
    ),
    "scale": (
        r"Let $Q \in \mathbb{R}^{n \times p}$ and $K \in \mathbb{R}^{m \times p}$, for a head of width $h$. "
        r"$$S = \frac{Q K^\top}{\sqrt{h}}$$",
        "def S(Q, K):\n    return Q @ K.T / Q.shape[-1] ** 0.5",
    ),
    "size-at-least": (MATRIX + "$$s = x_1 + x_2$$", "def s(x):\n    return x[:2].sum()"),
    "spelled-out": (r"Let $\phi(x) = \text{elu}(x) + 1$.", "def phi(x):\n    return torch.nn.functional.elu(x) + 1"),
    "lacking": (
        NORM,
        "def norm(x, eps=1e-5):\n    mu = x.mean(-1, keepdim=True)\n"
        "    return (x - mu) / torch.sqrt(x.var(-1, keepdim=True, unbiased=False) + eps)",
    ),
    "value-of-name": (r"For $z \in \mathbb{R}^n$ $$\text{scaled}(z) = \frac{z}{\tau}$$ ", "tau = 2.0\ndef scaled(z):\n    return z / tau"),
    "labels": (r"Let $z \in \mathbb{R}^{N \times K}$ and $y_n \in \{1, \dots, K\}$. $$s_n = z_{n, y_n}$$", "def s(z, y):\n    return z.gather(1, y[:, None])[:, 0]"),
    "one-hot-rows": (r"Let $z, Y \in \mathbb{R}^{N \times K}$. $$s_n = \sum_{k=1}^K Y_{nk} z_{nk}$$", "def s(z, labels):\n    return z[torch.arange(len(z)), labels]"),
    "heads-alternate": (MULTI, SPLIT.format("view(T, w, h).permute(2, 0, 1)")),
    "size-above": (MATRIX + r"$$s = \sum_{i=2}^n x_i$$", "def s(x):\n    return x[1:].sum()"),
    "width": (r"Let $x \in \mathbb{R}^{n}$, $W \in \mathbb{R}^{h \times h}$ and $U \in \mathbb{R}^{g \times g}$. $$f(x) = \frac{g x}{h^2}$$", "def f(x):\n    return x / len(x)"),
    "normalised-longer": (MATRIX + r"$$y = \frac{x}{\|x\|}$$", "def y(x):\n    return torch.nn.functional.normalize(x, dim=-1)"),
    "compared-longer": (r"Let $x, w \in \mathbb{R}^n$. $$\text{cosine}(x, w) = \frac{x^\top w}{\|x\| \|w\|}$$", "def cosine(x, w):\n    return torch.nn.functional.cosine_similarity(x, w, dim=0)"),
    "default-value": (r"For scores $z \in \mathbb{R}^n$ let $$p_i = \frac{\exp(z_i)}{\sum_{j=1}^n \exp(z_j)}$$", "def p(z, sharpness=1.0):\n    return torch.softmax(z * sharpness, dim=-1)"),
    "called-otherwise": (r"For a token $x \in \mathbb{R}^d$ and a gain $g \in \mathbb{R}^d$ let $$\text{Scaled}(x) = x \odot g$$", "class Scaled(torch.nn.Module):\n    def __init__(self, n):\n        super().__init__()\n        self.scale = torch.nn.Parameter(torch.ones(n))\n    def forward(self, x):\n        return self.scale * x"),
    "rows-multiplied": (ATTENTION + r"| Head $h = 1, \dots, H$ has the slope $m_h = 2^{-8h/H}$: $$\mathrm{Sloped}(Q, K, V)_h = \mathrm{softmax}\left(\frac{Q_h K_h^\top}{\sqrt{d}} + m_h D\right) V_h, \qquad D_{ij} = j - i$$", ""),
    "holds-logarithm": (r"For $\mu, \sigma \in \mathbb{R}^n$ with $\sigma_i > 0$ let $$\text{kl}(\mu, \sigma) = \frac12 \sum_{i=1}^n (\sigma_i^2 + \mu_i^2 - 1 - \log \sigma_i^2)$$", "def kl(mu, logvar):\n    return 0.5 * torch.sum(torch.exp(logvar) + mu ** 2 - 1 - logvar)"),
}  # fmt: skip

ELSEWHERE = {
    "divided-size": "made by code whose heads share a layer, in tests/test_lifting_heads.py",
    "assertion-holds": "made where two functions are compared for all inputs, which tests/test_lifting_live.py does",
    "later-call": "made where an object keeps a state that is None at first, which tests/test_kept_states.py does",
    "first-call": "made where an object keeps a state, which tests/test_parameter_bundles.py does",
    "first-side": "made where the search from one long side to the next fails, which tests/test_kept_matrices.py does",
    "compared-with": "made where a copy is compared with its reference, which tests/test_submissions.py does",
}


def kinds_of(tmp_path: Path, text: str, code: str) -> dict[str, str]:
    """The kinds of all that the items of a document rest on, each with its text; `|` stands for a new paragraph."""
    path = tmp_path / "lesson.md"
    path.write_text(
        text.replace(" | ", "\n\n") + (f"\n\n```python\nimport torch\n{code}\n```\n" if code else ""), encoding="utf-8"
    )
    made, errors = check_documents([path], numbers=False)
    assert not errors
    return {a["kind"]: a["text"] for i in made["documents"][0]["items"] for a in i["assumptions"]}


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - ELSEWHERE.keys()))
def test_every_kind_is_made_by_a_document(tmp_path: Path, kind: str) -> None:
    found = kinds_of(tmp_path, *DOCUMENTS[kind])
    assert kind in found, found
    pattern = "(.+)".join(re.escape(part) for part, *_ in Formatter().parse(KINDS[kind].sentence)).removesuffix(r"(.+)")
    assert re.match(pattern, found[kind])


def test_kinds_without_a_document_have_a_reason() -> None:
    assert KINDS.keys() == DOCUMENTS.keys() | ELSEWHERE.keys()
    assert not DOCUMENTS.keys() & ELSEWHERE.keys() and all(ELSEWHERE.values())


@pytest.mark.parametrize("kind", KINDS)
def test_sentences_have_their_fields(kind: str) -> None:
    row = KINDS[kind]
    assert set(row.origins) <= set(ORIGINS)
    assert {name for _, name, _, _ in Formatter().parse(row.sentence) if name is not None} == set(row.fields)
    given = tuple(f"<{name}>" for name in row.fields)
    assert Note(kind, given).text == row.sentence.replace("{", "<").replace("}", ">")
    assert Note(kind, given).origin == row.origins[0]


def test_sentences_differ() -> None:
    assert len({row.sentence for row in KINDS.values()}) == len(KINDS)


@pytest.mark.parametrize(
    ("kind", "arguments", "origin"),
    [("no-such-kind", (), ""), ("outer-product", ("a",), ""), ("members", (), ""), ("members", ("N",), "document")],
)
def test_other_notes_cannot_be_made(kind: str, arguments: tuple[str, ...], origin: str) -> None:
    with pytest.raises(ValueError, match="needs a kind with its arguments and an origin"):
        Note(kind, arguments, origin)


def test_a_length_of_ours_is_told() -> None:
    ours, named = Index.size("n~1"), Index.size("n")
    assert Note("equal-size", (named, ours)).is_internal
    assert not Note("goes-on", ("~mask.any()",)).is_internal  # an operator of the code is no length


# --- no decision compares the text of a message ---------------------------------------------------------------------------

MESSAGES = {"reason", "message", "why", "what", "suggestion", "notes"}
SAYING = {"startswith", "endswith", "match", "search", "fullmatch", "find", "findall", "count", "index"}
ALLOWED = {
    ("derivations/exposition/explain.py", "reason"): "the words of a line, where lines that say the same become one",
    ("reports/tex/article.py", "reason"): "the width of what is set",
}


def messages_in(node: ast.expr) -> Iterator[str]:
    """Words of ours that an expression reads: `f.reason`, `item["notes"]`, `note.text`."""
    for n in ast.walk(node):
        if isinstance(n, ast.Attribute) and (
            n.attr in MESSAGES or (n.attr == "text" and isinstance(n.value, ast.Name) and n.value.id == "note")
        ):
            yield n.attr
        elif isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Constant) and n.slice.value in MESSAGES:
            yield n.slice.value
        elif isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "str" and n.args:
            if isinstance(n.args[0], ast.Name) and n.args[0].id in ("error", "problem"):
                yield "message"


def compared(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Where words of ours are compared or searched, and which."""
    for node in ast.walk(tree):
        sides: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            nothing = all(isinstance(c, ast.Constant) and c.value is None for c in node.comparators)
            sides = [] if nothing else [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SAYING:
            sides = [node.func.value, *node.args]
        for name in {m for s in sides for m in messages_in(s)}:
            yield node.lineno, name


FOREIGN = {
    "derivations/latex/syntax": "`text` of a token, and of LaTeX",
    "derivations/documents/formats": "the text of a document",
    "numeric": "messages of torch, and what the code of a document prints",
}


def test_nothing_compares_what_we_say() -> None:
    used, wrong = set(), []
    for top in ("derivations", "reports"):
        for path in sorted((ROOT / top).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            if any(place.startswith(room + "/") for room in FOREIGN):
                continue
            for line, name in compared(ast.parse(path.read_text(encoding="utf-8"))):
                if (place, name) in ALLOWED:
                    used.add((place, name))
                else:
                    wrong.append(f"{place}:{line} compares `{name}`: ask for a kind or a code")
    assert not wrong, wrong
    assert used == ALLOWED.keys(), "an exception that nothing needs"


@pytest.mark.parametrize(
    "code",
    ['"entry" in note.text', 'f.reason == "x"', 'item["reason"].startswith("off: ")', 're.search("x", f.reason or "")',
     'any("axis" in n for n in made.notes) and made.notes == 1', '"damaged" in str(error)'],
)  # fmt: skip
def test_a_comparison_of_words_is_found(code: str) -> None:
    assert list(compared(ast.parse(code)))
