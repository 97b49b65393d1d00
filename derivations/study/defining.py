"""Left sides that are a name: what makes each a definition, a claim, a new version, or something that is passed over."""

from __future__ import annotations

from dataclasses import replace

from derivations.documents.facts.role_words import Part, parts_said
from derivations.documents.facts.sentence_patterns import IN_CASE, OTHERWISE, SCENARIO
from derivations.documents.model.document import CLOSE, OPEN
from derivations.language.term import UNKNOWN, Entry
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.equations import LeftSide
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.lexicon.name_roles import called_in, uses
from derivations.latex.lexicon.symbol_table import CALLED, Symbol
from derivations.latex.passes.short_forms import is_call
from derivations.latex.syntax.function_names import places_of_law
from derivations.latex.syntax.letters import FAMILY, letter
from derivations.latex.syntax.surface import Adjacent, Literal, Matrix, Name, Node, Scripted, walk
from derivations.study.admitting import define_name
from derivations.study.cases_of_definitions import further_case, is_more_general, same_arguments
from derivations.study.equation_walk import Item, Key, is_number
from derivations.study.findings_of_relations import skip
from derivations.study.judging import judge_claim
from derivations.study.names_and_conditions import conditions_said, elaborator_for, is_used_before, suppose
from derivations.study.names_of_sections import letter_of
from derivations.study.new_versions import (
    Repetition,
    brings_only_given,
    is_symmetry,
    keep_outcome,
    repeated,
    rule_of_repetition,
)
from derivations.study.primed_names import claims_of_primed
from derivations.study.recurrences import is_shifted, step
from derivations.study.recurrences_defined import again_by_recurrence, by_recurrence, start_of_later
from derivations.study.state import Study
from derivations.study.stated_values import is_case_in_words
from derivations.study.support import is_told_by_slip
from derivations.study.under_conditions import Placed, pass_over, placed
from derivations.study.values_at_arguments import is_at_known_length, is_in_reach, is_of_index_map, is_of_unread_law
from derivations.study.values_put_in import put_in
from derivations.study.worked_values import WORKED


def definition_or_claim(
    study: Study, item: Item, key: Key, e: Elaborator, left: LeftSide, node: Node, right: Node
) -> None:
    """Decide an equation that has a name on its left side: it defines the name, or claims something of it, or neither.

    Raises `NotUnderstood` where it is neither a definition nor a claim that can be read.
    """
    if by_recurrence(study, item, key, left, node, right) or start_of_later(study, item, key, left, node, right):
        return
    known = study.table.symbols.get(left.stem)
    count = len(left.written.slots)
    itself = any(w.stem == left.stem and len(w.slots) == count for w in uses(study.names, right))
    if known is not None and known.defined and known.parameters is not None and left.parameters is None and itself:
        if _instance_of_function(study, item, key, e, left, node, right, known):
            return
    if known is not None and known.defined and known.parameters is not None and _is_value_of(study, left, right, known):
        judge_claim(study, item, key, elaborator_for(study, item), "claim", node, "=", right)
        return
    if _is_value_at_length(study, item, key, left, node, right, known):
        return
    if known is not None and not known.defined and _is_of_diagonal(left) and is_number(right):
        judge_claim(study, item, key, elaborator_for(study, item), "claim", node, "=", right)
        return
    if _passed_as_special(study, item, key, left, node, right, known):
        return
    if known is None or not known.defined:
        _define_first(study, item, key, left, node, right, itself)
        return
    if same_arguments(left, known):
        if further_case(study, item, key, e, left, node, right, known):
            return
        e = elaborator_for(study, item)
    if is_more_general(study, e, left, known):
        if itself and left.parameters is None and left.call is None and is_shifted(study.names, left, right):
            if step(study.names, left, right) is None:  # u_{T,i} = 1 and u_{t,i} in terms of u_{t+1,j}
                _relate_places(study, item, key, left, node, right)
                return
        note = f"{left.stem} was defined before for fewer indices; from here on this definition holds"
        define_name(study, item, key, e, left, node, right, None, note)
        return
    if study.outcomes.get(key) == "version":
        since, note = study.walk.clock, f"a new version of {left.stem}"
    else:
        reason = _why_new(study, item, key, left, node, right, known)
        if reason is None:
            return
        since, note = study.walk.introduced.get(left.stem, 0), f"a new version of {left.stem}: {reason}"
    if itself and left.parameters is None:
        if not again_by_recurrence(study, item, key, left, node, right, known, note):
            skip(study, item, key, node, right, "update", f"{left.stem} is written in terms of itself")
        return
    define_name(study, item, key, elaborator_for(study, item), left, node, right, None, note)
    made = study.table.symbols.get(left.stem)
    if made is not None and known.parameters is None and brings_only_given(study, left, right, since):
        study.walk.loose[made.head] = known.head


