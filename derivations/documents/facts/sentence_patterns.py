"""What the words around an equation say about it: suppositions, denials, other objects, conditions, properties."""

from __future__ import annotations

import re
from collections.abc import Mapping

QUALIFIERS = frozenset(
    [
        "causal",
        "masked",
        "scaled",
        "unscaled",
        "unnormalised",
        "unnormalized",
        "normalised",
        "normalized",
        "multi-head",
        "multihead",
        "modified",
        "new",
        "improved",
        "relative",
        "alternative",
        "simplified",
        "corrected",
        "trainable",
        "trained",
        "weighted",
        "stable",
    ]
)
VERSIONS = frozenset(
    """simplification simplified simplifying variant variants variation variations gated modified modification generalised
    generalized generalisation generalization extension alternative""".split()  # noqa: SIM905
)
"""Words of a heading that say that what stands below it is another version of what went before."""
ANEW = re.compile(
    r"\bnow (?:compute|define|write|consider)|\bredefin|\bfrom (?:here|now) on\b|\binstead\b|\banother\b|\bvariants?\b|"
    r"\bin practice\b|"
    r"\b(?:remov|dropp?|replac|omit)(?:s|es|ing|ting)?\b(?!\s+out\b)|\bwithout the\b|\balternative(?:ly)?\b|\bthe usual form\b|"
    r"\bor (?:we|one|you) (?:can|could|may|might)\b|\b(?:we|one|you) (?:can|could|may|might) also (?:use|choose|take|define)\b",
    re.IGNORECASE,
)
"""Before an equation for a name that has one: from here on it is another thing."""
OF_CURVE = re.compile(
    r"\b(?:(?:tangent|straight|secant|regression|normal)\s+lines?|tangents?|curves?|graphs?|parabolas?|(?:hyper)?planes?|circles?|"
    r"ellipses?|hyperbolas?|surfaces?|lines?)(?:\s+(?:is|are|has|have|to|of|with|given by|the equation|equation|here|then|"
    r"becomes?|at|the|point|⟦\d+⟧))*[\s,:]*$",
    re.IGNORECASE,
)
"""`the tangent line is`: an equation between coordinates, which defines none of them."""
SUPPOSED = re.compile(
    r"\b(?:assum\w*|suppos\w*|such that|provided|given that|given|let|requir\w*|constraints?|subject to|impos\w*|if|"
    r"when|whenever|where|with|unless)\b[^.;:]*$",
    re.IGNORECASE,
)
_REWRITES = (
    r"(?:now\s+|instead\s+)?(?:move|pull|rewrite|write|expand|unroll|unfold|collect|rearrange|regroup|"
    r"multiply\s+(?:out|through)|work\s+out|spell\s+out|compute|differentiate|compare|look)\b"
)
STRONGLY_SUPPOSED = re.compile(
    r"\b(?:assum\w*|suppos\w*|such that|provided that|given that|requir\w*|subject to|impos\w*|unless|"
    rf"if(?!\s+(?:we|you|one)\s+{_REWRITES}))\b[^.;:]*$",
    re.IGNORECASE,
)
"""What a claim after it is made under; not `if we move the factor to the left`, which changes how it is written."""
ASIDE = re.compile(r"\bwith\s+(?:the|an?|its|their|this)\s+[^.;:⟦,]*,\s*$", re.IGNORECASE)
"""`The gradient, with the opposite sign,`: what follows is not part of the aside."""
FRONTED = re.compile(
    r"(?:^|[.;:!?]\W*\s)\W*(?:(?:and|but|now|moreover|furthermore|finally|in addition|similarly),?\s+)?"
    r"(?:if|when|whenever|with|given|for|under|provided|unless|once|in)\b[^.;:]*,\s*$",
    re.IGNORECASE,
)
"""`If the denominator is nonzero,`, `With $U$ and an invertible $G$,`: what a sentence says beside what comes next."""
ALTERNATIVE = re.compile(r"\b(?:or|versus|vs\.?|rather than|functions?)\s*$", re.IGNORECASE)
"""Before an equation for a name that its sentence has given already: it is another choice, `f(x) = x or f(x) = x^2`."""
EXAMPLE_TITLE = re.compile(r"\b(?:examples?|exercises?|worked|by hand|case study|demo)\b", re.IGNORECASE)
"""The title of a section whose letters are its own: `A worked example`."""
SCENARIO = re.compile(
    r"\b(?:if|when|whenever|without|with|at|take|taking|set|setting|choose|choosing|once|unless|otherwise|instead|case|"
    r"insert|inserting|put|putting)\b[^.;:]*$",
    re.IGNORECASE,
)
IN_CASE = re.compile(r"\b(?:if|when|whenever|unless|in case)\b[^.;:]*,\s*(?:then\s+|we have\s+)?$", re.IGNORECASE)
"""`If all coordinates stay positive,`: what follows is so in that case."""
LOCAL = re.compile(
    r"(?:\b(?:if|when|whenever|at|unless|once|in case)|(?:^|[,;:(]|\b(?:and|but|so))\s*without)\b[^.;:]*$",
    re.IGNORECASE,
)
"""What is supposed like this is supposed in this paragraph only."""
NAMED_AT = re.compile(r"\bat (?:an? |the |some |any )?[a-z]+\s*$", re.IGNORECASE)
"""`at temperature ⟦\\tau > 0⟧`: a noun that says what the name of a number is."""
CHOSEN = re.compile(
    r"\b(?:setting|taking|choosing|putting|letting|inserting|set|take|choose|put|for|case(?:\s+of)?|special case|"
    r"(?:recovered|obtained|reached)\s+(?:for|at|with|by))\b(?!\s+(?:all|every|any|each)\b)[^.;:⟦]{0,30}$",
    re.IGNORECASE,
)
"""`Setting $G = H$ gives`, `for $G = 1$`: what a length is in one case."""
IS_A_CASE = re.compile(
    r"^\s*(?:gives?|is|are|recovers?|yields?|corresponds?|reduces?|means?|turns?|makes?|becomes?|leads?|recovering|being)\b",
    re.IGNORECASE,
)
"""`$G = 1$ is multi-query attention`: the verb right after an equation that is a case and no fact."""
SPECIAL = re.compile(
    r"\b(?:equal|identical|(?<!\bto\s)zero|single|only one|uniform|"
    r"the same(?!\s+(?:thing|property|relation|fact|rule|reason(?:ing)?|computation|calculation|trick|bound|"
    r"curve|function|formula|equation|identity|"
    r"statement|result|expression|quantity|idea|argument|story|way)\b)|trivial\w*|special case|limit|very (?:large|small)|"
    r"extreme\w*|worst case|best case|example|e\.g\.|for instance|with(?:out)? (?:unit|no|constant|full|any))\b",
    re.IGNORECASE,
)
"""Words of a special situation: what is written then need not hold in general."""
DENIED_BEFORE = re.compile(
    r"\b(?:not true|is false|is wrong|mistake|mistaken\w*|incorrect\w*|wrongly|fails?|does not hold|do not have|"
    r"erroneous\w*|would be wrong|not the case|myths?|misconceptions?|"
    r"fallac(?:y|ies)|(?:nothing|nowhere|nobody)(?:\s+[a-z]+){0,2}\s+says?)\b|"
    r"\bnaively\b|\bat\s+first\s+(?:sight|glance)\b|\b(?:seems?|appears?)\s+(?:to be\s+)?that\b|"
    r"\b(?:does|do|did|will|would|can|could|need)(?:\s+not|n't|not)\s+(?:have|find|get|give|hold|imply|mean|equal|satisfy|"
    r"yield|obtain|expect|conclude|write|be)\b[^.;:,⟦]*$|\b(?:and|but|,)\s+not\s*$",
    re.IGNORECASE,
)
DENIED_AFTER = re.compile(
    r"^\W*(?:which |this |that |it )?(?:(?:is|are|was|would be) (?:wrong|false|incorrect|not true|not the case|a mistake)|"
    r"(?:fails?|breaks down)\b|(?:does|need) not hold|holds? only\b)|"
    r"^\W*(?:(?:which|this|that|it) (?:is|gives|yields|leads to|would be) )?(?:an? |the desired )?"
    r"(?:(?:clear |obvious )?contradiction|absurd(?:ity)?|impossib(?:le|ility))\b|^\W*(?:which|this|that) contradicts\b|"
    r"^\s*[*_]*[❌✗✘]|^\W*[(\[←](?:\W*(?:this|that)\s+is)?\W*(?:wrong|incorrect|false|not true|invalid|mistake)\W",
    re.IGNORECASE,
)
ORDINAL_AFTER = re.compile(r"(?:-|\^|<sup>|\\textsuperscript)?\{?(?:th|st|nd|rd)\b")
"""`$100$th`: right after a formula, its last number is the number of an ordinal."""
CODE_NAME = re.compile(r"`([A-Za-z_][\w.]*)`\s*[=:]?\s*$")
SAID_AFTER = re.compile(r"^\s*,?\s*(?:for|if|when|whenever|for all|for every)\s+⟦(\d+)⟧", re.IGNORECASE)
IN_WORDS = re.compile(
    r"^\s*[,;(]?\s*(?:(?:(?:but|and)\s+)?only\s+)?(?:"
    r"(?:if|when|whenever|unless|provided|as long as|in case|assuming|given that|except|otherwise|elsewhere|everywhere else|"
    r"in the case)\b|"
    r"for\s+(?!(?:all|every|each|any|some|arbitrary|simplicity|convenience|brevity|clarity|short|now|example|instance|this|"
    r"that|these|those|which|us|later|reasons?|the\s+(?:sake|rest|moment|time being))\b)(?:an?\s+|the\s+)?[a-z][a-z-]*)",
    re.IGNORECASE,
)
"""`$y_{ij} = 1$ for positive pairs, $y_{ij} = -1$ otherwise`: words right after a formula that say in which case it is so.

What is so for all, or written so for simplicity, is so in every case.
"""
STRONG_CASE = re.compile(r"(?:only\s+)?(?:if|whenever|unless|provided|in case|except|in the case)\b", re.IGNORECASE)
"""Of these, the words that always tell a case: what is said "for momentum" may be all that there is."""
OTHERWISE = re.compile(
    r"^\s*[,;]?\s*(?:otherwise|else|elsewhere|everywhere else|in all other cases|in every other case|for all other|"
    r"for the other|for the rest)\b",
    re.IGNORECASE,
)
"""`$M_{ij} = 0$ for $j \\leq i$ and $M_{ij} = -\\infty$ otherwise`: the case that is left."""
ZERO_ELSEWHERE = re.compile(
    r"\b(?:zero|0|vanish\w*)\b[^.]{0,30}\b(?:all other|otherwise|elsewhere|everywhere else|the rest)\b", re.IGNORECASE
)
ELSE = re.compile(
    r"\b(?:otherwise|else|elsewhere)\s*(?:it is |we put |let it be )?⟦(\d+)⟧(?=\s*(?:$|[.,;:)\]]))|"
    r"\band\s+(?:it is\s+)?⟦(\d+)⟧\s+(?:otherwise|elsewhere|everywhere else)\b",
    re.IGNORECASE,
)
"""`L_{ti} = 1 if i <= t, otherwise 0`, `and 0 otherwise`: the formula of the other value."""
FROM_ZERO = re.compile(
    r"\b(?:start(?:s|ing|ed)?|begin(?:s|ning)?|initiali[sz]ed?|initiali[sz]ing)\b[^.;⟦]{0,30}?\b(?:from|at|with|to|as)\s+(?:zeros?|0)\b|"
    r"\bzero[- ]initiali[sz]ed\b",
    re.IGNORECASE,
)
"""`Both averages start from zero`: the first states of recurrences."""
_NUMBERED = re.compile(
    r"\b(?:ind(?:ex|exes|ices|exing)|count(?:s|ing|ers?)?|number(?:s|ing)?|positions?|labels?|tokens?)\b[^.;⟦]{0,20}$",
    re.IGNORECASE,
)
"""What starts from zero where no state does: `the indices start from 0`."""
_EVERY_STATE = re.compile(
    r"\b(?:all|every|each|both)\b[^.;⟦]{0,40}?\b(?:states?|averages?|moments?|accumulators?|buffers?|memor(?:y|ies)|"
    r"recurrences?|recursions?|velocit(?:y|ies)|cells?)\b[^.;⟦]{0,40}?" + f"(?:{FROM_ZERO.pattern})",
    re.IGNORECASE,
)
"""`All states start at zero`."""


