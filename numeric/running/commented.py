"""Values that a comment gives for what a statement prints: `print(x.mean())  # 0.25`, `# -> [1, 2]`, `# Output: (2, 3)`.

A comment is such a value where it has the form of what the statement prints when it is run; any other comment is a remark.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from derivations.documents.formats.python_code import NotPython
from derivations.documents.formats.python_code import tokens as python_tokens

from .cells import Prepared
from .outputs import Outcome, Shown, correspond, outcome_of, run_tokens
from .printed import Token, tokens

_WORDS = r"outputs?|out|prints?|printed|gives|results?|returns|yields|expected(?:\s+output)?|should\s+(?:be|print|give)"
_ANNOUNCED = re.compile(rf"\s*(?:[-=]+>|>+|→|⇒|=+|(?:{_WORDS})(?!\w)\s*[:=]?)\s*", re.IGNORECASE)
"""What announces a value."""
_NEARLY = re.compile(r"\s*(?:≈|~=?|approx(?:imately|\.)?|about|roughly|close to|near(?:ly)?)\s*", re.IGNORECASE)
"""What says that a value is given roughly."""
_GOES_ON = frozenset("(=,;:–—-")
"""Signs after which a comment explains the value that it gave."""
_NAMES_OF_ARRAYS = frozenset({"tensor", "array", "torch.Size"})


@dataclass(frozen=True)
class Commented:
    """A value in a comment: the line of its statement in the cell, and its text with its place."""

    line: int
    shown: Shown
    announced: bool
    nearly: bool


def commented_values(p: Prepared) -> Iterator[Commented]:
    """The comments behind or right below statements that are expressions, without what announces a value in them.

    A comment below a statement counts only where it announces a value: else it speaks of what follows.
    """
    if p.tree is None:
        return
    behind, alone = _comments(p)
    for node in ast.walk(p.tree):
        if not isinstance(node, ast.Expr) or isinstance(node.value, ast.Constant):
            continue
        end = node.end_lineno or node.lineno
        if end in behind:
            yield _commented(p, node.lineno, *behind[end])
            continue
        start = stop = None
        for line in range(end + 1, end + 1 + len(alone)):
            if line not in alone:
                break
            start, stop = (alone[line][0] if start is None else start), alone[line][1]
        if start is not None and stop is not None and (found := _commented(p, node.lineno, start, stop)).announced:
            yield found


def _comments(p: Prepared) -> tuple[dict[int, tuple[int, int]], dict[int, tuple[int, int]]]:
    """Where the words of the comments of a cell stand in the text of its block: by line, those behind code and those alone."""
    behind: dict[int, tuple[int, int]] = {}
    alone: dict[int, tuple[int, int]] = {}
    text = p.block.text
    try:
        found = [t for t in python_tokens(p.cell.source) if t.string.startswith("#")]
    except NotPython:
        return behind, alone
    for token in found:
        row = token.start[0]
        first = text.starts[row - 1]
        last = text.starts[row] - 1 if row < len(text.starts) else len(text.text)
        at = text.text.rfind(token.string, first, last)
        if at >= 0:
            place = behind if token.line[: token.start[1]].strip() else alone
            place[row] = (at + 1, at + len(token.string))
    return behind, alone


def _commented(p: Prepared, line: int, start: int, stop: int) -> Commented:
    text = p.block.text
    said = text.text[start:stop]
    at, announced, nearly = 0, False, False
    while True:
        if (found := _ANNOUNCED.match(said, at)) is not None and found.end() > at:
            announced = True
        elif (found := _NEARLY.match(said, at)) is not None and found.end() > at:
            nearly = True
        else:
            break
        at = found.end()
    piece = text.piece(start + at, stop)
    # the number sign before each further line of the value is no part of it
    shown = re.sub(r"(?m)^[ \t]*#", lambda m: " " * len(m.group()), piece.text)
    return Commented(line, Shown(shown, ((0, piece),)), announced, nearly)


def outcome_beside(said: Commented, segments: Sequence[dict[str, Any]]) -> Outcome | None:
    """What becomes of a value in a comment, given all that its cell printed; None where the comment is a remark."""
    own = [k for k, s in enumerate(segments) if int(s["line"]) == said.line]
    if len(own) != 1:
        return None  # a loop prints several times, and a comment cannot say which time it means
    printed = tokens(said.shown.text)
    run = [t for k, t in run_tokens(segments) if k == own[0]]
    pairs = _paired(printed, run)
    if pairs is None or _are_shapes(*pairs):
        return None
    outcome = outcome_of(own[0], *pairs)
    outcome.line = said.line
    if outcome.state == "differs" and (said.nearly or (not said.announced and _may_count(pairs[0]))):
        why = "the comment gives it roughly" if said.nearly else "the number in the comment may count something else"
        return replace(outcome, state="unclear", note=why)
    return outcome


def _paired(printed: Sequence[Token], run: Sequence[Token]) -> tuple[list[Token], list[Token]] | None:
    """The tokens of a comment and of what was printed, one beside the other; None where they have different forms."""
    bare = [t for t in printed if t.text not in _NAMES_OF_ARRAYS]
    own = [t for t in run if t.text not in _NAMES_OF_ARRAYS]
    for mine, theirs in ((bare, own), (bare, _values(own))):
        count = len(theirs)
        if not _values(theirs) or len(mine) < count:
            continue
        if all(correspond(a, b) for a, b in zip(mine, theirs, strict=False)) and _ends(mine[count:]):
            return mine[:count], [*theirs]
    listed, theirs = [t for t in bare if t.text not in (",", ";")], _values(own)
    if theirs and len(listed) == len(theirs) and all(map(correspond, listed, theirs)):
        return listed, theirs
    return None


def _values(found: Sequence[Token]) -> list[Token]:
    return [t for t in found if t.kind in ("num", "array") or t.text in ("True", "False")]


def _ends(rest: Sequence[Token]) -> bool:
    """Whether a comment ends with the value, or goes on with words about it."""
    if not rest:
        return True
    return rest[0].text in _GOES_ON and not (len(rest) > 1 and rest[1].numbers)


def _are_shapes(printed: Sequence[Token], run: Sequence[Token]) -> bool:
    """Whether a comment gives the shape of an array that is printed: `print(W)  # (2, 3)`."""
    return any(
        a.kind == "array"
        and a.shape != b.shape
        and b.shape is not None
        and tuple(n.value for n in a.numbers) == b.shape
        for a, b in zip(printed, run, strict=True)
    )


def _may_count(printed: Sequence[Token]) -> bool:
    """Whether what a comment gives is one whole number, which may be that of a remark or of a step."""
    numbers = [n for t in printed for n in t.numbers]
    return len(numbers) == 1 and not numbers[0].pointed and len(printed) == 1


__all__ = ["Commented", "commented_values", "outcome_beside"]
