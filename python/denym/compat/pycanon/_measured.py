"""The audit behind every function: one pass over the frame for all sensitive attributes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from denym import _denym
from denym._table import native
from denym._verbs import audit


def listed(names: Any) -> list[str]:
    """Column names, from a list or an array."""
    return [str(name) for name in names]


def check(data: Any, names: Iterable[str], what: str) -> None:
    """Raises what pycanon raises for a column that is not there."""
    absent = [name for name in names if name not in data.columns]
    if absent:
        raise ValueError(f"Values not defined: {absent}. Cannot be {what}")


def measured(data: Any, quasi_ident: Any, sens_att: Any, gen: bool) -> list[Mapping[str, Any]]:
    """What was measured of each sensitive attribute: with the same quasi-identifiers for all (``gen``), or with the other sensitive
    attributes added to them."""
    quasi, sensitive = listed(quasi_ident), listed(sens_att)
    check(data, quasi, "quasi-identifiers")
    check(data, sensitive, "sensitive attributes")
    frame = data[list(dict.fromkeys(quasi + sensitive))]
    if gen:
        found = audit(frame, quasi=quasi, sensitive=sensitive, what_if=False, progress=False)
        return [found.sensitive[name] for name in sensitive]
    each = []
    for name in sensitive:
        others = [other for other in sensitive if other != name]
        found = audit(frame, quasi=quasi + others, sensitive=name, what_if=False, progress=False)
        each.append(found.sensitive[name])
    return each


def sizes(data: Any, quasi_ident: Any) -> list[int]:
    """How many records each equivalence class has."""
    quasi = listed(quasi_ident)
    check(data, quasi, "quasi-identifiers")
    tables = {"data": native(data[quasi])}
    return _denym.group_sizes({"data": "data", "quasi": quasi}, tables)
