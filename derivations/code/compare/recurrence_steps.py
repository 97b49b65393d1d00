"""One step of a recurrence as code has it: `h = step(h, x)` for $h_t = A h_{t-1} + B x_t$."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from derivations.code.compare.document_symbols import Symbols, Target, rule_of
from derivations.language.substitution import subterms
from derivations.language.term import Entry, Index


@dataclass(frozen=True)
class Step:
    """What one step of a recurrence computes, and which members of families it is computed from."""

    index: str
    """The variable of the rule that gives the step."""
    place: Index
    """The place of the member that is computed."""
    members: Mapping[str, tuple[Index, ...]]
    """For each family the places of the members that a step uses, those of a state after the step first."""
    needed: Mapping[str, frozenset[str]]
    """For each state that has a member after the step what only its own rule needs."""
    reached: frozenset[str]
    """All names that the rules of a step speak of; the start of a state is none of them."""

    def places(self, given: Collection[str]) -> dict[str, Index]:
        """The place of the member of each family that code is given whose arguments are the families and numbers `given`.

        A state is the one before the step where the code is given what the step needs: `o = (S + k v^T)^T q` has the
        state $S_{t-1}$, `o = S^T q` has $S_t$.
        """
        return {
            h: places[0] if self.needed.get(h, frozenset()).isdisjoint(given) else places[-1]
            for h, places in self.members.items()
        }


def step_of(symbols: Symbols, target: Target, *, opened: bool = True) -> Step | None:
    """The step that gives a member of a symbol; None where no recurrence is in it.

    Without `opened` other states are given to the step as it uses them: `c_t = b m_{t-1} + g_t`, whatever gives $m_{t-1}$.
    """
    rule = rule_of(target.definitions)
    if rule is None or rule.tensors or len(rule.indices) < 1:
        return None
    index, place = min(rule.indices[0].free), rule.indices[0]
    members: dict[str, list[Index]] = {}
    direct: dict[str, set[str]] = {}
    todo = [(target.head, place)]
    seen = {target.head}
    while todo:
        head, at = todo.pop(0)
        own = rule_of(symbols.theory.definitions.get(head, ()))
        if own is None:
            continue
        shift = at - own.indices[0]  # the rule's variable stands for the target's
        for t in subterms(own.body):
            if not isinstance(t, Entry) or t.name in {x.name for x in own.tensors}:
                continue
            direct.setdefault(head, set()).add(t.name)
            if not t.indices or t.indices[0].free != own.indices[0].free:
                continue
            used = t.indices[0] + shift
            places = members.setdefault(t.name, [])
            if used not in places:
                places.append(used)
            if t.name not in seen and (opened or t is own.body or not _is_state(symbols, t.name)):
                seen.add(t.name)
                todo.append((t.name, used))
    states = {h for h in members if h in direct.get(h, set()) or (not opened and _is_state(symbols, h))}
    is_step = bool(states) or any(place not in places for h, places in members.items() if h != target.head)
    if not is_step or any(len(places) > (2 if h in states else 1) for h, places in members.items()):
        return None
    needed = {h: _only_for(h, target.head, states, direct) for h in states}
    reached = frozenset().union(*direct.values())
    return Step(index, place, {h: tuple(sorted(p, key=str, reverse=True)) for h, p in members.items()}, needed, reached)


def _is_state(symbols: Symbols, head: str) -> bool:
    """Whether a rule gives each member of a family from the ones before."""
    rule = rule_of(symbols.theory.definitions.get(head, ()))
    return rule is not None and head in rule.body.heads


def start_of(target: Target) -> int:
    """How many members a recurrence begins with, one after the other, that its rule does not give; and those before the
    first value of what is defined from there on, as the running product over nothing is.
    """
    rows = target.definitions
    if len(rows) == 1 and rows[0].indices and not rows[0].tensors and len(rows[0].indices[0].free) == 1:
        before = rows[0].indices[0].const
        if rows[0].indices[0] is Index.var(next(iter(rows[0].indices[0].free))) + before:
            return max(before, 0)
    rule = rule_of(rows)
    if rule is None or rule.tensors or not rule.indices:
        return 0
    starts = {d.indices[0].const for d in target.definitions if d.indices[0].is_constant}
    offset = rule.indices[0].const
    return offset if starts == set(range(offset)) else 0


def _only_for(state: str, head: str, states: Collection[str], direct: Mapping[str, set[str]]) -> frozenset[str]:
    """What is needed for a symbol through the rules of states alone, and for one of them."""
    seen: set[str] = set()
    todo = [head]
    while todo:
        h = todo.pop()
        if h not in seen:
            seen.add(h)
            todo += [x for x in direct.get(h, ()) if h == head or h not in states]
    return frozenset(direct.get(state, set()) - seen - {state})


__all__ = ["Step", "step_of"]
