"""Doubts about what another relation has no meaning with: the names of a claim, or the chain that it is a part of."""

from __future__ import annotations

from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.syntax.surface import walk
from derivations.study.doubts.doubt import Doubt
from derivations.study.verdict import Case, Verdict, heads_below


def with_contradicted_axes(case: Case, verdict: Verdict) -> tuple[str, str] | None:
    """A given name whose axes are a guess with which another relation of the section has no meaning."""
    known, document = case.known, case.known.document
    guessed = {stem: s for stem, s in _symbols_below(case, verdict).items() if not s.exact and not s.defined}
    for key in sorted(known.walk.conflicts) if guessed else ():
        if document.block_of(document.spans[key[0]]).section != case.item.section:
            continue
        for item in known.formulas.get(key[0], ()):
            if item.number != key[1]:
                continue
            for node in walk(item.reading.chain):
                w = known.names.written(node)
                if w is not None and w.stem in guessed and (found := known.walk.findings.get(key)) is not None:
                    return w.stem, str(found.place.line)
    return None


CONTRADICTED_AXES = Doubt(
    name="axes that another line contradicts",
    code="ambiguous",
    sentence="false as read, but with the axes that {} has then, line {} has no meaning",
    test=with_contradicted_axes,
    needed=r"For $x \in \mathbb{R}^n$ let $$s = \sum_{i=1}^n x_i u_i .$$ Here $x + \operatorname{tr}(u) x = 0$. "
    r"It is $$2 s = 3 \sum_{i=1}^n x_i u_i .$$",
    silent=r"For $x \in \mathbb{R}^n$ let $$s = \sum_{i=1}^n x_i u_i .$$ Here $x + \operatorname{tr}(w) x = 0$. "
    r"It is $$2 s = 3 \sum_{i=1}^n x_i u_i .$$",
)


def beside_link_without_meaning(case: Case, verdict: Verdict) -> tuple[()] | None:
    """A part of a chain, of which another part does not fit: the names that they share may be read wrongly."""
    conflicts = case.known.walk.conflicts
    return () if any(k[:2] == case.key[:2] and k != case.key for k in conflicts) else None


_TOTAL = r"For $x \in \mathbb{R}^n$ and $A \in \mathbb{R}^{n \times k}$ let $$s = \sum_{i=1}^n x_i .$$ "

LINK_WITHOUT_MEANING = Doubt(
    name="a chain of which a part has no meaning",
    code="ambiguous",
    sentence="false as read, but another part of the chain has no meaning as it is read",
    test=beside_link_without_meaning,
    needed=_TOTAL + r"Then $$\operatorname{tr}(A) = 2 s = 3 s .$$",
    silent=_TOTAL + r"Then $$\operatorname{tr}(A) = 2 s$$ and $$2 s = 3 s .$$",
)


def _symbols_below(case: Case, verdict: Verdict) -> dict[str, Symbol]:
    """The names that a verdict speaks of, by how they are written."""
    heads = heads_below(case, verdict)
    return {stem: s for stem, s in case.known.table.symbols.items() if s.head in heads}
