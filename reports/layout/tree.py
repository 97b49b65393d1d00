"""A formula as it is laid out: the tree that the MathML writer and the LaTeX writer print from.

This is about how a formula looks and says nothing about what it means, which is the matter of `derivations.latex`.
`reader` makes the tree from any LaTeX.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from derivations.latex.syntax.symbols import Kind, Symbol


class Node:
    """A piece of a formula."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Atom(Node):
    """One symbol or one name. `tex` writes it back; `font` is an alphabet of the FONT rows, or empty."""

    text: str
    kind: Kind
    tex: str
    font: str = ""
    letter: bool = False
    limits: bool = False


@dataclass(frozen=True, slots=True)
class Number(Node):
    """Digits, with or without a decimal point."""

    text: str
    font: str = ""


@dataclass(frozen=True, slots=True)
class Words(Node):
    """Text inside a formula: plain strings, and formulas between dollar signs."""

    parts: tuple[str | Row, ...]
    font: str = ""


@dataclass(frozen=True, slots=True)
class Row(Node):
    """Things side by side; as an element of another row, one group."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Scripts(Node):
    """A base with a subscript, a superscript and a number of primes; `limits` is None where the base decides."""

    base: Node
    sub: Node | None
    sup: Node | None
    primes: int = 0
    limits: bool | None = None


@dataclass(frozen=True, slots=True)
class Fraction(Node):
    """One thing over another. `style` is display, text or empty; a binomial has no line."""

    top: Node
    bottom: Node
    style: str = ""
    line: bool = True


@dataclass(frozen=True, slots=True)
class Root(Node):
    """A root, square where there is no index."""

    body: Node
    index: Node | None = None


@dataclass(frozen=True, slots=True)
class Fenced(Node):
    """`left`, the items, `right`, as high as the items; an empty delimiter is not drawn."""

    left: Atom | None
    items: tuple[Node, ...]
    right: Atom | None


@dataclass(frozen=True, slots=True)
class Delimiter(Node):
    """A delimiter with a size of its own in em (`\\big`), or, with size 0, as high as the fence it stands in."""

    atom: Atom | None
    size: float
    tex: str


@dataclass(frozen=True, slots=True)
class Accent(Node):
    """A mark over or under a body."""

    mark: Symbol
    body: Node


@dataclass(frozen=True, slots=True)
class Stack(Node):
    """Something over and under a base."""

    base: Node
    over: Node | None
    under: Node | None


@dataclass(frozen=True, slots=True)
class Table(Node):
    """Rows of cells. `columns` holds one of l, c, r per column where the author gives it."""

    env: str
    rows: tuple[tuple[Row, ...], ...]
    columns: str = ""


@dataclass(frozen=True, slots=True)
class Space(Node):
    """Horizontal space in em."""

    em: float


@dataclass(frozen=True, slots=True)
class Style(Node):
    """The rest of a group in another style: display, text or script-size."""

    name: str
    body: Row


@dataclass(frozen=True, slots=True)
class Classed(Node):
    """A body that behaves as one symbol of the given class (`\\mathop`, `\\mathrel`, `\\operatorname`)."""

    body: Node
    kind: Kind
    limits: bool = False


@dataclass(frozen=True, slots=True)
class Phantom(Node):
    """The space that a body would take."""

    body: Node


@dataclass(frozen=True, slots=True)
class Marked(Node):
    """Symbols that a reader should see first: what is new in a line."""

    body: Row


@dataclass(frozen=True, slots=True)
class Unknown(Node):
    """What the table does not know, as typed."""

    tex: str


@dataclass(frozen=True)
class Layout:
    """A formula laid out, and what could not be: empty `problems` mean that all of it was understood."""

    root: Row
    problems: tuple[str, ...]

    @cached_property
    def width(self) -> float:
        """About how wide it is drawn, in em."""
        return width(self.root)


ALIGNED = frozenset({"align", "aligned", "alignat", "alignedat", "split", "eqnarray", "flalign", "xalignat", "lines"})
"""Environments whose columns are right and left aligned by turns."""
CENTRED = frozenset({"gather", "gathered", "multline", "multlined", "substack", "subarray"})
"""Environments of lines without columns."""
MATRICES = {
    "matrix": ("", ""),
    "smallmatrix": ("", ""),
    "pmatrix": ("(", ")"),
    "bmatrix": ("[", "]"),
    "Bmatrix": ("{", "}"),
    "vmatrix": ("|", "|"),
    "Vmatrix": ("‖", "‖"),
}
"""Matrix environments and their delimiters."""
CASES = {"cases": ("{", ""), "dcases": ("{", ""), "rcases": ("", "}"), "drcases": ("", "}")}
"""Environments of alternatives and their delimiters."""


def width(node: Node, inline: bool = False) -> float:
    """About how wide a formula is drawn, in em: enough to choose a place for it; `inline` where limits stand beside.

    >>> width(Row((Atom("x", Kind.ORD, "x"), Number("12"))))
    1.5
    """
    match node:
        case Atom(text=text, kind=kind):
            space = 0.56 if kind is Kind.REL else 0.74 if kind is Kind.BIN else 0.6 if kind is Kind.OP else 0.0
            return sum(0.7 if letter.isupper() else 0.5 for letter in text) + space
        case Row(items=items):
            return sum([width(item, inline) for item in items])
        case Fenced(items=items):
            return sum([width(item, inline) for item in items]) + 0.8
        case Number(text=text) | Unknown(tex=text):
            return 0.5 * len(text)
        case Words(parts=parts):
            return sum(0.5 * len(part) if isinstance(part, str) else width(part, True) for part in parts)
        case Scripts(base=base, sub=sub, sup=sup, primes=primes):
            beside = max((width(x, True) for x in (sub, sup) if x is not None), default=0.0)
            if not inline and isinstance(base, Atom) and base.limits:
                return max(width(base, inline), 0.7 * beside + 0.2)
            return width(base, inline) + 0.7 * beside + 0.25 * primes
        case Fraction(top=top, bottom=bottom):
            return max(width(top, True), width(bottom, True)) + 0.3
        case Root(body=body):
            return width(body, inline) + 0.9
        case Stack(base=base, over=over, under=under):
            return max([width(base, inline), *(0.7 * width(x, True) for x in (over, under) if x is not None)])
        case Table(env=env, rows=rows):
            columns = max(map(len, rows), default=0)
            widest = [max((width(row[k], inline) for row in rows if k < len(row)), default=0.0) for k in range(columns)]
            return sum(widest) + (2.0 * ((columns - 1) // 2) if env in ALIGNED else 1.0 * columns)
        case Space(em=em):
            return em
        case Accent(body=body) | Style(body=body) | Classed(body=body) | Phantom(body=body) | Marked(body=body):
            return width(body, inline)
    return 0.5
