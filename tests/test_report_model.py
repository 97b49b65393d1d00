"""The JSON contract: schema, builders, reading, contradictions."""

import copy
import json
from pathlib import Path

import pytest
from derivations.reports.model import (
    STATUSES,
    Assumption,
    Counterexample,
    DocumentReport,
    Fingerprints,
    Item,
    Place,
    Proof,
    Report,
    ReportError,
    Step,
    claims,
    read_report,
    schema,
    to_json,
    validate,
)

GOLDEN = Path(__file__).with_name("data") / "report.json"

SCORES = r"S_{ij} = \frac{\mathbf{q}_i \cdot \mathbf{k}_j}{\sqrt{d}}"
WEIGHTS = r"A_{ij} = \frac{\exp(S_{ij})}{\sum_{k=1}^{n} \exp(S_{ik})}"
SYMPY_WEIGHTS = (
    "Equality(Indexed(IndexedBase(Symbol('A')), Symbol('i', integer=True), Symbol('j', integer=True)), "
    "Mul(exp(Indexed(IndexedBase(Symbol('S')), Symbol('i', integer=True), Symbol('j', integer=True))), "
    "Pow(Sum(exp(Indexed(IndexedBase(Symbol('S')), Symbol('i', integer=True), Symbol('k', integer=True))), "
    "Tuple(Symbol('k', integer=True), Integer(0), Add(Integer(-1), Symbol('n', integer=True, positive=True)))), "
    "Integer(-1))))"
)
SYMPY_COLUMNS = (
    "Equality(Sum(Indexed(IndexedBase(Symbol('A')), Symbol('i', integer=True), Symbol('j', integer=True)), "
    "Tuple(Symbol('i', integer=True), Integer(0), Add(Integer(-1), Symbol('n', integer=True, positive=True)))), "
    "Integer(1))"
)


