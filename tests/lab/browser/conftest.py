"""One server and one browser for all end-to-end tests; skipped, with the reason, where Chromium is
missing.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lab.browser.chromium import CHROMIUM, DRIVER, open_browser

pytest.importorskip("selenium", reason="the end-to-end tests need selenium")
_HERE = Path(__file__).resolve().parent


def pytest_collection_modifyitems(items):
    """Skip what needs a browser where there is none. With `pytest -n 2 --dist loadfile` one file
    starts one browser.
    """
    reason = (
        "Chromium is missing"
        if CHROMIUM is None
        else "chromedriver is missing"
        if DRIVER is None
        else None
    )
    for item in items:
        if reason and _HERE in item.path.parents:
            item.add_marker(
                pytest.mark.skip(reason=f"{reason}: apt-get install chromium chromium-driver")
            )


@pytest.fixture(scope="session")
def address():
    """A lab of its own, on a free port."""
    command = [
        sys.executable,
        "-c",
        "from soloc.cli import main; main()",
        "lab",
        "--no-browser",
        "--port",
        "0",
    ]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ)
    assert server.stderr is not None
    said = []
    for line in server.stderr:
        said.append(line)
        if "ready: " in line:
            yield line.split("ready: ")[1].split()[0]
            break
    else:
        pytest.fail("the lab did not start: " + "".join(said))
    server.terminate()
    server.wait(20)
    server.stderr.close()


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    browser = open_browser(tmp_path_factory.mktemp("browser"))
    yield browser
    browser.quit()


@pytest.fixture
def lab(chromium, address, tmp_path_factory):
    """The page under test; afterwards its console must be empty and no other host asked."""
    from tests.lab.browser.page import LabPage

    page = LabPage(chromium, address)
    yield page
    page.assert_quiet()
