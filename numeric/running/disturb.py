"""Makes a second run differ in what no document can rely on: the clock, and the seeds of random numbers.

What a document prints in both runs alike depends on neither. Standard library only.
"""

import random
import sys
import time


def install(options, now=False):
    """`clock`: the clocks run that much faster; `seeds`: what is added to every seed; `now` draws others at once, too."""
    factor = options.get("clock", 1)
    if factor != 1:
        for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time"):
            real = getattr(time, name)
            setattr(time, name, lambda real=real: real() * factor + 12345.678)
            if hasattr(time, name + "_ns"):
                exact = getattr(time, name + "_ns")
                setattr(time, name + "_ns", lambda exact=exact: int(exact() * factor) + 12345678901234)
    shift = options.get("seeds", 0)
    if shift:
        _shift(shift)
        if now:
            _draw_others(shift)


def _draw_others(seed):
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    random.seed(seed)
    if numpy is not None:
        numpy.random.seed(seed)
    if torch is not None:
        torch.manual_seed(seed)


def _moved(seed, shift):
    return seed + shift if isinstance(seed, int) and not isinstance(seed, bool) else seed


def _shift(shift):
    _wrap(random, "seed", shift)
    _wrap(random, "Random", shift)
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None:
        for name in ("seed", "default_rng", "RandomState", "SeedSequence", "PCG64", "MT19937"):
            _wrap(numpy.random, name, shift)
    if torch is not None:
        for place in (torch, torch.random):
            _wrap(place, "manual_seed", shift)
        real = torch.Generator

        class Generator(real):
            def manual_seed(self, seed):
                return super().manual_seed(_moved(seed, shift))

        torch.Generator = Generator


def _wrap(module, name, shift):
    real = getattr(module, name, None)
    if real is None:
        return
    if isinstance(real, type):  # stays a class: others ask whether something is one of its instances
        setattr(module, name, type(name, (real,), {"__init__": _initial(real, shift)}))
        return
    setattr(module, name, lambda seed=None, *rest, **named: real(_moved(seed, shift), *rest, **named))


def _initial(real, shift):
    def start(self, seed=None, *rest, **named):
        real.__init__(self, _moved(seed, shift), *rest, **named)

    return start
