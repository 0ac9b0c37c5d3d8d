"""Times the core of p_tlkc_privacy (its search for minimal violating sequences) on a file of whole paths.

Usage: p_tlkc_violations.py FILE L K
Prints one JSON document: seconds of the search alone, and violations by length.

The package pins libraries that no longer install, so its one module that matters is loaded by itself. It imports numpy
for continuous sensitive attributes only; there are none here.
"""
import collections
import contextlib
import csv
import importlib.util
import io
import json
import pathlib
import re
import sys
import sysconfig
import time
import types

sys.modules.setdefault("numpy", types.ModuleType("numpy"))
package = pathlib.Path(sysconfig.get_paths()["purelib"]) / "p_tlkc_privacy" / "MVS.py"
spec = importlib.util.spec_from_file_location("MVS", package)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)


def doublet(text):
    place, _, moment = text.rpartition("@")
    if not place:
        place, moment = re.fullmatch(r"(.*?)(\d+)", text).groups()
    return place, int(moment)


def deep():
    """A dictionary of dictionaries whose leaves are empty lists: nothing was computed before."""
    levels = collections.defaultdict(list)
    for _ in range(4):
        inner = levels
        levels = collections.defaultdict(lambda inner=inner: inner.copy())
    return levels


log, traces = {}, []
with open(sys.argv[1], newline="") as file:
    for number, row in enumerate(csv.DictReader(file)):
        trace = [doublet(part) for part in row["path"].split(">") if part]
        log[number] = {"trace": trace, "sensitive": {}}
        traces.append(trace)
length, least = int(sys.argv[2]), int(sys.argv[3])
search = module.MVS(traces, log, [], [], [], dict_safe=deep())
start = time.perf_counter()
with contextlib.redirect_stdout(io.StringIO()):
    found, _ = search.mvs(length, least, 1.0, 0)
seconds = time.perf_counter() - start
by_length = [0] * length
for violation in found:
    by_length[len(violation) - 1] += 1
print(json.dumps({"seconds": seconds, "by_length": by_length}))
