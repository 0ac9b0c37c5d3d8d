"""Frames of every library give the release of the same table, and what is no table is refused by name."""

from __future__ import annotations

import datetime
import decimal
import subprocess
import sys

import pytest

import denym

SECRET = "Sekretna"


def frames(people):
    """The same people in every form."""
    import duckdb
    import pandas
    import polars
    import pyarrow

    table = pyarrow.Table.from_pylist(people)
    frame = pandas.DataFrame(people)
    duckdb.register("people_here", table)
    return {
        "records": people,
        "table": denym.Table(people),
        "pyarrow table": table,
        "pyarrow batch": table.to_batches()[0],
        "pyarrow chunks": pyarrow.concat_tables([table.slice(0, 5), table.slice(5)]),
        "pyarrow dictionary": table.set_column(2, "disease", table["disease"].dictionary_encode()),
        "pandas": frame,
        "pandas other index": frame.set_index(pandas.Index(range(100, 112))),
        "pandas category": frame.astype({"disease": "category"}),
        "polars": polars.DataFrame(people),
        "polars categorical": polars.DataFrame(people).with_columns(polars.col("disease").cast(polars.Categorical)),
        "duckdb": duckdb.sql("select * from people_here"),
    }


def test_every_library_gives_the_same_release(people, policy):
    expected = denym.anonymize(policy, people)
    for name, frame in frames(people).items():
        release = denym.anonymize(policy, frame)
        assert release.files == expected.files, name
        for place in expected.files:
            assert release.file(place) == expected.file(place), (name, place)


def test_what_comes_out_is_read_by_every_library(people, policy):
    import duckdb
    import pandas
    import polars
    import pyarrow

    data = denym.anonymize(policy, people).data
    rows = data.to_dicts()
    assert len(rows) == len(data) == 12
    assert data.to_arrow().to_pylist() == rows
    assert data.to_polars().to_dicts() == rows
    assert data.to_pandas().astype(object).to_dict("records") == rows
    assert pyarrow.table(data).num_rows == 12 and polars.DataFrame(data).height == 12
    released = pyarrow.table(data)
    assert duckdb.sql("select count(*) from released").fetchall() == [(12,)]


def test_typed_columns_become_the_text_that_people_write():
    import pandas
    import polars
    import pyarrow

    zone = datetime.timezone(datetime.timedelta(hours=2))
    moments = [datetime.datetime(2024, 5, day, 8, 30, tzinfo=zone) for day in (1, 2, 1)]
    values = {
        "big": [2**63, 2**63 + 1, None],
        "amount": [decimal.Decimal("10.50"), decimal.Decimal("7"), None],
        "moment": moments,
        "day": [datetime.date(2024, 5, 1), datetime.date(2024, 5, 2), None],
        "flag": [True, False, None],
        "share": [0.5, 1.0, None],
    }
    records = [dict(zip(values, row)) for row in zip(*values.values())]
    types = {
        "big": pyarrow.decimal128(38, 0),
        "amount": pyarrow.decimal128(10, 2),
        "moment": pyarrow.timestamp("us", "Europe/Berlin"),
        "day": pyarrow.date32(),
        "flag": pyarrow.bool_(),
        "share": pyarrow.float64(),
    }
    arrow = pyarrow.table({name: pyarrow.array(values[name], types[name]) for name in values})
    for name in values:
        texts = set()
        for frame in (records, arrow, polars.from_arrow(arrow), arrow.to_pandas()):
            found = denym.profile(denym.Table(frame))
            column = next(one for one in found.columns if one["name"] == name)
            texts.add((column["type"], column["distinct"], column["missing"]))
        assert len(texts) == 1, (name, texts)


def test_unsigned_integers_are_not_cut():
    import polars

    frame = polars.DataFrame({"id": [2**64 - 1, 2**64 - 2]}, schema={"id": polars.UInt64})
    found = denym.audit(frame, quasi="id")
    assert found.k == 1 and found["classes"] == 2


def test_missing_values_are_values(people):
    import pandas

    frame = pandas.DataFrame({"zip": ["1", None, "1", None], "age": [1.0, float("nan"), 1.0, float("nan")]})
    found = denym.audit(frame, quasi=["zip", "age"])
    assert (found.k, found["classes"]) == (2, 2)


