"""Runs let other threads go on, are stopped by Ctrl-C, tell how they get on, and leave no memory behind."""

from __future__ import annotations

import os
import pathlib
import resource
import signal
import subprocess
import sys
import threading
import time

import pytest

import denym

LONG = """
import denym, pathlib, sys
rows = [{"a": at * 7919 % 1009, "b": at * 104729 % 997, "c": at * 1299709 % 991, "d": at % 5} for at in range(60_000)]
policy = denym.Policy.build(
    attributes={"a": denym.quasi(interval=[5, 25, 125]), "b": denym.quasi(interval=[5, 25, 125]),
                "c": denym.quasi(interval=[5, 25, 125]), "d": denym.sensitive()},
    promises={"k-anonymity": 5},
)
table = denym.Table(rows)
print("ready", flush=True)
denym.anonymize(policy, table, time_budget=120, output=pathlib.Path(sys.argv[1]) / "bundle")
print("finished")
"""


def test_ctrl_c_stops_at_once_and_leaves_nothing(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    run = subprocess.Popen(
        [sys.executable, "-c", LONG, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    assert run.stdout.readline() == "ready\n"
    time.sleep(2)
    run.send_signal(signal.SIGINT)
    start = time.monotonic()
    out, error = run.communicate(timeout=60)
    assert "KeyboardInterrupt" in error and "finished" not in out
    assert time.monotonic() - start < 20
    assert list(pathlib.Path(tmp_path).iterdir()) == []


def test_other_threads_go_on():
    table = denym.generate("hospital", rows=60_000)
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    beside = threading.Thread(target=tick)
    beside.start()
    start = time.monotonic()
    denym.audit(table, quasi=["zip", "age", "sex", "admission"], sensitive="diagnosis")
    took = time.monotonic() - start
    done.set()
    beside.join()
    longest = max((after - before for before, after in zip(ticks, ticks[1:])), default=0)
    assert longest < max(1.0, took / 2), (longest, took)


def test_several_threads_at_once(people, policy):
    expected = denym.anonymize(policy, people).file("release/certificate.json")
    found = []
    workers = [
        threading.Thread(target=lambda: found.append(denym.anonymize(policy, people).file("release/certificate.json")))
        for _ in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [expected] * 4


def test_threads_change_no_byte(people, policy):
    one, three = (denym.anonymize(policy, people, threads=count) for count in (1, 3))
    assert all(one.file(place) == three.file(place) for place in one.files)


def test_progress_is_told_and_may_stop_the_run():
    table = denym.generate("hospital", rows=60_000)
    told = []
    denym.audit(table, quasi=["zip", "age", "admission"], progress=lambda *now: told.append(now))
    assert told and all(len(now) == 4 and isinstance(now[0], str) for now in told)

    class Enough(Exception):
        pass

    def stop(*_):
        raise Enough

    with pytest.raises(Enough):
        denym.audit(table, quasi=["zip", "age", "admission"], progress=stop)


def test_no_leak_over_a_thousand_runs(people, policy):
    def some(runs):
        for _ in range(runs):
            release = denym.anonymize(policy, people, threads=1)
            assert len(release.data.to_dicts()) == 12
            release.data.__arrow_c_stream__()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = some(200)
    after = some(800)
    # Peak memory in kB; each run handles about 200 kB of files.
    assert after - before < 16_000, (before, after)
