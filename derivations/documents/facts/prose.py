"""Sentences with a formal meaning: a table of phrases, applied to the nearest named object.

A sentence is cut into words; a row's pattern is matched over them.  Sentences that deny, ask, or suppose claim nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import lru_cache

from derivations.documents.formats.python_code import NotPython, parse
from derivations.documents.model.document import MARK, Code, Document, Place, Prose, sentences, without_marks
from derivations.documents.model.finding import Finding
from derivations.language.listed_arrays import lists_given
from derivations.language.statement import Definition, Statement, Theory
from derivations.language.term import ONE, ZERO, Constraint, Entry, Index, Lambda, Sum, Term, equal, guard, less, within
from derivations.latex.writer import Style, write_latex
from derivations.notes import Note
from derivations.provers.decide import Decision, Proved, Refuted, Undecided

HEDGES = frozenset(
    {
        "not",
        "never",
        "no",
        "without",
        "if",
        "would",
        "were",
        "unless",
        "cannot",
        "need",
        "neither",
        "nor",
        "whether",
        "iff",
    }
    | {"don't", "doesn't", "isn't", "aren't", "won't", "can't", "rather", "instead", "suppose", "assume", "assuming"}
)
"""Words that make a sentence deny, suppose or compare: nothing is claimed."""


@dataclass(frozen=True)
class Phrase:
    """A row: words in order (`a|b` alternatives, `x?` optional, `*n` up to n further words), and what they mean."""

    name: str
    pattern: tuple[str, ...]
    meaning: str
    example: str


_SUMS = "sum|sums|summing|summed|add|adds|adding"
_ONE = "one|1|unity|1.0"
PHRASES: tuple[Phrase, ...] = (
    Phrase("rows-sum", ("row|rows", "*4", _SUMS, "up?", "to", "*1", _ONE), "rows", "Each row of A sums to one."),
    Phrase("row-sums", ("row", "sums", "*3", "are|equal|is", "*2", _ONE), "rows", "The row sums are all one."),
    Phrase("sum-of-row", (_SUMS, "*2", "each|every|a", "row", "is|equals", _ONE), "rows", "The sum of each row is 1."),
    Phrase("sum-in-row", (_SUMS, "up?", "to", _ONE, "*3", "row|rows"), "rows", "Weights sum to one in each row."),
    Phrase("columns-sum", ("column|columns", "*4", _SUMS, "up?", "to", "*1", _ONE), "columns", "The columns sum to 1."),
    Phrase("sum-in-column", (_SUMS, "up?", "to", _ONE, "*3", "column|columns"), "columns", "They sum to 1 per column."),
    Phrase("sum-to-one", (_SUMS, "*2", "to", _ONE), "some axis", "The weights add up to one."),
    Phrase("symmetric", ("is|are", "*1", "symmetric"), "symmetric", "The matrix is symmetric."),
    Phrase("lower-triangular", ("is|are", "*1", "lower", "triangular"), "lower", "The matrix is lower triangular."),
)

BESIDE: tuple[Phrase, ...] = (
    Phrase("non-negative", ("non", "negative"), "nonnegative", "The weights are non-negative and sum to one."),
    Phrase("nonnegative", ("nonnegative",), "nonnegative", "The weights are nonnegative and sum to one."),
    Phrase("positive", ("positive",), "positive", "The weights are positive and sum to one."),
    Phrase("negative", ("negative",), "negative", "The weights are negative and sum to one."),
)
"""What a sentence may say beside a phrase of the table above; alone such words say too little."""

FORMAL = frozenset(
    {
        "zero",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "half",
        "infinite",
        "finite",
        "bounded",
    }
    | {
        "equal",
        "equals",
        "unequal",
        "identical",
        "larger",
        "smaller",
        "greater",
        "less",
        "exceed",
        "exceeds",
        "constant",
    }
    | {"symmetric", "antisymmetric", "orthogonal", "orthonormal", "invertible", "singular", "diagonal", "triangular"}
    | {"idempotent", "uniform", "independent", "increasing", "decreasing", "monotone", "convex", "concave"}
)
"""Words of mathematics: where one is left over, a part of the sentence was not read."""

REASON = frozenset({"because", "since", "as", "when", "where", "although", "though", "while", "after", "once"})
"""Words that begin a clause which is not what the sentence claims."""

Decide = Callable[[Statement, Theory], Decision]


def words_of(text: str) -> list[str]:
    """Lower-case words; punctuation at their ends dropped, hyphens and placeholders kept."""
    found = []
    for raw in text.replace("-", " ").replace("`", " ").split():
        word = raw.strip(".,;:!?()[]\"'*_").lower()
        if word:
            found.append(word)
    return found


def match(words: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether the pattern occurs somewhere in the words.

    >>> match(words_of("Each row of the matrix sums to 1."), PHRASES[0].pattern)
    True
    """
    return found_at(words, pattern) is not None


