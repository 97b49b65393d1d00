"""A report shows every component of an identity of arrays, and no condition that compares numbers."""

from derivations.reports.run.shown import MAX_COMPONENTS, text_of, tidied

from derivations.documents import read_text
from derivations.language.statement import Statement
from derivations.language.term import Case, Number, equal
from derivations.provers.decide import decide
from derivations.study.claims import study

ROTATION = r"\begin{pmatrix} \cos t & -\sin t \\ \sin t & \cos t \end{pmatrix}"


def shown(text: str) -> list[str]:
    return [text_of(f, 4_000) for f in study(read_text(text, "x.md"), decide=decide)]


def test_every_component_is_shown() -> None:
    (found,) = shown(rf"$$ 2 {ROTATION} = {ROTATION} + {ROTATION} $$")
    assert found.count(" = ") >= 4
    assert found.count("; ") == 3
    assert "0 = 1" not in found


def test_of_many_components_it_is_said_how_many() -> None:
    side = r"\begin{pmatrix} " + r" \\ ".join(["1 & 2 & 3 & 4"] * 4) + r" \end{pmatrix}"
    (found,) = shown(rf"$$ {side} = {side} $$")
    assert MAX_COMPONENTS < 16
    assert found.endswith("and 15 more components")


def test_choices_between_numbers_are_made() -> None:
    never, always = equal(0, 1), equal(1, 1)
    statement = Statement(Case([((never,), Number(1)), ((always,), Number(2))], Number(3)), "=", Number(2))
    assert str(tidied(statement)) == "2 = 2"


def test_a_currency_is_no_name() -> None:
    found = study(read_text(r"It costs $\$ 6$ for $x = 2 y$. Then $$x + y = 3 y$$", "x.md"), decide=decide)
    assert r"\$" not in {latex for f in found for latex in f.display.values()}
