"""The greeter serves files before there is a lab, and then hands every guest over to it."""

import os
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from starlette.applications import Starlette

from soloc.lab.server.assets import ROUTES
from soloc.lab.server.greeter import Greeter
from soloc.lab.server.guard import Guard
from soloc.runs.processes import forks

pytestmark = [
    pytest.mark.skipif(not forks(), reason="processes are forked on Linux only"),
    # a test process has threads, whose locks the greeter does not need
    pytest.mark.filterwarnings("ignore:.*fork.*"),
]


class Lab(BaseHTTPRequestHandler):
    """Stands for the lab: answers with the address that it was asked for."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.path.encode() + b" " + body)

    def log_message(self, *_):
        pass


def asked(port: int, method: str, path: str, body: bytes | None = None):
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, body)
    answer = connection.getresponse()
    answer.content = answer.read()
    connection.close()
    return answer


def test_files_come_at_once_and_early_questions_are_sent_to_the_lab():
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    greeter = Greeter(listener, Guard(Starlette(routes=ROUTES)), None)
    with ThreadPoolExecutor(1) as other:
        early = other.submit(asked, port, "POST", "/api/number?x=1", b"7")
        assert b"soloc lab" in asked(port, "GET", "/").content
        assert asked(port, "GET", "/static/nothing").status == 404
        assert not early.done()
        lab = HTTPServer(("127.0.0.1", 0), Lab, bind_and_activate=False)
        lab.socket.close()
        lab.socket = listener
        greeter.leave()
        threading.Thread(target=lab.serve_forever, daemon=True).start()
        answer = early.result(30)
        assert answer.status == 307 and answer.getheader("connection") == "close"
        there = answer.getheader("location")
        assert asked(port, "POST", there, b"7").content == b"/api/number?x=1 7"
        for _ in range(5):  # nobody else takes guests any more
            assert asked(port, "POST", "/api/a", b"b").content == b"/api/a b"
    greeter.wait()
    lab.shutdown()
    lab.server_close()


def test_a_greeter_ends_with_the_lab():
    listener = socket.create_server(("127.0.0.1", 0))
    greeter = Greeter(listener, Guard(Starlette(routes=ROUTES)), None)
    os.close(greeter._tell)  # as the end of this process would
    os.close(greeter._heard)
    greeter.wait()
    listener.close()
