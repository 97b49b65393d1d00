"""Kinds of matrices: orthogonal, symmetric, stochastic."""

from __future__ import annotations

import re
from collections.abc import Iterator

from derivations.documents.facts.fact import FactKind, Found, Row, Sentence, numbers_in, pattern
from derivations.documents.facts.kinds.property import DIAGONAL_MATRIX_OF, near
from derivations.documents.facts.noun_phrases import phrases
from derivations.documents.facts.sentence_patterns import PERMUTATION_MATRIX, ROW_SUMS

_WORDS = {
    "orthogonal": "orthogonal",
    "rotation": "orthogonal",
    "symmetric": "symmetric",
    "row-stochastic": "row-stochastic",
    "right-stochastic": "row-stochastic",
    "column-stochastic": "column-stochastic",
    "doubly-stochastic": "row-stochastic",
    "antisymmetric": "antisymmetric",
    "skew-symmetric": "antisymmetric",
    "diagonal": "diagonal",
    "upper-triangular": "upper",
    "lower-triangular": "lower",
    "spd": "symmetric",
}
_WORD = (
    r"(?P<word>orthogonal|rotation|symmetric|antisymmetric|skew[- ]symmetric|diagonal|(?:upper|lower)[- ]triangular|"
    r"(?:row|right|column|doubly)[- ]stochastic|SPD)"
)
_GOES_ON = r"(?:and|then|so|but|while|where|whose|which|for|has|have)\b|with\b(?!\s+respect)"
"""What may follow the kind of a matrix that has come to its end: not `A is symmetric in its arguments`."""
_NOT_NEARLY = "".join(
    rf"(?<!{word} )" for word in ("block", "non", "not", "nearly", "almost", "approximately", "partly")
)
_DEFINES = r"(?!\s+(?:(?:real|square)\s+)?matri(?:x|ces)\s*,?\s*(?:if|iff|when|whenever|provided|precisely|exactly)\b)"
"""Not `A is an orthogonal matrix if …`: that says what the word means."""
_DEFINITE = r"positive[- ]?(?:semi[- ]?)?definite|PSD|invertible|nonsingular|non-singular|real|square"
"""What may stand beside the kind of a matrix, and changes nothing of it."""
_IS = r"\s*,?\s*(?:is|are|be|being|denotes?|as|for)\s+"
_ADJECTIVES = (
    rf"(?:(?:a|an|the|any|some|all|both|fixed|given|arbitrary)\s+|⟦\d+⟧\s+|(?:{_DEFINITE})(?:\s+and\s+|,?\s+))*"
)
_NOUNS = r"(?:(?!(?:projections?|projectors?|blocks?|parts?|bands?|matri(?:x|ces))\b)[^\W\d_]+\s+){0,2}"
"""What a matrix is of, `the symmetric adjacency matrix`; an orthogonal projection matrix is no orthogonal one."""
_BESIDE = rf"(?:,?\s+(?:and\s+)?(?:{_DEFINITE}))*"


_ADJACENCY = pattern(r"\b(?:adjacency(?:\s+matrix)?|edge[- ]weights?|weights?\s+of\s+(?:its|the)\s+edges)\s+NAMES")
"""The matrix of a graph: an entry for each edge, those of its loops on the diagonal."""


def _by_word(match: re.Match[str], _sentence: Sentence) -> Iterator[Found]:
    word = re.sub(r"\s", "-", match["word"].lower())
    yield numbers_in(match["names"]), _WORDS[word]


