"""How code spells the names of equations: `W_query`, `self.key` and `compute_A` for $W_q$, $W_k$ and $A$."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flint import fmpq

from derivations.latex.syntax.letters import SQUARE

ALIASES = {
    "query": "q",
    "queries": "q",
    "key": "k",
    "keys": "k",
    "value": "v",
    "values": "v",
    "eps": "epsilon",
    "lam": "lambda",
    "lamb": "lambda",
    "lambd": "lambda",
    "lmbda": "lambda",
    "input": "x",
    "inputs": "x",
}
"""Words that code uses for the letters of equations."""
_ROLES = {**ALIASES, "val": "v", "out": "o", "output": "o"}
"""The same for matrices of weights."""
PREFIXES = ("compute_", "get_", "calculate_", "calc_", "make_", "my_")
_WEIGHT = frozenset({"w", "omega", "u", "weight", "weights"})
"""Letters and words of weight matrices."""
_AROUND = frozenset(
    {"proj", "projection", "linear", "lin", "layer", "fc", "to", "c", "net", "mat", "matrix", "dense", "map"}
)
"""Words around the name of a layer that do not say which one it is."""


BATCHES = frozenset({"b", "batch", "bs", "batchsize", "nbatch", "nb", "bsz"})
"""What code calls the length of a batch, in the spelling of `spelled`."""


_IN_FONT = re.compile(r"^([A-Za-z])_(?:cal|fra|bla)(?=_|$)")
"""A letter in a font of its own, as names inside have it."""


def spelled(name: str) -> str:
    """A name without case, underscores and prefixes: `compute_attn_weights` and `attnWeights` are one.

    >>> spelled("compute_attn_weights"), spelled("X_prime#2"), spelled("varepsilon")
    ('attnweights', 'xprime', 'epsilon')
    >>> spelled("sigma^2"), spelled("sigma_squared"), spelled("sigma_sq")
    ('sigma2', 'sigma2', 'sigma2')
    >>> spelled("W_(1)"), spelled("W1")
    ('w1', 'w1')
    >>> spelled("L_cal_row"), spelled("L_row")
    ('lrow', 'lrow')
    >>> spelled("mu_new"), spelled("mu_plus")
    ('muplus', 'muplus')
    """
    name = _AFTERWARDS.sub("_plus", name.split("#")[0])
    name = _IN_FONT.sub(r"\1", _SQUARE.sub("2", name.split("#")[0]))
    if name in _VARIANTS:
        name = name.removeprefix("var")
    for p in PREFIXES:
        name = name.removeprefix(p)
    return re.sub(r"[_()]", "", name).replace("'", "prime").lower()


_AFTERWARDS = re.compile(r"(?<=\w)_(?:new|next|updated)$")
r"""What has a plus in equations, $\mu^+$, is what comes after an update."""
_SQUARE = re.compile(r"\^2$|_sq(?:uared?)?$")
"""The square of a quantity that has a letter: a variance."""
_VARIANTS = frozenset(f"var{letter}" for letter in ("epsilon", "phi", "theta", "rho", "sigma", "pi", "kappa"))
"""Other forms of Greek letters, which code does not tell apart."""
JOINED = {"attn": "qkv", "qkv": "qkv", "in": "qkv", "kqv": "kqv"}
"""What one matrix for queries, keys and values is called (`c_attn`, `to_qkv`, `in_proj`), and the order of its parts."""


_LOGARITHM = re.compile(r"log_?(?!its?\b|in\b|s\b|ger\b)([a-z]\w*)", re.IGNORECASE)
_DEVIATIONS = frozenset({"std", "sigma", "sd", "stddev", "scale", "stdev"})
_VARIANCES = frozenset({"var", "variance"})


def logarithm_of(name: str) -> str | None:
    """What a name says to hold the logarithm of, as it is spelled; None for other names.

    >>> logarithm_of("logvar"), logarithm_of("log_sigma"), logarithm_of("logits")
    ('var', 'sigma', None)
    """
    found = _LOGARITHM.fullmatch(name)
    return spelled(found.group(1)) if found is not None else None


def times_the_logarithm(word: str, symbol: str) -> fmpq:
    """How often the logarithm of `word` the logarithm of a symbol is, where one is a deviation and the other its square.

    >>> times_the_logarithm("std", "sigma" + SQUARE), times_the_logarithm("var", "sigma"), times_the_logarithm("std", "sigma")
    (2, 1/2, 1)
    """
    if word in _DEVIATIONS and symbol.endswith(SQUARE):
        return fmpq(2)
    return fmpq(1, 2) if word in _VARIANCES and spelled(symbol) in _DEVIATIONS else fmpq(1)


def numbered(name: str) -> tuple[str, int | None]:
    """A name and the number it ends in.

    >>> numbered("query_2"), numbered("d_model")
    (('query', 2), ('d_model', None))
    """
    base, _, number = name.rpartition("_")
    return (base, int(number)) if base and number.isdecimal() and len(number) < 4 else (name, None)


def initials(name: str) -> str:
    """The first letters of the words of a name.

    >>> initials("get_positional_encoding"), initials("PositionalEncoding"), initials("x")
    ('pe', 'pe', '')
    """
    for p in PREFIXES:
        name = name.removeprefix(p)
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
    return "".join(w[0] for w in words).lower() if len(words) > 1 else ""


MIN_PREFIX = 3
"""The shortest beginning of a word that stands for it in a name of several."""


def spells(name: str, words: Sequence[str]) -> bool:
    """Whether a name of the code spells the noun that a phrase ends in, or the beginnings of its last words.

    A noun in the singular with another word before it is one of several, `the update gate`; a plural is all of them.

    >>> spells("logvar", ["a", "log", "variance"]), spells("update_gate", ["the", "update", "gate"])
    (True, True)
    >>> spells("logits", ["router", "logits"]), spells("var", ["the", "variance"]), spells("gate", ["update", "gate"])
    (True, False, False)
    """
    short = spelled(name)
    if words and len(short) > MIN_PREFIX and short.removesuffix("s") == words[-1].removesuffix("s"):
        return len(words) < 2 or words[-2] in _BEFORE_NOUNS or words[-1].endswith("s")
    return any(_is_made_of(short, words[-k:]) for k in range(2, len(words) + 1))


_BEFORE_NOUNS = frozenset({"a", "an", "the", "its", "our", "of", "with", "by", "and"})
"""What stands before a noun and says nothing of which one it is."""


def _is_made_of(short: str, words: Sequence[str]) -> bool:
    """Whether a text is made of beginnings of words, one after the other."""
    if not words:
        return not short
    first = words[0]
    return any(
        short.startswith(first[:k]) and _is_made_of(short[k:], words[1:])
        for k in range(min(MIN_PREFIX, len(first)), len(first) + 1)
    )


def weight_of(name: str, layer: bool = False) -> str | None:
    """What a matrix of weights is for, None for names of other things; the name of a `layer` needs no letter W.

    >>> weight_of("W_query"), weight_of("Omega_q"), weight_of("q_proj", layer=True), weight_of("key")
    ('q', 'q', 'q', None)
    """
    words = _words(name.split("#")[0])
    role = [w for w in words if w not in _WEIGHT and w not in _AROUND]
    if not layer and _WEIGHT.isdisjoint(words):
        return None
    if len(role) != 1:
        return None
    return _ROLES.get(role[0], role[0])


def _words(name: str) -> list[str]:
    """The words of a name; a letter W in front of a letter is a word of its own (`Wq`, `WQ`)."""
    found: list[str] = []
    for part in name.split("_"):
        if len(part) == 2 and part[0] in "wWUu":
            found += [part[0].lower(), part[1].lower()]
        elif part:
            found.append(part.lower())
    return found
