r"""The table of LaTeX commands that stand for a symbol: one row per command.

The reader, the writers and the MathML writer share these rows, so a command that is added here is known to all of
them. A row gives the name without its backslash, the Unicode text, the class that TeX assigns (it decides spacing and
how the symbol combines with its neighbours), and what else is peculiar to it.

Commands that build something from arguments (`\frac`, `\sqrt`, `\left`, environments) are syntax, not symbols; they
live with their readers.

Sources: D. E. Knuth, The TeXbook (1986), chapters 16 to 18 and appendix F; American Mathematical Society, User's Guide
for the amsmath Package; Unicode Technical Report 25.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """The class of a symbol, as in TeX, with the kinds of command that are no symbol at all."""

    ORD = "ord"
    """An ordinary symbol: a letter, a constant, dots."""
    OP = "op"
    """A large operator such as a sum, which takes limits."""
    FUNCTION = "function"
    r"""An operator written as a word, such as `\exp`."""
    BIN = "bin"
    """A binary operation."""
    REL = "rel"
    """A relation or an arrow."""
    OPEN = "open"
    """An opening delimiter."""
    CLOSE = "close"
    """A closing delimiter."""
    FENCE = "fence"
    r"""A delimiter that opens or closes according to its place, such as `\|`."""
    PUNCT = "punct"
    """Punctuation."""
    ACCENT = "accent"
    """A mark over or under its one argument."""
    SPACE = "space"
    """Horizontal space."""
    FONT = "font"
    """A command that sets its one argument in another alphabet."""
    SWITCH = "switch"
    """A command that sets the rest of its group in another alphabet or style."""
    LAYOUT = "layout"
    """A command that changes the page, not the mathematics: its arguments are dropped with it."""

    __hash__ = object.__hash__  # that of Enum hashes the name, every time


@dataclass(frozen=True)
class Symbol:
    r"""One row: a command, or a character that means itself.

    `text` is the Unicode text (for FONT and SWITCH the alphabet or style, for SPACE empty); `letter` says that the
    symbol can be a name (Greek letters can, `\infty` cannot); `limits` that scripts go above and below in a display;
    `em` is the width of a space; `arguments` counts the arguments that a LAYOUT command drops; `under` and `stretchy`
    say where an accent goes and whether it grows.
    """

    name: str
    text: str
    kind: Kind
    letter: bool = False
    limits: bool = False
    em: float = 0.0
    arguments: int = 0
    under: bool = False
    stretchy: bool = False

    @property
    def tex(self) -> str:
        """The command as it is typed."""
        return self.name if CHARACTERS.get(self.name) is self else "\\" + self.name


LETTERS: tuple[Symbol, ...] = (
    Symbol("alpha", "α", Kind.ORD, letter=True),
    Symbol("beta", "β", Kind.ORD, letter=True),
    Symbol("gamma", "γ", Kind.ORD, letter=True),
    Symbol("delta", "δ", Kind.ORD, letter=True),
    Symbol("epsilon", "ϵ", Kind.ORD, letter=True),
    Symbol("varepsilon", "ε", Kind.ORD, letter=True),
    Symbol("zeta", "ζ", Kind.ORD, letter=True),
    Symbol("eta", "η", Kind.ORD, letter=True),
    Symbol("theta", "θ", Kind.ORD, letter=True),
    Symbol("vartheta", "ϑ", Kind.ORD, letter=True),
    Symbol("iota", "ι", Kind.ORD, letter=True),
    Symbol("kappa", "κ", Kind.ORD, letter=True),
    Symbol("varkappa", "ϰ", Kind.ORD, letter=True),
    Symbol("lambda", "λ", Kind.ORD, letter=True),
    Symbol("mu", "μ", Kind.ORD, letter=True),
    Symbol("nu", "ν", Kind.ORD, letter=True),
    Symbol("xi", "ξ", Kind.ORD, letter=True),
    Symbol("omicron", "ο", Kind.ORD, letter=True),
    Symbol("pi", "π", Kind.ORD, letter=True),
    Symbol("varpi", "ϖ", Kind.ORD, letter=True),
    Symbol("rho", "ρ", Kind.ORD, letter=True),
    Symbol("varrho", "ϱ", Kind.ORD, letter=True),
    Symbol("sigma", "σ", Kind.ORD, letter=True),
    Symbol("varsigma", "ς", Kind.ORD, letter=True),
    Symbol("tau", "τ", Kind.ORD, letter=True),
    Symbol("upsilon", "υ", Kind.ORD, letter=True),
    Symbol("phi", "ϕ", Kind.ORD, letter=True),
    Symbol("varphi", "φ", Kind.ORD, letter=True),
    Symbol("chi", "χ", Kind.ORD, letter=True),
    Symbol("psi", "ψ", Kind.ORD, letter=True),
    Symbol("omega", "ω", Kind.ORD, letter=True),
    Symbol("digamma", "ϝ", Kind.ORD, letter=True),
    Symbol("Gamma", "Γ", Kind.ORD, letter=True),
    Symbol("Delta", "Δ", Kind.ORD, letter=True),
    Symbol("Theta", "Θ", Kind.ORD, letter=True),
    Symbol("Lambda", "Λ", Kind.ORD, letter=True),
    Symbol("Xi", "Ξ", Kind.ORD, letter=True),
    Symbol("Pi", "Π", Kind.ORD, letter=True),
    Symbol("Sigma", "Σ", Kind.ORD, letter=True),
    Symbol("Upsilon", "Υ", Kind.ORD, letter=True),
    Symbol("Phi", "Φ", Kind.ORD, letter=True),
    Symbol("Psi", "Ψ", Kind.ORD, letter=True),
    Symbol("Omega", "Ω", Kind.ORD, letter=True),
    Symbol("varGamma", "𝛤", Kind.ORD, letter=True),
    Symbol("varDelta", "𝛥", Kind.ORD, letter=True),
    Symbol("varTheta", "𝛩", Kind.ORD, letter=True),
    Symbol("varLambda", "𝛬", Kind.ORD, letter=True),
    Symbol("varXi", "𝛯", Kind.ORD, letter=True),
    Symbol("varPi", "𝛱", Kind.ORD, letter=True),
    Symbol("varSigma", "𝛴", Kind.ORD, letter=True),
    Symbol("varPhi", "𝛷", Kind.ORD, letter=True),
    Symbol("varPsi", "𝛹", Kind.ORD, letter=True),
    Symbol("varOmega", "𝛺", Kind.ORD, letter=True),
    Symbol("ell", "ℓ", Kind.ORD, letter=True),
    Symbol("imath", "ı", Kind.ORD, letter=True),
    Symbol("jmath", "ȷ", Kind.ORD, letter=True),
    Symbol("hbar", "ℏ", Kind.ORD, letter=True),
    Symbol("hslash", "ℏ", Kind.ORD, letter=True),
    Symbol("wp", "℘", Kind.ORD, letter=True),
    Symbol("aleph", "ℵ", Kind.ORD, letter=True),
    Symbol("beth", "ℶ", Kind.ORD, letter=True),
)
"""Letters that can be a name."""

ORDINARY: tuple[Symbol, ...] = (
    Symbol("infty", "∞", Kind.ORD),
    Symbol("partial", "∂", Kind.ORD),
    Symbol("nabla", "∇", Kind.ORD),
    Symbol("emptyset", "∅", Kind.ORD),
    Symbol("varnothing", "∅", Kind.ORD),
    Symbol("forall", "∀", Kind.ORD),
    Symbol("exists", "∃", Kind.ORD),
    Symbol("nexists", "∄", Kind.ORD),
    Symbol("neg", "¬", Kind.ORD),
    Symbol("lnot", "¬", Kind.ORD),
    Symbol("top", "⊤", Kind.ORD),
    Symbol("bot", "⊥", Kind.ORD),
    Symbol("angle", "∠", Kind.ORD),
    Symbol("triangle", "△", Kind.ORD),
    Symbol("square", "□", Kind.ORD),
    Symbol("Box", "□", Kind.ORD),
    Symbol("blacksquare", "■", Kind.ORD),
    Symbol("Diamond", "◇", Kind.ORD),
    Symbol("bigstar", "★", Kind.ORD),
    Symbol("Re", "ℜ", Kind.ORD),
    Symbol("Im", "ℑ", Kind.ORD),
    Symbol("prime", "′", Kind.ORD),
    Symbol("backprime", "‵", Kind.ORD),
    Symbol("degree", "°", Kind.ORD),
    Symbol("checkmark", "✓", Kind.ORD),
    Symbol("ldots", "…", Kind.ORD),
    Symbol("dots", "…", Kind.ORD),
    Symbol("dotsc", "…", Kind.ORD),
    Symbol("dotso", "…", Kind.ORD),
    Symbol("cdots", "⋯", Kind.ORD),
    Symbol("dotsb", "⋯", Kind.ORD),
    Symbol("dotsm", "⋯", Kind.ORD),
    Symbol("dotsi", "⋯", Kind.ORD),
    Symbol("vdots", "⋮", Kind.ORD),
    Symbol("ddots", "⋱", Kind.ORD),
    Symbol("iddots", "⋰", Kind.ORD),
    Symbol("sharp", "♯", Kind.ORD),
    Symbol("flat", "♭", Kind.ORD),
    Symbol("natural", "♮", Kind.ORD),
    Symbol("clubsuit", "♣", Kind.ORD),
    Symbol("diamondsuit", "♢", Kind.ORD),
    Symbol("heartsuit", "♡", Kind.ORD),
    Symbol("spadesuit", "♠", Kind.ORD),
    Symbol("surd", "√", Kind.ORD),
    Symbol("complement", "∁", Kind.ORD),
    Symbol("mho", "℧", Kind.ORD),
    Symbol("S", "§", Kind.ORD),
    Symbol("P", "¶", Kind.ORD),
    Symbol("copyright", "©", Kind.ORD),
    Symbol("pounds", "£", Kind.ORD),
    Symbol("%", "%", Kind.ORD),
    Symbol("$", "$", Kind.ORD),
    Symbol("#", "#", Kind.ORD),
    Symbol("&", "&", Kind.ORD),
    Symbol("_", "_", Kind.ORD),
    Symbol("lq", "‘", Kind.ORD),
    Symbol("rq", "’", Kind.ORD),
    Symbol("backslash", "\\", Kind.ORD),
    Symbol("textbackslash", "\\", Kind.ORD),
)
"""Constants, dots and signs."""

OPERATORS: tuple[Symbol, ...] = (
    Symbol("sum", "∑", Kind.OP, limits=True),
    Symbol("prod", "∏", Kind.OP, limits=True),
    Symbol("coprod", "∐", Kind.OP, limits=True),
    Symbol("bigcup", "⋃", Kind.OP, limits=True),
    Symbol("bigcap", "⋂", Kind.OP, limits=True),
    Symbol("bigsqcup", "⨆", Kind.OP, limits=True),
    Symbol("bigvee", "⋁", Kind.OP, limits=True),
    Symbol("bigwedge", "⋀", Kind.OP, limits=True),
    Symbol("bigoplus", "⨁", Kind.OP, limits=True),
    Symbol("bigotimes", "⨂", Kind.OP, limits=True),
    Symbol("bigodot", "⨀", Kind.OP, limits=True),
    Symbol("biguplus", "⨄", Kind.OP, limits=True),
    Symbol("int", "∫", Kind.OP),
    Symbol("iint", "∬", Kind.OP),
    Symbol("iiint", "∭", Kind.OP),
    Symbol("oint", "∮", Kind.OP),
    Symbol("smallint", "∫", Kind.OP),
)
"""Large operators."""

FUNCTIONS: tuple[Symbol, ...] = (
    Symbol("arccos", "arccos", Kind.FUNCTION),
    Symbol("arcsin", "arcsin", Kind.FUNCTION),
    Symbol("arctan", "arctan", Kind.FUNCTION),
    Symbol("arg", "arg", Kind.FUNCTION),
    Symbol("cos", "cos", Kind.FUNCTION),
    Symbol("cosh", "cosh", Kind.FUNCTION),
    Symbol("cot", "cot", Kind.FUNCTION),
    Symbol("coth", "coth", Kind.FUNCTION),
    Symbol("csc", "csc", Kind.FUNCTION),
    Symbol("deg", "deg", Kind.FUNCTION),
    Symbol("dim", "dim", Kind.FUNCTION),
    Symbol("exp", "exp", Kind.FUNCTION),
    Symbol("hom", "hom", Kind.FUNCTION),
    Symbol("ker", "ker", Kind.FUNCTION),
    Symbol("lg", "lg", Kind.FUNCTION),
    Symbol("ln", "ln", Kind.FUNCTION),
    Symbol("log", "log", Kind.FUNCTION),
    Symbol("sec", "sec", Kind.FUNCTION),
    Symbol("sin", "sin", Kind.FUNCTION),
    Symbol("sinh", "sinh", Kind.FUNCTION),
    Symbol("tan", "tan", Kind.FUNCTION),
    Symbol("tanh", "tanh", Kind.FUNCTION),
    Symbol("det", "det", Kind.FUNCTION, limits=True),
    Symbol("gcd", "gcd", Kind.FUNCTION, limits=True),
    Symbol("inf", "inf", Kind.FUNCTION, limits=True),
    Symbol("lim", "lim", Kind.FUNCTION, limits=True),
    Symbol("max", "max", Kind.FUNCTION, limits=True),
    Symbol("min", "min", Kind.FUNCTION, limits=True),
    Symbol("sup", "sup", Kind.FUNCTION, limits=True),
    Symbol("Pr", "Pr", Kind.FUNCTION, limits=True),
    Symbol("limsup", "lim sup", Kind.FUNCTION, limits=True),
    Symbol("liminf", "lim inf", Kind.FUNCTION, limits=True),
)
"""Operators written as words."""

BINARY: tuple[Symbol, ...] = (
    Symbol("pm", "±", Kind.BIN),
    Symbol("mp", "∓", Kind.BIN),
    Symbol("times", "×", Kind.BIN),
    Symbol("div", "÷", Kind.BIN),
    Symbol("cdot", "⋅", Kind.BIN),
    Symbol("ast", "∗", Kind.BIN),
    Symbol("star", "⋆", Kind.BIN),
    Symbol("circ", "∘", Kind.BIN),
    Symbol("bullet", "∙", Kind.BIN),
    Symbol("odot", "⊙", Kind.BIN),
    Symbol("oplus", "⊕", Kind.BIN),
    Symbol("ominus", "⊖", Kind.BIN),
    Symbol("otimes", "⊗", Kind.BIN),
    Symbol("oslash", "⊘", Kind.BIN),
    Symbol("cap", "∩", Kind.BIN),
    Symbol("cup", "∪", Kind.BIN),
    Symbol("sqcap", "⊓", Kind.BIN),
    Symbol("sqcup", "⊔", Kind.BIN),
    Symbol("uplus", "⊎", Kind.BIN),
    Symbol("wedge", "∧", Kind.BIN),
    Symbol("land", "∧", Kind.BIN),
    Symbol("vee", "∨", Kind.BIN),
    Symbol("lor", "∨", Kind.BIN),
    Symbol("setminus", "∖", Kind.BIN),
    Symbol("smallsetminus", "∖", Kind.BIN),
    Symbol("wr", "≀", Kind.BIN),
    Symbol("dagger", "†", Kind.BIN),
    Symbol("ddagger", "‡", Kind.BIN),
    Symbol("amalg", "⨿", Kind.BIN),
    Symbol("diamond", "⋄", Kind.BIN),
    Symbol("bigcirc", "◯", Kind.BIN),
    Symbol("boxplus", "⊞", Kind.BIN),
    Symbol("boxtimes", "⊠", Kind.BIN),
    Symbol("boxdot", "⊡", Kind.BIN),
    Symbol("ltimes", "⋉", Kind.BIN),
    Symbol("rtimes", "⋊", Kind.BIN),
    Symbol("circledast", "⊛", Kind.BIN),
    Symbol("circledcirc", "⊚", Kind.BIN),
    Symbol("dotplus", "∔", Kind.BIN),
    Symbol("intercal", "⊺", Kind.BIN),
    Symbol("bmod", "mod", Kind.BIN),
    Symbol("triangleleft", "◁", Kind.BIN),
    Symbol("triangleright", "▷", Kind.BIN),
    Symbol("barwedge", "⊼", Kind.BIN),
    Symbol("veebar", "⊻", Kind.BIN),
)
"""Binary operations."""

RELATIONS: tuple[Symbol, ...] = (
    Symbol("leq", "≤", Kind.REL),
    Symbol("le", "≤", Kind.REL),
    Symbol("leqslant", "⩽", Kind.REL),
    Symbol("geq", "≥", Kind.REL),
    Symbol("ge", "≥", Kind.REL),
    Symbol("geqslant", "⩾", Kind.REL),
    Symbol("neq", "≠", Kind.REL),
    Symbol("ne", "≠", Kind.REL),
    Symbol("equiv", "≡", Kind.REL),
    Symbol("approx", "≈", Kind.REL),
    Symbol("approxeq", "≊", Kind.REL),
    Symbol("sim", "∼", Kind.REL),
    Symbol("simeq", "≃", Kind.REL),
    Symbol("cong", "≅", Kind.REL),
    Symbol("propto", "∝", Kind.REL),
    Symbol("varpropto", "∝", Kind.REL),
    Symbol("asymp", "≍", Kind.REL),
    Symbol("doteq", "≐", Kind.REL),
    Symbol("triangleq", "≜", Kind.REL),
    Symbol("coloneqq", "≔", Kind.REL),
    Symbol("coloneq", "≔", Kind.REL),
    Symbol("eqqcolon", "≕", Kind.REL),
    Symbol("vcentcolon", ":", Kind.REL),
    Symbol("ll", "≪", Kind.REL),
    Symbol("gg", "≫", Kind.REL),
    Symbol("lll", "⋘", Kind.REL),
    Symbol("ggg", "⋙", Kind.REL),
    Symbol("lt", "<", Kind.REL),
    Symbol("gt", ">", Kind.REL),
    Symbol("prec", "≺", Kind.REL),
    Symbol("preceq", "⪯", Kind.REL),
    Symbol("succ", "≻", Kind.REL),
    Symbol("succeq", "⪰", Kind.REL),
    Symbol("lesssim", "≲", Kind.REL),
    Symbol("gtrsim", "≳", Kind.REL),
    Symbol("lessapprox", "⪅", Kind.REL),
    Symbol("gtrapprox", "⪆", Kind.REL),
    Symbol("nless", "≮", Kind.REL),
    Symbol("ngtr", "≯", Kind.REL),
    Symbol("nleq", "≰", Kind.REL),
    Symbol("ngeq", "≱", Kind.REL),
    Symbol("in", "∈", Kind.REL),
    Symbol("ni", "∋", Kind.REL),
    Symbol("notin", "∉", Kind.REL),
    Symbol("subset", "⊂", Kind.REL),
    Symbol("subseteq", "⊆", Kind.REL),
    Symbol("subsetneq", "⊊", Kind.REL),
    Symbol("supset", "⊃", Kind.REL),
    Symbol("supseteq", "⊇", Kind.REL),
    Symbol("supsetneq", "⊋", Kind.REL),
    Symbol("nsubseteq", "⊈", Kind.REL),
    Symbol("sqsubseteq", "⊑", Kind.REL),
    Symbol("sqsupseteq", "⊒", Kind.REL),
    Symbol("mid", "∣", Kind.REL),
    Symbol("nmid", "∤", Kind.REL),
    Symbol("parallel", "∥", Kind.REL),
    Symbol("nparallel", "∦", Kind.REL),
    Symbol("perp", "⟂", Kind.REL),
    Symbol("vdash", "⊢", Kind.REL),
    Symbol("dashv", "⊣", Kind.REL),
    Symbol("models", "⊨", Kind.REL),
    Symbol("vDash", "⊨", Kind.REL),
    Symbol("Vdash", "⊩", Kind.REL),
    Symbol("bowtie", "⋈", Kind.REL),
    Symbol("smile", "⌣", Kind.REL),
    Symbol("frown", "⌢", Kind.REL),
    Symbol("to", "→", Kind.REL),
    Symbol("rightarrow", "→", Kind.REL),
    Symbol("longrightarrow", "⟶", Kind.REL),
    Symbol("gets", "←", Kind.REL),
    Symbol("leftarrow", "←", Kind.REL),
    Symbol("longleftarrow", "⟵", Kind.REL),
    Symbol("leftrightarrow", "↔", Kind.REL),
    Symbol("longleftrightarrow", "⟷", Kind.REL),
    Symbol("Rightarrow", "⇒", Kind.REL),
    Symbol("Longrightarrow", "⟹", Kind.REL),
    Symbol("implies", "⟹", Kind.REL),
    Symbol("Leftarrow", "⇐", Kind.REL),
    Symbol("Longleftarrow", "⟸", Kind.REL),
    Symbol("impliedby", "⟸", Kind.REL),
    Symbol("Leftrightarrow", "⇔", Kind.REL),
    Symbol("Longleftrightarrow", "⟺", Kind.REL),
    Symbol("iff", "⟺", Kind.REL),
    Symbol("mapsto", "↦", Kind.REL),
    Symbol("longmapsto", "⟼", Kind.REL),
    Symbol("hookrightarrow", "↪", Kind.REL),
    Symbol("hookleftarrow", "↩", Kind.REL),
    Symbol("rightharpoonup", "⇀", Kind.REL),
    Symbol("rightharpoondown", "⇁", Kind.REL),
    Symbol("rightleftharpoons", "⇌", Kind.REL),
    Symbol("leadsto", "⇝", Kind.REL),
    Symbol("rightsquigarrow", "⇝", Kind.REL),
    Symbol("uparrow", "↑", Kind.REL),
    Symbol("downarrow", "↓", Kind.REL),
    Symbol("updownarrow", "↕", Kind.REL),
    Symbol("Uparrow", "⇑", Kind.REL),
    Symbol("Downarrow", "⇓", Kind.REL),
    Symbol("nearrow", "↗", Kind.REL),
    Symbol("searrow", "↘", Kind.REL),
    Symbol("swarrow", "↙", Kind.REL),
    Symbol("nwarrow", "↖", Kind.REL),
    Symbol("twoheadrightarrow", "↠", Kind.REL),
    Symbol("rightrightarrows", "⇉", Kind.REL),
    Symbol("therefore", "∴", Kind.REL),
    Symbol("because", "∵", Kind.REL),
)
"""Relations and arrows."""

DELIMITERS: tuple[Symbol, ...] = (
    Symbol("{", "{", Kind.OPEN),
    Symbol("lbrace", "{", Kind.OPEN),
    Symbol("lbrack", "[", Kind.OPEN),
    Symbol("langle", "⟨", Kind.OPEN),
    Symbol("lfloor", "⌊", Kind.OPEN),
    Symbol("lceil", "⌈", Kind.OPEN),
    Symbol("lvert", "|", Kind.OPEN),
    Symbol("lVert", "‖", Kind.OPEN),
    Symbol("llbracket", "⟦", Kind.OPEN),
    Symbol("lgroup", "⟮", Kind.OPEN),
    Symbol("ulcorner", "⌜", Kind.OPEN),
    Symbol("}", "}", Kind.CLOSE),
    Symbol("rbrace", "}", Kind.CLOSE),
    Symbol("rbrack", "]", Kind.CLOSE),
    Symbol("rangle", "⟩", Kind.CLOSE),
    Symbol("rfloor", "⌋", Kind.CLOSE),
    Symbol("rceil", "⌉", Kind.CLOSE),
    Symbol("rvert", "|", Kind.CLOSE),
    Symbol("rVert", "‖", Kind.CLOSE),
    Symbol("rrbracket", "⟧", Kind.CLOSE),
    Symbol("rgroup", "⟯", Kind.CLOSE),
    Symbol("urcorner", "⌝", Kind.CLOSE),
    Symbol("|", "‖", Kind.FENCE),
    Symbol("Vert", "‖", Kind.FENCE),
    Symbol("vert", "|", Kind.FENCE),
)
"""Delimiters."""

PUNCTUATION: tuple[Symbol, ...] = (
    Symbol("colon", ":", Kind.PUNCT),
    Symbol("cdotp", "·", Kind.PUNCT),
    Symbol("ldotp", ".", Kind.PUNCT),
    Symbol("textemdash", "—", Kind.PUNCT),
    Symbol("textendash", "–", Kind.PUNCT),
)
"""Punctuation."""

ACCENTS: tuple[Symbol, ...] = (
    Symbol("hat", "^", Kind.ACCENT),
    Symbol("check", "ˇ", Kind.ACCENT),
    Symbol("breve", "˘", Kind.ACCENT),
    Symbol("acute", "´", Kind.ACCENT),
    Symbol("grave", "`", Kind.ACCENT),
    Symbol("tilde", "~", Kind.ACCENT),
    Symbol("bar", "¯", Kind.ACCENT),
    Symbol("vec", "→", Kind.ACCENT),
    Symbol("dot", "˙", Kind.ACCENT),
    Symbol("ddot", "¨", Kind.ACCENT),
    Symbol("dddot", "⃛", Kind.ACCENT),
    Symbol("mathring", "˚", Kind.ACCENT),
    Symbol("widehat", "^", Kind.ACCENT, stretchy=True),
    Symbol("widetilde", "~", Kind.ACCENT, stretchy=True),
    Symbol("overline", "¯", Kind.ACCENT, stretchy=True),
    Symbol("overrightarrow", "→", Kind.ACCENT, stretchy=True),
    Symbol("overleftarrow", "←", Kind.ACCENT, stretchy=True),
    Symbol("overleftrightarrow", "↔", Kind.ACCENT, stretchy=True),
    Symbol("overbrace", "⏞", Kind.ACCENT, stretchy=True),
    Symbol("underline", "_", Kind.ACCENT, under=True, stretchy=True),
    Symbol("underbrace", "⏟", Kind.ACCENT, under=True, stretchy=True),
    Symbol("underrightarrow", "→", Kind.ACCENT, under=True, stretchy=True),
    Symbol("underleftarrow", "←", Kind.ACCENT, under=True, stretchy=True),
)
"""Marks over or under an argument."""

SPACES: tuple[Symbol, ...] = (
    Symbol(",", "", Kind.SPACE, em=0.1667),
    Symbol("thinspace", "", Kind.SPACE, em=0.1667),
    Symbol(":", "", Kind.SPACE, em=0.2222),
    Symbol(">", "", Kind.SPACE, em=0.2222),
    Symbol("medspace", "", Kind.SPACE, em=0.2222),
    Symbol(";", "", Kind.SPACE, em=0.2778),
    Symbol("thickspace", "", Kind.SPACE, em=0.2778),
    Symbol("!", "", Kind.SPACE, em=-0.1667),
    Symbol("negthinspace", "", Kind.SPACE, em=-0.1667),
    Symbol("negmedspace", "", Kind.SPACE, em=-0.2222),
    Symbol("negthickspace", "", Kind.SPACE, em=-0.2778),
    Symbol(" ", "", Kind.SPACE, em=0.3333),
    Symbol("space", "", Kind.SPACE, em=0.3333),
    Symbol("enspace", "", Kind.SPACE, em=0.5),
    Symbol("enskip", "", Kind.SPACE, em=0.5),
    Symbol("quad", "", Kind.SPACE, em=1),
    Symbol("qquad", "", Kind.SPACE, em=2),
    Symbol("nobreakspace", "", Kind.SPACE, em=0.3333),
)
"""Horizontal space, in units of the font's em."""

