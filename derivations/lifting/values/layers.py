"""Layers of torch.nn as values: their parameters are symbolic inputs that take the name of the attribute.

The weight of a linear layer is kept as (in, out), the transpose of what torch stores, because that is how equations
write it: `x W`.  `layer.weight` is torch's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from derivations.language.term import Number
from derivations.lifting.operations.all_operations import BY_NAME, call
from derivations.lifting.operations.indexing import subscript, wrapped
from derivations.lifting.operations.making import generalised
from derivations.lifting.operations.products import matmul
from derivations.lifting.operations.reductions import rms_norm
from derivations.lifting.operations.shaping import swap
from derivations.lifting.operations.table import Op, Value, array, bind, integer, op
from derivations.lifting.symbolic.arrays import Array, Entry, real, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.term_arithmetic import plus
from derivations.lifting.values.python_values import Members
from derivations.notes import Note

if TYPE_CHECKING:
    from derivations.lifting.interpreter.interpret import Interpreter


@dataclass(eq=False)
class Layer:
    """A layer with its parameters; `settings` are its other arguments."""

    kind: str
    parameters: dict[str, Array] = field(default_factory=dict)
    settings: Mapping[str, Value] = field(default_factory=dict)
    looked_up: list[tuple[Entry, Array]] = field(default_factory=list)
    """What an embedding gave for places that are data."""

    def apply(self, i: Interpreter, given: Sequence[Value]) -> Value:
        row = LAYERS[self.kind]
        return row.forward(i, self, *given)

    def member(self, i: Interpreter, items: Value) -> Value:
        """A layer of a list of layers."""
        layers, k = self.settings.get("layers", ()), integer(items)
        if isinstance(layers, Members):
            from derivations.lifting.values.members import member

            return member(layers, wrapped(i.scope, k, layers.loop.size))
        if not k.is_constant or not -len(layers) <= k.const < len(layers):
            raise NotLifted("a layer at a position that is not known")
        return layers[k.const]

    def attribute(self, i: Interpreter, name: str) -> Value:
        if name == "weight" and "weight" in self.parameters:
            weight = self.parameters["weight"]
            return swap(i.scope, weight, scalar(0), scalar(1)) if self.kind == "Linear" else weight
        if name in self.parameters:
            return self.parameters[name]
        if name == "forward":
            return self
        if name in self.settings:
            return self.settings[name]
        raise NotLifted(f"the attribute {name} of a layer")


@dataclass(frozen=True)
class Row:
    """A kind of layer: its constructor's arguments, its parameters, what it does to its input."""

    constructor: Op
    forward: Callable[..., Value]


def _linear(i: Interpreter, in_features: Value, out_features: Value, bias: Value) -> Layer:
    sizes = [generalised(i.scope, i.scope.sizes.resolve(integer(s))) for s in (in_features, out_features)]
    made = Layer("Linear", {"weight": i.scope.given(sizes, origin="layer")})
    if bias is not False:
        made.parameters["bias"] = i.scope.given(sizes[1:], origin="bias")
    made.settings = {"in_features": scalar(sizes[0]), "out_features": scalar(sizes[1])}
    return made


def _run_linear(i: Interpreter, layer: Layer, x: Value) -> Value:
    made = matmul(i.scope, x, layer.parameters["weight"])
    if "bias" in layer.parameters:
        made = i.scope.elementwise("+", lambda a, b: plus(real(a), real(b)), made, layer.parameters["bias"])
    return made


_SMALL = scalar(Number(Fraction(1, 100000)))


def _layer_norm(i: Interpreter, shape: Value, eps: Value, elementwise_affine: Value, bias: Value) -> Layer:
    sizes = [i.scope.sizes.resolve(integer(s)) for s in (shape if isinstance(shape, (tuple, list)) else [shape])]
    made = Layer("LayerNorm", settings={"eps": eps if eps is not None else _SMALL, "axes": len(sizes)})
    if elementwise_affine is not False:
        gain = i.scope.given(sizes, origin="layer", initial=1)
        made.parameters = {"weight": gain, "bias": i.scope.given(sizes, origin="bias", initial=0)}
    return made


