"""Rows of the elementwise operations: arithmetic, comparison, functions of one number, choice by a mask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from derivations.language.term import (
    HALF,
    ONE,
    ZERO,
    Apply,
    Case,
    Constraint,
    Index,
    IndexValue,
    Max,
    Mul,
    NegInfinity,
    Number,
    Pow,
    Term,
    at_least,
    by_sign,
    equal,
    less,
    quotient,
    remainder,
    within,
)
from derivations.lifting.operations.indexing import coordinates, is_mask, known_at_least
from derivations.lifting.operations.number_types import cast
from derivations.lifting.operations.table import INFINITY, Infinity, Op, Value, array, op
from derivations.lifting.symbolic.arrays import Array, Entry, as_truth, in_memory, real, scalar, truth
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import KEEP_WHOLE, Scope
from derivations.lifting.symbolic.sizes import exact_quotient
from derivations.lifting.symbolic.term_arithmetic import applied, as_index, divided, minus, plus, raised, times
from derivations.lifting.symbolic.truth_values import (
    Test,
    Truth,
    all_of,
    any_of,
    both,
    chosen,
    condition,
    either,
    negated,
    opposite,
    pieces,
    selected,
)
from derivations.notes import Note

FINITE_MASK = -10_000
"""A fill at most this large is read as minus infinity: a modelling assumption, printed."""

TORCH_BINARY = "torch.{0} .{0}"
BOTH = "torch.{0} .{0} numpy.{0}"


# --- arithmetic -----------------------------------------------------------------------------------------------------


def _add(a: Entry, b: Entry) -> Entry:
    return a + b if isinstance(a, Index) and isinstance(b, Index) else plus(real(a), real(b))


def _subtract(a: Entry, b: Entry) -> Entry:
    if isinstance(a, Index) and isinstance(b, Index):
        return a - b
    return plus(real(a), minus(real(b)))


def _multiply(a: Entry, b: Entry) -> Entry:
    if isinstance(a, Index) and isinstance(b, Index):
        return a * b
    if isinstance(a, tuple) and isinstance(b, tuple):
        return both(a, b)
    return times(real(a), real(b))


def _divide(a: Entry, b: Entry) -> Entry:
    return divided(real(a), real(b))


def _power(a: Entry, b: Entry) -> Entry:
    if isinstance(a, Index) and isinstance(b, Index) and b.is_constant and 0 <= b.const <= 3:
        result = Index.of(1)
        for _ in range(b.const):
            result = result * a
        return result
    return raised(real(a), real(b))


def _floor(scope: Scope) -> Callable[[Entry, Entry], Entry]:
    def build(a: Entry, b: Entry) -> Entry:
        if not isinstance(a, Index) or not isinstance(b, Index):
            raise NotLifted("the rounded quotient of real numbers")
        a, b = scope.sizes.resolve(a), scope.sizes.resolve(b)
        uneven = scope.tails and not a.free and not b.free and exact_quotient(a, b) is None
        if uneven and known_at_least(scope, a - b, 0):
            return scope.blocks_of(a - b + 1, b)  # (n + w - 1) // w
        if a.sizes and not a.free and not b.free and (b.is_constant or len(b.terms) == 1):
            try:
                return scope.sizes.divided(a, b, "//")
            except NotLifted:
                pass
        return quotient(a, b)

    return build


def _modulo(scope: Scope) -> Callable[[Entry, Entry], Entry]:
    def build(a: Entry, b: Entry) -> Entry:
        if not isinstance(a, Index) or not isinstance(b, Index):
            raise NotLifted("the remainder of real numbers")
        return remainder(scope.sizes.resolve(a), scope.sizes.resolve(b))

    return build


_ARITHMETIC: dict[str, Callable[[Entry, Entry], Entry]] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "**": _power,
}


def binary(scope: Scope, sign: str, x: Value, y: Value) -> Array:
    """`x sign y` with broadcasting."""
    if isinstance(x, Infinity) or isinstance(y, Infinity):
        return _infinite(scope, sign, x, y)
    combine = {"//": _floor(scope), "%": _modulo(scope)}.get(sign) or _ARITHMETIC[sign]
    a, b = array(x), array(y)
    if a.kind == "bool" or b.kind == "bool":
        if a.kind == b.kind and sign == "+" and (in_memory(a) or in_memory(b)):
            return logical(scope, "|", a, b)  # truth values of arrays are not added
        if sign == "-" and (a.kind == b.kind or scope.library == "torch") and (in_memory(a) or in_memory(b)):
            raise NotLifted("truth values are subtracted, which is an error")
    return scope.elementwise(sign, combine, a, b)


def fraction(t: Entry) -> tuple[Index, Index] | None:
    """Numerator and denominator of a quotient of whole numbers; None for any other number."""
    if isinstance(t, Index):
        return t, Index.of(1)
    if isinstance(t, IndexValue):
        return t.index, Index.of(1)
    if isinstance(t, Number):
        return Index.of(int(t.value.p)), Index.of(int(t.value.q))
    if isinstance(t, Pow) and isinstance(t.exponent, Number) and t.exponent.value == -1:
        inner = fraction(t.base)
        return None if inner is None else (inner[1], inner[0])
    if isinstance(t, Mul):
        above, below = Index.of(1), Index.of(1)
        for part in t.args:
            inner = fraction(part)
            if inner is None:
                return None
            above, below = above * inner[0], below * inner[1]
        return above, below
    return None


def whole(scope: Scope, x: Value, up: bool = False) -> Array:
    """`int(n / 2)`, `math.ceil(n / B)`: a quotient of whole numbers, cut to a whole one."""
    a = array(x)
    found = fraction(a.entry) if not a.rank and not isinstance(a.entry, tuple) else None
    if found is None or not all(known_at_least(scope, i, 0) for i in found):
        raise NotLifted("a real number is cut to a whole one")
    above, below = (scope.sizes.resolve(i) for i in found)
    if up and scope.tails and not above.free and not below.free and known_at_least(scope, above, 1):
        return scalar(scope.blocks_of(above, below))
    if up and (above.free or below.free or not above.sizes | below.sizes):
        return scalar(quotient(above + below - 1, below))
    return (
        scalar(scope.sizes.divided(above, below, "ceil")) if up else binary(scope, "//", scalar(above), scalar(below))
    )


def exponential(t: Term) -> Term:
    """exp(t); a power of a number where t is its logarithm times something."""
    factors = list(flat_product(t))
    logs = [f for f in factors if isinstance(f, Apply) and f.function == "log" and isinstance(f.arg, Number)]
    if len(logs) != 1 or not isinstance(logs[0].arg, Number) or logs[0].arg.value <= 0:
        return Apply("exp", t)
    factors.remove(logs[0])
    negative = [f for f in factors if isinstance(f, Number) and f.value < 0]
    for f in negative:
        factors[factors.index(f)] = Number(-f.value)
    factors = [f for f in factors if f is not ONE]
    power = Pow(logs[0].arg, times(*factors))
    return divided(ONE, power) if len(negative) % 2 else power  # 1 / a^t, as equations write it


def flat_product(t: Term) -> Iterator[Term]:
    """The factors of a product, also of products inside it."""
    if isinstance(t, Mul):
        for part in t.args:
            yield from flat_product(part)
    else:
        yield t


def _infinite(scope: Scope, sign: str, x: Value, y: Value) -> Array:
    """`-1 * inf`, `0 - inf`: only minus infinity comes out."""
    other = array(y if isinstance(x, Infinity) else x)
    if sign == "-" and isinstance(y, Infinity):
        return scope.elementwise(sign, lambda a: plus(real(a), NegInfinity()), other)
    if sign == "*" and isinstance(other.entry, Index) and other.entry.is_constant and other.entry.const < 0:
        return scalar(NegInfinity())
    raise NotLifted("arithmetic with plus infinity")


def negative(scope: Scope, x: Value) -> Value:
    if isinstance(x, Infinity):
        return scalar(NegInfinity())
    if isinstance(x, Array) and isinstance(x.entry, NegInfinity):
        return INFINITY
    if array(x).kind == "bool" and in_memory(array(x)):
        raise NotLifted("the negative of truth values, which is an error")
    return scope.elementwise("-", lambda a: -a if isinstance(a, Index) else minus(real(a)), array(x))


def _arithmetic(sign: str) -> Callable[..., Array]:
    return lambda scope, x, y: binary(scope, sign, x, y)


# --- comparison -----------------------------------------------------------------------------------------------------

_INDEX: dict[str, Callable[[Index, Index], Constraint]] = {
    "==": equal,
    "<": less,
    "<=": lambda a, b: at_least(b, a),
    ">": lambda a, b: less(b, a),
    ">=": at_least,
}
_SIGN: dict[str, Callable[[Any], bool]] = {
    "==": lambda d: d == 0,
    "!=": lambda d: d != 0,
    "<": lambda d: d < 0,
    "<=": lambda d: d <= 0,
    ">": lambda d: d > 0,
    ">=": lambda d: d >= 0,
}


def compare_entries(sign: str, a: Entry, b: Entry) -> Truth:
    """The condition, on indices or on data, under which two entries compare."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        same = either(both(a, b), both(negated(a), negated(b)))
        if sign in ("==", "!="):
            return same if sign == "==" else negated(same)
    i = a if isinstance(a, Index) else as_index(real(a))
    j = b if isinstance(b, Index) else as_index(real(b))
    if i is not None and j is not None:
        if sign == "!=":
            return negated(condition((equal(i, j),)))
        return condition((_INDEX[sign](i, j),))
    difference = plus(real(a), minus(real(b)))
    known = pieces(difference)
    if known is None:
        return Test(by_sign(difference, *(ONE if _SIGN[sign](k) else ZERO for k in (1, 0, -1))))
    return condition(*(g for c, v in known if _SIGN[sign](v.value) for g in c))


