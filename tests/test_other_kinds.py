"""Claims about names of which only a habit says that they are matrices, and what settles it."""

import pytest

from derivations.documents import read_text
from derivations.latex.lexicon.settled_kinds import Settled, settled_by, written_as_arrays
from derivations.latex.syntax.surface import walk
from derivations.provers.decide import decide
from derivations.study import other_kinds, support
from derivations.study.claims import study, understood
from derivations.study.directives_at_work import declared
from derivations.study.support import Support

CLAIM = r"Then $(A + B)^2 = A^2 + 2 A B + B^2$."


def last(text: str) -> tuple[str, str | None]:
    """The status and the code of the last item of a document."""
    found = study(declared(read_text(text, "x.md")), decide=decide)[-1]
    return found.status, found.code


NEEDED = {
    "a square": CLAIM,
    "a logarithm": r"Recall $\log(XY) = \log X + \log Y$.",
    "a vector beside a weight": r"Let $$y = W x.$$ Then $$\sqrt{y} = \sqrt{W} \sqrt{x}.$$",
    "in a definition below": r"Let $$C = A B.$$ Then $$C = B A.$$",
}
SILENT = {
    "false of numbers as well": r"Then $(A + B)^2 = A^2 + 3 A B + B^2$.",
    "a declared shape": r"For $A, B \in \mathbb{R}^{n \times n}$ let $C = A$. " + CLAIM,
    "a declaration in a comment": "<!-- derivations: A, B: (n, n) -->\n\n" + CLAIM,
    "the word in the paragraph": "Take two matrices. " + CLAIM,
    "the word in the heading": "# Exponentials of matrices\n\n" + CLAIM,
    "an index pair": r"Let $$C_{ij} = A_{ij} + 2 B_{ij}.$$ " + CLAIM,
    "a transpose": r"Here $A^\top$ and $B^\top$ exist. " + CLAIM,
    "an inverse": r"Put $C = A^{-1} B^{-1}$. " + CLAIM,
    "a trace": r"Here $\operatorname{tr}(A B) = c$. " + CLAIM,
    "after a matrix": r"Let $X \in \mathbb{R}^{n \times d}$ and $$C = X A B.$$ " + CLAIM,
    "numbers do not fit": (
        r"For $x \in \mathbb{R}^n$ and $y \in \mathbb{R}^m$ let $y = A x$ and $x = B y$. Then $e^{A} B = 2 e^A B$."
    ),
}


@pytest.mark.parametrize("text", NEEDED.values(), ids=NEEDED)
def test_a_habit_alone_refutes_nothing(text: str) -> None:
    assert last(text) == ("undecided", "ambiguous")


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_what_is_settled_or_false_of_numbers_is_refuted(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support, "SUPPORTS", (Support("always", lambda _: True, "", ""),))
    assert last(text) == ("refuted", "false-claim")


def test_the_comment_that_it_asks_for_settles_it() -> None:
    assert last(CLAIM)[0] == "undecided"
    assert last(f"<!-- derivations: A, B: scalar -->\n\n{CLAIM}")[0] == "proved"
    assert last(f"<!-- derivations: A, B: (n, n) -->\n\n{CLAIM}")[0] == "refuted"


def test_what_is_not_tried_is_not_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_kinds, "MAX_READINGS", 0)
    assert last(SILENT["false of numbers as well"]) == ("undecided", "ambiguous")
    assert last(SILENT["a declared shape"]) == ("refuted", "false-claim")


def test_the_reading_again_changes_nothing_else() -> None:
    text = r"Let $C = A B$ and $a = 2 b$. Then $$C = B A.$$ Then $$3 a = 6 b.$$"
    found = study(read_text(text, "x.md"), decide=decide)
    assert [f.status for f in found] == ["defined", "defined", "undecided", "proved"]


SETTLED = {
    "A": (r"Let $A \in \mathbb{R}^{n \times n}$. $$A A = 2 A A$$", Settled.DECLARATION),
    "B": (r"For vectors $x$ let $B = x x^\top$. $$2 B = B$$", Settled.DEFINITION),
    "P": (r"Let $P$ be a permutation matrix. $$P P = 2 P$$", Settled.WORDS),
    "C": (r"$$C_{ij} + C_{ji} = 2 C_{ji}$$", Settled.NOTATION),
    "D": (r"$$D^\top D = 2 D$$", Settled.NOTATION),
    "E": (r"$$E F = F E$$", Settled.HABIT),
}


@pytest.mark.parametrize(("stem", "text", "expected"), [(k, *v) for k, v in SETTLED.items()], ids=SETTLED)
def test_each_name_knows_what_settles_it(stem: str, text: str, expected: Settled) -> None:
    own, _ = understood(read_text(text, "x.md"), decide)
    shown = frozenset(written_as_arrays(own.names, (n for i in own.items for n in walk(i.reading.chain))))
    assert settled_by(own.table, own.table.symbols[stem], shown, frozenset()) is expected
