"""A doubt about derivatives of states: what else depends on the state before may be meant to be held fixed."""

from __future__ import annotations

from derivations.language.term import Derivative
from derivations.latex.lexicon.differentiated_symbols import MARK
from derivations.study.doubts.doubt import Doubt
from derivations.study.verdict import Case, Verdict


def with_gates_fixed(case: Case, verdict: Verdict) -> tuple[str] | None:
    r"""A derivative of a state, or by one, whose step goes through other names that depend on the state before.

    `\partial c_t / \partial c_{t-1} = f_t` of `c_t = f_t c_{t-1} + i_t` is said of the direct way alone, where the gates
    depend on the state before as well.
    """
    sides = (side for s in verdict.statements for side in (s.left, s.right))
    for t in (t for side in sides for t in case.theory.reached(side)):
        if isinstance(t, Derivative):
            heads = {h.split(MARK)[0] for h in (t.name, *t.body.heads)}
            if stems := [case.known.walk.stems.get(h, h) for h in sorted(heads & case.known.walk.written_out)]:
                return (stems[0],)
    return None


_STATE = (
    r"Let $x_t \in \mathbb{R}$ and $c_0 = 0$. $$f_t = u c_{t-1} + v x_t$$ $$c_t = f_t c_{t-1} + x_t$$ Then "
    r"$$\frac{\partial c_t}{\partial c_{t-1}} = f_t .$$"
)
GATES_FIXED = Doubt(
    name="a derivative with others held fixed",
    code="ambiguous",
    sentence="false as a total derivative, but what {} goes through besides may be held fixed",
    test=with_gates_fixed,
    needed=_STATE,
    silent=_STATE.replace("u c_{t-1} + v x_t", "v x_t").replace("= f_t .", "= f_t + v ."),
)
