"""The exact text of a statement says what is meant: a reader of the text alone gets the same values.

Random statements with names that look like numbers, operators, brackets and one another are written, read again by the
small reader below (which knows the text and nothing else), and both are evaluated at random sizes and inputs.
"""

import json
import random
import re
from collections.abc import Callable
from typing import Any

import pytest

from derivations.language.extended_reals import Indeterminate, WorkLimit, ball
from derivations.language.inputs import Inputs
from derivations.language.meaning import evaluate
from derivations.language.statement import Definition, Statement, Theory
from derivations.language.term import (
    HALF,
    INVERSE,
    Add,
    Apply,
    Bracket,
    Case,
    Choice,
    Constraint,
    Derivative,
    Entry,
    Expectation,
    Index,
    IndexValue,
    Lambda,
    Max,
    Mul,
    NegInfinity,
    Number,
    Pow,
    Sum,
    Term,
    TermError,
    at_least,
    equal,
    guard,
    less,
    permuted,
    quotient,
    within,
)
from derivations.language.text import write_definition, write_statement

NASTY = (
    *(
        "x",
        "y",
        "n",
        "i",
        "j",
        "d",
        "dx",
        "0",
        "1",
        "-1",
        "2*n",
        "x + y",
        "x]",
        "x[0]",
        "f(x)",
        "a, b",
        "[i < n]",
        "n1",
    ),
    *(
        "sum",
        "max",
        "E",
        "exp",
        "log",
        "sqrt",
        "oo",
        "-oo",
        "if",
        "else",
        "true",
        "for",
        "given",
        "with",
        "where",
        "all",
    ),
    *(
        "sizes",
        "cases",
        "floor",
        "inverse",
        INVERSE,
        "pi",
        "pi^-1",
        'a"b',
        "a\\",
        '"x"',
        "α",
        "é",
        "e\u0301",
        "а",
        "x y",
    ),
    *("W^{(q)}", "x'", "_", "#", "d/dx", "x  for all sizes n", ";", ":", "->", "x; y"),
)


# --- random statements ----------------------------------------------------------------------------------------------


class Maker:
    """Random terms over sizes and variables with nasty names."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.sizes = self.random.sample(NASTY, 2)

    def name(self) -> str:
        return self.random.choice(NASTY)

    def index(self, scope: list[str], depth: int = 2) -> Index:
        pick = self.random
        kind = pick.randrange(8 if depth else 3)
        if kind == 0 or (kind == 1 and not scope):
            return Index.of(pick.randint(-2, 2))
        if kind in (1, 5, 6, 7) and scope:
            return Index.var(pick.choice(scope))
        if kind == 2:
            return Index.size(pick.choice(self.sizes))
        if kind == 3:
            return self.index(scope, depth - 1) * pick.choice((1, 2, -1, Index.size(self.sizes[0]))) + pick.randint(
                0, 1
            )
        axis = Index.size(pick.choice(self.sizes))
        if pick.random() < 0.5:
            return permuted(self.name(), axis, self.index(scope, depth - 1), inverse=pick.random() < 0.4)
        return quotient(self.index(scope, depth - 1), axis)

    def condition(self, scope: list[str]) -> Constraint:
        return self.random.choice((at_least, less, equal))(self.index(scope, 1), self.index(scope, 1))

    def given(self, scope: list[str], depth: int) -> Lambda:
        params = self.random.sample(NASTY, self.random.randrange(3))
        if self.random.random() < 0.4:
            return Lambda(tuple(params), Entry(self.name(), map(Index.var, params)))
        return Lambda(tuple(params), self.term([*scope, *params], depth))

    def term(self, scope: list[str], depth: int) -> Term:
        pick = self.random
        few = range(pick.randint(0, 3))
        leaves: list[Callable[[], Term]] = [
            lambda: Number(pick.choice((0, 1, -1, 2))) * pick.choice((1, Number(1) / Number(3))),
            lambda: Number(pick.randint(-2, 3)),
            lambda: IndexValue(self.index(scope)),
            lambda: Entry(self.name()),
            lambda: Entry(self.name(), [self.index(scope) for _ in few]),
            lambda: Bracket([self.condition(scope) for _ in few]),
            NegInfinity,
        ]
        if not depth:
            return pick.choice(leaves)()

        def below() -> Term:
            return self.term(scope, depth - 1)

        def binder() -> Term:
            v = self.name()
            ranges = (
                *within(v, 0, Index.size(pick.choice(self.sizes))),
                *(self.condition([*scope, v]) for _ in few[:1]),
            )
            return pick.choice((Sum, Max))(v, ranges, self.term([*scope, v], depth - 1))

        nodes: list[Callable[[], Term]] = [
            lambda: Add([below() for _ in few]),
            lambda: Mul([below() for _ in few]),
            lambda: below() - below(),
            lambda: below() / below(),
            lambda: Pow(below(), Number(pick.choice((-2, -1, 1, 2)))),
            lambda: Pow(below(), pick.choice((Number(pick.randint(1, 3)), IndexValue(self.index(scope))))),
            lambda: Apply(self.name(), below()),
            lambda: Case([([self.condition(scope)], below()) for _ in few[:2]], below()),
            lambda: Choice(below(), below(), below()),
            lambda: Choice(below(), Number(1), Number(0)),
            lambda: Entry(self.name(), [self.index(scope)], [self.given(scope, depth - 1) for _ in few]),
            lambda: Entry(
                self.name(), [], [self.given(scope, depth - 1)], [Index.size(pick.choice(self.sizes)) for _ in few]
            ),
            lambda: Entry(self.name(), [self.index(scope)], (), [Index.size(pick.choice(self.sizes))]),
            lambda: Derivative(self.name(), [self.index(scope) for _ in few[:2]], below()),
            lambda: Expectation(below()),
            binder,
            binder,
        ]
        return pick.choice((*nodes, *leaves[3:5]))()

    def statement(self, *, hypotheses: bool = True) -> Statement:
        indices = self.random.sample(NASTY, self.random.randrange(3))
        return Statement(
            self.term(indices, 3),
            self.random.choice(("=", "<=", "<", "!=")),
            self.term(indices, 2),
            tuple(indices),
            guard(*(self.condition(indices) for _ in range(self.random.randrange(3)))),
            tuple(self.statement(hypotheses=False) for _ in range(self.random.randrange(3) if hypotheses else 0)),
        )


# --- a reader of the text -------------------------------------------------------------------------------------------

TOKEN = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|[A-Za-z_][A-Za-z0-9_'#]*|\d+|<=|!=|->|[-+*/^()\[\],;:<>=])""")
KEYWORDS = {"sum", "max", "cases", "E", "sqrt", "inverse", "floor"}
CLOSING = {"(": ")", "[": "]"}


