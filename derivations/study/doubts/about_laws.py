"""Doubts about the laws of random names: what the text may know of them that is not read."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import inf

from derivations.language.statement import Law, Statement, Theory
from derivations.language.substitution import subterms
from derivations.language.term import (
    ONE,
    UNKNOWN,
    ZERO,
    Add,
    Apply,
    Entry,
    Expectation,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
)
from derivations.latex.syntax.function_names import plain_stem
from derivations.latex.syntax.letters import FAMILY
from derivations.provers.decide import Refuted
from derivations.study.doubts.doubt import Doubt
from derivations.study.verdict import Case, Verdict, all_heads, heads_below


def with_another_law(case: Case, verdict: Verdict) -> tuple[str] | None:
    """The mean or the variance of a random name itself, where the text has stated another: for another case, perhaps."""
    for s in verdict.statements:
        for side, other in ((s.left, s.right), (s.right, s.left)):
            bodies = [t.body for t in subterms(side) if isinstance(t, Expectation)]
            names = {e.name for b in bodies for e in (b.base if isinstance(b, Pow) else b,) if isinstance(e, Entry)}
            plain = all(isinstance(b.base if isinstance(b, Pow) else b, Entry) for b in bodies)
            if bodies and plain and len(names) == 1 and names == side.heads and names <= case.theory.random:
                law = case.theory.tensors[min(names)].law
                is_stated = law is not None and (law.mean is not None or law.variance is not None)
                if is_stated and not case.theory.depends(other, case.theory.random):
                    return (min(names),)
    return None


ANOTHER_LAW = Doubt(
    name="another law",
    code="ambiguous",
    sentence="the text has stated another mean or variance of {}",
    test=with_another_law,
    needed=r"Let $X$ be a random variable. $$\operatorname{Var}(X) = s^2$$ With more of them $$\operatorname{Var}(X) = 2 s^2$$",
    silent=r"Let $X$ be a random variable. $$\operatorname{Var}(X) = s^2$$ So $$\operatorname{Var}(2 X) = 2 s^2$$",
)


def with_unstated_law(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A mean or a variance that is given a value, of names of which no law is stated, or not even that they are random."""
    theory = case.theory
    for s in verdict.statements:
        for side, other in ((s.left, s.right), (s.right, s.left)):
            if s.relation != "=" or any(isinstance(t, Expectation) for t in theory.reached(other)):
                continue
            means = [t for t in theory.reached(side) if isinstance(t, Expectation)]
            heads = {h for t in means for h in all_heads(Statement(t.body, "=", t.body), theory)}
            laws = {h: law for h in heads if h in theory.tensors and (law := theory.tensors[h].law) is not None}
            if heads and all(law.mean is None and law.variance is None for law in laws.values()):
                return (min(heads).split("#")[0],)
            powers: Counter[str] = Counter()
            for t in means:
                powers |= _powers(t.body, theory, MAX_UNFOLDED)
            spread = sorted(h for h, law in laws.items() if powers[h] > _powers_told(law))
            if spread:
                return (spread[0].split("#")[0],)
    return None


def _powers_told(law: Law) -> float:
    """Up to which power of a random name its law tells the means: all of them for a normal law."""
    return inf if law.normal and law.variance is not None else 1 if law.variance is None else SECOND_MOMENT


SECOND_MOMENT = 2
"""What a mean and a variance tell of: of no higher power, and of no other function."""
MAX_UNFOLDED = 8
"""Definitions below each other in which the powers of random names are counted."""


def _powers(t: Term, theory: Theory, depth: int) -> Counter[str]:
    """The highest powers of random names in a term."""
    if isinstance(t, Entry):
        if t.name in theory.random:
            return Counter((t.name,))
        found: Counter[str] = Counter()
        for d in theory.definitions.get(t.name, ()) if depth else ():
            found |= _powers(d.body, theory, depth - 1)
        for a in t.args:
            found |= _powers(a.body, theory, depth)
        return found
    parts = [_powers(c, theory, depth) for c in t.children]
    total: Counter[str] = Counter()
    for part in parts:
        total = total + part if isinstance(t, Mul) else total | part
    if isinstance(t, Mul | Add | Sum | Expectation):
        return total
    is_whole = (
        isinstance(t, Pow) and isinstance(t.exponent, Number) and t.exponent.value.q == 1 and t.exponent.value > 0
    )
    power = int(t.exponent.value.p) if is_whole else SECOND_MOMENT + 1  # type: ignore[attr-defined]
    return Counter({h: power * n for h, n in total.items()})


