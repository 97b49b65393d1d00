"""From documents to reports: the examples, bad input, exit status, determinism, sentences."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from derivations.reports.model import to_json, validate
from derivations.reports.run import check

from derivations.cli import main
from derivations.documents import DocumentError, read, read_text
from derivations.documents.facts.prose import PHRASES, phrase_of

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = Path(__file__).parent / "data" / "examples.json"


def report_of(*paths: Path) -> dict:
    report, errors = check.check_documents(paths, device="cpu", numbers=False)
    assert not errors
    validate(report)
    return report


def stable(report: dict) -> dict:
    """What is the same on every machine, paths shortened."""
    documents = [{**d, "path": Path(d["path"]).name} for d in report["documents"]]
    return {"documents": documents, "summary": report["summary"]}


def examples() -> dict:
    return stable(report_of(*sorted(p for p in (ROOT / "examples").iterdir() if p.suffix in (".md", ".ipynb"))))


def test_golden_report_of_the_examples() -> None:
    """Regenerate with: python tests/test_pipeline.py"""
    assert examples() == json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_the_two_mistakes_are_found_and_corrected() -> None:
    report = report_of(ROOT / "examples" / "two-mistakes.md")
    refuted = [i for i in report["documents"][0]["items"] if i["status"] == "refuted"]
    assert len(refuted) == 2
    assert all(i["counterexample"]["left"] != i["counterexample"]["right"] for i in refuted)
    assert all("proved" in i["suggestion"] for i in refuted)


def test_proved_items_carry_certificate_and_derivation() -> None:
    for d in examples()["documents"]:
        for i in d["items"]:
            if i["status"] == "proved":
                assert i["proof"]["certificate"]
                assert i["steps"]
                assert i["read"]


def test_same_bytes_whatever_the_hash_seed() -> None:
    code = (
        "import sys; from derivations.reports.run import check; from derivations.reports.model import to_json\n"
        "r, e = check.check_documents(sys.argv[1:], numbers=False); r['run'] = {}; print(to_json(r))"
    )
    outputs = set()
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        files = [str(p) for p in sorted((ROOT / "examples").glob("*.md"))]
        outputs.add(
            subprocess.run([sys.executable, "-c", code, *files], capture_output=True, env=env, check=True).stdout
        )
    assert len(outputs) == 1


# --- bad input ------------------------------------------------------------------------------------------------------

BAD = {
    "unbalanced": (r"$$ \frac{a}{b = c $$", "unread"),
    "unknown command": (r"$$ A = \foobar{x} $$", "unread"),
    "too deep": ("$$ A = " + "{" * 10_000 + "x" + "}" * 10_000 + " $$", "unread"),
    "too large": ("$$ A = " + "x + " * 20_000 + "x $$", "unread"),
}


@pytest.mark.parametrize("name", BAD)
def test_broken_mathematics_is_one_message_and_the_rest_is_checked(name: str, tmp_path: Path) -> None:
    source, status = BAD[name]
    path = tmp_path / "bad.md"
    rest = "Let $x \\in \\mathbb{R}^n$.\n\n$$ s = \\sum_{i=1}^n x_i $$\n\n$$ s = \\sum_{j=1}^n x_j $$\n"
    path.write_text(f"# Bad\n\n{source}\n\n{rest}")
    items = report_of(path)["documents"][0]["items"]
    broken = [i for i in items if i["where"]["line"] == 3]
    assert [i["status"] for i in broken] == [status]
    assert broken[0]["code"]
    assert broken[0]["reason"]
    assert [i["status"] for i in items if i["where"]["line"] > 3 and i["kind"] != "hypothesis"][-1] == "proved"


def test_update_is_not_a_definition(tmp_path: Path) -> None:
    path = tmp_path / "update.md"
    path.write_text("# Update\n\n$$ x = x + f(x) $$\n")
    assert not [i for i in report_of(path)["documents"][0]["items"] if i["status"] in ("defined", "refuted", "proved")]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("missing.md", None, "found none of that name"),
        ("broken.ipynb", b'{"cells": [', "needed a notebook in JSON"),
        ("other.ipynb", b"[1, 2]", "a list of cells"),
        ("bytes.md", b"\xff\xfe\x00", "UTF-8"),
        ("nul.md", b"a\x00b", "NUL byte"),
        ("picture.png", b"x", "needed a file that ends in"),
    ],
)
def test_unreadable_documents(name: str, content: bytes | None, says: str, tmp_path: Path, capsys) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DocumentError) as error:
        read(path)
    assert says in str(error.value)
    good = tmp_path / "good.md"
    good.write_text("$$ a = b + c $$\n\n$$ a = c + b $$\n")
    assert main(["check", str(path), str(good), "--json", str(tmp_path / "r.json"), "--device", "cpu"]) == 3
    assert says in capsys.readouterr().err
    assert len(json.loads((tmp_path / "r.json").read_text())["documents"]) == 1  # the rest is still checked


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("$$ a = b + c $$\n\n$$ a = c + b $$\n", 0),
        ("$$ a = b + c $$\n\n$$ a = c - b $$\n", 1),
        ("Only words.\n", 5),
    ],
)
def test_exit_status(text: str, status: int, tmp_path: Path, capsys) -> None:
    path = tmp_path / "a.md"
    path.write_text(text)
    assert main(["check", str(path), "--device", "cpu"]) == status
    capsys.readouterr()


def test_attack_strings_stay_text(tmp_path: Path) -> None:
    attack = "<script>alert(1)</script>"
    path = tmp_path / "attack.md"
    path.write_text(f"# {attack}\n\n$$ A = \\text{{{attack}}} $$\n\n$$ B = \\input{{/etc/passwd}} $$\n")
    out = tmp_path / "out"
    status = main(["check", str(path), "--html", str(out), "--tex", str(out / "r.tex"), "--device", "cpu"])
    assert status in (0, 5)
    page = (out / "index.html").read_text()
    assert attack not in page and page.count("<script") == 1
    assert "\\input{/etc" not in (out / "r.tex").read_text()


def test_a_function_is_shown_whole_and_a_statement_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "code.md"
    function = "def compute_S(Q, K):\n    s = Q @ K.T\n    return s\n"
    path.write_text(
        f"# Code\n\n$$S_{{ij}} = \\sum_c Q_{{ic}} K_{{jc}}$$\n\n```python\nimport numpy as np\n\n{function}\nS = Q @ K.T\n```\n"
    )
    found = {i["source"]: i["listing"] for i in report_of(path)["documents"][0]["items"] if i["kind"] == "code"}
    assert found == {"def compute_S(Q, K):": function.strip(), "S = Q @ K.T": None}


def test_nothing_of_a_document_runs(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    path = tmp_path / "code.md"
    path.write_text(f"# Code\n\n```python\nopen({str(trap)!r}, 'w')\n```\n\n$$ a = b $$\n")
    report_of(path)
    assert not trap.exists()


# --- sentences ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda p: p.name)
def test_each_phrase_matches_its_example(phrase) -> None:
    assert phrase_of(phrase.example) is phrase


@pytest.mark.parametrize(
    "sentence",
    [
        "The rows of A do not sum to one.",
        "If the rows summed to one, we would be done; if each row sums to one, stop.",
        "Do the columns sum to one?",
        "Scores need not add up to one.",
        "The scores never sum to one.",
        "We sum the two rows.",
    ],
)
def test_denials_and_questions_claim_nothing(sentence: str) -> None:
    assert phrase_of(sentence) is None


LESSON = """# Lesson

