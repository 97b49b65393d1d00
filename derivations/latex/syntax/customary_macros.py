r"""Commands that KaTeX or MathJax know, or that nearly all authors define alike; what a document defines comes first.

A chapter of a book uses the macros of a preamble that often lies elsewhere.  Each row is a name, its number of arguments
and the usual body; a name that authors use for different things (`\v`, `\x`, `\L`) has no row.

Sources: KaTeX, Supported Functions (2024); the manual of the LaTeX package physics (2012); the notation of Goodfellow,
Bengio and Courville, Deep Learning (2016), which conference templates distribute as `math_commands.tex`.
"""

from __future__ import annotations

from string import ascii_letters, ascii_lowercase, ascii_uppercase

_SETS = {
    **{name: name[0] for name in ("N", "Q", "R", "Z", "RR", "NN", "ZZ", "QQ", "Reals")},
    "reals": "R",
    "Complex": "C",
    "cnums": "C",
    "CC": "C",
    "natnums": "N",
    "bbR": "R",
    "bbN": "N",
    "bbZ": "Z",
    "EE": "E",
    "bbE": "E",
    "E": "E",
    "PP": "P",
    "bbP": "P",
}
"""Names of sets, of the expectation and of probability: blackboard letters."""
_FONTS = {
    **dict.fromkeys(("bold", "boldface", "vect", "vecb", "mat", "mtx", "bs", "vct", "bmath"), "mathbf"),
    "mathbold": "boldsymbol",
    "bsym": "boldsymbol",
}
"""Commands that only change the font of their argument."""
_WORDS = {
    **{name: name for name in ("Var", "Cov", "Corr", "KL", "softmax", "diag", "sign", "relu", "rank", "sigmoid")},
    "var": "Var",
    "cov": "Cov",
    "tr": "tr",
    "Tr": "Tr",
    "trace": "tr",
    "Diag": "diag",
    "sgn": "sign",
    "ReLU": "ReLU",
    "argmax": "argmax",
    "argmin": "argmin",
    "Softmax": "softmax",
    "Attention": "Attention",
    "MultiHead": "MultiHead",
    "Concat": "Concat",
    "concat": "Concat",
    "LayerNorm": "LayerNorm",
    "Rank": "rank",
    "Span": "span",
    "Expect": "E",
}
"""Commands that set a word upright."""
_BODIES = {
    "norm": (1, r"\left\lVert #1\right\rVert "),
    "abs": (1, r"\left\lvert #1\right\rvert "),
    "inner": (2, r"\left\langle #1, #2\right\rangle "),
    "innerprod": (2, r"\left\langle #1, #2\right\rangle "),
    "ip": (2, r"\left\langle #1, #2\right\rangle "),
    "dv": (2, r"\frac{d #1}{d #2}"),
    "dd": (1, r"\, d#1"),
    "pdv": (2, r"\frac{\partial #1}{\partial #2}"),
    "pd": (2, r"\frac{\partial #1}{\partial #2}"),
    "pder": (2, r"\frac{\partial #1}{\partial #2}"),
    "pderiv": (2, r"\frac{\partial #1}{\partial #2}"),
    "deriv": (2, r"\frac{d #1}{d #2}"),
    "ceil": (1, r"\left\lceil #1\right\rceil "),
    "floor": (1, r"\left\lfloor #1\right\rfloor "),
    "set": (1, r"\{#1\}"),
    "qty": (1, r"\left(#1\right)"),
    "T": (0, r"\top "),
    "trans": (0, r"^{\top}"),
    "eps": (0, r"\epsilon "),
    "half": (0, r"\frac{1}{2}"),
    "defeq": (0, r"\coloneqq "),
    "eqdef": (0, r"\coloneqq "),
    "grad": (0, r"\nabla "),
    "infin": (0, r"\infty "),
    "exist": (0, r"\exists "),
    "isin": (0, r"\in "),
    "plusmn": (0, r"\pm "),
    "sdot": (0, r"\cdot "),
    "Pr": (0, r"\mathrm{Pr}"),
}
_GREEK = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu"),
    *("nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
)

CUSTOMARY: dict[str, tuple[int, str]] = {
    **{name: (0, rf"\mathbb{{{letter}}}") for name, letter in _SETS.items()},
    **{name: (1, rf"\{font}{{#1}}") for name, font in _FONTS.items()},
    **{name: (0, rf"\operatorname{{{word}}}") for name, word in _WORDS.items()},
    **_BODIES,
    **{f"v{c}": (0, rf"\boldsymbol{{{c}}}") for c in ascii_lowercase},
    **{f"v{g}": (0, rf"\boldsymbol{{\{g}}}") for g in _GREEK},
    **{f"m{c}": (0, rf"\boldsymbol{{{c}}}") for c in ascii_uppercase},
    **{f"bb{c}": (0, rf"\mathbb{{{c}}}") for c in ascii_uppercase},
    **{f"bf{c}": (0, rf"\mathbf{{{c}}}") for c in ascii_letters},
    **{f"cal{c}": (0, rf"\mathcal{{{c}}}") for c in ascii_uppercase},
    **{f"mc{c}": (0, rf"\mathcal{{{c}}}") for c in ascii_uppercase},
}
"""The numbers of arguments and the bodies, by the names."""
