"""Words before an equation for a name that has one: it follows from the first, changes nothing, or starts anew."""

from __future__ import annotations

import re

from derivations.documents.facts.role_words import Part, parts_said
from derivations.documents.facts.sentence_patterns import ANEW

KEPT = re.compile(
    r"\b(?:changes? nothing|(?:does|do|will|would) not (?:change|affect|alter|matter)|makes? no difference|unchanged|"
    r"(?:has|have) no (?:effect|influence)|cancels?|invariant|"
    r"(?:may|can|could) (?:always |freely |also )?be (?:added|subtracted|shifted|moved|taken|pulled|factored))\b",
    re.IGNORECASE,
)
"""Words that say that what comes in makes no difference."""
_REWRITTEN = re.compile(
    r"\b(?:simplif(?:y|ies|ied)|rewrit(?:e|es|ten)|express(?:es|ed)?|reduces?|turns? into|amounts? to)\b[^.;:]*$",
    re.IGNORECASE,
)
"""`This simplifies J to`: words that say that what follows is the same thing in other signs."""
_CHANGED = re.compile(
    r"\b(?:with(?:out)?|if|when(?:ever)?|once|after|let(?:ting)?|set(?:ting|s)?|put(?:ting)?|tak(?:e|ing)|choos(?:e|ing)|"
    r"allow(?:s|ing)?|add(?:s|ed|ing)?|includ(?:e|es|ed|ing)|introduc(?:e|es|ed|ing)|scal(?:e|es|ed|ing)|"
    r"multipl(?:y|ies|ied|ying)|divid(?:e|es|ed|ing)|weight(?:s|ed|ing)?|chang(?:e|es|ed|ing)|updat(?:e|es|ed|ing)|"
    r"regulari[sz](?:e|es|ed|ing)|penali[sz](?:e|es|ed|ing)|becomes?|(?:and|but)\s+then|first(?:ly)?|later|finally|"
    r"for(?!\s+(?:all|every|each|any|some)\b))\b",
    re.IGNORECASE,
)
"""`When a bias is added, then`: words that say that something is done to it."""
_MADE = re.compile(
    r"\bwe (?:\w+ )?(?:take|replace|drop|restrict|constrain|square|scale|add|remove|change|switch|parametri[sz]e|"
    r"parameteri[sz]e|approximate)\b",
    re.IGNORECASE,
)
"""`To keep it positive we take the square`: the authors make something else of it."""
_BECOMES = re.compile(r"\b(?:becomes?|(?:is|are) (?:then|now))\b[^.;:]*$", re.IGNORECASE)
"""`The approximation then becomes`: what follows is what comes of it."""
_NAMED_ANEW = re.compile(r"\b(?:is|are|was|equals?|just|simply|only) (?:the|an?) [^.;:,]*$", re.IGNORECASE)
"""`is the mean of the squares`: the words describe the right side."""


def starts_anew(text: str) -> bool:
    """Whether the words before an equation say that from here on its name is another thing.

    >>> starts_anew("Without the mask the weights are"), starts_anew("The denominators drop out, so that")
    (True, False)
    >>> starts_anew("The variance is the mean of the squares without the square of the mean:")
    False
    """
    return any(
        not (found.group(0).lower() == "without the" and _NAMED_ANEW.search(text, 0, found.start()))
        for found in ANEW.finditer(text)
    )


def follows(text: str) -> bool:
    """Whether the words before an equation say that it follows from what its name stands for.

    >>> follows("Then by the definition of the norm we have"), follows("If we add a bias, then")
    (True, False)
    >>> follows("This simplifies the loss to"), follows("With a temperature we have")
    (True, False)
    """
    concluded = Part.CONCLUDED in parts_said(text) or _REWRITTEN.search(text.rstrip(" :\n")) is not None
    return concluded and _CHANGED.search(text) is None and not starts_anew(text)


_UNDER_IF = re.compile(r"^\W*(?:if|when|whenever)\b[^.;]*\bthen\s*(?:⟦\d+⟧\s*(?:,\s*|,?\s*and\b\s*))*$", re.IGNORECASE)


def follows_from_premise(text: str) -> bool:
    """Whether the words before an equation say that it is so under a premise.

    >>> follows_from_premise("If the keys fall together, ⟦1⟧, then ⟦2⟧ and"), follows_from_premise("Then we have")
    (True, False)
    """
    return _UNDER_IF.search(text.rstrip(" :\n")) is not None


def becomes_another(text: str) -> bool:
    """Whether the words before an equation say what its name becomes when the authors change something.

    >>> becomes_another("To keep it positive, we take the square. The variance then becomes:")
    True
    >>> becomes_another("We take the mean of the rows, so that"), becomes_another("The sum then becomes:")
    (False, False)
    """
    said = _BECOMES.search(text.rstrip(" :\n"))
    return said is not None and _MADE.search(text, 0, said.start()) is not None
