"""What the facts of a document say of its names: each fact is bound to the names in its formulas."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from derivations.documents.facts.declarations import members
from derivations.documents.facts.distributions import (
    ANY,
    Stated,
    is_drawn,
    length_of_random,
    of_components,
    of_names,
    random_variables,
    random_vectors,
)
from derivations.documents.facts.fact import GIVING, Fact, FactKind
from derivations.documents.facts.kinds import convention, sign
from derivations.documents.facts.kinds.matrix import DIAGONAL_OF
from derivations.documents.facts.kinds.property import BOUND_OF_EIGENVALUES
from derivations.documents.facts.kinds.shape import NUMBER
from derivations.documents.facts.sentence_patterns import CONVENTION, CROSS_ENTROPY
from derivations.documents.model.document import Document
from derivations.language.term import Index
from derivations.latex.lexicon.name_roles import Names, uses
from derivations.latex.lexicon.symbol_table import Table
from derivations.latex.lexicon.written_names import Form, Written, without_accents
from derivations.latex.passes.entries import named_rows, names_entries
from derivations.latex.passes.short_forms import is_call
from derivations.latex.syntax.letters import EULER, FAMILY, letter
from derivations.latex.syntax.lexer import Macro
from derivations.latex.syntax.listed_comparisons import ends_of_list
from derivations.latex.syntax.normal_laws import is_identity, is_of_vector, normal_law
from derivations.latex.syntax.reader import ReadError, read_equation, read_expression
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Chain,
    Enclosed,
    Infix,
    Listed,
    Literal,
    Mark,
    Matrix,
    Name,
    Node,
    Operator,
    Prefix,
    Reading,
    Scripted,
    bare,
    walk,
)
from derivations.latex.syntax.surface_writer import write_surface
from derivations.study.equation_walk import Item
from derivations.study.names_of_sections import OwnNames
from derivations.study.recurrences import step_letters


@dataclass(frozen=True)
class Said:
    """The facts of a document beside its formulas as they are read now."""

    document: Document
    facts: tuple[Fact, ...]
    items: list[Item]
    macros: Mapping[str, Macro] | None

    def of(self, kind: FactKind, value: object = None) -> Iterator[Fact]:
        """The facts of a kind, those with a value alone where one is given."""
        return (f for f in self.facts if f.kind is kind and (value is None or f.value == value))

    def numbers(self, kind: FactKind, value: object = None) -> Iterator[int]:
        """The formulas that facts of a kind name."""
        return (n for f in self.of(kind, value) for n in f.names if isinstance(n, int))

    @cached_property
    def of_span(self) -> Mapping[int, list[Item]]:
        """The readings of each formula."""
        found: dict[int, list[Item]] = {}
        for item in self.items:
            found.setdefault(item.span.index, []).append(item)
        return found

    @cached_property
    def first(self) -> Mapping[int, Node | None]:
        """What stands first in each formula."""
        return {k: own[0].reading.chain.first for k, own in self.of_span.items()}

    def alone(self) -> dict[int, Node | None]:
        """The formulas without a relation."""
        chains = ((i.span.index, i.reading.chain) for i in reversed(self.items))
        return {k: chain.first for k, chain in chains if not chain.links}

    def paragraphs(self) -> dict[str, None]:
        """The paragraphs around formulas that are read."""
        return dict.fromkeys(i.context.paragraph for i in self.items)


@dataclass(frozen=True, slots=True)
class About:
    """A fact about a name that was written with so many indices.

    `ends` are the first and the last subscript where it is said of a list with dots, `w_1, \\dots, w_m`: of these members and no
    others; of `w_1` alone they are the same.  `among` is the range of their indices, the last one excluded, where it is known.
    """

    fact: Fact
    slots: int
    ends: tuple[Node, Node] | None = None
    among: tuple[Index, Index] | None = None


# --- before names have a meaning ------------------------------------------------------------------------------------


def shapes_said(said: Said, own: OwnNames) -> Iterator[Reading]:
    """What sentences, laws and matrices of named entries say of shapes, as memberships."""
    for span, readings in shapes_by_place(said):
        yield from own.marked(readings, span)


def shapes_by_place(said: Said) -> Iterator[tuple[int, list[Reading]]]:
    """The same, each with the formula beside which it is said."""
    stated = [i.reading.chain for i in said.items]
    for item, chain in zip(said.items, stated, strict=True):
        is_given = chain.first is not None and len(chain.links) == 1 and chain.links[0][0] == "="
        rows = named_rows(chain.first, chain.links[0][1]) if is_given else None
        if rows is not None and chain.first is not None:
            space = f"\\mathbb{{R}}^{{{rows[0]} \\times {rows[1]}}}"
            yield item.span.index, list(read_equation(f"{write_surface(chain.first)} \\in {space}"))
    for item, chain in zip(said.items, stated, strict=True):
        length, vectors = length_of_random(chain), random_vectors(chain)
        if length is not None and vectors is not None:
            space = f"\\mathbb{{R}}^{{{write_surface(length)}}}"
            yield item.span.index, list(read_equation(f"{write_surface(vectors)} \\in {space}"))
    sources = {span.index: span.source for span in said.document.spans}
    for item, chain in zip(said.items, stated, strict=True):
        if chain.first is not None and is_drawn(chain):
            sources[item.span.index] = write_surface(chain.first)
    indexed = {
        bare(n.base)
        for c in stated
        for n in walk(c)
        if isinstance(n, Scripted) and n.sub is not None and not isinstance(n.sub, Literal)
    }
    for fact in said.of(FactKind.SHAPE):
        written = [n if isinstance(n, str) else sources[n].strip() for n in fact.names]
        if fact.value == NUMBER:  # elsewhere the same letter may have entries; a_1 and a_2 are names of their own
            written = [w for w in written if not _is_one_of(w, indexed, said.macros)]
        names = ", ".join(written)
        try:
            readings = read_equation(rf"{names} \in {fact.value}", said.macros or {})
        except ReadError:
            continue
        if len(readings) == 1:
            yield fact.scope.since, list(readings)


def _is_one_of(latex: str, names: Collection[object], macros: Mapping[str, Macro] | None) -> bool:
    """Whether a formula is one of these names."""
    try:
        return bare(read_expression(latex, macros or {})) in names
    except ReadError:
        return True


def lengths_said(said: Said) -> Iterator[Node]:
    """Names that sentences give as a number of things; "after t steps" the t of a recurrence stays an index, and "row i keeps
    i entries" the i of entries that an equation gives."""
    counting = set(step_letters(i.reading.chain for i in said.items)) | set(_letters_of_entries(said.items))
    sources = {span.index: span.source for span in said.document.spans}
    for name in (n for fact in said.of(FactKind.COUNT) for n in fact.names):
        try:
            found = read_expression(sources[name].strip() if isinstance(name, int) else name, said.macros or {})
        except ReadError:
            continue
        if letter(found) not in counting:
            yield found


