"""Small exact mathematics: special functions, Gaussian integrals, spheres and simplices."""
