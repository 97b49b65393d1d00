"""What declared conventions do: they tell the names and the table of a document what its author means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from derivations.documents.facts.declarations import declare, members
from derivations.documents.facts.directives import CONVENTIONS, Declaration
from derivations.latex.lexicon.name_roles import Names
from derivations.latex.lexicon.symbol_table import Declared, Table
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.lexer import Macro, ReadError
from derivations.latex.syntax.reader import read_equation
from derivations.latex.syntax.surface import Chain, Name, Node, Operator, Reading, Scripted, walk
from derivations.notes import Note


class Conventions:
    """The declared conventions of one document, read once."""

    def __init__(self, declarations: Sequence[Declaration], macros: Mapping[str, Macro]) -> None:
        self.side: str | None = None
        """The axis of matrices that the letter of the softmax stands for, where the document writes it so throughout."""
        self.all = [d for d in declarations if d.kind in CONVENTIONS and d.fault is None]
        self.chains: dict[Declaration, Chain] = {}
        for d in self.all:
            latex = {"shape": rf"{d.subject} \in {d.value}", "range": f"{d.subject} = {d.value}"}.get(d.kind, d.subject)
            if not latex:
                continue
            try:
                readings = read_equation(latex, macros)
            except ReadError as error:
                d.fault = f"needed names and a meaning in LaTeX, found {d.text!r}: {error.message}"
                continue
            if len(readings) != 1 or (d.kind in ("shape", "range") and not readings[0].chain.links):
                d.fault = f"needed names and a meaning in LaTeX, found {d.text!r}"
                continue
            self.chains[d] = readings[0].chain
        self.softmax = next((d for d in self.all if d.kind == "softmax"), None)
        self.tokens = next((d for d in self.all if d.kind == "tokens"), None)

    @property
    def axis(self) -> str | None:
        """`row` or `column`: the axis that the softmax of a matrix normalises over."""
        if self.softmax is None:
            return None
        return self.softmax.value if self.softmax.value in ("row", "column") else self.side

    @property
    def axis_letter(self) -> str | None:
        """The index that the softmax of an entry normalises over."""
        return self.softmax.value if self.softmax is not None and self.softmax.value not in ("row", "column") else None

    def readings(self) -> Iterator[Reading]:
        """What is declared of shapes and ranges, as evidence about names."""
        for d, chain in self.chains.items():
            if d.kind in ("shape", "range"):
                yield Reading(chain)

    def labels(self) -> Iterator[tuple[str, str]]:
        """Names of which a script is a part: `W_q: label`."""
        for _d, node in self._named("label"):
            if isinstance(node, Scripted) and isinstance(node.base, Name):
                for script in (node.sub, node.sup):
                    c = letter(script)
                    if c is not None:
                        yield node.base.base, c

    def _named(self, *values: str) -> Iterator[tuple[Declaration, Node]]:
        for d, chain in self.chains.items():
            if d.kind == "name" and d.value in values:
                for node in members(chain.first):
                    yield d, node

    def tell_names(self, names: Names) -> None:
        """Sizes, indices, functions, and where indices start."""
        for d, node in self._named("size", "index", "function"):
            c, w = letter(node), names.written(node)
            stem = c if d.value == "index" else None if w is None else w.stem
            if stem is None:
                d.fault = f"needed a name, found {d.text!r}"
            elif d.value == "index":
                names.index_letters.add(stem)
                names.sizes.discard(stem)
            elif d.value == "size":
                names.sizes.add(stem)
                names.index_letters.discard(stem)
            else:
                names.functions.add(stem)
        for d in self.all:
            if d.kind == "base" and not d.subject:
                names.stated_base = int(d.value)
            elif d.kind == "base" and d in self.chains:
                for node in members(self.chains[d].first):
                    w = names.written(node)
                    if w is not None:
                        names.bases[w.stem] = int(d.value)

    def tell_table(self, table: Table) -> None:
        """Shapes, ranges, scalars and permutation matrices; called before anything that the text declares."""
        if self.tokens is not None:
            table.rows_are_vectors, table.tokens_stated = self.tokens.value == "rows", True
        for d, chain in self.chains.items():
            if d.kind in ("shape", "range") and not declare(table, chain):
                d.fault = d.fault or f"needed names and a meaning in LaTeX, found {d.text!r}"
        for _, node in self._named("scalar"):
            w = table.names.written(node)
            if w is not None:
                table.declared[w.stem] = Declared((), "plain", 0)
        for _, node in self._named("permutation"):
            w = table.names.written(node)
            if w is not None:
                table.permutations.add(w.stem)

    def stems(self, names: Names, d: Declaration) -> set[str]:
        """The names that a convention is about."""
        chain = self.chains.get(d)
        found = {w.stem for n in members(chain.first if chain else None) if (w := names.written(n)) is not None}
        return found | {c for n in members(chain.first if chain else None) if (c := letter(n)) is not None}

    def mark_used(self, names: Names, readings: Sequence[Reading]) -> None:
        """Note which conventions some equation that was read falls under."""
        nodes = [n for r in readings for part in (r.chain, *r.conditions) for n in walk(part)]
        written = {w.stem for n in nodes if (w := names.written(n)) is not None}
        written |= {c for n in nodes if (c := letter(n)) is not None}
        softmax = any(isinstance(n, Operator) and n.name == "softmax" for n in nodes)
        places = set()
        for n in nodes:
            w = names.written(n) if isinstance(n, Scripted) else None
            letters = [letter(s.node) for s in w.slots] if w is not None else []
            if len(letters) == 2 and self.axis_letter in letters:
                places.add("row" if letters[1] == self.axis_letter else "column")
        self.side = places.pop() if len(places) == 1 else None
        for d in self.all:
            if d.kind == "softmax":
                d.used = softmax and (self.axis is not None or self.axis_letter in written)
            elif d.kind in ("tokens", "base") and not d.subject:
                d.used = bool(readings)
            elif d.kind in ("given", "macro"):
                continue  # what is given is an item of its own; macros are asked for by the reader
            else:
                d.used = bool(self.stems(names, d) & written)

    def notes(self, names: Names, stems: set[str]) -> Iterator[Note]:
        """The conventions that an equation with these names rests on; the axis of a softmax is noted where it is used."""
        for d in self.all:
            if d.kind not in ("given", "macro", "softmax") and self.stems(names, d) & stems:
                yield Note("declared", (d.text,), place=d.place)
