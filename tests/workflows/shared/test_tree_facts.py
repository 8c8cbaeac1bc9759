"""What is read from the trusted repository to tell the environment's faults from the code's."""

from reknit.core.causes.tree_facts import LFS_POINTER
from reknit.core.testing.report import TestReport
from reknit.workflows.shared.tree_facts import facts_of, recently_changed
from tests.workflows.shared.conftest import Scene

RED, GREEN = (
    "tests/test_pricing.py::PricingTest::test_discount_is_a_share",
    "tests/test_pricing.py::PricingTest::test_x",
)


def test_manifests_and_the_files_of_red_tests_are_read(scene: Scene) -> None:
    services, spec = scene
    files = {RED: "tests/test_pricing.py", GREEN: "shop/pricing.py"}
    seen = TestReport("fail", "junit", {RED: "failed", GREEN: "passed"}, files=files)
    facts = facts_of(services, spec, spec.base, seen, [RED])
    assert "shop/pricing.py" in facts.paths
    assert "PricingTest" in facts.texts["tests/test_pricing.py"]
    assert [("def discount" in text) for text in facts.passing_texts] == [True]
    assert (facts.roots[0], facts.shared_network) == (spec.repository, spec.box == "host")
    assert facts.inside(services.workspace(spec).open_tree("x", spec.base).tree + "/gone") is not None
    assert "shop/pricing.py" in recently_changed(services, spec, spec.base)


def test_pointers_of_git_lfs_are_known_by_their_beginning(scene: Scene) -> None:
    services, spec = scene
    texts = {"model.bin": f"{LFS_POINTER}v1\noid sha256:4d7a\nsize 9\n", "notes.md": f"A pointer: {LFS_POINTER}v1\n"}
    commit = services.workspace(spec).repository.commit_for_tests(spec.base, texts, at=0.0)
    report = TestReport("fail", "junit", {RED: "failed"}, files={RED: "tests/test_pricing.py"})
    assert facts_of(services, spec, commit, report, [RED]).pointers == {"model.bin"}
    assert facts_of(services, spec, commit, report, []).pointers == frozenset()
