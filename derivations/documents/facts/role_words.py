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

from derivations.documents.facts.sentence_patterns import PROPERTIES, SPECIAL
from derivations.documents.model.document import MARK


class Part(StrEnum):
    """What words say of the formula after them."""

    CONDITION = "condition"
    """It is asked whether it holds: "under the condition", "solves"; for what the sentence says, and nowhere else."""
    PREMISE = "premise"
    """It is what a sentence puts under "if", "when", "is called ... if"; it does not define the names in it either."""
    SPECIAL = "special"
    """It is said of a special case: "in the special case", "for instance, with"; it defines nothing elsewhere."""
    MOMENT = "moment"
    """It is supposed "for a moment", and not from there on."""
    SUPPOSED = "supposed"
    """It is taken as given: "suppose that", "such that", "satisfying"."""
    DESCRIBED = "described"
    """It says what something satisfies: of given things it is a supposition, of what is defined a claim."""
    LET = "let"
    """It gives a value or a name where the name is new; about known names it is a supposition: "let", "set"."""
    BESIDE = "beside"
    """It stands beside a claim: "with", "given".  Of given names, or a value, it is a supposition, else a claim."""
    WHERE = "where"
    """It stands beside a claim after "where".  Of given names it is a supposition, else a claim."""
    SITUATION = "situation"
    """The sentence speaks of a special situation: "when", "at", "in the limit", "for example"."""
    MADE = "made"
    """The subject of the sentence makes it so, `unit vectors make |s| <= 1`: it is said of what the subject names."""
    CONCLUDED = "concluded"
    """It follows from what went before: "hence", "then", "we obtain"; whatever was supposed before it."""
    APPROXIMATE = "approximate"
    """It holds to some order, or nearly."""
    DENIED = "denied"
    """The sentence says that nothing says it, asks whether it is so, or quotes it as a mistake of others."""
    UNIVERSAL = "universal"
    """It is said of everything: "for every", "always", "in general"; so it is no condition on what is given."""


_MORE = r"(?:⟦\d+⟧\s*,?\s*(?:and|or)(?:\s+|$)(?!(?:then|also|we|let|put|set|define|write|take|choose|compute|call|denote)\b))*"
"""Other formulas of the same list: `if ⟦1⟧ and ⟦2⟧`; after "and put" it is another clause."""
_CLAUSE = rf"(?:[^⟦.,;:]|{_MORE.removesuffix('*')})*"
"""The rest of a clause: words, and formulas that "and" or "or" joins to the next one."""
_SENTENCE = r"[^.;:]*"
_STILL = r"(?:(?!\bthen\b)[^.;:])*"
"""The rest of a sentence that has not come to its conclusion."""


@dataclass(frozen=True, slots=True)
class RoleWords:
    """One way to say what a formula is for: `pattern` before it; `fires` and `silent` are words before a formula."""

    name: str
    part: Part
    pattern: re.Pattern[str]
    fires: str
    silent: str
    is_firm: bool = False
    """It keeps its part after words of a conclusion: `if for all i we have`."""


def _row(name: str, part: Part, pattern: str, fires: str, silent: str, *, is_firm: bool = False) -> RoleWords:
    return RoleWords(name, part, re.compile(pattern, re.IGNORECASE), fires, silent, is_firm)