def compare(scope: Scope, sign: str, x: Value, y: Value) -> Array:
    return scope.elementwise(sign, lambda a, b: compare_entries(sign, a, b), array(x), array(y))


def _comparison(sign: str) -> Callable[..., Array]:
    return lambda scope, x, y: compare(scope, sign, x, y)


def bitwise(scope: Scope, sign: str, x: Value, y: Value) -> Array:
    """`x & y`: of truth values only; the bits of numbers are another matter."""
    if any(array(v).kind != "bool" for v in (x, y)):
        raise NotLifted(f"{sign} on numbers")
    return logical(scope, sign, x, y)


def logical(scope: Scope, sign: str, x: Value, y: Value) -> Array:
    combine = all_of if sign == "&" else any_of
    return scope.elementwise(sign, lambda a, b: combine(truth(a), truth(b)), array(x), array(y))


def invert(scope: Scope, x: Value) -> Array:
    a = array(x)
    if a.kind != "bool" or not in_memory(a):  # ~True is -2
        raise NotLifted("~ on numbers")
    return scope.elementwise("~", lambda e: opposite(truth(e)), a)


# --- functions ------------------------------------------------------------------------------------------------------


def _function(build: Callable[[Term], Term], what: str = "function") -> Callable[..., Array]:
    return lambda scope, x: scope.elementwise(what, lambda a: build(real(a)), array(x))


