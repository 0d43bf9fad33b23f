"""The lab in headless Chromium: from the command to the first picture on a machine at rest, and
from a slider to the repainted plot, at rest or beside so many busy processes.

The clock of a start begins with the command, beside a browser that is open already, and ends when
the picture is drawn. The first start, in which Python compiles what has no bytecode yet and the
browser Plotly's script, is told apart; so is a start together with a browser. The server may keep
bytecode, whatever PYTHONDONTWRITEBYTECODE says here: without it every start takes 3.5 s more.

    python benchmarks/bench_lab.py [moves] [busy]
"""

import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from bars import bar, results

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.lab.browser.chromium import CHROMIUM, DRIVER, open_browser, wait_for

_PORT = 8971
#: Move a slider as a hand does, and tell when the frame after the redraw has been painted.
_MOVE = """
const [name, place, done] = arguments;
const panel = document.getElementById("panel-landscape");
const before = Number(panel.dataset.drawn);
const slider = document.getElementById("control-" + name);
const finish = () => done(performance.now() - began);
const painted = () => requestAnimationFrame(() => setTimeout(finish, 0));
new MutationObserver((_, watch) => {
  if (Number(panel.dataset.drawn) > before) { watch.disconnect(); painted(); }
}).observe(panel, {attributes: true});
const began = performance.now();
slider.value = place;
slider.dispatchEvent(new Event("input", {bubbles: true}));
"""


_REFUSED = (
    "return [...document.querySelectorAll('.problem[data-kind=error]')]"
    ".map((it) => it.textContent).filter(Boolean).join(' ')"
)
_SPIN = "while True: pass"
_STARTS = 3
_PAGES = {"story": "", "training": "?view=training"}
_DRAWN = {
    "story": ["document.querySelector('.story-panels [data-drawn]')"],
    "training": [
        f"document.getElementById('panel-{panel}')?.dataset.drawn > 0"
        for panel in ("landscape", "curves", "sequence")
    ],
}


def main(moves: int = 60, busy: int = 0) -> int:
    """Print both times."""
    if CHROMIUM is None or DRIVER is None:
        print("Chromium or its driver is missing: nothing measured.")
        return 0
    folder = tempfile.mkdtemp()
    browser = open_browser(Path(folder))
    others: list[subprocess.Popen[bytes]] = []
    try:
        _starts(browser)
        with _server() as server:
            _open(browser, "?view=training")
            _drawn(browser, "training")
            assert server.stderr is not None
            # warm: nothing compiles any more
            next(line for line in server.stderr if "all prepared" in line)
            time.sleep(2)
            others += [subprocess.Popen([sys.executable, "-c", _SPIN]) for _ in range(busy)]
            for i in range(20):  # warm: the browser compiles Plotly's code too; not asked again
                browser.execute_async_script(_MOVE, "lam", 300 + 4 * i)
            for name in ("lam", "gamma"):
                _report(
                    name,
                    [
                        browser.execute_async_script(_MOVE, name, 120 + (37 * i) % 160)
                        for i in range(moves)
                    ],
                    busy,
                )
                time.sleep(2)
            refused = browser.execute_script(_REFUSED)
            print(f"      error sentences: {refused or 'none'}")
            bar("the lab's error sentences", float(bool(refused)), 0)
    finally:
        for other in others:
            other.kill()
            other.wait()
        browser.quit()
        shutil.rmtree(folder, ignore_errors=True)
    return 0 if all(results) else 1


def _starts(browser) -> None:
    """From the command to pictures: the first start, later ones, and one with a new browser."""
    first = _started(browser, "story")
    print(f"      first start: {first:.2f} s to the first picture, missing bytecode written")
    for page, what, limit in (("story", "the first picture", 2.5), ("training", "all panels", 4.5)):
        times = [_started(browser, page) for _ in range(_STARTS)]
        print(f"      {what}: {', '.join(f'{each:.2f}' for each in times)} s")
        bar(f"command to {what}, median of {_STARTS}", statistics.median(times), limit, "s")
    began = time.monotonic()
    with _server(), tempfile.TemporaryDirectory() as folder:
        another = open_browser(Path(folder))
        opened = time.monotonic() - began
        try:
            _open(another, _PAGES["story"])
            _drawn(another, "story")
            print(
                "      command to the first picture in a browser that starts after the command,"
                f" with an empty profile: {time.monotonic() - began:.2f} s, of which {opened:.2f} s"
                " until that browser takes an address"
            )
        finally:
            another.quit()


def _started(browser, page: str) -> float:
    began = time.monotonic()
    with _server():
        _open(browser, _PAGES[page])
        _drawn(browser, page)
        return time.monotonic() - began


@contextmanager
def _server():
    """`soloc lab`, which keeps its bytecode as it does where nobody forbids it."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    code = "from soloc.cli import main; main()"
    server = subprocess.Popen(
        [sys.executable, "-c", code, "lab", "--no-browser", "--port", str(_PORT)],
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        yield server
    finally:
        server.terminate()
        server.wait(20)
        assert server.stderr is not None
        server.stderr.close()


def _drawn(browser, page: str) -> None:
    """Until every panel of a page is drawn."""
    for script in _DRAWN[page]:
        wait_for(browser, f"return {script}", 60)


def _open(browser, query: str) -> None:
    """Open the page as soon as the server listens; trying with the browser itself would cost the
    server its time.
    """
    while True:
        try:
            socket.create_connection(("127.0.0.1", _PORT), 1).close()
            break
        except OSError:
            time.sleep(0.02)
    browser.get(f"http://127.0.0.1:{_PORT}/{query}")


def _report(name: str, times: list[float], busy: int) -> None:
    """At rest both bars of a slider; beside busy processes the one that is about them."""
    late = statistics.quantiles(times, n=20)[-1]
    middle = statistics.median(times)
    print(
        f"      slider {name}: median {middle:.0f} ms, 95 % below {late:.0f} ms, fastest"
        f" {min(times):.0f} ms ({len(times)} moves, load {os.getloadavg()[0]:.1f} on"
        f" {os.cpu_count()} cores)"
    )
    what = f"slider {name} to repainted landscape"
    if busy:
        bar(f"{what}, {busy} busy processes, median", middle, 250, "ms")
    else:
        bar(f"{what}, median", middle, 50, "ms")
        bar(f"{what}, 95 % of moves", late, 120, "ms")


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
