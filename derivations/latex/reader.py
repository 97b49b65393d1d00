r"""LaTeX to the surface tree: a lexer and a precedence parser.

`read_equation` reads one piece of mathematics (what stands between dollar signs, or a whole environment) into
statements.  Nothing is interpreted: see `surface.py`.  Work is counted: length, tokens, nesting, macro expansions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from derivations.latex.notation import (
    ACCENTS,
    BIG,
    COMMAND_OPERATORS,
    CONDITION_WORDS,
    FONTS,
    MATRIX_ENVIRONMENTS,
    OPERATORS,
    PRODUCTS,
    RELATIONS,
    ROW_ENVIRONMENTS,
    SUMS,
)
from derivations.latex.surface import (
    Adjacent,
    Big,
    Cases,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Listed,
    Literal,
    Mark,
    Matrix,
    Name,
    Node,
    Operator,
    Prefix,
    Reading,
    Root,
    Scripted,
    Words,
)
from derivations.latex.symbols import COMMANDS, UNICODE, Kind

MAX_LENGTH = 20_000
MAX_TOKENS = 6_000
MAX_DEPTH = 40
MAX_EXPANSIONS = 500


class ReadError(ValueError):
    """LaTeX that was not understood: `offset` in the source, a stable `code`, the offending token."""

    def __init__(self, message: str, offset: int, code: str) -> None:
        self.message, self.offset, self.code = message, offset, code
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is `command`, `letter`, `number`, or `sign` (one character, or `\\\\` for a new row)."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Macro:
    """`\\newcommand{\\name}[arguments]{body}`."""

    arguments: int
    body: str


def read_equation(source: str, macros: Mapping[str, Macro] | None = None) -> list[Reading]:
    r"""The statements of a piece of mathematics, in order.

    Raises `ReadError` with the offset of the offending token.

    >>> [str(r.chain.links[0][0]) for r in read_equation(r"a = b, \quad c < d")]
    ['=', '<']
    """
    tokens = tokenize(source)
    if macros:
        tokens = _expand(tokens, macros)
    found: list[Reading] = []
    for number, row in enumerate(_rows(tokens)):
        found += _read_row(row, number, source)
    return found


def read_expression(source: str) -> Node:
    """One expression without relations (for tests and declarations)."""
    parser = _Parser(tokenize(source))
    node = parser.listed()
    parser.expect_end()
    return node


# --- lexer ----------------------------------------------------------------------------------------------------------


def tokenize(source: str) -> list[Token]:
    """Tokens without spaces, comments and commands that only lay out."""
    if len(source) > MAX_LENGTH:
        raise ReadError(f"needed at most {MAX_LENGTH} characters, found {len(source)}", 0, "too-large")
    tokens: list[Token] = []
    i, n = 0, len(source)
    while i < n:
        c = source[i]
        start = i
        if c.isspace():
            i += 1
            continue
        if c == "%":
            while i < n and source[i] != "\n":
                i += 1
            continue
        if c == "\\":
            i += 1
            if i >= n:
                raise ReadError("needed a command after the backslash, found the end", start, "unexpected-token")
            if source[i].isalpha():
                while i < n and source[i].isalpha():
                    i += 1
                name = source[start + 1 : i]
                if name in ("newline", "cr", "tabularnewline"):
                    tokens.append(Token("sign", "\\\\", start, i))
                elif name in _VERBATIM and i < n:
                    i = _verbatim(source, i, start, name, tokens)
                else:
                    if i < n and source[i] == "*" and name in ("operatorname", "tag"):
                        i += 1
                    tokens.append(Token("command", name, start, i))
            elif source[i] == "\\":
                i += 1
                while i < n and source[i] == "*":
                    i += 1
                if i < n and source[i] == "[":  # the optional space of \\[2pt]
                    close = source.find("]", i)
                    if (
                        close != -1
                        and close - i < 12
                        and source[i + 1 : close].strip()[-2:] in ("pt", "em", "ex", "mm", "cm")
                    ):
                        i = close + 1
                tokens.append(Token("sign", "\\\\", start, i))
            else:
                tokens.append(Token("command", source[i], start, i + 1))
                i += 1
        elif source.startswith("...", i):
            tokens.append(Token("command", "ldots", start, i + 3))
            i += 3
        elif c.isdigit() or (c == "." and i + 1 < n and source[i + 1].isdigit()):
            while i < n and (source[i].isdigit() or (source[i] == "." and source[i + 1 : i + 2].isdigit())):
                i += 1
            tokens.append(Token("number", source[start:i], start, i))
        elif (
            c in UNICODE
            and UNICODE[c].kind in (Kind.ORD, Kind.REL, Kind.BIN, Kind.OP, Kind.OPEN, Kind.CLOSE)
            and ord(c) > 127
        ):
            tokens.append(Token("command", UNICODE[c].name, start, i + 1))
            i += 1
        elif c.isalpha():
            tokens.append(Token("letter", c, start, i + 1))
            i += 1
        else:
            tokens.append(Token("sign", c, start, i + 1))
            i += 1
        if len(tokens) > MAX_TOKENS:
            raise ReadError(f"needed at most {MAX_TOKENS} tokens, found more", start, "too-large")
    return [t for t in tokens if not _is_layout(t)]


_VERBATIM = frozenset(
    {"text", "textrm", "textbf", "textit", "texttt", "textsf", "textnormal", "mbox", "tag", "label", "color"}
)
_LAYOUT_COMMANDS = frozenset(
    {",", ";", ":", "!", " ", ">", "displaystyle", "textstyle", "scriptstyle", "scriptscriptstyle", "limits"}
    | {"nolimits", "nonumber", "notag", "left", "right", "middle", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl"}
    | {"Bigr", "biggl", "biggr", "Biggl", "Biggr", "bigm", "small", "large", "Large", "normalsize", "tiny", "huge"}
    | {"footnotesize", "centering", "noindent", "allowbreak", "thinspace", "medspace", "thickspace", "negthinspace"}
    | {"hfill", "hline", "ensuremath"}
)


def _is_layout(t: Token) -> bool:
    return (t.kind == "command" and t.text in _LAYOUT_COMMANDS) or (t.kind == "sign" and t.text == "~")


def _verbatim(source: str, i: int, start: int, name: str, tokens: list[Token]) -> int:
    r"""`\text{...}`, `\tag{...}`, `\label{...}`, `\color{...}`: the argument is taken as characters."""
    j = i
    while j < len(source) and source[j].isspace():
        j += 1
    if j >= len(source) or source[j] != "{":
        tokens.append(Token("command", name, start, i))
        return i
    depth, k = 0, j
    while k < len(source):
        if source[k] == "\\":
            k += 2
            continue
        depth += {"{": 1, "}": -1}.get(source[k], 0)
        k += 1
        if depth == 0:
            break
    else:
        raise ReadError("needed a closing brace, found the end", j, "unbalanced-braces")
    inner = source[j + 1 : k - 1]
    if name in ("label", "color"):
        return k
    if "$" in inner or ("\\" in inner and name != "tag" and not _plain(inner)):
        tokens.append(Token("command", name, start, i))  # mathematics inside: read it as a group
        return i
    kind = "tag" if name == "tag" else "words"
    tokens.append(Token(kind, name + "\0" + _unescape(inner), start, k))
    return k


def _plain(text: str) -> bool:
    return all(text[k + 1 : k + 2] in ("_", " ", ",", "&", "%", "#", "-") for k, c in enumerate(text) if c == "\\")


def _unescape(text: str) -> str:
    return text.replace("\\_", "_").replace("\\ ", " ").replace("\\,", " ").replace("\\&", "&").replace("\\%", "%")


def _expand(tokens: list[Token], macros: Mapping[str, Macro]) -> list[Token]:
    """Author's macros, expanded a counted number of times."""
    left = MAX_EXPANSIONS
    i = 0
    while i < len(tokens):
        t = tokens[i]
        macro = macros.get(t.text) if t.kind == "command" else None
        if macro is None:
            i += 1
            continue
        left -= 1
        if left < 0 or len(tokens) > MAX_TOKENS:
            raise ReadError(
                f"needed at most {MAX_EXPANSIONS} macro expansions, found more at \\{t.text}", t.start, "too-large"
            )
        end = i + 1
        arguments: list[list[Token]] = []
        for _ in range(macro.arguments):
            if end >= len(tokens):
                raise ReadError(f"\\{t.text} needs {macro.arguments} arguments", t.start, "missing-argument")
            stop = _group_end(tokens, end)
            arguments.append(tokens[end + 1 : stop - 1] if tokens[end].text == "{" else [tokens[end]])
            end = stop
        body: list[Token] = [Token("sign", "{", t.start, t.start)]
        pieces = tokenize(macro.body)
        k = 0
        while k < len(pieces):
            p = pieces[k]
            if p.text == "#" and k + 1 < len(pieces) and pieces[k + 1].kind == "number":
                which = int(pieces[k + 1].text[0]) - 1
                body += arguments[which] if 0 <= which < len(arguments) else []
                k += 2
                continue
            body.append(Token(p.kind, p.text, t.start, t.end))
            k += 1
        body.append(Token("sign", "}", t.end, t.end))
        tokens = [*tokens[:i], *body, *tokens[end:]]
    return tokens


