"""What a fit minimises: one file a loss, each with its own prediction and held-out error."""
