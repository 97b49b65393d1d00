"""Array programs as readable NumPy or torch source."""

from __future__ import annotations

import string
from dataclasses import dataclass
from keyword import iskeyword

from derivations.language.term import Constraint, Index

from .program import Node, Program


@dataclass(frozen=True)
class Dialect:
    """How one library spells the operations."""

    name: str
    header: str
    functions: dict[str, str]
    where: str
    einsum: str
    arange: str
    keepdims: str
    axis: str


NUMPY = Dialect(
    "numpy",
    "import numpy as np\n",
    {k: f"np.{k}" for k in ("exp", "log", "sin", "cos", "tanh", "abs", "sqrt")},
    "np.where",
    "np.einsum",
    "np.arange({0})",
    "keepdims=True",
    "axis",
)
TORCH = Dialect(
    "torch",
    "import torch\n",
    {k: f"torch.{k}" for k in ("exp", "log", "sin", "cos", "tanh", "abs", "sqrt")},
    "torch.where",
    "torch.einsum",
    "torch.arange({0}, device=_device)",
    "keepdim=True",
    "dim",
)
DIALECTS = {d.name: d for d in (NUMPY, TORCH)}


def write_source(program: Program, dialect: Dialect) -> str:
    """The source of a function `compute(**tensors)` with a docstring that states equation, shapes and axes."""
    return _Emitter(program, dialect).source()


