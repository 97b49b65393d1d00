"""Doubts about what a relation is for: it may be a condition on what is given, name a case, or follow from one."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import permutations

from derivations.documents.facts.role_words import Part
from derivations.language.statement import Statement
from derivations.language.term import ZERO, Entry
from derivations.latex.lexicon.differentiated_symbols import MARK
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.syntax.surface import Matrix, Node, Scripted, walk
from derivations.provers.decide import Refuted
from derivations.provers.refute import find_model
from derivations.study.doubts.doubt import Doubt
from derivations.study.said_of_relations import Said
from derivations.study.verdict import Case, Verdict, all_heads, heads_below

_REVERSED = {"<": "<=", "<=": "<"}


def as_condition_on_given(case: Case, verdict: Verdict) -> tuple[()] | None:
    """A relation that no choice of the given things below it makes an identity: it picks out those that it holds for."""
    said = Said.of(case)
    if Part.UNIVERSAL in said.parts:
        return None
    may_be = said.is_given and (said.is_bound or said.restricts or said.is_property)
    is_open = said.is_given or (Part.CONCLUDED not in said.parts and _has_undeclared(said, case))
    return () if may_be or (is_open and said.is_of_different_names and _holds_somewhere(case)) else None


def _has_undeclared(said: Said, case: Case) -> bool:
    """Whether something given below a relation is introduced by no words: the text may say elsewhere what it is.

    What a random quantity depends on is not seen in its name.
    """
    table = case.known.table
    stems = {s.head: s.stem for s in table.symbols.values()}
    below = {h for s in case.statements for side in (s.left, s.right) for h in said.below(side)}
    return below.isdisjoint(case.theory.random) and any(stems.get(h, h) not in table.declared for h in below)


CONDITION_ON_GIVEN = Doubt(
    name="a condition on what is given",
    code="ambiguous",
    sentence="false for some values, but it may be a condition on them, or follow from one",
    test=as_condition_on_given,
    needed="Let $w, x \\in \\mathbb{R}^n$. Then we have $$ \\sum_i w_i x_i > 1 . $$",
    silent="Let $w, x \\in \\mathbb{R}^n$. Then we have $$ \\sum_i w_i x_i > 1 + \\sum_i x_i w_i . $$",
    yields=True,
)


def as_case_of_item(case: Case, verdict: Verdict) -> tuple[()] | None:
    """The head of an item, which holds for some of what is given: it may name the case that the item speaks of."""
    said = Said.of(case)
    may_be = said.heads_item and said.is_of_different_names
    return () if may_be and _holds_somewhere(case) else None


def of_names_not_introduced(case: Case, verdict: Verdict) -> tuple[str] | None:
    """An inequality of names that no words introduce: their signs and their order are known to the reader alone."""
    s, said = verdict.statement, Said.of(case)
    if s is None or s.relation not in _REVERSED or Part.UNIVERSAL in said.parts:
        return None
    table = case.known.table
    stems = {symbol.head: symbol.stem for symbol in table.symbols.values()}
    below = {stems.get(h, h) for side in (s.left, s.right) for h in said.below(side)}
    spoken = {stems.get(h, h) for g in s.hypotheses for h in (*g.left.heads, *g.right.heads)}
    return (min(unsaid),) if (unsaid := below - table.declared.keys() - spoken) else None


NOT_INTRODUCED = Doubt(
    name="an inequality of names that are not introduced",
    code="ambiguous",
    sentence="false for some values, but nothing says what {} is: it may be positive, or grow",
    test=of_names_not_introduced,
    needed=r"Let $s = \sum_i q_i$. Then $$s \le 2 s .$$",
    silent=r"Let $q \in \mathbb{R}^m$ and $s = \sum_i q_i$. Then $$s \le 2 s .$$",
)

_ARROWS = frozenset({"implies", "iff"})
_JOINED = re.compile(r"⟦(\d+)⟧\s*+,?\s*+(?:and|or)\s*+$")


def as_inferred(case: Case, verdict: Verdict) -> tuple[()] | None:
    """A relation after an arrow, `A \\Rightarrow B`, or beside one by "and": it is said under what stands before the arrow.

    That is no matter where what stands before it is proved, defines something, or is supposed by what is refuted.
    """
    chain, link = case.item.reading.chain, case.key[2]
    if not any(r in _ARROWS for r, _ in chain.links[:link]):
        joined = _JOINED.search(case.item.context.before)
        beside = case.known.formulas.get(int(joined.group(1)), ()) if joined is not None and not link else ()
        return () if any(r in _ARROWS for i in beside for r, _ in i.reading.chain.links) else None
    arrows = {
        (i.span.index, i.number, k)
        for i in case.known.formulas.get(case.key[0], ())
        for k, (r, _) in enumerate(i.reading.chain.links)
        if r in _ARROWS
    }
    found = case.known.walk.findings
    before = max((k for k in found if k[0] == case.key[0] and k < case.key and k not in arrows), default=None)
    is_known = before is not None and (found[before].status in ("proved", "holds", "defined") or before in verdict.uses)
    return None if is_known else ()


INFERRED = Doubt(
    name="what follows by an arrow",
    code="condition-not-read",
    sentence="false in general, but an arrow says that it follows from what stands before it, which is not known",
    test=as_inferred,
    needed=r"For numbers $a$ and $b$ with a sum, $$a \perp b \Rightarrow (a + b)^2 = a^2 + b^2 .$$",
    silent=r"For numbers $a$ and $b$ we have $$(a + b) c = a c + b c \Rightarrow (a + b)^2 = a^2 + b^2 .$$",
)


def of_matrices_in_order(case: Case, verdict: Verdict) -> tuple[()] | None:
    """An inequality of whole matrices: of entries, or of definiteness, `A > 0`."""
    s = verdict.statement
    if s is None or s.relation not in _REVERSED:
        return None
    written = any(isinstance(side, Matrix) and _is_square(side) for side in (case.left, case.right))
    return () if written or (len(s.indices) == 2 and not _has_indices(case.left)) else None


def _is_square(m: Matrix) -> bool:
    return len(m.rows) > 1 and all(len(row) == len(m.rows) for row in m.rows)


def _has_indices(node: Node) -> bool:
    return any(isinstance(n, Scripted) and n.sub is not None for n in walk(node))


ORDER_OF_MATRICES = Doubt(
    name="an order of matrices",
    code="ambiguous",
    sentence="false of the entries, but an inequality of matrices may say that their difference is definite",
    test=of_matrices_in_order,
    needed=r"It is $$\begin{bmatrix} 2 & -1 \\ -1 & 2 \end{bmatrix} > 0 .$$",
    silent=r"It is $$\begin{bmatrix} 2 \\ -1 \end{bmatrix} > 0 .$$",
)

_SUM = r"For $x \in \mathbb{R}^n$ let $$s = \sum_{i=1}^n x_i^2.$$" + "\n\n"

CASE_OF_ITEM = Doubt(
    name="the case that an item speaks of",
    code="ambiguous",
    sentence="false for some values, but it heads its item, and may name the case that this speaks of",
    test=as_case_of_item,
    needed=_SUM + "- The sum stays.\n- $s > 1$: the unit fires.\n",
    silent=_SUM + "- The sum stays.\n- $s < - 1$: the unit fires.\n",
)


_SUPPOSES = re.compile(
    r"(?:^|[.;:!?,])\s*(?:(?:hence|then|so|and|now|but|again),?\s+)?(?:with|for|if|when|whenever|under|at|by|on|after)\s+"
    r"(?:(?:setting|putting|letting|taking|choosing|fixing)\s+)?⟦(\d+)⟧\s*,?\s*(?:we\b|then\b|it\b|this\b|the\b|⟦|$)",
    re.IGNORECASE,
)
"""`With $f = 0$ we have` before a claim."""


def under_condition_on_others(case: Case, verdict: Verdict) -> tuple[str] | None:
    """The sentence supposes something of names that, as it is read, the claim does not depend on: it is said for a reason."""
    table = case.known.table
    below = heads_below(case, verdict) | {h for s in case.statements for h in all_heads(s, case.theory)}
    for number in map(int, _SUPPOSES.findall(case.item.context.before)):
        chains = [i.reading.chain for i in case.known.formulas.get(number, ())]
        used = [w for chain in chains for w in uses(case.known.names, chain) if not table.is_size(w)]
        symbols = [s for s in map(table.find, used) if s is not None and s.parameters is None]
        if any(chain.links for chain in chains) and symbols and all(s.head not in below for s in symbols):
            return (", ".join(sorted({s.stem for s in symbols})),)
    return None


CONDITION_ON_OTHERS = Doubt(
    name="a condition on other names",
    code="condition-not-read",
    sentence="false as it is read, but its sentence supposes something of {}, on which it does not depend as it is read",
    test=under_condition_on_others,
    needed=r"Let $x, c \in \mathbb{R}^n$ and $f \in \mathbb{R}^n$. With $f = 0$ we have $x_i + c_i = c_i + x_i + 1$.",
    silent=r"Let $x, c \in \mathbb{R}^n$ and $f \in \mathbb{R}^n$. With $f$ we have $x_i + c_i = c_i + x_i + 1$.",
)


_LETTER_OVER_SIGN = re.compile(r"\\(?:stackrel|overset)\s*(?:\{\s*)*(?:\\[a-z]+\s*\{\s*)?[^\W\d_]\s*\}")


def with_letter_over_sign(case: Case, verdict: Verdict) -> tuple[()] | None:
    """A relation whose formula has a letter over a sign: equal in law, in probability, or by a step of that name."""
    return () if _LETTER_OVER_SIGN.search(case.item.span.source) else None


LETTER_OVER_SIGN = Doubt(
    name="a letter over the sign",
    code="ambiguous",
    sentence="false for equal numbers, but a letter stands over a sign, which may be of another kind: equal in law",
    test=with_letter_over_sign,
    needed=r"Let $x \in \mathbb{R}^n$. Then $$x_i^2 + 1 \stackrel{d}{=} - x_i^2 .$$",
    silent=r"Let $x \in \mathbb{R}^n$. Then $$x_i^2 + 1 \stackrel{!}{=} - x_i^2 .$$",
)


def _holds_somewhere(case: Case) -> bool:
    """Whether each statement holds for some of what is given, as far as a search finds it."""
    return all(_is_met(s, case) for s in case.statements)


def _is_met(s: Statement, case: Case) -> bool:
    if s.relation in _REVERSED:
        return _takes(s, _REVERSED[s.relation], case)
    if s.relation != "=":
        return False
    if find_model(Statement(ZERO, "=", ZERO, hypotheses=(s,)), case.theory.about((s.left, s.right))) is not None:
        return True
    from_left = Statement(s.left, "<", s.right, s.indices, s.guard, s.hypotheses)
    from_right = Statement(s.right, "<", s.left, s.indices, s.guard, s.hypotheses)
    # what lies above and below meets it between
    return _takes(from_left, "<=", case) and _takes(from_right, "<=", case)


def _takes(s: Statement, reverse: str, case: Case) -> bool:
    """Whether an inequality holds somewhere: the reverse one is refuted."""
    reversed_ = Statement(s.right, reverse, s.left, s.indices, s.guard, s.hypotheses)
    return isinstance(case.known.decide(reversed_, case.theory), Refuted)


MAX_ORDERED = 3
"""Most given numbers of a claim that are looked at by pairs."""


def but_for_an_order(case: Case, verdict: Verdict) -> tuple[str, str] | None:
    """A claim about given numbers of which no counterexample is found where one of them is below another."""
    s, theory = verdict.statement, case.theory
    if s is None or s.relation == "!=" or Part.UNIVERSAL in Said.of(case).parts:
        return None
    if any(h.relation == "=" for h in s.hypotheses):
        return None  # few numbers satisfy them, and fewer in an order
    below = set(all_heads(s, theory)) - theory.definitions.keys()
    given = {h for h in below if h in theory.tensors and h not in theory.random and MARK not in h}
    numbers = sorted(h for h in given if theory.shape(h) == ())
    for a, b in permutations(numbers, 2) if 2 <= len(numbers) <= MAX_ORDERED else ():
        ordered = replace(s, hypotheses=(*s.hypotheses, Statement(Entry(a, ()), "<", Entry(b, ()))))
        if find_model(ordered, theory) is not None and not isinstance(case.known.decide(ordered, theory), Refuted):
            stems = {symbol.head: symbol.stem for symbol in case.known.table.symbols.values()}
            return stems.get(a, a), stems.get(b, b)
    return None


ORDERED_NAMES = Doubt(
    name="an order of given numbers",
    code="ambiguous",
    sentence="false in general, but not found to be false where {} is less than {}, which the text may suppose",
    test=but_for_an_order,
    needed=r"For numbers $a, b > 0$ we have $$\max(a, b) - a = b - a .$$",
    silent=r"For numbers $a, b > 0$ we have $$\max(a, b) - a = a - b .$$",
)
