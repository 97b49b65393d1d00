"""Statements that a piece of code computes an equation's symbol: names matched to names, sizes unified, axes aligned."""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from derivations.code.compare.aligned_axes import Alignment, align, batch_variable, batched, member_at, picked, renamed
from derivations.code.compare.document_symbols import NotComparable, Symbols, Target, loose_sizes, member_index
from derivations.code.compare.named_functions import spelled_out
from derivations.code.compare.packed_matrices import joined_matrices, side_by_side
from derivations.code.compare.unfolded_definitions import unfolded
from derivations.documents.model.code_replay import Binding
from derivations.language.term import (
    ZERO,
    Definition,
    Entry,
    Index,
    IndexValue,
    Lambda,
    Number,
    Statement,
    Tensor,
    Term,
    Theory,
    at_least,
    fresh,
    guard,
    less,
    rename_apart,
    substitute,
    subterms,
    term_sizes,
)
from derivations.lifting.loops.folds import moved
from derivations.lifting.settled_entries import finish, finished_folds, tidy
from derivations.lifting.symbolic.arrays import (
    Array,
    Input,
    NotLifted,
    Required,
    Scope,
    Sizes,
    places,
    put,
    real,
)
from derivations.notes import Note
from derivations.provers.instance import at_sizes


@dataclass
class Comparison:
    """Statements that together say that code and equation agree."""

    statements: list[Statement]
    theory: Theory
    assumptions: list[Note]
    notes: list[str]
    unlinked: list[str]
    """Inputs of the code that the document does not name."""
    fixed: bool = False
    """The numbers of the code may be sizes that it writes out."""
    packed: bool = False
    """A matrix of the code holds the matrices of all heads side by side."""
    forced: bool = False
    """The code makes sizes equal that the document keeps apart."""
    misfit: bool = False
    """The shapes agree only where sizes that the document keeps apart are equal."""
    bindings: tuple[Binding, ...] = ()
    """What the variables of the code hold, for a replay in the real code."""
    sizes: Mapping[str, Index] = field(default_factory=dict)
    """The sizes that the code names."""
    places: tuple[tuple[Index, ...], ...] = ()
    """For each statement the entry of the code's value that it speaks of."""
    pinned: str | None = None
    """What puts a length of the document to a number that nothing gives it: `h = 1`."""
    reordered: bool = False
    """The code has the axes of an input, or of the result, in another order than the document."""


@dataclass
class Links:
    """What the inputs of a lifted function are: parameters of the definition, or symbols of the document."""

    parameters: Mapping[str, int] = field(default_factory=dict)
    """Code head -> number of the tensor parameter of the definition."""
    each: bool = False
    """Whether the code computes one member of the target, which is a family: head_i for a given i."""


EACH = "each~"
"""The index of the member that code computes."""


