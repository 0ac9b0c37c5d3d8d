"""The nine anonymizations of ``anjana.anonymity``: from a frame of pandas to a frame of pandas.

The arguments are theirs. What comes back keeps the same promises and is at most as coarse: anjana generalizes one column after the
other, the one with the most values first, and stops at the first table that will do; here every combination of levels counts, and the
one that loses least is taken. Four more differences, where theirs are wrong:

- Every promise is measured on the table that comes back, together: anjana drops classes for one promise and does not look at the
  others again.
- No record keeps its number: anjana hands the old row numbers out, in the index or as a column ``index``, and with them who stood where.
- Beta, t and delta compare with the distribution over all source records; anjana compares with what is left after suppression, so that
  suppressing people changes what is promised to the others.
- A frame is never returned half done. As in anjana, a promise that cannot be kept gives an empty frame; a warning says why.

A missing value is a value of its own.
"""

from __future__ import annotations

import csv
import os
import tempfile
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from denym._policy import Policy
from denym._verbs import anonymize
from denym.errors import RefusedError

if TYPE_CHECKING:
    import pandas

__all__ = [
    "alpha_k_anonymity",
    "basic_beta_likeness",
    "delta_disclosure",
    "enhanced_beta_likeness",
    "entropy_l_diversity",
    "k_anonymity",
    "l_diversity",
    "recursive_c_l_diversity",
    "t_closeness",
]

Hierarchies = Mapping[str, Mapping[int, Any]]
"""For each quasi-identifier its levels: from 0, the values, up; all of one length."""


def _write(path: str, levels: Mapping[int, Any]) -> int:
    """Writes a hierarchy as a file has it, a row per value; gives back its highest level."""
    columns = [[str(value) for value in levels[level]] for level in sorted(levels)]
    with open(path, "w", encoding="utf-8", newline="") as file:
        rows = dict.fromkeys(zip(*columns))
        csv.writer(file).writerows(rows)
    return len(columns) - 1


def _released(
    data: pandas.DataFrame,
    ident: Any,
    quasi_ident: Any,
    sensitive: str | None,
    supp_level: float,
    hierarchies: Hierarchies,
    promises: Mapping[str, Any],
) -> pandas.DataFrame:
    """The frame under these promises; an empty one when they cannot be kept."""
    import pandas

    if not 0 <= supp_level <= 100:
        raise ValueError(f"Invalid value of for the suppression level {supp_level}")
    identifiers, quasi = [str(name) for name in ident], [str(name) for name in quasi_ident]
    for name in identifiers:
        if name not in data.columns:
            raise ValueError(f"Identifier {name} is not a column in the given dataset")
    shown = [name for name in data.columns if name not in identifiers]
    with tempfile.TemporaryDirectory(prefix="denym-") as place:
        attributes: dict[str, Any] = {}
        for name in shown:
            if name in quasi:
                # A column without a hierarchy is published as it is, or its records are not.
                attributes[name] = {"role": "quasi", "max-level": 0}
                if name in hierarchies:
                    file = f"{quasi.index(name)}.csv"
                    highest = _write(os.path.join(place, file), hierarchies[name])
                    attributes[name] = {"role": "quasi", "type": "text", "hierarchy": file, "max-level": highest}
            else:
                attributes[name] = "sensitive" if name == sensitive else "insensitive"
        policy = Policy.build(
            attributes=attributes,
            promises=promises,
            algorithm="full-domain",
            suppress_at_most=supp_level / 100,
            file=os.path.join(place, "policy.toml"),
        )
        try:
            release = anonymize(policy, data[shown], progress=False)
        except RefusedError as refusal:
            warnings.warn(f"nothing is released: {refusal.message}; {refusal.help}", stacklevel=3)
            return pandas.DataFrame()
    frame = release.data.to_pandas()
    for name in identifiers:
        frame[name] = "*"
    return frame[list(data.columns)]


def _at_least(value: float, least: float, what: str) -> None:
    if value < least:
        raise ValueError(f"Invalid value of {what}={value}")


def k_anonymity(
    data: pandas.DataFrame, ident: Any, quasi_ident: Any, k: int, supp_level: float, hierarchies: Hierarchies
) -> pandas.DataFrame:
    """The frame under k-anonymity.

    >>> import pandas
    >>> frame = pandas.DataFrame({"name": ["a", "b", "c", "d"], "age": [21, 22, 31, 32]})
    >>> levels = {"age": {0: [21, 22, 31, 32], 1: ["20s", "20s", "30s", "30s"], 2: ["*"] * 4}}
    >>> sorted(k_anonymity(frame, ["name"], ["age"], 2, 0, levels)["age"])
    ['20s', '20s', '30s', '30s']
    """
    _at_least(k, 1, "k for k-anonymity k")
    return _released(data, ident, quasi_ident, None, supp_level, hierarchies, {"k-anonymity": k})


def alpha_k_anonymity(
    data: pandas.DataFrame,
    ident: Any,
    quasi_ident: Any,
    sens_att: str,
    k: int,
    alpha: float,
    supp_level: float,
    hierarchies: Hierarchies,
) -> pandas.DataFrame:
    """The frame under (alpha,k)-anonymity."""
    _at_least(k, 1, "k for k-anonymity k")
    if not 0 <= alpha <= 1:
        raise ValueError(f"Invalid value of alpha for (alpha,k)-anonymity alpha={alpha}")
    promise = {"attribute": sens_att, "alpha": alpha, "k": k}
    return _released(data, ident, quasi_ident, sens_att, supp_level, hierarchies, {"alpha-k-anonymity": promise})


