"""Tables in and out: anything that speaks Arrow's PyCapsule interface, lists of dicts, and paths."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Union, runtime_checkable

from denym import _denym, _html
from denym.errors import ArgumentError, DataError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_ROWS_SHOWN = 10
_INDEX = re.compile(r"__index_level_\d+__")


@runtime_checkable
class ArrowStream(Protocol):
    """What hands over a stream of record batches: polars, pandas, pyarrow, duckdb and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


@runtime_checkable
class ArrowArray(Protocol):
    """What hands over one array of structs, such as a record batch of pyarrow."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...


Records = Sequence[Mapping[str, Any]]
"""Records as dicts; a key that one lacks is missing there."""
Frame = Union["Table", ArrowStream, ArrowArray, Records]
"""A table in memory."""
PathLike = Union[str, "os.PathLike[str]"]
"""A file, a directory or a pattern."""
Data = Union[Frame, PathLike]
"""A table in memory, or where one is."""


class Table:
    """A table in memory. Other libraries read it through Arrow's PyCapsule interface; nothing is copied for them.

    >>> import denym
    >>> table = denym.Table([{"zip": "8001", "age": 31}, {"zip": "8002", "age": None}])
    >>> len(table), table.columns
    (2, ['zip', 'age'])
    >>> table.to_dicts()
    [{'zip': '8001', 'age': 31}, {'zip': '8002', 'age': None}]
    """

    __slots__ = ("_native",)
    _native: _denym.Table

    def __init__(self, data: Frame) -> None:
        object.__setattr__(self, "_native", native(data))

    @classmethod
    def _of(cls, made: _denym.Table) -> Table:
        table = cls.__new__(cls)
        object.__setattr__(table, "_native", made)
        return table

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a table of denym cannot be changed")

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in order."""
        return self._native.columns

    @property
    def types(self) -> list[str]:
        """The types of the columns, as Arrow names them."""
        return self._native.types

    def __len__(self) -> int:
        return len(self._native)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def to_polars(self) -> polars.DataFrame:
        """The table as a ``polars.DataFrame``; polars must be installed."""
        import polars

        return polars.DataFrame(self)

    def to_arrow(self) -> pyarrow.Table:
        """The table as a ``pyarrow.Table``; pyarrow must be installed."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a ``pandas.DataFrame``; pandas must be installed, pyarrow need not be."""
        import pandas

        try:
            import pyarrow
        except ImportError:
            return pandas.DataFrame(self._native.to_columns())
        return pyarrow.table(self).to_pandas()

    def to_dicts(self) -> list[dict[str, Any]]:
        """The records as dicts of Python's own values."""
        columns = self._native.to_columns()
        names = list(columns)
        return [dict(zip(names, row)) for row in zip(*columns.values())]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.to_dicts())

    def __repr__(self) -> str:
        return f"<denym.Table of {len(self)} records: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        records = self.to_dicts()
        rows = ([record[name] for name in self.columns] for record in records[:_ROWS_SHOWN])
        more = f", the first {_ROWS_SHOWN}" if len(records) > _ROWS_SHOWN else ""
        return _html.table(f"{len(records)} records{more}", self.columns, rows)


def is_frame(data: object) -> bool:
    """Whether ``data`` is a table in memory."""
    if isinstance(data, (str, os.PathLike)):
        return False
    if isinstance(data, (Table, ArrowStream, ArrowArray)):
        return True
    return isinstance(data, Sequence)


def native(data: Frame) -> _denym.Table:
    """The table that the compiled half works on."""
    if isinstance(data, Table):
        return data._native
    if isinstance(data, ArrowStream):
        return _of_stream(data)
    if isinstance(data, ArrowArray):
        schema, array = data.__arrow_c_array__()
        return _denym.Table.from_array(schema, array)
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _of_records(data)
    if hasattr(data, "to_dict") and hasattr(data, "columns"):
        return _of_columns(data)
    raise ArgumentError(
        f"a {type(data).__name__} is no table",
        code="argument",
        help="give a frame of polars, pandas, pyarrow or duckdb, a list of dicts, or a path",
    )


def _of_stream(data: ArrowStream) -> _denym.Table:
    stream = None
    lacking = False
    try:
        stream = data.__arrow_c_stream__()
    except ImportError:
        lacking = True
    except Exception:
        # What another library says of its own data may quote a cell: its words end here.
        pass
    if lacking and hasattr(data, "to_dict"):
        # pandas hands a stream over with the help of pyarrow only.
        return _of_columns(data)
    if stream is None:
        raise DataError(
            f"the {type(data).__module__.split('.')[0]} frame cannot be handed over as Arrow",
            code="table-unreadable",
            help="give every column one type; its own library says which one has several",
        )
    table = _denym.Table.from_stream(stream)
    return _without_index(table) if type(data).__module__.startswith("pandas") else table


def _without_index(table: _denym.Table) -> _denym.Table:
    """A frame of pandas without the index that nobody named."""
    names = table.columns
    places = [at for at, name in enumerate(names) if not _INDEX.fullmatch(name)]
    return table if len(places) == len(names) else table.select(places)


def _of_columns(data: Any) -> _denym.Table:
    """A frame of pandas by its own lists of values."""
    names = [str(name) for name in data.columns]
    return _denym.Table.from_columns(names, [list(data.iloc[:, at]) for at in range(len(names))])


def _of_records(records: Sequence[Any]) -> _denym.Table:
    names: dict[str, None] = {}
    for record in records:
        if not isinstance(record, Mapping):
            raise ArgumentError(
                "a list of records holds something else than dicts",
                code="argument",
                help='write for example [{"zip": "8001", "age": 31}]',
            )
        names.update(dict.fromkeys(record))
    if not all(isinstance(name, str) for name in names):
        raise ArgumentError("the keys of records are texts", code="argument", help="name every column by a text")
    columns = [[record.get(name) for record in records] for name in names]
    return _denym.Table.from_columns(list(names), columns)
