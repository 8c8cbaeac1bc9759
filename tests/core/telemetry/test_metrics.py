"""The metrics of all runs, in the text format of Prometheus."""

from reknit.core.stats.figures import AgentFigures, EndingFigures, Figures, RuleFigures
from reknit.core.telemetry.metrics import EVER, render_metrics

FIGURES = Figures(
    "", EVER, (EndingFigures("FIXED", 2, 0.5, 0.25, 60.0), EndingFigures("open", 3, 0.25, 0.0, 0.0)),
    (AgentFigures('a"b\\c\nd', 4, 2, 0.5, 1_234_567_890_123, 10.0),), (), (RuleFigures("test-removed", 7),),
)  # fmt: skip


def test_every_family_has_a_help_a_type_and_its_samples() -> None:
    lines = render_metrics(FIGURES).splitlines()
    samples = [line for line in lines if not line.startswith("#")]
    assert samples == [
        'reknit_runs_total{ending="FIXED"} 2',
        'reknit_run_seconds_total{ending="FIXED"} 60',
        "reknit_open_runs 3",
        "reknit_spent_usd_total 0.75",
        "reknit_reserved_usd 0.25",
        'reknit_attempts_total{agent="a\\"b\\\\c d"} 4',
        'reknit_attempt_tokens_total{agent="a\\"b\\\\c d"} 1234567890123',
        'reknit_accepted_fixes_total{agent="a\\"b\\\\c d"} 2',
        'reknit_gate_refusals_total{rule="test-removed"} 7',
    ]
    helps, types = ([line.split()[2] for line in lines if line.startswith(f"# {word}")] for word in ("HELP", "TYPE"))
    assert helps == types
    assert len(helps) == 9


def test_without_a_run_the_sums_are_zero() -> None:
    text = render_metrics(Figures("", EVER))
    assert "reknit_spent_usd_total 0\n" in text
    assert "reknit_open_runs 0\n" in text
    assert text.endswith("\n")
