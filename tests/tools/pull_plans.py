"""Plans of `fix pr` in a clone of a repository with one pull request; nothing is started."""

import subprocess
from typing import Any

import pytest

from reknit.app.installation import Installation, find_installation
from reknit.app.start.fix_pr import plan_fix_pr
from reknit.app.start.new_spec import RunPlan
from reknit.core.errors import UsageError
from tests.tools.pull_scene import PullScene


def find_scene_installation(scene: PullScene, **environment: str) -> Installation:
    return find_installation({**scene.command.environment, **environment})


def plan(scene: PullScene, number: int | None = None, **flags: Any) -> RunPlan:
    return plan_fix_pr(find_scene_installation(scene), scene.clone, number, flags)


def problem(scene: PullScene, number: int | None = None, **environment: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        plan_fix_pr(find_scene_installation(scene, **environment), scene.clone, number, {})
    return caught.value


def git(scene: PullScene, *arguments: str) -> None:
    argv = ["git", "-c", "user.name=dev", "-c", "user.email=dev@example.test", *arguments]
    subprocess.run(argv, cwd=scene.clone, check=True, capture_output=True)
