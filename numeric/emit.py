"""Array programs as readable NumPy, torch or JAX source.

What is used once stands where it is used, unless the line grows long; what is used again has a name.  An array that will
not be used any more is released before the next one is made, which is why weights and their scores have names.  Equal
arrays are computed once, whatever their axes are called.  In NumPy a softmax works in place on scores of its own.
"""

from __future__ import annotations

import string
import textwrap
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import count
from keyword import iskeyword

from derivations.language.term import Atom, Constraint, Index

from .dialects import DIALECTS, Dialect
from .program import Node, Program
from .rewriting import SAYS, negated, signature

LONG = 60
"""Characters of an expression that gets a line of its own."""
SUM, PRODUCT, POWER, ATOM = range(4)
"""How strongly the outermost operation of a text binds."""
HINTS = {"mask": "allowed", "softmax": "weights", "mean": "mean", "logsumexp": "lse", "max": "largest"}


@dataclass(frozen=True)
class Piece:
    """An expression over axes; `fresh` when it makes an array that nothing else refers to."""

    text: str
    axes: tuple[str, ...]
    binds: int = ATOM
    fresh: bool = True

    def inside(self, strength: int) -> str:
        """The text as an operand of an operation that binds this strongly."""
        return self.text if self.binds >= strength else f"({self.text})"


def write_source(program: Program, dialect: Dialect) -> str:
    """The source of a function `compute(...)` with a docstring that states equation, shapes, axes and rewritings."""
    return Emitter(program, dialect).source()


