"""Derivatives: `\\frac{\\partial p_i}{\\partial z_j}`, and gradients of an unnamed loss `\\frac{\\partial L}{\\partial V}`.

A loss is a scalar that the document never defines.  Its gradient in the last of the symbols that an equation
differentiates by is a given tensor; in an earlier one it follows by the chain rule, the loss depending on it through
the last one only (a printed reading).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from derivations.language.statement import Theory
from derivations.language.substitution import subterms
from derivations.language.term import Entry, Index, Term
from derivations.latex.elaborator.array_functions import square_of
from derivations.latex.elaborator.changed_variables import by_new_variable, old_variable
from derivations.latex.elaborator.gradients_at_points import at_point
from derivations.latex.lexicon.arrays import Array, At, NotUnderstood, plus, times, transpose
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.lexicon.written_names import Written
from derivations.latex.passes.differentials import TOTAL
from derivations.latex.syntax.surface import Adjacent, Enclosed, Fraction, Listed, Literal, Name, Node, Scripted, walk
from derivations.notes import Note

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator
    from derivations.latex.elaborator.indices import Scope

LOSSES = frozenset({"L", "J", "E", "C", "ell", "loss", "Loss"})


class UnknownLoss(NotUnderstood):
    """Nothing says how a loss depends on what it is differentiated by; `what` is how it may be read all the same."""

    def __init__(self, loss: str, stem: str) -> None:
        super().__init__("unknown-notation", f"how {loss} depends on {stem} is not stated")
        self.note = Note("stated-gradient", (loss, stem))


def is_derivative(node: Node) -> bool:
    """`\\frac{\\partial …}{\\partial x}`, `\\frac{\\partial^2 …}{\\partial x \\partial y}`."""
    return isinstance(node, Fraction) and (_after_sign(node.below) is not None or _second(node) is not None)


def is_gradient(node: Node) -> bool:
    r"""`\nabla_x`, `\nabla`, `\\nabla^2_x`, to be applied to what follows."""
    if isinstance(node, Scripted):
        return _is_nabla(node.base) and (node.sup is None or _order(node) == 2)
    return _is_nabla(node)


def _is_nabla(node: Node) -> bool:
    return isinstance(node, Name) and node.base == "nabla" and not node.primes


def _order(node: Node) -> int:
    """How often a gradient sign differentiates."""
    sup = node.sup if isinstance(node, Scripted) else None
    return 2 if isinstance(sup, Literal) and sup.text == "2" else 1


def gradient(e: Elaborator, node: Node, items: list[Node], scope: Scope) -> Array:
    """`\\nabla_x f`: all derivatives of f by the entries of x; `\\nabla f(x)`: of f by its argument, `\\nabla^2` twice.

    The items that belong to it are taken from the list: all, or a function with its argument.
    """
    by = node.sub if isinstance(node, Scripted) else None
    body: Node
    scripts: Scripted | None = None
    if by is None and (listed := _by_all(e, node, items)) is not None:
        items.pop(0)
        return e.value(listed, scope)
    if by is None and (only := _only_name(e, items[0])) is not None:
        by, body = only, items.pop(0)
    elif by is None:
        head, after = items[0], items[1] if len(items) > 1 else None
        scripts = after if isinstance(after, Scripted) else None
        call = after.base if isinstance(after, Scripted) else after
        if not isinstance(head, Name | Scripted) or not isinstance(call, Enclosed) or call.kind != "()":
            raise NotUnderstood("unknown-notation", "a gradient without what it is taken by", node.span)
        by = call.content
        found = at_point(e, head, call, _order(node), scope)
        if found is not None:
            items[:2] = []
            return found if scripts is None else _with_scripts(e, found, scripts, scope)
        if not isinstance(by, Name | Scripted):
            raise NotUnderstood("unknown-notation", "a gradient by more than one name is not read", call.span)
        items[:2] = []
        body = Adjacent((head.span[0], call.span[1]), (head, call))
    elif _is_number_before_array(e, items, scope):
        body = items.pop(0)
    else:
        body = items[0] if len(items) == 1 else Adjacent((items[0].span[0], items[-1].span[1]), tuple(items))
        items.clear()
    w = e.table.names.written(by)
    if w is not None and w.stem in e.overlay:
        raise NotUnderstood("unknown-notation", f"a gradient by the argument {w.stem} of a function", node.span)
    sign = Name(node.span, "partial")
    parts = body.items if isinstance(body, Adjacent) else (body,)
    below = Adjacent(by.span, (sign, by))
    if _order(node) == 2:
        twice = Scripted(node.span, sign, None, Literal(node.span, "2"))
        whole = Fraction(node.span, Adjacent(body.span, (twice, *parts)), Adjacent(by.span, (sign, by, sign, by)))
        found = derivative(e, whole, scope)
    else:
        found = derivative(e, Fraction(node.span, Adjacent(body.span, (sign, body)), below), scope, body)
    return found if scripts is None else _with_scripts(e, found, scripts, scope)


def _is_number_before_array(e: Elaborator, items: Sequence[Node], scope: Scope) -> bool:
    r"""Whether a number that is defined stands before an array: `\nabla_W L \mathbf{1}` is a product with the gradient of L."""
    own = e.table.names.written(items[0]) if isinstance(items[0], Name | Scripted) and len(items) > 1 else None
    known = None if own is None or own.slots or own.power is not None else e.table.find(own)
    if known is None or not known.defined or known.dims or known.parameters is not None:
        return False
    return isinstance(items[1], Name | Scripted) and e.value(items[1], scope).rank > 0


def _by_all(e: Elaborator, node: Node, items: list[Node]) -> Node | None:
    r"""`\nabla f`, where f is a function of several numbers: the list of its derivatives by each of them; `\nabla f(x)` for a
    function of one thing.  None where f has an argument, or is anything else."""
    name, after = items[0], items[1] if len(items) > 1 else None
    after = after.base if isinstance(after, Scripted) else after
    w = e.table.names.written(name)
    symbol = e.table.find(w) if w is not None and not w.slots else None
    called = isinstance(after, Enclosed) and after.kind == "()"
    if called or _order(node) != 1 or symbol is None or not symbol.parameters or symbol.dims or w is None or w.power:
        return None
    heads = [p.head for p in symbol.parameters]
    if (any(p.dims for p in symbol.parameters) and len(heads) > 1) or not all(h.isalpha() for h in heads):
        return None
    span = name.span
    arguments = [Name(span, h) for h in heads]
    content: Node = arguments[0] if len(heads) == 1 else Listed(span, tuple(arguments))
    call = Adjacent(span, (name, Enclosed(span, "()", content)))
    if len(heads) == 1:
        return Adjacent(span, (node, *call.items))
    sign = Name(node.span, "partial")
    parts = [Fraction(span, Adjacent(span, (sign, call)), Adjacent(span, (sign, a))) for a in arguments]
    return Enclosed(span, "()", Listed(span, tuple(parts)))


def _with_scripts(e: Elaborator, found: Array, scripts: Scripted, scope: Scope) -> Array:
    return e.with_scripts(found, *e.table.names.generic_slots(scripts), scope, scripts.span)


def _only_name(e: Elaborator, node: Node) -> Node | None:
    r"""The x of `\nabla \|x\|`, where nothing else can be meant."""
    if not isinstance(node, Enclosed) or node.kind != "norm" or node.content is None:
        return None
    named = [n for n in walk(node.content) if isinstance(n, Name | Scripted)]
    return named[0] if len(named) == 1 and e.table.names.written(named[0]) is not None else None


def _second(node: Fraction) -> tuple[Node, Fraction] | None:
    """The outer variable of a second derivative, and the first derivative inside."""
    below = node.below.items if isinstance(node.below, Adjacent) else ()
    above = node.above.items if isinstance(node.above, Adjacent) else ()
    if not above or not isinstance(above[0], Scripted) or not _is_sign(above[0].base):
        return None
    if not isinstance(above[0].sup, Literal) or above[0].sup.text != "2" or above[0].sub is not None:
        return None
    sign = above[0].base
    if len(below) == 4 and _is_sign(below[0]) and _is_sign(below[2]):
        outer, inner = below[1], below[3]
    elif (
        len(below) == 2 and _is_sign(below[0]) and isinstance(below[1], Scripted) and isinstance(below[1].sup, Literal)
    ):
        if below[1].sup.text != "2":
            return None
        outer = inner = replace(below[1], sup=None) if below[1].sub is not None else below[1].base
    else:
        return None
    first = Fraction(node.span, Adjacent(node.above.span, (sign, *above[1:])), Adjacent(inner.span, (sign, inner)))
    return outer, first


def is_operator(node: Node) -> bool:
    """`\\frac{\\partial}{\\partial x}`, `\\frac{\\partial^2}{\\partial x \\partial y}`, to be applied to what follows."""
    if not isinstance(node, Fraction):
        return False
    return (is_derivative(node) and _is_sign(node.above)) or _is_second(node)


def _is_second(node: Fraction) -> bool:
    """A second derivative without what it is of."""
    above = node.above
    return (
        isinstance(above, Scripted) and _second(replace(node, above=Adjacent(above.span, (above, above)))) is not None
    )


def applied(e: Elaborator, node: Fraction, body: Node, scope: Scope) -> Array:
    """What such an operator makes of what follows it."""
    if not _is_second(node):
        return derivative(e, node, scope, body)
    parts = body.items if isinstance(body, Adjacent) else (body,)
    return derivative(e, replace(node, above=Adjacent(node.above.span, (node.above, *parts))), scope)


def _is_sign(node: Node) -> bool:
    return isinstance(node, Name) and node.base == "partial"


def _is_total(below: Node) -> bool:
    """Whether what is below a derivative was written with a d: `df/dx`, in which what depends on x goes along."""
    first = below.items[0] if isinstance(below, Adjacent) else below
    return isinstance(first, Name) and first.font == TOTAL


def _after_sign(node: Node) -> Node | None:
    if isinstance(node, Adjacent) and len(node.items) == 2 and _is_sign(node.items[0]):
        return node.items[1]
    return None


def derivative(e: Elaborator, node: Fraction, scope: Scope, body: Node | None = None) -> Array:
    """The array of all derivatives: the axes of what is differentiated, then the open axes of the variable.

    By a transposed matrix, `\\partial L / \\partial V^\\top`, the axes of the variable are turned; by a transposed vector
    nothing is.
    """
    twice = _second(node)
    if twice is not None:
        outer, body = twice
        node = replace(node, below=Adjacent(outer.span, (Name(outer.span, "partial"), outer)))
    by_node = _after_sign(node.below)
    by = e.table.names.written(by_node) if by_node is not None else None
    if by is None or by.power is not None:
        raise NotUnderstood("unknown-notation", "a derivative by this is not read", node.below.span)
    if body is None:
        body = _after_sign(node.above)
        if body is None and isinstance(node.above, Adjacent) and _is_sign(node.above.items[0]):
            body = Adjacent(node.above.span, node.above.items[1:])
    if body is None:
        raise NotUnderstood("unknown-notation", "a derivative of nothing is not read", node.span)
    symbol = _any_state(e, body, by) or e.lookup(by)
    if not _is_total(node.below):
        _free_other_arguments(e, body, symbol)
    if symbol.parameters is not None or symbol.call is not None:
        raise NotUnderstood("unknown-notation", f"a derivative by the function {by.stem} is not read", node.span)
    turned = by.transposed and len(symbol.dims) - len(by.slots) == 2
    loss = _loss(e, body)
    if loss is not None:
        found = _gradient(e, loss, symbol, by, scope)
        return transpose(found) if turned else found
    old = old_variable(e, body, symbol)
    if old is None:
        _check_dependence(e, body, symbol)
    inner = e.value(body, scope)
    _check_argument(e, body, inner, by, symbol)
    place = e.entries(symbol, by, scope)
    rank = inner.rank

    def at(where: At) -> Term:
        entry = place.at(where[rank:])
        if not isinstance(entry, Entry):
            raise NotUnderstood("unknown-notation", f"a derivative by {by.stem} is not read", node.span)
        if old is not None:
            return by_new_variable(e, entry, old, inner.at(where[:rank]))
        return e.table.differentiated(entry, inner.at(where[:rank]), through_steps=True)

    if turned:
        place = transpose(place)
    return Array((*inner.shape, *place.shape), at, place.orient if not rank else "plain", node.span)


def _any_state(e: Elaborator, body: Node, by: Written) -> Symbol | None:
    r"""The S of `\nabla_S L`, any state, for a loss `L(S)` of one of the states `S_t` that a recurrence gives."""
    known, w = e.table.symbols.get(by.stem), e.table.names.written(body)
    loss = e.table.find(w) if w is not None else None
    if known is None or by.slots or loss is None or [p.head for p in loss.parameters or ()] != [by.stem]:
        return None
    if not known.defined or not any(d.around is not None for d in known.dims[: known.slots]):
        return None
    stem = f"any {by.stem}"
    made = e.table.symbols.get(stem)
    if made is None or made.dims != known.dims[known.slots :]:
        made = Symbol(stem, e.table.new_head(by.stem), known.dims[known.slots :], base=known.base)
        e.table.symbols[stem] = made
    e.overlay[by.stem] = e.used[stem] = made
    return made


def _free_other_arguments(e: Elaborator, body: Node, symbol: Symbol) -> None:
    r"""The y of `\partial f / \partial x`, for a function `f(x, y)` written without its arguments, is any y.

    So it is also where the text has said `y = x^2` of another y: what is partial keeps the other arguments fixed.
    """
    w = e.table.names.written(body)
    function = e.table.find(w) if w is not None and not w.slots else None
    for p in (function.parameters or ()) if function is not None else ():
        known = e.overlay.get(p.head) or e.table.find_stem(p.head)
        if known is None or known is symbol or not known.defined or known.parameters is not None:
            continue
        if len(known.dims) == len(p.dims) and e.table.theory.depends(Entry(known.head), frozenset((symbol.head,))):
            stem = f"any {p.head}"
            made = e.table.symbols.get(stem)
            if made is None:
                made = Symbol(stem, e.table.new_head(p.head), known.dims, known.orient, base=known.base)
                e.table.symbols[stem] = made
            e.overlay[p.head] = e.used[stem] = made


def _check_dependence(e: Elaborator, body: Node, symbol: Symbol) -> None:
    """A name that as defined does not depend on the symbol: nobody differentiates a constant, something is not known."""
    w = e.table.names.written(body)
    known = (square_of(e, w) or e.table.find(w)) if w is not None else None
    if not e.table.settled or known is None or known is symbol or known.parameters is not None:
        return
    if not e.table.theory.depends(Entry(known.head), e.table.also_through(symbol.head)):
        raise NotUnderstood("unknown-notation", f"how {known.stem} depends on {symbol.stem} is not stated", body.span)


def _check_argument(e: Elaborator, body: Node, inner: Array, by: Written, symbol: Symbol) -> None:
    """A function of another thing that is written with the same letter: `\\nabla u(x)` of a number x beside a vector x.

    So is a function that nothing defines, of things that do not depend on the symbol: `L(w, d)`, differentiated by theta,
    is a function of theta as well.
    """
    if not e.table.settled:
        return
    value = inner.at(tuple(Index.var(e.fresh("p")) for _ in inner.shape))
    if by.stem not in {w.stem for w in uses(e.table.names, body)}:
        is_unknown = any(isinstance(t, Entry) and t.is_unknown and t.args for t in subterms(value))
        if is_unknown and not e.table.theory.depends(value, e.table.also_through(symbol.head)):
            message = f"how what is differentiated depends on {by.stem} is not stated"
            raise NotUnderstood("unknown-notation", message, body.span)
        return
    if not e.table.theory.depends(value, frozenset((symbol.head,))):
        raise NotUnderstood(
            "unknown-notation", f"{by.stem} stands for another thing in what is differentiated", body.span
        )


def _loss(e: Elaborator, body: Node) -> str | None:
    """The name of a scalar that nothing defines."""
    w = e.table.names.written(body) if isinstance(body, Name) else None
    if w is None or w.slots or w.transposed or w.stem.lstrip("_").split("_")[0] not in LOSSES | {w.stem}:
        return None
    if square_of(e, w) is not None:  # s, of which s^2 is defined
        return None
    known = e.table.find(w)
    given = known is not None and not known.defined and not known.dims and known.parameters is None
    if (known is not None and not given) or (e.table.later is not None and e.table.later(w.stem)):
        return None
    usual = isinstance(body, Name) and (body.font or body.base in LOSSES)
    alone = not e.table.names.evidence[w.stem].slots and w.stem not in e.table.names.index_letters
    return w.stem if usual or (alone and w.stem not in e.table.declared) else None


def of_loss(e: Elaborator, node: Fraction) -> tuple[str, Symbol, Written] | None:
    r"""L, x and the x as written of `\\frac{\\partial L}{\\partial x_j}`, for a loss that nothing defines."""
    below, above = _after_sign(node.below), _after_sign(node.above)
    by = e.table.names.written(below) if below is not None else None
    loss = _loss(e, above) if above is not None else None
    if by is None or loss is None or by.transposed or by.power is not None or loss in e.table.names.plain:
        return None
    return loss, e.lookup(by), by


def _gradient(e: Elaborator, loss: str, symbol: Symbol, by: Written, scope: Scope) -> Array:
    lasts = _lasts(e, loss, symbol)
    given = [given_gradient(e, loss, last) for last in lasts]
    if lasts == [symbol]:
        return e.entries(given[0], by, scope)
    *first, final = (last.stem for last in lasts)
    through = f"{', '.join(first)} and {final}" if first else final
    e.readings.append(Note("loss-through", (loss, by.stem, through)))
    place = e.entries(symbol, by, scope)

    def at(where: At) -> Term:
        entry = place.at(where)
        if not isinstance(entry, Entry):
            raise NotUnderstood("unknown-notation", f"a derivative by {by.stem} is not read", by.span)

        def over(last: Symbol, known: Symbol, taken: tuple[Index, ...]) -> Term:
            if len(taken) < len(last.dims):
                return e.sum_axis(last.dims[len(taken)], "a", lambda i: over(last, known, (*taken, i)))
            return times(Entry(known.head, taken), e.table.differentiated(entry, Entry(last.head, taken)))

        return plus(*(over(last, known, ()) for last, known in zip(lasts, given, strict=True)))

    return Array(place.shape, at, place.orient, by.span)


def given_gradient(e: Elaborator, loss: str, last: Symbol) -> Symbol:
    """The gradient of the loss in a symbol, as a given tensor: that called dy, for y, where nothing defines it."""
    stem, name = f"d{loss}/d{last.stem}", f"d{last.stem}"
    names, given = e.table.names, e.table.symbols.get(stem)
    if given is None:
        named = names.differentials and name in names.evidence and name not in names.plain
        given = e.table.symbols.get(name) if named else None
        if given is None or given.defined or len(given.dims) != len(last.dims):
            own = name if named and given is None else stem
            given = Symbol(own, e.table.new_head(own), last.dims, last.orient, base=last.base)
            given.styles = last.styles
            e.table.symbols[own] = given
        e.table.symbols[stem] = given
    if given.stem == name:
        e.readings.append(Note("named-gradient", (name, loss, last.stem)))
        e.table.gradients[given.head] = f"that {name} is the gradient of {loss} in {last.stem}"
    e.used[given.stem] = given
    return given


def _lasts(e: Elaborator, loss: str, symbol: Symbol) -> list[Symbol]:
    """The symbols whose gradients are given: of those by which the equation differentiates the loss the one that depends
    on all others, or all others when these are the separate ways on from `symbol`; else of those in the document the only
    one at the end of what depends on `symbol`.

    Raises `NotUnderstood` when there is no such symbol.
    """
    found: dict[str, Symbol] = {symbol.stem: symbol}
    for w in _variables(e, loss, e.differentiated):
        found.setdefault(w.stem, e.lookup(w))
    theory = e.table.theory
    for last in found.values():
        others = [s for s in found.values() if s is not last]
        if others and all(_depends(theory, last, s) for s in others):
            return [last]
    for start in found.values():
        ways = _separate_ways(e, loss, start, list(found.values()))
        if len(ways) > 1 and (symbol is start or symbol in ways):
            return ways if symbol is start else [symbol]
    known = (e.table.find(w) for w in _variables(e, loss, e.table.derivatives))
    after = {s.stem: s for s in known if s is not None and _depends(theory, s, symbol)} | {symbol.stem: symbol}
    ends = [s for s in after.values() if not any(_depends(theory, other, s) for other in after.values())]
    if len(ends) == 1 and (e.names_derivative or _is_known(e, loss, symbol, ends[0])):
        return [ends[0]]
    spoken_of = [s for s in ends if _speaks_of_gradient(e, loss, s)]
    if len(spoken_of) == 1:
        return spoken_of
    named = _named_gradients(e, symbol)
    if len(named) == 1:
        return named
    if e.gradients_are_given and loss not in e.table.names.plain:  # what an equation says of the loss is not read
        return [symbol]
    raise UnknownLoss(loss, symbol.stem)


def _named_gradients(e: Elaborator, symbol: Symbol) -> list[Symbol]:
    """Every y that depends on a symbol and of which the equation uses the gradient dy, that nothing defines."""
    names = e.table.names
    found = (e.table.find_stem(s[1:]) for s in e.stems if names.differentials and s[0] == "d" and s not in names.plain)
    return [s for s in found if s is not None and _depends(e.table.theory, s, symbol)]


def _separate_ways(e: Elaborator, loss: str, symbol: Symbol, found: list[Symbol]) -> list[Symbol]:
    """The other symbols of an equation, when each depends on `symbol`, none on another, and the document differentiates
    the loss by nothing that depends on `symbol` beside them."""
    theory = e.table.theory
    ways = [s for s in found if s is not symbol]
    if not all(_depends(theory, s, symbol) for s in ways):
        return []
    if any(_depends(theory, s, other) for s in ways for other in ways):
        return []
    known = (e.table.find(w) for w in _variables(e, loss, e.table.derivatives))
    for other in (s for s in known if s is not None and s not in ways and _depends(theory, s, symbol)):
        if not any(_depends(theory, other, s) or _depends(theory, s, other) for s in ways):
            return []
    return ways


def _is_known(e: Elaborator, loss: str, symbol: Symbol, end: Symbol) -> bool:
    """Whether the gradient in what comes last is known, or the equation uses it, or the gradient in a symbol was read by it."""
    if (loss, symbol.stem) in e.table.ways:
        return True
    return _is_stated(e, loss, end) or _speaks_of_gradient(e, loss, end)


def _is_stated(e: Elaborator, loss: str, last: Symbol) -> bool:
    """Whether the document has said what the gradient in a symbol is."""
    given = e.table.symbols.get(f"d{loss}/d{last.stem}")
    return given is not None and given.defined


def _speaks_of_gradient(e: Elaborator, loss: str, last: Symbol) -> bool:
    """Whether the equation uses a name that the given gradient defines; else it may tell what the gradient is."""
    given = e.table.symbols.get(f"d{loss}/d{last.stem}")
    used = (e.table.symbols.get(stem) for stem in e.stems)
    return given is not None and any(s is not None and _depends(e.table.theory, s, given) for s in used)


def _depends(theory: Theory, on: Symbol, symbol: Symbol) -> bool:
    return on is not symbol and theory.depends(Entry(on.head), frozenset((symbol.head,)))


def _variables(e: Elaborator, loss: str, written: Iterable[Fraction]) -> Iterator[Written]:
    """The names by which a loss is differentiated."""
    for node in written:
        below, above = _after_sign(node.below), _after_sign(node.above)
        w = e.table.names.written(below) if below is not None else None
        top = e.table.names.written(above) if isinstance(above, Name) else None
        if w is not None and top is not None and top.stem == loss:
            yield w


def fractions(node: Node) -> tuple[Fraction, ...]:
    """The derivatives that an equation writes."""
    return tuple(n for n in walk(node) if isinstance(n, Fraction) and is_derivative(n))
