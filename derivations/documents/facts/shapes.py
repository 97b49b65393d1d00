"""Shapes that sentences state: "`Q, K` of shape (S, D)", "an n x d matrix X", "a row vector q of length d".

What is found is written as a membership, `Q, K \\in \\mathbb{R}^{S \\times D}`, and taken over like one that an author
writes as an equation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

NAME = r"⟦\d+⟧"
MAX_NAMES = 20
"""Most names before the last one in a list that a sentence gives a shape to; without it a long list takes its square."""
NAMES = rf"(?P<names>{NAME}(?:(?:\s*,\s*|\s*,?\s+and\s+|\s*[、和与]\s*){NAME}){{0,{MAX_NAMES}}})"
SPAN = re.compile(r"⟦(\d+)⟧")
SIZE = r"(?:[A-Za-z](?:_(?:\{?[A-Za-z]+\}?|[A-Za-z0-9]))?|\d+)"
TUPLE = rf"`?[(\[]\s*{SIZE}(?:\s*[,×x]\s*{SIZE})*\s*,?\s*[)\]]`?"
SHAPE = rf"(?P<shape>{NAME}|{TUPLE})"
LENGTH = rf"(?P<size>{NAME}|\b{SIZE}\b)"
OF_LENGTH = rf"of\s+(?:the\s+)?(?:length|dimension(?:ality)?|size)\s+{LENGTH}"
BE = r"\s*(?:,\s*)?(?:is|are|be|denotes?|being)\s+"
ALL = r"(?:(?:all|both|each|now|again)\s+)?"

KIND = r"(?P<orient>row\s+|column\s+)?"
ARTICLES = r"(?:an?\s+|the\s+|real\s+)*"
WORDS = r"(?:(?!vector)[a-z-]+\s+){0,2}"
MATRIX = r"matri(?:x|ces)\b"
HAVE = r"(?:(?:has|have|with|is|are|of|in)\s+)+"
IS_ZH = r"(?:都|均)?(?:是|为)\s*(?:一个|两个)?\s*"
VECTOR_ZH = r"的?(?P<orient>行|列)?向量"

_ROWS: tuple[tuple[str, str], ...] = (
    (
        rf"{NAMES}\s*[,(]?\s*{ALL}{HAVE}(?:the\s+)?(?:shapes?|sizes?|dimensions?)\s+(?:of\s+|is\s+)?{SHAPE}",
        "⟦1⟧, ⟦2⟧ and ⟦3⟧ have shape (S, D)",
    ),
    (rf"\bshapes?\s+of\s+(?:both\s+)?{NAMES}\s+(?:is|are)\s+{SHAPE}", "the shape of ⟦1⟧ is (B, T, C)"),
    (rf"(?P<shape>{NAME})\s+{WORDS}{MATRIX}\s+{NAMES}", "an ⟦9⟧ weight matrix ⟦1⟧"),
    (rf"{NAMES}{BE}{ARTICLES}(?P<shape>{NAME})\s+{WORDS}{MATRIX}", "⟦1⟧ is an ⟦9⟧ matrix"),
    (rf"{NAMES}{BE}{ARTICLES}{WORDS}{MATRIX}\s+of\s+(?:size|dimensions?)\s+{SHAPE}", "⟦1⟧ is a matrix of size ⟦9⟧"),
    (rf"\b{MATRIX}\s+{NAMES}\s+of\s+(?:size|dimensions?)\s+{SHAPE}", "the matrix ⟦1⟧ of size ⟦9⟧"),
    (rf"{KIND}\bvectors?\s+{NAMES}\s+(?:both\s+|each\s+)?{OF_LENGTH}", "a vector ⟦1⟧ of length ⟦4⟧"),
    (rf"{NAMES}{BE}{ARTICLES}{KIND}(?:[a-z-]+\s+)?vectors?\s+{OF_LENGTH}", "⟦1⟧ is a row vector of length d"),
    (rf"{NAMES}{BE}{ARTICLES}{LENGTH}[- ]dimensional\s+{KIND}vectors?\b", "⟦1⟧ and ⟦2⟧ are ⟦4⟧-dimensional vectors"),
    (rf"{LENGTH}[- ]dimensional\s+{KIND}(?:[a-z]+\s+)?vectors?\s+{NAMES}", "a ⟦4⟧-dimensional vector ⟦1⟧"),
    (rf"{NAMES}\s*{IS_ZH}长度(?:都)?为\s*{LENGTH}\s*{VECTOR_ZH}", "⟦1⟧ 是长度为 ⟦4⟧ 的行向量"),
    (rf"{NAMES}\s*{IS_ZH}{LENGTH}\s*维{VECTOR_ZH}", "⟦1⟧ 是 ⟦4⟧ 维向量"),
    (rf"{NAMES}\s*的?(?:形状|维度|大小){IS_ZH}{SHAPE}", "⟦1⟧ 的形状为 (n, d)"),
)
PHRASES = tuple((re.compile(pattern, re.IGNORECASE), example) for pattern, example in _ROWS)
"""Pattern and example: a test reads every example."""

COUNTED = re.compile(
    r"(?<![A-Za-z])(?!(?:index|indices|letter|subscript|superscript|entry|row|column|token|head|position|number|"
    r"matri(?:x|ces)|vectors?|tensors?|weights?|projections?|embeddings?|maps?|masks?|bias|scores?|quer(?:y|ies)|keys?|values?|"
    r"states?|outputs?|inputs?|parameters?|functions?|layer|gradients?|logits?)\b)"
    r"[A-Za-z]+\s+⟦(\d+)⟧\s+(?:(?!(?:is|are|was|were|be|has|have|holds?|contains?|the|an?|as|to|in|of|on|for|and|or|by|with|that|"
    r"which|their|its|our|these|those|from|over|into|give|gives|map|maps)\b)[a-z-]++\s+){0,2}?"
    r"(?!(?:numbers|labels|points|steps)\s+(?:the|each|every|all|an?|its|their)\b)(?:heads|layers|blocks|tokens|words|classes|groups|experts|patterns|features|"
    r"dimensions|channels|positions|samples|examples|nodes|neighbou?rs|components|entries|items|numbers|sentences|"
    r"sequences|clusters|categories|steps|vectors|points|documents|labels|outcomes|sites|units|neurons)\b",
    re.IGNORECASE,
)
"""A formula before a noun in the plural: how many there are."""
PART_COUNTED = re.compile(
    r"⟦(\d+)⟧\s+of\s+(?:the|these|all|all the)\s+(?:⟦\d+⟧\s+)?(?:heads|layers|blocks|tokens|words|classes|groups|experts)\b"
)
"""`g of the h heads`: how many of them."""
TIMES = re.compile(r"^\s*+\(?(?=[^()=<>]*?\\times)[^()=<>]*+\)?\s*+$")
IN_PARENTHESES = re.compile(r"^\s*\\?[(\[](?P<inner>[^()\[\]]*)\\?[)\]]\s*$")
PLAIN = re.compile(r"^\s*\\?[A-Za-z]+(?:_(?:\{[^{}]*\}|\\?[A-Za-z0-9]))?\s*$|^\s*\d+\s*$")
SUBJECT = re.compile(r"^[^=<>]*$")


def counted(sentence: str, sources: Mapping[int, str]) -> Iterator[str]:
    """Names that a sentence gives as a number of things: "with ⟦1⟧ heads"."""
    for found in (*COUNTED.finditer(sentence), *PART_COUNTED.finditer(sentence)):
        source = sources.get(int(found.group(1)), "")
        if PLAIN.match(source) and not source.strip().isdigit():
            yield source.strip()


def stated_shapes(sentence: str, sources: Mapping[int, str]) -> Iterator[str]:
    """Memberships in LaTeX that a sentence with numbered formulas states; `sources` are the formulas as written."""
    for pattern, _ in PHRASES:
        for found in pattern.finditer(sentence):
            groups = found.groupdict()
            names = [sources.get(int(k), "") for k in SPAN.findall(groups["names"])]
            if not all(n and SUBJECT.match(n) and r"\in" not in n for n in names):
                continue
            if groups.get("shape") is not None:
                sizes = _axes(groups["shape"], sources)
            else:
                sizes = _size(groups["size"], sources)
            if not sizes:
                continue
            orient = (groups.get("orient") or "").strip().lower()
            if len(sizes) == 1 and orient in ("row", "行"):
                sizes = ["1", *sizes]
            elif len(sizes) == 1 and orient in ("column", "列"):
                sizes = [*sizes, "1"]
            axes = r" \times ".join(sizes)
            yield rf"{', '.join(n.strip() for n in names)} \in \mathbb{{R}}^{{{axes}}}"


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
