"""Doubts about how a refuted claim, or something below it, was read: axes, lengths, sums and signs that nobody states."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from operator import or_

from derivations.language.statement import Statement, Theory
from derivations.language.substitution import subterms, term_sizes
from derivations.language.term import (
    Derivative,
    Entry,
    Index,
    IndexValue,
    Sum,
    Term,
    equal,
    guard,
    quotient,
)
from derivations.latex.lexicon.differentiated_symbols import MARK
from derivations.latex.lexicon.name_roles import Names, uses
from derivations.latex.lexicon.symbol_table import GENERIC, Symbol
from derivations.latex.passes.differential_relations import relates_differentials
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Enclosed,
    Fraction,
    Infix,
    Name,
    Node,
    Scripted,
    bare,
    walk,
)
from derivations.notes import Note
from derivations.provers.decide import Proved, Refuted, by_definition
from derivations.provers.instance import at_lengths, at_sizes
from derivations.provers.refute import all_sizes
from derivations.study.decimals import NEARLY_EQUAL, compare_nearly
from derivations.study.doubts.about_matrix_functions import BY_ENTRIES, is_square_shape
from derivations.study.doubts.about_words import unlisted_set
from derivations.study.doubts.doubt import SOFTMAX, Doubt
from derivations.study.strategies import versions_before, with_versions
from derivations.study.verdict import Case, Verdict, heads_below, keys_below, notes_below


def with_guessed_axes(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A given tensor whose axes are a guess: nothing declares it, and it is written in two ways.

    They do not matter where it is written in one way alone, with all its indices, in the claim and in all that the claim
    rests on: it stands for numbers there, and what is false of numbers is false of the arrays that they are.
    """
    heads, known = heads_below(case, verdict) - case.theory.definitions.keys() - case.theory.constants, case.known
    supposed = [t for s in verdict.statements for h in s.hypotheses for t in (h.left, h.right)]
    heads -= {h for t in supposed if isinstance(t, Sum) for h in t.heads}  # a vector whose entries sum to one
    heads -= _told_by_proofs(case)
    for symbol in known.given:
        guessed = not symbol.exact and symbol.stem not in known.table.laws
        guess = symbol.stem.endswith(GENERIC) or known.names.shaky(symbol.stem)
        if symbol.head in heads and guessed and guess and not _stands_for_numbers(case, verdict, symbol):
            return (symbol.stem,)
    return None


def _stands_for_numbers(case: Case, verdict: Verdict, symbol: Symbol) -> bool:
    """Whether each place that a verdict rests on writes a name with an index for each of its axes."""
    chains: list[Node] = [case.left, case.right]
    for span, number, *_ in keys_below(case, verdict) - {case.key}:
        chains += (i.reading.chain for i in case.known.formulas.get(span, ()) if i.number == number)
    stem, axes = symbol.stem.removesuffix(GENERIC), len(symbol.dims)
    written = [w for chain in chains for w in uses(case.known.names, chain) if w.stem == stem]
    if symbol.stem.endswith(GENERIC):
        return bool(written) and all(w.bold and not w.slots for w in written)
    return bool(written) and all(len(w.slots) == axes and all(s.node is not None for s in w.slots) for w in written)


def _told_by_proofs(case: Case) -> set[str]:
    r"""Names of which a proved relation sums the entries on one side and lists them on the other, `q^\top k = q_1 k_1 + q_2 k_2`:
    it would not be so if they had other axes."""
    found: set[str] = set()
    for f in case.known.walk.findings.values():
        for s in f.statements if isinstance(f.decision, Proved) and not by_definition(f.decision.theorem) else ():
            parts = list(subterms(s.right))
            if not any(isinstance(u, Sum) for u in parts):
                summed = {h for u in subterms(s.left) if isinstance(u, Sum) for h in u.heads}
                listed = {
                    u.name for u in parts if isinstance(u, Entry) and u.indices and not any(i.free for i in u.indices)
                }
                found |= summed & listed
    return found