def _group_end(tokens: list[Token], i: int) -> int:
    """The index after the group (or single token) that starts at `i`."""
    if tokens[i].text != "{" or tokens[i].kind != "sign":
        return i + 1
    depth = 0
    for k in range(i, len(tokens)):
        if tokens[k].kind == "sign":
            depth += {"{": 1, "}": -1}.get(tokens[k].text, 0)
            if depth == 0:
                return k + 1
    raise ReadError("needed a closing brace, found the end", tokens[i].start, "unbalanced-braces")


# --- rows and statements --------------------------------------------------------------------------------------------


def _environment(tokens: list[Token], i: int) -> tuple[str, int]:
    r"""Name of the environment that `\begin` or `\end` at `i` names, and the index after it."""
    stop = _group_end(tokens, i + 1) if i + 1 < len(tokens) else i + 1
    name = "".join(t.text for t in tokens[i + 2 : stop - 1])
    return name.rstrip("*"), stop


def _environment_end(tokens: list[Token], i: int) -> int:
    r"""Index of the `\end` that closes the `\begin` at `i`."""
    depth = 0
    for k in range(i, len(tokens)):
        if tokens[k].kind == "command" and tokens[k].text in ("begin", "end"):
            depth += 1 if tokens[k].text == "begin" else -1
            if depth == 0:
                return k
    raise ReadError(r"needed an \end for this \begin, found the end", tokens[i].start, "unbalanced-environment")


