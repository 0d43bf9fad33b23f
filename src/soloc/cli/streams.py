"""Standard streams that take whatever is written to them, even when closed or of few letters."""

import io
import os
import sys


def prepare_streams() -> None:
    """Make every standard stream usable.

    A file that is opened while one of them is closed takes its number, and what is then written to
    the stream would end up in that file: closed ones are opened on nothing, before anything else.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # file names that are not text come out as their own bytes; what the encoding of the
            # terminal lacks, as escapes
            utf8 = (stream.encoding or "").lower().replace("-", "") == "utf8"
            stream.reconfigure(errors="surrogateescape" if utf8 else "backslashreplace")


def drop_output() -> None:
    """Let what is still to be written go nowhere, so that ending the process fails no more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
