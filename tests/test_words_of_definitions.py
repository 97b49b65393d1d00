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
    "deviations from the mean": r"The total sum of squared deviations from the mean: $S = \sum_{i=1}^n (x_i - m)^2$",
    "after the name": r"Let $m$ be the mean and $s = \sum_{i=1}^n x_i$ the sum.",
    "a mean that is taken off": r"After the mean is removed: $E = \sum_{i=1}^n y_i^2$",
    "a mistake": r"A common mistake is that the loss is the mean: $L = \sum_{i=1}^n l_i$",
    "the square": r"The standard deviation follows from $v^2 = \frac{1}{n} \sum_{i=1}^n (x_i - m)^2$",
    "the mean and the sum": r"The mean and the sum are $s = \sum_{i=1}^n x_i$",
    "in another clause": r"The mean is $3$; the sum is $s = \sum_{i=1}^n x_i$",
    "by the mean": r"The loss differs from the average by $D = \sum_{i=1}^n d_i$",
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


LED = (
    r"- the scores come first: $\sum_j a_j = 1$"
    + "\n"
    + r"- the loss is the **mean** over all anchors: $L = \sum_{i=1}^N l_i$",
    r"The mean squared error is given by $E = \sum_{i=1}^n (x_i - y_i)^2$",
    r"Hence the average loss of a batch is $L = \sum_{i=1}^N l_i$",
)


@pytest.mark.parametrize("text", LED)
def test_clauses_that_lead_to_the_formula(text: str, tmp_path: Path) -> None:
    assert "refuted" in said(text, tmp_path / "page.md")


def test_members_of_a_set_are_counted(tmp_path: Path) -> None:
    text = r"Let $H \in \mathbb{R}^{n \times f}$ have the rows $h_i$. The message is the average of all neighbours: "
    wrong = text + r"$m_i = \sum_{j \in \mathcal{N}(i)} h_j$"
    assert said(wrong, tmp_path / "page.md") == ["refuted"]
