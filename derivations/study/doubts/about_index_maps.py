"""Doubts about functions whose values are indices: which ones these are, and what divides what, may not be said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from derivations.language.statement import Statement, Theory
from derivations.language.substitution import fresh, labels_of, own_indices
from derivations.language.term import Atom, Binder, Entry, Index, Term, atoms
from derivations.provers.decide import Refuted
from derivations.provers.refute import all_sizes
from derivations.study.doubts.doubt import Doubt
from derivations.study.related_lengths import put_in_statement, put_in_theory
from derivations.study.verdict import Case, Verdict

_SAID_OF_MAPS = re.compile(
    r"permut|biject|one-to-one|inject|surject|\bonto\b|\bsort|\brank(?:s|ed|ing)\b|\border(?:s|ed|ing)\b|\bshuffl|\brevers|"
    r"\binverse\b|\bcycl|\bshift|\bmonoton",
    re.IGNORECASE,
)
"""Words for what a function of indices may be: an order, a permutation."""


@dataclass(frozen=True, slots=True)
class _Use:
    """An entry or a number with a value of a function of indices in it; without a name, one that has none."""

    head: str
    name: str
    places: tuple[Index, ...]
    tells_entry: bool
    """It stands in the place of an array, not in a condition or as a number."""
    is_free: bool
    """It is applied to letters that the statement speaks of all values of."""


def with_unknown_index_map(case: Case, verdict: Verdict) -> tuple[str] | None:
    r"""A function of indices that no equation gives, where more than one value of it is looked at, or what it is may be said.

    One entry $W_{c(t)}$ for one free $t$, of a W of which nothing else is said, is any member of the family: it does not
    matter which.
    """
    maps, theory = case.known.names.index_maps, case.theory
    for s in verdict.statements:
        sides = (s.left, s.right)
        if not any(name in maps for side in sides for t in theory.reached(side) for name in labels_of(t)):
            continue
        found = [u for side in sides for u in _uses(side, theory, frozenset(), {})]
        others = {u.head for u in found if not u.name}
        for name in sorted({u.name for u in found} & maps):
            own = [u for u in found if u.name == name]
            one = len({u.places for u in own}) == 1 and others.isdisjoint(u.head for u in own)
            if not one or not all(u.tells_entry and u.is_free for u in own) or _is_told(case):
                return (name,)
    return None


def _is_told(case: Case) -> bool:
    """Whether the text may say in words what a function of indices is."""
    return any(_SAID_OF_MAPS.search(text) for text in case.known.document.texts())


def _uses(
    t: Term, theory: Theory, bound: frozenset[str], put: Mapping[str, Index], above: frozenset[str] = frozenset()
) -> Iterator[_Use]:
    """The values of functions of indices in a term and in the definitions below it, but for those that stand `above`."""
    within = bound | {t.var} if isinstance(t, Binder) else bound
    head = t.name if isinstance(t, Entry) else ""
    labels = [a for index in own_indices(t) for a in atoms(index.substitute(put)) if a.kind == "label"]
    for a in labels:
        places = a.args[:-1]
        free = {v for p in places for v in p.free}
        yield _Use(head, a.name, places, bool(head), bool(free) and free.isdisjoint(within))
    if head and not labels:
        yield _Use(head, "", (), True, True)
    for child in t.children:
        yield from _uses(child, theory, within, put, above)
    if isinstance(t, Entry) and t.name not in above:
        for d in theory.definitions.get(t.name, ()):
            letters = d.variables
            is_plain = d.indices == tuple(map(Index.var, letters)) and not d.tensors
            own = {v: i.substitute(put) for v, i in zip(letters, t.indices, strict=False)} if is_plain else {}
            yield from _uses(d.body, theory, within if is_plain else within | set(letters), own, above | {t.name})


_ROUTED = (
    r"Expert $e$ has weights $W_e \in \mathbb{R}^{m \times d}$, and token $t$ has a state $x_t \in \mathbb{R}^d$ that goes to "
    r"expert $c(t)$. For $t = 1, \dots, n$ let $$y_t = W_{c(t)} x_t .$$ "
)

INDEX_MAP = Doubt(
    name="a function of indices that nothing gives",
    code="ambiguous",
    sentence="false for some {}, of which nothing that is read says which indices it gives",
    test=with_unknown_index_map,
    needed=r"For $x \in \mathbb{R}^n$ and $i = 1, \dots, n$ let $$z_i = x_{c(i)} .$$ "
    r"Then $$\sum_{i=1}^n z_i^2 = \sum_{i=1}^n x_i^2 .$$",
    silent=_ROUTED + r"Then $$\|y_t\|^2 = 2 x_t^\top W_{c(t)}^\top W_{c(t)} x_t .$$",
)


def with_uneven_groups(case: Case, verdict: Verdict) -> tuple[str, str] | None:
    r"""A rounded quotient `\lfloor h G / H \rfloor` of lengths, where the claim is not false of an H that G divides.

    The groups are meant to be of one size: nothing is refuted by one that is smaller.
    """
    for s in verdict.statements:
        for whole, part in _divided(s, case.theory):
            put = {whole: Index.size(part) * Index.size(fresh(whole, all_sizes(s, case.theory)))}
            theory = put_in_theory(case.theory, put)
            if theory is None or not isinstance(case.known.decide(put_in_statement(s, put), theory), Refuted):
                return whole, part
    return None


def _divided(s: Statement, theory: Theory) -> list[tuple[str, str]]:
    """H and G for each rounded quotient in which G is a factor above and H stands below."""
    found: set[tuple[str, str]] = set()
    reached = (t for side in (s.left, s.right) for t in theory.reached(side))
    for a in (a for t in reached for i in own_indices(t) for a in atoms(i) if a.kind == "quotient"):
        above, below = a.args
        if below.plain and len(below.sizes) == 1:
            found |= {(min(below.sizes), n) for b, _ in above.terms if b.kind == "product" for n in _lengths(b)}
    return sorted(pair for pair in found if pair[0] != pair[1])


def _lengths(a: Atom) -> set[str]:
    return {n for i in a.args for n in i.sizes}


_GROUPS = (
    r"There are $H$ heads and $G$ groups. Head $h$ belongs to group $$g(h) = \lfloor h G / H \rfloor$$ with "
    r"$h = 0, \dots, H - 1$. "
)

UNEVEN_GROUPS = Doubt(
    name="groups that may be of one size",
    code="ambiguous",
    sentence="false as read, but perhaps true where {} is a multiple of {}",
    test=with_uneven_groups,
    needed=_GROUPS + r"Of the last head $$2 g(H - 1) + 2 = 2 G .$$",
    silent=_GROUPS + r"Of the last head $$2 g(H - 1) + 2 = 2 G + 2 .$$",
)
