"""What is computed one token after the other, and the sums it amounts to: proved by induction."""

from __future__ import annotations

from sympy import IndexedBase, Max, Rational, oo, symbols

from derivations.api import Definition, indicator, maximum
from derivations.theorems.row import Refuted, Theorem
from derivations.theorems.symbols import Sum, c, d, exp, i, j, k, n, v

t, e = symbols("t e", integer=True)
x = IndexedBase("x", shape=(n,))
values = IndexedBase("V", shape=(n, v))
queries = IndexedBase("Q", shape=(n, d))
keys = IndexedBase("K", shape=(n, d))
top = IndexedBase("M", shape=(n,))
mean = IndexedBase("mu", shape=(n,))
total = IndexedBase("S", shape=(n,))
norm = IndexedBase("z", shape=(n,))
out = IndexedBase("o", shape=(n, v))
state = IndexedBase("H", shape=(n, d, v))
peak = IndexedBase("m", shape=(n + 1,))
part = IndexedBase("l", shape=(n + 1,))
mixed = IndexedBase("a", shape=(n + 1, v))
memory = IndexedBase("R", shape=(n + 1, d, v))
average = IndexedBase("s", shape=(n + 1,))
g = symbols("g", real=True)

ONLINE = "Milakov and Gimelshein 2018, Online normalizer calculation for softmax; Dao et al. 2022, FlashAttention"
LINEAR = "Katharopoulos et al. 2020, Transformers are RNNs"

cumulative = (Definition(total[0], x[0]), Definition(total[t], total[t - 1] + x[t], when=t >= 1))
running = (Definition(mean[0], x[0]), Definition(mean[t], mean[t - 1] + (x[t] - mean[t - 1]) / (t + 1), when=t >= 1))
denominator = (
    Definition(norm[0], exp(x[0] - top[0])),
    Definition(norm[t], norm[t - 1] * exp(top[t - 1] - top[t]) + exp(x[t] - top[t]), when=t >= 1),
)
weight = norm[t - 1] * exp(top[t - 1] - top[t]) / norm[t]
online = (
    *denominator,
    Definition(out[0, e], values[0, e]),
    Definition(out[t, e], weight * out[t - 1, e] + exp(x[t] - top[t]) / norm[t] * values[t, e], when=t >= 1),
)
highest = (Definition(peak[0], -oo), Definition(peak[t], Max(peak[t - 1], x[t - 1]), when=t >= 1))
normaliser = (
    *highest,
    Definition(part[0], 0),
    Definition(part[t], part[t - 1] * exp(peak[t - 1] - peak[t]) + exp(x[t - 1] - peak[t]), when=t >= 1),
)
accumulator = (
    *normaliser,
    Definition(mixed[0, e], 0),
    Definition(
        mixed[t, e],
        mixed[t - 1, e] * exp(peak[t - 1] - peak[t]) + exp(x[t - 1] - peak[t]) * values[t - 1, e],
        when=t >= 1,
    ),
)
faded = (
    Definition(memory[0, c, e], 0),
    Definition(memory[t, c, e], g * memory[t - 1, c, e] + keys[t - 1, c] * values[t - 1, e], when=t >= 1),
)
smoothed = (Definition(average[0], 0), Definition(average[t], g * average[t - 1] + (1 - g) * x[t - 1], when=t >= 1))
outer = (
    Definition(state[0, c, e], keys[0, c] * values[0, e]),
    Definition(state[t, c, e], state[t - 1, c, e] + keys[t, c] * values[t, e], when=t >= 1),
)

ROWS = (
    Theorem(
        "accumulation_is_the_prefix_sum", total[t], Sum(x[j], (j, 0, t)), "definition of a cumulative sum", cumulative
    ),
    Theorem("running_mean_is_the_prefix_mean", mean[t], Sum(x[j], (j, 0, t)) / (t + 1), "Welford 1962", running),
    Theorem("online_softmax_denominator", norm[t], Sum(exp(x[j] - top[t]), (j, 0, t)), ONLINE, denominator),
    Theorem("online_softmax_denominator_is_positive", 0, norm[t], ONLINE, denominator, relation="<"),
    Theorem(
        "online_softmax_output",
        out[t, e],
        Sum(exp(x[j]) * values[j, e], (j, 0, t)) / Sum(exp(x[j]), (j, 0, t)),
        ONLINE,
        online,
    ),
    Theorem(
        "linear_attention_as_a_recurrence",
        Sum(queries[t, c] * state[t, c, e], (c, 0, d - 1)),
        Sum(Sum(queries[t, c] * keys[j, c], (c, 0, d - 1)) * values[j, e], (j, 0, t)),
        LINEAR,
        outer,
    ),
    Theorem("running_maximum", peak[n], maximum(x[j], (j, 0, n - 1)), ONLINE, highest),
    Theorem("online_softmax_from_minus_infinity", part[n], Sum(exp(x[j] - peak[n]), (j, 0, n - 1)), ONLINE, normaliser),
    Theorem(
        "online_softmax_attention",
        mixed[n, e] / part[n],
        Sum(exp(x[j]) * values[j, e], (j, 0, n - 1)) / Sum(exp(x[j]), (j, 0, n - 1)),
        ONLINE,
        accumulator,
    ),
    Theorem(
        "exponential_moving_average",
        average[n],
        Sum((1 - g) * g ** (n - 1 - j) * x[j], (j, 0, n - 1)),
        "Kingma and Ba 2015, Adam, eq. (1)",
        smoothed,
    ),
    Theorem(
        "retention_as_a_recurrence",
        Sum(queries[n - 1, c] * memory[n, c, e], (c, 0, d - 1)),
        Sum(g ** (n - 1 - j) * Sum(queries[n - 1, c] * keys[j, c], (c, 0, d - 1)) * values[j, e], (j, 0, n - 1)),
        "Sun et al. 2023, Retentive Network, eq. (5)",
        faded,
    ),
    Theorem(
        "maximum_with_one_more",
        maximum(x[j], (j, 0, t)),
        Max(maximum(x[j], (j, 0, t - 1)), x[t]),
        "Dao et al. 2022, FlashAttention",
        given=(t >= 1,),
    ),
    Theorem(
        "number_of_allowed_pairs",
        Sum(Sum(indicator(k <= i), (k, 0, n - 1)), (i, 0, n - 1)),
        n * (n + 1) * Rational(1, 2),
        "count of the lower triangle",
    ),
    Refuted(
        "exponential_moving_average_weights_do_not_start_at_one",
        average[n],
        Sum((1 - g) * g ** (n - j) * x[j], (j, 0, n - 1)),
        "the newest value has the weight 1 - g",
        smoothed,
    ),
    Refuted(
        "online_softmax_without_rescaling",
        norm[t],
        Sum(exp(x[j] - top[t]), (j, 0, t)),
        "the old sum is relative to the old maximum",
        (denominator[0], Definition(norm[t], norm[t - 1] + exp(x[t] - top[t]), when=t >= 1)),
    ),
    Refuted(
        "running_mean_divides_by_the_index",
        mean[t],
        Sum(x[j], (j, 0, t)) / (t + 1),
        "counted from 0, t + 1 values have been seen",
        (running[0], Definition(mean[t], mean[t - 1] + (x[t] - mean[t - 1]) / t, when=t >= 1)),
    ),
    Refuted(
        "linear_attention_sees_its_own_token",
        Sum(queries[t, c] * state[t, c, e], (c, 0, d - 1)),
        Sum(Sum(queries[t, c] * keys[j, c], (c, 0, d - 1)) * values[j, e], (j, 0, t - 1)),
        "the state already holds the token of its own position",
        outer,
    ),
)
