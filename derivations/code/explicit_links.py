"""Links that an author writes between an equation and the name of a value in the code.

A document without code is studied without what reads programs, so this stands apart from it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from derivations.documents.model.document import Block, Document, HtmlComment, Linked, MathSpan

EXPLICIT = re.compile(r"^\s*+check:\s*+([A-Za-z_][\w.]*+)\s*+(?:\([^()=]*+\)\s*+)?=\s*+(.*\S|)\s*+$", re.DOTALL)
"""`<!-- check: NAME = LATEX -->` before the code that gives NAME its value; a function may be written with arguments."""


@dataclass(frozen=True)
class Explicit:
    """A link written by the author: the code name, and the name that its equation defines in the prepared document."""

    name: str
    stem: str
    block: int
    latex: str


def with_explicit_links(document: Document) -> tuple[Document, list[Explicit]]:
    """The document with each explicit link as an equation of its own, numbered again."""
    links: list[Explicit] = []
    blocks: list[Block] = []
    for block in document.blocks:
        found = EXPLICIT.match(block.text.text) if isinstance(block, HtmlComment) else None
        if found is None:
            blocks.append(block)
            continue
        name, latex = found.group(1), found.group(2)
        stem = f"code_link_{len(links) + 1}"
        written = "\\text{" + stem.replace("_", "\\_") + "} = "
        text = replace(block.text, text=written + latex, starts=(0,), origins=block.text.origins[:1])
        span = MathSpan(0, True, "$$", text, 0, len(text.text))
        blocks.append(Linked(block.index, text, block.section, block.cell_tags, (span,)))
        links.append(Explicit(name, stem, block.index, latex))
    if not links:
        return document, []
    return replace(document, blocks=tuple(_renumbered(blocks))), links


def _renumbered(blocks: Sequence[Block]) -> list[Block]:
    count = 0
    result: list[Block] = []
    for block in blocks:
        spans = getattr(block, "spans", None)
        if spans:
            moved = tuple(replace(s, index=count + k) for k, s in enumerate(spans))
            count += len(spans)
            block = replace(block, spans=moved)  # type: ignore[call-arg]
        result.append(block)
    return result
