"""What each relation of a document is: definition, claim, step, new version, hypothesis, remark; and its verdict."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.documents.model.finding import Finding
from derivations.provers.decide import Proved, Refuted, decide
from derivations.study.claims import study


def read(text: str) -> list[Finding]:
    return study(read_text(text, "x.md"), decide=decide)


def outcomes(text: str) -> list[str]:
    return [f"{f.kind} {f.status}" + (f" [{f.code}]" if f.code else "") for f in read(text)]


SCORES = (
    "For $S \\in \\mathbb{R}^{n \\times m}$ let\n\n$$A_{ij} = \\frac{e^{S_{ij}}}{\\sum_{k=1}^{m} e^{S_{ik}}}.$$\n\n"
)
DEVIATION = (
    r"For $x \in \mathbb{R}^n$ let $\mu = \frac{1}{n} \sum_{i=1}^n x_i$ and "
    r"$\sigma = \sqrt{\frac{1}{n} \sum_{i=1}^n (x_i - \mu)^2}$. "
)
NORMED = (
    r"For $x \in \mathbb{R}^n$ put $$\mu(x) = \frac{1}{n} \sum_{i=1}^n x_i$$ "
    r"$$\sigma(x) = \sqrt{\frac{1}{n} \sum_{i=1}^n (x_i - \mu(x))^2}$$ "
    r"Let $\sigma(x) > 0$ and $$\mathrm{LN}(x) = \frac{x - \mu(x)}{\sigma(x)}.$$ "
)
D, P, S, R = "definition defined", "claim proved", "step proved", "claim refuted [false-claim]"

DOCUMENTS = {
    "rows": (SCORES + r"The rows are weights: $$\sum_{j=1}^{m} A_{ij} = 1$$", [D, P]),
    "not equal in general": (SCORES + r"In general $$\sum_{i=1}^{n} A_{ij} \neq 1.$$", [D, P]),
    "not zero, which is asked": (
        r"For numbers $a, b$ we need $$a^2 - 2 b \neq 0.$$",
        ["hypothesis skipped [hypothesis]"],
    ),
    "not equal anywhere": (SCORES + r"$$A_{ij} \neq 0$$", [D, P]),
    "equal after all": (SCORES + r"$$\sum_{j=1}^{m} A_{ij} \neq 1$$", [D, R]),
    "products do not commute": (
        "Let $B, C \\in \\mathbb{R}^{n \\times n}$. $$BC \\neq CB$$ $$BC \\neq (C^\\top B^\\top)^\\top$$",
        [P, R],
    ),
    "not zero is given": (r"For $c \neq 0$ we have $c \cdot c^{-1} = 1$.", ["hypothesis skipped [hypothesis]", P]),
    "columns": (SCORES + r"The columns as well: $$\sum_{i=1}^{n} A_{ij} = 1$$", [D, R]),
    "chain": (
        SCORES + r"$$B_{ij} = A_{ij} e^{S_{ik}} = A_{ik} e^{S_{ij}}$$",
        [D, "claim unread [not-conservative]", S],
    ),
    "definition, then steps": (
        SCORES + r"$$r_i = \sum_{j=1}^{m} A_{ij} = 1$$",
        [D, D, S],
    ),
    "rows of a derivation": (
        SCORES + "$$\\begin{aligned} r_i &= \\sum_{j=1}^{m} A_{ij} \\\\ &= 1 \\\\ &= 2 \\end{aligned}$$",
        [D, D, S, "step refuted [false-claim]"],
    ),
    "repeated and true": (SCORES + r"Again, $$A_{ij} = e^{S_{ij}} / \sum_{k=1}^{m} e^{S_{ik}}.$$", [D, P]),
    "repeated and false": (SCORES + r"In other words, $$A_{ij} = e^{S_{ij}}.$$", [D, R]),
    "another object": (
        SCORES
        + r"The causal weights are $$A_{ij} = \frac{\mathbb{I}(j \leq i) e^{S_{ij}}}{\sum_{k} \mathbb{I}(k \leq i) e^{S_{ik}}}.$$",
        [D, D],
    ),
    "new symbol": (SCORES + r"With a mask $$A_{ij} = M_{ij} \, e^{S_{ij}}.$$", [D, D]),
    "code names": (
        "`s` = $a_i = \\sum_c q_c x_{ic}$\n\n`t` = $a_i = \\sum_c q_c q_c x_{ic}$",
        [D, D],
    ),
    "update": (r"$$x = x + f(x)$$", ["hypothesis skipped [update]"]),
    "arrow": (r"$$x \leftarrow 2 x$$", ["hypothesis skipped [update]"]),
    "hypothesis": (
        SCORES + r"Assume that $$\sum_{j=1}^{m} t_j = 1.$$ Then $$\sum_{j=1}^{m} 2 t_j = 2.$$",
        [D, "hypothesis skipped [hypothesis]", P],
    ),
    "supposition about something known": (
        SCORES + r"Suppose $A_{ij} = 0$.",
        [D, "hypothesis skipped [hypothesis]"],
    ),
    "denied": (SCORES + r"It is a mistake to write $A_{ij} = e^{S_{ij}}$.", [D, "claim skipped [denied]"]),
    "denied afterwards": (SCORES + r"Then $A_{ij} = e^{S_{ij}}$, which is wrong.", [D, "claim skipped [denied]"]),
    "property of a given tensor": (
        r"Let $P \in \mathbb{R}^{n \times n}$ be an orthogonal matrix. $$P^\top P = P P$$",
        ["claim refuted [false-claim]"],
    ),
    "the root of a variance": (
        DEVIATION
        + r"$$\frac{1}{n} \sum_{i=1}^n x_i^2 = \mu^2 + \sigma^2$$ $$\sum_{i=1}^n \frac{(x_i - \mu)^2}{\sigma^2} = n$$ "
        r"$$\frac{1}{n} \sum_{i=1}^n x_i^2 = \mu^2 + \sigma$$",
        [D, D, P, P, "claim refuted [false-claim]"],
    ),
    "roots of variances of rows": (
        r"For $X \in \mathbb{R}^{T \times d}$ let $$m_t = \frac{1}{d} \sum_{j=1}^d X_{tj}$$ "
        r"$$s_t = \sqrt{\frac{1}{d} \sum_{j=1}^d (X_{tj} - m_t)^2}$$ Then $$s_t^2 = \frac{1}{d} \sum_{j=1}^d X_{tj}^2 - m_t^2$$",
        [D, D, P],
    ),
    "a norm of a multiple": (
        NORMED
        + r"For every $a > 0$ we have $\mathrm{LN}(a x) = \mathrm{LN}(x)$ and $\|\mathrm{LN}(x)\|_2 = \sqrt{n}$.",
        [D, D, "hypothesis skipped [hypothesis]", D, "hypothesis skipped [hypothesis]", P, P],
    ),
    "a property in signs": (
        r"For $X, Y \in \mathbb{R}^{n \times d}$ and every orthogonal matrix $U \in \mathbb{R}^{d \times d}$, that is "
        r"$U U^\top = I$, put $$F(X, Y) = \text{softmax}(X Y^\top) Y$$ $$F(XU, YU) = F(X, Y) U$$",
        ["hypothesis skipped [hypothesis]", D, P],
    ),
    "another equation than the property": (
        r"Let $U \in \mathbb{R}^{d \times d}$ be orthogonal, so that $U^\top U = U U$.",
        ["claim refuted [false-claim]"],
    ),
    "permutation matrix": (
        r"Let $P \in \mathbb{R}^{n \times n}$ be a permutation matrix. $$P^\top P = I$$ $$P P = I$$",
        ["claim proved", "claim refuted [false-claim]"],
    ),
    "equivariant": (
        r"For $X \in \mathbb{R}^{T \times d}$ and $W \in \mathbb{R}^{d \times d}$ put $$f(X) = \text{softmax}(X W X^\top) X$$"
        "\n\nwith the softmax over each row. "
        r"Let $P$ be a $T \times T$ permutation matrix. $$f(PX) = P f(X)$$ $$f(PX) = f(X)$$",
        [D, "claim proved", "claim refuted [false-claim]"],
    ),
    "moments": (
        r"Let $u$ and $w$ have independent components with $\mathbb{E}[u_i] = \mathbb{E}[w_i] = 0$ and "
        r"$\text{Var}(u_i) = \text{Var}(w_i) = 1$. Then $$\text{Var}\left(\sum_{i=1}^{d} u_i w_i\right) = d$$ "
        r"$$\text{Var}\left(\sum_{i=1}^{d} u_i w_i\right) = \sqrt{d}$$",
        ["hypothesis skipped [hypothesis]"] * 2 + ["claim proved", "claim refuted [false-claim]"],
    ),
    "distributions": (
        r"$$q_i \sim \mathcal{N}(0, \sigma^2), \quad k_i \sim \mathcal{N}(0, \sigma^2)$$ "
        r"$$\mathbb{E}\left[\sum_{i=1}^{d} q_i k_i\right] = 0$$",
        ["hypothesis skipped [hypothesis]"] * 2 + ["claim proved"],
    ),
    "moments in words": (
        r"Assume that the components of $q$ and $k$ are independent random variables with mean $0$ and variance $1$. "
        r"$$\operatorname{Var}\left(\sum_{i=1}^{d} q_i k_i\right) = d$$",
        ["claim proved"],
    ),
    "no distribution": (
        r"$$\operatorname{Var}\left(\sum_{i=1}^{d} q_i k_i\right) = d$$",
        ["claim unread [unknown-notation]"],
    ),
    "derivative": (
        r"For $z \in \mathbb{R}^n$ let $$p_i = \frac{e^{z_i}}{\sum_{j=1}^n e^{z_j}}$$ "
        r". Its Jacobian is $$\frac{\partial p_i}{\partial z_j} = p_i (\delta_{ij} - p_j)$$. Another form is $$\frac{\partial p_i}{\partial z_j} = p_i (\delta_{ij} - p_i)$$",
        [D, "claim proved", "claim refuted [false-claim]"],
    ),
    "gradient of a loss": (
        r"For $A \in \mathbb{R}^{n \times m}$ and $V \in \mathbb{R}^{m \times d}$ let $$O = A V$$ "
        r"$$\frac{\partial L}{\partial V} = A^\top \frac{\partial L}{\partial O}$$",
        [D, "claim proved"],
    ),
    "parity": (
        r"$$PE_{(pos,i)} = \begin{cases} \sin(pos \cdot i) & \text{if } i \text{ mod } 2 = 0 \\ "
        r"\cos(pos \cdot i) & \text{otherwise} \end{cases}$$ $$PE_{(pos,2i)} = \sin(pos \cdot 2i)$$",
        [D, "claim proved"],
    ),
    "unread condition": (
        SCORES + r"$$A_{ij} = 0 \quad \text{if the scores are small}$$",
        [D, "claim undecided [condition-not-read]"],
    ),
    "condition": (
        r"$$C_{ij} = \mathbb{I}(j \leq i) S_{ij}, \qquad C_{ij} = 0 \quad (j > i)$$",
        [D, P],
    ),
    "used before it is defined": (
        r"$$o_i = \sum_{j=1}^{n} \alpha_{ij} v_j, \quad \text{where} \quad \alpha_{ij} = \frac{e^{s_{ij}}}{Z_i}$$ "
        r"and $Z_i = \sum_{j=1}^{n} e^{s_{ij}}$. Hence $$\sum_{j=1}^{n} \alpha_{ij} = 1.$$",
        [D, D, D, P],
    ),
    "shape": (
        r"With $Q \in \mathbb{R}^{n \times d}$ and $K \in \mathbb{R}^{m \times d}$, $QK^\top \in \mathbb{R}^{n \times m}$.",
        ["shape proved"],
    ),
    "wrong shape": (
        r"With $Q \in \mathbb{R}^{n \times d}$ and $K \in \mathbb{R}^{m \times d}$, $QK^\top \in \mathbb{R}^{m \times n}$.",
        ["shape refuted [shape-conflict]"],
    ),
    "axis left open": (
        r"With $S \in \mathbb{R}^{n \times m}$ put $$A = \text{softmax}(S).$$ Then $$\sum_{i=1}^{n} A_{ij} = 1.$$",
        [D, "claim undecided [ambiguous]"],
    ),
    "axis said": (
        r"With $S \in \mathbb{R}^{n \times m}$ and a softmax over each row, put $$A = \text{softmax}(S).$$ Then "
        r"$$\sum_{i=1}^{n} A_{ij} = 1.$$",
        [D, R],
    ),
    "a function that nothing defines": (r"$$y = 2 \sigma(x)$$ $$y = \sigma(x) + \sigma(x)$$", [D, P]),
    "sizes and numbers": (
        r"Here $n = 4$, $H = W = 32$ and $i = 1, \ldots, n$.",
        ["hypothesis skipped [size]", "hypothesis skipped [special-case]"],
    ),
    "rounded": (r"$$1 / 3 = 0.333$$", ["claim holds"]),
    "rounded, a wrong digit": (r"$$1 / 3 = 0.343$$", ["claim refuted [false-claim]"]),
    "rounded, perhaps from rounded numbers": (r"$$1 / 3 = 0.334$$", ["claim undecided [rounded-number]"]),
    "a triangle of minus infinities": (
        r"$$M = \begin{bmatrix} 0 & -\infty & \cdots & -\infty \\ 0 & 0 & \cdots & -\infty \\ \vdots & & \ddots & \vdots \\"
        r" 0 & 0 & \cdots & 0 \end{bmatrix}$$ Then $$e^{M_{ij}} = \mathbb{I}(j \leq i)$$",
        [D, P],
    ),
    "broken": ("$$A_{ij = 1$$\n\nand $$B_{ij} = C_{ij}$$", ["claim unread [unbalanced-braces]", D]),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_document(name: str) -> None:
    text, expected = DOCUMENTS[name]
    assert outcomes(text) == expected


def test_verdicts_carry_their_evidence() -> None:
    definition, rows, columns = read(SCORES + r"$$\sum_{j} A_{ij} = 1$$" + "\n\n" + r"$$\sum_{i} A_{ij} = 1$$")
    assert definition.definition is not None and definition.name == "A"
    assert isinstance(rows.decision, Proved) and rows.decision.theorem.statement == rows.statement
    assert isinstance(columns.decision, Refuted)
    assert rows.depends_on == (definition.position,) and columns.depends_on == (definition.position,)


def test_steps_are_located_where_their_right_side_starts() -> None:
    found = read("$$\n\\begin{aligned}\nx_i &= 1 + y_i \\\\\n&= y_i + 1\n\\end{aligned}\n$$")
    assert [(f.kind, f.place.line) for f in found] == [("definition", 3), ("step", 4)]
    assert found[1].source == "= y_i + 1"


def test_a_step_that_follows_a_wrong_one_is_compared_with_it() -> None:
    found = read(SCORES + r"$$\sum_j A_{ij} = 2 = 1 + 1$$")
    assert [f.status for f in found] == ["defined", "refuted", "proved"]


def test_versions_display_the_same() -> None:
    text, _ = DOCUMENTS["another object"]
    first, second = read(text)
    assert (first.name, second.name) == ("A", "A#2")
    assert second.display["A"] == second.display["A#2"] == "A"
    assert second.notes == ("a new version of A: the text speaks of another object (causal)",)


def test_deterministic() -> None:
    text = "\n\n".join(t for t, _ in DOCUMENTS.values())
    assert [str(f.statement or f.definition) for f in read(text)] == [
        str(f.statement or f.definition) for f in read(text)
    ]


def test_an_instance_is_not_shown_as_a_statement_for_all_sizes() -> None:
    (found,) = [f for f in read(SCORES + r"In general $$\sum_{i=1}^{n} A_{ij} \neq 1.$$") if f.kind == "claim"]
    assert found.status == "proved" and found.instance is not None and found.instance["n"] >= 2
    assert found.read is not None and found.read.startswith("not for all inputs: ") and "!=" not in found.read
    (everywhere,) = [f for f in read(SCORES + r"$$A_{ij} \neq 0$$") if f.kind == "claim"]
    assert everywhere.instance is None and everywhere.read is None
