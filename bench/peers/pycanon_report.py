"""Every measure of pycanon on one table; prints its answers and the seconds each took.

Usage: FILE SEPARATOR QI,QI SENSITIVE [HIERARCHIES QI=LEVEL,QI=LEVEL]
"""
import csv, glob, json, sys, time
import pandas as pd
from pycanon import anonymity

path, separator, quasi, sensitive = sys.argv[1], sys.argv[2], sys.argv[3].split(","), [sys.argv[4]]
start = time.perf_counter()
data = pd.read_csv(path, sep=separator)
read = time.perf_counter() - start
if len(sys.argv) > 5:
    for pair in sys.argv[6].split(","):
        name, level = pair.split("=")
        file = glob.glob(f"{sys.argv[5]}/*hierarchy_{name}.csv")[0]
        with open(file, newline="") as rows:
            up = {row[0]: row[int(level)] for row in csv.reader(rows, delimiter=";")}
        data[name] = data[name].astype(str).map(up)

measures = {
    "k": lambda: int(anonymity.k_anonymity(data, quasi)),
    "alpha": lambda: float(anonymity.alpha_k_anonymity(data, quasi, sensitive)[0]),
    "distinct_l": lambda: int(anonymity.l_diversity(data, quasi, sensitive)),
    "entropy_l_int": lambda: int(anonymity.entropy_l_diversity(data, quasi, sensitive)),
    "recursive_c_l": lambda: [float(x) for x in anonymity.recursive_c_l_diversity(data, quasi, sensitive)],
    "t_closeness": lambda: float(anonymity.t_closeness(data, quasi, sensitive)),
    "basic_beta": lambda: float(anonymity.basic_beta_likeness(data, quasi, sensitive)),
    "enhanced_beta": lambda: float(anonymity.enhanced_beta_likeness(data, quasi, sensitive)),
    "delta_ln_present_values_only": lambda: float(anonymity.delta_disclosure(data, quasi, sensitive)),
}
answers, taken = {}, {}
for name, measure in measures.items():
    start = time.perf_counter()
    answers[name] = measure()
    taken[name] = time.perf_counter() - start
# Python prints NaN and Infinity, which are not JSON.
text = json.dumps({"answers": answers, "read": read, "taken": taken, "seconds": sum(taken.values())})
print(text.replace("NaN", "null").replace("-Infinity", "null").replace("Infinity", "null"))
