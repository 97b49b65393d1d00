"""Which symbol of the document a value of the code may compute."""

from __future__ import annotations

import re
from collections.abc import Sequence

from derivations.code.compare.document_symbols import Target
from derivations.code.judgement_context import Candidate, Context
from derivations.lifting.interpreter.interpret import Record
from derivations.lifting.values.python_values import Class, Function

CITED = re.compile(
    r"\b(?:eq|eqs|eqn|equation|formula|gl|式|公式)\.?\s*+[(（]?\s*+(\d+(?:\.\d+)*[a-z]?)\s*+[)）]?", re.IGNORECASE
)


def candidates_of(context: Context, record: Record) -> list[Candidate]:
    """The symbols that a value may compute: an explicit link alone, else a cited number, else the name."""
    explicit = explicit_target(context, record)
    if explicit is not None:
        return [Candidate(record, explicit, "explicit")]
    name = context.aliases.get(record.name, record.name)
    named = [t for t in context.symbols.named(name) if t.stem not in context.by_stem]
    cited = cited_targets(context, record)
    if cited:
        return [Candidate(record, t, "cited") for t in cited]
    if not named and isinstance(record.value, (Function, Class)):
        return [Candidate(record, t, "initials") for t in context.symbols.by_initials(name)]
    if not named:
        return [Candidate(record, t, "guess") for t in context.symbols.loosely(name)]
    exact = [t for t in named if name in (t.stem, t.finding.code_name)]
    if len(name) == 1 and not exact:
        return []  # q is not Q
    stems = {t.stem for t in named}
    if len(stems) > 1:
        return []
    return [Candidate(record, t, "name") for t in nearest_versions(named, record.block)]


def nearest_versions(named: Sequence[Target], block: int) -> list[Target]:
    """The versions of a symbol, the last one before the code first."""
    return sorted(named, key=lambda t: (t.block > block, abs(block - t.block)))


def explicit_target(context: Context, record: Record) -> Target | None:
    name = context.aliases.get(record.name, record.name)
    found = [x for x in context.links if x.name == name and x.block < record.block]
    if not found or record.function is not None:
        return None
    stem = max(found, key=lambda x: x.block).stem
    return next((t for t in context.symbols.targets if t.stem == stem), None)


def cited_targets(context: Context, record: Record) -> list[Target]:
    for comment in context.program.comments(record.block, record.node):
        for number in CITED.findall(comment.text):
            found = [t for t in context.symbols.targets if context.numbers.get(t.finding.span) == number]
            if len(found) == 1:
                return found
    return []
