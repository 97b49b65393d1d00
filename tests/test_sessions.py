"""Sessions at Python's prompt in fenced blocks of Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.numeric.running.process import Settings
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


FILE = '''r"""Running means.

>>> mean(np.array([1., 3.]))
2.0
"""
import numpy as np

SCALE = 2.0


def mean(x):
    r"""The mean $m = \\frac{1}{n} \\sum_{i=1}^n x_i$.

    >>> mean(scaled(np.array([1.0, 2.0])))
    4.0
    """
    return x.mean()


def scaled(x):
    return SCALE * x


if __name__ == "__main__":
    assert mean(np.ones(3)) == 1.0
'''


def test_examples_of_docstrings_follow_their_code(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_text(FILE.replace("\\\\", "\\"), encoding="utf-8")
    made, errors = check_documents([path], numbers=False, run=Settings())
    assert not errors
    found = [(i["where"]["line"], i["kind"], i["status"]) for d in made["documents"] for i in d["items"]]
    assert {(4, "output", "holds"), (15, "output", "wrong"), (25, "assertion", "holds")} <= set(found), found


def test_a_file_without_mathematics_is_no_document(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_text("def f(x):\n    return x\n\n\nassert f(1) == 1\n", encoding="utf-8")
    made, _ = check_documents([path], numbers=False, run=Settings())
    assert not any(d["items"] for d in made["documents"])


def test_what_its_author_skips_is_not_run() -> None:
    document = read_text("```python\n>>> f(1)  # doctest: +SKIP\n3\n>>> 1 + 1\n2\n```\n", "x.md")
    assert [c.text.text for c in document.code] == ["1 + 1"]
    assert [o.text.text for o in document.outputs_of(document.code[0])] == ["2"]
