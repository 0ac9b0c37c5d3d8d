"""A release holds what was proven and nothing of it can be altered; the same policy gives the bytes of the command line."""

from __future__ import annotations

import json
import os
import pathlib
import stat
import subprocess
import tempfile

import pytest
from conftest import EXAMPLES

import denym

BUNDLED = ["hospital", "paths", "baskets", "numbers", "trails"]


def files(bundle: pathlib.Path) -> dict[str, bytes]:
    return {
        path.relative_to(bundle).as_posix(): path.read_bytes() for path in sorted(bundle.rglob("*")) if path.is_file()
    }


@pytest.mark.parametrize("example", BUNDLED)
def test_the_bytes_of_the_command_line(example, command, tmp_path):
    file = EXAMPLES / example / "policy.toml"
    policy = denym.Policy.from_file(file)
    more = ["--perturbation-seed", "1"] if example == "numbers" and "noise" in policy.text else []
    seed = {"perturbation_seed": 1} if more else {}
    subprocess.run(
        [command, "anonymize", str(file), "-o", str(tmp_path / "command"), "--quiet", *more], check=True, timeout=300
    )
    expected = files(tmp_path / "command")
    held = denym.anonymize(policy, **seed)
    assert {place: held.file(place) for place in held.files} == expected
    written = denym.anonymize(policy, output=tmp_path / "written", threads=1, **seed)
    assert files(tmp_path / "written") == expected
    assert written.directory == tmp_path / "written" and held.directory is None
    held.save(tmp_path / "saved")
    assert files(tmp_path / "saved") == expected


def test_the_documents_of_the_command_line(command, tmp_path):
    file = EXAMPLES / "hospital" / "policy.toml"

    def said(*arguments):
        run = subprocess.run([command, *map(str, arguments), "--json"], capture_output=True, check=True, timeout=300)
        return json.loads(run.stdout)

    release = denym.anonymize(file, output=tmp_path / "bundle")
    expected = said("anonymize", file, "-o", tmp_path / "other")
    for volatile in ("seconds", "phases", "bundle"):
        expected.pop(volatile)
    found = json.loads(json.dumps(denym._results.thawed(release.document)))
    assert found.pop("bundle") == str(tmp_path / "bundle")
    assert found == expected
    assert denym.plan(file).to_dict() == said("plan", file)
    assert denym.verify(tmp_path / "bundle").to_dict() == said("verify", tmp_path / "bundle")
    data = EXAMPLES / "hospital" / "patients.csv"
    asked = {"quasi": ["zip", "age"], "sensitive": ["diagnosis"]}
    assert denym.audit(data, **asked).to_dict() == said(
        "audit", data, "--quasi", "zip,age", "--sensitive", "diagnosis"
    )
    profile = denym.profile(data).to_dict()
    profile.pop("draft")
    assert profile == said("profile", data)
    compared = denym.compare(data, tmp_path / "bundle", policy=file).to_dict()
    assert compared == said("compare", data, tmp_path / "bundle", "--policy", file)
    assert denym.attack(tmp_path / "bundle").to_dict() == said("attack", tmp_path / "bundle")
    frontier = denym.explore(file, k=[2, 5]).to_dict()
    for own in ("frontier", "chart"):
        frontier.pop(own)
    assert frontier == said("explore", file, "--k", "2,5")


def test_a_frame_gives_the_release_of_its_file(tmp_path):
    import polars

    policy = denym.Policy.from_file(EXAMPLES / "hospital" / "policy.toml")
    frame = polars.read_csv(EXAMPLES / "hospital" / "patients.csv", infer_schema=False)
    of_frame, of_file = denym.anonymize(policy, frame), denym.anonymize(policy)
    public = [place for place in of_file.files if place.startswith("release/")]
    assert public and all(of_frame.file(place) == of_file.file(place) for place in public)
    elsewhere = denym.anonymize(policy, EXAMPLES / "hospital" / "patients.csv")
    assert elsewhere.file("release/certificate.json") == of_file.file("release/certificate.json")