FONTS: tuple[Symbol, ...] = (
    Symbol("mathnormal", "normal", Kind.FONT),
    Symbol("mathrm", "upright", Kind.FONT),
    Symbol("mathup", "upright", Kind.FONT),
    Symbol("mathit", "italic", Kind.FONT),
    Symbol("mathbf", "bold", Kind.FONT),
    Symbol("mathbfup", "bold", Kind.FONT),
    Symbol("boldsymbol", "bold-italic", Kind.FONT),
    Symbol("bm", "bold-italic", Kind.FONT),
    Symbol("pmb", "bold-italic", Kind.FONT),
    Symbol("symbf", "bold", Kind.FONT),
    Symbol("mathbfit", "bold-italic", Kind.FONT),
    Symbol("mathbb", "double-struck", Kind.FONT),
    Symbol("mathbbm", "double-struck", Kind.FONT),
    Symbol("mathds", "double-struck", Kind.FONT),
    Symbol("Bbb", "double-struck", Kind.FONT),
    Symbol("mathcal", "script", Kind.FONT),
    Symbol("mathscr", "script", Kind.FONT),
    Symbol("mathfrak", "fraktur", Kind.FONT),
    Symbol("frak", "fraktur", Kind.FONT),
    Symbol("mathsf", "sans-serif", Kind.FONT),
    Symbol("mathtt", "monospace", Kind.FONT),
)
"""Alphabets for one argument."""

