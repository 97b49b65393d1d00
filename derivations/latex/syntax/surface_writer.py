r"""The surface tree back to LaTeX, in one normal form: reading it again gives the same tree.

Grouping that the tree has and no written parenthesis shows becomes a TeX group `{…}`, which prints nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from derivations.latex.syntax.notation import (
    ACCENTS,
    BIG_WORDS,
    ENCLOSED_SIGNS,
    FONT_COMMANDS,
    LOGIC_SIGNS,
    MARK_SIGNS,
    MARKS,
    OPERATORS,
    PRODUCT_SIGNS,
    RELATION_SIGNS,
    SUMS,
)
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Cases,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Label,
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
)
from derivations.latex.syntax.symbols import COMMANDS, Kind

_LIST, _LOGIC, _CHAIN, _ITEM, _SUM, _PRODUCT, _ROW, _FACTOR, _ATOM = range(9)
_OPERANDS = frozenset(MARKS.values())
_SIGNS_IN_ROWS = frozenset({"cdot", "bullet", "ast", "star"})
_WITH_ARGUMENTS = {"binom": r"\binom", "overset": r"\overset", "underset": r"\underset", "pmod": r"\pmod"}
_TEXT_COMMANDS = {"roman": "text", "bold": "textbf", "sans": "textsf", "typewriter": "texttt"}


def write_surface(node: Node) -> str:
    r"""LaTeX of a surface tree.

    >>> from derivations.latex.syntax.reader import read_expression
    >>> write_surface(read_expression(r"\tfrac12 (a+b)"))
    '\\frac{1}{2} (a + b)'
    """
    return _content(node)


def _content(node: Node | None) -> str:
    """What stands between delimiters: lists and relations need no group there."""
    if node is None:
        return ""
    if isinstance(node, Listed):
        chains = all(isinstance(n, Chain) for n in node.items)
        items = [_chain(n) if chains and isinstance(n, Chain) else _at(n, _ITEM) for n in node.items]
        signs = node.separator if len(node.separator) == len(items) - 1 else node.separator * (len(items) - 1)
        written = "".join(
            item + (" | " if sign == "|" else f"{sign} ") for item, sign in zip(items, signs, strict=False)
        )
        return written + items[-1]
    if isinstance(node, Chain):
        return _chain(node, outermost=True)
    return _level(node)[0]


def _cells(node: Matrix) -> list[list[str]]:
    """The cells of a matrix, with the lines that show how far its vectors reach."""
    rows = [[_content(c) or "{}" for c in row] for row in node.rows]
    dots = [isinstance(c, Mark) for c in node.parts]
    if not node.ruled:
        return rows
    if len(rows) == 1:
        bars = ["{}" if d else "|" for d in dots]
        return [bars, *rows, bars]
    return [[*(("{}", c, "{}") if d else ("-", c, "-"))] for d, (c,) in zip(dots, rows, strict=True)]


def _chain(node: Chain, outermost: bool = False) -> str:
    parts = []
    if node.first is not None:
        listed = outermost and isinstance(node.first, Listed)
        parts.append(_content(node.first) if listed else _at(node.first, _ITEM))
    for k, (name, right) in enumerate(node.links):
        parts.append(_relation(name))
        listed = outermost and k == len(node.links) - 1 and isinstance(right, Listed)
        if listed and not any(isinstance(n, Chain) for n in right.parts):
            parts.append(_content(right))
        else:
            parts.append(_at(right, _ITEM))
    return " ".join(parts)


def _relation(name: str) -> str:
    if name.startswith("not-"):
        return "\\not" + _relation(name[4:])
    return RELATION_SIGNS.get(name) or "\\" + name


def _at(node: Node, strength: int) -> str:
    """The text, in a group where it binds less than needed."""
    text, own = _level(node)
    return text if own >= strength else "{" + _content(node) + "}"


def _closed(node: Node, strength: int) -> str:
    """The same, also in a group where it would swallow what follows."""
    return "{" + _content(node) + "}" if _is_open(node) else _at(node, strength)


def _is_open(node: Node) -> bool:
    """Does the reader go on reading factors into the node's right end?"""
    if isinstance(node, Big):
        return True
    if isinstance(node, Operator):
        return node.name not in _WITH_ARGUMENTS and (node.bare or not node.arguments)
    if isinstance(node, Adjacent):
        return _is_open(node.items[-1])
    if isinstance(node, (Prefix, Infix)):
        return _is_open(node.parts[-1])
    return False


