"""Take the pictures of docs/lab.md: every step of the story in light, in dark and on a phone.

    python tools/lab_screenshots.py

It needs Chromium and chromedriver. Look at what it has written before it is committed.
"""

import io
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.lab.browser.chromium import open_browser, prefer, resize, wait_for
from tests.lab.live import LiveLab

from soloc.lab.story import STEPS

_ROOT = Path(__file__).resolve().parents[1]
_FOLDER = _ROOT / "docs" / "images" / "lab"
_SHAPES = {"light": (1240, 840), "dark": (1240, 840), "phone": (390, 844)}
_COLORS = 256
_MOMENT = {4: "&t=0.62"}  # of training, by step: on its way
_DRAWN = (
    "return [...document.querySelectorAll('.story-panels .panel')].filter((it) => !it.hidden)"
    ".every((it) => it.dataset.stage === 'shown' && it.dataset.drawn > 0)"
)


def picture(browser: Any, target: Path) -> None:
    """What is in the window, in few colours, rare ones among them: a page should not weigh much."""
    image = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
    image.quantize(_COLORS, Image.Quantize.MAXCOVERAGE).save(target, optimize=True)


def main() -> None:
    """Write all of them."""
    _FOLDER.mkdir(parents=True, exist_ok=True)
    with LiveLab() as lab, tempfile.TemporaryDirectory() as folder:
        lab.wait_until_prepared()
        browser = open_browser(Path(folder))
        try:
            for name, (width, height) in _SHAPES.items():
                resize(browser, width, height)
                prefer(browser, "dark" if name == "dark" else "light")
                for step in STEPS:
                    moment = _MOMENT.get(step.number, "")
                    browser.get(f"{lab.address}/?step={step.number}{moment}")
                    wait_for(browser, _DRAWN, 60)
                    time.sleep(1.0)  # fonts, transitions and the figure after a sketch
                    picture(browser, _FOLDER / f"step{step.number}_{name}.png")
        finally:
            browser.quit()
    print(f"wrote {len(_SHAPES) * len(STEPS)} pictures to {_FOLDER.relative_to(_ROOT)}")


if __name__ == "__main__":
    main()
