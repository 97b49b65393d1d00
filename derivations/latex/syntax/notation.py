r"""The notation that is understood: one row per LaTeX form.

Plain symbols (letters, relation signs, spaces) are rows of `symbols.py`; here stand the names that relations, operators
and functions have in the surface tree, and `FORMS`: what each form looks like, the tree it makes, and how it is printed
again.  The reader takes from `FORMS` which commands build what; the tests read every example.

Sources: ISO 80000-2:2019 (signs and symbols); American Mathematical Society, User's Guide for the amsmath Package.
"""

from __future__ import annotations

from dataclasses import dataclass

from derivations.latex.syntax.symbols import COMMANDS, Kind

RELATIONS: dict[str, str] = {
    "=": "=",
    "coloneqq": "=",
    "coloneq": "=",
    "triangleq": "=",
    "doteq": "=",
    "neq": "!=",
    "ne": "!=",
    "<": "<",
    "lt": "<",
    ">": ">",
    "gt": ">",
    "le": "<=",
    "leq": "<=",
    "leqslant": "<=",
    "ge": ">=",
    "geq": ">=",
    "geqslant": ">=",
    "approx": "approx",
    "simeq": "approx",
    "to": "to",
    "rightarrow": "to",
    "longrightarrow": "to",
    "xrightarrow": "to",
    "Rightarrow": "implies",
    "Longrightarrow": "implies",
    "implies": "implies",
    "Leftrightarrow": "iff",
    "Longleftrightarrow": "iff",
    "iff": "iff",
    "gets": "gets",
    "leftarrow": "gets",
    "longleftarrow": "gets",
    "subseteq": "subset",
    "subset": "subset",
}
"""Names of relations in a `Chain`, where they are not the command's own; any other relation sign keeps its name."""

RELATION_SIGNS: dict[str, str] = {
    "=": "=",
    "!=": r"\neq",
    "<": "<",
    ">": ">",
    "<=": r"\leq",
    ">=": r"\geq",
    "colon": r"\colon",
    "mid": r"\mid",
}
"""How the relations whose name is not a command are written."""

PRODUCTS: dict[str, str] = {
    "cdot": "cdot",
    "times": "times",
    "*": "ast",
    "ast": "ast",
    "/": "/",
    "div": "/",
    "@": "@",
    "odot": "odot",
    "circ": "circ",
    "otimes": "otimes",
    "oplus": "oplus",
    "bmod": "mod",
    "mod": "mod",
}
"""Operators that bind like a product; any other binary operator keeps the name of its command."""

PRODUCT_SIGNS: dict[str, str] = {"/": "/", "@": "@", "ast": "*", "mod": r"\bmod"}
"""How the product operators whose name is not a command are written."""

SUMS: dict[str, str] = {"+": "+", "-": "-", "pm": "pm", "mp": "mp"}
"""Operators that bind like a sum, also before an operand."""

LETTERS_FOR_OPERATORS: dict[str, str] = {"Sigma": "sum", "Pi": "prod"}
r"""Capital letters that many write for a large operator: `\Sigma_{i=1}^n`."""

LOGIC: dict[str, str] = {"land": "and", "wedge": "and", "lor": "or", "vee": "or"}
"""Connectives of conditions: they bind less than relations."""
LOGIC_SIGNS: dict[str, str] = {"and": r"\land", "or": r"\lor"}

OPERATORS: dict[str, str] = {
    "exp": "exp",
    "log": "log",
    "ln": "log",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "cosh": "cosh",
    "sinh": "sinh",
    "tanh": "tanh",
    "softmax": "softmax",
    "Softmax": "softmax",
    "SoftMax": "softmax",
    "Var": "Var",
    "var": "Var",
    "Cov": "Cov",
    "E": "E",
    "diag": "diag",
    "Concat": "Concat",
    "concat": "Concat",
    "tr": "tr",
    "Tr": "tr",
    "rowsum": "rowsum",
    "rowSum": "rowsum",
    "RowSum": "rowsum",
    "lim": "lim",
    "argmax": "argmax",
    "argmin": "argmin",
    "arg": "arg",
    "det": "det",
    "sign": "sign",
    "sgn": "sign",
    "relu": "relu",
    "ReLU": "relu",
    "sigmoid": "sigmoid",
}
"""Words that are operators: as commands where LaTeX has them, else in `\\text`, `\\mathrm`, `\\operatorname`."""

