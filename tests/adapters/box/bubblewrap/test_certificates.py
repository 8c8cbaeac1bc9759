"""Certificates are shown; private keys beside them are not."""

from pathlib import Path

from reknit.adapters.box.bubblewrap.certificates import find_keys
from tests.adapters.box.in_box import write


def test_keys_are_known_by_their_names_and_by_who_may_read_them(tmp_path: Path) -> None:
    files = ("a.pem", "site.key", "Site.KEY", "store.p12", "store.pfx", "java/cacerts", "closed.pem", "private/a.pem")
    write(dict.fromkeys((*files, "java/inner.key", "team/x.pem"), ""), str(tmp_path))
    (tmp_path / "closed.pem").chmod(0o640)
    (tmp_path / "team").chmod(0o750)
    (tmp_path / "link.pem").symlink_to("/nowhere/site.key")
    found = {str(Path(path).relative_to(tmp_path)) for path in find_keys(str(tmp_path))}
    assert found == {
        "site.key",
        "Site.KEY",
        "store.p12",
        "store.pfx",
        "java/inner.key",
        "closed.pem",
        "private",
        "team",
    }


def test_a_host_without_certificates_has_no_keys(tmp_path: Path) -> None:
    assert list(find_keys(str(tmp_path / "not-there"))) == []
