"""The array that a name with its scripts is: a size, the number e, an identity matrix, or the entries of a symbol."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from derivations.language.term import HALF, ONE, Bracket, Entry, Index, IndexValue, Pow, equal, exp
from derivations.latex.elaborator.array_functions import square_of
from derivations.latex.elaborator.indices import Scope, Variable
from derivations.latex.lexicon import arrays
from derivations.latex.lexicon.arrays import Array, NotUnderstood, elementwise
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.lexicon.written_names import Written
from derivations.latex.syntax.letters import ALONE, EULER, GREEK, letter, rows_of_identity
from derivations.latex.syntax.surface import Literal, Name, Node, Span, walk

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator


def occurrence(e: Elaborator, w: Written, scope: Scope) -> Array:
    """A name with its scripts."""
    is_exponential = w.stem == EULER and w.power is not None and not w.slots and _is_exponential(e, w)
    if (variable := _index_raised(e, w, scope)) is not None:
        place = variable.written(e.table.names.document_base)
        found = Array((), lambda _: IndexValue(place), span=w.span)
    elif w.stem not in e.overlay and e.table.is_size(w) and not is_exponential:
        size = e.size(w.stem)
        e.sizes_as_numbers.add(w.stem)
        found = Array((), lambda _: IndexValue(size), span=w.span)
    elif is_exponential and w.power is not None:
        exponent = e.value(w.power, scope)
        return elementwise(exp, exponent)
    elif w.stem == EULER and w.power is None and not w.slots and _is_number_e(e, w):
        found = Array((), lambda _: exp(ONE), span=w.span)
    elif (w.stem in ("I",) or rows_of_identity(w.stem) is not None) and _is_identity(e, w):
        side = e.new_dim("identity", w.span)
        if (rows := rows_of_identity(w.stem)) is not None:
            e.sizes.unify(side, e.sizes.declared(Index.of(rows)), w.span)
        for s in w.slots:
            if s.node is not None:
                e.sizes.unify(side, e.sizes.declared(e.written_index(s.node, {})), w.span)
        found = Array((side, side), lambda at: Bracket((equal(at[0], at[1]),)), span=w.span)
    elif w.stem in e.table.kronecker and _is_kronecker(e, w):
        a, b = (e.written_index(s.node, {**e.free, **scope}) for s in w.slots if s.node is not None)
        same = equal(a, b)
        found = Array((), lambda _: Bracket((same,)), span=w.span)
    elif (square := square_of(e, w)) is not None:
        whole = e.entries(square, w, scope)
        found = elementwise(lambda t: Pow(t, HALF), whole)
    else:
        symbol = e.lookup(_as_angle(e, w))
        if symbol.parameters is not None:
            found = _own_instance(e, symbol, w, scope)
        else:
            found = e.entries(symbol, w, scope)
    if w.transposed and w.power is None and w.above is not None and e.is_power(w.above, found):
        return e.raised(found, w.above, scope, w.span)
    if w.transposed:
        found = arrays.transpose(found)
    if w.power is not None:
        if found.rank == 2 and not found.diagonal:
            _check_power(e, w, w.power)
        found = e.raised(found, w.power, scope, w.span)
    return found


def _index_raised(e: Elaborator, w: Written, scope: Scope) -> Variable | None:
    r"""The index of which a power is written, `\\sum_{t=1}^T t^2`."""
    if w.power is None or w.slots or w.bold or w.transposed or w.font not in ("", "roman") or w.stem in e.overlay:
        return None
    variable = scope.get(w.stem) or e.free.get(w.stem)
    return variable if variable is not None and not variable.member else None


def _check_power(e: Elaborator, w: Written, power: Node) -> None:
    """A power of a name that is one matrix: `W^l` may be the matrix of layer l, `W^2` beside `W^1` that of layer 2.

    A capital that is a factor elsewhere counts as one.  Whether it is a number after all is asked where it would matter.
    """
    known, evidence = e.table.find(w), e.table.names.evidence[w.stem]
    sure = known is not None and (known.defined or known.exact)
    letters = {c for n in walk(power) if isinstance(n, Name) and (c := letter(n)) is not None}
    if letters:
        one = sure and w.stem in e.table.names.unscripted and not letters & {"l", "ell"}
    else:
        one = sure or w.bold or evidence.transposed or evidence.slots >= 2 or w.stem in e.table.names.in_laws
        one = one or w.stem in (e.table.names.factors | e.table.names.matrices) - e.table.names.numbered
    if not one:
        raise NotUnderstood("unknown-notation", f"whether {w.stem} is one matrix is not said", w.span)


def _as_angle(e: Elaborator, w: Written) -> Written:
    """A bare Greek letter where only a number can stand, of which the document also has indexed ones."""
    if not e.numbers_only or w.slots or w.bold or w.transposed or w.stem not in GREEK or w.stem in e.overlay:
        return w
    known = e.table.find(w)
    guessed = known is None or not (known.defined or known.exact)
    if guessed and w.stem not in e.table.declared and e.table.names.evidence[w.stem].slots:
        return replace(w, stem=w.stem + ALONE)
    return w


def _own_instance(e: Elaborator, symbol: Symbol, w: Written, scope: Scope) -> Array:
    """A function that is written without its arguments once it is defined: `\\xi` for `\\xi(t, y)`."""
    from derivations.latex.elaborator.calls import instance

    values: list[Array] = []
    parameters = symbol.parameters or ()
    shown = not e.stems or any(p.head in e.stems for p in parameters)
    for p in parameters:
        known = e.overlay.get(p.head) or e.table.find_stem(p.head)
        if known is None or known.parameters is not None or not (shown or p.head in e.table.declared):
            raise NotUnderstood("unknown-notation", f"{w.stem} is a function and needs its arguments", w.span)
        e.used[known.stem] = known
        values.append(_whole(known, w.span))
    return instance(e, symbol, w.slots, values, scope, w.span)


def _whole(symbol: Symbol, span: Span) -> Array:
    """All of a symbol, without indices."""
    return Array(symbol.dims, lambda at: Entry(symbol.head, at), symbol.orient, span)


def _is_exponential(e: Elaborator, w: Written) -> bool:
    """`e^x`, unless the document has a number of its own called e; a length called e has whole powers at most."""
    known = e.table.find(w)
    is_whole = isinstance(w.power, Literal) and e.table.is_size(w)
    return (known is None or bool(known.dims)) and not is_whole


def _is_number_e(e: Elaborator, w: Written) -> bool:
    """The e of `\\log_2 e`, in a document that writes powers of e and gives no other meaning to the letter.

    A bold one is a vector.
    """
    free = w.bold or w.stem in e.free or w.stem in e.table.declared
    return e.table.names.powers_of_e and e.table.find(w) is None and not free


def _is_identity(e: Elaborator, w: Written) -> bool:
    declared = e.table.declared.get(w.stem)
    is_square = declared is not None and len(declared.dims) > 1 and declared.dims[-1].root() is declared.dims[-2].root()
    known = e.table.find(w) is not None or (declared is not None and not is_square)
    return not known and (len(w.slots) == 0 or _is_length(e, w))


def _is_length(e: Elaborator, w: Written) -> bool:
    """`I_n`: the identity with so many rows, where n is a size."""
    inner = e.table.names.written(w.slots[0].node) if len(w.slots) == 1 and w.slots[0].node is not None else None
    is_length = inner is not None and (
        e.table.is_size(inner) or (not inner.slots and inner.stem in e.table.names.sizes)
    )
    return is_length and w.slots[0].style == "d"


def _is_kronecker(e: Elaborator, w: Written) -> bool:
    """`\\delta_{ij}`, unless the document has a matrix of its own that is called so."""
    if len(w.slots) != 2 or any(s.node is None for s in w.slots):
        return False
    known, declared = e.table.find(w), e.table.declared.get(w.stem)
    return (known is None or (known.exact and len(known.dims) < 2)) and (declared is None or len(declared.dims) < 2)
