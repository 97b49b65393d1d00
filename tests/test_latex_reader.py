"""LaTeX to surface trees: every row of the notation table, statements, errors, limits, round trips, mutations."""

import dataclasses
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derivations.latex.syntax.cursor import MAX_DEPTH
from derivations.latex.syntax.customary_macros import CUSTOMARY
from derivations.latex.syntax.lexer import (
    MAX_EXPANSIONS,
    MAX_LENGTH,
    MAX_TOKENS,
    Macro,
    ReadError,
    take_macros,
    tokenize,
)
from derivations.latex.syntax.notation import FORMS, MARK_SIGNS, RELATIONS
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
    Matrix,
    Name,
    Node,
    Operator,
    Prefix,
    Root,
    Scripted,
    Words,
    outline,
    walk,
)
from derivations.latex.syntax.surface_writer import write_surface
from derivations.latex.syntax.symbols import ALL, Kind

# --- the table ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS, ids=lambda f: f.name)
def test_form(form):
    tree = read_expression(form.example)
    assert outline(tree) == form.makes
    printed = write_surface(tree)
    assert printed == (form.example if form.prints is None else form.prints)
    assert stripped(read_expression(printed)) == stripped(tree)


def test_form_names_and_commands_are_distinct():
    assert len({f.name for f in FORMS}) == len(FORMS)
    commands = [c for f in FORMS for c in f.commands]
    assert len(set(commands)) == len(commands)


READABLE = [s for s in ALL if s.kind in (Kind.ORD, Kind.BIN, Kind.REL, Kind.FUNCTION, Kind.FONT, Kind.ACCENT, Kind.OP)]
NOT_BETWEEN = {"uparrow", "downarrow", "updownarrow", "vcentcolon", "therefore", "because"}


@pytest.mark.parametrize("symbol", [s for s in READABLE if s.name not in NOT_BETWEEN], ids=lambda s: s.tex)
def test_every_symbol_reads(symbol):
    pattern = {
        Kind.BIN: "a {} b",
        Kind.REL: "a {} b",
        Kind.FUNCTION: "{}(x)",
        Kind.OP: "{}_k x_k",
        Kind.FONT: "{}{{x}}",
        Kind.ACCENT: "{}{{x}}",
    }.get(symbol.kind, "x {}")
    [reading] = read_equation(pattern.format(symbol.tex))
    nodes = list(walk(reading.chain))
    if symbol.kind is Kind.REL:
        assert reading.chain.links[0][0] == RELATIONS.get(symbol.name, symbol.name)
    elif symbol.kind in (Kind.FUNCTION, Kind.OP) and symbol.name not in CUSTOMARY:
        assert any(isinstance(n, (Operator, Big)) for n in nodes)
    else:
        assert len(nodes) >= 2


# --- statements ---------------------------------------------------------------------------------------------------------


def said(source, macros=None):
    """Each statement as one line: words before it, the chain, its conditions, its number."""
    lines = []
    for r in read_equation(source, macros):
        line = f"[{r.lead}] " if r.lead else ""
        line += outline(r.chain)
        line += "".join(f" | {outline(c)}" for c in r.conditions)
        lines.append(line + (f" #{r.number}" if r.number else ""))
    return lines


