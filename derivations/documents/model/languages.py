"""Words of other languages that suppose, conclude or name a property, put into English before prose is read.

The tables of phrases know English.  A row here is one English word or phrase and what stands for it in other languages;
the words are put in place, in the order of the author's sentence.  It is no translation: it keeps a supposition a
supposition and a permutation matrix a permutation matrix.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Row:
    """An English phrase and the patterns that stand for it, by language; longer patterns come in earlier rows."""

    english: str
    patterns: dict[str, str]


ROWS: tuple[Row, ...] = (
    Row(
        "permutation matrix",
        {
            "de": r"Permutationsmatri(?:x|zen)",
            "fr": r"matrices? de permutations?",
            "es": r"matri(?:z|ces) de permutaci(?:ón|ones)",
            "pt": r"matri(?:z|zes) de permuta(?:ção|ções)",
            "it": r"matric[ei] di permutazion[ei]",
            "ru": r"матриц\w* перестанов\w*|перестановочн\w* матриц\w*",
            "zh": r"置换矩阵|排列矩阵",
            "ja": r"置換行列",
            "ko": r"(?:순열|치환) ?행렬",
        },
    ),
    Row(
        "identity matrix",
        {
            "de": r"Einheitsmatri(?:x|zen)",
            "fr": r"matrices? identités?",
            "es": r"matri(?:z|ces) identidad",
            "pt": r"matri(?:z|zes) identidade",
            "it": r"matric[ei] identità",
            "ru": r"единичн\w* матриц\w*",
            "zh": r"单位矩阵",
            "ja": r"単位行列",
            "ko": r"단위 ?행렬",
        },
    ),
    Row(
        "unit vector",
        {
            "de": r"Einheitsvektor(?:en)?",
            "fr": r"vecteurs? unitaires?",
            "es": r"vector(?:es)? unitarios?",
            "pt": r"vetor(?:es)? unitários?",
            "it": r"vettor[ei] unitar[io]",
            "ru": r"единичн\w* вектор\w*",
            "zh": r"单位向量",
            "ja": r"単位ベクトル",
            "ko": r"단위 ?벡터",
        },
    ),
    Row(
        "zero-mean",
        {
            "de": r"zentriert\w*|(?:mit )?(?:Mittelwert|Erwartungswert) (?:null|0)",
            "fr": r"centrée?s?|(?:de moyenne|d['’]espérance) (?:nulle|zéro)",
            "es": r"centrad[oa]s?|(?:de )?media (?:cero|nula)",
            "pt": r"centrad[oa]s?|(?:de )?média (?:zero|nula)",
            "it": r"centrat[oaie]|(?:a )?media nulla",
            "ru": r"центрированн\w*|нулев\w* средн\w*",
            "zh": r"零均值|均值为\s*(?:0|零)",
            "ja": r"平均\s*(?:0|ゼロ|零)",
            "ko": r"평균이? ?0",
        },
    ),
    Row(
        "such that",
        {
            "de": r"so,? ?dass|derart,? dass",
            "fr": r"tel(?:le)?s? que?",
            "es": r"tal(?:es)? que",
            "pt": r"tal que|tais que",
            "it": r"tal[ei] che",
            "ru": r"так\w*,? что",
            "zh": r"使得|满足",
            "ja": r"を満たす",
            "ko": r"를 만족하는",
        },
    ),
    Row(
        "for every",
        {
            "de": r"für (?:alle|jede[srnm]?|beliebige[srnm]?)",
            "fr": r"pour (?:tous?(?: les)?|toutes?(?: les)?|chaque)",
            "es": r"para (?:tod[oa]s?(?: l[oa]s)?|cada|cualquier)",
            "pt": r"para (?:tod[oa]s?(?: [oa]s)?|cada|qualquer)",
            "it": r"per (?:ogni|tutt[ie](?: gli| le| i)?|qualsiasi)",
            "ru": r"для (?:всех|люб\w+|кажд\w+)",
            "zh": r"对于?(?:任意|任何|所有|每个|每一个)",
            "ja": r"すべての|全ての|任意の",
            "ko": r"모든|임의의",
        },
    ),
    Row(
        "assume",
        {
            "de": r"angenommen|(?:wir )?nehmen (?:wir )?an|vorausgesetzt|unter der (?:Annahme|Voraussetzung)",
            "fr": r"(?:on )?suppos(?:ons|e|ée?s?)|admettons|sous l['’]hypothèse",
            "es": r"supon(?:gamos|emos|iendo)|asum(?:imos|iendo)|supuesto",
            "pt": r"sup(?:onha(?:mos)?|omos|ondo)|assum(?:imos|indo|a)",
            "it": r"suppon(?:iamo|endo)|assum(?:iamo|endo)",
            "ru": r"предпол\w+|допустим",
            "zh": r"假设|假定|设(?![计置定备想])",
            "ja": r"仮定",
            "ko": r"가정",
        },
    ),
    Row(
        "let",
        {"de": r"seien|sei", "fr": r"soient|soit", "es": r"sean|sea", "pt": r"sejam|seja", "it": r"siano|sia"}
        | {"ru": r"пусть", "zh": r"(?<![指命])令(?!牌)"},
    ),
    Row(
        "given",
        {"de": r"gegeben\w*", "fr": r"étant donnée?s?", "es": r"dad[oa]s?", "pt": r"dad[oa]s?", "it": r"dat[oi]"}
        | {"ru": r"задан\w*", "zh": r"给定|已知", "ja": r"与えられた", "ko": r"주어진"},
    ),
    Row(
        "that is",
        {"de": r"das hei(?:ß|ss)t|d\. ?h\.", "fr": r"c['’]est-à-dire", "es": r"es decir|o sea", "pt": r"isto é|ou seja"}
        | {
            "it": r"cioè|ossia",
            "ru": r"то есть|т\. ?е\.",
            "zh": r"(?<!立)即(?![可使将])",
            "ja": r"すなわち|つまり",
            "ko": r"즉",
        },
    ),
    Row(
        "thus",
        {
            "de": r"also|somit|folglich|daher|demnach|dann",
            "fr": r"alors|donc|ainsi|d['’]où|par conséquent",
            "es": r"entonces|luego|por (?:lo )?tanto|así",
            "pt": r"então|logo|portanto|assim",
            "it": r"allora|quindi|dunque|pertanto",
            "ru": r"тогда|следовательно|поэтому|значит|отсюда",
            "zh": r"因此|所以|于是|从而|那么|(?<![规原否正法])则",
            "ja": r"したがって|よって|ゆえに",
            "ko": r"따라서|그러므로",
        },
    ),
    Row(
        "if",
        {"de": r"falls|wenn|sofern", "fr": r"si", "es": r"si", "pt": r"se", "it": r"se", "ru": r"если"}
        | {"zh": r"如果|若(?!干)|(?<![适相应])当(?![前然作成于])", "ja": r"もし"},
    ),
    Row("when", {"fr": r"lorsque|quand", "es": r"cuando", "pt": r"quando", "it": r"quando", "ru": r"когда"}),
    Row(
        "where",
        {"de": r"wobei", "fr": r"où", "es": r"donde", "pt": r"onde", "it": r"dove", "ru": r"где"}
        | {"zh": r"其中", "ja": r"ただし|ここで", "ko": r"여기서"},
    ),
    Row("with", {"de": r"mit", "fr": r"avec", "es": r"con", "pt": r"com", "it": r"con"}),
    Row(
        "incorrect",
        {"de": r"falsch\w*|unrichtig\w*", "fr": r"fau(?:x|sse)s?", "es": r"fals[oa]s?|incorrect[oa]s?"}
        | {"pt": r"fals[oa]s?|incorret[oa]s?", "it": r"fals[oaie]", "ru": r"неверн\w*|ошибочн\w*"}
        | {"zh": r"错误|不成立|不正确", "ja": r"誤り|成り立たない", "ko": r"틀린|성립하지 않"},
    ),
    Row(
        "even",
        {"de": r"gerade[snm]?", "fr": r"paire?s?", "es": r"par(?:es)?", "pt": r"par(?:es)?", "it": r"pari"}
        | {"ru": r"ч[её]тн\w*", "zh": r"偶数|为偶", "ja": r"偶数", "ko": r"짝수"},
    ),
    Row(
        "orthogonal",
        {"de": r"orthogonal\w*", "fr": r"orthogona(?:le?s?|ux)", "es": r"ortogonal(?:es)?", "pt": r"ortogona(?:l|is)"}
        | {"it": r"ortogonal[ei]", "ru": r"ортогональн\w*", "zh": r"正交", "ja": r"直交", "ko": r"직교"},
    ),
    Row(
        "symmetric",
        {"de": r"symmetrisch\w*", "fr": r"symétriques?", "es": r"simétric[oa]s?", "pt": r"simétric[oa]s?"}
        | {"it": r"simmetric[oahie]+", "ru": r"симметричн\w*", "zh": r"对称", "ja": r"対称", "ko": r"대칭"},
    ),
    Row(
        "diagonal",
        {"de": r"[Dd]iagonal\w*", "fr": r"diagona(?:le?s?|ux)", "es": r"diagonal(?:es)?", "pt": r"diagona(?:l|is)"}
        | {"it": r"diagonal[ei]", "ru": r"диагональн\w*", "zh": r"对角", "ja": r"対角", "ko": r"대각"},
    ),
    Row(
        "invertible",
        {"de": r"invertierbar\w*", "fr": r"inversibles?", "es": r"invertibles?", "pt": r"invertíve(?:l|is)"}
        | {
            "it": r"invertibil[ei]",
            "ru": r"обратим\w*|невырожденн\w*",
            "zh": r"可逆",
            "ja": r"可逆|正則(?!化)",
            "ko": r"가역",
        },
    ),
    Row(
        "positive",
        {"de": r"positiv\w*", "fr": r"positi(?:f|ve)s?", "es": r"positiv[oa]s?", "pt": r"positiv[oa]s?"}
        | {"it": r"positiv[oaie]", "ru": r"положительн\w*", "zh": r"为正|正数|正定", "ja": r"正の", "ko": r"양의|양수"},
    ),
    Row(
        "independent",
        {"de": r"unabhängig\w*", "fr": r"indépendant(?:e?s)?", "es": r"independientes?", "pt": r"independentes?"}
        | {"it": r"indipendent[ei]", "ru": r"независим\w*", "zh": r"独立", "ja": r"独立", "ko": r"독립"},
    ),
    Row(
        "random",
        {"de": r"zufällig\w*", "fr": r"aléatoires?", "es": r"aleatori[oa]s?", "pt": r"aleatóri[oa]s?"}
        | {"it": r"casual[ei]", "ru": r"случайн\w*", "zh": r"随机", "ja": r"ランダム|確率変数", "ko": r"확률 ?변수"},
    ),
    Row(
        "complex number",
        {"de": r"komplexe[rn]? Zahl(?:en)?", "fr": r"nombres? complexes?", "es": r"números? complejos?"}
        | {
            "pt": r"números? complexos?",
            "it": r"numer[oi] compless[oi]",
            "ru": r"комплексн\w* чис\w*",
            "ja": r"複素数",
        },
    ),
    Row(
        "cross-entropy",
        {"de": r"Kreuzentropie", "fr": r"entropie croisée", "es": r"entropía cruzada", "pt": r"entropia cruzada"}
        | {"it": r"entropia incrociata", "ru": r"кросс-энтропи\w*|перекрёстн\w* энтропи\w*", "ja": r"交差エントロピー"},
    ),
    Row(
        "row",
        {"de": r"Zeilen?", "fr": r"lignes?", "es": r"filas?", "pt": r"linhas?", "it": r"righ?[ae]", "ru": r"строк\w*"},
    ),
    Row(
        "column",
        {"de": r"Spalten?", "fr": r"colonnes?", "es": r"columnas?", "pt": r"colunas?", "it": r"colonn[ae]"}
        | {"ru": r"столб\w*"},
    ),
)

COMMON: dict[str, str] = {
    "en": "the of and is are to a an in for with we that this by be on as it from at which each",
    "de": "der die das und ist sind ein eine für wir mit von im den dem des auf nicht wird sich zu als",
    "fr": "le la les des et est sont une un pour nous avec du dans que qui sur par au ce cette on",
    "es": "el la los las y es son una un para con del en que por se al este esta como lo su",
    "pt": "o os as e é são uma um para com do da em que por se ao no na dos este como",
    "it": "il lo la i gli le e è sono una un per con del della di in che da si al nel come",
}
"""Frequent words, by which a language that is written in Latin letters is told."""
MIN_COMMON = 4
"""Fewest frequent words that show another language than English."""
SCRIPTS: tuple[tuple[str, str], ...] = (
    ("ja", r"[\u3040-\u30ff]"),
    ("ko", r"[\uac00-\ud7af]"),
    ("zh", r"[\u4e00-\u9fff]"),
    ("ru", r"[\u0400-\u04ff]"),
)
"""Letters that show a language, in the order in which they are looked for."""
MIN_LETTERS = 10
"""Fewest letters of another script that show its language."""
SIGNS = str.maketrans({"\uff0c": ", ", "\uff1b": "; ", "\uff1a": ": ", "\uff08": " (", "\uff09": ") "})
"""Full-width signs; the full stop ends sentences as it is."""


def language_of(text: str) -> str:
    """The language of a text, `en` where nothing shows another.

    >>> language_of("Sei P eine Matrix, und die Summe der Zeilen ist eins.")
    'de'
    >>> language_of("Let P be a matrix.")
    'en'
    """
    for name, letters in SCRIPTS:
        if len(re.findall(letters, text)) >= MIN_LETTERS:
            return name
    words = re.findall(r"[^\W\d_]+", text.lower())
    counts = {name: sum(map(set(known.split()).__contains__, words)) for name, known in COMMON.items()}
    best = max(counts, key=lambda name: (counts[name], name == "en"))
    return best if counts[best] >= MIN_COMMON and counts[best] > 2 * counts["en"] else "en"


def in_english(text: str, language: str) -> str:
    """A text with the phrases of the table in English; all else, the marks of formulas too, stays as it is.

    >>> in_english("Sei ⟦0⟧ eine Permutationsmatrix.", "de")
    'let ⟦0⟧ eine permutation matrix.'
    >>> in_english("其中⟦0⟧是置换矩阵。", "zh")
    ' where ⟦0⟧是 permutation matrix 。'
    """
    if language == "en":
        return text
    pattern, put = _table(language)
    return pattern.sub(put, text.translate(SIGNS))


@lru_cache(maxsize=len(COMMON) + len(SCRIPTS))
def _table(language: str) -> tuple[re.Pattern[str], Callable[[re.Match[str]], str]]:
    """One pattern for all rows of a language, and what is put for a match of it."""
    rows = [r for r in ROWS if language in r.patterns]
    joined = language in ("zh", "ja", "ko")  # words are not set apart by spaces there
    groups = (f"({r.patterns[language]})" for r in rows)
    pattern = "|".join(groups) if joined else rf"\b(?:{'|'.join(groups)})(?!\w)"

    def put(match: re.Match[str]) -> str:
        english = rows[(match.lastindex or 1) - 1].english
        return f" {english} " if joined else english

    return re.compile(pattern, re.IGNORECASE), put
