r"""Divergences and entropies of laws that the document writes: `\mathrm{KL}(q \| p)` where q and p are normal laws.

What such a call is known to be stands in its place then: an operator applied to two laws, each with its mean and its
variance.  A law may have a name, as in `q(z \mid x) = \mathcal{N}(\mu, \sigma^2 I)`, where all that gives it one agrees.  Of
lists of probabilities the functions are known too, where the document does not define them itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from derivations.latex.passes.short_forms import joined, mapped_readings
from derivations.latex.syntax.letters import EULER
from derivations.latex.syntax.normal_laws import ENTROPIES, NormalLaw, divergence, normal_law, word
from derivations.latex.syntax.surface import (
    Adjacent,
    Enclosed,
    Listed,
    Literal,
    Name,
    Node,
    Operator,
    Reading,
    Scripted,
    bare,
    walk,
)

LAW, DIVERGENCE, ENTROPY = "Normal", "KL", "entropy"
"""Names of the operators: a law with its mean and its variance, and what is known of laws."""

CONSTANTS = frozenset({"pi", EULER})
"""The constants of the entropy of a normal law."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What the whole document tells: laws with names, lists of probabilities, and functions that it defines itself."""

    laws: Mapping[object, NormalLaw | None]
    lists: frozenset[object]
    own: frozenset[object]
    speaks_of_entropy: bool


def with_known_divergences(
    readings: Sequence[Reading], speaks_of_entropy: bool = False, sections: Sequence[tuple[str, ...]] | None = None
) -> list[Reading]:
    """The readings with operators for the divergences and entropies of normal laws and of lists of probabilities.

    `speaks_of_entropy`: the text does, else a letter before a list of probabilities may be any function.  A law has a name
    from the equation on that gives it one, and in the section of that (`sections`, one for each reading).
    """
    nodes = (n.items for r in readings for n in walk(r.chain) if isinstance(n, Adjacent))
    has_divergence = any(divergence(a) and _arguments(a, b) is not None for items in nodes for a, b in pairwise(items))
    speaks = speaks_of_entropy or has_divergence
    places = sections or [()] * len(readings)
    laws = _named_laws(readings)
    everywhere = _Known({}, _lists(readings), _own_functions(readings), speaks)
    made: list[Reading] = []
    for k, r in enumerate(readings):
        here = {key: law for key, (law, since) in laws.items() if since <= k or places[since] == places[k]}
        made += mapped_readings([r], partial(_with_calls, known=replace(everywhere, laws=here)))
    return made


def _with_calls(node: Node, known: _Known) -> Node:
    """A product with what is known of its calls in their place."""
    if not isinstance(node, Adjacent):
        return node
    return joined(_with_number_e(node), lambda name, after: _known_call(name, after, known))


def _named_laws(readings: Sequence[Reading]) -> Mapping[object, tuple[NormalLaw | None, int]]:
    r"""The laws that equations give to names, by how they are written, with the number of the first equation; no law where
    two equations differ.

    The law of `q(z \mid x)` is that of a bare q as well.
    """
    found: dict[object, tuple[NormalLaw | None, int]] = {}
    for number, chain in enumerate(r.chain for r in readings):
        law = normal_law(chain.links[-1][1]) if chain.links else None
        if law is None or any(relation not in ("=", "equiv") for relation, _ in chain.links):
            continue
        for left in (chain.first, *(n for _, n in chain.links[:-1])):
            keys: list[Node] = [left] if isinstance(left, Name | Scripted) else []
            if isinstance(left, Adjacent) and len(left.items) == 2 and isinstance(left.items[1], Enclosed):
                keys = [left, left.items[0]]
            for key in map(bare, keys):
                before, since = found.get(key, (law, number))
                found[key] = (law if _same(before, law) else None), since
    return found


def _same(one: NormalLaw | None, other: NormalLaw) -> bool:
    return one is not None and (bare(one.mean), bare(one.spread)) == (bare(other.mean), bare(other.spread))


def _arguments(head: Node, after: Node) -> tuple[Node, ...] | None:
    """What a divergence or an entropy is of; None for anything else."""
    if not isinstance(after, Enclosed) or after.kind not in ("()", "[]") or after.content is None:
        return None
    arguments = after.content.items if isinstance(after.content, Listed) else (after.content,)
    if divergence(head):
        return arguments if len(arguments) == 2 else None
    return arguments if word(head) in ENTROPIES and len(arguments) <= 2 else None


def _known_call(head: Node, after: Node, known: _Known) -> Node | None:
    """The operator that a name before brackets is."""
    arguments = _arguments(head, after)
    if arguments is None:
        return None
    span, name = (head.span[0], after.span[1]), DIVERGENCE if divergence(head) else ENTROPY
    laws = [law if (law := normal_law(a)) is not None else known.laws.get(bare(a)) for a in arguments]
    made = [
        Operator(a.span, LAW, None, None, (law.mean, law.spread))
        for a, law in zip(arguments, laws, strict=True)
        if law is not None
    ]
    if made:
        fits = len(made) == len(arguments) and (name == DIVERGENCE or len(made) == 1)
        return Operator(span, name, None, None, tuple(made)) if fits else None
    is_own = (bare(head), len(arguments)) in known.own
    if is_own or not known.lists.issuperset(map(bare, arguments)):
        return None
    is_entropy = known.speaks_of_entropy and not any(a.base.isupper() for a in arguments if isinstance(a, Name))
    return Operator(span, name, None, None, arguments) if name == DIVERGENCE or is_entropy else None


def _lists(readings: Sequence[Reading]) -> frozenset[object]:
    """The names that are written with an index somewhere, or of which a shape is stated, and that nothing is applied to."""
    indexed: set[object] = set()
    applied: set[object] = set()
    for chain in (r.chain for r in readings):
        if isinstance(chain.first, Name | Listed) and any(relation == "in" for relation, _ in chain.links):
            indexed |= {bare(n) for n in (chain.first.items if isinstance(chain.first, Listed) else (chain.first,))}
        for n in walk(chain):
            if isinstance(n, Scripted) and isinstance(n.base, Name) and n.sub is not None and n.sup is None:
                indexed.add(bare(n.base))
            if isinstance(n, Adjacent):
                applied |= {bare(a) for a, b in pairwise(n.items) if isinstance(b, Enclosed) and b.kind == "()"}
    return frozenset(indexed - applied)


def _own_functions(readings: Sequence[Reading]) -> frozenset[object]:
    """The divergences and entropies that the document says for itself, each with the number of its arguments."""
    own: set[object] = set()
    for chain in (r.chain for r in readings):
        sides = [chain.first, *(n for relation, n in chain.links if relation in ("=", "equiv"))]
        for left, right in pairwise(sides):
            if isinstance(left, Adjacent) and len(left.items) == 2 and right is not None:
                arguments = _arguments(*left.items)
                if arguments is not None and not any(map(_has_call, walk(right))):
                    own.add((bare(left.items[0]), len(arguments)))
    return frozenset(own)


def _has_call(node: Node) -> bool:
    return isinstance(node, Adjacent) and any(_arguments(a, b) is not None for a, b in pairwise(node.items))


def _with_number_e(node: Adjacent) -> Adjacent:
    r"""`2 \pi e`: beside the circle constant, in a factor of an entropy, the letter is the other constant."""
    if not CONSTANTS.issubset(map(word, node.items)):
        return node
    put = (Operator(n.span, "exp", None, None, (Literal(n.span, "1"),)) if word(n) == EULER else n for n in node.items)
    return replace(node, items=tuple(put))