TRIGONOMETRIC = frozenset({"sin", "cos", "tan"})
"""Functions of an angle."""
ELEMENTARY = TRIGONOMETRIC | {"exp", "log", "sinh", "cosh", "tanh"}
"""Functions of one number, which are taken entry by entry of an array."""
SPELLED = ELEMENTARY | {"det"}
"""Functions that are one also in letters without a font, before what they are applied to: `log \\prod_i x_i`."""

GLUED = frozenset({"log", "exp", "det"})
"""Those of them that are one also without a space before the letter that they are applied to, `logX`; `cost` is a word."""

BIG_WORDS = frozenset({"max", "min"})
"""Words that are a large operator when they have an index, else a function."""

CONDITION_WORDS = frozenset(
    {"if", "for", "when", "whenever", "unless", "provided", "otherwise", "else", "only", "all", "each", "every", "iff"}
)
"""First words of a condition on the statement before."""
LEAD_WORDS = frozenset(
    {"where", "with", "and", "or", "such", "let", "so", "then", "thus", "hence", "therefore", "since", "because"}
    | {"letting", "denote", "denoting", "defining", "recall", "recalling", "noting", "assume", "assuming", "suppose"}
    | {"moreover", "finally", "consequently", "similarly", "likewise", "namely"}
)
"""Words before a statement of its own."""
ALSO_NAMES = frozenset({"recall"})
"""Those of them that are names, too, where a relation sign follows: `\\text{Recall} = \\ldots`."""
OTHERWISE = frozenset(
    {"otherwise", "else", "sonst", "ansonsten", "andernfalls", "sinon", "autrement", "si no", "en otro caso"}
    | {"en caso contrario", "de lo contrario", "caso contrário", "senão", "altrimenti", "иначе", "в противном случае"}
    | {"否则", "其他", "其它", "其他情况", "其余", "それ以外", "その他", "그 외", "elsewhere"}
)
"""What stands for the case that is left, in several languages."""
ENGLISH = {
    **dict.fromkeys(("falls", "wenn", "si", "se", "если", "若", "如果", "当"), "if"),
    **dict.fromkeys(("für", "pour", "para", "per", "для", "对于", "对"), "for"),
    **dict.fromkeys(("wobei", "où", "donde", "onde", "dove", "где", "其中"), "where"),
    **dict.fromkeys(("mit", "avec", "con", "com"), "with"),
    **dict.fromkeys(("und", "et", "и", "且", "和"), "and"),
    **dict.fromkeys(("oder", "ou", "或"), "or"),
    **dict.fromkeys(OTHERWISE, "otherwise"),
}
"""Words of other languages that begin a condition or a statement."""

ROW_ENVIRONMENTS = frozenset(
    {
        "align",
        "aligned",
        "alignat",
        "alignedat",
        "displaymath",
        "eqnarray",
        "equation",
        "flalign",
        "gather",
        "gathered",
        "math",
        "multline",
        "multlined",
        "split",
        "subequations",
    }
)
"""Environments whose rows are equations."""
MATRIX_ENVIRONMENTS = frozenset(
    {"matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "smallmatrix", "array", "subarray"}
)
CASE_ENVIRONMENTS = frozenset({"cases", "dcases", "rcases", "numcases"})

DELIMITERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "(": ("()", (")", "]")),
    "[": ("[]", ("]", ")")),
    "{": ("{}", ("}", "rbrace")),
    "lbrace": ("{}", ("}", "rbrace")),
    "lbrack": ("[]", ("rbrack",)),
    "langle": ("langle", ("rangle",)),
    "lfloor": ("floor", ("rfloor",)),
    "lceil": ("ceil", ("rceil",)),
    "lvert": ("||", ("rvert",)),
    "lVert": ("norm", ("rVert",)),
    "llbracket": ("[[]]", ("rrbracket",)),
    "|": ("norm", ("|", "Vert")),
    "Vert": ("norm", ("|", "Vert")),
    "vert": ("||", ("vert",)),
}
"""What opens (a character, or a command's name), the kind of `Enclosed` it makes, and what closes."""

