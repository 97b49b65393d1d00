"""Doubts about names that come back: a second equation may define another thing, a number may be that of another example."""

from __future__ import annotations

import re
from operator import attrgetter

from derivations.documents.facts.declarations import members
from derivations.documents.facts.repetition_words import KEPT, follows
from derivations.documents.facts.role_words import Part
from derivations.documents.model.document import Block, Prose, are_beside
from derivations.language.statement import Definition, Statement
from derivations.language.substitution import subterms
from derivations.language.term import Entry
from derivations.latex.lexicon.differentiated_symbols import MARK
from derivations.latex.lexicon.name_roles import uses
from derivations.provers.decide import Proved
from derivations.study.doubts.doubt import Doubt
from derivations.study.said_of_relations import Said
from derivations.study.strategies import with_versions
from derivations.study.verdict import Case, Verdict, all_heads, heads_below
from derivations.study.where_stated import holds_at, is_closed, is_in_units, is_stated, is_worked, rows_of, stated_at

_SAME = re.compile(
    r"\b(?:also|again|same|equal\w*|equivalent\w*|identical\w*|namely|that is|i\.e\.|in other words|re-?writ\w*|written|"
    r"simplif\w*|expand\w*|becomes?|reads?|entr(?:y|ies)|component\w*|element\w*|in terms of|so|since|because|"
    r"matrix form|compact\w*)\b",
    re.IGNORECASE,
)
"""Words that say that a second equation speaks of what a name stands for already."""


def of_name_that_comes_back(case: Case, verdict: Verdict) -> tuple[str, str] | None:
    """A second equation for a name, after code that used the first, of which no word says that it follows or says the same."""
    if case.key[2] or case.relation != "=" or case.item.reading.chain.first is not case.left:
        return None
    written = case.known.names.written
    w, other = written(case.left), written(case.right)
    symbol = case.known.table.symbols.get(w.stem) if w is not None and not w.transposed and w.power is None else None
    if w is None or symbol is None or not symbol.defined or len(w.slots) > symbol.slots:
        return None
    if other is not None and (named := case.known.table.symbols.get(other.stem)) is not None and named.defined:
        return None
    if any(other.stem == w.stem for other in uses(case.known.names, case.right)):
        return None  # what has the name on both sides says something of it, and makes no other thing
    made = case.known.walk.findings.get(case.known.walk.origins.get(symbol.head, case.key))
    said = Said.of(case)
    if made is None or said.parts & {Part.CONCLUDED, Part.UNIVERSAL} or _SAME.search(said.before):
        return None
    document = case.known.document
    first, second = (document.block_of(document.spans[k]).index for k in (made.span, case.item.span.index))
    between = any(first < code.index < second for code in document.code)
    return (w.stem, str(made.place.line)) if between else None


NAME_COMES_BACK = Doubt(
    name="a name that comes back",
    code="ambiguous",
    sentence="another {} than in line {}: nothing says that it is the same",
    test=of_name_that_comes_back,
    needed="Let $a, b \\in \\mathbb{R}^n$ and $$ y = a + b . $$\n\n```python\nplot(y)\n```\n\nThe picture: $$ y = a - b . $$",
    silent="Let $a, b \\in \\mathbb{R}^n$ and $$ y = a + b . $$\n\nThe picture: $$ y = a - b . $$",
)


def with_what_is_given_since(case: Case, verdict: Verdict) -> tuple[str, str] | None:
    """A second equation for a name that brings in what is given since the first: it may make another thing of the name."""
    known, table = case.known, case.known.table
    w = known.names.written(case.left)
    symbol = table.symbols.get(w.stem) if w is not None and not w.transposed and w.power is None else None
    if symbol is None or not symbol.defined or case.key[2] or not follows(case.item.context.before):
        return None
    if KEPT.search(known.document.sentences_before(case.item.span, 2)):
        return None
    left, right = (
        {h for s in verdict.statements for h in all_heads(Statement(t(s), "=", t(s)), case.theory)}
        for t in (attrgetter("left"), attrgetter("right"))
    )
    since = known.walk.introduced.get(symbol.stem, 0)
    given = (g for g in known.given if g.head in right - left - case.theory.definitions.keys())
    new = (g.stem for g in given if known.walk.introduced.get(g.stem, 0) > since)
    found = min(new, default=None)
    return None if found is None else (symbol.stem, found)


