"""Statements that a piece of code computes an equation's symbol: names matched to names, sizes unified, axes aligned."""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from derivations.code.compare.aligned_axes import Alignment, align, batch_variable, batched
from derivations.code.compare.code_side import CodeSide, Links, code_side
from derivations.code.compare.document_symbols import NotComparable, Symbols, Target, loose_sizes
from derivations.code.compare.labels import renamed_labels
from derivations.code.compare.leading_axes import LED, led_definitions
from derivations.code.compare.matched_inputs import Matched, Question, free_name, match_inputs
from derivations.code.compare.named_functions import spelled_out
from derivations.code.compare.unfolded_definitions import unfolded
from derivations.documents.model.code_replay import Binding
from derivations.language.statement import Definition, Statement, Tensor, Theory
from derivations.language.substitution import fresh, rename_apart, substitute, subterms
from derivations.language.term import Entry, Index, IndexValue, Lambda, Number, Term, at_least, guard, less
from derivations.lifting.loops.folds import moved
from derivations.lifting.settled_entries import tidy
from derivations.lifting.symbolic.arrays import Array
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.symbolic.sizes import Required, Sizes
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
    equated: str | None = None
    """What makes two lengths equal that the document has two names for: `n = m`."""
    reordered: bool = False
    """The code has the axes of an input, or of the result, in another order than the document."""
    leading: int = 0
    """How many axes before those of the document the inputs of the code have."""


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
    skipped: int = 0,
) -> Comparison:
    """The statements `symbol = code`; raises `NotComparable` or `NotLifted`.

    Inputs in `zero` are taken to be zero; `loose` takes sizes of the definition that none of its arguments tells
    (a bare sqrt(d_k)) as the width of argument number `loose`; with `flip` every matrix of the code is the transpose of
    the equation's; with `mixed` matrices that hold all heads keep the heads together for each channel.  `assigned`
    says what inputs are that the names do not tell.  `skipped` members at the start of a family are not in the code: the
    start of a recurrence.
    """
    code = code_side(value, scope, target, links, frozenset(zero))
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
    question = Question(
        symbols, target, block, own, _links_by_name(links, definition, code), flip, mixed, assigned or {}
    )
    matched = match_inputs(code, question)
    sizes = _with_sizes_of_unused_inputs(matched.sizes, scope, code, question)
    relink_left = {**matched.relink_left, **_numbers_that_are_sizes(sizes, scope, code, question)}
    tensors, arguments = _with_unused_arguments(matched.tensors, matched.arguments, symbols, definition, own)
    result = _align_result(code, matched, question, skipped)
    aligned, open_axes = result.aligned, result.open_axes
    _cut_sizes(sizes, scope, symbols.size_names(), code.mark)
    forced = len(sizes.required)
    for k, s in zip(aligned.axes, result.shape, strict=True):
        sizes.require(code.shape[k], s, f"the code and {target.stem}")
    open_sizes = {s for i in target.shape for s in i.sizes} - told - symbols.sizes_in(target.head)
    misfit = any(r.name not in open_sizes for r in sizes.required[forced:])
    final = _final_sizes(sizes, own, code, symbols)
    taken_names = {*symbols.theory.tensors, *read.definitions, *tensors}
    folds = {
        h: tuple(replace(d, body=renamed_labels(d.body, matched.relink)) for d in r) for h, r in code.folds.items()
    }
    entry = renamed_labels(code.entry, matched.relink)
    entry, families = moved(entry, folds, code.mark, matched.relink, taken_names)
    led = _with_leading_axes(read, target, relink_left, matched)
    left = LeftSide(arguments, own, relink_left, read, final, open_axes, led, skipped, matched.by_label)
    rows = target.definitions if target.number is not None else read.definitions[target.head]
    if links.places or skipped:  # the start is no step
        rows = tuple(d for d in rows if d.indices[0].free)
    made = [_statement(d, target, entry, aligned, matched.batch, code.shape, left) for d in rows]
    limits = _limits(definition, own, final, told)
    values = [v for s, v in scope.sizes.concrete.items() if v > 1 and "~" in s]
    bindings = tuple(
        Binding(
            g.name, tuple(i.substitute({}, final) for i in code.shapes[h]), matched.relink[h], g.origin == "parameter"
        )
        for h, g in code.inputs.items()
    )
    return Comparison(
        [statement for statement, _ in made],
        _theory_at(final, sizes, symbols, {**symbols.theory.tensors, **tensors}, read, {**families, **led}),
        [
            *said,
            *matched.assumptions,
            *named_functions,
            *(shown_in(r.note) for r in sizes.required),
            *(r.note for r in limits),
        ],
        [*matched.notes, *_notes(matched, result, flip)],
        matched.unlinked,
        bool(values)
        and (
            any(_mentions(t, values) for t in (entry, *(x.body for x in code.bodies)))
            or any(_ends_at(d.body, values) for d in rows)
        ),
        matched.packed,
        bool(sizes.required),
        misfit,
        bindings,
        {s: final[f"{s}'"] for s in code.sizes if "~" not in s and f"{s}'" in final},
        tuple(place for _, place in made),
        _pinned((*sizes.required, *limits), {*symbols.size_names(), *definition.sizes}),
        _equated(sizes.required, limits, symbols, target),
        matched.reordered or result.aligned.permuted,
        matched.batch,
    )


