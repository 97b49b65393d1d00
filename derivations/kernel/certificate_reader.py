"""How the data of certificates become terms, statements and proofs (see `docs/certificates.md`).

Everything is looked at before it is used: kinds, numbers of parts, names, and the arguments of each rule.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from flint import fmpq, fmpz

from derivations.kernel.certificate_writer import LETTERS, LawRow, Row, check_name
from derivations.kernel.errors import BadCertificate
from derivations.kernel.proof import Clear, Compute, Have, Induct, Meet, Proof, Raise, Sign, SignSplit, Split, Step
from derivations.kernel.rules import RULES
from derivations.kernel.scope import Obligation
from derivations.language import term as language
from derivations.language.statement import CIRCLE, Definition, Law, Statement, Tensor, Theory
from derivations.language.term import Constraint, Guard, Index, Lambda, Term, TermError, constraint

MAX_TERMS = 100_000
MAX_NAMES = 3_000_000
"""Names that the terms mention, each counted for each term."""
MAX_ROWS = 1_000
"""Tensors, definitions, hypotheses or assumptions."""
MAX_LOOKED_AT = 20_000_000
"""Nodes of the terms on both sides of all steps."""
MAX_PROOF_DEPTH = 200
"""Levels of a proof: cases in cases, lemmas after lemmas, side conditions of side conditions."""
MAX_EXPONENT = 1_000_000
"""Largest numerator and denominator of a number as an exponent."""
MAX_COEFFICIENT = 4_000
"""Bits of a number in an index."""

KINDS: dict[str, type[Term]] = {
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
RELATIONS = ("=", "<=", "<", "!=")
ORIGINS = ("definedness", "document")
_QUOTIENT = re.compile(r"-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?")


def told(value: Any) -> str:
    """A value in the words of a refusal."""
    return f"{value!r:.80}" if isinstance(value, (str, int, float, bool, type(None))) else type(value).__name__


def a_list(value: Any, what: str, length: int | None = None) -> list[Any]:
    """The list, of this length where one is given."""
    if type(value) is not list or (length is not None and len(value) != length):
        needed = "a list" if length is None else f"a list of {length}"
        found = f"{len(value)} of them" if type(value) is list else told(value)
        raise BadCertificate(f"needed {needed} as {what}, found {found}")
    return value


def an_object(value: Any, keys: Iterable[str], what: str) -> dict[str, Any]:
    """The object with these keys and no others."""
    if type(value) is not dict:
        raise BadCertificate(f"needed {what} as an object, found {told(value)}")
    needed = set(keys)
    for missing in sorted(needed - set(value)):
        raise BadCertificate(f"needed {missing!r} in {what}, found none")
    for key in value:
        if key not in needed:
            raise BadCertificate(f"needed {', '.join(keys)} in {what}, found {told(key)} too")
    return value


def a_name(value: Any) -> str:
    """The name, where a certificate may have it."""
    if type(value) is not str:
        raise BadCertificate(f"needed a name, found {told(value)}")
    return check_name(value)


def names(value: Any, what: str) -> tuple[str, ...]:
    """Names."""
    return tuple(map(a_name, a_list(value, what)))


def whole(value: Any, what: str, least: int | None = None) -> int:
    """The whole number."""
    if type(value) is not int or (least is not None and value < least):
        raise BadCertificate(
            f"needed {'a whole number' if least is None else 'a number from 0'} as {what}, found {told(value)}"
        )
    return value


def number(value: Any) -> fmpq:
    """The rational number that is written like -3/4, in lowest terms."""
    if type(value) is not str or not _QUOTIENT.fullmatch(value):
        raise BadCertificate(f"needed a number like '-3/4', found {told(value)}")
    above, _, below = value.partition("/")
    if max(len(above), len(below)) > language.MAX_BITS // 3:
        raise BadCertificate(f"needed a number of at most {language.MAX_BITS} bits, found {len(value)} digits")
    found = fmpq(fmpz(above), fmpz(below or "1"))
    if str(found) != value:
        raise BadCertificate(f"needed a number in lowest terms, found {told(value)}")
    return found


# --- what fields and arguments hold ---------------------------------------------------------------------------------

Test = Callable[[Any], bool]


def _each(kind: Test) -> Test:
    return lambda v: isinstance(v, tuple) and all(map(kind, v))


def _is(*kinds: type) -> Test:
    return lambda v: isinstance(v, kinds) and not isinstance(v, bool)


def _branch(v: Any) -> bool:
    return isinstance(v, tuple) and len(v) == 2 and _each(_is(Constraint))(v[0]) and isinstance(v[1], Term)


def _indices_by_name(v: Any) -> bool:
    return isinstance(v, Mapping) and all(isinstance(i, Index) for i in v.values())


def _answer(v: Any) -> bool:
    tests = (_is(int), _each(_is(Constraint)), _indices_by_name, _indices_by_name)
    return isinstance(v, tuple) and len(v) == 4 and all(test(x) for test, x in zip(tests, v, strict=True))


_FIELDS: dict[str, Test] = {
    "above": _is(Term),
    "arg": _is(Term),
    "base": _is(Term),
    "body": _is(Term),
    "exponent": _is(Term),
    "otherwise": _is(Term),
    "test": _is(Term),
    "index": _is(Index),
    "value": _is(fmpq),
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

ARGUMENTS: dict[str, tuple[str, Test]] = {
    "int": ("a whole number", _is(int)),
    "bool": ("true or false", lambda v: isinstance(v, bool)),
    "str": ("a name", _is(str)),
    "Index": ("an index", _is(Index)),
    "Constraint": ("a constraint", _is(Constraint)),
    "Term": ("a term", _is(Term)),
    "Term | None": ("a term, or left out", _is(Term)),
    "Entry": ("an entry", _is(language.Entry)),
    "Lambda": ("a tensor given by its entries", _is(Lambda)),
    "tuple[int, ...]": ("whole numbers", _each(_is(int))),
    "tuple[Any, ...]": ("steps", _each(_is(Step))),
    "Mapping[str, Index]": ("an index for each name", _indices_by_name),
    "tuple[tuple[maximum.Branch, ...], ...]": ("answers for each piece", _each(_each(_answer))),
}
"""The kinds of arguments that rules take, by the annotation: in words, and what is one."""


@cache
def arguments(rule: str) -> Mapping[str, tuple[str, bool]]:
    """The arguments of a rule: name, annotation, whether it must be there."""
    taken = list(inspect.signature(RULES[rule].check).parameters.values())[3:]
    return {p.name: (str(p.annotation), p.default is inspect.Parameter.empty) for p in taken}


def check_arguments(rule: Any, values: Mapping[str, Any]) -> None:
    """Refuses arguments that the rule does not take, or of another kind."""
    if type(rule) is not str or rule not in RULES:
        raise BadCertificate(f"needed a rule of the kernel, found {told(rule)}")
    taken = arguments(rule)
    for name, value in values.items():
        if name not in taken:
            raise BadCertificate(f"needed {', '.join(taken) or 'no arguments'} of {rule}, found {told(name)} too")
        what, test = ARGUMENTS[taken[name][0]]
        if not test(value):
            raise BadCertificate(f"needed {what} as {name} of {rule}, found {told(value)}")
    for name, (_, needed) in taken.items():
        if needed and name not in values:
            raise BadCertificate(f"needed {name} of {rule}, found none")


def _atom(letter: Any, name: Any, args: list[Index]) -> Index:
    """An atom of an index, built by the same functions as everywhere else."""
    if letter == "i" and not args:
        return Index.var(a_name(name))
    if letter == "s" and not args:
        return Index.size(a_name(name))
    if letter in ("p", "v") and len(args) == 2:
        return language.permuted(a_name(name), args[1], args[0], inverse=letter == "v")
    if letter == "l" and args:
        return language.label(a_name(name), args[:-1], args[-1])
    if letter in ("x", "d") and name != "":
        raise BadCertificate(f"needed no name of a product or quotient, found {told(name)}")
    if letter == "x" and len(args) > 1:
        total = args[0]
        for a in args[1:]:
            total = total * a
        return total
    if letter == "d" and len(args) == 2:
        return language.quotient(args[0], args[1])
    known = ", ".join(LETTERS.values())
    raise BadCertificate(f"needed an atom of an index ({known}), found {told(letter)} of {len(args)}")


class Reader:
    """Reads terms from a table, and everything else by their numbers."""

    def __init__(self, rows: Any) -> None:
        self.terms: list[Term] = []
        self.looked_at = self.named = 0
        if len(a_list(rows, "the terms")) > MAX_TERMS:
            raise BadCertificate(f"needed at most {MAX_TERMS} terms, found {len(rows)}")
        for k, row in enumerate(rows):
            try:
                self.terms.append(self._term(row))
            except (BadCertificate, TermError) as error:
                raise BadCertificate(f"term {k}: {error}") from None

    def _term(self, row: Any) -> Term:
        kind, *given = a_list(row, "a term") or [None]
        cls = KINDS.get(kind) if type(kind) is str else None
        if cls is None:
            raise BadCertificate(f"needed a kind of term, found {told(kind)}")
        if len(given) != len(cls.fields):
            raise BadCertificate(f"needed {', '.join(cls.fields) or 'nothing'} of {kind}, found {len(given)} values")
        values = [self.value(v) for v in given]
        for field, v in zip(cls.fields, values, strict=True):
            known = _each(_is(Lambda if kind == "Entry" else Term)) if field == "args" else _FIELDS[field]
            if not known(v):
                raise BadCertificate(f"needed {field} of {kind} of the right kind, found {told(v)}")
        made = cls(*values)
        if isinstance(made, language.Pow) and isinstance(made.exponent, language.Number):
            q = made.exponent.value
            if max(abs(q.p), q.q) > MAX_EXPONENT:
                raise BadCertificate(f"needed exponents up to {MAX_EXPONENT}, found a larger one")
        self.named += len(made.free) + len(made.heads)
        if self.named > MAX_NAMES:
            raise BadCertificate(f"needed terms that mention at most {MAX_NAMES} names, found more")
        return made

    def term(self, at: Any) -> Term:
        if type(at) is not int or not 0 <= at < len(self.terms):
            raise BadCertificate(f"needed the number of an earlier term, found {told(at)}")
        return self.terms[at]

    def index(self, row: Any, depth: int = 0) -> Index:
        const, *parts = a_list(row, "an index") or [None]
        if depth > 20:
            raise BadCertificate("needed an index of at most 20 levels, found more")
        total = Index((), self._coefficient(const))
        for part in parts:
            if type(part) is not list or len(part) < 3:
                raise BadCertificate(f"needed an atom with its name and coefficient, found {told(part)}")
            letter, name, c, *args = part
            total = total + self._coefficient(c) * _atom(letter, name, [self.index(a, depth + 1) for a in args])
        return total

    def _coefficient(self, value: Any) -> int:
        if whole(value, "a coefficient of an index").bit_length() > MAX_COEFFICIENT:
            raise BadCertificate(f"needed numbers of at most {MAX_COEFFICIENT} bits in an index, found a longer one")
        return int(value)

    def shape(self, rows: Any, what: str) -> tuple[Index, ...]:
        return tuple(map(self.index, a_list(rows, what)))

    def tensor(self, row: Any) -> Tensor:
        if type(row) is not list or len(row) not in (2, 3):
            raise BadCertificate(f"needed a tensor with its shape, found {told(row)}")
        name, shape, *more = row
        if more and type(more[0]) is str:
            if more[0] != CIRCLE or shape != []:
                raise BadCertificate(f"needed the number {CIRCLE} without axes as a constant, found {told(row)}")
            return Tensor(a_name(name), constant=CIRCLE)
        return Tensor(a_name(name), self.shape(shape, "a shape"), self.law(more[0]) if more else None)

    def law(self, row: Any) -> Law:
        is_normal = type(row) is list and len(row) > 2 and row[2:] == ["normal"]
        mean, variance = a_list(row[:2] if is_normal else row, "a law", 2)
        first, second = (None if x is None else self.term(x) for x in (mean, variance))
        return Law(first, second, is_normal)

    def condition(self, rows: Any) -> Guard:
        return language.guard(*map(self.constraint, a_list(rows, "conditions")))

    def constraint(self, row: Any) -> Constraint:
        relation, index = a_list(row, "a constraint", 2)
        if relation not in (">=", "=="):
            raise BadCertificate(f"needed >= or ==, found {told(relation)}")
        return constraint(self.index(index), relation)

    def value(self, v: Any, depth: int = 0) -> Any:
        if depth > MAX_PROOF_DEPTH:
            raise BadCertificate(f"needed values of at most {MAX_PROOF_DEPTH} levels, found more")
        if type(v) is list:
            return tuple(self.value(x, depth + 1) for x in v)
        if type(v) is str:
            return check_name(v)
        if type(v) in (bool, int):
            return v
        if type(v) is not dict or len(v) != 1:
            raise BadCertificate(f"needed a value with its letter, found {told(v)}")
        ((kind, inner),) = v.items()
        if kind == "s":
            return self.step(inner, depth + 1)
        if kind == "m":
            if type(inner) is not dict:
                raise BadCertificate(f"needed values by their names, found {told(inner)}")
            return {a_name(k): self.value(x, depth + 1) for k, x in inner.items()}
        forms: dict[str, Callable[[Any], Any]] = {
            "t": self.term,
            "i": self.index,
            "c": self.constraint,
            "l": self._lambda,
            "q": number,
        }
        if kind not in forms:
            raise BadCertificate(f"needed a letter of {', '.join([*forms, 's', 'm'])}, found {told(kind)}")
        return forms[kind](inner)

    def _lambda(self, row: Any) -> Lambda:
        params, body = a_list(row, "a tensor given by its entries", 2)
        return Lambda(names(params, "the indices of a tensor given by its entries"), self.term(body))

    def step(self, row: Any, depth: int = 0) -> Step:
        rule, path, before, after, args, back = a_list(row, "a step", 6)
        if type(back) is not bool:
            raise BadCertificate(f"needed true or false, found {told(back)}")
        if type(args) is not dict:
            raise BadCertificate(f"needed arguments by their names, found {told(args)}")
        place = tuple(whole(k, "a part of a position", 0) for k in a_list(path, "a position"))
        values = {a_name(k): self.value(v, depth + 1) for k, v in args.items()}
        check_arguments(rule, values)
        made = Step(rule, place, self.term(before), self.term(after), values, back)
        self.looked_at += made.before.nodes + made.after.nodes
        if self.looked_at > MAX_LOOKED_AT:
            raise BadCertificate(f"needed steps on at most {MAX_LOOKED_AT} nodes together, found more")
        return made

    def chain(self, rows: Any) -> tuple[Step, ...]:
        found = []
        for k, row in enumerate(a_list(rows, "a chain of steps"), 1):
            try:
                found.append(self.step(row))
            except BadCertificate as error:
                raise BadCertificate(f"step {k}: {error}") from None
        return tuple(found)

    def proof(self, row: Any, depth: int = 0) -> Proof:
        if depth > MAX_PROOF_DEPTH:
            raise BadCertificate(f"needed a proof of at most {MAX_PROOF_DEPTH} levels, found more")
        kind, *parts = a_list(row, "a proof") or [None]
        lengths = {"meet": 2, "split": 3, "signs": 3, "clear": 2, "raise": 1, "have": 3, "induct": 4, "sign": 1}
        if type(kind) is not str or kind not in (*lengths, "compute"):
            raise BadCertificate(f"needed a kind of proof, found {told(kind)}")
        a_list(parts, f"the parts of {kind}", lengths.get(kind, 0))

        def below(part: Any) -> Proof:
            return self.proof(part, depth + 1)

        if kind == "meet":
            return Meet(self.chain(parts[0]), self.chain(parts[1]))
        if kind == "split":
            return Split(self.constraint(parts[0]), below(parts[1]), tuple(map(below, a_list(parts[2], "other cases"))))
        if kind == "signs":
            return SignSplit(self.term(parts[0]), below(parts[1]), below(parts[2]))
        if kind == "clear":
            return Clear(self.term(parts[0]), below(parts[1]))
        if kind == "raise":
            return Raise(below(parts[0]))
        if kind == "have":
            return Have(self.statement(parts[0], "a lemma"), below(parts[1]), below(parts[2]))
        if kind == "induct":
            return Induct(a_name(parts[0]), self.index(parts[1]), below(parts[2]), below(parts[3]))
        return Sign(self.chain(parts[0])) if kind == "sign" else Compute()

    def statement(self, row: Any, what: str, *, nested: bool = False) -> Statement:
        s = an_object(row, ("left", "relation", "right", "indices", "guard", "hypotheses"), what)
        if type(s["relation"]) is not str or s["relation"] not in RELATIONS:
            raise BadCertificate(f"needed a relation of {', '.join(RELATIONS)}, found {told(s['relation'])}")
        given = a_list(s["hypotheses"], f"the hypotheses of {what}")
        if given and not nested:
            raise BadCertificate(f"needed {what} without hypotheses, found {len(given)}")
        if len(given) > MAX_ROWS:
            raise BadCertificate(f"needed at most {MAX_ROWS} hypotheses, found {len(given)}")
        return Statement(
            self.term(s["left"]),
            s["relation"],
            self.term(s["right"]),
            names(s["indices"], "indices"),
            self.condition(s["guard"]),
            tuple(self.statement(h, "a hypothesis") for h in given),
        )

    def definition(self, row: Any) -> Definition:
        keys = ("name", "indices", "body", "condition", "tensors", "sizes", "shape")
        d = an_object(row, keys, "a definition")
        parameters = tuple(map(self.tensor, a_list(d["tensors"], "parameters")))
        if any(t.law is not None or t.constant is not None for t in parameters):
            raise BadCertificate(f"needed parameters of {d['name']} without laws that are no constants, found another")
        return Definition(
            a_name(d["name"]),
            self.shape(d["indices"], "the indices of a definition"),
            self.term(d["body"]),
            self.condition(d["condition"]),
            parameters,
            names(d["sizes"], "sizes"),
            None if d["shape"] is None else self.shape(d["shape"], "a shape"),
        )

    def theory(self, tensors: Any, definitions: Any) -> Theory:
        for rows, what in ((tensors, "tensors"), (definitions, "definitions")):
            if len(a_list(rows, f"the {what}")) > MAX_ROWS:
                raise BadCertificate(f"needed at most {MAX_ROWS} {what}, found {len(rows)}")
        given: dict[str, Tensor] = {}
        for t in map(self.tensor, tensors):
            if t.name in given:
                raise BadCertificate(f"needed tensors with different names, found {told(t.name)} twice")
            given[t.name] = t
        found: dict[str, tuple[Definition, ...]] = {}
        for d in map(self.definition, definitions):
            found[d.name] = (*found.get(d.name, ()), d)
        return Theory(given, found)

    def assumption(self, row: Any, k: int) -> tuple[Row, str]:
        """The assumption, and its text."""
        if k >= MAX_ROWS or type(row) is not dict:
            raise BadCertificate(f"needed at most {MAX_ROWS} assumptions as objects, found {told(row)} as number {k}")
        kind = a_name(row.get("kind"))
        own = {"hypothesis": ("statement",), "law": ("tensor", "law")}
        parts = own.get(kind, ("variables", "facts", "subject", "goal", "every_outcome"))
        a = an_object(row, ("origin", "kind", "text", *parts), f"assumption {k}")
        if a["origin"] not in ORIGINS or type(a["text"]) is not str:
            raise BadCertificate(f"needed an origin of {', '.join(ORIGINS)} and a text in assumption {k}, found others")
        about: Obligation | Statement | LawRow
        if kind == "hypothesis":
            about = self.statement(a["statement"], "a hypothesis")
        elif kind == "law":
            about = LawRow(a_name(a["tensor"]), self.law(a["law"]))
        else:
            facts, goal, always = self.condition(a["facts"]), self.condition(a["goal"]), a["every_outcome"]
            if type(always) is not bool:
                raise BadCertificate(f"needed true or false in assumption {k}, found {told(always)}")
            about = Obligation(kind, names(a["variables"], "variables"), facts, self.term(a["subject"]), goal, always)
        return Row(a["origin"], about), a["text"]