GUESSED_AXES = Doubt(
    name="axes that are a guess",
    code="ambiguous",
    sentence="false as read, but how many axes {} has is only a guess",
    test=with_guessed_axes,
    needed=r"For $x \in \mathbb{R}^d$ let $$y_m = R_m x.$$ Then $$2 y_m = 3 R_m x.$$",
    silent=r"For $x \in \mathbb{R}^d$ and $R \in \mathbb{R}^{d \times d}$ let $$y = R x.$$ Then $$2 y = 3 R x.$$",
)


def true_of_earlier_version(case: Case, verdict: Verdict) -> tuple[()] | None:
    """A claim that holds of a definition which a later equation with only given names may not replace."""
    loose = versions_before(case, verdict)
    if not loose or verdict.statement is None:
        return None
    decision = case.known.decide(with_versions(verdict.statement, loose), case.theory)
    return () if isinstance(decision, Proved) else None


_VERSIONS = (
    r"For $x \in \mathbb{R}^n$ let $$s = \sum_{i=1}^n x_i.$$"
    "\n\n## Rows\n\n"
    r"Now write $u \in \mathbb{R}^n$ and $$s = \sum_{i=1}^n u_i.$$"
    "\n\n## Result\n\n"
)

EARLIER_VERSION = Doubt(
    name="an earlier version of a name",
    code="ambiguous",
    sentence="false as read, but true of a version that was defined earlier",
    test=true_of_earlier_version,
    needed=_VERSIONS + r"$$2 s = 2 \sum_{i=1}^n x_i$$",
    silent=_VERSIONS + r"$$2 s = 3 \sum_{i=1}^n x_i$$",
)