def starts_from_zero(text: str) -> bool:
    """Whether words say that a state starts from zero.

    >>> starts_from_zero("The state starts at zero and follows"), starts_from_zero("Indices start from 0 and")
    (True, False)
    """
    return any(_NUMBERED.search(text, 0, m.start()) is None for m in FROM_ZERO.finditer(text))


def every_state_from_zero(text: str) -> bool:
    """Whether words say that all states start from zero.

    >>> every_state_from_zero("All states in this note start at zero."), every_state_from_zero("All indices start at 0.")
    (True, False)
    """
    return any(starts_from_zero(m.group(0)) for m in _EVERY_STATE.finditer(text))


PROPERTIES = re.compile(
    r"\b(?:permutation|permuted|orthogonal|orthonormal|symmetric|(?:(?:zero|unit|empty|constant)[- ])?diagonal|invertible|"
    r"unitary|projection|positive(?:[- ](?:semi[- ]?)?definite)?|"
    r"(?:(?<=\bis the )|(?<=\bbe the )|(?<!\bthe ))inverse(?!\s+(?:temperature|problem))|"
    r"non-?negative|(?:unit|basis) (?:vectors?|norm|length|variance)|one-hot|independent|zero[- ]mean|identity|uniform|"
    r"(?:is|are|be|being|stays?|remains?|all) constant|"
    r"constant (?:vectors?|rows?|columns?|sequences?|matri(?:x|ces)|inputs?|values?)|"
    r"sorted|distinct|rotation|stochastic|triangular|commut(?:e|es|ing)|"
    r"(?<!initiali[sz]ed at )random(?!\s+initiali[sz])|idempotent|singular(?!\s+(?:values?|vectors?))|centred|centered|"
    r"sum(?:s|ming)? to)\b",
    re.IGNORECASE,
)
"""What words may say of given tensors that are not read: a claim about such a tensor is not refuted.

That training starts from random weights says nothing of them, nor does "the inverse" of something else.
"""

