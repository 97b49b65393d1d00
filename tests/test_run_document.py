"""`--run`: documents whose code is run, with what becomes of each printed output, assertion and accident."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from derivations.numeric.running.process import RunRefused, Settings, trial
from derivations.numeric.running.replays import take_replays
from derivations.numeric.running.study import run_document

from derivations.cli import main
from derivations.documents import read
from derivations.documents.model.document import Place
from derivations.documents.model.finding import Finding
from derivations.provers.decide import Refuted
from derivations.provers.refute import Counterexample

QUICK = Settings(seconds=1.0)


def confined() -> bool:
    try:
        trial(QUICK)
    except RunRefused:
        return False
    return True


pytestmark = pytest.mark.skipif(not confined(), reason="this kernel lacks what --run promises (Landlock, seccomp)")


def notebook(folder: Path, cells: Sequence[tuple[object, ...]], language: str = "python") -> Path:
    """A notebook of code cells: (source, printed text or None, count, tags)."""
    made = []
    for k, (source, printed, *more) in enumerate(cells, 1):
        outputs = [] if printed is None else [{"output_type": "stream", "name": "stdout", "text": printed}]
        count = more[0] if more else k
        tags = more[1] if len(more) > 1 else []
        made.append(
            {
                "cell_type": "code",
                "source": source,
                "outputs": outputs,
                "execution_count": count,
                "metadata": {"tags": tags},
            }
        )
    path = folder / "n.ipynb"
    data = {"cells": made, "metadata": {"language_info": {"name": language}}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def findings(path: Path, settings: Settings = QUICK) -> list[Finding]:
    return run_document(read(path), settings).findings


def rows(found: Sequence[Finding]) -> list[tuple[int, int, str, str | None]]:
    return [(f.place.cell or 0, f.place.line, f.status, f.code) for f in found]


N = "import numpy as np\nx = np.array([1.0, 2.0, 4.0])"
OUTPUTS = [
    ([(N, None), ("print(x / 3)", "[0.33333333 0.66666667 1.33333333]\n")], [(2, 1, "holds", None)]),
    ([(N, None), ("print(x / 3)", "[0.33333333 0.66666667 1.43333333]\n")], [(2, 1, "wrong", "wrong-output")]),
    ([(N, None), ("print(x.shape, x.sum() > 3)", "(3,) True\n")], [(2, 1, "holds", None)]),
    ([(N, None), ("print(x.sum() > 3)", "False\n")], [(2, 1, "wrong", "wrong-output")]),
    ([(N, None), ("print(f'mean: {x.mean():.2f}')", "mean: 2.33\n")], [(2, 1, "holds", None)]),
    ([(N, None), ("print(f'mean: {x.mean():.2f}')", "mean: 2.43\n")], [(2, 1, "wrong", "wrong-output")]),
    ([(N, None), ("print('mean: {:.2f}'.format(x.mean()))", "mean: 2.43\n")], [(2, 1, "wrong", "wrong-output")]),
    ([(N, None), ("x\n", "array([1., 2., 4.])")], [(2, 1, "holds", None)]),
    ([(N, None), ("x;\n", None)], []),
    ([(N, None), ("for v in x:\n    print(v)", "1.0\n2.0\n4.0\n")], [(2, 2, "holds", None)]),
    ([(N, None), ("for v in x:\n    print(v)", "1.0\n2.5\n4.0\n")], [(2, 2, "wrong", "wrong-output")]),
    # order: the cells were executed in another order than they stand
    (
        [("d = 8", None, 1), ("print(d)", "2\n", 3), ("d = 2", None, 2)],
        [(2, 1, "holds", None)],
    ),
    ([("d = 8", None, 2), ("print(d)", "4\n", 1)], [(2, 1, "wrong", "stale-output")]),
    # randomness
    (
        [("import numpy as np\nprint(np.random.rand(2))", "[0.5 0.25]\n")],
        [(1, 2, "skipped", "unseeded-random")],
    ),
    (
        [("import numpy as np\nprint(np.random.rand(2).shape)", "(2,)\n")],
        [(1, 2, "holds", None)],
    ),
    (
        [("import numpy as np\nnp.random.seed(0)\nprint(np.random.rand(2))", "[0.5488135  0.71518937]\n")],
        [(1, 3, "holds", None)],
    ),
    (
        [("import numpy as np\nnp.random.seed(0)\nprint(np.random.rand(2))", "[0.5 0.25]\n")],
        [(1, 3, "undecided", "seeded-random")],
    ),
    (
        [("import numpy as np\nprint(np.random.rand(2))", "[0.5 0.25 0.125]\n")],
        [(1, 2, "wrong", "wrong-output")],
    ),
    (
        [("import numpy as np\nx = np.random.default_rng(3).normal(size=5)\nprint(np.allclose(x, 2 * x))", "True\n")],
        [(1, 3, "wrong", "wrong-output")],
    ),  # false whatever is drawn, and by far
    (
        [
            (
                "import numpy as np\nx = np.random.rand(5)\nprint(np.allclose(x, x + 1e-4))\nprint(np.allclose(x, x))",
                "True\nTrue\n",
            )
        ],
        [(1, 3, "undecided", "random"), (1, 4, "holds", None)],
    ),  # other arithmetic may give it
    (
        [("import numpy as np\nx = np.random.rand(5)\nprint(np.allclose(x, x + 1, atol=0.5))", "True\n")],
        [(1, 3, "undecided", "random")],
    ),  # a tolerance of its own may be meant for what is drawn
    (
        [("import numpy as np\nx = np.random.rand(5)\ny = np.allclose(x, 2 * x)\nprint(x.max() > 2)", "True\n")],
        [(1, 4, "undecided", "random")],
    ),  # another comparison than the one that is printed
    (
        [("import numpy as np\nr = np.random.default_rng(3).normal(size=4)\nprint((r / r).sum() + 0.25)", "4.5\n")],
        [(1, 3, "wrong", "wrong-output")],
    ),  # the same for all seeds
    (
        [
            ("import numpy as np\nx = np.random.rand(2)\ndef f(x): return x.sum()", None),
            ("print(f(np.array([1.0, 2.0])))", "4.0\n"),
        ],
        [(2, 1, "wrong", "wrong-output")],
    ),  # a parameter is not the variable of the same name
    (
        [
            (
                "import torch\nfrom torch import nn\nclass S(nn.Module):\n    def __init__(self):\n"
                "        super().__init__()\n        self.g = nn.Parameter(torch.ones(2))\n"
                "    def forward(self, x):\n        return (self.g * x).sum()",
                None,
            ),
            ("print(S()(torch.ones(2)).item())", "3.0\n"),
        ],
        [(2, 1, "wrong", "wrong-output")],
    ),  # a module of its own draws nothing
    # the machine and the moment
    (
        [("import time\nt = time.time()\nprint(f'took {time.time() - t:.1f} s')", "took 7.2 s\n")],
        [(1, 3, "skipped", "unseeded-random")],
    ),
    (
        [("import time\nt = time.time()", None), ("took = time.time() - t\nprint(took)", "7.2\n")],
        [(2, 2, "skipped", "unseeded-random")],
    ),
    # what a front end adds
    ([("%matplotlib inline\nprint(2)", "2\n")], [(1, 2, "holds", None)]),
    ([("%%time\nprint(2)", "2\nCPU times: user 1 ms\nWall time: 2 ms\n")], [(1, 2, "holds", None)]),
    ([("!echo 3\nprint(2)", "3\n2\n")], [(1, 2, "holds", None)]),
    (
        [("import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1])\nprint(2)", "2\n")],
        [(1, 4, "holds", None)],
    ),
    # values that the document states
    (
        [(N + "\nprint(x)\nprint('x_true: [1. 2. 4.]')", "[1. 2. 4.]\nx_true: [1. 2. 4.]\n")],
        [(1, 3, "holds", None), (1, 4, "holds", None)],
    ),
    (
        [(N + "\nprint(x)\nprint('x_true: [1. 2. 5.]')", "[1. 2. 4.]\nx_true: [1. 2. 5.]\n")],
        [(1, 3, "holds", None), (1, 4, "undecided", "stated-values-differ")],
    ),
    # assertions
    ([(N + "\nassert x.sum() == 7", None)], [(1, 3, "holds", None)]),
    ([(N + "\nassert x.sum() == 8", None)], [(1, 3, "wrong", "assertion-fails")]),
    ([(N + "\n# TODO finish\nassert x.sum() == 8", None)], [(1, 4, "undecided", "assertion")]),
    ([(N + "\nassert np.random.rand() > 2", None)], [(1, 3, "wrong", "assertion-fails")]),
    ([("assert 1 == 2", None, None)], [(1, 1, "undecided", "assertion")]),  # never executed
]


@pytest.mark.parametrize(("cells", "expected"), OUTPUTS)
def test_outputs(
    cells: list[tuple[object, ...]], expected: list[tuple[int, int, str, str | None]], tmp_path: Path
) -> None:
    assert rows(findings(notebook(tmp_path, cells))) == expected


ACCIDENTS = [
    ("import sys\nsys.exit(1)", (1, 2, "skipped", "exit")),
    ("while True: pass", (1, 1, "skipped", "time-limit")),
    ("input()", (1, 1, "skipped", "needs-input")),
    ("for k in range(10**9):\n    print('x' * 10**5)", (1, 2, "skipped", "output-limit")),
    ("def f(:\n    pass", (1, 1, "skipped", "syntax-error")),
    ("y = undefined", (1, 1, "skipped", "undefined-name")),
    ("import no_such_module_of_anyone", (1, 1, "skipped", "missing-module")),
    ("import os\nos._exit(0)", (1, 1, "skipped", "process-ended")),
    ("x = bytearray(10**13)", (1, 1, "skipped", "memory-limit")),
    ("import socket\nsocket.socket()", (1, 2, "skipped", "confined")),
    ("import subprocess\nsubprocess.run(['ls'])", (1, 2, "skipped", "confined")),
    ("%%bash\nls", None),
    ("import threading\nthreading.Thread(target=lambda: [0 for _ in iter(int, 1)], daemon=True).start()", None),
]


@pytest.mark.parametrize(("source", "expected"), ACCIDENTS)
def test_accidents_are_reported_at_their_place_and_the_rest_is_checked(
    source: str, expected: tuple[int, int, str, str] | None, tmp_path: Path
) -> None:
    found = rows(findings(notebook(tmp_path, [(source, None), ("print(1 + 1)", "2\n"), ("print(1 + 1)", "3\n")])))
    assert found == [*([expected] if expected else []), (2, 1, "holds", None), (3, 1, "wrong", "wrong-output")]


def test_nothing_is_written_outside(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    source = f"import os\nfor way in (lambda: open({str(mark)!r}, 'w'), lambda: os.mkdir({str(mark)!r})):\n"
    source += "    try:\n        way()\n    except OSError:\n        pass\nopen('own', 'w').write('x')\nprint(1)"
    assert rows(findings(notebook(tmp_path, [(source, "1\n")]))) == [(1, 8, "holds", None)]
    assert not mark.exists()


def test_what_depends_on_a_failed_cell_is_not_judged(tmp_path: Path) -> None:
    cells = [
        ("d = 8", None),
        ("import no_such_module\nd = no_such_module.size", None),
        ("print(d)", "2\n"),
        ("print(5)", "6\n"),
    ]
    codes = {(f.place.cell, f.code) for f in findings(notebook(tmp_path, cells))}
    assert codes == {(2, "missing-module"), (2, "depends"), (3, "depends"), (4, "wrong-output")}


def test_tagged_cells_are_skipped(tmp_path: Path) -> None:
    cells = [("d = 8\nprint(d)", "9\n", 1, ["skip-execution"]), ("print(d)", "2\n"), ("print(3)", "3\n")]
    found = findings(notebook(tmp_path, cells))
    assert [(f.place.cell, f.status, f.code) for f in found if f.kind == "output"] == [
        (1, "skipped", "tagged"),
        (2, "skipped", "not-printed"),
        (3, "holds", None),
    ]


def test_another_language(tmp_path: Path) -> None:
    found = findings(notebook(tmp_path, [("x <- 1\nprint(x)", "[1] 2\n")], "R"))
    assert [(f.status, f.code) for f in found] == [("skipped", "other-language")]


def test_markdown_is_placed_at_the_printed_line(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# A\n\n```python\nprint([1, 2])\nprint(3)\n```\n```output\n[1, 2]\n4\n```\n", encoding="utf-8")
    assert [(f.place.line, f.status, f.source) for f in findings(path)] == [(8, "holds", "[1, 2]"), (9, "wrong", "4")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("print(x.sum())  # 7.0", "holds"),
        ("print(x.sum() / 3)  # -> 2.3333", "holds"),
        ("print(x.sum() / 3)  # Output: 2.33 (rounded)", "holds"),
        ("print(x.mean())  # ≈ 2.3", "holds"),
        ("print(x.shape)  # (3,)", "holds"),
        ("print(x * 2)  # [2, 4, 8]", "holds"),
        ("print(x > 1)  # [False True True]", "holds"),
        ("print(x[None])\n# -> [[1, 2,\n#      4]]", "holds"),
        ("print(f'{x.mean():.2f} of {x.sum()}')  # 2.33, 7.0", "holds"),
        ("print(np.allclose(x, x))  # True", "holds"),
        ("print(x.sum())  # 8.0", "wrong"),
        ("print(x * 2)  # [2, 4, 9]", "wrong"),
        ("print(len(x))  # => 2", "wrong"),
        ("print(x[None])\n# -> [[1, 2,\n#      5]]", "wrong"),
        ("print(np.allclose(x, x + 1))  # True", "wrong"),
        # no more than a remark, or one that gives nothing exactly
        ("print(len(x))  # 2", "undecided"),
        ("print(x.mean())  # about 2.5", "undecided"),
        ("print(x)  # (3,)", None),
        ("print(x.sum())  # 3 summands", None),
        ("print(x.sum())  # 7.0, 8.0", None),
        ("print(x[None])\n# [[1, 2, 5]]", None),
        ("for k in range(3):\n    print(k)  # 5", None),
        ("print('7.0')  # 8.0", None),
    ],
)
def test_values_in_comments(line: str, expected: str | None, tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text(f"```python\nimport numpy as np\nx = np.array([1.0, 2.0, 4.0])\n{line}\n```\n", encoding="utf-8")
    found = [f.status for f in findings(path) if f.kind == "output"]
    assert found == ([] if expected is None else [expected])


def test_a_value_in_a_comment_has_the_place_of_the_comment(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text("```python\nx = 2.5\nprint(x)  # -> 2.6, not 2.5\n```\n", encoding="utf-8")
    (found,) = findings(path)
    assert (found.status, found.place.line, found.place.column, found.source) == ("wrong", 3, 16, "2.6")
    assert found.reason == "the document shows 2.6, the code gives 2.5, when it is run"


def test_local_imports_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("value = 3\n", encoding="utf-8")
    path = notebook(tmp_path, [("import beside\nprint(beside.value)", "3\n")])
    refused = findings(path)
    assert refused[0].code == "missing-module"
    assert "--allow-local-imports" in (refused[0].reason or "")
    assert rows(findings(path, Settings(seconds=5.0, local_imports=True))) == [(1, 2, "holds", None)]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = notebook(tmp_path, [("print(1 + 1)", "3\n")])
    out = tmp_path / "r.json"
    assert main(["check", "--run", str(path), "--json", str(out), "--device", "cpu"]) == 1
    report = json.loads(out.read_text(encoding="utf-8"))
    (item,) = report["documents"][0]["items"]
    assert (item["status"], item["kind"], item["where"]["line"]) == ("wrong", "output", 1)
    assert item["read"] == "print(1 + 1) prints 2"
    assert item["counterexample"]["right"] == "3"
    assert set(report["run"]["executed"][0]["enforced"]) == {"time", "memory", "network", "files"}
    assert main(["check", str(path), "--json", str(out), "--device", "cpu"]) == 5
    assert main(["check", str(path), "--python", "/usr/bin/python3"]) == 2
    assert "need --run" in capsys.readouterr().err
    assert main(["check", "--run", str(path), "--python", str(tmp_path / "none")]) == 2
    assert "needs a Python interpreter" in capsys.readouterr().err


def test_counterexamples_are_replayed_in_the_code(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(
        "With $Q, K \\in \\mathbb{R}^{n\\times d}$ let $$S = QK^\\top.$$\n\n```python\nimport numpy as np\n\nn, d = 3, 2\n"
        "Q = np.random.rand(n, d)\nK = np.random.rand(n, d)\nS = K @ Q.T\n```\n",
        encoding="utf-8",
    )
    out = tmp_path / "r.json"
    for extra, replayed in (([], False), (["--run"], True)):
        assert main(["check", *extra, str(path), "--json", str(out), "--device", "cpu"]) == 1
        (item,) = [
            i for i in json.loads(out.read_text(encoding="utf-8"))["documents"][0]["items"] if i["status"] == "refuted"
        ]
        assert item["counterexample"]["replayed"] is replayed
        done = subprocess.run(
            [sys.executable, "-c", item["counterexample"]["program"]], capture_output=True, text=True, check=True
        )
        code, equation = (line.split()[-1] for line in done.stdout.splitlines())
        assert float(code) == pytest.approx(float(item["counterexample"]["right"]), abs=1e-6)
        assert float(equation) != pytest.approx(float(code), abs=1e-6)


def test_a_refutation_that_the_code_does_not_confirm_is_withdrawn() -> None:
    witness = Counterexample({}, {}, {}, "0.5000", "0.7310")
    rows = [("0.73100", "refuted", True), ("0.5", "undecided", False), ("3", "refuted", False)]
    for value, status, replayed in rows:
        place = Place("a.md", None, 1, 1)
        f = Finding("code", "refuted", place, 1, "S = K @ Q.T", decision=Refuted(witness))
        take_replays([f], {"0": {"value": float(value)}})
        assert (f.status, f.replayed) == (status, replayed)
