"""The lab in headless Chromium: from the command to the first picture on a machine at rest, and
from a slider to the repainted plot, at rest or beside so many busy processes.

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
from pathlib import Path

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


def main(moves: int = 60, busy: int = 0) -> None:
    """Print both times."""
    if CHROMIUM is None or DRIVER is None:
        print("Chromium or its driver is missing: nothing measured.")
        return
    command = [
        sys.executable,
        "-c",
        "from soloc.cli import main; main()",
        "lab",
        "--no-browser",
        "--port",
        str(_PORT),
    ]
    folder = tempfile.mkdtemp()
    browser = open_browser(Path(folder))
    others: list[subprocess.Popen[bytes]] = []
    try:
        began = time.monotonic()
        server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            _open(browser, f"http://127.0.0.1:{_PORT}/")
            wait_for(browser, "return document.querySelector('.story-panels [data-drawn]')", 60)
            print(f"command to the first picture {time.monotonic() - began:6.2f} s")
        finally:
            server.terminate()
            server.wait(20)
        began = time.monotonic()
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            _open(browser, f"http://127.0.0.1:{_PORT}/?view=training")
            for panel in ("landscape", "curves", "sequence"):
                wait_for(
                    browser,
                    f"return document.getElementById('panel-{panel}')?.dataset.drawn > 0",
                    60,
                )
                print(f"command to first plot of {panel:<10} {time.monotonic() - began:6.2f} s")
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
                )
                time.sleep(2)
            refused = browser.execute_script(_REFUSED)
            print(f"error sentences: {refused or 'none'}")
        finally:
            server.terminate()
            server.wait(20)
    finally:
        for other in others:
            other.kill()
            other.wait()
        browser.quit()
        shutil.rmtree(folder, ignore_errors=True)


def _open(browser, address: str) -> None:
    """Open the page as soon as the server listens; trying with the browser itself would cost the
    server its time.
    """
    while True:
        try:
            socket.create_connection(("127.0.0.1", _PORT), 1).close()
            break
        except OSError:
            time.sleep(0.02)
    browser.get(address)


def _report(name: str, times: list[float]) -> None:
    late = statistics.quantiles(times, n=20)[-1]
    middle = statistics.median(times)
    print(
        f"slider {name:<6} to repainted landscape: median {middle:4.0f} ms, 95 % below {late:4.0f}"
        f" ms, fastest {min(times):4.0f} ms ({len(times)} moves, load {os.getloadavg()[0]:.1f} on"
        f" {os.cpu_count()} cores)"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
