"""Values of the interpreter that are no arrays: functions, objects, layers, records, lists of members."""
