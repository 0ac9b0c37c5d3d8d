"""anonypy's Mondrian on one table; prints smallest class, loss by our measure and seconds of processor time. Usage: FILE SEPARATOR HIERARCHIES QI,QI K

Numbers are cut as numbers, everything else as categories. The loss of a class is that of the lowest node of each
hierarchy that covers all its values, as for our own releases; a class with one value loses nothing.
"""
import csv, json, math, sys, time
import anonypy
import pandas as pd

path, separator, hierarchies, quasi, k = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4].split(","), int(sys.argv[5])
start = time.process_time()
data = pd.read_csv(path, sep=separator)[quasi]
for name in quasi:
    if not pd.api.types.is_numeric_dtype(data[name]):
        data[name] = data[name].astype("category")
read = time.process_time() - start
start = time.process_time()
mondrian = anonypy.Preserver(data, quasi, quasi[0]).modrian
parts = mondrian.partition(k)
seconds = time.process_time() - start


def shares(name):
    """Each value's path of labels, and the leaves under each label of each level."""
    with open(f"{hierarchies}/adult_hierarchy_{name}.csv") as file:
        rows = [row for row in csv.reader(file, delimiter=";") if row]
    levels = [dict() for _ in rows[0]]
    for row in rows:
        for level, label in enumerate(row):
            levels[level][label] = levels[level].get(label, 0) + 1
    return {row[0]: row for row in rows}, levels, len(rows)


losses = []
for name in quasi:
    paths, levels, leaves = shares(name)
    texts = data[name].astype(str)
    total = 0.0
    for part in parts:
        values = set(texts.loc[part])
        level = next(l for l in range(len(levels)) if len({paths[v][l] for v in values}) == 1)
        under = levels[level][paths[next(iter(values))][level]]
        total += len(part) * (under - 1) / max(leaves - 1, 1)
    losses.append(total / len(data))
loss = math.exp(sum(math.log1p(l) for l in losses) / len(losses)) - 1
print(json.dumps({"k": min(len(p) for p in parts), "classes": len(parts), "loss": loss, "read": read, "seconds": seconds}))
