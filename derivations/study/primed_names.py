r"""Names with a prime beside the name without: `\mu' = \mu + c` after `x'_i = x_i + c`, where `\mu` is the mean of x.

What is defined through x may be what it becomes for x', or a name of its own: nothing says which.  So an equation that
gives it by the name without the prime is read as a claim about the first; what proves it proves it, what does not
refutes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from derivations.kernel.definition import admit
from derivations.kernel.errors import NotConservative
from derivations.language.statement import Definition, Theory
from derivations.language.term import Entry
from derivations.latex.elaborator.equations import LeftSide
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.lexicon.differentiated_symbols import renamed
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.lexicon.symbol_table import Symbol, Table
from derivations.latex.syntax.surface import Node
from derivations.notes import Note
from derivations.study.admitting import define_name
from derivations.study.equation_walk import Item, Key
from derivations.study.judging import judge_claim
from derivations.study.names_and_conditions import elaborator_for
from derivations.study.state import Study
from derivations.study.verdict import withheld

PRIME = "_prime"
"""What a prime adds to the name of a symbol."""


@dataclass(frozen=True, slots=True)
class Primed:
    """What a primed name stands for: its symbol, the definitions that say so, and the primed names that it rests on."""

    symbol: Symbol
    definitions: tuple[Definition, ...]
    rests_on: tuple[str, ...]


def primed(table: Table, stem: str) -> Primed | None:
    """What `stem` stands for where some name below the one without the prime has a primed one too; None elsewhere."""
    name, mark, rest = stem.partition(PRIME)
    own = table.symbols.get(name + rest) if mark else None
    if own is None or not own.defined or own.parameters is not None or own.call is not None:
        return None
    theory = table.theory
    twins = dict(_twins(table, own, theory))
    if not twins:
        return None
    through = [h for h in _below(own.head, theory) if h not in twins and _rests_on(theory, h, twins)]
    names = {h: t.head for h, t in twins.items()} | {h: table.new_head(f"{h}{PRIME}") for h in through}
    made = tuple(replace(d, name=names[h], body=renamed(d.body, names)) for h in through for d in theory.definitions[h])
    symbol = replace(own, stem=stem, head=names[own.head])
    return Primed(symbol, made, tuple(sorted(t.stem for t in twins.values())))


def _below(head: str, theory: Theory) -> Iterator[str]:
    """The defined names below a name, those first that others rest on; the name itself last."""
    seen: set[str] = set()

    def walk(h: str) -> Iterator[str]:
        if h in seen or h not in theory.definitions:
            return
        seen.add(h)
        for d in theory.definitions[h]:
            for inner in sorted(d.body.heads):
                yield from walk(inner)
        yield h

    yield from walk(head)


def _twins(table: Table, own: Symbol, theory: Theory) -> Iterator[tuple[str, Symbol]]:
    """The names below a symbol that have a primed one of the same number of axes."""
    by_head = {s.head: s for s in table.symbols.values()}
    reached = {h for d in _below(own.head, theory) for row in theory.definitions[d] for h in (d, *row.body.heads)}
    for head in sorted(reached - {own.head}):
        symbol = by_head.get(head)
        twin = None if symbol is None else table.symbols.get(_with_prime(symbol.stem))
        if symbol is not None and twin is not None and len(twin.dims) == len(symbol.dims) and twin.call == symbol.call:
            yield head, twin


def _with_prime(stem: str) -> str:
    """`sigma^2` as `sigma_prime^2`."""
    name, mark, rest = stem.partition("^")
    return f"{name}{PRIME}{mark}{rest}"


def _rests_on(theory: Theory, head: str, twins: dict[str, Symbol]) -> bool:
    return theory.depends(Entry(head), frozenset(twins))


def claims_of_primed(study: Study, item: Item, key: Key, left: LeftSide, node: Node, right: Node) -> bool:
    r"""Read `\mu' = \mu + c` as a claim about the mean of x'; where it is not proved it may be a name of its own.

    An equation without the name itself, `\mu' = \frac1d \sum_i x'_i`, says what the primed name is.
    """
    if not study.walk.build or left.parameters is not None:
        return False
    plain = left.stem.replace(PRIME, "", 1)
    if plain == left.stem or all(w.stem != plain for w in uses(study.names, right)):
        return False
    found = primed(study.table, left.stem)
    if found is None:
        return False
    table, state = study.table, study.walk
    mark, theory, symbols = table.sizes.mark(), table.theory, dict(table.symbols)
    given = len(state.hypotheses)
    try:
        for d in found.definitions:
            table.put(d, admit)
        table.symbols[left.stem] = found.symbol
        judge_claim(study, item, key, elaborator_for(study, item), "claim", node, "=", right)
    except (NotUnderstood, NotConservative):
        state.findings.pop(key, None)
    tried = state.findings.get(key)
    if tried is not None and tried.status == "proved":
        note = Note("primed", (left.stem, ", ".join(found.rests_on)), place=item.span.place)
        tried.assumptions = (*tried.assumptions, note)
        state.clock += 1
        state.introduced[left.stem] = state.clock
        state.origins[found.symbol.head], state.stems[found.symbol.head] = key, left.stem
        return True
    table.theory, table.symbols = theory, symbols
    table.sizes.undo(mark)
    del state.hypotheses[given:]
    define_name(study, item, key, elaborator_for(study, item), left, node, right, None)
    if tried is not None:
        about = f"what {plain} is for {', '.join(found.rests_on)}"
        reason = f"false or not decided of {about}; {left.stem} may be a name of its own"
        state.findings[key] = withheld(tried, "ambiguous", reason)
    return True
