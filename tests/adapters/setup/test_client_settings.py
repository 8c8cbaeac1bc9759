"""What a box is told."""

from pathlib import Path

from reknit.adapters.setup.client_settings import box_settings
from reknit.core.box import GATEWAY


def test_the_same_registries_without_logins(tmp_path: Path) -> None:
    environment = {
        "HOME": str(tmp_path),
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_INDEX_URL": "https://me:canary@pip.example/x/simple",
    }
    settings = box_settings("pip install .", environment, "the authority")
    assert settings.env["PIP_INDEX_URL"] == "https://pip.example/x/simple"
    assert settings.env["https_proxy"] == settings.env["HTTP_PROXY"] == GATEWAY
    assert [registry.url for registry in settings.registries] == ["https://pip.example/x"]
    assert settings.files == {".certificates.pem": b"the authority"}
    assert "canary" not in str(settings.env) + str(settings.files)
