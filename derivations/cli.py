"""The command line: thin entry points; everything heavy is imported inside the command that needs it."""

from __future__ import annotations

import argparse
import gc
import json
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from derivations import __version__, check_command, report_command, streams


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status (0 fine, 1 something refuted, 2 usage, 3 unreadable, 5 no statement)."""
    streams.prepare()
    parser = _parser()
    given = sys.argv[1:] if arguments is None else arguments
    # A bare --run takes no value, so that a path may follow it.
    options = parser.parse_args(["--run=confined" if a == "--run" else a for a in given])
    if options.command is None:
        parser.print_help()
        return 2
    gc.set_threshold(100_000, 20, 20)  # terms are shared and live long: looking through them again finds little
    try:
        with _ended_by_signals():
            status = int(options.run(options))
        sys.stdout.flush()
    except BrokenPipeError:
        streams.drop()
        return streams.GONE
    except KeyboardInterrupt:
        print("derivations: interrupted", file=sys.stderr)
        return 130
    except Exception as error:  # noqa: BLE001 - a bug of ours is no verdict about a document: its status is another one
        if isinstance(error, OSError) and (said := streams.refusal(error)) is not None:
            streams.drop()
            return _fail(said)
        traceback.print_exc()
        return _fail("internal error, please report it", 3)
    return status


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let what a service or a closed terminal sends end the program as Ctrl-C does: files and processes are seen to."""
    numbers = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]
    ours = threading.current_thread() is threading.main_thread()
    taken = [number for number in numbers if ours and signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _end(number: int, _: object) -> NoReturn:
    raise SystemExit(128 + number)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong, and where all options are listed; not all options."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n(all options: {self.prog} --help)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="derivations", description="Prove or refute, for all sizes, the equations of documents about attention."
    )
    parser.add_argument("--version", action="version", version=f"derivations {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    check_command.add_to(commands)
    report_command.add_to(commands)

    compare = commands.add_parser("compare", help="what changed between two reports")
    compare.add_argument("old", metavar="OLD", help="a report as JSON (check --json OLD)")
    compare.add_argument("new", metavar="NEW", help="a later one")
    compare.add_argument("--format", choices=("text", "markdown", "json"), default="text", help="what is printed")
    compare.add_argument("--html", metavar="DIR", help="write the changes as a page, too")
    compare.set_defaults(run=_compare)

    explain = commands.add_parser("explain", help="how one equation of a document was read, and what was found out")
    explain.add_argument("place", metavar="FILE:LINE", help="a line; in a notebook FILE:CELL:LINE")
    explain.add_argument(
        "--bug-report", metavar="OUT", help="write a minimal document with this equation (- for standard output)"
    )
    explain.set_defaults(run=_explain)

    demo = commands.add_parser("demo", help="one proof, one refutation, one suggestion; needs no files")
    demo.set_defaults(run=_demo)

    theorems = commands.add_parser("theorems", help="list the library with computed status")
    theorems.set_defaults(run=_theorems)

    prove = commands.add_parser("prove", help="print derivations of library statements")
    prove.add_argument("names", nargs="*", metavar="NAME")
    prove.add_argument("--all", action="store_true", help="every statement of the library")
    prove.add_argument("--certificates", metavar="DIR", help="write the certificates as JSON")
    prove.set_defaults(run=_prove)

    replay = commands.add_parser("replay", help="check saved certificates with the kernel alone")
    replay.add_argument("files", nargs="+", metavar="FILE")
    replay.set_defaults(run=_replay)

    doctor = commands.add_parser("doctor", help="versions, devices, and what is missing")
    doctor.set_defaults(run=_doctor)
    return parser


def _fail(message: str, status: int = 2) -> int:
    print(f"derivations: {message}", file=sys.stderr)
    return status


# --- compare ----------------------------------------------------------------------------------------------------------


def _compare(options: argparse.Namespace) -> int:
    from derivations.reports.model import ReportError, read_report
    from derivations.reports.outputs import Output, OutputError, see_to
    from derivations.reports.plain.difference import WRITERS, differences

    try:
        old, new = read_report(options.old), read_report(options.new)
        found = differences(old, new)
        if options.html:
            from derivations.reports.html.difference import write_difference

            see_to([Output("html", options.html)])
            write_difference(found, old, new, options.html)
    except (ReportError, OutputError) as error:
        return _fail(str(error))
    streams.put(WRITERS[options.format](found), data=options.format != "text")
    return 1 if found["newly refuted"] else 0


# --- explain --------------------------------------------------------------------------------------------------------


def _explain(options: argparse.Namespace) -> int:
    from derivations.documents import DocumentError
    from derivations.project import ProjectError
    from derivations.reports.run import explained

    try:
        found = explained.find(explained.read_target(options.place))
    except (explained.NoTarget, ProjectError) as error:
        return _fail(str(error))
    except DocumentError as error:
        return _fail(str(error), 3)
    if options.bug_report is None:
        print(explained.explained(found), end="")
        return 0
    text = explained.bug_report(found)
    if options.bug_report == "-":
        print(text, end="")
        return 0
    from derivations.reports.outputs import write_whole

    try:
        write_whole(Path(options.bug_report), text)
    except OSError as error:
        return _fail(f"{error.filename}: needed a place that can be written, found: {error.strerror}")
    print(f"{options.bug_report}: {text.splitlines()[0].removeprefix('<!-- ').removesuffix(' -->')}")
    return 0


# --- library --------------------------------------------------------------------------------------------------------


def _demo(_: argparse.Namespace) -> int:
    from derivations import demo

    print(demo.run())
    return 0


def _theorems(_: argparse.Namespace) -> int:
    from derivations.theorems import library

    rows = library()
    width = max(len(r.name) for r in rows)
    for row in rows:
        print(f"{row.status:9}  {row.name:{width}}  {row.source}")
        print(f"{'':9}  {'':{width}}  {row.stated[0]}")
    return 0


def _prove(options: argparse.Namespace) -> int:
    from derivations.api import describe
    from derivations.exposition.explain import explain
    from derivations.kernel import certificate
    from derivations.provers.decide import Proved
    from derivations.reports.outputs import write_whole
    from derivations.theorems import find, library

    if options.all == bool(options.names):
        return _fail("prove needs names of statements, or --all (see: derivations theorems)")
    try:
        rows = library() if options.all else [find(name) for name in options.names]
    except KeyError as error:
        return _fail(str(error.args[0]))
    failed = False
    for row in rows:
        decision = row.decision
        print(f"{row.name}: {row.status}")
        print(f"  {row.stated[0]}")
        if isinstance(decision, Proved):
            for line in explain(decision.theorem, plain=True):
                print(f"    {line.relation:4} {line.term}" + (f"    [{line.reason}]" if line.reason else ""))
            for a in decision.theorem.assumptions:
                print(f"    assuming {a.text} ({a.origin})")
            if options.certificates:
                data = certificate.write(decision.theorem)
                text = json.dumps(data, sort_keys=True) + "\n"
                write_whole(Path(options.certificates) / f"{row.name}.json", text)
        else:
            print(f"    {describe(decision)}")
            failed = failed or row.status != row.expected
        print(f"  source: {row.source}")
    return 1 if failed else 0


def _replay(options: argparse.Namespace) -> int:
    from derivations.kernel import certificate
    from derivations.kernel.errors import BadCertificate

    status = 0
    for name in options.files:
        try:
            with Path(name).open("rb") as file:
                data = certificate.loads(file.read(certificate.MAX_BYTES + 1))
            theorem = certificate.read(data)
        except OSError as error:
            status = _fail(f"{name}: needed a readable file, found: {error.strerror or error}", 3)
        except certificate.NotJson as error:
            status = _fail(f"{name}: needed a certificate in JSON, found: {error}", 3)
        except BadCertificate as error:
            status = max(status, _fail(f"{name}: {error}", 1))
        else:
            print(f"{name}: replayed, {len(theorem.rules)} rules: {certificate.describe(theorem)}")
    return status


# --- doctor ---------------------------------------------------------------------------------------------------------


def _doctor(_: argparse.Namespace) -> int:
    import importlib.metadata
    import importlib.util
    import platform
    import shutil

    import derivations

    here = Path(__file__).resolve().parent.parent
    print(f"derivations {__version__} in {here}")
    print(f"python {platform.python_version()} on {platform.platform()}")
    wrong = 0
    for name in ("sympy", "python-flint", "numpy"):
        try:
            print(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            print(f"{name} is missing: pip install {name}")
            wrong = 1
    for name in ("numeric", "reports"):
        package = getattr(derivations, name)
        own = here in Path(str(package.__file__)).resolve().parents
        print(f"derivations.{name} is {'ours' if own else f'NOT ours: {package.__file__}'}")
        wrong = wrong or int(not own)
    if importlib.util.find_spec("torch") is None:
        print("torch is not installed: numbers are checked on NumPy only (pip install torch)")
    else:
        import torch

        devices = [torch.cuda.get_device_name(k) for k in range(torch.cuda.device_count())]
        print(f"torch {torch.__version__}; cuda: {', '.join(devices) or 'no device'}")
    from derivations.second_reader import SecondReader

    with SecondReader() as reader:
        print(f"second reader: {reader.python}" if reader.absent is None else f"no second reader: {reader.absent}")
    from derivations.numeric.running.process import PROMISES, RunRefused, Settings, trial

    try:
        held, failed = trial(Settings(strict=False))
        said = [
            f"{name} by {held[name]}" if held.get(name) else f"NOT {name} ({failed.get(name)})" for name in PROMISES
        ]
        print(f"check --run can limit {', '.join(said)}")
    except RunRefused as error:
        print(f"check --run is not available: {error}")
    latexmk = shutil.which("latexmk")
    print(f"latexmk: {latexmk or 'not installed: reports are written as .tex, without .pdf'}")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