def _sqrt(t: Term) -> Term:
    return t if t is ONE or t is ZERO else Pow(t, HALF)


def sigmoid(t: Term) -> Term:
    return divided(ONE, plus(ONE, Apply("exp", minus(t))))


def larger(scope: Scope, a: Term, b: Term) -> Term:
    """The maximum of two numbers, as a maximum over an index; a known number comes first."""
    if isinstance(b, Number) and not isinstance(a, Number):
        a, b = b, a
    k = scope.variable()
    name = min(k.free)
    return Max(name, within(name, 0, 2), Case([((equal(k, 0),), a)], b))


def _relu(scope: Scope, x: Value) -> Array:
    return scope.elementwise("relu", lambda a: larger(scope, real(a), ZERO), array(x))


def _maximum(scope: Scope, x: Value, y: Value) -> Array:
    made = scope.elementwise("maximum", lambda a, b: larger(scope, real(a), real(b)), array(x), array(y))
    return as_truth(made, array(x), array(y))


def _minimum(scope: Scope, x: Value, y: Value) -> Array:
    def build(a: Entry, b: Entry) -> Entry:
        return minus(larger(scope, minus(real(a)), minus(real(b))))

    return as_truth(scope.elementwise("minimum", build, array(x), array(y)), array(x), array(y))


