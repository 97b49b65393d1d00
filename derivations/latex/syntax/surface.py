"""The surface tree: what an author wrote, before anybody decides what it means.

The reader makes it, the elaborator gives it types, the writers print the author's side from it.  Nothing here says
whether `A_{ij}` is an entry or a label, or whether `f(x)` is a product or an application: juxtaposition and scripts
stay as written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields

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
    r"""A decimal number as written: `10000`, `0.75`; `39\%` has the text `0.39` and is marked as a percentage."""

    text: str
    is_percent: bool = False


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A letter or word.  `base` is the letter, the command (`alpha`), or the words (`self-attention`); `font` is one of
    `""`, `bold`, `roman` (also `\\text`, `\\operatorname`), `calligraphic`, `blackboard`, `sans`, `typewriter`; accents
    outermost first (`hat`, `tilde`, `bar`, …); `primes` counts `'`; `way` numbers the sections that use the name in a way of
    their own, below 0 where it is an index there and a length elsewhere."""

    base: str
    font: str = ""
    accents: tuple[str, ...] = ()
    primes: int = 0
    way: int = 0


@dataclass(frozen=True, slots=True)
class Mark(Node):
    """A token without a value.  `kind`: `colon` (in an index), `dots`, `infinity`, `top`, `prime`, `star`, `plus`,
    `minus`, `cdot`, `bullet`, `dagger`, `perp`, `circ`, `ast` (alone in a script), `forall`, `exists`, `emptyset`,
    `empty` (an empty cell or group), `missing` (a relation without a right-hand side); and the command of a sign that is
    all of a script, as `times` in `\\Sigma_\\times`."""

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
class Label(Node):
    """A name with indices that says which entry of something else is meant: `y_n` in `P_{n, y_n}`, `g(h)` in `K_{g(h)}`."""

    name: Name
    places: tuple[Node, ...]
    is_call: bool = False
    """Its places stand in parentheses after it: the name is a function of indices."""

    @property
    def parts(self) -> tuple[Node, ...]:
        return self.places


@dataclass(frozen=True, slots=True)
class Adjacent(Node):
    """Things written side by side: a product, an application, or a run-together multi-index."""

    items: tuple[Node, ...]

    @property
    def parts(self) -> tuple[Node, ...]:
        return self.items


@dataclass(frozen=True, slots=True)
class Listed(Node):
    """Things with a separator between them: `,` (arguments, multi-indices), `;`, `|` around dots, or one of each kind
    (`,;,` for `a, b; c, d`)."""

    items: tuple[Node, ...]
    separator: str = ","

    @property
    def parts(self) -> tuple[Node, ...]:
        return self.items


