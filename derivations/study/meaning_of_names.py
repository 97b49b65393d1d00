"""What each name of an equation was taken for, and where that comes from; what would settle an open reading."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from derivations.documents.facts.declarations import members
from derivations.documents.model.document import Place
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.lexicon.written_names import Written
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import Name, Node, Scripted, walk
from derivations.study.equation_walk import Item, Key
from derivations.study.state import Study


@dataclass(frozen=True)
class Meaning:
    """One name: as it is written, what it is, and where that comes from."""

    written: str
    kind: str
    origin: str


RANKS = {0: "scalar", 1: "vector", 2: "matrix"}


def key_of(study: Study, position: int) -> Key | None:
    """The relation of the document that a finding of a document is about."""
    keys = sorted({**study.text.unread, **study.main.findings})
    return keys[position] if 0 <= position < len(keys) else None


def item_of(study: Study, key: Key) -> Item | None:
    """The equation of a relation; None when it could not be read at all."""
    return next((i for i in study.items if (i.span.index, i.number) == key[:2]), None)


def meanings(study: Study, item: Item, key: Key) -> Iterator[Meaning]:
    """Every name of an equation, in the order in which they are written."""
    study = study.parts.get(key, study)
    seen: set[str] = set()
    covered: set[int] = set()
    for node in walk(item.reading.chain):
        if id(node) in covered or not isinstance(node, Name | Scripted):
            continue
        if isinstance(node, Scripted):
            covered.add(id(node.base))
        w = study.names.written(node)
        if w is None or w.stem in seen:
            continue
        seen.add(w.stem)
        latex = study.text.latex.get(w.stem, w.stem)
        symbol = study.table.symbols.get(w.stem)
        c = letter(node)
        if symbol is not None:
            yield Meaning(latex, _kind(study, symbol), _origin(study, symbol, key))
        elif w.stem in study.names.sizes or study.table.is_size(w):
            yield Meaning(latex, "size", _size_origin(study, w))
        elif w.stem in study.names.functions:
            yield Meaning(latex, "function", "it is written with arguments")
        elif c is not None and c in study.names.index_letters:
            yield Meaning(latex, *_index(study, c))
        else:
            yield Meaning(latex, "not known", "nothing defines, declares or uses it elsewhere")


def _kind(study: Study, symbol: Symbol) -> str:
    sizes = [str(study.table.sizes.index(d)) for d in symbol.dims]
    if symbol.parameters is not None:
        return f"function of {len(symbol.parameters)} arrays"
    orient = {"row": "row ", "column": "column "}.get(symbol.orient, "") if len(sizes) == 1 else ""
    kind = orient + RANKS.get(len(sizes), f"array of {len(sizes)} axes")
    if symbol.stem in study.table.permutations and not symbol.defined:
        kind = "permutation matrix"
    return f"{kind} ({', '.join(sizes)}), indices from {symbol.base}" if sizes else kind


def _origin(study: Study, symbol: Symbol, key: Key) -> str:
    if symbol.defined:
        origin = study.main.origins.get(symbol.head)
        item = item_of(study, origin) if origin is not None else None
        return "defined here" if origin == key else f"defined at {_at(item.span.place)}" if item else "defined"
    for d in study.text.conventions.all:
        if d.kind in ("shape", "name") and symbol.stem in study.text.conventions.stems(study.names, d):
            return f"declared at {_at(d.place)}: {d.text}"
    if symbol.stem in study.table.declared:
        for item in study.items:
            for chain in (item.reading.chain, *item.reading.conditions):
                links = getattr(chain, "links", ())
                if links and links[0][0] == "in" and symbol.stem in _stems(study, getattr(chain, "first", None)):
                    return f"the text at {_at(item.span.place)}: {item.span.source.strip()}"
    if symbol.stem in study.table.permutations:
        return "the text calls it a permutation matrix"
    if symbol.stem in study.table.one_hot:
        return "the text calls it one-hot"
    return "given; its shape is inferred from how it is used"


def _stems(study: Study, node: Node | None) -> set[str]:
    return {w.stem for n in members(node) if (w := study.names.written(n)) is not None}


def _size_origin(study: Study, w: Written) -> str:
    for d in study.text.conventions.all:
        if d.kind in ("shape", "range", "name") and w.stem in d.value + d.subject:
            return f"declared at {_at(d.place)}: {d.text}"
    for item in study.items:
        if any((x := study.names.written(n)) is not None and x.stem == w.stem for n in walk(item.reading.chain)):
            return f"a shape or an upper limit, first at {_at(item.span.place)}"
    return "a shape or an upper limit"


def _index(study: Study, c: str) -> tuple[str, str]:
    stated = study.table.ranges.get(c)
    if stated is not None:
        base, dim = stated
        return f"index from {base}, {study.table.sizes.index(dim)} values", "its range is stated"
    base = study.names.document_base
    said = "stated" if study.names.base_is_stated else "a reading"
    return f"index from {base}", f"it occurs in index positions; that indices start from {base} is {said}"


def _at(place: Place) -> str:
    cell = f"cell {place.cell}, " if place.cell is not None else ""
    return f"{cell}line {place.line}"


def settling(study: Study, key: Key) -> Iterator[str]:
    """The declarations that would settle what is open in an equation and in the definitions that it uses."""
    keys, todo = {key}, [key]
    while todo:
        for k in study.main.uses.get(todo.pop(), ()):
            if k not in keys:
                keys.add(k)
                todo.append(k)
    said: set[str] = set()
    for k in sorted(keys):
        for choice in study.main.choices.get(k, ()):
            if choice.settled:
                continue
            for option in choice.options:
                words = {
                    "softmax-axis": f"softmax: {'rows' if option == 'last' else 'columns'}",
                    "softmax-index": f"softmax: axis {option}",
                    "vectors": f"tokens: {'rows' if option == 'dot' else 'columns'}",
                }.get(str(choice.key[1]))
                if words is not None and words not in said:
                    said.add(words)
                    yield words
    item = item_of(study, key)
    for node in walk(item.reading.chain) if item is not None else ():
        w = study.names.written(node) if isinstance(node, Name | Scripted) else None
        symbol = study.table.symbols.get(w.stem) if w is not None else None
        if w is None or symbol is None or symbol.defined or symbol.exact or not study.names.shaky(symbol.stem):
            continue
        sizes = ", ".join(str(study.table.sizes.index(d)) for d in symbol.dims)
        words = f"{study.text.latex.get(w.stem, w.stem)}: ({sizes})"
        if words not in said:
            said.add(words)
            yield words
