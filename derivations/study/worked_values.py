"""Worked values: what the text puts in for given names, and claims about the numbers that come out.

"Put K = 3 and z = (0, ln 2, ln 5).  Then Z(z) = 8" is said of these inputs alone.  What is put in for given names and
lengths holds for the claims after it in its paragraph or example that have a number on one side, or are false in general:
these are decided with the values as definitions.  A name for which nothing is put in stays open in them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from derivations.documents.facts.role_words import Part
from derivations.documents.model.document import CLOSE, OPEN, Document
from derivations.kernel.linear import consistent
from derivations.language.statement import Definition, Statement, Tensor, Theory
from derivations.language.substitution import fresh, substitute
from derivations.language.term import Case as Choices
from derivations.language.term import Derivative, Entry, Guard, Index, Term, equal, guard, guard_substitute
from derivations.notes import Note
from derivations.provers.instance import at_lengths, at_sizes
from derivations.provers.refute import all_sizes
from derivations.study.equation_walk import Item, PutIn
from derivations.study.said_of_relations import Said
from derivations.study.verdict import Case, all_heads
from derivations.study.where_stated import is_closed

MAX_ENTRIES = 36
"""Most entries of an array of numbers."""
WORKED = "a worked value"
"""The role of a claim about the numbers that come out of stated inputs."""


def with_put_in(case: Case, *, is_false: bool, in_section: bool = False) -> Case | None:
    """A claim about numbers, with what the text puts in for the given names and lengths that it rests on.

    So is one that is false in general.  None where it may hold in general, or nothing is put in.  With `in_section` also
    what another paragraph of its section puts in.
    """
    if Part.UNIVERSAL in Said.of(case).parts:
        return None
    is_of_numbers = all(s.relation == "=" and any(map(is_closed, (s.left, s.right))) for s in case.statements)
    if not is_false and not is_of_numbers:
        return None
    values, sizes, used = _in_force(
        case, holds_in_section if in_section else holds_for if is_of_numbers else holds_nearby
    )
    heads = {h for s in case.statements for h in all_heads(s, case.theory)}
    laws = [case.theory.tensors[h].law for h in case.theory.random & heads if h in case.theory.tensors]
    moments = [m for law in laws if law is not None for m in (law.mean, law.variance) if m is not None]
    heads |= {h for m in moments for t in case.theory.reached(m) for h in t.heads}
    lengths = {n for s in case.statements for n in all_sizes(s, case.theory)}
    values = {h: rows for h, rows in values.items() if h in heads}
    sizes = {n: v for n, v in sizes.items() if n in lengths}
    if (
        not (values or sizes)
        or case.theory.random & values.keys()
        or any(_puts_another(s, values) for s in case.statements)
    ):
        return None
    theory = _example(case.theory, values, sizes, _single_numbers(case))
    statements = tuple(own for s in case.statements for own in _by_entries(at_lengths(s, sizes)))
    words = [p.words for p in _latest(used) if p.head in values or not sizes.keys().isdisjoint(p.sizes)]
    note = Note("put-in", (", ".join(dict.fromkeys(w for w in words if w)),), place=case.item.span.place)
    return replace(case, statements=statements, theory=theory, assumptions=(*case.assumptions, note))


def _puts_another(s: Statement, values: Collection[str]) -> bool:
    """`x < 0` after `x = 0`: another case, of which the number says nothing.

    >>> from derivations.language.term import Number
    >>> x, zero = Entry("x"), Number(0)
    >>> [_puts_another(Statement(side, "<", zero), {"x"}) for side in (x, x + x)]
    [True, False]
    """
    sides = ((s.left, s.right), (s.right, s.left))
    return any(isinstance(one, Entry) and one.name in values and is_closed(other) for one, other in sides)


def _by_entries(s: Statement) -> Iterator[Statement]:
    """A statement for each place of an array of a known size, else for all of them together.

    >>> i = Index.var("i")
    >>> from derivations.language.term import Entry, Number, at_least, guard, less
    >>> whole = Statement(Entry("x", (i,)), "=", Number(1), ("i",), guard(at_least(i, Index.of(0)), less(i, Index.of(2))))
    >>> [str(own.left) for own in _by_entries(whole)]
    ['x[0]', 'x[1]']
    """
    places: list[dict[str, Index]] = [{}]
    for v in s.indices:
        whole = [(at, k) for at in places for k in range(MAX_ENTRIES + 1) if _has(s.guard, at, v, k)]
        places = [{**at, v: Index.of(k)} for at, k in whole]
        if len(places) > MAX_ENTRIES:
            break
    if s.hypotheses or not s.indices or not places or len(places) > MAX_ENTRIES:
        yield s
        return
    for at in places:
        yield Statement(substitute(s.left, at), s.relation, substitute(s.right, at))


def _has(given: Guard, at: Mapping[str, Index], v: str, k: int) -> bool:
    """Whether an index may have a value."""
    return consistent((*guard_substitute(given, at), equal(Index.var(v), Index.of(k))))


def is_differentiated(case: Case) -> bool:
    """Whether something in a claim is differentiated: then its values at one point are not enough."""
    sides = (side for s in case.statements for side in (s.left, s.right))
    return any(isinstance(t, Derivative) for side in sides for t in case.theory.reached(side))


def _in_force(
    case: Case, here: Callable[[Document, PutIn, Item], bool]
) -> tuple[dict[str, dict[tuple[int, ...], Term]], dict[str, Index], list[PutIn]]:
    """The values and lengths that are put in for a relation, the latest ones, and what puts them in."""
    used: list[PutIn] = []
    for p in case.known.walk.put_in:
        if p.key[:2] <= case.key[:2] and here(case.known.document, p, case.item):
            used = [q for q in used if _fit(q, p)] + [p]
    values: dict[str, dict[tuple[int, ...], Term]] = {}
    sizes: dict[str, Index] = {}
    for p in used:
        sizes.update(p.sizes)
        if p.head is not None:
            own = values.setdefault(p.head, {})
            if any(len(at) != len(next(iter(p.entries))) for at in own):
                own.clear()
            own.update(p.entries)
    return values, sizes, used


def _latest(used: Sequence[PutIn]) -> Iterator[PutIn]:
    """What is put in, but for values that later ones replace."""
    for k, p in enumerate(used):
        later = {at for q in used[k + 1 :] if q.head == p.head is not None for at in q.entries}
        if not p.entries or not later.issuperset(p.entries):
            yield p


def _fit(earlier: PutIn, later: PutIn) -> bool:
    """Whether two arrays may be put in together: those of another example have other lengths."""
    if not (earlier.holds_on and later.holds_on):
        return True
    return earlier.head != later.head and all(later.sizes.get(n, v) is v for n, v in earlier.sizes.items())


def holds_for(document: Document, p: PutIn, item: Item) -> bool:
    """Whether what is put in holds for an equation about numbers."""
    return p.holds_on or holds_nearby(document, p, item)


def _in_sentence(p: PutIn, item: Item) -> bool:
    return f"{OPEN}{p.key[0]}{CLOSE}" in item.context.before


def holds_in_section(document: Document, p: PutIn, item: Item) -> bool:
    """Whether what is put in may hold for an equation: in the section of both, of whatever paragraph."""
    if not _is_of_numbers(p):
        return _in_sentence(p, item)
    return holds_for(document, p, item) or document.block_of(document.spans[p.key[0]]).section == item.section


def _is_of_numbers(p: PutIn) -> bool:
    """Whether numbers are put in, and not one length for another, `g = h`: that is a case of the sentence."""
    return all(n.is_constant for n in p.sizes.values())


def holds_nearby(document: Document, p: PutIn, item: Item) -> bool:
    """Whether what is put in holds for an equation: in its sentence or paragraph, or in the example of both."""
    if _in_sentence(p, item) or not _is_of_numbers(p):
        return _in_sentence(p, item)
    one, other = document.block_of(document.spans[p.key[0]]), document.block_of(item.span)
    if one.index == other.index:
        return True
    examples = [name for name in one.scope if name.startswith("example ")]
    return bool(examples) and examples[-1] in other.scope


def _single_numbers(case: Case) -> set[str]:
    r"""Given names below a claim of which each entry stands for itself, `\sigma_1` and `\sigma_2`, and none for all of them."""
    sides = [side for s in case.statements for side in (s.left, s.right)]
    entries = [t for side in sides for t in case.theory.reached(side) if isinstance(t, Entry) and t.indices]
    listed = {t.name for t in entries if not all(i.is_constant for i in t.indices)}
    return {t.name for t in entries if t.name in case.theory.tensors} - listed


def _example(
    theory: Theory,
    values: Mapping[str, Mapping[tuple[int, ...], Term]],
    sizes: Mapping[str, Index],
    single: Collection[str] = (),
) -> Theory:
    """The theory at these lengths, with these values as definitions; of `single` names the other entries stay given."""
    others: dict[str, Tensor] = {}
    definitions = {
        n: tuple(_without_length(at_sizes(d, sizes)) for d in rows) for n, rows in theory.definitions.items()
    }
    for head, entries in values.items():
        shape = theory.shape(head) or ()
        whole = tuple(Index.var(f"i{k}") for k in range(len(shape)))
        own = tuple(n.substitute({}, sizes) for n in shape)
        lengths = own if all(n.is_constant for n in own) else None
        if head in single:
            name = fresh(f"other_{head}", {*theory.tensors, *theory.definitions, *others})
            others[name] = Tensor(name, own)
            branches = [
                (guard(*(equal(v, Index.of(k)) for v, k in zip(whole, at, strict=True))), t)
                for at, t in entries.items()
            ]
            definitions[head] = (Definition(head, whole, Choices(branches, Entry(name, whole)), shape=own),)
            continue
        definitions[head] = tuple(
            Definition(head, tuple(map(Index.of, at)) or whole, t, shape=lengths) for at, t in entries.items()
        )
    return Theory({n: t for n, t in {**theory.tensors, **others}.items() if n not in definitions}, definitions)


def _without_length(d: Definition) -> Definition:
    """A definition for all places, where nothing tells how many there are."""
    return replace(d, shape=None) if any(not n.is_constant for n in d.shape or ()) and not d.sizes else d