STATEMENTS = {
    "chain": (r"a = b \le c", ["a = b <= c"]),
    "no relation": (r"\mathbf{q}", ["bold:q"]),
    "a font without braces": (r"\mathbb E_x[x] + \mathbf w x = \mathrm Var(x)", ["(E_{x}(x) + <bold:w x>) = Var(x)"]),
    "punctuation": (r"a = b.", ["a = b"]),
    "two with a comma": (r"a = b, c = d", ["a = b", "c = d"]),
    "two with a wide space": (r"a = b \qquad c = d", ["a = b", "c = d"]),
    "two with a semicolon": (r"a = b; c = d", ["a = b", "c = d"]),
    "membership after": (r"a = b, c \in S", ["a = b", "c in S"]),
    "list before": (r"q_i, k_i \in S", ["[q_{i}, k_{i}] in S"]),
    "range": (r"i = 1, \ldots, n", ["i = [1, @dots, n]"]),
    "two ranges": (r"i = 1, \ldots, n, j = 1, \ldots, m", ["i = [1, @dots, n]", "j = [1, @dots, m]"]),
    "joint range": (r"i, j = 1, \ldots, n", ["[i, j] = [1, @dots, n]"]),
    "condition in parentheses": (r"A_i = 0 \quad (j \leq i)", ["A_{i} = 0 | (){j <= i}"]),
    "condition without space": (r"A = \frac{a}{b} (j \leq i)", ["A = (a // b) | (){j <= i}"]),
    "indicator is no condition": (r"A = \mathbb{I}(j \leq i)", ["A = <blackboard:I (){j <= i}>"]),
    "condition in words": (r"P_i = 0 \quad \text{if } i < j", ["P_{i} = 0 | <'if' i> < j"]),
    "condition follows at once": (r"P_i = 0 \text{ for all } i < j", ["P_{i} = 0 | <'for all' i> < j"]),
    "two conditions": (r"a = 0 \text{ if } i < j \text{ and } k < j", ["a = 0 | <'if' i> < j | <'and' k> < j"]),
    "plain condition": (r"x = y, \quad i \neq j", ["x = y | i != j"]),
    "condition first": (r"\text{if } i = j :& \frac{a}{b} = c", ["(a // b) = c | <'if' i> = j"]),
    "condition first, comma": (r"\text{For } i < j, \; a_i = b_j", ["a_{i} = b_{j} | <'For' i> < j"]),
    "word and space": (r"a = b \quad \text{for} \quad i < n", ["a = b", "[for] i < n"]),
    "quantifier after": (r"a_i = 1 \quad \forall i", ["a_{i} = 1 | <@forall i>"]),
    "quantifier before": (r"\forall i, j: a_{ij} = 1", ["a_{<i j>} = 1 | <@forall [i, j]>"]),
    "where": (r"a = b, \quad \text{where} \quad c = d", ["a = b", "[where] c = d"]),
    "where in a row": (r"a = b \\ \text{where}~c = d", ["a = b", "[where] c = d"]),
    "and": (r"a = b \quad \text{and} \quad c = d", ["a = b", "[and] c = d"]),
    "remark": (r"a = b \quad \text{(row-wise)}", ["a = b | '(row-wise)'"]),
    "remark with mathematics": (r"a = b \quad \text{(row }r\text{; sum)}", ["a = b | <'(row' r '; sum)'>"]),
    "mathematics in words": (r"a = b \text{ if $i < j$}", ["a = b | <'if' i> < j"]),
    "number": (r"a = b \quad (20)", ["a = b #20"]),
    "dotted number": (r"a = b \qquad (2.1)", ["a = b #2.1"]),
    "tag": (r"a = b \tag{3a} \label{eq:x}", ["a = b #3a"]),
    "rows": (r"\begin{aligned} a &= b \\ &= c \end{aligned}", ["a = b", " = c"]),
    "row numbers": (r"\begin{align} a &= b \quad (1) \\ c &= d \quad (2) \end{align}", ["a = b #1", "c = d #2"]),
    "eqnarray": (r"\begin{eqnarray} a &=& b \\ &=& c \end{eqnarray}", ["a = b", " = c"]),
    "columns": (r"\begin{align} a &= b & c &= d \end{align}", ["a = b", "c = d"]),
    "nested": (r"\begin{equation}\begin{aligned} a &= b \\ c &= d \end{aligned}\end{equation}", ["a = b", "c = d"]),
    "in braces": (r"{\textstyle \begin{aligned} a = b \newline c = d \end{aligned}}", ["a = b", "c = d"]),
    "sign at the end": (r"\begin{aligned} a = & \\ & b \end{aligned}", ["a = b"]),
    "sign at both": (r"a = \\ = b", ["a = b"]),
    "continued sum": (r"\begin{aligned} a &= b \\ &\quad + c \\ &= d \end{aligned}", ["a = (b + c)", " = d"]),
    "continued minus": (r"\begin{aligned} a &= b \\ &- c \end{aligned}", ["a = (b - c)"]),
    "minus begins a statement": (r"a = b \\ -c = d", ["a = b", "(-c) = d"]),
    "continued product": (r"\begin{aligned} a &= b \\ &\cdot c \end{aligned}", ["a = (b cdot c)"]),
    "open parenthesis": (r"a = (b \\ + c)", ["a = (){(b + c)}"]),
    "parted parentheses": (r"a = \left( b \right. \\ \left. + c \right)", ["a = (){(b + c)}"]),
    "intertext": (r"\begin{align} x &= y \\ \intertext{and then} z &= w \end{align}", ["x = y", "[and then] z = w"]),
    "signature": (r"f: X \to Y", ["f colon X to Y"]),
    "definition sign": (r"a := b", ["a = b"]),
    "spacing": (r"a \, b \! \; = \ c~d", ["<a b> = <c d>"]),
    "comment": ("a = b % c = d\n", ["a = b"]),
    "row space": (r"a = b \\[2pt] c = d", ["a = b", "c = d"]),
    "no row space": (r"\begin{aligned} a &= b \\ [x] &= d \end{aligned}", ["a = b", "[]{x} = d"]),
    "equality is no condition": (r"x = y, \quad i = j", ["x = y", "i = j"]),
    "comparison of values": (r"a_i = b, \quad c_i < d_i", ["a_{i} = b", "c_{i} < d_{i}"]),
    "empty": ("", []),
    "only space": (r" \quad ", []),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements(name):
    source, expected = STATEMENTS[name]
    assert said(source) == expected


def test_rows_are_counted():
    readings = read_equation(r"\begin{aligned} a &= b \\ &= c \\ d &= e \end{aligned}")
    assert [r.row for r in readings] == [0, 1, 2]


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("x′", "x'"),
        ("∆t", r"\Delta t"),
        ("ŷ", r"\hat{y}"),
        ("x\u0302", r"\hat{x}"),
        ("½ x", r"\frac{1}{2} x"),
        ("x⊤ y", r"x^\top y"),
        ("A^⊤", r"A^\top"),
        ("‖x‖", r"\|x\|"),
        ("〈x, y〉", r"\langle x, y\rangle"),
    ],
)
def test_typed_signs_are_read_as_their_commands(typed, written):
    assert write_surface(read_expression(typed)) == write_surface(read_expression(written))


