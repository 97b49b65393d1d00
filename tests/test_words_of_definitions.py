"""Definitions that are, or are not, what the words before them call them."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_documents

from derivations.study.words_of_definitions import CALLED

ROWS = {c.noun: c for c in CALLED}
SILENT = {
    "a weighted mean": r"The average of the values is $y = \sum_{j=1}^n w_j v_j$.",
    "over another length": r"The loss is the average over a batch, $L = \frac{1}{m} \sum_{i=1}^n l_i$.",
    "divided later": r"The loss is the mean $L = \sum_{i=1}^n l_i$, divided by the number of tokens below.",
    "no mean": r"The loss is not the mean of all, $L = \sum_{i=1}^n l_i$.",
    "of another thing": r"Let $m$ be the mean of x. The sum is then $s = \sum_{i=1}^n x_i$.",
    "half of it": r"The loss is the mean of the squares, $L = \frac{1}{2} \sum_{i=1}^2 e_i^2$.",
    "of quotients": r"The loss is the negative logarithm of the weight, $l = \log \frac{s}{e^a}$.",
    "relative entropy": r"The relative entropy is $D = \sum_{i=1}^n p_i \log p_i$.",
    "the verb": r"By this we mean $s = \sum_{i=1}^n x_i$.",
}


def said(text: str, path: Path) -> list[str]:
    path.write_text(text)
    made, errors = check_documents([path], numbers=False)
    assert not errors
    return [i["status"] for d in made["documents"] for i in d["items"] if i["kind"] == "prose"]


@pytest.mark.parametrize("noun", ROWS)
def test_words_that_say_another_thing(noun: str, tmp_path: Path) -> None:
    assert said(ROWS[noun].wrong, tmp_path / "page.md") == ["refuted"]


@pytest.mark.parametrize("noun", ROWS)
def test_words_that_say_what_it_is(noun: str, tmp_path: Path) -> None:
    assert "refuted" not in said(ROWS[noun].right, tmp_path / "page.md")


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_words_that_do_not_tell(text: str, tmp_path: Path) -> None:
    assert said(text, tmp_path / "page.md") in ([], ["proved"])


def test_members_of_a_set_are_counted(tmp_path: Path) -> None:
    text = r"Let $H \in \mathbb{R}^{n \times f}$ have the rows $h_i$. The message is the average of all neighbours: "
    wrong = text + r"$m_i = \sum_{j \in \mathcal{N}(i)} h_j$"
    assert said(wrong, tmp_path / "page.md") == ["refuted"]
