"""What a reader gets: one page that holds every answer, its figure, its data and the verdict on
every claim.
"""
