"""The runs of one document: in its order, in that of its execution counts, and disturbed; each is made when asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from derivations.documents.model.document import Document

from .cells import Prepared, in_counted_order
from .process import Run, Settings, start

CLOCK, SEEDS = 3.7, 1009
"""How a disturbed run differs: the clock runs faster, and every seed is another one."""


class Runs:
    """The code cells of a document that can be run, and what running them gave."""

    def __init__(
        self,
        document: Document,
        prepared: Sequence[Prepared],
        settings: Settings,
        replays: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self.prepared, self.settings = prepared, settings
        self.local = Path(document.path).resolve().parent if settings.local_imports else None
        self.runnable = [p for p in prepared if p.skipped is None and p.cell.source.strip()]
        self.ordered = in_counted_order(prepared)
        self._disturbed: dict[str, Run] = {}
        self._counted: Run | None = None
        self.plain = self._start(self.runnable, replays=replays)

    def _start(
        self,
        order: Sequence[Prepared],
        disturb: Mapping[str, float] | None = None,
        replays: Sequence[Mapping[str, Any]] = (),
    ) -> Run:
        cells = [p.cell for p in order]
        return start(cells, self.settings, local=self.local, disturb=disturb, replays=replays)

    @property
    def count(self) -> int:
        """How often the code was run."""
        return 1 + (self._counted is not None) + len(self._disturbed)

    def counted(self) -> Run:
        """In the order of the execution counts; cells without a count are left out."""
        if self._counted is None:
            self._counted = self._start(self.ordered or self.runnable)
        return self._counted

    def otherwise(self) -> Run:
        """With another clock and other seeds."""
        return self._disturbance("seeds", {"clock": CLOCK, "seeds": SEEDS})

    def later(self) -> Run:
        """With another clock; what differs does not depend on seeded random numbers alone."""
        return self._disturbance("clock", {"clock": CLOCK})

    def reseeded_after(self, p: Prepared) -> Run:
        """With other random numbers from the first cell after this one."""
        following = [q for q in self.runnable if q.cell.id > p.cell.id]
        options = {"clock": CLOCK, "seeds": SEEDS, "from": following[0].cell.id if following else -1}
        return self._disturbance(f"after {p.cell.id}", options)

    def _disturbance(self, name: str, options: Mapping[str, float]) -> Run:
        if name not in self._disturbed:
            self._disturbed[name] = self._start(self.runnable, disturb=options)
        return self._disturbed[name]


def segments(run: Run, p: Prepared) -> list[dict[str, Any]]:
    """What a cell printed in a run."""
    cell = run.cells.get(p.cell.id)
    return list(cell["segments"]) if cell is not None else []


def errors(run: Run, p: Prepared) -> list[dict[str, Any]]:
    """What stopped a cell in a run."""
    cell = run.cells.get(p.cell.id)
    return list(cell["errors"]) if cell is not None else []
