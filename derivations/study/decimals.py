"""Printed decimals: an equation between numbers holds when it is right to the last printed digit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import arb, fmpq

from derivations.language.extended_reals import Indeterminate, WorkLimit, ball
from derivations.language.inputs import Inputs
from derivations.language.meaning import evaluate
from derivations.language.statement import Statement, Theory
from derivations.language.substitution import subterms, term_sizes
from derivations.language.term import Add, Apply, Mul, Number, Pow, Term
from derivations.latex.syntax.surface import Literal, Node, Prefix, Scripted, walk
from derivations.provers.decide import Refuted
from derivations.provers.refute import Counterexample, decimal

NEARLY_EQUAL = "approx"
"""The relation of numbers that are nearly equal."""
MAX_PLACES = 12
"""Most decimals of a number that is taken to be printed with decimals."""
MANY = 10_000
"""Whole numbers from here on may be rounded, as sums of money are."""
LOOSE = 5
"""Units in the last digit within which a printed number may still be called nearly equal: it is rounded more than once."""
FAR = arb("0.05")
"""The share beyond which numbers are not nearly equal: worked tables call some so that differ by two percent."""
MAX_EXPONENT = 400
"""The largest power of ten that is read as one: beyond it no double has a value."""
MUCH_SLACK = 10
"""Units in the last digit within which a number may be that is found from rounded ones."""
SLACK = 2
"""Units in the last digit beyond which a difference cannot come from rounding intermediate results as well."""


@dataclass(frozen=True, slots=True)
class Rounded:
    """The outcome of a comparison: `holds`, or `refuted` with the statement and its witness."""

    status: str
    digits: int
    statement: Statement
    decision: Refuted | None = None


class _Nothing(Inputs):
    """No inputs: an entry that no case of its definition gives has no value."""

    def unspecified(self, name: str, at: Sequence[int]) -> fmpq:
        raise Indeterminate(f"no value of {name} at {tuple(at)}")


def compare_decimals(
    statements: Sequence[Statement], theory: Theory, right: Node, *, of_rounded: bool = False
) -> Rounded | None:
    """Compare numbers with a right side that is printed with decimals; None when that is not what they are.

    A difference of at most half a unit of the last digit holds, one of more than `SLACK` units is refuted.  Each entry
    of an array has the digits that are printed of it: programs leave out zeros at the end.  Numbers that may have been found
    from rounded ones are refuted only where they are far from each other.
    """
    printed = [n.text for n in walk(right) if isinstance(n, Literal)]
    most = max(map(_decimals, printed), default=0)
    if not most or not statements:
        return None
    for s in statements:
        if s.indices or s.relation != "=" or not is_fixed(s, theory):
            return None
        digits = _digits_of(s.right, printed, most)
        unit = fmpq(1, 10**digits)
        try:
            values = [evaluate(t, theory, _Nothing({})) for t in (s.left, s.right)]
            distance = abs(ball(values[0]) - ball(values[1]))
        except (Indeterminate, WorkLimit):
            return None
        near = max(arb(unit * MUCH_SLACK), FAR * abs(ball(values[0]))) if of_rounded else arb(unit * SLACK)
        if distance > near:
            witness = Counterexample({}, {}, {}, decimal(values[0]), decimal(values[1]), "digits")
            return Rounded("refuted", digits, s, Refuted(witness))
        if not distance <= arb(unit / 2):
            return None
    return Rounded("holds", most, statements[0])


def has_slip_of_digits(s: Statement, theory: Theory, right: Node) -> bool:
    """Whether a printed decimal differs from the right one by one digit, or by two beside each other that are exchanged.

    >>> eighths = Statement(Number(3) / Number(8), "=", Number(1))
    >>> [has_slip_of_digits(eighths, Theory(), Literal((0, 5), text)) for text in ("0.357", "0.395", "0.753")]
    [True, True, False]
    """
    if not isinstance(right, Literal) or not _decimals(right.text) or s.indices or not is_fixed(s, theory):
        return False
    try:
        value = ball(evaluate(s.left, theory, _Nothing({})))
    except (Indeterminate, WorkLimit):
        return False
    true = f"{float(value.mid()):.{_decimals(right.text)}f}"
    if len(true) != len(right.text):
        return False
    unlike = [k for k, (a, b) in enumerate(zip(true, right.text, strict=True)) if a != b]
    is_exchanged = len(unlike) == 2 and unlike[1] == unlike[0] + 1 and sorted(true) == sorted(right.text)
    return len(unlike) == 1 or is_exchanged


def may_be_rounded(s: Statement, theory: Theory, left: Node, right: Node) -> bool:
    """Whether rounding the decimals that are printed on the right explains the difference, by half a unit of the last digit each.

    So does rounding large whole numbers in a sum, and on the left decimals with fewer places than the result has: it was not
    found from them.  Fractions and roots are exact.

    >>> rounded = Statement(Number(Fraction(53104, 10**5)), "=", Number(Fraction(531, 1000)))
    >>> may_be_rounded(rounded, Theory(), Literal((0, 7), "0.53104"), Literal((8, 13), "0.531"))
    True
    >>> exact = Statement(Number(Fraction(11, 20)), "=", Number(Fraction(1, 2)))
    >>> may_be_rounded(exact, Theory(), Literal((0, 5), "11/20"), Literal((9, 10), "2"))  # no decimals are printed
    False
    """
    return (
        _agree(s, theory, right, needs_decimals=True)
        or _is_sum_of_rounded(s)
        or _has_rounded_parts(s, theory, left, right)
    )


def _has_rounded_parts(s: Statement, theory: Theory, left: Node, right: Node) -> bool:
    """Whether rounding decimals of at least `MIN_DIGITS` digits explains a result that has more places, or digits, than they."""
    result = _printed(right)
    places, digits = (max(own, default=0) for own in (result.values(), (_digits(v, k) for v, k in result.items())))
    rounded = {
        v: k
        for v, k in _printed(left).items()
        if _digits(v, k) >= MIN_DIGITS and (k < places or (k and _digits(v, k) < digits))
    }
    if s.indices or not rounded or not is_fixed(s, theory):
        return False
    try:
        one, other = (ball(evaluate(t, theory, _Nothing({}))) for t in (s.left, s.right))
        return not abs(one - other) > _rounding(s.left, theory, rounded) + _rounding(s.right, theory, _printed(right))
    except (Indeterminate, WorkLimit):
        return False


def _digits(value: fmpq, places: int) -> int:
    """How many digits of a decimal say how large it is: three of `0.0159`."""
    return len(str(int(abs(value) * 10**places)))


MIN_DIGITS = 2
"""Decimals of fewer digits, `0.1`, are meant as they are written."""


def _is_sum_of_rounded(s: Statement) -> bool:
    """Whether whole numbers of many digits, each rounded by up to a half, may have this sum."""
    parts = s.left.args if isinstance(s.left, Add) else ()
    numbers = [n.value for n in (*parts, s.right) if isinstance(n, Number) and n.value.q == 1]
    if not parts or len(numbers) != len(parts) + 1 or any(abs(n) < MANY for n in numbers):
        return False
    return 2 * abs(sum(numbers[:-1], start=fmpq(0)) - numbers[-1]) <= len(numbers)


def compare_nearly(statements: Sequence[Statement], theory: Theory, left: Node, right: Node) -> Rounded | None:
    r"""Compare numbers of which the text says that they are nearly equal, `\sqrt{2} \approx 1.41`; None where it is open.

    They are when they differ by no more than a unit of the last printed digit; they are not when they differ by more than
    `LOOSE` units and by more than the share `FAR` of the larger one, beyond what rounding the decimals on the left explains.
    Nothing is told of a right side that is no printed number.
    """
    outcome: Rounded | None = None
    for s in statements:
        unit = _last_place(s.right, right)
        if unit is None:
            return None
        try:
            values = [evaluate(t, theory, _Nothing({})) for t in (s.left, s.right)]
            one, other = map(ball, values)
            slack = _rounding(s.left, theory, {v: k for v, k in _printed(left).items() if _digits(v, k) >= MIN_DIGITS})
        except (Indeterminate, WorkLimit):
            return None
        distance, larger = abs(one - other), abs(one).max(abs(other))
        if distance > arb(LOOSE * unit) + slack and distance > FAR * larger:
            witness = Counterexample({}, {}, {}, decimal(values[0]), decimal(values[1]), "digits")
            return Rounded("refuted", 0, s, Refuted(witness))
        if not distance <= arb(unit):
            return None
        outcome = outcome or Rounded("holds", 0, s)
    return outcome


def _last_place(t: Term, node: Node) -> fmpq | None:
    """The unit of the last digit that is printed of a number; None of an expression, and where nothing tells."""
    parts = [n for n in walk(node) if isinstance(n, Literal)]
    powers = [n for n in walk(node) if isinstance(n, Scripted) and isinstance(n.base, Literal) and n.base.text == "10"]
    if powers:
        exponent = _whole(powers[0].sup)
        rest = [n for n in parts if n is not powers[0].base and n not in walk(powers[0])]
        if exponent is None or abs(exponent) > MAX_EXPONENT or len(powers) > 1 or len(rest) > 1:
            return None
        exponent -= max((_decimals(n.text) for n in rest), default=0)
        return fmpq(10**exponent) if exponent >= 0 else fmpq(1, 10**-exponent)
    own = [n.text for n in parts if _value(n.text) == abs(t.value)] if isinstance(t, Number) else []
    if not own:
        return None
    places = _decimals(own[0])
    zeros = 0 if places else len(own[0]) - len(own[0].rstrip("0"))
    return fmpq(10 ** min(zeros, len(own[0]) - 1), 10**places)


def _whole(node: Node | None) -> int | None:
    """A whole number that is written as an exponent."""
    if isinstance(node, Prefix) and node.operator == "-":
        below = _whole(node.operand)
        return None if below is None else -below
    return int(node.text) if isinstance(node, Literal) and node.text.isdigit() else None


def _printed(node: Node) -> dict[fmpq, int]:
    """The numbers that are printed with decimals, each with how many."""
    found = {_value(n.text): _decimals(n.text) for n in walk(node) if isinstance(n, Literal) and _decimals(n.text)}
    return {value: places for value, places in found.items() if value is not None}


def _rounding(side: Term, theory: Theory, printed: Mapping[fmpq, int]) -> arb:
    """How far the value of a side moves with half a unit of the last digit of each printed decimal in it."""

    def moved(t: Term, old: Number, new: Number) -> Term:
        if t is old:
            return new
        return t.with_children([moved(c, old, new) for c in t.children]) if t.children else t

    def value(t: Term) -> arb:
        return ball(evaluate(t, theory, _Nothing({})))

    slack = arb(0)
    for number in {u for u in subterms(side) if isinstance(u, Number) and abs(u.value) in printed}:
        half = fmpq(1, 2 * 10 ** printed[abs(number.value)])
        slack += abs(value(moved(side, number, Number(number.value + half))) - value(side))
    return slack


def _agree(s: Statement, theory: Theory, right: Node, *, needs_decimals: bool = False) -> bool:
    """Whether two numbers are not seen to differ by more than the rounding of the decimals on the right."""
    printed = _printed(right)
    if s.indices or not is_fixed(s, theory) or (needs_decimals and not printed):
        return False
    try:
        left, other = (ball(evaluate(t, theory, _Nothing({}))) for t in (s.left, s.right))
        return not abs(left - other) > _rounding(s.right, theory, printed)
    except (Indeterminate, WorkLimit):
        return False


def may_be_to_another_base(s: Statement, theory: Theory, right: Node) -> bool:
    """Whether numbers agree, as far as they are printed, with logarithms to the base 2 or 10 in place of natural ones,
    also in the definitions that they rest on.

    >>> may_be_to_another_base(Statement(Apply("log", Number(8)), "=", Number(3)), Theory(), Literal((0, 1), "3"))
    True
    """
    for base in (2, 10):
        other = replace(s, left=_to_base(s.left, base), right=_to_base(s.right, base))
        there = _theory_to_base(theory, base)
        if (other != s or there is not theory) and _agree(other, there, right):
            return True
    return False


def _theory_to_base(theory: Theory, base: int) -> Theory:
    """The same theory where no definition has a logarithm."""
    rows = {n: tuple(replace(d, body=_to_base(d.body, base)) for d in ds) for n, ds in theory.definitions.items()}
    return theory if rows == dict(theory.definitions) else Theory(theory.tensors, rows)


def _to_base(t: Term, base: int) -> Term:
    if isinstance(t, Apply) and t.function == "log":
        return Mul((t, Pow(Apply("log", Number(base)), -1)))
    return t.with_children([_to_base(c, base) for c in t.children]) if t.children else t


def _places(value: fmpq) -> int:
    """The decimals of a number that has finitely many; 0 for whole numbers and for other fractions."""
    q, places = int(value.q), 0
    while q > 1 and places < MAX_PLACES:
        value, places = value * 10, places + 1
        q = int(value.q)
    return places if q == 1 else 0


def is_rounded_power(statements: Sequence[Statement], theory: Theory, right: Node) -> bool:
    r"""Whether numbers differ by less than half a unit of what is printed: `1.02 \cdot 10^6 = 10^6`."""
    nodes = list(walk(right))
    powers = [
        int(n.sup.text)
        for n in nodes
        if isinstance(n, Scripted)
        and isinstance(n.base, Literal)
        and n.base.text == "10"
        and isinstance(n.sup, Literal)
        and n.sup.text.isdigit()
    ]
    if len(powers) != 1 or not statements:
        return False
    digits = max((_decimals(n.text) for n in nodes if isinstance(n, Literal)), default=0)
    unit = fmpq(10 ** powers[0], 10**digits)
    for s in statements:
        if s.indices or s.relation != "=" or not is_fixed(s, theory):
            return False
        try:
            one, other = (ball(evaluate(t, theory, _Nothing({}))) for t in (s.left, s.right))
        except (Indeterminate, WorkLimit):
            return False
        if not abs(one - other) <= arb(unit / 2):
            return False
    return True


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])


def _digits_of(term: Term, printed: Sequence[str], most: int) -> int:
    """The decimals that are printed of a number; of an expression the most that stand in it."""
    if not isinstance(term, Number):
        return most
    own = [_decimals(text) for text in printed if _value(text) == abs(term.value)]
    return max(own, default=most)


def _value(text: str) -> fmpq | None:
    try:
        exact = Fraction(text)
    except ValueError:
        return None
    return fmpq(exact.numerator, exact.denominator)


def is_fixed(s: Statement, theory: Theory) -> bool:
    """Whether both sides are numbers, with all definitions unfolded: nothing in them has a value of its own choice."""
    known = {*theory.definitions, *theory.constants}
    if term_sizes(s.left) or term_sizes(s.right) or (s.left.heads | s.right.heads) - known:
        return False
    return not any(
        term_sizes(d.body) - set(d.sizes) or d.body.heads - {t.name for t in d.tensors} - known
        for definitions in theory.about((s.left, s.right)).definitions.values()
        for d in definitions
    )
