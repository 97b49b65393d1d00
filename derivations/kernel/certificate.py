"""Certificates: a theorem's statement, definitions and proof as JSON, replayed from the file alone.

Terms are stored once, in a table; everything else refers to them by number.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from flint import fmpq

from derivations.kernel.errors import BadCertificate, KernelError
from derivations.kernel.proof import Clear, Compute, Have, Induct, Meet, Proof, Raise, Sign, SignSplit, Split, Step
from derivations.kernel.replay import replay
from derivations.kernel.theorem import Theorem
from derivations.language import term as language
from derivations.language.term import (
    Constraint,
    Definition,
    Guard,
    Index,
    Lambda,
    Law,
    Statement,
    Tensor,
    Term,
    TermError,
    Theory,
    constraint,
)

FORMAT = "derivations-certificate/1"

_KINDS: dict[str, type[Term]] = {
    cls.__name__: cls
    for cls in (
        language.Number,
        language.IndexValue,
        language.NegInfinity,
        language.Entry,
        language.Add,
        language.Mul,
        language.Pow,
        language.Apply,
        language.Bracket,
        language.Case,
        language.Choice,
        language.Sum,
        language.Max,
        language.Expectation,
        language.Derivative,
    )
}


def write(theorem: Theorem) -> dict[str, Any]:
    """The certificate of a theorem."""
    w = _Writer()
    body = {
        "format": FORMAT,
        "statement": w.statement(theorem.statement),
        "tensors": [w.tensor(t) for t in theorem.theory.tensors.values()],
        "definitions": [w.definition(d) for ds in theorem.theory.definitions.values() for d in ds],
        "proof": w.proof(theorem.proof),
        "assumptions": [a.text for a in theorem.assumptions],
        "text": str(theorem.statement),
    }
    body["terms"] = w.rows
    return body


def write_definition(definition: Definition, theory: Theory) -> dict[str, Any]:
    """A definition and the theory that it stands in, as data; nothing is proved by it."""
    w = _Writer()
    body = {
        "tensors": [w.tensor(t) for t in theory.tensors.values()],
        "definitions": [w.definition(d) for ds in theory.definitions.values() for d in ds],
        "definition": w.definition(definition),
    }
    return {**body, "terms": w.rows}


def read_definition(data: Mapping[str, Any]) -> tuple[Definition, Theory]:
    """What `write_definition` wrote."""
    r = _Reader(data["terms"])
    definitions: dict[str, tuple[Definition, ...]] = {}
    for d in map(r.definition, data["definitions"]):
        definitions[d.name] = (*definitions.get(d.name, ()), d)
    return r.definition(data["definition"]), Theory({t.name: t for t in map(r.tensor, data["tensors"])}, definitions)


def digest(certificate: Mapping[str, Any]) -> str:
    """The sha256 of the certificate's canonical JSON."""
    text = json.dumps(certificate, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def read(certificate: Mapping[str, Any]) -> Theorem:
    """Replay a certificate; raises `BadCertificate` when it is damaged or does not prove what it says."""
    try:
        if certificate.get("format") != FORMAT:
            raise BadCertificate(f"needed format {FORMAT!r}, found {certificate.get('format')!r}")
        r = _Reader(certificate["terms"])
        statement = r.statement(certificate["statement"])
        theory = Theory({t.name: t for t in map(r.tensor, certificate["tensors"])}, {})
        definitions: dict[str, tuple[Definition, ...]] = {}
        for row in certificate["definitions"]:
            d = r.definition(row)
            definitions[d.name] = (*definitions.get(d.name, ()), d)
        theory = Theory(theory.tensors, definitions)
        theorem = replay(theory, statement, r.proof(certificate["proof"]))
        recorded, text = certificate["assumptions"], certificate["text"]
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        if isinstance(error, BadCertificate):
            raise
        what = str(error) if isinstance(error, (KernelError, TermError)) else f"{type(error).__name__}: {error}"
        raise BadCertificate(f"the certificate does not replay: {what}") from error
    if [a.text for a in theorem.assumptions] != recorded:
        raise BadCertificate("the certificate lists other assumptions than its proof has")
    if text != str(statement):
        raise BadCertificate(f"the certificate proves {statement}, not {text}")
    return theorem


def _each(kind: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda v: isinstance(v, tuple) and all(map(kind, v))


def _is(*kinds: type) -> Callable[[Any], bool]:
    return lambda v: isinstance(v, kinds) and not isinstance(v, bool)


def _branch(v: Any) -> bool:
    return isinstance(v, tuple) and len(v) == 2 and _each(_is(Constraint))(v[0]) and isinstance(v[1], Term)


_FIELDS: dict[str, Callable[[Any], bool]] = {
    "above": _is(Term),
    "arg": _is(Term),
    "base": _is(Term),
    "body": _is(Term),
    "exponent": _is(Term),
    "otherwise": _is(Term),
    "test": _is(Term),
    "index": _is(Index),
    "value": _is(fmpq, int),
    "name": _is(str),
    "function": _is(str),
    "var": _is(str),
    "at": _each(_is(Index)),
    "indices": _each(_is(Index)),
    "sizes": _each(_is(Index)),
    "condition": _each(_is(Constraint)),
    "guard": _each(_is(Constraint)),
    "branches": _each(_branch),
}
"""What a field of a term holds; `args` are terms, or tensors given by their entries."""

_LETTERS = {"index": "i", "size": "s", "product": "x", "perm": "p", "inverse": "v", "quotient": "d"}


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise BadCertificate(f"needed whole numbers in an index, found {value!r}")
    return value


def _made(letter: str, name: str, args: list[Index]) -> Index:
    """An atom of an index, built by the same functions as everywhere else."""
    if letter == "i" and not args:
        return Index.var(name)
    if letter == "s" and not args:
        return Index.size(name)
    if letter == "x" and len(args) > 1:
        total = args[0]
        for a in args[1:]:
            total = total * a
        return total
    if letter in ("p", "v") and len(args) == 2:
        return language.permuted(name, args[1], args[0], inverse=letter == "v")
    if letter == "d" and len(args) == 2:
        return language.quotient(args[0], args[1])
    raise BadCertificate(f"needed an atom of an index, found {letter!r} with {len(args)} arguments")


class _Writer:
    def __init__(self) -> None:
        self.rows: list[Any] = []
        self.numbers: dict[Term, int] = {}

    def term(self, t: Term) -> int:
        found = self.numbers.get(t)
        if found is None:
            row = [type(t).__name__, *(self.value(getattr(t, f)) for f in t.fields)]
            found = self.numbers[t] = len(self.rows)
            self.rows.append(row)
        return found

    def index(self, i: Index) -> list[Any]:
        return [i.const, *([_LETTERS[a.kind], a.name, c, *map(self.index, a.args)] for a, c in i.terms)]

    def tensor(self, t: Tensor) -> list[Any]:
        row: list[Any] = [t.name, [self.index(i) for i in t.shape]]
        if t.law is not None:
            row.append([None if x is None else self.term(x) for x in (t.law.mean, t.law.variance)])
        return row

    def condition(self, g: Guard) -> list[Any]:
        return [[c.relation, self.index(c.index)] for c in g]

    def value(self, v: Any) -> Any:
        if isinstance(v, Term):
            return {"t": self.term(v)}
        if isinstance(v, Index):
            return {"i": self.index(v)}
        if isinstance(v, Constraint):
            return {"c": [v.relation, self.index(v.index)]}
        if isinstance(v, Lambda):
            return {"l": [list(v.params), self.term(v.body)]}
        if isinstance(v, fmpq):
            return {"q": str(v)}
        if isinstance(v, Step):
            return {"s": self.step(v)}
        if isinstance(v, tuple):
            return [self.value(x) for x in v]
        if isinstance(v, Mapping):
            return {"m": {k: self.value(x) for k, x in sorted(v.items())}}
        if isinstance(v, (str, int)):
            return v
        raise TypeError(f"no certificate form for {type(v).__name__}")

    def step(self, s: Step) -> list[Any]:
        args = {k: self.value(v) for k, v in s.args.items()}
        return [s.rule, list(s.path), self.term(s.before), self.term(s.after), args, s.back]

    def proof(self, p: Proof) -> list[Any]:
        if isinstance(p, Meet):
            return ["meet", [self.step(s) for s in p.left], [self.step(s) for s in p.right]]
        if isinstance(p, Split):
            on = [p.on.relation, self.index(p.on.index)]
            return ["split", on, self.proof(p.holds), [self.proof(q) for q in p.fails]]
        if isinstance(p, SignSplit):
            return ["signs", self.term(p.on), self.proof(p.above), self.proof(p.otherwise)]
        if isinstance(p, Clear):
            return ["clear", self.term(p.factor), self.proof(p.rest)]
        if isinstance(p, Raise):
            return ["raise", self.proof(p.rest)]
        if isinstance(p, Have):
            return ["have", self.statement(p.lemma), self.proof(p.why), self.proof(p.rest)]
        if isinstance(p, Induct):
            return ["induct", p.var, self.index(p.start), self.proof(p.base), self.proof(p.step)]
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
            "indices": list(s.indices),
            "guard": self.condition(s.guard),
            "hypotheses": [self.statement(h) for h in s.hypotheses],
        }

    def definition(self, d: Definition) -> dict[str, Any]:
        return {
            "name": d.name,
            "indices": [self.index(i) for i in d.indices],
            "body": self.term(d.body),
            "condition": self.condition(d.condition),
            "tensors": [[t.name, [self.index(i) for i in t.shape]] for t in d.tensors],
            "sizes": list(d.sizes),
            "shape": None if d.shape is None else [self.index(i) for i in d.shape],
        }


class _Reader:
    def __init__(self, rows: list[Any]) -> None:
        self.terms: list[Term] = []
        for row in rows:
            cls = _KINDS.get(row[0])
            if cls is None:
                raise BadCertificate(f"needed a kind of term, found {row[0]!r}")
            values = [self.value(v) for v in row[1:]]
            if len(values) != len(cls.fields):
                raise BadCertificate(
                    f"needed {', '.join(cls.fields) or 'nothing'} of {row[0]}, found {len(values)} values"
                )
            for field, v in zip(cls.fields, values, strict=True):
                known = _each(_is(Lambda if row[0] == "Entry" else Term)) if field == "args" else _FIELDS[field]
                if not known(v):
                    raise BadCertificate(f"needed {field} of {row[0]} of the right kind, found {v!r}")
            self.terms.append(cls(*values))

    def term(self, number: int) -> Term:
        if not isinstance(number, int) or not 0 <= number < len(self.terms):
            raise BadCertificate(f"needed the number of an earlier term, found {number!r}")
        return self.terms[number]

    def index(self, row: list[Any]) -> Index:
        total = Index((), _whole(row[0]))
        for letter, name, c, *args in row[1:]:
            total = total + _whole(c) * _made(str(letter), str(name), [self.index(a) for a in args])
        return total

    def tensor(self, row: list[Any]) -> Tensor:
        name, shape, *law = row
        moments = [None if x is None else self.term(x) for x in law[0]] if law else []
        return Tensor(str(name), tuple(map(self.index, shape)), Law(*moments) if law else None)

    def condition(self, rows: list[Any]) -> Guard:
        return language.guard(*(self.constraint(r) for r in rows))

    def constraint(self, row: list[Any]) -> Constraint:
        if row[0] not in (">=", "=="):
            raise BadCertificate(f"needed >= or ==, found {row[0]!r}")
        return constraint(self.index(row[1]), row[0])

    def value(self, v: Any) -> Any:
        if isinstance(v, list):
            return tuple(map(self.value, v))
        if isinstance(v, dict):
            ((kind, inner),) = v.items()
            forms: dict[str, Callable[[Any], Any]] = {
                "t": self.term,
                "i": self.index,
                "c": self.constraint,
                "l": lambda x: Lambda(tuple(map(str, x[0])), self.term(x[1])),
                "q": lambda x: fmpq(*map(int, str(x).split("/"))),
                "s": self.step,
                "m": lambda x: {k: self.value(y) for k, y in x.items()},
            }
            return forms[kind](inner)
        return v

    def step(self, row: list[Any]) -> Step:
        rule, path, before, after, args, back = row
        if not isinstance(back, bool):
            raise BadCertificate(f"needed true or false, found {back!r}")
        values = {k: self.value(v) for k, v in args.items()}
        return Step(str(rule), tuple(path), self.term(before), self.term(after), values, back)

    def proof(self, row: list[Any]) -> Proof:
        kind = row[0]
        if kind == "meet":
            return Meet(tuple(map(self.step, row[1])), tuple(map(self.step, row[2])))
        if kind == "split":
            return Split(self.constraint(row[1]), self.proof(row[2]), tuple(map(self.proof, row[3])))
        if kind == "signs":
            return SignSplit(self.term(row[1]), self.proof(row[2]), self.proof(row[3]))
        if kind == "clear":
            return Clear(self.term(row[1]), self.proof(row[2]))
        if kind == "raise":
            return Raise(self.proof(row[1]))
        if kind == "have":
            return Have(self.statement(row[1]), self.proof(row[2]), self.proof(row[3]))
        if kind == "induct":
            return Induct(str(row[1]), self.index(row[2]), self.proof(row[3]), self.proof(row[4]))
        if kind == "sign":
            return Sign(tuple(map(self.step, row[1])))
        if kind == "compute":
            return Compute()
        raise BadCertificate(f"needed a kind of proof, found {kind!r}")

    def statement(self, row: dict[str, Any]) -> Statement:
        if row["relation"] not in ("=", "<=", "<", "!="):
            raise BadCertificate(f"needed a relation, found {row['relation']!r}")
        return Statement(
            self.term(row["left"]),
            row["relation"],
            self.term(row["right"]),
            tuple(map(str, row["indices"])),
            self.condition(row["guard"]),
            tuple(map(self.statement, row["hypotheses"])),
        )

    def definition(self, row: dict[str, Any]) -> Definition:
        return Definition(
            str(row["name"]),
            tuple(map(self.index, row["indices"])),
            self.term(row["body"]),
            self.condition(row["condition"]),
            tuple(Tensor(str(n), tuple(map(self.index, s))) for n, s in row["tensors"]),
            tuple(map(str, row["sizes"])),
            None if row["shape"] is None else tuple(map(self.index, row["shape"])),
        )