def _is_value_of(study: Study, left: LeftSide, right: Node, known: Symbol) -> bool:
    """Whether the right side says nothing of the arguments of a function that is defined for others, as in
    `\\eta(T) = \\eta_{\\min}` after `\\eta(t) = …`: it is the value there, and no function."""
    if same_arguments(left, known):
        return False  # the rest of its domain, or a version
    arguments = {p.stem for p in left.parameters or ()}
    return bool(arguments) and arguments.isdisjoint(w.stem for w in uses(study.names, right))


def _is_value_at_length(
    study: Study, item: Item, key: Key, left: LeftSide, node: Node, right: Node, known: Symbol | None
) -> bool:
    r"""Take `f(H) = G` for a length H as a claim about the f that is defined, else as a value at one argument."""
    at_length = is_at_known_length(study, left, right)
    if known is not None and known.defined and (at_length or is_of_index_map(study, left, known)):
        if same_arguments(left, known) or not is_in_reach(study, item, known):
            return False
        judge_claim(study, item, key, elaborator_for(study, item), "claim", node, "=", right)
        return True
    if at_length or ((known is None or not known.defined) and is_of_unread_law(study, item, left, node)):
        skip(study, item, key, node, right, "special-case", "a value at one argument")
        return True
    return False


def _passed_as_special(
    study: Study, item: Item, key: Key, left: LeftSide, node: Node, right: Node, known: Symbol | None
) -> bool:
    """Pass over a condition of a sentence, or a value that something given has at one place or in one case."""
    is_fresh = known is None or not known.defined
    bare = not left.slots and left.parameters is None and left.call is None
    fixed = left.parameters is None and all(isinstance(s.node, Literal) for s in left.slots)
    scenario = left.stem in study.walk.introduced and SCENARIO.search(item.context.before) is not None
    indexed = left.parameters is None and left.call is None and all(letter(s.node) is not None for s in left.slots)
    in_case = indexed and IN_CASE.search(item.context.before) is not None and _is_spoken_of(study, item, left.stem)
    numeric = is_number(right) and (bare or (fixed and not item.span.display))
    where = placed(study, item, key, left, right)
    if where is not None:
        if is_fresh:
            pass_over(study, item, key, node, right, where, left)
            if is_number(right) and where is not Placed.SPOKEN_OF:
                put_in(study, item, key, elaborator_for(study, item), node, right)
        else:
            _claimed_under(study, item, key, left, node, right, where)
        return True
    if is_fresh and is_number(right) and not item.reading.conditions and _is_last_of_given(study, left):
        skip(study, item, key, node, right, "hypothesis", "taken as given from here on: the last value")
        suppose(study, item, item.reading.chain, from_here_on=True)
        _end_at_last(study, item, left)
        return True
    random = any(p.stem in study.table.laws or p.stem in study.names.random for p in left.parameters or ())
    if is_fresh and left.parameters and (random or _is_value(study, left, right)):  # E(X) = mu is said of this X
        skip(study, item, key, node, right, "special-case", "a value at one argument")
        return True
    if (
        is_fresh
        and not isinstance(right, Matrix)
        and (
            numeric
            or (((scenario and bare) or in_case) and not item.span.display and not _is_of_new(study, item, right))
        )
    ):
        skip(study, item, key, node, right, "special-case", "a special value of a given quantity")
        put_in(study, item, key, elaborator_for(study, item), node, right)
        if known is not None and known.parameters is None and not known.dims and not item.span.display:
            suppose(study, item, item.reading.chain, f"{OPEN}{item.span.index}{CLOSE}")
        return True
    if is_number(right) and left.parameters is None and is_case_in_words(study, item, left.stem):
        skip(
            study, item, key, node, right, "condition-not-read", "a value in a case that words tell, which are not read"
        )
        return True
    in_row = bare and study.document.in_table(item.span)  # a row for each value of T
    is_inline = not (bare or item.span.display)
    at_place = is_fresh and indexed and is_inline and is_used_before(study, item, left.stem)
    if (is_number(right) and (in_row or at_place)) or (at_place and _is_one_for_all(study, left, right)):
        skip(study, item, key, node, right, "special-case", "a special value of a given quantity")
        if at_place:  # "with $\beta_t = 1$", "for constant $g_t = g$": what its sentence says further is of this case
            suppose(study, item, item.reading.chain, f"{OPEN}{item.span.index}{CLOSE}")
        return True
    if known is not None and _is_special_entry(study, item, left, right, known):
        study.walk.special[left.stem] = item.section
        skip(study, item, key, node, right, "special-case", "a special value of a given quantity")
        put_in(study, item, key, elaborator_for(study, item), node, right)
        return True
    return False