def _with_leading_axes(
    theory: Theory, target: Target, relink_left: Mapping[str, Lambda], matched: Matched
) -> dict[str, tuple[Definition, ...]]:
    """The definitions under a recurrence at a place of the leading axes of the code."""
    reached = [d for rows in theory.definitions.values() for d in rows if d.name == target.head]
    has_led = bool(matched.batch and relink_left) and not any(d.tensors for d in reached)
    made = led_definitions(theory, target.head, relink_left, matched.leading) if has_led else {}
    lacking = next((h for h in matched.states if h + LED not in made), None)
    if lacking is not None:
        raise NotComparable(f"{lacking} has a leading axis in the code, and nothing that it is made of has one")
    return made


def _links_by_name(links: Links, definition: Definition, code: CodeSide) -> Links:
    """The links of a comparison; inputs with the names of a definition's arguments are these where nothing else says."""
    if not definition.tensors or links.parameters:
        return links
    by_name = {t.name: k for k, t in enumerate(definition.tensors)}
    parameters = {h: by_name[i.name] for h, i in code.inputs.items() if i.name in by_name}
    return replace(links, parameters=parameters)


def _with_sizes_of_unused_inputs(sizes: Sizes, scope: Scope, code: CodeSide, q: Question) -> Sizes:
    """The sizes with those of arrays of which the code only uses the lengths."""
    if q.target.definitions[0].tensors:
        return sizes
    for h, given in scope.inputs.items():
        partner = q.partner(given) if h not in code.inputs else None
        axes = tuple(map(scope.sizes.resolve, given.shape))
        if partner is not None and len(partner[1]) == len(axes):
            for s, wanted in zip(axes, partner[1], strict=True):
                if s.sizes and s.sizes <= code.sizes:
                    sizes = _agreeing(sizes, s.substitute({}, code.mark), wanted, given.name)
    return sizes


def _numbers_that_are_sizes(sizes: Sizes, scope: Scope, code: CodeSide, q: Question) -> dict[str, Lambda]:
    """Numbers of the equation that are sizes of the code by their name; sizes of that name are made equal."""
    found: dict[str, Lambda] = {}
    for name in q.symbols.given_of(q.target.head):
        if name in scope.sizes.named and q.symbols.theory.tensors[name].shape == ():
            found[name] = Lambda((), IndexValue(scope.sizes.resolve(Index.size(name)).substitute({}, code.mark)))
    for name in q.symbols.bare_of(q.target.head) & scope.sizes.named:  # a number that both sides call so: a window of w
        size = scope.sizes.resolve(Index.size(name))
        if size.sizes <= code.sizes:
            sizes.require(size.substitute({}, code.mark), Index.size(name), name)
    return found


def _with_unused_arguments(
    tensors: Mapping[str, Tensor],
    arguments: Mapping[int, Lambda],
    symbols: Symbols,
    definition: Definition,
    own: Mapping[str, Index],
) -> tuple[dict[str, Tensor], dict[int, Lambda]]:
    """The tensors and arguments of a comparison with those arguments of the equation that the code does not use."""
    tensors, arguments = dict(tensors), dict(arguments)
    for k, tensor in enumerate(definition.tensors):
        if k not in arguments:
            name = free_name(tensor.name, symbols.theory, tensors)
            wanted = tuple(s.substitute({}, own) for s in tensor.shape)
            tensors[name] = Tensor(name, wanted)
            arguments[k] = batched(name, Alignment(0, tuple(range(len(wanted)))), list(range(len(wanted))))
    return tensors, arguments


