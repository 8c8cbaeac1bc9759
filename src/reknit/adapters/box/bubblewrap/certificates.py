"""Shows the host's certificates in a box, without the private keys that may be next to them."""

import os
from collections.abc import Iterator

from reknit.adapters.box.bubblewrap.mounts import Mounts

_CERTIFICATES = "/etc/ssl/certs"
_SHOWN = (_CERTIFICATES, "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf")
_KEY_SUFFIXES = (".key", ".p12", ".pfx")


def show_certificates(mounts: Mounts) -> None:
    for path in _SHOWN:
        mounts.read_only(path, path)
    for path in find_keys(_CERTIFICATES):
        mounts.hide(path)


def find_keys(folder: str) -> Iterator[str]:
    """Files named like a key, folders named `private`, and whatever is not world-readable."""
    if not os.access(folder, os.R_OK | os.X_OK):
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                continue  # it leads to something the box shows, or nowhere
            mode = entry.stat(follow_symlinks=False).st_mode
            if entry.is_dir(follow_symlinks=False):
                if entry.name == "private" or mode & 0o005 != 0o005:
                    yield entry.path
                else:
                    yield from find_keys(entry.path)
            elif entry.name.lower().endswith(_KEY_SUFFIXES) or not mode & 0o004:
                yield entry.path
