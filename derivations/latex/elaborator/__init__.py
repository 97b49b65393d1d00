"""From the surface tree to arrays with index semantics, definitions and statements."""