def _letters_of_entries(items: Iterable[Item]) -> Iterator[str]:
    """The two letters below what an equation gives entry by entry, `A_{ij} = ...`."""
    for chain in (i.reading.chain for i in items):
        first = chain.first
        if isinstance(first, Scripted) and isinstance(first.sub, Adjacent) and [r for r, _ in chain.links][:1] == ["="]:
            yield from (c for n in first.sub.items if (c := letter(n)) is not None)


def names_with_entries(items: Iterable[Item]) -> Iterator[str]:
    """Matrices that equations write out with a name for each entry."""
    for node in (n for i in items for _, n in i.reading.chain.links):
        entry = names_entries(node) if isinstance(node, Matrix) else None
        if entry is not None:
            yield entry.base


def random_names(said: Said, names: Names) -> frozenset[str]:
    """Names that the text calls random variables, and capitals of which it writes moments."""
    chains = (i.reading.chain for i in said.items)
    numbers = said.numbers(FactKind.RANDOM, "variable")
    found = frozenset(random_variables(names, said.document.texts(), numbers, said.alone(), chains))
    return found - {stated.stem for stated in _laws(said, names) if stated.kind == ANY} - set(_arguments(said))


def _arguments(said: Said) -> Iterator[str]:
    """The small letters that stand for any argument of a function, as in `f(x) = (5 - x) / 10`."""
    for chain in (i.reading.chain for i in said.items):
        if (
            not isinstance(chain.first, Adjacent)
            or not is_call(chain.first)
            or [r for r, _ in chain.links][:1] != ["="]
        ):
            continue
        inner = chain.first.items[1]
        c = letter(inner.content) if isinstance(inner, Enclosed) and inner.content is not None else None
        if c is not None and c.islower() and any(letter(n) == c for n in walk(chain.links[0][1])):
            yield c


