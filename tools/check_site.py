"""Open every page of the built site in Chromium: no console error, no request to the outside.

    make docs && python tools/check_site.py

With --pictures FOLDER some pages are also taken as pictures, light, dark and 390 pixels wide.
"""

import argparse
import functools
import http.server
import json
import shutil
import sys
import threading
from pathlib import Path
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

SITE = Path(__file__).resolve().parents[1] / "docs" / "_build" / "html"
LOOKED_AT = ("index", "howto/index", "theory/risk", "api/estimators", "command_line", "glossary")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Files of the site, without a line for each."""

    def log_message(self, format: str, *args: object) -> None:
        pass


def served(folder: Path) -> tuple[http.server.ThreadingHTTPServer, str]:
    """The site at an address of this machine."""
    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_address[1]}/"


def browser() -> webdriver.Chrome:
    """Chromium that records its console and every request."""
    options = webdriver.ChromeOptions()
    for flag in (*FLAGS, "--window-size=1280,1000"):
        options.add_argument(flag)
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def complaints(driver: webdriver.Chrome, home: str) -> list[str]:
    """Warnings and errors in the console of the page just opened, and requests that left the site.

    The theme tells in the console which colours it took; that is neither.
    """
    entries = driver.get_log("browser")
    said = [entry["message"] for entry in entries if entry["level"] in ("WARNING", "SEVERE")]
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    own = urlsplit(home).netloc
    outside = [a for a in asked if a.startswith("http") and urlsplit(a).netloc != own]
    return said + [f"asked {address}" for address in outside]


def wider_than_the_screen(driver: webdriver.Chrome) -> bool:
    """Whether the whole page, not a box in it, must be scrolled sideways."""
    return bool(
        driver.execute_script(
            "return document.documentElement.scrollWidth > document.documentElement.clientWidth + 1"
        )
    )


def take_pictures(driver: webdriver.Chrome, home: str, folder: Path) -> list[str]:
    """Light, dark and narrow pictures; pages that do not fit a narrow screen."""
    folder.mkdir(parents=True, exist_ok=True)
    lost = []
    for page in LOOKED_AT:
        for name, width, mode in (
            ("light", 1280, "light"),
            ("dark", 1280, "dark"),
            ("narrow", 390, "light"),
        ):
            size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            driver.get(f"{home}{page}.html")
            driver.execute_script(f"document.documentElement.dataset.theme = '{mode}'")
            driver.save_screenshot(str(folder / f"{page.replace('/', '_')}_{name}.png"))
            if wider_than_the_screen(driver):
                lost.append(f"{page} is wider than {width} pixels")
    return lost


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path, help="a folder for pictures of the main pages")
    options = parser.parse_args()
    static = SITE / "_static"  # templates of the theme
    pages = sorted(p for p in SITE.rglob("*.html") if static not in p.parents)
    if not pages:
        print(f"{SITE} holds no page; run make docs first.", file=sys.stderr)
        return 2
    server, home = served(SITE)
    driver = browser()
    found = {}
    try:
        for page in pages:
            name = page.relative_to(SITE).as_posix()
            driver.get(home + name)
            if wrong := complaints(driver, home):
                found[name] = wrong
        if options.pictures:
            lost = take_pictures(driver, home, options.pictures)
            found |= {"narrow screens": lost} if lost else {}
    finally:
        driver.quit()
        server.shutdown()
    for name, wrong in found.items():
        print(name, *wrong, sep="\n  ")
    print(f"{len(pages)} pages opened, {len(found)} with complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
