"""Statements that a piece of code computes an equation's symbol: names matched to names, sizes unified, axes aligned."""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from derivations.code.compare.named_functions import spelled_out
from derivations.code.compare.spelling import ALIASES, JOINED, initials, numbered, spelled, weight_of
from derivations.documents.model.code_replay import Binding
from derivations.documents.model.document import Document
from derivations.documents.model.finding import Finding
from derivations.kernel.definition import instance
from derivations.language.term import (
    ZERO,
    Bracket,
    Case,
    Definition,
    Entry,
    Guard,
    Index,
    IndexValue,
    Lambda,
    NegInfinity,
    Number,
    Statement,
    Sum,
    Tensor,
    Term,
    Theory,
    at_least,
    equal,
    fresh,
    guard,
    less,
    quotient,
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
    exact_quotient,
    factors,
    places,
    put,
    real,
)
from derivations.notes import Note
from derivations.provers.instance import at_sizes


class NotComparable(Exception):
    """Code and equation that speak of different things: names without a partner, shapes that do not fit."""


@dataclass(frozen=True)
class Target:
    """A symbol that the document defines."""

    head: str
    definitions: tuple[Definition, ...]
    finding: Finding
    block: int
    number: str | None = None

    @property
    def stem(self) -> str:
        return self.head.split("#")[0]

    @property
    def shape(self) -> tuple[Index, ...]:
        shape = self.definitions[0].shape
        if shape is None:
            raise NotComparable(f"the shape of {self.head} is not known")
        return shape

    def at(self, number: int) -> Target | None:
        """The member with a written number of a family: $q^{(2)}$ of $q^{(i)} = x^{(i)} W_q$."""
        place = Index.of(number - self.finding.bases.get(self.stem, 1))
        found = []
        for d in self.definitions:
            if d.tensors or not d.indices or place.const < 0:
                return None
            first = d.indices[0]
            if first.is_constant and first is place:
                found.append(d)
            elif first.plain and first.terms and first is Index.var(min(first.free)) and not d.condition:
                body = substitute(rename_apart(d.body, frozenset()), {min(first.free): place})
                found.append(replace(d, indices=(place, *d.indices[1:]), body=body))
        return replace(self, definitions=tuple(found), number=str(number)) if len(found) == 1 else None


