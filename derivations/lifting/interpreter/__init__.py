"""An interpreter of the Python syntax tree over symbolic arrays; nothing is executed."""
