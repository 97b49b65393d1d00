"""The names of a document: what it defines, what it is given, where, and which of them a name of the code is."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from derivations.code.compare.spelling import ALIASES, JOINED, initials, numbered, spelled, spells, weight_of
from derivations.documents.model.document import Document
from derivations.documents.model.finding import Finding
from derivations.language.statement import Definition, Statement, Tensor, Theory
from derivations.language.substitution import labels_of, rename_apart, substitute, subterms, term_sizes
from derivations.language.term import Apply, Case, Derivative, Entry, Index, Sum, Term, at_least
from derivations.latex.syntax.letters import FAMILY

LOGITS = frozenset({"logits", "logit"})
"""What code calls an array that a softmax is taken of."""
STATED = "stated~"
"""How the names of ours begin for the sides of equations."""


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
    is_stated: bool = False
    """Whether it is one side of an equation that the document states of its symbols, under a name of ours."""

    @property
    def stem(self) -> str:
        return self.head.split("#")[0]

    @property
    def shape(self) -> tuple[Index, ...]:
        shape = self.definitions[0].shape
        if shape is None:
            raise NotComparable(f"the shape of {self.head} is not known")
        return shape

    @property
    def index_names(self) -> tuple[str, ...]:
        """The letters of its indices that are nothing but a letter: the y of `\\ell_y = -\\log p_y`."""
        own = (i for d in self.definitions if not d.tensors for i in d.indices)
        return tuple(dict.fromkeys(v for i in own for v in i.free if i is Index.var(v)))

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
    named_sizes: frozenset[str] = frozenset()
    """The lengths that the document has a name for; others are ours."""
    said: Sequence[tuple[tuple[str, ...], str, int]] = ()
    """Words that the text puts before a symbol, `the update gate` before $z_t$: (words, stem, block)."""
    stated: Sequence[Target] = ()
    """The sides of the equations that it states of its symbols."""

    @classmethod
    def of(
        cls,
        document: Document,
        findings: Sequence[Finding],
        called: Sequence[tuple[str, str, int]] = (),
        named_sizes: frozenset[str] = frozenset(),
        said: Sequence[tuple[tuple[str, ...], str, int]] = (),
    ) -> Symbols:
        tensors: dict[str, Tensor] = {}
        definitions: dict[str, tuple[Definition, ...]] = {}
        made: dict[str, tuple[Finding, int]] = {}
        for f in findings:
            if any(note.kind == "put-in" for note in f.assumptions):
                continue  # its lengths and names have the values of an example
            tensors.update(f.theory.tensors)
            for head, rows in f.theory.definitions.items():  # a start may be told after the step that needs it
                if len(rows) >= len(definitions.get(head, ())):
                    definitions[head] = rows
            if f.status == "defined" and f.definition is not None and f.definition.name not in made:
                block = document.block_of(document.spans[f.span]).index if f.span >= 0 else -1
                made[f.definition.name] = (f, block)
        targets = [Target(h, definitions[h], f, b) for h, (f, b) in made.items() if h in definitions]
        stated = list(stated_sides(document, findings))
        declared = {k: t for k, t in tensors.items() if k not in definitions}
        theory = Theory(declared, definitions | {t.head: t.definitions for t in stated})
        bases = {stem: base for f in findings for stem, base in f.bases.items()}
        return cls(theory, targets, called, bases, named_sizes, said, stated)

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
                t
                for t in self.targets
                if base == t.stem and any(index in i.free for d in t.definitions for i in d.indices)
            ]
        return found

    def loosely(self, name: str) -> list[Target]:
        """What a name may stand for that no symbol is called: `keys` for $k$, `query_2` for $q^{(2)}$, `gate` for a gate $z$."""
        base, number = numbered(name)
        letter = ALIASES.get(spelled(base))
        if letter is None and number is None:
            heads = {h for h, _ in self._said(name)}
            return [t for t in self.targets if t.head in heads]
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
        choices = []
        for same in self._candidates(name, block, origin):
            known = [(h, b) for h, b in same if self.theory.shape(h) is not None and not self._is_function(h)]
            choices += [known] if known else []
        used = [own for c in choices if (own := [(h, b) for h, b in c if h in under])]
        for found in (*used[:1], *choices[:1]):  # v for the V of the equation, whatever else is called v
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
        yield from (self._called(name, block), self._exactly(name), self._exactly(name + FAMILY))
        yield from (self._spelled(name), self._alias(name))
        yield self._weight(name, origin)
        yield self._said(name)
        yield self._logits(name)

    def _logits(self, name: str) -> list[tuple[str, int]]:
        r"""The symbols that a softmax is taken of, for what code calls logits: the x of `e^{x_i} / \sum_j e^{x_j}`."""
        if spelled(name) not in LOGITS:
            return []
        found = {h for own in self.theory.definitions.values() for d in own for h in normalised_in(d.body)}
        return [(h, b) for h, b in self._all() if h in found]

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

    def member_of_rule(self, name: str, target: Target) -> tuple[str, Index, tuple[Index, ...]] | None:
        r"""The name, the place of the member and its shape that a code name speaks of in the rule of a family: `x_t` and
        `alpha_bar_tm1` for $x_t$ and $\bar\alpha_{t-1}$, and `x_0` for $x_0$."""
        index = member_index(target, 1)
        found = re.fullmatch(r"(.*[A-Za-z])_([0-9]+|[a-z]+?)(m1|_?minus_?1|p1|_?plus_?1)?", name)
        if index is None or found is None or not (found.group(2) == index or found.group(2).isdigit()):
            return None
        is_number, tail = found.group(2).isdigit(), (found.group(3) or "").strip("_")
        shift = int(found.group(2)) if is_number else {"": 0, "m": -1, "p": 1}[tail[:1]]
        start = self._start_of(target.head)
        for t in subterms(target.definitions[0].body):
            if (
                not isinstance(t, Entry)
                or t.args
                or not t.indices
                or spelled(t.name.split("#")[0]) != spelled(found.group(1))
            ):
                continue
            shape, beyond = self.theory.shape(t.name), t.indices[0] if is_number else t.indices[0] - Index.var(index)
            if shape is None or len(shape) != len(t.indices) or not beyond.is_constant:
                continue
            if beyond.const + self._start_of(t.name) - (0 if is_number else start) == shift:
                return t.name, t.indices[0], shape[1:]
        return None

    def _start_of(self, head: str) -> int:
        """The number that the first index of a name starts from."""
        stem = head.split("#")[0]
        return self.bases.get(f"{head}@0", self.bases.get(f"{stem}@0", self.bases.get(head, self.bases.get(stem, 1))))

    def numbered_entry(self, name: str, head: str) -> Entry | None:
        r"""The entry of a list of numbers that a code name speaks of, `beta1` for $\beta_1$, where a symbol is made of it."""
        found = re.fullmatch(r"(.*[A-Za-z])_?([0-9]{1,3})", name)
        if found is None:
            return None
        letter, number = spelled(found.group(1)), int(found.group(2))
        for d in self.definitions_under(head):
            for t in subterms(d.body):
                if isinstance(t, Entry) and t.name in self.theory.tensors and spelled(t.name) == letter:
                    place = number - self.bases.get(t.name.split("#")[0], 1)
                    if len(t.indices) == 1 and t.indices[0] is Index.of(place):
                        return t
        return None

    def _is_function(self, head: str) -> bool:
        return any(d.tensors for d in self.theory.definitions.get(head, ()))

    @property
    def supposed(self) -> frozenset[str]:
        """Names of which the text only says what they are like: a one-hot vector, a permutation matrix."""
        return frozenset(self.theory.definitions) - {t.head for t in (*self.targets, *self.stated)}

    @property
    def arranged(self) -> frozenset[str]:
        r"""Names that only put given numbers in places of their own: $X = [x_1, x_2, x_3]$.  They have any value."""
        return frozenset(t.head for t in self.targets if self._arranges(t.definitions))

    def _arranges(self, definitions: tuple[Definition, ...]) -> bool:
        """Whether each of a written number of places has an entry of its own of what is given."""
        row, body = definitions[0], definitions[0].body
        if len(definitions) != 1 or row.tensors or not row.shape or not all(n.is_constant for n in row.shape):
            return False
        entries = body.children if isinstance(body, Case) else (body,)
        given = {e for e in entries if isinstance(e, Entry) and e.name in self.theory.tensors and not e.free}
        return len(given) == len(entries) == prod(n.const for n in row.shape)

    def _all(self) -> Iterable[tuple[str, int]]:
        yield from ((h, -1) for h in (*self.theory.tensors, *sorted(self.supposed)))
        yield from ((t.head, t.block) for t in self.targets)

    def _called(self, name: str, block: int) -> list[tuple[str, int]]:
        before = [(b, stem) for code, stem, b in self.called if code == name and b < block]
        if not before:
            return []
        _, stem = max(before)
        return [(h, b) for h, b in self._all() if h.split("#")[0] == stem]

    def _said(self, name: str) -> list[tuple[str, int]]:
        """The symbol before which the text has the words that a name of the code spells; none where there are several."""
        stems = {stem for words, stem, _ in self.said if spells(name, words)}
        return [(h, b) for h, b in self._all() if h.split("#")[0] in stems] if len(stems) == 1 else []

    def is_given(self, name: str, rank: int, block: int) -> bool:
        """Whether the document takes a name as given: its equations speak of any value of it."""
        for same in (self._called(name, block), self._exactly(name), self._alias(name)):
            if same:
                given = {*self.theory.tensors, *self.supposed, *self.arranged}
                return all(h in given and len(self.theory.shape(h) or ()) == rank for h, _ in same)
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
                todo += (d.body.heads | labels_of(d.body).keys()) - {t.name for t in d.tensors}
        return frozenset(seen)

    def starts_under(self, head: str) -> frozenset[str]:
        """The names that only the first members of recurrences under a symbol are made of: no step needs them."""
        rules: set[str] = set()
        starts: set[str] = set()
        for h in self.under(head):
            rows = self.theory.definitions.get(h, ())
            rule = rule_of(rows) if any(h in d.body.heads for d in rows) else None
            for d in rows:
                (starts if rule is not None and d is not rule else rules).update(d.body.heads)
        return frozenset(starts - rules)

    def labels_under(self, head: str) -> dict[str, Index]:
        """The labels that a symbol rests on, each with the length of the axis that it lies on."""
        found: dict[str, Index] = {}
        for d in self.definitions_under(head):
            found |= labels_of(d.body)
        return found

    def declared_shape(self, argument: Tensor) -> tuple[Index, ...] | None:
        """The shape that the document gives to the array with the name of an argument."""
        declared = self.theory.tensors.get(argument.name)
        return declared.shape if declared is not None and len(declared.shape) == len(argument.shape) else None

    def declared_lengths(self, target: Target) -> dict[str, frozenset[str]]:
        """For each length of a function's arguments what the document calls it, where it declares these arguments."""
        found: dict[str, set[str]] = {}
        for t in target.definitions[0].tensors:
            for own, declared in zip(t.shape, self.declared_shape(t) or (), strict=False):
                if len(own.sizes) == len(declared.sizes) == 1:
                    found.setdefault(min(own.sizes), set()).update(declared.sizes)
        return {s: frozenset(names) for s, names in found.items()}

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
            found += [name for name in labels_of(d.body) if name in self.theory.tensors and name not in found]
        return found

    def shape(self, head: str) -> tuple[Index, ...]:
        """The axes of a symbol; of one of which nothing is known, none."""
        return self.theory.shape(head) or ()

    def written_in(self, head: str) -> list[str]:
        """The symbols with values that the definitions of a symbol themselves write, in their order."""
        own = self.theory.definitions.get(head, ())
        found = [t.name for d in own for t in subterms(d.body) if isinstance(t, Entry)]
        arguments = {t.name for d in own for t in d.tensors}
        known = (h for h in dict.fromkeys(found) if h != head and h not in arguments and not self._is_function(h))
        return [h for h in known if self.theory.shape(h) is not None]

    def left_for(self, count: int, head: str, taken: Collection[str]) -> list[str]:
        """The symbols that some parameters of code may stand for, but for those in `taken`.

        All given ones; where these are not as many as the parameters, and what the equation itself writes is, that.
        """
        given, written = self._left(self.in_order(head), taken), self._left(self.written_in(head), taken)
        return written if len(written) == count != len(given) else given

    def may_stand_for_others(self, count: int, head: str, taken: Collection[str]) -> bool:
        """Whether what the equation itself writes, and what that is made of, are as many as the parameters of code."""
        given, written = self._left(self.in_order(head), taken), self._left(self.written_in(head), taken)
        return len(written) == len(given) == count and set(written) != set(given)

    @staticmethod
    def _left(heads: Iterable[str], taken: Collection[str]) -> list[str]:
        return [h for h in heads if h not in taken]

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