def _level(node: Node) -> tuple[str, int]:
    """Text and how tightly it binds."""
    match node:
        case Literal(text=text):
            return _percentage(text) if node.is_percent else text, _ATOM
        case Name():
            return _name(node), _ATOM
        case Mark(kind=kind):
            return MARK_SIGNS[kind], _ATOM if kind in _OPERANDS else _ITEM
        case Words(text=text):
            return rf"\text{{{_escape(text)}}}", _ITEM
        case Scripted():
            return _scripted(node), _ITEM if isinstance(node.base, Mark) and node.base.kind == "empty" else _FACTOR
        case Label(name=name, places=places, is_call=is_call):
            inside = ", ".join(map(_content, places))
            return f"{_name(name)}({inside})" if is_call else f"{_name(name)}_{{{inside}}}", _FACTOR
        case Adjacent(items=items):
            if any(isinstance(n, Words) for n in items):
                return _worded(items), _ITEM
            signs = [n for n in (items[0], items[-1]) if isinstance(n, Mark) and n.kind in _SIGNS_IN_ROWS]
            if signs:  # a_{i \cdot}
                return " ".join(_content(n) if n in signs else _closed(n, _FACTOR) for n in items), _ITEM
            *most, last = items
            # the body of a large operator that ends a row may be a whole product: it needs no group
            end = _at(last, _PRODUCT if isinstance(last, Big) else _FACTOR)
            return " ".join([*(_closed(n, _FACTOR) for n in most), end]), _ROW
        case Listed() | Chain():
            return _content(node), _LIST
        case Enclosed(kind=kind, content=content):
            opening, closing = ENCLOSED_SIGNS[kind]
            return f"{opening}{_content(content)}{closing}", _ATOM
        case Prefix(operator=operator, operand=operand):
            return f"{_sign(operator)}{_at(operand, _PRODUCT)}", _SUM
        case Infix():
            return _infix(node)
        case Fraction(above=above, below=below):
            return rf"\frac{{{_content(above)}}}{{{_content(below)}}}", _ATOM
        case Root(radicand=radicand, degree=None):
            return rf"\sqrt{{{_content(radicand)}}}", _ATOM
        case Root(radicand=radicand, degree=degree):
            simple = isinstance(degree, (Literal, Name))
            shown = _content(degree) if simple else f"{{{_content(degree)}}}"
            return rf"\sqrt[{shown}]{{{_content(radicand)}}}", _ATOM
        case Operator():
            return _operator(node)
        case Big(name=name, sub=sub, sup=sup, body=body):
            return f"{_command(name)}{_scripts(sub, sup)} {_at(body, _PRODUCT)}", _PRODUCT
        case Matrix(kind=kind, rows=rows):
            columns = "{" + "l" * max((len(r) for r in rows), default=1) + "}" if kind in ("array", "subarray") else ""
            lines = (" & ".join(row) for row in _cells(node))
            return rf"\begin{{{kind}}}{columns} {_rows(lines)} \end{{{kind}}}", _ATOM
        case Cases(rows=pairs):
            lines = (_content(v) + (f" & {_content(c)}" if c is not None else "") for v, c in pairs)
            return rf"\begin{{cases}} {_rows(lines)} \end{{cases}}", _ATOM
        case _:
            raise TypeError(f"needed a node of the surface tree, found {type(node).__name__}")


def _worded(items: tuple[Node, ...]) -> str:
    """Words and expressions by turns; the words carry the spaces."""
    parts = []
    for k, n in enumerate(items):
        if isinstance(n, Words):
            before, after = " " if k else "", " " if k < len(items) - 1 else ""
            parts.append(rf"\text{{{before}{_escape(n.text)}{after}}}")
        else:
            parts.append(_at(n, _SUM))
    return " ".join(parts)


def _rows(lines: Iterable[str]) -> str:
    return r" \\ ".join(lines)


def _sign(operator: str) -> str:
    return operator if operator in "+-" else f"\\{operator} "


