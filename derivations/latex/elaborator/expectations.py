r"""Expectations: `\mathbb{E}[x]` of names that are random, and `\mathbb{E}_{x \sim p}[f(x)]`, whose subscript draws its names.

A name that a subscript draws is another quantity than the name outside: a random tensor for each law that it is drawn from.
Where the law depends on something, `z \sim q_\phi(z \mid x)`, or several names are drawn together, they are functions, of
which nothing is known, of one random number and of what the law depends on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from derivations.language.statement import Law
from derivations.language.substitution import substitute
from derivations.language.term import UNKNOWN, Entry, Expectation, Index, IndexValue, Lambda, Pow, Term
from derivations.latex.elaborator.array_functions import rational
from derivations.latex.elaborator.names_in_expressions import occurrence
from derivations.latex.lexicon import arrays
from derivations.latex.lexicon.arrays import Array, At, NotUnderstood, plus
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.lexicon.symbol_table import Drawn, Symbol
from derivations.latex.lexicon.written_names import Written
from derivations.latex.syntax.function_names import arguments_of, plain_stem
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Listed,
    Mark,
    Name,
    Node,
    Operator,
    Scripted,
    Span,
    before_bar,
)
from derivations.notes import Note

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator
    from derivations.latex.elaborator.indices import Scope, Variable


def moment(e: Elaborator, node: Operator, scope: Scope) -> Array:
    r"""`\mathbb{E}[x]`, `\operatorname{Var}(x)`, `\operatorname{Cov}(x, y)`."""
    node = replace(node, arguments=tuple(_without_given_condition(e, a) for a in node.arguments))
    if any(isinstance(n, Chain) and "mid" in dict(n.links) for a in node.arguments for n in _outside_of_calls(a)):
        raise NotUnderstood("out-of-scope", "moments under a condition are outside of what is read", node.span)
    if len(node.arguments) not in ((1, 2) if node.name == "Cov" else (1,)):
        raise NotUnderstood("unknown-notation", f"{node.name} of these arguments is not read", node.span)
    power = None if node.sup is None else rational(e.number_of(node.sup, scope))
    if node.sub is not None:
        return _of_drawn(e, node, scope, power)
    parts = [e.value(a, scope) for a in node.arguments]
    inner = parts[0]
    if inner.rank == 1 and power is None and (node.name == "Cov" or (node.name == "Var" and e.table.covariances)):
        return _covariances(e, node, inner, parts[-1])
    if (len(parts) > 1 and any(p.rank for p in parts)) or (node.name == "Cov" and len(parts) == 1):
        raise NotUnderstood("unknown-notation", f"{node.name} of these arguments is not read", node.span)
    if inner.rank == 1 and node.sup is None and not e.table.laws and not e.table.names.random and node.name != "Cov":
        return _of_entries(e, node, inner)
    random = e.table.names.random
    heads = _random_heads(e)

    def at(where: At) -> Term:
        bodies = [p.at(where) for p in parts]
        may_be_constant = node.name == "E" and random and not inner.rank
        if not may_be_constant and not e.table.theory.depends(bodies[0], heads):
            raise NotUnderstood("unknown-notation", "nothing says how this is distributed", node.span)
        return _moment_of(node.name, bodies, power)

    return Array(inner.shape, at, inner.orient, node.span)


def _covariances(e: Elaborator, node: Operator, first: Array, second: Array) -> Array:
    """The covariances of the entries of two vectors, or of one: `E[x_i y_j] - E[x_i] E[y_j]` in row i and column j."""
    if second.rank != 1:
        raise NotUnderstood("shape-conflict", "covariances are of two vectors", node.span)
    if node.name == "Var":
        e.readings.append(Note("covariance-matrix"))
    heads = _random_heads(e)

    def at(where: At) -> Term:
        bodies = first.at(where[:1]), second.at(where[1:])
        if not all(e.table.theory.depends(b, heads) for b in bodies):
            raise NotUnderstood("unknown-notation", "nothing says how this is distributed", node.span)
        return _moment_of("Cov", bodies, None)

    return Array((first.shape[0], second.shape[0]), at, span=node.span)


def _without_given_condition(e: Elaborator, argument: Node) -> Node:
    r"""The y of `y \mid X`, where nothing in X is random: it is what it is."""
    inner = before_bar(argument)
    if inner is None or not isinstance(argument, Chain):
        return argument
    random = _random_heads(e)
    for w in (w for _, right in argument.links for w in uses(e.table.names, right)):
        symbol = e.table.find(w)
        if w.stem in e.table.names.random or (symbol is None and w.stem not in e.table.declared):
            return argument
        if symbol is not None and (symbol.parameters is not None or e.table.theory.depends(Entry(symbol.head), random)):
            return argument
    e.readings.append(Note("given-condition"))
    return inner


def _moment_of(name: str, bodies: Sequence[Term], power: Term | None) -> Term:
    """The mean of a term, its variance, or the covariance of two."""
    body, *others = bodies
    if name == "E":
        found: Term = Expectation(body)
    else:
        beside = others[0] if others else body
        means = arrays.times(Expectation(body), Expectation(beside)) if others else Pow(Expectation(body), 2)
        found = plus(Expectation(arrays.times(body, beside) if others else Pow(body, 2)), arrays.minus(means))
    return found if power is None else Pow(found, power)


def _random_heads(e: Elaborator) -> frozenset[str]:
    """The heads of all that is random at this place."""
    symbols = (*e.used.values(), *e.table.symbols.values())
    return frozenset(s.head for s in symbols if s.stem in e.table.laws or s.stem in e.table.names.random)


def _of_entries(e: Elaborator, node: Operator, inner: Array) -> Array:
    r"""`\mathrm{E}[x]` and `\mathrm{Var}[x]` of a vector in a text without random numbers: of its entries."""
    count = Pow(IndexValue(e.sizes.index(inner.shape[0])), -1)

    def mean(power: int) -> Term:
        total = e.sum_axis(inner.shape[0], "r", lambda r: Pow(inner.at((r,)), power) if power > 1 else inner.at((r,)))
        return arrays.times(count, total)

    def at(_: At) -> Term:
        return mean(1) if node.name == "E" else plus(mean(2), arrays.minus(Pow(mean(1), 2)))

    e.readings.append(Note("mean-of-entries"))
    return Array((), at, span=node.span)


def _outside_of_calls(node: Node) -> Iterator[Node]:
    r"""A node and what is below it, but for what stands in the parentheses of a call: `p(x \mid z)` is no condition."""
    yield node
    parts = node.parts
    if isinstance(node, Adjacent):
        called = {b for a, b in zip(node.items, node.items[1:], strict=False) if _is_call(a, b)}
        parts = tuple(n for n in node.items if n not in called)
    for part in parts:
        yield from _outside_of_calls(part)


def _is_call(name: Node, parenthesis: Node) -> bool:
    return isinstance(name, Name | Scripted) and isinstance(parenthesis, Enclosed) and parenthesis.kind == "()"


# --- what a subscript draws -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Draw:
    """Names that a subscript draws, together or one, and from which law; None where it is not named."""

    names: tuple[Written, ...]
    law: Node | None


def _of_drawn(e: Elaborator, node: Operator, scope: Scope, power: Term | None) -> Array:
    r"""`\mathbb{E}_{x \sim p} \mathbb{E}_{z \sim q(z \mid x)}[f(x, z)]`: the mean over all that the subscripts draw."""
    draws, arguments = list(_draws(e, node)), node.arguments
    while node.name == "E" and isinstance(arguments[0], Operator) and _is_mean(arguments[0]):
        draws += _draws(e, arguments[0])
        arguments = arguments[0].arguments
    drawn = {w.stem for d in draws for w in d.names}
    used = {w.stem for a in arguments for w in uses(e.table.names, a)}
    if not drawn & used:
        raise NotUnderstood("unknown-notation", "nothing in this mean is drawn by its subscript", node.span)
    outer = dict(e.overlay)
    heads: set[str] = set()
    plain: set[str] = set()
    try:
        for draw in draws:
            heads.add(_realised(e, draw, scope, plain))
        parts = [e.value(a, scope) for a in arguments]
        names = [tuple(e.fresh("r") for _ in p.shape) for p in parts]
        bodies = [p.at(tuple(map(Index.var, own))) for p, own in zip(parts, names, strict=True)]
    finally:
        e.overlay = outer
    if len(parts) > 1 and any(p.rank for p in parts):
        raise NotUnderstood("unknown-notation", f"{node.name} of these arguments is not read", node.span)
    others = _random_heads(e) - heads
    for body in bodies:
        if e.table.theory.depends(body, others):
            raise NotUnderstood(
                "ambiguous", "whether this mean is taken over all that is random in it is not said", node.span
            )
        if e.table.theory.depends(body, frozenset(plain)):
            raise NotUnderstood(
                "ambiguous", "something in this mean is defined by a name that its subscript draws", node.span
            )

    def at(where: At) -> Term:
        put = [dict(zip(own, where, strict=True)) for own in names]
        return _moment_of(node.name, [substitute(b, p) for b, p in zip(bodies, put, strict=True)], power)

    return Array(parts[0].shape, at, parts[0].orient, node.span)


def _is_mean(node: Operator) -> bool:
    return node.name == "E" and node.sub is not None and node.sup is None and len(node.arguments) == 1


def _draws(e: Elaborator, node: Operator) -> Iterator[Draw]:
    """What a subscript draws: `x \\sim p`, `x, y`, `(x, y) \\sim D`, `q(z \\mid x)`."""
    sub = node.sub
    pending: list[Written] = []
    for part in sub.items if isinstance(sub, Listed) and sub.separator == "," else (sub,):
        if isinstance(part, Chain) and [r for r, _ in part.links] in (["sim"], ["in"]) and part.first is not None:
            names, law = _names(e, part.first), part.links[0][1]
            yield from (Draw((w,), law) for w in pending)
            yield Draw(names, law)
            pending = []
        elif isinstance(part, Adjacent) and len(part.items) == len(("law", "()")) and _is_call(*part.items):
            yield Draw(_names_of_law(e, part), part)
        elif isinstance(part, Name | Scripted):
            pending += _names(e, part)
        else:
            raise NotUnderstood("unknown-notation", "this subscript of a mean is not read", node.span)
    if pending:
        yield Draw(tuple(pending), None)


def _names(e: Elaborator, node: Node) -> tuple[Written, ...]:
    """The names that are drawn: one, or a list."""
    inner = node.content if isinstance(node, Enclosed) and node.kind == "()" else node
    nodes = inner.items if isinstance(inner, Listed) else (inner,)
    found = [None if n is None or isinstance(n, Mark) else e.table.names.written(n) for n in nodes]
    named = tuple(w for w in found if w is not None and w.power is None and not w.transposed and not w.slots)
    if len(named) < len(found):
        raise NotUnderstood("unknown-notation", "the names that this mean draws are not read", node.span)
    return named


def _names_of_law(e: Elaborator, call: Adjacent) -> tuple[Written, ...]:
    r"""The names before the bar of `q(z \mid x)`: they are what it is the law of."""
    nodes, signs = arguments_of(call.items[1])  # type: ignore[arg-type]
    count = 1 + signs.index("|") if "|" in signs and not signs.startswith(",") else len(nodes)
    found = [e.table.names.written(n) for n in nodes[: max(1, count)]]
    named = tuple(w for w in found if w is not None and w.power is None and not w.transposed and not w.slots)
    if len(named) < len(found):
        raise NotUnderstood("unknown-notation", "the names that this mean draws are not read", call.span)
    return named


# --- what is drawn, as terms ----------------------------------------------------------------------------------------


def _realised(e: Elaborator, draw: Draw, scope: Scope, plain: set[str]) -> str:
    """Put random quantities in the place of the names that are drawn; returns the head of what is random.

    `plain` gets the heads that these names have elsewhere.
    """
    own = [e.lookup(w) for w in draw.names]
    if len(own) == 1 and (own[0].stem in e.table.laws or own[0].stem in e.table.names.random):
        return own[0].head  # a random variable of the text, which is meant
    if any(s.parameters is not None or s.call is not None for s in own):
        raise NotUnderstood("unknown-notation", "the names that this mean draws are not read", draw.names[0].span)
    plain.update(s.head for s in own)
    depends_on = tuple(_depends_on(e, draw, scope))
    law = "" if draw.law is None else _text(draw.law)
    name, is_written = _law_named(e, draw)
    together = ", ".join(w.stem for w in draw.names)
    if len(own) == 1 and not depends_on:
        symbol = _random(e, own[0].stem, f"{together} from {law}", own[0])
        e.overlay[own[0].stem] = symbol
        e.table.drawn[symbol.head] = Drawn(symbol.head, name, is_written)
        return symbol.head
    chance = _random(e, "omega", f"chance of {together} from {law}", None)
    for s in own:
        stem = f"{s.stem} with {chance.stem}"
        head = f"{UNKNOWN}{s.stem}#{chance.head}"
        e.overlay[s.stem] = Symbol(
            stem, head, s.dims, s.orient, base=s.base, styles=s.styles, exact=s.exact, slots=s.slots
        )
        e.table.drawn[head] = Drawn(chance.head, name, is_written, depends_on)
    return chance.head


def _law_named(e: Elaborator, draw: Draw) -> tuple[str, bool]:
    r"""The name of a law, and whether it is written out: `\mathcal{N}(0, 1)` is, `p`, `p(x)` and `q(z \mid x)` are not."""
    law = draw.law
    head = law.items[0] if isinstance(law, Adjacent) else law
    w = e.table.names.written(head) if head is not None else None
    bound = {d.stem for d in draw.names}
    inside = {u.stem for n in law.items[1:] for u in uses(e.table.names, n)} if isinstance(law, Adjacent) else bound
    return ("" if w is None else w.stem), not bound <= inside


def _random(e: Elaborator, name: str, stem: str, like: Symbol | None) -> Symbol:
    """The random tensor of a law: the same wherever the law is the same."""
    symbol = e.table.symbols.get(stem)
    if symbol is None:
        dims = () if like is None else like.dims
        symbol = Symbol(stem, e.table.new_head(name), dims, base=e.table.names.document_base)
        if like is not None:
            symbol.orient, symbol.base, symbol.styles, symbol.slots = like.orient, like.base, like.styles, like.slots
            symbol.exact = like.exact
        e.table.symbols[stem] = symbol
    e.table.laws.setdefault(stem, Law())
    e.used[stem] = symbol
    return symbol


def _depends_on(e: Elaborator, draw: Draw, scope: Scope) -> Iterator[Array]:
    r"""What a law depends on: the phi and the x of `q_\phi(z \mid x)`, the place of `p_i`."""
    if draw.law is None:
        return
    names = e.table.names
    bound, seen = {w.stem for w in draw.names}, set[str]()
    head = draw.law.items[0] if isinstance(draw.law, Adjacent) else draw.law
    own = names.written(head)
    if own is not None and own.stem in e.overlay:
        raise NotUnderstood("unknown-notation", f"a function of the law {own.stem} is not read", draw.law.span)
    for w in uses(names, draw.law):
        label = plain_stem(w.stem).partition("_")[2]
        if label and label in names.unscripted and label not in names.sizes | bound | seen:
            seen.add(label)
            yield occurrence(e, Written(label, False, "", (), False, None, w.span), scope)
        is_function = w.stem in names.called or (own is not None and w.stem == own.stem)
        if is_function or w.stem in bound | seen:
            letters = (letter(s.node) for s in w.slots)
            variables = (scope.get(c) or e.free.get(c) for c in letters if c is not None)
            yield from (_place(e, v, w.span) for v in variables if v is not None and not v.member)
        elif w.stem != "I" or e.table.find(w) is not None:
            seen.add(w.stem)
            yield occurrence(e, replace(w, power=None, transposed=False), scope)


def _place(e: Elaborator, variable: Variable, span: Span) -> Array:
    """An index, as a number."""
    base = e.table.names.document_base
    return Array((), lambda _: IndexValue(variable.written(base)), span=span)


def drawn_entry(e: Elaborator, head: str, where: At) -> Term:
    """An entry of a quantity that is drawn: of a random tensor, or of a function of what is random and of more."""
    drawn = e.table.drawn.get(head)
    if drawn is None or drawn.chance == head:
        return Entry(head, where)
    lambdas, sizes = [Lambda((), Entry(drawn.chance))], []
    for value in drawn.depends_on:
        names = tuple(e.fresh("p") for _ in value.shape)
        lambdas.append(Lambda(names, value.at(tuple(map(Index.var, names)))))
        sizes += [e.sizes.index(d) for d in value.shape]
    return Entry(head, where, lambdas, sizes)


def _text(node: Node) -> str:
    """What is written, without the places at which it is."""
    inside = ((f.name, getattr(node, f.name)) for f in fields(node) if f.name != "span")
    return f"{type(node).__name__}({', '.join(f'{name}={_shown(value)}' for name, value in inside)})"


def _shown(value: object) -> str:
    if isinstance(value, Node):
        return _text(value)
    return f"[{', '.join(map(_shown, value))}]" if isinstance(value, tuple) else repr(value)
