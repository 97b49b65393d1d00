r"""The macros that a LaTeX source defines, read as data; TeX itself is never run.

Beyond what the equation reader takes (`\newcommand`, `\DeclareMathOperator`, simple `\def`): `\let`,
`\DeclarePairedDelimiter`, `\NewDocumentCommand` with mandatory arguments and one leading optional one.

Sources: LaTeX2e for class and package writers (2023); the mathtools manual, section 3.6; the xparse manual.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from derivations.latex.syntax.lexer import Macro

MAX_MACROS = 5_000
"""Macros of one document; further ones are not taken."""
MASK = "\0"
"""What a comment is replaced by, so that every other character keeps its place (no document holds this character)."""

_HEADERS = (
    re.compile(
        r"\\(?P<form>newcommand|renewcommand|providecommand|DeclareRobustCommand)\*?[\s\0]*+"
        r"(?:\{[\s\0]*+\\(?P<name>[A-Za-z@]+)[\s\0]*+\}|\\(?P<bare>[A-Za-z@]+))[\s\0]*+"
        r"(?:\[(?P<count>[0-9])\][\s\0]*+)?(?:\[(?P<default>[^\]\n]{0,200})\][\s\0]*+)?(?=\{)"
    ),
    re.compile(
        r"\\(?P<form>DeclareMathOperator)(?P<star>\*?)[\s\0]*+"
        r"(?:\{[\s\0]*+\\(?P<name>[A-Za-z@]+)[\s\0]*+\}|\\(?P<bare>[A-Za-z@]+))[\s\0]*+(?=\{)"
    ),
    re.compile(
        r"\\(?:long[\s\0]*+\\)?(?P<form>def|gdef|edef|xdef)[\s\0]*+\\(?P<name>[A-Za-z@]+)(?P<parameters>(?:#[1-9])*)[\s\0]*+(?=\{)"
    ),
    re.compile(r"\\(?P<form>DeclarePairedDelimiter)[\s\0]*+\{?[\s\0]*+\\(?P<name>[A-Za-z@]+)[\s\0]*+\}?[\s\0]*+(?=\{)"),
    re.compile(
        r"\\(?P<form>NewDocumentCommand|RenewDocumentCommand|ProvideDocumentCommand|DeclareDocumentCommand)[\s\0]*+"
        r"\{?[\s\0]*+\\(?P<name>[A-Za-z@]+)[\s\0]*+\}?[\s\0]*+\{(?P<arguments>[^{}]*(?:\{[^{}]*\}[^{}]*)*)\}[\s\0]*+(?=\{)"
    ),
)
_LET = re.compile(r"\\let[\s\0]*+\\([A-Za-z@]+)[\s\0]*+=?[\s\0]*+\\([A-Za-z@]+)")
_STARTS = re.compile(
    r"\\(?:long[\s\0]*+\\)?(?:(?:re)?newcommand|providecommand|DeclareRobustCommand|DeclareMathOperator|DeclarePairedDelimiter|"
    r"(?:New|Renew|Provide|Declare)DocumentCommand|[gex]?def|let)(?![A-Za-z])"
)
_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)
_ARGUMENTS = re.compile(r"\s*(?:m|O\{(?P<default>[^{}]*)\}|o)")


def matching_braces(text: str) -> dict[int, int]:
    r"""For each unescaped `{` that is closed, the offset of its `}`.

    >>> matching_braces(r"{a\{{b}} {")
    {4: 6, 0: 7}
    """
    pairs: dict[int, int] = {}
    open_: list[int] = []
    for match in _BRACES.finditer(text):
        if match.group() == "{":
            open_.append(match.start())
        elif match.group() == "}" and open_:
            pairs[open_.pop()] = match.start()
    return pairs


@dataclass(slots=True)
class Macros:
    """The macros known so far; `aliases` are names that `\\let` bound to a command of LaTeX itself."""

    known: dict[str, Macro] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)

    def take(self, text: str, braces: Mapping[int, int], at: int, end: int | None = None) -> int:
        """Take the definitions between two offsets; returns how many there are."""
        end, count = len(text) if end is None else end, 0
        while (start := _STARTS.search(text, at, end)) is not None:
            after = self.take_one(text, braces, start.start())
            at = start.end() if after is None else after
            count += after is not None
        return count

    def take_one(self, text: str, braces: Mapping[int, int], at: int) -> int | None:
        r"""Take the definition that starts at `at`; returns its end, None when it has a form that is not read.

        >>> m = Macros()
        >>> source = r"\DeclarePairedDelimiter{\norm}{\lVert}{\rVert} \let\eps\epsilon"
        >>> m.take(source, matching_braces(source), 0), m.known["norm"].body, m.known["eps"].body
        (2, '\\lVert #1\\rVert ', '\\epsilon ')
        """
        let = _LET.match(text, at)
        if let is not None:
            name, target = let.groups()
            if target in self.known:
                self._add(name, self.known[target])
            else:
                self.aliases[name] = target
                self._add(name, Macro(0, f"\\{target} "))
            return let.end()
        match = next((m for header in _HEADERS if (m := header.match(text, at)) is not None), None)
        if match is None or match.end() not in braces:
            return None
        close = braces[match.end()]
        body, after = _clean(text[match.end() + 1 : close]), close + 1
        parts = match.groupdict()
        name = parts.get("name") or parts.get("bare") or ""
        form = parts["form"]
        if form == "DeclareMathOperator":
            made = Macro(0, rf"\operatorname{parts['star']}{{{body}}}")
        elif form.endswith("def"):
            made = Macro(len(parts["parameters"]) // 2, body)
        elif form == "DeclarePairedDelimiter":
            second = re.compile(r"[\s\0]*+\{").match(text, after)
            if second is None or second.end() - 1 not in braces:
                return None
            close = braces[second.end() - 1]
            made = Macro(1, f"{body.strip()} #1{_clean(text[second.end() : close]).strip()} ")
            after = close + 1
        elif form.endswith("DocumentCommand"):
            signature = _signature(parts["arguments"])
            if signature is None:
                return after
            made = Macro(signature[0], body, signature[1])
        else:
            made = Macro(int(parts.get("count") or 0), body, parts.get("default"))
        self._add(name, made)
        return after

    def _add(self, name: str, macro: Macro) -> None:
        # \let\old\vec \renewcommand{\vec}[1]{\old{..}}: the alias means the old command, so the redefinition stays out
        if any(target == name and f"\\{alias}" in macro.body for alias, target in self.aliases.items()):
            return
        if "@" not in name and (name in self.known or len(self.known) < MAX_MACROS):
            self.known[name] = macro


def _clean(body: str) -> str:
    """A body without its comments, and without commands that only manage space."""
    body = re.sub(r"\0+\n?[ \t]*", "", body)
    return re.sub(r"\\(?:xspace|protect|relax)(?![A-Za-z])\s*", "", body)


def _signature(arguments: str) -> tuple[int, str | None] | None:
    count, default, at = 0, None, 0
    while (match := _ARGUMENTS.match(arguments, at)) is not None and match.end() > at:
        optional = match.group().strip() != "m"
        if optional and count:
            return None
        if optional:
            default = match.group("default") or ""
        count, at = count + 1, match.end()
    return None if arguments[at:].strip() or count > 9 else (count, default)


def macro_of(name: str, value: object) -> tuple[str, Macro] | None:
    r"""A macro of a MathJax, KaTeX or MyST configuration: a body, or a list `[body, count, default]`.

    >>> macro_of("\\R", "\\mathbb{R}"), macro_of("norm", ["\\|#1\\|", 1])[1].arguments
    (('R', Macro(arguments=0, body='\\mathbb{R}', default=None)), 1)
    """
    name = name.strip().lstrip("\\")
    if not re.fullmatch(r"[A-Za-z]+", name):
        return None
    if isinstance(value, str):
        used = [int(k) for k in re.findall(r"#([1-9])", value)]
        return name, Macro(max(used, default=0), value)
    if isinstance(value, list) and 1 <= len(value) <= 3 and isinstance(value[0], str):
        count = value[1] if len(value) > 1 else 0
        default = value[2] if len(value) > 2 else None
        if isinstance(count, int) and 0 <= count <= 9 and (default is None or isinstance(default, str)):
            return name, Macro(count, value[0], default)
    return None
