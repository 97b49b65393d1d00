"""Printed text as words, numbers and arrays of numbers, each with its place; and two such texts compared.

A printed number is right when the value lies within half a unit of its last digit, allowing for the rounding errors of
the arithmetic that made it. Layout (spaces, line breaks, brackets on lines of their own) is not compared.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

NOISE, LONG_NOISE = 32.0, 512.0
"""Relative errors, in units of the arithmetic's precision, that the order of the operations makes, and may make at most
in long computations."""
TINY = 1e-6
"""Differences below this much of the largest number beside them may be rounding errors of single precision."""

_NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|inf|nan)(?![\w])"
_TOKEN = re.compile(
    rf"(?P<stamp>\d+(?:\.\d+){{2,}}\S*|\d{{1,4}}[-/:]\d{{1,2}}[-/:]\d{{1,4}}\S*|\d+:\d\d\S*)"
    rf"|(?P<dots>\.\.\.|…)|(?P<num>(?<![\w.]){_NUMBER})|(?P<word>[^\W\d][\w.]*(?<!\.)|\w+)|(?P<sign>\S)"
)
_DROPPED = re.compile(
    r",\s*(?:grad_fn=<[^<>]*>|requires_grad=(?:True|False)|device='[^']*'|dtype=torch\.float(?:32|64)|dtype=float(?:32|64))"
    r"|(?<=<)[^<>\n]*? at 0x[0-9a-fA-F]+(?=>)"
)
_WRAPPED = re.compile(r"\bnp\.(?:float|int|uint|bool)_?\d*\(([^()]*)\)|\b(?:Parameter containing:)")
_ROUNDED_TIMES = re.compile(
    r"^(?:CPU times:|Wall time:|.*(?:µs|ms|ns|\bs) ± .*per loop|time: .*).*$"
    r"|^\s*[\[(]?<(?:matplotlib|Figure|Axes|IPython|seaborn|module|function|class|bound|\w+\.\w+ object).*$"
    r"|^Text\(.*\)$|^\s*\d+%\|.*$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Number:
    """A printed number: `unit` is that of its last digit; `value` the exact value behind it, where it is known."""

    text: str
    start: int
    value: float
    unit: float
    pointed: bool = False
    """Whether it is printed with a point or an exponent."""
    exact: float | None = None
    precision: float = 0.0
    scale: float = 0.0


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is `num`, `array`, `word`, `sign` or `dots`; an array has a shape, None when it is not rectangular."""

    kind: str
    text: str
    start: int
    end: int
    numbers: tuple[Number, ...] = ()
    shape: tuple[int, ...] | None = None
    gaps: tuple[int, ...] = ()
    """How many numbers stand before each `...` of an array."""
    cut: bool = False
    """Whether the text ends inside it."""
    truth: bool = False
    """A word that is a known truth value of the run."""

    @property
    def key(self) -> str:
        """What two tokens must share to be compared."""
        return {"num": "0", "array": "[]", "dots": "..."}.get(self.kind, self.text)


def masked(text: str) -> str:
    """The text with what depends on the machine or the version of a library replaced by spaces, place by place."""
    text = _ROUNDED_TIMES.sub(lambda m: " " * len(m.group()), text)
    text = _DROPPED.sub(lambda m: " " * len(m.group()), text)

    def inner(m: re.Match[str]) -> str:
        if m.group(1) is None:
            return " " * len(m.group())
        at = m.start(1) - m.start()
        return " " * at + m.group(1) + " " * (len(m.group()) - at - len(m.group(1)))

    return _WRAPPED.sub(inner, text)


def tokens(text: str) -> list[Token]:
    """The tokens of a printed text.

    >>> [(t.kind, t.shape) for t in tokens("A: [[1., 0.5], [2., 3.]]")]
    [('word', None), ('sign', None), ('array', (2, 2))]
    """
    flat = list(_flat(masked(text)))
    found: list[Token] = []
    k = 0
    while k < len(flat):
        if flat[k].kind == "sign" and flat[k].text in "[(":
            group = _group(flat, k)
            if group is not None:
                found.append(group[0])
                k = group[1]
                continue
        found.append(flat[k])
        k += 1
    return found


