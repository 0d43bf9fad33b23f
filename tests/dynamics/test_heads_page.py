"""docs/heads.md: every block runs, and prints what stands below it."""

from tests.pages import assert_blocks_print, page


def test_blocks_print_what_the_page_shows():
    assert_blocks_print(page("heads.md"), 4)
