"""The lab under FastAPI's own client, one application for all tests of this room."""

import pytest

pytest.importorskip("fastapi", reason="the lab needs the extra [lab]")
pytest.importorskip("httpx", reason="FastAPI's test client needs httpx")


@pytest.fixture(scope="session")
def client():
    """Without the Bayes risk, whose program compiles for seconds: the browser tests wait for the real one."""
    from fastapi.testclient import TestClient

    from soloc.lab.app import create_app

    with pytest.MonkeyPatch.context() as patch, TestClient(create_app(), base_url="http://127.0.0.1") as client:
        patch.setattr("soloc.lab.views.curves.bayes_or_none", lambda task: None)
        yield client
