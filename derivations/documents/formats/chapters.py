"""Chapters as one document: what one chapter defines, the next ones know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from derivations.documents.model.document import Block, Document, Heading, Output, Prose
from derivations.latex.syntax.lexer import Macro


def bound(chapters: Sequence[Document]) -> Document:
    """The chapters, in their order, as one document; the files that they take in come with them.

    Errors: ValueError for no chapter, or for one that is split into parts, as Python files are.
    """
    if not chapters or any(c.parts for c in chapters):
        raise ValueError("chapters are documents that are not split into parts")
    blocks: list[Block] = []
    macros: list[tuple[int, Mapping[str, Macro]]] = []
    files: dict[str, str] = {}
    spans = 0
    for chapter in chapters:
        first = len(blocks)
        macros += [(spans + start, known) for start, known in chapter.macros or ((0, {}),)]
        for block in chapter.blocks:
            if isinstance(block, Prose | Heading):
                moved = tuple(replace(s, index=spans + s.index) for s in block.spans)
                blocks.append(replace(block, index=first + block.index, spans=moved))
            elif isinstance(block, Output):
                blocks.append(replace(block, index=first + block.index, of=first + block.of))
            else:
                blocks.append(replace(block, index=first + block.index))
        spans += len(chapter.spans)
        files |= {chapter.path: chapter.sha256, **chapter.files}
    head = chapters[0]
    problems = tuple(p for c in chapters for p in c.problems)
    known = tuple(macros) if any(k for _, k in macros) else ()
    own = {path: digest for path, digest in files.items() if path != head.path}
    titles = {c.path: c.title for c in chapters}
    return replace(head, blocks=tuple(blocks), problems=problems, macros=known, files=own, chapters=titles)
