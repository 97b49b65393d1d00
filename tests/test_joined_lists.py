r"""Lists of vectors and matrices: whether `[x_1, \dots, x_n]` has them for rows or columns, or one after the other."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.latex.syntax.reader import read_expression
from derivations.latex.syntax.surface import Enclosed, Listed, Matrix, Node, bare
from derivations.latex.syntax.surface_writer import write_surface
from derivations.provers.decide import decide
from derivations.study.claims import study


def last_outcome(text: str) -> tuple[str, str | None]:
    found = study(read_text(text, "x.md"), decide=decide)[-1]
    return found.status, found.code


OUTER = r"\sum_{i=1}^n x_i x_i^\top"
VECTORS = r"Let $x_1, \dots, x_n \in \mathbb{R}^d$. "
SQUARE = r"Let $x_1, \dots, x_n \in \mathbb{R}^n$. "
"""With as many vectors as entries no shape tells rows from columns."""
DOTS = r"X = [x_1, \dots, x_n]"
TWO = r"Let $a, b \in \mathbb{R}^d$. "

COLUMNS = {
    "the stated shape": VECTORS + rf"${DOTS} \in \mathbb{{R}}^{{d \times n}}$. ",
    "the stated shape, before": VECTORS + rf"Let $X \in \mathbb{{R}}^{{d \times n}}$ and $${DOTS}.$$ ",
    "the stated shape of a name that was used before": "The moment is $$m = \\mathrm{tr}(X^\\top X).$$\n\n# Data\n\n"
    + VECTORS
    + rf"${DOTS} \in \mathbb{{R}}^{{d \times n}}$. ",
    "undeclared members": r"Let $X = [x^{(1)}, \dots, x^{(n)}] \in \mathbb{R}^{d \times n}$ and $x_i = x^{(i)}$. ",
    "the products that follow": VECTORS + f"$${DOTS}$$ ",
    "words": SQUARE + f"Let $${DOTS}$$ with the $x_i$ as columns. ",
    "words about the columns": SQUARE + f"Let $${DOTS}$$ be the matrix whose columns are the vectors $x_i$. ",
    "bars": SQUARE + r"$$X = [x_1 | \cdots | x_n]$$ ",
    "a row of a matrix": SQUARE + r"$$X = \begin{bmatrix} x_1 & \cdots & x_n \end{bmatrix}$$ ",
    "lines": SQUARE + r"$$X = \begin{bmatrix} | & & | \\ x_1 & \cdots & x_n \\ | & & | \end{bmatrix}$$ ",
}
ROWS = {
    "the stated shape": VECTORS + rf"${DOTS} \in \mathbb{{R}}^{{n \times d}}$. ",
    "a transposed list": VECTORS + r"$$X = [x_1, \dots, x_n]^\top$$ ",
    "transposed members": SQUARE + r"$$X = [x_1^\top; \dots; x_n^\top]$$ ",
    "transposed members of a column": SQUARE + r"$$X = \begin{bmatrix} x_1^\top \\ \vdots \\ x_n^\top \end{bmatrix}$$ ",
    "lines": SQUARE + r"$$X = \begin{bmatrix} - & x_1 & - \\ & \vdots & \\ - & x_n & - \end{bmatrix}$$ ",
    "long lines": SQUARE
    + r"$$X = \begin{bmatrix} \text{---} & x_1^\top & \text{---} \\ & \vdots & \\ \text{---} & x_n^\top & \text{---} \end{bmatrix}$$ ",
}


@pytest.mark.parametrize("name", COLUMNS)
def test_members_are_columns(name: str) -> None:
    assert last_outcome(COLUMNS[name] + rf"Then $$X X^\top = {OUTER}$$") == ("proved", None)
    assert last_outcome(COLUMNS[name] + rf"Then $$X X^\top = 2 {OUTER}$$") == ("refuted", "false-claim")


@pytest.mark.parametrize("name", ROWS)
def test_members_are_rows(name: str) -> None:
    assert last_outcome(ROWS[name] + rf"Then $$X^\top X = {OUTER}$$") == ("proved", None)
    assert last_outcome(ROWS[name] + rf"Then $$X^\top X = 2 {OUTER}$$") == ("refuted", "false-claim")


SETTLED = {
    "two columns by their shape": (
        TWO + r"Let $M = [a, b] \in \mathbb{R}^{d \times 2}$. $$M M^\top = a a^\top + b b^\top$$",
        "proved",
    ),
    "two rows by their shape": (
        TWO + r"Let $M = [a, b] \in \mathbb{R}^{2 \times d}$. $$M^\top M = a a^\top + b b^\top$$",
        "proved",
    ),
    "two columns by a product": (TWO + r"Let $M = [a, b]$. $$M M^\top = a a^\top + b b^\top$$", "proved"),
    "two columns between lines": (
        r"Let $a, b \in \mathbb{R}^2$ and $$M = \begin{bmatrix} | & | \\ a & b \\ | & | \end{bmatrix}.$$ "
        r"$$M^\top M = a a^\top + b b^\top$$",
        "refuted",
    ),
    "one after the other by its length": (
        TWO + r"Let $c = [a, b] \in \mathbb{R}^{2d}$. $$c^\top c = a^\top a + b^\top b$$",
        "proved",
    ),
    "one after the other, and not": (
        TWO + r"Let $c = [a, b] \in \mathbb{R}^{2d}$. $$c^\top c = a^\top a - b^\top b$$",
        "refuted",
    ),
    "one after the other in a column": (
        TWO
        + r"Let $W, U \in \mathbb{R}^{m \times d}$. $$\begin{bmatrix} W & U \end{bmatrix} \begin{bmatrix} a \\ b \end{bmatrix} = W a + U b$$",
        "proved",
    ),
    "columns of entries": (
        r"$$A = [\mathbf{a}_1, \mathbf{a}_2]$$ $$A \mathbf{x} = x_1 \mathbf{a}_1 + x_2 \mathbf{a}_2$$",
        "proved",
    ),
    "blocks one below the other": (
        r"Let $U_1, \dots, U_m \in \mathbb{R}^{n \times d}$ and $U = [U_1; \dots; U_m] \in \mathbb{R}^{m n \times d}$. "
        r"$$U^\top U = \sum_{j=1}^m U_j^\top U_j$$",
        "proved",
    ),
    "blocks side by side": (
        r"Let $U_1, \dots, U_m \in \mathbb{R}^{n \times d}$ and $U = [U_1, \dots, U_m] \in \mathbb{R}^{n \times m d}$. "
        r"$$U U^\top = \sum_{j=1}^m U_j U_j^\top$$",
        "proved",
    ),
    "two blocks": (
        r"Let $A, B \in \mathbb{R}^{n \times d}$ and $C = [A, B] \in \mathbb{R}^{n \times 2d}$. $$C C^\top = A A^\top + B B^\top$$",
        "proved",
    ),
    "two blocks, and not": (
        r"Let $A, B \in \mathbb{R}^{n \times d}$ and $C = [A, B] \in \mathbb{R}^{n \times 2d}$. $$C C^\top = A A^\top - B B^\top$$",
        "refuted",
    ),
    "numbers in rows": (r"Let $A = [1, 2; 3, 4]$. $$A^\top = [1, 3; 2, 4]$$", "proved"),
    "numbers in rows, and not": (r"Let $A = [1, 2; 3, 4]$. $$A^\top = [1, 2; 3, 4]$$", "refuted"),
    "what holds in rows and in columns": (
        SQUARE + rf"$${DOTS}$$ $$\|X\|_F^2 = \sum_{{i=1}}^n \|x_i\|^2$$",
        "proved",
    ),
}


@pytest.mark.parametrize("name", SETTLED)
def test_what_settles_how_members_are_joined(name: str) -> None:
    text, status = SETTLED[name]
    assert last_outcome(text)[0] == status


OPEN = {
    "rows, if they are rows": SQUARE + rf"$${DOTS}$$ $$X^\top X = {OUTER}$$",
    "columns, if they are columns": SQUARE + rf"$${DOTS}$$ $$X X^\top = {OUTER}$$",
}


@pytest.mark.parametrize("name", OPEN)
def test_a_list_that_nothing_settles_is_ambiguous(name: str) -> None:
    assert last_outcome(OPEN[name]) == ("undecided", "ambiguous")


TUPLES = {
    "functions": r"$$F(x, y) = (P, Q)$$",
    "a graph": r"$$T = (V, E)$$",
    "capitals in brackets": r"$$T = [P, Q]$$",
}


@pytest.mark.parametrize("name", TUPLES)
def test_capitals_that_nothing_calls_matrices_are_joined_to_none(name: str) -> None:
    assert last_outcome(TUPLES[name])[0] == "unread"


def inner_list(text: str) -> Listed:
    node = read_expression(text)
    assert isinstance(node, Enclosed)
    assert isinstance(node.content, Listed)
    return node.content


@pytest.mark.parametrize(("text", "sign"), [("[a; b]", ";"), ("[a, b]", ","), (r"[a | \cdots | b]", "|")])
def test_separators_are_kept(text: str, sign: str) -> None:
    assert inner_list(text).separator == sign


@pytest.mark.parametrize("text", [r"P[a | b]", r"E[|x|, |y|]", r"[|x| \, \dots]", r"[a, b; c]"])
def test_other_bars_and_signs_part_nothing(text: str) -> None:
    nodes: list[Node] = [read_expression(text)]
    while nodes:
        node = nodes.pop()
        assert not (isinstance(node, Listed) and node.separator == "|")
        assert not isinstance(node, Matrix)
        nodes += node.parts


@pytest.mark.parametrize(
    "text",
    [
        "[a; b]",
        "f(x; a, b)",
        "[a, b; c, d]",
        r"[a | \cdots | b]",
        r"\begin{bmatrix} | & & \vert \\ a & \cdots & b \\ | & & | \end{bmatrix}",
        r"\begin{bmatrix} - & a & - \\ & \vdots & \\ -- & b & --- \end{bmatrix}",
        r"\begin{bmatrix} a & - b \\ b & c \end{bmatrix}",
    ],
)
def test_lists_are_written_as_they_are_read(text: str) -> None:
    node = read_expression(text)
    assert bare(read_expression(write_surface(node))) == bare(node)


def test_lines_show_what_a_matrix_is_made_of() -> None:
    node = read_expression(r"\begin{bmatrix} \vert & \vert \\ a & b \\ \vert & \vert \end{bmatrix}")
    assert isinstance(node, Matrix)
    assert node.ruled
    assert [[n.parts for n in row] for row in node.rows] == [[(), ()]]


UPRIGHT = {
    "ones": (
        r"Let $W \in \mathbb{R}^{n \times n}$ and $u = (1, \dots, 1)^\top$. Put $A = W + u u^\top$. Then $A_{ij} = W_{ij} + 1$.",
        "proved",
    ),
    "a bold letter that is the number e elsewhere": (
        r"Let $W \in \mathbb{R}^{n \times n}$, $r_i = \sum_{j=1}^n W_{ij} e^{-1}$ and $\mathbf{e} = (1, 1, \dots, 1)^T$. "
        r"Then $W \mathbf{e} e^{-1} = r$.",
        "proved",
    ),
    "numbers with an index": (
        r"Let $z_1, \dots, z_n$ be numbers and $u = (z_1, \dots, z_n)^\top$. Put $A = u u^\top$. Then $A_{ij} = z_i z_j$.",
        "proved",
    ),
    "a false value": (
        r"Let $W \in \mathbb{R}^{n \times n}$ and $u = (1, \dots, 1)^\top$. Put $A = W + u u^\top$. Then $A_{ij} = W_{ij} + 2$.",
        "refuted",
    ),
    "the square of the length": (r"Let $w = (1, \dots, 1)^\top \in \mathbb{R}^n$. Then $w^\top w = n$.", "proved"),
    "a call with equal numbers is no product": (r"Let $f(a, b) = a + b$. Then $f(1, 1) = 2$.", "proved"),
}


@pytest.mark.parametrize("name", UPRIGHT)
def test_a_list_with_a_transpose_sign_is_a_column(name: str) -> None:
    text, status = UPRIGHT[name]
    assert last_outcome(text)[0] == status


def test_a_list_without_a_transpose_sign_stands_or_lies() -> None:
    text = r"Let $W \in \mathbb{R}^{n \times n}$ and $u = (1, \dots, 1)$. Put $A = W + u^\top u$. Then $A_{ij} = W_{ij} + 1$."
    assert last_outcome(text)[0] == "undecided"