def l_diversity(
    data: pandas.DataFrame,
    ident: Any,
    quasi_ident: Any,
    sens_att: str,
    k: int,
    l_div: int,
    supp_level: float,
    hierarchies: Hierarchies,
) -> pandas.DataFrame:
    """The frame under k-anonymity and l-diversity."""
    return _diverse("distinct", data, ident, quasi_ident, sens_att, k, supp_level, hierarchies, l=l_div)


def entropy_l_diversity(
    data: pandas.DataFrame,
    ident: Any,
    quasi_ident: Any,
    sens_att: str,
    k: int,
    l_div: int,
    supp_level: float,
    hierarchies: Hierarchies,
) -> pandas.DataFrame:
    """The frame under k-anonymity and entropy l-diversity; anjana measures it with the rounding of pycanon, and asks for more."""
    return _diverse("entropy", data, ident, quasi_ident, sens_att, k, supp_level, hierarchies, l=l_div)


def recursive_c_l_diversity(
    data: pandas.DataFrame,
    ident: Any,
    quasi_ident: Any,
    sens_att: str,
    k: int,
    c: float,
    l_div: int,
    supp_level: float,
    hierarchies: Hierarchies,
) -> pandas.DataFrame:
    """The frame under k-anonymity and recursive (c,l)-diversity, by the published definition; anjana's is that of pycanon."""
    return _diverse("recursive", data, ident, quasi_ident, sens_att, k, supp_level, hierarchies, l=l_div, c=c)


def _diverse(
    kind: str,
    data: pandas.DataFrame,
    ident: Any,
    quasi_ident: Any,
    sens_att: str,
    k: int,
    supp_level: float,
    hierarchies: Hierarchies,
    **bounds: float,
) -> pandas.DataFrame:
    _at_least(k, 1, "k for k-anonymity k")
    _at_least(bounds["l"], 1, "l for l-diversity l")
    promise = {"attribute": sens_att, "kind": kind, **bounds}
    return _released(data, ident, quasi_ident, sens_att, supp_level, hierarchies, {"k-anonymity": k, "l-diversity": promise})


def basic_beta_likeness(
    data: pandas.DataFrame,
    ident: Any,
    quasi_ident: Any,
    sens_att: str,
    k: int,
    beta: float,
    supp_level: float,
    hierarchies: Hierarchies,
) -> pandas.DataFrame:
    """The frame under k-anonymity and basic beta-likeness."""
    return _alike("basic", data, ident, quasi_ident, sens_att, k, beta, supp_level, hierarchies)


def enhanced_beta_likeness(
    data: pandas.DataFrame,
    ident: Any,
    quasi_ident: Any,
    sens_att: str,
    k: int,
    beta: float,
    supp_level: float,
    hierarchies: Hierarchies,
) -> pandas.DataFrame:
    """The frame under k-anonymity and enhanced beta-likeness, by the published definition; anjana's is that of pycanon."""
    return _alike("enhanced", data, ident, quasi_ident, sens_att, k, beta, supp_level, hierarchies)


def _alike(
    kind: str,
    data: pandas.DataFrame,
    ident: Any,
    quasi_ident: Any,
    sens_att: str,
    k: int,
    beta: float,
    supp_level: float,
    hierarchies: Hierarchies,
) -> pandas.DataFrame:
    _at_least(k, 1, "k for k-anonymity k")
    _at_least(beta, 0, "beta for beta-likeness, beta")
    promise = {"attribute": sens_att, "kind": kind, "beta": beta}
    return _released(
        data, ident, quasi_ident, sens_att, supp_level, hierarchies, {"k-anonymity": k, "beta-likeness": promise}
    )


def t_closeness(
    data: pandas.DataFrame,
    ident: Any,
    quasi_ident: Any,
    sens_att: str,
    k: int,
    t: float,
    supp_level: float,
    hierarchies: Hierarchies,
) -> pandas.DataFrame:
    """The frame under k-anonymity and t-closeness: by the order of values for numbers, by equal distances for texts."""
    from pandas.api import types

    _at_least(k, 1, "k for k-anonymity k")
    if not 0 <= t <= 1:
        raise ValueError(f"Invalid value of t for t-closeness, t={t}")
    distance = "ordered" if types.is_numeric_dtype(data[sens_att]) else "equal"
    promise = {"attribute": sens_att, "distance": distance, "t": t}
    return _released(
        data, ident, quasi_ident, sens_att, supp_level, hierarchies, {"k-anonymity": k, "t-closeness": promise}
    )


def delta_disclosure(
    data: pandas.DataFrame,
    ident: Any,
    quasi_ident: Any,
    sens_att: str,
    k: int,
    delta: float,
    supp_level: float,
    hierarchies: Hierarchies,
) -> pandas.DataFrame:
    """The frame under k-anonymity and delta-disclosure privacy, by the published definition: a class that lacks a value of the table
    breaks it. anjana leaves such values out, as pycanon does."""
    _at_least(k, 1, "k for k-anonymity k")
    _at_least(delta, 0, "delta for delta-disclosure, delta")
    promise = {"attribute": sens_att, "delta": delta}
    return _released(
        data, ident, quasi_ident, sens_att, supp_level, hierarchies, {"k-anonymity": k, "delta-disclosure": promise}
    )
