"""The server: who may ask, the files of the page, and the way from an address to a view."""