_SCORES = "Let $q, k \\in \\mathbb{R}^n$ and $$ s_i = q_i k_i . $$\n\n"

GIVEN_SINCE = Doubt(
    name="something that is given since",
    code="ambiguous",
    sentence="false of the {} above, but {}, given since, may make another thing of it",
    test=with_what_is_given_since,
    needed=_SCORES + "Let $c$ be a temperature. Then we have $$ s_i = q_i k_i / c . $$",
    silent=_SCORES + "Let $u_i = 2 k_i$. Then we have $$ s_i = q_i u_i . $$",
)


def with_numbers_of_elsewhere(case: Case, verdict: Verdict) -> tuple[str, str] | None:
    """A name with a number, or an array of numbers, that another section, item or example states for it."""
    known, theory = case.known, case.theory
    sides = [side for s in verdict.statements for side in (s.left, s.right)]
    own = [t for side in sides for t in subterms(side) if isinstance(t, Entry)]
    shown = {t.name for t in own}
    own += [Entry(head, ()) for head in sorted(heads_below(case, verdict) - shown)]
    for entry in own:
        rows = rows_of(theory, entry)
        if not rows or not all(map(is_worked, rows)):
            continue
        places = sorted(stated_at(known.walk, entry))
        spans = known.document.spans
        if places and not any(holds_at(known.document, spans[k[0]], case.item.span) for k in places):
            finding = known.walk.findings[places[-1]]
            return known.walk.stems.get(entry.name, entry.name), str(finding.place.line)
        since = _stated_since(case, entry.name)
        if since is not None:
            return since
    return None


def _stated_since(case: Case, head: str) -> tuple[str, str] | None:
    """The name and its line, where numbers of a name are stated once more before the claim, in a section that has ended."""
    walk = case.known.walk
    stem, origin = walk.stems.get(head, head), walk.origins.get(head)
    others = sorted(k for h, k in walk.origins.items() if h != head and walk.stems.get(h, h) == stem and k < case.key)
    if origin is None or not others or others[-1] < origin:
        return None
    return stem, str(walk.findings[origin].place.line)


def with_another_stated_number(case: Case, verdict: Verdict) -> tuple[str, str] | None:
    """A number stated for a name of which another formula states another number: `Sunny, $H = 1$; Rain, $H = 0$`."""
    s, known = verdict.statement, case.known
    if s is None or case.key[2] or s.relation != "=" or not isinstance(s.left, Entry):
        return None
    written = known.names.written(case.left)
    units = is_in_units(s.right, case.theory)
    if written is None or written.transposed or not (units or (is_stated if written.slots else is_closed)(s.right)):
        return None
    rows = rows_of(case.theory, s.left)
    before = [k for k in stated_at(known.walk, s.left) if k < case.key]
    if not before or max(before)[0] == case.key[0] or not rows:
        return None
    if not all(is_stated(row.body) or is_in_units(row.body, case.theory) for row in rows):
        return None
    if units and known.document.block_of(known.document.spans[max(before)[0]]) is known.document.block_of(
        case.item.span
    ):
        return None
    return known.walk.stems.get(s.left.name, s.left.name), str(known.walk.findings[max(before)].place.line)


_ENTROPY = "For a number $x$ let $$H(x) = 2 x .$$\n\n"

ANOTHER_NUMBER = Doubt(
    name="another number stated for a name",
    code="ambiguous",
    sentence="false with the number that {} has in line {}, but both are only stated: it may be another one",
    test=with_another_stated_number,
    needed=_ENTROPY + "Sunny has $H = 0.9$; overcast has $H = 0$.",
    silent=_ENTROPY + "Sunny has $H = 0.9$; overcast has $2 H = 3$.",
)