def normalised_in(body: Term) -> frozenset[str]:
    r"""The names whose entries a body has in `e^x` alone, and in a sum of these: the x of `e^{x_i} / \\sum_j e^{x_j}`."""
    summed = {h for t in subterms(body) if isinstance(t, Sum) for u in subterms(t) if (h := _power_of_e(u)) is not None}
    return frozenset(summed - set(_outside_of_powers(body)))


def _power_of_e(t: Term) -> str | None:
    """The x of `e^{x_i}`."""
    return t.arg.name if isinstance(t, Apply) and t.function == "exp" and isinstance(t.arg, Entry) else None


def _outside_of_powers(t: Term) -> Iterator[str]:
    """The names of entries that stand elsewhere."""
    if isinstance(t, Entry):
        yield t.name
    for child in t.children if _power_of_e(t) is None else ():
        yield from _outside_of_powers(child)


def stated_sides(document: Document, findings: Iterable[Finding]) -> Iterator[Target]:
    """The sides of equations without hypotheses that are more than a symbol, as definitions of names of ours.

    One that is known to be false is none; of a derivative there is only what it is equal to.
    """
    for f in findings:
        claim = f.statements[0] if f.kind == "claim" and len(f.statements) == 1 else None
        if claim is None or claim.relation != "=" or claim.hypotheses or f.status == "refuted" or f.span < 0:
            continue
        shape = box_of(claim)
        block = document.block_of(document.spans[f.span]).index
        for k, side in enumerate((claim.left, claim.right) if shape is not None else ()):
            if side.children and not isinstance(side, Derivative):
                head = f"{STATED}{f.position}~{k}"
                d = Definition(head, tuple(map(Index.var, claim.indices)), side, shape=shape)
                yield Target(head, (d,), f, block, is_stated=True)


