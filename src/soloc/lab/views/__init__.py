"""One file a view: a body with bounds, a function that answers with a `Panel`, and its `View`."""
