"""No pattern over a document takes a power of the length of what it reads.

All patterns of the packages that read are collected: those that modules hold, and those that a call of `re` is given.
Each reads texts made to hurt it: a beginning of what it matches, then one of its pieces again and again, then what it
cannot match.  Twice as long a text may take twice as long, and not four times.
"""

import ast
import importlib
import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from re import _constants as codes
from re import _parser as parser
from typing import Any

import pytest

from derivations.documents.model.document import with_single_spaces

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {
    "derivations.documents": ROOT / "derivations" / "documents",
    "derivations.latex": ROOT / "derivations" / "latex",
    "derivations.study": ROOT / "derivations" / "study",
    "derivations.code": ROOT / "derivations" / "code",
    "derivations.reports": ROOT / "reports",
}
KINDS_OF_FACTS = frozenset(
    path.stem for path in (PACKAGES["derivations.documents"] / "facts" / "kinds").glob("[a-z]*.py")
)
OF_WORDS = frozenset(
    {"rows_and_columns", "sentence_patterns", "distributions", "declarations", "shapes", "languages"}
    | {"about_words", "known_text", "role_words", "about_versions"}
    | KINDS_OF_FACTS
)
"""Modules whose patterns see the words of a document alone, in which white space comes singly."""
OF_SOURCES = frozenset({"TIMES"})
"""Patterns of these that see formulas as written."""
MADE = {
    "languages.py": 2, "strategies.py": 2, "latex_file.py": 1, "mathspans.py": 1, "shape.py": 2, "fact.py": 1,
    "model.py": 1, "decomposition.py": 1, "redact.py": 1, "__init__.py": 1, "matrix.py": 1, "role_words.py": 1, "differentiated_symbols.py": 1,
}  # fmt: skip
"""Patterns made while a function runs: words of a table or of the document, quoted. How many each file has."""
BOUNDED = {
    r"!?\[([^\]]*)\]\([^)]*\)": "a heading longer than MAX_HEADING is left as it is",
    r"""\"(?:\\.|[^"\\])*+"|'(?:\\.|[^'\\])*+'""": "a list that `_ENTRY` found has at most 999 pieces",
}
"""Patterns whose texts have a greatest length, and why."""
MOST, FLOOR, RATIO = 3_000, 0.002, 3.0
"""Characters up to which a text is made longer, the seconds from which its growth is looked at, and what is too much."""
SQUARE = 6.0
"""What is too much for `sentence_patterns`: its patterns look for a word and then for the end of the sentence, and are given no more
than `MAX_SENTENCE` characters before or after a formula.  The square of that is milliseconds, its cube is not."""
SEARCHING = frozenset({"search", "finditer", "findall", "sub", "subn", "split"})
RANGE = [k for k in range(0x10000) if not 0xD800 <= k < 0xE000]
LETTERS = "a xZ0.,:;\\{}[]()$%\"'`_^=<>#*-~\n\t⟦1⟧|&/"
ALWAYS = ("", " "), ("", "\n"), ("", "% \n"), ("", "{"), ("", "{}"), ("", "\\"), ("", "a "), ("", "⟦1⟧"), ("", "⟦1⟧, ")


# --- which patterns there are -----------------------------------------------------------------------------------------


def held(value: Any) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(getattr(value, "pattern", None), re.Pattern):  # a row of a table
        yield value.pattern
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from held(inner)
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from held(inner)


