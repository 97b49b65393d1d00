"""Sizes of axes as symbols: which are equal, and which divide others.

What an operation requires of sizes is unified in `Sizes`, and equalities that code alone imposes are kept, so that a
verdict can say under which sizes it holds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from derivations.language.term import Atom, Constraint, Index
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.notes import Note


@dataclass(frozen=True)
class Required:
    """What an operation needs of a size: `name = value`, or that `value` divides it."""

    name: str
    value: Index
    divides: bool = False
    given: bool = False
    """Whether it is the number that the code itself gives to the size."""

    @property
    def pins(self) -> bool:
        """Whether the size can only be one number, which nothing gives it."""
        return self.value.is_constant and not self.divides and not self.given

    @property
    def equates(self) -> bool:
        """Whether it says that two sizes are the same."""
        return not self.divides and len(self.value.sizes) == 1 and self.value is Index.size(min(self.value.sizes))

    @property
    def sizes(self) -> frozenset[str]:
        """The sizes that it speaks of."""
        return self.value.sizes | {self.name}

    @property
    def note(self) -> Note:
        """What code supposes by it."""
        size = Index.size(self.name)
        return Note("divided-size", (self.value, size)) if self.divides else Note("equal-size", (size, self.value))

    def __str__(self) -> str:
        return self.note.text


@dataclass
class Sizes:
    """Sizes made so far, and what is known about them."""

    known: dict[str, Index] = field(default_factory=dict)
    """Size symbols that turned out to be something else."""
    named: set[str] = field(default_factory=set)
    """Sizes that the author named; the others are preferred for elimination."""
    concrete: dict[str, int] = field(default_factory=dict)
    """The numbers that code gives to sizes."""
    facts: list[Constraint] = field(default_factory=list)
    """What sizes satisfy that were made up for a number of blocks."""
    required: list[Required] = field(default_factory=list)
    """What operations imposed on sizes."""
    count: int = 0

    def fresh(self, hint: str = "n") -> Index:
        self.count += 1
        return Index.size(f"{hint}~{self.count}")

    def name(self, name: str, value: int | None = None) -> Index:
        """The size that the code calls `name`."""
        self.named.add(name)
        if value is not None:
            self.concrete[name] = value
        return self.resolve(Index.size(name))

    def resolve(self, i: Index) -> Index:
        while self.known and i.sizes & self.known.keys():
            i = i.substitute({}, self.known)
        return i

    def same(self, a: Index, b: Index) -> bool:
        return self.resolve(a) is self.resolve(b)

    def require(self, a: Index, b: Index, what: str) -> Index:
        """Make two sizes equal; refuses when they cannot be."""
        a, b = self.resolve(a), self.resolve(b)
        if a is b:
            return a
        difference = _without_common_factor(a - b)
        if difference.is_constant:
            raise NotLifted(f"{what}: the sizes {a} and {b} differ", code="shape-conflict")
        candidates = [
            (t.name, c) for t, c in difference.terms if t.kind == "size" and abs(c) == 1 and not _inside(difference, t)
        ]
        if not candidates and self.fixed(difference):
            return self.require(a, b, what)
        if not candidates or any(t.free for t, _ in difference.terms):
            raise NotLifted(f"{what}: needed equal sizes, found {a} and {b}", code="shape-conflict")
        name, c = min(candidates, key=lambda nc: (nc[0] in self.named, "~" not in nc[0], -len(nc[0])))
        rest = difference - c * Index.size(name)
        value = -c * rest
        if value.is_constant and value.const < 1:
            raise NotLifted(f"{what}: needed equal sizes, found {a} and {b}", code="shape-conflict")
        if name in self.named:
            self.required.append(Required(name, value))
        if name in self.concrete:
            (other, k) = (next(iter(value.sizes)), 1) if len(value.terms) == 1 and not value.const else ("", 0)
            if k and other not in self.concrete and value is Index.size(other):
                self.concrete[other] = self.concrete[name]
        self.known[name] = value
        return self.resolve(b)

    def fixed(self, i: Index) -> bool:
        """Give the sizes in `i` the numbers that the code gave them; False when there are none, or `i` is not zero."""
        if i.free or not i.sizes or not i.sizes <= self.concrete.keys() or i.evaluate({}, self.concrete):
            return False
        for name in sorted(i.sizes):
            self.known[name] = Index.of(self.concrete[name])
            self.required.append(Required(name, Index.of(self.concrete[name]), given=True))
        return True

    def divided(self, total: Index, by: Index, what: str) -> Index:
        """`total / by` for sizes that divide; a size that must be a product becomes one."""
        total, by = self.resolve(total), self.resolve(by)
        if by.is_constant and by.const < 1:
            raise NotLifted(f"{what}: needed parts of a positive length, found {by}", code="shape-conflict")
        if by.is_constant and by.const == 1:
            return total
        if by.is_constant and total.is_constant:
            if total.const % by.const:
                raise NotLifted(f"{what}: {by} does not divide {total}", code="shape-conflict")
            return Index.of(total.const // by.const)
        exact = exact_quotient(total, by)
        if exact is not None:
            return exact
        if by.is_constant and total.sizes <= self.concrete.keys() and not total.free:
            if self.fixed(total - total.evaluate({}, self.concrete)):
                return self.divided(self.resolve(total), by, what)
        if len(total.terms) != 1 or total.const or len(by.terms) > 1 or (by.terms and by.const):
            raise NotLifted(f"{what}: {total} divided by {by} is not read")
        parts, whole = factors(total), by
        for d in factors(by):
            if d in parts:
                parts.remove(d)
                by = exact_quotient(by, Index(((d, 1),))) or by
        for s in sorted(parts, key=lambda a: "~" not in a.name):  # what code does not name is cut first
            if s.kind == "size":
                part = self.fresh("w")
                self.required.append(Required(s.name, by, divides=True))
                self.known[s.name] = by * part
                if s.name in self.concrete and by.is_constant:
                    self.concrete[next(iter(part.sizes))] = self.concrete[s.name] // by.const
                elif s.name in self.concrete and by.sizes <= self.concrete.keys():
                    below = by.evaluate({}, self.concrete)
                    self.concrete[next(iter(part.sizes))] = self.concrete[s.name] // max(below, 1)
                return self.divided(self.resolve(total), self.resolve(whole), what)
        raise NotLifted(f"{what}: {total} divided by {by} is not read")


def factors(i: Index) -> list[Atom]:
    """The factors of a monomial."""
    found = []
    for a, _ in i.terms[:1]:
        found += [x.terms[0][0] for x in a.args] if a.kind == "product" else [a]
    return found


def exact_quotient(total: Index, by: Index) -> Index | None:
    """The polynomial quotient, when there is one."""
    if by.is_constant:
        if not by.const or total.const % by.const or any(c % by.const for _, c in total.terms):
            return None
        return Index(((a, c // by.const) for a, c in total.terms), total.const // by.const)
    if len(by.terms) != 1 or by.const or total.const:
        return None
    below, k = factors(by), by.terms[0][1]
    result = Index()
    for a, c in total.terms:
        above = factors(Index(((a, 1),)))
        if c % k or any(above.count(s) < below.count(s) for s in below):
            return None
        for s in below:
            above.remove(s)
        part = Index.of(c // k)
        for x in above:
            part = part * Index(((x, 1),))
        result = result + part
    return result


def _without_common_factor(i: Index) -> Index:
    """`h*w - h*d` becomes `w - d`: sizes are not zero."""
    if not i.terms:
        return i
    common = [a for a in factors(Index((i.terms[0],))) if a.kind == "size" and not i.const]
    for s in common:
        reduced = exact_quotient(i, Index(((s, 1),)))
        if reduced is not None and not reduced.is_constant:
            i = reduced
    divisor = math.gcd(*(c for _, c in i.terms), i.const)
    return Index(((a, c // divisor) for a, c in i.terms), i.const // divisor) if divisor > 1 else i


def _inside(i: Index, atom: Atom) -> bool:
    """Whether a size occurs inside another atom too."""
    return any(a.args and atom.name in a.sizes for a, _ in i.terms)
