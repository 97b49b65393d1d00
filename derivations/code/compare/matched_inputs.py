"""The inputs of code matched to the symbols of an equation: by name, with sizes made equal and axes aligned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from derivations.code.compare.aligned_axes import Alignment, align, batch_variable, batched, member_at, picked, renamed
from derivations.code.compare.code_side import CodeSide, Links
from derivations.code.compare.document_symbols import NotComparable, Symbols, Target
from derivations.code.compare.leading_axes import LED
from derivations.code.compare.packed_matrices import joined_matrices, side_by_side
from derivations.code.compare.spelling import logarithm_of, times_the_logarithm
from derivations.language.statement import Tensor, Theory
from derivations.language.substitution import fresh
from derivations.language.term import Apply, Bracket, Entry, Index, Lambda, Mul, Number, equal, label
from derivations.lifting.symbolic.scope import Input
from derivations.lifting.symbolic.sizes import Sizes
from derivations.notes import Note


@dataclass(frozen=True)
class Question:
    """What a comparison is about, and how it is made."""

    symbols: Symbols
    target: Target
    block: int
    own: Mapping[str, Index]
    """The sizes of the definition, those of its arguments under names of their own."""
    links: Links
    flip: bool
    mixed: bool
    assigned: Mapping[str, str]

    def partner(self, given: Input) -> tuple[str, tuple[Index, ...]] | None:
        """The symbol that an input stands for by its name, and its shape."""
        where = given.block if given.block >= 0 else self.block
        needed = self.symbols.under(self.target.head)
        return self.symbols.partner(given.name, where, needed, given.origin) if given.name else None


@dataclass
class Matched:
    """What the inputs of the code are in terms of the document, as far as they are matched."""

    sizes: Sizes
    notes: list[str] = field(default_factory=list)
    unlinked: list[str] = field(default_factory=list)
    relink: dict[str, Lambda] = field(default_factory=dict)
    """An input of the lifted code -> its entries in terms of the statement's tensors."""
    relink_left: dict[str, Lambda] = field(default_factory=dict)
    """A symbol of the document -> its entries at a place of the leading axes."""
    arguments: dict[int, Lambda] = field(default_factory=dict)
    tensors: dict[str, Tensor] = field(default_factory=dict)
    """Arrays that the statement has beside the symbols of the document."""
    by_label: dict[str, Index] = field(default_factory=dict)
    """An index of the symbol -> the positions that the code is given for it."""
    batch: int = 0
    leading: tuple[Index, ...] = ()
    packed: bool = False
    reordered: bool = False
    taken: set[str] = field(default_factory=set)
    states: list[str] = field(default_factory=list)
    """The states with leading axes of which the code is given one."""
    assumptions: list[Note] = field(default_factory=list)
    """What the matches suppose of the document's symbols."""


def match_inputs(code: CodeSide, q: Question) -> Matched:
    """The inputs of the code matched one by one, arguments of the definition last."""
    made = Matched(Sizes(named=set(q.symbols.size_names())))
    for head in sorted(code.inputs, key=lambda h: (h in code.labels, h in q.links.parameters)):
        if head in code.labels:
            _match_labels(made, code, q, head)
        elif head in q.links.parameters:
            tensor = q.target.definitions[0].tensors[q.links.parameters[head]]
            _match_array(made, code, q, head, tensor.name, tuple(s.substitute({}, q.own) for s in tensor.shape), None)
        else:
            _match_symbol(made, code, q, head)
    return made


def _match_labels(made: Matched, code: CodeSide, q: Question, head: str) -> None:
    """Match an input that is positions on an axis with the labels of the equation: those of its name, or the only ones."""
    given, known = code.inputs[head], q.symbols.labels_under(q.target.head)
    partner = q.assigned.get(head) or next((p[0] for p in [q.partner(given)] if p is not None and p[0] in known), None)
    if partner is None and given.name in q.target.index_names and given.name not in made.by_label:
        _match_index(made, code, q, head)
        return
    left = [name for name in known if name not in made.taken]
    name = (
        partner
        if partner in known
        else left[0]
        if len(left) == 1 and sum(h in code.labels for h in code.inputs) == 1
        else None
    )
    if name is None or name not in q.symbols.theory.tensors:
        _match_one_hot(made, code, q, head)
        return
    made.taken.add(name)
    made.sizes.require(code.labels[head], known[name], f"the values of {given.name} and {name}")
    _match_array(made, code, q, head, name, q.symbols.theory.tensors[name].shape, name)


