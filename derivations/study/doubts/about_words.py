"""Doubts about what the text says: suppositions, special cases and properties that are not read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from derivations.documents.facts.declarations import members
from derivations.documents.facts.sentence_patterns import (
    INDEPENDENT,
    ON_DIAGONAL,
    PROPERTIES,
    SPECIAL,
    STRONGLY_SUPPOSED,
)
from derivations.language.listed_arrays import leaves
from derivations.language.term import (
    Entry,
    Expectation,
    Mul,
    Sum,
)
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.lexicon.symbol_table import MEMBERS, Symbol
from derivations.latex.syntax.letters import FAMILY
from derivations.latex.syntax.reader import ReadError, read_equation
from derivations.latex.syntax.surface import Enclosed, Listed, Literal, Name, Node, Prefix, Scripted, bare
from derivations.provers.decide import Refuted
from derivations.study.doubts.doubt import CROSS_ENTROPY, SOFTMAX, Doubt
from derivations.study.said_of_relations import Said
from derivations.study.said_properties import given_below, is_assured, is_of_other_shape
from derivations.study.verdict import Case, Verdict, all_heads, heads_below, keys_below

_OF_ARRAYS = re.compile(
    r"singular|invertible|symmetric|diagonal|triangular|orthogonal|orthonormal|unitary|permut|projection|"
    r"rotation|stochastic|one-hot|sorted|identity|(?:unit|basis) vector",
    re.IGNORECASE,
)
"""Properties that matrices and vectors have, and numbers have not."""


def unread_property(case: Case, verdict: Verdict) -> tuple[str, str] | None:
    """A given tensor of a claim about which the text says something that is not read."""
    heads, known = heads_below(case, verdict), case.known
    for symbol in known.table.symbols.values():
        for said in known.properties.get(symbol.stem, ()) if symbol.head in heads else ():
            if not _is_harmless(symbol, said, case, verdict):
                return symbol.stem, said
    return None


def _is_harmless(symbol: Symbol, said: str, case: Case, verdict: Verdict) -> bool:
    """Whether a word about a name is no reason: it says nothing of a given tensor, or the counterexample has the property."""
    known = case.known
    own = leaves(symbol.head, case.theory) if symbol.parameters is None else None
    if said == ON_DIAGONAL and known.table.on_diagonal(symbol) is not None:
        return True  # it is made of that
    if symbol.defined and not own:
        return True  # what it is called follows from its definition, or does not
    if not symbol.dims and symbol.parameters is None and _OF_ARRAYS.match(said):
        return True  # no number is singular: the words speak of something else
    if symbol.parameters is None and is_of_other_shape(symbol, said, case.theory):  # no vector is invertible
        others = (s for s in given_below(case, verdict) if not is_of_other_shape(s, said, case.theory) and s.dims)
        return all(is_assured(s, said, verdict, case.theory) for s in others)
    if symbol.stem in known.table.laws and re.match(r"indep|random|zero|unit var", said):
        return True
    if (said == "random" or (said == "uniform" and not symbol.dims)) and not _speaks_of_means(case, verdict):
        return True  # what is claimed of every value of it
    if said == "invertible" and _is_inverted(symbol.head, case, verdict):
        return True
    if said == "independent" and _is_inverted(symbol.head, case, verdict, of_product=True):
        return True  # the columns of an X with an inverse of `X^T X`
    if symbol.parameters is None and is_assured(symbol, said, verdict, case.theory):
        return True  # it is decided for such ones
    if own is None and _TOLD_EXACTLY.match(said):
        return False
    if _SUPPOSED.match(said) and _is_supposed(said, own or frozenset((symbol.head,)), verdict):
        return True
    return said.startswith("sum") and symbol.stem in known.row_sums and len(symbol.dims) == 2  # decided for such rows


UNREAD_PROPERTY = Doubt(
    name="a property in words",
    code="property-not-read",
    sentence="false in general, but the text calls {} {}, which is not read",
    test=unread_property,
    needed=r"Let $P \in \mathbb{R}^{n \times n}$ be an idempotent matrix. $$P^\top P = P P$$",
    silent=r"Let $P \in \mathbb{R}^{n \times n}$ be a permutation matrix. $$P^\top P = P P$$",
    yields=True,
)


_KIND_OF_MATRIX = re.compile(r"projection|idempotent|orthogonal|orthonormal|unitary|rotation|permutation|involut")
"""What is so of a product such as `U U^\\top` for some U only."""


def of_defined_kind(case: Case, verdict: Verdict) -> tuple[str, str] | None:
    """A matrix that an equation defines and that the text calls of a kind: what it is made of may have to make it so."""
    heads, known = heads_below(case, verdict), case.known
    for symbol in known.table.symbols.values():
        own = leaves(symbol.head, case.theory) if symbol.parameters is None else None
        for said in known.properties.get(symbol.stem, ()):
            if own and _SUPPOSED.match(said) and _is_supposed(said, own, verdict):
                continue  # it is decided for such entries
            if symbol.defined and symbol.head in heads and len(symbol.dims) == 2 and _KIND_OF_MATRIX.match(said):
                if symbol.speaks_of:  # what is made of numbers and lengths alone is what it is
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
    r"unit (?:vector|norm|length)|orthogonal|orthonormal|rotation|symmetric|(?:zero )?diagonal|stochastic|positive|"
    r"non-?negative|sums? to"
)
"""Properties of which facts make hypotheses."""


def is_supposed_by_facts(word: str) -> bool:
    """Whether a word about a name is one of those that facts make hypotheses of."""
    return _SUPPOSED.fullmatch(word.lower()) is not None


_TOLD_EXACTLY = re.compile(r"symmetric|(?:zero|empty)[- ]diagonal")
"""Properties that one hypothesis tells and no other."""
_SIGN = re.compile(r"positive|non-?negative")


def _is_supposed(said: str, own: AbstractSet[str], verdict: Verdict) -> bool:
    """Whether a hypothesis of what is refuted speaks of one given array alone, and of its sign where the word does."""
    supposed = (h for s in verdict.statements for h in s.hypotheses if _SIGN.match(said) or h.relation == "=")
    spoken = ({*h.left.heads, *h.right.heads} for h in supposed)
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
    yields=True,
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
    yields=True,
)


def _is_inverted(head: str, case: Case, verdict: Verdict, *, of_product: bool = False) -> bool:
    """Whether a claim has the inverse of a matrix in it, or of its product with its transpose: it speaks of such ones only.

    An inverse with as many rows as the matrix has columns says that these are independent.
    """
    sides = (side for s in verdict.statements for side in (s.left, s.right))
    inverses = [t for side in sides for t in case.theory.reached(side) if isinstance(t, Entry) and t.is_inverse]
    if not of_product:
        return any(head in t.args[0].body.heads for t in inverses)
    shape = case.theory.shape(head) or ()
    products = [(t.args[0].body, t.sizes) for t in inverses if t.args[0].body.heads == {head}]
    return len(shape) == 2 and any(
        isinstance(m, Sum) and isinstance(m.body, Mul) and n == shape[1:] for m, n in products
    )


def is_of_plain_numbers(case: Case, verdict: Verdict) -> bool:
    r"""Whether a claim is about numbers that nothing defines, and counts, as one about `\\sum_{k<n} a^k`: no words make other
    numbers of them."""
    heads, tensors = heads_below(case, verdict), case.theory.tensors
    return all(h in tensors and not tensors[h].shape and h not in case.theory.random for h in heads)


def under_unread_supposition(case: Case, verdict: Verdict) -> tuple[()] | None:
    """The sentence supposes something: "if the keys are sorted, then"."""
    found = STRONGLY_SUPPOSED.search(case.item.context.before.rstrip(" :"))
    return None if found is None or _OF_READER.match(found.group()) or _is_read(found.group(), case, verdict) else ()


_OF_READER = re.compile(
    r"\w+\s+(?:you|we|one|somebody|a\s+reader)\s+(?:also\s+|really\s+|still\s+|only\s+|just\s+)?"
    r"(?:want|wish|need|prefer|care|insist|doubt|wonder|ask|(?:would|d)?\s*like|(?:is|are)\s+(?:interested|curious))s?\b",
    re.IGNORECASE,
)
"""`If you want to learn T too, you need`: what the reader is after restricts nothing."""
_LAW_SUPPOSED = re.compile(
    r"\w+\s+(?:that\s+)?(?:(?:the|all|every|each|any)\s+)*+⟦(?P<name>\d+)⟧\s+(?:is|are|has|have)\s+"
    r"(?:(?:all|both|independent(?:ly)?|i\.?i\.?d\.?|identically|distributed|random|then|and|with|a|the|common|same|zero|unit|"
    r"means?|variances?|of|0|1|one|⟦\d+⟧)[\s,]*+)++$",
    re.IGNORECASE,
)
"""`If every ⟦g_i⟧ has mean ⟦m⟧, then`: a law."""
_LENGTH_SUPPOSED = re.compile(r"\w+\s+(?:that\s+)?⟦(?P<name>\d+)⟧\s*,?\s*(?:then)?\s*$", re.IGNORECASE)


def _is_read(clause: str, case: Case, verdict: Verdict) -> bool:
    """Whether what a clause supposes is read: a law that the name has, or a length at which the claim is decided."""
    known = case.known
    if (said := _LAW_SUPPOSED.match(clause)) is not None:
        chains = [i.reading.chain for i in known.formulas.get(int(said["name"]), ())]
        named = [known.names.written(c.first) for c in chains if c.first is not None]
        return bool(named) and all(w is not None and w.stem in known.table.laws for w in named)
    if (said := _LENGTH_SUPPOSED.match(clause)) is not None and any(n.kind == "put-in" for n in case.assumptions):
        chains = [i.reading.chain for i in known.formulas.get(int(said["name"]), ())]
        lengths = [
            known.names.written(c.first) for c in chains if c.first is not None and [r for r, _ in c.links] == ["="]
        ]
        return bool(lengths) and all(w is not None and known.table.is_size(w) for w in lengths)
    return False


UNREAD_SUPPOSITION = Doubt(
    name="a supposition in words",
    code="condition-not-read",
    sentence="false in general, but the sentence supposes something that is not read",
    test=under_unread_supposition,
    needed=CROSS_ENTROPY + r"If the loss is halved, there is no 1 before the sum: $$L = \sum_{i=1}^C y_i \log p_i$$",
    silent=CROSS_ENTROPY + r"There is no 1 before the sum: $$L = \sum_{i=1}^C y_i \log p_i$$",
    yields_to=is_of_plain_numbers,
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
    if Said.of(case).is_of_numbers:
        return None  # numbers alone are what they are in every case
    return () if not case.item.span.display and SPECIAL.search(case.item.context.before) else None


SPECIAL_CASE = Doubt(
    name="a special case in words",
    code="special-case",
    sentence="false in general, but the sentence speaks of a special case",
    test=in_special_case,
    needed=SOFTMAX + r"For very large scores $\sum_{i=1}^C p_i^2 = 1$.",
    silent=SOFTMAX + r"Always $\sum_{i=1}^C p_i^2 = 1$.",
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
    """The relation after an arrow is about the same thing as the one before: `h = W x \\to h = W x + b`.

    One that begins with an arrow, `no click $\\to c = 1$`, says what the words before it lead to.
    """
    chain, link = case.item.reading.chain, case.key[2]
    if not link or chain.links[link - 1][0] != "to":
        return None
    return () if chain.first is None or bare(case.left) == bare(chain.first) else None


CHANGED_BY_ARROW = Doubt(
    name="an arrow that changes something",
    code="ambiguous",
    sentence="false as read, but the arrow may say what becomes of the equation before",
    test=after_arrow,
    needed=r"For $x \in \mathbb{R}^n$ the update is $h = 2 x \to h = 3 x$.",
    silent=r"For $x \in \mathbb{R}^n$ we have $h = 2 x \Rightarrow h = 3 x$.",
)


_SAID_INDEPENDENT = re.compile(
    rf"^(?!.*\b(?:not|n't|never|need not be)\b.*independent).*(?:{INDEPENDENT.pattern})", re.IGNORECASE | re.DOTALL
)
"""In another paragraph, where nothing denies it."""


def with_dependent_names(case: Case, verdict: Verdict) -> tuple[str] | None:
    """Random names of which nothing says that they are independent."""
    heads, known = heads_below(case, verdict), case.known
    if any(n.kind == "common-deviation" for n in verdict.assumptions):
        return None
    random = (s for s in known.table.symbols.values() if s.stem in known.names.random and not s.defined)
    found = [s for s in random if s.head in heads]
    if INDEPENDENT.search(case.item.context.paragraph) or (len(found) < 2 and not any(s.dims for s in found)):
        return None
    items = (i for own in known.formulas.values() for i in own if _SAID_INDEPENDENT.search(i.context.paragraph))
    said = {w.stem.removesuffix(FAMILY) for i in items for w in uses(known.names, i.reading.chain)}
    if {s.stem.removesuffix(FAMILY) for s in found} <= said:
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


_EQUIVALENT = re.compile(r"\\equiv\b|\u2261")
_MODULO = re.compile(r"\\[pb]?mod\b|\bmod\b")
_FINITE = re.compile(r"\\mathbb\s*\{?\s*[ZF]\s*\}?\s*_")
"""The numbers modulo another one, and finite fields."""


def among_congruences(case: Case, verdict: Verdict) -> tuple[()] | None:
    r"""A claim of a document that has congruences, `7^2 \\equiv 4 \\pmod 9`: its signs may be those of another arithmetic."""
    sources = [span.source for span in case.known.document.spans]
    has = any((_EQUIVALENT.search(s) and _MODULO.search(s)) or _FINITE.search(s) for s in sources)
    return () if has else None


CONGRUENCES = Doubt(
    name="congruences",
    code="ambiguous",
    sentence="false of real numbers, but the text reckons modulo a number as well",
    test=among_congruences,
    needed=r"As $9 \equiv 2 \pmod 7$, we get $3 \cdot 3 \equiv 2$.",
    silent=r"As $9 = 2 + 7$, we get $3 \cdot 3 \equiv 2$.",
)


def of_listed_values(case: Case, verdict: Verdict) -> tuple[str] | None:
    r"""A given name that the text puts in a set of values or of whole numbers, `y_i \in \{0, 1\}`; nothing supposes that here."""
    heads = heads_below(case, verdict)
    supposed = {h for s in verdict.statements for g in s.hypotheses for side in (g.left, g.right) for h in side.heads}
    open_heads = heads - supposed - case.theory.definitions.keys()
    stems = {s.stem: s.head for s in case.known.given if s.head in open_heads}
    if not stems:
        return None
    shown = verdict.decision.counterexample.inputs if isinstance(verdict.decision, Refuted) else {}
    for chain in (i.reading.chain for items in case.known.formulas.values() for i in items):
        for (relation, right), left in zip(chain.links, (chain.first, *(n for _, n in chain.links)), strict=False):
            if relation != "in" or left is None or not (_is_listed(right) or _is_of_whole_numbers(right)):
                continue
            for w in map(case.known.names.written, members(left)):
                if w is not None and w.stem in stems and not _are_in(shown.get(stems[w.stem]), right):
                    return (w.stem,)
    return None


def _are_in(values: object, right: Node) -> bool:
    """Whether the values of a name at a counterexample are in the set that the text says."""
    flat = [str(v) for v in _flattened(values)]
    if not flat or any(re.fullmatch(r"-?\d+", v) is None for v in flat):
        return False
    node = right.base if isinstance(right, Scripted) else right
    if isinstance(node, Name):
        return node.base == "Z" or not any(v.startswith("-") for v in flat)
    listed = node.content.items if isinstance(node, Enclosed) and isinstance(node.content, Listed) else ()
    return set(map(_number, listed)) >= set(flat)


def _number(node: Node) -> str:
    """A number as it is written, with its sign; empty for anything else."""
    if isinstance(node, Prefix):
        return ("-" if node.operator == "-" else "") + _number(node.operand)
    return node.text if isinstance(node, Literal) else ""


def _flattened(values: object) -> Iterator[object]:
    """The entries of nested lists."""
    if isinstance(values, list | tuple):
        for v in values:
            yield from _flattened(v)
    elif values is not None:
        yield values


def _is_listed(node: Node) -> bool:
    r"""Whether a set is written as a list of numbers, `\{-1, +1\}`, perhaps with a length above it."""
    node = node.base if isinstance(node, Scripted) else node
    content = node.content if isinstance(node, Enclosed) and node.kind == "{}" else None
    items = content.items if isinstance(content, Listed) else ()
    return bool(items) and all(isinstance(n.operand if isinstance(n, Prefix) else n, Literal) for n in items)


def _is_of_whole_numbers(node: Node) -> bool:
    node = node.base if isinstance(node, Scripted) else node
    return isinstance(node, Name) and node.font == "blackboard" and node.base in ("N", "Z")


LISTED_VALUES = Doubt(
    name="a set of values",
    code="condition-not-read",
    sentence="false in general, but the text says which values {} may have, and that is not used",
    test=of_listed_values,
    needed=r"Let $y \in \mathbb{R}^n$ have $y_i \in \{0, 1\}$ and let $$z_i = 2 y_i - 1.$$ So always $$z_i^2 = 1.$$",
    silent=r"Let $y \in \mathbb{R}^n$ have $y_i \in \mathbb{R}$ and let $$z_i = 2 y_i - 1.$$ So always $$z_i^2 = 1.$$",
)


_IN_TITLE = re.compile(r"\$([^$]+)\$")


def of_title(case: Case, verdict: Verdict) -> tuple[str] | None:
    """The title of the section, or of one around it, compares a given name of the claim with something: it is its case."""
    names, heads = case.known.names, heads_below(case, verdict)
    given = {s.stem: s.head for s in case.known.given}
    for source in (formula for title in case.item.section for formula in _IN_TITLE.findall(title)):
        try:
            chains = [r.chain for r in read_equation(source)]
        except ReadError:
            continue
        for w in (w for c in chains if c.links and c.first is not None for w in uses(names, c.first)):
            if given.get(w.stem) in heads:
                return (w.stem,)
    return None


TITLE = Doubt(
    name="the case of a title",
    code="condition-not-read",
    sentence="false in general, but the title of the section says something of {}, and that is not used",
    test=of_title,
    needed="# The case $A_{ij} < B_{ij}$\n\n"
    r"For $A \in \mathbb{R}^{n \times n}$ let $$c_i = \sum_{j=1}^n A_{ij}.$$ Then always $$c_i c_i = n c_i.$$",
    silent="# The sums of $A_{ij}$\n\n"
    r"For $A \in \mathbb{R}^{n \times n}$ let $$c_i = \sum_{j=1}^n A_{ij}.$$ Then always $$c_i c_i = n c_i.$$",
)


_CONVENTION = re.compile(
    r"\b(?:by|under|with|as|use|using|adopt(?:ing)?|follow(?:ing)?)\s+(?:an?\s+|the\s+|our\s+|this\s+)?(?:usual\s+)?conventions?\b|"
    r"\bconventionally\b",
    re.IGNORECASE,
)


def as_convention(case: Case, verdict: Verdict) -> tuple[()] | None:
    """The sentence says that it holds by convention: it is agreed, and no claim."""
    context = case.item.context
    return () if _CONVENTION.search(context.before) or _CONVENTION.search(context.after) else None


AGREED = Doubt(
    name="a convention",
    code="ambiguous",
    sentence="false as it is read, but the sentence says that it is a convention",
    test=as_convention,
    needed=r"Note that $$\text{sign}(0) = 1$$ by convention.",
    silent=r"Note that $$\text{sign}(0) = 1$$ by symmetry.",
)
