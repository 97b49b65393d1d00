"""pytest --derivations: the claims of documents as tests. Without the flag nothing is collected and nothing is imported."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: "pytest.Parser") -> None:
    """Add `--derivations` and `--derivations-strict`."""
    group = parser.getgroup("derivations", "claims of documents as tests")
    group.addoption(
        "--derivations", action="store_true", help="one test for each claim of .md, .ipynb, .tex … documents"
    )
    group.addoption(
        "--derivations-strict",
        action="store_true",
        help="claims that are undecided or not read fail; they are skipped else",
    )


def pytest_configure(config: "pytest.Config") -> None:
    """With the flag, register what collects documents."""
    config.addinivalue_line("markers", "derivations: a claim of a document (pytest --derivations)")
    if config.getoption("--derivations") or config.getoption("--derivations-strict"):
        from derivations.reports.run.claims_as_tests import Documents

        config.pluginmanager.register(Documents(config), "derivations-documents")
