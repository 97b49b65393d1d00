r"""`V = \begin{pmatrix} v_{11} & v_{12} \\ v_{21} & v_{22} \end{pmatrix}`: small letters for the entries of a capital.

An equation that only says so defines nothing: the entries are written as entries of the matrix in the whole document, so
that a derivative by `v_{11}` is one by `V_{11}`.

By custom $a_{ij}$ are the entries of a matrix $A$ where nothing says it, too: as long as each $a$ has two indices, nothing
defines them, and no entry is written as $A_{ij}$.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from derivations.latex.passes.short_forms import mapped_readings
from derivations.latex.syntax.letters import is_transpose, is_upper
from derivations.latex.syntax.surface import Chain, Infix, Listed, Literal, Matrix, Name, Node, Reading, Scripted, walk


def entry_names(readings: list[Reading], befores: list[Node | None]) -> dict[tuple[str, str], Name]:
    """Small letters (and their font) that name the entries of a capital, with that capital."""
    wholes: dict[tuple[str, str], Name] = {}
    for r, before in zip(readings, befores, strict=True):
        sides = [before, r.chain.first, *(right for relation, right in r.chain.links if relation in ("=", "equiv"))]
        names = {n.base: n for n in sides if isinstance(n, Name) and len(n.base) == 1 and n.base.isupper()}
        for side in sides:
            entry = names_entries(side) if isinstance(side, Matrix) else None
            whole = None if entry is None else names.get(entry.base.upper())
            if entry is not None and whole is not None and entry.base != whole.base:
                wholes.setdefault((entry.base, entry.font), whole)
    return wholes


def customary_entries(
    readings: Sequence[Reading], matrices: AbstractSet[tuple[str, str]]
) -> dict[tuple[str, str], Name]:
    """Small letters (and their font) that by custom are the entries of a capital, with that capital.

    `matrices` are the capitals (and their font) that words call matrices, beside those that a space of two lengths or a
    transpose sign shows to be.
    """
    wholes: dict[tuple[str, str], Name] = {}
    shown = {*matrices, *(key for r in readings for key in _declared_matrices(r.chain))}
    small: set[tuple[str, str]] = set()
    others = {key for r in readings for key in _defined_entries(r.chain)}
    for name, scripts in (found for r in readings for found in _written(r.chain)):
        key = (name.base, name.font)
        is_bare = not (name.accents or name.primes)
        if not is_upper(name.base):
            (small if is_bare and scripts is not None and _is_pair(scripts.sub) else others).add(key)
        elif scripts is None or scripts.sub is None:
            if is_bare:  # not \hat{A}, which is another matrix
                wholes.setdefault(key, name)
                shown |= {key} if scripts is not None and is_transpose(scripts.sup) else set()
        else:
            others.add(key)
    shown -= others
    of = {key: [k for k in wholes if k in shown and k[0].lower() == key[0]] for key in small - others if not key[1]}
    return {key: wholes[found[0]] for key, found in of.items() if len(found) == 1}


def _written(node: Node) -> Iterator[tuple[Name, Scripted | None]]:
    """The names of one letter in an expression, each with its scripts."""
    name = node.base if isinstance(node, Scripted) else node
    scripts = node if isinstance(node, Scripted) else None
    if isinstance(name, Name):
        if len(name.base) == 1:
            yield name, scripts
        inside = () if scripts is None else scripts.parts[1:]
    else:
        inside = node.parts
    for part in inside:
        yield from _written(part)


def _declared_matrices(chain: Chain) -> Iterator[tuple[str, str]]:
    r"""A in `A \in \mathbb{R}^{n \times d}`."""
    space = chain.links[0][1] if len(chain.links) == 1 and chain.links[0][0] == "in" else None
    power = space.sup if isinstance(space, Scripted) else None
    if (
        chain.first is None
        or power is None
        or not any(isinstance(n, Infix) and n.operator == "times" for n in walk(power))
    ):
        return
    for name in chain.first.items if isinstance(chain.first, Listed) else (chain.first,):
        if isinstance(name, Name) and not (name.accents or name.primes):
            yield name.base, name.font


def _defined_entries(chain: Chain) -> Iterator[tuple[str, str]]:
    r"""p in `p_{ij} = w_{ij} / d_i`; neither in `a_{ii} = 0` nor in `a_{ij} = a_{ji}`."""
    left = chain.first
    if not isinstance(left, Scripted) or not isinstance(left.base, Name) or not chain.links or not _is_pair(left.sub):
        return
    relation, right = chain.links[0]
    key = (left.base.base, left.base.font)
    is_same = isinstance(right, Scripted) and isinstance(right.base, Name) and (right.base.base, right.base.font) == key
    if relation in ("=", "equiv") and not isinstance(right, Literal) and not is_same:
        yield key


def _is_pair(sub: Node | None) -> bool:
    return _two(sub) is not None or (isinstance(sub, Listed) and len(sub.items) == 2)


def with_entries(readings: list[Reading], wholes: dict[tuple[str, str], Name]) -> list[Reading]:
    """The readings with small letters that name the entries of a capital as entries of that capital."""
    if not wholes:
        return readings

    def change(node: Node) -> Node:
        if not isinstance(node, Scripted) or not isinstance(node.base, Name) or not _is_pair(node.sub):
            return node
        whole = wholes.get((node.base.base, node.base.font)) if not (node.base.accents or node.base.primes) else None
        if whole is None or node.sub is None:
            return node
        sub = node.sub
        if isinstance(sub, Literal):  # A_{12} might be a block that is called so
            sub = Listed(sub.span, tuple(Literal(sub.span, c) for c in sub.text))
        return replace(node, base=replace(whole, span=node.base.span), sub=sub)

    return mapped_readings(readings, change)


def names_entries(node: Matrix) -> Name | None:
    """The name that every entry of a matrix has, with its row and column below, counted from 1."""
    found = None
    if len(node.rows) < 2 or len(node.rows[0]) < 2:
        return None
    for i, row in enumerate(node.rows, start=1):
        for j, n in enumerate(row, start=1):
            name = n.base if isinstance(n, Scripted) and n.sup is None and _two(n.sub) == (str(i), str(j)) else None
            if not isinstance(name, Name) or name.accents or name.primes or len(name.base) != 1:
                return None
            if found is not None and (name.base, name.font) != (found.base, found.font):
                return None
            found = name
    return found


def small_letter(entry: Node, whole: Name) -> tuple[str, str] | None:
    """The letter (and its font) of a name with two indices that is not the name of a matrix itself."""
    name = entry.base if isinstance(entry, Scripted) and entry.sup is None and _two(entry.sub) is not None else None
    is_plain = isinstance(name, Name) and len(name.base) == 1 and not name.accents and not name.primes
    return (name.base, name.font) if is_plain and isinstance(name, Name) and name.base != whole.base else None


def named_rows(left: Node | None, right: Node) -> tuple[int, int] | None:
    """How many rows and columns a matrix has that only names the entries of the left side."""
    entry = names_entries(right) if isinstance(left, Name) and isinstance(right, Matrix) else None
    if entry is None or not isinstance(left, Name) or not isinstance(right, Matrix):
        return None
    same = (left.base, left.font, left.accents, left.primes) == (entry.base, entry.font, entry.accents, entry.primes)
    return (len(right.rows), len(right.rows[0])) if same else None


def naming(left: Name, wholes: dict[tuple[str, str], Name]) -> tuple[Node, Node] | None:
    r"""`a_{i,j}` and `A_{i,j}`: what a matrix of named entries says of them; None where they have the capital's letter."""
    small = next((k for k, whole in wholes.items() if (whole.base, whole.font) == (left.base, left.font)), None)
    if small is None:
        return None
    below = Listed(left.span, (Name(left.span, "i"), Name(left.span, "j")))
    return Scripted(left.span, Name(left.span, *small), below, None), Scripted(left.span, left, below, None)


def _two(sub: Node | None) -> tuple[str, str] | None:
    """Two indices that are written together or with a comma."""
    if isinstance(sub, Literal) and len(sub.text) == 2 and sub.text.isdigit():
        return sub.text[0], sub.text[1]
    items = list(_leaves(sub)) if sub is not None else []
    return (items[0], items[1]) if len(items) == 2 else None


def _leaves(node: Node) -> Iterator[str]:
    parts = node.items if isinstance(node, Listed) else node.parts
    if not parts:
        yield node.text if isinstance(node, Literal) else node.base if isinstance(node, Name) else ""
    for p in parts:
        yield from _leaves(p)
