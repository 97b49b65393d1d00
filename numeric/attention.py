"""Definitions that are scaled dot-product attention, as calls of torch's own functions.

The form is found in the array program, and then the definition is proved, by the kernel and for all sizes, to be the
formula that the function is documented to compute: sum_j softmax_j(mod(scale * sum_c Q[i, c] K[j, c])) V[j, c], with the
mask as a condition.  What is not proved is not lowered.  Sources: the PyTorch documentation of
`torch.nn.functional.scaled_dot_product_attention` and of `torch.nn.attention.flex_attention`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from derivations.kernel.theorem import Theorem
from derivations.language.statement import Definition, Statement, Theory
from derivations.language.substitution import substitute
from derivations.language.term import (
    Add,
    Apply,
    Bracket,
    Case,
    Entry,
    Index,
    IndexValue,
    Mul,
    NegInfinity,
    Number,
    Pow,
    Term,
    at_least,
    guard,
    guard_substitute,
    sum_over,
    within,
)
from derivations.provers.decide import Proved, decide

from .dialects import TORCH
from .emit import ATOM, PRODUCT, SUM, Emitter, Piece
from .program import Node, NotCompiled, Program
from .rewriting import negated, nodes

PLACES = ("batch", "head", "q_idx", "kv_idx")
"""What FlexAttention passes to a function of a score."""


@dataclass(frozen=True)
class Form:
    """`sum_column softmax(scores) * values`, where `scores` holds the product of queries and keys once.

    Queries, keys and values are inputs; `row` and `column` count them, `inner` is summed in the product, `channel` is
    the axis of the values, `batch` are all other axes.  `scale` are factors ("*" or "/") without axes of the product.
    """

    program: Program
    queries: Node
    keys: Node
    values: Node
    row: str
    column: str
    inner: str
    channel: str
    batch: tuple[str, ...]
    product: Node
    scale: tuple[tuple[str, Node], ...]
    scores: Node
    mask: Node | None


def attention_form(program: Program) -> Form:
    """The form of a program; raises `NotCompiled` with the part that is something else."""
    result = program.result
    while result.op == "arrange" and set(result.args[0].axes) == set(result.axes):
        result = result.args[0]
    weights = next((a for a in result.args if a.op == "softmax"), None)
    if result.op != "contract" or len(result.args) != 2 or weights is None or result.data != (weights.data,):
        raise NotCompiled("not attention: the result is no sum of softmax weights times values over the keys")
    values = result.args[1 - result.args.index(weights)]
    column, scores = weights.data, weights.args[0]
    channels = [a for a in values.axes if a not in weights.axes]
    if values.op != "input" or len(channels) != 1 or column not in values.axes:
        raise NotCompiled("not attention: the values are no input with one axis of keys and one of channels")
    products = [n for n in nodes(scores) if n.op == "contract"]
    if len(products) != 1 or len(products[0].args) != 2 or len(products[0].data) != 1:
        raise NotCompiled("not attention: the scores hold no product of queries and keys, or more than one")
    product = products[0]
    operands = sorted((_unscaled(a) for a in product.args), key=lambda p: column in p[0].axes)
    (queries, one), (keys, two) = operands
    inner = product.data[0]
    rows = [a for a in queries.axes if a not in keys.axes and a not in values.axes]
    if queries.op != "input" or keys.op != "input" or not rows or column in queries.axes or column not in keys.axes:
        raise NotCompiled("not attention: queries and keys are no inputs with axes of their own")
    scale = (*one, *two)
    if any(n.op == "input" for _, s in scale for n in nodes(s)):
        raise NotCompiled("the scale depends on an input: torch's functions take a number")
    row = rows[-1]
    batch = tuple(a for a in program.result.axes if a not in (row, channels[0]))
    mask = weights.args[1] if len(weights.args) > 1 else None
    return Form(program, queries, keys, values, row, column, inner, channels[0], batch, product, scale, scores, mask)


def _unscaled(node: Node) -> tuple[Node, tuple[tuple[str, Node], ...]]:
    """The node without factors that have no axes."""
    if node.op in ("mul", "div") and not node.args[1].axes:
        inner, scale = _unscaled(node.args[0])
        return inner, (*scale, ("*" if node.op == "mul" else "/", node.args[1]))
    if node.op == "mul" and not node.args[0].axes:
        inner, scale = _unscaled(node.args[1])
        return inner, (*scale, ("*", node.args[0]))
    return node, ()


# --- proof


def proved_form(form: Form, definition: Definition, theory: Theory) -> Theorem:
    """The theorem that the definition is the formula of the form; raises `NotCompiled` when the kernel has no proof."""
    shape = definition.shape or ()
    ranges = [c for p, n in zip(definition.indices, shape, strict=True) if p.free for c in within(min(p.free), 0, n)]
    tensors = {**theory.tensors, **{t.name: t for t in definition.tensors}}
    statement = Statement(definition.body, "=", formula(form), definition.variables, guard(*ranges))
    decision = decide(statement, Theory(tensors, theory.definitions), refuting=False)
    if not isinstance(decision, Proved) or decision.assumes:
        raise NotCompiled("looks like attention, but the kernel has no proof that it is torch's formula")
    return decision.theorem


def formula(form: Form) -> Term:
    """What torch's functions compute, as a term over the axes of the result."""
    extents = form.program.extents
    product = _term(form.product.args[0], {}) * _term(form.product.args[1], {})
    there = {form.product: sum_over(form.inner, 0, extents[form.inner], product)}
    weight: Term = Apply("exp", _term(form.scores, there))
    if form.mask is not None:
        weight = Bracket(form.mask.data) * weight
    other = form.column + "_"
    while other in extents:
        other += "_"
    total = sum_over(other, 0, extents[form.column], substitute(weight, {form.column: Index.var(other)}))
    return sum_over(form.column, 0, extents[form.column], weight / total * _term(form.values, {}))