class Emitter:
    """Writes one program in one dialect."""

    def __init__(self, program: Program, dialect: Dialect) -> None:
        self.program, self.dialect = program, dialect
        self.lines: list[tuple[str, str]] = []
        """(name, expression); a name "" is a statement of its own."""
        self.known: dict[object, tuple[Piece, tuple[int, ...]]] = {}
        self.signatures: dict[Node, tuple[object, ...]] = {}
        self.names = input_names(program)
        self.size_names = size_names(program)
        self.exact = {n for n, shape in program.inputs.items() if not shape}
        """Inputs that may not have further leading axes: theirs would meet an axis of another input."""
        self.large: dict[str, bool] = {}
        """Names of arrays, and whether they are worth releasing."""
        self.aliases: set[tuple[str, str]] = set()
        """(old, new) names of one array that is worked on in place."""
        self.taken = set(self.names.values()) | set(self.size_names.values())
        ranked = [n for n, shape in program.inputs.items() if shape]
        self.like = self.names[ranked[0]] if ranked else None
        """The input whose dtype and device new arrays have."""
        self.uses: Counter[object] = Counter()
        self.scores: set[object] = set()
        self.count_uses(program.result, set())

    def count_uses(self, node: Node, seen: set[object]) -> None:
        key = self.key(node)
        if key in seen:
            return
        seen.add(key)
        for a in node.args:
            self.uses[self.key(a)] += 1
            self.count_uses(a, seen)
        if node.op in ("softmax", "logsumexp") and len(node.args) == 1:
            self.scores.add(self.key(node.args[0]))

    def key(self, node: Node) -> object:
        return signature(node, self.program.extents, self.signatures)

    @property
    def dtype(self) -> str:
        return f"{self.like}.dtype" if self.like else f"{self.dialect.module}.float64"

    @property
    def device(self) -> str:
        return f"{self.like}.device" if self.like else '"cpu"'

    # --- the whole

    def source(self) -> str:
        result = self.piece(self.program.result)
        order = self.program.result.axes
        if result.axes != order:
            result = self.permuted(result, order, self.program.result)
        return self.written(result)

    def written(self, result: Piece, note: str = "", imports: Sequence[str] = ()) -> str:
        """The source of a function that returns the result; `note` is said in the docstring."""
        body = [*self.sizes(result.text), *self.released(result.text)]
        text = "\n".join([*body, result.text])
        imports = [i for i in ("import math", *self.dialect.imports, *imports) if _word(i.split()[-1], text)]
        parameters = [*self.names.values(), *(self.size_names[s] for s in self.program.parameters)]
        head = ["\n".join(imports), "", "", f"def compute({', '.join(parameters)}):"]
        doc = textwrap.indent(f'"""{self.docstring(note)}\n"""', "    ")
        return "\n".join([*head, doc, *(f"    {line}" for line in body), f"    return {result.text}", ""])

    def docstring(self, note: str) -> str:
        p = self.program
        shapes = ", ".join(f"{self.names[n]} {_shape(s)}" for n, s in p.inputs.items()) or "none"
        out = ", ".join(f"{a} < {p.extents[a]}" for a in p.result.axes) or "a scalar"
        parts = [_wrapped(p.equation.replace("\\", "/")), "", _wrapped(f"Inputs: {shapes}.  Result: {out}.")]
        carried = [self.names[n] for n in p.inputs if n not in self.exact]
        if carried:
            said = f"Further leading axes of {', '.join(carried)}, such as batch and heads, are carried along."
            parts.append(_wrapped(said))
        if note:
            parts += ["", _wrapped(note, "")]
        elif p.rewritings:
            parts += ["", "Rewritten by theorems of the library, each proved for all sizes:"]
            parts += [_wrapped(f"- {name}: {SAYS[name]};", "  ") for name in p.rewritings]
            parts[-1] = parts[-1][:-1] + "."
        return "\n".join(parts)

    def sizes(self, result: str) -> list[str]:
        """Sizes from the shapes of the inputs; a contradiction names both tensors and axes."""
        lines: list[str] = []
        known: dict[str, str] = {}
        compound: list[tuple[str, int, int, str]] = []
        used = "\n".join([*(text for _, text in self.lines), result, *self.compound_lengths()])
        for name, shape in self.program.inputs.items():
            rank = len(shape)
            checks: list[str] = []
            targets: list[str] = []
            for k, extent in enumerate(shape):
                targets.append("_")
                if len(extent.terms) != 1 or extent.const or extent.terms[0][1] != 1:
                    if extent.is_constant:
                        checks += self.refuse(name, k, rank, str(extent.const), f"{extent.const} is needed")
                    continue
                if extent.terms[0][0].kind != "size":
                    compound.append((name, k, rank, self.extent(extent)))
                    continue
                size = self.size_names[extent.terms[0][0].name]
                if size not in known:
                    known[size] = f"axis {k} of {name}"
                    targets[-1] = size
                else:
                    checks += self.refuse(name, k, rank, size, f"{size} is {{{size}}} from {known[size]}")
            wanted = [t for t in targets if t != "_" and (_word(t, used) or self.compared(t))]
            if wanted:
                lines += self.shape_line(name, targets, wanted)
            lines += checks
        for name, k, rank, length in compound:  # when all sizes are known
            lines += self.refuse(name, k, rank, length, f"{length} is needed")
        return lines

    def compound_lengths(self) -> list[str]:
        """The lengths of axes of inputs that are one product or quotient of sizes."""
        extents = (i for shape in self.program.inputs.values() for i in shape)
        single = (i for i in extents if len(i.terms) == 1 and not i.const and i.terms[0][1] == 1)
        return [self.extent(i) for i in single if i.terms[0][0].kind != "size"]

    def compared(self, size: str) -> bool:
        """Whether another axis has this size too, so that it is compared."""
        shapes = self.program.inputs.values()
        return sum(self.size_names.get(min(i.sizes, default="")) == size for s in shapes for i in s) > 1

    def shape_line(self, name: str, targets: list[str], wanted: list[str]) -> list[str]:
        text = self.names[name]
        if name in self.exact:  # unpacking all of them refuses another number of axes
            shown = [t if t in wanted else "_" for t in targets]
            return [f"({shown[0]},) = {text}.shape" if len(shown) == 1 else f"{', '.join(shown)} = {text}.shape"]
        if len(wanted) == len(targets) > 1:
            return [f"{', '.join(targets)} = {text}.shape[-{len(targets)}:]"]
        return [f"{t} = {text}.shape[{k - len(targets)}]" for k, t in enumerate(targets) if t in wanted]

    def refuse(self, name: str, k: int, rank: int, needed: str, said: str) -> list[str]:
        here = f"{self.names[name]}.shape[{k - rank}]"
        message = f"{said}, but {{{here}}} from axis {k} of {name}"
        return [f"if {here} != {needed}:", f'    raise ValueError(f"{message}")']

    def released(self, result: str) -> list[str]:
        """The lines, with a `del` after the last use of an array when another one is made afterwards."""
        texts = [*(text for _, text in self.lines), result]
        last_use = {
            x: max(k for k, text in enumerate(texts) if _word(x, text))
            for x, is_large in self.large.items()
            if is_large
        }
        lines: list[str] = []
        for k, (name, text) in enumerate(self.lines):
            lines.append(f"{name} = {text}" if name else text)
            gone = [x for x, last in last_use.items() if last == k and x != name and (x, name) not in self.aliases]
            if gone and not (k == len(self.lines) - 1 and result.isidentifier()):
                lines.append(f"del {', '.join(gone)}")
        return lines

    # --- names

    def fresh_name(self, hint: str) -> str:
        for k in count():
            name = hint + (str(k + 1) if k or hint == "t" else "")
            if name not in self.taken:
                self.taken.add(name)
                return name
        raise AssertionError  # pragma: no cover - count() does not end

    def bind(self, piece: Piece, hint: str) -> Piece:
        """The piece under a name; a name stays as it is."""
        if piece.text.isidentifier():
            return piece
        name = self.fresh_name(hint)
        self.lines.append((name, piece.text))
        self.large[name] = len(piece.axes) >= 2
        return replace(piece, text=name, binds=ATOM, fresh=piece.fresh)

    def piece(self, node: Node) -> Piece:
        key = self.key(node)
        found = self.known.get(key)
        if found is not None:
            piece, places = found
            return replace(piece, axes=tuple(node.axes[k] for k in places))
        piece = getattr(self, "op_" + node.op)(node)
        again = self.uses[key] > 1
        if node.op not in ("const", "size") and (piece.binds != ATOM or "(" in piece.text):
            if again or len(piece.text) > LONG or key in self.scores or node.op == "softmax":
                hint = "scores" if key in self.scores else HINTS.get(node.op, "t")
                if node is not self.program.result or again:
                    piece = self.bind(piece, hint)
        if again:
            piece = replace(piece, fresh=False)
        self.known[key] = (piece, tuple(node.axes.index(a) for a in piece.axes))
        return piece

    # --- axes

    def aligned(self, node: Node, axes: Sequence[str]) -> Piece:
        """The node's array with axes of length 1 put in, so that it broadcasts over `axes`."""
        piece = self.piece(node)
        if piece.axes == tuple(axes) or not piece.axes:
            return piece
        order = tuple(a for a in axes if a in piece.axes)
        if order != piece.axes:
            piece = self.permuted(piece, order, node)
        marks = [":" if a in order else "None" for a in axes]
        if marks[0] == "None":  # leading axes are added by broadcasting itself
            self.no_leading(node)
            marks = marks[marks.index(":") :]
        if "None" not in marks:
            return piece
        after = marks[marks.index("None") :]
        if after == ["None"] and self.keeps(node):
            return Piece(f"{piece.text[:-1]}, {self.dialect.keepdims})", tuple(axes))
        text = ", ".join(["...", *after])
        return Piece(f"{piece.inside(ATOM)}[{text}]", tuple(axes), ATOM, False)

    def keeps(self, node: Node) -> bool:
        """Whether a reduction of the last axis, used here alone, may keep that axis with length 1."""
        text = self.known[self.key(node)][0].text
        return (
            node.op in ("mean", "max") and self.uses[self.key(node)] == 1 and text.endswith(f"{self.dialect.axis}=-1)")
        )

    def permuted(self, piece: Piece, order: Sequence[str], node: Node) -> Piece:
        own, order = piece.axes, tuple(order)
        if len(own) >= 2 and order == (*own[:-2], own[-1], own[-2]):
            return Piece(self.transposed(piece, node), order, ATOM, False)
        self.no_leading(node)
        numbers = ", ".join(str(own.index(a)) for a in order)
        return Piece(self.dialect.permuted(piece.inside(ATOM), numbers), order, ATOM, False)

    def transposed(self, piece: Piece, node: Node) -> str:
        if self.dialect.name == "numpy" and len(piece.axes) == 2:
            self.no_leading(node)
        return self.dialect.transposed(piece.inside(ATOM), len(piece.axes))

    def no_leading(self, node: Node) -> None:
        """What the node reads has no further leading axes."""
        if node.op == "input":
            self.exact.add(node.data[0])
        for a in node.args:
            self.no_leading(a)

    def axis(self, node: Node, var: str) -> str:
        return f"{self.dialect.axis}={node.axes.index(var) - len(node.axes)}"

    # --- leaves

    def op_input(self, node: Node) -> Piece:
        name, picks = node.data
        if all(isinstance(p, str) for p in picks):
            return Piece(self.names[name], node.axes, ATOM, False)
        inside = ", ".join(["...", *(":" if isinstance(p, str) else str(p) for p in picks)])
        return Piece(f"{self.names[name]}[{inside}]", node.axes, ATOM, False)

    def op_const(self, node: Node) -> Piece:
        value = node.data
        if value == float("-inf"):
            return Piece(f"-{self.dialect.module}.inf", (), POWER)
        text = repr(int(value)) if value == int(value) else repr(value)
        return Piece(text, (), POWER if value < 0 else ATOM)

    def op_size(self, node: Node) -> Piece:
        return Piece(self.size_names[node.data], ())

    def op_position(self, node: Node) -> Piece:
        return Piece(self.arange(node.data, self.dtype), node.axes)

    def arange(self, var: str, dtype: str = "") -> str:
        return self.dialect.arange(self.extent(self.program.extents[var]), self.device, dtype)

    def extent(self, i: Index) -> str:
        """A length as Python."""
        parts = [self.length(a) if c == 1 else f"{c} * {self.length(a)}" for a, c in i.terms]
        return " + ".join([*parts, *([str(i.const)] if i.const or not parts else [])])

    def length(self, a: Atom) -> str:
        """One part of a length: a size, a product, or a quotient that is cut to a whole number."""
        if a.kind == "product":
            return " * ".join(f"({self.extent(x)})" for x in a.args)
        if a.kind == "quotient":
            return f"({self.extent(a.args[0])}) // ({self.extent(a.args[1])})"
        return self.size_names[a.name]

    def op_mask(self, node: Node) -> Piece:
        parts = [self.comparison(c, node.axes) for c in node.data]
        if not parts:  # nothing is asked: 0 = 0, where an index is a number
            return Piece("True", node.axes)
        if len(parts) == 1:
            return Piece(parts[0], node.axes, SUM - 1)
        return Piece(" & ".join(f"({p})" for p in parts), node.axes, SUM - 1)

    def as_numbers(self, mask: Piece) -> Piece:
        """A mask as zeros and ones; without axes it is one of Python's truth values."""
        if not mask.axes:
            return Piece(f"float({mask.text})", ())
        return Piece(self.dialect.cast(mask.inside(ATOM), self.dtype), mask.axes)

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
                after = len(axes) - 1 - axes.index(atom.name)
                text += "[:" + ", None" * after + "]" if after else ""
            parts.append(text if k == 1 else f"{k} * {text}")
        if i.const or not parts:
            parts.append(str(i.const))
        return " + ".join(parts)

    # --- entry by entry

    def op_add(self, node: Node) -> Piece:
        a, b = node.args
        if negated(b) is None and negated(a) is not None:
            a, b = b, a
        less = negated(b)
        left = self.aligned(a, node.axes)
        right = self.aligned(less if less is not None else b, node.axes)
        sign = "-" if less is not None else "+"
        return Piece(f"{left.inside(SUM)} {sign} {right.inside(SUM + (sign == '-'))}", node.axes, SUM)

    def op_mul(self, node: Node) -> Piece:
        a, b = (self.aligned(x, node.axes) for x in node.args)
        if node.args[0].op == "const" and node.args[0].data == -1.0:
            return Piece(f"-{b.inside(POWER)}", node.axes, PRODUCT)
        return Piece(f"{a.inside(PRODUCT)} * {b.inside(PRODUCT)}", node.axes, PRODUCT)

    def op_div(self, node: Node) -> Piece:
        a, b = (self.aligned(x, node.axes) for x in node.args)
        return Piece(f"{a.inside(PRODUCT)} / {b.inside(POWER)}", node.axes, PRODUCT)

    def op_power(self, node: Node) -> Piece:
        inner = self.piece(node.args[0])
        if node.data == 0.5:
            return self.called("sqrt", node, inner)
        exponent = int(node.data) if node.data == int(node.data) else node.data
        return Piece(f"{inner.inside(ATOM)} ** {exponent}", inner.axes, POWER)

    def op_function(self, node: Node) -> Piece:
        return self.called(node.data, node, self.piece(node.args[0]))

    def called(self, function: str, node: Node, inner: Piece) -> Piece:
        if not node.axes and not _reads(node):
            return Piece(f"{'abs' if function == 'abs' else 'math.' + function}({inner.text})", ())
        text = inner.text if inner.axes else self.dialect.array(inner.text, self.dtype, self.device)
        return Piece(f"{self.dialect.function(function)}({text})", inner.axes)

    def op_where(self, node: Node) -> Piece:
        mask, a, b = (self.aligned(x, node.axes) for x in node.args)
        if not node.args[1].axes and not node.args[2].axes:  # two numbers have no type
            if node.args[1].op == node.args[2].op == "const" and (node.args[1].data, node.args[2].data) == (1.0, 0.0):
                return replace(self.as_numbers(mask), axes=node.axes)
            a = Piece(self.dialect.array(a.text, self.dtype, self.device), ())
        if not node.args[0].axes:
            return Piece(f"({a.text} if {mask.text} else {b.text})", node.axes)
        return Piece(f"{self.dialect.module}.where({mask.text}, {a.text}, {b.text})", node.axes)

    def op_choose(self, node: Node) -> Piece:
        test, above, otherwise = (self.aligned(x, node.axes) for x in node.args)
        if not node.args[0].axes:
            return Piece(f"({above.text} if {test.inside(SUM)} > 0 else {otherwise.text})", node.axes)
        if not node.args[1].axes and not node.args[2].axes:  # two numbers have no type
            above = Piece(self.dialect.array(above.text, self.dtype, self.device), ())
        return Piece(f"{self.dialect.module}.where({test.inside(SUM)} > 0, {above.text}, {otherwise.text})", node.axes)

    def op_larger(self, node: Node) -> Piece:
        parts = [self.aligned(x, node.axes) for x in node.args]
        if not node.axes and not _reads(node):
            return Piece(f"max({', '.join(p.text for p in parts)})", ())
        texts = [
            p.text if a.axes else self.dialect.array(p.text, self.dtype, self.device)
            for p, a in zip(parts, node.args, strict=True)
        ]
        return Piece(f"{self.dialect.module}.maximum({', '.join(texts)})", node.axes)

    def op_arrange(self, node: Node) -> Piece:
        piece = self.aligned(node.args[0], node.axes)
        missing = [a for a in node.axes if a not in node.args[0].axes]
        if not missing:
            return replace(piece, axes=node.axes)
        self.no_leading(node)
        shape = ", ".join(self.extent(self.program.extents[a]) for a in node.axes)
        text = piece.inside(ATOM)
        if not piece.axes:
            text = self.dialect.array(piece.text, self.dtype, self.device)
        return Piece(self.dialect.broadcast(text, shape), node.axes, ATOM, False)

    # --- reductions

    def reduced(self, node: Node, method: str, variables: Sequence[str]) -> Piece:
        inner = self.piece(node.args[0])
        numbers = [str(inner.axes.index(v) - len(inner.axes)) for v in variables]
        inside = numbers[0] if len(numbers) == 1 else f"({', '.join(numbers)})"
        text = inner.text
        if node.args[0].op == "mask":
            text, inner = self.dialect.cast(inner.inside(ATOM), self.dtype), replace(inner, binds=ATOM)
        else:
            text = inner.inside(ATOM)
        rest = tuple(a for a in inner.axes if a not in variables)
        return Piece(f"{text}.{method}({self.dialect.axis}={inside})", rest)

    def op_max(self, node: Node) -> Piece:
        return self.reduced(node, self.dialect.largest, [node.data])

    def op_mean(self, node: Node) -> Piece:
        return self.reduced(node, "mean", node.data)

    def op_contract(self, node: Node) -> Piece:
        if len(node.args) == 1:
            return self.reduced(node, "sum", node.data)
        operands = []
        for a in node.args:
            piece = self.piece(a)
            if a.op == "mask":
                piece = self.as_numbers(piece)
            operands.append(piece)
        if len(operands) == 2 and len(node.data) == 1:
            pairs = list(zip(node.args, operands, strict=True))
            found = [p for p in (self.matmul(pairs, node.data[0]), self.matmul(pairs[::-1], node.data[0])) if p]
            if found:
                return min(found, key=lambda p: p.axes != node.axes)
        return self.einsum(node, operands)

    def einsum(self, node: Node, operands: list[Piece]) -> Piece:
        letters: dict[str, str] = {}
        for axes in (node.axes, *(o.axes for o in operands)):
            for a in axes:
                letters.setdefault(a, a if len(a) == 1 and a.isascii() and a not in letters.values() else "")
        free = [c for c in string.ascii_letters if c not in letters.values()]
        for a in letters:
            letters[a] = letters[a] or free.pop(0)
        spec = ",".join("..." + "".join(letters[a] for a in o.axes) for o in operands)
        spec += "->..." + "".join(letters[a] for a in node.axes)
        return Piece(f'{self.dialect.function("einsum")}("{spec}", {", ".join(o.text for o in operands)})', node.axes)

    def matmul(self, pairs: list[tuple[Node, Piece]], var: str) -> Piece | None:
        """`a @ b` when the summed axis is one of the last two of both, and what they share leads both."""
        (a, left), (b, right) = pairs
        if var not in left.axes[-2:] or var not in right.axes[-2:]:
            return None
        one, two = left.axes[:-2], right.axes[:-2]
        row, column = (tuple(x for x in p.axes[-2:] if x != var) for p in (left, right))
        batch, other = (one, two) if len(one) >= len(two) else (two, one)
        crossed = {*row, *column} & {*one, *two} or {*row} & {*column}
        if (
            crossed
            or batch[len(batch) - len(other) :] != other
            or not (row or column)
            or (batch and not (row and column))
        ):
            return None
        if len(one) != len(two):
            self.no_leading(a if len(one) < len(two) else b)
        if not row or not column:
            self.no_leading(b if row else a)
        first = left.inside(POWER) if left.axes[-1] == var else self.transposed(left, a)
        second = right.inside(POWER) if not column or right.axes[-2] == var else self.transposed(right, b)
        return Piece(f"{first} @ {second}", (*batch, *row, *column), PRODUCT)

    # --- softmax and log-sum-exp

    def op_softmax(self, node: Node) -> Piece:
        scores = self.selected(node, node.axes)
        axis, keep = self.axis(node, node.data), self.dialect.keepdims
        if self.dialect.softmax:
            return Piece(f"{self.dialect.softmax}({scores.text}, {axis})", node.axes)
        if scores.fresh:
            own = scores if scores.text.isidentifier() else self.bind(scores, "scores")
            self.lines.append(("", f"{own.text} -= {own.text}.max({axis}, {keep})"))
            weights = self.bind(Piece(f"np.exp({own.text}, out={own.text})", node.axes), "weights")
            self.aliases.add((own.text, weights.text))
        else:
            text = f"np.exp({scores.inside(SUM)} - {scores.inside(ATOM)}.max({axis}, {keep}))"
            weights = self.bind(Piece(text, node.axes), "weights")
        self.lines.append(("", f"{weights.text} /= {weights.text}.sum({axis}, {keep})"))
        return weights

    def selected(self, node: Node, axes: tuple[str, ...]) -> Piece:
        """The scores, minus infinity where the mask says so."""
        scores = self.aligned(node.args[0], axes)
        if len(node.args) == 1:
            return scores
        if not scores.axes:
            scores = Piece(self.dialect.array(scores.text, self.dtype, self.device), ())
        mask = self.aligned(node.args[1], axes)
        text = f"{self.dialect.module}.where({mask.text}, {scores.text}, -{self.dialect.module}.inf)"
        return self.bind(Piece(text, axes), "scores")

    def op_logsumexp(self, node: Node) -> Piece:
        axes = (*node.axes, node.data)
        scores = self.selected(node, axes)
        if self.dialect.logsumexp:
            return Piece(f"{self.dialect.logsumexp}({scores.text}, {self.dialect.axis}=-1)", node.axes)
        top = self.bind(Piece(f"{scores.inside(ATOM)}.max(axis=-1, keepdims=True)", node.axes), "top").text
        return Piece(f"np.log(np.exp({scores.inside(SUM)} - {top}).sum(axis=-1)) + {top}[..., 0]", node.axes, SUM)


