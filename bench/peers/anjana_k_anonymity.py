"""anjana's k-anonymity on one table; prints smallest class, loss by our measure and seconds of processor time. Usage: FILE SEPARATOR HIERARCHIES QI,QI K SUPPRESS%

The loss of a value is the share of its hierarchy's leaves under the published label; suppressed records lose everything.
"""
import csv, json, math, sys, time
import pandas as pd
from anjana.anonymity import k_anonymity

path, separator, directory, quasi, k, limit = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4].split(","), int(sys.argv[5]), float(sys.argv[6])
start = time.process_time()
data = pd.read_csv(path, sep=separator, dtype=str)[quasi]
read = time.process_time() - start
hierarchies, leaves = {}, {}
for name in quasi:
    with open(f"{directory}/adult_hierarchy_{name}.csv") as file:
        rows = [row for row in csv.reader(file, delimiter=";") if row]
    hierarchies[name] = {level: [row[level] for row in rows] for level in range(len(rows[0]))}
    counts = {}
    for level in range(len(rows[0])):
        own = {}
        for row in rows:
            own[row[level]] = own.get(row[level], 0) + 1
        for label, count in own.items():
            counts[label] = max(count, counts.get(label, 0))
    leaves[name] = (counts, len(rows))
start = time.process_time()
released = k_anonymity(data.copy(), [], quasi, k, limit, hierarchies)
seconds = time.process_time() - start
suppressed = len(data) - len(released)
losses = []
for name in quasi:
    counts, whole = leaves[name]
    total = sum((counts[label] - 1) / max(whole - 1, 1) * n for label, n in released[name].value_counts().items())
    losses.append((total + suppressed) / len(data))
loss = math.exp(sum(math.log1p(l) for l in losses) / len(losses)) - 1
sizes = released.groupby(quasi, observed=True).size()
print(json.dumps({"k": int(sizes.min()), "classes": len(sizes), "loss": loss, "suppressed": suppressed, "read": read, "seconds": seconds}))
