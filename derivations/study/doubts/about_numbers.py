"""Doubts about numbers in a refuted claim: they may be put in for names, rounded, or be the values of one case."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import pairwise

from flint import arb, fmpq

from derivations.documents.facts.role_words import Part
from derivations.kernel.definition import instance
from derivations.language.extended_reals import ball
from derivations.language.inputs import Inputs
from derivations.language.meaning import evaluate
from derivations.language.statement import Statement, Theory
from derivations.language.substitution import own_indices, subterms, term_sizes
from derivations.language.term import (
    Add,
    Apply,
    Entry,
    Index,
    IndexValue,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    at_least,
    guard,
)
from derivations.latex.lexicon.written_names import Written
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import Adjacent, Enclosed, Fraction, Infix, Literal, Name, Node, Scripted, walk
from derivations.provers.decide import Refuted
from derivations.provers.refute import all_sizes
from derivations.study.decimals import is_fixed, is_rounded_power, may_be_rounded
from derivations.study.doubts.doubt import CROSS_ENTROPY, Doubt
from derivations.study.equation_walk import is_number
from derivations.study.said_of_relations import Said
from derivations.study.verdict import Case, Verdict, all_heads, heads_below
from derivations.study.where_stated import is_closed

_ARITHMETIC = (Number, IndexValue, Entry, Add, Mul, Pow)
"""What a reckoning with numbers is made of."""


def _is_value(node: Node) -> bool:
    r"""A number, or an array of one number: `0.5`, `\mathbf 1`."""
    return is_number(node) or (isinstance(node, Name) and node.base.isdigit())


def _given(case: Case, heads: AbstractSet[str]) -> AbstractSet[str]:
    """The names for which no value is put in."""
    return heads - case.theory.definitions.keys()


def with_entries_set_to_numbers(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A given name of which an equation before the claim says what it is in a case.

    It sets the entries to numbers in the section of the claim, `y_t = 1`, or stands under "if" anywhere.
    """
    heads, known = heads_below(case, verdict), case.known
    for stem, section in known.walk.special.items():
        symbol = known.table.symbols.get(stem)
        if symbol is not None and not symbol.defined and section in ((), case.item.section):
            if symbol.head in _given(case, heads):
                return (stem,)
    return None


ENTRIES_SET = Doubt(
    name="entries that are set to numbers",
    code="special-case",
    sentence="false in general, but {} is given a value for a case",
    test=with_entries_set_to_numbers,
    needed=(
        CROSS_ENTROPY
        + r"The label of class $t$ has $$y_t = 1.$$ Its gradient is $$\frac{\partial L}{\partial z_t} = p_t - "
        r"1.$$"
    ),
    silent=CROSS_ENTROPY + r"Its gradient is $$\frac{\partial L}{\partial z_t} = p_t - 1.$$",
    yields=True,
)


def with_numbers_for_names(case: Case, verdict: Verdict) -> tuple[()] | None:
    """Lengths and given numbers against a number: `$4 d^2 = 4 \\cdot 512^2$`, where the author has put numbers for them."""
    statement, theory = verdict.statement, case.theory
    if statement is not None and statement.relation == "=" and _partly_put_in(statement.left, statement.right, theory):
        return ()
    if is_number(case.right) == is_number(case.left) or statement is None:
        return None
    heads = set(all_heads(statement, theory)) - theory.constants
    if not heads:
        return () if term_sizes(statement.left) or term_sizes(statement.right) else None  # `e^2 = 7.4` has no names
    given = heads - theory.definitions.keys()
    parts = [t for side in (statement.left, statement.right) for t in subterms(side)]
    arithmetic = all(isinstance(t, _ARITHMETIC) and not (isinstance(t, Entry) and t.args) for t in parts)
    return () if given and arithmetic and all(theory.shape(h) == () for h in given) else None