def _term(node: Node, known: Mapping[Node, Term]) -> Term:
    """A node that works entry by entry, as a term."""
    if node in known:
        return known[node]
    below = [_term(a, known) for a in node.args if a.op != "mask"]
    if node.op == "input":
        name, picks = node.data
        return Entry(name, tuple(Index.var(p) if isinstance(p, str) else Index.of(p) for p in picks))
    if node.op == "const":
        return (
            NegInfinity()
            if node.data == float("-inf")
            else Number(_fraction(node.data) if node.exact is None else node.exact)
        )
    if node.op in ("size", "position"):
        return IndexValue(Index.size(node.data) if node.op == "size" else Index.var(node.data))
    if node.op == "add":
        return Add(below)
    if node.op == "mul":
        return Mul(below)
    if node.op == "div":
        return below[0] / below[1]
    if node.op == "power":
        return Pow(below[0], Number(_fraction(node.data) if node.exact is None else node.exact))
    if node.op == "function":
        return Apply(node.data, below[0])
    if node.op == "where":
        return Case([(node.args[0].data, below[0])], below[1])
    raise NotCompiled(f"not attention: the scores are changed by more than entries can tell ({node.op})")


def _fraction(value: float) -> Fraction:
    """The simplest fraction that is this number in float64; what it stands for is proved, not trusted."""
    near = Fraction(value).limit_denominator(10**6)
    return near if float(near) == value else Fraction(value)


# --- source


def sdpa_source(form: Form) -> tuple[str, set[str]]:
    """A call of `F.scaled_dot_product_attention`, and the inputs that take no further leading axes."""
    emitter = Emitter(form.program, TORCH)
    bias, scale = _bias(form)
    operands = _operands(emitter, form)
    options: list[str] = []
    if form.mask is not None and not bias and _is_causal(form):
        options.append("is_causal=True")
    elif form.mask is not None or bias:
        options.append(f"attn_mask={_attn_mask(emitter, form, bias)}")
    options += _scale(emitter, scale, form)
    text = f"F.scaled_dot_product_attention({', '.join([*operands, *options])})"
    note = "F.scaled_dot_product_attention: the definition is proved to be its formula, for all sizes."
    result = _returned(emitter, form, Piece(text, (*form.batch, form.row, form.channel)))
    return emitter.written(result, note, ["import torch.nn.functional as F"]), emitter.exact


