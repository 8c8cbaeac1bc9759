"""`reknit fix plan` from the command line."""

import json
from collections.abc import Callable
from pathlib import Path

from tests.tools import backlog_scene as scene
from tests.tools.command_line import Answer, CommandLine
from tests.tools.variant_scene import FILE, WRITE_CHANGELOG, WRITE_DEPENDABOT, plan_text, write_plan

Here = Callable[..., Answer]


def test_it_is_refused_until_a_person_accepts_the_plan(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    root = scene.make(tmp_path)
    text = write_plan(root, status="provisional")
    scene.tell(reknit, [WRITE_CHANGELOG, WRITE_DEPENDABOT])
    refused = here("fix", "plan", "tidy", "--as", "grey", cwd=root)
    assert (refused.exit_code, refused.out) == (2, "")
    assert f"error[plan-refused]: the plan {FILE} is provisional" in refused.err
    assert f"`reknit plan accept {FILE}`" in refused.err
    (root / FILE).write_text(text.replace("status: provisional", "status: current"))
    edited = here("fix", "plan", "tidy", "--as", "grey", cwd=root)
    assert (edited.exit_code, "nobody has accepted the plan" in edited.err) == (2, True)
    assert "`reknit plan accept tidy`" in edited.err
    (root / FILE).write_text(text)
    accepted = here("plan", "accept", "tidy", cwd=root)
    assert (accepted.exit_code, "grants  .github/dependabot.yml" in accepted.out) == (0, True)
    assert plan_text(root) == text.replace("status: provisional", "status: current")
    assert here("plan", "accept", "tidy", "--replace", cwd=root).exit_code == 2
    ended = here("fix", "plan", FILE, "--as", "grey", cwd=root)
    assert ended.exit_code == 0, ended.err
    assert "  passed  file: CHANGELOG.md contains v1.0 (seen in: CHANGELOG.md)" in ended.out
    assert plan_text(root).count("  - passed: ") == 3
    shown = json.loads(here("show", "--format", "json", cwd=root).out)
    assert [each["state"] for each in shown["criteria"]] == ["passed"] * 3
    assert f"  plan    {FILE}" in here("show", cwd=root).out


def test_it_needs_a_plan_and_can_be_queued(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    root = scene.make(tmp_path)
    write_plan(root, reknit.environment)
    scene.tell(reknit, [WRITE_DEPENDABOT])
    assert "Missing argument 'TOPIC'" in here("fix", "plan", cwd=root).err
    queued = here("fix", "plan", "tidy", "--as", "grey", "--queue", "--budget", "1", "--format", "json", cwd=root)
    assert (queued.exit_code, json.loads(queued.out)["event"]) == (0, "queued"), queued.err


def test_the_plan_chooses_the_variant_if_nobody_names_one(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    root = scene.make(tmp_path)
    write_plan(root, reknit.environment, variant_recommendation="blue", variant_alternate="grey")
    scene.tell(reknit, [WRITE_CHANGELOG])
    refused = here("fix", "plan", "tidy", "--queue", cwd=root)
    assert "blue reads the commits of a branch" in refused.err
    assert here("fix", "plan", "tidy", "--as", "grey", "--queue", cwd=root).exit_code == 0


def test_the_former_option_tells_the_present_form(here: Here, tmp_path: Path) -> None:
    assert "it is `reknit plan accept TOPIC` now" in here("plan", "tidy", "--accept", cwd=tmp_path).err
