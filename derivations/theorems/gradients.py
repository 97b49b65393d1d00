"""Derivatives of the softmax, of log-sum-exp and of the cross-entropy; linear layers."""

from __future__ import annotations

from sympy import Derivative, Eq, IndexedBase, KroneckerDelta, exp, log, symbols

from derivations.api import Definition
from derivations.theorems.row import Refuted, Theorem
from derivations.theorems.symbols import Sum, c, i, j, k, n, v

s = IndexedBase("s", shape=(n,))
t = IndexedBase("t", shape=(n,))
p = IndexedBase("p", shape=(n,))
A = IndexedBase("A", shape=(n, n))
V = IndexedBase("V", shape=(n, v))
a = symbols("a", real=True)
SOURCE = "Goodfellow, Bengio, Courville 2016, Deep Learning, sec. 6.2.2.3"

softmax = Definition(p[i], exp(s[i]) / Sum(exp(s[j]), (j, 0, n - 1)))
cross_entropy = -Sum(t[i] * log(p[i]), (i, 0, n - 1))
log_sum_exp = log(Sum(exp(s[j]), (j, 0, n - 1)))

ROWS = (
    Theorem("softmax_jacobian", Derivative(p[i], s[j]), p[i] * (KroneckerDelta(i, j) - p[j]), SOURCE, (softmax,)),
    Theorem("softmax_jacobian_rows_sum_to_zero", Sum(Derivative(p[i], s[j]), (j, 0, n - 1)), 0, SOURCE, (softmax,)),
    Theorem(
        "log_sum_exp_shift", log(Sum(exp(s[j] - a), (j, 0, n - 1))) + a, log_sum_exp, SOURCE.replace("6.2.2.3", "4.1")
    ),
    Theorem("log_sum_exp_gradient", Derivative(log_sum_exp, s[i]), p[i], SOURCE, (softmax,)),
    Theorem(
        "cross_entropy_gradient",
        Derivative(cross_entropy, s[j]),
        p[j] - t[j],
        SOURCE,
        (softmax,),
        (Eq(Sum(t[i], (i, 0, n - 1)), 1),),
    ),
    Theorem(
        "weighted_sum_gradient_in_the_values",
        Derivative(Sum(A[i, j] * V[j, c], (j, 0, n - 1)), V[k, c]),
        A[i, k],
        "chain rule; Dao et al. 2022, FlashAttention, appendix B.2",
    ),
    Refuted(
        "softmax_jacobian_with_the_wrong_index",
        Derivative(p[i], s[j]),
        p[i] * (KroneckerDelta(i, j) - p[i]),
        "the second factor carries the other index",
        (softmax,),
    ),
    Refuted(
        "cross_entropy_gradient_without_normalised_targets",
        Derivative(cross_entropy, s[j]),
        p[j] - t[j],
        "needs targets that sum to one",
        (softmax,),
    ),
)
