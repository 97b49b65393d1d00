"""Remembers which value stands behind a piece of printed text, in full precision. Standard library only."""

import ast
import builtins
import re
import sys

COUNT_LIMIT = 20000
"""Numbers of one value that are remembered."""
PENDING_LIMIT = 400
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|inf|nan)(?![\w])")


class Records:
    """Values that were turned into text and may be printed."""

    def __init__(self):
        self.pending = []
        self.apart = []
        """How far apart the values were that a comparison since the last piece of output did not find close."""

    def text(self, value, convert):
        """The text of a value, remembered."""
        text = convert(value)
        if type(text) is str and text:
            self.add(text, value)
        return text

    def add(self, text, value):
        found = describe(value, text)
        if found is not None:
            self.pending.append([text, *found])
            del self.pending[:-PENDING_LIMIT]

    def taken(self, printed):
        """What is remembered of the values in a printed text: (start, length, numbers, precision, kind), in text order.

        Longer texts find their places first, so that a lone digit is not taken for part of another number.
        """
        found, rest, claimed = [], [], []
        for record in sorted(self.pending, key=lambda r: -len(r[0])):
            place = _place(printed, record[0], claimed)
            if place is None:
                rest.append(record)
            else:
                claimed.append((place, place + len(record[0])))
                found.append([place, len(record[0]), *record[1:]])
        self.pending = rest
        return sorted(found, key=lambda r: r[0])

    def formatted(self, value, conversion, spec):
        """One field of an f-string."""
        convert = {114: repr, 115: str, 97: ascii}.get(conversion)
        text = format(value if convert is None else convert(value), spec)
        if type(value) is not str:
            self.add(text, value)
        return text

    def compared(self, function, *values, **named):
        """``allclose(a, b)`` and ``a.allclose(b)``, and how far apart the two are where they are not close.

        A tolerance of the document's own may be as wide as what random numbers do: then nothing is remembered.
        """
        close = function(*values, **named)
        if type(close).__name__ in ("bool", "bool_") and not close and not named.keys() & {"rtol", "atol"}:
            distance = _distance([getattr(function, "__self__", None), *values, *named.values()])
            if distance is not None:
                self.apart.append(distance)
        return close

    def taken_apart(self):
        """The distances that are remembered, which are forgotten by that."""
        found, self.apart = self.apart, []
        return found

    def as_text(self, function, value):
        """``str(value)``, when `str` is still the built-in one."""
        text = function(value)
        if function is builtins.str and type(value) is not str:
            self.add(text, value)
        return text

    def filled(self, text, *values, **named):
        """``text.format(...)``: the fields are formatted one by one, so that each is remembered."""
        result = text.format(*values, **named)
        numbers = [v for v in [*values, *named.values()] if describe(v, "") is not None]
        if numbers and type(result) is str:
            found = describe(numbers, result)
            if found is not None and len(NUMBER.findall(result)) == len(found[0]):
                self.pending.append([result, *found])
        return result


def _place(printed, text, claimed):
    """The first place where a text stands by itself and that no other text has."""
    at = printed.find(text)
    while at >= 0:
        end = at + len(text)
        before, after = printed[max(at - 1, 0) : at], printed[end : end + 2]
        alone = not (_joins(before[-1:]) and _joins(text[0])) and not (_joins(after) and _joins(text[-1]))
        if alone and all(end <= a or b <= at for a, b in claimed):
            return at
        at = printed.find(text, at + 1)
    return None


def _distance(values):
    """The largest difference between entries of two operands, relative to the largest entry of both, and absolute where one
    of them is zero; None where there are more, as with a tolerance."""
    two = [v for v in values if type(v) in (int, float) or (hasattr(v, "shape") and hasattr(v, "dtype"))]
    if len(two) != 2:
        return None
    try:
        sizes = [float(abs(v) if type(v) in (int, float) else abs(v).max()) for v in two]
        apart = float(abs(two[0] - two[1]).max())
    except Exception:  # noqa: BLE001 - operands of other shapes or kinds have no distance
        return None
    return apart / max(sizes) if min(sizes) > 0 else apart


def _joins(text):
    """Whether a text begins with a part of a word or number; a point that ends a sentence is none."""
    return text[:1].isalnum() or text[:1] == "_" or (text[:1] == "." and text[1:2].isdigit())


def describe(value, text):
    """(numbers, relative precision, kind) of a value; None for one that holds no number and no truth value."""
    kinds, numbers, precision = set(), [], [0.0]
    if not _collect(value, text, numbers, precision, kinds, 0) or not kinds:
        return None
    kind = "truth" if kinds == {"truth"} else "number" if kinds == {"number"} else "mixed"
    return [_plain(n) for n in numbers], precision[0], kind


