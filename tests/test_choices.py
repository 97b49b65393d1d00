r"""Case distinctions on values: activations, indicators, maxima and absolute values; equations, documents and code."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
import torch

from derivations import lambdify
from derivations.documents import read_text
from derivations.kernel import certificate
from derivations.kernel.errors import KernelError
from derivations.kernel.proof import Meet, SignSplit, Step
from derivations.kernel.replay import replay
from derivations.language.extended_reals import Indeterminate
from derivations.language.inputs import Inputs
from derivations.language.meaning import evaluate
from derivations.language.statement import Law, Statement, Tensor, Theory
from derivations.language.sympy_bridge import Names, from_sympy, to_sympy
from derivations.language.term import ONE, ZERO, Apply, Choice, Derivative, Entry, Expectation, Number, exp
from derivations.latex.writer import write_latex
from derivations.lifting import equivalent
from derivations.provers.decide import Decision, Proved, Refuted, decide
from derivations.study.claims import study

x, y, z, c, d = sympy.symbols("x y z c d", real=True)


def relu(t: object) -> object:
    return sympy.Max(t, 0)


def leaky(t: object) -> object:
    return sympy.Piecewise((t, t > 0), (t / 5, True))


def positive(t: object) -> object:
    return sympy.Piecewise((1, t > 0), (0, True))


def huber(t: object) -> object:
    return sympy.Piecewise((t**2 / 2, sympy.Abs(t) <= d), (d * (sympy.Abs(t) - d / 2), True))


def clip(t: object) -> object:
    return sympy.Piecewise((-1, t < -1), (1, t > 1), (t, True))


def decided(left: object, right: object, relation: str = "=", *given: tuple[object, str, object]) -> Decision:
    names = Names.of([left, right, *(side for h in given for side in (h[0], h[2]))])
    hypotheses = tuple(Statement(names.to_term(a), sign, names.to_term(b)) for a, sign, b in given)
    statement = Statement(names.to_term(left), relation, names.to_term(right), hypotheses=hypotheses)
    return decide(statement, Theory({n: Tensor(n) for n in "xyzcd"}))


TRUE: dict[str, tuple[object, ...]] = {
    "difference of rectifiers": (relu(x) - relu(-x), x),
    "absolute value by rectifiers": (sympy.Abs(x), relu(x) + relu(-x)),
    "rectifier by an indicator": (relu(x), x * positive(x)),
    "square of a rectifier": (relu(x) ** 2, x * relu(x)),
    "rectified twice": (relu(relu(x)), relu(x)),
    "leaky rectifier as a maximum": (leaky(x), sympy.Max(x, x / 5)),
    "positive factors": (leaky(c * x), c * leaky(x), "=", (0, "<", c)),
    "positive factors of a sum": (leaky(c * (x + y)), c * leaky(x + y), "=", (0, "<", c)),
    "maximum by an absolute value": (sympy.Max(x, y), (x + y + sympy.Abs(x - y)) / 2),
    "maximum by a rectifier": (sympy.Max(x, y), y + relu(x - y)),
    "maximum and minimum": (sympy.Max(x, y) + sympy.Min(x, y), x + y),
    "one of two opposite values": (relu(x) * relu(-x), sympy.Integer(0)),
    "clip by rectifiers": (sympy.Max(0, sympy.Min(1, x)), relu(x) - relu(x - 1)),
    "clip is odd": (clip(-x), -clip(x)),
    "clip by minimum and maximum": (clip(x), sympy.Max(-1, sympy.Min(x, 1))),
    "sign times size": (sympy.sign(x) * sympy.Abs(x), x),
    "half at zero": (sympy.Heaviside(x, sympy.Rational(1, 2)), (1 + sympy.sign(x)) / 2),
    "closed or open where both agree": (
        sympy.Piecewise((x, x >= 0), (x * y, True)),
        sympy.Piecewise((x, x > 0), (x * y, True)),
    ),
    "cases the other way round": (
        sympy.Piecewise((x, x >= 0), (y, True)),
        sympy.Piecewise((y, x < 0), (x, True)),
    ),
    "Huber's function is even": (huber(x), huber(-x)),
    "exponential of cases": (sympy.exp(leaky(x)), sympy.Piecewise((sympy.exp(x), x > 0), (sympy.exp(x / 5), True))),
    "stable softplus": (sympy.log(1 + sympy.exp(x)), relu(x) + sympy.log(1 + sympy.exp(-sympy.Abs(x)))),
    "positive feature map": (sympy.Integer(0), sympy.Piecewise((x + 1, x > 0), (sympy.exp(x), True)), "<"),
    "rectifier of a sum": (relu(x + y), relu(x) + relu(y), "<="),
    "triangle inequality": (sympy.Abs(x + y), sympy.Abs(x) + sympy.Abs(y), "<="),
    "rectifier below the size": (relu(x), sympy.Abs(x), "<="),
    "size of a product": (sympy.Abs(x * y), sympy.Max(x, -x) * sympy.Max(y, -y)),
    "slope of a rectifier": (sympy.Derivative(relu(c * x + y), x), c * positive(c * x + y)),
    "slope of a size": (sympy.Derivative(sympy.Abs(x), x), sympy.sign(x)),
}
FALSE: dict[str, tuple[object, ...]] = {
    "leaky rectifier of a sum": (leaky(x + y), leaky(x) + leaky(y)),
    "any factor": (leaky(c * x), c * leaky(x)),
    "rectifier is odd": (relu(-x), -relu(x)),
    "complement at zero": (positive(x) + positive(-x), sympy.Integer(1)),
    "sign squared": (sympy.sign(x) ** 2, sympy.Integer(1)),
    "closed and open": (sympy.Piecewise((x, x >= 0), (y, True)), sympy.Piecewise((x, x > 0), (y, True))),
    "a bound that is forgotten": (relu(x), sympy.Piecewise((x, (x > 0) & (x < 7)), (0, True))),
    "slope of a leaky rectifier": (sympy.Derivative(leaky(x), x), sympy.Integer(1)),
    "rectifier is positive": (sympy.Integer(0), relu(x), "<"),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_statements_are_proved(name: str) -> None:
    decision = decided(*TRUE[name])  # type: ignore[arg-type]
    assert isinstance(decision, Proved), decision
    assert certificate.read(certificate.write(decision.theorem)).statement == decision.theorem.statement


@pytest.mark.parametrize("name", FALSE)
def test_false_statements_are_refuted(name: str) -> None:
    assert isinstance(decided(*FALSE[name]), Refuted)  # type: ignore[arg-type]


def test_a_slope_is_claimed_away_from_the_corner() -> None:
    decision = decided(sympy.Derivative(relu(x), x), positive(x))
    assert isinstance(decision, Proved)
    assert [a.text for a in decision.theorem.assumptions] == ["x != 0"]


def test_what_a_condition_makes_defined_is_undefined_elsewhere() -> None:
    guarded = sympy.Piecewise((sympy.log(x), x > 0), (0, True))
    decision = decided(guarded - guarded / 2, guarded / 2)
    assert isinstance(decision, Proved) and not decision.theorem.assumptions
    decision = decided(guarded + sympy.log(x), sympy.log(x) + guarded)
    assert isinstance(decision, Proved) and [a.text for a in decision.theorem.assumptions] == ["x > 0"]


def test_the_sign_of_a_random_value_says_nothing_inside_an_expectation() -> None:
    q = Entry("q")
    theory = Theory({"q": Tensor("q", (), Law(ZERO, ONE))})
    size = Expectation(Apply("abs", q))
    claim = Statement(Choice(q, size, ZERO), "=", Choice(q, Expectation(q), ZERO))
    assert not isinstance(decide(claim, theory), Proved)
    step = Step("abs_value", (1, 0), Apply("abs", q), q, {"sign": 1})
    with pytest.raises(KernelError, match=">= 0"):
        replay(theory, claim, Meet((step,), ()))
    inside = Meet((Step("abs_value", (0,), Apply("abs", q), q, {"sign": 1}),), ())
    with pytest.raises(KernelError, match=">= 0"):
        replay(theory, Statement(size, "=", Expectation(q)), SignSplit(q, inside, inside))


def test_under_a_sum_the_two_opposite_values_are_one() -> None:
    w, k, n = sympy.IndexedBase("w"), sympy.Symbol("k", integer=True), sympy.Symbol("n", integer=True, positive=True)

    def total(body: object) -> object:
        return sympy.Sum(body, (k, 0, n - 1))

    left, right = total(relu(w[k])) - total(relu(-w[k])), total(w[k])
    names = Names.of([left, right])
    theory = Theory({"w": Tensor("w", (names.to_index(n),))})
    assert isinstance(decide(Statement(names.to_term(left), "=", names.to_term(right)), theory), Proved)


def test_values() -> None:
    a = Entry("a")
    term = Choice(a, a + 1, Number(1) / a)
    theory = Theory({"a": Tensor("a")})
    assert evaluate(term, theory, Inputs({}, {"a": 2})) == 3
    assert evaluate(term, theory, Inputs({}, {"a": -2})) == Number(-1).value / 2
    with pytest.raises(Indeterminate):
        evaluate(Choice(exp(a) * exp(-a) - 1, ONE, ZERO), theory, Inputs({}, {"a": 1}))
    with pytest.raises(Indeterminate):
        evaluate(Derivative("a", (), Choice(a, a, ZERO)), theory, Inputs({}, {"a": 0}))


@pytest.mark.parametrize("name", [n for n in TRUE if not TRUE[n][0].has(sympy.Derivative)])  # type: ignore[attr-defined]
def test_sympy_and_back(name: str) -> None:
    for side in TRUE[name][:2]:
        names = Names.of(TRUE[name][:2])
        term = names.to_term(side)
        again = from_sympy(to_sympy(term))
        theory = Theory({n: Tensor(n) for n in "xyzcd"})
        for point in (
            {"x": 2, "y": -1, "c": 3, "d": 1},
            {"x": -3, "y": 1, "c": -1, "d": 2},
            {"x": 0, "y": 0, "c": 1, "d": 1},
        ):
            one, other = (evaluate(t, theory, Inputs({}, point)) for t in (term, again))
            assert one == other or one.overlaps(other)


def test_compiled() -> None:
    i, n = sympy.Symbol("i", integer=True), sympy.Symbol("n", integer=True, positive=True)
    u = sympy.IndexedBase("u", shape=(n,))
    phi = sympy.Piecewise((u[i] + 1, u[i] > 0), (sympy.exp(u[i]), True))
    given = np.array([-1000.0, -1.0, 0.0, 0.5, 1000.0])
    expected = np.where(given > 0, given + 1, np.exp(np.minimum(given, 0)))
    with np.errstate(over="ignore"):
        assert np.array_equal(lambdify(u, phi)(given), expected)
    assert np.allclose(lambdify(u, phi, "torch")(torch.tensor(given)).numpy(), expected, rtol=1e-15)


CODE = "def f(x):\n    return "
SAME = {
    "where": ("np.where(x > 0, x, 0.0)", "np.maximum(x, 0)"),
    "a product with a comparison": ("x * (x > 0)", "np.maximum(x, 0)"),
    "a cast comparison": ("x * (x > 0).float()", "F.relu(x)"),
    "clamp": ("x.clamp(min=0)", "torch.where(x > 0, x, torch.zeros_like(x))"),
    "leaky": ("F.leaky_relu(x, negative_slope=0.2)", "torch.maximum(x, 0.2 * x)"),
    "exponential linear": ("F.elu(x) + 1", "np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))"),
    "two bounds": ("np.where((x > -1) & (x < 1), x, np.sign(x))", "np.clip(x, -1, 1)"),
    "one of two": ("np.where((x > 1) | (x < -1), np.sign(x), x)", "np.clip(x, -1, 1)"),
    "not": ("np.where(~(x > 0), 0.2 * x, x)", "F.leaky_relu(x, 0.2)"),
    "heaviside": ("x * np.heaviside(x, 0.5)", "np.maximum(0, x)"),
}


@pytest.mark.parametrize("name", SAME)
def test_code_by_values(name: str) -> None:
    one, other = SAME[name]
    assert isinstance(equivalent(CODE + one, CODE + other, x=("n",)), Proved)
    assert isinstance(equivalent(CODE + one, CODE + other + " + x", x=("n",)), Refuted)


def test_an_if_on_a_number() -> None:
    branches = "def f(x):\n    if x > 0:\n        return x\n    return 0.2 * x"
    names = "def f(x):\n    if x > 0:\n        y = x\n    else:\n        y = 0.2 * x\n    return y"
    short = "def f(x):\n    return x if x > 0 else 0.2 * x"
    wanted = "def f(x):\n    return max(x, 0.2 * x)"
    for code in (branches, names, short):
        assert isinstance(equivalent(code, wanted, x=()), Proved)


def outcomes(text: str) -> list[str]:
    return [f.status + (f" [{f.code}]" if f.code else "") for f in study(read_text(text, "x.md"), decide=decide)]


LEAKY = (
    r"Let $x, y \in \mathbb{R}$. $$\text{LeakyReLU}(x) = \begin{cases} x & x \ge 0 \\ 0.2\,x & x < 0. \end{cases}$$ "
)
DOCUMENTS: dict[str, tuple[str, list[str]]] = {
    "a leaky rectifier": (
        LEAKY
        + r"$$\text{LeakyReLU}(x) = \max(x, 0.2\,x)$$ $$\text{LeakyReLU}(x+y) = \text{LeakyReLU}(x) + \text{LeakyReLU}(y)$$",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "a condition on a factor": (
        LEAKY + r"$$\text{LeakyReLU}(cx) = c\,\text{LeakyReLU}(x) \quad \text{for } c > 0$$",
        ["defined", "proved"],
    ),
    "a condition in the words after it": (
        LEAKY + r"Then $\text{LeakyReLU}(cx) = c\,\text{LeakyReLU}(x)$ for $c > 0$.",
        ["defined", "proved", "skipped [hypothesis]"],
    ),
    "a feature map of vectors": (
        r"Let $\mathbf{q}_t, \mathbf{k}_t \in \mathbb{R}^m$. $$\phi(\mathbf{u})_a = \begin{cases} u_a + 1 & \text{if } "
        r"u_a > 0, \\ e^{u_a} & \text{if } u_a \le 0. \end{cases}$$ $$s_{tj} = \phi(\mathbf{q}_t)^\top \phi(\mathbf{k}_j)$$ "
        r"$$s_{tj} = \sum_{a=1}^m \phi(\mathbf{k}_j)_a \phi(\mathbf{q}_t)_a$$ $$s_{tj} > 0$$",
        ["defined", "defined", "proved", "proved"],
    ),
    "indicators": (
        r"Let $x \in \mathbb{R}$. $$\operatorname{ReLU}(x) = x \cdot \mathbb{1}[x > 0]$$ "
        r"$$\operatorname{ReLU}(x) = x\,\mathbf{1}_{x > 0}$$ $$\operatorname{ReLU}(x) = x\,[x \ge 0]$$ "
        r"$$|x| = \operatorname{ReLU}(x) + \operatorname{ReLU}(-x)$$ $$\operatorname{ReLU}(-x) = -\operatorname{ReLU}(x)$$",
        ["proved", "proved", "proved", "proved", "refuted [false-claim]"],
    ),
    "a step": (
        r"Let $x \in \mathbb{R}$. $$H(x) = \begin{cases} 1 & x > 0 \\ 0 & \text{otherwise} \end{cases}$$ "
        r"$$\max(0, x) = x H(x)$$ $$H(x) + H(-x) = 1$$",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "three cases": (
        r"Let $x \in \mathbb{R}$. $$h(x) = \begin{cases} -1 & x < -1 \\ x & -1 \le x \le 1 \\ 1 & x > 1 \end{cases}$$ "
        r"$$h(x) = \max(-1, \min(x, 1))$$ $$h(-x) = h(x)$$",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "the sign of a number": (
        r"Let $x \in \mathbb{R}$. $$\operatorname{sign}(x)\,|x| = x$$ $$\operatorname{sgn}(x)^2 = 1$$",
        ["proved", "undecided [ambiguous]"],
    ),
    "a slope away from the corner": (
        r"Let $x \in \mathbb{R}$. $$\frac{\partial}{\partial x} \operatorname{ReLU}(x) = \mathbb{1}[x > 0]$$",
        ["proved"],
    ),
    "cases that leave something out": (
        r"Let $x \in \mathbb{R}$. $$g(x) = \begin{cases} 1 & x > 0 \\ 2 & x < 0 \end{cases}$$",
        ["unread [unknown-notation]"],
    ),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents(name: str) -> None:
    text, wanted = DOCUMENTS[name]
    assert outcomes(text) == wanted


def test_latex_of_cases() -> None:
    a = Entry("a")
    assert write_latex(Choice(a, ONE, ZERO)) == r"\mathbb{1}\left[a > 0\right]"
    assert write_latex(Choice(a, a, -a)) == r"\begin{cases} a & \text{if } a > 0 \\ -a & \text{otherwise} \end{cases}"
