"""What a box is told."""

from pathlib import Path

from reknit.adapters.setup.client_settings import (
    make_box_settings,
    read_cargo_configuration,
    read_go_configuration,
    read_pypi_configuration,
)
from reknit.adapters.setup.user_files import UserFiles
from reknit.core.box import GATEWAY


def test_the_same_registries_without_logins(tmp_path: Path) -> None:
    environment = {
        "HOME": str(tmp_path),
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_INDEX_URL": "https://me:canary@pip.example/x/simple",
    }
    settings = make_box_settings("pip install .", environment, "the authority")
    assert settings.env["PIP_INDEX_URL"] == "https://pip.example/x/simple"
    assert settings.env["https_proxy"] == settings.env["HTTP_PROXY"] == GATEWAY
    assert [registry.url for registry in settings.registries] == ["https://pip.example/x"]
    assert settings.files == {".certificates.pem": b"the authority"}
    assert "canary" not in str(settings.env) + str(settings.files)


def test_usual_registries_and_those_of_variables(tmp_path: Path) -> None:
    user = UserFiles({"HOME": str(tmp_path)})
    assert [str(one.origin) for one in read_cargo_configuration(user).registries] == [
        "index.crates.io",
        "static.crates.io",
    ]
    assert [str(one.origin) for one in read_pypi_configuration(user).registries] == [
        "pypi.org",
        "files.pythonhosted.org",
    ]
    assert read_go_configuration(user).env["GOPROXY"] == "https://proxy.golang.org"
    user = UserFiles({"HOME": str(tmp_path), "GOPROXY": "https://me:canary@go.example|direct"})
    assert read_go_configuration(user).env["GOPROXY"] == "https://go.example"
    user = UserFiles({"HOME": str(tmp_path), "GOSUMDB": "sum.golang.org https://me:canary@go.example/sum"})
    assert read_go_configuration(user).env["GOSUMDB"] == "sum.golang.org https://go.example/sum"
