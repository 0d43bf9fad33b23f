"""What the page is told of itself is what the documents promise."""

import re
from pathlib import Path

_PAGE = Path(__file__).resolve().parents[3] / "docs" / "lab.md"
_PARTS = {"steps", "tabs", "controls", "time", "starts", "presets"}  # of the page alone


def test_every_name_that_can_be_hidden_is_documented_and_no_other(client):
    about = client.get("/api/about").json()
    controls = {
        control["name"]
        for group in about["groups"]
        for control in group["controls"]
        if control["place"] != "address"
    }
    groups = {group["name"] for group in about["groups"] if group["name"] != "more"}
    views = {view["name"] for view in about["views"]} | {"sentence"}  # without word vectors, too
    table = _PAGE.read_text().split("| name | hides |")[1].split("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", table)) == controls | groups | views | _PARTS
