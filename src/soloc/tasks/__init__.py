"""What is true: tasks make data from a latent truth and know the Bayes answer."""