@dataclass
class Symbols:
    """The names of a document: what it defines, what it is given, and where."""

    theory: Theory
    targets: list[Target] = field(default_factory=list)
    called: Sequence[tuple[str, str, int]] = ()
    """Code names that the text puts beside a symbol (`inputs`: $x_i$): (code name, stem, block)."""
    bases: Mapping[str, int] = field(default_factory=dict)
    """The number from which the document counts the members of a name."""

    @classmethod
    def of(
        cls, document: Document, findings: Sequence[Finding], called: Sequence[tuple[str, str, int]] = ()
    ) -> Symbols:
        tensors: dict[str, Tensor] = {}
        definitions: dict[str, tuple[Definition, ...]] = {}
        made: dict[str, tuple[Finding, int]] = {}
        for f in findings:
            tensors.update(f.theory.tensors)
            definitions.update(f.theory.definitions)
            if f.status == "defined" and f.definition is not None and f.definition.name not in made:
                block = document.block_of(document.spans[f.span]).index if f.span >= 0 else -1
                made[f.definition.name] = (f, block)
        theory = Theory({k: t for k, t in tensors.items() if k not in definitions}, definitions)
        targets = [Target(h, definitions[h], f, b) for h, (f, b) in made.items() if h in definitions]
        bases = {stem: base for f in findings for stem, base in f.bases.items()}
        return cls(theory, targets, called, bases)

    def named(self, name: str) -> list[Target]:
        """The definitions of a name: put beside it by the text, spelled exactly so, else up to spelling."""
        beside = [t for t in self.targets if t.finding.code_name == name]
        if beside:
            return beside
        exact = [t for t in self.targets if t.stem == name]
        found = exact or [t for t in self.targets if spelled(t.stem) == spelled(name)]
        base, _, index = name.rpartition("_")
        if not found and base and len(index) == 1 and index.isalpha():  # head_i, for any i
            found = [
                t for t in self.targets if base == t.stem and any(index in i.free for i in t.definitions[0].indices)
            ]
        return found

    def loosely(self, name: str) -> list[Target]:
        """What a name may stand for that no symbol is called: `keys` for $k$, `query_2` for $q^{(2)}$."""
        base, number = numbered(name)
        letter = ALIASES.get(spelled(base))
        if letter is None and number is None:
            return []
        found = [t for t in self.targets if spelled(t.stem) == (letter or spelled(base))]
        if len({t.head for t in found}) != 1:
            return []
        if number is None:
            return found
        return [t for x in found if (t := x.at(number)) is not None]

    def by_initials(self, name: str) -> list[Target]:
        """The symbols that a function may compute whose name it spells out: `positional_encoding` for $PE$."""
        short = initials(name)
        found = (
            [t for t in self.targets if len(spelled(t.stem)) > 1 and short.endswith(spelled(t.stem))] if short else []
        )
        return found if len({t.head for t in found}) == 1 else []

    def partner(
        self, name: str, block: int, under: frozenset[str] = frozenset(), origin: str = ""
    ) -> tuple[str, tuple[Index, ...]] | None:
        """The symbol that a code input stands for, at this place of the document, with its shape.

        Symbols in `under`, that the equation rests on, come first.  The parameters of a layer are given tensors only:
        a layer called `key` holds $W_k$, not $k$.
        """
        for same in self._candidates(name, block, origin):
            found = [(h, b) for h, b in same if self.theory.shape(h) is not None and not self._is_function(h)]
            if not found:
                continue
            found = [(h, b) for h, b in found if h in under] or found
            if len({h.split("#")[0] for h, _ in found}) != 1:
                return None
            before = [hb for hb in found if hb[1] < block]
            head = max(before, key=lambda hb: hb[1])[0] if before else found[0][0]
            shape = self.theory.shape(head)
            return None if shape is None else (head, shape)
        return None

    def _candidates(self, name: str, block: int, origin: str) -> Iterable[list[tuple[str, int]]]:
        """The symbols of a name, the surest ones first."""
        if origin in ("layer", "bias"):
            for same in (self._exactly(name), self._spelled(name), self._weight(name, origin)):
                yield [(h, b) for h, b in same if h in self.theory.tensors]
            return
        yield from (self._called(name, block), self._exactly(name), self._spelled(name), self._alias(name))
        yield self._weight(name, origin)

    def joined(self, name: str, origin: str, under: frozenset[str]) -> list[str]:
        """The given weights of queries, keys and values that one matrix of the code holds side by side."""
        order = JOINED.get(weight_of(name, layer=origin == "layer") or "", "")
        found = [[h for h in self.theory.tensors if h in under and weight_of(h) == role] for role in order]
        return [one[0] for one in found] if found and all(len(one) == 1 for one in found) else []

    def _weight(self, name: str, origin: str) -> list[tuple[str, int]]:
        """The given weights with the role that the name tells: `W_query`, or a layer `query`, for $W_q$."""
        if origin == "bias":
            role = weight_of(name.removesuffix(".bias"), layer=True)
            return [] if role is None else [(h, b) for h, b in self._all() if spelled(h) in (f"b{role}", f"beta{role}")]
        role = weight_of(name, layer=origin == "layer")
        if role is None:
            return []
        return [(h, b) for h, b in self._all() if h in self.theory.tensors and weight_of(h) == role]

    def given_member(self, name: str) -> tuple[str, Index, tuple[Index, ...]] | None:
        """A given name, the place of the member that a code name speaks of, and its shape: `q_2` for $q^{(2)}$."""
        base, number = numbered(name)
        letter = ALIASES.get(spelled(base), spelled(base))
        found = [h for h in self.theory.tensors if spelled(h) == letter]
        if number is None or len(found) != 1:
            return None
        head, place = found[0], number - self.bases.get(found[0].split("#")[0], 1)
        shape = self.theory.tensors[head].shape
        return None if len(shape) < 2 or place < 0 else (head, Index.of(place), shape[1:])

    def _is_function(self, head: str) -> bool:
        return any(d.tensors for d in self.theory.definitions.get(head, ()))

    @property
    def supposed(self) -> frozenset[str]:
        """Names of which the text only says what they are like: a one-hot vector, a permutation matrix."""
        return frozenset(self.theory.definitions) - {t.head for t in self.targets}

    def _all(self) -> Iterable[tuple[str, int]]:
        yield from ((h, -1) for h in (*self.theory.tensors, *sorted(self.supposed)))
        yield from ((t.head, t.block) for t in self.targets)

    def _called(self, name: str, block: int) -> list[tuple[str, int]]:
        before = [(b, stem) for code, stem, b in self.called if code == name and b < block]
        if not before:
            return []
        _, stem = max(before)
        return [(h, b) for h, b in self._all() if h.split("#")[0] == stem]

    def is_given(self, name: str, rank: int, block: int) -> bool:
        """Whether the document takes a name as given: its equations speak of any value of it."""
        for same in (self._called(name, block), self._exactly(name), self._alias(name)):
            if same:
                given = {*self.theory.tensors, *self.supposed}
                return len(same) == 1 and any(h in given and len(self.theory.shape(h) or ()) == rank for h, _ in same)
        own = [t for x in self.targets for d in x.definitions for t in d.tensors if t.name == name]
        if own:
            return all(len(t.shape) == rank for t in own)
        member = self.given_member(name)
        return member is not None and len(member[2]) == rank

    def may_be_given(self, name: str, rank: int, block: int) -> bool:
        """Whether some symbol of such a name is given, whatever else is called so."""
        same = [*self._called(name, block), *self._spelled(name), *self._alias(name)]
        return any(h in self.theory.tensors and len(self.theory.tensors[h].shape) == rank for h, _ in same)

    def _exactly(self, name: str) -> list[tuple[str, int]]:
        return [(h, b) for h, b in self._all() if h.split("#")[0] == name]

    def _spelled(self, name: str) -> list[tuple[str, int]]:
        return [(h, b) for h, b in self._all() if spelled(h) == spelled(name)]

    def _alias(self, name: str) -> list[tuple[str, int]]:
        letter = ALIASES.get(spelled(name))
        return [] if letter is None else [(h, b) for h, b in self._all() if spelled(h) == letter]

    def size_names(self) -> frozenset[str]:
        """All sizes that the document speaks of."""
        found: set[str] = set()
        for t in self.theory.tensors.values():
            found |= {s for i in t.shape for s in i.sizes}
        for rows in self.theory.definitions.values():
            for d in rows:
                found |= term_sizes(d.body) | {s for i in (*d.indices, *(d.shape or ())) for s in i.sizes}
        return frozenset(found)

    def under(self, head: str, stop: frozenset[str] = frozenset()) -> frozenset[str]:
        """The names that a symbol depends on, itself included, not through those in `stop`."""
        seen: set[str] = set()
        todo = [head]
        while todo:
            h = todo.pop()
            if h in seen or h in stop:
                continue
            seen.add(h)
            for d in self.theory.definitions.get(h, ()):
                todo += d.body.heads - {t.name for t in d.tensors}
        return frozenset(seen)

    def declared_shape(self, argument: Tensor) -> tuple[Index, ...] | None:
        """The shape that the document gives to the array with the name of an argument."""
        declared = self.theory.tensors.get(argument.name)
        return declared.shape if declared is not None and len(declared.shape) == len(argument.shape) else None

    def ties_lengths(self, target: Target) -> bool:
        """Whether the document gives equal lengths to arguments of a function whose equation lets them be any."""
        tensors = target.definitions[0].tensors
        own = [s for t in tensors for s in t.shape]
        declared = [s for t in tensors for s in self.declared_shape(t) or t.shape]
        return [own.index(s) for s in own] != [declared.index(s) for s in declared]

    def given_of(self, head: str) -> frozenset[str]:
        """The given tensors that a symbol depends on."""
        return self.under(head) & self.theory.tensors.keys()

    def bare_of(self, head: str) -> frozenset[str]:
        """The sizes that a symbol's definitions use as numbers and that are the length of no axis under it."""
        rows = self.definitions_under(head)
        shapes = [t.shape for d in rows for t in d.tensors] + [d.shape or () for d in rows]
        shapes += [self.theory.tensors[h].shape for h in self.given_of(head)]
        lengths = {s for shape in shapes for i in shape for s in i.sizes}
        return frozenset(s for d in rows for s in term_sizes(d.body)) - lengths

    def sizes_in(self, head: str) -> frozenset[str]:
        """The sizes that the definitions of a symbol speak of, other than as its own lengths."""
        return frozenset(s for d in self.definitions_under(head) for s in term_sizes(d.body))

    def in_order(self, head: str) -> list[str]:
        """The given tensors that a symbol depends on, in the order in which its definitions write them."""
        found: list[str] = []
        for d in self.definitions_under(head):
            for t in subterms(d.body):
                if isinstance(t, Entry) and t.name in self.theory.tensors and t.name not in found:
                    if t.name not in {x.name for x in d.tensors}:
                        found.append(t.name)
        return found

    def sizes_given(self, head: str) -> frozenset[str]:
        """The sizes of the given tensors that a symbol depends on: the document has one value of each."""
        return frozenset(s for h in self.given_of(head) for i in self.theory.tensors[h].shape for s in i.sizes)

    def definitions_under(self, head: str) -> list[Definition]:
        """The definitions that a symbol rests on, its own included."""
        return [d for h in self.under(head) for d in self.theory.definitions.get(h, ())]

    def findings_under(self, target: Target) -> list[Finding]:
        """The definitions that a target rests on, itself included."""
        seen = self.under(target.head)
        return [t.finding for t in self.targets if t.head in seen]


