"""Names of functions of one letter, told apart by their arguments: `H(p)` and `H(p, q)`, `p(y)` and `p(y | x)`."""

from __future__ import annotations

import re

_TOLD_APART = re.compile(r"(?P<stem>.*?)(?:_of_[0-9]+|\((?P<signs>[^()]*)\))?")


def plain_stem(stem: str) -> str:
    """The name of a function without what tells it from those of other arguments: `p` of `p(=|)` and of `p_of_2`."""
    found = _TOLD_APART.fullmatch(stem)
    return found.group("stem") if found is not None else stem


def signs_of(stem: str) -> list[str]:
    """The signs between the arguments of a function; none where they are commas."""
    found = _TOLD_APART.fullmatch(stem)
    return re.findall(r"[a-z]+|[<>!]=|.", (found.group("signs") if found is not None else None) or "")
