"""What a reader gets: one page with every answer, figure, table and verdict."""
