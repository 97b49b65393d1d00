"""Numbers that are said to be nearly equal are compared as far as they are printed."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.latex.writer import Style
from derivations.provers.decide import decide
from derivations.study.claims import study
from reports.run.shown import latex_of, text_of

NUMBERS = {
    r"\sqrt{128} \approx 11.3": "holds",
    r"\sqrt 2 \approx 1.4": "holds",
    r"\sqrt 2 \approx 1.5": "holds",
    r"\sqrt 2 \approx 1.51": "refuted",
    r"\sqrt 2 \approx 1.45": "undecided",
    r"\exp(-11.3) \approx 1.2 \times 10^{-5}": "holds",
    r"\exp(-11.3) \approx 1.2 \times 10^{-4}": "refuted",
    r"2^{10} \approx 1000": "holds",
    r"2^{17} \approx 10^5": "holds",
    r"\frac{120832}{45088768} \approx 0.268\%": "holds",
    r"\frac{120832}{45088768} \approx 2.68\%": "refuted",
    r"3.2 \cdot 0.0021 \approx 0.0067": "holds",
    r"0.0021 \cdot 1200 \approx 2.58": "undecided",  # 0.0021 may be rounded
    r"7 \cdot 10^9 \cdot 2 \approx 14": "undecided",  # gigabytes
    r"\log 2 \approx \frac{9}{13}": "undecided",
    r"10^{999999999} \approx 10^{999999998}": "undecided",
    r"0.6698 \, (1, 2) + 0.3302 \, (3, 4) \approx (1.660, 2.660)": "holds",
    r"0.6698 \, (1, 2) + 0.3302 \, (3, 4) \approx (1.660, 2.340)": "refuted",
}
TEXTS = {
    "a name that an equation defines": (r"Let $$p = \frac{1}{1 + e^{-1}}.$$ Then $p \approx 0.73$.", "holds"),
    "a name that nothing defines": (r"Here $x \approx 3.2$.", "unread"),
    "an expansion": (r"For a small number $x$ we have $e^x \approx 1 + x$.", "unread"),
    "a step of a chain": (r"It is $$\frac{e}{e + e^2} = 0.2689 \approx 0.27.$$", "holds"),
    "a question": (r"Is $\sqrt 2 \approx 1.7$?", "skipped"),
}


@pytest.mark.parametrize("source", NUMBERS)
def test_numbers(source: str) -> None:
    (found,) = study(read_text(f"So ${source}$.", "a.md"), decide=decide)
    assert found.status == NUMBERS[source], (found.code, found.reason)


def test_the_report_shows_what_is_said() -> None:
    (found,) = study(read_text(r"So $\sqrt{128} \approx 11.3$.", "a.md"), decide=decide)
    assert latex_of(found, Style(), 100) == r"\sqrt{128} \approx \frac{113}{10}"
    assert text_of(found, 100) == "sqrt(128) \u2248 113/10"


@pytest.mark.parametrize("name", TEXTS)
def test_names_and_words(name: str) -> None:
    text, status = TEXTS[name]
    assert study(read_text(text, "a.md"), decide=decide)[-1].status == status
