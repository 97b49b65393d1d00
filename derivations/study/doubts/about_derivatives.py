"""Doubts about derivatives: what else may be meant to be held fixed, or to be summed over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from derivations.kernel.linear import entails
from derivations.language.statement import Tensor, Theory
from derivations.language.substitution import fresh, labels_of, rename_apart, substitute, subterms
from derivations.language.term import (
    Derivative,
    Entry,
    Index,
    Mul,
    Term,
    guard,
    guard_substitute,
    label,
    less,
    sum_over,
)
from derivations.latex.lexicon.differentiated_symbols import MARK
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.lexicon.written_names import Written
from derivations.latex.syntax.surface import Adjacent, Chain, Fraction, Literal, Name, Node, walk
from derivations.provers.decide import Proved
from derivations.study.doubts.doubt import Doubt
from derivations.study.verdict import Case, Verdict


def with_gates_fixed(case: Case, verdict: Verdict) -> tuple[str] | None:
    r"""A derivative of a state, or by one, whose step goes through other names that depend on the state before.

    `\partial c_t / \partial c_{t-1} = f_t` of `c_t = f_t c_{t-1} + i_t` is said of the direct way alone, where the gates
    depend on the state before as well.
    """
    sides = (side for s in verdict.statements for side in (s.left, s.right))
    for t in (t for side in sides for t in case.theory.reached(side)):
        if isinstance(t, Derivative):
            heads = {h.split(MARK)[0] for h in (t.name, *t.body.heads)}
            if stems := [case.known.walk.stems.get(h, h) for h in sorted(heads & case.known.walk.written_out)]:
                return (stems[0],)
    return None


_STATE = (
    r"Let $x_t \in \mathbb{R}$ and $c_0 = 0$. $$f_t = u c_{t-1} + v x_t$$ $$c_t = f_t c_{t-1} + x_t$$ Then "
    r"$$\frac{\partial c_t}{\partial c_{t-1}} = f_t .$$"
)
GATES_FIXED = Doubt(
    name="a derivative with others held fixed",
    code="ambiguous",
    sentence="false as a total derivative, but what {} goes through besides may be held fixed",
    test=with_gates_fixed,
    needed=_STATE,
    silent=_STATE.replace("u c_{t-1} + v x_t", "v x_t").replace("= f_t .", "= f_t + v ."),
)


def with_names_held_fixed(case: Case, verdict: Verdict) -> tuple[str] | None:
    r"""A derivative of what is made of other names, in a document that differentiates by one of these as well.

    `\partial \hat x_i / \partial x_i = 1 / \sigma` of `\hat x_i = (x_i - \mu) / \sigma` is one of several ways that are added
    up later, where there is a `\partial \hat x_i / \partial \mu` too.
    """
    ways = _differentiated_by(case)
    for s in verdict.statements if ways else ():
        held: set[str] = set()
        rates = [t for side in (s.left, s.right) for t in subterms(side) if isinstance(t, Derivative)]
        for t in rates:
            made = (
                [d.body for d in case.theory.definitions.get(t.body.name, ())]
                if isinstance(t.body, Entry)
                else [t.body]
            )
            inside = {h for body in made for h in body.heads}
            held |= {h for h in (inside & ways) - {t.name} if case.theory.depends(Entry(h), frozenset((t.name,)))}
        fixed = _with_given(case.theory, held) if held else None
        if fixed is None or not all(fixed.depends(t.body, frozenset((t.name,))) for t in rates):
            continue
        if isinstance(case.known.decide(s, fixed), Proved):
            return (case.known.walk.stems.get(min(held), min(held)),)
    return None


def _differentiated_by(case: Case) -> set[str]:
    """The heads of the names that formulas of the document differentiate by."""
    chains = (i.reading.chain for items in case.known.formulas.values() for i in items)
    below = (n.below for chain in chains for n in walk(chain) if isinstance(n, Fraction))
    symbols = case.known.table.symbols
    return {symbols[w.stem].head for w in (_named(b, case) for b in below) if w is not None and w.stem in symbols}


def _with_given(theory: Theory, heads: set[str]) -> Theory | None:
    """The theory in which these names are given, whatever they are made of; None where a shape is not known."""
    rows = {h: theory.definitions[h] for h in heads if h in theory.definitions}
    shapes = {h: own[0].shape for h, own in rows.items() if not own[0].tensors}
    if not rows or len(shapes) < len(rows) or None in shapes.values():
        return None
    given = {h: Tensor(h, shape) for h, shape in shapes.items() if shape is not None}
    return Theory({**theory.tensors, **given}, {h: d for h, d in theory.definitions.items() if h not in rows})


_SCALED = (
    r"Let $x \in \mathbb{R}^n$. $$m = \frac{1}{n} \sum_{j=1}^n x_j$$ $$y_i = x_i^2 m$$ "
    r"The two parts are $$\frac{\partial y_i}{\partial m} = x_i^2$$ and "
)
NAMES_FIXED = Doubt(
    name="a derivative with a name held fixed",
    code="ambiguous",
    sentence="false as a total derivative, but true where {} is held fixed, by which the document differentiates too",
    test=with_names_held_fixed,
    needed=_SCALED + r"$$\frac{\partial y_i}{\partial x_i} = 2 x_i m .$$",
    silent=_SCALED + r"$$\frac{\partial y_i}{\partial x_i} = 3 x_i m .$$",
)


def without_its_argument(case: Case, verdict: Verdict) -> tuple[()] | None:
    r"""The gradient of a function that is written without its argument, `\nabla f = (2, 4)`, against numbers."""
    for one, other in ((case.left, case.right), (case.right, case.left)):
        items = one.items if isinstance(one, Adjacent) else ()
        is_gradient = len(items) == 2 and isinstance(items[0], Name) and items[0].base == "nabla"
        if is_gradient and not any(isinstance(n, Name) for n in walk(other)):
            return ()
    return None


_OF_SQUARES = "Let $f(x, y) = x^2 + y^2$. At $(1, 2)$ we have "
AT_A_POINT = Doubt(
    name="a gradient at a point",
    code="special-case",
    sentence="false in general, but it may be the gradient at a point",
    test=without_its_argument,
    needed=_OF_SQUARES + r"$$\nabla f = (2, 4).$$",
    silent=_OF_SQUARES + r"$$\nabla f = (2 x, y).$$",
)


def with_chain_along_one_entry(case: Case, verdict: Verdict) -> tuple[str] | None:
    r"""A chain rule through one entry of what comes between, `\partial L / \partial p_k \; \partial p_k / \partial f_k`.

    It is true with the sum over all entries, which many authors leave out.
    """
    for s in verdict.statements:
        ways = [(name, replace(s, right=t)) for name, t in _summed_over_entries(s.right, case)]
        ways += [(name, replace(s, left=t)) for name, t in _summed_over_entries(s.left, case)]
        for name, summed in ways:
            if isinstance(case.known.decide(summed, case.theory), Proved):
                return (name,)
    return None


def _named(part: Node, case: Case) -> Written | None:
    r"""The name in `\partial y_i`."""
    items = part.items if isinstance(part, Adjacent) else ()
    is_signed = len(items) == 2 and isinstance(items[0], Name) and items[0].base == "partial"
    return case.known.names.written(items[1]) if is_signed else None


def _summed_over_entries(side: Term, case: Case) -> Iterator[tuple[str, Term]]:
    """The product of two derivatives summed over an index of what is between them, with the name of that."""
    rates = [f for f in side.args if isinstance(f, Derivative)] if isinstance(side, Mul) else []
    for outer in rates:
        for inner in rates:
            between = inner.body
            if outer is inner or not isinstance(between, Entry) or between.indices != outer.at:
                continue
            if between.name.split("#")[0] != outer.name.split("#")[0]:
                continue
            shape = case.theory.shape(outer.name)
            for k, i in enumerate(outer.at):
                v = next(iter(i.free), "")
                if shape is None or i is not Index.var(v) or not isinstance(side, Mul):
                    continue
                j = fresh("r", side.free | set(case.theory.definitions))
                put = {v: Index.var(j)}
                at = tuple(x.substitute(put) if n == k else x for n, x in enumerate(outer.at))
                one = Derivative(outer.name, at, outer.body)
                other = Derivative(inner.name, inner.at, substitute(between, put))
                rest = [f for f in side.args if f is not outer and f is not inner]
                yield between.name.split("#")[0], Mul([*rest, sum_over(j, 0, shape[k], Mul((one, other)))])


_BETWEEN = (
    r"Let $f, c \in \mathbb{R}^n$. $$p_k = \frac{e^{f_k}}{\sum_{j=1}^n e^{f_j}}$$ "
    r"$$L = \sum_{k=1}^n c_k p_k$$ "
)
ALONG_ONE_ENTRY = Doubt(
    name="a chain rule along one entry",
    code="ambiguous",
    sentence="false as read, but true with a sum over the entries of {}, which may be meant",
    test=with_chain_along_one_entry,
    needed=_BETWEEN
    + r"Thus $$\frac{\partial L}{\partial f_k} = \frac{\partial L}{\partial p_k} \frac{\partial p_k}{\partial f_k} .$$",
    silent=_BETWEEN
    + r"Thus $$\frac{\partial L}{\partial f_k} = 2 \frac{\partial L}{\partial p_k} \frac{\partial p_k}{\partial f_k} .$$",
)


def with_index_of_label(case: Case, verdict: Verdict) -> tuple[str, str] | None:
    r"""A claim that is true where one of its indices is a label: `\partial L_i / \partial p_k = -1 / p_k` for the class k."""
    for s in verdict.statements:
        labels = {
            n: w for side in (s.left, s.right) for t in case.theory.reached(side) for n, w in labels_of(t).items()
        }
        for name, length in labels.items():
            for k in s.indices:
                if less(Index.var(k), length) not in s.guard:
                    continue
                for i in (i for i in s.indices if i != k):
                    put = {k: label(name, [Index.var(i)], length)}
                    left, right = (substitute(rename_apart(side, {i}), put) for side in (s.left, s.right))
                    others = tuple(v for v in s.indices if v != k)
                    ranges = guard(*(c for c in guard_substitute(s.guard, put) if not entails((), c)))
                    there = replace(s, left=left, right=right, indices=others, guard=ranges)
                    if isinstance(case.known.decide(there, case.theory), Proved):
                        return k, name
    return None


_CLASSES = (
    r"Let $f \in \mathbb{R}^{n \times K}$ and $y_i \in \{1, \dots, K\}$. $$p_{ik} = e^{f_{ik}}$$ "
    r"$$L_i = -\log p_{i, y_i}$$ "
)
INDEX_OF_LABEL = Doubt(
    name="the index of a label",
    code="ambiguous",
    sentence="false as read, but true where {} is the label {}, which may be meant",
    test=with_index_of_label,
    needed=_CLASSES + r"Thus $$\frac{\partial L_i}{\partial p_{ik}} = -\frac{1}{p_{ik}} .$$",
    silent=_CLASSES + r"Thus $$\frac{\partial L_i}{\partial p_{ik}} = \frac{1}{p_{ik}} .$$",
)


def with_entries_that_are_tied(case: Case, verdict: Verdict) -> tuple[str] | None:
    r"""A derivative by one entry of a name of which an equation makes one entry out of others.

    `\partial y / \partial v_1` with `v_4 = v_1 + v_2` is meant of the way through `v_4`, and `v_4` is not held fixed.
    """
    sides = (side for s in verdict.statements for side in (s.left, s.right))
    by = {t.name for side in sides for t in case.theory.reached(side) if isinstance(t, Derivative)}
    if not by:
        return None
    tied = {
        stem for items in case.known.formulas.values() for i in items for stem in _names_tied(i.reading.chain, case)
    }
    symbols = case.known.table.symbols
    return next(((stem,) for stem in sorted(tied) if stem in symbols and symbols[stem].head in by), None)


def _names_tied(chain: Chain, case: Case) -> Iterator[str]:
    """The name of whose entries an equation makes one at a written place out of one at another."""
    names = case.known.names
    made = names.written(chain.first) if chain.first is not None and len(chain.links) == 1 else None
    if made is not None and chain.links[0][0] == "=" and (at := _written_place(made)):
        others = (w for w in uses(names, chain.links[0][1]) if w.stem == made.stem)
        if any((place := _written_place(w)) and place != at for w in others):
            yield made.stem


def _written_place(w: Written) -> tuple[str, ...]:
    """The numbers in the index slots of a name; none where one of them is something else."""
    nodes = [s.node for s in w.slots]
    return tuple(n.text for n in nodes if isinstance(n, Literal)) if all(isinstance(n, Literal) for n in nodes) else ()


_GRAPH = (
    r"Let $v \in \mathbb{R}^5$ and suppose $v_4 = v_1 + v_2$. Let $$y = v_4 v_3 .$$ Then "
    r"$$\frac{\partial y}{\partial v_1} = v_3 .$$"
)
TIED_ENTRIES = Doubt(
    name="a derivative by an entry that others are made of",
    code="ambiguous",
    sentence="false where all entries of {} but one are held fixed, but some of them are made of others",
    test=with_entries_that_are_tied,
    needed=_GRAPH,
    silent=_GRAPH.replace(" and suppose $v_4 = v_1 + v_2$", ""),
)
