"""Shapes that sentences state: "`Q, K` of shape (S, D)", "an n x d matrix X", "a row vector q of length d".

The value is a space in LaTeX, `\\mathbb{R}^{S \\times D}`, and is taken over like one that an author writes in a formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from derivations.documents.facts.fact import ONE, FactKind, Found, Row, Sentence, numbers_in
from derivations.documents.facts.noun_phrases import phrases

NUMBER = r"\mathbb{R}"
"""The space of what is called a number."""
NAME = r"⟦\d+⟧"
MAX_NAMES = 20
"""Most names before the last one in a list that a sentence gives a shape to; without it a long list takes its square."""
NAMES = rf"(?P<names>{NAME}(?:(?:\s*,\s*|\s*,?\s+and\s+|\s*[、和与]\s*){NAME}){{0,{MAX_NAMES}}})"
SPAN = re.compile(r"⟦(\d+)⟧")
SIZE = r"(?:[A-Za-z](?:_(?:\{?[A-Za-z]+\}?|[A-Za-z0-9]))?|\d+)"
TUPLE = rf"`?[(\[]\s*{SIZE}(?:\s*[,×x]\s*{SIZE})*\s*,?\s*[)\]]`?"
SHAPE = rf"(?P<shape>{NAME}|{TUPLE})"
LENGTH = rf"(?P<size>{NAME}|\b{SIZE}\b)"
BE = r"\s*(?:,\s*)?(?:is|are|be|denotes?|being)\s+"
ALL = r"(?:(?:all|both|each|now|again)\s+)?"

HAVE = r"(?:(?:has|have|with|is|are|of|in)\s+)+"
IS_ZH = r"(?:都|均)?(?:是|为)\s*(?:一个|两个)?\s*"
VECTOR_ZH = r"的?(?P<orient>行|列)?向量"

TIMES = re.compile(r"^\s*+\(?(?=[^()=<>]*?\\times)[^()=<>]*+\)?\s*+$")
IN_PARENTHESES = re.compile(r"^\s*\\?[(\[](?P<inner>[^()\[\]]*)\\?[)\]]\s*$")
PLAIN = re.compile(r"^\s*\\?[A-Za-z]+(?:_(?:\{[^{}]*\}|\\?[A-Za-z0-9]))?\s*$|^\s*\d+\s*$")
SUBJECT = re.compile(r"^[^=<>]*$")


def _shaped(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    """The names of a match and the space that they are in; none where a formula is more than a name."""
    names, sources, groups = numbers_in(match["names"]), sentence.sources, match.groupdict()
    written = [sources.get(n, "") for n in names]
    if not all(w and SUBJECT.match(w) and r"\in" not in w for w in written):
        return
    of_shape = groups.get("shape") is not None
    sizes = _axes(groups["shape"], sources) if of_shape else _size(groups["size"], sources)
    if not sizes:
        return
    orient = (groups.get("orient") or "").strip().lower()
    if len(sizes) == 1 and orient in ("row", "行"):
        sizes = ["1", *sizes]
    elif len(sizes) == 1 and orient in ("column", "列"):
        sizes = [*sizes, "1"]
    axes = r" \times ".join(sizes)
    yield names, rf"\mathbb{{R}}^{{{axes}}}"


def _beside(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    """A name with its shape in parentheses after it; nothing where these hold something else."""
    (shape,) = numbers_in(match["shape"])
    if TIMES.match(sentence.sources.get(shape, "")):
        yield from _shaped(match, sentence)


_SPACE = re.compile(r"^\s*\\mathbb\s*(?:\{\s*R\s*\}|R)\s*\^[^=<>,;]*$")


def _in_space(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    """The names of a match and the space that a formula after them writes."""
    space = sentence.sources.get(int(match["space"]), "")
    subjects = [sentence.sources.get(n, "") for n in numbers_in(match["names"])]
    if _SPACE.match(space) and all(w and SUBJECT.match(w) and r"\in" not in w for w in subjects):
        yield numbers_in(match["names"]), space.strip()


def _numbers(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    """The names of a match as numbers; of a formula that says more of a name, `c > 0`, what stands before its sign."""
    subjects = [_COMPARED.split(sentence.sources.get(n, ""), maxsplit=1)[0].strip() for n in numbers_in(match["names"])]
    if all(s and SUBJECT.match(s) and not _LISTED.search(s) for s in subjects):
        yield tuple(subjects), NUMBER


def _members(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    """The members of a family of numbers: `R_t`, `R_1, \\dots, R_T`; what has no index may be all of them together."""
    sources = [sentence.sources.get(n, "").strip() for n in numbers_in(match["names"])]
    if all(_MEMBERS.fullmatch(s) for s in sources):
        yield tuple(sources), NUMBER


_MEMBER = r"\\?[A-Za-z]+_(?:\{[^{}]*\}|[A-Za-z0-9])"
_MEMBERS = re.compile(rf"{_MEMBER}(?:\s*,\s*(?:{_MEMBER}|\\[cl]?dots|\.\.\.))*")
_QUANTITIES = (
    r"(?:rewards?|payoffs?|costs?|prices?|returns?|losses|step[- ]?sizes?|learning rates?|temperatures?|discounts?|"
    r"noise levels?)"
)
_COMPARED = re.compile(r"[<>=]|\\(?:lt|gt|leq?|geq?|neq?|in)\b")
_LISTED = re.compile(r"\\[cl]?dots\b|\.\.\.|,|\\(?:to|frac|sum)\b|[+*/^]")
_CELLS = rf"\A\|(?:[^|⟦]*\|)*?\s*(?:\*\*)?{NAMES}(?:\*\*)?\s*\|(?:[^|⟦]*\|)*?\s*"
"""A row of a table up to another cell: the first formula in it is what the row is about."""
_SORT = (
    r"(?:(?:real|positive|negative|non-?negative|non-?zero|strictly|small|large|fixed|given|arbitrary|single|free|two|three)"
    r"\s+)*"
)
_BEFORE = r"(?:for|let|with|any|all|some|every|an?|two|three|and|are|be|where|of|by)"
_NUMBERS = rf"{_BEFORE}\s+{_SORT}(?:numbers?|scalars?|constants?)\b"


def _axes(text: str, sources: Mapping[int, str]) -> list[str]:
    """The sizes of `(S, D)`, `n \\times d` or a formula that is one of these."""
    span = SPAN.fullmatch(text)
    source = sources.get(int(span.group(1)), "") if span else text.strip("`")
    if span and TIMES.match(source):
        parts = source.strip().removeprefix("(").removesuffix(")").split(r"\times")
    else:
        inside = IN_PARENTHESES.match(source)
        if inside is None:
            return []
        parts = re.split(r"\\times|[,×]", inside.group("inner").rstrip(" ,"))
    parts = [p.strip().strip("\\ ") if p.strip() in ("\\", "") else p.strip() for p in parts]
    return (
        parts if all(PLAIN.match(p) or re.match(r"^[A-Za-z0-9_{}\\+\-*/ ]+$", p) for p in parts) and all(parts) else []
    )


def _size(text: str, sources: Mapping[int, str]) -> list[str]:
    span = SPAN.fullmatch(text)
    source = sources.get(int(span.group(1)), "") if span else text
    return [source.strip()] if PLAIN.match(source) else []


def _row(name: str, text: str, fires: str, gives: str, silent: str) -> Row:
    return Row(FactKind.SHAPE, name, re.compile(text, re.IGNORECASE), _shaped, fires, f"shape: {gives}", silent)


def _numbers_row(name: str, text: str, fires: str, gives: str, silent: str) -> Row:
    return Row(FactKind.SHAPE, name, re.compile(text, re.IGNORECASE), _numbers, fires, f"shape: {gives}", silent)


def _of_phrases(_match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    """The shapes that phrases of a sentence tell."""
    yield from ((p.names, p.shape) for p in phrases(sentence) if p.shape)


ROWS: tuple[Row, ...] = (
    Row(
        FactKind.SHAPE,
        "phrase",
        re.compile(r"\A(?=.*(?:⟦|\d))", re.DOTALL),
        _of_phrases,
        r"an $n \times d$ weight matrix $Q$",
        r"shape: Q \mathbb{R}^{n \times d}",
        r"a matrix product $Q$ of an $n \times d$ matrix",
    ),
    _numbers_row(
        "numbers",
        rf"\b{_NUMBERS}\s+{NAMES}",
        "for numbers $Q$ and $K$ this holds",
        r"Q, K \mathbb{R}",
        "the number of heads $Q$",
    ),
    _numbers_row(
        "are-numbers",
        rf"{NAMES}{BE}(?:(?:both|all)\s+)?(?:an?\s+|some\s+)?{_SORT}(?:real\s+)?(?:numbers?|scalars?)\b(?!\s+of\b)",
        "$Q$ is a positive number",
        r"Q \mathbb{R}",
        "$Q$ is a number of heads",
    ),
    _numbers_row(
        "are-constants",
        rf"{NAMES}{BE}(?:(?:both|all|an?|some)\s+)?{_SORT}(?:(?<=\ba\s)constant(?!\s+[a-z])|constants(?!\s+of\b))(?![\w-])",
        "let $Q$ and $K$ be constants",
        r"Q, K \mathbb{R}",
        "$Q$ is constant, and $K$ is a constant matrix",
    ),
    Row(
        FactKind.SHAPE,
        "members-that-are-numbers",
        re.compile(rf"\b{_QUANTITIES}\s+{NAMES}", re.IGNORECASE),
        _members,
        "an episode gives rewards $Q_t$",
        r"shape: Q_t \mathbb{R}",
        "the vector of rewards $Q$",
    ),
    Row(
        FactKind.SHAPE,
        "are-in-space",
        re.compile(
            rf"{NAMES}\s+(?:(?:is|are|lies?|lives?|belongs?)\s+)?{ALL}(?:in|to)\s+⟦(?P<space>\d+)⟧", re.IGNORECASE
        ),
        _in_space,
        "the matrices $Q, K$ are all in $\\mathbb{R}^{d \\times m}$",
        r"shape: Q, K \mathbb{R}^{d \times m}",
        "the map takes $Q$ to $K$",
    ),
    Row(
        FactKind.SHAPE,
        "arrays-in-space",
        re.compile(
            rf"{NAMES},?\s+(?:(?:is|are|be|denotes?)\s+)?(?:[a-z]+\s+){{0,3}}?(?:vectors?|matri(?:x|ces)|points?|arrays?)\s+"
            rf"(?:in|from)\s+⟦(?P<space>\d+)⟧",
            re.IGNORECASE,
        ),
        _in_space,
        "$X,Y$ random vectors in $\\mathbb{R}^n$",
        r"shape: X,Y \mathbb{R}^n",
        "the map $A$ takes vectors to $K$",
    ),
    Row(
        FactKind.SHAPE,
        "shape-in-parentheses",
        re.compile(rf"(?P<names>{ONE})\s*\((?P<shape>{ONE})\)"),
        _beside,
        r"The covariances $P$ ($n \times n$) and $R$ ($p \times p$) are known.",
        r"shape: R \mathbb{R}^{p \times p}",
        r"The covariance $P$ ($n > p$) is known.",
    ),
    _row(
        "have-shape",
        rf"{NAMES}\s*[,(]?\s*{ALL}{HAVE}(?:the\s+)?(?:shapes?|sizes?|dimensions?)\s+(?:of\s+|is\s+)?{SHAPE}",
        "$Q$, $K$ and $V$ have shape (S, D)",
        r"Q, K, V \mathbb{R}^{S \times D}",
        "$Q$ and $K$ have the shape of things to come",
    ),
    _row(
        "shape-of",
        rf"\bshapes?\s+of\s+(?:both\s+)?{NAMES}\s+(?:is|are)\s+{SHAPE}",
        "the shape of $Q$ is (B, T, C)",
        r"Q \mathbb{R}^{B \times T \times C}",
        "the shape of $Q$ is unknown",
    ),
    _row(
        "row-of-table",
        rf"{_CELLS}(?:shape\s+)?{SHAPE}\s*(?:matrix|array|tensor)?\s*\|",
        "| $Q$ | (n, d) | the queries |",
        r"Q \mathbb{R}^{n \times d}",
        "| $Q$ | the queries |",
    ),
    _numbers_row(
        "number-in-table",
        rf"{_CELLS}(?:an?\s+)?{_SORT}(?:number|scalar)\b\s*(?=[|,;(])",
        "| $Q$ | the scale | scalar |",
        r"Q \mathbb{R}",
        "| $Q$ | number of heads |",
    ),
    Row(
        FactKind.SHAPE,
        "space-in-table",
        re.compile(rf"{_CELLS}⟦(?P<space>\d+)⟧\s*\|"),
        _in_space,
        "| $Q$ | $\\mathbb{R}^{d \\times m}$ | the queries |",
        r"shape: Q \mathbb{R}^{d \times m}",
        "| $Q$ | $K$ | the keys |",
    ),
    _row(
        "is-vector-zh",
        rf"{NAMES}\s*{IS_ZH}长度(?:都)?为\s*{LENGTH}\s*{VECTOR_ZH}",
        "$Q$ 是长度为 $d_k$ 的行向量",
        r"Q \mathbb{R}^{1 \times d_k}",
        "$Q$ 是矩阵",
    ),
    _row(
        "dimensional-zh",
        rf"{NAMES}\s*{IS_ZH}{LENGTH}\s*维{VECTOR_ZH}",
        "$Q$ 是 $d_k$ 维向量",
        r"Q \mathbb{R}^{d_k}",
        "$Q$ 是向量",
    ),
    _row(
        "have-shape-zh",
        rf"{NAMES}\s*的?(?:形状|维度|大小){IS_ZH}{SHAPE}",
        "$Q$ 的形状为 (n, d)",
        r"Q \mathbb{R}^{n \times d}",
        "$Q$ 的形状为未知",
    ),
)