ROLE_WORDS: tuple[RoleWords, ...] = (
    _row(
        "if",
        Part.PREMISE,
        rf"\b(?:if|whenever|unless|iff|provided(?:\s+that)?|as long as|in case|only when)\b{_CLAUSE}$",
        "The gradient explodes if the largest singular value has",
        "If the rows are shifted, the result is",
    ),
    _row(
        "when it holds",
        Part.PREMISE,
        rf"\bwhen(?:ever)?(?:\s+we have|\s+it holds that)?(?:\s+|$){_MORE}$",
        "The two agree when",
        "When computing the gradient of the loss we use",
    ),
    _row(
        "when all of them have",
        Part.PREMISE,
        rf"\b(?:when(?:ever)?|once)\s+(?:all|both|every|each|any|some|none|no)\b{_CLAUSE}$",
        "When all the weights have",
        "When all the weights are known, the result is",
    ),
    _row(
        "if one thing is so, and another",
        Part.PREMISE,
        r"\b(?:if|whenever|unless|iff|provided(?:\s+that)?|as long as|in case)\s+(?:[^\W\d_]+\s+){0,3}⟦\d+⟧\s+"
        r"(?:is|are|has|have)\b(?:(?!\bthen\b)[^⟦.,;:])*\b(?:and|or)\s*$",
        "If the matrix ⟦1⟧ is invertible and",
        "If the matrix ⟦1⟧ is invertible then it is square and",
        is_firm=True,
    ),
    _row(
        "if there is",
        Part.PREMISE,
        rf"\b(?:if|when|whenever|iff)(?:\s+and\s+only\s+if)?\s+there\s+(?:is|are|exists?)\b{_STILL}$",
        "A map is a shear if there is a vector ⟦1⟧ with",
        "If there is a vector ⟦1⟧ with ⟦2⟧, then",
        is_firm=True,
    ),
    _row(
        "if for all",
        Part.PREMISE,
        r"\b(?:if|when|whenever|iff)\s+for\s+(?:all|every|each|any|some)\b[^.;:,⟦]*⟦\d+⟧"
        r"(?:\s+(?!then\b)[^.;:,⟦\s]+)*\s*(?:,\s*(?:we have|it holds that)\s*)?$",
        "The model is balanced if for all ⟦1⟧ we have",
        "If for all ⟦1⟧ the sum is small, then we have",
        is_firm=True,
    ),
    _row(
        "called so if",
        Part.PREMISE,
        r"\b(?:called|said to be|termed|named|known as|we (?:say|call))\b[^.;:]*"
        rf"\b(?:if|when|whenever|provided|iff)\b{_STILL}$",
        "Such a matrix is called **doubly stochastic** if its rows satisfy ⟦1⟧ and its columns have",
        "If ⟦1⟧ is called the rate, the result is",
        is_firm=True,
    ),
    _row(
        "an event",
        Part.PREMISE,
        r"\b(?:probability|probabilities|chances?|odds|events?)\s+(?:that|of(?:\s+the\s+event)?)"
        r"(?:\s+(?!(?:is|are|be|equals?|becomes?|as|by)\b)[^⟦.,;:\s]+){0,4}\s*$",
        "The pair takes four values, so the probability that",
        "The probability that a token is dropped is",
    ),
    _row(
        "all of those where",
        Part.PREMISE,
        r"\b(?:all|those|every|each|any)\s+(?:[^\W\d_]+\s+|⟦\d+⟧\s+){1,8}where\s*$",
        "The set includes all vertices that belong to coordinates of ⟦1⟧ where",
        "This holds for all rows of ⟦1⟧, where",
    ),
    _row(
        "for which",
        Part.PREMISE,
        rf"\bfor (?:which|whom)\b{_CLAUSE}$",
        "The points for which",
        "For each of these points",
    ),
    _row(
        "special case",
        Part.SPECIAL,
        r"\b(?:special|trivial|extreme|degenerate|limiting|particular|simplest|boundary|edge)\s+cases?\b[^.;]*$",
        "In the special case of one head,",
        "There are several cases, and always",
    ),
    _row(
        "the case that",
        Part.SPECIAL,
        rf"\bcases?(?:\s+(?:of|where|that|when|in which))?(?:\s+|$){_MORE}$",
        "Consider the case",
        "In this case the result is",
    ),
    _row(
        "for instance, with",
        Part.SPECIAL,
        r"\b(?:for\s+(?:instance|example)|e\.g\.),?\s+(?:with|when|if|for|at|under|taking|setting|choosing)\b[^.;]*$",
        "For instance, with two heads,",
        "With two heads, for instance,",
    ),
    _row(
        "for a moment",
        Part.MOMENT,
        r"\b(?:suppos\w*|assum\w*|imagine|pretend|let)\b[^.;:]*\b(?:for (?:a|the|this|one) moment|for now|temporarily|"
        r"for the sake of (?:the\s+)?argument)\b[^.;:]*$",
        "Suppose for a moment that",
        "Suppose that the moments have",
    ),
    _row(
        "a situation where it holds",
        Part.PREMISE,
        rf"\b(?:situation|possibility|event)s?\s+(?:where|when|in which|that)\b{_CLAUSE}$",
        "The only situation where",
        "In this case the rows are orthogonal, where",
    ),
    _row(
        "named a condition",
        Part.CONDITION,
        r"(?<!\bof this )(?<!\bof the )(?<!\bof that )"
        r"\b(?:condition|constraint|requirement|restriction|criterion|event|boundary|hyper-?plane|threshold)s?"
        rf"(?:\s+(?:that|of|is|are|reads?|becomes))?(?:\s|:|$)*{_MORE}$",
        "Points with the constraint",
        "Under this condition we find",
    ),
    _row(
        "picked with it",
        Part.CONDITION,
        r"\b(?:pick|choose|select|take|fix|find)\s+(?:an?\s+(?:index|place|entry|row|state)\s+)?⟦\d+⟧\s+"
        r"(?:with|such that|so that|where|for which)\s*$",
        "Now pick ⟦1⟧ with",
        "Now pick ⟦1⟧. Together with",
    ),
    _row(
        "for some value",
        Part.CONDITION,
        r"\bfor\s+(?:some|a\s+(?:suitable|certain|fixed))(?:\s+(?:number|constant|integer|value))?\s*$",
        "It is a minimiser for some",
        "For some time we have",
    ),
    _row(
        "a boundary",
        Part.CONDITION,
        r"\b(?:boundar(?:y|ies)|hyper-?planes?|level sets?|contours?|frontiers?|surfaces?|isoquants?)\b[^.;:,]*"
        r"\b(?:(?:is|are)\s+(?:given|defined|described)\s+by|where|on which|satisf(?:y|ies))\s*:?\s*$",
        "The boundary between the classes ⟦1⟧ and ⟦2⟧ is given by",
        "The boundary is sharp, and the loss is given by",
        is_firm=True,
    ),
    _row(
        "a set of points",
        Part.CONDITION,
        r"\b(?:boundar(?:y|ies)|surfaces?|manifolds?|loc(?:us|i)|curves?|lines?|regions?|points?|places?|subspaces?|subsets?|sets?)"
        r"\b[^.;:,]*\b(?:on|along|at|inside|within|across)\s+which\s*$",
        "Two classes meet in the surface along which",
        "The learning curve is given by",
        is_firm=True,
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
        "a list of what is supposed",
        Part.SUPPOSED,
        r"\b(?:assumptions?|conditions?|constraints?|requirements?|axioms?)(?:\s+(?:are|hold|apply|below|here))*\s*:\s*$",
        "We work under the following assumptions:",
        "The assumptions hold here, and so:",
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
        rf"must\s+(?:have|be|hold|satisfy)|(?:we|should|would)\s+(?:want|like|need|ask)"
        rf"(?!\s+(?:the|an?)\s+(?:[a-z]+[ -]?){{1,4}}$))\b{_SENTENCE}$",
        "For stability we require that the weights have",
        "The requirements of memory are large.",
    ),
    _row(
        "satisfying",
        Part.SUPPOSED,
        rf"\b(?:satisfying|obeying|fulfill?ing|chosen so|defined by)\b{_SENTENCE}$|"
        r"\b(?:let|must|should|shall|has to|have to|to|that)\s+(?:⟦\d+⟧\s+)?(?:also\s+|both\s+|all\s+)?"
        rf"(?:satisfy|satisfies|obeys?|fulfill?s?)\b{_SENTENCE}$",
        "Let ⟦1⟧ satisfy",
        "The weights satisfy",
    ),
    _row(
        "a point that is sought",
        Part.SUPPOSED,
        r"\b(?:solutions?|(?<!square )roots?(?! mean)|zeros?|minim\w+|maxim\w+|optim\w+|extrem\w+|equilibri\w+|"
        r"(?:stationary|critical|fixed|saddle)\s+points?|steady\s+states?)\b[^.;:,]*\b(?:satisf(?:y|ies)|obeys?|fulfill?s?)\b"
        rf"{_SENTENCE}$",
        "The minimiser ⟦1⟧ satisfies",
        "The minimum is small, and the weights satisfy",
    ),
    _row(
        "satisfies",
        Part.DESCRIBED,
        rf"\b(?:satisf(?:y|ies|ied)|obey(?:s|ed)?|fulfill?(?:s|ed)?|eigen(?:vectors?|values?))\b{_SENTENCE}$",
        "A stochastic matrix satisfies",
        "The result is satisfactory.",
    ),
    _row(
        "a property, then in signs",
        Part.DESCRIBED,
        rf"\b(?:have|has|having|with)\s+(?:{PROPERTIES.pattern})(?:\s+(?:columns?|rows?|entries|norm|length))?\s*:\s*$",
        "Let ⟦1⟧ have orthonormal columns:",
        "The columns of the result are orthonormal:",
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
        r"\b(?:when|whenever|without|at|once|otherwise|case|inserting|insert|initiali[sz]ation|initially|limit|"
        r"(?<!\bto\s)zero|"
        r"single|only one|uniform|identical|equal|the same|trivial\w*|special|extreme\w*|(?:worst|best)[- ]case|"
        rf"very (?:large|small)|for (?:example|instance)|e\.g\.)\b{_SENTENCE}$",
        "At initialisation the distribution is uniform,",
        "The attention matrix has",
    ),
    _row(
        "made so",
        Part.MADE,
        r"\bmak(?:e|es|ing)\s*$",
        "Unit vectors make",
        "The proof makes use of",
    ),
    _row(
        "to some order",
        Part.APPROXIMATE,
        r"\b(?:to\s+(?:the\s+)?(?:first|second|third|leading|lowest|linear)\s+order|approximat\w+|roughly|nearly|for small|"
        r"lineari[sz]\w+)(?:(?!,\s+(?:and|but|while)\b)[^.;:])*$",
        "To first order we have",
        "This is the best approximation, and the error is",
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
        "an error to be found",
        Part.DENIED,
        r"(?:^|[.;:!?]\s)\W*(?:(?:can|could) you\s+|please\s+|try to\s+)?(?:find|spot|identify|locate|explain)\s+"
        r"(?:the|an?|any|all)\s+(?:mistakes?|errors?|flaws?|fallac(?:y|ies))(?:\s+in\b[^.;⟦]*)?$",
        "Spot the error in the following derivation:",
        "To find the error of the model we compute",
    ),
    _row(
        "what is wrong with it",
        Part.DENIED,
        r"\bwhat\s*(?:'s|’s|is|was|went)\s+wrong\b[^.;⟦]*$",
        "What is wrong with the equation",
        "What was computed above is",
    ),
    _row(
        "a question",
        Part.DENIED,
        r"\b(?:is|was)\s+it\s+(?:true|correct|right|the case)\s+that\b[^.;⟦]*$|\b(?:true or false|right or wrong)\W*$",
        "True or false:",
        "It is true that",
    ),
    _row(
        "what learners write",
        Part.DENIED,
        r"\b(?:students?|beginners?|novices?|newcomers?|learners?)\s+(?:(?:often|sometimes|commonly|frequently|usually|may|might|"
        r"tend to|mistakenly|wrongly|naively)\s+)*(?:write|think|believe|assume|claim|conclude|say|argue|guess)s?\b[^.;⟦]*$",
        "Students often write",
        "The marks of the students are added, which gives",
    ),
    _row(
        "what someone claims",
        Part.DENIED,
        r"\b(?:someone|somebody|an?\s+(?:friend|student|colleague|classmate))\s+(?:(?!has\b|with\b|whose\b)[a-z]+\s+){0,2}?"
        r"(?:claims?|says?|argues?|writes?|believes?|thinks?|concludes?)\b[^.;⟦]*$",
        "A student claims that",
        "A student model with two layers has",
    ),
    _row(
        "what one might think",
        Part.DENIED,
        r"(?<!\bas )\b(?:one|you|we|people)\s+(?:might|may|could|would)\s+(?:(?:naively|first|at first|be inclined to|well)\s+)*"
        r"(?:think|believe|guess|hope|suspect|expect)\b[^.;⟦]*$",
        "One might think that",
        "As one might expect, we have",
    ),
    _row(
        "tempting",
        Part.DENIED,
        r"\b(?:tempting|tempted)\s+to\b[^.;⟦]*$",
        "It is tempting to conclude",
        "Attempting to reduce the variance, we find",
    ),
    _row(
        "a wrong derivation",
        Part.DENIED,
        r"\b(?:(?:naive|naïve)\s+(?:derivation|argument|reasoning|cancellation|guess)|"
        r"(?:wrong|incorrect|flawed|faulty|erroneous|fallacious|bogus)\s+(?:derivation|proof|argument|reasoning|calculation|"
        r"computation|cancellation|simplification|expansion|answer|solution|conclusion|equation|formula|identity))s?\b[^.;⟦]*$",
        "A naive derivation gives",
        "A naive implementation computes",
    ),
    _row(
        "a common pitfall",
        Part.DENIED,
        r"\b(?:common|frequent|classic|typical|popular)\s+(?:(?:mistakes?|pitfalls?|traps?|misunderstandings?|confusions?)\b"
        r"[^.;⟦]*|errors?\s*(?:is\s+(?:to|that)\b[^.;⟦]*)?)$|"
        r"\b(?:avoid(?:s|ing)?|beware\s+of)\s+(?:the|this|an?)\s+(?:errors?|mistakes?|pitfalls?|traps?)(?:\s+of)?\s*$",
        "A common pitfall:",
        "The typical error is",
    ),
    _row(
        "marked as wrong",
        Part.DENIED,
        r"(?:(?:^|[.;!?*_(])\s*(?:wrong|incorrect|not correct)|[❌✗✘])\W*$",
        "**Wrong:**",
        "The sign is never wrong, and",
    ),
    _row(
        "not to be confused",
        Part.DENIED,
        r"\b(?:(?:do|must|should)\s+not|don['’]t|never|not\s+(?:to\s+)?be)\s+(?:confus|mistak|mix)\w*\b[^.;⟦]*$",
        "This must not be confused with",
        "They are not to be mixed up: always ⟦1⟧, and",
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
        r"(?<!\bif )(?<!\bwhen )we (?:get|have|obtain|find|arrive at|conclude)|(?:solv|rearrang|simplify|substitut)ing|"
        r"(?:which|this) (?:gives|yields|implies|means|equals|shows)|(?<=, )so(?!\s+(?:that|as|far|long|called)\b))\b"
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


_UNDONE = frozenset({Part.CONDITION, Part.PREMISE, Part.SUPPOSED, Part.DESCRIBED, Part.LET, Part.BESIDE, Part.WHERE})
"""What words of a conclusion after it take back."""
_NEW = frozenset({Part.PREMISE, Part.SUPPOSED})
"""What may begin after words of a conclusion: "so we need"."""


def parts_said(before: str) -> frozenset[Part]:
    """What the words before a formula say of it; what is concluded is neither supposed nor a condition.

    >>> sorted(parts_said("If ⟦1⟧, then"))
    [<Part.CONCLUDED: 'concluded'>]
    >>> sorted(parts_said("Suppose that"))
    [<Part.SUPPOSED: 'supposed'>]
    >>> Part.PREMISE in parts_said("We see that, if")
    True
    """
    before = before.rstrip(" :")
    fired = [(row, m.start()) for row in ROLE_WORDS if (m := row.pattern.search(before)) is not None]
    found = frozenset(row.part for row, _ in fired)
    concluded = [start for row, start in fired if row.part is Part.CONCLUDED]
    if concluded:
        later = {row.part for row, start in fired if row.part in _NEW and start > max(concluded)}
        return found - _UNDONE | later | {row.part for row, _ in fired if row.is_firm}
    return found


_NOTATION = re.compile(
    r"\b(?:if|when|once|as)\s+(?:we|one|you)\s+(?:(?:now|also|again|simply)\s+)?"
    r"(?:let|define|write|denote|call|introduce|abbreviate|put|set)\b(?:(?!\bthen\b)[^.;:,])*$|"
    r"\b(?:(?:given|defined|described) by|the following)\b[^.;:,⟦]*$",
    re.IGNORECASE,
)
"""`If we write`, `if its density is given by`: what follows is a name for something, and no condition."""
_UNDER = re.compile(r"\b(?:if|when|whenever|unless|in case|once|as soon as)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"(?<=⟧)[,，]|(?<=[^\W\d_])[,，](?!\s*(?:and|or|for)\b)|\bthen\b", re.IGNORECASE)
"""Where the condition of a sentence ends, and what is so under it begins."""
_PREDICATE = re.compile(
    rf"\b(?:is|are|being|becomes?|stays?|has|have)\s+(?:(?!the\b)[a-z-]+\s+){{0,2}}?(?:{SPECIAL.pattern}|{PROPERTIES.pattern})",
    re.IGNORECASE,
)
_INTRODUCED = re.compile(r"⟦(\d+)⟧\s+(?:is|are|be|denotes?|stands? for)\s+(?:the|an?|our|its|their)\b", re.IGNORECASE)
_AFTER = re.compile(
    r"^\s*,?\s*(?:(?:but\s+)?(?:only|exactly|precisely|just)\s+)?"
    r"(?:(if|whenever|unless|iff|only when|in case|when)\b|in the (?:special |limiting |particular )?case\b)([^.;,)]*)",
    re.IGNORECASE,
)


def gives_notation(before: str) -> bool:
    """Whether words before a formula only announce a name for something.

    >>> gives_notation("If we write"), gives_notation("If we write ⟦1⟧, then")
    (True, False)
    """
    return _NOTATION.search(before) is not None


@dataclass(frozen=True, slots=True)
class Under:
    """The clause of a condition beside a formula: the formulas in it, and whether its words restrict what is given."""

    formulas: tuple[str, ...]
    is_restricting: bool


def clause_before(before: str) -> Under | None:
    """The clause of a condition that stands before a conclusion.

    >>> clause_before("If ⟦1⟧, then").formulas
    ('1',)
    >>> clause_before("When the rows are orthogonal, we get").is_restricting
    True
    >>> clause_before("When the rows are read, ⟦1⟧ and")
    Under(formulas=(), is_restricting=False)
    """
    begins = [m for m in _UNDER.finditer(before) if not re.search(r"[.;]", before[m.end() :])]
    if not begins:
        return None
    clause = _CLAUSE_END.split(before[begins[-1].end() :], maxsplit=1)[0]
    notation = gives_notation(re.sub(r"⟦.*", "", before[begins[-1].start() :], flags=re.DOTALL))
    introduced = set(_INTRODUCED.findall(clause))
    formulas = () if notation else tuple(n for n in MARK.findall(clause) if n not in introduced)
    return Under(formulas, _PREDICATE.search(clause) is not None)


def clause_after(after: str) -> Under | None:
    """The clause of a condition that stands after a formula, in the same sentence.

    >>> clause_after(" if ⟦2⟧ and ⟦3⟧.").formulas
    ('2', '3')
    >>> clause_after(" when computing the loss") is None, clause_after(", where ⟦2⟧ is the mean") is None
    (True, True)
    """
    found = _AFTER.match(after)
    if found is None or after.lstrip(" ,\n")[:1].isupper():
        return None
    word, clause = (found.group(1) or "case").lower(), found.group(2)
    if word == "when" and re.match(r"\s*\w+ing\b", clause):
        return None
    return Under(tuple(MARK.findall(clause)), word != "when" or _PREDICATE.search(clause) is not None)
