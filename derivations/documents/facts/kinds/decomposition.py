r"""Decompositions that the words around a formula name: the factors of `A = U \Sigma V^\top`, "the singular value decomposition".

The words say what the factors are: with orthonormal columns, diagonal, triangular.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from derivations.documents.facts.fact import Found
from derivations.latex.syntax.letters import is_transpose
from derivations.latex.syntax.surface import Adjacent, Chain, Name, Node, Scripted
from derivations.latex.syntax.surface_writer import write_surface

COLUMNS = "orthonormal columns"
NOT_NEGATIVE = ">= 0"
"""What singular values are: a sign, and no kind of matrix."""


@dataclass(frozen=True)
class Decomposition:
    """A row: its name in words, its factors as letters with a prime for a transpose, and what each factor is."""

    words: re.Pattern[str]
    factors: tuple[str, ...]
    kinds: tuple[tuple[str, str], ...]
    """What factors are, in the letters of the pattern."""
    fires: str
    silent: str


def _called(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


_SINGULAR = _called(r"singular[- ]value decompositions?|SVD")
_SPECTRAL = _called(
    r"eigen(?:value|vector)?[- ]?decompositions?|spectral (?:decompositions?|theorem)|diagonali[sz]ations?"
)
ROWS: tuple[Decomposition, ...] = (
    Decomposition(
        _SINGULAR,
        ("U", "S", "V'"),
        (("U", COLUMNS), ("S", "diagonal"), ("S", NOT_NEGATIVE), ("V", COLUMNS)),
        r"Let $A = U \Sigma V^\top$ be its singular value decomposition.",
        r"Let $A = U \Sigma V^\top$ be a product.",
    ),
    Decomposition(
        _SPECTRAL,
        ("Q", "S", "Q'"),
        (("Q", "square"), ("Q", "orthogonal"), ("S", "diagonal")),
        r"By the spectral theorem $C = Q \Lambda Q^\top$.",
        r"By the spectral theorem $C = Q \Lambda P^\top$.",
    ),
    Decomposition(
        _called("QR[- ](?:decompositions?|factori[sz]ations?)"),
        ("Q", "R"),
        (("Q", COLUMNS), ("R", "upper")),
        r"Let $A = Q R$ be its QR decomposition.",
        r"Let $A = Q R^\top$ be its QR decomposition.",
    ),
    Decomposition(
        _called("Cholesky (?:decompositions?|factori[sz]ations?|factors?)"),
        ("L", "L'"),
        (("L", "lower"),),
        r"Let $A = L L^\top$ be its Cholesky factorisation.",
        r"Let $A = M L^\top$ be its Cholesky factorisation.",
    ),
)
_NEGATED = re.compile(r"\b(?:no|not|without|instead of|unlike)\b[^.;⟦]{0,40}$", re.IGNORECASE)


def of_formula(chain: Chain, before: str, after: str, heading: str = "") -> Iterator[Found]:
    """What a decomposition says of its factors, where the words before or after its formula name it, or its heading does."""
    if [relation for relation, _ in chain.links] != ["="] or not isinstance(chain.first, Name | Scripted):
        return
    factors = _factors(chain.links[0][1])
    for row in ROWS:
        named = next((m for text in (before, after, heading) if (m := row.words.search(text)) is not None), None)
        at = _matched(row.factors, factors) if named is not None and factors is not None else None
        if named is not None and at is not None and _NEGATED.search(named.string, 0, named.start()) is None:
            yield from (((at[letter],), kind) for letter, kind in row.kinds)
            return


def _factors(node: Node) -> list[tuple[str, bool]] | None:
    """The names of a product, each with whether it is transposed; None for other terms."""
    found = []
    for item in node.items if isinstance(node, Adjacent) else ():
        turned = isinstance(item, Scripted) and item.sub is None and item.sup is not None and is_transpose(item.sup)
        base = item.base if turned and isinstance(item, Scripted) else item
        if not isinstance(base, Name):
            return None
        found.append((write_surface(base), turned))
    return found or None


def _matched(pattern: tuple[str, ...], factors: list[tuple[str, bool]]) -> dict[str, str] | None:
    """The names that the letters of a pattern stand for: one for each, another for another."""
    if len(pattern) != len(factors):
        return None
    at: dict[str, str] = {}
    for letter, (name, turned) in zip(pattern, factors, strict=True):
        if letter.endswith("'") is not turned or at.setdefault(letter.rstrip("'"), name) != name:
            return None
    return at if len(set(at.values())) == len(at) else None
