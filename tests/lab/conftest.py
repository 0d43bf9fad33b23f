"""The lab under FastAPI's own client, one application for all tests of this room."""

import pytest

pytest.importorskip("fastapi", reason="the lab needs the extra [lab]")
pytest.importorskip("httpx", reason="FastAPI's test client needs httpx")


@pytest.fixture(scope="session")
def client():
    from soloc.lab.server.app import create_app
    from tests.lab.patient import PatientClient

    with PatientClient(create_app(), base_url="http://127.0.0.1") as client:
        yield client
