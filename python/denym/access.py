"""Purpose-based access control: what somebody may see of a governed table, and why."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from denym import _denym, _html
from denym._results import Result
from denym._table import PathLike

__all__ = ["Decision", "decide"]


class Decision(Result):
    """What a user sees of a table for a purpose, column by column."""

    __slots__ = ()

    @property
    def cells(self) -> tuple[Mapping[str, Any], ...]:
        """Each column (and provider group): its ``decision`` (``full``, ``conditional`` or ``nothing``), what is ``served`` and the
        ``chain`` of reasons."""
        return tuple(self["cells"])

    @property
    def may_state(self) -> bool:
        """Whether the user may state the purpose at all."""
        return bool(self["may_state"])

    def of(self, column: str, group: str | None = None) -> str:
        """The decision on a column: ``full``, ``conditional`` or ``nothing``."""
        for cell in self.cells:
            if cell["column"] == column and cell["group"] == group:
                return str(cell["decision"])
        raise KeyError(column)

    def _repr_html_(self) -> str:
        rows = ((one["group"], one["column"], one["decision"], one["served"], one["chain"][-1:]) for one in self.cells)
        caption = f"{self['user']} for {self['purpose']} on {self['table']}"
        return _html.table(caption, ["group", "column", "decision", "served", "because"], rows)


def decide(
    policy: PathLike,
    *,
    user: str,
    table: str,
    purpose: str | None = None,
    column: str | None = None,
    group: str | None = None,
    at: datetime | str | None = None,
) -> Decision:
    """What ``user`` may see of ``table`` for ``purpose``, under the access policy in a file; no record is looked up.

    ``at`` is the moment of the request, UTC where it has no zone; now when not given.
    """
    moment = at if at is not None else datetime.now(timezone.utc)
    if isinstance(moment, datetime):
        if moment.tzinfo is not None:
            moment = moment.astimezone(timezone.utc)
        moment = moment.strftime("%Y-%m-%dT%H:%M")
    text = Path(policy).read_text(encoding="utf-8")
    return Decision(_denym.access_decide(text, policy, user, table, moment, (purpose, column, group)))
