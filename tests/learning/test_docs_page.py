"""docs/learning.md: every block runs, and prints what stands below it."""

import re

from tests.pages import assert_blocks_print, page, printed, shown

from soloc.cli import main

PAGE = page("learning.md")
COMMAND = re.compile(r" {4}\$ soloc (.*)\n((?: {4}.*\n)*)")


def test_blocks_print_what_the_page_shows():
    assert_blocks_print(PAGE, 5)


def test_the_command_answers_what_the_page_shows():
    [(words, below)] = COMMAND.findall(PAGE)
    assert printed(lambda: main(words.split())) == shown(below)
