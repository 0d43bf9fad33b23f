"""The real thing at quick settings: every claim holds and the page stands alone in a browser."""

import pytest
from browser import broken_links, open_page
from tests.chromium import CHROMIUM

from soloc.cli import main


@pytest.mark.slow
def test_the_quick_report_holds_its_claims_and_stands_alone(tmp_path):
    assert main(["reproduce", "--quick", "--out", str(tmp_path)]) == 0
    page = tmp_path / "report" / "index.html"
    assert broken_links(page) == []
    if CHROMIUM is not None:
        assert open_page(page, tmp_path, f"--screenshot={tmp_path / 'shot.png'}") == ([], [])
