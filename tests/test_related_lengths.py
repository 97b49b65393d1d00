"""Lengths that the text gives in terms of others: they are put in everywhere, and the nearest relation counts."""

import pytest

from derivations.documents import read_text
from derivations.language.term import Constraint, Index, equal
from derivations.provers.decide import decide
from derivations.study.claims import study
from derivations.study.related_lengths import lengths_given, without_contradicted

B, D, E, H = map(Index.size, "bdeh")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([equal(E * H, D)], {"d": E * H}),
        ([equal(E * H, D), equal(B * E, H)], {"d": B * E * E, "h": B * E}),
        ([equal(D, E * H), equal(D, B * H)], {"d": E * H, "b": E}),
        ([equal(D, E * H), equal(D, E)], {"d": E * H}),
        ([equal(D, Index.of(3))], {}),
    ],
)
def test_lengths_given(said: list[Constraint], expected: dict[str, Index]) -> None:
    found = lengths_given(said)
    assert {k: str(v) for k, v in found.items()} == {k: str(v) for k, v in expected.items()}


def test_the_first_of_two_that_contradict_each_other() -> None:
    heads, one_head, other = equal(D, E * H), equal(D, E), equal(B, D)
    assert without_contradicted([heads, one_head, other]) == [heads, other]
    assert without_contradicted([one_head, heads, other]) == [one_head, other]


SHARED = (
    "Let $X \\in \\mathbb{R}^{n \\times d}$. There are $H$ heads and $G$ groups with $r = H / G$. A key $k_j$ for "
    "$j = 1, \\dots, r$ is in $\\mathbb{R}^d$, and $a = \\frac{1}{r} \\sum_{j=1}^r k_j$. "
    "Let $$M = 4 d^2 H, \\qquad N = 2 d^2 (H + G) .$$ "
)
PARTS = (
    "# One head\n\nLet $X \\in \\mathbb{R}^{n \\times d}$ and $W \\in \\mathbb{R}^{d \\times e}$. With one head $e = d$.\n\n"
    "# Several heads\n\nWith $h$ heads $e = d / h$. Let $a = h e$. "
)
DOCUMENTS = {
    "true of them": (
        SHARED + "The saving is $$\\frac{M - N}{M} = \\frac{1}{2} \\left(1 - \\frac{1}{r}\\right) .$$",
        "proved",
    ),
    "false of them": (SHARED + "The saving is $$\\frac{M - N}{M} = \\frac{1}{2} (1 - r) .$$", "refuted"),
    "a ratio": (SHARED + "The ratio is $$\\frac{2 G d}{2 H d} = \\frac{1}{r} .$$", "proved"),
    "a false ratio, and nothing that shows that it is meant": (
        SHARED + "The ratio is $$\\frac{2 G d}{2 H d} = r .$$",
        "undecided",
    ),
    "what another part says is not put in": (PARTS + "Then $$a = d .$$", "proved"),
    "true where another part is meant": (PARTS + "Then $$a = d h .$$", "refuted"),
    "a number that the text may count": (SHARED + "The ratio is $$\\frac{2 G}{d H} = r .$$", "undecided"),
}


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_related_lengths(text: str, expected: str) -> None:
    found = [f for f in study(read_text(text, "x.md"), decide=decide) if f.kind not in ("shape", "prose")]
    assert found[-1].status == expected


COLUMNS = "Keys $q, k \\in \\mathbb{R}^d$ and values $v_i \\in \\mathbb{R}^e$ are columns. "


@pytest.mark.parametrize(
    ("right", "expected"),
    [
        ("e^{\\|q\\|^2 / 2} e^{-\\|q - k\\|^2 / 2} e^{\\|k\\|^2 / 2}", "proved"),
        ("e^{\\|q\\|^2 / 2} e^{-\\|q - k\\|^2} e^{\\|k\\|^2 / 2}", "refuted"),
    ],
)
def test_a_power_of_e_is_no_length(right: str, expected: str) -> None:
    text = f"{COLUMNS}Then $$e^{{q^\\top k}} = {right} .$$"
    assert [f.status for f in study(read_text(text, "x.md"), decide=decide) if f.kind == "claim"] == [expected]


def test_a_name_alone_is_a_stated_length() -> None:
    found = study(read_text(COLUMNS + "Here $e = d$.", "x.md"), decide=decide)
    assert [f.code for f in found if f.kind != "shape"] == ["size"]
