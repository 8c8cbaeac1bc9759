"""Calls to the forge: failures are values, and its credential goes to its own host only."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.app.makers import make_forge_maker
from reknit.core.errors import InternalError, UsageError
from reknit.core.forge.values import ForgeFailure, ForgePlace
from reknit.core.gateway.metering import ProviderRefusal
from reknit.core.runs.spec import RunSpec
from reknit.workflows.shared.forge_calls import ask_forge, find_forge_place, make_remote
from tests.tools.github import GitHub
from tests.tools.pull_play import plan
from tests.tools.pull_samples import TARGET
from tests.tools.pull_scene import PullScene, changed
from tests.tools.recorded_runs import spec as order
from tests.workflows.shared.conftest import Scene

GREEN = changed(test=False, lint=False)


def test_a_credential_goes_to_no_other_host(hub: GitHub, tmp_path: Path) -> None:
    spec: RunSpec = plan(PullScene(tmp_path, hub, changes=GREEN))
    with pytest.raises(UsageError, match="another host"):
        make_remote(None, spec, "https://evil.example.org/acme/shop.git")  # type: ignore[arg-type]


def test_a_run_without_a_pull_request_has_no_place() -> None:
    with pytest.raises(InternalError, match="r-1 is not a `fix pr` run"):
        find_forge_place(order())
    assert find_forge_place(order(task=TARGET)) == TARGET.place


def on_hub(scene: Scene, hub: GitHub) -> Scene:
    services, spec = scene
    hub.make_repository("acme/shop", {"a.py": "x = 1\n"})
    target = replace(TARGET, place=ForgePlace("github", hub.url, "acme/shop"))
    return replace(services, forge=make_forge_maker({"GH_TOKEN": hub.token})), replace(spec, task=target)


def test_a_failure_is_an_answer_and_its_limit_is_known_to_every_run(scene: Scene, hub: GitHub) -> None:
    services, spec = on_hub(scene, hub)
    missing = asyncio.run(ask_forge(services, spec, lambda forge: forge.pull(99)))
    assert isinstance(missing, ForgeFailure)
    assert missing.kind == "missing"
    account = services.forge(find_forge_place(spec)).account
    services.accounts.record_limit(account, ProviderRefusal(429, services.clock() + 600))
    calls = len(hub.calls)
    limited = asyncio.run(ask_forge(services, spec, lambda forge: forge.whoami()))
    assert isinstance(limited, ForgeFailure)
    assert (limited.kind, len(hub.calls)) == ("limited", calls)


def test_a_limit_that_the_forge_tells_is_noted(scene: Scene, hub: GitHub) -> None:
    services, spec = on_hub(scene, hub)
    hub.faults.secondary_limit = 1
    answer = asyncio.run(ask_forge(services, spec, lambda forge: forge.may_push("acme/shop")))
    assert isinstance(answer, ForgeFailure)
    assert answer.kind == "limited"
    assert services.accounts.not_before(services.forge(find_forge_place(spec)).account)
