"""The second reader over the findings of a document: notes where it disagrees, and counts of everything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from derivations.documents.model.document import Document
from derivations.documents.model.finding import Finding
from derivations.language.sympy_bridge import BridgeError, to_sympy
from derivations.language.term import Term
from derivations.latex.syntax.lexer import ReadError, expand_macros
from derivations.second_reader import Opinion, SecondReader
from derivations.study.meaning_of_names import item_of, key_of
from derivations.study.state import Study


def second_opinions(
    reader: SecondReader, document: Document, study: Study, findings: Sequence[Finding]
) -> Iterator[tuple[Finding, str, Opinion]]:
    """Each side of each equation without indices: the finding, the LaTeX, what the second reader says."""
    for f in findings:
        for latex, term in _sides(document, study, f):
            try:
                ours = to_sympy(term)
            except (BridgeError, TypeError, ValueError):
                continue
            opinion = reader.compare(latex, ours)
            if opinion.asked:
                yield f, latex, opinion


def note_disagreements(
    reader: SecondReader, document: Document, study: Study, findings: Sequence[Finding], counts: dict[str, Any]
) -> None:
    """Put a note on every finding that is read differently; `counts` gets what was compared."""
    for f, latex, opinion in second_opinions(reader, document, study, findings):
        name = {True: "agree", False: "differ", None: "not_read"}[opinion.agrees]
        counts[name] = counts.get(name, 0) + 1
        if opinion.agrees is False:
            f.notes = (*f.notes, f"latex2sympy2 reads {latex.strip()} as {opinion.text}: {opinion.why}")


def _sides(document: Document, study: Study, f: Finding) -> Iterator[tuple[str, Term]]:
    """The LaTeX of the sides of a finding, each with the term that it was read as."""
    key = key_of(study, f.position) if f.span >= 0 else None
    item = item_of(study, key) if key is not None else None
    if key is None or item is None or f.status == "unread":
        return
    chain = item.reading.chain
    left = chain.first if key[2] == 0 else chain.links[key[2] - 1][1]
    relation, right = chain.links[key[2]]
    source = item.span.source
    macros = document.macros_at(item.span.index)

    def written(span: tuple[int, int]) -> str | None:
        latex = source[span[0] : span[1]]
        try:
            return expand_macros(latex, macros) if macros else latex
        except ReadError:
            return None

    pairs: list[tuple[Any, Term]] = []
    if f.definition is not None and not f.definition.indices:
        pairs = [(right, f.definition.body)]
    elif f.statement is not None and len(f.statements) == 1 and not f.statement.indices:
        sides = [f.statement.left, f.statement.right]
        pairs = list(zip((left, right), sides[::-1] if relation in (">", ">=") else sides, strict=True))
    for node, term in pairs:
        latex = written(node.span) if node is not None else None
        if latex:
            yield latex, term