ENCLOSED_SIGNS: dict[str, tuple[str, str]] = {
    "()": ("(", ")"),
    "[]": ("[", "]"),
    "(]": ("(", "]"),
    "[)": ("[", ")"),
    "{}": (r"\{", r"\}"),
    "||": (r"\lvert ", r"\rvert"),
    "norm": (r"\lVert ", r"\rVert"),
    "langle": (r"\langle ", r"\rangle"),
    "floor": (r"\lfloor ", r"\rfloor"),
    "ceil": (r"\lceil ", r"\rceil"),
    "[[]]": (r"\llbracket ", r"\rrbracket"),
    ".|": (r"\left. ", r"\right|"),
    "{.": (r"\left\{ ", r"\right."),
}
"""How each kind of `Enclosed` is written."""

FONT_NAMES: dict[str, str] = {
    "upright": "roman",
    "italic": "roman",
    "bold": "bold",
    "bold-italic": "bold",
    "double-struck": "blackboard",
    "script": "calligraphic",
    "fraktur": "fraktur",
    "sans-serif": "sans",
    "monospace": "typewriter",
    "normal": "",
}
"""The `font` of a `Name` for each alphabet of the symbol table (`\\mathit` marks a word, as `\\mathrm` does)."""
FONT_COMMANDS: dict[str, str] = {
    "roman": "mathrm",
    "bold": "mathbf",
    "blackboard": "mathbb",
    "calligraphic": "mathcal",
    "fraktur": "mathfrak",
    "sans": "mathsf",
    "typewriter": "mathtt",
}
ACCENTS = frozenset(
    {
        "hat",
        "widehat",
        "tilde",
        "widetilde",
        "bar",
        "overline",
        "vec",
        "dot",
        "ddot",
        "dddot",
        "check",
        "breve",
        "acute",
        "grave",
        "mathring",
        "underline",
        "overrightarrow",
        "overleftarrow",
    }
)
SAME_ACCENT = {"overrightarrow": "vec"}
"""Accents over a name that say the same as another one."""
MEANS = frozenset({"bar", "overline"})
"""Accents of a mean: that of a square is no square of a mean."""

SETS: dict[str, str] = {"R": "R", "N": "N", "Z": "Z", "reals": "R", "Reals": "R", "natnums": "N"}
"""Commands for number sets that many renderers define; an author's macro of that name goes first."""

MARKS: dict[str, str] = {
    "infty": "infinity",
    "ldots": "dots",
    "dots": "dots",
    "cdots": "dots",
    "vdots": "dots",
    "ddots": "dots",
    "iddots": "dots",
    "dotsc": "dots",
    "dotsb": "dots",
    "dotsm": "dots",
    "dotso": "dots",
    "dotsi": "dots",
    "top": "top",
    "intercal": "top",
    "prime": "prime",
    "forall": "forall",
    "exists": "exists",
    "emptyset": "emptyset",
    "varnothing": "emptyset",
}
"""Commands that are a `Mark`."""
SCRIPT_MARKS: dict[str, str] = {
    ":": "colon",
    "*": "star",
    "+": "plus",
    "-": "minus",
    "'": "prime",
    "star": "star",
    "ast": "ast",
    "cdot": "cdot",
    "bullet": "bullet",
    "dagger": "dagger",
    "perp": "perp",
    "circ": "circ",
}
"""Signs that stand alone in a script: `W_{:,j}`, `x^*`, `a_{i\\cdot}`."""
SIGNS_AS_LABELS: frozenset[str] = frozenset(
    name
    for name, row in COMMANDS.items()
    if row.kind in (Kind.BIN, Kind.REL) and name not in SCRIPT_MARKS and name not in ("intercal", "mid", "bmod")
)
r"""Signs of operations, relations and arrows that tell names apart where they stand alone in a script: `\Sigma_\times`,
`h^\rightarrow`, `a_\parallel`."""
STARS = frozenset({"*", "star", "ast"})
"""Signs that tell new from old, beside letters too: `K_{*X}`."""
MARK_SIGNS: dict[str, str] = {
    "infinity": r"\infty",
    "dots": r"\ldots",
    "top": r"\top",
    "prime": r"\prime",
    "forall": r"\forall",
    "exists": r"\exists",
    "emptyset": r"\emptyset",
    "colon": ":",
    "star": "*",
    "plus": "+",
    "minus": "-",
    "begun": "-",
    "ast": r"\ast",
    "cdot": r"\cdot",
    "bullet": r"\bullet",
    "dagger": r"\dagger",
    "perp": r"\perp",
    "circ": r"\circ",
    "empty": "{}",
    "missing": "",
    **{name: "\\" + name for name in SIGNS_AS_LABELS},
}


