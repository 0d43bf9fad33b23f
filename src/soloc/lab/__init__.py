"""The lab: see attention find the token, in the browser."""