NUMBERS_FOR_NAMES = Doubt(
    name="numbers for lengths and names",
    code="special-case",
    sentence="false in general, but stated numbers are put for the names here",
    test=with_numbers_for_names,
    needed=r"The four weights have $$P = 4 d^2$$ entries. Hence half of them are $$Q = P / 2 = 2 \cdot 512^2 .$$",
    silent=r"The four weights have $$P = 4 d^2 = 3 d^2$$ entries.",
)


def with_numbers_in_definition(case: Case, verdict: Verdict) -> tuple[str] | None:
    """The definition of a name with numbers in the place of names that are given: `y = 1 x + 0` for `y = a x + b`."""
    s, theory = verdict.statement, case.theory
    if s is None or not isinstance(s.left, Entry):
        return None
    for d in theory.definitions.get(s.left.name, ()):
        found = instance(d, s.left, s.left.free, s.guard)
        if found is not None and _partly_put_in(found[0], s.right, theory):
            return (case.known.walk.stems.get(s.left.name, s.left.name),)
    return None


def _partly_put_in(general: Term, special: Term, theory: Theory) -> dict[Term, Term] | None:
    """The numbers that make the second term of the first one, where they do not make all of it."""
    whole = isinstance(general, IndexValue | Sum) and isinstance(special, Number)
    return None if whole else _put_in(general, special, theory)


def _put_in(general: Term, special: Term, theory: Theory) -> dict[Term, Term] | None:
    """The numbers that make the second term of the first one; None where it is not made so."""
    if general is special:
        return {}
    if isinstance(general, Entry | IndexValue | Sum) and isinstance(special, Number):
        is_given = bool(general.heads or term_sizes(general)) and general.heads <= theory.tensors.keys()
        return {general: special} if is_given and not general.free else None
    if type(general) is not type(special) or len(general.children) != len(special.children) or not general.children:
        return None
    put_in: dict[Term, Term] = {}
    for one, other in zip(general.children, special.children, strict=True):
        found = _put_in(one, other, theory)
        if found is None or any(put_in.get(name, value) is not value for name, value in found.items()):
            return None
        put_in.update(found)
    return put_in if general.with_children(special.children) is special else None


NUMBERS_IN_DEFINITION = Doubt(
    name="numbers in the place of names of a definition",
    code="special-case",
    sentence="false in general, but it is the definition of {} with numbers put in for names",
    test=with_numbers_in_definition,
    needed=r"For numbers $x, a, b$ let $$y = a x + b.$$ Therefore, at first, $$y = 1 x + 0.$$",
    silent=r"For numbers $x, a, b$ let $$y = a x + b.$$ Therefore, at first, $$y = 2 a x + b.$$",
)


