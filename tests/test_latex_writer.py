"""Terms to LaTeX: each kind of term as text, and the value of what is written, read back by a small evaluator."""

import math

import pytest
from derivations.reports.layout.reader import read_layout
from flint import ctx, fmpq
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from derivations.language.extended_reals import NEG_INF, Indeterminate
from derivations.language.inputs import Inputs
from derivations.language.meaning import evaluate
from derivations.language.statement import Definition, Statement, Tensor, Theory
from derivations.language.term import (
    HALF,
    Add,
    Apply,
    Bracket,
    Case,
    Entry,
    Index,
    IndexValue,
    Lambda,
    Max,
    Mul,
    NegInfinity,
    Number,
    Pow,
    Sum,
    Term,
    at_least,
    delta,
    equal,
    exp,
    guard,
    less,
    number,
    sqrt,
    sum_over,
    within,
)
from derivations.latex.syntax.reader import read_equation, read_expression
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Cases,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Listed,
    Literal,
    Mark,
    Name,
    Operator,
    Prefix,
    Root,
    Scripted,
    Words,
)
from derivations.latex.writer import Habits, Style, symbol, variable, write_condition, write_latex

i, j, k = Index.var("i"), Index.var("j"), Index.var("k")
n, d = Index.size("n"), Index.size("d")
a, b, c = Entry("a"), Entry("b"), Entry("c")
Q = Entry("Q", (i, k))
A = Entry("A", (i, j))
x = Entry("x", (j,))

WRITTEN = [
    (Number(3), "3"),
    (Number(fmpq(-1, 2)), r"-\frac{1}{2}"),
    (NegInfinity(), r"-\infty"),
    (IndexValue(i + 1), "i + 1"),
    (IndexValue(d), "d"),
    (a, "a"),
    (A, "A_{ij}"),
    (Entry("A", (i + 1, j)), "A_{i + 1, j}"),
    (Entry("A", (i, 0)), "A_{i0}"),
    (Entry("alpha", (i, j)), r"\alpha_{ij}"),
    (Entry("attn", (i,)), r"\mathrm{attn}_{i}"),
    (Entry("A", (i, j), (Lambda(("p", "q"), Entry("Q", (Index.var("p"), Index.var("q")))),)), "A_{ij}(Q)"),
    (
        Entry("A", (i, j), (Lambda(("p", "q"), Entry("Q", (Index.var("q"), Index.var("p")))),)),
        r"A_{ij}(Q^\top)",
    ),
    (a + b, "a + b"),
    (a - b, "a - b"),
    (-a, "-a"),
    (a - (b - c), r"a - \left(b - c\right)"),
    (a * b, "a b"),
    (a * (b + c), r"a \left(b + c\right)"),
    (Mul((number(2), number(3))), r"2 \cdot 3"),
    (a / b, r"\frac{a}{b}"),
    (a / (b * c), r"\frac{a}{b c}"),
    (a / b * c, r"\frac{a}{b} c"),
    (number(1) / sqrt(IndexValue(d)), r"\frac{1}{\sqrt{d}}"),
    (Pow(a, 2), "a^{2}"),
    (Pow(A, 2), "A_{ij}^{2}"),
    (Pow(a + b, 2), r"\left(a + b\right)^{2}"),
    (Pow(Number(fmpq(1, 2)), 2), r"\left(\frac{1}{2}\right)^{2}"),
    (Pow(a, -2), r"\frac{1}{a^{2}}"),
    (Pow(exp(a), 2), r"\left(e^{a}\right)^{2}"),
    (Pow(sqrt(a), 2), r"\sqrt{a}^{2}"),
    (exp(a), "e^{a}"),
    (exp(Sum("k", within("k", 0, d), Q)), r"\exp\left(\sum_{k=0}^{d - 1} Q_{ik}\right)"),
    (Apply("log", a), r"\log\left(a\right)"),
    (Apply("phi", a), r"\phi\left(a\right)"),
    (sum_over("j", 0, n, A), r"\sum_{j=0}^{n - 1} A_{ij}"),
    (sum_over("j", 0, i + 1, A), r"\sum_{j=0}^{i} A_{ij}"),
    (sum_over("j", 0, n, A + x), r"\sum_{j=0}^{n - 1} \left(A_{ij} + x_{j}\right)"),
    (Mul((sum_over("j", 0, n, x), a)), r"\left(\sum_{j=0}^{n - 1} x_{j}\right) a"),
    (Mul((Mul((a, sum_over("j", 0, n, x))), b)), r"\left(a \sum_{j=0}^{n - 1} x_{j}\right) b"),
    (Mul((a, Mul((b, sum_over("j", 0, n, x))))), r"a b \sum_{j=0}^{n - 1} x_{j}"),
    (Mul((Mul((a, b)), c)), "a b c"),
    (Mul((sum_over("j", 0, n, x) / a, b)), r"\frac{\sum_{j=0}^{n - 1} x_{j}}{a} b"),
    (
        Mul((Mul((sum_over("j", 0, n, x) / a, sum_over("j", 0, n, x))), b)),
        r"\left(\frac{\sum_{j=0}^{n - 1} x_{j}}{a} \sum_{j=0}^{n - 1} x_{j}\right) b",
    ),
    (sum_over("j", 0, n, x) + a, r"\sum_{j=0}^{n - 1} x_{j} + a"),
    (
        Sum("j", (*within("j", 0, n), less(j, i)), A),
        r"\sum_{\substack{0 \le j \le n - 1 \\ j < i}} A_{ij}",
    ),
    (Max("j", within("j", 0, n), A), r"\max_{0 \le j \le n - 1} A_{ij}"),
    (Bracket((at_least(i, j),)), r"\left[j \le i\right]"),
    (delta(i, j), r"\left[i = j\right]"),
    (
        Case((((at_least(i, j),), number(0)),), NegInfinity()),
        r"\begin{cases} 0 & \text{if } j \le i \\ -\infty & \text{otherwise} \end{cases}",
    ),
]


