"""The set-up as a step: once, before the first test; what is gone is built again."""

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

from reknit.core.setup.values import Setup
from reknit.workflows.shared.project_setup import hold_layers
from reknit.workflows.shared.work_folders import run_tests
from tests.workflows.shared.conftest import Scene

MAKE = "mkdir -p node_modules && echo installed > node_modules/mark && touch stray"


def layers_of(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "state" / "layers").iterdir())


def test_a_layer_that_is_gone_is_built_again(scene: Scene, tmp_path: Path) -> None:
    services, spec = scene
    spec = replace(spec, box="bubblewrap", setups=(Setup("", MAKE),))
    for _ in range(2):
        held = asyncio.run(hold_layers(services, spec, "r/x"))
        assert isinstance(held, tuple)
        ((place, folder),) = held[0].folders
        assert (place, Path(folder, "mark").read_text()) == ("node_modules", "installed\n")
        assert layers_of(tmp_path) == [held[0].key]
        services.setups.release("r/x")
        shutil.rmtree(tmp_path / "state" / "layers" / held[0].key)


def test_tests_run_with_the_layer_and_without_the_stray_file(scene: Scene) -> None:
    services, spec = scene
    check = replace(spec.tests, runner="command", evidence="exit code", select=(), report="")
    check = replace(check, argv=("sh", "-c", "grep installed node_modules/mark && test ! -e stray"))
    spec = replace(spec, box="bubblewrap", setups=(Setup("", MAKE),), tests=check, other_projects=())
    report = asyncio.run(run_tests(services, spec, "base-0", spec.base))
    assert report.status == "pass", report.output_tail


def test_a_set_up_that_fails_gives_no_result(scene: Scene) -> None:
    services, spec = scene
    spec = replace(spec, box="bubblewrap", setups=(Setup("", "echo no such package; exit 3"),))
    report = asyncio.run(run_tests(services, spec, "base-0", spec.base))
    assert (report.status, report.why) == (
        "error", "the set-up `echo no such package; exit 3` failed: exit code 3; it printed: no such package",
    )  # fmt: skip
