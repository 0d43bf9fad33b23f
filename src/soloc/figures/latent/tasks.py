"""Three tasks side by side: risk of every mechanism against L, and a table of what they share."""

import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.style import GRID, INK, MARKERS, PALETTE, log_lengths, styled

HEADINGS = ["task", "latent", "exchangeable", "exactly Bayes", "Bayes risk as $L$ grows"]


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Panels above, the unifying table below."""
    tasks = list(table["task"].unique())
    drawing = Figure(figsize=(12.6, 6.0))
    grid = drawing.add_gridspec(2, len(tasks), height_ratios=(3.1, 1))
    cells = []
    for column, task in enumerate(tasks):
        axis = drawing.add_subplot(grid[0, column])
        rows = table[table["task"] == task].sort_values("L")
        for at, (mechanism, part) in enumerate(rows.groupby("mechanism", sort=False)):
            bayes = mechanism == "Bayes"
            axis.plot(
                part["L"],
                part["risk"],
                marker=MARKERS[at],
                color=INK if bayes else PALETTE[at - 1],
                markersize=10 if bayes else 5,
                fillstyle="none" if bayes else "full",
                linewidth=1.2,
                label=mechanism,
            )
        axis.set(yscale="log", title=task)
        log_lengths(axis, sorted(rows["L"].unique()))
        bayes_rows = rows[rows["mechanism"] == "Bayes"]
        first, last = bayes_rows["posterior_variance"].iloc[[0, -1]]
        facts = bayes_rows.iloc[0]
        move = f"{'falls' if last < first else 'rises'} from {first:.3f} to {last:.3f}"
        cells.append([task, facts["latent"], facts["exchangeable"] + "ly", facts["exact"], move])
        if column == 0:
            axis.set_ylabel("risk: squared error of the target")
            axis.legend(fontsize=8.5, loc="lower left")
    below = drawing.add_subplot(grid[1, :])
    below.axis("off")
    grid_of_words = below.table(
        cells,
        colLabels=HEADINGS,
        loc="center",
        cellLoc="left",
        colLoc="left",
        colWidths=[0.15, 0.33, 0.12, 0.12, 0.24],
    )
    grid_of_words.auto_set_font_size(False)
    grid_of_words.set_fontsize(9.5)
    grid_of_words.scale(1, 1.5)
    for (row, _), cell in grid_of_words.get_celld().items():
        cell.set_edgecolor(GRID)
        if row == 0:
            cell.set_text_props(weight="bold")
    return drawing
