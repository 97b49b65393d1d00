r"""Terms to LaTeX, in the document's own notation.

`Style` says how the names used inside are written: the LaTeX of the symbol, the number its indices start from, and
where each index stands.  Inside, indices start from 0; what is written is shifted back.  Inside, indices that are bound
in different places have different names; what is written uses a letter again as soon as it is free, as authors do.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, count

from flint import fmpq

from derivations.language.statement import Definition, Statement
from derivations.language.substitution import substitute, subterms, term_sizes
from derivations.language.term import (
    BINOMIAL,
    DERIVED,
    FACTORIAL,
    HALF,
    MINUS_ONE,
    NABLA,
    ONE,
    UNKNOWN,
    ZERO,
    Add,
    Apply,
    Atom,
    Bracket,
    Case,
    Choice,
    Constraint,
    Derivative,
    Entry,
    Expectation,
    Guard,
    Index,
    IndexValue,
    Lambda,
    Max,
    Mul,
    NegInfinity,
    Number,
    Pow,
    Sum,
    Term,
    TermError,
)
from derivations.language.text import comparison
from derivations.latex.syntax.function_names import plain_stem, signs_of
from derivations.latex.syntax.letters import without_way
from derivations.latex.syntax.notation import RELATION_SIGNS
from derivations.latex.syntax.symbols import COMMANDS

_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4
LETTERS = ("abcgh", "ijklmn", "pqrst", "uvwxyz")
"""Letters that stand for one another when one is taken."""
RELATION_LATEX = {"=": "=", "<": "<", "<=": r"\le", "!=": r"\ne"}


@dataclass(frozen=True)
class Style:
    """How names are written: `display[name]` is LaTeX (of `exp`: no power of e is written instead), `bases[name]` the first
    index, `places[name]` one letter an index (`d` below, `u` above in parentheses, `p` above without, `a` as an argument,
    `b` as one after a bar, `:` a whole axis, not written)."""

    display: Mapping[str, str] = field(default_factory=dict)
    bases: Mapping[str, int] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    """Index variables and sizes that are shown under another name."""


@dataclass
class Habits:
    """What all lines of a derivation have in common: the letters of indices, and the order of factors.

    They are learned from terms as an author wrote them.  No index that is bound in a line is named like one of `taken`.
    """

    taken: tuple[str, ...] = ()
    letters: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    """For an axis of a tensor the letters of the indices that went over it."""
    order: dict[str, int] = field(default_factory=dict)
    """Ranks of names, as they came."""

    def learn(self, t: Term, letters: bool = True) -> None:
        """What an author does in a term; its `letters` count only where they are an author's, not a program's."""
        for s in subterms(t):
            if isinstance(s, Mul):
                names = list(filter(None, map(_named, s.args)))
                for name in names if len(names) > 1 else ():
                    self.order.setdefault(name, len(self.order))
            elif isinstance(s, Sum | Max) and letters:
                for axis in _axes(s):
                    self.letters.setdefault(axis, []).append(_stem(s.var))

    def letter(self, t: Sum | Max, own: str, taken: Container[str]) -> str:
        """Its own letter where an author has it for one of its axes, or for other tensors; else one that an author has
        for its axes, rather a free one."""
        axes = list(_axes(t))
        known = [x for axis in axes for x in self.letters.get(axis, ())]
        if own not in known:
            others = {name for (name, _), letters in self.letters.items() if own in letters}
            if not others or others & {name for name, _ in axes}:
                return next((x for x in known if x not in taken), known[0] if known else own)
        return own


def _axes(t: Sum | Max) -> Iterator[tuple[str, int]]:
    """The axes that an index goes over."""
    own = Index.var(t.var)
    for s in subterms(t.body):
        if isinstance(s, Entry):
            yield from ((s.name, k) for k, i in enumerate(s.indices) if i is own)


def _named(factor: Term) -> str:
    """The name of a factor that is an entry or a size, or a power of one, or an expectation of it; else nothing."""
    if isinstance(factor, Pow):
        return _named(factor.base)
    if isinstance(factor, Expectation):
        return next((s.name for s in subterms(factor.body) if isinstance(s, Entry)), "")
    return factor.name if isinstance(factor, Entry) else str(factor.index) if isinstance(factor, IndexValue) else ""


def _stem(name: str) -> str:
    """A name without the number that was added to keep it apart from others."""
    return name.rstrip("0123456789") or name


def write_latex(what: Term | Statement | Definition, style: Style | None = None, habits: Habits | None = None) -> str:
    r"""LaTeX of a term, a statement or a definition; `habits` are those of the derivation that it is a line of.

    >>> from derivations.language.term import sum_over
    >>> write_latex(sum_over("j", 0, Index.size("n"), Entry("A", (Index.var("i"), Index.var("j")))))
    '\\sum_{j=0}^{n - 1} A_{ij}'
    """
    writer = _Writer(style or Style(), habits)
    if isinstance(what, Term):
        writer.learn(what)
        return writer.term(what)
    if isinstance(what, Statement):
        writer.learn(what.left)
        writer.learn(what.right)
        writer.keep(what.indices)
        text = f"{writer.term(what.left)} {RELATION_LATEX[what.relation]} {writer.term(what.right)}"
        conditions = [writer.constraint(c) for c in _beyond_ranges(what)]
        return text + (rf" \quad ({', '.join(conditions)})" if conditions else "")
    head = Entry(what.name, what.indices, [Lambda((), Entry(t.name)) for t in what.tensors])
    writer.learn(what.body)
    writer.learn(head)
    text = f"{writer.term(head)} := {writer.term(what.body)}"
    conditions = [writer.constraint(c) for c in what.condition]
    return text + (rf" \quad ({', '.join(conditions)})" if conditions else "")


def write_condition(condition: Guard, style: Style | None = None) -> str:
    """A conjunction of constraints."""
    writer = _Writer(style or Style())
    return ",\\ ".join(writer.constraint(c) for c in condition)


def _between(sign: str) -> str:
    """The sign between two arguments, with its spaces."""
    if sign == ",":
        return ", "
    return rf" {RELATION_SIGNS.get('mid' if sign == '|' else sign) or chr(92) + sign} "


def symbol(name: str) -> str:
    r"""LaTeX of a name that no style knows: `alpha` is a Greek letter, longer words are upright.

    >>> symbol("alpha"), symbol("W_q"), symbol("attn"), symbol("A#2")
    ('\\alpha', 'W_{q}', '\\mathrm{attn}', 'A')
    """
    name = name.split("#")[0]
    if name.startswith(UNKNOWN):
        plain = plain_stem(name.removeprefix(UNKNOWN))
        name = plain.replace(NABLA, "")
        order = (len(plain) - len(name)) // len(NABLA)
        if order:
            return rf"\nabla{f'^{order}' if order > 1 else ''} {symbol(name)}"
    base, _, label = name.partition("_")
    row = COMMANDS.get(base)
    if len(base) == 1 and base.isalnum():
        text = base
    elif row is not None and row.letter:
        text = "\\" + base
    else:
        text = rf"\mathrm{{{_escape(base)}}}"
    primes = ""
    return text + primes + (f"_{{{label if len(label) == 1 else _upright(label)}}}" if label else "")


def variable(name: str) -> str:
    """An index variable: a number that was added to keep names apart is shown as primes, that of a section not at all."""
    name = without_way(name)
    stem = name.rstrip("0123456789")
    if stem and stem != name:
        count = int(name[len(stem) :])
        return symbol(stem) + ("'" * count if 0 < count <= 3 else f"_{{{count}}}")
    return symbol(name)


def size(name: str) -> str:
    r"""A size: a number that was added stands below, `n1` as `n_{1}`."""
    stem = name.rstrip("0123456789")
    if len(stem) == 1 and stem != name:
        return f"{symbol(stem)}_{{{name[1:]}}}"
    return symbol(name)


def _upright(word: str) -> str:
    return rf"\mathrm{{{_escape(word)}}}"


def _escape(text: str) -> str:
    kept = "".join(c if c.isalnum() or c in "-.,()* " else r"\_" if c == "_" else "" for c in text)
    return kept.replace(" ", r"\ ")


def _beyond_ranges(statement: Statement) -> list[Constraint]:
    """The conditions that are more than the range of one index."""
    kept = []
    for c in statement.guard:
        variables = c.index.free
        if len(variables) == 1 and (c.index.sizes or c.index == Index.var(min(variables))):
            continue
        if len(variables) == 0 and not c.index.sizes:
            continue
        kept.append(c)
    return kept


class _Writer:
    def __init__(self, style: Style, habits: Habits | None = None) -> None:
        self.style, self.habits = style, habits
        known = list(style.bases.values())
        self.default = max(set(known), key=known.count) if known else 0
        self.base: dict[str, int] = {}
        self.taken: set[str] = set(habits.taken if habits is not None else ())
        self.shown: dict[str, str] = {}

    def keep(self, names: Iterable[str]) -> None:
        """Names that no bound index is shown under."""
        self.taken.update(self.style.names.get(name, name) for name in names)

    def learn(self, t: Term) -> None:
        """The base of each index variable, from the symbols it indexes, and the names that stand for something."""
        self.keep((*t.free, *term_sizes(t), *(name.split("#")[0] for name in t.heads)))
        for s in subterms(t):
            if isinstance(s, Entry):
                for i in s.indices:
                    if len(i.free) == 1:
                        self.base.setdefault(min(i.free), self.style.bases.get(s.name, self.default))

    # --- indices

    def index(self, i: Index, base: int | None = None) -> str:
        """A position, written from the base of its variables (or `base` for a constant)."""
        start = self.default if base is None else base
        return self.plain(i + (start - self.shift(i, start)))

    def shift(self, i: Index, start: int) -> int:
        """How far what is written of the variables and permuted positions in an index lies above their values."""
        bases = {atom: self.base.get(atom.name, start) for atom, _ in i.terms if atom.kind == "index"}
        bases |= {atom: self.default for atom, _ in i.terms if atom.kind in ("perm", "inverse", "label")}
        return sum(c * bases.get(atom, 0) for atom, c in i.terms)

    def plain(self, i: Index) -> str:
        parts = []
        for atom, c in sorted(i.terms, key=lambda t: (t[1] < 0, t[0])):
            name = self.atom(atom)
            parts.append((c < 0, name if abs(c) == 1 else f"{abs(c)} {name}"))
        if i.const or not parts:
            parts.append((i.const < 0, str(abs(i.const))))
        text = ("-" if parts[0][0] else "") + parts[0][1]
        return text + "".join(f" {'-' if minus else '+'} {p}" for minus, p in parts[1:])

    def variable(self, name: str) -> str:
        """An index variable; primed where its letter, in the way of a section, is a length of the statement as well."""
        written = self.shown.get(name) or self.style.names.get(name, name)
        plain = without_way(written)
        return variable(f"{plain}1" if plain != written and plain in self.taken else written)

    @contextmanager
    def bound(self, t: Sum | Max) -> Iterator[None]:
        """Within, an index has its own letter, or, while something else has it, another like it."""
        name = t.var
        stem = _stem(without_way(self.style.names.get(name, name)))
        if self.habits is not None:
            stem = self.habits.letter(t, stem, self.taken)
        others = next((letters for letters in LETTERS if stem in letters), "")
        alike = (x for x in others if x not in self.style.bases and x not in self.style.display)
        free = (x for x in chain([stem], alike, (f"{stem}{k}" for k in count(1))) if x not in self.taken)
        before, self.shown[name] = self.shown.get(name, ""), next(free)
        self.taken.add(self.shown[name])
        yield
        self.taken.remove(self.shown[name])
        self.shown[name] = before

    def atom(self, a: Atom) -> str:
        """A variable, a size, a product, a permuted position, or a quotient rounded down."""
        if a.kind == "index":
            return self.variable(a.name)
        if a.kind == "size":
            return self.style.display.get(a.name) or size(self.style.names.get(a.name, a.name))
        if a.kind == "product":
            return r" \, ".join(self.plain(p) for p in a.args)
        if a.kind == "quotient":
            return rf"\lfloor {self.fraction(a)} \rfloor"
        if a.kind == "label":
            name = self.style.display.get(a.name) or symbol(a.name)
            return f"{name}_{{{', '.join(map(self.index, a.args[:-1]))}}}" if a.args[1:] else name
        power = "^{-1}" if a.kind == "inverse" else ""
        return f"{self.style.display.get(a.name) or symbol(a.name)}{power}({self.index(a.args[0])})"

    def fraction(self, a: Atom) -> str:
        above, below = map(self.plain, a.args)
        return f"({above}) / {below}" if len(a.args[0].terms) > 1 or a.args[0].const else f"{above} / {below}"

    def value(self, i: Index) -> str:
        """An index used as a number keeps its written value."""
        return self.plain(i - self.shift(i, self.default))

    def constraint(self, c: Constraint) -> str:
        i = c.index - self.shift(c.index, self.default)
        left = Index(((a, k) for a, k in i.terms if k > 0), max(i.const, 0))
        right = Index(((a, -k) for a, k in i.terms if k < 0), max(-i.const, 0))
        if c.relation == "==":
            return f"{self.plain(left)} = {self.plain(right)}"
        if left.const == 0 and right.const == 1 and right.terms:
            return f"{self.plain(right - 1)} < {self.plain(left)}"
        if right.terms or not left.terms:
            return rf"{self.plain(right)} \le {self.plain(left)}"
        return rf"{self.plain(left)} \ge {self.plain(right)}"

    def condition(self, g: Guard) -> str:
        return ",\\ ".join(self.constraint(c) for c in g) or r"\text{always}"

    def limits(self, var: str, g: Guard, among: bool = False) -> str:
        """`_{j=1}^{n}` (`among`, or with further constraints: `_{1 \\le j \\le n}`), else all constraints below."""
        lows, highs = [], []
        for c in g:
            k = c.index.coefficient(var)
            if k == 1 and c.relation == ">=":
                lows.append(-(c.index - Index.var(var)))
            elif k == -1 and c.relation == ">=":
                highs.append(c.index + Index.var(var))
        if lows and highs:
            own = self.base.get(var, self.default)
            low = next((b for b in lows if not b.free), lows[0])
            high = next((b for b in highs if not b.free), highs[0])
            bounds = (low - Index.var(var), Index.var(var) - high)
            rest = [self.constraint(c) for c in g if c.relation == "==" or -c.index not in bounds]
            start, end = self.index(low, own), self.index(high, own)
            if among or rest:
                parts = [rf"{start} \le {self.name(var)} \le {end}", *rest]
                rows = (", " if among else r" \\ ").join(parts)
                return f"_{{{rows}}}" if among else rf"_{{\substack{{{rows}}}}}"
            return f"_{{{self.name(var)}={start}}}^{{{end}}}"
        rows = r" \\ ".join(self.constraint(c) for c in g)
        return rf"_{{\substack{{{rows}}}}}" if len(g) > 1 else f"_{{{rows}}}"

    def name(self, var: str) -> str:
        return self.variable(var)

    # --- terms

    def term(self, t: Term, strength: int = 0) -> str:
        text, own = self.written(t)
        return rf"\left({text}\right)" if own < strength else text

    def written(self, t: Term) -> tuple[str, int]:
        if isinstance(t, Number):
            return self.number(t.value)
        if isinstance(t, IndexValue):
            text = self.value(t.index)
            return text, _ATOM if " " not in text and not text.startswith("-") else _SUM
        if isinstance(t, NegInfinity):
            return r"-\infty", _SUM
        if isinstance(t, Entry):
            return self.entry(t), _ATOM
        if isinstance(t, Add):
            return self.sum(t), _SUM
        if isinstance(t, Mul):
            return self.product(t)
        if isinstance(t, Pow):
            return self.power(t)
        if isinstance(t, Apply):
            short = t.arg.nodes <= 6 and not isinstance(t.arg, (Sum, Case, Choice))
            if t.function == "exp" and short and "exp" not in self.style.display:
                return f"e^{{{self.term(t.arg)}}}", _POWER
            plain = t.function.rstrip(DERIVED)
            row = COMMANDS.get(plain)
            head = "\\" + plain if row is not None and not row.letter else symbol(plain)
            head += t.function[len(plain) :]
            return rf"{head}\left({self.term(t.arg)}\right)", _ATOM
        if isinstance(t, Bracket):
            return rf"\left[{self.condition(t.condition)}\right]", _ATOM
        if isinstance(t, Case):
            rows = [rf"{self.term(b)} & \text{{if }} {self.condition(g)}" for g, b in t.branches]
            rows.append(rf"{self.term(t.otherwise)} & \text{{otherwise}}")
            return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}", _ATOM
        if isinstance(t, Choice):
            return self.choice(t), _ATOM
        if isinstance(t, Sum | Max):
            name, among = ("sum", False) if isinstance(t, Sum) else ("max", True)
            with self.bound(t):
                return rf"\{name}{self.limits(t.var, t.guard, among)} {self.term(t.body, _PRODUCT)}", _PRODUCT
        if isinstance(t, Expectation):
            return rf"\mathbb{{E}}\left[{self.term(t.body)}\right]", _ATOM
        if isinstance(t, Derivative):
            by = self.entry(Entry(t.name, t.at))
            return rf"\frac{{\partial}}{{\partial {by}}} {self.term(t.body, _PRODUCT)}", _PRODUCT
        raise TermError(f"no LaTeX for {type(t).__name__}")

    def choice(self, t: Choice) -> str:
        left, sign, right = comparison(t.test)
        test = f"{self.term(left)} {sign} {self.term(right)}"
        if t.above is ONE and t.otherwise is ZERO:
            return rf"\mathbb{{1}}\left[{test}\right]"
        rows = rf"{self.term(t.above)} & \text{{if }} {test} \\ {self.term(t.otherwise)} & \text{{otherwise}}"
        return rf"\begin{{cases}} {rows} \end{{cases}}"

    def number(self, q: fmpq) -> tuple[str, int]:
        if q.q == 1:
            return str(q.p), _ATOM if q >= 0 else _SUM
        text = rf"\frac{{{abs(q.p)}}}{{{q.q}}}"
        return (text, _POWER) if q > 0 else ("-" + text, _SUM)

    def entry(self, t: Entry) -> str:
        if t.is_inverse:
            matrix = self.lambda_(t.args[0])
            inner = matrix if matrix.lstrip("\\").isalnum() else rf"\left({matrix}\right)"
            places_ = ", ".join(self.index(i, self.default) for i in t.indices)
            return rf"{{{inner}}}^{{-1}}_{{{places_}}}"
        name = self.style.display.get(t.name) or symbol(t.name)
        base = self.style.bases.get(t.name, self.default)
        places = self.style.places.get(t.name, "")
        below: list[str] = []
        above: list[str] = []
        plain: list[str] = []
        inside: list[str] = []
        for k, i in enumerate(t.indices):
            text = self.index(i, self.style.bases.get(f"{t.name}@{k}", base))
            place = places[k] if k < len(places) else "d"
            if place == "b" and "b" not in places[:k] and inside:
                inside[-1] += _between("|") + text
            else:
                {"u": above, "p": plain, "a": inside, "b": inside}.get(place, below).append(text)
        args = [self.lambda_(a) for a in t.args]
        if below:
            short = all(len(x) == 1 or (x.startswith("\\") and x[1:].isalpha()) for x in below)
            joined = (" " if any(x.startswith("\\") for x in below) else "").join(below) if short else ", ".join(below)
            if "_" in name and not name.startswith(r"\left("):  # the name itself carries a label: W_{q}
                name = f"({name})"
            name = f"{name}_{{{joined}}}"
        if above:
            name = f"{name}^{{({', '.join(above)})}}"
        if plain:
            name = f"{name}^{{{', '.join(plain)}}}"
        if t.name == FACTORIAL and len(args) == 1:
            return args[0] + "!" if args[0].isalnum() and len(args[0]) == 1 else rf"\left({args[0]}\right)!"
        if t.name == BINOMIAL and len(args) == 2:
            return rf"\binom{{{args[0]}}}{{{args[1]}}}"
        if t.is_unknown:
            signs = [_between(x) for x in signs_of(t.name.removeprefix(UNKNOWN))] or [", "] * (len(args) - 1)
            return name + "(" + "".join(a + b for a, b in zip(args, [*signs, ""], strict=False)) + ")"
        return name + (f"({', '.join(args + inside)})" if args or inside else "")

    def lambda_(self, a: Lambda) -> str:
        """What a tensor is at each place: a product of matrices and vectors where it is one."""
        if not a.params:
            return self.term(a.body)
        product = self.product_of(a.body, a.params)
        if product is not None:
            return product
        letters = self.renamed(a)
        body = substitute(a.body, {p: Index.var(letter) for p, letter in letters.items()})
        return rf"({', '.join(map(symbol, letters.values()))}) \mapsto {self.term(body)}"

    def renamed(self, a: Lambda) -> dict[str, str]:
        """Letters for the places of a tensor that nothing else has."""
        used = self.taken | {u.var for u in subterms(a.body) if isinstance(u, Sum | Max)}
        free = (x for letters in LETTERS[1:] for x in letters if x not in used)
        return {p: next(free, p) for p in a.params}

    def product_of(self, t: Term, places: tuple[str, ...]) -> str | None:
        """A term as a matrix with rows and columns at these places, or as a vector; None where it is none."""
        if isinstance(t, Entry) and not t.args and not t.is_inverse:
            name = self.style.display.get(t.name) or symbol(t.name)
            axes = tuple(map(Index.var, places))
            if t.indices == axes:
                return name
            return rf"{name}^\top" if len(axes) == 2 and t.indices == axes[::-1] else None
        if not isinstance(t, Sum) or not isinstance(t.body, Mul) or len(t.body.args) != 2 or len(t.guard) != 2:
            return None
        own = Index.var(t.var)
        ends = [c.index + own + 1 for c in t.guard if c.index is not own]
        if t.var in places or len(ends) != 1 or ends[0].free or ends[0].const:
            return None  # not over a whole axis
        for left, right in (t.body.args, t.body.args[::-1]):
            one = self.product_of(left, (places[0], t.var)) if len(places) in (1, 2) else None
            other = self.product_of(right, (t.var, *places[1:])) if one is not None else None
            if one is not None and other is not None:
                return f"{one} {other}"
        return None

    def sum(self, t: Add) -> str:
        text = ""
        args = t.args
        if self.habits is not None:
            args = tuple(a for a in args if self.sign(a)[1] is not ZERO)
            if len(args) > 1 and isinstance(args[0], Number) and not self.sign(args[1])[0]:
                args = (*args[1:], args[0])  # d + 1, not 1 + d
            first = next((k for k, a in enumerate(args) if not self.sign(a)[0]), 0)
            args = (*args[first : first + 1], *args[:first], *args[first + 1 :])  # b - a, not -a + b
        for k, a in enumerate(args):
            minus, rest = self.sign(a)
            body = self.term(rest, _PRODUCT)
            text += (("-" if minus else "") if k == 0 else " - " if minus else " + ") + body
        return text or "0"

    def written_places(self, factor: Term) -> tuple[list[bool], str]:
        """What factors of one name are put into an order by: numbers among the indices come last."""
        base = factor.base if isinstance(factor, Pow) else factor
        return [i.is_constant for i in base.indices] if isinstance(base, Entry) else [], self.term(factor)

    def sign(self, t: Term) -> tuple[bool, Term]:
        """Whether a term is written with a minus sign, and what follows it; in a derivation factors and summands are asked,
        too: a - sum of b and -(a b), not a + sum of -b and a (-b)."""
        if self.habits is not None and isinstance(t, Mul):
            signs, factors = zip(*map(_sign, t.args), strict=True) if t.args else ((), ())
            kept = [f for f in factors if f is not ONE]
            return sum(signs) % 2 == 1, kept[0] if len(kept) == 1 else Mul(kept) if kept else ONE
        if self.habits is not None and isinstance(t, Sum) and (inside := self.sign(t.body))[0]:
            return True, Sum(t.var, t.guard, inside[1])
        return _sign(t)

    def product(self, t: Mul) -> tuple[str, int]:
        minus, rest = self.sign(t)
        if minus:
            return "-" + self.term(rest, _PRODUCT), _SUM
        if not isinstance(rest, Mul):
            return self.written(rest)
        above: list[Term] = []
        below: list[Term] = []
        for f in rest.args:
            if isinstance(f, Pow) and isinstance(f.exponent, Number) and f.exponent.value < 0:
                below.append(f.base if f.exponent is MINUS_ONE else Pow(f.base, Number(-f.exponent.value)))
            elif isinstance(f, Number) and f.value.q != 1:
                if f.value.p != 1:
                    above.append(Number(int(f.value.p)))
                below.append(Number(int(f.value.q)))
            else:
                above.append(f)
        if below:
            return rf"\frac{{{self.factors(above)}}}{{{self.factors(below)}}}", _PRODUCT
        return self.factors(above), _PRODUCT

    def factors(self, parts: list[Term]) -> str:
        if not parts:
            return "1"
        if len(parts) == 1:
            return self.term(parts[0])
        if self.habits is not None:
            parts = self.ordered(parts, self.habits.order)
        texts = []
        for k, p in enumerate(parts):
            last = k == len(parts) - 1
            # a sum in the middle of a product would swallow what follows
            loose = isinstance(p, (Sum, Max, Mul)) and (last or not _ends_open(p))
            text = self.term(p, _PRODUCT if loose else _POWER)
            digit = text[:1].isdigit() or text.startswith(r"\frac")
            texts.append((r"\cdot " if k and digit else "") + text)
        return " ".join(texts)

    def ordered(self, factors: list[Term], order: Mapping[str, int]) -> list[Term]:
        """Factors with a name in the order of their names, of one name by their places; what else there is stays."""
        names = [_named(factor) for factor in factors]
        ranks = {k: (order.get(n, len(order)), n, self.written_places(factors[k])) for k, n in enumerate(names) if n}
        found = list(factors)
        for place, k in zip(ranks, sorted(ranks, key=ranks.__getitem__), strict=True):
            found[place] = factors[k]
        return found

    def power(self, t: Pow) -> tuple[str, int]:
        if t.exponent is HALF:
            return rf"\sqrt{{{self.term(t.base)}}}", _ATOM
        if isinstance(t.exponent, Number) and t.exponent.value < 0:
            inner = t.base if t.exponent is MINUS_ONE else Pow(t.base, Number(-t.exponent.value))
            return rf"\frac{{1}}{{{self.term(inner)}}}", _PRODUCT
        base = self.term(t.base, _ATOM)
        exponent = self.term(t.exponent)
        if isinstance(t.exponent, Number):
            exponent = str(t.exponent.value)
        if isinstance(t.base, Entry) and ("^" in base or base.startswith("{")):
            base = rf"\left({base}\right)"  # x^{(i)} has a superscript already
        return f"{base}^{{{exponent}}}", _POWER


def _ends_open(t: Term) -> bool:
    """Whether what follows a sum or a product would be read as a part of it."""
    if isinstance(t, Mul):
        return not any(map(_is_below, t.args)) and any(map(_ends_open, t.args))
    return isinstance(t, (Sum, Max))


def _is_below(factor: Term) -> bool:
    """Whether a factor puts something below a fraction line."""
    if isinstance(factor, Pow):
        return isinstance(factor.exponent, Number) and factor.exponent.value < 0
    return isinstance(factor, Number) and factor.value.q != 1


def _sign(t: Term) -> tuple[bool, Term]:
    if isinstance(t, Number) and t.value < 0:
        return True, Number(-t.value)
    if isinstance(t, Mul) and t.args and isinstance(t.args[0], Number) and t.args[0].value < 0:
        rest = t.args[1:]
        if t.args[0].value != -1 or not rest:
            rest = (Number(-t.args[0].value), *rest)
        return True, rest[0] if len(rest) == 1 else Mul(rest)
    return False, t