def compare(
    value: Array,
    scope: Scope,
    symbols: Symbols,
    target: Target,
    block: int,
    links: Links,
    zero: Iterable[str] = (),
    loose: int | None = None,
    flip: bool = False,
    mixed: bool = False,
    assigned: Mapping[str, str] | None = None,
) -> Comparison:
    """The statements `symbol = code`; raises `NotComparable` or `NotLifted`.

    Inputs in `zero` are taken to be zero; `loose` takes sizes of the definition that none of its arguments tells
    (a bare sqrt(d_k)) as the width of argument number `loose`; with `flip` every matrix of the code is the transpose of
    the equation's; with `mixed` matrices that hold all heads keep the heads together for each channel.  `assigned`
    says what inputs are that the names do not tell.
    """
    a = finish(scope, value)
    entry = a.real(places(a.rank))
    folds = finished_folds(scope, entry)
    member = member_index(target) if links.each else None
    if links.each and member is None:
        raise NotComparable("the equation is no family with one rule for all members")
    if member is not None:
        entry = real(put(entry, {EACH: Index.var(member)}))
    zero = frozenset(zero)
    if zero:
        nothing = {h: _constant_zero(scope.inputs[h]) for h in zero}
        entry = substitute(entry, tensors=nothing)
        folds = {h: tuple(replace(x, body=substitute(x.body, tensors=nothing)) for x in r) for h, r in folds.items()}
    bodies = [x for rows in folds.values() for x in rows]
    own_sizes = term_sizes(entry) | {s for i in a.shape for s in i.sizes}
    own_sizes |= {s for x in bodies for s in term_sizes(x.body) | {n for i in x.shape or () for n in i.sizes}}
    heads = entry.heads.union(*(x.body.heads for x in bodies))
    inputs = {h: i for h, i in scope.inputs.items() if h in heads}
    shapes = {h: tuple(scope.sizes.resolve(s) for s in i.shape) for h, i in inputs.items()}
    own_sizes |= {s for shape in shapes.values() for i in shape for s in i.sizes}
    mark = {s: Index.size(f"{s}'") for s in own_sizes}
    shape = tuple(s.substitute({}, mark) for s in a.shape)
    shapes = {h: tuple(i.substitute({}, mark) for i in s) for h, s in shapes.items()}
    read, named_functions = spelled_out(symbols.theory, symbols.under(target.head))
    definition = target.definitions[0]
    told = symbols.sizes_given(target.head)
    own = {s: Index.size(s if s in told else f"{s}~own") for s in definition.sizes}
    said: list[Note] = []
    if loose is not None:
        for name in loose_sizes(definition, told):
            width = definition.tensors[loose].shape[-1]
            own[name] = width.substitute({}, own)
            said.append(Note("width", (name, definition.tensors[loose].name)))
    sizes = Sizes(named=set(symbols.size_names()))
    notes: list[str] = []
    unlinked: list[str] = []
    relink: dict[str, Lambda] = {}
    relink_left: dict[str, Lambda] = {}
    arguments: dict[int, Lambda] = {}
    tensors: dict[str, Tensor] = {}
    batch, packed, reordered = 0, False, False
    leading: tuple[Index, ...] = ()
    code_names: dict[str, str] = {}
    taken: set[str] = set()
    needed = symbols.under(target.head)
    if definition.tensors and not links.parameters:
        by_name = {t.name: k for k, t in enumerate(definition.tensors)}
        links = Links({h: by_name[i.name] for h, i in inputs.items() if i.name in by_name})
    order = sorted(inputs, key=lambda h: h in links.parameters)
    for head in order:
        given = inputs[head]
        if head in links.parameters:
            number = links.parameters[head]
            tensor = definition.tensors[number]
            wanted = tuple(s.substitute({}, own) for s in tensor.shape)
            label, partner = tensor.name, None
        else:
            where = given.block if given.block >= 0 else block
            partner = symbols.partner(given.name, where, needed, given.origin) if given.name else None
            if assigned and head in assigned:
                partner = assigned[head], symbols.theory.tensors[assigned[head]].shape
            if (
                partner is not None
                and _other_case(given.name, partner[0])
                and len(shapes[head]) > len(partner[1])
                and len(partner[1]) < 2
            ):
                partner = None  # a matrix Q is not many numbers q
            joined = (
                symbols.joined(given.name, given.origin, needed) if partner is None and len(shapes[head]) == 2 else []
            )
            if joined:
                relink[head] = joined_matrices(
                    sizes, [(h, symbols.theory.tensors[h].shape) for h in joined], shapes[head], mixed
                )
                packed = True
                continue
            one = symbols.given_member(given.name) if partner is None and given.name else None
            if one is not None and len(one[2]) == len(shapes[head]):
                relink[head] = member_at(one[0], one[1], len(one[2]))
                for own_size, s in zip(shapes[head], one[2], strict=True):
                    sizes.require(own_size, s, f"{given.name} and {one[0]}")
                continue
            if partner is None:
                unlinked.append(given.name or "an unnamed array")
                code_names[head] = _free_name(given.name or "input", symbols.theory, tensors)
                tensors[code_names[head]] = Tensor(code_names[head], shapes[head])
                relink[head] = renamed(code_names[head], len(shapes[head]))
                continue
            label, wanted = partner
        if partner is not None:
            if partner[0] in taken:
                raise NotComparable(f"two values of the code are called {given.name}")
            taken.add(partner[0])
        if partner is not None and len(shapes[head]) == 2 and len(wanted) == 3 and member is None:
            relink[head] = side_by_side(sizes, partner[0], shapes[head], wanted, mixed)
            packed = True
            continue
        if partner is not None and member is not None and len(wanted) == len(shapes[head]) + 1:
            if wanted[0] is not target.shape[0]:
                raise NotComparable(f"{given.name} has {len(shapes[head])} axes, {label} {len(wanted)}")
            relink[head] = member_at(partner[0], Index.var(member), len(shapes[head]))
            for own_size, s in zip(shapes[head], wanted[1:], strict=True):
                sizes.require(own_size, s, f"{given.name} and a member of {label}")
            continue
        found = align(shapes[head], wanted)
        if flip and len(wanted) == 2:
            found = Alignment(found.batch, found.axes[::-1])
        for k, s in zip(found.axes, wanted, strict=True):
            sizes.require(shapes[head][k], s, f"{given.name} and {label}")
        if found.permuted:
            notes.append(f"{given.name} has its axes in another order in the code")
            reordered = True
        plain = not found.batch and found.axes == tuple(range(len(shapes[head])))
        if partner is not None and not found.batch:
            relink[head] = picked(partner[0], len(shapes[head]), found.axes)
            continue
        free = head in links.parameters and given.name not in {*needed, *tensors, *symbols.theory.definitions}
        name = code_names[head] = given.name if free else _free_name(given.name, symbols.theory, tensors)
        if found.batch:
            if leading and [*map(sizes.resolve, leading)] != [sizes.resolve(s) for s in shapes[head][: found.batch]]:
                raise NotComparable("the leading axes of the code's arrays have different lengths")
            leading = shapes[head][: found.batch]
        batch = max(batch, found.batch)
        kept = [k for k in range(len(shapes[head])) if k < found.batch or k in found.axes]
        tensors[name] = Tensor(name, tuple(shapes[head][k] for k in kept))
        relink[head] = picked(name, len(shapes[head]), kept)
        inner = batched(name, found, kept)
        if head in links.parameters:
            arguments[links.parameters[head]] = inner
        else:
            relink_left[partner[0]] = inner  # type: ignore[index]
        del plain
    unused = [(g, tuple(map(scope.sizes.resolve, g.shape))) for h, g in scope.inputs.items() if h not in inputs]
    for given, axes in unused if definition.tensors == () else ():  # arrays of which only the lengths are used
        where = given.block if given.block >= 0 else block
        partner = symbols.partner(given.name, where, needed, given.origin) if given.name else None
        if partner is not None and len(partner[1]) == len(axes):
            for s, wanted_size in zip(axes, partner[1], strict=True):
                if s.sizes and s.sizes <= own_sizes:
                    sizes = _agreeing(sizes, s.substitute({}, mark), wanted_size, given.name)
    for name in symbols.given_of(target.head):  # a size of the code that the equation has as a number
        if name in scope.sizes.named and symbols.theory.tensors[name].shape == ():
            size = scope.sizes.resolve(Index.size(name)).substitute({}, mark)
            relink_left[name] = Lambda((), IndexValue(size))
    for name in symbols.bare_of(target.head) & scope.sizes.named:  # a number that both sides call so: a window of w
        size = scope.sizes.resolve(Index.size(name))
        if size.sizes <= own_sizes:
            sizes.require(size.substitute({}, mark), Index.size(name), name)
    if definition.tensors:
        for k, tensor in enumerate(definition.tensors):
            if k not in arguments:  # the code does not use this argument
                name = _free_name(tensor.name, symbols.theory, tensors)
                wanted = tuple(s.substitute({}, own) for s in tensor.shape)
                tensors[name] = Tensor(name, wanted)
                arguments[k] = batched(name, Alignment(0, tuple(range(len(wanted)))), list(range(len(wanted))))
    open_axes = [k for k in range(len(target.shape)) if any(d.indices[k].free for d in target.definitions)]
    if member is not None:
        open_axes = list(range(1, len(target.shape)))
    elif len(shape) - batch >= len(target.shape):
        open_axes = list(range(len(target.shape)))
    result = tuple(target.shape[k].substitute({}, own) for k in open_axes)
    aligned = align(shape, result, batch)
    if flip and len(result) == 2:
        aligned = Alignment(aligned.batch, aligned.axes[::-1])
        notes.append("every matrix of the code is the transpose of the document's")
    if aligned.batch != batch:
        if not (aligned.batch > batch and all(s is Index.of(1) for s in shape[: aligned.batch - batch])):
            raise NotComparable(f"the code has {len(shape)} axes, the equation {len(result)}")
    _cut_sizes(sizes, scope, symbols.size_names(), mark)
    forced = len(sizes.required)
    for k, s in zip(aligned.axes, result, strict=True):
        sizes.require(shape[k], s, f"the code and {target.stem}")
    open_sizes = {s for i in target.shape for s in i.sizes} - told - symbols.sizes_in(target.head)
    misfit = any(r.name not in open_sizes for r in sizes.required[forced:])
    if packed:
        notes.append("the matrices of all heads stand side by side in the code")
    if aligned.permuted:
        notes.append("the result has its axes in another order in the code")
        reordered = True
    if batch:
        notes.append(f"for every position along the {batch} leading {'axis' if batch == 1 else 'axes'} of the code")
    final = {
        s: sizes.resolve(Index.size(s))
        for s in {*sizes.known, *(x for i in own.values() for x in i.sizes), *(f"{s}'" for s in own_sizes)}
    }
    pretty = _pretty({x for i in final.values() for x in i.sizes}, symbols.size_names())
    final = {s: i.substitute({}, pretty) for s, i in final.items()}
    taken_names = {*symbols.theory.tensors, *read.definitions, *tensors}
    entry, families = moved(entry, folds, mark, relink, taken_names)
    statements, places_of = [], []
    for d in target.definitions if target.number is not None else read.definitions[target.head]:
        statement, place = _statement(
            d, target, entry, aligned, batch, shape, arguments, own, relink_left, read, final, open_axes
        )
        statements.append(statement)
        places_of.append(place)
    declared = {n: Tensor(n, tuple(s.substitute({}, final) for s in t.shape)) for n, t in tensors.items()}
    theory_tensors = {
        n: Tensor(n, tuple(s.substitute({}, final) for s in t.shape)) for n, t in symbols.theory.tensors.items()
    }
    settled = {n: i for n, i in final.items() if n in sizes.known and n in symbols.size_names()}
    definitions = read.definitions
    if settled:  # the code makes sizes of the document equal: the definitions are read at these sizes
        definitions = {h: tuple(at_sizes(d, settled) for d in rows) for h, rows in definitions.items()}
    definitions = {**definitions, **{h: tuple(at_sizes(d, final) for d in rows) for h, rows in families.items()}}
    theory = Theory({**theory_tensors, **declared}, definitions)
    limits = _limits(definition, own, final, told)
    assumptions = [*said, *named_functions, *(shown_in(r.note) for r in sizes.required), *(r.note for r in limits)]
    values = [v for s, v in scope.sizes.concrete.items() if v > 1 and "~" in s]
    fixed = bool(values) and any(_mentions(t, values) for t in (entry, *(x.body for x in bodies)))
    bindings = tuple(
        Binding(g.name, tuple(i.substitute({}, final) for i in shapes[h]), relink[h], g.origin == "parameter")
        for h, g in inputs.items()
    )
    named = {s: final[f"{s}'"] for s in own_sizes if "~" not in s and f"{s}'" in final}
    return Comparison(
        statements,
        theory,
        assumptions,
        notes,
        unlinked,
        fixed,
        packed,
        bool(sizes.required),
        misfit,
        bindings,
        named,
        tuple(places_of),
        _pinned((*sizes.required, *limits), symbols.size_names()),
        reordered,
    )


