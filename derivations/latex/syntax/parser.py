r"""Tokens to expressions of the surface tree: a precedence parser.

Binding, from loose to tight: words and commas, connectives (`\land`), relations, sums, products, juxtaposition,
scripts.  `\sum` and its like govern a product: their body ends at `+`, `-` or a relation at the same level.  A function
without parentheses takes the factors up to the next function; with parentheses it takes them alone.

The parser never guesses: what it cannot place is a `ReadError` at the offending token.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from derivations.latex.syntax.cursor import (
    FACTOR,
    PRODUCT,
    PROSE,
    SUM,
    first_word,
    infix_of,
    is_command,
    is_prose,
    is_sign,
    relation_of,
)
from derivations.latex.syntax.forms import SCRIPT_OF_ROMAN, Forms, Run, without_run
from derivations.latex.syntax.lexer import ReadError, Token
from derivations.latex.syntax.notation import LOGIC, SCRIPT_MARKS, SIGNS_AS_LABELS, STARS, SUMS
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Fraction,
    Infix,
    Listed,
    Literal,
    Mark,
    Name,
    Node,
    Operator,
    Prefix,
    Scripted,
    Words,
)
from derivations.latex.syntax.symbols import COMMANDS, Kind


class Parser(Forms):
    """Reads expressions, relations and lists from tokens."""

    # relations, lists

    def links(self, item: Callable[[], Node]) -> list[tuple[str, Node]]:
        """Relations and their right-hand sides, as far as they go."""
        found: list[tuple[str, Node]] = []
        while (relation := self.relation()) is not None:
            self.at += relation[1]
            t = self.peek()
            if t is None or (t.kind == "sign" and t.text in ",;.)]}") or is_prose(t):
                place = self.tokens[self.at - 1].end
                found.append((relation[0], Mark((place, place), "missing")))
                break
            found.append((relation[0], item()))
            if [r for r, _ in found[-2:]] == ["colon", "to"]:  # f\colon A \to B, as f: A \to B
                (_, first), (_, last) = found[-2:]
                found[-2:] = [("colon", Chain((first.span[0], last.span[1]), first, (("to", last),)))]
        return found

    def listed(self, item: Callable[[], Node], separators: str, stop: Callable[[], bool]) -> Node:
        """Items with separators between them; `stop` says whether what follows a separator belongs elsewhere."""
        items = [item()]
        while (t := self.peek()) is not None and t.kind == "sign" and t.text in separators:
            following = self.peek(1)
            if (
                following is None
                or (following.kind == "sign" and following.text in ")]},;")
                or following.role == "right"
            ):
                break
            if is_prose(following) or stop():
                break
            self.at += 1
            items.append(item())
        return items[0] if len(items) == 1 else Listed((items[0].span[0], items[-1].span[1]), tuple(items))

    def statement_follows(self) -> bool:
        """After the separator here: does a relation come before the next one at this level?"""
        depth, here = 0, self.at
        for k in range(here + 1, len(self.tokens)):
            t = self.tokens[k]
            if t.kind == "begin" or (t.kind == "sign" and t.text in "([{"):
                depth += 1
            elif t.kind == "end" or (t.kind == "sign" and t.text in ")]}"):
                depth -= 1
                if depth < 0:
                    return False
            elif depth == 0:
                if t.kind == "sign" and (
                    t.text in ",;" or (t.text == ":" and not is_sign(self.peek(k + 1 - self.at), "="))
                ):
                    return False
                if k > here + 1 and (relation_of(t) is not None or is_command(t, "not", "stackrel")):
                    return True
                if is_command(t, "forall", "exists"):
                    return True
        return False

    # contents of delimiters, groups and scripts

    def inner(self) -> Node:
        """The content of delimiters: expressions, relations, connectives, words, separated by commas."""
        outer, self.bar = self.bar, ""
        items = [self.connected()]
        separators: list[str] = []
        while (t := self.peek()) is not None and (is_prose(t) or (t.kind == "sign" and t.text in ",;")):
            self.at += t.kind == "sign"
            separators += [t.text] if t.kind == "sign" else []
            following = self.peek()
            if following is None or (following.kind == "sign" and following.text in ")]}") or following.role == "right":
                break
            items.append(self.connected())
        self.bar = outer
        if len(items) == 1:
            return items[0]
        # `i = 1, \ldots, n` is one relation; `i < j, k < n` are two
        flat: list[Node] = []
        for node in items:
            last = flat[-1] if flat else None
            words = isinstance(node, Words) or (isinstance(node, Adjacent) and isinstance(node.items[0], Words))
            if isinstance(last, Chain) and last.links and not isinstance(node, Chain) and not words:
                name, right = last.links[-1]
                before = right.items if isinstance(right, Listed) else (right,)
                merged = Listed((right.span[0], node.span[1]), (*before, node))
                flat[-1] = Chain((last.span[0], node.span[1]), last.first, (*last.links[:-1], (name, merged)))
            elif (
                isinstance(node, Chain)
                and node.first is not None
                and not any(isinstance(f, Chain) for f in flat)
                and flat
            ):
                start = flat[0].span[0]
                flat = [
                    Chain((start, node.span[1]), Listed((start, node.first.span[1]), (*flat, node.first)), node.links)
                ]
            else:
                flat.append(node)
        if len(flat) == 1:
            return flat[0]
        between = "".join(separators) if len(separators) == len(flat) - 1 else ","
        separator = between if len(set(between)) > 1 else between[0]
        return Listed((flat[0].span[0], flat[-1].span[1]), tuple(flat), separator)

    def connected(self) -> Node:
        """Relations joined by connectives."""
        left = self.chain()
        while (t := self.peek()) is not None:
            name = (
                LOGIC.get(t.text)
                if t.kind == "command"
                else t.text
                if is_prose(t) and t.text in ("and", "or")
                else None
            )
            if name is None:
                break
            self.at += 1
            right = self.chain()
            left = Infix((left.span[0], right.span[1]), name, left, right)
        return left

    def chain(self) -> Node:
        """An expression, or expressions with relations between them."""
        t = self.peek()
        start = self.end if t is None else t.start
        sign_alone = t is not None and t.text in SCRIPT_MARKS and self.alone(1)  # X^{\perp}
        first = None if not sign_alone and self.starts_with_relation() else self.item()
        links = self.links(self.item)
        if not links and first is not None:
            return first
        return Chain(self.since(start), first, tuple(links))

    def item(self) -> Node:
        """One thing between commas: an expression, words, a sign that stands alone, a slice."""
        t = self.peek()
        if (
            t is not None
            and t.kind in ("sign", "command")
            and t.text in SCRIPT_MARKS
            and (self.alone(1) or self.is_place_before_bar(t))
        ):
            self.at += 1
            return Mark((t.start, t.end), SCRIPT_MARKS[t.text])
        if (t is not None and is_command(t, "cdot", "bullet", "ast")) or self.sign("*"):
            sign = self.take()
            mark = Mark((sign.start, sign.end), SCRIPT_MARKS[sign.text])
            rest = self.juxtaposed()
            items = rest.items if isinstance(rest, Adjacent) else (rest,)
            return Adjacent((sign.start, rest.span[1]), (mark, *items))
        if self.sign(":"):
            left: Node = Mark((self.take().start, self.tokens[self.at - 1].end), "colon")
            right = self.expression()
            return Infix((left.span[0], right.span[1]), "slice", left, right)
        node = self.worded()
        if self.sign(":") and self.relation() is None:
            colon = self.take()
            if self.alone(0):
                return Infix((node.span[0], colon.end), "slice", node, Mark((colon.start, colon.end), "colon"))
            right = self.worded()
            if self.relation() is not None or not _is_position(node) or not _is_position(right):
                # a condition after a colon: {x : x > 0}
                links = self.links(self.item)
                rest = Chain((right.span[0], links[-1][1].span[1]), right, tuple(links)) if links else right
                return Chain((node.span[0], rest.span[1]), node, (("colon", rest),))
            return Infix((node.span[0], right.span[1]), "slice", node, right)
        return node

    def is_place_before_bar(self, t: Token) -> bool:
        r"""Whether a dot stands for what a law is of: the one of `\pi(\cdot \mid s)`."""
        after = self.peek(1)
        is_bar = is_command(after, "mid", "vert", "middle") or (
            is_sign(after, "|") and self.at + 1 not in self.closable
        )
        return is_command(t, "cdot", "bullet") and is_bar

    def worded(self) -> Node:
        """An expression with words before, between or after its parts."""
        parts: list[Node] = []
        while True:
            t = self.peek()
            if t is not None and is_prose(t):
                if parts and first_word(t.text) in PROSE:
                    break  # a condition or a further statement
                parts.append(self.words(self.take()))
            elif not parts or (isinstance(parts[-1], Words) and self.starts_operand()):
                parts.append(self.expression())
            else:
                break
        return parts[0] if len(parts) == 1 else Adjacent((parts[0].span[0], parts[-1].span[1]), tuple(parts))

    # expressions

    def starts_operand(self) -> bool:
        t = self.peek()
        return self.starts_factor() or (t is not None and t.kind in ("sign", "command") and t.text in SUMS)

    def expression(self, least: int = SUM) -> Node:
        self.enter()
        t = self.peek()
        if t is not None and t.kind in ("sign", "command") and t.text in SUMS:
            self.at += 1
            operand = self.expression(PRODUCT if least <= PRODUCT else FACTOR)
            left: Node = Prefix((t.start, operand.span[1]), SUMS[t.text], operand)
        else:
            left = self.juxtaposed()
        while (found := infix_of(t := self.peek())) is not None and found[1] >= least and t is not None:
            if self.alone(1) and t.text in SCRIPT_MARKS and t.text not in "+-":
                mark = Mark((t.start, t.end), SCRIPT_MARKS[t.text])  # a_{i\cdot}
                self.at += 1
                left = Adjacent((left.span[0], t.end), (*(left.items if isinstance(left, Adjacent) else (left,)), mark))
                break
            self.at += 1
            right = self.expression(found[1] + 1)
            left = Infix((left.span[0], right.span[1]), found[0], left, right)
        self.depth -= 1
        return left

    def juxtaposed(self) -> Node:
        items: list[Node] = []
        first = True
        while first or self.starts_factor():
            first = False
            empty = self.sign("{") and is_sign(self.peek(1), "}")
            node = self.factor()
            items += node.items if isinstance(node, Run) else (node,) if not empty or isinstance(node, Scripted) else ()
        if not items:
            return Mark((self.tokens[self.at - 1].start,) * 2, "empty")
        return items[0] if len(items) == 1 else Adjacent((items[0].span[0], items[-1].span[1]), tuple(items))

    def starts_factor(self) -> bool:
        t = self.peek()
        if t is None or t.role == "right" or t.kind in ("end", "row", "space", "tag", "label"):
            return False
        if t.kind in ("letter", "number", "begin"):
            return True
        if t.kind == "words":
            return not is_prose(t) and infix_of(t) is None
        if t.role == "left":
            return True
        if t.text == "|" or is_command(t, "|", "Vert", "vert"):
            return self.opens_bar() if not self.bar else False
        if t.kind == "sign":
            return t.text in "([{"
        if t.text in LOGIC or t.text in (
            "not",
            "over",
            "choose",
            "}",
            "stackrel",
            "xrightarrow",
            "xleftarrow",
            "forall",
            "exists",
        ):
            return False
        if t.text == "overset":
            return self.relation() is None
        row = COMMANDS.get(t.text)
        closes = row is not None and row.kind in (Kind.CLOSE, Kind.PUNCT)
        return not closes and infix_of(t) is None and relation_of(t) is None

    def factor(self) -> Node:
        """A primary with its scripts."""
        base = self.primary()
        if isinstance(base, Run):  # \mathbf{QK}^\top, {\bf QK}^\top: the script belongs to the last letter
            return Run(base.span, (*base.items[:-1], self.scripts(base.items[-1])))
        return self.scripts(base)

    def scripts(self, base: Node) -> Node:
        start = base.span[0]
        while True:
            sub, sup, primes = self.own_scripts()
            if isinstance(base, Name) and sup is not None and _primes(sup):
                primes, sup = primes + _primes(sup), None
            if primes and isinstance(base, Name):
                base = replace(base, span=(start, max(base.span[1], self.prime_end)), primes=base.primes + primes)
            elif primes:
                mark: Node = Mark((self.prime_end - 1, self.prime_end), "prime")
                both = [mark] if sup is None else sorted((sup, mark), key=lambda n: n.span)
                sup = mark if sup is None else Adjacent((both[0].span[0], both[1].span[1]), tuple(both))
            if sub is not None or sup is not None:
                base = Scripted(self.since(start), base, sub, sup)
            if self.sign("!") and not self.differs():
                self.at += 1
                base = Operator(self.since(start), "factorial", None, None, (base,))
                continue
            if is_command(self.peek(), "%"):
                self.at += 1
                base = percent(base, self.since(start))
                continue
            # {} only separates: in W^K{}^T the second script stands on the whole
            if self.sign("{") and is_sign(self.peek(1), "}") and self.peek(2) is not None:
                after = self.peek(2)
                if is_sign(after, "_") or is_sign(after, "^"):
                    self.at += 2
                    continue
            return base

    def own_scripts(self) -> tuple[Node | None, Node | None, int]:
        """Subscript, superscript and number of primes written here."""
        sub: Node | None = None
        sup: Node | None = None
        primes = 0
        while (t := self.peek()) is not None and t.kind == "sign" and t.text in "_^'":
            self.at += 1
            if t.text == "'":
                primes += 1
                self.prime_end = t.end
            elif t.text == "_":
                if sub is not None:
                    raise self.error("one subscript", t, "double-script")
                sub = self.marks_beside_letters() or self.script()
            else:
                if sup is not None:
                    raise self.error("one superscript", t, "double-script")
                sup = self.script()
        return sub, sup, primes

    def marks_beside_letters(self) -> Node | None:
        r"""The `{*X}` of `K_{*X}`, `{\star\star}`, `{u\star}`: letters of which a mark is one, in a subscript.

        A sign between two letters, as in `{i*j}`, is no mark.
        """
        if not self.sign("{"):
            return None
        try:
            stop = self.group_end(self.at)
        except ReadError:
            return None  # it is told where the group is read
        inner = self.tokens[self.at + 1 : stop - 1]
        marks = [t.kind in ("sign", "command") and t.text in STARS for t in inner]
        between = (k for k in range(1, len(inner) - 1) if marks[k] and not marks[k - 1] and not marks[k + 1])
        plain = (m or is_sign(t, "{") or is_sign(t, "}") or _is_letter(t) for m, t in zip(marks, inner, strict=True))
        if len(inner) < 2 or not any(marks) or any(between) or not all(plain):
            return None
        self.at += 1
        parts: list[Node] = []
        while self.at < stop - 1:
            t = self.tokens[self.at]
            if marks[self.at - stop + 1 + len(inner)]:
                self.at += 1
                parts.append(Mark((t.start, t.end), "star"))
            else:
                parts.append(self.argument())
        self.at = stop
        return Adjacent((inner[0].start, inner[-1].end), tuple(parts))

    def script(self) -> Node:
        """The argument of `_` or `^`."""
        t = self.peek()
        if (label := self.sign_as_label()) is not None:
            return label
        if t is not None and t.kind in ("sign", "command") and t.text in SCRIPT_MARKS:
            self.at += 1
            after = self.peek()
            is_begun = (
                t.text == "-" and after is not None and after.start == t.end and after.kind in ("letter", "number")
            )
            return Mark((t.start, t.end), "begun" if is_begun else SCRIPT_MARKS[t.text])  # e^-x is no e^- times x
        if is_sign(t, "'"):
            self.at += 1
            return Mark(self.since(self.tokens[self.at - 1].start), "prime")
        outer = self.font
        if outer == "roman":  # in \mathrm{head_i} the i is an index, as in \mathrm{head}_i
            self.font = SCRIPT_OF_ROMAN
        node = self.argument()
        self.font = outer
        return node

    def sign_as_label(self) -> Node | None:
        r"""The sign of an operation or a relation that is all of a script, `\Sigma_\times` or `h^{\rightarrow}`."""
        braces = self.sign("{")
        inner = self.tokens[self.at + braces : self.at + 2 * braces + 1]
        if not inner or inner[0].kind != "command" or inner[0].text not in SIGNS_AS_LABELS:
            return None
        if braces and (len(inner) < 2 or not is_sign(inner[1], "}")):
            return None
        self.at += 2 * braces + 1
        return Mark((inner[0].start, inner[0].end), inner[0].text)

    def argument(self) -> Node:
        """One argument of a command or script: a group or a single token."""
        t = self.peek()
        if t is None:
            raise self.error("an argument", None, "missing-argument")
        if is_sign(t, "{"):
            return self.group()
        if t.kind == "number" and len(t.text) > 1:  # x_12 is x_1 2, as in TeX
            split = [replace(t, text=t.text[0], end=t.start + 1), replace(t, text=t.text[1:], start=t.start + 1)]
            self.tokens[self.at : self.at + 1] = split
            self.closable = {k + (k > self.at) for k in self.closable}
            self.at += 1
            return Literal((t.start, t.start + 1), t.text[0])
        self.enter()
        node = self.primary()
        self.depth -= 1
        return without_run(node)

    def group(self) -> Node:
        """`{...}`: its content."""
        opening = self.take()
        self.enter()
        font = self.font
        node: Node
        if self.sign("}"):
            node = Mark((opening.start, self.tokens[self.at].end), "empty")
        else:
            node = self.inner()
            t = self.peek()
            if t is not None and is_command(t, "over", "choose"):
                self.at += 1
                below = self.inner()
                span = (node.span[0], below.span[1])
                over = t.text == "over"
                node = Fraction(span, node, below) if over else Operator(span, "binom", None, None, (node, below))
        if not self.accept("}"):
            at = self.peek()
            raise ReadError(
                f"needed a closing '}}' for this '{{', found {'the end' if at is None else at.shown()}",
                opening.start if at is None else at.start,
                "unbalanced-braces",
            )
        if self.font != font and isinstance(node, Adjacent):
            node = Run(node.span, node.items)
        self.font = font
        self.depth -= 1
        return node


def _is_position(node: Node) -> bool:
    """May the node bound a slice?"""
    return (
        isinstance(node, (Literal, Name, Infix, Prefix, Mark))
        or (isinstance(node, Adjacent) and all(isinstance(i, (Literal, Name)) for i in node.items))
        or (isinstance(node, Scripted) and isinstance(node.base, Name))
    )


def _is_letter(t: Token) -> bool:
    """A letter, or the command of one or of a font."""
    entry = COMMANDS.get(t.text) if t.kind == "command" else None
    return t.kind == "letter" or (entry is not None and entry.kind in (Kind.ORD, Kind.FONT))


def _primes(node: Node) -> int:
    """How many primes a superscript is."""
    if isinstance(node, Mark):
        return int(node.kind == "prime")
    if isinstance(node, Adjacent) and all(isinstance(i, Mark) and i.kind == "prime" for i in node.items):
        return len(node.items)
    return 0


def percent(base: Node, span: tuple[int, int]) -> Node:
    r"""`p\%`: p over 100; of a number with all the digits that are written: `39\%` is 0.39, known to two decimals.

    >>> percent(Literal((0, 3), "150"), (0, 5)).text, percent(Literal((0, 3), "0.5"), (0, 5)).text
    ('1.50', '0.005')
    """
    if not isinstance(base, Literal) or base.is_percent:
        return Fraction(span, base, Literal((span[1] - 1, span[1]), "100"))
    whole, _, decimals = base.text.partition(".")
    whole = whole.rjust(3, "0")
    return Literal(span, f"{whole[:-2]}.{whole[-2:]}{decimals}", is_percent=True)
