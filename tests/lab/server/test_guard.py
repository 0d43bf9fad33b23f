"""Who may ask: this machine's own page, with a question of reasonable size, and nobody else."""

import pytest

from soloc.lab.server.guard import Guard


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 400),
        ({"Host": "127.0.0.1.evil.example"}, 400),
        ({"Host": ""}, 400),
        ({"Host": "["}, 400),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "http://127.0.0.1"}, 200),
        ({"Host": "localhost:8765", "Origin": "http://localhost:8765"}, 200),
    ],
)
def test_foreign_hosts_and_origins_are_refused_in_a_sentence(client, headers, status):
    answer = client.post("/api/landscape", json={}, headers=headers)
    assert answer.status_code == status
    if status != 200:
        assert answer.json()["detail"].endswith(".")


def test_every_answer_carries_the_policy(client):
    answers = [client.get("/"), client.get("/nothing"), client.get("/", headers={"Host": "x"})]
    for answer in (*answers, client.post("/api/landscape", json={})):
        policy = answer.headers["content-security-policy"]
        assert (
            "default-src 'none'" in policy
            and "script-src 'self';" in policy
            and "eval" not in policy
        )
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_large_body_is_refused_whether_its_length_is_told_or_not(client):
    assert client.post("/api/landscape", content=b" " * 70_000).status_code == 413
    assert (
        client.post("/api/landscape", content=(b" " * 1000 for _ in range(70))).status_code == 413
    )


def test_an_address_in_numbers_is_ours_only_when_the_lab_listens_everywhere():
    assert not Guard(None)._is_ours("192.168.1.5:8765")
    assert Guard(None, any_address=True)._is_ours("192.168.1.5:8765")
    assert Guard(None, any_address=True)._is_ours("[fe80::1]:8765")
    assert not Guard(None, any_address=True)._is_ours("rebound.example:8765")


def test_wrong_numbers_get_sentences(client):
    answer = client.post("/api/landscape", json={"setting": {"d": 3, "lam": "x"}, "more": 1})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(
        "`setting.d` must be greater than or equal to 4, got 3."
    )
    for content in (
        b'{"setting": {"lam": NaN}}',
        b'{"setting": {"lam": 1e999}}',
        b"{",
        b"[]",
        b"null",
        b"\xff",
    ):
        answer = client.post(
            "/api/landscape", content=content, headers={"Content-Type": "application/json"}
        )
        assert answer.status_code in (400, 422) and answer.json()["detail"].endswith("."), (
            content,
            answer.text,
        )


def test_files_of_the_page_and_nothing_else_are_served(client):
    script = client.get("/static/plotly.min.js", headers={"Accept-Encoding": "gzip"})
    assert script.headers["content-encoding"] == "gzip" and script.headers[
        "content-type"
    ].startswith("text/javascript")
    assert (
        client.get(
            "/static/plotly.min.js", headers={"If-None-Match": script.headers["etag"]}
        ).status_code
        == 304
    )
    for path in (
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static//etc/passwd",
        "/static/views",
    ):
        assert client.get(path).status_code == 404
    assert client.get("/docs").status_code == 404 and client.get("/openapi.json").status_code == 200
