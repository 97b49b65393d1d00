"""Equations that are not understood, and what nothing is refuted or proved about because of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from derivations.documents.model.document import CLOSE, OPEN, Document
from derivations.documents.model.finding import Finding
from derivations.language.statement import Statement
from derivations.language.substitution import own_indices
from derivations.language.term import FUNCTIONS, Apply, Derivative, Expectation, atoms
from derivations.latex.lexicon.name_roles import Names, uses
from derivations.latex.passes.short_forms import is_call
from derivations.latex.syntax.lexer import on_left_side
from derivations.latex.syntax.surface import Adjacent, Enclosed, Name, Node, Operator, Scripted
from derivations.study.equation_walk import Key, Walk
from derivations.study.state import Study
from derivations.study.verdict import all_heads, withheld
from derivations.study.where_stated import holds_at

_EQUATING = frozenset({"=", "equiv", "gets"})
_ORDERING = frozenset({"<", "<=", ">", ">="})
_RESTRICTING = frozenset({"to", "approx", "sim", "ll", "gg"})
"""What is said of a name alone with these signs is not read: `x \\to 0`, `x \\ll 1`, `x \\sim p`."""


_LIMIT = re.compile(r"\b(?:as|when|while|in the limit(?: of| where| when)?)\s*$", re.IGNORECASE)
"""Before a name that goes somewhere."""
_WITHHELD = frozenset({"ambiguous", "special-case", "property-not-read", "condition-not-read", "unsupported"})
"""Why an equation that is false of a name as it was defined may be there to define it anew."""


@dataclass(frozen=True, slots=True)
class OpenEquations:
    """Equations that are not understood, by the names that they may be there to tell."""

    given: dict[str, Key]
    """The first of those that have a name as a side."""
    later: dict[str, list[Key]]
    """Those that are not read, change something, or are withheld, and have a name as their left side."""
    remarks: frozenset[Key] = frozenset()
    """Those that say where a name goes, `as $x \\to 0$`: they restrict it in their sentence alone."""

    @property
    def lefts(self) -> set[str]:
        return set(self.later) & self.given.keys()


def withhold_about_open_names(study: Study, main: Walk) -> None:
    """Nothing is refuted about a name that itself is one side of an equation that was not understood.

    About a name that is defined only when that equation stands between its definition and what would be refuted.
    Nor is proved what rests on such a name not to depend on others: a derivative, an expectation.  What is withheld so is
    not understood either, and tells of others.
    """
    while _withhold(study, main):
        pass


def _withhold(study: Study, main: Walk) -> bool:
    """Withhold what rests on open names; whether a refutation was among it."""
    symbols = (*study.table.replaced, *study.table.symbols.values())
    given = (s for s in symbols if not s.defined and s.parameters is None)
    heads = {s.head: s.stem for s in given if study.table.tensor(s).constant is None}
    unread = {
        stem: key
        for key, finding in reversed(study.text.unread.items())
        for stem in heads.values()
        if stem in study.text.latex and on_left_side(study.text.latex[stem], finding.source)
    }
    found = _open_equations(study, main)
    lefts = found.lefts | set(unread)
    found = replace(found, given={**unread, **found.given})
    sentences = {(i.span.index, i.number): f"{i.context.before}\n{i.context.after}" for i in study.items}
    places = {**study.text.unread, **main.findings}
    changed = False
    for key, finding in main.findings.items():
        if finding.status == "proved" and lefts:
            moving = {heads.get(h, "") for h in _moving(finding)} & lefts
            if moving:
                stem = min(moving)
                line = places[found.given[stem]].place.line
                reason = f"true if {stem} depends on nothing, but what line {line} says of {stem} is not understood"
                main.findings[key] = withheld(finding, "property-not-read", reason)
        elif finding.status == "refuted" and finding.kind != "prose":
            told = _told_below(study.document, finding, key, main, found, heads)
            here = sentences.get(key[:2], "")
            told = {stem: k for stem, k in told.items() if k not in found.remarks or _is_beside(k, here)}
            if told:
                stem = min(told)
                line = places[told[stem]].place.line
                reason = f"false for any {stem}, but what line {line} says of {stem} is not understood"
                main.findings[key] = withheld(finding, "property-not-read", reason)
                changed = True
    return changed


def _told_below(
    document: Document, finding: Finding, key: Key, main: Walk, found: OpenEquations, heads: dict[str, str]
) -> dict[str, Key]:
    """Names that a finding rests on of which other equations that are not understood say something.

    What another section or example says of a name that is defined is said of another thing.
    """
    used = {h for s in finding.statements for h in all_heads(s, finding.theory)}
    given = (heads[h] for h in used - finding.theory.definitions.keys() if h in heads)
    told = {stem: found.given[stem] for stem in (*given, *_functions(finding)) if stem in found.given}
    for head in used & main.stems.keys():
        stem = main.stems[head]
        origin = main.origins[head]
        after = [k for k in found.later.get(stem, ()) if origin < k < key and _holds_there(document, k, key)]
        labelled = (k for other, keys in found.later.items() if is_labelled(other, stem) for k in keys)
        after += [k for k in labelled if origin < k < key and _defines_anew(document, main, origin, k, key)]
        if after:
            told[stem] = after[0]
    return {stem: k for stem, k in told.items() if k != key}


def _is_beside(key: Key, sentence: str) -> bool:
    return f"{OPEN}{key[0]}{CLOSE}" in sentence


def is_labelled(stem: str, plain: str) -> bool:
    """Whether a name is another one, or that with a label: `phi_X`, of which an author speaks as of `phi`."""
    return stem == plain or stem.startswith(f"{plain}_")


def _holds_there(document: Document, key: Key, at: Key) -> bool:
    return holds_at(document, document.spans[key[0]], document.spans[at[0]])


def _defines_anew(document: Document, main: Walk, origin: Key, key: Key, at: Key) -> bool:
    """Whether a line that is not read gives a name of another section a meaning in the section of a claim, be it in an
    example or a quotation there."""
    first, between, last = (document.block_of(document.spans[k[0]]).section for k in (origin, key, at))
    return main.findings[key].status == "unread" and first != between == last


def _functions(finding: Finding) -> set[str]:
    """The functions in a finding that nothing defines, also those whose values are indices."""
    sides = (side for s in finding.statements for side in (s.left, s.right))
    reached = [t for side in sides for t in finding.theory.reached(side)]
    applied = {t.function for t in reached if isinstance(t, Apply)} - FUNCTIONS
    return applied | {a.name for t in reached for i in own_indices(t) for a in atoms(i) if a.kind == "label"}


def _open_equations(study: Study, main: Walk) -> OpenEquations:
    given: dict[str, Key] = {}
    later: dict[str, list[Key]] = {}
    remarks: set[Key] = set()
    items = {(i.span.index, i.number): i for i in study.items}
    for key, finding in main.findings.items():
        item = items.get(key[:2])
        is_open = finding.status in ("unread", "undecided") or finding.code == "update"
        if not is_open or item is None or finding.kind == "prose":
            continue
        chain, link = item.reading.chain, key[2]
        left = (chain.first if chain.first is not None else item.before) if link == 0 else chain.links[link - 1][1]
        relation, right = chain.links[link]
        if relation in _RESTRICTING or (relation == "in" and finding.code in ("shape-conflict", "ambiguous")):
            if relation == "to" and _LIMIT.search(item.context.before):
                remarks.add(key)
            for stem in _written(study.names, left):
                if given.get(stem, key) in remarks:
                    given[stem] = key
                given.setdefault(stem, key)
        if relation in _ORDERING and finding.status == "unread":  # the order of `a_1 \\le \\dots \\le a_n`
            for stem in (stem for side in (left, right) for stem in _alone(study.names, side)):
                given.setdefault(stem, key)
        may_define = finding.status == "unread" or finding.code == "update" or finding.code in _WITHHELD
        if may_define and not link and relation in (*_EQUATING, "approx") and not _is_power(study.names, left):
            for stem in _written(study.names, left):
                later.setdefault(stem, []).append(key)
        is_equation = relation in _EQUATING and finding.code not in ("update", "unsupported")
        for side, other in ((left, right), (right, left)) if is_equation else ():
            if _is_power_of_names(study.names, side):
                continue
            for stem in _alone(study.names, side):
                if _written(study.names, side) or stem not in _names_in(study.names, other):  # f(q) = g(q) tells f
                    given.setdefault(stem, key)
    return OpenEquations(given, later, frozenset(remarks))


def _alone(names: Names, side: Node | None) -> set[str]:
    """The name that a side is, or whose value, norm or moment it is: q in `q`, `f(q)`, `\\|q\\|^2`, `E[q q^T]`."""
    if side is None:
        return set()
    if isinstance(side, Scripted) and not isinstance(side.base, Name):
        return _alone(names, side.base)
    if (isinstance(side, Enclosed) and side.kind in ("norm", "||")) or isinstance(side, Operator):
        inside = {w.stem for part in side.parts for w in uses(names, part)}
        return inside if len(inside) == 1 else set()
    return _written(names, side)


def _names_in(names: Names, side: Node | None) -> set[str]:
    return set() if side is None else {w.stem for w in uses(names, side)}


def _written(names: Names, left: Node | None) -> set[str]:
    """The name that a left side is, or whose values it gives: L in `L` and `L(h, k)`."""
    if left is None:
        return set()
    w = names.written(left.items[0] if isinstance(left, Adjacent) and is_call(left) else left)
    return set() if w is None else {w.stem}


def _is_power(names: Names, left: Node | None) -> bool:
    """Whether a left side is a power of a name: of the name itself it says nothing that defines it."""
    w = names.written(left) if left is not None else None
    return w is not None and w.power is not None


def _moving(finding: Finding) -> set[str]:
    """Heads of what a statement differentiates, or takes the expectation of, except what it differentiates by."""
    found: set[str] = set()
    by: set[str] = set()
    for s in finding.statements:
        for u in (u for side in (s.left, s.right) for u in finding.theory.reached(side)):
            if isinstance(u, Derivative | Expectation):
                found |= set(all_heads(Statement(u.body, "=", u.body), finding.theory))
                by |= {u.name} if isinstance(u, Derivative) else set()
    return found - by


def _is_power_of_names(names: Names, side: Node | None) -> bool:
    r"""Whether a side is a power whose exponent is no number: `\beta^h = 1/2` tells what h is, if anything."""
    w = names.written(side) if side is not None else None
    return w is not None and w.power is not None and any(True for _ in uses(names, w.power))
