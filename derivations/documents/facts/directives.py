r"""What authors tell the checker in comments: shapes, axes, suppositions; what to pass over, and what is false on purpose.

    <!-- derivations: Q, K: (n, d); tokens: columns; softmax: axis j; given: independent q, k -->
    <!-- derivations: ignore[false-claim] the proof of this comes in the next chapter -->
    <!-- derivations: expect: refuted the exercise asks for the mistake -->
    <!-- derivations: off a sketch -->  …  <!-- derivations: on -->

The same stands after `%` in LaTeX and after `#` in code.  Entries end at `;` or at the end of a line; a reason takes the
rest of its line.  No entry declares a result: what is claimed is proved or it is not.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from derivations.documents.model.document import Code, Document, HtmlComment, Place
from derivations.documents.model.finding import Finding

CONVENTIONS = frozenset({"shape", "range", "base", "name", "tokens", "softmax", "given", "macro"})
"""Kinds that say what something means; the other kinds are ignore, expect, off, on and unreadable."""
NAME_KINDS = frozenset({"scalar", "size", "index", "permutation", "function", "label"})
"""What a name can be said to be, besides an array of some shape."""
STATUSES = frozenset(
    {"proved", "true", "holds", "agrees", "defined", "undecided", "unread", "skipped", "correct", "ok"}
)
COMMENT = re.compile(r"^\s*derivations\s*:", re.IGNORECASE)

_IGNORE = re.compile(r"ignore\s*(?:\[(?P<codes>[^\]]*)\])?(?P<reason>.*)$", re.IGNORECASE | re.DOTALL)
_EXPECT = re.compile(r"expect\s*:\s*(?P<status>[\w-]*)(?P<reason>.*)$", re.IGNORECASE | re.DOTALL)
_SWITCH = re.compile(r"(?P<switch>off\b|on\s*$)(?P<reason>.*)$", re.IGNORECASE | re.DOTALL)
_LEAD = re.compile(r"^(?:[\s:,;(–—-]|because\b)+", re.IGNORECASE)
_SHAPE = re.compile(r"(?:(?P<orient>row|column)\s+(?:vectors?\s+)?)?\((?P<sizes>[^()]*)\)$")
_SPACE = re.compile(r"(?:\\in\s*)?\\mathbb\s*\{?R\}?\s*\^.+$", re.DOTALL)
_RANGE = re.compile(
    r"(?P<start>[01])\s*+(?:,|\.\.|\\[cl]?dots|…|to\b)[\s,.…]*+(?:\\[cl]?dots\s*+,?)?\s*+(?P<end>[^\s,.].*)$"
)
_FROM = re.compile(r"from\s+(?P<base>[01])$", re.IGNORECASE)
_START = re.compile(r"(?:from\s+)?(?P<base>[01])$", re.IGNORECASE)
_AXIS = re.compile(r"(?:over\s+)?(?:axis\s+|index\s+)?(?P<axis>-?\d+|\\?[A-Za-z]+)$")
_AXES = {
    **dict.fromkeys(("row", "rows", "last", "-1", "1"), "row"),
    **dict.fromkeys(("column", "columns", "first", "0", "-2"), "column"),
}
_KEYWORDS = ("ignore", "expect", "off", "on", "tokens", "softmax", "given", "indices")
_COMMAND = re.compile(r"\\[A-Za-z]+$")


@dataclass(slots=True, eq=False)
class Declaration:
    """One entry of a comment or of the project file.

    `subject` is the LaTeX of the names it is about, `value` what it says of them; `codes` are those of an ignore.
    `block` is the index of the block it stands in (-1: the project file), `alone` is false for a comment at the end of a
    line of code.  `findings` are those that an ignore, an expectation or a region took; `fault` says why the run fails.
    """

    kind: str
    text: str
    place: Place
    subject: str = ""
    value: str = ""
    codes: tuple[str, ...] = ()
    reason: str | None = None
    block: int = -1
    in_code: bool = False
    alone: bool = True
    only: str = ""
    """The document that an entry of the project file is about; empty when it stands in the document itself."""
    used: bool = False
    fault: str | None = None
    findings: list[Finding] = field(default_factory=list)


class BadDeclaration(ValueError):
    """An entry that says nothing that is understood; the message is one line."""


def read_entries(text: str) -> Iterator[tuple[int, str]]:
    """The entries of the text after `derivations:`, each with its offset.

    >>> list(read_entries("Q: (n, d); off a sketch; of mine"))
    [(0, 'Q: (n, d)'), (11, 'off a sketch; of mine')]
    """
    start = 0
    for line in text.split("\n"):
        at = 0
        while at <= len(line):
            rest = line[at:]
            lead = len(rest) - len(rest.lstrip(" \t;"))
            body = rest[lead:]
            if not body.strip():
                break
            with_reason = _IGNORE.match(body) or _EXPECT.match(body) or _SWITCH.match(body)
            stop = None if with_reason else re.search(r"(?<!\\);", body)
            entry = body if stop is None else body[: stop.start()]
            yield start + at + lead, entry.rstrip()
            at += lead + len(entry) + 1
        start += len(line) + 1


def read_entry(text: str, place: Place) -> Declaration:
    """One entry.

    Errors: BadDeclaration with what was needed and found.

    >>> read_entry("tokens: columns", Place("a.md", None, 1, 1)).kind
    'tokens'
    """
    if (found := _IGNORE.match(text)) is not None:
        codes = tuple(c.strip() for c in (found.group("codes") or "").split(",") if c.strip())
        if not codes:
            raise BadDeclaration(f"needed ignore[code] reason, with the code of the finding, found {text!r}")
        return Declaration("ignore", text, place, codes=codes, reason=_reason(found.group("reason"), text))
    if (found := _EXPECT.match(text)) is not None:
        status = found.group("status").lower()
        if status not in ("refuted", "wrong"):
            raise BadDeclaration(
                f"needed expect: refuted or expect: wrong, found {text!r}; nothing can be declared to be proved"
            )
        return Declaration("expect", text, place, value=status, reason=_reason(found.group("reason"), text))
    if (found := _SWITCH.match(text)) is not None:
        if found.group("switch").strip().lower() == "on":
            return Declaration("on", text, place)
        return Declaration("off", text, place, reason=_reason(found.group("reason"), text))
    key, colon, value = text.partition(":")
    key, value = key.strip(), value.strip()
    if not colon or not key or not value:
        near = difflib.get_close_matches(text.split(" ")[0].split("[")[0].lower(), _KEYWORDS, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise BadDeclaration(f"needed NAME: MEANING, ignore[code], expect: refuted, off or on, found {text!r}{hint}")
    return _convention(key, value, text, place)


def _reason(text: str, entry: str) -> str:
    said = _LEAD.sub("", text).strip()
    said = said[:-1].rstrip() if said.endswith(")") and "(" not in said else said
    if not said:
        raise BadDeclaration(f"needed a reason after {entry.strip()!r}, found none")
    return said


def _convention(key: str, value: str, text: str, place: Place) -> Declaration:
    word, low = key.lower(), value.lower()
    if low in STATUSES or word in STATUSES:
        raise BadDeclaration(f"needed a convention, found {text!r}: nothing can be declared to be {low}")
    if word == "tokens":
        if low not in ("rows", "columns"):
            raise BadDeclaration(f"needed tokens: rows or tokens: columns, found {text!r}")
        return Declaration("tokens", text, place, value=low)
    if word == "softmax":
        found = _AXIS.match(value)
        if found is None:
            raise BadDeclaration(f"needed softmax: rows, columns or axis j, found {text!r}")
        axis = found.group("axis")
        return Declaration("softmax", text, place, value=_AXES.get(axis.lower(), axis.lstrip("\\")))
    if word == "given":
        return Declaration("given", text, place, value=value)
    if word in ("indices", "index", "index base"):
        found = _START.match(value)
        if found is None:
            raise BadDeclaration(f"needed indices: from 0 or indices: from 1, found {text!r}")
        return Declaration("base", text, place, value=found.group("base"))
    return _about_names(key, value, text, place)


def _about_names(key: str, value: str, text: str, place: Place) -> Declaration:
    names = re.sub(r"_([A-Za-z0-9]{2,})", r"_{\1}", key)
    found = _SHAPE.match(value)
    if found is not None:
        sizes = [s.strip() for s in found.group("sizes").split(",") if s.strip()]
        if found.group("orient"):
            if len(sizes) != 1:
                raise BadDeclaration(f"needed one size of a {found.group('orient')} vector, found {text!r}")
            sizes = ["1", *sizes] if found.group("orient") == "row" else [*sizes, "1"]
        if not sizes:
            return Declaration("name", text, place, names, "scalar")
        written = [re.sub(r"_([A-Za-z0-9]{2,})", r"_{\1}", s).replace("*", r"\cdot ") for s in sizes]
        return Declaration("shape", text, place, names, r"\mathbb{R}^{" + r" \times ".join(written) + "}")
    if _SPACE.match(value):
        return Declaration("shape", text, place, names, value.removeprefix(r"\in").strip())
    if value.lower() in NAME_KINDS:
        return Declaration("name", text, place, names, value.lower())
    if (found := _FROM.match(value)) is not None:
        return Declaration("base", text, place, names, found.group("base"))
    if (found := _RANGE.match(value)) is not None:
        return Declaration("range", text, place, names, rf"{found.group('start')}, \dots, {found.group('end').strip()}")
    if _COMMAND.match(key):
        return Declaration("macro", text, place, key, value)
    near = difflib.get_close_matches(key.lower(), _KEYWORDS, 1) or difflib.get_close_matches(
        value.lower(), NAME_KINDS, 1
    )
    raise BadDeclaration(
        f"needed a shape (n, d), a range 1..n, from 0, or one of {', '.join(sorted(NAME_KINDS))} for {key}, found {value!r}"
        + (f"; did you mean {near[0]}?" if near else "")
    )


def declarations_of(document: Document) -> list[Declaration]:
    """All declarations in the comments of a document, in its order; those that are not understood have a fault."""
    found: list[Declaration] = []
    for block in document.blocks:
        if isinstance(block, HtmlComment):
            match = COMMENT.match(block.text.text)
            for offset, entry in read_entries(block.text.text[match.end() :]) if match else ():
                place = block.text.locate(match.end() + offset) if match else block.place
                found.append(_read(entry, place))
                found[-1].block = block.index
        elif isinstance(block, Code):
            for comment in block.comments:
                match = COMMENT.match(comment.text)
                for _, entry in read_entries(comment.text[match.end() :]) if match else ():
                    found.append(_read(entry, comment.place))
                    found[-1].block, found[-1].in_code, found[-1].alone = block.index, True, comment.alone
    return found


def _read(entry: str, place: Place) -> Declaration:
    try:
        return read_entry(entry, place)
    except BadDeclaration as error:
        return Declaration("unreadable", entry, place, fault=str(error))
