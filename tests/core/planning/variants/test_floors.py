"""Floors: each holds, does not hold, and does not hold if nobody can tell."""

from dataclasses import replace
from typing import get_args

import pytest

from reknit.core.planning.context import Inventory, RepoContext
from reknit.core.planning.intent import Intent
from reknit.core.planning.variants.scoring import FLOORS, find_unmet_floors
from reknit.core.planning.variants.signals import list_changed_files
from reknit.core.planning.variants.variant import Floor, Variant

ASKED = Intent("topic")


def context(
    branch: str = "topic", default: str = "main", changed: tuple[str, ...] = (), tests: tuple[str, ...] = ()
) -> RepoContext:
    return RepoContext("2026-11-17", branch, default, changed=changed, inventory=Inventory(tests=tests))


@pytest.mark.parametrize(
    ("floor", "given", "intent", "why"),
    [
        ("off the default branch", context(), ASKED, ""),
        ("off the default branch", context("main"), ASKED, "it must not run on the default branch main"),
        ("off the default branch", context(""), ASKED, "it needs a branch of its own, and none is checked out"),
        (
            "off the default branch",
            context(default=""),
            ASKED,
            "it must not run on the default branch, and origin does not say which one that is",
        ),
        ("confirmed", context(), Intent("topic", confirmed=True), ""),
        ("confirmed", context(), ASKED, "it needs --confirm-burn-everything, which was not given"),
        ("clean tree", context(), ASKED, ""),
        ("clean tree", context(changed=(".reknit/plans/topic-advisor.md",)), ASKED, ""),
        (
            "clean tree",
            replace(context(), has_status=False),
            ASKED,
            "it needs a clean tree, and git did not say what has changed",
        ),
        (
            "clean tree",
            context(changed=("a.py",)),
            ASKED,
            "it needs a clean tree, and 1 file changed since the last commit",
        ),
        ("tests", context(tests=("pytest",)), ASKED, ""),
        ("tests", context(), ASKED, "it needs a test command, and none was found"),
    ],
)
def test_a_floor_says_why_it_does_not_hold(floor: Floor, given: RepoContext, intent: Intent, why: str) -> None:
    assert FLOORS[floor](given, intent) == why
    assert find_unmet_floors(Variant("v", "p", floors=(floor,)), given, intent) == ((why,) if why else ())


def test_every_floor_has_its_rule_and_all_that_do_not_hold_are_said() -> None:
    floors: tuple[Floor, ...] = get_args(Floor)
    assert set(FLOORS) == set(floors)
    assert len(find_unmet_floors(Variant("v", "p", floors=floors), context("main", changed=("a",)), ASKED)) == len(
        floors
    )


def test_a_plan_is_not_a_change_of_the_code() -> None:
    assert list_changed_files(context(changed=(".reknit/plans/x.md", ".reknit/variants/x.toml", "a"))) == (
        ".reknit/variants/x.toml",
        "a",
    )
