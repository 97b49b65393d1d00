"""The pages about codes: every code that the sources can give has an entry, and every example gives its code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from derivations.numeric.running.process import Settings
from derivations.reports.run.check import check_documents

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "docs" / "codes").glob("*.md"))
CODE = re.compile(r"[a-z]+(?:-[a-z]+)*")
MAKERS = {
    *("ReadError", "NotUnderstood", "Problem", "problem", "error", "undecide", "undecided", "withheld", "skipped"),
    *("_skip", "skip", "finding", "found", "made", "_remark", "at_statement", "at_output"),
}
"""Functions that are given a code by its place among their arguments."""
NO_CODES = {"skipped", "undecided", "unread", "wrong", "refuted", "holds", "proved", "definition", "hypothesis", "claim"} | {
    *("step", "shape", "prose", "code", "output", "assertion", "vector", "matrix", "declaration", "size"),
}  # fmt: skip
"""Statuses and kinds, which stand beside codes; those that are codes, too, are found where they are skipped."""
CERTIFICATES = "derivations/kernel"


@dataclass(frozen=True)
class Entry:
    """What a page says of one code."""

    code: str
    text: str
    suffix: str
    example: str
    run: bool


@cache
def entries() -> tuple[Entry, ...]:
    found = []
    for page in PAGES:
        for part in page.read_text(encoding="utf-8").split("\n## `")[1:]:
            code, _, text = part.partition("`\n")
            fence = re.search(r"^````(\w+)( run)?\n(.*?)^````$", text, re.MULTILINE | re.DOTALL)
            suffix = {"markdown": "md", "latex": "tex", "python": "py"}[fence.group(1)] if fence else ""
            found.append(Entry(code, text, suffix, fence.group(3) if fence else "", bool(fence and fence.group(2))))
    return tuple(found)


def strings(node: ast.expr | None) -> Iterator[str]:
    """What a value may be: a string, or one of the strings between which a condition chooses."""
    if isinstance(node, ast.IfExp | ast.BoolOp):
        parts = [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values
        for part in parts:
            yield from strings(part)
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "get" and len(node.args) == 2:
        yield from strings(node.args[1])
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value):
        yield node.value


def is_said(words: ast.expr) -> bool:
    """Whether an expression is a sentence."""
    if isinstance(words, ast.Constant):
        return len(str(words.value).split()) > 2
    return isinstance(words, ast.JoinedStr) or (isinstance(words, ast.Name) and words.id in ("words", "reason", "said"))


def codes_of(tree: ast.AST) -> Iterator[str]:
    """The codes that a module gives to findings, problems and errors."""
    for n in ast.walk(tree):
        if isinstance(n, ast.Call):
            name = n.func.attr if isinstance(n.func, ast.Attribute) else getattr(n.func, "id", "")
            yield from (s for k in n.keywords if k.arg == "code" for s in strings(k.value))
            if name in MAKERS:
                kinds = (
                    NO_CODES - {"declaration", "size", "hypothesis"}
                    if name in ("_skip", "skip", "skipped")
                    else NO_CODES
                )
                yield from (s for a in n.args for s in strings(a) if s not in kinds)
        elif isinstance(n, ast.Tuple) and len(n.elts) in (2, 3):
            *_, code, words = n.elts
            if is_said(words):
                yield from set(strings(code)) - NO_CODES
        elif isinstance(n, ast.FunctionDef):
            pairs = zip(reversed(n.args.args), reversed(n.args.defaults), strict=False)
            yield from (s for a, d in pairs if a.arg == "code" for s in strings(d))
        elif isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name) and n.target.id == "code" and n.value:
            yield from strings(n.value)
        elif isinstance(n, ast.Assign):
            for target in n.targets:
                pairs = (
                    zip(target.elts, n.value.elts, strict=False)
                    if isinstance(target, ast.Tuple) and isinstance(n.value, ast.Tuple)
                    else [(target, n.value)]
                )
                for t, v in pairs:
                    last = t.attr if isinstance(t, ast.Attribute) else getattr(t, "id", "")
                    if last == "code":
                        yield from strings(v)
                    elif last == "CODES" and isinstance(v, ast.Dict):
                        yield from (s for x in v.values for s in strings(x))


@cache
def codes_in_sources() -> dict[str, str]:
    """Each code with a file that gives it."""
    found: dict[str, str] = {}
    for top in ("derivations", "numeric/running", "reports/run"):
        for path in sorted((ROOT / top).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            if not place.startswith(CERTIFICATES):
                found |= dict.fromkeys(codes_of(ast.parse(path.read_text(encoding="utf-8"))), place)
    return found


def test_every_code_has_one_entry() -> None:
    known = [e.code for e in entries()]
    assert len(known) == len(set(known))
    missing = {c: place for c, place in codes_in_sources().items() if c not in known}
    assert not missing, f"codes without an entry in docs/codes: {missing}"
    assert set(known) <= codes_in_sources().keys(), set(known) - codes_in_sources().keys()


@pytest.mark.parametrize("entry", entries(), ids=[e.code for e in entries()])
def test_entries_are_complete(entry: Entry) -> None:
    assert "\nSettled by: " in entry.text
    assert bool(entry.example) != ("\nNo short document shows it: " in entry.text)


EXAMPLES = [e for e in entries() if e.example]


@pytest.mark.parametrize("entry", EXAMPLES, ids=[e.code for e in EXAMPLES])
def test_examples_give_their_code(tmp_path: Path, entry: Entry) -> None:
    path = tmp_path / f"lesson.{entry.suffix}"
    path.write_text(entry.example, encoding="utf-8")
    made, errors = check_documents([path], numbers=False, run=Settings() if entry.run else None)
    assert not errors
    items = made["documents"][0]["items"]
    assert entry.code in [i["code"] for i in items], [(i["status"], i["code"], i["reason"]) for i in items]
