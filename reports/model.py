"""The JSON report: typed builders, reading, validation.

One report is a tree of plain data in the form that `schema.json` states. The builders below make it, so that no key can
be forgotten; every writer works on the plain data alone, so that a report saved today can be shown tomorrow.

    item = Item(id="eq-1", fingerprint="…", kind="claim", where=Place(line=3), source="a = b", status="unread")
    report = Report([DocumentReport(path="a.md", sha256=None, title=None, items=[item])]).to_dict()
    validate(report)
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

SCHEMA = "derivations-report/1"
STATUSES = ("defined", "proved", "refuted", "agrees", "holds", "wrong", "undecided", "unread", "skipped")
KINDS = ("definition", "claim", "step", "hypothesis", "code", "output", "assertion", "shape", "prose")
CLAIM_KINDS = frozenset({"claim", "step", "output", "assertion", "shape", "prose", "code"})
"""The kinds of item that say something which can be true or false."""
LATEX_KINDS = frozenset({"definition", "claim", "step", "hypothesis", "shape"})
"""The kinds of item whose source is LaTeX."""
DECIDED = frozenset({"proved", "refuted", "holds", "wrong"})
"""The statuses that settle a claim. `agrees` is a numerical agreement and settles nothing."""


class ReportError(ValueError):
    """A report that cannot be read or does not follow the schema; the message says where and what was needed."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where something stands: 1-based line and column, in the file or, for a notebook, in the 1-based cell."""

    line: int
    cell: int | None = None
    column: int | None = None
    end_line: int | None = None


@dataclass(frozen=True, kw_only=True)
class Assumption:
    """Something a verdict rests on. `origin`: document, reading, definedness, declaration or modelling.

    `kind` is a stable name of what such assumptions say (`derivations.notes`); those of a theorem are `obligation`,
    `hypothesis`, `law` and, where the tool added a condition, `condition`.
    """

    text: str
    origin: str
    where: Place | None = None
    kind: str = "condition"


@dataclass(frozen=True, kw_only=True)
class Step:
    """One line of a derivation for a person: the relation to the line before, the term in LaTeX, and why."""

    relation: str
    term: str
    reason: str
    rule: str | None = None


@dataclass(frozen=True, kw_only=True)
class Proof:
    """The certificate that the kernel replayed: its SHA-256 in hexadecimal, and its number of rule applications."""

    certificate: str
    rules: int


@dataclass(frozen=True, kw_only=True)
class Counterexample:
    """A point where the statement fails.

    `kind`: values, shape, digits or distribution. `inputs` maps a name to a rational written as text, or to nested
    lists of them; `at` maps a free index to its value; `left` and `right` are the two values as decimals; `program` shows
    a counterexample about code with the code itself; `entries` are both sides at all values of one or two `indices`, as
    nested lists of decimals (None where a side is undefined or nothing is claimed).
    """

    kind: str
    sizes: Mapping[str, int] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    at: Mapping[str, int] = field(default_factory=dict)
    left: str | None = None
    right: str | None = None
    replayed: bool = False
    program: str | None = None
    entries: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class Item:
    """One statement of a document and what became of it; see the schema for the meaning of each field."""

    id: str
    fingerprint: str
    kind: str
    where: Place
    source: str
    status: str
    read: str | None = None
    sympy: str | None = None
    latex: str | None = None
    listing: str | None = None
    strength: str | None = None
    scope: str | Mapping[str, int] | None = None
    assumptions: Sequence[Assumption] = ()
    steps: Sequence[Step] = ()
    proof: Proof | None = None
    depends_on: Sequence[str] = ()
    linked: Sequence[str] = ()
    counterexample: Counterexample | None = None
    suggestion: str | None = None
    code: str | None = None
    reason: str | None = None
    notes: Sequence[str] = ()
    silenced: Mapping[str, str] | None = None
    """That the author knows of it: `how` (expected, ignored or off), and the `reason`."""
    follows_from: str | None = None
    role: str | None = None
    """The rule that told what the relation is."""
    """The earlier item without which this one would be proved: it is no finding of its own."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """What the author told the checker: the entry, its reason, the items it acted on, and why it fails the run.

    `path` is the file that it stands in: the document, or the project file.
    """

    kind: str
    text: str
    where: Place
    path: str
    reason: str | None = None
    items: Sequence[str] = ()
    fault: str | None = None
    only: str = ""
    """The document that an entry of the project file is about; no key of the report."""

    @property
    def project(self) -> bool:
        """Whether it stands in the project file."""
        return bool(self.only)


@dataclass(frozen=True)
class DocumentReport:
    """The items of one document, in document order; `sha256` is of the bytes that were read."""

    path: str
    sha256: str | None
    title: str | None
    items: Sequence[Item] = ()
    declarations: Sequence[Said] = ()
    chapters: Mapping[str, str] = field(default_factory=dict)
    """Titles of the files that were read together; no key of the report."""


@dataclass(frozen=True)
class Report:
    """All documents of one check. What depends on the machine or the moment belongs in `run`."""

    documents: Sequence[DocumentReport]
    run: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, with every key of the schema."""
        documents = [plain(document) for document in self.documents]
        return {
            "schema": SCHEMA,
            "tool": {"name": "derivations", "version": self.version or _version()},
            "documents": documents,
            "summary": summarise(documents),
            "run": {"checks": [], **plain(self.run)},
        }

    def to_json(self) -> str:
        """The report as text: the same data give the same bytes."""
        return to_json(self.to_dict())


