"""The findings of relations: where each stands, how its names are written, and what is said of those that are not decided."""

from __future__ import annotations

from collections.abc import Mapping

from derivations.documents.model.document import Place
from derivations.documents.model.finding import Finding
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.syntax.function_names import places_of_law
from derivations.latex.syntax.letters import ALONE, FAMILY
from derivations.latex.syntax.surface import Node
from derivations.study.equation_walk import Item, Key, balanced, code_name
from derivations.study.state import Study


def finding_of(study: Study, item: Item, key: Key, kind: str, status: str, left: Node, right: Node) -> Finding:
    """A finding about a relation, where it stands and with the names as the document writes them now."""
    step = kind == "step" or key[2] > 0
    source = item.span.source
    start = left.span[1] if step else left.span[0]
    if step and not left.span[1] <= right.span[0]:
        start = right.span[0]
    if step and (broken := source.rfind(r"\\", start, right.span[0])) > 0:
        start = broken + 2  # from its own row on, without what stands beside the row before
    place, end = place_of(item, right if step else left), item.span.locate(max(right.span[1] - 1, 0))
    if kind == "claim":  # a derivation over several lines: each relation stands where its right side starts
        place = max(place, place_of(item, right), key=lambda p: p.line)
    return Finding(
        kind,
        status,
        place,
        end.line,
        balanced(source, start, right.span[1]),
        item.span.index,
        display=displays_of(study),
        bases=dict(study.table.bases),
        styles=dict(study.table.styles),
        code_name=code_name(item),
    )


def place_of(item: Item, node: Node) -> Place:
    """Where a part of an equation starts in the file."""
    return item.span.locate(min(node.span[0], len(item.span.source)))


def displays_of(study: Study) -> Mapping[str, str]:
    """How the names used inside are written in the document."""
    for symbol in study.table.symbols.values():
        stem = symbol.stem.removesuffix(FAMILY).removesuffix(ALONE)
        if stem in study.text.latex:
            study.table.display[symbol.head] = study.text.latex[stem]
        elif stem.startswith("d") and "/d" in stem:  # the gradient of a loss that nothing defines
            above, below = (study.text.latex.get(name, name) for name in stem[1:].split("/d", 1))
            study.table.display[symbol.head] = rf"\left(\frac{{\partial {above}}}{{\partial {below}}}\right)"
        study.table.bases[symbol.head] = symbol.base
        for k, dim in enumerate(symbol.dims):
            if dim.around is not None:
                study.table.bases[f"{symbol.head}@{k}"] = symbol.base - dim.around[1]
        study.table.styles[symbol.head] = places_of_law(stem) or symbol.styles
    known = study.table.display
    if study.text.says_exp:
        known.setdefault("exp", r"\exp")
    latex = {n: study.text.latex[n] for n in study.names.sizes if n in study.text.latex and n not in known}
    for size, divisors in study.table.divisors.items():
        for h in divisors:
            above, below = (study.text.latex.get(n, n) for n in (size, h))
            latex[study.table.part_name(size, h)] = rf"\frac{{{above}}}{{{below}}}"
    return known | latex


def note_unread(study: Study, item: Item, key: Key, left: Node | None, right: Node, problem: NotUnderstood) -> None:
    """Say of a relation that it is not understood, because of what and where."""
    if problem.code == "shape-conflict":
        study.walk.conflicts.add(key)
    if not study.walk.build:
        return
    leads = key[2] == 0 and item.reading.chain.first is not None
    finding = finding_of(study, item, key, "claim" if leads else "step", "unread", left or right, right)
    offender = problem.span or right.span
    finding.place = place_of(item, left) if left is not None and key[2] == 0 else place_of(item, right)
    finding.code = problem.code
    token = " ".join(balanced(item.span.source, *offender).split())
    place = item.span.locate(min(offender[0], len(item.span.source)))
    finding.reason = f"{problem.message}: '{token}' at line {place.line}, column {place.column}"
    study.walk.findings[key] = finding


def skip(study: Study, item: Item, key: Key, left: Node, right: Node, code: str, reason: str) -> None:
    """Say of a relation that it is passed over, and as what."""
    if study.walk.build:
        finding = finding_of(study, item, key, "hypothesis", "skipped", left, right)
        finding.code, finding.reason = code, reason
        study.walk.findings[key] = finding
