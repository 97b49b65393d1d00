r"""Functions of numbers whose argument is called like an array: `\sigma(x) = \frac{1}{1 + e^{-x}}` beside a vector x.

The argument of a function is a name of its own.  Where a relation has no meaning for the array that has this name
elsewhere, and everything else in it is a number, the argument is a number: the function is one of numbers, and arrays
are put into it entry by entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from derivations.language.term import TermError
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.lexicon.name_roles import Names, called_in, uses
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.lexicon.written_names import Written
from derivations.latex.syntax.function_names import arguments_of
from derivations.latex.syntax.surface import Adjacent, Enclosed, Mark, Matrix, Name, Node, Operator, Scripted, walk
from derivations.notes import Note
from derivations.study.equation_walk import Key
from derivations.study.state import Study

_UNREAD_SHAPES = frozenset({"shape-conflict", "unknown-notation", "ambiguous"})


def with_number_arguments(
    study: Study, key: Key, left: Node, right: Node, problem: NotUnderstood, read: Callable[[], None]
) -> bool:
    """Read a relation that has no meaning for arrays with the arguments of its functions as numbers."""
    if problem.code not in _UNREAD_SHAPES:
        return False
    stems = _arguments(study, left, right)
    if not stems:
        return False
    symbols, mark = study.table.symbols, study.table.sizes.mark()
    before = {stem: symbols.get(stem) for stem in stems}
    for stem in stems:
        symbols[stem] = Symbol(stem, study.table.new_head(stem), (), exact=False)
    put = {stem: symbols[stem] for stem in stems}
    try:
        read()
    except (NotUnderstood, TermError, RecursionError):
        study.table.sizes.undo(mark)
        return False
    finally:
        for stem, symbol in before.items():
            if symbols.get(stem) is not put[stem]:
                continue
            if symbol is None:
                del symbols[stem]
            else:
                symbols[stem] = symbol
    finding = study.walk.findings.get(key)
    if finding is not None:
        notes = tuple(Note("argument-is-number", (stem,), place=finding.place) for stem in stems)
        study.walk.findings[key] = replace(finding, assumptions=(*finding.assumptions, *notes))
    return True


def _arguments(study: Study, left: Node, right: Node) -> tuple[str, ...]:
    """The names of arrays that only stand as arguments of functions of one name, or beside these; none if more is no number."""
    names, sides = study.names, (left, right)
    if any(isinstance(n, Matrix | Mark) for side in sides for n in walk(side)):
        return ()
    norms = (n for side in sides for n in walk(side) if isinstance(n, Enclosed) and n.kind == "norm")
    measured = {w.stem for n in norms for w in uses(names, n)}  # what has a norm is no number
    given = {w.stem for side in sides for w in _alone_in_calls(names, side)} - measured
    called = {stem for side in sides for stem in called_in(names, side)} - given  # x (1 + x) is a product
    if any(_is_unknown(study, stem) for stem in called - set(called_in(names, left)) - names.activations):
        return ()  # its values may be arrays
    found: dict[str, None] = {}
    for w in (w for side in sides for w in uses(names, side)):
        if w.stem in given and not w.slots and not w.transposed and not w.bold:
            if _rank(study, w):
                found[w.stem] = None
        elif w.stem in given or (
            names.overloaded(w.stem, 1) not in called and w.stem not in called and _rank(study, w)
        ):
            return ()
    return tuple(found)


def _is_unknown(study: Study, stem: str) -> bool:
    """Whether nothing defines a function."""
    symbol = study.table.find_stem(stem)
    return symbol is None or symbol.parameters is None


def _alone_in_calls(names: Names, node: Node) -> Iterator[Written]:
    r"""The names that alone are what a function is called with: the x of `f(x)` and of `\tanh(x)`."""
    for n in walk(node):
        if isinstance(n, Operator) and n.sub is None and len(n.arguments) == 1:
            yield from _name_in(names, n.arguments[0])
        for head, after in zip(n.items, n.items[1:], strict=False) if isinstance(n, Adjacent) else ():
            if isinstance(head, Name | Scripted) and isinstance(after, Enclosed) and after.kind == "()":
                nodes, _ = arguments_of(after)
                if len(nodes) == 1 and names.written(head) is not None:
                    yield from _name_in(names, nodes[0])


def _name_in(names: Names, node: Node) -> Iterator[Written]:
    inner = node.content if isinstance(node, Enclosed) and node.content is not None else node
    w = names.written(inner) if isinstance(inner, Name) else None
    if w is not None:
        yield w


def _rank(study: Study, w: Written) -> int:
    """How many axes a name has as written."""
    symbol = study.table.symbols.get(w.stem)
    if symbol is None:
        declared = study.table.declared.get(w.stem)
        whole = len(declared.dims) if declared is not None else study.names.rank(w) + len(w.slots)
    else:
        whole = len(symbol.dims)
    return max(0, whole - len(w.slots))
