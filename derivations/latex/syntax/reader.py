r"""LaTeX to statements: rows, separators, conditions, words between equations, numbers.

`read_equation` reads one piece of mathematics (what stands between dollar signs, or a whole environment).  Nothing is
interpreted: see `surface.py`.  Work is counted: length, tokens, nesting, macro expansions; see `lexer.py`, `parser.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from derivations.latex.syntax.cursor import (
    MAX_DEPTH,
    begins_relation,
    first_word,
    infix_of,
    is_command,
    is_prose,
    is_sign,
    relation_of,
    step_of,
    top_level,
    trim,
)
from derivations.latex.syntax.lexer import MAX_LENGTH, MAX_TOKENS, Macro, ReadError, Token, take_macros, tokenize
from derivations.latex.syntax.listed_comparisons import one_by_one
from derivations.latex.syntax.notation import (
    ALSO_NAMES,
    CONDITION_WORDS,
    LEAD_WORDS,
    LOGIC,
    OTHERWISE,
    ROW_ENVIRONMENTS,
)
from derivations.latex.syntax.parser import Parser
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Infix,
    Listed,
    Literal,
    Mark,
    Name,
    Node,
    Prefix,
    Reading,
    Scripted,
    Words,
    bare,
    walk,
)
from derivations.latex.syntax.systems import opened

MAX_HEIGHT = 150
"""Highest tree that is made, so that recursive readers of it stay far below Python's own limit."""
MAX_RELATIONS = 100
"""Most relations in one piece of mathematics: each becomes an item that shows the whole piece."""
_UNSEEN = frozenset({"space", "column", "mark", "label", "tag"})
_SEPARATORS = frozenset({"space", "column"})


def read_equation(source: str, macros: Mapping[str, Macro] | None = None) -> list[Reading]:
    r"""The statements of a piece of mathematics, in order.

    `macros` are the author's, by name without backslash; definitions inside the source are understood as well.
    Raises `ReadError` with the offset of the offending token.

    >>> [r.chain.links[0][0] for r in read_equation(r"a = b, \quad c_i \in S, \quad i < n")]
    ['=', 'in']
    """
    tokens = tokenize(source, macros)
    found: list[Reading] = []
    for number, row in _joined(_rows(tokens)):
        above = sum(r.row == found[-1].row and bool(r.chain.links) for r in found) if found else 0
        found += _Row(row, number, in_columns=_goes_on_in_columns(row, above)).read()
    for reading in found:
        _check_height(reading)
    found = one_by_one(found)
    links = [node for reading in found for _, node in reading.chain.links]
    if len(links) > MAX_RELATIONS:
        message = f"needed at most {MAX_RELATIONS} relations in one equation, found {len(links)}; split the equation"
        raise ReadError(message, links[MAX_RELATIONS].span[0], "too-large")
    return found


def read_expression(source: str, macros: Mapping[str, Macro] | None = None) -> Node:
    """One expression, list or relation (for tests and declarations).

    >>> read_expression("a + b").operator
    '+'
    """
    parser = Parser([t for t in tokenize(source, macros) if t.kind not in ("space", "label")], len(source))
    node = parser.inner()
    parser.expect_end()
    _check_height(Reading(Chain(node.span, node, ())))
    return node


def _check_height(reading: Reading) -> None:
    stack: list[tuple[Node, int]] = [(n, 1) for n in (reading.chain, *reading.conditions)]
    while stack:
        node, height = stack.pop()
        if height > MAX_HEIGHT:
            message = f"needed at most {MAX_HEIGHT} nested operations, found more; split the equation"
            raise ReadError(message, node.span[0], "too-deep")
        stack += [(p, height + 1) for p in node.parts]


# --- rows -------------------------------------------------------------------------------------------------------------


