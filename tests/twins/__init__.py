"""Changed copies of documents: one sign, index, factor, transposition or bound of one proved claim is made another.

A copy whose claim an evaluator without the engine's code finds false is a *twin*.  No twin may be proved, each keeps the
role of the original (claim, step, …), and most are refuted.  `python -m tests.twins FOLDER` shows where this fails.
"""