def found_at(words: Sequence[str], pattern: Sequence[str]) -> tuple[int, int] | None:
    """Where the pattern first occurs in the words: its first word, and the one after its last."""
    for start in range(len(words)):
        end = _at(words, start, pattern)
        if end is not None:
            return start, end
    return None


def _at(words: Sequence[str], k: int, pattern: Sequence[str]) -> int | None:
    if not pattern:
        return k
    head, rest = pattern[0], pattern[1:]
    if head.startswith("*"):
        tries = (_at(words, k + skip, rest) for skip in range(int(head[1:]) + 1) if k + skip <= len(words))
        return next((end for end in tries if end is not None), None)
    optional = head.endswith("?")
    options = head.rstrip("?").split("|")
    if k < len(words) and words[k] in options:
        end = _at(words, k + 1, rest)
        if end is not None:
            return end
    return _at(words, k, rest) if optional else None


def phrase_of(sentence: str) -> Phrase | None:
    """The first row that the sentence matches, unless it denies, asks or supposes."""
    words = words_of(sentence)
    if sentence.rstrip().endswith("?") or not HEDGES.isdisjoint(words):
        return None
    return next((p for p in PHRASES if match(words, p.pattern)), None)


def further_phrases(sentence: str, phrase: Phrase) -> tuple[list[Phrase], str]:
    """What a sentence says beside the phrase that it matches, and the words of it that were not read.

    >>> further_phrases("The weights are negative and sum to one.", PHRASES[6])[0][0].name
    'negative'
    >>> further_phrases("Because the weights sum to one, each row sums to five.", PHRASES[6])[1]
    'each row sums to five'
    """
    main = main_clause(sentence)
    if not match(words_of(main), phrase.pattern):
        return [], " ".join(words_of(main))
    words = words_of(main)
    beside: list[Phrase] = []
    for p in (phrase, *PHRASES, *BESIDE):
        at = found_at(words, p.pattern)
        if at is not None:
            beside += [p] if p is not phrase else []
            words = [*words[: at[0]], "|", *words[at[1] :]]
    left = [w for w in words if w in FORMAL or w in _SUMS.split("|")]
    return beside, " ".join(left) or " ".join(_coordinated(words))


def main_clause(sentence: str) -> str:
    """What a sentence claims, without the clause before it that gives a reason or a time.

    >>> main_clause("Since W is symmetric, P is symmetric too.")
    ' P is symmetric too.'
    """
    head, comma, main = sentence.partition(",")
    begins = words_of(head)[:1]
    return main if comma and begins and begins[0] in REASON and words_of(main) else sentence


def _coordinated(words: Sequence[str]) -> list[str]:
    """What a sentence says of the same thing after a phrase that was read: "sum to one and decrease with i"."""
    for k in range(len(words) - 2):
        if words[k] == "|" and words[k + 1] in ("and", "but") and words[k + 2] not in _OTHER_CLAUSE:
            return list(words[k + 2 :])
    return []


_OTHER_CLAUSE = frozenset(
    "| therefore so hence thus then consequently we it they this that these which the a an each every all since because".split()  # noqa: SIM905
)
"""What begins a clause of its own after "and": it says nothing more of the same thing."""


@dataclass(frozen=True)
class Supposed:
    """What the text says of the names that a claim rests on: hypotheses, and a name with a word whose meaning is not read."""

    hypotheses: tuple[Statement, ...] = ()
    unread: tuple[str, str] | None = None
    examples: tuple[tuple[Statement, ...], ...] = ()
    """What may be supposed so that all words that are not read are true; nothing where that is not known."""


NOTHING_SUPPOSED = Supposed()
Given = Callable[[Finding, Statement], Supposed]
"""What is supposed where an array is defined of the names that a statement about it rests on."""


