"""One module per view: a body with bounds, a function that answers with a `Panel`, and the route
between them.
"""
