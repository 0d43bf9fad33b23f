"""Exit codes, the same for every command."""

import errno

DONE, FAILED_CLAIM, MISTAKE, FAILED_CELLS, UNWRITABLE, INTERRUPTED = 0, 1, 2, 3, 4, 130
MEANINGS = (
    "0 done, 1 a claim fails, 2 a mistake in what was asked, 3 cells failed, 4 output could not be"
    " written, 130 interrupted"
)
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG}


def code_of(error: Exception) -> int:
    """The exit code of an error; one of our own making is raised again, to be shown whole."""
    code = getattr(error, "exit_code", None)
    if code is not None:
        return int(code)
    if isinstance(error, RuntimeError):
        raise error
    return UNWRITABLE if getattr(error, "errno", None) in _NO_SPACE else MISTAKE