def _rows(tokens: list[Token], depth: int = 0) -> list[list[Token]]:
    """The rows of the outermost environments; alignment marks dropped."""
    if depth > MAX_DEPTH:
        raise ReadError(f"needed at most {MAX_DEPTH} nested environments, found more", tokens[0].start, "too-deep")
    tokens = _unwrap(tokens)
    rows: list[list[Token]] = [[]]
    i = 0
    braces = 0
    while i < len(tokens):
        t = tokens[i]
        if t.kind == "command" and t.text == "begin":
            name, body = _environment(tokens, i)
            end = _environment_end(tokens, i)
            _, after = _environment(tokens, end)
            if name in ROW_ENVIRONMENTS and not braces:
                if name in ("alignat", "alignedat") and body < end:
                    body = _group_end(tokens, body)
                inner = _rows(tokens[body:end], depth + 1)
                rows[-1] += inner[0]
                rows += inner[1:]
            else:
                rows[-1] += tokens[i:after]
            i = after
            continue
        if t.kind == "sign":
            braces += {"{": 1, "}": -1}.get(t.text, 0)
            if t.text == "\\\\" and not braces:
                rows.append([])
                i += 1
                continue
            if t.text == "&" and not braces:
                i += 1
                continue
        rows[-1].append(t)
        i += 1
    return [r for r in rows if r] or [[]]


def _unwrap(tokens: list[Token]) -> list[Token]:
    """Without braces around everything."""
    while len(tokens) > 2 and tokens[0].text == "{" and tokens[0].kind == "sign":
        if _group_end(tokens, 0) != len(tokens):
            break
        tokens = tokens[1:-1]
    return tokens


def _read_row(tokens: list[Token], row: int, source: str) -> list[Reading]:
    """The statements of one row."""
    number = next((t.text.split("\0", 1)[1] for t in tokens if t.kind == "tag"), None)
    tokens = [t for t in tokens if t.kind != "tag"]
    pieces: list[list[Token]] = [[]]
    depth = 0
    k = 0
    while k < len(tokens):
        t = tokens[k]
        if t.kind == "command" and t.text in ("begin", "end"):
            depth += 1 if t.text == "begin" else -1
        elif t.text in ("{", "(", "[") and t.kind == "sign":
            depth += 1
        elif t.text in ("}", ")", "]") and t.kind == "sign":
            depth -= 1
        if depth <= 0 and t.kind == "command" and t.text in ("quad", "qquad", "hspace", "hskip", "enspace", "phantom"):
            if t.text in ("hspace", "phantom") and k + 1 < len(tokens):
                k = _group_end(tokens, k + 1) - 1
            pieces.append([])
        elif depth <= 0 and t.kind == "sign" and t.text == ";":
            pieces.append([])
        elif t.kind == "command" and t.text in ("quad", "qquad"):
            pass
        else:
            pieces[-1].append(t)
        k += 1
    found: list[Reading] = []
    for piece in pieces:
        piece = _trim(piece)
        if not piece:
            continue
        tag = _written_number(piece)
        if tag is not None and found:
            number = tag
            continue
        for node in _Parser(piece).statements():
            _attach(found, node, row)
    return [
        Reading(r.chain, r.conditions, number if k == len(found) - 1 else r.number, row) for k, r in enumerate(found)
    ]


def _trim(tokens: list[Token]) -> list[Token]:
    """Without punctuation at both ends."""
    while tokens and tokens[-1].kind == "sign" and tokens[-1].text in ",.;":
        tokens = tokens[:-1]
    while tokens and tokens[0].kind == "sign" and tokens[0].text in ",;":
        tokens = tokens[1:]
    return tokens


def _written_number(tokens: list[Token]) -> str | None:
    """`(20)` on its own is the number of the equation."""
    if len(tokens) == 3 and tokens[0].text == "(" and tokens[2].text == ")" and tokens[1].kind == "number":
        return tokens[1].text
    return None


def _attach(found: list[Reading], node: Node, row: int) -> None:
    """A further statement, or a condition on the one before."""
    if isinstance(node, Chain):
        if found and (_is_condition(node) or isinstance(node.first, Mark)):
            last = found[-1]
            found[-1] = Reading(last.chain, (*last.conditions, node), last.number, last.row)
        else:
            found.append(Reading(node, (), None, row))
    elif found:
        last = found[-1]
        found[-1] = Reading(last.chain, (*last.conditions, node), last.number, last.row)
    else:
        found.append(Reading(Chain(node.span, node, ()), (), None, row))


def _is_condition(chain: Chain) -> bool:
    return isinstance(chain.first, Words) or (chain.first is not None and isinstance(_first(chain.first), (Words,)))


def _first(node: Node) -> Node:
    return _first(node.items[0]) if isinstance(node, (Adjacent, Listed)) else node


# --- parser ---------------------------------------------------------------------------------------------------------

