r"""LaTeX to MathML Core.

Why our own: the converters that exist lose bold letters or alignment in Chromium, where **Q** and Q then look equal.
Alphabets are written as Unicode mathematical letters (MathML Core has no other `mathvariant` than normal); columns are
aligned by the style sheet (`columnalign` is not in MathML Core); the space between symbols is set explicitly, by TeX's
own table, since operator dictionaries differ between browsers.

    write_mathml(r"\mathbf{Q}_i")

Sources: MathML Core (W3C); Unicode Technical Report 25; D. E. Knuth, The TeXbook (1986), chapter 18.
"""

from __future__ import annotations

import unicodedata
from functools import cache

from derivations.latex.symbols import Kind

from .escape import html
from .layout import (
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
from .layout_reader import read_layout

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
mrow.new { background: var(--new, #fdf0c2); border-radius: 2px; }
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
_EM = {"0": "0", "1": "0.1667em", "2": "0.2222em", "3": "0.2778em"}

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


def write_layout(row: Row, latex: str, *, display: bool = True, annotated: bool = True) -> str:
    """A layout of `latex` as one `<math>` element, with the source as alternative text and (`annotated`) to be copied."""
    body = write_row(row, display=display)
    if not annotated:
        return f'<math{_mode(display)} alttext="{html(latex.strip())}">{body}</math>'
    source = html(latex.strip())
    return (
        f'<math{_mode(display)} alttext="{source}"><semantics>{body}'
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


def _items(items: tuple[Node, ...], display: bool, script: bool, before: str = "") -> list[str]:
    """The elements of a row, with the space between neighbours."""
    written: list[str] = []
    previous = before
    for item, name in zip(items, _row_classes(items, before), strict=True):
        if isinstance(item, Style):
            inner = item.name == "display"
            level = f' displaystyle="{str(inner).lower()}"' + (
                ' scriptlevel="+1"' if item.name == "script-size" else ""
            )
            cells = "".join(_items(item.body.items, inner, script, previous))
            written.append(f"<mstyle{level}>{cells}</mstyle>")
            continue
        if isinstance(item, Marked):
            cells = "".join(_items(item.body.items, display, script, previous))
            written.append(f'<mrow class="new">{cells}</mrow>')
            previous = next((c for x in reversed(item.body.items) if (c := _class(x))), previous)
            continue
        if name and previous:
            width = _SPACING[previous][_CLASSES.index(name)]
            if width != "0" and (not script or (previous, name) in _IN_SCRIPTS):
                written.append(f'<mspace width="{_EM[width]}"/>')
        written.append(_one(item, display, script))
        previous = name or previous
    return written


def _one(node: Node, display: bool, script: bool) -> str:
    """One element for a node."""
    match node:
        case Row(items=items):
            written = _items(items, display, script)
            return written[0] if len(written) == 1 else f"<mrow>{''.join(written)}</mrow>"
        case Atom():
            return _atom(node, display)
        case Number(text=text, font=font):
            return f"<mn>{html(''.join(letter(c, font) for c in text))}</mn>"
        case Scripts():
            return _scripts(node, display, script)
        case Fraction():
            return _fraction(node, display, script)
        case Root(body=body, index=None):
            return f"<msqrt>{_one(body, False, script)}</msqrt>"
        case Root(body=body, index=index) if index is not None:
            return f"<mroot>{_one(body, False, script)}{_one(index, False, True)}</mroot>"
        case Fenced(left=left, items=items, right=right):
            inside = "".join(_items(items, display, script, "open"))
            return f"<mrow>{_fence(left, 'prefix')}{inside}{_fence(right, 'postfix')}</mrow>"
        case Delimiter(atom=atom, size=size):
            return _fence(atom, "infix", size)
        case Accent(mark=mark, body=body):
            stretchy = str(mark.stretchy).lower()
            text = mark.text if mark.stretchy else _NARROW.get(mark.text, mark.text)
            sign = f'<mo stretchy="{stretchy}" lspace="0" rspace="0">{html(text)}</mo>'
            if mark.under:
                return f'<munder accentunder="true">{_one(body, False, script)}{sign}</munder>'
            return f'<mover accent="true">{_one(body, False, script)}{sign}</mover>'
        case Stack(base=base, over=over, under=under):
            return _limits(_one(base, display, script), under, over)
        case Table():
            return _table(node)
        case Space(em=em):
            return f'<mspace width="{max(em, 0.0):.4g}em"/>'
        case Classed(body=body):
            return _one(body, display, script)
        case Phantom(body=body):
            return f"<mphantom>{_one(body, display, script)}</mphantom>"
        case Words(parts=parts, font=font):
            written = [_words(part, font) if isinstance(part, str) else _one(part, False, script) for part in parts]
            return written[0] if len(written) == 1 else f"<mrow>{''.join(written)}</mrow>"
        case Unknown(tex=tex):
            return f'<mtext class="unknown">{html(tex)}</mtext>'
        case Style(body=body):
            return _one(body, display, script)
        case Marked(body=body):
            return f'<mrow class="new">{_one(body, display, script)}</mrow>'
    raise TypeError(f"layout: needs a node that the MathML writer knows, found {type(node).__name__}")


def _atom(atom: Atom, display: bool) -> str:
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
    large = ""
    if atom.kind is Kind.OP:
        large = f' largeop="{str(display).lower()}" movablelimits="false"'
    if text in _PRIMES:
        return f"<mo>{text}</mo>"
    flat = "" if text in _NEVER_STRETCHED else ' stretchy="false"'
    return f'<mo{flat} lspace="0" rspace="0"{large}>{html(text)}</mo>'


def _fence(atom: Atom | None, form: str, size: float = 0.0) -> str:
    if atom is None:
        return ""
    sizes = f' minsize="{size:g}em" maxsize="{size:g}em"' if size else ""
    if not size and atom.text in _FENCES.get(form, ""):
        return f"<mo>{atom.text}</mo>"  # what every operator dictionary says of it at the end of a row
    return (
        f'<mo form="{form}" fence="true" stretchy="true" symmetric="true" lspace="0" rspace="0"{sizes}>'
        f"{html(atom.text)}</mo>"
    )


def _takes_limits(node: Node) -> bool:
    match node:
        case Atom(limits=limits) | Classed(limits=limits):
            return limits
        case Row(items=(single,)):
            return _takes_limits(single)
    return False


def _scripts(node: Scripts, display: bool, script: bool) -> str:
    base = _one(node.base, display, script)
    sup: Node | None = node.sup
    if node.primes:
        marks = {1: "′", 2: "″", 3: "‴", 4: "⁗"}.get(node.primes, "′" * node.primes)
        prime = Atom(marks, Kind.PUNCT, "'" * node.primes)
        sup = prime if sup is None else Row((prime, sup))
    braced = isinstance(node.base, Accent) and node.base.mark.name in {"underbrace", "overbrace"}
    if node.limits or braced or (node.limits is None and display and _takes_limits(node.base)):
        return _limits(base, node.sub, sup)
    if node.sub is None and sup is not None:
        return f"<msup>{base}{_one(sup, False, True)}</msup>"
    if sup is None and node.sub is not None:
        return f"<msub>{base}{_one(node.sub, False, True)}</msub>"
    if sup is None or node.sub is None:
        return base
    return f"<msubsup>{base}{_one(node.sub, False, True)}{_one(sup, False, True)}</msubsup>"


def _limits(base: str, under: Node | None, over: Node | None) -> str:
    below = "" if under is None else _one(under, False, True)
    above = "" if over is None else _one(over, False, True)
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
