"""Turning the text of a document into text of HTML or LaTeX that can do nothing.

Document text is untrusted. Every writer sends every string through one of these functions, and only through them.
"""

from __future__ import annotations

import re

from derivations.latex.syntax.symbols import UNICODE, Kind

_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls, which XML does not allow
    "\u202a-\u202e\u2066-\u2069"  # what makes text read in another order than it is written
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"  # lone surrogates and non-characters
)

_MARKUP = re.compile('[&<>"]')
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}

_TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "-": "{-}",
    ",": "{,}",
}
_TEX_PROSE = {**_TEX, "-": "-", ",": ",", "'": "'", "\u2013": "--", "\u2014": "---", "\u2026": r"\ldots{}"}


def clean(text: str) -> str:
    """Replace what no output format may contain by U+FFFD, one for one.

    >>> clean("a\\x00b")
    'a\\ufffdb'
    """
    return _FORBIDDEN.sub("\ufffd", text)


def html(text: str) -> str:
    """Text for an HTML or XML element, or for an attribute between double quotes (so that primes stay as they are).

    >>> html('<a href="x">')
    '&lt;a href=&quot;x&quot;&gt;'
    """
    if text.isalnum():  # most of what a formula consists of
        return text
    return _MARKUP.sub(lambda match: _HTML[match.group()], clean(text))


def tex(text: str) -> str:
    r"""Prose for LaTeX: every character prints itself and none is a command; white space is a space.

    >>> tex(r"50% of \input{x}")
    '50\\% of \\textbackslash{}input\\{x\\}'
    """
    return "".join(_TEX_PROSE.get(character) or unicode_tex(character) for character in re.sub(r"\s", " ", clean(text)))


def tex_verbatim(text: str) -> str:
    r"""One line of code for LaTeX, in typewriter type, without ligatures, with its spaces kept; long words may break.

    >>> tex_verbatim("a  b")
    '\\texttt{a\\ \\ b}'
    """
    written, word = [], 0
    for character in clean(text).replace("\n", " "):
        word = 0 if character in " \t" else word + 1
        if word > _WORD and word % 10 == 1:
            written.append("\\allowbreak{}")
        written.append("\\ " if character in " \t" else _TEX.get(character) or unicode_tex(character))
    return f"\\texttt{{{''.join(written)}}}"


_WORD = 40
"""Characters of a word that stands on one line of a page, whatever the width of the column."""


def unicode_tex(character: str) -> str:
    """A character for LaTeX text: ASCII and Latin letters as they are, mathematics by its command, else its code."""
    if character.isascii() or character in _LETTERS:
        return character
    row = UNICODE.get(character) or UNICODE.get(_TEXT_ALIASES.get(character, ""))
    if row is not None and row.kind in {Kind.ORD, Kind.OP, Kind.BIN, Kind.REL, Kind.OPEN, Kind.CLOSE, Kind.FENCE}:
        return f"\\ensuremath{{{row.tex}}}"
    if character in _PUNCTUATION:
        return _PUNCTUATION[character]
    return f"{{[U+{ord(character):04X}]}}"


_LETTERS = frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ"
    "ĂăĄąĆćČčĎďĐđĘęĚěĞğĹĺĽľŁłŃńŇňŐőŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŹźŻżŽž¡¿«»§"
)
"""The letters and signs of the T1 encoding of LaTeX."""
_TEXT_ALIASES = {"·": "⋅"}
_PUNCTUATION = {
    **{sign: f"\\ensuremath{{^{digit}}}" for digit, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    **{sign: f"\\ensuremath{{_{digit}}}" for digit, sign in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    "\u2018": "`",
    "\u2019": "'",
    "\u201c": "``",
    "\u201d": "''",
    "\u2022": r"\textbullet{}",
    "\u2009": r"\,",
    "\u202f": r"\,",
    "\u2003": r"\quad{}",
    "\u2011": "-",
    "\u2212": r"\ensuremath{-}",
    "\u22a4": r"\ensuremath{\top}",
    "\ufffd": r"\textbf{?}",
}
