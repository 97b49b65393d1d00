"""Names of functions of one letter, told apart by their arguments: `H(p)` and `H(p, q)`, `p(y)` and `p(y | x)`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from derivations.latex.syntax.surface import Chain, Enclosed, Listed, Node

_TOLD_APART = re.compile(
    r"(?P<stem>.*?)(?:_of_[0-9]+|_law(?P<places>(?:_of_|_given_)[0-9A-Za-z_]+)|\((?P<signs>[^()]*)\))?"
)


def plain_stem(stem: str) -> str:
    """The name of a function without what tells it from those of other arguments: `p` of `p(=|)` and of `p_of_2`."""
    found = _TOLD_APART.fullmatch(stem)
    return found.group("stem") if found is not None else stem


def signs_of(stem: str) -> list[str]:
    """The signs between the arguments of a function; none where they are commas."""
    found = _TOLD_APART.fullmatch(stem)
    return re.findall(r"[a-z]+|[<>!]=|.", (found.group("signs") if found is not None else None) or "")


def stem_of_law(base: str, places: Sequence[str], signs: str) -> str:
    """The name of a law by what it is the law of, and under which condition.

    >>> stem_of_law("p", ("y", "x", "z"), "|,")
    'p_law_of_y_given_x_given_z'
    """
    bar = signs.find("|") + 1 or len(places)
    return f"{base}_law" + "".join(f"_{'of' if k < bar else 'given'}_{place}" for k, place in enumerate(places))


def places_of_law(stem: str) -> str:
    """How the places of a law are written, one letter each: `a` before a bar, `b` after it; empty for other names.

    >>> places_of_law("p_law_of_y_given_x"), places_of_law("p_law_of_x_of_y"), places_of_law("p")
    ('ab', 'aa', '')
    """
    found = _TOLD_APART.fullmatch(stem)
    places = found.group("places") if found is not None else None
    return "".join("a" if word == "of" else "b" for word in re.findall(r"_(of|given)(?=_)", places or ""))


def as_called(stem: str) -> str:
    """A name as a reader knows it: that of a law as a call, any other as it is.

    >>> as_called("p_law_of_y_given_x"), as_called("H_law_of_X_of_Y#2"), as_called("W_q")
    ('p(y|x)', 'H(X,Y)#2', 'W_q')
    """
    name, sign, version = stem.partition("#")
    how = places_of_law(name)
    if not how:
        return stem
    places = re.split(r"_(?:of|given)_", name.removeprefix(plain_stem(name)).removeprefix("_law"))[1:]
    between = ["|" if b == "b" and a == "a" else "," for a, b in pairwise(how)]
    inside = "".join(a + b for a, b in zip(places, [*between, ""], strict=True))
    return f"{plain_stem(name)}({inside}){sign}{version}"


def arguments_of(arguments: Enclosed) -> tuple[tuple[Node, ...], str]:
    r"""The arguments in parentheses, and the signs between them where they are not commas: `=,|` in `p(y = k, z \mid x)`."""
    content = arguments.content
    if content is None:
        return (), ""
    found = _parts(content)
    nodes, signs = tuple(n for _, n in found), "".join(sign for sign, _ in found[1:])
    return nodes, "" if set(signs) <= {","} else signs


def _parts(node: Node) -> list[tuple[str, Node]]:
    """The arguments, each with the sign before it."""
    if isinstance(node, Listed):
        return [(sign if k else ",", n) for item in node.items for k, (sign, n) in enumerate(_parts(item))]
    if isinstance(node, Chain) and node.first is not None:
        found = _parts(node.first)
        for relation, right in node.links:
            (_, first), *rest = _parts(right)
            found += [("|" if relation == "mid" else relation, first), *rest]
        return found
    return [(",", node)]
