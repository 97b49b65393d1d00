"""Stand-ins for what shows pictures or progress, and for the notebook's own front end. Standard library only.

Plotting changes no value that a document prints, so a module that is not installed (or would open a window) may be
replaced by one whose every call gives an empty object. Nothing else is replaced: a missing library stays missing.
"""

import importlib.machinery
import importlib.util
import sys
import types

PLOTTING = (
    "matplotlib",
    "seaborn",
    "plotly",
    "mpl_toolkits",
    "bokeh",
    "altair",
    "graphviz",
    "torchviz",
    "bertviz",
    "ipywidgets",
)
PROGRESS = ("tqdm",)
FRONT_END = ("IPython",)


class StandIn:
    """Answers every call and every attribute with an empty object."""

    def __init__(self, name=""):
        self.__dict__["_name"] = name

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return StandIn(name)

    def __setattr__(self, name, value):
        pass

    def __call__(self, *arguments, **named):
        if self._name == "subplots":
            return StandIn("figure"), _grid(*arguments, **named)
        if self._name in ("hist", "hist2d"):
            return StandIn(), StandIn(), StandIn()
        # as a decorator it leaves the function as it is
        if len(arguments) == 1 and not named and isinstance(arguments[0], types.FunctionType):
            return arguments[0]
        return StandIn()

    def __getitem__(self, key):
        return StandIn()

    def __setitem__(self, key, value):
        pass

    def __iter__(self):
        return iter((StandIn(),))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def _grid(rows=1, columns=1, **named):
    rows, columns = named.get("nrows", rows), named.get("ncols", columns)
    if rows == columns == 1:
        return StandIn("axes")
    return _Grid(rows, columns)


class _Grid(StandIn):
    def __init__(self, rows, columns):
        super().__init__("axes")
        self.__dict__["_size"] = (rows, columns)

    def __iter__(self):
        rows, columns = self._size
        if rows == 1 or columns == 1:
            return iter([StandIn("axes") for _ in range(rows * columns)])
        return iter([_Grid(1, columns) for _ in range(rows)])

    def flatten(self):
        return [StandIn("axes") for _ in range(self._size[0] * self._size[1])]

    ravel = flatten

    @property
    def flat(self):
        return self.flatten()


def is_stand_in(value):
    if isinstance(value, (list, tuple)) and value and len(value) < 20:
        return all(is_stand_in(v) for v in value)
    return isinstance(value, StandIn)


class _Module(types.ModuleType):
    """A module whose every name is an empty object."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn(name)


class Finder:
    """Makes a stand-in for a module of the table that is not installed."""

    def __init__(self, used, show):
        self.used, self.show = used, show

    def find_spec(self, fullname, path=None, target=None):
        head = fullname.partition(".")[0]
        if head in PLOTTING or head in PROGRESS or head in FRONT_END:
            self.used.add(head)
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        module = _Module(spec.name)
        head = spec.name.partition(".")[0]
        if head in PROGRESS:
            module.tqdm = module.trange = module.notebook = module.auto = _Progress
            module.trange = lambda *numbers, **_: range(*numbers)
        if spec.name == "IPython.core.interactiveshell":
            module.InteractiveShell = InteractiveShell
        if spec.name == "IPython.display":
            module.display = self.show
        if spec.name == "IPython":
            module.get_ipython = shell
        return module

    def exec_module(self, module):
        pass


class _Progress:
    """A progress bar without the bar."""

    def __init__(self, items=(), *_, **__):
        self.items = items

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __getattr__(self, name):
        return StandIn(name)


class InteractiveShell:
    """The one setting of the front end that changes what a cell prints."""

    ast_node_interactivity = "last_expr"


class _Shell(StandIn):
    """What `get_ipython()` gives: magics do nothing."""

    def run_line_magic(self, *_):
        return None

    run_cell_magic = magic = system = getoutput = run_line_magic


def shell():
    return _Shell("shell")


def interactivity():
    """Which statements display their values."""
    real = sys.modules.get("IPython.core.interactiveshell")
    found = getattr(getattr(real, "InteractiveShell", None), "ast_node_interactivity", "last_expr")
    if isinstance(found, str):
        return found
    return "last_expr"


def install(runner):
    """Last of the finders, so that an installed module is the one that is used."""
    runner.used = set()
    sys.meta_path.append(Finder(runner.used, runner.show))