def labels_of(random: frozenset[str], items: Iterable[Item]) -> frozenset[tuple[str, str]]:
    """Names with a random variable below, `\\mu_X`: it tells whose mean that is."""
    nodes = (n for i in items for n in walk(i.reading.chain))
    scripted = (n for n in nodes if isinstance(n, Scripted) and isinstance(n.base, Name))
    return frozenset((n.base.base, letter(n.sub) or "") for n in scripted if letter(n.sub) in random)  # type: ignore[attr-defined]


def families_of(random: frozenset[str], names: Names) -> dict[str, Form]:
    """Random variables X beside `X_1, …, X_n`, as names apart."""
    found = {n for n in random if (e := names.evidence.get(n)) is not None and e.slots == 1 and e.bare}
    return dict.fromkeys(found, (1, False))


def with_families(random: frozenset[str], families: Iterable[str]) -> frozenset[str]:
    """Random variables, the members of families among them."""
    return random | {n + FAMILY for n in families}


def states_summation(said: Said) -> bool:
    """Whether the text or a heading states the summation convention."""
    stated = any(True for _ in said.of(FactKind.CONVENTION, convention.SUMMATION))
    return stated or any(CONVENTION.search(t) for i in said.items for t in i.section)


def functions_said(said: Said, names: Names, kind: str) -> Iterator[str]:
    """Names that the text calls functions of a kind."""
    numbers = set(said.numbers(FactKind.FUNCTION, kind))
    for item in said.items:
        first = item.reading.chain.first if item.span.index in numbers and not item.reading.chain.links else None
        w = names.written(first) if first is not None else None
        if w is not None and not w.slots and w.power is None:
            yield w.stem


def speaks_of_complex_numbers(said: Said) -> bool:
    """Whether complex numbers occur, in words or as `e^{i\\theta}`."""
    stated = any(True for _ in said.of(FactKind.CONVENTION, convention.COMPLEX_NUMBERS))
    return stated or any(map(_has_complex_exponent, said.items))


def _has_complex_exponent(item: Item) -> bool:
    """`e^{i\\theta}` in an equation without an index i."""
    nodes = list(walk(item.reading.chain))
    for n in nodes:
        base = n.base if isinstance(n, Scripted) else None
        if not (isinstance(n, Scripted) and isinstance(base, Name) and base.base == EULER and n.sub is None):
            continue
        power = n.sup.operand if isinstance(n.sup, Prefix) else n.sup
        if isinstance(power, Adjacent) and letter(power.items[0]) == "i":
            below = [m.sub for m in nodes if isinstance(m, Scripted) and m.sub is not None]
            return not any(letter(x) == "i" for sub in below for x in walk(sub))
    return False


# --- when names have a meaning --------------------------------------------------------------------------------------