def _reads(node: Node) -> bool:
    """Whether the value depends on an input."""
    return node.op == "input" or any(map(_reads, node.args))


def _word(name: str, text: str) -> bool:
    """Whether a name occurs in Python source."""
    at = text.find(name)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(name) : at + len(name) + 1]
        if not (before.isalnum() or (before in ("_", ".") and before)) and not (after.isalnum() or after == "_"):
            return True
        at = text.find(name, at + 1)
    return False


def _wrapped(text: str, then: str = "    ") -> str:
    return textwrap.fill(text, 100, subsequent_indent=then, break_long_words=False, break_on_hyphens=False)


def safe(name: str) -> str:
    """A Python name for a document's name; the members of a family, `Q^()`, keep apart from Q."""
    name = name.replace("^()", "_family")
    text = "".join(c if c.isalnum() and c.isascii() else "_" for c in name).strip("_") or "x"
    return f"x{text}" if text[0].isdigit() else f"{text}_" if iskeyword(text) or text in RESERVED else text


RESERVED = frozenset({"np", "torch", "jax", "jnp", "math", "abs", "compute"})
"""Names that the source uses itself."""


def input_names(program: Program) -> dict[str, str]:
    """Python names of the inputs, each its own: two names in letters that Python names here lack are numbered."""
    found: dict[str, str] = {}
    for name in program.inputs:
        found[name] = _apart(safe(name), found.values())
    return found


def size_names(program: Program) -> dict[str, str]:
    """Python names of the sizes, apart from those of the inputs and from one another."""
    taken = list(input_names(program).values())
    found: dict[str, str] = {}
    for name in sorted(_all_sizes(program)):
        text = safe(name) + ("_size" if safe(name) in taken else "")
        found[name] = _apart(text, [*taken, *found.values()])
    return found


def _apart(name: str, taken: Collection[str]) -> str:
    """The name, numbered from 2 where it is taken."""
    return next(n for k in count(1) if (n := name if k == 1 else f"{name}_{k}") not in taken)


def _all_sizes(program: Program) -> set[str]:
    shapes = [i for s in program.inputs.values() for i in s]
    return {name for i in [*program.extents.values(), *shapes] for name in i.sizes} | set(program.sizes)


def _shape(shape: tuple[Index, ...]) -> str:
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


__all__ = ["DIALECTS", "Emitter", "input_names", "safe", "size_names", "write_source"]
