"""A repository sets what is on the list, within its bounds, and nothing else: not by any name, not by any effect."""

import random
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from pydantic.fields import FieldInfo

from reknit.app.config.load import Config, load
from reknit.app.config.repository_settings import REPOSITORY_MAY_SET, find_refused_names, refuse_changed_values
from reknit.app.config.sources import ConfigFile
from reknit.core.errors import UsageError
from tests.tools.operator_settings import EVERY, OPERATORS, is_taken, operators_part, path_of, to_plain
from tests.tools.setting_spellings import other_value, read_carelessly, spellings, toml

Key = tuple[str, ...]


def table_with(path: Key, value: Any) -> dict[str, Any]:
    *outer, last = path
    table = {last: value}
    for key in reversed(outer):
        table = {key: table}
    return table


def each(fields: dict[str, FieldInfo]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("name", "field"), fields.items(), ids=fields)


@pytest.fixture(autouse=True)
def nobodys_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


def test_the_list_names_settings_that_exist() -> None:
    assert REPOSITORY_MAY_SET.keys() <= EVERY.keys()


def test_what_could_leave_the_box_move_a_key_write_a_file_or_refute_a_finding_is_not_on_it() -> None:
    assert set(OPERATORS) == {
        "box", "setup_layers_gb",
        "agents.*.kind", "agents.*.story", "agents.*.binary", "agents.*.command", "agents.*.upstream",
        "agents.*.provider", "agents.*.key_env", "agents.*.env", "workspace.show", "forge.kind", "forge.api",
        "forge.remote", "forge.token_env", "review.progress", "review.second_look", "review.second_opinion",
        "proof.holdout", "proof.holdout_agent", "proof.holdout_usd", "notify.bell", "notify.desktop",
        "notify.webhook", "notify.slack", "telemetry.endpoint", "telemetry.log_format",
        "serve.public_url", "serve.client_id",
    }  # fmt: skip
    assert {name for name in EVERY if name not in REPOSITORY_MAY_SET} - set(OPERATORS) == {
        "gate.allow.*.rule", "gate.allow.*.path", "gate.allow.*.reason", "gate.allow.*.until",
    }  # fmt: skip


def changed_value(field: FieldInfo) -> Any:
    return False if field.default is True else other_value(field.annotation)


@each(OPERATORS)
def test_the_operators_settings_are_refused_by_name(tmp_path: Path, name: str, field: FieldInfo) -> None:
    path, default = path_of(name), field.get_default(call_default_factory=True)
    for value in (other_value(field.annotation), default):
        (tmp_path / "reknit.toml").write_text(f"{'.'.join(path)} = {toml(to_plain(value))}")
        with pytest.raises(UsageError) as caught:
            load(tmp_path, {}, {})
        assert caught.value.message == f"`{'.'.join(path)}` may not be set by a repository"
        assert caught.value.where.startswith("reknit.toml")
        assert caught.value.help == "set it in your own config file"


@each(OPERATORS)
def test_the_operator_sets_them_in_a_file_of_their_own(tmp_path: Path, name: str, field: FieldInfo) -> None:
    own = tmp_path / "own.toml"
    own.write_text(f"{'.'.join(path_of(name))} = {toml(changed_value(field))}")
    assert operators_part(load(tmp_path, {}, {"REKNIT_CONFIG": str(own)})) != operators_part(load(tmp_path, {}, {}))


@each(OPERATORS)
def test_whatever_way_it_came_a_changed_operators_setting_stops_the_run(name: str, field: FieldInfo) -> None:
    path, value = path_of(name), changed_value(field)
    changed = Config.model_validate(table_with(path, value))
    for config, own in ((changed, Config()), (Config(), changed)):
        with pytest.raises(UsageError, match="may not be set by a repository"):
            refuse_changed_values(config, own, [])


ANY_VALUE = ("any value", "its own programs")


LISTS = ("projects.", "services.")


@each(
    {
        name: EVERY[name]
        for name, bound in REPOSITORY_MAY_SET.items()
        if bound in ANY_VALUE and not name.startswith(LISTS)
    }
)
def test_what_is_on_the_list_a_repository_sets(tmp_path: Path, name: str, field: FieldInfo) -> None:
    path = path_of(name)
    special = {"vote.agents": ["codex", "gemini"], "gate.forbid": ["protected-config:**"]}
    value = special.get(name, [".x"] if "issues." in name else other_value(field.annotation))
    (tmp_path / "reknit.toml").write_text(f"{'.'.join(path)} = {toml(value)}")
    assert load(tmp_path, {}, {}) == Config.model_validate(table_with(path, value))


