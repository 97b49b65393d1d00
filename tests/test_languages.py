"""Documents in other languages: suppositions and properties are seen in them, and conditions beside equations."""

from __future__ import annotations

import re

import pytest

from derivations.documents import read_text
from derivations.documents.model.languages import COMMON, ROWS, SCRIPTS, in_english, language_of
from derivations.latex.syntax.cursor import first_word
from derivations.provers.decide import decide
from derivations.study.claims import study

ATTENTION = (
    r"$$\operatorname{Att}(Q, K, V) = \operatorname{softmax}\left(\tfrac{1}{\sqrt{d}} Q K^\top\right) V$$",
    r"$$\operatorname{Att}(Q, PK, PV) = \operatorname{Att}(Q, K, V).$$",
    r"$$\operatorname{Att}(QU, KU, V) = \operatorname{Att}(Q, K, V).$$",
)
SHAPES = r"$Q \in \mathbb{R}^{n\times d}$, $K \in \mathbb{R}^{m\times d}$, $V \in \mathbb{R}^{m\times d_v}$"
P, U = r"$P \in \mathbb{R}^{m\times m}$", r"$U \in \mathbb{R}^{d\times d}$"
SENTENCES = {
    "de": (
        f"Seien {SHAPES} und mit der Softmax-Funktion auf jeder Zeile",
        rf"Sei {P} eine Permutationsmatrix, also $P^\top P = I$. Dann gilt",
        rf"Für jede orthogonale Matrix {U}, das heißt $U U^\top = I$, gilt",
    ),
    "fr": (
        f"Soient {SHAPES} et, avec une fonction softmax sur chaque ligne des scores,",
        rf"Soit {P} une matrice de permutation, donc $P^\top P = I$. Alors",
        rf"Pour toute matrice orthogonale {U}, c'est-à-dire $U U^\top = I$, on a",
    ),
    "es": (
        f"Sean {SHAPES} y, con la función softmax por filas,",
        rf"Sea {P} una matriz de permutación, por lo tanto $P^\top P = I$. Entonces",
        rf"Para toda matriz ortogonal {U}, es decir $U U^\top = I$, se tiene que",
    ),
    "ru": (
        f"Пусть {SHAPES}, где функция softmax действует на каждую строку,",
        rf"Пусть {P} — матрица перестановки, поэтому $P^\top P = I$. Тогда",
        rf"Для любой ортогональной матрицы {U}, то есть $U U^\top = I$, имеем",
    ),
    "zh": (
        f"设 {SHAPES}，其中 softmax 作用在每一行上",
        rf"设 {P} 是置换矩阵，因此 $P^\top P = I$。于是",
        rf"对于任意正交矩阵 {U}，即 $U U^\top = I$，有",
    ),
}


@pytest.mark.parametrize("language", SENTENCES)
def test_properties_in_other_languages(language: str) -> None:
    document = read_text(
        "\n\n".join(s for row in zip(SENTENCES[language], ATTENTION, strict=True) for s in row), "a.md"
    )
    assert document.language == language
    assert [f.status for f in study(document, decide=decide)] == ["defined", "proved", "proved", "skipped", "proved"]


def test_every_row_is_found_and_put_into_english() -> None:
    languages = {*COMMON, *(name for name, _ in SCRIPTS)} - {"en"}
    for row in ROWS:
        assert row.patterns.keys() <= languages, row.english
        for language, pattern in row.patterns.items():
            assert re.compile(pattern).groups == 0, (row.english, language)


def test_the_marks_of_formulas_stay() -> None:
    assert in_english("Sei ⟦0⟧ so, dass ⟦1⟧ gilt.", "de") == "let ⟦0⟧ such that ⟦1⟧ gilt."
    assert in_english("Let ⟦0⟧ be a permutation matrix; wenn ⟦1⟧.", "en").endswith("wenn ⟦1⟧.")


@pytest.mark.parametrize(
    "text", ["", "Let Q be given.", "The values die out.", "softmax, 注意力", "$x$ et al. on la carte"]
)
def test_a_few_foreign_words_are_no_language(text: str) -> None:
    assert language_of(text) == "en"


@pytest.mark.parametrize("text", ["设计一个模型", "规则如下", "当前的指令", "立即可得"])
def test_words_inside_of_longer_words(text: str) -> None:
    assert in_english(text, "zh") == text


@pytest.mark.parametrize(
    ("condition", "rest"),
    [
        ("falls", "sonst"),
        ("si", "sinon"),
        ("si", "en otro caso"),
        ("se", "caso contrário"),
        ("если", "иначе"),
        ("若", "否则"),
        ("wenn", "andernfalls"),
    ],
)
def test_cases(condition: str, rest: str) -> None:
    text = (
        rf"Let $S$ be an $n \times n$ matrix, $$M_{{ij}} = \begin{{cases}} 1 & \text{{{condition} }} j \le i \\ 0 & "
        rf"\text{{{rest}}} \end{{cases}}$$ $$\sum_{{j=1}}^n M_{{ij}} S_{{ij}} = \sum_{{j \le i}} S_{{ij}}$$"
    )
    assert [f.status for f in study(read_text(text, "a.md"), decide=decide)] == ["defined", "proved"]


def test_first_words() -> None:
    assert [first_word(t) for t in ("für alle", "où", "de lo contrario", "value")] == [
        "for",
        "where",
        "otherwise",
        "value",
    ]
