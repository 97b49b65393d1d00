"""Rows of the losses, and of what goes along a batch: classes as positions or as probabilities, divergences, distances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from derivations.language.term import Apply, Choice, Index, Number, Term, equal
from derivations.lifting.operations.elementwise import larger
from derivations.lifting.operations.table import Op, Value, array, constant, op
from derivations.lifting.symbolic.arrays import Array, Entry, real, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.symbolic.term_arithmetic import divided, minus, plus, times
from derivations.lifting.symbolic.truth_values import condition, selected

_ZERO, _ONE = Number(0), Number(1)
_HALF = Number(Fraction(1, 2))


def _call(scope: Scope, name: str, *given: Value, **named: Value) -> Array:
    from derivations.lifting.operations.all_operations import call

    return array(call(scope, name, list(given), named))


def reduced_by(scope: Scope, a: Array, reduction: Value) -> Array:
    """The mean, the sum, or the entries themselves, as `reduction` says."""
    if reduction == "none":
        return a
    if reduction not in ("mean", "sum"):
        raise NotLifted(f"the reduction {reduction!r}")
    return _call(scope, f"torch.{reduction}", a)


def _cross_entropy(
    scope: Scope, x: Value, target: Value, weight: Value, ignore_index: Value, reduction: Value, label_smoothing: Value
) -> Array:
    """-log softmax of the scores at the class, or weighed by probabilities of classes; classes are on the second axis."""
    a = array(x)
    logs = _call(scope, "torch.log_softmax", a, dim=scalar(0 if a.rank == 1 else 1))
    return _of_logs(scope, logs, array(target), weight, ignore_index, reduction, label_smoothing)


def _nll(scope: Scope, x: Value, target: Value, weight: Value, ignore_index: Value, reduction: Value) -> Array:
    """Minus the logarithm of a probability at the class."""
    if array(target).rank == array(x).rank:
        raise NotLifted("nll_loss with a target of as many axes as its input")
    return _of_logs(scope, array(x), array(target), weight, ignore_index, reduction, None)


def _of_logs(
    scope: Scope, logs: Array, target: Array, weight: Value, ignore_index: Value, reduction: Value, smoothing: Value
) -> Array:
    axis = 0 if logs.rank == 1 else 1
    count = scope.sizes.resolve(logs.shape[axis])
    if target.rank == logs.rank:
        return _of_probabilities(scope, logs, target, axis, weight, reduction, smoothing)
    if target.rank != logs.rank - 1:
        raise NotLifted("a target whose axes are not those of the scores", code="shape-conflict")
    for s, own in zip(target.shape, (*logs.shape[:axis], *logs.shape[axis + 1 :]), strict=True):
        scope.sizes.require(own, s, "scores and classes")
    classes = target if target.kind == "int" else scope.positions(target, count)
    if classes is None:
        raise NotLifted("classes that are computed from data")
    ignored = None if ignore_index is None else constant(ignore_index, "a known class to ignore")
    if ignored is not None and ignored < 0 and ignored != -100:
        raise NotLifted("a class to ignore that is none")

    def at_class(at: Sequence[Index]) -> Index:
        i = classes.at(at)
        if not isinstance(i, Index):
            raise NotLifted("classes that are no whole numbers")
        return i

    def entry(at: tuple[Index, ...]) -> Term:
        value = minus(logs.real([*at[:axis], at_class(at), *at[axis:]]))
        if smoothing is not None:
            rest = scope.total(count, lambda k: logs.real([*at[:axis], k, *at[axis:]]))
            eps = real(array(smoothing).entry)
            value = plus(times(plus(_ONE, minus(eps)), value), minus(times(eps, divided(rest, real(count)))))
        return times(value, counted(at))

    def counted(at: Sequence[Index]) -> Term:
        """The weight of an example: that of its class, and 0 for the class that is ignored."""
        own = array(weight).real((at_class(at),)) if weight is not None else _ONE
        if ignored is None or ignored < 0:
            return own
        return selected(condition((equal(at_class(at), ignored),)), _ZERO, own)

    if weight is not None and smoothing is not None:
        raise NotLifted("weights of classes together with label smoothing")
    made = scope.make(scope.shape(target), entry, logs)
    if reduction == "mean" and (weight is not None or (ignored is not None and ignored >= 0)):
        total = _call(scope, "torch.sum", made)
        weights = _call(scope, "torch.sum", scope.make(scope.shape(target), lambda at: counted(at), logs))
        return scope.elementwise("/", lambda t, w: divided(real(t), real(w)), total, weights)
    return reduced_by(scope, made, reduction)


def _of_probabilities(
    scope: Scope, logs: Array, target: Array, axis: int, weight: Value, reduction: Value, smoothing: Value
) -> Array:
    if weight is not None or smoothing is not None:
        raise NotLifted("probabilities of classes with weights or label smoothing")
    each = scope.elementwise("cross_entropy", lambda t, p: minus(times(real(t), real(p))), logs, target)
    return reduced_by(scope, _call(scope, "torch.sum", each, scalar(axis)), reduction)


def _pairwise(combine: Callable[[Term, Term], Term]) -> Callable[..., Array]:
    """A loss of two arrays entry by entry."""

    def build(scope: Scope, x: Value, target: Value, reduction: Value) -> Array:
        each = scope.elementwise("loss", lambda a, b: combine(real(a), real(b)), array(x), array(target))
        return reduced_by(scope, each, reduction)

    return build


def _binary(p: Term, y: Term) -> Term:
    return minus(plus(times(y, Apply("log", p)), times(plus(_ONE, minus(y)), Apply("log", plus(_ONE, minus(p))))))


def _binary_of_scores(z: Term, y: Term) -> Term:
    return plus(times(plus(_ONE, minus(y)), z), Apply("log", plus(_ONE, Apply("exp", minus(z)))))


def _distance(a: Term, b: Term) -> Term:
    return Apply("abs", plus(a, minus(b)))


def _huber(scale: Callable[[Term], Term]) -> Callable[..., Array]:
    """A square near zero, then a line; `scale` makes of the width what both are multiplied by."""

    def build(scope: Scope, x: Value, target: Value, reduction: Value, beta: Value) -> Array:
        width = real(array(beta).entry)

        def each(a: Entry, b: Entry) -> Term:
            gap = _distance(real(a), real(b))
            near = times(_HALF, gap, gap)
            far = times(width, plus(gap, minus(times(_HALF, width))))
            return times(scale(width), Choice(plus(width, minus(gap)), near, far))

        return reduced_by(scope, scope.elementwise("loss", each, array(x), array(target)), reduction)

    return build


def _kl_div(scope: Scope, x: Value, target: Value, reduction: Value, log_target: Value) -> Array:
    """Of logarithms of probabilities and probabilities, entry by entry: p (log p - x)."""
    a, b = array(x), array(target)

    def each(q: Entry, p: Entry) -> Term:
        log_p = real(p) if log_target is True else Apply("log", real(p))
        weight = Apply("exp", real(p)) if log_target is True else real(p)
        return times(weight, plus(log_p, minus(real(q))))

    made = scope.elementwise("kl_div", each, a, b)
    if reduction != "batchmean":
        return reduced_by(scope, made, reduction)
    total = _call(scope, "torch.sum", made)
    return scope.elementwise("/", lambda t: divided(real(t), real(scope.shape(a)[0])), total)


def _margin(scope: Scope, x: Value, y: Value, target: Value, margin: Value, reduction: Value) -> Array:
    """max(0, -target (x - y) + margin)."""

    def each(a: Entry, b: Entry, t: Entry, m: Entry) -> Term:
        return larger(scope, _ZERO, plus(minus(times(real(t), plus(real(a), minus(real(b))))), real(m)))

    made = scope.elementwise("loss", each, array(x), array(y), array(target), array(margin))
    return reduced_by(scope, made, reduction)


def _sum_of_products(sign: str) -> Callable[..., Array]:
    """x + value * y * z, or x + value * y / z."""

    def build(scope: Scope, x: Value, y: Value, z: Value, value: Value) -> Array:
        by = array(value)

        def each(a: Entry, b: Entry, c: Entry, v: Entry) -> Term:
            part = times(real(b), real(c)) if sign == "*" else divided(real(b), real(c))
            return plus(real(a), times(real(v), part))

        return scope.elementwise("addc", each, array(x), array(y), array(z), by)

    return build


ROWS: tuple[Op, ...] = (
    op("torch.nn.functional.cross_entropy",
       "x target weight=None size_average=None ignore_index=None reduce=None reduction='mean' label_smoothing=None",
       lambda s, x, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing: _cross_entropy(
           s, x, target, weight, ignore_index, reduction, label_smoothing),
       "F.cross_entropy(x, t)", "F.cross_entropy(x, t, reduction='sum')", "F.cross_entropy(x, x.softmax(1))",
       "F.cross_entropy(x, t, reduction='none', label_smoothing=0.25)", "F.cross_entropy(x, t, weight=u * u + 1)",
       "F.cross_entropy(x, t, ignore_index=7)", "F.cross_entropy(b.transpose(1, 2), t.expand(5, 2))"),
    op("torch.nn.functional.nll_loss",
       "x target weight=None size_average=None ignore_index=None reduce=None reduction='mean'",
       lambda s, x, target, weight, size_average, ignore_index, reduce, reduction: _nll(
           s, x, target, weight, ignore_index, reduction),
       "F.nll_loss(x, t)", "F.nll_loss(x, t, weight=u * u + 1, reduction='sum')"),
    op("torch.nn.functional.binary_cross_entropy", "x target reduction='mean'", _pairwise(_binary),
       "F.binary_cross_entropy(x.sigmoid(), z.sigmoid())"),
    op("torch.nn.functional.binary_cross_entropy_with_logits", "x target reduction='mean'", _pairwise(_binary_of_scores),
       "F.binary_cross_entropy_with_logits(x, z.sigmoid())"),
    op("torch.nn.functional.l1_loss", "x target reduction='mean'", _pairwise(_distance), "F.l1_loss(x, z)"),
    op("torch.nn.functional.smooth_l1_loss", "x target reduction='mean' beta=1",
       _huber(lambda w: divided(_ONE, w)), "F.smooth_l1_loss(x, z)", "F.smooth_l1_loss(x, z, beta=0.5)"),
    op("torch.nn.functional.huber_loss", "x target reduction='mean' beta=1",
       _huber(lambda w: _ONE), "F.huber_loss(x, z)"),
    op("torch.nn.functional.kl_div", "x target reduction='mean' log_target=False", _kl_div,
       "F.kl_div(x.log_softmax(1), z.softmax(1), reduction='batchmean')", "F.kl_div(x, z, reduction='sum', log_target=True)"),
    op("torch.nn.functional.margin_ranking_loss", "x y target margin=0 reduction='mean'", _margin,
       "F.margin_ranking_loss(u, v, torch.ones(3))"),
    op("torch.addcmul .addcmul", "x y z value=1", _sum_of_products("*"), "torch.addcmul(x, z, x, value=0.5)"),
    op("torch.addcdiv .addcdiv", "x y z value=1", _sum_of_products("/"), "torch.addcdiv(x, z, x * x + 1, value=0.5)"),
)  # fmt: skip
