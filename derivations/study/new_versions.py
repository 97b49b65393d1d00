"""Left sides that are written again: a claim about what they stand for, a new version of it, or an update.

An ordered table of rules over what the words and the formulas around both equations say; the first that fires decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from derivations.documents.facts.repetition_words import (
    KEPT,
    becomes_another,
    follows,
    follows_from_premise,
    starts_anew,
)
from derivations.documents.facts.sentence_patterns import (
    ALTERNATIVE,
    OF_CURVE,
    TITLE,
    VERSIONS,
    last_clause,
    qualifiers,
    words,
)
from derivations.documents.model.document import CLOSE, MARK, OPEN, are_beside
from derivations.documents.model.finding import Finding
from derivations.language.statement import Statement
from derivations.language.term import Entry, IndexValue
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.equations import LeftSide
from derivations.latex.lexicon.differentiated_symbols import symbol_of
from derivations.latex.lexicon.name_roles import called_in, uses
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.lexicon.written_names import Written
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import Literal, Matrix, Node, Prefix
from derivations.study.cases_of_definitions import is_entry_of
from derivations.study.equation_walk import Item, Key, code_name, remark
from derivations.study.recurrences import is_shifted
from derivations.study.state import Study
from derivations.study.stated_values import Again as Stated
from derivations.study.stated_values import entry_stated, stated_again
from derivations.study.verdict import all_heads


def brings_only_given(study: Study, left: LeftSide, right: Node, since: int) -> bool:
    """Whether what a right side has that is new since then is not defined anywhere."""
    new = {
        w.stem
        for w in uses(study.names, right)
        if w.stem != left.stem and study.walk.introduced.get(w.stem, 0) > since and not study.table.is_size(w)
    }
    symbols = map(study.table.symbols.get, new)
    return bool(new) and all(s is not None and not s.defined for s in symbols)


def keep_outcome(study: Study, key: Key, outcome: str) -> None:
    """Remember what a left side that is written again was found to be, for the other readings to follow."""
    if study.walk.build and study.walk.only is None:
        study.outcomes[key] = outcome


def _is_at_one_place(study: Study, left: LeftSide, right: Node) -> bool:
    """Whether a left side has a number where the right side has the name with a letter."""
    if left.parameters is not None or left.call is not None:
        return False
    numbers = [k for k, s in enumerate(left.slots) if isinstance(s.node, Literal)]
    own = [w for w in uses(study.names, right) if w.stem == left.stem and len(w.slots) == len(left.slots)]
    return bool(numbers and own) and all(letter(w.slots[k].node) is not None for w in own for k in numbers)


def is_symmetry(study: Study, left: LeftSide, right: Node) -> bool:
    """Whether the right side is the left with its indices exchanged, perhaps negative: `W_{ij} = W_{ji}`."""
    inner = right.operand if isinstance(right, Prefix) else right
    w = study.names.written(inner)
    if w is None or w.stem != left.stem or w.power is not None:
        return False
    ours, theirs = ([letter(s.node) for s in side.slots] for side in (left, w))
    is_turned = None not in ours and ours != theirs and sorted(map(str, ours)) == sorted(map(str, theirs))
    return len(ours) == len(theirs) and (is_turned or (w.transposed and ours == theirs))


def _is_defined_name(study: Study, right: Node) -> bool:
    """Whether a right side is nothing but another name that an equation defines: `H_q = H_k` claims that they are equal."""
    w = study.names.written(right)
    symbol = study.table.symbols.get(w.stem) if w is not None and not w.transposed else None
    return symbol is not None and symbol.defined and symbol.parameters is None


def _brings_in_more(study: Study, w: Written, read: Finding | None) -> bool:
    """Whether a name depends on something given that the left side of an equation does not depend on."""
    symbol = study.table.find(w)
    if read is None or not read.statements or symbol is None or not symbol.defined:
        return True
    sides = zip(*((s.left, s.right) for s in read.statements), strict=True)
    left_given, right_given = (
        {symbol_of(h) for t in terms for h in all_heads(Statement(t, "=", t), read.theory)}
        - read.theory.definitions.keys()
        for terms in sides
    )
    return not right_given <= left_given


_SATISFIED = re.compile(
    r"\b(?:satisf(?:y|ies)|obeys?|solves?|fulfils?|is (?:a|the) (?:solution|fixed point) of)\b", re.IGNORECASE
)
"""Words before an equation that something satisfies."""

_WHERE = re.compile(r"\bwhere\b(?:\s+(?:now|here|this time|we (?:set|put|take)))?[\s,:]*$", re.IGNORECASE)
"""What ends before a formula that says what a name stands for."""


class Repetition(StrEnum):
    """What an equation is whose left side has a definition before it."""

    CLAIM = "claim"
    VERSION = "new version"
    UPDATE = "update"


@dataclass(frozen=True, slots=True)
class Again:
    """A left side that is written again, and what the words and formulas around both equations say."""

    stem: str
    before: str
    """The sentence before it."""
    lead: str
    """That sentence and the one before it."""
    is_entry: bool
    """It is one entry of a family that is defined as a whole."""
    is_other_name: bool
    """Its right side is nothing but another name that is defined."""
    is_of_itself: bool
    """Its right side has the name itself."""
    is_of_own_values: bool
    """It is a function, and its right side has values of it."""
    is_at_one_place: bool
    """It is about one place of the name, and its right side has the name at any place: `x_0` in terms of `x_t`."""
    is_turned: bool
    """Its right side is the left one with its indices exchanged."""
    is_step: bool
    """Its right side has the name at other places alone, as a step of a recurrence."""
    is_example: bool
    """Its right side is an array of numbers that may be put for it, as its inputs are given."""
    stated: Stated | None
    """What its number is for a name of which the text has stated one."""
    new_name: str | None
    """A name on its right side that came up since, and brings in what the definition before does not depend on."""
    is_new_length: bool
    """That name is a length, as the first scale of scores is."""
    has_origin: bool
    """The equation before is known."""
    in_other_chapter: bool
    codes: tuple[str | None, str | None]
    """What the text calls it in code, here and there."""
    qualifiers: tuple[str, ...]
    """Words that tell its object from the one before."""
    titles: tuple[str, ...]
    """The titles or remarks of both, where these differ."""
    in_other_section: bool
    in_sentence: bool
    """It stands in the sentence of the one before."""
    is_beside: bool
    """It stands in an item or an example beside that of the first."""
    tells_what_stood: bool
    """Its sentence says by it what the name in a formula before it stands for: `K = \\phi^T \\phi` where `\\phi = …`."""


@dataclass(frozen=True, slots=True)
class RepetitionRule:
    """One way to tell what a repeated left side is.

    The right sides of `example` and `counter` are no such that could be proved: in `example` the rule decides about a
    relation, in `counter` about none.
    """

    name: str
    role: Repetition
    test: Callable[[Again], bool]
    reason: str
    """Why, in words for the reader, with what is `again` in braces."""
    example: str
    counter: str

    def why(self, again: Again) -> str:
        return self.reason.format(again=again)


_SCORES = "Let $q, k, b \\in \\mathbb{R}^n$ and $$ s_i = q_i k_i . $$\n\n"
_PRODUCT = "Let $A, B \\in \\mathbb{R}^{2 \\times 2}$ and $$ C = A B . $$\n\n"
SAME = RepetitionRule(
    "of the same thing", Repetition.CLAIM, lambda _: True, "nothing says that it is new", "$$ y = 1 $$", "Hello."
)
OTHERWISE: tuple[RepetitionRule, ...] = (
    RepetitionRule(
        "the same as another name",
        Repetition.CLAIM,
        lambda again: again.is_other_name,
        "its right side is another name",
        _SCORES + "Let $$ t_i = k_i + q_i . $$ Instead, $$ s_i = t_i . $$",
        _SCORES + "Let $$ t_i = k_i + q_i . $$ Instead, $$ s_i = 2 t_i . $$",
    ),
    RepetitionRule(
        "another number beside the first",
        Repetition.CLAIM,
        lambda again: again.stated is Stated.CONFLICT,
        "the same sentence or display states another number",
        "$$ s_1 = 3, \\qquad s_1 = 4 $$",
        "$$ s_1 = 3 $$\n\nThe other lamp has $$ s_1 = 4 . $$",
    ),
    RepetitionRule(
        "another number elsewhere",
        Repetition.VERSION,
        lambda again: again.stated is Stated.SETTING,
        Stated.SETTING.value,
        "$$ s_1 = 3 $$\n\nThe other lamp has $$ s_1 = 4 . $$",
        "$$ s_1 = 3, \\qquad s_1 = 4 $$",
    ),
    RepetitionRule(
        "an array of numbers",
        Repetition.VERSION,
        lambda again: again.is_example,
        "it is an array of numbers here",
        _PRODUCT + "Here $$ C = \\begin{bmatrix} 1 & 2 \\\\ 3 & 4 \\end{bmatrix} . $$",
        _PRODUCT + "Here $$ C = B + A . $$",
    ),
    RepetitionRule(
        "said to make no difference",
        Repetition.CLAIM,
        lambda again: again.new_name is not None and KEPT.search(again.lead) is not None,
        "the words before say that it stays as it is",
        _SCORES + "A constant $c$ changes nothing: $$ s_i = q_i k_i + c . $$",
        _SCORES + "A constant $c$ is added: $$ s_i = q_i k_i + c . $$",
    ),
    RepetitionRule(
        "said to follow",
        Repetition.CLAIM,
        lambda again: again.new_name is not None and not again.is_new_length and follows(again.before),
        "the words before say that it follows from what went before",
        _SCORES + "Let $u_i = k_i + b_i$. Then by definition we have $$ s_i = q_i u_i . $$",
        _SCORES + "With a temperature $c$ we have $$ s_i = q_i k_i / c . $$",
    ),
    RepetitionRule(
        "said under a premise",
        Repetition.CLAIM,
        lambda again: again.new_name is not None and follows_from_premise(again.before),
        "the sentence says in which case it is so",
        _SCORES + "If the keys fall together, then $$ s_i = q_i c . $$",
        _SCORES + "With a temperature $c$ we have $$ s_i = q_i k_i / c . $$",
    ),
    RepetitionRule(
        "a name introduced since",
        Repetition.VERSION,
        lambda again: again.new_name is not None,
        "its right side uses {again.new_name}, introduced since",
        _SCORES + "With a temperature $c$ we have $$ s_i = q_i k_i / c . $$",
        _SCORES + "So to say, $$ s_i = q_i + k_i . $$",
    ),
    RepetitionRule(
        "in another chapter",
        Repetition.VERSION,
        lambda again: again.in_other_chapter,
        "another chapter defines it",
        "",
        _SCORES + "So to say, $$ s_i = q_i + k_i . $$",
    ),
    RepetitionRule(
        "called otherwise in code",
        Repetition.VERSION,
        lambda again: None not in again.codes and len(set(again.codes)) == 2,
        "the text calls it {again.codes[0]}, not {again.codes[1]}",
        "Let $q, k \\in \\mathbb{R}^n$.\n\n`plain`: $$ s_i = q_i k_i $$\n\n`summed`: $$ s_i = q_i + k_i $$\n",
        "Let $q, k \\in \\mathbb{R}^n$.\n\n`plain`: $$ s_i = q_i k_i $$\n\nAgain: $$ s_i = q_i + k_i $$\n",
    ),
    RepetitionRule(
        "another object in words",
        Repetition.VERSION,
        lambda again: bool(again.qualifiers),
        "the text speaks of another object ({again.qualifiers[0]})",
        _SCORES + "The modified score is $$ s_i = q_i + k_i . $$",
        _SCORES + "The score is also $$ s_i = q_i + k_i . $$",
    ),
    RepetitionRule(
        "under another title",
        Repetition.VERSION,
        lambda again: len(again.titles) == 2,
        "the text calls it {again.titles[0]}, not {again.titles[1]}",
        "Let $q, k \\in \\mathbb{R}^n$.\n\n**Products.** $$ s_i = q_i k_i $$\n\n**Sums.** $$ s_i = q_i + k_i $$\n",
        "Let $q, k \\in \\mathbb{R}^n$.\n\n**Products.** $$ s_i = q_i k_i $$\n\n**Products.** $$ s_i = q_i + k_i $$\n",
    ),
    RepetitionRule(
        "the equation of a curve",
        Repetition.VERSION,
        lambda again: OF_CURVE.search(again.before) is not None,
        "it is the equation of a curve or a surface",
        "Let $x, c \\in \\mathbb{R}$ and $y = x c$. The tangent line is $$ y = x + c . $$",
        "Let $x, c \\in \\mathbb{R}$ and $y = x c$. On this line of thought we find $$ y = x + c . $$",
    ),
    RepetitionRule(
        "words that start anew",
        Repetition.VERSION,
        lambda again: again.has_origin and starts_anew(again.before),
        "the text starts anew",
        _SCORES + "Now consider $$ s_i = q_i + k_i . $$",
        _SCORES + "Some terms drop out, so that $$ s_i = q_i + k_i . $$",
    ),
    RepetitionRule(
        "said to become another",
        Repetition.VERSION,
        lambda again: again.has_origin and becomes_another(again.lead),
        "the text changes something, and says what it becomes",
        _SCORES + "To keep it small we drop the product. The score then becomes $$ s_i = q_i + k_i . $$",
        _SCORES + "The score then becomes $$ s_i = q_i + k_i . $$",
    ),
    RepetitionRule(
        "in another section",
        Repetition.VERSION,
        lambda again: again.in_other_section,
        "another section defines it",
        "# One\n\n" + _SCORES + "# Two\n\nHere $$ s_i = q_i + k_i . $$",
        "# One\n\n" + _SCORES + "## Below\n\nHere $$ s_i = q_i + k_i . $$",
    ),
    RepetitionRule(
        "said of a formula before it",
        Repetition.VERSION,
        lambda again: again.tells_what_stood,
        "its sentence says by it what {again.stem} stands for in the formula before",
        _SCORES + "The output is $o_i = s_i^2$ where $$ s_i = q_i + k_i . $$",
        _SCORES + "The output is $o_i = k_i^2$, and $$ s_i = q_i + k_i . $$",
    ),
    RepetitionRule(
        "beside it in a list",
        Repetition.VERSION,
        lambda again: again.is_beside,
        "an item or an example beside it defines it",
        "Let $q, k \\in \\mathbb{R}^n$.\n\n- A product: $s_i = q_i k_i$\n- A sum: $s_i = q_i + k_i$\n",
        "Let $q, k \\in \\mathbb{R}^n$.\n\n- A product: $s_i = q_i k_i$, and $s_i = q_i + k_i$\n",
    ),
)
"""What is asked of an equation that does not have its own name on its right side; else it is a claim."""


def _first(rules: Iterable[RepetitionRule], again: Again) -> RepetitionRule:
    return next((rule for rule in rules if rule.test(again)), SAME)


REPETITION_RULES: tuple[RepetitionRule, ...] = (
    RepetitionRule(
        "an entry of what is defined",
        Repetition.CLAIM,
        lambda again: again.is_entry,
        "{again.stem} is defined for every index",
        "Let $x \\in \\mathbb{R}^n$ and $$ s_j = \\sum_{i=1}^j x_i . $$ In all, $$ s_n = 2 \\sum_{i=1}^n x_i . $$",
        _SCORES + "Now consider $$ s_i = q_i + k_i . $$",
    ),
    RepetitionRule(
        "an alternative in its sentence",
        Repetition.VERSION,
        lambda again: again.in_sentence and ALTERNATIVE.search(again.before) is not None,
        "its sentence gives it beside another one",
        "The usual activations are $f(x) = \\tanh(x)$ or $f(x) = \\exp(x)$.",
        "The activation is $f(x) = \\tanh(x)$ and so $f(x) = \\exp(x)$.",
    ),
    RepetitionRule(
        "of its own values",
        Repetition.CLAIM,
        lambda again: again.is_of_own_values,
        "{again.stem} is on both sides",
        "# One\n\nLet $f(x) = x^2$.\n\n# Two\n\nNow consider $$ f(a) = f(-a) + a . $$",
        "# One\n\nLet $f(x) = x^2$.\n\n# Two\n\nNow consider $$ f(a) = -a . $$",
    ),
    RepetitionRule(
        "one place by any other",
        Repetition.CLAIM,
        lambda again: again.is_at_one_place,
        "{again.stem} is on both sides, at one place and at any",
        "Let $a \\in \\mathbb{R}^T$ and for $t \\ge 1$ let $$ s_t = a_t s_0 . $$ Then $$ s_0 = a_t s_t . $$",
        "Let $a \\in \\mathbb{R}^T$ and for $t \\ge 1$ let $$ s_t = a_t s_0 . $$ Then $$ s_t = a_t + s_0 . $$",
    ),
    RepetitionRule(
        "with its indices exchanged",
        Repetition.CLAIM,
        lambda again: again.is_turned,
        "{again.stem} is on both sides, with its indices exchanged",
        "For $A \\in \\mathbb{R}^{n \\times n}$ let $$ s_{ij} = A_{ij} . $$ Also $$ s_{ij} = s_{ji} . $$",
        "For $A \\in \\mathbb{R}^{n \\times n}$ let $$ s_{ij} = A_{ij} . $$ Also $$ s_{ij} = A_{ji} . $$",
    ),
    RepetitionRule(
        "said to be satisfied",
        Repetition.CLAIM,
        lambda again: again.is_of_itself and not again.is_step and _SATISFIED.search(again.before) is not None,
        "the words before say that it is satisfied",
        _SCORES + "It satisfies the equation $$ s_i = s_i + b_i . $$",
        _SCORES + "The bias is added: $$ s_i = s_i + b_i . $$",
    ),
    RepetitionRule(
        "in terms of itself",
        Repetition.UPDATE,
        lambda again: again.is_of_itself and not again.is_step,
        "{again.stem} is written in terms of itself",
        _SCORES + "The bias is added: $$ s_i = s_i + b_i . $$",
        _SCORES + "Without the keys: $$ s_i = q_i + b_i . $$",
    ),
    *OTHERWISE,
)
"""The rules, in the order in which they are asked; what none of them fires on is a claim."""


def rule_of_repetition(again: Again) -> RepetitionRule:
    """The rule that tells what a repeated left side is."""
    return _first(REPETITION_RULES, again)


def repeated(
    study: Study, item: Item, e: Elaborator, left: LeftSide, known: Symbol, right: Node, read: Finding | None
) -> Again:
    """What the words and formulas around an unproved repetition of a left side say; `read` is what it says as a claim."""
    origin = study.walk.origins.get(known.head)
    old = next((i for i in study.items if origin and (i.span.index, i.number) == origin[:2]), None)
    count = len(left.written.slots)
    before = item.context.before
    new_name = _new_name(study, e, left, known, right, read, _values_supposed_in(study, item))
    in_other_section = old is not None and item.section[: len(old.section)] != old.section
    return Again(
        stem=left.stem,
        before=before,
        lead=study.document.sentences_before(item.span, 2),
        is_entry=is_entry_of(study, e, left, known, numbers=not in_other_section),
        is_other_name=_is_defined_name(study, right),
        is_of_itself=left.parameters is None
        and any(w.stem == left.stem and len(w.slots) == count for w in uses(study.names, right)),
        is_of_own_values=left.parameters is not None
        and (
            left.stem in set(called_in(study.names, right))
            or any(w.stem == left.stem for w in uses(study.names, right))
        ),
        is_at_one_place=_is_at_one_place(study, left, right),
        is_turned=is_symmetry(study, left, right),
        is_step=left.parameters is None and left.call is None and is_shifted(study.names, left, right),
        is_example=isinstance(right, Matrix) and read is not None and read.code == "special-case",
        stated=stated_again(study, item, entry_stated(read), known.head, right) if left.parameters is None else None,
        new_name=new_name,
        is_new_length=new_name in study.names.sizes,
        has_origin=old is not None,
        in_other_chapter=old is not None and _in_other_chapter(study, item, old),
        codes=(code_name(item), code_name(old) if old is not None else None),
        qualifiers=tuple(_named_otherwise(item, old)) if old is not None else (),
        titles=tuple(_titles(item, old)) if old is not None else (),
        in_other_section=in_other_section,
        in_sentence=old is not None and f"{OPEN}{old.span.index}{CLOSE}" in before,
        is_beside=old is not None
        and are_beside(study.document.block_of(old.span).scope, study.document.block_of(item.span).scope),
        tells_what_stood=old is not None and _tells_what_stood(study, item, old, left.stem),
    )


def _tells_what_stood(study: Study, item: Item, old: Item, stem: str) -> bool:
    """Whether a clause of "where" after a formula with a name says what the name is, in another sentence than the first."""
    before = {int(number) for number in MARK.findall(item.context.before)}
    if _WHERE.search(item.context.before) is None or old.span.index in before:
        return False
    chains = (i.reading.chain for i in study.items if i.span.index in before)
    return any(w.stem == stem for chain in chains for w in uses(study.names, chain))


def _new_name(
    study: Study,
    e: Elaborator,
    left: LeftSide,
    known: Symbol,
    right: Node,
    read: Finding | None,
    supposed: frozenset[str],
) -> str | None:
    """A name on the right side that came up since the left side was defined and makes another thing of it.

    The names of values that its own sentence supposes, `supposed`, make a case of it.

    It does so only where it brings in something that the name did not depend on: `m = \\max_i z_i` in a softmax of z does
    not.  Another length as a factor is a claim, the first one makes a new version; not one that what a function is applied
    to has as a number: `D(p, u) = \\log n - H(p)` where `u_i = 1/n`.
    """
    clock = study.introduced_before if left.stem in study.introduced_before else study.walk.introduced
    since = clock.get(left.stem, 0)
    own = {p.stem for p in left.parameters or ()}
    own |= {u.stem for s in left.slots if s.node is not None for u in uses(study.names, s.node)}
    own_lengths = _numbers_of_arguments(study, left)
    for w in uses(study.names, right):
        if w.stem == left.stem or w.stem in own | own_lengths | supposed:
            continue
        if study.table.is_size(w) and (w.stem not in e.sizes_as_numbers or known.head in study.walk.scaled):
            continue
        if clock.get(w.stem, 0) > since and _brings_in_more(study, w, read):
            return w.stem
    return None


def _values_supposed_in(study: Study, item: Item) -> frozenset[str]:
    r"""The names of values that a sentence supposes of something given: the c of "for constant $g_t = c$ the sum is …"."""
    before = {int(number) for number in MARK.findall(item.context.before)}
    cases = {k[:2] for k, f in study.walk.findings.items() if f.code == "special-case" and k[0] in before}
    sides = (n for i in study.items if (i.span.index, i.number) in cases for _, n in i.reading.chain.links)
    return frozenset(w.stem for n in sides for w in uses(study.names, n))


def _numbers_of_arguments(study: Study, left: LeftSide) -> set[str]:
    """The lengths that stand as numbers in the definitions of what a function is applied to."""
    symbols = (study.table.symbols.get(p.stem) for p in left.parameters or ())
    arguments = [Entry(s.head) for s in symbols if s is not None and s.defined]
    below = (t for a in arguments for t in study.table.theory.reached(a) if isinstance(t, IndexValue))
    return {name for t in below for name in t.index.sizes}


def _in_other_chapter(study: Study, item: Item, old: Item) -> bool:
    chapters = study.document.chapters
    here, there = item.span.text.path, old.span.text.path
    return here != there and here in chapters and there in chapters


def _named_otherwise(item: Item, old: Item) -> list[str]:
    """Words that tell what an equation is about from what the one before is about."""
    titles = [{w for t in i.section for w in words(t)} & VERSIONS for i in (item, old)]
    said, old_said = qualifiers(last_clause(item.context.before)), qualifiers(old.context.before)
    return sorted((said - old_said) | (titles[0] - titles[1]))


def _titles(item: Item, old: Item) -> list[str]:
    """The titles that stand before both equations, or the remarks beside them, where these differ."""
    names = [m.group(1).strip() for c in (item.context, old.context) if (m := TITLE.search(c.before)) is not None]
    if len(set(names)) == 2:
        return names
    remarks = [r for i in (item, old) if (r := remark(i)) is not None]
    return remarks if len(set(remarks)) == 2 else []