class NotAnIndex(Exception):
    pass


class Text:
    """Reads the exact text of a statement; knows nothing of what it was written from."""

    def __init__(self, text: str) -> None:
        assert text.isascii()
        self.tokens: list[str] = []
        at = 0
        while at < len(text):
            found = TOKEN.match(text, at)
            assert found, text[at:]
            self.tokens.append(found[1])
            at = found.end()
        self.at, self.sizes = 0, list[str]()
        for k in range(len(self.tokens) - 2):
            if self.tokens[k : k + 3] == ["for", "all", "sizes"]:
                self.sizes = [self.named(t) for t in self.tokens[k + 3 :] if t != ","]
                del self.tokens[k:]
                break

    @staticmethod
    def named(token: str) -> str:
        if token.startswith('"'):
            return str(json.loads(token))
        assert re.match(r"[A-Za-z_]", token), token
        return token

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, *expected: str) -> str:
        token = self.peek()
        assert token and (not expected or token in expected), (expected, self.tokens[self.at :])
        self.at += 1
        return token

    def accept(self, token: str) -> bool:
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def after_brackets(self, start: int) -> int:
        """The place behind the bracket that opens at `start`."""
        depth = 0
        for k in range(start, len(self.tokens)):
            depth += (self.tokens[k] in CLOSING) - (self.tokens[k] in CLOSING.values())
            if not depth:
                return k + 1
        raise AssertionError(self.tokens)

    def separated(self, closing: str, read: Callable[[], Any]) -> list[Any]:
        found = []
        while not self.accept(closing):
            if found:
                self.take(",")
            found.append(read())
        return found

    def statement(self) -> Statement:
        start, scope = self.at, list[str]()
        depth = 0
        for k in range(start, len(self.tokens)):  # the indices stand behind the sides
            depth += (self.tokens[k] in CLOSING) - (self.tokens[k] in CLOSING.values())
            if not depth and self.tokens[k] in (";", "given", "where"):
                break
            if not depth and self.tokens[k] == "for":
                while True:
                    scope.append(self.named(self.tokens[k + 1]))
                    k += 2
                    if k >= len(self.tokens) or self.tokens[k] != ",":
                        break
                break
        left = self.sum(scope)
        relation = self.take("=", "<=", "<", "!=")
        right = self.sum(scope)
        known: tuple[Constraint, ...] = ()
        if self.accept("for"):
            self.at += 2 * len(scope) - 1
            known = self.guard(scope) if self.accept("with") else ()
        elif self.accept("where"):
            known = self.guard([])
        hypotheses = []
        if self.accept("given"):
            hypotheses.append(self.statement())
            while self.accept(";"):
                hypotheses.append(self.statement())
        return Statement(left, relation, right, tuple(scope), known, tuple(hypotheses))

    def whole(self) -> Statement:
        found = self.statement()
        assert self.at == len(self.tokens), self.tokens[self.at :]
        return found

    # integers
    def index(self, scope: list[str]) -> Index:
        total = Index()
        minus = self.accept("-")
        while True:
            part = self.product_index(scope)
            total = total - part if minus else total + part
            if self.peek() not in ("+", "-"):
                return total
            minus = self.take() == "-"

    def product_index(self, scope: list[str]) -> Index:
        total = self.atom(scope)
        while self.accept("*"):
            total = total * self.atom(scope)
        return total

    def atom(self, scope: list[str]) -> Index:
        token = self.peek()
        if token.isdigit():
            return Index.of(int(self.take()))
        if token == "floor" and self.peek(1) == "(":
            self.at += 3
            above = self.index(scope)
            self.take(")")
            self.take("/")
            self.take("(")
            by = self.index(scope)
            self.take(")")
            self.take(")")
            return quotient(above, by)
        if not re.match(r'["A-Za-z_]', token) or (token in KEYWORDS and self.peek(1) == "("):
            raise NotAnIndex
        inverse = [self.peek(k) for k in range(1, 5)] == ["^", "-", "1", "("]
        if inverse or (self.peek(1) == "(" and self.permutes(self.at + 1)):
            name = self.named(self.take())
            self.at += 4 if inverse else 1
            position = self.index(scope)
            self.take(";")
            length = self.index(scope)
            self.take(")")
            return permuted(name, length, position, inverse=inverse)
        name = self.named(token)
        if self.peek(1) in ("(", "["):
            raise NotAnIndex
        if name in self.sizes:
            self.take()
            return Index.size(name)
        if name in scope:
            self.take()
            return Index.var(name)
        raise NotAnIndex

    def permutes(self, opening: int) -> bool:
        """name(position; length), and no [indices] behind."""
        end = self.after_brackets(opening)
        depths, depth = [], 0
        for token in self.tokens[opening:end]:
            depth += (token in CLOSING) - (token in CLOSING.values())
            if token == ";":
                depths.append(depth)
        return 1 in depths and (end >= len(self.tokens) or self.tokens[end] != "[")

    def guard(self, scope: list[str]) -> tuple[Constraint, ...]:
        if self.accept("true"):
            return ()
        found = []
        while True:
            left = self.index(scope)
            assert self.peek() in ("<", "<=", "=")
            while self.peek() in ("<", "<=", "="):
                sign = self.take()
                right = self.index(scope)
                found.append({"<": less(left, right), "<=": at_least(right, left), "=": equal(left, right)}[sign])
                left = right
            if not self.accept(","):
                return guard(*found)

    def test(self, scope: list[str]) -> tuple[Constraint, ...] | Term:
        """A guard, or the value that is compared with 0."""
        start = self.at
        try:
            found = self.guard(scope)
            if self.peek() in ("]", ";"):
                return found
        except (NotAnIndex, AssertionError):
            pass
        self.at = start
        left = self.sum(scope)
        sign = self.take("<", ">")
        right = self.sum(scope)
        return left - right if sign == ">" else right - left

    # real numbers
    def sum(self, scope: list[str]) -> Term:
        parts: list[Term] = []
        minus = self.accept("-")
        while True:
            if minus and self.accept("oo"):
                parts.append(NegInfinity())
            else:
                part = self.product(scope)
                parts.append(Mul((Number(-1), part)) if minus else part)
            if self.peek() not in ("+", "-"):
                return parts[0] if len(parts) == 1 else Add(parts)
            minus = self.take() == "-"

    def product(self, scope: list[str]) -> Term:
        if not (self.peek() == "d" and self.derives()):
            parts = [self.power(scope)]
        else:
            parts = [self.derivative(scope)]
        while self.peek() in ("*", "/"):
            below = self.take() == "/"
            part = self.derivative(scope) if self.peek() == "d" and self.derives() else self.power(scope)
            parts.append(Pow(part, -1) if below else part)
        return parts[0] if len(parts) == 1 else Mul(parts)

    def derives(self) -> bool:
        """d/dx[...](...), which no quotient looks like."""
        if self.peek(1) != "/" or not self.peek(2).startswith("d"):
            return False
        opening = self.at + (4 if self.peek(2) == "d" and self.peek(3).startswith('"') else 3)
        if opening >= len(self.tokens) or self.tokens[opening] != "[":
            return False
        end = self.after_brackets(opening)
        return end < len(self.tokens) and self.tokens[end] == "("

    def derivative(self, scope: list[str]) -> Term:
        self.at += 2
        token = self.take()
        name = self.named(self.take()) if token == "d" and self.peek().startswith('"') else token[1:]
        self.take("[")
        at = self.separated("]", lambda: self.index(scope))
        self.take("(")
        body = self.sum(scope)
        self.take(")")
        return self.powered(Derivative(name, at, body), scope)

    def power(self, scope: list[str]) -> Term:
        return self.powered(self.primary(scope), scope)

    def powered(self, base: Term, scope: list[str]) -> Term:
        if not self.accept("^"):
            return base
        return Pow(base, self.derivative(scope) if self.peek() == "d" and self.derives() else self.primary(scope))

    def primary(self, scope: list[str]) -> Term:
        token = self.peek()
        if token.isdigit():
            return Number(int(self.take()))
        if self.accept("("):
            found = self.sum(scope)
            self.take(")")
            return found
        if self.accept("["):
            test = self.test(scope)
            self.take("]")
            return Bracket(test) if isinstance(test, tuple) else Choice(test, Number(1), Number(0))
        if token in KEYWORDS and self.peek(1) == "(" and token != "floor":
            return self.keyword(scope)
        start = self.at
        try:
            return IndexValue(self.atom(scope))
        except NotAnIndex:
            self.at = start
        name = self.named(self.take())
        if self.accept("["):
            return Entry(name, self.separated("]", lambda: self.index(scope)))
        if not self.accept("("):
            return Entry(name)
        end = self.after_brackets(self.at - 1)
        if end < len(self.tokens) and self.tokens[end] == "[":
            return self.instance(name, scope)
        found = self.sum(scope)
        self.take(")")
        return Apply(name, found)

    def instance(self, name: str, scope: list[str]) -> Term:
        args, sizes = [], []
        while self.peek() not in (")", ";"):
            if args:
                self.take(",")
            args.append(self.given(scope))
        if self.take(")", ";") == ";":
            sizes = self.separated(")", lambda: self.index(scope))
        self.take("[")
        return Entry(name, self.separated("]", lambda: self.index(scope)), args, sizes)

    def given(self, scope: list[str]) -> Lambda:
        if self.peek(1) == "[":
            name = self.named(self.take())
            self.take("[")
            count = len(self.separated("]", lambda: self.take(":")))
            params = tuple(f"whole {k}" for k in range(count))
            return Lambda(params, Entry(name, map(Index.var, params)))
        self.take("(")
        params = tuple(self.separated(")", lambda: self.named(self.take())))
        self.take("->")
        return Lambda(params, self.sum([*scope, *params]))

    def keyword(self, scope: list[str]) -> Term:
        word = self.take()
        self.take("(")
        if word == "inverse":
            return self.instance(INVERSE, scope)
        if word in ("sum", "max"):
            v = self.named(self.take())
            self.take(":")
            ranges = self.guard([*scope, v])
            self.take(";")
            body = self.sum([*scope, v])
            self.take(")")
            return (Sum if word == "sum" else Max)(v, ranges, body)
        if word in ("E", "sqrt"):
            body = self.sum(scope)
            self.take(")")
            return Expectation(body) if word == "E" else Pow(body, HALF)
        branches: list[tuple[Any, Term]] = []
        self.accept(";")  # there may be none
        while not self.accept("else"):
            value = self.sum(scope)
            self.take("if")
            branches.append((self.test(scope), value))
            self.take(";")
        other = self.sum(scope)
        self.take(")")
        if branches and not isinstance(branches[0][0], tuple):
            return Choice(branches[0][0], branches[0][1], other)
        return Case(branches, other)


