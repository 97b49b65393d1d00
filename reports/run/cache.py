"""What was found out about documents that did not change: kept on disk, and proved again by the kernel when it is taken out.

An entry holds for the bytes of every file that was looked at (and for the absence of those that were not there), the
settings, the project file, the versions, and the source of this program. Every theorem is kept as its certificate:
nothing is `proved` before the kernel has replayed it. An entry that is damaged is worth nothing and is said to be.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from derivations.documents.formats.files_looked_at import present
from derivations.documents.model.document import INTERNAL
from derivations.project import project_of

from ..model import Assumption, Counterexample, DocumentReport, Item, Place, Proof, Said, Step, plain
from ..outputs import write_whole
from .session import Checked, versions

FORMAT = "derivations-cache/1"
VARIABLE = "DERIVATIONS_CACHE"
"""The environment variable that names the folder."""
MOST = 4_000
"""Entries that are kept; the oldest go first."""
_ABANDONED = 3600
"""Seconds after which nobody writes a file any more."""
_BY_CLOCK = frozenset({"timeout", INTERNAL})
"""Codes of findings that another run may not have."""


def folder(setting: Path | None = None) -> Path:
    """Where the cache lies: as the environment says, else the project file, else where the platform keeps such things."""
    if named := os.environ.get(VARIABLE):
        return Path(named).expanduser()
    if setting is not None:
        return setting
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
        return base / "derivations" / "Cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "derivations"
    base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "derivations"


class Damaged(ValueError):
    """An entry that must not be used; the message says why."""


class Cache:
    """The entries of one folder. `say` is told what is the matter with it, each thing once."""

    def __init__(self, place: Path, say: Callable[[str], object]) -> None:
        self.place = place
        self._say, self._said = say, set[str]()

    def entry(
        self, path: str | Path, before: Sequence[str | Path], others: Collection[str], settings: Sequence[Any]
    ) -> Entry:
        """The entry of a document with the chapters before it, under these settings."""
        names = [Path(p).as_posix() for p in (*before, path)]
        return Entry(self, names, sorted(others), settings)

    def say(self, message: str) -> None:
        """Tell, once."""
        if message not in self._said:
            self._said.add(message)
            self._say(message)

    def prune(self) -> None:
        """Remove the oldest entries where there are too many, and what a run that was killed left half written."""
        entries = sorted((age, file) for file in self.place.glob("*.json") if (age := _written(file)) is not None)
        for _, file in entries[: max(0, len(entries) - MOST)]:
            file.unlink(missing_ok=True)
        for file in self.place.glob(".*.part"):
            if (_written(file) or time.time()) < time.time() - _ABANDONED:
                file.unlink(missing_ok=True)


def _written(file: Path) -> float | None:
    try:
        return file.stat().st_mtime
    except OSError:  # another run has renamed or removed it
        return None


class Entry:
    """What is kept of one group of documents."""

    def __init__(self, cache: Cache, names: Sequence[str], others: Sequence[str], settings: Sequence[Any]) -> None:
        self.cache = cache
        self.files: Mapping[str, str | None] = {}
        """The files that were looked at, once it is loaded."""
        project = [repr(project_of(name)) for name in names]
        self.settings = _digest([FORMAT, program(), _devices(), list(settings), project])
        self.path = cache.place / f"{_digest([os.getcwd(), names, others])[:40]}.json"

    def load(self) -> Checked | None:
        """What is kept, where it still holds and its theorems replay; None else."""
        try:
            data = self._read()
            if data is None or data["settings"] != self.settings:
                return None
            if any(present(file) != digest for file, digest in data["files"].items()):
                return None
            require_proofs(data)
            documents = [_document(row) for row in data["documents"]]
            self.files = data["files"]
            with suppress(OSError):  # a folder that may be read only
                os.utime(self.path)
            return Checked(documents, data["checks"], data["skipped"])
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            why = str(error) if isinstance(error, Damaged) else f"{type(error).__name__}: {error}"
            self.cache.say(f"{self.path}: damaged entry of the cache, not used: {' '.join(why.split())[:200]}")
            return None

    def _read(self) -> Any:
        try:
            text = self.path.read_text(encoding="utf-8")
        except OSError:  # what is amiss with the folder is said when something is to be kept
            return None
        digest, _, body = text.partition("\n")
        if digest != sha256(body.encode()).hexdigest():
            raise Damaged("its digest is another one")
        return json.loads(body)

    def save(self, checked: Checked, files: Mapping[str, str | None]) -> None:
        """Keep what was found out, unless another run could find out something else."""
        from derivations.kernel import certificate

        if any(item.code in _BY_CLOCK for document in checked.documents for item in document.items):
            return
        certificates = [certificate.write(theorem) for theorem in checked.theorems]
        data = {
            "settings": self.settings,
            "files": dict(files),
            "documents": [{**plain(d), "declarations": [_said(s) for s in d.declarations]} for d in checked.documents],
            "checks": checked.checks,
            "skipped": checked.skipped,
            "theorems": {certificate.digest(c): c for c in certificates},
        }
        body = json.dumps(data, separators=(",", ":"))
        digest = sha256(body.encode()).hexdigest()
        try:
            if not self.cache.place.is_dir():
                self.cache.place.mkdir(parents=True, mode=0o700)
            write_whole(self.path, f"{digest}\n{body}")
            self.cache.prune()
        except OSError as error:
            self.cache.say(
                f"{self.cache.place}: needed a place for the cache, found: {error.strerror or error}; "
                f"{VARIABLE} names another one, --no-cache does without"
            )


def require_proofs(data: Mapping[str, Any]) -> None:
    """Replay every certificate, and see that each item that is kept as proved has one.

    Errors: Damaged.
    """
    from derivations.kernel import certificate
    from derivations.kernel.errors import BadCertificate

    theorems = data["theorems"]
    for item in (item for document in data["documents"] for item in document["items"]):
        if item["status"] == "proved" and item["proof"]["certificate"] not in theorems:
            raise Damaged(f"{item['id']} is proved without a certificate")
    for digest, kept in theorems.items():
        if certificate.digest(kept) != digest:
            raise Damaged(f"the certificate {digest[:12]}… is another one")
        try:
            certificate.read(kept)
        except BadCertificate as error:
            raise Damaged(str(error)) from None


def _document(data: Mapping[str, Any]) -> DocumentReport:
    said = [Said(**{**row, "where": Place(**row["where"])}) for row in data["declarations"]]
    return DocumentReport(data["path"], data["sha256"], data["title"], list(map(_item, data["items"])), said)


def _item(data: Mapping[str, Any]) -> Item:
    found, proof = data["counterexample"], data["proof"]
    parts = {
        "where": Place(**data["where"]),
        "assumptions": [Assumption(**{**a, "where": a["where"] and Place(**a["where"])}) for a in data["assumptions"]],
        "steps": [Step(**row) for row in data["steps"]],
        "proof": proof and Proof(**proof),
        "counterexample": found and Counterexample(**found),
    }
    return Item(**{**data, **parts})


def _said(said: Said) -> dict[str, Any]:
    """A declaration with what a report keeps to itself."""
    return {each.name: plain(getattr(said, each.name)) for each in fields(said)}


@cache
def program() -> str:
    """A digest of the versions and of our own source files (sizes and times): another version, or an edited one, has another."""
    import derivations

    reports, rows = Path(__file__).parent.parent, []
    for root in (Path(derivations.__file__).parent, reports, reports.with_name("numeric")):
        for file in sorted((*root.rglob("*.py"), *root.glob("*.json"))):
            about = file.stat()
            rows.append((file.relative_to(root).as_posix(), about.st_size, about.st_mtime_ns))
    return _digest([derivations.__version__, versions(), rows])


def _devices() -> list[object]:
    """What tells without importing torch whether a CUDA device would be used."""
    return [os.environ.get("CUDA_VISIBLE_DEVICES"), Path("/dev/nvidiactl").exists()]


def _digest(data: Any) -> str:
    return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
