"""Verdicts that a reader can trust: nothing about one length alone is proved, nothing is refuted across a scope."""

import pytest

from derivations.api import equivalent
from derivations.documents import read_text
from derivations.documents.facts.prose import study_prose
from derivations.language.statement import Definition, Statement, Tensor, Theory
from derivations.language.term import ONE, ZERO, Entry, Index, Sum, at_least, equal, guard, less, within
from derivations.provers.decide import Proved, Refuted, decide
from derivations.study.claims import study
from derivations.study.vacuity import emptied_by

i, n = Index.var("i"), Index.size("n")


def statuses(text: str) -> dict[int, tuple[str, str | None]]:
    """Status and code by line."""
    document = read_text(text, "x.md")
    found = study(document, decide=decide)
    return {f.place.line: (f.status, f.code) for f in (*found, *study_prose(document, found, decide))}


class TestVacuous:
    def test_an_index_that_is_fixed(self) -> None:
        theory = Theory({"x": Tensor("x", (n,))})
        entry = Entry("x", (i,))
        assert emptied_by(decide(Statement(entry, "=", entry, ("i",), guard(*within("i", 0, n))), theory)) == ""
        shifted = Statement(Entry("x", (n + i,)), "=", Entry("x", (n + i,)), ("i",), guard(at_least(i, -1), less(i, n)))
        assert "i" in emptied_by(decide(shifted, theory))

    def test_a_length_that_is_a_number(self) -> None:
        theory = Theory({"x": Tensor("x", (n,))})
        first = Sum("k", guard(equal(Index.var("k"), n)), Entry("x", (Index.var("k") - 1,)))
        assert emptied_by(decide(Statement(first, "=", Entry("x", (0,))), theory)) == ""
        square = Entry("x", (2 * n - 2,))
        assert emptied_by(decide(Statement(square, "=", square), theory)) != ""

    def test_a_bound_of_one_index_by_another(self) -> None:
        j, k = Index.var("j"), Index.var("k")
        theory = Theory({"x": Tensor("x", (n, n))})
        below = Entry("x", (i - j, 0))
        assert (
            emptied_by(
                decide(Statement(below, "=", below, ("i", "j"), guard(*within("i", 0, n), *within("j", 0, n))), theory)
            )
            != ""
        )
        inside = guard(*within("i", 0, n), at_least(j, 0), at_least(i - j, 0))
        assert emptied_by(decide(Statement(below, "=", below, ("i", "j"), inside), theory)) == ""
        window = Entry("x", (i + k, 0))
        beside = guard(*within("i", 0, Index.size("m")), *within("k", 0, Index.size("w")))
        assert emptied_by(decide(Statement(window, "=", window, ("i", "k"), beside), theory)) == ""

    def test_equal_lengths_may_be_assumed(self) -> None:
        def both(x, y):  # type: ignore[no-untyped-def]
            return x + y

        def turned(x, y):  # type: ignore[no-untyped-def]
            return y + x

        assert isinstance(equivalent(both, turned, x=("n",), y=("m",)), Proved)


class TestRoles:
    @pytest.mark.parametrize(
        "false",
        [r"(a + b)^2 = a^2 + ab + b^2", r"\sin(a + b) = \sin a \cos b - \cos a \sin b", r"\frac{d}{d x} x^2 = 3 x"],
    )
    def test_identities_of_the_same_names_are_claims(self, false: str) -> None:
        assert statuses(f"$$ {false} $$\n") == {1: ("refuted", "false-claim")}

    @pytest.mark.parametrize(
        "said",
        [
            r"Given vectors $a, b \in \mathbb{R}^n$ with the angle $\alpha$, $a \cdot b = \|a\| \|b\| \cos\alpha$.",
            r"The points $x \in \mathbb{R}^n$ of the plane: $x^\top \theta = 0$, for $\theta \in \mathbb{R}^n$.",
        ],
    )
    def test_what_may_say_what_a_name_is_refutes_nothing(self, said: str) -> None:
        assert "refuted" not in {status for status, _ in statuses(said).values()}

    @pytest.mark.parametrize("sign", [r"\frac{d}{dx}", r"\frac{d}{d x}", r"\frac{\mathrm{d}}{\mathrm{d} x}"])
    def test_spaces_in_a_differential_mean_nothing(self, sign: str) -> None:
        assert statuses(f"$$ {sign} x^2 = 2 x $$\n")[1][0] == "proved"