def with_unsaid_length(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A size of the document which, put for a length that nothing tells, leaves the claim unrefuted."""
    s, said = verdict.statement, case.known.names.sizes
    if s is None:
        return None
    sizes = all_sizes(s, case.theory)
    for unsaid in sorted(sizes - said):
        for name in sorted(sizes & said):
            statement, theory = _at(s, case.theory, {unsaid: Index.size(name)})
            if not isinstance(case.known.decide(statement, theory), Refuted):
                return (name,)
    return None


_AVERAGES = r"$$W_{ts} = \begin{cases} 1/t & s \le t \\ 0 & s > t \end{cases}$$ "

UNSAID_LENGTH = Doubt(
    name="a length that is not said",
    code="ambiguous",
    sentence="false as read, but true if a length that is not said is {}",
    test=with_unsaid_length,
    needed=_AVERAGES + r"$$\operatorname{tr} W = \sum_{t=1}^{T} \frac{1}{t}$$",
    silent=_AVERAGES + r"$$\operatorname{tr} W = \sum_{t=1}^{T} \frac{2}{t}$$",
)


def with_domain(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A function that is defined between two bounds, where the claim is about other arguments than constants too."""
    limited = {str(n.arguments[0]) for n in notes_below(case, verdict) if n.kind == "on-domain"}
    for t in (t for s in verdict.statements for side in (s.left, s.right) for t in subterms(side)):
        stem = t.name.split("#")[0] if isinstance(t, Entry) else ""
        if stem in limited and isinstance(t, Entry) and any(x.body.heads or x.body.free for x in t.args):
            return (stem,)
    return None


_ON_DOMAIN = r"The price is $f(x) = 1 - x$ for $0 \le x \le 1$. "

DOMAIN = Doubt(
    name="a function on a domain",
    code="ambiguous",
    sentence="false as read, but {} is only defined between two bounds",
    test=with_domain,
    needed=_ON_DOMAIN + r"For $a \in \mathbb{R}$ we have $$f(a) \ge 0$$",
    silent=_ON_DOMAIN + r"Then $$f(0) = 2$$",
)


def with_odd_length(case: Case, verdict: Verdict) -> tuple[str, str] | None:
    r"""A length that is no multiple of the number of rules, `E_{2i}` and `E_{2i+1}`, that give the entries in turn.

    The entries are meant to be complete groups: nothing is refuted by a group that is cut off.
    """
    s = verdict.statement
    if s is None:
        return None
    for head in sorted(heads_below(case, verdict)):
        rules = case.theory.definitions.get(head, ())
        for axis, length in enumerate(rules[0].shape or () if rules else ()):
            by = max((abs(k) for d in rules for a, k in d.indices[axis].terms if a.kind == "index"), default=1)
            if by < 2 or not length.sizes:
                continue
            whole = equal(by * quotient(length, Index.of(by)), length)
            complete = replace(s, guard=guard(*s.guard, whole))
            if not isinstance(case.known.decide(complete, case.theory), Refuted):
                return str(length), str(by)
    return None


_IN_TURN = (
    r"We add sines and cosines, for $i \ge 0$"
    "\n\n"
    r"$$E_{t, 2i} = \sin(t / 10000^{2i/C}), \qquad E_{t, 2i+1} = \cos(t / 10000^{2i/C}).$$ "
)

ODD_LENGTH = Doubt(
    name="a group that is cut off",
    code="ambiguous",
    sentence="false as read, but perhaps true where {} is a multiple of {}",
    test=with_odd_length,
    needed=_IN_TURN + r"$$\sum_{c=0}^{C-1} E_{tc}^2 = \frac{C}{2}$$",
    silent=_IN_TURN + r"$$\sum_{c=0}^{C-1} E_{tc}^2 = C$$",
)


def with_length_by_habit(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A factor of an array that is taken for a length as such names often are, where no shape and no bound has it."""
    names, symbols = case.known.names, case.known.table.symbols
    used = {size for s in verdict.statements for side in (s.left, s.right) for size in _lengths_as_numbers(side)}
    unsaid = used - names.sizes
    for product in (n for side in (case.left, case.right) for n in walk(side) if isinstance(n, Adjacent)):
        factors = [w for item in product.items if (w := names.written(item)) is not None]
        known = [(symbols[w.stem], len(w.slots)) for w in factors if w.stem in symbols]
        has_array = any(s.exact and len(s.dims) > slots for s, slots in known)
        if has_array and (found := next((w.stem for w in factors if w.stem in unsaid), None)) is not None:
            return (found,)
    return None


def _lengths_as_numbers(side: Term) -> Iterator[str]:
    """The lengths that are numbers in a side, and not only bounds of its sums."""
    for t in subterms(side):
        if isinstance(t, IndexValue):
            yield from t.index.sizes


LENGTH_BY_HABIT = Doubt(
    name="a length by habit",
    code="ambiguous",
    sentence="false as read, but nothing says that {} is a length",
    test=with_length_by_habit,
    needed=r"For $y \in \mathbb{R}^n$ we have $$y^\top D_1 y = 2 y^\top D_1 y + y^\top y.$$",
    silent=r"For $y \in \mathbb{R}^n$ and $c \in \mathbb{R}$ we have $$y^\top c y = 2 y^\top c y + y^\top y.$$",
)


def with_length_of_entries(case: Case, verdict: Verdict) -> tuple[str] | None:
    r"""A length that nothing tells, where the claim is true if the entries that it writes, `u_1 v_1 + u_2 v_2`, are all.

    So it is with any length where the sentence counts that many: "for two classes".
    """
    s = verdict.statement
    if s is None or s.hypotheses:
        return None
    entries = (t for side in (s.left, s.right) for t in subterms(side) if isinstance(t, Entry))
    last = max((i.const for t in entries for i in t.indices if i.is_constant), default=0)
    counted = _COUNTED.search(case.item.context.before)
    is_counted = counted is not None and _NUMBERS.get(counted.group(1).lower()) == last + 1
    unsaid = all_sizes(s, case.theory) - (frozenset() if is_counted else case.known.names.sizes)
    if not unsaid or not last:
        return None
    statement, theory = _at(s, case.theory, {size: Index.of(last + 1) for size in unsaid})
    return (str(last + 1),) if isinstance(case.known.decide(statement, theory), Proved) else None


_NUMBERS = {"two": 2, "binary": 2, "three": 3, "four": 4}
_COUNTED = re.compile(rf"\b({'|'.join(_NUMBERS)})\b", re.IGNORECASE)

LENGTH_OF_ENTRIES = Doubt(
    name="a length that entries tell",
    code="ambiguous",
    sentence="false in general, but true if a length is {}",
    test=with_length_of_entries,
    needed=r"For two vectors $\vec u$ and $\vec v$ $$\vec u^T \vec v + 1 = u_1 v_1 + u_2 v_2 + 1.$$",
    silent=r"For two vectors $\vec u$ and $\vec v$ $$\vec u^T \vec v + 1 = u_1 v_1 - u_2 v_2 + 1.$$",
)


def _at(s: Statement, theory: Theory, put: Mapping[str, Index]) -> tuple[Statement, Theory]:
    """A statement with lengths put for others, and what is known there."""
    theory = theory.about((s.left, s.right))
    tensors = {n: replace(t, shape=tuple(i.substitute({}, put) for i in t.shape)) for n, t in theory.tensors.items()}
    there = Theory(tensors, {n: tuple(at_sizes(d, put) for d in ds) for n, ds in theory.definitions.items()})
    return at_lengths(s, put), there


def with_index_to_sum_over(case: Case, verdict: Verdict) -> tuple[str] | None:
    """An index that stands twice or more in a product of one side and nowhere on the other, where no sum is written."""
    names, sides = case.known.names, (case.left, case.right)
    if unlisted_set(case, verdict) is not None or any(_writes_sum(n) for side in sides for n in walk(side)):
        return None
    letters = [_in_one_product(names, n) for n in sides]
    for own, other in (letters, letters[::-1]):
        for c, count in own.items():
            if count > 1 and c not in other and c not in names.sizes:
                return (c,)
    return None


def is_no_chain_rule(case: Case, verdict: Verdict) -> bool:
    r"""Whether no name stands above in one derivative and below in another, `\partial L / \partial y_i \; \partial y_i /
    \partial g`: in a chain many authors leave the sum over i to the reader."""
    rates = [n for side in (case.left, case.right) for n in walk(side) if isinstance(n, Fraction)]
    return {bare(n.above) for n in rates}.isdisjoint(bare(n.below) for n in rates)


_SUMMED = r"For $A \in \mathbb{R}^{n \times n}$ and $x \in \mathbb{R}^{n}$ let $$y_i = \sum_{j=1}^n A_{ij} x_j.$$ "

UNSAID_SUM = Doubt(
    name="an index to sum over",
    code="ambiguous",
    sentence="false for each {0}, but {0} stands on one side only: perhaps a sum is meant",
    test=with_index_to_sum_over,
    needed=_SUMMED + r"Then $$2 y_i = A_{ij} x_j$$",
    silent=_SUMMED + r"Then $$2 y_i = \sum_{j=1}^n A_{ij} x_j$$",
    yields_to=is_no_chain_rule,
)


def _writes_sum(node: Node) -> bool:
    return isinstance(node, Big) and node.sub is not None


def _in_one_product(names: Names, node: Node) -> Counter[str]:
    """How often each index letter stands in a product of an expression, the summands counted each by itself.

    In `a_i^2 + b_i^2` it is once, in `a_i (b_i + c_i)` twice.
    """
    if isinstance(node, Big) and node.sub is None:
        return Counter()
    found = Counter(names.slot_letters(node)) if isinstance(node, Scripted) else Counter()
    parts = [_in_one_product(names, part) for part in node.parts]
    if isinstance(node, Infix) and node.operator in ("+", "-"):
        return found + reduce(or_, parts, Counter[str]())
    return sum(parts, found)


def with_unsaid_convention(case: Case, verdict: Verdict) -> tuple[()] | None:
    """An equation below it was read by the summation convention, which nothing states."""
    if case.known.convention_is_stated:
        return None
    return () if any(k[:2] in case.known.summed for k in keys_below(case, verdict)) else None


_REPEATED = r"$$S^{ij} = Q^{ia} K^{ja}$$ $$O^{ib} = S^{ij} V^{jb}$$ $$P^{ic} = O^{ib} W^{bc}$$ "

UNSAID_CONVENTION = Doubt(
    name="the summation convention, unsaid",
    code="ambiguous",
    sentence="false as read, but that an index that stands twice is summed over is not said",
    test=with_unsaid_convention,
    needed=_REPEATED + r"Then $P^{ic} = 2 O^{ib} W^{bc}$.",
    silent=_REPEATED + r"By the summation convention, $P^{ic} = 2 O^{ib} W^{bc}$.",
)


def with_outer_product(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A vector p of `p^\\top p` beside an array, where the number that it is as a column is added to every entry.

    For rows it is an outer product, in the claim itself and in a definition below it.
    """
    if _is_added_to_entries(verdict.assumptions):
        for side in (case.left, case.right):
            if (found := _times_itself(case.known.names, side)) is not None:
                return (found,)
    for key in sorted(keys_below(case, verdict) - {case.key}):
        made = case.known.walk.findings.get(key)
        if made is not None and _is_added_to_entries(made.assumptions):
            for item in case.known.formulas.get(key[0], ()):
                if (found := _times_itself(case.known.names, item.reading.chain)) is not None:
                    return (found,)
    return None


def _is_added_to_entries(notes: Iterable[Note]) -> bool:
    return any(note.kind == "number-to-entries" for note in notes)


def _times_itself(names: Names, node: Node) -> str | None:
    """The name p of a product `p^\\top p` in an expression."""
    products = (n for n in walk(node) if isinstance(n, Adjacent))
    for one, other in (pair for n in products for pair in pairwise(map(names.written, n.items))):
        if one is not None and other is not None and one.stem == other.stem and one.transposed != other.transposed:
            return one.stem
    return None


def with_multiple_of_identity(case: Case, verdict: Verdict) -> tuple[()] | None:
    """A number beside a square matrix in a sum, `A^2 - 5 A - 2`: it may be that multiple of the identity.

    So may it be in a definition below the claim.
    """
    for key in sorted(keys_below(case, verdict) - {case.key}):
        made = case.known.walk.findings.get(key)
        if made is not None and made.definition is not None and _is_added_to_entries(made.assumptions):
            if is_square_shape(made.definition.shape):
                return ()
    if not _is_added_to_entries(verdict.assumptions):
        return None
    arrays = [
        u for s in verdict.statements for side in (s.left, s.right) for u in subterms(side) if isinstance(u, Entry)
    ]
    shapes = [case.theory.shape(u.name) for u in arrays]
    is_square = any(shape is not None and len(shape) == 2 and shape[0] is shape[1] for shape in shapes)
    return () if is_square and not BY_ENTRIES.search(case.item.context.paragraph) else None


IDENTITY_LEFT_OUT = Doubt(
    name="a multiple of the identity",
    code="ambiguous",
    sentence="false with the number added to every entry, but it may be that multiple of the identity",
    test=with_multiple_of_identity,
    needed=r"For $T \in \mathbb{R}^{n \times n}$ we have $$(T - 1) (T + 1) = T^2 - 1 + T.$$",
    silent=r"For $T \in \mathbb{R}^{n \times n}$ we have entrywise $$T + 1 = T + 2.$$",
)

OUTER_PRODUCT = Doubt(
    name="a row times itself",
    code="ambiguous",
    sentence="false as read, but {} may be a row, and its product with itself a matrix",
    test=with_outer_product,
    needed=(
        SOFTMAX + r"For $u \in \mathbb{R}^C$ let $$v = u (\mathrm{diag}(p) - p^\top p) = u \odot p - (u \cdot p^\top) "
        r"p$$"
    ),
    silent=(
        SOFTMAX + r"For $u \in \mathbb{R}^C$ let $$v = (\mathrm{diag}(p) - p p^\top) u = u \odot p + (u \cdot p) p$$"
    ),
)


def with_guessed_sign(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A sign of the claim, or of a definition below it, that other authors use for something else."""
    return next(((note.text,) for note in notes_below(case, verdict) if note.row.guess), None)


GUESSED_SIGN = Doubt(
    name="a sign of several meanings",
    code="ambiguous",
    sentence="false as read: {}",
    test=with_guessed_sign,
    needed=r"For $a, b \in \mathbb{R}^d$ let $$u = \frac{a}{b}.$$ Then $$u_i = a_i b_i.$$",
    silent=r"For $a, b \in \mathbb{R}^d$ let $$u = a \odot b.$$ Then $$u_i = a_i / b_i.$$",
)


def with_numbers_from_other_base(case: Case, verdict: Verdict) -> tuple[()] | None:
    """A claim that is true where `X_1` is the other one of the first and the second row of X.

    A document may count the columns of one table from 0 and call the first row of another X_1.
    """
    if case.known.names.stated_base is not None or case.from_other_base is None:
        return None
    other = case.from_other_base()
    if other is None:
        return None
    if case.relation == NEARLY_EQUAL:
        nearly = compare_nearly(other, case.theory, case.left, case.right)
        return () if nearly is None or nearly.status != "refuted" else None
    decide = case.known.decide
    return () if all(isinstance(decide(s, case.theory), Proved) for s in other) else None


_NUMBERED = r"For $x \in \mathbb{R}^n$ let $$y_i = i x_i.$$ "

OTHER_BASE = Doubt(
    name="numbers from the other base",
    code="ambiguous",
    sentence="false as read, but true if the numbered positions count from the other of 0 and 1",
    test=with_numbers_from_other_base,
    needed=_NUMBERED + r"Then $$3 y_1 = 6 x_1.$$",
    silent=_NUMBERED + r"Then $$3 y_1 = 5 x_1.$$",
)


def relates_differentials_of_name(case: Case, verdict: Verdict) -> tuple[()] | None:
    """Both sides are differentials up to a coefficient, read as products with a d that is a name of the document."""
    return () if relates_differentials(case.left, case.right) else None


def is_order_of_growth(case: Case, verdict: Verdict) -> tuple[()] | None:
    """A side is nothing but `O(...)`: an order of growth, also where O is a name beside it."""
    return () if any(map(_is_order, (case.left, case.right))) else None


def _is_order(node: Node) -> bool:
    items = node.items if isinstance(node, Adjacent) else ()
    if len(items) != 2 or not isinstance(items[0], Name) or not isinstance(items[1], Enclosed):
        return False
    return items[0].base in ("O", "Omega", "Theta", "o") and items[1].kind == "()" and not items[0].primes


_OUTPUTS = r"For numbers $D$, $K$ and $O$ let $$N = D K + K O.$$ "

ORDER_OF_GROWTH = Doubt(
    name="an order of growth",
    code="ambiguous",
    sentence="false as a product, but it may be an order of growth",
    test=is_order_of_growth,
    needed=_OUTPUTS + r"So $$N = O(K (D + O)).$$",
    silent=_OUTPUTS + r"So $$N = 2 K (D + O).$$",
)


DIFFERENTIALS = Doubt(
    name="a d that may be a differential sign",
    code="ambiguous",
    sentence="false for a product with d, but d may be the sign of differentials",
    test=relates_differentials_of_name,
    needed=r"For $x \in \mathbb{R}^d$ and $n \in \mathbb{R}$ let $$m = n^2.$$ Then $$d m = 2 n \, d n.$$",
    silent=r"For $x \in \mathbb{R}^d$ and $n \in \mathbb{R}$ let $$m = n^2.$$ Then $$m d = 2 n^2 d.$$",
)


def by_name_it_does_not_show(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A derivative by a defined name of something that, as it is read, does not go through that name.

    Of `\\ell(w) = (w x - y)^2` after `\\eta = w x` by `\\eta`: a function of w is written out in w.
    """
    theory = case.theory
    sides = (side for s in verdict.statements for side in (s.left, s.right))
    for t in (t for side in sides for t in theory.reached(side)):
        if isinstance(t, Derivative) and MARK in t.name and not theory.depends(t.body, frozenset((t.name,))):
            return (t.name.split(MARK)[0],)
    return None


HIDDEN_DEPENDENCE = Doubt(
    name="a derivative by a name that is not shown",
    code="ambiguous",
    sentence="false as read, but how the left side depends on {} is not seen",
    test=by_name_it_does_not_show,
    needed=(
        r"For $x, y \in \mathbb{R}$ and $w \in \mathbb{R}$ let $\eta = w x$ and $\pi = \eta^2$. The loss is $$\ell(w) = (\pi - "
        r"y)^2.$$ Then $$\frac{\partial \ell}{\partial \eta} = 4 \eta (\pi - y).$$"
    ),
    silent=(
        r"For $x, y \in \mathbb{R}$ and $w \in \mathbb{R}$ let $\eta = w x$ and $\pi = \eta^2$. The loss is $$\ell = (\pi - "
        r"y)^2.$$ Then $$\frac{\partial \ell}{\partial \eta} = 2 \eta (\pi - y).$$"
    ),
)


def after_proportion(case: Case, verdict: Verdict) -> tuple[()] | None:
    r"""A step of a chain with `\propto` before it: a factor that is the same for all of its entries may be left out there too."""
    span, number, link = case.key
    rows = case.known.formulas.get(span, ())
    before = [r for i in rows if i.number == number for r, _ in i.reading.chain.links[:link]]
    if case.kind == "step":
        before += [r for i in rows if i.number < number for r, _ in i.reading.chain.links]
    return () if "propto" in before and case.relation == "=" else None


PROPORTIONAL = Doubt(
    name="a step after a proportion",
    code="ambiguous",
    sentence="false as it stands, but a sign before it says that what follows is meant up to a factor",
    test=after_proportion,
    needed=SOFTMAX + r"For $m \in \mathbb{R}^C$ $$m_i \propto p_i + p_i = p_i.$$",
    silent=SOFTMAX + r"For $m \in \mathbb{R}^C$ let $$m_i = p_i + p_i = p_i.$$",
)


def with_two_kinds(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A name that is a length and an array in one statement, or an array that stands for a number elsewhere in it."""
    as_numbers = {n.arguments[0] for n in case.assumptions if n.kind == "argument-is-number"}
    heads = heads_below(case, verdict)
    arrays = {s.stem for s in case.known.table.symbols.values() if s.head in heads and s.dims}
    sides = (side for s in verdict.statements for side in (s.left, s.right))
    lengths = frozenset[str]().union(*map(term_sizes, sides))
    return next(((stem,) for stem in sorted(arrays & (as_numbers | lengths))), None)


TWO_KINDS = Doubt(
    name="one letter for two things",
    code="ambiguous",
    sentence="false as read, but {} stands for a number and for an array there",
    test=with_two_kinds,
    needed=r"For $p \in \mathbb{R}^n$ and $u \in \mathbb{R}^p$ always $$\sum_{i=1}^p u_i + \|p\|^2 = 2 \sum_{i=1}^p u_i.$$",
    silent=r"For $q \in \mathbb{R}^p$ and $u \in \mathbb{R}^p$ always $$\sum_{i=1}^p u_i + \|q\|^2 = 2 \sum_{i=1}^p u_i.$$",
)


def with_number_beside_array(case: Case, verdict: Verdict) -> tuple[()] | None:
    """A number is added to a vector: one of them may be meant as the other."""
    is_of_vectors = all(len(s.indices) == 1 for s in verdict.statements)
    if not is_of_vectors or with_outer_product(case, verdict) is not None:
        return None
    return () if any(n.kind == "number-to-entries" for n in case.assumptions) else None


NUMBER_BESIDE_ARRAY = Doubt(
    name="a number added to a vector",
    code="ambiguous",
    sentence="false as read, with a number that is added to every entry of a vector; one of them may be meant otherwise",
    test=with_number_beside_array,
    needed=r"Let $x \in \mathbb{R}^d$ and $$y = x + \|x\|.$$ Hence $$y = 2 x + \|x\|.$$",
    silent=r"Let $x \in \mathbb{R}^d$ and $$y = x + x \|x\|.$$ Hence $$y = 2 x + x \|x\|.$$",
)


def with_function_of_entries(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A function that was defined for one number is taken of every entry of an array: it may be another one by now."""
    taken = (str(n.arguments[0]) for n in notes_below(case, verdict) if n.kind == "function-of-entries")
    return next(((stem,) for stem in taken if stem not in case.known.names.activations), None)


FUNCTION_OF_ENTRIES = Doubt(
    name="a function of numbers of an array",
    code="ambiguous",
    sentence="false if {}, which is defined for numbers, is taken of each entry here; it may be meant otherwise",
    test=with_function_of_entries,
    needed=r"Let $$g(w) = w^2 .$$ For $x, y \in \mathbb{R}^d$ always $$g(x + y) = g(x) + g(y) .$$",
    silent=r"Let $$g(w) = w^2 .$$ For $x, y \in \mathbb{R}$ always $$g(x + y) = g(x) + g(y) .$$",
    yields=True,
)
