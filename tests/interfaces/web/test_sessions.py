"""Sessions: found by their cookie, for half a day, and not without end."""

from reknit.interfaces.web.sessions import SESSION_S, Sessions


def test_a_session_is_over_after_its_time() -> None:
    now = [100.0]
    sessions = Sessions(lambda: now[0])
    cookie = sessions.start("ann")
    now[0] += SESSION_S - 1
    session = sessions.find(cookie)
    assert session is not None
    assert session.who == "ann"
    now[0] += 1
    assert sessions.find(cookie) is None
    assert sessions.find("another") is None


def test_each_session_has_a_cookie_and_a_form_token_of_its_own_and_shows_neither() -> None:
    sessions = Sessions(lambda: 0.0)
    cookies = {sessions.start("ann", "forge-token") for _ in range(5)}
    found = [session for session in map(sessions.find, cookies) if session]
    assert len({session.form_token for session in found}) == 5
    assert all(session.has_form_token(session.form_token) for session in found)
    assert not found[0].has_form_token(found[1].form_token)
    assert not found[0].has_form_token("")
    assert "forge-token" not in repr(found[0])
    assert found[0].form_token not in repr(found[0])


def test_the_oldest_session_gives_way() -> None:
    sessions = Sessions(lambda: 0.0)
    first = sessions.start("ann")
    others = [sessions.start("bob") for _ in range(1000)]
    assert sessions.find(first) is None
    assert sessions.find(others[0]) is not None


def test_a_session_can_be_ended() -> None:
    sessions = Sessions(lambda: 0.0)
    cookie = sessions.start("ann")
    sessions.end(cookie)
    sessions.end(cookie)
    assert sessions.find(cookie) is None
