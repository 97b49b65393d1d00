"""Gives a counterexample to the document's own code, in the process that ran it. Standard library only.

A replay executes the statements that the value is made of, with the inputs and sizes of the counterexample in place of
the document's own, and reads one entry of the result.
"""


def replay(runner, replays):
    """For each replay the value that the code gives, or the error that it stopped with."""
    found = {}
    for row in replays:
        kept = dict(runner.names)
        try:
            with runner.limited():
                found[row["id"]] = {"value": _value(runner.names, row)}
        except BaseException as error:  # noqa: BLE001 - whatever the code raises means that nothing was confirmed
            found[row["id"]] = {"error": f"{type(error).__name__}: {error}"[:200]}
        finally:
            runner.names.clear()
            runner.names.update(kept)
    return found


def _value(names, row):
    if row["library"] == "torch":
        import torch

        def array(nested):
            return torch.tensor(nested, dtype=torch.float64)
    else:
        import numpy

        def array(nested):
            return numpy.array(nested, dtype="float64")

    def bind():
        names.update({name: array(nested) for name, nested in row["arrays"].items()})
        names.update(row["sizes"])

    for number, source in enumerate(row["steps"]):
        bind()
        code = compile(source, f"<replay {number}>", "exec")
        eval(code, names)
    if row["call"] is None:
        result = names[row["result"]]
    else:
        bind()
        arguments = {name: array(nested) for name, nested in row["call"].items()}
        result = names[row["result"]](**{**arguments, **row["numbers"]})
    if isinstance(result, (tuple, list)) and len(row["at"]) and not hasattr(result[0], "__float__"):
        result = result[0]
    if isinstance(result, (tuple, list)) and hasattr(result[0], "shape") and result[0].shape:
        result = result[0]
    for k in row["at"]:
        result = result[k]
    return float(result)
