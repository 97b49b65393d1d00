"""What is trusted.  A `Theorem` comes only out of `replay.replay`, which checks a proof step by step.

To trust a theorem, read: `language/term.py` (what a statement says), `linear.py` (integer constraints), `ring.py`
(polynomial identity), `sign.py` (positivity), `rules.py` (one function per rule), `obligation.py` (what must be
defined), `definition.py` (which definitions are conservative) and `replay.py`.  Nothing else is involved: the provers
only propose.
"""
