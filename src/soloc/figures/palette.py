"""Colours that every figure shares; without matplotlib, so that the lab starts sooner."""

INK = "#1b1f24"
PAPER = "#ffffff"
GRID = "#dfe3e8"
MUTED = "#6a737d"
#: Okabe and Ito's colours without the yellow, told apart by readers with any common colour vision.
BLUE, ORANGE, GREEN, RED, SKY, PINK = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#d55e00",
    "#56b4e9",
    "#cc79a7",
)
PALETTE = (BLUE, ORANGE, GREEN, RED, SKY, PINK)
