"""Every rule that tells the role of a relation decides about its example, and about nothing in its counter-example."""

import pytest

from derivations.documents import read_text
from derivations.documents.facts.role_words import ROLE_WORDS, Part, RoleWords, parts_said
from derivations.provers.decide import decide
from derivations.study.claims import understood
from derivations.study.directives_at_work import declared
from derivations.study.roles import ROLE_RULES, RoleRule


def rules(text: str) -> set[str]:
    """The rules that decided about the relations of a document."""
    studied, _ = understood(declared(read_text(text, "x.md")), decide)
    return set(studied.main.rules.values())


@pytest.mark.parametrize("row", ROLE_WORDS, ids=lambda row: row.name)
def test_words_of_roles(row: RoleWords) -> None:
    assert row.pattern.search(row.fires)
    assert not row.pattern.search(row.silent)


def test_what_is_concluded_is_not_supposed() -> None:
    assert Part.SUPPOSED not in parts_said("Suppose that ⟦1⟧. Then we have")
    assert Part.CONDITION in parts_said("provided that ⟦1⟧ and")


@pytest.mark.parametrize("rule", ROLE_RULES, ids=lambda rule: rule.name)
def test_rules_of_roles(rule: RoleRule) -> None:
    assert rule.name in rules(rule.example)
    assert rule.name not in rules(rule.counter)


def test_names_of_rules_are_unique() -> None:
    names = [rule.name for rule in ROLE_RULES]
    assert len(names) == len(set(names))
