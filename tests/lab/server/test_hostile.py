"""Hostile requests to a real server: no answer is a 5xx or a traceback, and the lab answers in time
afterwards.
"""

import contextlib
import json
import socket
import time

import httpx
import pytest

from tests.lab.live import LiveLab
from tests.lab.uploads.test_files import repeated_text

pytestmark = pytest.mark.xdist_group("server")
QUESTIONS = [
    f"/api/{name}"
    for name in (
        "landscape",
        "critical",
        "paths",
        "sequence",
        "attentions",
        "latent",
        "samples",
        "learner",
        "data/example",
        "data/study",
        "data/bag",
        "data/forget",
        "jobs/paths",
        "jobs/attentions",
        "jobs/latent",
        "jobs/samples",
        "jobs/fit",
    )
]
DEEP = 20_000
BODIES = {
    "NaN": '{"setting": {"gamma": NaN}}',
    "infinity": '{"setting": {"lam": Infinity}}',
    "1e308": '{"setting": {"d": 1e308, "lam": 1e308}}',
    "1e400": '{"setting": {"gamma": 1e400}}',
    "negative": '{"setting": {"d": -5, "L": -1, "gamma": -1}}',
    "zero": '{"setting": {"gamma": 0, "L": 0}}',
    "a number of 30,000 digits": '{"setting": {"d": %s}}' % ("9" * 30_000),
    "wrong types": '{"setting": {"d": "four", "L": null, "gamma": [], "eps": {}, "weight": 7}}',
    "a list": "[1, 2, 3]",
    "a huge list": '{"training": {"starts": [' + "1," * 20_000 + "1]}}",
    "many fields": "{" + ",".join(f'"f{i}": 1' for i in range(4000)) + "}",
    "deep lists": "[" * DEEP + "]" * DEEP,
    "deep objects": '{"a":' * 10_000 + "1" + "}" * 10_000,
    "deep inside the setting": '{"setting": %s}' % ("[" * DEEP + "]" * DEEP),
    "half a surrogate as a name": '{"\\ud800": 1}',
    "half a surrogate as a value": (
        '{"setting": {"weight": "\\ud800"}, "data": "\\udfff", "bag": "\\ud800",'
        ' "example": "\\ud800"}'
    ),
    "zero bytes": '{"data": "\\u0000", "bag": "\\u0000", "label": "\\u0000"}',
    "not JSON": "{'d': 4}",
    "nothing": "",
    "not text": b"\xff\xfe\x00\x01",
    "a page": "<script>alert(1)</script>",
}


@pytest.fixture(scope="module")
def lab():
    with LiveLab(bare=True) as live:
        yield live
        assert live.process.poll() is None, "the server died"
        assert not any("Traceback" in line for line in live.said), "".join(live.said)


@pytest.fixture
def client(lab):
    with httpx.Client(base_url=lab.address, timeout=60.0) as client:
        yield client
        began = time.monotonic()
        answer = client.post("/api/landscape", json={})
        assert answer.status_code == 200 and time.monotonic() - began < 10.0


def is_a_refusal(answer: httpx.Response) -> bool:
    """A 4xx whose body is one sentence."""
    if not 400 <= answer.status_code < 500:
        return False
    sentence = answer.json()["detail"]
    return (
        isinstance(sentence, str)
        and 0 < len(sentence) < 2000
        and "Traceback" not in sentence
        and 'File "' not in sentence
    )


def test_bodies_that_nobody_should_send_are_refused_in_a_sentence(client):
    for path in QUESTIONS:
        for name, body in BODIES.items():
            answer = client.post(path, content=body, headers={"Content-Type": "application/json"})
            assert is_a_refusal(answer), (path, name, answer.status_code, answer.text[:300])


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": ""},
        {"Host": "[::1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/json; charset=utf-7"},
        {"Content-Type": "multipart/form-data; boundary=x"},
    ],
)
def test_foreign_hosts_origins_and_kinds_of_body_are_refused(client, headers):
    answer = client.post(
        "/api/landscape", content="{}", headers={"Content-Type": "application/json", **headers}
    )
    if headers.get("Content-Type") == "application/json; charset=utf-7":
        assert answer.status_code in (200, 400, 415, 422)
    else:
        assert is_a_refusal(answer), (answer.status_code, answer.text[:300])


