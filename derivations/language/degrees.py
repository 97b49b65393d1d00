"""The degree of a term in the entries of some tensors: 0 where it does not depend on them, None where it is no polynomial."""

from __future__ import annotations

from derivations.language.statement import Theory
from derivations.language.term import Add, Bracket, Case, Entry, Expectation, IndexValue, Mul, Number, Pow, Sum, Term


def degree(t: Term, names: frozenset[str], theory: Theory, within: frozenset[str] = frozenset()) -> int | None:
    """The degree of a term in the entries of the tensors with these names, as far as it is written as a polynomial.

    A symbol that is defined by recursion counts as linear where each of its rules is, its own values among what it is linear
    in (`within`).

    >>> x, y = Entry("x"), Entry("y")
    >>> degree(x * y + x * x, frozenset({"x"}), Theory()), degree(x * y, frozenset({"x", "y"}), Theory())
    (2, 2)
    """
    if isinstance(t, (Number, IndexValue, Bracket, Expectation)):
        return 0
    if isinstance(t, Entry):
        if t.name in names and not t.args:
            return 1
        if t.name in within:
            return 1
        if not theory.depends(t, names):
            return 0
        rows = theory.definitions.get(t.name, ())
        if t.args or any(d.tensors for d in rows):
            return None
        if theory.recursive(t.name):
            below = _largest([degree(d.body, names, theory, within | {t.name}) for d in rows])
            return below if below is not None and below <= 1 else None
        return _largest([degree(d.body, names, theory, within) for d in rows])
    if not theory.depends(t, names) and t.heads.isdisjoint(within):
        return 0
    if isinstance(t, Mul):
        found = [degree(a, names, theory, within) for a in t.args]
        return None if None in found else sum(k for k in found if k is not None)
    if isinstance(t, Pow):
        base = degree(t.base, names, theory, within)
        power = t.exponent.value if isinstance(t.exponent, Number) else None
        whole = power is not None and power.q == 1 and power >= 0
        return base * int(power) if whole and base is not None else None  # type: ignore[arg-type]
    if isinstance(t, (Add, Sum, Case)):
        return _largest([degree(c, names, theory, within) for c in t.children])
    return None


def _largest(found: list[int | None]) -> int | None:
    return None if None in found else max((k for k in found if k is not None), default=0)
