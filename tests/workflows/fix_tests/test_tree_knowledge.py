"""What is read from the trusted repository to tell the environment's faults from the code's."""

from reknit.core.testing.report import TestReport
from reknit.workflows.fix_tests.tree_knowledge import knowledge_of
from tests.workflows.shared.conftest import Scene

RED, GREEN = (
    "tests/test_pricing.py::PricingTest::test_discount_is_a_share",
    "tests/test_pricing.py::PricingTest::test_x",
)


def test_manifests_and_the_files_of_red_tests_are_read(scene: Scene) -> None:
    services, spec = scene
    files = {RED: "tests/test_pricing.py", GREEN: "shop/pricing.py"}
    seen = TestReport("fail", "junit", {RED: "failed", GREEN: "passed"}, files=files)
    known = knowledge_of(services, spec, seen, [RED])
    assert "shop/pricing.py" in known.facts.paths
    assert "PricingTest" in known.facts.texts["tests/test_pricing.py"]
    assert [("def discount" in text) for text in known.facts.passing_texts] == [True]
    assert (known.facts.roots[0], known.facts.shared_network) == (spec.repository, spec.box == "host")
    assert known.facts.inside(services.workspace(spec).open_tree("x", spec.base).tree + "/gone") is not None
    assert "shop/pricing.py" in known.recent
