"""A sentence as a Plotly figure: its words in order, how much attention looks at each, and what
each contributes.
"""

from typing import Any

from soloc.figures.palette import BLUE, ORANGE, RED
from soloc.lab.panel import drawn
from soloc.text.sentences import SentenceExplanation


def sentence_figure(found: SentenceExplanation) -> dict[str, Any]:
    """Bars for the words: attention above, contribution below; the decisive word apart."""
    table = found.table
    places = list(range(len(table)))
    looks = [ORANGE if decisive else BLUE for decisive in table.decisive]
    pulls = [BLUE if pull >= 0 else RED for pull in table.contribution]
    data = [
        {
            "type": "bar",
            "x": places,
            "y": drawn(values),
            "customdata": table.word.tolist(),
            "xaxis": "x",
            "yaxis": f"y{axis}",
            "marker": {"color": colours, "line": {"width": 0}},
            "hovertemplate": f"%{{customdata}}<br>{name} %{{y:.3g}}<extra></extra>",
        }
        for axis, values, colours, name in (
            ("", table.weight, looks, "attention"),
            ("2", table.contribution, pulls, "contribution"),
        )
    ]
    layout = {
        "showlegend": False,
        "bargap": 0.3,
        "margin": {"l": 64, "r": 20, "t": 10, "b": 80},
        "xaxis": {
            "anchor": "y2",
            "tickvals": places,
            "ticktext": table.word.tolist(),
            "tickangle": -40,
            "showgrid": False,
        },
        "yaxis": {
            "domain": [0.55, 1],
            "title": {"text": "attention"},
            "range": [0, 1.02],
            "nticks": 4,
        },
        "yaxis2": {
            "domain": [0, 0.45],
            "title": {"text": "contribution"},
            "zeroline": True,
            "nticks": 4,
        },
    }
    return {"data": data, "layout": layout}
