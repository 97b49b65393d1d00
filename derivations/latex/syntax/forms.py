r"""The forms of the notation table: letters, words, fonts, functions, large operators, delimiters, environments."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from derivations.latex.syntax.cursor import PRODUCT, Cursor, cells_of, is_command, is_prose, is_sign, relation_of, trim
from derivations.latex.syntax.lexer import ReadError, Token
from derivations.latex.syntax.lines_in_matrices import parts_between_bars, without_lines
from derivations.latex.syntax.notation import (
    ACCENTS,
    BIG_WORDS,
    BUILDERS,
    CASE_ENVIRONMENTS,
    DELIMITERS,
    FONT_NAMES,
    GLUED,
    LETTERS_FOR_OPERATORS,
    MARKS,
    MATRIX_ENVIRONMENTS,
    MEANS,
    OPERATORS,
    ROW_ENVIRONMENTS,
    SAME_ACCENT,
    SETS,
    SPELLED,
)
from derivations.latex.syntax.surface import (
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
    Root,
    Scripted,
    Words,
    bare,
    walk,
)
from derivations.latex.syntax.symbols import COMMANDS, Kind
from derivations.latex.syntax.written_matrices import diagonal, rows_of

MAX_MATRICES = 12
"""Deepest nesting of environments."""
SCRIPT_OF_ROMAN = "script of roman"
TRACE = "tr"
"""The one operator of two letters that authors write in italics: `tr(A)`."""


class Forms(Cursor):
    """Reads what begins with a given token.  What stands around it is the matter of the subclass."""

    @abstractmethod
    def inner(self) -> Node:
        """The content of delimiters, groups and cells."""

    @abstractmethod
    def expression(self, least: int = ...) -> Node:
        """Operands joined by operators that bind at least so tightly."""

    @abstractmethod
    def factor(self) -> Node:
        """A primary with its scripts."""

    @abstractmethod
    def argument(self) -> Node:
        """One argument of a command: a group or a single token."""

    @abstractmethod
    def group(self) -> Node:
        """`{...}`: its content."""

    @abstractmethod
    def own_scripts(self) -> tuple[Node | None, Node | None, int]:
        """Subscript, superscript and number of primes written here."""

    @abstractmethod
    def starts_factor(self) -> bool:
        """Can what stands here be a factor?"""

    @abstractmethod
    def starts_operand(self) -> bool:
        """A factor, or a sign before one."""

    # primaries

    def primary(self) -> Node:
        t = self.take()
        span = (t.start, t.end)
        if t.role == "left" or t.role == "right":
            return self.delimited(t)
        if t.kind == "letter":
            return self.letter(t)
        if t.kind == "number":
            return Literal(span, t.text)
        if t.kind == "command":
            return self.command(t)
        if t.kind == "sign":
            if t.text == "{":
                self.at -= 1
                node = self.group()
                if isinstance(node, Operator) and not (node.arguments or node.sub or node.sup) and self._applies():
                    return self.function(replace(t, end=node.span[1]), node.name)
                return node
            if t.text in DELIMITERS and t.text != "{":
                return self.delimited(t)
        elif t.kind == "words":
            return self.words(t)
        elif t.kind == "begin":
            return self.environment(t)
        code = "unbalanced-braces" if t.text in (")", "]", "}") else "unexpected-token"
        raise self.error("an expression", t, code)

    def _applies(self) -> bool:
        """Does an argument in parentheses, or a script before one, follow?"""
        t = self.peek()
        return t is not None and t.kind == "sign" and t.text in "([_" and t.role != "right"

    def letter(self, t: Token) -> Node:
        """A letter; in an upright font a run of letters is a word, and so is a run that spells an operator."""
        if not self.font and self._preceded():
            return Name((t.start, t.end), t.text)
        run = self._run()
        if self.font == SCRIPT_OF_ROMAN:
            return self.word(t, run, "roman") if run > 1 else Name((t.start, t.end), t.text)
        if self.font in _UPRIGHT and run > 1:
            return self.word(t, run, self.font)
        if not self.font and self._spells_function(run):
            return self.word(t, run, "roman")
        if not self.font and self._begins_with_function(run):
            return self.word(t, run - 1, "roman")
        return self.applied(Name((t.start, t.end), t.text, self.font))

    def _spells_function(self, run: int) -> bool:
        """Whether the run of letters from the last token on is a function before what it is applied to."""
        if run < 2 or self._preceded():
            return False
        text = "".join(x.text for x in self.tokens[self.at - 1 : self.at + run - 1])
        after = self.peek(run - 1)
        if run == 2:
            return text == TRACE and after is not None and is_sign(after, "(")
        applied = after is not None and after.kind == "sign" and after.text in "([_{"
        return (applied and text in {*OPERATORS, *BIG_WORDS}) or (text in SPELLED and self._factor_after(run - 1))

    def _begins_with_function(self, run: int) -> bool:
        """Whether a run of letters is a function and the one letter that it is applied to: `logX`."""
        if self._preceded():
            return False
        *function, argument = (x.text for x in self.tokens[self.at - 1 : self.at + run - 1])
        return "".join(function) in GLUED and argument.isalpha()

    def _factor_after(self, ahead: int) -> bool:
        """Does something that a function may be applied to follow after so many tokens?"""
        here, self.at = self.at, self.at + ahead
        found = self.starts_factor()
        self.at = here
        return found

    def _run(self) -> int:
        """How many letters (and digits after them) stand side by side from the last token on."""
        k = self.at
        while k < len(self.tokens) and self.tokens[k].kind in ("letter", "number") and not self.tokens[k].role:
            if self.tokens[k].start != self.tokens[k - 1].end:
                break
            k += 1
        return k - self.at + 1

    def _preceded(self) -> bool:
        """Does a letter stand directly before the last token?"""
        if self.at < 2:
            return False
        before, here = self.tokens[self.at - 2], self.tokens[self.at - 1]
        return before.kind == "letter" and before.end == here.start

    def word(self, t: Token, run: int, font: str) -> Node:
        text = t.text + "".join(x.text for x in self.tokens[self.at : self.at + run - 1])
        self.at += run - 1
        return self.applied(Name(self.since(t.start), text, font))

    def words(self, t: Token) -> Node:
        if is_prose(t):
            return Words((t.start, t.end), t.text)
        if t.text.isascii() and t.text.isdigit():
            return Literal((t.start, t.end), t.text)
        return self.applied(Name((t.start, t.end), t.text, t.font))

    def command(self, t: Token) -> Node:
        name, span = t.text, (t.start, t.end)
        row = COMMANDS.get(name)
        build = BUILDERS.get(name)
        if build is not None:
            return self.build(t, build)
        if name in MARKS:
            return Mark(span, MARKS[name])
        if name in ACCENTS or (row is not None and row.kind is Kind.ACCENT):
            return self.accent(t)
        if name in DELIMITERS and name not in "([":
            return self.delimited(t)
        if row is not None:
            if row.kind is Kind.FONT:
                return self.styled(t, FONT_NAMES.get(row.text, ""))
            if row.kind is Kind.SWITCH:
                return self.switch(t, FONT_NAMES.get(row.text, ""))
            if row.kind is Kind.OP:
                return self.big(t, name)
            if row.kind is Kind.FUNCTION:
                return self.function(t, name)
            if name in LETTERS_FOR_OPERATORS and self.runs_below():
                return self.big(t, LETTERS_FOR_OPERATORS[name])
            if row.letter or row.kind is Kind.ORD:
                return Name(span, name, "" if self.font == SCRIPT_OF_ROMAN else self.font)
        if name in ("mod", "pmod", "pod"):
            argument = self.argument()
            return Operator(self.since(t.start), "pmod", None, None, (argument,))
        if name in SETS:
            return Name(span, SETS[name], "blackboard")
        if row is None and name not in ("over", "not", "choose"):
            needed = "a command that is known here (or a macro: \\newcommand)"
            raise self.error(needed, t, "unknown-command")
        raise self.error("an expression", t, "unexpected-token")

    def build(self, t: Token, form: str) -> Node:
        """The forms with arguments."""
        if form == "fraction":
            above, below = self.argument(), self.argument()
            return Fraction(self.since(t.start), above, below)
        if form == "root":
            degree = None
            if self.accept("["):
                degree = self.expression()
                if not self.accept("]"):
                    raise self.error("']' after the degree of the root", self.peek(), "unbalanced-braces")
            radicand = self.argument()
            return Root(self.since(t.start), radicand, degree)
        if form == "binomial":
            above, below = self.argument(), self.argument()
            return Operator(self.since(t.start), "binom", None, None, (above, below))
        if form == "operatorname":
            return self.styled(t, "roman")
        if form == "brace-under":
            node = self.argument()
            self.own_scripts()  # the remark under the brace
            return node
        if form == "sum-two-conditions":
            return self.substack(t)
        return self.decorated(t)

    def decorated(self, t: Token) -> Node:
        r"""`\underset{j}{\max}` and `\overset{a}{x}`; over a relation they are read with the relation."""
        decoration = self.argument()
        stop = self.group_end(self.at)
        inside = [x for x in self.tokens[self.at : stop] if not (x.kind == "sign" and x.text in "{}")]
        spelled = "".join(x.text for x in inside if x.kind in ("letter", "words"))
        name = inside[0].text if len(inside) == 1 and inside[0].kind == "command" else spelled
        row = COMMANDS.get(name)
        operator = name in OPERATORS or name in BIG_WORDS or (row is not None and row.kind in (Kind.OP, Kind.FUNCTION))
        if t.text == "underset" and operator:
            self.at = stop
            if (row is not None and row.kind is Kind.OP) or name in BIG_WORDS:
                return self.big(t, name, decoration)
            return self.function(t, OPERATORS.get(name, name), decoration)
        inner = self.argument()
        return Operator(self.since(t.start), t.text, None, None, (decoration, inner))

    def substack(self, t: Token) -> Node:
        r"""`\substack{a \\ b}`: the rows as a list."""
        stop = self.group_end(self.at)
        content = self.tokens[self.at + 1 : stop - 1] if self.sign("{") else self.tokens[self.at : stop]
        self.at = stop
        rows = [self.inside([x for cell in row for x in cell], t) for row in cells_of(content)]
        if not rows:
            return Mark((t.start, t.end), "empty")
        return rows[0] if len(rows) == 1 else Listed(self.since(t.start), tuple(rows))

    def accent(self, t: Token) -> Node:
        inner = self.argument()
        span = self.since(t.start)
        mark = SAME_ACCENT.get(t.text, t.text)
        if mark == "vec" and isinstance(inner, Literal) and inner.text in ("0", "1"):
            return Name(span, inner.text, "bold")  # the vector of zeros, or of ones
        if isinstance(inner, Name):
            return replace(inner, span=span, accents=(mark, *inner.accents))
        if isinstance(inner, Scripted) and isinstance(inner.base, Name):
            if mark in MEANS and inner.sub is None and isinstance(inner.sup, Literal):
                return Name(
                    span, inner.base.base + inner.sup.text, "roman", (mark, *inner.base.accents)
                )  # no square of it
            base = replace(inner.base, accents=(mark, *inner.base.accents))
            return replace(inner, span=span, base=base)
        letters = inner.items if isinstance(inner, Run | Adjacent) else ()
        if mark in MEANS and letters and all(isinstance(n, Name) and n.base.isalpha() for n in letters):
            return Name(span, "".join(n.base for n in letters if isinstance(n, Name)), "roman", (mark,))  # of products
        return Operator(span, t.text, None, None, (inner,))

    def switch(self, t: Token, font: str) -> Node:
        r"""`\bf`: the rest of the group; alone it is nothing."""
        self.font = font
        if not self.starts_factor():
            return Mark((t.end, t.end), "empty")
        node = self.primary()
        return _styled_number(node, node.span, font) if isinstance(node, Literal) else node

    def styled(self, t: Token, font: str) -> Node:
        r"""`\mathbf{Q}`, `\mathrm{softmax}`, `\operatorname{Var}`, `\mathbf W`."""
        outer, self.font = self.font, font
        if self.sign("{"):
            stop = self.group_end(self.at)
            inside = _without_underscored_groups(self.tokens[self.at + 1 : stop - 1])
            if len(inside) > 1 and all(_is_plain(x) for x in inside) and inside[0].kind == "letter":
                self.at, self.font = stop, outer
                text = "".join(x.text for x in inside)
                if font == "bold" and len(text) == 2 and text.isalpha():
                    letters = tuple(Name((x.start, x.end), x.text, font) for x in inside)
                    return Run((t.start, self.tokens[stop - 1].end), letters)
                return self.applied(Name(self.since(t.start), text, font))
            node = self.group()
        elif (first := self.peek()) is not None and first.kind == "letter" and not first.role:
            self.take()
            run, self.font = self._run(), outer  # what it is applied to, and its scripts, have no font: \mathbb E_x[y]
            if font in _UPRIGHT and run > 1:
                return self.word(replace(first, start=t.start), run, font)
            return self.applied(Name(self.since(t.start), first.text, font))
        else:
            self.font = (
                outer if first is not None and first.text in ("(", "[", "|") else font
            )  # the bracket alone has it
            node = self.argument()
        self.font = outer
        span = self.since(t.start)
        if isinstance(node, Literal):
            return _styled_number(node, span, font)
        if isinstance(node, Scripted) and isinstance(node.base, Literal):  # \\mathbf{1_n}
            return replace(node, span=span, base=_styled_number(node.base, node.base.span, font))
        if isinstance(node, Name):
            return self.applied(replace(node, span=span))
        if isinstance(node, Operator) and not node.arguments:
            name = "E" if node.name == "E" else node.name
            return self.function(replace(t, end=span[1]), name)
        if type(node) is Adjacent and all(isinstance(n, Name | Scripted) for n in node.items):
            return Run(span, node.items)
        return replace(node, span=span)

    def applied(self, name: Name) -> Node:
        """A word that is an operator takes its argument; so does a blackboard E."""
        if name.accents or name.primes:
            return name
        token = Token("command", name.base, *name.span)
        if name.base in BIG_WORDS and name.font == "roman":
            return self.big(token, name.base)
        upright_e = name.base == "E" and name.font == "roman" and self.sign("[")
        if name.base in OPERATORS and (len(name.base) > 1 or name.font == "blackboard" or upright_e):
            return self.function(token, OPERATORS[name.base])
        return name

    def function(self, t: Token, name: str, under: Node | None = None) -> Node:
        """An operator with its scripts and its argument."""
        if name in BIG_WORDS or name in ("sup", "inf"):
            return self.big(t, name, under)
        name = OPERATORS.get(name, name)
        sub, sup, primes = self.own_scripts()
        sub = under if sub is None else sub
        if primes:
            sup = Mark((self.prime_end - 1, self.prime_end), "prime") if sup is None else sup
        arguments, bare = self.arguments()
        if name == "diag" and len(arguments) > 1 and all(isinstance(a, Literal) for a in arguments):
            return diagonal(self.since(t.start), arguments)
        return Operator(self.since(t.start), name, sub, sup, arguments, bare)

    def arguments(self) -> tuple[tuple[Node, ...], bool]:
        """The arguments of a function, and whether they stand without parentheses."""
        opening = self.peek()
        if opening is None:
            return (), False
        parenthesis = opening.kind == "sign" and opening.text in "(["
        if parenthesis or is_command(opening, "{", "lbrace", "lbrack"):
            self.at += 1
            content = self.delimited(opening)
            inner = content.content if isinstance(content, Enclosed) else content
            return () if inner is None else inner.items if isinstance(inner, Listed) else (inner,), False
        if self.sign("{"):
            node = self.group()
            return (node.items if isinstance(node, Listed) else (node,)), False
        if not self.starts_factor():
            return (), False
        self.enter()
        items = [self.factor()]
        while self.starts_factor() and not self._starts_function():
            items.append(self.factor())
        self.depth -= 1
        flat = [n for i in items for n in (i.items if isinstance(i, Run) else (i,))]
        whole = flat[0] if len(flat) == 1 else Adjacent((flat[0].span[0], flat[-1].span[1]), tuple(flat))
        return (whole,), True

    def _starts_function(self) -> bool:
        t = self.peek()
        if t is None:
            return False
        if t.kind == "words":
            return t.text in OPERATORS
        if t.kind == "letter" and not self.font:
            self.at += 1
            found = self._spells_function(self._run())
            self.at -= 1
            return found
        row = COMMANDS.get(t.text) if t.kind == "command" else None
        return row is not None and row.kind in (Kind.FUNCTION, Kind.OP)

    def big(self, t: Token, name: str, under: Node | None = None) -> Node:
        """An operator with limits and the product that it governs; `\\max(a, b)` without limits is a function."""
        sub, sup, _ = self.own_scripts()
        sub = under if sub is None else sub
        row = COMMANDS.get(name)
        if sub is None and (row is None or row.kind is not Kind.OP):
            arguments, bare = self.arguments()
            if not arguments and name in BIG_WORDS:
                return self.named_so(t, name, sub, sup)
            return Operator(self.since(t.start), name, sub, sup, arguments, bare)
        if name in BIG_WORDS and (not self.starts_operand() or self.is_name_before_sign(sub)):
            return self.named_so(t, name, sub, sup)
        if not self.starts_operand():
            raise self.error(f"a term after {t.shown()}", self.peek(), "missing-argument")
        body = self.expression(PRODUCT)
        return Big((t.start, body.span[1]), name, sub, sup, body)

    def runs_below(self) -> bool:
        r"""Whether the scripts that follow say what an operator runs over: the `_{i=1}^n` of `\Sigma_{i=1}^n`."""
        at = self.at
        try:
            sub, _, _ = self.own_scripts()
            parts = sub.items if isinstance(sub, Listed) else (sub,)
            chains = [p for p in parts if isinstance(p, Chain) and p.first is not None]
            if len(chains) == len(parts) == 1 and [relation for relation, _ in chains[0].links] == ["mid"]:
                return self.is_over_divisors(chains[0])
            return bool(chains) and self.starts_operand()
        except ReadError:
            return False
        finally:
            self.at = at

    def is_over_divisors(self, below: Chain) -> bool:
        r"""Whether what follows `\Sigma_{d \mid n}` is a term for each d: not so for the covariances `\Sigma_{a \mid b}`."""
        if not self.starts_operand() or is_sign(self.peek(), "-") or is_sign(self.peek(), "+"):
            return False
        body = self.expression(PRODUCT)
        scripts = [p for n in walk(body) if isinstance(n, Scripted) for p in (n.sub, n.sup) if p is not None]
        inside = {id(n) for p in scripts for n in walk(p)}
        return any(id(n) not in inside and bare(n) == bare(below.first) for n in walk(body))

    def named_so(self, t: Token, name: str, sub: Node | None, sup: Node | None) -> Node:
        r"""`\max_j` with nothing that it could be the maximum of: a quantity that is called so."""
        base = Name((t.start, t.end), name, "roman")
        return base if sub is None and sup is None else Scripted(self.since(t.start), base, sub, sup)

    def is_name_before_sign(self, sub: Node | None) -> bool:
        r"""`\max_{j-1} - \max_j`: what follows the sign has nothing that the script could run over."""
        if not (is_sign(self.peek(), "-") or is_sign(self.peek(), "+")) or sub is None:
            return False
        if isinstance(sub, Infix):
            return True
        at = self.at
        body = self.expression(PRODUCT)
        self.at = at
        names = [n for n in walk(body) if isinstance(n, Name)]
        called_so = any(n.base in BIG_WORDS for n in names)
        return isinstance(sub, Name) and (called_so or all(n.base != sub.base for n in names))

    # delimiters

    def delimited(self, opening: Token) -> Node:
        if opening.role == "right":
            raise self.error("an expression", opening, "unbalanced-braces")
        if opening.role == "left" and opening.text not in DELIMITERS:
            if opening.text not in (".", "<"):
                raise self.error("a delimiter after \\left", opening, "unexpected-token")
            return self.enclosed(opening, ".|" if opening.text == "." else "langle", ())
        if opening.text == "|" and opening.kind == "sign":
            doubled = is_sign(self.peek(), "|") and self.tokens[self.at].start == opening.end and not opening.role
            self.at += doubled
            return self.bars(opening, "norm" if doubled else "||", "||" if doubled else "|")
        kind, closers = DELIMITERS[opening.text]
        if is_command(opening, "|", "Vert", "vert"):
            return self.bars(opening, kind, opening.text)
        if kind == "{}" and opening.role == "left":
            following = self.peek()
            if following is not None and following.kind == "begin" and following.text not in CASE_ENVIRONMENTS:
                stop = self._environment_end(self.at)
                after = self.tokens[stop] if stop < len(self.tokens) else None
                if after is not None and after.role == "right" and after.text == ".":
                    self.at += 1
                    cases = self.environment(following, "cases")
                    self.at += 1
                    return replace(cases, span=self.since(opening.start))
        return self.enclosed(opening, kind, closers)

    def enclosed(self, opening: Token, kind: str, closers: tuple[str, ...]) -> Node:
        self.enter()
        content: Node | None = None
        between = parts_between_bars(self.tokens, self.at) if kind == "[]" else None
        if between is not None:
            cells, self.at = between
            items = tuple(self.inside(c, opening) for c in cells)
            content = Listed((items[0].span[0], items[-1].span[1]), items, "|")
        elif not self._closes(self.peek(), opening, closers):
            content = self.inner()
        t = self.peek()
        if t is None or not self._closes(t, opening, closers):
            needed = f"a closing delimiter for {opening.shown()}"
            if t is None:
                raise ReadError(f"needed {needed}, found the end", opening.start, "unbalanced-braces")
            code = "unexpected-token" if t.kind in ("letter", "number") else "unbalanced-braces"
            raise self.error(needed, t, code)
        self.at += 1
        self.depth -= 1
        if kind == ".|" and t.text != "|":
            kind = DELIMITERS.get({")": "(", "]": "[", "}": "{"}.get(t.text, t.text), ("()", ()))[0]
        elif t.text == "." and t.role == "right":
            kind = "{." if kind == "{}" else kind
        elif kind == "()" and t.text == "]":
            kind = "(]"
        elif kind == "[]" and t.text == ")":
            kind = "[)"
        if kind == "[]" and isinstance(content, Listed) and len(rows := rows_of(content)) > 1:
            return Matrix((opening.start, t.end), "bmatrix", rows)
        return Enclosed((opening.start, t.end), kind, content)

    def _closes(self, t: Token | None, opening: Token, closers: tuple[str, ...]) -> bool:
        if t is None or t.kind not in ("sign", "command"):
            return False
        if opening.role == "left":
            return t.role == "right"
        if t.kind == "sign" and t.text == "}":
            return False
        return t.text in closers

    def bars(self, opening: Token, kind: str, closer: str) -> Node:
        self.enter()
        outer, self.bar = self.bar, closer
        start = self.at
        first = self.expression()
        node: Node = first
        if self.sign(","):
            items = [first]
            while self.accept(","):
                items.append(self.expression())
            node = Listed((first.span[0], items[-1].span[1]), tuple(items))
        self.bar = outer
        t = self.peek()
        if opening.role == "left":
            closed = t is not None and t.role == "right"
        elif closer == "||":
            closed = is_sign(t, "|") and is_sign(self.peek(1), "|")
        else:
            closed = t is not None and t.text in (closer, "Vert" if closer == "|" else closer)
        if not closed or t is None:
            at = self.tokens[start - 1]
            raise ReadError(
                f"needed a closing {opening.shown()}, found {'the end' if t is None else t.shown()}",
                at.start,
                "unbalanced-braces",
            )
        self.at += 2 if closer == "||" and not opening.role else 1
        self.depth -= 1
        return Enclosed(self.since(opening.start), kind, node)

    # environments

    def _environment_end(self, begin: int) -> int:
        r"""The index after the `\end` that matches the `\begin` at index `begin`."""
        depth = 0
        for k in range(begin, len(self.tokens)):
            if self.tokens[k].kind in ("begin", "end"):
                depth += 1 if self.tokens[k].kind == "begin" else -1
                if depth == 0:
                    return k + 1
        raise self.error(r"an \end for this environment", self.tokens[begin], "unbalanced-environment")

    def environment(self, t: Token, read_as: str = "") -> Node:
        begin = self.at - 1
        stop = self._environment_end(begin)
        last = self.tokens[stop - 1]
        if last.text != t.text:
            raise self.error(f"'\\end{{{t.text}}}'", last, "unbalanced-environment")
        rows = cells_of(self.tokens[begin + 1 : stop - 1])
        self.at = stop
        span = (t.start, last.end)
        if self.matrices >= MAX_MATRICES:
            raise ReadError(f"needed at most {MAX_MATRICES} nested environments, found more", t.start, "too-deep")
        name = read_as or t.text
        if name in CASE_ENVIRONMENTS:
            return Cases(span, tuple(self.case(_without_empty_start(r), t) for r in rows))
        if name in MATRIX_ENVIRONMENTS:
            inner = without_lines(rows)
            rows = rows if inner is None else inner
            return Matrix(span, name, tuple(tuple(self.inside(c, t) for c in r) for r in rows), inner is not None)
        if name in ROW_ENVIRONMENTS:
            lines = [self.inside([x for c in r for x in c], t) for r in rows]
            if len(lines) == 1:
                return lines[0]
            return Matrix(span, "aligned", tuple((line,) for line in lines))
        raise self.error("an environment that is known here", t, "unknown-environment")

    def inside(self, tokens: Sequence[Token], around: Token) -> Node:
        """A cell."""
        tokens = trim([x for x in tokens if x.kind not in ("space", "label", "tag")])
        if not tokens:
            return Mark((around.end, around.end), "empty")
        parser = type(self)(tokens, None, self.depth + 1, self.matrices + 1)
        parser.font = self.font
        node = parser.inner()
        parser.expect_end()
        return node

    def case(self, cells: list[list[Token]], around: Token) -> tuple[Node, Node | None]:
        """Value and condition of one row of `cases`."""
        value = trim([x for x in cells[0] if x.kind != "space"])
        rest = trim([x for c in cells[1:] for x in c if x.kind != "space"])
        if not rest:
            split = next((k for k, x in enumerate(value) if k and is_prose(x)), None)
            if split is None:  # `a, x > 0` in one cell
                comma = next((k for k, x in enumerate(value) if is_sign(x, ",")), len(value))
                related = [k for k, x in enumerate(value) if relation_of(x) is not None]
                split = comma + 1 if related and related[0] > comma else None
            if split is not None:
                value, rest = trim(value[:split]), value[split:]
        condition = None
        if rest:
            if rest[-1].kind == "words":
                rest[-1] = replace(rest[-1], text=rest[-1].text.rstrip(" ,.;"))
            condition = self.inside(rest, around)
        return self.inside(value, around), condition


class Run(Adjacent):
    """Bold letters in one group: a product whose scripts belong to the last letter.  Never leaves the parser."""


def _without_empty_start(cells: list[list[Token]]) -> list[list[Token]]:
    """`& 1 & x > 0` of an aligned block starts with an empty cell."""
    return cells[1:] if len(cells) > 1 and not cells[0] else cells


def without_run(node: Node) -> Node:
    return Adjacent(node.span, node.items) if isinstance(node, Run) else node


def _without_underscored_groups(tokens: Sequence[Token]) -> Sequence[Token]:
    r"""`dot\_{products\_chunk}` as one word: the braces after an underscore group nothing."""
    kept: list[Token] = []
    open_groups: list[bool] = []
    for k, t in enumerate(tokens):
        if is_sign(t, "{"):
            open_groups.append(k > 0 and is_command(tokens[k - 1], "_"))
            if open_groups[-1]:
                continue
        elif is_sign(t, "}") and open_groups and open_groups.pop():
            continue
        kept.append(t)
    return kept


def _is_plain(t: Token) -> bool:
    return (
        t.kind in ("letter", "number") or (t.kind == "sign" and t.text in "-*") or is_command(t, "_", "-")
    ) and not t.role


_UPRIGHT = frozenset({"roman", "sans", "typewriter"})
"""Fonts in which letters side by side are a word."""


def _styled_number(node: Literal, span: tuple[int, int], font: str) -> Node:
    """A bold or blackboard 0 or 1 is a name; any other number is a number, whatever its font."""
    is_name = font not in ("", "roman") and node.text in ("0", "1")
    return Name(span, node.text, font) if is_name else replace(node, span=span)