def _rows(tokens: list[Token], depth: int = 0) -> list[list[Token]]:
    r"""The rows of the outermost environments.  An alignment mark that starts a further equation becomes a `column`."""
    if depth > MAX_DEPTH:
        raise ReadError(f"needed at most {MAX_DEPTH} nested environments, found more", tokens[0].start, "too-deep")
    tokens = opened(_unwrapped(tokens))
    rows: list[list[Token]] = [[]]
    columns = 0
    braces = fences = 0
    at = 0
    while at < len(tokens):
        t = tokens[at]
        if t.kind == "begin":
            stop = _environment_end(tokens, at)
            if t.text in ROW_ENVIRONMENTS and not braces and not fences:
                if tokens[stop - 1].text != t.text:
                    found = tokens[stop - 1]
                    message = f"needed '\\end{{{t.text}}}', found {found.shown()}"
                    raise ReadError(message, found.start, "unbalanced-environment")
                inner = _rows(tokens[at + 1 : stop - 1], depth + 1)
                rows[-1] += inner[0]
                rows += inner[1:]
            else:
                rows[-1] += tokens[at:stop]
            at = stop
            continue
        if t.kind == "end":
            raise ReadError(
                f"needed a '\\begin{{{t.text}}}' before, found {t.shown()}", t.start, "unbalanced-environment"
            )
        if t.kind == "sign" and t.text in "{}":
            braces += 1 if t.text == "{" else -1
        fences = max(fences + {"left": 1, "right": -1}.get(t.role, 0), 0)
        if t.kind == "row" and not braces:
            rows.append([])
            columns = fences = 0
        elif t.kind == "sign" and t.text == "&" and not braces and not t.role:
            columns += 1
            rows[-1].append(replace(t, kind="column" if columns % 2 == 0 else "mark"))
        else:
            rows[-1].append(t)
        at += 1
    return rows


def _environment_end(tokens: Sequence[Token], at: int) -> int:
    depth = 0
    for k in range(at, len(tokens)):
        if tokens[k].kind in ("begin", "end"):
            depth += 1 if tokens[k].kind == "begin" else -1
            if depth == 0:
                return k + 1
    message = f"needed '\\end{{{tokens[at].text}}}', found the end"
    raise ReadError(message, tokens[at].start, "unbalanced-environment")


def _unwrapped(tokens: list[Token]) -> list[Token]:
    """Without braces around everything."""
    if any(is_command(t, "over", "choose") for t in tokens):
        return tokens  # they rule the group
    start, stop = 0, len(tokens)
    partner: dict[int, int] = {}
    opened: list[int] = []
    for k, t in enumerate(tokens):
        if is_sign(t, "{"):
            opened.append(k)
        elif is_sign(t, "}") and opened:
            partner[opened.pop()] = k
    while stop - start > 2 and partner.get(start) == stop - 1:
        start, stop = start + 1, stop - 1
    return tokens[start:stop]


def _joined(rows: list[list[Token]]) -> list[tuple[int, list[Token]]]:
    """Rows with their numbers; a row that only continues the one before is joined to it."""
    found: list[tuple[int, list[Token]]] = []
    rows = [_without_null_pairs(r) for r in rows]
    marked_first = next((_starts_with_mark(r) for r in rows if r), False)
    depth = 0  # of delimiters that the row before left open
    for number, row in enumerate(rows):
        content = _content(row)
        if not content:
            continue
        before = found[-1][1] if found else []
        if before and (depth > 0 or _continues(before, row, content, marked_first)):
            while before and before[-1].kind in _UNSEEN:
                before.pop()
            repeated = relation_of(before[-1]) is not None and relation_of(before[-1]) == relation_of(content[0])
            before += row[row.index(content[0]) + repeated :]
        else:
            found.append((number, list(row)))
            depth = 0
        for t in content:
            depth = max(depth + (step_of(t) if t.kind not in ("begin", "end") else 0), 0)
    return found


def _goes_on_in_columns(row: Sequence[Token], above: int) -> bool:
    """Whether each column of a row begins with a relation, below as many equations: it goes on with each of them."""
    columns: list[list[Token]] = [[]]
    for t in row:
        if _parts_columns(t):
            columns.append([])
        elif t.kind not in _UNSEEN:
            columns[-1].append(t)
    return 1 < len(columns) == above and all(map(begins_relation, columns))


def _parts_columns(t: Token) -> bool:
    """Whether a token is an alignment mark that begins a further equation, not one before a relation."""
    return t.text == "&" and t.kind in _SEPARATORS


def _content(row: Sequence[Token]) -> list[Token]:
    return [t for t in row if t.kind not in _UNSEEN]


def _starts_with_mark(row: Sequence[Token]) -> bool:
    return bool(row) and row[0].kind == "mark"


