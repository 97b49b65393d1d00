"""Calls: instances of function-style definitions, and names that are indexed through their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from derivations.language.substitution import term_sizes
from derivations.language.term import (
    DERIVED,
    UNKNOWN,
    Add,
    Apply,
    Case,
    Choice,
    Entry,
    Index,
    IndexValue,
    Lambda,
    Max,
    Mul,
    Pow,
    Sum,
    Term,
    guard_free,
)
from derivations.latex.elaborator.names_in_expressions import occurrence
from derivations.latex.lexicon.arrays import Array, At, Dim, NotUnderstood
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.lexicon.written_names import Slot, Written
from derivations.latex.syntax.function_names import arguments_of, plain_stem
from derivations.latex.syntax.letters import PRIMED, is_upper, letter
from derivations.latex.syntax.surface import (
    Adjacent,
    Enclosed,
    Infix,
    Literal,
    Name,
    Node,
    Prefix,
    Scripted,
    Span,
    walk,
)
from derivations.latex.syntax.surface_writer import write_surface
from derivations.notes import Note

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator
    from derivations.latex.elaborator.indices import Scope


def call(e: Elaborator, w: Written, arguments: Enclosed, scope: Scope) -> Array:
    """The array of `f(X)`, `A_{ij}(Q, K)`, `\\alpha(q, k_i)`."""
    if w.power is not None or w.transposed:  # f^2(x), f^{-1}(x)
        needed = f"whether what stands above {w.stem} is a power, an inverse or part of the name is not said"
        raise NotUnderstood("ambiguous", needed, w.span)
    nodes, signs = arguments_of(arguments)
    w = w.named(e.table.names.overloaded(w.stem, len(nodes), signs))
    symbol = e.overlay.get(w.stem) or e.table.function(w, nodes)
    if symbol is not None and is_only_named(e, w, symbol):
        symbol = None
    if symbol is None and e.table.later is not None and e.table.later(w.stem):
        symbol = e.table.find(w)
    found = _of_entries(e, w, nodes, scope) if symbol is None else None
    if found is not None:
        return found
    if symbol is None and (w.stem in e.table.names.maps or _of_vectors(e, w, nodes)):
        return _value(e, w, nodes, scope)
    if symbol is None and (found := _entrywise(e, w, nodes, scope)) is not None:
        return found
    if symbol is None:
        varied = plain_stem(w.stem) in e.table.names.shown.varied or _below(e, w) is not None
        symbol = None if varied else _opaque(e, w, nodes)
        if symbol is None:
            return _function(e, w, nodes, scope)
    e.used[symbol.stem] = symbol
    if symbol.parameters is not None:
        ranks = [len(p.dims) for p in symbol.parameters]
        if len(nodes) != len(ranks):
            message = f"{w.stem} needs {len(ranks)} arguments, but {len(nodes)} are given"
            raise NotUnderstood("shape-conflict", message, w.span)
        values = [
            _of_rank(e, n, rank, scope) if rank else _number(e, n, scope) for n, rank in zip(nodes, ranks, strict=True)
        ]
        alone = ranks == [1] and not w.slots and _acts_on_entries(e, symbol)
        if alone and values and not values[0].rank:
            return _at_number(e, symbol, values[0], scope, w.span)
        zeros = [isinstance(n, Literal) and n.text == "0" and rank > 0 for n, rank in zip(nodes, ranks, strict=True)]
        values = [_zeros(e, p.dims, v, w) if z else v for p, v, z in zip(symbol.parameters, values, zeros, strict=True)]
        if ranks == [0] and values and values[0].rank and not symbol.dims:
            return _entry_by_entry(e, symbol, values[0], scope, w.span)
        return instance(e, symbol, w.slots, values, scope, w.span)
    if symbol.call is None:
        raise NotUnderstood("unknown-notation", f"{w.stem} is not a function here", w.span)
    return _member(e, symbol, w, nodes, scope)


def is_only_named(e: Elaborator, w: Written, symbol: Symbol) -> bool:
    r"""Whether a given number is a function that is only named elsewhere: the p of `p(x)` in `D(p, q)` and `p \neq q`."""
    declared = w.stem in e.table.declared or w.stem in e.table.rows or w.stem in e.free or e.table.is_size(w)
    if declared or w.slots or w.stem in e.overlay or w.stem not in e.table.names.applied:
        return False
    return not (symbol.defined or symbol.dims) and symbol.parameters is None and symbol.call is None


def instance(
    e: Elaborator, symbol: Symbol, slots: Sequence[Slot], values: Sequence[Array], scope: Scope, span: Span
) -> Array:
    """A definition with its tensor parameters put; sizes follow the arguments."""
    parameters = symbol.parameters or ()
    if len(parameters) != len(values):
        raise NotUnderstood(
            "shape-conflict", f"{symbol.stem} needs {len(parameters)} arguments, but {len(values)} are given", span
        )
    rigid = {d.root() for d in symbol.rigid}
    put: dict[Dim, Dim] = {}
    for parameter, value in zip(parameters, values, strict=True):
        if len(parameter.dims) != value.rank:
            raise NotUnderstood(
                "shape-conflict",
                f"argument {parameter.head} of {symbol.stem} needs {len(parameter.dims)} axes, but has {value.rank}",
                span,
            )
        for own, given in zip(parameter.dims, value.shape, strict=True):
            root = own.root()
            known = root.known
            if root in rigid or (known is not None and (len(known.terms) != 1 or known.sizes & symbol.fixed)):
                e.sizes.unify(root, given, span)
            elif root in put:
                e.sizes.unify(put[root], given, span)
            else:
                put[root] = given
    dims = tuple(put.get(d.root(), d) for d in symbol.dims)
    if len(slots) > len(dims):
        raise NotUnderstood("shape-conflict", f"{symbol.stem} has {len(dims)} axes, too few for its indices", span)
    fixed: list[Index | None] = [
        None if s.node is None else e.place_on(s.node, symbol.base, d, scope) for s, d in zip(slots, dims, strict=False)
    ]
    fixed += [None] * (len(dims) - len(fixed))

    def at(where: At) -> Term:
        rest = iter(where)
        at_sizes = {str(e.sizes.index(root)): e.sizes.index(given) for root, given in put.items()}
        lambdas = []
        for value in values:
            names = tuple(e.fresh("p") for _ in value.shape)
            lambdas.append(Lambda(names, value.at(tuple(map(Index.var, names)))))
        sizes = [at_sizes.get(s, Index.size(s)) for s in symbol.sizes]
        return Entry(symbol.head, [next(rest) if f is None else f for f in fixed], lambdas, sizes)

    shape = tuple(d for f, d in zip(fixed, dims, strict=True) if f is None)
    return Array(shape, at, symbol.orient if len(shape) == 1 else "plain", span)


def _zeros(e: Elaborator, dims: Sequence[Dim], zero: Array, w: Written) -> Array:
    """`r(0)` for a function of an array: all of its entries are zero."""
    shape = tuple(e.new_dim("zeros", w.span, k) for k in range(len(dims)))
    for own, d in zip(shape, dims, strict=True):
        if d.root().known is not None:
            e.sizes.soft(own, d)
    return Array(shape, lambda _: zero.at(()), span=zero.span)


def _entry_by_entry(e: Elaborator, symbol: Symbol, value: Array, scope: Scope, span: Span) -> Array:
    """A function of a number applied to an array: to every entry."""
    e.readings.append(Note("function-of-entries", (symbol.stem,)))

    def at(where: At) -> Term:
        return instance(e, symbol, (), [Array((), lambda _: value.at(where), span=span)], scope, span).at(())

    return Array(value.shape, at, value.orient, span)


def _acts_on_entries(e: Elaborator, symbol: Symbol) -> bool:
    """Whether each entry of the value of a function of a vector is made of the same entry of the vector alone."""
    made = e.table.theory.definitions.get(symbol.head, ())
    if len(made) != 1 or len(symbol.dims) != 1 or len(made[0].tensors) != 1 or len(made[0].variables) != 1:
        return False
    (definition,), (place,) = made, made[0].indices
    (vector,) = definition.tensors
    own = Entry(vector.name, (place,))

    def acts(t: Term) -> bool:
        if t == own or (vector.name not in t.heads and t.free.isdisjoint(definition.variables)):
            return True
        guards = (t.guard,) if isinstance(t, Max | Sum) else (g for g, _ in t.branches) if isinstance(t, Case) else ()
        if any(not guard_free(g).isdisjoint(definition.variables) for g in guards):
            return False
        return isinstance(t, Add | Mul | Pow | Apply | Max | Sum | Case | Choice) and all(map(acts, t.children))

    is_own = place in map(Index.var, definition.variables)
    return is_own and term_sizes(definition.body).isdisjoint(definition.sizes) and acts(definition.body)


def _at_number(e: Elaborator, symbol: Symbol, value: Array, scope: Scope, span: Span) -> Array:
    """A function that acts entry by entry, applied to a number: to a vector with this entry alone."""
    e.readings.append(Note("function-at-number", (symbol.stem,)))
    alone = Array((e.sizes.declared(Index.of(1)),), lambda _: value.at(()), span=span)
    made = instance(e, symbol, (), [alone], scope, span)
    return Array((), lambda _: made.at((Index.of(0),)), span=span)


def call_pattern(
    e: Elaborator, nodes: Sequence[Node], before: Sequence[Slot] = ()
) -> tuple[tuple[tuple[str, str], ...], tuple[Slot, ...]] | None:
    r"""How arguments index a name: fixed names, members of a family, index expressions; None when they do not.

    A member at an index that the name has `before` its arguments is told by it: the `x_t` of `\mu_t(x_t, x_0)`.
    """
    known = [c for s in before if (c := letter(s.node)) is not None]
    pattern: list[tuple[str, str]] = []
    slots: list[Slot] = []
    for node in nodes:
        w = e.table.names.written(node)
        if w is not None and not w.transposed and w.power is None and len(w.slots) <= 1:
            if not w.slots:
                pattern.append(("fixed", w.stem))
                continue
            if isinstance(w.slots[0].node, Literal):  # x_0 beside x_t: that one value
                pattern.append((f"at {w.slots[0].node.text}", w.stem))
                continue
            if letter(w.slots[0].node) in known:
                pattern.append((f"with {known.index(letter(w.slots[0].node) or '')}", w.stem))
                continue
            if w.slots[0].node is not None and not (w.slots[0].style == "d" and w.stem in e.table.names.numbered):
                pattern.append(("member", w.stem))
                slots.append(Slot(w.slots[0].node, "a"))
                continue
        return None
    told = any(kind.startswith("with ") for kind, _ in pattern)
    return (tuple(pattern), tuple(slots)) if slots or told else None


def index_pattern(nodes: Sequence[Node]) -> tuple[Slot, ...] | None:
    """Arguments that are index expressions, one of them compound: `PE(pos, 2i)`."""
    compound = False
    for node in nodes:
        if isinstance(node, Name | Literal):
            continue
        if not isinstance(node, Infix | Adjacent | Prefix) or any(isinstance(n, Scripted) for n in walk(node)):
            return None
        letters = [letter(n) for n in _leaves(node)]
        if not all(x is not None or isinstance(n, Literal) for x, n in zip(letters, _leaves(node), strict=True)):
            return None
        compound = True
    return tuple(Slot(n, "a") for n in nodes) if compound and len(nodes) > 1 else None


def _leaves(node: Node) -> list[Node]:
    return [n for p in node.parts for n in _leaves(p)] if node.parts else [node]


def _member(e: Elaborator, symbol: Symbol, w: Written, nodes: Sequence[Node], scope: Scope) -> Array:
    pattern = symbol.call or ()
    if len(pattern) != len(nodes):
        raise NotUnderstood("unknown-notation", f"{w.stem} is called with other arguments than before", w.span)
    if len(symbol.dims) < len(w.slots) + sum(kind in ("index", "member") for kind, _ in pattern):
        raise NotUnderstood("shape-conflict", f"{w.stem} has {len(symbol.dims)} axes, too few for its indices", w.span)
    fixed: list[Index] = []
    dims = iter(symbol.dims)
    for slot in w.slots:
        if slot.node is None:
            raise NotUnderstood("unknown-notation", f"all of an axis of {w.stem} before its arguments", w.span)
        fixed.append(e.place_on(slot.node, symbol.base, next(dims), scope))
    for (kind, stem), node in zip(pattern, nodes, strict=True):
        argument = e.table.names.written(node)
        if kind == "index":
            fixed.append(e.place_on(node, symbol.base, next(dims), scope))
            continue
        if argument is None or argument.stem != stem or argument.transposed or argument.power is not None:
            raise NotUnderstood("unknown-notation", f"{w.stem} is called with other arguments than before", w.span)
        if kind == "member":
            if len(argument.slots) != 1 or argument.slots[0].node is None:
                raise NotUnderstood("unknown-notation", f"{w.stem} is called with other arguments than before", w.span)
            fixed.append(e.place_on(argument.slots[0].node, symbol.base, next(dims), scope))
        elif kind.startswith("with "):
            place = argument.slots[0].node if len(argument.slots) == 1 else None
            own = w.slots[int(kind.removeprefix("with "))].node
            if place is None or own is None or write_surface(place) != write_surface(own):
                raise NotUnderstood("unknown-notation", f"{w.stem} is called with other arguments than before", w.span)
        elif kind.startswith("at "):
            place = argument.slots[0].node if len(argument.slots) == 1 else None
            if not isinstance(place, Literal) or place.text != kind.removeprefix("at "):
                raise NotUnderstood("unknown-notation", f"{w.stem} is called with other arguments than before", w.span)
        elif argument.slots:
            raise NotUnderstood("unknown-notation", f"{w.stem} is called with other arguments than before", w.span)
    rest = tuple(dims)
    return Array(rest, lambda at: Entry(symbol.head, (*fixed, *at)), symbol.orient, w.span)


def _of_vectors(e: Elaborator, w: Written, nodes: Sequence[Node]) -> bool:
    r"""`\sigma(Q_t)`, where `Q_t` is a row of a matrix that is known: who multiplies it by vectors takes it for one."""
    argument = e.table.names.written(nodes[0]) if len(nodes) == 1 else None
    if argument is None or w.slots or is_upper(w.stem) or not argument.slots or argument.stem in e.overlay:
        return False
    known = e.table.find(argument)
    plain = known is not None and known.parameters is None and known.call is None
    return plain and known is not None and len(known.dims) == 1 + len(argument.slots)


def _value(e: Elaborator, w: Written, nodes: Sequence[Node], scope: Scope) -> Array:
    r"""`\phi(q_t)` for a function that nothing says more of than that its values are vectors: a given family of vectors.

    Such a family stands for each name that the function is applied to, a row for each of its rows.
    """
    if len(w.slots) == 1 and w.slots[0].node is not None:  # \phi_k(x), the entry of a vector
        whole = _value(e, replace(w, slots=()), nodes, scope)
        place = e.place_on(w.slots[0].node, e.table.names.document_base, whole.shape[-1], scope)
        return Array(whole.shape[:-1], lambda at: whole.at((*at, place)), span=w.span)
    if w.slots:
        raise NotUnderstood("unknown-notation", f"several indices of the function {w.stem} are not read", w.span)
    argument = e.table.names.written(nodes[0]) if len(nodes) == 1 else None
    if argument is not None and argument.stem in e.overlay:
        e.table.of_parameters.add(w.stem)  # what it is at members of families is then written in the same way
    if w.stem in e.table.of_parameters:
        return _vector_value(e, w, nodes, scope)
    if argument is None or argument.transposed or argument.power is not None:
        return _vector_value(e, w, nodes, scope)
    known = e.lookup(argument)
    moving = e.table.derivatives or argument.stem in e.table.names.random or argument.stem in e.table.laws
    if not known.dims or known.parameters is not None or known.call is not None or moving:
        return _vector_value(e, w, nodes, scope)
    stem = f"{w.stem}({known.head})"
    symbol = e.table.symbols.get(stem)
    if symbol is None:
        width = e.table.memo.setdefault(("values of", w.stem), Dim("r"))
        members = known.dims if len(known.dims) == len(argument.slots) else known.dims[:-1]
        symbol = Symbol(stem, e.table.new_head(f"{w.stem}_{known.head}"), (*members, width), known.orient)
        symbol.base, symbol.styles = known.base, known.styles
        e.table.symbols[stem] = symbol
    e.table.values[symbol.head] = w.stem, known.head
    e.used[stem] = symbol
    e.readings.append(Note("any-function", (w.stem,)))
    return e.entries(symbol, argument, scope)


def _vector_value(e: Elaborator, w: Written, nodes: Sequence[Node], scope: Scope) -> Array:
    r"""`\phi(q - k)`: a vector that depends on what the function is applied to, in a way of which nothing is known."""
    values = [argument(e, n, scope) for n in nodes]
    width = e.table.memo.setdefault(("values of", w.stem), Dim("r"))
    e.readings.append(Note("any-function", (w.stem,)))
    return _unknown(e, w.stem, values, (), (width,), w.span)


def _unknown(
    e: Elaborator, stem: str, values: Sequence[Array], fixed: Sequence[Index], shape: tuple[Dim, ...], span: Span
) -> Array:
    """The value of a function of which nothing is known, at some arrays."""

    def at(where: At) -> Term:
        lambdas, sizes = [], []
        for value in values:
            names = tuple(e.fresh("p") for _ in value.shape)
            lambdas.append(Lambda(names, value.at(tuple(map(Index.var, names)))))
            sizes += [e.sizes.index(d) for d in value.shape]
        return Entry(UNKNOWN + stem, (*fixed, *where), lambdas, sizes)

    return Array(shape, at, span=span)


def _entrywise(e: Elaborator, w: Written, nodes: Sequence[Node], scope: Scope) -> Array | None:
    r"""`a_l = g(z_l)`, where the document makes a vector of $a_l$ as of $z_l$: g is taken of every entry."""
    stated = e.stated[1] if e.stated is not None and e.stated[0] == w.span else ()
    if len(nodes) != 1 or w.slots or not stated or _is_capital(w) or w.stem in e.table.names.shown.numbers:
        return None
    argument = e.table.names.written(nodes[0])
    if argument is None or argument.stem in e.overlay:
        return None
    if e.table.names.defined_axes.get(argument.stem, 0) - len(argument.slots) != len(stated):
        return None
    value = e.value(nodes[0], scope)
    e.readings.append(Note("any-function-of-entries", (w.stem,)))
    return Array(value.shape, lambda at: Apply(w.stem, value.at(at)), value.orient, w.span)


def _opaque(e: Elaborator, w: Written, nodes: Sequence[Node]) -> Symbol | None:
    """A function that nothing defines, applied to members of families: its values are a family of numbers."""
    found = call_pattern(e, nodes)
    if found is None or w.slots or any(stem in e.overlay for _, stem in found[0]):
        return None
    pattern, slots = found
    dims = tuple(e.new_dim("opaque", w.stem, k) for k, _ in enumerate(slots))
    symbol = Symbol(w.stem, e.table.new_head(w.stem), dims, call=pattern, base=e.table.names.document_base)
    symbol.styles = "a" * len(slots)
    e.table.symbols[w.stem] = symbol
    return symbol


def _of_entries(e: Elaborator, w: Written, nodes: Sequence[Node], scope: Scope) -> Array | None:
    r"""An activation `\sigma(W x)`, or its derivative `\sigma'(a_i)`: a function of one number, applied to every entry."""
    names = e.table.names
    base = w.stem
    while base.endswith(PRIMED):
        base = base.removesuffix(PRIMED)
    is_activation = base in names.activations
    is_derivative = base != w.stem and base in names.called and e.table.find_stem(base) is None
    if len(nodes) != 1 or w.slots or not (is_activation or is_derivative) or base in names.maps:
        return None
    value = argument(e, nodes[0], scope)
    if value.rank and not is_activation:
        return None
    if value.rank:
        e.readings.append(Note("any-function-of-entries", (base,)))
    function = base + DERIVED * ((len(w.stem) - len(base)) // len(PRIMED))
    return Array(value.shape, lambda at: Apply(function, value.at(at)), value.orient, w.span)


def _function(e: Elaborator, w: Written, nodes: Sequence[Node], scope: Scope) -> Array:
    """A function that nothing defines: of one number, or of any arrays."""
    shown = e.table.names.shown
    values = [argument(e, n, scope) for n in nodes]
    below = _below(e, w)
    plain = plain_stem(w.stem)
    if below is None and [v.rank for v in values] == [0] and not w.slots and not _is_capital(w):
        return Array((), lambda _: Apply(w.stem, values[0].at(())), span=w.span)
    settled = plain in shown.numbers | shown.vectors
    of_arrays, is_factor = any(v.rank for v in values), plain in shown.factors | shown.beside
    doubtful = (of_arrays or is_factor) if _is_capital(w) else of_arrays and is_factor
    stated = e.stated[1] if e.stated is not None and e.stated[0] == w.span else None
    if not values or (doubtful and not settled and stated is None):
        raise NotUnderstood("unknown-notation", f"nothing defines the function {w.stem}", w.span)
    stem = w.stem
    if below is not None:  # f_theta(x) depends on theta as on x
        stem = below[0]
        values.append(occurrence(e, below[1], {}))
    head = UNKNOWN + stem
    base = e.table.names.document_base
    fixed = [e.place_on(n, base, e.new_dim(head, w.span, k), scope) for k, n in enumerate(_places(w))]
    shape: tuple[Dim, ...] = (e.table.memo.setdefault(("values of", stem), Dim("r")),) if plain in shown.vectors else ()
    shape = stated if stated is not None and not settled else shape
    e.readings.append(Note("any-function-of-arrays", (stem,)))
    return _unknown(e, stem, values, fixed, shape, w.span)


def argument(e: Elaborator, node: Node, scope: Scope) -> Array:
    """What a function is applied to; `s` beside `s_{t+1}` is any member of the family."""
    member_of_set = scope.get(letter(node) or "")
    if member_of_set is not None and member_of_set.member:  # its place tells it from the others: that is all
        return Array((), lambda _: IndexValue(member_of_set.written(e.table.names.document_base)), span=node.span)
    w = e.table.names.written(node)
    if w is None or w.slots or w.transposed or w.power is not None or w.stem in {*scope, *e.overlay, *e.table.declared}:
        return e.value(node, scope)
    member = w.stem in e.table.names.shown.members and e.table.member(w)
    return e.entries(member, w, scope) if member else e.value(node, scope)


def _of_rank(e: Elaborator, node: Node, rank: int, scope: Scope) -> Array:
    """An argument of so many axes: all of a name where any member of its family has too few."""
    found = argument(e, node, scope)
    if found.rank == rank:
        return found
    whole = e.value(node, scope)
    return whole if whole.rank == rank else found


def _number(e: Elaborator, node: Node, scope: Scope) -> Array:
    found = argument(e, node, scope)
    return found if not found.rank else e.number(node, scope)


def _is_capital(w: Written) -> bool:
    r"""`R(\\theta)` may well be a matrix."""
    return is_upper(w.stem) and len(plain_stem(w.stem)) == 1 and w.font != "roman"


def _places(w: Written) -> list[Node]:
    nodes = [s.node for s in w.slots if s.node is not None]
    if len(nodes) < len(w.slots):
        raise NotUnderstood("unknown-notation", f"all of an axis of {w.stem} before its arguments", w.span)
    return nodes


def _below(e: Elaborator, w: Written) -> tuple[str, Written] | None:
    r"""The name of `f_\\theta` without what it depends on, and that: a name that stands elsewhere too."""
    plain = plain_stem(w.stem)
    stem, _, below = plain.partition("_")
    if not below or below not in e.table.names.unscripted or below in e.table.names.sizes:
        return None
    return stem + w.stem[len(plain) :], Written(below, False, "", (), False, None, w.span)
