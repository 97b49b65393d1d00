"""Chains of proof steps under construction: steps at relative positions, flattened once at the end."""

from __future__ import annotations

from typing import Any

from derivations.kernel.proof import Chain, Step
from derivations.language.term import Term


class Trace:
    """Steps from one term to another; `below(k, trace)` hangs the steps of child k in."""

    __slots__ = ("items",)

    def __init__(self) -> None:
        self.items: list[tuple[int, Trace] | tuple[str, Term, Term, dict[str, Any], bool]] = []

    def __bool__(self) -> bool:
        return bool(self.items)

    def step(self, rule: str, before: Term, after: Term, back: bool = False, **args: Any) -> Term:
        """Record one step at the top; returns `after`."""
        if before is not after:
            self.items.append((rule, before, after, args, back))
        return after

    def below(self, child: int, trace: Trace) -> None:
        if trace:
            self.items.append((child, trace))

    def at(self, step: Step) -> None:
        """Append a step that carries its own position."""
        inner = Trace()
        inner.items.append((step.rule, step.before, step.after, step.args, step.back))
        for child in reversed(step.path):
            outer = Trace()
            outer.items.append((child, inner))
            inner = outer
        self.items += inner.items

    def then(self, trace: Trace) -> None:
        """Append another trace at the same position."""
        self.items += trace.items

    def chain(self, path: tuple[int, ...] = ()) -> Chain:
        """The steps with full positions."""
        steps: list[Step] = []
        for item in self.items:
            if len(item) == 2:
                child, trace = item
                steps += trace.chain((*path, child))
            else:
                rule, before, after, args, back = item
                steps.append(Step(rule, path, before, after, args, back))
        return tuple(steps)


def reverse(chain: Chain) -> Chain:
    """The same chain read from its end."""
    return tuple(Step(s.rule, s.path, s.after, s.before, s.args, not s.back) for s in reversed(chain))
