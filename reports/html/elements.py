"""Elements of a page: everything of a document goes through `escape`, and `el` does it for what is not markup already."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import isfinite

from .. import escape
from ..layout.reader import read_layout
from .mathml import write_layout

_INLINE = re.compile(r"(`[^`\n]+`|(?<![\\$])\$(?=[^\s$])[^$\n]*[^\s$\\]\$(?!\d)|(?<![\\$])\$[^\s$\\]\$(?!\d))")
MAX_PRINTED = 46.0
"""Widest formula in em that fits on a printed page as it is."""
_VOID = frozenset({"meta", "br", "wbr"})
_ENDED = frozenset({"td", "th", "tr", "thead", "tbody", "li", "dt", "dd"})
"""Elements that end where the next one begins or their parent ends: their end tags say nothing (HTML, section 13.1.2.4)."""


class Markup(str):
    """Text that is markup already. Everything else is escaped where it enters the page."""

    __slots__ = ()


def el(name: str, /, *children: str | None, **attributes: str | bool | None) -> Markup:
    """An element. Children and attribute values are escaped unless they are `Markup`; None is left out.

    >>> el("p", "a < b", class_="x")
    '<p class="x">a &lt; b</p>'
    """
    written = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        attribute = key.rstrip("_").replace("_", "-")
        written.append(attribute if value is True else f'{attribute}="{escape.html(str(value))}"')
    opening = f"<{' '.join(written)}>"
    if name in _VOID:
        return Markup(opening)
    return Markup(opening + join(children) + ("" if name in _ENDED else f"</{name}>"))


def join(parts: Iterable[str | None]) -> Markup:
    """Pieces of a page one after the other; what is not `Markup` is escaped."""
    return Markup(
        "".join(part if isinstance(part, Markup) else escape.html(part) for part in parts if part is not None)
    )


def sign(mark: str) -> Markup:
    return el("i", mark, aria_hidden="true")


def prose(text: str) -> Markup:
    """A sentence: `code` between backquotes and formulas between dollar signs are set as such."""
    pieces = _INLINE.split(text)
    return join(_inline(piece) if number % 2 else piece for number, piece in enumerate(pieces))


def _inline(piece: str) -> Markup:
    return el("code", piece[1:-1]) if piece[0] == "`" else inline(piece[1:-1])


def inline(latex: str) -> Markup:
    """A formula in a line, whose LaTeX is its alternative text alone."""
    return Markup(write_layout(read_layout(latex).root, latex, display=False, annotated=False))


def math(latex: str, *, annotated: bool = True) -> Markup:
    """A formula on a line of its own, which scrolls where it is too wide."""
    layout = read_layout(latex)
    written = write_layout(layout.root, latex, annotated=annotated)
    return el("div", Markup(written), class_="math tiny" if layout.width > MAX_PRINTED else "math")


def scientific(value: float | None) -> str:
    """A number with two digits for a table; a dash where there is none.

    >>> scientific(1.23e-7), scientific(0), scientific(None)
    ('1.2 × 10⁻⁷', '0', '–')
    """
    if value is None:
        return "–"
    if value == 0:
        return "0"
    if not isfinite(value):
        return "∞" if value > 0 else "−∞" if value < 0 else "NaN"
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"