def _match_index(made: Matched, code: CodeSide, q: Question, head: str) -> None:
    """Match positions with an index of the symbol: the class y of `\\ell_y = -\\log p_y` is what the code is given."""
    given, shape, length = code.inputs[head], code.shapes[head], code.labels[head]
    axis = next(k for d in q.target.definitions for k, i in enumerate(d.indices) if i is Index.var(given.name))
    made.sizes.require(length, q.target.shape[axis].substitute({}, q.own), f"the values of {given.name}")
    if shape:
        if made.leading and [*map(made.sizes.resolve, made.leading)] != [*map(made.sizes.resolve, shape)]:
            raise NotComparable("the leading axes of the code's arrays have different lengths")
        made.leading, made.batch = tuple(shape), max(made.batch, len(shape))
    name = free_name(f"{given.name}_given", q.symbols.theory, made.tensors)
    made.tensors[name] = Tensor(name, tuple(shape))
    made.relink[head] = renamed(name, len(shape))
    places = [Index.var(batch_variable(k)) for k in range(len(shape))]
    made.by_label[given.name] = label(name, places, length)


def _match_one_hot(made: Matched, code: CodeSide, q: Question, head: str) -> None:
    """Match positions with an array of the equation that has one axis more: its rows are then one-hot."""
    given, shape, tensors = code.inputs[head], code.shapes[head], q.symbols.theory.tensors
    partner = q.partner(given)
    fits = [
        h for h in q.symbols.in_order(q.target.head) if h not in made.taken and len(tensors[h].shape) == len(shape) + 1
    ]
    named = [h for h in fits if partner is not None and h == partner[0]] or fits
    if len(named) != 1:
        _match_symbol(made, code, q, head)
        return
    symbol, wanted = named[0], tensors[named[0]].shape
    made.taken.add(symbol)
    for own, s in zip((*shape, code.labels[head]), wanted, strict=True):
        made.sizes.require(own, s, f"{given.name} and {symbol}")
    name = free_name(given.name or "labels", q.symbols.theory, made.tensors)
    made.tensors[name] = Tensor(name, tuple(shape))
    made.relink[head] = renamed(name, len(shape))
    params = tuple(f"p{k}" for k in range(len(wanted)))
    *places, last = map(Index.var, params)
    made.relink_left[symbol] = Lambda(params, Bracket((equal(label(name, places, code.labels[head]), last),)))
    made.assumptions.append(Note("one-hot-rows", (symbol, given.name or name)))


def _match_symbol(made: Matched, code: CodeSide, q: Question, head: str) -> None:
    """Match an input that is no argument of the definition."""
    given, shape, symbols = code.inputs[head], code.shapes[head], q.symbols
    partner = q.partner(given)
    if head in q.assigned:
        partner = q.assigned[head], symbols.shape(q.assigned[head])
    if partner is not None and _other_case(given.name, partner[0]) and len(shape) > len(partner[1]) < 2:
        partner = None  # a matrix Q is not many numbers q
    if partner is None:
        _match_part(made, code, q, head, given, shape)
        return
    if partner[0] in made.taken:
        raise NotComparable(f"two values of the code are called {given.name}")
    made.taken.add(partner[0])
    symbol, wanted = partner
    if len(shape) == 2 and len(wanted) == 3 and code.member is None:
        made.relink[head] = side_by_side(made.sizes, symbol, shape, wanted, q.mixed)
        made.packed = True
    elif symbol in q.links.places and len(wanted) == len(shape) + 1:
        made.relink[head] = member_at(symbol, q.links.places[symbol], len(shape))
        for own_size, s in zip(shape, wanted[1:], strict=True):
            made.sizes.require(own_size, s, f"{given.name} and a member of {symbol}")
    elif symbol in q.links.places and q.links.led and len(wanted) == len(shape):
        _match_led_member(made, q, head, symbol, shape, wanted, given.name)
    elif code.member is not None and len(wanted) == len(shape) + 1:
        if wanted[0] is not q.target.shape[0]:
            raise NotComparable(f"{given.name} has {len(shape)} axes, {symbol} {len(wanted)}")
        made.relink[head] = member_at(symbol, Index.var(code.member), len(shape))
        for own_size, s in zip(shape, wanted[1:], strict=True):
            made.sizes.require(own_size, s, f"{given.name} and a member of {symbol}")
    else:
        _match_array(made, code, q, head, symbol, wanted, symbol)


