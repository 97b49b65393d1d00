"""The rules.  Each says when `before` may be replaced by `after`; it raises `Refused` or returns.

A rule is used at a position, under the scope of that position (so rewriting inside a sum is the sum's congruence).
Rules marked `extended` also hold where a value may be minus infinity; all others need finite reals on both sides.
"""

from derivations.kernel.rules.table import RULES, Rule, apply

# The order of the families is that of the rows.
# isort: off
from derivations.kernel.rules import (
    equalities,
    sums,
    maxima,
    brackets,
    choices,
    minus_infinity,
    powers,
    matrices,
    determinants,
    exponentials,
    absolute_values,
    trigonometry,
    derivatives,
    expectation,
)
# isort: on

__all__ = ["FAMILIES", "RULES", "Rule", "apply"]

FAMILIES = (
    equalities,
    sums,
    maxima,
    brackets,
    choices,
    minus_infinity,
    powers,
    matrices,
    determinants,
    exponentials,
    absolute_values,
    trigonometry,
    derivatives,
    expectation,
)
"""The modules whose functions are the rows of `RULES`."""
