"""Every error has a family, a code, a place and a help; a policy shows all its mistakes."""

from __future__ import annotations

import pickle

import pytest

import denym

FIVE = """
[data]
path = "people.csv"
kind = "tabel"
[attributes]
age = { role = "kwasi" }
[promise]
k-anonymity = -1
[release]
algorithm = "fastest"
format = "stone"
"""


def test_five_mistakes_are_shown_at_once():
    with pytest.raises(denym.PolicyError) as caught:
        denym.Policy(FIVE, file="mine.toml")
    error = caught.value
    assert len(error.mistakes) == 5
    assert isinstance(error, ValueError) and error.code == error.mistakes[0].code
    assert [mistake.location for mistake in error.mistakes] == [f"mine.toml:{line}" for line in (4, 6, 8, 10, 11)]
    assert all(mistake.help for mistake in error.mistakes)
    assert all(word in str(error) for word in ("tabel", "kwasi", "fastest", "stone"))
    again = pickle.loads(pickle.dumps(error))
    assert again.mistakes == error.mistakes and str(again) == str(error)


def test_the_families(people, policy, tmp_path):
    absent = policy.replace(data={"path": "absent.csv"})
    cases = [
        (denym.FileError, lambda: denym.Policy.from_file(tmp_path / "absent.toml")),
        (denym.DataError, lambda: denym.anonymize(absent)),
        (denym.PolicyError, lambda: denym.anonymize(policy, [{"zip": 1, "disease": "flu"}])),
        (denym.ArgumentError, lambda: denym.audit(people, quasi="postcode")),
        (denym.ArgumentError, lambda: denym.audit(people)),
        (denym.ArgumentError, lambda: denym.anonymize(policy, people, threads=0)),
        (denym.ArgumentError, lambda: denym.anonymize(policy, people, time_budget=-1)),
        (denym.ArgumentError, lambda: denym.anonymize(policy, people, language="xx")),
        (denym.ArgumentError, lambda: denym.generate("nonsense")),
        (denym.RefusedError, lambda: denym.anonymize(policy.replace(promise={"k-anonymity": 100}), people)),
        (denym.ArgumentError, lambda: denym.verify(tmp_path / "absent")),
        (denym.BundleError, lambda: denym.verify(tmp_path)),
    ]
    for family, wrong in cases:
        with pytest.raises(denym.DenymError) as caught:
            wrong()
        error = caught.value
        assert isinstance(error, family), (family, type(error), error)
        assert error.code and error.help, error


def test_a_mapping_that_is_no_policy():
    for wrong in ({"data": {"path": object()}}, {1: 2}, {"data": {"path": float("nan")}}):
        with pytest.raises((TypeError, ValueError)):
            denym.Policy.from_dict(wrong)
    endless: dict = {}
    endless["data"] = endless
    with pytest.raises(ValueError):
        denym.Policy.from_dict(endless)


def test_a_policy_goes_round(policy):
    again = denym.Policy.from_dict(policy.to_dict())
    assert again == policy and hash(again) == hash(policy)
    assert denym.Policy.from_toml(policy.to_toml()) == policy
    with pytest.raises(AttributeError):
        policy.text = ""
    with pytest.raises(denym.ArgumentError):
        denym.quasi("zip.csv", interval=[5])
