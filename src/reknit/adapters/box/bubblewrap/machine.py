"""What this machine says about user namespaces."""

from pathlib import Path

from reknit.core.box_advice import Machine

_CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv")


def this_machine(root: Path = Path("/")) -> Machine:
    def setting(name: str, otherwise: str) -> str:
        try:
            return (root / "proc" / "sys" / name).read_text().strip()
        except OSError:
            return otherwise

    return Machine(
        kernel=setting("kernel/osrelease", ""),
        is_container=any((root / mark.lstrip("/")).exists() for mark in _CONTAINER_MARKS),
        is_restricted_by_apparmor=setting("kernel/apparmor_restrict_unprivileged_userns", "0") == "1",
        allows_namespaces=setting("kernel/unprivileged_userns_clone", "1") != "0",
        most_namespaces=int(most) if (most := setting("user/max_user_namespaces", "1")).isdecimal() else 1,
    )
