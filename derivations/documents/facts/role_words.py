r"""Words before a formula that say what part it plays in its sentence: a condition, a supposition, a constraint, a conclusion.

Each row is one way to say it.  A pattern is looked for in the words of the sentence before the formula, in which
another formula is `⟦7⟧`; where nothing but these words may stand between, it ends at the formula (`$`).  Every row has
words that it fires on, and words of the same kind on which it must be silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Part(StrEnum):
    """What words say of the formula after them."""

    CONDITION = "condition"
    """It is asked whether it holds: "if", "provided that"; for what the sentence says, and nowhere else."""
    SUPPOSED = "supposed"
    """It is taken as given: "suppose that", "such that", "satisfying"."""
    LET = "let"
    """It gives a value or a name where the name is new; about known names it is a supposition: "let", "set"."""
    BESIDE = "beside"
    """It stands beside a claim: "with", "given".  Of given names, or a value, it is a supposition, else a claim."""
    WHERE = "where"
    """It stands beside a claim after "where".  Of given names it is a supposition, else a claim."""
    SITUATION = "situation"
    """The sentence speaks of a special situation: "when", "at", "in the limit", "for example"."""
    CONCLUDED = "concluded"
    """It follows from what went before: "hence", "then", "we obtain"; whatever was supposed before it."""
    APPROXIMATE = "approximate"
    """It holds to some order, or nearly."""
    DENIED = "denied"
    """The sentence says that nothing says it."""
    UNIVERSAL = "universal"
    """It is said of everything: "for every", "always", "in general"; so it is no condition on what is given."""


_MORE = r"(?:⟦\d+⟧\s*,?\s*(?:and|or)(?:\s+|$))*"
"""Other formulas of the same list: `if ⟦1⟧ and ⟦2⟧`."""
_CLAUSE = rf"(?:[^⟦.,;:]|{_MORE.removesuffix('*')})*"
"""The rest of a clause: words, and formulas that "and" or "or" joins to the next one."""
_SENTENCE = r"[^.;:]*"


@dataclass(frozen=True, slots=True)
class RoleWords:
    """One way to say what a formula is for: `pattern` before it; `fires` and `silent` are words before a formula."""

    name: str
    part: Part
    pattern: re.Pattern[str]
    fires: str
    silent: str


def _row(name: str, part: Part, pattern: str, fires: str, silent: str) -> RoleWords:
    return RoleWords(name, part, re.compile(pattern, re.IGNORECASE), fires, silent)


ROLE_WORDS: tuple[RoleWords, ...] = (
    _row(
        "if",
        Part.CONDITION,
        rf"\b(?:if|whenever|unless|iff|provided(?:\s+that)?|as long as|in case|only when)\b{_CLAUSE}$",
        "The gradient explodes if the largest singular value has",
        "If the rows are shifted, the result is",
    ),
    _row(
        "when it holds",
        Part.CONDITION,
        rf"\bwhen(?:ever)?(?:\s+we have|\s+it holds that)?(?:\s+|$){_MORE}$",
        "The two agree when",
        "When computing the gradient of the loss we use",
    ),
    _row(
        "named a condition",
        Part.CONDITION,
        r"\b(?:condition|constraint|requirement|restriction|criterion|event|boundary|hyper-?plane|threshold)s?"
        rf"(?:\s+(?:that|of|is|are|reads?|becomes))?(?:\s|:|$)*{_MORE}$",
        "Points with the constraint",
        "Under this condition we find",
    ),
    _row(
        "to be solved",
        Part.CONDITION,
        rf"\b(?:solv(?:e|es|ed|ing)|solutions?\s+(?:of|to)|roots?\s+of|(?:linear\s+|normal\s+)?systems?(?:\s+of equations)?)\b"
        rf"(?:\s+(?:for\s+⟦\d+⟧|the|an?|this|following|linear|normal|equations?|systems?|of))*[\s,:]*{_MORE}$",
        "The least-squares estimate solves the normal equations",
        "The system is solved, which gives the value",
    ),
    _row(
        "set to zero",
        Part.CONDITION,
        rf"\bset(?:s|ting)?\b{_SENTENCE}\b(?:equal\s+)?to\s+(?:zero|0|⟦\d+⟧){_SENTENCE}$",
        "Setting the derivative to zero,",
        "A set of vectors spans the space",
    ),
    _row(
        "supposed",
        Part.SUPPOSED,
        rf"\b(?:assum(?:e|es|ed|ing)|suppos(?:e|es|ed|ing)|presum(?:e|ing)|hypothes[ie]s|observ(?:e|es|ed|ing)\s+that)\b{_SENTENCE}$",
        "Suppose that the noise has",
        "This assumption is strong.",
    ),
    _row(
        "such that",
        Part.SUPPOSED,
        rf"\b(?:such that|provided that|given that|subject to|s\.\s?t\.){_SENTENCE}$",
        "We choose a vector such that",
        "Such a vector has",
    ),
    _row(
        "chosen so that",
        Part.SUPPOSED,
        r"\b(?:normali[sz]|choos|chose|scal|rescal|select|construct|design|pick|arrang|adjust|weight)(?:e|es|ed|ing|n|s)?\b"
        rf"{_SENTENCE}\bso\s+that\b{_SENTENCE}$",
        "The rows are normalised so that",
        "The rows are normalised and have",
    ),
    _row(
        "required",
        Part.SUPPOSED,
        rf"\b(?:requir\w*|impos(?:e|es|ed|ing)|enforc(?:e|es|ed|ing)|demand(?:s|ed|ing)?|constrain(?:s|ed|ing)?|"
        rf"must\s+(?:have|be|hold|satisfy)|(?:we|should|would)\s+(?:want|like|need))\b{_SENTENCE}$",
        "For stability we require that the weights have",
        "The requirements of memory are large.",
    ),
    _row(
        "satisfies",
        Part.SUPPOSED,
        r"\b(?:satisf(?:y|ies|ied|ying)|obey(?:s|ed|ing)?|fulfil\w*|eigen(?:vectors?|values?)|chosen so|defined by)\b"
        rf"{_SENTENCE}$",
        "A stochastic matrix satisfies",
        "The result is satisfactory.",
    ),
    _row(
        "let",
        Part.LET,
        rf"\b(?:let(?:ting)?|put(?:ting)?|tak(?:e|ing)|set(?:ting)?|choos(?:e|ing)|fix(?:ing)?)\b{_CLAUSE}$",
        "For simplicity let",
        "The outlet of the layer has",
    ),
    _row(
        "beside",
        Part.BESIDE,
        rf"\b(?:with|given|when)\b{_CLAUSE}$",
        "The attention is a weighted mean, with",
        "Without this the result is",
    ),
    _row(
        "where",
        Part.WHERE,
        rf"\bwhere\b{_CLAUSE}$",
        "The attention is a weighted mean, where",
        "Nowhere is this clearer than in",
    ),
    _row(
        "situation",
        Part.SITUATION,
        r"\b(?:when|whenever|without|at|once|otherwise|case|inserting|insert|initiali[sz]ation|initially|limit|zero|"
        r"single|only one|uniform|identical|equal|the same|trivial\w*|special|extreme\w*|(?:worst|best)[- ]case|"
        rf"very (?:large|small)|for (?:example|instance)|e\.g\.)\b{_SENTENCE}$",
        "At initialisation the distribution is uniform,",
        "The attention matrix has",
    ),
    _row(
        "to some order",
        Part.APPROXIMATE,
        r"\b(?:to\s+(?:the\s+)?(?:first|second|third|leading|lowest|linear)\s+order|approximat\w+|roughly|nearly|for small|"
        rf"lineari[sz]\w+){_SENTENCE}$",
        "To first order we have",
        "In the first order of the list",
    ),
    _row(
        "not said",
        Part.DENIED,
        r"\b(?:(?:nothing|nowhere|nobody)(?:\s+[a-z]+){0,2}\s+(?:says?|claims?|implies)|"
        rf"(?:do|does|did|would)\s+not\s+(?:imply|mean|say|claim)){_CLAUSE}$",
        "Nothing above says that a later distribution has",
        "Nothing is lost, and we have",
    ),
    _row(
        "universal",
        Part.UNIVERSAL,
        rf"\b(?:for\s+(?:every|all|any|each|arbitrary)|always|in general|identit(?:y|ies)(?!\s+matri))\b{_SENTENCE}$",
        "For every invertible matrix",
        "For this matrix",
    ),
    _row(
        "concluded",
        Part.CONCLUDED,
        r"\b(?:then|hence|thus|therefore|consequently|it follows|follows that|(?:shows?|see|verify|check|prove|note) that|"
        r"(?<!\bif )(?<!\bwhen )we (?:get|have|obtain|find|arrive at|conclude)|"
        r"(?:which|this) (?:gives|yields|implies|means|equals|shows))\b"
        r"(?:,?\s+with\s+⟦\d+⟧(?:\s*(?:,|and|,\s*and)\s*⟦\d+⟧)*)?[^.;:⟦]*$",
        "If ⟦1⟧, then",
        "Then ⟦1⟧ is supposed, with",
    ),
)
"""The rows, in no order: a formula may be preceded by words of several kinds."""


def said_before(before: str) -> Iterator[RoleWords]:
    """The rows that fire on the words before a formula.

    >>> [row.name for row in said_before("Suppose that")]
    ['supposed']
    """
    return (row for row in ROLE_WORDS if row.pattern.search(before))


def parts_said(before: str) -> frozenset[Part]:
    """What the words before a formula say of it; what is concluded is neither supposed nor a condition.

    >>> sorted(parts_said("If ⟦1⟧, then"))
    [<Part.CONCLUDED: 'concluded'>]
    >>> sorted(parts_said("Suppose that"))
    [<Part.SUPPOSED: 'supposed'>]
    """
    found = frozenset(row.part for row in said_before(before.rstrip(" :")))
    if Part.CONCLUDED in found:
        return found - {Part.CONDITION, Part.SUPPOSED, Part.LET, Part.BESIDE, Part.WHERE}
    return found
