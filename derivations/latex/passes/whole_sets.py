r"""`\sum_{s \in \mathcal{S}} V(s)`: a set that is all there is of something, so that a sum over it is one over a whole axis."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from derivations.latex.passes.keys_of_names import Key, Letter, key_of, key_of_name, letter_of, letters_in
from derivations.latex.syntax.surface import Big, Chain, Name, Node, Reading, walk


def whole_sets(readings: Sequence[Reading], members: set[Letter]) -> set[tuple[Letter, Key]]:
    r"""The letters of members with the sets that are all there is of them: the states of `\sum_{s \in \mathcal{S}}`.

    Whatever sum runs over such a letter runs over this set, the first one says so, and the set stands nowhere else than
    after a sign of membership: that it has other members too, or not all, is not said.
    """
    over: dict[Letter, list[Key | None]] = defaultdict(list)
    limited: set[Letter] = set()
    within: dict[Key, int] = defaultdict(int)
    occurs: dict[Key, int] = defaultdict(int)
    for part in (part for r in readings for part in (r.chain, *r.conditions)):
        for node in walk(part):
            if (own := key_of_name(node)) is not None:
                occurs[own] += 1
            if isinstance(node, Chain) and [relation for relation, _ in node.links] == ["in"]:
                if (own := key_of_name(node.links[0][1])) is not None:
                    within[own] += 1
            elif (
                isinstance(node, Chain)
                and node.first is not None
                and not node.links
                and (own := key_of_name(node.first))
            ):
                within[own] += 1  # a name that the text speaks of
            if isinstance(node, Big) and node.sub is not None:
                taken = set_of(node.sub)
                letters = set(letters_in(node.sub)) if taken is None else {letter_of(taken[0])}
                own = None if taken is None else key_of(taken[1])
                for c in letters & members:
                    over[c].append(own)
                    if node.sup is not None or (taken is None and isinstance(node.sub, Chain)):
                        limited.add(c)
    return {
        (c, of)
        for c, sets in over.items()
        if (of := sets[0]) is not None and c not in limited and {of, None}.issuperset(sets) and within[of] == occurs[of]
    }


def set_of(sub: Node | None) -> tuple[Name, Name] | None:
    r"""The letter and the set of `x \in \mathcal{X}` below a sum sign."""
    if isinstance(sub, Chain) and isinstance(sub.first, Name) and [relation for relation, _ in sub.links] == ["in"]:
        if isinstance(of := sub.links[0][1], Name) and of.font != "blackboard":
            return sub.first, of
    return None
