"""Floating point: compile definitions to NumPy and torch, bound their errors, cross-check them.

Works as `numeric` and as `derivations.numeric`; torch is imported only by what runs on it.
"""

from __future__ import annotations

if __name__ == "numeric":
    # Imported under its bare name: hand out the one module object that `derivations.numeric` is.
    from derivations._siblings import adopt

    adopt(__name__)
else:
    from .bounds import ARITHMETICS, Model, error_bound
    from .compiled import Compiled, NotCompiled, compile, compile_definition
    from .crosscheck import cross_check
    from .kernels import KernelMismatch, Verdict, assert_within_bound, check_within_bound

__all__ = [
    "ARITHMETICS",
    "Compiled",
    "KernelMismatch",
    "Model",
    "NotCompiled",
    "Verdict",
    "assert_within_bound",
    "check_within_bound",
    "compile",
    "compile_definition",
    "cross_check",
    "error_bound",
]
