"""The HTML report of a thousand claims: bytes, seconds to write it, and seconds until a browser has its pages laid out.

The examples of this project, or the saved report that is named (`python -m benchmarks.bench_report REPORT.json`), are
repeated as one document.  In headless Chromium the page itself says when it was parsed and when it was laid out: a script at
its end, admitted by its hash, asks `performance.now()` before and after it asks where the body lies.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from derivations.reports.html.pages import pages
from derivations.reports.model import claims, read_report, summarise

CLAIMS = 1000
_ASKS = (
    "const parsed = performance.now(); document.body.getBoundingClientRect();"
    "document.title = 'ANSWER' + parsed + ',' + performance.now() + 'END';"
)


def examples() -> dict[str, Any]:
    """The report of the examples of this project."""
    root = Path(__file__).parents[1]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        command = [sys.executable, "-m", "derivations.cli", "check", "examples", "--no-cache", "--json", str(path)]
        subprocess.run(command, cwd=root, capture_output=True, check=False)
        return read_report(path)


def repeated(report: Mapping[str, Any], count: int) -> dict[str, Any]:
    """A report of one document with at least `count` claims: the documents of another again and again."""
    items: list[dict[str, Any]] = []
    checks: list[dict[str, Any]] = []
    copies = 0
    while len(claims(items)) < count:
        for document in report["documents"]:
            copies += 1
            for item in document["items"]:
                names = {key: [f"r{copies}.{name}" for name in item[key]] for key in ("depends_on", "linked")}
                items.append({**item, **names, "id": f"r{copies}.{item['id']}"})
            for check in report["run"]["checks"]:
                if check["document"] == document["path"]:
                    checks.append({**check, "item": f"r{copies}.{check['item']}", "document": "large.md"})
    document = {**report["documents"][0], "path": "large.md", "items": items, "declarations": []}
    return {
        **report,
        "documents": [document],
        "summary": summarise([document]),
        "run": {**report["run"], "checks": checks},
    }


def loaded(text: str) -> tuple[float, float] | None:
    """Seconds until a page is parsed, and until it is laid out; None where there is no Chromium."""
    program = next((x for x in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if x), None)
    if program is None:
        return None
    digest = base64.b64encode(hashlib.sha256(_ASKS.encode()).digest()).decode()
    asked = text.replace("script-src ", f"script-src 'sha256-{digest}' ", 1)
    asked = asked.replace("</body>", f"<script>{_ASKS}</script></body>")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "asked.html"
        path.write_text(asked, encoding="utf-8")
        command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1100,1000", "--dump-dom"]
        command += [f"--user-data-dir={folder}/profile", path.as_uri()]
        found = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False).stdout
    match = re.search(r"ANSWER([\d.]+),([\d.]+)END", found)
    return (float(match[1]) / 1000, float(match[2]) / 1000) if match else None


def main() -> None:
    """Print bytes and seconds; nothing is asserted."""
    named = [argument for argument in sys.argv[1:] if argument.endswith(".json")]
    report = repeated(read_report(named[0]) if named else examples(), CLAIMS)
    items = report["documents"][0]["items"]
    start = time.process_time()
    written = pages(report)
    spent = time.process_time() - start
    steps = sum(len(item["steps"]) for item in items)
    print(
        f"{len(claims(items))} claims, {len(items)} items, {steps} lines of derivations, {len(report['run']['checks'])} checks"
    )
    sizes = {name: len(text.encode()) / 1e6 for name, text in written.items()}
    print(f"{len(sizes)} pages, {sum(sizes.values()):.2f} MB, written in {spent:.2f} s")
    for name in sorted({"index.html", max(sizes, key=sizes.__getitem__)}):
        times = [found for found in (loaded(written[name]) for _ in range(3)) if found is not None]
        if times:
            parsed, laid = min(times, key=lambda pair: pair[1])
            print(f"{name}: {sizes[name]:.2f} MB, parsed after {parsed:.2f} s, laid out after {laid:.2f} s in Chromium")
        else:
            print(f"{name}: {sizes[name]:.2f} MB; Chromium is not installed: loading was not measured")


if __name__ == "__main__":
    main()