class _Emitter:
    def __init__(self, program: Program, dialect: Dialect) -> None:
        self.program, self.dialect = program, dialect
        self.lines: list[str] = []
        self.names: dict[Node, tuple[str, tuple[str, ...]]] = {}
        self.count = 0
        self.size_names = size_names(program)

    def source(self) -> str:
        p = self.program
        name, axes = self.emit(p.result)
        parameters = ", ".join([*(safe(n) for n in sorted(p.inputs)), *(self.size_names[s] for s in p.parameters)])
        shapes = ", ".join(f"{safe(n)} {_shape(s)}" for n, s in sorted(p.inputs.items()))
        out = ", ".join(f"{a} < {p.extents[a]}" for a in axes) or "a scalar"
        head = [
            f"{self.dialect.header}\n\ndef compute({parameters}):",
            f'    """{p.equation.replace(chr(92), "/")}',
            "",
            f"    Inputs: {shapes or 'none'}.  Result: {out}.",
            '    """',
        ]
        return "\n".join([*head, *self.sizes(), *self.lines, f"    return {name}", ""])

    def sizes(self) -> list[str]:
        """Sizes from the shapes of the inputs; a contradiction names both tensors and axes."""
        lines: list[str] = []
        known: dict[str, str] = {}
        for name, shape in sorted(self.program.inputs.items()):
            for k, extent in enumerate(shape):
                if len(extent.terms) != 1 or extent.const or extent.terms[0][1] != 1:
                    continue
                size = self.size_names[extent.terms[0][0].name]
                here = f"{safe(name)}.shape[{k}]"
                if size not in known:
                    known[size] = f"axis {k} of {name}"
                    lines.append(f"    {size} = {here}")
                else:
                    lines.append(f"    if {here} != {size}:")
                    message = f"{size} is {{{size}}} from {known[size]}, but {{{here}}} from axis {k} of {name}"
                    lines.append(f'        raise ValueError(f"{message}")')
        if self.dialect.name == "torch":
            ranked = sorted(
                self.program.inputs, key=lambda n: (not self.program.inputs[n], n)
            )  # a number has no device
            first = next(map(safe, ranked), None)
            lines.append(f"    _device = {first}.device" if first else '    _device = "cpu"')
            lines.append(f"    _dtype = {first}.dtype" if first else "    _dtype = torch.float64")
        return lines

    def emit(self, node: Node) -> tuple[str, tuple[str, ...]]:
        found = self.names.get(node)
        if found is None:
            found = self.names[node] = getattr(self, "op_" + node.op)(node)
        return found

    def bind(self, text: str, hint: str) -> str:
        self.count += 1
        name = f"{hint}{self.count}"
        self.lines.append(f"    {name} = {text}")
        return name

    def align(self, node: Node, axes: tuple[str, ...]) -> str:
        """The node's array with length-1 axes put in, so that it broadcasts over `axes`."""
        text, own = self.emit(node)
        if own == axes or not own:
            return text
        order = tuple(a for a in axes if a in own)
        if order != own:
            text = self.permute(text, own, order)
        if order == axes:
            return text
        marks = ", ".join(":" if a in own else "None" for a in axes)
        if marks.startswith("None, ") and set(marks.split(", ")[marks.split(", ").count("None") :]) == {":"}:
            return text  # leading axes are added by broadcasting itself
        return f"{text}[{marks}]"

    def permute(self, text: str, own: tuple[str, ...], order: tuple[str, ...]) -> str:
        if len(own) == 2:
            return f"{text}.T"
        numbers = ", ".join(str(own.index(a)) for a in order)
        return f"{text}.transpose({numbers})" if self.dialect.name == "numpy" else f"{text}.permute({numbers})"

    # --- operations

    def op_input(self, node: Node) -> tuple[str, tuple[str, ...]]:
        name, picks = node.data
        if all(isinstance(p, str) for p in picks):
            return safe(name), node.axes
        return f"{safe(name)}[{', '.join(':' if isinstance(p, str) else str(p) for p in picks)}]", node.axes

    def op_const(self, node: Node) -> tuple[str, tuple[str, ...]]:
        value = node.data
        if value == float("-inf"):
            return 'float("-inf")', ()
        return (repr(int(value)) + ".0" if value == int(value) else repr(value)), ()

    def op_size(self, node: Node) -> tuple[str, tuple[str, ...]]:
        return self.size_names[node.data], ()

    def op_position(self, node: Node) -> tuple[str, tuple[str, ...]]:
        text = self.arange(node.data)
        return (f"{text}.to(_dtype)" if self.dialect.name == "torch" else text), node.axes

    def arange(self, var: str) -> str:
        return self.dialect.arange.format(self.extent(self.program.extents[var]))

    def extent(self, i: Index) -> str:
        """A length as Python."""
        parts = [self.size_names[a.name] if c == 1 else f"{c} * {self.size_names[a.name]}" for a, c in i.terms]
        return " + ".join([*parts, *([str(i.const)] if i.const or not parts else [])])

    def op_mask(self, node: Node) -> tuple[str, tuple[str, ...]]:
        parts = [self.comparison(c, node.axes) for c in node.data]
        return self.bind(" & ".join(f"({p})" for p in parts) if len(parts) > 1 else parts[0], "allowed"), node.axes

    def comparison(self, c: Constraint, axes: tuple[str, ...]) -> str:
        left = Index(((a, k) for a, k in c.index.terms if k > 0), max(c.index.const, 0))
        right = Index(((a, -k) for a, k in c.index.terms if k < 0), max(-c.index.const, 0))
        sign = ">=" if c.relation == ">=" else "=="
        return f"{self.positions(left, axes)} {sign} {self.positions(right, axes)}"

    def positions(self, i: Index, axes: tuple[str, ...]) -> str:
        parts = []
        for atom, k in i.terms:
            if atom.kind == "size":
                text = self.size_names[atom.name]
            else:
                text = self.arange(atom.name)
                if len(axes) > 1:
                    text += "[" + ", ".join(":" if a == atom.name else "None" for a in axes) + "]"
            parts.append(text if k == 1 else f"{k} * {text}")
        if i.const or not parts:
            parts.append(str(i.const))
        return " + ".join(parts)

    def op_add(self, node: Node) -> tuple[str, tuple[str, ...]]:
        a, b = (self.align(x, node.axes) for x in node.args)
        return self.bind(f"{a} + {b}", "t"), node.axes

    def op_mul(self, node: Node) -> tuple[str, tuple[str, ...]]:
        a, b = (self.align(x, node.axes) for x in node.args)
        return self.bind(f"{a} * {b}", "t"), node.axes

    def op_div(self, node: Node) -> tuple[str, tuple[str, ...]]:
        a, b = (self.align(x, node.axes) for x in node.args)
        return self.bind(f"{a} / {b}", "t"), node.axes

    def op_power(self, node: Node) -> tuple[str, tuple[str, ...]]:
        text, axes = self.emit(node.args[0])
        if node.data == 0.5 and axes:
            return self.bind(f"{self.dialect.functions['sqrt']}({text})", "t"), axes
        exponent = int(node.data) if node.data == int(node.data) else node.data
        return self.bind(f"{text} ** {exponent}", "t"), axes

    def op_function(self, node: Node) -> tuple[str, tuple[str, ...]]:
        text, axes = self.emit(node.args[0])
        if not axes and self.dialect.name == "torch":
            text = f"torch.as_tensor({text}, dtype=_dtype, device=_device)"
        return self.bind(f"{self.dialect.functions[node.data]}({text})", "t"), axes

    def op_where(self, node: Node) -> tuple[str, tuple[str, ...]]:
        parts = [self.align(x, node.axes) for x in node.args]
        if self.dialect.name == "torch":
            parts[1:] = [
                p if a.axes else f"torch.as_tensor({p}, dtype=_dtype, device=_device)"
                for p, a in zip(parts[1:], node.args[1:], strict=True)
            ]
        return self.bind(f"{self.dialect.where}({', '.join(parts)})", "t"), node.axes

    def op_arrange(self, node: Node) -> tuple[str, tuple[str, ...]]:
        text = self.align(node.args[0], node.axes)
        missing = [a for a in node.axes if a not in node.args[0].axes]
        if missing:
            shape = ", ".join(self.extent(self.program.extents[a]) for a in node.axes)
            if self.dialect.name == "numpy":
                text = f"np.broadcast_to({text}, ({shape},))"
            else:
                text = f"torch.as_tensor({text}, dtype=_dtype, device=_device).expand({shape})"
        return self.bind(text, "out"), node.axes

    def op_max(self, node: Node) -> tuple[str, tuple[str, ...]]:
        text, axes = self.emit(node.args[0])
        k = axes.index(node.data)
        method = "max" if self.dialect.name == "numpy" else "amax"
        return self.bind(f"{text}.{method}({self.dialect.axis}={k})", "m"), tuple(a for a in axes if a != node.data)

    def op_contract(self, node: Node) -> tuple[str, tuple[str, ...]]:
        operands = []
        for a in node.args:
            text, axes = self.emit(a)
            if a.op == "mask":
                text = f"{text}.astype({self.float_of(node)})" if self.dialect.name == "numpy" else f"{text}.to(_dtype)"
            operands.append((text, axes))
        if len(operands) == 1:
            text, axes = operands[0]
            numbers = ", ".join(str(axes.index(v)) for v in node.data)
            inside = numbers if len(node.data) == 1 else f"({numbers})"
            rest = tuple(a for a in axes if a not in node.data)
            return self.bind(f"{text}.sum({self.dialect.axis}={inside})", "t"), rest
        if len(operands) == 2 and len(node.data) == 1:
            product = self.matmul(operands, node.data[0])
            if product is not None:
                return self.bind(product[0], "t"), product[1]
        letters: dict[str, str] = {}
        for _, axes in operands:
            for a in axes:
                letters.setdefault(a, a if len(a) == 1 and a.isascii() and a not in letters.values() else "")
        free = [c for c in string.ascii_letters if c not in letters.values()]
        for a in letters:
            letters[a] = letters[a] or free.pop(0)
        spec = ",".join("".join(letters[a] for a in axes) for _, axes in operands)
        spec += "->" + "".join(letters[a] for a in node.axes)
        return self.bind(f'{self.dialect.einsum}("{spec}", {", ".join(t for t, _ in operands)})', "t"), node.axes

    def matmul(self, operands: list[tuple[str, tuple[str, ...]]], var: str) -> tuple[str, tuple[str, ...]] | None:
        (a, left), (b, right) = operands
        if len(left) > 2 or len(right) > 2 or not left or not right or (set(left) & set(right)) != {var}:
            return None
        first = a if left[-1] == var else f"{a}.T"
        second = b if right[0] == var else f"{b}.T"
        axes = (*(x for x in left if x != var), *(x for x in right if x != var))
        return f"{first} @ {second}", axes

    def float_of(self, node: Node) -> str:
        named = next((safe(n) for n in sorted(self.program.inputs)), None)
        return f"{named}.dtype" if named else "float"

    def op_softmax(self, node: Node) -> tuple[str, tuple[str, ...]]:
        var = node.data
        k = node.axes.index(var)
        scores = self.align(node.args[0], node.axes)
        if len(node.args) == 2:
            mask = self.align(node.args[1], node.axes)
            low = 'float("-inf")'
            if self.dialect.name == "numpy":
                low = f"{self.float_of(node)}.type(-np.inf)"
            scores = self.bind(f"{self.dialect.where}({mask}, {scores}, {low})", "scores")
        axis, keep = f"{self.dialect.axis}={k}", self.dialect.keepdims
        top = "max" if self.dialect.name == "numpy" else "amax"
        weights = self.bind(f"{self.dialect.functions['exp']}({scores} - {scores}.{top}({axis}, {keep}))", "weights")
        return self.bind(f"{weights} / {weights}.sum({axis}, {keep})", "softmax"), node.axes

    def op_logsumexp(self, node: Node) -> tuple[str, tuple[str, ...]]:
        axes = (*node.axes, node.data)
        scores = self.align(node.args[0], axes)
        if len(node.args) == 2:
            mask = self.align(node.args[1], axes)
            low = 'float("-inf")' if self.dialect.name == "torch" else f"{self.float_of(node)}.type(-np.inf)"
            scores = self.bind(f"{self.dialect.where}({mask}, {scores}, {low})", "scores")
        if self.dialect.name == "torch":
            return self.bind(f"torch.logsumexp({scores}, dim=-1)", "lse"), node.axes
        top = self.bind(f"{scores}.max(axis=-1, keepdims=True)", "top")
        return self.bind(f"np.log(np.exp({scores} - {top}).sum(axis=-1)) + {top}[..., 0]", "lse"), node.axes


def safe(name: str) -> str:
    """A Python name for a document's name."""
    text = "".join(c if c.isalnum() and c.isascii() else "_" for c in name).strip("_") or "x"
    return f"x{text}" if text[0].isdigit() else f"{text}_" if iskeyword(text) else text


def size_names(program: Program) -> dict[str, str]:
    """Python names of the sizes, apart from those of the inputs."""
    taken = {safe(n) for n in program.inputs}
    return {n: safe(n) + ("_size" if safe(n) in taken else "") for n in sorted(_all_sizes(program))}


def _all_sizes(program: Program) -> set[str]:
    shapes = [i for s in program.inputs.values() for i in s]
    return {name for i in [*program.extents.values(), *shapes] for name in i.sizes} | set(program.sizes)


def _shape(shape: tuple[Index, ...]) -> str:
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