@dataclass(frozen=True)
class Alignment:
    """How an array of the code stands to a symbol: leading axes more, axes of size 1 more, another order."""

    batch: int
    axes: tuple[int, ...]
    """The code axis for each axis of the symbol."""
    permuted: bool = False


def align(code: Sequence[Index], own: Sequence[Index], batch: int | None = None) -> Alignment:
    """Match the axes of a code array with those of a symbol.

    Axes go one to one in order; leading axes of the code are carried along, axes of size 1 are dropped.  Sizes of the
    same names in another order mean that the code keeps its axes in that order.
    """
    one = Index.of(1)
    kept = list(range(len(code)))
    if len(code) > len(own):
        small = [k for k in kept if code[k] is one]
        more = len(code) - len(own)
        if len(small) >= more and not (batch and len(code) == len(own) + batch):
            for k in small[:more]:
                kept.remove(k)
    lead = len(kept) - len(own)
    if lead < 0:
        raise NotComparable(f"the code has {len(code)} axes, the equation {len(own)}")
    axes = kept[lead:]
    names, others = [str(code[k]).rstrip("'") for k in axes], [str(s) for s in own]
    if names != others and sorted(names) == sorted(others) and len(set(names)) == len(names) > 1:
        return Alignment(lead, tuple(axes[names.index(s)] for s in others), True)
    return Alignment(lead, tuple(axes))


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


