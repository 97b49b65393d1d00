"""Functions of the running process: what is lifted is what a call would do now, whatever their module says; else it is refused."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from derivations.lifting import NotLifted, equivalent, lift
from derivations.provers.decide import Proved, Refuted

COUNT = itertools.count()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Writes a module and imports it."""

    def make(text: str) -> ModuleType:
        path = tmp_path / f"live_{next(COUNT)}.py"
        path.write_text("import functools, math\nimport torch\n" + text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        made = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, path.stem, made)
        spec.loader.exec_module(made)
        return made

    return make


def is_what_runs(f: Any) -> bool:
    """Whether a function of one number is proved to be what it gives, and nothing else; False where it is refused."""
    given = f(torch.full((), 3.0, dtype=torch.float64))
    factor = float(given) / 3
    right, wrong = (f"def g(x):\n    return {k!r} * x" for k in (factor, factor + 1))
    try:
        decision = equivalent(f, right, x=())
    except NotLifted:
        return False
    assert isinstance(decision, Proved), (decision, factor)
    assert isinstance(equivalent(f, wrong, x=()), Refuted)
    return True


BOUND = {
    "updated": "a = 1\na += 1\n",
    "in a branch": "a = 1\nif True:\n    a = 3\n",
    "in a loop": "a = 1\nfor a in range(4):\n    pass\n",
    "in a while loop": "a = 1\nwhile a < 3:\n    a = a + 1\n",
    "under with": "a = 1\nwith torch.no_grad():\n    a = 4\n",
    "under try": "a = 1\ntry:\n    a = 6\nfinally:\n    pass\n",
    "after an error": "try:\n    a = 2\n    raise ValueError\nexcept ValueError:\n    a = 7\n",
    "by a function": "a = 1\ndef other():\n    global a\n    a = 7\nother()\n",
    "by the dictionary of the module": "a = 1\nglobals()['a'] = 9\n",
    "by exec": "a = 1\nexec('a = 5')\n",
    "by a walrus": "a = 1\n(a := 8)\n",
    "unpacked": "a = 1\na, b = 2, 3\n",
    "a starred name": "a = 1\n*b, a = 2, 3\n",
    "imported": "a = 1\nfrom math import tau as a\n",
    "a float": "a = 0.5\n",
    "a tuple": "a = (4, 5)\na, _ = a\n",
}


@pytest.mark.parametrize("text", BOUND.values(), ids=BOUND)
def test_a_global_is_what_it_is_now(module: Callable[[str], ModuleType], text: str) -> None:
    made = module(text + "def f(x):\n    return a * x\ndef g(x):\n    return f(x)\n")
    assert is_what_runs(made.f) and is_what_runs(made.g)
    made.a = 11
    assert is_what_runs(made.f) and is_what_runs(made.g)
    vars(made).pop("a")
    with pytest.raises(NotLifted, match="a has no value"):
        lift(made.f, None, {"x": ()})


HELD = {
    "a list": "c = [1, 2]\nc[0] = 5\ndef f(x):\n    return c[0] * x\n",
    "a dictionary": "c = {'k': 1}\nc['k'] = 5\ndef f(x):\n    return c['k'] * x\n",
    "a function in a branch": "def h(x):\n    return x\nfor _ in range(1):\n    def h(x):\n        return 2 * x\ndef f(x):\n    return h(x)\n",
    "a function by another name": "def h(x):\n    return x\ndef k(x):\n    return 3 * x\nh = k\ndef f(x):\n    return h(x)\n",
    "a default": "a = 2\ndef f(x, k=a):\n    return k * x\na = 3\n",
    "a changed default": "def f(x, k=2):\n    return k * x\nf.__defaults__ = (5,)\n",
    "a changed default of a keyword": "def f(x, *, k=2):\n    return k * x\nf.__kwdefaults__ = {'k': 5}\n",
    "a default that is a list": "def f(x, k=[1]):\n    return k[0] * x\nf.__defaults__[0][0] = 4\n",
    "a closure": "def make(k):\n    def f(x):\n        return k * x\n    return f\nf = make(3)\n",
    "a closure over a loop": "def make():\n    fs = []\n    for k in (1, 2, 3):\n        def f(x):\n            return k * x\n        fs.append(f)\n    return fs\nf = make()[0]\n",
    "a counted closure": "def make():\n    k = 1\n    def f(x):\n        return k * x\n    def up():\n        nonlocal k\n        k += 1\n    up()\n    return f\nf = make()\n",
    "wrapped": "def twice(g):\n    @functools.wraps(g)\n    def inner(x):\n        return 2 * g(x)\n    return inner\n@twice\ndef f(x):\n    return x\n",
    "wrapped twice": "def twice(g):\n    @functools.wraps(g)\n    def inner(x):\n        return 2 * g(x)\n    return inner\ndef f(x):\n    return x\nf = twice(twice(f))\n",
    "without gradients": "@torch.no_grad()\ndef f(x):\n    return 2 * x\n",
    "from a library": "from torch import mul as product\ndef f(x):\n    return product(x, 2)\n",
    "a class": "class C:\n    k = 2\n    def by(self, x):\n        return self.k * x\nC.k = 3\ndef f(x):\n    return C().by(x)\n",
}  # fmt: skip