@pytest.mark.parametrize("path", ["/api/data?name=a.csv", "/api/landscape", "/api/data/study"])
def test_a_hundred_megabytes_are_refused_before_they_are_read(lab, client, path):
    before = lab.memory()

    def chunks():
        for _ in range(100):
            yield b"x" * 2**20

    try:
        answer = client.post(path, content=b"x" * (100 * 2**20))
        assert is_a_refusal(answer) and answer.status_code == 413
    except (httpx.WriteError, httpx.RemoteProtocolError):
        pass  # the server has hung up while the client was still sending
    try:
        answer = client.post(path, content=chunks())  # without a length
        assert is_a_refusal(answer) and answer.status_code == 413
    except (httpx.WriteError, httpx.RemoteProtocolError):
        pass
    assert lab.memory() - before < 60 * 2**20


def test_a_parquet_bomb_ends_in_a_sentence_and_leaves_the_server_as_it_was(lab, client):
    before = lab.memory()
    bomb = repeated_text(1_000_000, 3000)  # the first 2,048 rows would take 2 GB
    assert len(bomb) < 10_000
    job = client.post("/api/data", params={"name": "bomb.parquet"}, content=bomb).json()["job"]
    with client.stream("GET", f"/api/jobs/{job}/events") as stream:
        last = [json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: ")][
            -1
        ]
    assert last["kind"] == "failed" and "memory" in last["sentence"], last
    assert lab.memory() - before < 60 * 2**20


def raw(lab, message: bytes, wait: float = 5.0) -> bytes:
    """What the server says to bytes on a socket."""
    with socket.create_connection(("127.0.0.1", lab.port), timeout=wait) as connection:
        said = b""
        try:
            connection.sendall(message)
            while part := connection.recv(65536):
                said += part
                if b"\r\n\r\n" in said:
                    break
        except (TimeoutError, ConnectionError):
            pass
        return said


def test_heads_that_never_end_are_refused(lab, client):
    start = b"POST /api/landscape HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    for message in (
        start + b"X: " + b"x" * 2_000_000,
        start + b"".join(b"X-%d: y\r\n" % i for i in range(50_000)),
        b"GET /" + b"x" * 2_000_000 + b" HTTP/1.1\r\n",
        b"\x16\x03\x01\x02\x00" + b"\x00" * 600,  # the hello of TLS
        start + b"Content-Length: -1\r\n\r\n",
        start + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
        start + b"Transfer-Encoding: chunked\r\n\r\nZZZ\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"GET /../../../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /static/..%2f..%2fapp.py HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ):
        said = raw(lab, message)
        assert said == b"" or said.startswith(b"HTTP/1.1 4"), (message[:80], said[:200])
        assert b"Traceback" not in said and b"root:" not in said


_BEGUN = b"POST /api/landscape HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "
_ANSWERED = b"GET /favicon.ico HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.mark.parametrize(
    "said",
    [b"", _BEGUN, _ANSWERED + _BEGUN],
    ids=["silent", "begun", "a second one begun"],
)
def test_two_hundred_connections_that_say_nothing_hurt_nobody_and_are_dropped(lab, client, said):
    waiting = []
    try:
        for _ in range(200):
            connection = socket.create_connection(("127.0.0.1", lab.port), timeout=60)
            connection.sendall(said)
            waiting.append(connection)
        for _ in range(5):
            assert client.post("/api/sequence", json={}).status_code == 200
        for connection in waiting:  # until the server hangs up
            with contextlib.suppress(ConnectionError):
                while connection.recv(65536):
                    pass
    finally:
        for connection in waiting:
            connection.close()


def test_more_jobs_than_the_lab_takes_are_refused_and_then_end(client):
    codes, jobs = [], []
    for number in range(60):
        answer = client.post("/api/jobs/latent", json={"longest": 4096, "seed": number})
        codes.append(answer.status_code)
        jobs += [answer.json()["job"]] if answer.status_code == 200 else []
    assert set(codes) == {200, 429}
    for job in jobs:
        assert client.delete(f"/api/jobs/{job}").status_code == 204
    until = time.monotonic() + 30
    while client.post("/api/jobs/latent", json={"longest": 64, "sequences": 50}).status_code == 429:
        assert time.monotonic() < until, "cancelled jobs still occupy the lab"
        time.sleep(0.2)


def test_unknown_addresses_and_methods_are_refused(client):
    for method, path in (
        ("GET", "/api/landscape"),
        ("PUT", "/api/data"),
        ("TRACE", "/"),
        ("GET", "/docs"),
        ("GET", "/api/jobs/x/events"),
        ("DELETE", "/api/jobs/%00"),
        ("GET", "/static/%2e%2e/app.py"),
        ("POST", "/api/data"),
    ):
        assert is_a_refusal(client.request(method, path)), (method, path)
