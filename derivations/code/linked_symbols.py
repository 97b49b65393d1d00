"""Which symbol of the document a value of the code may compute."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from derivations.code.citations import Cited, cited_in, docstrings, ends_with_number, first_lines
from derivations.code.compare.document_symbols import Target
from derivations.code.compare.spelling import spelled
from derivations.code.explicit_links import Explicit
from derivations.code.judgement_context import Candidate, Context
from derivations.code.matching import names_member
from derivations.code.named_in_words import named_first
from derivations.lifting.interpreter.interpret import Record
from derivations.lifting.values.python_values import Class, Function

_OTHER_VALUE = re.compile(
    r"\b(?:gradients?|backward|derivatives?|jacobian|adjoint|inverse|approximat\w+|without|instead|unlike|not|except)\b",
    re.IGNORECASE,
)
"""Words of a docstring after which a function may compute something else than the equation in it."""


def candidates_of(context: Context, record: Record) -> list[Candidate]:
    """The symbols that a value may compute: an explicit link alone, else a cited number, else the name."""
    explicit = explicit_target(context, record)
    if explicit is not None:
        return [Candidate(record, explicit, "explicit")]
    name = context.aliases.get(record.name, record.name).rpartition(".")[2]
    named = [t for t in context.symbols.named(name) if t.stem not in context.by_stem]
    cited = cited_symbols(context, record) or described_symbols(context, record)
    cited = cited or ([] if named else symbol_of_docstring(context, record))
    own = [c for c in cited if names_member(record.name, c.target)]
    if len(own) == 1:  # of the equations that a number stands beside, the one with the name
        cited = [replace(own[0], is_chosen=True)]
    if cited:
        return [Candidate(record, c.target, _how_cited(c), part=c.part) for c in cited]
    if not named and isinstance(record.value, (Function, Class)):
        short = [Candidate(record, t, "initials") for t in context.symbols.by_initials(name)]
        return short or [Candidate(record, t, "guess") for t in context.symbols.loosely(name)]
    if not named:
        return [Candidate(record, t, "guess") for t in context.symbols.loosely(name)]
    exact = [t for t in named if name in (t.stem, t.finding.code_name)]
    if len(name) == 1 and not exact:
        return []  # q is not Q
    stems = {t.stem for t in named}
    if len(stems) > 1:
        return []
    return [Candidate(record, t, "name") for t in nearest_versions(named, record.block)]


def _how_cited(c: Cited) -> str:
    """How surely words link a value to a symbol."""
    if not c.is_chosen:
        return "several"
    return "cited" if c.is_sure else "mentioned"


def nearest_versions(named: Sequence[Target], block: int) -> list[Target]:
    """The versions of a symbol, the last one before the code first."""
    return sorted(named, key=lambda t: (t.block > block, abs(block - t.block)))


def explicit_target(context: Context, record: Record) -> Target | None:
    """The symbol that a comment before a value links to its name."""
    name = context.aliases.get(record.name, record.name)
    found = [x for x in context.links if x.name == name and x.block < record.block]
    if record.function is not None:
        found = [x for x in found if is_linked_inside(context, x, record.block)]
    return target_of(context, max(found, key=lambda x: x.block)) if found else None


def target_of(context: Context, link: Explicit) -> Target | None:
    """The symbol that the equation of a link defines; None where it is not read."""
    return next((t for t in context.symbols.targets if t.stem == link.stem), None)


def is_linked_inside(context: Context, link: Explicit, block: int) -> bool:
    """Whether a link speaks of a name inside a function of a block: of the next block only, where just one function has
    such a name, and where the name has no value outside of it."""
    later = [n for n in context.program.trees if n > link.block]
    if not later or min(later) != block:
        return False
    own = [r for r in context.program.interpreter.records if r.block == block]
    outside = any(context.aliases.get(r.name, r.name) == link.name for r in own)
    return not outside and len(functions_with_name(context, link, block)) == 1


def functions_with_name(context: Context, link: Explicit, block: int) -> list[Record]:
    """The functions and classes of a block that give a value to the name of a link."""
    records = context.program.interpreter.records
    functions = [r for r in records if r.block == block and isinstance(r.value, (Function, Class))]
    return [r for r in functions if link.name in names_stored(context, r.node)]


def names_stored(context: Context, node: ast.AST) -> set[str]:
    """The names to which a statement, or the body of a function, gives a value."""
    stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return {context.aliases.get(n, n) for n in stored}


def links_inside(context: Context, record: Record) -> list[Explicit]:
    """The links of the author that speak of names to which a function gives a value."""
    names = names_stored(context, record.node)
    return [x for x in context.links if x.name in names and is_linked_inside(context, x, record.block)]


def cited_symbols(context: Context, record: Record) -> list[Cited]:
    """The symbols whose equations a comment beside a value cites, or the docstring of a function.

    A comment above several lines of which each works on with the one before is about what they give together.
    """
    is_function = isinstance(record.value, (Function, Class))
    texts = texts_beside(context, record)
    found = (cited_in(text, context.numbered, alone=is_function or ends_with_number(text)) for text in texts)
    cited = next((own for own in found if own), [])
    if is_function and not cited and isinstance(record.node, ast.FunctionDef):
        cited = _cited_at_head(context, record.block, record.node)
    if is_function:
        return cited
    around = context.program.function_around(record.block, record.node)
    if around is not None and around.body[0] is record.node and _cited_at_head(context, record.block, around):
        return []
    if not context.program.is_first_of_several(record.block, record.node):
        return cited
    own_name = context.aliases.get(record.name, record.name)
    return [c for c in cited if spelled(c.target.stem) == spelled(own_name)]


def cited_inside(context: Context, record: Record) -> list[Target]:
    """The symbols whose equations the comments inside a function cite, but for those at its head."""
    entry = record.value.entry if isinstance(record.value, Class) else record.value
    if not isinstance(entry, Function) or not isinstance(entry.node, ast.FunctionDef):
        return []
    _, comments = context.program.comments_inside(record.block, entry.node)
    cited = (cited_in(c.text, context.numbered, alone=ends_with_number(c.text)) for c in comments)
    return list({c.target.head: c.target for own in cited for c in own}.values())


def _cited_at_head(context: Context, block: int, node: ast.FunctionDef) -> list[Cited]:
    """What the comment at the head of a function's body cites, where no other comment in the function cites anything."""
    head, others = context.program.comments_inside(block, node)
    if any(cited_in(c.text, context.numbered, alone=False) for c in others):
        return []
    return cited_in("\n".join(c.text for c in head), context.numbered, alone=False)


