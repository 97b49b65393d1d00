"""A document whose reading never ends is said to be that, and the others are checked."""

import json
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from derivations.reports.run import check, limits
from derivations.reports.run.limits import ended_after, limit

from derivations.cli import main
from derivations.documents.model.document import DocumentError
from derivations.provers import decide as decide_module

CLAIM = "$$ (a + b)^2 = a^2 + 2 a b + b^2 $$\n"

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform has no such signal")


def endless() -> None:
    """One call of a pattern that takes longer than anybody waits."""
    re.search(r"(?:a|a)*b", "a" * 80)


def kept_going() -> None:
    """What nothing should do: it keeps the first signal to itself."""
    try:
        endless()
    except BaseException:  # noqa: BLE001
        time.sleep(60)


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(limits, "MARGIN", 0.2)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("stage", ["read_with", "study_with_names"])
def test_the_others_are_checked(
    stage: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real: Callable[..., Any] = getattr(check, stage)

    def hanging(first: Any, *args: Any, **kwargs: Any) -> Any:
        if "slow" in str(getattr(first, "path", first)):
            try:
                endless()
            except Exception:  # noqa: BLE001 - handlers inside of the work do not keep it going
                return None
        return real(first, *args, **kwargs)

    for name in ("a", "slow", "z"):
        Path(f"{name}.md").write_text(CLAIM, encoding="utf-8")
    monkeypatch.setattr(check, stage, hanging)
    assert main(["check", "a.md", "slow.md", "z.md", "--no-cache", "--timeout", "0.5", "--format", "plain"]) == 3
    said = capsys.readouterr()
    word = stage.partition("_")[0]
    assert f"slow.md: needed 1.5 s at most to {word} the document, found no end: nothing of it is reported" in said.err
    assert "internal" not in said.out + said.err


def test_what_was_decided_before_is_kept(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A decision that never ends costs its own claim, and those after it, and not the document."""
    real = decide_module.decide

    def hanging(statement: Any, *args: Any, **kwargs: Any) -> Any:
        if "slow" in str(statement):
            endless()
        return real(statement, *args, **kwargs)

    text = CLAIM + "\nand for numbers $\\mathrm{slow}$ and $c$\n$$ \\mathrm{slow} + c = c + \\mathrm{slow} $$\n"
    Path("late.md").write_text(text, encoding="utf-8")
    monkeypatch.setattr(decide_module, "decide", hanging)
    assert main(["check", "late.md", "--no-cache", "--timeout", "1.5", "--json", "late.json"]) == 0
    (document,) = json.loads(Path("late.json").read_text(encoding="utf-8"))["documents"]
    found = [(item["status"], item["code"]) for item in document["items"]]
    assert found == [("proved", None), ("undecided", "timeout")]
    assert not capsys.readouterr().err


def test_what_is_in_time_is_left_alone() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with ended_after(60, "a.md", "read"):
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before


def test_a_timer_of_somebody_else_goes_on() -> None:
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    try:
        signal.setitimer(signal.ITIMER_REAL, 500)
        with pytest.raises(DocumentError, match="at most to study"), ended_after(0.05, "a.md", "study"):
            endless()
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 500
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_the_signal_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_AGAIN", 0.05)
    with pytest.raises(DocumentError), ended_after(0.05, "a.md", "read"):
        kept_going()


def test_the_limit_is_beyond_the_decisions() -> None:
    assert limit(1) == 3.0 and limit(0.01) == pytest.approx(0.21)
