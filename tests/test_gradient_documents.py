"""Gradients of a loss that the document does not define: given at the end, by the chain rule before it."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

FORWARD = r"""Let $Q, K \in \mathbb{R}^{n \times d}$ and $V \in \mathbb{R}^{n \times m}$, and let

$$S = QK^\top / \sqrt{d}, \qquad P = \mathrm{softmax}(S), \qquad O = PV$$

with a softmax of each row.

"""
NAMED = (
    FORWARD
    + r"""Write $$G_O = \partial \mathcal{L} / \partial O$$ and

$$G_V = \partial \mathcal{L} / \partial V, \quad G_P = \partial \mathcal{L} / \partial P, \quad G_S = \partial \mathcal{L} / \partial S, \quad G_Q = \frac{\partial \mathcal{L}}{\partial Q}.$$

"""
)
PROJECTIONS = r"$$Q = X W_q$$ $$K = X W_k$$ $$V = X W_v$$ "
BY_V = r"\frac{\partial L}{\partial V} W_v^\top"
BY_Q_AND_K = (
    r"\frac{\partial L}{\partial X} = \frac{\partial L}{\partial Q} W_q^\top + \frac{\partial L}{\partial K} W_k^\top"
)
DOCUMENTS = {
    "three separate ways to the loss": (PROJECTIONS + rf"$${BY_Q_AND_K} + {BY_V}$$", ["defined"] * 3 + ["proved"]),
    "one of three ways forgotten": (
        PROJECTIONS
        + rf"$${BY_Q_AND_K}$$ $$\frac{{\partial L}}{{\partial W_v}} = X^\top \frac{{\partial L}}{{\partial V}}$$",
        ["defined"] * 3 + ["unread", "proved"],
    ),
    "a way with the wrong sign": (PROJECTIONS + rf"$${BY_Q_AND_K} - {BY_V}$$", ["defined"] * 3 + ["refuted"]),
    "all gradients of attention": (
        NAMED
        + r"""$$G_V = P^\top G_O, \qquad G_P = G_O V^\top$$

$$G_{S,r} = (\mathrm{diag}(P_r) - P_r P_r^\top) G_{P,r}$$

$$G_Q = G_S K / \sqrt{d}$$""",
        ["defined"] * 8 + ["proved"] * 4,
    ),
    "without names": (
        FORWARD + r"$$\frac{\partial L}{\partial V} = P^\top \frac{\partial L}{\partial O}$$",
        ["defined"] * 3 + ["proved"],
    ),
    "a transpose too many": (NAMED + r"$$G_Q = G_S^\top K / \sqrt{d}$$", ["defined"] * 8 + ["refuted"]),
    "a scale too few": (NAMED + r"$$G_Q = G_S K$$", ["defined"] * 8 + ["refuted"]),
    "the Jacobian forgotten": (NAMED + r"$$G_S = G_P$$", ["defined"] * 8 + ["refuted"]),
    "what the gradient is": (
        NAMED
        + r"$$\frac{\partial \mathcal{L}}{\partial O} = 2 O$$ $$\frac{\partial \mathcal{L}}{\partial V} = P^\top U$$",
        ["defined"] * 9 + ["undecided"],
    ),
    "a name for the given gradient": (
        NAMED + r"$$\frac{\partial \mathcal{L}}{\partial V} = P^\top G_O$$",
        ["defined"] * 8 + ["proved"],
    ),
    "what follows from a gradient that was read before": (
        r"Let $x \in \mathbb{R}^{B \times F}$, $\gamma \in \mathbb{R}^F$ and $$ y_{bf} = \gamma_f \Big(x_{bf} - \frac{1}{F} "
        r"\sum_{g=1}^F x_{bg}\Big), \quad \delta_{bf} = \frac{\partial \ell}{\partial y_{bf}} . $$ Then $$ \frac{\partial \ell}"
        r"{\partial x_{bf}} = \gamma_f \delta_{bf} - \frac{1}{F} \sum_{g=1}^F \gamma_g \delta_{bg} . $$ Constants change nothing, "
        r"so $$\sum_{f=1}^{F} \frac{\partial \ell}{\partial x_{bf}} = 0 .$$",
        ["defined", "defined", "proved", "proved"],
    ),
    "two losses that end in different places": (
        r"Let $x \in \mathbb{R}^n$, $y = 2x$ and $z = 3x$. $$\frac{\partial L}{\partial y} = g, \quad "
        r"\frac{\partial L}{\partial z} = h, \quad a = \frac{\partial L}{\partial x}$$",
        ["defined", "defined", "unread", "unread", "defined"],
    ),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_gradients(name: str) -> None:
    text, statuses = DOCUMENTS[name]
    found = [f for f in study(read_text(text, "a.md"), decide=decide) if f.kind != "declaration"]
    assert [f.status for f in found] == statuses, [(f.source, f.status, f.code, f.reason) for f in found]


ENTRIES = (
    r"Let $$A = \begin{pmatrix} a_{11} & a_{12} \\ a_{21} & a_{22} \end{pmatrix}$$ and "
    r"$$B = \begin{pmatrix} b_{11} & b_{12} \\ b_{21} & b_{22} \end{pmatrix}.$$ "
    r"$$A B^\top = C = \begin{pmatrix} c_{11} & c_{12} \\ c_{21} & c_{22} \end{pmatrix}$$ A loss $L$ depends on $C$. "
)


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        (r"c_{12} = a_{11} b_{21} + a_{12} b_{22}", "proved"),
        (r"c_{12} = a_{11} b_{12} + a_{12} b_{22}", "refuted"),
        (r"\frac{\partial c_{12}}{\partial a_{11}} = b_{21}", "proved"),
        (r"\frac{\partial c_{12}}{\partial a_{11}} = b_{12}", "refuted"),
        (
            r"\frac{\partial L}{\partial a_{11}} = \frac{\partial L}{\partial c_{11}} b_{11} + \frac{\partial L}{\partial c_{12}} b_{21}",
            "proved",
        ),
        (r"\frac{\partial L}{\partial A} = \frac{\partial L}{\partial C} B", "proved"),
        (r"\frac{\partial L}{\partial A} = \frac{\partial L}{\partial C} B^\top", "refuted"),
        (r"\frac{\partial L}{\partial A^\top} = B^\top \left(\frac{\partial L}{\partial C}\right)^\top", "proved"),
        (r"\frac{\partial L}{\partial A^\top} = \frac{\partial L}{\partial C} B", "refuted"),
    ],
)
def test_small_letters_name_the_entries_of_a_capital(claim: str, status: str) -> None:
    found = study(read_text(f"{ENTRIES}$${claim}$$", "x.md"), decide=decide)
    assert [f.status for f in found if f.kind != "prose"] == ["defined"] * 4 + [status]