def _infix(node: Infix) -> tuple[str, int]:
    left, right = node.left, node.right
    if node.operator in LOGIC_SIGNS:
        sides = [_chain(n) if isinstance(n, Chain) else _at(n, _ITEM) for n in (left, right)]
        return f"{sides[0]} {LOGIC_SIGNS[node.operator]} {sides[1]}", _LOGIC
    if node.operator == "slice":
        ends = ["" if isinstance(n, Mark) and n.kind == "colon" else _at(n, _SUM) for n in (left, right)]
        return f"{ends[0]} : {ends[1]}".strip(), _ITEM
    if node.operator in SUMS.values():
        sign = node.operator if node.operator in "+-" else "\\" + node.operator
        return f"{_at(left, _SUM)} {sign} {_at(right, _PRODUCT)}", _SUM
    sign = PRODUCT_SIGNS.get(node.operator) or "\\" + node.operator
    return f"{_closed(left, _PRODUCT)} {sign} {_at(right, _ROW)}", _PRODUCT


def _scripted(node: Scripted) -> str:
    base = node.base
    open_base = isinstance(base, (Scripted, Big)) or _is_open(base)
    text = "{" + _content(base) + "}" if open_base else _at(base, _ATOM)
    return text + _scripts(node.sub, node.sup)


def _scripts(sub: Node | None, sup: Node | None) -> str:
    below = "" if sub is None else f"_{{{_content(sub)}}}"
    return below + ("" if sup is None else f"^{{{_content(sup)}}}")


def _command(name: str) -> str:
    row = COMMANDS.get(name)
    if row is not None and row.kind in (Kind.OP, Kind.FUNCTION):
        return "\\" + name
    return r"\mathbb{E}" if name == "E" else rf"\mathrm{{{name}}}"


def _operator(node: Operator) -> tuple[str, int]:
    arguments = node.arguments
    if node.name in _WITH_ARGUMENTS:
        return _WITH_ARGUMENTS[node.name] + "".join(f"{{{_content(a)}}}" for a in arguments), _ATOM
    if node.name == "factorial":
        return _at(arguments[0], _ATOM) + "!", _FACTOR
    if node.name in ACCENTS:
        return rf"\{node.name}{{{_content(arguments[0])}}}", _ATOM
    head = _command(node.name) + _scripts(node.sub, node.sup)
    if not arguments:
        return head, _FACTOR
    if node.bare:
        text = _at(arguments[0], _PRODUCT if isinstance(arguments[0], Big) else _ROW)
        if not text.startswith(("{", "(", "[", r"\{")):
            return f"{head} {text}", _FACTOR
    inside = _content(arguments[0]) if len(arguments) == 1 else ", ".join(_at(a, _ITEM) for a in arguments)
    return rf"{head}\left({inside}\right)", _ATOM


def _name(node: Name) -> str:
    text = _letters(node)
    for accent in reversed(node.accents):
        text = rf"\{accent}{{{text}}}"
    return text + "'" * node.primes


def _letters(node: Name) -> str:
    row = COMMANDS.get(node.base)
    is_word = node.font in _TEXT_COMMANDS and len(node.base) > 1
    if len(node.base) > 1 and row is not None and (row.letter or row.kind is Kind.ORD) and node.font not in ("roman",):
        text = "\\" + node.base
    elif is_word and not (node.base.isascii() and node.base.isalnum() and node.base[0].isalpha()):
        return rf"\{_TEXT_COMMANDS[node.font]}{{{_escape(node.base)}}}"
    elif is_word and node.font == "bold" and len(node.base) == 2:  # \mathbf{QK} would be a product
        return rf"\{_TEXT_COMMANDS[node.font]}{{{_escape(node.base)}}}"
    else:
        text = "\\" + node.base if node.base in "%&#$_" else node.base
    return rf"\{FONT_COMMANDS[node.font]}{{{text}}}" if node.font else text


def _escape(text: str) -> str:
    """Text for a text command."""
    return "".join("\\" + c if c in "_&%#${}" else c for c in text)


OPERATOR_WORDS = frozenset(OPERATORS) | BIG_WORDS
"""Words that cannot be written as names: the reader takes them as operators."""
__all__ = ["OPERATOR_WORDS", "write_surface"]


def _percentage(text: str) -> str:
    r"""`39\%` for 0.39."""
    whole, _, decimals = text.partition(".")
    whole = (whole + decimals[:2]).lstrip("0") or "0"
    return whole + "." * bool(decimals[2:]) + decimals[2:] + r"\%"
