r"""Equations of docstrings in the notation of code, `silu(x) = x * sigmoid(x)`, as the LaTeX that says the same.

`@` is the matrix product, and so is a space between two symbols, as in `W_r x`.  In a docstring that has one, or a function
of whole arrays, `*` multiplies entry by entry; elsewhere it may be a product of numbers, and is a product.  `^` is a power.
What is not an equation for a name or a function, in these signs alone, is prose and left as it is.

Sources: the Python Language Reference, chapter 6; the docstrings of NumPy and PyTorch.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from derivations.latex.syntax.letters import GREEK

MAX_LENGTH = 600
"""Characters of the longest equation that is looked at."""
_LIBRARIES = frozenset({"np", "numpy", "torch", "math", "F", "tf", "jnp", "jax", "cp"})
_FUNCTIONS = frozenset(
    {
        "exp",
        "log",
        "ln",
        "sin",
        "cos",
        "tan",
        "cot",
        "sinh",
        "cosh",
        "tanh",
        "arcsin",
        "arccos",
        "arctan",
        "max",
        "min",
        "det",
    }
)
_OF_ARRAYS = frozenset(
    {
        "sqrt",
        "square",
        "abs",
        "norm",
        "sum",
        "mean",
        "var",
        "softmax",
        "logsumexp",
        "sigmoid",
        "relu",
        "gelu",
        "silu",
        "softplus",
    }
)
_REDUCING = frozenset({"sum", "mean", "var", "norm", "softmax", "logsumexp", "dot"})
_MAKERS = frozenset(
    {"rand", "randn", "randint", "zeros", "ones", "empty", "full", "arange", "linspace", "tensor", "array", "eye"}
)
"""Functions that make arrays: what calls them shows a use, and is no equation."""
_ACCENTS = frozenset({"hat", "bar", "tilde", "dot"})
_PRIME = re.compile(r"(?<=\w)'")
_PRIMED = "primed"
_WORD = re.compile(r"[^\W\d_]+")
_SYMBOL = r"(?:[^\W\d_](?:\d+|(?:_\w+)+)?(?:\[[^][]*\])?|\d+(?:\.\d+)?|[)\]])"
_BESIDE = re.compile(rf"(?P<one>(?<![\w.]){_SYMBOL}|[)\]])\s+(?=(?:[^\W\d_](?:\d+|(?:_\w+)+)?(?![\w])|\())")
_SCRIPT = re.compile(r"_\{([^{}]*)\}|_\(([^()]*)\)")
_EQUALS = re.compile(r"(?<![=<>!:+\-*/@])(?::=|=)(?!=)")
_NO_EQUATIONS = re.compile(
    r"^\s*(?:>>>|\.\.\.|[-*+] )|^\s*(?:examples?|usage|args?|arguments|parameters|inputs?|outputs?|shapes?|returns?|raises|"
    r"attributes|notes?|references)\b[^=]*:{1,2}\s*$",
    re.IGNORECASE,
)
"""A line after which a run of assignments shows how something is used, or lists what it takes."""


def equations_in(lines: Sequence[str]) -> list[tuple[int, int, str]]:
    r"""The equations of a docstring: the first line of each, the line after it, and its LaTeX.

    They stand in runs of lines that are nothing but equations; a line with a deeper margin goes on.

    >>> equations_in(["The gate.", "", "    z = sigmoid(W_z x + b)", "    y = z * x", ""])
    [(2, 3, 'z = \\mathrm{sigmoid}(W_z \\, x + b)'), (3, 4, 'y = z \\odot x')]
    >>> equations_in(["Returns y = the output."]), equations_in(["Example::", "", "    y = f(x) + 1"])
    ([], [])
    """
    rows: list[tuple[int, int, _Equation]] = []
    start, heading = 0, ""
    while start < len(lines):
        if not lines[start].strip():
            start += 1
            continue
        end = start
        while end < len(lines) and lines[end].strip():
            end += 1
        found = _run(lines, start, end) if _NO_EQUATIONS.match(heading) is None else []
        rows += found
        heading = heading if found else lines[end - 1]
        start = end
    of_arrays = any(e.is_of_arrays for _, _, e in rows)
    return [(first, stop, e.latex(of_arrays)) for first, stop, e in rows]


def _run(lines: Sequence[str], start: int, end: int) -> list[tuple[int, int, _Equation]]:
    """The equations of a run of lines, where all of it is equations."""
    found: list[tuple[int, int, _Equation]] = []
    k = start
    while k < end:
        margin, stop = _margin(lines[k]), k + 1
        while stop < end and _margin(lines[stop]) > margin:
            stop += 1
        equation = _equation(" ".join(t.strip() for t in lines[k:stop]))
        if equation is None:
            return []
        found.append((k, stop, equation))
        k = stop
    return found


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


@dataclass(frozen=True, slots=True)
class _Equation:
    """An equation in the notation of code that can be written in LaTeX."""

    left: ast.expr
    right: ast.expr

    @property
    def is_of_arrays(self) -> bool:
        """Whether it has a matrix product, or a function of whole arrays: `*` then multiplies entry by entry."""
        nodes = list(ast.walk(self.right))
        called = {_called(n) for n in nodes if isinstance(n, ast.Call)}
        return any(isinstance(n, ast.MatMult) for n in nodes) or not called.isdisjoint(_REDUCING)

    def latex(self, of_arrays: bool) -> str:
        right = self.right if of_arrays else _Plain().visit(copy.deepcopy(self.right))
        return f"{_latex(self.left)} = {_latex(right)}"


def latex_of_equation(text: str) -> str | None:
    r"""The LaTeX of an equation in the notation of code, by itself; None for anything else.

    >>> latex_of_equation("SwiGLU(x) = (silu(x @ W1) * (x @ W3)) @ W2")
    '\\mathrm{SwiGLU}(x) = (\\mathrm{silu}(x \\, W_1) \\odot (x \\, W_3)) \\, W_2'
    >>> latex_of_equation("h_t = exp(-a_{t-1}) / (1 + x_hat^2)")
    'h_t = \\frac{\\exp(-a_{t - 1})}{1 + \\hat{x}^{2}}'
    >>> latex_of_equation("h' = (1 - z) * n")
    "h' = (1 - z) \\, n"
    >>> latex_of_equation("eps = 1e-5"), latex_of_equation("y = the output of it"), latex_of_equation("m = nn.Linear(2, 3)")
    (None, None, None)
    """
    found = _equation(text)
    return None if found is None else found.latex(found.is_of_arrays)


def _equation(text: str) -> _Equation | None:
    text = text.strip().rstrip(".,;")
    parted = _EQUALS.split(text)
    if len(parted) != 2 or len(text) > MAX_LENGTH:
        return None
    left, right = (_parsed(side, beside=k == 1) for k, side in enumerate(parted))
    if left is None or right is None or not _may_be_named(left):
        return None
    called = {_called(n) for n in ast.walk(right) if isinstance(n, ast.Call)}
    computes = any(isinstance(n, ast.BinOp) for n in ast.walk(right)) or not called.isdisjoint(_FUNCTIONS | _OF_ARRAYS)
    if not called.isdisjoint(_MAKERS) or not (computes or isinstance(left, ast.Call)):
        return None
    found = _Equation(left, right)
    try:
        found.latex(True)
    except _NotPlain:
        return None
    return found


class _Plain(ast.NodeTransformer):
    """Products that are written with a space."""

    def visit_Mult(self, node: ast.Mult) -> ast.MatMult:
        return ast.MatMult()


class _NotPlain(Exception):
    """A sign or a construction that an equation of a docstring does not have."""


def _parsed(side: str, beside: bool) -> ast.expr | None:
    side = _PRIME.sub(f"_{_PRIMED}", side)
    side = _SCRIPT.sub(lambda m: f"[{m.group(1) or m.group(2)}]", side).replace("^", "**")
    if beside:
        side = _BESIDE.sub(lambda m: f"{m.group('one')} @ ", side)
    try:
        return ast.parse(side.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _may_be_named(left: ast.expr) -> bool:
    """Whether a left side is a name, an entry, or a function of names: no call with numbers."""
    if isinstance(left, ast.Call):
        return isinstance(left.func, ast.Name) and bool(left.args) and all(isinstance(a, ast.Name) for a in left.args)
    return isinstance(left, ast.Name) or (isinstance(left, ast.Subscript) and isinstance(left.value, ast.Name))


def _latex(node: ast.expr) -> str:
    match node:
        case ast.Name():
            return _name(node.id)
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return _number(value)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return f"-{_factor(inner)}"
        case ast.BinOp():
            return _operation(node)
        case ast.Call(keywords=[]):
            return _call(node)
        case ast.Attribute(attr="T" | "mT", value=inner):
            return f"{_base(inner)}^\\top"
        case ast.Subscript(value=ast.Name(id=name)):
            index = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return _name(name, [_latex(i) for i in index])
    raise _NotPlain


def _operation(node: ast.BinOp) -> str:
    left, right = node.left, node.right
    match node.op:
        case ast.Add():
            return f"{_latex(left)} + {_latex(right)}"
        case ast.Sub():
            return f"{_latex(left)} - {_term(right)}"
        case ast.Mult() if _is_number(left) and _is_number(right):
            return f"{_factor(left)} \\cdot {_factor(right)}"
        case ast.Mult() if _is_number(left) or _is_number(right):
            first, second = (left, right) if _is_number(left) else (right, left)
            return f"{_factor(first)} \\, {_factor(second)}"
        case ast.Mult():
            return f"{_factor(left, ast.Mult)} \\odot {_factor(right)}"
        case ast.MatMult():
            return f"{_factor(left, ast.MatMult)} \\, {_factor(right)}"
        case ast.Div():
            return f"\\frac{{{_latex(left)}}}{{{_latex(right)}}}"
        case ast.Pow():
            return f"{_base(left)}^{{{_latex(right)}}}"
    raise _NotPlain


def _called(node: ast.Call) -> str | None:
    """The name of a function, without the library that it stands in."""
    match node.func:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name, value=ast.Name(id=library)) if library in _LIBRARIES:
            return name
        case ast.Attribute(attr=name, value=ast.Attribute(attr="functional" | "special" | "linalg")):
            return name
    return None


def _call(node: ast.Call) -> str:
    name = _called(node)
    if name is None or not node.args:
        raise _NotPlain
    inside = ", ".join(_latex(a) for a in node.args)
    if len(node.args) == 1:
        match name:
            case "sqrt":
                return f"\\sqrt{{{inside}}}"
            case "square":
                return f"({inside})^{{2}}"
            case "abs":
                return f"|{inside}|"
            case "norm":
                return f"\\|{inside}\\|"
    return f"\\{name}({inside})" if name in _FUNCTIONS else f"{_name(name)}({inside})"


def _term(node: ast.expr) -> str:
    """What is subtracted, in parentheses where it is a sum."""
    is_sum = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)
    return f"({_latex(node)})" if is_sum else _latex(node)


def _factor(node: ast.expr, same: type[ast.operator] | None = None) -> str:
    """What stands in a product, in parentheses where it is a sum, a negative or another product."""
    is_plain = not isinstance(node, ast.UnaryOp) and (
        not isinstance(node, ast.BinOp)
        or isinstance(node.op, ast.Div | ast.Pow)
        or (same is not None and isinstance(node.op, same))
    )
    return _latex(node) if is_plain else f"({_latex(node)})"


def _base(node: ast.expr) -> str:
    """The base of a power, in parentheses where it is more than a name."""
    return _latex(node) if isinstance(node, ast.Name | ast.Constant) else f"({_latex(node)})"


def _is_number(node: ast.expr) -> bool:
    """Whether it is made of numbers alone."""
    return not any(isinstance(n, ast.Name) for n in ast.walk(node))


def _number(value: int | float) -> str:
    text = format(Decimal(repr(value)), "f")
    return text.rstrip("0").rstrip(".") if "." in text and set(text) - set("0.") else text


def _name(text: str, index: Sequence[str] = ()) -> str:
    """A name of code as one writes it: `W1` is W_1, `x_hat` has an accent, words stand upright."""
    first, *rest = [p for p in text.split("_") if p] or [text]
    letters = _WORD.match(first)
    if letters is not None and letters.end() < len(first) and first[letters.end() :].isdecimal():
        first, rest = first[: letters.end()], [first[letters.end() :], *rest]
    signs = {*_ACCENTS, _PRIMED}
    if len(first) > 1 and first not in GREEK and any(len(p) > 1 and not p.isdecimal() and p not in signs for p in rest):
        escaped = text.replace("_", r"\_")
        return f"\\mathrm{{{escaped}}}" + (f"_{{{','.join(index)}}}" if index else "")
    shown = f"\\{first}" if first in GREEK else first if len(first) == 1 else f"\\mathrm{{{first}}}"
    scripts: list[str] = []
    primes = ""
    for part in rest:
        if part in _ACCENTS and not scripts:
            shown = f"\\{part}{{{shown}}}"
        elif part == _PRIMED:
            primes += "'"
        else:
            scripts.append(part if len(part) == 1 or part.isdecimal() else f"\\mathrm{{{part}}}")
    scripts += index
    shown += primes
    if not scripts:
        return shown
    joined = ",".join(scripts)
    return f"{shown}_{joined}" if len(joined) == 1 else f"{shown}_{{{joined}}}"
