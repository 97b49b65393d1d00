"""Certificates: what is damaged, hostile or of another kind is refused in one message; what replays is what its text says."""

import copy
import json
import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest

from derivations.cli import main
from derivations.kernel import certificate, certificate_reader
from derivations.kernel.certificate import FORMAT, MAX_BYTES, NotJson
from derivations.kernel.certificate_reader import ARGUMENTS, MAX_TERMS, arguments
from derivations.kernel.certificate_writer import assumption_rows, check_name, text_of
from derivations.kernel.errors import BadCertificate, NotConservative
from derivations.kernel.proof import Meet
from derivations.kernel.replay import replay
from derivations.kernel.rules import RULES
from derivations.kernel.theorem import Theorem
from derivations.language.extended_reals import Indeterminate, WorkLimit, sign
from derivations.language.inputs import Inputs
from derivations.language.meaning import defined, evaluate
from derivations.language.statement import Definition, Law, Statement, Tensor, Theory
from derivations.language.term import Entry, Index, Number, Pow, TermError, sum_over, within
from derivations.language.text import write_statement
from derivations.provers.decide import Proved, decide


def originals() -> dict[str, dict[str, Any]]:
    """Certificates of different kinds."""
    return {name: json.loads(text) for name, text in _texts().items()}


@cache
def _texts() -> dict[str, str]:
    from derivations.theorems import library

    found: dict[str, str] = {}
    rules: set[str] = set()
    for row in library():  # those that add rules, the shortest way to most of them
        if isinstance(row.decision, Proved) and not set(row.decision.theorem.rules) <= rules and len(found) < 12:
            text = json.dumps(certificate.write(row.decision.theorem))
            if len(text) < 20_000:
                rules |= set(row.decision.theorem.rules)
                found[row.name] = text
    return found


def test_there_are_certificates_of_many_kinds() -> None:
    assert len(_texts()) == 12
    assert len({s for text in _texts().values() for s in RULES if f'"{s}"' in text}) > 12
    for data in originals().values():
        theorem = certificate.read(data)
        assert write_statement(theorem.statement) == data["text"]
        assert certificate.write(theorem) == data


# --- names and text -------------------------------------------------------------------------------------------------


def simple() -> dict[str, Any]:
    x = Entry("x", (Index.of(0),))
    theory = Theory({"x": Tensor("x", (Index.size("n"),))})
    return json.loads(json.dumps(certificate.write(replay(theory, Statement(x, "=", x), Meet((), ())))))


def renamed(name: str) -> bytes:
    data = simple()
    data["tensors"][0][0] = name
    data["terms"] = [[name if v == "x" else v for v in row] for row in data["terms"]]
    return json.dumps(data).encode()


WRONG_NAMES = {
    "nothing": "",
    "a space": " ",
    "a space before": " x",
    "a line break": "x\ny",
    "a tabulator": "x\ty",
    "NUL": "x\0",
    "an escape": "x\x1b[2J",
    "a character that turns the line": "x\u202ey",
    "an isolate": "\u2066x\u2069",
    "no width": "x\u200b",
    "a line separator": "x\u2028",
    "a space without a break": "x\u00a0y",
    "half a character": "x\ud800",
    "a private character": "\ue000",
    "a mark of nothing": "\u0301x",
    "a long one": "x" * 201,
}


@pytest.mark.parametrize("what", WRONG_NAMES)
def test_names_that_no_certificate_has(what: str) -> None:
    with pytest.raises(BadCertificate, match="needed a name"):
        check_name(WRONG_NAMES[what])
    with pytest.raises(BadCertificate, match="needed a name"):
        certificate.read(certificate.loads(renamed(WRONG_NAMES[what])))


@pytest.mark.parametrize("name", ["<b>x</b>", "0", "1", "a = b", "sum", "matrix", "α", '"', "x" * 200])
def test_a_name_is_printed_as_a_name(name: str) -> None:
    data = certificate.loads(renamed(name))
    with pytest.raises(BadCertificate, match="the certificate proves"):
        certificate.read(data)
    data["text"] = data["text"].replace(
        "x[", f"{json.dumps(name) if name not in ('sum', 'matrix', 'x' * 200) else name}["
    )
    assert certificate.read(data).statement.left.heads == {name}