def study_prose(
    document: Document,
    findings: Sequence[Finding],
    decide: Decide,
    given: Given = lambda _f, _s: NOTHING_SUPPOSED,
) -> list[Finding]:
    """Findings for the sentences of prose and code comments that the table knows."""
    found: list[Finding] = []
    for sentence, place, code in _sentences(document):
        claimed = phrase_of(main_clause(sentence)) if phrase_of(sentence) is not None else None
        phrase = claimed or phrase_of(sentence)
        if phrase is None:
            continue
        said = sentence if claimed is None else main_clause(sentence)
        target, explicit = _target(document, findings, said, place, code, phrase)
        if not explicit and _has_claim(findings, sentence):
            found.append(_said_by_formula(_restore(sentence, document), place))
            continue
        explicit = explicit and not _explains_unread(document, findings, sentence)
        finding = _judge(phrase, sentence, place, target, explicit, decide, given)
        if finding.status == "proved":
            finding = _with_the_rest(finding, phrase, sentence, place, target, decide, given)
        found.append(replace(finding, source=_restore(sentence, document)))
    return found


def _said_by_formula(sentence: str, place: Place) -> Finding:
    r"""`The weights sum to one, that is, $\sum_i w_i = 1$`: its formula says of what, and is a claim of its own."""
    reason = "a formula of the sentence is a claim, and says of what it is"
    return Finding("prose", "skipped", place, place.line, sentence, code="no-object", reason=reason)


def _has_claim(findings: Sequence[Finding], sentence: str) -> bool:
    """Whether a formula of a sentence is a claim: it says itself what the sentence says."""
    numbers = {int(m.group(1)) for m in MARK.finditer(sentence)}
    return any(f.span in numbers and f.kind in ("claim", "step") for f in findings)


def _explains_unread(document: Document, findings: Sequence[Finding], sentence: str) -> bool:
    """Whether a sentence has a formula that is not understood, or says where one that is not understood gets its names from."""
    numbers = [int(m.group(1)) for m in MARK.finditer(sentence)]
    if numbers and words_of(sentence)[:1] == ["where"]:
        before = [s.index for s in document.spans[: numbers[0]] if s.display]
        numbers += before[-1:]
    return any(f.status == "unread" and f.span in numbers for f in findings)


def _with_the_rest(
    finding: Finding, phrase: Phrase, sentence: str, place: Place, target: Finding | None, decide: Decide, given: Given
) -> Finding:
    """A sentence of which one phrase is proved: the whole, when all else that it says was read and is proved too."""
    beside, left = further_phrases(sentence, phrase)
    if left:
        return replace(finding, status="undecided", code="half-read", decision=None, reason=f"not read: {left}")
    for p in beside:
        other = _judge(p, sentence, place, target, False, decide, given)
        if other.status != "proved":
            reason = f"it also says {' '.join(p.pattern).replace('|', ' or ')}, which is not proved"
            return replace(finding, status="undecided", code="half-read", decision=None, reason=reason)
    return finding


def _restore(sentence: str, document: Document) -> str:
    """The sentence with its mathematics where the placeholders are."""
    return MARK.sub(lambda m: f"${' '.join(document.spans[int(m.group(1))].source.split())}$", sentence)


def _sentences(document: Document) -> Iterator[tuple[str, Place, Code | None]]:
    for block in document.blocks:
        if isinstance(block, Prose):
            text, offset = block.words, 0
            for sentence in _cut(block, text):
                lead = len(sentence) - len(sentence.lstrip())
                yield _spell(sentence.strip(), document), _place(block, text, offset + lead), None
                offset += len(sentence)
        elif isinstance(block, Code):
            for comment in block.comments:
                yield without_marks(comment.text.strip()), comment.place, block


def _cut(block: Prose, text: str) -> list[str]:
    """Sentences; a display with a capital letter after it ends one, with or without a full stop."""
    found: list[str] = []
    displays = [f"⟦{s.index}⟧" for s in block.spans if s.display]
    for sentence in sentences(text):
        for mark in displays:
            end = sentence.find(mark) + len(mark)
            if mark in sentence and sentence[end:].lstrip()[:1].isupper():
                found.append(sentence[:end])
                sentence = sentence[end:]
        *clauses, last = sentence.split(";")
        found += [*(c + ";" for c in clauses), last]
    return found


def _spell(sentence: str, document: Document) -> str:
    """Placeholders of bare numbers as the numbers."""

    def spelled(match: re.Match[str]) -> str:
        source = document.spans[int(match.group(1))].source.strip()
        return source if source.replace(".", "").isdigit() else match.group(0)

    return MARK.sub(spelled, sentence)


