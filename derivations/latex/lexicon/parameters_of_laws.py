"""What normal laws tell of names: which are their parameters, and which length is that of what they are about."""

from __future__ import annotations

from collections.abc import Iterator

from derivations.latex.lexicon.name_roles import Names, uses
from derivations.latex.lexicon.written_names import Written
from derivations.latex.passes.known_divergences import LAW
from derivations.latex.syntax.surface import Node, Operator, walk


def names_of_laws(names: Names, node: Node) -> Iterator[Written]:
    """The names in the means and variances of the laws that are compared."""
    for n in walk(node):
        if isinstance(n, Operator) and n.name == LAW:
            yield from (w for a in n.arguments for w in uses(names, a))


def length_of_laws(names: Names, node: Node) -> str | None:
    r"""The k of `\frac{1}{2} (… - k)` beside laws: the only length that an equation writes outside of them."""
    inside = {w.stem for w in names_of_laws(names, node)}
    written = {w.stem for w in uses(names, node) if not w.slots} & names.sizes - inside if inside else set()
    return next(iter(written)) if len(written) == 1 else None
