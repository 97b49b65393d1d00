"""The normal form: polynomials over multi-index sums with connected bodies.

A normalised term is a polynomial (see `kernel.ring`) whose atoms are entries, functions of normalised terms, negative
powers, and sums.  A sum has one monomial as its body, brackets moved into its range, factors without its index
pulled out, dependent sums merged into one block of bound indices, the block in canonical order, the range without
redundant constraints.  Every change is one step of the kernel, so the result comes with its proof.

Ranges are simplified against the constraints of their own scope; results are remembered per scope only.
"""

from __future__ import annotations

from derivations.kernel import ring
from derivations.kernel.definition import instance
from derivations.kernel.finiteness import finite
from derivations.kernel.linear import consistent, entails_all
from derivations.kernel.proof import Chain
from derivations.kernel.scope import Obligation, Scope
from derivations.kernel.sign import integral, match_index, nonnegative, positive, unfold
from derivations.language.statement import Statement, Theory
from derivations.language.substitution import canonical, rename_apart, substitute, subterms
from derivations.language.term import (
    ZERO,
    Add,
    Apply,
    Bracket,
    Case,
    Choice,
    Derivative,
    Entry,
    Expectation,
    Guard,
    Index,
    IndexValue,
    Max,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    guard,
    guard_substitute,
)
from derivations.provers import choices, fractions, maxima, powers
from derivations.provers.angles import cosine_square
from derivations.provers.brackets import simplify_bracket, use_equations
from derivations.provers.branches_of_cases import as_brackets, chosen_branch, move_outwards, with_minus_infinity
from derivations.provers.cancelling import cancel
from derivations.provers.differentiation import normalise_derivative
from derivations.provers.elementary_functions import WrittenOut, normalise_function
from derivations.provers.expectations import normalise_expectation
from derivations.provers.integer_quotients import divided_exactly, simpler_indices
from derivations.provers.joining import join, shorten
from derivations.provers.monomials import factors as factors_of
from derivations.provers.monomials import is_root, whole_power
from derivations.provers.normal_means import mean_of_angle
from derivations.provers.polynomial_printer import Printer
from derivations.provers.running_products import log_of_running_product
from derivations.provers.square_roots import root_of_common_factor, root_of_factors, square_root, with_radicands
from derivations.provers.sums import normalise_sum
from derivations.provers.trace import Trace

Pending = tuple[frozenset[Term], frozenset[Term]]
Memo = dict[tuple[Term, tuple[str, ...], Guard, Pending], tuple[Term, Trace]]
_NOTHING: Pending = (frozenset(), frozenset())
MAX_UNROLLED = 12
"""How often a recursive definition is unfolded in what its unfolding gave."""


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


def worked_out(term: Term, theory: Theory, facts: Guard = ()) -> Term:
    """The normal form of a term, or the term itself where the counted work does not suffice for it."""
    try:
        return normalise(term, theory, facts)[0]
    except OutOfWork:
        return term


def matching(h: Statement, term: Entry | Derivative | Expectation, scope: Scope) -> dict[str, Index] | None:
    """The indices at which a hypothesis `entry = …` speaks of an entry, where its conditions are known to hold; or one about
    the derivative of an entry, or the mean of one, of its power or of a product of two, of such a derivative or mean."""
    own: Term = h.left
    other: Term = term
    places: list[tuple[Index, Index]] = []
    if isinstance(own, Derivative) and isinstance(other, Derivative):
        if own.name != other.name or len(own.at) != len(other.at):
            return None
        places += zip(own.at, other.at, strict=True)
        own, other = own.body, other.body
    elif isinstance(own, Expectation) and isinstance(other, Expectation):
        own, other = own.body, other.body
        if isinstance(own, Pow) and isinstance(other, Pow) and own.exponent is other.exponent:
            own, other = own.base, other.base
        elif isinstance(own, Mul) and isinstance(other, Mul) and len(own.args) == len(other.args) == 2:
            (first, own), (second, other) = own.args, other.args
            if not isinstance(first, Entry) or not isinstance(second, Entry) or first.name != second.name:
                return None
            if first.args or second.args or len(first.indices) != len(second.indices):
                return None
            places += zip(first.indices, second.indices, strict=True)
    if h.relation != "=" or not isinstance(own, Entry) or not isinstance(other, Entry):
        return None
    if own.name != other.name or own.args != other.args or len(own.indices) != len(other.indices):
        return None
    mapping: dict[str, Index] = {}
    pairs = (*places, *zip(own.indices, other.indices, strict=True))
    if not all(match_index(p, q, frozenset(h.indices), mapping) for p, q in pairs):
        return None
    if set(mapping) != set(h.indices) or not entails_all(scope.facts, guard_substitute(h.guard, mapping)):
        return None
    return mapping if substitute(h.left, mapping) is term else None