def member_index(target: Target) -> str | None:
    """The first index of a family that one rule defines for all members."""
    d = target.definitions[0]
    if len(target.definitions) != 1 or d.tensors or len(d.indices) < 2 or not d.indices[0].free:
        return None
    v = min(d.indices[0].free)
    return v if d.indices[0] is Index.var(v) else None


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
                relink[head] = _joined(
                    sizes, [(h, symbols.theory.tensors[h].shape) for h in joined], shapes[head], mixed
                )
                packed = True
                continue
            one = symbols.given_member(given.name) if partner is None and given.name else None
            if one is not None and len(one[2]) == len(shapes[head]):
                relink[head] = _member(one[0], one[1], len(one[2]))
                for own_size, s in zip(shapes[head], one[2], strict=True):
                    sizes.require(own_size, s, f"{given.name} and {one[0]}")
                continue
            if partner is None:
                unlinked.append(given.name or "an unnamed array")
                code_names[head] = _free_name(given.name or "input", symbols.theory, tensors)
                tensors[code_names[head]] = Tensor(code_names[head], shapes[head])
                relink[head] = _renamed(code_names[head], len(shapes[head]))
                continue
            label, wanted = partner
        if partner is not None:
            if partner[0] in taken:
                raise NotComparable(f"two values of the code are called {given.name}")
            taken.add(partner[0])
        if partner is not None and len(shapes[head]) == 2 and len(wanted) == 3 and member is None:
            relink[head] = _side_by_side(sizes, partner[0], shapes[head], wanted, mixed)
            packed = True
            continue
        if partner is not None and member is not None and len(wanted) == len(shapes[head]) + 1:
            if wanted[0] is not target.shape[0]:
                raise NotComparable(f"{given.name} has {len(shapes[head])} axes, {label} {len(wanted)}")
            relink[head] = _member(partner[0], Index.var(member), len(shapes[head]))
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
            relink[head] = _picked(partner[0], len(shapes[head]), found.axes)
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
        relink[head] = _picked(name, len(shapes[head]), kept)
        inner = _batched(name, found, kept)
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
                arguments[k] = _batched(name, Alignment(0, tuple(range(len(wanted)))), list(range(len(wanted))))
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


