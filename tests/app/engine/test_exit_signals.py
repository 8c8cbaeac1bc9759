"""A wish to leave is never lost, wherever the signal finds the process."""

import os
import signal
import subprocess
import sys

import pytest

from reknit.app.engine.exit_signals import catch_exit_signals

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


class Finalized:
    """Python drops what is raised while an object goes."""

    def __init__(self, number: signal.Signals) -> None:
        self.number = number

    def __del__(self) -> None:
        os.kill(os.getpid(), self.number)


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_signal_in_a_finalizer_is_heard(number: signal.Signals) -> None:
    with catch_exit_signals() as pause:
        assert not pause(0)
        Finalized(number)
        assert pause(60)
        assert pause(0), "still, should the first to hear it not leave"


def test_a_signal_ends_the_pause() -> None:
    signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
    try:
        with catch_exit_signals() as pause:
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            assert pause(60)
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


@pytest.mark.parametrize("first", SIGNALS, ids=lambda number: number.name)
def test_a_further_ctrl_c_interrupts_what_hangs(first: signal.Signals) -> None:
    with catch_exit_signals(), pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), first)
        os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_terminal_that_goes_and_a_service_manager_may_say_it_twice(number: signal.Signals) -> None:
    with catch_exit_signals() as pause:
        os.kill(os.getpid(), number)
        os.kill(os.getpid(), number)
        assert pause(0)


def test_what_nohup_has_switched_off_stays_off() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with catch_exit_signals() as pause:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not pause(0)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_whoever_heard_the_signals_before_hears_them_again() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    with catch_exit_signals():
        assert [signal.getsignal(number) for number in SIGNALS] != before
    assert [signal.getsignal(number) for number in SIGNALS] == before


LEAVES = "from reknit.app.engine.exit_signals import exit_now; exit_now('the words', 75)"


def test_whoever_leaves_at_once_says_why() -> None:
    done = subprocess.run([sys.executable, "-c", LEAVES], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (75, "\nthe words\n")


def test_a_reader_that_does_not_read_does_not_delay_the_end() -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    while True:
        try:
            os.write(writing, b"x" * 4096)
        except BlockingIOError:
            break
    os.set_blocking(writing, True)
    done = subprocess.run([sys.executable, "-c", LEAVES], stderr=writing, check=False, timeout=60)
    os.close(reading)
    os.close(writing)
    assert done.returncode == 75