_ANEW = re.compile(
    r"\b(?:let|suppose|assume|given|fix|take|consider|for (?:all|any|every|each|some))\s+⟦(\d+)⟧", re.IGNORECASE
)
"""Words that introduce what the formula after them begins with."""


def with_what_is_introduced_beside(case: Case, verdict: Verdict) -> tuple[str, str] | None:
    """A name that another item or example defines, with what it introduces, where the claim's own introduces that anew."""
    known = case.known
    document, spans = known.document, known.document.spans
    own = document.block_of(case.item.span)
    for head in sorted(heads_below(case, verdict)):
        origin = known.walk.origins.get(head)
        if origin is None or not are_beside(document.block_of(spans[origin[0]]).scope, own.scope):
            continue
        there = document.block_of(spans[origin[0]])
        shared = _introduced(case, there, own) & _introduced(case, own, there)
        if shared:
            return known.walk.stems.get(head, head), str(spans[origin[0]].place.line)
    return None


def _introduced(case: Case, block: Block, other: Block) -> set[str]:
    """The names that words introduce in the items and examples around a block, but not around another one."""
    known, document = case.known, case.known.document
    apart = next(k for k, (a, b) in enumerate(zip(block.scope, other.scope, strict=False)) if a != b)
    found: set[str] = set()
    for number in (
        n for b in document.blocks[: block.index + 1] if _stands_around(b, block, apart) for n in _anew(case, b)
    ):
        for item in known.formulas.get(number, ()):
            for node in members(item.reading.chain.first):
                w = known.names.written(node)
                if w is not None:
                    found.add(w.stem)
    return found


def _stands_around(b: Block, block: Block, apart: int) -> bool:
    """Whether a block stands in the same item as another one at a depth, and below nothing beside it."""
    return len(b.scope) > apart and b.scope == block.scope[: len(b.scope)]


def _anew(case: Case, block: Block) -> list[int]:
    """The formulas of a block that words introduce a name before."""
    document = case.known.document
    span = next((s for s in block.spans), None) if isinstance(block, Prose) else None
    return [] if span is None else [int(n) for n in _ANEW.findall(document.paragraph(span))]


_OF_ITEM = "- Take $T \\in \\mathbb{R}^{n \\times n}$. For $x \\in \\mathbb{R}^n$ let $$ F(x) = T x + x . $$\n"
INTRODUCED_BESIDE = Doubt(
    name="what another item introduces anew",
    code="ambiguous",
    sentence="false of the {} of line {}, but that is another item or example, and this one introduces its names anew",
    test=with_what_is_introduced_beside,
    needed=_OF_ITEM + "- Suppose $T \\in \\mathbb{R}^{n \\times n}$. Thus $$ 2 F(x) = 2 T x . $$",
    silent=_OF_ITEM + "- The same matrix again. Thus $$ 2 F(x) = 2 T x . $$",
)

_EXAMPLE = "## Example\n\nLet $$A = \\begin{pmatrix} 1 & 2 \\\\ 0 & 1 \\end{pmatrix} .$$\n\n"

NUMBERS_OF_ELSEWHERE = Doubt(
    name="the numbers of another example",
    code="ambiguous",
    sentence="false with the number that {} has in line {}, but that is another section or example",
    test=with_numbers_of_elsewhere,
    needed=_EXAMPLE + "## Theory\n\nThen $$A A = 2 A .$$",
    silent=_EXAMPLE + "### Solution\n\nThen $$A A = 2 A .$$",
)


