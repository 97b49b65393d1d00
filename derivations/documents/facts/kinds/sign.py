"""Signs: "a positive temperature T", "c is nonzero", `\\sigma > 0`, "p lies between 0 and 1"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from derivations.documents.facts.fact import DENIED, FactKind, Found, Row, Sentence, Strength, numbers_in, pattern
from derivations.latex.syntax.lexer import ReadError
from derivations.latex.syntax.normal_laws import laws_compared, names_of_spread, normal_law
from derivations.latex.syntax.reader import read_equation
from derivations.latex.syntax.surface import Chain, Enclosed, Listed, Literal, Name, Node, Prefix, Scripted
from derivations.latex.syntax.surface_writer import write_surface

ANY = "any"
"""The value that takes back what was said of a sign before."""
_RELATIONS = {
    "positive": "> 0",
    "negative": "< 0",
    "nonnegative": ">= 0",
    "nonpositive": "<= 0",
    "nonzero": "!= 0",
    "nonvanishing": "!= 0",
}
_SIGNS = r"(?:positive|negative|non-?\s?negative|non-?\s?positive|non-?\s?zero|non-?\s?vanishing)(?!-)"
_WORD = rf"(?P<word>{_SIGNS})"
_NOT_A_SIGN = (
    r"(?!\s+(?:semi-?\s?)?definite|\s+(?:or|and)\s+(?:the\s+)?(?:negative|positive)|\s+(?:examples?|samples?|pairs?|keys?|class|"
    r"classes|labels?|words?|contexts?|parts?|directions?|sign|side|axis|examples|matri(?:x|ces)|maps?|operators?|functions?|"
    r"kernels?|feature maps?|features?|infinity|correlation|log)\b)"
)
_OF_A_NUMBER = (
    r"(?:numbers?|constants?|scalars?|reals?|real numbers?|temperatures?|values?|parameters?|hyper-?parameters?|factors?|"
    r"integers?|quantit(?:y|ies)|widths?|bandwidths?|scales?|coefficients?|vectors?|weights?|variances?|rates?|lengths?|"
    r"deviations?|standard deviations?|small constants?|slopes?|gains?|radius|thresholds?)"
)
_STOP = (
    r"(?!(?:of|in|on|to|for|with|is|are|by|from|than|that|which|and|or|at|as|when|if|where|because|since|near|while|unless|after|"
    r"before|over|under|above|below|between|whenever|but|so|not|can|may|must|will|only|on)\b)"
)
_WORDS = rf"(?:{_STOP}[a-z-]+\s+)"
_BETWEEN = rf"(?:{_WORDS}{{0,3}}?{_OF_A_NUMBER}\s+|{_WORDS}?{_STOP}(?![a-z-]*(?:s|ed|ing)\s)[a-z-]+\s+)?"
"""What may stand between a sign and a name: a number of some sort, or a noun in the singular."""
_IS = r"\s*,?\s*(?:is|are|be|being|stays?|remains?|denotes?|must be|has to be|have to be|should be|will be|assumed(?: to be)?)\s+"
_ADVERBS = (
    r"(?:(?:all|both|each|always|strictly|a|an|the|some|any|real|and|small|fixed|assumed|taken|chosen|kept|held|known|"
    r"supposed|required|to be|finite)\s+)*"
)
_MUST = r"(?:is|are|must be|has to be|have to be|should be|is assumed to be|are assumed to be)"
_ENTRIES = r"(?:entries|components|elements|coordinates|values|weights)"


def _by_word(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    if not _is_concluded(match, sentence):
        yield numbers_in(match["names"]), _RELATIONS[re.sub(r"[\s-]", "", match["word"].lower())]


_CONCLUDED = re.compile(
    r"\b(?:hence|thus|therefore|consequently|it follows|then|so that|shows?|proves?|implies|imply|we (?:get|have|obtain|find|see|"
    r"claim)|it is (?:clear|easy)|clearly|prove that|show that|so|makes?|keeps?|ensures?|guarantees?|whether|iff|only if|"
    r"exactly (?:if|when)|precisely when|if and only if)\b[^.;⟦]*$|"
    r"\b(?:those|indices|positions|all|every|each|any|some|entries|tokens)\b[^.;]{0,40}"
    r"\b(?:with|where|for which|such that|having)\s*$",
    re.IGNORECASE,
)


_CASES = re.compile(
    r"\b(?:otherwise|elsewhere|else)\b|\bpositive\b.*\bnegative\b|\bnegative\b.*\bpositive\b", re.IGNORECASE | re.DOTALL
)
"""The sentence tells one case from another: neither is given."""


def _is_concluded(match: re.Match[str], sentence: Sentence) -> bool:
    """Whether a sentence asks, or says that what follows is found, or is one case of several."""
    text = sentence.text
    cases = _CASES.search(text.replace("non-negative", "")) is not None
    return cases or text.rstrip().endswith("?") or _CONCLUDED.search(text, 0, match.start()) is not None


def _between(match: re.Match[str], _sentence: Sentence) -> Iterator[Found]:
    names, strict = numbers_in(match["names"]), (match["strict"] or "") != ""
    yield names, "> 0" if strict else ">= 0"
    yield names, "< 1" if strict else "<= 1"


def _in_interval(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    """The signs of names that lie in an interval which stands in a formula of its own: "are numbers in $(0, 1)$"."""
    if _is_concluded(match, sentence):
        return
    names, (interval,) = numbers_in(match["names"]), numbers_in(match["interval"])
    try:
        readings = read_equation(rf"x \in {sentence.sources.get(interval, '')}")
    except ReadError:
        return
    for value in (v for r in readings for _, v in signs_of_formula(r.chain)):
        yield names, value


def _plain(match: re.Match[str], _sentence: Sentence) -> Iterator[Found]:
    relation = {"≥": ">=", "≠": "!=", "!=": "!="}.get(match["relation"], match["relation"])
    yield (match["name"],), f"{relation} 0"


ROWS: tuple[Row, ...] = (
    Row(
        FactKind.SIGN,
        "positive-name",
        pattern(rf"\b{_WORD}{_NOT_A_SIGN}\s+{_BETWEEN}NAMES(?!\s*-)"),
        _by_word,
        "Let $T$, $c$ and a positive temperature $\\tau$ be given.",
        "sign: \\tau > 0",
        "A positive definite matrix $A$ and a positive example $x$ are given.",
    ),
    Row(
        FactKind.SIGN,
        "name-is-positive",
        pattern(
            rf"MANY{_IS}{_ADVERBS}{_WORD}(?=\s*(?:$|[.,;:)—–]|and\b|so\b|throughout\b|everywhere\b|"
            rf"by (?:assumption|definition|construction)\b|{_OF_A_NUMBER}\b))"
        ),
        _by_word,
        "The temperature $T$ is always strictly positive.",
        "sign: T > 0",
        "The number $T$ is positive definite only in jest, and $c$ need not be positive.",
        subject=True,
    ),
    Row(
        FactKind.SIGN,
        "name-and-what-it-is",
        pattern(
            rf"NAMES{_IS}{_ADVERBS}(?:[a-z-]+\s+){{1,3}}?(?:that|which)\s+{_MUST}\s+{_ADVERBS}{_WORD}(?=\s*(?:$|[.,;:)]|and\b))"
        ),
        _by_word,
        "Here $T$ is a temperature that is positive.",
        "sign: T > 0",
        "Here $T$ is a matrix that is positive definite.",
        subject=True,
    ),
    Row(
        FactKind.SIGN,
        "is-a-positive-thing",
        pattern(
            rf"NAMES{_IS}(?:(?:a|an|the|some|any|fixed|small|strictly|given)\s+)+{_WORD}{_NOT_A_SIGN}\s+{_WORDS}{{0,2}}{_STOP}"
            r"[a-z-]+(?=\s*(?:$|[.,;:)]|and\b|of\b|that\b|which\b|for\b))"
        ),
        _by_word,
        "Here $\\lambda$ denotes a positive regularization strength.",
        "sign: \\lambda > 0",
        "Here $K$ denotes a positive definite kernel.",
        subject=True,
    ),
    Row(
        FactKind.SIGN,
        "name-which-is",
        pattern(rf"NAMES\s*,?\s*(?:that|which)\s+{_MUST}\s+{_ADVERBS}{_WORD}(?=\s*(?:$|[.,;:)]|and\b))"),
        _by_word,
        "The scale $s$, which is positive, cancels.",
        "sign: s > 0",
        "The scale $s$, which is not positive, cancels.",
        subject=True,
    ),
    Row(
        FactKind.SIGN,
        "name-positive",
        pattern(
            rf"\b(?:with|for|and|where|given|let|provided|assum\w+|keep\w*|tak\w+)\s+(?:both\s+)?"
            rf"NAMES\s+{_ADVERBS}{_WORD}(?=\s*(?:$|[.,;:)]|and\b))"
        ),
        _by_word,
        "We divide by $T$, with $T$ strictly positive.",
        "sign: T > 0",
        "We divide by $T$, with $T$ positive definite.",
    ),
    Row(
        FactKind.SIGN,
        "cell",
        pattern(
            rf"(?:^|\|)\s*NAMES\s*(?:\||:|—|–|-)\s*(?:an?\s+|the\s+)?{_ADVERBS}{_BETWEEN}{_WORD}"
            rf"{_NOT_A_SIGN}(?=\s*(?:$|[.,;:)|]|{_OF_A_NUMBER}\b))"
        ),
        _by_word,
        "| $T$ | positive temperature |",
        "sign: T > 0",
        "| $A$ | positive definite matrix |",
    ),
    Row(
        FactKind.SIGN,
        "cell-with-comma",
        pattern(rf"(?:^|\|)\s*NAMES\s*(?:\||:|—|–|-)\s*[^.;|⟦]{{0,60}}[,(]\s*{_ADVERBS}{_WORD}(?=\s*(?:$|[.,;:)|]))"),
        _by_word,
        "| $T$ | the temperature, strictly positive |",
        "sign: T > 0",
        "| $A$ | the Gram matrix, positive definite |",
    ),
    Row(
        FactKind.SIGN,
        "entries-of-name",
        pattern(
            rf"\b{_ENTRIES}\s+of\s+(?:the\s+)?(?:(?:vectors?|matri(?:x|ces))\s+)?NAMES{_IS}"
            rf"{_ADVERBS}{_WORD}(?=\s*(?:$|[.,;:)]|and\b|numbers?\b))"
        ),
        _by_word,
        "Let all entries of $v$ be positive.",
        "sign: v > 0",
        "Not all entries of $v$ need be positive.",
    ),
    Row(
        FactKind.SIGN,
        "name-with-entries",
        pattern(
            r"NAMES\s*,?\s*(?:(?:is|are|be)\s+[a-z -]{1,30}?\s+)?(?:with|has|have|whose)\s+"
            rf"{_ADVERBS}{_WORD}\s+{_ENTRIES}\b"
        ),
        _by_word,
        "Let $v$ be a vector with positive entries.",
        "sign: v > 0",
        "Let $v$ be a vector with as many positive as negative entries.",
        subject=True,
    ),
    Row(
        FactKind.SIGN,
        "greater-than-zero",
        pattern(rf"NAMES{_IS}{_ADVERBS}(?:greater|larger|bigger|more)\s+than\s+(?:zero|0)\b"),
        "> 0",
        "The width $h$ must be strictly greater than zero.",
        "sign: h > 0",
        "The width $h$ is not larger than zero.",
        subject=True,
    ),
    Row(
        FactKind.SIGN,
        "not-zero",
        pattern(
            r"NAMES\s*,?\s*(?:(?:is|are|be|being)\s+(?:not|never)\s+(?:equal\s+to\s+)?(?:zero|0)\b|"
            r"(?:is|are)\s+(?:different|distinct|bounded away)\s+from\s+(?:zero|0)\b|(?:does|do)\s+not\s+vanish|"
            r"never\s+vanish(?:es)?|(?:can(?:\s*not|'t)|must\s+not|may\s+not)\s+be\s+(?:zero|0)\b)"
        ),
        "!= 0",
        "The denominator $c$ is not zero.",
        "sign: c != 0",
        "The denominator $c$ is not one.",
        subject=True,
    ),
    Row(
        FactKind.SIGN,
        "between",
        pattern(
            r"NAMES\s*,?\s*(?:(?:is|are|be|lies?|stays?|takes? values?)\s+)?"
            r"(?P<strict>strictly\s+)?between\s+(?:zero|0)\s+and\s+(?:one|1)\b"
        ),
        _between,
        "The rate $r$ lies strictly between 0 and 1.",
        "sign: r < 1",
        "The rate $r$ does not lie between 0 and 1.",
        subject=True,
    ),
    Row(
        FactKind.SIGN,
        "in-interval",
        pattern(
            r"MANY\s*,?\s*(?:is|are|be|lies?|stays?|takes?)\s+(?:all\s+|each\s+|an?\s+|some\s+)?(?:real\s+|given\s+|fixed\s+)*"
            r"(?:(?:numbers?|scalars?|constants?|values?|reals?|probabilit(?:y|ies)|weights?|rates?|coefficients?|parameters?)\s+)?"
            r"in\s+(?:the\s+)?(?:(?:open|closed|unit)\s+)?(?:interval\s+)?(?P<interval>ONE)"
        ),
        _in_interval,
        "where $a$ and $b$ are numbers in $(0, 1)$",
        "sign: a, b < 1",
        "where $a$ and $b$ are not in $(0, 1)$",
        subject=True,
    ),
    Row(
        FactKind.SIGN,
        "deviation",
        pattern(r"\b(?:standard deviations?|variances?)\s+NAMES(?!\s*(?:of|for)\b)"),
        ">= 0",
        "They have mean $m$ and standard deviation $s$.",
        "sign: s >= 0",
        "They have no deviation $s$.",
        Strength.IMPLIED,
    ),
    Row(
        FactKind.SIGN,
        "plain",
        re.compile(
            r"\b(?:with|for|let|assum\w+|given|any|some|an?|the|where)\s+(?:(?!if\b|when\b)[a-z]+\s+){0,3}"
            r"(?P<name>[A-Za-z](?:_[A-Za-z0-9])?)\s*(?P<relation>>=|≥|!=|≠|>)\s*0(?![.\d])"
        ),
        _plain,
        "We use softmax with temperature T > 0 throughout, and $x$.",
        "sign: T > 0",
        "We use the case T > 0.5, and $x$.",
    ),
    Row(
        FactKind.SIGN,
        "need-not",
        pattern(
            rf"NAMES\s*,?\s*(?:(?:need(?:s)?\s+not|needn't|does\s+not\s+have\s+to|do\s+not\s+have\s+to)\s+be\s+{_ADVERBS}{_SIGNS}|"
            rf"(?:is|are)\s+not\s+(?:necessarily|assumed\s+to\s+be|required\s+to\s+be|always)\s+{_ADVERBS}{_SIGNS}|"
            r"(?:may|can|could|might)\s+(?:also\s+|even\s+|well\s+)?be\s+(?:negative|zero|of (?:any|either) sign)|"
            r"(?:is|are|be)\s+(?:an?\s+)?(?:arbitrary|any)\s+real\b|(?:is|are|has|have)\s+(?:of\s+)?(?:any|either|arbitrary)\s+sign)"
        ),
        ANY,
        "The number $c$ need not be positive.",
        "sign: c any",
        "The number $c$ need not be prime.",
    ),
    Row(
        FactKind.SIGN,
        "any-real",
        pattern(
            r"\b(?:any|every|all|arbitrary|an arbitrary)\s+real\s+"
            r"(?:numbers?\s+|values?\s+|scalars?\s+|constants?\s+)?NAMES"
        ),
        ANY,
        "For every real number $c$ we have this.",
        "sign: c any",
        "For every integer $c$ we have this.",
    ),
    Row(
        FactKind.SIGN,
        "introduced",
        pattern(
            r"\b(?:let|given|consider|take|fix)\s+(?:now\s+|next\s+|instead\s+)?NAMES\s+(?:now\s+|next\s+)?(?:be|denote|as)\s+"
            r"(?:an?|any|some|the|two|arbitrary|real|complex|fixed|given|scalar|new|other|another|square|\s)+"
            r"(?:numbers?|scalars?|constants?|vectors?|matri(?:x|ces))\b"
        ),
        ANY,
        "Let $c$ be a real number.",
        "sign: c any",
        "Let $c$ be the width of a layer.",
        Strength.IMPLIED,
    ),
)


# --- signs inside formulas ------------------------------------------------------------------------------------------

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


def signs_of_formula(node: Node) -> Iterator[tuple[tuple[str, ...], str]]:
    r"""The names and the signs that a relation states: `T > 0`, `0 < p \le 1`, `c \in (0, 1)`, `s \in \mathbb{R}_{>0}`."""
    if not isinstance(node, Chain) or node.first is None or not node.links:
        return
    if len(node.links) == 1 and node.links[0][0] == "in":
        for value in _signs_of_set(node.links[0][1]):
            yield _names(node.first), value
        return
    sides = [node.first, *(n for _, n in node.links)]
    relations = [relation for relation, _ in node.links]
    named = [k for k, n in enumerate(sides) if _number(n) is None]
    if len(named) != 1 or len(sides) > 3 or not set(relations) <= _TURNED.keys():
        return
    k = named[0]
    names = _names(sides[k])
    if k > 0:
        yield names, f"{_TURNED[relations[k - 1]]} {_number(sides[k - 1])}"
    if k < len(relations):
        yield names, f"{relations[k]} {_number(sides[k + 1])}"


def signs_of_laws(chain: Chain) -> Iterator[tuple[tuple[str, ...], str]]:
    r"""The deviations of normal laws that are compared or have a name, s of `\mathcal{N}(m, s^2)`: they are positive."""
    sides = [n for n in (chain.first, *(n for r, n in chain.links if r in ("=", "equiv"))) if n is not None]
    laws = [*laws_compared(chain), *(law for n in sides if (law := normal_law(n)) is not None)]
    names = tuple(dict.fromkeys(write_surface(n) for law in laws for n in names_of_spread(law.spread)))
    if names:
        yield names, "> 0"


def _names(node: Node) -> tuple[str, ...]:
    parts = node.items if isinstance(node, Listed) else (node,)
    return tuple(write_surface(n) for n in parts if isinstance(n, Name | Scripted))


def _number(node: Node) -> str | None:
    if isinstance(node, Prefix) and node.operator == "-" and isinstance(node.operand, Literal):
        return f"-{node.operand.text}"
    return node.text if isinstance(node, Literal) and "." not in node.text else None


def _signs_of_set(node: Node) -> Iterator[str]:
    if isinstance(node, Enclosed) and isinstance(node.content, Listed) and len(node.content.items) == 2:
        low, high = map(_number, node.content.items)
        is_interval = node.kind in ("()", "[]", "(]", "[)")
        if low is not None and is_interval:
            yield f"{'>' if node.kind[0] == '(' else '>='} {low}"
        if high is not None and is_interval:
            yield f"{'<' if node.kind[1] == ')' else '<='} {high}"
    if (
        isinstance(node, Scripted)
        and isinstance(node.base, Name)
        and (node.base.base, node.base.font) == ("R", "blackboard")
    ):
        below = node.sub if node.sub is not None else node.sup
        script = "".join(write_surface(below).split()) if below is not None else ""
        sign = {">0": "> 0", "++": "> 0", "+": ">= 0", r"\geq0": ">= 0", r"\ge0": ">= 0", r"\neq0": "!= 0"}.get(script)
        if sign is not None:
            yield sign


def is_sign(word: str) -> bool:
    """Whether a word of the text says a sign: `positive`."""
    return re.sub(r"[\s-]", "", word.lower()) in _RELATIONS


def is_claimed(before: str) -> bool:
    """Whether the words before a formula say that its sign is found, asked for or denied, and not given."""
    return _CONCLUDED.search(before) is not None or DENIED.search(before) is not None
