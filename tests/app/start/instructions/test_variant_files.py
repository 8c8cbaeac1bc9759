"""Variants: ten are shipped, a repository adds others, and what is wrong is refused with its line."""

from dataclasses import replace
from pathlib import Path

import pytest

from reknit.app.start.instructions import variant_files
from reknit.app.start.instructions.variant_files import SHIPPED_VARIANTS, VARIANT_FOLDER, read_variants
from reknit.core.errors import InternalError, UsageError
from reknit.core.forge.values import OpenIssue, OpenPull
from reknit.core.planning.context import Inventory, RepoContext
from reknit.core.planning.intent import Intent
from reknit.core.planning.variants.scoring import score_variants
from reknit.core.planning.variants.signals import NAMES
from reknit.core.planning.variants.variant import Variant
from reknit.core.planning.variants.variant_file import VariantProblem


def put(root: Path, name: str, text: str = "purpose = 'Mine.'") -> Path:
    path = root / VARIANT_FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def refused(root: Path) -> UsageError:
    with pytest.raises(UsageError) as caught:
        read_variants(root)
    assert (caught.value.name, caught.value.exit_code) == ("variant-file", 2)
    return caught.value


def test_ten_are_shipped_with_and_without_a_repository(tmp_path: Path) -> None:
    assert [each.name for each in read_variants(None)] == [*SHIPPED_VARIANTS]
    assert len(SHIPPED_VARIANTS) == 10
    assert read_variants(tmp_path) == read_variants(None)
    assert {each.origin for each in read_variants(None)} == {""}


def test_every_file_that_is_shipped_is_one_of_them() -> None:
    folder = Path(variant_files.__file__).parents[3] / "variants"
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"{name}.toml" for name in SHIPPED_VARIANTS)


def by_name(name: str) -> Variant:
    (found,) = (each for each in read_variants(None) if each.name == name)
    return found


def test_each_has_a_purpose_and_every_signal_has_a_variant() -> None:
    assert all(each.purpose.endswith(".") for each in read_variants(None))
    assert {signal for each in read_variants(None) for signal, _ in each.signals} == {*NAMES}


@pytest.mark.parametrize(
    ("signal", "name"),
    [
        ("missing-governance", "grey"),
        ("red-ci", "red"),
        ("stale-state", "professor"),
        ("small-issues", "fixit"),
        ("heavy-refactor", "green"),
        ("critical-incident", "world-breaker"),
    ],
)
def test_a_signal_of_the_table_weighs_most_for_its_variant(signal: str, name: str) -> None:
    weights = {each.name: dict(each.signals).get(signal, 0) for each in read_variants(None)}
    assert max(weights, key=lambda each: weights[each]) == name


CALM = RepoContext("2026-11-17", "topic", "main", inventory=Inventory(tests=("pytest",)))
RED = OpenPull(1, "A", "a", draft=False, merge_state="clean", red_checks=("build",))


@pytest.mark.parametrize(
    ("context", "best"),
    [
        pytest.param(replace(CALM, governance_missing=("CHANGELOG", "dependabot")), "grey", id="missing governance"),
        pytest.param(replace(CALM, pulls=(RED, replace(RED, number=2))), "red", id="red CI"),
        pytest.param(replace(CALM, state_age_days=15), "professor", id="stale STATE.md"),
        pytest.param(replace(CALM, inventory=replace(CALM.inventory, issues=((2, 10),))), "fixit", id="small issues"),
        pytest.param(replace(CALM, branch_files=51), "green", id="heavy refactor"),
        pytest.param(replace(CALM, issues=(OpenIssue(1, "Login", ("incident",)),)), "world-breaker", id="incident"),
        pytest.param(
            replace(CALM, inventory=replace(CALM.inventory, issues=((5, 30),))), "immortal", id="long backlog"
        ),
        pytest.param(
            replace(
                CALM,
                pulls=(replace(RED, red_checks=(), merge_state="dirty"), replace(RED, number=2, merge_state="dirty")),
            ),
            "old-man",
            id="conflicts",
        ),
        pytest.param(CALM, "blue", id="nothing stands out"),
    ],
)
def test_a_repository_with_one_signal_ranks_its_variant_first(context: RepoContext, best: str) -> None:
    ranking = score_variants(context, read_variants(None), Intent("topic"))
    assert (ranking[0].variant, len(ranking)) == (best, 10)
    assert all(score_variants(context, read_variants(None)[::-1], Intent("topic")) == ranking for _ in range(3))


def test_the_floors_are_where_they_belong() -> None:
    assert {each.name: each.floors for each in read_variants(None) if each.floors} == {
        "world-breaker": ("confirmed",),
        "old-man": ("off the default branch",),
        "savage": ("clean tree",),
        "immortal": ("tests",),
    }
    assert [each.name for each in read_variants(None) if each.flow == "report"] == ["blue"]
    assert by_name("immortal").tasks == 1


def test_a_repository_adds_its_own_by_name(tmp_path: Path) -> None:
    put(tmp_path, "zebra.toml")
    put(tmp_path, "apple.toml")
    put(tmp_path, "README.md", "# About")
    added = read_variants(tmp_path)[len(SHIPPED_VARIANTS) :]
    assert [(each.name, each.purpose, each.origin) for each in added] == [
        ("apple", "Mine.", ".reknit/variants/apple.toml"),
        ("zebra", "Mine.", ".reknit/variants/zebra.toml"),
    ]


def test_one_of_ours_is_never_replaced(tmp_path: Path) -> None:
    put(tmp_path, "grey.toml")
    problem = refused(tmp_path)
    assert problem.message == "the variant 'grey' is shipped with reknit and cannot be replaced"
    assert problem.where == ".reknit/variants/grey.toml"


def test_a_mistake_is_said_with_file_and_line(tmp_path: Path) -> None:
    put(tmp_path, "mine.toml", "purpose = 'p'\nbase = 'x'")
    assert refused(tmp_path).where == ".reknit/variants/mine.toml:2"


def test_all_mistakes_of_all_files_are_said_at_once(tmp_path: Path) -> None:
    put(tmp_path, "a.toml", "buget_usd = 1")
    put(tmp_path, "grey.toml")
    put(tmp_path, "b.toml").unlink()
    (tmp_path / VARIANT_FOLDER / "b.toml").symlink_to("/etc/passwd")
    said = refused(tmp_path).message.splitlines()
    assert said[0] == "the variant files have 4 problems:"
    assert [line.split(":")[0].strip() for line in said[1:]] == [
        ".reknit/variants/a.toml", ".reknit/variants/a.toml", ".reknit/variants/b.toml", ".reknit/variants/grey.toml",
    ]  # fmt: skip


def test_more_files_than_anyone_needs_are_refused(tmp_path: Path) -> None:
    for number in range(51):
        put(tmp_path, f"v{number}.toml")
    assert refused(tmp_path).message == "there are 51 variants, and 50 are read at most"


def test_a_shipped_file_that_is_wrong_is_our_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variant_files, "parse_variant", lambda *_: (VariantProblem(1, "bad"),))
    with pytest.raises(InternalError, match="the shipped variant 'grey' is wrong: bad"):
        read_variants(None)