def _place(block: Prose, words: str, offset: int) -> Place:
    """The place in the document of an offset into `words` (placeholders have another length than the spans)."""
    position, seen = 0, 0
    for span in block.spans:
        mark = f"⟦{span.index}⟧"
        at = words.find(mark, seen)
        if at == -1 or at >= offset:
            break
        position += (at - seen) + (span.end - span.start)
        seen = at + len(mark)
    return block.text.locate(min(max(position + offset - seen, 0), len(block.text.text)))


_LISTED = re.compile(r"⟦\d+⟧,?\s+and\s+⟦\d+⟧\s+(?:[a-z]+\s+){0,2}(?:sum|add)\b", re.IGNORECASE)
"""`$a_1$ and $a_2$ must sum to 1`: it is said of all of them together."""


# --- the object of a sentence ---------------------------------------------------------------------------------------


def _target(
    document: Document, findings: Sequence[Finding], sentence: str, place: Place, code: Code | None, phrase: Phrase
) -> tuple[Finding | None, bool]:
    """The defined array that a phrase of a sentence is about, and whether it is named there and the claim of the sentence.

    That is the last one before the phrase ends; where that is something else, the phrase is about this.
    """
    here = document.order(place)
    known = [f for f in findings if f.definition is not None and f.status == "defined"]
    before = [f for f in known if document.order(f.place) <= here]
    arrays = [f for f in before if f.definition is not None and f.definition.variables]
    if code is not None:
        names = _code_names(code, place)
        for name in names:
            for f in reversed(arrays):
                if _spells(name, f):
                    return f, True
        return (arrays[-1], False) if arrays else (None, False)
    if _LISTED.search(sentence):
        return None, False  # the sentence speaks of several things together
    indices = {v for f in arrays if f.definition is not None for v in f.definition.variables}
    for number in reversed(_numbers_before(phrase, sentence)):
        own = next((f for f in reversed(arrays) if f.span == number), None)
        source = document.spans[number].source
        if own is None and (document.spans[number].display or _passes(source, indices)):
            continue
        name = _name(source)
        own = own or next((f for f in reversed(arrays) if f.name is not None and name in _names_of(f)), None)
        return own, own is not None and not _is_reason(phrase, sentence) and not _SITUATION.match(sentence)
    for f in reversed(arrays):
        if f.span >= 0 and f"⟦{f.span}⟧" in sentence:
            return f, True
    return (arrays[-1], False) if arrays else (None, False)


def _numbers_before(phrase: Phrase, sentence: str) -> list[int]:
    """The formulas of a sentence that stand before the end of a phrase in it."""
    words = words_of(sentence)
    at = found_at(words, phrase.pattern)
    return [int(m.group(1)) for w in words[: at[1] if at is not None else None] for m in MARK.finditer(w)]


def _passes(latex: str, indices: AbstractSet[str]) -> bool:
    """Whether a formula is no thing that a sentence speaks of: an index, a number, a relation."""
    return latex.strip() in indices or _letters(latex).isdigit() or _RELATION.search(latex) is not None


_RELATION = re.compile(r"=|<|>|\\(?:le|ge|leq|geq|lt|gt|in|ne|neq|to|ldots|dots)\b")


_SITUATION = re.compile(
    r"\W*(?:with|without|under|at|after|when|once|(?:for|in)(?!\s+(?:each|every|all|any|both)\b))\b[^,;:⟦]*⟦",
    re.IGNORECASE,
)
"""`With a mask $A$ is lower triangular`: what the sentence speaks of may be another version of the array."""


def _is_reason(phrase: Phrase, sentence: str) -> bool:
    """Whether the clause of a phrase gives a reason for what the sentence says: "because the rows sum to one"."""
    for clause in re.split(r"[,;:]", sentence):
        if match(words := words_of(clause), phrase.pattern):
            at = found_at(words, phrase.pattern)
            return at is not None and not {"because", "since", "as"}.isdisjoint(words[: at[0]])
    return False


def _names_of(f: Finding) -> set[str]:
    """How the array of a definition is written, without its indices."""
    written = f.source.partition("=")[0].replace(":", "")
    shown = f.display.get(f.name or "", f.name or "")
    return {_name(written)} | ({_name(shown)} if "^" not in written and "'" not in written else set())


