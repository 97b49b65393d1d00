"""What is trusted.  A `Theorem` comes only out of `replay.replay`, which checks a proof step by step.

To trust a theorem, read what `replay` and `certificate` import; a test computes this list from the imports:

- what a statement says: `language/statement.py`, `language/term.py`, `language/substitution.py`, `language/index.py`,
  and as a text `language/text.py`;
- integer constraints: `kernel/linear.py`; polynomial identity: `kernel/ring.py`; signs: `kernel/sign.py`; where -oo may
  be: `kernel/finiteness.py`; where there are derivatives: `kernel/smoothness.py`;
- the rules: `kernel/rules/__init__.py`, `kernel/rules/table.py`, `kernel/rules/requirements.py`,
  `kernel/rules/equalities.py`, `kernel/rules/sums.py`, `kernel/rules/maxima.py`, `kernel/rules/brackets.py`,
  `kernel/rules/choices.py`, `kernel/rules/minus_infinity.py`, `kernel/rules/powers.py`, `kernel/rules/matrices.py`,
  `kernel/rules/determinants.py`, `kernel/rules/exponentials.py`, `kernel/rules/absolute_values.py`,
  `kernel/rules/trigonometry.py`,
  `kernel/rules/derivatives.py`, `kernel/rules/expectation.py` (one function each), `kernel/maximum.py`; where they
  are used: `kernel/scope.py`, `kernel/random_names.py`;
- what must be defined: `kernel/obligation.py`; which definitions are conservative: `kernel/definition.py`;
- numbers against numbers: `kernel/numbers.py`, with the values of `language/meaning.py`
  (`language/extended_reals.py`, `language/inputs.py`, `language/derivative_values.py`, `language/definedness.py`,
  `language/degrees.py`);
- proofs, theorems, refusals as data: `kernel/proof.py`, `kernel/theorem.py`, `kernel/errors.py`;
- the check of a proof: `kernel/replay.py`;
- saved proofs: `kernel/certificate.py`, `kernel/certificate_reader.py`, `kernel/certificate_writer.py`;
- two package files without code: `kernel/__init__.py`, `language/__init__.py`.

Beside Python's own libraries these use `flint` (python-flint: exact rationals, and balls for numbers).  Nothing else is
involved: the provers only propose.
"""