def described_symbols(context: Context, record: Record) -> list[Cited]:
    """The symbols that the docstring of a function, or the comment above it, begins with; a name of its own comes first."""
    name = context.aliases.get(record.name, record.name).rpartition(".")[2]
    if not isinstance(record.value, (Function, Class)) or context.symbols.named(name):
        return []
    targets = [t for t in context.symbols.targets if t.stem not in context.by_stem and t.block < record.block]
    found = (named_first(text.lstrip("#"), targets) for text in texts_beside(context, record))
    return next((own for own in found if own), [])


def symbol_of_docstring(context: Context, record: Record) -> list[Cited]:
    """The symbol that the docstring of a function in a Python file defines, by itself or from all others that it defines.

    It is sure where the docstring speaks of no other value.
    """
    code = context.program.blocks.get(record.block)
    subject = code.subject if code is not None else ""
    targets = [t for t in context.symbols.targets if t.stem not in context.by_stem]
    if not subject or record.function is not None or record.name != subject:
        return []
    heads = {t.head for t in targets}
    targets = [t for t in targets if heads - {t.head} <= set(context.symbols.under(t.head))]
    if len({t.head for t in targets}) != 1:
        return []
    is_sure = not any(_OTHER_VALUE.search(text) for text in texts_beside(context, record, whole=True))
    return [Cited(targets[-1], is_sure=is_sure)]


def texts_beside(context: Context, record: Record, *, whole: bool = False) -> Iterator[str]:
    """The comments beside a value, then the docstring of a function: its first paragraph, or the `whole` of it."""
    yield from (c.text for c in context.program.comments(record.block, record.node))
    if isinstance(record.value, (Function, Class)):
        yield from docstrings(record) if whole else first_lines(record)
