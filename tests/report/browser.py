"""Headless Chromium as a witness: what a page prints, asks of the network, looks like."""

import json
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

from tests.chromium import CHROMIUM, QUIET

#: Hosts that Chromium itself asks for, whatever the page.
BROWSERS_OWN = ("google.com", "googleapis.com", "gstatic.com")


def open_page(page: Path, folder: Path, *options: str) -> tuple[list[str], list[str]]:
    """Console messages, and addresses that the page asked of the network."""
    log = folder / "net.json"
    command = [
        str(CHROMIUM),
        *QUIET,
        "--enable-logging=stderr",
        f"--user-data-dir={folder / 'profile'}",
        f"--log-net-log={log}",
    ]
    command += ["--host-resolver-rules=MAP * ~NOTFOUND", *options, page.resolve().as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    console = re.findall(r"CONSOLE.*", done.stderr)
    events = json.loads(log.read_text())["events"]
    addresses = {event["params"]["url"] for event in events if "url" in event.get("params", {})}
    hosts = {address: urlsplit(address).hostname or "" for address in addresses}
    return console, [address for address, host in hosts.items() if not host.endswith(BROWSERS_OWN)]


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.identifiers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src", "xlink:href") and value is not None:
                self.links.append(value)
            if name == "id" and value is not None:
                self.identifiers.append(value)


def broken_links(page: Path) -> list[str]:
    """Links of a page that lead nowhere, and identifiers used twice."""
    parser = _Links()
    parser.feed(page.read_text())
    twice = [name for name in set(parser.identifiers) if parser.identifiers.count(name) > 1]
    lost = [
        link
        for link in parser.links
        if not link.startswith("data:")
        and not (link.startswith("#") and link[1:] in parser.identifiers)
        and not (page.parent / link).is_file()
    ]
    return lost + twice