def facts_by_name(said: Said, names: Names) -> dict[str, tuple[About, ...]]:
    """The facts about each name, in the order of the document."""
    found: dict[str, list[About]] = {}
    for fact in said.facts:
        if fact.kind in GIVING:
            for stem, slots, ends in dict.fromkeys(_written_in(said, names, fact)):
                found.setdefault(stem, []).append(About(fact, slots, ends))
    return {stem: tuple(sorted(own, key=lambda a: a.fact.scope.since)) for stem, own in found.items()}


def _written_in(said: Said, names: Names, fact: Fact) -> Iterator[tuple[str, int, tuple[Node, Node] | None]]:
    """The names that a fact is about, each with how many indices it is written, and the ends of a list with dots."""
    for name in fact.names:
        if isinstance(name, str):
            try:
                nodes = [read_expression(name, said.macros or {})]
            except ReadError:
                continue
        else:
            chains = [i.reading.chain for i in said.of_span.get(name, ())]
            if fact.value == BOUND_OF_EIGENVALUES:  # the ends of an interval, the left side of `\\mu > 0`
                yield from ((w.stem, len(w.slots), None) for c in chains for part in c.parts for w in uses(names, part))
                continue
            is_said = _is_equation if fact.kind is FactKind.PROPERTY else _only_names
            nodes = [c.first for c in chains if c.first is not None and is_said(c)]
        for node in nodes:
            has_dots = isinstance(node, Listed) and any(isinstance(n, Mark) for n in node.items)
            ends = ends_of_list(node) or ((node, node) if has_dots else None)
            for w in written(names, node):
                if w.power is None and (fact.kind is FactKind.VECTOR or not w.transposed):  # of a row or of a column
                    one = w.slots[0].node if len(w.slots) == 1 and ends is None else None
                    yield w.stem, len(w.slots), (one, one) if isinstance(one, Literal) else ends


def _is_equation(chain: Chain) -> bool:
    """Whether a formula is a name, or says in one equation what it is: "denote `P = U U^\\top` as the projection matrix"."""
    return _only_names(chain) or [relation for relation, _ in chain.links] == ["="]


def _only_names(chain: Chain) -> bool:
    r"""Whether a formula is a name, beside it perhaps its space, `f : \mathbb{R} \to \mathbb{R}`, or its entries."""
    in_space = all(relation in ("in", "colon") for relation, _ in chain.links)
    if _compares_own_entries(chain):
        return True
    if in_space or len(chain.links) != 1 or chain.links[0][0] != "=":
        return in_space
    return isinstance(chain.links[0][1], Matrix) or _lists_own_entries(chain)


def _compares_own_entries(chain: Chain) -> bool:
    r"""Whether a formula compares entries of one name with each other, and perhaps with numbers: `A_{ij} = A_{ji} \geq 0`."""
    sides = [chain.first, *(n for _, n in chain.links)]
    entries = [n for n in sides if isinstance(n, Scripted) and n.sub is not None]
    is_own = all(isinstance(n, Literal) or n in entries for n in sides) and isinstance(sides[0], Scripted)
    return is_own and len(entries) > 1 and all(bare(n.base) == bare(entries[0].base) for n in entries)


def _lists_own_entries(chain: Chain) -> bool:
    r"""Whether an equation gives a name as the list of its own entries, `p = (p_1, \dots, p_n)`."""
    right = chain.links[0][1] if [relation for relation, _ in chain.links] == ["="] else None
    right = right.base if isinstance(right, Scripted) else right  # its transpose
    listed = right.content if isinstance(right, Enclosed) else right
    entries = [n for n in listed.items if not isinstance(n, Mark)] if isinstance(listed, Listed) else []
    own = (isinstance(n, Scripted) and n.sub is not None and bare(n.base) == bare(chain.first) for n in entries)
    return len(entries) > 1 and all(own)