SWITCHES: tuple[Symbol, ...] = (
    Symbol("rm", "upright", Kind.SWITCH),
    Symbol("bf", "bold", Kind.SWITCH),
    Symbol("it", "italic", Kind.SWITCH),
    Symbol("cal", "script", Kind.SWITCH),
    Symbol("sf", "sans-serif", Kind.SWITCH),
    Symbol("tt", "monospace", Kind.SWITCH),
    Symbol("displaystyle", "display", Kind.SWITCH),
    Symbol("textstyle", "text", Kind.SWITCH),
    Symbol("scriptstyle", "script-size", Kind.SWITCH),
    Symbol("scriptscriptstyle", "script-size", Kind.SWITCH),
    Symbol("boldmath", "bold", Kind.SWITCH),
)
"""Alphabets and styles for the rest of the group."""

LAYOUT: tuple[Symbol, ...] = (
    Symbol("nonumber", "", Kind.LAYOUT),
    Symbol("notag", "", Kind.LAYOUT),
    Symbol("noindent", "", Kind.LAYOUT),
    Symbol("centering", "", Kind.LAYOUT),
    Symbol("hfill", "", Kind.LAYOUT),
    Symbol("hfil", "", Kind.LAYOUT),
    Symbol("vfill", "", Kind.LAYOUT),
    Symbol("break", "", Kind.LAYOUT),
    Symbol("nobreak", "", Kind.LAYOUT),
    Symbol("allowbreak", "", Kind.LAYOUT),
    Symbol("newpage", "", Kind.LAYOUT),
    Symbol("pagebreak", "", Kind.LAYOUT),
    Symbol("displaybreak", "", Kind.LAYOUT),
    Symbol("par", "", Kind.LAYOUT),
    Symbol("strut", "", Kind.LAYOUT),
    Symbol("mathstrut", "", Kind.LAYOUT),
    Symbol("null", "", Kind.LAYOUT),
    Symbol("relax", "", Kind.LAYOUT),
    Symbol("protect", "", Kind.LAYOUT),
    Symbol("normalsize", "", Kind.LAYOUT),
    Symbol("small", "", Kind.LAYOUT),
    Symbol("footnotesize", "", Kind.LAYOUT),
    Symbol("scriptsize", "", Kind.LAYOUT),
    Symbol("tiny", "", Kind.LAYOUT),
    Symbol("large", "", Kind.LAYOUT),
    Symbol("Large", "", Kind.LAYOUT),
    Symbol("LARGE", "", Kind.LAYOUT),
    Symbol("huge", "", Kind.LAYOUT),
    Symbol("Huge", "", Kind.LAYOUT),
    Symbol("selectfont", "", Kind.LAYOUT),
    Symbol("normalfont", "", Kind.LAYOUT),
    Symbol("hline", "", Kind.LAYOUT),
    Symbol("qedhere", "", Kind.LAYOUT),
    Symbol("label", "", Kind.LAYOUT, arguments=1),
    Symbol("color", "", Kind.LAYOUT, arguments=1),
    Symbol("vspace", "", Kind.LAYOUT, arguments=1),
    Symbol("cline", "", Kind.LAYOUT, arguments=1),
)
"""Commands about the page; they are dropped, with this many arguments."""

