r"""Symbols that a docstring or a comment begins with: `P for a boolean mask`, `The loss L, …`, `$\bar{A}$ of all heads`.

Who describes a value so says what it is.  What follows the name may say that something is changed, `P without the scaling`:
where more than a few words for its inputs and its layout follow, only a proof counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from derivations.code.citations import Cited
from derivations.code.compare.document_symbols import Target
from derivations.latex.syntax.reader import ReadError, read_equation
from derivations.latex.syntax.surface import Adjacent, Enclosed, Name, Node, Scripted

_QUOTED = r"\$(?P<math>[^$]{1,40})\$|`(?P<code>[^`]{1,40})`"
_LATEX = r"(?P<latex>\\[A-Za-z]+(?:\{\\?[A-Za-z]+\})?(?:_\{?\w+\}?)?)"
_PLAIN = r"(?P<plain>[A-Za-z]\w*)"
_NAME = re.compile(rf"(?:{_QUOTED}|{_LATEX}|{_PLAIN})(?:\((?P<arguments>[^()]{{0,40}})\))?")
_LIST = re.compile(r"\s*(?:,\s*(?:and\s+)?|and\s+)")
_LEAD = re.compile(r"(?i:the|an?|returns?|computes?|this is)\s+|(?P<noun>[A-Za-z][a-z]+)\s+")
"""One word before a name: `The`, `Returns`, `loss`."""
_NO_NOUNS = frozenset(
    {"of", "to", "in", "on", "by", "for", "from", "with", "at", "as", "per", "and", "or", "via", "using", "is"}
)
"""What cannot stand before the name of what is described: `the gradient of L` is not L."""
_PLAIN_NOUNS = frozenset(
    {"loss", "output", "result", "value", "values", "matrix", "vector", "weights", "scores", "function", "mask", "number"}
)  # fmt: skip
"""Nouns that say of a name what it is, and change nothing."""
_ENDS = re.compile(r"[ \t]*+(?:$|[.,;:\n=]|(?:for|from|of|in|by|row|entry)\b)")
"""What may follow a name that is spoken of."""
_ONLY_INPUTS = re.compile(
    r"[ \t,]*+(?:$|[.;:\n=]|(?:for|from|of|in|on)\b(?![^.;\n]*\b(?:without|instead|except|but|not|no|before|after|plus|minus)\b)"
    r"|(?:row|entry) by (?:row|entry))"
)
"""What says only what a value is computed from, and how it is laid out."""
_MOST_WORDS = 3
_ARTICLES = frozenset({"A", "I", "a", "an", "the", "The"})


def named_first(text: str, targets: Sequence[Target]) -> list[Cited]:
    """The symbols that a text begins with, in their order: a function that returns several values lists them.

    One letter counts where it stands at the very beginning, or is a capital; `A` and `a` are articles unless they are
    written as formulas.
    """
    at, nouns = len(text) - len(text.lstrip()), list[str]()
    for words in range(_MOST_WORDS + 1):
        if (m := _NAME.match(text, at)) is not None and (first := _called_so(m, targets, is_led=words > 0)) is not None:
            return _listed(text, m.end(), first, targets, is_plain=_PLAIN_NOUNS.issuperset(nouns))
        lead = _LEAD.match(text, at)
        if lead is None or (lead["noun"] or "").lower() in _NO_NOUNS:
            break
        nouns += [lead["noun"].lower()] if lead["noun"] else []
        at = lead.end()
    return []


def _listed(text: str, end: int, first: Target, targets: Sequence[Target], *, is_plain: bool) -> list[Cited]:
    """The symbols of a list that begins with this one; none where something else follows than what speaks of them."""
    found = [first]
    while (sign := _LIST.match(text, end)) is not None and (m := _NAME.match(text, sign.end())) is not None:
        target = _called_so(m, targets, is_led=True)
        if target is None:
            break
        found.append(target)
        end = m.end()
    if _ENDS.match(text, end) is None or len({t.stem for t in found}) < len(found):
        return []
    is_sure = is_plain and _ONLY_INPUTS.match(text, end) is not None
    return [Cited(t, part, is_sure) for part, t in enumerate(found)]


def _called_so(m: re.Match[str], targets: Sequence[Target], *, is_led: bool) -> Target | None:
    """The one symbol that is written so, capitals told from small letters; the version defined last where there are some."""
    if (plain := m["plain"]) is not None:
        is_word = len(plain) == 1 and (plain in _ARTICLES or (is_led and plain.islower()))
        found = [] if is_word and m["arguments"] is None else [t for t in targets if t.stem == plain]
    else:
        written = m["math"] or m["code"] or m["latex"]
        found = [t for t in targets if t.stem == written]
        key = None if found else _key(written)
        found = found or [t for t in targets if key is not None and _key(t.finding.source) == key]
    return max(found, key=lambda t: t.block) if len({t.stem for t in found}) == 1 else None


def _key(source: str) -> tuple[str, str, tuple[str, ...], int] | None:
    """The name that a formula begins with: its letter, font, accents and primes."""
    try:
        readings = read_equation(source if "=" in source else f"{source} = 0", None)
    except ReadError:
        return None
    first = readings[0].chain.first if readings else None
    name = None if first is None else next(_heads(first), None)
    return None if name is None else (name.base, name.font, name.accents, name.primes)


def _heads(node: Node) -> Iterator[Name]:
    """The name of `f`, `f_i`, `f(x)` and `f_i(x)`."""
    if isinstance(node, Name):
        yield node
    elif isinstance(node, Scripted):
        yield from _heads(node.base)
    elif isinstance(node, Adjacent) and len(node.items) == 2:
        after = node.items[1].base if isinstance(node.items[1], Scripted) else node.items[1]
        if isinstance(after, Enclosed):
            yield from _heads(node.items[0])