@pytest.mark.parametrize("library", ["polars", "pyarrow", "records"])
def test_nested_columns_are_refused_by_name(library):
    import polars
    import pyarrow

    records = [{"zip": "1", "visits": [SECRET, "b"]}, {"zip": "1", "visits": [SECRET]}]
    frame = {"polars": polars.DataFrame, "pyarrow": pyarrow.Table.from_pylist, "records": list}[library](records)
    with pytest.raises(denym.DataError) as caught:
        denym.audit(frame, quasi=["zip", "visits"])
    assert caught.value.code == "unsupported-type"
    assert "visits" in str(caught.value) and SECRET not in str(caught.value)


def test_empty_frames_and_frames_without_columns_are_refused(policy):
    import pandas
    import polars
    import pyarrow

    columns = {"zip": [], "age": [], "disease": []}
    typed = pyarrow.table({name: pyarrow.array([], pyarrow.string()) for name in columns})
    for frame in (polars.DataFrame(typed), typed, pandas.DataFrame(columns), [], [{}]):
        with pytest.raises(denym.DataError) as caught:
            denym.anonymize(policy, frame)
        assert caught.value.code in ("no-records", "table-without-columns"), caught.value


def test_two_columns_of_one_name_are_refused(policy):
    import pandas
    import pyarrow

    twice = pyarrow.table([["1"], ["20"], ["flu"], ["2"]], names=["zip", "age", "disease", "zip"])
    with pytest.raises(denym.DataError) as caught:
        denym.anonymize(policy, twice)
    assert caught.value.code == "batches-unreadable"
    frame = pandas.DataFrame([[1, 2]], columns=["zip", "zip"])
    with pytest.raises(denym.DataError):
        denym.audit(frame, quasi="zip")


def test_what_another_library_says_of_a_cell_is_not_repeated():
    import pandas

    frame = pandas.DataFrame({"zip": [1, SECRET, 3.5]})
    with pytest.raises(denym.DenymError) as caught:
        denym.audit(frame, quasi="zip")
    error = caught.value
    assert SECRET not in str(error) and error.__cause__ is None and error.__context__ is None
    with pytest.raises(denym.DataError) as caught:
        denym.audit([{"zip": 1}, {"zip": SECRET}], quasi="zip")
    assert "zip" in str(caught.value) and SECRET not in str(caught.value)


def test_what_is_no_table_is_refused():
    for wrong in (5, object(), b"bytes", [1, 2], [{1: 2}]):
        with pytest.raises(denym.ArgumentError):
            denym.audit(wrong, quasi="zip")


def test_a_capsule_is_taken_once(people):
    stream = denym.Table(people).__arrow_c_stream__()
    from denym import _denym

    assert len(_denym.Table.from_stream(stream)) == 12
    with pytest.raises(denym.DataError):
        _denym.Table.from_stream(stream)
    with pytest.raises((denym.DataError, TypeError)):
        _denym.Table.from_stream(denym.Table(people).__arrow_c_schema__())


def test_nothing_else_is_needed_at_run_time():
    """A bare interpreter, in which no other library can be imported."""
    code = """
import sys
for name in ("pandas", "polars", "pyarrow", "numpy", "duckdb", "IPython"):
    sys.modules[name] = None
import denym
policy = denym.Policy.build(attributes={"age": denym.quasi(interval=[10])}, promises={"k-anonymity": 2})
release = denym.anonymize(policy, [{"age": 31}, {"age": 32}])
assert release.verify().holds and len(release.data.to_dicts()) == 2
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_pandas_without_pyarrow():
    """pandas hands its frames over with the help of pyarrow only; without it they go by their own values."""
    code = """
import sys
sys.modules["pyarrow"] = None
import pandas, denym
frame = pandas.DataFrame({"zip": ["1", None, "1", None], "age": [1, 2, 1, 2]})
assert denym.audit(frame, quasi=["zip", "age"]).k == 2
policy = denym.Policy.build(attributes={"age": denym.quasi(interval=[10])}, promises={"k-anonymity": 2})
assert len(denym.anonymize(policy, frame).data.to_pandas()) == 4
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
