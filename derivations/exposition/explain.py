"""A proof as a person would write it: one reason per line, definitions folded until they are needed.

What is shown is taken from the replayed proof itself; polynomial identities and renamings are not lines of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from derivations.kernel.proof import (
    Chain,
    Clear,
    Compute,
    Have,
    Induct,
    Meet,
    Proof,
    Raise,
    Sign,
    SignSplit,
    Split,
    Step,
)
from derivations.kernel.scope import put
from derivations.kernel.theorem import Theorem
from derivations.language.inputs import Inputs
from derivations.language.meaning import evaluate
from derivations.language.statement import Theory
from derivations.language.substitution import alpha_equal
from derivations.language.term import ZERO, Apply, Constraint, Entry, Index, Mul, Number, Pow, Term, at_least, equal
from derivations.latex.writer import RELATION_LATEX, Habits, Style, symbol, write_condition, write_latex
from derivations.provers.refute import decimal

HIDDEN = frozenset(
    {"alpha", "ring", "sum_congr_range", "bracket_congr", "if_bracket", "apply_ite", "index_eq", "index_congr"}
)
"""Rules that are no line of their own (their effect shows in the next line)."""

TIDYING = frozenset({"sum_congr_range", "alpha"})
"""Of these, the ones that belong to the line before."""

SHOWN_AS_WRITTEN = frozenset({"", "unfold", "hypothesis"})
"""Rules after which a term is shown as it is put; after others, terms are collected in the same line."""

MINOR = frozenset(
    {
        "mul_sum",
        "sum_add_distrib",
        "sum_ite",
        "sum_ite_eq",
        "sum_comm",
        "sum_const",
        "sum_zero",
        "sum_empty",
        "sum_split",
    }
    | {"ite_subst", "if_pos", "sum_bij", "ring"}
)
"""In a long derivation, neighbouring steps by these rules are one line."""

MAX_SORTED = 500
"""Most steps that are put into an order for people."""

LONG = 6
"""Lines from which a derivation is long."""

REASONS: dict[str, str] = {
    "alpha": "rename bound indices",
    "ring": "collect terms",
    "unfold": "definition of {name}",
    "hypothesis": "by the assumption",
    "index_eq": "the indices are equal here",
    "sum_add_distrib": "sum each term on its own",
    "mul_sum": "pull factors that do not depend on the index out of the sum",
    "sum_comm": "exchange the sums",
    "sum_congr_range": "describe the range in another way",
    "sum_ite": "the indicator limits the range of the sum",
    "sum_empty": "the sum has no terms",
    "sum_zero": "all terms are zero",
    "sum_ite_eq": "only one term of the sum is left",
    "sum_split": "write the sum in parts",
    "sum_bij": "shift the index",
    "sum_const": "count the equal terms",
    "telescope": "sum of consecutive powers",
    "bracket_congr": "evaluate the indicator",
    "choice_value": "the sign is known",
    "choice_bracket": "write the cases with an indicator",
    "choice_scale": "a positive factor does not change the sign",
    "choice_neg": "one of two opposite values is positive, unless both are zero",
    "apply_choice": "apply to both cases",
    "max_choice": "the maximum by cases",
    "abs_choice": "the absolute value by cases",
    "ite_subst": "the indicator fixes the index",
    "if_pos": "choose the case",
    "if_bracket": "write the cases with an indicator",
    "apply_ite": "treat the cases separately",
    "exp_bot": r"$e^{-\infty} = 0$",
    "bot_add": r"$-\infty$ plus a real number is $-\infty$",
    "bot_mul": r"a positive multiple of $-\infty$ is $-\infty$",
    "mul_inv_cancel": "a non-zero number times its reciprocal is 1",
    "sq_sqrt": "square of a square root",
    "root_mul": "root of a product",
    "root_even": "root of a square",
    "abs_value": "absolute value of what has a known sign",
    "abs_mul": "absolute value of a product",
    "abs_even": "even power of an absolute value",
    "pow_exp": "power of a positive base",
    "pow_add": "exponents of one base add up",
    "max_congr": "both maxima have the same values",
    "max_add": "pull a constant out of the maximum",
    "max_mul": "pull a non-negative factor out of the maximum",
    "log_exp": "logarithm of an exponential",
    "exp_log": "exponential of a logarithm",
    "log_mul": "logarithm of a product",
    "log_inv": "logarithm of a power",
    "sum_perm": "a permutation only reorders the terms of the sum",
    "sum_axis": "split the axis into heads and channels",
    "tanh_exp": "hyperbolic tangent by exponentials",
    "index_congr": "the positions are equal here",
    "sin_add": "sine of a sum",
    "cos_add": "cosine of a sum",
    "sin_neg": "sine is odd",
    "cos_neg": "cosine is even",
    "cos_sq": "cosine squared is one minus sine squared",
    "det_product": "the determinant of a product",
    "det_exchange": "det(I + AB) = det(I + BA)",
    "det_scale": "the determinant of a multiple",
    "det_transpose": "the determinant of the transpose",
    "det_identity": "the determinant of the identity",
    "det_one": "the determinant of a single number",
    "trig_zero": "sine and cosine of zero",
    "trig_value": "a value of sine and cosine at a multiple of π",
    "trig_turn": "sine and cosine after half turns",
    "deriv": "differentiate",
    "expect_add": "the expectation of a sum is the sum of the expectations",
    "expect_normal": "the mean of an exponential, a sine or a cosine of what is normal",
    "expect_mul": "what is not random leaves the expectation",
    "expect_indep": "expectation of a product of independent factors",
    "expect_moment": "the given mean and variance",
}
"""What a person reads for each rule."""

REVERSED: dict[str, str] = {
    "sum_add_distrib": "write the sums as one",
    "mul_sum": "move factors that do not depend on the index into the sum",
    "sum_ite": "write the range of the sum with an indicator",
    "sum_ite_eq": "write a term as a sum with an indicator",
    "sum_split": "join the parts of the sum",
    "sum_axis": "write heads and channels as one axis",
    "sin_add": "sums of products are the sine of a sum",
    "cos_add": "sums of products are the cosine of a sum",
    "max_add": "move a constant into the maximum",
    "max_mul": "move a non-negative factor into the maximum",
    "root_mul": "product of roots",
    "log_mul": "sum of logarithms",
    "log_inv": "multiple of a logarithm",
    "expect_add": "the sum of the expectations is the expectation of the sum",
}
"""The same where a line follows from the one before by a rule that goes the other way."""


@dataclass(frozen=True)
class Line:
    """One line: `relation term` and why it follows from the line before (`rule` is the kernel's name for it)."""

    relation: str
    term: str
    reason: str
    rule: str


def explain(theorem: Theorem, style: Style | None = None, *, plain: bool = False) -> list[Line]:
    """The derivation of a theorem, from its left side to its right side, in LaTeX (`plain`: in canonical text)."""
    s = theorem.statement
    habits = Habits(s.indices)
    habits.learn(s.left)
    habits.learn(s.right, letters=False)
    names = sorted(s.left.heads | s.right.heads)
    for name in names:  # what the statement names, then what is behind it
        for definition in theorem.theory.definitions.get(name, ()):
            habits.learn(definition.body)
            names += sorted(definition.body.heads - set(names))
    explainer = _Explainer(style or Style(), plain, theorem.theory, habits)
    return explainer.proof(theorem.proof, s.left, s.relation, s.right)


@dataclass(frozen=True)
class _State:
    term: Term
    reason: str
    rule: str


class _Explainer:
    def __init__(self, style: Style, plain: bool, theory: Theory, habits: Habits) -> None:
        self.style, self.plain, self.theory, self.habits = style, plain, theory, habits

    def latex(self, t: Term) -> str:
        return str(t) if self.plain else write_latex(t, self.style, self.habits)

    def condition(self, c: Constraint) -> str:
        return str(c) if self.plain else write_condition((c,), self.style)

    def claim(self, left: Term, relation: str, right: Term) -> str:
        return f"{self.latex(left)} {relation if self.plain else RELATION_LATEX[relation]} {self.latex(right)}"

    def proof(self, p: Proof, left: Term, relation: str, right: Term) -> list[Line]:
        if isinstance(p, Meet):
            return self.meet(p, left, right)
        if isinstance(p, Split):
            lines = [Line("case", self.condition(p.on), "first case", "split")]
            lines += self.proof(p.holds, left, relation, right)
            for other, rest in zip(p.on.negations(), p.fails, strict=True):
                lines.append(Line("case", self.condition(other), "other case", "split"))
                lines += self.proof(rest, left, relation, right)
            return lines
        if isinstance(p, SignSplit):
            lines = []
            for reason, relation_, rest in (("first case", "<", p.above), ("other case", "<=", p.otherwise)):
                claim = self.claim(ZERO, "<", p.on) if relation_ == "<" else self.claim(p.on, "<=", ZERO)
                lines += [Line("case", claim, reason, "split"), *self.proof(rest, left, relation, right)]
            return lines
        if isinstance(p, Have):
            s = p.lemma
            lines = [Line("case", self.claim(s.left, s.relation, s.right), "lemma", "lemma")]
            lines += self.proof(p.why, s.left, s.relation, s.right)
            lines.append(Line("case", self.claim(left, relation, right), "with the lemma", "lemma"))
            return lines + self.proof(p.rest, left, relation, right)
        if isinstance(p, Induct):
            here = Index.var(p.var)
            lines = [Line("case", self.condition(equal(here, p.start)), "induction starts here", "induction")]
            lines += self.proof(p.base, left, relation, right)
            lines.append(Line("case", self.condition(at_least(here, p.start + 1)), "induction step", "induction"))
            return lines + self.proof(p.step, left, relation, right)
        if isinstance(p, Clear):
            factor = self.latex(p.factor)
            sign = "not zero" if relation == "=" else "positive"
            lines = [Line("", factor, f"multiply both sides by this factor, which is {sign}", "clear")]
            return lines + self.proof(p.rest, Mul((left, p.factor)), relation, Mul((right, p.factor)))
        if isinstance(p, Raise):
            raised = Apply("exp", left), Apply("exp", right)
            lines = [Line("case", self.claim(raised[0], relation, raised[1]), "the exponential is increasing", "raise")]
            return lines + self.proof(p.rest, raised[0], relation, raised[1])
        if isinstance(p, Sign):
            states = self.states(right - left, p.steps)
            reason = "" if left is ZERO else "the difference of the two sides"
            lines = [Line("", self.latex(right - left), reason, "sign")]
            lines += [Line("=", self.latex(s.term), s.reason, s.rule) for s in states[1:]]
            above = {"<": ">", "<=": r"\ge", "!=": r"\ne"}[relation]
            above = {r"\ge": ">=", r"\ne": "!="}.get(above, above) if self.plain else above
            return _without_repetition(
                [*lines, Line(above, self.latex(ZERO), "every part of it has a known sign", "sign")]
            )
        if isinstance(p, Compute):
            sign = relation if self.plain else RELATION_LATEX[relation]
            near = "~" if self.plain else r"\approx"
            values = [decimal(evaluate(side, self.theory, Inputs({}))) for side in (left, right)]
            first, last = (
                Line("", self.latex(left), "", ""),
                Line(near, self.latex(right), "computed rigorously", "compute"),
            )
            between = [Line(near, values[0], "computed rigorously", "compute")] if values[0] != first.term else []
            apart = Line(sign, values[1], "the rigorous values are apart", "compute")
            return [first, *between, apart, *([last] if values[1] != last.term else [])]
        return []

    def meet(self, p: Meet, left: Term, right: Term) -> list[Line]:
        first = self.states(left, p.left)
        second = self.states(right, p.right)
        for s in first:  # what begins with the words of the author goes on with the author's letters
            self.habits.learn(s.term)
        lines = [Line("", self.latex(left), "", "")]
        lines += [Line("=", self.latex(s.term), s.reason, s.rule) for s in first[1:]]
        for k in range(len(second) - 1, 0, -1):
            lines.append(Line("=", self.latex(second[k - 1].term), _other_way(second[k]), second[k].rule))
        if len(lines) == 1:
            lines.append(Line("=", self.latex(right), REASONS["ring"], "ring"))
        return _without_repetition(lines)

    def states(self, start: Term, chain: Chain) -> list[_State]:
        """The terms worth showing: after each visible step, equal reasons joined."""
        states = [_State(start, "", "")]
        term = start
        hidden = ""
        chain = _unfolded_first(chain)
        for k, step in enumerate(chain):
            term = put(term, step.path, step.after)
            rule = "ring" if _writes_a_root_anew(step) else step.rule
            if rule in HIDDEN:
                if rule in TIDYING and not hidden and len(states) > 1:
                    states[-1] = _State(term, states[-1].reason, states[-1].rule)
                elif rule != "alpha" and not hidden and states[-1].rule not in SHOWN_AS_WRITTEN:
                    states[-1] = _State(term, states[-1].reason, states[-1].rule)
                else:
                    hidden = rule if rule != "alpha" else hidden
                continue
            reason = self.reason(step)
            following = chain[k + 1 : k + 2]
            if following and following[0].rule == step.rule and self.reason(following[0]) == reason:
                continue  # shown once, after the last of them
            if states[-1].rule == step.rule and states[-1].reason == reason:
                states.pop()
            states.append(_State(term, reason, step.rule))
            hidden = ""
        states = _unfolded_together(states)
        if len(states) > LONG:
            states = _joined(states)
        if hidden and not alpha_equal(term, states[-1].term):
            states.append(_State(term, REASONS[hidden], hidden))
        return states

    def reason(self, step: Step) -> str:
        text = REVERSED.get(step.rule, "") if step.back else ""
        text = text or REASONS.get(step.rule, step.rule)
        if "{name}" in text:
            subject = step.after if step.back else step.before
            name = subject.name if isinstance(subject, Entry) else ""
            text = text.format(name=name if self.plain else f"${self.style.display.get(name) or symbol(name)}$")
        return text.replace("$e^{-\\infty} = 0$", "exp(-oo) = 0").replace("$-\\infty$", "-oo") if self.plain else text


def _other_way(state: _State) -> str:
    """The reason of a line, for the line before it that follows from it."""
    there, back = REASONS.get(state.rule), REVERSED.get(state.rule)
    return back if back and state.reason == there else there if there and state.reason == back else state.reason


def _writes_a_root_anew(step: Step) -> bool:
    """Whether a step only writes a power of a root as another root: 1/sqrt(d) as d^(-1/2), which a reader takes for one."""
    root = step.before if step.back else step.after
    return (
        step.rule == "sq_sqrt"
        and isinstance(root, Pow)
        and isinstance(root.exponent, Number)
        and root.exponent.value.q != 1
    )


def _unfolded_first(chain: Chain) -> Chain:
    """The same steps, definitions unfolded before steps elsewhere in the term: these are independent of one another."""
    if len(chain) > MAX_SORTED:
        return chain
    found: list[Step] = []
    for step in chain:
        at = len(found)
        while step.rule == "unfold" and at and found[at - 1].rule != "unfold" and _apart(found[at - 1].path, step.path):
            at -= 1
        found.insert(at, step)
    return tuple(found)


def _apart(one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether neither of two places is inside of the other."""
    return any(a != b for a, b in zip(one, other, strict=False))


def _unfolded_together(states: list[_State]) -> list[_State]:
    """Definitions that are unfolded once more in the same run, for another part of the term: the run from the first of
    them to the last as one line."""
    kept: list[_State] = []
    k = 0
    while k < len(states):
        end = k
        if states[k].rule == "unfold":
            run = list(takewhile(lambda s: s.rule in {"unfold", "ring"}, states[k:]))
            known = {states[k].reason}
            while (last := k + max(m for m, s in enumerate(run) if s.reason in known)) > end:
                end, known = last, {s.reason for s in states[k : last + 1]}
        reasons = [s.reason for s in states[k : end + 1] if s.rule == "unfold"]
        kept.append(_State(states[end].term, _definitions(reasons), "unfold") if end > k else states[k])
        k = end + 1
    return kept


def _definitions(reasons: Iterable[str]) -> str:
    """Several reasons that definitions are unfolded as one.

    >>> _definitions(["definition of $O$", "definitions of $A$ and $S$", "definition of $A$"])
    'definitions of $O$, $A$ and $S$'
    """
    names: dict[str, None] = {}
    for reason in reasons:
        for name in reason.partition(" of ")[2].replace(" and ", ", ").split(", "):
            names[name] = None
    *first, last = names
    return f"definitions of {', '.join(first)} and {last}" if first else f"definition of {last}"


def _joined(states: list[_State]) -> list[_State]:
    """Neighbouring lines of minor rules, and neighbouring unfoldings, as one line each."""
    kept: list[_State] = []
    for s in states:
        last = kept[-1] if kept else None
        if last is not None and last.rule in MINOR and s.rule in MINOR:
            kept[-1] = _State(s.term, "rearrange the sums", s.rule)
        elif last is not None and last.rule == s.rule == "unfold":
            kept[-1] = _State(s.term, _definitions((last.reason, s.reason)), s.rule)
        else:
            kept.append(s)
    return kept


def _without_repetition(lines: list[Line]) -> list[Line]:
    """A line that prints the same as an earlier one says nothing new, nor do the lines between."""
    kept = lines[:1]
    for line in lines[1:]:
        known = next((k for k, other in enumerate(kept) if other.term == line.term), None)
        if known is None or line.relation not in RELATION_LATEX.values():
            kept.append(line)
        else:
            del kept[known + 1 :]
    if len(kept) == 1 and len(lines) > 1:
        kept.append(lines[-1])
    return kept
