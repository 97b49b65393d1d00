"""Left sides that are written again: whether they define something new."""

from __future__ import annotations

from derivations.documents.facts.sentence_patterns import ANEW, TITLE, VERSIONS, qualifiers, words
from derivations.documents.model.document import are_beside
from derivations.documents.model.finding import Finding
from derivations.language.term import Statement
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.equations import LeftSide
from derivations.latex.lexicon.name_roles import Written, uses
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.syntax.surface import Node
from derivations.study.cases_of_definitions import is_entry_of
from derivations.study.equation_walk import Item, Key, code_name, remark
from derivations.study.state import Study
from derivations.study.stated_values import Again, entry_stated, stated_again
from derivations.study.verdict import all_heads


def brings_only_given(study: Study, left: LeftSide, right: Node, since: int) -> bool:
    """Whether what a right side has that is new since then is not defined anywhere."""
    new = {
        w.stem
        for w in uses(study.names, right)
        if w.stem != left.stem and study.walk.introduced.get(w.stem, 0) > since and not study.table.is_size(w)
    }
    symbols = map(study.table.symbols.get, new)
    return bool(new) and all(s is not None and not s.defined for s in symbols)


def keep_outcome(study: Study, key: Key, outcome: str) -> None:
    """Remember what a left side that is written again was found to be, for the other readings to follow."""
    if study.walk.build and study.walk.only is None:
        study.outcomes[key] = outcome


def _is_defined_name(study: Study, right: Node) -> bool:
    """Whether a right side is nothing but another name that an equation defines: `H_q = H_k` claims that they are equal."""
    w = study.names.written(right)
    symbol = study.table.symbols.get(w.stem) if w is not None and not w.transposed else None
    return symbol is not None and symbol.defined and symbol.parameters is None


def _brings_in_more(study: Study, w: Written, read: Finding | None) -> bool:
    """Whether a name depends on something given that the left side of an equation does not depend on."""
    symbol = study.table.find(w)
    if read is None or not read.statements or symbol is None or not symbol.defined:
        return True
    sides = zip(*((s.left, s.right) for s in read.statements), strict=True)
    left_given, right_given = (
        {h for t in terms for h in all_heads(Statement(t, "=", t), read.theory)} - read.theory.definitions.keys()
        for terms in sides
    )
    return not right_given <= left_given


def new_version(
    study: Study, item: Item, e: Elaborator, left: LeftSide, known: Symbol, right: Node, read: Finding | None
) -> str | None:
    """Why an unproved repetition of a left side defines something new; None when it is a claim.

    `read` is what it says as a claim.  New names on the right make another thing only where they bring in something
    that the name did not depend on: `m = \\max_i z_i` in a softmax of z does not.
    """
    if is_entry_of(study, e, left, known) or _is_defined_name(study, right):
        return None
    again = stated_again(study, item, entry_stated(read), known.head, right) if left.parameters is None else None
    if again is not None:
        return None if again is Again.CONFLICT else again.value
    since = study.walk.introduced.get(left.stem, 0)
    own = {p.stem for p in left.parameters or ()}
    for w in uses(study.names, right):
        if w.stem == left.stem or w.stem in own:
            continue
        if study.table.is_size(w) and (w.stem not in e.sizes_as_numbers or known.head in study.walk.scaled):
            continue  # another scale is a claim, the first one makes a new version
        if study.walk.introduced.get(w.stem, 0) > since and _brings_in_more(study, w, read):
            return f"its right side uses {w.stem}, introduced since"
    origin = study.walk.origins.get(known.head)
    old = next((i for i in study.items if origin and (i.span.index, i.number) == origin[:2]), None)
    if old is None:
        return None
    chapters = study.document.chapters
    here, there = item.span.text.path, old.span.text.path
    if here != there and here in chapters and there in chapters:
        return "another chapter defines it"
    code, old_code = code_name(item), code_name(old)
    if code is not None and old_code is not None and code != old_code:
        return f"the text calls it {code}, not {old_code}"
    titles = [{w for t in i.section for w in words(t)} & VERSIONS for i in (item, old)]
    said, old_said = qualifiers(item.context.before), qualifiers(old.context.before)
    named = sorted((said - old_said) | (titles[0] - titles[1]))
    if named:
        return f"the text speaks of another object ({named[0]})"
    names = [m.group(1).strip() for c in (item.context, old.context) if (m := TITLE.search(c.before)) is not None]
    names = names if len(set(names)) == 2 else [r for i in (item, old) if (r := remark(i)) is not None]
    if len(set(names)) == 2:
        return f"the text calls it {names[0]}, not {names[1]}"
    if ANEW.search(item.context.before):
        return "the text starts anew"
    if item.section[: len(old.section)] != old.section:
        return "another section defines it"  # a name lives where it is introduced and below
    if are_beside(study.document.block_of(old.span).scope, study.document.block_of(item.span).scope):
        return "an item or an example beside it defines it"
    return None
