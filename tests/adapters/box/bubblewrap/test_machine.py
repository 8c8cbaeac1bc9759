from pathlib import Path

from reknit.adapters.box.bubblewrap.machine import this_machine
from reknit.core.box_advice import Machine


def test_what_the_kernel_says(tmp_path: Path) -> None:
    assert this_machine(tmp_path) == Machine()
    for name, text in {
        "kernel/osrelease": "6.8.0-45-generic",
        "kernel/apparmor_restrict_unprivileged_userns": "1",
        "kernel/unprivileged_userns_clone": "0",
        "user/max_user_namespaces": "0",
    }.items():
        (tmp_path / "proc/sys" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "proc/sys" / name).write_text(f"{text}\n")
    (tmp_path / ".dockerenv").touch()
    expected = Machine(
        "6.8.0-45-generic",
        is_container=True,
        is_restricted_by_apparmor=True,
        allows_namespaces=False,
        most_namespaces=0,
    )
    assert this_machine(tmp_path) == expected
    (tmp_path / "proc/sys/user/max_user_namespaces").write_text("many\n")
    assert this_machine(tmp_path).most_namespaces == 1


def test_this_machine_has_a_kernel() -> None:
    assert this_machine().kernel
