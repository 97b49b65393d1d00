"""Macros that most authors define alike are read without their preamble, and never against what a document defines."""

from derivations.latex.syntax.customary_macros import CUSTOMARY
from derivations.latex.syntax.forms import BUILDERS
from derivations.latex.syntax.lexer import Macro
from derivations.latex.syntax.notation import ACCENTS
from derivations.latex.syntax.reader import read_equation
from derivations.latex.syntax.surface import Enclosed, Name, Operator
from derivations.latex.syntax.symbols import COMMANDS

AS_A_NAME = {"Pr"}
"""Commands that LaTeX knows and that are read as the name of a function here."""


def test_no_command_of_latex_is_replaced() -> None:
    assert CUSTOMARY.keys() & (COMMANDS.keys() | BUILDERS.keys() | set(ACCENTS)) == AS_A_NAME


def test_every_body_reads() -> None:
    for name, (count, body) in CUSTOMARY.items():
        if body.startswith("^"):
            continue  # \trans stands after a name
        arguments = "{x}" * count
        assert read_equation(rf"y = a \{name}{arguments} + b"), body


def test_what_they_mean() -> None:
    (mean,), (norm,), (vector,) = (read_equation(s) for s in (r"\E[X] = m", r"\norm{x} = r", r"\vect{x} = y"))
    assert isinstance(mean.chain.first, Operator)
    assert isinstance(norm.chain.first, Enclosed)
    assert isinstance(vector.chain.first, Name)
    assert vector.chain.first.font == "bold"


def test_the_document_comes_first() -> None:
    (reading,) = read_equation(r"\E = 1", {"E": Macro(0, "F")})
    assert isinstance(reading.chain.first, Name)
    assert reading.chain.first.base == "F"