@pytest.mark.parametrize(("term", "latex"), WRITTEN, ids=[str(t) for t, _ in WRITTEN])
def test_written(term, latex):
    assert write_latex(term) == latex


def test_every_kind_of_term_is_written():
    assert {type(t) for t, _ in WRITTEN} == {
        Number, IndexValue, NegInfinity, Entry, Add, Mul, Pow, Apply, Bracket, Case, Sum, Max,
    }  # fmt: skip


@pytest.mark.parametrize("latex", [latex for _, latex in WRITTEN])
def test_what_is_written_is_read_and_laid_out(latex):
    read_equation(latex)
    assert not read_layout(latex).problems


STYLE = Style(
    display={"omega": r"\omega", "x": r"\mathbf{x}", "A#2": r"\tilde{A}", "w_q": "w_{q}"},
    bases={"omega": 1, "x": 1},
    places={"x": "ud", "z": "a"},
)


def test_style_writes_the_documents_own_notation():
    assert write_latex(Entry("x", (i, j)), STYLE) == r"\mathbf{x}_{j}^{(i)}"
    assert write_latex(Entry("x", (1, j)), STYLE) == r"\mathbf{x}_{j}^{(2)}"
    assert write_latex(Entry("A#2", (i, j)), STYLE) == r"\tilde{A}_{ij}"
    assert write_latex(Entry("w_q", (i,)), STYLE) == "(w_{q})_{i}"
    assert write_latex(Entry("z", (i,)), STYLE) == "z(i)"
    assert write_latex(sum_over("j", 0, n, Entry("omega", (i, j))), STYLE) == r"\sum_{j=1}^{n} \omega_{ij}"
    assert write_latex(sum_over("j", 0, i + 1, Entry("omega", (i, j))), STYLE) == r"\sum_{j=1}^{i} \omega_{ij}"
    assert write_latex(Mul((Entry("omega", (i, j)), IndexValue(i + 1))), STYLE) == r"\omega_{ij} i"
    assert write_latex(Pow(Entry("x", (i, j)), 2), STYLE) == r"\left(\mathbf{x}_{j}^{(i)}\right)^{2}"


def test_statement_and_definition():
    row = sum_over("j", 0, n, A)
    assert write_latex(Statement(row, "=", number(1), ("i",), within("i", 0, n))) == r"\sum_{j=0}^{n - 1} A_{ij} = 1"
    masked = Statement(A, "=", number(0), ("i", "j"), guard(*within("i", 0, n), *within("j", 0, n), less(i, j)))
    assert write_latex(masked) == r"A_{ij} = 0 \quad (i < j)"
    assert write_latex(Definition("A", (i, j), exp(Entry("S", (i, j))))) == "A_{ij} := e^{S_{ij}}"
    parametric = Definition("f", (i,), x, tensors=(Tensor("x", (n,)),))
    assert write_latex(parametric) == "f_{i}(x) := x_{j}"
    assert write_condition((less(i, j), equal(i, k))) == r"i < j,\ i = k"


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("alpha", r"\alpha"),
        ("W_q", "W_{q}"),
        ("d_model", r"d_{\mathrm{model}}"),
        ("attn", r"\mathrm{attn}"),
        ("A#2", "A"),
        ("<script>", r"\mathrm{script}"),
        (r"\input{x}", r"\mathrm{inputx}"),
    ],
)
def test_symbols(name, latex):
    assert symbol(name) == latex
    assert not read_layout(symbol(name)).problems


