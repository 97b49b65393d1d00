r"""LaTeX files: prose with its mathematics, headings, code listings, macros, and the files that `\input` names.

TeX is not run: commands that change the meaning of characters are not followed.  Files are read from the folder of the
main file and below it only, or from the repository that it is part of.  Every scan is bounded or looked up in a table made
once, so the time is linear.

Sources: L. Lamport, LaTeX: A Document Preparation System (1994); American Mathematical Society, User's Guide for the
amsmath Package (2020); the manuals of listings, minted and subfiles.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from derivations.documents.formats.files_looked_at import looked_at
from derivations.documents.formats.python_code import read_comments
from derivations.documents.formats.text_mode_commands import (
    CHARACTERS,
    DROPPED,
    HEADINGS,
    KEPT_REFERENCES,
    LISTINGS,
    OPAQUE,
    SCOPES,
    UNWRAPPED,
    UPDATES,
    WITH_ARGUMENT,
    Comments,
    is_display,
    mask,
)
from derivations.documents.model.document import Builder, Text
from derivations.latex.syntax.macro_definitions import MASK, matching_braces

MAX_FILES, MAX_DEPTH = 200, 20
MAX_BYTES = 32 * 2**20
"""Bytes of all files of one document together."""
DECLARATION = re.compile(r"^\s*(?:derivations|check)\s*:", re.IGNORECASE)

_TOKEN = re.compile(
    r"\\begin\s*\{(?P<begin>[^{}\n]{0,60})\}|\\end\s*\{(?P<end>[^{}\n]{0,60})\}|\\(?P<command>[A-Za-z@]+)\*?|\\(?P<char>.)"
    r"|(?P<dollar>\$\$?)|(?P<blank>\n[ \t]*\n\s*)|(?P<brace>[{}])|(?P<tie>~)|(?P<quote>``|'')",
    re.DOTALL,
)
_STOP = re.compile(r"\\.|[{}$]|\n[ \t]*\n", re.DOTALL)
_DOCUMENT = re.compile(r"\\(begin|end)\s*\{document\}")
_PACKAGE = re.compile(r"\\(?:usepackage|RequirePackage)\s*(?:\[[^\]]*\]\s*)?\{([^{}]*)\}")
_BARE_INPUT = re.compile(r"\s+([\w./-]+)")
_FALSE = re.compile(r"\\(if(?!f\b)[A-Za-z]*|else|fi)(?![A-Za-z])")
_OPTION = re.compile(r"\[[^\[\]]{0,300}(?:\[[^\[\]]*\][^\[\]]{0,300})*\]")
_LISTED = re.compile(r"language\s*+=\s*+(?:\{\[[^\]]{0,200}\]\s*+)?\{?([A-Za-z+]+)", re.IGNORECASE)


@dataclass(slots=True)
class Files:
    """The files of one document: where they may lie, and which are open or were read."""

    folder: Path | None
    open: list[str] = field(default_factory=list)
    read: dict[str, bytes] = field(default_factory=dict)
    size: int = 0


def repository(folder: Path) -> Path:
    """The working tree that a folder is part of; the folder itself outside of any."""
    own = folder.resolve()
    return next((p for p in (own, *own.parents) if (p / ".git").exists()), own)


def read_latex(text: str, builder: Builder, folder: Path | None) -> dict[str, bytes]:
    """Add the blocks of a LaTeX document; returns the further files that were read.

    `folder` is where the document lies; None reads no further files.
    """
    files = Files(folder, [PurePosixPath(builder.path).name])
    _Source(text, builder, files).document()
    return files.read


@dataclass(slots=True)
class _Paragraph:
    """A paragraph under construction: pieces with their places, the spans found, footnotes to add after it."""

    pieces: list[tuple[str, int, int]] = field(default_factory=list)
    length: int = 0
    spans: list[tuple[bool, str, int, int, int, int]] = field(default_factory=list)
    notes: list[tuple[int, int]] = field(default_factory=list)

    def add(self, text: str, line: int, column: int) -> None:
        if not self.pieces:  # a paragraph starts with its first word
            column += len(text) - len(text.lstrip())
            text = text.lstrip()
        if text:
            self.pieces.append((text, line, column))
            self.length += len(text)

    def text(self, path: str) -> Text:
        starts, at = [], 0
        for piece, _, _ in self.pieces:
            starts.append(at)
            at += len(piece)
        origins = tuple((line, column) for _, line, column in self.pieces)
        return Text("".join(p for p, _, _ in self.pieces), tuple(starts), origins, path, None)


class _Source:
    """One file: its text with comments masked, and what was looked up in it once."""

    def __init__(self, text: str, builder: Builder, files: Files, depth: int = 0) -> None:
        comments = Comments()
        self.text = mask(text, comments)
        self.builder, self.files, self.macros, self.depth = builder, files, builder.commands, depth
        self.comments = [c for c in comments.found if DECLARATION.match(c[1])]
        self.next_comment = 0
        self.braces = matching_braces(self.text)
        self.lines = [0, *(m.end() for m in re.finditer("\n", self.text))]
        self.paragraph = _Paragraph()
        self.missing: set[str] = set()
        self.unclosed_until: dict[str, int] = {}
        self.nested = 0
        self.patterns: dict[str, re.Pattern[str]] = {}

    # --- places ---------------------------------------------------------------------------------------------------

    def where(self, at: int) -> tuple[int, int]:
        row = bisect_right(self.lines, at) - 1
        return row + 1, at - self.lines[row] + 1

    def problem(self, code: str, message: str, at: int) -> None:
        place = Text.of_lines([("", *self.where(at))], self.builder.path, None).locate(0)
        self.builder.problem(code, message, place)

    def copy(self, start: int, end: int) -> None:
        """Copy a piece of the file into the paragraph, line by line."""
        while start < end:
            row = bisect_right(self.lines, start)
            stop = min(end, self.lines[row] if row < len(self.lines) else len(self.text))
            self.paragraph.add(self.text[start:stop].replace(MASK, " "), *self.where(start))
            start = stop

    def say(self, words: str, at: int) -> None:
        """Put words that stand for a command at `at`."""
        self.paragraph.add(words, *self.where(at))

    def flush(self) -> None:
        done, self.paragraph = self.paragraph, _Paragraph()
        if any(text.strip() for text, _, _ in done.pieces):
            text = done.text(self.builder.path)
            self.builder.prose(text, self.builder.spans(done.spans, text))
        for start, end in done.notes:
            self.part(start, end)

    def part(self, start: int, end: int) -> None:
        """A paragraph of its own: a footnote, a caption."""
        kept, self.paragraph = self.paragraph, _Paragraph()
        self.nested += 1
        self.scan(start, end)
        self.flush()
        self.nested -= 1
        self.paragraph = kept

    # --- the document ---------------------------------------------------------------------------------------------

    def document(self) -> None:
        """The whole file; only definitions are taken from a preamble."""
        start, end = 0, len(self.text)
        for match in _DOCUMENT.finditer(self.text):
            if match.group(1) == "begin" and not start:
                start = match.end()
            elif match.group(1) == "end" and start:
                end = match.start()
                break
        if start:
            self.preamble(start)
        self.scan(start, end)
        self.flush()
        self.declarations(len(self.text))

    def preamble(self, end: int) -> None:
        at = 0
        pattern = re.compile(r"\\(?:title|input|include|usepackage|RequirePackage)(?![A-Za-z])")
        while (match := pattern.search(self.text, at, end)) is not None:
            self.macros.take(self.text, self.braces, at, match.start())
            at = match.end()
            if match.group() in ("\\input", "\\include"):
                at = self.input(match.start(), at, definitions=True)
            elif match.group() == "\\title":
                at = self.heading(0, at)
            elif (package := _PACKAGE.match(self.text, match.start())) is not None:
                for name in package.group(1).replace(MASK, "").split(","):
                    self.load(name.strip() + ".sty", match.start(), definitions=True, wanted=False)
        self.macros.take(self.text, self.braces, at, end)
        self.note_macros()
        self.declarations(end)

    def note_macros(self) -> None:
        self.patterns.clear()
        self.builder.note_commands()

    def declarations(self, before: int) -> None:
        """Comments for us, up to an offset, become blocks."""
        while self.next_comment < len(self.comments) and self.comments[self.next_comment][0] < before:
            at, text = self.comments[self.next_comment]
            self.builder.html_comment(self.builder.text([(text, *self.where(at))]))
            self.next_comment += 1

    def input(self, start: int, at: int, definitions: bool = False) -> int:
        r"""`\input{name}` or `\input name`; returns the offset after it."""
        group = self.group(at)
        if group is not None:
            name, after = self.text[group[0] : group[1]].replace(MASK, "").strip(), group[2]
        elif (bare := _BARE_INPUT.match(self.text, at)) is not None:
            name, after = bare.group(1), bare.end()
        else:
            return at
        self.load(name if PurePosixPath(name).suffix else name + ".tex", start, definitions)
        return after

    def load(self, name: str, at: int, definitions: bool, wanted: bool = True) -> None:
        """Read another file of the same folder; `definitions` takes nothing but its macros."""
        files, own = self.files, self.builder.path
        path = None if files.folder is None else Path(os.path.realpath(files.folder / name))
        if path is None or files.folder is None:
            if wanted:
                self.problem("input-missing", f"needed the file {name!r}, but this text has no folder", at)
            return
        if not path.is_relative_to(repository(files.folder)) or PurePosixPath(name).is_absolute():
            needed = "needed a file in the folder of the document, or in the repository that it lies in"
            self.problem("input-outside", f"{needed}, found {name!r}", at)
            return
        key = Path(os.path.relpath(path, files.folder.resolve())).as_posix()
        try:
            size = path.stat().st_size if path.is_file() else None
            data = path.read_bytes() if size is not None and files.size + size <= MAX_BYTES else b""
        except (OSError, ValueError) as error:  # closed to us, a link to itself, or no name for a file
            looked_at(path, None)
            if wanted:
                found = getattr(error, "strerror", None) or str(error)
                self.problem("input-missing", f"needed the file {name!r}, found: {found}", at)
            return
        if size is None:
            looked_at(path, None)
            if wanted:
                self.problem("input-missing", f"needed the file {name!r}, found none of that name", at)
            return
        if key in files.open:
            self.problem(
                "input-cycle", f"needed files that do not input themselves, found {' → '.join([*files.open, key])}", at
            )
            return
        if self.depth >= MAX_DEPTH or len(files.read) >= MAX_FILES or files.size + size > MAX_BYTES:
            self.problem(
                "too-large", f"needed at most {MAX_FILES} files and {MAX_BYTES} bytes, found more at {name!r}", at
            )
            return
        looked_at(path, data)
        files.size += len(data)
        try:
            text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError as error:
            self.problem("encoding", f"needed UTF-8 in {name!r}, found another byte at offset {error.start}", at)
            return
        if MASK in text:
            self.problem("encoding", f"needed text in {name!r}, found a NUL byte", at)
            return
        files.open.append(key)
        self.builder.path = str(PurePosixPath(own).parent / key)
        if definitions:
            source = _Source(text, self.builder, files, self.depth + 1)
            source.macros.take(source.text, source.braces, 0)
        else:
            files.read[self.builder.path] = data
            _Source(text, self.builder, files, self.depth + 1).document()
        self.builder.path = own
        files.open.pop()

    # --- groups ---------------------------------------------------------------------------------------------------

    def skip_space(self, at: int) -> int:
        text = self.text
        while at < len(text) and (text[at].isspace() or text[at] == MASK):
            at += 1
        return at

    def option(self, at: int) -> int:
        """The offset after an optional argument."""
        match = _OPTION.match(self.text, at)
        return at if match is None else match.end()

    def group(self, at: int) -> tuple[int, int, int] | None:
        """Start and end of the content of the group at `at`, and the offset after it."""
        at = self.skip_space(at)
        close = self.braces.get(at)
        return None if close is None else (at + 1, close, close + 1)

    def groups(self, at: int, count: int) -> int:
        for _ in range(count):
            at = self.option(at)
            found = self.group(at)
            if found is None:
                break
            at = found[2]
        return at

    # --- scanning -------------------------------------------------------------------------------------------------

    def scan(self, at: int, end: int) -> None:
        """Read the text between two offsets into paragraphs."""
        while (match := _TOKEN.search(self.text, at, end)) is not None:
            start = match.start()
            self.copy(at, start)
            if self.next_comment < len(self.comments) and self.comments[self.next_comment][0] < start:
                self.declarations(start)
            at = self.token(match, start, match.end(), end)
        self.copy(at, end)

    def token(self, match: re.Match[str], start: int, at: int, end: int) -> int:
        if match.group("blank"):
            self.flush()
        elif match.group("tie"):
            self.say(" ", start)
        elif match.group("quote"):
            self.say('"', start)
        elif match.group("dollar"):
            return self.dollars(match.group("dollar"), start, at, end)
        elif match.group("char"):
            return self.character(match.group("char"), start, at, end)
        elif (name := match.group("begin")) is not None:
            return self.begin(name.replace(MASK, "").strip(), start, at, end)
        elif (name := match.group("end")) is not None:
            self.flush()
            if (kind := SCOPES.get(name.replace(MASK, "").strip().removesuffix("*"))) is not None:
                self.builder.close_scope(kind)
        elif match.group("command"):
            return self.command(match.group("command"), start, at, end)
        return at

    def span(self, display: bool, delimiter: str, start: int, inner: int, inner_end: int, end: int) -> int:
        """Add mathematics between offsets of the file to the paragraph."""
        if self.text[inner:inner_end].replace(MASK, " ").strip():
            own = self.paragraph
            first = own.length
            self.copy(start, inner)
            inside = own.length
            self.copy(inner, inner_end)
            stop = own.length
            self.copy(inner_end, end)
            own.spans.append((display, delimiter, first, inside, stop, own.length))
        return end

    def unclosed(self, delimiter: str, start: int, at: int, until: int) -> int:
        self.unclosed_until[delimiter] = until
        self.problem("unclosed-math", f"needed the end of {delimiter}, found the end of its paragraph", start)
        return at

    def dollars(self, token: str, start: int, at: int, end: int) -> int:
        """`$…$` and `$$…$$`, up to the end of the paragraph; dollars inside braces belong to words of the formula."""
        if start < self.unclosed_until.get(token, 0):
            return at
        double, inside = token == "$$", at
        while (match := _STOP.search(self.text, inside, end)) is not None:
            found = match.group()
            close = self.braces.get(match.start()) if found == "{" else None
            if close is not None and self.text.find("\n\n", inside, close) < 0:
                inside = close + 1
                continue
            inside = match.end()
            if found == "$" and not double:
                return self.span(False, token, start, at, match.start(), match.end())
            if found == "$" and self.text.startswith("$", match.end()):
                return self.span(True, token, start, at, match.start(), match.end() + 1)
            if found[0] == "\n":
                break
        return self.unclosed(token, start, at, inside)

    def character(self, c: str, start: int, at: int, end: int) -> int:
        if c in "([":
            return self.delimited("\\" + c, {"(": "\\)", "[": "\\]"}[c], start, at, end)
        if c == "\\":
            self.say(" ", start)
            return self.option(at)
        if c in "%&_#${}":
            self.say(c, start)
        elif c in " ,;:!/\n" + MASK:
            self.say("" if c in "!/" else " ", start)
        return at

    def delimited(self, opening: str, closing: str, start: int, at: int, end: int) -> int:
        if start < self.unclosed_until.get(opening, 0):
            return at
        inside = at
        while (match := _STOP.search(self.text, inside, end)) is not None:
            inside = match.end()
            if match.group() == closing:
                return self.span(opening == "\\[", opening, start, at, match.start(), match.end())
            if match.group()[0] == "\n":
                break
        return self.unclosed(opening, start, at, inside if match is not None else end)

    def begin(self, name: str, start: int, at: int, end: int) -> int:
        base = name.removesuffix("*")
        if base in LISTINGS:
            return self.listing(name, start, at, end)
        if base in OPAQUE:
            close = self.text.find(f"\\end{{{name}}}", at, end)
            if base in UPDATES:
                self.problem("pseudo-code", "the steps of an algorithm are updates, not equations: not read", start)
            self.flush()
            return at if close < 0 else close + len(f"\\end{{{name}}}")
        if is_display(base):
            return self.display(name, start, at, end, f"\\begin{{{name}}}")
        self.flush()
        if base in SCOPES:
            self.builder.open_scope(SCOPES[base], goes_on=base == "solution")
        if base == "frame":
            at = self.option(at)
            return self.heading(5, at) if self.text.startswith("{", at) else at
        at = self.option(at)
        while self.text.startswith("{", at) and at in self.braces:
            at = self.option(self.braces[at] + 1)
        return at

    def display(self, name: str, start: int, at: int, end: int, opening: str) -> int:
        """A display environment, whole; `name` may be begun or ended by macros."""
        if opening in self.missing:
            return at
        depth = 1
        for match in self.bounds(name).finditer(self.text, at, end):
            depth += 1 if match.group("begin") else -1
            if depth == 0:
                stop, after = match.span()
                if name.removesuffix("*") in UNWRAPPED:
                    # the equation reader needs no environment around rows, and does not know these
                    inner = self.groups(at, 1) if name.removesuffix("*") in WITH_ARGUMENT else self.option(at)
                    return self.span(True, opening, start, inner, stop, after)
                return self.span(True, opening, start, start, after, after)
        self.missing.add(opening)
        self.problem("unclosed-math", f"needed the end of {opening}, found the end of the text", start)
        return at

    def bounds(self, name: str) -> re.Pattern[str]:
        """What begins and ends an environment, macros that stand for it included."""
        found = self.patterns.get(name)
        if found is None:
            parts = {}
            for kind in ("begin", "end"):
                wanted = f"\\{kind}{{{name}}}"
                known = self.macros.known.items()
                short = [k for k, m in known if m.arguments == 0 and m.body.strip() == wanted]
                parts[kind] = "|".join([rf"{kind}\s*\{{{re.escape(name)}\}}", *(rf"{k}(?![A-Za-z])" for k in short)])
            found = re.compile(rf"\\(?:(?P<begin>{parts['begin']})|(?P<end>{parts['end']}))")
            self.patterns[name] = found
        return found

    def listing(self, name: str, start: int, at: int, end: int) -> int:
        """Code: `verbatim`, `lstlisting`, `minted`."""
        self.flush()
        closing = f"\\end{{{name}}}"
        stop = self.text.find(closing, at, end)
        if stop < 0:
            self.problem("unclosed-fence", f"needed {closing}, found the end of the text", start)
            return at
        language = None
        option = self.option(at)
        listed = _LISTED.search(self.text[at:option])
        if listed is not None:
            language = listed.group(1).lower()
        at = option
        if name.removesuffix("*") == "minted" and (group := self.group(at)) is not None:
            language, at = self.text[group[0] : group[1]].strip().lower(), group[2]
        if name.removesuffix("*") == "pythoncode":
            language = "python"
        if self.text.startswith("\n", at):
            at += 1
        body = self.text[at:stop].split("\n")
        first = self.where(at)
        lines = [(t, first[0] + k, first[1] if k == 0 else 1) for k, t in enumerate(body)]
        while lines and not lines[-1][0].strip():
            lines.pop()
        if lines:
            text = self.builder.text(lines)
            if language in ("py", "python3", "ipython"):
                language = "python"
            comments = read_comments(text)[0] if language == "python" else ()
            self.builder.code(text, language, comments)
        return stop + len(closing)

    def heading(self, level: int, at: int) -> int:
        group = self.group(self.option(at))
        if group is None:
            return at
        self.flush()
        if self.nested < MAX_DEPTH:
            self.nested += 1
            self.scan(group[0], group[1])
            self.nested -= 1
        done, self.paragraph = self.paragraph, _Paragraph()
        if any(t.strip() for t, _, _ in done.pieces):
            text = done.text(self.builder.path)
            self.builder.heading(text, level, self.builder.spans(done.spans, text))
        for start, end in done.notes:
            self.part(start, end)
        return group[2]

    def command(self, name: str, start: int, at: int, end: int) -> int:
        if (after := self.macros.take_one(self.text, self.braces, start)) is not None:
            self.note_macros()
            return after
        macro = self.macros.known.get(name)
        if macro is not None:
            opened = re.match(r"\s*\\begin\s*\{([A-Za-z*]+)\}", macro.body)
            if opened is not None and is_display(opened.group(1).removesuffix("*")):
                if "\\end" in macro.body:
                    after = self.groups(at, macro.arguments)
                    return self.span(True, f"\\{name}", start, start, after, after)
                return self.display(opened.group(1), start, at, end, f"\\{name}")
        if name in ("input", "include", "subfile", "subfileinclude"):
            self.flush()
            return self.input(start, at)
        if name in HEADINGS:
            return self.heading(HEADINGS[name], at)
        if name in ("item", "par"):
            self.flush()
            if name == "item":
                self.builder.next_item()
            return at
        if name in ("iffalse", "if"):
            return self.conditional(start, at) if name == "iffalse" or self.text.startswith("0", at) else at
        if name in ("verb", "lstinline", "mintinline", "texttt", "code"):
            return self.inline_code(name, start, at)
        if name in ("footnote", "caption", "footnotetext"):
            group = self.group(self.option(at))
            if group is None or self.nested >= MAX_DEPTH:
                return at
            self.paragraph.notes.append(group[:2])
            return group[2]
        if name in KEPT_REFERENCES and (group := self.group(at)) is not None:
            self.say(self.text[start : group[2]].replace(MASK, ""), start)
            return group[2]
        if name in CHARACTERS:
            self.say(CHARACTERS[name], start)
            return at
        if name in DROPPED or "cite" in name:
            return self.groups(at, DROPPED.get(name, 1))
        return self.option(at)

    def conditional(self, start: int, at: int) -> int:
        r"""The offset after what `\iffalse` leaves out."""
        after = self.branches.get(start)
        if after is None:
            self.problem("unclosed-conditional", r"needed \fi, found the end of the text", start)
        return at if after is None else after

    @cached_property
    def branches(self) -> dict[int, int]:
        r"""For each `\if…`, the offset after its `\else` or `\fi`."""
        found: dict[int, int] = {}
        open_: list[int] = []
        for match in _FALSE.finditer(self.text):
            word = match.group(1)
            if word.startswith("if"):
                open_.append(match.start())
            elif open_:
                found.setdefault(open_.pop() if word == "fi" else open_[-1], match.end())
        return found

    def inline_code(self, name: str, start: int, at: int) -> int:
        """Code inside a line, as Markdown writes it."""
        if name != "texttt":
            at = self.option(at)
        if name == "mintinline" and (group := self.group(at)) is not None:
            at = group[2]
        if name == "verb":
            at += self.text.startswith("*", at)
        group = self.group(at)
        if group is None or name == "verb":
            mark = self.text[at : at + 1]
            stop = self.text.find(mark, at + 1) if mark and not mark.isalnum() and not mark.isspace() else -1
            if stop < 0:
                return at
            group = (at + 1, stop, stop + 1)
        words = self.text[group[0] : group[1]].replace(MASK, "")
        if name == "texttt":
            words = re.sub(r"\\([_%&#${}])", r"\1", words)
        self.say(f"`{words}`" if "\n" not in words and "$" not in words else " ", start)
        return group[2]
