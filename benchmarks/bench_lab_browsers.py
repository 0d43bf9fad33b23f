"""Twenty real browsers that drag sliders for a minute: no error, 95th percentile at most one
second, memory flat.

Every Chromium moves a slider, waits until its landscape is repainted and at least 100 ms have
passed, moves it again, fifteen times, and then rests for one to two and a half seconds, in which
paths, critical points and sequence are drawn. Every fourth one compares attentions instead. Server
and browsers share the machine. `--remembered` shows what the browsers alone need: there every
slider moves between two places whose answers the page has already, so that the server has nothing
to do; `bench_lab_load.py` shows what the server alone can do.

    python benchmarks/bench_lab_browsers.py [--seconds 60] [--browsers 20] [--remembered]
"""

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bars import bar, results

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.lab.browser.chromium import CHROMIUM, DRIVER, open_browser, wait_for
from tests.lab.live import LiveLab

#: Drag sliders until the end; the times go to window.moves, refusals to window.refused.
_DRAG = """
const [panelName, seconds, seed, remembered] = arguments;
const panel = document.getElementById("panel-" + panelName);
let state = seed + 1;
const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
const drawn = () => Number(panel.dataset.drawn ?? 0);
const sliders = ["d", "L", "gamma", "eps", ...(panelName === "landscape" ? ["lam"] : [])];
const until = performance.now() + 1000 * seconds;
let other = false;
Object.assign(window, { moves: [], refused: [], finished: false });
async function move(name) {
  const slider = document.getElementById("control-" + name);
  const before = drawn();
  const share = remembered ? (other = !other) ? 0.4 : 0.6 : random();
  const place = Math.round(Number(slider.min) + share * (Number(slider.max) - Number(slider.min)));
  if (String(place) === slider.value) return;
  slider.value = String(place);
  const began = performance.now();
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  while (drawn() === before && performance.now() - began < 20000) await sleep(5);
  await painted();
  window.moves.push([began, performance.now() - began]);
  const why = panel.querySelector(".problem").textContent;
  if (panel.dataset.stage === "refused") window.refused.push(why);
  await sleep(Math.max(0, 100 - (performance.now() - began)));
}
(async () => {
  while (performance.now() < until) {
    const name = remembered ? "gamma" : sliders[Math.floor(random() * sliders.length)];
    for (let i = 0; i < 15 && performance.now() < until; i++) await move(name);
    await sleep(1000 + 1500 * random());
  }
  window.finished = true;
})();
"""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--browsers", type=int, default=20)
    parser.add_argument("--remembered", action="store_true")
    options = parser.parse_args()
    if CHROMIUM is None or DRIVER is None:
        print("Chromium or its driver is missing: nothing measured.")
        return 0
    folder = Path(tempfile.mkdtemp())
    browsers: list[tuple[Any, str]] = []
    memory: list[int] = []
    times: dict[str, list[float]] = {"landscape": [], "attentions": []}
    refused: list[str] = []
    console: list[dict] = []
    try:
        with LiveLab() as lab:
            lab.wait_until_prepared()
            for number in range(options.browsers):
                browsers.append(_opened(folder / str(number), lab.address, number))
            for number, (browser, panel) in enumerate(browsers):
                browser.execute_script(_DRAG, panel, options.seconds, number, options.remembered)
            until = time.monotonic() + options.seconds
            while time.monotonic() < until:
                memory.append(lab.memory_of_all())
                time.sleep(2.0)
            for browser, panel in browsers:
                wait_for(browser, "return window.finished", 60)
                times[panel] += [
                    took / 1000.0 for began, took in browser.execute_script("return window.moves")
                ]
                refused += browser.execute_script("return window.refused")
                console += [
                    entry
                    for entry in browser.get_log("browser")
                    if entry["level"] in ("SEVERE", "WARNING")
                ]
            broken = [line for line in lab.said if "Traceback" in line or "has died" in line]
    finally:
        for browser, _ in browsers:
            browser.quit()
        shutil.rmtree(folder, ignore_errors=True)
    everything = [took for moves in times.values() for took in moves]
    for panel, moves in ((panel, moves) for panel, moves in times.items() if moves):
        print(
            f"{panel:<11} {len(moves):5d} repaints  median {statistics.median(moves):.3f} s  p95"
            f" {_late(moves):.3f} s"
        )
    fifth = max(1, len(memory) // 5)
    growth = statistics.mean(memory[-fifth:]) / statistics.mean(memory[:fifth]) - 1
    print(f"{options.browsers} browsers, {options.seconds:g} s: {len(everything)} repaints")
    bar(f"repaints of {options.browsers} browsers, 95 % of them", _late(everything), 1, "s")
    print(f"refusals {len(refused)} {sorted(set(refused))[:3]}, console {console[:3]}")
    bar("words on the consoles, tracebacks and lost processes", len(console) + len(broken), 0)
    print(
        f"memory of the server {memory[0] / 2**20:.0f} MB -> {memory[-1] / 2**20:.0f} MB, growth"
        f" {growth:+.1%}"
    )
    return 0 if all(results) else 1


def _opened(folder: Path, address: str, number: int) -> tuple[Any, str]:
    """A browser of its own with the page in it, and the panel that it watches."""
    panel = "attentions" if number % 4 == 3 else "landscape"
    folder.mkdir()
    browser = open_browser(folder, 1000, 900)
    browser.get(f"{address}/?view={'attentions' if panel == 'attentions' else 'training'}")
    wait_for(browser, f"return document.getElementById('panel-{panel}')?.dataset.drawn > 0", 60)
    return browser, panel


def _late(values: list[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(0.95 * len(values)))]


if __name__ == "__main__":
    raise SystemExit(main())
