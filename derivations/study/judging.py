"""Claims and statements about shapes: read, decided, and told apart from hypotheses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from derivations.documents.facts.role_words import Part
from derivations.kernel.linear import consistent
from derivations.language.statement import Statement, Theory
from derivations.language.term import (
    Binder,
    Constraint,
    Entry,
    Index,
    Number,
    Term,
    equal,
    guard,
    guard_substitute,
    less,
)
from derivations.latex.elaborator.conditions import comparisons, under_conditions
from derivations.latex.elaborator.counting import counts_in
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.equations import LeftSide, compare, left_side, letters_first, statements
from derivations.latex.elaborator.joined_lists import shape_of_list, standing_list
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.syntax.function_names import as_called
from derivations.latex.syntax.letters import letter, letter_node, letters_in
from derivations.latex.syntax.surface import Literal, Node, walk
from derivations.notes import Note
from derivations.provers.decide import Proved, Refuted
from derivations.provers.instance import by_instance
from derivations.provers.refute import anywhere
from derivations.study.decimals import NEARLY_EQUAL, compare_decimals, compare_nearly, is_fixed
from derivations.study.dependent_numbers import dependent_instance, taken_as_independent
from derivations.study.differing_arrays import where_arrays_differ
from derivations.study.discharging import discharged
from derivations.study.doubts.about_readings import GUESSED_AXES
from derivations.study.doubts.about_words import unread_property
from derivations.study.doubts.all_doubts import DOUBTS
from derivations.study.equation_walk import Item, Key, is_declared, is_number
from derivations.study.findings_of_relations import finding_of
from derivations.study.laws_of_defined_names import with_laws_of_defined_names
from derivations.study.names_and_conditions import (
    case_in_words,
    conditions_beside,
    dependences_of,
    elaborator_for,
    introduce,
    letters_compared,
    readings_of,
    statements_given,
    still_holds,
)
from derivations.study.roles import Role, RoleRule, as_definition_in_words, in_role, role_of, take_as_given
from derivations.study.roots_supposed import with_squares
from derivations.study.said_of_relations import Said
from derivations.study.said_properties import with_said_properties
from derivations.study.state import Study
from derivations.study.strategies import STRATEGIES, relevant_hypotheses, shape_of, under_hypotheses
from derivations.study.support import is_told_by_slip
from derivations.study.vacuity import emptied_by
from derivations.study.values_put_in import lengths_put_in, put_in
from derivations.study.verdict import (
    Case,
    Known,
    OtherBase,
    Verdict,
    all_heads,
    decide_statements,
    skipped,
    undecided,
    with_verdict,
)
from derivations.study.worked_values import WORKED, is_differentiated, with_put_in

_DIFFERENTIATED = (
    "false in general, but the text puts in values for its names, and what is differentiated needs more than these"
)


def settle(case: Case) -> Verdict:
    """The verdict about a relation: its role told, a claim decided in every way that the text allows, a refutation doubted."""
    rule = role_of(case)
    is_claim = rule.unless_proved or (rule.unless_always and _is_claimed(case))
    if not is_claim and (found := in_role(case, _unasked(case), rule)) is not None:
        return replace(found, role=rule.name)
    found = _settle_claim(case, rule)
    return found if found.role is not None else replace(found, role=rule.name)


def _settle_claim(case: Case, rule: RoleRule) -> Verdict:
    if case.relation == NEARLY_EQUAL:
        nearly = _nearly(case)
        return nearly if nearly.status == "holds" else in_role(case, nearly, rule) or nearly
    if any(s.relation == "!=" for s in case.statements):
        different = _settle_difference(case)
        return different if different.is_proved else in_role(case, _unasked(case), rule) or different
    verdict = _as_it_stands(case)
    for strategy in STRATEGIES:
        if verdict.is_proved:
            break
        verdict = strategy(case, verdict) or verdict
    if verdict.is_proved:
        return _of_proof(case, verdict)
    if (found := _with_put_in(case, verdict, rule)) is not None:
        return found
    for hindered in (_spelled_out, _with_unread_condition):
        if (found := hindered(case, verdict)) is not None:
            return found
    unread = unread_property(case, verdict) if verdict.is_refuted and rule.role is not Role.CONDITION else None
    says_it = unread is not None and "symmetric" in unread[1].lower() and Said.of(case).is_symmetry
    if (unread is None or says_it) and (found := in_role(case, verdict, rule)) is not None:
        if rule.role not in (Role.HYPOTHESIS, Role.CONSTRAINT) or not _is_slip(case, verdict):
            return found
    if (found := _in_printed_decimals(case, verdict)) is not None:
        return doubted(case, found) if found.is_refuted else found
    if not verdict.is_refuted:
        return verdict
    return doubted(case, with_said_properties(case, verdict) or verdict)


def _is_claimed(case: Case) -> bool:
    """Whether a relation is true with nothing supposed, or false with one slip in it: nobody supposes such a thing."""
    found = _as_it_stands(case)
    return found.is_proved or _is_slip(case, found)


def _is_slip(case: Case, verdict: Verdict) -> bool:
    """Whether one change makes a theorem of an equation of two sides with names, which says what no name alone is."""
    if not verdict.is_refuted or case.relation != "=":
        return False
    sides = [(one, other) for s in verdict.statements for one, other in ((s.left, s.right), (s.right, s.left))]
    if any(not one.heads or (isinstance(one, Entry) and not one.heads <= other.heads) for one, other in sides):
        return False
    return is_told_by_slip(case, verdict)


def _unasked(case: Case) -> Verdict:
    return Verdict("undecided", case.statements, assumptions=case.assumptions)


def doubted(case: Case, verdict: Verdict) -> Verdict:
    """A refutation, or the verdict that the first reason not to believe it gives instead.

    Words that are not read are no reason where one change makes a theorem of what is refuted.
    """
    refuted = replace(verdict, code="false-claim")
    is_told: bool | None = None
    for doubt in DOUBTS:
        if (found := doubt.test(case, verdict)) is not None:
            yields = doubt.yields or doubt.yields_to(case, verdict)
            if yields and is_told is None:
                is_told = is_told_by_slip(case, verdict)
            if yields and is_told:
                continue
            withheld = undecided(verdict, doubt.code, doubt.sentence.format(*map(as_called, found)))
            return replace(withheld, of_guess=refuted) if doubt is GUESSED_AXES else withheld
    return refuted


def _is_open(in_general: Verdict) -> bool:
    """Whether a claim is false in general, or not decided under what the text says: the values put in may tell."""
    return in_general.is_refuted or in_general.code == "search-ended"


def _with_put_in(case: Case, in_general: Verdict, rule: RoleRule) -> Verdict | None:
    """A claim about the numbers that come out of what the text puts in; None for other claims.

    A number for a name, of which no word says that it follows, may be put in as well: `r = 16, \\alpha = 16`.
    """
    here = with_put_in(case, is_false=_is_open(in_general))
    found = _worked(case, here, in_general, rule) if here is not None and not here.unclear else None
    if found is not None and found.status in ("proved", "holds"):
        return found
    wide = with_put_in(case, is_false=_is_open(in_general), in_section=True)
    if wide is not None and not wide.unclear and (here is None or wide.theory.definitions != here.theory.definitions):
        again = _worked(case, wide, in_general, rule)
        if again is not None and again.status in ("proved", "holds"):
            return again
    return found


def _worked(case: Case, here: Case, in_general: Verdict, rule: RoleRule) -> Verdict | None:
    """The verdict about a claim with the values that are put in."""
    if is_differentiated(case):
        return undecided(in_general, "special-case", _DIFFERENTIATED) if in_general.is_refuted else None
    verdict = _as_it_stands(here)
    if verdict.is_refuted and (supposed := under_hypotheses(here, verdict)) is not None:
        verdict = supposed
    verdict = replace(verdict, theory=here.theory)
    if not verdict.is_proved:
        heads = {h for s in here.statements for h in all_heads(s, here.theory)}
        of_rounded = not heads.isdisjoint(case.known.walk.rounded)
        verdict = _in_printed_decimals(here, verdict, of_rounded=of_rounded) or verdict
    match verdict.status:
        case "proved" | "holds":
            return replace(verdict, role=WORKED)
        case "refuted" if rule.role is Role.SETTING and not (_is_concluded(case) or _is_nearly_right(here)):
            return None
        case "refuted":
            return replace(doubted(here, verdict), role=WORKED)
    return replace(verdict, role=WORKED) if in_general.is_refuted else None


def _is_concluded(case: Case) -> bool:
    return Part.CONCLUDED in Said.of(case).parts


def _is_nearly_right(case: Case) -> bool:
    """Whether at least half of the entries of an array are right: it is found from what is put in, and no other example."""
    each = [replace(case, statements=(s,)) for s in case.statements]
    found = [_as_it_stands(own) for own in each]
    right = [
        v.is_proved or ((d := _in_printed_decimals(own, v)) is not None and d.status == "holds")
        for own, v in zip(each, found, strict=True)
    ]
    return len(right) > 1 and 2 * sum(right) >= len(right)


def _as_it_stands(case: Case) -> Verdict:
    found = decide_statements(case.statements, case.theory, case.known.decide)
    if found.is_proved and (dependent := dependent_instance(case, found)) is not None:
        theory, names = dependent
        tried = decide_statements(case.statements, theory, case.known.decide)
        if tried.is_refuted:
            note = Note("common-deviation", (" and ".join(names),))
            return replace(tried, assumptions=(*case.assumptions, note), theory=theory)
    return replace(found, assumptions=case.assumptions)


def _of_proof(case: Case, verdict: Verdict) -> Verdict:
    """A proof, unless it says nothing: it restates what is supposed, or is about one length only."""
    hypotheses = relevant_hypotheses(case)
    document = case.known.document
    declared = {shape_of(h) for k, h in hypotheses if k in verdict.uses and is_declared(document, k[0])}
    if declared and any(shape_of(s) in declared for s in verdict.statements):
        return undecided(verdict, "declared", "a comment declares it as given, which proves nothing")
    if any(shape_of(s) in map(shape_of, s.hypotheses) for s in verdict.statements if s.hypotheses):
        said = Verdict("undecided", case.statements, case.statements[0], assumptions=case.assumptions)
        return replace(take_as_given(case, said), role="what is supposed")
    proved = discharged(verdict, (h for _, h in hypotheses), case.theory, case.known.decide)
    if proved is not verdict:
        verdict = replace(proved, uses=verdict.uses | {k for k, h in hypotheses if h.relation != "="})
    if dependent := taken_as_independent(case, verdict):
        names = " and ".join(dependent)
        return undecided(verdict, "ambiguous", f"proved for independent {names}, but nothing says that they are")
    only = emptied_by(verdict.decision)
    return undecided(verdict, "vacuous", f"everything in it is defined only where {only}") if only else verdict


def _with_unread_condition(case: Case, verdict: Verdict) -> Verdict | None:
    """A claim under a condition that is not read is neither a hypothesis nor refuted."""
    if case.unclear:
        return undecided(verdict, "condition-not-read", f"a condition is not read: {case.unclear}")
    return None


def _in_printed_decimals(case: Case, verdict: Verdict, *, of_rounded: bool = False) -> Verdict | None:
    """Numbers that are printed with decimals are compared as far as they are printed."""
    sides = (case.left, case.right)
    if not any(isinstance(n, Literal) and "." in n.text for side in sides for n in walk(side)):
        return None
    found = compare_decimals(verdict.statements, case.theory, case.right, of_rounded=of_rounded)
    if found is None:
        return undecided(verdict, "rounded-number", "it has rounded decimal numbers")
    return replace(
        verdict,
        status=found.status,
        statement=found.statement,
        decision=found.decision,
        code="false-claim" if found.status == "refuted" else None,
        reason=f"compared to the {found.digits} printed decimals",
    )


def _nearly(case: Case) -> Verdict:
    r"""Numbers that are said to be nearly equal, `\\sqrt{2} \\approx 1.41`, as far as they are printed."""
    found = compare_nearly(case.statements, case.theory, case.left, case.right)
    if found is None:
        return undecided(_unasked(case), "rounded-number", "neither near enough nor far enough from each other to tell")
    reason = "compared to the last printed digit"
    verdict = replace(_unasked(case), status=found.status, statement=found.statement, reason=reason)
    refuted = replace(verdict, decision=found.decision)
    return doubted(case, refuted) if found.status == "refuted" else verdict


def _spelled_out(case: Case, verdict: Verdict) -> Verdict | None:
    """`U is orthogonal, that is $U U^\\top = I$`: the words that are not read are read in the equation."""
    said = unread_property(case, verdict) if verdict.is_refuted else None
    return as_definition_in_words(case, verdict, said) if said is not None else None


def _is_asked(case: Case, sides: Iterable[Term]) -> bool:
    """Whether `a d - b c != 0` is asked of the names: that it is not 0 somewhere would be said in words, "in general"."""
    is_of_zero = any(isinstance(t, Number) and t.value == 0 for t in sides)
    return is_of_zero and Part.UNIVERSAL not in Said.of(case).parts


def _settle_difference(case: Case) -> Verdict:
    """`A \\neq B`: different wherever they are compared, or else not equal in general, which an instance shows."""
    theory, decide = case.theory, case.known.decide
    open_verdict = _unasked(case)
    if case.unclear:
        return undecided(open_verdict, "condition-not-read", f"a condition is not read: {case.unclear}")
    sides = [t for s in case.statements for t in (s.left, s.right)]
    is_told = all(isinstance(t, Number) for t in sides) or counts_in(case.statements, theory)
    if not is_told and all(_is_given(t, theory) for t in sides):
        given = skipped(open_verdict, "hypothesis", "taken as given from here on")
        supposed = tuple(where_arrays_differ(s, case.left, case.right) for s in case.statements)
        return replace(given, kind="hypothesis", given=supposed)
    for s in case.statements:
        decision = decide(s, theory)
        if isinstance(decision, Proved):
            return replace(open_verdict, status="proved", statement=s, decision=decision)
    equal_ones = [replace(s, relation="=") for s in case.statements]
    for s, e in zip(case.statements, equal_ones, strict=True):
        shown = by_instance(s, theory)
        if shown is not None and _is_asked(case, sides):
            return take_as_given(case, open_verdict)
        if shown is not None and (unsaid := _not_introduced(case)) is not None:
            return undecided(
                open_verdict, "ambiguous", f"the two sides differ in general, but nothing says what {unsaid} is"
            )
        if shown is not None:
            said = Note("differ-at", (shown[1].place(),), place=case.item.span.place)
            return replace(
                open_verdict,
                status="proved",
                statement=s,
                decision=Proved(shown[0]),
                assumptions=(*case.assumptions, said),
                instance=dict(shown[1].sizes),
                read=f"not for all inputs: {e}",
            )
    open_verdict = replace(open_verdict, statement=case.statements[0])
    if all(isinstance(decide(s, theory), Proved) for s in equal_ones):
        witness = anywhere(equal_ones[0], theory)
        if witness is not None:
            reason = "the two sides are equal for all sizes and inputs"
            found = replace(open_verdict, status="refuted", decision=Refuted(witness), reason=reason)
            return doubted(case, found)
    return undecided(open_verdict, "search-ended", "no inputs were found at which the two sides certainly differ")


def _not_introduced(case: Case) -> str | None:
    """A name of a relation that no words and no other formula introduce: `P \\ne N P` may be no product."""
    table = case.known.table
    heads = {h for s in case.statements for h in all_heads(s, case.theory)} - case.theory.definitions.keys()
    stems = {symbol.stem for symbol in table.symbols.values() if symbol.head in heads}
    here = {w.stem for side in (case.left, case.right) for w in uses(case.known.names, side)}
    return min((here & stems) - table.declared.keys(), default=None)


def judge_claim(
    study: Study, item: Item, key: Key, e: Elaborator, kind: str, left: Node, relation: str, right: Node
) -> None:
    """A claim; that it speaks of an example of a fixed length says nothing of the length elsewhere."""
    sizes = study.table.sizes
    mark = sizes.mark()
    sizes.put_in = lengths_put_in(study, item)
    try:
        _judge(study, item, key, e, kind, left, relation, right)
    finally:
        sizes.put_in = {}
    study.walk.equated[key] = sizes.links_since(mark)
    if any((known := d.root().known) is not None and known.is_constant and known.const > 1 for d in sizes.trail[mark:]):
        sizes.undo(mark)


def _where_defined(s: Statement, theory: Theory) -> Statement:
    """The statement at the indices at which the names that it writes are defined: what is defined for t >= 2 alone is spoken
    of for t >= 2."""
    found: list[Constraint] = []
    for entry in (t for side in (s.left, s.right) for t in _entries_outside(side)):
        rows = theory.definitions.get(entry.name, ())
        if len(rows) != 1 or not rows[0].condition or entry.args or entry.sizes:
            continue
        if not all(i.plain and i is Index.var(min(i.free, default="")) for i in rows[0].indices):
            continue
        at = {min(i.free): place for i, place in zip(rows[0].indices, entry.indices, strict=True)}
        own = guard_substitute(rows[0].condition, at)
        found += [c for c in own if c.free and c.free <= set(s.indices)]
    narrowed = guard(*s.guard, *found)
    return replace(s, guard=narrowed) if found and consistent(narrowed) else s


def _entries_outside(t: Term) -> Iterator[Entry]:
    """The entries in a term that no sum binds an index of."""
    if isinstance(t, Entry) and not t.args:
        yield t
    for child in () if isinstance(t, Binder) else t.children:
        yield from _entries_outside(child)


def _judge(
    study: Study, item: Item, key: Key, e: Elaborator, kind: str, left: Node, relation: str, right: Node
) -> None:
    state = study.walk
    left_name = left_side(e, left)
    if left_name is not None:
        letters_first(e, left_name)
        for v in e.free.values():
            if letter(left) is None and v.base is not None and left_name.stem not in study.table.symbols:
                v.base = None
    e.declare_free(left)
    e.declare_free(right)
    e.count_as_used(left, right)
    conditions, values, unclear = conditions_beside(study, item, e)
    if relation == "=" and left_name is not None and _names_rank(study, left_name) == 0:
        e.expected = 0
    a = e.value(left, {})
    shape_of_list(e, right, a.shape if a.rank else None)
    b = standing_list(e, right, e.value(right, {}))
    compared = compare(e, a, "=" if relation == NEARLY_EQUAL else relation, b, conditions, right)
    supposed = [c for chain in values for c in comparisons(e, chain, {})]
    state.choices[key] = e.taken
    state.uses[key] = dependences_of(study, e)
    introduce(study, e)
    if not state.build:
        return
    shell = finding_of(study, item, key, kind, "undecided", left, right)
    said = tuple(under_conditions(s, supposed) for s in statements(e, compared))
    if relation == NEARLY_EQUAL and not all(not s.indices and is_fixed(s, study.table.view()) for s in said):
        raise NotUnderstood("out-of-scope", "only numbers are compared as nearly equal", right.span)
    compared_pairs = list(letters_compared(study, item))
    letters = [pair for pair in compared_pairs if {*pair[:2]} <= set(e.free)]
    signs = {"!=": "\u2260", "=": "="}
    written = letters_in(left) | letters_in(right)
    for i, j, sign in compared_pairs:
        if (
            sign == "!=" and len({i, j} & set(e.free)) == 1 and not {i, j} <= written
        ):  # k other than c, which is not in it
            unclear = unclear or f"{i} {signs[sign]} {j}"
    for i, j, sign in letters:
        said = tuple(_with_letters(said, e, i, j, sign))
    shell.theory = with_laws_of_defined_names(study, item, said, study.table.view())
    said = tuple(_where_defined(s, shell.theory) for s in said)
    shell.is_nearly = relation == NEARLY_EQUAL
    notes = (Note("letters-compared", (i, signs[sign], j), place=item.span.place) for i, j, sign in letters)
    case = Case(
        item=item,
        key=key,
        kind=kind,
        left=left,
        relation=relation,
        right=right,
        statements=said,
        theory=shell.theory,
        assumptions=(*readings_of(study, item, e), *notes),
        place=shell.place,
        unclear=unclear,
        in_case=case_in_words(study, item),
        ranges=tuple(e.supposed),
        compares_letters=any(letters_compared(study, item)),
        said=tuple(_said_of(study, item, said, shell.theory)),
        taken_back=frozenset(k for k, h, _ in state.hypotheses if not still_holds(study, item, k, h)),
        from_other_base=_other_base(study, item, left, relation, right) if e.has_numbered_place else None,
        known=known_of(study),
    )
    is_asked = (state.only is None or state.only == key) and (study.wanted is None or key in study.wanted)
    verdict = settle(case) if is_asked else _unasked(case)
    state.findings[key] = with_verdict(shell, verdict)
    if verdict.is_refuted or verdict.of_guess is not None:
        study.refuted[key] = case, verdict
    if verdict.of_guess is not None:
        state.guessed[key] = with_verdict(shell, verdict.of_guess)
    state.uses[key] |= verdict.uses
    if verdict.is_proved:
        study.table.ways |= set(_gradients_read_through(e))
    if verdict.role is not None:
        state.rules[key] = verdict.role
    if verdict.role == WORKED and verdict.status == "holds":
        state.rounded |= {s.left.name for s in verdict.statements if isinstance(s.left, Entry)}
    state.hypotheses += [(key, s, verdict.within) for s in with_squares(verdict.given)]
    if verdict.given and relation == "=" and is_number(right):
        put_in(study, item, key, e, left, right)


def _gradients_read_through(e: Elaborator) -> Iterator[tuple[str, str]]:
    """The losses, and the names whose gradients were read by the chain rule."""
    for note in e.readings:
        if note.kind == "loss-through":
            loss, by, _ = map(str, note.arguments)
            yield loss, by


def _said_of(study: Study, item: Item, own: tuple[Statement, ...], theory: Theory) -> Iterator[tuple[Key, Statement]]:
    """What facts say of the names of statements.

    Not what these say themselves: `U is orthogonal, that is $U U^\\top = I$`.
    """
    given = list(statements_given(study, item, own, theory))
    shapes = {shape_of(s) for s in own} if given else set()
    same = {k for k, h in given if shape_of(h) in shapes}
    yield from ((k, h) for k, h in given if k not in same)


def known_of(study: Study) -> Known:
    """What the study of a document knows now."""
    return Known(
        document=study.document,
        names=study.names,
        table=study.table,
        walk=study.walk,
        decide=study.decide,
        properties=study.text.known.properties,
        row_sums=study.text.known.row_sums,
        targets=study.text.known.targets,
        summed=study.text.summed,
        convention_is_stated=study.text.convention_is_stated,
        stepped=study.text.stepped,
        formulas=study.text.places.of_span,
    )


def _other_base(study: Study, item: Item, left: Node, relation: str, right: Node) -> OtherBase:
    """What a relation says where `X_1` is the other one of the first and the second row of X; None when it is not read."""

    def read_again() -> tuple[Statement, ...] | None:
        mark, e = study.table.sizes.mark(), elaborator_for(study, item)
        e.numbers_from_other_base = True
        try:
            e.declare_free(left)
            e.declare_free(right)
            e.count_as_used(left, right)
            conditions, values, _ = conditions_beside(study, item, e)
            read = compare(e, e.value(left, {}), relation, e.value(right, {}), conditions, right)
            supposed = [c for chain in values for c in comparisons(e, chain, {})]
            return tuple(under_conditions(s, supposed) for s in statements(e, read))
        except NotUnderstood:
            return None
        finally:
            study.table.sizes.undo(mark)

    return read_again


def _names_rank(study: Study, left: LeftSide) -> int | None:
    symbol = study.table.symbols.get(left.stem)
    return None if symbol is None else len(symbol.dims) - len(left.slots)


def _with_letters(found: tuple[Statement, ...], e: Elaborator, a: str, b: str, sign: str) -> Iterator[Statement]:
    """Each statement below and above the diagonal of two indices, or on it."""
    i, j = (e.written_index(letter_node((0, 0), c), e.free) for c in (a, b))
    for s in found:
        if not i.free | j.free <= set(s.indices):
            yield s
        elif sign == "=":
            yield replace(s, guard=guard(*s.guard, equal(i, j)))
        else:
            yield replace(s, guard=guard(*s.guard, less(i, j)))
            yield replace(s, guard=guard(*s.guard, less(j, i)))


def _is_given(t: Term, theory: Theory) -> bool:
    """A number, or an entry of something that is given, with nothing done to it."""
    return isinstance(t, Number) or (isinstance(t, Entry) and t.name not in theory.definitions)
