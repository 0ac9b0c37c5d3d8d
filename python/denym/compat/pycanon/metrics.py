"""The figures of ``pycanon.metrics``."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, Any

from denym._verbs import compare
from denym.compat.pycanon._measured import check, listed, measured, sizes

if TYPE_CHECKING:
    import pandas

__all__ = [
    "average_ecsize",
    "average_rir",
    "classification_metric",
    "discernability_metric",
    "max_rir",
    "sa_entropy",
    "sizes_ec",
    "stats_quasi_ident",
]


def average_ecsize(data_raw: pandas.DataFrame, data_anon: pandas.DataFrame, quasi_ident: Any, sup: bool = True) -> float:
    """The average size of an equivalence class, in multiples of k."""
    found = sizes(data_anon, quasi_ident)
    return len(data_anon if sup else data_raw) / (len(found) * min(found))


def classification_metric(
    data_raw: pandas.DataFrame, data_anon: pandas.DataFrame, quasi_ident: Any, sens_att: Any
) -> float:
    """The share of records that are suppressed or not of their class's majority.

    pycanon takes every value that is as frequent as the most frequent one for the majority, so that a class of many different values
    costs nothing. Here one value is the majority, as in the definition (Iyengar, 2002). Of several attributes the costs are added.
    """
    suppressed = len(data_raw) - len(data_anon)
    found = measured(data_anon, quasi_ident, [sens_att] if isinstance(sens_att, str) else sens_att, True)
    minority = sum(float(one["classification_metric_one_majority"]) * len(data_anon) for one in found)
    return (suppressed + round(minority)) / len(data_raw)


def discernability_metric(data_raw: pandas.DataFrame, data_anon: pandas.DataFrame, quasi_ident: Any) -> int:
    """The squares of the sizes of the classes; a suppressed record costs as much as all records."""
    suppressed = len(data_raw) - len(data_anon)
    return sum(size * size for size in sizes(data_anon, quasi_ident)) + suppressed * len(data_raw)


def sizes_ec(data: pandas.DataFrame, quasi_ident: Any) -> dict[str, Any]:
    """How many equivalence classes there are, and how large they are."""
    found = sizes(data, quasi_ident)
    return {
        "n_ec": len(found),
        "min_ec": min(found),
        "max_ec": max(found),
        "mean_ec": statistics.fmean(found),
        "median_ec": float(statistics.median(found)),
    }


def stats_quasi_ident(data: pandas.DataFrame, quasi_ident: str) -> dict[str, Any]:
    """The most and the least frequent value of a column, and its moments when it has numbers."""
    from pandas.api import types

    if quasi_ident not in data.columns:
        raise ValueError(f"'{quasi_ident}' is not a column in the dataframe. Available columns are: {list(data.columns)}")
    column = data[quasi_ident]
    if len(column) == 0:
        return {}
    counts = column.value_counts(dropna=False).sort_index()
    found = {
        "max_freq_value": counts.idxmax(),
        "max_freq": counts.max(),
        "min_freq_value": counts.idxmin(),
        "min_freq": counts.min(),
    }
    if types.is_numeric_dtype(column):
        found |= {"mean": column.mean(), "median": column.median(), "std": column.std(ddof=0), "var": column.var(ddof=0)}
    return found


def average_rir(data_anon: pandas.DataFrame, quasi_ident: Any) -> float:
    """The mean over the classes of one through their size."""
    return statistics.fmean(1 / size for size in sizes(data_anon, quasi_ident))


def max_rir(data_anon: pandas.DataFrame, quasi_ident: Any) -> float:
    """The highest risk of being re-identified: one through the smallest class."""
    return 1 / min(sizes(data_anon, quasi_ident))


def sa_entropy(data_anon: pandas.DataFrame, sens_attr: str) -> float:
    """Shannon's entropy of a column, in nats."""
    names = listed([sens_attr])
    check(data_anon, names, "sensitive attributes")
    column = data_anon[names]
    bits = compare(column, column, progress=False).columns[sens_attr]["entropy_bits_before"]
    return float(bits) * math.log(2)