def _plain(number):
    if isinstance(number, int):
        return number if abs(number) < 1 << 62 else float(number)
    if number != number:
        return "nan"
    return ("inf" if number > 0 else "-inf") if number in (float("inf"), float("-inf")) else number


def _collect(value, text, numbers, precision, kinds, depth):
    """Add the numbers of a value; False for something else."""
    if value is None:
        return True
    if type(value) is bool:
        kinds.add("truth")
        return True
    if isinstance(value, (int, float)):
        kinds.add("number")
        if isinstance(value, float):
            precision[0] = max(precision[0], 2.3e-16)
        numbers.append(value)
        return len(numbers) <= COUNT_LIMIT
    if depth < 4 and isinstance(value, (list, tuple, set, dict)):
        parts = [x for pair in value.items() for x in pair] if isinstance(value, dict) else value
        return len(value) <= COUNT_LIMIT and all(
            (type(v) is str and not NUMBER.search(v)) or _collect(v, text, numbers, precision, kinds, depth + 1)
            for v in parts
        )
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    try:
        if torch is not None and isinstance(value, torch.Tensor):
            return _tensor(value, torch, text, numbers, precision, kinds)
        if torch is not None and isinstance(value, torch.dtype):
            return False
        if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
            return _array(value, numpy, text, numbers, precision, kinds)
    except Exception:  # noqa: BLE001 - a value that cannot be taken apart is compared as text
        return False
    return False


def _tensor(value, torch, text, numbers, precision, kinds):
    value = value.detach().cpu()
    if value.dtype == torch.bool:
        kinds.add("truth")
        return True
    if value.is_complex() or value.layout != torch.strided:
        return False
    kinds.add("number")
    if value.is_floating_point():
        precision[0] = max(precision[0], torch.finfo(value.dtype).eps)
    if "..." in text:
        return _elided(value.double() if value.is_floating_point() else value, numbers, _torch_precise)
    found = value.double() if value.is_floating_point() else value
    numbers.extend(found.reshape(-1)[:COUNT_LIMIT].tolist())
    return found.numel() <= COUNT_LIMIT


def _array(value, numpy, text, numbers, precision, kinds):
    if value.dtype == bool:
        kinds.add("truth")
        return True
    if value.dtype.kind not in "iuf":
        return False
    kinds.add("number")
    if value.dtype.kind == "f":
        precision[0] = max(precision[0], float(numpy.finfo(value.dtype).eps))
    if "..." in text:
        return _elided(value, numbers, lambda a: numpy.array2string(a, precision=17, floatmode="unique"))
    numbers.extend(value.reshape(-1)[:COUNT_LIMIT].tolist())
    return value.size <= COUNT_LIMIT


def _torch_precise(value):
    printing = sys.modules["torch._tensor_str"]
    options = dict(vars(printing.PRINT_OPTS))
    try:
        printing.PRINT_OPTS.precision = 15
        return str(value).split("dtype")[0]
    finally:
        for name, old in options.items():
            setattr(printing.PRINT_OPTS, name, old)


def _elided(value, numbers, precise):
    """The numbers of a printed array that leaves some out."""
    numbers.extend(float(n) for n in NUMBER.findall(precise(value)))
    return True


class Rewrite(ast.NodeTransformer):
    """f-strings, `str(x)` and `"...".format(x)` do what they did, and remember the values behind their texts; `allclose`
    remembers by how much it fails."""

    def visit_FormattedValue(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.Constant):
            return node
        spec = node.format_spec or ast.Constant("")
        arguments = [node.value, ast.Constant(node.conversion), spec]
        call = ast.Call(ast.Name("__derivations_format__", ast.Load()), arguments, [])
        return ast.copy_location(ast.FormattedValue(call, -1, None), node)

    def visit_Call(self, node):
        self.generic_visit(node)
        function, plain = node.func, not node.keywords and not any(isinstance(a, ast.Starred) for a in node.args)
        if isinstance(function, ast.Name) and function.id == "str" and len(node.args) == 1 and plain:
            name = ast.copy_location(ast.Name("__derivations_str__", ast.Load()), function)
            return ast.copy_location(ast.Call(name, [function, *node.args], []), node)
        if isinstance(function, ast.Attribute) and function.attr == "allclose":
            name = ast.copy_location(ast.Name("__derivations_close__", ast.Load()), function)
            return ast.copy_location(ast.Call(name, [function, *node.args], node.keywords), node)
        fills = isinstance(function, ast.Attribute) and function.attr == "format"
        if fills and isinstance(function.value, ast.Constant) and isinstance(function.value.value, str):
            name = ast.copy_location(ast.Name("__derivations_fill__", ast.Load()), function)
            return ast.copy_location(ast.Call(name, [function.value, *node.args], node.keywords), node)
        return node
