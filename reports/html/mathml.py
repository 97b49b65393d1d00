r"""LaTeX to MathML Core.

Why our own: the converters that exist lose bold letters or alignment in Chromium, where **Q** and Q then look equal.
Alphabets are written as Unicode mathematical letters (MathML Core has no other `mathvariant` than normal); columns are
aligned by the style sheet (`columnalign` is not in MathML Core); the space between symbols is TeX's own, written down
where the operator dictionaries of browsers say otherwise.

    write_mathml(r"\mathbf{Q}_i")

Sources: MathML Core (W3C); Unicode Technical Report 25; D. E. Knuth, The TeXbook (1986), chapter 18.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from derivations.latex.syntax.symbols import Kind

from ..escape import html
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
    Marked,
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

STYLE = """
math { font-family: "STIX Two Math", "Latin Modern Math", "Cambria Math", "XITS Math", "Libertinus Math", math; }
mtable.aligned > mtr > mtd, mtable.lines > mtr > mtd { padding: 0.3ex 0; }
mtable.aligned > mtr > mtd:nth-child(odd) { text-align: right; text-align: -webkit-right; }
mtable.aligned > mtr > mtd:nth-child(even) { text-align: left; text-align: -webkit-left; }
mtable.aligned > mtr > mtd:nth-child(odd):not(:first-child) { padding-left: 2em; }
mtable.lines > mtr > mtd { text-align: left; text-align: -webkit-left; }
mtable.matrix > mtr > mtd { padding: 0.35ex 0.45em; }
mtable.matrix > mtr > mtd:first-child { padding-left: 0.1em; }
mtable.matrix > mtr > mtd:last-child { padding-right: 0.1em; }
mtable.cases > mtr > mtd { padding: 0.35ex 0 0.35ex 0.2em; text-align: left; text-align: -webkit-left; }
mtable.cases > mtr > mtd + mtd { padding-left: 1em; }
mtable.substack > mtr > mtd { padding: 0; }
mtd.l { text-align: left; text-align: -webkit-left; }
mtd.r { text-align: right; text-align: -webkit-right; }
mtd.c { text-align: center; text-align: -webkit-center; }
.new { background: var(--new, #fdf0c2); border-radius: 2px; }
mtext.unknown { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.85em; }
""".strip()
"""The style sheet that the markup needs.

The prefixed alignment is for Chromium: a cell is a block to it, which `text-align: right` leaves where it is.
"""

_CLASSES = ("ord", "op", "bin", "rel", "open", "close", "punct", "inner")
_SPACING = dict(
    zip(
        _CLASSES,
        # Each row is what stands left, each column what stands right: 0 none, 1 thin, 2 medium, 3 thick.
        ("01230001", "11030001", "22002002", "33003003", "00000000", "01230001", "11011111", "11231011"),
        strict=True,
    )
)
"""TeX's table of spaces between neighbours (The TeXbook, page 170)."""
_PRIMES = frozenset("′″‴⁗")
"""They have no space of their own."""
_FENCES = {"prefix": "([{", "postfix": ")]}"}
_NEVER_STRETCHED = frozenset("=,;:.+−-·×⋅∗<>≤≥≠≡≈∼∈∉∑∏∘⊙⊤!")
"""Operators that no dictionary of a browser stretches: what it would do need not be switched off."""
_IN_SCRIPTS = frozenset({("ord", "op"), ("op", "ord"), ("op", "op"), ("close", "op"), ("inner", "op")})
"""The neighbours that keep their space in a subscript or superscript."""
_EM = ("0", "0.1667em", "0.2222em", "0.2778em")
_RELATIONS = frozenset("=<>≤≥≠≡≈∼∈∉")
_SIGNS = frozenset("+−")
_SEPARATORS = frozenset(",;")
_SUMS = frozenset("∑∏")
_BRACKETS = frozenset("()[]{}⟨⟩⌈⌉⌊⌋")
"""Operators whose space is the same in every dictionary (MathML Core, appendix B), and what it is: see `_natural`."""

_KIND_CLASS = {
    Kind.OP: "op",
    Kind.FUNCTION: "op",
    Kind.BIN: "bin",
    Kind.REL: "rel",
    Kind.OPEN: "open",
    Kind.CLOSE: "close",
    Kind.PUNCT: "punct",
}

_ALPHABETS: dict[str, tuple[str, ...]] = {
    "bold": ("MATHEMATICAL BOLD",),
    "italic": ("MATHEMATICAL ITALIC",),
    "bold-italic": ("MATHEMATICAL BOLD ITALIC", "MATHEMATICAL BOLD"),
    "double-struck": ("MATHEMATICAL DOUBLE-STRUCK", "DOUBLE-STRUCK"),
    "script": ("MATHEMATICAL SCRIPT", "SCRIPT"),
    "fraktur": ("MATHEMATICAL FRAKTUR", "BLACK-LETTER"),
    "sans-serif": ("MATHEMATICAL SANS-SERIF",),
    "monospace": ("MATHEMATICAL MONOSPACE",),
}
"""For each alphabet the beginnings of the Unicode names of its letters, best first."""
_NARROW = {"^": "ˆ", "~": "˜"}
"""Marks whose ASCII character is drawn too wide over one letter."""
_SYMBOL_NAMES = {"ϵ": "EPSILON SYMBOL", "ϑ": "THETA SYMBOL", "ϕ": "PHI SYMBOL", "ϱ": "RHO SYMBOL", "ϖ": "PI SYMBOL"}


def write_mathml(latex: str, *, display: bool = True) -> str:
    r"""Write LaTeX as one `<math>` element, with the source as annotation and as alternative text.

    Never fails: what is not understood is shown as it was typed.

    >>> write_mathml("x", display=False)
    '<math alttext="x"><semantics><mi>x</mi><annotation encoding="application/x-tex">x</annotation></semantics></math>'
    """
    return write_layout(read_layout(latex).root, latex, display=display)


def write_layout(row: Row, latex: str, *, display: bool | None = True, annotated: bool = True) -> str:
    """A layout of `latex` as one `<math>` element, with the source as alternative text and (`annotated`) to be copied.

    Where `display` is None it is in display style, and the style sheet says so.
    """
    source = html(latex.strip())
    opening = f'<math{_mode(bool(display))} alttext="{source}">'
    if not annotated:
        return f"{opening}{_inside(row, display is not False, False)}</math>"
    return (
        f"{opening}<semantics>{write_row(row, display=display is not False)}"
        f'<annotation encoding="application/x-tex">{source}</annotation></semantics></math>'
    )


def _mode(display: bool) -> str:
    return ' display="block"' if display else ""


def write_row(row: Row, *, display: bool) -> str:
    """Write the presentation markup of a layout, as one element."""
    return _one(row, display, False)


@cache
def letter(character: str, font: str) -> str:
    """A letter or digit in an alphabet; the character itself where Unicode has none.

    >>> letter("Q", "bold"), letter("R", "double-struck"), letter("1", "double-struck")
    ('𝐐', 'ℝ', '𝟙')
    """
    name = unicodedata.name(character, "")
    if character in _SYMBOL_NAMES:
        rest = _SYMBOL_NAMES[character]
    elif name.startswith(("LATIN CAPITAL LETTER ", "GREEK CAPITAL LETTER ")):
        rest = "CAPITAL " + name.partition(" LETTER ")[2].replace("LAMDA", "LAMDA")
    elif name.startswith(("LATIN SMALL LETTER ", "GREEK SMALL LETTER ")):
        rest = "SMALL " + name.partition(" LETTER ")[2]
    elif name.startswith("DIGIT ") or character in "∇∂":
        rest = name
    else:
        return character
    for beginning in _ALPHABETS.get(font, ()):
        try:
            return unicodedata.lookup(f"{beginning} {rest}")
        except KeyError:
            continue
    return character


def _class(node: Node) -> str:
    """The class that decides the space around a node; empty for what has no say in it."""
    match node:
        case Atom(kind=kind) | Classed(kind=kind):
            return _KIND_CLASS.get(kind, "ord")
        case Scripts(base=base) | Stack(base=base):
            return _class(base)
        case Fraction() | Fenced():
            return "inner"
        case Delimiter(size=size, tex=tex) if size:
            return {"l": "open", "r": "close", "m": "rel"}.get(tex[-1] if tex not in {"big", "bigg"} else "", "ord")
        case Delimiter():
            return "rel"
        case Space() | Style() | Marked():
            return ""
        case _:
            return "ord"


def _row_classes(items: tuple[Node, ...], before: str) -> list[str]:
    """The classes of a row, with binary operations made ordinary where they have no left or right operand."""
    classes = [_class(item) for item in items]
    previous = before
    last: int | None = None
    for position, name in enumerate(classes):
        if not name:
            continue
        if name == "bin" and previous in {"", "bin", "op", "rel", "open", "punct"}:
            name = classes[position] = "ord"
        if name in {"rel", "close", "punct"} and previous == "bin" and last is not None:
            classes[last] = "ord"
        previous, last = name, position
    if previous == "bin" and last is not None:
        classes[last] = "ord"
    return classes


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A node of a row, also of one that stands inside `Style` or `Marked`; `first` of several in its element."""

    node: Node
    first: bool


@dataclass(slots=True)
class _Edges:
    """What is written around a leaf: a space before it, or attributes of its operator."""

    before: str = ""
    left: int | None = None
    right: int | None = None

    @property
    def attributes(self) -> str:
        left = "" if self.left is None else f' lspace="{_EM[self.left]}"'
        right = "" if self.right is None else f' rspace="{_EM[self.right]}"'
        return left + right


def _leaves(items: tuple[Node, ...], first: bool = True) -> Iterator[_Leaf]:
    """The leaves of a row; `first` where the row stands first in its element."""
    for position, item in enumerate(items):
        leading = first and position == 0 and len(items) > 1
        if isinstance(item, Style | Marked):
            inside = item.body.items
            for leaf in _leaves(inside):
                yield _Leaf(leaf.node, leaf.first or (leading and len(inside) == 1))
        else:
            yield _Leaf(item, leading)


def _core(node: Node) -> Atom | None:
    """The operator that MathML gives the space around a node to, if there is one."""
    match node:
        case Atom(kind=kind, text=text):
            return None if kind is Kind.FUNCTION or (kind is Kind.ORD and text != "/") else node
        case Scripts(base=base, primes=0) | Stack(base=base) | Classed(body=base) | Row(items=(base,)):
            return _core(base)
    return None


def _natural(text: str, first: bool) -> tuple[int, int] | None:
    """The space that dictionaries give an operator, in the units of `_SPACING`; None where they differ."""
    if text in _RELATIONS:
        return 3, 3
    if text in _SIGNS:
        return (0, 0) if first else (2, 2)
    if text in _SEPARATORS:
        return 0, 1
    if text in _SUMS:
        return 1, 1
    return (0, 0) if text in _BRACKETS else None


def _edges(leaves: list[_Leaf], script: bool, before: str) -> list[_Edges]:
    """For each leaf what makes the space between neighbours the one of TeX, as little as is needed."""
    found = [_Edges() for _ in leaves]
    own: list[tuple[int, int]] = []
    operators = [_core(leaf.node) for leaf in leaves]
    for leaf, operator, edge in zip(leaves, operators, found, strict=True):
        natural = (0, 0) if operator is None else _natural(operator.text, leaf.first)
        if natural is None:
            edge.left = edge.right = 0
        own.append(natural or (0, 0))
    classes = _row_classes(tuple(leaf.node for leaf in leaves), before)
    previous, last = before, -1
    for k, name in enumerate(classes):
        if not name:
            continue
        node = leaves[k].node
        wanted = _gap(previous, "open" if _is_fenced(node) else name, script)
        previous = "close" if _is_fenced(node) else name
        left, after_operator = (own[last][1], operators[last] is not None) if last >= 0 else (0, False)
        right = own[k][0]
        if left + right == wanted:
            pass
        elif operators[k] is not None and (left == wanted or not after_operator):
            found[k].left = 0 if left == wanted else wanted
        elif after_operator and right == wanted:
            found[last].right = 0
        elif after_operator:
            found[last].right = wanted
            found[k].left = 0 if right else found[k].left
        else:
            found[k].before = f'<mspace width="{_EM[wanted]}"/>'
        last = k
    if last >= 0 and own[last][1]:
        found[last].right = 0
    return found


def _is_fenced(node: Node) -> bool:
    r"""Brackets that grow stand as close to their neighbours as others do: no space in `\exp\left(x\right)`."""
    if isinstance(node, Scripts | Stack):
        return _is_fenced(node.base)
    return isinstance(node, Fenced) and node.left is not None and node.right is not None


def _gap(left: str, right: str, script: bool) -> int:
    """The space between two classes, in the units of `_SPACING`."""
    if not left or not right or (script and (left, right) not in _IN_SCRIPTS):
        return 0
    return int(_SPACING[left][_CLASSES.index(right)])


def _items(items: tuple[Node, ...], display: bool, script: bool, before: str = "") -> list[str]:
    """The elements of a row, with the space between neighbours."""
    leaves = list(_leaves(items, first=before != "open"))
    return _written(items, display, script, iter(_edges(leaves, script, before)))


def _written(items: tuple[Node, ...], display: bool, script: bool, edges: Iterator[_Edges]) -> list[str]:
    """The elements of a row or of a part of it; `edges` goes on to the next leaf."""
    written: list[str] = []
    for item in items:
        if isinstance(item, Style):
            inner = item.name == "display"
            level = f' displaystyle="{str(inner).lower()}"' + (
                ' scriptlevel="+1"' if item.name == "script-size" else ""
            )
            written.append(f"<mstyle{level}>{''.join(_written(item.body.items, inner, script, edges))}</mstyle>")
        elif isinstance(item, Marked):
            written.append(_marked(_written(item.body.items, display, script, edges)))
        else:
            edge = next(edges)
            written.append(edge.before + _one(item, display, script, edge))
    return written


def _marked(cells: list[str]) -> str:
    """Elements that are new in a line: a single one has the mark itself."""
    if len(cells) == 1 and not cells[0].startswith("<mspace"):
        name = re.match("<[a-z]+", cells[0])
        if name is not None and "class=" not in cells[0].partition(">")[0]:
            return f'{name[0]} class="new"{cells[0][name.end() :]}'
    return f'<mrow class="new">{"".join(cells)}</mrow>'


def _one(node: Node, display: bool, script: bool, edge: _Edges | None = None) -> str:
    """One element for a node; `edge` is about the operator that it has at its core."""
    match node:
        case Row(items=(single,)) if not isinstance(single, Style | Marked):
            return _one(single, display, script, edge)
        case Row(items=(Atom(text="("), *_, Atom(text=")")) as items) if script and _is_label(items):
            return f"<mrow><mtext>(</mtext>{''.join(_items(items[1:-1], display, script))}<mtext>)</mtext></mrow>"
        case Row(items=items):
            written = _items(items, display, script)
            return written[0] if len(written) == 1 else f"<mrow>{''.join(written)}</mrow>"
        case Atom():
            return _atom(node, edge)
        case Number(text=text, font=font):
            return f"<mn>{html(''.join(letter(c, font) for c in text))}</mn>"
        case Scripts():
            return _scripts(node, display, script, edge)
        case Fraction():
            return _fraction(node, display, script)
        case Root(body=body, index=None):
            return f"<msqrt>{_inside(body, display, script)}</msqrt>"
        case Root(body=body, index=index) if index is not None:
            return f"<mroot>{_one(body, display, script)}{_one(index, False, True)}</mroot>"
        case Fenced(left=left, items=items, right=right):
            inside = "".join(_items(items, display, script, "open"))
            flat = all(_is_low(leaf.node) for leaf in _leaves(items))
            return f"<mrow>{_fence(left, 'prefix', flat=flat)}{inside}{_fence(right, 'postfix', flat=flat)}</mrow>"
        case Delimiter(atom=atom, size=size):
            return _fence(atom, "infix", size)
        case Accent(mark=mark, body=body):
            stretchy = str(mark.stretchy).lower()
            text = mark.text if mark.stretchy else _NARROW.get(mark.text, mark.text)
            sign = f'<mo stretchy="{stretchy}" lspace="0" rspace="0">{html(text)}</mo>'
            if mark.under:
                return f'<munder accentunder="true">{_one(body, display, script)}{sign}</munder>'
            return f'<mover accent="true">{_one(body, display, script)}{sign}</mover>'
        case Stack(base=base, over=over, under=under):
            return _limits(_one(base, display, script, edge), under, over, fixed=not display)
        case Table():
            return _table(node)
        case Space(em=em):
            return f'<mspace width="{max(em, 0.0):.4g}em"/>'
        case Classed(body=body):
            return _one(body, display, script, edge)
        case Phantom(body=body):
            return f"<mphantom>{_one(body, display, script)}</mphantom>"
        case Words(parts=parts, font=font):
            written = [_words(part, font) if isinstance(part, str) else _in_line(part, display) for part in parts]
            return written[0] if len(written) == 1 else f"<mrow>{''.join(written)}</mrow>"
        case Unknown(tex=tex):
            return f'<mtext class="unknown">{html(tex)}</mtext>'
        case Style(body=body):
            return _one(body, display, script)
        case Marked(body=body):
            return _marked([_one(body, display, script)])
    raise TypeError(f"layout: needs a node that the MathML writer knows, found {type(node).__name__}")


def _inside(node: Node, display: bool, script: bool) -> str:
    """The content of an element that is a row by itself."""
    return "".join(_items(node.items, display, script)) if isinstance(node, Row) else _one(node, display, script)


def _in_line(row: Row, display: bool) -> str:
    """A formula between words, which is never in display style."""
    written = _one(row, False, False)
    return f'<mstyle displaystyle="false">{written}</mstyle>' if display and "<" in written[1:-5] else written


def _atom(atom: Atom, edge: _Edges | None) -> str:
    text = atom.text
    if atom.kind is Kind.FUNCTION:
        return f"<mi>{html(text)}</mi>"
    if atom.kind is Kind.ORD and text != "/":
        styled = "".join(letter(character, atom.font) for character in text)
        upright = atom.font == "upright" or (not atom.font and (not atom.letter or "Α" <= text <= "Ω"))
        variant = ' mathvariant="normal"' if len(styled) == 1 and (upright or (styled == text and atom.font)) else ""
        if text == "∂":
            variant = ""
        return f"<mi{variant}>{html(styled)}</mi>"
    if text in _PRIMES:
        return f"<mo>{text}</mo>"
    if edge is None:  # alone in its element
        natural = _natural(text, False)
        edge = _Edges() if natural == (0, 0) else _Edges(left=0, right=0)
    flat = "" if text in _NEVER_STRETCHED else ' stretchy="false"'
    return f"<mo{flat}{edge.attributes}>{html(text)}</mo>"


def _fence(atom: Atom | None, form: str, size: float = 0.0, *, flat: bool = False) -> str:
    """A delimiter as high as its row; `flat` where nothing in it is high: what may grow takes more room in Chromium."""
    if atom is None:
        return ""
    sizes = f' minsize="{size:g}em" maxsize="{size:g}em"' if size else ""
    if not size and atom.text in _FENCES.get(form, ""):
        # In these places every operator dictionary says the rest.
        return f'<mo stretchy="false">{atom.text}</mo>' if flat else f"<mo>{atom.text}</mo>"
    return (
        f'<mo form="{form}" fence="true" stretchy="true" symmetric="true" lspace="0" rspace="0"{sizes}>'
        f"{html(atom.text)}</mo>"
    )


def _is_label(items: tuple[Node, ...]) -> bool:
    """Whether brackets around all of a script hold no other brackets: those of a label such as (i) do nothing."""
    return all(isinstance(x, Number | Scripts) or (isinstance(x, Atom) and _core(x) is None) for x in items[1:-1])


def _is_low(node: Node) -> bool:
    """Whether a node is not higher than a bracket."""
    if isinstance(node, Scripts):
        return node.sup is None and not node.primes and _is_low(node.base) and isinstance(node.sub, Number | Atom)
    return isinstance(node, Number | Space) or (isinstance(node, Atom) and node.kind is not Kind.OP)


def _takes_limits(node: Node) -> bool:
    match node:
        case Atom(limits=limits) | Classed(limits=limits):
            return limits
        case Row(items=(single,)):
            return _takes_limits(single)
    return False


@lru_cache(maxsize=4096)
def _script(node: Node) -> str:
    """What stands raised or lowered: mostly a few letters, again and again."""
    return _one(node, False, True)


def _scripts(node: Scripts, display: bool, script: bool, edge: _Edges | None) -> str:
    base = _one(node.base, display, script, edge)
    sup: Node | None = node.sup
    if node.primes:
        # The sign is raised in the fonts; as a superscript it would be hard to see, in Chromium, where sums run over k'.
        marks = {1: "′", 2: "″", 3: "‴", 4: "⁗"}.get(node.primes, "′" * node.primes)
        base = f"<mrow>{base}<mo>{marks}</mo></mrow>"
    braced = isinstance(node.base, Accent) and node.base.mark.name in {"underbrace", "overbrace"}
    if node.limits or braced or (node.limits is None and display and _takes_limits(node.base)):
        return _limits(base, node.sub, sup, fixed=not display)
    if node.sub is None and sup is not None:
        return f"<msup>{base}{_script(sup)}</msup>"
    if sup is None and node.sub is not None:
        return f"<msub>{base}{_script(node.sub)}</msub>"
    if sup is None or node.sub is None:
        return base
    return f"<msubsup>{base}{_script(node.sub)}{_script(sup)}</msubsup>"


def _limits(base: str, under: Node | None, over: Node | None, *, fixed: bool) -> str:
    """Something under and over a base; `fixed` where a browser would set limits beside a large operator."""
    if fixed and base.startswith("<mo"):
        base = base.replace(">", ' movablelimits="false">', 1)
    below = "" if under is None else _script(under)
    above = "" if over is None else _script(over)
    if below and above:
        return f"<munderover>{base}{below}{above}</munderover>"
    if below or above:
        name = "munder" if below else "mover"
        return f"<{name}>{base}{below or above}</{name}>"
    return base


def _fraction(node: Fraction, display: bool, script: bool) -> str:
    inner_script = script or (not display and node.style != "display") or node.style == "text"
    line = "" if node.line else ' linethickness="0"'
    written = f"<mfrac{line}>{_one(node.top, False, inner_script)}{_one(node.bottom, False, inner_script)}</mfrac>"
    if node.style:
        written = f'<mstyle displaystyle="{str(node.style == "display").lower()}">{written}</mstyle>'
    if node.line:
        return written
    left, right = Atom("(", Kind.OPEN, "("), Atom(")", Kind.CLOSE, ")")
    return f"<mrow>{_fence(left, 'prefix')}{written}{_fence(right, 'postfix')}</mrow>"


def _table(node: Table) -> str:
    env = node.env
    delimiters = MATRICES.get(env) or CASES.get(env)
    aligned = (env in ALIGNED and env != "eqnarray") and not (
        env == "lines" and all(len(cells) == 1 for cells in node.rows)
    )
    columns = "rcl" if env == "eqnarray" else node.columns
    if aligned:
        name = "aligned"
    elif env in MATRICES or env == "array" or env == "eqnarray":
        name = "matrix"
    elif env in CASES:
        name = "cases"
    elif env in CENTRED:
        name = "substack" if env in {"substack", "subarray"} else "centred"
    else:
        name = "lines"
    display = name in {"aligned", "lines", "centred"} or env in {"dcases", "drcases", "eqnarray"}
    rows = []
    for cells in node.rows:
        written = []
        for position, cell in enumerate(cells):
            # An aligned relation stands at the start of its cell, yet has a left side: the cell before it.
            before = "ord" if aligned and position % 2 and cell.items else ""
            column = f' class="{columns[position]}"' if position < len(columns) else ""
            inside = "".join(_items(cell.items, display, env in {"substack", "subarray", "smallmatrix"}, before))
            written.append(f"<mtd{column}>{inside}</mtd>")
        rows.append(f"<mtr>{''.join(written)}</mtr>")
    style = ' displaystyle="true"' if display else ""
    table = f'<mtable class="{name}"{style}>{"".join(rows)}</mtable>'
    if not delimiters:
        return table
    left = Atom(delimiters[0], Kind.OPEN, "") if delimiters[0] else None
    right = Atom(delimiters[1], Kind.CLOSE, "") if delimiters[1] else None
    return f"<mrow>{_fence(left, 'prefix')}{table}{_fence(right, 'postfix')}</mrow>"


def _words(text: str, font: str) -> str:
    # White space at the ends of an element would be dropped.
    inside = text.strip(" \n\t")
    if not inside:
        return "<mtext>\u00a0</mtext>"
    start = "\u00a0" if text[0] in " \n\t" else ""
    end = "\u00a0" if text[-1] in " \n\t" else ""
    return f"<mtext>{start}{html(''.join(letter(c, font) if font else c for c in inside))}{end}</mtext>"
