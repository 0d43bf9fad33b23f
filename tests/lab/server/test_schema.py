"""The OpenAPI description, attacked by schemathesis: no 5xx, no status, type or answer that the
description does not know.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.lab.live import LiveLab

pytest.importorskip("schemathesis", reason="this test needs schemathesis")

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance"
)
# 503 is no error of the server: it says that the answer is still being computed, ask again
SETTINGS = """
[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", "503"]
"""
CALL = "import sys; from schemathesis.cli import schemathesis; sys.exit(schemathesis())"


def attacked(folder: Path, examples: int, seconds: int) -> None:
    settings = folder / "schemathesis.toml"
    settings.write_text(SETTINGS)
    options = {
        "--checks": CHECKS,
        "--seed": "1",
        "--max-examples": str(examples),
        "--max-time": str(seconds),
        "--request-timeout": "60",
        "--phases": "coverage,fuzzing",
        "--generation-database": "none",
        "--exclude-path-regex": "/events$",  # streams last as long as jobs
    }
    given = [part for option in options.items() for part in option]
    with LiveLab(bare=True) as lab:
        command = [
            sys.executable,
            "-W",
            "ignore",
            "-c",
            CALL,
            "--config-file",
            str(settings),
            "run",
            f"{lab.address}/openapi.json",
            "--no-color",
        ]
        found = subprocess.run(
            [*command, *given], capture_output=True, text=True, timeout=10 * seconds
        )
        assert found.returncode == 0, found.stdout[-6000:] + found.stderr[-2000:]
        assert lab.process.poll() is None and not any("Traceback" in line for line in lab.said), (
            "".join(lab.said)
        )


def test_schemathesis_finds_no_server_error(tmp_path):
    attacked(tmp_path, examples=8, seconds=12)


@pytest.mark.slow
def test_schemathesis_finds_no_server_error_with_many_examples(tmp_path):
    attacked(tmp_path, examples=200, seconds=240)
