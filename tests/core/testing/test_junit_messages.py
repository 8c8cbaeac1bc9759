"""The messages of failed tests as they are kept."""

import pytest

from reknit.core.testing.junit_messages import MESSAGE_CHARS, OUTPUT_CHARS, message, read_junit, safe_output


def test_messages_are_cut_and_redacted() -> None:
    words = "first " + "x" * 5000 + " ghp_" + "a" * 40 + " last"
    report = f'<testsuite><testcase classname="a" name="b"><failure>{words}</failure></testcase></testsuite>'
    found = read_junit((report.encode(),))
    kept = found.messages["a::b"]
    assert len(kept) <= MESSAGE_CHARS + 3
    assert (kept.startswith("first"), kept.endswith("[GitHub token redacted] last")) == (True, True)


FRAMES = """\
    def test_price():
>       assert shop.price() == 2

test_shop.py:5:\x20
_ _ _ _
shop.py:20: in price
    return urlopen('http://localhst:9001/price')
/usr/lib/python3.11/urllib/request.py:216: in urlopen
    return opener.open(url, data, timeout)
  File "pay.py", line 3, in pay
    raise Refused
"""


def test_the_projects_own_calls_stay_in_a_long_message() -> None:
    kept = message(f"URLError: no such host\n{FRAMES}{'x' * 3000}\nthe end")
    assert len(kept) <= MESSAGE_CHARS + 7
    assert kept.startswith("URLError: no such host\n…\n>       assert shop.price() == 2\ntest_shop.py:5: \n")
    assert "\nshop.py:20: in price\n    return urlopen('http://localhst:9001" in kept
    assert ('File "pay.py"' in kept, "opener.open" in kept, kept.endswith("the end")) == (True, False, True)


def test_a_short_message_stays() -> None:
    assert message("assert 1 == 2") == "assert 1 == 2"


def test_the_middle_of_a_huge_output_is_left_out() -> None:
    assert len(safe_output("a" * 100 * OUTPUT_CHARS)) == 21 * OUTPUT_CHARS + 3


def test_what_is_no_report_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="the test report"):
        read_junit((b"no xml",))
