import pytest

from reknit.core.box_advice import Machine, explain_missing_box


@pytest.mark.parametrize(
    ("machine", "why", "help_"),
    [
        (Machine("4.4.0-19041-Microsoft"), "WSL 1 has no user namespaces", "wsl --set-version DISTRIBUTION 2"),
        (Machine("5.15.0-microsoft-standard-WSL2"), "", "`reknit doctor`"),
        (Machine("6.8.0", is_container=True, is_restricted_by_apparmor=True), "this container", "seccomp=unconfined"),
        (Machine("6.8.0-45-generic", is_restricted_by_apparmor=True), "AppArmor", "profile reknit-bwrap /opt/bwrap "),
        (Machine(allows_namespaces=False), "user namespaces are switched off", "unprivileged_userns_clone=1"),
        (Machine(most_namespaces=0), "user namespaces are switched off", "user.max_user_namespaces=15000"),
        (Machine(), "", "allow unprivileged user namespaces"),
    ],
)
def test_the_reason_and_what_to_type(machine: Machine, why: str, help_: str) -> None:
    said, hint = explain_missing_box(machine, "/opt/bwrap")
    assert said.startswith(why)
    assert help_ in hint
