"""The command line: thin entry points; everything heavy is imported inside the command that needs it."""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from derivations import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status (0 fine, 1 something refuted, 2 usage, 3 unreadable, 5 no statement)."""
    parser = _parser()
    given = sys.argv[1:] if arguments is None else arguments
    # A bare --run takes no value, so that a path may follow it.
    options = parser.parse_args(["--run=confined" if a == "--run" else a for a in given])
    if options.command is None:
        parser.print_help()
        return 2
    gc.set_threshold(100_000, 20, 20)  # terms are shared and live long: looking through them again finds little
    try:
        return int(options.run(options))
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        print("derivations: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="derivations", description="Prove or refute, for all sizes, the equations of documents about attention."
    )
    parser.add_argument("--version", action="version", version=f"derivations {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    check = commands.add_parser("check", help="check documents and write reports")
    check.add_argument("paths", nargs="+", metavar="PATH", help="files, or folders that are searched for documents")
    check.add_argument("--json", metavar="FILE", help="write the report as JSON (- for standard output)")
    check.add_argument("--html", metavar="DIR", help="write DIR/index.html")
    check.add_argument("--tex", metavar="FILE", help="write a LaTeX report")
    check.add_argument(
        "--against", metavar="REFERENCE", help="take words, equations and code of a reference; a table of submissions"
    )
    check.add_argument("--csv", metavar="FILE", help="with --against: write the table as CSV")
    check.add_argument("--device", choices=("cpu", "cuda", "auto"), default="auto", help="where to cross-check numbers")
    check.add_argument("--timeout", type=_seconds, metavar="S", help="seconds for the decisions about one document")
    check.add_argument(
        "--second-reader",
        action="store_true",
        help="read formulas without indices a second time (latex2sympy2); notes only",
    )
    check.add_argument(
        "--run",
        dest="run_code",
        choices=("confined", "unconfined"),
        help="run the code of documents and compare what it prints; refused where time, memory, network and files cannot "
        "be limited, unless --run=unconfined; without --run nothing of a document is executed",
    )
    check.add_argument("--python", metavar="PATH", help="with --run: the interpreter that runs the code")
    check.add_argument(
        "--allow-local-imports", action="store_true", help="with --run: modules beside the document may be imported"
    )
    check.add_argument(
        "--cell-timeout", type=_seconds, default=30.0, metavar="S", help="with --run: seconds for a cell"
    )
    check.add_argument("--cell-memory", type=_mebibytes, default=4096, metavar="MIB", help="with --run: memory limit")
    check.set_defaults(run=_check)

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


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"needed a number of seconds, found {text!r}") from None
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"needed a positive number of seconds, found {text!r}")
    return value


def _mebibytes(text: str) -> int:
    if not text.isdecimal() or not 64 <= int(text) <= 1 << 24:
        raise argparse.ArgumentTypeError(f"needed a whole number of MiB, 64 or more, found {text!r}")
    return int(text)


def _fail(message: str, status: int = 2) -> int:
    print(f"derivations: {message}", file=sys.stderr)
    return status


# --- check ----------------------------------------------------------------------------------------------------------


def _check(options: argparse.Namespace) -> int:
    from derivations.documents import SUFFIXES
    from derivations.project import ProjectError, project_of
    from derivations.reports import check, terminal
    from derivations.reports.model import to_json

    paths: list[Path] = []
    for text in options.paths:
        path = Path(text)
        if path.is_dir():
            inside = [p for p in path.rglob("*") if p.suffix.lower() in SUFFIXES and p.is_file()]
            found = sorted(p for p in inside if not any(x.startswith(".") for x in p.relative_to(path).parts))
            try:
                found = [p for p in found if not project_of(p).is_excluded(p)]
            except ProjectError as error:
                return _fail(str(error))
            if not found:
                return _fail(f"{text}: needed a folder with documents ({', '.join(SUFFIXES)}), found none", 5)
            paths += found
        else:
            paths.append(path)
    run, refused = None, None
    if options.run_code is not None:
        from derivations.numeric.running.process import RunRefused, Settings, trial

        run = Settings(
            options.run_code == "confined",
            options.python or sys.executable,
            options.allow_local_imports,
            options.cell_timeout,
            options.cell_memory,
        )
        try:
            trial(run)
        except RunRefused as error:  # the rest is checked all the same; what was asked for did not happen
            run, refused = None, str(error)
            _fail(refused)
    elif options.python or options.allow_local_imports:
        return _fail("--python and --allow-local-imports need --run: without it no code of a document is executed")
    if options.csv and not options.against:
        return _fail("--csv needs --against: the table of submissions against a reference")
    try:
        if options.against:
            from derivations.documents import DocumentError
            from derivations.reports.batch import as_csv, as_text, check_submissions

            try:
                report, errors = check_submissions(paths, options.against, timeout=options.timeout, run=run)
            except DocumentError as error:
                return _fail(str(error), 3)
        else:
            report, errors = check.check_documents(
                paths,
                device=options.device,
                timeout=options.timeout,
                run=run,
                second_reader=options.second_reader,
            )
    except ProjectError as error:
        return _fail(str(error))
    for message in errors:
        print(f"derivations: {message}", file=sys.stderr)
    if refused is not None:
        report["run"]["skipped"].append({"what": "the code of documents", "reason": refused})
    try:
        if options.json == "-":
            print(to_json(report))
        elif options.json:
            _write(Path(options.json), to_json(report) + "\n")
        if options.csv:
            _write(Path(options.csv), as_csv(report["run"]["against"]))
        if options.html:
            from derivations.reports.html import write_html

            write_html(report, Path(options.html))
        if options.tex:
            from derivations.reports.tex import write_tex

            _write(Path(options.tex), write_tex(report))
    except OSError as error:
        return _fail(f"{error.filename}: needed a place that can be written, found: {error.strerror}")
    if options.json != "-":
        print(as_text(report["run"]["against"]) if options.against else terminal.summary(report))
    return 2 if refused is not None else int(check.exit_status(report, errors))


def _explain(options: argparse.Namespace) -> int:
    from derivations.documents import DocumentError
    from derivations.project import ProjectError
    from derivations.reports import explained

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
    try:
        _write(Path(options.bug_report), text)
    except OSError as error:
        return _fail(f"{error.filename}: needed a place that can be written, found: {error.strerror}")
    print(f"{options.bug_report}: {text.splitlines()[0].removeprefix('<!-- ').removesuffix(' -->')}")
    return 0


def _write(path: Path, text: str) -> None:
    """Write beside and rename, so that no half-written file is left."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".part")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


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
    from derivations.kernel import certificate
    from derivations.provers.decide import Proved
    from derivations.provers.explain import explain
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
                _write(Path(options.certificates) / f"{row.name}.json", json.dumps(data, sort_keys=True) + "\n")
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
            data: Any = json.loads(Path(name).read_text(encoding="utf-8"))
            theorem = certificate.read(data if isinstance(data, dict) else {})
        except OSError as error:
            status = _fail(f"{name}: needed a readable file, found: {error.strerror or error}", 3)
        except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
            status = _fail(f"{name}: needed a certificate in JSON, found: {error}", 3)
        except BadCertificate as error:
            status = max(status, _fail(f"{name}: {error}", 1))
        else:
            print(f"{name}: replayed, {len(theorem.rules)} rules: {theorem.statement}")
            for a in theorem.assumptions:
                print(f"  assuming {a.text} ({a.origin})")
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
        print("torch is not installed: numbers are checked on NumPy only (pip install 'derivations[torch]')")
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
