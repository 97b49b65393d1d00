r"""A layout back to LaTeX, from the table of symbols alone.

An author's LaTeX never reaches a TeX engine as it was typed: what is printed here is built from the layout, command by
command, from rows that we know. A formula that was not understood in full is refused, and is then shown as text.
"""

from __future__ import annotations

from derivations.latex.syntax.symbols import COMMANDS, Kind

from .. import escape
from ..layout.reader import read_layout
from ..layout.tree import (
    ALIGNED,
    CASES,
    CENTRED,
    MATRICES,
    Accent,
    Atom,
    Classed,
    Delimiter,
    Fenced,
    Fraction,
    Node,
    Number,
    Phantom,
    Root,
    Row,
    Scripts,
    Space,
    Stack,
    Style,
    Table,
    Unknown,
    Words,
)

FALLBACKS = {
    "coloneqq": r"\mathrel{:=}",
    "coloneq": r"\mathrel{:=}",
    "eqqcolon": r"\mathrel{=:}",
    "vcentcolon": r"\mathrel{:}",
    "llbracket": r"\mathopen{[\![}",
    "rrbracket": r"\mathclose{]\!]}",
    "lgroup": r"\mathopen{(}",
    "rgroup": r"\mathclose{)}",
    "iddots": r"\cdots ",
    "omicron": r"o",
    "backprime": r"`",
    "degree": r"^{\circ}",
    "nobreakspace": r"\ ",
    "checkmark": r"\surd ",
    "lt": r"<",
    "gt": r">",
    "dotplus": r"\mathbin{+}",
}
"""What stands for a command of the table that amsmath and amssymb do not have."""

_FONTS = {
    "upright": "mathrm",
    "bold": "mathbf",
    "italic": "mathit",
    "bold-italic": "boldsymbol",
    "double-struck": "mathbb",
    "script": "mathcal",
    "fraktur": "mathfrak",
    "sans-serif": "mathsf",
    "monospace": "mathtt",
}
_TEXT_FONTS = {"": "text", "bold": "textbf", "italic": "textit", "monospace": "texttt", "sans-serif": "textsf"}
_DELIMITER_LIST = r"""
( ) [ ] | / \| \{ \} \backslash \lbrace \rbrace \lbrack \rbrack \langle \rangle \lfloor \rfloor \lceil \rceil
\vert \Vert \lvert \rvert \lVert \rVert \uparrow \downarrow \updownarrow \Uparrow \Downarrow
"""
_DELIMITERS = frozenset(_DELIMITER_LIST.split())
"""What may follow `left` and `right`."""
_KINDS = {
    Kind.OP: "mathop",
    Kind.REL: "mathrel",
    Kind.BIN: "mathbin",
    Kind.OPEN: "mathopen",
    Kind.CLOSE: "mathclose",
    Kind.PUNCT: "mathpunct",
}
_STYLES = {"display": "displaystyle", "text": "textstyle", "script-size": "scriptstyle"}


class Unprintable(Exception):
    """A formula that cannot be rebuilt from the table; it is shown as text instead."""


def write_tex_math(latex: str) -> str:
    r"""Rebuild a formula from its layout. Raises Unprintable where not all of it is understood.

    >>> write_tex_math(r"\mathbf{q}_i^\top k_j")
    '{\\mathbf{q}}_{i}^{\\top }{k}_{j}'
    """
    layout = read_layout(latex)
    if layout.problems:
        raise Unprintable(layout.problems[0])
    return _inside(layout.root)


def _inside(node: Node) -> str:
    """The contents of a group without its braces."""
    if isinstance(node, Row):
        return "".join(map(_one, node.items))
    return _one(node)


def _braced(node: Node) -> str:
    return "{" + _inside(node) + "}"


def _one(node: Node) -> str:
    match node:
        case Row():
            return _braced(node)
        case Atom():
            return _atom(node)
        case Number(text=text, font=font):
            return text if font in {"", "normal"} else _in_font(text, font)
        case Words(parts=parts, font=font):
            command = _TEXT_FONTS.get(font, "text")
            return "".join(
                f"\\{command}{{{escape.tex(part)}}}" if isinstance(part, str) else _braced(part) for part in parts
            )
        case Scripts():
            return _scripts(node)
        case Fraction(top=top, bottom=bottom, style=style, line=line):
            name = {"display": "d", "text": "t"}.get(style, "") + ("frac" if line else "binom")
            return f"\\{name}{_braced(top)}{_braced(bottom)}"
        case Root(body=body, index=index):
            return "\\sqrt" + ("" if index is None else f"[{{{_inside(index)}}}]") + _braced(body)
        case Fenced(left=left, items=items, right=right):
            return f"\\left{_delimiter(left)}{''.join(map(_one, items))}\\right{_delimiter(right)}"
        case Delimiter(atom=atom, tex=tex):
            return f"\\{tex}{_delimiter(atom)}"
        case Accent(mark=mark, body=body):
            return f"{mark.tex}{_braced(body)}"
        case Stack(base=base, over=over, under=under):
            written = _braced(base)
            if under is not None:
                written = f"{{\\underset{_braced(under)}{written}}}"
            return written if over is None else f"\\overset{_braced(over)}{written}"
        case Table():
            return _table(node)
        case Space(em=em):
            return f"\\hspace{{{em:.4g}em}}"
        case Style(name=name, body=body):
            return f"\\{_STYLES[name]} {_inside(body)}"
        case Classed(body=body, kind=kind, limits=limits):
            if kind is Kind.FUNCTION:
                return f"\\operatorname{'*' if limits else ''}{_braced(body)}"
            return f"\\{_KINDS[kind]}{_braced(body)}"
        case Phantom(body=body):
            return f"\\phantom{_braced(body)}"
        case Unknown(tex=tex):
            raise Unprintable(tex)
    raise TypeError(f"layout: needs a node that the LaTeX writer knows, found {type(node).__name__}")


