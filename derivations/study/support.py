"""What supports the reading of a refuted relation: the reasons to believe that its author meant what was read.

A counterexample shows that a relation is false as it is read.  That its author is wrong is another claim, and the doubts
(`study.doubts`) only list ways in which it fails that are known.  So a refutation needs a reason of its own to be believed:
one change of the relation makes a theorem of it, it is arithmetic, it stands in a chain of which another link is proved, or
the text says what everything in it is.  Where there is none, it is undecided, and says so.

What a relation says of names is asked in the theory of its case; what it says of numbers in that of its finding, where the
numbers are put in that its sentence gives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from derivations.documents.facts.role_words import Part
from derivations.documents.facts.sentence_patterns import SAID_AGAIN, WRITTEN_OUT
from derivations.documents.model.finding import Finding
from derivations.language.statement import Statement, Theory
from derivations.language.substitution import subterms, term_sizes
from derivations.language.term import (
    DETERMINANT,
    INVERSE,
    UNKNOWN,
    Apply,
    Derivative,
    Entry,
    Expectation,
    Index,
    Number,
    Sum,
    Term,
)
from derivations.latex.syntax.notation import ELEMENTARY
from derivations.latex.syntax.surface import Literal
from derivations.provers.decide import Proved, Refuted, by_definition
from derivations.provers.refute import all_sizes
from derivations.study.decimals import compare_decimals, has_slip_of_digits, may_be_rounded, may_be_to_another_base
from derivations.study.dependent_numbers import taken_as_independent
from derivations.study.equation_walk import Key
from derivations.study.near_misses import NearMiss, near_miss
from derivations.study.said_of_relations import Said
from derivations.study.slips import TRANSPOSED
from derivations.study.state import Study
from derivations.study.strategies import supposing_targets
from derivations.study.verdict import Case, Verdict, all_heads, heads_below, notes_below, withheld
from derivations.study.where_stated import is_closed, is_stated
from derivations.study.worked_values import WORKED

MIN_ENTRIES = 3
"""Fewer other entries of an array say nothing by being right."""


@dataclass(frozen=True)
class Refutation:
    """A refuted relation: its case, what was found, and the study that it belongs to."""

    study: Study
    key: Key
    case: Case
    verdict: Verdict
    finding: Finding

    @property
    def statement(self) -> Statement:
        """The statement that fails."""
        return self.finding.statement or self.case.statements[0]

    @cached_property
    def miss(self) -> NearMiss | None:
        """The change that makes a theorem of it."""
        return near_miss(self.statement, self.case.theory, self.case.known.decide)


@dataclass(frozen=True, slots=True)
class Support:
    """A row: where `test` holds, a refutation is believed.

    The last claim of `needed` is refuted for this reason alone; in `missing` a relation of the same kind is undecided.
    """

    name: str
    test: Callable[[Refutation], bool]
    needed: str
    missing: str


def is_told_by_slip(case: Case, verdict: Verdict) -> bool:
    """Whether one change makes a theorem of a refuted claim, and so tells that the claim was meant as it is read.

    It is no accident, and what the text may suppose besides, in words that are not read, is not needed for the theorem.
    """
    s = verdict.statement
    for statement in (s, *supposing_targets(case, verdict)) if s is not None else ():
        found = near_miss(statement, case.theory, case.known.decide)
        if found is not None and found.tells and not (found.slip is TRANSPOSED and _is_called_symmetric(case, verdict)):
            return not taken_as_independent(case, replace(verdict, statements=(found.statement,)))
    return False


def _is_called_symmetric(case: Case, verdict: Verdict) -> bool:
    """Whether the text calls something that a claim rests on symmetric: to exchange its indices is no slip."""
    below, known = heads_below(case, verdict), case.known
    said = (known.properties.get(s.stem, ()) for s in known.table.symbols.values() if s.head in below)
    return any("symmetric" in word for words in said for word in words)


# --- reasons --------------------------------------------------------------------------------------------------------


def has_telling_slip(r: Refutation) -> bool:
    """One change makes a theorem of it."""
    return is_told_by_slip(r.case, r.verdict)


def is_arithmetic(r: Refutation) -> bool:
    """It is about numbers that are written out, or that its sentence puts in for names."""
    is_written = (
        r.statement.left.heads | r.statement.right.heads <= r.finding.theory.constants or r.verdict.role == WORKED
    )
    sides = (r.case.left, r.case.right)
    is_reckoned = not all(isinstance(n, Literal) and not n.is_percent for n in sides)  # 1 = 0 is no slip
    if not is_written or not is_reckoned:
        return False
    s, theory, (left, right) = r.statement, r.finding.theory, sides
    if may_be_rounded(s, theory, left, right) or _may_mean_another_base(r):
        return False
    if _depends_on_given(r.statement, r.finding.theory) or _has_sum(r.statement, r.finding.theory):
        return False
    return not all_sizes(r.statement, r.finding.theory)


def _has_sum(s: Statement, theory: Theory) -> bool:
    """Whether functions are summed: a letter of the sum may be no number there, the e of `\\sum_k e^k`."""
    terms = [u for side in (s.left, s.right) for u in theory.reached(side)]
    return any(isinstance(u, Sum) for u in terms) and any(isinstance(u, Apply) for u in terms)


def is_slip_of_digits(r: Refutation) -> bool:
    """A printed decimal that differs from the right one by one digit, or by two that are exchanged."""
    return has_slip_of_digits(r.statement, r.finding.theory, r.case.right)


def has_slip_of_indices(r: Refutation) -> bool:
    """It is the definition of its left side with another index in one place."""
    return r.miss is not None and r.miss.restates and r.miss.slip.of_indices


def is_regrouped(r: Refutation) -> bool:
    """It has the signs of the definition of its left side in another order: a factor within a function or beside it."""
    left, walk = r.statement.left, r.case.known.walk
    origin = walk.origins.get(left.name) if isinstance(left, Entry) else None
    defined = walk.findings.get(origin) if origin is not None else None
    return defined is not None and _signs(defined.source) == _signs(r.finding.source)


_LAYOUT = re.compile(r"\\(?:left|right|[bB]igg?[lr]?)(?![A-Za-z])|\\[,;:! ]|[\s{}&]")


def _signs(source: str) -> list[str]:
    return sorted(_LAYOUT.sub("", source))


def has_right_entries(r: Refutation) -> bool:
    """Most entries of an array that is written out are right."""
    others = [s for s in r.finding.statements if s is not r.statement and not s.indices]
    if len(others) < MIN_ENTRIES or len(others) + 1 < len(r.finding.statements):
        return False
    return 2 * sum(_is_right(s, r) for s in others) >= len(others)


def _is_right(s: Statement, r: Refutation) -> bool:
    found = compare_decimals((s,), r.finding.theory, r.case.right)
    if found is not None:
        return found.status == "holds"
    return isinstance(r.case.known.decide(s, r.finding.theory), Proved)


def stands_in_chain(r: Refutation) -> bool:
    """Another link of its chain is proved, by more than definitions."""
    if _is_bare(r.statement.left):
        return False  # what a name is said to be, not what follows from it
    if _may_mean_another_base(r):
        return False
    is_step = r.case.kind == "step"  # a row that begins with its sign is a link of the chain above it
    others = [
        f for k, f in r.study.main.findings.items() if k[0] == r.key[0] and k != r.key and (k[1] == r.key[1] or is_step)
    ]
    return any(isinstance(f.decision, Proved) and not by_definition(f.decision.theorem) for f in others)


def is_settled(r: Refutation) -> bool:
    """The text says what everything in it is, by words or by definitions, and it does not look like a definition."""
    s = r.statement
    if not _names(r) or _unsettled(r) or is_of_values_drawn(s):
        return False
    if _may_mean_another_base(r):
        return False
    may_define = _is_bare(s.left) and not _is_bare(s.right)
    return not (may_define or _may_be_solved(r)) or Part.CONCLUDED in Said.of(r.case).parts


def _may_mean_another_base(r: Refutation) -> bool:
    r"""Whether it agrees with logarithms to another base: `\log` may mean those, `\ln` does not."""
    walk = r.case.known.walk
    origins = {walk.origins.get(h) for h in heads_below(r.case, r.verdict)}
    sources = (r.finding.source, *(walk.findings[k].source for k in origins if k in walk.findings))
    if any("ln" in s for s in sources) and not any("log" in s for s in sources):
        return False
    return may_be_to_another_base(r.statement, r.finding.theory, r.case.right)


def _may_be_solved(r: Refutation) -> bool:
    r"""Whether it compares what depends on names with a number, `e^{-(x - \mu)^2} = 1/2`: an x is looked for."""
    s, theory = r.statement, r.case.theory
    if s.relation != "=" or s.indices or r.verdict.role == WORKED:
        return False
    sides = ((s.left, s.right), (s.right, s.left))
    used = [d for h in s.left.heads | s.right.heads for d in theory.definitions.get(h, ())]
    if any(d.indices or d.tensors for d in used) or (r.miss is not None and not used):
        return False  # it is said of a function, or another number makes a theorem of it
    is_with_number = any(is_stated(a) and not is_closed(b) for a, b in sides)
    terms = [u for side in (s.left, s.right) for u in theory.reached(side)]
    return is_with_number and not any(isinstance(u, Sum | Expectation) for u in terms)


def is_identity_of_functions(r: Refutation) -> bool:
    r"""It says of a known function what it is in terms of others, `\tanh(x) = \ldots e^x \ldots`: x is any number."""
    s = r.statement
    if s.relation != "=" or s.hypotheses or not isinstance(s.left, Apply) or s.left.function not in ELEMENTARY:
        return False
    argument = s.left.arg
    names = argument.heads
    is_variable = isinstance(argument, Entry) and argument == Entry(argument.name, argument.indices) and len(names) == 1
    others = {u.function for u in subterms(s.right) if isinstance(u, Apply)}
    if not is_variable or s.right.heads != names or not others & ELEMENTARY or names & r.case.theory.random:
        return False
    return not any(h in r.case.theory.definitions for h in names) and not _may_mean_another_base(r)


def is_written_out(r: Refutation) -> bool:
    """The words say that it writes its left side in other terms, and it is made of what the definition of that is made of."""
    s, theory = r.statement, r.case.theory
    is_said = WRITTEN_OUT.search(r.case.item.context.before) is not None
    if not isinstance(s.left, Entry) or not _is_bare(s.left) or not is_said or _may_mean_another_base(r):
        return False
    made = {h for t in theory.reached(s.left) for h in t.heads} - theory.definitions.keys()
    used = {h for t in theory.reached(s.right) for h in t.heads} - theory.definitions.keys()
    return s.left.name in theory.definitions and bool(used) and used <= made


def is_of_values_drawn(s: Statement) -> bool:
    """Whether it is about single values of what only means are known of: words may say which values it takes."""
    known = (u for h in s.hypotheses for side in (h.left, h.right) for u in subterms(side))
    drawn = frozenset().union(*(u.heads for u in known if isinstance(u, Expectation)))
    return not drawn.isdisjoint(_outside_means(s.left) | _outside_means(s.right))


def _outside_means(t: Term) -> frozenset[str]:
    """The names in a term of which no mean is taken there."""
    if isinstance(t, Expectation):
        return frozenset()
    own = {t.name} if isinstance(t, Entry) else set()
    return frozenset(own.union(*(_outside_means(c) for c in t.children)))


def is_said_again(r: Refutation) -> bool:
    """Words say that it is the same in another form: "in other words", "that is"."""
    return SAID_AGAIN.search(r.case.item.context.before) is not None


def _is_bare(t: Term) -> bool:
    """A name, perhaps with its indices."""
    if not isinstance(t, Entry) or t.is_inverse or t.is_unknown:
        return False
    if any(not isinstance(a.body, Entry) or a.body.indices != tuple(map(Index.var, a.params)) for a in t.args):
        return False  # f(2 x) says something of f
    letters = [v for i in t.indices for v in i.free]
    return len(set(letters)) == len(letters) and all(i is Index.var(min(i.free)) for i in t.indices if i.free)


def _depends_on_given(s: Statement, theory: Theory) -> bool:
    """Whether a statement is about more than numbers."""
    return any(h in theory.tensors and h not in theory.constants for h in all_heads(s, theory))


def _names(r: Refutation) -> dict[str, str]:
    """The names that a relation is written with, each with the name in the text."""
    table, theory = r.case.known.table, r.finding.theory
    stems = {s.head: s.stem for s in (*table.replaced, *table.symbols.values())}
    return {h: stems.get(h, h) for h in r.statement.left.heads | r.statement.right.heads if h not in theory.constants}


def _unsettled(r: Refutation) -> list[str]:
    """Those that neither words nor an equation introduce, and that nothing is applied to or differentiated by."""
    table, defined = r.case.known.table, r.case.theory.definitions
    declared = {*table.declared, *table.names.matrices, *table.names.random, *table.laws, *table.one_hot, *table.basis}
    sides = [u for side in (r.statement.left, r.statement.right) for u in subterms(side)]
    known = {INVERSE, DETERMINANT, *defined, *(UNKNOWN + stem for stem in table.names.maps)}
    known |= {h for u in sides if isinstance(u, Entry) and u.name in defined for a in u.args for h in a.body.heads}
    known |= {u.name for u in sides if isinstance(u, Derivative)}
    signs = (g for g in r.statement.hypotheses if _is_sign(g))
    if r.statement.relation != "=":  # what is bounded by something else may be bounded more closely
        signs = (g for g in signs if isinstance(g.left, Number) or isinstance(g.right, Number))
    known |= {h for g in signs for side in (g.left, g.right) for h in side.heads}
    if any(n.kind == "closed-form-of-laws" for n in notes_below(r.case, r.verdict)):
        declared |= table.names.in_laws  # that they are parameters of a law says what they are
    found = (stem for h, stem in _names(r).items() if h not in known)
    return sorted({stem for stem in found if stem not in declared})


def _is_sign(g: Statement) -> bool:
    """Whether a supposition bounds a number by a number: what is bounded by a length may be a whole number."""
    return g.relation != "=" and not term_sizes(g.left) | term_sizes(g.right)


_ATTENTION = (
    r"Let $Q \in \mathbb{R}^{n \times d}$, $K \in \mathbb{R}^{m \times d}$ and $V \in \mathbb{R}^{m \times p}$. Let "
    r"$$A(Q, K, V) = \text{softmax}(Q K^\top) V.$$ "
)
_LEFT = r"So $$\begin{bmatrix} a + b & a b \\ a - b & a^2 + b \end{bmatrix} = "
_SOFTMAX = r"Let $$A_{ij} = \frac{e^{S_{ij}}}{\sum_{k=1}^{n} e^{S_{ik}}}.$$ "
_LOGITS = r"Let $$p_i = \frac{e^{x_i}}{\sum_{k=1}^{n} e^{x_k}}$$ and $$l_i = -\log p_i.$$ "
_WEIGHTS = r"$$A_{ij} = \frac{e^{S_{ij}}}{\sum_{k=1}^{n} e^{S_{ik}}}.$$ Then $$A^\top = A.$$"

SUPPORTS: tuple[Support, ...] = (
    Support(
        name="words that it is said again",
        test=is_said_again,
        needed=_ATTENTION + r"In other words, $$A(Q, K, V) = \text{softmax}(3 Q K^\top) V.$$",
        missing=_ATTENTION + r"With larger scores, $$A(Q, K, V) = \text{softmax}(3 Q K^\top) V.$$",
    ),
    Support(
        name="arithmetic",
        test=is_arithmetic,
        needed=r"So $$3 \cdot 4 = 11.$$",
        missing=r"So $$\sum_{k=1}^{3} e^k = 8.$$",
    ),
    Support(
        name="a slip of digits",
        test=is_slip_of_digits,
        needed=r"So $$\sum_{k=1}^{2} e^k = 10.170.$$",
        missing=r"So $$\sum_{k=1}^{2} e^k = 17.3.$$",
    ),
    Support(
        name="the signs of its definition in another order",
        test=is_regrouped,
        needed=_ATTENTION + r"Now the product is pulled inside: $$A(Q, K, V) = \text{softmax}(Q K^\top V).$$",
        missing=_ATTENTION + r"Now the scores are larger: $$A(Q, K, V) = \text{softmax}(3 Q K^\top) V.$$",
    ),
    Support(
        name="entries that are right",
        test=has_right_entries,
        needed=_LEFT + r"\begin{bmatrix} b + a & b a \\ a - b & a b^3 - 5 \end{bmatrix}.$$",
        missing=_LEFT + r"\begin{bmatrix} a b + 3 & a b^2 + 1 \\ 7 a b & a b^3 - 5 \end{bmatrix}.$$",
    ),
    Support(
        name="a chain of which another link is proved",
        test=stands_in_chain,
        needed=r"It is $$(x_i + p_i)(x_j + p_j) = x_i x_j + x_i p_j + p_i x_j + p_i p_j = x_i x_j + 2 x_i p_j + p_i p_j.$$",
        missing=r"It is $$x_i x_j + x_i p_j + p_i x_j + p_i p_j = x_i x_j + 2 x_i p_j + p_i p_j.$$",
    ),
    Support(
        name="names that the text settles",
        test=is_settled,
        needed=r"For $S \in \mathbb{R}^{n \times n}$ let " + _WEIGHTS,
        missing=r"So it is $$x_i y_j + x_j y_i = 5 x_i y_i x_j y_j - 3.$$",
    ),
    Support(
        name="what a known function is",
        test=is_identity_of_functions,
        needed=r"The usual activation is $$\tanh(x) = \frac{1 - e^x}{1 + e^{2 x}}.$$",
        missing=r"So it is $$\tanh(x) = 3 x - 2.$$",
    ),
    Support(
        name="words that it is written out",
        test=is_written_out,
        needed=_LOGITS + r"Written in terms of the scores, $$l_i = -\log \frac{e^{x_i}}{e^{\sum_{k=1}^{n} x_k}}.$$",
        missing=_LOGITS + r"The loss is also $$l_i = -\log \frac{e^{x_i}}{e^{\sum_{k=1}^{n} x_k}}.$$",
    ),
    Support(
        name="its definition with a slip of indices",
        test=has_slip_of_indices,
        needed=_SOFTMAX + r"It is $$A_{ij} = \frac{e^{S_{ij}}}{\sum_{k=1}^{n} e^{S_{ij}}}.$$",
        missing=_SOFTMAX + r"It is $$A_{ij} = \frac{e^{3 S_{ij}}}{\sum_{k=1}^{n} e^{S_{ik}}}.$$",
    ),
    Support(
        name="a slip that tells what was meant",
        test=has_telling_slip,
        needed=r"So it is $$x_i y_j + x_i y_i = x_i (y_i - y_j).$$",
        missing=r"So it is $$x_i y_j + x_i y_i = x_i (y_i - y_j) y_i.$$",
    ),
)
"""The reasons to believe a refutation; those that take a search are asked for last."""


def withhold_unsupported(study: Study) -> bool:
    """Withhold each refutation that nothing supports; whether there was one."""
    changed = False
    for r in list(_refutations(study)):
        if any(row.test(r) for row in SUPPORTS) and not _repeats_definition(r):
            continue
        study.main.findings[r.key] = withheld(r.finding, "unsupported", _reason(r))
        changed = True
    return changed


def _repeats_definition(r: Refutation) -> bool:
    """Whether a definition of the document is written in the same way: a name in it stands for something else by now."""
    own = _LAYOUT.sub("", r.finding.source)
    others = (f for f in r.study.main.findings.values() if f.status == "defined")
    return any(_LAYOUT.sub("", f.source) == own for f in others)


def _refutations(study: Study) -> Iterator[Refutation]:
    for key, (case, verdict) in study.refuted_in_main.items():
        finding = study.main.findings[key]
        if finding.status == "refuted" and finding.code == "false-claim":
            yield Refutation(study, key, case, verdict, finding)


def _reason(r: Refutation) -> str:
    latex = r.study.text.latex
    names = [latex.get(stem, stem) for stem in _unsettled(r)]
    if names:
        listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        why = f"nothing says what {listed} {'is' if len(names) == 1 else 'are'}"
    else:
        why = "it may define its left side anew" if _is_bare(r.statement.left) else "nothing shows that it is meant so"
    more = ", and no small change that was tried makes it true" if r.miss is None else ""
    return f"false as it is read{_values(r)}, but {why}{more}"


def _values(r: Refutation) -> str:
    """The two sides at the counterexample."""
    if not isinstance(r.finding.decision, Refuted):
        return ""
    found = r.finding.decision.counterexample
    return f" (left {found.left}, right {found.right})"
