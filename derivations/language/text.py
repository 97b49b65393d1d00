"""The canonical text of a term: deterministic, for messages, sorting and certificates' readers.

One text for one term; precedence as usual, reciprocals as quotients, guards as ranges.
"""

from __future__ import annotations

from derivations.language.index import write_guard
from derivations.language.term import (
    HALF,
    MINUS_ONE,
    ONE,
    ZERO,
    Add,
    Apply,
    Bracket,
    Case,
    Choice,
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
    negative,
)


def write(t: Term) -> str:
    """The text of a term.

    >>> write(Number(1) / (1 + Number(2)))
    '1/(1 + 2)'
    """
    return _write(t, 0)


_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4


def _write(t: Term, strength: int) -> str:
    text, own = _written(t)
    return f"({text})" if own < strength else text


def _written(t: Term) -> tuple[str, int]:
    if isinstance(t, Number):
        text = str(t.value)
        return text, _SUM if t.value < 0 else _PRODUCT if "/" in text else _ATOM
    if isinstance(t, IndexValue):
        atom = len(t.index.terms) + bool(t.index.const) == 1 and (t.index.is_constant or t.index.terms[0][1] == 1)
        if atom and t.index.terms and t.index.terms[0][0].kind == "product":
            return str(t.index), _PRODUCT
        return str(t.index), _ATOM if atom and t.index.const >= 0 else _SUM
    if isinstance(t, NegInfinity):
        return "-oo", _SUM
    if isinstance(t, Entry):
        args = ", ".join(_write_lambda(a) for a in t.args)
        name = "inverse" if t.is_inverse else t.name
        return name + (f"({args})" if args else "") + (
            f"[{', '.join(map(str, t.indices))}]" if t.indices else ""
        ), _ATOM
    if isinstance(t, Add):
        parts = []
        for a in t.args:
            minus, body = _sign(a)
            parts.append((minus, _write(body, _PRODUCT)))
        text = ("-" if parts[0][0] else "") + parts[0][1] if parts else "0"
        return text + "".join(f" {'-' if m else '+'} {p}" for m, p in parts[1:]), _SUM
    if isinstance(t, Mul):
        minus, body = _sign(t)
        if minus:
            return "-" + _write(body, _PRODUCT), _SUM
        above = [a for a in t.args if not _is_reciprocal(a)]
        below = [a.base for a in t.args if isinstance(a, Pow) and _is_reciprocal(a)]
        text = "*".join(_write(a, _POWER) for a in above) or "1"
        return text + "".join("/" + _write(b, _POWER) for b in below), _PRODUCT
    if isinstance(t, Pow):
        if t.exponent is HALF:
            return f"sqrt({t.base})", _ATOM
        if _is_reciprocal(t):
            return "1/" + _write(t.base, _POWER), _PRODUCT
        return f"{_write(t.base, _ATOM)}^{_write(t.exponent, _ATOM)}", _POWER
    if isinstance(t, Apply):
        return f"{t.function}({t.arg})", _ATOM
    if isinstance(t, Bracket):
        return f"[{write_guard(t.condition)}]", _ATOM
    if isinstance(t, Case):
        branches = "; ".join(f"{b} if {write_guard(g)}" for g, b in t.branches)
        return f"cases({branches}; else {t.otherwise})", _ATOM
    if isinstance(t, Choice):
        if t.above is ONE and t.otherwise is ZERO:
            return f"[{_compared(t.test)}]", _ATOM
        return f"cases({t.above} if {_compared(t.test)}; else {t.otherwise})", _ATOM
    if isinstance(t, (Sum, Max)):
        return f"{'sum' if isinstance(t, Sum) else 'max'}({t.var}: {write_guard(t.guard, t.var)}; {t.body})", _ATOM
    if isinstance(t, Expectation):
        return f"E({t.body})", _ATOM
    if isinstance(t, Derivative):
        return f"d/d{t.name}" + (f"[{', '.join(map(str, t.at))}]" if t.at else "") + f"({t.body})", _ATOM
    raise TermError(f"no text for {type(t).__name__}")


def comparison(t: Term) -> tuple[Term, str, Term]:
    """`t > 0` as people write it: `x < 0` for `-x > 0`, `a > b` for `a - b > 0`."""
    parts = t.args if isinstance(t, Add) else (t,)
    above = [p for p in parts if not _sign(p)[0]]
    below = [negative(p) for p in parts if _sign(p)[0]]
    if not below:
        return t, ">", ZERO
    right = below[0] if len(below) == 1 else Add(below)
    return (right, "<", ZERO) if not above else (above[0] if len(above) == 1 else Add(above), ">", right)


def _compared(t: Term) -> str:
    left, sign, right = comparison(t)
    return f"{left} {sign} {right}"


def _write_lambda(a: Lambda) -> str:
    if isinstance(a.body, Entry) and not a.body.args and a.body.indices == tuple(Index.var(p) for p in a.params):
        return a.body.name
    return f"({', '.join(a.params)}) -> {a.body}" if a.params else str(a.body)


def _is_reciprocal(t: Term) -> bool:
    return isinstance(t, Pow) and t.exponent is MINUS_ONE


def _sign(t: Term) -> tuple[bool, Term]:
    """(written with a minus, what follows the minus)."""
    if isinstance(t, Number) and t.value < 0:
        return True, Number(-t.value)
    if isinstance(t, Mul) and t.args and isinstance(t.args[0], Number) and t.args[0].value < 0:
        rest = t.args[1:]
        if t.args[0].value != -1 or not rest:
            rest = (Number(-t.args[0].value), *rest)
        return True, rest[0] if len(rest) == 1 else Mul(rest)
    return False, t
