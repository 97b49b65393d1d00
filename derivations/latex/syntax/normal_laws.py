r"""Normal laws as they are written: `\mathcal{N}(\mu, \sigma^2)`, `\mathcal{N}(x; \mu, \Sigma)`, `\operatorname{Normal}(0, 1)`.

The second parameter is the variance, or the matrix of covariances, as nearly all authors have it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from derivations.latex.syntax.letters import is_upper
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Listed,
    Literal,
    Name,
    Node,
    Operator,
    Scripted,
    Words,
    walk,
)

LAWS = frozenset({"N", "Normal", "Gaussian", "Gauss"})
"""Names of the normal law."""
DIVERGENCES = frozenset({"KL", "DKL"})
"""Words for the divergence of Kullback and Leibler, alone or below a letter."""
ENTROPIES = frozenset({"H", "h", "Ent", "Entropy", "entropy"})
"""Names of the entropy."""
IDENTITIES = frozenset({"I", "Id"})
"""Names of the identity matrix."""
ZEROS = frozenset({"0", "zero"})
"""Names of the vector of zeros."""


@dataclass(frozen=True, slots=True)
class NormalLaw:
    """A law with its mean and its variance, or covariances."""

    mean: Node
    spread: Node


def normal_law(node: Node | None) -> NormalLaw | None:
    """The law that an expression is.

    What is drawn may stand before the parameters, after which comes a semicolon, a comma or a bar.
    """
    if not isinstance(node, Adjacent) or len(node.items) != 2:
        return None
    head, after = node.items
    if word(head) not in LAWS or not isinstance(after, Enclosed) or after.kind not in ("()", "[]"):
        return None
    content = after.content
    if isinstance(content, Chain):
        content = content.links[0][1] if [r for r, _ in content.links] == ["mid"] else None
        drawn = 0
    else:
        drawn = 1
    if not isinstance(content, Listed) or not 2 <= len(content.items) <= 2 + drawn:
        return None
    return NormalLaw(*content.items[-2:])


def word(node: Node | None) -> str | None:
    """The letters of a name, in whatever font."""
    if isinstance(node, Words):
        return node.text.strip()
    return node.base if isinstance(node, Name) and not node.accents and not node.primes else None


def divergence(head: Node) -> bool:
    r"""Whether a name is that of the divergence of Kullback and Leibler: `\mathrm{KL}`, `D_{KL}`, `\mathbb{D}_{\text{KL}}`."""
    if not isinstance(head, Scripted):
        return word(head) in DIVERGENCES
    below = head.sub
    letters = [word(n) or "" for n in (below.items if isinstance(below, Adjacent) else (below,))]
    return head.sup is None and isinstance(head.base, Name) and "".join(letters) in DIVERGENCES


def laws_compared(node: Node) -> Iterator[NormalLaw]:
    """The laws that stand in divergences and entropies of an expression."""
    for n in walk(node):
        parts = n.items if isinstance(n, Adjacent) else ()
        for head, after in pairwise(parts):
            if isinstance(after, Enclosed) and (divergence(head) or word(head) in ENTROPIES):
                content = after.content
                arguments = content.items if isinstance(content, Listed) else (content,)
                yield from (law for a in arguments if (law := normal_law(a)) is not None)


def names_of_spread(spread: Node) -> Iterator[Node]:
    r"""The names that are positive where this is a variance: s of `s^2`, `s^2 I` and `\operatorname{diag}(s_1^2, s_2^2)`."""
    if isinstance(spread, Operator) and spread.name == "diag":
        for argument in spread.arguments:
            yield from names_of_spread(argument)
    elif isinstance(spread, Adjacent) and len(spread.items) == 2 and is_identity(spread.items[1]):
        yield from names_of_spread(spread.items[0])
    elif isinstance(spread, Name) and not is_identity(spread) and spread.base[0].islower():
        yield spread
    elif isinstance(spread, Scripted) and isinstance(spread.base, Name) and not is_identity(spread):
        base = spread.base
        if getattr(spread.sup, "text", None) == "2":
            yield base if spread.sub is None else Scripted(spread.span, base, spread.sub, None)
        elif spread.sup is None and base.base[0].islower():
            yield spread


def is_of_vector(law: NormalLaw) -> bool:
    """Whether what is drawn from a law can only be a vector, and not one with mean zero and entries of one variance: its
    covariances are written with an identity matrix, as a diagonal, or as a capital."""
    spread = law.spread
    if isinstance(spread, Operator) and spread.name == "diag":
        return True
    if is_identity(spread.items[-1] if isinstance(spread, Adjacent) else spread):
        return not is_centred(law)
    base = spread.base if isinstance(spread, Scripted) and spread.sup is None else spread
    return is_upper(word(base) or "")


def is_centred(law: NormalLaw) -> bool:
    """Whether the mean is written as zero."""
    mean = law.mean.base if isinstance(law.mean, Scripted) and law.mean.sup is None else law.mean
    return (isinstance(mean, Literal) and mean.text == "0") or word(mean) in ZEROS


def is_identity(node: Node) -> bool:
    r"""`I`, `\mathbf{I}_k`."""
    return word(node.base if isinstance(node, Scripted) else node) in IDENTITIES
