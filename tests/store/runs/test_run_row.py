"""The row of a new run."""

import json

from reknit.store import tables
from reknit.store.runs.run_row import as_json, run_row
from tests.tools.recorded_runs import spec


def test_it_has_every_column_that_has_no_default() -> None:
    needed = {column.name for column in tables.runs.c if not column.nullable and column.server_default is None}
    assert needed <= set(run_row(spec("r-1"))) <= {column.name for column in tables.runs.c}


def test_the_spec_is_plain_json() -> None:
    assert json.loads(as_json(spec("r-1")))["run_id"] == "r-1"
    assert run_row(spec("r-1"), "slot-1")["worker"] == "slot-1"