def _continues(before: Sequence[Token], row: Sequence[Token], content: Sequence[Token], marked_first: bool) -> bool:
    """Does the row only go on with the expression of the row before?"""
    *earlier, last = _content(before)
    is_script = bool(earlier) and earlier[-1].kind == "sign" and earlier[-1].text in "_^"  # a row may end with x^-
    head = content[0]
    is_infix = not last.role and infix_of(last) is not None and last.kind != "words" and not is_script
    if relation_of(last) is not None or is_infix:
        return True
    found = None if head.role else infix_of(head)
    if found is None or head.kind == "words":
        return False
    if found[0] != "-":
        return True
    relates = any(relation_of(t) is not None for t in top_level(row))
    return not relates or (_starts_with_mark(row) and not marked_first)


def _without_null_pairs(row: list[Token]) -> list[Token]:
    r"""`\left( a \right.` at the end of a row and `\left. b \right)` in the next are one pair: the dots go.

    A brace closed by `\right.` (cases) and `\left. … \right|` (evaluated at) stay.
    """
    opened: list[int] = []
    dropped: set[int] = set()
    for k, t in enumerate(row):
        if t.role == "left":
            opened.append(k)
        elif t.role == "right" and opened:
            opening = row[opened[-1]]
            if t.text == "." and opening.text not in ("{", "lbrace", "."):
                dropped.add(k)
            elif opening.text == "." and t.text not in ("|", "vert", "."):
                dropped.add(opened[-1])
            opened.pop()
    return [t for k, t in enumerate(row) if k not in dropped] if dropped else row


# --- one row ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Row:
    """Reads the statements of one row."""

    tokens: list[Token]
    number: int
    in_columns: bool = False
    """Whether each of its columns goes on with the equation above it."""
    found: list[Reading] = field(default_factory=list)
    lead: str = ""
    waiting: list[Node] = field(default_factory=list)
    """Conditions written before their statement."""

    def read(self) -> list[Reading]:
        tag = next((t.text.strip("()") for t in self.tokens if t.kind == "tag"), None)
        label = next((t.text for t in self.tokens if t.kind == "label"), None)
        pieces = _pieces([t for t in self.tokens if t.kind not in ("tag", "label", "mark")], self.in_columns)
        for k, piece in enumerate(pieces):
            written = _written_number(piece)
            if written is not None and self.found:
                tag = written
                continue
            self._piece(piece, last=k == len(pieces) - 1)
        if self.waiting or self.lead:  # nothing followed
            self._remain()
        if self.found and (tag is not None or label is not None):
            self.found[-1] = replace(self.found[-1], number=tag, label=label)
        return self.found

    def _remain(self) -> None:
        rest = [*self.waiting, *([Words(_span(self.tokens), self.lead)] if self.lead else [])]
        for node in rest:
            if self.found:
                self._condition(node)
            else:
                chain = node if isinstance(node, Chain) else Chain(node.span, node, ())
                self.found.append(Reading(chain, (), None, self.number))
        self.waiting, self.lead = [], ""

    def _condition(self, node: Node) -> None:
        last = self.found[-1]
        self.found[-1] = replace(last, conditions=(*last.conditions, node))

    def _statement(self, node: Node) -> None:
        chain = node if isinstance(node, Chain) else Chain(node.span, node, ())
        chain, condition = _split_condition(chain)
        conditions = (*self.waiting, *condition)
        self.found.append(Reading(chain, conditions, None, self.number, self.lead))
        self.waiting, self.lead = [], ""

    def _piece(self, tokens: list[Token], last: bool) -> None:
        parser = _StatementParser(tokens)
        conditional = False
        while parser.peek() is not None:
            at = parser.at
            if parser.skip_punctuation():
                continue
            t = parser.peek()
            if t is not None and is_prose(t):
                conditional = self._worded(parser, last, conditional)
            elif is_command(t, "forall", "exists"):
                self._placed(parser.quantified(), parser)
            else:
                node = parser.statement()
                if self.found and not self.lead and not self.waiting and _is_condition(node, self.found[-1]):
                    self._condition(node)
                else:
                    self._statement(node)
            if parser.at == at:
                parser.expect_end()

    def _worded(self, parser: _StatementParser, last: bool, conditional: bool) -> bool:
        """Words and what follows them; returns whether a condition is being read."""
        t = parser.take()
        word = first_word(t.text)
        if word in ("and", "or") and not conditional and not self.waiting:
            self.lead = f"{self.lead} {t.text}".strip()
            return False
        words = Words((t.start, t.end), t.text)
        bracketed = t.text.startswith("(")
        if word in CONDITION_WORDS or bracketed or word in ("and", "or"):
            if parser.peek() is None or is_sign(parser.peek(), ","):
                if last or bracketed or word in OTHERWISE or parser.peek() is not None:
                    self._placed(words, parser)
                else:
                    self.lead = f"{self.lead} {t.text}".strip()  # `\text{for} \quad i = 1`
                return True
            node = parser.after_words(words)
            self._placed(node, parser)
            return True
        if word not in LEAD_WORDS - ALSO_NAMES and not self.lead and parser.starts_with_relation():
            node = parser.statement()  # `\text{SE of the mean} = 0.16`: of another thing than the row before
            chain = node if isinstance(node, Chain) else Chain(node.span, node, ())
            self._statement(replace(chain, span=(words.span[0], chain.span[1]), first=words))
        elif self.found and last and parser.peek() is None and word not in LEAD_WORDS:
            self._condition(words)  # a remark
        else:
            self.lead = f"{self.lead} {t.text}".strip()
        return False

    def _placed(self, node: Node, parser: _StatementParser) -> None:
        """A condition belongs to the statement before, or, with a colon or none before, to the one after."""
        colon = parser.accept(":")
        if self.found and not colon:
            self._condition(node)
        else:
            self.waiting.append(node)