def _flat(text: str) -> Iterator[Token]:
    for m in _TOKEN.finditer(text):
        kind = m.lastgroup or "sign"
        if kind == "num":
            yield Token("num", m.group(), m.start(), m.end(), (number(m.group(), m.start()),))
        else:
            yield Token("word" if kind == "stamp" else kind, m.group(), m.start(), m.end())


def number(text: str, start: int = 0) -> Number:
    """A printed number.

    >>> number("-0.250").unit, number("2.5e-3").unit, number("7").unit
    (0.001, 0.0001, 1.0)
    """
    mantissa, _, exponent = text.lower().partition("e")
    if "n" in mantissa:
        return Number(text, start, float(text), 0.0)
    digits = len(mantissa.partition(".")[2])
    power = min(max(int(exponent or 0), -400), 400)
    unit = float(f"1e{power - digits}") if power - digits > -320 else 0.0
    return Number(text, start, float(text), unit, "." in text or bool(exponent))


@dataclass
class _Open:
    """A bracket that is being read."""

    mark: str
    shapes: list[tuple[int, ...] | None] = field(default_factory=list)
    """The shape of each element; () for a number, None for an array that is not rectangular."""


def _group(flat: Sequence[Token], start: int) -> tuple[Token, int] | None:
    """An array of numbers that begins at a bracket, and the token after it; None when something else stands inside."""
    opened: list[_Open] = []
    numbers: list[Number] = []
    gaps: list[int] = []
    for k in range(start, len(flat)):
        t = flat[k]
        if t.kind == "num":
            opened[-1].shapes.append(())
            numbers += t.numbers
        elif t.kind == "dots":
            gaps.append(len(numbers))
        elif t.kind == "sign" and t.text in "[(":
            opened.append(_Open(t.text))
        elif t.kind == "sign" and t.text in "])":
            done = opened.pop()
            if done.mark != {"]": "[", ")": "("}[t.text]:
                return None
            shape = _shape(done.shapes)
            if not opened:
                if not numbers and not gaps:
                    return None
                text = f"{len(numbers)} numbers"
                return Token("array", text, flat[start].start, t.end, tuple(numbers), shape, tuple(gaps)), k + 1
            opened[-1].shapes.append(shape)
        elif not (t.kind == "sign" and t.text in ",;"):
            return None
    if not numbers or (not gaps and len(opened) < 1):
        return None
    # The text ends inside: its last number may be cut, too.
    kept = tuple(numbers[:-1]) if flat[-1].kind == "num" else tuple(numbers)
    return Token("array", "cut", flat[start].start, flat[-1].end, kept, None, tuple(gaps), True), len(flat)


def _shape(shapes: Sequence[tuple[int, ...] | None]) -> tuple[int, ...] | None:
    if any(s is None for s in shapes) or len(set(shapes)) > 1:
        return None
    return (len(shapes), *(shapes[0] or ())) if shapes else (0,)


