"""Runs the cells of one document, in a process of its own, and says what each statement printed.

Standard library only, started by its path: the interpreter need not have this project. The job is one line of JSON on
standard input; what happens is one line of JSON an event on what was standard output, which is then closed to the code.
"""

import ast
import builtins
import contextlib
import importlib.util
import json
import linecache
import os
import signal
import sys
import time
import traceback
import types
from os.path import dirname, join

OUTPUT_LIMIT = 1 << 20
"""Characters that one cell may print."""
SEGMENT_LIMIT = 5000
"""Pieces of output that one cell may print."""


_LOADED = {}


def _beside(name):
    """A module of this folder; all are loaded before the folder is out of reach."""
    if name in _LOADED:
        return _LOADED[name]
    spec = importlib.util.spec_from_file_location(
        "derivations_" + name, join(dirname(os.path.abspath(__file__)), name + ".py")
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    _LOADED[name] = module
    return module


class TimeUp(BaseException):
    """A cell took longer than it may."""


class TooMuchOutput(BaseException):
    """A cell printed more than it may."""


class Capture:
    """Standard output while a cell runs: pieces of text, each with the line of the statement that printed it."""

    encoding, errors, name, closed, newlines = "utf-8", "replace", "<stdout>", False, None

    def __init__(self, records):
        self.records = records
        self.segments, self.size = [], 0
        self.filename, self.starts, self.line = "", {}, 1

    def begin(self, filename, starts):
        self.segments, self.size, self.filename, self.starts = [], 0, filename, starts
        self.records.pending, self.records.apart = [], []

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.add(text, "stream")
        return len(text)

    def add(self, text, kind):
        if not text:
            return
        text, whole = text[: max(OUTPUT_LIMIT - self.size, 0)], len(text)
        self.size += whole
        line = self.statement()
        last = self.segments[-1] if self.segments else None
        if (
            kind == "stream"
            and last
            and last["kind"] == kind
            and last["line"] == line
            and not last["text"].endswith("\n")
        ):
            taken = [[len(last["text"]) + r[0], *r[1:]] for r in self.records.taken(text)]
            last["text"] += text
            last["values"] += taken
            last["apart"] += self.records.taken_apart()
        else:
            values, apart = self.records.taken(text), self.records.taken_apart()
            self.segments.append({"line": line, "text": text, "kind": kind, "values": values, "apart": apart})
        if self.size > OUTPUT_LIMIT or len(self.segments) > SEGMENT_LIMIT:
            self.segments = self.segments[:SEGMENT_LIMIT]
            raise TooMuchOutput(f"more than {OUTPUT_LIMIT} characters or {SEGMENT_LIMIT} pieces")

    def statement(self):
        """The first line of the statement of the cell that is being executed, the innermost one."""
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == self.filename and frame.f_code.co_name != "<lambda>":
                return self.starts.get(frame.f_lineno, frame.f_lineno)
            frame = frame.f_back
        return self.line

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        pass

    def isatty(self):
        return False

    def writable(self):
        return True

    def readable(self):
        return False

    def fileno(self):
        raise OSError("the output of a document has no file descriptor")


class Runner:
    """The state of one run: the module that the cells share, their captured output, and the clock."""

    def __init__(self, job, send):
        self.job, self.send = job, send
        values = _beside("values")
        self.records = values.Records()
        self.capture = Capture(self.records)
        self.rewrite = values.Rewrite
        self.stand_ins = _beside("stand_ins")
        self.module = types.ModuleType("__main__")
        self.flags = 0
        self.disturbing = job.get("disturb", {}).get("from")
        """The cell from which on random numbers are disturbed; None for all."""
        self.names = self.module.__dict__
        self.names["__builtins__"] = builtins

    def prepare(self):
        sys.modules["__main__"] = self.module
        sys.argv = ["document"]
        sys.stdin = open(os.devnull)  # noqa: SIM115 - open as long as the process lives
        sys.stdout, sys.stderr = self.capture, open(os.devnull, "w")  # noqa: SIM115
        sys.setrecursionlimit(3000)
        self.real_print, self.real_display = builtins.print, self.display
        builtins.print = self.print
        builtins.input = self.no_input
        builtins.display = self.show
        builtins.__derivations_format__ = self.records.formatted
        builtins.__derivations_str__ = self.records.as_text
        builtins.__derivations_fill__ = self.records.filled
        builtins.__derivations_close__ = self.records.compared
        self.stand_ins.install(self)
        builtins.get_ipython = self.stand_ins.shell
        if self.job.get("local"):
            sys.path.append(self.job["local"])
        for name in self.job.get("preload", []):
            with contextlib.suppress(Exception):  # the cell that imports it reports it
                __import__(name)
        if self.job.get("disturb"):
            _beside("disturb").install({"clock": self.job["disturb"].get("clock", 1)})
        if self.disturbing is None:
            self.disturb()
        signal.signal(signal.SIGALRM, self.alarm)

    def print(self, *values, sep=" ", end="\n", file=None, flush=False):
        """As the built-in, but each value is remembered with the text that it was printed as."""
        if (file is not None and file is not self.capture) or sys.stdout is not self.capture:
            return self.real_print(*values, sep=sep, end=end, file=file, flush=flush)
        sep, end = " " if sep is None else sep, "\n" if end is None else end
        if not isinstance(sep, str) or not isinstance(end, str):
            raise TypeError("sep and end must be None or a string")
        texts = [v if type(v) is str else self.records.text(v, str) for v in values]
        self.capture.write(sep.join(texts) + end)
        return None

    def no_input(self, prompt=""):
        raise EOFError("input() has no answer: standard input is closed")

    def show(self, *values, **_):
        for value in values:
            self.display(value, "display")

    def display(self, value, kind="result"):
        if value is None or self.stand_ins.is_stand_in(value):
            return
        self.names["_"] = value
        self.capture.add(self.records.text(value, repr) + "\n", kind)

    def alarm(self, *_):
        raise TimeUp("more than {:g} seconds".format(self.job["seconds"]))

    @contextlib.contextmanager
    def limited(self):
        """The time of a cell, for something else."""
        signal.setitimer(signal.ITIMER_REAL, self.job["seconds"], 0.5)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def disturb(self):
        """From here on seeds are others, and so are the random numbers."""
        _beside("disturb").install({"seeds": self.job.get("disturb", {}).get("seeds", 0)}, self.disturbing is not None)

    def cell(self, cell):
        """Run one cell; returns what it printed, which of its assertions held, and the error that stopped it."""
        filename, source = "<cell {}>".format(cell["id"]), cell["source"]
        linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
        passed, errors = [], []
        if self.disturbing is not None and cell["id"] == self.disturbing:
            self.disturb()
        self.capture.begin(filename, {})
        signal.setitimer(signal.ITIMER_REAL, self.job["seconds"], 0.5)
        try:
            tree = ast.parse(source, filename)
            self.capture.starts = _starts(tree)
            tree = self.rewrite().visit(tree)
            ast.fix_missing_locations(tree)
            self.statements(tree, source, filename, passed, errors)
        except BaseException as error:  # noqa: BLE001 - whatever a document raises is reported, and the rest is run
            errors.append(self.describe(error, filename))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            sys.stdout = self.capture
        return {"segments": [] if cell.get("silent") else self.capture.segments, "passed": passed, "errors": errors}

    def statements(self, tree, source, filename, passed, errors):
        shown = self.shown(tree, source)
        for statement in _as_program(tree.body):
            self.capture.line = statement.lineno
            self.records.taken_apart()  # what an earlier statement compared is not what this one prints
            result = isinstance(statement, ast.Expr) and statement in shown
            part = ast.Expression(statement.value) if result else ast.Module([statement], [])
            code = compile(part, filename, "eval" if result else "exec", self.flags, True)
            self.flags |= code.co_flags & _FUTURE
            try:
                value = eval(code, self.names)
            except ImportError as error:
                if not isinstance(statement, (ast.Import, ast.ImportFrom)):
                    raise
                errors.append(self.describe(error, filename))
                continue
            if isinstance(statement, ast.Assert) or _asserts(statement):
                passed.append(statement.lineno)
            if result:
                self.display(value)

    def shown(self, tree, source):
        """The statements whose values are displayed: the last one unless a semicolon ends it, or all of them."""
        mode = self.stand_ins.interactivity()
        found = [s for s in tree.body if isinstance(s, ast.Expr)]
        if mode == "all":
            return found
        last = tree.body[-1] if tree.body else None
        if mode == "none" or last is None or not isinstance(last, ast.Expr):
            return []
        lines = source.split("\n")[last.end_lineno - 1 :]
        rest = lines[0].encode("utf-8")[last.end_col_offset :].decode("utf-8", "replace").strip()
        return [] if rest.startswith(";") else [last]

    def describe(self, error, filename):
        """The kind of an error, its message, and the line of the cell where it came up."""
        line = None
        if isinstance(error, SyntaxError) and error.filename == filename:
            line = error.lineno
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.filename == filename:
                line = frame.lineno
        try:
            message = str(error)
        except BaseException:  # noqa: BLE001 - a message that cannot be made
            message = ""
        kind = type(error).__name__
        name = getattr(error, "name", None) if isinstance(error, ImportError) else None
        return {"kind": kind, "message": message[:400], "line": line or self.capture.line, "module": name}


_FUTURE = 0
for _name in __import__("__future__").all_feature_names:
    _FUTURE |= getattr(__import__("__future__"), _name).compiler_flag


_IS_RUN = ("__name__ == '__main__'", "'__main__' == __name__")


def _as_program(body):
    """The statements of a file that is run, also those under ``if __name__ == "__main__"``.

    As in ``documents.formats.python_code``, which a process that runs a document does not load.
    """
    for statement in body:
        if isinstance(statement, ast.If) and ast.unparse(statement.test) in _IS_RUN:
            yield from _as_program(statement.body)
        else:
            yield statement


def _starts(tree):
    """The first line of the innermost statement around each line."""
    found = {}
    for node in ast.walk(tree):  # outer statements come first
        if isinstance(node, ast.stmt):
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                found[line] = node.lineno
    return found


def _asserts(statement):
    """A call of a library's assertion: ``np.testing.assert_allclose(a, b)``."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    name = getattr(getattr(call, "func", None), "attr", "") or getattr(getattr(call, "func", None), "id", "")
    return isinstance(call, ast.Call) and name.startswith("assert")


def main():
    private = os.dup(1)
    job = json.loads(sys.stdin.buffer.readline().decode("utf-8"))
    quiet = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(quiet, number)
    clock, finish = time.monotonic, os._exit

    def send(event):
        data = (json.dumps(event) + "\n").encode("utf-8", "replace")
        while data:
            data = data[os.write(private, data) :]

    _beside("confine").end_with(job["parent"])
    os.chdir(job["folder"])
    for name in ("values", "stand_ins", "disturb", "replaying"):
        _beside(name)
    held, failed = _beside("confine").confine(job["folder"], job["memory"], job["cpu"], job["readable"])
    send({"event": "confined", "held": held, "failed": failed})
    if (job["strict"] and not all(held.values())) or not job["cells"]:
        finish(0)
    try:
        runner = Runner(job, send)
        runner.prepare()
    except BaseException as error:  # noqa: BLE001 - said to the parent, which reports it
        send({"event": "broken", "reason": f"{type(error).__name__}: {error}"})
        finish(1)
    for cell in job["cells"]:
        send({"event": "start", "cell": cell["id"]})
        started = clock()
        try:
            found = runner.cell(cell)
        except BaseException as error:  # noqa: BLE001 - an alarm between two statements of ours
            found = {"segments": [], "passed": [], "errors": [runner.describe(error, "")]}
        send({"event": "cell", "cell": cell["id"], "seconds": round(clock() - started, 3), **found})
    replays = job.get("replays") or []
    if replays:
        send({"event": "replays", "found": _beside("replaying").replay(runner, replays)})
    send({"event": "end"})
    finish(0)


if __name__ == "__main__":
    main()
