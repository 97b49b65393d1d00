"""A value of a function for a known length is no definition, nor is one beside a definition that is not read."""

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

MATRIX = "Let $A \\in \\mathbb{R}^{n \\times m}$. "
UNREAD = MATRIX + "A row $k$ belongs to block $$\\beta(k) = \\lfloor \\sqrt{k} + A_{11} \\rfloor ,$$ "
DOCUMENTS = {
    "values of a function whose definition is not read": (
        UNREAD + "so that $\\beta(n) = m$. Then $\\beta(1) = 1$ and $\\beta(4) = 2$.",
        {"unread", "skipped", "undecided"},
    ),
    "a value with the length in it, beside a definition that is not read": (
        UNREAD + "so that $\\beta(n) = n / 2$. Hence $$\\beta(8) = 2 .$$",
        {"unread", "skipped", "undecided"},
    ),
    "a function of a length that is defined": (
        MATRIX + "The count is $$f(n) = n (n + 1) .$$ Hence $$2 f(n) = 2 n^2 + 2 n .$$",
        {"defined", "proved"},
    ),
    "a value that the definition gives": (
        MATRIX + "For a number $t$ let $$f(t) = 2 t + 1 .$$ Hence $f(n) = 1 + n + n$.",
        {"defined", "proved"},
    ),
    "a value that the definition does not give": (
        MATRIX + "For a number $t$ let $$f(t) = 2 t + 1 .$$ Hence $f(n) = 3 n$.",
        {"defined", "refuted"},
    ),
    "a value for a number with a name of its own": (
        "For $T > 0$ let $$\\eta(t) = c (1 - t / T) .$$ Then $\\eta(T) = 0$, and $\\eta(0) = c$.",
        {"skipped", "defined", "proved"},
    ),
    "a function that is given in two parts of its domain": (
        "$$f(x) = x \\quad (x \\ge 0)$$ $$f(x) = 0 \\quad (x < 0)$$ Then $f(-1) = 0$.",
        {"unread", "skipped", "undecided"},
    ),
    "a function of a name that has a meaning, with arrays in it": (
        MATRIX + "For $x \\in \\mathbb{R}^m$ let $$y(x) = A x .$$ Hence $$y(x + x) = 2 y(x) .$$",
        {"defined", "proved"},
    ),
}


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_values_at_arguments(text: str, expected: set[str]) -> None:
    found = [f.status for f in study(read_text(text, "x.md"), decide=decide) if f.kind != "shape"]
    assert set(found) <= expected
    assert expected & {"proved", "refuted"} <= set(found)
