"""Functions, signs of products, and random variables, as sentences call them."""

from __future__ import annotations

from derivations.documents.facts.fact import FactKind, Row, pattern

_ACTIVATION = r"(?:non-?\s?linearity|non-?linear activation|activation|squashing function)"
_SIGMOID = r"(?:logistic\s+)?sigmoid(?:\s+(?:function|activation|nonlinearity))*+(?![-\w]|\s+(?:of|applied)\b)"
_RELU = r"(?:ReLU|rectified linear unit)(?:\s+(?:function|activation|nonlinearity))*+(?![-\w]|\s+(?:of|applied)\b)"
_SMOOTH = r"(?:convex|concave|monotone|differentiable|Lipschitz)"

_BEING = (
    r"(?:(?:is|are|be|being)\s+)?(?:an?\s+|two\s+|all\s+)?(?:(?:independent|i\.?i\.?d\.?|real|centred|centered)\s+)?"
)
_NO_MEMBER = r"(?<!of )(?<!and )(?<!, )"
"""Not `the components of $q$ and $k$`, nor the rest of a list."""

ROWS: tuple[Row, ...] = (
    Row(
        FactKind.FUNCTION,
        "is-function",
        pattern(
            r"(?P<names>ONE)\s*,?\s*(?:is|are|be|denotes?|represents?|stands? for|being)\s+(?:the\s+|an?\s+|some\s+|any\s+)?"
            r"(?:[a-z()-]+\s+){0,3}?(?:non-?\s?linearity|activation|sigmoid|nonlinear map|feature map|function)\b"
            r"(?!\s+(?:of|over|values?))"
        ),
        "function",
        "where $\\sigma$ is a non-linearity",
        "function: \\sigma function",
        "where $s$ is a function of time",
    ),
    Row(
        FactKind.FUNCTION,
        "function-before",
        pattern(r"\b(?:non-?\s?linearity|activation|feature map|function)\s+(?P<names>ONE)(?!\s*=)"),
        "function",
        "We apply the feature map $\\phi$ to each row.",
        "function: \\phi function",
        "The map $\\phi$ is none.",
    ),
    Row(
        FactKind.FUNCTION,
        "smooth",
        pattern(rf"(?P<names>ONE)\s+(?:is|be|are)\s+(?:strictly\s+|strongly\s+)?{_SMOOTH}\b"),
        "function",
        "Let $f$ be convex.",
        "function: f function",
        "Let $f$ be constant.",
    ),
    Row(
        FactKind.FUNCTION,
        "is-activation",
        pattern(
            r"(?P<names>ONE)\s*,?\s*(?:is|are|be|denotes?|represents?|stands? for|being)\s+(?:the\s+|an?\s+|some\s+|any\s+)?"
            rf"(?:[a-z()-]+\s+){{0,3}}?{_ACTIVATION}\b"
        ),
        "activation",
        "where $\\sigma$ is a non-linearity",
        "function: \\sigma activation",
        "where $\\phi$ is a feature map",
    ),
    Row(
        FactKind.FUNCTION,
        "activation-before",
        pattern(rf"\b{_ACTIVATION}(?:\s+function)?\s+(?P<names>ONE)(?!\s*=)"),
        "activation",
        "We choose an activation function $\\phi$ for all layers.",
        "function: \\phi activation",
        "We choose a function $\\phi$ for all layers.",
    ),
    Row(
        FactKind.FUNCTION,
        "is-softmax",
        pattern(
            r"(?P<names>ONE)\s*,?\s*(?:is|denotes|represents|stands for|means|refers to|being)\s+(?:the\s+|a\s+)?"
            r"(?:row-?\s?wise\s+|standard\s+|usual\s+)?softmax\b"
            r"(?!\s+(?:of|over|output|weight|prob|score|denom|numer|loss|layer))"
        ),
        "softmax",
        "where $\\sigma$ denotes the softmax",
        "function: \\sigma softmax",
        "where $\\sigma$ denotes the softmax weights",
    ),
    Row(
        FactKind.FUNCTION,
        "softmax-before",
        pattern(r"\bsoftmax\s+(?:function\s+|operator\s+|activation\s+)?(?P<names>ONE)(?!\s*=)"),
        "softmax",
        "We use the softmax function $\\sigma$ below.",
        "function: \\sigma softmax",
        "We use the softmax of $z$ below.",
    ),
    Row(
        FactKind.FUNCTION,
        "is-sigmoid",
        pattern(
            r"(?P<names>ONE)\s*,?\s*(?:is|denotes|represents|stands for|means|refers to|being)\s+(?:the\s+|a\s+)?"
            rf"(?:element-?\s?wise\s+|standard\s+|usual\s+)?{_SIGMOID}\b"
        ),
        "sigmoid",
        "where $\\sigma$ is the logistic sigmoid",
        "function: \\sigma sigmoid",
        "where $p$ is the logistic sigmoid of a score",
    ),
    Row(
        FactKind.FUNCTION,
        "sigmoid-before",
        pattern(rf"\b{_SIGMOID}\s+(?P<names>ONE)(?!\s*=)"),
        "sigmoid",
        "We apply the sigmoid function $\\sigma$ to the scores.",
        "function: \\sigma sigmoid",
        "We apply the sigmoid of $z$ below.",
    ),
    Row(
        FactKind.FUNCTION,
        "is-relu",
        pattern(
            r"(?P<names>ONE)\s*,?\s*(?:is|denotes|represents|stands for|means|refers to|being)\s+(?:the\s+|a\s+)?"
            rf"{_RELU}\b"
        ),
        "relu",
        "where $\\phi$ is the rectified linear unit",
        "function: \\phi relu",
        "where $\\phi$ is a rectified wave",
    ),
    Row(
        FactKind.FUNCTION,
        "entrywise",
        pattern(
            r"(?P<names>ONE)[^.;⟦]{0,40}\b(?:element-?\s?wise|component-?\s?wise|entry-?\s?wise|point-?\s?wise|Hadamard)\b"
        ),
        "entrywise",
        "Here $\\circ$ is the element-wise product.",
        "function: \\circ entrywise",
        "Here $\\circ$ is the composition.",
    ),
    Row(
        FactKind.RANDOM,
        "random-variables",
        pattern(r"\b(?:random (?:variables?|scalars?|numbers?)|r\.\s?v\.?(?:['\u2019]?s)?)\s*NAMES"),
        "variable",
        "For random variables $X$ and $Y$ this holds.",
        "random: X, Y variable",
        "For random weights $W$ this holds.",
    ),
    Row(
        FactKind.RANDOM,
        "called-random-variables",
        pattern(rf"{_NO_MEMBER}NAMES,?\s+{_BEING}random (?:variables?|scalars?|numbers?)\b(?!\s*⟦)"),
        "variable",
        "Let $u$ and $v$ be independent random variables.",
        "random: u, v variable",
        "The entries of $u$ are random variables.",
    ),
    Row(
        FactKind.RANDOM,
        "random-vectors",
        pattern(r"\brandom vectors?\s*NAMES"),
        "vector",
        "For random vectors $x$ and $y$ this holds.",
        "random: x, y vector",
        "For vectors $x$ of random weights this holds.",
    ),
    Row(
        FactKind.RANDOM,
        "called-random-vectors",
        pattern(rf"{_NO_MEMBER}NAMES,?\s+{_BEING}random vectors?\b(?!\s*⟦)"),
        "vector",
        "Let $X$ be a random vector with finite second moments.",
        "random: X vector",
        "Let $X$ be a function of a random vector.",
    ),
)