def _name(latex: str) -> str:
    """A name as it is written, without fonts, indices and spaces: the prime and the superscript belong to it."""
    return re.sub(r"_(?:\{[^{}]*\}|\\[a-zA-Z]+|.)|[\s{}()]", "", _without_fonts(latex))


def _without_fonts(latex: str) -> str:
    for command in ("mathbf", "boldsymbol", "bm", "text", "mathrm", "operatorname"):
        latex = latex.replace("\\" + command, "")
    return latex


def _letters(latex: str) -> str:
    return "".join(c for c in _without_fonts(latex).split("_")[0].split("^")[0] if c.isalnum() or c == "\\")


@lru_cache(maxsize=4)
def _parsed(source: str) -> ast.Module | None:
    try:
        return parse(source)
    except NotPython:
        return None


def _code_names(code: Code, place: Place) -> list[str]:
    """Names in the statement that follows a comment (or stands on its line), nearest first."""
    tree = _parsed(code.text.text)
    if tree is None:
        return []
    first = code.text.locate(0).line
    line = place.line - first + 1
    following = [s for s in ast.walk(tree) if isinstance(s, ast.stmt) and s.lineno >= line]
    preceding = [s for s in ast.walk(tree) if isinstance(s, ast.stmt) and s.lineno < line]
    chosen = sorted(following, key=lambda s: s.lineno)[:1] + sorted(preceding, key=lambda s: -s.lineno)[:2]
    return [n.id for s in chosen for n in ast.walk(s) if isinstance(n, ast.Name)]


def _spells(name: str, f: Finding) -> bool:
    """Whether a code name spells the finding's symbol: the same, or the same after a prefix word (`causal_A`)."""
    if f.code_name is not None and f.code_name == name:
        return True
    symbol = _letters(f.display.get(f.name or "", f.name or "").split("#")[0]).replace("\\", "")
    parts = name.split("_")
    return bool(symbol) and (name == symbol or (parts[-1] == symbol and len(parts) > 1))


_SIGNS = ("positive", "nonnegative", "negative")

# --- meaning --------------------------------------------------------------------------------------------------------


def _entry(d: Definition, at: Sequence[Index]) -> Entry:
    """The defined array at given indices, its parameters left as they are."""
    args = []
    for t in d.tensors:
        params = tuple(f"a{k}" for k in range(len(t.shape)))
        args.append(Lambda(params, Entry(t.name, [Index.var(p) for p in params])))
    return Entry(d.name, at, args, [Index.size(s) for s in d.sizes])


def statements_of(meaning: str, d: Definition) -> list[tuple[Note | None, Statement]]:
    """The statements that a phrase may mean for a defined array, each with how it is read where there are several."""
    variables = d.variables
    if d.shape is None or len(d.shape) != len(d.indices):
        return []
    axis_of = {v: d.shape[k] for k, i in enumerate(d.indices) for v in i.free if i is Index.var(v)}
    if set(axis_of) != set(variables):
        return []

    def ranges(names: Sequence[str]) -> tuple[object, ...]:
        return guard(*(c for v in names for c in within(v, 0, axis_of[v])))

    def total(over: str) -> Statement:
        rest = tuple(v for v in variables if v != over)
        left: Term = Sum(over, within(over, 0, axis_of[over]), _entry(d, d.indices))
        return Statement(left, "=", ONE, rest, ranges(rest))  # type: ignore[arg-type]

    if meaning in _SIGNS:
        entry = _entry(d, d.indices)
        left, relation, right = {
            "positive": (ZERO, "<", entry),
            "nonnegative": (ZERO, "<=", entry),
            "negative": (entry, "<", ZERO),
        }[meaning]
        return [(None, Statement(left, relation, right, variables, ranges(variables)))]  # type: ignore[arg-type]
    if len(variables) == 1 and meaning in ("rows", "columns", "some axis"):
        return [(None, total(variables[0]))] if meaning != "columns" else []
    if len(variables) < 2:
        return []
    row, column = variables[-2], variables[-1]
    if meaning == "rows":
        return [(None, total(column))]
    if meaning == "columns":
        return [(None, total(row))]
    if meaning == "some axis":
        return [(Note("sum-runs-over", (v,)), total(v)) for v in (column, row)]
    if axis_of[row] is not axis_of[column]:
        return []
    whole = ranges(variables)
    entry = _entry(d, d.indices)
    swap = {row: Index.var(column), column: Index.var(row)}
    if meaning == "symmetric":
        other = _entry(d, [i.substitute(swap) for i in d.indices])
        return [(None, Statement(entry, "=", other, variables, whole))]  # type: ignore[arg-type]
    if meaning == "lower":
        above = guard(*whole, less(Index.var(row), Index.var(column)))  # type: ignore[arg-type]
        return [(None, Statement(entry, "=", ZERO, variables, above))]
    return []


