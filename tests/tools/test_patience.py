"""Limits of tests are longer on a slow or busy machine, and never shorter than written."""

import pytest

from tests.tools import patience


@pytest.mark.parametrize(
    ("work_s", "load", "factor"),
    [
        pytest.param(0.5, 0.0, 1.0, id="faster than usual"),
        pytest.param(3.0, 0.0, 3.0, id="a slow processor"),
        pytest.param(0.5, 8.0, 4.0, id="a busy machine"),
        pytest.param(99.0, 99.0, patience.MAX_FACTOR, id="a limit stays one"),
    ],
)
def test_the_slower_the_machine_the_longer(
    work_s: float, load: float, factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "_measure", lambda: work_s * patience.USUAL_S)
    monkeypatch.setattr("os.getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert patience.find_factor() == factor


def test_a_test_without_a_limit_of_its_own_has_the_usual_one(request: pytest.FixtureRequest) -> None:
    assert _limit_s(request) == patience.scale(180)


@pytest.mark.timeout(20)
def test_a_tests_own_limit_is_scaled(request: pytest.FixtureRequest) -> None:
    assert _limit_s(request) == patience.scale(20)


def _limit_s(request: pytest.FixtureRequest) -> float:
    mark = request.node.get_closest_marker("timeout")
    assert mark
    return float(mark.args[0])
