"""Arrays as index functions, and sizes as unknowns that unify.

While an equation is read, every expression is an `Array`: a shape of `Dim`s and a function from index positions to a
term.  The function is called only after all shapes of the equation have been unified, so that it may ask for sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from derivations.language.index import quotient as index_quotient
from derivations.language.substitution import fresh
from derivations.language.term import Add, Apply, Index, Mul, Number, Pow, Term, number, sum_over
from derivations.latex.syntax.surface import Span


class NotUnderstood(Exception):
    """An expression that cannot be read: a stable `code`, one line of `message`, and the `span` of the offender; `lengths`
    are the two that should be one."""

    def __init__(
        self, code: str, message: str, span: Span | None = None, lengths: tuple[Index, Index] | None = None
    ) -> None:
        self.code, self.message, self.span, self.lengths = code, message, span, lengths
        super().__init__(message)


class Dim:
    """The size of an axis: known, or an unknown of the union-find structure that `Sizes` keeps."""

    __slots__ = ("around", "chosen", "hint", "known", "link", "origin")

    def __init__(self, hint: str = "n", known: Index | None = None, origin: str = "") -> None:
        self.hint, self.known, self.origin = hint, known, origin
        self.link: Dim | None = None
        self.chosen: Index | None = None
        self.around: tuple[Dim, int, int] | None = None
        """The axis is that one with so many entries before and after it: the states `S_0, …, S_n` of `n` steps."""

    def root(self) -> Dim:
        d = self
        while d.link is not None:
            d = d.link
        return d

    def __repr__(self) -> str:
        r = self.root()
        return f"Dim({r.known or r.chosen or r.hint + '?'})"


class Sizes:
    """All sizes of a document.  `mark` and `undo` take back the unifications of an equation that failed."""

    def __init__(self) -> None:
        self.trail: list[Dim] = []
        self.named: dict[str, Dim] = {}
        self.taken: set[str] = set()
        self.used: set[str] = set()
        """Names of sizes that definitions speak of."""
        self.put_in: Mapping[str, Index] = {}
        """The numbers and sizes that the text puts in for sizes where the relation stands that is read now."""
        self.owed = 0
        """How often lengths met that are written differently, as h*w and d: nothing tells that they are the same."""

    def declared(self, size: Index, origin: str = "declared") -> Dim:
        """The axis size `size`; equal sizes share one `Dim`."""
        key = str(size)
        self.taken |= size.sizes
        if key not in self.named:
            self.named[key] = Dim(known=size, origin=origin)
        return self.named[key]

    def mark(self) -> int:
        return len(self.trail)

    def undo(self, mark: int) -> None:
        while len(self.trail) > mark:
            dim = self.trail.pop()
            if dim.link is not None:
                dim.link = None  # a name that it had before stays its own
                continue
            if dim.chosen is not None:
                self.taken -= dim.chosen.sizes
            dim.chosen = None

    def links_since(self, mark: int) -> int:
        """How many lengths have been put to others."""
        return sum(d.link is not None for d in self.trail[mark:])

    def unify(self, a: Dim, b: Dim, span: Span | None = None) -> None:
        """Make two sizes equal; raises `NotUnderstood` (shape-conflict) when both are known and differ."""
        ra, rb = a.root(), b.root()
        if ra is rb:
            return
        sa, sb = ra.known or ra.chosen, rb.known or rb.chosen
        if sa is not None and sb is not None:
            differ = sa is not sb and (_differ_in_one_factor(sa, sb) or (sa.plain and sb.plain))
            self.owed += sa is not sb and not differ
            if not differ:
                return  # whether h*w is d is not for shapes to say: the statement owes it
            if self._is_put_in(sa, sb) or self._is_put_in(sb, sa):
                return
            for own, other in ((ra, rb), (rb, ra)):
                if own.known is None and own.around is None and self.used.isdisjoint(own.chosen.sizes):  # type: ignore[union-attr]
                    own.link = other  # its name is ours, and no definition uses it
                    self.trail.append(own)
                    return
            raise NotUnderstood(
                "shape-conflict",
                f"two axes should have the same size here, but one has {sa} and the other {sb}",
                span,
                (sa, sb),
            )
        if sa is not None or (sb is None and ra.hint != "n" and rb.hint == "n"):
            ra, rb = rb, ra
        ra.link = rb
        self.trail.append(ra)

    def _is_put_in(self, size: Index, value: Index) -> bool:
        return any(self.put_in.get(n) is value for n in size.sizes)

    def soft(self, a: Dim, b: Dim) -> None:
        """Unify unless both are known and differ."""
        ra, rb = a.root(), b.root()
        if (ra.known or ra.chosen) is None or (rb.known or rb.chosen) is None:
            self.unify(ra, rb)

    def index(self, d: Dim) -> Index:
        """The size as an index term; an unknown one gets a name from its hint."""
        r = d.root()
        if r.known is not None:
            return r.known
        if r.chosen is None and r.around is not None:
            steps, before, after = r.around
            r.chosen = self.index(steps) + (before + after)
            self.trail.append(r)
        if r.chosen is None:
            name = fresh(r.hint, self.taken)
            self.taken.add(name)
            r.chosen = Index.size(name)
            self.trail.append(r)
        return r.chosen

    def is_known(self, d: Dim) -> bool:
        return d.root().known is not None


def _differ_in_one_factor(a: Index, b: Index) -> bool:
    """Whether two products of lengths have all factors in common but one each: `h*v` and `h*w`."""
    shared = (Index.size(s) for s in sorted(a.sizes & b.sizes))
    return any(
        x.plain and y.plain and x is not y for x, y in ((index_quotient(a, s), index_quotient(b, s)) for s in shared)
    )


At = tuple[Index, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """What a slot picks out of an axis: from `first` on the new axis `axis`, or the place `first` (no axis)."""

    first: Index
    axis: Dim | None


def places(parts: Sequence[Part], where: At) -> At:
    """The positions in the whole of a place in the part."""
    rest = iter(where)
    return tuple(p.first if p.axis is None else p.first + next(rest) for p in parts)


@dataclass(frozen=True, slots=True)
class Array:
    """A real array.  `orient` of a vector: `column`, `row`, `plain` (as declared, transposition unknown), `transposed`
    (a plain one under a transpose sign).  `span` is where it was written."""

    shape: tuple[Dim, ...]
    at: Callable[[At], Term]
    orient: str = "plain"
    span: Span | None = None
    diagonal: bool = False
    """A diagonal matrix: its powers are those of its entries."""
    across: bool = False
    """A number for each row of a matrix: beside one it is repeated along the row."""

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def lying(self) -> bool:
        """A vector that stands as a row as far as is known."""
        return self.orient in ("row", "transposed")


@dataclass(frozen=True, slots=True)
class ListShape:
    """The shape that is stated for the list which stands at a place; where none is, the number of axes that is usual."""

    span: Span
    dims: tuple[Dim, ...] | None
    usual: int | None = None


def scalar(term: Term, span: Span | None = None) -> Array:
    return Array((), lambda _: term, span=span)


def transpose(a: Array) -> Array:
    if a.rank == 0:
        return a
    if a.rank == 1:
        turned = {"column": "row", "row": "column", "plain": "transposed", "transposed": "plain"}[a.orient]
        return replace(a, orient=turned)
    return Array((*a.shape[:-2], a.shape[-1], a.shape[-2]), lambda at: a.at((*at[:-2], at[-1], at[-2])), span=a.span)


def _repeated(a: Array, wide: Dim) -> Array:
    return Array((a.shape[0], wide), lambda at: a.at((at[0],)), span=a.span)


def elementwise(function: Callable[[Term], Term], a: Array) -> Array:
    return Array(a.shape, lambda at: function(a.at(at)), a.orient, a.span)


class Arithmetic:
    """Array operations over a store of sizes; `names` hands out bound variables that are unique in an equation."""

    def __init__(self, sizes: Sizes, reserved: Iterable[str] = ()) -> None:
        self.sizes = sizes
        self.reserved = set(reserved)
        self.notes: list[str] = []

    def fresh(self, hint: str) -> str:
        name = fresh(hint, self.reserved | self.sizes.taken)
        self.reserved.add(name)
        return name

    def sum_axis(self, dim: Dim, hint: str, body: Callable[[Index], Term]) -> Term:
        var = self.fresh(hint)
        return sum_over(var, 0, self.sizes.index(dim), body(Index.var(var)))

    def contract(self, a: Array, b: Array, span: Span | None) -> Array:
        """Sum over the last axis of `a` and the first axis of `b` (for a batch of matrices: the last but one)."""
        if a.rank >= 3 or b.rank >= 3:
            return self._batched(a, b, span)
        self.sizes.unify(a.shape[-1], b.shape[0], span)
        k = a.rank - 1

        def at(where: At) -> Term:
            return self.sum_axis(a.shape[-1], "c", lambda c: Mul((a.at((*where[:k], c)), b.at((c, *where[k:])))))

        shape = (*a.shape[:-1], *b.shape[1:])
        orient = "plain"
        if len(shape) == 1:
            orient = ("row" if a.lying or a.orient == "plain" else "column") if a.rank == 1 else "column"
        return Array(shape, at, orient, span)

    def _batched(self, a: Array, b: Array, span: Span | None) -> Array:
        if a.rank < 2 or b.rank < 2 or (a.rank != b.rank and b.rank != 2 and a.rank != 2):
            raise NotUnderstood("unknown-notation", "a product of arrays of these ranks is not known", span)
        self.sizes.unify(a.shape[-1], b.shape[-2], span)
        lead = a.shape[:-2] if a.rank >= b.rank else b.shape[:-2]
        if a.rank == b.rank:
            for x, y in zip(a.shape[:-2], b.shape[:-2], strict=True):
                self.sizes.unify(x, y, span)

        def at(where: At) -> Term:
            top = where[:-2]
            left, right = (top if a.rank > 2 else ()), (top if b.rank > 2 else ())
            return self.sum_axis(
                a.shape[-1], "c", lambda c: Mul((a.at((*left, where[-2], c)), b.at((*right, c, where[-1]))))
            )

        return Array((*lead, a.shape[-2], b.shape[-1]), at, span=span)

    def dot(self, a: Array, b: Array, span: Span | None) -> Array:
        if a.rank == b.rank == 2:  # the sum of the products of their entries: tr(a^T b)
            for x, y in zip(a.shape, b.shape, strict=True):
                self.sizes.unify(x, y, span)

            def row(r: Index) -> Term:
                return self.sum_axis(a.shape[1], "c", lambda c: Mul((a.at((r, c)), b.at((r, c)))))

            return Array((), lambda _: self.sum_axis(a.shape[0], "r", row), span=span)
        if a.rank != 1 or b.rank != 1:
            raise NotUnderstood(
                "shape-conflict", f"a dot product needs two vectors, found ranks {a.rank}, {b.rank}", span
            )
        self.sizes.unify(a.shape[0], b.shape[0], span)
        return Array((), lambda _: self.sum_axis(a.shape[0], "c", lambda c: Mul((a.at((c,)), b.at((c,))))), span=span)

    def outer(self, a: Array, b: Array, span: Span | None) -> Array:
        return Array((a.shape[0], b.shape[0]), lambda at: Mul((a.at((at[0],)), b.at((at[1],)))), span=span)

    def broadcast(
        self, parts: Sequence[Array], combine: Callable[[Sequence[Term]], Term], span: Span | None, *, scalars: bool
    ) -> Array:
        """Entry by entry; scalars are spread when `scalars` allows it, and the numbers of rows along them."""
        rank = max(p.rank for p in parts)
        if rank == 2 and any(p.across for p in parts):
            wide = next(p.shape[1] for p in parts if p.rank == 2)
            parts = [_repeated(p, wide) if p.across else p for p in parts]
        full = [p for p in parts if p.rank == rank]
        if any(p.rank not in (0, rank) for p in parts) or (not scalars and len(full) != len(parts)):
            ranks = " and ".join(str(p.rank) for p in parts)
            raise NotUnderstood("shape-conflict", f"arrays of ranks {ranks} are combined entry by entry", span)
        for p in full[1:]:
            for x, y in zip(full[0].shape, p.shape, strict=True):
                self.sizes.unify(x, y, span)
        if rank == 1 and any(p.orient in ("row", "column") for p in full):
            standing = {p.orient for p in full if p.orient in ("row", "column")}
            orient = standing.pop() if len(standing) == 1 else "plain"
        else:
            orient = full[0].orient
        return Array(full[0].shape, lambda at: combine([p.at(at if p.rank else ()) for p in parts]), orient, span)

    def scale(self, factor: Array, a: Array, span: Span | None) -> Array:
        return Array(a.shape, lambda at: times(factor.at(()), a.at(at)), a.orient, span)


def times(*factors: Term) -> Term:
    """A product without nested products."""
    flat: list[Term] = []
    for f in factors:
        flat.extend(f.args if isinstance(f, Mul) else (f,))
    return flat[0] if len(flat) == 1 else Mul(flat)


def plus(*parts: Term) -> Term:
    flat: list[Term] = []
    for p in parts:
        flat.extend(p.args if isinstance(p, Add) else (p,))
    return flat[0] if len(flat) == 1 else Add(flat)


def minus(term: Term) -> Term:
    if isinstance(term, Number):
        return Number(-term.value)
    return times(number(-1), term)


def quotient(above: Term, below: Term) -> Term:
    if isinstance(above, Number) and isinstance(below, Number) and below.value != 0:
        return Number(above.value / below.value)
    return times(above, Pow(below, -1))


def power(base: Term, exponent: Term) -> Term:
    return Pow(base, exponent)


def applied(function: str) -> Callable[[Term], Term]:
    return lambda t: Apply(function, t)