def test_tensors_that_are_called_like_numbers() -> None:
    """0 := y, 1 := y and the text 0 = 1."""
    y = Entry("y")
    theory = Theory({}, {name: (Definition(name, (), y),) for name in ("0", "1")})
    decision = decide(Statement(Entry("0"), "=", Entry("1")), theory)
    assert isinstance(decision, Proved)
    assert str(decision.theorem.statement) == '"0" = "1"'
    data = certificate.write(decision.theorem)
    assert data["text"] == '"0" = "1"'
    with pytest.raises(BadCertificate, match='proves "0" = "1", not 0 = 1'):
        certificate.read({**data, "text": "0 = 1"})
    assert certificate.describe(decision.theorem).splitlines()[1:] == ['  defined "0" := y', '  defined "1" := y']


def test_nothing_is_written_under_a_wrong_name() -> None:
    x = Entry("x\ny")
    with pytest.raises(BadCertificate, match=r"U\+000A"):
        certificate.write(replay(Theory(), Statement(x, "=", x), Meet((), ())))


# --- assumptions ----------------------------------------------------------------------------------------------------


def assuming() -> Theorem:
    """A theorem with an obligation, a hypothesis and a law."""
    n, i = Index.size("n"), Index.var("i")
    u = Tensor("u", (n,), Law(Number(0), Pow(Entry("s"), 2)))
    theory = Theory({"u": u, "s": Tensor("s"), "x": Tensor("x", (n,)), "y": Tensor("y", (n,))})
    from derivations.language.term import Expectation

    def at(name: str) -> Entry:
        return Entry(name, (i,))

    left = Expectation(at("u")) + at("x") / Entry("s")
    given = Statement(at("x"), "=", at("y"), ("i",), within("i", 0, n))
    claim = Statement(left, "=", at("y") / Entry("s"), ("i",), within("i", 0, n), (given,))
    decision = decide(claim, theory)
    assert isinstance(decision, Proved), decision
    return decision.theorem


def test_assumptions_are_data() -> None:
    theorem = assuming()
    data = json.loads(json.dumps(certificate.write(theorem)))
    assert [(a["origin"], a["kind"]) for a in data["assumptions"]] == [
        *[("definedness", "nonzero"), ("document", "hypothesis"), ("document", "law")]
    ]
    assert certificate.read(data).assumptions == theorem.assumptions
    assert [text_of(row) for row in assumption_rows(theorem)] == [a["text"] for a in data["assumptions"]]


ASSUMPTIONS: dict[str, Callable[[list[dict[str, Any]]], object]] = {
    "one is left out": lambda a: a.pop(),
    "none": lambda a: a.clear(),
    "one twice": lambda a: a.append(a[-1]),
    "another order": lambda a: a.reverse(),
    "another kind": lambda a: a[0].update(kind="positive"),
    "another origin": lambda a: a[0].update(origin="document"),
    "another subject": lambda a: a[0].update(subject=0),
    "another condition": lambda a: a[0].update(facts=[[">=", [0]], [">=", [-1]]]),
    "another goal": lambda a: a[0].update(goal=[[">=", [-1]]]),
    "variables": lambda a: a[0].update(variables=["q"]),
    "another text": lambda a: a[0].update(text="s > 0"),
    "another hypothesis": lambda a: a[1]["statement"].update(relation="<="),
    "another tensor": lambda a: a[2].update(tensor="x"),
    "another law": lambda a: a[2].update(law=[None, None]),
    "another text of a law": lambda a: a[2].update(text="nothing"),
    "texts alone": lambda a: a.__setitem__(0, "s != 0"),  # type: ignore[call-overload]
    "more than is asked": lambda a: a[0].update(note="x"),
}


@pytest.mark.parametrize("what", ASSUMPTIONS)
def test_other_assumptions_are_refused(what: str) -> None:
    data = json.loads(json.dumps(certificate.write(assuming())))
    certificate.read(copy.deepcopy(data))
    ASSUMPTIONS[what](data["assumptions"])
    with pytest.raises(BadCertificate, match=r"assum|needed"):
        certificate.read(data)


# --- bad input ------------------------------------------------------------------------------------------------------


