"""Each task with a latent as a small picture: what its tokens are, and what they hide."""

from typing import Any, NamedTuple

_TOKEN, _LATENT = "#8a8f98", "#d55e00"


class Picture(NamedTuple):
    """Traces in the square from 0 to 1, and what they show, in a few words."""

    traces: list[dict[str, Any]]
    words: str


def _drawn(x: list[float], y: list[float], mode: str, **style: Any) -> dict[str, Any]:
    quiet = {"showlegend": False, "hoverinfo": "skip", "cliponaxis": False}
    return {"type": "scatter", "mode": mode, "x": x, "y": y, **quiet, **style}


def _rule() -> Picture:
    """Values that follow from their keys by one line."""
    keys = [0.05, 0.17, 0.3, 0.41, 0.55, 0.66, 0.8, 0.93]
    above = [0.07, -0.08, 0.09, -0.03, -0.1, 0.08, -0.07, 0.04]
    values = [0.12 + 0.75 * key + more for key, more in zip(keys, above, strict=True)]
    line = _drawn([0.0, 1.0], [0.12, 0.87], "lines", line={"color": _LATENT, "width": 2.5})
    dots = _drawn(keys, values, "markers", marker={"color": _TOKEN, "size": 7})
    return Picture([line, dots], "every value follows<br>from its key by one<br>hidden rule")


def _blur() -> Picture:
    """Keys, and the blurred place of the one that is asked for."""
    x = [0.08, 0.24, 0.4, 0.52, 0.64, 0.78, 0.92]
    y = [0.35, 0.8, 0.2, 0.6, 0.15, 0.7, 0.4]
    halo = {"color": _LATENT, "size": 34, "opacity": 0.28}
    asked = _drawn([0.73], [0.62], "markers", marker=halo)
    others = _drawn(x, y, "markers", marker={"color": _TOKEN, "size": 7})
    hidden = _drawn([x[5]], [y[5]], "markers", marker={"color": _LATENT, "size": 9})
    words = "one key is asked for,<br>but only a blur of it<br>is given"
    return Picture([asked, others, hidden], words)


def _one() -> Picture:
    """Tokens in a row, one of which decides."""
    heights = [0.35, 0.5, 0.28, 0.45, 0.95, 0.38, 0.55, 0.3, 0.42]
    places = [(i + 0.5) / len(heights) for i in range(len(heights))]
    bars = {
        "type": "bar",
        "x": places,
        "y": heights,
        "width": [0.07] * len(heights),
        "marker": {"color": [_LATENT if it == max(heights) else _TOKEN for it in heights]},
        "showlegend": False,
        "hoverinfo": "skip",
    }
    return Picture([bars], "one token holds the<br>answer, and nobody<br>says which")


PICTURES = {"ExchangeableLatent": _rule(), "NoisyRecall": _blur(), "SingleLocation": _one()}