def test_an_index_with_the_letter_of_a_length():
    own = Index.var("n^in2")
    assert write_latex(Entry("x", (own,))) == "x_{n}"
    assert write_latex(Entry("x", (own,)) * IndexValue(Index.size("n"))) == "x_{n'} n"


def test_variables_stay_apart():
    names = ["k", *(f"k{m}" for m in range(1, 12))]
    assert len({variable(name) for name in names}) == len(names)


# --- the value of what is written -----------------------------------------------------------------------------------------

THEORY = Theory({t: Tensor(t, s) for t, s in {"a": (), "b": (), "x": (n,), "A": (n, n)}.items()})
SIZES = {"n": 3, "d": 2}
AT = {"i": 1, "m": 2}


def entry(name, at):
    """Fixed values, also out of range, never zero and small enough for exponentials."""
    return fmpq(1 + (7 * len(name) + sum((3 * p + 1) * (t + 11) for p, t in enumerate(at))) % 5, 4)


class Everywhere(Inputs):
    """Inputs with a value at every position."""

    def entry(self, name, at):
        return entry(name, at)


INPUTS = Everywhere(SIZES)


class Unread(Exception):
    """The test's reader met a form that it does not know: the test must learn it."""


def value(node, at):
    """The value of a surface tree in double precision: a reader of its own, to catch the writer and nothing else."""
    match node:
        case Literal(text=text):
            return float(text)
        case Mark(kind="infinity"):
            return math.inf
        case Name(base=base, primes=primes):
            name = base + "'" * primes
            return float(at[name]) if name in at else float(SIZES[base]) if base in SIZES else float(entry(base, ()))
        case Scripted(base=Name(base="e"), sub=None, sup=power):
            return math.exp(value(power, at))
        case Scripted(base=Name(base=base), sub=sub, sup=power) if sub is not None:
            where = sub.items if isinstance(sub, (Listed, Adjacent)) else (sub,)
            if isinstance(sub, Literal):
                where = [Literal(sub.span, digit) for digit in sub.text]
            found = float(entry(base, tuple(int(value(w, at)) for w in where)))
            return found if power is None else found ** value(power, at)
        case Scripted(sub=None, sup=power):
            return value(node.base, at) ** value(power, at)
        case Adjacent(items=items):
            return math.prod(value(item, at) for item in items)
        case Enclosed(content=Chain() as chain, kind="[]"):
            return float(holds(chain, at))
        case Enclosed(content=Listed(items=items), kind="[]"):
            return float(all(holds(item, at) for item in items))
        case Enclosed(content=inner):
            return value(inner, at)
        case Prefix(operator="-", operand=operand):
            return -value(operand, at)
        case Infix(operator="+"):
            return value(node.left, at) + value(node.right, at)
        case Infix(operator="-"):
            return value(node.left, at) - value(node.right, at)
        case Infix(operator="cdot"):
            return value(node.left, at) * value(node.right, at)
        case Fraction(above=above, below=below) | Infix(operator="/", left=above, right=below):
            return value(above, at) / value(below, at)
        case Root(radicand=radicand):
            return math.sqrt(value(radicand, at))
        case Operator(name=name, arguments=(argument,)):
            functions = {"exp": math.exp, "sin": math.sin, "cos": math.cos, "tanh": math.tanh, "log": math.log}
            return functions[name](value(argument, at))
        case Big(name=name):
            values = [value(node.body, {**at, var: t}) for var, t in members(node, at)]
            return math.fsum(values) if name == "sum" else max(values)
        case Cases(rows=rows):
            return next(value(v, at) for v, where in rows if isinstance(where, Words) or holds(where, at))
    raise Unread(node)


