"""Reports in a real browser: narrow and wide, light and dark, by script and without, and as a reader of screens meets them.

Needs Chromium; without it the tests are skipped and say so.  The accessibility rules of axe-core are applied where
`DERIVATIONS_AXE` names its `axe.min.js` (npm pack axe-core).
"""

import base64
import hashlib
import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from derivations.reports.html import places
from derivations.reports.html.difference import difference_page
from derivations.reports.html.pages import pages
from derivations.reports.model import SCHEMA
from derivations.reports.plain.difference import differences

CHROMIUM = next((x for x in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if x), None)
FIREFOX = next((x for x in map(shutil.which, ("firefox", "firefox-esr")) if x), None)
AXE = os.environ.get("DERIVATIONS_AXE")
PAGES = ["one", "several-index.html", "several-two-mistakes.html", "parts-index.html", "parts-2.html", "compared"]
GOLDEN = Path(__file__).with_name("data") / "examples.json"

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


@pytest.fixture(scope="module")
def written() -> dict[str, str]:
    known = json.loads(GOLDEN.read_text(encoding="utf-8"))
    tool = {"name": "derivations", "version": "0"}
    report = {**known, "schema": SCHEMA, "tool": tool, "run": {"checks": []}}
    alone = {**report, "documents": report["documents"][:1]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "MAX_PAGE", 15_000)
        parts = {f"parts-{k.partition('~')[2] or k}": v for k, v in pages(alone).items()}
    older = {**report, "documents": []}
    compared = difference_page(differences(older, report), older, report)
    return {
        "one": pages(alone)["index.html"],
        "compared": compared,
        **{f"several-{k}": v for k, v in pages(report).items()},
        **parts,
    }


FRAME = """<!DOCTYPE html><title>waiting</title><style>body { margin: 0 }</style>
<script>addEventListener("message", (m) => { document.title = "ANSWER" + m.data + "END"; });</script>
<iframe src="asked.html" style="width: %dpx; height: 900px; border: 0"></iframe>"""
"""A window is never narrower than 500 pixels; a frame in it may be."""


def ask(text: str, question: str, folder: Path, width: int = 1100) -> object:
    """The value of an expression (awaited) in the page, whose policy is widened by the hash of the question alone."""
    script = f"(async () => {{ parent.postMessage(JSON.stringify(await ({question})), '*'); }})();"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    asked = text.replace("script-src ", f"script-src 'sha256-{digest}' ", 1).replace(
        "</body>", f"<script>{script}</script></body>"
    )
    (folder / "asked.html").write_text(asked, encoding="utf-8")
    (folder / "frame.html").write_text(FRAME % width, encoding="utf-8")
    command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000"]
    command += [f"--window-size={max(width, 500)},1000", f"--user-data-dir={folder / 'profile'}", "--dump-dom"]
    address = (folder / "frame.html").as_uri()
    run = subprocess.run([*command, address], capture_output=True, text=True, timeout=120, check=False)
    found = re.search(r"<title>ANSWER(.*?)END</title>", run.stdout, re.DOTALL)
    assert found, run.stderr[-2000:]
    return json.loads(html.unescape(found[1]))


def test_the_script_runs_and_filters(written: dict[str, str], tmp_path: Path) -> None:
    question = """(async () => {
      const items = [...document.querySelectorAll("article.item")];
      const search = document.querySelector(".tools input");
      const shown = () => items.filter((x) => !x.hidden).length;
      const before = shown();
      search.value = "no such words anywhere"; search.dispatchEvent(new Event("input"));
      const none = shown();
      search.value = ""; search.dispatchEvent(new Event("input"));
      const button = [...document.querySelectorAll(".tools button[aria-pressed]")].find((b) => b.textContent.includes("Proved"));
      button.click();
      const fewer = shown();
      const status = document.querySelector(".tools [role=status]").textContent;
      button.click();
      return [before, none, fewer, shown(), status, document.querySelectorAll("button.copy").length];
    })()"""
    before, none, fewer, again, status, copies = ask(written["one"], question, tmp_path)
    assert before == again > fewer > none == 0
    assert status == f"{fewer} of {before} shown"
    assert copies >= before


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_is_chosen(theme: str, written: dict[str, str], tmp_path: Path) -> None:
    question = f"""(async () => {{
      const button = [...document.querySelectorAll(".tools button")].find((b) => b.textContent.startsWith("Theme"));
      for (let k = 0; k < 3 && document.documentElement.dataset.theme !== "{theme}"; k++) button.click();
      return getComputedStyle(document.body).backgroundColor;
    }})()"""
    light = ask(written["one"], question, tmp_path) == "rgb(251, 250, 247)"
    assert light == (theme == "light")