def calls(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The function of `re`, and what it is given as the pattern."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            if isinstance(node.func.value, ast.Name) and node.func.value.id == "re" and node.func.attr != "escape":
                yield node.func.attr, node.args[0]


def uses(name: str, texts: Iterable[str]) -> set[str]:
    return {m for text in texts for m in re.findall(rf"\b{name}\.(\w+)\(", text)}


def collected() -> tuple[dict[str, tuple[re.Pattern[str], str, bool]], dict[str, int]]:
    """By a name: a pattern, `search` or `match`, and whether it sees words alone; and how many each file makes."""
    files = {package: sorted(folder.rglob("*.py")) for package, folder in PACKAGES.items()}
    texts = {path: path.read_text(encoding="utf-8") for paths in files.values() for path in paths}
    found: dict[str, tuple[re.Pattern[str], str, bool]] = {}
    made: dict[str, int] = {}
    for package, paths in files.items():
        for path in paths:
            inner = path.relative_to(PACKAGES[package]).with_suffix("").parts
            module = importlib.import_module(".".join([package, *(k for k in inner if k != "__init__")]))
            tree = ast.parse(texts[path])
            own = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            for name, value in vars(module).items():
                for k, pattern in enumerate(held(value) if name in own else ()):
                    used = uses(name, [texts[path]] if name.startswith("_") else texts.values())
                    how = "match" if used and not used & SEARCHING else "search"
                    found[f"{path.name} {name} {k}"] = pattern, how, path.stem in OF_WORDS and name not in OF_SOURCES
            for k, (function, node) in enumerate(calls(tree)):
                try:
                    source = eval(compile(ast.Expression(node), path.name, "eval"), vars(module))
                except NameError:
                    made[path.name] = made.get(path.name, 0) + 1
                    continue
                if function != "compile" and isinstance(source, str) and source not in BOUNDED:
                    how = "search" if function in SEARCHING else "match"
                    found[f"{path.name} re.{function} {k}"] = re.compile(source), how, path.stem in OF_WORDS
    return found, made


PATTERNS, MADE_THERE = collected()


# --- texts that hurt --------------------------------------------------------------------------------------------------


def pieces(tree: Any, rng: random.Random) -> list[str]:
    """The characters of a text that the parsed pattern may match, its conditions aside."""
    out: list[str] = []
    for code, value in tree:
        match code:
            case codes.LITERAL:
                out.append(chr(value))
            case codes.NOT_LITERAL:
                out.append("y" if value == ord("x") else "x")
            case codes.ANY:
                out.append(rng.choice("a \\"))
            case codes.IN:
                out.append(one_of(value, rng))
            case codes.BRANCH:
                out += pieces(rng.choice(value[1]), rng)
            case codes.SUBPATTERN:
                out += pieces(value[3], rng)
            case codes.ATOMIC_GROUP:
                out += pieces(value, rng)
            case codes.MAX_REPEAT | codes.MIN_REPEAT | codes.POSSESSIVE_REPEAT:
                least, most, inner = value
                for _ in range(int(rng.choice((least, min(most, max(least, 1)), min(most, least + 1))))):
                    out += pieces(inner, rng)
    return out


def one_of(items: Sequence[Any], rng: random.Random) -> str:
    within = re.compile("[" + "".join(map(written, items)) + "]")
    return rng.choice([c for c in LETTERS if within.match(c)] or [next(c for c in map(chr, RANGE) if within.match(c))])


def written(item: Any) -> str:
    """A part of a set of characters, as it is written."""
    code, value = item
    if code is codes.NEGATE:
        return "^"
    if code is codes.RANGE:
        return f"\\U{value[0]:08x}-\\U{value[1]:08x}"
    if code is codes.CATEGORY:
        letter = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[str(value).rpartition("_")[2]]
        return "\\" + (letter.upper() if "_NOT_" in str(value) else letter)
    return f"\\U{value:08x}"


def attacks(pattern: re.Pattern[str], count: int) -> Iterator[tuple[str, str]]:
    """A beginning, and what is repeated after it."""
    yield from ALWAYS
    rng = random.Random(ascii(pattern.pattern))
    tree = parser.parse(pattern.pattern, pattern.flags)
    for _ in range(count):
        sample = pieces(tree, rng)
        if sample:
            start = rng.randrange(len(sample))
            stop = rng.randrange(start + 1, len(sample) + 1)
            before = "".join(sample[:start])
            yield from ((before, "".join(sample[start:stop])), (before, sample[start]), ("", "".join(sample[:stop])))


def seconds(read: Callable[[str], object], text: str, runs: int = 1) -> float:
    taken = []
    for _ in range(runs):
        start = time.process_time()
        read(text)
        taken.append(time.process_time() - start)
    return min(taken)


def growth(read: Callable[[str], object], text: Callable[[int], str]) -> float:
    """How many times longer twice the text takes, near the length where that can be told; 1 where no length shows it."""
    length = 12
    while length < MOST and seconds(read, text(length)) < FLOOR:
        length = length * 4 // 3 + 1
    if length >= MOST:
        return 1.0
    return seconds(read, text(length), 3) / max(seconds(read, text(length // 2), 3), 1e-9)


def reader(pattern: re.Pattern[str], how: str) -> Callable[[str], object]:
    return pattern.match if how == "match" else lambda text: sum(1 for _ in pattern.finditer(text))


def worst(pattern: re.Pattern[str], how: str, words: bool, count: int) -> tuple[float, str, str]:
    read, found = reader(pattern, how), (1.0, "", "")
    for before, again in attacks(pattern, count):

        def text(length: int, before: str = before, again: str = again) -> str:
            made = before + again * max(1, (length - len(before)) // len(again)) + "\0"
            return with_single_spaces(made) if words else made

        if len(text(400)) < 200:  # nothing but white space was repeated
            continue
        ratio = growth(read, text)
        if ratio > RATIO:  # another process may have had the machine
            ratio = min(ratio, *(growth(read, text) for _ in range(4)))
        if ratio > found[0]:
            found = ratio, before, again
    return found


def allowed(name: str) -> float:
    stem = name.partition(".py")[0]
    return SQUARE if stem in KINDS_OF_FACTS | {"sentence_patterns", "role_words", "about_versions"} else RATIO


# --- the tests --------------------------------------------------------------------------------------------------------


def test_all_patterns_are_known() -> None:
    assert len(PATTERNS) > 230
    assert {name: count for name, count in MADE_THERE.items() if count} == {k: v for k, v in MADE.items() if v}


@pytest.mark.parametrize("name", PATTERNS)
def test_time_grows_with_the_text(name: str) -> None:
    ratio, before, again = worst(*PATTERNS[name], count=8)
    assert ratio <= allowed(name), f"{ratio:.1f} times as long for {before!r} and twice as often {again!r}"


@pytest.mark.fuzz
@pytest.mark.parametrize("name", PATTERNS)
def test_time_grows_with_many_texts(name: str) -> None:
    ratio, before, again = worst(*PATTERNS[name], count=100)
    assert ratio <= allowed(name), f"{ratio:.1f} times as long for {before!r} and twice as often {again!r}"


@pytest.mark.parametrize("pattern", [r"\d+\s*,?\s*\s*the", r"(?:a|a\w)*x", r"a.*b.*c.*d", r"\s*\s*x"])
def test_a_pattern_that_grows_is_found(pattern: str) -> None:
    assert worst(re.compile(pattern), "search", False, count=8)[0] > RATIO
