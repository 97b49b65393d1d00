"""What a statement is: terms, their meaning at given sizes and inputs, and the bridge to SymPy."""
