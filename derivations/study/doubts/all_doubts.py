"""All reasons not to believe a refutation, in the order in which they are asked; the first that applies is told."""

from __future__ import annotations

from derivations.study.doubts.about_conditions import CASE_OF_ITEM, CONDITION_ON_GIVEN
from derivations.study.doubts.about_lines_before import LINE_BEFORE
from derivations.study.doubts.about_names import (
    ANOTHER_LAW,
    CIRCLE_CONSTANT,
    CLASS_OF_ONE_HOT,
    NAME_TO_TELL,
    NAMES_OF_ONE_LETTER,
    STATED_GRADIENT,
    STEPPED_NAME,
    UNKNOWN_FUNCTION,
    UNRELATED_NAMES,
    VALUES_OF_FUNCTION,
)
from derivations.study.doubts.about_readings import (
    DIFFERENTIALS,
    EARLIER_VERSION,
    GUESSED_AXES,
    GUESSED_SIGN,
    OTHER_BASE,
    OUTER_PRODUCT,
    UNSAID_CONVENTION,
    UNSAID_LENGTH,
    UNSAID_SUM,
)
from derivations.study.doubts.about_versions import NAME_COMES_BACK, NUMBERS_OF_ELSEWHERE
from derivations.study.doubts.about_words import (
    CASE_IN_WORDS,
    CHANGED_BY_ARROW,
    DEPENDENT_NAMES,
    ENTRIES_SET,
    NUMBERS_FOR_NAMES,
    PROPERTY_IN_SENTENCE,
    PROPERTY_IN_TITLE,
    ROUNDED_POWER,
    SPECIAL_CASE,
    SPECIAL_VALUE,
    UNLISTED_SET,
    UNREAD_PROPERTY,
    UNREAD_SUPPOSITION,
    VALUES_STATED,
)
from derivations.study.doubts.doubt import Doubt

DOUBTS: tuple[Doubt, ...] = (
    GUESSED_AXES,
    EARLIER_VERSION,
    UNSAID_LENGTH,
    UNSAID_SUM,
    UNSAID_CONVENTION,
    UNREAD_PROPERTY,
    PROPERTY_IN_SENTENCE,
    PROPERTY_IN_TITLE,
    UNREAD_SUPPOSITION,
    CASE_IN_WORDS,
    SPECIAL_CASE,
    SPECIAL_VALUE,
    OUTER_PRODUCT,
    GUESSED_SIGN,
    STATED_GRADIENT,
    STEPPED_NAME,
    CIRCLE_CONSTANT,
    ANOTHER_LAW,
    VALUES_OF_FUNCTION,
    DEPENDENT_NAMES,
    ENTRIES_SET,
    NUMBERS_FOR_NAMES,
    VALUES_STATED,
    ROUNDED_POWER,
    UNLISTED_SET,
    UNKNOWN_FUNCTION,
    CLASS_OF_ONE_HOT,
    NAMES_OF_ONE_LETTER,
    UNRELATED_NAMES,
    CONDITION_ON_GIVEN,
    CASE_OF_ITEM,
    NAME_COMES_BACK,
    NUMBERS_OF_ELSEWHERE,
    NAME_TO_TELL,
    OTHER_BASE,
    CHANGED_BY_ARROW,
    DIFFERENTIALS,
    LINE_BEFORE,
)
