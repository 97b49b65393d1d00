"""The surface tree: what an author wrote, before anybody decides what it means.

The reader makes it, the elaborator gives it types, the writers print the author's side from it.  Nothing here says
whether `A_{ij}` is an entry or a label, or whether `f(x)` is a product or an application: juxtaposition and scripts stay
as written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

Span = tuple[int, int]
"""Start and end offset in the LaTeX of the equation."""


@dataclass(frozen=True, slots=True)
class Node:
    span: Span

    @property
    def parts(self) -> tuple[Node, ...]:
        """The nodes directly below."""
        return ()


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A decimal number as written: `10000`, `0.75`."""

    text: str


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A letter or word.  `base` is the letter, the command (`alpha`), or the words (`self-attention`); `font` is one of
    `""`, `bold`, `roman` (also `\\text`, `\\operatorname`), `calligraphic`, `blackboard`, `sans`, `typewriter`; accents
    outermost first (`hat`, `tilde`, `bar`, …); `primes` counts `'`."""

    base: str
    font: str = ""
    accents: tuple[str, ...] = ()
    primes: int = 0


@dataclass(frozen=True, slots=True)
class Mark(Node):
    """A token without a value: `:` in an index, `\\cdots`, `\\infty`, `\\top` as a superscript, `*`, `\\bullet`."""

    kind: str


@dataclass(frozen=True, slots=True)
class Words(Node):
    """`\\text{...}` that is prose (several words, or a condition such as `if`)."""

    text: str


@dataclass(frozen=True, slots=True)
class Scripted(Node):
    """Sub- and superscript as written; each is a node (often `Listed` or `Adjacent`) or None."""

    base: Node
    sub: Node | None
    sup: Node | None

    @property
    def parts(self) -> tuple[Node, ...]:
        return tuple(p for p in (self.base, self.sub, self.sup) if p is not None)


@dataclass(frozen=True, slots=True)
class Adjacent(Node):
    """Things written side by side: a product, an application, or a run-together multi-index."""

    items: tuple[Node, ...]

    @property
    def parts(self) -> tuple[Node, ...]:
        return self.items


@dataclass(frozen=True, slots=True)
class Listed(Node):
    """Comma-separated things (arguments, multi-indices)."""

    items: tuple[Node, ...]

    @property
    def parts(self) -> tuple[Node, ...]:
        return self.items


@dataclass(frozen=True, slots=True)
class Enclosed(Node):
    """Delimiters with their content: kind `()`, `[]`, `{}`, `||` (absolute value), `norm`, `langle`, `floor`, `ceil`."""

    kind: str
    content: Node | None

    @property
    def parts(self) -> tuple[Node, ...]:
        return (self.content,) if self.content is not None else ()


@dataclass(frozen=True, slots=True)
class Prefix(Node):
    """`-x`, `+x`, `\\neg x`."""

    operator: str
    operand: Node

    @property
    def parts(self) -> tuple[Node, ...]:
        return (self.operand,)


@dataclass(frozen=True, slots=True)
class Infix(Node):
    """An explicit operator: `+ - * / @ odot otimes circ mod`; `*` stands for `\\cdot`, `\\times` and `*` (`operator` keeps
    which: `cdot`, `times`, `ast`)."""

    operator: str
    left: Node
    right: Node

    @property
    def parts(self) -> tuple[Node, ...]:
        return self.left, self.right


@dataclass(frozen=True, slots=True)
class Fraction(Node):
    above: Node
    below: Node

    @property
    def parts(self) -> tuple[Node, ...]:
        return self.above, self.below


@dataclass(frozen=True, slots=True)
class Root(Node):
    radicand: Node
    degree: Node | None

    @property
    def parts(self) -> tuple[Node, ...]:
        return (self.radicand,) if self.degree is None else (self.radicand, self.degree)


@dataclass(frozen=True, slots=True)
class Operator(Node):
    """A named operator applied: `\\exp(x)`, `\\log y`, `\\text{softmax}_j(w_{ij})`, `\\operatorname{Var}(x)`.  `name` is the
    table's name (`exp`, `softmax`, …); scripts are those written on the operator; `arguments` one per comma."""

    name: str
    sub: Node | None
    sup: Node | None
    arguments: tuple[Node, ...]

    @property
    def parts(self) -> tuple[Node, ...]:
        return (*(p for p in (self.sub, self.sup) if p is not None), *self.arguments)


@dataclass(frozen=True, slots=True)
class Big(Node):
    """`\\sum`, `\\prod`, `\\max`, `\\min`, `\\bigcup` with limits as written and the body they govern."""

    name: str
    sub: Node | None
    sup: Node | None
    body: Node

    @property
    def parts(self) -> tuple[Node, ...]:
        return (*(p for p in (self.sub, self.sup) if p is not None), self.body)


@dataclass(frozen=True, slots=True)
class Matrix(Node):
    """Rows of a matrix environment; dots are `Mark`s."""

    kind: str
    rows: tuple[tuple[Node, ...], ...]

    @property
    def parts(self) -> tuple[Node, ...]:
        return tuple(n for row in self.rows for n in row)


@dataclass(frozen=True, slots=True)
class Cases(Node):
    """`cases`: pairs of value and condition (None for a missing condition; `Words("otherwise")` possible)."""

    rows: tuple[tuple[Node, Node | None], ...]

    @property
    def parts(self) -> tuple[Node, ...]:
        return tuple(n for row in self.rows for n in row if n is not None)


@dataclass(frozen=True, slots=True)
class Chain(Node):
    """`first rel1 n1 rel2 n2 …`; relations by name: `= != < <= > >= in approx propto sim to gets equiv subset …`.

    `places[k]` is the offset where the k-th right-hand side starts.  `first` is None when a line of a derivation begins
    with its relation sign.
    """

    first: Node | None
    links: tuple[tuple[str, Node], ...]

    @property
    def parts(self) -> tuple[Node, ...]:
        return (*(() if self.first is None else (self.first,)), *(n for _, n in self.links))


@dataclass(frozen=True, slots=True)
class Reading:
    """One equation as read: the statements (chains) in order, with the words and conditions written after each.

    `conditions` are chains or words after `\\quad`, a comma, or in parentheses (`(j \\leq i)`, `\\forall i`, `for j > i`);
    `number` is a written equation number or `\\tag`; `row` is the row of an aligned environment (0 when there is one).
    """

    chain: Chain
    conditions: tuple[Node, ...] = ()
    number: str | None = None
    row: int = 0


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, outermost first."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(top.parts))