HEADS = frozenset({"h", "heads", "nheads", "nhead", "numheads", "numattentionheads", "nh"})
"""What code calls the number of heads, in the spelling of `spelled`."""


def _side_by_side(sizes: Sizes, name: str, code: Sequence[Index], wanted: Sequence[Index], mixed: bool) -> Lambda:
    """A matrix of the code whose columns are the columns of the matrices of all heads, one head after the other.

    With `mixed` the columns are those of all heads for the first channel, then for the second one.
    """
    heads, width, total = wanted[0], wanted[2], sizes.resolve(code[1])
    sizes.require(code[0], wanted[1], f"{name} and its columns")
    for atom in factors(total):
        if len(factors(total)) == 2 and spelled(atom.name.rstrip("'")) in {*HEADS, spelled(str(heads))}:
            sizes.require(Index(((atom, 1),)), heads, f"the heads of {name}")
    sizes.require(total, heads * width, f"{name} and its columns")
    by = sizes.resolve(heads if mixed else width)
    column = Index.var("p1")
    whole, rest = quotient(column, by), column - by * quotient(column, by)
    return Lambda(
        ("p0", "p1"), Entry(name, [rest, Index.var("p0"), whole] if mixed else [whole, Index.var("p0"), rest])
    )


def _joined(sizes: Sizes, parts: Sequence[tuple[str, tuple[Index, ...]]], code: Sequence[Index], mixed: bool) -> Lambda:
    """A matrix of the code whose columns are those of several matrices, one after the other, each with all its heads."""
    total = sizes.resolve(code[1])
    whole = exact_quotient(total, Index.of(len(parts)))
    if whole is None:
        raise NotComparable(f"{total} columns are not those of {len(parts)} matrices")
    cases: list[tuple[Guard, Term]] = []
    for k, (name, shape) in enumerate(parts):
        if len(shape) == 3:
            one = _side_by_side(sizes, name, (code[0], whole), shape, mixed)
        else:
            for a, b in zip((code[0], whole), shape, strict=True):
                sizes.require(a, b, name)
            one = Lambda(("p0", "p1"), Entry(name, [Index.var("p0"), Index.var("p1")]))
        column = Index.var("p1")
        there = substitute(one.body, {"p1": column - k * sizes.resolve(whole)})
        cases.append((guard(equal(_part(sizes, column, whole, shape, mixed), k)), there))
    return Lambda(("p0", "p1"), Case(cases[:-1], cases[-1][1]))


