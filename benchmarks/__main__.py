"""Runs every module of this folder that has a `main`, and prints what it measured."""

import importlib
import sys
from pathlib import Path


def main() -> int:
    """Run all benchmarks; exit status 1 when there is none, so that measuring nothing is not a success."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))
    for name in names:
        print(f"== {name}")
        importlib.import_module(f"benchmarks.{name}").main()
    if not names:
        print("no benchmark found", file=sys.stderr)
    return 0 if names else 1


if __name__ == "__main__":
    sys.exit(main())
