"""A run is ended first, and told about afterwards."""

import asyncio
from dataclasses import replace
from pathlib import Path

from reknit.core.runs.ending import Ending
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from reknit.workflows.shared.run_end import end_run
from tests.tools.step_services import step_services


def test_the_ending_is_on_disk_when_people_are_told(tmp_path: Path, shop: Path) -> None:
    with step_services(tmp_path, shop) as (services, spec):
        assert isinstance(services.ledger, SqlRunLedger)
        reader, endings = RunReader(services.ledger.engine), list[str | None]()
        telling = replace(services, announce_end=lambda run_id: endings.append(reader.run(run_id).ending))
        asyncio.run(end_run(telling, spec, Ending("CLEAN", "all pass")))
    assert endings == ["CLEAN"]