def test_label_is_kept():
    [reading] = read_equation(r"\label{eq:attention} a = b")
    assert reading.label == "eq:attention"


def test_indices_are_never_lost():
    trees = [
        read_expression(s) for s in (r"A_{ij}", r"A_{ji}", r"A_i^j", r"A_j^i", r"A^{ij}", r"A_{i}{}^{j}", r"A'_{ij}")
    ]
    assert len({outline(t) for t in trees}) == len(trees)


def test_operator_without_parentheses_says_so():
    assert read_expression(r"\log y (1 - y)").bare
    assert not read_expression(r"\log(y)").bare


# --- macros -------------------------------------------------------------------------------------------------------------

MACROS = {
    "q": Macro(0, r"\mathbf{q}"),
    "R": Macro(0, r"\mathbb{Q}"),
    "sm": Macro(0, r"\operatorname{softmax}"),
    "pair": Macro(2, r"\langle #1, #2 \rangle"),
    "norm": Macro(2, r"\|#2\|_{#1}", "2"),
}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\q_i", "bold:q_{i}"),
        (r"\q\q", "<bold:q bold:q>"),
        (r"\sm(x)", "softmax(x)"),
        (r"\pair{a}{\q}", "langle{[a, bold:q]}"),
        (r"\pair ab", "langle{[a, b]}"),
        (r"\norm{x}", "norm{x}_{2}"),
        (r"\norm[1]{x}", "norm{x}_{1}"),
        (r"x \in \R", "x in blackboard:Q"),
        (r"\newcommand{\k}[1]{\mathbf{k}_{#1}} \k{j} + \q", "(bold:k_{j} + bold:q)"),
    ],
)
def test_macros(source, expected):
    assert said(source, MACROS) == [expected]


def test_places_after_macros_are_places_in_the_source():
    source = r"\pair{a}{b} + \unknown"
    with pytest.raises(ReadError) as caught:
        read_equation(source, MACROS)
    assert source[caught.value.offset :] == r"\unknown"
    [reading] = read_equation(r"\q + y", MACROS)
    spans = [n.span for n in walk(reading.chain) if isinstance(n, Name)]
    assert spans == [(0, 2), (5, 6)]


def test_take_macros_keeps_places():
    text = r"a \newcommand{\R}{\mathbb{R}} b \def\x#1{y#1} c \DeclareMathOperator*{\am}{arg\,max} d"
    found, rest = take_macros(text)
    assert found == {
        "R": Macro(0, r"\mathbb{R}"),
        "x": Macro(1, "y#1"),
        "am": Macro(0, r"\operatorname{arg\,max}"),
    }
    assert len(rest) == len(text)
    assert rest.split() == ["a", "b", "c", "d"]


