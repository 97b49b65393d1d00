"""How a name stands on the page: its letter with accents and labels, its index slots, its transpose sign and its power."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.notation import ACCENTS
from derivations.latex.syntax.surface import Name, Node, Span


@dataclass(frozen=True, slots=True)
class Slot:
    """One written index: its node (None for `:`) and its style: `d` below, `u` above in parentheses, `p` above."""

    node: Node | None
    style: str


@dataclass(frozen=True, slots=True)
class Written:
    """A name as written: `stem` with accents, primes and labels; index slots; a transpose sign; a power."""

    stem: str
    bold: bool
    font: str
    slots: tuple[Slot, ...]
    transposed: bool
    power: Node | None
    span: Span
    above: Node | None = None
    """What stands above it alone, where that is read as a transpose sign."""

    def named(self, stem: str) -> Written:
        """The same with another name."""
        return replace(self, stem=stem)


Form = tuple[int, bool]
"""How a name is written: the number of its indices, and whether one of them stands above in parentheses."""


def are_indices(nodes: Sequence[Node]) -> bool:
    """Small single letters, side by side."""
    return all((letter(n) or "A")[0].islower() for n in nodes)


def form(w: Written) -> Form:
    return len(w.slots), any(s.style == "u" for s in w.slots)


def is_of_form(w: Written, given: Form) -> bool:
    """Whether a name is written as the members of a family: `x^{(i)}_j` is an entry of one of the `x^{(i)}`."""
    return form(w) == given or (given[1] and form(w)[1] and len(w.slots) > given[0])


def is_of_family(w: Written, given: Form) -> bool:
    """Whether a name is written as a member of a family of matrices, or as an entry of one: `W_i`, `W_{i,jk}`, not `W_{jk}`."""
    count, above = given
    return is_of_form(w, given) or (not above and len(w.slots) == count + len(("row", "column")))


def is_bold(name: Name) -> bool:
    r"""Whether a letter is marked as an array: `\mathbf{x}`, or `\vec{x}`, whose entries are `x_i` as those of the first."""
    return name.font == "bold" or "vec" in name.accents


def without_accents(stem: str) -> str:
    """The stem of `O` for that of `\\tilde{O}`."""
    return "_".join(part for k, part in enumerate(stem.split("_")) if not k or part not in ACCENTS)
