"""npm's files and variables, as a box may see them."""

from pathlib import Path

from reknit.adapters.setup.clients.npm import npm_configuration, yarn_configuration
from reknit.adapters.setup.clients.user_files import UserFiles, basic

NPMRC = """\
; ours
registry=https://npm.example/group/
@mine:registry=https://me:canary@mine.example/
//npm.example/:_authToken=${TOKEN}
//other.example/:username=me
//other.example/:_password=d29yZA==
@other:registry=https://other.example/deep/er/
"""


def test_everything_a_file_names(tmp_path: Path) -> None:
    (tmp_path / ".npmrc").write_text(NPMRC)
    found = npm_configuration(UserFiles({"HOME": str(tmp_path), "TOKEN": "canary"}))
    assert [(registry.url, registry.login) for registry in found.registries] == [
        ("https://npm.example/group", "Bearer canary"),
        ("https://mine.example", basic("me", "canary")),
        ("https://other.example/deep/er", basic("me", "word")),
    ]
    assert "canary" not in str(found.files)


def test_the_usual_registries(tmp_path: Path) -> None:
    user = UserFiles({"HOME": str(tmp_path), "NPM_CONFIG_USERCONFIG": str(tmp_path / "none")})
    assert [registry.url for registry in npm_configuration(user).registries] == ["https://registry.npmjs.org"]
    assert [registry.url for registry in yarn_configuration(user).registries] == ["https://registry.yarnpkg.com"]


def test_what_npm_cannot_read_is_neither_used_nor_shown(tmp_path: Path) -> None:
    broken = "registry=//me:canary@npm.example/\n@a:registry=https://a.example/\n//a.example/:username=me\n"
    (tmp_path / ".npmrc").write_text(f"{broken}//a.example/:_password=w\u00f6rd\n")
    found = npm_configuration(UserFiles({"HOME": str(tmp_path)}))
    assert [(registry.url, registry.login) for registry in found.registries] == [("https://a.example", "")]
    assert "canary" not in str(found.files)