class _StatementParser(Parser):
    def skip_punctuation(self) -> bool:
        start = self.at
        while (t := self.peek()) is not None and t.kind == "sign" and t.text in ",.;" and not t.role:
            self.at += 1
        return self.at > start

    def statement(self) -> Node:
        """A chain; commas before its first relation make a list, later ones end it where a statement follows."""
        t = self.peek()
        start = self.end if t is None else t.start
        first: Node | None = None
        if not self.starts_with_relation():
            first = self.listed(self.expression, ",", lambda: is_command(self.peek(1), "forall", "exists"))
        links = self.links(lambda: self.listed(self.expression, ",", self.statement_follows))
        if self.sign(":") and self.relation() is None:  # f : A \to B
            self.at += 1
            self.enter()
            right = self.statement()
            self.depth -= 1
            return Chain(self.since(start), first, (*links, ("colon", right)))
        t = self.peek()
        if t is not None and t.kind == "command" and t.text in LOGIC:
            self.at += 1
            self.enter()
            whole = first if first is not None and not links else Chain(self.since(start), first, tuple(links))
            other = self.statement()
            self.depth -= 1
            return Infix((start, other.span[1]), LOGIC[t.text], whole, other)
        ends = t is None or is_prose(t) or is_command(t, "forall", "exists") or (t.kind == "sign" and t.text in ",.;")
        if not ends:
            self.expect_end()
        if not links and first is not None:
            return first
        return Chain(self.since(start), first, tuple(links))

    def quantified(self) -> Node:
        r"""`\forall i`, `\forall i, j \in S`."""
        mark = self.take()
        sign = Mark((mark.start, mark.end), mark.text)
        if not self.starts_operand():
            return sign
        rest = self.condition()
        return Adjacent((mark.start, rest.span[1]), (sign, rest))

    def condition(self) -> Node:
        """A chain or list, up to the end, a colon, or further words."""
        t = self.peek()
        start = self.end if t is None else t.start
        first = self.listed(self.expression, ",", self.statement_follows) if not self.starts_with_relation() else None
        links = self.links(lambda: self.listed(self.expression, ",", self.statement_follows))
        if not links and first is not None:
            return first
        return Chain(self.since(start), first, tuple(links))

    def after_words(self, words: Words) -> Node:
        """`if j \\le i`: a chain whose first part is the words and the first expression; a remark stays one node."""
        parts: list[Node] = [words]
        while True:
            t = self.peek()
            if t is not None and is_prose(t) and first_word(t.text) not in ("and", "or"):
                parts.append(self.words(self.take()))
                continue
            if isinstance(parts[-1], Words) and self.starts_operand():
                rest = self.condition()
                if isinstance(rest, Chain) and rest.first is not None:
                    head = Adjacent((words.span[0], rest.first.span[1]), (*parts, rest.first))
                    return Chain((words.span[0], rest.span[1]), head, rest.links)
                parts.append(rest)
                continue
            break
        return parts[0] if len(parts) == 1 else Adjacent((words.span[0], parts[-1].span[1]), tuple(parts))


