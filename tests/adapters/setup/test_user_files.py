"""Files and logins of the user."""

from pathlib import Path

from reknit.adapters.setup.user_files import UserFiles, make_basic_login, read_registry
from reknit.core.setup.registries import Origin


def test_the_folder_of_the_user_s_configurations() -> None:
    assert UserFiles({"HOME": "/home/dev"}).config == Path("/home/dev/.config")
    assert UserFiles({"XDG_CONFIG_HOME": "/etc/xdg"}).config == Path("/etc/xdg")


def test_logins_of_netrc(tmp_path: Path) -> None:
    origin, user = Origin("https", "a.example", 443), UserFiles({"HOME": str(tmp_path)})
    assert user.find_netrc_login(origin) == ""
    (tmp_path / ".netrc").write_text("machine a.example login me password word\n")
    (tmp_path / ".netrc").chmod(0o600)
    assert user.find_netrc_login(origin) == make_basic_login("me", "word")
    assert user.find_netrc_login(Origin("https", "b.example", 443)) == ""
    (tmp_path / "broken").write_text("machine")
    assert UserFiles({"NETRC": str(tmp_path / "broken")}).find_netrc_login(origin) == ""


def test_an_address_as_a_registry() -> None:
    found = read_registry("https://me:w%40rd@a.example:8443/x//y/")
    assert found
    assert (str(found.origin), found.path, found.login) == ("a.example:8443", "/x/y/", make_basic_login("me", "w@rd"))
    assert read_registry("file:///srv/wheels") is None
    assert read_registry("https://a.example:x/") is None