def changed(change: Callable[[dict[str, Any]], object]) -> bytes:
    data = simple()
    change(data)
    return json.dumps(data).encode()


def with_step(*row: Any, terms: tuple[Any, ...] = ()) -> bytes:
    """The certificate with one step."""
    return changed(lambda d: (d.update(proof=["meet", [list(row)], []]), d["terms"].extend(terms)))


def deep(levels: int) -> bytes:
    return changed(lambda d: None).replace(b'["meet", [], []]', b'["raise", ' * levels + b'["compute"]' + b"]" * levels)


ENTRY = ["Entry", "x", [{"i": [0]}], [], []]
BAD: dict[str, tuple[bytes, int, str]] = {
    "empty": (b"", 3, "needed JSON"),
    "spaces": (b"   ", 3, "needed JSON"),
    "binary": (bytes(range(256)), 3, "needed JSON in UTF-8"),
    "another encoding": ('{"format": "é"}'.encode("utf-16"), 3, "needed JSON in UTF-8"),
    "a byte order mark": (b"\xef\xbb\xbf{}", 3, "needed JSON"),
    "truncated": (changed(lambda d: None)[:-40], 3, "needed JSON"),
    "two values": (b"{} {}", 3, "needed JSON"),
    "NaN": (b'{"format": NaN}', 3, "needed whole numbers, found NaN"),
    "Infinity": (b'{"format": -Infinity}', 3, "needed whole numbers, found -Infinity"),
    "a fraction": (b'{"format": 1.5}', 3, "needed whole numbers, found 1.5"),
    "an exponent": (b'{"format": 1e400}', 3, "needed whole numbers"),
    "a key twice": (b'{"format": 1, "format": 2}', 3, "found 'format' twice"),
    "a long number": (b'{"format": ' + b"9" * 5000 + b"}", 3, "at most 4000 digits"),
    "many brackets": (b"[" * 200_000, 3, "needed"),
    "many objects": (b'{"a":' * 200_000, 3, "needed"),
    "too long": (b" " * (MAX_BYTES + 1), 3, f"at most {MAX_BYTES} bytes"),
    "a number": (b"7", 1, "needed a certificate"),
    "null": (b"null", 1, "needed a certificate"),
    "a list": (b"[]", 1, "needed a certificate"),
    "a text": (b'"certificate"', 1, "needed a certificate"),
    "nothing in it": (b"{}", 1, "needed a certificate"),
    "format 1": (changed(lambda d: d.update(format="derivations-certificate/1")), 1, "prove the statement again"),
    "format by list": (changed(lambda d: d.update(format=[FORMAT])), 1, "needed format"),
    "a key too much": (changed(lambda d: d.update(note=1)), 1, "found 'note' too"),
    "a key too few": (changed(lambda d: d.pop("tensors")), 1, "needed 'tensors'"),
    "another text": (changed(lambda d: d.update(text="0 = 1")), 1, "the certificate proves x[0] = x[0], not 0 = 1"),
    "text by number": (changed(lambda d: d.update(text=7)), 1, "the certificate proves"),
    "terms by object": (changed(lambda d: d.update(terms={})), 1, "needed a list as the terms"),
    "many terms": (changed(lambda d: d.update(terms=[[]] * 10**6)), 1, f"at most {MAX_TERMS} terms"),
    "an empty term": (changed(lambda d: d["terms"].append([])), 1, "term 1: needed a kind of term"),
    "a kind by list": (changed(lambda d: d["terms"].append([[]])), 1, "needed a kind of term"),
    "another kind": (changed(lambda d: d["terms"].append(["Believe"])), 1, "found 'Believe'"),
    "a term before it is there": (
        changed(lambda d: d["terms"].insert(0, ["Add", [{"t": 1}]])),
        1,
        "an earlier term, found 1",
    ),
    "a term of itself": (changed(lambda d: d["terms"].insert(0, ["Add", [{"t": 0}]])), 1, "an earlier term, found 0"),
    "a negative term": (changed(lambda d: d["terms"].append(["Add", [{"t": -1}]])), 1, "an earlier term, found -1"),
    "a term by true": (changed(lambda d: d["statement"].update(left=False)), 1, "an earlier term, found False"),
    "a fraction with 0": (changed(lambda d: d["terms"].append(["Number", {"q": "1/0"}])), 1, "a number like"),
    "a number with blanks": (changed(lambda d: d["terms"].append(["Number", {"q": " 1"}])), 1, "a number like"),
    "a number in other digits": (changed(lambda d: d["terms"].append(["Number", {"q": "\u0661"}])), 1, "a number like"),
    "not in lowest terms": (changed(lambda d: d["terms"].append(["Number", {"q": "2/4"}])), 1, "lowest terms"),
    "a power as a number": (changed(lambda d: d["terms"].append(["Number", {"q": "10**10**9"}])), 1, "a number like"),
    "a huge number": (changed(lambda d: d["terms"].append(["Number", {"q": "9" * 90_000}])), 1, "at most 100000 bits"),
    "a huge exponent": (
        changed(lambda d: d["terms"].extend([["Number", {"q": "20000000000001/2"}], ["Pow", {"t": 0}, {"t": 1}]])),
        *(1, "exponents up to 1000000"),
    ),
    "a number by number": (changed(lambda d: d["terms"].append(["Number", 7])), 1, "value of Number of the right kind"),
    "two letters": (changed(lambda d: d["terms"].append(["Add", [{"t": 0, "i": [0]}]])), 1, "a value with its letter"),
    "no letter": (changed(lambda d: d["terms"].append(["Add", [{}]])), 1, "a value with its letter"),
    "null as a value": (changed(lambda d: d["terms"].append(["Add", None])), 1, "a value with its letter"),
    "a letter of nothing": (changed(lambda d: d["terms"].append(["Add", [{"z": 0}]])), 1, "needed a letter"),
    "an index by true": (changed(lambda d: d["terms"].append(["IndexValue", {"i": [True]}])), 1, "a whole number"),
    "a huge coefficient": (changed(lambda d: d["terms"].append(["IndexValue", {"i": [10**1300]}])), 1, "4000 bits"),
    "an index in itself": (
        changed(
            lambda d: d["terms"].append(
                ["IndexValue", {"i": json.loads('[0,["p","p",1,' * 30 + "[0]" + ",[1]]]" * 30)}]
            )
        ),
        *(1, "at most 20 levels"),
    ),
    "a product of one": (
        changed(lambda d: d["terms"].append(["IndexValue", {"i": [0, ["x", "", 1, [1]]]}])),
        1,
        "an atom",
    ),
    "a quotient by 0": (
        changed(lambda d: d["terms"].append(["IndexValue", {"i": [0, ["d", "", 1, [1], [0]]]}])),
        *(1, "a positive divisor"),
    ),
    "many factors": (
        changed(lambda d: d["terms"].append(["IndexValue", {"i": [0, ["x", "", 1, *[[0, ["s", "n", 1]]] * 9]]}])),
        *(1, "multiplies more than 6"),
    ),
    "a doubled name": (
        changed(lambda d: d["terms"].append(["Entry", "f", [], [{"l": [["a", "a"], 0]}], []])),
        *(1, "must be distinct"),
    ),
    "deep terms": (
        changed(lambda d: d["terms"].extend(["Apply", "exp", {"t": k}] for k in range(300))),
        *(1, "levels deep"),
    ),
    "terms that double": (
        changed(lambda d: d["terms"].extend(["Add", [{"t": k}, {"t": k}]] for k in range(60))),
        *(1, "nodes"),
    ),
    "many names": (
        changed(
            lambda d: d["terms"].extend(
                [
                    *(["IndexValue", {"i": [0, ["i", f"v{k}", 1]]}] for k in range(2000)),
                    ["Add", [{"t": k} for k in range(1, 2001)]],
                    *(["Apply", f"f{k}", {"t": 2001}] for k in range(3000)),
                ]
            )
        ),
        *(1, "names"),
    ),
    "two tensors of one name": (changed(lambda d: d["tensors"].append(["x", []])), 1, "found 'x' twice"),
    "a tensor by text": (changed(lambda d: d["tensors"].append("x")), 1, "a tensor with its shape"),
    "a law of three": (changed(lambda d: d["tensors"].append(["u", [], [0, 0, 0]])), 1, "a list of 2 as a law"),
    "many tensors": (changed(lambda d: d.update(tensors=[["x", []]] * 1001)), 1, "at most 1000 tensors"),
    "another relation": (changed(lambda d: d["statement"].update(relation="~")), 1, "needed a relation"),
    "a relation by list": (changed(lambda d: d["statement"].update(relation=["="])), 1, "needed a relation"),
    "a free index": (
        changed(lambda d: d["terms"].__setitem__(0, ["Entry", "x", [{"i": [0, ["i", "i", 1]]}], [], []])),
        1,
        "proves",
    ),
    "indices by text": (changed(lambda d: d["statement"].update(indices="ij")), 1, "a list as indices"),
    "hypotheses of hypotheses": (
        changed(lambda d: d["statement"].update(hypotheses=[{**d["statement"], "hypotheses": [dict(d["statement"])]}])),
        *(1, "a hypothesis without hypotheses"),
    ),
    "another proof": (changed(lambda d: d.update(proof=["believe"])), 1, "needed a kind of proof"),
    "an empty proof": (changed(lambda d: d.update(proof=[])), 1, "needed a kind of proof"),
    "a proof by list": (changed(lambda d: d.update(proof=[[]])), 1, "needed a kind of proof"),
    "half a proof": (changed(lambda d: d.update(proof=["meet", []])), 1, "a list of 2 as the parts of meet"),
    "a deep proof": (deep(300), 1, "at most 200 levels"),
    "a very deep proof": (deep(100_000), 3, "not nested this deep"),
    "a step of five": (with_step("ring", [], 0, 0, {}), 1, "step 1: needed a list of 6"),
    "another rule": (with_step("believe", [], 0, 0, {}, False), 1, "needed a rule of the kernel, found 'believe'"),
    "a rule by list": (with_step([], [], 0, 0, {}, False), 1, "needed a rule of the kernel"),
    "a position below 0": (
        with_step("ring", [-1], 0, 0, {}, False),
        1,
        "a number from 0 as a part of a position, found -1",
    ),
    "a position by true": (with_step("ring", [True], 0, 0, {}, False), 1, "found True"),
    "a position by text": (with_step("ring", "0", 0, 0, {}, False), 1, "a list as a position"),
    "a position that is not there": (with_step("ring", [4], 0, 0, {}, False), 1, "position"),
    "a way back by number": (with_step("ring", [], 0, 0, {}, 1), 1, "true or false"),
    "arguments by list": (with_step("ring", [], 0, 0, [], False), 1, "arguments by their names"),
    "an argument too much": (with_step("ring", [], 0, 0, {"scope": 1}, False), 1, "found 'scope' too"),
    "an argument too few": (with_step("mul_sum", [], 0, 0, {}, False), 1, "needed factors of mul_sum, found none"),
    "true as a number": (with_step("sum_ite", [], 0, 0, {"factor": True}, False), 1, "a whole number as factor"),
    "a number as an index": (with_step("sum_ite_eq", [], 0, 0, {"value": 1}, False), 1, "an index as value"),
    "a step as a number": (
        with_step("sum_ite", [], 0, 0, {"factor": {"s": ["ring", [], 0, 0, {}, False]}}, False),
        *(1, "a whole number as factor of sum_ite, found Step"),
    ),
    "numbers as steps": (
        with_step("mul_inv_cancel", [], 0, 0, {"above": 0, "below": 1, "because": [1]}, False),
        *(1, "steps as because"),
    ),
    "null as a term": (
        with_step("mul_inv_cancel", [], 0, 0, {"above": 0, "below": 1, "beside": None}, False),
        *(1, "a value with its letter"),
    ),
    "a number of a hypothesis below 0": (
        with_step("hypothesis", [], 0, 0, {"number": -1, "at": {"m": {}}}, False),
        *(1, "hypothesis"),
    ),
    "another step": (with_step("ring", [], 0, 1, {}, False, terms=(["Number", {"q": "0"}],)), 1, "ring at step 1"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_certificates_are_refused(what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, status, says = BAD[what]
    path = tmp_path / "c.json"
    path.write_bytes(data)
    assert main(["replay", str(path)]) == status
    printed = capsys.readouterr()
    assert not printed.out and says in printed.err, printed.err[:500]
    assert "Traceback" not in printed.err and len(printed.err) < 3_000


def test_a_folder_and_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = tmp_path / "good.json"
    good.write_bytes(changed(lambda d: None))
    assert main(["replay", str(tmp_path)]) == 3
    assert main(["replay", str(tmp_path / "none.json"), str(good)]) == 3  # the others are looked at all the same
    printed = capsys.readouterr()
    assert printed.err.count("needed a readable file") == 2 and "replayed, 0 rules: x[0] = x[0]" in printed.out


def test_values_that_json_cannot_have_are_refused_too() -> None:
    for value in (None, 7, {1: 2}, {"format": float("nan")}, object(), {**simple(), 7: 8}):
        with pytest.raises(BadCertificate):
            certificate.read(value)
    with pytest.raises(NotJson):
        certificate.loads(b"{")


def test_every_argument_of_every_rule_has_a_kind() -> None:
    for rule in RULES:
        for name, (annotation, _) in arguments(rule).items():
            assert annotation in ARGUMENTS, (rule, name, annotation)


# --- a theory does not change ---------------------------------------------------------------------------------------


def test_a_theory_that_is_given_lists_does_not_grow() -> None:
    one = Definition("A", [], Number(0))  # type: ignore[arg-type]
    rows = [one]
    theory = Theory({}, {"A": rows})  # type: ignore[dict-item]
    replay(theory, Statement(Entry("A"), "=", Entry("A")), Meet((), ()))
    rows.append(Definition("A", (), Number(1)))
    assert theory.definitions["A"] == (one,)
    assert type(one.indices) is type(theory.definitions["A"]) is tuple
    with pytest.raises(NotConservative):
        replay(Theory({}, {"A": rows}), Statement(Number(0), "=", Number(0)), Meet((), ()))  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Theory({"x": Tensor("y")}), "under its name"),
        (lambda: Theory({}, {"x": (Definition("y", (), Number(0)),)}), "under its name"),
        (lambda: Theory({}, {"x": (7,)}), "Definition values"),  # type: ignore[dict-item]
        (lambda: Definition("x", (7,), Number(0)), "Index values"),  # type: ignore[arg-type]
        (lambda: Definition("x", (), Number(0), sizes="nm"), "the text 'nm'"),  # type: ignore[arg-type]
        (lambda: Tensor("x", (7,)), "Index values"),  # type: ignore[arg-type]
        (lambda: Statement(Number(0), "=", Number(0), "ij"), "the text 'ij'"),  # type: ignore[arg-type]
    ],
)
def test_a_theory_holds_nothing_else(make: Callable[[], object], says: str) -> None:
    with pytest.raises(TermError, match=says):
        make()


