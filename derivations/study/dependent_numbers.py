"""Random numbers of which nothing says that they are independent: what is proved of them must hold if they are not."""

from __future__ import annotations

import re
from dataclasses import replace

from derivations.documents.facts.sentence_patterns import INDEPENDENT
from derivations.language.statement import Law, Statement, Tensor, Theory
from derivations.language.substitution import fresh, substitute
from derivations.language.term import Entry, Index, Lambda, Number
from derivations.provers.decide import Proved
from derivations.study.verdict import Case, Verdict, heads_below

_UNCORRELATED = re.compile(r"\buncorrelated\b", re.IGNORECASE)


def taken_as_independent(case: Case, verdict: Verdict) -> tuple[str, ...]:
    """The random numbers that a proof takes to be independent, which the document does not say; () where it needs it not."""
    known, heads = case.known, heads_below(case, verdict)
    found = sorted((s.stem, s.head) for s in known.given if s.head in heads and _is_random_number(case, s.stem))
    if len(found) < 2 or any(INDEPENDENT.search(t) or _UNCORRELATED.search(t) for t in known.document.texts()):
        return ()
    decisions = [known.decide(s, case.theory) for s in verdict.statements]
    if not any(isinstance(d, Proved) and "expect_indep" in d.theorem.rules for d in decisions):
        return ()
    statements, theory = _as_one_vector(verdict.statements, case.theory, [head for _, head in found])
    again = (known.decide(s, theory) for s in statements)
    return () if all(isinstance(d, Proved) for d in again) else tuple(stem for stem, _ in found)


def _is_random_number(case: Case, stem: str) -> bool:
    """Whether a name is that of a random number."""
    return stem in case.known.names.random and not case.known.table.symbols[stem].dims


def _as_one_vector(
    statements: tuple[Statement, ...], theory: Theory, heads: list[str]
) -> tuple[tuple[Statement, ...], Theory]:
    """Statements about random numbers that may depend on one another: means, and the entries of one vector of mean zero."""
    taken = {*theory.tensors, *theory.definitions}
    vector = fresh("joint", taken)
    tensors = {**theory.tensors, vector: Tensor(vector, (Index.of(len(heads)),), law=Law(mean=Number(0)))}
    put: dict[str, Lambda] = {}
    for k, head in enumerate(heads):
        tensor = theory.tensors.get(head)
        mean = tensor.law.mean if tensor is not None and tensor.law is not None else None
        if mean is None:
            name = fresh("mean", {*taken, *tensors})
            tensors[name], mean = Tensor(name), Entry(name)
        put[head] = Lambda((), mean + Entry(vector, (k,)))
    definitions = {
        name: tuple(replace(d, body=substitute(d.body, tensors=put)) for d in made)
        for name, made in theory.definitions.items()
    }

    def about_vector(s: Statement) -> Statement:
        left, right = (substitute(t, tensors=put) for t in (s.left, s.right))
        return replace(s, left=left, right=right, hypotheses=tuple(map(about_vector, s.hypotheses)))

    return tuple(map(about_vector, statements)), Theory(tensors, definitions)
