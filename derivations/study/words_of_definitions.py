r"""What the words right before a definition call its left side: "the batch loss is the mean of the $\ell_i$", and then no 1/N.

A definition is true by itself; that its words say another thing is a contradiction all the same, and one that readers of
the formula alone cannot see.  Asked is only what the words call the name that is defined, in the clause that leads to it,
and only of a right side of the form that the words speak of: of a sum of things with weights nobody can tell by its form
whether it is their mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from derivations.documents.facts.sentence_patterns import DENIED_AFTER, DENIED_BEFORE
from derivations.documents.model.document import CLOSE, Document
from derivations.documents.model.finding import Finding
from derivations.language.statement import Definition, Statement, Theory
from derivations.language.substitution import subterms
from derivations.language.term import (
    HALF,
    ONE,
    Add,
    Apply,
    Constraint,
    Entry,
    Index,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    guard,
    within,
)
from derivations.provers.decide import Proved, Refuted
from derivations.study.equation_walk import Decide
from derivations.study.vacuity import emptied_by

_ENDS = re.compile(r"[;!?]|\.\s")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
"""The sign of an item of a list: what stands before it is of another item."""
_TOKEN = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*|[=,()]")
_HEDGED = re.compile(
    r"\b(?:not|no|instead|rather|unlike|without|up to|proportional|unnormali[sz]ed|times|multiple|numerator|weighted|moving|"
    r"running|exponential|geometric|harmonic|expected|zero|root|rms|relative|cross|conditional|joint|we mean|minus|"
    r"difference|per|gradient|derivative|logarithm of the (?:mean|average)|if|when|unless|estimate[sd]?|surrogate)\b",
    re.IGNORECASE,
)
"""Words beside which a noun may mean another thing."""
_AFTERWARDS = re.compile(
    r"^\W*(?:\w+\s+){0,3}?(?:divided|normali[sz]ed|scaled|multiplied|up to|weighted)\b", re.IGNORECASE
)
"""Words right behind a formula that go on with it."""
_ARTICLES = frozenset({"the", "a", "an", "its", "their", "our"})
_ADJECTIVES = frozenset(
    {"sample", "empirical", "batch", "arithmetic", "simple", "overall", "plain", "usual", "shannon"}
)
_LEADS = frozenset(
    {"then", "hence", "so", "here", "thus", "now", "also", "finally", "similarly", "therefore", "next", "and", "let"}
)
"""What may stand before a clause."""
_COPULAS = frozenset({"is", "are", "be", "=", "as", "called", "equals", "reads", "take", "takes", "computes", "define"})
"""What stands before, or behind, what something is called."""
_GOING_ON = frozenset(
    {"given", "by", "then", "now", "thus", "hence", "therefore", "defined", "computed", "as", "simply"}
)
"""What may stand between a copula and the formula."""
_PREPOSITIONS = frozenset({"of", "over", "across", "in", "for"})
_ENDING = frozenset(
    {
        "and",
        "or",
        "but",
        "while",
        "whereas",
        "with",
        "from",
        "by",
        "to",
        "than",
        "around",
        "about",
        "which",
        "whose",
        "where",
    }
    | {"we", "it", "into", "only", "added", "removed", "subtracted", "sum", "total", "variance", ",", "(", ")", "field"}
)
"""Words behind a noun with which the clause goes on to something else."""
MAX_WORDS, MAX_MODIFIERS = 14, 2
"""Longer clauses speak of more than of what stands behind them."""


@dataclass(frozen=True, slots=True)
class Meant:
    """What a right side may be if it is what the words call it, and whether it is wrong where it is none of these."""

    terms: tuple[Term, ...] = ()
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class Called:
    """A row: a noun for the left side, what the right side would be if it were so, and examples.

    `meant` gives nothing for right sides of a form that the noun does not speak of.  In `wrong` and `right` the definition
    behind the words is, or is not, another thing than they say.
    """

    noun: str
    words: tuple[tuple[str, ...], ...]
    """The spellings of the noun."""
    meant: Callable[[Term, frozenset[str]], Meant]
    wrong: str
    right: str


def _factors(t: Term) -> list[Term]:
    return [f for f in (t.args if isinstance(t, Mul) else (t,)) if f is not ONE]


def _mean(body: Term, members: frozenset[str]) -> Meant:
    """The mean of what a sum runs over, twice and half of it; nothing where the terms may have weights.

    What is divided by a length already may be meant so, though the sum is read as one over another number of terms.
    """
    factors = _factors(body)
    sums = [f for f in factors if isinstance(f, Sum)]
    if len(sums) != 1 or any(f.heads for f in factors if f is not sums[0]):
        return Meant()
    (total,) = sums
    moving = [f for f in _factors(total.body) if total.var in f.free]
    told = [f for f in moving if isinstance(f, Entry) and f.name in members]
    others = [f for f in moving if f not in told]
    if len(others) != 1 or isinstance(others[0], Sum | Add) or _is_inverse(others[0]):
        return Meant()
    count = Sum(total.var, total.guard, Mul(told) if len(told) > 1 else told[0] if told else ONE)
    mean = Mul((total, Pow(count, -1)))
    terms = (mean, *(Mul((Number(k), mean)) for k in (2, Fraction(1, 2))))
    return Meant(terms, is_sure=all(isinstance(f, Number | Sum) for f in factors))


def _is_inverse(t: Term) -> bool:
    return isinstance(t, Pow) and isinstance(t.exponent, Number) and t.exponent.value < 0


def _negative_log(body: Term, _members: frozenset[str]) -> Meant:
    """The same with the other sign, where the logarithm of a name, or a sum of such, has a positive factor."""
    factors = _factors(body)
    numbers = [f for f in factors if isinstance(f, Number)]
    logs = [f.body if isinstance(f, Sum) else f for f in factors if not isinstance(f, Number)]
    is_plain = len(logs) == 1 and isinstance(logs[0], Apply) and logs[0].function == "log"
    if not is_plain or not isinstance(logs[0].children[0], Entry) or any(n.value < 0 for n in numbers):
        return Meant()
    return Meant((Mul((Number(-1), body)),))


def _entropy(body: Term, _members: frozenset[str]) -> Meant:
    """The same with the other sign, where p log p is summed as it is."""
    if not isinstance(body, Sum) or not isinstance(body.body, Mul) or len(body.body.args) != 2:
        return Meant()
    logs = [f for f in body.body.args if isinstance(f, Apply) and f.function == "log"]
    is_of_one = len(logs) == 1 and logs[0].arg in body.body.args
    return Meant((Mul((Number(-1), body)),)) if is_of_one else Meant()


def _root(body: Term, _members: frozenset[str]) -> Meant:
    """The root of a mean of squares."""
    factors = _factors(body)
    sums = [f for f in factors if isinstance(f, Sum)]
    is_of_squares = len(sums) == 1 and isinstance(sums[0].body, Pow) and sums[0].body.exponent == Number(2)
    return Meant((Pow(body, HALF),)) if is_of_squares and len(factors) > 1 else Meant()


CALLED = (
    Called(
        "mean",
        (("mean",), ("average",)),
        _mean,
        r"The batch loss is the average of all losses: $L = \sum_{i=1}^N l_i$",
        r"The batch loss is the average of all losses: $L = \frac{1}{N} \sum_{i=1}^N l_i$",
    ),
    Called(
        "negative logarithm",
        (
            ("negative", "logarithm"),
            ("negative", "log"),
            ("negative", "log-likelihood"),
            ("negative", "log-probability"),
        ),
        _negative_log,
        r"The loss is the negative logarithm of the probability, $l_i = \log p_i$",
        r"The loss is the negative logarithm of the probability, $l_i = -\log p_i$",
    ),
    Called(
        "entropy",
        (("entropy",),),
        _entropy,
        r"The entropy of the weights is $H = \sum_{i=1}^n p_i \log p_i$",
        r"The entropy of the weights is $H = -\sum_{i=1}^n p_i \log p_i$",
    ),
    Called(
        "standard deviation",
        (("standard", "deviation"),),
        _root,
        r"The standard deviation is $s = \frac{1}{n} \sum_{i=1}^n (x_i - m)^2$",
        r"The standard deviation is $s = \sqrt{\frac{1}{n} \sum_{i=1}^n (x_i - m)^2}$",
    ),
)


def findings_of_words(document: Document, findings: Sequence[Finding], decide: Decide) -> Iterator[Finding]:
    """A finding for each definition whose words call it what its right side is, or is not."""
    for f in findings:
        if f.status != "defined" or f.definition is None or f.span < 0 or f.definition.name.endswith("^2"):
            continue  # the square of a name is called after the name
        context = document.context(document.spans[f.span])
        if (
            DENIED_BEFORE.search(context.before)
            or DENIED_AFTER.search(context.after)
            or _AFTERWARDS.search(context.after)
        ):
            continue
        words = _clause(context.before)
        rows = [row for row in CALLED if any(_is_called(words, noun) for noun in row.words)]
        if len(rows) == 1 and (found := _judged(f, f.definition, rows[0], decide)) is not None:
            yield found


def _clause(before: str) -> list[str]:
    """The words of the clause that leads to a formula; none where it goes on from another formula, or is hedged.

    >>> _clause("The logits come first. The loss is the *mean* of all losses: ")
    ['the', 'loss', 'is', 'the', 'mean', 'of', 'all', 'losses']
    """
    clause = _ENDS.split(before.strip().rstrip(":, "))[-1]
    _, formula, rest = clause.rpartition(CLOSE)
    if _HEDGED.search(rest) or (formula and _ITEM.match(rest) is None):
        return []
    words = _TOKEN.findall(rest.lower())
    return words if len(words) <= MAX_WORDS else []


def _is_called(words: Sequence[str], noun: tuple[str, ...]) -> bool:
    """Whether a clause calls what stands behind it so: "L is the mean of the losses:", "the mean loss is given by".

    >>> [_is_called(clause.split(), ("mean",)) for clause in ("the mean is", "deviations from the mean", "the mean is removed")]
    [True, False, False]
    """
    size = len(noun)
    places = [k for k in range(len(words) - size + 1) if tuple(words[k : k + size]) == noun]
    if len(places) != 1:
        return False
    return _leads_to_noun(words[: places[0]]) and _ends_in_formula(words[places[0] + size :])


def _leads_to_noun(words: Sequence[str]) -> bool:
    """Whether a noun behind these words is the subject of its clause, or what its subject is said to be."""
    rest = list(words)
    while rest and rest[-1] in _ADJECTIVES:
        rest.pop()
    if rest and rest[-1] in _ARTICLES:
        rest.pop()
    return all(w in _LEADS for w in rest) or rest[-1] in _COPULAS


def _ends_in_formula(words: Sequence[str]) -> bool:
    """Whether words behind a noun only say of what it is, and that the formula is it."""
    rest = list(words)
    while rest and rest[-1] in _GOING_ON:
        rest.pop()
    if rest and rest[-1] in _COPULAS:
        rest.pop()
    elif len(rest) < len(words):
        return False
    first = next((k for k, w in enumerate(rest) if w in _PREPOSITIONS), len(rest))
    return first <= MAX_MODIFIERS and _ENDING.isdisjoint(rest) and _COPULAS.isdisjoint(rest)


def _judged(f: Finding, d: Definition, row: Called, decide: Decide) -> Finding | None:
    """Whether the right side of a definition is what its words call it; None where its form does not tell."""
    members = frozenset(f"in_{n.arguments[0]}" for n in f.assumptions if n.kind == "members")
    meant = row.meant(d.body, members)
    if not meant.terms:
        return None
    theory = Theory({**f.theory.tensors, **{t.name: t for t in d.tensors}}, f.theory.definitions)
    given = tuple(_of_members(t, theory) for t in subterms(d.body) if isinstance(t, Entry) and t.name in members)
    free = tuple(sorted(d.body.free))
    inside = guard(*d.condition, *_ranges(d))
    statements = [Statement(d.body, "=", m, free, inside, hypotheses=given) for m in meant.terms]
    decided = [decide(s, theory) for s in statements]
    blank = Finding("prose", "skipped", f.place, f.end_line, f"the {row.noun}: ${f.source}$")
    blank = replace(
        blank,
        name=f.name,
        theory=theory,
        display=f.display,
        bases=f.bases,
        styles=f.styles,
        depends_on=(f.position,),
        assumptions=f.assumptions,
    )
    if isinstance(decided[0], Proved) and not emptied_by(decided[0]):
        return replace(blank, status="proved", statement=statements[0], decision=decided[0])
    if not meant.is_sure or not all(isinstance(one, Refuted) for one in decided):
        return None
    return replace(
        blank,
        status="refuted",
        statement=statements[0],
        decision=decided[0],
        code="false-claim",
        reason=f"the words before it call it the {row.noun}",
    )


def _ranges(d: Definition) -> Iterator[Constraint]:
    """The ranges of the indices that a definition is given for."""
    for index, length in zip(d.indices, d.shape or (), strict=False):  # a shape may be unknown
        if len(index.free) == 1 and index is Index.var(min(index.free)):
            yield from within(min(index.free), 0, length)


def _of_members(t: Entry, theory: Theory) -> Statement:
    """That weights are 0 or 1."""
    shape = theory.shape(t.name) or ()
    names = tuple(f"i{k}" for k in range(len(t.indices)))
    entry = Entry(t.name, tuple(map(Index.var, names)))
    ranges = guard(*(c for v, n in zip(names, shape, strict=bool(shape)) for c in within(v, 0, n)))
    return Statement(Mul((entry, entry)), "=", entry, names, ranges)
