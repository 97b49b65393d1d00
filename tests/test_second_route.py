"""The lifter against torch.export: what torch traces with dynamic sizes, read as terms, is what the lifter reads.

What `__init__` makes (parameters, buffers) is taken from the lifted object; what `forward` does with it comes from torch.
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import pytest
import torch
from torch import nn

from derivations.language.statement import Statement, Theory
from derivations.language.term import Index, NegInfinity, Number, guard, within
from derivations.lifting import _lifted
from derivations.lifting.interpreter.calls import call_function, instantiate, operation
from derivations.lifting.interpreter.interpret import Interpreter
from derivations.lifting.operations import elementwise
from derivations.lifting.operations.indexing import Slice, subscript
from derivations.lifting.operations.table import INFINITY, Value, array
from derivations.lifting.symbolic.arrays import Array, scalar
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.values.layers import Layer
from derivations.lifting.values.python_values import Instance
from derivations.provers.decide import Proved, decide

END = 2**62
"""From here on an end of a slice is the end of the axis."""


class NoRow(Exception):
    """An operation of the graph that this reader does not know."""


Build = Callable[..., Value]


def row(name: str, *names: str) -> Build:
    """A row of the operation table, its first arguments in order, those in `names` by name."""

    def build(i: Interpreter, *given: Value) -> Value:
        count = len(given) - len(names) if len(given) > 1 else len(given)
        return operation(i, name, list(given[:count]), dict(zip(names, given[count:], strict=False)))

    return build


def sign(text: str) -> Build:
    return lambda i, a, b: i.binary(text, a, b)


def compared(text: str) -> Build:
    return lambda i, a, b: elementwise.compare(i.scope, text, a, b)


def part(
    i: Interpreter, x: Value, dim: Value = None, start: Value = None, end: Value = None, step: Value = None
) -> Value:
    k = i.scope.axis(array(x), dim if dim is not None else scalar(0))
    last = None if isinstance(end, Array) and isinstance(end.entry, Index) and end.entry.const > END else end
    return subscript(i.scope, array(x), (*[Slice()] * k, Slice(start, last, step)))


def select(i: Interpreter, x: Value, dim: Value, at: Value) -> Value:
    return subscript(i.scope, array(x), (*[Slice()] * i.scope.axis(array(x), dim), at))


def size(i: Interpreter, x: Value, dim: Value) -> Value:
    return scalar(i.scope.shape(array(x))[i.scope.axis(array(x), dim)])


def normed(i: Interpreter, x: Value, shape: Value, weight: Value, bias: Value, eps: Value) -> Value:
    return [operation(i, "torch.nn.functional.layer_norm", [x, shape, weight, bias, eps], {})]


def variance(i: Interpreter, x: Value, dim: Value = None, correction: Value = None, keepdim: Value = False) -> Value:
    return operation(i, "torch.var", [x], {"dim": dim, "correction": scalar(1) if correction is None else correction, "keepdim": keepdim})  # fmt: skip


def folded(i: Interpreter, x: Value, dim: Value = None, keepdim: Value = False, *, name: str) -> Value:
    return operation(i, name, [x], {"dim": dim, "keepdim": keepdim})


def over(name: str) -> Build:
    return lambda i, *given, **named: folded(i, *given, name=name, **named)


def same(i: Interpreter, x: Value, *_: Value, **__: Value) -> Value:
    return x


OPERATIONS: Mapping[str, Build] = {
    "permute": row("torch.permute"),
    "transpose": row("torch.transpose"),
    "t": lambda i, x: operation(i, "torch.transpose", [x, scalar(0), scalar(1)], {}),
    "view": row(".reshape"),
    "reshape": row(".reshape"),
    "_unsafe_view": row(".reshape"),
    "expand": row(".expand"),
    "unsqueeze": row("torch.unsqueeze"),
    "squeeze": row("torch.squeeze"),
    "split_with_sizes": row("torch.split"),
    "_assert_tensor_metadata": lambda i, *_, **__: None,
    "cat": lambda i, xs, dim=None: operation(i, "torch.cat", [xs], {"dim": dim if dim is not None else scalar(0)}),
    "mm": row("torch.matmul"),
    "bmm": row("torch.matmul"),
    "mv": row("torch.matmul"),
    "addmm": lambda i, c, a, b: i.binary("+", c, operation(i, "torch.matmul", [a, b], {})),
    "add": lambda i, a, b: i.binary("+", i.scope.guarding(a), i.scope.guarding(b)),
    "sub": sign("-"),
    "mul": sign("*"),
    "div": sign("/"),
    "pow": sign("**"),
    "neg": lambda i, x: elementwise.negative(i.scope, x),
    "eq": compared("=="),
    "ne": compared("!="),
    "lt": compared("<"),
    "le": compared("<="),
    "gt": compared(">"),
    "ge": compared(">="),
    "logical_not": lambda i, x: elementwise.invert(i.scope, x),
    "bitwise_not": lambda i, x: elementwise.invert(i.scope, x),
    "where": lambda i, m, a, b: elementwise.where(i.scope, m, a, b),
    "scalar_tensor": same,
    "full": lambda i, shape, value, **_: operation(i, "torch.full", [shape, value], {}),
    "full_like": lambda i, x, value, **_: operation(i, "torch.full_like", [x, value], {}),
    "arange": lambda i, *given, **_: operation(i, "torch.arange", list(given), {}),
    "slice": part,
    "select": select,
    "clone": same,
    "detach": same,
    "alias": same,
    "_to_copy": same,
    "_softmax": lambda i, x, dim, half: operation(i, "torch.softmax", [x], {"dim": dim}),
    "_log_softmax": lambda i, x, dim, half: operation(i, "torch.log_softmax", [x], {"dim": dim}),
    "sum": over("torch.sum"),
    "mean": over("torch.mean"),
    "amax": over("torch.amax"),
    "var": variance,
    "native_layer_norm": normed,
    "sym_size": size,
    **{name: row(f"torch.{name}") for name in ("exp", "log", "sqrt", "rsqrt", "sin", "cos", "tanh", "sigmoid", "relu", "tril", "triu")},
    "maximum": row("torch.maximum"),
}  # fmt: skip
ON_SIZES: Mapping[Any, str] = {operator.mul: "*", operator.add: "+", operator.sub: "-", operator.floordiv: "//"}


def read(program: torch.export.ExportedProgram, i: Interpreter, made: Instance, inputs: Mapping[str, Value]) -> Value:
    """The first result of an exported program, on lifted inputs."""
    held = {**program.graph_signature.inputs_to_parameters, **program.graph_signature.inputs_to_buffers}
    known: dict[torch.fx.Node, Value] = {}

    def value(x: Any) -> Value:
        if isinstance(x, torch.fx.Node):
            return known[x]
        if isinstance(x, (list, tuple)):
            return [value(v) for v in x]
        if isinstance(x, bool) or not isinstance(x, (int, float)):
            return x
        if isinstance(x, float) and x in (float("inf"), float("-inf")):
            return INFINITY if x > 0 else scalar(NegInfinity())
        return scalar(x if isinstance(x, int) else Number(Fraction(repr(x))))

    for node in program.graph.nodes:
        if node.op == "placeholder":
            known[node] = inputs[node.name] if node.name not in held else member(i, made, held[node.name])
        elif node.op == "output":
            return known[node.args[0][0]]
        elif node.target is operator.getitem:
            known[node] = known[node.args[0]][node.args[1]]
        elif node.target in ON_SIZES:
            known[node] = i.binary(ON_SIZES[node.target], *(value(a) for a in node.args))
        else:
            name = str(node.target).split(".")[1] if str(node.target).startswith("aten.") else str(node.target)
            if name not in OPERATIONS:
                raise NoRow(name)
            skipped = ("dtype", "layout", "device", "pin_memory", "memory_format")
            named = {k: value(v) for k, v in node.kwargs.items() if k not in skipped}
            known[node] = OPERATIONS[name](i, *(value(a) for a in node.args), **named)
    raise NoRow("output")


def member(i: Interpreter, made: Instance, path: str) -> Value:
    """A parameter or buffer by its path: `query.weight`."""
    found: Value = made
    for name in path.split("."):
        found = found.attributes[name] if isinstance(found, Instance) else found.attribute(i, name) if isinstance(found, Layer) else None  # fmt: skip
    return found


PRELUDE = "import math\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
HEAD = (
    "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.query, self.key = nn.Linear(4, 4, bias=False), nn.Linear(4, 4)\n"
    "        self.value = nn.Linear(4, 6, bias=False)\n{more}    def forward(self, x):\n        q, k, v = self.query(x), self.key(x), self.value(x)\n"
)
SCORES = "        s = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])\n"
HEADS = (
    "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.qkv, self.out = nn.Linear(8, 24, bias=False), nn.Linear(8, 8)\n"
    "    def forward(self, x):\n        T, C = x.shape\n"
)


WEIGHTS = (
    "class M(nn.Module):\n    def __init__(self, d_in=8, d_out=4):\n        super().__init__()\n        self.d_out = d_out\n"
    "        self.W_q, self.W_k, self.W_v = (nn.Parameter(torch.rand(d_in, d_out)) for _ in range(3))\n"
    "    def forward(self, x):\n        q, k, v = x @ self.W_q, x @ self.W_k, x @ self.W_v\n        omega = q @ k.mT\n"
    "        return torch.softmax(omega / self.d_out ** 0.5, dim=-1) @ v\n"
)
BATCHED = (
    "class M(nn.Module):\n    def __init__(self, dims=4, values=4, heads=2):\n        super().__init__()\n        self.dims, self.heads = dims, heads\n"
    "        self.query, self.key = nn.Linear(8, dims * heads, bias=False), nn.Linear(8, dims * heads, bias=False)\n"
    "        self.value = nn.Linear(8, values * heads, bias=False)\n    def forward(self, x):\n        B, T, C = x.shape\n"
    "        q, k, v = self.query(x), self.key(x), self.value(x)\n"
)
MASK = "        mask = torch.tril(torch.ones(T, T)) == 0\n        w = F.softmax(w.masked_fill(mask, float('-inf')), dim=-1)\n"


def plain(*lines: str, args: str = "x") -> str:
    body = "".join(f"        {line}\n" for line in lines)
    return f"class M(nn.Module):\n    def forward(self, {args}):\n{body}"


def modules() -> dict[str, tuple[str, dict[str, tuple[str | int, ...]]]]:
    x4, x8, two = {"x": ("n", 4)}, {"x": ("n", 8)}, {"x": ("n", 4), "y": ("m", 4)}
    b4, b8 = {"x": ("m", "n", 4)}, {"x": ("m", "n", 8)}
    tril = "        self.register_buffer('tril', torch.tril(torch.ones(64, 64)))\n"
    triu = "        self.register_buffer('mask', torch.triu(torch.ones(64, 64), diagonal=1))\n"
    return {
        "self-attention": (HEAD.format(more="") + SCORES + "        return torch.softmax(s, dim=-1) @ v\n", x4),
        "a causal mask as a buffer": (HEAD.format(more=tril) + SCORES + "        T = x.shape[0]\n        s = s.masked_fill(self.tril[:T, :T] == 0, float('-inf'))\n        return F.softmax(s, dim=-1) @ v\n", x4),
        "a mask of truth values": (HEAD.format(more=triu) + "        T = x.size(0)\n" + SCORES + "        s = s.masked_fill(self.mask.bool()[:T, :T], -torch.inf)\n        return s.softmax(-1) @ v\n", x4),
        "a mask made in forward": (HEAD.format(more="") + SCORES + "        m = torch.tril(torch.ones(x.shape[0], x.shape[0]))\n        return s.masked_fill(m == 0, float('-inf')).softmax(-1) @ v\n", x4),
        "heads by view and transpose": (HEADS + "        q, k, v = self.qkv(x).chunk(3, dim=-1)\n        q, k, v = (t.view(T, 2, 4).transpose(0, 1) for t in (q, k, v))\n        a = (q @ k.transpose(-2, -1) / 2.0).softmax(-1)\n        return self.out((a @ v).transpose(0, 1).reshape(T, C))\n", x8),
        "heads by split": (HEADS + "        q, k, v = self.qkv(x).split(8, dim=-1)\n        q, k, v = (t.reshape(T, 2, 4).permute(1, 0, 2) for t in (q, k, v))\n        a = torch.softmax(q @ k.mT * 4 ** -0.5, dim=-1)\n        return self.out((a @ v).permute(1, 0, 2).flatten(1))\n", x8),
        "layer norm as a layer": ("class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.norm = nn.LayerNorm(4)\n    def forward(self, x):\n        return self.norm(x)\n", x4),
        "layer norm by hand": (plain("mu = x.mean(dim=-1, keepdim=True)", "var = x.var(dim=-1, keepdim=True, unbiased=False)", "return (x - mu) / torch.sqrt(var + 1e-5)"), x4),
        "root mean square": (plain("return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)"), x4),
        "softmax by hand": (plain("e = torch.exp(x - x.amax(dim=-1, keepdim=True))", "return e / e.sum(dim=-1, keepdim=True)"), x4),
        "softmax of the other axis": (plain("return torch.softmax(x, dim=0)"), x4),
        "log-softmax": (plain("return F.log_softmax(x, dim=-1)"), x4),
        "cross attention": (plain("return torch.softmax(x @ y.T / 2.0, dim=1) @ y", args="x, y"), two),
        "attention by einsum": (plain("s = torch.einsum('id,jd->ij', x, y)", "return torch.einsum('ij,jd->id', s.softmax(-1), y)", args="x, y"), two),
        "distances": (plain("return ((x[:, None, :] - y[None, :, :]) ** 2).sum(-1)", args="x, y"), two),
        "positional encoding": (plain("p = torch.arange(x.shape[0]).unsqueeze(1)", "return x + torch.sin(p * torch.exp(-torch.arange(4) / 2))"), x4),
        "rotation of halves": (plain("a, b = x[:, :2], x[:, 2:]", "return torch.cat([-b, a], dim=-1)"), x4),
        "gated": (plain("return torch.sigmoid(x) * torch.tanh(x) + F.relu(x)"), x4),
        "the last token": (plain("return x[-1] @ x.T"), x4),
        "linear attention": (plain("q, k = torch.exp(x), torch.exp(x)", "return q @ (k.T @ x) / (q @ k.sum(dim=0)).unsqueeze(-1)"), x4),
        "weights as parameters": (WEIGHTS, x8),
        "weights as parameters, of a batch": (WEIGHTS, b8),
        "a head of a batch": (BATCHED + "        w = q @ k.transpose(2, 1) * self.dims ** -0.5\n" + MASK + "        return w @ v\n", b8),
        "heads of a batch by einsum": (BATCHED + "        q, k, v = (t.view(B, T, self.heads, self.dims) for t in (q, k, v))\n        w = torch.einsum('bihk,bjhk->bhij', q, k)\n"
            + MASK + "        return torch.einsum('bhij,bjhv->bihv', w, v).contiguous().view(B, T, C)\n", b8),
        "a mask that is multiplied": (plain("i = torch.arange(x.shape[0])", "e = (i[None, :] <= i[:, None]) * (x @ x.mT).exp()",
            "return (e / e.sum(-1, keepdim=True)) @ x"), x4),
        "exponentials by their sum": (plain("return torch.exp(x) / torch.exp(x).sum(dim=0)"), x4),
        "averages of what is before": (plain("w = torch.tril(torch.ones(size=(x.shape[1], x.shape[1])))", "return (w / torch.sum(w, 1, keepdim=True)) @ x"), b4),
        "averages by a softmax": (plain("T = x.shape[1]", "tril = torch.tril(torch.ones(T, T))",
            "return F.softmax(torch.zeros((T, T)).masked_fill(tril == 0, float('-inf')), dim=-1) @ x"), b4),
    }  # fmt: skip


MODULES = modules()
NOT_EXPORTED: Mapping[str, str] = {}
"""Modules that torch.export refuses, or whose operations this reader lacks, with the reason."""


def test_how_many_agree() -> None:
    assert len(MODULES) - len(NOT_EXPORTED) >= 28


@pytest.mark.parametrize("name", MODULES)
def test_both_routes_agree(name: str) -> None:
    code, shapes = MODULES[name]
    scope = Scope()
    i = Interpreter(scope)
    given: dict[str, Any] = {}
    for arg, shape in shapes.items():
        sizes = [Index.of(s) if isinstance(s, int) else scope.sizes.name(s) for s in shape]
        given[arg] = scope.given(sizes, arg, "parameter")
    assert not i.run(ast.parse(PRELUDE + code).body)
    made = instantiate(i, i.module.names["M"], [], {})
    for size_name, number in scope.sizes.concrete.items():  # the widths of layers, which torch has as numbers
        scope.sizes.known.setdefault(size_name, Index.of(number))
    mine = array(call_function(i, made.cls.member("forward"), [made], dict(given), lend=False))
    names: dict[str, Any] = {}
    exec(PRELUDE + code, names)  # the test's own text
    module: nn.Module = names["M"]().eval()
    lengths = {"n": 5, "m": 7}
    examples = tuple(torch.randn([s if isinstance(s, int) else lengths[s] for s in shape]) for shape in shapes.values())
    dims = {s: torch.export.Dim(s, min=2, max=63) for s in lengths}
    dynamic = {a: {k: dims[s] for k, s in enumerate(sh) if isinstance(s, str)} for a, sh in shapes.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch's own, about its own deprecated parts
        try:
            program = torch.export.export(module, examples, dynamic_shapes=dynamic).run_decompositions()
            other = array(read(program, i, made, given))
        except (NoRow, torch._dynamo.exc.UserError) as problem:
            assert str(problem).splitlines()[0] == NOT_EXPORTED.get(name)
            return
    assert name not in NOT_EXPORTED
    assert mine.rank == other.rank
    for a, b in zip(mine.shape, other.shape, strict=True):
        assert scope.sizes.require(a, b, "the two routes") is not None
    left = _lifted(scope, mine)
    right = _lifted(scope, other, left.definitions)
    at = [f"i{k}" for k in range(len(left.shape))]
    ranges = guard(*(c for v, s in zip(at, left.shape, strict=True) for c in within(v, 0, s)))
    statement = Statement(left.at(at), "=", right.at(at), tuple(at), ranges)
    tensors = {t.name: t for t in (*left.inputs, *right.inputs)}
    decision = decide(statement, Theory(tensors, {**left.definitions, **right.definitions}))
    assert isinstance(decision, Proved), decision
