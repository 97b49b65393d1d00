"""Every kind of page under the Nu Html Checker, which browsers' makers keep: no error and no warning.

Needs Java and the checker: `DERIVATIONS_VNU` names its `vnu.jar` (npm pack vnu-jar); without it the tests are skipped and
say so.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from derivations.reports.html import places
from derivations.reports.html.difference import difference_page
from derivations.reports.html.pages import fragment, pages
from derivations.reports.model import SCHEMA, read_report, summarise
from derivations.reports.plain.difference import differences
from derivations.reports.plots import write_numbers
from derivations.reports.run.library_report import library_report

VNU = os.environ.get("DERIVATIONS_VNU")
DATA = Path(__file__).with_name("data")

pytestmark = pytest.mark.skipif(
    VNU is None or shutil.which("java") is None,
    reason="needs Java, and DERIVATIONS_VNU set to the vnu.jar of the checker",
)

NOT_FAULTS = (
    "Property “math-style” doesn't exist",  # CSS of MathML Core and of SVG 2, which the checker's grammar has not
    "“math” is not a “display” value",
    "Property “vector-effect” doesn't exist",
    "violates Content Security Policy",  # it does not compute hashes; test_report_html does
)


def examples() -> dict[str, Any]:
    known = json.loads((DATA / "examples.json").read_text(encoding="utf-8"))
    report = {**known, "schema": SCHEMA, "tool": {"name": "derivations", "version": "0"}, "run": {"checks": []}}
    document = report["documents"][0]
    definition = next(item["id"] for item in document["items"] if item["status"] == "defined")
    check = {"item": definition, "document": document["path"], "backend": "torch", "device": "cpu", "dtype": "float32"}
    report["run"]["checks"] = [{**check, "sizes": {"n": 4}, "error": e, "bound": 2e-6} for e in (1e-7, 0.0, 3e-6, None)]
    return report


def one(report: dict[str, Any]) -> dict[str, Any]:
    documents = report["documents"][:1]
    return {**report, "documents": documents, "summary": summarise(documents)}


def nothing() -> dict[str, Any]:
    return {**examples(), "documents": [], "summary": summarise([]), "run": {"checks": []}}


def on_several_pages() -> dict[str, str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "MAX_PAGE", 15_000)
        return pages(examples())


def compared() -> dict[str, str]:
    old, new = read_report(DATA / "report.json"), read_report(DATA / "report.json")
    items = {item["id"]: item for item in new["documents"][0]["items"]}
    refuted = {"status": "refuted", "strength": None, "proof": None, "counterexample": items["eq-4"]["counterexample"]}
    items["eq-3"].update(refuted, source=items["eq-3"]["source"].replace("1", "2"), fingerprint="f" * 16)
    new["documents"][0]["items"].remove(items["eq-8"])
    return {"index.html": difference_page(differences(old, new), old, new)}


def in_jupyter() -> dict[str, str]:
    head = '<!DOCTYPE html><html lang="en"><head><title>A notebook</title></head><body><h1>A notebook</h1>'
    return {"fragment.html": f"{head}{fragment(examples())}</body></html>"}


PAGES: dict[str, Callable[[], dict[str, str]]] = {
    "several documents": lambda: pages(examples()),
    "one document": lambda: pages(one(examples())),
    "every kind of item": lambda: pages(read_report(DATA / "report.json")),
    "a document on several pages": on_several_pages,
    "what changed": compared,
    "no document": lambda: pages(nothing()),
    "in Jupyter": in_jupyter,
    "the library": lambda: pages(library_report()),
}


def complaints(folder: Path) -> list[str]:
    """What the checker says of the pages in a folder, without what is no fault."""
    command = ["java", "-jar", str(VNU), "--format", "json", "--stdout", "--exit-zero-always", str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    messages = json.loads(run.stdout)["messages"]
    said = [f"{Path(m.get('url', '')).name}: {m['message']} {m.get('extract', '')}" for m in messages]
    return [text for text in said if not any(words in text for words in NOT_FAULTS)]


@pytest.mark.parametrize("kind", PAGES)
def test_pages_are_valid(kind: str, tmp_path: Path) -> None:
    for name, text in PAGES[kind]().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert list(tmp_path.iterdir())
    assert complaints(tmp_path) == []


def test_numbers_are_valid(tmp_path: Path) -> None:
    row = {"dtype": "float32", "backend": "numpy", "device": "cpu"}
    rows = [{**row, "n": n, "error": 1e-7 * n, "bound": 2e-7 * n, "ratio": 0.5} for n in (2, 4, 8)]
    heat = {**row, "values": [[0.5, 0.25], [1.0, 0.0]], "errors": [[1e-8, 1e-7], [0.0, 1e-6]]}
    study = {"name": "softmax", "equation": "A = B", "rows": rows, "heat": heat}
    write_numbers([{**study, "skipped": [{"what": "cuda", "reason": "no device"}]}], tmp_path / "numbers.html")
    assert complaints(tmp_path) == []


def test_the_checker_finds_a_fault(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<!DOCTYPE html><html lang=en><title>a</title><p><li>x</li></p>", encoding="utf-8")
    assert complaints(tmp_path)