def test_a_repository_lists_its_projects(tmp_path: Path) -> None:
    (tmp_path / "reknit.toml").write_text(
        '[[projects]]\nfolder = "back/"\n[[projects]]\nfolder = "."\ntests = { run = "./x.sh", report = "*.xml" }\n'
    )
    back, top = load(tmp_path, {}, {}).projects
    assert (back.folder, back.tests.run) == ("back", "")
    assert (top.folder, top.tests.run, top.tests.report) == ("", "./x.sh", "*.xml")


def test_a_repository_lists_the_services_of_its_tests(tmp_path: Path) -> None:
    (tmp_path / "reknit.toml").write_text(
        '[[services]]\nrun = "postgres"\n[[projects]]\nfolder = "web"\n[[projects.services]]\nrun = "./serve x"\n'
        'ready = 3000\nready_s = 5\nenv = { URL = "http://127.0.0.1:3000" }\n'
    )
    config = load(tmp_path, {}, {})
    assert [service.run for service in config.services] == ["postgres"]
    [own] = config.projects[0].services
    assert (own.run, own.ready, own.ready_s, own.env) == ("./serve x", 3000, 5.0, {"URL": "http://127.0.0.1:3000"})


@pytest.mark.parametrize(
    ("text", "what", "where"),
    [
        (
            '[[services]]\nrun = "../other/bin/server"\nready = 1\n',
            "`services.0.run` in a repository's file may not name '../other/bin/server'",
            "reknit.toml",
        ),
        ('[[services]]\nrun = "./server"\n', "services.0: './server' needs `ready`", "reknit.toml"),
        ('[[services]]\nrun = "redis-server"\nshow = "/"\n', "unknown setting `services.0.show`", "reknit.toml"),
        ('[[projects]]\nfolder = "a"\nbox = "host"\n', "unknown setting `projects.0.box`", "reknit.toml"),
        ('[[projects]]\nfolder = "../a"\n', "projects.0.folder: expected a folder of the repository", ""),
        ('[[projects]]\nfolder = "a/../../b"\n', "projects.0.folder: expected a folder of the repository", ""),
        ('[[projects]]\nfolder = "/etc"\n', "projects.0.folder: expected a folder of the repository", ""),
        ('[[projects]]\nfolder = "x/.git"\n', "projects.0.folder: expected a folder of the repository", ""),
        ('[[projects]]\nfolder = ""\n', "projects.0.folder: expected a folder of the repository", ""),
        (
            '[[projects]]\nfolder = "a"\ntests.run = "../../x/bin/python -m pytest"\n',
            "`projects.0.tests.run` in a repository's file may not name '../../x/bin/python'",
            "reknit.toml",
        ),
    ],
)
def test_a_project_is_inside_the_repository_and_sets_its_tests_alone(
    tmp_path: Path, text: str, what: str, where: str
) -> None:
    (tmp_path / "reknit.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        load(tmp_path, {}, {})
    assert caught.value.message.startswith(what)
    assert caught.value.where.startswith(where)


def test_a_setting_that_is_added_tomorrow_is_the_operators(tmp_path: Path) -> None:
    class Tomorrow(Config):
        brand_new: str = ""

    file = ConfigFile(tmp_path / "reknit.toml", {"brand_new": "x"}, is_repository=True)
    file.path.write_text('brand_new = "x"')
    assert [problem.message for problem in find_refused_names(file, Tomorrow)] == [
        "`brand_new` may not be set by a repository"
    ]
    with pytest.raises(UsageError, match="`brand_new` may not be set by a repository"):
        refuse_changed_values(Tomorrow(brand_new="x"), Tomorrow(), [file])


@each(OPERATORS)
def test_no_spelling_is_taken(tmp_path: Path, name: str, field: FieldInfo) -> None:
    path = path_of(name)
    tried = list(islice(spellings(path, field, random.Random(name)), 150))
    assert sum(read_carelessly(spelling, path) for spelling in tried) > 40
    assert [spelling for spelling in tried if is_taken(tmp_path, spelling)] == []


def test_a_capital_letter_is_answered_with_the_name_that_exists(tmp_path: Path) -> None:
    (tmp_path / "reknit.toml").write_text('[checks.tests]\nrun = "x"\n[Loop]\nattempts = 9')
    with pytest.raises(UsageError) as caught:
        load(tmp_path, {}, {})
    assert (caught.value.message, caught.value.help) == ("unknown setting `Loop`", "did you mean `loop`?")
    assert caught.value.where == "reknit.toml:3"