def holds(chain, at):
    """Does a relation between index values hold?"""
    if isinstance(chain, Listed):
        return all(holds(item, at) for item in chain.items)
    first = chain.first
    if isinstance(first, Adjacent) and isinstance(first.items[0], Words):
        first = first.items[1]
    left = value(first, at)
    for name, node in chain.links:
        right = value(node, at)
        if not {"=": left == right, "<": left < right, "<=": left <= right, ">=": left >= right}[name]:
            return False
        left = right
    return True


def members(node, at):
    """The values of the bound variable of a sum."""
    sub = node.sub
    if node.sup is not None:
        var = sub.first.base + "'" * sub.first.primes
        return [(var, t) for t in range(int(value(sub.links[0][1], at)), int(value(node.sup, at)) + 1)]
    chains = sub.items if isinstance(sub, Listed) else (sub,)
    middle = chains[0].links[0][1]  # 0 \le k \le n
    var = middle.base + "'" * middle.primes
    return [(var, t) for t in range(-12, 13) if all(holds(chain, {**at, var: t}) for chain in chains)]


conditions = st.sampled_from([at_least(i, 1), less(i, 1), equal(i, 1), less(Index.of(0), n), at_least(i, n)])
leaves = st.one_of(
    st.sampled_from([a, b]),
    st.builds(lambda q: Number(q), st.sampled_from([fmpq(2), fmpq(1, 2), fmpq(-3), fmpq(-2, 3), fmpq(0), fmpq(1)])),
    st.sampled_from(
        [Entry("x", (i,)), Entry("x", (2,)), Entry("A", (i, i + 1)), Entry("A", (0, i)), IndexValue(i + 1)]
    ),
    st.sampled_from(
        [IndexValue(2 * i), IndexValue(n), IndexValue(d), Bracket((at_least(i, 1),)), delta(i, Index.of(2))]
    ),
)


def grown(inside):
    bound = st.sampled_from([Entry("x", (k,)), Entry("A", (i, k)), IndexValue(k), IndexValue(k + 1)])
    body = st.builds(lambda f, t, kind: kind((f, t)), bound, inside, st.sampled_from([Add, Mul]))
    part = guard(*within("k", 0, n), less(k, i))
    upper = guard(*within("k", 0, n), at_least(k, 1))
    ranges = st.sampled_from([within("k", 0, n), within("k", 0, i + 1), within("k", i, n), part, upper])
    positive = st.sampled_from([a, b, Entry("x", (i,)), exp(a), Number(fmpq(1, 2)), IndexValue(d), IndexValue(i + 2)])
    return st.one_of(
        st.builds(lambda ts: Add(ts), st.lists(inside, min_size=2, max_size=3)),
        st.builds(lambda ts: Mul(ts), st.lists(inside, min_size=2, max_size=3)),
        st.builds(lambda t: -t, inside),
        st.builds(lambda t, u: t / u, inside, positive),
        st.builds(Pow, inside, st.sampled_from([2, 3])),
        st.builds(Pow, positive, st.sampled_from([Number(-1), Number(-2), HALF, Number(fmpq(3, 2)), IndexValue(i)])),
        st.builds(lambda t: Apply("tanh", t), inside),
        st.builds(lambda t: exp(Apply("sin", t)), inside),
        st.builds(lambda r, t: Sum("k", r, t), ranges, body),
        st.builds(lambda t: Max("k", within("k", 0, n), t), body),
        st.builds(lambda g, t, u: Case((((g,), t),), u), conditions, inside, inside),
    )


terms = st.recursive(leaves, grown, max_leaves=7)


@settings(max_examples=1000, deadline=None, derandomize=True)
@given(terms, st.none() | terms)
def test_what_is_written_has_the_same_value(term, author):
    expected = exact(term)
    habits = Habits() if author is not None else None
    if habits is not None:
        habits.learn(author)
    latex = write_latex(term, habits=habits)
    found = value(read_expression(latex), AT)
    # double precision over at most a few hundred operations on numbers of moderate size
    assert math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9 * (1 + magnitude(term))), (latex, found, expected)


def exact(term: Term) -> float:
    try:
        result = evaluate(term, THEORY, INPUTS, AT)
    except Indeterminate:  # a comparison of equal numbers inside Max: more bits decide nothing
        result = None
    if result is None or result is NEG_INF:
        reject()  # the value is undecided at this precision
    with ctx.workprec(128):
        return float(result)


def magnitude(term: Term) -> float:
    """A bound on intermediate values, for cancellation: the value with all signs positive would do; this is generous."""
    return 10.0 ** min(term.nodes / 3, 6)