def to_json(report: Mapping[str, Any]) -> str:
    """Write plain data as deterministic JSON: sorted keys, one space of indentation, a final line feed.

    Raises ReportError where a number is not finite: JSON has no notation for it.

    >>> to_json({"b": 1, "a": []})
    '{\\n "a": [],\\n "b": 1\\n}\\n'
    """
    try:
        return json.dumps(report, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    except ValueError as error:
        raise ReportError(
            f"report: needs finite numbers, found one that is not ({error}); write null and say why in the reason"
        ) from error


def summarise(documents: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Count the items of plain documents by status; all nine statuses are present."""
    counts = Counter(item["status"] for document in documents for item in document["items"])
    return {status: counts[status] for status in STATUSES}


def claims(items: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The items that claim something, in order: those that may be counted in "N claims, M decided".

    Code that nothing was compared with (skipped) and prose that is not read claim nothing.
    """
    return [
        item
        for item in items
        if item["kind"] in CLAIM_KINDS
        and item["status"] not in {"defined", "skipped"}
        and not (item["status"] == "unread" and item["kind"] in {"prose", "code"})
    ]


def false_items(items: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The items that are false, without those whose author expects it."""
    return [item for item in items if item["status"] in {"refuted", "wrong"} and not is_expected(item)]


def followers(items: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The false items that only follow from another one."""
    return [item for item in false_items(items) if item.get("follows_from") is not None]


def is_expected(item: Mapping[str, Any]) -> bool:
    """Whether the author declares that this item is refuted or wrong."""
    return (item.get("silenced") or {}).get("how") == "expected"


def faults(report: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any], str]]:
    """The declarations that are not understood or do nothing: file, place and what is the matter."""
    said = [s for document in report["documents"] for s in document.get("declarations", ()) if s["fault"]]
    return [(s["path"], s["where"], s["fault"]) for s in said]


class Fingerprints:
    """Hands out the fingerprints of one document: stable when text is inserted elsewhere.

    A fingerprint depends on the statement with its white space normalised, on the heading it stands under, and on how
    often the same statement stood under the same heading before.

    >>> marks = Fingerprints()
    >>> first = marks.of("A = B", "Masks")
    >>> first == marks.of("A  = B", "Masks"), first == Fingerprints().of("A = B ", "Masks")
    (False, True)
    """

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str]] = Counter()

    def of(self, statement: str, heading: str | None) -> str:
        """The fingerprint of the next occurrence of this statement under this heading: 16 hexadecimal digits."""
        key = (" ".join(statement.split()), " ".join((heading or "").split()))
        self._seen[key] += 1
        text = json.dumps([*key, self._seen[key]], ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def read_report(path: str | Path) -> dict[str, Any]:
    """Read a saved report and validate it.

    Raises ReportError with one message where the file is missing, is no JSON, belongs to another or a newer schema, or
    does not follow the schema.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ReportError(
            f"{path}: needs UTF-8 text, found byte {error.object[error.start]:#04x} at offset {error.start}"
        ) from error
    except OSError as error:
        raise ReportError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        report = json.loads(text, parse_constant=_no_number)
    except _NoNumber as error:
        raise ReportError(f"{path}: damaged report, not JSON: needs a number, found {error}") from error
    except json.JSONDecodeError as error:
        raise ReportError(f"{path}:{error.lineno}:{error.colno}: damaged report, not JSON: {error.msg}") from error
    except RecursionError as error:
        raise ReportError(f"{path}: damaged report: lists and objects are nested too deeply") from error
    if not isinstance(report, dict) or not isinstance(report.get("schema"), str):
        raise ReportError(f'{path}: needs an object with "schema": "{SCHEMA}", found none; is this a report?')
    found = report["schema"]
    if found != SCHEMA:
        name, _, number = found.rpartition("/")
        if name == SCHEMA.rpartition("/")[0] and number.isdecimal() and int(number) > int(SCHEMA.rpartition("/")[2]):
            raise ReportError(
                f"{path}: written by a newer version ({found}); this version reads {SCHEMA}: update derivations"
            )
        raise ReportError(f"{path}: needs schema {SCHEMA}, found {found!r}")
    try:
        validate(report)
    except ReportError as error:
        raise ReportError(f"{path}: damaged report: {error}") from error
    _tell_what_is_silenced(report)
    return report


def _tell_what_is_silenced(report: Mapping[str, Any]) -> None:
    """Say in each item what its author declared of it, where the report is older than that key."""
    hows = {"expect": "expected", "ignore": "ignored", "off": "off"}
    for document in report["documents"]:
        said = {i: s for s in document.get("declarations", ()) if s["kind"] in hows for i in s["items"]}
        for item in document["items"]:
            known = said.get(item["id"])
            found = known and {"how": hows[known["kind"]], "reason": known["reason"] or ""}
            item.setdefault("silenced", found)


class _NoNumber(ValueError):
    """A word that Python's reader takes for a number, and JSON has not."""


def _no_number(word: str) -> Any:
    raise _NoNumber(word)


def validate(report: Any) -> None:
    """Check a report against `schema.json` and against what a schema cannot say; raise ReportError with what fails.

    The second group: ids unique within a document and references to them known, the summary equal to the counts,
    `proved` with a certificate and a strength, `refuted` with a counterexample, and no strength without a proof.
    """
    problems = _mismatches(report, schema(), "report", 0) or _contradictions(report)
    if problems:
        more = f" (and {len(problems) - 5} more)" if len(problems) > 5 else ""
        raise ReportError("; ".join(problems[:5]) + more)


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the report, as shipped."""
    loaded: dict[str, Any] = json.loads(Path(__file__).with_name("schema.json").read_text(encoding="utf-8"))
    return loaded


_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_DEPTH = 64


def _mismatches(value: Any, rule: Mapping[str, Any], place: str, depth: int) -> list[str]:
    """What in `value` does not follow `rule`, for the keywords of JSON Schema that our schema uses."""
    if depth > _DEPTH:
        return [f"{place}: nested deeper than {_DEPTH} levels"]
    if "$ref" in rule:
        return _mismatches(value, schema()["$defs"][rule["$ref"].rpartition("/")[2]], place, depth + 1)
    if "anyOf" in rule:
        tried = [_mismatches(value, option, place, depth + 1) for option in rule["anyOf"]]
        if not all(tried):
            return []
        # The options that fail deepest inside the value are those that were meant.
        depths = [len(found[0].partition(": ")[0]) for found in tried]
        deepest = [found for found, depth in zip(tried, depths, strict=True) if depth == max(depths)]
        if len(deepest) == 1:
            return deepest[0]
        needs = " or ".join(found[0].partition("needs ")[2].partition(", found")[0] for found in deepest)
        return [f"{place}: needs {needs}, found {_short(value)}"]
    if "const" in rule and value != rule["const"]:
        return [f"{place}: needs {rule['const']!r}, found {_short(value)}"]
    if "enum" in rule and value not in rule["enum"]:
        return [f"{place}: needs one of {', '.join(map(str, rule['enum']))}; found {_short(value)}"]
    if "type" in rule:
        names = [rule["type"]] if isinstance(rule["type"], str) else rule["type"]
        if not any(
            isinstance(value, _TYPES[name]) and (name == "boolean" or not isinstance(value, bool)) for name in names
        ):
            return [f"{place}: needs {' or '.join(names)}, found {_short(value)}"]
    problems: list[str] = []
    if isinstance(value, str):
        if len(value) < rule.get("minLength", 0):
            problems.append(f"{place}: needs a text that is not empty")
        if "pattern" in rule and not re.search(rule["pattern"], value):
            problems.append(f"{place}: needs the pattern {rule['pattern']}, found {_short(value)}")
    elif isinstance(value, int | float) and "minimum" in rule and value < rule["minimum"]:
        problems.append(f"{place}: needs at least {rule['minimum']}, found {value}")
    elif isinstance(value, list) and "items" in rule:
        for position, element in enumerate(value):
            problems += _mismatches(element, rule["items"], f"{place}[{position}]", depth + 1)
    elif isinstance(value, dict):
        known = rule.get("properties", {})
        problems += [f"{place}: needs the key {key!r}" for key in rule.get("required", []) if key not in value]
        others = rule.get("additionalProperties", True)
        for key, element in value.items():
            if key in known:
                problems += _mismatches(element, known[key], f"{place}.{key}", depth + 1)
            elif others is False:
                problems.append(f"{place}: unknown key {_short(key)}")
            elif isinstance(others, dict):
                problems += _mismatches(element, others, f"{place}.{key}", depth + 1)
    return problems


def _contradictions(report: Mapping[str, Any]) -> list[str]:
    """What contradicts itself in a report that follows the schema."""
    problems = []
    if report["summary"] != summarise(report["documents"]):
        problems.append("summary: the counts differ from the items")
    for number, document in enumerate(report["documents"]):
        ids = Counter(item["id"] for item in document["items"])
        here = f"documents[{number}]"
        problems += [f"{here}: the id {name!r} occurs {count} times" for name, count in ids.items() if count > 1]
        for said in document.get("declarations", ()):
            lost = [name for name in said["items"] if name not in ids]
            problems += [
                f"{here}: a declaration refers to {name!r}, which is no item of this document" for name in lost
            ]
        for item in document["items"]:
            place = f"{here}, item {item['id']}"
            named = [*item["depends_on"], *item["linked"], *filter(None, [item.get("follows_from")])]
            unknown = [name for name in named if name not in ids]
            problems += [f"{place}: refers to {name!r}, which is no item of this document" for name in unknown]
            problems += [f"{place}: {text}" for text in _item_contradictions(item)]
    return problems


def _item_contradictions(item: Mapping[str, Any]) -> list[str]:
    status, strength = item["status"], item["strength"]
    problems = []
    if status == "proved" and item["proof"] is None:
        problems.append("proved without a certificate")
    if status == "proved" and strength is None:
        problems.append("proved without a strength")
    if status != "proved" and strength is not None:
        problems.append(f"{status} with the strength {strength}, which only a proof has")
    if status == "refuted" and item["counterexample"] is None:
        problems.append("refuted without a counterexample")
    if status in {"undecided", "unread", "skipped"} and not item["reason"]:
        problems.append(f"{status} without a reason")
    added = [row["text"] for row in item["assumptions"] if row["origin"] in {"reading", "definedness", "modelling"}]
    if strength in {"unfolding", "unconditional"} and added:
        problems.append(f"{strength}, yet it rests on an assumption that was added: {_short(added[0])}")
    return problems


def plain(value: Any) -> Any:
    """Dataclasses, mappings and sequences as plain dictionaries and lists."""
    if is_dataclass(value) and not isinstance(value, type):
        hidden = _NO_KEYS.get(type(value), ())
        return {each.name: plain(getattr(value, each.name)) for each in fields(value) if each.name not in hidden}
    if isinstance(value, Mapping):
        return {str(key): plain(element) for key, element in value.items()}
    if isinstance(value, list | tuple):
        return [plain(element) for element in value]
    return value


_NO_KEYS: dict[type, tuple[str, ...]] = {Said: ("only",), DocumentReport: ("chapters",)}
"""What the builders keep for themselves."""


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _version() -> str:
    from derivations import __version__

    return __version__