_CLOSERS = {"(": ")", "[": "]", "{": "}", "langle": "rangle", "lfloor": "rfloor", "lceil": "rceil"}
_DOTS = frozenset({"dots", "ldots", "cdots", "vdots", "ddots", "dotsc", "dotsb", "dotsm"})


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    # tokens

    def peek(self, ahead: int = 0) -> Token | None:
        k = self.at + ahead
        return self.tokens[k] if k < len(self.tokens) else None

    def sign(self, text: str) -> bool:
        t = self.peek()
        return t is not None and t.kind == "sign" and t.text == text

    def command(self, *names: str) -> bool:
        t = self.peek()
        return t is not None and t.kind == "command" and t.text in names

    def take(self) -> Token:
        t = self.peek()
        if t is None:
            end = self.tokens[-1].end if self.tokens else 0
            raise ReadError("needed an expression, found the end", end, "missing-argument")
        self.at += 1
        return t

    def need(self, text: str) -> Token:
        t = self.peek()
        if t is None or t.text != text:
            at = t.start if t else (self.tokens[-1].end if self.tokens else 0)
            code = "unbalanced-braces" if text in ("}", ")", "]", "rangle") else "unexpected-token"
            raise ReadError(f"needed {text!r}, found {_shown(t)}", at, code)
        self.at += 1
        return t

    def expect_end(self) -> None:
        t = self.peek()
        if t is not None:
            code = "unbalanced-braces" if t.text in ("}", ")", "]") else "unexpected-token"
            raise ReadError(f"needed an operator or the end, found {_shown(t)}", t.start, code)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            t = self.peek()
            raise ReadError(f"needed at most {MAX_DEPTH} nested levels, found more", t.start if t else 0, "too-deep")

    # statements

    def relation(self) -> str | None:
        t = self.peek()
        if t is None:
            return None
        if t.kind == "sign" and t.text == ":":
            following = self.peek(1)
            if following is not None and following.text == "=":
                return "="
            return None
        if t.kind in ("sign", "command") and t.text in RELATIONS and (t.kind == "command" or t.text in "=<>"):
            return RELATIONS[t.text]
        return None

    def take_relation(self) -> str | None:
        name = self.relation()
        if name is None:
            if self.command("not"):
                following = self.peek(1)
                if following is not None and following.text in ("=", "in"):
                    self.at += 2
                    return "!=" if following.text == "=" else "notin"
            return None
        if self.take().text == ":":
            self.take()
        return name

    def statements(self) -> list[Node]:
        """Chains (and words, conditions) separated by commas."""
        found: list[Node] = []
        while self.peek() is not None:
            found.append(self.statement())
            while self.sign(",") or self.sign(".") or self.sign(";"):
                self.at += 1
        return found

    def statement(self) -> Node:
        start = self.tokens[self.at].start
        first: Node | None = None
        t = self.tokens[self.at]
        if t.kind == "words" and _is_prose(t):
            words = self.words(self.take())
            if self.peek() is None or self.sign(","):
                return words
            rest = self.statement()
            if isinstance(rest, Chain):
                head = Adjacent((words.span[0], rest.span[1]), (words, *((rest.first,) if rest.first else ())))
                return Chain((start, rest.span[1]), head, rest.links)
            return Adjacent((start, rest.span[1]), (words, rest))
        if self.command("forall"):
            mark = self.take()
            rest = self.statement() if self.peek() is not None else Mark((mark.start, mark.end), "forall")
            return Adjacent((start, rest.span[1]), (Mark((mark.start, mark.end), "forall"), rest))
        if self.relation() is None:
            first = self.listed(stop_before_relation=True)
        links: list[tuple[str, Node]] = []
        while (name := self.take_relation()) is not None:
            if self.peek() is None:
                links.append((name, Mark((self.tokens[-1].end, self.tokens[-1].end), "missing")))
                break
            links.append((name, self.listed(stop_before_relation=True)))
            if self.peek() is not None and self.tokens[self.at].kind == "words" and _is_prose(self.tokens[self.at]):
                break
        following = self.peek()
        if following is not None and not self.sign(",") and not (following.kind == "words" or self.command("forall")):
            if not (self.sign("(") or self.sign(".") or self.sign(";")):
                self.expect_end()
        end = links[-1][1].span[1] if links else first.span[1] if first else start
        return Chain((start, end), first, tuple(links)) if links or first is None else first

    def listed(self, stop_before_relation: bool = False) -> Node:
        """Expressions separated by commas; a comma before a further statement ends the list."""
        items = [self.sum()]
        while self.sign(","):
            if stop_before_relation and self.depth == 0 and self.statement_follows():
                break
            if self.at + 1 >= len(self.tokens):
                break
            following = self.tokens[self.at + 1]
            if following.kind == "words" and _is_prose(following) and stop_before_relation:
                break
            self.at += 1
            if self.sign("}") or self.sign(")") or self.sign("]"):
                break
            items.append(self.sum())
        if len(items) == 1:
            return items[0]
        return Listed((items[0].span[0], items[-1].span[1]), tuple(items))

    def statement_follows(self) -> bool:
        """After the comma here: a relation before the next comma at this level."""
        depth = 0
        for k in range(self.at + 1, len(self.tokens)):
            t = self.tokens[k]
            if t.kind == "sign" and t.text in "([{":
                depth += 1
            elif t.kind == "sign" and t.text in ")]}":
                depth -= 1
            elif depth == 0 and t.kind == "sign" and t.text == ",":
                return False
            elif depth == 0 and t.kind in ("sign", "command") and t.text in RELATIONS:
                return k > self.at + 1 and RELATIONS[t.text] not in ("in",)
            elif depth == 0 and t.kind == "command" and t.text == "forall":
                return True
        return False

    # expressions

    def sum(self) -> Node:
        self.deeper()
        t = self.peek()
        if t is not None and t.text in SUMS and t.kind in ("sign", "command"):
            self.at += 1
            operand = self.product()
            left: Node = Prefix((t.start, operand.span[1]), SUMS[t.text], operand)
        else:
            left = self.product()
        while (t := self.peek()) is not None and t.kind in ("sign", "command") and t.text in SUMS:
            self.at += 1
            right = self.product()
            left = Infix((left.span[0], right.span[1]), SUMS[t.text], left, right)
        self.depth -= 1
        return left

    def product(self) -> Node:
        left = self.adjacent()
        while (t := self.peek()) is not None and t.kind in ("sign", "command") and t.text in PRODUCTS:
            self.at += 1
            following = self.peek()
            if following is not None and following.text in SUMS and following.kind in ("sign", "command"):
                self.at += 1
                inner = self.adjacent()
                right: Node = Prefix((following.start, inner.span[1]), SUMS[following.text], inner)
            else:
                right = self.adjacent()
            left = Infix((left.span[0], right.span[1]), PRODUCTS[t.text], left, right)
        return left

    def adjacent(self) -> Node:
        items = [self.factor()]
        while self.starts_factor():
            items.append(self.factor())
        if len(items) == 1:
            return items[0]
        return Adjacent((items[0].span[0], items[-1].span[1]), tuple(items))

    def starts_factor(self) -> bool:
        t = self.peek()
        if t is None:
            return False
        if t.kind in ("letter", "number"):
            return True
        if t.kind == "words":
            return not _is_prose(t)
        if t.kind == "sign":
            if t.text == "|":
                return self.bars == 0
            return t.text in "([{" or t.text == "∞"
        if t.text in RELATIONS or t.text in PRODUCTS or t.text in SUMS:
            return False
        if t.text in ("|", "Vert", "lVert"):
            return self.bars == 0
        return t.text not in ("}", "rangle", "rfloor", "rceil", "rVert", "rvert", "end", "forall", "not", "mid")

    bars = 0

    def factor(self) -> Node:
        """A primary with its scripts."""
        base = self.primary()
        return self.scripts(base)

    def scripts(self, base: Node) -> Node:
        sub: Node | None = None
        sup: Node | None = None
        primes = 0
        end = base.span[1]
        while (t := self.peek()) is not None and t.kind == "sign" and t.text in ("_", "^", "'", "’"):
            self.at += 1
            if t.text in ("'", "’"):
                primes += 1
                end = t.end
                continue
            node = self.script()
            end = max(end, node.span[1])
            if t.text == "_":
                if sub is not None:
                    raise ReadError("needed one subscript, found two", t.start, "double-script")
                sub = node
            else:
                if sup is not None:
                    raise ReadError("needed one superscript, found two", t.start, "double-script")
                sup = node
            while self.sign("{") and self.peek(1) is not None and self.tokens[self.at + 1].text == "}":
                self.at += 2
        if isinstance(base, Name):
            if sup is not None and isinstance(sup, Mark) and sup.kind == "prime":
                primes, sup = primes + 1, None
            if primes:
                base = Name(base.span, base.base, base.font, base.accents, base.primes + primes)
        if sub is None and sup is None:
            return base
        return Scripted((base.span[0], end), base, sub, sup)

    def script(self) -> Node:
        t = self.peek()
        if t is None:
            raise ReadError("needed a script, found the end", self.tokens[-1].end, "missing-argument")
        if t.kind == "sign" and t.text == "{":
            return self.group(script=True)
        if t.kind == "number" and len(t.text) > 1:  # x_12 is x_1 2
            self.tokens[self.at] = Token("number", t.text[1:], t.start + 1, t.end)
            return Literal((t.start, t.start + 1), t.text[0])
        self.deeper()
        node = self.primary(script=True)
        self.depth -= 1
        return node

    def group(self, script: bool = False) -> Node:
        """`{...}`: its content; a script may hold relations, marks and lists."""
        opening = self.need("{")
        self.deeper()
        if self.sign("}"):
            closing = self.take()
            self.depth -= 1
            return Mark((opening.start, closing.end), "empty")
        node = self.inner(script)
        self.need("}")
        self.depth -= 1
        return node

    def inner(self, script: bool = False) -> Node:
        """The content of delimiters: a list, a relation, or words."""
        outer, self.bars = self.bars, 0
        try:
            start = self.tokens[self.at].start if self.peek() is not None else 0
            first = self.items(script)
            links: list[tuple[str, Node]] = []
            while (name := self.take_relation()) is not None:
                links.append((name, self.items(script)))
            if links:
                return Chain((start, links[-1][1].span[1]), first, tuple(links))
            return first
        finally:
            self.bars = outer

    def items(self, script: bool) -> Node:
        found = [self.item(script)]
        while self.sign(",") or self.sign(";"):
            self.at += 1
            if self.peek() is None or self.tokens[self.at].text in ("}", ")", "]"):
                break
            found.append(self.item(script))
        return found[0] if len(found) == 1 else Listed((found[0].span[0], found[-1].span[1]), tuple(found))

    def item(self, script: bool) -> Node:
        t = self.peek()
        if t is not None and t.kind == "sign" and t.text in (":", "*", "+", "-") and self._ends(1):
            self.at += 1
            return Mark((t.start, t.end), {":": "colon", "*": "star", "+": "plus", "-": "minus"}[t.text])
        if t is not None and t.kind == "words" and _is_prose(t):
            return self.words(self.take())
        node = self.sum()
        if self.sign(":"):  # a slice 1:t
            self.at += 1
            if self._ends(0):
                return Infix((node.span[0], node.span[1]), "slice", node, Mark(node.span, "colon"))
            right = self.sum()
            return Infix((node.span[0], right.span[1]), "slice", node, right)
        return node

    def _ends(self, ahead: int) -> bool:
        t = self.peek(ahead)
        return t is None or (t.kind == "sign" and t.text in ",;)]}")

    def primary(self, script: bool = False) -> Node:
        t = self.take()
        span = (t.start, t.end)
        if t.kind == "number":
            return Literal(span, t.text)
        if t.kind == "letter":
            return Name(span, t.text)
        if t.kind == "words":
            return self.word_operator(self.words(t))
        if t.kind == "sign":
            return self.delimited(t, script)
        return self.command_primary(t, script)

    def delimited(self, t: Token, script: bool) -> Node:
        span = (t.start, t.end)
        if t.text == "{":
            self.at -= 1
            node = self.group()
            return node
        if t.text in ("(", "["):
            return self.enclosed(t, {"(": "()", "[": "[]"}[t.text], (")", "]"))
        if t.text == "|":
            return self.bar(t, "||", "|")
        if script and t.text in (":", "*", "+", "-", "'"):
            return Mark(span, {":": "colon", "*": "star", "+": "plus", "-": "minus", "'": "prime"}[t.text])
        code = "unbalanced-braces" if t.text in ")]}" else "unexpected-token"
        raise ReadError(f"needed an expression, found {_shown(t)}", t.start, code)

    def enclosed(self, opening: Token, kind: str, closers: tuple[str, ...]) -> Node:
        self.deeper()
        if self.peek() is not None and self.tokens[self.at].text in closers:
            closing = self.take()
            self.depth -= 1
            return Enclosed((opening.start, closing.end), kind, None)
        content = self.inner()
        closing_token = self.peek()
        if closing_token is None or closing_token.text not in closers:
            at = closing_token.start if closing_token else self.tokens[-1].end
            raise ReadError(f"needed {closers[0]!r}, found {_shown(closing_token)}", at, "unbalanced-braces")
        self.at += 1
        self.depth -= 1
        return Enclosed((opening.start, closing_token.end), kind, content)

    def bar(self, opening: Token, kind: str, closer: str) -> Node:
        self.deeper()
        self.bars += 1
        content = self.listed()
        self.bars -= 1
        t = self.peek()
        if t is None or t.text not in (closer, "|", "Vert", "rVert", "rvert"):
            raise ReadError(f"needed a closing {closer!r}, found {_shown(t)}", opening.start, "unbalanced-braces")
        self.at += 1
        self.depth -= 1
        return Enclosed((opening.start, t.end), kind, content)

    def words(self, t: Token) -> Node:
        font, text = t.text.split("\0", 1)
        clean = " ".join(text.split())
        if _is_prose(t):
            return Words((t.start, t.end), clean)
        return Name((t.start, t.end), clean.strip(), FONTS.get(font, "roman"))

    def argument(self) -> Node:
        """One argument of a command: a group or a single token."""
        t = self.peek()
        if t is None:
            raise ReadError("needed an argument, found the end", self.tokens[-1].end, "missing-argument")
        if t.text == "{" and t.kind == "sign":
            return self.group()
        if t.kind == "number" and len(t.text) > 1:
            self.tokens[self.at] = Token("number", t.text[1:], t.start + 1, t.end)
            return Literal((t.start, t.start + 1), t.text[0])
        self.deeper()
        node = self.primary()
        self.depth -= 1
        return node

    def command_primary(self, t: Token, script: bool) -> Node:
        name, span = t.text, (t.start, t.end)
        if name in ("frac", "dfrac", "tfrac", "cfrac", "nicefrac"):
            above = self.argument()
            below = self.argument()
            return Fraction((t.start, below.span[1]), above, below)
        if name == "sqrt":
            degree = None
            if self.sign("["):
                self.take()
                degree = self.sum()
                self.need("]")
            radicand = self.argument()
            return Root((t.start, radicand.span[1]), radicand, degree)
        if name in BIG and name not in ("max", "min"):
            return self.big(t, BIG[name])
        if name in ("max", "min"):
            return self.big(t, name) if self.sign("_") else self.operator(t, name)
        if name in COMMAND_OPERATORS:
            return self.operator(t, OPERATORS[name])
        if name in FONTS:
            return self.font(t, FONTS[name])
        if name in ACCENTS:
            inner = self.argument()
            end = max(inner.span[1], t.end)
            if isinstance(inner, Name):
                return Name((t.start, end), inner.base, inner.font, (name, *inner.accents), inner.primes)
            if isinstance(inner, Scripted) and isinstance(inner.base, Name):
                b = inner.base
                return Scripted(
                    (t.start, end), Name(b.span, b.base, b.font, (name, *b.accents), b.primes), inner.sub, inner.sup
                )
            raise ReadError(f"needed a name under \\{name}, found an expression", t.start, "unknown-notation")
        if name == "begin":
            return self.environment(t)
        if name in ("langle", "lfloor", "lceil", "lvert", "lVert"):
            closer = {"langle": "rangle", "lfloor": "rfloor", "lceil": "rceil", "lvert": "rvert", "lVert": "rVert"}[
                name
            ]
            kind = {"langle": "langle", "lfloor": "floor", "lceil": "ceil", "lvert": "||", "lVert": "norm"}[name]
            return self.enclosed(t, kind, (closer,))
        if name in ("|", "Vert"):
            return self.bar(t, "norm", "|")
        if name == "{":
            return self.enclosed(t, "{}", ("}",))
        if name == "infty":
            return Mark(span, "infinity")
        if name in _DOTS:
            return Mark(span, "dots")
        if name in ("top", "intercal", "mathsf"):
            return Mark(span, "top")
        if name in ("prime", "dagger", "bullet", "star", "ast", "perp"):
            return Mark(span, name)
        if name in ("underbrace", "overbrace"):
            inner = self.argument()
            if self.sign("_") or self.sign("^"):
                self.take()
                self.script()
            return inner
        if name in ("stackrel", "overset", "underset"):
            self.argument()
            return self.argument()
        if name in ("boxed", "mathstrut", "smash", "mathrel", "mathbin", "mathord", "hphantom"):
            return self.argument()
        if name == "textcolor":
            self.argument()
            return self.argument()
        row = COMMANDS.get(name)
        if row is not None and (row.letter or row.kind is Kind.ORD):
            return Name(span, name)
        if row is not None and row.kind is Kind.SPACE:
            return self.primary(script)
        raise ReadError(f"needed a command that is known here, found \\{name}", t.start, "unknown-command")

    def font(self, t: Token, font: str) -> Node:
        r"""`\mathbf{Q}`, `\mathrm{softmax}`, `\operatorname{Var}`, `\mathbf W`."""
        if self.sign("{"):
            stop = _group_end(self.tokens, self.at)
            inside = self.tokens[self.at + 1 : stop - 1]
            plain = [x for x in inside if x.kind in ("letter", "number") or x.text in ("-", "_", "*")]
            escaped = all(x.kind in ("letter", "number") or x.text in ("-", "_") for x in inside)
            if inside and escaped and len(plain) > 1:
                text = "".join(x.text for x in inside)
                self.at = stop
                return self.word_operator(Name((t.start, self.tokens[stop - 1].end), text, font))
        inner = self.argument()
        end = max(inner.span[1], t.end, self.tokens[self.at - 1].end)
        if isinstance(inner, Name):
            named = Name(
                (t.start, end), inner.base, font if font != "roman" or len(inner.base) > 1 else "roman", inner.accents
            )
            return self.word_operator(Name(named.span, named.base, named.font, named.accents, inner.primes))
        if isinstance(inner, Literal):
            return Name((t.start, end), inner.text, font)
        if isinstance(inner, Mark) and font == "sans":
            return inner
        if isinstance(inner, Scripted) and isinstance(inner.base, Name):
            base = Name(inner.base.span, inner.base.base, font, inner.base.accents, inner.base.primes)
            return Scripted((t.start, end), base, inner.sub, inner.sup)
        return inner

    def word_operator(self, name: Node) -> Node:
        """A word that is an operator takes its argument; `\\mathbb{E}` too."""
        if not isinstance(name, Name) or name.accents or name.primes:
            return name
        if name.base not in OPERATORS or (len(name.base) == 1 and name.font != "blackboard"):
            if name.base in ("max", "min") and name.font == "roman":
                token = Token("command", name.base, *name.span)
                return self.big(token, name.base) if self.sign("_") else self.operator(token, name.base)
            return name
        return self.operator(Token("command", name.base, *name.span), OPERATORS[name.base])

    def operator(self, t: Token, name: str) -> Node:
        sub, sup = self.own_scripts()
        arguments: tuple[Node, ...] = ()
        end = t.end
        opening = self.peek()
        if opening is not None and opening.kind == "sign" and opening.text in ("(", "["):
            self.at += 1
            content = self.enclosed(opening, "()", (")", "]"))
            end = content.span[1]
            inner = content.content if isinstance(content, Enclosed) else None
            arguments = inner.items if isinstance(inner, Listed) else (inner,) if inner is not None else ()
        elif opening is not None and opening.kind == "command" and opening.text == "{":
            self.at += 1
            content = self.enclosed(opening, "()", ("}",))
            end = content.span[1]
            inner = content.content if isinstance(content, Enclosed) else None
            arguments = inner.items if isinstance(inner, Listed) else (inner,) if inner is not None else ()
        elif self.sign("{"):
            inner_node = self.group()
            end = self.tokens[self.at - 1].end
            arguments = inner_node.items if isinstance(inner_node, Listed) else (inner_node,)
        elif self.starts_factor():
            self.deeper()
            items = [self.factor()]
            while self.starts_factor() and not self.starts_operator():
                items.append(self.factor())
            self.depth -= 1
            argument = items[0] if len(items) == 1 else Adjacent((items[0].span[0], items[-1].span[1]), tuple(items))
            end = argument.span[1]
            arguments = (argument,)
        return Operator((t.start, end), name, sub, sup, arguments)

    def starts_operator(self) -> bool:
        t = self.peek()
        return t is not None and t.kind == "command" and (t.text in COMMAND_OPERATORS or t.text in BIG)

    def own_scripts(self) -> tuple[Node | None, Node | None]:
        sub: Node | None = None
        sup: Node | None = None
        while self.sign("_") or self.sign("^"):
            t = self.take()
            if t.text == "_":
                sub = self.script()
            else:
                sup = self.script()
        return sub, sup

    def big(self, t: Token, name: str) -> Node:
        sub, sup = self.own_scripts()
        self.deeper()
        if self.peek() is None:
            raise ReadError(f"needed a term after \\{t.text}, found the end", t.end, "missing-argument")
        body = self.product()
        self.depth -= 1
        return Big((t.start, body.span[1]), name, sub, sup, body)

    def environment(self, t: Token) -> Node:
        self.at -= 1
        begin = self.at
        name, body = _environment(self.tokens, begin)
        end = _environment_end(self.tokens, begin)
        _, after = _environment(self.tokens, end)
        if name == "array" and body < end and self.tokens[body].text == "{":
            body = _group_end(self.tokens, body)
        rows = _cells(self.tokens[body:end])
        self.at = after
        span = (t.start, self.tokens[after - 1].end)
        self.deeper()
        if self.depth > 12:
            raise ReadError("needed at most 12 nested matrices, found more", t.start, "too-deep")
        if name == "cases" or name == "dcases" or name == "rcases":
            node: Node = Cases(span, tuple(self._case(r) for r in rows))
        elif name in MATRIX_ENVIRONMENTS:
            node = Matrix(span, name, tuple(tuple(self._cell(c) for c in r) for r in rows))
        elif name in ROW_ENVIRONMENTS and len(rows) == 1:
            node = self._cell([x for c in rows[0] for x in c])
        else:
            raise ReadError(f"needed an environment that is known here, found {name!r}", t.start, "unknown-environment")
        self.depth -= 1
        return node

    def _cell(self, tokens: list[Token]) -> Node:
        tokens = _trim(tokens)
        if not tokens:
            return Mark((0, 0), "empty")
        inner = _Parser(tokens)
        inner.depth = self.depth
        node = inner.inner()
        inner.expect_end()
        return node

    def _case(self, cells: list[list[Token]]) -> tuple[Node, Node | None]:
        cells = [[x for x in c if not (x.kind == "command" and x.text in ("quad", "qquad", "hspace"))] for c in cells]
        value_tokens = _trim(cells[0])
        split = next((k for k, x in enumerate(value_tokens) if x.kind == "words" and _is_prose(x)), None)
        rest: list[Token] = [x for c in cells[1:] for x in c]
        if split is not None and not rest:
            value_tokens, rest = value_tokens[:split], value_tokens[split:]
        value = self._cell(value_tokens)
        rest = _skip_space(_trim(rest))
        if not rest:
            return value, None
        inner = _Parser(rest)
        inner.depth = self.depth
        found = inner.statements()
        return value, found[0] if len(found) == 1 else Listed((found[0].span[0], found[-1].span[1]), tuple(found))


