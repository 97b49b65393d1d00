"""Evidence about scripts: which are labels, which names are numbers, which are parts of a whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from derivations.latex.lexicon.words_in_scripts import labels_side_by_side
from derivations.latex.lexicon.written_names import Form, Written, form
from derivations.latex.syntax.letters import (
    GREEK,
    ROLES,
    WHOLE,
    is_upper,
    is_word,
    label_below,
    label_of,
    letter,
    letters_in,
    run_of,
)
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
    Reading,
    Scripted,
    Words,
    walk,
)

ADJOINTS = frozenset("TH")
"""Capitals above a matrix that turn it."""
WEIGHTS = frozenset("WUVb")
"""Letters of weights and biases: what stands below them alone, `W_r` of a router, is rather a label."""


def _told_apart_above(nodes: Iterable[Node]) -> Iterator[tuple[str, str]]:
    """The capitals above names that have an index, too, where there are several and T is one of them."""
    above: dict[str, set[str]] = defaultdict(set)
    indexed: set[tuple[str, str]] = set()
    for n in nodes:
        c = letter(n.sup) if isinstance(n, Scripted) and isinstance(n.base, Name) else None
        if c is not None and c.isupper() and isinstance(n, Scripted) and isinstance(n.base, Name):
            above[n.base.base].add(c)
            if n.sub is not None:
                indexed.add((n.base.base, c))
    for base, letters in above.items():
        others = letters - ADJOINTS
        if "T" in letters and others and all((base, c) in indexed for c in letters):
            yield from ((base, c) for c in letters)


class Labels:
    """What is gathered about labels before anything else is."""

    labels: set[tuple[str, str]]
    words: set[tuple[str, str]]
    sizes: set[str]
    numbered: set[str]
    only_numbered: set[str]
    """Names below which nothing but numbers stands."""
    numbered_below: set[str]
    """Names that stand with something below."""
    numbered_above: set[str]
    numbered_in_parentheses: set[str]
    """Names that are declared with a number above, `W^1 \\in \\mathbb{R}^{n \\times m}`: it is no power."""
    parted: dict[str, Form]
    """Names that have a family of matrices beside them, and how its members are written: `O^{(a)}` beside O and `O_{tj}`."""
    divisors: set[str]
    upright: set[str]
    two_above: frozenset[tuple[str, str]]
    """Names with an index and a capital above that is no transpose: `z^T_n` of a teacher, beside `z^S_n` of a student."""

    def written(self, node: Node) -> Written | None:
        """The name that a node is; `Names` provides it."""
        raise NotImplementedError

    def slot_letters(self, n: Scripted) -> Iterator[str]:
        """The letters in the index slots of a name; `Names` provides it."""
        raise NotImplementedError

    def _collect_labels(self, nodes: list[Node]) -> None:
        for n in nodes:
            limit = n.sup if isinstance(n, Big) else None  # T_x above a sum is the name of a size
            if isinstance(limit, Scripted) and isinstance(limit.base, Name) and (c := letter(limit.sub)) is not None:
                self.labels.add((limit.base.base, c))
        self.labels |= labels_side_by_side(nodes)
        self.two_above = frozenset(_told_apart_above(nodes))
        below: dict[str, set[str]] = defaultdict(set)
        lower: dict[str, set[str]] = defaultdict(set)
        scripted = {id(n.base) for n in nodes if isinstance(n, Scripted)}
        bare = {n.base for n in nodes if isinstance(n, Name) and id(n) not in scripted}
        literals: dict[str, bool] = {}
        counted = set(_counted_on(nodes))
        limits = [part for n in nodes if isinstance(n, Big) and n.sub is not None for part in walk(n.sub)]
        lists = [part for n in nodes if isinstance(n, Listed) for part in n.items]
        heads = any(letter(n) == "h" for n in (*limits, *lists))
        """Whether h runs over heads: then n_h is the number of head h, else the number of heads."""
        ends = {c for n in nodes if isinstance(n, Big) and n.sup is not None for c in letters_in(n.sup)}
        for n in nodes:
            if not isinstance(n, Scripted) or not isinstance(n.base, Name):
                continue
            base = n.base.base
            for script in (n.sub, n.sup):
                inner = script.content if isinstance(script, Enclosed) and script.kind == "()" else script
                if (one := letter(inner)) is not None:
                    if script is n.sup and not isinstance(script, Enclosed) and one not in ROLES:
                        continue
                    below[base].add(one)
                    if script is n.sub or isinstance(script, Enclosed):
                        lower[base].add(one)
            if n.sub is not None:
                literals[base] = literals.get(base, True) and isinstance(n.sub, Literal)
        for base, letters in below.items():
            roles = letters & ROLES
            folded = {c.lower() for c in roles}
            for c in letters:
                if c == "k" and len(folded) == 1 and base in bare and c not in lower[base]:
                    continue  # B^k beside B is a power
                size_like = (base in ("d", "D") and c not in "ij") or (base in ("n", "N") and c == "h" and not heads)
                size_like = size_like and (base, c) not in counted
                if size_like or (
                    c in roles
                    and (
                        (len(folded) >= 2 and folded & set("qvo"))
                        or (base in "WwBb" and (c != "k" or base in "WB"))
                        or (c.isupper() and not (base.islower() and c in ends))  # a^K after K steps
                    )
                ):
                    self.labels.add((base, c))
        self.numbered_below = set(literals)
        self.numbered_above = set(_declared_with_number_above(nodes))
        self.numbered_in_parentheses = set(_with_numbers_in_parentheses(nodes))
        self.only_numbered = {b for b, only in literals.items() if only and not below[b]}
        self.numbered = {b for b in self.only_numbered if b[:1].isupper()}

    def _collect_unbound(self, readings: list[Reading], nodes: list[Node]) -> None:
        r"""`W_a`, `b_f`: a letter that no sum binds and that stands on no left side and in no condition is a label."""
        usual, indices = set("ijklmnrst"), set(self.sizes)
        single: set[tuple[str, str]] = set()
        bound: set[str] = set()
        for n in nodes:
            if isinstance(n, Big) and n.sub is not None:
                bound |= letters_in(n.sub)
            if isinstance(n, Listed) and any(isinstance(i, Mark) for i in n.items):
                indices |= letters_in(n)
            if isinstance(n, Scripted) and isinstance(n.base, Name):
                c = letter(n.sub)
                if c is not None and ((c.isalpha() and len(c) == 1) or c in GREEK):
                    single.add((n.base.base, c))
                else:
                    indices |= letters_in(n.sub) if n.sub is not None else set()
                above = letter(n.sup.content) if isinstance(n.sup, Enclosed) else None
                indices |= {above} if above is not None else set()
        indices |= bound
        apart = _apart(readings)
        for r in readings:
            sides = [
                r.chain.first,
                *(right for relation, right in r.chain.links if relation not in ("=", "equiv", "in")),
            ]
            if not r.chain.links or r.chain.links[0][0] != "in":
                found = set(self._slots_in(sides[0])) if sides[0] is not None else set()
                if (pair := _left_pair(r)) is not None and pair in apart:
                    found.discard(pair[1])
                elif pair is None and sides[0] is not None:  # \lVert X_c - X \rVert = …, beside X_c = C X
                    found -= _only_apart(sides[0], apart)
                below = _below_calls(sides[0]) if sides[0] is not None and r.chain.links else found
                indices |= found - (GREEK & below)
            alone = letter(r.chain.first)
            of_each = alone is not None and not r.chain.links and alone not in GREEK  # for each head h
            indices |= {alone or ""} if of_each else set()
            indices |= {c for side in sides[1:] if side is not None for c in letters_in(side)}
            indices |= {c for condition in r.conditions for c in letters_in(condition)}
            if len(r.chain.links) and r.chain.links[0][0] in ("<=", "<", ">=", ">", "in") and r.chain.first is not None:
                many = r.chain.first.items if isinstance(r.chain.first, Listed) else (r.chain.first,)
                indices |= {c for n in many if (c := letter(n)) is not None}
        indices -= {c for r in readings for c in _below_calls(r.chain) & GREEK} - bound  # the parameter of a function
        others = {c for base, c in single if base not in WEIGHTS}
        self.labels |= {(base, c) for base, c in single if base in "WU" and c in "lmnrst" and c not in indices | others}
        indices |= usual
        self.labels |= {(base, c) for base, c in single if c not in indices}
        counted = {c for _, c in _counted_on(nodes)} | bound
        for base, letters in _mixed_of_two(readings):
            if letters.isdisjoint(counted):
                self.labels |= {(base, c) for c in letters}
        tensors = {base for base, c in single if c in "ijk" and base != c} - bound - set("ijklmnrsth")
        self.labels |= {(base, c) for base, c in single if c in tensors and c != base}  # the variance of w_i
        matrices = {w.stem for r in readings for w in self._wholes(r)} - self.sizes
        counting = (indices - {c for c in self._arrays(readings) if c.isupper()}) | bound | set("T")
        self.labels |= {(base, c) for base, c in self._defined_above(readings) if c not in counting}
        for n in nodes:  # G_P, G_{P,r}: the gradient in the matrix P
            if isinstance(n, Scripted) and isinstance(n.base, Name) and n.sub is not None:
                first = n.sub.items[0] if isinstance(n.sub, Listed) else n.sub
                c = letter(first)
                if c in matrices and c.isupper() and c != n.base.base:
                    self.labels.add((n.base.base, c))
        lettered = {base for base, _ in single}
        for r in readings:  # m = max(m_1, m_2)
            whole = r.chain.first
            if isinstance(whole, Name) and r.chain.links and r.chain.links[0][0] in ("=", "equiv"):
                own = [
                    n.sub
                    for n in walk(r.chain)
                    if isinstance(n, Scripted) and n.base == replace(whole, span=n.base.span)
                ]
                if own and all(isinstance(s, Literal) for s in own) and whole.base not in lettered:
                    self.numbered.add(whole.base)

    def _collect_numbered(self, readings: list[Reading]) -> None:
        """`z_1 = X W_1 + b_1`: beside a numbered name those are names, too, below which that number and only numbers stand.

        So are `a_1` and `a_2` where a is declared as a number.
        """
        self.numbered |= set(_declared_numbers(readings)) & self.only_numbered
        beside = [dict(_numbers_below(r)) for r in readings]
        while more := {
            base
            for own in beside
            for base in own.keys() & self.only_numbered - self.numbered
            if any(own[base] & own[n] for n in own.keys() & self.numbered)
        }:
            self.numbered |= more

    def _wholes(self, r: Reading) -> Iterator[Written]:
        """Names without indices that an equation defines or whose shape it states."""
        first = r.chain.first
        if first is not None and r.chain.links and r.chain.links[0][0] in ("=", "equiv", "in"):
            for n in first.items if isinstance(first, Listed) else (first,):
                w = self.written(n)
                if w is not None and not w.slots:
                    yield w

    def _defined_above(self, readings: list[Reading]) -> Iterator[tuple[str, str]]:
        r"""`w_t^c(i) = …`, `Y^G, Y^F \in \mathbb{R}^{d \times p}`: nobody defines a power or says its shape."""
        for r in readings:
            relation = r.chain.links[0][0] if r.chain.links else ""
            first = r.chain.first
            head = first.items[0] if isinstance(first, Adjacent) and len(first.items) == 2 else first
            many = head.items if isinstance(head, Listed) and relation == "in" else [head]
            for n in many if relation in ("=", "equiv", "gets", "in") else ():
                if isinstance(n, Scripted) and isinstance(n.base, Name) and n.base.base != "e":
                    c = letter(n.sup)
                    if c is not None and not (relation == "in" and c in self.sizes):
                        yield n.base.base, c

    def _arrays(self, readings: list[Reading]) -> Iterator[str]:
        """Names that stand for arrays, and so count nothing: what an equation defines and what lies in a space of arrays."""
        for r in readings:
            relation, right = r.chain.links[0] if r.chain.links else ("", None)
            if (
                isinstance(right, Scripted) and right.sup is not None
                if relation == "in"
                else not isinstance(right, Literal)
            ):
                yield from (w.stem for w in self._wholes(r) if w.stem not in self.sizes)

    def _members_of_spaces(self, readings: list[Reading]) -> set[str]:
        """Names of which a shape is stated."""
        found = set()
        for r in readings:
            if r.chain.first is not None and any(relation == "in" for relation, _ in r.chain.links):
                items = r.chain.first.items if isinstance(r.chain.first, Listed) else (r.chain.first,)
                found |= {w.stem for n in items if (w := self.written(n)) is not None}
        return found

    def _slots_in(self, node: Node) -> Iterator[str]:
        for n in walk(node):
            if isinstance(n, Scripted):
                yield from self.slot_letters(n)

    def _collect_divisors(self, nodes: list[Node]) -> None:
        inner = {id(n.base) for n in nodes if isinstance(n, Scripted)}
        written = [w for n in nodes if id(n) not in inner and (w := self.written(n)) is not None]
        squared = {w.stem for w in written if isinstance(w.power, Literal) and not w.slots and not w.bold}
        self.divisors |= squared - {w.stem for w in written if not isinstance(w.power, Literal)}  # M^2 and never M
        for n in nodes:
            if isinstance(n, Fraction) or (isinstance(n, Infix) and n.operator == "/"):
                below = [n.parts[1]]
            elif isinstance(n, Chain) and n.first is not None and len(n.links) == 1 and n.links[0][0] in "<>":
                below = [a for a, b in ((n.first, n.links[0][1]), (n.links[0][1], n.first)) if isinstance(b, Literal)]
            else:
                continue
            while below:
                node = below.pop()
                if isinstance(node, Adjacent):
                    first = node.items[0]  # what stands below in a derivative divides nothing
                    is_form = any(w.transposed for w in map(self.written, node.items) if w is not None)  # x^T Q x
                    below += () if is_form or (isinstance(first, Name) and first.base == "partial") else node.items
                    continue
                w = self.written(node)
                if w is not None and not w.slots and not w.bold and not w.transposed:
                    self.divisors.add(w.stem)

    def _collect_parted(self, readings: list[Reading]) -> None:
        found: dict[str, Form] = {}
        for r in readings:
            first = self.written(r.chain.first) if r.chain.first is not None else None
            if first is None or first.slots or not is_upper(first.stem):
                continue
            for relation, right in r.chain.links[:1]:
                if relation != "=" or not isinstance(right, Enclosed) or right.kind != "[]":
                    continue
                if not isinstance(right.content, Listed) or len(r.chain.links) > 1:
                    continue
                parts = [self.written(p) for p in right.content.items if not isinstance(p, Mark)]
                if len(parts) < len(right.content.items) and all(p and p.stem == first.stem and p.slots for p in parts):
                    found[first.stem] = form(parts[0])  # type: ignore[arg-type]
        self.parted = {**self._matrices_of_a_family(readings), **found}

    def _matrices_of_a_family(self, readings: list[Reading]) -> dict[str, Form]:
        r"""Names whose members are declared as matrices and that stand without an index too: `W_i^Q` beside `W_Q`."""
        spaces = [r.chain for r in readings if len(r.chain.links) == 1 and r.chain.links[0][0] == "in"]
        members: dict[str, Form] = {}
        wholes: set[str] = set()
        for chain in spaces:
            right = chain.links[0][1]
            power = right.sup if isinstance(right, Scripted) else None
            count = len([n for n in walk(power) if isinstance(n, Infix) and n.operator == "times"]) + 1 if power else 0
            first = chain.first
            for node in first.items if isinstance(first, Listed) else (first,):
                w = self.written(node) if node is not None else None
                if w is None or not is_upper(w.stem) or w.stem == "I":  # I_d is the identity, as I is
                    continue
                if not w.slots and count > 2:
                    wholes.add(w.stem)
                elif len(w.slots) == 1 and count == 2 and letter(w.slots[0].node) is not None:
                    members[w.stem] = form(w)
        if not members.keys() - wholes:
            return {}
        nodes = [n for r in readings for n in walk(r.chain)]
        inner = {id(n.base) for n in nodes if isinstance(n, Scripted)}
        alone = {w.stem for n in nodes if id(n) not in inner and (w := self.written(n)) is not None and not w.slots}
        return {stem: own for stem, own in members.items() if stem in alone - wholes}

    def number_above(self, name: Name, above: Node | None) -> str | None:
        """The number in `W^1` where such names are declared, and in `W^{(1)}` where nothing else stands in parentheses there."""
        if (
            isinstance(above, Enclosed)
            and isinstance(above.content, Literal)
            and name.base in self.numbered_in_parentheses
        ):
            return f"({above.content.text})"
        if not isinstance(above, Literal) or name.base not in self.numbered_above:
            return None
        return f"^{above.text}" if name.base in self.numbered_below else above.text

    def labelled(self, name: Name, below: Node | None) -> tuple[str | None, Node | None]:
        r"""The label in a subscript, and what is left of it: `d_k`, `W_{QK}`, `\alpha_{ij,\text{masked}}`."""
        if below is None or (isinstance(below, Mark) and below.kind in WHOLE):
            return None, below
        below = self._upright(below)
        if (label := label_below(below)) is not None and (
            label != "in" or is_word(below) or name.base in ("d", "D")  # W_{in} may be an entry
        ):
            return label, None
        if (label := letter(below)) is not None and (name.base, label.partition("_prime")[0]) in self.labels:
            return label, None  # v_{\pi'} beside v_\pi
        if (number := _broken_number(below)) is not None:
            return number, None
        if isinstance(below, Literal) and name.base in getattr(self, "numbered", ()):
            return below.text, None
        if (run := run_of(below)) is not None and (name.base, run) in self.words:
            return run, None
        if isinstance(below, Adjacent):
            letters = [letter(i) for i in below.items]
            if all(c is not None and (name.base, c) in self.labels for c in letters):
                return "".join(c or "" for c in letters), None
        if isinstance(below, Listed):
            two = [letter(i) or "" for i in below.items]
            if name.base in "WwUuBb" and two[0] in ROLES and all(c.isupper() and c not in self.sizes for c in two[1:]):
                return "".join(two), None  # W_{k,E}
            if all((name.base, c) in self.labels for c in two):
                return "_".join(two), None  # p_{L,M}
            told = [is_word(i) or isinstance(i, Name | Scripted) for i in below.items]
            words = [label_of(i) if t and letter(i) is None else None for i, t in zip(below.items, told, strict=True)]
            lead = letter(below.items[0])
            if lead is not None and lead.isupper() and (name.base, lead) in self.labels:  # G_{P,r}
                words[0] = lead
            rest = [i for i, w in zip(below.items, words, strict=True) if w is None]
            if rest and len(rest) < len(words):
                kept = rest[0] if len(rest) == 1 else replace(below, items=tuple(rest))
                return "_".join(w for w in words if w is not None), kept
        return None, below

    def _upright(self, below: Node) -> Node:
        r"""`_\text{ij}` in a document whose single indices are upright too, as `_{ij}`."""
        word = below.base if isinstance(below, Name) and below.font == "roman" else None
        word = below.text.strip() if isinstance(below, Words) else word
        if word is None or not 1 < len(word) < 4 or not set(word) <= self.upright:
            return below
        a, _ = below.span
        return Adjacent(below.span, tuple(Name((a + k, a + k + 1), c) for k, c in enumerate(word)))


def _broken_number(below: Node) -> str | None:
    r"""The 1/2 of a half-life `t_{1/2}`, the 0.5 of a quantile `q_{0.5}`: no place on an axis."""
    if isinstance(below, Literal) and "." in below.text:
        return below.text
    parts = below.parts if isinstance(below, Fraction) or (isinstance(below, Infix) and below.operator == "/") else ()
    numbers = [n.text for n in parts if isinstance(n, Literal)]
    return "/".join(numbers) if len(numbers) == len(parts) == 2 else None


def below_sums(nodes: Iterable[Node]) -> Iterator[tuple[str, str]]:
    r"""Names with the letter below them over which a sum around them runs, the k of `\sum_k t_k W_k`, or that their own
    definition has, the t of `D_t = \sum_{s \le t} e^{z_s}`: it is an index there."""
    for n in nodes:
        if isinstance(n, Chain) and isinstance(n.first, Scripted) and isinstance(n.first.base, Name) and n.links:
            c = letter(n.first.sub)
            if n.links[0][0] == "=" and c is not None and c in _letters_of_ranges(n.links[0][1]):
                yield n.first.base.base, c
        if isinstance(n, Big) and n.sub is not None:
            bound = letter(n.sub.first if isinstance(n.sub, Chain) and n.sub.first is not None else n.sub)
            for m in walk(n.body):
                if (
                    isinstance(m, Scripted)
                    and isinstance(m.base, Name)
                    and bound is not None
                    and letter(m.sub) == bound
                ):
                    yield m.base.base, bound


def labels_of_lengths(readings: Iterable[Reading]) -> Iterator[tuple[str, str]]:
    r"""Names in a shape with a letter below them that nothing in the line counts, the k of `Q \in \mathbb{R}^{T \times N_k}`.

    In `W_i \in \mathbb{R}^{d \times p_i}` the i is an index, in `W_q, W_k \in \mathbb{R}^{d \times N_k}` the k is none, since
    the line speaks of W_q as well; the l of `n_l` is one where `n_{l-1}` stands elsewhere.
    """
    readings = list(readings)
    lettered: dict[str, bool] = {}
    for n in (n for r in readings for n in walk(r.chain)):
        if isinstance(n, Scripted) and isinstance(n.base, Name) and n.sub is not None:
            lettered[n.base.base] = lettered.get(n.base.base, True) and letter(n.sub) is not None
    for r in readings:
        spaces = [right for relation, right in r.chain.links if relation == "in" and isinstance(right, Scripted)]
        first = r.chain.first
        members = first.items if isinstance(first, Listed) else (first,) if first is not None else ()
        of_all = set[str].intersection(*map(letters_in, members)) if members else set[str]()
        counted = of_all.union(*map(letters_in, r.conditions))
        for n in (n for space in spaces if space.sup is not None for n in walk(space.sup)):
            if isinstance(n, Scripted) and isinstance(n.base, Name) and n.sup is None:
                c = letter(n.sub)
                if c is not None and c not in counted and lettered[n.base.base]:
                    yield n.base.base, c


def _letters_of_ranges(node: Node) -> set[str]:
    """The letters in the limits of sums."""
    limits = (part for n in walk(node) if isinstance(n, Big) for part in (n.sub, n.sup) if part is not None)
    return {c for part in limits for c in letters_in(part)}


def _below_calls(node: Node) -> set[str]:
    r"""The letters below functions: the parameter of `f_\theta(x)`, of `\log p_\theta(x)`."""
    pairs = (pair for n in walk(node) if isinstance(n, Adjacent) for pair in pairwise(n.items))
    called = (a for a, b in pairs if isinstance(a, Scripted) and isinstance(b, Enclosed) and b.kind == "()")
    return {c for n in called if n.sub is not None for c in letters_in(n.sub)}


def _left_pair(r: Reading) -> tuple[str, str] | None:
    """The name and the letter below it on a left side such as `L_a = …`."""
    first = r.chain.first
    if not isinstance(first, Scripted) or not isinstance(first.base, Name) or not r.chain.links:
        return None
    c = letter(first.sub)
    if r.chain.links[0][0] != "=" or c is None or len(c) != 1 or c in "ijklmnrsth":
        return None
    return first.base.base, c


def _apart(readings: list[Reading]) -> set[tuple[str, str]]:
    """Left sides `L_a`, `o_a` whose letter stands on the right only below names that are left sides of this kind."""
    beside: dict[tuple[str, str], list[tuple[str, str] | None]] = defaultdict(list)
    for r in readings:
        pair = _left_pair(r)
        if pair is None:
            continue
        nodes = [n for side in (*(right for _, right in r.chain.links), *r.conditions) for n in walk(side)]
        below = [n for n in nodes if isinstance(n, Scripted) and letter(n.sub) == pair[1]]
        beside[pair] += [(n.base.base, pair[1]) if isinstance(n.base, Name) else None for n in below]
        if sum(letter(n) == pair[1] for n in nodes) > len(below):
            beside[pair].append(None)
    found = set(beside)
    while True:
        kept = {p for p in found if all(q in found for q in beside[p])}
        if kept == found:
            return found
        found = kept


def _only_apart(node: Node, apart: set[tuple[str, str]]) -> set[str]:
    """The letters of a side that only stand below names that they tell apart elsewhere."""
    uses: dict[str, bool] = {}
    for n in walk(node):
        c = letter(n.sub) if isinstance(n, Scripted) else None
        if c is not None and isinstance(n, Scripted):
            uses[c] = uses.get(c, True) and isinstance(n.base, Name) and (n.base.base, c) in apart
    return {c for c, own in uses.items() if own}


def _mixed_of_two(readings: list[Reading]) -> Iterator[tuple[str, set[str]]]:
    r"""`\epsilon_w = (1 + w) \epsilon_c - w \epsilon_u`: things of one name that are made of two others of it, each with its
    letters; what is a number in the equation, as the w, is no place."""
    for r in readings:
        first = r.chain.first
        if (
            not isinstance(first, Scripted)
            or not isinstance(first.base, Name)
            or not r.chain.links
            or first.sup is not None
        ):
            continue
        own, right = letter(first.sub), r.chain.links[0][1]
        below = {letter(n.sub) for n in walk(right) if isinstance(n, Scripted) and _same_name(n.base, first.base)}
        scripts = {id(n.sub) for n in walk(right) if isinstance(n, Scripted)}
        as_number = any(letter(n) == own and id(n) not in scripts for n in walk(right))
        if r.chain.links[0][0] in ("=", "equiv") and own is not None and as_number and own not in below:
            if len(below) > 1 and None not in below:
                yield first.base.base, {own, *(c for c in below if c is not None)}


def _same_name(node: Node, name: Name) -> bool:
    return isinstance(node, Name) and (node.base, node.font, node.accents) == (name.base, name.font, name.accents)


def _counted_on(nodes: list[Node]) -> Iterator[tuple[str, str]]:
    """Names with a letter below that is counted on elsewhere: beside `D_{t-1}` the t of `D_t` is no label."""
    for n in nodes:
        if isinstance(n, Scripted) and isinstance(n.base, Name) and isinstance(n.sub, Infix):
            yield from ((n.base.base, c) for c in letters_in(n.sub))


def _declared_with_number_above(nodes: Iterable[Node]) -> Iterator[str]:
    for n in nodes:
        if isinstance(n, Chain) and n.links and n.links[0][0] == "in":
            for one in n.first.items if isinstance(n.first, Listed) else (n.first,):
                if isinstance(one, Scripted) and isinstance(one.base, Name) and isinstance(one.sup, Literal):
                    yield one.base.base


def _declared_numbers(readings: Iterable[Reading]) -> Iterator[str]:
    r"""The names that are declared as numbers, `a, b \in \mathbb{R}`."""
    for r in readings:
        first, links = r.chain.first, r.chain.links
        space = links[0][1] if len(links) == 1 and links[0][0] == "in" else None
        if isinstance(space, Name) and space.font == "blackboard" and space.base == "R":
            names = first.items if isinstance(first, Listed) else (first,)
            yield from (n.base for n in names if isinstance(n, Name))


def _with_numbers_in_parentheses(nodes: Iterable[Node]) -> Iterator[str]:
    r"""Names above which numbers stand in parentheses, and nothing else does: `W^{(1)}` and `W^{(2)}` are two matrices.

    Beside families, `k^{(j)}`, a single `q^{(2)}` is one of its members.
    """
    found: dict[str, set[str]] = {}
    families: set[str] = set()
    for n in nodes:
        if not isinstance(n, Scripted) or not isinstance(n.base, Name) or n.sup is None:
            continue
        above = n.sup.items[0] if isinstance(n.sup, Adjacent) else n.sup
        if isinstance(above, Enclosed) and above.kind == "()":
            if isinstance(above.content, Literal) and above.content.text.isdigit():
                found.setdefault(n.base.base, set()).add(above.content.text)
            else:
                families.add(n.base.base)
    yield from (b for b, numbers in found.items() if b not in families and (len(numbers) > 1 or not families))


def _numbers_below(r: Reading) -> Iterator[tuple[str, set[str]]]:
    """The names with numbers below in a relation where they do not stand without, and these numbers."""
    nodes = list(walk(r.chain))
    found: dict[str, set[str]] = defaultdict(set)
    heads: set[int] = set()
    for n in nodes:
        if isinstance(n, Scripted) and isinstance(n.base, Name):
            heads.add(id(n.base))
            if isinstance(n.sub, Literal):
                found[n.base.base].add(n.sub.text)
    bare = {n.base for n in nodes if isinstance(n, Name) and id(n) not in heads}
    yield from ((base, numbers) for base, numbers in found.items() if base not in bare)
