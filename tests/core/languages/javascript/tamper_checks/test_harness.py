"""The second harness of JavaScript, as a value."""

import json
import re
from collections.abc import Mapping

import pytest

from reknit.core.languages.javascript.tamper_checks.harness import make_harness, render_program
from reknit.core.tamper_checks.checks import Harness, Names, Targets, TargetTest

NAMES = Names("seed")
FILE = "test/price.test.js"
TEXT = 'const test = require("node:test");\ntest("discount", () => {});\n'
TEST = TargetTest(f"{FILE}::discount", FILE)


def harness(
    files: Mapping[str, str], tests: tuple[TargetTest, ...] = (TEST,), tracked: tuple[str, ...] = ()
) -> Harness:
    made, why = make_harness(Targets("node", tests, files, tracked), NAMES)
    assert made is not None, why
    return made


def test_the_text_of_the_test_goes_through_standard_input_alone() -> None:
    made = harness({FILE: TEXT, "package.json": "{}"}, tracked=(FILE, "test/__snapshots__/price.test.js.snap"))
    assert made.hidden == (FILE, "test/__snapshots__/price.test.js.snap")
    (program,) = made.files
    assert made.argv == ("node", program)
    assert program.endswith(".js")
    assert "discount" not in made.files[program] and NAMES.nonce not in made.files[program]
    said = json.loads(made.stdin)
    assert said["nonce"] == NAMES.nonce
    assert said["rules"] == {"runner": "node", "separator": " > "}
    (job,) = said["jobs"]
    assert job["text"] == TEXT and job["isModule"] is False
    assert job["place"] == f"test/{job['path']}"
    assert "price" not in job["path"] and "test" not in job["path"]
    assert job["tests"] == [{"name": "discount", "id": TEST.id}]


def test_a_module_is_rewritten_and_the_program_stays_a_script() -> None:
    made = harness({FILE: 'import test from "node:test";\n', "package.json": '{"type": "module"}'})
    assert made.argv[1].endswith(".cjs")
    (job,) = json.loads(made.stdin)["jobs"]
    assert job["isModule"] is True
    assert f'const {{ default: test }} = {job["take"]}("node:test");' in job["text"]


def test_each_file_is_a_job_and_those_that_need_their_runner_are_left_out() -> None:
    other = TargetTest("test/other.test.js::a", "test/other.test.js")
    lost = TargetTest("test/lost.test.js::a", "test/lost.test.js")
    files = {FILE: TEXT, other.file: TEXT, lost.file: "vi.useFakeTimers();"}
    made = harness(files, (TEST, other, lost))
    assert made.tests == (other.id, TEST.id)
    assert made.hidden == (other.file, FILE)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "the text of the test is not known"),
        ("test(((", f"{FILE} cannot be parsed"),
        ("vi.mock('./x');", f"{FILE} needs its runner: vi.mock"),
    ],
)
def test_why_there_is_none_is_told(text: str | None, why: str) -> None:
    files = {} if text is None else {FILE: text}
    assert make_harness(Targets("vitest", (TEST,), files), NAMES) == (None, why)


def test_an_id_of_another_form_is_not_called() -> None:
    strange = TargetTest("Suite::discount", FILE)
    assert make_harness(Targets("jest", (strange,), {FILE: TEXT}), NAMES)[0] is None


def test_what_the_parts_share_has_ordinary_names_that_differ_from_run_to_run() -> None:
    text, other = render_program(Names("seed")), render_program(Names("other"))
    assert re.search(r"\$[A-Za-z]", text) is None
    assert text != other
    assert text == render_program(Names("seed"))


def test_each_shared_name_stays_one_name() -> None:
    counts = sorted(map(render_program(Names("seed")).count, ("__proto__", "=> {")))
    assert counts == sorted(map(render_program(Names("other")).count, ("__proto__", "=> {")))
    declared = re.findall(
        r"^(?:const|let|async function|function|class) ([a-z]+\d+)\b", render_program(Names("s")), re.M
    )
    assert len(declared) == len({*declared}) > 100


def test_nothing_in_it_tells_what_it_is() -> None:
    lines = render_program(Names("seed")).splitlines()
    assert not [line for line in lines if line.lstrip().startswith("//")]
    assert "reknit" not in render_program(Names("seed"))
