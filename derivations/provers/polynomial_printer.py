"""Polynomials back to terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flint import fmpq

from derivations.kernel import ring
from derivations.kernel.scope import Scope
from derivations.language.term import ONE, ZERO, Apply, Bracket, Choice, Index, IndexValue, Mul, Number, Pow, Term
from derivations.provers.monomials import sum_of

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser


class Printer:
    """Polynomials back to terms, in an order that does not depend on bound names."""

    def __init__(self, normaliser: Normaliser, scope: Scope, originals: dict[Term, Term]) -> None:
        self.normaliser, self.scope, self.originals = normaliser, scope, originals
        self.atoms: dict[ring.Key, tuple[Term, fmpq, int]] = {}

    def term(self, p: ring.Polynomial) -> Term:
        self.normaliser.spend(len(p) // 4)  # roots and inverses of long sums are written out again and again
        printed = []
        for m, c in p.items():
            factors, extra = self.factors(m)
            key = "|".join(self.normaliser.key(f, self.scope) for f in factors) if len(p) > 1 else ""
            printed.append((key, self.monomial(factors, c * extra)))
        return sum_of([t for _, t in sorted(printed, key=lambda row: row[0])])

    def monomial(self, factors: list[Term], c: fmpq) -> Term:
        if c != 1 or not factors:
            factors = [Number(c), *factors]
        return factors[0] if len(factors) == 1 else Mul(factors)

    def factors(self, m: ring.Monomial) -> tuple[list[Term], fmpq]:
        """The factors in order, and a rational factor that re-scaling denominators gives."""
        number = fmpq(1)
        found: list[Term] = []
        for key, power in m[0]:
            base, extra, sign = self.atom(key)
            number *= extra ** int(power) if extra != 1 else 1
            exponent = power * sign
            found.append(base if exponent == 1 else Pow(base, Number(exponent)))
        if m[1]:
            found.append(Apply("exp", self.term(dict(m[1]))))  # type: ignore[arg-type]
        if len(found) > 1:
            found.sort(key=lambda f: self.normaliser.key(f, self.scope))
        if m[2]:
            found.insert(0, Bracket(m[2]))
        return found, number

    def atom(self, key: ring.Key) -> tuple[Term, fmpq, int]:
        """(term, rational factor, sign of the exponent) of an atom, written out once."""
        found = self.atoms.get(key)
        if found is None:
            found = self.atoms[key] = self._atom(key)
        return found

    def _atom(self, key: ring.Key) -> tuple[Term, fmpq, int]:
        kind = key[0]
        if kind == "size":
            return IndexValue(Index.size(str(key[1]))), fmpq(1), 1
        if kind == "prime":
            return Number(int(key[1])), fmpq(1), 1  # type: ignore[call-overload]
        if kind == "sign":
            return Choice(self.term(dict(key[1])), ONE, ZERO), fmpq(1), 1  # type: ignore[call-overload]
        if kind == "choice":
            return Choice(*(self.term(dict(p)) for p in key[1:])), fmpq(1), 1  # type: ignore[call-overload]
        if kind == "root":
            return Pow(self.term(dict(key[1])), Number(key[2])), fmpq(1), 1  # type: ignore[arg-type, call-overload]
        if kind == "inverse":
            inner: ring.Key = key[1]  # type: ignore[assignment]
            if inner[0] == "poly":
                p = dict(inner[1])  # type: ignore[call-overload]
                rows = [(self.normaliser.key(self.term({m: fmpq(1)}), self.scope), c) for m, c in p.items()]
                lead = min(rows)[1] if len({k for k, _ in rows}) == len(rows) else fmpq(1)
                return self.term(ring.scale(p, 1 / lead)), 1 / lead, -1
            base, extra, sign = self.atom(inner)
            return base, 1 / extra, -sign
        written: Term = key[1]  # type: ignore[assignment]
        return self.originals.get(written, written), fmpq(1), 1
