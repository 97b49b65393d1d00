"""Doubts about what the text says: suppositions, special cases and properties that are not read."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from derivations.documents.facts.role_words import Part
from derivations.documents.facts.sentence_patterns import INDEPENDENT, PROPERTIES, SPECIAL, STRONGLY_SUPPOSED
from derivations.language.listed_arrays import leaves
from derivations.language.meaning import Inputs, ball, evaluate
from derivations.language.term import (
    Add,
    Entry,
    Expectation,
    IndexValue,
    Mul,
    Number,
    Pow,
    Statement,
    Theory,
    subterms,
    term_sizes,
)
from derivations.latex.lexicon.name_roles import Written
from derivations.latex.lexicon.symbol_table import MEMBERS
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import Literal, Name, Node, bare, walk
from derivations.provers.refute import all_sizes
from derivations.study.decimals import is_rounded_power
from derivations.study.doubts.doubt import CROSS_ENTROPY, SOFTMAX, Doubt
from derivations.study.equation_walk import is_number
from derivations.study.roles import Said
from derivations.study.verdict import Case, Verdict, all_heads, heads_below, keys_below
from derivations.study.where_stated import is_closed

_ARITHMETIC = (Number, IndexValue, Entry, Add, Mul, Pow)

"""What a reckoning with numbers is made of."""


def unread_property(case: Case, verdict: Verdict) -> tuple[str, str] | None:
    """A given tensor of a claim about which the text says something that is not read."""
    heads, known = heads_below(case, verdict), case.known
    for symbol in known.table.symbols.values():
        said = known.properties.get(symbol.stem, "")
        if symbol.head not in heads or not said:
            continue
        own = leaves(symbol.head, case.theory) if symbol.parameters is None else None
        if symbol.defined and not own:
            continue  # what it is called follows from its definition, or does not
        if symbol.stem in known.table.laws and re.match(r"indep|random|zero|unit var", said):
            continue
        if said == "random" and not _speaks_of_means(case, verdict):
            continue  # what is claimed of every value of it
        if said == "invertible" and _is_inverted(symbol.head, case, verdict):
            continue
        if _SUPPOSED.match(said) and _is_supposed(own or frozenset((symbol.head,)), verdict):
            continue  # it is decided for such ones
        if said.startswith("sum") and symbol.stem in known.row_sums and len(symbol.dims) == 2:
            continue  # it is decided for such rows
        return symbol.stem, said
    return None


UNREAD_PROPERTY = Doubt(
    name="a property in words",
    code="property-not-read",
    sentence="false in general, but the text calls {} {}, which is not read",
    test=unread_property,
    needed=r"Let $P \in \mathbb{R}^{n \times n}$ be an idempotent matrix. $$P^\top P = P P$$",
    silent=r"Let $P \in \mathbb{R}^{n \times n}$ be a permutation matrix. $$P^\top P = P P$$",
)


_KIND_OF_MATRIX = re.compile(r"projection|idempotent|orthogonal|orthonormal|unitary|rotation|permutation|involut")
"""What is so of a product such as `U U^\\top` for some U only."""


def of_defined_kind(case: Case, verdict: Verdict) -> tuple[str, str] | None:
    """A matrix that an equation defines and that the text calls of a kind: what it is made of may have to make it so."""
    heads, known = heads_below(case, verdict), case.known
    for symbol in known.table.symbols.values():
        said = known.properties.get(symbol.stem, "")
        own = leaves(symbol.head, case.theory) if symbol.parameters is None else None
        if own and _SUPPOSED.match(said) and _is_supposed(own, verdict):
            continue  # it is decided for such entries
        if symbol.defined and symbol.head in heads and len(symbol.dims) == 2 and _KIND_OF_MATRIX.match(said):
            return symbol.stem, said
    return None


DEFINED_KIND = Doubt(
    name="a kind of what is defined",
    code="property-not-read",
    sentence="false in general, but the text calls {} {}, which may restrict what it is made of",
    test=of_defined_kind,
    needed=r"Let $U \in \mathbb{R}^{n \times k}$ and $$P = U U^\top .$$ As $P$ is a projection, $$P P = P .$$",
    silent=r"Let $U \in \mathbb{R}^{n \times k}$ and $$P = U U^\top .$$ As $P$ is a product, $$P P = P .$$",
)


def _speaks_of_means(case: Case, verdict: Verdict) -> bool:
    """Whether a claim takes an expectation."""
    sides = (side for s in verdict.statements for side in (s.left, s.right))
    return any(isinstance(t, Expectation) for side in sides for t in case.theory.reached(side))


_SUPPOSED = re.compile(
    r"unit (?:vector|norm|length)|orthogonal|rotation|symmetric|diagonal|stochastic|positive|non-?negative|sums? to"
)
"""Properties of which facts make hypotheses."""


def _is_supposed(own: AbstractSet[str], verdict: Verdict) -> bool:
    """Whether a hypothesis of what is refuted speaks of one given array alone: its counterexample has the property."""
    spoken = ({*h.left.heads, *h.right.heads} for s in verdict.statements for h in s.hypotheses)
    return any(heads and heads <= own for heads in spoken)


def in_sentence_about_property(case: Case, verdict: Verdict) -> tuple[str] | None:
    """The sentence before speaks of a kind of matrices or vectors, and no name in it is said to be of that kind."""
    found = PROPERTIES.search(case.item.context.before)
    if found is None or any(s.hypotheses for s in verdict.statements) or not Said.of(case).is_given:
        return None
    table = case.known.table
    heads = heads_below(case, verdict)
    if found.group(0).lower() == "invertible" and any(_is_inverted(h, case, verdict) for h in heads):
        return None
    taken = table.permutations | table.one_hot | table.basis
    return None if any(s.stem in taken and s.head in heads for s in case.known.given) else (found.group(0).lower(),)


PROPERTY_IN_SENTENCE = Doubt(
    name="a property in the sentence",
    code="property-not-read",
    sentence="false in general, but the sentence speaks of what is {}, which is not read",
    test=in_sentence_about_property,
    needed=r"Let $A \in \mathbb{R}^{n \times n}$. An orthogonal matrix has this property: $$A^\top A = A A^\top$$",
    silent=r"Let $A \in \mathbb{R}^{n \times n}$. Every matrix has this property: $$A^\top A = A A^\top$$",
)


_KIND_IN_TITLE = re.compile(
    r"\b(?:(?:orthogonal|orthonormal|unitary|symmetric|diagonal|triangular|invertible|singular|idempotent|stochastic|"
    r"permutation|projection|rotation|commuting|definite) (?:matri(?:x|ces)|operators?|maps?|transformations?)|"
    r"(?:rotation|reflection|projection|permutation|involution)s?$)",
    re.IGNORECASE,
)
"""A kind of matrices that a heading names."""


def under_title_about_property(case: Case, verdict: Verdict) -> tuple[str] | None:
    """The heading above speaks of a kind of matrices, and no name in the claim is said to be of that kind."""
    found = _KIND_IN_TITLE.search(case.item.section[-1]) if case.item.section else None
    if found is None or any(s.hypotheses for s in verdict.statements) or not Said.of(case).is_given:
        return None
    symbols = {s.head: s for s in case.known.table.symbols.values()}
    below = (symbols[h] for h in heads_below(case, verdict) if h in symbols)
    return (found.group(0).lower(),) if any(len(s.dims) == 2 and s.parameters is None for s in below) else None


PROPERTY_IN_TITLE = Doubt(
    name="a property in the heading",
    code="property-not-read",
    sentence="false in general, but the heading speaks of {}, and whether this is about them is not read",
    test=under_title_about_property,
    needed="# Orthogonal matrices\n\n"
    r"Let $A = \begin{bmatrix} a & b \\ c & d \end{bmatrix}$. Always $$A^\top A = A A^\top$$",
    silent="# Products of matrices\n\n"
    r"Let $A = \begin{bmatrix} a & b \\ c & d \end{bmatrix}$. Always $$A^\top A = A A^\top$$",
)


def _is_inverted(head: str, case: Case, verdict: Verdict) -> bool:
    """Whether a claim has the inverse of a matrix in it: it speaks of invertible ones only."""
    sides = (side for s in verdict.statements for side in (s.left, s.right))
    terms = (t for side in sides for t in case.theory.reached(side))
    return any(isinstance(t, Entry) and t.is_inverse and head in t.args[0].body.heads for t in terms)


def under_unread_supposition(case: Case, verdict: Verdict) -> tuple[()] | None:
    """The sentence supposes something: "if the keys are sorted, then"."""
    return () if STRONGLY_SUPPOSED.search(case.item.context.before.rstrip(" :")) else None


UNREAD_SUPPOSITION = Doubt(
    name="a supposition in words",
    code="condition-not-read",
    sentence="false in general, but the sentence supposes something that is not read",
    test=under_unread_supposition,
    needed=CROSS_ENTROPY + r"If the loss is halved, there is no 1 before the sum: $$L = \sum_{i=1}^C y_i \log p_i$$",
    silent=CROSS_ENTROPY + r"There is no 1 before the sum: $$L = \sum_{i=1}^C y_i \log p_i$$",
)


def in_case_in_words(case: Case, verdict: Verdict) -> tuple[str] | None:
    """The words right after the claim say in which case it is so: "when the keys are sorted"."""
    return None if case.in_case is None else (case.in_case,)


CASE_IN_WORDS = Doubt(
    name="a case in words",
    code="condition-not-read",
    sentence="false in general, but the words after it restrict it ({}), which is not read",
    test=in_case_in_words,
    needed=SOFTMAX + r"Then $\sum_{i=1}^C p_i^2 = 1$ for one-hot targets.",
    silent=SOFTMAX + r"Then $\sum_{i=1}^C p_i^2 = 1$ for all targets.",
)


def in_special_case(case: Case, verdict: Verdict) -> tuple[()] | None:
    """The sentence speaks of a special case in words, `all scores are equal and $w_i = 1/n$`."""
    return () if not case.item.span.display and SPECIAL.search(case.item.context.before) else None


SPECIAL_CASE = Doubt(
    name="a special case in words",
    code="special-case",
    sentence="false in general, but the sentence speaks of a special case",
    test=in_special_case,
    needed=SOFTMAX + r"For very large scores $\sum_{i=1}^C p_i^2 = 1$.",
    silent=SOFTMAX + r"Always $\sum_{i=1}^C p_i^2 = 1$.",
)


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
)


def with_numbers_for_names(case: Case, verdict: Verdict) -> tuple[()] | None:
    """Lengths and given numbers against a number: `$4 d^2 = 4 \\cdot 512^2$`, where the author has put numbers for them."""
    statement, theory = verdict.statement, case.theory
    if is_number(case.right) == is_number(case.left) or statement is None:
        return None
    heads = set(all_heads(statement, theory))
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
    needed=r"The four weights have $$P = 4 d^2$$ entries, and half of them are $$Q = P / 2 = 2 \cdot 512^2 .$$",
    silent=r"The four weights have $$P = 4 d^2 = 3 d^2$$ entries.",
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


def over_unlisted_set(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A sum over a set of which nothing is said."""
    found = unlisted_set(case, verdict)
    return None if found is None else (found,)