def _pinned(required: Sequence[Required], names: Collection[str]) -> str | None:
    """The first length of the document that must be 1; other numbers are sizes that the code writes out."""
    return next((str(r) for r in required if r.pins and r.name in names and r.value.const == 1), None)


def _cut_sizes(sizes: Sizes, scope: Scope, names: Collection[str], mark: Mapping[str, Index]) -> None:
    """Sizes of the document that the code cuts into equal parts under their own name: `d = 2*w` after `x[: d // 2]`."""
    for name in sorted(scope.sizes.known.keys() & names):
        whole = scope.sizes.resolve(Index.size(name))
        parts = [s for s in whole.sizes if "~" in s and s in mark]
        if len(whole.terms) != 1 or whole.const or whole.terms[0][1] == 1 or len(parts) != 1 or name in sizes.known:
            continue
        known = len(sizes.required)
        sizes.require(Index.size(name), whole.substitute({}, mark), name)
        del sizes.required[known:]
        sizes.required.append(Required(name, Index.of(whole.terms[0][1]), divides=True))


def _agreeing(sizes: Sizes, a: Index, b: Index, what: str) -> Sizes:
    """The sizes with two of them made equal, where that is possible."""
    tried = copy.deepcopy(sizes)
    try:
        tried.require(a, b, what)
    except NotLifted:
        return sizes
    return tried