# --- errors -------------------------------------------------------------------------------------------------------------

ERRORS = [
    (r"\frac{a}{b", "unbalanced-braces", 8, "needed a closing '}' for this '{', found the end"),
    (r"a + b}", "unbalanced-braces", 5, "needed an operator or the end, found '}'"),
    (r"(a + b", "unbalanced-braces", 0, "needed a closing delimiter for '(', found the end"),
    (r"a + b)", "unbalanced-braces", 5, "needed an operator or the end, found ')'"),
    (r"\left( a", "unbalanced-braces", 5, "needed a closing delimiter for '(', found the end"),
    (r"|a", "unbalanced-braces", 1, "needed a second '|', found 'a'"),
    (r"a \foo b", "unknown-command", 2, r"needed a command that is known here (or a macro: \newcommand), found '\foo'"),
    (
        r"\begin{foo} a \end{foo}",
        "unknown-environment",
        0,
        r"needed an environment that is known here, found '\begin{foo}'",
    ),
    (r"\begin{align} a", "unbalanced-environment", 0, r"needed '\end{align}', found the end"),
    (r"a \end{align}", "unbalanced-environment", 2, r"needed a '\begin{align}' before, found '\end{align}'"),
    (r"\begin{align} a \end{split}", "unbalanced-environment", 16, r"needed '\end{align}', found '\end{split}'"),
    (r"\begin a", "missing-argument", 0, r"needed the name of an environment in braces after \begin"),
    (r"a_", "missing-argument", 2, "needed an argument, found the end"),
    (r"\frac{a}", "missing-argument", 8, "needed an argument, found the end"),
    (r"\sqrt", "missing-argument", 5, "needed an argument, found the end"),
    (r"\sum_{k=1}^n", "missing-argument", 12, r"needed a term after '\sum', found the end"),
    (r"\sum_k = 1", "missing-argument", 7, r"needed a term after '\sum', found '='"),
    (r"a +", "missing-argument", 3, "needed an expression, found the end"),
    (r"a * / b", "unexpected-token", 4, "needed an expression, found '/'"),
    (r"a_i_j = 1", "double-script", 3, "needed one subscript, found '_'"),
    (r"a^i^j = 1", "double-script", 3, "needed one superscript, found '^'"),
    ("a \\", "missing-argument", 2, "needed a command after the backslash, found the end"),
    (r"\text{if", "unbalanced-braces", 5, "needed a closing '}' for this '{', found the end"),
    (r"\hspace x", "missing-argument", 0, r"needed a length after \hspace"),
    (r"a ? b", "unexpected-token", 2, "needed an operator or the end, found '?'"),
]


@pytest.mark.parametrize(("source", "code", "offset", "message"), ERRORS, ids=[e[0] for e in ERRORS])
def test_errors(source, code, offset, message):
    with pytest.raises(ReadError) as caught:
        read_equation(source)
    assert (caught.value.code, caught.value.offset, caught.value.message) == (code, offset, message)


