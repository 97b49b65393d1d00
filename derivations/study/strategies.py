"""Ways to decide a claim that is not proved as it stands: under what the text says or leaves to be supposed.

Each strategy is a function of a case and the verdict so far; it gives the verdict under what it supposes, None where it
has nothing to suppose or learns nothing by it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from derivations.documents.facts.lists_of_items import holds_there
from derivations.documents.model.document import CLOSE, MARK, OPEN, are_beside
from derivations.kernel.linear import entails
from derivations.kernel.random_names import random_names
from derivations.kernel.scope import Scope
from derivations.language.statement import Definition, Statement, Theory
from derivations.language.substitution import canonical, substitute, subterms, term_sizes
from derivations.language.term import (
    ONE,
    Apply,
    Constraint,
    Entry,
    Index,
    IndexValue,
    Lambda,
    Pow,
    Term,
    equal,
    exp,
    guard,
    sum_over,
    within,
)
from derivations.latex.lexicon.differentiated_symbols import renamed
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.notes import Note
from derivations.provers.decide import Proved
from derivations.provers.refute import all_sizes
from derivations.study.equation_walk import SUPPOSED_BESIDE, Key
from derivations.study.related_lengths import lengths_given, put_in_statement, put_in_theory, without_contradicted
from derivations.study.verdict import Case, Verdict, all_heads, decide_again, heads_below, undecided

Strategy = Callable[[Case, Verdict], Verdict | None]


def in_lengths(case: Case, verdict: Verdict) -> Verdict | None:
    """In the lengths that the text allows; what the section supposes only where that proves the claim."""
    found = verdict
    for wide in (False, True):
        within_lengths = tuple(_with_lengths(case, s, wide) for s in found.statements)
        if within_lengths == found.statements or (wide and not found.is_refuted):
            continue
        sizes = {n for s in found.statements for n in all_sizes(s, case.theory)}
        said = (c for c in (*_said_of_lengths(case, wide), *_parts_of_lengths(case, sizes)) if c.index.sizes & sizes)
        notes = (Note("length", (str(c),), place=case.item.span.place) for c in said)
        tried = decide_again(case, found, within_lengths, *notes)
        if not (tried.is_proved or tried.is_refuted):
            related = [*_said_of_lengths(case, wide), *_parts_of_lengths(case, sizes)]
            tried = _with_lengths_put_in(case, tried, found, related) or tried
        if not wide or tried.is_proved:
            found = tried
    return found


def _with_lengths_put_in(
    case: Case, verdict: Verdict, in_general: Verdict, said: Iterable[Constraint]
) -> Verdict | None:
    """With `G r` for H everywhere, in the definitions as well, after `r = H / G`; None where that decides nothing."""
    sizes = {n for s in in_general.statements for n in all_sizes(s, case.theory)}
    put = {n: i for n, i in lengths_given(said).items() if n in sizes}
    theory = put_in_theory(case.theory, put) if put else None
    if theory is None:
        return None
    statements = tuple(put_in_statement(s, put) for s in in_general.statements)
    tried = decide_again(replace(case, theory=theory), verdict, statements)
    return replace(tried, theory=theory) if tried.is_proved or tried.is_refuted else None


def in_ranges(case: Case, verdict: Verdict) -> Verdict | None:
    """Where no sum that begins at a letter ends before it: i <= t, of a sum from i + 1 to t."""
    supposed = case.ranges
    inside = tuple(
        replace(s, guard=guard(*s.guard, *(c for c in supposed if not entails(s.guard, c)))) for s in verdict.statements
    )
    if inside == verdict.statements:
        return None
    place = case.item.span.place
    notes = (Note("range", (str(c),), place=place) for c in dict.fromkeys(supposed))
    tried = decide_again(case, verdict, inside, *notes)
    return tried if tried.is_proved or verdict.is_refuted else None


_UNDER = "false in general; under what the text says of its names it is neither proved nor refuted"


def under_hypotheses(case: Case, verdict: Verdict) -> Verdict | None:
    """Under everything that the text supposes of the names in it."""
    supposed = relevant_hypotheses(case)
    hypotheses = [(k, h) for k, h in supposed if not _ties_random_names(h, case.theory)]
    if not supposed:
        return None
    found = decide_again(case, verdict, supposing(verdict.statements, (h for _, h in hypotheses)))
    if verdict.is_refuted and not (found.is_proved or found.is_refuted):  # a softmax sums to one by itself
        left = [h for _, h in hypotheses if not _holds_anyway(h, case)]
        if len(left) < len(hypotheses):
            again = decide_again(case, verdict, supposing(verdict.statements, left))
            found = again if again.is_refuted else found
    if verdict.is_refuted and (found.code == "search-ended" or (found.is_refuted and len(hypotheses) < len(supposed))):
        found = undecided(found, "search-ended", _UNDER)
    return replace(found, uses=verdict.uses | {k for k, _ in hypotheses})


def _holds_anyway(h: Statement, case: Case) -> bool:
    """Whether what is supposed is a theorem about a name that is defined."""
    sides = [t for side in (h.left, h.right) for t in subterms(side) if isinstance(t, Entry)]
    if not any(t.name in case.theory.definitions for t in sides):
        return False
    return isinstance(case.known.decide(h, case.theory), Proved)


def _ties_random_names(h: Statement, theory: Theory) -> bool:
    """Whether a hypothesis is about random values themselves, as no mean of them: nothing that follows may rest on it."""
    nowhere = Scope(theory, (), ())
    return any(random_names(side, nowhere, h.indices) for side in (h.left, h.right))


def of_earlier_version(case: Case, verdict: Verdict) -> Verdict | None:
    """With names as they were given before an equation defined them: what holds whatever they are, holds."""
    if not verdict.is_refuted or len(verdict.statements) != 1:
        return None
    walk = case.known.walk
    loose = versions_before(case, verdict)
    if not loose or not case.theory.definitions.keys().isdisjoint(loose.values()):
        return None
    notes = (Note("given-before", (walk.stems[h],), place=case.item.span.place) for h in loose)
    tried = decide_again(case, verdict, (with_versions(s, loose) for s in verdict.statements), *notes)
    return tried if tried.is_proved else None


def of_later_version(case: Case, verdict: Verdict) -> Verdict | None:
    r"""With names that were given before as a later equation says them to be: `x^\top C x` after `C = Q \Lambda Q^\top`."""
    walk = case.known.walk
    later = versions_since(case, verdict)
    if not later:
        return None
    theory = _said_since(case.theory, later)
    there = replace(case, theory=theory)
    hypotheses = relevant_hypotheses(there)
    statements = tuple(supposing(verdict.statements, (h for _, h in hypotheses)))
    lines = {
        head: walk.findings[key].place.line for head in later.values() if (key := walk.origins.get(head)) is not None
    }
    notes = tuple(
        Note("version-of-line", (walk.stems[new], str(lines[new])), place=case.item.span.place)
        for new in later.values()
        if new in lines
    )
    tried = decide_again(there, verdict, statements, *notes)
    if not tried.is_proved and not (verdict.is_refuted and tried.code == "search-ended"):
        return None
    return replace(tried, theory=theory, uses=verdict.uses | {k for k, _ in hypotheses})


def _said_since(theory: Theory, later: Mapping[str, str]) -> Theory:
    """The theory where given names are what other names stand for."""
    definitions = dict(theory.definitions)
    for old, new in later.items():
        shape = theory.shape(new) or ()
        places = tuple(Index.var(f"i{k}") for k in range(len(shape)))
        definitions[old] = (Definition(old, places, Entry(new, places), shape=shape),)
    return Theory({n: t for n, t in theory.tensors.items() if n not in later}, definitions)


def with_number_as_length(case: Case, verdict: Verdict) -> Verdict | None:
    """With a number of it, the d of `Var(q^T k) = d`, put to a length that nothing else tells."""
    s, theory, names = verdict.statement, case.theory, case.known.names
    if not verdict.is_refuted or s is None or s.hypotheses or len(verdict.statements) != 1:
        return None
    unsaid = sorted(all_sizes(s, theory) - names.sizes)
    for symbol in sorted(case.known.given, key=lambda x: x.stem) if unsaid else ():
        head = symbol.head
        if symbol.dims or symbol.parameters is not None or not _may_be_length(symbol.stem):
            continue
        if head in theory.definitions or head not in s.left.heads | s.right.heads or symbol.stem in _laws(case):
            continue
        for size in unsaid:
            put = {head: Lambda((), IndexValue(Index.size(size)))}
            there = replace(s, left=substitute(s.left, tensors=put), right=substitute(s.right, tensors=put))
            tried = decide_again(case, verdict, [there], Note("number-is-length", (symbol.stem,)))
            if tried.is_proved:
                return tried
    return None


def with_stated_row_sums(case: Case, verdict: Verdict) -> Verdict | None:
    """Under "the rows of A sum to one", when that is what the text says."""
    heads = heads_below(case, verdict) if verdict.is_refuted else set()
    for symbol in case.known.given:
        if symbol.stem in case.known.row_sums and symbol.head in heads and len(symbol.dims) == 2:
            tried = supposing(verdict.statements, [_sums_to_one(case, symbol)])
            return decide_again(case, verdict, tried, Note("rows-sum-to-one", (symbol.stem,)))
    return None


_ANY_SUM = re.compile(
    r"\b(?:need|do|does|may|must)\s+not\s+(?:necessarily\s+|always\s+)?sum\s+to\s+(?:one|1)\b", re.IGNORECASE
)


def _is_said_not_to_sum(case: Case, stem: str) -> bool:
    """Whether a text about a name says that it need not sum to one."""
    for text in filter(_ANY_SUM.search, case.known.document.texts()):
        chains = (i.reading.chain for n in MARK.findall(text) for i in case.known.formulas.get(int(n), ()))
        written = (case.known.names.written(c.first) for c in chains if c.first is not None)
        if any(w is not None and w.stem == stem for w in written):
            return True
    return False


def with_targets_that_sum_to_one(case: Case, verdict: Verdict) -> Verdict | None:
    """For targets of a cross entropy that sum to one, where that proves the claim."""
    if not verdict.is_refuted:
        return None
    for symbol in _targets(case, verdict):
        kind = "targets-sum-to-one" if len(symbol.dims) == 2 else "target-sums-to-one"
        note = Note(kind, (symbol.stem,), place=case.place)
        tried = decide_again(case, verdict, supposing(verdict.statements, [_sums_to_one(case, symbol)]), note)
        if tried.is_proved:
            return tried
    return None


def supposing_targets(case: Case, verdict: Verdict) -> Iterator[Statement]:
    """The refuted statement for targets of a cross entropy that sum to one, one at a time."""
    if (s := verdict.statement) is not None:
        for symbol in _targets(case, verdict):
            yield from supposing([s], [_sums_to_one(case, symbol)])


def _targets(case: Case, verdict: Verdict) -> Iterator[Symbol]:
    heads = heads_below(case, verdict)
    for symbol in case.known.given:
        if symbol.stem in case.known.targets and symbol.head in heads and len(symbol.dims) in (1, 2):
            if not _is_said_not_to_sum(case, symbol.stem):
                yield symbol


def from_first_side(case: Case, verdict: Verdict) -> Verdict | None:
    """A later step of a chain of equations, between the first side and its own right side.

    The sides before are shown to be equal, so that this is what the chain says; a search from one long side to the next
    may be the harder one.
    """
    if verdict.is_refuted or case.relation != "=" or len(verdict.statements) != 1:
        return None
    (own,) = verdict.statements
    left = own.left
    findings = case.known.walk.findings
    for key in sorted((k for k in findings if k[0] == case.key[0] and k < case.key), reverse=True):
        before = findings[key]
        s = before.statement
        if (
            s is None
            or s.right is not left
            or s.relation != "="
            or before.status != "proved"
            or s.indices != own.indices
        ):
            break
        left = s.left
    if left is own.left:
        return None
    tried = decide_again(case, verdict, (replace(own, left=left),), Note("first-side", place=case.item.span.place))
    return tried if tried.is_proved else None


_X = Entry("x", ())
_LOGISTIC = Pow(1 + exp(-1 * _X), -1)
CUSTOMARY: Mapping[str, tuple[str, Term]] = {
    "sigma": ("the logistic function", _LOGISTIC),
    "sigmoid": ("the logistic function", _LOGISTIC),
    "softplus": ("log(1 + exp(x))", Apply("log", 1 + exp(_X))),
    "silu": ("x times the logistic function", _X * _LOGISTIC),
    "swish": ("x times the logistic function", _X * _LOGISTIC),
}
"""What functions usually are that a text applies to numbers and never defines."""


def with_customary_functions(case: Case, verdict: Verdict) -> Verdict | None:
    r"""With functions that nothing defines as they usually are: `\sigma(z) = 1 - \sigma(-z)`.

    Only of a name that stands nowhere but before its arguments: of "any activation $\sigma$" the text says more than that.
    What is then proved would hardly hold of another function, so that a text in which something is proved in this way means
    this function: only there is something refuted so.
    """
    names = case.known.names
    reached = [t for s in verdict.statements for side in (s.left, s.right) for t in case.theory.reached(side)]
    named = sorted({t.function for t in reached if isinstance(t, Apply)} & CUSTOMARY.keys())
    if not named or any(names.evidence[n].alone or n in names.maps for n in named):
        return None
    rows = {
        head: tuple(replace(d, body=_as_customary(d.body)) for d in definitions)
        for head, definitions in case.theory.definitions.items()
    }
    theory = Theory(dict(case.theory.tensors), rows)
    statements = (
        replace(
            s,
            left=_as_customary(s.left),
            right=_as_customary(s.right),
            hypotheses=tuple(
                replace(h, left=_as_customary(h.left), right=_as_customary(h.right)) for h in s.hypotheses
            ),
        )
        for s in verdict.statements
    )
    notes = (Note(CUSTOMARY_NOTE, (n, CUSTOMARY[n][0]), place=case.item.span.place) for n in named)
    tried = decide_again(replace(case, theory=theory), verdict, statements, *notes)
    findings = case.known.walk.findings.values()
    shown = {
        n.arguments[0] for f in findings if f.status == "proved" for n in f.assumptions if n.kind == CUSTOMARY_NOTE
    }
    is_told = tried.is_proved or (tried.is_refuted and shown.issuperset(named))
    return replace(tried, theory=theory) if is_told else None


CUSTOMARY_NOTE = "customary-function"


def _as_customary(t: Term) -> Term:
    if not any(isinstance(u, Apply) and u.function in CUSTOMARY for u in subterms(t)):
        return t
    if isinstance(t, Entry) and t.args:
        return Entry(t.name, t.indices, [Lambda(a.params, _as_customary(a.body)) for a in t.args], t.sizes)
    t = t.with_children([_as_customary(c) for c in t.children]) if t.children else t
    if isinstance(t, Apply) and t.function in CUSTOMARY:
        body = CUSTOMARY[t.function][1]
        return substitute(body, tensors={_X.name: Lambda((), t.arg)})
    return t


STRATEGIES: tuple[Strategy, ...] = (
    in_lengths,
    in_ranges,
    under_hypotheses,
    from_first_side,
    of_earlier_version,
    of_later_version,
    with_number_as_length,
    with_stated_row_sums,
    with_targets_that_sum_to_one,
    with_customary_functions,
)
"""What is tried in turn, until a claim is proved."""


def relevant_hypotheses(case: Case) -> list[tuple[Key, Statement]]:
    """What the text supposes, up to here and in force here, of names of the case; with where it does."""
    heads = {h for s in case.statements for h in all_heads(s, case.theory)}
    lengths = frozenset[str]().union(
        *(_lengths_as_numbers(t, case.theory) for s in case.statements for t in (s.left, s.right))
    )
    own = [(s.left, s.relation, s.right) for s in case.statements]
    supposed = [
        (k, h)
        for k, h, limited in case.known.walk.hypotheses
        if (heads & {*h.left.heads, *h.right.heads} or _is_of_lengths(h, lengths))
        and (limited in (None, case.item.context.paragraph) or _is_said_for(k, limited, case))
        and not (k[2] == SUPPOSED_BESIDE and (h.left, h.relation, h.right) in own)  # the condition itself
        and k not in case.taken_back
        and not (limited is not None and _is_of_item_beside(k, case))
    ]
    known = {(h.left, h.relation, h.right) for _, h in supposed}
    known |= {(b, r, a) for a, r, b in known if r == "!="}
    return [*supposed, *((k, h) for k, h in case.said if (h.left, h.relation, h.right) not in known)]


def _lengths_as_numbers(term: Term, theory: Theory) -> frozenset[str]:
    """The lengths that are numbers in a term or in what it rests on: the d of `d^2`, not that of a sum over d terms."""
    values = (u for u in theory.reached(term) if isinstance(u, IndexValue))
    return frozenset(name for u in values for name in u.index.sizes)


def _is_of_lengths(h: Statement, lengths: frozenset[str]) -> bool:
    """Whether what is supposed is an equation of lengths alone, `H d = n`, and of some of these."""
    own = term_sizes(h.left) | term_sizes(h.right)
    return h.relation == "=" and not (h.left.heads or h.right.heads or h.indices) and bool(own & lengths)


def _is_said_for(key: Key, limited: str, case: Case) -> bool:
    r"""Whether what is supposed in a paragraph, or in a sentence, is said in the sentence of a case too.

    A display is a paragraph of its own: `For unit keys, $\|k\| = 1$, we have $$…$$`.
    """
    return _in_sentence(limited, case) or (key[0] >= 0 and _in_sentence(f"{OPEN}{key[0]}{CLOSE}", case))


def _is_of_item_beside(key: Key, case: Case) -> bool:
    """Whether what is supposed stands in another item of the list, or another example, than the claim."""
    document = case.known.document
    if key[0] < 0:
        return False
    there, here = (document.block_of(span).scope for span in (document.spans[key[0]], case.item.span))
    return are_beside(there, here)


def versions_before(case: Case, verdict: Verdict) -> dict[str, str]:
    """Names of a claim that a later equation with only given names may not replace, each with the one before it."""
    s, walk, theory = verdict.statement, case.known.walk, case.theory
    loose = {h: old for h, old in walk.loose.items() if h in all_heads(s, theory)} if s is not None else {}
    return loose if set(loose.values()) <= theory.definitions.keys() | theory.tensors.keys() else {}


def versions_since(case: Case, verdict: Verdict) -> dict[str, str]:
    """The given names below a claim of which an equation says since what they are, each with what it defines."""
    walk, theory = case.known.walk, case.theory
    below = heads_below(case, verdict)
    found: dict[str, str] = {}
    for new, old in walk.loose.items():
        is_given = old in below and old in theory.tensors and old not in theory.random
        if not is_given or new not in theory.definitions or theory.shape(new) != theory.shape(old):
            continue
        if not any(d.body.heads for d in theory.definitions[new]):
            continue  # the numbers of an example
        if not theory.depends(Entry(new), frozenset((old, *found))):
            found[old] = new
    return found


def with_versions(s: Statement, versions: dict[str, str]) -> Statement:
    """A statement about other versions of its names."""
    return replace(s, left=renamed(s.left, versions), right=renamed(s.right, versions))


def _laws(case: Case) -> Iterable[str]:
    return case.known.table.laws


def supposing(statements: Iterable[Statement], more: Iterable[Statement]) -> Iterator[Statement]:
    """Statements under further hypotheses, each once: a step of a chain may be supposed again after it."""
    hypotheses = list(dict.fromkeys(more))
    for s in statements:
        yield replace(s, hypotheses=(*s.hypotheses, *(h for h in hypotheses if h not in s.hypotheses)))


def _sums_to_one(case: Case, symbol: Symbol) -> Statement:
    """A vector, or each row of a matrix, sums to one."""
    *rows, n = (case.known.table.sizes.index(d) for d in symbol.dims)
    i, j = Index.var("i"), Index.var("j")
    row, ranges = ((i,), within("i", 0, rows[0])) if rows else ((), ())
    return Statement(sum_over("j", 0, n, Entry(symbol.head, (*row, j))), "=", ONE, ("i",) if rows else (), ranges)


def _in_sentence(mark: str, case: Case) -> bool:
    """Whether the formula with this mark, a condition or a special value, stands in the sentence before an equation.

    A sentence goes on after a display that has no full stop, with a small letter: `If $$A B = B A$$ then $$…$$`.
    """
    found = MARK.fullmatch(mark)
    if found is None:
        return False
    item, document, number = case.item, case.known.document, int(found.group(1))
    spans = document.spans
    if not holds_there(document, spans[number], item.span):
        return False
    goes_on = (
        number == item.span.index - 1
        and spans[number].display
        and not spans[number].ends_sentence
        and item.context.before[:1].islower()
    )
    return mark in item.context.before or goes_on


def _may_be_length(stem: str) -> bool:
    """Whether a name looks like a length: one Latin letter, perhaps with a label."""
    lead = stem.split("_")[0]
    return len(lead) == 1 and lead.isascii() and lead.isalpha()


def _said_of_lengths(case: Case, wide: bool) -> list[Constraint]:
    """What the text says of lengths, for a paragraph; with `wide` also what another one of the section supposes.

    What the section says comes first, and what is nearer: the rest may not contradict it.
    """
    here, own = (None, case.item.context.paragraph), case.item.section
    rows = case.known.walk.lengths
    said = [r for r in rows if r.within in here or (wide and r.section == own and not r.is_case)]
    said.reverse()
    here_first = [r for r in said if r.section == own] + [r for r in said if r.section != own]
    return without_contradicted([r.constraint for r in here_first])


def _parts_of_lengths(case: Case, sizes: Collection[str]) -> Iterator[Constraint]:
    """`d = H p` for each part p = d/H among some lengths, of which the text says that H divides d; and that 2 divides a d of
    which it writes the half."""
    table = case.known.table
    yield from table.whole_parts
    for size, divisors in table.divisors.items():
        for divisor in sorted(divisors):
            if (part := table.part_name(size, divisor)) in sizes:
                yield equal(Index.size(part) * Index.size(divisor), Index.size(size))


def _with_lengths(case: Case, s: Statement, wide: bool) -> Statement:
    """A statement for the lengths that the text allows."""
    sizes = all_sizes(s, case.theory)
    said = [*_said_of_lengths(case, wide), *_parts_of_lengths(case, sizes)]
    if not said:
        return s
    if not any(all_heads(s, case.theory)):  # numbers only: p = D / R is put in for D
        s = put_in_statement(s, {n: i for n, i in lengths_given(said).items() if n in sizes})
        sizes = all_sizes(s, case.theory)
    known = [c for c in said if c.index.sizes <= sizes and not entails(s.guard, c)]
    return replace(s, guard=guard(*s.guard, *known)) if known else s


def shape_of(s: Statement) -> str:
    """A statement without its hypotheses, as text that does not depend on the letters of its indices."""
    text = f"{canonical(s.left)} {s.relation} {canonical(s.right)}"
    order = sorted(s.indices, key=lambda v: found.start() if (found := re.search(rf"\b{re.escape(v)}\b", text)) else 0)
    for k, v in enumerate(order):
        text = re.sub(rf"\b{re.escape(v)}\b", f"?{k}", text)
    left, _, right = text.partition(f" {s.relation} ")
    return " = ".join(sorted((left, right))) if s.relation == "=" else text
