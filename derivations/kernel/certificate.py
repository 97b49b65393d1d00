"""Certificates: a theorem's statement, definitions and proof as JSON, replayed from the file alone.

The format is written down in `docs/certificates.md`.  Terms are stored once, in a table; everything else refers to them
by number.  Reading is strict: what is not in the format is refused before any of it is looked at by a rule.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NoReturn

from derivations.kernel import certificate_reader as reading
from derivations.kernel.certificate_writer import Writer, assumption_rows, text_of
from derivations.kernel.errors import BadCertificate, KernelError
from derivations.kernel.finiteness import extended_symbols
from derivations.kernel.replay import replay
from derivations.kernel.theorem import Theorem
from derivations.language.statement import Definition, Theory
from derivations.language.term import TermError, write_name
from derivations.language.text import write_definition as write_definition_text
from derivations.language.text import write_statement, write_tensor

FORMAT = "derivations-certificate/2"
MAX_BYTES = 16_000_000
"""Longest certificate that is read."""
MAX_DIGITS = 4_000
"""Digits of a whole number in JSON."""
MAX_TOLD = 2_000
"""Characters of a refusal."""

KEYS = ("format", "text", "statement", "tensors", "definitions", "extended", "assumptions", "proof", "terms")


class NotJson(BadCertificate):
    """Bytes that are not JSON, or not JSON of the kind that certificates are written in."""


def write(theorem: Theorem) -> dict[str, Any]:
    """The certificate of a theorem.

    Errors: BadCertificate for names that no certificate may have.
    """
    w = Writer()
    body = {
        "format": FORMAT,
        "text": write_statement(theorem.statement),
        "statement": w.statement(theorem.statement),
        "tensors": [w.tensor(t) for t in theorem.theory.tensors.values()],
        "definitions": [w.definition(d) for ds in theorem.theory.definitions.values() for d in ds],
        "extended": sorted(extended_symbols(theorem.theory)),
        "assumptions": [{**w.assumption(row), "text": text_of(row)} for row in assumption_rows(theorem)],
        "proof": w.proof(theorem.proof),
    }
    body["terms"] = w.rows
    return body


def describe(theorem: Theorem) -> str:
    """What a theorem says in exact words: its statement, and on lines of their own all that it rests on."""
    lines = [write_statement(theorem.statement)]
    for t in theorem.theory.tensors.values():
        named = write_tensor(t.name, t.shape)
        lines.append(f"  given {named}" if t.constant is None else f"  {named} is the number {t.constant}")
    for d in (d for ds in theorem.theory.definitions.values() for d in ds):
        lines.append(f"  defined {write_definition_text(d)}")
    for name in sorted(extended_symbols(theorem.theory)):
        lines.append(f"  the entries of {write_name(name, exact=True)} may be -oo")
    lines += [f"  assuming {text_of(row)} ({row.origin})" for row in assumption_rows(theorem)]
    return "\n".join(lines)


def write_definition(definition: Definition, theory: Theory) -> dict[str, Any]:
    """A definition and the theory that it stands in, as data; nothing is proved by it."""
    w = Writer()
    body = {
        "tensors": [w.tensor(t) for t in theory.tensors.values()],
        "definitions": [w.definition(d) for ds in theory.definitions.values() for d in ds],
        "definition": w.definition(definition),
    }
    return {**body, "terms": w.rows}


def read_definition(data: Mapping[str, Any]) -> tuple[Definition, Theory]:
    """What `write_definition` wrote."""
    r = reading.Reader(data["terms"])
    return r.definition(data["definition"]), r.theory(data["tensors"], data["definitions"])


def digest(certificate: Mapping[str, Any]) -> str:
    """The sha256 of the certificate's canonical JSON."""
    text = json.dumps(certificate, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def loads(data: bytes) -> Any:
    """The JSON of a certificate: without repeated keys, fractions, NaN and numbers beyond all bounds.

    Errors: NotJson.
    """
    if len(data) > MAX_BYTES:
        raise NotJson(f"needed at most {MAX_BYTES} bytes, found more")
    try:
        return json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_object,
            parse_int=_whole,
            parse_float=_no_number,
            parse_constant=_no_number,
        )
    except BadCertificate:
        raise
    except RecursionError:
        raise NotJson("needed brackets that are not nested this deep") from None
    except ValueError as error:  # of the decoding and of the JSON
        raise NotJson(f"needed JSON in UTF-8, found: {_short(str(error))}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [k for k, _ in pairs]
        twice = next(k for k in names if names.count(k) > 1)
        raise NotJson(f"needed different keys in an object, found {_short(repr(twice))} twice")
    return found


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise NotJson(f"needed whole numbers of at most {MAX_DIGITS} digits, found {len(digits)}")
    return int(digits)


def _no_number(text: str) -> NoReturn:
    raise NotJson(f"needed whole numbers, found {_short(text)}")


def _short(text: str) -> str:
    return text if len(text) <= MAX_TOLD else f"{text[:MAX_TOLD]}… ({len(text)} characters)"


def read(certificate: Any) -> Theorem:
    """Replay a certificate.

    Errors: BadCertificate when it is not in the format, or does not prove what it says.
    """
    try:
        return _read(certificate)
    except BadCertificate as error:
        raise BadCertificate(_short(str(error))) from None
    except (KernelError, TermError) as error:
        raise BadCertificate(f"the certificate does not replay: {_short(str(error))}") from error
    except RecursionError:
        raise BadCertificate("the certificate does not replay: it is nested too deep") from None
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        what = f"{type(error).__name__}: {error}"
        raise BadCertificate(f"the certificate does not replay: {_short(what)}") from error


def _read(certificate: Any) -> Theorem:
    if not isinstance(certificate, dict) or "format" not in certificate:
        raise BadCertificate("needed a certificate, found JSON of another kind")
    if certificate["format"] != FORMAT:
        found = certificate["format"]
        raise BadCertificate(f"needed format {FORMAT!r}, found {found!r}; prove the statement again for a new one")
    parts = reading.an_object(certificate, KEYS, "a certificate")
    r = reading.Reader(parts["terms"])
    statement = r.statement(parts["statement"], "statement", nested=True)
    text = write_statement(statement)
    if parts["text"] != text:
        raise BadCertificate(f"the certificate proves {text}, not {parts['text']}")
    theory = r.theory(parts["tensors"], parts["definitions"])
    if parts["extended"] != sorted(extended_symbols(theory)):
        raise BadCertificate("the certificate lists other symbols whose entries may be -oo than its definitions have")
    recorded = [r.assumption(row, k) for k, row in enumerate(reading.a_list(parts["assumptions"], "the assumptions"))]
    theorem = replay(theory, statement, r.proof(parts["proof"]))
    rows = assumption_rows(theorem)
    if [row.normal() for row in rows] != [row.normal() for row, _ in recorded]:
        raise BadCertificate("the certificate lists other assumptions than its proof has")
    for row, (_, said) in zip(rows, recorded, strict=True):
        if text_of(row) != said:
            raise BadCertificate(f"the certificate assumes {text_of(row)}, not {said}")
    return theorem
