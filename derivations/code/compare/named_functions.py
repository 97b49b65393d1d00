"""Functions that a document only names (`elu`, `SiLU`): what they are where code says it with the function of that name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from derivations.language.statement import Definition, Statement, Theory
from derivations.language.substitution import rename_apart, substitute, subterms
from derivations.language.term import Apply, Entry, Lambda, Term
from derivations.lifting.operations.all_operations import call
from derivations.lifting.symbolic.arrays import Array
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.notes import Note

ACTIVATIONS = frozenset({"elu", "silu", "swish", "relu", "softplus", "sigmoid", "leaky_relu", "logsigmoid", "hardtanh"})
"""Functions of torch.nn.functional that have one meaning in all texts, called by their names."""
_ARGUMENT = "argument~"


def functions_of(t: Term) -> frozenset[str]:
    return frozenset(x.function for x in subterms(t) if isinstance(x, Apply))


def spelled_out(theory: Theory, heads: frozenset[str]) -> tuple[Theory, list[Note]]:
    """The definitions of `heads` with activations that the document only names put in, and what was put in."""
    rows: dict[str, tuple[Definition, ...]] = dict(theory.definitions)
    said: list[str] = []
    meanings: dict[str, Term | None] = {}
    for head in sorted(heads & theory.definitions.keys()):
        definitions = theory.definitions[head]
        found = [replace(d, body=_put_in(d.body, meanings)) for d in definitions]
        rows[head] = tuple(found)
        for old, new in zip(definitions, found, strict=True):
            said += sorted(functions_of(old.body) - functions_of(new.body))
    if not said:
        return theory, []
    return replace(theory, definitions=rows), [Note("spelled-out", (name,)) for name in dict.fromkeys(said)]


def _put_in(t: Term, meanings: dict[str, Term | None]) -> Term:
    if not any(_key(name) in ACTIVATIONS for name in functions_of(t)):
        return t
    if isinstance(t, Entry) and t.args:
        lambdas = [Lambda(a.params, _put_in(a.body, meanings)) for a in t.args]
        return Entry(t.name, t.indices, lambdas, t.sizes)
    t = t.with_children([_put_in(c, meanings) for c in t.children]) if t.children else t
    if isinstance(t, Apply):
        meaning = _meaning(t.function, meanings)
        if meaning is not None:
            return substitute(rename_apart(meaning, t.arg.free), tensors={_ARGUMENT: Lambda((), t.arg)})
    return t


def _key(name: str) -> str:
    return "leaky_relu" if name.lower() == "leakyrelu" else name.lower()


def _meaning(name: str, meanings: dict[str, Term | None]) -> Term | None:
    if name not in meanings:
        meanings[name] = None
        if _key(name) in ACTIVATIONS:
            try:
                made = call(Scope(), f"torch.nn.functional.{_key(name)}", [Array((), Entry(_ARGUMENT, ()))], {})
                meanings[name] = made.real(())
            except NotLifted:
                pass
    return meanings[name]


def unknown_functions(statements: Sequence[Statement]) -> list[str]:
    """Functions of the equation's side that the code does not have and that nothing says the meaning of."""
    return [n for s in statements for n in sorted(functions_of(s.left) - functions_of(s.right) - KNOWN)]


KNOWN = frozenset({"exp", "log", "sin", "cos", "tanh", "abs", "sqrt"})
"""Functions that the term language itself has."""