def flex_source(form: Form) -> tuple[str, set[str]]:
    """A call of `flex_attention` with a `score_mod` and a `mask_mod` of its own where the form needs them."""
    if len(form.batch) > 2:
        raise NotCompiled(f"FlexAttention has two axes beside rows and channels, found {', '.join(form.batch)}")
    emitter = Emitter(form.program, TORCH)
    emitter.no_leading(form.program.result)
    missing = 2 - len(form.batch)
    front = "[" + ", ".join(["None"] * missing) + "]" if missing else ""
    operands = [text + front for text in _operands(emitter, form)]
    names = dict(zip((*form.batch, form.row, form.column), [*PLACES[missing:2], *PLACES[2:]], strict=True))
    options, places = [], ", ".join(PLACES)
    taken = {"score", "score_mod", "mask_mod", "block_mask", *PLACES} & emitter.taken
    if taken:
        raise NotCompiled(f"FlexAttention's own names stand for other things here: {', '.join(sorted(taken))}")
    if form.scores is not form.product:
        text = _Pointwise(emitter, form, names).piece(form.scores).text
        emitter.lines += [("", f"def score_mod(score, {places}):"), ("", f"    return {text}")]
        options.append("score_mod=score_mod")
    if form.mask is not None:
        text = _Pointwise(emitter, form, names).condition(form.mask)
        emitter.lines += [("", f"def mask_mod({places}):"), ("", f"    return {text}")]
        lengths = ", ".join(emitter.extent(form.program.extents[a]) for a in (form.row, form.column))
        call = f"create_block_mask(mask_mod, None, None, {lengths}, device={emitter.device})"
        emitter.lines.append(("block_mask", call))
        options.append("block_mask=block_mask")
    options += _scale(emitter, form.scale, form)
    back = "[" + ", ".join(["0"] * missing) + "]" if missing else ""
    text = f"flex_attention({', '.join([*operands, *options])}){back}"
    note = (
        "FlexAttention: the definition is proved to be its formula, for all sizes.  Put the function through "
        "torch.compile; without it FlexAttention holds all scores at once."
    )
    result = _returned(emitter, form, Piece(text, (*form.batch, form.row, form.channel)))
    head = "from torch.nn.attention.flex_attention import create_block_mask, flex_attention"
    return emitter.written(result, note, [head]), emitter.exact


def _operands(emitter: Emitter, form: Form) -> list[str]:
    """Queries, keys and values with their axes in the order of torch's functions."""
    made = []
    for node, own in (
        (form.queries, (form.row, form.inner)),
        (form.keys, (form.column, form.inner)),
        (form.values, (form.column, form.channel)),
    ):
        axes = (*form.batch, *own)
        text = emitter.aligned(node, axes).text
        if set(axes) - set(node.axes):  # shared by heads or batches
            emitter.no_leading(node)
            lengths = [emitter.extent(form.program.extents[a]) for a in form.batch]
            text += f".expand({', '.join([*lengths, '-1', '-1'])})"
        made.append(text)
    return made


def _returned(emitter: Emitter, form: Form, result: Piece) -> Piece:
    order = form.program.result.axes
    return result if result.axes == order else emitter.permuted(result, order, form.program.result)


def _scale(emitter: Emitter, scale: tuple[tuple[str, Node], ...], form: Form) -> list[str]:
    """The `scale` argument; left out where it is torch's own, one over the root of the summed length."""
    if len(scale) == 1 and scale[0][0] == "/" and scale[0][1].op == "power" and scale[0][1].data == 0.5:
        root = scale[0][1].args[0]
        if root.op == "size" and Index.size(root.data) is form.program.extents[form.inner]:
            return []
    text = ""
    for sign, node in scale:
        factor = emitter.piece(node).inside(PRODUCT + 1)
        text = f"{text or '1'} {sign} {factor}" if text or sign == "/" else factor
    return [f"scale={text or '1.0'}"]


def _is_causal(form: Form) -> bool:
    """Key at most query, for as many keys as queries: torch aligns its causal mask to the top left."""
    extents = form.program.extents
    wanted = guard(at_least(Index.var(form.row), Index.var(form.column)))
    return form.mask is not None and form.mask.data == wanted and extents[form.row] is extents[form.column]


def _bias(form: Form) -> tuple[list[tuple[Node, int]], tuple[tuple[str, Node], ...]]:
    """What is added to the scaled product, with its sign, and the whole scale."""
    found: list[tuple[Node, int]] = []
    scales = []
    for node, sign in _summands(form.scores, 1):
        inner, scale = _unscaled(node)
        if inner is form.product and sign == 1:
            scales.append(scale)
        elif form.product in nodes(node):
            raise NotCompiled("the scores are changed by more than a scale and an added term: try the lowering flex")
        else:
            found.append((node, sign))
    if len(scales) != 1:
        raise NotCompiled("the scores hold the product of queries and keys more than once")
    if any(n.op == "input" for _, s in scales[0] for n in nodes(s)):
        raise NotCompiled("the scale depends on an input: torch's functions take a number")
    return found, (*form.scale, *scales[0])