def _skip_space(tokens: list[Token]) -> list[Token]:
    """Without the argument that `\\hspace` leaves behind."""
    if tokens and tokens[0].text == "{" and tokens[0].kind == "sign":
        stop = _group_end(tokens, 0)
        if all(x.kind in ("number", "letter") for x in tokens[1 : stop - 1]):
            return tokens[stop:]
    return tokens


def _cells(tokens: list[Token]) -> list[list[list[Token]]]:
    """Rows and cells of an environment's content."""
    rows: list[list[list[Token]]] = [[[]]]
    depth = 0
    for t in tokens:
        if t.kind == "command" and t.text in ("begin", "end"):
            depth += 1 if t.text == "begin" else -1
        elif t.kind == "sign" and t.text in ("{", "}"):
            depth += 1 if t.text == "{" else -1
        if depth == 0 and t.kind == "sign" and t.text == "\\\\":
            rows.append([[]])
        elif depth == 0 and t.kind == "sign" and t.text == "&":
            rows[-1].append([])
        else:
            rows[-1][-1].append(t)
    return [r for r in rows if any(r)]


def _is_prose(t: Token) -> bool:
    """Words in `\\text` that are not a name: several words, or a word that begins a condition."""
    if t.kind != "words":
        return False
    words = t.text.split("\0", 1)[1].split()
    if not words:
        return True
    return len(words) > 1 or words[0].strip(",.:;()").lower() in CONDITION_WORDS or not words[0].strip(",.:;()")


def _shown(t: Token | None) -> str:
    if t is None:
        return "the end"
    return repr("\\" + t.text) if t.kind == "command" else repr(t.text.split("\0")[-1])


def all_names(nodes: Iterable[Node]) -> set[str]:
    """The base letters of all names below."""
    from derivations.latex.surface import walk

    return {n.base for node in nodes for n in walk(node) if isinstance(n, Name)}
