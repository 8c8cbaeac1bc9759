"""How a plan is recognised: by each part of its text, with or without what runs write into it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from reknit.core.planning.plan_file.printing import print_plan
from reknit.core.planning.plan_file.written import accepted_key, make_current, written_key
from tests.tools.plan_files import PLAN

TEXT = print_plan(PLAN)


@pytest.mark.parametrize("key_of", [written_key, accepted_key])
def test_every_part_counts(key_of: Callable[[str, str, str], str]) -> None:
    key = key_of("/r", "a.md", "text")
    assert key == key_of("/r", "a.md", "text")
    others = {key_of("/s", "a.md", "text"), key_of("/r", "b.md", "text"), key_of("/r", "a.md", "texts")}
    assert len({key, *others}) == 4


def test_results_do_not_count_and_everything_else_does() -> None:
    results = tuple(replace(each, result="passed: it is there") for each in PLAN.criteria)
    key = accepted_key("/r", "a.md", TEXT)
    assert key == accepted_key("/r", "a.md", print_plan(replace(PLAN, criteria=results)))
    assert key != accepted_key("/r", "a.md", print_plan(replace(PLAN, criteria=results[:1])))
    assert key != accepted_key("/r", "a.md", print_plan(replace(PLAN, grants=("x.yml",))))


def test_a_plan_is_made_current_by_one_word() -> None:
    text = print_plan(replace(PLAN, status="provisional", context="status: provisional"))
    assert make_current(text) == print_plan(replace(PLAN, status="current", context="status: provisional"))
