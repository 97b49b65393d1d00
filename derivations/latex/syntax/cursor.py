r"""What a token is to the parser, and a cursor over tokens."""

from __future__ import annotations

from collections.abc import Sequence

from derivations.latex.syntax.lexer import ReadError, Token
from derivations.latex.syntax.notation import CONDITION_WORDS, ENGLISH, LEAD_WORDS, LOGIC, PRODUCTS, RELATIONS, SUMS
from derivations.latex.syntax.symbols import COMMANDS, Kind

MAX_DEPTH = 40
"""Deepest nesting of groups, delimiters, scripts and bodies."""
SUM, PRODUCT, FACTOR = 20, 30, 40
"""Binding powers."""
_NOT_RELATIONS = frozenset({"uparrow", "downarrow", "updownarrow", "vcentcolon", "therefore", "because"})
PROSE = CONDITION_WORDS | LEAD_WORDS


def relation_of(token: Token | None) -> str | None:
    """The name of the relation that a token is."""
    if token is None or token.role:
        return None
    if token.kind == "sign":
        return RELATIONS.get(token.text) if token.text in ("=", "<", ">") else None
    if token.kind != "command":
        return None
    if token.text in RELATIONS:
        return RELATIONS[token.text]
    row = COMMANDS.get(token.text)
    return token.text if row is not None and row.kind is Kind.REL and token.text not in _NOT_RELATIONS else None


def begins_relation(tokens: Sequence[Token], at: int = 0) -> bool:
    """Whether a relation stands at a place, perhaps one of two tokens: `:=`."""
    if at >= len(tokens):
        return False
    t = tokens[at]
    if (is_sign(t, ":") or is_command(t, "colon")) and not t.role:
        return at + 1 < len(tokens) and is_sign(tokens[at + 1], "=")
    return relation_of(t) is not None


def infix_of(token: Token | None) -> tuple[str, int] | None:
    """Name and binding power of the binary operator that a token is."""
    if token is None:
        return None
    if token.kind in ("sign", "command"):
        if token.text in SUMS and token.kind == ("sign" if token.text in "+-" else "command"):
            return SUMS[token.text], SUM
        if token.text in PRODUCTS and token.kind == ("sign" if token.text in "*/@" else "command"):
            return PRODUCTS[token.text], PRODUCT
        row = COMMANDS.get(token.text) if token.kind == "command" else None
        if row is not None and row.kind is Kind.BIN and token.text not in LOGIC:
            return token.text, PRODUCT
    elif token.kind == "words" and token.text == "mod":
        return "mod", PRODUCT
    return None


def is_prose(token: Token | None) -> bool:
    """Words that are no name: several of them, a remark in parentheses, or a word that begins a condition."""
    if token is None or token.kind != "words":
        return False
    words = token.text.split()
    return len(words) != 1 or words[0] != words[0].strip(",.:;()[]") or first_word(token.text) in PROSE


def first_word(text: str) -> str:
    """The first word, in English where it is one of another language that begins a condition.

    >>> first_word("für alle"), first_word("en otro caso")
    ('for', 'otherwise')
    """
    words = text.lower().split()
    whole = " ".join(words).strip(",.:;()")
    word = words[0].strip(",.:;()") if words else ""
    return ENGLISH.get(whole) or ENGLISH.get(word, word)


def is_command(token: Token | None, *names: str) -> bool:
    return token is not None and token.kind == "command" and token.text in names


def is_sign(token: Token | None, text: str) -> bool:
    return token is not None and token.kind == "sign" and token.text == text


