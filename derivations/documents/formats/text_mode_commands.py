r"""What commands and environments of LaTeX's text mode mean for a reader of prose: tables, and the masking of comments."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from derivations.documents.formats.mathspans import is_environment
from derivations.latex.syntax.macro_definitions import MASK

HEADINGS: dict[str, int] = {
    "part": 1,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
    "subparagraph": 6,
    "frametitle": 5,
    "title": 0,
}
"""Commands that make headings, with their level."""
LISTINGS = frozenset({"verbatim", "Verbatim", "lstlisting", "minted", "pythoncode", "BVerbatim", "LVerbatim"})
"""Environments that hold code."""
SCOPES = {
    **dict.fromkeys(("itemize", "enumerate", "description"), "list"),
    **dict.fromkeys(("example", "exercise", "problem", "question", "solution", "case"), "example"),
}
"""Environments in which a name may be introduced again, with what they are."""
UPDATES = frozenset({"algorithm", "algorithm2e", "algorithmic", "algorithmicx", "pseudocode"})
OPAQUE = UPDATES | {
    "tikzpicture",
    "pgfpicture",
    "picture",
    "forest",
    "thebibliography",
    "comment",
    "filecontents",
    "filecontents*",
    "CCSXML",
    "dot",
}
"""Environments whose content is not read."""
WITH_ARGUMENT = frozenset({"IEEEeqnarray", "darray", "xalignat", "xxalignat", "empheq"})
UNWRAPPED = WITH_ARGUMENT | {"dmath", "dgroup", "dseries"}
"""Displays that are handed to the equation reader without their `\\begin` and `\\end` (and an argument)."""
_INNER = frozenset({"cases", "array", "aligned", "alignedat", "gathered", "split"})
KEPT_REFERENCES = frozenset({"ref", "eqref", "autoref", "cref", "Cref", "pageref", "nameref"})
CHARACTERS: dict[str, str] = {
    "ldots": "...",
    "dots": "...",
    "textendash": "–",
    "textemdash": "—",
    "LaTeX": "LaTeX",
    "TeX": "TeX",
    "quad": " ",
    "qquad": " ",
    "newline": " ",
    "linebreak": " ",
    "textbackslash": "\\",
    "textasciitilde": "~",
    "S": "§",
    "ss": "ß",
    "ae": "æ",
    "oe": "œ",
    "o": "ø",
    "space": " ",
    "slash": "/",
    "textquotesingle": "'",
    "textbar": "|",
    "textless": "<",
    "textgreater": ">",
    "textunderscore": "_",
}
"""Commands that stand for characters."""
DROPPED: dict[str, int] = dict.fromkeys(
    [
        "label",
        "index",
        "vspace",
        "hspace",
        "vskip",
        "includegraphics",
        "bibliography",
        "bibliographystyle",
        "usepackage",
        "documentclass",
        "pagestyle",
        "thispagestyle",
        "color",
        "pagecolor",
        "url",
        "href",
        "textcolor",
        "colorbox",
        "hypersetup",
        "author",
        "date",
        "affiliation",
        "affil",
        "institute",
        "email",
        "thanks",
        "theoremstyle",
        "geometry",
        "captionsetup",
        "graphicspath",
        "lstset",
        "tikzset",
        "pgfplotsset",
        "usetikzlibrary",
        "addbibresource",
        "hyphenation",
        "rule",
        "cmidrule",
        "cline",
        "raisebox",
        "scalebox",
        "phantom",
        "hphantom",
        "vphantom",
        "todo",
        "marginpar",
        "tag",
        "hyperref",
        "hypertarget",
        "address",
        "inst",
        "keywords",
        "pdfinfo",
        "counterwithout",
        "counterwithin",
        "numberwithin",
        "glsdesc",
        "setcitestyle",
        "lstinputlisting",
        "inputminted",
        "setminted",
        "usemintedstyle",
        "subtitle",
        "acks",
        "received",
        "RequirePackage",
        "ProvidesPackage",
        "hskip",
    ],
    1,
) | {
    "fontsize": 2,
    "setlength": 2,
    "addtolength": 2,
    "setcounter": 2,
    "addtocounter": 2,
    "newtheorem": 2,
    "newenvironment": 3,
    "renewenvironment": 3,
    "newcolumntype": 2,
    "definecolor": 3,
    "crefname": 3,
    "Crefname": 3,
    "multicolumn": 2,
    "multirow": 2,
    "resizebox": 2,
    "titleformat": 2,
    "PassOptionsToPackage": 2,
    "newtcolorbox": 2,
    "lstdefinestyle": 2,
    "lstdefinelanguage": 2,
    "newfloat": 3,
    "addcontentsline": 3,
    "markboth": 2,
    "fcolorbox": 2,
    "parbox": 1,
}
"""Commands dropped together with so many arguments (what follows stays)."""

_MASKED = re.compile(
    r"\\begin\{(?P<raw>(?:verbatim|Verbatim|BVerbatim|LVerbatim|lstlisting|minted|pythoncode|comment|filecontents)\*?)\}"
    r"|\\verb\*?(?P<mark>[^A-Za-z*\s])|\\.|(?P<comment>%[^\n]*)",
    re.DOTALL,
)


@dataclass(slots=True)
class Comments:
    """The comments of a file: offset and text of each, without its `%` signs."""

    found: list[tuple[int, str]] = field(default_factory=list)


def mask(text: str, comments: Comments) -> str:
    r"""The text with every comment replaced by `MASK` characters, code and `\%` left alone.

    >>> mask("a % b\n50\\% c", Comments())
    'a \x00\x00\x00\n50\\% c'
    """
    parts: list[str] = []
    done = at = 0
    missing: set[str] = set()
    while (match := _MASKED.search(text, at)) is not None:
        at = match.end()
        raw, mark = match.group("raw"), match.group("mark")
        if raw is not None and raw not in missing:
            close = text.find(f"\\end{{{raw}}}", at)
            if close < 0:
                missing.add(raw)
            at = close if close >= 0 else at
        elif mark is not None:
            line = text.find("\n", at)
            close = text.find(mark, at, line if line >= 0 else len(text))
            at = close + 1 if close >= 0 else at
        elif match.group("comment"):
            content = match.group("comment").lstrip("%")
            comments.found.append((at - len(content), content))
            parts += [text[done : match.start()], MASK * (at - match.start())]
            done = at
    return "".join([*parts, text[done:]])


def is_display(name: str) -> bool:
    """Whether an environment (without its star) is displayed mathematics when it stands in text."""
    return (is_environment(name) or name in UNWRAPPED) and name not in _INNER