# --- comparison -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a printed text is not what the code gives.

    `kind`: `digits` (a known value lies outside the printed digits), `shape`, `truth`, or, where no value is known
    behind the text and nothing can be concluded, `text`. `noise` says that rounding errors may explain it.
    """

    kind: str
    printed: str
    computed: str
    start: int
    noise: bool = False


def compare_token(printed: Token, run: Token) -> Difference | None:
    """The first difference between two tokens of the same key."""
    if printed.kind not in ("num", "array"):
        return None
    ours, theirs = run.numbers, printed.numbers
    if printed.kind == "array":
        if printed.cut:
            if len(theirs) > len(ours):
                return _shapes(printed, run)
            ours = ours[: len(theirs)]
        elif printed.gaps and not run.gaps:
            head = printed.gaps[0]
            tail = len(theirs) - printed.gaps[-1]
            if len(ours) < head + tail:
                return _shapes(printed, run)
            ours = (*ours[:head], *ours[len(ours) - tail :]) if tail else ours[:head]
            theirs = (*theirs[:head], *theirs[len(theirs) - tail :]) if tail else theirs[:head]
        elif len(ours) != len(theirs) or printed.shape != run.shape or printed.gaps != run.gaps:
            return _shapes(printed, run)
    if printed.kind == "array":
        theirs = _one_unit(theirs)
    worst: Difference | None = None
    for a, b in zip(theirs, ours, strict=True):
        found = compare_number(a, b)
        if found is not None and (
            worst is None or (worst.noise, worst.kind == "text") > (found.noise, found.kind == "text")
        ):
            worst = found
    return worst


def _one_unit(numbers: tuple[Number, ...]) -> tuple[Number, ...]:
    """An array is printed with one precision, even where zeros at the end are left out."""
    pointed = [n for n in numbers if n.pointed and n.unit and not n.text.endswith(".")]
    if not pointed or any("e" in n.text.lower() for n in numbers):
        return numbers
    unit = min(n.unit for n in pointed)
    return tuple(replace(n, unit=unit) if n.pointed and not n.text.endswith(".") else n for n in numbers)


def _shapes(printed: Token, run: Token) -> Difference:
    known = all(n.exact is not None for n in run.numbers)
    return Difference("shape" if known else "text", _described(printed), _described(run), printed.start)


def _described(t: Token) -> str:
    return f"shape {t.shape}" if t.shape is not None and not t.cut and not t.gaps else f"{len(t.numbers)} numbers"


def compare_number(printed: Number, run: Number) -> Difference | None:
    """None when the printed number is right."""
    if printed.text == run.text:
        return None
    value = run.value if run.exact is None else run.exact
    shown = run.text if run.exact is None else f"{run.exact:.10g}"
    if math.isnan(value) or math.isnan(printed.value) or math.isinf(value) or math.isinf(printed.value):
        if value == printed.value or (math.isnan(value) and math.isnan(printed.value)):
            return None
        return Difference("digits" if run.exact is not None else "text", printed.text, shown, printed.start)
    distance = abs(value - printed.value)
    # What is printed without a point comes from a whole number, unless the code rounds to none.
    half = printed.unit / 2 if printed.pointed and not printed.text.endswith(".") else 0.0
    if not printed.pointed and not run.pointed and run.exact is not None and run.precision:
        half = 0.5
    error = NOISE * run.precision * max(abs(value), run.scale)
    if run.exact is None:
        if distance <= half * (1 + 1e-9):
            return None
        near = distance <= 1.01 * max(printed.unit, run.unit) and (printed.pointed or run.pointed)
        return Difference("text", printed.text, shown, printed.start, near)
    if distance <= half * (1 + 1e-9) + error:
        return None
    tiny = run.precision > 0 and distance <= TINY * max(run.scale, 1.0) and abs(printed.value) < 1e-3
    return Difference(
        "digits", printed.text, shown, printed.start, tiny or distance <= half + error * LONG_NOISE / NOISE
    )


def with_values(
    run: Sequence[Token], records: Sequence[tuple[int, int, Sequence[float | str], float, str]]
) -> list[Token]:
    """The tokens of a run with the values behind their numbers: (start, length, values, precision, kind) a record."""
    exact: dict[int, tuple[float, float, float]] = {}
    truths: list[tuple[int, int]] = []
    every = [n for t in run for n in t.numbers]
    for start, length, values, precision, kind in records:
        if kind in ("truth", "mixed"):
            truths.append((start, start + length))
        inside = [n for n in every if start <= n.start < start + length]
        if len(inside) != len(values) or not inside:
            continue
        known = [float(v) for v in values]
        # a value that the text does not show (a percentage, another unit) is not the value behind it
        if not all(_shows(n, v) for n, v in zip(inside, known, strict=True)):
            continue
        scale = max((abs(v) for v in known if math.isfinite(v)), default=0.0)
        for n, v in zip(inside, known, strict=True):
            exact[n.start] = (v, precision, scale)
    made = []
    for t in run:
        numbers = tuple(
            replace(n, exact=exact[n.start][0], precision=exact[n.start][1], scale=exact[n.start][2])
            if n.start in exact
            else n
            for n in t.numbers
        )
        truth = t.text in ("True", "False") and any(a <= t.start < b for a, b in truths)
        made.append(replace(t, numbers=numbers, truth=truth))
    return made


def _shows(printed: Number, value: float) -> bool:
    if not math.isfinite(value) or not math.isfinite(printed.value):
        return value == printed.value or (math.isnan(value) and math.isnan(printed.value))
    return abs(printed.value - value) <= max(0.51 * printed.unit, 1e-9 * abs(value))
