r"""The notation that is understood: one row per LaTeX form, with an example that the tests read.

Symbols (letters, relation signs, spaces) are rows of `symbols.py`; here stand the forms that build something.
"""

from __future__ import annotations

from dataclasses import dataclass

RELATIONS: dict[str, str] = {
    "=": "=",
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
    "in": "in",
    "notin": "notin",
    "approx": "approx",
    "simeq": "approx",
    "propto": "propto",
    "sim": "sim",
    "to": "to",
    "rightarrow": "to",
    "longrightarrow": "to",
    "Rightarrow": "implies",
    "implies": "implies",
    "iff": "iff",
    "Leftrightarrow": "iff",
    "mapsto": "mapsto",
    "gets": "gets",
    "leftarrow": "gets",
    "equiv": "equiv",
    "coloneqq": "=",
    "triangleq": "=",
    "subset": "subset",
    "subseteq": "subset",
    "ll": "ll",
    "gg": "gg",
    "perp": "perp",
}
"""Relation signs (command names or characters) and their names in a `Chain`."""

PRODUCTS: dict[str, str] = {
    "cdot": "cdot",
    "times": "times",
    "*": "ast",
    "ast": "ast",
    "/": "/",
    "div": "/",
    "odot": "odot",
    "circ": "circ",
    "otimes": "otimes",
    "bmod": "mod",
    "mod": "mod",
    "oplus": "oplus",
}
"""Binary operators that bind like a product."""

SUMS: dict[str, str] = {"+": "+", "-": "-", "pm": "pm", "mp": "mp", "−": "-", "–": "-"}
"""Binary operators that bind like a sum."""

BIG: dict[str, str] = {"sum": "sum", "prod": "prod", "max": "max", "min": "min", "bigcup": "bigcup", "int": "int"}
"""Operators with limits and a body."""

OPERATORS: dict[str, str] = {
    "exp": "exp",
    "log": "log",
    "ln": "log",
    "sin": "sin",
    "cos": "cos",
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
    "lim": "lim",
    "argmax": "argmax",
    "arg": "arg",
    "det": "det",
    "relu": "relu",
    "ReLU": "relu",
    "sigmoid": "sigmoid",
}
"""Words that are operators: as commands where LaTeX has them, else in `\\text`, `\\mathrm`, `\\operatorname`."""

COMMAND_OPERATORS = frozenset({"exp", "log", "ln", "sin", "cos", "tanh", "lim", "arg", "det"})

FONTS: dict[str, str] = {
    "mathbf": "bold",
    "boldsymbol": "bold",
    "bm": "bold",
    "bf": "bold",
    "textbf": "bold",
    "mathrm": "roman",
    "text": "roman",
    "textrm": "roman",
    "textnormal": "roman",
    "textit": "roman",
    "mathit": "roman",
    "rm": "roman",
    "mbox": "roman",
    "operatorname": "roman",
    "mathop": "roman",
    "mathcal": "calligraphic",
    "mathscr": "calligraphic",
    "mathfrak": "fraktur",
    "mathbb": "blackboard",
    "mathsf": "sans",
    "textsf": "sans",
    "mathtt": "typewriter",
    "texttt": "typewriter",
}

ACCENTS = frozenset(
    {"hat", "widehat", "tilde", "widetilde", "bar", "overline", "vec", "dot", "ddot", "check", "breve", "underline"}
)

ROW_ENVIRONMENTS = frozenset(
    {
        "align",
        "aligned",
        "split",
        "gather",
        "gathered",
        "multline",
        "eqnarray",
        "equation",
        "alignat",
        "flalign",
        "math",
    }
    | {"displaymath", "alignedat"}
)
MATRIX_ENVIRONMENTS = frozenset(
    {"matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "smallmatrix", "array"}
)

CONDITION_WORDS = frozenset(
    {"if", "for", "where", "when", "otherwise", "else", "with", "and", "or", "unless", "such", "all", "each", "every"}
)
"""Words in `\\text` that begin a condition or a remark."""


@dataclass(frozen=True)
class Form:
    """A row: a name, an example, and what it makes (the class of the surface node, or of the first one)."""

    name: str
    example: str
    makes: str


FORMS: tuple[Form, ...] = (
    Form("letter", r"x", "Name"),
    Form("greek", r"\alpha", "Name"),
    Form("bold", r"\mathbf{Q}", "Name"),
    Form("bold-bare", r"\mathbf W", "Name"),
    Form("word", r"\text{Output}", "Name"),
    Form("hyphenated", r"\text{self-attention}", "Name"),
    Form("underscored", r"\text{attn\_weights}", "Name"),
    Form("accent", r"\tilde{A}", "Name"),
    Form("prime", r"S'", "Name"),
    Form("number", r"10000", "Literal"),
    Form("decimal", r"0.25", "Literal"),
    Form("multi-index", r"A_{ij}", "Scripted"),
    Form("comma-index", r"a_{i,j}", "Scripted"),
    Form("row", r"\mathbf{Q}_{i, :}", "Scripted"),
    Form("label", r"x^{(2)}", "Scripted"),
    Form("both-scripts", r"W_i^{(q)}", "Scripted"),
    Form("transpose", r"K^\top", "Scripted"),
    Form("transpose-letter", r"K^T", "Scripted"),
    Form("product", r"A V", "Adjacent"),
    Form("dot", r"q \cdot k", "Infix"),
    Form("slash", r"a / b", "Infix"),
    Form("plus", r"a + b", "Infix"),
    Form("minus", r"-a", "Prefix"),
    Form("hadamard", r"A \odot B", "Infix"),
    Form("fraction", r"\frac{a}{b}", "Fraction"),
    Form("root", r"\sqrt{d}", "Root"),
    Form("sum-both", r"\sum_{j=1}^{n} x_j", "Big"),
    Form("sum-index", r"\sum_k x_k", "Big"),
    Form("sum-none", r"\sum x_k", "Big"),
    Form("max", r"\max_j x_j", "Big"),
    Form("exp", r"\exp(x)", "Operator"),
    Form("exp-bare", r"\exp x_i", "Operator"),
    Form("e-power", r"e^{x}", "Scripted"),
    Form("softmax", r"\text{softmax}(x)", "Operator"),
    Form("softmax-axis", r"\text{softmax}_{j}(\omega_{ij})", "Operator"),
    Form("softmax-entry", r"\mathrm{softmax}(z)_i", "Scripted"),
    Form("operatorname", r"\operatorname{softmax}\left(x\right)", "Operator"),
    Form("indicator", r"\mathbb{I}(j \leq i)", "Adjacent"),
    Form("indicator-square", r"\mathbf{1}[j \leq i]", "Adjacent"),
    Form("call", r"A_{ij}(\mathbf{Q}, \mathbf{K})", "Adjacent"),
    Form("inner-product", r"\langle q, k \rangle", "Enclosed"),
    Form("absolute", r"|x|", "Enclosed"),
    Form("norm", r"\|x\|", "Enclosed"),
    Form("matrix", r"\begin{bmatrix} a & b \\ c & d \end{bmatrix}", "Matrix"),
    Form("cases", r"\begin{cases} 1 & \text{if } j \leq i \\ 0 & \text{otherwise} \end{cases}", "Cases"),
    Form("infinity", r"-\infty", "Prefix"),
    Form("dots", r"x_1, \ldots, x_n", "Listed"),
    Form("color", r"\color{red} x", "Name"),
    Form("sized", r"\bigl( x \bigr)", "Enclosed"),
)
"""Expressions; equations and environments have their own tests."""
