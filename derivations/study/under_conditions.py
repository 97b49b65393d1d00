"""Equations for a name that their sentence puts under a condition: they define nothing outside of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum

from derivations.documents.facts.lists_of_items import lead_of_list, names_case
from derivations.documents.facts.role_words import Part, clause_after, clause_before, gives_notation, parts_said
from derivations.documents.facts.sentence_patterns import FOR_SOME
from derivations.documents.model.document import CLOSE, OPEN
from derivations.latex.elaborator.equations import LeftSide
from derivations.latex.syntax.letters import letter, unworded
from derivations.latex.syntax.surface import Chain, Enclosed, Listed, Matrix, Name, Node, Scripted, Words, walk
from derivations.study.equation_walk import Item, Key, is_number
from derivations.study.findings_of_relations import skip
from derivations.study.names_and_conditions import conditions_said, equates_given, formulas_numbered, suppose
from derivations.study.state import Study
from derivations.study.written_conditions import is_of_number

_COMPARED = frozenset({"=", "equiv", "<", "<=", ">", ">=", "!="})
_IMPLIES = re.compile(r"^\s*(?:implies|entails|would (?:give|imply|mean))\b")
_IMPLIED = re.compile(r"⟦(\d+)⟧\s*(?:implies|entails|would (?:give|imply|mean))\b[^.;:⟦]*$")
_HOLDS_WHEN = re.compile(
    r"^\s*(?:(?:holds?|occurs?|happens?)|(?:is|are) (?:attained|reached|achieved|true))\s+"
    r"(?:(?:if|only|when|whenever|iff|precisely|exactly|just)\b)"
)
"""`the equality $a = b$ holds only when`: words after an equation that tell when it is so."""
_AT = re.compile(r"\b(?:for|at|consider|take|taking)\s*$", re.IGNORECASE)
_IF = frozenset({"if", "when", "whenever", "unless", "iff"})


class Placed(StrEnum):
    """Where a sentence puts an equation."""

    CONDITION = "condition"
    """Under "if": it is asked whether it holds."""
    CASE = "case"
    """In a case: it holds there, and nowhere else."""
    MOMENT = "moment"
    """It is supposed for a moment."""
    SPOKEN_OF = "spoken of"
    """The sentence tells when it holds, and nothing says that it does."""


def placed(study: Study, item: Item, key: Key, left: LeftSide, right: Node) -> Placed | None:
    """Where the words around an equation for a name put it; None where they leave it in force everywhere."""
    before = f"{lead_of_list(study.document, item.span)} {item.context.before} {item.reading.lead}".rstrip(" :")
    parts = parts_said(before)
    own = _index_letters(left)
    if key[2] == 0 and names_case(
        study.document,
        item.span,
        item.reading.chain,
        lambda number: [i.reading.chain for i in study.text.places.of_span.get(number, ())],
    ):
        return Placed.CONDITION
    if gives_notation(before):
        return None
    beside = before.endswith((" and", ",", ";")) and any(True for _ in conditions_said(study, item))
    if _HOLDS_WHEN.match(item.context.after) is not None:
        return Placed.SPOKEN_OF
    if (Part.PREMISE in parts and not beside) or _leads_to_conclusion(study, item, key, left, right):
        return Placed.CONDITION
    if Part.MOMENT in parts:
        return Placed.MOMENT
    if _follows_from_premise(study, before):
        return Placed.CASE
    if Part.CONDITION in parts and own and is_number(right):  # not the start of a recurrence, which has a number
        return Placed.CONDITION
    if Part.SPECIAL in parts and not isinstance(right, Matrix):
        return Placed.CASE
    if left.slots and is_number(right) and _AT.search(before):
        return Placed.CASE
    if left.slots and is_number(right) and own and _goes_on(study, item) and FOR_SOME.match(item.context.after):
        return Placed.CASE
    if equates_given(study, item):
        return Placed.CASE
    after = clause_after(item.context.after) if _goes_on(study, item) else None
    is_new = left.stem not in study.walk.introduced and left.stem not in study.table.symbols
    for clause in (clause_before(before), after):
        if clause is None:
            continue
        said = [n for n in formulas_numbered(study, clause.formulas) if not (is_new and _excludes(n))]
        cases = list(conditions_said(study, item))
        if any(_restricts(study, n, own, cases) for n in said) or (clause.is_restricting and not clause.formulas):
            return Placed.CASE
    return Placed.CASE if any(_is_if(study, n, own) for n in item.reading.conditions) else None


def pass_over(study: Study, item: Item, key: Key, node: Node, right: Node, where: Placed, left: LeftSide) -> None:
    """Pass over an equation that is placed under a condition: for the rest of its sentence it is taken as given."""
    match where:
        case Placed.SPOKEN_OF:
            skip(study, item, key, node, right, "condition", "the sentence tells when it holds")
            return
        case Placed.CONDITION:
            skip(study, item, key, node, right, "condition", "a condition of its sentence")
        case Placed.CASE:
            skip(study, item, key, node, right, "special-case", "true in a case that its sentence speaks of")
        case Placed.MOMENT:
            skip(study, item, key, node, right, "hypothesis", "supposed for a moment, in this paragraph")
    study.walk.special.setdefault(left.stem, ())
    limited = None if where is Placed.MOMENT else f"{OPEN}{item.span.index}{CLOSE}"
    if len(item.reading.chain.links) == 1 and left.parameters is None and left.call is None:
        suppose(study, item, item.reading.chain, limited)


def _goes_on(study: Study, item: Item) -> bool:
    """Whether the sentence of an equation goes on after it; in another block it does with a small letter."""
    if item.span.ends_sentence:
        return False
    block = study.document.block_of(item.span)
    return bool(block.text.text[item.span.end :].strip()) or study.document.language == "en"


def _index_letters(left: LeftSide) -> frozenset[str]:
    """The indices that an equation defines a name for: a condition on them makes a case of the definition."""
    return frozenset(c for s in left.slots if s.node is not None for n in walk(s.node) if (c := letter(n)) is not None)


def _restricts(study: Study, node: Node, own: frozenset[str], cases: Sequence[Node] = ()) -> bool:
    """Whether a formula of a condition says something of what is given: `a = 2`, `b > 0`; not of indices and lengths.

    `t = 1` restricts too, unless it is read as a case of the definition.  A list of entries or members introduces them.
    """
    if not isinstance(node, Chain) or node.first is None or not any(r in _COMPARED for r, _ in node.links):
        return False
    right = node.links[0][1]
    if isinstance(right, Matrix | Listed) or (
        isinstance(right, Enclosed) and isinstance(right.content, Matrix | Listed)
    ):
        return False
    if isinstance(right, Enclosed) and right.kind == "{}":
        return False
    letters = _letters(node)
    if letters <= own | study.names.index_letters | study.names.sizes:
        at_one = [r for r, _ in node.links] == ["="] and is_number(node.links[0][1]) and letters <= own
        return bool(letters) and at_one and not any(c is node for c in cases)
    return letters.isdisjoint(own) or _compares_entries(study, node, cases)


def _excludes(node: Node) -> bool:
    r"""Whether a condition only excludes a case in which something is undefined: `p \neq q`; what is new is defined so."""
    return isinstance(node, Chain) and {r for r, _ in node.links} == {"!="}


def _compares_entries(study: Study, node: Chain, cases: Sequence[Node]) -> bool:
    """Whether a condition compares two entries of one name, which no case of a definition is read for: `u_i = u_j`."""
    sides = [study.names.written(p) for p in node.parts if isinstance(p, Scripted)]
    entries = {w.stem for w in sides if w is not None and w.slots}
    are_equal = len(node.links) == 1 and node.links[0][0] in ("=", "!=") and len(sides) == 2
    return are_equal and len(entries) == 1 and None not in sides and not any(c is node for c in cases)


def _letters(node: Node) -> frozenset[str]:
    return frozenset(c for n in walk(node) if isinstance(n, Name | Scripted) and (c := letter(n)) is not None)


def _is_if(study: Study, node: Node, own: frozenset[str]) -> bool:
    r"""`\text{if } b > 0` beside an equation, for a number b that is no argument of its left side."""
    said: Iterable[str] = (w for n in walk(node) if isinstance(n, Words) for w in n.text.lower().split())
    inside = unworded(node)
    return not _IF.isdisjoint(said) and is_of_number(study.names, inside) and _restricts(study, inside, own)


def _follows_from_premise(study: Study, before: str) -> bool:
    """`$w_i = 1$ implies` before an equation, where the formula before is no more than a premise."""
    found = _IMPLIED.search(before)
    spans = study.text.places.of_span.get(int(found.group(1)), ()) if found is not None else ()
    findings = (study.walk.findings.get((i.span.index, i.number, 0)) for i in spans)
    return any(f is not None and f.status == "skipped" and f.code == "condition" for f in findings)


def _leads_to_conclusion(study: Study, item: Item, key: Key, left: LeftSide, right: Node) -> bool:
    r"""`all $w_i = 1 \Rightarrow W = I$`, `$w_i = 1$ implies`: a value of something given, from which something follows."""
    links = item.reading.chain.links
    arrow = key[2] + 1 < len(links) and links[key[2] + 1][0] in ("implies", "iff")
    follows = arrow or (key[2] + 1 == len(links) and _IMPLIES.match(item.context.after) is not None)
    return follows and is_number(right) and (bool(left.slots) or left.stem in study.walk.introduced)
