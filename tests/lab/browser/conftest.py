"""One server and one browser for all end-to-end tests; skipped, with the reason, where Chromium is
missing.
"""

from pathlib import Path

import pytest

from tests.chromium import CHROMIUM
from tests.lab.browser.chromium import DRIVER, open_browser
from tests.lab.live import LiveLab

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
    with LiveLab() as live:
        yield live.address + "/"


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