@dataclass(frozen=True)
class Known:
    """What facts say of names that is asked for while relations are judged.

    `properties` are words that are not read, by name; `row_sums` given matrices whose rows sum to one, as the text says;
    `targets` names that weigh logarithms in a text about cross entropies; `laws` means and variances; `about` are facts that
    give hypotheses, by name.
    """

    properties: Mapping[str, tuple[str, ...]]
    row_sums: frozenset[str]
    targets: frozenset[str]
    laws: tuple[Stated, ...]
    about: Mapping[str, tuple[About, ...]]


def bind_facts(said: Said, names: Names, table: Table) -> Known:
    """Bind the facts about kinds of names, and tell the table what it keeps itself."""
    mark_vectors(said, names)
    mark_matrices(said, names, table)
    for number in said.numbers(FactKind.VECTOR, "basis vector"):
        for item, w in _bare(said, names, number):
            if len(w.slots) == 1 and not item.reading.chain.links:
                table.basis.add(w.stem)
    for number in said.numbers(FactKind.DIVISIBLE, "2"):
        for _, w in _bare(said, names, number):
            if not w.slots and w.stem in names.sizes and w.power is None:
                table.even.add(w.stem)
    for fact in said.of(FactKind.DIVISIBLE):
        divisors = {w.stem for w in _sizes(said, names, (fact.value,))}
        for w in _sizes(said, names, fact.names):
            table.divisors[w.stem] = table.divisors.get(w.stem, set()) | divisors
    for fact in said.of(FactKind.CONSTANT):
        for item in (i for n in fact.names if isinstance(n, int) for i in said.of_span.get(n, ())):
            first = next(written(names, item.reading.chain.first), None)
            declared = all(r == "in" for r, _ in item.reading.chain.links)
            if first is not None and not first.slots and not first.transposed and declared:
                table.constant[first.stem] = int(str(fact.value))
    for fact in said.of(FactKind.MATRIX):
        if isinstance(fact.value, tuple) and fact.value[0] == DIAGONAL_OF:
            wholes = [w for n in fact.names if isinstance(n, int) for _, w in _bare(said, names, n)]
            vectors = [w for n in fact.value[1:] if isinstance(n, int) for _, w in _bare(said, names, n)]
            if wholes and vectors and vectors[0].stem != wholes[0].stem:
                table.diagonals[wholes[0].stem] = vectors[0]
    for whole, vector in _small_letters(said, names):
        table.diagonals.setdefault(whole, vector)
        table.diagonal.add(whole)
    table.diagonal |= {
        w.stem for w in _given_names(said, names, said.numbers(FactKind.MATRIX, "diagonal")) if not w.slots
    }
    table.permutations |= set(_given(said, names, said.numbers(FactKind.MATRIX, "permutation")))
    deltas = said.numbers(FactKind.MATRIX, "kronecker")
    table.kronecker |= {w.stem for n in deltas for _, w in _bare(said, names, n)}
    hot = _given_names(said, names, said.numbers(FactKind.VECTOR, "one-hot"))
    table.one_hot |= {w.stem for w in hot if names.rank(w) < 2}
    about = facts_by_name(said, names)
    signed = {
        stem
        for stem, own in about.items()
        if any(a.fact.kind is FactKind.SIGN and (a.ends is None or a.ends[0] is not a.ends[1]) for a in own)
    }
    properties: dict[str, tuple[str, ...]] = {}
    for fact in said.of(FactKind.PROPERTY):
        for stem in dict.fromkeys(stem for stem, *_ in _written_in(said, names, fact)):
            if not (stem in signed and sign.is_sign(str(fact.value))):
                properties[stem] = (*properties.get(stem, ()), str(fact.value))
    taken = table.permutations | table.one_hot | table.basis
    sums = [n for value in ("row sums", "rows sum to one") for n in said.numbers(FactKind.MATRIX, value)]
    return Known(
        {stem: tuple(dict.fromkeys(own)) for stem, own in properties.items() if stem not in taken},
        frozenset(_given(said, names, sums)),
        frozenset(_targets(said, names)),
        tuple(_laws(said, names)),
        about,
    )