BOUND_BEFORE = re.compile(
    r"(?:^|[.;:!?]\s+)(?:(?:hence|then|so|and|now|moreover|finally|also),?\s+)?(?:for|when|if)\s+(?:all\s+|every\s+|each\s+|any\s+)?"
    r"⟦(\d+)⟧\s+(?!(?:and|or|in|of)\b)[^.;:⟦]*:?\s*$",
    re.IGNORECASE,
)
"""`For ⟦t >= 2⟧ the precisions add up, as they should,`: where what the sentence says next holds."""
SAID_BEFORE = re.compile(
    r"(?:^|[.;:!?]\s|,\s+(?:(?:and\s+)?(?:so|hence|thus|therefore)|and|but|while|whereas)\s)\s*"
    r"(?:(?:hence|then|so|and|now|moreover|finally|also),?\s+)?(?:for|when|if)\s+"
    r"(?:all\s+|every\s+|each\s+|any\s+)?⟦(\d+)⟧\s*(?:,|:)?\s*(?:let|set|put|define|we have|we get|it holds that|then|"
    r"(?:it|this) (?:is|becomes|gives|reads)(?: (?:simply|just))?|the (?:[a-z]+ ){1,3}(?:is|becomes|equals))?\s*(?:,|:)?\s*$",
    re.IGNORECASE,
)
"""`For $t > 1$,` at the start of a sentence, just before an equation: a condition of it."""
TITLE = re.compile(r"(?:\*\*|__)([^*_⟦]+)(?:\*\*|__)(?:\s*\([^()]*\))?[^*⟦]{0,40}$")
"""`**Linear scaling** (simple):`, `**High temperature** ($T = 5$):`, the title that stands right before an equation."""
LETTERS_BEFORE = re.compile(
    r"\b(?:for|when|if|case|suppose)\s+(?:that\s+)?⟦(\d+)⟧(?:(?!\botherwise\b|\belse\b)[^⟦.;])*$", re.IGNORECASE
)
"""`When $i = j$ we have`, the last formula before an equation: a condition of it when it compares two indices."""
PERMUTATION_MATRIX = re.compile(r"\bpermutation[- ]matri(?:x|ces)\b", re.IGNORECASE)
ROW_SUMS = re.compile(r"\brows?\b[^.⟦]{0,40}\bsums? to (?:one|1)\b|\beach row sums to (?:one|1)\b", re.IGNORECASE)
INDEPENDENT = re.compile(r"\bindependent(?:ly)?\b|\bi\.?i\.?d\b", re.IGNORECASE)
AND_SO_ON = re.compile(
    r"\b(?:and so on|etc\b|similarly|likewise|analogous(?:ly)?|in the same way|for (?:every|any|each|all)|for (?:a|an) "
    r"(?:matrix|tensor|array|variable|quantity))\b",
    re.IGNORECASE,
)
"""What is written for one name is meant for others, too."""
MOMENTS = re.compile(
    r"\b(?:expect(?:ed|ations?)|random(?:ly)?|variances?|independent(?:ly)?|i\.?i\.?d\b)", re.IGNORECASE
)
"""A text about random quantities."""
DETERMINANT = re.compile(r"\bdeterminants?\b", re.IGNORECASE)
"""A text that speaks of determinants: of a square matrix, bars are one."""
RANDOM_PATHS = re.compile(
    r"\b(?:stochastic (?:process(?:es)?|differential|calculus|integrals?)|brownian|wiener|it[oô]['’]?s?|sdes?)\b",
    re.IGNORECASE,
)
"""A text about paths that have no derivatives; their differentials follow rules of their own."""
CROSS_ENTROPY = re.compile(r"\bcross[- ]?entrop(?:y|ies)\b|交叉熵", re.IGNORECASE)
ENTROPY = re.compile(r"\b(?:entrop(?:y|ies)|Kullback)\b|熵", re.IGNORECASE)
"""A text about entropies and divergences of laws."""
COMPLEX = re.compile(
    r"\bcomplex (?:numbers?|plane|exponential|form|conjugate|valued?)|\bimaginary\b|复数|虚部|虚数", re.IGNORECASE
)
NAMED_EQUATION = re.compile(
    r"\b(?:systems?|equations?|inequalit(?:y|ies)|constraints?)(?: of (?:linear )?equations)?\s*$", re.IGNORECASE
)
"""The words before a formula that is a noun of its sentence: `the system $A x = r$ has no solution`."""
HAS_SOLUTION = re.compile(
    r"^\s*(?:has|have|had|is|are|was|were|can|cannot|could|does|do|admits?|becomes?)\b(?!\s+(?:true|valid|satisfied|right))"
)
"""What is said of such an equation; that it is true is a claim."""
CONDITION_WORDS = re.compile(r"\b(?:if|for|when|unless|provided|assuming|given|where|such that)\b", re.IGNORECASE)