class TestScopes:
    def test_a_name_of_another_section_is_another_one(self) -> None:
        one = r"$$D = \begin{pmatrix} 0 & 0 \\ 0 & 1 \end{pmatrix}$$"
        two = one.replace("0 & 0", "1 & 0")
        assert statuses(f"# One\n\n{one}\n\n# Two\n\n{two}\n")[7][0] == "defined"
        assert statuses(f"# One\n\n{one}\n\n## Below\n\n{two}\n")[7][0] == "defined"  # another worked number
        one, two = r"Let $x, y \in \mathbb{R}^n$ and $$s_i = x_i y_i$$", r"The scores are $$s_i = x_i + y_i$$"
        assert statuses(f"# One\n\n{one}\n\n# Two\n\n{two}\n")[7][0] == "defined"
        again = two.replace("The scores are", "In other words,")
        assert statuses(f"# One\n\n{one}\n\n## Below\n\n{again}\n")[7][0] == "refuted"


class TestNumbers:
    def test_each_entry_has_its_own_decimals(self) -> None:
        right = r"$$\begin{bmatrix} 2/3 & 5/4 \end{bmatrix} = \begin{bmatrix} 0.66666667 & 1.25 \end{bmatrix}$$"
        assert statuses(right)[1][0] == "holds"
        wrong = right.replace("0.66666667", "0.6666")
        assert statuses(wrong)[1][0] != "holds"


def test_what_is_undefined_somewhere_may_be_false_elsewhere() -> None:
    text = (
        r"$$S_{ij} = \begin{cases} x_{ij} & j < i \\ -\infty & \text{otherwise} \end{cases}$$" + "\n\n"
        r"$$A_{ij} = \frac{\exp(S_{ij})}{\sum_{k=1}^{n} \exp(S_{ik})}$$" + "\n\n"
        r"$$\sum_{j=1}^n A_{ij} = 1$$" + "\n\n" + r"$$\sum_{j=1}^n A_{ij} = 2$$" + "\n"
    )
    found = statuses(text)
    assert found[5] == ("undecided", "undefined")
    assert found[7][0] == "refuted"


class TestHalfRead:
    DEFINITION = "Let $z \\in \\mathbb{R}^{V}$.\n\n$$ p_i = \\frac{e^{z_i}}{\\sum_{j=1}^{V} e^{z_j}} . $$\n\n"

    @pytest.mark.parametrize(
        ("sentence", "status"),
        [
            ("The weights sum to one.", "proved"),
            ("The weights are positive and sum to one.", "proved"),
            ("Since exponentials are positive, the weights sum to one.", "proved"),
            ("The weights are negative and sum to one.", "undecided"),
            ("The weights are constant and sum to one.", "undecided"),
            ("Because the probabilities sum to one, each row of the Jacobian sums to five.", "undecided"),
        ],
    )
    def test_a_sentence_is_proved_as_a_whole(self, sentence: str, status: str) -> None:
        found = statuses(self.DEFINITION + sentence + "\n")[5]
        assert found[0] == status
        assert (found[1] == "half-read") == (status == "undecided")


SHIFTED = (
    r"Let $x \in \mathbb{R}^d$ have the mean $\mu = \frac{1}{d} \sum_{i=1}^d x_i$ and the variance "
    r"$\sigma^2 = \frac{1}{d} \sum_{i=1}^d (x_i - \mu)^2$. With $x'_i = x_i + c$ the mean becomes "
)


class TestPrimedNames:
    @pytest.mark.parametrize("claim", [r"\mu' = \mu + c", r"\sigma'^2 = \sigma^2"])
    def test_what_is_true_of_the_primed_is_proved(self, claim: str) -> None:
        assert statuses(f"{SHIFTED}\n\n$${claim}$$\n")[3] == ("proved", None)

    @pytest.mark.parametrize("claim", [r"\mu' = \mu - c", r"\sigma'^2 = 2 \sigma^2"])
    def test_what_is_false_may_be_a_name_of_its_own(self, claim: str) -> None:
        assert statuses(f"{SHIFTED}\n\n$${claim}$$\n")[3] == ("undecided", "ambiguous")

    def test_second_derivatives(self) -> None:
        text = r"The logistic function is $\sigma(z) = \frac{1}{1 + e^{-z}}$. "
        right = r"$\sigma''(z) = \sigma(z) (1 - \sigma(z)) (1 - 2 \sigma(z))$."
        assert statuses(f"{text}\n\n{right}\n")[3][0] == "proved"
        assert statuses(f"{text}\n\n{right.replace('1 - 2', '1 + 2')}\n")[3][0] == "refuted"