@dataclass(frozen=True, slots=True)
class Enclosed(Node):
    """Delimiters with their content: kind `()`, `[]`, `{}`, `(]`, `[)`, `||` (absolute value), `norm`, `langle`,
    `floor`, `ceil`, `[[]]`, `.|` (evaluated at), `{.` (a brace that is never closed)."""

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
    """An explicit operator: `+ - pm mp`, `cdot times ast / @ mod odot otimes circ …`, in an index `slice` (`1:t`),
    between conditions `and`, `or`."""

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
    """A named operator applied: `\\exp(x)`, `\\log y`, `\\text{softmax}_j(w_{ij})`, `\\operatorname{Var}(x)`.  `name`
    is the table's name (`exp`, `softmax`, …); scripts are those written on the operator; `arguments` one per comma.
    `bare`: the argument stands without parentheses (in `\\log y (1-y)` nobody can tell where it ends)."""

    name: str
    sub: Node | None
    sup: Node | None
    arguments: tuple[Node, ...]
    bare: bool = False

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
    """Rows of a matrix environment (`kind`: its name; `aligned` for rows of equations); dots are `Mark`s.

    `ruled`: lines at both ends of its vectors show that they are its rows, or its columns.
    """

    kind: str
    rows: tuple[tuple[Node, ...], ...]
    ruled: bool = False

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

    `first` is None when a line of a derivation begins with its relation sign.
    """

    first: Node | None
    links: tuple[tuple[str, Node], ...]

    @property
    def parts(self) -> tuple[Node, ...]:
        return (*(() if self.first is None else (self.first,)), *(n for _, n in self.links))


@dataclass(frozen=True, slots=True)
class Reading:
    """One statement as read, with what is written around it.

    `conditions` are chains, words or expressions written after it, or before it with a colon: `(j \\leq i)`,
    `\\forall i`, `\\text{for } j > i` (a chain whose first part is the words and the first expression).  `lead` are
    words before it that belong to no condition: `where`, `and`, `or, with one sample,`.  `number` is a written number
    or `\\tag`, `label` a `\\label`; `row` is the row of an aligned environment (0 when there is one).
    """

    chain: Chain
    conditions: tuple[Node, ...] = ()
    number: str | None = None
    row: int = 0
    lead: str = ""
    label: str | None = None


_SLOTS: dict[type[Node], tuple[str, ...]] = {}


def fields_of(node: Node) -> tuple[str, ...]:
    """The names of the fields that say what a node is: all but its place."""
    found = _SLOTS.get(type(node))
    if found is None:
        found = _SLOTS[type(node)] = tuple(f.name for f in fields(node) if f.name != "span")
    return found


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, outermost first."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(top.parts))


def walk_reading(reading: Reading) -> Iterator[Node]:
    """The nodes of a statement and of its conditions."""
    yield from walk(reading.chain)
    for c in reading.conditions:
        yield from walk(c)


def outline(node: Node | None) -> str:
    """The tree as one line of text, spans left out: for tests and for people who ask how something was read.

    >>> a, b = Name((0, 1), "a", "bold"), Name((2, 3), "b")
    >>> outline(Scripted((0, 3), a, b, None)), outline(Infix((0, 3), "+", a, b))
    ('bold:a_{b}', '(bold:a + b)')
    """
    match node:
        case None:
            return ""
        case Literal(text=text):
            return text + "%" * node.is_percent
        case Name():
            accents = "".join(f"{a}^" for a in node.accents)
            return (f"{node.font}:" if node.font else "") + accents + node.base + "'" * node.primes
        case Mark(kind=kind):
            return f"@{kind}"
        case Words(text=text):
            return repr(text)
        case Scripted():
            base = outline(node.base)
            return (f"({base})" if isinstance(node.base, Scripted) else base) + _scripts(node.sub, node.sup)
        case Label():
            return f"{outline(node.name)}@({', '.join(map(outline, node.places))})"
        case Adjacent(items=items):
            return f"<{' '.join(map(outline, items))}>"
        case Listed(items=items):
            return f"[{', '.join(map(outline, items))}]"
        case Enclosed():
            return f"{node.kind}{{{outline(node.content)}}}"
        case Prefix():
            return f"({node.operator}{outline(node.operand)})"
        case Infix():
            return f"({outline(node.left)} {node.operator} {outline(node.right)})"
        case Fraction():
            return f"({outline(node.above)} // {outline(node.below)})"
        case Root():
            return f"root({outline(node.radicand)}{'; ' if node.degree is not None else ''}{outline(node.degree)})"
        case Operator():
            arguments = ", ".join(map(outline, node.arguments))
            return f"{node.name}{_scripts(node.sub, node.sup)}{'~' if node.bare else ''}({arguments})"
        case Big():
            return f"{node.name}{_scripts(node.sub, node.sup)}{{{outline(node.body)}}}"
        case Matrix():
            return f"{node.kind}{{{'; '.join(', '.join(map(outline, row)) for row in node.rows)}}}"
        case Cases():
            rows = (outline(v) + (f" if {outline(c)}" if c is not None else "") for v, c in node.rows)
            return f"cases{{{'; '.join(rows)}}}"
        case Chain():
            return outline(node.first) + "".join(f" {relation} {outline(n)}" for relation, n in node.links)
        case _:
            raise TypeError(f"needed a node of the surface tree, found {type(node).__name__}")


def starts_with_digit(node: Node) -> bool:
    """Whether a number is written in digits, with or without an exponent.

    >>> starts_with_digit(Literal((0, 2), "12")), starts_with_digit(Name((0, 1), "x"))
    (True, False)
    """
    return isinstance(node.base if isinstance(node, Scripted) else node, Literal)


def _scripts(sub: Node | None, sup: Node | None) -> str:
    return (f"_{{{outline(sub)}}}" if sub is not None else "") + (f"^{{{outline(sup)}}}" if sup is not None else "")


def bare(node: object) -> object:
    """A node without its places, for comparison."""
    if isinstance(node, tuple):
        return tuple(bare(n) for n in node)
    if isinstance(node, Node):
        return (type(node).__name__, *(bare(getattr(node, name)) for name in fields_of(node)))
    return node


def before_bar(node: Node) -> Node | None:
    r"""The x of `x \mid z`; what is no relation is itself."""
    if isinstance(node, Chain):
        return node.first if [relation for relation, _ in node.links] == ["mid"] else None
    return node


def content_of(node: Node, kinds: Collection[str] = ("()",)) -> Node | None:
    """The x of `(x)`, perhaps to a power, for such brackets."""
    inner = node.base if isinstance(node, Scripted) else node
    return inner.content if isinstance(inner, Enclosed) and inner.kind in kinds else None


def differences(a: Node, b: Node) -> list[tuple[Node, Node]]:
    """The pairs of parts in which two nodes of one form differ; none when they are the same."""
    if bare(a) == bare(b):
        return []
    if type(a) is type(b) and a.parts and len(a.parts) == len(b.parts):
        return [d for x, y in zip(a.parts, b.parts, strict=True) for d in differences(x, y)]
    return [(a, b)]
