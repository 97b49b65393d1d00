"""Names that the program made to keep indices and sizes apart, numbered anew for the reader of one item."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from derivations.documents.model.finding import Finding
from derivations.kernel.proof import steps_of
from derivations.language.index import guard_free
from derivations.language.substitution import own_indices
from derivations.language.term import Term
from derivations.latex.syntax.function_names import as_called
from derivations.provers.decide import Proved

_NUMBERED = re.compile(r"([A-Za-z_]*[A-Za-z])(\d+)")
_WORD = re.compile(r"[A-Za-z_]\w*")


def short_names(f: Finding, texts: Iterable[str] = ()) -> dict[str, str]:
    """The names that are shown instead of generated ones: `k24` and `k25` as `k` and `k1` where these are free.

    `texts` are canonical texts that are shown with the item.  What the author wrote stays as it is, and two names stay two.
    """
    made, heads = _names_in(_terms(f))
    for s in f.statements or ((f.statement,) if f.statement is not None else ()):
        made |= {*s.indices, *guard_free(s.guard), *(size for c in s.guard for size in c.index.sizes)}
    words = {w for text in (f.source, *f.display) for w in _WORD.findall(text)}
    words_of_texts = {w for text in texts for w in _WORD.findall(text)}
    numbered = {n: found for n in made if n not in words | heads and (found := _NUMBERED.fullmatch(n))}
    taken = (made | heads | words | words_of_texts) - set(numbered)
    shown: dict[str, str] = {}
    for name, found in sorted(numbered.items(), key=lambda row: (row[1][1], int(row[1][2]))):
        new = next(new for new in _candidates(found[1]) if new not in taken)
        taken.add(new)
        if new != name:
            shown[name] = new
    return shown


def _candidates(stem: str) -> Iterator[str]:
    yield stem
    number = 1
    while True:
        yield f"{stem}{number}"
        number += 1


def _names_in(terms: Iterable[Term]) -> tuple[set[str], set[str]]:
    """Names of indices and sizes, and of tensors."""
    made: set[str] = set()
    heads: set[str] = set()
    seen: set[Term] = set()
    stack = list(terms)
    while stack:
        t = stack.pop()
        if t in seen:
            continue
        seen.add(t)
        heads |= t.heads
        for index in own_indices(t):
            made |= index.free | index.sizes
        for k in range(len(t.children)):
            made.update(t.binding(k)[0])
        stack += t.children
    return made, heads


def _terms(f: Finding) -> list[Term]:
    found = [side for s in f.statements or ((f.statement,) if f.statement else ()) for side in (s.left, s.right)]
    if f.definition is not None:
        found.append(f.definition.body)
    if isinstance(f.decision, Proved):
        found += [side for s in steps_of(f.decision.theorem.proof) for side in (s.before, s.after)]
    return found


def renamed(text: str, names: Mapping[str, str]) -> str:
    """A text with the names that are shown."""
    return _WORD.sub(lambda found: names.get(found[0], found[0]), text) if names else text


def as_read(text: str, names: Mapping[str, str]) -> str:
    """A text for people with the names that are shown, those of laws as they are called: `p(y|x)`."""
    return _WORD.sub(lambda found: names.get(found[0]) or as_called(found[0]), text)
