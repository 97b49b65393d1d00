"""Parts of matrices: names of rows, columns, entries and blocks, and of which matrix; whether tokens are rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice

from derivations.documents.facts.fact import LIST, ONE, FactKind, Found, Row, Sentence, numbers_in

_MANY = rf"({LIST})"
_ONE = ONE
_LAST = rf"({_ONE}(?:\s*(?:,|and|,\s*and|、|和|与)\s*{_ONE}(?!\s*,?\s*(?:the|are|is|be|as)\b)){{0,31}}+)"
"""The same at the end of a phrase: what the next phrase speaks of is left to it."""
_MADE = r"(?:collected|stacked|arranged|packed|gathered|put|taken|stored|written|kept)"
_NTH_OF = rf"(?:{_ONE}\s*-?\s*(?:th|st|nd|rd)\s+(?:and\s+{_ONE}\s*-?\s*(?:th|st|nd|rd)\s+)?)"
"""`$i$-th`, `$i$-th and $j$-th`, before "row" or "rows"."""
_OF = r"\s+of\s+(?:an?\s+|the\s+)?(?:[a-z]+\s+){0,3}"
"""`of the design matrix`, before the matrix."""
_AS_PARTS = re.compile(
    rf"{_MANY}(?:\s*,?\s*(?:which|that)\b[^.,;:⟦]{{0,50}}|\s*,?\s*{_MADE}?)"
    r"(?:\s+(?:as|in|into|form|are|is|be|denotes?|make up|for)(?:\s+(?:the|an?|any|one))?|\s+the)\s+"
    rf"{_NTH_OF}?(rows?|row vectors?|columns?|column vectors?){_OF}{_LAST}",
    re.IGNORECASE,
)
_PARTS_BE = re.compile(
    rf"\b(rows?|columns?)(?:\s+{_ONE})?{_OF}{_MANY}\s*,?\s*"
    r"(?:(?:be|are|is)(?:\s+(?:called|written|given\s+by|denoted(?:\s+by)?))?|by|as|called|written|denoted(?:\s+by)?)\s+"
    rf"(?:the\s+(?:[a-z]+\s+){{1,2}})?{_MANY}",
    re.IGNORECASE,
)
_THE_PARTS = re.compile(
    rf"\b(?:the\s+)?(rows|columns|(?<=each\s)row|(?<=every\s)row|(?<=each\s)column|(?<=every\s)column)\s+{_MANY}{_OF}{_LAST}"
    rf"(?:\s*\([^()]*\))?(?:\s*,?\s*and\s+(?:the\s+)?(?:\1\s+)?{_MANY}\s+of\s+(?:the\s+)?(?:[a-z]+\s+)?({_ONE}))?",
    re.IGNORECASE,
)
_HAS_PARTS = re.compile(
    rf"{_MANY}[^.⟦]{{0,40}}\b(rows|columns)(?:\s+(?:are|be|called|denoted|written|given))?(?:\s+by)?(?:\s+the)?(?:\s+[a-z]+s)?"
    rf"\s+{_MANY}",
    re.IGNORECASE,
)
_EACH_PART = re.compile(
    rf"({_ONE})[^.⟦]{{0,40}}(?:\b(?:each|every)|\s{_ONE}\s*-?\s*(?:th|st|nd|rd))\s+(row|column)(?:\s+vector)?\s+"
    rf"(?:is\s+|be\s+|by\s+)?({_ONE})",
    re.IGNORECASE,
)
_EACH_OF_ITS = re.compile(
    rf"({_ONE})\s+and\s+({_ONE})\s+(?:are|be|denote|for|as)\s+(?:the\s+)?{_NTH_OF}?(row|column)(?:\s+{_ONE})?{_OF}({_ONE})\s+and\s+"
    rf"(?:the\s+)?{_NTH_OF}?\3(?:\s+{_ONE})?{_OF}({_ONE})",
    re.IGNORECASE,
)
_PLACED = re.compile(
    rf"({_ONE})\s*(?:is|denotes?|be|for|as)\s+(?:the\s+)?(row|column)\s+(?:number\s+)?{_ONE}{_OF}({_ONE})",
    re.IGNORECASE,
)
_PER_PART = re.compile(
    rf"({_ONE})[^.⟦]{{0,40}}\b(?:one|an?)\s+(?:[a-z]+\s+){{1,2}}({_ONE})\s+(?:per|in each|on each)\s+(row|column)\b",
    re.IGNORECASE,
)
_STACKS = re.compile(
    rf"({_ONE})\s+(?:stacks|collects|gathers|contains|holds|has)\s+(?:all\s+)?(?:the\s+)?(?:[a-z]+\s+){{0,2}}{_MANY}\s+"
    r"(?:as|in|for)\s+(?:its\s+|the\s+)?(rows|columns)\b(?! of\b)",
    re.IGNORECASE,
)
_WORDS_AS_PARTS = re.compile(
    rf"(?<![⟦⟧\w])[a-z]+s\s+are\s+(?:all\s+)?(?:the\s+)?(rows|columns)\s+of\s+(?:the\s+)?(?:[a-z]+\s+)?({_ONE})",
    re.IGNORECASE,
)
_PARTS_ZH = re.compile(rf"{_MANY}\s*分别(?:是|为)\s*{_MANY}\s*的第[^。]{{0,200}}?(行|列)")

_BLOCKS = re.compile(
    rf"({_ONE})\s*(?:(?:is|be|are)\s+)?(?:(?:cut|split|divided|partitioned|sliced)\s+)?(?:by rows\s+)?into\s+(?:{_ONE}\s+)?"
    rf"(?:row[- ]|horizontal\s+)?(?:blocks|slices|parts|strips)\s*(?P<before>{_ONE})?\s*,?\s*(?:each\s+)?"
    rf"(?:of|with)\s+({_ONE})\s+rows(?:\s+each)?(?:\s*,?\s*(?P<after>{_ONE}))?",
    re.IGNORECASE,
)

_CELLS = r"(?:entries|elements|coefficients|components)"
_IN_MATRIX = re.compile(
    rf"({_ONE})(?:\s*,?\s*(?:(?:which|that)\s+)?(?:are|is))?\s+(?:all\s+)?{_MADE}\s+(?:in|into|as|to\s+form)\s+(?:an?\s+|the\s+|one\s+)?"
    rf"(?:[a-z]+\s+){{0,3}}matrix\s+({_ONE})",
    re.IGNORECASE,
)
_COLLECTED = re.compile(
    rf"\b(?:collect|gather|arrange|stack|put|store|write)\b[^.]{{0,120}}?{_MANY}\s+(?:in|into)\s+(?:the\s+|two\s+)?matri(?:x|ces)\s+{_MANY}",
    re.IGNORECASE,
)
_WITH_ENTRIES = re.compile(
    rf"({_ONE})(?:\s+(?:be|is|denotes?)\s+(?:an?|the)\s+(?:[a-z-]+\s+){{0,4}}matrix)?\s*,?\s+"
    rf"(?:with|has|have|having|whose)\s+(?:the\s+)?(?:[a-z]+\s+)?{_CELLS}\s+"
    rf"(?:(?:are|be|called|denoted(?:\s+by)?)\s+)?({_ONE})",
    re.IGNORECASE,
)
_ENTRIES_OF = re.compile(
    rf"({_ONE})\s*,?\s+(?:are|be|denotes?|for|as)\s+(?:the\s+)?(?:[a-z]+\s+)?{_CELLS}{_OF}({_ONE})", re.IGNORECASE
)
_ENTRIES_ARE = re.compile(
    rf"\b{_CELLS}{_OF}({_ONE})\s*,?\s*(?:(?:are|be)(?:\s+(?:called|written|denoted(?:\s+by)?))?|by|as|called|written|"
    rf"denoted(?:\s+by)?)\s+({_ONE})",
    re.IGNORECASE,
)


_TOKEN_COLUMNS = re.compile(
    r"\b(?:tokens?|words?|positions?|inputs|queries|keys|samples|examples)\b[^.;⟦]{0,40}\bcolumns?\b|\bone token per column\b",
    re.IGNORECASE,
)
_TOKEN_ROWS = re.compile(
    r"\brow vectors?\b|\b(?:is|are|as|holds?|with)\b[^.]{0,40}\b(?:rows?|one token per row)\b", re.IGNORECASE
)


def _parts(whole: int, parts: int | None, kind: int) -> Callable[[re.Match[str], Sentence], Iterator[Found]]:
    """What takes the matrices, their parts and the word for these from groups of a match."""

    def take(match: re.Match[str], _sentence: Sentence) -> Iterator[Found]:
        of = "row" if match.group(kind).lower().startswith(("row", "行")) else "column"
        if match.group(whole) is not None:
            yield numbers_in(match.group(parts)) if parts is not None else (), (of, *numbers_in(match.group(whole)))

    return take


_IS_PART = re.compile(r"^(?!.*(?:\\in(?![A-Za-z])|∈)).*[_^]")
"""A formula that is a name with an index."""
_SPACE = re.compile(r"\\in(?![A-Za-z])|∈")


def _has_parts(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    """Each matrix with its own parts where there are as many of both: "$U$ and $V$, whose rows $u_i$ and $v_i$"; one formula
    may list several of them, `U, V \\in \\mathbb{R}^{n \\times d}`.

    What has no index, or its own space, is none: "$X$ with rows $x_n$, and $t \\in \\mathbb{R}^N$".
    """
    wholes, parts = numbers_in(match.group(1)), numbers_in(match.group(3))
    named = tuple(n for n in parts if _IS_PART.search(sentence.sources.get(n, "_")))
    parts = named or parts[:1]
    of = "row" if match.group(2).lower().startswith("row") else "column"
    counts = [len(_SPACE.split(sentence.sources.get(n, ""))[0].split(",")) for n in wholes]
    if sum(counts) != len(parts):
        yield parts[:1], (of, wholes[-1])
        return
    rest = iter(parts)
    for whole, count in zip(wholes, counts, strict=True):
        yield tuple(islice(rest, count)), (of, whole)


def _two_of_parts(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    yield from _parts(3, 2, 1)(match, sentence)
    yield from _parts(5, 4, 1)(match, sentence)


def _each_of_its(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    yield from _parts(4, 1, 3)(match, sentence)
    yield from _parts(5, 2, 3)(match, sentence)


def _entries(whole: int, entry: int) -> Callable[[re.Match[str], Sentence], Iterator[Found]]:
    """What takes the matrix and the name of its entries from groups of a match."""

    def take(match: re.Match[str], _sentence: Sentence) -> Iterator[Found]:
        yield numbers_in(match.group(entry)), numbers_in(match.group(whole))

    return take


def _each_entry(match: re.Match[str], _sentence: Sentence) -> Iterator[Found]:
    """The names of entries, each with its matrix: the last ones before these, as many as there are matrices."""
    entries, wholes = numbers_in(match.group(1)), numbers_in(match.group(2))
    for entry, whole in zip(entries[-len(wholes) :], wholes, strict=False) if len(entries) >= len(wholes) else ():
        yield (entry,), (whole,)


def _blocks(match: re.Match[str], _sentence: Sentence) -> Iterator[Found]:
    blocks = match.group("before") or match.group("after")
    if blocks is not None:
        yield numbers_in(blocks), (*numbers_in(match.group(1)), *numbers_in(match.group(3)))


def _tokens(word: str) -> Callable[[re.Match[str], Sentence], Iterator[Found]]:
    def take(_match: re.Match[str], _sentence: Sentence) -> Iterator[Found]:
        yield (), word

    return take


ROWS: tuple[Row, ...] = (
    Row(
        FactKind.ENTRIES,
        "in-matrix",
        _IN_MATRIX,
        _entries(2, 1),
        "weights $w_{uv}$ collected in a symmetric matrix $W$",
        "entries: w_{uv} W",
        "weights $w_{uv}$ collected in the rows of $W$",
    ),
    Row(
        FactKind.ENTRIES,
        "collected",
        _COLLECTED,
        _each_entry,
        "We collect $s_{ij}$ and $p_{ij}$ in the matrices $S$ and $P$.",
        "entries: p_{ij} P",
        "We collect $s_{ij}$ and $p_{ij}$ in the rows of $S$ and $P$.",
    ),
    Row(
        FactKind.ENTRIES,
        "with-entries",
        _WITH_ENTRIES,
        _entries(1, 2),
        "the matrix $K$ with entries $k_{ij}$",
        "entries: k_{ij} K",
        "the matrix $K$ with eigenvalues $k_{ij}$",
    ),
    Row(
        FactKind.ENTRIES,
        "entries-of",
        _ENTRIES_OF,
        _entries(2, 1),
        "$a_{ij}$ are the entries of the matrix $A$",
        "entries: a_{ij} A",
        "$a_{ij}$ are the eigenvalues of the matrix $A$",
    ),
    Row(
        FactKind.ENTRIES,
        "entries-are",
        _ENTRIES_ARE,
        _entries(1, 2),
        "the entries of $A$ are denoted by $a_{ij}$",
        "entries: a_{ij} A",
        "the norms of $A$ are denoted by $a_{ij}$",
    ),
    Row(
        FactKind.PARTS,
        "as-parts",
        _AS_PARTS,
        _parts(3, 1, 2),
        "$x_1, \\dots, x_n$ are the rows of $X$",
        "parts: x_1, \\dots, x_n row X",
        "$x_1, \\dots, x_n$ are the weights of $X$",
    ),
    Row(
        FactKind.PARTS,
        "parts-be",
        _PARTS_BE,
        _parts(2, 3, 1),
        "let the rows of $Q$ and $K$ be $q_t$ and $k_t$",
        "parts: q_t, k_t row Q K",
        "let the traces of $Q$ and $K$ be $q_t$ and $k_t$",
    ),
    Row(
        FactKind.PARTS,
        "the-parts",
        _THE_PARTS,
        _two_of_parts,
        "stored as the columns $x_n$ of $X$ (inputs) and $y_n$ of $Y$",
        "parts: y_n column Y",
        "stored as the weights $x_n$ of $X$",
    ),
    Row(
        FactKind.PARTS,
        "each-of-its",
        _EACH_OF_ITS,
        _each_of_its,
        "let $q_i$ and $k_j$ denote the $i$-th row of $Q$ and the $j$-th row of $K$",
        "parts: k_j row K",
        "let $q_i$ and $k_j$ denote the $i$-th entry of $Q$ and the $j$-th entry of $K$",
    ),
    Row(
        FactKind.PARTS,
        "placed",
        _PLACED,
        _parts(3, 1, 2),
        "write $x_i$ for row $i$ of $X$",
        "parts: x_i row X",
        "write $x_i$ for weight $i$ of $X$",
    ),
    Row(
        FactKind.PARTS,
        "words-as-parts",
        _WORDS_AS_PARTS,
        _parts(2, None, 1),
        "the values are the rows of $V$",
        "parts: row V",
        "the values are the weights of $V$",
    ),
    Row(
        FactKind.PARTS,
        "nth-zh",
        _PARTS_ZH,
        _parts(2, 1, 3),
        "$q_i$ 和 $k_i$ 分别是 $Q$ 和 $K$ 的第 $i$ 行",
        "parts: q_i, k_i row Q K",
        "$q_i$ 和 $k_i$ 是向量",
    ),
    Row(
        FactKind.PARTS,
        "has-parts",
        _HAS_PARTS,
        _has_parts,
        "$X$ has the rows $x_n$",
        "parts: x_n row X",
        "$X$ has the norm $x_n$",
    ),
    Row(
        FactKind.PARTS,
        "each-part",
        _EACH_PART,
        _parts(1, 3, 2),
        "a matrix $X$ where each row $x_i$ is a sample",
        "parts: x_i row X",
        "a matrix $X$ where each norm $x_i$ is one",
    ),
    Row(
        FactKind.PARTS,
        "one-per-part",
        _PER_PART,
        _parts(1, 2, 3),
        "a data matrix $X$ with one example $x_i$ per row",
        "parts: x_i row X",
        "a data matrix $X$ with one example $x_i$ per day",
    ),
    Row(
        FactKind.PARTS,
        "stacks",
        _STACKS,
        _parts(1, 2, 3),
        "the matrix $X$ stacks the inputs $x_i$ as rows",
        "parts: x_i row X",
        "the matrix $X$ stacks the inputs $x_i$ as planned",
    ),
    Row(
        FactKind.BLOCKS,
        "blocks",
        _BLOCKS,
        _blocks,
        "cut $U$ into $R$ blocks $U_r$ of $p$ rows each",
        "blocks: U_r U p",
        "cut $U$ into $R$ blocks of rows",
    ),
    Row(
        FactKind.TOKENS,
        "columns",
        _TOKEN_COLUMNS,
        _tokens("columns"),
        "Tokens are the columns of $X$.",
        "tokens: columns",
        "Tokens are the rows of $X$.",
    ),
    Row(
        FactKind.TOKENS,
        "column-vectors",
        re.compile(r"\b(?:as|are|is|be|all)\b(?!\s+(?:not|opposed)\b)[^.;]{0,30}\bcolumn vectors?\b", re.IGNORECASE),
        _tokens("column vectors"),
        "where $q$ denotes a row of $Q$ as a column vector",
        "tokens: column vectors",
        "where a column of vectors stands in $Q$",
    ),
    Row(
        FactKind.TOKENS,
        "rows",
        _TOKEN_ROWS,
        _tokens("rows"),
        "Here $X$ has one token per row, and $x$ is a row vector.",
        "tokens: rows",
        "Here $X$ has columns.",
    ),
)
