"""Labels of code and document made the same: the classes of a batch that the code is given, and the $y_n$ of the equation."""

from __future__ import annotations

from collections.abc import Mapping

from derivations.code.compare.document_symbols import NotComparable
from derivations.language.substitution import change_labels
from derivations.language.term import Atom, Entry, Index, Lambda, Term, label


def renamed_labels(t: Term, put: Mapping[str, Lambda]) -> Term:
    """The term with the labels that are put for others, which are entries of arrays; raises `NotComparable` for other values."""

    def change(a: Atom) -> Index:
        found = put.get(a.name)
        *places, length = a.args
        if found is None:
            return label(a.name, places, length)
        if not isinstance(found.body, Entry) or found.body.args or len(found.params) != len(places):
            raise NotComparable(f"positions that are no entries of an array: {found.body}")
        at = dict(zip(found.params, places, strict=True))
        return label(found.body.name, [i.substitute(at) for i in found.body.indices], length)

    return change_labels(t, change)
