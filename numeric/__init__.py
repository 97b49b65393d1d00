"""Floating point: compiling terms to NumPy and torch, error bounds and cross-checks."""

if __name__ == "numeric":
    # Imported under its bare name: hand out the one module object that `derivations.numeric` is.
    from derivations._siblings import adopt

    adopt(__name__)
