"""Functions that stand beside an equation, without a word that links the two, and differ from it by one slip.

A function that differs from the equation before it may compute something else.  Where one change of the code, a sign, a
factor, an axis, a bound, makes the equation of it, it is meant to be that equation: of several arrays, hardly anything else
is so near.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from derivations.code.judgement_context import Context, Judged
from derivations.code.linked_symbols import texts_beside
from derivations.documents.facts.repetition_words import starts_anew
from derivations.documents.facts.sentence_patterns import VERSIONS, qualifiers, words
from derivations.documents.model.document import Comment, Prose
from derivations.language.term import Entry
from derivations.lifting.interpreter.interpret import Record
from derivations.study.near_misses import NearMiss, near_miss
from derivations.study.slips import TRANSPOSED

MIN_INPUTS = 2
"""Fewest arrays that tell a formula from others: of one alone many functions are made."""


def refuted_by_slip(context: Context, judged: Sequence[Judged]) -> Judged | None:
    """The one among a function's comparisons with the equations beside it that a slip tells to be meant; None where several
    are, or where the words around say that the function is another version."""
    refuted = (j for j in judged if j.candidate.link == "beside" and j.status == "refuted")
    open_ones = [j for j in refuted if _is_sure(j) and not _is_other_version(context, j)]
    found = [(j, miss) for j in open_ones if (miss := _slip(context, j)) is not None]
    if len({j.candidate.target.finding.position for j, _ in found}) != 1:
        return None
    chosen, miss = found[0]
    line = chosen.candidate.target.finding.place.line
    chosen.finding.notes = (
        *chosen.finding.notes,
        f"nothing but its place links it to the equation of line {line}, which it would compute with {miss.slip.words}",
    )
    return chosen


def _is_sure(judged: Judged) -> bool:
    """Whether every parameter is called after a symbol of the equation, none is guessed to be one, and the code is made of
    all that the equation is made of, of several arrays."""
    way, f = judged.candidate.lifting, judged.finding
    guessed = way is None or way.positional or way.row or way.led or way.each or way.forced or bool(way.called)
    if guessed or f.statement is None:
        return False
    below = (f.theory.reached(side) for side in (f.statement.left, f.statement.right))
    left, right = ({t.name for t in own if isinstance(t, Entry)} & f.theory.tensors.keys() for own in below)
    return left == right and len(left) >= MIN_INPUTS


def _slip(context: Context, judged: Judged) -> NearMiss | None:
    """The change of what the code computes that makes the equation of it."""
    f = judged.finding
    s = f.statement
    if s is None:
        return None
    miss = near_miss(s, f.theory, context.decide, of_code=True)
    return miss if miss is not None and miss.tells and miss.slip is not TRANSPOSED else None


def _is_other_version(context: Context, judged: Judged) -> bool:
    """Whether the text between the equation and the function, or beside it, speaks of another version of it."""
    c = judged.candidate
    own, *between = context.document.blocks[c.target.block : c.record.block]
    texts = [b.text.text for b in between if isinstance(b, Prose)]
    texts += texts_beside(context, c.record, whole=True)
    texts += (n.text for line in ast.walk(c.record.node) for n in _comments(context, c.record, line))
    said = qualifiers(own.text.text)
    return any(starts_anew(t) or qualifiers(t) - said or VERSIONS & words(t) for t in texts)


def _comments(context: Context, record: Record, node: ast.AST) -> list[Comment]:
    """The comments beside a statement of a function."""
    return context.program.comments(record.block, node) if isinstance(node, ast.stmt) else []