UNLISTED_SET = Doubt(
    name="a set of unknown members",
    code="property-not-read",
    sentence="false for some sets, but what {} has for members is not said",
    test=over_unlisted_set,
    needed=(
        r"$$a_{ij} = \frac{e^{s_{ij}}}{\sum_{k \in \mathcal{N}_i} e^{s_{ik}}}$$ Then $$\sum_{j \in "
        r"\mathcal{N}_i} a_{ij} = 2.$$"
    ),
    silent=r"$$a_{ij} = \frac{e^{s_{ij}}}{\sum_{k=1}^n e^{s_{ik}}}$$ Then $$\sum_{j=1}^n a_{ij} = 2.$$",
)


def unlisted_set(case: Case, verdict: Verdict) -> str | None:
    """A set of which nothing is said and over which a claim sums."""
    symbols = case.known.table.symbols.values()
    sets = {s.head: s.stem.removesuffix(MEMBERS) for s in symbols if s.stem.endswith(MEMBERS)}
    heads = (h for s in verdict.statements for h in all_heads(s, case.theory))
    return next((sets[h] for h in heads if h in sets), None)


def after_arrow(case: Case, verdict: Verdict) -> tuple[()] | None:
    """The relation after an arrow is about the same thing as the one before: `h = W x \\to h = W x + b`."""
    chain, link = case.item.reading.chain, case.key[2]
    arrow = link > 0 and chain.links[link - 1][0] == "to"
    return () if arrow and chain.first is not None and bare(case.left) == bare(chain.first) else None


