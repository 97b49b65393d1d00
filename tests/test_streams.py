"""Standard output that is closed, full, read in part, or of another encoding; and signals that end a run."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from derivations.cli import main

FALSE = "# É\n\nLet $S \\in \\mathbb{R}^{n \\times n}$.\n\n$$ A_{ij} = \\frac{\\exp(S_{ij})}{\\sum_k \\exp(S_{ik})} $$\n\n$$ \\sum_i A_{ij} = 1 $$ é\n"
SLEEPS = "```python\nimport time\ntime.sleep(100)\nprint(1)\n```\n```output\n1\n```\n"
COMMAND = [sys.executable, "-m", "derivations.cli"]
CHECK = [*COMMAND, "check", "é.md", "--device", "cpu", "--no-cache"]
posix = pytest.mark.skipif(os.name != "posix", reason="pipes, devices and signals of POSIX")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("é.md").write_text(FALSE, encoding="utf-8")


@posix
@pytest.mark.parametrize("more", [[], ["-v"], ["--format", "json"], ["--format", "plain"]])
def test_a_reader_that_went_away_changes_no_verdict(more: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*CHECK, *more], stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


@posix
def test_what_was_not_finished_for_want_of_a_reader_is_no_success() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*COMMAND, "theorems"], stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@pytest.mark.parametrize("command", [CHECK, [*CHECK, "--format", "csv"], [*COMMAND, "theorems"]])
def test_a_full_device_is_one_line(command: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    said = "derivations: standard output: needed a place that can be written, found: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, said)


@posix
def test_closed_streams_change_no_verdict() -> None:
    for closed in (">&-", "2>&-", ">&- 2>&-"):
        done = subprocess.run(
            ["sh", "-c", f'exec "$@" {closed}', "sh", *CHECK, "--format", "json"], capture_output=True
        )
        assert done.returncode == 1, closed
        assert done.stderr == b""


def test_what_programs_read_is_utf_8() -> None:
    """Whatever the encoding of the terminal; what people read has the signs that theirs has."""
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run([*CHECK, "--format", "junit"], capture_output=True, env=environment)
    assert done.returncode == 1
    assert ElementTree.fromstring(done.stdout)[0].attrib["name"] == "é.md"
    done = subprocess.run(CHECK, capture_output=True, env=environment)
    assert done.stdout.startswith("é.md  ? 1 claim, 1 decided, 1 of them false.".encode("latin-1"))


def children(pid: int) -> list[int]:
    found = [int(text) for text in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [*found, *(child for one in found for child in children(one))]


@pytest.mark.skipif(
    not Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").exists(), reason="asks Linux for children"
)
@pytest.mark.parametrize(("name", "status"), [("SIGTERM", 143), ("SIGHUP", 129), ("SIGINT", 130), ("SIGKILL", -9)])
def test_a_run_that_is_ended_leaves_nothing(name: str, status: int, tmp_path: Path) -> None:
    """No process that runs a document's code, no folder of it (but where nothing can be done any more), no report."""
    Path("é.md").write_text(SLEEPS, encoding="utf-8")
    (tmp_path / "tmp").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}

    def heed() -> None:  # a suite in the background, or under nohup, hands down that it is ignored
        if name != "SIGKILL":
            signal.signal(getattr(signal, name), signal.SIG_DFL)

    process = subprocess.Popen(
        [*CHECK, "--run", "--html", "report"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        preexec_fn=heed,
    )
    codes: list[int] = []
    end = time.monotonic() + 60
    while not codes and process.poll() is None and time.monotonic() < end:
        runs = [p for p in children(process.pid) if b"child.py" in Path(f"/proc/{p}/cmdline").read_bytes()]
        codes = [p for p in runs if any((tmp_path / "tmp").glob("derivations-run-*/work"))]
    if not codes:
        process.kill()
        pytest.skip(f"no code is run here: {process.communicate()[1].decode()}")
    process.send_signal(getattr(signal, name))
    process.communicate(timeout=60)
    assert process.returncode == status
    while any(Path(f"/proc/{p}").exists() for p in codes) and time.monotonic() < end:
        time.sleep(0.01)
    assert not any(Path(f"/proc/{p}").exists() for p in codes)
    assert list(Path("report").iterdir()) == []
    if name != "SIGKILL":
        assert list((tmp_path / "tmp").iterdir()) == []


def test_wrong_usage_is_said_first(capsys: pytest.CaptureFixture[str]) -> None:
    for given, said in (
        (
            ["check"],
            "derivations check: the following arguments are required: PATH\n(all options: derivations check --help)\n",
        ),
        (["chek"], "derivations: argument COMMAND: invalid choice: 'chek'"),
    ):
        with pytest.raises(SystemExit) as stopped:
            main(given)
        assert stopped.value.code == 2
        assert capsys.readouterr().err.startswith(said)


def test_signals_are_as_they_were_afterwards() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    assert main(["check", "é.md", "--device", "cpu"]) == 1
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)] == before