@dataclass(frozen=True)
class Form:
    """A row: what a form is called, an example, the outline of the tree that it makes, how that is printed (None: as
    the example), and the commands that build it (the reader looks them up here)."""

    name: str
    example: str
    makes: str
    prints: str | None = None
    commands: tuple[str, ...] = ()


FORMS: tuple[Form, ...] = (
    # names and numbers
    Form("letter", r"x", "x"),
    Form("greek", r"\alpha", "alpha"),
    Form("bold", r"\mathbf{Q}", "bold:Q"),
    Form("bold-bare", r"\mathbf W", "bold:W", r"\mathbf{W}"),
    Form("bold-greek", r"\boldsymbol\beta_v", "bold:beta_{v}", r"\mathbf{\beta}_{v}"),
    Form("bold-run", r"\mathbf{QK}^\top", "<bold:Q bold:K^{@top}>", r"\mathbf{Q} \mathbf{K}^{\top}"),
    Form("switch", r"{\bf x}_i", "bold:x_{i}", r"\mathbf{x}_{i}"),
    Form("word", r"\text{Output}", "roman:Output", r"\mathrm{Output}"),
    Form("hyphenated", r"\text{self-attention}", "roman:self-attention", r"\text{self-attention}"),
    Form("underscored", r"\text{attn\_weights}", "roman:attn_weights", r"\text{attn\_weights}"),
    Form("word-index", r"\mathrm{head_i}", "roman:head_{i}", r"\mathrm{head}_{i}"),
    Form("number-set", r"\R^d", "blackboard:R^{d}", r"\mathbb{R}^{d}"),
    Form("calligraphic", r"\mathcal{L}", "calligraphic:L"),
    Form("accent", r"\tilde{A}", "tilde^A"),
    Form("accent-arrow", r"\overrightarrow{x}", "vec^x", r"\vec{x}"),
    Form("zero-vector", r"\vec{0}", "bold:0", r"\mathbf{0}"),
    Form("accent-index", r"\hat{x}_i", "hat^x_{i}", r"\hat{x}_{i}"),
    Form("accent-expression", r"\overline{x + y}", "overline((x + y))", r"\overline{x + y}"),
    Form("prime", r"S'", "S'"),
    Form("number", r"10000", "10000"),
    Form("decimal", r"0.25", "0.25"),
    Form("grouped-number", r"10{,}000", "10000", "10000"),
    Form("thousands", r"1,820 + 209", "(1820 + 209)", r"1820 + 209"),
    Form("spaced-number", r"1\,048\,576", "1048576", "1048576"),
    # scripts
    Form("multi-index", r"A_{ij}", "A_{<i j>}", r"A_{i j}"),
    Form("comma-index", r"a_{i,j}", "a_{[i, j]}", r"a_{i, j}"),
    Form("row", r"\mathbf{Q}_{i, :}", "bold:Q_{[i, @colon]}"),
    Form("slice", r"X_{1:t}", "X_{(1 slice t)}", r"X_{1 : t}"),
    Form("label", r"x^{(2)}", "x^{(){2}}"),
    Form("both-scripts", r"W_i^{(q)}", "W_{i}^{(){q}}", r"W_{i}^{(q)}"),
    Form("transpose", r"K^\top", "K^{@top}", r"K^{\top}"),
    Form("transpose-letter", r"K^T", "K^{T}", r"K^{T}"),
    Form("star", r"w^*", "w^{@star}", r"w^{*}"),
    Form("dot-index", r"a_{i\cdot}", "a_{<i @cdot>}", r"a_{i \cdot}"),
    Form("script-after-group", r"W^K{}^T", "(W^{K})^{T}", r"{W^{K}}^{T}"),
    # products, sums
    Form("product", r"A V", "<A V>"),
    Form("dot", r"q \cdot k", "(q cdot k)"),
    Form("slash", r"a / b", "(a / b)"),
    Form("plus", r"a + b - c", "((a + b) - c)"),
    Form("minus", r"-a b", "(-<a b>)", r"-a b"),
    Form("minus-after-product", r"a \cdot -b", "(a cdot (-b))", r"a \cdot {-b}"),
    Form("hadamard", r"A \odot B", "(A odot B)"),
    Form("modulus-word", r"i \text{ mod } 2", "(i mod 2)", r"i \bmod 2"),
    Form("factorial", r"n!", "factorial(n)"),
    Form("factorial-equals", r"n! = 2", "factorial(n) = 2", r"n! = 2"),
    Form("not-equal-signs", r"n != 2", "n != 2", r"n \neq 2"),
    Form("percent", r"39.5\%", "0.395%"),
    Form("percent-name", r"p\%", "(p // 100)", r"\frac{p}{100}"),
    # fractions, roots
    Form("fraction", r"\frac{a}{b}", "(a // b)", commands=("frac", "dfrac", "tfrac", "cfrac", "nicefrac", "sfrac")),
    Form("fraction-tokens", r"\frac12", "(1 // 2)", r"\frac{1}{2}"),
    Form("over", r"{a \over b}", "(a // b)", r"\frac{a}{b}"),
    Form("choose", r"{n \choose k}", "binom(n, k)", r"\binom{n}{k}"),
    Form("root", r"\sqrt{d}", "root(d)", commands=("sqrt",)),
    Form("root-degree", r"\sqrt[4]{d}", "root(d; 4)"),
    Form("binomial", r"\binom{n}{k}", "binom(n, k)", commands=("binom", "tbinom", "dbinom")),
    # large operators and functions
    Form("sum-both", r"\sum_{j=1}^{n} x_j", "sum_{j = 1}^{n}{x_{j}}", r"\sum_{j = 1}^{n} x_{j}"),
    Form("sum-index", r"\sum_k x_k", "sum_{k}{x_{k}}", r"\sum_{k} x_{k}"),
    Form("sum-none", r"\sum x_k", "sum{x_{k}}", r"\sum x_{k}"),
    Form("sum-extent", r"\sum_k a b / c + d", "(sum_{k}{(<a b> / c)} + d)", r"\sum_{k} a b / c + d"),
    Form(
        "sum-two-conditions",
        r"\sum_{\substack{j \neq i \\ j < n}} x_j",
        "sum_{[j != i, j < n]}{x_{j}}",
        r"\sum_{j \neq i, j < n} x_{j}",
        commands=("substack",),
    ),
    Form("max", r"\max_j x_j", "max_{j}{x_{j}}", r"\max_{j} x_{j}"),
    Form("max-function", r"\max(0, x)", "max(0, x)", r"\max\left(0, x\right)"),
    Form("under", r"\underset{j}{\max} x_j", "max_{j}{x_{j}}", r"\max_{j} x_{j}", commands=("underset",)),
    Form("exp", r"\exp(x)", "exp(x)", r"\exp\left(x\right)"),
    Form("exp-bare", r"\exp x_i", "exp~(x_{i})", r"\exp x_{i}"),
    Form("e-power", r"e^{x}", "e^{x}"),
    Form("softmax", r"\text{softmax}(x)", "softmax(x)", r"\mathrm{softmax}\left(x\right)"),
    Form("softmax-switch", r"{\rm softmax}(x)", "softmax(x)", r"\mathrm{softmax}\left(x\right)"),
    Form("softmax-italic", r"softmax(x)", "softmax(x)", r"\mathrm{softmax}\left(x\right)"),
    Form(
        "softmax-axis",
        r"\text{softmax}_{j}(\omega_{ij})",
        "softmax_{j}(omega_{<i j>})",
        r"\mathrm{softmax}_{j}\left(\omega_{i j}\right)",
    ),
    Form("softmax-entry", r"\mathrm{softmax}(z)_i", "softmax(z)_{i}", r"\mathrm{softmax}\left(z\right)_{i}"),
    Form(
        "operatorname",
        r"\operatorname{tr}\left(x\right)",
        "tr(x)",
        r"\mathrm{tr}\left(x\right)",
        commands=("operatorname", "mathop", "operatornamewithlimits"),
    ),
    Form("expectation", r"\mathbb{E}[x]", "E(x)", r"\mathbb{E}\left(x\right)"),
    Form("indicator", r"\mathbb{I}(j \leq i)", "<blackboard:I (){j <= i}>", r"\mathbb{I} (j \leq i)"),
    Form("indicator-square", r"\mathbf{1}[j \leq i]", "<bold:1 []{j <= i}>", r"\mathbf{1} [j \leq i]"),
    Form(
        "call",
        r"A_{ij}(\mathbf{Q}, \mathbf{K})",
        "<A_{<i j>} (){[bold:Q, bold:K]}>",
        r"A_{i j} (\mathbf{Q}, \mathbf{K})",
    ),
    Form("derivative", r"\frac{\partial y}{\partial x}", "(<partial y> // <partial x>)"),
    # delimiters
    Form("inner-product", r"\langle q, k \rangle", "langle{[q, k]}", r"\langle q, k\rangle"),
    Form("concatenation", r"[x \| y]", "[]{x parallel y}", r"[x \parallel y]"),
    Form("absolute", r"|x|", "||{x}", r"\lvert x\rvert"),
    Form("norm", r"\|x\|", "norm{x}", r"\lVert x\rVert"),
    Form("norm-typed", r"||x||", "norm{x}", r"\lVert x\rVert"),
    Form("conditional", r"p(x | y)", "<p (){x mid y}>", r"p (x \mid y)"),
    Form("set", r"\{0, -\infty\}", "{}{[0, (-@infinity)]}"),
    Form("sized", r"\bigl( x \bigr)", "(){x}", r"(x)"),
    Form("at", r"\left. f \right|_{x=0}", ".|{f}_{x = 0}", r"\left. f\right|_{x = 0}"),
    # environments
    Form("matrix", r"\begin{bmatrix} a & b \\ c & d \end{bmatrix}", "bmatrix{a, b; c, d}"),
    Form(
        "cases",
        r"\begin{cases} 1 & \text{if } j \leq i \\ 0 & \text{otherwise} \end{cases}",
        "cases{1 if <'if' j> <= i; 0 if 'otherwise'}",
    ),
    Form(
        "cases-array",
        r"\left\{ \begin{array}{ll} 1 & j \leq i \\ 0 & j > i \end{array} \right.",
        "cases{1 if j <= i; 0 if j > i}",
        r"\begin{cases} 1 & j \leq i \\ 0 & j > i \end{cases}",
    ),
    # marks
    Form("infinity", r"-\infty", "(-@infinity)"),
    Form("dots", r"x_1, \ldots, x_n", "[x_{1}, @dots, x_{n}]", r"x_{1}, \ldots, x_{n}"),
    # looks
    Form("color", r"\color{red} x", "x", "x"),
    Form("text-color", r"\textcolor{red}{x}", "x", "x"),
    Form("brace-under", r"\underbrace{a + b}_{c}", "(a + b)", "a + b", commands=("underbrace", "overbrace")),
    # relations
    Form("chain", r"a = b \le c", "a = b <= c", r"a = b \leq c"),
    Form("annotated-relation", r"a \stackrel{!}{=} b", "a = b", "a = b", commands=("stackrel", "overset")),
    Form("negated", r"a \not= b", "a != b", r"a \neq b"),
    Form("membership", r"Q \in \mathbb{R}^{n \times d}", "Q in blackboard:R^{(n times d)}"),
    Form("starts-with-relation", r"X_{<t}", "X_{ < t}", r"X_{< t}"),
    Form("connective", r"(j \leq i \land k < i)", "(){(j <= i and k < i)}"),
    Form("words-inside", r"\{x : x \text{ is even}\}", "{}{x colon <x 'is even'>}", r"\{x \colon x \text{ is even}\}"),
)
"""Expressions; statements, rows and conditions have their own tests."""

BUILDERS: dict[str, str] = {command: form.name for form in FORMS for command in form.commands}
"""The form that a command builds."""
