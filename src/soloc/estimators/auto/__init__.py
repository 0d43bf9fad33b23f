"""For people who do not want to choose: mean-pool, linear or network, by held-out bags."""