# --- mutations ------------------------------------------------------------------------------------------------------

ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        -1,
        0,
        1,
        2,
        10**9,
        10**30,
        "",
        "x",
        "i",
        "n",
        "ring",
        ">=",
        "==",
        "<",
        "0",
        "x\n",
        [],
        {},
        [[]],
    ),
    *({"t": 0}, {"i": [0]}, {"c": [">=", [0]]}, {"q": "1"}, {"q": "-1/2"}, {"m": {}}, {"l": [["a"], 0]}),
    *(
        ["Number", {"q": "0"}],
        ["NegInfinity"],
        ["compute"],
        ["meet", [], []],
        ["i", "i", 1],
        ["s", "n", 1],
        [0, ["s", "n", 1]],
    ),
)


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in the data, as what holds it and its key."""
    pairs = list(data.items()) if isinstance(data, dict) else list(enumerate(data)) if isinstance(data, list) else []
    for key, inner in pairs:
        yield data, key
        yield from places(inner)


def mutated(data: dict[str, Any], pick: random.Random) -> dict[str, Any]:
    """The data with one to three changes; some of the mutants are given the text that they now have."""
    data = copy.deepcopy(data)
    for _ in range(pick.choice((1, 1, 1, 2, 3))):
        every = list(places(data))
        holder, key = pick.choice(every)
        kind = pick.randrange(6)
        if kind == 0 and isinstance(holder[key], int):
            holder[key] = holder[key] + pick.choice((-2, -1, 1, 2))
        elif kind == 1:
            del holder[key]
        elif kind == 2 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif kind == 3:
            holder[key] = copy.deepcopy(pick.choice(ODD))
        else:  # what stands in another place, of the same type where there is one
            same = [(h, k) for h, k in every if type(h[k]) is type(holder[key])]
            other, at = pick.choice(same)
            holder[key] = copy.deepcopy(other[at])
    if pick.random() < 0.6:
        relabel(data)
    return data


def relabel(data: dict[str, Any]) -> None:
    """Give a mutant its own text, where it has a statement."""
    try:
        r = certificate_reader.Reader(data["terms"])
        data["text"] = write_statement(r.statement(data["statement"], "statement", nested=True))
    except (BadCertificate, TermError, LookupError, TypeError, ValueError):
        return


def holds(theorem: Theorem, seed: str) -> int:
    """The number of places at which a theorem was seen to be true; fails at one where it is false."""
    s, seen = theorem.statement, 0
    names = sorted({n for side in (s.left, s.right) for t in theorem.theory.reached(side) for n in sizes_in(t)})
    if s.hypotheses or theorem.theory.random:
        return 0
    for trial, lengths in enumerate(islice(product((2, 1, 3), repeat=len(names)), 6)):
        inputs = Inputs(dict(zip(names, lengths, strict=True)), {}, f"{seed} {trial}")
        for values in islice(product(range(3), repeat=len(s.indices)), 9):
            at = dict(zip(s.indices, values, strict=True))
            try:
                if not all(c.holds(at, inputs.sizes, inputs.choose) for c in s.guard):
                    continue
                if not all(defined(side, theorem.theory, inputs, at) for side in (s.left, s.right)):
                    continue
                left, right = (evaluate(side, theorem.theory, inputs, at) for side in (s.left, s.right))
                difference = None if left is right else sign(right - left)
            except (Indeterminate, WorkLimit, KeyError, TypeError):
                continue  # equal balls, minus infinity, sizes that only a definition knows
            true = {"=": difference in (None, 0), "<=": difference in (None, 0, 1), "<": difference == 1}
            assert {**true, "!=": difference in (1, -1)}[s.relation], (write_statement(s), lengths, at, left, right)
            seen += 1
    return seen


def sizes_in(t: Any) -> set[str]:
    from derivations.language.substitution import own_indices

    return {n for index in own_indices(t) for n in index.sizes}


def study(seeds: range) -> dict[str, int]:
    """Counts of what became of mutants."""
    counts = dict.fromkeys(("refused", "same", "other", "seen"), 0)
    rows = list(originals().values())
    for seed in seeds:
        pick = random.Random(f"certificates {seed}")
        original = pick.choice(rows)
        data = mutated(original, pick)
        try:
            theorem = certificate.read(data)
        except BadCertificate as error:
            assert len(str(error)) < 5_000
            assert not re.search(r"replay: \w+Error: ", str(error)), (seed, str(error))
            counts["refused"] += 1
            continue
        assert write_statement(theorem.statement) == data["text"]
        if data["text"] == original["text"] and data["definitions"] == original["definitions"]:
            counts["same"] += 1
            continue
        counts["other"] += 1
        counts["seen"] += holds(theorem, str(seed))
    return counts


@pytest.mark.parametrize("block", range(4))
def test_mutants_are_refused_or_say_what_they_prove(block: int) -> None:
    counts = study(range(block * 500, block * 500 + 500))
    assert counts["refused"] > 300 and counts["same"] + counts["other"] > 0, counts


def test_mutants_that_prove_something_else_are_looked_at() -> None:
    """The check of other statements finds a false one, and is not passed over in silence."""
    total = sum_over("i", 0, Index.size("n"), Entry("x", (Index.var("i"),)))
    theorem = replay(Theory(), Statement(total, "=", total), Meet((), ()))
    assert holds(theorem, "a") > 0
    lie = Theorem(Statement(total, "=", total + 1), theorem.theory, (), theorem.proof, ())
    with pytest.raises(AssertionError):
        holds(lie, "a")


@pytest.mark.fuzz
@pytest.mark.parametrize("block", range(40))
def test_more_mutants(block: int) -> None:
    counts = study(range(10_000 + block * 1_000, 11_000 + block * 1_000))
    assert counts["refused"] > 600, counts
