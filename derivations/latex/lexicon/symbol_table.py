"""The names of a document that have a meaning: given tensors, defined symbols, and their shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace

from derivations.language.statement import CIRCLE, Definition, Law, Tensor, Theory
from derivations.language.substitution import fresh, term_sizes
from derivations.language.term import (
    Bracket,
    Constraint,
    Derivative,
    Entry,
    Guard,
    Index,
    Number,
    Term,
    equal,
    permuted,
)
from derivations.latex.lexicon.arrays import Array, Dim, NotUnderstood, Sizes
from derivations.latex.lexicon.differentiated_symbols import extended, mapping, renamed
from derivations.latex.lexicon.name_roles import Names
from derivations.latex.lexicon.written_names import Written
from derivations.latex.syntax.letters import FAMILY, is_upper, without_way
from derivations.latex.syntax.surface import Fraction, Literal, Name, Node

CALLED = "^f"
"""Ends the key of a function `p(T)` beside a quantity `p` of the same letter."""
GENERIC = "^v"
"""Ends the key of a vector `\\mathbf x` beside a family of vectors `\\mathbf x_i` of the same letter."""
MEMBERS = "^in"
"""Ends the key of the weights, 0 or 1, that say what is a member of a set."""


@dataclass(slots=True)
class Parameter:
    """A tensor parameter of a definition `f(X) = …`."""

    head: str
    dims: tuple[Dim, ...]
    orient: str = "plain"


@dataclass(slots=True)
class Symbol:
    """A name with a meaning.

    `head` is its name inside, `dims` the sizes of all its axes (written slots first), `orient` how a vector of its last
    axis stands.  `parameters` are those of a function-style definition; `call` is the pattern of a name that is written
    as a call but is indexed by members of families: `\\alpha(\\mathbf q, \\mathbf k_i)`.
    """

    stem: str
    head: str
    dims: tuple[Dim, ...]
    orient: str = "plain"
    defined: bool = False
    parameters: tuple[Parameter, ...] | None = None
    rigid: tuple[Dim, ...] = ()
    sizes: tuple[str, ...] = ()
    fixed: frozenset[str] = frozenset()
    """Sizes of the document that a function speaks of, whatever it is applied to."""
    call: tuple[tuple[str, str], ...] | None = None
    base: int = 1
    styles: str = ""
    speaks_of: frozenset[str] = frozenset()
    """Given names that its definition depends on, directly or through others."""
    diagonal: bool = False
    """It is defined as a diagonal matrix, or called one."""
    exact: bool = True
    """Its axes were declared or defined, not guessed from how it is written."""
    slots: int = 0
    """Slots written on the left side of its definition."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A quantity that the subscript of a mean draws: itself random, or a function of what is and of more."""

    chance: str
    """The head of what is random."""
    law: str = ""
    """The name of the law; empty where none is named."""
    is_written: bool = False
    r"""Whether the law is written out, `\mathcal{N}(0, 1)`, and not only named."""
    depends_on: tuple[Array, ...] = ()


@dataclass(slots=True)
class Declared:
    """A shape that the document states for a name; `slots` of the axes are written as indices."""

    dims: tuple[Dim, ...]
    orient: str
    slots: int


@dataclass(slots=True, eq=False)
class Labels:
    """A family of positions on an axis: the axes of its own indices, the axis of its values, where these count from."""

    places: tuple[Dim, ...]
    values: Dim
    base: int | None = None