def test_our_font_sets_the_mathematics(written: dict[str, str], tmp_path: Path) -> None:
    question = """(async () => { await document.fonts.ready; return [...document.fonts].map((f) => [f.family, f.status]); })()"""
    assert ask(written["one"], question, tmp_path) == [["STIX Two Math", "loaded"]]


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [360, 1100])
def test_nothing_is_wider_than_the_window(width: int, name: str, written: dict[str, str], tmp_path: Path) -> None:
    question = """(() => {
      const wide = [...document.querySelectorAll("body *")].filter((x) => {
        for (let y = x.parentElement; y; y = y.parentElement) {
          if (["auto", "hidden", "scroll", "clip"].includes(getComputedStyle(y).overflowX) && y !== document.body) return false;
        }
        return x.getBoundingClientRect().right > innerWidth + 2;
      });
      return [document.scrollingElement.scrollWidth - innerWidth, wide.slice(0, 3).map((x) => x.outerHTML.slice(0, 80))];
    })()"""
    beyond, wide = ask(written[name], question, tmp_path, width)
    assert wide == [] and beyond <= 0


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="no pdftotext is installed")
def test_what_is_folded_is_printed(written: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(written["one"], encoding="utf-8")
    command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    command += ["--no-pdf-header-footer", f"--print-to-pdf={tmp_path / 'page.pdf'}", (tmp_path / "page.html").as_uri()]
    subprocess.run(command, capture_output=True, timeout=120, check=True)
    command = ["pdftotext", "-layout", str(tmp_path / "page.pdf"), "-"]
    text = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert "Because" in text and "rule applications replayed" in text.replace("\n", " ")
    assert "Copy LaTeX" not in text and "Theme" not in text


@pytest.mark.skipif(FIREFOX is None, reason="no Firefox is installed")
@pytest.mark.parametrize("width", [500, 1100])
def test_firefox_shows_the_page(width: int, written: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(written["one"], encoding="utf-8")
    (tmp_path / "profile").mkdir()
    shot = tmp_path / "shot.png"
    command = [FIREFOX, "--headless", "--no-remote", "--profile", str(tmp_path / "profile"), "--screenshot", str(shot)]
    command += [f"--window-size={width},2000", (tmp_path / "page.html").as_uri()]
    subprocess.run(command, capture_output=True, timeout=180, check=False)
    data = shot.read_bytes()
    assert data.startswith(b"\x89PNG") and int.from_bytes(data[16:20]) == width
    assert len(data) > 40_000, "an empty page is smaller"


@pytest.mark.skipif(AXE is None, reason="set DERIVATIONS_AXE to the axe.min.js of axe-core")
@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious(dark: bool, name: str, written: dict[str, str], tmp_path: Path) -> None:
    source = Path(AXE).read_text(encoding="utf-8").replace("</script", "<x")
    question = "axe.run(document).then((r) => r.violations.map((v) => [v.impact, v.id, v.nodes.slice(0, 3).map((n) => n.html)]))"
    opened = re.sub("<details(?! open)([^>]*?)(?: open)?>", r"<details\1 open>", written[name])
    opened = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", opened)
    theme = "document.documentElement.dataset.theme = 'dark';" if dark else ""
    found = ask(opened.replace("</body>", f"<script>{theme}{source}</script></body>"), question, tmp_path)
    assert [v for v in found if v[0] in ("serious", "critical")] == []
