"""Checking documents end to end, and the report writers."""

if __name__ == "reports":
    # Imported under its bare name: hand out the one module object that `derivations.reports` is.
    from derivations._siblings import adopt

    adopt(__name__)
