r"""Single letters in subscripts that name things, and run over nothing: `T_C` and `T_F`, `p_{L,M}` and `p_{R,M}`.

A letter is an index where a sum binds it, a range, a condition or a set says what it runs over, or one counts on from it.
Without any of that it is read as an index for want of something better.  An equation that says of `p_R` and `p_M` what
another one beside it says of `p_L` and `p_M` would say one thing twice, were R and L indices; and an index that stands on
the left side alone, while the right side has another one below the same name, would say nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from derivations.latex.syntax.letters import EULER, letter, letters_in, run_of
from derivations.latex.syntax.normal_laws import IDENTITIES
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Listed,
    Literal,
    Mark,
    Name,
    Node,
    Operator,
    Reading,
    Scripted,
    differences,
    walk,
)

BESIDE = 6
"""How many equations after one are beside it."""


def things_in_subscripts(readings: Sequence[Reading], words: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
    """Names and single letters below them that are names of things; `words` are names and runs of letters that are one word.

    The example is `T_C = 5/9 (T_F - 32)`; the counter-example `x_t = 2 x_s` for `t = 1, …, n`.
    """
    equations = [r for r in readings if r.chain.first is not None and r.chain.links]
    running = _running(readings, words=words) | _of_declared_arrays(readings)
    groups = [_apart_on_both_sides(r.chain) for r in equations]
    for k, r in enumerate(equations):
        groups += (_renamed(r.chain, other.chain) for other in equations[k + 1 : k + 1 + BESIDE])
    groups += ({c} for c in _on_right_alone(equations, running))
    while any(g & running and not g <= running for g in groups):  # what stands for an index is one
        running |= {c for g in groups if g & running for c in g}
    found = {c for g in groups for c in g} - running
    below = (pair for r in readings for pair in _below(walk(r.chain)))
    labels = {(base, c) for base, c in below if c in found}.union(*map(_named_by_left_side, equations))
    return labels.union(*(_shared_with_left_side(r, labels) for r in equations))


def parts_of_one(readings: Sequence[Reading]) -> set[tuple[str, str]]:
    r"""The letters of `m_{ab} = \max(m_a, m_b)`: one thing of a name for both, made of that for each of them.

    They are no indices, because the name would have two on the left and one on the right.  The counter-example is
    `p_{ij} = p_i p_j` beside `\sum_{i,j} p_{ij}`.
    """
    found: dict[tuple[str, str], set[str]] = {}
    for r in readings:
        first, links = r.chain.first, r.chain.links
        run = run_of(first.sub) if isinstance(first, Scripted) and first.sup is None else None
        if run is None or len(set(run)) < len(run) or not links or links[0][0] not in ("=", "equiv"):
            continue
        base = first.base if isinstance(first, Scripted) else None
        right = (n for n in walk(links[0][1]) if isinstance(n, Scripted) and n.sub is not None)
        own = [n.sub for n in right if base is not None and not differences(n.base, base)]
        if isinstance(base, Name) and {letter(n) for n in own if run_of(n) is None} == set(run):
            found[base.base, run] = set(run)
    running = _running(readings, words=found) if found else set()
    return {(base, c) for (base, _), letters in found.items() if running.isdisjoint(letters) for c in letters}


def _on_right_alone(equations: Sequence[Reading], running: Collection[str]) -> set[str]:
    r"""The letters below names that stand on the right of a definition, and never on both sides of an equation: `k_B T`.

    Where another letter below the name counts, `R_m` beside `R_l`, so does this one.  Where the left side has an index,
    the letter is the name of a thing, as the h of `b_h` beside `h_t`: the j of `y_i = a_i b_j` may be a slip.
    """
    below: dict[str, set[str]] = {}
    for base, c in (pair for r in equations for pair in _below(walk(r.chain))):
        below.setdefault(base, set()).add(c)
    alone: set[str] = set()
    counts = set(running)
    for r in equations:
        left, (relation, right) = r.chain.first, r.chain.links[0]
        own, other = ({c for _, c in _below(walk(side))} if side is not None else set() for side in (left, right))
        alone |= (other & below.keys() if own else other) - own if relation == "=" else set()
        counts |= own & other
    for letters in below.values():
        counts |= letters if letters & counts else set()
    return alone - counts


def _named_by_left_side(reading: Reading) -> set[tuple[str, str]]:
    r"""The weights of a gate, `W_r` and `b_r` in `r_t = \sigma(W_r x_t + b_r)`: their letter is the name that they make.

    It may stand above them, `i_t = \sigma(a^i_t)`, and the index of the left side above its name, `r^{(t)}`.
    """
    left, right = reading.chain.first, reading.chain.links[0][1]
    index = _index_of(left)
    own = left.base if isinstance(left, Scripted) and index is not None else None
    c = own.base if isinstance(own, Name) and not own.font and len(own.base) == 1 else None
    bound = {x for n in walk(right) if isinstance(n, Big) and n.sub is not None for x in letters_in(n.sub)}
    if c is None or index is None or c in bound | letters_in(index):
        return set()
    return {(base, own) for base, own in (*_below(walk(right)), *_above(walk(right))) if own == c}


def _index_of(left: Node | None) -> Node | None:
    """What stands below the name of a left side, else in parentheses above it."""
    if not isinstance(left, Scripted) or left.sub is not None:
        return left.sub if isinstance(left, Scripted) else None
    return left.sup if isinstance(left.sup, Enclosed) and left.sup.kind == "()" else None


def _shared_with_left_side(reading: Reading, labels: set[tuple[str, str]]) -> set[tuple[str, str]]:
    r"""The weights of `a^f_t = W^f x_t + b^f`, where the letter above a is a label: it is one above them too."""
    left, right = reading.chain.first, reading.chain.links[0][1]
    own = {c for base, c in _above((left,)) if (base, c) in labels} if left is not None else set()
    return {(base, c) for base, c in _above(walk(right)) if c in own}


def _of_declared_arrays(readings: Sequence[Reading]) -> set[str]:
    r"""The letters below names that are declared as arrays: the i of `a_i` for `a, b \\in \\mathbb{R}^n`."""
    arrays = {
        n.base
        for r in readings
        if r.chain.first is not None and [relation for relation, _ in r.chain.links] == ["in"]
        for n in (r.chain.first.items if isinstance(r.chain.first, Listed) else (r.chain.first,))
        if isinstance(n, Name)
    }
    return {c for r in readings for base, c in _below(walk(r.chain)) if base in arrays}


OF_NUMBERS = frozenset(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh exp log ln sqrt".split()  # noqa: SIM905
)
"""Functions that are taken at a number, and hardly ever at an index alone."""


def numbers_in_subscripts(readings: Sequence[Reading]) -> set[tuple[str, str]]:
    r"""Names and letters below them that are numbers on which they depend: the angle of `R_\theta`.

    Such a letter is all of the argument of a sine, or something is differentiated by it, or an identity matrix is multiplied
    by it, as the penalty of `\theta_\lambda` is in `A + \lambda I`, or it stands below a function of several arguments and a
    power of it, or an entry, is written, as of the weights of `k_\beta(x, y)`; `R_m` with `\cos m\theta` has an index.
    `R_\alpha` is then another name than `R_\theta`.  So is the penalty of `w_\mu`, with `\mu > 0` and `\mu I`, where no number
    stands below w, and the share of `L_\varepsilon` beside `1 - \varepsilon`.
    """
    nodes = [n for r in readings for part in (r.chain, *r.conditions) for n in walk(part)]
    running = _running(readings, numbers_run=False)
    sums = (n for n in nodes if isinstance(n, Big) and n.name == "sum")
    limits = (n.sub.first if isinstance(n.sub, Chain) else n.sub for n in sums)
    counted = {c for n in limits if (c := letter(n)) is not None}
    found = {c for n in nodes for c in _taken_at(n)} | {c for n in nodes for c in _before_identity(n)}
    found -= running
    members = (n for n in nodes if isinstance(n, Scripted) and isinstance(n.base, Name) and letter(n.sub) in counted)
    raised = (_raised(nodes) - running) | ({c for n in members if (c := letter(n.base)) is not None} - counted)
    scaling = ((_positive(readings) & _factors(nodes)) | _shares(nodes)) - running
    numbered = {n.base.base for n in nodes if isinstance(n, Scripted) and isinstance(n.base, Name) and _is_numbered(n)}
    return {(base, c) for base, c in _below(nodes) if c in found or (c in scaling and base not in numbered)} | {
        (base, c) for base, c in _below_functions(nodes) if c in raised
    }


def _before_identity(node: Node) -> Iterator[str]:
    r"""The letter of `\lambda I` and `\lambda I_p`."""
    for one, other in pairwise(node.items) if isinstance(node, Adjacent) else ():
        base = other.base if isinstance(other, Scripted) and other.sup is None else other
        if isinstance(base, Name) and base.base in IDENTITIES and (c := letter(one)) is not None:
            yield c


def _positive(readings: Iterable[Reading]) -> set[str]:
    """The letters that are said to be greater than zero, each by itself."""
    found: set[str] = set()
    for chain in (r.chain for r in readings):
        sides = [chain.first, *(right for _, right in chain.links)]
        for (one, two), (relation, _) in zip(pairwise(sides), chain.links, strict=True):
            small, large = (two, one) if relation == ">" else (one, two)
            if relation in ("<", ">") and isinstance(small, Literal) and small.text == "0" and large is not None:
                found |= _letters(large)
    return found


def _shares(nodes: Iterable[Node]) -> set[str]:
    r"""The letters that are taken from one, by themselves: `(1 - \varepsilon) y`."""
    taken = (n for n in nodes if isinstance(n, Infix) and n.operator == "-" and isinstance(n.left, Literal))
    return {c for n in taken if n.left.text == "1" and (c := letter(n.right)) is not None}  # type: ignore[attr-defined]


def _factors(nodes: Iterable[Node]) -> set[str]:
    """The letters that stand as factors in products."""
    return {c for n in nodes if isinstance(n, Adjacent) for m in n.items if (c := letter(m)) is not None}


def _is_numbered(n: Scripted) -> bool:
    return n.sub is not None and any(isinstance(part, Literal) for part in _parts_below(n))


def _raised(nodes: Iterable[Node]) -> set[str]:
    """The letters of which a power stands somewhere: the width s of `s^2`."""
    powers = (n for n in nodes if isinstance(n, Scripted) and n.sub is None and isinstance(n.sup, Literal))
    return {c for n in powers if (c := letter(n.base)) is not None}


def _below_functions(nodes: Iterable[Node]) -> Iterator[tuple[str, str]]:
    r"""The letters below what is applied to several arguments: the s of `\kappa_s(x, y)`."""
    for n in nodes:
        for head, after in pairwise(n.items) if isinstance(n, Adjacent) else ():
            if isinstance(after, Enclosed) and after.kind == "()" and isinstance(after.content, Listed):
                yield from _below((head,))


def _taken_at(node: Node) -> Iterator[str]:
    """The letter that a function is taken at, or a derivative by."""
    at: Node | None = None
    if isinstance(node, Operator) and node.name in OF_NUMBERS and len(node.arguments) == 1:
        at = node.arguments[0]
    elif isinstance(node, Fraction) and isinstance(node.below, Adjacent) and len(node.below.items) == 2:
        sign, letter_below = node.below.items
        above = node.above.items[0] if isinstance(node.above, Adjacent) else node.above
        if isinstance(sign, Name) and isinstance(above, Name) and sign.base == above.base in ("partial", "d"):
            at = letter_below
    if (c := letter(at)) is not None:
        yield c


def _below(nodes: Iterable[Node]) -> Iterator[tuple[str, str]]:
    """Names with the single letters below them, also those of a list: `p_{L,M}`."""
    for n in nodes:
        if isinstance(n, Scripted) and isinstance(n.base, Name) and n.sub is not None:
            for part in n.sub.items if isinstance(n.sub, Listed) else (n.sub,):
                if (c := letter(part)) is not None:
                    yield n.base.base, c


def _above(nodes: Iterable[Node]) -> Iterator[tuple[str, str]]:
    """Names with the single letters above them."""
    for n in nodes:
        if isinstance(n, Scripted) and isinstance(n.base, Name) and (c := letter(n.sup)) is not None:
            yield n.base.base, c


def _running(
    readings: Iterable[Reading], *, numbers_run: bool = True, words: Collection[tuple[str, str]] = ()
) -> set[str]:
    """Letters of which something says what they run over.

    With `numbers_run` also those that stand for numbers, lie between two, or are spoken of by themselves.
    """
    found: set[str] = set()
    for r in readings:
        whole = [r.chain, *r.conditions]
        if numbers_run and r.chain.first is not None and not r.chain.links:
            found |= _letters(r.chain.first)  # for each i
        for condition in r.conditions if numbers_run else ():
            found |= letters_in(condition)
        inside: set[int] = set()
        for n in (n for part in whole for n in walk(part)):
            if isinstance(n, Big):
                found |= {c for limit in (n.sub, n.sup) if limit is not None for c in letters_in(limit)}
            if isinstance(n, Listed) and any(isinstance(i, Mark) for i in n.items):
                found |= letters_in(n)
            if numbers_run and isinstance(n, Chain):
                found |= _compared(n)
            if isinstance(n, Scripted):
                base = n.base.base if isinstance(n.base, Name) else ""
                scripts = (n.sub,) if base == EULER else (n.sub, n.sup)  # what stands above e is an exponent
                inside |= {id(m) for s in (n.base, *scripts) if base and s is not None for m in walk(s)}
                for script in scripts:
                    if (base, run_of(script)) in words:
                        continue
                    counts_on = isinstance(script, Infix) and any(isinstance(m, Literal) for m in walk(script))
                    if script is not None and (counts_on or (numbers_run and isinstance(script, Infix | Adjacent))):
                        found |= letters_in(script)
        if not numbers_run:
            continue
        plain = (letter(n) for part in whole for n in walk(part) if id(n) not in inside)
        found |= {c for c in plain if c is not None and c.islower()}
    return found


def _letters(node: Node) -> set[str]:
    parts = node.items if isinstance(node, Listed) else (node,)
    return {c for n in parts if (c := letter(n)) is not None}


def _compared(chain: Chain) -> set[str]:
    """The letters of `i \\in S`, `i < n`, `i = 1, …, n`."""
    found: set[str] = set()
    sides = [chain.first, *(right for _, right in chain.links)]
    for (one, two), (relation, _) in zip(pairwise(sides), chain.links, strict=True):
        for side in (one, two):
            if side is not None and (relation != "=" or isinstance(two, Listed)):
                found |= _letters(side) | (letters_in(side) if relation == "in" and side is two else set())
    return found


def _apart_on_both_sides(chain: Chain) -> set[str]:
    """`T_C = 5/9 (T_F - 32)`: one name with one letter on the left, and with another one on the right."""
    left, right = chain.first, [n for relation, n in chain.links[:1] if relation == "="]
    if not isinstance(left, Scripted) or not isinstance(left.base, Name) or not right:
        return set()
    own = letter(left.sub)
    other = [c for base, c in _below(walk(right[0])) if base == left.base.base]
    below = {c for _, c in _below(walk(right[0]))}
    if own is None or own in below or len(other) != 1 or len(below) != 1:
        return set()
    return {own, other[0]}


def _renamed(one: Chain, other: Chain) -> set[str]:
    """The letters below names in which two equations differ that are the same otherwise, one for one."""
    if one.first is None or other.first is None or [r for r, _ in one.links] != [r for r, _ in other.links]:
        return set()
    pairs = differences(one, other)
    names = {(letter(a), letter(b)) for a, b in pairs}
    if not pairs or len({a for a, _ in names}) < len(names) or len({b for _, b in names}) < len(names):
        return set()
    letters = {c for pair in names for c in pair if c is not None}
    if len(letters) < 2 * len(names):
        return set()
    places = {id(p) for chain in (one, other) for n in walk(chain) if isinstance(n, Scripted) for p in _parts_below(n)}
    return letters if all(id(n) in places for pair in pairs for n in pair) else set()


def _parts_below(n: Scripted) -> tuple[Node, ...]:
    if n.sub is None or not isinstance(n.base, Name):
        return ()
    return n.sub.items if isinstance(n.sub, Listed) else (n.sub,)
