"""Finds the mathematics, code spans and HTML comments inside a paragraph of Markdown.

Sources: the CommonMark specification 0.31 (code spans, HTML tags), the Pandoc manual, extensions ``tex_math_dollars``
and ``tex_math_single_backslash`` (an opening ``$`` is followed by a non-space, the closing one preceded by a non-space
and not followed by a digit), and the delimiters of MathJax as Jupyter sets them up. Every search is bounded or looked
up in a table made once, so the time is linear in the length of the paragraph.
"""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

ENVIRONMENTS = frozenset(
    [
        "equation",
        "align",
        "aligned",
        "alignat",
        "alignedat",
        "flalign",
        "gather",
        "gathered",
        "split",
        "multline",
        "eqnarray",
        "displaymath",
        "math",
        "cases",
        "array",
        "matrix",
        "pmatrix",
        "bmatrix",
        "Bmatrix",
        "vmatrix",
        "Vmatrix",
        "smallmatrix",
    ]
)

# An inline formula that nests dollars (``$a \text{ if $b$}$``) is looked for over this many candidates.
_NESTED_DOLLARS = 4

_TOKEN = re.compile(r"\\\\[(\[]|\\begin\{([A-Za-z]+\*?)\}|\\.|`+|\$\$?|<!--|<", re.DOTALL)
# CommonMark 0.31, section 6.6: open and closing tags.
_ATTRIBUTE = r"""\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?"""
_TAG = re.compile(rf"<(?:[A-Za-z][\w-]*(?:{_ATTRIBUTE}){{0,60}}\s*/?|/[A-Za-z][\w-]*\s*)>")
_CLOSERS = {"\\(": "\\)", "\\[": "\\]", "\\\\(": "\\\\)", "\\\\[": "\\\\]"}
# With spaces inside the dollars a formula is told from two prices by an operator or a script, or by being one symbol.
_FORMULA_MARK = re.compile(r"[\\_^=]")
_SYMBOL = re.compile(r"\s*(?:[A-Za-z]'*|\\[A-Za-z]+)\s*")
_WORDS = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{3,}\s+[A-Za-z]{3,}(?![A-Za-z}])")
_ROLES = ("{math}", ":math:")
"""What stands before a code span that is a formula, in MyST and in reStructuredText."""


@dataclass(frozen=True, slots=True)
class Found:
    """A span of mathematics: offsets of the whole, and of the LaTeX inside the delimiters."""

    display: bool
    delimiter: str
    start: int
    inner: int
    inner_end: int
    end: int


@dataclass(slots=True)
class Scan:
    """What a paragraph holds. `comments` are the offsets of the content of HTML comments; `unclosed` names delimiters
    that have no partner, with their offset."""

    spans: list[Found] = field(default_factory=list)
    comments: list[tuple[int, int]] = field(default_factory=list)
    unclosed: list[tuple[str, int]] = field(default_factory=list)