def _span(tokens: Sequence[Token]) -> tuple[int, int]:
    return (tokens[0].start, tokens[-1].end) if tokens else (0, 0)


def _pieces(tokens: Sequence[Token], in_columns: bool) -> list[list[Token]]:
    """A row cut at wide spaces, further columns and semicolons, unless an expression goes on across them."""
    pieces: list[list[Token]] = [[]]
    depth = 0
    cut = apart = False
    for k, t in enumerate(tokens):
        depth = max(depth + step_of(t), 0)
        if t.kind in _SEPARATORS or (depth == 0 and is_sign(t, ";") and not t.role):
            cut = cut or depth == 0
            apart = apart or (in_columns and _parts_columns(t))
            continue
        if cut:
            before = pieces[-1][-1] if pieces[-1] else None
            goes_on = _operates(t) or (before is not None and _operates(before)) or begins_relation(tokens, k)
            if not goes_on or apart:
                pieces.append([])
            cut = apart = False
        pieces[-1].append(t)
    return [p for p in (trim(piece) for piece in pieces) if p]


def _operates(t: Token) -> bool:
    return t.kind != "words" and not t.role and (infix_of(t) is not None or relation_of(t) is not None)


def _written_number(tokens: Sequence[Token]) -> str | None:
    """`(20)`, `(2.1)` or `(*)` on its own is the number of the equation."""
    if len(tokens) < 3 or not is_sign(tokens[0], "(") or not is_sign(tokens[-1], ")"):
        return None
    inner = tokens[1:-1]
    text = "".join(t.text for t in inner)
    if (
        inner[0].kind == "number"
        and len(text) <= 8
        and all(t.kind in ("number", "letter") or t.text in ".-" for t in inner)
    ):
        return text
    return text if text in ("*", "**", "star", "dagger") else None


def _is_condition(node: Node, before: Reading) -> bool:
    r"""Does a further statement of the row only say where the one before holds: `(j \leq i)`, `j \leq i`?"""
    if not isinstance(node, Chain):
        return bool(before.chain.links)
    if isinstance(node.first, (Mark, Words)):
        return True
    if not before.chain.links or node.first is None or not node.links:
        return False
    if all(name in ("<", "<=", ">", ">=", "!=") for name, _ in node.links):
        return all(_is_plain(n) for n in (node.first, *(right for _, right in node.links)))
    if len(node.links) == 1 and node.links[0][0] == "=":  # `\frac{\partial a_j}{\partial z_i} = …, \quad i = j`
        letters = [bare(n) for n in (node.first, node.links[0][1]) if isinstance(n, Name)]
        scripts = [n.sub for n in walk(before.chain) if isinstance(n, Scripted) and n.sub is not None]
        return len(letters) == 2 and set(letters) <= {bare(n) for sub in scripts for n in walk(sub)}
    return False


def _is_plain(node: Node) -> bool:
    """Letters, numbers and sums of them."""
    return all(isinstance(n, (Name, Literal, Infix, Prefix, Adjacent)) for n in walk(node))


def _split_condition(chain: Chain) -> tuple[Chain, tuple[Node, ...]]:
    r"""`\frac{a}{b} (j \leq i)`, no wide space: a relation in parentheses is no factor, unless a name takes it."""
    if not chain.links or not isinstance(chain.links[-1][1], Adjacent):
        return chain, ()
    name, right = chain.links[-1]
    items = right.parts
    last, before = items[-1], items[-2]
    taken = isinstance(before.base if isinstance(before, Scripted) else before, Name)
    relation = isinstance(last, Enclosed) and last.kind == "()" and isinstance(last.content, Chain)
    if not relation or taken or len(items) < 2:
        return chain, ()
    kept = items[0] if len(items) == 2 else Adjacent((items[0].span[0], before.span[1]), items[:-1])
    return Chain((chain.span[0], kept.span[1]), chain.first, (*chain.links[:-1], (name, kept))), (last,)


__all__ = [
    "MAX_DEPTH",
    "MAX_LENGTH",
    "MAX_TOKENS",
    "Listed",
    "Macro",
    "ReadError",
    "Reading",
    "read_equation",
    "read_expression",
    "take_macros",
]