@dataclass(frozen=True)
class _Result:
    """How the value of the code stands to the symbol: which axes of the symbol are open, their lengths, where they are."""

    aligned: Alignment
    open_axes: Sequence[int]
    shape: tuple[Index, ...]
    skipped: int = 0
    """How many members at the start of the first axis of the symbol the code does not have."""


def _align_result(code: CodeSide, matched: Matched, q: Question, skipped: int = 0) -> _Result:
    target, batch = q.target, matched.batch
    open_axes = [k for k in range(len(target.shape)) if any(d.indices[k].free for d in target.definitions)]
    if code.member is not None:
        open_axes = list(range(1, len(target.shape)))
    elif len(code.shape) - batch >= len(target.shape):
        open_axes = list(range(len(target.shape)))
    given = {k for d in target.definitions for k, i in enumerate(d.indices) if not i.free.isdisjoint(matched.by_label)}
    open_axes = [k for k in open_axes if k not in given]
    result = tuple(target.shape[k].substitute({}, q.own) - (skipped if k == 0 else 0) for k in open_axes)
    aligned = align(code.shape, result, batch)
    if q.flip and len(result) == 2:
        aligned = Alignment(aligned.batch, aligned.axes[::-1])
    if aligned.batch != batch:
        if not (aligned.batch > batch and all(s is Index.of(1) for s in code.shape[: aligned.batch - batch])):
            leading = f" and {batch} leading" if batch else ""
            raise NotComparable(f"the code has {len(code.shape)} axes, the equation {len(result)}{leading}")
    return _Result(aligned, open_axes, result, skipped)


def _notes(matched: Matched, result: _Result, flip: bool) -> list[str]:
    notes = ["every matrix of the code is the transpose of the document's"] if flip and len(result.shape) == 2 else []
    if matched.packed:
        notes.append("the matrices of all heads stand side by side in the code")
    if result.skipped:
        notes.append("the code has no start of the recurrence")
    if result.aligned.permuted:
        notes.append("the result has its axes in another order in the code")
    if matched.batch:
        axes = "axis" if matched.batch == 1 else "axes"
        notes.append(f"for every position along the {matched.batch} leading {axes} of the code")
    return notes


def _final_sizes(sizes: Sizes, own: Mapping[str, Index], code: CodeSide, symbols: Symbols) -> dict[str, Index]:
    """Each size of a comparison in terms of those that are shown."""
    names = {*sizes.known, *(x for i in own.values() for x in i.sizes), *(f"{s}'" for s in code.sizes)}
    final = {s: sizes.resolve(Index.size(s)) for s in names}
    pretty = _pretty({x for i in final.values() for x in i.sizes}, symbols.size_names())
    return {s: i.substitute({}, pretty) for s, i in final.items()}


def _theory_at(
    final: Mapping[str, Index],
    sizes: Sizes,
    symbols: Symbols,
    tensors: Mapping[str, Tensor],
    read: Theory,
    families: Mapping[str, tuple[Definition, ...]],
) -> Theory:
    """The theory of a comparison at its sizes."""
    known = dict(final)
    declared = {
        n: Tensor(n, tuple(s.substitute({}, known) for s in t.shape), constant=t.constant) for n, t in tensors.items()
    }
    settled = {n: i for n, i in known.items() if n in sizes.known and n in symbols.size_names()}
    definitions = dict(read.definitions)
    if settled:  # the code makes sizes of the document equal: the definitions are read at these sizes
        definitions = {h: tuple(at_sizes(d, settled) for d in rows) for h, rows in definitions.items()}
    definitions |= {h: tuple(at_sizes(d, known) for d in rows) for h, rows in families.items()}
    return Theory(declared, definitions)


def _pinned(required: Sequence[Required], names: Collection[str]) -> str | None:
    """The first length of the document that must be 1; other numbers are sizes that the code writes out."""
    return next((str(r) for r in required if r.pins and r.name in names and r.value.const == 1), None)


