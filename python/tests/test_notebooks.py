"""The notebooks are stored without output and run from top to bottom."""

from __future__ import annotations

import pathlib

import pytest

NOTEBOOKS = sorted((pathlib.Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_it_runs(file, request):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    book = nbformat.read(file, as_version=4)
    nbformat.validate(book)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code), "store it without output"
    if any("shared/data" in cell.source for cell in code):
        request.getfixturevalue("shared")
    nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": str(file.parent)}}).execute()
    shown = [output for cell in code for output in cell.outputs if "data" in output and "text/html" in output["data"]]
    assert len(shown) >= 3, "results have a table of their own in a notebook"


def test_there_are_three():
    assert [file.stem for file in NOTEBOOKS] == ["hospital", "london", "survey"]
