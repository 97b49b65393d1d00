r"""States whose step goes through other names: `h_t = (1 - z_t) h_{t-1} + z_t c_t`, where the gate `z_t` depends on `h_{t-1}`.

A definition may use itself at smaller indices, but not through other definitions.  So the names between are written out in
the step, where each of them has one equation at the same index; they are defined by the state afterwards.
"""

from __future__ import annotations

from dataclasses import replace

from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.equations import left_side
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.lexicon.symbol_table import Table
from derivations.latex.lexicon.written_names import Slot
from derivations.latex.passes.short_forms import mapped
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import Enclosed, Name, Node, Scripted
from derivations.study.state import Study


def written_out(study: Study, right: Node, stem: str, counter: str) -> Node:
    """The right side of the step of a state with the names that depend on the state written out.

    It is the right side itself where there are none, or where one of them cannot be written out.
    """
    between = {w.stem for w in uses(study.names, right)} - {stem}
    if not any(_reaches(study, s, stem, set()) for s in between):
        return right
    return _Between(study, stem, counter).put(right, frozenset()) or right


def _reaches(study: Study, stem: str, state: str, seen: set[str]) -> bool:
    """Whether the equations for a name lead to the state."""
    seen.add(stem)
    for item, link in study.text.lefts.get(stem, ()):
        own = {w.stem for w in uses(study.names, item.reading.chain.links[link][1])}
        if state in own or any(s not in seen and _reaches(study, s, state, seen) for s in own - {stem}):
            return True
    return False


class _Between:
    """Writes out the names between a state and its next value."""

    def __init__(self, study: Study, state: str, counter: str) -> None:
        self.study, self.state, self.counter = study, state, counter
        self.failed = False

    def put(self, node: Node, busy: frozenset[str]) -> Node | None:
        def change(n: Node) -> Node:
            w = self.study.names.written(n) if isinstance(n, Name | Scripted) else None
            if w is None or w.stem == self.state or not w.slots or not _reaches(self.study, w.stem, self.state, set()):
                return n
            body = self._body(w.stem) if w.power is None and not w.transposed and self._counts(w.slots) else None
            inner = None if body is None or w.stem in busy else self.put(body, busy | {w.stem})
            if inner is None:
                self.failed = True
                return n
            return Enclosed(n.span, "()", mapped(inner, lambda m: replace(m, span=n.span)))

        found = mapped(node, change)
        return None if self.failed else found

    def _counts(self, slots: tuple[Slot, ...]) -> bool:
        """Whether a name has the letter that counts the steps as its only index."""
        return len(slots) == 1 and letter(slots[0].node) == self.counter

    def _body(self, stem: str) -> Node | None:
        """The right side of the only equation for a name, at the index that counts the steps."""
        places = self.study.text.lefts.get(stem, ())
        if len(places) != 1:
            return None
        item, link = places[0]
        first = item.reading.chain.first
        left = left_side(Elaborator(Table(self.study.names)), first) if first is not None else None
        plain = left is not None and left.parameters is None and left.call is None and self._counts(tuple(left.slots))
        return item.reading.chain.links[link][1] if plain else None