# --- masks ----------------------------------------------------------------------------------------------------------


def fill_value(scope: Scope, value: Value) -> Array:
    """What is filled in: minus infinity also for a large negative number, as an assumption."""
    if isinstance(value, Infinity):
        raise NotLifted("a fill with plus infinity")
    a = array(value)
    t = a.entry
    if isinstance(t, Index) and t.is_constant:
        t = Number(t.const)
    if a.rank == 0 and isinstance(t, Number) and t.value <= FINITE_MASK:
        scope.assume(Note("mask-fill", (_written(t),)))
        return scalar(NegInfinity())
    return a


def _written(t: Number) -> str:
    whole = int(t.value.p) if t.value.q == 1 else None
    if whole is None:
        return str(t)
    digits = str(abs(whole)).rstrip("0")
    zeros = len(str(abs(whole))) - len(digits)
    return f"-{digits}e{zeros}" if zeros > 3 else str(whole)


def where(scope: Scope, mask: Value, x: Value, y: Value) -> Array:
    def build(m: Entry, a: Entry, b: Entry) -> Entry:
        if not isinstance(a, (Index, Term)) and not isinstance(b, (Index, Term)):
            known = truth(m)
            return any_of(all_of(known, a), all_of(opposite(known), b))
        return selected(truth(m), real(a), real(b))

    return scope.elementwise("where", build, array(mask), fill_value(scope, x), fill_value(scope, y))


def _choice(scope: Scope, mask: Value, x: Value, y: Value) -> Value:
    """`where(mask, x, y)`; with the mask alone the index arrays of the places where it holds."""
    if x is not None and y is not None:
        return where(scope, mask, x, y)
    if not is_mask(mask):
        raise NotLifted("a choice that depends on data")
    return coordinates(array(mask))


def masked_fill(scope: Scope, x: Value, mask: Value, value: Value) -> Array:
    a, made = array(x), where(scope, mask, value, x)
    if a.kind == "bool":
        made = as_truth(made, a)
    if made.rank != a.rank:
        raise NotLifted("masked_fill with a mask of more axes than the array", code="shape-conflict")
    return replace(made, library=a.library)


def _fill_diagonal(scope: Scope, x: Value, value: Value) -> Array:
    a = array(x)
    if a.rank != 2:
        raise NotLifted("the diagonal of an array that is no matrix", code="shape-conflict")
    mask = scope.make(a.shape, lambda at: condition((equal(at[0], at[1]),)))
    return masked_fill(scope, a, mask, value)


def additive_mask(scope: Scope, x: Array) -> Array:
    """`(1 - mask) * -1e9`: finite numbers as large as this that are added to scores are read as minus infinity."""

    def build(a: Entry) -> Entry:
        known = pieces(real(a)) if not isinstance(a, tuple) else None
        if known is None or not any(v.value <= FINITE_MASK for _, v in known):
            return a
        t: Term = ZERO
        for c, v in known:
            low = v.value <= FINITE_MASK
            if low:
                scope.assume(Note("added-mask", (_written(v),)))
            t = chosen(c, NegInfinity() if low else v, t)
        return t

    return scope.elementwise("mask", build, x)


def _cast(kind: str) -> Callable[..., Value]:
    return lambda scope, x: cast(scope, array(x), kind)


# --- the rows -------------------------------------------------------------------------------------------------------


def _f(name: str, build: Callable[[Term], Term], *more: str, defined: str = "", positive: bool = False) -> Op:
    names = " ".join([BOTH.format(name), *more])
    inside = "x * x + 1" if positive else "x"
    whole = name if name in KEEP_WHOLE else "function"
    return op(names, "x", _function(build, whole), f"torch.{name}({inside})", f"np.{name}({inside})", defined=defined)


