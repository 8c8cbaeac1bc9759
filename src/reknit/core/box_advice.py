"""Explains why no box can be built on a machine, and what to type to change that."""

from dataclasses import dataclass

_PROFILE = """\
sudo tee /etc/apparmor.d/reknit-box >/dev/null <<'END'
abi <abi/4.0>,
include <tunables/global>
profile reknit-bwrap {bwrap} flags=(unconfined) {{ userns, }}
profile reknit-unshare /usr/bin/unshare flags=(unconfined) {{ userns, }}
END
sudo apparmor_parser -r /etc/apparmor.d/reknit-box"""
_DOCKER = (
    "start the container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
    "--security-opt systempaths=unconfined, or run reknit outside it"
)


@dataclass(frozen=True)
class Machine:
    """The properties of a machine that decide whether a box can be built."""

    kernel: str = ""
    """Its release, as `uname -r` prints it."""
    is_container: bool = False
    is_restricted_by_apparmor: bool = False
    allows_namespaces: bool = True
    """Debian's own switch, `kernel.unprivileged_userns_clone`."""
    most_namespaces: int = 1
    """`user.max_user_namespaces`."""


def explain_missing_box(machine: Machine, bwrap: str) -> tuple[str, str]:
    """Return the reason and the remedy, for the first cause that applies."""
    if "microsoft" in machine.kernel.lower() and "wsl2" not in machine.kernel.lower():
        return "WSL 1 has no user namespaces", "in PowerShell: wsl --set-version DISTRIBUTION 2"
    if machine.is_container:
        return "this container may not create user namespaces", _DOCKER
    if machine.is_restricted_by_apparmor:
        return "AppArmor restricts user namespaces, as on Ubuntu 24.04", _PROFILE.format(bwrap=bwrap)
    if not machine.allows_namespaces:
        return "user namespaces are switched off", "sudo sysctl -w kernel.unprivileged_userns_clone=1"
    if machine.most_namespaces == 0:
        return "user namespaces are switched off", "sudo sysctl -w user.max_user_namespaces=15000"
    return "", "allow unprivileged user namespaces for bwrap, then `reknit doctor`"
