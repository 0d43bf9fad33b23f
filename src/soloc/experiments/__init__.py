"""What we ask: one file is one frozen config and `run(config) -> table`."""
