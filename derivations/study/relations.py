"""The relations of an equation, each told apart and studied: definition, claim, step, declaration, hypothesis or update."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from derivations.documents.facts.declarations import members
from derivations.documents.facts.distributions import from_chain, from_relation, is_known
from derivations.documents.model.document import INTERNAL
from derivations.documents.model.finding import Finding, bug
from derivations.language.substitution import term_sizes
from derivations.language.term import Entry, TermError
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.equations import left_side
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.lexicon.written_names import Written
from derivations.latex.passes.named_functions import names_function
from derivations.latex.syntax.letters import EULER, INDICES_BY_HABIT, letter
from derivations.latex.syntax.normal_laws import normal_law
from derivations.latex.syntax.surface import Big, Chain, Enclosed, Listed, Literal, Mark, Matrix, Node, Operator, walk
from derivations.notes import Note
from derivations.study.admitting import define_name
from derivations.study.decimals import NEARLY_EQUAL
from derivations.study.defining import definition_or_claim
from derivations.study.drawn_vectors import take_drawn_vectors
from derivations.study.equation_walk import Item, Key, is_declared
from derivations.study.findings_of_relations import note_unread, skip
from derivations.study.functions_of_numbers import with_number_arguments
from derivations.study.gradients import with_given_gradients
from derivations.study.judging import judge_claim
from derivations.study.memberships import judge_membership
from derivations.study.names_and_conditions import elaborator_for, take_law
from derivations.study.naming_equations import (
    functions_named_between,
    is_first_assignment,
    is_set_of_names,
    is_worked,
    named_entries,
    named_part,
    named_whole,
    names_entries,
    names_for_one_thing,
    names_members,
    show_whole,
)
from derivations.study.shape_arithmetic import judge_shape_arithmetic
from derivations.study.shape_slips import judge_shape_slip
from derivations.study.squares_of_functions import defined_by_square
from derivations.study.state import Study
from derivations.study.stated_lengths import is_range_of_indices, take_lengths
from derivations.study.values_put_in import put_in
from derivations.study.verdict import withheld
from derivations.study.written_conditions import different

MAX_NAMES = 600
"""Most names with a meaning in one document: what is known of all of them goes along with every statement."""
ARROWS = frozenset({"implies", "iff"})
"""Signs between two relations, of which the second follows from the first."""
OUT_OF_SCOPE = frozenset(
    """approx propto sim to implies iff mapsto ll gg perp subset notin lessapprox gtrapprox cong""".split()  # noqa: SIM905
)
"""Relations that state nothing that is decided here."""
CLAIMED = {"=": "=", "equiv": "=", "<=": "<=", ">=": ">=", "<": "<", ">": ">", "!=": "!="}
MAX_VERSIONS = 3
"""Versions of one name before its last that a relation is tried with."""


def study_item(study: Study, item: Item) -> None:
    """Study the relations of one equation in their order, each unless a name that needed it has been there before."""
    chain = item.reading.chain
    first = chain.first if chain.first is not None else item.before
    if not chain.links:
        return
    left = first
    if first is not None and is_worked(study, chain):
        skip(
            study, item, (item.span.index, item.number, 0), first, chain.links[-1][1], "special-case", "stated numbers"
        )
        return
    if _is_law(study, item, chain):
        return
    if first is not None and chain.first is first and names_function(chain, "softmax") is not None:
        key = (item.span.index, item.number, 0)
        skip(study, item, key, first, chain.links[0][1], "declaration", "a name for the softmax")
        return
    for link in functions_named_between(study, item):  # y = f(x) = ... names the function f first
        key = (item.span.index, item.number, link)
        if key not in study.walk.findings and key not in study.walk.busy:
            before = chain.links[link - 1][1] if link else item.before
            study_relation(study, item, key, before, "=", chain.links[link][1], True)
    named = names_for_one_thing(study, chain)
    for link, (relation, right) in enumerate(chain.links):
        key = (item.span.index, item.number, link)
        if link and named:
            skip(study, item, key, left or right, right, "hypothesis", "taken as given: several names for one thing")
            continue
        if key not in study.walk.findings and key not in study.walk.busy:
            study_relation(study, item, key, left, relation, right, link == 0 and chain.first is not None)
        lead = study.walk.findings.get((item.span.index, item.number, 0))
        own = study.walk.findings.get(key)
        after_law = any(r == "sim" for r, _ in chain.links[:link])
        if (
            lead is not None
            and lead.status == "skipped"
            and link
            and not after_law
            and own is not None
            and own.status == "refuted"
            and not (lead.code == "special-case" and _is_of_numbers(own))
        ):
            skip(study, item, key, left or right, right, lead.code or "special-case", lead.reason or "")
        left = right


def _is_of_numbers(finding: Finding) -> bool:
    """Whether a relation compares numbers alone: `x = 2 + 2 = 5` is wrong of every x."""
    return bool(finding.statements) and not any(
        s.indices or s.hypotheses or side.heads or side.free or term_sizes(side)
        for s in finding.statements
        for side in (s.left, s.right)
    )


def _is_law(study: Study, item: Item, chain: Chain) -> bool:
    """`E[u_i] = E[w_i] = 0` for names about which nothing is known yet: a hypothesis."""
    stated = from_chain(study.names, chain) or from_chain(study.names, _mean_of_members(study, chain))
    if stated is None or chain.first is None:
        return False
    for s in stated:
        symbol, law = study.table.symbols.get(s.stem), study.table.laws.get(s.stem)
        if (symbol is not None and symbol.defined) or is_known(law, s.kind):
            return False
        if symbol is not None and _speaks_of(study, s.value, symbol):
            return False  # E[X] = \\mu_X, where \\mu_X is defined as E[X]
    key, last = (item.span.index, item.number, 0), chain.links[-1][1]
    try:
        for s in stated:
            if isinstance(s.value, int) or all(w.stem != s.stem for w in uses(study.names, s.value)):
                take_law(study, s, item)  # \sum_x x P(X = x) speaks of X, and is no number that its law could have
    except NotUnderstood as problem:  # the value of the moment is not read: nothing is known then
        note_unread(study, item, key, chain.first, last, problem)
        return True
    skip(study, item, key, chain.first, last, "hypothesis", "taken as given: a mean or a variance")
    return True


def _mean_of_members(study: Study, chain: Chain) -> Chain:
    r"""`\theta = \mathbb{E}[X_i]` from its other side: the members of a family have one mean, which it gives a name."""
    left, right = chain.first, chain.links[0][1] if len(chain.links) == 1 else None
    w = study.names.written(left) if left is not None else None
    if w is None or w.slots or not isinstance(right, Operator) or chain.links[0][0] != "=":
        return chain
    symbol = study.table.find(w)
    members = [u for n in right.arguments if (u := study.names.written(n)) is not None and u.slots]
    if not members or (symbol is not None and symbol.defined):
        return chain
    return Chain(chain.span, right, (("=", left),))  # type: ignore[arg-type]


def _speaks_of(study: Study, value: Node | int, symbol: Symbol) -> bool:
    """Whether the definition of a name in a value goes back to a given name."""
    used = [] if isinstance(value, int) else [study.table.find(w) for w in uses(study.names, value)]
    heads = [s.head for s in used if s is not None and s.defined and s.parameters is None]
    return any(study.table.theory.depends(Entry(h), frozenset((symbol.head,))) for h in heads)


def study_relation(
    study: Study, item: Item, key: Key, left: Node | None, relation: str, right: Node, leads: bool
) -> None:
    """Study one relation; what is not understood, or is a bug of ours, becomes a finding and stops nothing else.

    A sign alone, `costly $\\Rightarrow$ limited`, states nothing.
    """
    if left is None and isinstance(right, Mark) and right.kind in ("empty", "missing"):
        return
    study.walk.busy.add(key)
    mark, owed = study.table.sizes.mark(), study.table.sizes.owed
    try:
        if len(study.table.symbols) > MAX_NAMES:
            raise NotUnderstood("too-large", f"needed at most {MAX_NAMES} names in a document, found more", right.span)
        if left is None:
            code = "unknown-notation" if item.span.display else "out-of-scope"  # all entries are $\\ge 0$
            raise NotUnderstood(code, "a relation without a left side", right.span)
        read_relation(study, item, key, left, relation, right, leads)
    except NotUnderstood as problem:
        study.table.sizes.undo(mark)
        if left is None or not (
            _read_otherwise(study, item, key, left, relation, right, leads, problem)
            or _is_slip_of_shapes(study, item, key, left, relation, right, leads, problem)
        ):
            note_unread(study, item, key, left, right, problem)
    except TermError as problem:
        study.table.sizes.undo(mark)
        note_unread(study, item, key, left, right, NotUnderstood("too-large", str(problem), right.span))
    except (RecursionError, MemoryError) as problem:
        study.table.sizes.undo(mark)
        message = f"needed a statement that fits into memory, found {type(problem).__name__}"
        note_unread(study, item, key, left, right, NotUnderstood("too-large", message, right.span))
    except Exception as problem:  # noqa: BLE001 - a bug of ours costs one statement, and is reported as what it is
        study.table.sizes.undo(mark)
        _forget(study, key)
        note_unread(study, item, key, left, right, NotUnderstood(INTERNAL, bug(problem), right.span))
    finally:
        study.walk.busy.discard(key)
        if study.table.sizes.owed > owed:
            study.walk.owed.add(key)
        study.walk.equated.setdefault(key, study.table.sizes.links_since(mark))


def _forget(study: Study, key: Key) -> None:
    """Undo what a relation has made of names, or has taken as given, before a bug of ours stopped it."""
    walk, symbols = study.walk, study.table.symbols
    for stem in [stem for stem, symbol in symbols.items() if walk.origins.get(symbol.head) == key]:
        earlier = walk.versions.get(stem)
        if earlier:
            symbols[stem] = earlier.pop()
        else:
            del symbols[stem]
    walk.hypotheses[:] = [given for given in walk.hypotheses if given[0] != key]


def _is_slip_of_shapes(
    study: Study, item: Item, key: Key, left: Node, relation: str, right: Node, leads: bool, problem: NotUnderstood
) -> bool:
    """Whether an equation that has no shape is a theorem with one change, and so refuted."""
    if relation != "=":
        return False

    def read(changed: Node) -> None:
        try:
            read_relation(study, item, key, left, relation, changed, leads)
        except NotUnderstood as trouble:
            if not _read_otherwise(study, item, key, left, relation, changed, leads, trouble):
                raise

    return judge_shape_slip(study, item, key, left, right, problem, read, lambda: _forget(study, key))


def _read_otherwise(
    study: Study, item: Item, key: Key, left: Node, relation: str, right: Node, leads: bool, problem: NotUnderstood
) -> bool:
    """Read a relation that is not understood with gradients as given tensors, or with a name as it stood before."""
    read = partial(read_relation, study, item, key, left, relation, right, leads)
    return (
        with_given_gradients(study, item, key, left, relation, right, leads, problem, read)
        or with_number_arguments(study, key, left, right, problem, read)
        or _with_covariances(study, left, right, problem, read)
        or _as_before(study, item, key, left, relation, right, leads, problem)
    )


def _with_covariances(study: Study, left: Node, right: Node, problem: NotUnderstood, read: Callable[[], None]) -> bool:
    """Read a relation whose sides have other axes with the variance of a vector as the matrix of its covariances."""
    operators = (n for side in (left, right) for n in walk(side) if isinstance(n, Operator))
    if problem.code != "shape-conflict" or not any(n.name == "Var" for n in operators):
        return False
    mark = study.table.sizes.mark()
    study.table.covariances = True
    try:
        read()
    except (NotUnderstood, TermError, RecursionError):
        study.table.sizes.undo(mark)
        return False
    finally:
        study.table.covariances = False
    return True


def _as_before(
    study: Study, item: Item, key: Key, left: Node, relation: str, right: Node, leads: bool, problem: NotUnderstood
) -> bool:
    """Read a relation with a name as it stood before its last definition; that refutes nothing."""
    if problem.code in ("out-of-scope", "too-large"):
        return False
    stems = dict.fromkeys(w.stem for side in (left, right) for w in uses(study.names, side))
    for stem in (s for s in stems if s in study.walk.versions):
        for old in study.walk.versions[stem][: -MAX_VERSIONS - 1 : -1]:
            if not (old.defined or old.exact):
                continue  # nothing was said of it before
            now, mark = study.table.symbols.get(stem), study.table.sizes.mark()
            study.table.symbols[stem] = old
            try:
                read_relation(study, item, key, left, relation, right, leads)
            except (NotUnderstood, TermError, RecursionError):
                study.table.sizes.undo(mark)
                continue
            finally:
                if study.table.symbols.get(stem) is old and now is not None:
                    study.table.symbols[stem] = now
            _say_version(study, key, stem, old)
            return True
    return False


def _say_version(study: Study, key: Key, stem: str, old: Symbol) -> None:
    finding = study.walk.findings.get(key)
    if finding is None:
        return
    made = study.walk.findings.get(study.walk.origins.get(old.head, key))
    note = Note("given-before", (stem,), place=finding.place)
    if made is not None and made is not finding:
        note = Note("version-of-line", (stem, str(made.place.line)), place=finding.place)
    finding.assumptions = (*finding.assumptions, note)
    if finding.status == "refuted":
        study.walk.findings[key] = withheld(finding, "ambiguous", f"false as read, with {note.text}")


def read_relation(study: Study, item: Item, key: Key, left: Node, relation: str, right: Node, leads: bool) -> None:
    """Tell what a relation is by its sign and its sides, and read it as that; raises `NotUnderstood`."""
    chain = item.reading.chain
    if relation == "in":
        lead = study.walk.findings.get((*key[:2], 0)) if key[2] else None
        if lead is not None and lead.status == "unread":
            skip(study, item, key, left, right, "declaration", "what it is about is not read")
            return
        judge_membership(study, item, key, left, right)
        return
    if relation == "gets" and not (leads and is_first_assignment(study, left, right)):
        skip(study, item, key, left, right, "update", "an assignment of a program variable")
        return
    if relation == "gets":
        relation = "="
    if relation == "sim" and take_drawn_vectors(study, item, key, left, right):
        return
    if (
        relation == "mid"
        and [r for r, _ in chain.links] == ["mid", "sim"]
        and normal_law(chain.links[1][1]) is not None
    ):
        return  # what is drawn depends on what stands behind the bar, as the parameters of its law say
    stated = from_relation(study.names, left, right) if relation == "sim" else None
    if stated is not None:
        before = dict(study.table.laws)
        try:
            for s in stated:
                take_law(study, s, item)
        except NotUnderstood:
            study.table.laws = before  # a mean without its variance would say too much
            raise
        skip(study, item, key, left, right, "hypothesis", "taken as given: a distribution")
        return
    if relation in ("to", "implies") and key[2] and item.reading.chain.links[key[2] - 1][0] == "sim":
        return  # what follows is claimed of these distributions
    if leads and relation == "=" and names_members(study, left, right):
        skip(study, item, key, left, right, "declaration", "it names the members")
        return
    if relation == "=" and names_entries(study, item, key, left, right):
        return
    if judge_shape_arithmetic(study, item, key, left, relation, right):
        return
    if relation == NEARLY_EQUAL and study.walk.build and _is_of_known_names(study, left, right):
        judge_claim(study, item, key, elaborator_for(study, item), "claim" if leads else "step", left, relation, right)
        return
    if relation in ARROWS and key[2] + 1 < len(chain.links) and chain.links[key[2] + 1][0] not in ARROWS:
        return  # what stands after the arrow is compared with what follows
    if relation in OUT_OF_SCOPE:
        raise NotUnderstood("out-of-scope", f"the relation {relation} states nothing that is decided here", right.span)
    if relation == "!=" and different(chain) is not None:
        return  # a condition on indices for what follows
    if relation == "colon" and isinstance(right, Chain | Enclosed):
        skip(study, item, key, left, right, "declaration", "it says of what kind something is")
        return
    if leads and relation == "=" and is_set_of_names(right):
        skip(study, item, key, left, right, "declaration", "it names a set")
        return
    if relation not in CLAIMED:
        raise NotUnderstood("unknown-notation", f"the relation {relation} is not read", right.span)
    _compared_sides(study, item, key, left, CLAIMED[relation], right, leads)


def _is_special_index(study: Study, e: Elaborator, left: Node, right: Node) -> bool:
    """`i = j`, `t = 1`, for a letter that counts, and that no equation defines."""
    c = letter(left)
    symbol = study.table.symbols.get(c) if c is not None else None
    if c is None or (symbol is not None and symbol.defined):
        return False
    return c in study.names.index_letters | INDICES_BY_HABIT and is_range_of_indices(study, e, left, right)


def _is_of_known_names(study: Study, left: Node, right: Node) -> bool:
    """Whether two sides have only names that equations define, and the number e."""
    names = [w for side in (left, right) for w in uses(study.names, side)]
    symbols = [study.table.find(w) for w in names if not (w.stem == EULER and study.names.powers_of_e)]
    return all(s is not None and s.defined for s in symbols)


def _speaks_of_entries(study: Study, node: Node) -> bool:
    """Whether a side has a sum, a list, a matrix or a name with an index: what it gives is no length."""
    if any(isinstance(n, Big | Listed | Matrix) for n in walk(node)):
        return True
    return any(w.slots for w in uses(study.names, node)) or any(
        isinstance(n, Operator) and n.name == "diag" for n in walk(node)
    )


def _is_array(study: Study, w: Written) -> bool:
    """Whether a name stands for an array, as the document declares it."""
    declared = study.table.declared.get(w.stem)
    return declared is not None and len(declared.dims) > len(w.slots)


def _compared_sides(study: Study, item: Item, key: Key, left: Node, relation: str, right: Node, leads: bool) -> None:
    """An equation or an inequality: a range, a stated size, a definition, or a claim."""
    chain = item.reading.chain
    if isinstance(right, Listed) and leads:  # i = 1, …, n is a range, taken over already
        counts_on = isinstance(right.items[0], Literal) and any(isinstance(n, Mark) for n in right.items)
        if letter(left) is not None or (counts_on and all(letter(n) is not None for n in members(left))):
            return
        raise NotUnderstood("unknown-notation", "a list of values is not read", right.span)
    e = elaborator_for(study, item)
    if relation != "=" and is_range_of_indices(study, e, left, right):
        take_lengths(study, item, e, left, relation, right)
        return
    if relation == "=" and _is_special_index(study, e, left, right):
        return
    e = elaborator_for(study, item)
    if leads and relation == "=" and not is_declared(study.document, item.span.index):
        w = study.names.written(left)
        if w is not None and w.power is None and study.table.is_size(w) and not _speaks_of_entries(study, right):
            if any(_is_array(study, u) for u in uses(study.names, right)):
                raise NotUnderstood("shape-conflict", f"{w.stem} is a length here, and the right side an array", w.span)
            take_lengths(study, item, e, left, "=", right)
            put_in(study, item, key, e, left, right)
            skip(study, item, key, left, right, "size", "a stated size")
            return
        defined = left_side(e, left)
        if defined is not None and (
            chain.first is left
            or ((defined.parameters or defined.call) and key[2] in functions_named_between(study, item))
        ):
            definition_or_claim(study, item, key, e, defined, left, right)
            return
        if defined is None and chain.first is left and defined_by_square(study, item, key, e, left, right):
            return
    if leads and relation == "=" and (own := named_whole(study, item, e, left, right)) is not None:
        define_name(study, item, key, e, own, right, left, None, "its right side gives the left side a name")
        if key in study.walk.findings:
            show_whole(study, item, key, left, right)
        return
    if not leads and relation == "=" and (own := named_entries(study, item, right)) is not None:
        define_name(study, item, key, e, own, right, left, None, "the step gives the entries a name")
        if key in study.walk.findings:
            show_whole(study, item, key, left, right)
        return
    if not leads and relation == "=" and (named := named_part(study, left, right)) is not None:
        name, part = named
        own = left_side(e, name)
        if own is not None:
            define_name(study, item, key, e, own, name, part, None, "the step gives this part a name")
            if key in study.walk.findings:
                show_whole(study, item, key, left, right)
            return
    after_arrow = key[2] > 0 and chain.links[key[2] - 1][0] in ("to", "implies")
    kind = "claim" if leads or after_arrow else "step"
    judge_claim(study, item, key, e, kind, left, relation, right)
