"""Every rule that tells the role of a relation decides about its example, and about nothing in its counter-example."""

import pytest

from derivations.documents import read_text
from derivations.documents.facts.role_words import ROLE_WORDS, Part, RoleWords, parts_said
from derivations.provers.decide import decide
from derivations.study import defining
from derivations.study.claims import study, understood
from derivations.study.directives_at_work import declared
from derivations.study.new_versions import REPETITION_RULES, Again, RepetitionRule, rule_of_repetition
from derivations.study.roles import ROLE_RULES, RoleRule


def rules(text: str) -> set[str]:
    """The rules that decided about the relations of a document."""
    studied, _ = understood(declared(read_text(text, "x.md")), decide)
    return set(studied.main.rules.values())


@pytest.mark.parametrize("row", ROLE_WORDS, ids=lambda row: row.name)
def test_words_of_roles(row: RoleWords) -> None:
    assert row.pattern.search(row.fires)
    assert not row.pattern.search(row.silent)


def test_what_is_concluded_is_not_supposed() -> None:
    assert Part.SUPPOSED not in parts_said("Suppose that ⟦1⟧. Then we have")
    assert Part.PREMISE in parts_said("provided that ⟦1⟧ and")


@pytest.mark.parametrize("rule", ROLE_RULES, ids=lambda rule: rule.name)
def test_rules_of_roles(rule: RoleRule) -> None:
    assert rule.name in rules(rule.example)
    assert rule.name not in rules(rule.counter)