TYPED: tuple[Symbol, ...] = (
    Symbol("+", "+", Kind.BIN),
    Symbol("-", "−", Kind.BIN),
    Symbol("*", "∗", Kind.BIN),
    Symbol("/", "/", Kind.ORD),
    Symbol("=", "=", Kind.REL),
    Symbol("<", "<", Kind.REL),
    Symbol(">", ">", Kind.REL),
    Symbol(":", ":", Kind.REL),
    Symbol("(", "(", Kind.OPEN),
    Symbol(")", ")", Kind.CLOSE),
    Symbol("[", "[", Kind.OPEN),
    Symbol("]", "]", Kind.CLOSE),
    Symbol("|", "|", Kind.FENCE),
    Symbol(",", ",", Kind.PUNCT),
    Symbol(";", ";", Kind.PUNCT),
    Symbol(".", ".", Kind.ORD),
    Symbol("!", "!", Kind.CLOSE),
    Symbol("?", "?", Kind.CLOSE),
    Symbol("@", "@", Kind.ORD),
    Symbol("`", "‘", Kind.ORD),
    Symbol('"', "”", Kind.ORD),
)
"""Characters that are typed as they are."""

CHARACTERS: dict[str, Symbol] = {row.name: row for row in TYPED}
"""The row of a typed character."""

ALL: tuple[Symbol, ...] = (
    *LETTERS,
    *ORDINARY,
    *OPERATORS,
    *FUNCTIONS,
    *BINARY,
    *RELATIONS,
    *DELIMITERS,
    *PUNCTUATION,
    *ACCENTS,
    *SPACES,
    *FONTS,
    *SWITCHES,
    *LAYOUT,
)
"""Every command, in the order of this page."""

COMMANDS: dict[str, Symbol] = {row.name: row for row in ALL}
"""The row of a command, by its name without the backslash."""

UNICODE: dict[str, Symbol] = {
    row.text: row
    for row in reversed(ALL)
    if len(row.text) == 1
    and not row.text.isascii()
    and row.kind in (Kind.ORD, Kind.OP, Kind.BIN, Kind.REL, Kind.OPEN, Kind.CLOSE, Kind.FENCE)
}
"""The row of a mathematical character that is typed as Unicode; where two commands share it, the first row."""
