"""The lab as a person uses it: open an address, move a slider, read a number, save a file."""

import json
import re
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.lab.browser.chromium import requested, resize, wait_for

_SETTLED = """
const all = [...document.querySelectorAll(".panel:not([hidden])")];
const panels = all.filter((panel) => panel.offsetParent !== null);
return panels.length > 0 && panels.every((panel) => panel.dataset.drawn > 0
  && !panel.classList.contains("busy") && !["asking", "stale"].includes(panel.dataset.stage));
"""


_BUSY = re.compile(r"status of (429|503) ")  # the browser notes it; the page asks again


class LabPage:
    """One tab of the browser with the lab in it."""

    def __init__(self, browser: Any, address: str) -> None:
        self.browser, self.address = browser, address
        resize(browser, 1400, 1300)
        browser.get_log("browser")
        requested(browser)

    def open(self, query: str = "") -> "LabPage":
        """Open the page in a state, and wait until its panels are drawn."""
        self.browser.get("about:blank")
        self.browser.get(self.address + query)
        self.settle()
        return self

    def settle(self) -> None:
        """Wait until every visible panel is drawn and nothing moves any more."""
        wait_for(self.browser, _SETTLED, 60)

    def drawn(self, panel: str) -> int:
        """How often a panel has been drawn."""
        return int(
            self.browser.execute_script(
                f"return document.getElementById('panel-{panel}').dataset.drawn ?? 0"
            )
        )

    def after(self, panel: str, act: Any) -> None:
        """Do something and wait for the panel to be drawn anew."""
        before = self.drawn(panel)
        act()
        wait_for(
            self.browser,
            f"return document.getElementById('panel-{panel}').dataset.drawn > {before}",
            60,
        )
        self.settle()

    def enter(self, field: str, value: str) -> None:
        """Type an exact value beside a slider."""
        self.run(
            "const box = document.getElementById(`control-${arguments[0]}-exact`);"
            "box.value = arguments[1];"
            "box.dispatchEvent(new Event('change', {bubbles: true}));",
            field,
            value,
        )

    def choose(self, field: str, value: str) -> None:
        """Choose from a list."""
        self.run(
            "const box = document.getElementById(arguments[0]); box.value = arguments[1];"
            "box.dispatchEvent(new Event('change', {bubbles: true}));",
            field,
            value,
        )

    def slide(self, control: str, place: int) -> None:
        """Move a slider to one of its places, as a hand or an arrow key does."""
        self.run(
            "const slider = document.getElementById(arguments[0]); slider.focus();"
            "slider.value = arguments[1];"
            "slider.dispatchEvent(new Event('input', {bubbles: true}));",
            control,
            place,
        )

    def click(self, selector: str) -> None:
        """Click what a selector finds, as soon as it is there, by script."""
        self.find(selector)
        self.run("document.querySelector(arguments[0]).click()", selector)

    def press(self, selector: str) -> None:
        """Click it as a hand does: with the pointer, where it can be seen and nothing covers it."""
        from selenium.webdriver.common.by import By

        self.find(selector)
        self.browser.find_element(By.CSS_SELECTOR, selector).click()

    def find(self, selector: str) -> None:
        """Wait until the page has such an element."""
        wait_for(self.browser, f"return document.querySelector({json.dumps(selector)}) !== null")

    def run(self, script: str, *arguments: Any) -> Any:
        """Run a script in the page."""
        return self.browser.execute_script(script, *arguments)

    def number(self, panel: str, name: str) -> float:
        """A number written in a panel, with all its digits, as soon as it is there."""
        place = f'#panel-{panel} [data-number="{name}"]'
        found = f"document.querySelector('{place}')?.dataset.value"
        return float(wait_for(self.browser, f"return {found}"))

    def text(self, selector: str) -> str:
        """Text of an element, as soon as it is there."""
        self.find(selector)
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def query(self) -> str:
        """The state in the address, once it is written."""
        wait_for(self.browser, "return document.documentElement.dataset.address !== 'behind'")
        return urlsplit(self.browser.current_url).query

    def save(self, panel: str, format: str) -> bytes:
        """Export a panel, and the content of the file."""
        folder = self._folder()
        target = folder / f"soloc-{panel}.{format}"
        target.unlink(missing_ok=True)
        self.click(f'#panel-{panel} [data-export="{format}"]')
        until = time.monotonic() + 20
        while not (target.exists() and target.stat().st_size):
            assert time.monotonic() < until, f"no {target.name}"
            time.sleep(0.02)
        return target.read_bytes()

    def _folder(self) -> Path:
        return Path(self.browser.capabilities["chrome"]["userDataDir"]).parent

    def assert_quiet(self) -> None:
        """No word on the console but that the lab was busy, no request to another host."""
        said = [entry["message"] for entry in self.browser.get_log("browser")]
        console = [line for line in said if not _BUSY.search(line)]
        assert console == [], console
        ours = urlsplit(self.address).netloc
        assert [
            url
            for url in requested(self.browser)
            if url.startswith("http") and urlsplit(url).netloc != ours
        ] == []
