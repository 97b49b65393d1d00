"""The normal form: polynomials over multi-index sums with connected bodies.

A normalised term is a polynomial (see `kernel.ring`) whose atoms are entries, functions of normalised terms, negative
powers, and sums.  A sum has one monomial as its body, brackets moved into its range, factors without its index
pulled out, dependent sums merged into one block of bound indices, the block in canonical order, the range without
redundant constraints.  Every change is one step of the kernel, so the result comes with its proof.

Ranges are simplified against the constraints of their own scope; results are remembered per scope only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice, permutations
from math import comb
from typing import Any

from flint import fmpq

from derivations.kernel import ring
from derivations.kernel.definition import instance
from derivations.kernel.errors import Refused
from derivations.kernel.finiteness import finite
from derivations.kernel.linear import bounded, consistent, entails, entails_all, equal_indices, equivalent, project
from derivations.kernel.proof import Chain
from derivations.kernel.rules.derivatives import differentiate
from derivations.kernel.rules.expectation import random_names
from derivations.kernel.scope import Obligation, Scope
from derivations.kernel.sign import integral, match, match_index, nonnegative, nonzero, positive, unfold
from derivations.language.statement import Statement, Theory
from derivations.language.substitution import (
    Capture,
    alpha_equal,
    bound_variables,
    canonical,
    fresh,
    own_indices,
    rename_apart,
    substitute,
    subterms,
)
from derivations.language.term import (
    ONE,
    ZERO,
    Add,
    Apply,
    Atom,
    Bracket,
    Case,
    Choice,
    Constraint,
    Derivative,
    Entry,
    Expectation,
    Guard,
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
    at_least,
    atoms,
    equal,
    flattened,
    guard,
    guard_free,
    guard_substitute,
    less,
    permuted,
    product_of,
    quotient,
    within,
)
from derivations.provers import choices, fractions, maxima, powers
from derivations.provers.joining import join, shorten
from derivations.provers.trace import Trace, reverse

Pending = tuple[frozenset[Term], frozenset[Term]]
Memo = dict[tuple[Term, tuple[str, ...], Guard, Pending], tuple[Term, Trace]]
_NOTHING: Pending = (frozenset(), frozenset())

MAX_ORDERS = 24
"""Orders of a block of bound indices that are tried when their roles look alike."""

MAX_ANGLE = 4
"""Largest multiple of an angle that is expanded."""

MAX_UNROLLED = 12
"""How often a recursive definition is unfolded in what its unfolding gave."""
MAX_POWER = 8
"""Largest power of an index that is summed in closed form."""

MAX_WRITTEN_OUT = 6
"""Longest range of known length whose terms are written out."""


class OutOfWork(Exception):
    """The counted work is used up."""


def normalise(term: Term, theory: Theory, facts: Guard = (), variables: tuple[str, ...] = ()) -> tuple[Term, Chain]:
    """The normal form of a term under constraints on its free indices, and the steps that lead there.

    >>> j, n = Index.var("j"), Index.size("n")
    >>> a = Entry("a")
    >>> from derivations.language.term import sum_over
    >>> str(normalise(sum_over("j", 0, n, a * Entry("x", (j,))), Theory())[0])
    'a*sum(j: 0 <= j < n; x[j])'
    """
    scope = Scope(theory, variables or tuple(sorted(term.free)), facts)
    result, trace = Normaliser(theory).start(term, scope)
    return result, trace.chain()


def matching(h: Statement, term: Entry, scope: Scope) -> dict[str, Index] | None:
    """The indices at which a hypothesis `entry = …` speaks of an entry, where its conditions are known to hold."""
    if h.relation != "=" or not isinstance(h.left, Entry) or h.left.name != term.name or term.args:
        return None
    if len(h.left.indices) != len(term.indices):
        return None
    mapping: dict[str, Index] = {}
    pairs = zip(h.left.indices, term.indices, strict=True)
    if not all(match_index(p, q, frozenset(h.indices), mapping) for p, q in pairs):
        return None
    if set(mapping) != set(h.indices) or not entails_all(scope.facts, guard_substitute(h.guard, mapping)):
        return None
    return mapping if substitute(h.left, mapping) is term else None


class Normaliser:
    """One normalisation: counted work, results remembered per scope."""

    def __init__(
        self,
        theory: Theory,
        work: int = 200_000,
        unroll: bool = True,
        widths: frozenset[Index] = frozenset(),
        joins: bool = True,
        folded: frozenset[str] = frozenset(),
    ) -> None:
        self.theory = theory
        self.folded = folded
        """Names whose definitions are left alone."""
        self.joins = joins
        """Whether sums over adjacent ranges are joined."""
        self.widths = widths
        """Lengths of blocks into which axes are seen to be cut."""
        self.unroll = unroll
        """Whether recursive definitions are unfolded where their case is known."""
        self.work = work
        self.memo: Memo = {}
        self.memos: dict[tuple[tuple[Statement, ...], tuple[Obligation, ...]], Memo] = {}
        """What was normalised before, by the hypotheses that it was under, which say what stays folded, and by what was
        assumed, which says what has a sign."""
        self.under: tuple[tuple[Statement, ...], tuple[Obligation, ...]] | None = None
        self.choices = False
        """Whether case distinctions on values, also maxima of listed values and absolute values, are written with
        brackets."""
        self.unrolling: dict[str, int] = {}
        """How deep the unfolding of each symbol is: cases in a recursive definition may allow one more each time."""
        self.assuming: set[Term] = set()
        """What is assumed not to be zero and is being normalised: it is not called upon for itself."""
        self.active: set[Term] = set()
        """Blocks that are being normalised anew."""
        self.radicands: dict[Term, Term] = {}
        """Normal forms of what stands under a root, with a form before it whose sign is visible: a sum of squares."""
        self.rooting: set[Term] = set()
        """Radicands that are being normalised: they are not called upon for themselves."""
        self.symbolic_powers = powers.occur(theory)
        self.keys: dict[tuple[Term, tuple[str, ...]], str] = {}

    def without_joins(self) -> Normaliser:
        """A normaliser for the same definitions that leaves sums as they are cut."""
        return Normaliser(self.theory, self.work, self.unroll, self.widths, joins=False)

    def start(self, term: Term, scope: Scope) -> tuple[Term, Trace]:
        """Normalise a whole term: first its bound indices are made distinct."""
        trace = Trace()
        self.symbolic_powers = self.symbolic_powers or powers.occur_in(term)
        apart = trace.step("alpha", term, rename_apart(term, scope.variables))
        result, rest = self.norm(apart, scope)
        trace.then(rest)
        return result, trace

    def spend(self, amount: int = 1) -> None:
        self.work -= amount
        if self.work < 0:
            raise OutOfWork

    # --- traversal --------------------------------------------------------------------------------------------------

    def norm(self, t: Term, scope: Scope) -> tuple[Term, Trace]:
        if self.under is None or self.under[0] is not scope.hypotheses or self.under[1] is not scope.assumed:
            self.under = scope.hypotheses, scope.assumed
            self.memo = self.memos.setdefault(self.under, {})
        pending = (frozenset(self.assuming), frozenset(self.rooting)) if self.assuming or self.rooting else _NOTHING
        key = (t, scope.variables, scope.facts, pending)
        found = self.memo.get(key)
        if found is None:
            self.spend()
            found = self.memo[key] = self._norm(t, scope)
        return found

    def _norm(self, t: Term, scope: Scope) -> tuple[Term, Trace]:
        trace = Trace()
        if isinstance(t, (Entry, IndexValue)):
            t = self.simpler_indices(t, scope, trace)
        if isinstance(t, IndexValue):
            whole = self.divided(t, scope, trace)
            if whole is not None:
                return whole, trace
        if isinstance(t, Entry) and t.name in self.theory.definitions and t.name not in self.folded:
            body = unfold(t, scope) or self.unrolled(t, scope)
            if body is not None:
                body = trace.step("unfold", t, rename_apart(body, scope.variables))
                self.unrolling[t.name] = self.unrolling.get(t.name, 0) + 1
                try:
                    return self.more(body, scope, trace)
                finally:
                    self.unrolling[t.name] -= 1
        if isinstance(t, (Sum, Max)) and not consistent(guard(*scope.facts, *t.guard)):
            if isinstance(t, Sum) and finite(t, self.theory, scope.facts):
                return trace.step("sum_empty", t, ZERO), trace
            return t, trace
        if isinstance(t, Case):
            chosen = self.choose(t, scope)
            if chosen is not None:
                branch = trace.step("if_pos", t, t.children[chosen], branch=chosen)
                return self.more(branch, scope, trace)
        if isinstance(t, Derivative):
            return self.derivative(t, scope, trace)
        if isinstance(t, Pow) and isinstance(t.base, Pow):  # while the radicand is still seen or assumed to be positive
            if isinstance(t.base.base, Entry) or nonnegative(t.base.base, scope):
                simpler = self.square_root(t, scope, trace)
                if simpler is not t:
                    return self.more(simpler, scope, trace)
        if isinstance(t, Choice):
            return choices.normalise(self, t, scope, trace)
        if (found := choices.settled(self, t, scope)) is not None:
            return self.more(trace.step(found[0], t, found[1]), scope, trace)
        if isinstance(t, Max):
            return maxima.normalise(self, t, scope, trace)
        before, t = t, self.children(t, scope, trace)
        if isinstance(t, Pow) and isinstance(before, Pow) and _is_root(t) and not nonnegative(t.base, scope):
            if t.base not in self.radicands and nonnegative(before.base, scope):
                self.radicands[t.base] = before.base
        if isinstance(t, Expectation):
            return self.expectation(t, scope, trace)
        if isinstance(t, Sum):
            return self.sum(t, scope, trace)
        if isinstance(t, Apply):
            return self.function(t, scope, trace)
        if isinstance(t, Case):
            if finite(t, self.theory, scope.facts) and len(t.branches) == 1:
                return self.more(self._if_bracket(t, trace), scope, trace)
            return t, trace
        if isinstance(t, Pow) and not isinstance(t.exponent, Number) and integral(t.exponent) is None:
            if positive(t.base, scope):
                return self.more(fractions.exponential(t, trace), scope, trace)
        if isinstance(t, (Add, Mul, Pow)):
            lifted = self.lift(t, scope, trace)
            if lifted is not t:
                return self.more(lifted, scope, trace)
            t = self.infinite(t, scope, trace)
        if isinstance(t, (Add, Mul, Pow, IndexValue, Bracket)) and finite(t, self.theory, scope.facts):
            return self.polynomial(t, scope, trace)
        return t, trace

    def unrolled(self, t: Entry, scope: Scope) -> Term | None:
        """The right side of a recursive definition, where its case is known and no hypothesis speaks of this entry."""
        if (
            not self.unroll
            or self.unrolling.get(t.name, 0) >= MAX_UNROLLED
            or not self.theory.recursive(t.name)
            or any(u is t for h in scope.hypotheses for u in subterms(h.left))
        ):
            return None
        if any(matching(h, t, scope) is not None for h in scope.hypotheses):
            return None
        for d in self.theory.definitions[t.name]:
            found = instance(d, t, scope.variables, scope.facts)
            if found is not None and entails_all(scope.facts, found[1]):
                return found[0]
        return None

    def more(self, t: Term, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
        """Go on normalising what a step has produced."""
        result, rest = self.norm(t, scope)
        trace.then(rest)
        return result, trace

    def children(self, t: Term, scope: Scope, trace: Trace) -> Term:
        new = list(t.children)
        for k, child in enumerate(new):
            inner = scope.inside(t, k)
            new[k], below = self.norm(child, inner)
            trace.below(k, below)
        return t.with_children(new) if new else t

    def simpler_indices(self, t: Entry | IndexValue, scope: Scope, trace: Trace) -> Term:
        """Quotients whose value is known here replaced by it."""
        own = (t.index,) if isinstance(t, IndexValue) else (*t.indices, *t.sizes)
        if all(i.plain for i in own) or t.children:
            return t

        def simple(i: Index) -> Index:
            for a, c in i.terms:
                parts = [p.terms[0][0] for p in a.args] if a.kind == "product" else [a]
                if any(p.kind == "quotient" and entails_all(scope.facts, _inside(*p.args)) for p in parts):
                    i = i - c * Index(((a, 1),))
            return i

        if isinstance(t, IndexValue):
            return trace.step("index_congr", t, IndexValue(simple(t.index)))
        return trace.step("index_congr", t, Entry(t.name, map(simple, t.indices), (), map(simple, t.sizes)))

    def divided(self, t: IndexValue, scope: Scope, trace: Trace) -> Term | None:
        """floor(n/k) as n/k where k is known to divide n."""
        for a, _ in t.index.terms:
            if a.kind != "quotient" or not a.args[1].is_constant:
                continue
            above, k = a.args[0], a.args[1].const
            rest = k * t.index
            if equal_indices(scope.facts, above, k * Index(((a, 1),))):
                c = next(c for b, c in rest.terms if b is a)
                other = IndexValue(rest - c * Index(((a, 1),)) + (c // k) * above)
                product = trace.step("ring", t, Mul((Number(fmpq(1, k)), IndexValue(rest))))
                inner = Trace()
                inner.step("index_congr", IndexValue(rest), other)
                trace.below(1, inner)
                return Mul((product.children[0], other))
        return None

    # --- polynomials ------------------------------------------------------------------------------------------------

    def polynomial(self, t: Term, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
        for _ in range(50):
            t = trace.step("ring", t, self.expand(t, scope))
            changed = self.monomials(t, scope, trace)
            if (
                self.joins
                and changed is t
                and isinstance(t, Add)
                and any(isinstance(u, Sum) for a in t.args for u in _factors(a))
            ):
                changed = join(self, t, scope, trace)
                if changed is t:
                    changed = shorten(self, t, scope, trace)
            if changed is t:
                return t, trace
            t = changed
        return t, trace

    def expand(self, t: Term, scope: Scope) -> Term:
        p, originals = ring.named_polynomial(t, self.theory, scope.facts)
        self.spend(1 + len(p) // 4)
        return self.printed(p, scope, originals)

    def printed(self, p: ring.Polynomial, scope: Scope, originals: dict[Term, Term]) -> Term:
        """A polynomial as a term, in the order of normal forms."""
        return _Printer(self, scope, originals).term(p)

    def monomials(self, t: Term, scope: Scope, trace: Trace) -> Term:
        """Cancel and simplify brackets in each monomial; the same term when nothing applies."""
        if isinstance(t, Add):
            for k, m in enumerate(t.args):
                inner = Trace()
                new = self.monomial(m, scope, inner)
                if new is not m:
                    trace.below(k, inner)
                    t = t.with_children([*t.children[:k], new, *t.children[k + 1 :]])
            return t
        return self.monomial(t, scope, trace)

    def monomial(self, m: Term, scope: Scope, trace: Trace) -> Term:
        factors = m.args if isinstance(m, Mul) else (m,)
        for k, f in enumerate(factors):
            if isinstance(f, Bracket):
                new = self.bracket(f, scope)
                if new is not f:
                    inner = Trace()
                    inner.step("bracket_congr", f, new)
                    if isinstance(m, Mul):
                        trace.below(k, inner)
                        return m.with_children([*factors[:k], new, *factors[k + 1 :]])
                    trace.then(inner)
                    return new
                if isinstance(m, Mul):
                    fixed = self.fixed_by(f, m, k, scope, trace)
                    if fixed is not m:
                        return fixed
            if isinstance(f, Choice):
                simpler = choices.simplify(self, m, scope, trace)
                if simpler is not m:
                    return simpler
            if isinstance(f, Pow) and isinstance(f.base, Apply) and f.base.function == "cos":
                squared = self.cosine_square(m, f, k, trace)
                if squared is not m:
                    return squared
            if (
                isinstance(f, Pow)
                and isinstance(f.base, Apply)
                and f.base.function == "abs"
                and fractions.whole_power(f)
            ):
                return fractions.even_absolute(m, k, f, trace)
            if isinstance(f, Pow) and isinstance(f.exponent, Number) and isinstance(f.base, (Pow, Mul, Add)):
                inner = Trace()
                new = self.power(f, scope, inner)
                if new is not f:
                    if isinstance(m, Mul):
                        trace.below(k, inner)
                        return m.with_children([*factors[:k], new, *factors[k + 1 :]])
                    trace.then(inner)
                    return new
        if isinstance(m, Mul):
            joined = powers.combine(self, m, scope, trace) if self.symbolic_powers else m
            return joined if joined is not m else self.cancel(m, scope, trace)
        return m

    def cosine_square(self, m: Term, f: Pow, k: int, trace: Trace) -> Term:
        """cos(x)^2 in a monomial as 1 - sin(x)^2."""
        if not (isinstance(f.exponent, Number) and f.exponent.value.q == 1 and f.exponent.value >= 2):
            return m
        square = Pow(f.base, 2)
        rest = [t for j, t in enumerate(m.args if isinstance(m, Mul) else (m,)) if j != k]
        if f.exponent.value > 2:
            rest.append(f.base if f.exponent.value == 3 else Pow(f.base, Number(f.exponent.value - 2)))
        sines = Add((ONE, Mul((Number(-1), Pow(Apply("sin", f.base.arg), 2)))))  # type: ignore[attr-defined]
        if not rest:
            return trace.step("cos_sq", m, sines)
        shaped = trace.step("ring", m, Mul((square, *rest)))
        inner = Trace()
        inner.step("cos_sq", square, sines)
        trace.below(0, inner)
        return shaped.with_children([sines, *rest])

    def power(self, f: Pow, scope: Scope, trace: Trace) -> Term:
        """A power of a power or of a product, where one power or several are the same; else the same term."""
        if isinstance(f.base, Pow):
            taken = self.square_root(f, scope, trace)
            if taken is not f:
                return taken
        exponent = f.exponent.value  # type: ignore[attr-defined]
        if isinstance(f.base, Add) and (exponent < 0 or exponent.q != 1):
            taken = fractions.nested(self, f, scope, trace)
            if taken is not f:
                return taken
        return fractions.root(self, f, scope, trace) if exponent.q != 1 else f

    def square_root(self, f: Pow, scope: Scope, trace: Trace) -> Term:
        inner = f.base
        if (
            isinstance(inner, Pow)
            and isinstance(inner.exponent, Number)
            and isinstance(f.exponent, Number)
            and f.exponent.value.q == 1
            and inner.exponent.value.q != 1
        ):
            total = inner.exponent.value * f.exponent.value
            after = inner.base if total == 1 else Pow(inner.base, Number(total))
            if nonnegative(inner.base, scope):
                return trace.step("sq_sqrt", f, after)
            return self.assumed_root(f, inner, total, scope, trace)
        return f

    def assumed_root(self, f: Pow, inner: Pow, total: object, scope: Scope, trace: Trace) -> Term:
        """The same for a radicand whose sign is known before it is unfolded: from there, and back again."""
        found = self.unfolded_radicand(inner.base, scope)
        if found is None:
            return f
        start, normal, steps = found
        back, forth = Trace(), Trace()
        back.step("alpha", inner.base, normal)
        for step in reverse(steps.chain()):
            back.at(step)
        folded = Pow(Pow(start, inner.exponent), f.exponent)
        below = Trace()
        below.below(0, back)
        trace.below(0, below)
        after = trace.step("sq_sqrt", folded, start if total == 1 else Pow(start, Number(total)))  # type: ignore[arg-type]
        if total == 1:
            trace.then(steps)
            return normal
        forth.then(steps)
        trace.below(0, forth)
        return Pow(normal, after.exponent)  # type: ignore[attr-defined]

    def unfolded_radicand(self, radicand: Term, scope: Scope) -> tuple[Term, Term, Trace] | None:
        """A term without a negative value of which a radicand is the normal form, that form, and the steps to it."""
        for start in self.starts(radicand, scope):
            if start in self.rooting:
                continue
            self.rooting.add(start)
            try:
                normal, steps = self.norm(start, scope)
            finally:
                self.rooting.remove(start)
            if alpha_equal(normal, radicand):
                return start, normal, steps
        return None

    def starts(self, radicand: Term, scope: Scope) -> Iterator[Term]:
        """Terms without a negative value of which a radicand may be the normal form: assumed ones, and those seen before."""
        for o in scope.assumed:
            for subject in (o.subject, o.subject.base) if isinstance(o.subject, Pow) else (o.subject,):
                if subject is radicand or not set(o.variables) <= set(scope.variables):
                    continue
                start = rename_apart(subject, scope.variables)
                if entails_all(scope.facts, o.facts) and nonnegative(start, scope):
                    yield start
        for normal, start in list(self.radicands.items()):
            at: dict[str, Index] = {}
            if not match(canonical(normal), canonical(radicand), normal.free, at) or not start.free <= set(at):
                continue
            try:
                here = substitute(
                    rename_apart(start, {*scope.variables, *(v for i in at.values() for v in i.free)}), at
                )
            except Capture:
                continue
            if here.free <= set(scope.variables) and nonnegative(here, scope):
                yield here

    def bracket(self, b: Bracket, scope: Scope) -> Term:
        """The bracket with constraints that are known here left out; tight ones become equations."""
        if entails_all(scope.facts, b.condition):
            return ONE
        if not consistent(guard(*scope.facts, *b.condition)):
            return ZERO
        kept = list(b.condition)
        for c in b.condition:
            if len(kept) > 1 or entails(scope.facts, c):
                rest = [x for x in kept if x is not c]
                if entails(guard(*scope.facts, *rest), c):
                    kept = rest
        tight = []
        for c in kept:
            c = self.plainer(c)
            if c.relation == ">=" and c.free:
                opposite = equal(c.index, 0)
                if entails(guard(*scope.facts, *kept), opposite):
                    c = opposite
            tight.append(c)
        return Bracket(tight)

    def plainer(self, c: Constraint) -> Constraint:
        """An equation with permutations, solved for the position that needs the fewest of them: pi(i) = j as i = pi^-1(j)
        where that is shorter."""
        if c.relation != "==" or c.index.plain:
            return c
        choices = [c]
        for a, k in c.index.terms:
            if a.kind in ("perm", "inverse") and abs(k) == 1:
                value = (c.index - k * Index(((a, 1),))) * -k
                choices.append(equal(a.args[0], permuted(a.name, a.args[1], value, inverse=a.kind == "perm")))
        return min(choices, key=lambda e: (sum(1 for a in atoms(e.index) if a.args), "inverse" in str(e), str(e)))

    def fixed_by(self, b: Bracket, m: Mul, k: int, scope: Scope, trace: Trace) -> Term:
        """Use an equation in a bracket for the other factors."""
        for c in b.condition:
            if c.relation != "==":
                continue
            for v in sorted(c.free, key=lambda name: -self.level(name, scope)):
                q = c.index.coefficient(v)
                if abs(q) != 1:
                    continue
                value = (c.index - q * Index.var(v)) * -q
                if v in value.free:
                    continue
                if any(v in f.free for j, f in enumerate(m.args) if j != k):
                    new = [
                        f if j == k else substitute(rename_apart(f, {v, *value.free}), {v: value})
                        for j, f in enumerate(m.args)
                    ]
                    after = trace.step("ite_subst", m, Mul(new), factor=k, var=v, value=value)
                    again = list(after.children)
                    for j in range(len(again)):
                        if j != k:
                            again[j], below = self.norm(again[j], scope)
                            trace.below(j, below)
                    return Mul(again)
                break
        return m

    def cancel(self, m: Mul, scope: Scope, trace: Trace) -> Term:
        for below, f in enumerate(m.args):
            if not (isinstance(f, Pow) and isinstance(f.exponent, Number) and f.exponent.value < 0):
                continue
            if f.exponent.value.q != 1:
                continue
            for above, g in enumerate(m.args):
                base, p = _power(g)
                if above == below or p <= 0 or not alpha_equal(base, f.base):
                    continue
                because = self.nonzero_because(base, scope)
                args: dict[str, Any] = {"because": because} if because else {}
                if because is None:
                    found = self.nonzero_beside(base, scope)
                    if found is None:
                        continue
                    args = {"beside": found[0], "because": found[1]}
                rest = [t for k, t in enumerate(m.args) if k not in (above, below)]
                total = p + int(f.exponent.value.p)
                if total:
                    rest.append(base if total == 1 else Pow(base, total))
                after = ONE if not rest else rest[0] if len(rest) == 1 else Mul(rest)
                return trace.step("mul_inv_cancel", m, after, above=above, below=below, **args)
        return m

    def nonzero_because(self, t: Term, scope: Scope) -> Chain | None:
        """() when t != 0 is visible or assumed; steps to an assumed term; None when it is not known."""
        found = self.assumed_form(t, scope)
        return None if found is None else found[1]

    def assumed_form(self, t: Term, scope: Scope) -> tuple[Term, Chain] | None:
        """The form of t that is visibly non-zero or assumed to be, and the steps from t to it."""
        if nonzero(t, scope):
            return t, ()
        for o in scope.assumed:
            if o.kind in ("nonzero", "positive") and set(o.variables) <= set(scope.variables):
                if o.subject not in self.assuming and entails_all(scope.facts, o.facts):
                    start = rename_apart(o.subject, scope.variables)
                    normal, steps = self.assumed_normal(o.subject, start, scope)
                    if isinstance(normal, Pow) and _is_root(normal) and normal.exponent.value.p == 1:  # type: ignore[attr-defined]
                        start = Pow(start, Number(1 / normal.exponent.value))  # type: ignore[attr-defined]
                        normal, steps = self.assumed_normal(o.subject, start, scope)
                    if alpha_equal(normal, t):
                        back = reverse(steps.chain())
                        if normal is not t:
                            lead = Trace()
                            lead.step("alpha", t, normal)
                            back = (*lead.chain(), *back)
                        return start, back
                    lengths = self.cleared_lengths(t, normal, scope)
                    if lengths is not None:
                        lead, below = Trace(), Trace()
                        lead.step("ring", t, Mul((lengths, normal)))
                        for step in reverse(steps.chain()):
                            below.at(step)
                        lead.below(1, below)
                        return Mul((lengths, start)), lead.chain()
        return None

    def cleared_lengths(self, t: Term, normal: Term, scope: Scope) -> Term | None:
        """The product of lengths by which `normal` was multiplied to give `t`: n sum(x^2) - sum(x)^2 for a variance."""
        below = fractions.denominators(normal)
        if not isinstance(normal, Add) or not below or not all(isinstance(b, IndexValue) for b in below):
            return None
        lengths = product_of([b if p == 1 else Pow(b, p) for b, p in below.items()])
        return lengths if ring.same(Mul((lengths, normal)), t, scope.theory, scope.facts) else None

    def assumed_normal(self, subject: Term, start: Term, scope: Scope) -> tuple[Term, Trace]:
        """The normal form of what is assumed, which is not called upon for itself."""
        self.assuming.add(subject)
        try:
            return self.norm(start, scope)
        finally:
            self.assuming.remove(subject)

    def nonzero_beside(self, t: Term, scope: Scope) -> tuple[Term, Chain] | None:
        """(e, steps from t*e to a term that is assumed non-zero): then t != 0 too."""
        for o in scope.assumed:
            if o.kind not in ("nonzero", "positive") or not set(o.variables) <= set(scope.variables):
                continue
            if o.subject in self.assuming or not entails_all(scope.facts, o.facts):
                continue
            normal, steps = self.assumed_normal(o.subject, rename_apart(o.subject, scope.variables), scope)
            parts = list(normal.args) if isinstance(normal, Mul) else []
            place = next((k for k, p in enumerate(parts) if alpha_equal(p, t)), None)
            if place is None:
                continue
            beside = product_of([p for k, p in enumerate(parts) if k != place])
            lead = Trace()
            lead.step("ring", Mul((t, beside)), normal)
            return beside, (*lead.chain(), *reverse(steps.chain()))
        return None

    # --- derivatives and expectations -----------------------------------------------------------------------------

    def derivative(self, t: Derivative, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
        """Differentiate from the outside in, definitions unfolded where they depend on the variable."""
        body = t.body
        if isinstance(body, Entry) and body.name in self.theory.definitions:
            if self.theory.depends(body, frozenset((t.name,))):
                below = unfold(body, scope.inside(t, 0))
                if below is None:
                    return t, trace
                inner = Trace()
                new = inner.step("unfold", body, rename_apart(below, scope.variables))
                trace.below(0, inner)
                return self.more(t.with_children([new]), scope, trace)
        if isinstance(body, Derivative):  # a second derivative: the first one is taken first
            first, steps = self.norm(body, scope.inside(t, 0))
            if isinstance(first, Derivative):
                return t, trace
            trace.below(0, steps)
            return self.more(t.with_children([first]), scope, trace)
        found = choices.as_choice(body)
        if found is not None and finite(body, self.theory, scope.facts):
            inner = Trace()
            new = inner.step(found[0], body, found[1])
            trace.below(0, inner)
            return self.more(t.with_children([new]), scope, trace)
        try:
            after = differentiate(t, scope)
        except Refused:
            return t, trace
        return self.more(trace.step("deriv", t, after), scope, trace)

    def expectation(self, t: Expectation, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
        """Linearity, factors that are not random, independence, and the given moments."""
        body = t.body
        if not finite(body, self.theory, scope.facts):
            return t, trace
        if isinstance(body, (Add, Sum)):
            parts = [Expectation(b) for b in body.args] if isinstance(body, Add) else []
            after: Term = Add(parts) if isinstance(body, Add) else Sum(body.var, body.guard, Expectation(body.body))
            return self.more(trace.step("expect_add", t, after), scope, trace)
        factors = list(body.args) if isinstance(body, Mul) else [body]
        names = [random_names(f, scope) for f in factors]
        fixed_ = tuple(k for k, found in enumerate(names) if not found)
        if fixed_:
            rest = [f for k, f in enumerate(factors) if k not in fixed_]
            pulled = [factors[k] for k in fixed_]
            after = product_of([*pulled, *([Expectation(product_of(rest))] if rest else [])])
            return self.more(trace.step("expect_mul", t, after, factors=fixed_), scope, trace)
        place = next((k for k, f in enumerate(factors) if isinstance(_power(f)[0], Sum) and _power(f)[1] > 0), None)
        if place is not None:
            inner = Trace()
            new = self.push(body, place, scope, inner)
            trace.below(0, inner)
            return self.spread(Expectation(new), scope, trace)
        group = self.family(names)
        if len(group) < len(factors):
            one = [factors[k] for k in group]
            other = [f for k, f in enumerate(factors) if k not in group]
            after = Mul((Expectation(product_of(one)), Expectation(product_of(other))))
            return self.more(trace.step("expect_indep", t, after, factors=group), scope, trace)
        if isinstance(body, Pow) and body.exponent is Number(2):
            factors = [body.base, body.base]
        entry = factors[0]
        tensor = self.theory.tensors.get(entry.name) if isinstance(entry, Entry) else None
        if tensor is not None and tensor.law is not None and tensor.law.mean is not None and len(factors) <= 2:
            mean, variance = tensor.law.mean, tensor.law.variance
            if len(factors) == 1:
                return self.more(trace.step("expect_moment", t, mean), scope, trace)
            second = factors[1]
            if variance is not None and isinstance(second, Entry):
                pairs = zip(entry.indices, second.indices, strict=True)  # type: ignore[attr-defined]
                after = Add((Mul((Bracket(equal(i, j) for i, j in pairs), variance)), Pow(mean, 2)))
                return self.more(trace.step("expect_moment", t, after), scope, trace)
        return t, trace

    def spread(self, t: Expectation, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
        """The expectation of nested sums as sums of expectations (the body is not normalised again, which would pull
        factors out of it)."""
        body = t.body
        if not isinstance(body, Sum):
            return self.more(t, scope, trace)
        trace.step("expect_add", t, Sum(body.var, body.guard, Expectation(body.body)))
        inner = Trace()
        new, _ = self.spread(Expectation(body.body), scope.inside(body, 0), inner)
        trace.below(0, inner)
        return self.sum(Sum(body.var, body.guard, new), scope, trace)

    def family(self, names: list[frozenset[str]]) -> tuple[int, ...]:
        """The factors that share random tensors with the first, directly or through others."""
        reached, group = set(names[0]), {0}
        grown = True
        while grown:
            grown = False
            for k, found in enumerate(names):
                if k not in group and not reached.isdisjoint(found):
                    group.add(k)
                    reached |= found
                    grown = True
        return tuple(sorted(group))

    # --- functions, cases, minus infinity -----------------------------------------------------------------------------

    def function(self, t: Apply, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
        lifted = self.lift(t, scope, trace)
        if lifted is not t:
            return self.more(lifted, scope, trace)
        arg = t.arg
        if t.function == "exp":
            if isinstance(arg, NegInfinity):
                return trace.step("exp_bot", t, ZERO), trace
            if not finite(arg, self.theory, scope.facts):
                return t, trace
            if isinstance(arg, Apply) and arg.function == "log" and positive(arg.arg, scope):
                return trace.step("exp_log", t, arg.arg), trace
            powers_of = fractions.powers_of_logarithms(t, scope, trace)
            if powers_of is not t:
                return self.more(powers_of, scope, trace)
            return self.polynomial(t, scope, trace)
        if t.function == "log":
            if isinstance(arg, Apply) and arg.function == "exp":
                return self.more(trace.step("log_exp", t, arg.arg), scope, trace)
            if isinstance(arg, Mul) and all(positive(a, scope) for a in arg.args):
                return self.more(trace.step("log_mul", t, Add(Apply("log", a) for a in arg.args)), scope, trace)
            if isinstance(arg, Pow) and isinstance(arg.exponent, Number) and positive(arg.base, scope):
                multiple = Mul((arg.exponent, Apply("log", arg.base)))
                return self.more(trace.step("log_inv", t, multiple), scope, trace)
        if t.function in ("log", "abs"):
            rewrite = self.logarithm if t.function == "log" else partial(fractions.absolute, self)
            after = rewrite(t, scope, trace)
            if after is not t:
                return self.more(after, scope, trace)
        if t.function in ("sin", "cos") and finite(arg, self.theory, scope.facts):
            return self.angle(t, scope, trace)
        return t, trace

    def logarithm(self, t: Apply, scope: Scope, trace: Trace) -> Term:
        """log of a number, or of a sum that is a product of positive factors."""
        if isinstance(t.arg, Number) and t.arg.value > 0:
            return fractions.number_logarithm(t, t.arg.value, trace)
        if isinstance(t.arg, Add) and finite(t.arg, self.theory, scope.facts):
            return fractions.logarithm(self, t, scope, trace)
        return t

    def angle(self, t: Apply, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
        """Sines and cosines of single angles: sums and small multiples are expanded, signs taken out."""
        arg, sine = t.arg, t.function == "sin"
        if arg is ZERO:
            return trace.step("trig_zero", t, ZERO if sine else ONE), trace
        parts = list(arg.args) if isinstance(arg, (Add, Mul)) else [arg]
        lead = parts[0]
        if isinstance(arg, Add):
            return self.more(self.angle_sum(t, lead, _total(parts[1:]), trace), scope, trace)
        if isinstance(arg, (Mul, Number)) and isinstance(lead, Number):
            if lead.value < 0:
                positive_ = Number(-lead.value)
                angle = product_of([*([] if positive_ is ONE and len(parts) > 1 else [positive_]), *parts[1:]])
                after: Term = Apply(t.function, angle)
                after = Mul((Number(-1), after)) if sine else after
                return self.more(trace.step(f"{t.function}_neg", t, after, angle=angle), scope, trace)
            k = lead.value
            if k.q == 1 and 1 < k <= MAX_ANGLE and len(parts) > 1:
                once = product_of(parts[1:])
                rest = once if k == 2 else Mul((Number(k - 1), *parts[1:]))
                return self.more(self.angle_sum(t, once, rest, trace), scope, trace)
        return t, trace

    def angle_sum(self, t: Apply, first: Term, rest: Term, trace: Trace) -> Term:
        a, b = Apply("sin", first), Apply("cos", first)
        c, d = Apply("sin", rest), Apply("cos", rest)
        if t.function == "sin":
            after = Add((Mul((a, d)), Mul((b, c))))
        else:
            after = Add((Mul((b, d)), Mul((Number(-1), a, c))))
        return trace.step(f"{t.function}_add", t, after, first=first, rest=rest)

    def choose(self, t: Case, scope: Scope) -> int | None:
        for k, (condition, _) in enumerate(t.branches):
            if entails_all(scope.facts, condition):
                return k
            if consistent(guard(*scope.facts, *condition)):
                return None
        return len(t.branches)

    def _if_bracket(self, t: Case, trace: Trace) -> Term:
        (condition, value), other = t.branches[0], t.otherwise
        test = Bracket(condition)
        return trace.step("if_bracket", t, Add((Mul((test, value)), Mul((Add((ONE, Mul((Number(-1), test)))), other)))))

    def lift(self, t: Term, scope: Scope, trace: Trace) -> Term:
        """Move a case distinction that may be -oo outwards."""
        for k, child in enumerate(t.children):
            if isinstance(child, Choice) and not finite(child, self.theory, scope.facts):
                return trace.step("apply_choice", t, choices.around(t, k, child), child=k)
            if isinstance(child, Case) and not finite(child, self.theory, scope.facts):
                children = t.children

                def around(value: Term, k: int = k, children: tuple[Term, ...] = children) -> Term:
                    return t.with_children([*children[:k], value, *children[k + 1 :]])

                after = Case([(g, around(b)) for g, b in child.branches], around(child.otherwise))
                return trace.step("apply_ite", t, after, child=k)
        return t

    def infinite(self, t: Term, scope: Scope, trace: Trace) -> Term:
        if isinstance(t, (Add, Mul)) and any(isinstance(a, NegInfinity) for a in t.args):
            others = [a for a in t.args if not isinstance(a, NegInfinity)]
            if all(finite(a, self.theory, scope.facts) for a in others):
                if isinstance(t, Add):
                    return trace.step("bot_add", t, NegInfinity())
                if len(others) == len(t.args) - 1 and all(positive(a, scope) for a in others):
                    return trace.step("bot_mul", t, NegInfinity())
        return t

    # --- sums -------------------------------------------------------------------------------------------------------

    def sum(self, t: Sum, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
        """Normalise a sum whose body is normalised."""
        self.spend(2)
        if not finite(t, self.theory, scope.facts):
            return t, trace
        if t.body is ZERO:
            return trace.step("sum_zero", t, ZERO), trace
        if isinstance(t.body, Add):
            split = trace.step("sum_add_distrib", t, Add(Sum(t.var, t.guard, b) for b in t.body.args))
            new = list(split.children)
            for k, part in enumerate(new):
                inner = Trace()
                new[k], _ = self.sum(part, scope, inner)  # type: ignore[arg-type]
                trace.below(k, inner)
            return self.polynomial(Add(new), scope, trace)
        constants, own, condition = self.sort_factors(t, scope)
        rest = [*([Bracket(condition)] if condition else []), *own]
        shaped = product_of([*constants, *rest])
        if shaped is not t.body:
            inner = Trace()
            inner.step("ring", t.body, shaped)
            trace.below(0, inner)
        total: Term = Sum(t.var, t.guard, shaped)
        if constants:
            inner_sum = Sum(t.var, t.guard, product_of(rest))
            if len(constants) + len(rest) == 1 and not isinstance(shaped, Mul):
                shaped = Mul((shaped, ONE))  # a lone constant: c = c * 1, so that it can be pulled out
                again = Trace()
                again.step("ring", total.children[0], shaped)
                trace.below(0, again)
                total = Sum(t.var, t.guard, shaped)
                inner_sum = Sum(t.var, t.guard, ONE)
            pulled = Mul([*constants, inner_sum])
            trace.step("mul_sum", total, pulled, factors=tuple(range(len(constants))))
            inner = Trace()
            last, _ = self.core(inner_sum, bool(condition), scope, inner)
            trace.below(len(constants), inner)
            return self.polynomial(Mul([*constants, last]), scope, trace)
        return self.core(total, bool(condition), scope, trace)  # type: ignore[arg-type]

    def sort_factors(self, t: Sum, scope: Scope) -> tuple[list[Term], list[Term], Guard]:
        """Factors without the index, factors with it, and the constraints (with it) that move into the range."""
        constants: list[Term] = []
        own: list[Term] = []
        condition: list[Constraint] = []
        facts = guard(*scope.facts, *t.guard)
        for f in t.body.args if isinstance(t.body, Mul) else (t.body,):
            if t.var not in f.free:
                if f is not ONE:
                    constants.append(f)
            elif isinstance(f, Bracket):
                condition += [c for c in f.condition if t.var in c.free]
                outer = [c for c in f.condition if t.var not in c.free]
                if outer:
                    constants.append(Bracket(outer))
            elif (
                isinstance(f, Apply)
                and f.function == "exp"
                and isinstance(f.arg, Add)
                and finite(f.arg, self.theory, facts)
            ):
                with_: list[Term] = []
                without: list[Term] = []
                for a in f.arg.args:
                    (with_ if t.var in a.free else without).append(a)
                if without:
                    constants.append(Apply("exp", _total(without)))
                own.append(Apply("exp", _total(with_)))
            else:
                own.append(f)
        return constants, own, guard(*condition)

    def core(self, t: Sum, has_bracket: bool, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
        """A sum over factors that all depend on the index (a bracket first, when there is one)."""
        if has_bracket:
            parts = t.body.args if isinstance(t.body, Mul) else (t.body,)
            bracket: Bracket = parts[0]  # type: ignore[assignment]
            after = Sum(t.var, (*t.guard, *bracket.condition), product_of(list(parts[1:])))
            t = trace.step("sum_ite", t, after, factor=0)  # type: ignore[assignment]
            if not consistent(guard(*scope.facts, *t.guard)):
                return trace.step("sum_empty", t, ZERO), trace
        value = self.pinned(t, scope)
        if value is not None:
            there = {t.var: value}
            body = substitute(rename_apart(t.body, value.free), there)
            after_eq = Mul((Bracket(guard_substitute(t.guard, there)), body))
            return self.more(trace.step("sum_ite_eq", t, after_eq, value=value), scope, trace)
        moved = self.from_start(t, scope, trace) or self.shifted(t, scope, trace) or self.reindexed(t, scope, trace)
        if moved is not None:
            inner = Trace()
            body, rest = self.norm(moved.body, scope.inside(moved, 0))
            inner.then(rest)
            trace.below(0, inner)
            return self.sum(Sum(moved.var, moved.guard, body), scope, trace)
        halves = self.split_axis(t, scope, trace)
        if halves is not None:
            return self.redo(halves, scope, trace)
        outside = [c for c in t.guard if t.var not in c.free and not entails(scope.facts, c)]
        if outside:
            return self.pull_condition(t, guard(*outside), scope, trace)
        merged = self.merge(t, scope, trace)
        if merged is not None:
            return self.block(merged, scope, trace)
        minimal = self.minimal(t.var, t.guard, scope.facts)
        t = trace.step("sum_congr_range", t, Sum(t.var, minimal, t.body))  # type: ignore[assignment]
        if t.var not in t.body.free:
            return self.count(t, scope, trace)
        powers = self.powers(t, scope, trace)
        if powers is not None:
            return powers
        first = self.short(t, scope)
        if first is not None:
            on = at_least(first, Index.var(t.var))
            pieces = [Sum(t.var, (*t.guard, c), t.body) for c in (on, *on.negations())]
            split = trace.step("sum_split", t, Add(pieces), on=on)
            new = list(split.children)
            for k, piece in enumerate(pieces):
                inner = Trace()
                new[k], _ = self.core(piece, False, scope, inner)
                trace.below(k, inner)
            return self.polynomial(Add(new), scope, trace)
        return t, trace

    def short(self, t: Sum, scope: Scope) -> Index | None:
        """The first index of a range with a known small number of indices."""
        for low, high in self.intervals(t):
            length = high - low
            if length.is_constant and 1 < length.const <= MAX_WRITTEN_OUT:
                return low
        return None

    def intervals(self, t: Sum) -> list[tuple[Index, Index]]:
        """(low, high) with low <= index < high, when the range is one interval."""
        lows, highs = [], []
        for c in t.guard:
            k = c.index.coefficient(t.var)
            if not c.index.linear_in(t.var):
                return []
            if k == 1 and c.relation == ">=":
                lows.append(-(c.index - Index.var(t.var)))
            elif k == -1 and c.relation == ">=":
                highs.append(c.index + Index.var(t.var) + 1)
            elif k:
                return []
        return [(lows[0], highs[0])] if len(lows) == len(highs) == 1 else []

    def pull_condition(self, t: Sum, outside: Guard, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
        """Constraints of the range without the index become a bracket in front."""
        inside = tuple(c for c in t.guard if c not in outside)
        shaped = Sum(t.var, inside, Mul((Bracket(outside), t.body)))
        if not bounded(t.var, inside):
            return t, trace
        # sum_ite read backwards needs the product flat
        parts = t.body.args if isinstance(t.body, Mul) else (t.body,)
        shaped = Sum(t.var, inside, Mul((Bracket(outside), *parts)))
        trace.step("sum_ite", t, shaped, back=True, factor=0)
        rest = Sum(t.var, inside, t.body)
        trace.step("mul_sum", shaped, Mul((Bracket(outside), rest)), factors=(0,))
        inner = Trace()
        last, _ = self.core(rest, False, scope, inner)
        trace.below(1, inner)
        return self.polynomial(Mul((Bracket(outside), last)), scope, trace)

    def pinned(self, t: Sum, scope: Scope) -> Index | None:
        """The value that the range fixes the index to."""
        known = guard(*scope.facts, *t.guard)
        v = Index.var(t.var)
        for c in t.guard:
            k = c.index.coefficient(t.var)
            if abs(k) == 1:
                value = (c.index - k * v) * -k
                if t.var not in value.free and (c.relation == "==" or entails(known, equal(v, value))):
                    return value
            if c.relation == "==" and not c.index.plain:
                for a, k in c.index.terms:
                    if a.kind in ("perm", "inverse") and a.args[0] is v and abs(k) == 1:
                        image = (c.index - k * Index(((a, 1),))) * -k
                        value = permuted(a.name, a.args[1], image, inverse=a.kind == "perm")
                        if t.var not in value.free:
                            return value
        return None

    def from_start(self, t: Sum, scope: Scope, trace: Trace) -> Sum | None:
        """The sum over j' = j - h, where j starts from a length h such as d/2."""
        v = Index.var(t.var)
        lengths = [c for c in t.guard if c.index.coefficient(t.var) == 1 and (c.index - v).sizes]
        if not any(c.relation == ">=" and c.free == {t.var} for c in lengths) or t.var in bound_variables(t.body):
            return None
        range_ = self.minimal(t.var, t.guard, scope.facts)
        for low, high in self.intervals(Sum(t.var, range_, t.body)):
            if not low.sizes or low.free:
                continue
            plain = trace.step("sum_congr_range", t, Sum(t.var, range_, t.body))
            moved = {t.var: v + low}
            after = Sum(t.var, guard_substitute(range_, moved), substitute(t.body, moved))
            trace.step("sum_bij", plain, after, sign=1, shift=low)
            if high - low is not low and equal_indices(scope.facts, high - low, low):  # the other half
                return trace.step("sum_congr_range", after, Sum(t.var, within(t.var, 0, low), after.body))  # type: ignore[return-value]
            return after
        return None

    def shifted(self, t: Sum, scope: Scope, trace: Trace) -> Sum | None:
        """The sum over j' with j = j' - c or j = e - j', when that makes the first entry with j read f[j'], or f[w*j' + k]."""
        v = Index.var(t.var)
        uses: list[tuple[str, int, Index]] = []
        blocks: list[tuple[str, int, int]] = []
        for u in subterms(t.body):
            if isinstance(u, Entry):
                for place, i in enumerate(u.indices):
                    if t.var in i.free:
                        if not i.linear_in(t.var) or abs(i.coefficient(t.var)) != 1:
                            from_start = _blocks(i, t.var)
                            if from_start is None:
                                return None
                            blocks.append((u.name, place, from_start))
                        uses.append((u.name, place, i))
        if not uses:
            return None
        if blocks:
            shift = Index.of(-min(blocks)[2])
            if not shift.const or t.var in bound_variables(t.body):
                return None
            moved = {t.var: v + shift}
            after = Sum(t.var, guard_substitute(t.guard, moved), substitute(t.body, moved))
            trace.step("sum_bij", t, after, sign=1, shift=shift)
            return after
        signs = {i.coefficient(t.var) for _, _, i in uses}
        name, place = min((name, place) for name, place, i in uses if i.coefficient(t.var) == max(signs))
        rests = [i - i.coefficient(t.var) * v for n, p, i in uses if (n, p) == (name, place)]
        sign = max(signs)
        if any(not r.free <= set(scope.variables) for r in rests):
            return None
        rest = min(rests, key=str) if sign == -1 else min(rests, key=lambda r: (bool(r.terms), r.const))
        if sign == 1 and (rest.terms or not rest.const):
            return None
        shift = rest if sign == -1 else -rest
        moved = {t.var: sign * v + shift}
        if t.var in bound_variables(t.body) or shift.free & bound_variables(t.body):
            return None
        new = Sum(t.var, guard_substitute(t.guard, moved), substitute(t.body, moved))
        trace.step("sum_bij", t, new, sign=sign, shift=shift)
        return new

    def reindexed(self, t: Sum, scope: Scope, trace: Trace) -> Sum | None:
        """The sum over permuted positions, when that leaves fewer permutations in it."""
        v = Index.var(t.var)
        found: set[Atom] = set()
        for u in subterms(t):
            for i in own_indices(u):
                if not i.plain:
                    found |= {a for a in atoms(i) if a.kind in ("perm", "inverse") and a.args[0] is v}
        best: tuple[tuple[int, str], Sum, Atom] | None = None
        now = (_permutations(t), self.key(t, scope))
        for a in sorted(found):
            moved = {t.var: permuted(a.name, a.args[1], v, inverse=a.kind == "perm")}
            condition = guard_substitute(t.guard, moved)
            plain = guard(*(c for c in condition if c.index.linear_in(t.var)), *within(t.var, 0, a.args[1]))
            if not equivalent(scope.facts, condition, plain):
                continue
            new = Sum(t.var, plain, substitute(t.body, moved))
            rank = (_permutations(new), self.key(new, scope))
            if rank < (now if best is None else best[0]):
                best = rank, new, a
        if best is None:
            return None
        _, new, a = best
        trace.step("sum_perm", t, new, name=a.name, length=a.args[1], inverse=a.kind == "perm")
        return new

    def split_axis(self, t: Sum, scope: Scope, trace: Trace) -> Sum | None:
        """A sum over a flattened axis as a sum over its two parts."""
        on = tuple(c for c in t.guard if any(a.kind == "quotient" and t.var in a.free for a in atoms(c.index)))
        plain = guard(*(c for c in t.guard if c not in on))
        if on and bounded(t.var, plain):  # conditions on the head or the channel become a bracket first
            parts = t.body.args if isinstance(t.body, Mul) else (t.body,)
            inner = Trace()
            shown: Sum = inner.step("sum_ite", t, Sum(t.var, plain, Mul((Bracket(on), *parts))), back=True, factor=0)  # type: ignore[assignment]
            found = self.split_axis(shown, scope, inner)
            if found is not None:
                trace.then(inner)
            return found
        heads: Index | None
        for low, high in self.intervals(t):
            if low.terms or low.const or high.const or len(high.terms) != 1:
                continue
            width = self.width(t, high)
            if width is None:
                continue
            ((top, count),) = high.terms
            if width.is_constant:
                heads = Index(((top, count // width.const),)) if count % width.const == 0 else None
                if heads is None and equal_indices(scope.facts, high, quotient(high, width) * width):
                    heads = quotient(high, width)
            else:
                others = [a for a in top.args if a is not width] if top.kind == "product" else []
                heads = others[0] * count if len(others) == 1 and len(top.args) == 2 else None
            if heads is None:
                continue
            taken = {*scope.variables, *bound_variables(t), *t.free}
            a = fresh("h", taken)
            b = fresh("r", {*taken, a})
            place = Index.var(a) * width + Index.var(b)
            body = substitute(rename_apart(t.body, {a, b}), {t.var: place})
            new = Sum(a, within(a, 0, heads), Sum(b, within(b, 0, width), body))
            trace.step("sum_axis", t, new, heads=heads, width=width)
            return new
        return self.padded(t, scope, trace)

    def padded(self, t: Sum, scope: Scope, trace: Trace) -> Sum | None:
        """A sum over an axis that blocks cover, the last of which may reach beyond it: over all places of the blocks."""
        v = Index.var(t.var)
        for low, high in self.intervals(t):
            blocks = None if low.terms or low.const or len(high.terms) != 1 else self.covering(high, scope)
            if blocks is None:
                continue
            longer = Sum(t.var, (*t.guard, less(v, blocks)), t.body)
            inner = Trace()
            inner.step("sum_congr_range", t, longer)
            plain = guard(*within(t.var, 0, blocks))
            on = guard(*(c for c in longer.guard if c not in plain))
            parts = t.body.args if isinstance(t.body, Mul) else (t.body,)
            shown: Sum = inner.step(
                "sum_ite", longer, Sum(t.var, plain, Mul((Bracket(on), *parts))), back=True, factor=0
            )  # type: ignore[assignment]
            found = self.split_axis(shown, scope, inner)
            if found is not None:
                trace.then(inner)
            return found
        return None

    def covering(self, high: Index, scope: Scope) -> Index | None:
        """T*w for an axis of which it is known that T blocks of length w cover it."""
        for c in scope.facts:
            known = c.index + high if c.relation == ">=" else high
            if known is not high and len(known.terms) == 1 and not known.const:
                ((top, count),) = known.terms
                if top.kind == "product" and count == 1 and any(a in self.widths for a in top.args):
                    return known
        return None

    def width(self, t: Sum, high: Index) -> Index | None:
        """The length of the inner part of the axis, read off the definitions and indices under the sum."""
        top = high.terms[0][0]
        for u in subterms(t.body):
            for i in [c.index for c in u.condition] if isinstance(u, Bracket) else own_indices(u):
                for a in atoms(i):
                    if a.kind == "quotient" and t.var in a.args[0].free:
                        return a.args[1]
            if isinstance(u, Entry):
                for d in self.theory.definitions.get(u.name, ()):
                    for pattern, i in zip(d.indices, u.indices, strict=False):
                        if i is Index.var(t.var) and pattern.free:
                            if not pattern.plain:
                                sizes = dict(zip(d.sizes, u.sizes, strict=False))
                                return flattened(pattern)[2].substitute({}, sizes)
                            k = max((abs(c) for _, c in pattern.terms), default=1)
                            if k > 1:
                                return Index((), k)
        if top.kind == "product" and len(top.args) == 2 and high.terms[0][1] == 1:
            return max([a for a in top.args if a in self.widths] or top.args, key=str)
        known = [w for w in self.widths if w.is_constant and high.terms[0][1] % w.const == 0]
        return known[0] if len(known) == 1 else None

    def count(self, t: Sum, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
        """A sum of a constant over an interval."""
        for low, high in self.intervals(t):
            if entails(scope.facts, at_least(high, low)):
                length = IndexValue(high - low)
                after = Mul((length, t.body))
                trace.step("sum_const", t, after, low=low, high=high)
                inner = Trace()
                whole = self.divided(length, scope, inner)
                if whole is not None:
                    trace.below(0, inner)
                    after = Mul((whole, t.body))
                return self.polynomial(after, scope, trace)
        return t, trace

    def powers(self, t: Sum, scope: Scope, trace: Trace) -> tuple[Term, Trace] | None:
        """A sum of powers of its own index over an interval, by Faulhaber's formula."""
        body, p = _power(t.body)
        if not isinstance(body, IndexValue) or body.index is not Index.var(t.var) or not 0 < p <= MAX_POWER:
            return None
        for low, high in self.intervals(t):
            if entails(scope.facts, at_least(high, low)):
                total = Lambda((t.var,), faulhaber(IndexValue(body.index), p))
                ends = [substitute(total.body, {t.var: i}) for i in (high, low)]
                after = trace.step("telescope", t, ends[0] - ends[1], low=low, high=high, total=total)
                return self.polynomial(after, scope, trace)
        return None

    def minimal(self, var: str, conditions: Guard, facts: Guard) -> Guard:
        """The range without constraints that the others imply."""
        kept = list(conditions)
        for c in sorted(conditions, key=lambda c: (-len(c.index.terms), str(c))):
            rest = [x for x in kept if x is not c]
            if bounded(var, guard(*rest)) and entails(guard(*facts, *rest), c):
                kept = rest
        return guard(*kept)

    def merge(self, t: Sum, scope: Scope, trace: Trace) -> Sum | None:
        """Move the factors of the body into a dependent sum: sum(i, a * sum(j, b)) = sum(i, sum(j, a * b)).

        None when no factor is a sum.
        """
        factors = list(t.body.args) if isinstance(t.body, Mul) else [t.body]
        place = next((k for k, f in enumerate(factors) if isinstance(_power(f)[0], Sum) and _power(f)[1] > 0), None)
        if place is None:
            return None
        inner = Trace()
        inside = scope.inside(t, 0)
        body = self.push(t.body, place, inside, inner)
        trace.below(0, inner)
        return Sum(t.var, t.guard, body)

    def push(self, body: Term, place: int, scope: Scope, trace: Trace) -> Term:
        """`body` with its factor number `place` (a sum) around all the others, down to the innermost body."""
        self.spend(2)
        factors = list(body.args) if isinstance(body, Mul) else [body]
        base, p = _power(factors[place])
        rest = [f for k, f in enumerate(factors) if k != place]
        if p > 1:
            rest.append(base if p == 2 else Pow(base, p - 1))
        avoid = frozenset(scope.variables).union(*(f.free | bound_variables(f) for f in rest), frozenset())
        own: Sum = rename_apart(base, avoid)  # type: ignore[assignment]
        shaped = product_of([*rest, own])
        if shaped is not body:
            if alpha_equal(shaped, body):
                trace.step("alpha", body, shaped)
            else:
                trace.step("ring", body, shaped)
        if rest:
            parts = list(own.body.args) if isinstance(own.body, Mul) else [own.body]
            moved = Sum(own.var, own.guard, Mul([*rest, *parts]))
            trace.step("mul_sum", shaped, moved, back=True, factors=tuple(range(len(rest))))
            own = moved
        inner = Trace()
        inside = scope.inside(own, 0)
        parts = list(own.body.args) if isinstance(own.body, Mul) else [own.body]
        nested = next((k for k, f in enumerate(parts) if isinstance(_power(f)[0], Sum) and _power(f)[1] > 0), None)
        if nested is not None:
            new = self.push(own.body, nested, inside, inner)
        else:
            new, rest_trace = self.norm(own.body, inside)
            inner.then(rest_trace)
        trace.below(0, inner)
        return Sum(own.var, own.guard, new)

    # --- blocks of sums ---------------------------------------------------------------------------------------------

    def block(self, t: Sum, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
        """Nested sums over one monomial, put into canonical order."""
        binders: list[tuple[str, Guard]] = []
        body: Term = t
        while isinstance(body, Sum):
            binders.append((body.var, body.guard))
            body = body.body
        names = [v for v, _ in binders]
        pairs = guard(*(c for _, g in binders for c in g))
        # a body that became a sum of monomials, or lost a variable, is normalised anew from inside (once)
        stale = isinstance(body, Add) or body is ZERO or self.brackets(body)
        stale = stale or any(v not in body.free and not self.ranged(v, binders) for v in names)
        if stale and t not in self.active:
            self.active.add(t)
            try:
                return self.redo(t, scope, trace)
            finally:
                self.active.discard(t)
        best = self.best_order(names, pairs, body, scope)
        current: Term = t
        order = list(names)
        for position, v in enumerate(best):
            for k in range(order.index(v), position, -1):
                current = self.swap(current, k - 1, scope, trace)
                order[k - 1], order[k] = order[k], order[k - 1]
        return self.ranges(current, best, pairs, scope, trace), trace

    def ranged(self, var: str, binders: list[tuple[str, Guard]]) -> bool:
        """Whether the range of another index of the block depends on this one."""
        return any(v != var and var in guard_free(g) for v, g in binders)

    def brackets(self, body: Term) -> bool:
        parts = body.args if isinstance(body, Mul) else (body,)
        return any(isinstance(f, Bracket) for f in parts)

    def redo(self, t: Sum, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
        """Normalise nested sums again, innermost first."""
        inside = scope.inside(t, 0)
        inner = Trace()
        if isinstance(t.body, Sum):
            body, _ = self.redo(t.body, inside, inner)
        else:
            body, rest = self.norm(t.body, inside)
            inner.then(rest)
        trace.below(0, inner)
        return self.sum(Sum(t.var, t.guard, body), scope, trace)

    def best_order(self, names: list[str], pairs: Guard, body: Term, scope: Scope) -> list[str]:
        """The canonical order of the bound indices: by their role, then by trying."""
        role = {v: self.role(v, names, pairs, body) for v in names}
        ranked = sorted(names, key=lambda v: role[v])
        groups: list[list[str]] = []
        for v in ranked:
            if groups and role[groups[-1][0]] == role[v]:
                groups[-1].append(v)
            else:
                groups.append([v])
        orders: list[list[str]] = [[]]
        for g in groups:
            choices = list(islice(permutations(g), MAX_ORDERS)) if len(orders) * len(g) <= MAX_ORDERS else [tuple(g)]
            orders = [[*o, *c] for o in orders for c in choices][:MAX_ORDERS]
        if len(orders) == 1:
            return orders[0]
        self.spend(5 * len(orders))

        def picture(order: list[str]) -> str:
            level = {v: Index.var(f"%{k}") for k, v in enumerate(order)}
            factors = body.args if isinstance(body, Mul) else (body,)
            texts = sorted(str(canonical(substitute(rename_apart(f, ()), level))) for f in factors)
            return "|".join([*texts, *sorted(str(c) for c in guard_substitute(pairs, level))])

        return min(orders, key=picture)

    def role(self, v: str, names: list[str], pairs: Guard, body: Term) -> str:
        view = {w: Index.var("%self" if w == v else "%other") for w in names}
        factors = body.args if isinstance(body, Mul) else (body,)
        texts = sorted(str(canonical(substitute(rename_apart(f, ()), view))) for f in factors if v in f.free)
        return "|".join([*texts, *sorted(str(c.substitute(view)) for c in pairs if v in c.free)])

    def swap(self, t: Term, depth: int, scope: Scope, trace: Trace) -> Term:
        """Exchange the binders number `depth` and `depth + 1`."""
        if depth > 0:
            inner = Trace()
            new = self.swap(t.children[0], depth - 1, scope.inside(t, 0), inner)
            trace.below(0, inner)
            return t.with_children([new])
        outer: Sum = t  # type: ignore[assignment]
        below: Sum = outer.body  # type: ignore[assignment]
        pairs = guard(*outer.guard, *below.guard)
        first = [c for c in project(pairs, [outer.var]) if below.var in c.free]
        if not bounded(below.var, guard(*first)):
            return t
        first_guard = self.minimal(below.var, guard(*first), scope.facts)
        extra = [c for c in pairs if c not in first_guard and not entails(guard(*scope.facts, *first_guard), c)]
        second = guard(*(c for c in pairs if outer.var in c.free), *(c for c in extra if outer.var not in c.free))
        after = Sum(below.var, first_guard, Sum(outer.var, second, below.body))
        return trace.step("sum_comm", t, after)

    def ranges(self, t: Term, order: list[str], pairs: Guard, scope: Scope, trace: Trace) -> Term:
        """Minimal ranges from the outside in, then the body sorted under its final names."""
        if not isinstance(t, Sum) or not order:
            new, rest = self.norm(t, scope)
            trace.then(rest)
            return new
        own: Sum = trace.step("sum_congr_range", t, Sum(t.var, self.minimal(t.var, t.guard, scope.facts), t.body))  # type: ignore[assignment]
        inner = Trace()
        body = self.ranges(own.body, order[1:], pairs, scope.inside(own, 0), inner)
        trace.below(0, inner)
        return own.with_children([body])

    # --- ordering ---------------------------------------------------------------------------------------------------

    def level(self, name: str, scope: Scope) -> int:
        return scope.variables.index(name) if name in scope.variables else -1

    def key(self, t: Term, scope: Scope) -> str:
        """A text for sorting that does not depend on the names of bound indices."""
        bound = tuple(v for v in scope.variables if v in t.free)
        cached = (t, tuple(f"{v}%{scope.variables.index(v)}" for v in bound))
        found = self.keys.get(cached)
        if found is None:
            level = {v: Index.var(f"%{scope.variables.index(v)}~") for v in bound}
            found = self.keys[cached] = str(canonical(substitute(canonical(t), level) if level else t))
        return found


def faulhaber(j: Term, p: int) -> Term:
    """The polynomial F with F(j + 1) - F(j) = j^p and F(0) = 0.

    >>> from derivations.language.term import Entry
    >>> str(faulhaber(Entry("j"), 1))
    '(1/2)*j^2 - (1/2)*j'
    """
    # F = c_(p+1) j^(p+1) + ... + c_1 j; the coefficient of j^k in F(j + 1) - F(j) is sum over m > k of c_m (m choose k)
    c = {p + 1: fmpq(1, p + 1)}
    for k in range(p - 1, -1, -1):
        c[k + 1] = -sum((c[m] * comb(m, k) for m in range(k + 2, p + 2)), fmpq(0)) / (k + 1)
    return _total([product_of([Number(c[m]), Pow(j, m) if m > 1 else j]) for m in sorted(c, reverse=True) if c[m] != 0])


def _inside(value: Index, length: Index) -> Guard:
    """0 <= value < length: the quotient is 0."""
    return guard(at_least(value, 0), less(value, length))


def block_widths(terms: Iterable[Term]) -> frozenset[Index]:
    """The lengths w of the blocks in positions like `w*i + k` of entries."""
    found = set()
    for u in terms:
        for i in own_indices(u):
            apart = [a for a, c in i.terms if a.kind == "index" and c == 1]
            for a, c in i.terms if apart else ():
                if a.kind == "product" and c == 1:
                    sizes = [x for x in a.args if not x.free]
                    if len(sizes) == 1 and len(a.args) == 2:
                        found.add(sizes[0])
                elif a.kind == "index" and c > 1:
                    found.add(Index.of(c))
    return frozenset(found)


def _blocks(i: Index, var: str) -> int | None:
    """c of a position `w*(var + c) + rest` in blocks of length w; None when it is no such position."""
    k = i.coefficient(var)
    if k > 1 and i.linear_in(var):
        return i.const // k
    for a, c in i.terms:
        if a.kind == "product" and c == 1 and len(a.args) == 2 and Index.var(var) in a.args:
            (width,) = [x for x in a.args if x is not Index.var(var)] or [Index()]
            if len(width.terms) == 1 and not width.free and width.terms[0][1] == 1:
                return next((n for b, n in i.terms if b is width.terms[0][0]), 0)
    return None


def _factors(t: Term) -> tuple[Term, ...]:
    return t.args if isinstance(t, Mul) else (t,)


def _permutations(t: Term) -> int:
    """How often permutations occur in the indices of a term."""
    return sum(1 for u in subterms(t) for i in own_indices(u) if not i.plain for a in atoms(i) if a.name and a.args)


def _is_root(t: Pow) -> bool:
    return isinstance(t.exponent, Number) and t.exponent.value.q != 1


def _power(t: Term) -> tuple[Term, int]:
    if isinstance(t, Pow) and isinstance(t.exponent, Number) and t.exponent.value.q == 1:
        return t.base, int(t.exponent.value.p)
    return t, 1


def _total(terms: list[Term]) -> Term:
    return ZERO if not terms else terms[0] if len(terms) == 1 else Add(terms)


class _Printer:
    """Polynomials back to terms, in an order that does not depend on bound names."""

    def __init__(self, normaliser: Normaliser, scope: Scope, originals: dict[Term, Term]) -> None:
        self.normaliser, self.scope, self.originals = normaliser, scope, originals

    def term(self, p: ring.Polynomial) -> Term:
        printed = []
        for m, c in p.items():
            factors, extra = self.factors(m)
            key = "|".join(self.normaliser.key(f, self.scope) for f in factors) if len(p) > 1 else ""
            printed.append((key, self.monomial(factors, c * extra)))
        return _total([t for _, t in sorted(printed, key=lambda row: row[0])])

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
        """(term, rational factor, sign of the exponent) of an atom."""
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