def _match_led_member(
    made: Matched, q: Question, head: str, symbol: str, shape: Sequence[Index], wanted: Sequence[Index], called: str
) -> None:
    """Match an input that has a leading axis before the axes of one member of a family: a step of several sequences."""
    theory, place = q.symbols.theory, q.links.places[symbol]
    if made.leading and made.sizes.resolve(made.leading[0]) != made.sizes.resolve(shape[0]):
        raise NotComparable("the leading axes of the code's arrays have different lengths")
    made.leading, made.batch = (shape[0],), 1
    for own_size, s in zip(shape[1:], wanted[1:], strict=True):
        made.sizes.require(own_size, s, f"{called} and a member of {symbol}")
    params = tuple(f"p{k}" for k in range(len(wanted)))
    first, *rest = map(Index.var, params)
    if symbol in theory.definitions:
        made.states.append(symbol)
        name = symbol + LED
    else:
        name = free_name(called, theory, made.tensors)
        made.tensors[name] = Tensor(name, (shape[0], *wanted))
        made.relink_left[symbol] = Lambda(params, Entry(name, [Index.var(batch_variable(0)), first, *rest]))
    made.relink[head] = Lambda(params, Entry(name, [first, place, *rest]))


def _match_part(made: Matched, code: CodeSide, q: Question, head: str, given: Input, shape: Sequence[Index]) -> None:
    """Match an input that no symbol is called: several matrices in one, a member of a family, or something unknown."""
    symbols = q.symbols
    needed = symbols.under(q.target.head)
    joined = symbols.joined(given.name, given.origin, needed) if len(shape) == 2 else []
    if joined:
        parts = [(h, symbols.theory.tensors[h].shape) for h in joined]
        made.relink[head] = joined_matrices(made.sizes, parts, shape, q.mixed)
        made.packed = True
        return
    of_rule = symbols.member_of_rule(given.name, q.target) if given.name and code.member is not None else None
    one = of_rule or (symbols.given_member(given.name) if given.name else None)
    if one is not None and len(one[2]) == len(shape):
        made.relink[head] = member_at(one[0], one[1], len(one[2]))
        for own_size, s in zip(shape, one[2], strict=True):
            made.sizes.require(own_size, s, f"{given.name} and {one[0]}")
        return
    entry = symbols.numbered_entry(given.name, q.target.head) if not shape else None
    if entry is not None:
        made.relink[head] = Lambda((), entry)
        return
    made.unlinked.append(given.name or "an unnamed array")
    name = free_name(given.name or "input", symbols.theory, made.tensors)
    made.tensors[name] = Tensor(name, tuple(shape), constant=given.constant)
    made.relink[head] = renamed(name, len(shape))


def _match_array(
    made: Matched, code: CodeSide, q: Question, head: str, label: str, wanted: Sequence[Index], symbol: str | None
) -> None:
    """Match an input with an array of the equation, axis by axis; `symbol` is None for an argument of the definition."""
    given, shape, theory = code.inputs[head], code.shapes[head], q.symbols.theory
    found = align(shape, wanted)
    if q.flip and len(wanted) == 2:
        found = Alignment(found.batch, found.axes[::-1])
    for k, s in zip(found.axes, wanted, strict=True):
        made.sizes.require(shape[k], s, f"{given.name} and {label}")
    if found.permuted:
        made.notes.append(f"{given.name} has its axes in another order in the code")
        made.reordered = True
    if symbol is not None and not found.batch:
        made.relink[head] = picked(symbol, len(shape), found.axes)
        return
    needed = q.symbols.under(q.target.head)
    free = symbol is None and given.name not in {*needed, *made.tensors, *theory.definitions}
    name = given.name if free else free_name(given.name, theory, made.tensors)
    if found.batch:
        resolve = made.sizes.resolve
        if made.leading and [*map(resolve, made.leading)] != [resolve(s) for s in shape[: found.batch]]:
            raise NotComparable("the leading axes of the code's arrays have different lengths")
        made.leading = tuple(shape[: found.batch])
    made.batch = max(made.batch, found.batch)
    kept = [k for k in range(len(shape)) if k < found.batch or k in found.axes]
    made.tensors[name] = Tensor(name, tuple(shape[k] for k in kept))
    made.relink[head] = picked(name, len(shape), kept)
    inner = batched(name, found, kept)
    inside = logarithm_of(given.name)
    if symbol is None and inside is not None and logarithm_of(label) is None:
        times = times_the_logarithm(inside, label)
        inner = Lambda(inner.params, Apply("exp", inner.body if times == 1 else Mul((Number(times), inner.body))))
        made.assumptions.append(Note("holds-logarithm", (given.name, label)))
    if symbol is None:
        made.arguments[q.links.parameters[head]] = inner
    else:
        made.relink_left[symbol] = inner


def _other_case(name: str, head: str) -> bool:
    """Whether two letters differ by their case."""
    stem = head.split("#")[0]
    return len(name) == 1 and name != stem and name.lower() == stem.lower()


def free_name(name: str, theory: Theory, others: Mapping[str, Tensor]) -> str:
    taken = {*theory.tensors, *theory.definitions, *others}
    return fresh(name, taken) if name in taken else name