@pytest.mark.parametrize("text", HELD.values(), ids=HELD)
def test_what_a_function_reaches_is_what_it_is_now(module: Callable[[str], ModuleType], text: str) -> None:
    assert is_what_runs(module(text).f)


ELSE = {
    "a cache": ("@functools.lru_cache\ndef f(x):\n    return x\n", "lru_cache"),
    "part of a call": ("def g(k, x):\n    return k * x\nf = functools.partial(g, 2)\n", "partial"),
    "a bound method": ("class C:\n    def f(self, x):\n        return x\nf = C().f\n", "method"),
    "an object": ("class C:\n    def __call__(self, x):\n        return x\nf = C()\n", "a C"),
    "a lambda": ("f = lambda x: x\n", "made by def"),
    "code put in": ("def f(x):\n    return x\ndef g(x):\n    return 2 * x\nf.__code__ = g.__code__.replace(co_firstlineno=f.__code__.co_firstlineno)\n", "what runs"),
    "code that was made": ("exec('def f(x):\\n    return x')\n", "source"),
    "a method put in": ("class C:\n    def by(self, x):\n        return x\nC.by = lambda self, x: 2 * x\ndef f(x):\n    return C().by(x)\n", "by def"),
    "a tensor": ("w = torch.ones(())\ndef f(x):\n    return w * x\n", "w is now a Tensor"),
    "a global": ("k = 1\ndef f(x):\n    global k\n    k += 1\n    return k * x\n", "global"),
    "a module put in": ("math = type('M', (), {'sqrt': abs})\ndef f(x):\n    return math.sqrt(4) * x\n", "math is now"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "reason"), ELSE.values(), ids=ELSE)
def test_anything_else_is_refused(module: Callable[[str], ModuleType], text: str, reason: str) -> None:
    with pytest.raises(NotLifted, match=reason):
        lift(module(text).f, None, {"x": ()})


def test_a_changed_library_is_refused(module: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch) -> None:
    made = module("def f(x):\n    return torch.exp(x)\ndef g(x):\n    return x.exp()\n")
    assert lift(made.f, None, {"x": ()}).entry is lift(made.g, None, {"x": ()}).entry
    monkeypatch.setattr(torch, "exp", lambda x: 2 * x)
    with pytest.raises(NotLifted, match=r"torch\.exp is now a function"):
        lift(made.f, None, {"x": ()})
    monkeypatch.setattr(torch, "exp", torch.log)
    with pytest.raises(NotLifted, match=r"torch\.exp is now"):
        lift(made.f, None, {"x": ()})
    monkeypatch.setattr(torch.Tensor, "exp", lambda x: 2 * x)
    with pytest.raises(NotLifted, match=r"torch\.Tensor\.exp is now a function"):
        lift(made.g, None, {"x": ()})


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "later.py"
    path.write_text("def f(x):\n    return x\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location("later", path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    path.write_text("def f(x):\n    return 22 * x\n", encoding="utf-8")
    with pytest.raises(NotLifted, match="not what its source says"):
        lift(made.f, None, {"x": ()})


def test_several_results_are_not_one() -> None:
    two = "def f(x):\n    return x, 2 * x"
    with pytest.raises(NotLifted, match="returns 2 values"):
        equivalent(two, "def f(x):\n    return x, 3 * x", x=("n",))


def test_every_name_of_the_tables_is_the_librarys_own() -> None:
    import numpy.linalg  # the libraries whose objects are looked up

    from derivations.lifting.interpreter.live_functions import _resolved, require_own
    from derivations.lifting.operations.all_operations import BY_NAME

    assert numpy.linalg
    found = [n for n in BY_NAME if n.split(".")[0] in ("torch", "numpy", "math") and _resolved(n) is not None]
    assert len(found) > 300
    for name in found:
        require_own(name)


def test_numbers_that_two_functions_write_are_these_numbers() -> None:
    one = "import torch\ndef f(x):\n    return x * torch.tensor([0.5, 0.25]) + 1e-3"
    same = "import torch\ndef f(x):\n    return 1e-3 + torch.tensor([0.5, 0.25]) * x"
    assert isinstance(equivalent(one, same, x=(2,)), Proved)
    for old, new in (("0.25", "0.75"), ("1e-3", "1e-4")):
        assert isinstance(equivalent(one, same.replace(old, new), x=(2,)), Refuted)


def test_an_assertion_that_fails_gives_no_value() -> None:
    with pytest.raises(NotLifted, match="stops at this assertion"):
        equivalent("def f(x):\n    assert x.dim() == 2\n    return x", "def g(x):\n    return x", x=("n",))
    decision = equivalent("def f(x):\n    assert len(x) > 2\n    return x", "def g(x):\n    return x", x=("n",))
    assert isinstance(decision, Proved) and decision.assumes == ("the code does not stop at `assert len(x) > 2`",)