def values(s: Statement, sizes: list[str], seed: str) -> list[object]:
    """The values of all that a statement consists of, with its indices in order."""
    found: list[object] = [s.relation, len(s.indices)]
    at = dict(zip(s.indices, (1, 0, 2), strict=False))
    inputs = Inputs({n: 2 + k for k, n in enumerate(sizes)}, {}, seed)
    for side in (s.left, s.right):
        try:
            found.append(evaluate(side, Theory(), inputs, at))
        except (Indeterminate, WorkLimit, OverflowError):
            found.append(None)
        except KeyError as missing:  # an index of the other sort
            found.append(("no value", str(missing)))
    found.append(all(c.holds(at, inputs.sizes, inputs.choose) for c in s.guard))
    for h in s.hypotheses:
        found += values(h, sizes, seed)
    return found


def alike(a: object, b: object) -> bool:
    if a is None or b is None or a == b:
        return True
    try:
        return bool(ball(a).overlaps(ball(b)))
    except Indeterminate:
        return False


def made(seed: int) -> tuple[Maker, Statement] | None:
    maker = Maker(seed)
    try:
        return maker, maker.statement()
    except TermError:  # products of too many indices
        return None


@pytest.mark.parametrize("block", range(12))
def test_the_text_says_what_is_meant(block: int) -> None:
    compared = 0
    for seed in range(block * 100, block * 100 + 100):
        found = made(seed)
        if found is None:
            continue
        maker, statement = found
        text = write_statement(statement)
        again = Text(text).whole()
        ours, theirs = (values(s, maker.sizes, str(seed)) for s in (statement, again))
        assert len(ours) == len(theirs), text
        for a, b in zip(ours, theirs, strict=True):
            assert alike(a, b), (text, a, b)
            compared += a is not None and b is not None
    assert compared > 300


