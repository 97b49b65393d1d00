"""Types of numbers: what a cast does, and what an array of whole numbers can take.

Rounding of real numbers is not modelled; a cast to whole numbers cuts, which is no rounding, so it is taken over only
where the numbers are whole by form, and refused otherwise.
"""

from __future__ import annotations

from dataclasses import replace

from derivations.language.term import Add, Bracket, Case, Choice, Index, IndexValue, Max, Mul, Number, Sum, Term
from derivations.lifting.operations.table import Value
from derivations.lifting.symbolic.arrays import Array, real, truth
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.number_ranges import is_short
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.symbolic.term_arithmetic import is_minus_infinity

_WHOLE = ("int", "long", "tensor.whole")
_FEW = ("uint", "int8", "int16", "short", "ushort", "byte", "ubyte", "char", "tensor.short")
"""Types of whole numbers of fewer than 32 bits or without a sign: arithmetic with them wraps."""
_REAL = ("float", "double", "half", "bfloat", "tensor.real", "tensor.dtype")
_SHORT = {
    **dict.fromkeys(("i", "i4", "i8"), "whole"),
    **dict.fromkeys(("f", "f4", "f8", "d"), "real"),
    **dict.fromkeys(("u1", "u2", "u4", "u8", "i1", "i2"), "short"),
    "?": "bool",
}


def named_type(text: str) -> str | None:
    """`bool`, `whole`, `short` or `real` for the name of a type of numbers; None for any other name.

    >>> named_type("torch.int64"), named_type("float32"), named_type("cuda")
    ('whole', 'real', None)
    """
    if text in _SHORT:
        return _SHORT[text]
    last = text if text.startswith("tensor.") else text.split(".")[-1].lower()
    if last in ("bool", "bool_", "booltensor", "tensor.bool"):
        return "bool"
    if last.startswith(_FEW):
        return "short"
    return "whole" if last.startswith(_WHOLE) else "real" if last.startswith(_REAL) else None


def type_of(a: Array) -> str:
    """The type of the numbers of an array."""
    return "bool" if a.kind == "bool" else "short" if a.numbers == "short" else "whole" if a.whole else "real"


def is_whole(t: Term) -> bool:
    """Whether a term is a whole number by form."""
    if isinstance(t, Number):
        return bool(t.value.q == 1)
    if isinstance(t, (IndexValue, Bracket)):
        return True
    if isinstance(t, (Add, Mul)):
        return all(map(is_whole, t.args))
    if isinstance(t, Case):
        return all(is_whole(b) for b in (*(b for _, b in t.branches), t.otherwise))
    if isinstance(t, Choice):
        return is_whole(t.above) and is_whole(t.otherwise)
    return isinstance(t, (Sum, Max)) and is_whole(t.body)


def cast(scope: Scope, a: Array, kind: str) -> Array:
    """The array with numbers of another type."""
    if kind == type_of(a):
        return a
    if kind == "bool":
        return replace(scope.elementwise("bool", truth, a), library=a.library)
    if kind == "real":
        entry = real(a.entry) if a.kind == "bool" else a.entry
        return replace(a, entry=entry, numbers="real", token=object(), view=False)
    entry = real(a.entry)
    if not is_whole(entry):
        raise NotLifted("real numbers are cut to whole ones")
    kept = a.entry if isinstance(a.entry, Index) else entry
    if kind == "short" and not is_short(kept):
        raise NotLifted("whole numbers of fewer than 32 bits, or without a sign, that may wrap")
    return replace(a, entry=kept, numbers=kind, token=object(), view=False)


def require_fit(before: Array, value: Value) -> None:
    """Refuse numbers that are written into an array whose type cuts them."""
    if not before.whole or not isinstance(value, Array):
        return
    if before.numbers == "short" and not is_short(value.entry):
        raise NotLifted("a number is written that may not fit into the few bits of its array")
    if value.whole:
        return
    if before.kind != "bool" and is_whole(real(value.entry)) and not is_minus_infinity(real(value.entry)):
        return
    if before.kind == "bool":
        raise NotLifted("numbers are written into an array of truth values")
    raise NotLifted("real numbers are written into an array of whole numbers, which cuts them")
