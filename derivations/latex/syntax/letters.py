"""Letters and words in scripts: what may be an index, what is a label, what is a transpose sign."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from derivations.latex.syntax.notation import SIGNS_AS_LABELS
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Literal,
    Mark,
    Name,
    Node,
    Operator,
    Prefix,
    Scripted,
    Span,
    Words,
    walk,
)

GREEK = frozenset(
    [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "varepsilon",
        "zeta",
        "eta",
        "theta",
        "vartheta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
        "pi",
        "rho",
        "varrho",
        "sigma",
        "tau",
        "upsilon",
        "phi",
        "varphi",
        "chi",
        "psi",
        "omega",
    ]
)
MATRICES = frozenset(["Gamma", "Theta", "Lambda", "Pi", "Sigma", "Omega"])
"""Greek capitals that stand for matrices, not for differences or functions."""
IMAGINARY = frozenset(["i", "j"])
"""Letters by which the imaginary unit is written."""
LABEL_WORDS = frozenset(
    [
        "out",
        "model",
        "head",
        "heads",
        "attn",
        "data",
        "key",
        "query",
        "value",
        "max",
        "min",
        "vocab",
        "row",
        "col",
        "norm",
        "new",
        "old",
        "mask",
        "masked",
        "causal",
        "train",
        "test",
        "ffn",
        "hidden",
        "emb",
        "embed",
        "input",
        "output",
        "avg",
        "sum",
        "ref",
        "enc",
        "dec",
        "src",
        "tgt",
        "cur",
        "pad",
        "tot",
        "init",
        "task",
        "main",
        "path",
    ]
)
"""Subscripts spelled with italic letters that are words, not runs of indices."""
INDEX_WORDS = GREEK | {"pos", "idx", "position", "ell"}
"""Names longer than a letter that may be indices."""
ROLES = frozenset("qkvoQKVO")
INDICES_BY_HABIT = frozenset("ijt")
"""Letters that are indices where nothing tells what else they are."""
SQUARE = "^2"
WHOLE = frozenset({"colon", "bullet", "cdot"})
"""Signs in an index slot for all of an axis."""
TRANSPOSES = frozenset({"top", "intercal"})


ALONE = "^0"
r"""Ends the key of a number `\theta` beside numbers `\theta_i`, or a vector, of the same letter."""
PRIMED = "_prime"
"""Ends the key of a name with a prime."""
ACTIVATIONS = frozenset({"sigma"})
"""Letters that, before parentheses, are mostly functions of numbers that are applied to every entry of an array."""
WAY = "^in"
"""Ends the key of a name, with a number, that a section uses in a way of its own."""
FAMILY = "^()"
"""Ends the key of a family `q^{(i)}` beside a vector `q` of the same letter."""


def without_way(stem: str) -> str:
    """The key of a name without the number of a section.

    >>> without_way("x^in2"), without_way("W^in1_out"), without_way("x")
    ('x', 'W_out', 'x')
    """
    before, _, after = stem.partition(WAY)
    return before + after.lstrip("0123456789")


def letter(node: Node | None) -> str | None:
    """The single letter that a node is, if it is one; an index that is a length elsewhere is a letter of its section."""
    if isinstance(node, Name) and not node.accents and (len(node.base) == 1 or node.base in INDEX_WORDS):
        return node.base + "_prime" * node.primes + (f"{WAY}{-node.way}" if node.way < 0 else "")
    return None


def letter_node(span: Span, c: str) -> Name:
    """The name of a single letter, as `letter` tells it, at a place.

    >>> letter_node((0, 1), "d_prime").primes
    1
    """
    c, _, way = c.partition(WAY)
    base = c.removesuffix("_prime")
    primes = 0
    while base != c:
        c, base, primes = base, base.removesuffix("_prime"), primes + 1
    return Name(span, base, primes=primes, way=-int(way or 0))


def is_upper(stem: str) -> bool:
    head = re.split(r"[_^]", stem)[0]
    return head[:1].isupper()


_LABELS = frozenset({"ast", "star", "bullet", "dagger", "plus", "minus", "prime", "infinity", "perp"})
"""Signs alone in a script that tell names apart."""


def label_of(node: Node | None) -> str | None:
    """The words of a script that can only be a label."""
    if isinstance(node, Enclosed) and node.kind == "()":
        node = node.content
    if isinstance(node, Name):
        if node.font == "calligraphic" and node.base.isupper():
            return cleaned(node.base)
        if node.font == "roman" or (len(node.base) > 1 and node.base not in GREEK | {"ell"}):
            return (
                cleaned(node.base)
                if not (node.font == "roman" and len(node.base) == 1 and node.base in INDICES_BY_HABIT)
                else None
            )
        return None
    if isinstance(node, Words):
        return cleaned(node.text)
    if isinstance(node, Operator) and not node.parts:  # J_{\mathrm{softmax}}
        return node.name
    if isinstance(node, Mark) and (node.kind in _LABELS or node.kind in SIGNS_AS_LABELS):
        return node.kind
    if isinstance(node, Adjacent) and all(isinstance(n, Name) and len(n.base) == 1 for n in node.items):
        word = "".join(n.base for n in node.items if isinstance(n, Name))
        if word in LABEL_WORDS or word == "in" or _spells(word, node.items):
            return word
        return word if len(word) > 1 and all(n.font == "bold" for n in node.items if isinstance(n, Name)) else None
    if isinstance(node, Adjacent) and any(isinstance(n, Mark) and n.kind == "star" for n in node.items):  # K_{*X}
        parts = [n.kind if isinstance(n, Mark) else n.base if isinstance(n, Name) else None for n in node.items]
        return "_".join(p for p in parts if p is not None) if None not in parts else None
    if (
        isinstance(node, Scripted)
        and (below := label_of(node.sub))
        and node.sup is None
        and (stem := letter(node.base))
    ):
        return f"{stem}_{below}"
    return None


def label_below(node: Node | None) -> str | None:
    r"""What stands below a name and can only be a label: words, or a name as in `H_{\hat\theta}`, `f_{x_0}`."""
    if isinstance(node, Name) and node.accents and not node.primes:
        return "_".join((cleaned(node.base), *node.accents))
    if isinstance(node, Scripted) and isinstance(node.sub, Literal) and node.sup is None and letter(node.base):
        return f"{letter(node.base)}_{node.sub.text}"
    return label_of(node)


def _spells(word: str, letters: Sequence[Node]) -> bool:
    """`S_{block}`, `O_{current}`: four or more small letters side by side, with vowels that are hardly ever indices."""
    together = all(a.span[1] == b.span[0] for a, b in pairwise(letters))
    vowels = "eou" if len(word) == 4 else "aeou"
    return together and len(word) > 3 and word.islower() and word.isascii() and any(c in vowels for c in word)


def cleaned(text: str) -> str:
    return re.sub(r"[^0-9A-Za-z]+", "_", text).strip("_") or "x"


def is_word(node: Node) -> bool:
    """Upright words of more than a letter."""
    text = node.text if isinstance(node, Words) else node.base if isinstance(node, Name) else ""
    return len(text.strip()) > 1 and (isinstance(node, Words) or (isinstance(node, Name) and node.font == "roman"))


def is_transpose(node: Node | None) -> bool:
    if isinstance(node, Prefix) and node.operator == "-":
        return False
    return (isinstance(node, Mark) and node.kind in TRANSPOSES) or (
        isinstance(node, Name) and node.base in ("T", "top", "intercal") and not node.primes
    )


def rows_of_identity(stem: str) -> int | None:
    """The number of rows of `I_2`; None for any other name.

    >>> rows_of_identity("I_2"), rows_of_identity("I_1"), rows_of_identity("A_2")
    (2, None, None)
    """
    base, _, label = stem.partition("_")
    return int(label) if base == "I" and label.isdigit() and int(label) > 1 else None


def letters_in(node: Node) -> set[str]:
    return {c for n in walk(node) if (c := letter(n)) is not None}


def for_all(node: Node) -> Node:
    r"""`\forall j \le i` and `\forall x \in S` without the sign, since what is said of all such j is said where the condition
    holds; the sign alone of `\forall i, j`, which says no more than an equation does."""
    if isinstance(node, Adjacent) and len(node.items) == 2:
        sign, rest = node.items
        if isinstance(sign, Mark) and sign.kind == "forall" and isinstance(rest, Chain):
            return rest
        if isinstance(sign, Mark) and sign.kind == "forall" and all(map(letter, getattr(rest, "items", (rest,)))):
            return sign
    return node


def unworded(node: Node) -> Node:
    """`if j` without its word."""
    if isinstance(node, Adjacent):
        rest = tuple(
            i for i in node.items if not isinstance(i, Words) and not (isinstance(i, Mark) and i.kind == "forall")
        )
        if len(rest) == 1:
            return rest[0]
        return replace(node, items=rest) if rest else node
    return node


EULER = "e"
"""The name whose powers are exponentials, unless the text has another use for it."""


def run_of(node: Node | None) -> str | None:
    """The letters of a script that touch one another."""
    inner = node.content if isinstance(node, Enclosed) and node.kind == "()" else node
    if not isinstance(inner, Adjacent) or not all(isinstance(i, Name) and letter(i) == i.base for i in inner.items):
        return None
    touch = all(a.span[1] == b.span[0] for a, b in zip(inner.items, inner.items[1:], strict=False))
    letters = [i.base for i in inner.items if isinstance(i, Name)]
    return "".join(letters) if touch and all(len(c) == 1 for c in letters) else None
