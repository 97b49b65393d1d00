"""Doubts about indices that go as far as one length allows, in an array with another length."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from derivations.kernel.errors import KernelError
from derivations.kernel.obligation import obligations
from derivations.kernel.scope import Obligation, top_scope
from derivations.language.term import Entry, IndexValue
from derivations.study.doubts.doubt import Doubt
from derivations.study.verdict import Case, Verdict


def with_index_beyond(case: Case, verdict: Verdict) -> tuple[str] | None:
    r"""A name summed over to one length whose entries are as many as another: `\sum_{i=1}^m x_i` after `x \in \mathbb{R}^d`.

    The $x_i$ are members of a family rather, each with d entries, where m counts them: `\frac{1}{m} \sum_{i=1}^m x_i`.
    """
    theory = verdict.theory or case.theory
    for s in verdict.statements:
        try:
            owed = obligations(s, top_scope(theory, s))
        except KernelError:  # such a statement has no meaning, and is refused with that reason
            continue
        terms = (t for side in (s.left, s.right) for t in theory.reached(side))
        counts = {n for t in terms if isinstance(t, IndexValue) for n in t.index.sizes}
        for o in owed:
            if o.kind == "in range" and isinstance(o.subject, Entry) and _compares_lengths(o, counts):
                return (case.known.walk.stems.get(o.subject.name, o.subject.name.split("#")[0]),)
    return None


def _compares_lengths(o: Obligation, counts: AbstractSet[str]) -> bool:
    """Whether an index that one length bounds, which counts something, has to stay below another: two letters, of which
    nothing says which is larger."""
    for c in o.goal:
        bounds = {n for f in o.facts if f.free & c.free for n in f.index.sizes} & counts
        if c.free and c.index.sizes and bounds and not bounds & c.index.sizes:
            return True
    return False


_MEAN = r"Let $x, g \in \mathbb{R}^d$. The mean over the batch is $$\mu = \frac{1}{m} \sum_{i=1}^m x_i .$$ "
INDEX_BEYOND = Doubt(
    name="an index beyond the length",
    code="ambiguous",
    sentence="false as read, but {} is read with an index that may go beyond its entries",
    test=with_index_beyond,
    needed=_MEAN + r"Then $$\sum_{i=1}^m x_i = 2 m \mu .$$",
    silent=_MEAN.replace("i=1}^m", "i=1}^d").replace("{1}{m}", "{1}{d}") + r"Then $$\sum_{i=1}^d x_i = 2 d \mu .$$",
)
