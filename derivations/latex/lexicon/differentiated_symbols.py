r"""Derivatives by a defined symbol: `\frac{\partial \xi}{\partial y_k}` where y is the softmax of z.

A derivative is taken by a free variable.  So a defined symbol gets a twin: a given tensor that everything under the
derivative sign is written in, and of which a hypothesis says that its entries are those of the symbol.  What else the
equation says of the symbol, above all its own derivatives, keeps its meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from derivations.language.statement import Definition, Statement, Tensor, Theory
from derivations.language.substitution import subterms
from derivations.language.term import Derivative, Entry, Index, Lambda, Term, within

MARK = "#0"
"""Ends the names of twins; with the number after it, it is left out where terms are shown."""


def mapping(theory: Theory, name: str, number: int) -> dict[str, str]:
    """The twins of a defined symbol and of all that is defined through it, by name."""
    end = f"{MARK}{number}"
    above = [h for h in theory.definitions if h != name and MARK not in h]
    through = [h for h in above if theory.depends(Entry(h), frozenset((name,)))]
    return {h: h + end for h in (name, *through)}


def renamed(t: Term, names: Mapping[str, str]) -> Term:
    """A term with other heads."""
    if t.heads.isdisjoint(names):
        return t
    children = [renamed(c, names) for c in t.children]
    if isinstance(t, Entry):
        lambdas = [Lambda(old.params, body) for old, body in zip(t.args, children, strict=True)]
        return Entry(names.get(t.name, t.name), t.indices, lambdas, t.sizes)
    if isinstance(t, Derivative):
        return Derivative(names.get(t.name, t.name), t.at, children[0])
    return t.with_children(children) if children else t


def extended(theory: Theory, twins: Mapping[str, int]) -> Theory:
    """The theory with the twins of the given symbols and of what is defined through them."""
    tensors, definitions = dict(theory.tensors), dict(theory.definitions)
    for name, number in twins.items():
        shape = theory.shape(name)
        if shape is None or name not in theory.definitions:
            continue
        names = mapping(theory, name, number)
        tensors[names[name]] = Tensor(names[name], shape)
        for own, other in names.items():
            if own != name:
                definitions[other] = tuple(_renamed(d, other, names) for d in theory.definitions[own])
    return Theory(tensors, definitions)


def _renamed(d: Definition, name: str, names: Mapping[str, str]) -> Definition:
    return replace(d, name=name, body=renamed(d.body, names))


def known(s: Statement, theory: Theory) -> Statement:
    """The statement under the hypotheses that the twins which occur have the entries of their symbols."""
    twins = sorted(name for name in theory.tensors if MARK in name)
    if not twins:
        return s
    present = set(_heads(s, theory)) - {h.left.name for h in s.hypotheses if isinstance(h.left, Entry)}
    found = []
    for twin in twins:
        name = symbol_of(twin)
        shape = theory.shape(name)
        if twin in present and shape is not None:
            letters = [f"i{k}" for k in range(len(shape))]
            at = [Index.var(v) for v in letters]
            bounds = [c for v, size in zip(letters, shape, strict=True) for c in within(v, 0, size)]
            found.append(Statement(Entry(twin, at), "=", Entry(name, at), tuple(letters), tuple(bounds)))
    return replace(s, hypotheses=(*s.hypotheses, *found)) if found else s


def symbol_of(head: str) -> str:
    """The symbol that a twin is one of; another name is its own.

    >>> symbol_of("S#01"), symbol_of("S#2")
    ('S', 'S#2')
    """
    return head.split(MARK)[0]


def is_twin(condition: object) -> bool:
    """Whether something assumed only says that a twin has the entries of its symbol.

    >>> i = [Index.var("i")]
    >>> [is_twin(Statement(Entry("z#2#01", i), "=", Entry(name, i), ("i",))) for name in ("z#2", "y")]
    [True, False]
    """
    if not isinstance(condition, Statement) or condition.relation != "=":
        return False
    twin, own = condition.left, condition.right
    if not isinstance(twin, Entry) or not isinstance(own, Entry):
        return False
    return re.fullmatch(rf"{re.escape(own.name + MARK)}\d+", twin.name) is not None


def _heads(s: Statement, theory: Theory) -> Iterator[str]:
    """All names that a statement speaks of, through definitions too."""
    seen: set[str] = set()
    todo = [t for h in (s, *s.hypotheses) for t in (h.left, h.right)]
    while todo:
        t = todo.pop()
        yield from (d.name for d in subterms(t) if isinstance(d, Derivative))
        for head in t.heads - seen:
            seen.add(head)
            yield head
            todo += [d.body for d in theory.definitions.get(head, ())]
