"""`derivations report`: a saved report, or the library of statements, in any of the formats."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from derivations.streams import put


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    report = commands.add_parser("report", help="write a saved report, or the library, in other formats")
    report.add_argument("saved", nargs="?", metavar="REPORT", help="a report as JSON (check --json REPORT)")
    report.add_argument("--library", action="store_true", help="the library: statements, sources, derivations, rules")
    report.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="KIND=PATH",
        help="as for check: html=DIR; json, tex, pdf, junit, sarif, github, plain, markdown or csv=FILE",
    )
    report.add_argument("--html", metavar="DIR", help="--output html=DIR")
    report.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write what was asked for; the status is 0, or 2 with a message."""
    from derivations.reports.model import ReportError, read_report
    from derivations.reports.outputs import TEXTS, OutputError, read_output, see_to, write_outputs

    texts = [*options.output, *([f"html={options.html}"] if options.html else [])]
    try:
        if bool(options.saved) == options.library:
            return _fail("report needs a saved report or --library (see: derivations report --help)")
        if not texts:
            return _fail("report needs a place to write to, such as --html DIR or --output tex=FILE")
        outputs = [read_output(text) for text in texts]
        if options.library:
            from derivations.reports.run.library_report import library_report

            see_to(outputs)
            report = library_report()
        else:
            report = read_report(options.saved)
            see_to(outputs)
        undone = write_outputs(outputs, report)
    except (OutputError, ReportError) as error:
        return _fail(str(error))
    for o in outputs:
        if o.path == "-":
            put(TEXTS[o.kind](report), data=True)
        elif not undone or o.kind != "pdf":
            print(o.path, file=sys.stderr)
    for message in undone:
        _fail(message)
    return 2 if undone else 0


def _fail(message: str) -> int:
    print(f"derivations: {message}", file=sys.stderr)
    return 2
