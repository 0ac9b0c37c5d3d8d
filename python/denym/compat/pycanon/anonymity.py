"""The promises of ``pycanon.anonymity``, measured."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from denym.compat.pycanon._measured import check, listed, measured, sizes

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

# What a logarithm and a sum may lose: a uniform distribution over two values has an effective number of 2, not of 1.999...
_NOISE = 1e-9


def k_anonymity(data: pandas.DataFrame, quasi_ident: Any) -> int:
    """k of k-anonymity: the records of the smallest equivalence class.

    >>> import pandas
    >>> frame = pandas.DataFrame({"zip": ["1", "1", "2", "2", "2"]})
    >>> k_anonymity(frame, ["zip"])
    2
    """
    return min(sizes(data, quasi_ident))


def alpha_k_anonymity(data: pandas.DataFrame, quasi_ident: Any, sens_att: Any, gen: bool = True) -> tuple[float, int]:
    """alpha and k of (alpha,k)-anonymity: the largest share of one sensitive value in a class, and k."""
    alpha = max(float(found["alpha"]) for found in measured(data, quasi_ident, sens_att, gen))
    return alpha, k_anonymity(data, quasi_ident)


def l_diversity(data: pandas.DataFrame, quasi_ident: Any, sens_att: Any, gen: bool = True) -> int:
    """l of l-diversity: the fewest distinct sensitive values of a class."""
    return min(int(found["distinct_l"]) for found in measured(data, quasi_ident, sens_att, gen))


def entropy_l_diversity(data: pandas.DataFrame, quasi_ident: Any, sens_att: Any, gen: bool = True) -> int:
    """l of entropy l-diversity, rounded down.

    pycanon cuts off what a logarithm left: two values in equal shares give 1 there. Here they give 2, as the definition says.

    >>> import pandas
    >>> frame = pandas.DataFrame({"zip": ["1", "1"], "ill": ["flu", "hiv"]})
    >>> entropy_l_diversity(frame, ["zip"], ["ill"])
    2
    """
    least = min(float(found["entropy_l_real"]) for found in measured(data, quasi_ident, sens_att, gen))
    return math.floor(least + _NOISE)


def recursive_c_l_diversity(
    data: pandas.DataFrame, quasi_ident: Any, sens_att: Any, imp: bool = False, gen: bool = True
) -> tuple[float, int]:
    """The smallest whole c for which recursive (c,l)-diversity holds with the l of l-diversity; not a number when l is 1, or when
    there is none.

    pycanon counts from the least frequent value up; the definition (Machanavajjhala et al., 2007) counts from the most frequent
    value down: r1 < c (rl + ... + rm). Here it is the definition's. pycanon also takes l over unchanged quasi-identifiers when
    ``gen`` is false; here c and l are of the same classes.
    """
    every = measured(data, quasi_ident, sens_att, gen)
    l_div = min(int(found["distinct_l"]) for found in every)
    bounds = [found["recursive_c_infimum_by_l"].get(str(l_div)) for found in every]
    if l_div < 2 or any(bound is None for bound in bounds):
        if imp:
            print(f"c for (c,l)-diversity cannot be calculated as l={l_div}")
        return math.nan, l_div
    # c must be above the bound.
    return float(math.floor(max(float(bound) for bound in bounds) + _NOISE) + 1), l_div


def basic_beta_likeness(data: pandas.DataFrame, quasi_ident: Any, sens_att: Any, gen: bool = True) -> float:
    """beta of basic beta-likeness: the largest relative gain of belief in a sensitive value."""
    return max(float(found["basic_beta"]) for found in measured(data, quasi_ident, sens_att, gen))


def enhanced_beta_likeness(data: pandas.DataFrame, quasi_ident: Any, sens_att: Any, gen: bool = True) -> float:
    """The smallest beta for which enhanced beta-likeness holds; infinite when it holds for none.

    pycanon answers the smaller of two bounds even where the data breaks it: a gain above -ln p is allowed by no beta (Cao and
    Karras, 2012), and what it answers then is no promise that holds.
    """
    found = measured(data, quasi_ident, sens_att, gen)
    if not all(one["enhanced_beta_bound_holds_at_beta_max"] for one in found):
        return math.inf
    return max(float(one["basic_beta"]) for one in found)


def t_closeness(data: pandas.DataFrame, quasi_ident: Any, sens_att: Any, gen: bool = True) -> float:
    """t of t-closeness: by the order of values for numbers, by equal distances for texts."""
    from pandas.api import types

    sensitive = listed(sens_att)
    check(data, sensitive, "sensitive attributes")
    found = []
    for name, one in zip(sensitive, measured(data, quasi_ident, sensitive, gen)):
        if types.is_numeric_dtype(data[name]):
            # A single value is its own distribution.
            found.append(float(one["t_ordered_emd"] if one["t_ordered_emd"] is not None else one["t_equal_distance"]))
        elif types.is_string_dtype(data[name]):
            found.append(float(one["t_equal_distance"]))
        else:
            raise ValueError("Error, invalid sens_att value type")
    return max(found)


def delta_disclosure(data: pandas.DataFrame, quasi_ident: Any, sens_att: Any, gen: bool = True) -> float:
    """delta of delta-disclosure privacy, in natural logarithms, over the values that a class has.

    As in pycanon, values that a class lacks are left out; by the definition (Brickell and Shmatikov, 2008) no delta holds then.
    ``denym.audit`` says whether there are such values, as ``delta_strict_is_infinite``.
    """
    return max(float(found["delta_ln_present_values_only"]) for found in measured(data, quasi_ident, sens_att, gen))
