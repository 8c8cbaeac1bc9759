"""What ten findings cost: calls, and bytes of each prompt."""

from pathlib import Path

from tests.app.test_economy import slope
from tests.tools.review_scene import COR, ReviewScene, confirms, mends, problem, says

FINDINGS = range(1, 11)


def test_ten_findings_are_one_review_ten_fixes_and_ten_confirmations_that_do_not_grow(tmp_path: Path) -> None:
    scene = ReviewScene(tmp_path, modules=len(FINDINGS))
    scene.tell([says(COR, *map(problem, FINDINGS)), confirms()], [mends(number) for number in FINDINGS])
    played = scene.play(COR)
    names = [asked.name for asked in played.asked]
    assert (names[0], names[1:]) == ("review", ["fix_review", "confirm_fix"] * 10)
    assert (played.ending, len(scene.landed(played.run.id)), len(scene.entries())) == ("FIXED", 10, 11)
    for name in ("fix_review", "confirm_fix"):
        sizes = [len(asked.prompt.encode()) for asked in played.asked if asked.name == name]
        assert abs(slope(sizes)) <= 0.01
