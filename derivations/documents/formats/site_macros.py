r"""Macros that a site's configuration defines: MyST, Jupyter Book, Quarto, Jekyll, and MathJax or KaTeX in a page.

There is no YAML library among our dependencies, and a whole YAML reader is not needed: nested mappings of scalars and of
flow lists are read, everything else is passed over.  A configuration gives macros and nothing else.

Sources: the MyST guide, "Math in MyST"; the Jupyter Book guide, "Math and equations"; the MathJax 3 documentation, "TeX
macros"; YAML 1.2.2, chapters 6 and 7.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from derivations.documents.formats.files_looked_at import looked_at
from derivations.latex.syntax.lexer import Macro
from derivations.latex.syntax.macro_definitions import macro_of, matching_braces

CONFIGURATIONS = (
    "myst.yml",
    "_config.yml",
    "_quarto.yml",
    "_metadata.yml",
    "mathjax.html",
    "mathjax-config.js",
    "mathjax.js",
)
"""Files beside a document that may define macros."""
MAX_BYTES = 2**20

_PAIR = re.compile(
    r"""^(\s*+)(?:- )?("(?:\\.|[^"\\])*+"|'(?:''|[^'])*+'|[^\s#'"\[{](?:\s*+[^\s#])*?)\s*+:(?:\s++(.*))?$"""
)
"""A line of YAML without white space at its end."""
_QUOTED = re.compile(r""""(?:\\.|[^"\\])*"|'(?:''|[^'])*'""")
_SCALAR = re.compile(r"""\s*("(?:\\.|[^"\\])*"|'(?:''|\\.|[^'])*'|[^,\[\]{}'"]+)\s*""")
_SCRIPT = re.compile(r"\bmacros\b[\"']?\s*:\s*(?=\{)", re.IGNORECASE)
_ENTRY = re.compile(
    r"""(?:^|[,{\s])["']?(\\{0,2}[A-Za-z]+)["']?\s*+:\s*+("(?:\\.|[^"\\]){0,999}+"|'(?:\\.|[^'\\]){0,999}+'|\[(?:[^\[\]]|\[[^\]]{0,999}\]){0,999}+\])"""
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": ""}


def macros_beside(folder: Path) -> dict[str, Macro]:
    """The macros of the configuration files of a folder; a file that cannot be read gives none."""
    found: dict[str, Macro] = {}
    for name in CONFIGURATIONS:
        path = folder / name
        try:
            if not path.is_file() or path.stat().st_size > MAX_BYTES:
                looked_at(path, None)
                continue
            data = path.read_bytes()
            looked_at(path, data)
            text = data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
        except (OSError, UnicodeDecodeError):
            continue
        found |= macros_of_text(text) if path.suffix == ".yml" else macros_of_script(text)
    return found


def macros_of_text(text: str) -> dict[str, Macro]:
    r"""The macros of a YAML text: every mapping named `macros`, and those named `math` with keys that are commands.

    >>> macros_of_text("project:\n  math:\n    '\\R': '\\mathbb{R}'\n")["R"].body
    '\\mathbb{R}'
    """
    found = macros_of_script(text)
    for name, value in _mappings(read_yaml(text)):
        for key, entry in value.items():
            if name == "math" and not key.startswith("\\"):
                continue
            made = macro_of(key, entry.get("macro") if isinstance(entry, dict) else entry)
            if made is not None:
                found[made[0]] = made[1]
    return found


def _mappings(tree: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    todo = [tree]
    while todo:
        for key, value in todo.pop().items():
            if isinstance(value, dict):
                if key.lower() in ("macros", "math", "katex_macros"):
                    yield key.lower(), value
                todo.append(value)


def read_yaml(text: str) -> dict[str, Any]:
    r"""The nested mappings of a YAML text; block lists, anchors, tags and block scalars are passed over.

    >>> read_yaml("a:\n  b: 1 # c\n  d: ['x', 2]\n")
    {'a': {'b': '1', 'd': ['x', 2]}}
    """
    root: dict[str, Any] = {}
    levels: list[tuple[int, dict[str, Any]]] = [(-1, root)]
    skip_deeper: int | None = None
    for line in text.replace("\t", "    ").split("\n"):
        if not line.strip() or line.lstrip().startswith(("#", "---", "...", "- ")):
            continue
        indent = len(line) - len(line.lstrip())
        if skip_deeper is not None and indent > skip_deeper:
            continue
        skip_deeper = None
        match = _PAIR.match(line.rstrip())
        if match is None:
            continue
        while levels[-1][0] >= indent:
            levels.pop()
        key, value = _scalar(match.group(2)), (match.group(3) or "").strip()
        if not value or value.startswith("#"):
            inner: dict[str, Any] = {}
            levels[-1][1][key] = inner
            levels.append((indent, inner))
        elif value[0] in "|>&*!":
            skip_deeper = indent
        else:
            levels[-1][1][key] = _value(value)
    return root


def _value(text: str) -> Any:
    if text.startswith("["):
        items: list[Any] = []
        at = 1
        while (match := _SCALAR.match(text, at)) is not None:
            item = _scalar(match.group(1).strip())
            items.append(int(item) if item.isdigit() and match.group(1)[0] not in "\"'" else item)
            at = match.end()
            if text[at : at + 1] != ",":
                break
            at += 1
        return items
    quoted = _QUOTED.match(text)
    return _scalar(quoted.group()) if quoted is not None else text.split(" #")[0].strip()


def _scalar(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), text[1:-1])
    if len(text) >= 2 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return text


def macros_of_script(text: str) -> dict[str, Macro]:
    r"""The macros of a MathJax or KaTeX configuration in JavaScript or JSON; nothing of it is executed.

    >>> macros_of_script('MathJax = {tex: {macros: {R: "\\\\mathbb{R}", norm: ["\\\\|#1\\\\|", 1]}}}')["norm"]
    Macro(arguments=1, body='\\|#1\\|', default=None)
    """
    found: dict[str, Macro] = {}
    starts = list(_SCRIPT.finditer(text))
    braces = matching_braces(text) if starts else {}
    for match in starts:
        close = braces.get(match.end())
        if close is None:
            continue
        for entry in _ENTRY.finditer(text, match.end(), close):
            written = entry.group(2)
            value: Any = _js(written)
            if written.startswith("["):
                parts = [_SCALAR.fullmatch(p) for p in _split(written[1:-1])]
                texts = [p.group(1).strip() for p in parts if p is not None]
                value = [int(t) if t.isdigit() else _js(t) for t in texts]
            made = macro_of(entry.group(1), value)
            if made is not None:
                found[made[0]] = made[1]
    return found


def _split(text: str) -> list[str]:
    """The elements of a list of strings and numbers."""
    parts, done = [], 0
    spans = [m.span() for m in re.finditer(r"""\"(?:\\.|[^"\\])*+"|'(?:\\.|[^'\\])*+'""", text)]
    for comma in (m.start() for m in re.finditer(",", text)):
        if not any(start < comma < end for start, end in spans):
            parts.append(text[done:comma])
            done = comma + 1
    return [*parts, text[done:]]


def _js(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), text[1:-1])
    return text
