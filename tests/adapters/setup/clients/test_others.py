"""uv, poetry, cargo and go."""

from pathlib import Path

from reknit.adapters.setup.clients.others import cargo_configuration, go_configuration, pypi_configuration
from reknit.adapters.setup.clients.user_files import UserFiles


def test_usual_registries_and_those_of_variables(tmp_path: Path) -> None:
    user = UserFiles({"HOME": str(tmp_path)})
    assert [str(one.origin) for one in cargo_configuration(user).registries] == ["index.crates.io", "static.crates.io"]
    assert [str(one.origin) for one in pypi_configuration(user).registries] == ["pypi.org", "files.pythonhosted.org"]
    assert go_configuration(user).env["GOPROXY"] == "https://proxy.golang.org"
    user = UserFiles({"HOME": str(tmp_path), "GOPROXY": "https://me:canary@go.example|direct"})
    assert go_configuration(user).env["GOPROXY"] == "https://go.example"
    user = UserFiles({"HOME": str(tmp_path), "GOSUMDB": "sum.golang.org https://me:canary@go.example/sum"})
    assert go_configuration(user).env["GOSUMDB"] == "sum.golang.org https://go.example/sum"
