"""Jupyter notebooks, format 3 and 4, read as JSON; nothing is executed."""

from __future__ import annotations

import json
from typing import Any

from derivations.documents.formats.markdown import front_matter, read_markdown
from derivations.documents.formats.python_code import read_comments
from derivations.documents.model.document import Builder, DocumentError


def read_notebook(source: str, builder: Builder) -> None:
    """Add the blocks of a notebook.

    Errors: DocumentError for JSON that does not parse or is no notebook.
    """
    path = builder.path
    try:
        data = json.loads(source)
    except json.JSONDecodeError as error:
        raise DocumentError(
            f"{path}:{error.lineno}:{error.colno}: needed a notebook in JSON, found {error.msg}"
        ) from None
    except RecursionError:
        raise DocumentError(f"{path}: needed a notebook, found JSON that is nested too deeply") from None
    except ValueError as error:
        # Python refuses integers of more than 4300 digits.
        raise DocumentError(f"{path}: needed a notebook, found a number that is too long: {error}") from None
    cells = data.get("cells") if isinstance(data, dict) else None
    if cells is None and isinstance(data, dict) and isinstance(data.get("worksheets"), list):
        cells = [c for sheet in data["worksheets"] if isinstance(sheet, dict) for c in sheet.get("cells") or []]
    if not isinstance(cells, list):
        raise DocumentError(f"{path}: needed a notebook with a list of cells, found other JSON")
    language, told = _language(data), False
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict):
            continue
        builder.cell = number
        metadata = cell.get("metadata")
        tags = metadata.get("tags", []) if isinstance(metadata, dict) else []
        builder.cell_tags = tuple(t for t in tags if isinstance(t, str)) if isinstance(tags, list) else ()
        builder.cell_id = _identifier(cell)
        text = _joined(cell.get("source", cell.get("input", ""))).replace("\r\n", "\n").replace("\r", "\n")
        if "\0" in text:
            raise DocumentError(f"{path}: cell {number}: needed text, found a NUL character")
        lines = [(line, k, 1) for k, line in enumerate(text.split("\n"), 1)]
        kind = cell.get("cell_type")
        if kind in ("markdown", "heading"):
            if kind == "heading":
                level = cell.get("level")
                marks = "#" * (level if isinstance(level, int) and 1 <= level <= 6 else 1)
                # The marks stand in no line of the cell: the title itself starts at column 1.
                lines = [(f"{marks} {lines[0][0]}", 1, -len(marks)), *lines[1:]]
            start = front_matter(lines)[1] if number == 1 else 0
            read_markdown(lines[start:], builder, indented_code=True)
        elif kind == "code" and text.strip():
            block = builder.text(lines)
            if language != "python" and not told:
                builder.problem("not-python", f"needed code in Python, found a notebook in {language}", block.locate(0))
                told = True  # once: its other cells are in the same language
            count = cell.get("execution_count", cell.get("prompt_number"))
            comments = read_comments(block)[0] if language == "python" else ()
            index = builder.code(
                block, language, comments, count if isinstance(count, int) else None, isinstance(count, int)
            )
            for output in cell.get("outputs") or []:
                _output(output, index, len(lines), builder)


def _identifier(cell: dict[str, Any]) -> str:
    """What names a cell across copies of a notebook: its name in an assignment (nbgrader), else its own identifier."""
    metadata = cell.get("metadata")
    graded = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    names = [graded.get("grade_id") if isinstance(graded, dict) else None, cell.get("id")]
    return next((n for n in names if isinstance(n, str) and n), "")


def _language(data: dict[str, Any]) -> str:
    metadata = data.get("metadata")
    info = metadata.get("language_info", metadata.get("kernelspec", {})) if isinstance(metadata, dict) else {}
    name = info.get("name", info.get("language", "python")) if isinstance(info, dict) else "python"
    return "python" if not isinstance(name, str) or name.startswith(("python", "ipython")) else name.lower()


def _joined(value: Any) -> str:
    if isinstance(value, list):
        value = "".join(v for v in value if isinstance(v, str))
    # JSON can write half a surrogate pair, which no report can be encoded with.
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if isinstance(value, str) else ""


def _output(output: Any, of: int, line: int, builder: Builder) -> None:
    if not isinstance(output, dict):
        return
    kinds = {
        "stream": "stream",
        "execute_result": "result",
        "pyout": "result",
        "display_data": "display",
        "error": "error",
    }
    kind = kinds.get(str(output.get("output_type")))
    if kind is None:
        return
    if kind == "stream" and output.get("name") == "stderr":
        kind = "stderr"
    data = output.get("data")
    text = _joined(output.get("text", data.get("text/plain", "") if isinstance(data, dict) else ""))
    if kind == "error":
        text = f"{_joined(output.get('ename'))}: {_joined(output.get('evalue'))}"
    if text:
        builder.output(builder.text([(t, line, 1) for t in text.split("\n")]), of, kind)
