"""Doubts about the names of a refuted claim: what nothing says of them, and what an equation may be there to say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations

from derivations.documents.model.document import Heading, Prose
from derivations.language.statement import Definition, Statement, Tensor, Theory
from derivations.language.substitution import fresh, substitute
from derivations.language.term import (
    BINOMIAL,
    DETERMINANT,
    FACTORIAL,
    FUNCTIONS,
    UNKNOWN,
    Apply,
    Bracket,
    Derivative,
    Entry,
    Index,
    Lambda,
    Mul,
    Term,
    equal,
)
from derivations.latex.elaborator.counting import counts_in
from derivations.latex.elaborator.sums_without_index import outside
from derivations.latex.lexicon.settled_kinds import is_inverse_power
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.syntax.function_names import plain_stem
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import (
    Adjacent,
    Cases,
    Chain,
    Operator,
    Scripted,
    walk,
)
from derivations.provers.decide import Refuted
from derivations.study.doubts.doubt import SOFTMAX, Doubt
from derivations.study.verdict import Case, Verdict, all_heads, heads_below, heads_of_law, notes_below


def with_stated_gradient(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A gradient that an equation states, of a loss of which nobody says how it depends on things."""
    heads = heads_below(case, verdict)
    return next(((missing,) for head, missing in case.known.table.gradients.items() if head in heads), None)


_PRODUCT = (
    r"For $X \in \mathbb{R}^{n \times d}$, $W \in \mathbb{R}^{d \times k}$ and $T \in \mathbb{R}^{n \times k}$ "
    r"let $$Y = X W.$$ "
)

STATED_GRADIENT = Doubt(
    name="a gradient that is only stated",
    code="ambiguous",
    sentence="false as read, but {} is not stated",
    test=with_stated_gradient,
    needed=_PRODUCT + r"$$\frac{\partial L}{\partial Y} = Y - T$$ $$\frac{\partial L}{\partial Y} = T - Y$$",
    silent=(
        _PRODUCT
        + r"$$L = \frac{1}{2} \sum_{i=1}^n \sum_{j=1}^k (Y_{ij} - T_{ij})^2$$ $$\frac{\partial L}{\partial Y} = "
        r"T - Y$$"
    ),
)