def _equated(required: Sequence[Required], limits: Sequence[Required], symbols: Symbols, target: Target) -> str | None:
    """The first requirement that makes two lengths equal for which the document has two names, or one number."""
    numbers: dict[Index, str] = {}
    for r in required:
        if r.value.is_constant and not r.divides and r.name in symbols.named_sizes:
            if numbers.setdefault(r.value, r.name) != r.name:
                return f"{numbers[r.value]} = {r.name} = {r.value}"
        other = next(iter(r.value.sizes), "")
        if r.name != other and r.equates and {r.name, other} <= symbols.named_sizes:
            return str(r)
    declared = symbols.declared_lengths(target)
    for r in limits:
        one, two = (declared.get(n, frozenset()) for n in (r.name, next(iter(r.value.sizes), "")))
        if r.equates and one and two and one.isdisjoint(two) and one | two <= symbols.named_sizes:
            return f"{min(one)} = {min(two)}"
    return None


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
    """The sizes with two of them made equal, where that is possible and equates no lengths of the document."""
    tried = copy.deepcopy(sizes)
    try:
        tried.require(a, b, what)
    except NotLifted:
        return sizes
    return sizes if len(tried.required) > len(sizes.required) else tried


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


def _ends_at(body: Term, lengths: Sequence[int]) -> bool:
    """Whether an equation writes out entries up to the last one of an axis with one of these lengths: `x_0 + x_1 + x_2`."""
    entries = (t for t in subterms(body) if isinstance(t, Entry))
    return any(i.is_constant and i.const + 1 in lengths for t in entries for i in t.indices)


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


@dataclass(frozen=True)
class LeftSide:
    """What the equation's side of a statement is made of."""

    arguments: Mapping[int, Lambda]
    own: Mapping[str, Index]
    relink: Mapping[str, Lambda]
    theory: Theory
    final: Mapping[str, Index]
    open_axes: Sequence[int]
    led: Collection[str]
    """The symbols that are defined with leading axes."""
    skipped: int = 0
    by_label: Mapping[str, Index] = field(default_factory=dict)
    """The positions that the code is given for indices of the symbol."""


def _statement(
    d: Definition,
    target: Target,
    entry: Term,
    aligned: Alignment,
    batch: int,
    shape: Sequence[Index],
    side: LeftSide,
) -> tuple[Statement, tuple[Index, ...]]:
    """One defining equation of the target against the code, and the entry of the code's value that it speaks of."""
    own, relink_left, theory = side.own, side.relink, side.theory
    letters = {v: side.by_label.get(v, Index.var(v)) for v in d.variables}
    indices = [i.substitute(letters, own) for i in d.indices]
    left: Term
    if d.tensors:
        left = Entry(d.name, indices, [side.arguments[k] for k in range(len(d.tensors))], [own[s] for s in d.sizes])
    else:
        left = Entry(d.name, indices)
        if relink_left and not relink_left.keys().isdisjoint({*theory.tensors, *theory.definitions}):
            places = [batch_variable(k) for k in range(batch)]
            plain = unfolded(left, theory, frozenset(relink_left))
            if plain.heads.isdisjoint(theory.definitions.keys() - relink_left.keys()):
                left = substitute(rename_apart(plain, places), tensors=dict(relink_left))
                left = renamed_labels(left, relink_left)
            elif d.name + LED in side.led:
                left = Entry(d.name + LED, [*map(Index.var, places), *indices])
            else:
                raise NotComparable("a definition by cases with leading axes")
    place = [Index.of(0)] * len(shape)
    for axis, k in zip(aligned.axes, side.open_axes, strict=True):
        place[axis] = indices[k] - (side.skipped if k == 0 else 0)
    extra = aligned.batch - batch
    for k in range(batch):
        place[extra + k] = Index.var(batch_variable(k))
    if target.is_stated and left is Entry(d.name, indices):
        left = substitute(rename_apart(d.body, frozenset(letters)), letters, own)
    right = Array(tuple(shape), entry).real(place)
    sizes = dict(side.final)
    left, right = substitute(left, sizes=sizes), substitute(right, sizes=sizes)
    ranges = list(d.condition)
    for i, s in zip(indices, target.shape, strict=True):
        if i in side.by_label.values():
            continue  # positions lie on their axis
        size = s.substitute({}, dict(own)).substitute({}, sizes)
        ranges += [at_least(i, 0), less(i, size)]
    for k in range(batch):
        b = Index.var(batch_variable(k))
        ranges += [at_least(b, 0), less(b, shape[extra + k].substitute({}, sizes))]
    known = guard(*(c.substitute(letters, own).substitute({}, sizes) for c in ranges))
    right = tidy(right, known)
    free = [*(v for v in d.variables if v not in side.by_label), *(batch_variable(k) for k in range(batch))]
    return Statement(left, "=", right, tuple(free), known), tuple(i.substitute({}, sizes) for i in place)


__all__ = ["Comparison", "Links", "compare", "shown"]
