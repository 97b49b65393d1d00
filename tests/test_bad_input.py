"""Bad input, one table: each row is one message at its place, and what follows is still decided.

The limits are counted (length, nesting, relations, work), so that no row needs a clock; `test_memory_stays_bounded` runs
the rows once more in a process whose address space is limited.
"""

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from derivations.reports import check, html, terminal, tex
from derivations.reports.model import validate

LAST = r"""

Let $S \in \mathbb{R}^{n \times n}$. The weights are

$$ P_{ij} = \frac{\exp(S_{ij})}{\sum_{k=1}^{n} \exp(S_{ik})} $$

Hence

$$ \sum_{j=1}^{n} P_{ij} = 1 $$

but not

$$ \sum_{i=1}^{n} P_{ij} = 1 $$
"""
DECIDED = ["defined", "proved", "refuted"]
BOMB = "".join(rf"\def\{a}z{{\{b}z\{b}z}}" for a, b in zip("abcdefghijkl", "bcdefghijklm", strict=True))
MANY = 10**5

# (what, the formula, column, code, a part of the message)
FORMULAS = [
    ("an open brace", r"a_{i = b_i", 4, "unbalanced-braces", "needed a closing '}' for this '{', found the end"),
    ("a closed brace", r"a_i} = b_i", 5, "unbalanced-braces", "needed an operator or the end, found '}'"),
    ("an open delimiter", r"a = \left( b + c", 11, "unbalanced-braces", "needed a closing delimiter for '('"),
    ("an open parenthesis", "a = (b + c", 6, "unbalanced-braces", "needed a closing delimiter for '('"),
    ("an unknown command", r"a = \foo{b}", 6, "unknown-command", "needed a command that is known here"),
    ("no binder", r"y = \sum_{i=1}^n", 18, "missing-argument", r"needed a term after '\sum', found the end"),
    ("a sum of nothing", r"\sum_{i=1}^{n} = 3", 17, "missing-argument", r"needed a term after '\sum', found '='"),
    ("an argument too few", r"\frac{a} = c", 11, "unexpected-token", "needed an expression, found '='"),
    ("two equality signs", "a == b", 5, "unexpected-token", "needed an expression, found '='"),
    ("two subscripts", "a_i_j = b", 5, "double-script", "needed one subscript, found '_'"),
    ("two superscripts", "a^b^c = d", 5, "double-script", "needed one superscript, found '^'"),
    ("a free index on the right only", "a_i = b_j", 2, "not-conservative", "j is free on the right side"),
    ("no left side", "= b_i", 3, "unknown-notation", "a relation without a left side"),
    ("no right side", "a =", 5, "unexpected-token", "needed an expression, found the end"),
    ("another environment's end", r"\begin{aligned} a = b \end{split}", 24, "unbalanced-environment", r"'\end{aligned}'"),
    ("rows of a matrix that differ", r"\begin{pmatrix} a & b \\ c \end{pmatrix} = x", 2, "shape-conflict", "the rows of this"),
    ("10,000 levels of braces", "{" * 10_000 + "x" + "}" * 10_000 + "=1", 2, "too-large", "at most 20000 characters"),
    ("levels of roots", r"\sqrt" * 3_000 + "x=1", 202, "too-deep", "needed at most 40 nested levels"),
    ("levels of scripts", "x_{" * 900 + "x" + "}" * 900 + "=1", 122, "too-deep", "needed at most 40 nested levels"),
    ("levels of matrices", r"\begin{pmatrix}" * 50 + "x" + r"\end{pmatrix}" * 50 + "=1", 182, "too-deep", "at most 12"),
    ("5 MB", "a = " + "b + " * 1_250_000 + "c", 2, "too-large", "needed at most 20000 characters, found 5000005"),
    ("many tokens", "x = " + "+".join("x" * 3_100), 6004, "too-large", "needed at most 6000 tokens"),
    ("a long product", "x = " + "*".join("x" * 1_500), 2702, "too-deep", "needed at most 150 nested operations"),
    ("a long chain", "a=" * 1_500 + "a", 204, "too-large", "needed at most 100 relations in one equation, found 1500"),
    ("a macro that calls itself", r"\def\a{x\a} \a=1", 14, "too-large", "needed at most 500 macro expansions"),
    ("a macro bomb", BOMB + r"\def\mz{x} \az=1", 192, "too-large", "needed at most 500 macro expansions"),
    ("a definition without a body", r"\def\a#1", 2, "unknown-command", r"found '\def'"),
    ("a control character", "a\x01 = b", 3, "unexpected-token", "needed an operator or the end"),
    ("a direction mark", "\u202ea = b", 2, "unexpected-token", "needed an expression"),
]  # fmt: skip