def _adjacency(_match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    for weights in _ADJACENCY.finditer(sentence.text):
        yield numbers_in(weights["names"]), "zero diagonal"


DIAGONAL_OF = "diagonal of"
"""What is said of a matrix with the entries of a vector on its diagonal."""
_ENTRIES = r"(?:diagonal\s+)?(?:entries|elements|components|coordinates|values)"
_TOLD_ON_DIAGONAL = re.compile(
    rf"{DIAGONAL_MATRIX_OF}(?:\s+(?:the\s+)?{_ENTRIES}\s+(?:of|are|equal|equal\s+to|given\s+by)\b)?(?:\s+(?:the|an?|its|all)\b)*"
    rf"(?P<words>(?:\s+(?!of\b)[^\W\d_]+){{0,4}}+)(?:\s*(?P<names>⟦\d+⟧)"
    r"(?=\s*(?:[.,;:)]|$|(?:on|along|down|at|as|for|where|so|then)\b|(?:and|,)\s+zeros?\b))|(?=\s*(?:[.,;:)]|$)))",
    re.IGNORECASE,
)
r"""`the diagonal matrix with the entries of $d$ on its diagonal`, `of the degrees $d_i$`, `of the degrees`."""
_OTHER_VALUES = re.compile(
    r"\b(?:invers|reciproc|squar|root|expon|power|absolut|magnitud|modul|negat|opposit|log|scal|shift|sum|total|difference|"
    r"product|times|twice|half|double|norm|sorted|revers|except|without|first|last|leading|other|remaining|block)\w*",
    re.IGNORECASE,
)
"""Words after which something else than what is named may stand on a diagonal."""


def _diagonal_of(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    """The matrix with the vector whose entries stand on its diagonal: the one that is written there, or else what the same
    words before are a name of: "the degrees $d_i$ … the diagonal matrix of the degrees"."""
    (whole,) = numbers_in(match["matrix"] or match["after"])
    part = numbers_in(match["names"])
    words = match["words"].split()
    if _OTHER_VALUES.search(match["words"]):
        return
    if not part and words:
        noun = r"\s+".join(map(re.escape, [*words[:-1], words[-1].removesuffix("s")]))
        named = re.search(rf"\b{noun}s?\s(⟦\d+⟧)", sentence.text[: match.start()], re.IGNORECASE)
        part = () if named is None else numbers_in(named[1])
    if part:
        yield (whole,), (DIAGONAL_OF, *part)


def _orthonormal(match: re.Match[str], _sentence: Sentence) -> Iterator[Found]:
    yield numbers_in(match["names"]), f"orthonormal {(match['side'] or match['end']).lower()}"


def _permutation(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    if PERMUTATION_MATRIX.search(sentence.text):
        yield from (((number,), "permutation") for number in near(match, sentence))


def _row_sums(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    if ROW_SUMS.search(sentence.text):
        yield from (((number,), "row sums") for number in near(match, sentence))


def _matrices(_match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    yield from ((p.names, "matrix") for p in phrases(sentence) if p.rank == 2 and not p.shape)


def _squares(_match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    yield from ((p.names, "square") for p in phrases(sentence) if p.rank == 2 and not p.shape and p.is_square)


ROWS: tuple[Row, ...] = (
    Row(
        FactKind.MATRIX,
        "called-matrix",
        re.compile(r"\A(?=.*\bmatri(?:x|ces)\b)", re.IGNORECASE | re.DOTALL),
        _matrices,
        "For a vector $x$ and a matrix $A$ this holds.",
        "matrix: A matrix",
        "The entries of a matrix are $a$, its matrix norm is $b$, and $c$ is not a matrix.",
    ),
    Row(
        FactKind.MATRIX,
        "called-square",
        re.compile(r"\A(?=.*\bsquare\b)", re.IGNORECASE | re.DOTALL),
        _squares,
        "Let $A$ and $B$ be invertible square matrices.",
        "matrix: A, B square",
        "Let $A$ be a non-square matrix, and $c$ the square of its norm.",
    ),
    Row(
        FactKind.MATRIX,
        "permutation",
        re.compile(r"\bpermutation\b", re.IGNORECASE),
        _permutation,
        "Let $P$ be a permutation matrix.",
        "matrix: P permutation",
        "Let $p$ be a permutation.",
        denied=True,
    ),
    Row(
        FactKind.MATRIX,
        "kronecker-before",
        pattern(r"\bKronecker(?:'s|-)?\s+(?:delta|symbol)s?(?:\s+function)?\s*,?\s+NAMES"),
        "kronecker",
        "with the Kronecker symbol $d_{ij}$",
        "matrix: d_{ij} kronecker",
        "The Kronecker product $D$ has a symbol of its own.",
    ),
    Row(
        FactKind.MATRIX,
        "kronecker",
        pattern(
            r"NAMES\s*,?\s*(?:is|are|denotes?|being|for)\s+(?:the\s+|an?\s+)?Kronecker(?:'s)?\s+(?:delta|symbol)s?\b"
        ),
        "kronecker",
        "where $d_{ij}$ is the Kronecker delta",
        "matrix: d_{ij} kronecker",
        "where $D$ is the Kronecker product",
    ),
    Row(
        FactKind.MATRIX,
        "row-sums",
        re.compile(r"\bsum(?:s|ming)? to\b", re.IGNORECASE),
        _row_sums,
        "Each row sums to one in $A$.",
        "matrix: A row sums",
        "Each column sums to one in $A$.",
        denied=True,
    ),
    Row(
        FactKind.MATRIX,
        "name-is",
        pattern(
            rf"NAMES{_IS}{_ADJECTIVES}{_WORD}{_BESIDE}"
            rf"(?=\s*(?:$|[.,;:)]|{_GOES_ON}|{_NOUNS}matri(?:x|ces)\b|⟦\d+⟧\s+matri))(?!\s+to\b){_DEFINES}"
        ),
        _by_word,
        "Let $R$ be an orthogonal matrix and let $A$ be the symmetric adjacency matrix of a graph.",
        "matrix: A symmetric",
        "Let $R$ be orthogonal to $S$, and let $P$ be an orthogonal projection matrix.",
        subject=True,
    ),
    Row(
        FactKind.MATRIX,
        "after",
        pattern(
            rf"\b(?:with|for|given|let|where|take|consider|suppose|assume|matri(?:x|ces))\s+NAMES\s*,?\s+{_ADJECTIVES}{_WORD}{_BESIDE}"
            rf"(?=\s*(?:$|[.,;:)]|{_GOES_ON}))(?!\s+to\b)"
        ),
        _by_word,
        "With $A$ symmetric and positive definite, this holds.",
        "matrix: A symmetric",
        "With $A$ orthogonal to $B$ this holds.",
    ),
    Row(
        FactKind.MATRIX,
        "diagonal-of",
        _TOLD_ON_DIAGONAL,
        _diagonal_of,
        "let $D$ be the diagonal matrix of the degrees $d_i$",
        "matrix: D diagonal of d_i",
        "let $D$ be a diagonal matrix with positive entries $d_i$",
    ),
    Row(
        FactKind.MATRIX,
        "zero-diagonal",
        pattern(
            r"NAMES\s*,?\s+(?:with|has|have|having|whose|(?:is|are|be)\s+[a-z]+\s+with|of)\s+(?:an?\s+|the\s+)?"
            r"(?:(?:zero|empty)\s+diagonals?|zeros\s+on\s+(?:the|its)\s+diagonal|diagonal\s+is\s+zero)\b"
        ),
        "zero diagonal",
        "Let $W$ be symmetric with zero diagonal.",
        "matrix: W zero diagonal",
        "The matrix $W$ with unit diagonal.",
    ),
    Row(
        FactKind.MATRIX,
        "no-self-loops",
        re.compile(
            r"\b(?:without|no|has\s+no)\s+(?:self-?\s?)?loops\b|\bsimple\s+(?:undirected\s+)?graph\b", re.IGNORECASE
        ),
        _adjacency,
        "For a graph without self-loops, with edge weights $W$, this holds.",
        "matrix: W zero diagonal",
        "For a graph without self-loops, with features $W$, this holds.",
    ),
    Row(
        FactKind.MATRIX,
        "before",
        pattern(rf"(?<!-){_NOT_NEARLY}\b{_WORD}{_BESIDE},?\s+(?:{_NOUNS}matri(?:x|ces)\s+)?NAMES"),
        _by_word,
        "For a symmetric positive definite covariance matrix $A$ this holds.",
        "matrix: A symmetric",
        "For a non-symmetric matrix $A$ this fails, not so for the symmetric part of the matrix $B$.",
    ),
    Row(
        FactKind.MATRIX,
        "orthonormal-columns",
        pattern(
            r"NAMES\s*,?\s*(?:is|are|be|being|has|have|having|with|denotes?)?\s*(?:(?:a|an|the|any|matri(?:x|ces)|semi-orthogonal|tall|"
            r"whose|with|that|which|has|have)\s+|⟦\d+⟧\s+){0,5}(?:orthonormal\s+(?P<side>columns|rows)\b|"
            r"(?P<end>columns|rows)\s+are\s+orthonormal\b)"
        ),
        _orthonormal,
        "where $U$ has orthonormal columns",
        "matrix: U orthonormal columns",
        "where $U$ has orthogonal columns",
        subject=True,
    ),
    Row(
        FactKind.MATRIX,
        "orthonormal-columns-of",
        pattern(
            r"\bthe\s+(?P<side>columns|rows)\s+of\s+(?:the\s+)?(?:matri(?:x|ces)\s+)?NAMES\s+(?:are|be|being)\s+(?P<end>orthonormal)\b"
        ),
        _orthonormal,
        "The columns of $U$ are orthonormal.",
        "matrix: U orthonormal columns",
        "The columns of $U$ are orthogonal.",
    ),
    Row(
        FactKind.MATRIX,
        "rows-sum",
        pattern(
            r"\b(?:each row of|every row of|all rows of|the rows of)\s+(?:the\s+)?(?:matri(?:x|ces)\s+)?"
            r"NAMES\s+(?:all\s+|each\s+)?sums?\s+(?:up\s+)?to\s+(?:one|1)\b"
        ),
        "rows sum to one",
        "Suppose that the rows of $A$ sum to one.",
        "matrix: A rows sum to one",
        "Suppose that the rows of $A$ sum to two.",
    ),
)
