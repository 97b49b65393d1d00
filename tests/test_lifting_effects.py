"""Code that changes names in ways that are not followed: what uses these names is refused, and all else goes on."""

from __future__ import annotations

import pytest

from derivations.lifting import NotLifted, equivalent, lift
from derivations.provers.decide import Proved

USES = "def f(x):\n    return k * torch.exp(x)\ndef h(x):\n    return 2 * x\n"
CHANGED = {
    "exec": "exec(text)",
    "exec of a known text": "exec('k = 5')",
    "a definition in a text": "exec('def k(x):\\n    return x')",
    "eval": "eval(text)",
    "the names of the module": "globals()['k'] = 5",
    "the names by update": "globals().update(k=5)",
    "local names": "locals()['k'] = 5",
    "vars": "vars()['k'] = 5",
    "a function with global": "def g():\n    global k\n    k = 5\ng()",
    "a function that calls one with global": "def g():\n    global k\n    k = 5\ndef e():\n    g()\ne()",
    "a loop": "for k in data:\n    pass",
    "with": "with open('a') as k:\n    pass",
    "try": "try:\n    k = 5\nexcept ValueError:\n    pass",
    "an import of all names": "from somewhere import *",
    "an unknown function": "k = unknown(3)",
    "an unknown class": "class k(metaclass=Other):\n    pass",
    "a deletion": "del k",
    "a walrus": "unknown(k := 5)",
}


@pytest.mark.parametrize("text", CHANGED.values(), ids=CHANGED)
def test_a_name_that_may_be_changed_is_refused(text: str) -> None:
    code = f"import torch\nk = 2\n{text}\n{USES}"
    with pytest.raises(NotLifted):
        lift(code, "f", {"x": ("n",)})
    assert isinstance(
        equivalent("import torch\nk = 2\n" + USES.split("def h")[0], "import torch\n" + body(), x=("n",)), Proved
    )


def body() -> str:
    return "def f(x):\n    return 2 * torch.exp(x)\n"


HELD = {
    "an item": "c[0] = unknown(5)",
    "an item in a function": "def g():\n    c[0] = unknown(5)\ng()",
    "a call that fails first": "def g():\n    unknown()\n    c[0] = 5\ng()",
    "a method": "c.append(unknown(5))",
    "a shuffle": "import random\nrandom.shuffle(c)",
    "another name": "def g():\n    unknown()\n    c.pop(0)\ng()",
}


@pytest.mark.parametrize("text", HELD.values(), ids=HELD)
def test_what_a_name_holds_may_be_changed(text: str) -> None:
    with pytest.raises(NotLifted):
        lift(f"c = [2, 3]\n{text}\ndef f(x):\n    return c[0] * x\n", "f", {"x": ("n",)})


LIBRARY = {
    "a function": "torch.exp = mine",
    "by another name": "import torch as t\nt.exp = mine",
    "by setattr": "setattr(torch, 'exp', mine)",
    "a method": "torch.Tensor.exp = mine",
    "in a function": "def g():\n    torch.exp = mine\ng()",
    "a module": "torch.nn.functional = mine",
}


@pytest.mark.parametrize("text", LIBRARY.values(), ids=LIBRARY)
@pytest.mark.parametrize("use", ["torch.exp(x)", "x.exp()", "F.relu(x)"])
def test_a_changed_library_is_refused(text: str, use: str) -> None:
    code = f"import torch\nimport torch.nn.functional as F\ndef mine(x):\n    return x\n{text}\ndef f(x):\n    return {use}\n"
    with pytest.raises(NotLifted):
        lift(code, "f", {"x": ("n",)})


@pytest.mark.parametrize(
    "text", ["torch.backends.cudnn.deterministic = True", "plt.rcParams['figure.dpi'] = 100", "print(len(c))"]
)
def test_settings_change_no_number(text: str) -> None:
    code = (
        f"import torch\nimport matplotlib.pyplot as plt\nc = [2]\n{text}\ndef f(x):\n    return c[0] * torch.exp(x)\n"
    )
    assert isinstance(equivalent(code, "import torch\n" + body(), x=("n",)), Proved)