UNSTATED_LAW = Doubt(
    name="a law that is not stated",
    code="ambiguous",
    sentence="false for some law of {}, of which the text may know more",
    test=with_unstated_law,
    needed=r"For the sum $S = D_1 + D_2$ of two independent dice, $\mathbb{E}[S] = 7$.",
    silent=r"For the sum $S = D_1 + D_2$ of two independent dice, $\mathbb{E}[S] = 2 \mathbb{E}[D_1] + \mathbb{E}[D_2]$.",
)


def of_drawn_law(case: Case, verdict: Verdict) -> tuple[str] | None:
    r"""A mean under a law that is written out, or whose density the claim has, or beside another law: more than the
    names alone tell of it is known."""
    theory, table = case.theory, case.known.table
    terms = [t for s in verdict.statements for side in (s.left, s.right) for t in theory.reached(side)]
    drawn = [table.drawn[t.name] for t in terms if isinstance(t, Entry) and t.name in table.drawn]
    applied = {t.function for t in terms if isinstance(t, Apply)} | heads_below(case, verdict)
    functions = {plain_stem(name.removeprefix(UNKNOWN)).split("_")[0] for name in applied}
    if any(d.is_written or d.law.split("_")[0] in functions for d in drawn) or len({d.chance for d in drawn}) > 1:
        return (next((d.law for d in drawn if d.law), "the law"),)
    return None


DRAWN_LAW = Doubt(
    name="a law that is drawn from",
    code="ambiguous",
    sentence="false for some law in the place of {}, but the text may know more of it",
    test=of_drawn_law,
    needed=r"For a function $f$ $$\mathbb{E}_{x \sim p}[f(x)] = \mathbb{E}_{x \sim q}[f(x)] .$$",
    silent=r"For a function $f$ $$\mathbb{E}_{x \sim p}[3 f(x)] = 2 \mathbb{E}_{x \sim p}[f(x)] .$$",
)


def with_centred_names(case: Case, verdict: Verdict) -> tuple[str] | None:
    """Random names whose mean, or variance, nothing states: with mean 0, or variance 1 too, the claim is not false, and its
    sides are not 0."""
    s, theory = verdict.statement, verdict.theory or case.theory
    heads = heads_below(case, verdict)
    open_ones = [t for t in theory.tensors.values() if t.name in heads and t.law is not None and t.law.mean is None]
    if s is None or not open_ones:
        return None
    for variance in (None, ONE):
        laws = {t.name: Law(ZERO, t.law.variance or variance) for t in open_ones if t.law is not None}
        tensors = {n: replace(t, law=laws[n]) if n in laws else t for n, t in theory.tensors.items()}
        centred = Theory(tensors, theory.definitions)
        vanishes = not isinstance(case.known.decide(replace(s, right=ZERO), centred), Refuted)
        if not vanishes and not isinstance(case.known.decide(s, centred), Refuted):
            return (open_ones[0].name.split("#")[0],)
    return None


CENTRED = Doubt(
    name="names that may be centred",
    code="ambiguous",
    sentence="false for some law of {}, but not where it has the mean 0",
    test=with_centred_names,
    needed=r"Let $X$ be a random variable. $$\mathbb{E}[X^2] = \operatorname{Var}(X)$$",
    silent=r"Let $X$ be a random variable. $$\mathbb{E}[X^2] = 2 \operatorname{Var}(X)$$",
)


def with_copies(case: Case, verdict: Verdict) -> tuple[str] | None:
    r"""A random name beside a family with its letter, $X$ and $X_1, \dots, X_n$: they are copies of it, perhaps."""
    below = heads_below(case, verdict) & case.theory.random
    return next(((h,) for h in sorted(below) if h + FAMILY in below), None)


COPIES = Doubt(
    name="a family beside its letter",
    code="ambiguous",
    sentence="false for some laws, but the members of the family of {0} may be copies of {0}",
    test=with_copies,
    needed=r"Let $X$ be a random variable with mean $\mu = \mathbb{E}[X]$ and $X_1, \dots, X_n$ independent copies of $X$. "
    r"Let $$\bar X_n = \frac{1}{n} \sum_{i=1}^n X_i.$$ Then $$\mathbb{E}[\bar X_n] = \mu.$$",
    silent=r"Let $X$ be a random variable with mean $\mu = \mathbb{E}[X]$. Then $$\mathbb{E}[3 X] = 2 \mu.$$",
)