def _small_letters(said: Said, names: Names) -> Iterator[tuple[str, Written]]:
    r"""Diagonal factors of decompositions and the numbers on them: the $\sigma_i$ of $\Sigma$ in `A = U \Sigma V^\top`, where
    nothing else says what $\Sigma$ and $\sigma$ are."""
    factors = {n for f in said.of(FactKind.MATRIX, "diagonal") for n in f.names if isinstance(n, str)}
    found = {w.stem: w for i in said.items for w in uses(names, i.reading.chain) if len(w.slots) == 1 and not w.bold}
    chains = [i.reading.chain for i in said.items]
    equations = [c.first for c in chains if c.first is not None and c.links and c.links[0][0] == "="]
    defined = {w.stem for first in equations if (w := names.written(first)) is not None}
    for factor in factors:
        stem = factor.lstrip("\\")
        vector = found.get(stem.lower())
        if stem != stem.lower() and vector is not None and not {stem, stem.lower()} & defined:
            yield stem, vector


def written(names: Names, node: Node | None) -> Iterator[Written]:
    """The names in a formula that is a name or a list of them."""
    return (w for n in members(node) if (w := names.written(n)) is not None)


def _bare(said: Said, names: Names, number: int) -> Iterator[tuple[Item, Written]]:
    """The readings of a formula that begin with a name."""
    for item in said.of_span.get(number, ()):
        w = names.written(item.reading.chain.first) if item.reading.chain.first is not None else None
        if w is not None:
            yield item, w


def _sizes(said: Said, names: Names, formulas: Iterable[object]) -> Iterator[Written]:
    """The lengths that formulas are."""
    for _, w in (pair for n in formulas if isinstance(n, int) for pair in _bare(said, names, n)):
        if not w.slots and w.power is None:
            yield w


def _given_names(said: Said, names: Names, numbers: Iterable[int]) -> Iterator[Written]:
    """The names of formulas that are names, or memberships of names."""
    for item in (i for n in numbers for i in said.of_span.get(n, ())):
        chain = item.reading.chain
        if chain.first is not None and all(relation == "in" for relation, _ in chain.links):
            yield from written(names, chain.first)


def _given(said: Said, names: Names, numbers: Iterable[int]) -> Iterator[str]:
    return (w.stem for w in _given_names(said, names, numbers))


def mark_vectors(said: Said, names: Names) -> None:
    """Names that the text calls vectors: `Q_i is the query vector at position i`; with accents they are vectors too."""
    numbers = set(said.numbers(FactKind.VECTOR, "vector"))
    called: dict[str, int] = {}
    for item in said.items:
        chain = item.reading.chain
        is_called = item.span.index in numbers and (not chain.links or is_drawn(chain))
        vectors = chain.first if is_called else random_vectors(chain)
        if vectors is None:
            continue
        for w in written(names, vectors):
            if w.power is None and w.stem not in names.sizes | names.functions:
                called[w.stem] = max(called.get(w.stem, 0), len(w.slots))
    for stem, evidence in names.evidence.items():
        slots = called.get(stem)
        if slots is None and without_accents(stem) != stem and evidence.slots == called.get(without_accents(stem)):
            slots = evidence.slots
        if slots is not None:
            evidence.vector_slots = max(evidence.vector_slots, slots)
            evidence.shown_slots = max(evidence.shown_slots, slots)


