"""The house's vectors on Adult, from frames: every promise as an independent computation has it, and optimal releases."""

from __future__ import annotations

import json
import math

import pytest

import denym


@pytest.fixture
def adult(shared):
    import pandas

    return pandas.read_csv(shared / "data" / "adult" / "adult.csv", sep=";")


def close(found, expected):
    if isinstance(expected, bool) or expected is None or isinstance(expected, int):
        return found == expected
    return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12)


def test_every_promise_on_adult(shared, adult):
    vectors = json.loads((shared / "vectors" / "adult-promises.json").read_text())["vectors"]
    checked = 0
    for vector in vectors:
        found = denym.audit(
            adult,
            quasi=vector["qi"],
            sensitive=list(vector["sensitive"]),
            levels=dict(zip(vector["qi"], vector["levels"])),
            hierarchies=shared / "data" / "adult",
            suppress_below=vector["suppress_classes_below"],
            what_if=False,
        )
        assert found["records"] == vector["rows_kept"], vector["id"]
        for attribute, expected in vector["sensitive"].items():
            measured = found.sensitive[attribute]
            for key, value in expected["reference"].items():
                if key == "recursive_c_infimum_by_l":
                    for l, bound in value.items():
                        assert close(measured[key][l], bound), (vector["id"], attribute, key, l)
                        checked += 1
                elif key in measured and not (key == "t_ordered_emd" and value is None):
                    assert close(measured[key], value), (vector["id"], attribute, key, measured[key], value)
                    checked += 1
    assert checked > 300, checked