def _limits(
    definition: Definition, own: Mapping[str, Index], final: Mapping[str, Index], told: frozenset[str]
) -> list[Required]:
    """What the code supposes of the sizes of a definition's arguments, which are any sizes in the equation."""
    seen: dict[Index, str] = {}
    found: list[Required] = []
    for s in definition.sizes:
        i = own[s].substitute({}, dict(final))
        if own[s] is not Index.size(f"{s}~own"):
            continue
        bare = len(i.terms) == 1 and not i.const and i.terms[0][1] == 1 and i.terms[0][0].kind == "size"
        if i in seen:
            found.append(Required(s, Index.size(seen[i])))
        elif not bare or i.sizes <= told:
            found.append(Required(s, i.substitute({}, {n: Index.size(shown(n)) for n in i.sizes})))
        seen.setdefault(i, s)
    return found


def _other_case(name: str, head: str) -> bool:
    """Whether two letters differ by their case."""
    stem = head.split("#")[0]
    return len(name) == 1 and name != stem and name.lower() == stem.lower()


def _constant_zero(given: Input) -> Lambda:
    return Lambda(tuple(f"p{k}" for k in range(len(given.shape))), ZERO)


def shown(text: str) -> str:
    return re.sub(r"~\w+", "", text).replace("'", "")


