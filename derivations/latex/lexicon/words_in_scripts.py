r"""Runs of letters in a script that are one word: `D_{KL}`, `W^{QK}`, `\Sigma_{XY}`, `n_{kv}`, `d_{ff}`.

A run of letters below a name can as well be one index after the other, `A_{ij}`.  Capitals are a word unless the document
uses one of them as an index or as a size; small letters below a number (`n`, `d`) and when they name roles, below several
capitals when all of them are things of the document, or when they are many, `G_{crit}`: few arrays have four axes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from derivations.latex.syntax.letters import ROLES, letter, letters_in, run_of
from derivations.latex.syntax.surface import (
    Big,
    Chain,
    Enclosed,
    Listed,
    Name,
    Node,
    Operator,
    Scripted,
    walk,
)

COUNTS = frozenset("dDnN")
"""Letters of numbers, of which there are no rows and columns."""


MANY_AXES = 3
"""More letters than these, without commas, are no indices of one array."""


def words_of_scripts(nodes: Iterable[Node]) -> set[tuple[str, str]]:
    """The pairs of a name and a run of letters in its script that is one word."""
    nodes = list(nodes)
    places: set[str] = set()
    found: set[tuple[str, str]] = set()
    for n in nodes:
        if isinstance(n, Big):
            places |= {c for script in (n.sub, n.sup) if script is not None for c in letters_in(script)}
        elif isinstance(n, Chain):
            places |= {c for relation, right in n.links if relation in ("<", "<=", ">", ">=") for c in _of_bound(right)}
        elif isinstance(n, Scripted):
            if isinstance(n.base, Name) and n.base.font == "blackboard" and n.sup is not None:
                places |= letters_in(n.sup)
            places |= letters_in(n.sub) if isinstance(n.sub, Listed) else {letter(n.sub) or ""} & set("ijIJ")
            if isinstance(n.base, Name):
                base = n.base.base
                scripts = (n.sub, n.sup) if base.isupper() else (n.sub,)  # x^{NM} is a power
                runs = [r for script in scripts if (r := run_of(script)) is not None]
                found |= {(base, r) for r in runs if r.isupper() and set(r) != set("IJ") and "T" not in r}
                found |= {(base, r) for r in runs if base in COUNTS and (set(r) <= ROLES or r == "ff")}
    found |= set(_between_things(nodes, places)) | set(_of_runs_alone(nodes))
    kept = {(base, r) for base, r in found if places.isdisjoint(r)}
    return kept | set(_long_words(nodes)) | set(_side_by_side(nodes))


def _of_bound(node: Node) -> set[str]:
    """The letters of what something is smaller or greater than, where that may bound an index: the n of `i < n - 1`."""
    return set() if any(isinstance(n, Scripted | Operator | Enclosed) for n in walk(node)) else letters_in(node)


def _long_words(nodes: Sequence[Node]) -> Iterator[tuple[str, str]]:
    r"""`G_{crit}`, `R_{lcs}`: small letters below a name that are more than its axes could be.

    They are indices where a sum around them binds one, where another run has some of them, and on both sides of an
    equation, `y_{bsdt} = 2 x_{bsdt}`; three of them on a left side are indices in any case.
    """
    on_left, on_both = _runs_of_equations(nodes)
    runs: dict[str, set[str]] = defaultdict(set)
    bound: set[tuple[str, str]] = set()
    alone: set[str] = set()
    for n in nodes:
        if isinstance(n, Scripted) and isinstance(n.base, Name) and n.base.base != "nabla":
            run = run_of(n.sub)
            alone |= {letter(n.sub) or ""}
            if run is not None and run.islower():
                runs[run].add(n.base.base)
        elif isinstance(n, Big) and n.sub is not None:
            own = letters_in(n.sub)
            for m in walk(n.body):
                if isinstance(m, Scripted) and isinstance(m.base, Name) and own & set(run_of(m.sub) or ""):
                    bound.add((m.base.base, run_of(m.sub) or ""))
    for run, bases in runs.items():
        shared = any(len(set(run) & set(other)) > 1 for other in runs if other != run)
        is_long = len(run) > MANY_AXES or (len(run) == MANY_AXES and alone.isdisjoint(run) and run not in on_left)
        if is_long and not shared and run not in on_both:
            yield from ((base, run) for base in bases if (base, run) not in bound)


def _runs_of_equations(nodes: Iterable[Node]) -> tuple[set[str], set[str]]:
    """The runs of letters below left sides, and those of them that stand at the right of the same equation too."""
    on_left: set[str] = set()
    on_both: set[str] = set()
    for n in nodes:
        run = run_of(n.first.sub) if isinstance(n, Chain) and n.links and isinstance(n.first, Scripted) else None
        if run is not None and isinstance(n, Chain):
            on_left.add(run)
            at_right = (m for _, side in n.links for m in walk(side) if isinstance(m, Scripted))
            on_both |= {run} & {run_of(m.sub) for m in at_right}
    return on_left, on_both


def _between_things(nodes: Iterable[Node], places: set[str]) -> Iterator[tuple[str, str]]:
    r"""`W_{xh}`, `W_{hh}`: from x to h, where `x_t` and `h_t` are things, and none of these letters is an index anywhere.

    The index of these things may stand above them, in parentheses: `x^{(t)}`; or they are bold, the $\mathbf{u}$ of `K_{uu}`.
    """
    runs: dict[str, set[str]] = {}
    things: set[str] = set()
    indices = set(places)
    for n in nodes:
        if isinstance(n, Name) and n.font == "bold":
            things.add(n.base)
        if not isinstance(n, Scripted) or not isinstance(n.base, Name) or n.base.base == "nabla":
            continue
        above = n.sup if isinstance(n.sup, Enclosed) and n.sup.kind == "()" else None  # x^{(t)}
        run = run_of(n.sub)
        if run is not None and run.islower():
            runs.setdefault(n.base.base, set()).add(run)
        elif n.sub is not None or above is not None:
            things.add(n.base.base)
            indices |= letters_in(n.sub) if n.sub is not None else set()
        indices |= letters_in(above) if above is not None else set()
    indices = places | (indices - things)  # the h of b_h is the thing h_t
    things -= indices
    told = {c for base, own in runs.items() if len(own) > 1 and base.isupper() for r in own for c in r} & things
    for base, own in runs.items():
        if base.isupper() and all(c in told for r in own for c in r):
            yield from ((base, r) for r in own)


def _of_runs_alone(nodes: Sequence[Node]) -> Iterator[tuple[str, str]]:
    r"""`K_{uu}`, `K_{uf}`, `K_{fu}`: blocks, where u and f stand nowhere but in such runs, and one run is twice one letter.

    An index stands below some other name, too, or a sum runs over it: the i of `b_i - \sum_{j \ne i} A_{ij} x_j`.
    """
    runs: dict[str, set[str]] = defaultdict(set)
    inside: set[int] = set()
    for n in nodes:
        run = run_of(n.sub) if isinstance(n, Scripted) and isinstance(n.base, Name) else None
        if run is not None and isinstance(n, Scripted) and isinstance(n.base, Name) and n.sub is not None:
            if n.base.base.isupper() and run.islower():
                runs[n.base.base].add(run)
                inside |= {id(m) for m in walk(n.sub)}
    elsewhere = {n.base for n in nodes if isinstance(n, Name) and not n.font and id(n) not in inside}
    for own in runs.values():
        is_repeated = any(len(r) == 2 and r[0] == r[1] for r in own)
        if len(own) > 1 and is_repeated and elsewhere.isdisjoint("".join(own)):
            yield from ((other, r) for other, rest in runs.items() for r in rest if set(r) <= set("".join(own)))


def _listed_names(nodes: Iterable[Node]) -> Iterator[dict[str, list[str]]]:
    r"""For each list of names that is put into one space, `W_{xi}, W_{xf} \in \mathbb{R}^{d \times h}`: the letters below each
    base, as they are written."""
    for n in nodes:
        if (
            isinstance(n, Chain)
            and isinstance(n.first, Listed)
            and [_is_of_arrays(*link) for link in n.links] == [True]
        ):
            found: dict[str, list[str]] = defaultdict(list)
            for item in n.first.items:
                if isinstance(item, Scripted) and isinstance(item.base, Name) and item.sup is None:
                    below = letter(item.sub) or run_of(item.sub)
                    if below is not None:
                        found[item.base.base].append(below)
            yield found


def _is_of_arrays(relation: str, space: Node) -> bool:
    r"""Whether names are put into a space of arrays, `\in \mathbb{R}^{d \times h}`: entries are put into `\mathbb{R}`."""
    base = space.base if isinstance(space, Scripted) and space.sup is not None else None
    return relation == "in" and isinstance(base, Name) and base.font == "blackboard"


def _side_by_side(nodes: Iterable[Node]) -> Iterator[tuple[str, str]]:
    r"""`W_{xi}, W_{xf} \in \mathbb{R}^{d \times h}`: several runs below one base in a list are several matrices."""
    for listed in _listed_names(nodes):
        for base, runs in listed.items():
            if len(set(runs)) == len(runs) > 1 and all(len(r) > 1 for r in runs) and len(set(map(len, runs))) == 1:
                yield from ((base, r) for r in runs)


def labels_side_by_side(nodes: Iterable[Node]) -> set[tuple[str, str]]:
    r"""`b_i, b_f, b_o \in \mathbb{R}^h` beside `W_{xi}, W_{xf}, W_{xo}`: letters that tell matrices apart tell biases apart."""
    nodes = list(nodes)
    telling = {c for _, run in _side_by_side(nodes) for c in run}
    found: set[tuple[str, str]] = set()
    for listed in _listed_names(nodes):
        for base, below in listed.items():
            if len(set(below)) == len(below) > 1 and set(below) <= telling and all(len(c) == 1 for c in below):
                found |= {(base, c) for c in below}
    return found
