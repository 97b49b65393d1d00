"""Refusals of the kernel: which rule, where, what it needs, what it found."""

from __future__ import annotations


class KernelError(ValueError):
    """The kernel did not accept something."""


class Refused(KernelError):
    """A proof step was refused.

    `rule` and `where` name the step and the position in the term, `needed` and `found` say why.
    """

    def __init__(self, rule: str, needed: str, found: str, where: str = "") -> None:
        self.rule, self.needed, self.found, self.where = rule, needed, found, where
        super().__init__(rule, needed, found, where)

    def at(self, where: str) -> Refused:
        """The same refusal with its place filled in."""
        return type(self)(self.rule, self.needed, self.found, self.where or where)

    def __str__(self) -> str:
        place = f" at {self.where}" if self.where else ""
        return f"{self.rule}{place}\n    needs   {self.needed}\n    found   {self.found}"


class TooLarge(Refused):
    """A step with larger powers or numbers than the kernel works with: nothing is wrong with its meaning."""


class NotConservative(KernelError):
    """A definition that could contradict what is already known; `name` is its head symbol."""

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason
        super().__init__(name, reason)

    def __str__(self) -> str:
        return f"{self.name} cannot be defined like this: {self.reason}"


class BadCertificate(KernelError):
    """A certificate that is not in the format, was truncated, or does not replay."""