def with_values_stated(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A number for what takes other values for other inputs, where the text states numbers for some of them.

    A worked example puts them in: `w = 2`, `z = w x = (2 \\times 1) = 2`, and `\\partial J / \\partial w = 6` after it.
    """
    heads, known = heads_below(case, verdict), case.known
    if not any(_is_value_of_inputs(s, case.theory) for s in verdict.statements):
        return None
    for item in (item for items in known.formulas.values() for item in items):
        chain = item.reading.chain
        if chain.first is None or [r for r, _ in chain.links] != ["="] or not _is_value(chain.links[0][1]):
            continue
        w = known.names.written(chain.first)
        symbol = known.table.symbols.get(w.stem) if w is not None else None
        if symbol is not None and not symbol.defined and symbol.head in _given(case, heads):
            return (symbol.stem,)
    return None


def _is_value_of_inputs(s: Statement, theory: Theory) -> bool:
    """Whether one side is reckoned from numbers alone, and the other one has several values."""
    closed = [not t.heads and not term_sizes(t) for t in (s.left, s.right)]
    if s.indices or closed[0] == closed[1]:
        return False
    open_side = s.right if closed[0] else s.left
    sizes = dict.fromkeys(all_sizes(s, theory), 2)
    try:
        values = {str(evaluate(open_side, theory, Inputs(sizes, seed=str(k)))) for k in range(8)}
    except (ArithmeticError, KeyError):
        return True
    return len(values) > 1


VALUES_STATED = Doubt(
    name="numbers that the text states for inputs",
    code="special-case",
    sentence="false in general, but the text states a number for {}",
    test=with_values_stated,
    needed="The values are $x = 1$ and $w = 2$.\n\n"
    r"With $$J = (w x - 1)^2$$ we find $$\frac{\partial J}{\partial w} = 2 .$$",
    silent="The values are $x = 1$ and $w = 2$.\n\n"
    r"With $$J = (w x - 1)^2$$ we find $$\frac{\partial J}{\partial w} = w .$$",
)


def with_rounded_power(case: Case, verdict: Verdict) -> tuple[()] | None:
    """A power of ten that says how large a number is: `2 \\cdot 512 = 10^3`."""
    return () if is_rounded_power(verdict.statements, case.theory, case.right) else None


ROUNDED_POWER = Doubt(
    name="a power of ten, rounded",
    code="rounded-number",
    sentence="false as it stands, but equal in the digits that are printed",
    test=with_rounded_power,
    needed=r"The model has $$2 \cdot 512 = 10^3$$ parameters.",
    silent=r"The model has $$3 \cdot 512 = 10^3$$ parameters.",
)


def with_rounded_parts(case: Case, verdict: Verdict) -> tuple[()] | None:
    """Numbers of which some are rounded on the way: `(1 - 1/1.46) \\cdot 2990 = 0.3151 \\cdot 2990`."""
    s = verdict.statement
    if s is None or s.relation != "=":
        return None
    return () if may_be_rounded(s, case.theory, case.left, case.right) else None


ROUNDED_PARTS = Doubt(
    name="numbers that are rounded on the way",
    code="rounded-number",
    sentence="false as it stands, but equal up to the rounding of the numbers in it",
    test=with_rounded_parts,
    needed=r"So $$2000 + \left(1 - \frac{1}{1.46}\right) \cdot 2990 = 2000 + 0.3151 \cdot 2990.$$",
    silent=r"So $$\frac{11}{20} = \frac{1}{2}.$$",
)


def with_quotients_rounded_down(case: Case, verdict: Verdict) -> tuple[()] | None:
    """Quotients of whole numbers that are rounded down without a sign for it, `223 / 2 + 1 = 111 + 1`, in a document that
    has such signs."""
    left, right = _rounded_down(case.left), _rounded_down(case.right)
    if left is None or left != right:
        return None
    readings = (i.reading for items in case.known.formulas.values() for i in items)
    floors = (n for r in readings for n in walk(r.chain) if isinstance(n, Enclosed) and n.kind == "floor")
    return () if next(floors, None) is not None else None


def _rounded_down(node: Node) -> int | None:
    """The value of an expression of whole numbers with all its quotients rounded down; None for any other expression."""
    if isinstance(node, Literal):
        return int(node.text) if node.text.isdigit() else None
    if isinstance(node, Enclosed) and node.kind == "()" and node.content is not None:
        return _rounded_down(node.content)
    if not isinstance(node, Infix | Fraction):
        return None
    a, b = map(_rounded_down, (node.left, node.right) if isinstance(node, Infix) else (node.above, node.below))
    sign = node.operator if isinstance(node, Infix) else "/"
    if a is None or b is None or (sign == "/" and not b):
        return None
    values = {"+": a + b, "-": a - b, "cdot": a * b, "times": a * b}
    return a // b if sign == "/" else values.get(sign)


ROUNDED_DOWN = Doubt(
    name="quotients that are rounded down",
    code="rounded-number",
    sentence="false as it stands, but equal where the quotients are rounded down",
    test=with_quotients_rounded_down,
    needed=r"There are $\lfloor n / s \rfloor + 1$ places, so we have $$223 / 2 + 1 = 111 + 1$$ of them.",
    silent=r"There are $\lfloor n / s \rfloor + 1$ places, so we have $$223 / 2 + 1 = 110 + 1$$ of them.",
)


def with_mixed_number(case: Case, verdict: Verdict) -> tuple[()] | None:
    """A whole number right before a proper fraction of whole numbers: `3 \\frac{1}{2}` may be their sum."""
    nodes = (n for side in (case.left, case.right) for n in walk(side) if isinstance(n, Adjacent))
    return () if any(_is_mixed(a, b) for n in nodes for a, b in pairwise(n.items)) else None


def _is_mixed(whole: Node, part: Node) -> bool:
    if not (isinstance(whole, Literal) and whole.text.isdigit() and isinstance(part, Fraction)):
        return False
    if isinstance(part.above, Fraction) and isinstance(part.below, Literal):  # 16 \frac{2}{3}\%
        part = part.above
    above, below = part.above, part.below
    if not (isinstance(above, Literal) and isinstance(below, Literal)):
        return False
    return above.text.isdigit() and below.text.isdigit() and int(above.text) < int(below.text)


MIXED_NUMBER = Doubt(
    name="a mixed number",
    code="ambiguous",
    sentence="false of a product, but a whole number before a fraction may be their sum",
    test=with_mixed_number,
    needed=r"The mean is $$3 \frac{1}{2} = \frac{7}{2}.$$",
    silent=r"The mean is $$3 \cdot \frac{1}{2} = \frac{7}{2}.$$",
)


def in_percent(case: Case, verdict: Verdict) -> tuple[()] | None:
    """A percentage against a number about a hundred times as large: `\\frac{8}{10} \\times 100 = 80\\%`."""
    sides = {any(isinstance(n, Literal) and n.is_percent for n in walk(side)) for side in (case.left, case.right)}
    if sides != {True, False} or verdict.statement is None:
        return None
    try:
        values = [evaluate(t, case.theory, Inputs({})) for t in (verdict.statement.left, verdict.statement.right)]
        small, large = sorted(abs(ball(v)) for v in values)
    except (ArithmeticError, KeyError, TypeError):
        return None
    return () if 90 * small < large and large < 110 * small else None


PERCENT = Doubt(
    name="a percentage as a number",
    code="ambiguous",
    sentence="false as it stands, but it may count in percent: a hundredth stands against a whole",
    test=in_percent,
    needed=r"The accuracy is $\frac{8}{10} \times 100 = 80\%$.",
    silent=r"The accuracy is $\frac{8}{10} = 70\%$.",
)


def with_logarithms_of_two_bases(case: Case, verdict: Verdict) -> tuple[()] | None:
    """A logarithm to a base on one side, and only logarithms without one on the other: these may be to that base too."""
    if verdict.statement is None:
        return None
    to_base, bare = zip(*map(_logarithms, (verdict.statement.left, verdict.statement.right)), strict=True)
    return () if (to_base[0] and bare[1] and not to_base[1]) or (to_base[1] and bare[0] and not to_base[0]) else None


def _logarithms(t: Term) -> tuple[bool, bool]:
    """Whether a term has a logarithm to a base, and one without."""
    terms = list(subterms(t))
    bases = [u.base for u in terms if isinstance(u, Pow) and u.exponent is Number(-1) and _is_log_of_number(u.base)]
    logs = [u for u in terms if isinstance(u, Apply) and u.function == "log"]
    return bool(bases), len(logs) > 2 * len(bases)


def _is_log_of_number(t: Term) -> bool:
    return isinstance(t, Apply) and t.function == "log" and isinstance(t.arg, Number)


LOGARITHMS = Doubt(
    name="logarithms of two bases",
    code="ambiguous",
    sentence="false of natural logarithms, but the ones without a base may be to the base of the other side",
    test=with_logarithms_of_two_bases,
    needed=r"The information is $$\log 4 + \log 2 = \log_2 8 .$$",
    silent=r"The information is $$\log_2 4 + \log_2 2 = 2 \log_2 8 .$$",
)


MAX_STEPS = 5
"""Prefixes between two units, from kilo to peta."""
_UNITS = frozenset(
    {8, 60, 3600}  # bits of a byte, seconds of a minute and of an hour
    | {few * step**k for step in (1000, 1024) for few in (1, 8) for k in range(1, MAX_STEPS + 1)}
)
"""How many of one unit make another one."""
_WITHIN = arb("0.05")
"""How close the ratio of two numbers is to that of units: they are printed with two digits or more."""


def in_another_unit(case: Case, verdict: Verdict) -> tuple[()] | None:
    """Numbers whose ratio is that of two units: `7 \\cdot 10^9 \\cdot 2 = 14`, of bytes and of gigabytes."""
    s = verdict.statement
    if s is None or s.relation != "=" or s.indices or not is_fixed(s, case.theory):
        return None
    try:
        left, right = (abs(ball(evaluate(t, case.theory, Inputs({})))) for t in (s.left, s.right))
        ratio = left / right if left > right else right / left
    except (ArithmeticError, KeyError, TypeError):
        return None
    return () if any(abs(ratio / u - 1) < _WITHIN for u in _UNITS) else None


OTHER_UNIT = Doubt(
    name="numbers in two units",
    code="ambiguous",
    sentence="false as it stands, but the two sides may count in different units",
    test=in_another_unit,
    needed=r"The weights take $7 \cdot 10^9 \cdot 2 = 14$ gigabytes.",
    silent=r"The weights take $7 \cdot 10^9 \cdot 2 = 17$ gigabytes.",
)


def _counts(terms: Iterable[Term]) -> set[str]:
    """The lengths that are numbers in terms."""
    return {n for u in terms if isinstance(u, IndexValue) for n in u.index.sizes}


def counts_what_is_given(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A number of things, on one side alone, of names of which it is no length: their entries may tell how many."""
    s, theory = verdict.statement, case.theory
    if s is None:
        return None
    terms = [u for side in (s.left, s.right) for u in theory.reached(side)]
    heads = set(all_heads(s, theory))
    lengths = {n for h in heads if h in theory.tensors for axis in theory.tensors[h].shape for n in axis.sizes}
    lengths |= {n for u in terms if not isinstance(u, IndexValue) for index in own_indices(u) for n in index.sizes}
    worked = case.known.table.worked_out
    sides = [
        t if worked is None else worked(t, theory, s.guard) for t in (s.left, s.right)
    ]  # what cancels is no matter
    written = [_counts(subterms(t)) for t in sides]
    below = [_counts(theory.reached(t)) for t in (s.left, s.right)]
    alone = ((written[0] - below[1]) | (written[1] - below[0])) & case.known.names.sizes - lengths
    claimed = lengths | _counts(u for s in case.statements for side in (s.left, s.right) for u in theory.reached(side))
    counted = sorted(alone - {n for n in alone if _is_related(case, n, claimed)})
    return (counted[0],) if counted else None


def _is_related(case: Case, length: str, claimed: AbstractSet[str]) -> bool:
    """Whether the text says what a length is in terms of others of a claim: `r = H / G` for one about r, H and G."""
    said = (r.constraint for r in case.known.walk.lengths if not r.is_case)
    said = (c for c in said if c.relation == "==" and length in c.index.sizes)
    return any(c.index.sizes <= claimed for c in said)


_PROPORTION = r"For $y \in \mathbb{R}^N$ let $$p = \frac{1}{N} \sum_{i=1}^N y_i.$$ "
COUNTED = Doubt(
    name="the number of some of the things that are given",
    code="ambiguous",
    sentence="false for any number {}, but it may be counted among what is given",
    test=counts_what_is_given,
    needed=_PROPORTION + r"Here $M$ is the number of points of the first class. Thus $$p = \frac{M}{N}.$$",
    silent=_PROPORTION + r"Thus $$p = \frac{1}{N}.$$",
)


def false_at_zero_alone(case: Case, verdict: Verdict) -> tuple[()] | None:
    r"""What holds of every number but 0, which nobody meant: `A^n = \dots` for the powers of a matrix."""
    s = verdict.statement
    if s is None or s.relation != "=":
        return None
    for v in s.indices:
        own = [c for c in s.guard if v in c.index.free]
        if not own or any(c.index.sizes or len(c.index.free) > 1 for c in own):
            continue  # the place of an entry
        from_one = (replace(t, guard=guard(*t.guard, at_least(Index.var(v), 1))) for t in verdict.statements)
        if not any(isinstance(case.known.decide(t, case.theory), Refuted) for t in from_one):
            return ()
    return None


_SHIFT = r"Let $$A = \begin{bmatrix} 1 & 1 & 0 \\ 0 & 0 & 1 \\ 0 & 0 & 1 \end{bmatrix}.$$ We get $$A^n = "
ZERO_ALONE = Doubt(
    name="a number that may begin at 1",
    code="ambiguous",
    sentence="false for 0 alone, but the number may begin at 1",
    test=false_at_zero_alone,
    needed=_SHIFT + r"\begin{bmatrix} 1 & 1 & n - 1 \\ 0 & 0 & 1 \\ 0 & 0 & 1 \end{bmatrix}.$$",
    silent=_SHIFT + r"\begin{bmatrix} 1 & 1 & n + 1 \\ 0 & 0 & 1 \\ 0 & 0 & 1 \end{bmatrix}.$$",
)

_DEGREES = re.compile(r"\bdegrees?\b|°", re.IGNORECASE)
_TURNING = frozenset({"sin", "cos"})


def with_angles_in_degrees(case: Case, verdict: Verdict) -> tuple[()] | None:
    """A sine or a cosine of a number, where the paragraph speaks of degrees or the claim is true of that many."""
    s = verdict.statement
    if s is None:
        return None
    sides = (s.left, s.right)
    turned = [_turned(t) for t in sides]
    if turned == list(sides):
        return None
    if _DEGREES.search(case.item.context.paragraph):
        return ()
    try:
        left, right = (ball(evaluate(t, case.theory, Inputs({}))) for t in turned)
    except (ArithmeticError, KeyError):
        return None
    return () if s.relation == "=" and abs(left - right) < _NEARLY else None


_NEARLY = arb("1e-12")
"""How close the two sides are with angles in degrees, whose sines are taken to 15 digits."""


def _turned(t: Term) -> Term:
    """A term with the sines and cosines of that many degrees in the place of those of numbers."""
    if isinstance(t, Apply) and t.function in _TURNING and isinstance(t.arg, Number) and t.arg.value:
        angle = arb(t.arg.value) * arb.pi() / 180
        value = angle.sin() if t.function == "sin" else angle.cos()
        return Number(fmpq(round(float(value.mid()) * 10**15), 10**15))
    return t.with_children([_turned(c) for c in t.children]) if t.children else t


DEGREES = Doubt(
    name="angles in degrees",
    code="ambiguous",
    sentence="false of an angle in radians, but the angles may be in degrees",
    test=with_angles_in_degrees,
    needed=r"The first part is $60 \cos(60) = 30$.",
    silent=r"The first part is $60 \cos(60) = 40$.",
)


def at_one_argument(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A number for a function at something given: `v(A) = 2`, where A may be one thing and no variable."""
    if Part.UNIVERSAL in Said.of(case).parts:
        return None
    names = {_called(s, case.theory) for s in verdict.statements}
    name = names.pop() if len(names) == 1 else None
    return None if name is None else (case.known.walk.stems.get(name, name),)


def _called(s: Statement, theory: Theory) -> str | None:
    """The function that a number is given for, at arguments that are not all known."""
    call, value = (s.left, s.right) if is_closed(s.right) else (s.right, s.left)
    if s.relation != "=" or not isinstance(call, Entry) or not is_closed(value):
        return None
    arguments = {h for a in call.args for h in a.body.heads}
    return call.name if arguments - theory.definitions.keys() else None


ONE_ARGUMENT = Doubt(
    name="a number for a function at one argument",
    code="special-case",
    sentence="false for every argument of {}, but the text may speak of one",
    test=at_one_argument,
    needed=r"For a number $x$ let $f(x) = 3x + 1$. Hence $f(a) = 4$.",
    silent=r"For a number $x$ let $f(x) = 3x + 1$. We have $f(x) = 3x + 2$.",
)


def with_other_letter_below(case: Case, verdict: Verdict) -> tuple[str] | None:
    """An equation for an entry, where the text has one for an entry with another letter: `x_A = 1` and `x_B = 13`.

    They are two for sure where both are numbers, or no sum of the document runs over the letters.
    """
    w = _named(case, case.left)
    own = _letter_below(w)
    if w is None or own is None or own in case.known.names.sizes:
        return None
    bound = case.known.names.bound
    for item in (item for items in case.known.formulas.values() for item in items):
        chain = item.reading.chain
        if chain.first is None or not chain.links or chain.links[0][0] != "=":
            continue
        other = _named(case, chain.first)
        letter_there = _letter_below(other)
        if other is None or other.stem != w.stem or letter_there in (None, own, *case.known.names.sizes):
            continue
        if (is_number(case.right) and is_number(chain.links[0][1])) or not {own, letter_there} & bound:
            return (own,)
    return None


def _named(case: Case, left: Node) -> Written | None:
    """The name that a left side is, or whose value it gives: `H_x` of `H_x(k)`."""
    is_value = isinstance(left, Adjacent) and len(left.items) == 2 and isinstance(left.items[1], Enclosed)
    return case.known.names.written(left.items[0] if isinstance(left, Adjacent) and is_value else left)


def _letter_below(w: Written | None) -> str | None:
    """The one letter below a name."""
    return letter(w.slots[0].node) if w is not None and len(w.slots) == 1 else None


_HALVES = r"A layer maps $\mathbf{z}_A$ to $\mathbf{x}_A$ and $\mathbf{z}_B$ to $\mathbf{x}_B$. "

LETTER_FOR_ONE = Doubt(
    name="a letter that tells one entry from others",
    code="special-case",
    sentence="false for every {}, but the text may speak of one",
    test=with_other_letter_below,
    needed=_HALVES + r"We get $x_A = 1$ and $x_B = 5 \cdot 2 + 3$.",
    silent=_HALVES + r"We get $x_A = 1$ and $\sum_B x_B = 5 \cdot 2 + 3$.",
)


def of_cycles(case: Case, verdict: Verdict) -> tuple[()] | None:
    """Numbers in parentheses beside each other against one in parentheses: `(12)(23)(12) = (13)`, of permutations."""
    left = case.left.items if isinstance(case.left, Adjacent) else ()
    return () if sum(map(_is_in_parentheses, left)) > 1 and _is_in_parentheses(case.right) else None


def _is_in_parentheses(node: Node) -> bool:
    """A number in parentheses, with or without an exponent."""
    base = node.base if isinstance(node, Scripted) else node
    return isinstance(base, Enclosed) and base.kind == "()" and isinstance(base.content, Literal)


CYCLES = Doubt(
    name="cycles of numbers",
    code="ambiguous",
    sentence="false as a product, but numbers in parentheses on both sides may be cycles of permutations",
    test=of_cycles,
    needed=r"It follows that $(12)(23)(12) = (13)$.",
    silent=r"It follows that $(12)(23)(12) = 13$.",
)
