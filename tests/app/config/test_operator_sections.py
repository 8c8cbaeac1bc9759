"""What only the operator sets. An address in `[notify]` may contain a secret: no output repeats it."""

import json

import pytest

from reknit.app.config.load import load
from reknit.core.errors import UsageError
from reknit.core.notify.channels import Channels

ADDRESS = "https://hooks.slack.test/SECRET"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        pytest.param("REKNIT_NOTIFY__SLACK", "ftp://hooks.slack.test/SECRET", id="a wrong address"),
        pytest.param("REKNIT_NOTIFY__BELL", ADDRESS, id="in the wrong place"),
        pytest.param("REKNIT_NOTIFY", f'{{"slack": "{ADDRESS}",', id="in a table that is no JSON"),
        pytest.param("REKNIT_NOTIFY", f'{{"slack": ["{ADDRESS}"]}}', id="in a list"),
    ],
)
def test_an_error_does_not_repeat_the_address(variable: str, value: str) -> None:
    with pytest.raises(UsageError) as problem:
        load(None, {}, {variable: value})
    assert "SECRET" not in f"{problem.value.message} {problem.value.where} {problem.value.help}"
    assert "REKNIT_NOTIFY" in problem.value.message


def test_the_shown_configuration_hides_the_address_and_the_channels_have_it() -> None:
    config = load(None, {}, {"REKNIT_NOTIFY__SLACK": ADDRESS, "REKNIT_NOTIFY__BELL": "true"})
    assert "SECRET" not in json.dumps(config.model_dump(mode="json")) + repr(config)
    assert config.notify.channels() == Channels(bell=True, slack=ADDRESS)
