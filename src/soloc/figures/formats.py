"""Kinds of file that a figure is written as; without matplotlib, so that those who only name them
start sooner.
"""

FORMATS = ("svg", "pdf", "png")
