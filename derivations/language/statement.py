"""Statements about terms, and the theory that they speak of: declared tensors and definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from derivations.language.index import Constraint, Guard, Index, TermError, write_guard, write_name
from derivations.language.substitution import subterms
from derivations.language.term import Derivative, Entry, Expectation, Term

CIRCLE = "pi"
"""The number pi, as the constant that a tensor without axes may be."""


@dataclass(frozen=True, slots=True)
class Law:
    """What is known of the entries of a random tensor: independent of one another and of all other random tensors,
    with this mean and variance (None: not given).  Moments that are used exist."""

    mean: Term | None = None
    variance: Term | None = None
    normal: bool = False
    """Whether the law of each entry is the normal one with these moments."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A declared tensor of real entries: `Tensor("Q", (n, d))`; a scalar has shape `()`; random when it has a law."""

    name: str
    shape: tuple[Index, ...] = ()
    law: Law | None = None
    constant: str | None = None
    """The number of mathematics that it is: `CIRCLE`, or none.  Such a number is not given, and nothing is derived by it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", _frozen(self.shape, Index, "a shape"))
        if self.constant is not None and (self.constant != CIRCLE or self.shape or self.law is not None):
            found = f"{self.constant!r} of shape {self.shape}{' with a law' if self.law is not None else ''}"
            raise TermError(
                f"needed the number {CIRCLE} without axes and law as the constant {self.name}, found {found}"
            )


def _frozen(values: Iterable[Any], kind: type, what: str) -> tuple[Any, ...]:
    """The values as a tuple, which nobody can change.

    Errors: TermError for a value of another kind.
    """
    if isinstance(values, str):
        raise TermError(f"needed {kind.__name__} values as {what}, found the text {values!r}")
    made = tuple(values)
    wrong = next((v for v in made if not isinstance(v, kind)), None)
    if wrong is not None:
        raise TermError(f"needed {kind.__name__} values as {what}, found {type(wrong).__name__}")
    return made


@dataclass(frozen=True, slots=True)
class Definition:
    """`name(tensors)[indices] := body`, for all integers that satisfy `condition`.

    `indices` are patterns: distinct variables, constants, or `c*v + k` (even and odd channels).  `tensors` and `sizes`
    are parameters; both empty for a symbol that depends on the document's own tensors.  `shape` is the shape of the
    defined tensor, for index-range obligations.  Admitted by `kernel.definition.admit` only.
    """

    name: str
    indices: tuple[Index, ...]
    body: Term
    condition: Guard = ()
    tensors: tuple[Tensor, ...] = ()
    sizes: tuple[str, ...] = ()
    shape: tuple[Index, ...] | None = None

    def __post_init__(self) -> None:
        for name, kind in (("indices", Index), ("condition", Constraint), ("tensors", Tensor), ("sizes", str)):
            object.__setattr__(self, name, _frozen(getattr(self, name), kind, f"the {name} of {self.name}"))
        if self.shape is not None:
            object.__setattr__(self, "shape", _frozen(self.shape, Index, f"the shape of {self.name}"))

    @property
    def variables(self) -> tuple[str, ...]:
        """The index variables of the patterns, in order."""
        return tuple(v for i in self.indices for v in sorted(i.free))

    def apart(self, entry: Entry) -> bool:
        """Whether no instance of `entry` can match: a number stands where the pattern has another one."""
        pairs = zip(self.indices, entry.indices, strict=False)
        return any(p.is_constant and i.is_constant and p is not i for p, i in pairs)

    def __str__(self) -> str:
        args = f"({', '.join(write_name(t.name) for t in self.tensors)})" if self.tensors else ""
        at = f"[{', '.join(map(str, self.indices))}]" if self.indices else ""
        under = f"  where {write_guard(self.condition)}" if self.condition else ""
        return f"{write_name(self.name, applied=bool(args))}{args}{at} := {self.body}{under}"


@dataclass(frozen=True, slots=True)
class Statement:
    """For all `indices` that satisfy `guard`: `left relation right`, given the `hypotheses` (each universally closed)."""

    left: Term
    relation: str
    right: Term
    indices: tuple[str, ...] = ()
    guard: Guard = ()
    hypotheses: tuple[Statement, ...] = ()

    def __post_init__(self) -> None:
        if type(self.relation) is not str:
            raise TermError(f"needed a relation as a text, found {type(self.relation).__name__}")
        for name, kind in (("indices", str), ("guard", Constraint), ("hypotheses", Statement)):
            object.__setattr__(self, name, _frozen(getattr(self, name), kind, f"the {name} of a statement"))

    def __str__(self) -> str:
        text = f"{self.left} {self.relation} {self.right}"
        if self.indices:
            text += f"  for {', '.join(map(write_name, self.indices))}" + (
                f" with {write_guard(self.guard)}" if self.guard else ""
            )
        elif self.guard:
            text += f"  for {write_guard(self.guard)}"
        if self.hypotheses:
            text += f"  given {'; '.join(map(_supposed, self.hypotheses))}"
        return text


def _supposed(h: Statement) -> str:
    """A hypothesis as people read it: that something is what it is only says that it is defined."""
    is_defined = h.relation == "=" and h.left is h.right and not h.indices
    return f"{h.left} is defined" if is_defined else str(h)


@dataclass(frozen=True)
class Theory:
    """What a statement may speak of: declared tensors and admitted definitions (several per name: disjoint patterns)."""

    tensors: Mapping[str, Tensor] = field(default_factory=dict)
    definitions: Mapping[str, tuple[Definition, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        tensors = dict(self.tensors)
        definitions = {n: _frozen(ds, Definition, f"the definitions of {n}") for n, ds in self.definitions.items()}
        for name, t in tensors.items():
            if not isinstance(t, Tensor) or t.name != name:
                raise TermError(f"needed the tensor {name} under its name, found {getattr(t, 'name', t)!r:.80}")
        for name, rows in definitions.items():
            for d in rows:
                if d.name != name:
                    raise TermError(f"needed definitions of {name} under its name, found one of {d.name}")
        object.__setattr__(self, "tensors", MappingProxyType(tensors))
        object.__setattr__(self, "definitions", MappingProxyType(definitions))

    def depends(self, t: Term, names: frozenset[str]) -> bool:
        """Whether a term's value depends on tensors with these names, through definitions and laws too."""
        seen: set[str] = set()
        stack = list(t.heads)
        while stack:
            head = stack.pop()
            if head in names:
                return True
            if head not in seen:
                seen.add(head)
                for d in self.definitions.get(head, ()):
                    own = {t.name for t in d.tensors}  # its parameters: what is put for them is in the term
                    stack += [h for h in d.body.heads if h not in own]
                law = self.tensors[head].law if head in self.tensors else None
                stack += [h for m in (law.mean, law.variance) if m is not None for h in m.heads] if law else []
        return False

    def about(self, terms: Iterable[Term]) -> Theory:
        """The part of the theory that the terms rest on: a smaller one with the same meaning for them.

        Of a symbol with several definitions those stay that some entry can match: of S^(1), S^(2), ... the ones in use.
        """
        kept: dict[str, list[Definition]] = {}
        looked_at: set[Entry] = set()
        stack = list(terms)
        while stack:
            for t in subterms(stack.pop()):
                if isinstance(t, Derivative):
                    self._moments(t.name, kept, stack)
                if not isinstance(t, Entry) or t in looked_at:
                    continue
                looked_at.add(t)
                self._moments(t.name, kept, stack)
                every = self.definitions.get(t.name, ())
                for d in [d for d in every if not d.apart(t)] or every:
                    if d not in kept[t.name]:
                        kept[t.name].append(d)
                        stack.append(d.body)
        whole = all(len(kept.get(n, ())) == len(ds) for n, ds in self.definitions.items())
        if whole and kept.keys() >= self.tensors.keys():
            return self
        return Theory(
            {n: t for n, t in self.tensors.items() if n in kept},
            {n: tuple(d for d in ds if d in kept[n]) for n, ds in self.definitions.items() if n in kept},
        )

    def _moments(self, name: str, kept: dict[str, list[Definition]], stack: list[Term]) -> None:
        """A name that is met: its mean and variance are looked at the first time."""
        if name not in kept:
            kept[name] = []
            law = self.tensors[name].law if name in self.tensors else None
            if law is not None:
                stack.extend(m for m in (law.mean, law.variance) if m is not None)

    def reached(self, t: Term) -> Iterator[Term]:
        """All subterms of a term and of the definitions it rests on."""
        seen: set[str] = set()
        stack = [t]
        while stack:
            for u in subterms(stack.pop()):
                yield u
                if isinstance(u, Entry) and u.name not in seen:
                    seen.add(u.name)
                    stack += [d.body for d in self.definitions.get(u.name, ())]

    @cached_property
    def differentiating(self) -> frozenset[str]:
        """Functions of tensors that may put what they are applied to under a derivative."""
        return self._functions_with(Derivative)

    @cached_property
    def averaging(self) -> frozenset[str]:
        """Functions of tensors that may put what they are applied to under an expectation."""
        return self._functions_with(Expectation)

    def _functions_with(self, kind: type[Term]) -> frozenset[str]:
        """Functions of tensors on whose right sides such a term stands, there or in other functions."""
        found = {
            name
            for name, rows in self.definitions.items()
            for d in rows
            if d.tensors and any(isinstance(u, kind) for u in subterms(d.body))
        }
        while True:
            more = {
                name
                for name, rows in self.definitions.items()
                for d in rows
                if d.tensors and not found.isdisjoint(d.body.heads)
            }
            if more <= found:
                return frozenset(found)
            found |= more

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """What has been computed about this theory, which never changes."""
        return {}

    def recursive(self, name: str) -> bool:
        """Whether a definition of the name uses the name itself (at smaller indices)."""
        return any(name in d.body.heads for d in self.definitions.get(name, ()))

    @cached_property
    def constants(self) -> frozenset[str]:
        """Names of the tensors that are one number, like pi."""
        return frozenset(t.name for t in self.tensors.values() if t.constant is not None)

    def is_constant(self, t: Term) -> bool:
        """Whether a term is a number that has a name, like pi."""
        return isinstance(t, Entry) and not (t.indices or t.args or t.sizes) and t.name in self.constants

    @property
    def random(self) -> frozenset[str]:
        """Names of the random tensors."""
        return frozenset(t.name for t in self.tensors.values() if t.law is not None)

    def shape(self, name: str) -> tuple[Index, ...] | None:
        """The declared shape of a tensor or defined symbol, or None when nothing was declared."""
        if name in self.definitions:
            return self.definitions[name][0].shape
        return self.tensors[name].shape if name in self.tensors else None
