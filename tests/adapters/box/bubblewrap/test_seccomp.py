"""The filter itself; that it bites is seen by the self-test inside a box."""

import pytest

from reknit.adapters.box.bubblewrap import seccomp
from reknit.core.errors import ToolMissing


def test_a_machine_without_a_table_gets_no_box() -> None:
    with pytest.raises(ToolMissing, match="'aarch64'"):
        seccomp.program("aarch64")


def test_the_program_is_whole_instructions_and_ends_with_allow() -> None:
    program = seccomp.program("x86_64")
    assert len(program) % 8 == 0
    assert len(program) // 8 < 4096, "the kernel's limit"
    assert program[-8:] == bytes([0x06, 0, 0, 0]) + (0x7FFF0000).to_bytes(4, "little")


def test_every_jump_stays_inside_the_program() -> None:
    program = seccomp.program("x86_64")
    steps = [program[at : at + 8] for at in range(0, len(program), 8)]
    jumps = [(at, step[2], step[3]) for at, step in enumerate(steps) if step[0] in (0x15, 0x35, 0x45)]
    assert jumps
    assert all(at + 1 + max(yes, no) < len(steps) for at, yes, no in jumps)
