"""Names of any kind in emitted source and in comparisons of printed numbers: no document of these stops the checker."""

from pathlib import Path

import numpy as np
import pytest
from derivations.numeric.compiled import compile_definition
from derivations.numeric.emit import input_names, size_names
from derivations.reports.run.session import check_documents

from derivations.language.index import Index
from derivations.language.statement import Definition, Tensor, Theory
from derivations.language.term import Entry

EQUATIONS = {
    "letters that Python names here lack": r"$$ y_i = \textrm{他}_i + \textrm{我}_i $$",
    "a function of one": r"$$ \tilde{h}(\textrm{他}) = \textrm{他} + \textrm{她} $$",
    "a name beside its accent": r"$$ \tilde{h}(\textrm{他})_i = 2 x_i $$" + "\n\n" + r"$$ g_i = \textrm{他} x_i + \textrm{我} x_i $$",
    "one entry along a product": r"Let $v \in \mathbb{R}^{n m}$." + "\n\n" + r"$$ u_i = v_1 z_i $$",
    "a decimal for what inputs decide": r"$$ E = - \sum_{i=1}^n p_i \log p_i $$" + "\n\n" + "$$ E = 1.69 $$",
    "a decimal for another meaning": "$$ E = x_1 + x_2 $$\n\n$$ F = E + 1 $$\n\n$$ F = 2.69 $$",
}  # fmt: skip
WHERE = "Let $x, z \\in \\mathbb{R}^{k}$ and $\\textrm{他}, \\textrm{我} \\in \\mathbb{R}^{k}$.\n\n"


@pytest.mark.parametrize("suffix", ["md", "tex"])
@pytest.mark.parametrize("name", EQUATIONS)
def test_nothing_stops_the_checker(name: str, suffix: str, tmp_path: Path) -> None:
    text = WHERE + EQUATIONS[name] + "\n"
    if suffix == "tex":
        text = f"\\documentclass{{article}}\n\\begin{{document}}\n{text}\\end{{document}}\n"
    path = tmp_path / f"a.{suffix}"
    path.write_text(text, encoding="utf-8")
    report, errors = check_documents([path], device="cpu")
    items = report["documents"][0]["items"]
    assert errors == []
    assert items and [item["reason"] for item in items if item["code"] == "internal"] == []
    assert any(item["status"] == "defined" for item in items)


@pytest.mark.parametrize("last", ["1.69", "-3.25"])
def test_a_decimal_is_not_compared_with_what_inputs_decide(last: str, tmp_path: Path) -> None:
    """The entries of p are anybody's choice: no sample of them refutes the number to its last digit."""
    path = tmp_path / "a.md"
    path.write_text(f"Let $p \\in \\mathbb{{R}}^3$.\n\n$$ E = p_1 + p_2 $$\n\n$$ E = {last} $$\n", encoding="utf-8")
    report, _ = check_documents([path], device="cpu", numbers=False)
    item = report["documents"][0]["items"][-1]
    assert (item["counterexample"] or {}).get("kind") != "digits"
    assert item["status"] != "proved"


NAMES = ["他", "我", "a-b", "a_b", "a b", "x", "", "np", "np_", "1", "x1", "for", "for_", "_", "x_2", "a_b_size"]


@pytest.mark.parametrize("backend", ["numpy", "torch", "jax"])
def test_each_name_is_its_own(backend: str) -> None:
    k = Index.var("k")
    theory = Theory({name: Tensor(name, (Index.size(name or "n"),)) for name in NAMES})
    body = sum((Entry(name, (Index.of(0),)) for name in NAMES[1:]), Entry(NAMES[0], (k,)))
    program = compile_definition(Definition("out", (k,), body, shape=(Index.size(NAMES[0]),)), theory, backend).program
    names = [*input_names(program).values(), *size_names(program).values()]
    assert len(program.inputs) == len(NAMES) and len(size_names(program)) == len(NAMES)
    assert len(set(names)) == len(names) and all(map(str.isidentifier, names))


def test_a_product_of_sizes_is_compared() -> None:
    i, n, m = Index.var("i"), Index.size("n"), Index.size("m")
    theory = Theory({"x": Tensor("x", (n * m,)), "z": Tensor("z", (n,)), "w": Tensor("w", (m,))})
    body = Entry("x", (Index.of(0),)) * Entry("z", (i,)) * Entry("w", (Index.of(0),))
    compiled = compile_definition(Definition("y", (i,), body, shape=(n,)), theory)
    found = compiled(x=np.full(6, 2.0), z=np.ones(2), w=np.full(3, 5.0))
    assert found.tolist() == [10.0, 10.0]
    with pytest.raises(ValueError, match="needed, but 5 from axis 0 of x"):
        compiled(x=np.ones(5), z=np.ones(2), w=np.ones(3))