def sample() -> Report:
    """Every status and strength once, as a lesson on attention would give them."""
    marks = Fingerprints()

    def item(name: str, kind: str, line: int, source: str, status: str, **more: object) -> Item:
        return Item(
            id=name,
            fingerprint=marks.of(source, "Weights"),
            kind=kind,
            where=Place(line=line, column=3, end_line=line),
            source=source,
            status=status,
            **more,
        )

    proof = Proof(certificate="ab" * 32, rules=7)
    steps = [
        Step(relation="", term=r"\sum_{j} A_{ij}", reason="the left side"),
        Step(
            relation="=",
            term=r"\sum_{j} \frac{\exp(S_{ij})}{\sum_{k} \exp(S_{ik})}",
            reason="the definition of $A$",
            rule="unfold",
        ),
        Step(
            relation="=",
            term=r"\frac{\sum_{j} \exp(S_{ij})}{\sum_{k} \exp(S_{ik})}",
            reason="the denominator does not depend on $j$: pull it out of the sum",
            rule="sum_div",
        ),
        Step(relation="=", term="1", reason="a quotient of equal terms that are not zero", rule="div_self"),
    ]
    lesson = [
        item("eq-1", "definition", 5, SCORES, "defined", read="S[i, j] = sum(c, q[i, c]*k[j, c])/sqrt(d)"),
        item(
            "eq-2",
            "definition",
            9,
            WEIGHTS,
            "defined",
            read="A[i, j] = exp(S[i, j])/sum(k, exp(S[i, k]))",
            sympy=SYMPY_WEIGHTS,
        ),
        item(
            "eq-3",
            "claim",
            14,
            r"\sum_{j=1}^{n} A_{ij} = 1",
            "proved",
            read="for all i: sum(j, A[i, j]) = 1",
            strength="unconditional",
            scope="all sizes",
            steps=steps,
            proof=proof,
            depends_on=["eq-2"],
            linked=["code-1"],
        ),
        item(
            "eq-4",
            "claim",
            18,
            r"\sum_{i=1}^{n} A_{ij} = 1",
            "refuted",
            read="for all j: sum(i, A[i, j]) = 1",
            sympy=SYMPY_COLUMNS,
            depends_on=["eq-2"],
            counterexample=Counterexample(
                kind="values",
                sizes={"n": 2},
                inputs={"S": [["1/2", "0"], ["0", "0"]]},
                at={"j": 0},
                left="1.1224593312018546",
                right="1",
            ),
            suggestion="The rows sum to one, the columns do not: did you mean $\\sum_{j} A_{ij} = 1$?",
            code="false-claim",
        ),
        item(
            "eq-5",
            "claim",
            22,
            r"\begin{aligned} A_{ij} &= \operatorname{softmax}_j(S_{ij} + M_{ij}), \\ "
            r"M_{ij} &= \begin{cases} 0 & \text{if } j \le i \\ -\infty & \text{otherwise} \end{cases} \end{aligned}",
            "proved",
            read="A[i, j] = exp(S[i, j] + M[i, j])/sum(k, exp(S[i, k] + M[i, k]))",
            strength="conditional",
            scope="all sizes",
            assumptions=[
                Assumption(text="each row of $M$ has an unmasked key", origin="definedness", where=Place(line=20)),
                Assumption(text="softmax runs over the last index", origin="reading"),
            ],
            proof=proof,
        ),
        item("eq-6", "step", 27, "= A", "proved", strength="unfolding", scope="all sizes", proof=proof, read="A = A"),
        item(
            "code-1",
            "code",
            31,
            "def attention_weights(q, k):",
            "proved",
            listing="def attention_weights(q, k):\n    return torch.softmax(q @ k.T / d**0.5, dim=-1)",
            read="attention_weights(q, k)[i, j] = A[i, j]",
            strength="fixed-sizes",
            scope={"d": 64},
            proof=proof,
            linked=["eq-2"],
        ),
        item("out-1", "output", 36, "0.7311", "holds", read="1/(1 + exp(-1)) = 0.7311"),
        item(
            "out-2",
            "output",
            37,
            "0.74",
            "wrong",
            read="1/(1 + exp(-1)) = 0.74",
            counterexample=Counterexample(kind="digits", left="0.731058578630004879…", right="0.74"),
            code="stale-output",
        ),
        item("eq-7", "claim", 40, r"f(x) = \mathbb{E}[x]", "agrees", read="f(x) = E(x)", notes=["1,000 samples"]),
        item(
            "eq-8",
            "claim",
            44,
            r"A_{ij} = A_{ji}^\top",
            "undecided",
            read="A[i, j] = A[j, i]",
            reason="ambiguous: `A_{ji}^\\top` is an entry or a matrix",
            code="ambiguous",
        ),
        item(
            "eq-9",
            "claim",
            48,
            r"\iiint_\Omega \foo{x} \, dx",
            "unread",
            reason="integrals are outside the scope",
            code="out-of-scope",
        ),
        item("code-2", "code", 52, "pass  # TODO", "skipped", reason="the body is not finished", code="unfinished"),
    ]
    checks = [
        {
            "document": "lesson.md",
            "item": "eq-2",
            "backend": backend,
            "device": "cpu",
            "dtype": dtype,
            "sizes": {"n": 64, "d": 16},
            "error": error,
            "bound": bound,
        }
        for backend, dtype, error, bound in [
            ("numpy", "float64", 2.2e-16, 3.1e-14),
            ("torch", "float32", 1.1e-7, 2.2e-6),
            ("torch", "float64", 0.0, None),
        ]
    ]
    run = {
        "checks": checks,
        "skipped": [{"what": "CUDA", "reason": "no device was found"}],
        "versions": {"python": "3.11.7", "sympy": "1.14.0"},
        "devices": ["cpu"],
        "seconds": 1.25,
    }
    return Report([DocumentReport("lesson.md", "0" * 64, "Attention weights", lesson)], run, version="0.1.0")


def test_golden_report() -> None:
    assert sample().to_json() == GOLDEN.read_text(encoding="utf-8")


def test_golden_report_is_read_back() -> None:
    assert read_report(GOLDEN) == sample().to_dict()


def test_sample_has_every_status() -> None:
    report = sample().to_dict()
    assert set(report["summary"]) == set(STATUSES)
    assert all(report["summary"].values())


def test_schema_agrees_with_jsonschema() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema, the second opinion, is not installed")
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.Draft202012Validator(schema()).validate(sample().to_dict())


def _spoilt(path: str, value: object) -> dict:
    report = copy.deepcopy(sample().to_dict())
    *parents, last = [int(part) if part.isdigit() else part for part in path.split("/")]
    place = report
    for part in parents:
        place = place[part]
    if value is KeyError:
        del place[last]
    else:
        place[last] = value
    return report


