"""Functions whose equation was not read: they are named with the reason, so that none is silently left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from derivations.code.compare.spelling import spelled
from derivations.documents.model.finding import Finding

_FONT = re.compile(r"\\(?:text|math|operatorname|boldsymbol|bm)[a-z]*\*?\s*\{([^{}]*)\}")
_ACCENT = re.compile(
    r"\\(?:hat|widehat|tilde|widetilde|bar|overline|vec|quad|qquad|displaystyle|left|right|,|;|!)(?![a-z])|[&$~]"
)
_SCRIPTS = r"(?:[_^]\s*+(?:\{[^{}]*+\}|\\?[^\W_]++)\s*+)*+"
_PASSED_OVER = frozenset({"update", "condition", "special-case", "condition-not-read"})
"""Codes of equations that hold in some case, or change a name."""
_LEFT = re.compile(
    r"\s*+\\?([A-Za-z][A-Za-z0-9]*+(?:_[A-Za-z]{2,}+(?![0-9]))*+)"
    rf"\s*+{_SCRIPTS}(?:\([^()]*+\)\s*+)?+{_SCRIPTS}:?\s*+$"
)


def name_in(latex: str) -> str | None:
    r"""The name at the left of an equation, as code may spell it.

    >>> name_in(r"\text{attn\_out}(q, k) = x"), name_in(r"\hat A_{ij} &= x"), name_in("x + y = z")
    ('attn_out', 'A', None)
    """
    left, sign, _ = latex.partition("=")
    left = re.sub(r"\\(?:overset|stackrel)\s*+\{[^{}]*\}\s*+\{?\s*+$", "", left)
    left = _FONT.sub(lambda m: m.group(1).strip(), _ACCENT.sub(" ", left)).replace("\\_", "_")
    m = _LEFT.match(left)
    return m.group(1) if m is not None and sign else None


def unread_names(findings: Iterable[Finding]) -> Mapping[str, Finding]:
    """The equations that were not read, by the spelling of the name at their left; the first one of each name."""
    found: dict[str, Finding] = {}
    for f in findings:
        name = name_in(f.source) if f.status == "unread" else None
        if name is not None:
            found.setdefault(spelled(name), f)
    return found


def open_lines(findings: Iterable[Finding]) -> Sequence[tuple[str, Finding]]:
    """The equations that say something of a name and define nothing, each with the spelling of the name at its left."""
    is_open = (f for f in findings if f.status == "unread" or (f.status == "skipped" and f.code in _PASSED_OVER))
    return [(spelled(name), f) for f in is_open if (name := name_in(f.source)) is not None]


def reason(name: str, unread: Finding) -> Sequence[str]:
    """Code and text for a function whose equation is among those that were not read."""
    why = unread.reason or "no reason is known"
    return "unread-equation", f"the equation of {name} was not read: {why}"


__all__ = ["name_in", "open_lines", "reason", "unread_names"]