def repetitions(text: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The rules that decided about left sides that are written again."""
    fired: set[str] = set()

    def asked(again: Again) -> RepetitionRule:
        rule = rule_of_repetition(again)
        fired.add(rule.name)
        return rule

    monkeypatch.setattr(defining, "rule_of_repetition", asked)
    understood(declared(read_text(text, "x.md")), decide)
    return fired


@pytest.mark.parametrize("rule", REPETITION_RULES, ids=lambda rule: rule.name)
def test_rules_of_repetitions(rule: RepetitionRule, monkeypatch: pytest.MonkeyPatch) -> None:
    if rule.example:  # chapters are files of their own
        assert rule.name in repetitions(rule.example, monkeypatch)
    assert rule.name not in repetitions(rule.counter, monkeypatch)


def test_names_of_rules_are_unique() -> None:
    names = [rule.name for rule in (*ROLE_RULES, *REPETITION_RULES)]
    assert len(names) == len(set(names))


CONDITIONS = (
    "The mean is plain if $c = a$.",
    "The mean is plain if and only if $c = a$.",
    "The mean is plain iff $c = a$.",
    "The mean is plain when $c = a$.",
    "The mean is plain whenever $c = a$.",
    "The mean is never plain unless $c = a$.",
    "The mean is plain provided that $c = a$.",
    "The mean is plain as long as $c = a$.",
    "The mean is plain only when $c = a$.",
    "The mean is plain if we have $c = a$.",
    "The mean is plain if the rate satisfies $c = a$.",
    "The mean is plain if it so happens that $c = a$.",
    "The mean is plain when all the weights $c = a$.",
    "The mean is plain if all $w_i = 1$.",
    "If all $w_i = 1$, the mean is plain.",
    "If every weight $w_i = 1$, the mean is plain.",
    "When all $w_i = a_i$, the mean is plain.",
    "Once all $w_i = a_i$, the mean is plain.",
    "If $b > 0$ and $c = a$, then the mean is plain.",
    "If $b > 0$, $d = 2$ and $c = a$, then the mean is plain.",
    "If for all $i$ we have $c_i = a_i$, then the mean is plain.",
    "The model is balanced if for all $i$, we have $c_i = a_i$.",
    "The map $T$ is called a shear if there is a vector $v$ with $T(v) = v$.",
    "The map $T$ is called a shear if $S$ is plane and $T(v) = v$ for all $v$ on it.",
    "The map $T$ is said to be fixed when at some point $T(v) = v$.",
    "We say that $T$ is fixed provided $b > 0$ and $T(v) = v$.",
    "A map is a shear if:\n\n- $b > 0$\n- $T(v) = v$ for all $v$ on the line",
    "We see that, if $c = a$, the mean is plain.",
    "A map is a shear if there is a line such that\n\n<ol>\n<li>\n\n$T(v) = v$ on it;\n\n</li>\n</ol>",
    "A map is a shear if:\n\n<ul>\n<li>\n\n$b > 0$\n\n</li>\n<li>\n\n$T(v) = v$ on it\n\n</li>\n</ul>",
    "- If $c = a$: easy\n- If $c = 2 a$: hard",
    "The points for which $c = a$ are fixed.",
    "That all $w_i = 1$ implies that the mean is plain.",
    r"Let $w \in \mathbb{R}^n$. Then $w_i = 1 \Rightarrow W = I$.",
)
CASES = (
    "In the special case $c = a$ the mean is plain.",
    "In the special case of one head, $c = a$.",
    "As a special case we find $c = a$.",
    "In the trivial case $c = a$.",
    "In the limiting case of no noise we get $c = a$.",
    "Consider the case $c = a$.",
    "The case that $c = a$ is easy.",
    "The case where $c = a$ is easy.",
    "For instance, with $c = a$ the mean is plain.",
    "For example, if $b > 0$, then $c = a$.",
    "For example, for two heads $c = a$.",
    "Suppose for a moment that $c = a$.",
    "Assume for the sake of argument that $c = a$.",
    "Let us assume, for now, that $c = a$.",
    "If $b = 2$, then $c = a$.",
    "If $b > 0$, we get $c = a$.",
    "When $b = 0$, the result is $c = a$.",
    "Whenever $b < d$, the result is $c = a$.",
    "Unless $b = 0$, we have $c = a$.",
    "If the keys are orthonormal, we get $c = a$.",
    "When the rows are all equal, $c = a$.",
    "If the scores are identical, the maximum is $c = a$.",
    "When the temperature is zero, $c = a$.",
    "We find $c = a$ if $b > 0$.",
    "We find $c = a$ only if $b = 2$.",
    "We find $c = a$ if the rows are sorted.",
    "We find $c = a$ when $b = 0$.",
    "We find $c = a$ when the rows are equal.",
    "We find $c = a$ unless $b = 0$.",
    "We find $c = a$ in the special case $b = 2$.",
    r"$$ c = a \quad \text{if } b > 0 $$",
    "If $t = 1$, then $c_t = a_t$.",
    "Here $f(x) = a x$ if $x > 0$.",
    "That all $w_i = 1$ implies that $c = a$.",
    "Consider $c_i = 1$.",
    "Similarly, for $c_i = 0$ the mean is plain.",
    "Here $c_i = -1$ if the rows are sorted.",
)
DEFINITIONS = (
    "Let $c = a^2$.",
    "Let $c$ be the square, $c = a^2$.",
    "Define $c$ by $c = a^2$.",
    "We define $c = a^2$.",
    "We set $c = a^2$.",
    "Set $c = a^2$.",
    "Put $c = a^2$.",
    "Putting $c = a^2$, the mean is plain.",
    "We write $c = a^2$ for the square.",
    "We denote by $c = a^2$ the square.",
    "The square is $c = a^2$.",
    "The mean is $2 c$, where $c = a^2$ is the square.",
    "The mean is $2 c$, where $c = a^2$.",
    "The mean is $2 c$ with $c = a^2$ denoting the square.",
    "With $c = a^2$ the mean is plain.",
    "Here $c = a^2$ stands for the square.",
    "If we write $c = a^2$, then the mean is plain.",
    "If we set $c = a^2$, the mean is plain.",
    "If we denote the square by $c = a^2$, the mean is plain.",
    "When we define $c = a^2$, the mean is plain.",
    "When computing the gradient we use $c = a^2$.",
    "If the rows are shifted, the result is $c = a^2$.",
    "When we have two heads, the result is $c = a^2$.",
    "If $X = U V$ is the factorisation, the result is $c = a^2$.",
    "If $b$ is the rate, the result is $c = a^2$.",
    "For every $b > 0$ we have $c = a^2$.",
    "Such a rate, called the gain, is $c = a^2$.",
    "The gain is $c = a^2$, when computing with squares.",
    "In each of these cases the gain is $c = a^2$.",
    "For example, the gain is $c = a^2$.",
    "Suppose that $c = a^2$.",
    "Let $c_i = a_i$ for $i > 1$.",
    "For $t > 1$ let $c_t = a_t$.",
    "When the rows are read, $q = a^3$ and $c = a^2$.",
    "The law is called plain if its rate is given by $$ c = a^2 $$",
    "If $D = \\{x_1, \\dots, x_n\\}$ are the data, the result is $c = a^2$.",
    "The map is plain if:\n\n<ul>\n<li>\n\n$b > 0$\n\n</li>\n</ul>\n\nHere $c = a^2$.",
    "Here ($d_i = 1$ if $i > 2$) we put $c = a^2$.",
    "$$ c = a^2 $$ If this is zero, the gain is zero.",
)


def defined(text: str) -> set[str]:
    """The names that a document defines."""
    studied, _ = understood(declared(read_text(text, "x.md")), decide)
    return {f.name for f in studied.ordered() if f.status == "defined" and f.name is not None}


@pytest.mark.parametrize("text", CONDITIONS)
def test_a_condition_defines_nothing(text: str) -> None:
    assert not defined(text) & {"c", "w", "T"}


@pytest.mark.parametrize("text", CASES)
def test_what_holds_in_a_case_defines_nothing(text: str) -> None:
    assert not defined(text) & {"c", "f"}


@pytest.mark.parametrize("text", DEFINITIONS)
def test_words_of_definitions_define(text: str) -> None:
    assert "c" in defined(text)


DERIVED = """Let $x \\in \\mathbb{R}^n$ and $$ J = \\sum_{i=1}^n (x_i - 1)^2 . $$

We write $r_i = x_i - 1$. WORDS $$ J = FACTOR \\sum_{i=1}^n r_i^2 . $$
"""


@pytest.mark.parametrize(
    "words", ["Then:", "Thus we have", "Then by definition of the norm we have", "This simplifies $J$ to", "Hence"]
)
def test_a_step_of_a_derivation_is_a_claim_whether_true_or_false(words: str) -> None:
    text = DERIVED.replace("WORDS", words)
    found = {k: study(read_text(text.replace("FACTOR", k), "x.md"), decide=decide)[-1].status for k in ("1", "2")}
    assert found == {"1": "proved", "2": "refuted"}


@pytest.mark.parametrize("words", ["With these residuals the new loss is", "Now consider", "If they are doubled, then"])
def test_what_is_said_to_be_changed_is_not_refuted(words: str) -> None:
    text = DERIVED.replace("WORDS", words).replace("FACTOR", "2")
    assert study(read_text(text, "x.md"), decide=decide)[-1].status != "refuted"


FALSE_SQUARE = "(a + b)^2 = a^2 + b^2"
QUOTED = (
    "Find the mistake: $X$.",
    "Spot the error in the equation $X$.",
    "What is wrong with $X$?",
    "What's wrong with the equation $$X$$",
    "Is it true that $X$?",
    "True or false: $X$.",
    "A common mistake is to write $X$ here.",
    "A common error is to write $X$.",
    "Common pitfall: $X$.",
    "Avoid the error $X$.",
    "Students often write $X$.",
    "Beginners assume $X$.",
    "A student claims that $X$.",
    "One might think that $X$.",
    "It is tempting to conclude $X$.",
    "You may be tempted to write $$X .$$",
    "A naive derivation gives $X$.",
    "An incorrect derivation gives $$X .$$",
    "Naively, $X$.",
    "At first sight $X$.",
    "Incorrect: $X$.",
    "**Wrong:** $X$",
    "**Wrong:**\n\n$$X$$",
    "❌ $X$",
    "- ❌ $X$\n- ✅ $(a + b)^2 = a^2 + 2 a b + b^2$",
    "$X$ ❌",
    "$X$ (wrong)",
    "This must not be confused with $X$.",
)


@pytest.mark.parametrize("sentence", QUOTED)
def test_a_quoted_mistake_is_not_asserted(sentence: str) -> None:
    text = f"Let $a, b \\in \\mathbb{{R}}$.\n\n{sentence.replace('X', FALSE_SQUARE)}\n\nLater $$a b = 2 a b .$$"
    found = study(read_text(text, "x.md"), decide=decide)
    assert (found[0].status, found[0].code) == ("skipped", "denied")
    assert found[-1].status == "refuted"  # nothing is taken as given


ASSERTED = (
    "There is no student in the data, and $X$.",
    "The marks of the students are added, which gives $X$.",
    "To find the error of the model we use $X$.",
    "As one might expect, $X$.",
    "A student model has $X$.",
    "A naive implementation computes $X$.",
    "The typical error is small, and $X$.",
)


@pytest.mark.parametrize("sentence", ASSERTED)
def test_what_only_looks_quoted_is_asserted(sentence: str) -> None:
    text = f"Let $a, b \\in \\mathbb{{R}}$.\n\n{sentence.replace('X', FALSE_SQUARE)}"
    assert study(read_text(text, "x.md"), decide=decide)[-1].status == "refuted"


def test_a_mistake_that_a_model_makes_is_defined() -> None:
    text = "For $y, p \\in \\mathbb{R}^n$ the mistake that the model makes is $e = y - p$. Hence $$2 e = y - p .$$"
    assert [f.status for f in study(read_text(text, "x.md"), decide=decide)] == ["defined", "refuted"]


TWINS = {
    "what a defined function obeys": (
        r"For $x \in \mathbb{R}^n$ let $$ m(x) = \sqrt{\sum_i x_i^2 / n} . $$ It obeys, for $c > 0$, $$ m(c x) = FACTOR m(x) . $$",
        "c",
        "c^2",
    ),
    "what defined numbers satisfy": (
        r"For $s \in \mathbb{R}^n$ the weights $$ w_i = \frac{e^{s_i}}{\sum_j e^{s_j}} $$ satisfy $\sum_i w_i = FACTOR$.",
        "1",
        "2",
    ),
    "after a clause with if": (
        r"Let $u, v \in \mathbb{R}^n$. If they are long, $$ (u + v)^\top (u + v) = u^\top u + FACTOR u^\top v + v^\top v . $$",
        "2",
        "3",
    ),
    "after a phrase with given things": (
        r"With $u \in \mathbb{R}^n$ and a vector $v \in \mathbb{R}^n$, $$ u^\top v = FACTOR v^\top u . $$",
        "1",
        "2",
    ),
    "an inverse": (
        r"Let $A \in \mathbb{R}^{n \times n}$ be invertible. With $b \in \mathbb{R}^n$, $$ A A^{-1} b = FACTOR b . $$",
        "",
        "2",
    ),
    "after then in a display": (
        r"Let $$ M = \begin{pmatrix} 2 & 0 \\ 0 & 4 \end{pmatrix}, \quad \text{then} \quad M M = \begin{pmatrix} 4 & 0 \\ 0 & 16 "
        r"\end{pmatrix}, \quad M M M = \begin{pmatrix} FACTOR & 0 \\ 0 & 64 \end{pmatrix} . $$",
        "8",
        "6",
    ),
    "a step of a claim": (
        r"For $A, B \in \mathbb{R}^{n \times n}$ and $b \in \mathbb{R}^n$ $$ (A + B) b = A b + B b = FACTOR A b + B b . $$",
        "",
        "2",
    ),
    "numbers with words of a supposition": ("It has eigenvalues $25 + 20 = FACTOR$.", "45", "46"),
    "numbers after a value": (
        r"For a second example the score $s$ is $$ s = 2 \cdot 2 - 1 + 1 = FACTOR . $$",
        "4",
        "5",
    ),
    "a step of a known sum": (
        r"For $x_t \in \mathbb{R}^n$ let $$ s_t = \sum_{j=1}^t x_j . $$ Hence for $t > 1$ $$ s_t = s_{t-1} + FACTOR x_t . $$",
        "",
        "2",
    ),
    "a step of a known sum downwards": (
        r"For $x_t \in \mathbb{R}^n$ let $$ s_t = \sum_{j=1}^t x_j . $$ Hence $$ s_t = s_{t+1} - FACTOR x_{t+1} . $$",
        "",
        "2",
    ),
    "after a definition that ends in if": (
        r"Let $S \in \mathbb{R}^{n \times n}$. Define $M_{ij} = 0$ if $j \le i$ and $M_{ij} = -\infty$ if $j > i$, and put "
        r"$A = \operatorname{softmax}(S + M)$. Then $\sum_j A_{ij} = FACTOR$.",
        "1",
        "2",
    ),
    "after the noun approximation": (
        r"Let $x \in \mathbb{R}^n$. This is the best approximation, and we have $$ \sum_i (x_i + 1) = \sum_i x_i + FACTOR n . $$",
        "",
        "2",
    ),
}


NOT_REFUTED = {"after a clause with if"}
"""Claims that a doubt protects, or that no instance decides."""


@pytest.mark.parametrize("name", TWINS)
def test_whether_a_line_is_a_claim_does_not_depend_on_its_truth(name: str) -> None:
    text, true, false = TWINS[name]
    found = [study(read_text(text.replace("FACTOR", k), "x.md"), decide=decide)[-1] for k in (true, false)]
    assert [f.status for f in found] == ["proved", "undecided" if name in NOT_REFUTED else "refuted"]


SUPPOSED = (
    r"Let $A \in \mathbb{R}^{n \times n}$ and let $x \in \mathbb{R}^n$ satisfy $A x = 2 x$.",
    r"Let $A \in \mathbb{R}^{n \times n}$. An eigenvector $x \in \mathbb{R}^n$ satisfies $A x = 2 x$.",
    r"Let $X \in \mathbb{R}^{m \times n}$ and $C = X^\top X$. Its eigenvectors $v \in \mathbb{R}^n$ obey $C v = 2 v$.",
    r"For $x \in \mathbb{R}$ let $f(x) = x^2 - 2$. The root $r$ satisfies $f(r) = 0$.",
    r"For $x \in \mathbb{R}$ let $f(x) = x^2 - 2$. A solution satisfies $f(r) = 0$.",
    r"Let $a, w \in \mathbb{R}^n$ satisfy $\sum_i w_i = 1$.",
    r"For $x \in \mathbb{R}^n$ let $s = \sum_i x_i$. We choose $x$ such that $s = 0$ holds.",
)


@pytest.mark.parametrize("text", SUPPOSED)
def test_what_given_things_satisfy_is_supposed(text: str) -> None:
    assert study(read_text(text, "x.md"), decide=decide)[-1].status == "skipped"


def test_a_step_without_an_end_is_given_and_no_update() -> None:
    text = r"Let $W_l \in \mathbb{R}^{n \times n}$. The error goes back by $$ r_l = W_{l+1}^\top r_{l+1} . $$"
    found = study(read_text(text, "x.md"), decide=decide)[-1]
    assert (found.status, found.code) == ("skipped", "hypothesis")


def test_after_and_put_no_condition_goes_on() -> None:
    assert Part.PREMISE not in parts_said("It is zero if ⟦1⟧, and put")
    assert Part.PREMISE in parts_said("It is zero if ⟦1⟧, and")