NODES = 32
"""Nodes of a term that are read for one unit of work."""


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
        self.met, self.written_out = WrittenOut(), WrittenOut()
        """Functions that were met and can be written by others, and those that are."""
        self.unrolling: dict[str, int] = {}
        """How deep the unfolding of each symbol is: cases in a recursive definition may allow one more each time."""
        self.assuming: set[Term] = set()
        """What is assumed not to be zero and is being normalised: it is not called upon for itself."""
        self.written_below: tuple[Term, ...] = ()
        """What stands below fractions in the statement, as it is written: it may be visibly not zero where its normal form
        is not, `(1 - x)^2` for x < 1."""
        self.active: set[Term] = set()
        """Blocks that are being normalised anew."""
        self.radicands: dict[Term, Term] = {}
        """Normal forms of what stands under a root, with a form before it whose sign is visible: a sum of squares."""
        self.rooting: set[Term] = set()
        """Radicands that are being normalised: they are not called upon for themselves."""
        self.symbolic_powers = powers.occur(theory)
        self.keys: dict[tuple[Term, tuple[str, ...]], str] = {}
        self.sizes: dict[Term, int] = {}
        self.texts: dict[tuple[Term, tuple[tuple[str, Index], ...]], str] = {}
        """Factors as texts, by what stands for the bound indices in them."""

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
            t = simpler_indices(t, scope, trace)
        if isinstance(t, IndexValue):
            whole = divided_exactly(t, scope, trace)
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
            chosen = chosen_branch(t, scope)
            if chosen is not None:
                branch = trace.step("if_pos", t, t.children[chosen], branch=chosen)
                return self.more(branch, scope, trace)
        if isinstance(t, Derivative):
            return normalise_derivative(self, t, scope, trace)
        if isinstance(t, Expectation) and (mean := mean_of_angle(self, t, scope, trace)) is not t:
            return self.more(mean, scope, trace)
        if isinstance(t, Pow) and isinstance(t.base, Pow):  # while the radicand is still seen or assumed to be positive
            if isinstance(t.base.base, Entry) or nonnegative(t.base.base, scope):
                simpler = square_root(self, t, scope, trace)
                if simpler is not t:
                    return self.more(simpler, scope, trace)
        if isinstance(t, Pow) and is_root(t) and isinstance(t.base, Mul):
            parted = root_of_factors(self, t, scope, trace)
            if parted is not t:
                return self.more(parted, scope, trace)
        if isinstance(t, Choice):
            return choices.normalise(self, t, scope, trace)
        if (found := choices.settled(self, t, scope)) is not None:
            return self.more(trace.step(found[0], t, found[1]), scope, trace)
        if isinstance(t, Max):
            return maxima.normalise(self, t, scope, trace)
        if (
            isinstance(t, Apply)
            and t.function == "log"
            and (logs := log_of_running_product(self, t, scope, trace)) is not t
        ):
            return self.more(logs, scope, trace)
        before, t = t, self.children(t, scope, trace)
        if isinstance(t, Pow) and isinstance(before, Pow) and is_root(t) and not nonnegative(t.base, scope):
            if t.base not in self.radicands and nonnegative(before.base, scope):
                self.radicands[t.base] = before.base
        if isinstance(t, Pow) and is_root(t) and isinstance(t.base, Add):
            parted = root_of_common_factor(self, t, scope, trace)
            if parted is not t:
                return self.more(parted, scope, trace)
        if isinstance(t, Expectation):
            return normalise_expectation(self, t, scope, trace)
        if isinstance(t, Sum):
            return normalise_sum(self, t, scope, trace)
        if isinstance(t, Apply):
            return normalise_function(self, t, scope, trace)
        if isinstance(t, Case):
            if finite(t, self.theory, scope.facts) and len(t.branches) == 1:
                return self.more(as_brackets(t, trace), scope, trace)
            return t, trace
        if isinstance(t, Pow) and not isinstance(t.exponent, Number) and integral(t.exponent) is None:
            if positive(t.base, scope):
                return self.more(fractions.exponential(t, trace), scope, trace)
        if isinstance(t, (Add, Mul, Pow)):
            lifted = move_outwards(self, t, scope, trace)
            if lifted is not t:
                return self.more(lifted, scope, trace)
            t = with_minus_infinity(self, t, scope, trace)
        if isinstance(t, (Add, Mul, Pow, IndexValue, Bracket)) and finite(t, self.theory, scope.facts):
            return self.polynomial(t, scope, trace)
        return t, trace

    def sum(self, t: Sum, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
        """Normalise a sum whose body is normalised."""
        return normalise_sum(self, t, scope, trace)

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

    def polynomial(self, t: Term, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
        for _ in range(50):
            t = trace.step("ring", t, self.expand(t, scope))
            changed = self.monomials(t, scope, trace)
            if (
                self.joins
                and changed is t
                and isinstance(t, Add)
                and any(isinstance(u, Sum) for a in t.args for u in factors_of(a))
            ):
                changed = join(self, t, scope, trace)
                if changed is t:
                    changed = shorten(self, t, scope, trace)
            if changed is t:
                return t, trace
            t = changed
        return t, trace

    def expand(self, t: Term, scope: Scope) -> Term:
        self.spend(1 + self.size(t) // NODES)
        p, originals = ring.named_polynomial(t, self.theory, scope.facts)
        self.spend(len(p) // 4)
        return self.printed(p, scope, originals)

    def size(self, t: Term) -> int:
        """How many nodes a term has when it is written out: sums below lines are read again each time that they stand there."""
        found = self.sizes.get(t)
        if found is None:
            found = self.sizes[t] = 1 + sum(map(self.size, t.children))
        return found

    def printed(self, p: ring.Polynomial, scope: Scope, originals: dict[Term, Term]) -> Term:
        """A polynomial as a term, in the order of normal forms."""
        return Printer(self, scope, originals).term(p)

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
                new = simplify_bracket(f, scope)
                if new is not f:
                    inner = Trace()
                    inner.step("bracket_congr", f, new)
                    if isinstance(m, Mul):
                        trace.below(k, inner)
                        return m.with_children([*factors[:k], new, *factors[k + 1 :]])
                    trace.then(inner)
                    return new
                if isinstance(m, Mul):
                    fixed = use_equations(self, f, m, k, scope, trace)
                    if fixed is not m:
                        return fixed
            if isinstance(f, Choice):
                simpler = choices.simplify(self, m, scope, trace)
                if simpler is not m:
                    return simpler
            if isinstance(f, Pow) and isinstance(f.base, Apply) and f.base.function == "cos":
                squared = cosine_square(m, f, k, trace)
                if squared is not m:
                    return squared
            if isinstance(f, Pow) and isinstance(f.base, Apply) and f.base.function == "abs" and whole_power(f):
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
            if self.symbolic_powers and isinstance(f, Pow) and isinstance(f.base, Mul):
                inner = Trace()
                new = powers.spread(f, scope, inner)
                if new is not f:
                    if not isinstance(m, Mul):
                        trace.then(inner)
                        return new
                    trace.below(k, inner)
                    return m.with_children([*factors[:k], new, *factors[k + 1 :]])
        if isinstance(m, Mul):
            joined = powers.combine(self, m, scope, trace) if self.symbolic_powers else m
            joined = with_radicands(self, m, scope, trace) if joined is m else joined
            return joined if joined is not m else cancel(self, m, scope, trace)
        return m

    def power(self, f: Pow, scope: Scope, trace: Trace) -> Term:
        """A power of a power or of a product, where one power or several are the same; else the same term."""
        if isinstance(f.base, Pow):
            taken = square_root(self, f, scope, trace)
            if taken is not f:
                return taken
        exponent = f.exponent.value  # type: ignore[attr-defined]
        if isinstance(f.base, Add) and (exponent < 0 or exponent.q != 1):
            taken = fractions.nested(self, f, scope, trace)
            if taken is not f:
                return taken
        return fractions.root(self, f, scope, trace) if exponent.q != 1 else f

    def key(self, t: Term, scope: Scope) -> str:
        """A text for sorting that does not depend on the names of bound indices."""
        bound = tuple(v for v in scope.variables if v in t.free)
        cached = (t, tuple(f"{v}%{scope.variables.index(v)}" for v in bound))
        found = self.keys.get(cached)
        if found is None:
            level = {v: Index.var(f"%{_in_order(scope.variables.index(v))}~") for v in bound}
            found = self.keys[cached] = str(canonical(substitute(canonical(t), level) if level else t))
        return found


def _in_order(number: int) -> str:
    """A number as a text, in the order of texts: the ninth of many indices stands before the tenth."""
    digits = str(number)
    return ":" * (len(digits) - 1) + digits
