"""The table of rules: a row for each function that is registered, and how one use of a rule is checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from derivations.kernel.errors import KernelError, Refused
from derivations.kernel.finiteness import finite
from derivations.kernel.scope import Scope
from derivations.language.term import Term

Check = Callable[..., None]


@dataclass(frozen=True)
class Rule:
    """A row of the rule table."""

    name: str
    check: Check
    extended: bool
    says: str
    """The first line of the rule's docstring."""


RULES: dict[str, Rule] = {}


def rule(extended: bool = False) -> Callable[[Check], Check]:
    def register(check: Check) -> Check:
        name = check.__name__.rstrip("_")
        RULES[name] = Rule(name, check, extended, (check.__doc__ or "").strip().splitlines()[0])
        return check

    return register


def apply(name: str, before: Term, after: Term, scope: Scope, args: Mapping[str, Any]) -> None:
    """Check one use of a rule; raises `Refused`."""
    rule = RULES.get(name)
    if rule is None:
        raise Refused(name, "a rule of the kernel", f"no rule is called {name!r}")
    if not rule.extended:
        for side in (before, after):
            if not finite(side, scope.theory, scope.facts):
                raise Refused(name, "finite real values", f"{side} may be minus infinity")
    try:
        rule.check(before, after, scope, **args)
    except KernelError:
        raise
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
        raise Refused(name, "the arguments of the rule", f"{type(error).__name__}: {error}") from error
