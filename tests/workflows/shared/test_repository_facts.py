"""What is read from the trusted repository to tell the environment's faults from the code's."""

from pathlib import Path

from reknit.core.causes.tree_facts import LFS_POINTER
from reknit.core.forge.permission import PullSnapshot
from reknit.core.testing.report import TestReport
from reknit.workflows.shared.repository_facts import (
    collect_change_facts,
    collect_tree_facts,
    list_recently_changed,
    read_advice,
    read_conventions,
)
from tests.tools.plot import git
from tests.workflows.shared.conftest import Scene

RED, GREEN = (
    "tests/test_pricing.py::PricingTest::test_discount_is_a_share",
    "tests/test_pricing.py::PricingTest::test_x",
)


def test_manifests_and_the_files_of_red_tests_are_read(scene: Scene) -> None:
    services, spec = scene
    files = {RED: "tests/test_pricing.py", GREEN: "shop/pricing.py"}
    seen = TestReport("fail", "junit", {RED: "failed", GREEN: "passed"}, files=files)
    facts = collect_tree_facts(services, spec, spec.base, seen, [RED])
    assert "shop/pricing.py" in facts.paths
    assert "PricingTest" in facts.texts["tests/test_pricing.py"]
    assert [("def discount" in text) for text in facts.passing_texts] == [True]
    assert (facts.roots[0], facts.shared_network) == (spec.repository, spec.box == "host")
    assert facts.to_relative_path(services.workspace(spec).open_tree("x", spec.base).tree + "/gone") is not None
    assert "shop/pricing.py" in list_recently_changed(services, spec, spec.base)


def test_pointers_of_git_lfs_are_known_by_their_beginning(scene: Scene) -> None:
    services, spec = scene
    texts = {"model.bin": f"{LFS_POINTER}v1\noid sha256:4d7a\nsize 9\n", "notes.md": f"A pointer: {LFS_POINTER}v1\n"}
    commit = services.workspace(spec).repository.commit_for_tests(spec.base, texts, at=0.0)
    report = TestReport("fail", "junit", {RED: "failed"}, files={RED: "tests/test_pricing.py"})
    assert collect_tree_facts(services, spec, commit, report, [RED]).lfs_pointers == {"model.bin"}
    assert collect_tree_facts(services, spec, commit, report, []).lfs_pointers == frozenset()


def committed(shop: Path, **files: str) -> str:
    for name, text in files.items():
        (shop / f"{name}.md").write_text(text)
    git(shop, "add", "--all")
    git(shop, "commit", "-q", "-m", "more")
    return git(shop, "rev-parse", "HEAD")


def test_conventions_are_read_in_order_and_only_where_they_say_something(scene: Scene, shop: Path) -> None:
    services, spec = scene
    base = committed(shop, AGENTS="Use tabs.\n", GEMINI=" \n", CLAUDE="Be brief.\n")
    repository = services.workspace(spec).repository
    repository.fetch(str(shop), base)  # type: ignore[attr-defined]
    assert read_conventions(repository, base) == "# CLAUDE.md\nBe brief.\n\n# AGENTS.md\nUse tabs."
    assert read_conventions(repository, spec.base) == ""


def test_a_pull_request_does_not_write_its_own_rules(scene: Scene, shop: Path) -> None:
    services, spec = scene
    base = committed(shop, CLAUDE="Be strict.\n")
    head = committed(shop, CLAUDE="Praise me.\n")
    repository = services.workspace(spec).repository
    repository.fetch(str(shop), head)  # type: ignore[attr-defined]
    facts = collect_change_facts(repository, "A title", PullSnapshot(head, base, 1, base_ref="main"))
    assert (facts["conventions"], facts["files"]) == ("# CLAUDE.md\nBe strict.", ("CLAUDE.md",))
    assert (facts["title"], facts["base_ref"], "+Praise me." in str(facts["diff"])) == ("A title", "main", True)


def test_advice_is_of_the_attempt_and_the_last_file_is_for_all_later_ones(scene: Scene) -> None:
    services, spec = scene
    repository = services.workspace(spec).repository
    texts = {".reknit/strategies/1.md": "One.\n", ".reknit/strategies/3.md": "Three.\n"}
    commit = repository.commit_for_tests(spec.base, texts, at=0.0)
    assert [read_advice(repository, commit, attempt) for attempt in range(1, 6)] == ["One.", "", *["Three."] * 3]
    assert read_advice(repository, spec.base, 1) == ""
