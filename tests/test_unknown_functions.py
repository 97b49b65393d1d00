"""Functions that nothing defines: what is proved of them holds for every function, and nothing about them is refuted."""

import json

import pytest

from derivations.documents import read_text
from derivations.kernel.certificate import loads, read, write
from derivations.kernel.definition import NotConservative, admit
from derivations.language.term import (
    UNKNOWN,
    Bracket,
    Definition,
    Derivative,
    Entry,
    Index,
    Lambda,
    Statement,
    Tensor,
    Term,
    Theory,
    number,
    within,
)
from derivations.latex.syntax.function_names import plain_stem, signs_of
from derivations.provers.decide import Decision, Proved, Refuted, decide
from derivations.study.claims import study

n, m = Index.size("n"), Index.size("m")
x, y = Entry("x", (Index.var("a"),)), Entry("y", (Index.var("a"),))
z = Entry("z")
GIVEN = Theory({"x": Tensor("x", (n,)), "y": Tensor("y", (n,)), "z": Tensor("z"), "c": Tensor("c")})


def f(entry: Term, length: Index = n) -> Term:
    """The value of an unknown function at a vector."""
    return Entry(f"{UNKNOWN}f", (), (Lambda(("a",), entry),), (length,))


def g(*arguments: Term) -> Term:
    """The value of an unknown function at numbers."""
    return Entry(f"{UNKNOWN}g", (), tuple(Lambda((), t) for t in arguments))


def decided(left: Term, right: Term) -> Decision:
    return decide(Statement(left, "=", right), GIVEN)


class TestKernel:
    def test_equal_arguments_have_equal_values(self) -> None:
        assert isinstance(decided(f(x + y), f(y + x)), Proved)
        assert isinstance(decided(g(z * z, z + 1) + 1, 1 + g(z**2, 1 + z)), Proved)

    def test_other_arguments_have_other_values(self) -> None:
        assert isinstance(decided(f(x), f(y)), Refuted)
        assert isinstance(decided(g(z, number(1)), g(number(1), z)), Refuted)

    def test_entries_beyond_the_length_do_not_matter(self) -> None:
        here = Bracket(within("a", 0, n))
        assert isinstance(decided(f(here * x), f(x)), Proved)
        assert not isinstance(decided(f(Bracket(within("a", 1, n)) * x), f(x)), Proved)

    def test_a_certificate_is_read_back(self) -> None:
        found = decided(f(x + y), f(y + x))
        assert isinstance(found, Proved)
        assert read(loads(json.dumps(write(found.theorem)).encode())).statement == found.theorem.statement

    def test_the_length_counts(self) -> None:
        assert not isinstance(decided(f(x), f(x, n - 1)), Proved)

    def test_the_derivative_is_not_zero(self) -> None:
        assert not isinstance(decided(Derivative("z", (), g(z)), number(0)), Proved)
        assert isinstance(decided(Derivative("z", (), g(Entry("c"))), number(0)), Proved)

    def test_nothing_defines_one(self) -> None:
        with pytest.raises(NotConservative, match="unknown"):
            admit(GIVEN, Definition(f"{UNKNOWN}g", (), number(0)))
        with pytest.raises(NotConservative, match="unknown"):
            admit(GIVEN, Definition("h", (), number(0), tensors=(Tensor(f"{UNKNOWN}g"),)))

    def test_an_argument_may_be_undefined(self) -> None:
        found = decided(g(1 / z), g(1 / z))
        assert isinstance(found, Proved)
        assert found.theorem.assumptions


VALUES = r"The advantage is $A(s, a) = Q(s, a) - V(s)$. "
DOCUMENTS = {
    "a claim of an unknown function": (VALUES + r"So $Q(s, a) = A(s, a) + V(s)$.", ["defined", "proved"]),
    "a false one": (VALUES + r"So $Q(s, a) = A(s, a) - V(s)$.", ["defined", "undecided"]),
    "conditioned": (r"$$P(A \mid B) = \frac{P(B \mid A) P(A)}{P(B)}$$", ["undecided"]),
    "of both sides": (r"$$\log p(y \mid x) + \log p(x) = \log (p(x) p(y \mid x))$$", ["proved"]),
    "turned arguments": (r"$$p(y \mid x) = p(x \mid y)$$", ["undecided"]),
    "a family": (
        r"For $x, w_k \in \mathbb{R}^d$ the class scores are $$p(y = k \mid x) = \frac{\exp(w_k^\top x)}{\sum_j \exp(w_j^\top x)}$$ and "
        r"$$\sum_k p(y = k \mid x) = 1$$",
        ["defined", "proved"],
    ),
    "what it depends on below": (
        r"$$r(\theta) = \log \pi_\theta(a \mid s)$$ $$r(\theta) - r(\phi) = 0$$",
        ["defined", "undecided"],
    ),
    "a layer, whose values may be vectors": (r"With $x \in \mathbb{R}^d$, $$y = \text{layer}(x).$$", ["unread"]),
    "a layer whose values are declared": (
        r"With $x \in \mathbb{R}^d$ and $y \in \mathbb{R}^m$, $$y = \text{layer}(x).$$ $$\lVert y \rVert^2 = \sum_i y_i^2$$",
        ["defined", "proved"],
    ),
    "matrices, perhaps": (r"$$R(a) R(b) = R(b) R(a)$$", ["unread"]),
    "applied or multiplied": (
        r"For $z \in \mathbb{R}^n$ let $$p_i = \frac{e^{z_i}}{\sum_j e^{z_j}}.$$ Then $$p_i(2z) = 2 p_i z$$",
        ["defined", "unread"],
    ),
    "an inverse function": (r"$$f^{-1}(a, b) = f(a, b)$$", ["unread"]),
    "a power, or applied twice": (r"$$f^2(a, b) = f(a, b)$$", ["unread"]),
    "a function of a policy": (
        r"$$\log \pi(a \mid s) = V^\pi(s, a)$$ $$\log \mu(a \mid s) = V^\mu(s, a)$$ $$V^\pi(s, a) = V^\mu(s, a)$$",
        ["undecided", "unread", "unread"],
    ),
    "a gradient": (
        r"$$L(\theta) = \frac{1}{n} \sum_{i=1}^n \ell(f_\theta(x_i), y_i)$$ "
        r"$$\nabla_\theta L(\theta) = \sum_{i=1}^n \nabla_\theta \ell(f_\theta(x_i), y_i)$$",
        ["defined", "undecided"],
    ),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents(name: str) -> None:
    text, expected = DOCUMENTS[name]
    assert [finding.status for finding in study(read_text(text, "x.md"), decide=decide)] == expected


def test_how_names_tell_functions_apart() -> None:
    assert (plain_stem("p(=|)"), signs_of("p(=|)")) == ("p", ["=", "|"])
    assert (plain_stem("H_of_2"), signs_of("H_of_2")) == ("H", [])
    assert signs_of("P(<=,|)") == ["<=", ",", "|"]