PRODUCT_SIGNS = frozenset({"otimes", "circ", "ast", "star", "odot", "cdot", "times", "bullet"})
CONVENTION = re.compile(
    r"\bEinstein\b|\bsummation convention\b|\brepeated ind(?:ex|ices)\b|"
    r"\bsum(?:med|s|mation)? over the (?:repeated|intermediate|shared|common|dummy) ind",
    re.IGNORECASE,
)
"""The text says that an index that stands twice is summed over."""
DESCRIBED = re.compile(
    r"⟦(\d+)⟧,?\s+(?:is|be|are|denotes?|being|for|as)\s+the\s+(?:[a-z-]+\s+){0,2}?(mean|average|sum|maximum|minimum|largest|"
    r"smallest|product|difference|distance|norm|trace|determinant|median|rank|angle)\b",
    re.IGNORECASE,
)
"""`where m is the mean of the rows`: what m is, in words."""


_QUALIFIED = re.compile(
    rf"\b(?:the|an?|our|this|its|another)\s+(?:(?!(?:of|by|with|to|and|two|three|both|all)\b)[a-z-]+\s+){{0,2}}?({'|'.join(QUALIFIERS)})\b",
    re.IGNORECASE,
)


def qualifiers(text: str) -> set[str]:
    """Words that tell an object from another of the same kind, before its noun.

    >>> qualifiers("The causal attention matrix of the two trained layers is")
    {'causal'}
    """
    return {found.group(1).lower() for found in _QUALIFIED.finditer(text)}


