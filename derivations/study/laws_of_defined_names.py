r"""Names with an equation that the text supposes to be random: $Q = X W$, and later "suppose the entries of $Q$ are
independent with mean 0 and variance 1".

In what follows of the section such a name is any array with that law, whatever it is made of.
"""

from __future__ import annotations

from collections.abc import Iterable

from derivations.documents.facts.distributions import Stated
from derivations.documents.facts.role_words import Part, parts_said
from derivations.language.statement import Statement, Tensor, Theory
from derivations.language.term import Entry, Expectation
from derivations.study.equation_walk import Item
from derivations.study.state import Study

_SUPPOSING = {Part.SUPPOSED, Part.LET, Part.PREMISE, Part.BESIDE, Part.SITUATION}


def with_laws_of_defined_names(study: Study, item: Item, statements: Iterable[Statement], theory: Theory) -> Theory:
    """The theory in which the names under some means are random, of which the text supposes a law where they stand.

    It stays as it is where a statement speaks of what they are made of as well: they are not independent of that.
    """
    sides = [side for s in statements for side in (s.left, s.right)]
    if not any(isinstance(t, Expectation) for side in sides for t in theory.reached(side)):
        return theory
    kinds: dict[str, set[str]] = {}
    for stated in study.text.known.laws:
        if _is_supposed(study, item, stated):
            kinds.setdefault(stated.stem, set()).add(stated.kind)
    tensors = dict(theory.tensors)
    for stem in (stem for stem, own in kinds.items() if {"mean", "variance"} <= own):
        symbol = study.table.symbols.get(stem)
        rows = theory.definitions.get(symbol.head, ()) if symbol is not None and symbol.defined else ()
        if symbol is not None and len(rows) == 1 and rows[0].shape is not None and not rows[0].tensors:
            tensors[symbol.head] = Tensor(symbol.head, rows[0].shape, study.table.laws[stem])
    drawn = tensors.keys() - theory.tensors.keys()
    made = Theory(tensors, {h: rows for h, rows in theory.definitions.items() if h not in drawn})
    inside = {
        t.name for h in drawn for d in theory.definitions[h] for t in theory.reached(d.body) if isinstance(t, Entry)
    }
    reached = {t.name for side in sides for t in made.reached(side) if isinstance(t, Entry)}
    return theory if not drawn or reached & (inside - drawn) else made


def _is_supposed(study: Study, item: Item, stated: Stated) -> bool:
    """Whether a sentence supposes something of a name where a formula stands: before it, in its section."""
    scope, number = stated.scope, stated.formula
    if scope is None or number is None or item.span.index < number:
        return False
    if item.section[: len(scope.section)] != scope.section:
        return False
    named = study.text.places.of_span.get(number, ())
    return any(not _SUPPOSING.isdisjoint(parts_said(i.context.before)) for i in named)
