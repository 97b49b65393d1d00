r"""Divergences and entropies of normal laws, by their closed forms.

In one dimension the divergence of N(m, v) from N(n, w) is `(\log(w / v) + (v + (m - n)^2) / w - 1) / 2`, and the entropy of
the first `\log(2 \pi e v) / 2`.  In k dimensions they are `(\operatorname{tr}(W^{-1} V) + (n - m)^T W^{-1} (n - m) - k +
\log(\det W / \det V)) / 2` and `(k \log(2 \pi e) + \log \det V) / 2`; where the entries are independent of one another,
the sums of those in one dimension.

Sources: Kullback, Information Theory and Statistics (1959), sec. 9.1; Cover and Thomas, Elements of Information Theory
(2006), th. 8.4.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from derivations.language.statement import CIRCLE, Law, Statement
from derivations.language.term import HALF, ONE, ZERO, Entry, Index, Pow, Term, exp, guard, number, within
from derivations.latex.elaborator import matrices
from derivations.latex.elaborator.determinants import determinant
from derivations.latex.elaborator.indices import Scope
from derivations.latex.lexicon import arrays
from derivations.latex.lexicon.arrays import Array, At, Dim, NotUnderstood, minus, plus, quotient, times
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.passes.known_divergences import DIVERGENCE, ENTROPY, LAW
from derivations.latex.syntax.normal_laws import NormalLaw, is_centred, is_identity
from derivations.latex.syntax.surface import Adjacent, Infix, Name, Node, Operator, Scripted
from derivations.notes import Note

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator

DRAWN = "drawn-vector"
"""The operator whose value is a vector that is drawn from a normal law."""
_LOG = arrays.applied("log")
_ENTRYWISE = "power-of-entries"
"""The note on squares of vectors, which say nothing new of a diagonal."""


@dataclass(frozen=True, slots=True)
class _Law:
    """A law as arrays: `mean` None for zero; `axis` None in one dimension; `spread` the variances, or a whole matrix."""

    mean: Array | None
    spread: Array
    axis: Dim | None

    @property
    def is_whole(self) -> bool:
        """Whether the entries may depend on one another."""
        return self.spread.rank == 2

    def mean_at(self, *place: Index) -> Term:
        """The mean, or an entry of it."""
        return ZERO if self.mean is None else self.mean.at(place)

    def variance_at(self, *place: Index) -> Term:
        """The variance, or that of an entry."""
        if not self.is_whole:
            return self.spread.at(place if self.spread.rank else ())
        return self.spread.at((*place, *place))


def known_of_laws(e: Elaborator, node: Operator, scope: Scope) -> Array:
    """The divergence of two normal laws, or the entropy of one."""
    laws = [_law(e, a, scope) for a in node.arguments]
    axes = [law.axis for law in laws if law.axis is not None]
    if len(axes) not in (0, len(laws)):
        raise NotUnderstood(
            "shape-conflict", "one of these laws is that of a number, the other that of a vector", node.span
        )
    for other in axes[1:]:
        e.sizes.unify(axes[0], other, node.span)
    if axes and e.length_of_laws is not None:
        e.sizes.soft(axes[0], e.sizes.declared(e.size(e.length_of_laws)))
    e.readings.append(Note("closed-form-of-laws", (_WHAT[node.name],)))
    of = _divergence if node.name == DIVERGENCE else _entropy
    return of(e, laws, node)


_WHAT = {DIVERGENCE: "divergence", ENTROPY: "entropy"}
"""What the notes call the known functions."""


def _law(e: Elaborator, node: Node, scope: Scope) -> _Law:
    if not isinstance(node, Operator) or node.name != LAW:
        raise NotUnderstood("unknown-notation", "needed a law", node.span)
    mean_node, spread_node = node.arguments
    before = len(e.readings)
    spread, is_vector = _spread(e, spread_node, scope)
    e.readings[before:] = [n for n in e.readings[before:] if n.kind != _ENTRYWISE]
    mean = None if is_centred(NormalLaw(mean_node, spread_node)) else e.value(mean_node, scope)
    axis = spread.shape[0] if is_vector and spread.rank else None
    if mean is not None and mean.rank != (1 if axis is not None else 0):
        needed = "the mean of a law is a number where its variance is one, and else a vector"
        raise NotUnderstood("shape-conflict", needed, node.span)
    if spread.rank == 2:
        e.sizes.unify(spread.shape[0], spread.shape[1], node.span)
    if mean is not None and axis is not None:
        e.sizes.unify(mean.shape[0], axis, node.span)
    return _Law(mean, spread, axis)


def drawn_vector(e: Elaborator, node: Operator, scope: Scope) -> Array:
    r"""`\mu + L z` for `\mathcal{N}(\mu, \Sigma)`: the entries of $z$ are independent, with mean 0 and variance 1.

    Every matrix of covariances has such a factor $L$ with $L L^\top = \Sigma$; nothing else is supposed of it.  The
    subscript is the name of what is drawn; what follows the two parameters are its own indices.
    """
    law, places = _law_drawn_from(e, node, scope), node.arguments[2:]
    if law.axis is None:
        raise NotUnderstood("shape-conflict", "the law of a number is no law of a vector", node.span)
    stem, axis = _stem(node), law.axis
    families = [e.new_dim("drawn", stem, k) for k, _ in enumerate(places)]
    fixed = [e.place_on(n, e.table.names.document_base, d, scope) for n, d in zip(places, families, strict=True)]
    noise = _symbol(e, f"noise of {stem}", f"{stem}_noise", (*families, axis))
    e.table.laws[noise.stem] = Law(ZERO, ONE, normal=True)
    factor = _symbol(e, f"factor of {stem}", f"{stem}_factor", (axis, axis)) if law.is_whole else None

    def at(where: At) -> Term:
        if factor is None:
            own = times(_deviation(law.variance_at(*where)), Entry(noise.head, (*fixed, *where)))
        else:
            head = factor.head
            own = _over(e, axis, lambda c: times(Entry(head, (*where, c)), Entry(noise.head, (*fixed, c))))()
        return plus(law.mean_at(*where), own)

    return Array((axis,), at, "column", node.span)


def _deviation(variance: Term) -> Term:
    """What makes noise of this variance of noise of variance 1, whatever its sign is."""
    if isinstance(variance, Pow) and variance.exponent == number(2):
        return variance.base
    return variance if variance == ONE else Pow(variance, HALF)


def is_of_vectors(e: Elaborator, node: Operator) -> bool:
    """Whether the law from which something is drawn is one of vectors."""
    e.declare_letters(Adjacent(node.span, node.arguments[2:]))
    return _law_drawn_from(e, node, {}).axis is not None


def _law_drawn_from(e: Elaborator, node: Operator, scope: Scope) -> _Law:
    return _law(e, replace(node, name=LAW, sub=None, arguments=node.arguments[:2]), scope)


def factorises(e: Elaborator, node: Operator) -> Statement | None:
    r"""`\Sigma_{ij} = \sum_k L_{ik} L_{jk}` for what was drawn, where its covariances are a whole matrix."""
    factor = e.table.symbols.get(f"factor of {_stem(node)}")
    if factor is None:
        return None
    spread, axis, head = e.value(node.arguments[1], {}), factor.dims[0], factor.head
    i, j, length = Index.var("i"), Index.var("j"), e.sizes.index(factor.dims[0])
    square = _over(e, axis, lambda k: times(Entry(head, (i, k)), Entry(head, (j, k))))()
    inside = guard(*within("i", 0, length), *within("j", 0, length))
    return Statement(spread.at((i, j)), "=", square, ("i", "j"), inside)


def _stem(node: Operator) -> str:
    if not isinstance(node.sub, Name):
        raise NotUnderstood("unknown-notation", "what is drawn has no name", node.span)
    return node.sub.base


def _symbol(e: Elaborator, stem: str, name: str, dims: tuple[Dim, ...]) -> Symbol:
    """A given array that the text does not name: the same wherever the same is meant."""
    symbol = e.table.symbols.get(stem)
    if symbol is None:
        symbol = e.table.symbols[stem] = Symbol(stem, e.table.new_head(name), dims, base=e.table.names.document_base)
        symbol.exact = True
    for own, given in zip(symbol.dims, dims, strict=True):
        e.sizes.unify(own, given, (0, 0))
    e.used[stem] = symbol
    return symbol


def _spread(e: Elaborator, node: Node, scope: Scope) -> tuple[Array, bool]:
    """The variances of the entries, where they are independent, or else the matrix of covariances; and whether it is one."""
    if isinstance(node, Operator) and node.name == "diag" and len(node.arguments) == 1:
        inner = e.value(node.arguments[0], scope)
        if inner.rank == 1:
            return inner, True
    factor, identity = _multiple_of_identity(node)
    if identity is not None:
        whole = e.value(identity, scope)
        if whole.rank == 2:
            scale = arrays.scalar(ONE) if factor is None else e.value(factor, scope)
            if scale.rank:
                raise NotUnderstood("shape-conflict", "a number is needed before the identity matrix", node.span)
            return Array((whole.shape[0],), lambda _: scale.at(()), span=node.span), True
    found = e.value(node, scope)
    if found.rank > 2:
        raise NotUnderstood("shape-conflict", "covariances are a matrix", node.span)
    if found.rank == 2 and found.diagonal:
        own = found
        return Array((own.shape[0],), lambda at: own.at((at[0], at[0])), span=node.span), True
    return found, found.rank > 0


def _multiple_of_identity(node: Node) -> tuple[Node | None, Node | None]:
    r"""What stands before an identity matrix, and the matrix: `\sigma^2` and `I`; None twice for anything else."""
    if is_identity(node) and not (isinstance(node, Scripted) and node.sup is not None):
        return None, node
    if isinstance(node, Adjacent) and is_identity(node.items[-1]):
        rest = node.items[:-1]
        lead = rest[0] if len(rest) == 1 else Adjacent((rest[0].span[0], rest[-1].span[1]), rest)
        return lead, node.items[-1]
    if isinstance(node, Infix) and node.operator == "cdot" and is_identity(node.right):
        return node.left, node.right
    return None, None


# --- the closed forms -----------------------------------------------------------------------------------------------


def _divergence(e: Elaborator, laws: list[_Law], node: Operator) -> Array:
    first, second = laws

    def difference(*place: Index) -> Term:
        return plus(first.mean_at(*place), minus(second.mean_at(*place)))

    def part(*place: Index) -> Term:
        """What an entry adds, without its logarithm."""
        v, w = first.variance_at(*place), second.variance_at(*place)
        return plus(quotient(plus(v, Pow(difference(*place), 2)), w), number(-1))

    def logarithm(*place: Index) -> Term:
        return _LOG(quotient(second.variance_at(*place), first.variance_at(*place)))

    if first.axis is None:
        return Array((), lambda _: times(HALF, plus(logarithm(), part())), span=node.span)
    axis = first.axis
    if not first.is_whole and not second.is_whole:
        both = _over(e, axis, lambda r: plus(logarithm(r), part(r)))
        return Array((), lambda _: times(HALF, both()), span=node.span)
    logs = _logarithm_of_quotient(e, second, first, node)
    if not second.is_whole:
        rest = _over(e, axis, part)
        return Array((), lambda _: times(HALF, plus(rest(), logs())), span=node.span)
    inverse = matrices.inverted(e, second.spread)
    trace = _over(e, axis, lambda r: _times_column(e, axis, inverse, first, r))
    square = _over(
        e, axis, lambda r: _over(e, axis, lambda c: times(difference(r), inverse.at((r, c)), difference(c)))()
    )
    length = _over(e, axis, lambda _: ONE)
    return Array((), lambda _: times(HALF, plus(trace(), square(), minus(length()), logs())), span=node.span)


def _times_column(e: Elaborator, axis: Dim, inverse: Array, first: _Law, r: Index) -> Term:
    """An entry of the diagonal of the inverse times the covariances."""
    if not first.is_whole:
        return times(inverse.at((r, r)), first.variance_at(r))
    return _over(e, axis, lambda c: times(inverse.at((r, c)), first.spread.at((c, r))))()


def _entropy(e: Elaborator, laws: list[_Law], node: Operator) -> Array:
    (law,) = laws
    circle = e.value(Name(node.span, CIRCLE), {})
    if circle.rank:
        raise NotUnderstood("ambiguous", "what the circle constant is here is not said", node.span)

    def constant() -> Term:
        return _LOG(times(number(2), circle.at(()), exp(ONE)))

    if law.axis is None:
        return Array((), lambda _: times(HALF, plus(constant(), _LOG(law.variance_at()))), span=node.span)
    constants, logs = _over(e, law.axis, lambda _: constant()), _logarithm_of_determinant(e, law, node)
    return Array((), lambda _: times(HALF, plus(constants(), logs())), span=node.span)


def _logarithm_of_quotient(e: Elaborator, above: _Law, below: _Law, node: Operator) -> Callable[[], Term]:
    """The logarithm of a quotient of determinants."""
    if above.is_whole and below.is_whole:
        a, b = (determinant(e, law.spread, node.span) for law in (above, below))
        return lambda: _LOG(quotient(a.at(()), b.at(())))
    own = [_logarithm_of_determinant(e, law, node) for law in (above, below)]
    return lambda: plus(own[0](), minus(own[1]()))


def _logarithm_of_determinant(e: Elaborator, law: _Law, node: Operator) -> Callable[[], Term]:
    if law.is_whole:
        found = determinant(e, law.spread, node.span)
        return lambda: _LOG(found.at(()))
    return _over(e, law.spread.shape[0], lambda r: _LOG(law.variance_at(r)))


def _over(e: Elaborator, axis: Dim, of: Callable[[Index], Term]) -> Callable[[], Term]:
    return lambda: e.sum_axis(axis, "r", of)