CHANGED_BY_ARROW = Doubt(
    name="an arrow that changes something",
    code="ambiguous",
    sentence="false as read, but the arrow may say what becomes of the equation before",
    test=after_arrow,
    needed=r"For $x \in \mathbb{R}^n$ the update is $h = 2 x \to h = 3 x$.",
    silent=r"For $x \in \mathbb{R}^n$ we have $h = 2 x \Rightarrow h = 3 x$.",
)


def with_dependent_names(case: Case, verdict: Verdict) -> tuple[str] | None:
    """Random names of which nothing says that they are independent."""
    heads, known = heads_below(case, verdict), case.known
    found = [s for s in known.table.symbols.values() if s.stem in known.names.random and s.head in heads]
    if INDEPENDENT.search(case.item.context.paragraph) or (len(found) < 2 and not any(s.dims for s in found)):
        return None
    return (" and ".join(sorted(s.stem for s in found)),) if found else None


DEPENDENT_NAMES = Doubt(
    name="random names that may depend on one another",
    code="ambiguous",
    sentence="false for independent {}, but nothing says that they are",
    test=with_dependent_names,
    needed=r"For random variables $X$ and $Y$ always $\mathbb{E}[XY] = 2 \mathbb{E}[X] \mathbb{E}[Y]$.",
    silent=(
        r"For independent random variables $X$ and $Y$ always $\mathbb{E}[XY] = 2 \mathbb{E}[X] "
        r"\mathbb{E}[Y]$."
    ),
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
    needed=r"For a number $x$ let $f(x) = 3x + 1$. The values are $f(a) = 4$ and $f(b) = 7$.",
    silent=r"For a number $x$ let $f(x) = 3x + 1$. We have $f(x) = 3x + 2$.",
)


