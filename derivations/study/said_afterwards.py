"""What is supposed only after a claim, in its sentence or in a footnote to it, counts for the claim."""

from __future__ import annotations

import re

from derivations.documents.model.document import CLOSE, OPEN, Document
from derivations.language.statement import Statement
from derivations.study.equation_walk import Item, Key, Walk
from derivations.study.state import Study
from derivations.study.strategies import supposing
from derivations.study.verdict import all_heads, decide_again, with_verdict, withheld
from derivations.study.written_conditions import words_after

_FOOTNOTE = re.compile(r"\s*\[\^(?P<mark>[^\]\s]+)\]:")
"""The mark that a footnote of Markdown begins with."""


def suppose_what_follows(study: Study, main: Walk) -> None:
    """Nothing is refuted that is not false under what the author adds: decide again what is, under all of it."""
    for key, (case, verdict) in study.refuted.items():
        finding = main.findings[key]
        if finding.status != "refuted" and key not in main.guessed:
            continue
        heads = {h for s in case.statements for h in all_heads(s, case.theory)}
        added: list[tuple[Key, Statement]] = [
            (k, h)
            for k, h, _ in main.hypotheses
            if k[:2] > key[:2] and heads & {*h.left.heads, *h.right.heads} and _belongs(study.document, k, case.item)
        ]
        if not added:
            continue
        found = decide_again(case, verdict, supposing(verdict.statements, (h for _, h in added)))
        if not found.is_refuted:
            main.guessed.pop(key, None)
        if found.is_proved:
            main.findings[key] = with_verdict(finding, found)
            main.uses[key] |= {k for k, _ in added}
        elif not found.is_refuted:
            line = main.findings[added[0][0]].place.line
            reason = f"false in general; under what line {line} adds it is neither proved nor refuted"
            main.findings[key] = withheld(finding, "search-ended", reason)


def _belongs(document: Document, later: Key, item: Item) -> bool:
    """Whether a formula stands in the sentence of one before it, or in a footnote whose mark stands in its paragraph."""
    if later[0] < 0 or f"{OPEN}{later[0]}{CLOSE}" in words_after(item):
        return later[0] >= 0
    added, own = document.block_of(document.spans[later[0]]), document.block_of(item.span)
    note = _FOOTNOTE.match(added.text.text)
    return note is not None and f"[^{note['mark']}]" in own.text.text