class TestItemsOfLists:
    def test_an_item_beside_the_first_defines_anew(self) -> None:
        text = "- Heavy: $$ v = a + b $$\n\n- Light: $$ v = a - b $$\n"
        found = statuses("Let $a, b \\in \\mathbb{R}$.\n\n" + text)
        assert "refuted" not in {status for status, _ in found.values()}

    def test_in_one_item_it_is_a_claim(self) -> None:
        text = "Let $a, b \\in \\mathbb{R}$.\n\n- Heavy: $$ v = a + b $$ and so $$ v = a - b $$\n"
        assert ("refuted", "false-claim") in statuses(text).values()


def test_a_row_goes_on_after_the_row_before_and_not_after_its_reason() -> None:
    rows = r"2 a (b - 1) &= 2 a b - 2 a && \text{since } 1 \cdot 2 a = 2 a \\\\ &= 2 a b - a - a"
    found = study(read_text(f"$$\n\\begin{{align*}}\n{rows}\n\\end{{align*}}\n$$\n", "x.md"), decide=decide)
    assert [f.status for f in found] == ["proved"] * 3
    assert found[-1].source == "= 2 a b - a - a"


class TestConditions:
    def test_a_condition_holds_for_the_rest_of_its_sentence_alone(self) -> None:
        found = statuses("The matrices commute if $AB=BA$. Always $(A+B)(A-B)=AA-BB$.\n")
        assert found[1] == ("undecided", "unsupported")

    def test_a_sentence_goes_on_after_a_display_without_a_full_stop(self) -> None:
        found = statuses(
            "Of matrices:\n\nIf\n\n$$AB=BA$$\n\nthen\n\n$$ABB=BBA.$$\n\nFor such matrices\n\n$$(A+B)(A-B)=AA-BB.$$\n"
        )
        assert found[9][0] == "proved"
        assert found[13] == ("undecided", "unsupported")

    @pytest.mark.parametrize(
        "condition",
        ["If all $w_i = 1$, the sum is plain.", "A sum is called plain if for all $i$ we have $w_i = 1$."],
    )
    def test_a_condition_on_a_name_proves_nothing_outside_of_its_sentence(self, condition: str) -> None:
        claim = r"$$\sum_i w_i e_i^2 = \sum_i e_i^2 .$$"
        found = statuses(f"Let $w, e \\in \\mathbb{{R}}^n$. {condition}\n\nIn general\n\n{claim}\n")
        assert found[5] == ("undecided", "special-case")

    def test_a_condition_on_a_name_holds_in_its_sentence(self) -> None:
        text = "Let $w, e \\in \\mathbb{R}^n$.\n\nIf all $w_i = 1$, then\n\n$$\\sum_i w_i e_i^2 = \\sum_i e_i^2 .$$\n"
        assert statuses(text)[5][0] == "proved"

    def test_a_case_of_a_defined_name_is_no_new_version(self) -> None:
        found = statuses("Let $c = a + b$.\n\nIn the special case $c = 2 d$.\n\nAlways\n\n$$c = 2 d .$$\n")
        assert found[3][0] == "skipped"
        assert found[7][0] != "proved"


def test_a_shape_is_proved_of_the_name_as_the_report_defines_it() -> None:
    text = (
        "# Model\n\nLet $Z \\in \\mathbb{R}^n$ and $X \\in \\mathbb{R}^{n \\times p}$. Then $g = Z^\\top X$.\n\n"
        "## Moments\n\nDefine the matrix $G := Z^\\top X \\in \\mathbb{R}^{m \\times p}$.\n"
    )
    found = study(read_text(text, "x.md"), decide=decide)
    made = next(f for f in found if f.name == "G")
    shape = next(f for f in found if f.kind == "shape")
    assert made.definition is not None
    assert shape.status != "proved" or len(made.definition.indices) == 2


def test_a_size_only_in_the_place_of_a_definition_gets_a_value() -> None:
    """`A_{jk} = 0` for the last column, where k is a length that the statement itself does not have."""
    j = Index.var("j")
    last = Definition("A", (j, Index.size("k") - 1), ZERO, shape=(n, n))
    everywhere = guard(*within("i", 0, n), *within("j", 0, n))
    found = decide(Statement(Entry("A", (i, j)), "=", ONE, ("i", "j"), everywhere), Theory({}, {"A": (last,)}))
    assert isinstance(found, Refuted) and found.counterexample.sizes.keys() == {"n", "k"}
