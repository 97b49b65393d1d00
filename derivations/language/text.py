"""The canonical text of a term: deterministic, for messages, sorting and certificates' readers.

One text for one term; precedence as usual, reciprocals as quotients, guards as ranges.  There are two spellings.  The
short one is for people who have the document before them.  The exact one (`write_statement`) also says the sizes that a
symbol is taken at, the length of a permuted axis, and which names are sizes: no other statement has the same exact text,
up to the names of bound indices and to the ways of writing one number (`2*n` is one text for the index and the product).
"""

from __future__ import annotations

from collections.abc import Iterable

from derivations.language.index import Atom, Constraint, Guard, write_guard, write_index, write_name
from derivations.language.statement import Definition, Statement
from derivations.language.substitution import bound_variables, fresh, rename_apart, substitute, term_sizes
from derivations.language.term import (
    HALF,
    MINUS_ONE,
    ONE,
    UNKNOWN,
    ZERO,
    Add,
    Apply,
    Bracket,
    Case,
    Choice,
    Derivative,
    Entry,
    Expectation,
    Index,
    IndexValue,
    Lambda,
    Max,
    Mul,
    NegInfinity,
    Number,
    Pow,
    Sum,
    Term,
    TermError,
    guard_free,
    guard_substitute,
    negative,
)


def write(t: Term) -> str:
    """The text of a term.

    >>> write(Number(1) / (1 + Number(2)))
    '1/(1 + 2)'
    """
    return _SHORT.term(t)


def write_statement(statement: Statement) -> str:
    """The exact text of a statement.

    >>> from derivations.language.term import sum_over
    >>> i, n = Index.var("i"), Index.size("n")
    >>> write_statement(Statement(sum_over("i", 0, n, Entry("x", (i,))), "=", Entry("0")))
    'sum(i: 0 <= i < n; x[i]) = "0"  for all sizes n'
    """
    sizes = frozenset().union(*map(_sizes_of, (statement, *statement.hypotheses)))
    apart = _apart(statement, sizes)
    names = frozenset().union(*map(_indices_of, (apart, *apart.hypotheses)))
    return _Exact(sizes | names).statement(apart) + _sizes_text(sizes)


def write_definition(d: Definition) -> str:
    """The exact text of a definition."""
    sizes = term_sizes(d.body) | _guard_sizes(d.condition) | frozenset().union(*(i.sizes for i in d.indices), d.sizes)
    there = _apart(Statement(d.body, ":=", d.body, d.variables, d.condition), sizes)
    renaming = {v: Index.var(w) for v, w in zip(d.variables, there.indices, strict=True)}
    exact = _Exact(sizes | _indices_of(there))
    left = exact.name(d.name, applied=bool(d.tensors or d.sizes))
    if d.tensors or d.sizes:
        given = ", ".join(exact.tensor(t.name, t.shape) for t in d.tensors)
        left += f"({given}{'; ' if d.sizes else ''}{', '.join(map(exact.name, d.sizes))})"
    if d.indices or d.tensors or d.sizes:
        left += exact.at([i.substitute(renaming) for i in d.indices])
    where = f"  where {exact.guard(there.guard)}" if there.guard else ""
    return f"{left} := {exact.term(there.left)}{where}" + _sizes_text(sizes - set(d.sizes))


def write_tensor(name: str, shape: Iterable[Index]) -> str:
    """The exact text of a tensor with its shape."""
    return _Exact(frozenset()).tensor(name, shape)


def write_condition(t: Term, comparison_: str, variables: tuple[str, ...], facts: Guard) -> str:
    """The exact text of `t comparison_` for all values of the variables that satisfy `facts`."""
    sizes = term_sizes(t) | _guard_sizes(facts)
    apart = _apart(Statement(t, comparison_, ZERO, variables, facts), sizes)
    exact = _Exact(sizes | _indices_of(apart))
    quantified = f"  for {', '.join(map(exact.name, apart.indices))}" if apart.indices else ""
    known = f"  where {exact.guard(apart.guard)}" if apart.guard else ""
    return f"{exact.term(apart.left)} {comparison_}{quantified}{known}" + _sizes_text(sizes)


def _sizes_text(sizes: Iterable[str]) -> str:
    names = ", ".join(write_name(s, exact=True) for s in sorted(sizes))
    return f"  for all sizes {names}" if names else ""


def _guard_sizes(conditions: Iterable[Constraint]) -> frozenset[str]:
    return frozenset().union(*(c.index.sizes for c in conditions))


def _sizes_of(s: Statement) -> frozenset[str]:
    return term_sizes(s.left) | term_sizes(s.right) | _guard_sizes(s.guard)


def _indices_of(s: Statement) -> frozenset[str]:
    bound = bound_variables(s.left) | bound_variables(s.right)
    return bound | s.left.free | s.right.free | guard_free(s.guard) | frozenset(s.indices)


