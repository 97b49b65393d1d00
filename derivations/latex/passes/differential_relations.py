r"""Differentials on both sides of a relation: `du = 2x\,dx` says that the derivative of u by x is 2x.

TeX sets `d x` and `dx` alike, and nobody writes a product of d on both sides: the factor would have been cancelled.  So
where d is no name of its own, such a relation is one about derivatives, or it is not read.  `df = a\,dx + b\,dy` says one
thing for each variable, `df = \sum_i a_i dx_i` one for each i.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from derivations.latex.passes.short_forms import mapped
from derivations.latex.syntax.letters import GREEK, letter, letters_in
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Literal,
    Mark,
    Name,
    Node,
    Operator,
    Prefix,
    Reading,
    Scripted,
    walk,
)

DIFFERENTIAL = "differential"
"""The mark for the d of a differential that is no part of a derivative."""
_PRODUCTS = ("cdot", "times", "ast")


@dataclass(frozen=True, slots=True)
class Differential:
    """A product with one differential as its last factor: `2x\\,dx`; without a coefficient it is `dx` alone."""

    coefficient: Node | None
    variable: Node
    font: str
    """That of its d, which may be upright."""

    def times(self, span: tuple[int, int]) -> Node:
        """The coefficient as an expression."""
        return Literal(span, "1") if self.coefficient is None else self.coefficient


def differential_of(node: Node) -> Differential | None:
    """The differential that an expression is, up to a coefficient; None for anything else."""
    if isinstance(node, Adjacent):
        return _of_row(node)
    if isinstance(node, Fraction) or (isinstance(node, Infix) and node.operator == "/"):
        above, below = node.parts
        found = None if _mentions(below) else differential_of(above)
        return _inside(found, node, "above" if isinstance(node, Fraction) else "left")
    if isinstance(node, Infix) and node.operator in _PRODUCTS:
        return _of_product(node)
    if isinstance(node, Prefix) and node.operator in ("+", "-"):
        return _inside(differential_of(node.operand), node, "operand")
    if isinstance(node, Operator) and node.bare and len(node.arguments) == 1:  # \cos x dx is (\cos x) dx
        found = differential_of(node.arguments[0])
        if found is None or found.coefficient is None:
            return None
        return replace(found, coefficient=replace(node, arguments=(found.coefficient,)))
    return None


def relates_differentials(left: Node, right: Node) -> bool:
    """Whether both sides of a relation are differentials up to a coefficient."""
    return bool(_summands(left)) and bool(_summands(right))


def with_derivatives(readings: Sequence[Reading], is_smooth: bool = True) -> list[tuple[Reading, ...]]:
    """For each reading what it says about derivatives where it relates differentials; else the reading alone.

    Nothing changes in a document in which d is a name of its own: there nobody can tell.  In a document about random
    paths, which is not `is_smooth`, differentials follow other rules and are not read.
    """
    written = _Letters.of(readings)
    written = written if is_smooth else replace(written, given=frozenset())
    found: list[tuple[Reading, ...]] = []
    above: Node | None = None
    for r in readings:
        chain, variable = r.chain, above
        if chain.first is None and above is not None and chain.links and r.row:  # it goes on from the row above
            rows = _continued(chain, above)
        else:
            rows, variable = _related(chain, written)
        above = variable
        found.append(tuple(replace(r, chain=c) for c in rows) or (r,))
    return found


@dataclass(frozen=True, slots=True)
class _Letters:
    """How a document writes its names: the fonts in which d is one, what equations give, what stands in scripts."""

    own: frozenset[str]
    given: frozenset[object]
    indices: frozenset[str]

    @classmethod
    def of(cls, readings: Sequence[Reading]) -> _Letters:
        lefts = [r.chain.first for r in readings if r.chain.links and r.chain.links[0][0] in ("=", "equiv")]
        nodes = [n for r in readings for part in (r.chain, *r.conditions) for n in walk(part)]
        below = [n.sub for n in nodes if isinstance(n, Scripted) and n.sub is not None]
        return cls(
            own=frozenset(_own(readings)),
            given=frozenset(_key(n) for n in lefts if n is not None),
            indices=frozenset(c for n in below for c in letters_in(n)),
        )

    def are_variables(self, found: Sequence[Differential]) -> bool:
        """Whether a name may be differentiated by these, which are different ones: a step t of `x_t` has no derivative."""
        different = {_key(s.variable) for s in found}
        return len(different) == len(found) and all(letter(s.variable) not in self.indices for s in found)


def _related(chain: Chain, written: _Letters) -> tuple[tuple[Chain, ...], Node | None]:
    """What a chain of relations says about derivatives, and the variable of its last side where it says one thing."""
    first, rights = chain.first, [n for _, n in chain.links]
    if first is None or not rights or not _mentions(first) or not any(map(_mentions, rights)):
        return (), None
    if any(n.font in written.own for n in walk(chain) if isinstance(n, Name) and _is_d(n)):
        return (), None
    left, sums = _summands(first), [_summands(n) for n in rights]
    unread = (_unread(chain),), None
    if len(left) != 1 or not all(sums) or any(r != "=" for r, _ in chain.links):
        return unread
    of, by = left[0], sums[0]
    if len(rights) == len(by) == 1 and _key(of.variable) not in written.given:  # dx = \\sigma du, where u is given in x
        if _key(by[0].variable) not in written.given:
            return unread
        (turned, *_), _ = _related(_turned(chain), written)
        return (_turned(turned),), None
    alike = all(len(s) == 1 and _key(s[0].variable) == _key(by[0].variable) for s in sums)
    if (
        not (alike or len(rights) == 1)
        or not written.are_variables((of, *by))
        or _key(of.variable) not in written.given
    ):
        return unread
    made = tuple(
        replace(
            chain,
            first=_times(of, _quotient(of.variable, s.variable, first.span), first.span),
            links=tuple(("=", _coefficient(own[k], n)) for own, n in zip(sums, rights, strict=True)),
        )
        for k, s in enumerate(by)
    )
    return made, by[0].variable if len(made) == 1 else None


def _turned(chain: Chain) -> Chain:
    """An equation with its sides in the other order."""
    (relation, right), *_ = chain.links
    return chain if chain.first is None else replace(chain, first=right, links=((relation, chain.first),))


def _continued(chain: Chain, by: Node) -> tuple[Chain, ...]:
    """A row `= 2x\\,dx` below one that is read as a derivative by x."""
    sides = [differential_of(n) for _, n in chain.links]
    if any(s is None or _key(s.variable) != _key(by) for s in sides):
        return (_unread(chain),)
    links = tuple((r, _coefficient(s, n)) for s, (r, n) in zip(sides, chain.links, strict=True) if s is not None)
    return (replace(chain, links=links),)


def _coefficient(found: Differential, side: Node) -> Node:
    """What stands before a differential, in the place of the side that it is."""
    return replace(found.times(side.span), span=side.span)


def _summands(node: Node) -> tuple[Differential, ...]:
    """The differentials whose sum an expression is; none where it is anything else."""
    if isinstance(node, Infix) and node.operator in ("+", "-"):
        left, right = _summands(node.left), _summands(node.right)
        if not left or len(right) != 1:
            return ()
        if node.operator == "-":
            right = (replace(right[0], coefficient=Prefix(node.right.span, "-", right[0].times(node.right.span))),)
        return (*left, *right)
    if isinstance(node, Big) and node.name == "sum":
        found = differential_of(node.body)
        index = letter(node.sub.first if isinstance(node.sub, Chain) else node.sub)
        return (found,) if found is not None and index in letters_in(found.variable) else ()
    found = differential_of(node)
    return () if found is None or (found.coefficient is not None and _mentions(found.coefficient)) else (found,)


def _of_row(node: Adjacent) -> Differential | None:
    *rest, d, variable = node.items if len(node.items) > 1 else (node, node, node)
    if isinstance(d, Name) and _is_pair(d, variable):
        return Differential(_row(node.span, rest), variable, d.font)
    inner = [(k, found) for k, n in enumerate(node.items) if (found := differential_of(n)) is not None]
    if len(inner) != 1:
        return None
    k, found = inner[0]
    middle = () if found.coefficient is None else (found.coefficient,)
    return replace(found, coefficient=_row(node.span, (*node.items[:k], *middle, *node.items[k + 1 :])))


def _row(span: tuple[int, int], items: Sequence[Node]) -> Node | None:
    return None if not items else items[0] if len(items) == 1 else Adjacent(span, tuple(items))


def _of_product(node: Infix) -> Differential | None:
    left, right = differential_of(node.left), differential_of(node.right)
    if (left is None) == (right is None):
        return None
    found, other, field = (right, node.left, "right") if right is not None else (left, node.right, "left")
    if found is not None and found.coefficient is None:
        return replace(found, coefficient=other)
    return _inside(found, node, field)


def _inside(found: Differential | None, node: Node, field: str) -> Differential | None:
    """The differential of an expression with its coefficient at a place of it."""
    if found is None:
        return None
    return replace(found, coefficient=replace(node, **{field: found.times(node.span)}))  # type: ignore[arg-type]


def _times(found: Differential, quotient: Node, span: tuple[int, int]) -> Node:
    if found.coefficient is None:
        return quotient
    return Adjacent(span, (Enclosed(span, "()", found.coefficient), quotient))


def _quotient(of: Node, by: Node, span: tuple[int, int]) -> Fraction:
    """The derivative of one name by another."""
    above, below = (Adjacent(n.span, (Name(n.span, "partial"), n)) for n in (of, by))
    return Fraction(span, above, below)


def _unread(chain: Chain) -> Chain:
    """The chain with its differentials marked as such: outside of derivatives they are not read."""
    signs = {id(d) for n in walk(chain) if isinstance(n, Adjacent) for d in _signs(n)}

    def change(node: Node) -> Node:
        return Mark(node.span, DIFFERENTIAL) if id(node) in signs else node

    made = mapped(chain, change)
    return made if isinstance(made, Chain) else chain


def _is_d(node: Node) -> bool:
    return isinstance(node, Name) and node.base == "d" and node.font in ("", "roman") and not node.accents


def _is_pair(a: Node, b: Node) -> bool:
    """`d x`, `dx_i`, `d\\theta`: a d before a letter."""
    base = b.base if isinstance(b, Scripted) else b
    if not _is_d(a) or not isinstance(base, Name) or _is_d(base):
        return False
    return base.base in GREEK or (len(base.base) == 1 and base.base.isalpha())


def _signs(row: Adjacent) -> Iterator[Node]:
    """The d of the differentials that end a row: `x\\,dx`, `f(x, y)\\,dx\\,dy`, `d\\mu(x)`."""
    items = row.items
    while len(items) > 1:
        if isinstance(items[-1], Enclosed) and len(items) > 2 and _is_pair(items[-3], items[-2]):
            items = items[:-1]
        if not _is_pair(items[-2], items[-1]):
            return
        yield items[-2]
        items = items[:-2]


def _mentions(node: Node) -> bool:
    """Whether a differential stands in an expression outside of its integrals."""
    if isinstance(node, Big) and node.name != "sum":
        return False
    if isinstance(node, Adjacent) and any(True for _ in _signs(node)):
        return True
    return any(map(_mentions, node.parts))


def _own(readings: Iterable[Reading]) -> Iterator[str]:
    """The fonts of d in which it stands somewhere else than in a differential: a length, a number, a distance."""
    for r in readings:
        nodes = [n for part in (r.chain, *r.conditions) for n in walk(part)]
        rows = [n for n in nodes if isinstance(n, Adjacent)]
        taken = {id(d) for n in rows for d in _signs(n)}
        for n in rows:  # d\sin x, d^2 u
            taken |= {id(a) for a, b in zip(n.items, n.items[1:], strict=False) if isinstance(b, Operator)}
            firsts = (a for a, b in zip(n.items, n.items[1:], strict=False) if isinstance(b, Name | Scripted))
            taken |= {id(a.base) for a in firsts if isinstance(a, Scripted) and a.sub is None}
        taken |= {id(n.base) for n in nodes if isinstance(n, Scripted) and n.sub is not None}  # d_k is another name
        yield from (n.font for n in nodes if isinstance(n, Name) and _is_d(n) and id(n) not in taken)


def _key(node: Node) -> object:
    """What tells names apart: the letter with its font, accents and scripts, wherever it stands."""
    if isinstance(node, Name):
        return node.base, node.font, node.accents, node.primes
    if isinstance(node, Scripted):
        return _key(node.base), *(None if s is None else tuple(_key(n) for n in walk(s)) for s in (node.sub, node.sup))
    return node.text if isinstance(node, Literal) else type(node)
