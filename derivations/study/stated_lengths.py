"""What relations say of lengths and of the ranges of indices."""

from __future__ import annotations

from derivations.documents.facts.sentence_patterns import CHOSEN, IS_A_CASE, LOCAL
from derivations.language.term import TermError, at_least, equal, less
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.syntax.letters import INDICES_BY_HABIT, letter
from derivations.latex.syntax.surface import Fraction, Infix, Node, walk
from derivations.study.equation_walk import Item, SaidOfLengths
from derivations.study.state import Study


def take_lengths(study: Study, item: Item, e: Elaborator, left: Node, relation: str, right: Node) -> None:
    """`n < N`, `p = D / R` for sizes is taken as given from here on; after "if" or "when", and where one case is spoken of, in
    its paragraph."""
    divided = (right.above, right.below) if isinstance(right, Fraction) else None
    if isinstance(right, Infix) and right.operator == "/":
        divided = (right.left, right.right)
    try:
        a = e.written_index(left, e.free)
        if divided is not None and relation == "=":
            a, right = a * e.written_index(divided[1], e.free), divided[0]
        b = e.written_index(right, e.free)
    except (NotUnderstood, TermError):
        return
    if a.free or b.free or relation == "!=" or not a.sizes or not b.sizes:
        return
    small, large = (a, b) if relation in ("<", "<=") else (b, a)
    constraint = less(small, large) if relation in ("<", ">") else at_least(large, small)
    is_noun = IS_A_CASE.match(item.context.after) is not None and (
        b.is_constant or b.plain
    )  # not `d = H p is the width`
    is_chosen = CHOSEN.search(item.context.before) is not None or is_noun
    is_local = LOCAL.search(item.context.before) is not None or (relation == "=" and is_chosen)
    said = equal(a, b) if relation == "=" else constraint
    within = item.context.paragraph if is_local else None
    study.walk.lengths.append(SaidOfLengths(said, within, item.section, relation == "=" and is_chosen))


def is_range_of_indices(study: Study, e: Elaborator, left: Node, right: Node) -> bool:
    """Whether both sides of an inequality are indices or sizes: a range, not a claim."""
    letters = {c for side in (left, right) for n in walk(side) if (c := letter(n)) is not None}
    for c in (letters & (study.names.index_letters | INDICES_BY_HABIT)) - study.names.sizes:
        e.free_variable(c)
    try:
        e.written_index(left, e.free)
        e.written_index(right, e.free)
    except NotUnderstood:
        return False
    return True
