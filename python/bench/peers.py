"""denym beside pycanon and anjana, from a frame in memory: equal answers first, then times.

    python peers.py DATA [TIMES]

DATA is the directory of Adult and its hierarchies, TIMES how often Adult is repeated for the report (33 when not given). pycanon takes
minutes on so much.
"""

from __future__ import annotations

import contextlib
import io
import math
import pathlib
import sys
import time

import anjana.anonymity
import pandas
import pycanon.anonymity
import pycanon.report

import denym
from denym.compat.anjana import anonymity as ours_anjana
from denym.compat.pycanon import report as ours_report

QUASI = ["sex", "age", "race", "education"]
SENSITIVE = "salary-class"
NINE = {
    "k_anonymity": {},
    "alpha_k_anonymity": {"alpha": 0.8},
    "l_diversity": {"l_div": 2},
    "entropy_l_diversity": {"l_div": 1},
    "recursive_c_l_diversity": {"c": 2, "l_div": 2},
    "basic_beta_likeness": {"beta": 2},
    "enhanced_beta_likeness": {"beta": 2},
    "t_closeness": {"t": 0.5},
    "delta_disclosure": {"delta": 3},
}
NAMES = ["k", "alpha and k", "l", "entropy l", "c and l", "basic beta", "enhanced beta", "delta", "t"]
# The answers that pycanon does not compute as published; denym.compat.pycanon says how they differ.
DIFFERS = {"entropy l", "c and l", "enhanced beta"}


def timed(work):
    """What comes of it, and the seconds it took; what it prints is not shown."""
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        found = work()
    return found, time.perf_counter() - start


def line(what, theirs, ours, note=""):
    print(f"{what:44} {theirs:10.3f} s {ours:10.4f} s {theirs / ours:8.0f}x  {note}", flush=True)


def loss(frame, hierarchies, rows):
    """The mean share of the values that a published value may stand for; a suppressed record has lost everything."""
    lost = 0.0
    for name in QUASI:
        levels = hierarchies[name]
        leaves = len(levels[0])
        stands_for = {}
        for level in levels:
            counts = pandas.Series(levels[level]).astype(str).value_counts()
            for value, count in counts.items():
                stands_for.setdefault(str(value), (count - 1) / (leaves - 1))
        lost += frame[name].astype(str).map(stands_for).sum() + (rows - len(frame))
    return lost / (len(QUASI) * rows)


def full_report(adult, times):
    frame = pandas.concat([adult] * times, ignore_index=True)[[*QUASI, SENSITIVE]]
    ours, mine = timed(lambda: ours_report.get_report_values(frame, QUASI, [SENSITIVE]))
    theirs, other = timed(lambda: pycanon.report.get_report_values(frame, QUASI, [SENSITIVE]))
    for name, one, two in zip(NAMES, ours, theirs):
        same = all(math.isclose(a, b, rel_tol=1e-9) for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (one, two))))
        if not same and name not in DIFFERS:
            sys.exit(f"{name}: {one} is not {two}")
    line(f"full report, {len(frame)} records", other, mine, "equal but for " + ", ".join(sorted(DIFFERS)))


def anonymizations(adult, hierarchies):
    frame = adult[[*QUASI, SENSITIVE]].copy()
    frame["age"] = frame["age"].astype(str)
    for name, bounds in NINE.items():
        sensitive = () if name == "k_anonymity" else (SENSITIVE,)
        arguments = {"k": 10, "supp_level": 5, **bounds}

        def call(module, known):
            return getattr(module, name)(frame.copy(), [], QUASI, *sensitive, hierarchies=known, **arguments)

        copies = [{key: dict(levels) for key, levels in hierarchies.items()} for _ in range(2)]
        ours, mine = timed(lambda: call(ours_anjana, copies[0]))
        theirs = None
        try:
            theirs, other = timed(lambda: call(anjana.anonymity, copies[1]))
        except Exception as error:
            print(f"{name:44} anjana fails: {type(error).__name__}; ours {mine:.4f} s", flush=True)
        if theirs is None:
            continue
        if len(ours) == 0 or len(theirs) == 0:
            line(name, other, mine, f"no release: ours {len(ours) == 0}, theirs {len(theirs) == 0}")
            continue
        k = [denym.audit(side[QUASI], quasi=QUASI).k for side in (ours, theirs)]
        if k[0] < 10:
            sys.exit(f"{name}: k is {k[0]}")
        lost = [loss(side, hierarchies, len(frame)) for side in (ours, theirs)]
        line(name, other, mine, f"k {k[0]} and {k[1]}, loss {lost[0]:.4f} and {lost[1]:.4f}")


def main():
    data = pathlib.Path(sys.argv[1])
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 33
    adult = pandas.read_csv(data / "adult.csv", sep=";")
    hierarchies = {}
    for name in QUASI:
        rows = pandas.read_csv(data / f"adult_hierarchy_{name}.csv", sep=";", header=None, dtype=str)
        hierarchies[name] = {level: rows[level].values for level in rows.columns}
    print(f"{'what':44} {'peer':>12} {'denym':>12} {'ratio':>9}")
    anonymizations(adult, hierarchies)
    full_report(adult, times)


if __name__ == "__main__":
    main()