class _Paragraph:
    """A paragraph with the positions of its code spans and of the dollars outside them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.dollars: list[int] = []  # unescaped, outside code spans
        self.double: list[int] = []
        tokens = [(m.start(), m.group()) for m in re.finditer(r"\\.|`+|\$+", text, re.DOTALL)]
        runs: dict[int, list[int]] = {}
        for at, token in tokens:
            if token[0] == "`":
                runs.setdefault(len(token), []).append(at)
        self.runs = runs
        inside = 0
        for at, token in tokens:
            if at < inside:
                continue
            if token[0] == "`":
                inside = self.code_end(at, len(token)) or 0
            elif token[0] == "$":
                self.dollars += range(at, at + len(token))
                self.double += range(at, at + len(token) - 1, 2)

    def code_end(self, at: int, length: int) -> int | None:
        """The end of the code span whose opening run of `length` backticks stands at `at`."""
        runs = self.runs.get(length, [])
        later = bisect_right(runs, at)
        return runs[later] + length if later < len(runs) else None

    def inline_end(self, at: int) -> int | None:
        """The dollar that closes the inline formula opened at `at`, or None when the dollar opens nothing.

        Stricter than Pandoc in one point: a dollar outside braces that cannot close ends the search, so that a price
        before a formula ("$5, then $x$") does not swallow the words between them.
        """
        text = self.text
        first = bisect_right(self.dollars, at)
        candidates = self.dollars[first : first + _NESTED_DOLLARS]
        if not candidates or candidates[0] == at + 1:
            return None
        if text[at + 1].isspace():
            # Jupyter accepts spaces inside the dollars; two prices have neither operator nor script between them.
            return candidates[0] if self._is_loose(at, candidates[0]) else None
        depth, done = 0, at + 1
        for candidate in candidates:
            depth += _depth(text, done, candidate)
            if depth <= 0:
                return candidate if self._closes(candidate) or self._is_loose(at, candidate) else None
            done = candidate
        return candidates[0] if self._closes(candidates[0]) else None

    def _closes(self, at: int) -> bool:
        return not self.text[at - 1].isspace() and not self.text[at + 1 : at + 2].isdigit()

    def _is_loose(self, at: int, end: int) -> bool:
        """Whether `$ … $` or `$… $` with inner spaces is clearly a formula."""
        content = self.text[at + 1 : end]
        if not content[-1:].isspace() or content.rstrip()[-1:] in ("", "=", "+", "-", "<", ">") or "\n\n" in content:
            return False
        if self.text[end + 1 : end + 2].isalnum():
            return False
        if _SYMBOL.fullmatch(content):
            return True
        return _FORMULA_MARK.search(content) is not None and _WORDS.search(content) is None

    def display_end(self, at: int) -> int | None:
        """The ``$$`` that closes the one at `at`."""
        later = bisect_left(self.double, at + 2)
        return self.double[later] if later < len(self.double) else None


def _depth(text: str, start: int, end: int) -> int:
    return sum({"{": 1, "}": -1}.get(m.group(), 0) for m in re.finditer(r"\\.|[{}]", text[start:end]))


def environment_end(text: str, name: str, after: int) -> tuple[int, int] | None:
    """Start and end of the ``\\end{name}`` that matches a ``\\begin{name}`` whose content starts at `after`."""
    depth = 1
    for match in re.finditer(rf"\\(begin|end)\{{{re.escape(name)}\}}", text[after:]):
        depth += 1 if match.group(1) == "begin" else -1
        if depth == 0:
            return after + match.start(), after + match.end()
    return None


def is_environment(name: str) -> bool:
    """Whether ``\\begin{name}`` starts mathematics."""
    return name.removesuffix("*") in ENVIRONMENTS


def scan(text: str) -> Scan:
    r"""Find the mathematics of a paragraph.

    >>> found = scan(r"From $5 to $6, `$x$` or \$; but $a_i$ and \[b\].").spans
    >>> [(f.display, f.inner, f.inner_end) for f in found]
    [(False, 33, 36), (True, 44, 45)]
    """
    paragraph, result, at = _Paragraph(text), Scan(), 0
    missing: set[str] = set()  # closers already known not to come any more
    while match := _TOKEN.search(text, at):
        token, start, at = match.group(), match.start(), match.end()
        if token[0] == "`":
            end_or_none = paragraph.code_end(start, len(token))
            role = next((r for r in _ROLES if text.endswith(r, 0, start)), None)
            if end_or_none is not None and role is not None:
                before = start - len(role)
                result.spans.append(Found(False, role, before, at, end_or_none - len(token), end_or_none))
            at = end_or_none or at
        elif token == "<!--":
            end = -1 if token in missing else text.find("-->", at)
            if end >= 0:
                result.comments.append((at, end))
                at = end + 3
            elif token not in missing:
                missing.add(token)
                result.unclosed.append((token, start))
        elif token == "<":
            tag = _TAG.match(text, start)
            at = tag.end() if tag else at
        elif token == "$$":
            end_or_none = paragraph.display_end(start)
            if end_or_none is None:
                result.unclosed.append((token, start))
            else:
                if text[at:end_or_none].strip():
                    result.spans.append(Found(True, token, start, at, end_or_none, end_or_none + 2))
                at = end_or_none + 2
        elif token == "$":
            end_or_none = paragraph.inline_end(start)
            if end_or_none is not None:
                quoted = end_or_none - at > 2 and text[at] == text[end_or_none - 1] == "`"  # GitHub: $`a`$
                result.spans.append(Found(False, token, start, at + quoted, end_or_none - quoted, end_or_none + 1))
                at = end_or_none + 1
        elif token in _CLOSERS and token not in missing:
            closer = _CLOSERS[token]
            end = text.find(closer, at)
            if end < 0:
                missing.add(token)
                result.unclosed.append((token, start))
            else:
                display = token.endswith("[")
                result.spans.append(Found(display, token, start, at, end, end + len(closer)))
                at = end + len(closer)
        elif match.group(1) and is_environment(match.group(1)) and token not in missing:
            ends = environment_end(text, match.group(1), at)
            if ends is None:
                missing.add(token)
                result.unclosed.append((token, start))
            else:
                result.spans.append(Found(True, token, start, start, ends[1], ends[1]))
                at = ends[1]
    return result
