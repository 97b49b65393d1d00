"""The words and signs of a verdict, shared by every writer, so that all of them say the same."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .model import DECIDED, STATUSES, claims, false_items, followers, is_expected


@dataclass(frozen=True)
class Verdict:
    """How one status, with its strength, is named. `name` is a word for style sheets; no two rows share a sign."""

    name: str
    sign: str
    words: str
    meaning: str


VERDICTS: dict[tuple[str, str | None], Verdict] = {
    ("proved", "unconditional"): Verdict(
        "proved",
        "✓",
        "Proved",
        "A theorem for all sizes; the kernel replayed its proof. Nothing was added to what the document states.",
    ),
    ("proved", "conditional"): Verdict(
        "conditional",
        "✓*",
        "Proved under assumptions",
        "A theorem for all sizes, under the assumptions that are listed with it.",
    ),
    ("proved", "unfolding"): Verdict(
        "unfolding",
        "≡",
        "Proved by unfolding",
        "True by the definitions alone. Where that surprises, look first at how they were read.",
    ),
    ("proved", "fixed-sizes"): Verdict(
        "fixed", "✓#", "Proved at fixed sizes", "True for all inputs, at the sizes that are listed with it only."
    ),
    ("holds", None): Verdict("holds", "≐", "Holds as printed", "Equal after rounding to the printed digits."),
    ("agrees", None): Verdict(
        "agrees", "≈", "Agrees numerically", "Compared on numbers only. This is not a proof and decides nothing."
    ),
    ("refuted", None): Verdict(
        "refuted", "✗", "Refuted", "False: the counterexample satisfies every hypothesis, and the two sides differ."
    ),
    ("wrong", None): Verdict("wrong", "✗!", "Wrong output", "The code cannot have printed this."),
    ("undecided", None): Verdict("undecided", "?", "Undecided", "Neither proved nor refuted; the reason is given."),
    ("unread", None): Verdict("unread", "–", "Not read", "The notation or the mathematics is not covered."),
    ("skipped", None): Verdict("skipped", "○", "Skipped", "Left out on purpose; the reason is given."),
    ("defined", None): Verdict("defined", "≔", "Defined", "Introduces a name; there is nothing to prove."),
}
"""One row per status and strength."""

COUNT_WORDS = {
    "defined": "defined",
    "proved": "proved",
    "refuted": "refuted",
    "agrees": "compared numerically only",
    "holds": "right as printed",
    "wrong": "wrong as printed",
    "undecided": "undecided",
    "unread": "not read",
    "skipped": "skipped",
}
"""The words after a number of items of a status."""

KIND_WORDS = {
    "definition": "definition",
    "claim": "claim",
    "step": "step of a derivation",
    "hypothesis": "hypothesis",
    "code": "code",
    "output": "printed output",
    "assertion": "assertion",
    "shape": "shape",
    "prose": "sentence",
}
ORIGIN_WORDS = {
    "document": "stated by the document",
    "declaration": "declared for the check",
    "reading": "a reading that was chosen",
    "definedness": "so that everything is defined",
    "modelling": "about how the code is modelled",
}
"""Where an assumption comes from, in the order in which they are listed."""


def _signs(text: str) -> str:
    """Relations as signs, where nothing is quoted."""
    if "`" in text:
        return text
    return text.replace(" <= ", " ≤ ").replace(" >= ", " ≥ ").replace(" != ", " ≠ ")


def assumed(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Assumptions by origin, each text once: the text, and where it comes from with all its places.

    >>> row = {"text": "n = m", "origin": "reading"}
    >>> assumed([{**row, "where": {"line": 3}}, {**row, "where": {"line": 5}}])
    [('n = m', 'a reading that was chosen, line 3; line 5')]
    """
    found: list[tuple[str, str]] = []
    for origin, words in ORIGIN_WORDS.items():
        places: dict[str, list[str]] = {}
        for row in rows:
            if row["origin"] == origin:
                known = places.setdefault(_signs(row["text"]), [])
                known += [place_words(row["where"])] if row["where"] and place_words(row["where"]) not in known else []
        found += [(text, f"{words}, {'; '.join(known)}" if known else words) for text, known in places.items()]
    return found


