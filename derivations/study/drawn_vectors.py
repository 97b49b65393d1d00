r"""Vectors that are drawn: $x \sim \mathcal{N}(\mu, \Sigma)$ makes x the mean plus a factor of the covariances times white noise.

What is proved of such an x is proved of every random vector with this mean and these covariances: of the noise nothing
but its mean and its variance is used.
"""

from __future__ import annotations

from derivations.latex.elaborator.equations import left_side
from derivations.latex.elaborator.normal_laws import DRAWN, factorises, is_of_vectors
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.syntax.normal_laws import NormalLaw, is_centred, is_of_vector, normal_law
from derivations.latex.syntax.surface import Listed, Name, Node, Operator
from derivations.study.admitting import define_name
from derivations.study.equation_walk import SUPPOSED_BESIDE, Item, Key
from derivations.study.findings_of_relations import skip
from derivations.study.names_and_conditions import elaborator_for
from derivations.study.recurrences_defined import by_recurrence
from derivations.study.state import Study


def take_drawn_vectors(study: Study, item: Item, key: Key, left: Node, right: Node) -> bool:
    """Whether a relation says that vectors are drawn from a normal law, which is taken as given from here on."""
    law = normal_law(right)
    if law is None or (is_centred(law) and not is_of_vector(law)):
        return False
    links = item.reading.chain.links
    if key[2] and links[key[2] - 1][0] == "mid" and key[2] == 1 and item.reading.chain.first is not None:
        left = item.reading.chain.first  # x \mid z: what z is, the parameters say
    drawn = left.items if isinstance(left, Listed) else (left,)
    if not all(_take(study, item, key, node, law) for node in drawn if node is not None):
        return False
    skip(study, item, key, left, right, "hypothesis", "taken as given: a distribution")
    return True


def _take(study: Study, item: Item, key: Key, node: Node, law: NormalLaw) -> bool:
    e = elaborator_for(study, item)
    left = left_side(e, node)
    if left is None or left.parameters or left.call:
        return False
    known = study.table.symbols.get(left.stem)
    if known is not None and known.defined:
        return False
    if any(_relation(other, link) != "sim" for other, link in study.text.lefts.get(left.stem, ())):
        return True  # an equation says how it is drawn: x = \mu + \sigma \epsilon
    places = tuple(s.node for s in left.slots)
    if None in places:
        return False
    span = law.mean.span
    value = Operator(span, DRAWN, Name(span, left.stem), None, (law.mean, law.spread, *places))  # type: ignore[arg-type]
    try:
        is_vector = is_of_vectors(elaborator_for(study, item), value)
    except NotUnderstood:
        return False
    if not is_vector:
        return False
    if not by_recurrence(study, item, key, left, node, value):
        define_name(study, item, key, e, left, node, value, None)
    supposed = factorises(elaborator_for(study, item), value)
    if supposed is not None and all(h != supposed for _, h, _ in study.walk.hypotheses):
        study.walk.hypotheses.append(((*key[:2], SUPPOSED_BESIDE), supposed, None))
    return True


def _relation(item: Item, link: int) -> str:
    return item.reading.chain.links[link][0]