def with_values_of_function(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A function of which a claim only has values, where not every choice of them comes from such a function.

    Any vectors are its values at distinct given vectors of which the claim says nothing else.
    """
    heads, known = heads_below(case, verdict), case.known
    for head, (function, argument) in known.table.values.items():
        if head in heads and (argument in heads or argument not in case.theory.tensors or function in known.properties):
            return (function,)
    return None


_FEATURES = r"Queries and keys $q_i, k_i \in \mathbb{R}^{d}$ are columns and $\phi$ maps to vectors. "

VALUES_OF_FUNCTION = Doubt(
    name="values of one function",
    code="ambiguous",
    sentence="false for some vectors as values of {}, but not all may be",
    test=with_values_of_function,
    needed=_FEATURES + r"$$(q_t^\top k_t) \, \phi(q_t)^\top \phi(k_t) = 2 q_t^\top k_t + \phi(q_t)^\top \phi(k_t)$$",
    silent=_FEATURES + r"$$\phi(q_t)^\top \phi(k_t) = 2 \phi(q_t)^\top \phi(k_t)$$",
)


def with_factorials(case: Case, verdict: Verdict) -> tuple[str] | None:
    r"""Factorials or binomial coefficients of names: a counterexample takes any values for them."""
    found = counts_in(verdict.statements, case.theory)
    return (min(found).removeprefix(UNKNOWN),) if found else None


FACTORIALS = Doubt(
    name="factorials of names",
    code="ambiguous",
    sentence="false for some function in the place of {}; of the one that is meant only values at numbers are used",
    test=with_factorials,
    needed=r"Always $$2 n! = 2 n (n - 1)! .$$",
    silent=r"Always $$2 \cdot 3! = 2 \cdot 2 \cdot 2! .$$",
)


def with_unknown_function(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A function that nothing defines and that one side alone has, or its derivative, or that is all of a side or definition."""
    theory = verdict.theory or case.theory
    for s in verdict.statements:
        arrays = [_functions_of_arrays(side, theory) for side in (s.left, s.right)]
        maps = {UNKNOWN + stem for stem in case.known.names.maps}
        if strange := (arrays[0] | arrays[1]) - (arrays[0] & arrays[1] & maps):
            return (plain_stem(min(strange).removeprefix(UNKNOWN)),)
        one, other = (
            {t.function for t in theory.reached(side) if isinstance(t, Apply)} - FUNCTIONS for side in (s.left, s.right)
        )
        if one ^ other:
            return (min(one ^ other),)
        rates = [_functions_under_derivatives(side, theory) for side in (s.left, s.right)]
        if told := rates[0] ^ rates[1]:  # g' = g (1 - g) says what g is
            return (min(told),)
    unknown = {s.head: s.stem for s in case.known.given if s.call is not None}
    sides = [side for s in verdict.statements for side in (s.left, s.right)]
    for s in verdict.statements:
        for head in all_heads(s, theory):  # a = f(x) without more says nothing of a
            sides += [d.body for d in theory.definitions.get(head, ())]
    return next(((unknown[t.name],) for t in sides if isinstance(t, Entry) and t.name in unknown), None)


def _functions_under_derivatives(side: Term, theory: Theory) -> frozenset[str]:
    """The functions that nothing defines of which a side has a derivative."""
    bodies = (t.body for t in theory.reached(side) if isinstance(t, Derivative))
    return frozenset(t.function for b in bodies for t in theory.reached(b) if isinstance(t, Apply)) - FUNCTIONS


def _functions_of_arrays(side: Term, theory: Theory) -> frozenset[str]:
    """The functions of arrays that nothing defines, on a side of a claim; of a declared map nobody says more."""
    reached = (t for t in theory.reached(side) if isinstance(t, Entry) and t.is_unknown)
    return frozenset(t.name for t in reached) - {FACTORIAL, BINOMIAL, DETERMINANT}


UNKNOWN_FUNCTION = Doubt(
    name="an unknown function",
    code="ambiguous",
    sentence="nothing says what the function {} is",
    test=with_unknown_function,
    needed=SOFTMAX + r"Hence, for two classes, $p_1 = \sigma(z_1 - z_2)$.",
    silent=SOFTMAX + r"Hence, for two classes, $p_1 = \sin(z_1 - z_2)$.",
    yields=True,
)


def of_steps(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A derivative by a name of which an equation gives each from the one before: it acts through the later ones too."""
    through = (n for n in notes_below(case, verdict) if n.kind == "loss-through")
    return next(((name,) for n in through if (name := str(n.arguments[1])) in case.known.stepped), None)


STEPPED_NAME = Doubt(
    name="a name that steps",
    code="ambiguous",
    sentence="false as read, but each {} depends on the one before",
    test=of_steps,
    needed=(
        r"For $t = 1, \dots, T$ let $$h_t = u h_{t-1} + x_t$$ and $o_t = v h_t$, and let $L$ be a loss of the outputs. Then "
        r"$$\frac{\partial L}{\partial h_t} = v \frac{\partial L}{\partial o_t} + u \frac{\partial L}{\partial h_{t+1}}$$"
    ),
    silent=(
        r"For $t = 1, \dots, T$ let $o_t = v h_t$, and let $L$ be a loss of the outputs. Then "
        r"$$\frac{\partial L}{\partial h_t} = 2 v \frac{\partial L}{\partial o_t}$$"
    ),
)


def with_class_of_one_hot(case: Case, verdict: Verdict) -> tuple[str, str] | None:
    """A one-hot name and an index that one side has alone: the class c in `-\\log p_c = -\\sum_k y_k \\log p_k`."""
    heads, known = heads_below(case, verdict), case.known
    hot = [s.stem for s in known.table.symbols.values() if s.stem in known.table.one_hot and s.head in heads]
    alone = set(outside(known.names, case.left)) ^ set(outside(known.names, case.right))
    free = {c for c in alone - known.names.sizes if any(c in s.indices for s in verdict.statements)}
    return (min(free), hot[0]) if hot and free else None


CLASS_OF_ONE_HOT = Doubt(
    name="the class of a one-hot vector",
    code="ambiguous",
    sentence="nothing says how {} and {} are related",
    test=with_class_of_one_hot,
    needed=(
        r"With true class $c$ (one-hot encoded as $y$): $$p_k = \frac{e^{z_k}}{\sum_j e^{z_j}}$$ $$-\log p_c "
        r"= -\sum_k y_k \log p_k$$"
    ),
    silent=(
        r"With a one-hot vector $y$: $$p_k = \frac{e^{z_k}}{\sum_j e^{z_j}}$$ $$-2 \sum_k y_k \log p_k = "
        r"-\sum_k y_k \log p_k$$"
    ),
)


def with_names_of_one_letter(case: Case, verdict: Verdict) -> tuple[str, str] | None:
    """Two given names, w and W, of which the statement has one and a definition behind it the other.

    Or both stand behind it, and one is the values of a function.
    Or a given s on one side of the statement, and an S that is defined on the other.
    """
    table = case.known.table
    symbols = list(table.symbols.values())
    own = {h for s in verdict.statements for h in (*s.left.heads, *s.right.heads)}
    behind = heads_below(case, verdict) - own
    given = [s for s in case.known.given if s.parameters is None]
    others = [s for s in given if s.head in behind]
    for s in verdict.statements:
        for one, other in ((s.left, s.right), (s.right, s.left)):
            if any(g.head in one.heads - other.heads for g in given):
                others += [d for d in symbols if d.defined and d.head in other.heads - one.heads]
    of_function = [s for s in given if s.head in behind and s.head in table.values]  # phi(k_j) beside the matrix Phi_K
    parts = {n for named in (table.rows, table.columns) for pair in named.items() for n in pair}
    for first in (*(s for s in given if s.head in own), *of_function):
        for second in others:
            a, b = first.stem, second.stem
            told = {a, b} & parts or first.head in _heads_of(case, second.head) or _is_supposed(verdict, first, second)
            if a != b and a.lower() == b.lower() and not told:
                return a, b
    return None


def _is_supposed(verdict: Verdict, one: Symbol, other: Symbol) -> bool:
    """Whether what is supposed says how two names are related: `x_t = x`."""
    supposed = (h for s in verdict.statements for h in s.hypotheses if h.relation == "=")
    return any({one.head, other.head} <= h.left.heads | h.right.heads for h in supposed)


def _heads_of(case: Case, head: str) -> set[str]:
    """The names in the definition of a name: X is told to be made of x by `X = [x_1, …, x_n]`."""
    return {h for d in case.theory.definitions.get(head, ()) for h in d.body.heads}


NAMES_OF_ONE_LETTER = Doubt(
    name="two names of one letter",
    code="ambiguous",
    sentence="nothing says how {} and {} are related",
    test=with_names_of_one_letter,
    needed=(
        r"Let $W \in \mathbb{R}^{n \times n}$ and $w, x \in \mathbb{R}^n$. $$y = W x$$ Then $$w^\top y = "
        r"w^\top x.$$"
    ),
    silent=(
        r"Let $W \in \mathbb{R}^{n \times n}$ and $v, x \in \mathbb{R}^n$. $$y = W x$$ Then $$v^\top y = "
        r"v^\top x.$$"
    ),
)


def with_unrelated_names(case: Case, verdict: Verdict) -> tuple[str, str] | None:
    """Two given names, one written on each side only and not both declared: one is put for the other unsaid."""
    if verdict.statement is None:
        return None
    table = case.known.table
    sides = (verdict.statement.left, verdict.statement.right)
    given = {s.head: s for s in case.known.given if s.parameters is None and s.head not in case.theory.definitions}
    below = [_with_laws(side, case.theory) for side in sides]
    alone = [[given[h] for h in sorted(own - other) if h in given] for own, other in (below, below[::-1])]
    for one in alone[0]:
        for two in alone[1]:
            if _is_supposed(verdict, one, two):
                continue
            a, b = one.stem, two.stem
            both = {a, b} <= set(table.declared) and a.lower() != b.lower()  # h_j and H: rows or columns?
            if not both and not {a, b} & set(table.laws):
                return a, b
    return None


def _with_laws(side: Term, theory: Theory) -> set[str]:
    """The names of a side, of what it rests on, and of the laws of the random ones."""
    found = set(all_heads(Statement(side, "=", side), theory))
    return found.union(*(heads_of_law(h, theory) for h in found))


_TOTAL = r"For $x \in \mathbb{R}^n$ let $$s = \sum_{i=1}^n x_i.$$ "

UNRELATED_NAMES = Doubt(
    name="a name on each side",
    code="ambiguous",
    sentence="nothing says how {} and {} are related",
    test=with_unrelated_names,
    needed=_TOTAL + r"Then $$2 s + \sum_{i=1}^n x_i u_i = 2 s + \sum_{i=1}^n x_i w_i.$$",
    silent=(
        r"With $u, w \in \mathbb{R}^n$. "
        + _TOTAL
        + r"Then $$2 s + \sum_{i=1}^n x_i u_i = 2 s + \sum_{i=1}^n x_i w_i.$$"
    ),
)


def with_name_to_tell(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A given name that an equation about given names may be what tells: nothing declares it, and it stands on the
    right alone, or is the left side.

    `a \\cdot b = |a| |b| \\cos\\alpha` says what alpha is.
    """
    table, theory = case.known.table, case.theory
    for s in verdict.statements:
        own = {*s.left.heads, *s.right.heads}
        if s.relation != "=" or s.hypotheses or own & {*theory.definitions, *theory.random}:
            return None
    told: set[str] = set()
    for s in verdict.statements:
        told |= s.right.heads - s.left.heads
        told |= s.left.heads - s.right.heads if isinstance(s.left, Entry) else set()
    stems = {s.head: s.stem for s in table.symbols.values()}
    told.discard(DETERMINANT)
    found = min((stem for h in told if (stem := stems.get(h, h)) not in table.declared), default=None)
    return None if found is None else (found,)


NAME_TO_TELL = Doubt(
    name="a name that the equation tells",
    code="ambiguous",
    sentence="false for some {0}, but it may say what {0} is: nothing else does",
    test=with_name_to_tell,
    needed=r"For $a, b \in \mathbb{R}^d$ we have $$a \cdot b = \|a\| \|b\| \cos\alpha$$",
    silent=r"For $a, b \in \mathbb{R}^d$ we have $$a \cdot b = \|a\| \|b\|$$",
)


def with_unread_steps(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A name of which an equation gives each from the one before, and of which only single entries are understood."""
    heads, known = heads_below(case, verdict), case.known
    for symbol in known.table.symbols.values():
        rows = case.theory.definitions.get(symbol.head, ())
        single = bool(rows) and all(d.indices and all(i.is_constant for i in d.indices) for d in rows)
        if symbol.stem in known.stepped and symbol.head in heads and single:
            return (symbol.stem,)
    return None


UNREAD_STEPS = Doubt(
    name="a recurrence that is not read",
    code="property-not-read",
    sentence="false in general, but how each {} comes from the one before is not understood",
    test=with_unread_steps,
    needed=(
        r"The averages are $$m_t = m_{t-1} \oplus g_t, \qquad h_t = 2 m_t .$$ Hence the first step has "
        r"$m_1 = 0.1 g_1$ . Hence $h_1 = g_1$."
    ),
    silent=r"Let $$h_t = 2 m_t .$$ The first step has $m_1 = 0.1 g_1$. Hence $h_1 = g_1$.",
)


def with_labels(case: Case, verdict: Verdict) -> tuple[str] | None:
    r"""A name with an index that the document compares with an index, `c_n = e`: a label, which other numbers are none of."""
    names, below = case.known.names, heads_below(case, verdict)
    given = {s.stem for s in case.known.given if s.head in below}
    alone = {id(i.reading.chain) for items in case.known.formulas.values() for i in items}
    for n in (n for items in case.known.formulas.values() for i in items for n in walk(i.reading.chain)):
        if not isinstance(n, Chain) or n.first is None or [r for r, _ in n.links] not in (["="], ["!="]):
            continue
        for one, other in permutations((n.first, n.links[0][1])):
            w = names.written(one) if isinstance(one, Scripted) else None
            is_index = letter(other) in names.index_letters
            if w is not None and w.slots and is_index and w.stem in given and id(n) not in alone:
                return (w.stem,)
    return None


LABELS = Doubt(
    name="labels",
    code="ambiguous",
    sentence="false for some numbers, but {} is compared with an index, and only has values of an index",
    test=with_labels,
    needed=r"For $N$ tokens with choices $c_n$ let $$f_e = \frac{1}{N} \sum_{n=1}^{N} \mathbb{1}[c_n = e], \qquad "
    r"P_e = \frac{1}{N} \sum_{n=1}^N p_{ne} .$$ Hence $$\sum_{e=1}^{E} f_e = 1$$",
    silent=r"For $N$ tokens with scores $c_n$ let $$f = \frac{1}{N} \sum_{n=1}^{N} c_n.$$ Hence $$\sum_{n=1}^{N} c_n = 2 N f$$",
)


_DECOMPOSED = re.compile(
    r"\b(?:SVD|singular[- ]values?|eigen\w*|spectral|diagonal\w*|decompos\w+|factori[sz]ation|principal components?)\b",
    re.IGNORECASE,
)


def that_may_be_diagonal(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A given square matrix, in the middle of a decomposition, with which a claim holds where it is diagonal."""
    s, theory = verdict.statement, case.theory
    below = heads_below(case, verdict) - theory.definitions.keys() if s is not None else frozenset()
    middle = _middle_factors(case) if any(g.head in below for g in case.known.given) else frozenset()
    if s is None or not middle:
        return None
    for symbol in case.known.given:
        tensor = theory.tensors.get(symbol.head)
        if (
            symbol.head not in below
            or symbol.stem not in middle
            or tensor is None
            or len(tensor.shape) != 2
            or tensor.shape[0] is not tensor.shape[1]
        ):
            continue
        values = fresh(symbol.head, {*theory.tensors, *theory.definitions})
        body = Mul((Bracket((equal(Index.var("i"), Index.var("j")),)), Entry(values, (Index.var("i"),))))
        diagonal = {symbol.head: Lambda(("i", "j"), body)}
        further = Theory({**theory.tensors, values: Tensor(values, tensor.shape[:1])}, _put_into(theory, diagonal))
        if not isinstance(case.known.decide(_with(s, diagonal), further), Refuted):
            return (symbol.stem,)
    return None


def _middle_factors(case: Case) -> frozenset[str]:
    r"""The Sigma of `A = U \Sigma V^\top`: names between two factors, the last transposed or inverted, that are a side."""
    if not any(_DECOMPOSED.search(b.text.text) for b in case.known.document.blocks if isinstance(b, Prose | Heading)):
        return frozenset()
    sides = (n for items in case.known.formulas.values() for i in items for n in i.reading.chain.parts)
    products = (n.items for n in sides if isinstance(n, Adjacent) and len(n.items) == len(("U", "Sigma", "V")))
    written = case.known.names.written
    named = ((written(middle), written(last)) for _, middle, last in products)
    return frozenset(m.stem for m, v in named if m and v and (v.transposed or is_inverse_power(v.power)))


def _put_into(theory: Theory, tensors: Mapping[str, Lambda]) -> dict[str, tuple[Definition, ...]]:
    """All definitions with other arrays in the place of given ones."""
    return {
        name: tuple(replace(d, body=substitute(d.body, tensors=tensors)) for d in definitions)
        for name, definitions in theory.definitions.items()
    }


def _with(s: Statement, tensors: Mapping[str, Lambda]) -> Statement:
    left, right = (substitute(t, tensors=tensors) for t in (s.left, s.right))
    return replace(s, left=left, right=right, hypotheses=tuple(_with(h, tensors) for h in s.hypotheses))


MAYBE_DIAGONAL = Doubt(
    name="a matrix that may be diagonal",
    code="property-not-read",
    sentence="false of some {}, but not where it is diagonal, as one is in a decomposition",
    test=that_may_be_diagonal,
    needed=r"The decomposition is $$X = U \Sigma V^\top.$$ Then $$V^\top V \Sigma = V^\top V \Sigma^\top.$$",
    silent=r"The decomposition is $$X = U \Sigma V^\top.$$ Then $$X + U \Sigma V^\top = 3 U \Sigma V^\top.$$",
)


def of_function_by_cases(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A function with a name of its own, of one name, and its values by cases: that says what the author calls by this name."""
    left = case.left
    if not isinstance(left, Operator) or left.sup is not None or not isinstance(case.right, Cases):
        return None
    is_of_names = all(case.known.names.written(n) is not None for n in left.arguments)
    return (left.name,) if left.arguments and is_of_names else None


_SIGN = r"For a number $z$ let $y = 2 z$. The activation is $$\text{sign}(z) = \begin{cases} "
FUNCTION_BY_CASES = Doubt(
    name="a function by cases",
    code="ambiguous",
    sentence="false of the usual function {}, but the cases may say what is meant by it here",
    test=of_function_by_cases,
    needed=_SIGN + r"1 & \text{if } z \ge 0 \\ 0 & \text{if } z < 0 \end{cases}$$",
    silent=_SIGN.replace("= ", "= 2 z + ") + r"1 & \text{if } z \ge 0 \\ 0 & \text{if } z < 0 \end{cases}$$",
)