LIMITS = {
    "braces": ("{" * 10_000 + "x" + "}" * 10_000, "too-large"),
    "few braces": ("a{" * 200 + "x" + "}" * 200, "too-deep"),
    "parentheses": ("(" * 2_000 + "x" + ")" * 2_000, "too-deep"),
    "fractions": (r"\frac{1}{" * 300 + "x" + "}" * 300, "too-deep"),
    "roots": (r"\sqrt" * 1_000 + "x", "too-deep"),
    "scripts": ("x^" * 1_000 + "x", "double-script"),
    "script groups": ("x^{" * 300 + "x" + "}" * 300, "too-deep"),
    "sums": (r"\sum_k " * 500 + "x", "too-deep"),
    "functions": (r"\exp " * 500 + "x", "too-deep"),
    "minuses": ("-" * 1_000 + "x", "too-deep"),
    "terms": ("x+" * 1_000 + "x", "too-deep"),
    "factors": ("x/" * 1_000 + "x", "too-deep"),
    "accents": (r"\hat" * 1_000 + "x", "too-deep"),
    "matrices": (r"\begin{matrix}" * 100 + "x" + r"\end{matrix}" * 100, "too-deep"),
    "alignments": (r"\begin{aligned}" * 200 + "x" + r"\end{aligned}" * 200, "too-deep"),
    "norms": (r"\left|" * 300 + "x" + r"\right|" * 300, "too-deep"),
    "colons": ("a:" * 1_000, "too-deep"),
    "connectives": (r"a \land " * 1_000 + "b", "too-deep"),
    "open braces": ("{" * 5_000, "too-deep"),
    "tokens": ("x " * (MAX_TOKENS + 1), "too-large"),
    "five megabytes": ("x" * 5_000_000, "too-large"),
    "five megabytes of braces": ("{" * 5_000_000, "too-large"),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits(name):
    source, code = LIMITS[name]
    with pytest.raises(ReadError) as caught:
        read_equation(source)
    assert caught.value.code == code
    assert 0 <= caught.value.offset <= len(source)


@pytest.mark.parametrize(
    "macros",
    [
        {"a": Macro(0, r"\a")},
        {"a": Macro(0, r"\a\a")},
        {"a": Macro(0, r"\b\b"), "b": Macro(0, r"\a\a")},
        {"a": Macro(0, "x" * (MAX_LENGTH + 1))},
    ],
)
def test_macro_bombs(macros):
    with pytest.raises(ReadError) as caught:
        read_equation(r"y + \a", macros)
    assert caught.value.code == "too-large"
    assert str(MAX_EXPANSIONS) in caught.value.message or str(MAX_LENGTH) in caught.value.message


def test_definitions_inside_an_equation_are_bounded():
    bomb = "".join(rf"\def\{a}{{\{b}\{b}}}" for a, b in zip("abcdefghijkl", "bcdefghijklm", strict=True)) + r"\a"
    with pytest.raises(ReadError) as caught:
        read_equation(bomb)
    assert caught.value.code == "too-large"


def test_wide_lists_are_read():
    [reading] = read_equation("x = " + ", ".join(["y"] * 1_500))
    assert len(reading.chain.links[0][1].items) == 1_500
    assert MAX_DEPTH < 100


# --- places -------------------------------------------------------------------------------------------------------------

SAMPLES = [
    r"A_{ij}(\mathbf{Q}, \mathbf{K}) = \frac{\exp(\mathbf{Q}_{i, :} \cdot \mathbf{K}_{j, :})}"
    r"{\sum_k \exp(\mathbf{Q}_{i, :} \cdot \mathbf{K}_{k, :})}",
    r"\text{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + M\right) V \in \mathbb{R}^{n \times d}.",
    r"M_{ij} = \begin{cases} 0 & \text{if } j \leq i \\ -\infty & \text{otherwise} \end{cases}",
    r"\begin{aligned} \frac{\partial \xi}{\partial z_i} &= - \sum_{j \neq i} \frac{t_j}{y_j}\, (-y_j y_i) \\"
    r" &= y_i - t_i \quad (3) \\ &\quad + |x|^2 \|z\|_2 \end{aligned}",
    r"z^{(2)} = \sum_{j=1}^{T} \alpha_{2j}\, x^{(j)}, \qquad \alpha_{2j} = \frac{e^{\omega_{2j}}}{\sum_t e^{\omega_{2t}}}",
    r"\hat{x}'_{1:t} \leftarrow x + \mathrm{LayerNorm}(\tilde{\mathbf{X}}'^\top) \quad \forall i \in \{1, \ldots, n\}",
    r"\begin{bmatrix} \cos\theta & -\sin\theta \\ \sin\theta & \cos\theta \end{bmatrix} \begin{pmatrix} x \\ y \end{pmatrix}",
    r"\left. \frac{a}{b} \right|_{x=0} + \sqrt[4]{d} \odot \langle q, k \rangle + 10{,}000 + \max_j s_{ij} + \max(0, x)",
    r"\mathbb{E}_{x \sim p}[x] = 0 \text{ where $x_i \ne 0$ and } \operatorname{Var}(x) = 1; x := y",
]


def check_spans(node, source):
    a, b = node.span
    assert 0 <= a <= b <= len(source), node
    for part in node.parts:
        assert a <= part.span[0], (source[a:b], part)
        assert part.span[1] <= b, (source[a:b], part)
        check_spans(part, source)


@pytest.mark.parametrize("source", SAMPLES)
def test_places(source):
    for reading in read_equation(source):
        for node in (reading.chain, *reading.conditions):
            check_spans(node, source)
            for n in walk(node):
                text = source[slice(*n.span)]
                if isinstance(n, Name) and not n.accents and n.font == "" and not n.primes:
                    assert text in (n.base, "\\" + n.base)
                elif isinstance(n, Literal):
                    assert text.replace("{,}", "").replace(r"\,", "") == n.text
                elif isinstance(n, (Operator, Big, Scripted, Fraction)):
                    assert text == text.strip()


@pytest.mark.parametrize("source", SAMPLES)
def test_samples_print_and_read_back(source):
    for reading in read_equation(source):
        for node in (reading.chain, *reading.conditions):
            only = node.first if isinstance(node, Chain) and not node.links else node
            assert stripped(read_expression(write_surface(node))) == stripped(only)


# --- round trip ---------------------------------------------------------------------------------------------------------


def stripped(node):
    """The node without places."""
    fields = {}
    for f in dataclasses.fields(node):
        value = getattr(node, f.name)
        fields[f.name] = _stripped_value(value)
    fields["span"] = (0, 0)
    return type(node)(**fields)


def _stripped_value(value):
    if isinstance(value, Node):
        return stripped(value)
    if isinstance(value, tuple):
        return tuple(_stripped_value(v) for v in value)
    return value


HERE = (0, 0)
letters = st.sampled_from(["a", "i", "j", "k", "n", "Q", "x", "alpha", "Sigma", "partial"])
fonts = st.sampled_from(["", "", "", "bold", "calligraphic", "blackboard"])
words = st.sampled_from(["Output", "self-attention", "attn_weights", "head", "col"])
names = st.one_of(
    st.builds(
        Name, st.just(HERE), letters, fonts, st.sampled_from([(), (), ("hat",), ("bar", "tilde")]), st.integers(0, 2)
    ),
    st.builds(Name, st.just(HERE), words, st.just("roman"), st.just(()), st.integers(0, 1)),
).filter(lambda n: not (n.font == "blackboard" and n.base == "E"))
literals = st.builds(Literal, st.just(HERE), st.sampled_from(["0", "1", "2", "10", "0.5", "10000"]))
marks = st.builds(Mark, st.just(HERE), st.sampled_from(["infinity", "dots", "top"]))
script_marks = st.builds(
    Mark, st.just(HERE), st.sampled_from(["colon", "star", "plus", "minus", "top", "cdot", "dagger"])
)


def composed(inner):
    """Nodes over other nodes, as the reader can make them."""
    here = st.just(HERE)
    optional = st.one_of(st.none(), inner)
    script = st.one_of(inner, script_marks, st.builds(Chain, here, st.none(), st.just((("<", literal_n),))))
    chain = st.builds(
        lambda first, links: Chain(HERE, first, tuple(links)),
        inner,
        st.lists(st.tuples(st.sampled_from(["=", "!=", "<=", "in", "sim", "to"]), inner), min_size=1, max_size=2),
    )
    listed = st.builds(lambda items: Listed(HERE, tuple(items)), st.lists(inner, min_size=2, max_size=3))
    content = st.one_of(inner, chain, listed)
    unlisted = inner.filter(lambda n: not isinstance(n, Listed))
    return st.one_of(
        st.builds(Scripted, here, inner, script, st.none()),
        st.builds(Scripted, here, inner, st.none(), script),
        st.builds(Scripted, here, inner, script, script),
        st.builds(lambda items: Adjacent(HERE, tuple(items)), st.lists(inner, min_size=2, max_size=3)),
        st.builds(Enclosed, here, st.sampled_from(["()", "[]", "{}", "||", "norm", "langle", "floor", "(]"]), content),
        st.builds(Prefix, here, st.sampled_from(["-", "+", "pm"]), inner),
        st.builds(
            Infix, here, st.sampled_from(["+", "-", "cdot", "times", "/", "odot", "mod", "@", "pm"]), inner, inner
        ),
        st.builds(Fraction, here, content, content),
        st.builds(Root, here, content, optional),
        st.builds(
            Operator,
            here,
            st.sampled_from(["exp", "softmax", "Var", "E", "tr", "log", "cosh"]),
            st.one_of(st.none(), script),
            st.one_of(st.none(), script),
            st.lists(unlisted, min_size=1, max_size=2).map(tuple),
        ),
        st.builds(Operator, here, st.just("log"), st.none(), st.none(), st.tuples(names), st.just(True)),
        st.builds(Operator, here, st.just("binom"), st.none(), st.none(), st.tuples(content, content)),
        st.builds(Big, here, st.sampled_from(["sum", "prod", "max"]), script, optional, inner),
        st.builds(Big, here, st.just("sum"), st.none(), st.none(), inner),
        st.builds(lambda a, b, c, d: Matrix(HERE, "bmatrix", ((a, b), (c, d))), content, inner, inner, inner),
        st.builds(lambda a, b, c: Cases(HERE, ((a, b), (c, Words(HERE, "otherwise")))), inner, chain, inner),
    )


literal_n = Name(HERE, "n")
trees = st.recursive(st.one_of(names, literals, marks), composed, max_leaves=10)


def _is_written(node):
    """Trees that LaTeX can say: a prime as a superscript of a name is a prime of the name, `1 [x]` is never `E[x]`, …"""
    for n in walk(node):
        if isinstance(n, Scripted) and isinstance(n.base, Mark):
            return False
        if isinstance(n, Adjacent) and len(n.items) == 2 and all(isinstance(i, Literal) for i in n.items):
            return False
    return True


@settings(max_examples=400, deadline=None, derandomize=True)
@given(trees.filter(_is_written))
def test_read_write_round_trip(tree):
    printed = write_surface(tree)
    again = read_expression(printed)
    assert stripped(again) == stripped(tree), printed
    assert write_surface(again) == printed


@settings(max_examples=150, deadline=None, derandomize=True)
@given(trees.filter(_is_written), trees.filter(_is_written))
def test_statement_round_trip(left, right):
    chain = Chain(HERE, left, (("=", right),))
    [reading] = read_equation(write_surface(chain))
    assert [stripped(reading.chain)] == [stripped(chain)] or reading.conditions


# --- mutations ----------------------------------------------------------------------------------------------------------


def mutated(source, rng):
    """A few random edits, those that a person or a broken file makes."""
    pieces = [
        "{",
        "}",
        "\\",
        "_",
        "^",
        "&",
        "\\\\",
        "(",
        ")",
        "|",
        "$",
        "\\left",
        "\\right",
        "\\frac",
        "\\begin{cases}",
    ]
    pieces += [
        "\\end{cases}",
        "\\sum",
        "=",
        ",",
        "'",
        "\\text{",
        "%",
        "\x00",
        "\\,",
        "\u2211",
        "e^ x",
        "\\\\[",
        "#",
        "\\over",
    ]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randint(0, len(source))
        kind = rng.randint(0, 3)
        if kind == 0:
            source = source[:at] + rng.choice(pieces) + source[at:]
        elif kind == 1:
            source = source[:at] + source[at + rng.randint(1, 4) :]
        elif kind == 2:
            other = rng.randint(0, len(source))
            source = source[:at] + source[min(at, other) : max(at, other)] + source[at:]
        else:
            source = source[at:] + source[:at]
    return source[: MAX_LENGTH + 1]


def refusal(text):
    """The statements, or the refusal."""
    try:
        return read_equation(text), None
    except ReadError as error:
        return [], error


@pytest.mark.parametrize("source", SAMPLES)
def test_mutations_are_read_or_refused(source):
    rng = random.Random(source)
    refused = 0
    for _ in range(250):
        text = mutated(source, rng)
        readings, error = refusal(text)
        if error is not None:
            refused += 1
            assert 0 <= error.offset <= len(text), text
            assert error.code
            assert "needed" in error.message or "needs" in error.message, error.message
        for reading in readings:
            for node in (reading.chain, *reading.conditions):
                check_spans(node, text)
                assert outline(read_expression(write_surface(node))) == outline(node), text
    assert 10 < refused < 240  # else one of the two halves tests nothing


def test_tokens_have_their_places():
    for source in SAMPLES:
        for t in tokenize(source):
            if t.kind in ("letter", "command", "number"):
                assert (
                    t.text.replace("ldots", "...") in source[t.start : t.end].replace("{,}", "").replace(r"\,", "")
                    or t.text == "ldots"
                )


def test_mark_signs_cover_every_mark():
    for kind in ("infinity", "dots", "top", "prime", "colon", "star", "empty", "missing"):
        assert kind in MARK_SIGNS
