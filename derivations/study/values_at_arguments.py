r"""Values of a function for one thing that is known: `\gamma(H) = G` for the lengths H and G, beside `\gamma(h) = …`.

Such an equation says nothing of other arguments.  Nor does one that gives a value of a function whose own definition
stands before it and is not read: it would be taken for the definition.
"""

from __future__ import annotations

from derivations.latex.elaborator.equations import LeftSide
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.passes.short_forms import is_call
from derivations.latex.syntax.function_names import arguments_of
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import Adjacent, Enclosed, Node
from derivations.study.equation_walk import Item
from derivations.study.state import Study
from derivations.study.where_stated import holds_at


def is_at_known_length(study: Study, left: LeftSide, right: Node) -> bool:
    """Whether an equation says what a function is for a length, by numbers and other lengths alone: no definition."""
    lengths = {p.stem for p in left.parameters or () if study.table.is_size(p)}
    used = list(uses(study.names, right))
    return bool(lengths) and all(study.table.is_size(w) and w.stem not in lengths for w in used)


def is_of_index_map(study: Study, left: LeftSide, known: Symbol) -> bool:
    """Whether a left side is a value, for lengths, of a function of indices that is defined for all of them."""
    is_defined = left.stem in study.names.index_maps and known.call is not None
    return is_defined and bool(left.parameters) and all(study.table.is_size(p) for p in left.parameters or ())


def is_of_unread_law(study: Study, item: Item, left: LeftSide, node: Node) -> bool:
    r"""Whether an equation for other arguments of a function stands before its value at something known, and was not read.

    `\gamma(h) = …`, not understood, is what defines `\gamma`; `\gamma(H) = H / r` then does not.  Asked of a function that
    nothing has defined.
    """
    if left.parameters is None or not all(_is_known(study, p.stem) or study.table.is_size(p) for p in left.parameters):
        return False
    for other, _ in study.text.lefts.get(left.stem, ()):
        first = other.reading.chain.first
        if first is None or not is_call(first) or _letters(first) == _letters(node):
            continue
        is_before = (other.span.index, other.number) < (item.span.index, item.number)
        if is_before and holds_at(study.document, other.span, item.span):
            return True
    return False


def is_in_reach(study: Study, item: Item, known: Symbol) -> bool:
    """Whether a definition holds where an equation stands."""
    key = study.walk.origins.get(known.head)
    return key is not None and holds_at(study.document, study.document.spans[key[0]], item.span)


def _is_known(study: Study, stem: str) -> bool:
    """Whether an equation defines a name, or a shape is declared for it."""
    symbol = study.table.symbols.get(stem)
    return stem in study.table.declared or (symbol is not None and symbol.defined)


def _letters(node: Node | None) -> list[str | None]:
    """The letters of the arguments of a call."""
    after = node.items[-1] if isinstance(node, Adjacent) else None
    return [letter(n) for n in arguments_of(after)[0]] if isinstance(after, Enclosed) else []
