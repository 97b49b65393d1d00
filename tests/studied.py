"""The verdicts about the relations of a short document, in their order."""

from __future__ import annotations

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study


def statuses(text: str) -> list[str]:
    """The status of each relation; shapes and sentences in words are left out."""
    found = study(read_text(text, "x.md"), decide=decide)
    return [f.status for f in found if f.kind not in ("shape", "prose")]