def _is_one_for_all(study: Study, left: LeftSide, right: Node) -> bool:
    """Whether a right side is the bare letter of the family at the left: `g_t = g` says that all members are alike."""
    w = study.names.written(right) if isinstance(right, Name | Scripted) else None
    plain = w is not None and not w.slots and w.power is None and not w.transposed
    return plain and w is not None and w.stem.removesuffix(FAMILY) == left.stem.removesuffix(FAMILY)


def _is_spoken_of(study: Study, item: Item, stem: str) -> bool:
    """Whether a name is used before an item, also where its definition is looked for from there."""
    if stem in study.walk.introduced:
        return True
    earlier = (i.reading.chain for i in study.items if i.span.index < item.span.index)
    return any(w.stem == stem for chain in earlier for part in chain.parts for w in uses(study.names, part))


def _is_last_of_given(study: Study, left: LeftSide) -> bool:
    """Whether a left side is an entry at a length, `v_T` or `v_{T, i}`, of a family that no equation gives at every index."""
    if left.parameters is not None or left.call is not None or left.stem in study.table.after_last:
        return False
    places = [n for s in left.slots if isinstance(n := s.node, Name | Scripted)]
    lengths = [n for n in places if (w := study.names.written(n)) is not None and study.table.is_size(w)]
    return len(places) == len(left.slots) and len(lengths) == 1


def _end_at_last(study: Study, item: Item, left: LeftSide) -> None:
    """Let a given family end at the place that it has a value at: with `v_T = 0`, counted from 0, it has T + 1 members."""
    symbol = study.table.symbols.get(left.stem)
    if symbol is None or symbol.exact or len(symbol.dims) < len(left.slots):
        return
    e = elaborator_for(study, item)
    for dim, slot in zip(symbol.dims, left.slots, strict=False):
        w = study.names.written(slot.node) if isinstance(slot.node, Name | Scripted) else None
        if w is not None and slot.node is not None and study.table.is_size(w):
            count = e.written_index(slot.node, {}) + 1 - study.names.base(left.stem)
            e.sizes.soft(dim, e.sizes.declared(count))


def _is_of_new(study: Study, item: Item, right: Node) -> bool:
    r"""Whether a right side is made of new names alone: `\\Sigma = diag(\\sigma_1, …)` is no special value."""
    used = [w.stem for w in uses(study.names, right) if not study.table.is_size(w)]
    return bool(used) and not any(_is_spoken_of(study, item, stem) for stem in used)


def _is_value(study: Study, left: LeftSide, right: Node) -> bool:
    """Whether a right side is a number, reckoned or not, or a given one: that `f(x) = y` holds does not tell what f is."""
    named = study.names.written(right)
    own = {p.stem for p in left.parameters or ()}
    if named is not None and not named.slots and named.power is None and named.stem not in own:
        symbol = study.table.symbols.get(named.stem)
        return (symbol is None or not symbol.defined) and named.stem not in study.names.sizes
    return is_number(right) or _is_reckoned(study, right)


def _is_reckoned(study: Study, node: Node) -> bool:
    r"""Whether a side is made of numbers and their functions: `1001 + \log(e^{-1} + e^0)`."""
    if isinstance(node, Matrix) or not any(isinstance(n, Literal) for n in walk(node)):
        return False
    return all(w.stem == "e" and not w.slots for w in uses(study.names, node)) and not any(called_in(study.names, node))


def _claimed_under(study: Study, item: Item, key: Key, left: LeftSide, node: Node, right: Node, where: Placed) -> None:
    """What a sentence says of a name that is defined, in a case: a claim that makes no new version of the name."""
    judge_claim(study, item, key, elaborator_for(study, item), "claim", node, "=", right)
    finding = study.walk.findings.get(key)
    if finding is None or finding.status == "skipped":
        return
    everywhere = is_number(right) and not any(s.hypotheses for s in finding.statements)  # it says nothing of the case
    if finding.status != "proved" or everywhere:
        pass_over(study, item, key, node, right, where, left)