def _judge(
    phrase: Phrase,
    sentence: str,
    place: Place,
    target: Finding | None,
    explicit: bool,
    decide: Decide,
    given: Given,
) -> Finding:
    blank = Finding("prose", "skipped", place, place.line, sentence)
    if target is None or target.definition is None:
        return replace(
            blank, code="no-object", reason="no equation before this sentence defines an array it could mean"
        )
    d = target.definition
    theory = target.theory
    if d.tensors:
        theory = Theory({**theory.tensors, **{t.name: t for t in d.tensors}}, theory.definitions)
    readings = statements_of(phrase.meaning, d)
    style = Style(target.display, target.bases, target.styles)
    symbol = write_latex(_entry(d, d.indices), style)
    blank = replace(
        blank,
        name=d.name,
        theory=theory,
        display=target.display,
        bases=target.bases,
        styles=target.styles,
        depends_on=(target.position,),
    )
    if not readings:
        return replace(blank, code="no-object", reason=f"the phrase has no meaning for ${symbol}$")
    supposed = given(target, readings[0][1])
    readings = [(how, replace(s, hypotheses=(*s.hypotheses, *supposed.hypotheses))) for how, s in readings]
    decided = [(how, s, decide(s, theory)) for how, s in readings]
    notes = [] if explicit else [Note("nearest-array", (symbol,))]
    proved = [row for row in decided if isinstance(row[2], Proved)]
    if proved and (len(decided) == 1 or len(proved) < len(decided)):
        how, s, decision = proved[0]
        if len(decided) > 1 and how is not None:
            notes.append(how)
        return replace(blank, status="proved", statement=s, decision=decision, assumptions=tuple(notes))
    if proved:
        return replace(blank, status="proved", statement=proved[0][1], decision=proved[0][2], assumptions=tuple(notes))
    _, s, decision = decided[0]
    if all(isinstance(row[2], Refuted) for row in decided):
        again = [decide(replace(r[1], guard=guard(*r[1].guard, *_equal_sizes(d))), theory) for r in decided]
        if not all(isinstance(row, Refuted) for row in again):
            reason = "false in general, but not where lengths that the document does not tell apart are equal"
            return replace(blank, status="undecided", statement=s, code="ambiguous", reason=reason)
        decision = again[0]
    if isinstance(decision, Refuted) and supposed.unread is not None:
        reason = "false in general, but the text calls {} {}, which is not read".format(*supposed.unread)
        return replace(blank, status="undecided", statement=s, code="property-not-read", reason=reason)
    all_refuted = isinstance(decision, Refuted) and all(isinstance(row[2], Refuted) for row in decided)
    if all_refuted and explicit and not lists_given(d, theory):
        return replace(
            blank,
            status="refuted",
            statement=s,
            decision=decision,
            code="false-claim",
            suggestion=_instead(phrase, d, theory, symbol, decide),
        )
    if explicit and lists_given(d, theory):
        return replace(
            blank, statement=s, code="hypothesis", reason="taken as given: it says of what kind the entries are"
        )
    reason = decision.reason if isinstance(decision, Undecided) else "it is not clear which array the sentence means"
    code = "ambiguous" if not isinstance(decision, Undecided) else decision.code
    return replace(blank, status="undecided", statement=s, code=code, reason=reason, assumptions=tuple(notes))


def _equal_sizes(d: Definition) -> tuple[Constraint, ...]:
    """Constraints that make all axes of an array equally long."""
    shape = d.shape or ()
    return tuple(equal(shape[0], other) for other in shape[1:] if other is not shape[0])


def _instead(phrase: Phrase, d: Definition, theory: Theory, symbol: str, decide: Decide) -> str | None:
    """The other axis, when that is proved."""
    other = {"rows": "columns", "columns": "rows"}.get(phrase.meaning)
    for _, s in statements_of(other, d) if other else []:
        if isinstance(decide(s, theory), Proved):
            return f"did you mean: the {other} of ${symbol}$ sum to one? (proved)"
    return None
