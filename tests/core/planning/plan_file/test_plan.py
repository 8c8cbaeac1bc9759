"""Where plans are, and by what they are known."""

from reknit.core.planning.plan_file.plan import PlanProblem, digest, plan_path


def test_names() -> None:
    assert plan_path("next") == ".reknit/plans/next-advisor.md"
    assert str(PlanProblem(3, "no date", "write one")) == "line 3: no date; write one"
    assert digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