ROWS: tuple[Op, ...] = (
    op("torch.add .add numpy.add", "x y", _arithmetic("+"), "torch.add(x, z)", "x.add(v)", "x + 2", "1.5 + x"),
    op("torch.sub torch.subtract .sub numpy.subtract", "x y", _arithmetic("-"), "torch.sub(x, z)", "x - v", "1 - x"),
    op("torch.mul torch.multiply .mul numpy.multiply", "x y", _arithmetic("*"), "torch.mul(x, z)", "x * z", "3 * x"),
    op("torch.div torch.divide .div torch.true_divide numpy.divide numpy.true_divide", "x y", _arithmetic("/"),
       "torch.div(x, 4)", "x / 8", "x / (z * z + 1)", "1 / (x * x + 1)", defined="divisor not zero"),
    op("torch.pow .pow numpy.power", "x y", _arithmetic("**"), "torch.pow(x, 3)", "x ** 2", "(x * x + 1) ** -0.5",
       "2 ** x", "np.power(x, 2)", defined="base positive, or the exponent an integer"),
    op("torch.neg torch.negative .neg numpy.negative", "x", negative, "torch.neg(x)", "-x"),
    op("torch.eq .eq numpy.equal", "x y", _comparison("=="), "1.0 * (torch.arange(3)[None, :] == torch.arange(2)[:, None])"),
    op("torch.ne .ne numpy.not_equal", "x y", _comparison("!="), "1.0 * (np.arange(3)[None, :] != np.arange(2)[:, None])"),
    op("torch.lt .lt numpy.less", "x y", _comparison("<"), "1.0 * torch.lt(torch.arange(3)[None, :], torch.arange(2)[:, None])"),
    op("torch.le .le numpy.less_equal", "x y", _comparison("<="), "1.0 * (torch.arange(3)[None, :] <= torch.arange(2)[:, None])"),
    op("torch.gt .gt numpy.greater", "x y", _comparison(">"), "1.0 * (torch.tril(torch.ones(3, 3)) > 0)"),
    op("torch.ge .ge numpy.greater_equal", "x y", _comparison(">="), "1.0 * (torch.arange(4) >= 2)"),
    op("torch.logical_and .logical_and numpy.logical_and", "x y", lambda s, x, y: logical(s, "&", x, y),
       "1.0 * torch.logical_and(x, torch.arange(3) < 2)"),
    op("torch.logical_or .logical_or numpy.logical_or", "x y", lambda s, x, y: logical(s, "|", x, y),
       "1.0 * np.logical_or(x, np.arange(3) < 2)"),
    op("torch.bitwise_and .bitwise_and numpy.bitwise_and", "x y", lambda s, x, y: bitwise(s, "&", x, y),
       "1.0 * ((torch.arange(4) >= 1) & (torch.arange(4) < 3))"),
    op("torch.bitwise_or .bitwise_or numpy.bitwise_or", "x y", lambda s, x, y: bitwise(s, "|", x, y),
       "1.0 * ((torch.arange(4) < 1) | (torch.arange(4) >= 3))"),
    op("torch.bitwise_not .bitwise_not numpy.bitwise_not numpy.invert", "x", invert,
       "1.0 * torch.bitwise_not(torch.arange(4) < 1)"),
    op("torch.logical_not .logical_not numpy.logical_not", "x",
       lambda s, x: s.elementwise("not", lambda e: opposite(truth(e)), array(x)), "1.0 * (~(torch.arange(4) < 1))"),
    _f("exp", exponential),
    _f("log", applied("log"), defined="argument positive", positive=True),
    _f("sqrt", _sqrt, "math.sqrt", defined="argument not negative", positive=True),
    _f("sin", applied("sin"), "math.sin"),
    _f("cos", applied("cos"), "math.cos"),
    _f("tan", lambda t: divided(Apply("sin", t), Apply("cos", t)), "math.tan", defined="cosine not zero"),
    _f("tanh", applied("tanh"), "math.tanh", "torch.nn.functional.tanh"),
    _f("abs", applied("abs"), "math.fabs", "torch.absolute", "numpy.absolute"),
    _f("square", lambda t: Pow(t, 2)),
    op("torch.reciprocal .reciprocal numpy.reciprocal", "x", _function(lambda t: divided(ONE, t)),
       "torch.reciprocal(x * x + 1)", defined="argument not zero"),
    op("torch.rsqrt .rsqrt", "x", _function(lambda t: divided(ONE, _sqrt(t))),
       "torch.rsqrt(x * x + 1)", defined="argument positive"),
    op("math.floor numpy.floor", "x", whole, "x + math.floor(7 / 2)", "x + math.floor(x.shape[0] / 2)"),
    op("math.ceil numpy.ceil", "x", lambda s, x: whole(s, x, up=True), "x * math.ceil(8 / 2)", "x * math.ceil(x.shape[0] / 2)"),
    op("math.exp", "x", _function(exponential)),
    op("math.log", "x", _function(applied("log")), defined="argument positive"),
    op("math.pow", "x y", _arithmetic("**")),
    op("torch.log1p .log1p numpy.log1p math.log1p", "x", _function(lambda t: Apply("log", plus(ONE, t))),
       "torch.log1p(x * x)", defined="argument above -1"),
    op("torch.expm1 .expm1 numpy.expm1 math.expm1", "x", _function(lambda t: plus(Apply("exp", t), Number(-1))),
       "torch.expm1(x)"),
    op("torch.exp2 numpy.exp2", "x", _function(lambda t: Pow(Number(2), t)), "torch.exp2(x)"),
    op("torch.log2 .log2 numpy.log2 math.log2", "x",
       _function(lambda t: divided(Apply("log", t), Apply("log", Number(2)))), "torch.log2(x * x + 1)", defined="positive"),
    op("torch.sigmoid .sigmoid torch.nn.functional.sigmoid scipy.special.expit torch.expit", "x", _function(sigmoid),
       "torch.sigmoid(x)"),
    op("torch.nn.functional.silu torch.nn.functional.swish", "x", _function(lambda t: times(t, sigmoid(t))), "F.silu(x)"),
    op("torch.nn.functional.softplus", "x", _function(lambda t: Apply("log", plus(ONE, Apply("exp", t)))), "F.softplus(x)"),
    op("torch.relu .relu torch.nn.functional.relu", "x", _relu, "torch.relu(x)"),
    op("torch.maximum numpy.maximum .maximum", "x y", _maximum, "torch.maximum(x, z)", "np.maximum(0, x)"),
    op("torch.minimum numpy.minimum .minimum", "x y", _minimum, "torch.minimum(x, z)"),
    op("torch.where numpy.where", "mask x=None y=None", _choice, "torch.where(torch.tril(torch.ones(2, 3)) == 1, x, z)",
       "np.where(np.arange(3) < 1, x, 0.0)"),
    op(".where", "x mask y", lambda s, x, mask, y: where(s, mask, x, y), "x.where(torch.arange(3) < 1, z)"),
    op(".masked_fill .masked_fill_ torch.masked_fill", "x mask value", masked_fill,
       "x.masked_fill(torch.triu(torch.ones(2, 3), diagonal=1) == 1, 7.0)",
       "torch.exp(x.masked_fill(torch.triu(torch.ones(2, 3), diagonal=1).bool(), float('-inf')))"),
    op(".contiguous .detach .cpu .cuda .to .astype .type .numpy .requires_grad_ .type_as numpy.asarray "
       "numpy.ascontiguousarray torch.from_numpy torch.detach", "x *rest", lambda s, x, rest: x, "x.contiguous()"),
    op(".float .double .half .bfloat16 numpy.float32 numpy.float64", "x", _cast("real"), "x.float()",
       "(torch.arange(4) < 2).float() + (torch.arange(4) < 3).float()"),
    op(".long .int numpy.int32 numpy.int64", "x", _cast("whole"), "1.0 * (torch.arange(4) < 2).long()"),
    op(".short .byte .char numpy.uint8 numpy.int8 numpy.int16", "x", _cast("short"), "1.0 * (torch.arange(4) < 2).byte()"),
    op(".clone .copy .item .tolist torch.clone numpy.copy", "x *rest", lambda s, x, rest: _copied(x), "x.clone()", "np.copy(x)"),
    op("numpy.round .round torch.round", "x *rest", lambda s, x, rest: _rounded(x)),
    op(".fill_diagonal", "x value", _fill_diagonal),
    op(".bool", "x", lambda s, x: s.elementwise("bool", truth, array(x)), "1.0 * torch.tril(torch.ones(3, 3)).bool()"),
)  # fmt: skip


def _copied(x: Value) -> Value:
    """The same numbers in memory of their own."""
    return replace(x, token=object(), view=False) if isinstance(x, Array) else x


def _rounded(x: Value) -> Value:
    raise NotLifted("rounding")