def _apart(s: Statement, sizes: frozenset[str]) -> Statement:
    """The statement with no index named like a size."""
    if sizes.isdisjoint(_indices_of(s)):
        return Statement(s.left, s.relation, s.right, s.indices, s.guard, tuple(_apart(h, sizes) for h in s.hypotheses))
    left, right = (rename_apart(side, sizes) for side in (s.left, s.right))
    taken = sizes | _indices_of(s) | bound_variables(left) | bound_variables(right)
    names: dict[str, str] = {}
    for v in s.indices:
        names[v] = fresh(v, taken) if v in sizes else v
        taken |= {names[v]}
    renaming = {v: Index.var(w) for v, w in names.items() if v != w}
    return Statement(
        substitute(left, renaming),
        s.relation,
        substitute(right, renaming),
        tuple(names[v] for v in s.indices),
        guard_substitute(s.guard, renaming),
        tuple(_apart(h, sizes) for h in s.hypotheses),
    )


_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4


class _Short:
    """The spelling of messages."""

    def atom(self, a: Atom) -> str:
        return str(a)

    def name(self, name: str, *, applied: bool = False) -> str:
        return write_name(name, applied=applied)

    def index(self, i: Index) -> str:
        return str(i)

    def at(self, indices: Iterable[Index]) -> str:
        return f"[{', '.join(map(self.index, indices))}]"

    def guard(self, conditions: Guard, first: str | None = None) -> str:
        return write_guard(conditions, first)

    def entry(self, t: Entry) -> str:
        args = ", ".join(map(self.given, t.args))
        name = "inverse" if t.is_inverse else self.name(t.name.removeprefix(UNKNOWN), applied=bool(args))
        return name + (f"({args})" if args else "") + (self.at(t.indices) if t.indices else "")

    def given(self, a: Lambda) -> str:
        if isinstance(a.body, Entry) and not a.body.args and a.body.indices == tuple(Index.var(p) for p in a.params):
            return self.name(a.body.name)
        return f"({', '.join(map(self.name, a.params))}) -> {self.term(a.body)}" if a.params else self.term(a.body)

    def derivative(self, t: Derivative) -> str:
        return f"d/d{self.name(t.name)}" + (self.at(t.at) if t.at else "") + f"({self.term(t.body)})"

    def compared(self, t: Term) -> str:
        left, sign, right = comparison(t)
        return f"{self.term(left)} {sign} {self.term(right)}"

    def term(self, t: Term) -> str:
        return str(t) if t._text is not None else self._written(t)[0]

    def _write(self, t: Term, strength: int) -> str:
        text, own = self._written(t)
        return f"({text})" if own < strength else text

    def _written(self, t: Term) -> tuple[str, int]:
        if isinstance(t, Number):
            text = str(t.value)
            return text, _SUM if t.value < 0 else _PRODUCT if "/" in text else _ATOM
        if isinstance(t, IndexValue):
            atom = len(t.index.terms) + bool(t.index.const) == 1 and (t.index.is_constant or t.index.terms[0][1] == 1)
            if atom and t.index.terms and t.index.terms[0][0].kind == "product":
                return self.index(t.index), _PRODUCT
            return self.index(t.index), _ATOM if atom and t.index.const >= 0 else _SUM
        if isinstance(t, NegInfinity):
            return "-oo", _SUM
        if isinstance(t, Entry):
            return self.entry(t), _ATOM
        if isinstance(t, Add):
            parts = []
            for a in t.args:
                minus, body = _sign(a)
                parts.append((minus, self._write(body, _PRODUCT)))
            text = ("-" if parts[0][0] else "") + parts[0][1] if parts else "0"
            return text + "".join(f" {'-' if m else '+'} {p}" for m, p in parts[1:]), _SUM
        if isinstance(t, Mul):
            minus, body = _sign(t)
            if minus:
                return "-" + self._write(body, _PRODUCT), _SUM
            above = [a for a in t.args if not _is_reciprocal(a)]
            below = [a.base for a in t.args if isinstance(a, Pow) and _is_reciprocal(a)]
            text = "*".join(self._write(a, _POWER) for a in above) or "1"
            return text + "".join("/" + self._write(b, _POWER) for b in below), _PRODUCT
        if isinstance(t, Pow):
            if t.exponent is HALF:
                return f"sqrt({self.term(t.base)})", _ATOM
            if _is_reciprocal(t):
                return "1/" + self._write(t.base, _POWER), _PRODUCT
            return f"{self._write(t.base, _ATOM)}^{self._write(t.exponent, _ATOM)}", _POWER
        if isinstance(t, Apply):
            return f"{self.name(t.function, applied=True)}({self.term(t.arg)})", _ATOM
        if isinstance(t, Bracket):
            return f"[{self.guard(t.condition)}]", _ATOM
        if isinstance(t, Case):
            branches = "; ".join(f"{self.term(b)} if {self.guard(g)}" for g, b in t.branches)
            return f"cases({branches}; else {self.term(t.otherwise)})", _ATOM
        if isinstance(t, Choice):
            if t.above is ONE and t.otherwise is ZERO:
                return f"[{self.compared(t.test)}]", _ATOM
            return f"cases({self.term(t.above)} if {self.compared(t.test)}; else {self.term(t.otherwise)})", _ATOM
        if isinstance(t, (Sum, Max)):
            kind = "sum" if isinstance(t, Sum) else "max"
            return f"{kind}({self.name(t.var)}: {self.guard(t.guard, t.var)}; {self.term(t.body)})", _ATOM
        if isinstance(t, Expectation):
            return f"E({self.term(t.body)})", _ATOM
        if isinstance(t, Derivative):
            return self.derivative(t), _ATOM
        raise TermError(f"no text for {type(t).__name__}")


