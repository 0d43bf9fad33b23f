"""How the lab is served, by whichever process."""

from typing import Any

#: Of the server: connections that are silent are few seconds old, so many may be open.
OPTIONS: dict[str, Any] = {
    "log_level": "warning",
    "timeout_keep_alive": 5,
    "limit_concurrency": 500,
    "server_header": False,
}
