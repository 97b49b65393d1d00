"""Sessions at Python's prompt in fenced blocks of Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_documents

from derivations.documents import read_text
from derivations.documents.model.document import Document

SESSION = """Let $s(x)_i = \\frac{e^{x_i}}{\\sum_j e^{x_j}}$ for $x \\in \\mathbb{R}^n$.

```FENCE
>>> import numpy as np
>>> def s(x):
...     e = np.exp(x)
...     return e / e.sum()
>>> s(np.zeros(2))  # one half
array([0.5, 0.5])

>>> print(1)
1
```
"""


def read(language: str) -> Document:
    return read_text(SESSION.replace("FENCE", language), "x.md")


@pytest.mark.parametrize("language", ["python", "pycon", ""])
def test_statements_and_what_they_show(language: str) -> None:
    document = read(language)
    first, second = document.code
    assert first.is_python
    assert first.text.text.startswith("import numpy as np\ndef s(x):\n    e = np.exp(x)\n")
    assert [o.text.text for o in document.outputs_of(first)] == ["array([0.5, 0.5])"]
    assert [o.text.text for o in document.outputs_of(second)] == ["1"]
    (comment,) = document.comments
    assert (comment.place.line, comment.place.column) == (8, 21)
    assert document.outputs_of(first)[0].text.locate(0).line == 9


def test_its_functions_are_proved(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text(SESSION.replace("FENCE", "python"), encoding="utf-8")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    assert [i["status"] for i in made["documents"][0]["items"] if i["kind"] == "code"] == ["proved"]


def test_says_where_a_prompt_is_wrong() -> None:
    document = read_text("```python\n>>> x = 1\n>>>y = 2\n```\n", "x.md")
    assert [p.code for p in document.problems] == ["not-python"]
