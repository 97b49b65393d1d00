"""Lengths: "with H heads", "n is the number of tokens", "the sequence length n", "d_k is the dimension of the keys"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from derivations.documents.facts.declarations import axes, space
from derivations.documents.facts.fact import FactKind, Found, Row, Sentence, pattern
from derivations.latex.syntax.surface import Chain, Name, Node, Scripted
from derivations.latex.syntax.surface_writer import write_surface

_PLAIN = re.compile(r"^\s*\\?[A-Za-z]+(?:_(?:\{[^{}]*\}|\\?[A-Za-z0-9]))?\s*$")
_MANY = (
    r"heads|layers|blocks|tokens|words|classes|groups|experts|patterns|features|dimensions|channels|positions|samples|examples|"
    r"nodes|neighbou?rs|components|entries|items|numbers|sentences|sequences|clusters|categories|steps|vectors|points|documents|"
    r"labels|outcomes|sites|units|neurons"
)
_LENGTH = (
    r"(?:(?:sequence|context|input|output|target|source|memory|window|vector|key|query|embedding|prompt)\s+)?lengths?|"
    r"(?:(?:embedding|model|hidden|head|feature|key|query|value|input|output|vector|batch|vocabulary|state|inner)[- ])"
    r"(?:dimension(?:ality)?|dim|size|width)s?"
)


def _counted(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    for mark in re.finditer(r"⟦(\d+)⟧", match["names"]):
        number = int(mark.group(1))
        if _PLAIN.match(sentence.sources.get(number, "")):
            yield (number,), re.sub(r"\s+", " ", match["noun"].lower())


ROWS: tuple[Row, ...] = (
    Row(
        FactKind.COUNT,
        "many",
        re.compile(
            r"(?<![A-Za-z])(?!(?:index|indices|letter|subscript|superscript|entry|row|column|token|head|position|number|"
            r"matri(?:x|ces)|vectors?|tensors?|weights?|projections?|embeddings?|maps?|masks?|bias|scores?|quer(?:y|ies)|keys?|"
            r"values?|states?|outputs?|inputs?|parameters?|functions?|layer|gradients?|logits?)\b)"
            r"[A-Za-z]+\s+(?P<names>⟦\d+⟧)\s+(?:(?!(?:is|are|was|were|be|has|have|holds?|contains?|the|an?|as|to|in|of|on|for|and|"
            r"or|by|with|that|which|their|its|our|these|those|from|over|into|give|gives|map|maps)\b)[a-z/-]++\s+){0,2}?"
            rf"(?!(?:numbers|labels|points|steps)\s+(?:the|each|every|all|an?|its|their)\b)(?P<noun>{_MANY})\b",
            re.IGNORECASE,
        ),
        _counted,
        "A layer with $H$ attention heads is given.",
        "count: H heads",
        "The matrix $W$ maps tokens.",
    ),
    Row(
        FactKind.COUNT,
        "of-many",
        re.compile(
            r"(?P<names>⟦\d+⟧)\s+of\s+(?:the|these|all|all the)\s+(?:⟦\d+⟧\s+)?"
            r"(?P<noun>heads|layers|blocks|tokens|words|classes|groups|experts)\b"
        ),
        _counted,
        "Only $g$ of the $h$ heads are kept.",
        "count: g heads",
        "The rows $g$ of the matrix are kept.",
    ),
    Row(
        FactKind.COUNT,
        "number-of",
        pattern(
            r"NAMES\s*,?\s*(?:is|denotes?|be|for|means|:|=)\s+(?:the\s+)?(?:total\s+)?number\s+of\s+(?:[a-z-]+\s+){0,2}?"
            rf"(?P<noun>{_MANY}|queries|keys|rows|columns|inputs|outputs|parameters|blocks|chunks)\b"
        ),
        _counted,
        "Here $N$ is the number of input tokens.",
        "count: N tokens",
        "Here $N$ is the number that we look for.",
        subject=True,
    ),
    Row(
        FactKind.COUNT,
        "number-of-things-called",
        pattern(
            rf"\bnumber\s+of\s+(?:[a-z-]+\s+){{0,2}}?(?P<noun>{_MANY}|queries|keys|rows|columns)\s+(?:is\s+|be\s+|by\s+)?NAMES(?!\s*(?:is|are|has|\\w+s)\b)"
        ),
        _counted,
        "Write the number of tokens $N$ below the sum.",
        "count: N tokens",
        "The number of these tokens $x$ is large.",
    ),
    Row(
        FactKind.COUNT,
        "length-is",
        pattern(
            rf"NAMES\s*,?\s*(?:is|denotes?|be|for|means)\s+(?:the|our|a)\s+(?P<noun>{_LENGTH})\b(?!\s*(?:of\s+the\s+vector|⟦))"
        ),
        _counted,
        "Here $N$ is the sequence length.",
        "count: N sequence length",
        "Here $N$ is the normal vector.",
        subject=True,
    ),
    Row(
        FactKind.COUNT,
        "length",
        pattern(r"\b(?:sequence|context|window)\s+(?P<noun>length)\s+(?:of\s+|is\s+)?NAMES"),
        _counted,
        "We take a context length $N$ from now on.",
        "count: N length",
        "We take the length $N$ from now on.",
    ),
    Row(
        FactKind.COUNT,
        "of-dimension",
        pattern(
            r"\b(?:vectors?|embeddings?|spaces?|queries|keys|values|tokens|sequences?|models?|layers?|networks?|heads?)\s+"
            r"(?:has|have|of|with)\s+(?P<noun>dimension(?:ality)?|length|width)\s+NAMES"
        ),
        _counted,
        "A model of width $d$ is given.",
        "count: d width",
        "A Gaussian of width $s$ is given.",
    ),
    Row(
        FactKind.COUNT,
        "dimension-of",
        pattern(
            r"NAMES\s*,?\s*(?:is|denotes?|be|for|means)\s+the\s+(?P<noun>dimension(?:ality)?|length|size)\s+of\s+"
            r"(?:the\s+|each\s+|a\s+|an\s+|our\s+)?(?:[a-z-]+\s+){0,2}?"
            r"(?:keys?|quer(?:y|ies)|values?|heads?|embeddings?|model|tokens?|vectors?|states?|sequences?|inputs?|vocabulary|features?|"
            r"batch|hidden|space|context)\b"
        ),
        _counted,
        "where $d_k$ is the dimension of the keys",
        "count: d_k dimension",
        "where $d_k$ is the sign of the keys",
        subject=True,
    ),
)


def lengths_of_formula(node: Node) -> Iterator[str]:
    r"""The lengths in a formula that is a space and nothing else: d of "keys in $\mathbb{R}^d$"."""
    if not isinstance(node, Chain) or node.links or node.first is None:
        return
    exponent = space(node.first)
    for axis in axes(exponent) if exponent is not None else ():
        if isinstance(axis, Name | Scripted):
            yield write_surface(axis)