FIRST = "documents/0/items/0"
AGAINST_THE_SCHEMA = [
    (f"{FIRST}/notes", KeyError, "needs the key 'notes'"),
    (f"{FIRST}/colour", "red", "unknown key 'colour'"),
    (f"{FIRST}/status", "verified", "needs one of defined, proved"),
    (f"{FIRST}/strength", "weak", "needs one of unfolding"),
    (f"{FIRST}/where/line", 0, "needs at least 1, found 0"),
    (f"{FIRST}/where/line", True, "needs integer, found True"),
    (f"{FIRST}/source", None, "needs string, found None"),
    (f"{FIRST}/scope", "some sizes", "needs 'all sizes'"),
    (f"{FIRST}/code", "Not Short", "needs null or the pattern"),
    ("documents/0/sha256", "abc", "needs null or the pattern"),
    ("summary/proved", -1, "needs at least 0"),
    ("run/checks", KeyError, "needs the key 'checks'"),
    ("tool/version", "", "not empty"),
]


@pytest.mark.parametrize(("path", "value", "message"), AGAINST_THE_SCHEMA)
def test_schema_refuses(path: str, value: object, message: str) -> None:
    report = _spoilt(path, value)
    with pytest.raises(ReportError, match="report") as caught:
        validate(report)
    assert message in str(caught.value)
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema, the second opinion, is not installed")
    assert not jsonschema.Draft202012Validator(schema()).is_valid(report)


CONTRADICTIONS = [
    ("summary/proved", 99, "the counts differ"),
    (f"{FIRST}/id", "eq-2", "occurs 2 times"),
    ("documents/0/items/2/proof", None, "proved without a certificate"),
    ("documents/0/items/2/strength", None, "proved without a strength"),
    ("documents/0/items/3/counterexample", None, "refuted without a counterexample"),
    ("documents/0/items/3/strength", "unconditional", "which only a proof has"),
    ("documents/0/items/4/strength", "unconditional", "rests on an assumption"),
    ("documents/0/items/2/depends_on", ["eq-77"], "which is no item"),
    ("documents/0/items/11/reason", None, "without a reason"),
]


@pytest.mark.parametrize(("path", "value", "message"), CONTRADICTIONS)
def test_contradictions_are_refused(path: str, value: object, message: str) -> None:
    with pytest.raises(ReportError) as caught:
        validate(_spoilt(path, value))
    assert message in str(caught.value)


DAMAGED = [
    ("{", ":1:2: damaged report, not JSON"),
    ("[" * 100_000, "nested too deeply"),
    ("[]", 'needs an object with "schema"'),
    ('{"schema": "derivations-report/2"}', "written by a newer version (derivations-report/2)"),
    ('{"schema": "something/1"}', "needs schema derivations-report/1, found 'something/1'"),
    ('{"schema": "derivations-report/1"}', "damaged report: report: needs the key 'tool'"),
    ('{"schema": "derivations-report/1", "a": -Infinity}', "damaged report, not JSON: needs a number, found -Infinity"),
]


@pytest.mark.parametrize(("text", "message"), DAMAGED)
def test_damaged_reports(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ReportError) as caught:
        read_report(path)
    assert message in str(caught.value)


def test_missing_report(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="cannot be read: No such file"):
        read_report(tmp_path / "none.json")


def test_report_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(b'{"schema": "\xff"}')
    with pytest.raises(ReportError, match="needs UTF-8 text, found byte 0xff at offset 12"):
        read_report(path)


def test_numbers_are_finite() -> None:
    with pytest.raises(ReportError, match="needs finite numbers"):
        to_json({"error": float("inf")})


def test_fingerprints_are_stable_under_insertions() -> None:
    before, after = Fingerprints(), Fingerprints()
    first = [before.of("a = b", "One"), before.of("a = b", "Two")]
    after.of("c = d", "One")
    assert [after.of("a =  b", "One"), after.of("a = b", "Two")] == first
    assert len({*first, before.of("a = b", "One")}) == 3


def test_claims_leave_out_what_claims_nothing() -> None:
    found = claims(sample().to_dict()["documents"][0]["items"])
    assert [item["id"] for item in found] == [
        "eq-3", "eq-4", "eq-5", "eq-6", "code-1", "out-1", "out-2", "eq-7", "eq-8", "eq-9",
    ]  # fmt: skip


def test_json_has_sorted_keys() -> None:
    text = sample().to_json()
    assert text == to_json(json.loads(text))
