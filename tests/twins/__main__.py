"""`python -m tests.twins FOLDER [--every K] [--seconds S]`: the verdicts on twins of the documents of a folder."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from twins.study_twins import Twin, documents, outcome_of, table, twins


def shares(found: list[Twin]) -> str:
    """The table: how the twins of each kind ended."""
    rows = table(found)
    columns = sorted({c for row in rows.values() for c in row})
    lines = []
    for kind, row in rows.items():
        false = sum(
            n for c, n in row.items() if c not in ("unread", "none", "not shown false", "not evaluated", "swallowed")
        )
        share = f"{row['refuted'] / false:.0%}" if false else "-"
        own = ", ".join(f"{c} {row[c]}" for c in columns if row[c])
        lines.append(f"{kind:14} refuted {row['refuted']} of {false} false ({share}); {own}")
    return "\n".join(lines)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--every", type=int, default=1, help="each K-th document only")
    options.add_argument("--start", type=int, default=0)
    options.add_argument("--seconds", type=float, default=120, help="for one document")
    options.add_argument("--per-kind", type=int, default=1)
    options.add_argument("--wanted", type=int, default=6)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--json", type=Path, help="write all twins to a file")
    o = options.parse_args()
    found: list[Twin] = []
    for path in list(documents(o.folder))[o.start :: o.every]:
        began = time.monotonic()
        text = path.read_text(encoding="utf-8")
        own = list(twins(text, path.name, per_kind=o.per_kind, wanted=o.wanted, seconds=o.seconds, seed=o.seed))
        found += own
        sys.stdout.write(f"# {path.name}: {len(own)} in {time.monotonic() - began:.0f} s\n")
        for t in own:
            how = outcome_of(t)
            if how in ("refuted", "not shown false", "not evaluated"):
                continue
            sys.stdout.write(
                f"{how} | {t.path}:{t.line} {t.kind} | {t.original} -> {t.role} {t.status} {t.code}: {t.reason}\n"
                f"    {t.source!r}\n    {t.changed!r}\n    {t.outcome.witness}\n"
            )
        sys.stdout.flush()
        if o.json is not None:
            o.json.write_text(json.dumps([asdict(t) for t in found], indent=1), encoding="utf-8")
    sys.stdout.write(shares(found) + "\n")
    return int(any(t.is_false and t.status == "proved" for t in found))


if __name__ == "__main__":
    raise SystemExit(main())
