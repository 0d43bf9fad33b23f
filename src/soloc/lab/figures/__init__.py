"""Plotly figures as plain dictionaries, without colours of background or text: the page, or a
notebook, brings its theme.
"""
