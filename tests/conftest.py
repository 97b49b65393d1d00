"""For all tests: a cache of their own, so that no result comes from an earlier run."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("cache")
    before = os.environ.get("DERIVATIONS_CACHE")
    os.environ["DERIVATIONS_CACHE"] = str(place)
    yield place
    if before is None:
        del os.environ["DERIVATIONS_CACHE"]
    else:
        os.environ["DERIVATIONS_CACHE"] = before
