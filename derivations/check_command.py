"""`derivations check`: its options, and what happens from the documents to the exit status."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from derivations.streams import is_watched, put

if TYPE_CHECKING:
    from derivations.numeric.running.process import Settings
    from derivations.project import Project
    from derivations.reports.outputs import Output

FORMATS = ("text", "plain", "github", "sarif", "junit", "markdown", "csv", "tex", "json")
"""What can be printed."""


class Usage(Exception):
    """What was asked for cannot be done: the message, and the exit status."""

    def __init__(self, message: str, status: int = 2) -> None:
        super().__init__(message)
        self.status = status


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    check = commands.add_parser("check", help="check documents and write reports")
    check.add_argument("paths", nargs="+", metavar="PATH", help="files, or folders that are searched for documents")
    check.set_defaults(run=run)
    _add_outputs(check.add_argument_group("reports"))
    _add_failing(check.add_argument_group("what fails"))
    detail = check.add_mutually_exclusive_group()
    detail.add_argument("-q", "--quiet", action="store_true", help="print findings alone")
    detail.add_argument("-v", "--verbose", action="store_true", help="print every item, and what was not read")
    check.add_argument("--watch", action="store_true", help="check again whenever a file changes, until Ctrl-C")
    check.add_argument("--no-cache", action="store_true", help="study every document anew, and keep nothing of it")
    check.add_argument("--device", choices=("cpu", "cuda", "auto"), default="auto", help="where to cross-check numbers")
    check.add_argument("--timeout", type=_seconds, metavar="S", help="seconds for the decisions about one document")
    check.add_argument(
        "--second-reader",
        action="store_true",
        help="read formulas without indices a second time (latex2sympy2); notes only",
    )
    _add_running(check.add_argument_group("running the code of documents"))


def _add_outputs(group: Any) -> None:
    group.add_argument("--format", choices=FORMATS, default="text", help="what is printed (text unless said otherwise)")
    group.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="KIND=PATH",
        help="write a report, any number of times: html=DIR; json, tex, pdf, junit, sarif, github, plain, markdown or "
        "csv=FILE (- for standard output)",
    )
    group.add_argument("--json", metavar="FILE", help="--output json=FILE")
    group.add_argument("--html", metavar="DIR", help="--output html=DIR")
    group.add_argument("--tex", metavar="FILE", help="--output tex=FILE")
    group.add_argument("--pdf", metavar="FILE", help="--output pdf=FILE (needs latexmk)")
    group.add_argument("--csv", metavar="FILE", help="--output csv=FILE: a row for each item; with --against the table")
    group.add_argument(
        "--redact",
        type=_redactions,
        default=(),
        metavar="WHAT",
        help="leave out of all reports: source, outputs, paths (with commas)",
    )
    group.add_argument(
        "--against", metavar="REFERENCE", help="take words, equations and code of a reference; a table of submissions"
    )


def _add_failing(group: Any) -> None:
    group.add_argument(
        "--fail-on",
        type=_kinds,
        metavar="KINDS",
        help="exit with 1 for these: refuted (unless said otherwise), undecided, unread, assumed (with commas)",
    )
    group.add_argument("--baseline", type=Path, metavar="FILE", help="fail for findings that FILE does not know only")
    group.add_argument(
        "--write-baseline", action="store_true", help="write what would fail to the baseline, and do not fail"
    )
    group.add_argument("--allow-empty", action="store_true", help="exit with 0 when no document has a statement")


def _add_running(group: Any) -> None:
    group.add_argument(
        "--run",
        dest="run_code",
        choices=("confined", "unconfined"),
        help="run the code of documents and compare what it prints; refused where time, memory, network and files cannot "
        "be limited, unless --run=unconfined; without --run nothing of a document is executed",
    )
    group.add_argument("--python", metavar="PATH", help="with --run: the interpreter that runs the code")
    group.add_argument(
        "--allow-local-imports", action="store_true", help="with --run: modules beside the document may be imported"
    )
    group.add_argument(
        "--cell-timeout", type=_seconds, default=30.0, metavar="S", help="with --run: seconds for a cell"
    )
    group.add_argument("--cell-memory", type=_mebibytes, default=4096, metavar="MIB", help="with --run: memory limit")


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


def _some_of(known: Sequence[str], text: str) -> tuple[str, ...]:
    named = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    for name in named:
        if name not in known:
            raise argparse.ArgumentTypeError(f"needed some of {', '.join(known)} with commas, found {name!r}")
    return named


def _kinds(text: str) -> tuple[str, ...]:
    from derivations.project import FAILING

    return _some_of(FAILING, text)


def _redactions(text: str) -> tuple[str, ...]:
    return _some_of(("source", "outputs", "paths"), text)


# --- the command ----------------------------------------------------------------------------------------------------


def run(options: argparse.Namespace) -> int:
    """Check, write the reports, print; returns the exit status."""
    if options.watch:
        from derivations.watch import watch

        if options.write_baseline:
            return _say("--watch and --write-baseline: needed one of them, found both")
        return watch(lambda files: _guarded(options, files), lambda: _watched(options))
    return _guarded(options, set())


def _guarded(options: argparse.Namespace, files: set[str]) -> int:
    """One check; whatever cannot be done is one line. The files that were looked at go into `files`."""
    from derivations.documents import DocumentError
    from derivations.project import ProjectError
    from derivations.reports.outputs import OutputError
    from derivations.reports.run.baseline import BaselineError

    try:
        return _run(options, files)
    except Usage as error:
        return _say(str(error), error.status)
    except DocumentError as error:
        return _say(str(error), 3)
    except (ProjectError, BaselineError, OutputError) as error:
        return _say(str(error))


def _watched(options: argparse.Namespace) -> Iterator[str]:
    """The documents that would be checked, and the project files that would be read, by now."""
    from derivations.project import FILE, ProjectError, forget, project_of

    forget()
    try:
        paths = _paths(options.paths)
    except (Usage, ProjectError):
        paths = [Path(text) for text in options.paths]
    if options.against:
        yield options.against
    if options.baseline:
        yield str(options.baseline)
    for path in paths:
        yield str(path)
        yield str(path.resolve().parent / FILE)
        with suppress(ProjectError):
            project = project_of(path)
            yield from map(str, project.sources)
            if project.baseline is not None:
                yield str(project.baseline)


def _run(options: argparse.Namespace, files: set[str]) -> int:
    from derivations.project import project_of
    from derivations.reports.finding_rows import exit_status
    from derivations.reports.outputs import see_to, write_outputs
    from derivations.reports.redact import redacted

    outputs = _outputs(options)
    paths = _paths(options.paths)
    see_to(outputs)
    project = project_of(paths[0])
    baseline = _Baseline(options, project)
    settings, refused = _running(options)
    report, errors = _checked(options, paths, settings, project, files)
    for message in errors:
        _say(message)
    if refused is not None:
        report["run"]["skipped"].append({"what": "the code of documents", "reason": refused})
    report["run"]["fail_on"] = list(options.fail_on or project.fail_on or ("refuted",))
    report = baseline.applied(report)
    status = exit_status(report, errors)
    shown = redacted(report, options.redact)
    undone = write_outputs(outputs, shown)
    for message in undone:
        _say(message)
    if printed := next((o.kind for o in outputs if o.path == "-"), None):
        _print_as(printed, shown)
    else:
        against = shown["run"].get("against")
        put(_table(against) if against else _summary(options, shown))
    if refused is not None or undone:
        return 2
    return 0 if status == 5 and options.allow_empty else status


def _paths(texts: Sequence[str]) -> list[Path]:
    """The documents; a folder is searched."""
    from derivations.documents import SUFFIXES
    from derivations.project import project_of

    paths: list[Path] = []
    for text in texts:
        path = Path(text)
        try:
            folder = path.is_dir()
            path.resolve()
        except (OSError, RuntimeError, ValueError) as error:  # a link to itself, or no name for a file
            found = getattr(error, "strerror", None) or "a link that leads to itself"
            raise Usage(f"{text}: needed a file or a folder, found: {found}", 3) from None
        if not folder:
            paths.append(path)
            continue
        found = sorted(p for p in _inside(path) if p.suffix.lower() in SUFFIXES and p.is_file())
        found = [p for p in found if not project_of(p).is_excluded(p)]
        if not found:
            raise Usage(f"{text}: needed a folder with documents ({', '.join(SUFFIXES)}), found none", 5)
        paths += found
    return paths


def _inside(folder: Path) -> Iterator[Path]:
    """The files below a folder; what begins with a dot is not looked into, nor what package managers put there."""
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and not _is_installed(Path(place) / name)]
        yield from (Path(place) / name for name in names if not name.startswith("."))


def _is_installed(folder: Path) -> bool:
    return folder.name in ("node_modules", "site-packages", "__pycache__") or (folder / "pyvenv.cfg").is_file()


def _outputs(options: argparse.Namespace) -> list[Output]:
    """What is to be written, the short options included; at most one of them is printed."""
    from derivations.reports.outputs import Output, read_output

    outputs = [read_output(text) for text in options.output]
    for kind in ("json", "html", "tex", "pdf", "csv"):
        if path := getattr(options, kind):
            outputs.append(read_output(f"{kind}={path}"))
    if options.format != "text":
        outputs.append(Output(options.format, "-"))
    printed = [o.kind for o in outputs if o.path == "-"]
    if len(printed) > 1:
        raise Usage(f"needed one report on standard output, found {' and '.join(printed)}")
    return outputs


class _Baseline:
    """What is known from before; it is read before the work is done."""

    def __init__(self, options: argparse.Namespace, project: Project) -> None:
        from derivations.reports.run.baseline import FILE, read_baseline

        path = options.baseline or project.baseline
        self.writes = options.write_baseline
        self.path = path or Path(FILE)
        self.known = read_baseline(self.path) if path is not None and not self.writes else None

    def applied(self, report: dict[str, Any]) -> dict[str, Any]:
        """The report with what is known marked, after writing it where that is asked for."""
        from derivations.reports.run.baseline import read_baseline, with_baseline, write_baseline

        if self.writes:
            count = write_baseline(self.path, report)
            print(f"{self.path}: {count} finding{'s' if count != 1 else ''} written", file=sys.stderr)
            self.known = read_baseline(self.path)
        return report if self.known is None else with_baseline(report, self.known, self.path)


def _running(options: argparse.Namespace) -> tuple[Settings | None, str | None]:
    """How the code of documents is run, None where it is not; and why it is not where that was asked for."""
    if options.run_code is None:
        if options.python or options.allow_local_imports:
            raise Usage("--python and --allow-local-imports need --run: without it no code of a document is executed")
        return None, None
    from derivations.numeric.running.process import RunRefused, Settings, trial

    settings = Settings(
        options.run_code == "confined",
        options.python or sys.executable,
        options.allow_local_imports,
        options.cell_timeout,
        options.cell_memory,
    )
    try:
        trial(settings)
    except RunRefused as error:  # the rest is checked all the same; what was asked for did not happen
        _say(str(error))
        return None, str(error)
    return settings, None


def _checked(
    options: argparse.Namespace, paths: Sequence[Path], settings: Settings | None, project: Project, files: set[str]
) -> tuple[dict[str, Any], list[str]]:
    found: tuple[dict[str, Any], list[str]]
    if options.against:
        from derivations.reports.run.batch import check_submissions

        found = check_submissions(paths, options.against, timeout=options.timeout, run=settings)
    else:
        from derivations.reports.run.cache import Cache, folder
        from derivations.reports.run.progress import Bar
        from derivations.reports.run.session import check_documents

        bar = Bar(quiet=options.quiet)
        found = check_documents(
            paths,
            device=options.device,
            timeout=options.timeout,
            run=settings,
            second_reader=options.second_reader,
            cache=None if options.no_cache else Cache(folder(project.cache), bar.said(_say)),
            progress=bar,
            files=files,
        )
    return found


def _summary(options: argparse.Namespace, report: dict[str, Any]) -> str:
    """For a person at a terminal with a table for each document, else a line for each."""
    from derivations.reports.plain.terminal import summary

    columns = shutil.get_terminal_size((100, 24)).columns
    detail = "table" if is_watched(sys.stdout) else "brief"
    shown: dict[str, Any] = {"detail": detail, "width": min(max(columns, 40), 140)}
    if options.quiet or options.verbose:
        shown["detail"] = "quiet" if options.quiet else "verbose"
    return str(summary(report, **shown))


def _table(against: dict[str, Any]) -> str:
    from derivations.reports.run.batch import as_text

    return str(as_text(against))


def _print_as(kind: str, report: dict[str, Any]) -> None:
    from derivations.reports.outputs import TEXTS

    put(TEXTS[kind](report), data=True)


def _say(message: str, status: int = 2) -> int:
    print(f"derivations: {message}", file=sys.stderr)
    return status
