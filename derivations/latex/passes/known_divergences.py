r"""Divergences and entropies of laws that the document writes: `\mathrm{KL}(q \| p)` where q and p are normal laws.

What such a call is known to be stands in its place then: an operator applied to two laws, each with its mean and its
variance.  A law may have a name, as in `q(z \mid x) = \mathcal{N}(\mu, \sigma^2 I)`, where all that gives it one agrees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from derivations.latex.passes.short_forms import mapped
from derivations.latex.syntax.normal_laws import ENTROPIES, NormalLaw, divergence, normal_law, word
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Listed,
    Literal,
    Name,
    Node,
    Operator,
    Reading,
    Scripted,
    bare,
)

LAW, DIVERGENCE, ENTROPY = "Normal", "KL", "entropy"
"""Names of the operators: a law with its mean and its variance, and what is known of laws."""

CONSTANTS = frozenset({"pi", "e"})
"""The constants of the entropy of a normal law."""


def with_known_divergences(readings: Sequence[Reading]) -> Iterator[Reading]:
    """The readings with operators for the divergences and entropies of normal laws."""
    laws = _named_laws(readings)

    def change(node: Node) -> Node:
        if not isinstance(node, Adjacent):
            return node
        node = _with_number_e(node)
        items: list[Node] = []
        for item in node.items:
            known = _known(items[-1], item, laws) if items else None
            if known is None:
                items.append(item)
            else:
                items[-1] = known
        if len(items) == len(node.items):
            return node
        return items[0] if len(items) == 1 else replace(node, items=tuple(items))

    for r in readings:
        chain = mapped(r.chain, change)
        yield replace(r, chain=chain) if isinstance(chain, Chain) and chain is not r.chain else r


def _named_laws(readings: Sequence[Reading]) -> Mapping[object, NormalLaw | None]:
    r"""The laws that equations give to names, by how they are written; None where two equations differ.

    The law of `q(z \mid x)` is that of a bare q as well.
    """
    found: dict[object, NormalLaw | None] = {}
    for chain in (r.chain for r in readings):
        law = normal_law(chain.links[-1][1]) if chain.links else None
        if law is None or any(relation not in ("=", "equiv") for relation, _ in chain.links):
            continue
        for left in (chain.first, *(n for _, n in chain.links[:-1])):
            keys: list[Node] = [left] if isinstance(left, Name | Scripted) else []
            if isinstance(left, Adjacent) and len(left.items) == 2 and isinstance(left.items[1], Enclosed):
                keys = [left, left.items[0]]
            for key in map(bare, keys):
                is_new = key not in found or _same(found[key], law)
                found[key] = law if is_new else None
    return found


def _same(one: NormalLaw | None, other: NormalLaw) -> bool:
    return one is not None and (bare(one.mean), bare(one.spread)) == (bare(other.mean), bare(other.spread))


def _known(head: Node, after: Node, laws: Mapping[object, NormalLaw | None]) -> Node | None:
    """The operator that a name before brackets is."""
    if not isinstance(after, Enclosed) or after.kind not in ("()", "[]") or after.content is None:
        return None
    content = after.content
    arguments = content.items if isinstance(content, Listed) else (content,)
    if not (len(arguments) == 2 and divergence(head)) and not (len(arguments) == 1 and word(head) in ENTROPIES):
        return None
    own = [law if (law := normal_law(a)) is not None else laws.get(bare(a)) for a in arguments]
    if any(law is None for law in own):
        return None
    span = (head.span[0], after.span[1])
    made = tuple(
        Operator(a.span, LAW, None, None, (law.mean, law.spread))
        for a, law in zip(arguments, own, strict=True)
        if law is not None
    )
    return Operator(span, DIVERGENCE if len(arguments) == 2 else ENTROPY, None, None, made)


def _with_number_e(node: Adjacent) -> Adjacent:
    r"""`2 \pi e`: beside the circle constant, in a factor of an entropy, the letter is the other constant."""
    if not CONSTANTS.issubset(map(word, node.items)):
        return node
    *_, number = sorted(CONSTANTS, key=len, reverse=True)
    put = (Operator(n.span, "exp", None, None, (Literal(n.span, "1"),)) if word(n) == number else n for n in node.items)
    return replace(node, items=tuple(put))
