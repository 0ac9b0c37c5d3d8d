"""anjana's k-anonymity on one table. Usage: FILE HIERARCHIES QI,QI K RELEASED SUPPRESS%; prints seconds of processor time of the search."""
import csv, json, sys, time
import pandas as pd
from anjana.anonymity import k_anonymity

path, directory, quasi, k, released, limit = sys.argv[1], sys.argv[2], sys.argv[3].split(","), int(sys.argv[4]), sys.argv[5], float(sys.argv[6])
data = pd.read_csv(path, sep=";", dtype=str)[quasi]
hierarchies = {}
for name in quasi:
    with open(f"{directory}/adult_hierarchy_{name}.csv") as file:
        rows = [row for row in csv.reader(file, delimiter=";") if row]
    hierarchies[name] = {level: [row[level] for row in rows] for level in range(len(rows[0]))}
start = time.process_time()
found = k_anonymity(data.copy(), [], quasi, k, limit, hierarchies)
seconds = time.process_time() - start
found[quasi].to_csv(released, sep=";", index=False)
print(json.dumps({"seconds": seconds}))
