"""Does training find the decisive token, from where, and how does it fail?"""
