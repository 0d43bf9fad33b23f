"""Which attention, at which temperature, and how close to Bayes?"""
