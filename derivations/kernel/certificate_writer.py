"""How theorems become the data of certificates (see `docs/certificates.md`)."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from flint import fmpq

from derivations.kernel.errors import BadCertificate
from derivations.kernel.proof import (
    Clear,
    Compute,
    Have,
    Induct,
    Meet,
    Proof,
    Raise,
    Sign,
    SignSplit,
    Split,
    Step,
)
from derivations.kernel.scope import Obligation
from derivations.kernel.theorem import Theorem
from derivations.language.statement import Definition, Law, Statement, Tensor
from derivations.language.substitution import canonical
from derivations.language.term import Bracket, Constraint, Guard, Index, Lambda, Term, write_name
from derivations.language.text import write_condition, write_statement

MAX_NAME = 200
"""Characters of a name."""

LETTERS = {"index": "i", "size": "s", "product": "x", "perm": "p", "inverse": "v", "label": "l", "quotient": "d"}
"""The letter of each kind of atom of an index."""


@lru_cache(maxsize=8192)
def check_name(name: Any) -> str:
    """The name, where a certificate may have it: 1 to 200 letters, marks, digits, signs and single spaces within.

    Errors: BadCertificate.
    """
    if not isinstance(name, str) or type(name) is not str:
        raise BadCertificate(f"needed a name, found {name!r:.80}")
    if not 0 < len(name) <= MAX_NAME:
        raise BadCertificate(f"needed a name of 1 to {MAX_NAME} characters, found {len(name)}")
    wrong = next((c for c in name if c != " " and unicodedata.category(c)[0] not in "LMNPS"), None)
    if wrong is not None:
        raise BadCertificate(f"needed a name of letters, digits and signs, found the character U+{ord(wrong):04X}")
    if name[0] == " " or name[-1] == " " or "  " in name or unicodedata.category(name[0])[0] == "M":
        raise BadCertificate(f"needed a name that begins and ends with a sign of its own, found {name!r}")
    return name


@dataclass(frozen=True)
class LawRow:
    """That the entries of a random tensor are independent, with this law."""

    tensor: str
    law: Law


@dataclass(frozen=True)
class Row:
    """An assumption as data: what is assumed and where it comes from."""

    origin: str
    about: Obligation | Statement | LawRow

    def normal(self) -> tuple[object, ...]:
        """What two checkers agree upon: everything but the names of bound indices."""
        if isinstance(self.about, Obligation):
            o = self.about
            return self.origin, o.kind, o.variables, o.facts, canonical(o.subject), o.goal, o.every_outcome
        return self.origin, self.about


def assumption_rows(theorem: Theorem) -> list[Row]:
    """The assumptions of a theorem as data, in its order."""
    return [Row(a.origin, _about(a.condition)) for a in theorem.assumptions]


def _about(condition: Obligation | Statement | Tensor) -> Obligation | Statement | LawRow:
    if not isinstance(condition, Tensor):
        return condition
    return LawRow(condition.name, condition.law or Law())


_COMPARED = {
    "nonzero": "!= 0",
    "positive": "> 0",
    "nonnegative": ">= 0",
    "invertible": "belongs to an invertible matrix",
}


def text_of(row: Row) -> str:
    """The exact text of an assumption."""
    about = row.about
    if isinstance(about, Statement):
        return write_statement(about)
    if isinstance(about, LawRow):
        moments = (("mean", about.law.mean), ("variance", about.law.variance))
        said = [write_condition(t, f"is their {what}", (), ()) for what, t in moments if t is not None]
        kind = "independent and normally distributed" if about.law.normal else "independent"
        return "; ".join([f"the entries of {write_name(about.tensor, exact=True)} are {kind}", *said])
    everywhere = " in every outcome" if about.every_outcome else ""
    if about.goal:
        return write_condition(Bracket(about.goal), "= 1", about.variables, about.facts) + everywhere
    compared = _COMPARED.get(about.kind, f"is {about.kind}")
    return write_condition(about.subject, compared, about.variables, about.facts) + everywhere


class Writer:
    """Writes terms into a table, and everything else with their numbers."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self.numbers: dict[Term, int] = {}

    def term(self, t: Term) -> int:
        found = self.numbers.get(t)
        if found is None:
            values = [check_name(v) if isinstance(v := getattr(t, f), str) else self.value(v) for f in t.fields]
            found = self.numbers[t] = len(self.rows)
            self.rows.append([type(t).__name__, *values])
        return found

    def index(self, i: Index) -> list[Any]:
        return [
            i.const,
            *([LETTERS[a.kind], a.name and check_name(a.name), c, *map(self.index, a.args)] for a, c in i.terms),
        ]

    def tensor(self, t: Tensor) -> list[Any]:
        row: list[Any] = [check_name(t.name), [self.index(i) for i in t.shape]]
        if t.law is not None:
            row.append(self.law(t.law))
        elif t.constant is not None:
            row.append(t.constant)
        return row

    def law(self, law: Law) -> list[Any]:
        moments: list[Any] = [None if x is None else self.term(x) for x in (law.mean, law.variance)]
        return [*moments, "normal"] if law.normal else moments

    def constraint(self, c: Constraint) -> list[Any]:
        return [c.relation, self.index(c.index)]

    def condition(self, g: Guard) -> list[Any]:
        return [self.constraint(c) for c in g]

    def value(self, v: Any) -> Any:
        if isinstance(v, Term):
            return {"t": self.term(v)}
        if isinstance(v, Index):
            return {"i": self.index(v)}
        if isinstance(v, Constraint):
            return {"c": self.constraint(v)}
        if isinstance(v, Lambda):
            return {"l": [list(map(check_name, v.params)), self.term(v.body)]}
        if isinstance(v, fmpq):
            return {"q": str(v)}
        if isinstance(v, Step):
            return {"s": self.step(v)}
        if isinstance(v, (tuple, list)):
            return [self.value(x) for x in v]
        if isinstance(v, Mapping):
            return {"m": {check_name(k): self.value(x) for k, x in sorted(v.items())}}
        if isinstance(v, str):
            return check_name(v)
        if isinstance(v, (bool, int)) or v is None:
            return v
        raise TypeError(f"no certificate form for {type(v).__name__}")

    def step(self, s: Step) -> list[Any]:
        args = {k: self.value(v) for k, v in s.args.items() if v is not None}
        return [s.rule, list(s.path), self.term(s.before), self.term(s.after), args, s.back]

    def proof(self, p: Proof) -> list[Any]:
        if isinstance(p, Meet):
            return ["meet", [self.step(s) for s in p.left], [self.step(s) for s in p.right]]
        if isinstance(p, Split):
            return ["split", self.constraint(p.on), self.proof(p.holds), [self.proof(q) for q in p.fails]]
        if isinstance(p, SignSplit):
            return ["signs", self.term(p.on), self.proof(p.above), self.proof(p.otherwise)]
        if isinstance(p, Clear):
            return ["clear", self.term(p.factor), self.proof(p.rest)]
        if isinstance(p, Raise):
            return ["raise", self.proof(p.rest)]
        if isinstance(p, Have):
            return ["have", self.statement(p.lemma), self.proof(p.why), self.proof(p.rest)]
        if isinstance(p, Induct):
            return ["induct", check_name(p.var), self.index(p.start), self.proof(p.base), self.proof(p.step)]
        if isinstance(p, Sign):
            return ["sign", [self.step(s) for s in p.steps]]
        if isinstance(p, Compute):
            return ["compute"]
        raise TypeError(f"no certificate form for {type(p).__name__}")

    def statement(self, s: Statement) -> dict[str, Any]:
        return {
            "left": self.term(s.left),
            "relation": s.relation,
            "right": self.term(s.right),
            "indices": list(map(check_name, s.indices)),
            "guard": self.condition(s.guard),
            "hypotheses": [self.statement(h) for h in s.hypotheses],
        }

    def definition(self, d: Definition) -> dict[str, Any]:
        return {
            "name": check_name(d.name),
            "indices": [self.index(i) for i in d.indices],
            "body": self.term(d.body),
            "condition": self.condition(d.condition),
            "tensors": [self.tensor(t) for t in d.tensors],
            "sizes": list(map(check_name, d.sizes)),
            "shape": None if d.shape is None else [self.index(i) for i in d.shape],
        }

    def assumption(self, row: Row) -> dict[str, Any]:
        about = row.about
        if isinstance(about, Statement):
            return {"origin": row.origin, "kind": "hypothesis", "statement": self.statement(about)}
        if isinstance(about, LawRow):
            law = self.law(about.law)
            return {"origin": row.origin, "kind": "law", "tensor": check_name(about.tensor), "law": law}
        return {
            "origin": row.origin,
            "kind": about.kind,
            "variables": list(map(check_name, about.variables)),
            "facts": self.condition(about.facts),
            "subject": self.term(about.subject),
            "goal": self.condition(about.goal),
            "every_outcome": about.every_outcome,
        }