def shown_in(note: Note) -> Note:
    """The note with the lengths in it as a reader knows them."""

    def renamed(a: str | Index) -> str | Index:
        return a if isinstance(a, str) else a.substitute({}, {n: Index.size(shown(n)) for n in a.sizes})

    return replace(note, arguments=tuple(map(renamed, note.arguments)))


def _mentions(entry: Term, values: Sequence[int]) -> bool:
    for t in subterms(entry):
        if isinstance(t, Number) and any(
            t.value in (v, -v) or t.value * v == 1 or t.value * t.value == v for v in values
        ):
            return True
        if isinstance(t, IndexValue) and t.index.is_constant and t.index.const in values:
            return True
    return False


def _pretty(used: set[str], taken: Iterable[str]) -> dict[str, Index]:
    """Readable names for sizes of the code that nothing settles."""
    names: dict[str, Index] = {}
    avoid = set(taken)
    for s in sorted(used):
        if s.endswith(("'", "~own")) or "~" in s:
            name = fresh(s.replace("'", "").split("~")[0] or "n", avoid)
            avoid.add(name)
            names[s] = Index.size(name)
    return names


def _free_name(name: str, theory: Theory, others: Mapping[str, Tensor]) -> str:
    taken = {*theory.tensors, *theory.definitions, *others}
    return fresh(name, taken) if name in taken else name


def _statement(
    d: Definition,
    target: Target,
    entry: Term,
    aligned: Alignment,
    batch: int,
    shape: Sequence[Index],
    arguments: Mapping[int, Lambda],
    own: Mapping[str, Index],
    relink_left: Mapping[str, Lambda],
    theory: Theory,
    final: Mapping[str, Index],
    open_axes: Sequence[int],
) -> tuple[Statement, tuple[Index, ...]]:
    """One defining equation of the target against the code, and the entry of the code's value that it speaks of."""
    letters = {v: Index.var(v) for v in d.variables}
    indices = [i.substitute(letters, own) for i in d.indices]
    left: Term
    if d.tensors:
        left = Entry(d.name, indices, [arguments[k] for k in range(len(d.tensors))], [own[s] for s in d.sizes])
    else:
        left = Entry(d.name, indices)
        if relink_left and not relink_left.keys().isdisjoint({*theory.tensors, *theory.definitions}):
            left = unfolded(left, theory, frozenset(relink_left))
            if not left.heads.isdisjoint(theory.definitions.keys() - relink_left.keys()):
                raise NotComparable("a definition by cases with leading axes")
            left = substitute(rename_apart(left, {batch_variable(k) for k in range(batch)}), tensors=dict(relink_left))
    place = [Index.of(0)] * len(shape)
    for axis, k in zip(aligned.axes, open_axes, strict=True):
        place[axis] = indices[k]
    extra = aligned.batch - batch
    for k in range(batch):
        place[extra + k] = Index.var(batch_variable(k))
    right = Array(tuple(shape), entry).real(place)
    sizes = dict(final)
    left, right = substitute(left, sizes=sizes), substitute(right, sizes=sizes)
    ranges = list(d.condition)
    for i, s in zip(indices, target.shape, strict=True):
        size = s.substitute({}, dict(own)).substitute({}, sizes)
        ranges += [at_least(i, 0), less(i, size)]
    for k in range(batch):
        b = Index.var(batch_variable(k))
        ranges += [at_least(b, 0), less(b, shape[extra + k].substitute({}, sizes))]
    known = guard(*(c.substitute(letters, own).substitute({}, sizes) for c in ranges))
    right = tidy(right, known)
    free = [*d.variables, *(batch_variable(k) for k in range(batch))]
    return Statement(left, "=", right, tuple(free), known), tuple(i.substitute({}, sizes) for i in place)


__all__ = ["Comparison", "Links", "compare", "shown"]
