"""The reports of ``pycanon.report``, without those in PDF."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from denym.compat.pycanon import anonymity
from denym.compat.pycanon._measured import listed

if TYPE_CHECKING:
    import pandas

__all__ = ["get_json_report", "get_report_values", "print_report"]

Values = tuple[int, tuple[float, int], int, int, tuple[float, int], float, float, float, float]


def get_report_values(data: pandas.DataFrame, quasi_ident: Any, sens_att: Any, gen: bool = True) -> Values:
    """Everything that is measured, in pycanon's order.

    pycanon hands ``gen`` on as another argument to (c,l)-diversity, which then never updates the quasi-identifiers; here it does.
    """
    return (
        anonymity.k_anonymity(data, quasi_ident),
        anonymity.alpha_k_anonymity(data, quasi_ident, sens_att, gen),
        anonymity.l_diversity(data, quasi_ident, sens_att, gen),
        anonymity.entropy_l_diversity(data, quasi_ident, sens_att, gen),
        anonymity.recursive_c_l_diversity(data, quasi_ident, sens_att, gen=gen),
        anonymity.basic_beta_likeness(data, quasi_ident, sens_att, gen),
        anonymity.enhanced_beta_likeness(data, quasi_ident, sens_att, gen),
        anonymity.delta_disclosure(data, quasi_ident, sens_att, gen),
        anonymity.t_closeness(data, quasi_ident, sens_att, gen),
    )


def print_report(data: pandas.DataFrame, quasi_ident: Any, sens_att: Any, gen: bool = True) -> None:
    """Prints everything that is measured."""
    k, (alpha, _), l_div, entropy_l, (c_div, _), basic, enhanced, delta, t = get_report_values(
        data, quasi_ident, sens_att, gen
    )
    print(f"""The dataset verifies:
          \t - k-anonymity with k = {k}
          \t - (alpha,k)-anonymity with alpha = {alpha} and k = {k}
          \t - l-diversity with l = {l_div}
          \t - entropy l-diversity with l = {entropy_l}
          \t - (c,l)-diversity with c = {c_div} and l = {l_div}
          \t - basic beta-likeness with beta = {basic}
          \t - enhanced beta-likeness with beta = {enhanced}
          \t - t-closeness with t = {t}
          \t - delta-disclosure privacy with delta = {delta}""")


def get_json_report(data: pandas.DataFrame, quasi_ident: Any, sens_att: Any, gen: bool = True) -> str:
    """Everything that is measured, as a JSON text."""
    k, (alpha, alpha_k), l_div, entropy_l, (c_div, l_c_div), basic, enhanced, delta, t = get_report_values(
        data, quasi_ident, sens_att, gen
    )
    return json.dumps(
        {
            "data": {"quasi-identifiers": listed(quasi_ident), "sensitive attributes": listed(sens_att)},
            "k_anonymity": {"k": k},
            "alpha_k_anonymity": {"alpha": alpha, "k": alpha_k},
            "l_diversity": {"l": l_div},
            "entropy_l_diversity": {"l": entropy_l},
            "recursive_c_l_diversity": {"c": c_div, "l": l_c_div},
            "basic_beta_likeness": {"beta": basic},
            "enhanced_beta_likeness": {"beta": enhanced},
            "t_closeness": {"t": t},
            "delta_disclosure": {"delta": delta},
        }
    )
