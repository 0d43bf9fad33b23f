"""The promise of the house: a new thing of any kind is one file and one registration line.

Each file of tests/extension defines one thing inside itself alone, registers it by one line, and
shows that it works everywhere its kind should. This test keeps them honest about that line.
"""

import ast
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "extension"
KINDS = ("engine", "experiment", "lab_view", "objective", "task", "weight")


def registrations(path: Path) -> list[str]:
    """Statements in the fixtures of a test file that change a registry of soloc."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        is_fixture = isinstance(node, ast.FunctionDef) and any(
            "fixture" in ast.unparse(decorator) for decorator in node.decorator_list
        )
        if is_fixture:
            calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
            found += [ast.unparse(call) for call in calls if "register" in ast.unparse(call.func)]
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_thing_takes_one_line(kind):
    assert len(registrations(FOLDER / f"test_{kind}.py")) == 1


def test_every_kind_of_contributing_has_its_file():
    contributing = (FOLDER.parents[1] / "CONTRIBUTING.md").read_text()
    for kind in KINDS:
        assert f"tests/extension/test_{kind}.py" in contributing, kind
