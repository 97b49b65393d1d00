r"""`\sum_{x \in \mathcal{X}} p(x) \log p(x)`: functions of the members of finite sets are families of numbers.

What a sum runs over is a finite list, and a function of its members is a list of values: `p(x)` is written `p_x` then, and
`p(y \mid x)`, `P(s' \mid s, a)` likewise.  A function is read so where each of its calls has names alone as arguments, and
each place is one of members: it takes a name that a sum binds there, or the names of a place that does.

A law names what it is the law of by its arguments: beside the joint law `p(x, y)` the marginal laws `p(x)` and `p(y)` are
two, as are `p(x \mid y)` and `p(y \mid x)`.  That a name is one of laws is shown by a condition, `p(y \mid x)`, or by an
equation that sums one of its calls over what another one has not, `p(x) = \sum_y p(x, y)`.

Source for the notation: MacKay, Information Theory, Inference, and Learning Algorithms (2003), sec. 2.1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from derivations.latex.passes.keys_of_names import Key, Letter, key_of, key_of_name, letter_of, letters_in
from derivations.latex.passes.short_forms import joined, mapped_readings
from derivations.latex.passes.whole_sets import set_of, whole_sets
from derivations.latex.syntax.function_names import arguments_of, stem_of_law
from derivations.latex.syntax.letters import label_of, letter
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Listed,
    Literal,
    Mark,
    Name,
    Node,
    Reading,
    Scripted,
    walk,
)


@dataclass(frozen=True, slots=True)
class _Form:
    r"""What tells functions of one name apart: `H(p)` and `H(p, q)`, `p(x, y)` and `p(y \mid x)`."""

    name: Key
    count: int
    signs: str = ""
    of: tuple[Letter, ...] = ()
    """What a law is the law of; empty for other functions."""
    in_steps: bool = False
    r"""Whether it has an index of its own before the arguments: `\alpha_t(i)`."""


@dataclass(frozen=True, slots=True)
class _Call:
    """One call: the name before the parentheses, and what stands between them."""

    form: _Form
    arguments: tuple[Name | None, ...]
    """The arguments, None for what is not a name alone."""
    bound: frozenset[str]
    """The letters that sums around it bind."""


@dataclass
class _Uses:
    """How one function is used in the relations of a document."""

    calls: list[_Call] = field(default_factory=list)
    places: list[set[Key]] = field(default_factory=list)
    """The names that each place takes."""


@dataclass
class _Seen:
    """What the relations of a document show of the names before parentheses."""

    steps: frozenset[Key] = frozenset()
    """Names with an index that is counted on, or over, before their parentheses."""
    labels: frozenset[Letter] = frozenset()
    """Names that stand below such names only to tell them apart: the policy of `v_\\pi(s)`."""
    calls: list[_Call] = field(default_factory=list)
    indexed: set[Key] = field(default_factory=set)
    """Names with an index of their own."""
    values: set[tuple[Key, Key]] = field(default_factory=set)
    """Names with an argument that is a value in the same relation: `x p(x)`."""
    marginal: set[Key] = field(default_factory=set)
    """Names one of whose calls an equation sums to give another: `p(x) = \\sum_y p(x, y)`."""


def with_families(readings: Sequence[Reading]) -> list[Reading]:
    """The readings with `p_x` for `p(x)`, where p is a function of what sums run over."""
    seen = _Seen(_steps(readings), _labels(readings))
    for r in readings:
        parts = (r.chain, *r.conditions)
        calls = [c for part in parts for c in _calls(part, frozenset(), seen)]
        valued = {key for part in parts for key in _values(_without_drawn(part))}
        seen.calls += calls
        seen.values |= {
            (c.form.name, k) for c in calls for a in c.arguments if (k := key_of_name(a)) in valued and k is not None
        }
        seen.marginal |= set(_marginal(r.chain))
    laws = _laws(seen)
    names = _names_of_families(seen, laws)
    if not names:
        return list(readings)

    labelled = {form.name for form in names}
    whole = whole_sets(
        readings,
        {letter_of(a) for c in seen.calls if _told_apart(c, laws) in names for a in c.arguments if a is not None},
    )

    def member(name: Node, after: Node) -> Node | None:
        plain = _plain(name, seen.labels)
        step = _step(name, seen.steps) if plain is None else None
        form = _form(plain, after, laws) if plain is not None else _form_in_steps(step, after)
        base = None if form is None else names.get(form)
        own = step.base if step is not None else plain
        return None if base is None or not isinstance(own, Name) else _member(own, base, after, step)

    def change(node: Node) -> Node:
        if isinstance(node, Scripted) and isinstance(node.sub, Name):  # P_\pi for the matrix of all P_\pi(s, s')
            matrix = _plain(replace(node, sup=None), seen.labels)
            if matrix is not None and key_of(matrix) in labelled:
                return matrix if node.sup is None else replace(node, base=matrix, sub=None)
        if (
            isinstance(node, Big)
            and (over := set_of(node.sub)) is not None
            and (letter_of(over[0]), key_of(over[1])) in whole
        ):
            return replace(node, sub=over[0])
        return joined(node, member)

    return mapped_readings(readings, change)


def _member(name: Name, base: str, item: Node, step: Scripted | None = None) -> Node:
    """`p_x` for `p(x)`, with what stands above the parenthesis: `p(x)^2`; `\\alpha_{t, i}` for `\\alpha_t(i)`."""
    inner = item.base if isinstance(item, Scripted) else item
    above = item.sup if isinstance(item, Scripted) else None
    places, _ = arguments_of(inner)  # type: ignore[arg-type]
    if step is not None and step.sub is not None:
        places = (step.sub, *places)
    below = places[0] if len(places) == 1 else Listed((places[0].span[0], places[-1].span[1]), places)
    return Scripted((name.span[0], item.span[1]), replace(name, base=base), below, above)


def _names_of_families(seen: _Seen, laws: frozenset[Key]) -> dict[_Form, str]:
    """The functions that are families, each with the letter of its family: that of the function, or one of a law by what it
    is the law of."""
    uses: dict[_Form, _Uses] = defaultdict(_Uses)
    for call in seen.calls:
        own = uses[_told_apart(call, laws)]
        own.calls.append(call)
        own.places = own.places or [set() for _ in call.arguments]
        for place, a in zip(own.places, call.arguments, strict=True):
            place |= {k} if (k := key_of_name(a)) is not None else set()
    sets = _sets_of_members(uses)
    found = [
        form
        for form, own in uses.items()
        if (form.in_steps or "|" in form.signs or form.name not in seen.indexed) and _is_family(form, own, sets, seen)
    ]
    stepped = {form.name for form in found if form.in_steps}
    found = [form for form in found if form.in_steps or form.name not in stepped]
    forms_of: dict[Key, set[_Form]] = defaultdict(set)
    for form in uses:
        forms_of[form.name].add(form)
    names: dict[_Form, str] = {}
    for form in found:
        base = form.name[0]
        if form.of or form.signs.strip(",") == "|":
            of = form.of or tuple(letter_of(a) for a in uses[form].calls[0].arguments if a is not None)
            base = stem_of_law(base, [c[0] for c in of], form.signs)
        elif form.count > 1 and len(forms_of[form.name]) > 1:
            base = f"{base}({form.signs})" if form.signs else f"{base}_of_{form.count}"
        names[form] = base
    return names


def _is_family(form: _Form, own: _Uses, sets: Mapping[object, bool], seen: _Seen) -> bool:
    """Whether every place of a function takes members of a set that a sum runs over, and no values."""
    if any(a is None for call in own.calls for a in call.arguments):
        return False
    if any((form.name, k) in seen.values for place in own.places for k in place):
        return False
    if any(letter(a) in call.bound for call in own.calls for a in call.arguments) and form.count == 1:
        return True
    return all(sets.get((form, k), False) for k in range(form.count))


def _sets_of_members(uses: Mapping[_Form, _Uses]) -> dict[object, bool]:
    """For each place of a function, whether it takes members of a set that some sum runs over: places that take one name, and
    names that one place takes, go with one set."""
    root: dict[object, object] = {}

    def find(x: object) -> object:
        while root.setdefault(x, x) != x:
            x = root[x]
        return x

    bound: set[object] = set()
    for form, own in uses.items():
        for call in own.calls:
            for k, a in enumerate(call.arguments):
                if a is not None:
                    root[find((form, k))] = find(letter_of(a))
                    if letter(a) in call.bound:
                        bound.add(letter_of(a))
    reached = {find(x) for x in bound}
    return {(form, k): find((form, k)) in reached for form in uses for k in range(form.count)}


def _told_apart(call: _Call, laws: frozenset[Key]) -> _Form:
    """The function of a call: a law by what it is the law of too."""
    if call.form.name not in laws or any(a is None for a in call.arguments) or set(call.form.signs) - {",", "|"}:
        return call.form
    return replace(call.form, of=tuple(letter_of(a) for a in call.arguments if a is not None))


def _laws(seen: _Seen) -> frozenset[Key]:
    """The names of laws that have to be told apart: of two things at least, together and alone, or each under the other."""
    found: set[Key] = set()
    by_name: dict[Key, list[_Call]] = defaultdict(list)
    for call in seen.calls:
        by_name[call.form.name].append(call)
    for name, calls in by_name.items():
        whole = [c for c in calls if all(a is not None for a in c.arguments)]
        together = [{letter_of(a) for a in c.arguments if a is not None} for c in whole if c.form.count > 1]
        alone = {letter_of(a) for c in whole if c.form.count == 1 for a in c.arguments if a is not None}
        is_shown = name in seen.marginal or any("|" in c.form.signs for c in calls)
        orders = {tuple(letter_of(a) for a in c.arguments if a is not None) for c in whole if "|" in c.form.signs}
        differ = any(len(own & alone) > 1 for own in together) or any(
            o[::-1] in orders and o[::-1] != o for o in orders
        )
        if is_shown and differ:
            found.add(name)
    return frozenset(found)


def _marginal(chain: Chain) -> Iterator[Key]:
    """The names one of whose calls an equation gives as a sum of another call of the same name."""
    for left, (relation, right) in zip((chain.first, *(n for _, n in chain.links)), chain.links, strict=False):
        if relation not in ("=", "equiv") or not isinstance(left, Adjacent) or len(left.items) != 2:
            continue
        form, body = _form(*left.items), right
        while isinstance(body, Big) and body.name == "sum":
            body = body.body
        inner = _form(*body.items) if isinstance(body, Adjacent) and len(body.items) == 2 else None
        if form is not None and inner is not None and isinstance(right, Big):
            if form.name == inner.name and form.count < inner.count:
                yield form.name


def _plain(name: Node, labels: frozenset[Letter]) -> Name | None:
    """A name before parentheses, with its label as part of it: `p_\\theta`, `q_*` and `q^*`."""
    marks = [m for m in (name.sub, name.sup) if m is not None] if isinstance(name, Scripted) else []
    if isinstance(name, Scripted) and isinstance(name.base, Name) and len(marks) == 1 and isinstance(marks[0], Mark):
        label = label_of(marks[0])
        return None if label is None else replace(name.base, span=name.span, base=f"{name.base.base}_{label}")
    if isinstance(name, Scripted) and name.sup is None and isinstance(name.base, Name) and isinstance(name.sub, Name):
        if letter_of(name.sub) in labels or label_of(name.sub) is not None:
            label = (label_of(name.sub) or name.sub.base) + "_prime" * name.sub.primes
            return replace(name.base, span=name.span, base=f"{name.base.base}_{label}")
    return name if isinstance(name, Name) else None


def _labels(readings: Sequence[Reading]) -> frozenset[Letter]:
    r"""The names that only tell functions apart: the policy of `v_\pi(s)` and `r_\pi`.

    They stand below names that have parentheses somewhere, and below others that have nothing else there.  They are not
    counted over, and nothing is said to depend on them: they are no argument, have no entries, and nothing is
    differentiated by them.
    """
    below: dict[Letter, set[Key]] = defaultdict(set)
    others: dict[Key, set[Letter | None]] = defaultdict(set)
    called: set[Key] = set()
    varied: set[Letter] = set()
    heads: set[int] = set()
    for node in (n for r in readings for part in (r.chain, *r.conditions) for n in walk(part)):
        if isinstance(node, Scripted) and node.sub is not None and isinstance(node.base, Name):
            varied |= set() if id(node) in heads else {letter_of(node.base)}
            own = key_of(node.base)
            if isinstance(node.sub, Name) and node.base.base != "nabla":
                below[letter_of(node.sub)].add(own)
                others[own].add(letter_of(node.sub))
            else:
                others[own].add(None)
                varied |= set(letters_in(node.sub))
        elif isinstance(node, Big) and node.sub is not None:
            varied |= set(letters_in(node.sub))
        elif isinstance(node, Fraction) and any(isinstance(n, Name) and n.base in ("partial", "d") for n in walk(node)):
            varied |= set(letters_in(node.parts[1]))
        for before, after in pairwise(node.items) if isinstance(node, Adjacent) else ():
            if _form(_first_name(before), after) is not None:
                varied |= set(letters_in(after))
                heads.add(id(before))
                if isinstance(before, Scripted) and (head := key_of_name(before.base)) is not None:
                    called.add(head)
    return frozenset(
        c
        for c, names in below.items()
        if c not in varied and not names.isdisjoint(called) and all(others[n] == {c} for n in names - called)
    )


def _steps(readings: Sequence[Reading]) -> frozenset[Key]:
    r"""The names before parentheses with an index that is counted on, or over: the alpha of `\alpha_{t + 1}(i)`."""
    counted: set[str] = set()
    below: dict[Key, set[str]] = defaultdict(set)
    for node in (n for r in readings for part in (r.chain, *r.conditions) for n in walk(part)):
        if isinstance(node, Big):
            counted |= set(_bound(node.sub))
        elif isinstance(node, Scripted) and isinstance(node.sub, Infix):
            counted |= {c for n in walk(node.sub) if (c := letter(n)) is not None}
        for before, after in pairwise(node.items) if isinstance(node, Adjacent) else ():
            if isinstance(before, Scripted) and isinstance(before.base, Name) and before.sub is not None:
                if _form(before.base, after) is not None:
                    below[key_of(before.base)] |= {c for n in walk(before.sub) if (c := letter(n)) is not None}
    return frozenset(name for name, letters in below.items() if not letters.isdisjoint(counted))


def _step(name: Node, steps: frozenset[Key]) -> Scripted | None:
    """A name with an index of its own before parentheses: a letter, the place after it, or a number."""
    if not isinstance(name, Scripted) or name.sup is not None or not isinstance(name.base, Name) or name.sub is None:
        return None
    parts = [n for n in walk(name.sub) if not n.parts]
    is_place = isinstance(name.sub, Name | Literal | Infix)
    is_place = is_place and all(isinstance(n, Literal) or letter(n) is not None for n in parts)
    return name if is_place and key_of(name.base) in steps else None


def _form_in_steps(step: Scripted | None, after: Node) -> _Form | None:
    form = None if step is None else _form(step.base, after)
    return None if form is None else replace(form, in_steps=True)


def _first_name(node: Node) -> Node:
    return node.base if isinstance(node, Scripted) else node


def _form(name: Node, after: Node, laws: frozenset[Key] = frozenset()) -> _Form | None:
    """The function of a name with parentheses after it."""
    inner = after.base if isinstance(after, Scripted) else after
    if (
        (own := key_of_name(name)) is None
        or not isinstance(inner, Enclosed)
        or inner.kind != "()"
        or inner.content is None
    ):
        return None
    places, signs = arguments_of(inner)
    form = _Form(own, len(places), signs)
    members = [m for a in places if (m := _member_of(a)) is not None]
    if own in laws and len(members) == len(places) and not set(signs) - {",", "|"}:
        return replace(form, of=tuple(map(letter_of, members)))
    return form


def _calls(node: Node, bound: frozenset[str], seen: _Seen, is_head: bool = False) -> Iterator[_Call]:
    """The calls below a node; note which names have an index of their own."""
    if isinstance(node, Big):
        for part in (node.sub, node.sup):
            if part is not None:
                yield from _calls(part, bound, seen)
        yield from _calls(node.body, bound | frozenset(_bound(node.sub)), seen)
        return
    if isinstance(node, Scripted) and node.sub is not None and _plain(node, seen.labels) is None and not is_head:
        if (own := key_of_name(node.base)) is not None:
            seen.indexed.add(own)
    for name, after in pairwise(node.items) if isinstance(node, Adjacent) else ():
        plain = _plain(name, seen.labels)
        step = _step(name, seen.steps) if plain is None else None
        form = _form(plain or _first_name(name), after) if step is None else _form_in_steps(step, after)
        if form is None:
            continue
        inner = after.base if isinstance(after, Scripted) else after
        places, _ = arguments_of(inner)  # type: ignore[arg-type]
        is_plain = (plain is not None or step is not None) and not (
            isinstance(after, Scripted) and after.sub is not None
        )
        if is_plain and all(map(_member_of, places)) and not all(map(_is_member, places)):
            continue  # \pi(a_t \mid s_t): the value at members that have an index of their own
        yield _Call(form, tuple(a if is_plain and _is_member(a) else None for a in places), bound)  # type: ignore[misc]
    after_each = (*node.items[1:], None) if isinstance(node, Adjacent) else (None,) * len(node.parts)
    for part, after_it in zip(node.parts, after_each, strict=True):
        yield from _calls(part, bound, seen, is_head=_in_parentheses(after_it) is not None)


def _member_of(node: Node) -> Name | None:
    """The letter that a member is called by: `s`, and `s_t` with an index of its own."""
    if isinstance(node, Scripted) and node.sub is not None and node.sup is None:
        node = node.base
    return node if isinstance(node, Name) and letter(node) is not None else None


def _is_member(node: Node) -> bool:
    return isinstance(node, Name) and letter(node) is not None


def _without_drawn(node: Node) -> Node:
    r"""A relation without its left side where that is only said to be drawn or taken from something: the x of `x \sim q`."""
    is_drawn = isinstance(node, Chain) and [r for r, _ in node.links] in (["sim"], ["in"])
    return replace(node, first=None) if is_drawn else node  # type: ignore[call-arg]


def _values(node: Node) -> Iterator[Key]:
    """The names that stand for values: not below a sum sign, in a subscript, or alone in parentheses after a name."""
    if isinstance(node, Name):
        if (own := key_of_name(node)) is not None:
            yield own
        return
    parts: Sequence[Node] = node.parts
    if isinstance(node, Big):
        parts = [p for p in (node.sup, node.body) if p is not None]
    elif isinstance(node, Scripted):
        parts = [p for p in (node.base, node.sup) if p is not None]
    elif isinstance(node, Adjacent):
        before = (None, *node.items[:-1])
        parts = [
            n
            for b, n in zip(before, node.items, strict=True)
            if b is None or key_of_name(_first_name(b)) is None or not _has_names(n)
        ]
    for part in parts:
        yield from _values(part)


def _bound(sub: Node | None) -> Iterator[str]:
    r"""The letters that `x`, `x \in \mathcal{X}`, `i = 1` and `x, y` below a sum sign bind."""
    for part in sub.items if isinstance(sub, Listed) else () if sub is None else (sub,):
        first = part.first if isinstance(part, Chain) else part
        if first is not None and (c := letter(first)) is not None:
            yield c


def _in_parentheses(after: Node | None) -> Node | None:
    """What stands in parentheses, whatever is above or below them."""
    inner = after.base if isinstance(after, Scripted) else after
    return inner.content if isinstance(inner, Enclosed) and inner.kind == "()" else None


def _has_names(after: Node) -> bool:
    r"""`(x)`, `(x, y)` and `(y \\mid x)` after a name: what a function is applied to."""
    content = _in_parentheses(after)
    return content is not None and all(isinstance(n, Name | Listed | Chain) for n in walk(content))