def _run_layer_norm(i: Interpreter, layer: Layer, x: Value) -> Value:
    shape = [scalar(s) for s in i.scope.shape(array(x))[-int(layer.settings["axes"]) :]]
    given = [x, shape, layer.parameters.get("weight"), layer.parameters.get("bias"), layer.settings["eps"]]
    return call(i.scope, "torch.nn.functional.layer_norm", given, {})


def _rms_norm(i: Interpreter, shape: Value, eps: Value) -> Layer:
    sizes = [i.scope.sizes.resolve(integer(s)) for s in (shape if isinstance(shape, (tuple, list)) else [shape])]
    return Layer("RMSNorm", {"weight": i.scope.given(sizes, origin="layer", initial=1)}, {"eps": eps})


def _embedding(i: Interpreter, num_embeddings: Value, embedding_dim: Value, padding_idx: Value) -> Layer:
    sizes = [generalised(i.scope, i.scope.sizes.resolve(integer(s))) for s in (num_embeddings, embedding_dim)]
    settings = {"num_embeddings": scalar(sizes[0]), "embedding_dim": scalar(sizes[1])}
    return Layer("Embedding", {"weight": i.scope.given(sizes, origin="layer")}, settings)


def _run_embedding(i: Interpreter, layer: Layer, x: Value) -> Value:
    """Rows at places; for places that are data some vectors, the same ones for the same places."""
    places = array(x)
    if places.kind != "real":
        return subscript(i.scope, layer.parameters["weight"], x)
    found = next((made for entry, made in layer.looked_up if entry is places.entry), None)
    if found is None:
        if i.loops or layer.looked_up:  # the same places may occur in both
            raise NotLifted("rows of an embedding at several arrays of places that are data")
        width = layer.parameters["weight"].shape[1]
        found = i.scope.given([*i.scope.shape(places), width], origin="data")
        layer.looked_up.append((places.entry, found))
    return found


def _run_dropout(i: Interpreter, layer: Layer, x: Value) -> Value:
    i.scope.assume(Note("dropout-off"))
    return x


def _applied(name: str) -> Callable[..., Value]:
    return lambda i, layer, x: call(i.scope, name, [x], {})


def _loss(name: str) -> Callable[..., Value]:
    """A loss of two arrays, with its settings."""
    return lambda i, layer, x, y: call(i.scope, f"torch.nn.functional.{name}", [x, y], dict(layer.settings))


def _plain(kind: str) -> Callable[..., Layer]:
    return lambda i, **settings: Layer(kind, settings=settings)


def _run_softmax(i: Interpreter, layer: Layer, x: Value) -> Value:
    return call(i.scope, "torch.softmax", [x], {"dim": layer.settings["dim"]})


def _sequence(i: Interpreter, layers: Value) -> Layer:
    many = len(layers) == 1 and isinstance(layers[0], Members)
    return Layer("Sequential", settings={"layers": layers[0] if many else list(layers)})


def _run_sequence(i: Interpreter, layer: Layer, x: Value) -> Value:
    from derivations.lifting.interpreter.calls import apply

    if isinstance(layer.settings["layers"], Members):
        raise NotLifted("layers one after the other, of which the number is a symbol")
    for part in layer.settings["layers"]:
        x = apply(i, part, [x], {})
    return x


def _no_call(i: Interpreter, layer: Layer, *x: Value) -> Value:
    raise NotLifted("a list of layers is called")