def box_of(claim: Statement) -> tuple[Index, ...] | None:
    """The lengths of the axes that the indices of a statement run along; None where these are no whole axes."""
    left = set(claim.guard)
    shape: list[Index] = []
    for v in claim.indices:
        own = [c for c in left if v in c.index.free]
        ends = [e for c in own if not (e := c.index + Index.var(v) + 1).free and c.relation == ">="]
        if len(own) != 2 or at_least(Index.var(v), 0) not in own or len(ends) != 1:
            return None
        left -= set(own)
        shape.append(ends[0])
    return tuple(shape) if not any(c.index.free for c in left) else None


def loose_sizes(d: Definition, also: frozenset[str] = frozenset()) -> list[str]:
    """Sizes of a definition that neither its arguments nor its own shape tell, nor what else it rests on (`also`)."""
    told = (
        {*also} | {s for t in d.tensors for i in t.shape for s in i.sizes} | {s for i in d.shape or () for s in i.sizes}
    )
    return [s for s in d.sizes if s not in told] if any(t.shape for t in d.tensors) else []


def member_index(target: Target, fewest: int = 2) -> str | None:
    """The first index of a family that one rule defines for all members; its members are arrays, or numbers with `fewest` 1."""
    d = target.definitions[0]
    if len(target.definitions) != 1 or d.tensors or len(d.indices) < fewest or not d.indices[0].free:
        return None
    v = min(d.indices[0].free)
    return v if d.indices[0] is Index.var(v) else None


def rule_of(definitions: Iterable[Definition]) -> Definition | None:
    """The one rule of a definition that gives a member for any place of its first axis; others give the start."""
    rules = [d for d in definitions if d.indices and d.indices[0].free]
    if len(rules) != 1:
        return None
    first = rules[0].indices[0]
    is_counted = len(first.free) == 1 and (first - Index.var(min(first.free))).is_constant
    return rules[0] if is_counted else None


def step_index(target: Target) -> str | None:
    """The variable of the rule that gives one step of a recurrence."""
    rule = rule_of(target.definitions)
    return None if rule is None else min(rule.indices[0].free)