def with_other_letter_below(case: Case, verdict: Verdict) -> tuple[str] | None:
    """An equation for an entry, where the text has one for an entry with another letter: `x_A = 1` and `x_B = 13`.

    They are two for sure where both are numbers, or no sum of the document runs over the letters.
    """
    w = case.known.names.written(case.left)
    own = _letter_below(w)
    if w is None or own is None or own in case.known.names.sizes:
        return None
    bound = case.known.names.bound
    for item in (item for items in case.known.formulas.values() for item in items):
        chain = item.reading.chain
        if chain.first is None or not chain.links or chain.links[0][0] != "=":
            continue
        other = case.known.names.written(chain.first)
        letter_there = _letter_below(other)
        if other is None or other.stem != w.stem or letter_there in (None, own, *case.known.names.sizes):
            continue
        if (is_number(case.right) and is_number(chain.links[0][1])) or not {own, letter_there} & bound:
            return (own,)
    return None


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


def against_supposition(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A difference of what the text supposes to be equal before it: `Suppose $k = 2 n$. … Therefore $k \\neq 2 n$`."""
    if case.relation != "!=":
        return None
    for key in sorted(keys_below(case, verdict) - {case.key}):
        items = case.known.formulas.get(key[0], ())
        if any(i.number == key[1] and STRONGLY_SUPPOSED.search(i.context.before) for i in items):
            found = case.known.walk.findings.get(key)
            return None if found is None else (str(found.place.line),)
    return None


AGAINST_SUPPOSITION = Doubt(
    name="a supposition that is refuted",
    code="condition-not-read",
    sentence="false under what line {} supposes, which may be there to be refuted",
    test=against_supposition,
    needed=r"Let $n, m \in \mathbb{R}$. Suppose that $k = 2n$. This contradicts what is known of $m$. Therefore $k \neq 2n$.",
    silent=r"Let $n, m \in \mathbb{R}$. Put $k = 2n$. This contradicts what is known of $m$. Therefore $k \neq 2n$.",
)
