"""Headless Chromium under Selenium: a quiet profile, its console and its network on record."""

import json
import shlex
import shutil
import time
from pathlib import Path
from typing import Any

from tests.chromium import CHROMIUM, QUIET
from tests.lab.reaper import reaped

DRIVER = shutil.which("chromedriver")
_FLAGS = (*QUIET, "--disable-dev-shm-usage", "--hide-scrollbars")


def _driver(folder: Path) -> Path:
    """A chromedriver that ends, with its browser, when this process does, however it ends."""
    script = folder / "driver"
    command = shlex.join(reaped([str(DRIVER)]))
    script.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    script.chmod(0o700)
    return script


def open_browser(folder: Path, width: int = 1400, height: int = 1300) -> Any:
    """A browser with a fresh profile in `folder`, which also takes its downloads."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (
        *_FLAGS,
        f"--user-data-dir={folder / 'profile'}",
        f"--window-size={width},{height}",
    ):
        options.add_argument(flag)
    options.add_experimental_option(
        "prefs", {"download.default_directory": str(folder), "download.prompt_for_download": False}
    )
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(str(_driver(folder))))
    browser.set_script_timeout(60)
    browser.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)}
    )
    return browser


def wait_for(browser: Any, script: str, seconds: float = 30.0) -> Any:
    """The first true answer of `script`; one that fails, because its page is being built or
    replaced by another, is asked again.
    """
    from selenium.common.exceptions import InvalidSessionIdException, WebDriverException

    until, problem = time.monotonic() + seconds, ""
    while True:
        try:
            if answer := browser.execute_script(script):
                return answer
        except InvalidSessionIdException:  # the browser is gone, and will not come back
            raise
        except WebDriverException as error:
            problem = f" ({error.msg})"
        if time.monotonic() > until:
            raise TimeoutError(f"after {seconds:g} s still not{problem}: {script}")
        time.sleep(0.02)


def requested(browser: Any) -> set[str]:
    """Addresses asked of the network since the last call."""
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return {
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    }


def resize(browser: Any, width: int, height: int) -> None:
    """Another size of the window, as a phone has it."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
    )


def prefer(browser: Any, scheme: str) -> None:
    """Light or dark, as the system would say."""
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