def _atom(atom: Atom) -> str:
    if atom.kind is Kind.FUNCTION and atom.font == "upright":
        name = escape.tex(atom.text).replace(" ", "\\,")
        return f"\\operatorname{'*' if atom.limits else ''}{{{name}}}"
    tex = atom.tex
    if tex.startswith("\\not") and tex[4:5] not in {"", "i"} and tex[1:] not in COMMANDS:
        tex = "\\not" + _command(tex[4:])
    else:
        tex = _command(tex)
    if atom.font in {"", "normal"} or not atom.letter:
        return tex
    return _in_font(tex, atom.font)


def _command(tex: str) -> str:
    """A command or a character, so that nothing after it can run into it."""
    if tex.startswith("\\"):
        name = tex[1:]
        return FALLBACKS.get(name, tex + (" " if name.isalpha() else ""))
    if not tex.isascii():
        return f"\\text{{{''.join(map(escape.unicode_tex, tex))}}}"
    return tex


def _in_font(tex: str, font: str) -> str:
    name = _FONTS[font]
    capitals = tex.isascii() and tex.isalpha() and tex.isupper()
    if name in {"mathbb", "mathcal"} and not capitals:
        # These alphabets have capitals only.
        name = "mathbf" if name == "mathbb" else "mathit"
    if tex.startswith("\\") and name == "mathbf":
        name = "boldsymbol"
    return f"\\{name}{{{tex.strip()}}}"


def _scripts(node: Scripts) -> str:
    base = node.base
    written = _one(base)
    operator = isinstance(base, Atom | Classed) and base.kind in {Kind.OP, Kind.FUNCTION}
    braced = isinstance(base, Accent) and base.mark.name in {"underbrace", "overbrace"}
    if node.limits:
        written = (written if operator else f"\\mathop{{{written}}}") + "\\limits "
    elif node.limits is False and operator:
        written += "\\nolimits "
    elif not operator and not braced and not isinstance(base, Row):
        written = f"{{{written}}}"
    if node.sub is not None:
        written += "_" + _braced(node.sub)
    primes = "\\prime " * node.primes
    if node.sup is not None or primes:
        written += "^{" + primes + ("" if node.sup is None else _inside(node.sup)) + "}"
    return written


def _delimiter(atom: Atom | None) -> str:
    if atom is None:
        return "."
    if atom.tex not in _DELIMITERS:
        raise Unprintable(f"the delimiter {atom.text}")
    return atom.tex + (" " if atom.tex[-1].isalpha() else "")


def _table(node: Table) -> str:
    env, columns = node.env, ""
    width = max(map(len, node.rows))
    # \relax keeps a bracket at the start of a line from being read as a length.
    rows = "\\\\\\relax ".join(" & ".join(map(_inside, cells)) for cells in node.rows)
    if env in {"substack", "subarray"}:
        return f"\\substack{{{rows}}}"
    if env in MATRICES and width <= 10:
        return f"\\begin{{{env}}}{rows}\\end{{{env}}}"
    if env in MATRICES or env in {"array", "eqnarray"}:
        columns = "rcl" if env == "eqnarray" else node.columns
        columns = (columns + "c" * width)[:width]
    elif env in CASES:
        columns = "l" * width
    if columns:
        body = f"\\begin{{array}}{{{columns}}}{rows}\\end{{array}}"
        left, right = MATRICES.get(env) or CASES.get(env) or ("", "")
        fences = {"": ".", "{": "\\{", "}": "\\}", "‖": "\\|"}
        return f"\\left{fences.get(left, left)}{body}\\right{fences.get(right, right)}" if left or right else body
    single = env in CENTRED or (env in ALIGNED and width == 1)
    inner = "gathered" if single else "aligned"
    return f"\\begin{{{inner}}}{rows}\\end{{{inner}}}"