def _part(sizes: Sizes, column: Index, whole: Index, shape: Sequence[Index], mixed: bool) -> Index:
    """In which of several matrices a column lies; by heads where they have some, as the code cuts it."""
    if len(shape) != 3:
        return quotient(column, sizes.resolve(whole))
    inner, outer = (shape[0], shape[2]) if mixed else (shape[2], shape[0])
    return quotient(quotient(column, sizes.resolve(inner)), sizes.resolve(outer))


def loose_sizes(d: Definition, also: frozenset[str] = frozenset()) -> list[str]:
    """Sizes of a definition that neither its arguments nor its own shape tell, nor what else it rests on (`also`)."""
    told = (
        {*also} | {s for t in d.tensors for i in t.shape for s in i.sizes} | {s for i in d.shape or () for s in i.sizes}
    )
    return [s for s in d.sizes if s not in told] if any(t.shape for t in d.tensors) else []


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


def _renamed(name: str, rank: int) -> Lambda:
    return _picked(name, rank, range(rank))


def _picked(name: str, rank: int, axes: Iterable[int]) -> Lambda:
    params = tuple(f"p{k}" for k in range(rank))
    return Lambda(params, Entry(name, [Index.var(params[k]) for k in axes]))


def _member(name: str, place: Index, rank: int) -> Lambda:
    """The member of a family at a place, as an array of its own."""
    params = tuple(f"p{k}" for k in range(rank))
    return Lambda(params, Entry(name, [place, *map(Index.var, params)]))


def batch_variable(k: int) -> str:
    return f"b{k}"


def _batched(name: str, found: Alignment, kept: Sequence[int]) -> Lambda:
    """The tensor of the equation, as the entries of the code's array at a fixed place of its leading axes."""
    params = tuple(f"p{k}" for k in range(len(found.axes)))
    at = {axis: Index.var(params[n]) for n, axis in enumerate(found.axes)}
    return Lambda(params, Entry(name, [at[k] if k in at else Index.var(batch_variable(k)) for k in kept]))


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


def unfolded(t: Term, theory: Theory, stop: frozenset[str], limit: int = 40) -> Term:
    """The term with definitions put in, down to the symbols in `stop`."""
    if not limit or t.heads.isdisjoint(theory.definitions.keys() - stop):
        return t
    if isinstance(t, Entry) and t.name in theory.definitions and t.name not in stop:
        cases: list[tuple[Guard, Term]] = []
        for d in theory.definitions[t.name]:
            found = instance(d, t, t.free)
            if found is None:
                continue
            body = unfolded(found[0], theory, stop, limit - 1)
            if not found[1]:
                return Case(cases, body) if cases else body
            cases.append((found[1], body))
        if len(cases) > 1 and _complete([g for g, _ in cases]):
            return Case(cases[:-1], cases[-1][1])
        return t
    if isinstance(t, Entry) and t.args:
        lambdas = [Lambda(a.params, unfolded(a.body, theory, stop, limit)) for a in t.args]
        return Entry(t.name, t.indices, lambdas, t.sizes)
    return t.with_children([unfolded(c, theory, stop, limit) for c in t.children]) if t.children else t


def _complete(guards: Sequence[Guard]) -> bool:
    """Whether single conditions cover all indices: j <= i and i < j."""
    last = guards[-1]
    return len(last) == 1 and any(len(g) == 1 and last[0].negations() == (g[0],) for g in guards[:-1])


def with_definitions_put_in(s: Statement, theory: Theory) -> Statement:
    """The statement with the left side unfolded, definitions by cases joined."""
    return replace(s, left=unfolded(s.left, theory, frozenset()))


def blocks_places(t: Term) -> bool:
    """Whether a definition leaves out places: minus infinity, a bracket, a sum up to another index."""
    if has_minus_infinity(t) or any(isinstance(x, Bracket) for x in subterms(t)):
        return True
    return any(len(c.free) > 1 for x in subterms(t) if isinstance(x, Sum) for c in x.guard)


def has_minus_infinity(t: Term) -> bool:
    return any(isinstance(x, NegInfinity) for x in subterms(t))


__all__ = ["Comparison", "Links", "NotComparable", "NotLifted", "Symbols", "Target", "compare", "shown", "spelled"]