def of_two_versions(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A claim that rests on two definitions of one name, a later one and, through other names, the one before it."""
    stems: dict[str, str] = {}
    for head in sorted(heads_below(case, verdict) & case.theory.definitions.keys()):
        stem = head.split("#")[0]
        if MARK not in head and stems.setdefault(stem, head) != head:
            return (stem,)
    return None


_TWICE = (
    r"For $x \in \mathbb{R}^n$ let $$a = \sum_{i=1}^n x_i, \qquad b = 2 a .$$"
    "\n\n## Next\n\n"
    r"Given another $c \in \mathbb{R}$ write $$a = 3 b c .$$"
)
TWO_VERSIONS = Doubt(
    name="two versions of a name",
    code="ambiguous",
    sentence="false as read, but it rests on two definitions of {}, and which one is meant where is not said",
    test=of_two_versions,
    needed=_TWICE + r" Then $$a + 1 = 7 b c + 1 .$$",
    silent=_TWICE + r" Then $$2 b = 3 b .$$",
)


def true_of_version_before(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A claim that is true of what a name was before an equation of the same section that is taken for a new version of it."""
    known, theory = case.known, case.theory
    origins, document = known.walk.origins, known.document
    for s in verdict.statements:
        for head in sorted((s.left.heads | s.right.heads) & theory.definitions.keys()):
            stem, rows = head.split("#")[0], theory.definitions[head]
            for old in sorted(theory.definitions.keys() - {head}):
                others = theory.definitions[old]
                if old.split("#")[0] != stem or MARK in old or _signature(others[0]) != _signature(rows[0]):
                    continue
                if not {head, old} <= origins.keys():
                    continue
                places = [document.block_of(document.spans[origins[h][0]]) for h in (head, old)]
                if places[0].section != places[1].section:
                    continue
                if isinstance(known.decide(with_versions(s, {head: old}), theory), Proved):
                    return (stem,)
    return None


def _signature(d: Definition) -> tuple[int, tuple[int, ...]]:
    """How many indices a name has, and how many axes each of its arguments."""
    return len(d.indices), tuple(len(t.shape) for t in d.tensors)


_SCATTER = (
    r"For $x \in \mathbb{R}^n$ with $m = \frac{1}{n} \sum_{i=1}^n x_i$ let $$a = \sum_{i=1}^n (x_i - m)^2 .$$ "
    r"Another version is $$a = \sum_{i=1}^n \sum_{j=1}^n (x_i - x_j)^2 .$$ "
)
TRUE_BEFORE = Doubt(
    name="true of the version before",
    code="ambiguous",
    sentence="false as read, but true of {} as it was defined before its last version",
    test=true_of_version_before,
    needed=_SCATTER + r"Hence $$a = \sum_{i=1}^n x_i^2 - n m^2 .$$",
    silent=_SCATTER + r"Hence $$a = \sum_{i=1}^n x_i^2 - m^2 .$$",
)


_DEFINES = re.compile(
    r":=|\\(?:coloneqq?|triangleq|doteq|eqdef|defeq)(?![A-Za-z])|\\mathrel\{:\}|\\(?:stackrel|overset)\s*\{[^{}]*def"
)
"""Signs that say that the left side is what the right side is, from here on."""


def by_sign_of_definition(case: Case, verdict: Verdict) -> tuple[()] | None:
    """The sign between the sides says that one defines the other: what was said of the name before is not meant."""
    between = case.item.span.source[case.left.span[1] : case.right.span[0]]
    return () if case.left.span[1] <= case.right.span[0] and _DEFINES.search(between) else None


SIGN_OF_DEFINITION = Doubt(
    name="a sign of definition",
    code="ambiguous",
    sentence="false as a claim, but its sign says that it defines its left side anew",
    test=by_sign_of_definition,
    needed=r"For $x \in \mathbb{R}^n$ let $$s = \sum_{i=1}^n x_i .$$ Always $$s := 3 \sum_{i=1}^n x_i .$$",
    silent=r"For $x \in \mathbb{R}^n$ let $$s = \sum_{i=1}^n x_i .$$ Always $$s = 3 \sum_{i=1}^n x_i .$$",
)
