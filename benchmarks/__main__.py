"""Runs modules of this folder that have a `main`, and prints what they measured: all, or those that are named."""

import importlib
import sys
from pathlib import Path


def main() -> int:
    """Run the benchmarks; exit status 1 when there is none, so that measuring nothing is not a success."""
    every = sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))
    asked = [a for a in sys.argv[1:] if not a.startswith("-") and not a.isdigit()]
    unknown = [a for a in asked if a not in every]
    if unknown or not every:
        print(f"needed one of {', '.join(every)}, found {', '.join(unknown) or 'no benchmark'}", file=sys.stderr)
        return 1
    for name in asked or every:
        print(f"== {name}", flush=True)
        importlib.import_module(f"benchmarks.bench_{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
