"""Reasons not to believe a refutation, as rows.

To add one: write a test function of a case and the verdict about it, with a row beside it (`doubt.Doubt`) that has two
short documents, one where the row alone keeps a claim from being refuted and one where it must be silent; and give the
row its place in `all_doubts.DOUBTS`.  The tests run every row with both documents.
"""
