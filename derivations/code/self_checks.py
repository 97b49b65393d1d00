"""Two results of a program that it compares, `assert torch.allclose(loop(x), matrix(x))`: proved for all inputs and lengths.

What the program draws or is given is any array, and a number that is only a length is any length.  A check that cannot
be proved is left to the run of the code: its tolerance may be meant.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace

from derivations.code.compare.labels import renamed_labels
from derivations.code.compare.statement import shown_in
from derivations.code.compare.unfolded_definitions import has_minus_infinity, with_definitions_put_in
from derivations.code.judgement_context import Context
from derivations.code.verdicts_in_place import decide_all
from derivations.documents.model.finding import Finding
from derivations.language.statement import Definition, Statement, Tensor, Theory
from derivations.language.substitution import fresh, labels_of, rename_apart, substitute, term_sizes
from derivations.language.term import Entry, Index, Lambda, Term, TermError, at_least, guard, less
from derivations.lifting.interpreter.self_checks import Compared
from derivations.lifting.loops.folds import moved
from derivations.lifting.settled_checks import SelfCheck, Side, settled
from derivations.lifting.symbolic.arrays import places
from derivations.lifting.symbolic.scope import Scope
from derivations.study.vacuity import emptied_by

LETTERS = "ijklabc"
"""What the axes of a result are called."""


def findings_of_self_checks(context: Context) -> Iterator[Finding]:
    """A finding for each check of a program that is proved."""
    interpreter = context.program.interpreter
    for check in (settled(interpreter.scope, c) for c in interpreter.checks):
        if check is None or check.compared is None:
            continue
        try:
            finding = _decided(context, check, check.compared)
        except TermError:  # too large: left to the run
            continue
        if finding.status == "proved" and not emptied_by(finding.decision):
            yield finding


def _decided(context: Context, check: SelfCheck, compared: Compared) -> Finding:
    block, node = compared.block, compared.node
    place = context.program.place(block, node.lineno, node.col_offset + 1)
    end = context.program.place(block, node.end_lineno or node.lineno).line
    made = Finding("assertion", "undecided", place, end, context.program.source(block, node), name=ast.unparse(node))
    statement, made.theory, _ = statement_of(context.program.interpreter.scope, check)
    for tried in (statement, with_definitions_put_in(statement, made.theory)):
        made.statements = (tried,)
        decide_all(made, context.decide)
        if made.status == "proved":
            break
    masked = has_minus_infinity(statement.left) or has_minus_infinity(statement.right)
    said = [n for n in compared.assumptions if masked or not n.row.masks]
    equal = [r.note for r in check.required if not any("~" in s for s in r.sizes)]
    lengths = [f"{n} = {k}" for n, k in _lengths(context, statement)]
    made.assumptions = tuple(dict.fromkeys(shown_in(n) for n in (*said, *equal)))
    stated = f" ({', '.join(lengths)} in the program)" if lengths else ""
    made.notes = (f"for all inputs and lengths{stated}, over the real numbers",)
    return made


def statement_of(scope: Scope, check: SelfCheck) -> tuple[Statement, Theory, Mapping[str, str]]:
    """The two sides as a statement for every entry, with the inputs of the program under the names of its variables; and
    these names."""
    inputs = scope.inputs
    names: dict[str, str] = {}
    labels = {n for side in (check.left, check.right) for t in _terms(side) for n in labels_of(t)}
    for head in dict.fromkeys((*check.shapes, *sorted(labels))):
        names[head] = fresh(inputs[head].name or "input", set(names.values()))
    own = {s for shape in check.shapes.values() for i in shape for s in i.sizes}
    sizes = _readable(own.union(*(_sizes(side) for side in (check.left, check.right))))
    relink = {h: _renamed(n, len(inputs[h].shape)) for h, n in names.items()}
    shapes = {h: check.shapes.get(h, inputs[h].shape) for h in names}
    tensors = {
        n: Tensor(n, tuple(s.substitute({}, sizes) for s in shapes[h]), constant=inputs[h].constant)
        for h, n in names.items()
    }
    letters = [fresh(c, set(tensors)) for c in LETTERS[: len(check.left.shape)]]
    at = {str(p): Index.var(c) for p, c in zip(places(len(letters)), letters, strict=True)}
    definitions: dict[str, tuple[Definition, ...]] = {}
    sides = []
    for side in (check.left, check.right):
        folds = {h: tuple(replace(d, body=renamed_labels(d.body, relink)) for d in r) for h, r in side.folds.items()}
        entry = renamed_labels(side.entry, relink)
        entry, families = moved(entry, folds, sizes, relink, {*tensors, *definitions})
        definitions |= families
        sides.append(substitute(rename_apart(entry, set(letters)), at))
    shape = [s.substitute({}, sizes) for s in check.left.shape]
    ranges = [
        c for v, s in zip(letters, shape, strict=True) for c in (at_least(Index.var(v), 0), less(Index.var(v), s))
    ]
    statement = Statement(sides[0], "=", sides[1], tuple(letters), guard(*ranges))
    return statement, Theory(tensors, definitions), names


def _terms(side: Side) -> Iterator[Term]:
    yield side.entry
    yield from (d.body for rows in side.folds.values() for d in rows)


def _sizes(side: Side) -> Iterator[str]:
    yield from term_sizes(side.entry)
    yield from (s for i in side.shape for s in i.sizes)
    for d in (d for rows in side.folds.values() for d in rows):
        yield from term_sizes(d.body)
        yield from (s for i in d.shape or () for s in i.sizes)


def _renamed(name: str, rank: int) -> Lambda:
    params = tuple(f"p{k}" for k in range(rank))
    return Lambda(params, Entry(name, [*map(Index.var, params)]))


def _readable(used: set[str]) -> dict[str, Index]:
    """Names for the lengths that the program has no name for."""
    found: dict[str, Index] = {}
    taken = {s for s in used if "~" not in s}
    for s in sorted(used - taken):
        name = fresh(s.split("~")[0] or "n", taken)
        taken.add(name)
        found[s] = Index.size(name)
    return found


def _lengths(context: Context, statement: Statement) -> Iterator[tuple[str, int]]:
    """The lengths of a statement that are one number in the program."""
    concrete = context.program.interpreter.scope.sizes.concrete
    used = (
        term_sizes(statement.left) | term_sizes(statement.right) | {s for c in statement.guard for s in c.index.sizes}
    )
    yield from ((s, concrete[s]) for s in sorted(used) if s in concrete)


__all__ = ["findings_of_self_checks", "statement_of"]
