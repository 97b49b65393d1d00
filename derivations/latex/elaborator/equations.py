"""Equations: left sides that can be defined, definitions, and statements between two arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from derivations.kernel.linear import consistent
from derivations.language.statement import CIRCLE, Definition, Statement, Tensor, Theory
from derivations.language.substitution import fresh, rename_apart, substitute, term_sizes
from derivations.language.term import (
    Case,
    Constraint,
    Guard,
    Index,
    Term,
    at_least,
    equal,
    guard,
    guard_free,
    guard_substitute,
    less,
    number,
    remainder,
    within,
)
from derivations.latex.elaborator.calls import call_pattern, index_pattern
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.joined_lists import shape_of_list, standing_list
from derivations.latex.lexicon.arrays import Array, Dim, NotUnderstood
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.lexicon.symbol_table import Parameter, Symbol, fresh_letters, styles_of
from derivations.latex.lexicon.written_names import Slot, Written
from derivations.latex.syntax.function_names import arguments_of
from derivations.latex.syntax.letters import GREEK, INDICES_BY_HABIT, is_upper, label_of, letter
from derivations.latex.syntax.surface import Adjacent, Enclosed, Label, Literal, Name, Node, Operator, Scripted, Span

SMALL = 16
"""Arrays of fixed shape with at most this many entries are compared entry by entry."""


@dataclass(frozen=True, slots=True)
class LeftSide:
    """A left side that can be defined: a name with indices, perhaps with arguments (parameters or a pattern)."""

    written: Written
    slots: tuple[Slot, ...]
    parameters: tuple[Written, ...] | None = None
    call: tuple[tuple[str, str], ...] | None = None

    @property
    def stem(self) -> str:
        return self.written.stem


def left_side(e: Elaborator, node: Node) -> LeftSide | None:
    """The left side of a definition, None when the node cannot be defined."""
    names = e.table.names
    if isinstance(node, Scripted) and isinstance(node.base, Operator) and node.base.name == "softmax":
        return _own_softmax(e, node.base, names.generic_slots(node)[0])
    if isinstance(node, Operator) and node.name == "softmax":
        return _own_softmax(e, node, ())
    head, arguments = node, None
    slots: tuple[Slot, ...] = ()
    if isinstance(node, Adjacent) and len(node.items) == 2:
        head, after = node.items
        if isinstance(after, Scripted):
            slots, transposed, power = names.generic_slots(after)
            if transposed or power is not None:
                return None
            after = after.base
        if not isinstance(after, Enclosed) or after.kind != "()":
            return None
        arguments = after
    w = names.written(head)
    if w is None or w.transposed or w.power is not None or w.font == "blackboard":
        return None
    if arguments is None:
        return LeftSide(w, w.slots)
    nodes, signs = arguments_of(arguments)
    w = w.named(names.overloaded(w.stem, len(nodes), signs))
    own = (*w.slots, *slots)
    letters = [letter(n) for n in nodes]
    if len(nodes) == 1 and letters[0] is not None and _is_position(e, nodes[0], bool(w.slots)):
        return LeftSide(w, (*own, Slot(nodes[0], "a")), call=(("index", ""),))  # a_t(s) beside h_s
    if w.stem in names.index_maps and all(_may_count(e, n) for n in nodes) and len(set(letters)) == len(nodes):
        places = tuple(Slot(n, "a") for n in nodes)  # g(h) = floor(h / r)
        return LeftSide(w, (*own, *places), call=tuple(("index", "") for _ in nodes))
    if len(nodes) > 1 and all(_is_position(e, n, False) for n in nodes) and len(set(letters)) == len(nodes):
        places = tuple(Slot(n, "a") for n in nodes)  # a(i, j) = q_i^T k_j
        return LeftSide(w, (*own, *places), call=tuple(("index", "") for _ in nodes))
    if signs and (found := _event(e, nodes)) is not None:
        return LeftSide(w, (*own, *found[1]), call=found[0])
    known = e.table.find(w)
    if known is not None and known.defined and len(known.parameters or ()) == len(nodes):
        if len(nodes) > 1 and len(set(letters)) < len(nodes):
            return None  # g(m, m) says something of g, of which all values are known
        if any((own_w := names.written(n)) is None or own_w.stem in names.fixed for n in nodes):
            return None  # f(x + c), f(t) for a t that depends on more: a claim about a function that is known
    if (indices := index_pattern(nodes)) is not None:
        return LeftSide(w, (*own, *indices), call=tuple(("index", "") for _ in nodes))
    plain = [names.written(n) for n in nodes]
    parameters = tuple(p for p in plain if p is not None and not p.slots and not p.transposed and p.power is None)
    if len(parameters) == len(nodes):
        if len({p.stem for p in parameters}) != len(parameters):  # f(X, X, X): one parameter, written three times
            pattern = tuple(("fixed", p.stem) for p in parameters)
            return LeftSide(w, own, call=pattern)
        return LeftSide(w, own, parameters)
    found = call_pattern(e, nodes, own)
    if found is None:
        return None
    return LeftSide(w, (*own, *found[1]), call=found[0])


def _event(e: Elaborator, nodes: Sequence[Node]) -> tuple[tuple[tuple[str, str], ...], tuple[Slot, ...]] | None:
    r"""The arguments of `p(y = k \mid x)`, where k is an index of the right side: a family of numbers."""
    pattern: list[tuple[str, str]] = []
    slots: list[Slot] = []
    for n in nodes:
        w = e.table.names.written(n)
        if _is_position(e, n, False):
            pattern.append(("index", ""))
            slots.append(Slot(n, "a"))
        elif w is None or w.slots or w.transposed or w.power is not None:
            return None
        else:
            pattern.append(("fixed", w.stem))
    return (tuple(pattern), tuple(slots)) if slots else None


def _is_position(e: Elaborator, node: Node, indexed: bool) -> bool:
    """Whether a letter in parentheses is an index of the document, not a quantity."""
    c = letter(node)
    if not isinstance(node, Name) or node.font or c not in e.table.names.index_letters or c in e.table.declared:
        return False
    return c in e.outside or (indexed and c in e.table.names.bound)


def _may_count(e: Elaborator, node: Node) -> bool:
    """Whether an argument of a function with whole values is a letter that counts."""
    c = letter(node)
    if not isinstance(node, Name) or node.font or c is None or c in e.table.declared:
        return False
    return c in e.table.names.index_letters | INDICES_BY_HABIT and c not in e.table.names.sizes


def _own_softmax(e: Elaborator, node: Operator, slots: tuple[Slot, ...]) -> LeftSide | None:
    """`softmax(z)_i = …`: the document defines the operator itself."""
    label = label_of(node.sub) if node.sub is not None else None
    label = node.sub.text if isinstance(node.sub, Literal) else label  # softmax_1
    if len(node.arguments) != 1 or (node.sub is not None and label is None):
        return None
    argument = e.table.names.written(node.arguments[0])
    if argument is None or argument.slots or argument.transposed or argument.power is not None:
        return None
    stem = "softmax" if label is None else f"softmax_{label}"
    w = Written(stem, False, "roman", (), False, None, node.span)
    return LeftSide(w, slots, (argument,))


@dataclass(slots=True)
class Pending:
    """A definition whose shapes are known and whose terms are not built yet."""

    left: LeftSide
    symbol: Symbol
    patterns: list[Index]
    body: Array
    condition: Guard
    used: dict[str, Symbol]

    def complete_with_zero(self, cases: Sequence[Guard] = ((),)) -> None:
        """The value is zero where the condition does not hold, or holds in none of the cases."""
        body, guards = self.body, [guard(*self.condition, *case) for case in cases]
        self.body = replace(body, at=lambda where: Case([(g, body.at(where)) for g in guards], number(0)))
        self.condition = ()


def letters_first(e: Elaborator, left: LeftSide) -> None:
    """The letters of the left side become variables, based like the name itself."""
    for slot in left.slots:
        if slot.node is not None:
            e.declare_letters(slot.node)
            for variable in e.free.values():
                if variable.base is None:
                    variable.base = e.table.names.base(left.stem)


def _of_multiples(e: Elaborator, place: Index, dim: Dim) -> None:
    """The length of an axis of which every k-th place is written: d for the places 2i and 2i + 1 with i below d/2."""
    variable = next((v for v in e.free.values() if place.coefficient(v.name) > 1), None)
    if variable is None or not e.sizes.is_known(variable.dim) or e.sizes.is_known(dim):
        return
    count, k = e.sizes.index(variable.dim), place.coefficient(variable.name)
    if not 0 <= place.const < k or len(place.terms) != 1:
        return
    parts = [a for a, n in count.terms if n == 1 and a.kind == "quotient"]
    is_part = len(parts) == 1 and len(count.terms) == 1 and not count.const and parts[0].args[1] is Index.of(k)
    e.sizes.soft(dim, e.sizes.declared(parts[0].args[0] if is_part else k * count))


def define(
    e: Elaborator, left: LeftSide, right: Node, condition: Sequence[Constraint], head: str, known: Symbol | None
) -> Pending:
    """Elaborate the right side of a definition of `head`; `known` is the symbol when this is a further case of it.

    Raises `NotUnderstood`.
    """
    table = e.table
    parameters: list[Parameter] = []
    said: dict[str, tuple[Dim, ...]] = {}
    for p in left.parameters or ():
        symbol, said[p.stem] = _parameter(e, p, right)
        e.overlay[p.stem] = symbol
        parameters.append(Parameter(symbol.head, symbol.dims, symbol.orient))
    e.declare_free(right)
    evidence = table.names.evidence.get(left.stem)
    w = left.written
    entry = left.parameters is None and bool(left.slots) and not w.bold and not is_upper(w.stem)
    if entry and evidence is not None and evidence.vector_slots < len(left.slots):
        e.expected = 0
    e.entries_of_matrix = len([x for x in left.slots if x.style != "u" and letter(x.node) is not None]) > 1
    e.stated = _stated_value(e, left, right)
    declared = table.declared.get(left.stem) if left.parameters is None else None
    usual = None if left.slots or left.parameters is not None else table.names.rank(w)
    shape_of_list(e, right, None if declared is None else declared.dims[len(left.slots) :], usual)
    body = standing_list(e, right, e.value(right, {}))
    if known is not None and not body.shape and is_plain_zero(right):  # S_0 = 0 for states that are matrices
        body = Array(known.dims[len(left.slots) :], lambda _: number(0), known.orient, right.span)
    for parameter in parameters:
        for own, stated in zip(parameter.dims, said[parameter.head], strict=True):
            known_size = stated.root().known
            if known_size is not None and known_size.sizes & e.sizes_used:
                e.sizes.soft(own, stated)  # sqrt(d_k) means the width of the queries, whatever they are
    speaks_of = frozenset[str]().union(*(s.speaks_of if s.defined else {s.stem} for s in e.used.values()))
    for parameter in parameters:  # the mean of x, used in f(x), is the mean of the argument
        own_symbol = table.symbols.get(parameter.head)
        if parameter.head in speaks_of and own_symbol is not None and len(own_symbol.dims) == len(parameter.dims):
            for own, stated in zip(parameter.dims, own_symbol.dims, strict=True):
                e.sizes.soft(own, stated)
    base = known.base if known is not None else table.names.base(left.stem)
    earlier = table.symbols.get(left.stem)
    is_first = known is None and (earlier is None or not earlier.defined)
    dims: list[Dim] = []
    patterns: list[Index] = []
    hidden: list[Dim] = []
    shape = list(body.shape)
    for k, slot in enumerate(left.slots):
        dim = known.dims[k] if known is not None and k < len(known.dims) else e.new_dim("slot", left.stem, k)
        if is_first and table.before_first.get(left.stem) == k and (c := letter(slot.node)) in e.free:
            dim.around = (e.free[c].dim, 1, 0)
        elif is_first and _ends_before(e, left, k, base, condition):
            dim.around = (e.free[letter(slot.node) or ""].dim, 0, 1)
        if slot.node is None:
            if not shape:
                raise NotUnderstood("shape-conflict", "a whole axis on the left, but none on the right", w.span)
            axis = shape.pop(0)
            e.sizes.unify(dim, axis, w.span)
            variable = e.free_variable(e.fresh("a"))
            variable.base, variable.dim = base, axis
            patterns.append(Index.var(variable.name))
            hidden.append(axis)
        elif isinstance(slot.node, Label):
            raise NotUnderstood("unknown-notation", "a definition at a place that a label tells", slot.node.span)
        else:
            patterns.append(e.place_on(slot.node, base, dim, e.free))
            _of_multiples(e, patterns[-1], dim)
        dims.append(dim)
    for axis in shape:
        if known is not None and len(dims) < len(known.dims):
            e.sizes.unify(known.dims[len(dims)], axis, w.span)
        dims.append(axis)
    if known is not None and len(known.dims) != len(dims):
        raise NotUnderstood(
            "shape-conflict", f"{w.stem} has {len(known.dims)} axes elsewhere, {len(dims)} here", w.span
        )
    if any((e.sizes.index(d) if e.sizes.is_known(d) else Index()).free for d in dims):
        raise NotUnderstood("unknown-notation", "an axis whose length is an index, on the left side", w.span)
    _declared(e, left, dims)
    symbol = Symbol(left.stem, head, tuple(dims), body.orient if shape else "plain", True, base=base, call=left.call)
    symbol.slots = len(left.slots)
    symbol.diagonal = body.diagonal and not left.slots
    symbol.speaks_of = speaks_of
    symbol.styles = styles_of(Written(w.stem, w.bold, w.font, left.slots, False, None, w.span), len(dims))
    if left.parameters is not None:
        symbol.parameters = tuple(parameters)
        heads = {p.head for p in parameters}
        symbol.rigid = tuple(
            d for s in e.used.values() if not s.defined and s.parameters is None and s.head not in heads for d in s.dims
        )
    return Pending(left, symbol, patterns, body, guard(*condition, *e.side), dict(e.used))


def _ends_before(e: Elaborator, left: LeftSide, k: int, base: int, condition: Sequence[Constraint]) -> bool:
    """Whether a definition is for the indices below a length at which another equation gives the name: `G_T` beside `G_t`."""
    place, end = e.table.after_last.get(left.stem, (k + 1, None))
    variable = e.free.get(letter(left.slots[k].node) or "")
    if place != k or end is None or variable is None:
        return False
    last = e.written_index(end, {}) - base
    if e.sizes.is_known(variable.dim):
        return e.sizes.index(variable.dim) is last
    if not condition or consistent(guard(*condition, equal(Index.var(variable.name), last))):
        return False
    e.sizes.soft(variable.dim, e.sizes.declared(last))
    return True


def _stated_value(e: Elaborator, left: LeftSide, right: Node) -> tuple[Span, tuple[Dim, ...]] | None:
    r"""The shape of a name which is the value of one function, `h_i = f(q_i, k_i)`, and where that stands.

    It is declared, or the other relations of the document tell how many axes there are.
    """
    if left.parameters is not None or not isinstance(right, Adjacent) or len(right.items) != 2:
        return None
    declared = e.table.declared.get(left.stem)
    if declared is not None:
        return right.items[0].span, declared.dims[len(left.slots) :]
    more = e.table.names.defined_axes.get(left.stem, 0) - len(left.slots)
    if more <= 0:
        return None
    return right.items[0].span, tuple(e.new_dim("value", left.stem, k) for k in range(more))


def _declared(e: Elaborator, left: LeftSide, dims: Sequence[Dim]) -> None:
    """A shape that the document declared for the defined name."""
    declared = e.table.declared.get(left.stem)
    if declared is not None and len(declared.dims) == len(dims) and left.parameters is None:
        for own, said in zip(dims, declared.dims, strict=True):
            e.sizes.unify(own if own.around is None else own.around[0], said, left.written.span)


def _parameter(e: Elaborator, p: Written, right: Node) -> tuple[Symbol, tuple[Dim, ...]]:
    """A tensor parameter with sizes of its own, and the sizes that the document states for the name.

    Where functions are applied to members of a family with this name, the name alone is any of them.  It is that too where
    it has indices in the body, if those are entries of a member: `x_c` beside the members `x^{(r)}`.
    """
    table = e.table
    own_uses = [w for w in uses(table.names, right) if w.stem == p.stem]
    indexed = any(w.slots for w in own_uses)
    member = p.stem in table.names.shown.members
    evidence = table.names.evidence.get(p.stem)
    is_vector = evidence is not None and evidence.shown_slots == 0
    if p.stem in GREEK and not (p.bold or indexed or is_vector) and p.stem not in table.declared:
        table.only_parameters |= {p.stem} & {CIRCLE}  # who defines h(pi) has another pi than the number
        return Symbol(p.stem, p.stem, (), exact=False), ()  # an angle, also where angles theta_i occur elsewhere
    known = table._generic(p) if table.is_generic(p) else table.symbols.get(p.stem)
    if known is not None and known.parameters is not None:
        raise NotUnderstood("unknown-notation", f"the parameter {p.stem} is a function", p.span)
    if known is None:
        known = table._given(p)
        table.only_parameters.add(p.stem)
    dims = known.dims
    in_entries = p.stem in table.names.shown.numbered_above and not any(
        s.style == "u" for w in own_uses for s in w.slots
    )
    if (
        member
        and (in_entries or not indexed)
        and not known.defined
        and not is_upper(p.stem)
        and not table.is_generic(p)
    ):
        declared = table.declared.get(p.stem)
        dims = dims[declared.slots if declared is not None else evidence.slots if evidence is not None else 0 :]
    if known.defined and not indexed and any(d.around is not None for d in known.dims[: known.slots]):
        dims = known.dims[known.slots :]  # L(S) beside the states S_t of a recurrence: S is any state
    own = tuple(table.of_two_halves(p.stem, k) or e.new_dim("parameter", p.stem, k) for k, _ in enumerate(dims))
    for d, like in zip(own, dims, strict=True):
        d.hint = like.root().hint
    return Symbol(p.stem, p.stem, own, known.orient, base=known.base, exact=False), dims


def is_plain_zero(node: Node) -> bool:
    """`0`, also in parentheses."""
    if isinstance(node, Enclosed) and node.content is not None:
        return is_plain_zero(node.content)
    return isinstance(node, Literal) and node.text == "0"


def _is_zero_array(node: Node) -> bool:
    r"""`\mathbf{0}`: zeros of any shape."""
    return isinstance(node, Name) and node.base == "0" and node.font in ("bold", "blackboard")


_LETTERS = {"n": "nmlp", "d": "defg"}


def _size_names(dims: Iterable[Dim]) -> set[str]:
    return {s for d in dims for s in (d.known or d.chosen or Index.of(0)).sizes}


def _name_sizes(e: Elaborator, pending: Pending) -> None:
    """Names for the sizes of parameters that nothing else settles; they are bound by the definition."""
    own = {p.head for p in pending.symbol.parameters or ()}
    others = [d.root() for s in pending.used.values() if s.head not in own for d in s.dims]
    taken = set(e.table.names.sizes) | _size_names(others)
    for p in pending.symbol.parameters or ():
        declared = e.table.declared.get(p.head)
        stated = declared.dims if declared is not None and len(declared.dims) == len(p.dims) else (None,) * len(p.dims)
        for d, like in zip(p.dims, stated, strict=True):
            root = d.root()
            if any(root is other for other in others):
                e.sizes.index(root)  # it is the size of a given tensor too: x in x W_1
            if root.known is not None or root.chosen is not None:
                taken |= _size_names([root])
                continue
            known = like.root().known if like is not None else None
            wish = str(known) if known is not None and len(known.terms) == 1 and not known.const else ""
            used = e.sizes_used | _size_names(x.root() for q in pending.symbol.parameters or () for x in q.dims)
            if not wish or wish in used | _size_names(others):
                wish = next((c for c in _LETTERS.get(root.hint, "n") if c not in taken | used), root.hint)
            root.chosen = Index.size(fresh(wish, used | _size_names(others)))


def definition(e: Elaborator, pending: Pending) -> Definition:
    """The terms of a definition whose sizes are settled."""
    symbol, body = pending.symbol, pending.body
    if symbol.parameters is not None:
        _name_sizes(e, pending)
    rest = body.shape
    taken = set(e.reserved) | e.sizes.taken
    wholes = [p for p, s in zip(pending.patterns, pending.left.slots, strict=True) if s.node is None]
    count = len(rest) - len(wholes)
    variables = [*wholes, *(Index.var(v) for v in fresh_letters(taken, count))]
    e.reserved |= taken
    term = e.with_ranges(body.at(tuple(variables)))
    pending.condition = e.guard_with_ranges(pending.condition)
    patterns = (*pending.patterns, *variables[len(wholes) :])
    shape = tuple(e.sizes.index(d) for d in symbol.dims)
    patterns, term, pending.condition = _from_start(patterns, term, pending.condition)
    if symbol.parameters is None:
        return Definition(symbol.head, patterns, term, pending.condition, shape=shape)
    tensors = tuple(Tensor(p.head, tuple(e.sizes.index(d) for d in p.dims)) for p in symbol.parameters)
    sizes = term_sizes(term) | {s for i in (*patterns, *shape) for s in i.sizes}
    sizes |= {s for t in tensors for i in t.shape for s in i.sizes}
    symbol.fixed = _sizes_beside(e.table.theory, term)
    symbol.sizes = tuple(sorted(sizes - symbol.fixed))
    return Definition(symbol.head, patterns, term, pending.condition, tensors, symbol.sizes, shape)


def _sizes_beside(theory: Theory, term: Term) -> frozenset[str]:
    """The sizes on which the values of the definitions under a term depend: those of the document, not of an argument."""
    found: set[str] = set()
    seen: set[str] = set()
    stack = list(term.heads)
    while stack:
        head = stack.pop()
        if head in seen:
            continue
        seen.add(head)
        for d in theory.definitions.get(head, ()):
            found |= term_sizes(d.body) - set(d.sizes)
            stack += d.body.heads
    return frozenset(found)


def _from_start(patterns: tuple[Index, ...], term: Term, condition: Guard) -> tuple[tuple[Index, ...], Term, Guard]:
    """`p_{k + d/2} = …` for every k from 0 says `p_k = …` for every k from d/2."""
    for place, pattern in enumerate(patterns):
        v = next(iter(pattern.free), "")
        offset = pattern - Index.var(v) if v else Index()
        if not offset.sizes or offset.free or any(v in p.free for k, p in enumerate(patterns) if k != place):
            continue
        moved = {v: Index.var(v) - offset}
        patterns = (*patterns[:place], Index.var(v), *patterns[place + 1 :])
        term = substitute(rename_apart(term, {v}), moved)
        condition = guard(*guard_substitute(condition, moved), at_least(Index.var(v), offset))
    return patterns, term, condition


@dataclass(slots=True)
class Compared:
    """Two arrays of one shape, to be compared."""

    left: Array
    relation: str
    right: Array
    condition: Guard


_TURNED = ({"row", "column"}, {"plain", "transposed"})
"""Orientations of two vectors of which one stands and the other lies, whatever was declared."""


def compare(
    e: Elaborator, left: Array, relation: str, right: Array, condition: Sequence[Constraint], node: Node
) -> Compared:
    """Bring both sides of a relation to one shape; raises `NotUnderstood` (shape-conflict).

    A plain 0 against an array is the array of zeros.
    """
    if left.rank and left.rank != right.rank and (_is_zero_array(node) or (not right.rank and is_plain_zero(node))):
        right = Array(left.shape, lambda _: number(0), span=node.span)
    if left.rank != right.rank:
        zero = left.rank == 0 or right.rank == 0
        raise NotUnderstood(
            "shape-conflict",
            f"the left side has {left.rank} axes and the right side {right.rank}"
            + ("; a number stands against an array" if zero else ""),
            node.span,
        )
    if left.rank == 1 and {left.orient, right.orient} in _TURNED:
        raise NotUnderstood("shape-conflict", "a row stands against a column", node.span)
    for a, b in zip(left.shape, right.shape, strict=True):
        e.sizes.unify(a, b, node.span)
    return Compared(left, relation, right, guard(*condition, *e.side, *_supposed_of_lengths(e)))


def _supposed_of_lengths(e: Elaborator) -> Iterator[Constraint]:
    """What all rules of a definition below a relation suppose of lengths: C is even for $E_{t, 2i}$ with $i < C/2$."""
    theory = e.table.theory
    seen: set[str] = set()
    todo = [s.head for s in e.used.values() if s.defined]
    while todo:
        head = todo.pop()
        rules = theory.definitions.get(head, ())
        if head in seen or not rules or rules[0].tensors:
            continue
        seen.add(head)
        yield from (c for c in rules[0].condition if not c.index.free and all(c in d.condition for d in rules))
        todo += [h for d in rules for h in d.body.heads]


def statements(e: Elaborator, c: Compared) -> list[Statement]:
    """The statements that a comparison claims: one for all entries, or one for each entry of a small fixed shape."""
    sizes = [e.sizes.index(d) for d in c.left.shape]
    if sizes and all(s.is_constant for s in sizes):
        total = 1
        for s in sizes:
            total *= s.const
        if total <= SMALL:
            places: list[tuple[Index, ...]] = [()]
            for s in sizes:
                places = [(*p, Index.of(k)) for p in places for k in range(s.const)]
            return [_statement(e, c, p, ()) for p in places]
    taken = {v.name for v in e.free.values()} | set(e.reserved) | e.sizes.taken
    names = fresh_letters(taken, len(sizes))
    e.reserved |= set(names)
    bounds = [b for v, s in zip(names, sizes, strict=True) for b in within(v, 0, s)]
    return [_statement(e, c, tuple(map(Index.var, names)), bounds, names)]


def _statement(
    e: Elaborator, c: Compared, place: tuple[Index, ...], bounds: Sequence[Constraint], names: Sequence[str] = ()
) -> Statement:
    left, right = e.with_ranges(c.left.at(place)), e.with_ranges(c.right.at(place))
    relation = c.relation
    if relation in (">=", ">"):
        left, right, relation = right, left, "<=" if relation == ">=" else "<"
    indices, conditions = free_ranges(e, left, right, c.condition)
    conditions += _evenness(e, (left, right))
    order = [*indices, *(n for n in names if n not in indices)]
    return Statement(
        left, relation, right, tuple(order), e.guard_with_ranges(guard(*conditions, *bounds, *c.condition))
    )


def _evenness(e: Elaborator, sides: Iterable[Term]) -> list[Constraint]:
    """What the document says of the sizes of a statement: that d is even."""
    used = {s for t in sides for s in term_sizes(t)} & e.table.even
    return [equal(remainder(Index.size(s), 2), 0) for s in sorted(used)]


def free_ranges(e: Elaborator, left: Term, right: Term, condition: Guard) -> tuple[list[str], list[Constraint]]:
    """The free index variables of a statement, and the ranges that their use gives them."""
    occurring = left.free | right.free | guard_free(condition)
    indices, conditions = [], []
    for v in e.free.values():
        if v.name not in occurring:
            continue
        indices.append(v.name)
        conditions.append(at_least(Index.var(v.name), 0))
        if v.base is not None and not v.natural and not _only_affine(e, v.name):
            conditions.append(less(Index.var(v.name), e.sizes.index(v.dim)))
    for position, dim in e.affine:
        if position.free <= set(indices):
            conditions += [at_least(position, 0), less(position, e.sizes.index(dim))]
    return indices, conditions


def _only_affine(e: Elaborator, name: str) -> bool:
    """Whether a variable occurs in compound index expressions only, and no range was stated for it."""
    return name not in e.direct and any(name in position.free for position, _ in e.affine)