def test_what_it_holds(people, policy):
    release = denym.anonymize(policy, people)
    claims = {claim.promise: claim for claim in release.claims}
    assert claims["k-anonymity"].holds and claims["k-anonymity"].measured >= 3
    assert claims["l-diversity"].attribute == "disease"
    certificate = release.certificate
    assert [claim["promise"] for claim in certificate["claims"]] == [claim.promise for claim in release.claims]
    assert release.attacks and all(0 <= one["success_rate"] <= 1 for one in release.attacks)
    assert release.algorithm == "full-domain" and 0 <= release.loss <= 1
    assert release.report.startswith("<!") and "Denym" in release.report_external + release.readme
    assert "iframe" in release.report._repr_html_() and "k-anonymity" in release._repr_html_()
    assert set(release.tables) == {name.removeprefix("release/") for name in release.files if name.endswith("table.csv")}
    found = denym.audit(release.data, quasi=["zip", "age"], sensitive="disease")
    assert found.k == claims["k-anonymity"].measured


def test_nothing_of_it_can_be_altered(people, policy):
    release = denym.anonymize(policy, people)
    with pytest.raises(AttributeError):
        release.claims = ()
    with pytest.raises(AttributeError):
        del release.claims
    with pytest.raises(AttributeError):
        release.anything = 1
    with pytest.raises(AttributeError):
        release.claims[0].holds = False
    with pytest.raises(TypeError):
        release.certificate["claims"] = ()
    with pytest.raises(TypeError):
        release.document["claims"][0]["measured"] = 99
    with pytest.raises(TypeError):
        denym._denym.Release()
    with pytest.raises(denym.ArgumentError):
        denym.Release({"claims": []})
    with pytest.raises(AttributeError):
        release.data.columns = []


def test_a_bundle_that_was_changed_does_not_verify(people, policy, tmp_path):
    release = denym.anonymize(policy, people, output=tmp_path / "bundle")
    assert denym.verify(release).verdict == "verified"
    file = tmp_path / "bundle" / "release" / "table.csv"
    file.write_bytes(file.read_bytes().replace(b"flu", b"hiv"))
    found = denym.verify(tmp_path / "bundle")
    assert found.holds is False and found.verdict == "not-verified" and not found


def test_what_rests_on_a_word_is_not_true():
    found = denym.anonymize(EXAMPLES / "hospital" / "policy.toml").verify()
    assert (found.holds, found.verdict, bool(found)) == (None, "attested", False)


def test_permissions_and_what_exists(people, policy, tmp_path):
    release = denym.anonymize(policy, people)
    bundle = release.save(tmp_path / "bundle")
    assert stat.S_IMODE(os.stat(bundle / "steward").st_mode) == 0o700
    assert stat.S_IMODE(os.stat(bundle / "steward" / "report.html").st_mode) == 0o600
    with pytest.raises(denym.FileError) as caught:
        release.save(bundle)
    assert caught.value.code == "output-exists"
    release.save(bundle, force=True)
    (tmp_path / "precious").mkdir()
    with pytest.raises(denym.ArgumentError):
        release.save(tmp_path / "precious", force=True)
    for outside in ("../../etc/passwd", "/etc/passwd", "nothing"):
        with pytest.raises(KeyError):
            release.file(outside)
    with pytest.raises(KeyError):
        denym.anonymize(policy, people, output=tmp_path / "disk").file("../bundle/release/README.md")


def test_a_release_of_a_ledger_must_stay_where_it_is(tmp_path):
    policy = denym.Policy.build(
        attributes={"who": denym.subject(), "age": denym.quasi(interval=[10])}, promises={"k-anonymity": 2}
    )
    people = [{"who": at, "age": 20 + at} for at in range(6)]
    with pytest.raises(denym.ArgumentError, match="output"):
        denym.anonymize(policy, people, ledger=tmp_path / "ledger")
    assert not (tmp_path / "ledger").exists()


def test_a_refusal_says_what_can_be_had_and_leaves_nothing(people, policy, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    tempfile.tempdir = None
    with pytest.raises(denym.RefusedError) as caught:
        denym.anonymize(policy.replace(promise={"k-anonymity": 13}), people, output=tmp_path / "bundle")
    assert caught.value.help and caught.value.code
    assert list(tmp_path.iterdir()) == []
    denym.anonymize(policy, people).verify()
    assert list(tmp_path.iterdir()) == []