def _define_first(study: Study, item: Item, key: Key, left: LeftSide, node: Node, right: Node, itself: bool) -> None:
    """Define a name that nothing has defined before, unless the equation updates it or names blocks of it."""
    bare = not left.slots and left.parameters is None and left.call is None
    if itself and left.parameters is None and left.call is None and is_shifted(study.names, left, right):
        _relate_places(study, item, key, left, node, right)
        return
    if not (left.parameters or left.call) and _is_solved_for(study, item, key, left, node, right, itself):
        return
    if itself and left.parameters is None and left.call is None and is_symmetry(study, left, right):
        judge_claim(study, item, key, elaborator_for(study, item), "claim", node, "=", right)
        return
    if itself and left.parameters is None:
        skip(study, item, key, node, right, "update", f"{left.stem} is written in terms of itself")
        return
    if isinstance(right, Matrix) and bare and left.stem in {whole for whole, _ in study.table.blocks.values()}:
        skip(study, item, key, node, right, "declaration", f"it names the blocks of {left.stem}")
        return
    if left.parameters is not None and _speaks_of_unknown(study, left, right, itself):
        judge_claim(study, item, key, elaborator_for(study, item), "claim", node, "=", right)
        return
    if not claims_of_primed(study, item, key, left, node, right):
        if bare and isinstance(right, Matrix) and is_number(right) and left.stem in study.table.symbols:
            put_in(study, item, key, elaborator_for(study, item), node, right)
        define_name(study, item, key, elaborator_for(study, item), left, node, right, None)


def _relate_places(study: Study, item: Item, key: Key, left: LeftSide, node: Node, right: Node) -> None:
    r"""Take as given how the values of a given name at two places are related, `x_{t-1} = a x_t + b`; what is said of it once
    more is a claim."""
    if left.stem in study.walk.related:
        judge_claim(study, item, key, elaborator_for(study, item), "claim", node, "=", right)
        return
    before = len(study.walk.hypotheses)
    if len(item.reading.chain.links) == 1 and _has_always_places(study, node):
        suppose(study, item, item.reading.chain, from_here_on=True)
    if len(study.walk.hypotheses) == before:
        message = f"{left.stem} is given by its values at other places, and no recurrence that ends is read here"
        raise NotUnderstood("not-conservative", message, right.span)
    study.walk.related.add(left.stem)
    skip(
        study, item, key, node, right, "hypothesis", "taken as given from here on: it relates the values at two places"
    )


def _has_always_places(study: Study, node: Node) -> bool:
    r"""Whether a name is nowhere without its index: beside `\theta`, the step `\theta_{t+1} = \theta_t - g` is an update."""
    own = next((letter_of(n) for n in walk(node) if isinstance(n, Name)), None)
    nodes = [n for i in study.items for n in walk(i.reading.chain)]
    placed = {id(n.base) for n in nodes if isinstance(n, Scripted) and n.sub is not None}
    return all(id(n) in placed for n in nodes if isinstance(n, Name) and letter_of(n) == own)


def _is_of_diagonal(left: LeftSide) -> bool:
    """Whether a left side is any entry on the diagonal: `A_{ii} = 0` says of all of them what they are."""
    letters = [letter(s.node) for s in left.slots]
    is_array = left.parameters is None and left.call is None
    return is_array and len(letters) == 2 and letters[0] is not None and letters[0] == letters[1]


def _is_solved_for(study: Study, item: Item, key: Key, left: LeftSide, node: Node, right: Node, itself: bool) -> bool:
    r"""Whether an equation is a claim about something given: its right side is made of what is defined by it.

    `r = \log p + \log Z` after `p = e^r / Z` is one where it is true, where the words before it conclude, or where one slip
    makes it false, and always of a law; the input of the next layer is a new thing.
    """
    given = study.table.symbols.get(left.stem)
    if given is None or given.defined or given.parameters is not None:
        return False
    known = (study.table.find(w) for w in uses(study.names, right))
    heads = [s.head for s in known if s is not None and s.defined and s.parameters is None]
    if not any(study.table.theory.depends(Entry(h), frozenset((given.head,))) for h in heads):
        return False
    mark, before = study.table.sizes.mark(), len(study.walk.hypotheses)
    try:
        judge_claim(study, item, key, elaborator_for(study, item), "claim", node, "=", right)
    except NotUnderstood:
        study.table.sizes.undo(mark)
        return False
    found = study.walk.findings.get(key)
    is_concluded = Part.CONCLUDED in parts_said(item.context.before)
    is_refuted = found is not None and found.status == "refuted"
    is_slip = not is_concluded and key in study.refuted and is_told_by_slip(*study.refuted[key])
    is_law = bool(places_of_law(left.stem))  # what has marginals is not defined by them
    if found is None or found.status == "proved" or is_law or (is_refuted and (is_concluded or is_slip) and not itself):
        keep_outcome(study, key, "claim")
        return True
    study.table.sizes.undo(mark)
    del study.walk.hypotheses[before:], study.walk.findings[key]
    return False


