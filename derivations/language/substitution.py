"""Substitution, names of bound variables, and equality up to them.

Substitution and alpha-equality live in this file (for integers: in `index.py`) and nowhere else.  Substitution refuses to
capture; `rename_apart` makes room first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from derivations.language.index import (
    Atom,
    Guard,
    Index,
    TermError,
    atoms,
    constraint,
    guard,
    guard_free,
    guard_substitute,
    with_labels,
)
from derivations.language.term import Binder, Bracket, Case, Derivative, Entry, IndexValue, Lambda, Term


class Capture(TermError):
    """A substitution would have captured a free index variable."""


def subterms(term: Term) -> Iterator[Term]:
    """All subterms, outermost first, repetitions once."""
    seen: set[Term] = set()
    stack = [term]
    while stack:
        top = stack.pop()
        if top not in seen:
            seen.add(top)
            yield top
            stack.extend(reversed(top.children))


def term_sizes(term: Term) -> frozenset[str]:
    """Names of the sizes that occur."""
    found: set[str] = set()
    for t in subterms(term):
        for index in own_indices(t):
            found |= index.sizes
    return frozenset(found)


def own_indices(t: Term) -> Iterator[Index]:
    """The indices that a node itself carries (not those of its subterms)."""
    if isinstance(t, IndexValue):
        yield t.index
    elif isinstance(t, Entry):
        yield from t.indices
        yield from t.sizes
    elif isinstance(t, Derivative):
        yield from t.at
    elif isinstance(t, Bracket):
        yield from (c.index for c in t.condition)
    elif isinstance(t, Case):
        yield from (c.index for g, _ in t.branches for c in g)
    elif isinstance(t, Binder):
        yield from (c.index for c in t.guard)


def bound_variables(term: Term) -> frozenset[str]:
    found: set[str] = set()
    for t in subterms(term):
        for k in range(len(t.children)):
            found.update(t.binding(k)[0])
    return frozenset(found)


def fresh(name: str, avoid: Iterable[str]) -> str:
    """`name`, or `name` with the smallest number that avoids `avoid`.

    >>> fresh("k", {"k", "k1"})
    'k2'
    """
    taken = avoid if isinstance(avoid, (set, frozenset)) else set(avoid)
    if name not in taken:
        return name
    stem = name.rstrip("0123456789") or name
    k = 1
    while f"{stem}{k}" in taken:
        k += 1
    return f"{stem}{k}"


def substitute(
    term: Term,
    indices: Mapping[str, Index] | None = None,
    sizes: Mapping[str, Index] | None = None,
    tensors: Mapping[str, Lambda] | None = None,
) -> Term:
    """Put indices for free index variables, sizes for sizes, and lambdas for tensors, all at once.

    Raises `Capture` when a binder would capture a variable of what is put in: rename the binder first.

    >>> from derivations.language.term import sum_over
    >>> k, i = Index.var("k"), Index.var("i")
    >>> substitute(sum_over("k", 0, 3, Entry("Q", (i, k))), {"i": k})
    Traceback (most recent call last):
    ...
    derivations.language.substitution.Capture: k := would be captured by sum over k
    """
    return _Substitution(dict(indices or {}), dict(sizes or {}), dict(tensors or {})).apply(term)


class _Substitution:
    def __init__(self, indices: dict[str, Index], sizes: dict[str, Index], tensors: dict[str, Lambda]) -> None:
        self.indices, self.sizes, self.tensors = indices, sizes, tensors
        self.incoming = frozenset().union(
            *(i.free for i in indices.values()), *(i.free for i in sizes.values()), *(t.free for t in tensors.values())
        )
        self.done: dict[Term, Term] = {}

    def untouched(self, t: Term) -> bool:
        return not self.sizes and self.indices.keys().isdisjoint(t.free) and self.tensors.keys().isdisjoint(t.heads)

    def index(self, i: Index) -> Index:
        return i.substitute(self.indices, self.sizes)

    def conditions(self, g: Guard) -> Guard:
        return guard_substitute(g, self.indices, self.sizes)

    def under(self, variables: tuple[str, ...], t: Term) -> _Substitution:
        if not self.incoming.isdisjoint(variables):
            here = _Substitution(
                {v: i for v, i in self.indices.items() if v in t.free and v not in variables},
                self.sizes,
                {n: x for n, x in self.tensors.items() if n in t.heads},
            )
            captured = here.incoming.intersection(variables)
            if captured:
                name = min(captured)
                raise Capture(
                    f"{name} := would be captured by {'sum' if len(variables) == 1 else 'a binder'} over {name}"
                )
            return here
        if not self.indices.keys().isdisjoint(variables):
            kept = {v: i for v, i in self.indices.items() if v not in variables}
            return _Substitution(kept, self.sizes, self.tensors)
        return self

    def apply(self, t: Term) -> Term:
        if self.untouched(t):
            return t
        found = self.done.get(t)
        if found is None:
            found = self.done[t] = self._apply(t)
        return found

    def _apply(self, t: Term) -> Term:
        if isinstance(t, IndexValue):
            return IndexValue(self.index(t.index))
        if isinstance(t, Entry):
            at = tuple(self.index(i) for i in t.indices)
            lambdas = tuple(Lambda(a.params, self.under(a.params, a.body).apply(a.body)) for a in t.args)
            put = self.tensors.get(t.name)
            if put is not None and not t.args:
                if len(put.params) != len(at):
                    raise TermError(f"{t.name} has {len(at)} indices here, but {len(put.params)} in what is put for it")
                binders = rename_apart(put.body, frozenset().union(*(i.free for i in at)) | frozenset(put.params))
                return substitute(binders, dict(zip(put.params, at, strict=True)))
            return Entry(t.name, at, lambdas, tuple(self.index(s) for s in t.sizes))
        if isinstance(t, Bracket):
            return Bracket(self.conditions(t.condition))
        if isinstance(t, Case):
            branches = tuple((self.conditions(g), self.apply(b)) for g, b in t.branches)
            return Case(branches, self.apply(t.otherwise))
        if isinstance(t, Binder):
            inner = self.under((t.var,), t)
            return type(t)(t.var, inner.conditions(t.guard), inner.apply(t.body))
        if isinstance(t, Derivative):
            if t.name in self.tensors:
                raise TermError(f"{t.name} is what a derivative is taken by; it cannot be replaced")
            return Derivative(t.name, tuple(self.index(i) for i in t.at), self.apply(t.body))
        return t.with_children([self.apply(c) for c in t.children])


def labels_of(term: Term) -> dict[str, Index]:
    """The labels that occur, each with the length of the axis that it lies on."""
    found: dict[str, Index] = {}
    for t in subterms(term):
        for index in own_indices(t):
            if not index.plain:
                found.update({a.name: a.args[-1] for a in atoms(index) if a.kind == "label"})
    return found


def change_labels(term: Term, change: Callable[[Atom], Index]) -> Term:
    """The term with each of its labels changed; what is put for one must have no variable that is bound around it."""
    if not labels_of(term):
        return term

    def new(i: Index) -> Index:
        return with_labels(i, change)

    def conditions(g: Guard) -> Guard:
        return guard(*(constraint(new(c.index), c.relation) for c in g))

    def apply(t: Term) -> Term:
        if isinstance(t, IndexValue):
            return IndexValue(new(t.index))
        if isinstance(t, Entry):
            lambdas = [Lambda(a.params, apply(a.body)) for a in t.args]
            return Entry(t.name, tuple(map(new, t.indices)), lambdas, tuple(map(new, t.sizes)))
        if isinstance(t, Bracket):
            return Bracket(conditions(t.condition))
        if isinstance(t, Case):
            return Case([(conditions(g), apply(b)) for g, b in t.branches], apply(t.otherwise))
        if isinstance(t, Binder):
            return type(t)(t.var, conditions(t.guard), apply(t.body))
        if isinstance(t, Derivative):
            return Derivative(t.name, tuple(map(new, t.at)), apply(t.body))
        return t.with_children([apply(c) for c in t.children]) if t.children else t

    return apply(term)


def rename_apart(term: Term, avoid: Iterable[str]) -> Term:
    """An alpha-equal term whose bound variables are distinct from `avoid`, from its free ones, and along every path."""
    return _rename_apart(term, frozenset(avoid) | term.free)


def _rename_apart(t: Term, avoid: frozenset[str]) -> Term:
    if isinstance(t, Binder):
        var, condition, body = t.var, t.guard, t.body
        if var in avoid:
            new = fresh(var, avoid | body.free | bound_variables(body) | guard_free(condition))
            renaming = {var: Index.var(new)}
            condition = guard_substitute(condition, renaming)
            body = substitute(body, renaming)
            var = new
        return type(t)(var, condition, _rename_apart(body, avoid | {var}))
    if isinstance(t, Entry) and t.args:
        lambdas = []
        for a in t.args:
            taken = avoid | a.body.free | bound_variables(a.body) | frozenset(a.params)
            params: list[str] = []
            renaming = {}
            for p in a.params:
                q = fresh(p, taken | set(params)) if p in avoid else p
                if q != p:
                    renaming[p] = Index.var(q)
                params.append(q)
            body = substitute(a.body, renaming) if renaming else a.body
            lambdas.append(Lambda(tuple(params), _rename_apart(body, avoid | set(params))))
        return Entry(t.name, t.indices, lambdas, t.sizes)
    children = t.children
    if not children:
        return t
    return t.with_children([_rename_apart(c, avoid) for c in children])


def canonical(term: Term) -> Term:
    """The alpha-canonical form: bound variables named by depth, so that alpha-equal terms are the same object."""
    found = term._canonical
    if found is None:
        found = term._canonical = _canonical(term, _first_level(term))
        found._canonical = found
    return found


def _first_level(t: Term) -> int:
    """The first level whose name, like those after it, is not that of a free variable."""
    taken = [v.removeprefix("%") for v in t.free if v.startswith("%")]
    # no term is so deep that a level has ten digits
    return max((int(v) + 1 for v in taken if v.isascii() and v.isdigit() and len(v) < 10), default=0)


def _canonical(t: Term, level: int) -> Term:
    if isinstance(t, Binder):
        name = f"%{level}"
        if t.var != name:
            renaming = {t.var: Index.var(name)}
            condition, body = guard_substitute(t.guard, renaming), _rename(t.body, {t.var: name})
        else:
            condition, body = t.guard, t.body
        return type(t)(name, condition, _canonical(body, level + 1))
    if isinstance(t, Entry) and t.args:
        lambdas = []
        for a in t.args:
            names = tuple(f"%{level + k}" for k in range(len(a.params)))
            body = _rename(a.body, dict(zip(a.params, names, strict=True)))  # all at once: they may change places
            lambdas.append(Lambda(names, _canonical(body, level + len(names))))
        return Entry(t.name, t.indices, lambdas, t.sizes)
    children = t.children
    if not children:
        return t
    return t.with_children([_canonical(c, level) for c in children])


def _rename(t: Term, names: Mapping[str, str]) -> Term:
    renaming = {old: Index.var(new) for old, new in names.items() if old != new and old in t.free}
    if not renaming:
        return t
    try:
        return substitute(t, renaming)
    except Capture:  # an inner binder already carries a level name; move it out of the way first
        return substitute(rename_apart(t, names.values()), renaming)


def alpha_equal(left: Term, right: Term) -> bool:
    """Equal up to the names of bound variables.

    >>> from derivations.language.term import sum_over
    >>> Q = lambda i: Entry("Q", (Index.var(i),))
    >>> alpha_equal(sum_over("j", 0, 3, Q("j")), sum_over("k", 0, 3, Q("k")))
    True
    """
    if left is right:
        return True
    if left.nodes != right.nodes or left.free != right.free or left.heads != right.heads:
        return False  # no renaming of bound variables changes these
    return canonical(left) is canonical(right)
