"""The checks for a few targets of Python."""

from reknit.core.tamper_checks.checks import Targets, TargetTest
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.python.make import MOST_FILES, make

TEXT = "from shop.price import discount\n\n\ndef test_a():\n    assert discount(200, 10) == 180\n"
PLAIN = "def test_a():\n    import shop\n"


def _target(file: str, name: str = "test_a") -> TargetTest:
    return TargetTest(f"{file}::{name}", file)


def test_each_file_of_targets_has_a_file_of_probes_beside_it() -> None:
    tests = (_target("a/test_x.py"), _target("b/test_y.py"))
    made = make(Targets("pytest", tests, {"a/test_x.py": TEXT, "b/test_y.py": TEXT}), Names("s"))
    assert [path.partition("/")[0] for path in made.probe_files] == ["a", "b"]
    assert {probe.id.partition("::")[0] for probe in made.probes} == {*made.probe_files}
    assert made.harness
    assert made.harness.tests == tuple(test.id for test in tests)
    assert made.harness.hidden == ("a/test_x.py", "b/test_y.py")


def test_many_files_are_not_all_probed() -> None:
    files = {f"test_{number}.py": TEXT for number in range(MOST_FILES + 5)}
    made = make(Targets("pytest", tuple(map(_target, files)), files), Names("s"))
    assert len(made.probe_files) == MOST_FILES


def test_no_file_of_the_project_is_replaced() -> None:
    targets = Targets("pytest", (_target("test_x.py"),), {"test_x.py": TEXT})
    taken = make(targets, Names("s")).probe_files
    made = make(Targets("pytest", targets.tests, targets.files, tuple(taken)), Names("s"))
    assert not made.probe_files
    assert "canaries" in made.why_not


def test_a_target_that_compares_nothing_has_no_twin() -> None:
    made = make(Targets("pytest", (_target("test_x.py"),), {"test_x.py": PLAIN}), Names("s"))
    assert {*made.why_not} == {"twins"}


def test_what_cannot_be_read_has_no_checks() -> None:
    made = make(Targets("pytest", (_target("test_x.py"),), {"test_x.py": "def test_a(:\n"}), Names("s"))
    assert {*made.why_not} == {"canaries", "twins", "second-harness"}


def test_a_doctest_has_no_checks() -> None:
    test = TargetTest("shop/price.py::shop.price.discount", "shop/price.py")
    made = make(
        Targets("pytest", (test,), {"shop/price.py": "def discount():\n    '''>>> 1\n    1\n    '''\n"}), Names("s")
    )
    assert {*made.why_not} == {"canaries", "twins", "second-harness"}