def test_statements_of_one_text_have_the_same_values() -> None:
    """Names of different kinds are exchanged: either the text differs, or the values do not."""
    same = differ = 0
    for seed in range(600):
        found = made(seed)
        other = made(seed + 1 if seed % 2 else seed)
        if found is None or other is None:
            continue
        texts = write_statement(found[1]), write_statement(other[1])
        if texts[0] != texts[1]:
            differ += 1
            continue
        same += 1
        assert all(map(alike, values(found[1], found[0].sizes, "s"), values(other[1], found[0].sizes, "s")))
    assert same > 100 and differ > 100


x, i, n = Entry("x"), Index.var("i"), Index.size("n")
PAIRS = [
    (Entry("0"), Number(0)),
    (Entry("n"), IndexValue(n)),
    (Entry("x + y"), Entry("x") + Entry("y")),
    (Apply("f", x), Entry("f", (), (Lambda((), x),))),
    (Apply("sqrt", x), Pow(x, HALF)),
    (Apply("E", x), Expectation(x)),
    (Entry("f", (), (Lambda((), Entry("K")),)), Entry("f", (), (Lambda(("a",), Entry("K", (Index.var("a"),))),))),
    (Entry("f", (), (), (n,)), Entry("f", (), (), (Index.size("m"),))),
    (IndexValue(permuted("pi", n, Index.of(1))), IndexValue(permuted("pi", Index.size("m"), Index.of(1)))),
    (Derivative("x", (), Apply("f", x)), Entry("d") / Apply("dx", Apply("f", x))),
    (-Entry("oo"), NegInfinity()),
    (Entry("α"), Entry("\\u03b1")),
    (Entry("a"), Entry("\u0430")),
    (Entry('"x"'), Entry("x")),
    (Entry(INVERSE, (0, 0), (Lambda(("a", "b"), x),)), Entry(INVERSE, (0, 0), (Lambda(("a", "b"), x),), (n,))),
]


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=lambda t: repr(t))
def test_two_terms_have_two_texts(one: Term, other: Term) -> None:
    assert one is not other
    assert write_statement(Statement(one, "=", x)) != write_statement(Statement(other, "=", x))


def test_bound_names_do_not_matter_where_they_are_those_of_sizes() -> None:
    total = Sum("n", within("n", 0, Index.size("n")), Entry("x", (Index.var("n"), Index.size("n"))) * Entry("n"))
    text = write_statement(Statement(total, "=", x, ("n",)))
    assert text == "sum(n1: 0 <= n1 < n; x[n1, n]*n[]) = x  for n2  for all sizes n"


def test_text_of_a_definition() -> None:
    n1 = Index.var("n")
    tensors = Definition("f", (n1,), Entry("K", (n1,)) / Entry("0"), within("n", 0, n), (), ("n",))
    assert write_definition(tensors) == 'f(; n)[n1] := K[n1]/"0"  where 0 <= n1 < n'