_SHORT = _Short()


class _Exact(_Short):
    """The spelling of certificates; numbers whose name is also in `taken` are written `x[]`."""

    def __init__(self, taken: frozenset[str]) -> None:
        self.taken = taken

    def atom(self, a: Atom) -> str:
        if a.kind == "product":
            return "*".join(map(self.index, a.args))
        if a.kind in ("perm", "inverse"):
            name = write_name(a.name, applied=True, exact=True) + ("^-1" if a.kind == "inverse" else "")
            return f"{name}({self.index(a.args[0])}; {self.index(a.args[1])})"
        if a.kind == "label":
            name = write_name(a.name, applied=True, exact=True)
            return f"{name}@({', '.join(map(self.index, a.args[:-1]))}; {self.index(a.args[-1])})"
        if a.kind == "quotient":
            return f"floor(({self.index(a.args[0])})/({self.index(a.args[1])}))"
        return write_name(a.name, exact=True)

    def name(self, name: str, *, applied: bool = False) -> str:
        return write_name(name, applied=applied, exact=True)

    def index(self, i: Index) -> str:
        return write_index(i, self.atom)

    def guard(self, conditions: Guard, first: str | None = None) -> str:
        return write_guard(conditions, first, self.atom)

    def term(self, t: Term) -> str:
        return self._written(t)[0]

    def tensor(self, name: str, shape: Iterable[Index]) -> str:
        sides = tuple(shape)
        return self.name(name) + (self.at(sides) if sides else "")

    def entry(self, t: Entry) -> str:
        if not t.args and not t.sizes:
            return self.name(t.name) + (self.at(t.indices) if t.indices or t.name in self.taken else "")
        name = "inverse" if t.is_inverse else self.name(t.name, applied=True)
        sizes = "; " + ", ".join(map(self.index, t.sizes)) if t.sizes else ""
        return f"{name}({', '.join(map(self.given, t.args))}{sizes})" + self.at(t.indices)

    def given(self, a: Lambda) -> str:
        whole = isinstance(a.body, Entry) and a.params and not a.body.args and not a.body.sizes
        if whole and isinstance(a.body, Entry) and a.body.indices == tuple(Index.var(p) for p in a.params):
            return f"{self.name(a.body.name)}[{', '.join(':' * len(a.params))}]"
        return f"({', '.join(map(self.name, a.params))}) -> {self.term(a.body)}"

    def derivative(self, t: Derivative) -> str:
        return f"d/d{self.name(t.name)}{self.at(t.at)}({self.term(t.body)})"

    def statement(self, s: Statement) -> str:
        text = f"{self.term(s.left)} {s.relation} {self.term(s.right)}"
        if s.indices:
            text += f"  for {', '.join(map(self.name, s.indices))}" + (
                f" with {self.guard(s.guard)}" if s.guard else ""
            )
        elif s.guard:
            text += f"  where {self.guard(s.guard)}"
        if s.hypotheses:
            text += f"  given {'; '.join(map(self.statement, s.hypotheses))}"
        return text


def comparison(t: Term) -> tuple[Term, str, Term]:
    """`t > 0` as people write it: `x < 0` for `-x > 0`, `a > b` for `a - b > 0`."""
    parts = t.args if isinstance(t, Add) else (t,)
    above = [p for p in parts if not _sign(p)[0]]
    below = [negative(p) for p in parts if _sign(p)[0]]
    if not below:
        return t, ">", ZERO
    right = below[0] if len(below) == 1 else Add(below)
    return (right, "<", ZERO) if not above else (above[0] if len(above) == 1 else Add(above), ">", right)


def _is_reciprocal(t: Term) -> bool:
    return isinstance(t, Pow) and t.exponent is MINUS_ONE


def _sign(t: Term) -> tuple[bool, Term]:
    """(written with a minus, what follows the minus)."""
    if isinstance(t, Number) and t.value < 0:
        return True, Number(-t.value)
    if isinstance(t, Mul) and t.args and isinstance(t.args[0], Number) and t.args[0].value < 0:
        rest = t.args[1:]
        if t.args[0].value != -1 or not rest:
            rest = (Number(-t.args[0].value), *rest)
        return True, rest[0] if len(rest) == 1 else Mul(rest)
    return False, t