@dataclass(slots=True)
class Table:
    """Everything known about the names of a document at one place."""

    names: Names
    sizes: Sizes = field(default_factory=Sizes)
    symbols: dict[str, Symbol] = field(default_factory=dict)
    declared: dict[str, Declared] = field(default_factory=dict)
    ranges: dict[str, tuple[int, Dim]] = field(default_factory=dict)
    stated_ranges: dict[str, list[tuple[int, tuple[str, ...], tuple[int, Dim]]]] = field(default_factory=dict)
    """The ranges of letters, each with the number of the formula and the section that state it."""
    labels: dict[str, Labels] = field(default_factory=dict)
    """The families of positions on an axis that the document has, by their names."""
    theory: Theory = field(default_factory=Theory)
    display: dict[str, str] = field(default_factory=dict)
    bases: dict[str, int] = field(default_factory=dict)
    styles: dict[str, str] = field(default_factory=dict)
    heads: set[str] = field(default_factory=set)
    settled: bool = False
    """Whether the definitions are there: not in the first walk over a document."""
    later: Callable[[str], bool] | None = None
    """Asks for the definition of a name that the section defines later; true when it is now in the table."""
    being_defined: Callable[[], Set[str]] | None = None
    """The names whose definitions are under way: they have the axes that the search tells."""
    memo: dict[tuple[object, ...], Dim] = field(default_factory=dict)
    """Unknown sizes made while an equation was read, so that a second reading finds what the first one learned."""
    laws: dict[str, Law] = field(default_factory=dict)
    """What the document says of the distribution of given names."""
    covariances: bool = False
    """Whether the variance of a vector is the matrix of the covariances of its entries, not the list of their variances."""
    drawn: dict[str, Drawn] = field(default_factory=dict)
    """Quantities that subscripts of means draw, by their heads."""
    twins: dict[str, int] = field(default_factory=dict)
    """Defined symbols by which something is differentiated, numbered."""
    derivatives: tuple[Fraction, ...] = ()
    """The derivatives that the document writes."""
    worked_out: Callable[[Term, Theory, Guard], Term] | None = None
    """Takes the derivatives in a term, for indices inside of their ranges."""
    stepped: Callable[[Term, Entry, Theory], Term | None] | None = None
    """Writes a term by the steps of a recurrence back to an entry of it; None where that does not end."""
    powers: dict[Term, str] = field(default_factory=dict)
    """The heads of the powers of matrices, by the matrix."""
    gradients: dict[str, str] = field(default_factory=dict)
    """Heads of gradients of a loss about which something is not stated, and what that is."""
    ways: set[tuple[str, str]] = field(default_factory=set)
    """Losses and names of which the text says, as is proved, that the loss depends on the name through what comes after it."""
    replaced: list[Symbol] = field(default_factory=list)
    """Given tensors whose names equations have defined since; earlier definitions speak of them."""
    supposed: dict[str, Symbol] = field(default_factory=dict)
    """What the text supposes given tensors to be, by their heads: what was defined by them before is made of that."""
    of_parameters: set[str] = field(default_factory=set)
    """Functions that nothing defines and that definitions of other functions apply to their parameters."""
    whole_parts: dict[Constraint, None] = field(default_factory=dict)
    """That a number divides a length, which `d/2` supposes wherever it stands."""
    only_parameters: set[str] = field(default_factory=set)
    """Given names that were parameters of a function first: `Q_h` may be defined later than `f(Q, K, V)`."""
    permutations: set[str] = field(default_factory=set)
    """Given names that the document calls permutation matrices."""
    square: set[str] = field(default_factory=set)
    """Given names that the document calls square matrices."""
    kronecker: set[str] = field(default_factory=lambda: {"delta"})
    """Names with two indices that are 1 where these are the same, else 0; δ is called so by custom."""
    one_hot: set[str] = field(default_factory=set)
    """Given vectors that the document calls one-hot."""
    before_first: dict[str, int] = field(default_factory=dict)
    """The place of the index of names that are also written one before the first: `S_0 = 0` beside `S_i` for i from 1."""
    after_last: dict[str, tuple[int, Node]] = field(default_factory=dict)
    """The place of the index of names that are also written at a length, and that length: `G_T = 0` beside `G_t` for t < T."""
    listed: dict[str, Index] = field(default_factory=dict)
    """The number of members of families that the text lists: `N` for `s_1, …, s_N`."""
    rows: dict[str, str] = field(default_factory=dict)
    """Names of the rows of a matrix: `x` for the rows `x_1, …, x_n` of `X`."""
    columns: dict[str, str] = field(default_factory=dict)
    """Names of the columns of a matrix: `x` for the columns `x_1, …, x_n` of `X`."""
    diagonals: dict[str, Written] = field(default_factory=dict)
    """Matrices that are diagonal in words, and the vectors whose entries stand on their diagonals."""
    diagonal: set[str] = field(default_factory=set)
    """Names of matrices that the text calls diagonal."""
    blocks: dict[str, tuple[str, Index]] = field(default_factory=dict)
    """Names of the blocks of rows that a matrix is cut into: the matrix, and the height of a block."""
    values: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Given families that are the values of a function of which nothing more is said: the function, and its argument."""
    constant: dict[str, int] = field(default_factory=dict)
    """Given vectors that the document calls vectors of ones, or of zeros."""
    even: set[str] = field(default_factory=set)
    """Sizes that the document calls even numbers."""
    divisors: dict[str, set[str]] = field(default_factory=dict)
    """Sizes that the document says divide a size, by its name: H for d after "H divides d"."""
    basis: set[str] = field(default_factory=set)
    """Given families that the document calls the unit vectors."""
    entrywise: set[str] = field(default_factory=set)
    """Signs that the document calls the product entry by entry."""
    rows_are_vectors: bool = False
    """The document keeps tokens as rows: `q_i k_j^T` is a dot product."""
    columns_are_tokens: bool = False
    """The document keeps tokens as columns: a softmax may run over the last index or over the first."""
    tokens_stated: bool = False
    """Whether tokens are rows or columns is declared, not gathered from words."""

    def part_name(self, size: str, divisor: str) -> str:
        """The name inside of the length `d/H`, of which the document says that it is whole."""
        return f"{size}_per_{divisor}"

    def find_stem(self, stem: str) -> Symbol | None:
        return self.symbols.get(stem)

    def find(self, w: Written) -> Symbol | None:
        """The symbol of a name, without making one."""
        return self.symbols.get(w.stem)

    def is_size(self, w: Written) -> bool:
        """Whether an index-free name stands for a size here."""
        if w.slots or w.transposed or w.bold:
            return False
        if w.stem in self.declared or w.stem in self.symbols:
            return w.stem in self.names.lengths_of_spaces and self._is_only_family(w.stem)
        return w.stem in self.names.sizes or (w.stem.split("_")[0] in ("d", "D") and "_" in w.stem)

    def _is_only_family(self, stem: str) -> bool:
        """Whether a name that is no length has an index wherever it stands: the columns `p_j` beside the length p."""
        declared, symbol = self.declared.get(stem), self.symbols.get(stem)
        slots = declared.slots if declared is not None else len(symbol.dims) if symbol is not None else 0
        return slots > 0 and (symbol is None or symbol.parameters is None)

    def function(self, w: Written, arguments: Sequence[Node]) -> Symbol | None:
        """What a name before parentheses stands for: beside a quantity `p`, `p(T)` and `p(1)` are the function still."""
        beside = self.symbols.get(w.stem + CALLED)
        found = self.symbols.get(w.stem)
        if beside is not None and (found is None or (found.parameters is None and found.call is None)):
            single = all(isinstance(n, Name | Literal) for n in arguments)  # p (1 - p) is a product
            if len(beside.parameters or ()) == len(arguments) and single:
                return beside
        return found

    def size(self, stem: str) -> Index:
        self.sizes.taken.add(stem)
        return Index.size(stem)

    def symbol(self, w: Written) -> Symbol:
        """The symbol of a name as used: already there, defined later in the section, or a new given tensor.

        Raises `NotUnderstood` (shape-conflict) when the name has more indices than axes.
        """
        if self.is_generic(w):
            return self._generic(w)
        family = w.stem + FAMILY
        if family in self.blocks and len(w.slots) in (1, 3):
            return self.symbols.get(family) or self._block(replace(w, stem=family)) or self._given(w)
        found = self.symbols.get(w.stem)
        if found is None and w.stem in self.rows and w.slots:
            matrix = replace(w, stem=self.rows[w.stem])
            whole = self.symbol(matrix)
            if len(whole.dims) == 2:
                return whole
        if w.stem in self.columns and w.slots and (found is None or self._is_of_other(found)):
            found = self._column(w)
        if found is None and w.stem in self.blocks and w.slots:
            found = self._block(w)
        placeholder = found is not None and not found.defined and bool(w.slots) and w.stem in self.only_parameters
        if (found is None or placeholder) and self.later is not None and self.later(w.stem):
            found = self.symbols.get(w.stem)
        if found is None:
            found = self._of_rows(w.stem) or self._given(w)
        if len(w.slots) > len(found.dims):
            other = w.stem + FAMILY
            if found.exact and any(s.style == "u" for s in w.slots) and "u" not in found.styles:
                # q_a and q^{(i)}_a are two names: one vector, and a family of vectors
                if other not in self.symbols:
                    dims = self._axes(w, len(w.slots))
                    made = Symbol(other, self.new_head(w.stem), dims, base=self.names.base(w.stem), exact=False)
                    made.styles = styles_of(w, len(dims))
                    self.symbols[other] = made
                return self.symbols[other]
            if found.exact:
                raise NotUnderstood(
                    "shape-conflict",
                    f"{w.stem} has {len(found.dims)} axes, but {len(w.slots)} indices are written here",
                    w.span,
                )
            found.dims = (*found.dims, *(self._axes(w, len(w.slots))[len(found.dims) :]))
        return found

    def _of_rows(self, stem: str) -> Symbol | None:
        """The family that a matrix has as its rows, where it is defined: `u_i = x_i / |x_i|`, the rows of U."""
        parts = (self.symbols.get(p) for p, whole in self.rows.items() if whole == stem)
        family = next((s for s in parts if s is not None and s.defined and len(s.dims) == 2), None)
        if family is None or family.parameters is not None:
            return None
        declared = self.declared.get(stem)
        for own, stated in zip(family.dims, declared.dims if declared is not None else (), strict=False):
            self.sizes.unify(own, stated)
        return family

    def is_generic(self, w: Written) -> bool:
        r"""A bold vector without an index, of which the document otherwise has a family: `\\mathbf x` beside `\\mathbf x_i`."""
        e = self.names.evidence.get(w.stem)
        if e is None or w.slots or not w.bold or e.vector_slots < 1 or is_upper(w.stem):
            return False
        known, declared = self.symbols.get(w.stem), self.declared.get(w.stem)
        if known is not None and ((known.defined and not known.slots) or known.parameters is not None):
            return False
        return declared is None or declared.slots > 0

    def _generic(self, w: Written) -> Symbol:
        stem = w.stem + GENERIC
        if stem not in self.symbols:
            family = self.symbols.get(w.stem)
            matrix = self.symbols.get(self.rows.get(w.stem, ""))
            declared = self.declared.get(w.stem) or self.declared.get(self.rows.get(w.stem, ""))
            dims = family.dims if family is not None else matrix.dims if matrix is not None else ()
            dims = declared.dims if declared is not None and not dims else dims
            orient = declared.orient if declared is not None else "plain"
            last = dims[-1:] if len(dims) > 1 else (Dim("d"),)
            self.symbols[stem] = Symbol(
                stem, self.new_head(stem), last, orient, base=self.names.base(w.stem), exact=False
            )
            self.symbols[stem].styles = ":"
        return self.symbols[stem]

    def member(self, w: Written) -> Symbol | None:
        """Any member of a family, where nothing but its members and its name alone are written; None otherwise."""
        if is_upper(w.stem):  # Q beside Q_h is a matrix
            return None
        family = self.symbols.get(w.stem) or self._given(w)
        evidence = self.names.evidence.get(w.stem)
        slots = evidence.slots if evidence is not None else 0
        if (
            family.defined
            or family.parameters is not None
            or family.call is not None
            or not 0 < slots <= len(family.dims)
        ):
            return None
        stem = w.stem + GENERIC
        if stem not in self.symbols:
            dims = family.dims[slots:]
            self.symbols[stem] = Symbol(stem, self.new_head(stem), dims, family.orient, base=family.base, exact=False)
        return self.symbols[stem]

    def _axes(self, w: Written, rank: int) -> tuple[Dim, ...]:
        """Fresh axes; the last one of a family of vectors or of a matrix is a feature axis."""
        dims = []
        slots = max(len(w.slots), 0)
        for k in range(rank):
            feature = k == rank - 1 and (rank > slots or w.slots[k].node is None or (k > 0 and w.slots[0].style == "u"))
            dims.append(self.of_two_halves(w.stem, k) or Dim("d" if feature and rank > 0 else "n"))
        return tuple(dims)

    def of_two_halves(self, stem: str, place: int) -> Dim | None:
        """The axis of length d of a name that is written at places `i + d/2` of it."""
        evidence = self.names.evidence.get(stem)
        size = evidence.halves.get(place) if evidence is not None else None
        return self.sizes.declared(Index.size(size)) if size in self.names.sizes else None

    def _column(self, w: Written) -> Symbol | None:
        """The family of the columns of a matrix; its definition is made in `view`."""
        whole = self.symbol(replace(w, stem=self.columns[w.stem]))
        if len(whole.dims) != 2 or whole.parameters is not None:
            return None
        made = Symbol(w.stem, self.new_head(w.stem), whole.dims[::-1], base=self.names.base(w.stem))
        made.styles = styles_of(w, 2)
        before = self.symbols.get(w.stem)
        self.replaced += [before] if before is not None else []
        self.symbols[w.stem] = made
        return made

    def _is_of_other(self, s: Symbol) -> bool:
        """Whether a given family are the columns of another matrix than the one that has the name now."""
        whole = self.symbols.get(self.columns.get(s.stem, ""))
        return whole is not None and not s.defined and len(s.dims) == 2 and not self._fits(s, whole)

    def _fits(self, s: Symbol, whole: Symbol) -> bool:
        return [self.sizes.index(d) for d in s.dims] == [self.sizes.index(d) for d in reversed(whole.dims)]

    def _block(self, w: Written) -> Symbol | None:
        """The family of the blocks of a matrix; its definition is made in `view`."""
        stem, height = self.blocks[w.stem]
        whole = self.symbol(replace(w, stem=stem, slots=()))
        if len(whole.dims) != 2 or whole.parameters is not None:
            return None
        dims = (Dim("n"), self.sizes.declared(height), whole.dims[1])
        made = Symbol(w.stem, self.new_head(w.stem), dims, base=self.names.base(w.stem))
        made.styles = styles_of(w, 3)
        self.symbols[w.stem] = made
        return made

    def _given(self, w: Written) -> Symbol:
        declared = self.declared.get(w.stem)
        base = self.names.base(w.stem)
        if declared is None and self.names.differentials and w.stem[:1] == "d":
            declared = self._of_differential(w.stem[1:])
        if declared is not None:
            made = Symbol(w.stem, self.new_head(w.stem), declared.dims, declared.orient, base=base)
        else:
            rank = (
                2
                if w.stem in self.permutations | self.basis
                else max(self.names.rank(w), int(w.stem in self.one_hot or w.stem in self.constant))
            )
            if self.being_defined is not None and w.stem in self.being_defined():
                rank = max(rank, self.names.defined_axes.get(w.stem, 0))
            made = Symbol(w.stem, self.new_head(w.stem), self._axes(w, rank), base=base, exact=False)
            if w.stem in self.listed and made.dims:
                self.sizes.soft(made.dims[0], self.sizes.declared(self.listed[w.stem]))
        if w.stem in self.permutations and len(made.dims) == 2:
            self.sizes.unify(made.dims[0], made.dims[1])
            made.exact = True
        if w.stem in self.square and len(made.dims) >= 2:
            self.sizes.unify(made.dims[-2], made.dims[-1])
        made.diagonal = w.stem in self.diagonal and len(made.dims) == 2
        if (named := self.diagonals.get(w.stem)) is not None and made.diagonal:
            is_declared = named.stem in self.declared and named.stem not in self.symbols
            vector = self._given(replace(named, slots=())) if is_declared else self.symbols.get(named.stem)
            for own in made.dims if vector is not None and len(vector.dims) == 1 else ():
                self.sizes.soft(own, vector.dims[0])  # type: ignore[union-attr]
        for whole in (self.symbols.get(stem) for stem, named in self.diagonals.items() if named.stem == w.stem):
            for own in whole.dims if whole is not None and whole.diagonal and len(made.dims) == 1 else ():
                self.sizes.soft(own, made.dims[0])
        if w.stem in self.basis or (w.stem in self.one_hot and len(made.dims) == 1):
            made.exact = True
        made.styles = styles_of(w, len(made.dims))
        self.symbols[w.stem] = made
        return made

    def _of_differential(self, stem: str) -> Declared | None:
        """The shape of `dX` is that of `X`."""
        known = self.symbols.get(stem)
        if known is not None and known.exact and known.parameters is None and known.call is None:
            return Declared(known.dims, known.orient, known.slots)
        return self.declared.get(stem)

    def differentiated(self, entry: Entry, body: Term, *, through_steps: bool = False) -> Term:
        """The derivative of a term by an entry; a defined symbol is differentiated by through its twin.

        With `through_steps` a state is written by its steps first.
        """
        if entry.name not in self.theory.definitions:
            return Derivative(entry.name, entry.indices, body)
        if through_steps and self.stepped is not None and self.theory.recursive(entry.name):
            steps = self.stepped(body, entry, self.theory)
            if steps is None:
                raise NotUnderstood("unknown-notation", "a derivative by a state so far before is not read")
            body = steps
        number = self.twins.setdefault(entry.name, len(self.twins) + 1)
        names = mapping(self.theory, entry.name, number)
        return Derivative(names[entry.name], entry.indices, renamed(body, names))

    def new_head(self, stem: str) -> str:
        """A name inside that nothing else has: the stem, or `stem#2` for a new version, and for what another section means."""
        stem = without_way(stem)
        if stem not in self.heads:
            self.heads.add(stem)
            return stem
        k = 2
        while f"{stem}#{k}" in self.heads:
            k += 1
        self.heads.add(f"{stem}#{k}")
        return f"{stem}#{k}"

    def tensor(self, s: Symbol) -> Tensor:
        """The given tensor that a symbol is, with sizes as they are now."""
        shape, law = tuple(self.sizes.index(d) for d in s.dims), self.laws.get(s.stem)
        is_circle = self.names.writes_circle and self.may_be_circle(s)
        return Tensor(s.head, shape, law, CIRCLE if is_circle else None)

    def may_be_circle(self, s: Symbol) -> bool:
        """Whether nothing is said of the letter pi that says that it is another number than pi."""
        is_undeclared = s.stem not in self.declared and s.stem not in self.only_parameters
        return s.stem == CIRCLE and is_undeclared and not s.dims and s.stem not in self.laws

    def also_through(self, head: str) -> frozenset[str]:
        """A name, and the given names that equations define since in terms of it."""
        found = {head}
        for old in reversed(self.replaced):
            now = self.symbols.get(old.stem)
            if now is not None and now.defined and self.theory.depends(Entry(now.head), frozenset(found)):
                found.add(old.head)
        return frozenset(found)

    def view(self) -> Theory:
        """The theory at this place: given tensors and definitions."""
        given = (s for s in (*self.replaced, *self.symbols.values()) if not s.defined and s.parameters is None)
        tensors = {s.head: self.tensor(s) for s in given}
        definitions = dict(self.theory.definitions)
        for s in self.symbols.values():
            if s.stem in self.permutations and not s.defined and len(s.dims) == 2:
                definitions[s.head] = (self.permutation(s),)
            elif s.stem in self.one_hot and not s.defined and len(s.dims) == 1:
                definitions[s.head] = (self.unit_vector(s),)
            elif s.stem in self.constant and not s.defined and len(s.dims) == 1:
                length, value = self.sizes.index(s.dims[0]), Number(self.constant[s.stem])
                definitions[s.head] = (Definition(s.head, (Index.var("i"),), value, shape=(length,)),)
            elif s.stem in self.basis and not s.defined and len(s.dims) == 2:
                definitions[s.head] = (self.unit_vectors(s),)
            elif self.columns.get(s.stem) in self.symbols and not s.defined and len(s.dims) == 2:
                whole = self.symbols[self.columns[s.stem]]
                if self._fits(s, whole):
                    definitions[s.head] = (self.column(s, whole),)
            elif (vector := self.on_diagonal(s)) is not None:
                i, j = Index.var("i"), Index.var("j")
                body = Bracket((equal(i, j),)) * Entry(vector.head, (i,))
                definitions[s.head] = (Definition(s.head, (i, j), body, shape=tuple(map(self.sizes.index, s.dims))),)
            elif s.stem in self.blocks and not s.defined and len(s.dims) == 3:
                definitions[s.head] = (self.block(s, *self.blocks[s.stem]),)
        for head, made in self.supposed.items():
            places = tuple(Index.var(f"i{k}") for k in range(len(made.dims)))
            shape = tuple(map(self.sizes.index, made.dims))
            definitions[head] = (Definition(head, places, Entry(made.head, places), shape=shape),)
        for name, family in self.labels.items():
            if name in self.names.index_maps:  # an equation may define it
                continue
            tensors.setdefault(name, Tensor(name, tuple(map(self.sizes.index, family.places))))
        return extended(Theory({k: t for k, t in tensors.items() if k not in definitions}, definitions), self.twins)

    def on_diagonal(self, s: Symbol) -> Symbol | None:
        """The vector whose entries words put on the diagonal of a given matrix, where both have one length."""
        named = self.diagonals.get(s.stem)
        vector = None if named is None else self.symbols.get(named.stem)
        if vector is None or s.defined or len(s.dims) != 2 or len(vector.dims) != 1 or vector.parameters is not None:
            return None
        lengths = {self.sizes.index(d) for d in (*s.dims, *vector.dims)}
        return vector if len(lengths) == 1 else None

    def permutation(self, s: Symbol) -> Definition:
        """A permutation matrix: entry (i, j) is 1 where j is the image of i."""
        length = self.sizes.index(s.dims[0])
        i, j = Index.var("i"), Index.var("j")
        body = Bracket((equal(permuted(f"pi_{s.head}", length, i), j),))
        return Definition(s.head, (i, j), body, shape=(length, length))

    def unit_vector(self, s: Symbol) -> Definition:
        """A one-hot vector: 1 at the place that an unknown permutation gives to 0, which is any place."""
        length = self.sizes.index(s.dims[0])
        i = Index.var("i")
        body = Bracket((equal(permuted(f"hot_{s.head}", length, Index.of(0)), i),))
        return Definition(s.head, (i,), body, shape=(length,))

    def unit_vectors(self, s: Symbol) -> Definition:
        """The unit vectors: entry i of the c-th is 1 where i = c."""
        sizes = tuple(map(self.sizes.index, s.dims))
        c, i = Index.var("c"), Index.var("i")
        return Definition(s.head, (c, i), Bracket((equal(c, i),)), shape=sizes)

    def column(self, s: Symbol, whole: Symbol) -> Definition:
        """The columns of a matrix: entry i of the j-th is entry (i, j) of the matrix."""
        i, j = Index.var("i"), Index.var("j")
        return Definition(s.head, (j, i), Entry(whole.head, (i, j)), shape=tuple(map(self.sizes.index, s.dims)))

    def block(self, s: Symbol, whole: str, height: Index) -> Definition:
        """The blocks of rows of a matrix: row i of block r is row r * height + i of the matrix."""
        r, i, j = (Index.var(c) for c in "rij")
        entry = Entry(self.symbols[whole].head, (r * height + i, j))
        return Definition(s.head, (r, i, j), entry, shape=tuple(map(self.sizes.index, s.dims)))

    def put(self, definition: Definition, admit: Callable[[Theory, Definition], Theory]) -> None:
        """Admit a definition (raises what `admit` raises)."""
        self.theory = admit(self.view(), definition)
        self.sizes.used |= term_sizes(definition.body).union(*(i.sizes for i in definition.shape or ()))


def styles_of(w: Written, rank: int) -> str:
    """How the axes of a name are written, one letter each."""
    written = "".join(":" if s.node is None else s.style for s in w.slots)
    return written + ":" * (rank - len(written))


def fresh_letters(avoid: set[str], count: int) -> list[str]:
    """Index letters for axes that the author left unwritten."""
    found: list[str] = []
    for _ in range(count):
        name = next((c for c in "ijabcrst" if c not in avoid), None) or fresh("i", avoid)
        avoid.add(name)
        found.append(name)
    return found
