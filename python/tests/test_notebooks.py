"""The notebooks of the book run, and show what they show today: texts, tables and pictures."""

import pathlib

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((pathlib.Path(__file__).parents[2] / "docs/notebooks").glob("*.ipynb"))


def shown(cell):
    """What kinds of output a cell has."""
    return [sorted(output.get("data", {})) or output.output_type for output in cell.get("outputs", [])]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    stored = [shown(cell) for cell in notebook.cells]
    assert len(stored) > 10 and any(stored)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    for cell, before in zip(notebook.cells, stored):
        assert shown(cell) == before, cell.source


def test_there_are_notebooks():
    assert [path.stem for path in NOTEBOOKS] == ["machine", "network"]
