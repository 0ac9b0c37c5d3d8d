"""Decisions of an access policy are those of the command line."""

from __future__ import annotations

import json
import subprocess

import pytest
from conftest import EXAMPLES

import denym

POLICY = EXAMPLES / "access" / "policy.toml"


def test_the_decisions_of_the_command_line(command):
    arguments = ["--policy", str(POLICY), "--user", "russell", "--purpose", "marketing", "--table", "customer_info"]
    at = "2026-03-02T09:30"
    run = subprocess.run(
        [command, "access", "explain", *arguments, "--at", at, "--json"], capture_output=True, check=True, timeout=60
    )
    expected = json.loads(run.stdout)
    found = denym.access.decide(POLICY, user="russell", purpose="marketing", table="customer_info", at=at)
    assert found.may_state == expected["may_state"] and found["statable"] == tuple(expected["statable"])
    key = ("column", "group", "decision")
    decisions = [tuple(cell[part] for part in key) for cell in found.cells]
    assert decisions == [tuple(cell[part] for part in key) for cell in expected["cells"]]
    assert len(decisions) > 3 and "russell" in found._repr_html_()


def test_what_nobody_can_ask():
    for wrong in ({"user": "nobody", "table": "customer_info"}, {"user": "russell", "table": "absent"}):
        with pytest.raises(denym.AccessError) as caught:
            denym.access.decide(POLICY, purpose="marketing", at="2026-03-02", **wrong)
        assert caught.value.code and caught.value.help
    with pytest.raises(denym.ArgumentError):
        denym.access.decide(POLICY, user="russell", table="customer_info", at="yesterday")
