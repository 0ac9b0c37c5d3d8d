"""Types, stubs and catalogues are what the package really has."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import denym
from denym import _denym

HERE = pathlib.Path(__file__).resolve().parents[1]


def run(*arguments):
    found = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, timeout=300, cwd=HERE / "tests")
    assert found.returncode == 0, found.stdout + found.stderr


def test_mypy_is_strictly_content():
    run("mypy", "--strict", "--config-file", str(HERE / "pyproject.toml"), "-p", "denym")


def test_the_stub_is_what_was_compiled():
    run("mypy.stubtest", "denym._denym", "--mypy-config-file", str(HERE / "pyproject.toml"))


def test_catalogues_are_those_of_the_library():
    sys.path.insert(0, str(HERE))
    try:
        import make_catalogues
    finally:
        sys.path.remove(str(HERE))
    written = pathlib.Path(denym.catalogues.__file__).read_text(encoding="utf-8")
    assert written == make_catalogues.module(_denym.catalogue), "run python/make_catalogues.py again"
    assert denym.Promise.K_ANONYMITY == "k-anonymity" and str(denym.Algorithm.FULL_DOMAIN) == "full-domain"


def test_everything_public_has_a_docstring():
    for name in denym.__all__:
        if not name.startswith("__"):
            assert (getattr(denym, name).__doc__ or "").strip(), name
