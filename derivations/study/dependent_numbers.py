"""Random names of which nothing says that they are independent: what is proved of them must hold if they are not."""

from __future__ import annotations

import re
from dataclasses import replace

from derivations.documents.facts.sentence_patterns import INDEPENDENT
from derivations.documents.model.document import CLOSE, OPEN
from derivations.language.statement import Definition, Law, Statement, Tensor, Theory
from derivations.language.substitution import fresh, substitute
from derivations.language.term import Entry, Index, Lambda, Number
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.syntax.letters import FAMILY
from derivations.latex.syntax.surface import Operator, walk
from derivations.provers.decide import Proved
from derivations.study.equation_walk import Item
from derivations.study.verdict import Case, Verdict, heads_below

_UNCORRELATED = re.compile(r"\buncorrelated\b", re.IGNORECASE)


def taken_as_independent(case: Case, verdict: Verdict) -> tuple[str, ...]:
    """The random names that a proof takes to be independent, which the document does not say; () where it needs it not."""
    known, heads = case.known, heads_below(case, verdict)
    found = sorted((s.stem, s.head) for s in known.given if s.head in heads and _is_random(case, s.stem))
    if len(found) < 2 or _are_said_independent(case, {stem for stem, _ in found}):
        return ()
    decisions = [known.decide(s, case.theory) for s in verdict.statements]
    if not any(isinstance(d, Proved) and "expect_indep" in d.theorem.rules for d in decisions):
        return ()
    statements, theory = _as_one_array(verdict.statements, case.theory, [head for _, head in found])
    again = (known.decide(s, theory) for s in statements)
    return () if all(isinstance(d, Proved) for d in again) else tuple(stem for stem, _ in found)


def _are_said_independent(case: Case, stems: set[str]) -> bool:
    """Whether the words around a claim say that names are independent, or a paragraph whose formulas have all these names, or
    words without any formula; a row of a table says it of its own formulas."""
    known = case.known
    if any(map(_says_independent, [_words_around(case.item), *(t for t in known.document.texts() if OPEN not in t)])):
        return True
    used: dict[str, set[str]] = {}
    for item in (i for own in known.formulas.values() for i in own if not known.document.in_table(i.span)):
        if _says_independent(_words_around(item)):
            names = {w.stem.removesuffix(FAMILY) for w in uses(known.names, item.reading.chain)}
            used.setdefault(item.context.paragraph, set()).update(names)
    return any({s.removesuffix(FAMILY) for s in stems} <= names for names in used.values())


def _says_independent(words: str) -> bool:
    return INDEPENDENT.search(words) is not None or _UNCORRELATED.search(words) is not None


def _words_around(item: Item) -> str:
    """The paragraph of a formula, without the other rows of its table."""
    own = f"{OPEN}{item.span.index}{CLOSE}"
    lines = item.context.paragraph.split("\n")
    return "\n".join(line for line in lines if own in line or not line.lstrip().startswith("|"))


def dependent_instance(case: Case, verdict: Verdict) -> tuple[Theory, tuple[str, ...]] | None:
    """A theory in which random names that a proof takes to be independent have their deviations from the mean in common;
    None where the claim writes no covariance of two of them, and so may speak of independent ones.

    It is one law that they may have, and serves for a counterexample only.
    """
    written = [n for side in (case.left, case.right) for n in walk(side) if isinstance(n, Operator)]
    if not any(n.name == "Cov" and len(n.arguments) > 1 for n in written):
        return None
    stems = taken_as_independent(case, verdict)
    heads = [case.known.table.symbols[stem].head for stem in stems]
    shapes = {case.theory.shape(head) for head in heads}
    if not heads or len(shapes) > 1 or None in shapes:
        return None
    (shape,) = shapes
    taken = {*case.theory.tensors, *case.theory.definitions}
    names = tuple(f"p{n}" for n, _ in enumerate(shape or ()))
    place = tuple(map(Index.var, names))
    common = fresh("deviation", taken)
    tensors = {**case.theory.tensors, common: Tensor(common, shape or (), law=Law(Number(0), Number(1)))}
    made: dict[str, tuple[Definition, ...]] = {}
    for head in heads:
        mean = fresh(f"mean_of_{head}", {*taken, *tensors})
        tensors[mean] = Tensor(mean, shape or ())
        del tensors[head]
        made[head] = (Definition(head, place, Entry(mean, place) + Entry(common, place), shape=shape or ()),)
    return Theory(tensors, {**case.theory.definitions, **made}), stems


def _is_random(case: Case, stem: str) -> bool:
    """Whether a name is that of a random number, or of a random vector of whose law nothing is said."""
    table = case.known.table
    symbol, law = table.symbols[stem], table.laws.get(stem)
    if symbol.head in table.drawn:
        return False  # a subscript draws it by itself
    if stem in case.known.names.random and not symbol.dims:
        return True
    return law is not None and law.mean is None and law.variance is None


def _as_one_array(
    statements: tuple[Statement, ...], theory: Theory, heads: list[str]
) -> tuple[tuple[Statement, ...], Theory]:
    """Statements about random numbers and vectors that may depend on one another: means, and entries of one array of mean
    zero, in which each of them has a row."""
    taken = {*theory.tensors, *theory.definitions}
    joint = fresh("joint", taken)
    shapes = [theory.shape(head) or () for head in heads]
    axes = max(map(len, shapes))
    lengths = [sum((s[k] for s in shapes if k < len(s)), Index.of(1)) for k in range(axes)]
    tensors = {**theory.tensors, joint: Tensor(joint, (Index.of(len(heads)), *lengths), law=Law(mean=Number(0)))}
    put: dict[str, Lambda] = {}
    for k, (head, shape) in enumerate(zip(heads, shapes, strict=True)):
        names = tuple(f"p{n}" for n, _ in enumerate(shape))
        place = tuple(map(Index.var, names))
        tensor = theory.tensors.get(head)
        mean = tensor.law.mean if tensor is not None and tensor.law is not None else None
        if mean is None:
            name = fresh("mean", {*taken, *tensors})
            tensors[name], mean = Tensor(name, shape), Entry(name, place)
        rest = (0,) * (axes - len(shape))
        put[head] = Lambda(names, mean + Entry(joint, (k, *place, *rest)))
    definitions = {
        name: tuple(replace(d, body=substitute(d.body, tensors=put)) for d in made)
        for name, made in theory.definitions.items()
    }

    def about_array(s: Statement) -> Statement:
        left, right = (substitute(t, tensors=put) for t in (s.left, s.right))
        return replace(s, left=left, right=right, hypotheses=tuple(map(about_array, s.hypotheses)))

    return tuple(map(about_array, statements)), Theory(tensors, definitions)