class Cursor:
    """A cursor over tokens.  `end` is the offset of the end, for messages."""

    def __init__(self, tokens: Sequence[Token], end: int | None = None, depth: int = 0, matrices: int = 0) -> None:
        self.tokens = list(tokens)
        self.end = end if end is not None else self.tokens[-1].end if self.tokens else 0
        self.at = 0
        self.depth = depth
        self.matrices = matrices
        self.font = ""
        self.bar = ""
        """The sign that closes the innermost bars that are open."""
        self.prime_end = 0
        """Where the last prime ended."""
        self.closable = pair_bars(self.tokens)

    # cursor

    def peek(self, ahead: int = 0) -> Token | None:
        k = self.at + ahead
        return self.tokens[k] if k < len(self.tokens) else None

    def sign(self, text: str) -> bool:
        return is_sign(self.peek(), text)

    def accept(self, text: str) -> bool:
        found = self.sign(text)
        self.at += found
        return found

    def take(self) -> Token:
        t = self.peek()
        if t is None:
            raise ReadError("needed an expression, found the end", self.end, "missing-argument")
        self.at += 1
        return t

    def since(self, start: int) -> tuple[int, int]:
        """The span from `start` to the last token taken."""
        return start, max(self.tokens[self.at - 1].end, start) if self.at else start

    def error(self, needed: str, token: Token | None, code: str) -> ReadError:
        if token is None:
            return ReadError(f"needed {needed}, found the end", self.end, code)
        command = token.text if token.kind == "command" else ""
        return ReadError(f"needed {needed}, found {token.shown()}", token.start, code, command)

    def expect_end(self) -> None:
        t = self.peek()
        if t is not None:
            closing = t.text in (")", "]", "}", "rangle", "rbrace") or t.role == "right" or t.kind == "end"
            code = "unbalanced-braces" if closing else "unexpected-token"
            raise self.error("an operator or the end", t, code)

    def enter(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            t = self.peek()
            at = self.end if t is None else t.start
            raise ReadError(
                f"needed at most {MAX_DEPTH} nested levels, found more; simplify the equation", at, "too-deep"
            )

    def relation(self) -> tuple[str, int] | None:
        """The relation that stands here, and how many tokens it takes."""
        t = self.peek()
        if t is None:
            return None
        if t.kind == "sign" and t.text == ":":
            return ("=", 2) if is_sign(self.peek(1), "=") else None
        if is_command(t, "colon"):
            return "=" if is_sign(self.peek(1), "=") else "colon", 1 + is_sign(self.peek(1), "=")
        if t.kind == "sign" and t.text in "<>" and is_sign(self.peek(1), "="):
            return t.text + "=", 2
        if self.differs():
            return "!=", 2
        if is_command(t, "not"):
            name = relation_of(self.peek(1))
            return None if name is None else ({"=": "!=", "in": "notin"}.get(name, f"not-{name}"), 2)
        if is_command(t, "stackrel", "overset", "underset"):
            stop = self.group_end(self.at + 1)
            last = self.group_end(stop)
            inner = [x for x in self.tokens[stop:last] if x.text not in "{}"]
            name = relation_of(inner[0]) if len(inner) == 1 else None
            return None if name is None else (name, last - self.at)
        if is_command(t, "xrightarrow", "xleftarrow"):
            return ("to" if t.text == "xrightarrow" else "gets"), self.group_end(self.at + 1) - self.at
        if t.kind == "sign" and t.text == "|" and t.role != "right" and not self.bar and not self.opens_bar():
            return ("parallel", 2) if is_sign(self.peek(1), "|") else ("mid", 1)
        if is_command(t, "|", "Vert") and t.role != "right" and not self.bar and not self.opens_bar():
            return "parallel", 1
        name = relation_of(t)
        return None if name is None else (name, 1)

    def differs(self) -> bool:
        """Does `!=` stand here, in one piece?  In `4! = 24` the signs stand apart."""
        t, after = self.peek(), self.peek(1)
        return t is not None and after is not None and is_sign(t, "!") and is_sign(after, "=") and t.end == after.start

    def starts_with_relation(self) -> bool:
        """Does a relation stand here, without a left-hand side?  A lone bar is none: its partner is missing."""
        t = self.peek()
        relation = self.relation()
        if relation is not None and t is not None and (is_sign(t, "|") or is_command(t, "|", "Vert")):
            raise self.error(f"a second {t.shown()}", self.peek(1), "unbalanced-braces")
        return relation is not None

    def group_end(self, at: int) -> int:
        """The index after the group (or single token) that starts at index `at`."""
        if at >= len(self.tokens):
            raise self.error("an argument", None, "missing-argument")
        if not is_sign(self.tokens[at], "{"):
            return at + 1
        depth = 0
        for k in range(at, len(self.tokens)):
            t = self.tokens[k]
            if t.kind == "sign" and t.text in "{}":
                depth += 1 if t.text == "{" else -1
                if depth == 0:
                    return k + 1
        raise self.error("a closing '}' for this '{'", self.tokens[at], "unbalanced-braces")

    def alone(self, ahead: int) -> bool:
        t = self.peek(ahead)
        return t is None or (t.kind == "sign" and t.text in ",;)]}") or t.role == "right"

    def opens_bar(self) -> bool:
        t = self.peek()
        return t is not None and (t.role == "left" or self.at in self.closable)


def cells_of(tokens: Sequence[Token]) -> list[list[list[Token]]]:
    """Rows and cells of an environment's content."""
    rows: list[list[list[Token]]] = [[[]]]
    depth = 0
    for t in tokens:
        if t.kind in ("begin", "end"):
            depth += 1 if t.kind == "begin" else -1
        elif t.kind == "sign" and t.text in "{}":
            depth += 1 if t.text == "{" else -1
        if depth == 0 and t.kind == "row":
            rows.append([[]])
        elif depth == 0 and t.kind == "sign" and t.text == "&":
            rows[-1].append([])
        else:
            rows[-1][-1].append(t)
    return [r for r in rows if any(r)]


def trim(tokens: Sequence[Token]) -> list[Token]:
    """Without punctuation at both ends."""
    start, stop = 0, len(tokens)
    while (
        stop > start
        and tokens[stop - 1].kind == "sign"
        and tokens[stop - 1].text in ",.;"
        and not tokens[stop - 1].role
    ):
        stop -= 1
    while start < stop and tokens[start].kind == "sign" and tokens[start].text in ",;":
        start += 1
    return list(tokens[start:stop])


def pair_bars(tokens: Sequence[Token]) -> set[int]:
    """The indices of bars that can open: another follows at the same level, before a comma or relation.

    Two bars with nothing between them, something before them and no third at their level are one sign: `p || q`.
    """
    found: set[int] = set()
    levels: list[dict[str, list[int]]] = [{}]

    def leave(level: dict[str, list[int]]) -> None:
        single = level.get("|", [])
        if len(single) == 2 and single[1] == single[0] + 1 and single[0] and ends_expression(tokens[single[0] - 1]):
            found.discard(single[0])

    for k, t in enumerate(tokens):
        bar = (
            t.text
            if is_sign(t, "|")
            else "‖"
            if is_command(t, "|", "Vert")
            else "vert"
            if is_command(t, "vert")
            else ""
        )
        if bar and not t.role:
            before = levels[-1].setdefault(bar, [])
            if before:
                found.add(before[-1])
            before.append(k)
        elif t.role == "left" or t.kind == "begin" or (t.kind == "sign" and t.text in "([{") or is_command(t, "{"):
            levels.append({})
        elif t.role == "right" or t.kind == "end" or (t.kind == "sign" and t.text in ")]}") or is_command(t, "}"):
            if len(levels) > 1:
                leave(levels.pop())
        elif t.kind == "row" or (t.kind == "sign" and t.text in ",;&") or relation_of(t) is not None:
            leave(levels[-1])
            levels[-1].clear()
    leave(levels[0])
    return found


def ends_expression(t: Token) -> bool:
    """Whether an expression can end with this token: an operator or a relation stands after it, no factor need."""
    opens = t.role == "left" or (t.kind == "sign" and t.text in "([{,;&+-*/|")
    return not opens and t.kind not in ("begin", "row") and relation_of(t) is None


def top_level(row: Sequence[Token]) -> list[Token]:
    """The tokens of a row outside all delimiters."""
    kept, depth = [], 0
    for t in row:
        step = step_of(t)
        depth += step
        if depth <= 0 and step == 0:
            kept.append(t)
    return kept


def step_of(t: Token) -> int:
    """1 where a token opens a delimiter or an environment, -1 where it closes one."""
    if t.kind == "begin" or t.role == "left" or (not t.role and t.kind == "sign" and t.text in "([{"):
        return 1
    if t.kind == "end" or t.role == "right" or (not t.role and t.kind == "sign" and t.text in ")]}"):
        return -1
    return 0
