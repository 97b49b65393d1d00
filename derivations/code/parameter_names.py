"""What the parameters of layers are that the document calls otherwise: `fc1` for $W_1$, `scale` for $\\gamma$.

Each row of `EVIDENCE` says of a parameter and a symbol whether they are the same thing; what is left after all rows is
admissible.  Whether a proof succeeds is no evidence: where it only succeeds for some of what is left, nothing is proved.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from derivations.code.compare.document_symbols import Symbols, Target
from derivations.code.compare.spelling import numbered, spelled
from derivations.code.compare.unfolded_definitions import unfolded
from derivations.code.program import Program
from derivations.language.substitution import subterms
from derivations.language.term import Add, Entry, Mul
from derivations.lifting.symbolic.scope import Input

MAX_ASSIGNMENTS = 24
"""How many ways to name the parameters of layers are looked at."""
MAX_COMPARED = 6
"""How many of those that are left are compared with the code; more are too many to choose from."""
GAINS = frozenset({"gain", "scale", "gamma", "weight", "multiplier"})
SHIFTS = frozenset({"shift", "bias", "beta", "offset"})
"""Words for the factor and the summand of an entrywise affine map."""


@dataclass(frozen=True)
class Known:
    """What evidence may look at."""

    symbols: Symbols
    target: Target
    remarks: Mapping[str, str]
    """Name of a parameter -> the comment on the line that makes it."""
    factors: frozenset[str]
    """Symbols that are factors of the equation, and no summands."""
    summands: frozenset[str]
    numbers: Mapping[str, str]
    """Name of a parameter -> the symbol with its number, where the numbers of all of them correspond."""
    subscripts: frozenset[str] = frozenset()
    """What stands below the symbols that are left."""
    left: frozenset[str] = frozenset()
    """The symbols that are left."""


@dataclass(frozen=True)
class Evidence:
    """A reason to take a parameter for a symbol (True), or for another one (False); None where it says nothing."""

    name: str
    says: Callable[[Known, Input, str], bool | None]
    example: str


def _remark(known: Known, given: Input, head: str) -> bool | None:
    """The comment beside the line that makes the parameter names one of the symbols."""
    text = known.remarks.get(given.name.removesuffix(".bias"), "")
    words = re.findall(r"[A-Za-z]\w*", text.replace("{", "").replace("}", ""))
    symbols = {spelled(h) for h in known.symbols.in_order(known.target.head)}
    named = {spelled(w) for w in words} & symbols
    if given.origin == "bias":
        named = {w for w in named if len(_shape(known, w)) == len(given.shape)}
    return spelled(head) in named if named else None


def _shape(known: Known, name: str) -> tuple[object, ...]:
    heads = [h for h in known.symbols.theory.tensors if spelled(h) == name]
    return known.symbols.theory.tensors[heads[0]].shape if heads else ()


def _number(known: Known, given: Input, head: str) -> bool | None:
    partner = known.numbers.get(given.name)
    return None if partner is None else partner == head


def _subscript(known: Known, given: Input, head: str) -> bool | None:
    """A subscript that one of the symbols has: `lse_a` is no $\\ell_b$ beside an $\\ell_a$."""
    own = _below(given.name)
    return _below(head) == own if own in known.subscripts else None


def _part_of_name(known: Known, given: Input, head: str) -> bool | None:
    """A symbol that is one of the words of the name: `lora_A` is A where there is an A."""
    named = known.left & set(given.name.split("_"))
    return head in named if named else None


def _below(name: str) -> str:
    base, _, below = name.split("#")[0].rpartition("_")
    return below if base else ""


def _initial_value(known: Known, given: Input, head: str) -> bool | None:
    """What starts at one scales, and what starts at zero is added; so is the bias of a layer."""
    if given.initial == 1:
        return _role(known, head, known.factors)
    return _role(known, head, known.summands) if given.initial == 0 or given.origin == "bias" else None


def _word(known: Known, given: Input, head: str) -> bool | None:
    words = set(re.findall(r"[a-z]+", given.name.lower()))
    if bool(words & GAINS) == bool(words & SHIFTS):
        return None
    return _role(known, head, known.factors if words & GAINS else known.summands)


def _role(known: Known, head: str, wanted: frozenset[str]) -> bool | None:
    return head in wanted if head in known.factors | known.summands else None


EVIDENCE = (
    Evidence("a comment beside it", _remark, "self.fc1 = nn.Linear(d, d)  # W_1"),
    Evidence("the same number", _number, "fc1, fc2 for W_1, W_2"),
    Evidence("the same subscript", _subscript, "lse_a, lse_b for ell_a, ell_b"),
    Evidence("a word of its name", _part_of_name, "lora_A, lora_B for A, B"),
    Evidence("its initial value", _initial_value, "nn.Parameter(torch.ones(d)) for a factor"),
    Evidence("what it is called", _word, "self.shift for a summand"),
)
"""From the surest reason to the weakest one; names that are spelled as the symbol are not asked for here."""


def admissible_assignments(
    symbols: Symbols,
    target: Target,
    lost: Sequence[Input],
    left: Sequence[str],
    program: Program,
    block: int,
    called: Mapping[str, str],
) -> list[dict[str, str]]:
    """The ways to take the `lost` parameters for some of the symbols `left` that no evidence speaks against.

    A parameter has the axes of its symbol; one with the shape of a symbol and more axes in front is in `called`.
    """
    known = _known(symbols, target, lost, left, program, block)
    found: list[tuple[str, ...]] = []
    for chosen in permutations(left, len(lost)):
        pairs = list(zip(lost, chosen, strict=True))
        if all(len(symbols.shape(h)) == len(i.shape) or called.get(i.name) == h for i, h in pairs):
            found.append(chosen)
            if len(found) > MAX_ASSIGNMENTS:
                return []
    for row in EVIDENCE:
        kept = [c for c in found if all(row.says(known, i, h) is not False for i, h in zip(lost, c, strict=True))]
        found = kept or found
    return [{i.head: h for i, h in zip(lost, c, strict=True)} for c in found]


def _known(
    symbols: Symbols, target: Target, lost: Sequence[Input], left: Sequence[str], program: Program, block: int
) -> Known:
    factors, summands = roles_in(symbols, target)
    numbers = {n: h for group in _groups(lost, left, symbols) for n, h in _by_number(*group)}
    remarks = dict(_remarks(program, block))
    subscripts = frozenset(filter(None, map(_below, left)))
    return Known(symbols, target, remarks, factors, summands, numbers, subscripts, frozenset(left))


def roles_in(symbols: Symbols, target: Target) -> tuple[frozenset[str], frozenset[str]]:
    """The names that are factors of an equation and no summands, and those that are summands and no factors."""
    factors: set[str] = set()
    summands: set[str] = set()
    for d in target.definitions:
        for t in subterms(unfolded(d.body, symbols.theory, frozenset())):
            if isinstance(t, Mul | Add):
                own = {a.name for a in t.args if isinstance(a, Entry)}
                (factors if isinstance(t, Mul) else summands).update(own)
    return frozenset(factors - summands), frozenset(summands - factors)


def may_be_called(name: str, argument: str, roles: tuple[frozenset[str], frozenset[str]]) -> bool:
    """Whether the words of a code name speak against an argument of an equation: a `shift` is no factor."""
    words = set(re.findall(r"[a-z]+", name.lower()))
    is_gain, is_shift = bool(words & GAINS), bool(words & SHIFTS)
    return is_gain == is_shift or argument in roles[0 if is_gain else 1]


def _groups(lost: Sequence[Input], left: Sequence[str], symbols: Symbols) -> Iterator[tuple[list[str], list[str]]]:
    """Names of parameters and symbols with as many axes."""
    for rank in sorted({len(i.shape) for i in lost}):
        names = [i.name for i in lost if len(i.shape) == rank]
        yield names, [h for h in left if len(symbols.shape(h)) == rank]


def _by_number(names: Sequence[str], heads: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Names and symbols in the order of their numbers, where these are the same, or all greater by one step.

    >>> dict(_by_number(["fc1", "fc2"], ["W_2", "W_1"])), dict(_by_number(["net.0", "net.2"], ["W_1", "W_2"]))
    ({'fc1': 'W_1', 'fc2': 'W_2'}, {})
    """
    own = [(n, k) for n in names if (k := _own_number(n.removesuffix(".bias"))) is not None]
    theirs = [(h, k) for h in heads if (k := _own_number(h.split("#")[0])) is not None]
    if len(own) != len(names) or len(theirs) != len(heads) or len(own) != len(theirs):
        return
    own, theirs = sorted(own, key=lambda x: x[1]), sorted(theirs, key=lambda x: x[1])
    if len({a - b for (_, a), (_, b) in zip(own, theirs, strict=True)}) == 1 and len({k for _, k in own}) == len(own):
        yield from ((n, h) for (n, _), (h, _) in zip(own, theirs, strict=True))


def _own_number(name: str) -> int | None:
    found = re.search(r"[A-Za-z]_?(\d{1,3})$", name)
    return int(found.group(1)) if found is not None else numbered(name)[1]


def _remarks(program: Program, block: int) -> Iterator[tuple[str, str]]:
    """The comment on the line of each assignment to an attribute or a name."""
    for s in ast.walk(program.trees[block]) if block in program.trees else ():
        if isinstance(s, ast.Assign) and len(s.targets) == 1:
            target = s.targets[0]
            name = (
                target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""
            )
            line = program.place(block, s.end_lineno or s.lineno).line
            for c in program.blocks[block].comments:
                if name and c.place.line == line:
                    yield name, c.text


def called(given: Input) -> str:
    """What a parameter is called, in words where the code has no name for it."""
    return given.name or "a layer without a name"


def settling(names: Mapping[str, str]) -> str:
    """What would settle an assignment, in words."""
    (name, symbol), *_ = names.items()
    return f"a comment '# {symbol}' beside the line that makes {name} would settle it"


__all__ = ["EVIDENCE", "MAX_COMPARED", "Evidence", "admissible_assignments", "called", "settling"]
