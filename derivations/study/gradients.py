r"""Gradients of a loss of which nobody says how it depends on things: `\frac{\partial L}{\partial y} = p - t`.

Such an equation defines the gradient as what the document states it to be, once; what is stated of it again, and what
follows from it, is a claim about any loss with this gradient.  Nothing is refuted about such a gradient: the loss may
depend on other things than those that are written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from derivations.language.term import TermError
from derivations.latex.elaborator.derivatives import UnknownLoss, given_gradient, is_derivative, of_loss
from derivations.latex.elaborator.equations import LeftSide
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.syntax.surface import Fraction, Node, walk
from derivations.study.admitting import define_name
from derivations.study.equation_walk import Item, Key, Refusal
from derivations.study.names_and_conditions import elaborator_for
from derivations.study.state import Study
from derivations.study.verdict import withheld


def with_given_gradients(
    study: Study,
    item: Item,
    key: Key,
    left: Node,
    relation: str,
    right: Node,
    leads: bool,
    problem: NotUnderstood,
    read: Callable[[], None],
) -> bool:
    """Read a relation, for which how a loss depends on something is missing, with its gradients as given tensors."""
    if not isinstance(problem, UnknownLoss):
        return False
    if leads and isinstance(left, Fraction) and any(is_derivative(n) for n in walk(right)):
        return False  # the chain rule: whether it has all ways to the loss is what is asked
    mark = study.table.sizes.mark()
    study.given_gradients = True
    try:
        if not (leads and relation in ("=", "equiv") and _states_gradient(study, item, key, left, right)):
            read()
    except (NotUnderstood, TermError, RecursionError):
        study.table.sizes.undo(mark)
        return False
    finally:
        study.given_gradients = False
    finding = study.walk.findings.get(key)
    if finding is not None:
        finding.assumptions = (*finding.assumptions, replace(problem.note, place=finding.place))
        if finding.status == "refuted":
            study.walk.findings[key] = withheld(finding, "ambiguous", f"false as read, but {problem.message}")
    return True


def _states_gradient(study: Study, item: Item, key: Key, left: Node, right: Node) -> bool:
    r"""`\frac{\partial L}{\partial y} = …` where nothing has been said of this gradient before: it defines it."""
    e = elaborator_for(study, item)
    found = of_loss(e, left) if isinstance(left, Fraction) else None
    if found is None:
        return False
    loss, symbol, by = found
    given = given_gradient(e, loss, symbol)
    if given.defined:
        return False
    whole = LeftSide(by.named(given.stem), by.slots)
    stated = replace(given, head=study.table.new_head(given.stem), defined=True)
    study.table.symbols[given.stem] = stated
    try:
        define_name(study, item, key, elaborator_for(study, item), whole, left, right, stated)
    except (NotUnderstood, Refusal) as problem:
        study.table.symbols[given.stem] = given
        raise NotUnderstood("not-conservative", str(problem), left.span) from problem
    study.table.symbols[f"d{loss}/d{symbol.stem}"] = study.table.symbols[given.stem]  # it may be called dx
    study.table.gradients[stated.head] = f"how {loss} depends on {symbol.stem}"
    return True
