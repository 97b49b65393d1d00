"""Functions that nothing defines: what is proved of them holds for every function, and nothing about them is refuted."""

import json

import pytest

from derivations.documents import read_text
from derivations.kernel.certificate import loads, read, write
from derivations.kernel.definition import NotConservative, admit
from derivations.language.statement import Definition, Statement, Tensor, Theory
from derivations.language.term import UNKNOWN, Bracket, Derivative, Entry, Index, Lambda, Term, number, within
from derivations.latex.syntax.function_names import plain_stem, signs_of
from derivations.latex.writer import write_latex
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
    "a false one": (VALUES + r"So $Q(s, a) = A(s, a) - V(s)$.", ["defined", "refuted"]),
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


COUNTS = {
    r"$4! = 24$": "proved",
    r"$5! = 100$": "refuted",
    r"$0! = 1$": "proved",
    r"$3! \ne 6$": "refuted",
    r"$3! != 5$": "proved",
    r"$\frac{10!}{8!} = 90$": "proved",
    r"$\binom{4}{2} = 6$": "proved",
    r"$\binom{5}{2} = 11$": "refuted",
    r"$(-1)! = 1$": "unread [out-of-scope]",
    r"$0.5! = 1$": "unread [out-of-scope]",
    r"$2 n! = n! + n!$": "proved",
    r"$\frac{n!}{n!} = 1$": "proved",
    r"$2 n! = 3 n!$": "undecided [ambiguous]",
    r"$n! = n (n - 1)!$": "undecided [ambiguous]",
    r"$1000! = 2$": "undecided [ambiguous]",
    r"$n! \ne n (n - 1)!$": "undecided [search-ended]",
    r"$\binom{n}{k} \ne \binom{n}{n - k}$": "undecided [search-ended]",
    r"$\binom{n}{k} = \frac{n!}{k! (n - k)!}$": "undecided [ambiguous]",
    r"$\binom{n}{k} + \binom{n}{k} = 2 \binom{n}{k}$": "proved",
    r"$\sum_{k=0}^n \binom{n}{k} q_k = \sum_{j=0}^n \binom{n}{j} q_j$": "proved",
    r"$\sum_{k=0}^n \binom{n}{k} p^k (1 - p)^{n - k} = 1$": "undecided [ambiguous]",
}


@pytest.mark.parametrize("formula", COUNTS)
def test_factorials_and_binomial_coefficients(formula: str) -> None:
    text = rf"Let $q \in \mathbb{{R}}^{{n + 1}}$. We have {formula}."
    found = study(read_text(text, "x.md"), decide=decide)[-1]
    assert (found.status if found.code in (None, "false-claim") else f"{found.status} [{found.code}]") == COUNTS[
        formula
    ]


def test_a_definition_with_a_factorial() -> None:
    text = r"Let $x \in \mathbb{R}^m$ and $$ u_k = k! \, x_k . $$ Then $$ \frac{u_k}{k!} = x_k $$ and $$ u_k = 2 k! x_k . $$"
    found = study(read_text(text, "x.md"), decide=decide)
    assert [f.status for f in found] == ["defined", "proved", "undecided"]


def test_factorials_are_written_as_they_are_read() -> None:
    text = r"We have $n! \binom{n}{k} (n - 1)! = (n - 1)! \binom{n}{k} n!$."
    found = study(read_text(text, "x.md"), decide=decide)[-1]
    assert found.status == "proved" and found.statement is not None
    assert write_latex(found.statement.left) == r"n! \binom{n}{k} \left(n - 1\right)!"


ARROWS = {
    r"$\vec{x} + \vec{0} = \vec{x}$": "proved",
    r"$x + 2 \vec 1 = x + \vec 1 + \vec{1}$": "proved",
    r"$2 \overrightarrow{x}_i = 2 \vec{x}_i$": "proved",
    r"$2 \vec{x} = 3 \overrightarrow x$": "refuted",
}


@pytest.mark.parametrize("formula", ARROWS)
def test_arrows_over_names_and_numbers(formula: str) -> None:
    text = rf"Let $\vec{{x}} \in \mathbb{{R}}^m$. We have {formula}."
    assert study(read_text(text, "x.md"), decide=decide)[-1].status == ARROWS[formula]