LAYERS: Mapping[str, Row] = {
    "Linear": Row(op("torch.nn.Linear", "in_features out_features bias=True", _linear), _run_linear),
    "LayerNorm": Row(op("torch.nn.LayerNorm", "shape eps=None elementwise_affine=True bias=True", _layer_norm), _run_layer_norm),
    "RMSNorm": Row(
        op("torch.nn.RMSNorm", "shape eps=None", _rms_norm),
        lambda i, layer, x: rms_norm(i.scope, x, None, layer.parameters["weight"], layer.settings["eps"]),
    ),
    "Embedding": Row(op("torch.nn.Embedding", "num_embeddings embedding_dim padding_idx=None", _embedding), _run_embedding),
    "Dropout": Row(op("torch.nn.Dropout", "p=None", _plain("Dropout")), _run_dropout),
    "Softmax": Row(op("torch.nn.Softmax", "dim=None", _plain("Softmax")), _run_softmax),
    "ReLU": Row(op("torch.nn.ReLU", "", _plain("ReLU")), _applied("torch.relu")),
    "SiLU": Row(op("torch.nn.SiLU", "", _plain("SiLU")), _applied("torch.nn.functional.silu")),
    "Tanh": Row(op("torch.nn.Tanh", "", _plain("Tanh")), _applied("torch.tanh")),
    "Sigmoid": Row(op("torch.nn.Sigmoid", "", _plain("Sigmoid")), _applied("torch.sigmoid")),
    "GELU": Row(op("torch.nn.GELU", "approximate=None", _plain("GELU")),
                lambda i, layer, x: call(i.scope, "torch.nn.functional.gelu", [x], dict(layer.settings))),
    "ELU": Row(op("torch.nn.ELU", "alpha=1", _plain("ELU")),
               lambda i, layer, x: call(i.scope, "torch.nn.functional.elu", [x, layer.settings["alpha"]], {})),
    "LeakyReLU": Row(op("torch.nn.LeakyReLU", "slope=None", _plain("LeakyReLU")),
                     lambda i, layer, x: call(i.scope, "torch.nn.functional.leaky_relu", [x, layer.settings["slope"]], {})),
    "LogSoftmax": Row(
        op("torch.nn.LogSoftmax", "dim=None", _plain("LogSoftmax")),
        lambda i, layer, x: call(i.scope, "torch.log_softmax", [x], {"dim": layer.settings["dim"]}),
    ),
    "CrossEntropyLoss": Row(
        op("torch.nn.CrossEntropyLoss", "weight=None ignore_index=None reduction='mean' label_smoothing=None",
           _plain("CrossEntropyLoss")),
        _loss("cross_entropy"),
    ),
    "NLLLoss": Row(op("torch.nn.NLLLoss", "weight=None ignore_index=None reduction='mean'", _plain("NLLLoss")),
                   _loss("nll_loss")),
    "BCELoss": Row(op("torch.nn.BCELoss", "reduction='mean'", _plain("BCELoss")), _loss("binary_cross_entropy")),
    "BCEWithLogitsLoss": Row(op("torch.nn.BCEWithLogitsLoss", "reduction='mean'", _plain("BCEWithLogitsLoss")),
                             _loss("binary_cross_entropy_with_logits")),
    "KLDivLoss": Row(op("torch.nn.KLDivLoss", "reduction='mean' log_target=False", _plain("KLDivLoss")), _loss("kl_div")),
    "L1Loss": Row(op("torch.nn.L1Loss", "reduction='mean'", _plain("L1Loss")), _loss("l1_loss")),
    "MSELoss": Row(op("torch.nn.MSELoss", "", _plain("MSELoss")), _loss("mse_loss")),
    "Softplus": Row(op("torch.nn.Softplus", "", _plain("Softplus")), _applied("torch.nn.functional.softplus")),
    "Flatten": Row(op("torch.nn.Flatten", "start_dim=1 end_dim=-1", _plain("Flatten")),
                   lambda i, layer, x: call(i.scope, "torch.flatten", [x], dict(layer.settings))),
    "Identity": Row(op("torch.nn.Identity", "*rest", _plain("Identity")), lambda i, layer, x: x),
    "Sequential": Row(op("torch.nn.Sequential", "*layers", _sequence), _run_sequence),
    "ModuleList": Row(op("torch.nn.ModuleList", "*layers", _sequence), _no_call),
}  # fmt: skip


def make(i: Interpreter, kind: str, given: Sequence[Value], named: Mapping[str, Value]) -> Layer:
    """A layer from its constructor's arguments."""
    row = LAYERS[kind].constructor
    made = row.build(i, **bind(row, given, named))
    made.kind = kind
    return made  # type: ignore[no-any-return]


__all__ = ["BY_NAME", "LAYERS", "Layer", "make"]
