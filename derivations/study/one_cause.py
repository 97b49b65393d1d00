"""One cause, one finding: what is wrong only because an earlier line is wrong.

A refuted line F follows from a refuted line E before it when F is *proved* once E is taken as given.  Since E is false,
E implies everything, so "given" must not mean a contradiction.  It means one of three things that have a model:

- the symbol on the left of E is defined by E instead of by the document (code: the wrong function is the definition);
- the symbols of E lose their definitions and E becomes a hypothesis about them, of which the prover wants a model;
- F goes on where E ends (`a = b = c`), and is decided with the left side of E in place of its right side.

Nothing here asks how a line was refuted, and a line that is wrong on its own account as well does not follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from derivations.documents.model.finding import Finding
from derivations.kernel.definition import admit
from derivations.kernel.errors import KernelError
from derivations.language.statement import Definition, Statement, Tensor, Theory
from derivations.language.substitution import term_sizes
from derivations.language.term import Constraint, Entry, Index, TermError, equal, guard, within
from derivations.provers.decide import Decision, Proved
from derivations.study.vacuity import emptied_by

Prove = Callable[[Statement, Theory], Decision]
"""Decides a statement; it need only look for a proof."""
MAX_TRIED = 60
"""Statements that are decided for one document."""

Given = tuple[tuple[Statement, ...], Theory]
"""What is decided in place of a line: its statements and what they may speak of."""


def find_causes(findings: Sequence[Finding], prove: Prove) -> dict[int, int]:
    """For the place in the list of each refuted line that only follows from another one, the place of that one.

    The other one stands before it and follows from none itself.  What its author expects or ignores is neither.
    """
    refuted = [k for k, f in enumerate(findings) if f.status == "refuted" and f.silenced is None and _said(f)]
    causes: dict[int, int] = {}
    tried = 0
    for n, k in enumerate(refuted):
        for before in refuted[:n]:
            if before in causes or k in causes:
                continue
            for statements, theory in _taken_as_given(findings[before], findings[k]):
                tried += len(statements)
                if tried > MAX_TRIED:
                    return causes
                if all(_holds(s, theory, prove) for s in statements):
                    causes[k] = before
                    break
    return causes


def _said(f: Finding) -> tuple[Statement, ...]:
    return f.statements or ((f.statement,) if f.statement is not None else ())


def _holds(s: Statement, theory: Theory, prove: Prove) -> bool:
    try:
        decision = prove(s, theory)
    except (KernelError, TermError):
        return False
    return isinstance(decision, Proved) and not emptied_by(decision)


def _taken_as_given(cause: Finding, line: Finding) -> Iterator[Given]:
    """The ways to decide a line with an earlier one taken as given."""
    given, wanted = _said(cause), _said(line)
    if any(s.relation != "=" or s.hypotheses for s in given):
        return
    if set(wanted) <= set(given):
        yield (), line.theory  # the same again
        return
    if len(given) == 1 and all(s.left is given[0].right and s.indices == given[0].indices for s in wanted):
        yield tuple(replace(s, left=given[0].left) for s in wanted), line.theory
    heads = {h for s in wanted for t in (s.left, s.right) for u in line.theory.reached(t) for h in u.heads}
    own = {h for s in given for h in (*s.left.heads, *s.right.heads)}
    if not own & heads:
        return
    redefined = _redefined(given[0], line.theory, cause.theory) if len(given) == 1 else None
    if redefined is not None:
        yield wanted, redefined
    forgotten = _forgotten(own, line.theory)
    if forgotten is not None:
        yield tuple(replace(s, hypotheses=(*s.hypotheses, *given)) for s in wanted), forgotten


def _redefined(given: Statement, theory: Theory, known: Theory) -> Theory | None:
    """The theory in which a symbol is what a wrong line says of it; None where the line says it of no symbol."""
    left = given.left
    if not isinstance(left, Entry) or left.name not in theory.definitions:
        return None
    variables = [v for i in left.indices for v in i.free]
    if len(set(variables)) != len(variables) or any(i is not Index.var(v) for i, v in _pairs(left, variables)):
        return None
    tensors, lengths = _parameters(left, known), _lengths(left)
    if tensors is None or lengths is None or (left.sizes and not term_sizes(given.right) <= set(lengths[0])):
        return None
    sizes, alike = lengths
    old = theory.definitions[left.name][0]
    named = dict(zip(old.sizes, left.sizes, strict=True)) if len(old.sizes) == len(left.sizes) else None
    if named is None or old.shape is None or len(old.shape) != len(variables):
        return None
    shape = tuple(i.substitute({}, named) for i in old.shape)
    ranges: set[Constraint] = {c for v, i in zip(variables, shape, strict=True) for c in within(v, 0, i)}
    condition = guard(*alike, *(() if set(given.guard) <= ranges else given.guard))
    rest = {n: ds for n, ds in theory.definitions.items() if n != left.name}
    new = {h: t for h, t in known.tensors.items() if h not in theory.tensors and h not in theory.definitions}
    new = {h: t for h, t in new.items() if h not in {t.name for t in tensors}}
    definition = Definition(left.name, left.indices, given.right, condition, tensors, sizes, shape)
    try:
        made = admit(Theory({**theory.tensors, **new}, rest), definition)
    except (KernelError, TermError):
        return None
    circular = any(made.depends(d.body, frozenset((h,))) for h in (left.name,) for d in made.definitions[h])
    return None if circular else made


def _pairs(left: Entry, variables: Sequence[str]) -> Iterator[tuple[Index, str]]:
    if len(left.indices) == len(variables):
        yield from zip(left.indices, variables, strict=True)
    else:
        yield Index.of(0), ""


def _lengths(left: Entry) -> tuple[tuple[str, ...], tuple[Constraint, ...]] | None:
    """The lengths that a defined symbol is applied to as parameters, and which of them have to be equal."""
    sizes: list[str] = []
    alike: list[Constraint] = []
    for k, i in enumerate(left.sizes):
        name = min(i.sizes, default="")
        if i is not Index.size(name):
            return None
        if name in sizes:
            alike.append(equal(i, Index.size(f"{name}~{k}")))
            name = f"{name}~{k}"
        sizes.append(name)
    return tuple(sizes), tuple(alike)


def _parameters(left: Entry, known: Theory) -> tuple[Tensor, ...] | None:
    """The tensors that a defined symbol is applied to, where these are distinct given tensors and nothing else."""
    found = []
    for a in left.args:
        t = a.body
        if not isinstance(t, Entry) or t.args or t.indices != tuple(Index.var(p) for p in a.params):
            return None
        tensor = known.tensors.get(t.name)
        if tensor is None or tensor in found:
            return None
        found.append(tensor)
    return tuple(found)


def _forgotten(heads: set[str], theory: Theory) -> Theory | None:
    """The theory in which symbols are given that the document defines; None where one has parameters or no shape."""
    defined = [h for h in sorted(heads) if h in theory.definitions]
    rows = [d for h in defined for d in theory.definitions[h]]
    if any(d.tensors or d.sizes or d.shape is None for d in rows):
        return None
    tensors = {h: Tensor(h, theory.shape(h) or ()) for h in defined}
    rest = {n: ds for n, ds in theory.definitions.items() if n not in tensors}
    return Theory({**theory.tensors, **tensors}, rest)