def _speaks_of_unknown(study: Study, left: LeftSide, right: Node, itself: bool) -> bool:
    """Whether a right side rests on values of the function on the left, of which nothing else is known.

    `Q(s, a) = A(s, a) + V(s)` after `A(s, a) = Q(s, a) - V(s)` is said of the Q there, and defines none.
    """
    theory, seen = study.table.theory, set[str]()
    known = (study.table.symbols.get(w.stem) for w in uses(study.names, right))
    stack = [s.head for s in known if s is not None and s.defined]
    while stack:
        head = stack.pop()
        if head == UNKNOWN + left.stem:
            return True
        if head not in seen:
            seen.add(head)
            stack += [h for d in theory.definitions.get(head, ()) for h in d.body.heads]
    return itself or left.stem in set(called_in(study.names, right))


def _why_new(study: Study, item: Item, key: Key, left: LeftSide, node: Node, right: Node, known: Symbol) -> str | None:
    """Try an equation as a claim about a name that is defined before; why it defines a new version, None where it does not."""
    e = elaborator_for(study, item)
    mark, given = study.table.sizes.mark(), len(study.walk.hypotheses)
    problem: NotUnderstood | None = None
    try:
        judge_claim(study, item, key, e, "claim", node, "=", right)
    except NotUnderstood as found:
        study.table.sizes.undo(mark)
        problem = found
    finding = study.walk.findings.get(key)
    is_proved = finding is not None and finding.status == "proved"
    is_worked = finding is not None and finding.status != "undecided" and study.walk.rules.get(key) == WORKED
    is_claim = not study.walk.build or is_proved or is_worked or study.outcomes.get(key) == "claim"
    if not is_claim:
        if finding is not None and finding.code in ("denied", "rounded-number", "declared"):
            return None
        again = repeated(study, item, e, left, known, right, finding)
        rule = rule_of_repetition(again)
        if rule.role is Repetition.VERSION and _is_one_slip_from_itself(study, key, known, right):
            keep_outcome(study, key, "claim")
            return None
        if rule.role is not Repetition.CLAIM:
            del study.walk.hypotheses[given:]  # what the trial took as given speaks of the version before
        if rule.role is Repetition.UPDATE:
            skip(study, item, key, node, right, "update", rule.why(again))
            return None
        if rule.role is Repetition.VERSION:
            study.table.sizes.undo(mark)
            study.walk.rules[key] = rule.name
            keep_outcome(study, key, "version")
            return rule.why(again)
    if is_proved and left.parameters is None and is_number(right):
        study.walk.restated.setdefault(known.head, []).append(key)
    keep_outcome(study, key, "claim")
    if problem is not None:
        raise problem
    return None


def _is_one_slip_from_itself(study: Study, key: Key, known: Symbol, right: Node) -> bool:
    r"""Whether an equation tells a name by what is made of it, `a_t = 1 / (1 + e^{l_t})` for `l_t = \log (a_t / (1 - a_t))`, and
    one slip is all that makes it false: it is a claim then, wherever it stands."""
    used = (study.table.find(w) for w in uses(study.names, right))
    heads = [s.head for s in used if s is not None and s.defined and s.parameters is None and s.head != known.head]
    made = any(study.table.theory.depends(Entry(h), frozenset((known.head,))) for h in heads)
    return made and key in study.refuted and is_told_by_slip(*study.refuted[key])


def _is_special_entry(study: Study, item: Item, left: LeftSide, right: Node, known: Symbol) -> bool:
    """`y_t = 1`, without a condition, for a y that is given and used before: one entry, not all of them."""
    if known.defined or not left.slots or left.parameters is not None or left.stem not in study.walk.introduced:
        return False
    said = any(True for _ in conditions_said(study, item)) or OTHERWISE.match(item.context.after) is not None
    letters = all(letter(s.node) is not None for s in left.slots)
    return letters and is_number(right) and not item.reading.conditions and not said


def _instance_of_function(
    study: Study, item: Item, key: Key, e: Elaborator, left: LeftSide, node: Node, right: Node, known: Symbol
) -> bool:
    """`p_i = p_i(1)`: a quantity named like the function that it is a value of."""
    if left.call is not None or not is_call(right) or not isinstance(right, Adjacent):
        return False
    head = study.names.written(right.items[0])
    if head is None or head.stem != left.stem or known.stem != left.stem:
        return False
    study.table.symbols[left.stem + CALLED] = replace(known, stem=left.stem + CALLED)
    del study.table.symbols[left.stem]
    try:
        define_name(study, item, key, e, left, node, right, None)
    except NotUnderstood:
        study.table.symbols[left.stem] = known
        raise
    return True
