"""Reasons not to believe a refutation: what the text leaves open, or says and is not read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from derivations.documents.facts.sentence_patterns import INDEPENDENT
from derivations.documents.model.finding import Finding
from derivations.language.term import (
    FUNCTIONS,
    ONE,
    Apply,
    Entry,
    Index,
    IndexValue,
    Lambda,
    Statement,
    Theory,
    guard_substitute,
    substitute,
    sum_over,
    within,
)
from derivations.latex.elaborator.indices import Indices
from derivations.latex.elaborator.sums_without_index import outside
from derivations.latex.lexicon.differentiated_symbols import renamed
from derivations.latex.lexicon.symbol_table import GENERIC, MEMBERS
from derivations.latex.syntax.surface import Adjacent, Big, Chain, Node, walk
from derivations.notes import Note
from derivations.provers.decide import Proved, Refuted, Undecided
from derivations.provers.instance import at_sizes
from derivations.provers.refute import all_sizes
from derivations.study.equation_walk import Decide, Item, Key, is_number
from derivations.study.names_and_conditions import Base


class Doubts(Base):
    """Other things that a refuted claim may mean."""

    def _may_be_summed(self, left: Node, right: Node) -> str | None:
        """An index that stands twice or more on one side and nowhere on the other."""
        letters = [Counter(outside(self.names, n)) for n in (left, right)]
        bound = {c for n in (left, right) for m in walk(n) if isinstance(m, Big) for c in Indices.bound_letters(m.sub)}
        for own, other in (letters, letters[::-1]):
            for c, count in own.items():
                if count > 1 and c not in other and c not in bound and c not in self.names.sizes:
                    return c
        return None

    def _unrelated(self, finding: Finding) -> tuple[str, str] | None:
        """Two given names, one written on each side only and not both declared: one is put for the other unsaid."""
        if finding.statement is None:
            return None
        sides = (finding.statement.left, finding.statement.right)
        given = {s.head: s for s in self.table.symbols.values() if not s.defined and s.parameters is None}
        given = {head: s for head, s in given.items() if head not in finding.theory.definitions}
        alone = []
        for own, other in (sides, sides[::-1]):
            there = set(all_heads(Statement(other, "=", other), finding.theory))
            alone.append([given[h].stem for h in sorted(own.heads) if h in given and h not in there])
        for a in alone[0]:
            for b in alone[1]:
                both = {a, b} <= set(self.table.declared) and a.lower() != b.lower()  # h_j and H: rows or columns?
                if not both and not {a, b} & set(self.table.laws):
                    return a, b
        return None

    def _constrained(self, finding: Finding) -> str | None:
        """A given name that an equation about given names may be what tells: nothing declares it, and it stands on the
        right alone, or is the left side.

        `a \\cdot b = |a| |b| \\cos\\alpha` says what alpha is.
        """
        for s in finding.statements:
            own = {*s.left.heads, *s.right.heads}
            if s.relation != "=" or s.hypotheses or own & {*finding.theory.definitions, *finding.theory.random}:
                return None
        told: set[str] = set()
        for s in finding.statements:
            told |= s.right.heads - s.left.heads
            told |= s.left.heads - s.right.heads if isinstance(s.left, Entry) else set()
        stems = {s.head: s.stem for s in self.table.symbols.values()}
        return min((stem for h in told if (stem := stems.get(h, h)) not in self.table.declared), default=None)

    def _special_value(self, item: Item, finding: Finding) -> str | None:
        """A given name of a claim that the words before it set to a number: `for $\\epsilon = 0$ and $c > 0$`."""
        heads = {h for s in finding.statements for h in all_heads(s, finding.theory)}
        for chain in self._formulas(re.findall(r"⟦(\d+)⟧", item.context.before)):
            if (
                isinstance(chain, Chain)
                and len(chain.links) == 1
                and chain.links[0][0] == "="
                and chain.first is not None
            ):
                w = self.names.written(chain.first)
                symbol = self.table.symbols.get(w.stem) if w is not None and is_number(chain.links[0][1]) else None
                if symbol is not None and not symbol.defined and symbol.head in heads:
                    return symbol.stem
        return None

    def _set_to_numbers(self, item: Item, finding: Finding) -> str | None:
        """A given name of a claim whose entries an equation before it in the section sets to numbers: `y_t = 1`."""
        heads = {h for s in finding.statements for h in all_heads(s, finding.theory)}
        for stem, section in self.walk.special.items():
            symbol = self.table.symbols.get(stem)
            if symbol is not None and not symbol.defined and symbol.head in heads and section == item.section:
                return stem
        return None

    def _perhaps_outer(self, finding: Finding, left: Node, right: Node) -> str | None:
        """A vector p of `p^\\top p` beside an array, where the number that it is as a column is added to every entry.

        For rows it is an outer product.
        """
        if not any(note.kind == "number-to-entries" for note in finding.assumptions):
            return None
        products = (n for side in (left, right) for n in walk(side) if isinstance(n, Adjacent))
        for one, other in (pair for n in products for pair in pairwise(map(self.names.written, n.items))):
            if one is not None and other is not None and one.stem == other.stem and one.transposed != other.transposed:
                return one.stem
        return None

    def _guessed(self, key: Key, finding: Finding) -> str | None:
        """How a sign of a claim, or of a definition that it uses, was read where other authors mean something else."""
        found = [finding, *(self.walk.findings[k] for k in self.walk.uses.get(key, ()) if k in self.walk.findings)]
        return next((note.text for f in found for note in f.assumptions if note.row.guess), None)

    def _missing(self, finding: Finding) -> str | None:
        """What is not known of a gradient that a claim speaks of and that an equation states."""
        heads = {h for s in finding.statements for h in all_heads(s, finding.theory)}
        return next((missing for head, missing in self.table.gradients.items() if head in heads), None)

    def _perhaps_of_values(self, finding: Finding) -> str | None:
        """A function of which a claim only has values, where not every choice of them comes from such a function.

        Any vectors are its values at distinct given vectors of which the claim says nothing else.
        """
        heads = {h for s in finding.statements for h in all_heads(s, finding.theory)}
        for head, (function, argument) in self.table.values.items():
            if head in heads and (
                argument in heads or argument not in finding.theory.tensors or function in self.properties
            ):
                return function
        return None

    def _perhaps_dependent(self, item: Item, finding: Finding) -> str | None:
        """Random names of a claim of which nothing says that they are independent."""
        heads = {h for s in finding.statements for h in all_heads(s, finding.theory)}
        found = [s for s in self.table.symbols.values() if s.stem in self.names.random and s.head in heads]
        if INDEPENDENT.search(item.context.paragraph) or (len(found) < 2 and not any(s.dims for s in found)):
            return None
        return " and ".join(sorted(s.stem for s in found)) or None

    def _one_class(self, finding: Finding, left: Node, right: Node) -> tuple[str, str] | None:
        """A one-hot name and an index that one side has alone: the class c in `-\\log p_c = -\\sum_k y_k \\log p_k`."""
        heads = {h for s in finding.statements for h in all_heads(s, finding.theory)}
        hot = [s.stem for s in self.table.symbols.values() if s.stem in self.table.one_hot and s.head in heads]
        alone = set(outside(self.names, left)) ^ set(outside(self.names, right))
        free = {c for c in alone - self.names.sizes if any(c in s.indices for s in finding.statements)}
        return (min(free), hot[0]) if hot and free else None

    def _of_one_letter(self, finding: Finding) -> tuple[str, str] | None:
        """Two given names, w and W, of which the statement has one and a definition behind it the other.

        Or a given s on one side of the statement, and an S that is defined on the other.
        """
        own = {h for s in finding.statements for h in (*s.left.heads, *s.right.heads)}
        behind = {h for s in finding.statements for h in all_heads(s, finding.theory)} - own
        given = [s for s in self.table.symbols.values() if not s.defined and s.parameters is None]
        others = [s for s in self.table.symbols.values() if s.head in behind and s in given]
        for s in finding.statements:
            for one, other in ((s.left, s.right), (s.right, s.left)):
                if any(g.head in one.heads - other.heads for g in given):
                    others += [
                        d for d in self.table.symbols.values() if d.defined and d.head in other.heads - one.heads
                    ]
        for a in (s.stem for s in given if s.head in own):
            for b in (s.stem for s in others):
                if a != b and a.lower() == b.lower() and not {a, b} & {*self.table.rows, *self.table.rows.values()}:
                    return a, b
        return None

    def _unlisted(self, finding: Finding) -> str | None:
        """A set of which nothing is said and over which a claim sums."""
        sets = {s.head: s.stem.removesuffix(MEMBERS) for s in self.table.symbols.values() if s.stem.endswith(MEMBERS)}
        heads = (h for s in finding.statements for h in all_heads(s, finding.theory))
        return next((sets[h] for h in heads if h in sets), None)

    def _unknown_side(self, finding: Finding) -> str | None:
        """A function that nothing defines and that one side alone has, or that is all of a side or of a definition."""
        for s in finding.statements:
            applied = [
                {t.function for t in finding.theory.reached(side) if isinstance(t, Apply)} - FUNCTIONS
                for side in (s.left, s.right)
            ]
            if applied[0] ^ applied[1]:
                return min(applied[0] ^ applied[1])
        unknown = {s.head: s.stem for s in self.table.symbols.values() if s.call is not None and not s.defined}
        sides = [side for s in finding.statements for side in (s.left, s.right)]
        for s in finding.statements:
            for head in all_heads(s, finding.theory):  # a = f(x) without more says nothing of a
                sides += [d.body for d in finding.theory.definitions.get(head, ())]
        for side in sides:
            if isinstance(side, Entry) and side.name in unknown:
                return unknown[side.name]
        return None

    def _unread_property(self, finding: Finding) -> tuple[str, str] | None:
        """A given tensor of a claim about which the text says something that is not read."""
        heads = {h for s in finding.statements for h in all_heads(s, finding.theory)}
        for symbol in self.table.symbols.values():
            said = self.properties.get(symbol.stem, "")
            known = symbol.stem in self.table.laws and re.match(r"indep|random|zero|unit var", said) is not None
            known = known or (said == "invertible" and self._is_inverted(symbol.head, finding))
            if symbol.head in heads and not symbol.defined and said and not known:
                return symbol.stem, self.properties[symbol.stem]
        return None

    @staticmethod
    def _is_inverted(head: str, finding: Finding) -> bool:
        """Whether a claim has the inverse of a matrix in it: it speaks of invertible ones only."""
        sides = (side for s in finding.statements for side in (s.left, s.right))
        terms = (t for side in sides for t in finding.theory.reached(side))
        return any(isinstance(t, Entry) and t.is_inverse and head in t.args[0].body.heads for t in terms)

    def _with_rows_that_sum_to_one(self, finding: Finding, said: tuple[str, str]) -> bool:
        """Decide again under "the rows of A sum to one", when that is what the text says."""
        symbol = self.table.symbols.get(said[0])
        if said[0] not in self.row_sums or symbol is None or len(symbol.dims) != 2:
            return False
        n, m = (self.table.sizes.index(d) for d in symbol.dims)
        i, j = Index.var("i"), Index.var("j")
        rows = Statement(sum_over("j", 0, m, Entry(symbol.head, (i, j))), "=", ONE, ("i",), within("i", 0, n))
        finding.statements = tuple(replace(s, hypotheses=(*s.hypotheses, rows)) for s in finding.statements)
        decide_all(finding, self.decide)
        finding.assumptions = (*finding.assumptions, Note("rows-sum-to-one", (said[0],)))
        return True

    def _with_targets_that_sum_to_one(self, finding: Finding) -> bool:
        """Decide again for targets of a cross entropy that sum to one; true when the claim is proved for them."""
        heads = {h for s in finding.statements for h in all_heads(s, finding.theory)}
        given = [s for s in self.table.symbols.values() if s.stem in self.targets and s.head in heads and not s.defined]
        for symbol in given:
            if len(symbol.dims) not in (1, 2):
                continue
            *rows, n = (self.table.sizes.index(d) for d in symbol.dims)
            i, j = Index.var("i"), Index.var("j")
            row, ranges = ((i,), within("i", 0, rows[0])) if rows else ((), ())
            one = Statement(
                sum_over("j", 0, n, Entry(symbol.head, (*row, j))), "=", ONE, ("i",) if rows else (), ranges
            )
            tried = replace(
                finding, statements=tuple(replace(s, hypotheses=(*s.hypotheses, one)) for s in finding.statements)
            )
            decide_all(tried, self.decide)
            if tried.status == "proved":
                finding.statements, finding.statement = tried.statements, tried.statement
                finding.status, finding.decision = tried.status, tried.decision
                kind = "targets-sum-to-one" if rows else "target-sums-to-one"
                note = Note(kind, (symbol.stem,), place=finding.place)
                finding.assumptions = (*finding.assumptions, note)
                return True
        return False

    def _true_of_earlier_version(self, item: Item, finding: Finding) -> bool:
        """Whether a claim holds of a definition that a later equation with only given names may not replace.

        Of a name that was given before an equation defined it, it holds whatever the name is: that proves the claim.
        """
        s, theory = finding.statement, finding.theory
        loose = {h: old for h, old in self.walk.loose.items() if s is not None and h in all_heads(s, theory)}
        if s is None or not loose or not set(loose.values()) <= theory.definitions.keys() | theory.tensors.keys():
            return False
        other = replace(s, left=renamed(s.left, loose), right=renamed(s.right, loose))
        decision = self.decide(other, theory)
        if isinstance(decision, Proved) and len(finding.statements) == 1:
            given = [self.walk.stems[h] for h, old in loose.items() if old not in theory.definitions]
            if len(given) == len(loose):
                finding.statements, finding.statement = (other,), other
                finding.decision, finding.status, finding.code, finding.reason = decision, "proved", None, None
                notes = (Note("given-before", (stem,), place=item.span.place) for stem in given)
                finding.assumptions = (*finding.assumptions, *notes)
        return isinstance(decision, Proved)

    def _shaky(self, finding: Finding) -> str | None:
        """A given tensor of a claim whose axes are a guess: nothing declares it, and it is written in two ways."""
        heads = {h for s in finding.statements for h in all_heads(s, finding.theory)}
        for symbol in self.table.symbols.values():
            guessed = not symbol.exact and symbol.stem not in self.table.laws
            guess = symbol.stem.endswith(GENERIC) or self.names.shaky(symbol.stem)
            if symbol.head in heads and not symbol.defined and guessed and guess:
                return symbol.stem
        return None

    def _number_is_length(self, finding: Finding) -> bool:
        """Whether a claim is proved when a number of it, the d of `Var(q^T k) = d`, is a length that nothing else tells."""
        s, theory = finding.statement, finding.theory
        if s is None or s.hypotheses or len(finding.statements) != 1:
            return False
        unsaid = sorted(all_sizes(s, theory) - self.names.sizes)
        for stem, symbol in sorted(self.table.symbols.items()):
            head = symbol.head
            if symbol.defined or symbol.dims or symbol.parameters is not None or not _may_be_length(stem):
                continue
            if head in theory.definitions or head not in s.left.heads | s.right.heads or stem in self.table.laws:
                continue
            for size in unsaid:
                put = {head: Lambda((), IndexValue(Index.size(size)))}
                there = replace(s, left=substitute(s.left, tensors=put), right=substitute(s.right, tensors=put))
                decision = self.decide(there, theory)
                if isinstance(decision, Proved):
                    finding.statements, finding.statement = (there,), there
                    finding.status, finding.decision, finding.code, finding.reason = "proved", decision, None, None
                    note = Note("number-is-length", (stem,))
                    finding.assumptions = (*finding.assumptions, note)
                    return True
        return False

    def _unsaid_length(self, finding: Finding) -> str | None:
        """A size of the document which, put for a length that nothing tells, leaves the claim unrefuted."""
        s = finding.statement
        if s is None or s.hypotheses:
            return None
        sizes = all_sizes(s, finding.theory)
        known = sizes & self.names.sizes
        for unsaid in sorted(sizes - self.names.sizes):
            for name in sorted(known):
                put = {unsaid: Index.size(name)}
                theory = finding.theory.about((s.left, s.right))
                tensors = {
                    n: replace(t, shape=tuple(i.substitute({}, put) for i in t.shape))
                    for n, t in theory.tensors.items()
                }
                there = Theory(
                    tensors, {n: tuple(at_sizes(d, put) for d in ds) for n, ds in theory.definitions.items()}
                )
                left, right = substitute(s.left, {}, put), substitute(s.right, {}, put)
                decision = self.decide(
                    Statement(left, s.relation, right, s.indices, guard_substitute(s.guard, {}, put)), there
                )
                if not isinstance(decision, Refuted):
                    return name
        return None


def _may_be_length(stem: str) -> bool:
    """Whether a name looks like a length: one Latin letter, perhaps with a label."""
    lead = stem.split("_")[0]
    return len(lead) == 1 and lead.isascii() and lead.isalpha()


def decide_all(finding: Finding, decide: Decide) -> None:
    """Decide every statement of a finding; one refuted refutes, all proved prove."""
    decisions = [(s, decide(s, finding.theory)) for s in finding.statements]
    order: list[tuple[type, str]] = [(Refuted, "refuted"), (Undecided, "undecided"), (Proved, "proved")]
    for outcome, status in order:
        for s, d in decisions:
            if isinstance(d, outcome):
                finding.statement, finding.decision, finding.status = s, d, status
                finding.code, finding.reason = (d.code, d.reason) if isinstance(d, Undecided) else (None, None)
                return


def undecide(finding: Finding, code: str, reason: str) -> None:
    finding.status, finding.code, finding.reason = "undecided", code, reason
    finding.decision = Undecided(reason, finding.statement, code)


def all_heads(s: Statement, theory: Theory) -> Iterator[str]:
    seen: set[str] = set()
    todo = [*s.left.heads, *s.right.heads]
    while todo:
        head = todo.pop()
        if head not in seen:
            seen.add(head)
            yield head
            for d in theory.definitions.get(head, ()):
                todo += d.body.heads
