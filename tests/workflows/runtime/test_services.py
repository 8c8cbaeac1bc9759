"""The services of this process: the last ones that were installed."""

from dataclasses import replace
from pathlib import Path

import pytest

from reknit.workflows.runtime.services import current_services, install
from tests.tools.step_services import step_services


def test_whoever_asks_gets_what_was_installed_last(tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with step_services(tmp_path, shop) as (first, _):
        install(first)
        assert current_services() is first
        second = replace(first, clock=lambda: 5.0)
        install(second)
        assert (current_services() is second, current_services().clock()) == (True, 5.0)
