"""A reason not to believe a refutation, as a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from derivations.study.verdict import Case, Verdict


@dataclass(frozen=True, slots=True)
class Doubt:
    """A row: where `test` gives the arguments of `sentence`, a refuted claim is undecided with `code`.

    In the document `needed` the row alone keeps its last claim from being refuted; in `silent` a claim of the same kind
    is refuted all the same.
    """

    name: str
    code: str
    sentence: str
    test: Callable[[Case, Verdict], tuple[str, ...] | None]
    needed: str
    silent: str
    yields: bool = False
    """Whether a slip outweighs it (`study.support`): it is about words that are not read, or about a reading that the
    theorem next to what is refuted shows to be right."""
    yields_to: Callable[[Case, Verdict], bool] = lambda _case, _verdict: False
    """Claims for which it yields so too."""


SOFTMAX = r"For $z \in \mathbb{R}^C$ let $$p_i = \frac{e^{z_i}}{\sum_{k=1}^C e^{z_k}}.$$ "
CROSS_ENTROPY = SOFTMAX + r"For $y \in \mathbb{R}^C$ let $$L = -\sum_{i=1}^C y_i \log p_i.$$ "
"""What several of the documents begin with."""