def _summands(node: Node, sign: int) -> Iterator[tuple[Node, int]]:
    less = negated(node)
    if node.op == "add":
        for a in node.args:
            yield from _summands(a, sign)
    elif less is not None:
        yield from _summands(less, -sign)
    else:
        yield node, sign


def _attn_mask(emitter: Emitter, form: Form, bias: list[tuple[Node, int]]) -> str:
    """Booleans for a mask alone, else what is added, minus infinity where the mask leaves out."""
    allowed = None if form.mask is None else emitter.aligned(form.mask, _pair(form, form.mask))
    if allowed is not None and not bias:
        return emitter.bind(allowed, "allowed").text
    text = ""
    for node, sign in bias:
        piece = emitter.aligned(node, _pair(form, node))
        if text:
            text += f" {'+' if sign > 0 else '-'} {piece.inside(SUM + 1)}"
        else:
            text = piece.inside(SUM) if sign > 0 else f"-{piece.inside(PRODUCT + 1)}"
    if allowed is not None:
        text = f"torch.where({allowed.text}, {text}, -torch.inf)"
    axes = (*form.batch, form.row, form.column)
    return emitter.bind(Piece(text, axes, SUM), "bias").text


def _pair(form: Form, node: Node) -> tuple[str, ...]:
    """Rows and keys, after the leading axes that the node has."""
    batch = [a for a in form.batch if a in node.axes]
    return (*(form.batch[form.batch.index(batch[0]) :] if batch else ()), form.row, form.column)


class _Pointwise:
    """Scores and conditions at one place, over the names that FlexAttention passes."""

    def __init__(self, emitter: Emitter, form: Form, names: Mapping[str, str]) -> None:
        self.emitter, self.form, self.names = emitter, form, names

    def piece(self, node: Node) -> Piece:
        if node is self.form.product:
            return Piece("score", ())
        if node.op == "input":
            return Piece(self.entry(node), ())
        if node.op == "position":
            return Piece(self.names[node.data], ())
        if node.op in ("const", "size") or not node.axes:
            return self.emitter.piece(node)
        if node.op == "where":
            text = ", ".join([self.condition(node.args[0]), *(self.piece(a).text for a in node.args[1:])])
            return Piece(f"torch.where({text})", ())
        less = negated(node)
        if less is not None:
            return Piece(f"-{self.piece(less).inside(PRODUCT + 1)}", (), PRODUCT)
        below = [self.piece(a) for a in node.args]
        if node.op == "add":
            less = negated(node.args[1])
            if less is not None:
                return Piece(f"{below[0].inside(SUM)} - {self.piece(less).inside(SUM + 1)}", (), SUM)
            return Piece(f"{below[0].inside(SUM)} + {below[1].inside(SUM)}", (), SUM)
        if node.op in ("mul", "div"):
            sign = "*" if node.op == "mul" else "/"
            return Piece(f"{below[0].inside(PRODUCT)} {sign} {below[1].inside(PRODUCT + 1)}", (), PRODUCT)
        if node.op == "power":
            return Piece(f"{below[0].inside(ATOM)} ** {node.data:g}", (), PRODUCT + 1)
        if node.op == "function":
            return Piece(f"torch.{node.data}({below[0].text})", ())
        raise NotCompiled(f"no score_mod for {node.op}")

    def entry(self, node: Node) -> str:
        name, picks = node.data
        inside = ", ".join(self.names[p] if isinstance(p, str) else str(p) for p in picks)
        text = self.emitter.op_input(Node("input", (), (), (name, ()))).text
        return f"{text}[{inside}]" if inside else text

    def condition(self, mask: Node) -> str:
        parts = []
        for c in guard_substitute(mask.data, {a: Index.var(n) for a, n in self.names.items() if a in mask.axes}):
            left = Index(((a, k) for a, k in c.index.terms if k > 0), max(c.index.const, 0))
            right = Index(((a, -k) for a, k in c.index.terms if k < 0), max(-c.index.const, 0))
            parts.append(f"{self.index(left)} {'>=' if c.relation == '>=' else '=='} {self.index(right)}")
        return parts[0] if len(parts) == 1 else " & ".join(f"({p})" for p in parts)

    def index(self, i: Index) -> str:
        sizes = self.emitter.size_names
        parts = [(sizes[a.name] if a.kind == "size" else a.name, k) for a, k in i.terms]
        texts = [name if k == 1 else f"{k} * {name}" for name, k in parts]
        return " + ".join([*texts, *([str(i.const)] if i.const or not texts else [])])


__all__ = ["Form", "attention_form", "flex_source", "formula", "proved_form", "sdpa_source"]
