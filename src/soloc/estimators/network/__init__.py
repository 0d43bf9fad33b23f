"""The network: a shared hidden layer in which one instance decides, and an ensemble of it."""