def known_items(report: Mapping[str, Any], path: str) -> frozenset[str]:
    """The items of a document whose finding the baseline has."""
    rows = (report["run"].get("baseline") or {}).get("known") or ()
    return frozenset(row["item"] for row in rows if row["document"] == path)


def baseline_words(report: Mapping[str, Any]) -> tuple[str, list[str]] | None:
    """What a baseline says of the report: how much is known of it, and what is fixed since then, a line each."""
    baseline = report["run"].get("baseline")
    if not baseline:
        return None
    known = _count(len(baseline["known"]), "finding")
    lines = [f"{row['document']}: {row['statement'] or row['code']}" for row in baseline["fixed"]]
    return f"{known} known from the baseline {baseline['path']}; {len(lines) or 'none'} fixed since then.", lines


def verdict(item: Mapping[str, Any]) -> Verdict:
    """The verdict of an item."""
    return VERDICTS[item["status"], item["strength"]]


def headline(items: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """A sign and the sentence that stands first. The tick needs claims, all of them decided and none of them false.

    >>> headline([])
    ('–', 'No claim was found: nothing was checked.')
    """
    found = claims(items)
    if not found:
        return "–", "No claim was found: nothing was checked."
    decided = [item for item in found if item["status"] in DECIDED]
    meant = [item for item in decided if item["status"] in {"refuted", "wrong"} and is_expected(item)]
    false = false_items(decided)
    counted = f"{_count(len(found), 'claim')}, {len(decided) or 'none'} decided"
    counted += f", {len(meant)} false as expected" if meant else ""
    of = "of the others" if meant else "of them"
    if false:
        return "✗", f"{counted}, {len(false)} {of} false{_following(false)}."
    if not decided:
        return "–", f"{counted}: nothing was proved or refuted."
    if len(decided) < len(found):
        return "–", f"{counted}, none {of} false."
    return "✓", f"{counted}, none {of} false."


def count_words(items: Sequence[Mapping[str, Any]]) -> list[str]:
    """How many items have each status that occurs: ``2 refuted (1 follows from another)``."""
    found = []
    for status in STATUSES:
        rows = [item for item in items if item["status"] == status]
        found += [f"{len(rows)} {COUNT_WORDS[status]}{_following(rows)}"] if rows else []
    return found


def _following(items: Sequence[Mapping[str, Any]]) -> str:
    count = len(followers(items))
    return f" ({count} {'follows' if count == 1 else 'follow'} from another)" if count else ""


def kind_words(item: Mapping[str, Any]) -> str:
    """What an item is; nothing of a definition whose verdict says it."""
    return "" if (item["kind"], item["status"]) == ("definition", "defined") else KIND_WORDS[item["kind"]]


def place_words(where: Mapping[str, Any]) -> str:
    """A place for a person: ``cell 3, line 2`` or ``line 12``."""
    cell = f"cell {where['cell']}, " if where.get("cell") is not None else ""
    return f"{cell}line {where['line']}"


def is_named(item: Mapping[str, Any]) -> bool:
    """Whether an item has a name of its own, as those of the library have, which says more than its line.

    >>> is_named({"id": "softmax_shift"}), is_named({"id": "eq-12"})
    (True, False)
    """
    return re.fullmatch(r"(?:.*\.)?[a-z]+-\d+", item["id"]) is None


def place_mark(path: str, where: Mapping[str, Any]) -> str:
    """A place for an editor: ``path:line:column``, with the cell of a notebook after the path."""
    cell = f":cell {where['cell']}" if where.get("cell") is not None else ""
    column = f":{where['column']}" if where.get("column") is not None else ""
    return f"{path}{cell}:{where['line']}{column}"


def scope_words(scope: str | Mapping[str, int] | None) -> str:
    """The sizes a verdict is about."""
    if scope is None:
        return ""
    return scope if isinstance(scope, str) else "for " + sizes_words(scope)


def side_words(kind: str) -> tuple[str, str]:
    """What the two values of a counterexample of a kind are.

    >>> side_words("values"), side_words("digits")
    (('left side', 'right side'), ('value', 'printed'))
    """
    return {"digits": ("value", "printed"), "shape": ("one shape", "the other")}.get(kind, ("left side", "right side"))


def sizes_words(sizes: Mapping[str, int]) -> str:
    """Sizes or indices as ``n = 2, d = 1``."""
    return ", ".join(f"{name} = {value}" for name, value in sizes.items())


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
