"""What we show: `figure(table) -> Figure`; computes nothing."""
