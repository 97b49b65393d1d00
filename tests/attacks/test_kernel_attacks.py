"""Every attempt is refused for its own reason, is false, and has a sound twin (where one is given) that is accepted."""

from collections import Counter

import pytest

from derivations.kernel import certificate
from derivations.kernel.errors import BadCertificate, KernelError, NotConservative, Refused
from derivations.kernel.proof import Meet
from derivations.kernel.replay import replay
from derivations.kernel.rules import RULES
from derivations.language.inputs import Inputs
from derivations.language.meaning import evaluate
from derivations.language.statement import Statement, Theory
from derivations.language.term import ONE, ZERO, Add, Entry, NegInfinity, Term, TermError, at_least, exp, within

from . import definitions, determinants, infinity, judgements, names_and_ranges, nodes, objects, rates, sums, values
from .attempt import Attempt, by, counterexample, defined_as, i, m, n, step, theory

ATTEMPTS: list[Attempt] = [
    *sums.ATTEMPTS,
    *values.ATTEMPTS,
    *infinity.ATTEMPTS,
    *rates.ATTEMPTS,
    *definitions.ATTEMPTS,
    *determinants.ATTEMPTS,
    *names_and_ranges.ATTEMPTS,
    *nodes.ATTEMPTS,
    *judgements.ATTEMPTS,
    *objects.ATTEMPTS,
]
NODES = ("meet", "split", "signs", "clear", "raise", "lemma", "induction", "sign", "compute")
JUDGEMENTS = (
    "positive",
    "nonnegative",
    "nonzero",
    "invertible",
    "finite",
    "continuous",
    "smooth",
    "stable",
    "entails",
    "consistent",
    "bounded",
    "disjoint",
    "cycle",
    "covered",
    "obligations",
    "assume",
    "closed",
    "certain",
    "ring.same",
    "maximum.check",
)
named = pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda t: t.name)


def counts() -> Counter[str]:
    """How often each rule, node and judgement is attacked."""
    return Counter(what for t in ATTEMPTS for what in {t.stage, *t.about})


def replayed(attempt: Attempt) -> None:
    case = attempt.made()
    replay(case.theory, case.statement, case.proof)


@named
def test_an_attempt_is_refused_for_its_own_reason(attempt: Attempt) -> None:
    with pytest.raises((KernelError, TermError)) as caught:
        replayed(attempt)
    refusal = caught.value
    stage = (
        refusal.rule
        if isinstance(refusal, Refused)
        else "definition"
        if isinstance(refusal, NotConservative)
        else "term"
    )
    assert (stage, attempt.says in " ".join(str(refusal).split())) == (attempt.stage, True), str(refusal)


@pytest.mark.parametrize("attempt", [t for t in ATTEMPTS if t.twin], ids=lambda t: t.name)
def test_the_sound_twin_is_accepted(attempt: Attempt) -> None:
    assert attempt.twin is not None
    replay(attempt.twin.theory, attempt.twin.statement, attempt.twin.proof)
    assert counterexample(attempt.twin) is None


@named
def test_an_attempt_would_prove_something_false(attempt: Attempt) -> None:
    if attempt.because:
        assert attempt.witness is None
    else:
        assert counterexample(attempt.made(), attempt.witness) is not None


def test_the_attempts_cover_the_kernel() -> None:
    found = counts()
    assert len(ATTEMPTS) >= 200
    assert len({t.name for t in ATTEMPTS}) == len(ATTEMPTS)
    assert all(t.says for t in ATTEMPTS)
    assert [r for r in RULES if found[r] < 2] == []
    assert [w for w in (*NODES, *JUDGEMENTS) if found[w] < 2] == []
    assert 3 * sum(t.twin is not None for t in ATTEMPTS) >= len(ATTEMPTS)


def sized_twice() -> Theory:
    """A[i; n, m] := 0 for 0 <= i < n, and A[i; m, n] := 1 for i >= m: the names of the sizes change places."""
    return theory(
        defined_as("A", (i,), ZERO, *within("i", 0, n), sizes=("n", "m")),
        defined_as("A", (i,), ONE, at_least(i, m), sizes=("m", "n")),
    )


def test_the_kernel_puts_sizes_into_conditions() -> None:
    entry = Entry("A", (2,), (), (5, 2))
    replay(sized_twice(), Statement(entry, "=", ZERO), by(step("unfold", entry, ZERO)))


def test_the_evaluator_puts_sizes_into_conditions() -> None:
    value = evaluate(Entry("A", (2,), (), (5, 2)), sized_twice(), Inputs({"n": 2, "m": 2}))
    assert value == 0


def sunk(rest: Term) -> Meet:
    """0 = exp(-oo) = exp(-oo + rest) = exp(S + rest) = 1 for S := -oo and the rest -S."""
    symbol, bottom = Entry("S"), NegInfinity()
    return by(
        step("exp_bot", ZERO, exp(bottom), back=True),
        step("bot_add", bottom, Add((bottom, rest)), (0,), back=True),
        step("unfold", bottom, symbol, (0, 0), back=True),
        step("ring", exp(Add((symbol, rest))), ONE),
    )


def test_two_theories_with_the_same_names_share_no_answers() -> None:
    minus = -Entry("S")
    real = theory(defined_as("S", (), ONE))
    replay(real, Statement(exp(Entry("S") + minus), "=", ONE), by(step("ring", exp(Entry("S") + minus), ONE)))
    with pytest.raises(Refused, match="real summands beside"):
        replay(theory(defined_as("S", (), NegInfinity())), Statement(ZERO, "=", ONE), sunk(minus))


def test_what_a_program_writes_into_a_theory_stays_out_of_certificates() -> None:
    """Python cannot hide the answers that the kernel keeps with a theory; a certificate is replayed without them."""
    told = theory(defined_as("S", (), NegInfinity()))
    told.memo["finite"] = {"S": True}
    told.memo["finite terms"] = {Entry("S"): True}
    forged = replay(told, Statement(ZERO, "=", ONE), sunk(-Entry("S")))
    with pytest.raises(BadCertificate, match="real summands beside"):
        certificate.read(certificate.write(forged))
