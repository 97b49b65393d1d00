r"""Words spelled with italic letters: `Attention(Q,K,V)=softmax(\ldots)`, `PE(pos, 2i)`.

LaTeX sets every letter as a variable of its own; what is meant shows in the source: letters that touch one another and
stand before parentheses with a list, or that spell an operator or a word of the field.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from derivations.latex.passes.divergences import with_arguments
from derivations.latex.passes.short_forms import mapped_readings
from derivations.latex.syntax.letters import GREEK
from derivations.latex.syntax.notation import OPERATORS
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Listed,
    Literal,
    Mark,
    Name,
    Node,
    Operator,
    Reading,
    Scripted,
    Words,
    fields_of,
    walk_reading,
)

WORDS = frozenset(
    [
        "pos",
        "out",
        "output",
        "value",
        "values",
        "key",
        "keys",
        "query",
        "score",
        "scores",
        "weight",
        "weights",
        "head",
        "heads",
        "attn",
        "attention",
        "mask",
        "input",
        "inputs",
        "softmax",
        "length",
        "loss",
        "step",
    ]
)
DOTS = frozenset({"dots", "ldots", "cdots"})
"""What is written for dots without a backslash."""
VOWELS = frozenset("aeiouyAEIOUY")


def words_with_lists(readings: Iterable[Reading]) -> frozenset[str]:
    r"""The words of capitals below which lists of indices stand: the PE of `PE_{(t, 2i)}` and `\text{PE}_{t, 2i}`."""
    return frozenset(
        n.base.base
        for r in readings
        for n in walk_reading(spelled(r))
        if isinstance(n, Scripted)
        and isinstance(n.base, Name)
        and n.base.font == "roman"
        and len(n.base.base) > 1
        and n.base.base.isalpha()
        and n.base.base.isupper()
        and isinstance(n.sub.content if isinstance(n.sub, Enclosed) else n.sub, Listed)
    )


def spelled(reading: Reading, words: frozenset[str] = frozenset()) -> Reading:
    """The reading with runs of letters joined that spell a name; `words` are such names elsewhere in the document."""
    reading = _with_words(reading, words) if words else reading
    chain = _joined(reading.chain)
    first = reading.chain.first
    if isinstance(chain, Chain) and isinstance(first, Adjacent) and isinstance(first.items[0], Words):
        inner = chain.first
        if isinstance(inner, Adjacent) and len(inner.items) > 1 and chain.links:  # "where A = …"
            rest = inner.items[1:]
            chain = replace(chain, first=rest[0] if len(rest) == 1 else replace(inner, items=rest))
    return replace(
        reading,
        chain=chain,  # type: ignore[arg-type]
        conditions=tuple(_joined(c) for c in reading.conditions),
    )


def _with_words(reading: Reading, words: frozenset[str]) -> Reading:
    """The reading with capitals joined that touch and spell one of some words."""

    def change(node: Node) -> Node:
        if not isinstance(node, Adjacent):
            return node
        items: list[Node] = []
        for item in node.items:
            items.append(item)
            for count in range(2, len(items) + 1):
                joined = _capitals(items[-count:])
                if joined is not None and _base(joined).base in words:
                    items[-count:] = [joined]
                    break
        if len(items) == len(node.items):
            return node
        return items[0] if len(items) == 1 else replace(node, items=tuple(items))

    (new,) = mapped_readings([reading], change)
    return new


def _base(node: Name | Scripted) -> Name:
    return node.base if isinstance(node, Scripted) else node  # type: ignore[return-value]


def _capitals(nodes: Sequence[Node]) -> Name | Scripted | None:
    """Letters that touch as one name, with what stands below and above the last of them."""
    last = nodes[-1]
    names = [*nodes[:-1], last.base if isinstance(last, Scripted) else last]
    if not all(isinstance(n, Name) and _of_word(n) and n.base.isupper() for n in names):
        return None
    if any(a.span[1] != b.span[0] for a, b in pairwise(names)):
        return None
    span = (names[0].span[0], names[-1].span[1])
    word = Name(span, "".join(n.base for n in names if isinstance(n, Name)), "roman")
    return replace(last, span=(span[0], last.span[1]), base=word) if isinstance(last, Scripted) else word


def _joined(node: Node, script: bool = False) -> Node:
    r"""A node with all runs below it joined; `\langle E \rangle` is one name, unless it is a script: `x^{\langle t \rangle}`."""
    changed: dict[str, object] = {}
    for name in fields_of(node):
        value = getattr(node, name)
        if isinstance(value, Node):
            changed[name] = _joined(value, isinstance(node, Scripted) and name != "base")
        elif isinstance(value, tuple):
            changed[name] = _tuple(value)
    if any(changed[name] is not getattr(node, name) for name in changed):
        node = replace(node, **changed)  # type: ignore[arg-type]
    if isinstance(node, Adjacent):
        joined = _adjacent(with_arguments(node))
        return joined if script or not isinstance(joined, Adjacent) else _numbered(joined)
    if isinstance(node, Name) and node.font == "roman":
        return _subscripted(node)
    if isinstance(node, Enclosed) and node.kind == "langle" and isinstance(node.content, Name) and not script:
        return replace(node.content, span=node.span, accents=(*node.content.accents, "mean"))
    if isinstance(node, Enclosed) and node.kind == "[]" and isinstance(node.content, Adjacent):
        return _row_of_blocks(node, node.content)
    return node


def _numbered(node: Adjacent) -> Node:
    """`x1` as `x_1`, `pos1` as `pos_1`: nobody writes a factor after a name, and right at it."""
    items: list[Node] = []
    for item in node.items:
        before = items[-1] if items else None
        touch = isinstance(before, Name) and isinstance(item, Literal) and before.span[1] == item.span[0]
        if (
            touch
            and isinstance(before, Name)
            and isinstance(item, Literal)
            and before.span[1] - before.span[0] == len(before.base)  # letters as they stand, no command
            and item.text.isdigit()
        ):
            items[-1] = Scripted((before.span[0], item.span[1]), before, item, None)
        else:
            items.append(item)
    if len(items) == len(node.items):
        return node
    return items[0] if len(items) == 1 else replace(node, items=tuple(items))


def _row_of_blocks(node: Enclosed, content: Adjacent) -> Enclosed:
    r"""`[H_1 \;\; H_2 \;\; \cdots \;\; H_r]` as a list: names with indices and dots between them."""
    members = [n for n in content.items if not isinstance(n, Mark)]
    dots = [n for n in content.items if isinstance(n, Mark)]
    named = all(isinstance(n, Scripted) and isinstance(n.base, Name) for n in members)
    if len(dots) != 1 or dots[0].kind != "dots" or len(members) < 2 or not named or content.items[-2] is not dots[0]:
        return node
    if len({n.base.base for n in members if isinstance(n, Scripted) and isinstance(n.base, Name)}) != 1:
        return node
    return replace(node, content=Listed(content.span, content.items))


def _subscripted(node: Name) -> Node:
    """`\\mathrm{head_i}` is `head` with the index i; `\\text{attn\\_weights}` is one word."""
    stem, _, index = node.base.partition("_")
    if stem.isalpha() and len(stem) > 1 and len(index) == 1:
        at = node.span[1]
        return Scripted(node.span, replace(node, base=stem), Name((at - 1, at), index), None)
    return node


def _tuple(values: tuple[object, ...]) -> tuple[object, ...]:
    new = tuple(_joined(v) if isinstance(v, Node) else _tuple(v) if isinstance(v, tuple) else v for v in values)
    return values if all(a is b for a, b in zip(values, new, strict=True)) else new


def _underscored(items: tuple[Node, ...]) -> tuple[Node, ...]:
    """The items with words such as `dot\\_product_i` as one name; `d\\_model` is d with a label."""
    found: list[Node] = []
    k = 0
    while k < len(items):
        end = k
        while end + 1 < len(items) and _of_word(items[end]) and items[end].span[1] == items[end + 1].span[0]:
            end += 1
        last = items[end]
        if end > k and not _of_word(last.base if isinstance(last, Scripted) else last):
            end, last = end - 1, items[end - 1]
        parts = [*items[k:end], last.base if isinstance(last, Scripted) else last]
        text = "".join(n.base if isinstance(n, Name) else n.text if isinstance(n, Literal) else "" for n in parts)
        head, _, rest = text.partition("_")
        if not head.isalpha() or not rest or text.endswith("_") or (len(head) == 1 and isinstance(last, Scripted)):
            found.append(items[k])
            k += 1
            continue
        span = (items[k].span[0], parts[-1].span[1])
        if len(head) == 1:
            found.append(Scripted(span, Name(span, head), Name(span, rest, "" if len(rest) == 1 else "roman"), None))
        else:
            word = Name(span, text, "roman")
            found.append(replace(last, span=(span[0], last.span[1]), base=word) if isinstance(last, Scripted) else word)
        k = end + 1
    return tuple(found)


def _of_word(node: Node) -> bool:
    """A letter, a digit or an underscore that may be part of a word."""
    if isinstance(node, Literal):
        return node.text.isdigit()
    return isinstance(node, Name) and len(node.base) == 1 and not node.font and not node.accents and not node.primes


def _adjacent(node: Adjacent) -> Node:
    whole = _underscored(node.items)
    if len(whole) == 1:
        return whole[0]
    node = node if len(whole) == len(node.items) else replace(node, items=whole)
    items: list[Node] = []
    run: list[Name] = []
    for item in (*node.items, None):
        plain = (
            isinstance(item, Name)
            and len(item.base) == 1
            and item.base.isalpha()
            and not item.font
            and not item.accents
        )
        if plain and isinstance(item, Name) and not item.primes and (not run or run[-1].span[1] == item.span[0]):
            run.append(item)
            continue
        scripted = _scripted_word(run, item)
        if scripted is not None:
            items.append(scripted)
            run = []
            continue
        if run:
            word = _word(run, item)
            if word is not None and isinstance(word, Operator):
                items.append(word)
                run = []
                continue
            items += [word] if word is not None else run
        run = [item] if plain and isinstance(item, Name) and not item.primes else []
        if item is not None and not run:
            items.append(item)
    if len(items) == len(node.items):
        return node
    return items[0] if len(items) == 1 else replace(node, items=tuple(items))


def _scripted_word(run: list[Name], item: Node | None) -> Node | None:
    """`PE_{(pos, i)}`: capitals that touch, the last of them with a list of indices in parentheses."""
    if not run or not isinstance(item, Scripted) or item.sup is not None:
        return None
    listed = isinstance(item.sub, Enclosed) and item.sub.kind == "()" and isinstance(item.sub.content, Listed)
    return _capitals([*run, item]) if listed or _has_even_place(item.sub) else None


def _has_even_place(below: Node | None) -> bool:
    """`pos, 2i`: a list with the double of a letter in it, as of positional encodings."""
    parts = [p for n in below.items for p in (n, *n.parts)] if isinstance(below, Listed) else []
    return any(isinstance(p, Adjacent) and isinstance(p.items[0], Literal) and p.items[0].text == "2" for p in parts)


def _word(run: list[Name], after: Node | None) -> Node | None:
    """The name or the operator that a run of letters spells, or None."""
    if len(run) < 2:
        return None
    text = "".join(n.base for n in run)
    span = (run[0].span[0], run[-1].span[1])
    if text in DOTS:
        return Mark(span, "dots")
    if text in GREEK and len(text) > 3:  # a backslash is missing, or it is Typst
        return Name(span, text)
    called = isinstance(after, Enclosed) and after.kind == "()" and span[1] == after.span[0]
    if called and isinstance(after, Enclosed):
        if text in OPERATORS and len(text) > 2:
            arguments = after.content.items if isinstance(after.content, Listed) else (after.content,)
            return Operator(
                (span[0], after.span[1]), OPERATORS[text], None, None, tuple(a for a in arguments if a is not None)
            )
        if isinstance(after.content, Listed) or (len(text) >= 4 and VOWELS & set(text)):
            return Name(span, text, "roman")
    if text in WORDS:
        return Name(span, text, "roman")
    return None
