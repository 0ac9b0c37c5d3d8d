"""What every test shares: the house's data, the command beside the package, and skips that are counted."""

from __future__ import annotations

import os
import pathlib
import shutil

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("DENYM_SHARED") or ROOT.parent / "shared")
EXAMPLES = ROOT / "examples"


def _skips_are_failures() -> bool:
    return os.environ.get("DENYM_NO_SKIPS", "") not in ("", "0")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A skip is a line of the file that `make test` counts; where nothing may be skipped it is a failure."""
    outcome = yield
    report = outcome.get_result()
    if not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    reason = reason.removeprefix("Skipped: ")
    if _skips_are_failures():
        report.outcome = "failed"
        report.longrepr = f"{reason}: this test would be skipped, and DENYM_NO_SKIPS forbids it"
    elif os.environ.get("DENYM_SKIPPED"):
        with open(os.environ["DENYM_SKIPPED"], "a", encoding="utf-8") as file:
            file.write(f"{reason}\tpython {item.nodeid}\n")


@pytest.fixture
def shared() -> pathlib.Path:
    """The house's shared data."""
    if not (SHARED / "data").is_dir():
        pytest.skip("no ../shared/data")
    return SHARED


@pytest.fixture
def command() -> str:
    """The command of the same checkout."""
    found = os.environ.get("DENYM_COMMAND") or shutil.which("denym")
    if not found or not pathlib.Path(found).is_file():
        pytest.skip("no denym command")
    return found


@pytest.fixture
def people() -> list[dict]:
    """Twelve invented people."""
    ills = ["flu", "hiv", "cold"]
    return [{"zip": f"{1 + at // 6}", "age": 20 + at, "disease": ills[at % 3]} for at in range(12)]


@pytest.fixture
def policy():
    """A policy for `people`."""
    import denym

    return denym.Policy.build(
        attributes={
            "zip": denym.quasi(),
            "age": denym.quasi(interval=[5, 20]),
            "disease": denym.sensitive(),
        },
        promises={"k-anonymity": 3, "l-diversity": 2},
        algorithm="full-domain",
    )