_SO = re.compile(r"\b(?:so(?:\s+that)?|hence|therefore|thus|consequently)\b,?", re.IGNORECASE)


def last_clause(text: str) -> str:
    """What a sentence says after the last word of a conclusion; all of it where there is none.

    >>> last_clause("The masked terms drop out, so for these places")
    ' for these places'
    """
    return _SO.split(text)[-1]


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z][a-z-]*", text.lower()))


_FIXED = re.compile(
    r"\b(?:fix(?:ed|es|ing)?|for (?:a|an|the|each|every|any|one|some|given)|(?:a|one|each|every) (?:single|fixed|given))\b"
    r"[^.;:⟦]{0,40}⟦(\d+)⟧",
    re.IGNORECASE,
)


_NTH = re.compile(r"⟦(\d+)⟧\s*-?\s*(?:th|st|nd|rd)\s+(?:row|column|query|token|position)\b", re.IGNORECASE)


def fixes(text: str, index: str, letters: Mapping[int, str]) -> bool:
    """Whether a text keeps an index fixed: "fix one feature j", "for a given query i", "the i-th row"."""
    said = (*_FIXED.finditer(text), *_NTH.finditer(text))
    return any(letters.get(int(m.group(1))) == index for m in said)


SAID_AGAIN = re.compile(
    r"\b(?:in other words|that is|that is to say|i\.e\.|equivalently|put differently|which is the same as|"
    r"can (?:also |equally )?(?:be (?:re)?written|write)(?: as)?)\s*[,:]?\s*$",
    re.IGNORECASE,
)
"""Right before a formula: it says what went before in another form."""
WRITTEN_OUT = re.compile(
    r"\b(?:(?:re)?written|expressed|stated)\s+(?:out\b|in terms of\b)|\bwriting\s+(?:it|this|that)\s+out\b|\bin terms of the\b|"
    r"\b(?:expanding|unfolding|substituting|inserting|plugging)\b",
    re.IGNORECASE,
)
"""Before a formula: it says what a name stands for in terms of what its definition is made of."""
FOR_SOME = re.compile(
    r"\s*(?:only\s+)?(?:for|on|at|in)\s+(?:the|an?|its|those|these|that|only|exactly|others?|correct|true)\s+"
    r"(?!(?:rest|arbitrary|given|general|fixed)\b)[a-z]"
)
"""Words that give a value to some places: "$y_{ik} = 1$ for the correct class"."""
ON_DIAGONAL = "a diagonal matrix of something"
"""What is said of a matrix whose diagonal words tell."""
