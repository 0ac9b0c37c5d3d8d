"""Every measure of pycanon on one table; prints its answers and the seconds they took. Usage: FILE SEPARATOR QI,QI SENSITIVE"""
import json, sys, time
import pandas as pd
from pycanon import anonymity

path, separator, quasi, sensitive = sys.argv[1], sys.argv[2], sys.argv[3].split(","), [sys.argv[4]]
start = time.perf_counter()
data = pd.read_csv(path, sep=separator)
read = time.perf_counter() - start
start = time.perf_counter()
alpha, k = anonymity.alpha_k_anonymity(data, quasi, sensitive)
answers = {
    "k": int(anonymity.k_anonymity(data, quasi)),
    "alpha": float(alpha),
    "distinct_l": int(anonymity.l_diversity(data, quasi, sensitive)),
    "entropy_l_int": int(anonymity.entropy_l_diversity(data, quasi, sensitive)),
    "t_equal_distance": float(anonymity.t_closeness(data, quasi, sensitive)),
    "basic_beta": float(anonymity.basic_beta_likeness(data, quasi, sensitive)),
    "delta_ln_present_values_only": float(anonymity.delta_disclosure(data, quasi, sensitive)),
}
anonymity.recursive_c_l_diversity(data, quasi, sensitive)
anonymity.enhanced_beta_likeness(data, quasi, sensitive)
print(json.dumps({"answers": answers, "read": read, "seconds": time.perf_counter() - start}))
