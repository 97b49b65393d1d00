"""Recurrences: `S_t = S_{t-1} + k_t v_t^\\top` with `S_0 = 0`, found before a document is studied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from derivations.latex.elaborator.equations import LeftSide
from derivations.latex.lexicon.name_roles import Names, uses
from derivations.latex.lexicon.written_names import Slot, Written
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Literal,
    Node,
    Operator,
    Prefix,
    Scripted,
    bare,
    walk,
)


@dataclass(frozen=True, slots=True)
class Recurrence:
    """The step `S_{t+shift} = … S_{t+shift-lag} …`: the place of its index among the slots, the letter t, and how the
    first state is known: the number that `start` writes for it (None: nowhere), and whether an equation states it."""

    place: int
    letter: str
    shift: int
    lag: int
    start: int | None = None
    stated: bool = False


@dataclass(frozen=True, slots=True)
class Affine:
    """A written index: a letter and a number, or a number alone."""

    letter: str | None
    shift: int


def affine(node: Node | None) -> Affine | None:
    """`t`, `t - 1`, `0`, `-1`; None for any other index."""
    c = letter(node)
    if c is not None:
        return Affine(c, 0)
    if isinstance(node, Literal) and node.text.isdigit():
        return Affine(None, int(node.text))
    if isinstance(node, Prefix) and node.operator == "-":
        inner = affine(node.operand)
        return Affine(None, -inner.shift) if inner is not None and inner.letter is None else None
    if isinstance(node, Enclosed) and node.kind == "()":
        return affine(node.content)
    if isinstance(node, Infix) and node.operator in ("+", "-"):
        left, right = affine(node.left), affine(node.right)
        if left is not None and right is not None and right.letter is None:
            return Affine(left.letter, left.shift + (right.shift if node.operator == "+" else -right.shift))
    return None


def _places(slots: Iterable[Slot]) -> list[Affine | None] | None:
    """The indices of a name; None when one of them is not a letter and a number."""
    found: list[Affine | None] = []
    for slot in slots:
        if slot.node is None:
            found.append(None)
            continue
        here = affine(slot.node)
        if here is None:
            return None
        found.append(here)
    return found


def step(names: Names, left: LeftSide, right: Node) -> Recurrence | None:
    r"""The recurrence that an equation states: each use of the name on the right has one index smaller, or a number there, the
    others alike, or other letters: `a_{t, j} = \sum_i a_{t - 1, i} A_{ij}`."""
    if left.parameters is not None or left.call is not None or not left.slots:
        return None
    own = _places(left.slots)
    if own is None:
        return None
    found: Recurrence | None = None
    for use in _own_uses(names, right, left.stem):
        there = _places(use.slots)
        if there is None or len(there) != len(own):
            return None
        changed = [k for k, (a, b) in enumerate(zip(own, there, strict=True)) if a != b]
        if len(changed) > 1:
            changed = [k for k in changed if not _are_other_letters(own[k], there[k])]
        if len(changed) != 1:
            return None
        (k,) = changed
        a, b = own[k], there[k]
        if a is None or b is None or a.letter is None or (b.letter is not None and a.letter != b.letter):
            return None
        if b.letter is not None and b.shift >= a.shift:
            return None
        lag = 1 if b.letter is None else a.shift - b.shift  # `mu_n = (1 - w) mu_0 + w x`: each from the first
        if found is not None and found.place != k:
            return None
        found = Recurrence(k, a.letter, a.shift, max(lag, found.lag if found is not None else 0))
    return found


def _are_other_letters(a: Affine | None, b: Affine | None) -> bool:
    """Whether two places are letters, each another one."""
    return a is not None and b is not None and None not in (a.letter, b.letter) and a.letter != b.letter


def is_shifted(names: Names, left: LeftSide, right: Node) -> bool:
    """Whether a name stands on the right at other places alone: `d_l = W d_{l+1}`, `s_t = a^t s_0`; that updates nothing."""
    found, lengths = list(_own_uses(names, right, left.stem)), set(_factors(right))
    return bool(found) and all(
        len(use.slots) == len(left.slots)
        and any(_are_other_places(a.node, b.node, lengths) for a, b in zip(left.slots, use.slots, strict=True))
        for use in found
    )


def _are_other_places(left: Node | None, right: Node | None, lengths: set[str]) -> bool:
    a, b = affine(left), affine(right)
    if a is not None and b is not None:
        return _are_apart(a, b)
    shift = _shift(left, right) or _shift(right, left)
    return shift is not None and shift not in lengths  # x_{t+h} = x_t + h u_t is a step of an approximation


def _shift(node: Node | None, place: Node | None) -> str | None:
    r"""The letter by which `p + \delta` is not `p`."""
    if not isinstance(node, Infix) or node.operator not in ("+", "-") or letter(place) is None:
        return None
    return letter(node.right) if letter(node.left) == letter(place) else None


def _factors(node: Node) -> Iterator[str]:
    """The letters that sums and products are made of, not those inside of functions, of indices and of exponents."""
    if isinstance(node, Scripted):
        yield from _factors(node.base)
    elif isinstance(node, (Adjacent, Enclosed, Fraction, Infix, Prefix)):
        for part in node.parts:
            yield from _factors(part)
    elif (found := letter(node)) is not None:
        yield found


def _are_apart(a: Affine, b: Affine) -> bool:
    """`t` and `t - 1`, `t` and `0`; two letters may stand for one place."""
    return a.letter is not None and (b.letter is None or (a.letter == b.letter and a.shift != b.shift))


def step_letters(chains: Iterable[Chain]) -> Iterator[str]:
    """The letters that equations count steps by: t where `Z_t` is given by `Z_{t-1}`."""
    for chain in chains:
        first = chain.first
        c = letter(first.sub) if isinstance(first, Scripted) else None
        if c is None or not isinstance(first, Scripted) or not chain.links or chain.links[0][0] not in ("=", "equiv"):
            continue
        for n in walk(chain.links[0][1]):
            there = affine(n.sub) if isinstance(n, Scripted) and bare(n.base) == bare(first.base) else None
            if there is not None and there.letter == c and there.shift:
                yield c
                break


def _own_uses(names: Names, right: Node, stem: str) -> Iterator[Written]:
    return (w for w in uses(names, right) if w.stem == stem)


def is_start(left: LeftSide) -> bool:
    """`S_0`: a number among the indices."""
    own = _places(left.slots) if left.parameters is None and left.call is None else None
    return own is not None and any(a is not None and a.letter is None for a in own)


def written_at(names: Names, nodes: Iterable[Node | None], stem: str, place: int) -> set[int]:
    """The numbers at which a name occurs in the place of its recurrence."""
    found = set()
    for root in nodes:
        for node in walk(root) if root is not None else ():
            w = names.written(node)
            if w is not None and w.stem == stem and len(w.slots) > place:
                here = affine(w.slots[place].node)
                if here is not None and here.letter is None:
                    found.add(here.shift)
    return found


def is_maximum(names: Names, right: Node, stem: str) -> bool:
    """`\\max(m_{t-1}, x_t)`: the value before stands under a maximum, so it starts from -\\infty."""
    inside = (n for n in walk(right) if isinstance(n, Operator) and n.name == "max")
    return any(w.stem == stem for n in inside for part in n.parts for w in uses(names, part))
