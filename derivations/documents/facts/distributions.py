"""What a document says of the distribution of its symbols: `q_i ~ N(0, 1)`, `E[u_i] = 0`, "independent with mean 0"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from derivations.documents.facts.fact import Fact, FactKind, Scope, Value
from derivations.documents.facts.sentence_patterns import MOMENTS
from derivations.language.statement import Law
from derivations.language.term import Entry, Number, Pow, Term
from derivations.latex.lexicon.name_roles import Names, uses
from derivations.latex.lexicon.written_names import Written
from derivations.latex.syntax.letters import is_transpose
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Listed,
    Literal,
    Name,
    Node,
    Operator,
    Prefix,
    Scripted,
    bare,
    before_bar,
    walk,
)

ANY = "any"
"""What is stated of a name of whose law nothing is said: it has one."""


NORMAL = "normal"
"""What is stated of a name whose law is the normal one."""


@dataclass(frozen=True)
class Stated:
    """What is stated of a name: `kind` is "mean", "variance" or "square", the mean of the square, or `ANY`, or `NORMAL`."""

    stem: str
    kind: str
    value: Node | int
    scope: Scope | None = None
    """Where it is said, where a sentence says it of the name."""
    formula: int | None = None
    """The number of the formula that names it there."""


def from_relation(names: Names, left: Node, right: Node) -> list[Stated] | None:
    r"""`q_i \sim \mathcal N(\mu, \sigma^2)`: the second parameter is the variance, of every entry in `q, k \sim N(0, s^2 I)`."""
    drawn = [names.written(n) for n in (left.items if isinstance(left, Listed) else (left,))]
    if not isinstance(right, Adjacent) or len(right.items) != 2:
        return None
    head, arguments = right.items
    if not isinstance(head, Name) or head.base != "N" or not isinstance(arguments, Enclosed):
        return None
    content = arguments.content
    if not isinstance(content, Listed) or len(content.items) != 2:
        return None
    mean: Node | int = content.items[0]
    variance: Node | int = content.items[1]
    scale = _of_identity(content.items[1])
    if scale is not None:  # vectors; a mean that is not zero would be a vector as well
        if not _is_zero(content.items[0]):
            return None
        mean, variance = 0, scale
    found: list[Stated] = []
    for w in drawn:
        if w is None or w.power is not None:
            return None
        found += [Stated(w.stem, "mean", mean), Stated(w.stem, "variance", variance), Stated(w.stem, NORMAL, 1)]
    return found


def is_drawn(chain: Chain) -> bool:
    r"""Whether a relation says how its left side is drawn, and no more: `x \sim p`."""
    return [relation for relation, _ in chain.links] == ["sim"]


def random_vectors(chain: Chain) -> Node | None:
    r"""The names whose matrix of covariances a relation states as a multiple of the identity: they are vectors.

    The \epsilon of `\epsilon \sim \mathcal N(0, s^2 I)`, `\mathrm{Var}(\epsilon) = s^2 I` and `E[\epsilon \epsilon^T] = s^2 I`.
    """
    return _names_and_covariance(chain)[0]


def length_of_random(chain: Chain) -> Node | None:
    r"""The d of `q, k \sim \mathcal N(0, I_d)` and `\mathrm{Cov}(q) = I_d`."""
    _, covariance = _names_and_covariance(chain)
    identity = covariance.items[-1] if isinstance(covariance, Adjacent) else covariance
    return identity.sub if isinstance(identity, Scripted) else None


def _names_and_covariance(chain: Chain) -> tuple[Node | None, Node | None]:
    """The names and their covariances, where these are a multiple of the identity matrix; (None, None) otherwise."""
    if chain.first is None or len(chain.links) != 1:
        return None, None
    relation, right = chain.links[0]
    names: Node | None = None
    covariance: Node | None = None
    if relation == "sim" and isinstance(right, Adjacent) and len(right.items) == 2:
        arguments = right.items[1]
        content = arguments.content if isinstance(arguments, Enclosed) else None
        names, covariance = chain.first, content.items[-1] if isinstance(content, Listed) else None
    elif relation == "=" and isinstance(chain.first, Operator) and chain.first.name in ("Var", "Cov", "E"):
        inner = _argument(chain.first)
        is_spread = chain.first.name != "E"
        names, covariance = inner if is_spread or inner is None else _of_outer_product(inner), right
    if names is None or covariance is None or _of_identity(covariance) is None:
        return None, None
    return names, covariance


def _argument(moment: Operator) -> Node | None:
    r"""What a moment without a subscript is taken of: the x of `E[x]` and of `E[x \mid z]`."""
    if moment.sub is not None or moment.sup is not None or len(moment.arguments) != 1:
        return None
    return before_bar(moment.arguments[0])


def condition_on_given(names: Names, argument: Node) -> bool:
    r"""Whether what stands behind the bar of a moment, if there is one, has no random name: it changes nothing."""
    conditions = [right for _, right in argument.links] if isinstance(argument, Chain) else []
    return all(w.stem not in names.random for c in conditions for w in uses(names, c))


def _of_outer_product(node: Node) -> Node | None:
    r"""The x of `x x^\top`."""
    if not isinstance(node, Adjacent) or len(node.items) != 2:
        return None
    column, row = node.items
    if not isinstance(row, Scripted) or row.sup is None or not is_transpose(row.sup):
        return None
    plain = replace(row, sup=None) if row.sub is not None else row.base
    return column if bare(plain) == bare(column) else None


def _of_identity(covariance: Node) -> Node | int | None:
    r"""The s^2 of `s^2 I_d`, and the 1 of `\mathbf I`; None for what is no multiple of the identity matrix."""
    parts = covariance.items if isinstance(covariance, Adjacent) else (covariance,)
    last = parts[-1]
    if isinstance(last, Scripted) and last.sup is None:
        last = last.base
    if not isinstance(last, Name) or last.base != "I" or len(parts) > 2:
        return None
    return 1 if len(parts) == 1 else parts[0]


def _is_zero(mean: Node) -> bool:
    if isinstance(mean, Scripted) and mean.sup is None:  # \mathbf 0_d
        mean = mean.base
    return (isinstance(mean, Literal) and mean.text == "0") or (isinstance(mean, Name) and mean.base == "0")


def is_known(law: Law | None, kind: str) -> bool:
    """Whether an equation for a moment is a claim: it is known already, or a square whose mean nothing tells."""
    if kind == "square":
        return law is None or law.mean is None or law.variance is not None
    return law is not None and (law.mean if kind == "mean" else law.variance) is not None


def with_moment(law: Law, kind: str, value: Term) -> Law:
    """What is known with one more moment."""
    if kind == ANY:
        return law
    if kind == NORMAL:
        return replace(law, normal=True)
    if kind == "square" and law.mean is not None:
        return replace(law, variance=value if law.mean == Number(0) else value - Pow(law.mean, 2))
    return replace(law, mean=value) if kind == "mean" else replace(law, variance=value)


def deviation_of(variance: Term) -> Entry | None:
    r"""The \sigma of a variance that is written \sigma^2: the standard deviation, which is not negative."""
    if isinstance(variance, Pow) and variance.exponent == Number(2):
        base = variance.base
        return base if isinstance(base, Entry) and not base.indices and not base.args else None
    return None


def random_variables(
    names: Names,
    paragraphs: Iterable[str],
    called: Iterable[int],
    first: Mapping[int, Node | None],
    chains: Iterable[Chain],
) -> Iterator[str]:
    """Names that the text calls random variables, and capital letters of which it writes moments: `Var(X)`, `E[a X_i]`.

    A text without a word of chance does so only of letters that stand in moments alone, and have no index.
    """
    trees = list(chains)
    drawn = {stem for chain in trees for stem in _drawn_numbers(names, chain)}
    yield from drawn
    about = bool(drawn) or any(MOMENTS.search(paragraph) for paragraph in paragraphs)
    for node in map(first.get, called):
        for part in node.items if isinstance(node, Listed) else (node,):
            w = names.written(part) if isinstance(part, Name | Scripted) else None
            if w is not None and is_variable(names, w):
                yield w.stem
    elsewhere = frozenset() if about else {w.stem for chain in trees for w in _outside_of_moments(names, chain)}
    for node in (n for chain in trees for n in walk(chain)):
        if isinstance(node, Operator) and node.name in _MOMENTS:
            for w in (w for argument in node.arguments for w in _terms(names, argument)):
                plain = replace(w, power=None) if isinstance(w.power, Literal) else w
                if not (w.stem.isalpha() and w.stem.isupper() and is_variable(names, plain)):
                    continue
                if about or not (w.slots or w.stem in elsewhere):
                    yield w.stem


def _drawn_numbers(names: Names, chain: Chain) -> Iterator[str]:
    r"""The X of `X \sim \mathcal N(\mu, \sigma^2)`: a capital drawn from a law of numbers."""
    if chain.first is None or not is_drawn(chain):
        return
    law = chain.links[0][1]
    if not isinstance(law, Adjacent) or len(law.items) != 2 or not isinstance(law.items[1], Enclosed):
        return
    content = law.items[1].content
    parameters = content.items if isinstance(content, Listed) else (content,)
    if not all(isinstance(n, Literal) or _is_small(names.written(n)) for n in parameters if n is not None):
        return
    spread = names.written(parameters[-1]) if isinstance(parameters[-1], Scripted) else None
    if len(parameters) == 2 and not isinstance(parameters[1], Literal) and (spread is None or spread.power is None):
        return  # the s of N(m, s) may be a matrix
    for n in chain.first.items if isinstance(chain.first, Listed) else (chain.first,):
        w = names.written(n)
        if w is not None and w.stem.isalpha() and w.stem.isupper() and is_variable(names, w):
            yield w.stem


_MOMENTS = frozenset({"E", "Var", "Cov"})


def _terms(names: Names, node: Node) -> Iterator[Written]:
    """The names that are terms of a sum, alone or after numbers and small letters: the X and Y of `a X + 2 Y^2 - b`."""
    if isinstance(node, Infix) and node.operator in ("+", "-"):
        yield from (w for part in node.parts for w in _terms(names, part))
    elif isinstance(node, Prefix) and node.operator in ("+", "-"):
        yield from _terms(names, node.operand)
    elif isinstance(node, Adjacent):
        scales = (isinstance(n, Literal) or _is_small(names.written(n)) for n in node.items[:-1])
        if all(scales):
            yield from _terms(names, node.items[-1])
    elif isinstance(node, Name | Scripted) and (w := names.written(node)) is not None:
        yield w


def _is_small(w: Written | None) -> bool:
    return w is not None and w.stem.islower() and not (w.bold or w.transposed)


def _outside_of_moments(names: Names, node: Node) -> Iterator[Written]:
    """The names that stand outside of moments, and of relations in parentheses: `P(X = k)`."""
    if isinstance(node, Operator) and node.name in _MOMENTS:
        return
    if isinstance(node, Enclosed) and isinstance(node.content, Chain):
        return
    w = names.written(node) if isinstance(node, Name | Scripted) else None
    if w is not None:
        yield w
    else:
        yield from (w for part in node.parts for w in _outside_of_moments(names, part))


def is_variable(names: Names, w: Written) -> bool:
    """Whether a name can be a random number or a family of them: nothing shows that it is a vector or a matrix."""
    evidence = names.evidence.get(w.stem)
    if w.bold or w.power is not None or w.transposed or w.stem in names.sizes | names.functions:
        return False
    return evidence is None or (evidence.slots < 2 and evidence.vector_slots < 0 and not evidence.transposed)


def moment(names: Names, node: Node | None) -> tuple[str, str] | None:
    """("mean", "variance" or "square", name) of `E[x_i]`, `Var(x_i)` or `E[x_i^2]` for a single name.

    A subscript draws a quantity of its own: nothing is stated of the name outside of it.
    """
    if not isinstance(node, Operator) or node.name not in ("E", "Var") or node.sub is not None:
        return None
    argument = _argument(node)
    w = names.written(argument) if isinstance(argument, Name | Scripted) else None
    if w is None or w.transposed or not condition_on_given(names, node.arguments[0]):
        return None
    if w.power is not None:
        squared = node.name == "E" and isinstance(w.power, Literal) and w.power.text == "2"
        return ("square", w.stem) if squared else None
    return ("mean" if node.name == "E" else "variance"), w.stem


def from_chain(names: Names, chain: Chain) -> list[Stated] | None:
    """`E[u_i] = E[w_i] = 0`: moments of single names, and a value at the end."""
    sides = [chain.first, *(n for _, n in chain.links)]
    if len(sides) < 2 or any(relation != "=" for relation, _ in chain.links):
        return None
    found = [moment(names, n) for n in sides[:-1]]
    value = sides[-1]
    if value is None or any(isinstance(n, Operator) and n.name in ("E", "Var", "Cov") for n in walk(value)):
        return None  # Var(x) = E[x^2] - E[x]^2 is a claim
    vector, covariance = _names_and_covariance(chain)
    if vector is not None and covariance is not None and isinstance(chain.first, Operator):
        w = names.written(vector) if isinstance(vector, Name | Scripted) else None
        scale = _of_identity(covariance)
        if w is None or w.transposed or w.power is not None or scale is None:
            return None
        return [Stated(w.stem, "square" if chain.first.name == "E" else "variance", scale)]
    if any(f is None for f in found):
        return None
    return [Stated(stem, kind, 0 if _is_zero(value) else value) for f in found if f is not None for kind, stem in [f]]


def of_names(
    names: Names, fact: Fact, first: Mapping[int, Node | None], shaped: Mapping[int, Node | None]
) -> Iterator[Stated]:
    """The moment that a fact states of the names in its formulas; those in `shaped` have their shape stated on the way."""
    for number in fact.names:
        node = shaped.get(number) or first.get(number) if isinstance(number, int) else None
        for part in node.items if isinstance(node, Listed) else (node,):
            w = names.written(part) if isinstance(part, Name | Scripted) else None
            if w is not None and w.power is None:
                for stated in _moment_said(w.stem, fact.kind, fact.value, first):
                    yield replace(stated, scope=fact.scope, formula=number if isinstance(number, int) else None)


def of_components(
    names: Names, fact: Fact, first: Mapping[int, Node | None], before: Iterable[Chain]
) -> Iterator[Stated]:
    r""" "If the components are independent with mean 0 and variance 1", after `q \cdot k = \sum_i q_i k_i`: those of q and k."""
    stems: list[str] = []
    for chain in before:
        defined = names.written(chain.first) if isinstance(chain.first, Name | Scripted) else None
        for node in walk(chain):
            w = names.written(node) if isinstance(node, Name | Scripted) else None
            if w is None or w.power is not None or (defined is not None and w.stem == defined.stem):
                continue
            small = len(w.stem) == 1 and w.stem.isascii() and w.stem.islower()
            if small and w.stem not in names.sizes | names.index_letters | names.functions:
                stems.append(w.stem)
    value = fact.value[1] if isinstance(fact.value, tuple) else fact.value
    for stem in dict.fromkeys(stems):
        yield from _moment_said(stem, fact.kind, value, first)


_KINDS = {FactKind.MEAN: "mean", FactKind.VARIANCE: "variance", FactKind.NORMAL: NORMAL}


def _moment_said(stem: str, kind: FactKind, said: Value, first: Mapping[int, Node | None]) -> Iterator[Stated]:
    value: Node | int | None = (
        int(said) if isinstance(said, str) else first.get(said) if isinstance(said, int) else None
    )
    if isinstance(value, int | Literal | Name | Scripted | Fraction):
        yield Stated(stem, _KINDS[kind], value)
