"""FastAPI's test client as the page is: a busy lab is asked again."""

import time
from typing import Any

from fastapi.testclient import TestClient


class PatientClient(TestClient):
    """A client that asks again while the answer is still being computed."""

    def post(self, *arguments: Any, **options: Any) -> Any:
        while (answer := super().post(*arguments, **options)).status_code == 503:
            time.sleep(0.1)
        return answer
