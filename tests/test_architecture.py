"""The import table of CONTRIBUTING.md, enforced: which room may import which."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "soloc"
SCIENCE = {"maths", "tasks", "predictors", "risk", "dynamics", "estimators", "datasets", "text"}
MAY_IMPORT = {
    "maths": set(),
    "runs": set(),
    "figures": set(),
    "tasks": {"maths"},
    "predictors": {"maths"},
    "risk": {"maths", "tasks", "predictors"},
    "dynamics": {"maths", "tasks", "predictors", "risk"},
    "estimators": {"figures"},  # and those only to draw an explanation, see below
    "datasets": {"maths", "estimators"},  # and of those only bags, see below
    "text": {"estimators"},
    "experiments": SCIENCE,
    "report": {"runs", "figures", "experiments"},
    "lab": {
        "experiments",
        "risk",
        "dynamics",
        "tasks",
        "predictors",
        "estimators",
        "datasets",
        "text",
        "runs",
        "figures",
    },
}
ROOMS = sorted(
    path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"
)


def imported_rooms(path: Path) -> set[str]:
    """Rooms of soloc that a file imports, at the top or inside a function."""
    modules: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            assert node.module is not None
            modules += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules += ["soloc.RELATIVE"]
    return {name.split(".")[1] for name in modules if name.startswith("soloc.")}


def test_every_room_has_a_row_in_the_table():
    assert set(ROOMS) - {"cli"} <= set(MAY_IMPORT)


@pytest.mark.parametrize("room", [room for room in ROOMS if room != "cli"])
def test_a_room_imports_only_what_the_table_allows(room):
    for path in sorted((SOURCE / room).rglob("*.py")):
        beyond = (imported_rooms(path) & {*ROOMS, "RELATIVE"}) - MAY_IMPORT[room] - {room}
        assert not beyond, (
            f"{path.relative_to(SOURCE)} imports {sorted(beyond)}; the table allows"
            f" {sorted(MAY_IMPORT[room])}"
        )


def test_figures_do_not_import_jax():
    for path in sorted((SOURCE / "figures").rglob("*.py")):
        assert "jax" not in path.read_text().replace("ajax", ""), f"{path.name} mentions jax"


@pytest.mark.parametrize("room", ["estimators", "datasets", "text"])
def test_a_permission_that_no_file_uses_leaves_the_table(room):
    used = set().union(*(imported_rooms(path) for path in (SOURCE / room).rglob("*.py")))
    assert MAY_IMPORT[room] <= used


def test_estimators_draw_only_explanations_and_datasets_know_only_bags():
    for path in sorted((SOURCE / "estimators").rglob("*.py")):
        assert "figures" not in imported_rooms(path) or path.name == "explain.py", path.name
    for path in sorted((SOURCE / "datasets").rglob("*.py")):
        code = path.read_text().replace("soloc.estimators.bags", "")
        assert not [line for line in code.splitlines() if line.startswith("from soloc.estimators")]
