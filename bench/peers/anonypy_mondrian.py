"""anonypy's Mondrian on one table. Usage: FILE HIERARCHIES QI,QI K RELEASED; prints seconds of processor time of the search.

Numbers are cut as numbers, everything else as categories. Its own output has ranges and sets of values; here every class is
written as the lowest node of each hierarchy that covers its values, so that one measure serves every tool.
"""
import csv, json, sys, time
import anonypy
import pandas as pd

path, hierarchies, quasi, k, released = sys.argv[1], sys.argv[2], sys.argv[3].split(","), int(sys.argv[4]), sys.argv[5]
data = pd.read_csv(path, sep=";")[quasi]
for name in quasi:
    if not pd.api.types.is_numeric_dtype(data[name]):
        data[name] = data[name].astype("category")
start = time.process_time()
# What `Preserver.anonymize_k_anonymity` does before it lists the rows.
parts = anonypy.Preserver(data, quasi, quasi[0]).modrian.partition(k)
seconds = time.process_time() - start

columns = {}
for name in quasi:
    with open(f"{hierarchies}/adult_hierarchy_{name}.csv") as file:
        paths = {row[0]: row for row in csv.reader(file, delimiter=";") if row}
    texts = data[name].astype(str)
    shown = pd.Series("", index=data.index, dtype=object)
    for part in parts:
        rows = [paths[value] for value in texts.loc[part].unique()]
        shown.loc[part] = next(labels[0] for labels in zip(*rows) if len(set(labels)) == 1)
    columns[name] = shown
pd.DataFrame(columns).to_csv(released, sep=";", index=False)
print(json.dumps({"classes": len(parts), "seconds": seconds}))