def mark_matrices(said: Said, names: Names, table: Table) -> None:
    """Names that the text calls matrices, each by itself or for each index: `for matrices A and B`, `the matrix W_i`."""
    for value, marked in (("matrix", names.matrices), ("square", table.square)):
        for w in (w for fact in said.of(FactKind.MATRIX, value) for w in _called(said, names, fact)):
            if w.power is None and len(w.slots) < 2 and w.stem not in names.sizes | names.functions:
                marked.add(w.stem)
                evidence = names.evidence[w.stem]
                evidence.vector_slots = max(evidence.vector_slots, len(w.slots) + 1)
    for vectors, spread in _laws_of_vectors(said, names):
        if spread is not None:
            names.matrices.add(spread.stem)
            table.square.add(spread.stem)
        for w, axes in (*((v, 0) for v in vectors), *(((spread, 1),) if spread is not None else ())):
            evidence = names.evidence[w.stem]
            evidence.vector_slots = max(evidence.vector_slots, len(w.slots) + axes)


def _laws_of_vectors(said: Said, names: Names) -> Iterator[tuple[list[Written], Written | None]]:
    r"""The names that are vectors and the one that is a matrix in `x \sim \mathcal{N}(\mu, \Sigma)`."""
    for chain in (i.reading.chain for i in said.items):
        law = normal_law(chain.links[-1][1]) if chain.links and chain.links[-1][0] == "sim" else None
        if law is None or not is_of_vector(law):
            continue
        nodes = (*members(chain.first), law.mean)
        found = [names.written(n) for n in nodes if isinstance(n, Name | Scripted)]
        vectors = [w for w in found if w is not None and w.power is None and w.stem not in names.sizes]
        spread = names.written(law.spread) if isinstance(law.spread, Name | Scripted) else None
        if spread is None or spread.power is not None or is_identity(law.spread):
            yield vectors, None
        elif spread.stem not in names.sizes | names.functions:
            yield vectors, spread


def _called(said: Said, names: Names, fact: Fact) -> Iterator[Written]:
    """The names that a fact is about, where they stand alone or the fact has them itself."""
    for name in fact.names:
        if isinstance(name, str):
            with suppress(ReadError):
                yield from written(names, read_expression(name, said.macros or {}))
            continue
        for item in (i for i in said.of_span.get(name, ()) if not i.reading.chain.links):
            yield from written(names, item.reading.chain.first)


def _targets(said: Said, names: Names) -> Iterator[str]:
    """Names that weigh logarithms, in a text about cross entropies: y in `-\\sum_k y_k \\log p_k`."""
    if not any(map(CROSS_ENTROPY.search, said.document.texts())):
        return
    for item in said.items:
        sums = (n.body for n in walk(item.reading.chain) if isinstance(n, Big) and n.name == "sum")
        for product in (n for body in sums for n in walk(body) if isinstance(n, Adjacent | Infix)):
            if any(isinstance(n, Operator) and n.name == "log" for n in product.parts):
                yield from (w.stem for n in product.parts if (w := names.written(n)) is not None and w.slots)


def _laws(said: Said, names: Names) -> Iterator[Stated]:
    """Means and variances that sentences state of names."""
    chains = [(i.span.index, i.reading.chain) for i in reversed(said.items)]
    first = {k: chain.first for k, chain in chains if not chain.links}
    shaped = {k: chain.first for k, chain in chains if [relation for relation, _ in chain.links] == ["in"]}
    rows = dict(chains)
    told: set[tuple[int, int]] = set()
    for fact in said.of(FactKind.RANDOM, "vector"):
        nodes = (shaped.get(n) or first.get(n) for n in fact.names if isinstance(n, int))
        yield from (Stated(w.stem, ANY, 0) for node in nodes for w in written(names, node) if w.power is None)
    for fact in (f for f in said.facts if f.kind in (FactKind.MEAN, FactKind.VARIANCE, FactKind.NORMAL)):
        sentence = (fact.scope.block, fact.scope.since)
        if isinstance(fact.value, tuple):  # of the components of what the sentence before speaks of
            if sentence not in told:
                before = [rows[n] for n in fact.names if isinstance(n, int) and n in rows]
                yield from of_components(names, fact, first, before)
            continue
        for stated in of_names(names, fact, first, shaped):
            told.add(sentence)
            yield stated