Let $Q, K \\in \\mathbb{R}^{n \\times d}$ and

$$A_{ij} = \\frac{\\exp(\\sum_{c=1}^d Q_{ic} K_{jc})}{\\sum_{k=1}^n \\exp(\\sum_{c=1}^d Q_{ic} K_{kc})}$$

%s
"""


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("Each row of $A$ sums to one.", "proved"),
        ("The columns of $A$ sum to one.", "refuted"),
        ("The weights sum to 1 in the right way.", "proved"),
        ("The rows of $A$ do not sum to one.", None),
    ],
)
def test_sentences_are_decided(sentence: str, status: str | None, tmp_path: Path) -> None:
    path = tmp_path / "lesson.md"
    path.write_text(LESSON % sentence)
    items = [i for i in report_of(path)["documents"][0]["items"] if i["kind"] == "prose"]
    assert [i["status"] for i in items] == ([status] if status else [])
    if status == "refuted":
        assert "rows" in items[0]["suggestion"]


def test_notebook_and_transcript_agree() -> None:
    cells = [
        {"cell_type": "markdown", "source": "# T\n\n$$a = b + c$$", "metadata": {}},
        {"cell_type": "code", "source": "# rows sum to 1\nx = 1\n\nprint(x)", "metadata": {}, "execution_count": 1,
         "outputs": [{"output_type": "stream", "name": "stdout", "text": "1\n"}]},
        {"cell_type": "markdown", "source": "Then $$a = c + b$$", "metadata": {}},
    ]  # fmt: skip
    notebook = read_text(json.dumps({"cells": cells, "nbformat": 4}), "a.ipynb")
    text = "# T\n\n$$a = b + c$$\n\nIn [1]:\n# rows sum to 1\nx = 1\n\nprint(x)\n\n1\n\nThen $$a = c + b$$\n"
    transcript = read_text(text, "a.txt")
    for attribute in ("spans", "comments", "code"):
        a, b = getattr(notebook, attribute), getattr(transcript, attribute)
        assert len(a) == len(b) > 0
    assert [s.source for s in notebook.spans] == [s.source for s in transcript.spans]


if __name__ == "__main__":
    GOLDEN.write_text(to_json(examples()) + "\n", encoding="utf-8")


@pytest.mark.parametrize("lost", ["files", "network"])
def test_without_a_promised_limit_nothing_is_run_and_the_rest_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lost: str
) -> None:
    from derivations.numeric.running import process

    def start(cells: object, settings: object, **more: object) -> process.Run:
        assert not cells, "code was run without its limits"
        held = {name: None if name == lost else "a limit" for name in process.PROMISES}
        return process.Run(held=held, failed={lost: "needs a newer kernel"})

    monkeypatch.setattr(process, "start", start)
    path, out = tmp_path / "n.md", tmp_path / "report.json"
    path.write_text("$$a_{ij} = b_{ij}$$\n\n```python\nprint(1)\n```\n\n```output\n1\n```\n", encoding="utf-8")
    assert main(["check", str(path), "--run", "--json", str(out)]) == 2
    said = capsys.readouterr()
    assert f"not available here: {lost}: needs a newer kernel" in said.err
    assert "not tried: the code of documents" in said.out
    report = json.loads(out.read_text(encoding="utf-8"))
    assert [i["status"] for i in report["documents"][0]["items"]] == ["defined"]
    assert [row["what"] for row in report["run"]["skipped"]][-1] == "the code of documents"


def test_what_a_definition_was_read_under_stands_in_what_rests_on_it(tmp_path: Path) -> None:
    text = "Let $u, v \\in \\mathbb{R}^d$ and $$ w = u / v . $$\n\nThen $$ \\sum_i w_i v_i = \\sum_i u_i . $$\n"
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    main(["check", str(tmp_path / "a.md"), "--json", str(tmp_path / "a.json")])
    item = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["documents"][0]["items"][-1]
    assert (item["status"], item["strength"]) == ("proved", "conditional")
    assert "quotient-of-entries" in {a["kind"] for a in item["assumptions"]}
